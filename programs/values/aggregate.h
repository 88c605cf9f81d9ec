/*
 * aggregate: what SQL makes of many values, one at a time.
 *
 * Nulls are passed over; of no values at all there is a count, 0, and otherwise
 * null. Types and scales are PostgreSQL's: the sum of integers is a bigint,
 * that of bigints a numeric, and every average is a numeric. min() and max() of
 * texts and arrays point to the value they chose, which must live until then.
 */
#ifndef PROGRAMS_VALUES_AGGREGATE_H
#define PROGRAMS_VALUES_AGGREGATE_H

#include <stdint.h>

#include "programs/values/datum.h"
#include "programs/values/sql_error.h"
#include "programs/values/type.h"

enum aggregate_kind {
    AGGREGATE_COUNT_ROWS,
    AGGREGATE_COUNT,
    AGGREGATE_SUM,
    AGGREGATE_MIN,
    AGGREGATE_MAX,
    AGGREGATE_AVG
};

struct aggregate_choice {
    enum aggregate_kind kind;
    struct type takes; /* what the argument must be cast to first */
    struct type result;
};

struct aggregate {
    enum aggregate_kind kind;
    enum type_kind result;
    int64_t count;      /* of what was not null */
    struct numeric sum; /* of integers, too: they cannot overflow it */
    struct datum extreme;
};

/* count(*) has no argument: any type will do. */
MUST_USE enum status aggregate_resolve(enum aggregate_kind, struct type argument,
                                       struct aggregate_choice *, struct sql_error *);

void aggregate_init(struct aggregate *, const struct aggregate_choice *);
MUST_USE enum status aggregate_add(struct aggregate *, const struct datum *, struct sql_error *);
MUST_USE enum status aggregate_result(const struct aggregate *, struct datum *, struct sql_error *);

#endif
