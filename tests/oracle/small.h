/*
 * small: random small histories, valid and not, for asking the oracle and a
 * checker the same question.
 *
 * A history is planned (who does what), run one transaction after the other
 * (what comes back), and perturbed (some answers become something else, mostly
 * a value that was written once). How it is run says what a transaction sees of
 * those that ran before it, and so what it may break:
 *
 *     SMALL_SERIAL     all of them
 *     SMALL_SNAPSHOT   the first so many, but all if it would overwrite what it did not see
 *     SMALL_PREFIX     the first so many
 *     SMALL_CAUSAL     some, and all that these saw
 *     SMALL_ATOMIC     some
 *     SMALL_COMMITTED  the first so many, drawn anew for each operation
 *     SMALL_NOISE      every answer is perturbed
 *
 * In half of the histories a transaction sees its own session's past. The same
 * options and seed give the same history. Unless `repeating`, no two writes of a
 * key have one value. Times overlap, and in one history of four a transaction's
 * time is wrong; with `sessions` two transactions of the file change places in
 * one of four. The certificate is the order of the run, with snapshots for
 * SMALL_SNAPSHOT, SMALL_PREFIX and SMALL_COMMITTED, and without places where
 * what is seen has none; in one history of four it is wrong somewhere.
 */
#ifndef TESTS_ORACLE_SMALL_H
#define TESTS_ORACLE_SMALL_H

#include <stdbool.h>
#include <stdint.h>

#include "history/history.h"

#define SMALL_TXNS_MAX 8
#define SMALL_OPS_MAX 6 /* of a transaction */
#define SMALL_KEYS_MAX 4

enum small_mode {
    SMALL_SERIAL,
    SMALL_SNAPSHOT,
    SMALL_PREFIX,
    SMALL_CAUSAL,
    SMALL_ATOMIC,
    SMALL_COMMITTED,
    SMALL_NOISE,
    SMALL_MODE_COUNT
};

struct small_options {
    enum small_mode mode;
    unsigned txns_max; /* from half of it, drawn */
    unsigned ops_max;  /* of a transaction: from a third of it, drawn */
    unsigned keys;
    unsigned perturbations_max; /* drawn; not for SMALL_NOISE */
    bool sessions, times, repeating, aborts, unknowns, deletes, certificate;
    bool lists;      /* every other key is a list */
    bool only_lists; /* every key is */
    bool predicates; /* every other key is a row, and there are statements */
    bool exact;      /* sessions, times and certificate are never wrong */
};

void small_history(const struct small_options *, uint64_t seed, struct history *);

/* Options drawn from the seed, with every feature in some of them. */
struct small_options small_options_of_seed(uint64_t seed);

#endif
