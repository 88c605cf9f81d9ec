/*
 * nemesis: reads and prints the settings of nemeses that are lists, among them listed strikes
 * (nemesis/strikes.h).
 *
 *     strikes = [
 *         { at = "1s", lasts = "20ms", nodes = [0, 2] },
 *         { at = "3s", nodes = [1], by = ["-12ms"] },     # a clock that is stepped; of drift: [-500]
 *         { at = "5s", lasts = "1s", links = [[0, 1], [2, 1]] },
 *     ]
 */
#ifndef TRIAL_SCENARIO_NEMESIS_PRIVATE_H
#define TRIAL_SCENARIO_NEMESIS_PRIVATE_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "nemesis/nemesis.h"
#include "nemesis/swarm.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

/* `label` is the key's name, for messages. */
MUST_USE enum status scenario_times_read(struct nemesis_times *, const char *label,
                                         const struct setting *, struct error *);
MUST_USE enum status scenario_nodes_read(struct nemesis_nodes *, const char *label,
                                         const struct setting *, struct error *);
/* A bit for each kind of nemesis; "all" stands for all of them. */
MUST_USE enum status scenario_kinds_read(uint32_t *kinds, const char *label, const struct setting *,
                                         struct error *);

/* Numbers of events, rising. */
MUST_USE enum status scenario_events_read(struct steering_events *, const char *label,
                                          const struct setting *, struct error *);
void scenario_events_print(const struct steering_events *, struct buffer *);

void scenario_times_print(const struct nemesis_times *, struct buffer *);
void scenario_nodes_print(const struct nemesis_nodes *, struct buffer *);
void scenario_kinds_print(uint32_t kinds, struct buffer *);

/* Into the scenario's memory. NULL: there are none. */
MUST_USE enum status scenario_strikes_read(struct scenario *, struct nemesis_options *,
                                           const struct setting *list, struct error *);
void scenario_strikes_print(const struct nemesis_options *, struct buffer *);

/*
 * Reads and prints the settings of a swarm, except for nemeses, and the sites of buggify.
 *
 *     [swarm]
 *     configuration = ["all"]                # or some: ["protocol", "raft"]
 *     draws = { network = 17, protocol = 3 } # these dimensions draw from other seeds
 *
 *     [buggify]
 *     sites = ["sync-lags"]                  # or ["all"]
 */

/* A bit for each dimension but that of nemeses; "all" stands for all of them. */
MUST_USE enum status scenario_dimensions_read(uint32_t *dimensions, const char *label,
                                              const struct setting *, struct error *);
MUST_USE enum status scenario_draws_read(struct swarm_draws *, const char *label,
                                         const struct setting *, struct error *);
/* A bit for each site of buggify. */
MUST_USE enum status scenario_sites_read(uint64_t *sites, const char *label, const struct setting *,
                                         struct error *);
void scenario_sites_print(uint64_t sites, struct buffer *);

#endif
