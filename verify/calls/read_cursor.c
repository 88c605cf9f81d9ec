#include "verify/calls/read_cursor_private.h"

#include <pg_query.h>
#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"

#define NAME "\"cursor "

/* A body as its words. */
struct scanned {
    struct reader *r;
    struct text body;
    struct text *words;
    uint32_t count;
};

/* What a pattern was matched with, by numbers of words. */
struct matched {
    uint32_t name, arguments, arguments_end, sql, sql_end, end;
};

/*
 * Patterns are words, of which one with a question mark may be missing, and `a|b` is either. N is a name, A what may
 * stand in parentheses, Q all up to a semicolon. What is put in their place stands for the words from `skipped` on,
 * but for the last one.
 */
static const struct {
    const char *behind; /* which the first word stands */
    const char *pattern;
    uint32_t skipped;
    enum cursor_use_kind kind;
    const char *put, *put_behind;
} patterns[] = {
    { "declare|;", "N ?no ?scroll cursor A for|is Q ;", 1, CURSOR_USE_DECLARE, " refcursor := ", "" },
    { ";|begin|then|else|loop|>>|>", "open N A ;", 0, CURSOR_USE_OPEN, "PERFORM ", "" },
    { ";|begin|then|else|loop|>>|>", "open N ?no ?scroll for Q ;", 0, CURSOR_USE_OPEN, "PERFORM ", "" },
    { ";|begin|then|else|loop|>>|>", "fetch ?from|in N into", 0, CURSOR_USE_FETCH, "SELECT ", " " },
    { ";|begin|then|else|loop|>>|>", "fetch next from|in N into", 0, CURSOR_USE_FETCH, "SELECT ", " " },
    { ";|begin|then|else|loop|>>|>", "close N ;", 0, CURSOR_USE_CLOSE, "PERFORM ", "" },
    { "for", "N in N A loop", 2, CURSOR_USE_LOOP, "", " .. 0 " },
};

/* --- Words ----------------------------------------------------------------------------------- */

static void scan(struct scanned *s)
{
    PgQueryScanResult scanned;
    PgQuery__ScanResult *words = NULL;

    s->words = reader_take(s->r, s->body.length, sizeof *s->words);
    foreign_begin("the parser of SQL");
    scanned = pg_query_scan(s->body.at);
    foreign_end();
    if (!scanned.error)
        words = pg_query__scan_result__unpack(NULL, scanned.pbuf.len, (const uint8_t *)scanned.pbuf.data);
    pg_query_free_scan_result(scanned);
    if (!words)
        reader_refuse(s->r, "a body that cannot be scanned");
    for (size_t i = 0; i < words->n_tokens; i++) {
        const PgQuery__ScanToken *token = words->tokens[i];

        if (token->token != PG_QUERY__TOKEN__SQL_COMMENT && token->token != PG_QUERY__TOKEN__C_COMMENT)
            s->words[s->count++] = (struct text){ s->body.at + token->start, (size_t)(token->end - token->start) };
    }
    pg_query__scan_result__free_unpacked(words, NULL);
}

/* Whether the word is one of those between bars. */
static bool is_one_of(const struct scanned *s, uint32_t i, const char *words, size_t length)
{
    for (const char *end = words + length; i < s->count && words < end;) {
        const char *bar = memchr(words, '|', (size_t)(end - words));
        size_t one = (size_t)((bar ? bar : end) - words);

        if (s->words[i].length == one && strncasecmp(s->words[i].at, words, one) == 0)
            return true;
        words += one + 1;
    }
    return false;
}

static bool is(const struct scanned *s, uint32_t i, const char *word)
{
    return is_one_of(s, i, word, strlen(word));
}

static bool is_name(const struct scanned *s, uint32_t i)
{
    return i < s->count && strchr("\"_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", *s->words[i].at);
}

/* Behind what stands in parentheses. */
static uint32_t behind_parentheses(const struct scanned *s, uint32_t i)
{
    int depth = 0;

    do
        depth += is(s, i, "(") - is(s, i, ")");
    while (++i < s->count && depth > 0);
    return i;
}

/* --- Patterns ---------------------------------------------------------------------------------- */

/* False: the word, or what the part of a pattern says else, is not there. */
static bool match_part(const struct scanned *s, const char *part, size_t length, uint32_t *i, struct matched *m)
{
    if (length == 1 && *part == 'N') {
        m->name = *i;
        return is_name(s, (*i)++);
    }
    if (length == 1 && *part == 'Q') {
        m->sql = *i;
        while (*i < s->count && !is(s, *i, ";"))
            ++*i;
        m->sql_end = *i;
        return m->sql_end > m->sql;
    }
    if (length == 1 && *part == 'A') {
        if (!is(s, *i, "("))
            return true;
        m->arguments = *i + 1;
        *i = behind_parentheses(s, *i);
        m->arguments_end = *i - 1;
        return true;
    }
    if (*part == '?') {
        *i += is_one_of(s, *i, part + 1, length - 1);
        return true;
    }
    return is_one_of(s, (*i)++, part, length);
}

static bool match(const struct scanned *s, const char *pattern, uint32_t i, struct matched *m)
{
    *m = (struct matched){ .name = i };
    while (*pattern) {
        size_t length = strcspn(pattern, " ");

        if (!match_part(s, pattern, length, &i, m))
            return false;
        pattern += length + (pattern[length] == ' ');
    }
    m->end = i - 1;
    return m->end < s->count;
}

/* --- What was found ------------------------------------------------------------------------------ */

static struct text words_between(const struct scanned *s, uint32_t from, uint32_t end)
{
    const char *at = s->words[from].at;

    if (end <= from)
        return (struct text){ NULL, 0 };
    return reader_keep(s->r, (struct text){ at, (size_t)(s->words[end - 1].at + s->words[end - 1].length - at) });
}

static struct text name_of(const struct scanned *s, uint32_t i)
{
    struct text name = s->words[i];
    bool is_quoted = *name.at == '"';
    char *copy;

    if (is_quoted)
        name = (struct text){ name.at + 1, name.length - 2 };
    if (memchr(name.at, '"', name.length))
        reader_refuse(s->r, "a cursor of such a name");
    name = reader_keep(s->r, name);
    copy = (char *)name.at;
    for (size_t k = 0; k < name.length && !is_quoted; k++)
        if (copy[k] >= 'A' && copy[k] <= 'Z')
            copy[k] = (char)(copy[k] - 'A' + 'a');
    return name;
}

static void take_arguments(const struct scanned *s, const struct matched *m, struct cursor_use *use)
{
    struct text *arguments = reader_take(s->r, m->arguments_end - m->arguments, sizeof *arguments);
    uint32_t from = m->arguments;
    int depth = 0;

    for (uint32_t i = from; i < m->arguments_end; i++) {
        bool is_last = i + 1 == m->arguments_end;

        if (is(s, i, ":=") || is(s, i, "=>"))
            reader_refuse(s->r, "arguments of a cursor by their names");
        depth += is_one_of(s, i, "(|[", 3) - is_one_of(s, i, ")|]", 3);
        if (!is_last && !(depth == 0 && is(s, i, ",")))
            continue;
        arguments[use->argument_count++] = words_between(s, from, is_last ? i + 1 : i);
        if (!arguments[use->argument_count - 1].at)
            reader_refuse(s->r, "such an argument of a cursor");
        from = i + 1;
    }
    use->arguments = arguments;
}

static void take_use(const struct scanned *s, size_t pattern, uint32_t first, const struct matched *m,
                     struct cursor_uses *uses)
{
    struct cursor_use *use = &uses->at[uses->count++];
    const char *from = s->words[first + patterns[pattern].skipped].at;

    *use = (struct cursor_use){ .kind = patterns[pattern].kind,
                                .name = name_of(s, m->name),
                                .pattern = pattern,
                                .replaced = { from, (size_t)(s->words[m->end].at - from) } };
    take_arguments(s, m, use);
    use->sql = words_between(s, m->sql, m->sql_end);
    if (use->kind == CURSOR_USE_DECLARE)
        uses->argument_count += use->argument_count;
}

/* The number of the pattern that the words from `i` on match. */
static size_t find_pattern(const struct scanned *s, uint32_t i, struct matched *m)
{
    size_t p = 0;

    while (p < sizeof patterns / sizeof *patterns &&
           !(i > 0 && is_one_of(s, i - 1, patterns[p].behind, strlen(patterns[p].behind)) &&
             match(s, patterns[p].pattern, i, m)))
        p++;
    return p;
}

/* The body with other words in those places, on as many lines. */
static void put_instead(struct buffer *out, struct text body, const struct cursor_uses *uses)
{
    const char *done = body.at;

    for (uint32_t i = 0; i < uses->count; i++) {
        struct text replaced = uses->at[i].replaced;

        buffer_text(out, (struct text){ done, (size_t)(replaced.at - done) });
        buffer_print(out, "%s" NAME "%u\"", patterns[uses->at[i].pattern].put, i);
        for (size_t k = 0; k < replaced.length; k++)
            if (replaced.at[k] == '\n')
                buffer_byte(out, '\n');
        buffer_text(out, text_of(patterns[uses->at[i].pattern].put_behind));
        done = replaced.at + replaced.length;
    }
    buffer_text(out, (struct text){ done, (size_t)(body.at + body.length - done) });
}

struct text read_cursor_uses(struct reader *r, struct text statement, struct text body, struct cursor_uses *uses)
{
    struct scanned s = { .r = r, .body = reader_keep(r, body) };
    const char *kept = reader_keep(r, statement).at, *start = strstr(kept, s.body.at);
    struct buffer out = { 0 };
    struct matched m;

    *uses = (struct cursor_uses){ .count = 0 };
    scan(&s);
    uses->at = reader_take(r, s.count, sizeof *uses->at);
    for (uint32_t i = 0; i < s.count; i++) {
        size_t p = find_pattern(&s, i, &m);

        if (p == sizeof patterns / sizeof *patterns)
            continue;
        take_use(&s, p, i, &m, uses);
        i = m.end - 1;
    }
    if (uses->count == 0)
        return statement;
    if (!start)
        reader_refuse(r, "cursors in a body that has quotes in it");
    buffer_text(&out, (struct text){ kept, (size_t)(start - kept) });
    put_instead(&out, s.body, uses);
    buffer_text(&out, text_of(start + s.body.length));
    return reader_keep_buffer(r, &out);
}

const struct cursor_use *read_cursor_use(const struct cursor_uses *uses, const char *sql)
{
    unsigned long number;

    if (strncmp(sql, "SELECT ", 7) == 0)
        sql += 7;
    sql += strspn(sql, " ");
    if (strncmp(sql, NAME, strlen(NAME)) != 0)
        return NULL;
    number = strtoul(sql + strlen(NAME), NULL, 10);
    return number < uses->count ? &uses->at[number] : NULL;
}
