/*
 * replica_stage: one replica of shard 0 over a log that the test moves on.
 *
 * Entries are applied when the test says so, and it says who leads; whatever the
 * replica sends is written down. Raft, server and cluster are stood in for: so this
 * is no part of what all tests link (Makefile). setUp() and tearDown() are in it. What protocols ask of a replica is only called through
 * the hooks of a real one: another fixture stands in for these functions, and would be linked.
 */
#ifndef TESTS_STORE_SHARD_REPLICA_STAGE_H
#define TESTS_STORE_SHARD_REPLICA_STAGE_H

#include <string.h>

#include "store/cluster_private.h"
#include "store/equality_private.h"
#include "store/shard/replica.h"
#include "store/shard/shard_conflict.h"
#include "tests/fixture.h"
#include "tests/store/shard/shard_fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SENT_MAX 256
#define LOG_ENTRIES 64
#define LOG_BYTES 512

struct raft {
    struct raft_host host;
    struct text entries[LOG_ENTRIES]; /* by index */
    uint64_t terms[LOG_ENTRIES];
    char bytes[LOG_ENTRIES][LOG_BYTES];
    uint64_t last, applied, term;
    bool leads;
    uint64_t token;
    unsigned rounds;
};

extern struct raft the_raft;

struct sent_ask {
    uint32_t node, shard;
    struct ask ask;
};

extern struct replica replica;
extern struct server server;
extern struct cluster cluster;
extern int64_t now_ns;
extern struct shard_answer answers[SENT_MAX];
extern bool answer_to_replica[SENT_MAX];
extern struct read_row first_rows[SENT_MAX];
extern unsigned answer_count;
extern struct sent_ask asks[SENT_MAX];
extern unsigned ask_count;
extern unsigned recorded_count;
extern unsigned over_count, lead_count;
extern enum served lock_says;
extern struct protocol toy;
void move_on(void);
/* Applies all that the log holds, and what comes of it. */
void apply_all(void);
void take_lead(void);
/* What was in flight is lost. */
void lose_lead(void);
void wait_ms(int64_t ms);
struct ask ask_of(enum ask_kind kind, uint64_t txn);
struct ask read_of(uint64_t txn, unsigned id, struct stamp stamp);
struct ask prepare_ask(uint64_t txn, uint32_t anchor, unsigned id, int64_t v);
struct ask alone_ask(uint64_t txn, unsigned id, int64_t v);
struct ask outcome_ask(enum ask_kind kind, const struct ask *prepared, bool commits, int64_t ms);
void prepare_now(const struct ask *ask);
const struct shard_answer *last_answer(void);
struct shard_answer answer_of(const struct sent_ask *sent, enum refusal refusal);
uint64_t seen(enum rare_path path);
unsigned asks_of_kind(enum ask_kind kind);

#endif
