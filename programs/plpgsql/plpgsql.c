#include "programs/plpgsql/plpgsql_private.h"
#include "programs/plpgsql/plpgsql_cursor_private.h"
#include "programs/plpgsql/plpgsql_variable_private.h"
#include "programs/sql/analyze_build.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define REFUSED_CURSOR "OPEN, FETCH or CLOSE in this form"
#define BODY_TOKENS_MAX 50000 /* libpg_query compares every variable with all before it */

/* --- What the JSON would leave out ------------------------------------------------- */

bool plpgsql_is_word(const struct plpgsql_reader *r, const struct sql_token *token,
                     struct text word)
{
    return token->end - token->start == word.length &&
           strncasecmp(r->body.at + token->start, word.at, word.length) == 0;
}

/* ALIAS FOR x; in DECLARE. As the alias of a table it is followed by other things. */
static bool is_alias(const struct plpgsql_reader *r, const struct sql_tokens *tokens, uint32_t i)
{
    return i + 3 < tokens->count && plpgsql_is_word(r, &tokens->at[i], TEXT("alias")) &&
           plpgsql_is_word(r, &tokens->at[i + 1], TEXT("for")) &&
           (tokens->at[i + 2].kind == PG_QUERY__TOKEN__IDENT ||
            tokens->at[i + 2].kind == PG_QUERY__TOKEN__PARAM) &&
           plpgsql_is_word(r, &tokens->at[i + 3], TEXT(";"));
}

/* Errors here are about the body as a text. */
static enum status check_words(struct plpgsql_reader *r)
{
    const struct sql_tokens *tokens = &r->tokens;
    struct sql_fault fault;

    r->a->piece = &r->whole;
    if (sql_scan(r->body.at, &r->tokens, &fault) != STATUS_OK)
        return analyze_refuse_fault(r->a, &fault);
    if (tokens->count > BODY_TOKENS_MAX)
        return analyze_refuse(r->a, 0, "a body of more than %d words is not supported", BODY_TOKENS_MAX);
    if (tokens->count > 0 && r->body.at[tokens->at[0].start] == '#')
        return analyze_refuse(r->a, (int32_t)tokens->at[0].start,
                              "an option of PL/pgSQL (#...) is not supported");
    for (uint32_t i = 0; i < tokens->count; i++)
        if (is_alias(r, tokens, i))
            return analyze_refuse(r->a, (int32_t)tokens->at[i].start, "ALIAS is not supported");
    TRY(plpgsql_find_cursors(r));
    r->a->piece = &r->here;
    return STATUS_OK;
}

/* --- The JSON ------------------------------------------------------------------------ */

/* The word that a message is about: at or near "x", "x" is not a known variable. */
static bool find_culprit(const char *message, struct text *word)
{
    static const char refused_return[] = "cannot use RETURN ";
    const char *at = strstr(message, "at or near \"");

    if (strncmp(message, refused_return, strlen(refused_return)) == 0) {
        word->at = message + strlen(refused_return);
        word->length = strcspn(word->at, " ");
        return true;
    }
    at = at ? at + strlen("at or near ") : message;
    if (*at != '"')
        return false;
    word->at = at + 1;
    /* Of "r.field" is not a known variable, the first word is enough. */
    word->length = strcspn(at + 1, at == message ? "\"." : "\"");
    return word->length > 0;
}

/* libpg_query's line may be too early, never too late. */
static int32_t locate(const struct plpgsql_reader *r, const struct sql_fault *fault)
{
    uint32_t line = fault->line ? r->body_line + fault->line - 1 : r->body_line;
    bool is_target = strstr(fault->text, "is not a known variable") != NULL;
    struct text word;

    if (!find_culprit(fault->text, &word))
        return -1;
    for (uint32_t i = 0; i < r->tokens.count; i++) {
        const struct sql_token *token = &r->tokens.at[i];
        char next = i + 1 < r->tokens.count ? r->body.at[r->tokens.at[i + 1].start] : '\0';

        if (analyze_line_at(r->a, r->body_offset + token->start) >= line &&
            plpgsql_is_word(r, token, word) &&
            (!is_target || next == ':' || next == '=' || next == '.' || next == '['))
            return (int32_t)token->start;
    }
    return -1;
}

enum status plpgsql_refuse_body(struct plpgsql_reader *r, const struct sql_fault *fault)
{
    int32_t location = locate(r, fault);

    if (location >= 0)
        r->a->piece = &r->whole;
    else if (fault->line > 0)
        r->here.line = r->body_line + fault->line - 1;
    /* libpg_query does not know cursors, or not all. */
    if (strstr(fault->text, "must be of type cursor or refcursor")) {
        r->here.line = plpgsql_strange_cursor(r, r->body_line + fault->line - 1);
        r->a->piece = &r->here;
        return analyze_refuse(r->a, -1, REFUSED_CURSOR " is not supported");
    }
    return analyze_refuse(r->a, location, "function %.*s: %s",
                          TEXT_PRINT(r->routine.function->name), fault->text);
}

static void *take_memory(size_t size)
{
    void *memory = malloc(size);

    if (!memory)
        memory_note_failure();
    return memory;
}

/* Whether it nests deeper than cJSON takes. */
static bool is_deep(const char *text)
{
    bool is_string = false;
    int depth = 0; /* below 0 where the beginning lacks */

    for (; *text; text++) {
        if (is_string && *text == '\\' && text[1])
            text++;
        else if (*text == '"')
            is_string = !is_string;
        else if (!is_string && (*text == '{' || *text == '['))
            depth++;
        else if (!is_string && (*text == '}' || *text == ']'))
            depth--;
        if (depth > CJSON_NESTING_LIMIT)
            return true;
    }
    return false;
}

/* Without memory libpg_query leaves its text unfinished, and says nothing. */
static enum status parse_json(struct plpgsql_reader *r, const char *text, cJSON **json)
{
    uint64_t failures = memory_failures();

    cJSON_InitHooks(&(cJSON_Hooks){ take_memory, free });
    *json = cJSON_Parse(text);
    if (memory_failures() != failures)
        return error_set(r->a->err, STATUS_OVER_LIMIT, "no memory");
    if (!*json && !is_deep(text))
        return error_set(r->a->err, STATUS_OVER_LIMIT, "no memory for the parser of SQL");
    if (!*json)
        return analyze_refuse(r->a, -1, "statements within too many statements are not supported");
    return STATUS_OK;
}

static enum status parse_body(struct plpgsql_reader *r, struct text statement, cJSON **json)
{
    char *copy, *text = NULL;
    struct sql_fault fault;
    enum status status;

    *json = NULL;
    TRY(plpgsql_without_cursors(r, statement, &copy));
    status = sql_parse_body(copy, &text, &fault);
    if (status == STATUS_OK)
        status = parse_json(r, text, json);
    else
        status = plpgsql_refuse_body(r, &fault);
    free(text);
    free(copy);
    return status;
}

static enum status read_datums(struct plpgsql_reader *r, const cJSON *array)
{
    const cJSON *item;
    uint32_t i = 0;
    void *memory;

    r->datum_count = (uint32_t)cJSON_GetArraySize(array);
    TRY(analyze_keep(r->a, r->datum_count, sizeof *r->claimed, &memory));
    r->claimed = memory;
    TRY(analyze_keep(r->a, r->datum_count, sizeof *r->datums, &memory));
    r->datums = memory;
    cJSON_ArrayForEach(item, array)
    {
        r->datums[i++] = item;
    }
    return STATUS_OK;
}

static enum status read_function(struct plpgsql_reader *r, const cJSON *json, struct block *body)
{
    const cJSON *function = cJSON_GetObjectItemCaseSensitive(json->child, "PLpgSQL_function");
    const cJSON *action = cJSON_GetObjectItemCaseSensitive(function, "action");
    const cJSON *block = cJSON_GetObjectItemCaseSensitive(action, "PLpgSQL_stmt_block");

    if (!block)
        return analyze_refuse(r->a, -1, "libpg_query says nothing of the body");
    TRY(read_datums(r, cJSON_GetObjectItemCaseSensitive(function, "datums")));
    TRY(plpgsql_claim_parameters(r, r->routine.function));
    plpgsql_read_line(r, block);
    /* With EXCEPTION, libpg_query puts the block within another one. */
    return plpgsql_read_block(r, block, true, body);
}

static enum status keep_function(struct plpgsql_reader *r, struct program_function *function, struct block body)
{
    struct variable *variables;
    void *memory;

    TRY(analyze_keep(r->a, r->routine.variables.count, sizeof *variables, &memory));
    variables = memory;
    memcpy(variables, r->routine.variables.at, r->routine.variables.count * sizeof *variables);
    function->variables = variables;
    function->variable_count = (uint32_t)r->routine.variables.count;
    function->found = function->parameter_count;
    function->body = body;
    return STATUS_OK;
}

static enum status read_all(struct plpgsql_reader *r, struct program_function *function, struct text statement)
{
    struct block body = { 0 };
    cJSON *json = NULL;
    enum status status;

    TRY(check_words(r));
    status = parse_body(r, statement, &json);
    if (status == STATUS_OK)
        status = read_function(r, json, &body);
    cJSON_Delete(json);
    TRY(status);
    return keep_function(r, function, body);
}

enum status plpgsql_analyze_body(struct analysis *a, struct program_function *function, struct text statement,
                                 struct text body, size_t body_offset)
{
    const struct piece *outside = a->piece;
    struct plpgsql_reader r = { .a = a, .body = body, .body_offset = body_offset };
    enum status status;

    r.routine.function = function;
    r.body_line = analyze_line_at(a, body_offset);
    r.here.line = function->line;
    r.whole = (struct piece){
        .text = body.at, .is_placed = true, .offset = body_offset, .line = r.body_line
    };
    a->piece = &r.here;
    status = read_all(&r, function, statement);
    sql_tokens_close(&r.tokens);
    array_close(&r.routine.variables);
    array_close(&r.records);
    array_close(&r.cursors);
    a->piece = outside;
    return status;
}

#define DEPTH_MAX 100
#define CASE_NOT_FOUND "20000"

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static enum status read_condition(struct plpgsql_reader *r, const cJSON *expr,
                                  const struct expression **out)
{
    struct type boolean = type_of(TYPE_BOOLEAN);

    return plpgsql_read_expression(r, expr, &boolean, out);
}

/* --- Assignments, queries, RETURN ------------------------------------------------ */

static enum status read_assign(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    struct named *named;
    struct type type;

    TRY(plpgsql_find_claimed(r, plpgsql_json_number(json, "varno"), &named));
    if (named->record)
        return analyze_refuse(r->a, -1, "assignment to a whole record is not supported");
    if (named->is_constant)
        return analyze_refuse(r->a, -1, "variable \"%.*s\" is declared CONSTANT", TEXT_PRINT(named->name));
    action->kind = ACTION_ASSIGN;
    action->as.assign.slot = named->slot;
    type = r->routine.variables.at[named->slot].type;
    return plpgsql_read_assigned(r, member(json, "expr"), type, &action->as.assign.value);
}

static enum status read_perform(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const struct cursor_words *cursor = plpgsql_cursor_words(r, member(json, "expr"));

    if (cursor)
        return plpgsql_read_cursor(r, cursor, action);
    action->kind = ACTION_QUERY;
    return plpgsql_read_query(r, member(json, "expr"), &action->as.query.query);
}

static enum status read_sql(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const struct cursor_words *cursor = plpgsql_cursor_words(r, member(json, "sqlstmt"));
    const struct output *outputs;
    const struct query *query;

    if (cursor)
        return plpgsql_read_fetch(r, cursor, json, action);
    action->kind = ACTION_QUERY;
    TRY(plpgsql_read_query(r, member(json, "sqlstmt"), &action->as.query.query));
    query = action->as.query.query;
    if (plpgsql_json_is(json, "into"))
        return plpgsql_read_into(r, member(json, "target"), query, plpgsql_json_is(json, "strict"),
                                 &action->as.query.into);
    if (analyze_query_outputs(query, &outputs) > 0)
        return analyze_refuse(r->a, -1, "query has no destination for result data");
    return STATUS_OK;
}

static enum status read_return(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const struct type *result = &r->routine.function->result;
    const cJSON *expr = member(json, "expr");

    action->kind = ACTION_RETURN;
    if (result->kind == TYPE_VOID && expr)
        return analyze_refuse(r->a, -1, "RETURN cannot have a parameter in function returning void");
    if (result->kind != TYPE_VOID && !expr)
        return analyze_refuse(r->a, -1, "RETURN needs a value in function returning %s",
                              type_name(result->kind));
    return expr ? plpgsql_read_expression(r, expr, result, &action->as.value) : STATUS_OK;
}

/* --- IF and CASE --------------------------------------------------------------------- */

/* The arms of a choice, while they are read one by one. */
struct plpgsql_choice {
    struct shapes before, after; /* records before all of them; where those read so far end */
    bool has_after;
    struct arm *arms;
    uint32_t count;
};

static enum status choice_begin(struct plpgsql_reader *r, size_t arm_count, struct plpgsql_choice *choice)
{
    void *memory;

    *choice = (struct plpgsql_choice){ .count = 0 };
    TRY(analyze_keep(r->a, arm_count, sizeof *choice->arms, &memory));
    choice->arms = memory;
    return plpgsql_shapes_save(r, &choice->before);
}

/* Takes what the records are now for one of the ways through. */
static enum status choice_join(struct plpgsql_reader *r, struct plpgsql_choice *choice)
{
    if (choice->has_after)
        plpgsql_shapes_merge(r, &choice->after);
    choice->has_after = true;
    TRY(plpgsql_shapes_save(r, &choice->after));
    plpgsql_shapes_restore(r, &choice->before);
    return STATUS_OK;
}

static enum status choice_add(struct plpgsql_reader *r, struct plpgsql_choice *choice,
                              const struct expression *condition, const cJSON *statements)
{
    struct arm *arm = &choice->arms[choice->count++];

    arm->condition = condition;
    TRY(plpgsql_read_statements(r, statements, &arm->body));
    return choice_join(r, choice);
}

static enum status choice_end(struct plpgsql_reader *r, struct plpgsql_choice *choice, bool has_else,
                              struct action *action)
{
    if (!has_else)
        TRY(choice_join(r, choice)); /* the way past all arms */
    plpgsql_shapes_restore(r, &choice->after);
    action->kind = ACTION_IF;
    action->as.choice.arms = choice->arms;
    action->as.choice.count = choice->count;
    return STATUS_OK;
}

static enum status read_if(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const cJSON *elsifs = member(json, "elsif_list"), *item;
    const cJSON *otherwise = member(json, "else_body");
    const struct expression *condition;
    struct plpgsql_choice choice;

    TRY(choice_begin(r, (size_t)cJSON_GetArraySize(elsifs) + 2, &choice));
    TRY(read_condition(r, member(json, "cond"), &condition));
    TRY(choice_add(r, &choice, condition, member(json, "then_body")));
    cJSON_ArrayForEach(item, elsifs)
    {
        const cJSON *elsif = member(item, "PLpgSQL_if_elsif");

        plpgsql_read_line(r, elsif);
        TRY(read_condition(r, member(elsif, "cond"), &condition));
        TRY(choice_add(r, &choice, condition, member(elsif, "stmts")));
    }
    if (otherwise)
        TRY(choice_add(r, &choice, NULL, otherwise));
    return choice_end(r, &choice, otherwise != NULL, action);
}

static enum status read_whens(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const cJSON *whens = member(json, "case_when_list"), *item;
    const struct expression *condition;
    struct plpgsql_choice choice;
    struct action *raise;
    void *memory;

    TRY(choice_begin(r, (size_t)cJSON_GetArraySize(whens) + 1, &choice));
    cJSON_ArrayForEach(item, whens)
    {
        const cJSON *when = member(item, "PLpgSQL_case_when");

        plpgsql_read_line(r, when);
        TRY(read_condition(r, member(when, "expr"), &condition));
        TRY(choice_add(r, &choice, condition, member(when, "stmts")));
    }
    if (plpgsql_json_is(json, "have_else")) {
        TRY(choice_add(r, &choice, NULL, member(json, "else_stmts")));
        return choice_end(r, &choice, true, action);
    }
    TRY(analyze_keep(r->a, 1, sizeof *raise, &memory));
    raise = memory;
    raise->kind = ACTION_RAISE;
    raise->line = action->line;
    raise->as.raise.format = TEXT("case not found");
    memcpy(raise->as.raise.sqlstate, CASE_NOT_FOUND, sizeof CASE_NOT_FOUND);
    choice.arms[choice.count++].body = (struct block){ raise, 1 };
    return choice_end(r, &choice, true, action);
}

/* CASE x WHEN: libpg_query has a variable for x, and compares it in every WHEN. */
static enum status read_case(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const cJSON *operand = member(json, "t_expr");
    uint32_t number = plpgsql_json_number(json, "t_varno");
    struct names names = { .outer = r->routine.names };
    const struct expression *value;
    const char *name;
    struct action *actions;
    struct named *named;
    enum status status;
    void *memory;

    if (!operand)
        return read_whens(r, json, action);
    name = number < r->datum_count ? plpgsql_json_text(member(r->datums[number], "PLpgSQL_var"), "refname")
                                   : NULL;
    if (!name)
        return analyze_refuse(r->a, -1, "libpg_query does not say what CASE compares");
    TRY(plpgsql_read_expression(r, operand, NULL, &value));
    TRY(plpgsql_add_variable(r, &names, text_of(name), value->type, &named));
    r->claimed[number] = named;
    TRY(analyze_keep(r->a, 2, sizeof *actions, &memory));
    actions = memory;
    actions[0] = (struct action){ .kind = ACTION_ASSIGN, .line = action->line };
    actions[0].as.assign.slot = named->slot;
    actions[0].as.assign.value = value;
    actions[1].line = action->line;
    r->routine.names = &names;
    status = read_whens(r, json, &actions[1]);
    r->routine.names = names.outer;
    action->kind = ACTION_BLOCK;
    action->as.block = (struct block){ actions, 2 };
    return status;
}

/* --- Loops ------------------------------------------------------------------------------ */

/* A loop's body, with its label and its variable's name in sight. */
static enum status read_body(struct plpgsql_reader *r, const cJSON *json, struct names *names,
                             struct block *body)
{
    struct nest nest = { plpgsql_json_text(json, "label"), true, r->nest };
    enum status status;

    if (nest.label)
        names->label = text_of(nest.label);
    names->outer = r->routine.names;
    r->routine.names = names;
    r->nest = &nest;
    status = plpgsql_read_statements(r, member(json, "body"), body);
    r->nest = nest.outer;
    r->routine.names = names->outer;
    return status;
}

static enum status read_loop(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const cJSON *condition = member(json, "cond");
    struct names names = { 0 };

    action->kind = condition ? ACTION_WHILE : ACTION_LOOP;
    plpgsql_shapes_blur(r, member(json, "body"));
    if (condition)
        TRY(read_condition(r, condition, &action->as.loop.condition));
    TRY(read_body(r, json, &names, &action->as.loop.body));
    plpgsql_shapes_blur(r, member(json, "body"));
    return STATUS_OK;
}

/* The record of the loop itself has in its body, and behind it, what the query gives. */
static enum status read_rows_body(struct plpgsql_reader *r, const cJSON *json, struct names *names,
                                  struct action *action)
{
    struct shapes own;

    TRY(plpgsql_shapes_save(r, &own));
    TRY(read_body(r, json, names, &action->as.rows.body));
    plpgsql_shapes_restore(r, &own);
    plpgsql_shapes_blur(r, member(json, "body"));
    return STATUS_OK;
}

static enum status read_for_cursor(struct plpgsql_reader *r, const cJSON *json, const char *name,
                                   const struct cursor_words *words, struct action *action)
{
    struct cursor_loop loop;

    plpgsql_shapes_blur(r, member(json, "body"));
    TRY(plpgsql_begin_cursor_loop(r, words, name, action, &loop));
    TRY(read_rows_body(r, json, &loop.names, loop.action));
    plpgsql_end_cursor_loop(&loop);
    return STATUS_OK;
}

static enum status read_for_range(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const struct cursor_words *cursor = plpgsql_cursor_words(r, member(json, "lower"));
    const char *name = plpgsql_json_text(member(member(json, "var"), "PLpgSQL_var"), "refname");
    const cJSON *step = member(json, "step");
    struct type integer = type_of(TYPE_INTEGER);
    struct names names = { 0 };

    if (!name)
        return analyze_refuse(r->a, -1, "libpg_query does not say what the loop counts with");
    if (cursor)
        return read_for_cursor(r, json, name, cursor, action);
    action->kind = ACTION_FOR_RANGE;
    action->as.range.reverse = plpgsql_json_is(json, "reverse");
    TRY(plpgsql_read_expression(r, member(json, "lower"), &integer, &action->as.range.low));
    TRY(plpgsql_read_expression(r, member(json, "upper"), &integer, &action->as.range.high));
    if (step)
        TRY(plpgsql_read_expression(r, step, &integer, &action->as.range.step));
    TRY(plpgsql_claim_loop_variable(r, name, &names, &action->as.range.slot));
    plpgsql_shapes_blur(r, member(json, "body"));
    TRY(read_body(r, json, &names, &action->as.range.body));
    plpgsql_shapes_blur(r, member(json, "body"));
    return STATUS_OK;
}

static enum status read_for_query(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const cJSON *body = member(json, "body");
    struct names names = { 0 };

    action->kind = ACTION_FOR_QUERY;
    TRY(plpgsql_read_query(r, member(json, "query"), &action->as.rows.query));
    plpgsql_shapes_blur(r, body);
    TRY(plpgsql_read_into(r, member(json, "var"), action->as.rows.query, false, &action->as.rows.into));
    return read_rows_body(r, json, &names, action);
}

/* How many loops out the label's is; without a label, the innermost. */
static enum status read_leave(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    const char *label = plpgsql_json_text(json, "label");
    const cJSON *condition = member(json, "cond");
    bool is_exit = plpgsql_json_is(json, "is_exit");

    action->kind = is_exit ? ACTION_EXIT : ACTION_CONTINUE;
    if (condition)
        TRY(read_condition(r, condition, &action->as.leave.condition));
    for (const struct nest *nest = r->nest; nest; nest = nest->outer) {
        bool is_meant = label ? nest->label && strcmp(nest->label, label) == 0 : nest->is_loop;

        if (is_meant && nest->is_loop)
            return STATUS_OK;
        if (is_meant)
            return analyze_refuse(r->a, -1, "%s of a block that is no loop is not supported",
                                  is_exit ? "EXIT" : "CONTINUE");
        action->as.leave.depth += nest->is_loop;
    }
    return analyze_refuse(r->a, -1, "%s needs a loop around it", is_exit ? "EXIT" : "CONTINUE");
}

/* --- All kinds ----------------------------------------------------------------------------- */

static enum status read_inner_block(struct plpgsql_reader *r, const cJSON *json, struct action *action)
{
    action->kind = ACTION_BLOCK;
    return plpgsql_read_block(r, json, false, &action->as.block);
}

static enum status read_raise(struct plpgsql_reader *, const cJSON *raise, struct action *);

static const struct {
    const char *name;
    enum status (*read)(struct plpgsql_reader *, const cJSON *, struct action *);
} readers[] = {
    { "PLpgSQL_stmt_assign", read_assign },     { "PLpgSQL_stmt_execsql", read_sql },
    { "PLpgSQL_stmt_perform", read_perform },   { "PLpgSQL_stmt_if", read_if },
    { "PLpgSQL_stmt_case", read_case },         { "PLpgSQL_stmt_loop", read_loop },
    { "PLpgSQL_stmt_while", read_loop },        { "PLpgSQL_stmt_fori", read_for_range },
    { "PLpgSQL_stmt_fors", read_for_query },    { "PLpgSQL_stmt_exit", read_leave },
    { "PLpgSQL_stmt_return", read_return },     { "PLpgSQL_stmt_raise", read_raise },
    { "PLpgSQL_stmt_block", read_inner_block },
};

static const struct {
    const char *name, *construct;
} refused[] = {
    { "PLpgSQL_stmt_foreach_a", "FOREACH" },
    { "PLpgSQL_stmt_forc", "FOR over a cursor" },
    { "PLpgSQL_stmt_dynfors", "FOR ... IN EXECUTE" },
    { "PLpgSQL_stmt_dynexecute", "EXECUTE" },
    { "PLpgSQL_stmt_return_next", "RETURN NEXT" },
    { "PLpgSQL_stmt_return_query", "RETURN QUERY" },
    { "PLpgSQL_stmt_getdiag", "GET DIAGNOSTICS" },
    { "PLpgSQL_stmt_assert", "ASSERT" },
    { "PLpgSQL_stmt_call", "CALL" },
    { "PLpgSQL_stmt_commit", "COMMIT" },
    { "PLpgSQL_stmt_rollback", "ROLLBACK" },
    { "PLpgSQL_stmt_open", REFUSED_CURSOR },
    { "PLpgSQL_stmt_fetch", REFUSED_CURSOR },
    { "PLpgSQL_stmt_close", REFUSED_CURSOR },
};

static enum status read_statement(struct plpgsql_reader *r, const cJSON *item, struct action *action)
{
    const cJSON *json = item->child;
    const char *name = json ? json->string : "an empty statement";

    plpgsql_read_line(r, json);
    action->line = plpgsql_line_here(r);
    for (size_t i = 0; i < ROW_COUNT(readers); i++)
        if (strcmp(readers[i].name, name) == 0)
            return readers[i].read(r, json, action);
    for (size_t i = 0; i < ROW_COUNT(refused); i++)
        if (strcmp(refused[i].name, name) == 0)
            return analyze_refuse(r->a, -1, "%s is not supported", refused[i].construct);
    return analyze_refuse(r->a, -1, "%s is not supported", name);
}

/* The RETURN that libpg_query puts at every end has no line. */
static bool is_implied(const cJSON *item)
{
    const cJSON *json = member(item, "PLpgSQL_stmt_return");

    return json && plpgsql_json_number(json, "lineno") == 0;
}

enum status plpgsql_read_statements(struct plpgsql_reader *r, const cJSON *array, struct block *block)
{
    size_t room = (size_t)cJSON_GetArraySize(array);
    struct action *actions;
    const cJSON *item;
    void *memory;

    if (r->depth == DEPTH_MAX)
        return analyze_refuse(r->a, -1, "statements within more than %d statements are not supported",
                              DEPTH_MAX);
    r->depth++;
    TRY(analyze_keep(r->a, room, sizeof *actions, &memory));
    actions = memory;
    block->actions = actions;
    cJSON_ArrayForEach(item, array)
    {
        if (!is_implied(item))
            TRY(read_statement(r, item, &actions[block->count++]));
    }
    r->depth--;
    return STATUS_OK;
}

/* The block of a function, or one within: its variables, then its statements. */
enum status plpgsql_read_block(struct plpgsql_reader *r, const cJSON *json, bool is_outermost, struct block *block)
{
    struct names names = { .outer = r->routine.names };
    struct nest nest = { plpgsql_json_text(json, "label"), false, r->nest };
    uint32_t line = plpgsql_json_number(json, "lineno"), around = r->begin_line;
    uint32_t count, declared = plpgsql_count_declared(r, line);
    struct action *actions;
    struct block body = { 0 };
    void *memory;

    if (member(json, "exceptions"))
        return analyze_refuse(r->a, -1, "EXCEPTION is not supported");
    if (!is_outermost && line == r->begin_line && plpgsql_has_declared_on(r, line))
        return analyze_refuse(r->a, -1, "two blocks and DECLARE in one line are not supported");
    if (nest.label)
        names.label = text_of(nest.label);
    r->routine.names = &names;
    r->begin_line = line;
    TRY(analyze_keep(r->a, declared + 1, sizeof *actions, &memory));
    actions = memory;
    TRY(plpgsql_claim_declared(r, line, &names, is_outermost, actions, &count));
    plpgsql_read_line(r, json);
    r->nest = &nest;
    TRY(plpgsql_read_statements(r, member(json, "body"), &body));
    if (nest.label)
        plpgsql_shapes_blur(r, member(json, "body")); /* EXIT may have gone past an assignment */
    r->nest = nest.outer;
    r->routine.names = names.outer;
    r->begin_line = around;
    if (count == 0) {
        *block = body;
        return STATUS_OK;
    }
    actions[count] = (struct action){ .kind = ACTION_BLOCK, .line = plpgsql_line_here(r) };
    actions[count].as.block = body;
    *block = (struct block){ actions, count + 1 };
    return STATUS_OK;
}

#define LEVEL_ERROR 21 /* of RAISE EXCEPTION */
#define SQLSTATE_LENGTH 5

enum raise_option { OPTION_ERRCODE, OPTION_MESSAGE };

/* Conditions by name. PostgreSQL has more; these are what programs raise. */
static const struct {
    const char *name, *sqlstate;
} conditions[] = {
    { "assert_failure", "P0004" },
    { "case_not_found", "20000" },
    { "check_violation", "23514" },
    { "data_exception", "22000" },
    { "deadlock_detected", "40P01" },
    { "division_by_zero", "22012" },
    { "exclusion_violation", "23P01" },
    { "feature_not_supported", "0A000" },
    { "foreign_key_violation", "23503" },
    { "insufficient_privilege", "42501" },
    { "integrity_constraint_violation", "23000" },
    { "invalid_parameter_value", "22023" },
    { "invalid_text_representation", "22P02" },
    { "no_data_found", "P0002" },
    { "not_null_violation", "23502" },
    { "null_value_not_allowed", "22004" },
    { "numeric_value_out_of_range", "22003" },
    { "object_not_in_prerequisite_state", "55000" },
    { "query_canceled", "57014" },
    { "raise_exception", "P0001" },
    { "serialization_failure", "40001" },
    { "string_data_right_truncation", "22001" },
    { "too_many_rows", "P0003" },
    { "transaction_rollback", "40000" },
    { "unique_violation", "23505" },
};

static bool is_sqlstate(const char *text)
{
    return strlen(text) == SQLSTATE_LENGTH &&
           strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == SQLSTATE_LENGTH;
}

/* From a condition's name or a SQLSTATE, which is also the message where there is no other. */
static enum status take_condition(struct plpgsql_reader *r, const char *condition, struct action *raise)
{
    const char *sqlstate = is_sqlstate(condition) ? condition : NULL;

    for (size_t i = 0; i < ROW_COUNT(conditions) && !sqlstate; i++)
        if (strcmp(conditions[i].name, condition) == 0)
            sqlstate = conditions[i].sqlstate;
    if (!sqlstate)
        return analyze_refuse(r->a, -1, "the exception condition \"%s\" is not supported", condition);
    memcpy(raise->as.raise.sqlstate, sqlstate, SQLSTATE_LENGTH + 1);
    if (raise->as.raise.format.at)
        return STATUS_OK;
    return analyze_keep_text(r->a, text_of(condition), &raise->as.raise.format);
}

static enum status take_code(struct plpgsql_reader *r, const cJSON *option, struct action *raise)
{
    const struct expression *value;
    struct text text;
    char condition[NAME_MAX_BYTES + 1];

    TRY(plpgsql_read_expression(r, cJSON_GetObjectItemCaseSensitive(option, "expr"), NULL, &value));
    if (value->kind != EXPRESSION_CONSTANT || value->as.constant.kind != DATUM_TEXT)
        return analyze_refuse(r->a, -1, "ERRCODE that is not a literal is not supported");
    text = datum_text(&value->as.constant);
    if (text.length >= sizeof condition)
        return analyze_refuse(r->a, -1, "unrecognized exception condition");
    memcpy(condition, text.at, text.length);
    condition[text.length] = '\0';
    return take_condition(r, condition, raise);
}

static enum status take_message(struct plpgsql_reader *r, const cJSON *option, struct action *raise)
{
    const struct expression **arguments;
    void *memory;

    if (raise->as.raise.format.at)
        return analyze_refuse(r->a, -1, "RAISE option already specified: MESSAGE");
    TRY(analyze_keep(r->a, 1, sizeof *arguments, &memory));
    raise->as.raise.arguments = arguments = memory;
    raise->as.raise.argument_count = 1;
    raise->as.raise.format = TEXT("%");
    return plpgsql_read_expression(r, cJSON_GetObjectItemCaseSensitive(option, "expr"), NULL, arguments);
}

/* MESSAGE goes first, since ERRCODE is the message where there is none. */
static enum status take_options(struct plpgsql_reader *r, const cJSON *options, struct action *raise)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, options)
    {
        const cJSON *option = cJSON_GetObjectItemCaseSensitive(item, "PLpgSQL_raise_option");
        uint32_t kind = plpgsql_json_number(option, "opt_type");

        if (kind > OPTION_MESSAGE)
            return analyze_refuse(r->a, -1, "RAISE with DETAIL, HINT and the like is not supported");
        if (kind == OPTION_MESSAGE)
            TRY(take_message(r, option, raise));
    }
    cJSON_ArrayForEach(item, options)
    {
        const cJSON *option = cJSON_GetObjectItemCaseSensitive(item, "PLpgSQL_raise_option");

        if (plpgsql_json_number(option, "opt_type") == OPTION_ERRCODE)
            TRY(take_code(r, option, raise));
    }
    return STATUS_OK;
}

static enum status take_format(struct plpgsql_reader *r, const cJSON *json, const char *format,
                               struct action *raise)
{
    const cJSON *parameters = cJSON_GetObjectItemCaseSensitive(json, "params"), *parameter;
    const struct expression **arguments;
    uint32_t wanted = 0, count = (uint32_t)cJSON_GetArraySize(parameters);
    void *memory;

    for (const char *at = format; *at; at++)
        if (*at == '%' && at[1] == '%')
            at++;
        else
            wanted += *at == '%';
    if (wanted != count)
        return analyze_refuse(r->a, -1, "too %s parameters specified for RAISE",
                              wanted > count ? "few" : "many");
    TRY(analyze_keep_text(r->a, text_of(format), &raise->as.raise.format));
    TRY(analyze_keep(r->a, count, sizeof *arguments, &memory));
    raise->as.raise.arguments = arguments = memory;
    raise->as.raise.argument_count = count;
    cJSON_ArrayForEach(parameter, parameters)
    {
        TRY(plpgsql_read_expression(r, parameter, NULL, arguments++));
    }
    return STATUS_OK;
}

static enum status read_raise(struct plpgsql_reader *r, const cJSON *json, struct action *raise)
{
    const cJSON *options = cJSON_GetObjectItemCaseSensitive(json, "options");
    const char *format = plpgsql_json_text(json, "message"), *condition = plpgsql_json_text(json, "condname");

    if (plpgsql_json_number(json, "elog_level") != LEVEL_ERROR)
        return analyze_refuse(r->a, -1, "RAISE of anything but EXCEPTION is not supported");
    if (!format && !condition && cJSON_GetArraySize(options) == 0)
        return analyze_refuse(r->a, -1,
                              "RAISE without parameters cannot be used outside an exception "
                              "handler");
    raise->kind = ACTION_RAISE;
    raise->kind = ACTION_RAISE;
    memcpy(raise->as.raise.sqlstate, "P0001", SQLSTATE_LENGTH + 1);
    if (format)
        TRY(take_format(r, json, format, raise));
    TRY(take_options(r, options, raise));
    if (condition)
        TRY(take_condition(r, condition, raise));
    if (!raise->as.raise.format.at)
        raise->as.raise.format = TEXT("P0001");
    return STATUS_OK;
}
