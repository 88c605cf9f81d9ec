/*
 * strikes: the listed strikes of a nemesis: see nemesis/strikes.h.
 *
 *     strikes = [
 *         { at = "1s", lasts = "20ms", nodes = [0, 2] },
 *         { at = "3s", nodes = [1], by = ["-12ms"] },     # a clock that is stepped; of drift: [-500]
 *         { at = "5s", lasts = "1s", links = [[0, 1], [2, 1]] },
 *     ]
 */
#ifndef TRIAL_SCENARIO_STRIKES_H
#define TRIAL_SCENARIO_STRIKES_H

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml.h"

/* Into the scenario's memory. NULL: there are none. */
MUST_USE enum status given_strikes_read(struct scenario *, struct nemesis_options *,
                                        const struct setting *list, struct error *);
void given_strikes_print(const struct nemesis_options *, struct buffer *);

#endif
