/*
 * condition: which rows of one table a statement means.
 *
 *     WHERE owner = p_owner AND balance > 2 * p_amt AND id IN (3, 4)
 *
 *     condition   owner = $0 AND balance > $1 AND id IN (3, 4)    once, with the program
 *     filter      owner = 'ada' AND balance > 20 AND ...          once a statement is run
 *     matches?                                                    for each row
 *
 * A condition is a conjunction compiled to flat code. Whatever in it depends on
 * no column is a parameter, computed before. A filter is a condition with the
 * parameters' values; it may also restrict columns to a set of values, which is
 * how tables are joined. Filters say what they read: columns, values that are
 * pinned, ranges; each as an upper bound on the rows that can match.
 *
 * A row for which the condition cannot be computed (a division by zero) counts
 * as matching: so whoever reads it meets the error again, and a store need not
 * know of errors.
 */
#ifndef PROGRAMS_MACHINE_CONDITION_H
#define PROGRAMS_MACHINE_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "programs/sql/schema.h"
#include "programs/values/datum.h"
#include "programs/values/heap.h"

struct expression;
struct step;

#define CONDITION_REGISTERS_MAX 64

enum comparison_kind {
    COMPARISON_EQUAL,
    COMPARISON_LESS,
    COMPARISON_AT_MOST,
    COMPARISON_MORE,
    COMPARISON_AT_LEAST
};

/* A conjunct `column comparison value`: the value is a parameter or a constant. */
struct condition_bound {
    uint16_t column;
    enum comparison_kind comparison;
    bool is_parameter;
    uint16_t index;
};

struct condition {
    uint32_t table;
    const struct step *steps;
    const struct datum *constants;
    uint32_t parameter_count;
    const struct expression *const *parameters; /* what each is the value of */
    const struct expression *const *conjuncts;
    uint32_t conjunct_count;
    struct schema_columns columns; /* all it reads, in order */
    const struct condition_bound *bounds;
    uint32_t bound_count;
};

/* The column's value is one of these, which are in order and all different. */
struct restriction {
    uint16_t column;
    const struct datum *values;
    uint32_t value_count;
};

struct filter {
    const struct condition *condition;
    const struct datum *parameters;
    const struct restriction *restrictions;
    uint32_t restriction_count;
};

struct range {
    bool has_low, has_high, low_is_open, high_is_open;
    struct datum low, high;
};

/* Over the columns of source number `source`, which is `table`. They must outlive the condition. None: every row. */
struct condition_conjuncts {
    const struct expression *const *at;
    uint32_t count;
    uint16_t source;
    uint32_t table;
    bool is_whole; /* computes for each row also what depends on no column: there are no parameters */
};

MUST_USE enum status compile_condition(const struct condition_conjuncts *, struct arena *,
                                       const struct condition **, struct error *);

/* The texts of its computations are in the scratch heap, which is reset. */
bool condition_matches(const struct filter *, const struct datum *row, struct heap *scratch);
/* The same for who is to meet the errors. */
MUST_USE enum status condition_evaluate(const struct filter *, const struct datum *row,
                                        struct heap *scratch, bool *matches, struct sql_error *);

/* Whether no row at all can match: a pinned null, an empty set, a range turned round. */
bool condition_is_empty(const struct filter *);

/* The one value a column of a matching row can have, if the filter says so. */
bool condition_pin(const struct filter *, uint16_t column, struct datum *value);

/* The set a column is restricted to, or NULL. */
const struct restriction *condition_restriction(const struct filter *, uint16_t column);

/* Between which values a column of a matching row is. */
struct range condition_range(const struct filter *, uint16_t column);

/* As SQL, with values for parameters: "v >= 10 AND v <= 20"; nothing for every row. */
void condition_print_filter(const struct filter *, const struct schema *, struct buffer *);

#endif
