/*
 * plpgsql: bodies of functions, from libpg_query's JSON to tree.h.
 *
 *     plpgsql.c            a body: its parts, its blocks
 *     plpgsql_statement.c  its statements, plpgsql_raise.c one of them
 *     plpgsql_variable.c   its variables, and which fields a record has where
 *     plpgsql_piece.c      the SQL in it
 *
 * The JSON numbers a function's variables in the order of the text ("datums")
 * but does not say to which block they belong, so whoever walks the statements
 * claims them in this same order. It gives lines of statements and verbatim
 * texts of expressions; these are looked for in the body from the statement's
 * line on, which gives every error its column.
 *
 * What the JSON leaves out is refused beforehand by looking at the words of the
 * body: ALIAS, and options (#variable_conflict). libpg_query 15-4 itself cannot
 * parse explicit cursors, nor assignments to fields of a record.
 */
#ifndef PROGRAMS_PLPGSQL_PLPGSQL_PRIVATE_H
#define PROGRAMS_PLPGSQL_PLPGSQL_PRIVATE_H

#include <cjson/cJSON.h>

#include "programs/sql/analyze.h"

/* A loop or labelled block that EXIT and CONTINUE may name. */
struct nest {
    const char *label; /* or NULL */
    bool is_loop;
    const struct nest *outer;
};

struct reader {
    struct analysis *a;
    struct routine routine;
    struct text body;
    size_t body_offset; /* in the file */
    uint32_t body_line; /* of the file, where the body begins */
    struct sql_tokens tokens;
    struct piece whole; /* the body */
    struct piece here;  /* the statement that is read: a line without columns */
    size_t cursor;      /* behind the last text that was found in the body */

    const cJSON **datums;
    struct named **claimed; /* of each datum: what it is in the function, or NULL */
    uint32_t datum_count, next_datum;
    uint32_t begin_line; /* of the block around, in the body */

    ARRAY(struct record *) records;
    const struct nest *nest;
    unsigned depth; /* of statements */
};

/* --- JSON --- */

const char *json_text(const cJSON *object, const char *name); /* or NULL */
uint32_t json_number(const cJSON *object, const char *name);  /* or 0 */
bool json_is(const cJSON *object, const char *name);          /* there and true */

/* --- SQL in the body (plpgsql_piece.c) --- */

/* From here on, errors without a place of their own are about this line of the body. */
void read_line(struct reader *, const cJSON *statement);
uint32_t line_here(const struct reader *);

/* `object` holds a PLpgSQL_expr. The expression is cast as PL/pgSQL casts to variables. */
MUST_USE enum status read_expression(struct reader *, const cJSON *object, const struct type *to,
                                     const struct expression **);
/* The right side of "x := ...". */
MUST_USE enum status read_assigned(struct reader *, const cJSON *object, struct type to,
                                   const struct expression **);
MUST_USE enum status read_query(struct reader *, const cJSON *object, const struct query **);

/* --- Variables (plpgsql_variable.c) --- */

/* The parameters and FOUND. */
MUST_USE enum status claim_parameters(struct reader *, const struct function *);
/* What a block whose BEGIN stands on this line declares; defaults become actions if there is room. */
MUST_USE enum status claim_declared(struct reader *, uint32_t begin_line, struct names *,
                                    bool is_outermost, struct action *actions, uint32_t *count);
uint32_t count_declared(const struct reader *, uint32_t begin_line);
/* Where a block begins in the line of the one around it, such a variable may be of either. */
bool has_declared_on(const struct reader *, uint32_t line);
MUST_USE enum status claim_loop_variable(struct reader *, const char *name, struct names *,
                                         uint32_t *slot);
MUST_USE enum status add_variable(struct reader *, struct names *, struct text name, struct type,
                                  struct named **);
MUST_USE enum status find_claimed(struct reader *, uint32_t datum, struct named **);
/* The variables that a query's rows go into. */
MUST_USE enum status read_into(struct reader *, const cJSON *target, const struct query *,
                               bool strict, const struct into **);

/* What all records are at some point. */
struct shapes {
    const struct shape **at;
    size_t count;
};

MUST_USE enum status shapes_save(struct reader *, struct shapes *);
void shapes_restore(struct reader *, const struct shapes *);
/* Where both ways meet: what is not the same is uncertain. */
void shapes_merge(struct reader *, const struct shapes *other);
/* After a loop or before it comes round again: what is given rows within is uncertain. */
void shapes_blur(struct reader *, const cJSON *statements);

/* --- Statements --- */

MUST_USE enum status read_statements(struct reader *, const cJSON *array, struct block *);
MUST_USE enum status read_block(struct reader *, const cJSON *block, bool is_outermost,
                                struct block *);
MUST_USE enum status read_raise(struct reader *, const cJSON *raise, struct action *);

#endif
