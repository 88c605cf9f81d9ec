/*
 * deduced_rows: which versions of a row agree with its having been found or not, if nobody knows
 * what a statement saw. docs/format-witness.md, "Inferred orders".
 */
#ifndef VERIFY_INVALID_DEDUCED_ROWS_PRIVATE_H
#define VERIFY_INVALID_DEDUCED_ROWS_PRIVATE_H

#include "verify/values/inferred.h"

/*
 * Of a row that a statement would have found otherwise, or not found: how many possible versions of
 * it agree with the answer, and one of them. More than can be if nothing can be said.
 */
MUST_USE enum status deduced_row(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                 uint64_t *count, uint32_t *version, struct error *);
/* Whether the answer is wrong as far as the row goes, whatever was there. */
MUST_USE enum status deduced_mismatch(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                      bool *is_wrong, struct error *);

#endif
