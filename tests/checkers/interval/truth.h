/*
 * truth: a database whose every instant is known, and clients who tell only intervals.
 *
 *     struct truth_options options = truth_options(profile_find(TEXT("postgresql/snapshot")));
 *
 *     options.seed = 7;
 *     TRY(truth_init(&truth, &options, err));
 *     for (;;) {
 *         TRY(truth_next(&truth, &txn, err));
 *         if (!txn)
 *             break;
 *         TRY(interval_model_advance(&m, txn->trace.invoked, err));
 *         TRY(interval_model_add(&m, &txn->trace, err));
 *     }
 *
 * Clients send one operation after the other; each is done at an instant of its own, between
 * its invocation and its completion, and what is told is when these were, by the client's
 * clock. The database works as the profile says: with snapshots of transactions or statements,
 * locks of rows, the first updater, a certifier. So no checker may accuse what it did, until
 * a fault is planted; and what was planted is told.
 *
 * Transactions come in the order in which they were invoked. Nothing is kept but what is in
 * flight, so that a hundred million operations pass in a few megabytes. The same options give
 * the same transactions.
 */
#ifndef TESTS_CHECKERS_INTERVAL_TRUTH_H
#define TESTS_CHECKERS_INTERVAL_TRUTH_H

#include "base/random.h"
#include "checkers/interval/interval_model.h"
#include "history/history.h"

#define TRUTH_SESSIONS_MAX 256
#define TRUTH_RANGE 10 /* keys of a range read */

/* The first three are Leopard's, section VI. */
enum truth_workload {
    TRUTH_BLINDW_W,       /* blind writes */
    TRUTH_BLINDW_RW,      /* of transactions, half write and half read */
    TRUTH_BLINDW_RW_PLUS, /* of the reads, half are of ranges */
    TRUTH_MIXED,          /* reads, writes, reads to write, deletes: all in one transaction */
    TRUTH_WORKLOAD_COUNT
};

enum truth_fault {
    TRUTH_NO_FAULT,
    TRUTH_STALE_READ,    /* a read returns the version before the one it should */
    TRUTH_DIRTY_READ,    /* a read returns what another has not committed, and never will */
    TRUTH_LOCK_SKIPPED,  /* a write does not wait for a lock */
    TRUTH_LOST_UPDATE,   /* a write goes on though another updated the key since its snapshot */
    TRUTH_WRITE_SKEW,    /* nobody is certified */
    TRUTH_FAULT_COUNT
};

const char *truth_fault_name(enum truth_fault);

struct truth_options {
    const struct profile *profile;
    enum truth_workload workload;
    uint64_t seed;
    uint64_t transactions;   /* that are begun; 0: there is no end */
    uint32_t sessions, keys, ops; /* ops: statements of a transaction, at the most */
    struct ratio theta;      /* how much more often the first keys are chosen (programs/workloads/zipf.h) */
    uint32_t values;         /* so many different ones; 0: no two writes are of the same */
    struct ratio deletes;    /* of the writes */
    struct ratio locking;    /* of the reads */
    struct ratio aborts, unknown, deaths; /* of transactions: asked for, unheard of, of the client */
    struct ratio stalls;     /* of transactions: in their middle nothing happens for long */
    int64_t answer_ns;       /* an operation takes from a half to three halves of it */
    int64_t think_ns;        /* between two operations, at the most */
    int64_t stall_ns;
    int64_t clock_error_ns;  /* each client's clock is off by so much at the most */
    int64_t clock_off_ns;    /* the first client's by so much more: a fault, if it is not admitted */
    int64_t tick_ns;         /* what clocks tell is a multiple of it */
    enum truth_fault fault;
    uint32_t fault_every;    /* of the occasions, one in so many */
};

/* Ordinary ones: 16 sessions, blindw-rw with 8 operations on 1000 keys, some aborts. */
struct truth_options truth_options(const struct profile *);
/* Of 200 transactions, of all kinds: truth_random.c. */
struct truth_options truth_random_options(const struct profile *, uint64_t seed);

struct truth_txn {
    struct interval_trace trace; /* what clients tell */
    int64_t session;
    /* Instants, counted from 1; each has its own. Of the commit 0: there was none. */
    const uint64_t *instants; /* by operation */
    uint64_t viewed, committed;
};

/* A fault, and the transactions that it took. */
struct truth_plant {
    enum truth_fault fault;
    uint32_t txns[2];
    bool is_sure; /* the times that clients tell leave no doubt */
};

struct truth {
    struct truth_options options;
    struct random random;
    struct truth_database *database;
    struct truth_clients *clients;
    ARRAY(struct truth_plant) plants;
    uint64_t committed, aborted, unknown, ops; /* so far; ops: of what was returned */
};

MUST_USE enum status truth_init(struct truth *, const struct truth_options *, struct error *);
void truth_close(struct truth *);

/* The next transaction, good until the next call; NULL: that was the last. */
MUST_USE enum status truth_next(struct truth *, const struct truth_txn **, struct error *);

/* The whole as a history; `transactions` must not be 0. Keys are named k0, k1, ... */
MUST_USE enum status truth_history(const struct truth_options *, struct history *, struct error *);

#endif
