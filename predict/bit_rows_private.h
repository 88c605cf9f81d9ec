/*
 * bit_rows: relations of transactions, a row of bits for each.
 */
#ifndef PREDICT_BIT_ROWS_PRIVATE_H
#define PREDICT_BIT_ROWS_PRIVATE_H

#include <stdbool.h>

#include "predict/predict_private.h"

struct bit_rows {
    uint64_t *at;
    uint32_t count, words; /* rows, and words of each */
};

static inline MUST_USE enum status bit_rows_init(struct bit_rows *rows, uint32_t count,
                                                 struct arena *arena, struct error *err)
{
    *rows = (struct bit_rows){ .count = count, .words = (count + 63) / 64 };
    PREDICT_TAKE(arena, rows->at, (size_t)count * rows->words, err);
    return STATUS_OK;
}

static inline uint64_t *bit_rows_row(const struct bit_rows *rows, uint32_t row)
{
    return rows->at + (size_t)row * rows->words;
}

static inline bool bit_rows_has(const struct bit_rows *rows, uint32_t row, uint32_t bit)
{
    return bit_rows_row(rows, row)[bit / 64] >> bit % 64 & 1;
}

static inline void bit_rows_add(const struct bit_rows *rows, uint32_t row, uint32_t bit)
{
    bit_rows_row(rows, row)[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* What `from` has, `to` has, too. */
static inline void bit_rows_join(const struct bit_rows *rows, uint32_t to, uint32_t from)
{
    uint64_t *into = bit_rows_row(rows, to);
    const uint64_t *of = bit_rows_row(rows, from);

    for (uint32_t i = 0; i < rows->words; i++)
        into[i] |= of[i];
}

#endif
