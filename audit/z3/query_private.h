/* query: expressions and statements of a transaction that is run for all states at once. */
#ifndef AUDIT_Z3_QUERY_PRIVATE_H
#define AUDIT_Z3_QUERY_PRIVATE_H

#include "audit/z3/symbolic_private.h"

struct sym symbolic_evaluate(struct symbolic *, const struct expression *);
struct sym_result symbolic_query(struct symbolic *, const struct query *);

#endif
