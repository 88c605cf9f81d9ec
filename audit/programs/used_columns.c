#include "audit/programs/used_columns.h"

struct column_use {
    uint16_t source;
    uint64_t used;
};

static void note_column(void *context, const struct expression *column)
{
    struct column_use *use = context;

    if (column->as.column.source == use->source)
        use->used |= used_bit(column->as.column.column);
}

static void note_columns(void *context, const struct expression *e)
{
    tree_visit_columns(e, note_column, context);
}

uint64_t used_columns_of(const struct query *q, uint16_t source)
{
    struct column_use use = { .source = source };

    /* What is written back is used. */
    if (q->kind != QUERY_SELECT)
        return USED_ALL;
    tree_visit_query(q, note_columns, &use);
    return use.used;
}

uint64_t used_columns_changed(const struct query *q)
{
    const struct assignment *assignments =
        q->kind == QUERY_UPDATE   ? q->as.update.assignments
        : q->kind == QUERY_INSERT ? q->as.insert.assignments
                                  : NULL;
    uint32_t count = q->kind == QUERY_UPDATE   ? q->as.update.assignment_count
                     : q->kind == QUERY_INSERT ? q->as.insert.assignment_count
                                               : 0;
    uint64_t changed = q->kind == QUERY_DELETE ? USED_ALL : 0;

    for (uint32_t i = 0; i < count; i++)
        changed |= used_bit(assignments[i].column);
    return changed;
}
