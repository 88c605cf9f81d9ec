/*
 * swarm: a mix of nemeses drawn by chance, for sweeps.
 *
 * Each kind is left out in half of the runs, as faults hide each other's bugs;
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
#include "nemesis/options.h"

struct swarm_options {
    uint32_t kinds; /* a bit for each that may be drawn; 0: no swarm */
};

/* Where the nemeses will be: what cannot be felt there is not drawn. */
struct swarm_ground {
    uint32_t node_count;
    bool has_leaders; /* shards, whose leaders the nodes publish */
    bool has_disks;
    bool can_spare_disk; /* some replicas may be damaged: see struct nemesis_ground */
};

/* Fills the list up to count_max. The seed is the run's. */
uint32_t swarm_draw(const struct swarm_options *, const struct swarm_ground *, uint64_t seed,
                    struct nemesis_options *list, uint32_t count_max);

#endif
