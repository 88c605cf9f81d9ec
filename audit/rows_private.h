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
 * Rows are found by ordered indexes: one by the primary key, and one for each unique and each
 * foreign key. The index has an entry for each combination of values that any version of a row has;
 * rows that nobody wrote in the end stay in it as ghosts, without versions: they say where another
 * try wrote, and who.
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

struct footprint {
    ARRAY(struct row_glance) glances;
};

/* The state of which a look sees one row, where rows have states of their own. */
typedef enum status row_chooser(void *context, struct stored_row *, const struct filter *,
                                uint64_t used, uint32_t *state, struct error *);

struct row_look {
    const struct filter *filter;
    uint32_t state;
    bool is_locking;   /* rows must match in the newest state as well, and are given as they are there */
    bool tracks;       /* narrows low and high */
    uint32_t low, high;
    uint64_t used;     /* columns that whoever asks makes use of, besides the filter */
    struct footprint *footprint; /* or NULL */
    uint32_t query;              /* for the footprint */
    bool saw_own;                /* out: a row that the transaction itself has written */
    row_chooser *choose;         /* or NULL */
    void *context;
};

struct rows;

MUST_USE enum status audit_rows_open(struct rows **, const struct program *, struct error *);
void audit_rows_close(struct rows *);

/* Of state 0. A key twice: false in *is_new. */
MUST_USE enum status audit_rows_put_initial(struct rows *, uint32_t table, const struct datum *cells,
                                      bool *is_new, struct error *);

/* The rows in the order of the key; they hold until the next look. */
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
uint32_t audit_rows_position(const struct rows *);
/* Takes back the newest commit, which was that of `txn`. */
MUST_USE enum status audit_rows_pop(struct rows *, uint32_t txn, struct error *);

/* What is visible of a row without the running transaction's writes; NULL: it is absent. */
const struct row_version *audit_rows_visible(const struct stored_row *, uint32_t state);
/* Whether two rows of a table have the same in them; each may be NULL. */
bool audit_rows_equal(const struct rows *, uint32_t table, const struct datum *, const struct datum *);

/* A hash of what the running transaction has written. */
uint64_t audit_rows_written_hash(const struct rows *);
/* Of one row that it has written, as somebody sees it who uses these columns. */
uint64_t audit_rows_own_hash(const struct rows *, const struct stored_row *, uint64_t used);

/* The states around `state` in which a row looks the same to who uses these columns and this filter. */
void audit_rows_narrow(struct rows *, const struct row_look *, const struct stored_row *, uint32_t state,
                 uint32_t *low, uint32_t *high);

#endif
