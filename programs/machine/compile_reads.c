#include "programs/machine/compile_reads_private.h"

#include <assert.h>
#include <stdlib.h>

#include "programs/machine/compile_expression_private.h"

static uint32_t bits_of(uint32_t first, uint32_t count)
{
    return ((UINT32_C(1) << count) - 1) << first;
}

static uint32_t sources_of(const struct expression *e);

static void add_sources(void *set, const struct expression *e)
{
    *(uint32_t *)set |= sources_of(e);
}

/* Those around a subquery that it has columns of, but not its own. */
static uint32_t sources_of(const struct expression *e)
{
    uint32_t set = e->kind == EXPRESSION_COLUMN ? UINT32_C(1) << e->as.column.source : 0;

    if (e->kind == EXPRESSION_SUBQUERY && e->as.subquery.is_correlated) {
        const struct select *select = &e->as.subquery.query->as.select;

        tree_visit_select(select, add_sources, &set);
        set &= ~bits_of(select->first_source, select->source_count);
    }
    for (uint32_t i = 0; i < e->argument_count; i++)
        set |= sources_of(e->arguments[i]);
    return set;
}

static bool is_set(const struct compiler *c, const struct expression *e)
{
    for (size_t i = 0; i < c->subqueries.count; i++)
        if (c->subqueries.at[i].e == e)
            return c->subqueries.at[i].is_set;
    return false;
}

enum conjunct_kind compile_kind_of(const struct compiler *c, const struct expression *e)
{
    enum conjunct_kind kind = CONJUNCT_PLAIN;

    if (e->kind == EXPRESSION_SUBQUERY)
        kind = e->as.subquery.is_correlated ? CONJUNCT_FINAL
               : is_set(c, e)               ? CONJUNCT_SET
                                            : CONJUNCT_PLAIN;
    for (uint32_t i = 0; i < e->argument_count; i++) {
        enum conjunct_kind of_argument = compile_kind_of(c, e->arguments[i]);
        kind = of_argument > kind ? of_argument : kind;
    }
    return kind;
}

void compile_take_apart(struct compiler *c, const struct expression *e, struct conjunct_list *where)
{
    if (!e)
        return;
    if (e->kind == EXPRESSION_AND) {
        for (uint32_t i = 0; i < e->argument_count; i++)
            compile_take_apart(c, e->arguments[i], where);
        return;
    }
    if (c->status == STATUS_OK)
        c->status = array_push(&where->conjuncts, e, c->err);
    if (c->status == STATUS_OK)
        c->status = array_push(&where->sources, sources_of(e), c->err);
    if (c->status == STATUS_OK)
        c->status = array_push(&where->kinds, (uint8_t)compile_kind_of(c, e), c->err);
}

static void conjunct_list_close(struct conjunct_list *where)
{
    array_close(&where->conjuncts);
    array_close(&where->sources);
    array_close(&where->kinds);
}

/* The condition of one source, from the conjuncts that need no other. */
static const struct condition *condition_of(struct compiler *c, const struct conjunct_list *where,
                                            uint16_t source, uint32_t table)
{
    ARRAY(const struct expression *) own = { 0 };
    const struct condition *condition = NULL;

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++)
        if (where->sources.at[i] == UINT32_C(1) << source &&
            where->kinds.at[i] == CONJUNCT_PLAIN)
            c->status = array_push(&own, where->conjuncts.at[i], c->err);
    if (c->status == STATUS_OK)
        c->status = compile_condition(&(struct condition_conjuncts){ own.at, (uint32_t)own.count, source, table, false },
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

/* Whether a conjunct can first be computed when the source has been read, and needs another one. */
static bool is_joinable(const struct conjunct_list *where, size_t conjunct, uint16_t source, uint32_t read)
{
    uint32_t set = where->sources.at[conjunct], own = UINT32_C(1) << source;

    return (set & own) && set != own && !(set & ~(read | own)) &&
           where->kinds.at[conjunct] != CONJUNCT_FINAL;
}

static bool is_pinned(const struct conjunct_list *where, const struct read_code *reading, uint32_t read,
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

static bool all_pinned(const struct conjunct_list *where, const struct read_code *reading, uint32_t read,
                       struct schema_columns columns)
{
    for (uint32_t i = 0; i < columns.count; i++)
        if (!is_pinned(where, reading, read, columns.at[i]))
            return false;
    return true;
}

/* Whole keys first, then whole uniques, then what pins most, then what says anything. */
static uint32_t merit_of(struct compiler *c, const struct conjunct_list *where,
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

/* What is compiled of one read, until it is kept. */
struct read_draft {
    ARRAY(struct join_code) joins;
    ARRAY(struct formula) filters, after;
    ARRAY(struct set_code) sets;
};

static void keep_read(struct compiler *c, struct read_draft *draft, struct read_code *reading)
{
    reading->joins = compile_keep(c, draft->joins.at, draft->joins.count, sizeof *draft->joins.at);
    reading->join_count = (uint32_t)draft->joins.count;
    reading->filters =
        compile_keep(c, draft->filters.at, draft->filters.count, sizeof *draft->filters.at);
    reading->filter_count = (uint32_t)draft->filters.count;
    reading->after = compile_keep(c, draft->after.at, draft->after.count, sizeof *draft->after.at);
    reading->after_count = (uint32_t)draft->after.count;
    reading->sets = compile_keep(c, draft->sets.at, draft->sets.count, sizeof *draft->sets.at);
    reading->set_count = (uint32_t)draft->sets.count;
    array_close(&draft->joins);
    array_close(&draft->filters);
    array_close(&draft->after);
    array_close(&draft->sets);
}

/* column IN (a set) confines what has to be read. */
static void compile_set(struct compiler *c, const struct expression *e, uint16_t source,
                        struct read_draft *draft)
{
    const struct expression *column;
    struct set_code set;

    if (!is_set(c, e))
        return;
    column = compile_peel(e->arguments[0]);
    if (column->kind != EXPRESSION_COLUMN || column->as.column.source != source)
        return;
    set.column = column->as.column.column;
    for (size_t i = 0; i < c->subqueries.count; i++)
        if (c->subqueries.at[i].e == e)
            set.set = c->subqueries.at[i].slot;
    PUSH(c, &draft->sets, set);
}

/*
 * Which conjuncts of a list are filters where this source has been read. Of the list of an outer
 * join (`is_on`) are also those that do not need the source at all.
 */
static void compile_filters(struct compiler *c, const struct conjunct_list *where, bool is_on,
                            const struct read_code *reading, uint32_t read,
                            struct read_draft *draft)
{
    uint32_t own = UINT32_C(1) << reading->source;

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++) {
        const struct expression *e = where->conjuncts.at[i], *other, *column = NULL;
        bool is_own = where->sources.at[i] == own && where->kinds.at[i] == CONJUNCT_SET;
        bool is_joined = is_joinable(where, i, reading->source, read);

        if (!is_joined && !is_own && !(is_on && !(where->sources.at[i] & own)))
            continue;
        if (is_joined && where->kinds.at[i] == CONJUNCT_PLAIN)
            column = join_column(e, reading->source, &other);
        if (column) {
            struct join_code join = { column->as.column.column, compile_formula(c, other) };
            PUSH(c, &draft->joins, join);
        }
        if (is_own)
            compile_set(c, e, reading->source, draft);
        {
            struct formula filter = compile_formula(c, e);
            PUSH(c, &draft->filters, filter);
        }
    }
}

/* What WHERE says of a source that an outer join may leave out is asked of what is there then. */
static void compile_after(struct compiler *c, const struct conjunct_list *where,
                          const struct read_code *reading, uint32_t read, struct read_draft *draft)
{
    uint32_t own = UINT32_C(1) << reading->source;

    for (size_t i = 0; i < where->conjuncts.count && c->status == STATUS_OK; i++) {
        struct formula filter;

        if (!(where->sources.at[i] & own) || (where->sources.at[i] & ~(read | own)) ||
            where->kinds.at[i] == CONJUNCT_FINAL)
            continue;
        filter = compile_formula(c, where->conjuncts.at[i]);
        PUSH(c, &draft->after, filter);
    }
}

/* --- Selects within each other ---------------------------------------------------- */

struct query_plan *query_plan_new(struct compiler *c, struct query_plan *outer)
{
    struct query_plan *plan = calloc(1, sizeof *plan);

    if (plan)
        plan->outer = outer;
    else
        compile_fail(c, "the program does not fit into memory");
    return plan;
}

void query_plan_close(struct query_plan *plan)
{
    if (!plan)
        return;
    conjunct_list_close(&plan->where);
    for (uint32_t i = 0; i < plan->source_count && i < SOURCES_MAX; i++)
        conjunct_list_close(&plan->on[i]);
    for (size_t i = 0; i < plan->inner.count; i++)
        query_plan_close(plan->inner.at[i]);
    array_close(&plan->inner);
    free(plan);
}

static void query_plan_reads(struct compiler *c, struct query_plan *plan, struct query_code *code)
{
    struct read_code *reads = (struct read_code *)code->reads;

    plan->first_read = code->read_count;
    for (uint32_t i = 0; i < plan->source_count && c->status == STATUS_OK; i++) {
        struct read_code *reading = &reads[code->read_count++];
        uint16_t number = (uint16_t)(plan->first_source + i);

        reading->source = number;
        reading->table = plan->sources[i].table;
        reading->is_optional = plan->sources[i].is_optional;
        reading->is_needed = !plan->e && !reading->is_optional;
        if (reading->is_optional)
            compile_take_apart(c, plan->sources[i].on, &plan->on[i]);
        reading->condition = condition_of(c, reading->is_optional ? &plan->on[i] : &plan->where,
                                          number, reading->table);
        reading->parameters = compile_parameters(c, reading->condition);
    }
}

struct planner {
    struct compiler *c;
    struct query_plan *plan;
    struct query_code *code;
};

/* Plans the correlated subqueries of an expression, but not those in them. */
static void query_plan_inner(void *context, const struct expression *e)
{
    struct planner *p = context;
    struct compiler *c = p->c;

    for (uint32_t i = 0; i < e->argument_count; i++)
        query_plan_inner(context, e->arguments[i]);
    if (e->kind != EXPRESSION_SUBQUERY || !e->as.subquery.is_correlated || c->status != STATUS_OK)
        return;
    for (size_t i = 0; i < p->plan->inner.count; i++)
        if (p->plan->inner.at[i]->e == e)
            return;
    {
        struct query_plan *inner = query_plan_new(c, p->plan);

        PUSH(c, &p->plan->inner, inner);
        if (c->status != STATUS_OK) {
            query_plan_close(inner);
            return;
        }
        inner->e = e;
        inner->select = &e->as.subquery.query->as.select;
        inner->sources = inner->select->sources;
        inner->source_count = inner->select->source_count;
        inner->first_source = inner->select->first_source;
        query_plan_select(c, inner, p->code);
    }
}

struct operand query_plan_row_count(struct compiler *c, const struct expression *e)
{
    return e ? compile_expression(c, e, SLOT_ANY) : compile_constant(c, datum_null());
}

/* What is computed before anything is read, of a select and those within it. */
void query_plan_select(struct compiler *c, struct query_plan *plan, struct query_code *code)
{
    struct planner planner = { c, plan, code };

    if (plan->select && plan->e)
        compile_take_apart(c, plan->select->where, &plan->where);
    query_plan_reads(c, plan, code);
    if (!plan->select)
        return;
    plan->limit = query_plan_row_count(c, plan->select->limit);
    plan->offset = query_plan_row_count(c, plan->select->offset);
    if (plan->e && plan->select->distinct && (plan->select->limit || plan->select->offset))
        compile_fail(c, "LIMIT or OFFSET of DISTINCT in a correlated subquery is not supported");
    tree_visit_select(plan->select, query_plan_inner, &planner);
}

void query_plan_expression(struct compiler *c, struct query_plan *plan, struct query_code *code,
                     const struct expression *e)
{
    struct planner planner = { c, plan, code };

    query_plan_inner(&planner, e);
}

uint32_t query_plan_sources(const struct query_plan *plan)
{
    return bits_of(plan->first_source, plan->source_count);
}

/* Whether the sources that an outer join's condition has are all read. */
static bool is_eligible(const struct query_plan *plan, const struct read_code *reading, uint32_t read)
{
    const struct conjunct_list *on = &plan->on[reading->source - plan->first_source];

    for (size_t i = 0; reading->is_optional && i < on->conjuncts.count; i++)
        if (on->sources.at[i] & query_plan_sources(plan) & ~(read | UINT32_C(1) << reading->source))
            return false;
    return true;
}

static void compile_read(struct compiler *c, const struct query_plan *plan, struct read_code *reading,
                         uint32_t read)
{
    struct read_draft draft = { 0 };

    if (reading->is_optional) {
        compile_filters(c, &plan->on[reading->source - plan->first_source], true, reading, read,
                        &draft);
        compile_after(c, &plan->where, reading, read, &draft);
    } else {
        compile_filters(c, &plan->where, false, reading, read, &draft);
    }
    keep_read(c, &draft, reading);
}

static uint32_t better_of(struct compiler *c, const struct query_plan *plan,
                          const struct read_code *reads, uint32_t best, uint32_t other,
                          uint32_t read)
{
    const struct conjunct_list *of_best = &plan->where, *of_other = &plan->where;

    if (!is_eligible(plan, &reads[other], read))
        return best;
    if (!is_eligible(plan, &reads[best], read))
        return other;
    if (reads[best].is_optional)
        of_best = &plan->on[reads[best].source - plan->first_source];
    if (reads[other].is_optional)
        of_other = &plan->on[reads[other].source - plan->first_source];
    return merit_of(c, of_other, &reads[other], read) > merit_of(c, of_best, &reads[best], read)
               ? other
               : best;
}

/* The reads whose rows are at hand before one of the plan's: those of the selects around first. */
static uint32_t list_before(const struct query_plan *plan, uint32_t read, uint16_t *list)
{
    uint32_t count = plan->outer
                         ? list_before(plan->outer, plan->outer->first_read + plan->outer->source_count, list)
                         : 0;

    for (uint32_t i = plan->first_read; i < read; i++)
        list[count++] = (uint16_t)i;
    return count;
}

/* Puts the reads into the order in which they are made. */
void query_plan_order(struct compiler *c, const struct query_plan *plan, struct query_code *code,
                        uint32_t read)
{
    struct read_code *reads = (struct read_code *)code->reads + plan->first_read;
    uint16_t before[SOURCES_MAX];

    for (uint32_t i = 0; i < plan->source_count && c->status == STATUS_OK; i++) {
        uint32_t best = i;
        struct read_code chosen;

        for (uint32_t k = i + 1; k < plan->source_count; k++)
            best = better_of(c, plan, reads, best, k, read);
        chosen = reads[best];
        /* The others keep their order. */
        for (uint32_t k = best; k > i; k--)
            reads[k] = reads[k - 1];
        compile_read(c, plan, &chosen, read);
        chosen.before_count = list_before(plan, plan->first_read + i, before);
        chosen.before = compile_keep(c, before, chosen.before_count, sizeof *before);
        for (uint32_t k = 0; k < chosen.before_count; k++)
            before[k] = code->reads[before[k]].source;
        chosen.before_sources = compile_keep(c, before, chosen.before_count, sizeof *before);
        read |= UINT32_C(1) << chosen.source;
        reads[i] = chosen;
    }
}
