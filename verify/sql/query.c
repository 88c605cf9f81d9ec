#include "verify/sql/query.h"

#include <assert.h>
#include <pg_query.h>
#include <string.h>

#include "base/foreign.h"
#include "verify/sql/expression_private.h"
#include "verify/sql/scalar_private.h"

/* --- Clauses ----------------------------------------------------------------- */

#define TEXT_LENGTH_MAX ((size_t)1 << 20)
#define NESTING_MAX 2000 /* words and operators: more than any tree of them is deep */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Numbers and commas do not nest: a long list of numbers is shallow. */
static bool may_be_deep(struct text text)
{
    size_t count = 0;
    char before = ' ';

    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];

        if (is_word_byte(c))
            count += !is_word_byte(before);
        else
            count += !strchr(" ,'0123456789.\t\n\r", c);
        before = c;
    }
    return count > NESTING_MAX;
}

static enum status refuse_text(struct text text, const char *why, struct error *err)
{
    return error_set(err, STATUS_BAD_INPUT, "the SQL \"%.*s\" %s",
                     text.length > 80 ? 80 : (int)text.length, text.at, why);
}

/* The part of a select, if the select has no other. */
static bool take_part(PgQuery__SelectStmt *s, enum clause_part part, struct clause *tree)
{
    bool has_where = s->where_clause, has_order = s->n_sort_clause > 0;
    bool has_targets = s->n_target_list > 0;
    bool has_more = s->n_distinct_clause || s->into_clause || s->n_group_clause ||
                    s->having_clause || s->n_window_clause || s->n_values_lists ||
                    s->limit_offset || s->limit_count || s->n_locking_clause || s->with_clause ||
                    s->op > PG_QUERY__SET_OPERATION__SETOP_NONE || s->n_from_clause != 1;

    if (has_more || has_where != (part == CLAUSE_WHERE) || has_order != (part == CLAUSE_ORDER) ||
        has_targets != (part == CLAUSE_TARGETS))
        return false;
    tree->count = 1;
    if (part == CLAUSE_WHERE) {
        tree->nodes = &s->where_clause;
    } else if (part == CLAUSE_ORDER) {
        tree->nodes = s->sort_clause;
        tree->count = s->n_sort_clause;
    } else {
        tree->nodes = s->target_list;
        tree->count = s->n_target_list;
    }
    return true;
}

static enum status unpack(const PgQueryProtobufParseResult *parsed, enum clause_part part,
                          struct text text, struct clause *tree, struct error *err)
{
    const PgQuery__RawStmt *first;

    if (parsed->error &&
        (!parsed->error->message || strcmp(parsed->error->message, "out of memory") == 0))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a tree of SQL");
    if (parsed->error)
        return refuse_text(text, "does not parse", err);
    tree->result = pg_query__parse_result__unpack(NULL, parsed->parse_tree.len,
                                                  (const uint8_t *)parsed->parse_tree.data);
    if (!tree->result)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a tree of SQL");
    first = tree->result->n_stmts == 1 ? tree->result->stmts[0] : NULL;
    if (!first || first->stmt->node_case != PG_QUERY__NODE__NODE_SELECT_STMT ||
        !take_part(first->stmt->select_stmt, part, tree))
        return refuse_text(text, "is more than what may stand there", err);
    return STATUS_OK;
}

enum status query_open_clause(struct clause *tree, enum clause_part part, struct text text,
                              struct error *err)
{
    static const char *const before[] = { [CLAUSE_WHERE] = "SELECT FROM t WHERE ",
                                          [CLAUSE_ORDER] = "SELECT FROM t ORDER BY ",
                                          [CLAUSE_TARGETS] = "SELECT " };
    struct buffer sql = { 0 };
    enum status status;

    *tree = (struct clause){ 0 };
    if (text.length > TEXT_LENGTH_MAX || may_be_deep(text))
        return refuse_text(text, "is too long to be judged", err);
    buffer_print(&sql, "%s", before[part]);
    buffer_text(&sql, text);
    /* A line of its own, in case the text ends in a comment. */
    buffer_print(&sql, "%s", part == CLAUSE_TARGETS ? "\nFROM t" : "");
    buffer_byte(&sql, 0);
    status = buffer_status(&sql, err);
    if (status == STATUS_OK) {
        PgQueryProtobufParseResult parsed;

        foreign_begin("the parser of SQL");
        parsed = pg_query_parse_protobuf(sql.at);
        foreign_end();
        status = unpack(&parsed, part, text, tree, err);
        pg_query_free_protobuf_parse_result(parsed);
    }
    buffer_close(&sql);
    return status;
}

void query_close_clause(struct clause *tree)
{
    if (tree->result)
        pg_query__parse_result__free_unpacked(tree->result, NULL);
    *tree = (struct clause){ 0 };
}

/* --- Opening ----------------------------------------------------------------- */

/* The only call that is computed, or NULL. */
static const PgQuery__FuncCall *call_of(const struct clause *tree)
{
    const PgQuery__Node *value;

    if (tree->count != 1 || tree->nodes[0]->node_case != PG_QUERY__NODE__NODE_RES_TARGET)
        return NULL;
    value = tree->nodes[0]->res_target->val;
    return value && value->node_case == PG_QUERY__NODE__NODE_FUNC_CALL ? value->func_call : NULL;
}

static bool call_is(const PgQuery__FuncCall *call, const char *name)
{
    return strcmp(expression_function(call), name) == 0;
}

static bool is_known_aggregate(const PgQuery__FuncCall *call)
{
    if (!call || call->agg_distinct || call->agg_filter || call->over || call->n_agg_order > 0)
        return false;
    if (call->agg_star)
        return call_is(call, "count");
    return call->n_args == 1 && (call_is(call, "count") || call_is(call, "sum") ||
                                 call_is(call, "min") || call_is(call, "max"));
}

static enum status open_aggregates(struct statement_query *q, struct error *err)
{
    const struct history *h = q->history;
    uint32_t end = h->statement_aggregate_start[q->statement + 1];

    for (uint32_t i = h->statement_aggregate_start[q->statement]; i < end; i++) {
        struct query_aggregate *aggregate;

        TRY(array_push(&q->aggregates, (struct query_aggregate){ .so_far = scalar_null() }, err));
        aggregate = &q->aggregates.at[q->aggregates.count - 1];
        TRY(query_open_clause(&aggregate->tree, CLAUSE_TARGETS,
                              history_text(h, h->aggregate_name[i]), err));
        aggregate->call = call_of(&aggregate->tree);
        q->is_unknown |= !is_known_aggregate(aggregate->call);
    }
    /* Aggregates have one row: what is a limit to them? */
    q->is_unknown |= q->aggregates.count > 0 && q->limit >= 0;
    return STATUS_OK;
}

enum status query_open(struct statement_query *q, const struct history *h, uint32_t statement,
                       struct error *err)
{
    uint32_t where = h->statement_where[statement], order = h->statement_order[statement];
    bool has_aggregates = h->statement_flags[statement] & STATEMENT_AGGREGATES;

    *q = (struct statement_query){ .history = h,
                                   .statement = statement,
                                   .table = h->statement_table[statement],
                                   .has_where = where != HISTORY_NONE,
                                   .has_rows =
                                       !has_aggregates || h->statement_row_count[statement] > 0,
                                   .limit = h->statement_limit[statement] };
    if (q->has_where)
        TRY(query_open_clause(&q->where, CLAUSE_WHERE, history_text(h, where), err));
    if (order != HISTORY_NONE)
        TRY(query_open_clause(&q->order, CLAUSE_ORDER, history_text(h, order), err));
    return has_aggregates ? open_aggregates(q, err) : STATUS_OK;
}

void query_close(struct statement_query *q)
{
    query_close_clause(&q->where);
    query_close_clause(&q->order);
    for (size_t i = 0; i < q->aggregates.count; i++)
        query_close_clause(&q->aggregates.at[i].tree);
    array_close(&q->aggregates);
}

/* --- Rows -------------------------------------------------------------------- */

static struct table_row row_of(const struct statement_query *q, struct value row)
{
    assert(row.kind == VALUE_ROW);
    return (struct table_row){ q->history, q->table, row.bits };
}

enum match query_match(const struct statement_query *q, struct value value)
{
    struct table_row row;
    struct scalar truth;

    if (value.kind != VALUE_ROW)
        return MATCH_NO;
    if (!q->has_where)
        return MATCH_YES;
    row = row_of(q, value);
    if (expression_evaluate(q->where.nodes[0], &row, &truth) != OUTCOME_DONE)
        return MATCH_UNDECIDED;
    if (truth.kind == SCALAR_NULL)
        return MATCH_NO;
    if (truth.kind != SCALAR_BOOLEAN)
        return MATCH_UNDECIDED;
    return truth.number ? MATCH_YES : MATCH_NO;
}

bool query_reads_inside(const struct statement_query *q, bool is_returned_by_select)
{
    for (size_t i = 0; i < q->aggregates.count; i++)
        if (!q->aggregates.at[i].call || !q->aggregates.at[i].call->agg_star)
            return true;
    return is_returned_by_select || q->limit >= 0;
}

/* --- Order ------------------------------------------------------------------- */

/* Null comes last, and with DESC first, unless it is told where. */
static enum outcome compare_by(const PgQuery__SortBy *by, const struct table_row *a,
                               const struct table_row *b, int *comparison)
{
    bool descends = by->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    bool nulls_first = by->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST ||
                       (descends && by->sortby_nulls != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST);
    struct scalar x, y;
    enum outcome outcome;

    /* A number would be a column by its place. */
    if (by->n_use_op > 0 || by->node->node_case == PG_QUERY__NODE__NODE_A_CONST)
        return OUTCOME_UNKNOWN;
    outcome = expression_evaluate(by->node, a, &x);
    if (outcome == OUTCOME_DONE)
        outcome = expression_evaluate(by->node, b, &y);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (x.kind == SCALAR_NULL || y.kind == SCALAR_NULL) {
        *comparison = (x.kind != SCALAR_NULL) - (y.kind != SCALAR_NULL);
        *comparison = nulls_first ? *comparison : -*comparison;
        return OUTCOME_DONE;
    }
    outcome = scalar_compare(x, y, comparison);
    if (descends)
        *comparison = -*comparison;
    return outcome;
}

enum outcome query_compare(const struct statement_query *q, struct value a, struct value b,
                           int *comparison)
{
    struct table_row x = row_of(q, a), y = row_of(q, b);

    *comparison = 0;
    for (size_t i = 0; i < q->order.count && *comparison == 0; i++) {
        enum outcome outcome = q->order.nodes[i]->node_case == PG_QUERY__NODE__NODE_SORT_BY
                                   ? compare_by(q->order.nodes[i]->sort_by, &x, &y, comparison)
                                   : OUTCOME_UNKNOWN;

        if (outcome != OUTCOME_DONE)
            return outcome;
    }
    return OUTCOME_DONE;
}

/* --- Aggregates -------------------------------------------------------------- */

/* A sum has room for more than what it is a sum of. */
static enum outcome add(struct scalar *sum, struct scalar value)
{
    struct scalar zero = { .kind = SCALAR_DECIMAL };

    if (sum->kind == SCALAR_NULL)
        *sum = zero;
    return scalar_compute('+', *sum, value, sum);
}

static enum outcome count_one(struct query_aggregate *aggregate, const struct table_row *row)
{
    enum outcome outcome;
    struct scalar value;
    int c;

    if (aggregate->call->agg_star) {
        aggregate->count++;
        return OUTCOME_DONE;
    }
    outcome = expression_evaluate(aggregate->call->args[0], row, &value);
    if (outcome != OUTCOME_DONE || value.kind == SCALAR_NULL)
        return outcome;
    aggregate->count++;
    if (call_is(aggregate->call, "sum"))
        return add(&aggregate->so_far, value);
    c = call_is(aggregate->call, "min") ? -1 : 1;
    if (!call_is(aggregate->call, "count") && aggregate->so_far.kind != SCALAR_NULL) {
        int wanted = c;

        outcome = scalar_compare(value, aggregate->so_far, &c);
        c *= wanted;
    } else {
        c = 1;
    }
    if (c > 0)
        aggregate->so_far = value;
    return outcome;
}

void query_count(struct statement_query *q, struct value value)
{
    struct table_row row = row_of(q, value);

    for (size_t i = 0; i < q->aggregates.count && !q->is_unknown; i++)
        q->is_unknown = count_one(&q->aggregates.at[i], &row) != OUTCOME_DONE;
}

/* The answer's own kind decides how it is read: a sum of decimals is a text. */
static bool agrees(const struct history *h, struct scalar expected, struct value answer)
{
    struct scalar given;
    struct text type = expected.kind == SCALAR_DECIMAL && answer.kind == VALUE_TEXT
                           ? TEXT("numeric")
                       : expected.kind == SCALAR_TIMESTAMP ? TEXT("timestamp")
                                                           : TEXT("bigint");
    int c;

    if (answer.kind == VALUE_NONE)
        return true;
    if (scalar_of_cell(h, answer, type, &given) != OUTCOME_DONE)
        return false;
    if (given.kind == SCALAR_NULL || expected.kind == SCALAR_NULL)
        return given.kind == expected.kind;
    return scalar_compare(expected, given, &c) == OUTCOME_DONE && c == 0;
}

bool query_aggregates_agree(const struct statement_query *q)
{
    const struct history *h = q->history;
    uint32_t first = h->statement_aggregate_start[q->statement];

    for (size_t i = 0; i < q->aggregates.count; i++) {
        const struct query_aggregate *aggregate = &q->aggregates.at[i];
        struct value answer = { h->aggregate_kind[first + i], h->aggregate_value[first + i] };
        struct scalar expected = aggregate->so_far;

        if (call_is(aggregate->call, "count"))
            expected =
                (struct scalar){ .kind = SCALAR_INTEGER, .width = 8, .number = aggregate->count };
        if (!agrees(h, expected, answer))
            return false;
    }
    return true;
}

/* --- One row ------------------------------------------------------------------ */

static struct value answer_of(const struct statement_query *q, size_t aggregate)
{
    const struct history *h = q->history;
    uint32_t at = h->statement_aggregate_start[q->statement] + (uint32_t)aggregate;

    return (struct value){ h->aggregate_kind[at], h->aggregate_value[at] };
}

/* Of a row that matches: what is aggregated, if that is not null. */
static bool has_cell(const struct statement_query *q, const struct query_aggregate *aggregate,
                     struct value row, struct scalar *cell)
{
    struct table_row at = row_of(q, row);

    return expression_evaluate(aggregate->call->args[0], &at, cell) == OUTCOME_DONE &&
           cell->kind != SCALAR_NULL;
}

static bool aggregate_admits(const struct statement_query *q, size_t number, struct value row)
{
    const struct query_aggregate *aggregate = &q->aggregates.at[number];
    struct value answer = answer_of(q, number);
    struct scalar cell, given;
    int c;

    if (!is_known_aggregate(aggregate->call) || answer.kind == VALUE_NONE)
        return true;
    if (aggregate->call->agg_star)
        return answer.kind != VALUE_INTEGER || answer.bits != 0;
    if (!has_cell(q, aggregate, row, &cell))
        return true;
    if (call_is(aggregate->call, "count"))
        return answer.kind != VALUE_INTEGER || answer.bits != 0;
    if (answer.kind == VALUE_NULL)
        return false;
    if (call_is(aggregate->call, "sum") || answer.kind != VALUE_INTEGER ||
        scalar_of_cell(q->history, answer, TEXT("bigint"), &given) != OUTCOME_DONE ||
        cell.kind != SCALAR_INTEGER || scalar_compare(cell, given, &c) != OUTCOME_DONE)
        return true;
    return call_is(aggregate->call, "min") ? c >= 0 : c <= 0;
}

bool query_aggregates_admit(const struct statement_query *q, struct value row)
{
    for (size_t i = 0; i < q->aggregates.count; i++)
        if (!aggregate_admits(q, i, row))
            return false;
    return true;
}

bool query_is_extreme(const struct statement_query *q, size_t number)
{
    const PgQuery__FuncCall *call = q->aggregates.at[number].call;

    return is_known_aggregate(call) && (call_is(call, "min") || call_is(call, "max"));
}

/* True, too, if that cannot be told. */
bool query_has_extreme(const struct statement_query *q, size_t number, struct value row)
{
    const struct query_aggregate *aggregate = &q->aggregates.at[number];
    struct table_row at = row_of(q, row);
    struct scalar cell, given;
    int c;

    if (scalar_of_cell(q->history, answer_of(q, number), TEXT("bigint"), &given) != OUTCOME_DONE ||
        expression_evaluate(aggregate->call->args[0], &at, &cell) != OUTCOME_DONE)
        return true;
    if (cell.kind == SCALAR_NULL)
        return false;
    return cell.kind != SCALAR_INTEGER || scalar_compare(cell, given, &c) != OUTCOME_DONE || c == 0;
}
