#include "programs/plpgsql/plpgsql_cursor_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "programs/plpgsql/plpgsql_variable_private.h"
#include "programs/sql/analyze_build.h"

#define MARK "\"ordeal "

/* What a name that is a cursor means. */
struct analyze_cursor {
    bool is_bound, is_looping;
    const struct query *query;     /* NULL: not known yet */
    uint32_t argument, argument_count; /* variables */
    const struct named **names;    /* theirs */
};

/* --- Words ---------------------------------------------------------------------------------- */

static bool is_word(const struct plpgsql_reader *r, uint32_t i, const char *word)
{
    return i < r->tokens.count && plpgsql_is_word(r, &r->tokens.at[i], text_of(word));
}

static bool is_any_word(const struct plpgsql_reader *r, uint32_t i, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (is_word(r, i, words[k]))
            return true;
    return false;
}

/* A name, in quotes or not; other words may be names, too. */
static bool is_name(const struct plpgsql_reader *r, uint32_t i)
{
    char c = i < r->tokens.count ? r->body.at[r->tokens.at[i].start] : '\0';

    return c == '"' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static uint32_t skip(const struct plpgsql_reader *r, uint32_t i, const char *word)
{
    return is_word(r, i, word) ? i + 1 : i;
}

/* The token behind what stands in parentheses from `i` on; `i` where there are none. */
static uint32_t skip_parentheses(const struct plpgsql_reader *r, uint32_t i)
{
    uint32_t depth = 0;

    if (!is_word(r, i, "("))
        return i;
    for (uint32_t k = i; k < r->tokens.count; k++) {
        depth += is_word(r, k, "(");
        if (is_word(r, k, ")") && --depth == 0)
            return k + 1;
    }
    return r->tokens.count;
}

static uint32_t find_end(const struct plpgsql_reader *r, uint32_t i)
{
    while (i < r->tokens.count && !is_word(r, i, ";"))
        i++;
    return i;
}

static void take_arguments(const struct plpgsql_reader *r, struct cursor_words *w, uint32_t *i)
{
    uint32_t behind = skip_parentheses(r, *i);

    if (behind > *i)
        w->arguments = *i + 1, w->arguments_end = behind - 1;
    *i = behind;
}

/* At the word CURSOR in DECLARE: c [[NO] SCROLL] CURSOR [(arguments)] FOR query */
static bool find_declared(const struct plpgsql_reader *r, uint32_t i, struct cursor_words *w)
{
    uint32_t name = i;

    if (!is_word(r, i, "cursor"))
        return false;
    if (name > 0 && is_word(r, name - 1, "scroll"))
        name--;
    if (name > 0 && is_word(r, name - 1, "no"))
        name--;
    if (name < 2 || !is_name(r, name - 1) || !(is_word(r, name - 2, "declare") || is_word(r, name - 2, ";")))
        return false;
    *w = (struct cursor_words){ .kind = CURSOR_DECLARED, .name = name - 1, .first = name };
    i++;
    take_arguments(r, w, &i);
    w->query = i + 1;
    w->end = w->query_end = find_end(r, i);
    return is_word(r, i, "for") || is_word(r, i, "is");
}

static bool begins_statement(const struct plpgsql_reader *r, uint32_t i)
{
    static const char *const before[] = { ";", "begin", "then", "else", "loop", ">>" };

    return i > 0 && (is_any_word(r, i - 1, before, ROW_COUNT(before)) ||
                     (i > 1 && is_word(r, i - 1, ">") && is_word(r, i - 2, ">")));
}

/* OPEN c [(arguments)]; OPEN c [[NO] SCROLL] FOR query; */
static bool find_open(const struct plpgsql_reader *r, uint32_t i, struct cursor_words *w)
{
    *w = (struct cursor_words){ .kind = CURSOR_OPEN, .first = i, .name = i + 1, .end = find_end(r, i) };
    if (!is_word(r, i, "open") || !is_name(r, i + 1))
        return false;
    i += 2;
    take_arguments(r, w, &i);
    if (is_word(r, i, ";"))
        return true;
    i = skip(r, skip(r, i, "no"), "scroll");
    w->query = i + 1;
    w->query_end = w->end;
    return is_word(r, i, "for");
}

/* FETCH [[NEXT] {FROM | IN}] c INTO */
static bool find_fetch(const struct plpgsql_reader *r, uint32_t i, struct cursor_words *w)
{
    *w = (struct cursor_words){ .kind = CURSOR_FETCH, .first = i };
    if (!is_word(r, i, "fetch"))
        return false;
    if (is_word(r, i + 1, "next") && !is_word(r, i + 2, "into"))
        i++;
    i = skip(r, skip(r, i + 1, "from"), "in");
    w->name = i;
    w->end = i + 1;
    return is_name(r, i) && is_word(r, i + 1, "into");
}

static bool find_close(const struct plpgsql_reader *r, uint32_t i, struct cursor_words *w)
{
    *w = (struct cursor_words){ .kind = CURSOR_CLOSE, .first = i, .name = i + 1, .end = i + 2 };
    return is_word(r, i, "close") && is_name(r, i + 1) && is_word(r, i + 2, ";");
}

/* At IN: FOR r IN c [(arguments)] LOOP */
static bool find_loop(const struct plpgsql_reader *r, uint32_t i, struct cursor_words *w)
{
    *w = (struct cursor_words){ .kind = CURSOR_LOOP, .first = i + 1, .name = i + 1 };
    if (i < 2 || !is_word(r, i, "in") || !is_word(r, i - 2, "for") || !is_name(r, i + 1))
        return false;
    i += 2;
    take_arguments(r, w, &i);
    w->end = i;
    return is_word(r, i, "loop");
}

enum status plpgsql_find_cursors(struct plpgsql_reader *r)
{
    for (uint32_t i = 0; i < r->tokens.count; i++) {
        struct cursor_words w;

        if (find_declared(r, i, &w) || find_loop(r, i, &w) ||
            (begins_statement(r, i) && (find_open(r, i, &w) || find_fetch(r, i, &w) || find_close(r, i, &w)))) {
            if (r->cursors.count > 0 && w.first < r->cursors.at[r->cursors.count - 1].end)
                return analyze_refuse(r->a, (int32_t)r->tokens.at[i].start, "such a cursor is not supported");
            TRY(array_push(&r->cursors, w, r->a->err));
            i = w.end - 1;
        }
    }
    return STATUS_OK;
}

static bool is_found(const struct plpgsql_reader *r, uint32_t i)
{
    for (size_t k = 0; k < r->cursors.count; k++)
        if (r->cursors.at[k].first == i)
            return true;
    return false;
}

uint32_t plpgsql_strange_cursor(const struct plpgsql_reader *r, uint32_t line)
{
    static const char *const words[] = { "open", "fetch", "close", "move" };

    for (uint32_t i = 0; i < r->tokens.count; i++) {
        uint32_t its_line = analyze_line_at(r->a, r->body_offset + r->tokens.at[i].start);

        if (its_line >= line && is_any_word(r, i, words, ROW_COUNT(words)) && begins_statement(r, i) && !is_found(r, i))
            return its_line;
    }
    return line;
}

/* --- What libpg_query gets -------------------------------------------------------------------- */

/* The bytes of the body from a token to the end of the one before another. */
static struct text text_between(const struct plpgsql_reader *r, uint32_t first, uint32_t end)
{
    size_t from = r->tokens.at[first].start, to;

    if (end == first)
        return (struct text){ r->body.at + from, 0 };
    to = r->tokens.at[end - 1].end;
    return (struct text){ r->body.at + from, to - from };
}

static void put_instead(struct buffer *out, const struct cursor_words *w, size_t number, struct text replaced)
{
    static const char *const before[] = { [CURSOR_DECLARED] = "refcursor := ", [CURSOR_OPEN] = "PERFORM ",
                                          [CURSOR_FETCH] = "SELECT ", [CURSOR_CLOSE] = "PERFORM ",
                                          [CURSOR_LOOP] = "" };

    buffer_print(out, "%s" MARK "%zu\"%s", before[w->kind], number, w->kind == CURSOR_LOOP ? " .. 0" : "");
    for (size_t i = 0; i < replaced.length; i++)
        if (replaced.at[i] == '\n')
            buffer_byte(out, '\n');
}

enum status plpgsql_without_cursors(struct plpgsql_reader *r, struct text statement, char **out)
{
    size_t body = (size_t)(r->a->file.at + r->body_offset - statement.at), done = 0;
    struct buffer text = { 0 };
    enum status status;

    for (size_t i = 0; i < r->cursors.count; i++) {
        const struct cursor_words *w = &r->cursors.at[i];
        struct text replaced = text_between(r, w->first, w->end);
        size_t at = body + (size_t)(replaced.at - r->body.at);

        buffer_text(&text, (struct text){ statement.at + done, at - done });
        put_instead(&text, w, i, replaced);
        done = at + replaced.length;
    }
    buffer_text(&text, (struct text){ statement.at + done, statement.length - done });
    buffer_byte(&text, '\0');
    status = buffer_status(&text, r->a->err);
    *out = status == STATUS_OK ? text.at : NULL;
    if (status != STATUS_OK)
        buffer_close(&text);
    return status;
}

const struct cursor_words *plpgsql_cursor_words(const struct plpgsql_reader *r, const cJSON *object)
{
    const char *text = plpgsql_json_text(cJSON_GetObjectItemCaseSensitive(object, "PLpgSQL_expr"), "query");
    size_t number = 0;
    char *end;

    if (!text)
        return NULL;
    if (strncmp(text, "SELECT ", 7) == 0)
        text += 7;
    text += strspn(text, " ");
    if (strncmp(text, MARK, sizeof MARK - 1) != 0)
        return NULL;
    number = strtoul(text + sizeof MARK - 1, &end, 10);
    return *end == '"' && number < r->cursors.count ? &r->cursors.at[number] : NULL;
}

/* --- Declarations ------------------------------------------------------------------------------ */

/* As PostgreSQL has it: small letters unless it is quoted. */
static enum status name_at(struct plpgsql_reader *r, uint32_t i, struct text *name)
{
    struct text word = text_between(r, i, i + 1);
    bool is_quoted = *word.at == '"';
    char copy[NAME_MAX_BYTES + 1];

    if (is_quoted)
        word.at++, word.length -= 2;
    if (word.length > NAME_MAX_BYTES || memchr(word.at, '"', word.length))
        return analyze_refuse(r->a, -1, "a cursor of such a name is not supported");
    for (size_t k = 0; k < word.length; k++)
        copy[k] = (char)(!is_quoted && word.at[k] >= 'A' && word.at[k] <= 'Z' ? word.at[k] - 'A' + 'a' : word.at[k]);
    return analyze_keep_text(r->a, (struct text){ copy, word.length }, name);
}

/* A copy with a zero byte behind it; r->cursor goes to where it stands. */
static enum status words_at(struct plpgsql_reader *r, uint32_t first, uint32_t end, struct text *words)
{
    struct text text = text_between(r, first, end);

    r->cursor = (size_t)(text.at - r->body.at);
    r->here.line = analyze_line_at(r->a, r->body_offset + r->cursor);
    return analyze_keep_text(r->a, text, words);
}

static uint32_t next_comma(const struct plpgsql_reader *r, uint32_t i, uint32_t end)
{
    while (i < end && !is_word(r, i, ",")) {
        uint32_t behind = is_word(r, i, "[") ? i + 1 : skip_parentheses(r, i);

        i = behind > i ? behind : i + 1;
    }
    return i < end ? i : end;
}

static uint32_t count_between_commas(const struct plpgsql_reader *r, uint32_t i, uint32_t end)
{
    uint32_t count = i < end;

    while ((i = next_comma(r, i, end)) < end)
        count++, i++;
    return count;
}

static enum status declare_arguments(struct plpgsql_reader *r, const struct cursor_words *w, struct names *names,
                                     struct analyze_cursor *cursor)
{
    uint32_t count = count_between_commas(r, w->arguments, w->arguments_end), end, k = 0;
    void *memory;

    TRY(analyze_keep(r->a, count, sizeof *cursor->names, &memory));
    cursor->names = memory;
    cursor->argument_count = count;
    for (uint32_t i = w->arguments; i < w->arguments_end; i = end + 1, k++) {
        struct named *named;
        struct text name, type_words;
        struct type type;

        end = next_comma(r, i, w->arguments_end);
        if (end < i + 2)
            return analyze_refuse(r->a, -1, "such an argument of a cursor is not supported");
        TRY(name_at(r, i, &name));
        TRY(words_at(r, i + 1, end, &type_words));
        TRY(plpgsql_read_type(r, type_words.at, &type));
        if (type.kind == TYPE_RECORD)
            return analyze_refuse(r->a, -1, "a record as an argument of a cursor is not supported");
        TRY(plpgsql_add_variable(r, names, name, type, &named));
        cursor->names[k] = named;
    }
    return STATUS_OK;
}

/* Cursors of one name are one and the same to PostgreSQL, in whatever functions. */
static enum status number_of_name(struct plpgsql_reader *r, struct text name, int64_t *number)
{
    size_t i = 0;

    while (i < r->a->cursor_names.count && !text_equal(r->a->cursor_names.at[i], name))
        i++;
    *number = (int64_t)i + 1;
    return i < r->a->cursor_names.count ? STATUS_OK : array_push(&r->a->cursor_names, name, r->a->err);
}

static enum status read_bound(struct plpgsql_reader *r, const struct cursor_words *w, struct analyze_cursor *cursor)
{
    struct names names = { .outer = r->routine.names };
    struct text sql;
    enum status status;

    TRY(declare_arguments(r, w, &names, cursor));
    TRY(words_at(r, w->query, w->query_end, &sql));
    r->routine.names = &names;
    status = plpgsql_read_query_text(r, sql.at, &cursor->query);
    r->routine.names = names.outer;
    TRY(status);
    if (cursor->query->kind != QUERY_SELECT)
        return analyze_refuse(r->a, -1, "a cursor of anything but SELECT is not supported");
    return STATUS_OK;
}

enum status plpgsql_declare_cursor(struct plpgsql_reader *r, struct names *names, const cJSON *variable,
                                   struct named **named, const struct expression **initial)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(variable, "default_val");
    const struct cursor_words *w = value ? plpgsql_cursor_words(r, value) : NULL;
    struct type bigint = type_of(TYPE_BIGINT);
    struct analyze_cursor *cursor;
    int64_t number;
    void *memory;

    if ((value && !w) || plpgsql_json_is(variable, "notnull") || plpgsql_json_is(variable, "isconst"))
        return analyze_refuse(r->a, -1, "a refcursor with a default, CONSTANT or NOT NULL is not supported");
    TRY(analyze_keep(r->a, 1, sizeof *cursor, &memory));
    cursor = memory;
    if (w)
        TRY(read_bound(r, w, cursor));
    cursor->is_bound = w != NULL;
    TRY(plpgsql_add_variable(r, names, text_of(plpgsql_json_text(variable, "refname")), bigint, named));
    (*named)->cursor = cursor;
    if (!w)
        return STATUS_OK;
    TRY(number_of_name(r, (*named)->name, &number));
    return analyze_build_constant(r->a, bigint, datum_of_int64(number), -1, initial);
}

/* --- Statements ---------------------------------------------------------------------------------- */

static enum status find_cursor(struct plpgsql_reader *r, const struct cursor_words *w, const struct named **named)
{
    struct text name;

    TRY(name_at(r, w->name, &name));
    *named = analyze_find_variable(r->routine.names, name);
    if (!*named || !(*named)->cursor)
        return analyze_refuse(r->a, -1, "variable \"%.*s\" must be of type cursor or refcursor", TEXT_PRINT(name));
    if ((*named)->cursor->is_looping)
        return analyze_refuse(r->a, -1, "a cursor in the loop over it is not supported");
    return STATUS_OK;
}

static enum status assign_argument(struct plpgsql_reader *r, uint32_t first, uint32_t end, const struct named *named,
                                   struct action *action)
{
    struct text words;

    if (first == end || is_word(r, first + 1, ":=") || is_word(r, first + 1, "=>"))
        return analyze_refuse(r->a, -1, "such an argument of a cursor is not supported");
    TRY(words_at(r, first, end, &words));
    action->kind = ACTION_ASSIGN;
    action->as.assign.slot = named->slot;
    return plpgsql_read_text(r, words.at, &r->routine.variables.at[named->slot].type, &action->as.assign.value);
}

static enum status set_found(struct plpgsql_reader *r, struct action *action)
{
    action->kind = ACTION_ASSIGN;
    action->as.assign.slot = r->routine.function->parameter_count;
    return analyze_build_constant(r->a, type_of(TYPE_BOOLEAN), datum_of_bool(true), -1, &action->as.assign.value);
}

/*
 * A block: whether the cursor is closed, its arguments, and room for what is done with it, which is returned.
 * PostgreSQL gets the arguments by a SELECT, which sets FOUND.
 */
static enum status begin_opening(struct plpgsql_reader *r, const struct cursor_words *w, const struct named *named,
                                 struct action *action, struct action **last)
{
    const struct analyze_cursor *cursor = named->cursor;
    uint32_t count = count_between_commas(r, w->arguments, w->arguments_end), i = w->arguments;
    struct action *actions;
    void *memory;

    if (count != cursor->argument_count)
        return analyze_refuse(r->a, -1, "cursor \"%.*s\" with another number of arguments is not supported",
                              TEXT_PRINT(named->name));
    TRY(analyze_keep(r->a, count + 3, sizeof *actions, &memory));
    actions = memory;
    for (uint32_t k = 0; k < count + 3; k++)
        actions[k].line = action->line;
    actions[0].kind = ACTION_REQUIRE_CLOSED;
    actions[0].as.cursor.slot = named->slot;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t end = next_comma(r, i, w->arguments_end);

        TRY(assign_argument(r, i, end, cursor->names[k], &actions[k + 1]));
        i = end + 1;
    }
    *last = &actions[count + 1];
    if (count > 0)
        TRY(set_found(r, (*last)++));
    action->kind = ACTION_BLOCK;
    action->as.block = (struct block){ actions, (uint32_t)(*last - actions) + 1 };
    return STATUS_OK;
}

static bool same_columns(const struct query *a, const struct query *b)
{
    const struct output *of_a = NULL, *of_b = NULL;
    uint32_t count = analyze_query_outputs(a, &of_a);

    if (analyze_query_outputs(b, &of_b) != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!text_equal(of_a[i].name, of_b[i].name) || !type_equal(of_a[i].value->type, of_b[i].value->type))
            return false;
    return true;
}

/* The query of an OPEN: of the cursor, or its own. */
static enum status read_opened(struct plpgsql_reader *r, const struct cursor_words *w, const struct named *named,
                               const struct query **query)
{
    struct analyze_cursor *cursor = named->cursor;
    struct text sql;

    *query = cursor->query;
    if (cursor->is_bound && w->query_end > w->query)
        return analyze_refuse(r->a, -1, "OPEN ... FOR of a cursor that has a query is not supported");
    if (cursor->is_bound)
        return STATUS_OK;
    if (w->query_end == w->query)
        return analyze_refuse(r->a, -1, "OPEN of a refcursor needs a query");
    if (is_word(r, w->query, "execute"))
        return analyze_refuse(r->a, -1, "OPEN ... FOR EXECUTE is not supported");
    TRY(words_at(r, w->query, w->query_end, &sql));
    TRY(plpgsql_read_query_text(r, sql.at, query));
    if ((*query)->kind != QUERY_SELECT)
        return analyze_refuse(r->a, -1, "a cursor of anything but SELECT is not supported");
    if (cursor->query && !same_columns(cursor->query, *query))
        return analyze_refuse(r->a, -1, "a refcursor for queries of different columns is not supported");
    cursor->query = *query;
    return STATUS_OK;
}

enum status plpgsql_read_cursor(struct plpgsql_reader *r, const struct cursor_words *w, struct action *action)
{
    const struct named *named;
    struct action *last;

    TRY(find_cursor(r, w, &named));
    if (w->kind == CURSOR_CLOSE) {
        action->kind = ACTION_CLOSE;
        action->as.cursor.slot = named->slot;
        return STATUS_OK;
    }
    if (w->kind != CURSOR_OPEN)
        return analyze_refuse(r->a, -1, "such a cursor is not supported");
    TRY(begin_opening(r, w, named, action, &last));
    last->kind = ACTION_OPEN;
    last->as.cursor.slot = named->slot;
    return read_opened(r, w, named, &last->as.cursor.query);
}

enum status plpgsql_read_fetch(struct plpgsql_reader *r, const struct cursor_words *w, const cJSON *json,
                               struct action *action)
{
    const struct named *named;

    TRY(find_cursor(r, w, &named));
    if (w->kind != CURSOR_FETCH || !plpgsql_json_is(json, "into"))
        return analyze_refuse(r->a, -1, "such a cursor is not supported");
    if (!named->cursor->query)
        return analyze_refuse(r->a, -1, "FETCH of a refcursor before any OPEN is not supported");
    action->kind = ACTION_FETCH;
    action->as.cursor.slot = named->slot;
    action->as.cursor.query = named->cursor->query;
    return plpgsql_read_into(r, cJSON_GetObjectItemCaseSensitive(json, "target"), named->cursor->query, false,
                             &action->as.cursor.into);
}

enum status plpgsql_begin_cursor_loop(struct plpgsql_reader *r, const struct cursor_words *w, const char *record,
                                      struct action *action, struct cursor_loop *loop)
{
    const struct named *named;

    *loop = (struct cursor_loop){ .cursor = NULL };
    TRY(find_cursor(r, w, &named));
    if (w->kind != CURSOR_LOOP || !named->cursor->is_bound)
        return analyze_refuse(r->a, -1, "cursor FOR loop must use a bound cursor variable");
    TRY(begin_opening(r, w, named, action, &loop->action));
    loop->action->kind = ACTION_FOR_QUERY;
    loop->action->as.rows.query = named->cursor->query;
    loop->cursor = named->cursor;
    loop->cursor->is_looping = true;
    return plpgsql_add_loop_record(r, record, &loop->names, named->cursor->query, &loop->action->as.rows.into);
}

void plpgsql_end_cursor_loop(struct cursor_loop *loop)
{
    loop->cursor->is_looping = false;
}
