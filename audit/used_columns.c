#include "audit/used_columns_private.h"

static uint64_t bit_of(uint16_t column)
{
    return UINT64_C(1) << (column < 63 ? column : 63);
}

static uint64_t used_by(const struct expression *e, uint16_t source)
{
    uint64_t used = 0;

    if (!e)
        return 0;
    if (e->kind == EXPRESSION_COLUMN && e->as.column.source == source)
        used = bit_of(e->as.column.column);
    for (uint32_t i = 0; i < e->argument_count; i++)
        used |= used_by(e->arguments[i], source);
    return used;
}

uint64_t used_columns_of(const struct query *q, uint16_t source)
{
    const struct select *s = &q->as.select;
    uint64_t used = 0;

    /* What is written back is used. */
    if (q->kind != QUERY_SELECT)
        return USED_ALL;
    for (uint32_t i = 0; i < s->output_count; i++)
        used |= used_by(s->outputs[i].value, source);
    for (uint32_t i = 0; i < s->group_count; i++)
        used |= used_by(s->group_by[i], source);
    for (uint32_t i = 0; i < s->order_count; i++)
        used |= used_by(s->order[i].by, source);
    return used | used_by(s->where, source);
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
        changed |= bit_of(assignments[i].column);
    return changed;
}
