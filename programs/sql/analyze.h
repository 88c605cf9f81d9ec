/*
 * analyze: from the parser's trees to tree.h, with every name and type resolved.
 *
 *     analyze.c             a file: its tables, then its functions; single statements
 *     analyze_table.c       CREATE TABLE
 *     analyze_sequence.c    CREATE SEQUENCE, nextval
 *     analyze_select.c      SELECT
 *     analyze_write.c       INSERT, UPDATE, DELETE
 *     analyze_expression.c  expressions, calls and aggregates
 *     analyze_build.c       columns and variables, small expressions, casts, types
 *     plpgsql.c             bodies of functions
 *
 * One struct analysis goes through all of them. A text that stands within the
 * file, such as an expression of PL/pgSQL, is a piece: its places are turned
 * into the file's before anybody sees them.
 */
#ifndef PROGRAMS_SQL_ANALYZE_H
#define PROGRAMS_SQL_ANALYZE_H

#include "base/arena.h"
#include "base/array.h"
#include "programs/sql/sql_private.h"
#include "programs/sql/tree.h"

#define NAME_MAX_BYTES 63
#define WEIGHT_MAX 100000

/* A text for the parser, and where it comes from. */
struct piece {
    const char *text; /* ends in a zero byte */
    uint32_t prefix;  /* bytes of it which are ours: "SELECT " */
    bool is_placed;   /* whether `offset` is known */
    size_t offset;    /* in the file, of the byte behind the prefix */
    uint32_t line;    /* in the file, where it begins */
};

/* The fields that a record has at some point of its function. */
struct shape {
    uint32_t first_slot, count;
    const struct output *fields; /* names and types */
    const struct shape *next;    /* another one of the same record */
};

struct analyze_record {
    const struct shape *now;    /* NULL: not assigned yet; &shape_uncertain */
    const struct shape *shapes; /* all it ever has */
};

extern const struct shape shape_uncertain;

/* What a name in a function means. */
struct named {
    struct text name;
    uint32_t slot;         /* of a plain variable */
    struct analyze_record *record; /* of a record; else NULL */
    struct analyze_cursor *cursor; /* of a cursor; else NULL */
    bool is_constant;
    const struct named *next; /* of the same block */
};

/* The names of a block, a loop, or, outermost, of the parameters. */
struct names {
    struct text label;
    const struct named *first;
    const struct names *outer;
};

/* A function while it is read. */
struct routine {
    const struct program_function *function;
    const struct names *names;
    ARRAY(struct variable) variables; /* slots */
};

enum aggregates {
    AGGREGATES_REFUSED, /* `place` says where */
    AGGREGATES_FOUND,   /* allowed, and there is one */
    AGGREGATES_ALLOWED,
    AGGREGATES_WITHIN, /* in the argument of one */
};

/* Which subqueries there may be. */
enum subqueries {
    SUBQUERIES_REFUSED,
    SUBQUERIES_ALONE, /* that have no columns of this scope */
    SUBQUERIES_ANY,
};

/* What the names in an expression may mean, and what it may do. */
struct name_scope {
    struct name_scope *outer; /* of a subquery: the statement that it is in */
    enum subqueries subqueries;
    bool uses_outer; /* a name has been found in a scope around */
    bool keeps_unknown; /* literals that nobody has given a type stay without, for UNION */
    const struct query_source *sources;
    uint32_t first_source; /* the number of sources[0] in the statement */
    uint32_t first_visible, end_visible; /* of the sources */
    struct routine *routine;             /* or NULL: no variables */
    bool allows_calls;
    bool has_call; /* of a function of the program */
    bool allows_numbers; /* of sequences, though not calls */
    enum aggregates aggregates;
    const char *place; /* "WHERE", for messages */
};

struct analysis {
    struct arena *arena;
    struct heap heap; /* for literals while they are cast */
    struct text file;
    ARRAY(uint32_t) line_starts; /* bytes of the file */
    struct piece whole;          /* the file, at the line of the statement that is read */
    const struct piece *piece;
    struct error *err;

    struct schema_table *tables;
    uint32_t table_count;
    struct schema_reference *references;
    uint32_t reference_count, reference_room;
    struct schema_sequence *sequences;
    uint32_t sequence_count, sequence_room;
    struct program_function *functions;
    uint32_t function_count;
    ARRAY(struct text) cursor_names;
    uint32_t source_count; /* of the statement that is read, with those of its subqueries */
};

/* --- The file (analyze.c) --- */

MUST_USE enum status analyze_program(struct text sql, struct arena *, struct program_tree *,
                                     struct error *);
/* A call as text: the function, and the arguments cast to its parameters' types. */
MUST_USE enum status analyze_call_text(const struct program_tree *, struct text call,
                                       struct arena *, const struct expression **, struct error *);

/* --- Single statements --- */

/* The tree with a function for each statement behind those it has; the old one stays as it is. */
MUST_USE enum status analyze_statements(struct program_tree *, const struct program_statement *,
                                        uint32_t count, struct arena *, struct error *);

/* --- Refusing and remembering (analyze_build.c) --- */

#define ONLY(a, location, node, fields) TRY(analyze_only_fields(a, location, &(node)->base, fields))

/* --- Queries --- */

/* The text of a piece must be one statement; close the tree. */
MUST_USE enum status analyze_parse_piece(struct analysis *, PgQuery__ParseResult **,
                                         const PgQuery__Node **statement);
MUST_USE enum status analyze_query(struct analysis *, struct routine *, const PgQuery__Node *,
                                   const struct query **);
/* Outputs of a query; NULL and 0 where it gives no rows. */
uint32_t analyze_query_outputs(const struct query *, const struct output **);

/* --- Statements --- */

/* The body of a function, whose header has been read. `statement` is all of CREATE FUNCTION. */
MUST_USE enum status plpgsql_analyze_body(struct analysis *, struct program_function *, struct text statement,
                                          struct text body, size_t body_offset);

#endif
