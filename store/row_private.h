/*
 * row: rows as bytes, as they stand in messages, logs and versions.
 *
 * Cells in the order of the table's columns, each a byte for its kind and what
 * the kind needs. Equal rows have equal bytes.
 *
 *     null        0
 *     integer     1, the number zigzagged              timestamp   3, likewise
 *     boolean     2, 0 or 1
 *     numeric     4, scale, low and high half of its digits, zigzagged as one
 *     text        5, length, bytes
 *     array       6, twice the length and whether it has nulls, the null bits, the elements
 */
#ifndef STORE_ROW_PRIVATE_H
#define STORE_ROW_PRIVATE_H

#include "programs/values/datum.h"
#include "store/wire_private.h"

void row_put(struct wire_writer *, const struct datum *cells, uint16_t count);
/* Texts are views into the bytes; arrays are copied into the heap. False: these are no such row. */
bool row_get(struct text bytes, struct datum *cells, uint16_t count, struct heap *);

/*
 * The same for some columns only, which rise; the other cells are left as they are. What stands
 * behind the last of these columns is not looked at.
 */
bool row_get_some(struct text bytes, const uint16_t *columns, uint16_t column_count,
                  struct datum *cells, struct heap *);

/* Goes past a cell. */
void row_skip_cell(struct wire_reader *);
/* The integer, boolean or timestamp at hand. False: it is null, or none of them. */
bool row_get_integer(struct wire_reader *, int64_t *);

#endif
