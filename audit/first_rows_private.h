/*
 * first_rows: rows that a database may have had at first, of a log that does not say which there were.
 *
 * Somebody guesses them (guess_private.h). An audit begins with them as it does with rows that a log has.
 */
#ifndef AUDIT_FIRST_ROWS_PRIVATE_H
#define AUDIT_FIRST_ROWS_PRIVATE_H

#include "audit/rows_private.h"
#include "base/map.h"

#define FIRST_ROWS_NONE UINT32_MAX

/* How a column got what it has. */
enum fixed {
    FIXED_NOT,      /* it is what a new row has */
    FIXED_TOGETHER, /* chosen among others that would have done as well */
    FIXED_ALONE,    /* nothing else could have been changed */
};

struct first_row {
    uint32_t table;
    bool is_there;
    const struct datum *cells;
    uint8_t *fixed; /* by column: enum fixed */
    uint32_t next;  /* the next one whose key has the same hash, or FIRST_ROWS_NONE */
};

struct first_rows {
    const struct schema *schema;
    ARRAY(struct first_row) list;
    struct map by_key;
    struct heap heap; /* of their cells */
};

void first_rows_open(struct first_rows *, const struct schema *);
void first_rows_close(struct first_rows *);

/* The row with this key, or FIRST_ROWS_NONE. Of `cells` only the key is looked at. */
uint32_t first_rows_find(const struct first_rows *, uint32_t table, const struct datum *cells);
/* Adds one that is not there, with nothing in it but its key. */
MUST_USE enum status first_rows_add(struct first_rows *, uint32_t table, const struct datum *key, uint32_t *row,
                                    struct error *);
/* Cells that stay as long as the rows. */
MUST_USE enum status first_rows_copy(struct first_rows *, uint32_t table, const struct datum *, struct datum **,
                                     struct error *);

/* Rows that by a unique column cannot stand beside an earlier one are not there. */
MUST_USE enum status first_rows_drop_twins(struct first_rows *, struct error *);

MUST_USE enum status first_rows_put(const struct first_rows *, struct rows *, struct error *);
uint64_t first_rows_count(const struct first_rows *);

#endif
