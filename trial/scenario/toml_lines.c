#include "trial/scenario/toml_lines_private.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE,
    TOKEN_MARK, /* one of [ ] { } = , . */
    TOKEN_STRING,
    TOKEN_WORD,
};

/* What tomlc99 must not see. */
enum toml_limit { LIMIT_NONE, LIMIT_DEPTH, LIMIT_VALUES, LIMIT_STRING };

struct scanner {
    struct text text;
    size_t next;
    uint64_t line; /* of `next` */
    size_t depth, dots, values;
    enum toml_limit limit; /* the one that was passed: the text ends there */

    enum token_kind kind;
    struct text token;
    uint64_t token_line;
};

static char byte_at(const struct scanner *s, size_t place)
{
    return place < s->text.length ? s->text.at[place] : '\0';
}

static bool is_mark(char c)
{
    return c != '\0' && strchr("[]{}=,.", c) != NULL;
}

/* The end of a string within one line, which may be missing its closing quote. */
static size_t string_end(const struct scanner *s, size_t place, char quote)
{
    for (place++; place < s->text.length; place++) {
        char c = s->text.at[place];
        if (c == quote)
            return place + 1;
        if (c == '\n')
            return place;
        if (c == '\\' && quote == '"' && byte_at(s, place + 1) != '\n')
            place++;
    }
    return s->text.length;
}

/*
 * The end of a string between triple quotes; two more quotes may stand before
 * the closing ones. A backslash before them keeps it open even if that one is
 * escaped itself: not TOML's rule but tomlc99's, and the guard must see what
 * tomlc99 sees.
 */
static size_t long_string_end(const struct scanner *s, size_t place, char quote)
{
    for (place += 3; place + 3 <= s->text.length; place++) {
        const char *at = s->text.at + place;

        if (at[0] != quote || at[1] != quote || at[2] != quote)
            continue;
        if (quote == '"' && at[-1] == '\\')
            continue;
        for (place += 3; byte_at(s, place) == quote;)
            place++;
        return place;
    }
    return s->text.length;
}

static size_t word_end(const struct scanner *s, size_t place)
{
    while (place < s->text.length && !is_mark(s->text.at[place]) &&
           !strchr(" \t\r\n\"'#", s->text.at[place]))
        place++;
    return place;
}

static void skip_blanks(struct scanner *s)
{
    while (s->next < s->text.length && strchr(" \t\r", s->text.at[s->next]))
        s->next++;
    if (byte_at(s, s->next) == '#')
        while (s->next < s->text.length && s->text.at[s->next] != '\n')
            s->next++;
}

static enum toml_limit passed_limit(struct scanner *s)
{
    char mark = s->kind == TOKEN_MARK ? s->token.at[0] : '\0';

    if (mark == '[' || mark == '{')
        s->depth++;
    if ((mark == ']' || mark == '}') && s->depth > 0)
        s->depth--;
    if (mark == '.')
        s->dots++;
    else if (s->kind == TOKEN_NEWLINE || mark != '\0')
        s->dots = 0;
    s->values += mark == '=' || mark == ',' || mark == '[';
    if (s->depth > TOML_DEPTH_MAX || s->dots >= TOML_DEPTH_MAX)
        return LIMIT_DEPTH;
    if (s->values > TOML_VALUES_MAX)
        return LIMIT_VALUES;
    return s->kind == TOKEN_STRING && s->token.length > TOML_STRING_MAX ? LIMIT_STRING : LIMIT_NONE;
}

/* Behind a limit there is nothing more. */
static void advance(struct scanner *s)
{
    size_t start, end;
    char c;

    if (s->limit)
        return;

    skip_blanks(s);
    start = s->next;
    c = byte_at(s, start);
    s->token_line = s->line;
    if (start >= s->text.length) {
        s->kind = TOKEN_END;
        end = start;
    } else if (c == '\n') {
        s->kind = TOKEN_NEWLINE;
        end = start + 1;
    } else if (is_mark(c)) {
        s->kind = TOKEN_MARK;
        end = start + 1;
    } else if (c == '"' || c == '\'') {
        s->kind = TOKEN_STRING;
        end = byte_at(s, start + 1) == c && byte_at(s, start + 2) == c
                  ? long_string_end(s, start, c)
                  : string_end(s, start, c);
    } else {
        s->kind = TOKEN_WORD;
        end = word_end(s, start);
    }
    if (end > s->text.length)
        end = s->text.length;
    for (size_t i = start; i < end; i++)
        s->line += s->text.at[i] == '\n';
    s->token = (struct text){ s->text.at + start, end - start };
    s->next = end;
    s->limit = passed_limit(s);
    if (s->limit)
        s->kind = TOKEN_END;
}

static struct scanner scanner_of(struct text text)
{
    struct scanner s = { .text = text, .line = 1 };

    advance(&s);
    return s;
}

static bool is_at(const struct scanner *s, char mark)
{
    return s->kind == TOKEN_MARK && s->token.at[0] == mark;
}

/* Line by line, so that the line is known: no UTF-8 sequence contains a newline. */
static enum status guard_bytes(struct text text, struct error *err)
{
    size_t end;

    if (text.length > TOML_BYTES_MAX)
        return error_set(err, STATUS_BAD_INPUT, "longer than a megabyte");
    err->line = 1;
    for (size_t start = 0; start < text.length; start = end + 1, err->line++) {
        const char *at = text.at + start;
        const char *newline = memchr(at, '\n', text.length - start);

        end = newline ? (size_t)(newline - text.at) : text.length;
        if (memchr(at, 0, end - start))
            return error_set(err, STATUS_BAD_INPUT, "a NUL byte");
        if (!text_is_utf8((struct text){ at, end - start }))
            return error_set(err, STATUS_BAD_INPUT, "not UTF-8");
    }
    err->line = 0;
    return STATUS_OK;
}

static enum status refuse_limit(const struct scanner *s, struct error *err)
{
    err->line = s->token_line;
    switch (s->limit) {
    case LIMIT_DEPTH:
        return error_set(err, STATUS_BAD_INPUT, "nested more than %d deep", TOML_DEPTH_MAX);
    case LIMIT_VALUES:
        return error_set(err, STATUS_BAD_INPUT, "more than %d values", TOML_VALUES_MAX);
    case LIMIT_STRING:
        return error_set(err, STATUS_BAD_INPUT, "a string of more than %d bytes", TOML_STRING_MAX);
    case LIMIT_NONE:
        break;
    }
    err->line = 0;
    return STATUS_OK;
}

/* The walk: a path that grows and shrinks, and the scanner. */
struct toml_walk {
    struct toml_lines *lines;
    struct scanner s;
    struct buffer path;
};

static struct text path_text(const struct toml_walk *walk)
{
    return (struct text){ walk->path.at, walk->path.count };
}

static enum status note_path(struct toml_walk *walk, uint64_t line, uint32_t *number, struct error *err)
{
    TRY(buffer_status(&walk->path, err));
    TRY(intern_add(&walk->lines->paths, path_text(walk), number, err));
    if (*number == walk->lines->line.count) {
        TRY(array_push(&walk->lines->line, line, err));
        TRY(array_push(&walk->lines->tables_count, 0, err));
    }
    return STATUS_OK;
}

static void push_text(struct toml_walk *walk, struct text part)
{
    if (walk->path.count)
        buffer_byte(&walk->path, '.');
    buffer_text(&walk->path, part);
}

static void push_number(struct toml_walk *walk, size_t number)
{
    if (walk->path.count)
        buffer_byte(&walk->path, '.');
    buffer_int64(&walk->path, (int64_t)number);
}

/* A key's part without its quotes. Escapes stay: no known key needs them. */
static struct text part_of_token(const struct scanner *s)
{
    struct text part = s->token;

    if (s->kind == TOKEN_STRING && part.length >= 2) {
        part.at++;
        part.length -= 2;
    }
    return part;
}

/* What is at hand should not be there. */
static void note_odd(struct toml_walk *walk)
{
    if (walk->lines->odd_line == 0)
        walk->lines->odd_line = walk->s.token_line;
}

/* a.b.c, each part noted; where a part is an array of tables, its last table is meant. */
static enum status walk_key(struct toml_walk *walk, bool of_header, struct error *err)
{
    while (walk->s.kind == TOKEN_WORD || walk->s.kind == TOKEN_STRING) {
        uint64_t line = walk->s.token_line;
        uint32_t number;

        push_text(walk, part_of_token(&walk->s));
        TRY(note_path(walk, line, &number, err));
        advance(&walk->s);
        if (!is_at(&walk->s, '.'))
            return STATUS_OK;
        advance(&walk->s);
        if (of_header && walk->lines->tables_count.at[number] > 0)
            push_number(walk, walk->lines->tables_count.at[number] - 1);
    }
    note_odd(walk);
    return STATUS_OK;
}

static enum status walk_value(struct toml_walk *, struct error *);

static void skip_newlines(struct toml_walk *walk)
{
    while (walk->s.kind == TOKEN_NEWLINE)
        advance(&walk->s);
}

static enum status walk_array(struct toml_walk *walk, struct error *err)
{
    size_t length = walk->path.count;
    uint32_t number;

    advance(&walk->s);
    for (size_t i = 0;; i++) {
        skip_newlines(walk);
        if (is_at(&walk->s, ']') || walk->s.kind == TOKEN_END)
            break;
        push_number(walk, i);
        TRY(note_path(walk, walk->s.token_line, &number, err));
        TRY(walk_value(walk, err));
        walk->path.count = length;
        skip_newlines(walk);
        if (!is_at(&walk->s, ','))
            break;
        advance(&walk->s);
    }
    if (is_at(&walk->s, ']'))
        advance(&walk->s);
    else
        note_odd(walk);
    return STATUS_OK;
}

static enum status walk_pair(struct toml_walk *walk, struct error *err)
{
    size_t length = walk->path.count;

    TRY(walk_key(walk, false, err));
    if (is_at(&walk->s, '=')) {
        advance(&walk->s);
        TRY(walk_value(walk, err));
    } else {
        note_odd(walk);
    }
    walk->path.count = length;
    return STATUS_OK;
}

static enum status walk_inline_table(struct toml_walk *walk, struct error *err)
{
    advance(&walk->s);
    while (!is_at(&walk->s, '}')) {
        TRY(walk_pair(walk, err));
        if (!is_at(&walk->s, ','))
            break;
        advance(&walk->s);
    }
    if (is_at(&walk->s, '}'))
        advance(&walk->s);
    else
        note_odd(walk);
    return STATUS_OK;
}

static enum status walk_value(struct toml_walk *walk, struct error *err)
{
    if (is_at(&walk->s, '['))
        return walk_array(walk, err);
    if (is_at(&walk->s, '{'))
        return walk_inline_table(walk, err);
    if (walk->s.kind == TOKEN_STRING) {
        advance(&walk->s);
        return STATUS_OK;
    }
    /* Numbers have points, and a date and its time a blank between them. */
    while (walk->s.kind == TOKEN_WORD || is_at(&walk->s, '.'))
        advance(&walk->s);
    return STATUS_OK;
}

/* [a.b] or [[a.b]]: leaves the path there. */
static enum status walk_header(struct toml_walk *walk, struct error *err)
{
    uint64_t line = walk->s.token_line;
    bool of_array;
    uint32_t number;

    walk->path.count = 0;
    advance(&walk->s);
    of_array = is_at(&walk->s, '[');
    if (of_array)
        advance(&walk->s);
    TRY(walk_key(walk, true, err));
    if (of_array) {
        TRY(note_path(walk, line, &number, err));
        push_number(walk, walk->lines->tables_count.at[number]++);
        TRY(note_path(walk, line, &number, err));
    }
    while (is_at(&walk->s, ']'))
        advance(&walk->s);
    return STATUS_OK;
}

static enum status walk_document(struct toml_walk *walk, struct error *err)
{
    while (walk->s.kind != TOKEN_END) {
        size_t before = walk->s.next;

        if (is_at(&walk->s, '['))
            TRY(walk_header(walk, err));
        else if (walk->s.kind != TOKEN_NEWLINE)
            TRY(walk_pair(walk, err));
        if (walk->s.kind != TOKEN_NEWLINE && walk->s.kind != TOKEN_END)
            note_odd(walk);
        /* Whatever is not TOML is stepped over. */
        if (walk->s.next == before && walk->s.kind != TOKEN_END)
            advance(&walk->s);
    }
    return STATUS_OK;
}

enum status toml_lines_find(struct toml_lines *lines, struct text text, struct error *err)
{
    struct toml_walk walk = { .lines = lines };
    enum status status;

    TRY(guard_bytes(text, err));
    walk.s = scanner_of(text);
    status = walk_document(&walk, err);
    if (status == STATUS_OK)
        status = refuse_limit(&walk.s, err);
    buffer_close(&walk.path);
    return status;
}

/* Of a basic string, the token itself with its quotes. */
static void raise_escapes(char *at, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        size_t digits = at[i] != '\\' ? 0 : at[i + 1] == 'u' ? 4 : at[i + 1] == 'U' ? 8 : 0;

        if (at[i] == '\\')
            i++;
        for (size_t k = i + 1; k <= i + digits && k < length; k++)
            if (at[k] >= 'a' && at[k] <= 'f')
                at[k] = (char)(at[k] - 'a' + 'A');
    }
}

void toml_lines_raise_escapes(char *text, size_t length)
{
    struct scanner s = scanner_of((struct text){ text, length });

    for (; s.kind != TOKEN_END; advance(&s))
        if (s.kind == TOKEN_STRING && s.token.at[0] == '"')
            raise_escapes(text + (s.token.at - text), s.token.length);
}

void toml_lines_close(struct toml_lines *lines)
{
    intern_close(&lines->paths);
    array_close(&lines->line);
    array_close(&lines->tables_count);
}

uint64_t toml_lines_of(const struct toml_lines *lines, struct text path)
{
    uint32_t number = intern_find(&lines->paths, path);

    return number == INTERN_NONE ? 0 : lines->line.at[number];
}
