/*
 * rows: all versions of all rows, as a chain of committed transactions made them.
 *
 *     row  account 7     [0: 100]  [3: 90]  [8: removed]      own: 80
 *                         initial   the third commit          of the transaction that runs now
 *
 * Positions count commits; state s is what is visible of versions up to position s. Commits are
 * taken back in the reverse order (audit_rows_pop), so that versions, and the memory that they are in, are
 * stacks. What the running transaction writes stands beside, over every state, until it
 * is committed or dropped.
 *
 * Rows are found by ordered indexes: one by the primary key, one for each unique and each foreign key, and those that
 * queries want (row_indexes.h). The index has an entry for each combination of values that any version of a row has;
 * rows that nobody wrote in the end stay in it as ghosts, without versions: they say where another try wrote, and
 * who.
 *
 * Rows that are removed for good, as those of a queue are, stay as well. A chunk of an index in which there is
 * nothing else is passed over by who does not have to know why.
 *
 * A look says which rows are wanted in which state. On the way it narrows the interval of states in
 * which the answer would be the same, and it notes the rows it had to look at, present or not.
 */
#ifndef AUDIT_ROWS_PRIVATE_H
#define AUDIT_ROWS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "programs/machine/machine.h"

#define STATE_NEWEST (UINT32_MAX - 1)
#define ALL_COLUMNS UINT64_MAX

struct row_version {
    uint32_t position;
    uint32_t is_whole; /* nothing of the version before is left: an insert, a removal */
    uint64_t changes;           /* columns that may differ from the version before; 1 << 63: that one and further ones */
    const struct datum *cells;  /* NULL: removed */
};

/* Somebody who wrote the row in some try. */
struct row_touch {
    uint32_t txn;
    uint64_t changes;
};

struct row_touches {
    ARRAY(struct row_touch) list;
};

struct stored_row {
    const struct datum *like; /* cells with its key */
    bool is_kept;             /* `like` is a copy that nobody takes back */
    struct row_version *versions;
    uint32_t version_count, version_room;
    const struct datum *own; /* if has_own; NULL: removed */
    uint64_t own_changes;
    bool has_own;
    bool is_forked; /* see audit_rows_mark() */
    bool is_open;   /* some of its versions may be anything */
    bool is_wild;   /* all may */
    uint32_t table;
    struct row_touches *touches; /* NULL: none */
};

typedef ARRAY(struct stored_row *) row_list;
typedef ARRAY(const struct datum *) cell_list;

/* A row that a transaction had to look at, and the columns of which it made use. */
struct row_glance {
    struct stored_row *row;
    uint64_t used;
    uint32_t query; /* its number, as whoever looks has it */
};

struct row_chunk;

struct footprint {
    ARRAY(struct row_glance) glances;
    /*
     * Chunks of the index by the primary key that were passed over, since their rows are removed in the
     * state of the look and for good; none unless `takes_quiet`.
     */
    ARRAY(const struct row_chunk *) quiet;
    bool takes_quiet;
};

/*
 * The state of which a look sees one row, where rows have states of their own. *state says which one the look
 * is for: its own, or the newest one.
 */
typedef enum status row_chooser(void *context, struct stored_row *, const struct filter *,
                                uint64_t used, uint32_t *state, struct error *);

struct row_look {
    const struct filter *filter;
    uint32_t state;
    bool is_locking;   /* rows must match in the newest state as well, and are given as they are there */
    bool tracks;       /* narrows low and high */
    uint32_t low, high;
    uint64_t wanted;   /* not 0: the first so many by `order` are enough */
    const struct row_order *order;
    uint64_t used;     /* columns that whoever asks makes use of, besides the filter */
    struct footprint *footprint; /* or NULL */
    uint32_t query;              /* for the footprint */
    uint32_t newest;             /* out: the position of the newest version of those rows, where they are locked */
    bool missed_open;            /* out: others may match, which may be anything and have no entry for that */
    row_chooser *choose;         /* or NULL */
    void *context;
};

struct rows;

/* Made ready for the queries of the functions that are called, by their numbers. */
MUST_USE enum status audit_rows_open(struct rows **, const struct program *, const bool *is_called,
                                     struct error *);
void audit_rows_close(struct rows *);

/* Of state 0. A key twice: false in *is_new. */
MUST_USE enum status audit_rows_put_initial(struct rows *, uint32_t table, const struct datum *cells,
                                      bool *is_new, struct error *);

/* The row with this key, or NULL: nobody ever wrote it. */
const struct stored_row *audit_rows_get(const struct rows *, uint32_t table, const struct datum *cells);

/* All rows that anybody ever wrote, in the order in which they were made. */
const row_list *audit_rows_all(const struct rows *);

/* The rows in the order of the key, unless only the first are wanted; they hold until the next look. */
MUST_USE enum status audit_rows_find(struct rows *, struct row_look *, const struct datum *const **cells,
                               uint32_t *count, struct error *);

/* The transaction that runs writes a row. `changes` as in row_version. */
MUST_USE enum status audit_rows_write(struct rows *, uint32_t table, const struct row_write *,
                                uint64_t changes, struct error *);
/* What it has written so far. */
const row_list *audit_rows_written(const struct rows *);
/* None of it is left; `txn` has touched the rows. */
MUST_USE enum status audit_rows_drop(struct rows *, uint32_t txn, struct error *);
/* The same, and nobody has touched them: what ran has run so before. */
MUST_USE enum status audit_rows_abandon(struct rows *, struct error *);
/* It is the next commit. */
MUST_USE enum status audit_rows_commit(struct rows *, struct error *);
/* One of the rows that it has written is, and counts as written no more. */
MUST_USE enum status audit_rows_commit_one(struct rows *, size_t number, struct error *);
uint32_t audit_rows_position(const struct rows *);
/* Takes back the newest commit, which was that of `txn`; UINT32_MAX: nobody has touched its rows. */
MUST_USE enum status audit_rows_pop(struct rows *, uint32_t txn, struct error *);

/* A row as a commit left it. */
struct row_copy {
    struct stored_row *row;
    uint64_t changes;
    const struct datum *cells; /* NULL: removed */
};

/* What the newest commit wrote; the copies last as long as the arena, and can be written again as they are. */
struct stored_row *const *audit_rows_of_newest(const struct rows *, uint32_t *count);
MUST_USE enum status audit_rows_copy_newest(const struct rows *, struct arena *, struct row_copy **,
                                            uint32_t *count, struct error *);
MUST_USE enum status audit_rows_rewrite(struct rows *, const struct row_copy *, uint32_t count, struct error *);

/* How many rows the commit at a position wrote. */
uint32_t audit_rows_written_at(const struct rows *, uint32_t position);
/*
 * Rows written at positions below `end`: whoever looks at them has to choose, or they may be anything:
 * worlds_private.h.
 */
void audit_rows_mark(struct rows *, uint32_t position, uint32_t end, bool is_open);
/* The rows that the running transaction has written may be anything in any state. */
void audit_rows_mark_wild(struct rows *);

/* What is visible of a row without the running transaction's writes; NULL: it is absent. */
const struct row_version *audit_rows_visible(const struct stored_row *, uint32_t state);
/* Whether two rows of a table have the same in them; each may be NULL. */
bool audit_rows_equal(const struct rows *, uint32_t table, const struct datum *, const struct datum *);

/* Whether they have the same in the columns that a look makes use of. */
bool audit_rows_look_same(const struct rows *, const struct row_look *, const struct stored_row *,
                          const struct datum *, const struct datum *);

/*
 * How the row looks to a look that makes use of these columns: what does not match its filter looks as if it were
 * absent.
 */
uint64_t audit_rows_look_hash(struct rows *, const struct row_look *, uint64_t used, const struct stored_row *,
                              const struct datum *);
bool audit_rows_looks_alike(struct rows *, const struct row_look *, uint64_t used, const struct stored_row *,
                            const struct datum *, const struct datum *);

/* Whether it tells all contents of a row with this key apart, or looks at none of them. */
bool audit_rows_tells_all(const struct rows *, const struct row_look *, uint64_t used);

/* Of a row of a table, which may be NULL, as somebody sees it who uses these columns. */
uint64_t audit_rows_hash(const struct rows *, uint32_t table, const struct datum *, uint64_t used);

/* Of a cell, with its scale: 1.0 and 1.00 are equal, but print differently. */
uint64_t audit_rows_cell_hash(const struct datum *);
/* A hash of what the running transaction has written. */
uint64_t audit_rows_written_hash(const struct rows *);
/* Of one row that it has written, as somebody sees it who uses these columns. */
uint64_t audit_rows_own_hash(const struct rows *, const struct stored_row *, uint64_t used);

/* The states around `state` in which a row looks the same to who uses these columns and this filter. */
void audit_rows_narrow(struct rows *, const struct row_look *, const struct stored_row *, uint32_t state,
                 uint32_t *low, uint32_t *high);

#endif
