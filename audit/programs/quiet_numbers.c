#include "audit/programs/quiet_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "programs/machine/machine.h"

#define SOURCES_ROOM 65536

struct looked {
    const struct schema *schema;
    uint32_t *table_of;   /* by source, of the statement at hand */
    uint32_t *first;      /* of each table's columns in the next two */
    bool *is_named;       /* somebody looks at the column */
    bool *is_numbered;    /* it gets numbers */
    uint64_t numbers, plain; /* places that ask for one; those that put it into a column as it is */
};

static void see_select(struct looked *, const struct select *);

static void name_column(struct looked *l, uint32_t table, uint16_t column)
{
    l->is_named[l->first[table] + column] = true;
}

static void see(void *context, const struct expression *e)
{
    struct looked *l = context;

    if (!e)
        return;
    if (e->kind == EXPRESSION_COLUMN)
        name_column(l, l->table_of[e->as.column.source], e->as.column.column);
    l->numbers += e->kind == EXPRESSION_NUMBER;
    for (uint32_t i = 0; i < e->argument_count; i++)
        see(l, e->arguments[i]);
    if (e->kind == EXPRESSION_SUBQUERY)
        see_select(l, &e->as.subquery.query->as.select);
}

static void see_select(struct looked *l, const struct select *s)
{
    for (uint32_t i = 0; i < s->arm_count; i++)
        see_select(l, s->arms[i].select);
    for (uint32_t i = 0; i < s->source_count; i++)
        l->table_of[s->first_source + i] = s->sources[i].table;
    if (s->arm_count == 0)
        tree_visit_select(s, see, l);
    see(l, s->limit);
    see(l, s->offset);
}

/* A number that fits the column, whatever it is. */
static bool is_plain_number(const struct looked *l, const struct expression *e)
{
    static const struct {
        enum type_kind kind;
        int64_t low, high;
    } ranges[] = { { TYPE_SMALLINT, INT16_MIN, INT16_MAX },
                   { TYPE_INTEGER, INT32_MIN, INT32_MAX },
                   { TYPE_BIGINT, INT64_MIN, INT64_MAX } };
    const struct expression *number = e;
    const struct schema_sequence *s;

    if (e->kind == EXPRESSION_APPLY && e->argument_count == 1)
        number = e->arguments[0];
    if (number->kind != EXPRESSION_NUMBER || number->as.number.kind != NUMBER_NEXT)
        return false;
    s = &l->schema->sequences[number->as.number.sequence];
    for (size_t i = 0; i < ROW_COUNT(ranges); i++)
        if (e->type.kind == ranges[i].kind)
            return !s->cycles && s->low >= ranges[i].low && s->high <= ranges[i].high;
    return false;
}

static void see_assignments(struct looked *l, uint32_t table, const struct assignment *assignments, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        name_column(l, table, assignments[i].column);
}

static void see_insert(struct looked *l, const struct insert *insert)
{
    uint32_t table = insert->target.table;
    uint16_t width = l->schema->tables[table].column_count;

    see_assignments(l, table, insert->assignments, insert->assignment_count);
    for (uint16_t c = 0; c < width && insert->action != CONFLICT_ERROR; c++)
        name_column(l, table, c);
    for (uint32_t i = 0; i < insert->value_count; i++) {
        if (insert->values[i] && is_plain_number(l, insert->values[i])) {
            l->plain++;
            l->is_numbered[l->first[table] + i % width] = true;
        } else if (insert->values[i]) {
            name_column(l, table, (uint16_t)(i % width)); /* it could be the number of another row */
        }
    }
}

static void see_query(struct looked *l, const struct query *q)
{
    switch (q->kind) {
    case QUERY_SELECT:
        see_select(l, &q->as.select);
        return;
    case QUERY_INSERT:
        l->table_of[0] = l->table_of[1] = q->as.insert.target.table;
        see_insert(l, &q->as.insert);
        break;
    case QUERY_UPDATE:
        l->table_of[0] = q->as.update.target.table;
        see_assignments(l, l->table_of[0], q->as.update.assignments, q->as.update.assignment_count);
        break;
    case QUERY_DELETE:
        l->table_of[0] = q->as.delete.target.table;
        break;
    }
    tree_visit_query(q, see, l);
}

static void see_action(void *context, const struct action *a)
{
    const struct query *q = tree_query_of(a);

    tree_visit_action(a, see, context);
    if (q)
        see_query(context, q);
}

static void see_schema(struct looked *l)
{
    for (uint32_t t = 0; t < l->schema->table_count; t++)
        for (uint16_t c = 0; c < l->schema->tables[t].check_count; c++) {
            l->table_of[0] = t;
            see(l, l->schema->tables[t].checks[c].condition);
        }
    for (uint32_t i = 0; i < l->schema->reference_count; i++) {
        const struct schema_reference *r = &l->schema->references[i];

        for (uint16_t c = 0; c < r->columns.count; c++) {
            name_column(l, r->from, r->columns.at[c]);
            name_column(l, r->to, r->targets.at[c]);
        }
    }
}

static uint32_t count_columns(struct looked *l)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < l->schema->table_count; t++) {
        l->first[t] = count;
        count += l->schema->tables[t].column_count;
    }
    return count;
}

static bool see_all(struct looked *l, const struct program_tree *tree, uint32_t column_count)
{
    see_schema(l);
    for (uint32_t f = 0; f < tree->function_count; f++) {
        for (uint32_t v = 0; v < tree->functions[f].variable_count; v++)
            see(l, tree->functions[f].variables[v].initial);
        tree_visit_actions(&tree->functions[f].body, see_action, l);
    }
    for (uint32_t i = 0; i < column_count; i++)
        if (l->is_named[i] && l->is_numbered[i])
            return false;
    return l->numbers == l->plain;
}

enum status quiet_numbers_find(const struct program_tree *tree, bool *are_quiet, struct error *err)
{
    struct looked l = { .schema = &tree->schema };
    uint32_t count;

    *are_quiet = false;
    l.first = calloc(tree->schema.table_count + 1, sizeof *l.first);
    count = l.first ? count_columns(&l) : 0;
    l.table_of = calloc(SOURCES_ROOM, sizeof *l.table_of);
    l.is_named = calloc(count + 1, sizeof *l.is_named);
    l.is_numbered = calloc(count + 1, sizeof *l.is_numbered);
    if (l.first && l.table_of && l.is_named && l.is_numbered)
        *are_quiet = see_all(&l, tree, count);
    else
        err->status = STATUS_OVER_LIMIT;
    free(l.first);
    free(l.table_of);
    free(l.is_named);
    free(l.is_numbered);
    return err->status == STATUS_OVER_LIMIT ? error_set(err, STATUS_OVER_LIMIT, "no memory for numbers") : STATUS_OK;
}
