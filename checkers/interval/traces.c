#include "checkers/interval/traces_private.h"

#include "base/hash.h"

static uint64_t code_of(uint64_t kind, uint64_t bits)
{
    uint64_t code = hash_number(bits ^ hash_number(kind));

    return code == 0 ? 1 : code; /* 0 is nothing: null, no list */
}

static uint64_t text_code(const struct history *h, uint32_t number)
{
    struct text text = history_text(h, number);

    return code_of(VALUE_TEXT, hash_bytes(text.at, text.length));
}

/* The same in whatever order the columns come. */
static uint64_t row_code(const struct history *h, int64_t row)
{
    uint32_t first = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from, code = 0;

    for (uint64_t i = 0; i < count; i++) {
        struct value cell = { (enum value_kind)h->cell_kind[from + i], h->cell_value[from + i] };

        code += hash_number(hash_mix(text_code(h, h->shape_column_name[first + i]),
                                     traces_value(h, cell)));
    }
    return code_of(VALUE_ROW, code);
}

static uint64_t list_code(const struct history *h, int64_t list)
{
    uint64_t end = h->list_start[list + 1];

    return end == h->list_start[list] ? 0 : code_of(VALUE_LIST, (uint64_t)h->list_element[end - 1]);
}

uint64_t traces_value(const struct history *h, struct value value)
{
    switch (value.kind) {
    case VALUE_NONE:
    case VALUE_NULL:
        return 0;
    case VALUE_TEXT:
        return text_code(h, (uint32_t)value.bits);
    case VALUE_LIST:
        return list_code(h, value.bits);
    case VALUE_ROW:
        return row_code(h, value.bits);
    default:
        return code_of(value.kind, (uint64_t)value.bits);
    }
}

bool traces_ask_for_lock(const struct history *h, uint32_t op)
{
    return h->op_flags[op] & (OP_LOCK_SHARE | OP_LOCK_UPDATE) || h->op_kind[op] == OP_UPDATE ||
           h->op_kind[op] == OP_DELETE;
}

uint64_t traces_written(const struct history *h, uint32_t op)
{
    if (h->op_kind[op] == OP_APPEND)
        return code_of(VALUE_LIST, (uint64_t)h->op_value[op]);
    return traces_value(h, history_value(h, op));
}

enum status traces_examine(const struct history *h, uint32_t txn, struct error *err)
{
    if (!h->txn_invoked || h->txn_invoked[txn] == TIME_ABSENT ||
        h->txn_completed[txn] == TIME_ABSENT)
        return error_set(err, STATUS_BAD_INPUT,
                         "interval judges by times, and transaction %lld has no \"at\"",
                         (long long)h->txn_id[txn]);
    return STATUS_OK;
}

void traces_times(const struct history *h, uint32_t txn, uint32_t op, int64_t *invoked,
                  int64_t *completed)
{
    *invoked =
        h->op_invoked && h->op_invoked[op] != TIME_ABSENT ? h->op_invoked[op] : h->txn_invoked[txn];
    /* What was never answered ended with its transaction. */
    *completed =
        h->op_completed && h->op_completed[op] != TIME_ABSENT && h->op_completed[op] != TIME_NEVER
            ? h->op_completed[op]
            : h->txn_completed[txn];
}

/* --- Rows of tables ------------------------------------------------------------------- */

static uint32_t key_of(const struct traces *t, uint32_t key)
{
    return t->key_of ? t->key_of[key] : key;
}

static bool has_integer_places(const struct history *h, uint32_t table)
{
    uint32_t column = h->table_key_column[h->table_key_start[table]];

    return h->table_column_kind[h->table_column_start[table] + column] == COLUMN_INTEGER;
}

/* The first part of a primary key, where it is a number: it is spelled in one way. */
static int64_t place_of(const struct history *h, uint32_t table, uint32_t key)
{
    struct text text = history_key(h, key);
    const char *at = text.at, *end = text.at + text.length;
    bool is_negative;
    uint64_t number = 0;

    if (!has_integer_places(h, table))
        return 0;
    while (at < end && *at != '/')
        at++;
    at++;
    is_negative = at < end && *at == '-';
    for (at += is_negative; at < end && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return (int64_t)(is_negative ? 0 - number : number);
}

enum status traces_keep_rows(struct traces *t, struct row_store *rows, struct interval_model *m,
                             struct error *err)
{
    t->rows = rows;
    t->model = m;
    return keys_init(&t->keys, t->history, err);
}

void traces_close(struct traces *t)
{
    keys_close(&t->keys);
    array_close(&t->ops);
    array_close(&t->queries);
}

enum status traces_row(struct traces *t, uint32_t key, struct value value, uint32_t *row,
                       struct error *err)
{
    uint32_t table = t->keys.table ? t->keys.table[key] : HISTORY_NONE;

    *row = ROW_NONE;
    if (table == HISTORY_NONE)
        return STATUS_OK;
    TRY(interval_model_row_key(t->model, key_of(t, key), table, place_of(t->history, table, key),
                               err));
    return row_store_take(t->rows, t->history, table, value, row, err);
}

/* --- Statements ----------------------------------------------------------------------- */

static struct text text_or_nothing(const struct history *h, uint32_t text)
{
    return text == HISTORY_NONE ? TEXT("") : history_text(h, text);
}

static enum interval_query_kind kind_of(const struct history *h, uint32_t head)
{
    uint32_t statement = h->op_key[head];
    int64_t limit = h->statement_limit[statement];

    if (h->op_kind[head] != OP_SELECT)
        return QUERY_WRITES;
    return limit >= 0 && h->statement_row_count[statement] >= limit ? QUERY_PART : QUERY_ROWS;
}

enum status traces_query(struct traces *t, uint32_t head, struct trace_query *q, struct error *err)
{
    const struct history *h = t->history;
    uint32_t statement = h->op_key[head], table = h->statement_table[statement];

    *q = (struct trace_query){ .low = INT64_MIN,
                               .high = INT64_MAX,
                               .row_count = h->statement_row_count[statement],
                               .op = head,
                               .table = table,
                               .kind = (uint8_t)kind_of(h, head) };
    TRY(row_store_ask(t->rows, table, text_or_nothing(h, h->statement_where[statement]),
                      &q->condition, err));
    if (has_integer_places(h, table))
        row_store_range(t->rows, q->condition,
                        (uint16_t)h->table_key_column[h->table_key_start[table]], &q->low,
                        &q->high);
    return STATUS_OK;
}

static enum status make_query(struct traces *t, uint32_t head, const struct trace_op *at,
                              struct error *err)
{
    struct trace_query q;

    TRY(array_reserve(&t->queries, 1, err));
    TRY(traces_query(t, head, &q, err));
    q.invoked = at->invoked;
    q.completed = at->completed;
    q.first_op = t->ops.count;
    q.is_locking = at->is_locking;
    return array_push(&t->queries, q, err);
}

/* A statement that was answered, if it looked for anything. */
static enum status pass_head(struct traces *t, uint32_t txn, uint32_t head,
                             const struct trace_op *at, struct error *err)
{
    const struct history *h = t->history;
    uint8_t flags = h->statement_flags[h->op_key[head]];

    if (h->op_kind[head] == OP_INSERT || h->op_flags[head] & OP_ERROR ||
        h->txn_status[txn] != TXN_OK || !(flags & STATEMENT_ANSWERED))
        return STATUS_OK;
    if (!t->rows || flags & STATEMENT_AGGREGATES) {
        t->unjudged++;
        return STATUS_OK;
    }
    return make_query(t, head, at, err);
}

static enum status pass_op(struct traces *t, uint32_t txn, uint32_t op, struct trace_op *at,
                           struct error *err)
{
    const struct history *h = t->history;
    uint8_t kind = h->op_kind[op];

    if (!op_is_row(kind)) {
        traces_times(h, txn, op, &at->invoked, &at->completed);
        at->op = op;
        at->is_locking = traces_ask_for_lock(h, op);
    }
    if (op_is_head(kind))
        return pass_head(t, txn, op, at, err);
    if (h->op_flags[op] & OP_ERROR || (op_is_read(kind) && h->op_value_kind[op] == VALUE_NONE))
        return STATUS_OK;
    at->key = key_of(t, h->op_key[op]);
    at->kind = op_is_write(kind) ? TRACE_WRITE : TRACE_READ;
    at->value = op_is_write(kind) ? traces_written(h, op) : traces_value(h, history_value(h, op));
    TRY(array_reserve(&t->ops, 1, err));
    TRY(traces_row(t, h->op_key[op], history_value(h, op), &at->row, err));
    return array_push(&t->ops, *at, err);
}

enum status traces_make(struct traces *t, uint32_t txn, struct interval_trace *trace,
                        struct error *err)
{
    const struct history *h = t->history;
    struct trace_op at = { 0 };

    t->ops.count = t->queries.count = 0;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        TRY(pass_op(t, txn, op, &at, err));
    *trace = (struct interval_trace){ .id = h->txn_id[txn],
                                      .invoked = h->txn_invoked[txn],
                                      .completed = h->txn_completed[txn],
                                      .number = txn,
                                      .status = h->txn_status[txn],
                                      .ops = t->ops.at,
                                      .op_count = t->ops.count,
                                      .queries = t->queries.at,
                                      .query_count = t->queries.count };
    return STATUS_OK;
}

enum status traces_initial(struct traces *t, struct interval_model *m, struct error *err)
{
    const struct history *h = t->history;

    for (size_t i = 0; i < h->initial_count; i++) {
        struct value value = { (enum value_kind)h->initial_kind[i], h->initial_value[i] };
        uint32_t key = h->initial_key[i], row;

        TRY(traces_row(t, key, value, &row, err));
        TRY(interval_model_initial_row(m, key_of(t, key), traces_value(h, value), row, err));
    }
    return STATUS_OK;
}
