/*
 * views: whether readers missed what they had seen, at a model of Adya's or Elle's.
 */
#ifndef VERIFY_VALID_VIEWS_PRIVATE_H
#define VERIFY_VALID_VIEWS_PRIVATE_H

#include "verify/values/inferred.h"

/* The place of the first who wrote behind a version, and is not the reader; NO_PLACE if none. */
typedef uint32_t followers_function(const void *context, uint32_t key, uint32_t version,
                                    uint32_t reader);

/* Those of which an order without anti-dependencies and this are all. */
bool views_decide(enum level);
MUST_USE enum status verify_views(struct verifier *, followers_function *, void *context,
                                  struct error *);

#endif
