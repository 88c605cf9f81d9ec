/*
 * analyze: from the parser's trees to tree.h, with every name and type resolved.
 *
 *     analyze.c             a file: its tables, then its functions
 *     analyze_table.c       CREATE TABLE
 *     analyze_select.c      SELECT
 *     analyze_write.c       INSERT, UPDATE, DELETE
 *     analyze_expression.c  expressions, and analyze_call.c calls and aggregates
 *     analyze_name.c        columns and variables
 *     analyze_build.c       small expressions, casts, types
 *     analyze_statement.c   single statements
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

struct record {
    const struct shape *now;    /* NULL: not assigned yet; &shape_uncertain */
    const struct shape *shapes; /* all it ever has */
};

extern const struct shape shape_uncertain;

/* What a name in a function means. */
struct named {
    struct text name;
    uint32_t slot;         /* of a plain variable */
    struct record *record; /* of a record; else NULL */
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
    const struct function *function;
    const struct names *names;
    ARRAY(struct variable) variables; /* slots */
};

enum aggregates {
    AGGREGATES_REFUSED, /* `place` says where */
    AGGREGATES_FOUND,   /* allowed, and there is one */
    AGGREGATES_ALLOWED,
    AGGREGATES_WITHIN, /* in the argument of one */
};

/* What the names in an expression may mean, and what it may do. */
struct name_scope {
    const struct source *sources;
    uint32_t first_visible, end_visible; /* of the sources */
    struct routine *routine;             /* or NULL: no variables */
    bool allows_calls;
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
    struct function *functions;
    uint32_t function_count;
};

/* --- The file (analyze.c) --- */

MUST_USE enum status analyze_program(struct text sql, struct arena *, struct program_tree *,
                                     struct error *);
/* A call as text: the function, and the arguments cast to its parameters' types. */
MUST_USE enum status analyze_call_text(const struct program_tree *, struct text call,
                                       struct arena *, const struct expression **, struct error *);

/* --- Single statements (analyze_statement.c) --- */

/* The tree with a function for each statement behind those it has; the old one stays as it is. */
MUST_USE enum status analyze_statements(struct program_tree *, const struct program_statement *,
                                        uint32_t count, struct arena *, struct error *);

/* --- Refusing and remembering (analyze_build.c) --- */

/* Says what is wrong at a byte of the piece; -1: somewhere in it. */
MUST_USE enum status refuse(struct analysis *, int32_t location, const char *format, ...)
    PRINTF_LIKE(3, 4);
MUST_USE enum status refuse_fault(struct analysis *, const struct sql_fault *);
MUST_USE enum status refuse_sql(struct analysis *, int32_t location, const struct sql_error *);
MUST_USE enum status refuse_node(struct analysis *, const PgQuery__Node *);
/* Refuses the first field that is set and not among the ones named. */
MUST_USE enum status only(struct analysis *, int32_t location, const ProtobufCMessage *,
                          const char *fields);
#define ONLY(a, location, node, fields) TRY(only(a, location, &(node)->base, fields))

/* The line of the file, from 1: of a byte of the piece, and of one of the file. */
uint32_t line_of(const struct analysis *, int32_t location);
uint32_t line_at(const struct analysis *, size_t offset);

/* Zeroed, in the arena. */
MUST_USE enum status keep(struct analysis *, size_t count, size_t size, void **);
/* With a zero byte behind. */
MUST_USE enum status keep_text(struct analysis *, struct text, struct text *);
MUST_USE enum status keep_datum(struct analysis *, const struct datum *, struct datum *);

/* --- Building expressions (analyze_build.c) --- */

MUST_USE enum status build(struct analysis *, enum expression_kind, struct type, int32_t location,
                           uint32_t argument_count, struct expression **);
/* Counts the weight, once the arguments are there. */
MUST_USE enum status build_end(struct analysis *, struct expression *, int32_t location,
                               const struct expression **);
void set_argument(struct expression *, uint32_t index, const struct expression *);
MUST_USE enum status build_constant(struct analysis *, struct type, struct datum, int32_t location,
                                    const struct expression **);
MUST_USE enum status build_null(struct analysis *, struct type, int32_t location,
                                const struct expression **);
MUST_USE enum status build_variable(struct analysis *, struct type, uint32_t slot, int32_t location,
                                    const struct expression **);
MUST_USE enum status build_column(struct analysis *, struct type, uint16_t source, uint16_t column,
                                  int32_t location, const struct expression **);
/* AND of both, either of which may be NULL. */
MUST_USE enum status build_and(struct analysis *, const struct expression *,
                               const struct expression *, int32_t location,
                               const struct expression **);
/* An operator or built-in function by name, its arguments cast. */
MUST_USE enum status build_apply(struct analysis *, const char *name,
                                 const struct expression *const *arguments, uint32_t count,
                                 int32_t location, const struct expression **);
/* Wraps it in a cast; does nothing where none is needed. Literals are cast at once. */
MUST_USE enum status build_choice(struct analysis *, const struct operator_choice *,
                                  int32_t location, const struct expression **);
MUST_USE enum status build_cast(struct analysis *, struct type, enum cast_context, int32_t location,
                                const struct expression **);
/* For WHERE and the like: "argument of WHERE must be type boolean, not type integer". */
MUST_USE enum status build_condition(struct analysis *, const char *what, int32_t location,
                                     const struct expression **);
/* An untyped literal that nobody has given a type is text. */
MUST_USE enum status build_settled(struct analysis *, int32_t location, const struct expression **);
bool expression_equal(const struct expression *, const struct expression *);
bool expression_has_call(const struct expression *);

MUST_USE enum status analyze_type(struct analysis *, const PgQuery__TypeName *, struct type *);

/* --- Names (analyze_name.c) --- */

/* The number, or UINT32_MAX. */
uint32_t find_table(const struct analysis *, struct text name);
uint32_t find_column(const struct schema_table *, struct text name);
uint32_t find_function(const struct analysis *, struct text name);
MUST_USE enum status analyze_column_name(struct analysis *, const struct schema_table *,
                                         struct text name, int32_t location, uint16_t *column);
MUST_USE enum status analyze_column_ref(struct analysis *, struct name_scope *,
                                        const PgQuery__ColumnRef *, const struct expression **);
MUST_USE enum status analyze_param_ref(struct analysis *, const struct name_scope *,
                                       const PgQuery__ParamRef *, const struct expression **);
/* A variable of the innermost block that has one of that name. */
const struct named *find_variable(const struct names *, struct text name);

/* --- Expressions --- */

MUST_USE enum status analyze_expression(struct analysis *, struct name_scope *,
                                        const PgQuery__Node *, const struct expression **);
MUST_USE enum status analyze_call(struct analysis *, struct name_scope *, const PgQuery__FuncCall *,
                                  const struct expression **);
/* Expressions of a list. */
MUST_USE enum status analyze_list(struct analysis *, struct name_scope *,
                                  PgQuery__Node *const *nodes, size_t count,
                                  const struct expression ***);

/* --- Queries --- */

/* The text of a piece must be one statement; close the tree. */
MUST_USE enum status parse_piece(struct analysis *, PgQuery__ParseResult **,
                                 const PgQuery__Node **statement);
MUST_USE enum status analyze_query(struct analysis *, struct routine *, const PgQuery__Node *,
                                   const struct query **);
MUST_USE enum status analyze_select(struct analysis *, struct routine *,
                                    const PgQuery__SelectStmt *, struct select *);
MUST_USE enum status analyze_insert(struct analysis *, struct routine *,
                                    const PgQuery__InsertStmt *, struct insert *);
MUST_USE enum status analyze_update(struct analysis *, struct routine *,
                                    const PgQuery__UpdateStmt *, struct update *);
MUST_USE enum status analyze_delete(struct analysis *, struct routine *,
                                    const PgQuery__DeleteStmt *, struct delete *);
/* What SELECT or RETURNING lists, with * written out. */
MUST_USE enum status analyze_outputs(struct analysis *, struct name_scope *,
                                     PgQuery__Node *const *nodes, size_t count,
                                     const struct output **, uint32_t *output_count);
MUST_USE enum status analyze_source(struct analysis *, const PgQuery__RangeVar *, struct source *);
/* Outputs of a query; NULL and 0 where it gives no rows. */
uint32_t query_outputs(const struct query *, const struct output **);

/* --- Statements --- */

MUST_USE enum status analyze_table(struct analysis *, const PgQuery__CreateStmt *);
/* The body of a function, whose header has been read. `statement` is all of CREATE FUNCTION. */
MUST_USE enum status analyze_body(struct analysis *, struct function *, struct text statement,
                                  struct text body, size_t body_offset);

#endif
