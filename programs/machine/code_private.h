/*
 * code: how a program is run: flat steps, made of the tree once.
 *
 *     IF v_balance < p_amt THEN RAISE ...       slots: 0 p_src, 1 p_amt, 2 found, 3 v_balance, 4
 *
 *     0  LESS      s4 = s3 < s1
 *     1  UNLESS    s4, go to 3
 *     2  RAISE     ...
 *     3  ...
 *
 * A function's slots are its variables and, behind them, registers for what is
 * halfway. Operands are read in place: constants, slots, the values a condition
 * was given, results of aggregates, columns of rows. Steps up to STEP_STOP
 * compute, and code_run() does them; at any other it stops, and the machine
 * does that one.
 */
#ifndef PROGRAMS_MACHINE_CODE_PRIVATE_H
#define PROGRAMS_MACHINE_CODE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "programs/machine/condition.h"
#include "programs/machine/row_index.h"
#include "programs/sql/tree.h"
#include "programs/values/aggregate.h"
#include "programs/values/heap.h"
#include "programs/values/operator.h"

#define SOURCES_MAX 16 /* tables in one statement, with those of its subqueries */

enum operand_place {
    PLACE_CONSTANT,
    PLACE_SLOT,
    PLACE_PARAMETER, /* a condition's values */
    PLACE_GROUP,     /* results of aggregates */
    PLACE_ROW,       /* PLACE_ROW + n: the row of source n */
    PLACE_COUNT = PLACE_ROW + SOURCES_MAX
};

struct operand {
    uint16_t place, index;
};

enum step_kind {
    /* What code_run() does: */
    STEP_MOVE,             /* to = a */
    STEP_APPLY,            /* to = choice(a, b) */
    STEP_APPLY_MANY,       /* to = choice(the `count` slots from a on) */
    STEP_EQUAL,            /* to = a = b, of integers, booleans or timestamps; so the next five */
    STEP_UNEQUAL,
    STEP_LESS,
    STEP_AT_MOST,
    STEP_MORE,
    STEP_AT_LEAST,
    STEP_REQUIRE_EQUAL,    /* the same, and stops at STEP_REFUSE unless it is true */
    STEP_REQUIRE_UNEQUAL,
    STEP_REQUIRE_LESS,
    STEP_REQUIRE_AT_MOST,
    STEP_REQUIRE_MORE,
    STEP_REQUIRE_AT_LEAST,
    STEP_IN,               /* to = b is (negated: is not) among the `count` slots from a on */
    STEP_SUBQUERY,         /* to = what a subquery says of the rows at hand; IN it of b */
    STEP_IN_SET,           /* to = b is among the values of the set number `target` */
    STEP_JUMP,             /* goes to target */
    STEP_JUMP_IF_TRUE,     /* if a is */
    STEP_JUMP_UNLESS_TRUE, /* false or null */
    STEP_JUMP_IF_FALSE,    /* and not null */
    STEP_JUMP_IF_VALUE,    /* not null */
    STEP_REQUIRE_ONE,      /* a must not be true: a subquery had more than one row */
    STEP_REQUIRE_VALUE,    /* a must not be null: `variable` is declared so */

    /* Where it stops: */
    STEP_STOP,
    STEP_REFUSE,     /* a condition that does not hold; also where STEP_REQUIRE_... leads */
    STEP_LOOP,       /* goes back to target */
    STEP_CALL,       /* to = function(the slots from a on) */
    STEP_NUMBER,     /* to = what the sequence `target` says, or is set to: the two slots from a on */
    STEP_STATEMENT,  /* what follows, up to another one, is one statement */
    STEP_QUERY,      /* does `query` if a is true */
    STEP_NEXT,       /* the next row of the innermost result to `count` slots, or goes to target */
    STEP_CLOSE,      /* done with the innermost result */
    STEP_RANGE,      /* checks low, high, step, in the three slots from a on */
    STEP_RANGE_NEXT, /* to = low, which rises by step, or goes to target beyond high */
    STEP_REQUIRE_CLOSED, /* the cursor `variable`, whose number is in slot a; so the next three */
    STEP_OPEN_CURSOR,    /* goes through the innermost result from now on */
    STEP_FETCH,          /* its next row to `count` slots, or goes to target */
    STEP_CLOSE_CURSOR,
    STEP_NO_ROWS,    /* INTO STRICT found none */
    STEP_RETURN,     /* a */
    STEP_RETURN_ROWS, /* the innermost result */
    STEP_RAISE,      /* with the slots from a on */
    STEP_END_OF_FUNCTION, /* there was no RETURN */
};

struct query_code;
struct subquery_code;

struct step {
    uint8_t kind; /* enum step_kind */
    bool negated; /* STEP_IN; of STEP_RANGE_...: REVERSE */
    uint16_t count;
    uint16_t to; /* slot */
    struct operand a, b;
    uint32_t target;
    uint32_t line;
    union {
        const struct operator_choice *choice;
        const struct variable *variable;
        const struct query_code *query;
        const struct subquery_code *subquery;
        const struct action *raise;
        uint32_t function;
    } as;
};

/* An expression: steps to do, if any, and where its value is then. */
struct formula {
    const struct step *steps; /* up to a STEP_STOP, or NULL */
    struct operand result;
};

struct machine;

/* What steps see. */
struct scope {
    /* Does STEP_SUBQUERY and STEP_IN_SET, which conditions do not have. */
    enum status (*ask)(struct scope *, const struct step *);
    struct machine *machine;
    const struct datum *base[PLACE_COUNT];
    struct datum *slots; /* base[PLACE_SLOT] */
    struct heap *heap;
    struct sql_error *error;
};

static inline const struct datum *code_operand(const struct scope *scope, struct operand operand)
{
    return scope->base[operand.place] + operand.index;
}

/*
 * Does steps from `at` on, and returns the first it does not do; where one
 * fails, the status is not STATUS_OK and *stop is the one that failed.
 */
MUST_USE enum status code_run(const struct step *steps, uint32_t at, struct scope *,
                              const struct step **stop);

/* The value stands where the formula says until the next step is done. */
MUST_USE enum status code_evaluate_formula(const struct formula *, struct scope *,
                                           const struct datum **);

/* A source read before this one has a column that equals one of this. */
struct join_code {
    uint16_t column;
    struct formula value;
};

/* The column is among the values of a set: a subquery that was done before. */
struct set_code {
    uint16_t column;
    uint32_t set;
};

struct read_code {
    uint16_t source;
    uint32_t table;
    bool is_optional; /* an outer join: where no row passes the filters there is one of nulls */
    bool is_needed;   /* without rows of it, there are none of the statement */
    const struct condition *condition;
    const struct operand *parameters; /* the condition's, in the frame that asks */
    const uint16_t *before; /* the reads whose rows it is joined with, in the order of the joins */
    const uint16_t *before_sources; /* theirs */
    uint32_t before_count;
    const struct join_code *joins;
    uint32_t join_count;
    const struct set_code *sets;
    uint32_t set_count;
    const struct formula *filters; /* of this source's row and of those read before */
    uint32_t filter_count;
    const struct formula *after; /* the same, of what an outer join has made */
    uint32_t after_count;
    /* The order in which the first rows will do, where nothing but the condition chooses among them; else no columns. */
    struct row_order order;
};

struct aggregate_code {
    struct aggregate_choice choice;
    bool distinct;
    struct formula argument; /* unless AGGREGATE_COUNT_ROWS */
};

struct order_code {
    struct formula by;
    bool descending, nulls_first;
};

struct assignment_code {
    uint16_t column;
    struct formula value;
};

/* How many rows are wanted, and where they go. */
enum query_use {
    QUERY_USE_FOUND, /* whether there was one */
    QUERY_USE_FIRST, /* the first to the slots from `to` on, nulls if there is none */
    QUERY_USE_ONE,   /* the same, and there must be exactly one */
    QUERY_USE_ALL,   /* a result to be gone through with STEP_NEXT */
    QUERY_USE_ARM,   /* outputs that the next arm of a UNION goes on with */
    /* Of subqueries, which leave `found` as it is: */
    QUERY_USE_VALUE,  /* the only one to slot `to`, null if there is none */
    QUERY_USE_EARLY_VALUE, /* likewise; and to the slot behind it whether there are too many */
    QUERY_USE_EXISTS, /* to slot `to` whether there was one */
    QUERY_USE_IN,     /* to slot `to` whether the value in the slot behind it is among them */
    QUERY_USE_SET,    /* a result, in order and without what is there twice, for STEP_IN_SET */
};

/* A select, or of the other statements what stands behind WHERE and RETURNING. */
struct select_code {
    const struct select *tree; /* or NULL */
    const uint16_t *levels; /* its reads, in the order of the joins */
    const uint16_t *sources; /* theirs */
    uint32_t level_count;
    const struct formula *conditions; /* of a subquery: what depends on no row of its own */
    uint32_t condition_count;
    const struct formula *filters; /* of WHERE: what has correlated subqueries */
    uint32_t filter_count;
    const struct formula *outputs; /* or what is RETURNING */
    uint32_t output_count;
    const struct formula *groups;
    uint32_t group_count;
    const struct aggregate_code *aggregates;
    uint32_t aggregate_count;
    const struct order_code *order;
    uint32_t order_count;
    const struct formula *having; /* or NULL */
    bool distinct;
    struct operand limit, offset; /* a null: all; from the first on */
};

/* A correlated one: its sources are among the statement's reads. */
struct subquery_code {
    enum subquery_kind kind;
    struct select_code select;
};

struct arm_code {
    const struct query_code *query;
    struct operand guard; /* whether what depends on no row holds */
    bool keeps_all;
};

struct query_code {
    const struct query *tree;
    enum query_use use;
    bool counts; /* as a statement that names a table; not where one has begun that this is part of */
    uint16_t to;
    uint16_t found; /* slot; not set by QUERY_USE_ALL */
    uint32_t scratch, scratch_end; /* slots that may point into rows while it is done */
    uint32_t set_count; /* the last results that there are when it begins are its sets */

    /* Of a UNION, which then has outputs, order and limit, but nothing else. */
    const struct arm_code *arms;
    uint32_t arm_count;

    /* An update or delete reads its own table first. */
    const struct read_code *reads;
    uint32_t read_count;
    struct select_code select;

    /* An insert, an update. */
    const struct formula *values;
    const struct assignment_code *assignments;
    uint32_t assignment_count;
    bool assigns_early; /* as soon as everything is read: there are correlated subqueries */
    struct formula conflict_where; /* of an insert that has one */
};

/* A primary key (the first of a table) or a unique constraint. */
struct unique_code {
    struct text name;
    struct schema_columns columns;
    const struct condition *condition; /* column = parameter, and so on */
};

struct table_code {
    const struct unique_code *uniques;
    uint32_t unique_count;
    const struct condition *const *checks; /* numbered like the schema's; without parameters */
};

struct reference_code {
    const struct condition *targets;   /* in the table referred to */
    const struct condition *referrers; /* in the other */
};

struct function_code {
    const struct step *steps;
    uint32_t step_count;
    const struct datum *constants;
    uint32_t slot_count; /* variables and registers */
};

struct code {
    const struct datum *nulls; /* as many as the widest table has columns */
    const struct function_code *functions; /* numbered like the tree's */
    const struct table_code *tables;
    const struct reference_code *references;
};

#endif
