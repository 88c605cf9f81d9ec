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

struct item item_lpad(const struct workbench *w, struct text text, int64_t length, struct text fill,
                      bool is_left)
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
    if (!is_left)
        memcpy(bytes, text.at, text.length), at = text.length;
    for (size_t i = 0; missing > 0; missing--) {
        struct text rest = { fill.at + i, fill.length - i };
        size_t one = item_clip(rest, 1);

        memcpy(bytes + at, rest.at, one);
        at += one;
        i = (i + one) % fill.length;
    }
    if (is_left && text.length > 0)
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

static bool like(const struct workbench *w, struct text text, struct text pattern, bool ignores_case)
{
    while (pattern.length > 0) {
        char c = *pattern.at;
        bool is_plain = false;

        pattern.at++, pattern.length--;
        if (c == '%') {
            for (size_t skip = 0; skip <= text.length; skip++) {
                struct text rest = { text.at + skip, text.length - skip };

                if ((rest.length == 0 || starts_character(*rest.at)) &&
                    like(w, rest, pattern, ignores_case))
                    return true;
            }
            return false;
        }
        if (c == '\\') {
            if (pattern.length == 0)
                trap_error(w->trap, "22025");
            c = *pattern.at;
            pattern.at++, pattern.length--;
            is_plain = true;
        }
        if (text.length == 0)
            return false;
        if (c == '_' && !is_plain) {
            size_t one = item_clip(text, 1);

            text.at += one, text.length -= one;
            continue;
        }
        if (*text.at != c && (!ignores_case || change(*text.at, false) != change(c, false)))
            return false;
        text.at++, text.length--;
    }
    return text.length == 0;
}

bool item_like(const struct workbench *w, struct text text, struct text pattern, bool ignores_case)
{
    return like(w, text, pattern, ignores_case);
}
