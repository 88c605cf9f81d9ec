/*
 * builtin_tally: what clients were told, and whether the final state agrees.
 *
 * Each transaction that was begun is told to the tally once, with its outcome:
 * what was acknowledged must be there at the end, what was aborted must not, and
 * what is unknown may. Workloads whose invariant needs no counts (a total) use
 * no memory here.
 *
 *     counter   increments of each key: acknowledged, unknown
 *     set       elements: acknowledged, unknown
 */
#ifndef PROGRAMS_WORKLOADS_BUILTIN_TALLY_H
#define PROGRAMS_WORKLOADS_BUILTIN_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "history/history.h"
#include "programs/workloads/builtin.h"

struct builtin_tally {
    const struct builtin *builtin;
    /* Keys, or elements, as often as they were written; in no order until the end. */
    ARRAY(uint64_t) acknowledged;
    ARRAY(uint64_t) unknown;
};

void builtin_tally_init(struct builtin_tally *, const struct builtin *);
void builtin_tally_close(struct builtin_tally *);

/*
 * TXN_UNKNOWN also for what was going on when the clients stopped. Attempts are told one by one.
 */
MUST_USE enum status builtin_tally_add(struct builtin_tally *, const struct builtin_txn *,
                                       enum txn_status, struct error *);

/*
 * Whether the workload's invariant holds of all rows at the end, by rising key; if not, one
 * sentence says what is broken. True where there is no invariant.
 */
bool builtin_tally_holds(struct builtin_tally *, const struct builtin_row *rows, uint64_t count,
                         struct buffer *sentence);

/* By key, both lists. */
void builtin_tally_sort(struct builtin_tally *);

#endif
