/*
 * Statements that look for rows: what the mirror holds of them, from when they come until
 * their transaction goes. What can be said of an answer whatever the instants are is said at
 * once: no row comes twice, and those that come match.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "checkers/interval/grounds.h"

static const struct key_row no_row = { .table = MIRROR_NONE };

static enum status reach_key(struct mirror *m, uint32_t key, struct error *err)
{
    while (m->key_rows.count <= key)
        TRY(array_push(&m->key_rows, no_row, err));
    return STATUS_OK;
}

enum status mirror_row_key(struct mirror *m, uint32_t key, uint32_t table, int64_t place,
                           struct error *err)
{
    struct key_state *state;

    TRY(mirror_key(m, key, &state, err));
    TRY(reach_key(m, key, err));
    while (m->relations.count <= table)
        TRY(array_push(&m->relations, (struct relation){ 0 }, err));
    if (m->key_rows.at[key].table != MIRROR_NONE)
        return STATUS_OK;
    TRY(key_order_add(&m->relations.at[table].order, place, key, err));
    m->key_rows.at[key] =
        (struct key_row){ .place = place, .born = m->asked, .table = table };
    return STATUS_OK;
}

/* --- Adding ----------------------------------------------------------------------- */

static void accuse_extra(struct mirror *m, const struct live *live, const struct query *q,
                         const struct trace_op *op)
{
    struct mirror_finding *f =
        finding_begin(m, MECHANISM_READ, ANOMALY_RESULT_SET_MISMATCH);

    if (!f)
        return;
    finding_add_txn(f, live->number, live->id);
    buffer_print(&f->explanation, "T%" PRId64 " looked for rows", live->id);
    seek_tell(m, q, &f->explanation);
    buffer_text(&f->explanation, TEXT(" and got "));
    tell_key_name(m, op->key, &f->explanation);
    buffer_text(&f->explanation, TEXT(", which does not match"));
    grounds_own(m, f, live, op->op, op->key, GROUND_ROW);
}

/* A row that came. */
static enum status take_row(struct mirror *m, const struct live *live, struct query *q,
                            const struct trace_op *op, struct error *err)
{
    enum predicate_answer answer;

    TRY(reach_key(m, op->key, err));
    if (m->key_rows.at[op->key].asked == q->asked) {
        own_judge_twice(m, live, op->op, op->key);
        return STATUS_OK;
    }
    m->key_rows.at[op->key].asked = q->asked;
    q->came[q->came_count++] = op->key;
    if (q->kind == QUERY_WRITES || q->condition == CONDITION_ALL || op->row == ROW_NONE)
        return STATUS_OK;
    answer = row_store_match(m->rows, q->condition, op->row);
    if (answer == PREDICATE_NO)
        accuse_extra(m, live, q, op);
    q->is_unjudged |= answer == PREDICATE_UNDECIDED;
    return STATUS_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

bool seek_has_come(const struct query *q, uint32_t key)
{
    return q->came_count > 0 &&
           bsearch(&key, q->came, q->came_count, sizeof *q->came, compare_keys);
}

static enum status add_query(struct mirror *m, struct live *live, const struct trace *trace,
                             const struct trace_query *query, struct error *err)
{
    struct query *q = &live->queries[live->query_count];

    *q = (struct query){ .low = query->low,
                         .high = query->high,
                         .asked = ++m->asked,
                         .table = query->table,
                         .kind = query->kind };
    TRY(memory_resize((void **)&q->came, query->row_count, sizeof *q->came, err));
    q->condition = query->condition;
    live->query_count++;
    for (size_t i = query->first_op; i < query->first_op + query->row_count; i++)
        TRY(take_row(m, live, q, &trace->ops[i], err));
    if (q->came_count > 1)
        qsort(q->came, q->came_count, sizeof *q->came, compare_keys);
    return STATUS_OK;
}

enum status seek_add(struct mirror *m, struct live *live, const struct trace *trace,
                      const struct trace_query *query, struct times at, struct error *err)
{
    if (live->status != TXN_OK) {
        if (m->rows)
            row_store_forget(m->rows, query->condition);
        return STATUS_OK;
    }
    if (!live->queries)
        TRY(memory_resize((void **)&live->queries, trace->query_count, sizeof *live->queries,
                          err));
    m->counts.queries++;
    TRY(add_query(m, live, trace, query, err));
    live->accesses[live->access_count++] = (struct access){ .at = at,
                                                            .key = MIRROR_NONE,
                                                            .op = query->op,
                                                            .view = MIRROR_NONE,
                                                            .kind = TRACE_QUERY,
                                                            .is_locking = query->is_locking,
                                                            .version = MIRROR_NONE,
                                                            .row = live->query_count - 1 };
    return STATUS_OK;
}

/* --- Letting go --------------------------------------------------------------------- */

void seek_drop_op(struct mirror *m, const struct trace_op *op)
{
    if (m->rows)
        row_store_drop(m->rows, op->row);
}

void seek_drop_trace(struct mirror *m, const struct trace *trace)
{
    for (size_t i = 0; i < trace->op_count; i++)
        seek_drop_op(m, &trace->ops[i]);
    for (size_t i = 0; i < trace->query_count && m->rows; i++)
        row_store_forget(m->rows, trace->queries[i].condition);
}

void seek_close(struct mirror *m, struct live *live)
{
    for (uint32_t i = 0; i < live->query_count; i++) {
        if (m->rows)
            row_store_forget(m->rows, live->queries[i].condition);
        free(live->queries[i].came);
    }
    for (uint32_t i = 0; m->rows && i < live->access_count; i++)
        if (live->accesses[i].kind == TRACE_WRITE)
            row_store_drop(m->rows, live->accesses[i].row);
    free(live->queries);
    live->queries = NULL;
    live->query_count = 0;
}

/* The row store may be closed by now, and lets go of all by itself. */
void seek_close_all(struct mirror *m)
{
    for (size_t i = 0; i < m->live.count; i++) {
        for (uint32_t j = 0; j < m->live.at[i].query_count; j++)
            free(m->live.at[i].queries[j].came);
        free(m->live.at[i].queries);
    }
    for (size_t i = 0; i < m->relations.count; i++) {
        key_order_close(&m->relations.at[i].order);
        array_close(&m->relations.at[i].watchers);
    }
    array_close(&m->relations);
    array_close(&m->key_rows);
}

/* --- Asking ------------------------------------------------------------------------- */

void seek_pass_write(struct mirror *m, const struct live *live, uint32_t access)
{
    uint32_t key = live->accesses[access].key;

    if (key >= m->key_rows.count)
        return;
    m->key_rows.at[key].own_txn = m->live_first + (uint64_t)(live - m->live.at) + 1;
    m->key_rows.at[key].own_access = access;
}

enum predicate_answer seek_matches(struct mirror *m, const struct query *q, uint64_t value,
                                    uint32_t row)
{
    if (value == 0)
        return PREDICATE_NO; /* there is none */
    if (q->condition == CONDITION_ALL)
        return PREDICATE_YES;
    return row == ROW_NONE ? PREDICATE_UNDECIDED : row_store_match(m->rows, q->condition, row);
}

void seek_tell(const struct mirror *m, const struct query *q, struct buffer *out)
{
    if (q->condition != CONDITION_ALL) {
        buffer_text(out, TEXT(" where "));
        row_store_tell(m->rows, q->condition, out);
    } else if (q->low != INT64_MIN || q->high != INT64_MAX) {
        buffer_print(out, " from %" PRId64 " to %" PRId64, q->low, q->high);
    }
}
