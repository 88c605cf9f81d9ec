/*
 * store: the replicated store under test, with its clients, in a world.
 *
 *     world_init ── store_open ── nemeses ── world_start ── world_run ...
 *     store_stop ── heal ── store_settle ── store_findings ── store_history
 *
 * The door of this room; what is behind it begins with store/cluster_private.h.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "history/history.h"
#include "history/level.h"
#include "programs/machine/program.h"
#include "programs/workloads/builtin.h"
#include "programs/workloads/calls.h"
#include "programs/workloads/listed.h"
#include "sim/disk.h"
#include "sim/world.h"
#include "store/bugs.h"
#include "store/sometimes.h"

#define STORE_SHARDS_MAX 64
#define STORE_REPLICAS_MAX 9
#define STORE_SESSIONS_MAX 900
#define STORE_ATTEMPTS_MAX 256

struct protocol; /* store/protocol_private.h */
struct store;

/* NULL if there is none of this name. */
const struct protocol *store_protocol(struct text name);
/* All names, ending in NULL. */
const char *const *store_protocol_names(void);

struct store_protocol_facts {
    const char *name, *summary;
    enum level level; /* that it promises */
    bool on_raft;     /* else it has several leaders, and every node holds every row */
    bool exports_snapshot; /* transactions read from snapshots, not at their own place */
};

struct store_protocol_facts store_protocol_facts(const struct protocol *);

/* Zeros are defaults. */
struct client_options {
    uint64_t transactions;      /* of all clients together, in equal shares; 0: without end */
    int64_t request_timeout_ns; /* then it is sent again */
    int64_t patience_ns;        /* for one request in all */
    int64_t think_ns;           /* mean pause between transactions; exponential, 0: none */
    uint32_t attempts_max;      /* of one transaction */
    int64_t backoff_ns;         /* first pause before another attempt; doubles, with jitter */
};

/* Zeros are defaults where it says so. */
struct cluster_options {
    const struct protocol *protocol;
    struct bugs bugs;
    uint32_t shards, replicas;
    uint32_t sessions;
    int64_t max_offset_ns;
    struct disk_config disk;
    int64_t heartbeat_ns, election_ns; /* 0: defaults */
    uint32_t snapshot_entries;         /* 0: default */
    int64_t retention_ns;              /* how far the horizon stays behind; 0: default */
    int64_t ask_timeout_ns; /* of a coordinator's first try at a shard; doubles; 0: default */
    int64_t in_doubt_ns;    /* a prepare that waits so long for its outcome asks; 0: default */
    int64_t wait_ns;        /* what waits at a leader for so long is refused; 0: default */
    int64_t gossip_ns;      /* between two words of a multi-leader node to another; 0: default */
    struct client_options client;      /* zeros: defaults */
    size_t memory_bytes_max;           /* 0: default */
    struct buggify_options buggify;    /* no sites: nothing rare is made to happen */
    struct listed *recorded;          /* where transactions are listed as they begin; or NULL */
    bool notes_calls;                 /* for store_call_log() */
};

/* A setting that a cluster cannot have. */
enum cluster_setting { CLUSTER_SHARDS, CLUSTER_REPLICAS, CLUSTER_BUGS };

/* Refuses what a cluster of so many nodes cannot be, and says which setting is wrong. */
MUST_USE enum status store_check_options(const struct cluster_options *, uint32_t node_count,
                                         enum cluster_setting *wrong, struct error *);

/*
 * A schedule: what sessions do in turn, each step when the one before has answered, or has not for
 * a second: then it is blocked, and what its session does next stands behind it.
 */
enum schedule_act {
    SCHEDULE_BEGIN,
    SCHEDULE_COMMIT,
    SCHEDULE_ABORT,
    SCHEDULE_AWAIT, /* until what the session does has come out */
    SCHEDULE_STATEMENT,
};

/* X(OUTCOME, name) */
#define SCHEDULE_OUTCOMES(X)                                                                       \
    X(NOT_DONE, "not done") /* the run ended before */                                             \
    X(OK, "ok")                                                                                    \
    X(BLOCKED, "blocked")                                                                          \
    X(ABORTED, "aborted")                                                                          \
    X(SKIPPED, "skipped") /* its transaction was aborted before */                                 \
    X(UNKNOWN, "unknown") /* a commit that was never answered */

enum schedule_outcome {
#define SCHEDULE_ENUM(outcome, name) SCHEDULE_##outcome,
    SCHEDULE_OUTCOMES(SCHEDULE_ENUM)
#undef SCHEDULE_ENUM
        SCHEDULE_OUTCOME_COUNT
};

/*
 * Rows as text are a line for each, a list in JSON such as [1,"pear",true]; a null is [], a
 * timestamp or an array is a string.
 */
struct schedule_step {
    uint32_t session;        /* from 0, each beginning before it does anything else */
    struct text session_name;
    enum schedule_act act;
    struct text sql;         /* of a statement, */
    uint32_t function;       /* and what it has been made into */
    uint32_t line;           /* for errors */
    unsigned expected;       /* a bit, 1 << outcome, for each that is right; 0: all are */
    bool has_rows;
    struct text rows;        /* that it must give: in this order, if it has an ORDER BY */
};

/* As far as it is known. Of AWAIT, it is about what it awaited. */
struct schedule_result {
    enum schedule_outcome outcome;
    bool has_rows;
    struct text rows;
};

/*
 * What clients do: a builtin workload, calls of a program's functions, or a schedule. Those of the
 * first two kinds can be recorded.
 */
struct store_workload {
    const struct builtin_options *builtin; /* or NULL */
    const struct program *program;         /* or NULL; must outlive the store */
    const char *program_name;              /* for the history */
    struct text load;                      /* "load(100)"; empty: no rows at first */
    uint64_t load_line;                    /* as the line of a call */
    const struct program_call *calls;
    uint32_t call_count;
    const struct schedule_step *steps; /* instead of calls; must outlive the store */
    uint32_t step_count;
    /* Of a builtin or a program: these transactions and no others, or NULL; must outlive the store.
       Each is tried once. */
    const struct listed *listing;
};

#define FALSE_TXNS_MAX 8

struct cluster_findings {
    bool stuck;              /* not all probes committed, or something stays prepared */
    char stuck_what[200];
    bool replicas_differ;
    char differ_what[200];
    uint64_t false_words; /* transactions of which clients were not told what the store did, */
    uint64_t false_txns[FALSE_TXNS_MAX]; /* the first of them, */
    char false_what[200];                /* and what it is about the first */
    uint64_t committed, aborted, unknown;
    struct sometimes sometimes;
    size_t memory_bytes;
    uint64_t settled_at[STORE_SHARDS_MAX]; /* what each shard had applied when all was quiet */
};

/*
 * The world has as many clients as there are sessions. Memory is of the arena. Closed by
 * store_close(), also after a failure, if it is not NULL.
 */
MUST_USE enum status store_open(struct store **, const struct cluster_options *,
                                const struct store_workload *, struct world *, struct arena *,
                                struct error *);
void store_close(struct store *);

struct disk *store_disk(struct store *, uint32_t node);
/* Which node holds a shard's replica number `index`. */
uint32_t store_replica_node(const struct store *, uint32_t shard, uint32_t index);

/* The error that must end the run, between events; STATUS_OK until then. */
MUST_USE enum status store_status(const struct store *, struct error *);
/* No session has a transaction, or will have one. */
bool store_is_idle(const struct store *);
/* After world_draw_anew(): the same of disks and clients. What clients ask for stays. */
void store_draw_anew(struct store *);
/* Sessions begin nothing new. */
void store_stop(struct store *);
/* After all has healed: probes commit, nothing stays prepared, replicas catch up. */
MUST_USE enum status store_settle(struct store *, int64_t budget_ns, struct error *);
const struct cluster_findings *store_findings(struct store *);

/*
 * Whether a built-in workload has an invariant that the protocol does not promise to keep: nobody
 * asks for it then. What a program says must be true is asked at every level.
 */
bool store_promises_less(const struct store *);
/* Whether the workload's own invariant holds at the end; if not, a sentence says why. */
MUST_USE enum status store_check_workload(struct store *, bool *holds, struct buffer *sentence,
                                          struct error *);
/* Whether a query (a SELECT of one value) would be understood. */
MUST_USE enum status store_check_query(struct store *, const char *query, struct error *);
/* Its value over the rows at the end, as text; nothing for null. */
MUST_USE enum status store_query(struct store *, const char *query, struct buffer *value,
                                 struct error *);
/* Of a schedule's step. */
struct schedule_result store_schedule_result(const struct store *, uint32_t step);
/* Whether it came out as expected; if not, a sentence says what was and what is. */
MUST_USE bool store_check_step(const struct store *, uint32_t step, struct buffer *sentence);
const char *store_schedule_outcome_name(enum schedule_outcome);

MUST_USE enum status store_history(struct store *, struct history *, struct error *);
/* The log of what a program's functions, or a schedule's statements, were answered, which had to be noted. */
MUST_USE enum status store_call_log(struct store *, struct buffer *, struct error *);

#endif
