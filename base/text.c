#include "base/text.h"

#include <assert.h>
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

bool text_take(struct text *text, struct text prefix)
{
    if (text->length < prefix.length || memcmp(text->at, prefix.at, prefix.length) != 0)
        return false;
    text->at += prefix.length;
    text->length -= prefix.length;
    return true;
}

struct text text_behind_last(struct text text, char byte)
{
    size_t from = text.length;

    while (from > 0 && text.at[from - 1] != byte)
        from--;
    return (struct text){ text.at + from, text.length - from };
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

bool text_take_uint64(struct text *text, uint64_t *number)
{
    const char *at = text->at, *end = at + text->length;
    uint64_t sum = 0;

    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(*at - '0'), &sum))
            return false;
    if (at == text->at)
        return false;
    *number = sum;
    *text = (struct text){ at, (size_t)(end - at) };
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

static const char digit_pairs[] = "00010203040506070809101112131415161718192021222324"
                                  "25262728293031323334353637383940414243444546474849"
                                  "50515253545556575859606162636465666768697071727374"
                                  "75767778798081828384858687888990919293949596979899";

char *text_write_int64(char *to, int64_t number)
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
