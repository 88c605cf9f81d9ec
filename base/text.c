#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text text_of(const char *zero_terminated)
{
    return (struct text){ zero_terminated, strlen(zero_terminated) };
}

bool text_equal(struct text a, struct text b)
{
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

int text_compare(struct text a, struct text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.at, b.at, shorter) : 0;

    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* The length of the UTF-8 sequence at s, or 0: overlong, surrogate, too large, cut short. */
static size_t utf8_sequence(const unsigned char *s, size_t left)
{
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4)
        return 0;
    if (s[0] < 0xe0)
        return left >= 2 && (s[1] & 0xc0) == 0x80 ? 2 : 0;
    if (s[0] < 0xf0) {
        if (left < 3 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80)
            return 0;
        if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
            return 0;
        return 3;
    }
    if (left < 4 || (s[1] & 0xc0) != 0x80 || (s[2] & 0xc0) != 0x80 || (s[3] & 0xc0) != 0x80)
        return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return 4;
}

bool text_is_utf8(struct text text)
{
    const unsigned char *s = (const unsigned char *)text.at;
    size_t i = 0;

    while (i < text.length) {
        size_t step = utf8_sequence(s + i, text.length - i);
        if (step == 0)
            return false;
        i += step;
    }
    return true;
}

bool text_to_int64(struct text text, int64_t *number)
{
    bool negative = text.length > 0 && text.at[0] == '-';
    size_t first = negative ? 1 : 0;
    uint64_t magnitude = 0;
    uint64_t magnitude_max = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;

    if (text.length == first || text.length - first > 19)
        return false;
    if (text.at[first] == '0' && text.length > 1)
        return false;
    for (size_t i = first; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        magnitude = magnitude * 10 + (uint64_t)(text.at[i] - '0');
    }
    if (magnitude > magnitude_max)
        return false;
    *number = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

#define NAME_LENGTH_MAX 63

/* Edit distance in which swapping two neighbours counts as one edit. */
static size_t edit_distance(struct text a, struct text b)
{
    size_t row[3][NAME_LENGTH_MAX + 1];
    size_t *before = row[0], *last = row[1], *now = row[2];

    assert(a.length <= NAME_LENGTH_MAX && b.length <= NAME_LENGTH_MAX);
    for (size_t j = 0; j <= b.length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        size_t *spare = before;
        now[0] = i;
        for (size_t j = 1; j <= b.length; j++) {
            size_t best = last[j - 1] + (a.at[i - 1] != b.at[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        before = last;
        last = now;
        now = spare;
    }
    return last[b.length];
}

const char *text_nearest(struct text wanted, const char *const *names)
{
    const char *nearest = NULL;
    /* A third of the letters may be wrong, but one always. */
    size_t nearest_distance = wanted.length / 3 + (wanted.length < 3 ? 2 : 1);

    if (wanted.length > NAME_LENGTH_MAX)
        return NULL;
    for (; *names; names++) {
        struct text name = text_of(*names);
        size_t distance;
        if (name.length > NAME_LENGTH_MAX)
            continue;
        distance = edit_distance(wanted, name);
        if (distance < nearest_distance && distance < name.length) {
            nearest = *names;
            nearest_distance = distance;
        }
    }
    return nearest;
}

void buffer_close(struct buffer *buffer)
{
    free(buffer->at);
    *buffer = (struct buffer){ 0 };
}

void buffer_clear(struct buffer *buffer)
{
    buffer->count = 0;
}

char *buffer_reserve(struct buffer *buffer, size_t more)
{
    size_t wanted;
    char *moved;

    if (buffer->at && buffer->room - buffer->count >= more)
        return buffer->at + buffer->count;
    if (__builtin_add_overflow(buffer->count, more, &wanted) || wanted > PTRDIFF_MAX / 2) {
        buffer->out_of_memory = true;
        return NULL;
    }
    if (wanted < buffer->room * 2)
        wanted = buffer->room * 2;
    if (wanted < 256)
        wanted = 256;
    moved = realloc(buffer->at, wanted);
    if (!moved) {
        buffer->out_of_memory = true;
        return NULL;
    }
    buffer->at = moved;
    buffer->room = wanted;
    return buffer->at + buffer->count;
}

void buffer_byte(struct buffer *buffer, char byte)
{
    char *to = buffer_reserve(buffer, 1);

    if (to) {
        *to = byte;
        buffer->count++;
    }
}

void buffer_text(struct buffer *buffer, struct text text)
{
    char *to = buffer_reserve(buffer, text.length);

    if (to && text.length) {
        memcpy(to, text.at, text.length);
        buffer->count += text.length;
    }
}

void buffer_print(struct buffer *buffer, const char *format, ...)
{
    va_list arguments, again;
    int length;
    char *to;

    va_start(arguments, format);
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    assert(length >= 0);
    to = buffer_reserve(buffer, (size_t)length + 1);
    if (to) {
        vsnprintf(to, (size_t)length + 1, format, again);
        buffer->count += (size_t)length;
    }
    va_end(again);
}

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

char *int64_write(char *to, int64_t number)
{
    uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    char digits[20];
    size_t first = sizeof digits;

    while (magnitude >= 100) {
        first -= 2;
        memcpy(digits + first, digit_pairs + magnitude % 100 * 2, 2);
        magnitude /= 100;
    }
    if (magnitude >= 10) {
        first -= 2;
        memcpy(digits + first, digit_pairs + magnitude * 2, 2);
    } else {
        digits[--first] = (char)('0' + magnitude);
    }
    if (number < 0)
        *to++ = '-';
    memcpy(to, digits + first, sizeof digits - first);
    return to + (sizeof digits - first);
}

void buffer_int64(struct buffer *buffer, int64_t number)
{
    char *to = buffer_reserve(buffer, 20);

    if (to)
        buffer->count += (size_t)(int64_write(to, number) - to);
}

void buffer_json(struct buffer *buffer, struct text text)
{
    static const char hex[] = "0123456789abcdef";
    size_t plain = 0;

    buffer_byte(buffer, '"');
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.at[i];
        char escape[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
        size_t length = 6;

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r') {
            escape[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : (char)c;
            length = 2;
        }
        buffer_text(buffer, (struct text){ text.at + plain, i - plain });
        buffer_text(buffer, (struct text){ escape, length });
        plain = i + 1;
    }
    if (plain < text.length)
        buffer_text(buffer, (struct text){ text.at + plain, text.length - plain });
    buffer_byte(buffer, '"');
}

enum status buffer_status(const struct buffer *buffer, struct error *err)
{
    if (buffer->out_of_memory)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for output of more than %zu bytes",
                         buffer->count);
    return STATUS_OK;
}
