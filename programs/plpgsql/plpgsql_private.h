/*
 * plpgsql: bodies of functions, from libpg_query's JSON to tree.h.
 *
 *     plpgsql.c            a body: its blocks and its statements
 *     plpgsql_variable.c   its variables, which fields a record has where, and the SQL in it
 *     plpgsql_cursor.c     explicit cursors
 *
 * The JSON numbers a function's variables in the order of the text ("datums")
 * but does not say to which block they belong, so whoever walks the statements
 * claims them in this same order. It gives lines of statements and verbatim
 * texts of expressions; these are looked for in the body from the statement's
 * line on, which gives every error its column.
 *
 * What the JSON leaves out is refused beforehand by looking at the words of the
 * body: ALIAS, how a record is declared, and options
 * (#variable_conflict).
 *
 * A record is a variable in the JSON of libpg_query 15, and a PLpgSQL_rec in that
 * of 17; as the target of a row it is a row of one field in 15. Assignments to its
 * fields cannot be parsed by 15, and are refused with the same words where 17 can.
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

enum cursor_kind { CURSOR_DECLARED, CURSOR_OPEN, CURSOR_FETCH, CURSOR_CLOSE, CURSOR_LOOP };

/* What stands in the body about a cursor (plpgsql_cursor.c). By numbers of tokens; up to the second one of a pair, and none where they are equal. */
struct cursor_words {
    enum cursor_kind kind;
    uint32_t first, end; /* all that libpg_query does not see */
    uint32_t name;
    uint32_t arguments, arguments_end;
    uint32_t query, query_end;
};

struct plpgsql_reader {
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

    ARRAY(struct analyze_record *) records;
    ARRAY(struct cursor_words) cursors;
    const struct nest *nest;
    unsigned depth; /* of statements */
};

/* Whether a token is a word, in whatever case. */
bool plpgsql_is_word(const struct plpgsql_reader *, const struct sql_token *, struct text word);

/* Says what libpg_query has against the body, and where. */
MUST_USE enum status plpgsql_refuse_body(struct plpgsql_reader *, const struct sql_fault *);

/* --- JSON --- */

const char *plpgsql_json_text(const cJSON *object, const char *name); /* or NULL */
uint32_t plpgsql_json_number(const cJSON *object, const char *name);  /* or 0 */
bool plpgsql_json_is(const cJSON *object, const char *name);          /* there and true */

/* --- Variables (plpgsql_variable.c) --- */

/* What all records are at some point. */
struct shapes {
    const struct shape **at;
    size_t count;
};

/* --- Statements --- */

MUST_USE enum status plpgsql_read_statements(struct plpgsql_reader *, const cJSON *array, struct block *);
MUST_USE enum status plpgsql_read_block(struct plpgsql_reader *, const cJSON *block, bool is_outermost,
                                        struct block *);

#endif
