/*
 * Valid at a model: the order has all that the model wants in one, and no anti-dependency
 * leads from a reader to whom it had seen. docs/format-witness.md, "Models".
 *
 *     R --rw x--> X ... --> R        X is in R's past, and R missed what X wrote of x
 *
 * Only who stands before the reader in the order can be in its past, since all other edges
 * lead forward: so the past is searched back to the first one that wrote behind what was read.
 * A budget ends it where that is too much.
 */
#include "verify/valid/views_private.h"

#include <inttypes.h>

#include "verify/lookup_private.h"
#include "verify/values/inferred.h"
#include "verify/values/sources.h"
#include "verify/verify_private.h"
#include "verify/versions/versions.h"

/* A version that somebody in the past left of a key. */
struct sighting {
    uint32_t version, next; /* the next of the same key, plus one */
};

struct views {
    struct verifier *v;
    followers_function *first_follower;
    void *context;
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

bool views_decide(enum level level)
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

static enum status check_reader(struct views *s, uint32_t txn, unsigned past, struct error *err)
{
    const struct history *h = s->v->h;
    uint32_t begin = h->txn_op[txn], end = h->txn_op[txn + 1];

    s->today++;
    s->reader = txn;
    s->sightings.count = 0;
    s->floor = NO_PLACE;
    for (uint32_t op = begin; op < end; op++)
        if (op_is_read(h->op_kind[op]) && inferred_read(s->v, txn, op) != VERSION_UNKNOWN) {
            uint32_t place =
                s->first_follower(s->context, h->op_key[op], inferred_read(s->v, txn, op), txn);

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
    uint32_t *last;

    TRY(verify_memory(v, (void **)&s->before, h->txn_count, sizeof *s->before, err));
    TRY(verify_memory(v, (void **)&s->visited, h->txn_count, sizeof *s->visited, err));
    TRY(verify_memory(v, (void **)&s->key_date, h->key_count, sizeof *s->key_date, err));
    TRY(verify_memory(v, (void **)&s->head, h->key_count, sizeof *s->head, err));
    TRY(verify_memory(v, (void **)&last, h->session_count, sizeof *last, err));
    for (size_t i = 0; i < h->session_count; i++)
        last[i] = NO_TXN;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        s->before[t] = last[h->txn_session[t]];
        if (h->txn_status[t] == TXN_OK)
            last[h->txn_session[t]] = t;
    }
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            TRY(v->w->level == LEVEL_CURSOR_STABILITY
                    ? check_cursors(s, t, err)
                    : check_reader(s, t, past_of(v->w->level), err));
    return STATUS_OK;
}

enum status verify_views(struct verifier *v, followers_function *first_follower, void *context,
                         struct error *err)
{
    struct views s = { .v = v, .first_follower = first_follower, .context = context };
    enum status status = check_all(&s, err);

    array_close(&s.sightings);
    array_close(&s.open);
    return status;
}
