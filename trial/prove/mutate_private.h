/*
 * mutate: makes recorded histories wrong in small ways, to find out what checkers miss.
 *
 * A history of a small clean run is changed in one place: a read returns an older value, a write is
 * dropped, a transaction is split. Trying every order (trial/prove/brute_private.h) tells whether the
 * result is wrong; often it is not. Then the checkers are asked:
 *
 *     not serializable, and a checker says valid     missed
 *     serializable, and one that sees what clients
 *         saw says invalid                           accused
 *     serializable, and one that believes the
 *         certificate says invalid                   stricter: the store's order is broken,
 *                                                    though there is another
 *
 * A checker that can judge without a certificate gets none, so that truth and verdict are about the
 * same history.
 */
#ifndef TRIAL_PROVE_MUTATE_PRIVATE_H
#define TRIAL_PROVE_MUTATE_PRIVATE_H

#include "base/random.h"
#include "trial/prove/sketch_private.h"
#include "trial/run/jury.h"

/* X(ENUMERATOR, name, what it does) */
#define MUTATIONS(X)                                                                               \
    X(NONE, "none", "nothing: the history as it was recorded")                                     \
    X(STALE_READ, "stale-read", "a read returns what an earlier write of the key left")            \
    X(OTHER_READ, "other-read", "a read returns what another write of the key left")               \
    X(SWAP_READS, "swap-reads", "two reads of a key return each other's values")                   \
    X(SWAP_WRITES, "swap-writes", "two writes of a key write each other's values")                 \
    X(SWAP_VERSIONS, "swap-versions", "two versions change places in their key's order")           \
    X(DROP_WRITE, "drop-write", "a write is gone")                                                 \
    X(DROP_TXN, "drop-transaction", "a transaction is gone")                                       \
    X(SPLIT, "split", "a transaction is two, one after the other")                                 \
    X(JOIN, "join", "two transactions of a session, one after the other, are one")                 \
    X(ABORT, "abort", "a committed transaction was aborted")                                       \
    X(COMMIT, "commit", "an aborted transaction was committed")                                    \
    X(SWAP_TIMES, "swap-times", "two transactions happened at each other's time")

enum mutation {
#define MUTATION_ENUM(enumerator, name, what) MUTATION_##enumerator,
    MUTATIONS(MUTATION_ENUM)
#undef MUTATION_ENUM
        MUTATION_COUNT
};

const char *mutate_name(enum mutation);
const char *mutate_summary(enum mutation);

/* False: the sketch has no place for this one; it is as it was. */
bool mutate(struct sketch *, enum mutation, struct random *);

/* What one mutant of one history came to. */
enum mutant_end {
    MUTANT_NOT_ASKED, /* the checker cannot judge it */
    MUTANT_UNDECIDED,
    MUTANT_CAUGHT,
    MUTANT_MISSED,
    MUTANT_LEFT, /* it is right, and the checker said so */
    MUTANT_STRICTER,
    MUTANT_ACCUSED,
    MUTANT_END_COUNT
};

struct mutant {
    bool is_history; /* or else it has become nonsense, and nobody was asked */
    bool is_wrong;
    enum mutant_end ends[JURY_MAX]; /* as checkers_all() */
};

/* Has everybody judge it, at a level of serializability. */
MUST_USE enum status mutate_judge(const struct sketch *, enum level, struct mutant *,
                                  struct error *);

#endif
