/*
 * scalar: a value of SQL, exactly, and how two of them compare.
 *
 * Integers and decimals are number / 10^scale in 128 bits; what does not fit is
 * OUTCOME_FAILED, as a computation that PostgreSQL refuses is. A literal
 * in quotes has no type until it meets a value that has one.
 */
#ifndef VERIFY_SQL_SCALAR_PRIVATE_H
#define VERIFY_SQL_SCALAR_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "history/history.h"

enum outcome {
    OUTCOME_DONE,
    OUTCOME_FAILED,  /* SQL says that this is an error */
    OUTCOME_UNKNOWN, /* it means something that this room has not learnt */
};

#define DONE_OR_RETURN(call)                                                                       \
    do {                                                                                           \
        enum outcome outcome_of_call = (call);                                                     \
        if (outcome_of_call != OUTCOME_DONE)                                                       \
            return outcome_of_call;                                                                \
    } while (0)

enum scalar_kind {
    SCALAR_NULL,
    SCALAR_BOOLEAN,
    SCALAR_INTEGER,
    SCALAR_DECIMAL,
    SCALAR_TEXT,
    SCALAR_LITERAL, /* in quotes, of no type yet */
    SCALAR_TIMESTAMP,
    SCALAR_LIST,
};

#define SCALAR_SCALE_MAX 38 /* digits behind the point */

struct scalar {
    enum scalar_kind kind;
    /* Chosen among several, of which another's type counts: an integer may be a decimal. */
    bool is_vague;
    unsigned width;  /* of integers: 2, 4 or 8 bytes */
    unsigned scale;  /* of decimals */
    __int128 number; /* of lists: how many elements */
    struct text text;
    const int64_t *elements;
};

static inline struct scalar scalar_null(void)
{
    return (struct scalar){ .kind = SCALAR_NULL };
}

static inline struct scalar scalar_boolean(bool truth)
{
    return (struct scalar){ .kind = SCALAR_BOOLEAN, .number = truth };
}

/* Fails if it does not fit into so many bytes. */
enum outcome scalar_integer(__int128 number, unsigned width, struct scalar *);
/* "-12.30": digits on both sides of the point, if there is one. */
enum outcome scalar_decimal(struct text, struct scalar *);

/* A column's value; `type` is what the history calls its type: "numeric(10,2)". */
enum outcome scalar_of_cell(const struct history *, struct value, struct text type,
                            struct scalar *);

/* Gives a literal the type of another value. */
enum outcome scalar_adapt(struct scalar *, const struct scalar *other);

/* Of two that are not null: below, at or above zero. */
enum outcome scalar_compare(struct scalar, struct scalar, int *);

/* `+`, `-`, `*`, `/`, `%` of two that are not null. */
enum outcome scalar_compute(char operation, struct scalar, struct scalar, struct scalar *);

/* The same to a type named in SQL, as a cast. */
enum outcome scalar_cast(struct scalar, struct text type, struct scalar *);

#endif
