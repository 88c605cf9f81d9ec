/*
 * tables: what the rows of a table look like, and how their keys are spelled.
 *
 *     table t (id bigint, name text), key (id, name)
 *     row   {"id":7,"name":"a/b"}  has the key  t/7/a%2Fb
 *
 * A key is the table's name and its key columns' values, joined by slashes;
 * slash and percent within them are %2F and %25. There is one spelling for each
 * row. A struct tables is a view of the columns of a history, whole or not yet:
 * builder and history_check() ask the same questions here.
 */
#ifndef HISTORY_TABLES_H
#define HISTORY_TABLES_H

#include "base/intern.h"
#include "base/text.h"
#include "history/history.h"

#define TABLE_KEY_COLUMN_COUNT_MAX 32 /* so that a scan of them needs no excuse */

struct tables {
    const struct intern *names; /* the numbers are the tables' */
    const uint32_t *column_start, *column_name, *column_type;
    const uint8_t *column_kind;
    const uint32_t *key_start, *key_column;
    struct text (*text)(const void *owner, uint32_t number);
    const void *owner;
};

/* What the values of a column of this SQL type are; false: no type we know. */
bool tables_column_kind(struct text type, enum column_kind *);

bool tables_type_is_numeric(struct text type);
/* "-12.30": what a numeric column's text must look like. */
bool tables_is_decimal(struct text);

/* Appends the text with slash and percent escaped. */
void tables_spell_text(struct buffer *, struct text);
/* Appends one part of a key; the text counts for VALUE_TEXT alone. */
void tables_spell_part(struct buffer *, struct value, struct text);

/* The table that the key is a row of, by its first part, or HISTORY_NONE. */
uint32_t tables_of_key(const struct tables *, struct text key, struct buffer *scratch);

/* Refuses a key of the table that no row could have. */
MUST_USE enum status tables_check_key(const struct tables *, uint32_t table, struct text key,
                                      struct error *);
/* Refuses a value that the column (counted within the table) cannot hold. */
MUST_USE enum status tables_check_cell(const struct tables *, uint32_t table, uint32_t column,
                                       struct value, struct error *);
/* A row of a table, by its cells. */
struct tables_row {
    uint32_t table;
    const uint8_t *cell_kind;
    const int64_t *cell_value;
};

/* Refuses a row whose key columns do not spell this key. */
MUST_USE enum status tables_check_row_key(const struct tables *, struct tables_row, struct text key,
                                          struct buffer *scratch, struct error *);

#endif
