/*
 * schema: the tables a program declares.
 *
 * Everything is numbered in the order of the file and lives in the program's
 * arena. Rows are arrays of datums in the order of the columns.
 *
 * Rows must have names. Those of a table without a primary key are numbered: the
 * number is in a column behind all others that stands for the key. No statement can
 * name it, and * leaves it out.
 */
#ifndef PROGRAMS_SQL_SCHEMA_H
#define PROGRAMS_SQL_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "programs/values/type.h"

struct expression; /* programs/sql/tree.h */

struct schema_column {
    struct text name;
    struct type type;
    bool not_null;                        /* also of every column of the primary key */
    bool is_always_generated;             /* GENERATED ALWAYS: nobody says what it is */
    const struct expression *default_value; /* of the column's type, or NULL: null */
};

/* A set of columns, by number, in the order declared. */
struct schema_columns {
    const uint16_t *at;
    uint16_t count;
};

static inline bool schema_has_column(struct schema_columns columns, uint16_t column)
{
    for (uint16_t i = 0; i < columns.count; i++)
        if (columns.at[i] == column)
            return true;
    return false;
}

struct schema_unique {
    struct text name; /* t_b_key, as PostgreSQL would name it */
    struct schema_columns columns;
};

/* Not false for any row. Columns are those of source 0. */
struct schema_check {
    struct text name; /* t_b_check, or t_check where it is not about one column */
    const struct expression *condition; /* boolean */
};

struct schema_reference {
    struct text name; /* t_b_fkey */
    uint32_t from, to;                      /* tables */
    struct schema_columns columns, targets; /* targets are to's primary key or one of its uniques */
};

struct schema_table {
    struct text name;
    const struct schema_column *columns;
    uint16_t column_count;
    bool is_numbered; /* the last column is the row's number, and the key */
    struct schema_columns key;
    struct text key_name; /* t_pkey */
    const struct schema_unique *uniques;
    uint16_t unique_count;
    const struct schema_check *checks; /* in the order of their names, in which they are looked at */
    uint16_t check_count;
};

/* The columns that statements know. */
static inline uint16_t schema_shown(const struct schema_table *table)
{
    return table->column_count - table->is_numbered;
}

/*
 * From where on somebody numbers the rows that it inserts: a client, or a transaction, by its own number from 1. Those
 * before belong to the rows that were there at first.
 */
static inline int64_t schema_first_row(uint64_t owner)
{
    return (int64_t)owner * 1000000000 + 1;
}

/* What gives out numbers: CREATE SEQUENCE, or a column that is serial or an identity. */
struct schema_sequence {
    struct text name; /* t_b_seq */
    int64_t start, increment, low, high;
    bool cycles;
};

struct schema {
    const struct schema_table *tables;
    uint32_t table_count;
    const struct schema_reference *references; /* of all tables */
    uint32_t reference_count;
    const struct schema_sequence *sequences;
    uint32_t sequence_count;
};

#endif
