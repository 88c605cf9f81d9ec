/*
 * split_rows: what a transaction may have left in each row, where what it leaves of one row may go with anything that
 * it leaves of another.
 *
 *     runs    x = 1, y = 1;  x = 2;  x = 1, y = 3
 *     rows    x: 1 or 2, always written      y: 1 or 3, or not written
 */
#ifndef VERIFY_CALLS_SPLIT_ROWS_PRIVATE_H
#define VERIFY_CALLS_SPLIT_ROWS_PRIVATE_H

#include "verify/calls/audit_replay_private.h"

struct split_content {
    struct row_entry *entry;
    const struct packed *row;
    uint32_t next; /* with the same slot: its number, from 1 */
};

struct split_row {
    struct row_entry *entry;
    uint64_t runs;  /* that write it */
    uint32_t count; /* of its contents */
};

struct split_rows {
    struct split_content *contents;
    uint32_t content_count, content_room;
    uint32_t *slots; /* of contents, by hash: numbers from 1 */
    struct split_row *rows;
    uint32_t row_count, row_room;
    uint64_t runs;
    bool is_overfull; /* some row has too many contents */
};

/* There are no runs. */
void split_rows_begin(struct split_rows *, struct arena *);
/* One more, which wrote that. True: something is new, be it that some row is not written in all runs any more. */
bool split_rows_add(struct split_rows *, struct arena *, const struct written_rows *);
/* Whether all runs write a row that one does. */
bool split_rows_always(const struct split_rows *, const struct row_entry *);

#endif
