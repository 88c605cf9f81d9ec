/*
 * given_swarm: what a scenario leaves to its swarm, besides nemeses.
 *
 *     [swarm]
 *     configuration = ["all"]                # or some: ["protocol", "raft"]
 *     draws = { network = 17, protocol = 3 } # these draw as those seeds would
 */
#ifndef CLI_GIVEN_SWARM_H
#define CLI_GIVEN_SWARM_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "cli/settings.h"
#include "nemesis/swarm.h"

/* A bit for each dimension but that of nemeses; "all" stands for all of them. */
MUST_USE enum status given_dimensions_read(uint32_t *dimensions, const char *label,
                                           const struct setting *, struct error *);
MUST_USE enum status given_draws_read(struct swarm_draws *, const char *label,
                                      const struct setting *, struct error *);
void given_draws_print(const struct swarm_draws *, struct buffer *);

#endif
