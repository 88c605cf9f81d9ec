/*
 * row_states: the rows of all tables, in every state that there was.
 *
 *     entry (a table and a primary key)
 *       versions   [at 0: a row] [at 7: another] [at 9: none]
 *       own        what the transaction that runs now has made of it, or nothing
 *
 * State number s shows of each entry the last version whose position is at most s. A transaction
 * that is run writes into `own`; row_states_commit() makes versions of that, and whoever does not call it has
 * written nothing. Indexes hold an entry under each value that it ever had, and nothing is ever
 * taken out of them: whoever looks sees whether the entry has that value in the state at hand.
 */
#ifndef VERIFY_CALLS_ROW_STATES_PRIVATE_H
#define VERIFY_CALLS_ROW_STATES_PRIVATE_H

#include "verify/calls/formula_private.h"

/* An item of a row, in half of the room. */
struct packed {
    uint8_t kind, scale;
    bool is_boxed; /* a number of more than 64 bits */
    uint32_t length;
    union {
        int64_t integer;
        const char *text;
        const __int128 *number;
        const struct item *elements;
    } as;
};

struct row_version {
    uint32_t position;
    bool is_open;             /* nobody knows what is in it; of row_states_offer(), as are the others: */
    bool is_sure;             /* who has this position writes the row in any case */
    const struct packed *row; /* NULL: absent */
    uint64_t outcomes;        /* those that leave the row so, as bits */
};

struct row_entry {
    const struct relation *relation;
    const struct packed *any; /* a row with its key */
    struct row_version *versions;
    uint32_t count, room;
    uint64_t hash, own_run; /* which run wrote `own` */
    const struct packed *own;
    struct row_entry *next; /* in its bucket */
    struct projection *projections; /* possible_rows.c */
    bool is_wild;                   /* nobody knows what is in it, in any state */
    bool has_open;                  /* or in some */
    struct row_entry *next_open;    /* of the table's that are either */
};

struct row_index;

struct row_store {
    struct arena *arena;
    const struct catalog *catalog;
    struct row_entry **buckets; /* of all tables, by key */
    size_t bucket_count, entry_count;
    struct row_index **indexes; /* of each table, a list */
    uint64_t run;               /* of the transaction that runs now */
    struct row_entry **written; /* by it */
    uint32_t written_count, written_room;
    uint64_t writes; /* that were made, of all runs */
    uint64_t draws;
    struct row_entry **open_rows; /* of each table, a list */
};

/* Which state a reader sees. Rows that are named are seen in states of their own. */
struct row_exception {
    const struct relation *relation;
    const struct packed *key; /* cells in the order of the key's columns */
    uint32_t state;
};

struct row_view {
    uint32_t state;
    const struct row_exception *exceptions;
    uint32_t exception_count;
    /*
     * If it is there, it says of each row how many of its versions there are, as far as columns that are not ignored
     * tell.
     */
    uint32_t (*choose)(void *context, struct row_entry *, uint64_t ignored);
    uint64_t ignored; /* columns whose values nobody looks at, by column_bit() */
    void *context;
};

void row_states_open(struct row_store *, const struct catalog *, struct arena *);

struct item row_states_unpack(const struct packed *);
struct packed row_states_pack(struct arena *, const struct item *);

/* The entry of that key, made if `makes`; else NULL where there never was such a row. */
struct row_entry *row_states_find(struct row_store *, const struct relation *, const struct item *key,
                            bool makes);
/* NULL: absent. With what the transaction that runs now has written. */
const struct packed *row_states_see(const struct row_store *, struct row_entry *,
                              const struct row_view *);
/* How many versions stand at this position or before. */
uint32_t row_states_count(const struct row_entry *, uint32_t state);
/* Without what it has written. */
const struct packed *row_states_at(const struct row_entry *, uint32_t state);

/* From now on what was written before and not committed is gone. */
void row_states_begin(struct row_store *);
/* Cells in the order of the columns, in memory that stays; NULL: the row is removed. */
void row_states_write(struct row_store *, struct row_entry *, const struct packed *row);
/* Room for a row that is written. */
struct packed *row_states_take(struct row_store *, const struct relation *);
void row_states_commit(struct row_store *, uint32_t position);
/* One of several contents that the row may have from that position on. */
void row_states_offer(struct row_store *, struct row_entry *, const struct row_version *);
/* From now on nobody knows what is in the row: in any state, unless it is told of a version. */
void row_states_doubt(struct row_store *, struct row_entry *, bool in_any_state);
/* Only what was committed at position 0 is left, and nothing is in doubt. */
void row_states_rewind(struct row_store *);
/* Takes back what was committed last, for each entry that is named. */
void row_states_undo(struct row_entry *const *entries, uint32_t count, uint32_t position);

/* NULL: absent. */
bool row_states_identical(const struct relation *, const struct packed *, const struct packed *);

/* --- Looking for rows --- */

/* Entries whose first columns are these, and then one between bounds. */
struct row_range {
    const uint32_t *columns; /* of the index: those that are equal, then the one in order */
    uint32_t column_count, equal_count;
    const struct item *equal;
    const struct item *low, *high; /* of the column behind the equal ones; NULL: no bound */
    bool low_excluded, high_excluded;
    bool backwards;
};

/* False ends the search. */
typedef bool row_visitor(void *context, struct row_entry *, const struct packed *row);

/* Visits what the view shows, in the order of the index's columns and then of the key. */
void row_states_search(struct row_store *, const struct relation *, const struct row_range *,
                 const struct row_view *, row_visitor *, void *context);

/* By the primary key. */
int row_states_compare_keys(const struct relation *, const struct packed *, const struct packed *);

#endif
