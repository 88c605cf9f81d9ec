/*
 * swarm: reads and prints the settings of a swarm, except for nemeses, and the sites of buggify.
 *
 *     [swarm]
 *     configuration = ["all"]                # or some: ["protocol", "raft"]
 *     draws = { network = 17, protocol = 3 } # these dimensions draw from other seeds
 *
 *     [buggify]
 *     sites = ["sync-lags"]                  # or ["all"]
 */
#ifndef TRIAL_SCENARIO_SWARM_H
#define TRIAL_SCENARIO_SWARM_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "nemesis/swarm.h"
#include "trial/scenario/toml_private.h"

/* A bit for each dimension but that of nemeses; "all" stands for all of them. */
MUST_USE enum status scenario_dimensions_read(uint32_t *dimensions, const char *label,
                                              const struct setting *, struct error *);
MUST_USE enum status scenario_draws_read(struct swarm_draws *, const char *label,
                                         const struct setting *, struct error *);
/* A bit for each site of buggify. */
MUST_USE enum status scenario_sites_read(uint64_t *sites, const char *label, const struct setting *,
                                         struct error *);
void scenario_sites_print(uint64_t sites, struct buffer *);
void scenario_draws_print(const struct swarm_draws *, struct buffer *);

#endif
