/*
 * configuration: settings that a swarm draws, besides nemeses.
 *
 *     given by the file or --set        drawn from the seed
 *     cluster.protocol = "occ"          cluster.nodes = 5, network.loss = 0.004, ...
 *
 * What is drawn are settings of the scenario, put beside those that are given before any of
 * them gets its meaning. A setting that is given is never drawn, and what depends on it is
 * drawn to fit: of a protocol, the bugs that are switched on; of replicas, the nodes. The
 * scenario that comes of it is complete: printed, it makes the same run without a draw.
 *
 * Each setting draws from a stream of its own, named by dimension and key. So a setting
 * that is given changes no other one that does not depend on it.
 */
#ifndef TRIAL_SCENARIO_CONFIGURATION_PRIVATE_H
#define TRIAL_SCENARIO_CONFIGURATION_PRIVATE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "nemesis/swarm.h"
#include "trial/scenario/toml_private.h"

/* Adds what the options' dimensions draw to the settings, whose memory is of the arena. */
MUST_USE enum status configuration_draw(struct setting *root, const struct swarm_options *,
                                        uint64_t seed, struct arena *, struct error *);

#endif
