/*
 * Verifies an order by what values tell: every read is of a version, versions of a key stand as
 * their writers do in the order of the witness, lists show no other order, and the edges between
 * those who wrote and read them lead forward. docs/format-witness.md, "Valid".
 *
 *     v -> w    the next version of the key, in the order; in a list the next element
 *
 * The writer of v comes before that of w, which is asked at once; and whoever read v comes
 * not after the writer of w: of those the earliest three are kept for each v, so that there is
 * one that is neither the reader nor who wrote v.
 */
#include "verify/valid/forward_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "verify/lookup_private.h"
#include "verify/values/inferred.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

#define NEXT_MAX 3

/* The earliest writers of what follows a version, by place, each once. */
struct followers {
    uint32_t count, txn[NEXT_MAX];
};

struct forward {
    struct verifier *v;
    struct followers *next; /* by version; initial ones by key behind all others */
    bool has_anti;          /* who overwrote comes not before who read */
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
    return r->kind == READING_OF_OTHERS && r->element_op == r->version &&
           inferred_begins(v, r->key, versions_elements(v->h, history_value(v->h, r->op)));
}

static enum status check_answer(struct forward *f, uint32_t txn, uint32_t op, struct error *err)
{
    struct verifier *v = f->v;
    uint32_t key = v->h->op_key[op], own = lookup_own(v, txn, op, key), version;
    struct reading reading = { 0 };

    TRY(sources_read(v, txn, op, &reading, err));
    if (own != HISTORY_NONE && !v->judges_own)
        return source_is_nowhere(v, &reading)
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

    if (lookup_own(v, txn, op, key) != HISTORY_NONE || source_is_plain(v, key))
        return STATUS_OK;
    if (v->read_date[key] == v->read_now && v->read_version[key] != inferred_read(v, txn, op))
        return refuse_answer(f, txn, op, "two reads are of different versions of", err);
    v->read_date[key] = v->read_now;
    v->read_version[key] = inferred_read(v, txn, op);
    return STATUS_OK;
}

static enum status check_answers(struct forward *f, struct error *err)
{
    struct verifier *v = f->v;
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        v->read_now++;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (answer_reads_value(v, t, op)) {
                TRY(check_answer(f, t, op, err));
                if (v->repeats_reads)
                    TRY(check_repetition(f, t, op, err));
            }
        }
    }
    return STATUS_OK;
}

/* --- Lists ------------------------------------------------------------------- */

static enum status check_pair(struct forward *f, uint32_t a, uint32_t b, uint32_t key,
                              struct error *err)
{
    const struct verifier *v = f->v;

    if (a == b || v->place[a] < (v->is_exclusive ? v->seen[b] : v->place[b]))
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
                inferred_position(v, lookup_left(v, t, h->op_key[op])) == 0)
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

/* --- Registers --------------------------------------------------------------- */

static void follow_in_order(struct forward *f, uint32_t key)
{
    const struct verifier *v = f->v;

    for (uint32_t spot = 0; spot < chain_length(v, key); spot++)
        for (uint32_t i = 1; i <= NEXT_MAX && spot + i <= chain_length(v, key); i++)
            add_follower(f, followers_of(f, key, chain_op_at(v, key, spot)),
                         chain_txn_at(v, key, spot + i));
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

/* The place of the first who wrote behind a version, and is not the reader; NO_PLACE if none. */
static uint32_t first_follower(const struct forward *f, uint32_t key, uint32_t version,
                               uint32_t reader)
{
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

    TRY(VERIFY_GET(v, updater, h->op_count + h->key_count, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t key = h->op_key[op], version, own, *first;

            if (!op_is_read(h->op_kind[op]))
                continue;
            version = inferred_read(v, t, op);
            own = lookup_left(v, t, key);
            /* What it read behind its last write it did not update. */
            if (version == VERSION_UNKNOWN || own == HISTORY_NONE || own < op)
                continue;
            first = &updater[version == VERSION_INITIAL ? h->op_count + key : version];
            if (*first != 0 && *first != t + 1)
                return refuse(f, *first - 1, t, "both updated one version of", key, err);
            *first = t + 1;
        }
    return STATUS_OK;
}

/* --- Whether readers missed what they had seen --------------------------------- */

/*
 * At a model the order has all that the model wants in one, and no anti-dependency leads from a
 * reader to whom it had seen. docs/format-witness.md, "Models".
 *
 *     R --rw x--> X ... --> R        X is in R's past, and R missed what X wrote of x
 *
 * Only who stands before the reader in the order can be in its past, since all other edges
 * lead forward: so the past is searched back to the first one that wrote behind what was read.
 * A budget ends it where that is too much.
 */
/* A version that somebody in the past left of a key. */
struct sighting {
    uint32_t version, next; /* the next of the same key, plus one */
};

struct views {
    struct verifier *v;
    const struct forward *f;
    uint32_t *before;             /* by transaction: the one before it in its session, or NO_TXN */
    uint32_t *visited, *key_date; /* by transaction, by key: today's */
    uint32_t *head;               /* by key: its sightings, plus one */
    uint32_t today;
    ARRAY(struct sighting) sightings;
    ARRAY(uint32_t) open;   /* to be gone back from */
    uint32_t reader, floor; /* nobody before this place matters */
};

/* What belongs to the past, a bit each. */
enum past {
    PAST_SESSION = 1,
    PAST_READS = 2,
    PAST_WRITES = 4,      /* whose versions are behind one's own */
    PAST_FAR = 8,         /* and theirs in turn */
    PAST_BY_OP = 16,      /* only what was read by then */
    PAST_BY_EARLIER = 32, /* and by an earlier statement */
};

static unsigned past_of(enum level level)
{
    switch (level) {
    case LEVEL_READ_ATOMIC:
        return PAST_SESSION | PAST_READS;
    case LEVEL_CAUSAL:
        return PAST_SESSION | PAST_READS | PAST_FAR;
    case LEVEL_PARALLEL_SNAPSHOT:
        return PAST_SESSION | PAST_READS | PAST_WRITES | PAST_FAR;
    case LEVEL_UPDATE_ATOMIC:
        return PAST_READS | PAST_WRITES;
    case LEVEL_MONOTONIC_ATOMIC_VIEW:
        return PAST_READS | PAST_BY_OP | PAST_BY_EARLIER;
    case LEVEL_MONOTONIC_VIEW:
    case LEVEL_MONOTONIC_SNAPSHOT_READ:
        return PAST_READS | PAST_WRITES | PAST_FAR | PAST_BY_OP;
    default: /* consistent views */
        return PAST_READS | PAST_WRITES | PAST_FAR;
    }
}

/* Those of which an order without anti-dependencies and this are all. */
static bool views_decide(enum level level)
{
    return level != LEVEL_PREFIX && level != LEVEL_UPDATE_SERIALIZABLE;
}

/* --- The past ---------------------------------------------------------------- */

static enum status see(struct views *s, uint32_t txn, struct error *err)
{
    const struct verifier *v = s->v;
    const struct history *h = v->h;

    if (txn == NO_TXN || txn == s->reader || s->visited[txn] == s->today ||
        v->place[txn] == NO_PLACE || v->place[txn] < s->floor)
        return STATUS_OK;
    s->visited[txn] = s->today;
    TRY(verify_spend(s->v, h->txn_op[txn + 1] - h->txn_op[txn] + 1, err));
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];
        struct sighting sighting = { .version = op };

        if (!history_makes_version(h, op))
            continue;
        if (s->key_date[key] != s->today)
            s->head[key] = 0;
        s->key_date[key] = s->today;
        sighting.next = s->head[key];
        TRY(array_push(&s->sightings, sighting, err));
        s->head[key] = (uint32_t)s->sightings.count;
    }
    return array_push(&s->open, txn, err);
}

static uint32_t writer_or_none(const struct verifier *v, uint32_t version)
{
    return version == VERSION_INITIAL || version == VERSION_UNKNOWN ? NO_TXN
                                                                    : history_txn_of(v->h, version);
}

static uint32_t spot_of(const struct verifier *v, uint32_t version)
{
    return version == VERSION_INITIAL ? 0 : v->spot[version];
}

/* Who left the version before one of its key; or all of those before it. */
static enum status see_before_write(struct views *s, uint32_t op, bool is_far, struct error *err)
{
    const struct verifier *v = s->v;
    uint32_t key = v->h->op_key[op];

    for (uint32_t spot = v->spot[op]; spot > 1; spot--) {
        TRY(verify_spend(s->v, 1, err));
        TRY(see(s, chain_txn_at(v, key, spot - 1), err));
        if (is_far) /* who comes before that one is found from there */
            break;
    }
    return STATUS_OK;
}

/* Axioms are of reads from others: one behind its transaction's own write sees nobody. */
static bool is_external(const struct verifier *v, uint32_t op)
{
    bool is_axiomatic = v->w->level == LEVEL_READ_ATOMIC || v->w->level == LEVEL_CAUSAL;

    return !is_axiomatic || lookup_own_before(v, op) == HISTORY_NONE;
}

/* Those one edge before a transaction, by its operations in a range. */
static enum status see_before(struct views *s, uint32_t txn, uint32_t from, uint32_t to,
                              unsigned past, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    TRY(verify_spend(v, to - from, err));
    for (uint32_t op = from; op < to; op++) {
        if ((past & PAST_READS) && op_is_read(h->op_kind[op]) && is_external(v, op))
            TRY(see(s, writer_or_none(v, inferred_read(v, txn, op)), err));
        if ((past & PAST_WRITES) && history_makes_version(h, op))
            TRY(see_before_write(s, op, past & PAST_FAR, err));
    }
    if (past & PAST_FAR)
        return past & PAST_SESSION ? see(s, s->before[txn], err) : STATUS_OK;
    for (uint32_t t = txn; (past & PAST_SESSION) && s->before[t] != NO_TXN; t = s->before[t])
        TRY(see(s, s->before[t], err));
    return STATUS_OK;
}

static enum status go_back(struct views *s, unsigned past, struct error *err)
{
    const struct history *h = s->v->h;

    while (s->open.count > 0) {
        uint32_t txn = s->open.at[--s->open.count];

        if (past & PAST_FAR)
            TRY(see_before(s, txn, h->txn_op[txn], h->txn_op[txn + 1], past, err));
    }
    return STATUS_OK;
}

/* --- Readers ----------------------------------------------------------------- */

/* Whether somebody seen wrote the key behind what was read. */
static enum status check_read(struct views *s, uint32_t op, struct error *err)
{
    struct verifier *v = s->v;
    uint32_t key = v->h->op_key[op], read = inferred_read(v, s->reader, op);

    if (read == VERSION_UNKNOWN || s->key_date[key] != s->today)
        return STATUS_OK;
    for (uint32_t at = s->head[key]; at != 0; at = s->sightings.at[at - 1].next) {
        uint32_t version = s->sightings.at[at - 1].version;

        TRY(verify_spend(v, 1, err));
        if (spot_of(v, read) < spot_of(v, version))
            return verify_refuse(
                v, err,
                "transaction %" PRId64 " missed what %" PRId64 " wrote of %.*s, whom it had seen",
                v->h->txn_id[s->reader], v->h->txn_id[history_txn_of(v->h, version)],
                TEXT_PRINT(history_key(v->h, key)));
    }
    return STATUS_OK;
}

/* Cursors: between the version that one read and the one that it left, there is no other. */
static enum status check_cursors(struct views *s, uint32_t txn, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op], read = inferred_read(v, txn, op), own;

        if (!op_is_read(h->op_kind[op]) || read == VERSION_UNKNOWN ||
            (own = lookup_left(v, txn, key)) == HISTORY_NONE || own < op)
            continue;
        if (spot_of(v, own) != spot_of(v, read) + 1)
            return verify_refuse(v, err,
                                 "transaction %" PRId64 " updated what had been updated, %.*s",
                                 h->txn_id[txn], TEXT_PRINT(history_key(h, key)));
    }
    return STATUS_OK;
}

/* All that a statement returned, or wrote, it did at once. */
static uint32_t rows_of(const struct history *h, uint32_t op)
{
    return op_is_head(h->op_kind[op]) ? h->statement_row_count[h->op_key[op]] : 0;
}

static enum status check_view(struct views *s, uint32_t txn, unsigned past, struct error *err)
{
    const struct history *h = s->v->h;
    uint32_t begin = h->txn_op[txn], end = h->txn_op[txn + 1];

    s->today++;
    s->reader = txn;
    s->sightings.count = 0;
    s->floor = NO_PLACE;
    for (uint32_t op = begin; op < end; op++)
        if (op_is_read(h->op_kind[op]) && inferred_read(s->v, txn, op) != VERSION_UNKNOWN) {
            uint32_t place = first_follower(s->f, h->op_key[op], inferred_read(s->v, txn, op), txn);

            s->floor = place < s->floor ? place : s->floor;
        }
    if (s->floor >= s->v->place[txn])
        return STATUS_OK;
    if (!(past & PAST_BY_OP)) {
        TRY(see_before(s, txn, begin, end, past, err));
        TRY(go_back(s, past, err));
    }
    for (uint32_t op = begin, next; op < end; op = next) {
        next = op + 1 + rows_of(h, op);
        if ((past & PAST_BY_OP) && !(past & PAST_BY_EARLIER)) {
            TRY(see_before(s, txn, op, next, past, err));
            TRY(go_back(s, past, err));
        }
        for (uint32_t read = op; read < next; read++)
            if (op_is_read(h->op_kind[read]))
                TRY(check_read(s, read, err));
        if (past & PAST_BY_EARLIER) {
            TRY(see_before(s, txn, op, next, past, err));
            TRY(go_back(s, past, err));
        }
    }
    return STATUS_OK;
}

static enum status check_all(struct views *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    TRY(versions_list_before(v, &s->before, err));
    TRY(VERIFY_GET(v, s->visited, h->txn_count, err));
    TRY(VERIFY_GET(v, s->key_date, h->key_count, err));
    TRY(VERIFY_GET(v, s->head, h->key_count, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            TRY(v->w->level == LEVEL_CURSOR_STABILITY
                    ? check_cursors(s, t, err)
                    : check_view(s, t, past_of(v->w->level), err));
    return STATUS_OK;
}

static enum status check_views(const struct forward *f, struct error *err)
{
    struct views s = { .v = f->v, .f = f };
    enum status status = check_all(&s, err);

    array_close(&s.sightings);
    array_close(&s.open);
    return status;
}

enum status verify_forward(struct verifier *v, struct error *err)
{
    /* Some models have an order that leaves out anti-dependencies. */
    bool by_views = v->has_shape && !v->is_snapshot && views_decide(v->w->level);
    struct forward f = { .v = v, .has_anti = v->has_rw && !by_views };
    size_t places = v->h->op_count + v->h->key_count;

    TRY(VERIFY_GET(v, f.next, places, err));
    if (v->judges_reads)
        TRY(check_answers(&f, err));
    follow_unread(&f);
    for (uint32_t key = 0; key < v->h->key_count; key++)
        if (source_is_plain(v, key))
            TRY(check_list(&f, key, err));
        else
            follow_in_order(&f, key);
    if (!v->judges_reads)
        return STATUS_OK;
    TRY(check_readers(&f, err));
    if (v->forbids_lost_update)
        TRY(check_updates(&f, err));
    return by_views ? check_views(&f, err) : STATUS_OK;
}
