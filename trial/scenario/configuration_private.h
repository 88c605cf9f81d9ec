/*
 * configuration: draws the settings of a swarm, except for nemeses.
 *
 *     given by the file or --set        drawn from the seed
 *     cluster.protocol = "occ"          cluster.nodes = 5, network.loss = 0.004, ...
 *
 * Drawn settings are added to those that are given, before any of them is interpreted. A given setting
 * is never drawn, and settings that depend on it are drawn to fit: the bugs fit the protocol, the
 * nodes fit the replicas. The resulting scenario is complete. When it is printed and run again, it
 * makes the same run without a draw.
 *
 * Each setting has its own random stream, named by dimension and key. So giving one setting changes no
 * other setting that does not depend on it.
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
