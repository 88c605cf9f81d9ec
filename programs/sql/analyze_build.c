
#include "programs/sql/analyze_build.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bisect.h"
#include "programs/sql/analyze.h"
#include "programs/values/operator_evaluate.h"

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
    for (uint32_t i = 0; i < schema_shown(table); i++)
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
    if (named->cursor)
        return analyze_refuse(a, location, "a cursor (\"%.*s\") as a value is not supported",
                              TEXT_PRINT(named->name));
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
static enum status look_here(struct analysis *a, const struct name_scope *scope,
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
        TRY(analyze_build_column(a, table->columns[column].type, (uint16_t)(scope->first_source + i),
                                 (uint16_t)column, location, out));
    }
    return STATUS_OK;
}

static bool has_alias(const struct name_scope *scope, struct text alias)
{
    for (uint32_t i = scope->first_visible; i < scope->end_visible && alias.at; i++)
        if (text_equal(alias, scope->sources[i].alias))
            return true;
    return false;
}

/* The same here and, in a subquery, in the statements around it, the innermost first. */
static enum status look_for_column(struct analysis *a, struct name_scope *scope, struct text alias,
                                   struct text name, int32_t location, const struct expression **out)
{
    struct name_scope *at = scope;

    TRY(look_here(a, at, alias, name, location, out));
    while (!*out && at->outer && !has_alias(at, alias)) {
        at = at->outer;
        TRY(look_here(a, at, alias, name, location, out));
    }
    if (!*out || at == scope)
        return STATUS_OK;
    if (at->subqueries != SUBQUERIES_ANY)
        return analyze_refuse(a, location, "a subquery in %s that has columns of the statement is not supported",
                              at->place);
    for (; scope != at; scope = scope->outer)
        scope->uses_outer = true;
    return STATUS_OK;
}

/* A table's name alone is its row, here or in a statement around. */
static bool names_row(const struct name_scope *scope, struct text name)
{
    for (; scope; scope = scope->outer)
        if (has_alias(scope, name))
            return true;
    return false;
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
    if (variable && (column || (count == 1 && names_row(scope, parts[0]))))
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

#define TYPE_TEXT_MAX 256

/* --- Places and refusals ---------------------------------------------------- */

uint32_t analyze_line_at(const struct analysis *a, size_t offset)
{
    size_t next; /* the first line that begins behind it */

    BISECT(next, 1, a->line_starts.count, a->line_starts.at[next] <= offset);
    return (uint32_t)next;
}

/* Whether the byte of the piece is known in the file. */
static bool find_offset(const struct analysis *a, int32_t location, size_t *offset)
{
    const struct piece *piece = a->piece;

    if (!piece->is_placed || location < 0 || (uint32_t)location < piece->prefix)
        return false;
    *offset = piece->offset + (uint32_t)location - piece->prefix;
    return *offset <= a->file.length;
}

uint32_t analyze_line_of(const struct analysis *a, int32_t location)
{
    size_t offset;

    return find_offset(a, location, &offset) ? analyze_line_at(a, offset) : a->piece->line;
}

static enum status refuse_text(struct analysis *a, int32_t location, enum status status,
                               const char *text)
{
    size_t offset;

    a->err->line = analyze_line_of(a, location);
    a->err->offset = 0;
    if (!find_offset(a, location, &offset))
        return error_set(a->err, status, "%s", text);
    a->err->offset = offset;
    return error_set(a->err, status, "column %zu: %s",
                     offset - a->line_starts.at[a->err->line - 1] + 1, text);
}

enum status analyze_refuse(struct analysis *a, int32_t location, const char *format, ...)
{
    char text[sizeof a->err->text];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return refuse_text(a, location, STATUS_BAD_INPUT, text);
}

enum status analyze_refuse_fault(struct analysis *a, const struct sql_fault *fault)
{
    int32_t location = fault->at == SQL_NOWHERE ? -1 : (int32_t)fault->at;

    return refuse_text(a, location, fault->status, fault->text);
}

enum status analyze_refuse_sql(struct analysis *a, int32_t location, const struct sql_error *error)
{
    return refuse_text(a, location, STATUS_BAD_INPUT, error->text);
}

enum status analyze_refuse_node(struct analysis *a, const PgQuery__Node *node)
{
    return analyze_refuse(a, sql_node_location(node), "%s is not supported", sql_node_name(node));
}

enum status analyze_only_fields(struct analysis *a, int32_t location, const ProtobufCMessage *message,
                                const char *fields)
{
    const char *construct;
    int32_t place;

    if (sql_only(message, fields, &construct, &place))
        return STATUS_OK;
    return analyze_refuse(a, place < 0 ? location : place, "%s is not supported", construct);
}

/* --- Memory ------------------------------------------------------------------ */

enum status analyze_keep(struct analysis *a, size_t count, size_t size, void **memory)
{
    *memory = arena_push(a->arena, count ? count : 1, size);
    if (!*memory)
        return refuse_text(a, -1, STATUS_OVER_LIMIT, "the program does not fit into memory");
    return STATUS_OK;
}

enum status analyze_keep_text(struct analysis *a, struct text text, struct text *kept)
{
    void *memory;

    TRY(analyze_keep(a, text.length + 1, 1, &memory));
    if (text.length)
        memcpy(memory, text.at, text.length);
    *kept = (struct text){ memory, text.length };
    return STATUS_OK;
}

static enum status analyze_keep_datum(struct analysis *a, const struct datum *datum, struct datum *kept)
{
    void *memory;

    *kept = *datum;
    if (datum->kind == DATUM_TEXT) {
        struct text text;

        TRY(analyze_keep_text(a, datum_text(datum), &text));
        kept->as.text = text.at;
    } else if (datum->kind == DATUM_ARRAY) {
        TRY(analyze_keep(a, datum->length, sizeof(int64_t), &memory));
        if (datum->length)
            memcpy(memory, datum->as.array.at, datum->length * sizeof(int64_t));
        kept->as.array.at = memory;
        if (!datum->as.array.nulls)
            return STATUS_OK;
        TRY(analyze_keep(a, (datum->length + 63) / 64, sizeof(uint64_t), &memory));
        if (datum->length)
            memcpy(memory, datum->as.array.nulls, (datum->length + 63) / 64 * sizeof(uint64_t));
        kept->as.array.nulls = memory;
    }
    return STATUS_OK;
}

/* --- Expressions ------------------------------------------------------------- */

enum status analyze_build(struct analysis *a, enum expression_kind kind, struct type type, int32_t location,
                          uint32_t argument_count, struct expression **made)
{
    void *memory;

    TRY(analyze_keep(a, 1, sizeof **made, &memory));
    *made = memory;
    **made = (struct expression){
        .kind = kind, .type = type, .line = analyze_line_of(a, location), .weight = 1
    };
    if (argument_count > 0) {
        TRY(analyze_keep(a, argument_count, sizeof *(*made)->arguments, &memory));
        (*made)->arguments = memory;
        (*made)->argument_count = argument_count;
    }
    return STATUS_OK;
}

enum status analyze_build_end(struct analysis *a, struct expression *made, int32_t location,
                              const struct expression **out)
{
    uint64_t weight = 1;

    for (uint32_t i = 0; i < made->argument_count; i++)
        weight += made->arguments[i]->weight;
    if (weight > WEIGHT_MAX)
        return analyze_refuse(a, location, "the expression is too large");
    made->weight = (uint32_t)weight;
    *out = made;
    return STATUS_OK;
}

/* Arguments are constant for everybody but whoever builds the expression. */
void analyze_set_argument(struct expression *made, uint32_t index, const struct expression *argument)
{
    assert(index < made->argument_count);
    ((const struct expression **)made->arguments)[index] = argument;
}

enum status analyze_build_constant(struct analysis *a, struct type type, struct datum value,
                                   int32_t location, const struct expression **out)
{
    struct expression *made;

    TRY(analyze_build(a, EXPRESSION_CONSTANT, type, location, 0, &made));
    TRY(analyze_keep_datum(a, &value, &made->as.constant));
    *out = made;
    return STATUS_OK;
}

enum status analyze_build_null(struct analysis *a, struct type type, int32_t location,
                               const struct expression **out)
{
    return analyze_build_constant(a, type, datum_null(), location, out);
}

enum status analyze_build_variable(struct analysis *a, struct type type, uint32_t slot, int32_t location,
                                   const struct expression **out)
{
    struct expression *made;

    TRY(analyze_build(a, EXPRESSION_VARIABLE, type, location, 0, &made));
    made->as.slot = slot;
    *out = made;
    return STATUS_OK;
}

enum status analyze_build_column(struct analysis *a, struct type type, uint16_t source, uint16_t column,
                                 int32_t location, const struct expression **out)
{
    struct expression *made;

    TRY(analyze_build(a, EXPRESSION_COLUMN, type, location, 0, &made));
    made->as.column.source = source;
    made->as.column.column = column;
    *out = made;
    return STATUS_OK;
}

enum status analyze_build_and(struct analysis *a, const struct expression *left,
                              const struct expression *right, int32_t location,
                              const struct expression **out)
{
    struct expression *made;

    if (!left || !right) {
        *out = left ? left : right;
        return STATUS_OK;
    }
    TRY(analyze_build(a, EXPRESSION_AND, type_of(TYPE_BOOLEAN), location, 2, &made));
    analyze_set_argument(made, 0, left);
    analyze_set_argument(made, 1, right);
    return analyze_build_end(a, made, location, out);
}

enum status analyze_build_apply(struct analysis *a, const char *name,
                                const struct expression *const *arguments, uint32_t count, int32_t location,
                                const struct expression **out)
{
    struct operator_choice choice;
    struct sql_error error;
    struct expression *made;
    struct type *types;
    void *memory;

    TRY(analyze_keep(a, count, sizeof *types, &memory));
    types = memory;
    for (uint32_t i = 0; i < count; i++)
        types[i] = arguments[i]->type;
    if (operator_resolve(name, types, count, &choice, &error) != STATUS_OK)
        return analyze_refuse_sql(a, location, &error);
    TRY(analyze_build(a, EXPRESSION_APPLY, choice.result, location, count, &made));
    made->as.apply = choice;
    for (uint32_t i = 0; i < count; i++) {
        const struct expression *argument = arguments[i];
        struct operator_choice cast = operator_argument_cast(&choice, i, argument->type);

        TRY(analyze_build_choice(a, &cast, location, &argument));
        analyze_set_argument(made, i, argument);
    }
    return analyze_build_end(a, made, location, out);
}

/*
 * Literals are cast here, so that whoever looks for keys sees plain values. What
 * is no literal of its type at all is refused; what does not fit (varchar(3)) is
 * an error of the program, when it gets there.
 */
static enum status cast_constant(struct analysis *a, const struct operator_choice *cast,
                                 int32_t location, const struct expression **e, bool *fits)
{
    struct sql_error error;
    struct datum value;

    heap_reset(&a->heap);
    *fits = operator_evaluate(cast, &(*e)->as.constant, &value, &a->heap, &error) == STATUS_OK;
    if (*fits)
        return analyze_build_constant(a, cast->result, value, location, e);
    if (cast->code == OPERATOR_PARSE && strncmp(error.sqlstate, SQLSTATE_STRING_TOO_LONG, 5) != 0)
        return analyze_refuse_sql(a, location, &error);
    return STATUS_OK;
}

enum status analyze_build_choice(struct analysis *a, const struct operator_choice *cast, int32_t location,
                                 const struct expression **e)
{
    struct expression *made;
    bool is_done = false;

    if (cast->code == OPERATOR_NONE && type_equal(cast->result, (*e)->type))
        return STATUS_OK;
    if ((*e)->kind == EXPRESSION_CONSTANT)
        TRY(cast_constant(a, cast, location, e, &is_done));
    if (is_done)
        return STATUS_OK;
    if (cast->code == OPERATOR_NONE) {
        /* The same value under another type's name. */
        TRY(analyze_build(a, (*e)->kind, cast->result, location, 0, &made));
        *made = **e;
        made->type = cast->result;
        *e = made;
        return STATUS_OK;
    }
    TRY(analyze_build(a, EXPRESSION_APPLY, cast->result, location, 1, &made));
    made->as.apply = *cast;
    analyze_set_argument(made, 0, *e);
    return analyze_build_end(a, made, location, e);
}

enum status analyze_build_cast(struct analysis *a, struct type to, enum cast_context context,
                               int32_t location, const struct expression **e)
{
    struct operator_choice cast;
    struct sql_error error;

    if (operator_cast((*e)->type, to, context, &cast, &error) != STATUS_OK)
        return analyze_refuse_sql(a, location, &error);
    return analyze_build_choice(a, &cast, location, e);
}

enum status analyze_build_condition(struct analysis *a, const char *what, int32_t location,
                                    const struct expression **e)
{
    struct type type = (*e)->type;

    if (type.kind != TYPE_BOOLEAN && type.kind != TYPE_UNKNOWN)
        return analyze_refuse(a, location, "argument of %s must be type boolean, not type %s", what,
                              type_name(type.kind));
    return analyze_build_cast(a, type_of(TYPE_BOOLEAN), CAST_IMPLICIT, location, e);
}

enum status analyze_build_settled(struct analysis *a, int32_t location, const struct expression **e)
{
    if ((*e)->type.kind != TYPE_UNKNOWN)
        return STATUS_OK;
    return analyze_build_cast(a, type_of(TYPE_TEXT), CAST_IMPLICIT, location, e);
}

static bool same_content(const struct expression *x, const struct expression *y)
{
    switch (x->kind) {
    case EXPRESSION_CONSTANT:
        return datum_equal(&x->as.constant, &y->as.constant);
    case EXPRESSION_VARIABLE:
        return x->as.slot == y->as.slot;
    case EXPRESSION_COLUMN:
        return x->as.column.source == y->as.column.source &&
               x->as.column.column == y->as.column.column;
    case EXPRESSION_APPLY:
        return x->as.apply.code == y->as.apply.code &&
               x->as.apply.is_explicit == y->as.apply.is_explicit;
    case EXPRESSION_AGGREGATE:
        return x->as.aggregate.kind == y->as.aggregate.kind &&
               x->as.aggregate.distinct == y->as.aggregate.distinct;
    case EXPRESSION_IN:
        return x->as.in.negated == y->as.in.negated;
    case EXPRESSION_CALL:
        return x->as.function == y->as.function;
    case EXPRESSION_NUMBER:
        return false;
    case EXPRESSION_SUBQUERY:
        return x->as.subquery.query == y->as.subquery.query;
    case EXPRESSION_AND:
    case EXPRESSION_OR:
    case EXPRESSION_CASE:
    case EXPRESSION_COALESCE:
        break;
    }
    return true;
}

bool analyze_expressions_equal(const struct expression *x, const struct expression *y)
{
    if (x == y)
        return true;
    /* A column is the same under whatever type it goes on from there. */
    if (x->kind != y->kind || x->argument_count != y->argument_count || x->weight != y->weight ||
        (x->kind != EXPRESSION_COLUMN && !type_equal(x->type, y->type)) || !same_content(x, y))
        return false;
    for (uint32_t i = 0; i < x->argument_count; i++)
        if (!analyze_expressions_equal(x->arguments[i], y->arguments[i]))
            return false;
    return true;
}

bool analyze_has_call(const struct expression *e)
{
    if (e->kind == EXPRESSION_CALL || e->kind == EXPRESSION_NUMBER)
        return true;
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (analyze_has_call(e->arguments[i]))
            return true;
    return false;
}

/* --- Types ------------------------------------------------------------------- */

/* What the parser calls a type, and what people do. */
static const char *name_of_type(const PgQuery__TypeName *name)
{
    static const char *const names[][2] = {
        { "int2", "smallint" },      { "int4", "integer" },
        { "int8", "bigint" },        { "bool", "boolean" },
        { "float4", "real" },        { "float8", "double precision" },
        { "bpchar", "char" },        { "timestamptz", "timestamp with time zone" },
        { "varbit", "bit varying" },
    };
    const char *last = sql_string(name->names[name->n_names - 1]).at;

    for (size_t i = 0; i < ROW_COUNT(names); i++)
        if (strcmp(names[i][0], last) == 0)
            return names[i][1];
    return last;
}

/* "numeric(10,2)[]", for type_parse() to judge. */
static enum status write_type(struct analysis *a, const PgQuery__TypeName *name,
                              char to[static TYPE_TEXT_MAX])
{
    struct buffer out = { 0 };
    enum status status = STATUS_OK;

    buffer_print(&out, "%s", name_of_type(name));
    for (size_t i = 0; i < name->n_typmods; i++) {
        const PgQuery__Node *modifier = name->typmods[i];

        if (modifier->node_case != PG_QUERY__NODE__NODE_A_CONST ||
            modifier->a_const->val_case != PG_QUERY__A__CONST__VAL_IVAL) {
            status = analyze_refuse(a, name->location, "the length of a type must be an integer");
            goto done;
        }
        buffer_print(&out, "%s%d", i ? "," : "(", modifier->a_const->ival->ival);
    }
    if (name->n_typmods)
        buffer_text(&out, TEXT(")"));
    for (size_t i = 0; i < name->n_array_bounds; i++)
        buffer_text(&out, TEXT("[]"));
    if (out.out_of_memory || out.count >= TYPE_TEXT_MAX) {
        status = analyze_refuse(a, name->location, "the type's name is too long");
        goto done;
    }
    memcpy(to, out.at ? out.at : "", out.count);
    to[out.count] = '\0';
done:
    buffer_close(&out);
    return status;
}

enum status analyze_type(struct analysis *a, const PgQuery__TypeName *name, struct type *type)
{
    char text[TYPE_TEXT_MAX];
    struct sql_error error;

    ONLY(a, name->location, name, "names typmods typemod array_bounds");
    if (name->n_names > 1 && !text_equal(sql_string(name->names[0]), TEXT("pg_catalog")))
        return analyze_refuse(a, name->location, "a schema before a type's name is not supported");
    TRY(write_type(a, name, text));
    if (type_parse(text_of(text), type, &error) != STATUS_OK)
        return analyze_refuse_sql(a, name->location, &error);
    return STATUS_OK;
}
