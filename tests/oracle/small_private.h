/*
 * small_private: a small history while it is made: small.c plans and runs it,
 * small_write.c hands it to the builder.
 */
#ifndef TESTS_ORACLE_SMALL_PRIVATE_H
#define TESTS_ORACLE_SMALL_PRIVATE_H

#include "base/random.h"
#include "tests/oracle/small.h"

#define SMALL_ELEMENTS_MAX (SMALL_TXNS_MAX * SMALL_OPS_MAX)

enum small_type { SMALL_ITEM, SMALL_LIST, SMALL_ROW };

/* What a key holds: nothing, a number (of a row: its v), or a list. */
struct small_value {
    bool exists;
    int64_t number;
    unsigned count;
    int64_t elements[SMALL_ELEMENTS_MAX];
};

struct small_state {
    struct small_value key[SMALL_KEYS_MAX];
};

enum small_aggregate { SMALL_ROWS, SMALL_FIRST, SMALL_COUNT_ROWS, SMALL_LEAST };

struct small_op {
    enum op_kind kind;
    unsigned key;             /* of item operations */
    struct small_value value; /* read or written */
    /* Of statements: low <= v <= high; rows as matched, then as written. */
    int64_t low, high;
    enum small_aggregate aggregate;
    struct small_state rows;
    bool perturbed;
    unsigned prefix; /* SMALL_COMMITTED: how many transactions it saw */
};

struct small_txn {
    enum txn_status status;
    bool lands; /* of an unknown one */
    unsigned session, op_count;
    struct small_op ops[SMALL_OPS_MAX];
    int64_t invoked, completed;
    unsigned prefix;          /* SMALL_SNAPSHOT, SMALL_PREFIX: how many transactions it saw */
    uint32_t visible;         /* the transactions that it saw */
    uint32_t writes;          /* keys, once it has run */
    struct small_state local; /* what it made of them, lists apart */
};

/* Transactions in the order in which they run. */
struct small_run {
    const struct small_options *options;
    struct random random;
    enum small_type type[SMALL_KEYS_MAX];
    struct small_value initial[SMALL_KEYS_MAX];
    unsigned txn_count;
    struct small_txn txns[SMALL_TXNS_MAX];
    unsigned file_order[SMALL_TXNS_MAX];
    unsigned version_count[SMALL_KEYS_MAX];
    unsigned versions[SMALL_KEYS_MAX][SMALL_TXNS_MAX]; /* transactions */
    int64_t last_number;                               /* that was written */
    bool sees_session;
};

#define SMALL_TICK 10 /* of time, and of places, between two transactions of a run */

static inline bool small_chance(struct small_run *run, uint64_t numerator, uint64_t denominator)
{
    return random_below(&run->random, denominator) < numerator;
}

void small_write(const struct small_run *, struct history *);

#endif
