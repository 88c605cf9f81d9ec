/*
 * valid: an order of the transactions that count explains every answer.
 */
#ifndef VERIFY_VALID_VALID_H
#define VERIFY_VALID_VALID_H

#include "verify/verify_private.h"

MUST_USE enum status verify_valid(struct verifier *, struct error *);
/* With interval: statements that are held against instants in part. */
void valid_count_partial(struct verifier *);

#endif
