/*
 * workloads: what histories of banks, sets and counters show that orders of versions do not.
 *
 *     bank      r a=10, r b=10 ... r a=5, r b=10      wrong-total: money does not come or go
 *               r a=-3                                negative-balance
 *     set       append s 3 was over, then r s []      lost-element
 *     counter   add 1, add 1 were over, then r c=1    count-out-of-bounds
 *
 * The header says which it is. A set is a list whose order says nothing, and what is added to a
 * counter is appended to it: neither is what other checkers take a list for. Nor is a bank in which
 * nobody says what was written, as in Jepsen's. These are judged here alone, and since what is
 * looked for are single mistakes and no order, where none is found the verdict is unknown.
 *
 * Takes n log n, for lists of elements n of them.
 */
#ifndef CHECKERS_INFER_WORKLOADS_WORKLOADS_H
#define CHECKERS_INFER_WORKLOADS_WORKLOADS_H

#include <stdbool.h>

#include "checkers/checker.h"

enum workload_kind { WORKLOAD_NONE, WORKLOAD_BANK, WORKLOAD_SET, WORKLOAD_COUNTER };

/* What the header says, and the operations do not deny. */
enum workload_kind workload_of(const struct history *);
/* Whether nobody else may judge it. */
bool workload_is_own(const struct history *);

/*
 * Adds what it finds to the check, and to the set the levels that it rules out; of a workload of its own
 * also the doubt.
 */
MUST_USE enum status workloads_run(const struct history *, const struct check_options *,
                                   struct check *, uint64_t *ruled_out, struct error *);

#endif
