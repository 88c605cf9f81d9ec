#include "audit/programs/open_order.h"

static void note(struct open_order *o, const struct query *q)
{
    size_t place;
    uint64_t line;

    if (o->status != STATUS_OK || map_find(&o->lines, (uint64_t)(uintptr_t)q, &line))
        return;
    /* What the arms of a UNION read is not told to be of it. */
    if (q->kind == QUERY_SELECT && q->as.select.arm_count > 0)
        o->line = q->line;
    o->status = map_add(&o->lines, (uint64_t)(uintptr_t)q, q->line, &place, o->err);
}

/* --- Whether the rows of a select are told apart ------------------------------------------------ */

/* Sources, as bits, of whose rows there is at most one, or one for each place in the order. */
struct fixed_sources {
    const struct select *select;
    uint64_t fixed;
};

static bool is_told(const struct fixed_sources *f, const struct query_source *from,
                    uint16_t source, uint16_t column)
{
    const struct select *s = f->select;

    for (uint32_t i = 0; i < s->order_count; i++)
        if (tree_is_column(s->order[i].by, source, column))
            return true;
    return tree_find_equal(s->where, source, column, f->fixed) ||
           tree_find_equal(from->on, source, column, f->fixed);
}

static bool are_told(const struct fixed_sources *f, const struct query_source *from,
                     uint16_t source, const struct schema_columns *columns)
{
    for (uint16_t i = 0; i < columns->count; i++)
        if (!is_told(f, from, source, columns->at[i]))
            return false;
    return columns->count > 0;
}

static bool is_fixed(const struct fixed_sources *f, const struct schema *schema, uint32_t number)
{
    const struct query_source *from = &f->select->sources[number];
    const struct schema_table *table = &schema->tables[from->table];
    uint16_t source = (uint16_t)(f->select->first_source + number);

    if (are_told(f, from, source, &table->key))
        return true;
    for (uint16_t u = 0; u < table->unique_count; u++)
        if (are_told(f, from, source, &table->uniques[u].columns))
            return true;
    return false;
}

static bool is_ordered_by(const struct select *s, const struct expression *e)
{
    if (e->kind != EXPRESSION_COLUMN)
        return e->kind == EXPRESSION_CONSTANT;
    for (uint32_t i = 0; i < s->order_count; i++)
        if (tree_is_column(s->order[i].by, e->as.column.source, e->as.column.column))
            return true;
    return false;
}

/* Rows that ORDER BY does not tell apart are the same. */
static bool shows_only_order(const struct select *s)
{
    for (uint32_t i = 0; i < s->output_count; i++)
        if (!is_ordered_by(s, s->outputs[i].value))
            return false;
    return s->lock == ROW_LOCK_NONE;
}

static bool has_one_order(const struct open_order *o, const struct select *s)
{
    struct fixed_sources f = { .select = s };
    uint32_t count = 0;

    if (s->arm_count > 0)
        return false;
    if (s->aggregates && s->group_count == 0)
        return true;
    if (s->output_count > 0 && shows_only_order(s))
        return true;
    if (s->group_count > 0)
        return false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->source_count; i++) {
            uint32_t source = s->first_source + i;

            if (source >= 64 || f.fixed & UINT64_C(1) << source ||
                !is_fixed(&f, &o->tree->schema, i))
                continue;
            f.fixed |= UINT64_C(1) << source;
            count++;
            more = true;
        }
    }
    return count == s->source_count;
}

/* Of an update or a delete, by its condition. */
static bool has_one_row(const struct open_order *o, const struct query_source *target,
                        const struct expression *where)
{
    struct select s = { .sources = target, .source_count = 1, .where = where };

    return has_one_order(o, &s);
}

static bool query_has_one_order(const struct open_order *o, const struct query *q)
{
    switch (q->kind) {
    case QUERY_SELECT:
        return has_one_order(o, &q->as.select);
    case QUERY_INSERT:
        return q->as.insert.row_count == 1;
    case QUERY_UPDATE:
        return has_one_row(o, &q->as.update.target, q->as.update.where);
    case QUERY_DELETE:
        return has_one_row(o, &q->as.delete.target, q->as.delete.where);
    }
    return false;
}

/* --- Where it matters ----------------------------------------------------------------------------- */

/* An expression of a query, or of none. */
struct seen_expression {
    struct open_order *open;
    const struct query *query;
};

static void see_expression(void *context, const struct expression *e)
{
    struct seen_expression *seen = context;
    struct open_order *o = seen->open;

    if (!e)
        return;
    if (e->kind == EXPRESSION_SUBQUERY) {
        const struct query *q = e->as.subquery.query;
        const struct select *s = &q->as.select;
        struct seen_expression inner = { o, seen->query ? seen->query : q };

        if (e->as.subquery.kind != SUBQUERY_EXISTS && (s->limit || s->offset) &&
            !has_one_order(o, s)) {
            note(o, q);
            note(o, inner.query); /* either may be named where it is read */
        }
        tree_visit_query(q, see_expression, &inner);
    }
    for (uint32_t i = 0; i < e->argument_count; i++)
        see_expression(seen, e->arguments[i]);
}

/* `uses_order`: what is done depends on which row comes first. */
static void see_query(struct open_order *o, const struct query *q, bool uses_order)
{
    tree_visit_query(q, see_expression, &(struct seen_expression){ o, q });
    if (q->kind == QUERY_SELECT && q->as.select.lock != ROW_LOCK_NONE && q->as.select.limit)
        uses_order = true;
    if (uses_order && !query_has_one_order(o, q))
        note(o, q);
}

static void see_alone(void *context, const struct expression *e)
{
    see_expression(&(struct seen_expression){ context, NULL }, e);
}

static void see_action(void *context, const struct action *a)
{
    const struct query *q = tree_query_of(a);

    tree_visit_action(a, see_alone, context);
    if (q)
        see_query(context, q,
                  a->kind == ACTION_FOR_QUERY || a->kind == ACTION_OPEN ||
                      (a->kind == ACTION_QUERY && a->as.query.into && !a->as.query.into->strict));
}

enum status open_order_find(struct open_order *o, const struct program_tree *tree,
                            struct error *err)
{
    *o = (struct open_order){ .tree = tree, .err = err };
    for (uint32_t f = 0; f < tree->function_count; f++) {
        for (uint32_t v = 0; v < tree->functions[f].variable_count; v++)
            see_alone(o, tree->functions[f].variables[v].initial);
        tree_visit_actions(&tree->functions[f].body, see_action, o);
    }
    return o->status;
}

void open_order_close(struct open_order *o)
{
    map_close(&o->lines);
}

uint32_t open_order_line(const struct open_order *o, const struct query *q)
{
    uint64_t line;

    return map_find(&o->lines, (uint64_t)(uintptr_t)q, &line) ? (uint32_t)line : 0;
}
