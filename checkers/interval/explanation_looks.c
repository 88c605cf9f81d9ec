#include "checkers/interval/explanation_private.h"

#define KEYS_WALKED 65536 /* by a look; one that would have to look at more is left open */

static bool is_look(const struct history *h, uint32_t op)
{
    uint8_t kind = h->op_kind[op];

    return (kind == OP_SELECT || kind == OP_UPDATE || kind == OP_DELETE) &&
           !(h->op_flags[op] & OP_ERROR) &&
           (h->statement_flags[h->op_key[op]] & (STATEMENT_ANSWERED | STATEMENT_AGGREGATES)) ==
               STATEMENT_ANSWERED;
}

bool look_is_explicable(const struct explanation *x, uint32_t head)
{
    const struct profile *p = &x->m->profile;
    bool is_locking = x->h->op_flags[head] & (OP_LOCK_SHARE | OP_LOCK_UPDATE) ||
                      x->h->op_kind[head] != OP_SELECT;
    bool has_own_view = p->view == VIEW_STATEMENT ||
                        (p->view == VIEW_TRANSACTION && p->locks_for && !profile_first_wins(p));

    return is_look(x->h, head) && x->traces->rows && p->view != VIEW_ROW &&
           !(is_locking && has_own_view);
}

/* The keys that the transaction had written before, and those that came. */
static void mark(struct explanation *x, uint32_t txn, uint32_t head)
{
    const struct history *h = x->h;

    x->asked++;
    for (uint32_t op = h->txn_op[txn]; op < head; op++)
        if (explanation_writes(h, op))
            x->own_asked[h->op_key[op]] = x->asked;
    for (uint32_t op = head + 1; op < h->txn_op[txn + 1] && op_is_row(h->op_kind[op]); op++)
        x->came_asked[h->op_key[op]] = x->asked;
}

static bool agrees(const struct explanation *x, uint32_t txn, const struct trace_query *q,
                   uint32_t key, bool came)
{
    const struct key_now *now = &x->keys[key];
    enum predicate_answer answer = PREDICATE_YES;

    /* What it changed it had looked at before it changed it. */
    if (now->value == 0)
        answer = PREDICATE_NO;
    else if (q->condition != CONDITION_ALL)
        answer = now->row == ROW_NONE ? PREDICATE_UNDECIDED
                                      : row_store_match(x->traces->rows, q->condition, now->row);
    return answer == (came ? PREDICATE_YES : PREDICATE_NO) &&
           explanation_times_allow(x, key, txn, q->completed);
}

static bool explains_absent(const struct explanation *x, uint32_t txn, const struct trace_query *q)
{
    struct key_walk walk;
    uint64_t left = KEYS_WALKED;
    uint32_t key;

    if (q->kind == QUERY_PART || q->table >= x->m->relations.count)
        return true;
    walk = key_order_walk(&x->m->relations.at[q->table].order, q->low, q->high);
    while (key_walk_next(&walk, &key)) {
        if (left-- == 0)
            return false;
        if (x->own_asked[key] != x->asked && x->came_asked[key] != x->asked &&
            !agrees(x, txn, q, key, false))
            return false;
    }
    return true;
}

static bool explains_changed(const struct explanation *x, uint32_t txn,
                             const struct trace_query *q)
{
    const struct history *h = x->h;

    for (uint32_t op = q->op + 1; q->kind == QUERY_WRITES && op < h->txn_op[txn + 1] &&
                                  op_is_row(h->op_kind[op]); op++)
        if (x->own_asked[h->op_key[op]] != x->asked && !agrees(x, txn, q, h->op_key[op], true))
            return false;
    return true;
}

enum status look_explain(struct explanation *x, uint32_t txn, uint32_t head, struct error *err)
{
    struct trace_query q;

    TRY(traces_query(x->traces, head, &q, err));
    q.completed = x->commits[txn].high;
    mark(x, txn, head);
    if (explains_absent(x, txn, &q) && explains_changed(x, txn, &q))
        x->flags[head] &= (uint8_t)~OP_IS_OPEN;
    row_store_forget(x->traces->rows, q.condition);
    return STATUS_OK;
}
