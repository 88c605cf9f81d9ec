/*
 * explain_lists_private: why a list that was read cannot be, whatever the order of transactions.
 *
 *     a transaction's elements are not all there    it came before the reader, and did not
 *     another's stand between them                  each comes before the other
 *     they stand in another order                   than the transaction appended them in
 *
 * For telling only, one list at a time: each takes a look at all operations.
 */
#ifndef CHECKERS_SEARCH_EXPLAIN_LISTS_PRIVATE_H
#define CHECKERS_SEARCH_EXPLAIN_LISTS_PRIVATE_H

#include "base/text.h"
#include "checkers/search/polygraph/distill.h"

/*
 * "refutation":[...] of the read, and who else takes part (or HISTORY_NONE). Not explained: it
 * is none of these, and nothing is written.
 */
MUST_USE enum status explain_list(struct buffer *, const struct history *, uint32_t txn,
                                  uint32_t op, bool is_snapshot, uint32_t culprits[2],
                                  bool *is_explained, struct error *);

/* Whether the list that was read has an element twice. */
bool explain_repeats(const struct history *, uint32_t op);
/* An append of the reader's own, later than the read, whose element it shows; or NOBODY. */
uint32_t explain_own_later(const struct history *, uint32_t txn, uint32_t op);

#endif
