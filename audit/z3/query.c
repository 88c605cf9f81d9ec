#include "audit/z3/query_private.h"

#include <string.h>

#include "audit/z3/rows_private.h"
#include "audit/z3/values_private.h"

/* --- Expressions ------------------------------------------------------------------------------------------ */

static struct sym *evaluate_arguments(struct symbolic *s, const struct expression *e)
{
    struct sym *values = arena_take(&s->arena, (size_t)e->argument_count + 1, sizeof *values);

    for (uint32_t i = 0; i < e->argument_count; i++)
        values[i] = symbolic_evaluate(s, e->arguments[i]);
    return values;
}

/* What decides, whatever else there is; else null if anything is. */
static struct sym three_valued(struct symbolic *s, term decides, term null, bool decided)
{
    struct sym rest = sym_merge(s, null, sym_null(), sym_of_truth(terms_truth(!decided)));

    return sym_merge(s, decides, sym_of_truth(terms_truth(decided)), rest);
}

/* AND: false if one is; else null if one is. OR turned round. What is behind one that decides is not evaluated. */
static struct sym evaluate_logic(struct symbolic *s, const struct expression *e)
{
    struct terms *t = &s->terms;
    bool is_and = e->kind == EXPRESSION_AND;
    term decided = TERM_FALSE, null = TERM_FALSE, guard = s->guard;

    for (uint32_t i = 0; i < e->argument_count && decided != TERM_TRUE; i++) {
        struct sym v = symbolic_evaluate(s, e->arguments[i]);

        decided = terms_or(t, decided, is_and ? sym_is_false(t, v) : sym_is_true(v));
        null = terms_or(t, null, v.null);
        s->guard = terms_and(t, guard, terms_not(t, decided));
    }
    s->guard = guard;
    return three_valued(s, decided, null, !is_and);
}

/* CASE has a condition before each value but the last one; COALESCE takes the first value that is not null. */
static struct sym evaluate_choice(struct symbolic *s, const struct expression *e)
{
    bool is_case = e->kind == EXPRESSION_CASE, is_first = true;
    struct terms *t = &s->terms;
    term guard = s->guard, left = TERM_TRUE;
    struct sym result = sym_null();

    for (uint32_t i = 0; i < e->argument_count && left != TERM_FALSE; i++) {
        bool has_condition = is_case && i + 1 < e->argument_count;
        term here = left;
        struct sym v;

        s->guard = terms_and(t, guard, left);
        v = symbolic_evaluate(s, e->arguments[i]);
        if (!is_case)
            left = terms_and(t, left, v.null);
        if (has_condition) {
            here = terms_and(t, left, sym_is_true(v));
            left = terms_and(t, left, terms_not(t, sym_is_true(v)));
            s->guard = terms_and(t, guard, here);
            i++;
            if (here == TERM_FALSE)
                continue;
            v = symbolic_evaluate(s, e->arguments[i]);
        }
        result = is_first ? v : sym_merge(s, here, v, result);
        is_first = false;
    }
    s->guard = guard;
    return result;
}

static struct sym evaluate_in(struct symbolic *s, const struct expression *e)
{
    struct terms *t = &s->terms;
    struct sym *v = evaluate_arguments(s, e);
    term found = TERM_FALSE, null = v[0].null;

    for (uint32_t i = 1; i < e->argument_count; i++) {
        found = terms_or(t, found, terms_and(t, sym_same(s, v[0], v[i]), terms_not(t, v[0].null)));
        null = terms_or(t, null, v[i].null);
    }
    return three_valued(s, found, null, !e->as.in.negated);
}

/* One more value of sum, min or max. */
static struct sym add_value(struct symbolic *s, const struct expression *e, struct sym sum,
                            struct sym v, term counts)
{
    bool is_numeric = e->type.kind == TYPE_NUMERIC;
    bool is_min = e->as.aggregate.kind == AGGREGATE_MIN;
    struct operator_choice choice = { .argument_count = 2, .result = e->type };
    struct sym next;

    if (e->as.aggregate.kind == AGGREGATE_SUM) {
        choice.code = is_numeric ? OPERATOR_ADD_NUMERIC : OPERATOR_ADD_BIGINT;
        next = sym_apply(s, &choice, (struct sym[]){ sum, v }, 2, e->line);
    } else {
        choice.code =
            is_numeric || type_is_text(e->type.kind) ? OPERATOR_LESS_OTHER : OPERATOR_LESS_INTEGER;
        next =
            sym_apply(s, &choice, (struct sym[]){ is_min ? v : sum, is_min ? sum : v }, 2, e->line);
        next = sym_merge(s, sym_is_true(next), v, sum);
    }
    next = sym_merge(s, sum.null, v, next);
    return sym_merge(s, counts, next, sum);
}

/* bigint becomes numeric where its sum does. */
static struct sym as_summed(struct symbolic *s, const struct expression *e, struct sym v)
{
    struct operator_choice to = { .code = OPERATOR_INTEGER_TO_NUMERIC,
                                  .argument_count = 1,
                                  .result = type_of(TYPE_NUMERIC) };

    if (e->as.aggregate.kind != AGGREGATE_SUM || e->type.kind != TYPE_NUMERIC ||
        e->arguments[0]->type.kind == TYPE_NUMERIC)
        return v;
    return sym_apply(s, &to, &v, 1, e->line);
}

static struct sym evaluate_aggregate(struct symbolic *s, const struct expression *e)
{
    struct terms *t = &s->terms;
    enum aggregate_kind kind = e->as.aggregate.kind;
    bool is_count = kind == AGGREGATE_COUNT_ROWS || kind == AGGREGATE_COUNT;
    term count = terms_number(t, 0);
    struct sym result = sym_null();

    if (e->as.aggregate.distinct || kind == AGGREGATE_AVG) {
        symbolic_stick(s, e->line, e->as.aggregate.distinct ? "DISTINCT in an aggregate" : "avg()");
        return result;
    }
    for (uint32_t i = 0; i < s->group_count; i++) {
        term counts = s->group[i].guard, before = symbolic_narrow(s, counts);
        struct sym v = sym_of_truth(TERM_TRUE);

        s->sources[0] = s->group[i].cells;
        if (kind != AGGREGATE_COUNT_ROWS)
            v = as_summed(s, e, symbolic_evaluate(s, e->arguments[0]));
        counts = terms_and(t, counts, terms_not(t, v.null));
        if (is_count)
            count = terms_add(t, count, terms_as_number(t, counts));
        else if (counts != TERM_FALSE)
            result = add_value(s, e, result, v, counts);
        s->guard = before;
    }
    s->sources[0] = NULL;
    return is_count ? sym_of_integer(count) : result;
}

static struct sym evaluate_column(struct symbolic *s, const struct expression *e)
{
    const struct sym *cells = e->as.column.source < 2 ? s->sources[e->as.column.source] : NULL;

    if (cells)
        return cells[e->as.column.column];
    symbolic_stick(s, e->line, "a join or a column of a query around it");
    return sym_null();
}

struct sym symbolic_evaluate(struct symbolic *s, const struct expression *e)
{
    if (s->is_stuck || s->status != STATUS_OK)
        return sym_null();
    switch (e->kind) {
    case EXPRESSION_CONSTANT:
        return sym_of_datum(s, &e->as.constant);
    case EXPRESSION_VARIABLE:
        return s->frame->slots[e->as.slot];
    case EXPRESSION_COLUMN:
        return evaluate_column(s, e);
    case EXPRESSION_APPLY:
        return sym_apply(s, &e->as.apply, evaluate_arguments(s, e), e->argument_count, e->line);
    case EXPRESSION_AND:
    case EXPRESSION_OR:
        return evaluate_logic(s, e);
    case EXPRESSION_CASE:
    case EXPRESSION_COALESCE:
        return evaluate_choice(s, e);
    case EXPRESSION_IN:
        return evaluate_in(s, e);
    case EXPRESSION_AGGREGATE:
        return evaluate_aggregate(s, e);
    case EXPRESSION_CALL:
        return symbolic_call(s, e->as.function, evaluate_arguments(s, e), NULL);
    case EXPRESSION_SUBQUERY:
        symbolic_stick(s, e->line, "subqueries");
        break;
    case EXPRESSION_NUMBER:
        symbolic_stick(s, e->line, "sequences");
        break;
    }
    return sym_null();
}

/* --- Finding rows ----------------------------------------------------------------------------------------- */

/* H1: the one row that the condition can mean. False: it may be any. */
static bool find_by_key(struct symbolic *s, uint32_t table, const struct expression *where,
                        uint32_t *row)
{
    const struct schema_table *schema = &s->tree->schema.tables[table];
    struct datum *cells = arena_take(&s->arena, (size_t)schema->column_count + 1, sizeof *cells);

    if (!s->uses_index || schema->key.count == 0)
        return false;
    for (uint16_t i = 0; i < schema->key.count; i++) {
        const struct expression *pin = tree_find_equal(where, 0, schema->key.at[i], 0);

        if (!pin || !sym_find_datum(s, symbolic_evaluate(s, pin), &cells[schema->key.at[i]]))
            return false;
        if (datum_is_null(&cells[schema->key.at[i]])) {
            *row = SYMBOLIC_NO_ROW;
            return true;
        }
    }
    *row = symbolic_find_row(s, table, cells, false);
    return true;
}

static term matches(struct symbolic *s, const struct sym_view *view, const struct expression *where)
{
    term before, found;

    if (view->exists == TERM_FALSE || !where)
        return view->exists;
    s->sources[0] = view->cells;
    before = symbolic_narrow(s, view->exists);
    found = terms_and(&s->terms, view->exists, sym_is_true(symbolic_evaluate(s, where)));
    s->guard = before;
    return found;
}

static void find_row(struct symbolic *s, uint32_t row, const struct expression *where, bool locks,
                     sym_found_list *list)
{
    struct sym_view view = symbolic_see(s, row, false);
    struct sym_found found = { .row = row, .guard = matches(s, &view, where), .cells = view.cells };

    if (locks && s->mode == RUN_LOCKING && found.guard != TERM_FALSE) {
        view = symbolic_see(s, row, true);
        found.guard = terms_and(&s->terms, found.guard, matches(s, &view, where));
        found.cells = view.cells;
    }
    if (found.guard != TERM_FALSE)
        symbolic_note(s, array_push(list, found, s->err));
}

/* In the arena, since queries call functions that query. */
static struct sym_result find_rows(struct symbolic *s, uint32_t table,
                                   const struct expression *where, bool locks)
{
    struct sym_result result = { .count = 0 };
    sym_found_list list = { NULL, 0, 0 };
    uint32_t row = SYMBOLIC_NO_ROW;

    if (find_by_key(s, table, where, &row)) {
        if (row != SYMBOLIC_NO_ROW)
            find_row(s, row, where, locks, &list);
    } else {
        for (size_t i = 0; i < s->rows_of[table].count && !s->is_stuck && s->status == STATUS_OK;
             i++)
            find_row(s, s->rows_of[table].at[i], where, locks, &list);
    }
    result.rows = arena_take(&s->arena, list.count + 1, sizeof *result.rows);
    if (list.count > 0)
        memcpy(result.rows, list.at, list.count * sizeof *list.at);
    result.count = (uint32_t)list.count;
    array_close(&list);
    return result;
}

/* --- SELECT ----------------------------------------------------------------------------------------------- */

static struct sym *evaluate_outputs(struct symbolic *s, const struct output *outputs,
                                    uint32_t count, term guard)
{
    struct sym *cells = arena_take(&s->arena, (size_t)count + 1, sizeof *cells);
    term before = symbolic_narrow(s, guard);

    for (uint32_t i = 0; i < count; i++)
        cells[i] = symbolic_evaluate(s, outputs[i].value);
    s->guard = before;
    return cells;
}

static bool is_plain_row(const struct query *query)
{
    const struct select *select = &query->as.select;

    return query->kind == QUERY_SELECT && select->source_count == 0 && !select->aggregates &&
           !select->limit && !select->offset && select->arm_count == 0;
}

static const char *find_unknown(const struct select *select)
{
    if (select->arm_count > 0)
        return "UNION";
    if (select->source_count > 1)
        return "joins";
    if (select->group_count > 0 || select->having)
        return "GROUP BY";
    if (select->distinct)
        return "DISTINCT";
    if (select->limit || select->offset)
        return "LIMIT";
    return NULL;
}

/* Without FROM, or of aggregates. */
static struct sym_result one_row(struct symbolic *s, const struct select *select, term guard)
{
    struct sym_result result = { .count = 1, .width = select->output_count };

    result.rows = arena_take(&s->arena, 1, sizeof *result.rows);
    *result.rows =
        (struct sym_found){ SYMBOLIC_NO_ROW, guard,
                            evaluate_outputs(s, select->outputs, select->output_count, guard) };
    return result;
}

static struct sym_result run_select(struct symbolic *s, const struct query *query)
{
    const struct select *select = &query->as.select;
    const char *unknown = find_unknown(select);
    struct sym_result found;

    if (unknown || select->source_count == 0) {
        symbolic_stick(s, query->line, unknown ? unknown : "this SELECT without FROM");
        return (struct sym_result){ .count = 0 };
    }
    found = find_rows(s, select->sources[0].table, select->where, select->lock != ROW_LOCK_NONE);
    found.width = select->output_count;
    s->group = found.rows;
    s->group_count = found.count;
    if (select->aggregates)
        return one_row(s, select, TERM_TRUE);
    for (uint32_t i = 0; i < found.count; i++) {
        s->sources[0] = found.rows[i].cells;
        found.rows[i].cells =
            evaluate_outputs(s, select->outputs, select->output_count, found.rows[i].guard);
    }
    return found;
}

/* --- Writes ----------------------------------------------------------------------------------------------- */

/* Whether other rows have a say in what this column may become. */
static bool is_shared(const struct symbolic *s, uint32_t table, uint16_t column)
{
    const struct schema *schema = &s->tree->schema;
    bool is_in = schema_has_column(schema->tables[table].key, column);

    for (uint16_t i = 0; i < schema->tables[table].unique_count; i++)
        is_in |= schema_has_column(schema->tables[table].uniques[i].columns, column);
    for (uint32_t i = 0; i < schema->reference_count; i++) {
        const struct schema_reference *r = &schema->references[i];

        is_in |= (r->from == table && schema_has_column(r->columns, column)) ||
                 (r->to == table && schema_has_column(r->targets, column));
    }
    return is_in;
}

static bool is_referring(const struct symbolic *s, uint32_t table, bool is_referred)
{
    const struct schema *schema = &s->tree->schema;

    for (uint32_t i = 0; i < schema->reference_count; i++)
        if ((is_referred ? schema->references[i].to : schema->references[i].from) == table)
            return true;
    return false;
}

/* NOT NULL and CHECK. */
static void check_row(struct symbolic *s, uint32_t table, const struct sym *cells, term guard)
{
    const struct schema_table *schema = &s->tree->schema.tables[table];
    term before = symbolic_narrow(s, guard);

    for (uint16_t i = 0; i < schema->column_count; i++)
        if (schema->columns[i].not_null)
            symbolic_fail(s, cells[i].null, SQLSTATE_NOT_NULL);
    s->sources[0] = cells;
    for (uint16_t i = 0; i < schema->check_count; i++)
        symbolic_fail(s, sym_is_false(&s->terms, symbolic_evaluate(s, schema->checks[i].condition)),
                      SQLSTATE_CHECK);
    s->guard = before;
}

/* Source 0 is the row as it is. */
static struct sym *assign_cells(struct symbolic *s, uint32_t table, const struct sym *cells,
                                const struct assignment *assignments, uint32_t count)
{
    uint16_t width = s->tree->schema.tables[table].column_count;
    struct sym *after = arena_take(&s->arena, (size_t)width + 1, sizeof *after);

    memcpy(after, cells, width * sizeof *after);
    for (uint32_t i = 0; i < count; i++) {
        if (is_shared(s, table, assignments[i].column))
            symbolic_stick(s, assignments[i].value->line,
                           "an UPDATE of a column of a key, or of one that refers");
        after[assignments[i].column] = symbolic_evaluate(s, assignments[i].value);
    }
    return after;
}

static struct sym_result run_update(struct symbolic *s, const struct query *query)
{
    const struct update *u = &query->as.update;
    struct sym_result found = find_rows(s, u->target.table, u->where, true);
    term guard = s->guard;

    found.width = u->returning_count;
    for (uint32_t i = 0; i < found.count && !s->is_stuck; i++) {
        struct sym_found *row = &found.rows[i];
        struct sym *after;

        s->guard = terms_and(&s->terms, guard, row->guard);
        s->sources[0] = row->cells;
        after = assign_cells(s, u->target.table, row->cells, u->assignments, u->assignment_count);
        s->guard = guard;
        check_row(s, u->target.table, after, row->guard);
        symbolic_write(s, row->row, row->guard, (struct sym_view){ TERM_TRUE, after });
        s->sources[0] = after;
        row->cells = evaluate_outputs(s, u->returning, u->returning_count, row->guard);
    }
    return found;
}

static struct sym_result run_delete(struct symbolic *s, const struct query *query)
{
    const struct delete *d = &query->as.delete;
    struct sym_result found;

    if (is_referring(s, d->target.table, true))
        symbolic_stick(s, query->line, "DELETE from a table that others refer to");
    found = find_rows(s, d->target.table, d->where, true);
    found.width = d->returning_count;
    for (uint32_t i = 0; i < found.count && !s->is_stuck; i++) {
        struct sym_found *row = &found.rows[i];

        symbolic_write(s, row->row, row->guard, (struct sym_view){ TERM_FALSE, row->cells });
        s->sources[0] = row->cells;
        row->cells = evaluate_outputs(s, d->returning, d->returning_count, row->guard);
    }
    return found;
}

/* `found` becomes the row as the statement leaves it, if it writes it. */
static void insert_row(struct symbolic *s, const struct insert *n, const struct sym *cells,
                       uint32_t line, struct sym_found *found)
{
    const struct schema_table *schema = &s->tree->schema.tables[n->target.table];
    struct datum *key = arena_take(&s->arena, (size_t)schema->column_count + 1, sizeof *key);
    struct terms *t = &s->terms;
    struct sym_view view;
    term updates, before;
    struct sym *after;

    for (uint16_t i = 0; i < schema->key.count; i++) {
        if (!sym_find_datum(s, cells[schema->key.at[i]], &key[schema->key.at[i]])) {
            symbolic_stick(s, line, "an INSERT with a key that depends on what was read");
            return;
        }
        symbolic_fail(s, cells[schema->key.at[i]].null, SQLSTATE_NOT_NULL);
    }
    check_row(s, n->target.table, cells, TERM_TRUE);
    found->row = symbolic_find_row(s, n->target.table, key, true);
    if (found->row == SYMBOLIC_NO_ROW || symbolic_guard(s) == TERM_FALSE)
        return;
    view = symbolic_see(s, found->row, s->mode == RUN_LOCKING);
    if (n->action == CONFLICT_ERROR)
        symbolic_fail(s, view.exists, SQLSTATE_UNIQUE);
    found->guard = n->action == CONFLICT_ERROR ? TERM_TRUE : terms_not(t, view.exists);
    found->cells = cells;
    symbolic_write(s, found->row, terms_not(t, view.exists), (struct sym_view){ TERM_TRUE, cells });
    if (n->action != CONFLICT_UPDATE || view.exists == TERM_FALSE)
        return;
    s->sources[1] = cells;
    updates = matches(s, &view, n->conflict_where);
    s->sources[0] = view.cells;
    before = symbolic_narrow(s, updates);
    after = assign_cells(s, n->target.table, view.cells, n->assignments, n->assignment_count);
    s->guard = before;
    check_row(s, n->target.table, after, updates);
    symbolic_write(s, found->row, updates, (struct sym_view){ TERM_TRUE, after });
    found->guard = terms_or(t, updates, found->guard);
    for (uint16_t i = 0; i < schema->column_count; i++)
        after[i] = sym_merge(s, updates, after[i], cells[i]);
    found->cells = after;
}

static struct sym_result run_insert(struct symbolic *s, const struct query *query)
{
    const struct insert *n = &query->as.insert;
    const struct schema_table *schema = &s->tree->schema.tables[n->target.table];
    uint32_t width = n->row_count > 0 ? n->value_count / n->row_count : 0;
    struct sym_result result = { .width = n->returning_count, .count = n->row_count };

    if (schema->unique_count > 0 || schema->is_numbered || is_referring(s, n->target.table, false))
        symbolic_stick(s, query->line,
                       "INSERT into a table with UNIQUE or REFERENCES, or without a key");
    result.rows = arena_take(&s->arena, (size_t)n->row_count + 1, sizeof *result.rows);
    for (uint32_t i = 0; i < n->row_count && !s->is_stuck; i++) {
        struct sym_found *row = &result.rows[i];
        struct sym *cells = arena_take(&s->arena, (size_t)width + 1, sizeof *cells);

        for (uint32_t k = 0; k < width; k++)
            cells[k] = symbolic_evaluate(s, n->values[i * width + k]);
        row->guard = TERM_FALSE;
        insert_row(s, n, cells, query->line, row);
        s->sources[0] = row->cells;
        if (row->guard != TERM_FALSE)
            row->cells = evaluate_outputs(s, n->returning, n->returning_count, row->guard);
    }
    return result;
}

struct sym_result symbolic_query(struct symbolic *s, const struct query *query)
{
    const struct sym **before = s->sources, *sources[2] = { NULL, NULL };
    struct sym_result result;

    s->sources = sources;
    if (is_plain_row(query)) {
        const struct select *row = &query->as.select;

        result =
            one_row(s, row, row->where ? sym_is_true(symbolic_evaluate(s, row->where)) : TERM_TRUE);
        s->sources = before;
        return result;
    }
    symbolic_begin_statement(s);
    if (query->kind == QUERY_SELECT)
        result = run_select(s, query);
    else if (query->kind == QUERY_UPDATE)
        result = run_update(s, query);
    else if (query->kind == QUERY_DELETE)
        result = run_delete(s, query);
    else
        result = run_insert(s, query);
    s->sources = before;
    return result;
}
