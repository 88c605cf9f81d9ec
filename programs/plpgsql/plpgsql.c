#include "programs/plpgsql/plpgsql_private.h"

#include <stdlib.h>
#include <string.h>

#define BODY_TOKENS_MAX 50000 /* libpg_query compares every variable with all before it */

/* --- What the JSON would leave out ------------------------------------------------- */

static bool is_word(const struct reader *r, const struct sql_token *token, const char *word)
{
    struct text text = { r->body.at + token->start, token->end - token->start };

    return text.length == strlen(word) && strncasecmp(text.at, word, text.length) == 0;
}

/* ALIAS FOR x; in DECLARE. As the alias of a table it is followed by other things. */
static bool is_alias(const struct reader *r, const struct sql_tokens *tokens, uint32_t i)
{
    return i + 3 < tokens->count && is_word(r, &tokens->at[i], "alias") &&
           is_word(r, &tokens->at[i + 1], "for") &&
           (tokens->at[i + 2].kind == PG_QUERY__TOKEN__IDENT ||
            tokens->at[i + 2].kind == PG_QUERY__TOKEN__PARAM) &&
           is_word(r, &tokens->at[i + 3], ";");
}

/* Errors here are about the body as a text. */
static enum status check_words(struct reader *r)
{
    const struct sql_tokens *tokens = &r->tokens;
    struct sql_fault fault;

    r->a->piece = &r->whole;
    if (sql_scan(r->body.at, &r->tokens, &fault) != STATUS_OK)
        return refuse_fault(r->a, &fault);
    if (tokens->count > BODY_TOKENS_MAX)
        return refuse(r->a, 0, "a body of more than %d words is not supported", BODY_TOKENS_MAX);
    if (tokens->count > 0 && r->body.at[tokens->at[0].start] == '#')
        return refuse(r->a, (int32_t)tokens->at[0].start,
                      "an option of PL/pgSQL (#...) is not supported");
    for (uint32_t i = 0; i < tokens->count; i++)
        if (is_alias(r, tokens, i))
            return refuse(r->a, (int32_t)tokens->at[i].start, "ALIAS is not supported");
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
static int32_t locate(const struct reader *r, const struct sql_fault *fault)
{
    uint32_t line = fault->line ? r->body_line + fault->line - 1 : r->body_line;
    bool is_target = strstr(fault->text, "is not a known variable") != NULL;
    struct text word;

    if (!find_culprit(fault->text, &word))
        return -1;
    for (uint32_t i = 0; i < r->tokens.count; i++) {
        const struct sql_token *token = &r->tokens.at[i];
        struct text text = { r->body.at + token->start, token->end - token->start };
        char next = i + 1 < r->tokens.count ? r->body.at[r->tokens.at[i + 1].start] : '\0';

        if (line_at(r->a, r->body_offset + token->start) >= line && text.length == word.length &&
            strncasecmp(text.at, word.at, word.length) == 0 &&
            (!is_target || next == ':' || next == '=' || next == '.' || next == '['))
            return (int32_t)token->start;
    }
    return -1;
}

/* Without the cursors it lacks, libpg_query says something else about them. */
static bool has_cursor(const struct reader *r)
{
    for (uint32_t i = 0; i + 1 < r->tokens.count; i++)
        if (is_word(r, &r->tokens.at[i], "cursor") &&
            (is_word(r, &r->tokens.at[i + 1], "for") || is_word(r, &r->tokens.at[i + 1], "(")))
            return true;
    return false;
}

static enum status refuse_body(struct reader *r, const struct sql_fault *fault)
{
    const char *hint = has_cursor(r) ? " (explicit cursors are not supported)" : "";
    int32_t location = locate(r, fault);

    if (location >= 0)
        r->a->piece = &r->whole;
    else if (fault->line > 0)
        r->here.line = r->body_line + fault->line - 1;
    return refuse(r->a, location, "function %.*s: %s%s", TEXT_PRINT(r->routine.function->name),
                  fault->text, hint);
}

static enum status parse_body(struct reader *r, struct text statement, cJSON **json)
{
    char *copy = strndup(statement.at, statement.length), *text = NULL;
    struct sql_fault fault;
    enum status status;

    *json = NULL;
    if (!copy)
        return error_set(r->a->err, STATUS_OVER_LIMIT, "no memory");
    status = sql_parse_body(copy, &text, &fault);
    if (status != STATUS_OK) {
        status = refuse_body(r, &fault);
    } else {
        *json = cJSON_Parse(text);
        if (!*json)
            status = refuse(r->a, -1, "statements within too many statements are not supported");
    }
    free(text);
    free(copy);
    return status;
}

static enum status read_datums(struct reader *r, const cJSON *array)
{
    const cJSON *item;
    uint32_t i = 0;
    void *memory;

    r->datum_count = (uint32_t)cJSON_GetArraySize(array);
    TRY(keep(r->a, r->datum_count, sizeof *r->claimed, &memory));
    r->claimed = memory;
    TRY(keep(r->a, r->datum_count, sizeof *r->datums, &memory));
    r->datums = memory;
    cJSON_ArrayForEach(item, array)
    {
        r->datums[i++] = item;
    }
    return STATUS_OK;
}

/* One that is used is refused by libpg_query; one that is not would be passed over. */
static enum status refuse_cursors(struct reader *r)
{
    for (uint32_t i = 0; i < r->datum_count; i++) {
        const cJSON *variable = cJSON_GetObjectItemCaseSensitive(r->datums[i], "PLpgSQL_var");

        if (!cJSON_GetObjectItemCaseSensitive(variable, "cursor_explicit_expr"))
            continue;
        read_line(r, variable);
        return refuse(r->a, -1, "explicit cursors are not supported");
    }
    return STATUS_OK;
}

static enum status read_function(struct reader *r, const cJSON *json, struct block *body)
{
    const cJSON *function = cJSON_GetObjectItemCaseSensitive(json->child, "PLpgSQL_function");
    const cJSON *action = cJSON_GetObjectItemCaseSensitive(function, "action");
    const cJSON *block = cJSON_GetObjectItemCaseSensitive(action, "PLpgSQL_stmt_block");

    if (!block)
        return refuse(r->a, -1, "libpg_query says nothing of the body");
    TRY(read_datums(r, cJSON_GetObjectItemCaseSensitive(function, "datums")));
    TRY(refuse_cursors(r));
    TRY(claim_parameters(r, r->routine.function));
    read_line(r, block);
    /* With EXCEPTION, libpg_query puts the block within another one. */
    return read_block(r, block, true, body);
}

static enum status keep_function(struct reader *r, struct function *function, struct block body)
{
    struct variable *variables;
    void *memory;

    TRY(keep(r->a, r->routine.variables.count, sizeof *variables, &memory));
    variables = memory;
    memcpy(variables, r->routine.variables.at, r->routine.variables.count * sizeof *variables);
    function->variables = variables;
    function->variable_count = (uint32_t)r->routine.variables.count;
    function->found = function->parameter_count;
    function->body = body;
    return STATUS_OK;
}

static enum status read_all(struct reader *r, struct function *function, struct text statement)
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

enum status analyze_body(struct analysis *a, struct function *function, struct text statement,
                         struct text body, size_t body_offset)
{
    const struct piece *outside = a->piece;
    struct reader r = { .a = a, .body = body, .body_offset = body_offset };
    enum status status;

    r.routine.function = function;
    r.body_line = line_at(a, body_offset);
    r.here.line = function->line;
    r.whole = (struct piece){
        .text = body.at, .is_placed = true, .offset = body_offset, .line = r.body_line
    };
    a->piece = &r.here;
    status = read_all(&r, function, statement);
    sql_tokens_close(&r.tokens);
    array_close(&r.routine.variables);
    array_close(&r.records);
    a->piece = outside;
    return status;
}
