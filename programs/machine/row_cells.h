/*
 * row_cells: the cells of a row in one block: first the cells, and behind them their texts and arrays.
 */
#ifndef PROGRAMS_MACHINE_ROW_CELLS_H
#define PROGRAMS_MACHINE_ROW_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "programs/values/datum.h"

/*
 * The size of the block. A text that is the same in `before`, a block that lasts as long, stands only there;
 * NULL: there is none.
 */
size_t row_cells_bytes(const struct datum *, uint32_t count, const struct datum *before);
/* Fills a block of so many bytes. */
void row_cells_copy(struct datum *block, const struct datum *, uint32_t count, const struct datum *before);

#endif
