/*
 * Consistent read (Leopard, section V-A). Of the versions of a key
 *
 *     w0 |--|                            garbage: w1 surely came after it, before the view
 *     w1      |---|                      the view may see it
 *     w2         |---|                   or this one: nobody knows which was later
 *     w3               |------|          or this one
 *     view               |--|
 *     w4                       |---|     future
 *
 * a read returns one that its view may see. None that has its value: it is wrong whatever
 * the instants were. Just one: then it is that one, every other that surely came before the
 * view came before it, and every one that surely came after it comes after the view.
 */
#include <assert.h>
#include <inttypes.h>

#include "checkers/interval/grounds.h"

static bool may_hide(const struct mirror *m, const struct look *look, const struct version *v)
{
    return version_counts(v) && v->txn != look->txn && look_is_before(m, look, v);
}

const struct version *look_find_hiding(const struct mirror *m, const struct look *look,
                                       struct look_before *before, const struct version *hidden)
{
    int64_t from = version_installed(m, hidden).low;

    for (uint32_t i = 0; i < before->count; i++) {
        const struct version *v = &m->versions.at[before->versions[i]];

        if (v != hidden && version_precedes(m, hidden, v))
            return v;
    }
    while (before->next != MIRROR_NONE) {
        uint32_t at = before->next;
        const struct version *v = &m->versions.at[at];

        before->next = v->older;
        if (may_hide(m, look, v)) {
            assert(before->count < VERSIONS_LOOKED_AT);
            before->versions[before->count++] = at;
            if (v != hidden && version_precedes(m, hidden, v))
                return v;
        }
        if (version_older(m, v, from) == MIRROR_NONE)
            break;
    }
    return NULL;
}

struct candidates {
    uint32_t match; /* the last that was found */
    size_t match_count;
};

/* Those from before one that the view surely sees need not be looked at. */
static struct candidates find_candidates(const struct mirror *m, const struct look *look)
{
    struct candidates found = { .match = MIRROR_NONE };
    uint32_t next = m->keys.at[look->key].newest;
    int64_t hidden_before = TIMELINE_BEGINNING;
    struct look_before before;

    look_before_init(&before, m, look);
    for (; next != MIRROR_NONE; next = version_older(m, &m->versions.at[next], hidden_before)) {
        const struct version *v = &m->versions.at[next];
        struct times installed = version_installed(m, v);

        if (installed.high < look->view.low && installed.low > hidden_before &&
            version_counts(v) && v->txn != look->txn && !m->profile.reads_any)
            hidden_before = installed.low;
        if (v->value != look->access->value || !look_may_see(m, look, &before, v))
            continue;
        found.match = next;
        found.match_count++;
    }
    return found;
}

/* --- What follows ------------------------------------------------------------------------------ */

/* Whoever wrote that too was the first of the two, where one of them had to be. */
static enum status missed(struct mirror *m, const struct look *look, const struct version *w,
                          struct error *err)
{
    uint32_t key = look->key;

    TRY(certifier_missed(m, look->live, w, key, err));
    TRY(mirror_order(m, look->point, w->point, ORDER_OVERWRITTEN, key, MECHANISM_READ, err));
    if (!profile_first_wins(&m->profile) || !look->access->is_updated)
        return STATUS_OK;
    return mirror_order(m, look->live->point, w->view, ORDER_FIRST_WINS, key,
                        update_mechanism(m), err);
}

static enum status deduce_others(struct mirror *m, const struct look *look, uint32_t match,
                                 struct error *err)
{
    uint32_t next = m->keys.at[look->key].newest, key = look->key;
    int64_t from = version_installed(m, &m->versions.at[match]).low;

    for (; next != MIRROR_NONE; next = version_older(m, &m->versions.at[next], from)) {
        const struct version *v = &m->versions.at[match], *w = &m->versions.at[next];

        if (next == match || !version_counts(w) || w->txn == look->txn)
            continue;
        if (version_precedes(m, v, w)) {
            grounds_overwrites(m, look, match, next);
            TRY(missed(m, look, w, err));
        } else if (look_is_before(m, look, w) && !version_precedes(m, w, v)) {
            grounds_installed(m, look, next);
            TRY(certifier_depend(m, w->certified, v->certified, ORDER_INSTALLED, key, err));
            TRY(mirror_order(m, w->point, v->point, ORDER_INSTALLED, key, MECHANISM_READ, err));
        }
    }
    return STATUS_OK;
}

static void confirm(struct mirror *m, const struct look *look, struct version *v)
{
    int64_t by = look->live->commit.high;

    v->state = VERSION_COMMITTED;
    grounds_confirm(m, look, v);
    if (m->profile.timing != TIMING_NONE && v->installed.high > by)
        v->installed.high = by;
}

/* What else the transaction left behind was committed with it. */
void look_confirm(struct mirror *m, const struct look *look, struct version *v)
{
    int64_t by = look->live->commit.high;
    uint64_t txn = v->txn;
    struct live *writer;

    confirm(m, look, v);
    if (!mirror_is_live(m, txn))
        return;
    writer = mirror_live(m, txn);
    for (uint32_t i = 0; i < writer->access_count; i++) {
        const struct access *a = &writer->accesses[i];
        struct version *w;

        if (a->kind != TRACE_WRITE || a->version == MIRROR_NONE)
            continue;
        w = &m->versions.at[a->version]; /* or another's, if it has gone */
        if (w->txn == txn && w->state == VERSION_PERHAPS)
            confirm(m, look, w);
    }
    if (m->profile.timing != TIMING_NONE && writer->commit.high > by)
        writer->commit.high = writer->at.high = by;
}

static enum status deduce(struct mirror *m, const struct look *look, uint32_t access,
                          uint32_t match, struct error *err)
{
    uint32_t key = look->key;
    struct version *v = &m->versions.at[match];
    struct reader reader = { look->txn, match, access };

    TRY(dependency_of_read(m, look, access, match, err));
    grounds_reads(m, look, match, GROUND_READS);
    if (v->state == VERSION_PERHAPS)
        look_confirm(m, look, v);
    TRY(certifier_depend(m, v->certified, look->live->certified, ORDER_READ, key, err));
    TRY(mirror_order(m, v->point, look->point, ORDER_READ, key, MECHANISM_READ, err));
    if (m->profile.view != VIEW_COMMIT && look->access->is_updated)
        TRY(mirror_order(m, v->point, look->live->point, ORDER_INSTALLED, key, MECHANISM_READ,
                         err));
    if (m->profile.reads_any)
        return STATUS_OK;
    TRY(deduce_others(m, look, match, err));
    return look_times_imply_the_rest(m) ? STATUS_OK
                                        : key_add_reader(m, &m->keys.at[key].readers, reader, err);
}

enum status read_judge(struct mirror *m, struct live *live, uint32_t access, struct error *err)
{
    struct look look = look_of(m, live, access, live->accesses[access].key);
    struct candidates found = find_candidates(m, &look);

    if (gap_reaches(m, look.key, look.view)) {
        m->counts.gapped++;
        m->counts.excused += found.match_count == 0;
        return STATUS_OK;
    }
    if (found.match_count == 0) {
        read_accuse(m, &look);
        return STATUS_OK;
    }
    if (found.match_count == 1)
        return deduce(m, &look, access, found.match, err);
    dependency_of_unclear_read(m, &look);
    return STATUS_OK;
}

/* Those that come before one which the certifier has linked are before it there as well. */
static enum status link_version(struct mirror *m, uint32_t key, uint32_t version,
                                struct error *err)
{
    int64_t linked_before = TIMELINE_BEGINNING;

    for (uint32_t next = m->keys.at[key].newest; next != MIRROR_NONE;
         next = version_older(m, &m->versions.at[next], linked_before)) {
        const struct version *v = &m->versions.at[next], *w = &m->versions.at[version];

        if (next == version || !version_counts(v) || !version_precedes(m, v, w))
            continue;
        grounds_precedes(m, key, v, w);
        TRY(certifier_depend(m, v->certified, w->certified, ORDER_INSTALLED, key, err));
        if (m->profile.timing != TIMING_FULL)
            TRY(mirror_order(m, v->point, w->point, ORDER_INSTALLED, key, MECHANISM_READ, err));
        if (v->is_linked && v->came > linked_before)
            linked_before = v->came;
    }
    m->versions.at[version].is_linked = true;
    return STATUS_OK;
}

enum status read_installed(struct mirror *m, uint32_t key, uint32_t version, struct error *err)
{
    if (look_times_imply_the_rest(m))
        return STATUS_OK;
    for (size_t i = 0; i < m->keys.at[key].readers.count; i++) {
        struct reader reader = m->keys.at[key].readers.at[i];
        const struct version *w = &m->versions.at[version];
        const struct live *live;
        struct look look;

        if (!mirror_is_live(m, reader.txn) || reader.txn == w->txn)
            continue;
        live = mirror_live(m, reader.txn);
        if (live->accesses[reader.access].kind == TRACE_QUERY) {
            TRY(seek_overtaken(m, &reader, key, version, err));
            continue;
        }
        look = look_of(m, live, reader.access, key);
        if (!version_precedes(m, &m->versions.at[reader.version], w))
            continue;
        grounds_overwrites(m, &look, reader.version, version);
        TRY(missed(m, &look, w, err));
    }
    return link_version(m, key, version, err);
}
