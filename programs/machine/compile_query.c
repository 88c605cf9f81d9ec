#include "programs/machine/compile_query_private.h"

#include "programs/machine/compile_expression_private.h"

#include <assert.h>

/* A WHERE taken apart; each conjunct with the set of sources it needs, a bit each. */
struct where {
    ARRAY(const struct expression *) conjuncts;
    ARRAY(uint32_t) sources;
};

static uint32_t sources_of(const struct expression *e)
{
    uint32_t set = e->kind == EXPRESSION_COLUMN ? UINT32_C(1) << e->as.column.source : 0;

    for (uint32_t i = 0; i < e->argument_count; i++)
        set |= sources_of(e->arguments[i]);
    return set;
}

static void take_apart(struct compiler *c, const struct expression *e, struct where *where)
{
    if (!e)
        return;
    if (e->kind == EXPRESSION_AND) {
        for (uint32_t i = 0; i < e->argument_count; i++)
            take_apart(c, e->arguments[i], where);
        return;
    }
    if (c->status == STATUS_OK)
        c->status = array_push(&where->conjuncts, e, c->err);
    if (c->status == STATUS_OK)
        c->status = array_push(&where->sources, sources_of(e), c->err);
}

static void where_close(struct where *where)
{
    array_close(&where->conjuncts);
    array_close(&where->sources);
}

/* The condition of one source, from the conjuncts that need no other. */
static const struct condition *condition_of(struct compiler *c, const struct where *where,
                                            uint16_t source, uint32_t table)
{
    ARRAY(const struct expression *) own = { 0 };
    const struct condition *condition = NULL;

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++)
        if (where->sources.at[i] == UINT32_C(1) << source)
            c->status = array_push(&own, where->conjuncts.at[i], c->err);
    if (c->status == STATUS_OK)
        c->status = compile_condition(&(struct condition_conjuncts){ own.at, (uint32_t)own.count, source, table },
                                      c->arena, &condition, c->err);
    if (c->status != STATUS_OK && c->err->line == 0)
        c->err->line = c->line;
    array_close(&own);
    return condition;
}

static const struct operand *compile_parameters(struct compiler *c,
                                                const struct condition *condition)
{
    struct operand *at;

    if (c->status != STATUS_OK)
        return NULL;
    at = arena_push(c->arena, condition->parameter_count, sizeof *at);
    if (!at) {
        compile_fail(c, "the program does not fit into memory");
        return NULL;
    }
    for (uint32_t i = 0; i < condition->parameter_count; i++)
        at[i] = compile_expression(c, condition->parameters[i], SLOT_ANY);
    return at;
}

/* The side of an equality that is a column of the source; the other has none of it. */
static const struct expression *join_column(const struct expression *e, uint16_t source,
                                            const struct expression **other)
{
    if (e->kind != EXPRESSION_APPLY || (e->as.apply.code != OPERATOR_EQUAL_INTEGER &&
                                        e->as.apply.code != OPERATOR_EQUAL_OTHER))
        return NULL;
    for (uint32_t side = 0; side < 2; side++) {
        const struct expression *column = compile_peel(e->arguments[side]);

        *other = e->arguments[1 - side];
        if (column->kind == EXPRESSION_COLUMN && column->as.column.source == source &&
            !(sources_of(*other) >> source & 1))
            return column;
    }
    return NULL;
}

static bool is_joinable(const struct where *where, size_t conjunct, uint16_t source, uint32_t read)
{
    uint32_t set = where->sources.at[conjunct], own = UINT32_C(1) << source;

    return (set & own) && set != own && !(set & ~(read | own));
}

static bool is_pinned(const struct where *where, const struct read_code *reading, uint32_t read,
                      uint16_t column)
{
    for (uint32_t i = 0; i < reading->condition->bound_count; i++)
        if (reading->condition->bounds[i].column == column &&
            reading->condition->bounds[i].comparison == COMPARISON_EQUAL)
            return true;
    for (size_t i = 0; i < where->conjuncts.count; i++) {
        const struct expression *other, *joined;

        if (!is_joinable(where, i, reading->source, read))
            continue;
        joined = join_column(where->conjuncts.at[i], reading->source, &other);
        if (joined && joined->as.column.column == column)
            return true;
    }
    return false;
}

static bool all_pinned(const struct where *where, const struct read_code *reading, uint32_t read,
                       struct schema_columns columns)
{
    for (uint32_t i = 0; i < columns.count; i++)
        if (!is_pinned(where, reading, read, columns.at[i]))
            return false;
    return true;
}

/* Whole keys first, then whole uniques, then what pins most, then what says anything. */
static uint32_t merit_of(struct compiler *c, const struct where *where,
                         const struct read_code *reading, uint32_t read)
{
    const struct schema_table *t = &c->tree->schema.tables[reading->table];
    uint32_t merit = reading->condition->bound_count > 0;

    for (uint16_t i = 0; i < t->column_count; i++)
        merit += is_pinned(where, reading, read, i) ? 2 : 0;
    for (uint32_t i = 0; i < t->key.count; i++)
        merit += is_pinned(where, reading, read, t->key.at[i]) ? UINT32_C(10000) : 0;
    for (uint32_t i = 0; i < t->unique_count; i++)
        if (all_pinned(where, reading, read, t->uniques[i].columns))
            merit |= UINT32_C(1) << 29;
    return all_pinned(where, reading, read, t->key) ? merit | UINT32_C(1) << 30 : merit;
}

static void compile_joins(struct compiler *c, const struct where *where, struct read_code *reading,
                          uint32_t read)
{
    ARRAY(struct join_code) joins = { 0 };
    ARRAY(struct formula) filters = { 0 };

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++) {
        const struct expression *other, *column;
        struct formula filter;

        if (!is_joinable(where, i, reading->source, read))
            continue;
        column = join_column(where->conjuncts.at[i], reading->source, &other);
        if (column) {
            struct join_code join = { column->as.column.column, compile_formula(c, other) };
            c->status = c->status == STATUS_OK ? array_push(&joins, join, c->err) : c->status;
        }
        filter = compile_formula(c, where->conjuncts.at[i]);
        c->status = c->status == STATUS_OK ? array_push(&filters, filter, c->err) : c->status;
    }
    reading->joins = compile_keep(c, joins.at, joins.count, sizeof *joins.at);
    reading->join_count = (uint32_t)joins.count;
    reading->filters = compile_keep(c, filters.at, filters.count, sizeof *filters.at);
    reading->filter_count = (uint32_t)filters.count;
    array_close(&joins);
    array_close(&filters);
}

/* Puts the reads into the order in which they are made. */
static void order_reads(struct compiler *c, const struct where *where, struct read_code *reads,
                        uint32_t count)
{
    uint32_t read = 0;

    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++) {
        uint32_t best = i;
        struct read_code chosen;

        for (uint32_t k = i + 1; k < count; k++)
            if (merit_of(c, where, &reads[k], read) > merit_of(c, where, &reads[best], read))
                best = k;
        chosen = reads[best];
        /* The others keep their order. */
        for (uint32_t k = best; k > i; k--)
            reads[k] = reads[k - 1];
        compile_joins(c, where, &chosen, read);
        read |= UINT32_C(1) << chosen.source;
        reads[i] = chosen;
    }
}

static void compile_reads(struct compiler *c, const struct where *where,
                          const struct query_source *sources, uint32_t count, struct query_code *code)
{
    struct read_code *reads = arena_push(c->arena, count, sizeof *reads);

    if (!reads)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++) {
        reads[i].source = (uint16_t)i;
        reads[i].table = sources[i].table;
        reads[i].condition = condition_of(c, where, (uint16_t)i, sources[i].table);
        reads[i].parameters = compile_parameters(c, reads[i].condition);
    }
    code->reads = reads;
    code->read_count = count;
}

static void order_and_join(struct compiler *c, const struct where *where, struct query_code *code)
{
    if (c->status == STATUS_OK)
        order_reads(c, where, (struct read_code *)code->reads, code->read_count);
}

/* Conjuncts without columns: where one is not true, the slot stays false. */
static struct operand compile_guards(struct compiler *c, const struct where *where,
                                     uint32_t **jumps, uint32_t *jump_count)
{
    ARRAY(uint32_t) list = { 0 };
    struct operand guard = { 0 };

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++) {
        uint32_t mark, jump;

        if (where->sources.at[i] != 0)
            continue;
        if (list.count == 0) {
            guard = operand_of_slot(compile_take_slots(c, 1));
            compile_emit(c, (struct step){ .kind = STEP_MOVE,
                                            .to = guard.index,
                                            .a = compile_constant(c, datum_of_bool(false)) });
        }
        mark = c->next;
        jump = compile_unless(c, where->conjuncts.at[i]);
        c->next = mark;
        c->status = c->status == STATUS_OK ? array_push(&list, jump, c->err) : c->status;
    }
    *jumps = list.at;
    *jump_count = (uint32_t)list.count;
    return list.count > 0 ? guard : compile_constant(c, datum_of_bool(true));
}

static void open_guard(struct compiler *c, struct operand guard, const uint32_t *jumps,
                       uint32_t count)
{
    if (count > 0)
        compile_emit(c, (struct step){ .kind = STEP_MOVE,
                                        .to = guard.index,
                                        .a = compile_constant(c, datum_of_bool(true)) });
    for (uint32_t i = 0; i < count; i++)
        compile_aim(c, jumps[i]);
}

static void compile_outputs(struct compiler *c, const struct output *outputs, uint32_t count,
                            struct query_code *code)
{
    struct formula *at = arena_push(c->arena, count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++)
        at[i] = compile_formula(c, outputs[i].value);
    code->outputs = at;
    code->output_count = count;
}

static void compile_assignments(struct compiler *c, const struct assignment *assignments,
                                uint32_t count, struct query_code *code)
{
    struct assignment_code *at = arena_push(c->arena, count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++)
        at[i] = (struct assignment_code){ assignments[i].column,
                                          compile_formula(c, assignments[i].value) };
    code->assignments = at;
    code->assignment_count = count;
}

static void compile_groups_and_order(struct compiler *c, const struct select *select,
                                     struct query_code *code)
{
    struct formula *groups = arena_push(c->arena, select->group_count, sizeof *groups);
    struct order_code *order = arena_push(c->arena, select->order_count, sizeof *order);

    if (!groups || !order)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < select->group_count && c->status == STATUS_OK; i++)
        groups[i] = compile_formula(c, select->group_by[i]);
    for (uint32_t i = 0; i < select->order_count && c->status == STATUS_OK; i++)
        order[i] = (struct order_code){ compile_formula(c, select->order[i].by),
                                        select->order[i].descending,
                                        select->order[i].nulls_first };
    code->groups = groups;
    code->group_count = select->group_count;
    code->order = order;
    code->order_count = select->order_count;
}

/* Those that outputs and order mentioned. Their arguments cannot have aggregates of their own. */
static void compile_aggregates(struct compiler *c, struct query_code *code)
{
    size_t count = c->aggregates.count;
    struct aggregate_code *at = arena_push(c->arena, count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    for (size_t i = 0; i < count && c->status == STATUS_OK; i++) {
        const struct expression *e = c->aggregates.at[i];

        at[i].choice.kind = e->as.aggregate.kind;
        at[i].choice.result = e->type;
        at[i].distinct = e->as.aggregate.distinct;
        if (e->argument_count > 0) {
            at[i].choice.takes = e->arguments[0]->type;
            at[i].argument = compile_formula(c, e->arguments[0]);
        }
    }
    assert(c->aggregates.count == count);
    c->aggregates.count = 0;
    code->aggregates = at;
    code->aggregate_count = (uint32_t)count;
}

/* A row of expressions is computed in place: there may be calls in it. */
static void compile_row(struct compiler *c, const struct select *select, struct query_code *code)
{
    struct formula *at = arena_push(c->arena, select->output_count, sizeof *at);

    if (!at)
        compile_fail(c, "the program does not fit into memory");
    for (uint32_t i = 0; i < select->output_count && c->status == STATUS_OK; i++)
        at[i].result = compile_expression(c, select->outputs[i].value, SLOT_ANY);
    code->outputs = at;
    code->output_count = select->output_count;
}

static void compile_select(struct compiler *c, const struct select *select, const struct where *w,
                           struct query_code *code)
{
    bool is_row = select->source_count == 0 && !select->aggregates;

    compile_reads(c, w, select->sources, select->source_count, code);
    code->limit = select->limit ? compile_expression(c, select->limit, SLOT_ANY)
                                : compile_constant(c, datum_null());
    if (is_row)
        compile_row(c, select, code);
    code->scratch = c->next;
    order_and_join(c, w, code);
    if (is_row)
        return;
    compile_outputs(c, select->outputs, select->output_count, code);
    compile_groups_and_order(c, select, code);
    compile_aggregates(c, code);
}

static void compile_insert(struct compiler *c, const struct insert *insert, struct query_code *code)
{
    uint32_t count = insert->row_count * c->tree->schema.tables[insert->target.table].column_count;
    struct formula *values = arena_push(c->arena, count, sizeof *values);

    if (!values)
        compile_fail(c, "the program does not fit into memory");
    code->scratch = c->next;
    for (uint32_t i = 0; i < count && c->status == STATUS_OK; i++)
        values[i] = compile_formula(c, insert->values[i]);
    code->values = values;
    compile_assignments(c, insert->assignments, insert->assignment_count, code);
    if (insert->conflict_where)
        code->conflict_where = compile_formula(c, insert->conflict_where);
    compile_outputs(c, insert->returning, insert->returning_count, code);
}

static void compile_update(struct compiler *c, const struct update *update, const struct where *w,
                           struct query_code *code)
{
    compile_reads(c, w, &update->target, 1, code);
    code->scratch = c->next;
    compile_assignments(c, update->assignments, update->assignment_count, code);
    compile_outputs(c, update->returning, update->returning_count, code);
}

static void compile_delete(struct compiler *c, const struct delete *delete, const struct where *w,
                           struct query_code *code)
{
    compile_reads(c, w, &delete->target, 1, code);
    code->scratch = c->next;
    compile_outputs(c, delete->returning, delete->returning_count, code);
}

static const struct expression *where_of(const struct query *query)
{
    switch (query->kind) {
    case QUERY_SELECT:
        return query->as.select.where;
    case QUERY_UPDATE:
        return query->as.update.where;
    case QUERY_DELETE:
        return query->as.delete.where;
    case QUERY_INSERT:
        break;
    }
    return NULL;
}

static void compile_kind(struct compiler *c, const struct query *query, const struct where *where,
                         struct query_code *code)
{
    uint32_t next_max = c->next_max;

    c->next_max = c->next;
    switch (query->kind) {
    case QUERY_SELECT:
        compile_select(c, &query->as.select, where, code);
        break;
    case QUERY_INSERT:
        compile_insert(c, &query->as.insert, code);
        break;
    case QUERY_UPDATE:
        compile_update(c, &query->as.update, where, code);
        break;
    case QUERY_DELETE:
        compile_delete(c, &query->as.delete, where, code);
        break;
    }
    code->scratch_end = c->next_max;
    if (c->next_max < next_max)
        c->next_max = next_max;
}

void compile_query(struct compiler *c, const struct query *query, enum query_use use, uint32_t to)
{
    struct query_code *code = arena_push(c->arena, 1, sizeof *code);
    struct where where = { 0 };
    uint32_t mark = c->next, *jumps, jump_count;
    struct operand guard;

    c->line = query->line;
    if (query->kind == QUERY_SELECT && query->as.select.source_count > SOURCES_MAX)
        compile_fail(c, "more than 8 tables in one statement");
    if (!code)
        compile_fail(c, "the program does not fit into memory");
    if (c->status != STATUS_OK)
        return;
    *code = (struct query_code){ .tree = query,
                                 .use = use,
                                 .to = (uint16_t)to,
                                 .found = (uint16_t)c->function->found };
    take_apart(c, where_of(query), &where);
    guard = compile_guards(c, &where, &jumps, &jump_count);
    compile_kind(c, query, &where, code);
    open_guard(c, guard, jumps, jump_count);
    c->line = query->line;
    compile_emit(c, (struct step){ .kind = STEP_QUERY, .a = guard, .as.query = code });
    free(jumps);
    where_close(&where);
    c->next = mark;
}
