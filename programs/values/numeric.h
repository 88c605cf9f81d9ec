/*
 * numeric: exact decimals, with PostgreSQL's rules and up to 38 digits.
 *
 * The value is digits / 10^scale. The scale is part of what is printed (1.50 is
 * not written 1.5) and of no comparison. Every operation gives the scale that
 * PostgreSQL gives and rounds half away from zero. Where PostgreSQL would go on
 * with more than 38 digits, before and behind the point together, there is an
 * error. There is no NaN and no infinity.
 */
#ifndef PROGRAMS_VALUES_NUMERIC_H
#define PROGRAMS_VALUES_NUMERIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "programs/values/sql_error.h"

#define NUMERIC_DIGITS_MAX 38
#define NUMERIC_TEXT_MAX 42 /* bytes: a sign, a zero, a point, the digits; no zero byte */

struct numeric {
    __int128 digits; /* of less than 10^38 */
    int scale;       /* 0 to 38 */
};

static inline struct numeric numeric_from_int64(int64_t number)
{
    return (struct numeric){ number, 0 };
}

MUST_USE enum status numeric_add(struct numeric, struct numeric, struct numeric *,
                                 struct sql_error *);
MUST_USE enum status numeric_subtract(struct numeric, struct numeric, struct numeric *,
                                      struct sql_error *);
MUST_USE enum status numeric_multiply(struct numeric, struct numeric, struct numeric *,
                                      struct sql_error *);
MUST_USE enum status numeric_divide(struct numeric, struct numeric, struct numeric *,
                                    struct sql_error *);
/* The remainder of a division that cuts towards zero: it has the dividend's sign. */
MUST_USE enum status numeric_modulo(struct numeric, struct numeric, struct numeric *,
                                    struct sql_error *);

struct numeric numeric_negate(struct numeric);
struct numeric numeric_abs(struct numeric);
struct numeric numeric_sign(struct numeric);
struct numeric numeric_floor(struct numeric);
struct numeric numeric_ceil(struct numeric);

/* Below zero, the scale says how many digits before the point become zero. */
MUST_USE enum status numeric_round(struct numeric, int64_t scale, struct numeric *,
                                   struct sql_error *);

/* What a column of type numeric(precision, scale) makes of it: "numeric field overflow". */
MUST_USE enum status numeric_fit(struct numeric, int precision, int scale, struct numeric *,
                                 struct sql_error *);

int numeric_compare(struct numeric, struct numeric);
/* Equal ones have equal hashes, whatever their scales. */
uint64_t numeric_hash(struct numeric);

/* Rounded. False: it does not fit. */
bool numeric_to_int64(struct numeric, int64_t *);

MUST_USE enum status numeric_parse(struct text, struct numeric *, struct sql_error *);
/* Writes at most NUMERIC_TEXT_MAX bytes at `to`, returns the end. */
char *numeric_write(char *to, struct numeric);

#endif
