/*
 * server_fixture: real servers, over shards that do as a test tells them.
 *
 * There are no replicas and no logs: a shard is one state outside the world, and
 * the node that `leader` names speaks for it, at once or not at all. So a crash
 * costs a node its coordinator and nothing else, and what became of a transaction
 * is known: the share of its anchor says.
 *
 *     shard_says = my_shard;       what the leader answers; false: nothing
 *     shard_obeys(...)             a shard that grants all and forgets nothing
 *     asked[], asked_count         all that leaders were asked
 *
 * It stands in for store/shard/replica.h, and is linked with the tests that need it alone (Makefile).
 */
#ifndef TESTS_STORE_SERVER_FIXTURE_H
#define TESTS_STORE_SERVER_FIXTURE_H

#include <string.h>

#include "sim/fault.h"
#include "store/cluster_private.h"
#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define SHARDS 3
#define NODES 3
#define FIXTURE_ARENA_BYTES ((size_t)2 << 30)
#define FIXTURE_TXNS_MAX 8192
#define FIXTURE_CHANGES_MAX 4
#define FIXTURE_KEYS_MAX 4096
#define NO_VALUE INT64_MIN

struct asked {
    enum ask_kind kind;
    uint32_t shard, node, from, number;
    uint64_t txn;
    struct stamp at;
    uint32_t key_count, change_count, path_count;
    struct stamp path_begin; /* where the path begins */
    struct prepare prepare;  /* its arrays are gone */
    struct decision decision;
};

/* What a shard knows of a transaction. */
struct share {
    bool is_prepared, is_over, commits;
    uint32_t change_count;
    struct {
        uint32_t key;
        int64_t value;
    } changes[FIXTURE_CHANGES_MAX];
    struct decision decision;
};

extern struct world world;
extern struct cluster cluster;
extern struct server servers[NODES];
extern struct protocol protocol;
extern struct error err;
extern uint32_t leader[SHARDS]; /* WORLD_NOBODY: none */
extern bool leader_is_known;    /* those who do not lead name it */
extern struct share shares[SHARDS][FIXTURE_TXNS_MAX];
extern int64_t stored[FIXTURE_KEYS_MAX]; /* by key */
extern struct asked asked[65536];
extern uint32_t asked_count;
extern bool (*shard_says)(struct replica *, const struct ask *, struct shard_answer *);
struct text row_of(int64_t id, int64_t value);
int64_t value_of_row(struct text row);
/* The n-th key of the first table that lies on a shard. */
uint32_t key_on(uint32_t shard, uint32_t n);
void end_share(uint32_t shard, uint64_t txn, const struct decision *decision);
/* Grants all, and says the same again. */
bool shard_obeys(struct replica *replica, const struct ask *ask, struct shard_answer *answer);
/* A world that is not started yet: clients have no process. Set `protocol` before. */
void fixture_open(const struct world_options *options, struct bugs bugs);
void fixture_close(void);
void run_for(int64_t ns);
uint32_t count_asked(enum ask_kind kind, uint32_t shard);
/* The last such ask; there must be one. */
const struct asked *last_asked(enum ask_kind kind, uint32_t shard);

#endif
