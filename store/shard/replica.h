/*
 * replica: one node's copy of a shard: its log, its state, and, where it leads,
 * the asks that it serves.
 *
 *     ask ── leader and ready? ── log held now is applied? ── protocol serves it
 *              │ no: refused                                   ├─ answered
 *                                                              ├─ waits until state changes
 *                                                              └─ proposed: answered when applied
 *
 * Nothing here may be needed after a change of leader: waiting asks are sent
 * again by who asks. A read at S is served only if S is at or below the ceiling
 * that the log has agreed on; else the leader first raises it through the log.
 * So reads stay right whoever else believes to lead, whatever clocks show.
 * Undecided prepares that are old make the leader ask the anchor; the anchor's
 * leader sends outcomes until all participants have applied them.
 */
#ifndef STORE_SHARD_REPLICA_H
#define STORE_SHARD_REPLICA_H

#include "store/raft/raft.h"
#include "store/shard/shard.h"

struct server;

enum served {
    SERVED,       /* the answer is filled in */
    SERVE_LATER,  /* as soon as anything has changed here */
    SERVE_AFTER_ROUND, /* again once a majority has confirmed the leader's term, in a round begun
                          now; the ask then has `is_confirmed` */
};

/* How often replica_tick() is to be called. */
#define REPLICA_TICK_NS INT64_C(50000000)

/* An ask at the leader that has no answer yet. */
struct waiting_ask {
    struct ask ask;          /* arrays of its own */
    int64_t since_ns;        /* the node's monotonic clock */
    uint64_t barrier;        /* the log's last entry as it came: that must be applied first */
    bool is_proposed;        /* in the log, at `index`, not yet applied */
    bool is_confirmed;       /* a majority has confirmed the leader's term since it came */
    bool in_round;
    uint64_t arrival;        /* rises */
    uint64_t index;
    struct footprint footprint; /* of a prepare */
    size_t size;             /* of all of it in the pool */
};

struct replica {
    struct server *server;
    struct shard shard;
    struct raft *raft;
    struct pool *pool;
    uint64_t chain;          /* of what was applied: store/equality_private.h */
    struct wire_writer bytes; /* of the command being proposed */

    int64_t cut_off_until_ns; /* from its group, by a site of buggify */
    bool leads;              /* ready to serve */
    uint64_t term;           /* in which it leads */
    ARRAY(struct waiting_ask *) waiting; /* in the order of arrival */
    ARRAY(struct waiting_ask *)
    in_flight; /* prepares among them that are in the log, in its order */
    uint64_t arrivals;
    bool must_retry, is_trying, role_changed;
    struct stamp served_max; /* the highest stamp that a read was served at in this term */
    struct stamp asked_ceiling; /* proposed, perhaps not applied yet */
    struct stamp asked_horizon;
    int64_t horizon_ns;      /* when it was asked for */
    ARRAY(uint64_t) told;    /* transactions whose outcome all have applied: to be forgotten */
    uint32_t *leaders;       /* by shard: a guess at its leader's node; NULL until it is needed */
    uint64_t hinted;         /* shards whose guess somebody has told us, and we have not asked yet */
    void *leader_state;      /* the protocol's own, of this term: see protocol.h */
};

/* No word of its group comes to it or leaves it now: see store/buggify.h. */
bool replica_is_cut_off(const struct replica *);
void replica_open(struct replica *, struct server *, uint32_t shard, const struct raft_options *);
/* An ask from a node, or an answer to one of the replica's own (INQUIRE, RESOLVE). */
void replica_ask(struct replica *, const struct ask *);
void replica_answer(struct replica *, const struct shard_answer *);
/* Looks after old prepares, outcomes, the horizon, those who have waited too long. */
void replica_tick(struct replica *);
/*
 * Tries waiting asks again, until nothing changes; answers those whose commands were applied. To be
 * called after every event of the replica's Raft; costs nothing if nothing has changed.
 */
void replica_retry(struct replica *);

/* To be called by protocols when locks have gone and waiting asks may go on. */
void replica_changed(struct replica *);

#endif
