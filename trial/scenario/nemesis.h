/*
 * nemesis: those settings of nemeses and of the swarm that are lists.
 */
#ifndef TRIAL_SCENARIO_NEMESIS_H
#define TRIAL_SCENARIO_NEMESIS_H

#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "nemesis/nemesis.h"
#include "trial/scenario/toml.h"

/* `label` is the key's name, for messages. */
MUST_USE enum status given_times_read(struct nemesis_times *, const char *label,
                                      const struct setting *, struct error *);
MUST_USE enum status given_nodes_read(struct nemesis_nodes *, const char *label,
                                      const struct setting *, struct error *);
/* A bit for each kind of nemesis; "all" stands for all of them. */
MUST_USE enum status given_kinds_read(uint32_t *kinds, const char *label, const struct setting *,
                                      struct error *);

void given_times_print(const struct nemesis_times *, struct buffer *);
void given_nodes_print(const struct nemesis_nodes *, struct buffer *);
void given_kinds_print(uint32_t kinds, struct buffer *);

#endif
