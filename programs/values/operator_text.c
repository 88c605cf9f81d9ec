/*
 * Functions of texts. Texts are UTF-8; their lengths and places are counted in
 * characters, from 1.
 */
#include "programs/values/operator_private.h"

#include <string.h>

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

static enum status give_bytes(const struct call *c, size_t length, char **to, struct datum *out)
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

enum status operator_concatenate(const struct call *c, struct datum *out)
{
    struct text a = datum_text(&c->arguments[0]), b = datum_text(&c->arguments[1]);
    char *to = NULL;

    TRY(give_bytes(c, a.length + b.length, &to, out));
    append(append(to, a), b);
    return STATUS_OK;
}

enum status operator_length(const struct call *c, struct datum *out)
{
    *out = datum_of_int64((int64_t)count_characters(datum_text(&c->arguments[0])));
    return STATUS_OK;
}

/* The characters from `start` up to `start + length`, those before the first counted too. */
enum status operator_substring(const struct call *c, struct datum *out)
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

enum status operator_lpad(const struct call *c, struct datum *out)
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

static enum status change_case(const struct call *c, char from, char to, struct datum *out)
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

enum status operator_lower(const struct call *c, struct datum *out)
{
    return change_case(c, 'A', 'a', out);
}

enum status operator_upper(const struct call *c, struct datum *out)
{
    return change_case(c, 'a', 'A', out);
}
