#include "programs/plpgsql/plpgsql_variable_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/plpgsql/plpgsql_cursor_private.h"
#include "programs/sql/analyze_build.h"
#include "programs/sql/analyze_expression.h"

static const struct text select_word = { "SELECT ", sizeof "SELECT " - 1 };

/* --- JSON ---------------------------------------------------------------------- */

const char *plpgsql_json_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

uint32_t plpgsql_json_number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) && item->valueint > 0 ? (uint32_t)item->valueint : 0;
}

bool plpgsql_json_is(const cJSON *object, const char *name)
{
    return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* --- Places -------------------------------------------------------------------- */

void plpgsql_read_line(struct plpgsql_reader *r, const cJSON *statement)
{
    uint32_t line = plpgsql_json_number(statement, "lineno");

    if (line > 0)
        r->here.line = r->body_line + line - 1;
    r->a->piece = &r->here;
}

uint32_t plpgsql_line_here(const struct plpgsql_reader *r)
{
    return r->here.line;
}

static bool is_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* Whether it stands at this byte of the body. Blanks match anything: INTO is blanked out. */
static bool stands_at(struct text body, size_t at, struct text wanted)
{
    if (at > 0 && is_of_word(wanted.at[0]) && is_of_word(body.at[at - 1]))
        return false;
    for (size_t i = 0; i < wanted.length; i++)
        if (wanted.at[i] != ' ' && wanted.at[i] != body.at[at + i])
            return false;
    at += wanted.length;
    return at == body.length || !is_of_word(body.at[at - 1]) || !is_of_word(body.at[at]);
}

/* Looks for a text from the line of the statement on, behind what was found before. */
static bool find_text(struct plpgsql_reader *r, struct text wanted, size_t *offset)
{
    size_t line_start, at;

    if (wanted.length == 0 || r->here.line > r->a->line_starts.count)
        return false;
    line_start = r->a->line_starts.at[r->here.line - 1];
    at = line_start > r->body_offset ? line_start - r->body_offset : 0;
    if (at < r->cursor)
        at = r->cursor;
    for (; at + wanted.length <= r->body.length; at++)
        if (stands_at(r->body, at, wanted)) {
            r->cursor = at + wanted.length;
            *offset = r->body_offset + at;
            return true;
        }
    return false;
}

/* Makes a piece of the text behind its first `skip` bytes; `prefix` goes before it. */
static enum status open_piece(struct plpgsql_reader *r, struct text prefix, const char *text,
                              struct piece *piece)
{
    size_t length, blanks = strspn(text, " \t\r\n\f");
    char *copy;

    text += blanks;
    length = strlen(text);
    copy = malloc(prefix.length + length + 1);
    if (!copy)
        return error_set(r->a->err, STATUS_OVER_LIMIT, "no memory");
    memcpy(copy, prefix.at, prefix.length);
    memcpy(copy + prefix.length, text, length + 1);
    *piece =
        (struct piece){ .text = copy, .prefix = (uint32_t)prefix.length, .line = r->here.line };
    piece->is_placed = find_text(r, (struct text){ text, length }, &piece->offset);
    if (piece->is_placed)
        piece->line = analyze_line_at(r->a, piece->offset);
    r->a->piece = piece;
    return STATUS_OK;
}

static void close_piece(struct plpgsql_reader *r, struct piece *piece)
{
    free((char *)piece->text);
    r->a->piece = &r->here;
}

/* --- Expressions ----------------------------------------------------------------- */

/* The one thing that "SELECT ..." selects. */
static enum status analyze_selected(struct plpgsql_reader *r, const PgQuery__Node *node,
                                    const struct type *to, const struct expression **out)
{
    struct name_scope scope = { .routine = &r->routine,
                                .allows_calls = true,
                                .subqueries = SUBQUERIES_ALONE,
                                .place = "an expression without a query" };
    const PgQuery__SelectStmt *stmt = node->select_stmt;
    struct analysis *a = r->a;
    int32_t location = (int32_t)select_word.length;

    if (node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
        return analyze_refuse(a, location, "an expression is expected here");
    ONLY(a, location, stmt, "target_list limit_option");
    if (stmt->n_target_list != 1)
        return analyze_refuse(a, location, "an expression of %zu columns is not supported",
                              stmt->n_target_list);
    ONLY(a, location, stmt->target_list[0]->res_target, "val");
    TRY(analyze_expression(a, &scope, stmt->target_list[0]->res_target->val, out));
    if (!to)
        return analyze_build_settled(a, location, out);
    return analyze_build_cast(a, *to, CAST_VARIABLE, location, out);
}

enum status plpgsql_read_text(struct plpgsql_reader *r, const char *text, const struct type *to,
                                    const struct expression **out)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *node;
    struct piece piece;
    enum status status;

    TRY(open_piece(r, select_word, text, &piece));
    status = analyze_parse_piece(r->a, &tree, &node);
    if (status == STATUS_OK)
        status = analyze_selected(r, node, to, out);
    sql_tree_close(tree);
    close_piece(r, &piece);
    return status;
}

static enum status text_of_expr(struct plpgsql_reader *r, const cJSON *object, const char **text)
{
    const cJSON *expr = cJSON_GetObjectItemCaseSensitive(object, "PLpgSQL_expr");

    *text = plpgsql_json_text(expr, "query");
    if (!*text)
        return analyze_refuse(r->a, -1, "libpg_query says nothing of an expression");
    return STATUS_OK;
}

enum status plpgsql_read_expression(struct plpgsql_reader *r, const cJSON *object, const struct type *to,
                                    const struct expression **out)
{
    const char *text;

    TRY(text_of_expr(r, object, &text));
    return plpgsql_read_text(r, text, to, out);
}

/* Where the value begins in "x := value", "x = value"; NULL where x is no plain variable. */
static enum status find_value(struct plpgsql_reader *r, const char *text, const char **value)
{
    struct sql_tokens tokens;
    struct sql_fault fault;

    *value = NULL;
    if (sql_scan(text, &tokens, &fault) != STATUS_OK) {
        fault.at = SQL_NOWHERE;
        return analyze_refuse_fault(r->a, &fault);
    }
    for (uint32_t i = 0; i < tokens.count && !*value; i++) {
        PgQuery__Token kind = tokens.at[i].kind;

        if (kind == PG_QUERY__TOKEN__ASCII_91)
            break;
        if (kind == PG_QUERY__TOKEN__COLON_EQUALS || kind == PG_QUERY__TOKEN__ASCII_61)
            *value = text + tokens.at[i].end;
    }
    sql_tokens_close(&tokens);
    if (!*value)
        return analyze_refuse(r->a, -1, "assignment to an element of an array is not supported");
    return STATUS_OK;
}

enum status plpgsql_read_assigned(struct plpgsql_reader *r, const cJSON *object, struct type to,
                                  const struct expression **out)
{
    const char *text, *value;

    TRY(text_of_expr(r, object, &text));
    TRY(find_value(r, text, &value));
    return plpgsql_read_text(r, value, &to, out);
}

/* --- Queries --------------------------------------------------------------------- */

enum status plpgsql_read_query(struct plpgsql_reader *r, const cJSON *object, const struct query **query)
{
    const char *text;

    TRY(text_of_expr(r, object, &text));
    return plpgsql_read_query_text(r, text, query);
}

enum status plpgsql_read_query_text(struct plpgsql_reader *r, const char *text, const struct query **query)
{
    PgQuery__ParseResult *tree = NULL;
    const PgQuery__Node *node;
    struct text prefix = { "", 0 };
    struct piece piece;
    enum status status;

    /* PERFORM comes with SELECT in its place. */
    if (strncmp(text, "SELECT", select_word.length - 1) == 0) {
        prefix = select_word;
        text += select_word.length - 1;
    }
    TRY(open_piece(r, prefix, text, &piece));
    status = analyze_parse_piece(r->a, &tree, &node);
    if (status == STATUS_OK)
        status = analyze_query(r->a, &r->routine, node, query);
    sql_tree_close(tree);
    close_piece(r, &piece);
    return status;
}

/* The variable that a datum is, or NULL: rows, which only hold targets together, and fields. */
static const cJSON *variable_at(const struct plpgsql_reader *r, uint32_t number)
{
    const cJSON *variable = cJSON_GetObjectItemCaseSensitive(r->datums[number], "PLpgSQL_var");

    return variable ? variable
                    : cJSON_GetObjectItemCaseSensitive(r->datums[number], "PLpgSQL_rec");
}

/* As it was written; NULL where the variable was made by a loop, FOUND or a CASE. */
static const char *type_text(const cJSON *variable)
{
    static const char *const unwritten[] = { "UNKNOWN", "pg_catalog.\"integer\"",
                                             "pg_catalog.\"boolean\"" };
    const cJSON *datatype = cJSON_GetObjectItemCaseSensitive(variable, "datatype");
    const char *text =
        plpgsql_json_text(cJSON_GetObjectItemCaseSensitive(datatype, "PLpgSQL_type"), "typname");

    if (variable && !datatype)
        return "record";
    for (size_t i = 0; text && i < ROW_COUNT(unwritten); i++)
        if (strcmp(text, unwritten[i]) == 0)
            return NULL;
    return text;
}

/* --- Adding ---------------------------------------------------------------------- */

static enum status add_named(struct plpgsql_reader *r, struct names *names, struct text name,
                             struct named **named)
{
    void *memory;

    TRY(analyze_keep(r->a, 1, sizeof **named, &memory));
    *named = memory;
    TRY(analyze_keep_text(r->a, name, &(*named)->name));
    (*named)->next = names->first;
    names->first = *named;
    return STATUS_OK;
}

enum status plpgsql_add_variable(struct plpgsql_reader *r, struct names *names, struct text name, struct type type,
                                 struct named **named)
{
    struct variable variable = { .type = type };

    TRY(add_named(r, names, name, named));
    variable.name = (*named)->name;
    (*named)->slot = (uint32_t)r->routine.variables.count;
    return array_push(&r->routine.variables, variable, r->a->err);
}

enum status plpgsql_claim_parameters(struct plpgsql_reader *r, const struct program_function *function)
{
    struct names *names;
    struct named *named = NULL;
    void *memory;
    uint32_t i;

    TRY(analyze_keep(r->a, 1, sizeof *names, &memory));
    names = memory;
    names->label = function->name;
    for (i = 0; i < function->parameter_count; i++) {
        TRY(plpgsql_add_variable(r, names, function->variables[i].name, function->variables[i].type,
                                 &named));
        if (i < r->datum_count)
            r->claimed[i] = named;
    }
    TRY(plpgsql_add_variable(r, names, TEXT("found"), type_of(TYPE_BOOLEAN), &named));
    if (i < r->datum_count)
        r->claimed[i] = named;
    r->next_datum = i + 1;
    r->routine.names = names;
    return STATUS_OK;
}

/* Of a record: as libpg_query 15 does. */
static enum status refuse_field(struct plpgsql_reader *r, const cJSON *field)
{
    uint32_t record = plpgsql_json_number(field, "recparentno");
    const cJSON *variable = record < r->datum_count ? variable_at(r, record) : NULL;
    const char *name = plpgsql_json_text(variable, "refname");
    struct sql_fault fault = { .line = plpgsql_line_here(r) - r->body_line + 1 };

    snprintf(fault.text, sizeof fault.text, "\"%s.%s\" is not a known variable",
             name ? name : "(unnamed)", plpgsql_json_text(field, "fieldname"));
    return plpgsql_refuse_body(r, &fault);
}

enum status plpgsql_find_claimed(struct plpgsql_reader *r, uint32_t datum, struct named **named)
{
    const cJSON *field = datum < r->datum_count
                             ? cJSON_GetObjectItemCaseSensitive(r->datums[datum], "PLpgSQL_recfield")
                             : NULL;

    if (field)
        return refuse_field(r, field);
    if (datum >= r->datum_count || !r->claimed[datum])
        return analyze_refuse(r->a, -1, "a variable here cannot be followed");
    *named = r->claimed[datum];
    return STATUS_OK;
}

/* The datum of a loop's variable, which is the next one. */
static enum status claim_loop_datum(struct plpgsql_reader *r, const char *name, struct named *named)
{
    for (; r->next_datum < r->datum_count; r->next_datum++) {
        const cJSON *variable = variable_at(r, r->next_datum);
        const char *its_name = plpgsql_json_text(variable, "refname");

        if (!variable || r->claimed[r->next_datum])
            continue;
        if (type_text(variable) || !its_name || strcmp(its_name, name) != 0)
            break;
        r->claimed[r->next_datum++] = named;
        return STATUS_OK;
    }
    return analyze_refuse(r->a, -1, "the variable of the loop (%s) cannot be followed", name);
}

enum status plpgsql_claim_loop_variable(struct plpgsql_reader *r, const char *name, struct names *names,
                                        uint32_t *slot)
{
    struct named *named = NULL;

    TRY(plpgsql_add_variable(r, names, text_of(name), type_of(TYPE_INTEGER), &named));
    *slot = named->slot;
    return claim_loop_datum(r, name, named);
}

/* --- DECLARE --------------------------------------------------------------------- */

/* "table.column%TYPE" or "variable%TYPE": what stands before the %. */
static enum status copy_type(struct plpgsql_reader *r, struct text of, struct type *type)
{
    const struct named *named;
    const char *point = memchr(of.at, '.', of.length);
    uint32_t table, column;
    struct text name;

    if (!point) {
        named = analyze_find_variable(r->routine.names, of);
        if (!named || named->record)
            return analyze_refuse(r->a, -1, "variable \"%.*s\" does not exist", TEXT_PRINT(of));
        *type = r->routine.variables.at[named->slot].type;
        return STATUS_OK;
    }
    name = (struct text){ of.at, (size_t)(point - of.at) };
    table = analyze_find_table(r->a, name);
    if (table == UINT32_MAX)
        return analyze_refuse(r->a, -1, "relation \"%.*s\" does not exist", TEXT_PRINT(name));
    name = (struct text){ point + 1, of.length - name.length - 1 };
    column = analyze_find_column(&r->a->tables[table], name);
    if (column == UINT32_MAX)
        return analyze_refuse(r->a, -1, "column \"%.*s\" of relation \"%.*s\" does not exist",
                              TEXT_PRINT(name), TEXT_PRINT(r->a->tables[table].name));
    *type = r->a->tables[table].columns[column].type;
    return STATUS_OK;
}

enum status plpgsql_read_type(struct plpgsql_reader *r, const char *text, struct type *type)
{
    static const struct text suffix = { "%TYPE", 5 };
    struct text whole = text_of(text);
    struct sql_error error;

    while (whole.length && strchr(" \t\r\n", whole.at[whole.length - 1]))
        whole.length--;
    if (whole.length > suffix.length) {
        struct text last = { whole.at + whole.length - suffix.length, suffix.length };

        if (strncasecmp(last.at, suffix.at, suffix.length) == 0)
            return copy_type(r, (struct text){ whole.at, whole.length - suffix.length }, type);
    }
    if (memchr(whole.at, '%', whole.length))
        return analyze_refuse(r->a, -1, "%%ROWTYPE is not supported");
    if (type_parse(whole, type, &error) != STATUS_OK)
        return analyze_refuse_sql(r->a, -1, &error);
    if (type->kind == TYPE_UNKNOWN || type->kind == TYPE_VOID)
        return analyze_refuse(r->a, -1, "a variable of type %s is not supported", type_name(type->kind));
    return STATUS_OK;
}

/* Whether a token is the name, quoted or not. */
static bool is_name(const struct plpgsql_reader *r, const struct sql_token *token, struct text name)
{
    const char *at = r->body.at + token->start;

    return plpgsql_is_word(r, token, name) ||
           (token->end - token->start == name.length + 2 && *at == '"' &&
            memcmp(at + 1, name.at, name.length) == 0);
}

/* Looks at the words, since of a record libpg_query 17 leaves out how it is declared. */
static bool is_plain_record(const struct plpgsql_reader *r, const cJSON *variable)
{
    struct text name = text_of(plpgsql_json_text(variable, "refname"));
    const struct sql_token *token = r->tokens.at;

    for (uint32_t i = 0; i + 2 < r->tokens.count; i++, token++)
        if (analyze_line_at(r->a, r->body_offset + token->start) >= r->here.line &&
            is_name(r, token, name) && plpgsql_is_word(r, token + 1, TEXT("record")))
            return plpgsql_is_word(r, token + 2, TEXT(";"));
    return false;
}

static enum status add_record(struct plpgsql_reader *r, struct names *names, const char *name,
                              struct named **named)
{
    void *memory;

    TRY(add_named(r, names, text_of(name), named));
    TRY(analyze_keep(r->a, 1, sizeof *(*named)->record, &memory));
    (*named)->record = memory;
    return array_push(&r->records, (*named)->record, r->a->err);
}

static bool is_refcursor(const char *type)
{
    return strncasecmp(type, "refcursor", 9) == 0 && type[9 + strspn(type + 9, " \t\r\n")] == '\0';
}

/* `initial` is its value when the block begins, or NULL. */
static enum status add_declared(struct plpgsql_reader *r, struct names *names, const cJSON *variable,
                                struct named **named, const struct expression **initial)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(variable, "default_val");
    bool not_null = plpgsql_json_is(variable, "notnull");
    struct type type;

    *initial = NULL;
    plpgsql_read_line(r, variable);
    if (is_refcursor(type_text(variable)))
        return plpgsql_declare_cursor(r, names, variable, named, initial);
    TRY(plpgsql_read_type(r, type_text(variable), &type));
    if (type.kind == TYPE_RECORD && !is_plain_record(r, variable))
        return analyze_refuse(r->a, -1, "a record with a default, CONSTANT or NOT NULL is not supported");
    if (type.kind == TYPE_RECORD)
        return add_record(r, names, plpgsql_json_text(variable, "refname"), named);
    /* The value cannot mean the variable itself, so it is read before that has a name. */
    if (value)
        TRY(plpgsql_read_expression(r, value, &type, initial));
    else if (not_null)
        return analyze_refuse(r->a, -1,
                              "variable \"%s\" must have a default value, since it's declared NOT NULL",
                              plpgsql_json_text(variable, "refname"));
    TRY(plpgsql_add_variable(r, names, text_of(plpgsql_json_text(variable, "refname")), type, named));
    r->routine.variables.at[(*named)->slot].not_null = not_null;
    (*named)->is_constant = plpgsql_json_is(variable, "isconst");
    return STATUS_OK;
}

/* Whether the datum is one that a block with its BEGIN on this line declares. */
static bool is_declared_before(const struct plpgsql_reader *r, uint32_t number, uint32_t begin_line)
{
    const cJSON *variable = variable_at(r, number);

    return variable && type_text(variable) && plpgsql_json_number(variable, "lineno") <= begin_line;
}

/* The next datum that nobody has claimed and that is no row. */
static uint32_t skip_rows(const struct plpgsql_reader *r, uint32_t number)
{
    while (number < r->datum_count && (r->claimed[number] || !variable_at(r, number)))
        number++;
    return number;
}

uint32_t plpgsql_count_declared(const struct plpgsql_reader *r, uint32_t begin_line)
{
    uint32_t count = 0;

    for (uint32_t i = skip_rows(r, r->next_datum);
         i < r->datum_count && is_declared_before(r, i, begin_line); i = skip_rows(r, i + 1))
        count++;
    return count;
}

bool plpgsql_has_declared_on(const struct plpgsql_reader *r, uint32_t line)
{
    for (uint32_t i = 0; i < r->datum_count; i++)
        if (is_declared_before(r, i, line) && !is_declared_before(r, i, line - 1))
            return true;
    return false;
}

static enum status set_initial(struct plpgsql_reader *r, const struct named *named,
                               const struct expression *initial, struct action *action)
{
    struct type type = r->routine.variables.at[named->slot].type;

    *action = (struct action){ .kind = ACTION_ASSIGN, .line = plpgsql_line_here(r) };
    action->as.assign.slot = named->slot;
    action->as.assign.value = initial;
    return initial ? STATUS_OK : analyze_build_null(r->a, type, -1, &action->as.assign.value);
}

/*
 * The function's own variables get their values once. Those of an inner block
 * get them whenever it begins, so there they are assignments.
 */
enum status plpgsql_claim_declared(struct plpgsql_reader *r, uint32_t begin_line, struct names *names,
                                   bool is_outermost, struct action *actions, uint32_t *count)
{
    uint32_t left = plpgsql_count_declared(r, begin_line);

    *count = 0;
    for (; left > 0; left--) {
        const struct expression *initial;
        uint32_t number = skip_rows(r, r->next_datum);
        struct named *named = NULL;

        TRY(add_declared(r, names, variable_at(r, number), &named, &initial));
        r->claimed[number] = named;
        r->next_datum = number + 1;
        if (named->record)
            continue;
        if (is_outermost)
            r->routine.variables.at[named->slot].initial = initial;
        else
            TRY(set_initial(r, named, initial, &actions[(*count)++]));
    }
    return STATUS_OK;
}

/* --- Records ------------------------------------------------------------------------ */

static bool same_fields(const struct shape *shape, const struct output *outputs, uint32_t count)
{
    if (shape->count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!text_equal(shape->fields[i].name, outputs[i].name) ||
            !type_equal(shape->fields[i].value->type, outputs[i].value->type))
            return false;
    return true;
}

/* Slots for the fields, which rows of the same kind share. */
static enum status find_shape(struct plpgsql_reader *r, const struct named *named,
                              const struct output *outputs, uint32_t count,
                              const struct shape **found)
{
    struct shape *made;
    void *memory;

    for (*found = named->record->shapes; *found; *found = (*found)->next)
        if (same_fields(*found, outputs, count))
            return STATUS_OK;
    TRY(analyze_keep(r->a, 1, sizeof *made, &memory));
    made = memory;
    *made = (struct shape){ (uint32_t)r->routine.variables.count, count, outputs,
                            named->record->shapes };
    for (uint32_t i = 0; i < count; i++) {
        struct variable variable = { .type = outputs[i].value->type };
        struct buffer name = { 0 };
        enum status status;

        buffer_text(&name, named->name);
        buffer_byte(&name, '.');
        buffer_text(&name, outputs[i].name);
        status = buffer_status(&name, r->a->err);
        if (status == STATUS_OK)
            status = analyze_keep_text(r->a, (struct text){ name.at, name.count }, &variable.name);
        buffer_close(&name);
        TRY(status);
        TRY(array_push(&r->routine.variables, variable, r->a->err));
    }
    named->record->shapes = *found = made;
    return STATUS_OK;
}

static enum status make_into(struct plpgsql_reader *r, uint32_t count, bool strict, uint32_t **slots,
                             struct operator_choice **casts, const struct into **into)
{
    struct into *made;
    void *memory;

    TRY(analyze_keep(r->a, 1, sizeof *made, &memory));
    *into = made = memory;
    TRY(analyze_keep(r->a, count, sizeof **slots, &memory));
    made->slots = *slots = memory;
    TRY(analyze_keep(r->a, count, sizeof **casts, &memory));
    made->casts = *casts = memory;
    made->count = count;
    made->strict = strict;
    return STATUS_OK;
}

static enum status into_record(struct plpgsql_reader *r, const struct named *named,
                               const struct output *outputs, uint32_t count, bool strict,
                               const struct into **into)
{
    const struct shape *shape;
    struct operator_choice *casts;
    uint32_t *slots;

    TRY(find_shape(r, named, outputs, count, &shape));
    TRY(make_into(r, count, strict, &slots, &casts, into));
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = shape->first_slot + i;
        casts[i] = (struct operator_choice){ .code = OPERATOR_NONE,
                                             .argument_count = 1,
                                             .result = outputs[i].value->type };
    }
    named->record->now = shape;
    return STATUS_OK;
}

enum status plpgsql_add_loop_record(struct plpgsql_reader *r, const char *name, struct names *names,
                                    const struct query *query, const struct into **into)
{
    const struct output *outputs = NULL;
    uint32_t count = analyze_query_outputs(query, &outputs);
    struct named *named = NULL;

    TRY(add_record(r, names, name, &named));
    TRY(claim_loop_datum(r, name, named));
    return into_record(r, named, outputs, count, false, into);
}

static enum status into_variables(struct plpgsql_reader *r, const cJSON *fields,
                                  const struct output *outputs, uint32_t count, bool strict,
                                  const struct into **into)
{
    struct operator_choice *casts;
    const cJSON *field;
    uint32_t *slots, i = 0;

    TRY(make_into(r, count, strict, &slots, &casts, into));
    cJSON_ArrayForEach(field, fields)
    {
        struct sql_error error;
        struct named *named = NULL;

        TRY(plpgsql_find_claimed(r, plpgsql_json_number(field, "varno"), &named));
        if (named->is_constant)
            return analyze_refuse(r->a, -1, "variable \"%.*s\" is declared CONSTANT",
                                  TEXT_PRINT(named->name));
        slots[i] = named->slot;
        if (operator_cast(outputs[i].value->type, r->routine.variables.at[named->slot].type,
                          CAST_VARIABLE, &casts[i], &error) != STATUS_OK)
            return analyze_refuse_sql(r->a, -1, &error);
        i++;
    }
    return STATUS_OK;
}

enum status plpgsql_read_into(struct plpgsql_reader *r, const cJSON *target, const struct query *query, bool strict,
                              const struct into **into)
{
    const cJSON *row = cJSON_GetObjectItemCaseSensitive(target, "PLpgSQL_row");
    const cJSON *record = cJSON_GetObjectItemCaseSensitive(target, "PLpgSQL_rec");
    const cJSON *fields = cJSON_GetObjectItemCaseSensitive(row, "fields");
    uint32_t variables = record ? 1 : (uint32_t)cJSON_GetArraySize(fields), first, count;
    const struct output *outputs = NULL;
    struct named *named = NULL;

    count = analyze_query_outputs(query, &outputs);
    if (count == 0)
        return analyze_refuse(r->a, -1, "INTO used with a command that cannot return data");
    if (variables == 0)
        return analyze_refuse(r->a, -1, "libpg_query does not say where rows go");
    first = record ? plpgsql_json_number(record, "dno")
                   : plpgsql_json_number(fields->child, "varno");
    TRY(plpgsql_find_claimed(r, first, &named));
    if (named->record && variables == 1)
        return into_record(r, named, outputs, count, strict, into);
    if (variables != count)
        return analyze_refuse(r->a, -1, "a row of %u columns into %u variables is not supported", count,
                              variables);
    return into_variables(r, fields, outputs, count, strict, into);
}

/* --- What records are, on each way ---------------------------------------------------- */

enum status plpgsql_shapes_save(struct plpgsql_reader *r, struct shapes *shapes)
{
    void *memory;

    shapes->count = r->records.count;
    TRY(analyze_keep(r->a, shapes->count, sizeof *shapes->at, &memory));
    shapes->at = memory;
    for (size_t i = 0; i < shapes->count; i++)
        shapes->at[i] = r->records.at[i]->now;
    return STATUS_OK;
}

/* Records that were declared since are out of sight. */
void plpgsql_shapes_restore(struct plpgsql_reader *r, const struct shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++)
        r->records.at[i]->now = shapes->at[i];
}

void plpgsql_shapes_merge(struct plpgsql_reader *r, const struct shapes *other)
{
    for (size_t i = 0; i < other->count; i++)
        if (r->records.at[i]->now != other->at[i])
            r->records.at[i]->now = &shape_uncertain;
}

static void blur(struct plpgsql_reader *r, uint32_t number)
{
    if (number < r->datum_count && r->claimed[number] && r->claimed[number]->record)
        r->claimed[number]->record->now = &shape_uncertain;
}

void plpgsql_shapes_blur(struct plpgsql_reader *r, const cJSON *statements)
{
    const cJSON *item, *field;

    cJSON_ArrayForEach(item, statements)
    {
        if (item->string && strcmp(item->string, "PLpgSQL_rec") == 0) {
            blur(r, plpgsql_json_number(item, "dno"));
        } else if (!item->string || strcmp(item->string, "fields") != 0) {
            plpgsql_shapes_blur(r, item);
        } else {
            cJSON_ArrayForEach(field, item)
            {
                blur(r, plpgsql_json_number(field, "varno"));
            }
        }
    }
}
