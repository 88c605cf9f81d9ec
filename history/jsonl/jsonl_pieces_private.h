/*
 * jsonl_pieces: the pieces of a line of native text, passed a word at a time.
 *
 * Each pass_*() compares what stands at `*at` with the bytes that it must be,
 * whole words at a time, and goes behind it; or returns false, and leaves `*at`
 * anywhere. False says only "not exactly so": what may be right or wrong with
 * it is for the general parser to say. No function looks for the end of the
 * line, since no byte that is passed here is a line feed or the zero of the
 * source's slack.
 */
#ifndef HISTORY_JSONL_JSONL_PIECES_PRIVATE_H
#define HISTORY_JSONL_JSONL_PIECES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "history/history.h"

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The bytes of a word that are zero, as 0x80 in the lowest of them; above it anything. */
static inline uint64_t zero_bytes(uint64_t word)
{
    return (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
}

/* Likewise those that end a plain string: a quote, a backslash, a control character. */
static inline uint64_t special_bytes(uint64_t word)
{
    return zero_bytes(word ^ EACH_BYTE('"')) | zero_bytes(word ^ EACH_BYTE('\\')) |
           zero_bytes(word & EACH_BYTE(0xe0));
}

/* All bits of the bytes below the lowest mark of zero_bytes() or special_bytes(). */
static inline uint64_t bytes_below(uint64_t marks)
{
    return ((marks & (0 - marks)) >> 7) - 1;
}

/* The value of eight digits, given as numbers from 0 to 9, the first in the lowest byte. */
static inline uint64_t eight_digits(uint64_t word)
{
    word = word * 10 + (word >> 8);
    return ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            (word >> 16 & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* Passes the bytes if they come next. With a literal this is a compare or two. */
#define PASS(at, literal)                                                                          \
    (memcmp(*(at), literal, sizeof(literal) - 1) == 0 ? (*(at) += sizeof(literal) - 1, true)       \
                                                      : false)

static inline bool pass_digits(const char **at, uint64_t *number)
{
    static const uint64_t powers[] = { 1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000 };
    const char *from = *at;
    size_t length = 0, count;

    *number = 0;
    do {
        uint64_t word = hash_word(from + length) ^ EACH_BYTE('0');
        uint64_t others = (word | (word + EACH_BYTE(0x76))) & EACH_BYTE(0x80);
        count = others ? (size_t)__builtin_ctzll(others) / 8 : 8;
        if (count == 0)
            break;
        *number = *number * powers[count] + eight_digits(word << (64 - 8 * count));
        length += count;
    } while (count == 8 && length < 24);
    *at = from + length;
    return length > 0 && length <= 19 && (*from != '0' || length == 1);
}

/* The extremes are left to the general parser: as times they have a meaning. */
static inline bool pass_integer(const char **at, int64_t *number)
{
    bool is_negative = **at == '-';
    uint64_t magnitude;

    *at += is_negative;
    if (!pass_digits(at, &magnitude) || magnitude >= INT64_MAX || (is_negative && magnitude == 0))
        return false;
    *number = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Behind the bracket. */
static inline bool pass_times(const char **at, int64_t *invoked, int64_t *completed)
{
    if (!pass_integer(at, invoked) || !PASS(at, ","))
        return false;
    if (PASS(at, "null"))
        *completed = TIME_NEVER;
    else if (!pass_integer(at, completed) || *completed < *invoked)
        return false;
    return PASS(at, "]");
}

static inline bool pass_place(const char **at, struct place *place)
{
    place->parts = 0;
    if (!PASS(at, "[")) {
        place->parts = 1;
        return pass_integer(at, &place->part[0]);
    }
    do {
        if (place->parts == PLACE_PARTS_MAX || !pass_integer(at, &place->part[place->parts]))
            return false;
        place->parts++;
    } while (PASS(at, ","));
    return PASS(at, "]") && place->parts >= 2;
}

/* Behind the opening quote: a string that stands for itself, in UTF-8; and its closing quote. */
static inline bool pass_string(const char **at, struct text *string)
{
    const char *from = *at;
    uint64_t word, marks, all = 0;

    while (word = hash_word(*at), (marks = special_bytes(word)) == 0) {
        all |= word;
        *at += sizeof word;
    }
    all |= word & bytes_below(marks);
    *at += __builtin_ctzll(marks) / 8;
    *string = (struct text){ from, (size_t)(*at - from) };
    return PASS(at, "\"") && (!(all & EACH_BYTE(0x80)) || text_is_utf8(*string));
}

/* The name of a version. */
static inline bool pass_version(const char **at, struct version_name *version)
{
    int64_t nth;

    *version = (struct version_name){ 0 };
    if (PASS(at, "null")) {
        version->is_initial = true;
        return true;
    }
    if (!PASS(at, "["))
        return pass_integer(at, &version->txn_id);
    if (!pass_integer(at, &version->txn_id) || !PASS(at, ",") || !pass_integer(at, &nth) ||
        nth < 1 || nth > UINT32_MAX)
        return false;
    version->nth = (uint32_t)nth;
    return PASS(at, "]");
}

/* Bytes to compare with, as two words, and behind them what is longer. */
struct literal {
    uint64_t low, high, low_mask, high_mask;
    size_t from, length; /* of all of it in `literals` */
};

static inline uint64_t mask_of(size_t length)
{
    return length >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * length)) - 1;
}

/* Of `before`, the name as JSON, `behind`. */
static inline struct literal make_literal(struct buffer *literals, const char *before,
                                          struct text name, const char *behind)
{
    struct literal literal = { .from = literals->count };
    char words[16] = { 0 };

    buffer_text(literals, text_of(before));
    buffer_json(literals, name);
    buffer_text(literals, text_of(behind));
    literal.length = literals->count - literal.from;
    if (literals->out_of_memory)
        return literal;
    memcpy(words, literals->at + literal.from, literal.length < 16 ? literal.length : 16);
    literal.low = hash_word(words);
    literal.high = hash_word(words + 8);
    literal.low_mask = mask_of(literal.length);
    literal.high_mask = mask_of(literal.length > 8 ? literal.length - 8 : 0);
    return literal;
}

#endif
