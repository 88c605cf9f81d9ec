/*
 * raft_fixture: a world with one group of replicas that apply numbers, and what
 * must hold of it.
 *
 * Whatever is applied at an index first is the truth about it; all that is applied
 * or loaded there later, by anybody, in any incarnation, must be the same. What a
 * leader has applied is acknowledged, so it may never be missing where a leader is
 * ready, or where a round comes back; and a term has one leader. The first breach
 * is written into `broken`, and the run goes on, as the tests of bugs want to see one.
 */
#ifndef TESTS_STORE_RAFT_RAFT_FIXTURE_H
#define TESTS_STORE_RAFT_RAFT_FIXTURE_H

#include "sim/disk.h"
#include "sim/fault.h"
#include "sim/world.h"
#include "store/raft/raft_private.h"
#include "tests/fixture.h"
#include "unity.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)
#define GROUP_NODES_MAX 5
#define GROUP_TRUTHS_MAX 65536

/* Families of faults that group_storm() draws from. */
enum group_faults {
    GROUP_CRASHES = 1,
    GROUP_PARTITIONS = 2,
    GROUP_PAUSES = 4,
    GROUP_CLOCKS = 8,
    GROUP_TORN = 16,   /* crashes leave parts of what was not synced */
    GROUP_ERRORS = 32, /* reads and writes fail, disks are full, slow, stalled */
    GROUP_ROT = 64,    /* bits flip, on a minority of the disks */
    GROUP_CRASH_ALL = 128,
    GROUP_FLICKERS = 256, /* crashes that last some milliseconds */
    GROUP_ALL = 511,
};

struct group_options {
    uint64_t seed;
    uint32_t node_count;
    uint32_t snapshot_entries;
    int64_t propose_every_ns; /* 0: nothing is proposed */
    uint32_t command_bytes;   /* at least 8 */
    int64_t election_ns;      /* heartbeats come six times as often */
    int64_t strike_ns_max;    /* from one fault to the next */
    struct bugs bugs;
    struct link_options network;
    bool prints; /* the trace */
    bool unhashed;
};

struct group_node {
    struct pool pool;
    struct disk disk;
    struct raft *raft;
    uint64_t applied, chain; /* as the host of the replica counts them */
    uint64_t applied_max;    /* in all incarnations */
    uint64_t starts, loads;
};

struct group_truth {
    uint64_t chain, term, number;
};

struct group {
    struct group_options options;
    struct world world;
    struct pool_memory memory;
    struct sometimes sometimes;
    struct group_node nodes[GROUP_NODES_MAX];
    struct group_truth truths[GROUP_TRUTHS_MAX];
    uint32_t leaders[GROUP_TRUTHS_MAX]; /* by term: node + 1, 0 is nobody */
    uint64_t known;                     /* the truth is known up to here */
    uint64_t acknowledged;              /* the highest index applied by a leader */
    uint64_t proposed, confirmed, refused;
    uint64_t confirm_tokens[1024]; /* what was acknowledged as the token was handed in */
    uint64_t confirm_count;
    uint32_t caller;
    unsigned faults;
    struct random random;
    char broken[200];
};

/* A network of about a millisecond, which loses, doubles and reorders `permille` each. */
struct link_options group_network(uint64_t permille);
/* Three nodes, snapshots every 200, a number every 5 ms, elections after 300, a fault every 300. */
struct group_options group_defaults(uint64_t seed);
/* In the arena of the tests. */
void group_start(struct group *, const struct group_options *);
void group_run(struct group *, int64_t for_ns);
void group_close(struct group *);

/* Faults of these families for so long; then all is healed. */
void group_storm(struct group *, unsigned faults, int64_t for_ns);
void group_heal(struct group *);

/* Proposes the next number on that node; the entry's index, or 0. */
uint64_t group_propose(struct group *, uint32_t node);
/* Asks that node's leader for a round. */
void group_confirm(struct group *, uint32_t node);
void group_crash(struct group *, uint32_t node);
void group_cut_off(struct group *, uint32_t node, bool cut);

/* After healing: waits until every node has applied a number that is proposed from now on. */
bool group_makes_progress(struct group *, int64_t within_ns);
/* The node that leads, all others knowing it; runs until there is one. */
uint32_t group_await_leader(struct group *);
struct digest group_hash(struct group *);

/* A leader of the highest term there is, or WORLD_NOBODY. */
uint32_t group_leader(const struct group *);

static inline bool raft_is_leader(const struct raft *raft)
{
    return raft->state == RAFT_LEADER;
}

#endif
