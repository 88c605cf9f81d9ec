/*
 * row_keys: which rows a filter can mean, by their primary keys, and how rows stand in histories.
 *
 *     id IN (3, 4) AND name = 'ada'      the key (id, name) is pinned: t/3/ada, t/4/ada
 *     id = 3                             it is not: which rows there are must be looked up
 *
 * For who keeps rows under the names that they have in histories (history/tables.h).
 */
#ifndef PROGRAMS_MACHINE_ROW_KEYS_H
#define PROGRAMS_MACHINE_ROW_KEYS_H

#include "history/builder.h"
#include "history/tables.h"
#include "programs/machine/condition.h"
#include "programs/sql/schema.h"

#define ROW_KEYS_MAX 1024 /* that a filter is turned into */

/* The values that one column of the key can have, where a filter says so. */
struct key_part {
    const struct datum *values;
    uint32_t count;
    struct datum pinned;
};

struct key_parts {
    struct key_part at[TABLE_KEY_COLUMN_COUNT_MAX];
};

/* Appends the parts of a key, joined by slashes; `parts` are those of the table's key, in its order. */
void row_key_spell(const struct schema_table *, const struct datum *const *parts, struct buffer *);
/* The key's columns of a row. */
void row_key_of(const struct schema_table *, const struct datum *row, const struct datum **parts);

/* False: the filter does not pin the key, or to more than ROW_KEYS_MAX. */
bool row_keys_pin(const struct schema *, const struct filter *, struct key_parts *);
uint32_t row_keys_count(const struct schema_table *, const struct key_parts *);
/* Of all combinations the number `place`: the last part varies first. */
void row_keys_choose(const struct schema_table *, const struct key_parts *, uint32_t place,
                     const struct datum **parts);

/* --- In histories ------------------------------------------------------------------------------ */

/* A table with its columns and its key. The buffer is scratch. */
MUST_USE enum status row_tell_table(struct builder *, const struct schema_table *, struct buffer *,
                                    uint32_t *table, struct error *);
MUST_USE enum status row_tell_cell(struct builder *, const struct datum *, struct value *,
                                   struct error *);
/* All of a row; `scratch` has room for a value for each column. */
MUST_USE enum status row_tell(struct builder *, uint32_t table, const struct datum *cells,
                              uint16_t count, struct value *scratch, struct value *,
                              struct error *);

#endif
