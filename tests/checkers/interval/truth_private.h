/*
 * truth_private: the database and its clients, between the files of truth.
 *
 * The database does one thing at a time; the number of what it does is the instant. It knows
 * nothing of time. Clients know nothing but time: when they invoke something, when it is done,
 * and when they hear of it.
 */
#ifndef TESTS_CHECKERS_INTERVAL_TRUTH_PRIVATE_H
#define TESTS_CHECKERS_INTERVAL_TRUTH_PRIVATE_H

#include "base/arena.h"
#include "programs/workloads/zipf.h"
#include "tests/checkers/interval/truth.h"

struct truth_version {
    uint64_t instant, value; /* the last one is the newest */
    uint32_t txn;
    /* What clients will tell, or have told. */
    int64_t view_high, commit_low, completed;
};

struct truth_reader {
    uint32_t txn;
    uint64_t snapshot;
};

struct truth_key {
    ARRAY(struct truth_version) versions; /* of the beginning there is none */
    ARRAY(struct truth_reader) readers;   /* for the certifier */
    size_t readers_to_sweep;
    uint16_t owner, waiters;              /* sessions, plus one */
    uint64_t shared[TRUTH_SESSIONS_MAX / 64];
};

/* A transaction under way. */
struct truth_work {
    struct truth_txn told;
    struct trace_op *ops;  /* what told.trace.ops are */
    uint64_t *instants;    /* likewise */
    uint64_t *sources;     /* instant of the version that was read */
    uint32_t *writes;      /* of ops, those that write */
    size_t op_count, op_room, write_count;
    uint16_t session;      /* plus one */
    bool is_reader;        /* it is going to write nothing */
    bool is_doomed;        /* it must abort: a fault needs it */
    bool is_heard;         /* its client will tell how it ended */
    uint64_t snapshot;     /* 0: not yet taken */
    uint32_t tried_key;    /* by the last operation */
    struct truth_plant plant; /* if it commits */
    int64_t view_high, commit_low; /* as told, so far */
    uint32_t next_free;
};

#define TRUTH_OWN_SOURCE UINT64_MAX /* the transaction wrote it itself; or a fault did */

enum truth_outcome { OUTCOME_DONE, OUTCOME_WAITS, OUTCOME_FAILS };

/*
 * What the certifier remembers of a transaction; instants are of commits where nothing else is
 * said, and UINT64_MAX where there is none. A snapshot sees what was committed at its instant.
 */
struct truth_certified {
    uint32_t txn;
    bool is_reader; /* it writes nothing */
    uint64_t snapshot, commit;
    uint64_t missed;  /* the first whose version it did not see */
    uint64_t through; /* likewise the first that was missed by somebody whom it missed */
    uint64_t missing_writer;        /* the last of those who missed it and write; 0: nobody */
    uint64_t missing_reader;        /* the last snapshot of those who missed it and do not */
};

#define TRUTH_CERTIFIED 8192 /* a power of two: transactions that it remembers */

struct truth_database {
    struct truth *truth;
    const struct profile *profile;
    struct truth_key *keys;
    uint64_t instant;
    uint64_t horizon, next_horizon; /* snapshots by clocks are not older */
    uint64_t oldest;                /* no snapshot that is under way is */
    unsigned until_oldest;
    struct truth_work *works[TRUTH_SESSIONS_MAX + 1]; /* by session plus one */
    struct truth_certified *certified;
    uint32_t newest_txn;
    uint16_t next_waiter[TRUTH_SESSIONS_MAX + 1];
    ARRAY(uint16_t) woken; /* sessions plus one; the clients' to empty */
};

/* --- truth_database.c --- */

MUST_USE enum status database_init(struct truth_database *, struct truth *, struct error *);
void database_close(struct truth_database *);
void database_begin(struct truth_database *, struct truth_work *);
MUST_USE enum status database_read(struct truth_database *, struct truth_work *, uint32_t key,
                                   bool is_locking, uint64_t *value, enum truth_outcome *,
                                   struct error *);
/* The write itself comes with the commit. */
void database_write(struct truth_database *, struct truth_work *, uint32_t key,
                    enum truth_outcome *);
/* Done or failed. */
MUST_USE enum status database_commit(struct truth_database *, struct truth_work *,
                                     enum truth_outcome *, struct error *);
void database_abort(struct truth_database *, struct truth_work *);
/* The newest version not after an instant, or NULL: that of the beginning. */
const struct truth_version *database_version(const struct truth_key *, uint64_t until);
/* Whether a write is the transaction's last of its key. */
bool work_writes_last(const struct truth_work *, size_t write);
/* What the transaction wrote itself. */
bool work_find_own(const struct truth_work *, uint32_t key, uint64_t *value);

/* --- truth_certifier.c --- */

void certifier_begin(struct truth_database *, const struct truth_work *);
MUST_USE enum status certifier_read(struct truth_database *, const struct truth_work *,
                                    uint32_t key, struct error *);
/* Whether the transaction may commit. */
bool certifier_commit(struct truth_database *, const struct truth_work *);
void certifier_end(struct truth_database *, const struct truth_work *, uint64_t commit);
/* Whether somebody who comes may still be concurrent with it. */
struct truth_certified *certifier_find(struct truth_database *, uint32_t txn);

/* --- truth_faults.c: each of the first ones tells whether the fault is done --- */

bool fault_reads_dirty(struct truth *, struct truth_work *, uint32_t key, uint64_t *value);
bool fault_reads_stale(struct truth *, struct truth_work *, const struct truth_key *,
                       const struct truth_version **);
bool fault_skips_lock(struct truth *, const struct truth_work *, uint32_t key);
bool fault_loses_update(struct truth *, const struct truth_work *,
                        const struct truth_version *newest);
/* Of a transaction that has just committed uncertified. */
void fault_skews_writes(struct truth *, struct truth_work *);
/* What is known when a transaction is over. */
MUST_USE enum status fault_end(struct truth *, const struct truth_work *, struct error *);

/* --- Clients: truth_clients.c says what they do, truth.c who is next --- */

enum client_step { CLIENT_BEGINS, CLIENT_WORKS, CLIENT_COMMITS, CLIENT_IS_GONE };

/* How a transaction is going to end, if nothing comes in between. */
enum client_fate { FATE_COMMITS, FATE_ABORTS, FATE_UNKNOWN, FATE_DIES, FATE_STALLS };

/* What is sent to the database in one piece. */
struct client_request {
    int64_t invoked; /* true times */
    uint32_t key, key_count, done; /* done: of the keys */
    uint8_t kind;
    bool is_locking;
};

/* A fault between two transactions, of which not both are over. */
struct truth_pending {
    struct truth_plant plant;
    uint32_t key;
    struct truth_side {
        int64_t high, low; /* something is done by the one, and not committed before the other */
        bool is_over, is_lost;
    } side[2];
};

#define CLIENT_WAITS INT64_MAX /* for a lock, or for ever */

struct client {
    struct truth_work *work;
    struct client_request request;
    int64_t at;     /* when the database does the next thing for it; CLIENT_WAITS */
    int64_t begins; /* as told, the transaction; TIME_NEVER: none does */
    int64_t clock;  /* is ahead by so much */
    int64_t session;
    uint32_t statement, statement_count, fate_at; /* counted in statements */
    uint8_t step, fate;
    bool reads_only, writes_only, commits_with_last;
    bool commits_when_gone;
};

struct truth_clients {
    struct truth_database database;
    struct client clients[TRUTH_SESSIONS_MAX];
    uint16_t order[TRUTH_SESSIONS_MAX]; /* a heap by `at` */
    uint16_t place[TRUTH_SESSIONS_MAX]; /* of a client in it */
    ARRAY(struct truth_work *) finished; /* a heap by invocation */
    ARRAY(struct truth_work *) idle, all;
    ARRAY(struct truth_pending) pending;
    struct truth_work *told; /* the caller has it */
    int64_t watermark;       /* nobody who is under way, or still to come, began before */
    uint64_t begun, values;
    struct arena arena; /* where keys are not chosen evenly */
    struct zipf zipf;
    int64_t session_count;
};

/* Plans the client's next transaction, from that time on. */
MUST_USE enum status client_plan(struct truth *, struct client *, int64_t now, struct error *);
/* What happens to it at its time. A transaction that is over is in `finished`. */
MUST_USE enum status client_act(struct truth *, struct client *, struct error *);

/* A transaction that is over: all is known that clients will tell of it. */
MUST_USE enum status truth_finish(struct truth *, struct client *, struct error *);
MUST_USE enum status truth_take_work(struct truth *, struct truth_work **, struct error *);

#endif
