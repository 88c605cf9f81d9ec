/*
 * reader: programs and statements, from the trees of PostgreSQL's parser to formulas.
 *
 *     reader.c          texts to trees; types
 *     read_formula.c    expressions
 *     read_query.c      SELECT, and what writes
 *     read_uses.c       which columns make a difference to these
 *     read_routine.c    bodies of functions
 *     read_cursor.c     cursors in them
 *     read_catalog.c    a file of tables and functions
 *
 * What it does not know it refuses by trap_unknown(), and the whole verification is undecided.
 */
#ifndef VERIFY_CALLS_READER_PRIVATE_H
#define VERIFY_CALLS_READER_PRIVATE_H

#include <cjson/cJSON.h>
#include <pg_query/pg_query.pb-c.h>

#include "verify/calls/formula_private.h"

/* The sources of a query, and of those around it. */
struct reader_scope {
    const struct reader_scope *outer;
    const struct from_source *sources;
    uint32_t source_count;
    struct selection *selection; /* where aggregates may stand, or NULL */
    struct formula **aggregates;
    uint32_t aggregate_room;
};

/* What is declared as a cursor. */
struct reader_cursor {
    bool is_bound, is_looping;
    const struct statement *statement; /* NULL: none yet */
    const uint32_t *slots;             /* of its arguments */
    uint32_t argument_count;
};

/* Variables in sight, the innermost first. */
struct reader_name {
    struct text name;
    const char *label; /* of its block */
    uint32_t slot;
    const struct shape *shape; /* of a record, as last given; NULL: none yet */
    bool is_record;
    struct reader_cursor *cursor; /* or NULL */
    struct reader_name *next;
};

struct reader {
    struct trap *trap;
    struct arena *arena;
    struct workbench bench;
    struct catalog *catalog;
    struct text file;
    struct routine *routine; /* whose body is read, or NULL */
    struct reader_name *names;
    struct reader_tree *trees; /* to be freed by reader_close() */
    cJSON *json;
    bool saw_subquery_table, saw_call; /* since it was last set to false */
};

void reader_close(struct reader *);

/* The only statement of a text; its tree lives until reader_close(). */
PgQuery__Node *reader_parse(struct reader *, struct text sql);
PgQuery__ParseResult *reader_parse_all(struct reader *, struct text sql);
void *reader_take(struct reader *, size_t count, size_t size);
struct text reader_keep(struct reader *, struct text);
struct text reader_keep_buffer(struct reader *, struct buffer *); /* which is closed; "" without memory */
const char *reader_string(const PgQuery__Node *); /* of a String, or "" */
struct item_type reader_type(struct reader *, const PgQuery__TypeName *);
_Noreturn void reader_refuse(struct reader *, const char *what);

/* --- Expressions --- */

struct formula *read_formula(struct reader *, const struct reader_scope *, const PgQuery__Node *);
struct formula *read_truth(struct reader *, const struct reader_scope *, const PgQuery__Node *);
/* As that type; CAST_IS_ASSIGNMENT where it is stored. */
struct formula *read_as(struct reader *, struct formula *, struct item_type, enum cast);
/* Literals that have met no type are texts. */
struct formula *read_settled(struct reader *, struct formula *);
struct item_type read_common_type(struct reader *, struct formula *const *, uint32_t count);
struct formula *read_new(struct reader *, enum formula_kind, struct item_type, uint32_t arguments);
struct formula *read_column(struct reader *, uint32_t depth, uint32_t source, uint32_t column,
                            struct item_type);

/* Something depends on what is in this column of a source. */
void read_look_at(const struct from_source *, uint32_t column);

/* --- Queries --- */

const struct selection *read_selection(struct reader *, const struct reader_scope *outer,
                                       const PgQuery__SelectStmt *);
const struct statement *read_statement(struct reader *, const PgQuery__Node *);

/* --- Routines --- */

void read_routine(struct reader *, struct routine *, const PgQuery__CreateFunctionStmt *,
                  struct text statement);

/* --- Files --- */

/* The number of a column. */
uint32_t read_place(struct reader *, const struct relation *, const char *name);

/* Into the reader's catalog. */
void read_catalog(struct reader *, struct text file);

#endif
