/*
 * ping: the smallest process for a node, to try the world with.
 *
 * Every node pings every other at an interval on its own clock and answers
 * pings. A peer that has answered nothing for `suspect_ns` is suspected until
 * it answers. What was seen is summed up in struct ping_findings.
 *
 * After the harness has healed the world, ping_settle() demands liveness: a
 * new round trip for every ordered pair of nodes within a budget of virtual
 * time. A message is 25 bytes, little-endian: what it is, the number of the
 * ping, the asker's monotonic time, and the sender's wall time.
 */
#ifndef SIM_PING_H
#define SIM_PING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "sim/world.h"

/* Zero: the default in brackets. */
struct ping_options {
    int64_t interval_ns; /* [100 ms] */
    int64_t suspect_ns;  /* [1 s] without an answer */
};

struct ping_findings {
    uint64_t pings_sent, pings_answered;
    uint64_t round_trips;            /* answers that came home in time to be the newest */
    uint64_t suspicions, recoveries; /* peers thought dead, and heard of again */
    int64_t round_trip_ns_max;       /* on the asker's clock */
    int64_t clock_difference_ns_max; /* between two wall clocks, as far as messages can tell */
    bool stuck;                      /* ping_settle() ran out of budget */
    uint32_t stuck_from, stuck_to;   /* the first such pair */
};

struct ping_peer; /* what a node knows of another */

struct ping {
    struct ping_options options;
    struct ping_findings findings;
    uint32_t node_count;
    int64_t *started_ns;     /* of each node, on its monotonic clock */
    struct ping_peer *peers; /* node * node_count + peer */
    uint32_t missing;        /* pairs that ping_settle() waits for */
};

/* Puts the process on every node of a world that has not started. */
MUST_USE enum status ping_init(struct ping *, const struct ping_options *, struct world *,
                               struct arena *, struct error *);

/* Runs the world until every pair has made a new round trip, or the budget is spent: stuck. */
MUST_USE enum status ping_settle(struct ping *, struct world *, int64_t budget_ns, struct error *);

#endif
