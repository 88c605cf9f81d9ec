/*
 * settle: the beginning of an execution, of which nothing is needed any more but the rows that it leaves.
 *
 * Of a log that still grows, the beginning of the execution that was found so far is settled: it stays
 * as it is, and what comes later is audited on top of it. The execution is cut where nobody behind the
 * cut has to stand before it: by ts, by the times of a strict level, or because of what it saw.
 */
#ifndef AUDIT_SETTLE_PRIVATE_H
#define AUDIT_SETTLE_PRIVATE_H

#include "audit/witness_private.h"

/* A copy of an execution. */
struct settle {
    struct witness_execution x;
    ARRAY(struct witness_txn) txns;
    choice_list choices;
};

MUST_USE enum status settle_take(struct settle *, const struct witness_execution *, struct error *);
void settle_close(struct settle *);

/* Settles all but the last so many, `options->keep`, or fewer. The states of the copy become those of the whole log. */
MUST_USE enum status settle_make(struct settle *, const struct plan *, const struct audit_options *,
                                 struct audit_settled *, struct error *);

#endif
