/*
 * row_indexes: by which columns the rows of each table are to be found.
 *
 * By the primary key; by the columns of each unique constraint and of each reference; and, if it is
 * said which functions are called, by the columns that their queries pin.
 */
#ifndef PROGRAMS_MACHINE_ROW_INDEXES_H
#define PROGRAMS_MACHINE_ROW_INDEXES_H

#include "programs/machine/program.h"
#include "programs/machine/row_index.h"

/* Of one table; the first is that of the primary key. */
struct row_indexes {
    struct row_index *at;
    uint32_t count, room;
};

/*
 * One for each table, empty. `is_called` is by function, or NULL; those that they call need not be
 * there. To be closed unless the status is another than STATUS_OK.
 */
MUST_USE enum status row_indexes_open(struct row_indexes **, const struct program *,
                                      const bool *is_called, struct error *);
void row_indexes_close(struct row_indexes *, const struct program *);

#endif
