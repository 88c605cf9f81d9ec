/*
 * store: reads and prints the settings that name something: protocol, bugs, workload with its
 * parameters and calls, level and checkers.
 */
#ifndef TRIAL_SCENARIO_STORE_PRIVATE_H
#define TRIAL_SCENARIO_STORE_PRIVATE_H

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

/* `label` is the key's name, for messages. */
MUST_USE enum status scenario_protocol_read(const struct protocol **, const char *label,
                                            const struct setting *, struct error *);
MUST_USE enum status scenario_bugs_read(struct bugs *, const char *label, const struct setting *,
                                        struct error *);
/* Of a workload whose program is read already: no kind means that it runs the program. */
MUST_USE enum status scenario_workload_read(struct scenario_workload *, const char *label,
                                            const struct setting *, struct error *);
MUST_USE enum status scenario_parameter_read(struct scenario_workload *, const char *name,
                                             const struct setting *, struct error *);
/* [[workload.call]] */
MUST_USE enum status scenario_calls_read(struct scenario_calls *, const char *label,
                                         const struct setting *, struct error *);
/* One line, of at most size - 1 bytes. */
MUST_USE enum status scenario_line_read(char *line, size_t size, const char *label,
                                        const struct setting *, struct error *);

MUST_USE enum status scenario_level_read(uint32_t *level_plus_1, const char *label,
                                         const struct setting *, struct error *);
MUST_USE enum status scenario_checkers_read(struct check_wishes *, const char *label,
                                            const struct setting *, struct error *);

void scenario_checkers_print(const struct check_wishes *, struct buffer *);
void scenario_bugs_print(const struct bugs *, struct buffer *);
void scenario_calls_print(const struct scenario_calls *, struct buffer *);

#endif
