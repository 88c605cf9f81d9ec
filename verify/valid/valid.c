/*
 * Verifies a valid verdict: the witness puts the transactions that count in an order, and the
 * order explains every answer.
 */
#include "verify/valid/valid.h"

#include <inttypes.h>
#include <stdlib.h>

#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/valid/forward_private.h"
#include "verify/valid/saturated_private.h"
#include "verify/values/inferred.h"
#include "verify/values/sources.h"
#include "verify/values/workload.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"

/* --- Places ------------------------------------------------------------------ */

static enum status give_place(struct verifier *v, uint32_t place, struct error *err)
{
    const struct history *h = v->h;
    int64_t id = v->w->order.at[place];
    uint32_t txn = 0;

    TRY(lookup_txn(v, id, &txn, err));
    if (v->place[txn] != NO_PLACE)
        return verify_refuse(v, err, "transaction %" PRId64 " is in the order twice", id);
    if (v->counting[txn] == COUNTS_NOT)
        return verify_refuse(v, err, "transaction %" PRId64 " did not commit, but is in the order",
                             id);
    v->counting[txn] = COUNTS;
    v->place[txn] = v->seen[txn] = place;
    if (v->is_snapshot) {
        int64_t seen = v->w->snapshots.at[place];

        if (seen < 0 || seen > (int64_t)place)
            return verify_refuse(v, err,
                                 "transaction %" PRId64 " cannot have seen %" PRId64
                                 " of the %" PRIu32 " before it",
                                 id, seen, place);
        v->seen[txn] = (uint32_t)seen;
    }
    if (v->basis->has_places && place > 0) {
        uint32_t before = 0;

        TRY(lookup_txn(v, v->w->order.at[place - 1], &before, err));
        if (history_ts(h, txn).parts == 0 ||
            history_compare_places(history_ts(h, before), history_ts(h, txn)) >= 0)
            return verify_refuse(
                v, err, "the ts of transaction %" PRId64 " is not greater than that of %" PRId64,
                id, h->txn_id[before]);
    }
    return STATUS_OK;
}

static enum status give_places(struct verifier *v, struct error *err)
{
    const struct witness *w = v->w;
    size_t count = v->h->txn_count;

    if (w->has_snapshots != v->is_snapshot ||
        (w->has_snapshots && w->snapshots.count != w->order.count))
        return verify_refuse(v, err, "there is not one snapshot for each transaction of the order");
    TRY(VERIFY_GET(v, v->place, count, err));
    TRY(VERIFY_GET(v, v->seen, count, err));
    for (size_t t = 0; t < count; t++)
        v->place[t] = v->seen[t] = NO_PLACE;
    if (w->order.count > count)
        return verify_refuse(v, err, "the order has more transactions than the history");
    for (uint32_t place = 0; place < w->order.count; place++)
        TRY(give_place(v, place, err));
    for (size_t t = 0; t < count; t++) {
        if (v->counting[t] == COUNTS && v->place[t] == NO_PLACE)
            return verify_refuse(v, err,
                                 "transaction %" PRId64 " committed, but is not in the order",
                                 v->h->txn_id[t]);
        if (v->place[t] == NO_PLACE)
            v->counting[t] = COUNTS_NOT;
    }
    return STATUS_OK;
}

/* a < b: what a did is in b's snapshot. */
static bool comes_before(const struct verifier *v, uint32_t a, uint32_t b)
{
    return v->place[a] < v->seen[b];
}

/* a ~< b: what b did is not in a's snapshot. */
static bool comes_not_after(const struct verifier *v, uint32_t a, uint32_t b)
{
    return v->seen[a] <= v->place[b];
}

static enum status refuse_order(struct verifier *v, struct error *err, uint32_t a, uint32_t b,
                                const char *why, uint32_t key)
{
    struct text name = key == HISTORY_NONE ? TEXT("") : history_key(v->h, key);

    return verify_refuse(v, err, "transaction %" PRId64 " should come before %" PRId64 ": %s%s%.*s",
                         v->h->txn_id[a], v->h->txn_id[b], why, name.length ? " " : "",
                         TEXT_PRINT(name));
}

/* --- Versions, sessions, real time --------------------------------------------- */

static enum status check_chains(struct verifier *v, struct error *err)
{
    for (uint32_t key = 0; key < v->h->key_count; key++)
        for (uint32_t spot = 2; spot <= chain_length(v, key); spot++) {
            uint32_t a = chain_txn_at(v, key, spot - 1), b = chain_txn_at(v, key, spot);

            if (!comes_before(v, a, b))
                return refuse_order(v, err, a, b, "it wrote the version before of", key);
        }
    return STATUS_OK;
}

/* `last` is who committed last of those that are over. */
static enum status check_after(struct verifier *v, uint32_t last, uint32_t txn, struct error *err)
{
    if (last != HISTORY_NONE && v->counting[txn] == COUNTS && !comes_before(v, last, txn))
        return refuse_order(v, err, last, txn, "it was over when the other began", HISTORY_NONE);
    return STATUS_OK;
}

static uint32_t later_of(const struct verifier *v, uint32_t last, uint32_t txn)
{
    return last == HISTORY_NONE || v->place[txn] > v->place[last] ? txn : last;
}

/* With blackbox: what version orders say of versions is so in the chains. */
static enum status check_version_orders(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    for (size_t order = 0; order < h->order_count; order++) {
        uint32_t last = HISTORY_NONE;

        for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
            uint32_t op = h->order_version[i];

            if (v->spot[op] == 0) /* not the last of one who counts */
                continue;
            if (last != HISTORY_NONE && v->spot[last] > v->spot[op])
                return refuse_order(v, err, history_txn_of(h, last), history_txn_of(h, op),
                                    "the history has it so, of", h->op_key[op]);
            last = op;
        }
    }
    return STATUS_OK;
}

static enum status check_sessions(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    uint32_t *last; /* of each session */

    TRY(VERIFY_GET(v, last, h->session_count, err));
    for (size_t s = 0; s < h->session_count; s++)
        last[s] = HISTORY_NONE;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t s = h->txn_session[t];

        TRY(check_after(v, last[s], t, err));
        if (h->txn_status[t] == TXN_OK)
            last[s] = later_of(v, last[s], t);
    }
    return STATUS_OK;
}

struct order_moment {
    int64_t time;
    uint32_t txn;
    bool is_end;
};

/* Of one time, beginnings come first: who completed then was not over before. */
static int compare_moments(const void *a, const void *b)
{
    const struct order_moment *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->is_end != y->is_end)
        return x->is_end - y->is_end;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

static enum status check_times(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct order_moment *moments;
    size_t count = 0;
    uint32_t last = HISTORY_NONE;

    if (!h->txn_invoked || !h->txn_completed)
        return STATUS_OK;
    TRY(VERIFY_GET(v, moments, 2 * h->txn_count, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        int64_t end = h->txn_completed[t];

        if (h->txn_invoked[t] != TIME_ABSENT)
            moments[count++] = (struct order_moment){ h->txn_invoked[t], t, false };
        if (h->txn_status[t] == TXN_OK && end != TIME_ABSENT && end != TIME_NEVER)
            moments[count++] = (struct order_moment){ end, t, true };
    }
    qsort(moments, count, sizeof *moments, compare_moments);
    for (size_t i = 0; i < count; i++) {
        if (moments[i].is_end)
            last = later_of(v, last, moments[i].txn);
        else
            TRY(check_after(v, last, moments[i].txn, err));
    }
    return STATUS_OK;
}

/* --- Edges of reads ---------------------------------------------------------- */

static enum status check_item_edges(struct verifier *v, uint32_t txn, uint32_t key, uint32_t spot,
                                    struct error *err)
{
    if (spot > 0 && !comes_before(v, chain_txn_at(v, key, spot), txn))
        return refuse_order(v, err, chain_txn_at(v, key, spot), txn,
                            "the other read its version of", key);
    if (v->has_rw && spot < chain_length(v, key)) {
        uint32_t next = chain_txn_at(v, key, spot + 1);

        if (next != txn && !comes_not_after(v, txn, next))
            return refuse_order(v, err, txn, next, "the other overwrote what it read of", key);
    }
    return STATUS_OK;
}

/* Whether a version changes what matches. An honest order asks this of few versions. */
static enum status changes_matches(struct verifier *v, const struct statement_query *q,
                                   uint32_t key, uint32_t spot, bool *changes, struct error *err)
{
    enum match before = query_match(q, version_value(v, key, chain_op_at(v, key, spot - 1)));
    enum match after = query_match(q, version_value(v, key, chain_op_at(v, key, spot)));

    TRY(verify_spend(v, 1, err));
    if (before == MATCH_UNDECIDED || after == MATCH_UNDECIDED)
        return verify_refuse(v, err,
                             "nobody can tell whether a version of %.*s matches a predicate",
                             TEXT_PRINT(history_key(v->h, key)));
    *changes = before != after;
    return STATUS_OK;
}

/* Along a chain places rise, so only those next to what was seen can be out of order. */
static enum status check_predicate_edges(struct verifier *v, const struct statement_query *q,
                                         uint32_t txn, uint32_t key, uint32_t seen,
                                         struct error *err)
{
    uint32_t spot, writer;
    bool changes;

    for (spot = seen; spot > 0; spot--) {
        writer = chain_txn_at(v, key, spot);
        if (comes_before(v, writer, txn))
            break;
        TRY(changes_matches(v, q, key, spot, &changes, err));
        if (changes)
            return refuse_order(v, err, writer, txn, "the other's predicate saw its version of",
                                key);
    }
    for (spot = seen + 1; v->has_predicate_rw && spot <= chain_length(v, key); spot++) {
        writer = chain_txn_at(v, key, spot);
        if (writer == txn || comes_not_after(v, txn, writer))
            break;
        TRY(changes_matches(v, q, key, spot, &changes, err));
        if (changes)
            return refuse_order(v, err, txn, writer, "the other changed what its predicate saw of",
                                key);
    }
    return STATUS_OK;
}

static enum status check_glance(struct verifier *v, const struct statement_query *q, uint32_t txn,
                                const struct glance *g, struct error *err)
{
    bool is_select = v->h->op_kind[v->h->statement_op[q->statement]] == OP_SELECT;

    if (g->is_own)
        return STATUS_OK;
    TRY(check_predicate_edges(v, q, txn, g->key, g->sight.spot, err));
    if (g->match == MATCH_YES && query_reads_inside(q, g->row_op != HISTORY_NONE && is_select))
        return check_item_edges(v, txn, g->key, g->sight.spot, err);
    return STATUS_OK;
}

/* --- Answers ----------------------------------------------------------------- */

static enum status check_op(struct verifier *v, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = v->h;
    bool has_edges = v->basis->has_version_sets, is_head = op_is_head(h->op_kind[op]);
    enum answer_judgement answer = ANSWER_RIGHT;

    answer_prepare(v, op);
    if (is_head)
        TRY(answer_judge_statement(v, txn, op, has_edges ? check_glance : NULL, &answer, err));
    else
        answer = answer_judge_item(v, txn, op);
    if (answer != ANSWER_RIGHT)
        return verify_refuse(
            v, err, "transaction %" PRId64 ": %s %.*s", h->txn_id[txn],
            answer == ANSWER_WRONG ? "the answer is not what the order gives, of"
                                   : "nothing says what was read, of",
            TEXT_PRINT(is_head ? history_text(h, h->table_name[h->statement_table[h->op_key[op]]])
                               : history_key(h, h->op_key[op])));
    if (!is_head && has_edges && lookup_own(v, txn, op, h->op_key[op]) == HISTORY_NONE)
        return check_item_edges(v, txn, h->op_key[op], answer_sight(v, txn, op, h->op_key[op]).spot,
                                err);
    return STATUS_OK;
}

/* Whether an operation is to be held against the order. With values alone rows are reads, too. */
static bool op_is_asked(const struct verifier *v, uint32_t txn, uint32_t op)
{
    bool is_statement = op_is_head(v->h->op_kind[op]);

    if (is_statement && (v->basis->saturates || v->basis->infers_versions))
        return false;
    if (is_statement && v->is_excused && v->is_excused[v->h->op_key[op]])
        return false;
    return answer_is_judged(v, txn, op) ||
           (v->basis->is_of_clients && answer_reads_value(v, txn, op));
}

static enum status check_answers(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (h->txn_status[t] != TXN_OK)
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (op_is_asked(v, t, op))
                TRY(check_op(v, t, op, err));
    }
    return STATUS_OK;
}

/* With infer: the order gives each key its order of versions, and nothing leads back in it. */
static enum status check_deduced(struct verifier *v, struct error *err)
{
    if (v->is_exclusive)
        TRY(check_chains(v, err));
    TRY(sources_build(v, err));
    TRY(inferred_build(v, err));
    return verify_forward(v, err);
}

/* --- What was not judged ------------------------------------------------------- */

static enum status excuse(struct verifier *v, const struct witness_place *place, struct error *err)
{
    const struct history *h = v->h;
    uint32_t txn = 0, op = 0;

    TRY(lookup_txn(v, place->txn, &txn, err));
    TRY(lookup_op(v, txn, place->op, &op, err));
    if (!op_is_head(h->op_kind[op]) || !answer_is_judged(v, txn, op) ||
        v->is_excused[h->op_key[op]])
        return verify_refuse(v, err,
                             "operation %" PRId64 " of transaction %" PRId64
                             " is no statement that could have been judged, or stands there twice",
                             place->op, place->txn);
    v->is_excused[h->op_key[op]] = true;
    return STATUS_OK;
}

/*
 * A verdict may leave statements unjudged if its witness says which. Those of weak are drawn from
 * items and rows alone, and so are those of infer, in which statements only rule out.
 */
static enum status excuse_unjudged(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    bool leaves_all = v->basis->saturates || v->basis->infers_versions;

    TRY(VERIFY_GET(v, v->is_excused, h->statement_count, err));
    for (size_t i = 0; i < v->w->unjudged.count; i++)
        TRY(excuse(v, &v->w->unjudged.at[i], err));
    for (uint32_t s = 0; s < h->statement_count; s++) {
        uint32_t head = h->statement_op[s], txn = history_txn_of(h, head);
        bool is_asked = answer_is_judged(v, txn, head);

        if (is_asked && v->basis->saturates && !v->is_excused[s])
            return verify_refuse(v, err,
                                 "a statement of transaction %" PRId64
                                 " was not judged, and the witness does not say so",
                                 h->txn_id[txn]);
        v->unjudged_count += is_asked && (leaves_all || v->is_excused[s]);
    }
    return STATUS_OK;
}

void valid_count_partial(struct verifier *v)
{
    const struct history *h = v->h;

    for (uint32_t s = 0; s < h->statement_count; s++)
        if ((h->statement_limit[s] >= 0 || h->statement_flags[s] & STATEMENT_AGGREGATES) &&
            answer_is_judged(v, history_txn_of(h, h->statement_op[s]), h->statement_op[s]))
            v->unjudged_count++;
}

enum status verify_valid(struct verifier *v, struct error *err)
{
    TRY(give_places(v, err));
    TRY(excuse_unjudged(v, err));
    TRY(versions_build(v, err));
    if (!v->basis->infers_versions && (!v->is_snapshot || v->is_exclusive))
        TRY(check_chains(v, err));
    if (v->basis->searches_orders && !v->w->has_part)
        TRY(check_version_orders(v, err));
    if (v->closing == CLOSED_BY_SESSIONS)
        TRY(check_sessions(v, err));
    if (v->closing == CLOSED_BY_TIME)
        TRY(check_times(v, err));
    if (v->has_own_workload)
        return verify_workload_valid(v, err);
    if (v->basis->infers_versions && v->w->level != LEVEL_LINEARIZABLE)
        return check_deduced(v, err);
    if (v->basis->saturates && !v->is_snapshot) {
        TRY(sources_build(v, err));
        return verify_saturated(v, err);
    }
    if (v->judges_reads)
        TRY(check_answers(v, err));
    return v->is_causal ? verify_saturated(v, err) : STATUS_OK;
}
