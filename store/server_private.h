/*
 * server: what runs on a node: its disk, its replicas, its coordinator.
 *
 * The only unit that talks to the world on behalf of the others: it takes
 * messages apart, numbers timers, and forwards the node's hybrid clock by the
 * stamp that every message between servers carries. A crash drops the pool and
 * with it everything but the disk.
 */
#ifndef STORE_SERVER_PRIVATE_H
#define STORE_SERVER_PRIVATE_H

#include "store/coordinator/coordinator.h"
#include "store/multileader/multileader.h"
#include "store/shard/replica.h"

struct cluster;

/* The first byte of every message. */
enum message_kind {
    MESSAGE_REQUEST, /* client to coordinator */
    MESSAGE_REPLY,   /* coordinator to client */
    MESSAGE_RAFT,    /* shard, then Raft's bytes */
    MESSAGE_ASK,     /* shard, clock, then the ask: to a replica */
    MESSAGE_ANSWER,  /* whether it is for the shard's replica, or else for the coordinator; shard,
                        clock, then the answer */
    MESSAGE_PROBE,   /* clock, then the ask: to a coordinator */
    MESSAGE_LOCAL,   /* clock, then multi-leader's bytes */
    MESSAGE_KIND_COUNT
};

struct server {
    struct cluster *cluster;
    struct world *world;
    uint32_t node;
    struct pool pool;
    struct disk disk;
    struct stamp_clock clock;
    bool is_up;
    struct replica **replicas;    /* by shard; NULL: not hosted here */
    struct coordinator coordinator;
    struct multileader *multileader; /* NULL on Raft */
    bool coordinator_ticks;       /* its timer is set */
    struct wire_writer out;       /* the message being written */
    struct arena scratch;         /* of the event being handled */
};

/*
 * Payloads of timers, and what completions are of: component << 56 | shard << 32 |
 * what the component wants to know, in 32 bits.
 */
enum server_component {
    COMPONENT_RAFT = 1,
    COMPONENT_COORDINATOR, /* its tick */
    COMPONENT_MULTILEADER,
    COMPONENT_REPLICAS,    /* the tick of all of them */
};

static inline uint64_t server_payload(enum server_component component, uint32_t shard)
{
    return (uint64_t)component << 56 | (uint64_t)shard << 32;
}

/* The process that a node of a cluster runs; its context is the node's struct server. */
extern const struct node_process server_process;

/* Once, before the world starts; the disk is there. */
MUST_USE enum status server_init(struct server *, struct cluster *, uint32_t node,
                                 struct error *);
/* Gives back what is not of the world's arena. */
void server_close(struct server *);

/* The node's clocks. */
struct stamp server_now(struct server *, uint64_t txn);
int64_t server_monotonic_ns(const struct server *);
/* Sets the hybrid clock forward by what somebody else's shows. */
void server_hear(struct server *, struct stamp);

/* Sending. An ask goes to a node's replica of a shard; to oneself, too. */
void server_send_ask(struct server *, uint32_t node, uint32_t shard, const struct ask *);
void server_send_answer(struct server *, uint32_t node, uint32_t shard, const struct shard_answer *,
                        bool to_replica);
void server_send_probe(struct server *, uint32_t node, const struct ask *);
void server_send_raft(struct server *, uint32_t node, uint32_t shard, struct text bytes);
void server_send_local(struct server *, uint32_t node, struct text bytes);
/* A whole message, as it is. */
void server_send_bytes(struct server *, uint32_t to, struct text bytes);

#endif
