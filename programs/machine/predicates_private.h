/*
 * predicates_private: the data that the files of predicates.h share.
 *
 *     predicates.c       the set, which texts are of one shape, and which rows match
 *     predicate_shape.c  from a text to its shape, and from a shape to a condition
 */
#ifndef PROGRAMS_MACHINE_PREDICATES_PRIVATE_H
#define PROGRAMS_MACHINE_PREDICATES_PRIVATE_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/map.h"
#include "programs/machine/code_private.h"
#include "programs/machine/predicates.h"

#define LIFT_BYTES_MAX 1024
#define LIFT_NUMBERS_MAX 32

/* Bytes of a shape that stand for a number, by the type that PostgreSQL gives it. */
#define MARK_INTEGER '\1'
#define MARK_BIGINT '\2'

/* A text with its numbers cut out. */
struct lifted {
    char shape[LIFT_BYTES_MAX + sizeof(uint32_t)]; /* with room for the table's number */
    size_t length;
    struct datum numbers[LIFT_NUMBERS_MAX];
    uint32_t number_count;
};

/* A condition without its numbers. They are in the first slots, and what is computed behind. */
struct predicate_shape {
    const struct condition *condition; /* NULL: the shape cannot be used */
    const struct formula *parameters;  /* the condition's */
    const struct datum *constants;
    uint32_t number_count, slot_count;
};

struct predicates {
    const struct history *history;
    unsigned flags;
    struct arena arena;
    struct heap heap; /* texts of parameters */

    /* Of the history; columns are there once a predicate needs them. */
    struct schema_table *tables;
    struct schema schema;

    struct intern shape_names; /* a shape, then its table; the numbers are those of */
    ARRAY(struct predicate_shape) shapes;
    struct map numbers; /* table and text of the history to predicate */
    ARRAY(struct predicate) predicates;
    uint32_t *of_statement;
};

/* The type that a column of the history, numbered over all tables, is declared with. */
MUST_USE enum status predicate_column_type(const struct history *, uint32_t column, struct type *,
                                           struct sql_error *);

#endif
