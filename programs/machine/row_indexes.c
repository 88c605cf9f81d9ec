#include "programs/machine/row_indexes.h"

#include <stdlib.h>
#include <string.h>

#include "programs/machine/code_private.h"

#define PINNED_MAX 16 /* columns by which rows are found */
#define WISHES_MAX 8  /* indexes of a table for nothing but queries */

static enum status add_index(struct row_indexes *list, struct schema_columns own,
                             struct schema_columns key, struct error *err)
{
    if (list->count == list->room) {
        uint32_t room = 2 * list->room + 4;

        TRY(memory_resize((void **)&list->at, room, sizeof *list->at, err));
        list->room = room;
    }
    return row_index_init(&list->at[list->count++], own, key, err);
}

static enum status add_constraints(struct row_indexes *list, const struct schema *schema,
                                   uint32_t number, struct error *err)
{
    const struct schema_table *table = &schema->tables[number];

    TRY(add_index(list, table->key, table->key, err));
    for (uint32_t i = 0; i < table->unique_count; i++)
        TRY(add_index(list, table->uniques[i].columns, table->key, err));
    for (uint32_t i = 0; i < schema->reference_count; i++)
        if (schema->references[i].from == number)
            TRY(add_index(list, schema->references[i].columns, table->key, err));
    return STATUS_OK;
}

/* --- What queries pin --------------------------------------------------------------------------- */

/* The columns of a read that must be equal to something. */
struct pinned {
    uint16_t at[PINNED_MAX + 1]; /* and behind them one in whose order rows are wanted */
    uint16_t count;
};

static bool is_among(const uint16_t *columns, uint32_t count, uint16_t column)
{
    for (uint32_t i = 0; i < count; i++)
        if (columns[i] == column)
            return true;
    return false;
}

static void pin(struct pinned *p, uint16_t column)
{
    if (p->count < PINNED_MAX && !is_among(p->at, p->count, column))
        p->at[p->count++] = column;
}

/* Whether a read finds its rows by an index that there is: all it pins comes first, or is a key. */
static bool has_index(const struct row_indexes *list, const struct schema_table *table,
                      const struct pinned *p)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct row_index *index = &list->at[i];
        uint32_t length = 0;

        while (length < index->column_count && is_among(p->at, p->count, index->columns[length]))
            length++;
        if (length == p->count || (i <= table->unique_count && length >= index->own_count))
            return true;
    }
    return false;
}

static enum status add_wish(struct row_indexes *list, const struct program *program,
                            const struct read_code *read, struct error *err)
{
    const struct schema_table *table = &program->tree.schema.tables[read->table];
    struct pinned p = { .count = 0 };
    uint16_t next = UINT16_MAX;

    for (uint32_t i = 0; i < read->condition->bound_count; i++)
        if (read->condition->bounds[i].comparison == COMPARISON_EQUAL)
            pin(&p, read->condition->bounds[i].column);
        else
            next = read->condition->bounds[i].column;
    for (uint32_t i = 0; i < read->join_count; i++)
        pin(&p, read->joins[i].column);
    for (uint32_t i = 0; i < read->set_count; i++)
        pin(&p, read->sets[i].column);
    if (p.count == 0 || list->count >= 1U + table->unique_count + WISHES_MAX ||
        has_index(list, table, &p))
        return STATUS_OK;
    for (uint32_t i = read->order.column_count; i > 0; i--)
        if (!is_among(p.at, p.count, read->order.columns[i - 1]))
            next = read->order.columns[i - 1];
    if (next != UINT16_MAX && !is_among(p.at, p.count, next))
        p.at[p.count++] = next;
    return add_index(list, (struct schema_columns){ p.at, p.count }, table->key, err);
}

static enum status add_wishes(struct row_indexes *lists, const struct program *program,
                              const struct query_code *query, struct error *err)
{
    for (uint32_t i = 0; i < query->arm_count; i++)
        TRY(add_wishes(lists, program, query->arms[i].query, err));
    for (uint32_t i = 0; i < query->read_count; i++)
        TRY(add_wish(&lists[query->reads[i].table], program, &query->reads[i], err));
    return STATUS_OK;
}

/* Adds those that are called by one that is; whether there were any. */
static bool spread(const struct program *program, bool *is_called)
{
    bool is_more = false;

    for (uint32_t f = 0; f < program->tree.function_count; f++) {
        const struct function_code *code = &program->code->functions[f];

        for (uint32_t i = 0; is_called[f] && i < code->step_count; i++)
            if (code->steps[i].kind == STEP_CALL && !is_called[code->steps[i].as.function])
                is_more = is_called[code->steps[i].as.function] = true;
    }
    return is_more;
}

static enum status add_all_wishes(struct row_indexes *lists, const struct program *program,
                                  const bool *given, struct error *err)
{
    uint32_t count = program->tree.function_count;
    bool *is_called = calloc(count + 1U, sizeof *is_called);
    enum status status = STATUS_OK;

    if (!is_called)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for indexes");
    memcpy(is_called, given, count * sizeof *given);
    while (spread(program, is_called))
        continue;
    for (uint32_t f = 0; f < count; f++) {
        const struct function_code *code = &program->code->functions[f];

        for (uint32_t i = 0; is_called[f] && i < code->step_count && status == STATUS_OK; i++)
            if (code->steps[i].kind == STEP_QUERY)
                status = add_wishes(lists, program, code->steps[i].as.query, err);
    }
    free(is_called);
    return status;
}

enum status row_indexes_open(struct row_indexes **out, const struct program *program,
                             const bool *is_called, struct error *err)
{
    uint32_t count = program->tree.schema.table_count;
    struct row_indexes *lists = calloc(count + 1U, sizeof *lists);
    enum status status = STATUS_OK;

    if (!lists)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for indexes");
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_constraints(&lists[i], &program->tree.schema, i, err);
    if (status == STATUS_OK && is_called)
        status = add_all_wishes(lists, program, is_called, err);
    if (status != STATUS_OK)
        row_indexes_close(lists, program);
    else
        *out = lists;
    return status;
}

void row_indexes_close(struct row_indexes *lists, const struct program *program)
{
    for (uint32_t i = 0; lists && i < program->tree.schema.table_count; i++) {
        for (uint32_t k = 0; k < lists[i].count; k++)
            row_index_close(&lists[i].at[k]);
        free(lists[i].at);
    }
    free(lists);
}
