/*
 * type: the types of SQL that programs can use.
 *
 * Declared ones are smallint, integer, bigint, numeric, numeric(p,s), text,
 * varchar, varchar(n), boolean, timestamp and bigint[], under all the names
 * PostgreSQL has for them. Three more have no columns: unknown, of a literal
 * in quotes or NULL before its neighbours tell what it is; void, of functions
 * that return nothing; and record. All others are refused by name.
 */
#ifndef PROGRAMS_VALUES_TYPE_H
#define PROGRAMS_VALUES_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "programs/values/sql_error.h"

/* The numbers stand in the order in which they turn into each other. */
enum type_kind {
    TYPE_UNKNOWN,
    TYPE_SMALLINT,
    TYPE_INTEGER,
    TYPE_BIGINT,
    TYPE_NUMERIC,
    TYPE_TEXT,
    TYPE_VARCHAR,
    TYPE_BOOLEAN,
    TYPE_TIMESTAMP,
    TYPE_BIGINT_ARRAY,
    TYPE_VOID,
    TYPE_RECORD,
    TYPE_KIND_COUNT
};

struct type {
    enum type_kind kind;
    uint32_t length;   /* of varchar(n), in characters; 0: any */
    uint8_t precision; /* of numeric(p,s), 1 to 38; 0: any value with its own scale */
    int8_t scale;      /* of numeric(p,s) */
};

#define TYPE_PRINT_MAX 64 /* bytes, with the zero */

static inline struct type type_of(enum type_kind kind)
{
    return (struct type){ .kind = kind };
}

static inline bool type_is_integer(enum type_kind kind)
{
    return kind >= TYPE_SMALLINT && kind <= TYPE_BIGINT;
}

static inline bool type_is_number(enum type_kind kind)
{
    return kind >= TYPE_SMALLINT && kind <= TYPE_NUMERIC;
}

static inline bool type_is_text(enum type_kind kind)
{
    return kind == TYPE_TEXT || kind == TYPE_VARCHAR;
}

bool type_equal(struct type, struct type);

/* A type as SQL writes it: "int8", "numeric(10, 2)", "character varying(3)", "bigint[]". */
MUST_USE enum status type_parse(struct text, struct type *, struct sql_error *);

/* The name in PostgreSQL's messages: "character varying", "timestamp without time zone". */
const char *type_name(enum type_kind);

/* The same with its length or precision. Returns `to`. */
const char *type_print(struct type, char to[static TYPE_PRINT_MAX]);

#endif
