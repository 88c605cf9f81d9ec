#include "programs/sql/analyze_name.h"

#include "programs/sql/analyze_build.h"

#include <string.h>

/* Enough for label.record.field; a schema's name before makes one too many. */
#define FIELDS_MAX 3

const struct shape shape_uncertain;

uint32_t analyze_find_table(const struct analysis *a, struct text name)
{
    for (uint32_t i = 0; i < a->table_count; i++)
        if (text_equal(a->tables[i].name, name))
            return i;
    return UINT32_MAX;
}

uint32_t analyze_find_column(const struct schema_table *table, struct text name)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (text_equal(table->columns[i].name, name))
            return i;
    return UINT32_MAX;
}

uint32_t analyze_find_function(const struct analysis *a, struct text name)
{
    for (uint32_t i = 0; i < a->function_count; i++)
        if (text_equal(a->functions[i].name, name))
            return i;
    return UINT32_MAX;
}

enum status analyze_column_name(struct analysis *a, const struct schema_table *table,
                                struct text name, int32_t location, uint16_t *column)
{
    uint32_t found = analyze_find_column(table, name);

    if (found == UINT32_MAX)
        return analyze_refuse(a, location, "column \"%.*s\" of relation \"%.*s\" does not exist",
                              TEXT_PRINT(name), TEXT_PRINT(table->name));
    *column = (uint16_t)found;
    return STATUS_OK;
}

/* --- Variables ---------------------------------------------------------------- */

static const struct named *find_named(const struct names *names, struct text name)
{
    for (const struct named *named = names->first; named; named = named->next)
        if (text_equal(named->name, name))
            return named;
    return NULL;
}

const struct named *analyze_find_variable(const struct names *names, struct text name)
{
    for (; names; names = names->outer) {
        const struct named *named = find_named(names, name);

        if (named)
            return named;
    }
    return NULL;
}

/* What `count` names mean together; `field` is what is left for a record to resolve. */
static const struct named *find_qualified(const struct names *names, const struct text *parts,
                                          size_t count, struct text *field)
{
    *field = (struct text){ NULL, 0 };
    if (count == 1)
        return analyze_find_variable(names, parts[0]);
    for (; names; names = names->outer) {
        const struct named *named = count == 2 ? find_named(names, parts[0]) : NULL;

        *field = parts[count - 1];
        if (named && named->record)
            return named;
        if (!names->label.at || !text_equal(names->label, parts[0]))
            continue;
        named = find_named(names, parts[1]);
        if (named && count == 2)
            *field = (struct text){ NULL, 0 };
        if (named && (count == 2 || named->record))
            return named;
    }
    return NULL;
}

static enum status build_field(struct analysis *a, const struct named *named, struct text field,
                               int32_t location, const struct expression **out)
{
    const struct shape *shape = named->record->now;

    if (!shape)
        return analyze_refuse(a, location, "record \"%.*s\" is not assigned yet", TEXT_PRINT(named->name));
    if (shape == &shape_uncertain)
        return analyze_refuse(a, location, "which fields record \"%.*s\" has here is not certain",
                              TEXT_PRINT(named->name));
    for (uint32_t i = 0; i < shape->count; i++)
        if (text_equal(shape->fields[i].name, field))
            return analyze_build_variable(a, shape->fields[i].value->type, shape->first_slot + i, location,
                                          out);
    return analyze_refuse(a, location, "record \"%.*s\" has no field \"%.*s\"", TEXT_PRINT(named->name),
                          TEXT_PRINT(field));
}

/* Leaves NULL where there is no such variable. */
static enum status look_for_variable(struct analysis *a, const struct name_scope *scope,
                                     const struct text *parts, size_t count, int32_t location,
                                     const struct expression **out)
{
    const struct named *named;
    struct text field;

    *out = NULL;
    if (!scope->routine)
        return STATUS_OK;
    named = find_qualified(scope->routine->names, parts, count, &field);
    if (!named)
        return STATUS_OK;
    if (!named->record)
        return analyze_build_variable(a, scope->routine->variables.at[named->slot].type, named->slot,
                                      location, out);
    if (!field.at)
        return analyze_refuse(a, location, "a whole record (\"%.*s\") as a value is not supported",
                              TEXT_PRINT(named->name));
    return build_field(a, named, field, location, out);
}

/* --- Columns ------------------------------------------------------------------ */

static enum status refuse_ambiguous(struct analysis *a, int32_t location, struct text name)
{
    return analyze_refuse(a, location, "column reference \"%.*s\" is ambiguous", TEXT_PRINT(name));
}

/* Leaves NULL where there is no such column. `alias` may be empty. */
static enum status look_for_column(struct analysis *a, const struct name_scope *scope,
                                   struct text alias, struct text name, int32_t location,
                                   const struct expression **out)
{
    *out = NULL;
    for (uint32_t i = scope->first_visible; i < scope->end_visible; i++) {
        const struct query_source *source = &scope->sources[i];
        const struct schema_table *table = &a->tables[source->table];
        uint32_t column = analyze_find_column(table, name);

        if ((alias.at && !text_equal(alias, source->alias)) || column == UINT32_MAX)
            continue;
        if (*out)
            return refuse_ambiguous(a, location, name);
        TRY(analyze_build_column(a, table->columns[column].type, (uint16_t)i, (uint16_t)column, location,
                                 out));
    }
    return STATUS_OK;
}

static enum status refuse_unknown(struct analysis *a, const struct name_scope *scope,
                                  const struct text *parts, size_t count, int32_t location)
{
    if (count == 1)
        return analyze_refuse(a, location, "column \"%.*s\" does not exist", TEXT_PRINT(parts[0]));
    if (count == FIELDS_MAX)
        return analyze_refuse(a, location, "\"%.*s.%.*s.%.*s\" does not exist", TEXT_PRINT(parts[0]),
                              TEXT_PRINT(parts[1]), TEXT_PRINT(parts[2]));
    for (uint32_t i = scope->first_visible; i < scope->end_visible; i++)
        if (text_equal(scope->sources[i].alias, parts[0]))
            return analyze_refuse(a, location, "column %.*s.%.*s does not exist", TEXT_PRINT(parts[0]),
                                  TEXT_PRINT(parts[1]));
    return analyze_refuse(a, location, "missing FROM-clause entry for table \"%.*s\"",
                          TEXT_PRINT(parts[0]));
}

enum status analyze_column_ref(struct analysis *a, struct name_scope *scope,
                               const PgQuery__ColumnRef *ref, const struct expression **out)
{
    struct text parts[FIELDS_MAX];
    const struct expression *column = NULL, *variable;
    size_t count = ref->n_fields;

    if (count > FIELDS_MAX)
        return analyze_refuse(a, ref->location, "a schema before a column's name is not supported");
    for (size_t i = 0; i < count; i++) {
        if (ref->fields[i]->node_case != PG_QUERY__NODE__NODE_STRING)
            return analyze_refuse(a, ref->location, "* is not supported here");
        parts[i] = sql_string(ref->fields[i]);
    }
    if (count <= 2)
        TRY(look_for_column(a, scope, count == 2 ? parts[0] : (struct text){ NULL, 0 },
                            parts[count - 1], ref->location, &column));
    TRY(look_for_variable(a, scope, parts, count, ref->location, &variable));
    if (column && variable)
        return refuse_ambiguous(a, ref->location, parts[count - 1]);
    if (!column && !variable)
        return refuse_unknown(a, scope, parts, count, ref->location);
    *out = column ? column : variable;
    return STATUS_OK;
}

enum status analyze_param_ref(struct analysis *a, const struct name_scope *scope,
                              const PgQuery__ParamRef *ref, const struct expression **out)
{
    uint32_t slot = (uint32_t)ref->number - 1;

    if (!scope->routine || ref->number < 1 || slot >= scope->routine->function->parameter_count)
        return analyze_refuse(a, ref->location, "there is no parameter $%d", ref->number);
    return analyze_build_variable(a, scope->routine->variables.at[slot].type, slot, ref->location, out);
}
