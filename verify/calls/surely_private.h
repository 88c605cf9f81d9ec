/*
 * surely: what a logged transaction writes whatever it reads.
 *
 *     UPDATE t SET v = v + 5 WHERE id = 7       the row 7, and makes something else of it
 *     INSERT INTO history VALUES (…)            something
 *
 * The program is walked with the arguments of the log, and everything that is read is unknown: of a condition that
 * depends on it both ways are taken, and what holds on all ways to the answer of the log is sure. What is written
 * on some way is within its bounds.
 */
#ifndef VERIFY_CALLS_SURELY_PRIVATE_H
#define VERIFY_CALLS_SURELY_PRIVATE_H

#include "verify/calls/table_facts_private.h"

struct sure_row {
    struct row_entry *entry;
    bool changes; /* what it leaves is not what it saw */
};

struct surely {
    bool writes; /* at least one row */
    const struct sure_row *rows;
    uint32_t row_count;
    bool is_bounded; /* it writes no other rows than these: */
    struct row_entry **bounds;
    uint32_t bound_count;
};

struct sure_facts {
    struct audit_replay *a;
    struct table_facts tables;
};

/* The initial rows are there. */
void surely_begin(struct sure_facts *, struct audit_replay *);
void surely_find(const struct sure_facts *, const struct logged_txn *, struct surely *);

#endif
