#include "verify/calls/item_private.h"

#include <string.h>

#define LONG_TEXT ((int64_t)64 << 20) /* more than any program here needs */

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t item_characters(struct text text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.length; i++)
        count += starts_character(text.at[i]);
    return count;
}

size_t item_clip(struct text text, size_t characters)
{
    size_t i = 0;

    for (; i < text.length; i++)
        if (starts_character(text.at[i]) && characters-- == 0)
            break;
    return i;
}

struct item item_substring(const struct workbench *w, struct text text, int64_t start,
                           bool has_length, int64_t length)
{
    int64_t end = has_length ? start + length : INT64_MAX;
    size_t skip;

    if (has_length && length < 0)
        trap_error(w->trap, "22011");
    if (start < 1)
        start = 1;
    if (end < start)
        end = start;
    skip = item_clip(text, (size_t)(start - 1));
    text = (struct text){ text.at + skip, text.length - skip };
    text.length = item_clip(text, (size_t)(end - start));
    return item_text(text);
}

struct item item_lpad(const struct workbench *w, struct text text, int64_t length, struct text fill)
{
    size_t wanted = length < 0 ? 0 : (size_t)length, missing, room, at = 0;
    char *bytes;

    if (length > LONG_TEXT)
        trap_unknown(w->trap, "texts of more than 64 MB");
    text.length = item_clip(text, wanted);
    missing = wanted - item_characters(text);
    if (fill.length == 0)
        missing = 0;
    room = text.length + missing * 4 + fill.length;
    bytes = arena_take(w->arena, room + 1, 1);
    for (size_t i = 0; missing > 0; missing--) {
        struct text rest = { fill.at + i, fill.length - i };
        size_t one = item_clip(rest, 1);

        memcpy(bytes + at, rest.at, one);
        at += one;
        i = (i + one) % fill.length;
    }
    if (text.length > 0)
        memcpy(bytes + at, text.at, text.length), at += text.length;
    return item_text((struct text){ bytes, at });
}

struct item item_concatenate(const struct workbench *w, struct text a, struct text b)
{
    char *bytes = arena_take(w->arena, a.length + b.length + 1, 1);

    if ((int64_t)(a.length + b.length) > LONG_TEXT)
        trap_unknown(w->trap, "texts of more than 64 MB");
    if (a.length > 0)
        memcpy(bytes, a.at, a.length);
    if (b.length > 0)
        memcpy(bytes + a.length, b.at, b.length);
    return item_text((struct text){ bytes, a.length + b.length });
}

static char change(char c, bool to_upper)
{
    if (to_upper && c >= 'a' && c <= 'z')
        return (char)(c - 'a' + 'A');
    if (!to_upper && c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c;
}

struct item item_change_case(const struct workbench *w, struct text text, bool to_upper)
{
    char *bytes = arena_take(w->arena, text.length + 1, 1);

    for (size_t i = 0; i < text.length; i++)
        bytes[i] = change(text.at[i], to_upper);
    return item_text((struct text){ bytes, text.length });
}

static void skip_byte(struct text *text)
{
    text->at++, text->length--;
}

static void skip_character(struct text *text)
{
    size_t one = item_clip(*text, 1);

    text->at += one, text->length -= one;
}

/* Takes a `%` and all `%` and `_` behind it. False: the text has fewer characters than there are `_`. */
static bool skip_any(struct text *text, struct text *pattern)
{
    for (; pattern->length > 0 && (*pattern->at == '%' || *pattern->at == '_'); skip_byte(pattern)) {
        if (*pattern->at == '_' && text->length == 0)
            return false;
        if (*pattern->at == '_')
            skip_character(text);
    }
    return true;
}

/* Takes one character, or one of its bytes, of both, if they go together. The text is not at its end. */
static bool matches_next(const struct workbench *w, struct text *text, struct text *pattern)
{
    char c;

    if (pattern->length == 0)
        return false;
    if (*pattern->at == '_') {
        skip_byte(pattern);
        skip_character(text);
        return true;
    }
    if (*pattern->at == '\\' && pattern->length == 1)
        trap_error(w->trap, "22025");
    c = pattern->at[*pattern->at == '\\'];
    if (*text->at != c)
        return false;
    if (*pattern->at == '\\')
        skip_byte(pattern);
    skip_byte(pattern);
    skip_byte(text);
    return true;
}

struct item item_like_escape(const struct workbench *w, struct text pattern, struct text escape)
{
    char *bytes = arena_take(w->arena, 2 * pattern.length + 1, 1), *end = bytes;
    bool is_escaped = false;

    if (item_characters(escape) > 1)
        trap_error(w->trap, "22025");
    while (pattern.length > 0) {
        struct text one = { pattern.at, item_clip(pattern, 1) };

        skip_character(&pattern);
        if (!is_escaped && escape.length > 0 && text_equal(one, escape)) {
            *end++ = '\\';
            is_escaped = true;
            continue;
        }
        if (!is_escaped && *one.at == '\\')
            *end++ = '\\';
        memcpy(end, one.at, one.length);
        end += one.length;
        is_escaped = false;
    }
    return item_text((struct text){ bytes, (size_t)(end - bytes) });
}

/* If the rest does not match, only the last `%` need take more: another one would leave less for the rest. */
bool item_like(const struct workbench *w, struct text text, struct text pattern)
{
    struct text next_text = { NULL, 0 }, next_pattern = { NULL, 0 }; /* at is NULL: no % yet */

    while (text.length > 0) {
        if (pattern.length > 0 && *pattern.at == '%') {
            if (!skip_any(&text, &pattern))
                return false;
            if (pattern.length == 0)
                return true;
            if (pattern.length == 1 && *pattern.at == '\\')
                trap_error(w->trap, "22025");
            next_text = text;
            next_pattern = pattern;
        } else if (!matches_next(w, &text, &pattern)) {
            if (!next_text.at || next_text.length == 0)
                return false;
            skip_character(&next_text);
            text = next_text;
            pattern = next_pattern;
        }
    }
    while (pattern.length > 0 && *pattern.at == '%')
        skip_byte(&pattern);
    return pattern.length == 0;
}
