/*
 * database: reads, prints and checks the section [database], by which a scenario runs on a real
 * database instead of the simulated world.
 */
#ifndef TRIAL_SCENARIO_DATABASE_PRIVATE_H
#define TRIAL_SCENARIO_DATABASE_PRIVATE_H

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

MUST_USE enum status scenario_database_read(const struct database **, const char *label,
                                            const struct setting *, struct error *);
MUST_USE enum status scenario_settings_read(struct scenario_settings *, const char *label,
                                            const struct setting *list, struct error *);
void scenario_settings_print(const struct scenario_settings *, struct buffer *);

bool scenario_has_database(const struct scenario *);
/*
 * Refuses what no real database does, and writes down what of the file is of the simulated world
 * alone. `root` is the file, `table` its section.
 */
MUST_USE enum status scenario_database_check(struct scenario *, const struct setting *root,
                                             const struct setting *table, struct error *);

#endif
