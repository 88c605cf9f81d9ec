/*
 * access: which tables and columns a function may read and write.
 *
 * All that is in its text counts, whatever way it takes when it is run, and so
 * do the functions that it calls. What constraints look at counts as read: keys
 * and uniques of rows that are written, and the rows on the other side of a
 * foreign key.
 */
#ifndef PROGRAMS_SQL_ACCESS_H
#define PROGRAMS_SQL_ACCESS_H

#include "base/arena.h"
#include "base/error.h"
#include "programs/sql/tree.h"

/* Of one function to one table. */
struct access {
    bool reads, inserts, updates, deletes, locks;
    bool *columns_read, *columns_written; /* as many as the table has columns */
};

/* One for each function and table: that of function f to table t is at [f * table_count + t]. */
MUST_USE enum status access_find(const struct program_tree *, struct arena *,
                                 const struct access **, struct error *);

#endif
