/*
 * coordinator: a node's share in the transactions that its clients run.
 *
 *     client ── statement ──> READ each shard concerned ──> rows, own writes laid over
 *            ── write ──────> kept here until the commit (LOCK first, where locks are taken)
 *            ── commit ─────> PREPARE each shard ─ votes ─> DECIDE at the anchor ──> client
 *                                     └─ CHECK rounds, where the protocol wants them
 *
 * All of it is memory: a crash forgets it, and then those who were prepared ask the anchor, which
 * aborts what it has not decided. An ask is sent again until it is answered, to whoever leads. A
 * transaction whose client is silent for too long is aborted.
 *
 *     coordinator.c             clients, their transactions, what they are told, and deadlocks
 *     coordinator_ask.c         asks to shards: to whom, again and again
 *     statement.c               reads and writes
 *     commit.c                  how a transaction ends
 */
#ifndef STORE_COORDINATOR_COORDINATOR_H
#define STORE_COORDINATOR_COORDINATOR_H

#include "store/shard/shard_message.h"
#include "store/bugs.h"
#include "base/pool.h"
#include "store/coordinator/own_rows.h"
#include "store/coordinator/client_request.h"
#include "store/sometimes.h"

struct server;
struct protocol;

#define COORDINATOR_TICK_NS (INT64_C(10) * 1000 * 1000)

enum txn_phase {
    TXN_IDLE,      /* waits for its client */
    TXN_READING,
    TXN_LOCKING,
    TXN_CHECKING,
    TXN_PREPARING,
    TXN_DECIDING,
    TXN_DONE,      /* answered; tells shards that it is over */
};

/* What is outstanding at one shard. */
struct shard_ask {
    bool is_open;
    uint32_t number;
    uint32_t tries;    /* how often it was sent */
    uint32_t hops;     /* by hints, since the last pause */
    int64_t due_ns;    /* then it is sent again */
};

struct txn {
    struct coordinator *coordinator;
    uint64_t id;
    uint32_t client;        /* endpoint */
    enum txn_phase phase;
    struct stamp begin;     /* unique: ends in id */
    struct stamp snapshot;  /* S, or R */
    struct stamp limit;     /* up to where a version is uncertain; zero: nothing is */
    struct stamp seen;      /* the client's last commit: snapshots are not below it */
    struct stamp check_to;
    struct stamp uncertain; /* the highest met by the statement at hand */
    struct stamp place;     /* 2pl: its place in the certificate's order */
    uint64_t touched;       /* shards, a bit each */
    uint64_t written;       /* those that it writes on */
    uint64_t terms[CATALOG_SHARDS_MAX]; /* 2pl: of each shard's grants; 0: none yet */
    bool terms_differ;
    ARRAY(struct seen_key) keys;                         /* in the order of reading */
    ARRAY(struct seen_scope) scopes[CATALOG_SHARDS_MAX]; /* by shard: each at its own index */
    struct own_rows writes;
    struct vote merged;
    struct decision decision;
    struct shard_ask asks[CATALOG_SHARDS_MAX];
    uint32_t open_asks;
    uint32_t request;       /* the client's, being served or last answered */
    int64_t heard_ns;       /* of the client */
    /* More is in coordinator_private.h. */
    struct txn_private *private;
};

struct coordinator {
    struct server *server;
    const struct protocol *protocol;
    struct catalog *catalog;
    struct pool *pool;
    const struct bugs *bugs;
    struct sometimes *sometimes;
    int64_t max_offset_ns;  /* what the store believes of clocks */
    ARRAY(struct txn *) txns; /* by rising id */
    struct client_sessions sessions;
    uint32_t *leaders;      /* by shard: a guess */
    uint64_t probes;        /* begun here */
};

void coordinator_open(struct coordinator *, struct server *);
/* From a client (store/coordinator/client_request.h), from a shard, and every so often. */
void coordinator_request(struct coordinator *, uint32_t client, struct text bytes);
void coordinator_answer(struct coordinator *, uint32_t node, const struct shard_answer *);
void coordinator_probe(struct coordinator *, const struct ask *); /* to forward, or to die of */
void coordinator_tick(struct coordinator *);

/* --- What protocols ask of it ----------------------------------------------------------------- */

/* The node's hybrid clock; unique with the transaction's id. */
struct stamp coordinator_now(struct txn *);
/* The transaction has written nothing. */
static inline bool txn_reads_only(const struct txn *txn)
{
    return txn->writes.count == 0;
}
/* The number of the event being handled: the simulator's, for certificates only. */
uint64_t coordinator_event_number(const struct txn *);

#endif
