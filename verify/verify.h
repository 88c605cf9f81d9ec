/*
 * verify: whether a witness proves what it says of a history.
 *
 *     TRY(verify_witness(&history, bytes, size, &verification, err));
 *     if (!verification.is_accepted) puts(verification.reason);
 *
 * The grammar and what has to be so are docs/format-witness.md, and nothing else:
 * this room shares no code with the checkers, so that a mistake of theirs is not
 * repeated here. Each statement of a witness is looked up in the history. Nothing
 * is searched for, so that the time is linear in the two files, up to sorting, and
 * a scan of its table for every statement with a predicate; of steps about instants,
 * a scan of the versions of their keys that times leave.
 *
 *     witness.c, steps.c  what stands in the file
 *     lookup.c       what it names; what each transaction wrote of a key
 *     versions.c     who counts; the versions of each key
 *     answer.c       which version an operation read; whether its answer is that, or those rows
 *     query.c        predicates, order, aggregates over rows, by
 *     clause.c         their SQL as a tree,
 *     expression.c     what that says of a row, and
 *     scalar.c         exact values
 *     valid.c        an order that explains everything
 *     cycle.c, anomaly.c  what cannot be explained
 *     sources.c      where a read may come from, if no order is known
 *     refutation.c   that no order explains it, by
 *     claims.c         what its steps say, and what follows
 *     instants.c     which instants there were by how the database works, and when
 *     instant_proof.c  that none explain it, step by step (known.c, visible.c), or
 *     instant_order.c  an order of them that does
 *
 * The witness of an audit is another one: docs/format-witness-audit.md, and calls/audit.h; so is that of a
 * prediction: docs/format-witness-prediction.md, and prediction/prediction.h.
 */
#ifndef VERIFY_VERIFY_H
#define VERIFY_VERIFY_H

#include <stdbool.h>

#include "base/error.h"
#include "history/call_log.h"
#include "history/history.h"

struct verification {
    bool is_accepted;
    char reason[512]; /* why not; or what was proved */
};

/*
 * Errors are what is no witness at all: a file that does not follow the grammar.
 * The bytes are changed.
 */
MUST_USE enum status verify_witness(const struct history *, char *bytes, size_t size,
                                    struct verification *, struct error *);

/* The witness of an audit of a log, of calls to these programs. */
MUST_USE enum status verify_audit(const struct call_log *, struct text program_source, char *witness,
                                  size_t size, struct verification *, struct error *);

/* The witness of a prediction from this history. */
MUST_USE enum status verify_prediction(const struct history *observed, char *bytes, size_t size,
                                       struct verification *, struct error *);

/*
 * How much of what a transaction may have done is kept exactly before more is taken in: outcomes as a whole, and runs
 * on states (docs/format-witness-audit.md, "Long cores"). 0: as many as is good; 1: the least.
 */
struct verify_exactness {
    uint32_t outcomes_max, runs_max;
};

/* To compare them. */
MUST_USE enum status verify_audit_exactly(const struct call_log *, struct text program_source, char *witness,
                                          size_t size, struct verify_exactness, struct verification *,
                                          struct error *);

#endif
