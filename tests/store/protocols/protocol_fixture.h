/*
 * protocol_fixture: a protocol's rules without the store around them.
 *
 *     sessions ── reads, prepares, outcomes, step by step ──> shards' logs ──> shard_apply()
 *
 * Real shards in one process, and for leaders, coordinators and network the simplest
 * that keeps their promises: every step of every transaction, every entry of every
 * log and every change of leader waits until a seeded scheduler lets it happen. So two-phase commit
 * is interleaved with everything else, shards stay in doubt for long, leaders lose the
 * ends of their logs and what they had in memory, coordinators are never heard of again, clocks are
 * apart, and states are saved and loaded. What comes out is a small history with its
 * certificate, for the oracle.
 */
#ifndef TESTS_STORE_PROTOCOLS_PROTOCOL_FIXTURE_H
#define TESTS_STORE_PROTOCOLS_PROTOCOL_FIXTURE_H

#include "history/history.h"
#include "store/protocol_private.h"

#define MODEL_SHARDS_MAX 3
#define MODEL_TXNS_MAX 9

struct model_options {
    const struct protocol *protocol;
    struct bugs bugs;
    unsigned shards, sessions, txns;
    unsigned ops_max;   /* of a transaction */
    unsigned keys;      /* of items, and as many of rows where there are predicates */
    bool predicates;
    bool repeating;     /* values repeat */
    bool faults;        /* leaders change, coordinators die, states are reloaded */
    bool skew;          /* clocks are apart */
};

struct model_counts {
    uint64_t committed, aborted, unknown;
    uint64_t asked, unjudged; /* of the oracle: questions, and those that it could not answer */
    struct sometimes sometimes;
};

/* Adds to the counts. The history is the caller's to close. */
void model_run(const struct model_options *, uint64_t seed, struct history *,
               struct model_counts *);
/* Options drawn from the seed; the protocol and the bugs are the caller's. */
struct model_options model_options_of_seed(uint64_t seed);
/* Once, at the end of a test program. */
void model_close(void);

/* A history as text, for the message of a test that fails. */
const char *model_text(const struct history *);

/*
 * Runs so many seeds and fails the test if the oracle, by certificate or without, finds
 * one that breaks the protocol's level, or if fewer than `committed_least` in a hundred
 * transactions commit, or if there is more than a little that the oracle cannot judge.
 */
void model_holds(const struct protocol *, uint64_t seeds, unsigned committed_least);
/*
 * Runs seeds with the bug on until the protocol's level has been broken by certificate and, if
 * `visible`, as clients see it. Fails the test if so many seeds do not, and if the level that the
 * catalogue says holds is broken for clients.
 */
void model_breaks(const struct protocol *, enum bug, bool visible, uint64_t seeds_max);

#endif
