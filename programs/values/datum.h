/*
 * datum: one value of SQL.
 *
 * It says how it is represented, not its type: integers of all sizes are
 * alike, and so are text, varchar and unknown literals; types are known where
 * expressions are. Texts and arrays point into a heap or anywhere else that
 * outlives the datum; datum_copy() moves them.
 *
 * Order is that of PostgreSQL with the collation C: texts by bytes, false
 * before true, arrays by their elements with nulls last, then by length.
 */
#ifndef PROGRAMS_VALUES_DATUM_H
#define PROGRAMS_VALUES_DATUM_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "programs/values/heap.h"
#include "programs/values/numeric.h"
#include "programs/values/type.h"

enum datum_kind {
    DATUM_NULL, /* so a zeroed datum is null */
    DATUM_INTEGER,
    DATUM_BOOLEAN,   /* 0 or 1 in `integer` */
    DATUM_TIMESTAMP, /* nanoseconds in `integer` */
    DATUM_NUMERIC,
    DATUM_TEXT,
    DATUM_ARRAY, /* of 64-bit integers and nulls, numbered from 1 */
};

struct datum {
    uint8_t kind;    /* enum datum_kind */
    uint8_t scale;   /* of a numeric */
    uint32_t length; /* bytes of a text, elements of an array */
    union {
        int64_t integer;
        __int128 digits; /* of a numeric */
        const char *text;
        struct {
            const int64_t *at;
            const uint64_t *nulls; /* a bit an element, 1: null; NULL: there are none */
        } array;
    } as;
};

_Static_assert(sizeof(struct datum) == 32, "rows are arrays of these");

static inline struct datum datum_null(void)
{
    return (struct datum){ .kind = DATUM_NULL };
}

static inline struct datum datum_of_int64(int64_t number)
{
    return (struct datum){ .kind = DATUM_INTEGER, .as.integer = number };
}

static inline struct datum datum_of_bool(bool truth)
{
    return (struct datum){ .kind = DATUM_BOOLEAN, .as.integer = truth };
}

static inline struct datum datum_of_timestamp(int64_t time_ns)
{
    return (struct datum){ .kind = DATUM_TIMESTAMP, .as.integer = time_ns };
}

static inline struct datum datum_of_numeric(struct numeric number)
{
    return (struct datum){ .kind = DATUM_NUMERIC,
                           .scale = (uint8_t)number.scale,
                           .as.digits = number.digits };
}

/* The text must be shorter than 4 GB. */
static inline struct datum datum_of_text(struct text text)
{
    return (
        struct datum){ .kind = DATUM_TEXT, .length = (uint32_t)text.length, .as.text = text.at };
}

static inline bool datum_is_null(const struct datum *d)
{
    return d->kind == DATUM_NULL;
}

/* What WHERE and IF ask: null is not true. */
static inline bool datum_is_true(const struct datum *d)
{
    return d->kind == DATUM_BOOLEAN && d->as.integer;
}

static inline struct numeric datum_numeric(const struct datum *d)
{
    assert(d->kind == DATUM_NUMERIC);
    return (struct numeric){ d->as.digits, d->scale };
}

static inline struct text datum_text(const struct datum *d)
{
    assert(d->kind == DATUM_TEXT);
    return (struct text){ d->as.text, d->length };
}

static inline bool datum_element_is_null(const struct datum *array, uint32_t index)
{
    return array->as.array.nulls && (array->as.array.nulls[index / 64] >> index % 64 & 1);
}

/* The element at an index from 0, which must be there. */
static inline struct datum datum_element(const struct datum *array, uint32_t index)
{
    assert(array->kind == DATUM_ARRAY && index < array->length);
    return datum_element_is_null(array, index) ? datum_null()
                                               : datum_of_int64(array->as.array.at[index]);
}

/* Below, at or above zero. Both of one kind and not null. */
int datum_compare(const struct datum *, const struct datum *);

/* Whether they are not distinct: nulls are equal to each other and to nothing else. */
bool datum_equal(const struct datum *, const struct datum *);
/* Datums that are equal have equal hashes. */
uint64_t datum_hash(const struct datum *);

MUST_USE enum status datum_copy(const struct datum *, struct heap *, struct datum *copy,
                                struct sql_error *);

/* As psql shows it: t, {1,2,NULL}; a null is nothing at all. */
void datum_print(const struct datum *, struct buffer *);
/* The same for those who have the memory: at most datum_print_room() bytes. Returns the end. */
size_t datum_print_room(const struct datum *);
char *datum_write(char *to, const struct datum *);

/* A datum of the type from what a literal in quotes says; length and precision do not matter. */
MUST_USE enum status datum_parse(struct text, enum type_kind, struct heap *, struct datum *,
                                 struct sql_error *);

#endif
