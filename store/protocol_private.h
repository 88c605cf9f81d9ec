/*
 * protocol: the rules of one kind of concurrency control, as a table of functions.
 *
 * A transaction on Raft lives in four places, and a protocol has a word in each:
 *
 *     coordinator      begin, statement, read: at which stamps does it read?
 *                      prepares, checks, voted: what is needed to commit?
 *     shard's leader   serve_read, serve_lock, serve_check, admit: may this be
 *                      answered or proposed now, later, or not at all?
 *     shard's log      validate, conclude, committed: what the replicas agree on
 *     certificate      what the protocol says of its own order: decision.place,
 *                      snapshots; exported where they are decided
 *
 * Entries may be NULL where a protocol has no word. Those of the log must be
 * functions of the shard's state alone. Multi-leader protocols have no shards
 * in this sense: their rules stand in `local` (store/multileader/multileader.h).
 */
#ifndef STORE_PROTOCOL_PRIVATE_H
#define STORE_PROTOCOL_PRIVATE_H

#include "history/level.h"
#include "store/coordinator/coordinator.h"
#include "store/shard/replica.h"

struct local_rules; /* store/multileader/multileader.h */

enum txn_next {
    NEXT_GO_ON,
    NEXT_READ_AGAIN, /* the statement, at the snapshot as it is now */
    NEXT_CHECK,      /* all that was read, from txn->snapshot to txn->check_to; if all shards agree
                        the snapshot moves to check_to, and `read` or `voted` is asked again */
    NEXT_ABORT,
};

/* What a transaction remembers of its reads, and so sends with its prepares. */
enum keeps_reads {
    KEEPS_READS,           /* every row seen, by key or by scope, and every scope */
    KEEPS_READS_FOR_WRITE, /* rows of reads that are locked or for a write; no scopes */
    KEEPS_NO_READS,
};

struct protocol {
    const char *name, *summary;
    enum level level; /* that it promises */
    bool on_raft;
    const struct local_rules *local; /* of multi-leader protocols */

    /* What the certificate says. */
    bool exports_snapshot;     /* ts is a commit order, reads come from snapshots */
    bool snapshot_per_statement;

    enum keeps_reads keeps;

    /* --- At the coordinator --- */
    void (*begin)(struct txn *);     /* sets snapshot and limit */
    void (*statement)(struct txn *); /* before each read */
    /* All shards have answered a read; txn->uncertain is the highest that any of them met. */
    enum txn_next (*read)(struct txn *);
    bool locks_writes;               /* ASK_LOCK with each write statement */
    bool is_alone;                   /* a transaction on one shard is decided with its prepare */
    /* At commit: which of the shards touched must prepare, and which must only check. */
    uint64_t (*prepares)(struct txn *);
    uint64_t (*checks)(struct txn *);
    /* All have voted for it; `merged` is the greatest `at` and `in`, the least `out` and `pivot`. */
    enum txn_next (*voted)(struct txn *, const struct vote *merged);

    /* --- At a shard's leader --- */
    void (*lead)(struct replica *);  /* leads and is ready: leader_state anew */
    enum served (*serve_read)(struct replica *, struct waiting_ask *, struct shard_answer *);
    enum served (*serve_lock)(struct replica *, struct waiting_ask *, struct shard_answer *);
    enum served (*serve_check)(struct replica *, struct waiting_ask *, struct vote *);
    /* Before a prepare is proposed: sets least. Its vote counts only if it refuses. */
    enum served (*admit)(struct replica *, struct waiting_ask *, struct vote *);
    /* The transaction has an outcome here, or its coordinator has released it. */
    void (*over)(struct replica *, uint64_t txn);
    void (*probe)(struct replica *, const struct ask *);
    void (*tick)(struct replica *);

    /* --- As the log is applied --- */
    void (*open)(struct shard *);    /* shard->state anew */
    /* Accepts or refuses. `at` is set already, above floor and not below least; it may be raised. */
    void (*validate)(struct shard *, const struct prepare *, uint64_t term, struct vote *);
    /* Of votes that accept: whether to commit, where, with which place. NULL: at `at`. */
    void (*conclude)(const struct prepare *, const struct vote *merged, struct decision *);
    /* After the versions were installed. */
    void (*committed)(struct shard *, const struct prepared *, const struct decision *);
    void (*collect)(struct shard *); /* what lies below the horizon */
    void (*save)(const struct shard *, struct wire_writer *);
    void (*load)(struct shard *, struct wire_reader *);
};

/* NULL if there is none of this name. */
const struct protocol *protocol_find(struct text name);
const char *const *protocol_names(void);

/* Each is `protocol_NAME` in store/protocols/NAME.c. In the order in which they are listed. */
#define PROTOCOLS(X) X(mvto) X(2pl) X(occ) X(ssi) X(si) X(rc) X(causal) X(eventual)

#define PROTOCOL_DECLARATION(name) extern const struct protocol protocol_##name;
PROTOCOLS(PROTOCOL_DECLARATION)
#undef PROTOCOL_DECLARATION

#endif
