/*
 * multileader_private: the state of a multi-leader node, which its parts share.
 *
 *     multileader.c         opening, messages, periodic duties
 *     local_txn.c           clients' transactions
 *     local_log.c           the durable log, applying, checkpoints, garbage collection
 */
#ifndef STORE_MULTILEADER_MULTILEADER_PRIVATE_H
#define STORE_MULTILEADER_MULTILEADER_PRIVATE_H

#include <string.h>

#include "store/cluster_private.h"
#include "store/multileader/delta_private.h"
#include "store/coordinator/own_rows.h"
#include "store/coordinator/client_request.h"
#include "store/raft/wal.h"

enum local_phase {
    LOCAL_WAITING, /* for what its session has seen elsewhere */
    LOCAL_IDLE,    /* waits for its client */
    LOCAL_COMMITTING,
};

struct local_txn {
    uint64_t id;
    uint32_t client; /* endpoint */
    enum local_phase phase;
    uint64_t snapshot;       /* reads see what stood in the log up to here */
    uint64_t *past;          /* causal: the same, by origin */
    struct own_rows writes;
    struct text request;     /* while it waits: the first, a copy */
    int64_t since_ns, heard_ns;
};

/* One node as a source of transactions, seen from here. */
struct delta_origin {
    ARRAY(uint64_t) places;  /* where they stand in the log, those that are there; */
    uint64_t first;          /* the first of these has this sequence */
    uint64_t everywhere;     /* all nodes have stored that many of them; */
    struct stamp settled;    /* the last of these has this stamp */
};

/* A removed row that was collected: by whom it was removed. For certificates only. */
struct graves {
    ARRAY(uint64_t) writers; /* by key; 0: none */
    ARRAY(uint32_t) keys;    /* that have one, or had, in the order in which they came */
};

struct multileader {
    struct server *server;
    const struct local_rules *rules;
    struct pool *pool;
    struct catalog *catalog;
    const struct bugs *bugs;
    struct sometimes *sometimes;
    uint32_t node, node_count;

    struct wal wal;
    struct raft_log log;
    bool is_open, is_refusing;
    uint64_t applied;      /* entries of the log; all of them are stored */
    uint64_t stable;       /* entries up to this are stored by every node */
    uint64_t *have, *held; /* by origin: transactions in the log, and of these applied */
    uint64_t *known;       /* by node, then origin: stored there, as far as is known here */
    struct delta_origin *origins;
    struct stored_versions versions;
    struct graves graves;

    ARRAY(struct local_txn *) txns; /* by rising id */
    uint32_t waiting_count;
    struct client_sessions sessions;

    ARRAY(struct text) early;  /* deltas that cannot be taken in yet, own copies */
    uint64_t told;             /* own transactions up to this were sent to all */
    int64_t *asked_ns;         /* by node: when it was asked for a gap's filling */
    uint32_t next_peer;

    int64_t duties_ns, own_ns; /* when last seen to, and when the last own delta was made */
    struct stamp horizon;      /* below this nothing new comes, to any node; */
    uint64_t horizon_index;    /* and so it was when this much was applied. Zero: none at hand */
    struct stamp collected;
    struct wire_writer out, bytes, token;
};

static inline int64_t local_now_ns(const struct multileader *m)
{
    return server_monotonic_ns(m->server);
}

/* Whether who has seen `all` has seen `some`; both by origin. */
static inline bool past_covers(const uint64_t *all, const uint64_t *some, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i] < some[i])
            return false;
    return true;
}

static inline void *multileader_scratch(struct multileader *m, size_t count, size_t size)
{
    return arena_take(&m->server->scratch, count, size);
}

/* The disk has lost what was promised: this node says nothing any more, for good. */
void multileader_refuse(struct multileader *);

#endif
