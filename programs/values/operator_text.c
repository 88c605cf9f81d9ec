#include "programs/values/operator_text_private.h"

#include <string.h>

/*
 * Functions of texts. Texts are UTF-8; their lengths and places are counted in
 * characters, from 1.
 */

/* PostgreSQL's limit on one value, which lpad() is the easy way to. */
#define VALUE_BYTES_MAX 0x3fffffff
#define CHARACTER_BYTES_MAX 4

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t count_characters(struct text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.length; i++)
        count += !is_continuation(text.at[i]);
    return count;
}

size_t operator_clip(struct text text, size_t characters)
{
    size_t at = 0;

    if (text.length <= characters)
        return text.length;
    while (at < text.length) {
        if (!is_continuation(text.at[at]) && characters-- == 0)
            break;
        at++;
    }
    return at;
}

static enum status give_bytes(const struct operator_call *c, size_t length, char **to, struct datum *out)
{
    void *bytes;

    if (length > VALUE_BYTES_MAX)
        return sql_error_set(c->err, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    TRY(heap_push(c->heap, length, &bytes, c->err));
    *to = bytes;
    *out = datum_of_text((struct text){ bytes, length });
    return STATUS_OK;
}

static char *append(char *to, struct text text)
{
    if (text.length > 0)
        memcpy(to, text.at, text.length);
    return to + text.length;
}

enum status operator_concatenate(const struct operator_call *c, struct datum *out)
{
    struct text a = datum_text(&c->arguments[0]), b = datum_text(&c->arguments[1]);
    char *to = NULL;

    TRY(give_bytes(c, a.length + b.length, &to, out));
    append(append(to, a), b);
    return STATUS_OK;
}

enum status operator_length(const struct operator_call *c, struct datum *out)
{
    *out = datum_of_int64((int64_t)count_characters(datum_text(&c->arguments[0])));
    return STATUS_OK;
}

/* The characters from `start` up to `start + length`, those before the first counted too. */
enum status operator_substring(const struct operator_call *c, struct datum *out)
{
    struct text text = datum_text(&c->arguments[0]);
    int64_t start = c->arguments[1].as.integer, end = INT64_MAX;
    size_t skipped;

    if (c->choice->argument_count == 3) {
        if (c->arguments[2].as.integer < 0)
            return sql_error_set(c->err, SQLSTATE_SUBSTRING,
                                 "negative substring length not allowed");
        end = start + c->arguments[2].as.integer;
    }
    start = start < 1 ? 1 : start;
    end = end < start ? start : end;
    skipped = operator_clip(text, (size_t)(start - 1));
    text = (struct text){ text.at + skipped, text.length - skipped };
    text.length = operator_clip(text, (size_t)(end - start));
    *out = datum_of_text(text);
    return STATUS_OK;
}

/* As much of a text, again and again, as makes so many characters. */
static size_t measure_fill(struct text fill, size_t fill_characters, size_t characters)
{
    return characters / fill_characters * fill.length +
           operator_clip(fill, characters % fill_characters);
}

enum status operator_lpad(const struct operator_call *c, struct datum *out)
{
    struct text text = datum_text(&c->arguments[0]), fill = TEXT(" ");
    size_t wanted = c->arguments[1].as.integer < 0 ? 0 : (size_t)c->arguments[1].as.integer;
    size_t missing, fill_length;
    char *to = NULL;

    if (c->choice->argument_count == 3)
        fill = datum_text(&c->arguments[2]);
    if (wanted > VALUE_BYTES_MAX / CHARACTER_BYTES_MAX && fill.length > 0)
        return sql_error_set(c->err, SQLSTATE_TOO_LARGE, "requested length too large");
    text.length = operator_clip(text, wanted);
    missing = wanted - count_characters(text);
    fill_length = fill.length > 0 ? measure_fill(fill, count_characters(fill), missing) : 0;
    TRY(give_bytes(c, fill_length + text.length, &to, out));
    for (size_t i = 0; i < fill_length; i++)
        *to++ = fill.at[i % fill.length];
    append(to, text);
    return STATUS_OK;
}

static enum status change_case(const struct operator_call *c, char from, char to, struct datum *out)
{
    struct text text = datum_text(&c->arguments[0]);
    char *bytes = NULL;

    TRY(give_bytes(c, text.length, &bytes, out));
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.at[i];
        bytes[i] = byte >= from && byte < from + 26 ? (char)(byte - from + to) : byte;
    }
    return STATUS_OK;
}

enum status operator_lower(const struct operator_call *c, struct datum *out)
{
    return change_case(c, 'A', 'a', out);
}

enum status operator_upper(const struct operator_call *c, struct datum *out)
{
    return change_case(c, 'a', 'A', out);
}

/* --- Patterns ---------------------------------------------------------------- */

static void skip_byte(struct text *text)
{
    text->at++;
    text->length--;
}

static void skip_character(struct text *text)
{
    do
        skip_byte(text);
    while (text->length > 0 && is_continuation(*text->at));
}

#define COMPARISONS_MAX 10000000 /* beside one for each byte of the text */
#define COMPARISON_WORK 32

/* A pattern with many % can take the length of the text times its own. */
static enum status refuse_comparisons(const struct operator_call *c)
{
    return sql_error_set(c->err, SQLSTATE_CANCELED,
                         "canceling statement: LIKE takes more than %d comparisons",
                         COMPARISONS_MAX);
}

static enum status refuse_escape(const struct operator_call *c)
{
    return sql_error_set(c->err, SQLSTATE_ESCAPE, "LIKE pattern must not end with escape character");
}

/* What % begins: it and all % and _ behind it. False: the text has too few characters for them. */
static bool skip_wildcards(struct text *text, struct text *pattern)
{
    for (; pattern->length > 0; skip_byte(pattern)) {
        if (*pattern->at == '_') {
            if (text->length == 0)
                return false;
            skip_character(text);
        } else if (*pattern->at != '%') {
            break;
        }
    }
    return true;
}

/* Where the last % was: what it stands for grows by one character at a time. */
struct like_retry {
    bool is_possible;
    struct text text, pattern;
};

static bool try_again(struct like_retry *retry, struct text *text, struct text *pattern)
{
    if (!retry->is_possible || retry->text.length == 0)
        return false;
    skip_character(&retry->text);
    *text = retry->text;
    *pattern = retry->pattern;
    return true;
}

/*
 * Before the last % everything has matched in the first way there is, and another one would leave
 * less of the text for the rest. A pattern that ends with the escape character is an error only
 * where something is compared with that, as in PostgreSQL.
 */
static enum status match(const struct operator_call *c, struct text text, struct text pattern,
                         bool *matches)
{
    struct like_retry retry = { false };
    size_t left = COMPARISONS_MAX + text.length;

    *matches = false;
    while (text.length > 0) {
        bool is_escape = pattern.length > 0 && *pattern.at == '\\';

        if (left-- == 0)
            return refuse_comparisons(c);
        c->heap->work += COMPARISON_WORK;
        if (is_escape && pattern.length == 1)
            return refuse_escape(c);
        if (pattern.length > 0 && *pattern.at == '%') {
            if (!skip_wildcards(&text, &pattern))
                return STATUS_OK;
            if (pattern.length == 1 && *pattern.at == '\\')
                return refuse_escape(c);
            *matches = pattern.length == 0;
            if (*matches || text.length == 0)
                return STATUS_OK;
            retry = (struct like_retry){ true, text, pattern };
        } else if (pattern.length > 0 && *pattern.at == '_') {
            skip_character(&text);
            skip_byte(&pattern);
        } else if (pattern.length > 0 && pattern.at[is_escape] == *text.at) {
            skip_byte(&text);
            skip_byte(&pattern);
            if (is_escape)
                skip_byte(&pattern);
        } else if (!try_again(&retry, &text, &pattern)) {
            return STATUS_OK;
        }
    }
    while (pattern.length > 0 && *pattern.at == '%')
        skip_byte(&pattern);
    *matches = pattern.length == 0;
    return STATUS_OK;
}

enum status operator_like(const struct operator_call *c, struct datum *out)
{
    bool matches;

    TRY(match(c, datum_text(&c->arguments[0]), datum_text(&c->arguments[1]), &matches));
    *out = datum_of_bool(matches == (c->choice->code == OPERATOR_LIKE));
    return STATUS_OK;
}

static bool begins_with(struct text text, struct text start)
{
    return start.length > 0 && text.length >= start.length &&
           memcmp(text.at, start.at, start.length) == 0;
}

enum status operator_like_escape(const struct operator_call *c, struct datum *out)
{
    struct text pattern = datum_text(&c->arguments[0]), escape = datum_text(&c->arguments[1]);
    bool is_escaped = false;
    char *to = NULL, *from;

    if (count_characters(escape) > 1)
        return sql_error_set(c->err, SQLSTATE_ESCAPE, "invalid escape string");
    if (text_equal(escape, TEXT("\\"))) {
        *out = c->arguments[0];
        return STATUS_OK;
    }
    TRY(give_bytes(c, 2 * pattern.length, &to, out));
    for (from = to; pattern.length > 0;) {
        if (begins_with(pattern, escape) && !is_escaped) {
            *to++ = '\\';
            pattern = (struct text){ pattern.at + escape.length, pattern.length - escape.length };
            is_escaped = true;
            continue;
        }
        if (*pattern.at == '\\' && !is_escaped)
            *to++ = '\\';
        *to++ = *pattern.at;
        skip_byte(&pattern);
        is_escaped = pattern.length > 0 && is_continuation(*pattern.at) && is_escaped;
    }
    *out = datum_of_text((struct text){ from, (size_t)(to - from) });
    return STATUS_OK;
}
