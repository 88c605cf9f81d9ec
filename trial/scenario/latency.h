/*
 * latency: reads and prints a latency of a scenario.
 *
 *     "1ms"                                            constant
 *     { min = "1ms", max = "5ms" }                     uniform
 *     { mean = "5ms", min = "1ms" }                    exponential; min may be left out
 *     { median = "1ms", p99 = "20ms" }                 log-normal
 *     { ..., tail = "200ms", tail_chance = 0.001 }     with this probability as much longer
 */
#ifndef TRIAL_SCENARIO_LATENCY_H
#define TRIAL_SCENARIO_LATENCY_H

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

/* `label` is the key's name, for messages. What is read can be made into a struct latency. */
MUST_USE enum status scenario_latency_read(struct scenario_latency *, const char *label,
                                           const struct setting *, struct error *);
void scenario_latency_print(const struct scenario_latency *, struct buffer *);
MUST_USE enum status scenario_latency_make(const struct scenario_latency *, struct latency *,
                                           struct error *);

#endif
