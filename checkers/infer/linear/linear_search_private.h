/*
 * linear_search: decides one key by searching for an order of its calls.
 */
#ifndef CHECKERS_INFER_LINEAR_LINEAR_SEARCH_PRIVATE_H
#define CHECKERS_INFER_LINEAR_LINEAR_SEARCH_PRIVATE_H

#include "checkers/infer/linear/linear_private.h"

MUST_USE enum status linear_search_decide(struct task *, struct linear_result *, struct error *);

#endif
