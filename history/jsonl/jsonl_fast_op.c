#include "history/jsonl/jsonl_fast_private.h"

#define AGGREGATE_COUNT_MAX 16 /* of a statement: names are compared with one another */

static inline struct fast_op *push_op(struct jsonl_fast *fast, uint8_t kind)
{
    struct fast_op *op;

    if (array_reserve(&fast->ops, 1, &fast->ignored) != STATUS_OK)
        return NULL;
    op = &fast->ops.at[fast->ops.count++];
    op->kind = kind;
    op->lock = 0;
    op->value = value_none();
    return op;
}

static bool pass_text(struct jsonl *reader, const char **at, uint32_t *text)
{
    struct text string;

    return pass_string(at, &string) &&
           builder_text(reader->builder, string, text, &reader->fast->ignored) == STATUS_OK;
}

static bool pass_version(const char **at, struct version_name *version)
{
    int64_t nth;

    *version = (struct version_name){ 0 };
    if (PASS(at, "null")) {
        version->is_initial = true;
        return true;
    }
    if (!PASS(at, "["))
        return pass_integer(at, &version->txn_id);
    if (!pass_integer(at, &version->txn_id) || !PASS(at, ",") || !pass_integer(at, &nth) ||
        nth < 1 || nth > UINT32_MAX)
        return false;
    version->nth = (uint32_t)nth;
    return PASS(at, "]");
}

/* Behind the brace. */
static bool pass_set(struct jsonl *reader, const char **at, struct fast_op *op)
{
    struct jsonl_fast *fast = reader->fast;

    op->set = fast->set.count;
    op->set_count = 0;
    if (PASS(at, "}"))
        return true;
    do {
        struct jsonl_set_entry entry;
        uint32_t table;
        if (!PASS(at, "\"") || !pass_key(reader, at, SCOPE_WHOLE_KEY, &entry.key) ||
            !know_key(reader, entry.key, &table) || !PASS(at, ":") ||
            !pass_version(at, &entry.version) ||
            array_push(&fast->set, entry, &fast->ignored) != STATUS_OK)
            return false;
    } while (PASS(at, ","));
    op->set_count = fast->set.count - op->set;
    return PASS(at, "}");
}

/* What comes behind value and rows, and closes the operation. */
static inline bool pass_rest(struct jsonl *reader, const char **at, struct fast_op *op)
{
    if ((op->kind == OP_READ || op->kind == OP_SELECT) && PASS(at, ",\"lock\":\"")) {
        op->lock = PASS(at, "share\"") ? OP_LOCK_SHARE : OP_LOCK_UPDATE;
        if (op->lock == OP_LOCK_UPDATE && !PASS(at, "update\""))
            return false;
    }
    op->has_at = PASS(at, ",\"at\":[");
    if (op->has_at && !pass_times(at, &op->invoked, &op->completed))
        return false;
    op->snapshot.parts = 0;
    if (PASS(at, ",\"snapshot\":") && !pass_place(at, &op->snapshot))
        return false;
    op->has_set = PASS(at, ",\"set\":{");
    if (op->has_set && !pass_set(reader, at, op))
        return false;
    return PASS(at, "}");
}

/* An integer, most of all. The rows of a table are its keys' only values. */
static inline bool pass_value(struct jsonl *reader, const char **at, struct fast_op *op,
                              uint32_t table)
{
    if (table != HISTORY_NONE && **at == '{')
        return fast_pass_row(reader, at, table, op->key, &op->value);
    if (table != HISTORY_NONE || **at == '"' || **at > '9')
        return fast_pass_plain(reader, at, &op->value) &&
               (table == HISTORY_NONE || op->value.kind == VALUE_NULL);
    op->value.kind = VALUE_INTEGER;
    return pass_integer(at, &op->value.bits);
}

/* Behind the quote that opens the key. */
static inline bool pass_item(struct jsonl *reader, const char **at, uint8_t kind)
{
    struct fast_op *op = push_op(reader->fast, kind);
    uint32_t table;

    if (!op || !pass_key(reader, at, SCOPE_WHOLE_KEY, &op->key) ||
        !know_key(reader, op->key, &table))
        return false;
    if (PASS(at, ",\"v\":") && !pass_value(reader, at, op, table))
        return false;
    return op_may_have_value(kind, op->value.kind) && pass_rest(reader, at, op);
}

/* A primary key and its row, or null where it was deleted. */
static inline bool pass_row(struct jsonl *reader, const char **at,
                            const struct fast_statement *statement, bool is_ordered, uint8_t kind)
{
    struct jsonl_fast *fast = reader->fast;
    struct fast_op *op = push_op(fast, kind);
    uint32_t table;

    if (!op || !PASS(at, "\"") ||
        !pass_key(reader, at, statement->head.table + 1, &op->key) ||
        !know_key(reader, op->key, &table) || table != statement->head.table)
        return false;
    if (is_ordered ? !PASS(at, ",") : !PASS(at, ":"))
        return false;
    /* Without an order a key comes once. */
    if (!is_ordered && fast->known.at[op->key].statement == fast->statement_count)
        return false;
    fast->known.at[op->key].statement = fast->statement_count;
    if (kind == OP_ROW_REMOVE)
        return PASS(at, "null");
    return **at == '{' && fast_pass_row(reader, at, table, op->key, &op->value);
}

/* {PK:row,...}, or in an order that matters [[PK,row],...]. */
static bool pass_rows(struct jsonl *reader, const char **at, struct fast_statement *statement)
{
    bool is_ordered = statement->head.order != HISTORY_NONE || statement->head.limit >= 0;
    uint8_t kind = op_kind_of_rows((uint8_t)statement->head.kind);
    size_t from = reader->fast->ops.count;

    statement->head.flags = STATEMENT_ANSWERED;
    if (is_ordered ? PASS(at, "[]") : PASS(at, "{}"))
        return true;
    if (is_ordered ? !PASS(at, "[") : !PASS(at, "{"))
        return false;
    do {
        if ((is_ordered && !PASS(at, "[")) || !pass_row(reader, at, statement, is_ordered, kind) ||
            (is_ordered && !PASS(at, "]")))
            return false;
    } while (PASS(at, ","));
    statement->row_count = reader->fast->ops.count - from;
    return is_ordered ? PASS(at, "]") : PASS(at, "}");
}

static bool pass_aggregate(struct jsonl *reader, const char **at,
                           const struct fast_statement *statement)
{
    struct jsonl_fast *fast = reader->fast;
    struct jsonl_aggregate aggregate;

    if (fast->aggregates.count - statement->aggregate == AGGREGATE_COUNT_MAX || !PASS(at, "\"") ||
        !pass_text(reader, at, &aggregate.name) || !PASS(at, ":") ||
        !fast_pass_plain(reader, at, &aggregate.value))
        return false;
    for (size_t i = statement->aggregate; i < fast->aggregates.count; i++)
        if (fast->aggregates.at[i].name == aggregate.name)
            return false;
    return array_push(&fast->aggregates, aggregate, &fast->ignored) == STATUS_OK;
}

/* {"min(v)":3,...}, behind the brace. */
static bool pass_aggregates(struct jsonl *reader, const char **at,
                            struct fast_statement *statement)
{
    statement->head.flags = STATEMENT_ANSWERED | STATEMENT_AGGREGATES;
    if (PASS(at, "}"))
        return true;
    do {
        if (!pass_aggregate(reader, at, statement))
            return false;
    } while (PASS(at, ","));
    statement->aggregate_count = reader->fast->aggregates.count - statement->aggregate;
    return PASS(at, "}");
}

/* Predicate, order and limit. */
static bool pass_terms(struct jsonl *reader, const char **at, struct statement *head)
{
    head->where = head->order = HISTORY_NONE;
    head->limit = -1;
    head->flags = 0;
    if (head->kind != OP_INSERT && PASS(at, ",\"where\":\"") &&
        !pass_text(reader, at, &head->where))
        return false;
    if (head->kind != OP_SELECT)
        return true;
    if (PASS(at, ",\"order\":\"") && !pass_text(reader, at, &head->order))
        return false;
    return !PASS(at, ",\"limit\":") || (pass_integer(at, &head->limit) && head->limit >= 0);
}

/* Behind the colon before the table's name. */
static bool pass_statement(struct jsonl *reader, const char **at, uint8_t kind)
{
    struct jsonl_fast *fast = reader->fast;
    struct fast_statement statement = { .head.kind = kind, .aggregate = fast->aggregates.count };
    struct fast_op *op = push_op(fast, kind);
    size_t head = fast->ops.count - 1;

    if (!op || !fast_pass_table(fast, at, &statement.head.table) ||
        !pass_terms(reader, at, &statement.head))
        return false;
    op->key = (uint32_t)fast->statements.count;
    fast->statement_count++;
    if (PASS(at, ",\"rows\":")) {
        if (!pass_rows(reader, at, &statement))
            return false;
    } else if (kind == OP_SELECT && PASS(at, ",\"values\":{")) {
        if (!pass_aggregates(reader, at, &statement))
            return false;
    }
    return array_push(&fast->statements, statement, &fast->ignored) == STATUS_OK &&
           pass_rest(reader, at, &fast->ops.at[head]);
}

static inline bool pass_op(struct jsonl *reader, const char **at)
{
    if (PASS(at, "{\"r\":\""))
        return pass_item(reader, at, OP_READ);
    if (PASS(at, "{\"w\":\""))
        return pass_item(reader, at, OP_WRITE);
    if (PASS(at, "{\"append\":\""))
        return pass_item(reader, at, OP_APPEND);
    if (PASS(at, "{\"d\":\""))
        return pass_item(reader, at, OP_REMOVE);
    if (PASS(at, "{\"select\":"))
        return pass_statement(reader, at, OP_SELECT);
    if (PASS(at, "{\"insert\":"))
        return pass_statement(reader, at, OP_INSERT);
    if (PASS(at, "{\"update\":"))
        return pass_statement(reader, at, OP_UPDATE);
    return PASS(at, "{\"delete\":") && pass_statement(reader, at, OP_DELETE);
}

bool fast_pass_ops(struct jsonl *reader, const char **at)
{
    struct jsonl_fast *fast = reader->fast;

    fast->ops.count = fast->statements.count = fast->rows.count = fast->cells.count = 0;
    fast->aggregates.count = fast->set.count = 0;
    if (PASS(at, "[]"))
        return true;
    if (!PASS(at, "["))
        return false;
    do {
        if (!pass_op(reader, at))
            return false;
    } while (PASS(at, ","));
    return PASS(at, "]");
}
