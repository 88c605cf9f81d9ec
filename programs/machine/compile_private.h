/*
 * compile_private: compiles the tree of a program into steps.
 *
 * Cannot refuse what analysis let pass, except for size: more than 65,535 slots or
 * constants in one function, or more than SOURCES_MAX tables in one statement.
 *
 * A compiler fails once and stays failed: whoever emits goes on, and the end
 * looks at the status. Slots behind the variables are given out like a stack:
 * who needs some notes `next`, takes them, and puts `next` back.
 */
#ifndef PROGRAMS_MACHINE_COMPILE_PRIVATE_H
#define PROGRAMS_MACHINE_COMPILE_PRIVATE_H

#include "base/array.h"
#include "programs/machine/code_private.h"
#include "programs/sql/tree.h"

/* Code refers to the tree, and lives in the arena. The error has the file's line. */
MUST_USE enum status compile_program(const struct program_tree *, struct arena *,
                                     const struct code **, struct error *);

/* --- What the compiler's files share --- */

#define SLOT_ANY UINT32_MAX

/* A loop that actions are in. */
struct compiler_loop {
    struct compiler_loop *outer;
    bool has_result;             /* to be closed when it is left */
    bool sets_found;
    ARRAY(uint32_t) continues, exits; /* jumps to be aimed */
};

/* A subquery that stands somewhere already, or has code of its own; or the number of a sequence. */
struct compiled_subquery {
    const struct expression *e;
    bool is_set;
    uint32_t slot; /* of its value; or the number of the set */
    const struct subquery_code *code; /* of a correlated one; else NULL */
};

struct compiler {
    const struct program_tree *tree; /* NULL for a condition on its own */
    const struct code *code;         /* what there is of it */
    const struct program_function *function;
    struct arena *arena;
    struct error *err;
    enum status status;
    uint32_t line;

    ARRAY(struct step) steps;
    ARRAY(struct datum) constants;
    uint32_t variable_count, next, next_max;
    struct compiler_loop *loop;

    /* Of a select: its aggregates, as they are met. */
    ARRAY(const struct expression *) aggregates;

    /* Of a statement: its subqueries, those that it is within, and the sets it has so far. */
    ARRAY(struct compiled_subquery) subqueries;
    uint32_t statement_depth, set_count, source_count;
    bool is_formula; /* what is compiled is evaluated within a query */

    /* Of a condition: which source is its row, and what it is given. */
    bool is_condition;
    uint16_t source;
    uint32_t lazy; /* how many expressions around may leave this one out */
    ARRAY(const struct expression *) parameters;
};

static inline struct operand operand_of_slot(uint32_t slot)
{
    return (struct operand){ PLACE_SLOT, (uint16_t)slot };
}

#endif
