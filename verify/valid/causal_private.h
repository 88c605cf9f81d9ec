/*
 * causal: valid at causal by a certificate. docs/format-witness.md, "Causal".
 *
 * A statement reads every row of its table. In the order of the witness, who is read stands
 * before who reads; and of those that lead to a reader by sessions and reads, over any number of
 * steps, none wrote a later version of what it read.
 */
#ifndef VERIFY_VALID_CAUSAL_PRIVATE_H
#define VERIFY_VALID_CAUSAL_PRIVATE_H

#include "verify/verify_private.h"

/* Places have been given, and chains and sessions go along with them. */
MUST_USE enum status verify_causal(struct verifier *, struct error *);

#endif
