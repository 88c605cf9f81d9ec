/*
 * wild_scenario: scenarios of valid keys and wild values, by the table of keys itself: the ends of each
 * range, magnitudes in between, and names that exist. Some are refused, the others can be run.
 *
 * Half of them list their transactions, as a capsule does.
 */
#ifndef TESTS_TRIAL_SCENARIO_WILD_SCENARIO_H
#define TESTS_TRIAL_SCENARIO_WILD_SCENARIO_H

#include "base/buffer.h"
#include "tests/differential/dice.h"

void wild_scenario(struct dice *, struct buffer *text);

#endif
