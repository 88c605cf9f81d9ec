/*
 * prover: refutations of small histories, by trying everything.
 *
 * It makes its own idea of docs/format-witness.md, "refutation", without a look at
 * verify: every axiom that there is, by loops over all that it may name, and then
 * a choice for every clause that leaves one.
 */
#ifndef TESTS_VERIFY_PROVER_H
#define TESTS_VERIFY_PROVER_H

#include "base/text.h"
#include "history/history.h"
#include "history/level.h"

enum prover_answer {
    PROVER_REFUTED,
    PROVER_FOUND,   /* an explanation of all that the axioms ask */
    PROVER_GAVE_UP, /* too many choices */
};

/*
 * Appends the fields of an anomaly, if it can be refuted; if the witness takes a part of the
 * version orders, nobody knows of unknown transactions.
 */
enum prover_answer prover_refute(const struct history *, enum level, bool takes_part,
                                 struct buffer *fields);

/* Whether the axioms say all there is to say: no statements, and only plain lists. */
bool prover_is_complete(const struct history *);

#endif
