#include "tests/hostile/damage.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

static const char *const wild[] = {
    "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e999",
    "4294967295", "4294967296", "0.1", "null", "true", "\"\"", "[]", "{}", "[", "]", "{", "}", "\"",
    "\\", "\\u0000", "\\ud800", "\n", "\r\n", "\t", "'", "''", "(", ")", ",", ":", "/", "%", "#",
    "--", "/*", ";", "=", "\xff", "\xc3", "\xef\xbb\xbf", "9999999999999999999999999999999999999999",
    "00", "-0", "1ns", "999999999h", "NaN", "$$", "%s%n",
};

/* A piece of the bytes: mostly a short one. */
static size_t piece(struct dice *dice, size_t size, size_t *length)
{
    size_t at = dice_throw(dice, (unsigned)size);
    size_t longest = dice_rarely(dice, 4) ? size - at : 16;

    if (longest > size - at)
        longest = size - at;
    *length = 1 + dice_throw(dice, (unsigned)longest);
    return at;
}

/* Puts text in the place of so many bytes. */
static void put(struct buffer *bytes, size_t at, size_t length, struct text text)
{
    size_t behind = bytes->count - at - length;

    if (!buffer_reserve(bytes, text.length))
        return;
    memmove(bytes->at + at + text.length, bytes->at + at + length, behind);
    memcpy(bytes->at + at, text.at, text.length);
    bytes->count = at + text.length + behind;
}

/* Widens a piece to the whole number or word that it is in. */
static size_t token(const struct buffer *bytes, size_t at, size_t *length)
{
    size_t end = at;

    while (at > 0 && strchr("0123456789abcdefghijklmnopqrstuvwxyz-_.", bytes->at[at - 1]) &&
           bytes->at[at - 1])
        at--;
    while (end < bytes->count && bytes->at[end] &&
           strchr("0123456789abcdefghijklmnopqrstuvwxyz-_.", bytes->at[end]))
        end++;
    *length = end > at ? end - at : 1;
    return at;
}

static bool is_number(const struct buffer *bytes, size_t at)
{
    return bytes->at[at] >= '0' && bytes->at[at] <= '9';
}

/* A number in the place of a number, or a word in that of a word: the file mostly stays readable. */
static void exchange(struct dice *dice, struct buffer *bytes, size_t at)
{
    bool wants_number = !dice_rarely(dice, 4);
    size_t length, from = at, from_length;
    struct buffer copy = { 0 };

    for (unsigned tries = 0; tries < 20 && is_number(bytes, at) != wants_number; tries++)
        at = dice_throw(dice, (unsigned)bytes->count);
    for (unsigned tries = 0; tries < 20 && (from == at || is_number(bytes, from) != wants_number); tries++)
        from = dice_throw(dice, (unsigned)bytes->count);
    at = token(bytes, at, &length);
    from = token(bytes, from, &from_length);
    buffer_text(&copy, (struct text){ bytes->at + from, from_length });
    put(bytes, at, length, (struct text){ copy.at, copy.count });
    buffer_close(&copy);
}

static void change(struct dice *dice, struct buffer *bytes)
{
    size_t length, from_length;
    size_t at = piece(dice, bytes->count, &length);
    struct buffer copy = { 0 };

    switch (dice_throw(dice, 16)) {
    case 0: /* a bit flips */
    case 1:
        bytes->at[at] = (char)(bytes->at[at] ^ 1 << dice_throw(dice, 8));
        break;
    case 2: /* a byte is another */
        bytes->at[at] = (char)dice_throw(dice, 256);
        break;
    case 3: /* it is cut short */
        bytes->count = at;
        break;
    case 4: /* a piece is lost */
        put(bytes, at, length, TEXT(""));
        break;
    case 5: { /* a piece comes twice, or from elsewhere */
        size_t from = piece(dice, bytes->count, &from_length);
        buffer_text(&copy, (struct text){ bytes->at + from, from_length });
        put(bytes, at, dice_rarely(dice, 2) ? length : 0, (struct text){ copy.at, copy.count });
        buffer_close(&copy);
        break;
    }
    case 6: /* zeros, as of a hole */
        memset(bytes->at + at, 0, length);
        break;
    case 7: /* a number or word is a wild one */
    case 8:
    case 9:
        at = token(bytes, at, &length);
        put(bytes, at, length, text_of(wild[dice_throw(dice, ROW_COUNT(wild))]));
        break;
    default: /* a number or word is another of this file */
        exchange(dice, bytes, at);
    }
}

void damage(struct dice *dice, struct buffer *bytes)
{
    unsigned changes = 1 + (dice_rarely(dice, 3) ? dice_throw(dice, 4) : 0);

    for (unsigned i = 0; i < changes && bytes->count > 0; i++)
        change(dice, bytes);
}
