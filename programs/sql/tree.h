/*
 * tree: what a program says, resolved and typed, without how it is run.
 *
 * Names are gone: columns, variables, tables and functions are numbers, every
 * expression has its type, and every implicit cast is an expression of its
 * own. All of it lives in the program's arena and never changes.
 *
 * Variables are slots of a function: its parameters first, then `found`, then
 * what it declares. A record is as many slots as the query that it is given
 * has columns; one that is given different queries has slots for each.
 *
 * Columns appear in queries that have sources, calls only where there are none:
 * in expressions of the language itself and in a SELECT without FROM. There a
 * call may stand anywhere, also under AND, OR, CASE, COALESCE and IN, which may
 * not reach it.
 *
 * The sources of a statement and of all subqueries in it have numbers of their own:
 * those of a select begin at its first_source. So a column in a subquery may be one
 * of a statement around it; then the subquery is correlated.
 */
#ifndef PROGRAMS_SQL_TREE_H
#define PROGRAMS_SQL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "programs/sql/schema.h"
#include "programs/values/aggregate.h"
#include "programs/values/datum.h"
#include "programs/values/operator.h"

enum expression_kind {
    EXPRESSION_CONSTANT,
    EXPRESSION_VARIABLE, /* slot */
    EXPRESSION_COLUMN,   /* source, column: of the statement's source number so-and-so */
    EXPRESSION_APPLY,    /* an operator or built-in function on its arguments, strict or not */
    EXPRESSION_AND,      /* two or more arguments; stops at the first false */
    EXPRESSION_OR,       /* likewise, true */
    EXPRESSION_CASE,     /* pairs of condition and result, then the else (always there) */
    EXPRESSION_COALESCE, /* stops at the first that is not null */
    EXPRESSION_IN,       /* the first is, or is not, among the others */
    EXPRESSION_AGGREGATE, /* only in the outputs and order of a select that aggregates */
    EXPRESSION_SUBQUERY, /* what a select says; of SUBQUERY_IN the argument is looked for in it */
    EXPRESSION_CALL,     /* a function of the program; its arguments have the parameters' types */
    EXPRESSION_NUMBER,   /* of a sequence; each is asked for by itself, where calls may be and in VALUES */
};

enum number_kind {
    NUMBER_NEXT,
    NUMBER_CURRENT, /* the last one that NUMBER_NEXT gave here, of this sequence */
    NUMBER_LAST,    /* of any */
    NUMBER_SET,     /* its arguments: the number, and whether it has been given out */
};

enum subquery_kind {
    SUBQUERY_VALUE,  /* its only value: null if it has no row, an error if it has several */
    SUBQUERY_EXISTS, /* whether it has a row */
    SUBQUERY_IN,     /* whether the argument is among its values: null if only a null could be it */
};

struct query;

struct expression {
    enum expression_kind kind;
    struct type type;
    uint32_t line; /* in the file, for errors while running */
    union {
        struct datum constant;
        uint32_t slot;
        struct {
            uint16_t source, column;
        } column;
        struct operator_choice apply; /* as operator_resolve() gave it */
        struct {
            enum aggregate_kind kind; /* its argument is cast already */
            bool distinct;
        } aggregate;
        struct {
            bool negated;
        } in;
        uint32_t function;
        struct {
            enum number_kind kind;
            uint32_t sequence;
        } number;
        struct {
            enum subquery_kind kind;
            bool is_correlated; /* has a column of a statement around it */
            const struct query *query; /* a select */
        } subquery;
    } as;
    const struct expression *const *arguments;
    uint32_t argument_count;
    uint32_t weight; /* expressions in it, those that are shared counted each time; limited */
};

/* One table in FROM, or the one that is written. */
struct query_source {
    uint32_t table;
    struct text alias;
    /*
     * Of the table that an outer join may leave out, the join's condition: where no row of it
     * meets the condition, its columns are null. Joins of which nobody may be left out have
     * theirs in `where`.
     */
    bool is_optional;
    const struct expression *on;
};

enum row_lock { ROW_LOCK_NONE, ROW_LOCK_SHARE, ROW_LOCK_UPDATE };

struct order_item {
    const struct expression *by;
    bool descending, nulls_first;
    uint32_t output; /* with arms, in place of `by` */
};

struct output {
    struct text name;
    const struct expression *value;
};

struct select;

/* One of the selects that UNION puts together. */
struct select_arm {
    const struct select *select;
    bool keeps_all; /* UNION ALL: else what is there by then is made distinct */
};

/*
 * Sources are joined by their product; ON is part of `where`, but for outer joins. With arms there
 * are no sources, outputs are those of the first arm, and the order is by numbers of outputs.
 */
struct select {
    const struct select_arm *arms;
    uint32_t arm_count;
    const struct query_source *sources;
    uint32_t source_count; /* 0: a row of expressions */
    uint32_t first_source; /* the number of the first one */
    const struct expression *where; /* boolean, or NULL */
    const struct output *outputs;
    uint32_t output_count;
    const struct expression *const *group_by;
    uint32_t group_count;
    bool aggregates; /* one row for all, or one for each group */
    const struct expression *having; /* boolean, or NULL: of groups */
    bool distinct; /* each row of outputs once; what it is ordered by is among them */
    const struct order_item *order;
    uint32_t order_count;
    const struct expression *limit, *offset; /* bigint, or NULL */
    enum row_lock lock;
};

struct assignment {
    uint16_t column;
    const struct expression *value; /* of the column's type */
};

enum conflict_action { CONFLICT_ERROR, CONFLICT_NOTHING, CONFLICT_UPDATE };

/* Source 0 is the row that is there, source 1 the row proposed (`excluded`). */
struct insert {
    struct query_source target;
    const struct expression *const *values; /* row after row, every column of the table */
    uint32_t row_count, value_count;
    enum conflict_action action;
    int32_t arbiter; /* -1: the primary key; else the unique of that number; -2: any (DO NOTHING) */
    const struct assignment *assignments;
    uint32_t assignment_count;
    const struct expression *conflict_where; /* or NULL */
    const struct output *returning;
    uint32_t returning_count;
};

struct update {
    struct query_source target; /* source 0 */
    const struct expression *where;
    const struct assignment *assignments;
    uint32_t assignment_count;
    const struct output *returning;
    uint32_t returning_count;
};

struct delete {
    struct query_source target;
    const struct expression *where;
    const struct output *returning;
    uint32_t returning_count;
};

enum query_kind { QUERY_SELECT, QUERY_INSERT, QUERY_UPDATE, QUERY_DELETE };

struct query {
    enum query_kind kind;
    uint32_t line;
    union {
        struct select select;
        struct insert insert;
        struct update update;
        struct delete delete;
    } as;
};

/* What a query's first row goes into; slots and outputs pair up. Without a row, nulls. */
struct into {
    const uint32_t *slots;
    const struct operator_choice *casts; /* assignment casts, OPERATOR_NONE where none is needed */
    uint32_t count;
    bool strict;
};

enum action_kind {
    ACTION_ASSIGN, /* slot := value */
    ACTION_QUERY,  /* sets found; with `into`, its first row */
    ACTION_IF,     /* arms, the last without a condition if there is an else */
    ACTION_LOOP,
    ACTION_WHILE,
    ACTION_FOR_RANGE,
    ACTION_FOR_QUERY,
    ACTION_EXIT, /* of the loop `depth` levels out, if the condition holds or is NULL */
    ACTION_CONTINUE,
    ACTION_RETURN, /* value or NULL */
    ACTION_RETURN_ROWS, /* all rows of a query: of a single statement, see program.h */
    ACTION_RAISE,  /* an exception: ends the transaction */
    ACTION_BLOCK,
    ACTION_REQUIRE_CLOSED, /* a cursor */
    ACTION_OPEN,
    ACTION_FETCH,
    ACTION_CLOSE,
};

struct action;

struct block {
    const struct action *actions;
    uint32_t count;
};

struct arm {
    const struct expression *condition; /* NULL: otherwise */
    struct block body;
};

struct action {
    enum action_kind kind;
    uint32_t line;
    union {
        struct {
            uint32_t slot;
            const struct expression *value;
        } assign;
        struct {
            const struct query *query;
            const struct into *into; /* or NULL */
        } query;
        struct {
            const struct arm *arms;
            uint32_t count;
        } choice;
        struct {
            const struct expression *condition; /* NULL: for ever */
            struct block body;
        } loop;
        struct {
            uint32_t slot;
            const struct expression *low, *high, *step; /* integers; step NULL: 1 */
            bool reverse;
            struct block body;
        } range;
        struct {
            const struct query *query; /* any kind that gives rows */
            const struct into *into;
            struct block body;
        } rows;
        struct {
            uint32_t depth;
            const struct expression *condition; /* or NULL: always */
        } leave;
        const struct expression *value; /* RETURN, or NULL */
        const struct query *returned;   /* RETURN_ROWS */
        struct {
            struct text format; /* with % for each argument (null: <NULL>), %% for itself */
            const struct expression *const *arguments;
            uint32_t argument_count;
            char sqlstate[6]; /* P0001 unless given */
        } raise;
        struct block block;
        struct {
            uint32_t slot; /* the variable: a number, of its name or of its own */
            const struct query *query; /* of ACTION_OPEN; of ACTION_FETCH one with the same columns */
            const struct into *into;   /* of ACTION_FETCH */
        } cursor;
    } as;
};

struct variable {
    struct text name; /* empty for a field of a record: record.field */
    struct type type;
    bool not_null; /* assigning null is an error; constants are never assigned twice */
    const struct expression *initial; /* of an outermost variable, in this order; NULL: null */
};

struct program_function {
    struct text name; /* empty: a single statement's, which nobody can call */
    uint32_t line;
    uint32_t parameter_count;
    const struct variable *variables; /* parameters first */
    uint32_t variable_count;
    uint32_t found;     /* slot */
    struct type result; /* TYPE_VOID: nothing; else the body's end is an error if it is reached */
    struct block body;
};

/* --- Going through what a program says (tree.c) --- */

typedef void tree_visitor(void *context, const struct expression *);
typedef void tree_action_visitor(void *context, const struct action *);

/* All actions of a block, also those within others: each before what it holds. */
void tree_visit_actions(const struct block *, tree_action_visitor *, void *context);
/* The expressions of the action itself, each as a whole. */
void tree_visit_action(const struct action *, tree_visitor *, void *context);
/* The query that the action runs or opens, or NULL. */
const struct query *tree_query_of(const struct action *);

/* The expressions of a select, each as a whole, those of its arms with them. */
void tree_visit_select(const struct select *, tree_visitor *, void *context);
void tree_visit_query(const struct query *, tree_visitor *, void *context);
/* The columns in an expression, and in the subqueries in it, of whatever sources. */
void tree_visit_columns(const struct expression *, tree_visitor *, void *context);
bool tree_is_column(const struct expression *, uint16_t source, uint16_t column);
/*
 * What an equation among the conjuncts of a condition says that a column is: its other side, in which all columns are of
 * the sources `known`, a bit for each of the first 64. NULL: there is none. The condition may be NULL.
 */
const struct expression *tree_find_equal(const struct expression *condition, uint16_t source,
                                         uint16_t column, uint64_t known);
/* Whether a subquery in it does. */
bool tree_names_table(const struct expression *);

/* A file, read and understood. */
struct program_tree {
    struct schema schema;
    const struct program_function *functions;
    uint32_t function_count;
};

/* A statement from somewhere else, and the line of it there, for errors. */
struct program_statement {
    struct text sql;
    uint32_t line;
};

#endif
