#include "checkers/interval/sieve.h"

#include <stdlib.h>
#include <string.h>

#include "checkers/interval/traces.h"

#define CROWD_MAX (VERSIONS_LOOKED_AT / 4)

bool sieve_is_of_use(const struct profile *profile)
{
    return profile->timing == TIMING_FULL && !profile->reads_any && !profile->ignores_times &&
           !profile->locks_reads && profile->certifier != CERTIFIER_VALIDATION;
}

/* --- Versions ------------------------------------------------------------------------ */

static struct sieve_version *version_at(const struct sieve *s, uint32_t version)
{
    return &s->versions.at[version];
}

static enum status put_first(struct sieve *s, struct sieve_key *key, struct sieve_version new,
                             struct error *err)
{
    uint32_t place = (uint32_t)s->versions.count;

    new.version.older = key->newest;
    new.serial = key->next_serial++;
    if (s->free_versions.count > 0) {
        place = s->free_versions.at[--s->free_versions.count];
        s->versions.at[place] = new;
    } else {
        TRY(array_push(&s->versions, new, err));
    }
    key->newest = place;
    return STATUS_OK;
}

static enum status put_initial(struct sieve *s, struct sieve_key *key, uint64_t value,
                               struct error *err)
{
    static const struct times before_all = { TIMELINE_BEGINNING, TIMELINE_BEGINNING };
    struct sieve_version new = { .version = { .value = value,
                                              .txn = UINT64_MAX,
                                              .number = MIRROR_NONE,
                                              .installed = before_all,
                                              .locked = before_all,
                                              .viewed = before_all,
                                              .state = VERSION_OF_BEGINNING,
                                              .row = ROW_NONE },
                                 .view_low = TIMELINE_BEGINNING };

    if (key->is_known)
        return STATUS_OK;
    key->is_known = true;
    return put_first(s, key, new, err);
}

static enum status find_key(struct sieve *s, uint32_t key, struct sieve_key **found,
                            struct error *err)
{
    static const struct sieve_key none = { .newest = MIRROR_NONE,
                                           .settled = TIMELINE_BEGINNING,
                                           .locked_until = TIMELINE_BEGINNING };
    uint32_t place = key / s->part_count;

    while (s->keys.count <= place)
        TRY(array_push(&s->keys, none, err));
    *found = &s->keys.at[place];
    return STATUS_OK;
}

static bool is_mine(const struct sieve *s, uint32_t key)
{
    return key % s->part_count == s->part;
}

/* Where the updater's snapshot lies, by its times alone. */
static struct times updater_view(const struct sieve *s, const struct sieve_txn *t)
{
    return s->mirror->profile.view == VIEW_TRANSACTION ? t->view
           : s->mirror->profile.view == VIEW_COMMIT    ? t->commit
                                                       : t->at;
}

static uint64_t number_of(const struct sieve *s, const struct sieve_txn *t)
{
    return s->first + (uint64_t)(t - s->txns.at);
}

static enum status put_write(struct sieve *s, struct sieve_key *key, const struct sieve_txn *t,
                             uint32_t access, struct error *err)
{
    const struct access *a = &t->accesses[access];
    bool is_sure = t->status == TXN_OK;
    struct sieve_version new = { .version = { .value = a->value,
                                              .txn = number_of(s, t),
                                              .installed = t->commit,
                                              .locked = a->at,
                                              .viewed = t->at,
                                              .state = is_sure ? VERSION_COMMITTED
                                                               : VERSION_PERHAPS,
                                              .row = ROW_NONE,
                                              .txn_id = t->id,
                                              .number = t->number,
                                              .op = a->op },
                                 .view_low = updater_view(s, t).low,
                                 .access = access };

    if (t->commit.high > key->settled)
        key->settled = t->commit.high;
    if (a->at.high > key->settled)
        key->settled = a->at.high;
    return put_first(s, key, new, err);
}

/* What is older than one that all see who are still to come. */
static enum status cut_behind(struct sieve *s, uint32_t floor, struct error *err)
{
    uint32_t next = version_at(s, floor)->version.older;

    version_at(s, floor)->version.older = MIRROR_NONE;
    for (; next != MIRROR_NONE; next = version_at(s, next)->version.older)
        TRY(array_push(&s->free_versions, next, err));
    return STATUS_OK;
}

/* Versions of a quiet key come one behind the other. */
static enum status forget_past(struct sieve *s, const struct sieve_key *key, struct error *err)
{
    for (uint32_t v = key->newest; v != MIRROR_NONE; v = version_at(s, v)->version.older)
        if (version_at(s, v)->version.installed.high < s->oldest)
            return cut_behind(s, v, err);
    return STATUS_OK;
}

/* --- Readers ------------------------------------------------------------------------- */

/* Who has gone, and who is over and comes before somebody who wrote the key. */
static void forget_readers(struct sieve *s, struct sieve_key *key)
{
    uint64_t gone = atomic_load_explicit(s->gone_before, memory_order_relaxed);
    size_t kept = 0;

    for (size_t i = 0; i < key->reader_count; i++) {
        const struct sieve_reader *r = &key->readers[i];

        if (r->txn >= gone && !(r->is_overwritten && r->commit_high < s->oldest))
            key->readers[kept++] = *r;
    }
    key->reader_count = kept;
}

static struct times view_of(const struct sieve *s, const struct sieve_txn *t,
                            const struct access *a)
{
    if (access_has_own_view(s->mirror, a))
        return a->at;
    return s->mirror->profile.view == VIEW_COMMIT ? t->commit : t->view;
}

static enum status make_room(struct sieve *s, struct sieve_key *key, struct error *err)
{
    uint32_t room = key->reader_room + key->reader_room / 2 + 2;

    forget_readers(s, key);
    if (key->reader_count < key->reader_room - key->reader_room / 4)
        return STATUS_OK;
    TRY(memory_resize((void **)&key->readers, room, sizeof *key->readers, err));
    key->reader_room = room;
    return STATUS_OK;
}

static enum status add_reader(struct sieve *s, struct sieve_key *key, const struct sieve_txn *t,
                              uint32_t access, uint32_t serial, struct error *err)
{
    const struct access *a = &t->accesses[access];
    struct sieve_reader reader = { .txn = number_of(s, t),
                                   .view_high = view_of(s, t, a).high,
                                   .commit_high = t->commit.high,
                                   .access = access,
                                   .serial = serial,
                                   .is_updated = a->is_updated };

    if (key->reader_count == key->reader_room)
        TRY(make_room(s, key, err));
    key->readers[key->reader_count++] = reader;
    return STATUS_OK;
}

/* --- What the mirror is told --------------------------------------------------------- */

enum word { WORD_MIRROR, WORD_SETTLED, WORD_GIVE };

enum sieved_edge { IT_WAS_READ, IT_MISSED_THIS, IT_CAME_BEFORE, THIS_MISSED_IT };

static enum status depend(struct sieve *s, enum sieved_edge kind, uint64_t txn, struct error *err)
{
    if (txn == UINT64_MAX || !profile_certifies(&s->mirror->profile))
        return STATUS_OK;
    return array_push(&s->dependencies, txn << 2 | kind, err);
}

static enum status tell_settled(struct sieve *s, struct error *err)
{
    TRY(array_push(&s->out->words, (uint64_t)s->dependencies.count << 2 | WORD_SETTLED, err));
    for (size_t i = 0; i < s->dependencies.count; i++)
        TRY(array_push(&s->out->words, s->dependencies.at[i], err));
    return STATUS_OK;
}

/* What is older than all that are left comes before the same versions as the oldest of these. */
static uint32_t place_among(const struct sieve *s, const uint32_t *given, size_t count,
                            uint32_t serial)
{
    for (uint32_t i = 0; i < count; i++)
        if (s->versions.at[given[i]].serial == serial)
            return i;
    return 0;
}

/* The mirror has the key from now on. */
static enum status give(struct sieve *s, struct sieve_key *key, struct error *err)
{
    ARRAY(uint32_t) given = { 0 };
    enum status status = STATUS_OK;

    key->is_mirrored = true;
    forget_readers(s, key);
    for (uint32_t v = key->newest; v != MIRROR_NONE && status == STATUS_OK;
         v = version_at(s, v)->version.older)
        status = array_push(&given, v, err);
    for (size_t i = 0; i < given.count / 2; i++) {
        uint32_t held = given.at[i];

        given.at[i] = given.at[given.count - 1 - i];
        given.at[given.count - 1 - i] = held;
    }
    for (size_t i = 0; i < given.count && status == STATUS_OK; i++)
        status = array_push(&s->out->versions, *version_at(s, given.at[i]), err);
    for (size_t i = 0; i < key->reader_count && status == STATUS_OK; i++) {
        const struct sieve_reader *r = &key->readers[i];
        struct reader reader = { r->txn, place_among(s, given.at, given.count, r->serial),
                                 r->access };

        status = array_push(&s->out->readers, reader, err);
    }
    if (status == STATUS_OK)
        status = array_push(&s->out->words,
                            (uint64_t)key->reader_count << 32 | (uint64_t)given.count << 2 |
                                WORD_GIVE,
                            err);
    array_close(&given);
    return status;
}

static enum status leave_to_mirror(struct sieve *s, struct sieve_key *key, struct error *err)
{
    if (!key->is_mirrored)
        TRY(give(s, key, err));
    return array_push(&s->out->words, WORD_MIRROR, err);
}

/* Once all versions but one are past, nothing of what the mirror deduced of them can matter. */
static enum status try_to_be_quiet(struct sieve *s, struct sieve_key *key, struct error *err)
{
    uint32_t floor = MIRROR_NONE;

    if (key->locked_until >= s->oldest)
        return STATUS_OK;
    for (uint32_t v = key->newest; v != MIRROR_NONE; v = version_at(s, v)->version.older) {
        const struct version *version = &version_at(s, v)->version;

        if (!version_counts(version) || version->installed.high >= s->oldest)
            return STATUS_OK;
        if (floor == MIRROR_NONE ||
            version->installed.low > version_at(s, floor)->version.installed.low)
            floor = v;
    }
    for (uint32_t v = key->newest; v != MIRROR_NONE; v = version_at(s, v)->version.older)
        if (v != floor && version_at(s, v)->version.installed.high >=
                              version_at(s, floor)->version.installed.low)
            return STATUS_OK;
    while (key->newest != floor) {
        TRY(array_push(&s->free_versions, key->newest, err));
        key->newest = version_at(s, key->newest)->version.older;
    }
    for (size_t i = 0; i < key->reader_count; i++)
        key->readers[i].serial = version_at(s, floor)->serial;
    key->is_mirrored = false;
    return cut_behind(s, floor, err);
}

/* --- Writes -------------------------------------------------------------------------- */

/* Who read what is overwritten, and itself writes the key: it is an updater as well. */
static bool comes_behind_reader(const struct sieve *s, const struct sieve_txn *t,
                                const struct sieve_reader *r)
{
    return r->view_high < t->commit.low &&
           !(profile_first_wins(&s->mirror->profile) && r->is_updated &&
             r->commit_high >= updater_view(s, t).low);
}

static bool settles_write(const struct sieve *s, const struct sieve_key *key,
                          const struct sieve_txn *t, const struct access *a)
{
    if (key->settled >= t->commit.low || key->settled > a->at.high ||
        key->locked_until >= s->oldest ||
        (profile_first_wins(&s->mirror->profile) && key->settled >= updater_view(s, t).low))
        return false;
    for (size_t i = 0; i < key->reader_count; i++)
        if (key->readers[i].txn != number_of(s, t) &&
            !comes_behind_reader(s, t, &key->readers[i]))
            return false;
    return true;
}

static enum status depend_on_all(struct sieve *s, struct sieve_key *key, const struct sieve_txn *t,
                                 struct error *err)
{
    for (size_t i = 0; i < key->reader_count; i++) {
        if (key->readers[i].txn == number_of(s, t))
            continue;
        TRY(depend(s, IT_MISSED_THIS, key->readers[i].txn, err));
        key->readers[i].is_overwritten = true;
    }
    return depend(s, IT_CAME_BEFORE, version_at(s, key->newest)->version.txn, err);
}

/* Of very many versions the mirror alone says that there are too many. */
static void count_crowd(struct sieve *s, struct sieve_key *key, const struct sieve_txn *t)
{
    struct sieve_crowd *before = &key->crowds[0], *now = &key->crowds[1];

    if (before->high < s->oldest) {
        *before = *now;
        *now = (struct sieve_crowd){ .high = TIMELINE_BEGINNING };
    }
    now->count++;
    if (t->commit.high > now->high)
        now->high = t->commit.high;
    s->has_given_up |= before->count + now->count > CROWD_MAX;
}

static enum status pass_write(struct sieve *s, const struct sieve_txn *t, uint32_t access,
                              struct error *err)
{
    const struct access *a = &t->accesses[access];
    struct sieve_key *key;

    TRY(find_key(s, a->key, &key, err));
    TRY(put_initial(s, key, 0, err));
    count_crowd(s, key, t);
    s->dependencies.count = 0;
    if (t->status == TXN_ABORT || !a->is_last)
        return tell_settled(s, err); /* nobody can read it */
    if (key->is_mirrored)
        TRY(try_to_be_quiet(s, key, err));
    if (t->status != TXN_OK || key->is_mirrored || !settles_write(s, key, t, a)) {
        TRY(leave_to_mirror(s, key, err));
        return put_write(s, key, t, access, err);
    }
    TRY(depend_on_all(s, key, t, err));
    TRY(tell_settled(s, err));
    TRY(forget_past(s, key, err));
    return put_write(s, key, t, access, err);
}

/* --- Reads --------------------------------------------------------------------------- */

static bool locks(const struct sieve *s, const struct access *a)
{
    const struct profile *p = &s->mirror->profile;

    return a->is_locking && p->locks_for;
}

/* Whether it surely comes after what it has not read. */
static bool misses(const struct sieve *s, const struct sieve_txn *t, const struct access *a,
                   const struct sieve_version *v)
{
    return v->version.installed.low > view_of(s, t, a).high &&
           !(profile_first_wins(&s->mirror->profile) && a->is_updated &&
             t->commit.high >= v->view_low);
}

/* The version that it has read, if that is settled. */
static enum status find_read(struct sieve *s, const struct sieve_key *key,
                             const struct sieve_txn *t, const struct access *a, uint32_t *found,
                             struct error *err)
{
    const struct sieve_version *v;
    uint32_t next = key->newest;

    *found = MIRROR_NONE;
    for (; next != MIRROR_NONE; next = v->version.older) {
        v = version_at(s, next);
        if (v->version.txn == number_of(s, t))
            continue;
        if (!misses(s, t, a, v))
            break;
        TRY(depend(s, THIS_MISSED_IT, v->version.txn, err));
    }
    if (next == MIRROR_NONE || v->version.value != a->value || locks(s, a) ||
        v->version.installed.high >= view_of(s, t, a).low ||
        (a->is_updated && v->version.installed.high >= t->commit.low))
        return STATUS_OK;
    *found = next;
    return depend(s, IT_WAS_READ, v->version.txn, err);
}

static enum status pass_read(struct sieve *s, const struct sieve_txn *t, uint32_t access,
                             struct error *err)
{
    const struct access *a = &t->accesses[access];
    uint32_t found = MIRROR_NONE;
    struct sieve_key *key;

    TRY(find_key(s, a->key, &key, err));
    TRY(put_initial(s, key, 0, err));
    s->dependencies.count = 0;
    if (key->is_mirrored)
        TRY(try_to_be_quiet(s, key, err));
    if (!key->is_mirrored)
        TRY(find_read(s, key, t, a, &found, err));
    if (found == MIRROR_NONE)
        TRY(leave_to_mirror(s, key, err));
    else
        TRY(tell_settled(s, err));
    if (locks(s, a) && t->commit.high > key->locked_until)
        key->locked_until = t->commit.high;
    return add_reader(s, key, t, access,
                      found == MIRROR_NONE ? 0 : version_at(s, found)->serial, err);
}

/* --- Events -------------------------------------------------------------------------- */

/* As the mirror does: what is soon looked at is fetched meanwhile. */
static void fetch_keys(const struct sieve *s, const struct sieve_txn *t)
{
    for (uint32_t i = 0; i < t->access_count; i++)
        if (is_mine(s, t->accesses[i].key) && t->accesses[i].key / s->part_count < s->keys.count)
            __builtin_prefetch(&s->keys.at[t->accesses[i].key / s->part_count]);
}

static void fetch_versions(const struct sieve *s, const struct sieve_txn *t)
{
    for (uint32_t i = 0; i < t->access_count; i++) {
        uint32_t place = t->accesses[i].key / s->part_count;

        if (!is_mine(s, t->accesses[i].key) || place >= s->keys.count ||
            s->keys.at[place].newest == MIRROR_NONE)
            continue;
        __builtin_prefetch(&s->versions.at[s->keys.at[place].newest]);
        __builtin_prefetch(s->keys.at[place].readers);
    }
}

static enum status pass_event(struct sieve *s, struct mirror_event event, struct error *err)
{
    struct sieve_txn *t = &s->txns.at[event.txn - s->first];
    enum trace_kind kind = event.is_judging ? TRACE_READ : TRACE_WRITE;

    if (s->events.count > 0)
        fetch_versions(s, &s->txns.at[s->events.at[0].txn - s->first]);
    for (uint32_t i = 0; i < t->access_count; i++) {
        if (t->accesses[i].kind != kind || !is_mine(s, t->accesses[i].key))
            continue;
        TRY(event.is_judging ? pass_read(s, t, i, err) : pass_write(s, t, i, err));
    }
    *(event.is_judging ? &t->is_judged : &t->is_installed) = true;
    return STATUS_OK;
}

/* Those who are over go, and with them what only they could ask for. */
static void forget_txns(struct sieve *s, int64_t until)
{
    size_t over = 0;

    while (over < s->txns.count && s->txns.at[over].is_installed && s->txns.at[over].is_judged)
        over++;
    if (over > s->txns.count / 2) {
        memmove(s->txns.at, s->txns.at + over, (s->txns.count - over) * sizeof *s->txns.at);
        s->txns.count -= over;
        s->first += over;
        over = 0;
    }
    s->oldest = over < s->txns.count && s->txns.at[over].at.low < until
                    ? s->txns.at[over].at.low
                    : until;
}

static enum status advance(struct sieve *s, int64_t until, struct error *err)
{
    while (s->events.count > 0 && s->events.at[0].at < until)
        TRY(pass_event(s, agenda_pop(&s->events), err));
    forget_txns(s, until);
    return STATUS_OK;
}

enum status sieve_pass(struct sieve *s, const struct arrival *arrival, struct sieved *out,
                       struct error *err)
{
    const struct live *live = &arrival->live;
    uint64_t number;
    struct sieve_txn txn = { .id = live->id,
                             .at = live->at,
                             .commit = live->commit,
                             .view = arrival->view,
                             .accesses = live->accesses,
                             .access_count = live->access_count,
                             .number = live->number,
                             .status = live->status,
                             .is_judged = live->status != TXN_OK };

    s->out = out;
    TRY(advance(s, mirror_earlier(arrival->invoked, s->mirror->clock_error), err));
    number = s->first + s->txns.count;
    s->has_given_up |= arrival->misreads_itself;
    TRY(array_push(&s->txns, txn, err));
    fetch_keys(s, &txn);
    TRY(agenda_push(&s->events, (struct mirror_event){ live->commit.low, number, false }, err));
    if (live->status != TXN_OK)
        return STATUS_OK;
    return agenda_push(&s->events, (struct mirror_event){ arrival->judged_at, number, true }, err);
}

enum status sieve_end(struct sieve *s, struct sieved *out, struct error *err)
{
    s->out = out;
    while (s->events.count > 0)
        TRY(pass_event(s, agenda_pop(&s->events), err));
    return STATUS_OK;
}

/* --- Life ---------------------------------------------------------------------------- */

enum status sieve_init(struct sieve *s, const struct mirror *m, const struct history *h,
                       unsigned part, unsigned part_count,
                       const atomic_uint_least64_t *gone_before, struct error *err)
{
    *s = (struct sieve){ .mirror = m,
                         .part = part,
                         .part_count = part_count,
                         .oldest = TIMELINE_BEGINNING,
                         .gone_before = gone_before };
    for (size_t i = 0; i < h->initial_count; i++) {
        struct value value = { (enum value_kind)h->initial_kind[i], h->initial_value[i] };
        struct sieve_key *key;

        if (!is_mine(s, h->initial_key[i]))
            continue;
        TRY(find_key(s, h->initial_key[i], &key, err));
        TRY(put_initial(s, key, trace_value(h, value), err));
    }
    return STATUS_OK;
}

void sieve_close(struct sieve *s)
{
    for (size_t i = 0; i < s->keys.count; i++)
        free(s->keys.at[i].readers);
    array_close(&s->events);
    array_close(&s->txns);
    array_close(&s->keys);
    array_close(&s->versions);
    array_close(&s->free_versions);
    array_close(&s->dependencies);
}

/* --- The mirror's turn --------------------------------------------------------------- */

void sieved_clear(struct sieved *out)
{
    out->words.count = out->versions.count = out->readers.count = 0;
    out->next_word = out->next_version = out->next_reader = 0;
}

void sieved_close(struct sieved *out)
{
    array_close(&out->words);
    array_close(&out->versions);
    array_close(&out->readers);
    array_close(&out->places);
}

/* A version as the sieve had it, of a transaction that the mirror may still have. */
static enum status take_version(struct mirror *m, uint32_t key, const struct sieve_version *given,
                                uint32_t *place, struct error *err)
{
    struct version version = given->version;
    struct live *live = NULL;

    if (version.txn != UINT64_MAX && mirror_is_live(m, version.txn))
        live = mirror_live(m, version.txn);
    version.point = live ? live->point : MIRROR_NONE;
    version.view = live ? live->view : MIRROR_NONE;
    version.certified = live ? live->certified : MIRROR_NONE;
    version.is_linked = true;
    TRY(key_put(m, key, &version, NULL, place, err));
    if (live)
        live->accesses[given->access].version = *place;
    return STATUS_OK;
}

static enum status take_key(struct mirror *m, struct sieved *in, uint64_t word, uint32_t key,
                            struct error *err)
{
    uint32_t version_count = (uint32_t)word >> 2, reader_count = (uint32_t)(word >> 32);

    in->places.count = 0;
    TRY(array_reserve(&in->places, version_count, err));
    TRY(key_empty(m, key, err));
    for (; in->places.count < version_count; in->places.count++)
        TRY(take_version(m, key, &in->versions.at[in->next_version++],
                         &in->places.at[in->places.count], err));
    for (uint32_t i = 0; i < reader_count; i++) {
        struct reader reader = in->readers.at[in->next_reader++];

        reader.version = in->places.at[reader.version];
        if (mirror_is_live(m, reader.txn))
            TRY(key_add_reader(m, &m->keys.at[key].readers, reader, err));
    }
    return STATUS_OK;
}

static enum status take_dependency(struct mirror *m, const struct live *live, uint64_t word,
                                   uint32_t key, struct error *err)
{
    static const enum order_reason reasons[] = { [IT_WAS_READ] = ORDER_READ,
                                                 [IT_MISSED_THIS] = ORDER_OVERWRITTEN,
                                                 [IT_CAME_BEFORE] = ORDER_INSTALLED,
                                                 [THIS_MISSED_IT] = ORDER_OVERWRITTEN };
    enum sieved_edge kind = (enum sieved_edge)(word & 3);
    uint64_t other = word >> 2;
    uint32_t it;

    if (!mirror_is_live(m, other))
        return STATUS_OK;
    it = mirror_live(m, other)->certified;
    return kind == THIS_MISSED_IT
               ? certifier_depend(m, live->certified, it, reasons[kind], key, err)
               : certifier_depend(m, it, live->certified, reasons[kind], key, err);
}

enum status sieved_access(struct mirror *m, const struct live *live, uint32_t access,
                          bool *is_settled, struct error *err)
{
    uint32_t key = live->accesses[access].key;
    struct sieved *in = &m->sieved->parts[key % m->sieved->part_count];
    uint64_t word = in->words.at[in->next_word++];

    if ((word & 3) == WORD_GIVE) {
        TRY(take_key(m, in, word, key, err));
        word = in->words.at[in->next_word++];
    }
    *is_settled = (word & 3) == WORD_SETTLED;
    for (uint64_t count = *is_settled ? word >> 2 : 0; count > 0; count--)
        TRY(take_dependency(m, live, in->words.at[in->next_word++], key, err));
    return STATUS_OK;
}
