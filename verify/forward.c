/*
 * Valid by what values alone tell: every read is of a version, and the edges between those
 * who wrote and read them lead forward in the order of the witness.
 * docs/format-witness.md, "Inferred orders".
 *
 *     v -> w    directly: the next element of the longest list; read and then written; by
 *               session; by time
 *
 * The writer of v comes before that of w, which is asked at once; and whoever read v comes
 * not after the writer of w: of those the earliest three are kept for each v, so that there is
 * one that is neither the reader nor who wrote v.
 */
#include "verify/forward.h"

#include <inttypes.h>
#include <stdlib.h>

#include "verify/views.h"

#define NEXT_MAX 3

/* The earliest writers of what follows a version, by place, each once. */
struct followers {
    uint32_t count, txn[NEXT_MAX];
};

struct forward {
    struct verifier *v;
    struct followers *next; /* by version; initial ones by key behind all others */
    struct access *firsts, *seconds;
    bool has_anti; /* who overwrote comes not before who read */
};

/* Somebody had to do with a version, at this moment. */
struct access {
    int64_t moment;
    uint32_t session, version;
};

static enum status refuse(const struct forward *f, uint32_t a, uint32_t b, const char *why,
                          uint32_t key, struct error *err)
{
    const struct history *h = f->v->h;

    return verify_refuse(f->v, err,
                         "transaction %" PRId64 " should come before %" PRId64 ": %s %.*s",
                         h->txn_id[a], h->txn_id[b], why, TEXT_PRINT(history_key(h, key)));
}

static uint32_t writer_of(const struct forward *f, uint32_t version)
{
    return history_txn_of(f->v->h, version);
}

static struct followers *followers_of(const struct forward *f, uint32_t key, uint32_t version)
{
    return &f->next[version == VERSION_INITIAL ? f->v->h->op_count + key : version];
}

static void add_follower(const struct forward *f, struct followers *next, uint32_t txn)
{
    const uint32_t *place = f->v->place;
    uint32_t at = next->count;

    for (uint32_t i = 0; i < next->count; i++)
        if (next->txn[i] == txn)
            return;
    if (at == NEXT_MAX && place[next->txn[--at]] < place[txn])
        return;
    next->count = at + 1;
    for (; at > 0 && place[next->txn[at - 1]] > place[txn]; at--)
        next->txn[at] = next->txn[at - 1];
    next->txn[at] = txn;
}

/* --- Reads ------------------------------------------------------------------- */

static enum status refuse_answer(const struct forward *f, uint32_t txn, uint32_t op,
                                 const char *why, struct error *err)
{
    const struct history *h = f->v->h;

    return verify_refuse(f->v, err, "transaction %" PRId64 ": %s %.*s", h->txn_id[txn], why,
                         TEXT_PRINT(history_key(h, h->op_key[op])));
}

/* A list begins as the longest does, and ends with all that somebody appended. */
static bool is_right_list(const struct verifier *v, const struct reading *r)
{
    struct value value = value_plain(v->h, history_value(v->h, r->op));
    uint64_t from = 0, count = 0;

    if (value.kind == VALUE_LIST) {
        from = v->h->list_start[value.bits];
        count = v->h->list_start[value.bits + 1] - from;
    }
    return r->kind == READING_OF_OTHERS && r->element_op == r->version &&
           inferred_begins(v, r->key, v->h->list_element + from, count);
}

static enum status check_answer(struct forward *f, uint32_t txn, uint32_t op, struct error *err)
{
    struct verifier *v = f->v;
    uint32_t key = v->h->op_key[op], own = own_version(v, key), version;
    struct reading reading = { 0 };

    TRY(sources_read(v, txn, op, &reading, err));
    if (own != HISTORY_NONE && !v->judges_own)
        return reading.kind == READING_WRONG && reading.elsewhere == ELSEWHERE_NONE
                   ? refuse_answer(f, txn, op, "nobody can have read that of", err)
                   : STATUS_OK;
    if (reading.is_plain)
        return is_right_list(v, &reading)
                   ? STATUS_OK
                   : refuse_answer(f, txn, op, "that is no list at any time, of", err);
    if (reading.kind == READING_WRONG)
        return refuse_answer(f, txn, op, "nobody can have read that of", err);
    if (own != HISTORY_NONE)
        return STATUS_OK;
    if (!source_is_only(v, &reading, &version))
        return refuse_answer(f, txn, op, "nothing says what was read, of", err);
    return STATUS_OK;
}

/* Two reads of one version, with no write between them. */
static enum status check_repetition(struct forward *f, uint32_t txn, uint32_t op, struct error *err)
{
    struct verifier *v = f->v;
    uint32_t key = v->h->op_key[op];

    if (own_version(v, key) != HISTORY_NONE || source_is_plain(v, key))
        return STATUS_OK;
    if (v->row_date[key] == v->row_now && v->row_op[key] != inferred_read(v, txn, op))
        return refuse_answer(f, txn, op, "two reads are of different versions of", err);
    v->row_date[key] = v->row_now;
    v->row_op[key] = inferred_read(v, txn, op);
    return STATUS_OK;
}

static enum status check_answers(struct forward *f, struct error *err)
{
    struct verifier *v = f->v;
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        own_begin(v);
        v->row_now++;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (op_reads_value(v, t, op)) {
                TRY(check_answer(f, t, op, err));
                if (v->repeats_reads)
                    TRY(check_repetition(f, t, op, err));
            }
            own_pass(v, op);
        }
    }
    return STATUS_OK;
}

/* --- Lists ------------------------------------------------------------------- */

static enum status check_pair(struct forward *f, uint32_t a, uint32_t b, uint32_t key,
                              struct error *err)
{
    if (a == b || f->v->place[a] < f->v->seen[b])
        return STATUS_OK;
    return refuse(f, a, b, "it wrote the version before of", key, err);
}

/* Those that nobody read stand behind all that were read. */
static void follow_unread(struct forward *f)
{
    const struct verifier *v = f->v;
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; v->place[t] != NO_PLACE && op < h->txn_op[t + 1]; op++)
            if (h->op_kind[op] == OP_APPEND && history_makes_version(h, op) &&
                source_is_plain(v, h->op_key[op]) &&
                inferred_position(v, source_version(v, t, h->op_key[op])) == 0)
                add_follower(f, followers_of(f, h->op_key[op], VERSION_INITIAL), t);
}

/* From the last element of the longest list to the first, and what stands behind them all. */
static enum status check_list(struct forward *f, uint32_t key, struct error *err)
{
    struct verifier *v = f->v;
    struct followers behind = *followers_of(f, key, VERSION_INITIAL);
    uint32_t later = HISTORY_NONE; /* the element after */
    size_t count;
    const uint32_t *elements = inferred_elements(v, key, &count);

    for (size_t i = count; i-- > 0;) {
        uint32_t op = elements[i];

        if (op == HISTORY_NONE) /* an initial element, or of one who did not commit */
            continue;
        if (v->place[writer_of(f, op)] == NO_PLACE)
            return verify_refuse(v, err, "who appended what was read of %.*s is not in the order",
                                 TEXT_PRINT(history_key(v->h, key)));
        if (later != HISTORY_NONE)
            TRY(check_pair(f, writer_of(f, op), writer_of(f, later), key, err));
        else
            for (uint32_t j = 0; j < behind.count; j++)
                TRY(check_pair(f, writer_of(f, op), behind.txn[j], key, err));
        *followers_of(f, key, op) = behind;
        add_follower(f, &behind, writer_of(f, op));
        later = op;
    }
    *followers_of(f, key, VERSION_INITIAL) = behind;
    return STATUS_OK;
}

/* --- Sessions and times ------------------------------------------------------- */

static int compare_accesses(const void *a, const void *b)
{
    const struct access *x = a, *y = b;

    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    if (x->moment != y->moment)
        return x->moment < y->moment ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

/* Which of those who had to do with a version are asked. */
struct asked {
    bool first_writes, second_writes; /* alone */
};

/* One who had to do with a version, as one that may be over, or one that may begin behind. */
static void take_access(struct forward *f, struct asked asked, const struct touch *touch,
                        uint32_t version, size_t *first_count, size_t *second_count)
{
    const struct verifier *v = f->v;
    const struct history *h = v->h;
    bool by_time = v->closing == CLOSED_BY_TIME, is_write = touch->is_write;
    uint32_t txn = touch->txn;
    struct access access = { txn, by_time ? 0 : h->txn_session[txn], version };
    int64_t end = by_time ? h->txn_completed[txn] : txn;

    if (by_time)
        access.moment = h->txn_invoked[txn];
    if ((!asked.second_writes || is_write) && access.moment != TIME_ABSENT)
        f->seconds[(*second_count)++] = access;
    access.moment = end;
    if (h->txn_status[txn] == TXN_OK && (!asked.first_writes || is_write) && end != TIME_ABSENT &&
        end != TIME_NEVER)
        f->firsts[(*first_count)++] = access;
}

static void take_version(struct forward *f, struct asked asked, uint32_t key, uint32_t version,
                         size_t *first_count, size_t *second_count)
{
    struct touches touches = inferred_touches(f->v, key, version);

    for (size_t i = 0; i < touches.count; i++)
        if (f->v->place[touches.at[i].txn] != NO_PLACE)
            take_access(f, asked, &touches.at[i], version, first_count, second_count);
}

/* The two last versions of those that are over, by their writers' places. */
struct past {
    uint32_t count, version[2];
};

static int64_t rank_of(const struct forward *f, uint32_t version)
{
    return version == VERSION_INITIAL ? -1 : (int64_t)f->v->place[writer_of(f, version)];
}

static void add_past(const struct forward *f, struct past *past, uint32_t version)
{
    for (uint32_t i = 0; i < past->count; i++)
        if (past->version[i] == version)
            return;
    if (past->count < 2)
        past->version[past->count++] = version;
    else if (rank_of(f, version) > rank_of(f, past->version[1]))
        past->version[1] = version;
    if (past->count == 2 && rank_of(f, past->version[1]) > rank_of(f, past->version[0])) {
        version = past->version[0];
        past->version[0] = past->version[1];
        past->version[1] = version;
    }
}

static enum status check_past(struct forward *f, uint32_t key, const struct past *past,
                              uint32_t version, struct error *err)
{
    for (uint32_t i = 0; i < past->count; i++) {
        if (past->version[i] == version || past->version[i] == VERSION_INITIAL)
            continue;
        if (version == VERSION_INITIAL)
            return verify_refuse(f->v, err, "the initial version of %.*s was there after another",
                                 TEXT_PRINT(history_key(f->v->h, key)));
        return check_pair(f, writer_of(f, past->version[i]), writer_of(f, version), key, err);
    }
    return STATUS_OK;
}

/* Each second has all firsts of its session behind it that were over before it. */
static enum status sweep(struct forward *f, uint32_t key, size_t first_count, size_t second_count,
                         struct error *err)
{
    struct past past = { 0 };
    struct followers behind = { 0 };
    size_t i = 0;

    for (size_t j = 0; j < second_count; j++) {
        const struct access *second = &f->seconds[j];

        if (j > 0 && second->session != f->seconds[j - 1].session)
            past.count = 0;
        for (; i < first_count &&
               (f->firsts[i].session < second->session ||
                (f->firsts[i].session == second->session && f->firsts[i].moment < second->moment));
             i++)
            if (f->firsts[i].session == second->session)
                add_past(f, &past, f->firsts[i].version);
        TRY(check_past(f, key, &past, second->version, err));
    }
    for (size_t first = first_count, j = second_count; first-- > 0;) {
        const struct access *a = &f->firsts[first];
        struct followers *next = followers_of(f, key, a->version);

        if (first + 1 < first_count && a->session != f->firsts[first + 1].session)
            behind.count = 0;
        for (; j > 0 &&
               (f->seconds[j - 1].session > a->session ||
                (f->seconds[j - 1].session == a->session && f->seconds[j - 1].moment > a->moment));
             j--)
            if (f->seconds[j - 1].session == a->session &&
                f->seconds[j - 1].version != VERSION_INITIAL)
                add_follower(f, &behind, writer_of(f, f->seconds[j - 1].version));
        for (uint32_t k = 0; k < behind.count; k++)
            if (a->version == VERSION_INITIAL || behind.txn[k] != writer_of(f, a->version))
                add_follower(f, next, behind.txn[k]);
    }
    return STATUS_OK;
}

/* --- Registers --------------------------------------------------------------- */

static enum status check_accesses(struct forward *f, struct asked asked, uint32_t key,
                                  struct error *err)
{
    size_t first_count = 0, second_count = 0;

    for (uint32_t spot = 0; spot <= chain_length(f->v, key); spot++)
        take_version(f, asked, key, chain_op_at(f->v, key, spot), &first_count, &second_count);
    qsort(f->firsts, first_count, sizeof *f->firsts, compare_accesses);
    qsort(f->seconds, second_count, sizeof *f->seconds, compare_accesses);
    return sweep(f, key, first_count, second_count, err);
}

static enum status check_register(struct forward *f, uint32_t key, struct error *err)
{
    struct verifier *v = f->v;
    struct followers *initial = followers_of(f, key, VERSION_INITIAL);

    for (uint32_t spot = 1; spot <= chain_length(v, key); spot++)
        add_follower(f, initial, chain_txn_at(v, key, spot));
    if (v->closing == CLOSED_BY_NOTHING ||
        (v->closing == CLOSED_BY_TIME && (!v->h->txn_invoked || !v->h->txn_completed)))
        return STATUS_OK;
    /* There one of the two must have written. */
    if (v->w->level == LEVEL_READ_ATOMIC) {
        TRY(check_accesses(f, (struct asked){ true, false }, key, err));
        return check_accesses(f, (struct asked){ false, true }, key, err);
    }
    return check_accesses(f, (struct asked){ !v->judges_reads, !v->has_rw }, key, err);
}

/* Whoever read a version and then left one of its own is among those who follow it. */
static void follow_updates(struct forward *f)
{
    const struct verifier *v = f->v;
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t key = h->op_key[op];

            if (op_is_read(h->op_kind[op]) && inferred_read(v, t, op) != VERSION_UNKNOWN &&
                !source_is_plain(v, key) && source_version(v, t, key) != HISTORY_NONE)
                add_follower(f, followers_of(f, key, inferred_read(v, t, op)), t);
        }
}

/* --- Whoever read ------------------------------------------------------------ */

static enum status check_reader(struct forward *f, uint32_t key, uint32_t version, uint32_t reader,
                                struct error *err)
{
    const struct verifier *v = f->v;
    const struct followers *next = followers_of(f, key, version);

    if (version != VERSION_INITIAL && writer_of(f, version) != reader &&
        (v->place[writer_of(f, version)] == NO_PLACE ||
         v->place[writer_of(f, version)] >= v->seen[reader]))
        return refuse(f, writer_of(f, version), reader, "the other read its version of", key, err);
    for (uint32_t i = 0; f->has_anti && i < next->count; i++)
        if (next->txn[i] != reader)
            return v->seen[reader] <= v->place[next->txn[i]]
                       ? STATUS_OK
                       : refuse(f, reader, next->txn[i], "the other overwrote what it read of", key,
                                err);
    return STATUS_OK;
}

static uint32_t first_follower(const void *context, uint32_t key, uint32_t version, uint32_t reader)
{
    const struct forward *f = context;
    const struct followers *next = followers_of(f, key, version);

    for (uint32_t i = 0; i < next->count; i++)
        if (next->txn[i] != reader)
            return f->v->place[next->txn[i]];
    return NO_PLACE;
}

static enum status check_readers(struct forward *f, struct error *err)
{
    const struct verifier *v = f->v;
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (op_is_read(h->op_kind[op]) && inferred_read(v, t, op) != VERSION_UNKNOWN)
                TRY(check_reader(f, h->op_key[op], inferred_read(v, t, op), t, err));
    return STATUS_OK;
}

/* No two read one version and then left versions of their own. */
static enum status check_updates(struct forward *f, struct error *err)
{
    struct verifier *v = f->v;
    const struct history *h = v->h;
    uint32_t *updater; /* by version, plus one */

    TRY(memory_get(v, (void **)&updater, h->op_count + h->key_count, sizeof *updater, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t key = h->op_key[op], version, *first;

            if (!op_is_read(h->op_kind[op]))
                continue;
            version = inferred_read(v, t, op);
            if (version == VERSION_UNKNOWN || source_version(v, t, key) == HISTORY_NONE)
                continue;
            first = &updater[version == VERSION_INITIAL ? h->op_count + key : version];
            if (*first != 0 && *first != t + 1)
                return refuse(f, *first - 1, t, "both updated one version of", key, err);
            *first = t + 1;
        }
    return STATUS_OK;
}

enum status verify_forward(struct verifier *v, struct error *err)
{
    /* Some models have an order that leaves out anti-dependencies. */
    bool by_views = v->has_shape && !v->is_snapshot && views_decide(v->w->level);
    struct forward f = { .v = v, .has_anti = v->has_rw && !by_views };
    size_t places = v->h->op_count + v->h->key_count;

    TRY(memory_get(v, (void **)&f.next, places, sizeof *f.next, err));
    TRY(memory_get(v, (void **)&f.firsts, 2 * v->h->op_count, sizeof *f.firsts, err));
    TRY(memory_get(v, (void **)&f.seconds, 2 * v->h->op_count, sizeof *f.seconds, err));
    if (v->judges_reads)
        TRY(check_answers(&f, err));
    follow_unread(&f);
    for (uint32_t key = 0; key < v->h->key_count; key++)
        TRY(source_is_plain(v, key) ? check_list(&f, key, err) : check_register(&f, key, err));
    if (!v->judges_reads)
        return STATUS_OK;
    follow_updates(&f);
    TRY(check_readers(&f, err));
    if (v->forbids_lost_update)
        TRY(check_updates(&f, err));
    return by_views ? verify_views(v, first_follower, &f, err) : STATUS_OK;
}
