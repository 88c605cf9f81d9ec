/*
 * item: a value of SQL, and what PostgreSQL computes with it.
 *
 * Numbers are exact: integers of 64 bits, and decimals of up to 38 digits with their own scale, since
 * PostgreSQL prints the zeros at the end. What would need more is not known here. Texts are ordered
 * by bytes. Types are known where expressions are (formula_private.h); an item says only how it is kept.
 */
#ifndef VERIFY_CALLS_ITEM_PRIVATE_H
#define VERIFY_CALLS_ITEM_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/text.h"
#include "verify/calls/trap_private.h"

enum item_kind {
    ITEM_NULL, /* so a zeroed item is null */
    ITEM_BOOLEAN,
    ITEM_INTEGER,
    ITEM_TIMESTAMP, /* microseconds since 1970 */
    ITEM_NUMERIC,
    ITEM_TEXT,
    ITEM_ARRAY, /* of integers and nulls */
    ITEM_RECORD,
};

struct item {
    uint8_t kind; /* enum item_kind */
    uint8_t scale;
    uint32_t length; /* bytes of a text, elements of an array or record */
    union {
        int64_t integer;
        __int128 number;
        const char *text;
        const struct item *elements;
    } as;
};

/* Numbers stand in the order in which they turn into each other. */
enum kind {
    KIND_UNKNOWN, /* a literal, or null, that has no type yet */
    KIND_SMALLINT,
    KIND_INTEGER,
    KIND_BIGINT,
    KIND_NUMERIC,
    KIND_TEXT,
    KIND_VARCHAR,
    KIND_BOOLEAN,
    KIND_TIMESTAMP,
    KIND_ARRAY, /* bigint[] */
    KIND_VOID,
    KIND_RECORD,
};

struct item_type {
    enum kind kind;
    uint32_t length;   /* of varchar(n), or 0 */
    uint8_t precision; /* of numeric(p,s), or 0 */
    uint8_t scale;
};

enum cast { CAST_IS_IMPLICIT, CAST_IS_ASSIGNMENT, CAST_IS_EXPLICIT };

/* What computing needs: where it goes when it fails, and memory for what is new. */
struct workbench {
    struct trap *trap;
    struct arena *arena;
};

static inline bool kind_is_integer(enum kind kind)
{
    return kind >= KIND_SMALLINT && kind <= KIND_BIGINT;
}

static inline bool kind_is_number(enum kind kind)
{
    return kind >= KIND_SMALLINT && kind <= KIND_NUMERIC;
}

static inline bool kind_is_text(enum kind kind)
{
    return kind == KIND_TEXT || kind == KIND_VARCHAR;
}

static inline bool item_is_null(const struct item *item)
{
    return item->kind == ITEM_NULL;
}

static inline struct item item_null(void)
{
    return (struct item){ .kind = ITEM_NULL };
}

static inline struct item item_boolean(bool truth)
{
    return (struct item){ .kind = ITEM_BOOLEAN, .as.integer = truth };
}

static inline struct item item_integer(int64_t integer)
{
    return (struct item){ .kind = ITEM_INTEGER, .as.integer = integer };
}

static inline struct item item_numeric(__int128 number, unsigned scale)
{
    return (struct item){ .kind = ITEM_NUMERIC, .scale = (uint8_t)scale, .as.number = number };
}

static inline struct item item_text(struct text text)
{
    return (struct item){
        .kind = ITEM_TEXT, .length = (uint32_t)text.length, .as.text = text.at
    };
}

static inline struct text item_text_of(const struct item *item)
{
    return (struct text){ item->as.text, item->length };
}

static inline bool item_is_true(const struct item *item)
{
    return item->kind == ITEM_BOOLEAN && item->as.integer;
}

/* Of two that are not null: below, at or above zero. Integers and decimals may be mixed. */
int item_compare(const struct item *, const struct item *);
/* Nulls are equal to each other. */
bool item_same(const struct item *, const struct item *);
/* And printed alike: 1.0 and 1.00 are the same, and are not. */
bool item_identical(const struct item *, const struct item *);
uint64_t item_hash(const struct item *);

/* As PostgreSQL sends it to a client. */
void item_print(const struct item *, struct buffer *);

struct item item_cast(const struct workbench *, struct item, struct item_type to, enum cast);

/* --- Numbers (item_number.c) --- */

/* `+ - * / %` of two that are not null, in a type of numbers. */
struct item item_compute(const struct workbench *, char operation, enum kind, struct item,
                         struct item);
struct item item_to_numeric(struct item);
struct item item_fit_integer(const struct workbench *, __int128, enum kind);
/* To so many digits behind the point, half away from zero; below zero: before it. */
struct item item_round(const struct workbench *, struct item, int64_t scale);
struct item item_floor(struct item);
struct item item_parse_numeric(const struct workbench *, struct text);
struct item item_fit_numeric(const struct workbench *, struct item, struct item_type);

/* --- Texts (item_text.c) --- */

size_t item_characters(struct text);
/* Bytes of so many characters, or of all. */
size_t item_clip(struct text, size_t characters);
struct item item_substring(const struct workbench *, struct text, int64_t start, bool has_length,
                           int64_t length);
struct item item_lpad(const struct workbench *, struct text, int64_t length, struct text fill);
struct item item_concatenate(const struct workbench *, struct text, struct text);
/* Of ASCII letters, as in the collation C. */
struct item item_change_case(const struct workbench *, struct text, bool to_upper);
struct item item_like_escape(const struct workbench *, struct text pattern, struct text escape);
bool item_like(const struct workbench *, struct text, struct text pattern);

#endif
