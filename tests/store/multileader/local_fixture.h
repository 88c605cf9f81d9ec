/*
 * local_fixture: a multi-leader store and clients that do as they are told, one
 * request at a time, each at whatever node.
 *
 *     local_open(&options);
 *     uint32_t c = 0;
 *     local_begin(c, node);                 a transaction of client 0 at that node
 *     local_write(c, key, 5); local_commit(c);
 *     local_read(c, key)                    5, or NO_VALUE
 *
 * All of these wait for the reply; local_ask() does not. What clients do goes
 * into the cluster's record, so that a history comes out at the end. local_random()
 * lets clients run at random, from node to node, with troubles at random times.
 */
#ifndef TESTS_STORE_MULTILEADER_LOCAL_FIXTURE_H
#define TESTS_STORE_MULTILEADER_LOCAL_FIXTURE_H

#include "history/history.h"
#include "sim/fault.h"
#include "store/cluster_private.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define NO_VALUE INT64_MIN
#define LOCAL_CLIENTS_MAX 8
#define LOCAL_ROWS_MAX 512

struct local_options {
    const char *protocol;
    struct bugs bugs;
    uint32_t nodes, clients, initial_rows; /* keys 0 .. initial_rows - 1 hold 0 */
    uint64_t seed;
    int64_t offset_ns, latency_ns; /* clocks apart; mean of an exponential, 0: constant 1 ms */
    int64_t think_ns; /* at most, between random transactions */
    uint32_t snapshot_entries;
};

struct local_client {
    uint64_t txn;
    uint32_t node, number;
    uint32_t session;
    bool is_answered;
    int64_t invoked_ns;
    struct client_request request;
    enum client_reply_kind kind;
    enum refusal refusal;
    /* Of the last reply. */
    uint32_t row_count, seen_count;
    uint32_t keys[LOCAL_ROWS_MAX];
    int64_t values[LOCAL_ROWS_MAX];
    struct seen_key seen[LOCAL_ROWS_MAX];
    char token[512];
    size_t token_size;
    struct stamp latest; /* seen by the session */
};

struct local_store {
    struct arena arena, scratch;
    struct world world;
    struct cluster cluster;
    struct local_client clients[LOCAL_CLIENTS_MAX];
};

extern struct local_store local;

void local_open(const struct local_options *);
void local_close(void);
void local_run(int64_t ns);

uint32_t local_key(int64_t id);
uint32_t local_whole_table(void);

/* Does not wait. */
void local_begin(uint32_t client, uint32_t node);
void local_ask(uint32_t client, const struct client_request *);
void local_ask_again(uint32_t client);
/* False: there was none in that time. */
bool local_await(uint32_t client, int64_t ns);

/* These fail the test if nobody answers. */
int64_t local_read(uint32_t client, int64_t id);
/* How many rows; keys, values and seen are the client's. */
uint32_t local_read_all(uint32_t client);
void local_write(uint32_t client, int64_t id, int64_t value);
void local_remove(uint32_t client, int64_t id);
enum client_reply_kind local_commit(uint32_t client);
/* A transaction of its own. */
void local_put(uint32_t client, uint32_t node, int64_t id, int64_t value);
int64_t local_get(uint32_t client, uint32_t node, int64_t id);
/* Whom the last reply says to have written it: 0 for nobody, UINT64_MAX if it does not say. */
uint64_t local_seen(uint32_t client, int64_t id);

void local_cut(uint32_t from, uint32_t to);
void local_cut_off(uint32_t node); /* both ways, from all nodes */
void local_heal(void);
/* All that are up have heard of all, in that time, and hold the same. */
void local_converge(int64_t ns);
bool local_is_idle(void);

struct local_trouble {
    bool partitions, crashes, clocks, messages, disks;
};

/*
 * So many transactions of each client, each at a random node, over so many keys; heals and
 * converges at the end, and fails the test if that does not happen. The history is the caller's.
 */
void local_random(const struct local_options *, struct local_trouble, uint32_t txns,
                  uint32_t keys, struct history *);

/* A small history of three nodes, under some of the troubles, as the seed has it. */
struct local_options local_small(const char *protocol, uint64_t seed);
void local_random_small(const struct local_options *, struct history *);
/* Of so many seeds, how many small histories the oracle says to break the level. */
unsigned local_count_broken(const char *protocol, const struct bugs *, enum level, bool certified,
                            uint64_t seeds);

#endif
