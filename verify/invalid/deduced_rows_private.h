/*
 * deduced_rows: which versions of a row agree with its having been found or not, if nobody knows
 * what a statement saw. docs/format-witness.md, "Inferred orders".
 */
#ifndef VERIFY_INVALID_DEDUCED_ROWS_PRIVATE_H
#define VERIFY_INVALID_DEDUCED_ROWS_PRIVATE_H

#include "verify/values/inferred.h"

/* How many versions of a row agree with an answer, and one of them. */
struct deduced_versions {
    uint64_t count; /* UINT64_MAX: nothing can be said */
    uint32_t version;
};

/*
 * Of a row that a statement would have found otherwise, or not found: which possible versions
 * of it agree with the answer.
 */
MUST_USE enum status deduced_row(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                 struct deduced_versions *, struct error *);
/* Whether the answer is wrong as far as the row goes, whatever was there. */
MUST_USE enum status deduced_mismatch(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                      bool *is_wrong, struct error *);

#endif
