/*
 * formula: what a program says, with names resolved and types known.
 *
 * Made once from the trees of PostgreSQL's parser (read_*.c), and then walked again and again. A column is
 * "so many queries out, source so-and-so, column so-and-so"; a variable is a slot of its routine. Every cast
 * that SQL makes by itself is a formula of its own, unless it changes nothing that can be seen.
 */
#ifndef VERIFY_CALLS_FORMULA_PRIVATE_H
#define VERIFY_CALLS_FORMULA_PRIVATE_H

#include "verify/calls/item_private.h"

struct selection;
struct routine;

/* --- Expressions ----------------------------------------------------------------------- */

enum formula_kind {
    FORMULA_CONSTANT,
    FORMULA_PARAMETER, /* $1: a text that takes the type it meets */
    FORMULA_VARIABLE,
    FORMULA_FIELD, /* of a record */
    FORMULA_COLUMN,
    FORMULA_CAST,
    FORMULA_COMPUTE, /* + - * / % */
    FORMULA_COMPARE,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_NOT,
    FORMULA_TEST,
    FORMULA_CASE, /* pairs of condition and result, then what else */
    FORMULA_COALESCE,
    FORMULA_EXTREME, /* GREATEST, LEAST */
    FORMULA_NULLIF,
    FORMULA_IN,     /* whether the first is among the others */
    FORMULA_IN_ARRAY, /* = ANY (array) */
    FORMULA_LIKE,
    FORMULA_ARRAY,
    FORMULA_SUBSCRIPT,
    FORMULA_BUILTIN,
    FORMULA_AGGREGATE,
    FORMULA_CALL,
    FORMULA_SUBQUERY,
    FORMULA_NUMBER, /* of a sequence; of setval(): the number, and whether it has been given */
};

enum number { NUMBER_NEXT, NUMBER_CURRENT, NUMBER_LAST, NUMBER_SET };

enum test { TEST_NULL, TEST_TRUE, TEST_FALSE, TEST_DISTINCT };

enum builtin {
    BUILTIN_ABS,
    BUILTIN_NEGATE,
    BUILTIN_FLOOR,
    BUILTIN_CEIL,
    BUILTIN_ROUND,
    BUILTIN_SIGN,
    BUILTIN_CONCATENATE,
    BUILTIN_LENGTH,
    BUILTIN_SUBSTRING,
    BUILTIN_LPAD,
    BUILTIN_LIKE_ESCAPE, /* a pattern with another escape character, as one with `\` */
    BUILTIN_LOWER,
    BUILTIN_UPPER,
    BUILTIN_CARDINALITY,
    BUILTIN_ARRAY_LENGTH,
    BUILTIN_ARRAY_JOIN, /* of two, each an array or an element */
};

enum aggregate { AGGREGATE_COUNT, AGGREGATE_SUM, AGGREGATE_MIN, AGGREGATE_MAX, AGGREGATE_AVG };

enum subquery { SUBQUERY_SCALAR, SUBQUERY_EXISTS, SUBQUERY_IN };

struct formula {
    enum formula_kind kind;
    struct item_type type;
    struct formula *const *arguments;
    uint32_t count;
    union {
        struct item constant;
        uint32_t slot, number; /* of a variable; of a parameter, from 1 */
        struct {
            uint32_t slot, field;
            const struct shape *shape;
        } field;
        struct {
            uint32_t depth, source, column;
        } column;
        enum cast cast;
        char operation; /* = < > l (<=) g (>=) ! (<>), as those of FORMULA_COMPUTE */
        struct {
            enum test test;
            bool negated;
        } test;
        struct {
            bool negated;
        } in;
        enum builtin builtin;
        bool is_greatest;
        struct {
            uint32_t number;
            enum aggregate kind;
            bool is_distinct;
        } aggregate;
        const struct routine *routine;
        struct {
            enum number kind;
            const struct sequence *sequence; /* NULL of NUMBER_LAST */
        } asks;
        struct {
            enum subquery kind;
            bool negated, calls; /* functions of the file */
            const struct selection *selection;
        } subquery;
    } as;
};

/* --- Tables ------------------------------------------------------------------------------- */

struct relation_column {
    struct text name;
    struct item_type type;
    bool not_null;
    const struct formula *initial; /* DEFAULT, or NULL */
    bool is_looked_at; /* by something that was read up to now */
    const struct sequence *given_by; /* whose numbers go into it as they are, or NULL */
};

struct column_set {
    const uint32_t *at;
    uint32_t count;
};

static inline bool column_set_has(struct column_set set, uint32_t column)
{
    for (uint32_t i = 0; i < set.count; i++)
        if (set.at[i] == column)
            return true;
    return false;
}

struct relation_reference {
    const struct relation *from, *to;
    struct column_set columns, targets;
    const struct relation_reference *next_from, *next_to; /* of the same table; to the same */
};

struct relation_unique {
    struct text name;
    struct column_set columns;
    const struct relation_unique *next;
};

struct relation {
    struct text name, key_name;
    uint32_t number;
    struct relation_column *columns;
    uint32_t column_count;
    bool is_numbered; /* without a primary key: the last column, which has no name, is the row's number */
    struct column_set key;
    const struct relation_unique *uniques;
    const struct relation_reference *references, *referrers;
    const struct formula *const *checks;
    uint32_t check_count;
};

/* The columns that have names. */
static inline uint32_t relation_named(const struct relation *relation)
{
    return relation->column_count - (relation->is_numbered ? 1 : 0);
}

/* --- Statements ------------------------------------------------------------------------------ */

struct shape {
    uint32_t count;
    const struct text *names;
    const struct item_type *types;
};

struct from_source {
    const struct relation *relation;
    struct text alias;
    const struct shape *shape; /* of its rows */
    bool needs_alias;          /* its columns are named with it only: `excluded` */
    bool is_optional;          /* an outer join may leave it out: by `on` */
    const struct formula *on;
    /*
     * Columns, by column_bit(), that make no difference: to which rows are found in which order; to all of the query.
     */
    uint64_t unsought, unused;
};

/* Columns from the 64th on share a bit. */
static inline uint64_t column_bit(uint32_t column)
{
    return UINT64_C(1) << (column < 63 ? column : 63);
}

/* A condition `column OP value`, where the value is known once some sources are. */
struct pin {
    uint32_t source, column;
    char operation; /* = < > l g */
    const struct formula *value;
    uint64_t needs; /* sources, by bits */
};

struct sort_key {
    const struct formula *by;
    bool descends, nulls_first;
};

struct selection {
    struct from_source *sources;
    uint32_t source_count;
    uint32_t *binding; /* in which order an outer join may take them */
    const struct formula *where, *having, *limit, *offset;
    const struct formula *const *outputs;
    const struct shape *shape; /* of the outputs */
    const struct formula *const *groups;
    uint32_t group_count;
    const struct formula *const *aggregates;
    uint32_t aggregate_count;
    bool is_aggregating, is_distinct, locks;
    const struct sort_key *order;
    uint32_t order_count;
    const struct pin *pins;
    uint32_t pin_count;
    const struct selection *left, *right; /* UNION, else NULL */
    bool is_union_all;
    const struct formula *const *values; /* INSERT: rows of the outputs' width, or NULL */
    uint32_t value_rows;
    bool names_table;
};

struct setting {
    uint32_t column;
    const struct formula *value; /* NULL: DEFAULT */
};

enum statement_kind { STATEMENT_SELECT, STATEMENT_INSERT, STATEMENT_UPDATE, STATEMENT_DELETE };

enum on_conflict { ON_CONFLICT_FAIL, ON_CONFLICT_SKIP, ON_CONFLICT_UPDATE };

struct statement {
    enum statement_kind kind;
    bool names_table; /* so that it counts */
    bool calls;       /* functions of the file */
    const struct selection *selection; /* STATEMENT_SELECT; what is inserted; the rows that are written */
    const struct relation *relation;
    const uint32_t *columns; /* INSERT: where each output goes */
    enum on_conflict on_conflict;
    bool has_arbiter, arbiter_is_key;
    const struct relation_unique *arbiter;
    const struct setting *settings; /* UPDATE, DO UPDATE: source 0 is the row, source 1 `excluded` */
    uint32_t setting_count;
    const struct formula *where; /* DO UPDATE */
    const struct formula *const *returning;
    const struct shape *shape; /* of what it returns; NULL: nothing */
};

/* --- PL/pgSQL ------------------------------------------------------------------------------------ */

enum step_kind {
    STEP_ASSIGN,
    STEP_STATEMENT,
    STEP_IF,
    STEP_LOOP, /* while `value`, if there is one */
    STEP_FOR_RANGE,
    STEP_FOR_ROWS,
    STEP_EXIT,
    STEP_CONTINUE,
    STEP_RETURN,
    STEP_RAISE,
    STEP_BLOCK,
    STEP_REQUIRE_CLOSED, /* the cursor in `slot`; so the next three */
    STEP_OPEN,
    STEP_FETCH,
    STEP_CLOSE,
};

struct step_list {
    const struct step *first;
};

struct arm_of_if {
    const struct formula *condition; /* NULL: else */
    struct step_list body;
    const struct arm_of_if *next;
};

/* What a row goes into: variables, or a record. */
struct target {
    bool is_record;
    uint32_t count;
    const uint32_t *slots;
    const struct shape *shape; /* of what it is given */
};

struct step {
    enum step_kind kind;
    const struct step *next;
    uint32_t line; /* in the file */
    uint32_t slot;
    const struct formula *value, *high, *by;
    bool reverse, strict, counts; /* counts: `value` names a table in a subquery */
    const struct statement *statement;
    const struct target *into;
    const struct arm_of_if *arms;
    struct step_list body;
    const char *label; /* of a loop or block; that EXIT and CONTINUE name; or NULL */
    struct text cursor; /* the name that a cursor has among all; .at is NULL: it has none */
    char sqlstate[6];
    const struct formula *const *details; /* of RAISE: computed, since that may fail */
    uint32_t detail_count;
};

struct routine_variable {
    struct item_type type;
    bool not_null;
};

#define ROUTINE_CALLS_MAX 32

struct routine {
    struct text name;
    uint32_t parameter_count, variable_count, found;
    struct routine_variable *variables; /* parameters first */
    struct item_type result;
    struct step_list body;
    bool may_write;               /* it, or what it calls */
    const struct routine *calls[ROUTINE_CALLS_MAX];
    uint32_t call_count;          /* more than that: it may write */
};

struct sequence {
    struct text name;
    uint32_t number;
    int64_t start, step, low, high;
    bool cycles;
};

struct catalog {
    struct relation *relations;
    uint32_t relation_count;
    struct sequence *sequences;
    uint32_t sequence_count;
    bool may_repeat; /* some sequence may give a number twice */
    uint32_t numbers, kept_numbers; /* places that ask for one; of them, those that only put it into a column */
    struct routine *routines;
    uint32_t routine_count;
};

const struct relation *catalog_find_relation(const struct catalog *, struct text name);
const struct routine *catalog_find_routine(const struct catalog *, struct text name);
/* Whether numbers of sequences only go into columns that nothing looks at, as far as has been read. */
bool catalog_has_quiet_numbers(const struct catalog *);

#endif
