/*
 * rows: the rows of tables as they are now, to be looked through quickly.
 *
 *     slot      0    1    2    3
 *     v        12  -inf   7   20      a column of numbers for each bigint column that
 *     live     0, 2, 3                some predicate confines; -inf: no row, or null
 *
 * A column is compared with a span slot after slot: up to some thousands of rows
 * that is faster than any index. Where the primary key is given, one row is
 * looked at. Of a predicate that is asked for again, which rows match is kept: then only the rows
 * that have changed since are judged anew.
 */
#ifndef CHECKERS_ROWS_ROWS_H
#define CHECKERS_ROWS_ROWS_H

#include "base/timeout.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"

struct row_table {
    uint32_t slot_count, live_count;
    int64_t **columns;  /* by column; NULL: none of numbers */
    uint16_t *numbered; /* the columns of numbers */
    uint16_t numbered_count;
    bool has_least;       /* some cell was the least integer of all: numbers do not tell */
    uint32_t *live;       /* slots */
    uint32_t *live_place; /* by slot: its place there, or HISTORY_NONE */
    bool notes_changes;   /* some predicate over it is kept */
    ARRAY(uint32_t) changes; /* slots, since then */
};

/* Which rows match a predicate, and so of which rows that is known. */
struct row_cache {
    uint32_t asked;   /* how often */
    size_t followed;  /* of the table's changes */
    uint32_t count;   /* of bits */
    uint64_t *yes;    /* a bit for each slot; NULL: it is not kept */
};

/* An aggregate of a table by its name, read once. */
struct row_aggregate {
    uint32_t name, table; /* the name's text */
    bool is_known;
    uint8_t function; /* enum aggregate_function */
    uint16_t column;
};

struct rows {
    const struct history *history;
    const struct keys *keys;
    struct matcher *matcher;
    struct row_table *tables;
    int64_t *row;                       /* by key: the row, or -1 */
    ARRAY(struct matched_row) matching; /* what was found last */
    uint32_t *found;                    /* slots, on the way */
    struct row_aggregate aggregate;     /* the last that was read */
    bool is_undecided;                  /* some row could not be judged, then */
    struct row_cache *caches;           /* by predicate */
    size_t cache_bytes;
    struct pace pace; /* once it is over what was found is undecided */
};

/* Closed by rows_close(), also after a failure. All rows are absent. */
MUST_USE enum status rows_init(struct rows *, const struct history *, const struct keys *,
                               struct matcher *, struct error *);
void rows_close(struct rows *);

/* The row of a table's key is this now; anything but a row: there is none. */
void rows_set(struct rows *, uint32_t key, uint8_t kind, int64_t bits);

/* What wants the work to end; NULL: nothing. */
static inline void rows_heed(struct rows *r, const atomic_bool *stop)
{
    r->pace.stop = stop;
}

/* Fills `matching` with the rows that match a head's predicate. */
MUST_USE enum status rows_find(struct rows *, uint32_t head, struct error *);

/*
 * Whether what a statement returned is what is there, where it takes no more than a column of numbers
 * to see that. False says nothing: ask rows_find().
 */
bool rows_agree(struct rows *, uint32_t head);

#endif
