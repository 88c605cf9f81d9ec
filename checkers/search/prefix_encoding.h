/*
 * prefix_encoding: prefix consistency, as a question of serializability.
 *
 * A history has it if there is one order of all commits, session order in it, and each transaction
 * sees a beginning of that order. Unlike at snapshot, writers of one key may overlap. So a
 * transaction is cut in two, what it reads of others, b, and what it writes, c; and if the
 * halves are serializable, b before c and sessions kept, the history has prefix consistency:
 *
 *     T1: w x 1            b1 c1: w x 1
 *     T2: r x _, w y 1     b2: r x _    c2: w y 1        b2 before c1 before b3, c2 after b3:
 *     T3: r x 1, r y _     b3: r x 1, r y _    c3        b2 b1 c1 b3 c2 c3
 *
 * What a transaction reads of a list behind its own appends is what was there as it committed:
 * that belongs to c. Biswas and Enea, "On the complexity of checking transactional
 * consistency" (2019), section 3.2: deciding it is NP-complete.
 *
 * In the witness points are named as at the levels of snapshot; docs/format-witness.md.
 */
#ifndef CHECKERS_SEARCH_PREFIX_ENCODING_H
#define CHECKERS_SEARCH_PREFIX_ENCODING_H

#include "checkers/check.h"
#include "checkers/search/polygraph/distill.h"

/* Transactions in an order that may do. */
struct prefix_hint {
    const uint32_t *txns;
    size_t count;
};

/* Decides prefix: verdict, finding, order and snapshots go into the check. */
MUST_USE enum status prefix_encoding_judge(const struct history *, const struct places *,
                                           const struct prefix_hint *,
                                           const struct check_options *, struct check *,
                                           struct error *);

#endif
