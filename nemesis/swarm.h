/*
 * swarm: what a sweep leaves to chance, and the mix of nemeses that is drawn.
 *
 * What is drawn has named dimensions. Each draws from a stream of its own, keyed by a seed
 * and its name: the run's seed, unless the scenario gives the dimension another. So one
 * dimension can be changed and all others kept. Nemeses are drawn here; all other dimensions
 * are settings of a scenario (trial/scenario/configuration.h).
 *
 * Each kind of nemesis is left out in half of the runs, as faults hide each other's bugs;
 * else it strikes with an intensity drawn log-uniformly, from hardly ever to
 * nearly always, so that a sweep sees all magnitudes. Behind the first nemesis
 * of a kind a k-th one more is stacked with probability 0.25 / k.
 *
 * What is drawn are ordinary options: printed into a scenario in place of its
 * swarm they make the same run. Each nemesis draws from a stream of its own,
 * named by its kind and number: another kind more or less leaves it alone.
 * Nothing outside the fault model is ever drawn.
 */
#ifndef NEMESIS_SWARM_H
#define NEMESIS_SWARM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"
#include "nemesis/options.h"

/* X(ENUMERATOR, name, what it draws) */
#define SWARM_DIMENSIONS(X)                                                                        \
    X(PROTOCOL, "protocol", "the protocol")                                                        \
    X(CLUSTER, "cluster", "nodes, shards and replicas")                                            \
    X(RAFT, "raft", "heartbeats, elections and snapshots of logs")                                 \
    X(RETENTION, "retention", "how long versions and outcomes are kept")                           \
    X(LENGTH, "length", "transactions, their density, and virtual time")                           \
    X(CLIENTS, "clients", "sessions, time-outs, patience and attempts")                            \
    X(WORKLOAD, "workload", "the kind of workload and its parameters")                             \
    X(CLOCKS, "clocks", "offset, drift, and what the store believes of them")                      \
    X(NETWORK, "network", "latency, loss, duplicates, reordering, capacity")                       \
    X(DISK, "disk", "latency of syncs and its tail, torn pages")                                   \
    X(NEMESIS, "nemesis", "nemeses, of those in `kinds`")                                          \
    X(BUGGIFY, "buggify", "rare paths of the store that are given a chance")

enum swarm_dimension {
#define SWARM_ENUM(enumerator, name, what) SWARM_##enumerator,
    SWARM_DIMENSIONS(SWARM_ENUM)
#undef SWARM_ENUM
        SWARM_DIMENSION_COUNT
};

struct swarm_seed {
    bool is_given;
    uint64_t seed;
};

/* Seeds that dimensions draw from instead of the run's. */
struct swarm_draws {
    struct swarm_seed of[SWARM_DIMENSION_COUNT];
};

struct swarm_options {
    uint32_t kinds;      /* of nemeses: a bit for each that may be drawn; 0: none */
    uint32_t dimensions; /* a bit for each of the others that is drawn */
    struct swarm_draws draws;
};

bool swarm_draws_equal(const struct swarm_draws *, const struct swarm_draws *);
const char *swarm_dimension_name(enum swarm_dimension);
bool swarm_find_dimension(struct text, enum swarm_dimension *);
/* Of the run whose seed this is. */
struct random_key swarm_key(const struct swarm_options *, enum swarm_dimension, uint64_t seed);

/* Where the nemeses will be: what cannot be felt there is not drawn. */
struct swarm_ground {
    uint32_t node_count;
    bool has_leaders; /* shards, whose leaders the nodes publish */
    bool has_disks;
    bool can_spare_disk; /* some replicas may be damaged: see struct nemesis_ground */
    int64_t duration_ns; /* of a run in which each nemesis should strike; 0: of any length */
};

/* Fills the list up to count_max. The seed is the run's. */
uint32_t swarm_draw(const struct swarm_options *, const struct swarm_ground *, uint64_t seed,
                    struct nemesis_options *list, uint32_t count_max);

#endif
