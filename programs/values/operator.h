/*
 * operator: what SQL computes, chosen by types once and evaluated often.
 *
 *     operator_resolve("+", { integer, unknown })
 *         -> ADD_INTEGER, takes { integer, integer }, gives integer
 *     operator_argument_cast(that, 1, unknown)
 *         -> PARSE into integer
 *
 * Resolution follows PostgreSQL: which implicit casts there are, what an
 * untyped literal becomes beside its neighbours, and what the answer is when
 * nothing fits. Evaluation knows representations only; a choice of integers or
 * booleans neither allocates nor calls anything. Results may point into their
 * arguments' memory. AND, OR and COALESCE are here as functions of all their
 * arguments; who wants to stop early asks datum_is_true() and goes round them.
 *
 * lower() and upper() know ASCII, as PostgreSQL's do with the collation C. Where
 * PostgreSQL would compute in double precision (floor(1), round('2')), resolution
 * refuses.
 */
#ifndef PROGRAMS_VALUES_OPERATOR_H
#define PROGRAMS_VALUES_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "programs/values/datum.h"
#include "programs/values/heap.h"
#include "programs/values/sql_error.h"
#include "programs/values/type.h"

#define OPERATOR_TAKES_MAX 3

/*
 * Each code, and whether it is strict: null where an argument is. Groups of four
 * are in the order of the types, groups of six in that of the comparisons, and
 * resolution adds to the first of them. INTEGER comparisons are those of
 * booleans and timestamps, too.
 */
#define OPERATOR_SIZES(X, name)                                                                    \
    X(name##_SMALLINT, true)                                                                       \
    X(name##_INTEGER, true)                                                                        \
    X(name##_BIGINT, true)                                                                         \
    X(name##_NUMERIC, true)

#define OPERATOR_COMPARISONS(X, suffix)                                                            \
    X(EQUAL_##suffix, true)                                                                        \
    X(UNEQUAL_##suffix, true)                                                                      \
    X(LESS_##suffix, true)                                                                         \
    X(AT_MOST_##suffix, true)                                                                      \
    X(MORE_##suffix, true)                                                                         \
    X(AT_LEAST_##suffix, true)

#define OPERATOR_LIST(X)                                                                           \
    X(NONE, false) /* the argument itself */                                                       \
    OPERATOR_SIZES(X, ADD)                                                                         \
    OPERATOR_SIZES(X, SUBTRACT)                                                                    \
    OPERATOR_SIZES(X, MULTIPLY)                                                                    \
    OPERATOR_SIZES(X, DIVIDE)                                                                      \
    OPERATOR_SIZES(X, MODULO)                                                                      \
    OPERATOR_SIZES(X, NEGATE)                                                                      \
    OPERATOR_SIZES(X, ABS)                                                                         \
    OPERATOR_COMPARISONS(X, INTEGER)                                                               \
    OPERATOR_COMPARISONS(X, OTHER) /* of numerics, texts, arrays */                                \
    X(DISTINCT, false)                                                                             \
    X(NOT_DISTINCT, false)                                                                         \
    X(AND, false)                                                                                  \
    X(OR, false)                                                                                   \
    X(NOT, true)                                                                                   \
    X(IS_NULL, false)                                                                              \
    X(IS_NOT_NULL, false)                                                                          \
    X(IS_TRUE, false)                                                                              \
    X(IS_NOT_TRUE, false)                                                                          \
    X(IS_FALSE, false)                                                                             \
    X(IS_NOT_FALSE, false)                                                                         \
    X(FLOOR, true)                                                                                 \
    X(CEIL, true)                                                                                  \
    X(SIGN, true)                                                                                  \
    X(ROUND, true)                                                                                 \
    X(CONCATENATE, true)                                                                           \
    X(LENGTH, true)                                                                                \
    X(SUBSTRING, true)                                                                             \
    X(LPAD, true)                                                                                  \
    X(LIKE, true)                                                                                  \
    X(NOT_LIKE, true)                                                                              \
    X(LIKE_ESCAPE, true)                                                                           \
    X(LOWER, true)                                                                                 \
    X(UPPER, true)                                                                                 \
    X(ARRAY, false)                                                                                \
    X(ARRAY_APPEND, false)                                                                         \
    X(ARRAY_PREPEND, false)                                                                        \
    X(ARRAY_CONCATENATE, false)                                                                    \
    X(SUBSCRIPT, true)                                                                             \
    X(CARDINALITY, true)                                                                           \
    X(ARRAY_LENGTH, true)                                                                          \
    X(EQUAL_ANY, false)                                                                            \
    X(GREATEST, false)                                                                             \
    X(LEAST, false)                                                                                \
    X(NULLIF, false)                                                                               \
    X(COALESCE, false)                                                                             \
    X(INTEGER_TO_SMALLINT, true)                                                                   \
    X(INTEGER_TO_INTEGER, true) /* a bigint that must fit */                                       \
    X(INTEGER_TO_NUMERIC, true)                                                                    \
    X(INTEGER_TO_BOOLEAN, true)                                                                    \
    X(BOOLEAN_TO_INTEGER, true)                                                                    \
    X(NUMERIC_TO_SMALLINT, true)                                                                   \
    X(NUMERIC_TO_INTEGER, true)                                                                    \
    X(NUMERIC_TO_BIGINT, true)                                                                     \
    X(NUMERIC_FIT, true) /* into a precision */                                                    \
    X(TEXT_FIT, true)    /* into a length */                                                       \
    X(PRINT, true)       /* anything as text */                                                    \
    X(PARSE, true)       /* text as anything */                                                    \
    X(REPARSE, true)     /* anything by way of text, as PL/pgSQL assigns */

enum operator_code {
#define X(code, is_strict) OPERATOR_##code,
    OPERATOR_LIST(X)
#undef X
        OPERATOR_COUNT
};

struct operator_choice {
    enum operator_code code;
    bool is_explicit; /* a cast that cuts what is too long */
    uint32_t argument_count;
    struct type result;
    /* What its arguments must be cast to. The last is for all that follow it, too. */
    struct type takes[OPERATOR_TAKES_MAX];
};

/* How PostgreSQL casts where, each allowing more than the one before. */
enum cast_context {
    CAST_IMPLICIT,
    CAST_ASSIGNMENT, /* to a column */
    CAST_VARIABLE,   /* to a variable of PL/pgSQL */
    CAST_EXPLICIT    /* CAST(a AS t), a::t */
};

/*
 * Names are those of SQL: operators ("+", "<>", "||", one argument: "-"), the
 * keywords "AND" "OR" "NOT" "IS NULL" "IS NOT NULL" "IS TRUE" "IS NOT TRUE" "IS
 * FALSE" "IS NOT FALSE" "IS UNKNOWN" "IS NOT UNKNOWN" "IS DISTINCT FROM" "IS NOT
 * DISTINCT FROM" "LIKE" "NOT LIKE" "= ANY" "ARRAY" "[]" "COALESCE" "NULLIF" "GREATEST" "LEAST",
 * and functions in lower case ("abs").
 */
MUST_USE enum status operator_resolve(const char *name, const struct type *types, uint32_t count,
                                      struct operator_choice *, struct sql_error *);

/* Whether a function of this name is built in, with whatever arguments. */
bool operator_is_function(const char *name);

/* The cast that an argument of a type needs before the choice is evaluated, OPERATOR_NONE: none. */
struct operator_choice operator_argument_cast(const struct operator_choice *, uint32_t argument,
                                              struct type from);

/* Refuses with "cannot cast type text to integer"; columns have words of their own for that. */
MUST_USE enum status operator_cast(struct type from, struct type to, enum cast_context,
                                   struct operator_choice *, struct sql_error *);

/* What CASE, COALESCE, GREATEST and the like make of several; `what` is for the message. */
MUST_USE enum status operator_common_type(const char *what, const struct type *types,
                                          uint32_t count, struct type *, struct sql_error *);

#endif
