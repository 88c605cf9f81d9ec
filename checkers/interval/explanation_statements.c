#include "checkers/interval/explanation_statements_private.h"

#define KEYS_WALKED 65536 /* by a look; one that would have to look at more is left open */

static bool is_look(const struct history *h, uint32_t op)
{
    uint8_t kind = h->op_kind[op];

    return (kind == OP_SELECT || kind == OP_UPDATE || kind == OP_DELETE) &&
           !(h->op_flags[op] & OP_ERROR) &&
           (h->statement_flags[h->op_key[op]] & (STATEMENT_ANSWERED | STATEMENT_AGGREGATES)) ==
               STATEMENT_ANSWERED;
}

bool explanation_statement_is_explicable(const struct explanation *x, uint32_t head)
{
    const struct profile *p = &x->m->profile;

    return is_look(x->h, head) && x->traces->rows && p->view != VIEW_ROW &&
           !(traces_ask_for_lock(x->h, head) && profile_reads_apart(p, true));
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

static enum predicate_answer matches(const struct explanation *x, const struct trace_query *q,
                                     uint64_t value, uint32_t row)
{
    if (value == 0)
        return PREDICATE_NO;
    if (q->condition == CONDITION_ALL)
        return PREDICATE_YES;
    return row == ROW_NONE ? PREDICATE_UNDECIDED
                           : row_store_match(x->traces->rows, q->condition, row);
}

/* Whether a row that the statement updates or deletes is among those that it got. */
static bool has_come(const struct explanation *x, const struct explained_statement *look,
                     uint32_t key)
{
    const struct history *h = x->h;

    for (uint32_t op = look->query.op + 1;
         op < h->txn_op[look->txn + 1] && op_is_row(h->op_kind[op]); op++)
        if (h->op_key[op] == key)
            return true;
    return false;
}

static bool agrees(const struct explanation *x, uint32_t txn, const struct trace_query *q,
                   uint32_t key, bool came)
{
    const struct key_now *now = &x->keys[key];

    return matches(x, q, now->value, now->row) == (came ? PREDICATE_YES : PREDICATE_NO) &&
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

static bool explains_changed(const struct explanation *x, uint32_t txn, const struct trace_query *q)
{
    const struct history *h = x->h;

    for (uint32_t op = q->op + 1;
         q->kind == QUERY_WRITES && op < h->txn_op[txn + 1] && op_is_row(h->op_kind[op]); op++)
        if (x->own_asked[h->op_key[op]] != x->asked && !agrees(x, txn, q, h->op_key[op], true))
            return false;
    return true;
}

/* --- Dependencies ---------------------------------------------------------------------------- */

#define READERS_KEPT ((size_t)1 << 25) /* of versions by looks */

bool explanation_statement_still_agrees(const struct explanation *x,
                                        const struct version_reader *reader, uint32_t key)
{
    const struct explained_statement *look = &x->looks.at[reader->look];

    return matches(x, &look->query, x->keys[key].value, x->keys[key].row) ==
           (has_come(x, look, key) ? PREDICATE_YES : PREDICATE_NO);
}

/* Who made a row as it was seen comes before, and who is going to make it another, behind. */
static enum status depend(struct explanation *x, uint32_t look, uint32_t key, struct error *err)
{
    const struct explained_statement *l = &x->looks.at[look];
    struct key_now *now = &x->keys[key];
    struct version_reader reader = { l->txn, l->query.op, now->first_reader, look };

    x->gives_up |= x->readers.count >= READERS_KEPT;
    if (x->gives_up)
        return STATUS_OK;
    now->first_reader = (uint32_t)x->readers.count;
    TRY(array_push(&x->readers, reader, err));
    return explanation_depend(x, now->writer, l->txn, err);
}

static enum status depend_on_all(struct explanation *x, uint32_t look, struct error *err)
{
    const struct explained_statement *l = &x->looks.at[look];
    struct key_walk walk;
    uint32_t key;

    if (l->query.table >= x->m->relations.count)
        return STATUS_OK;
    walk = key_order_walk(&x->m->relations.at[l->query.table].order, l->query.low, l->query.high);
    while (key_walk_next(&walk, &key))
        if (x->own_asked[key] != x->asked &&
            (x->came_asked[key] == x->asked ? l->query.kind == QUERY_WRITES
                                            : l->query.kind != QUERY_PART))
            TRY(depend(x, look, key, err));
    return STATUS_OK;
}

/* --- Ranges -------------------------------------------------------------------------------- */

static bool locks_range(const struct explanation *x, uint32_t head)
{
    return profile_locks_to_read(&x->m->profile, traces_ask_for_lock(x->h, head), false);
}

static bool is_within(const struct explanation *x, const struct explained_statement *look,
                      const struct explained_write *write)
{
    uint32_t key = x->h->op_key[write->op];

    return look->txn != write->txn && x->traces->keys.table[key] == look->query.table &&
           matches(x, &look->query, traces_written(x->h, write->op), write->row) == PREDICATE_YES;
}

/* A look: whoever wrote into its range before had given that back when it was locked. */
static void judge_range(struct explanation *x, const struct explained_statement *look)
{
    int64_t taken = explanation_end(x, look->txn, look->query.op);

    for (size_t i = x->written.count; i-- > 0 && x->written.at[i].committed > taken;)
        if (is_within(x, look, &x->written.at[i]))
            x->flags[look->query.op] |= OP_IS_OPEN;
}

static void judge_write(struct explanation *x, const struct explained_write *write)
{
    int64_t taken = explanation_end(x, write->txn, write->op);

    for (size_t i = x->ranges.count; i-- > 0;) {
        const struct explained_statement *look = &x->looks.at[x->ranges.at[i]];

        if (look->committed <= taken)
            return;
        if (is_within(x, look, write))
            x->flags[write->op] |= OP_IS_OPEN;
    }
}

enum status explanation_statements_judge_ranges(struct explanation *x, uint32_t txn,
                                                struct error *err)
{
    const struct history *h = x->h;
    size_t looks = x->looks.count;

    if (!x->traces->rows || !x->m->profile.locks_absent || x->m->profile.timing != TIMING_FULL)
        return STATUS_OK;
    x->gives_up |=
        x->m->profile.view != VIEW_COMMIT; /* its looks that lock are of no one instant */
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (explanation_writes(h, op) && x->flags[op] & OP_IS_LAST) {
            struct explained_write write = { txn, op, x->keys[h->op_key[op]].row, x->now };

            judge_write(x, &write);
            row_store_hold(x->traces->rows, write.row);
            TRY(array_push(&x->written, write, err));
        }
    for (; looks > 0 && x->looks.at[looks - 1].txn == txn; looks--) {
        struct explained_statement *look = &x->looks.at[looks - 1];

        if (!locks_range(x, look->query.op) || look->query.kind == QUERY_PART)
            continue;
        look->committed = x->now;
        judge_range(x, look);
        TRY(array_push(&x->ranges, (uint32_t)(looks - 1), err));
    }
    return STATUS_OK;
}

void explanation_statements_close(struct explanation *x)
{
    for (size_t i = 0; i < x->looks.count; i++)
        row_store_forget(x->traces->rows, x->looks.at[i].query.condition);
    for (size_t i = 0; i < x->written.count; i++)
        row_store_drop(x->traces->rows, x->written.at[i].row);
}

/* --- The whole ------------------------------------------------------------------------------- */

enum status explanation_statement_explain(struct explanation *x, uint32_t txn, uint32_t head,
                                          struct error *err)
{
    struct trace_query q;

    TRY(traces_query(x->traces, head, &q, err));
    q.completed =
        x->m->profile.view == VIEW_COMMIT ? x->commits[txn].high : explanation_end(x, txn, head);
    if (array_push(&x->looks, ((struct explained_statement){ .query = q, .txn = txn }), err) !=
        STATUS_OK) {
        row_store_forget(x->traces->rows, q.condition);
        return err->status;
    }
    mark(x, txn, head);
    if (!explains_absent(x, txn, &q) || !explains_changed(x, txn, &q))
        return STATUS_OK;
    x->flags[head] &= (uint8_t)~OP_IS_OPEN;
    return explanation_certifies(x) ? depend_on_all(x, (uint32_t)x->looks.count - 1, err)
                                    : STATUS_OK;
}
