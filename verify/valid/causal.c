/*
 * One walk along the order for each session: how far of it is before each transaction is a
 * number, and the versions that it left of a key stand by that number in a list.
 *
 *     session A: T1 T4 T6      of x: T1's at spot 2, T6's at spot 5
 *     T9 read from T5, who has T4 behind it: bound 2; of x it must not have read spot 1
 */
#include "verify/valid/causal_private.h"

#include <inttypes.h>

#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/lookup_private.h"

#define NO_TXN UINT32_MAX

/* A version that was read, or the initial one: spot 0. */
struct read {
    uint32_t key, spot;
};

/* A version that a session left: by whom of it, counted from 1. */
struct left_version {
    uint32_t key, number, spot;
    uint32_t before; /* the one before it of its key, plus 1 */
};

struct causal {
    struct verifier *v;
    uint32_t count, *txn_at; /* by place */
    ARRAY(struct read) reads;
    uint32_t *read_start; /* by transaction, and one more */
    uint32_t *before;     /* by transaction: the one of its session that is over before it */
    uint32_t *bound;      /* by transaction: how much of the session leads to it, with itself */
    uint32_t *number;     /* by transaction: in the session at hand, from 1; else 0 */
    ARRAY(struct left_version) left;
    uint32_t *last; /* by key: in `left`, plus 1 */
};

/* --- Reads ------------------------------------------------------------------- */

static enum status note_read(struct causal *s, uint32_t txn, uint32_t op, uint32_t key,
                             struct error *err)
{
    struct verifier *v = s->v;
    struct sight sight;
    struct read read = { .key = key };

    if (lookup_own(v, txn, op, key) != HISTORY_NONE)
        return STATUS_OK;
    sight = answer_sight(v, txn, op, key);
    if (sight.kind != SIGHT_SPOT || sight.is_vague)
        return verify_refuse(v, err, "transaction %" PRId64 ": nothing says what was read, of %.*s",
                             v->h->txn_id[txn], TEXT_PRINT(history_key(v->h, key)));
    if (chain_length(v, key) == 0)
        return STATUS_OK;
    if (sight.spot > 0 && v->place[chain_txn_at(v, key, sight.spot)] >= v->place[txn])
        return verify_refuse(v, err,
                             "transaction %" PRId64 " should come before %" PRId64
                             ": the other read its version of %.*s",
                             v->h->txn_id[chain_txn_at(v, key, sight.spot)], v->h->txn_id[txn],
                             TEXT_PRINT(history_key(v->h, key)));
    read.spot = sight.spot;
    return array_push(&s->reads, read, err);
}

static enum status note_table(struct causal *s, uint32_t txn, uint32_t head, struct error *err)
{
    struct verifier *v = s->v;
    uint32_t table = v->h->statement_table[v->h->op_key[head]];

    for (uint64_t i = v->table_start[table]; i < v->table_start[table + 1]; i++)
        TRY(note_read(s, txn, head, v->table_key[i], err));
    return STATUS_OK;
}

static enum status note_reads(struct causal *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    TRY(verify_memory(v, (void **)&s->read_start, h->txn_count + 1, sizeof *s->read_start, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (answer_is_judged(v, t, op)) {
                answer_prepare(v, op);
                TRY(op_is_head(h->op_kind[op]) ? note_table(s, t, op, err)
                                               : note_read(s, t, op, h->op_key[op], err));
            }
        if (s->reads.count > UINT32_MAX)
            return error_set(err, STATUS_OVER_LIMIT, "%zu reads are too many", s->reads.count);
        s->read_start[t + 1] = (uint32_t)s->reads.count;
    }
    return STATUS_OK;
}

/* --- One session ------------------------------------------------------------- */

/* What a transaction of the session left, if it did not overwrite it itself. */
static enum status leave(struct causal *s, uint32_t txn, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];
        struct left_version left = { key, s->number[txn], v->spot[op], 0 };

        if (!history_makes_version(h, op) || v->spot[op] == 0)
            continue;
        left.before = s->last[key];
        TRY(array_push(&s->left, left, err));
        s->last[key] = (uint32_t)s->left.count;
    }
    return STATUS_OK;
}

/* Whether so much of the session left a later version. Along a session spots of a key rise. */
static bool is_missed(const struct causal *s, const struct read *read, uint32_t bound)
{
    uint32_t i = s->last[read->key];

    while (i > 0 && s->left.at[i - 1].spot > read->spot && s->left.at[i - 1].number > bound)
        i = s->left.at[i - 1].before;
    return i > 0 && s->left.at[i - 1].spot > read->spot;
}

static uint32_t bound_of(const struct causal *s, uint32_t txn)
{
    const struct verifier *v = s->v;
    uint32_t bound = s->before[txn] == NO_TXN ? 0 : s->bound[s->before[txn]];

    for (uint32_t i = s->read_start[txn]; i < s->read_start[txn + 1]; i++) {
        const struct read *read = &s->reads.at[i];
        uint32_t writer = read->spot > 0 ? chain_txn_at(v, read->key, read->spot) : NO_TXN;

        if (writer != NO_TXN && s->bound[writer] > bound)
            bound = s->bound[writer];
    }
    return bound;
}

/* Along the order: all that leads to a transaction has its bound already. */
static enum status walk_order(struct causal *s, struct error *err)
{
    struct verifier *v = s->v;

    for (uint32_t place = 0; place < s->count; place++) {
        uint32_t txn = s->txn_at[place], bound = bound_of(s, txn);

        s->bound[txn] = s->number[txn] > 0 ? s->number[txn] : bound;
        for (uint32_t i = s->read_start[txn]; bound > 0 && i < s->read_start[txn + 1]; i++) {
            const struct read *read = &s->reads.at[i];

            if (is_missed(s, read, bound))
                return verify_refuse(v, err,
                                     "transaction %" PRId64
                                     " read %.*s of one who comes before what it depends on",
                                     v->h->txn_id[txn], TEXT_PRINT(history_key(v->h, read->key)));
        }
    }
    return STATUS_OK;
}

static enum status check_session(struct causal *s, const uint32_t *members, uint32_t count,
                                 struct error *err)
{
    s->left.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        s->number[members[i]] = i + 1;
        TRY(leave(s, members[i], err));
    }
    if (s->left.count > 0)
        TRY(walk_order(s, err));
    for (uint32_t i = 0; i < count; i++)
        s->number[members[i]] = 0;
    for (size_t i = 0; i < s->left.count; i++)
        s->last[s->left.at[i].key] = 0;
    return STATUS_OK;
}

/* --- All sessions ------------------------------------------------------------ */

/* Those that are over, by session; one of unknown outcome is before none of its session. */
static enum status check_sessions(struct causal *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;
    uint32_t *start, *member, *next;

    TRY(verify_memory(v, (void **)&start, h->session_count + 1, sizeof *start, err));
    TRY(verify_memory(v, (void **)&next, h->session_count + 1, sizeof *next, err));
    TRY(verify_memory(v, (void **)&member, h->txn_count, sizeof *member, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        start[h->txn_session[t] + 1] += h->txn_status[t] == TXN_OK;
    for (size_t i = 0; i < h->session_count; i++)
        next[i + 1] = start[i + 1] += start[i];
    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t session = h->txn_session[t];

        s->before[t] = next[session] > start[session] ? member[next[session] - 1] : NO_TXN;
        if (h->txn_status[t] == TXN_OK)
            member[next[session]++] = t;
    }
    for (size_t i = 0; i < h->session_count; i++)
        TRY(check_session(s, member + start[i], start[i + 1] - start[i], err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (v->counting[t] == COUNTS && h->txn_status[t] != TXN_OK)
            TRY(check_session(s, &t, 1, err));
    return STATUS_OK;
}

static enum status check_causal(struct causal *s, struct error *err)
{
    struct verifier *v = s->v;
    const struct history *h = v->h;

    s->count = (uint32_t)v->w->order.count;
    TRY(verify_memory(v, (void **)&s->txn_at, s->count, sizeof *s->txn_at, err));
    TRY(verify_memory(v, (void **)&s->before, h->txn_count, sizeof *s->before, err));
    TRY(verify_memory(v, (void **)&s->bound, h->txn_count, sizeof *s->bound, err));
    TRY(verify_memory(v, (void **)&s->number, h->txn_count, sizeof *s->number, err));
    TRY(verify_memory(v, (void **)&s->last, h->key_count, sizeof *s->last, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (v->place[t] != NO_PLACE)
            s->txn_at[v->place[t]] = t;
    TRY(note_reads(s, err));
    return check_sessions(s, err);
}

enum status verify_causal(struct verifier *v, struct error *err)
{
    struct causal s = { .v = v };
    enum status status = check_causal(&s, err);

    array_close(&s.reads);
    array_close(&s.left);
    return status;
}
