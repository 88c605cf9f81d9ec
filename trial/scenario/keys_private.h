/*
 * keys: the table of all keys that a scenario may have.
 *
 * The table drives reading, defaults, range checks and printing. A test compares it with
 * docs/scenarios.md. A row writes into the struct of its section at its offset. Rows are read in the
 * table's order, so that a key may depend on one above it (a shape on its kind).
 */
#ifndef TRIAL_SCENARIO_KEYS_PRIVATE_H
#define TRIAL_SCENARIO_KEYS_PRIVATE_H

#include "trial/scenario/section_private.h"

extern const struct section scenario_sections[];
extern const size_t scenario_section_count;

#endif
