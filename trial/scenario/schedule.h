/*
 * schedule: the [[schedule]] of a scenario, a scripted interleaving.
 *
 *     [[schedule]]
 *     session = 1                                          a number or a name
 *     do = "SELECT id, value FROM test WHERE id = 1"       or begin, commit, abort, await
 *     expect = ["ok", "blocked"]                           what it may be, each in a word
 *     rows = [[1, 10]]                                     what a SELECT must give
 *
 * A value of a row is an integer, a decimal, a string or a boolean; TOML has no
 * null: [] is one.
 */
#ifndef TRIAL_SCENARIO_SCHEDULE_H
#define TRIAL_SCENARIO_SCHEDULE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "store/store.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml.h"

/* `label` is the key's name, for messages. */
MUST_USE enum status given_session_read(char *session, const char *label, const struct setting *,
                                        struct error *);
MUST_USE enum status given_do_read(struct scenario_do *, const char *label, const struct setting *,
                                   struct error *);
MUST_USE enum status given_expect_read(uint32_t *expected, const char *label,
                                       const struct setting *, struct error *);
MUST_USE enum status given_rows_read(struct scenario_rows *, const char *label,
                                     const struct setting *, struct error *);

void given_session_print(const char *session, struct buffer *);
void given_do_print(const struct scenario_do *, struct buffer *);
void given_expect_print(uint32_t expected, struct buffer *);
void given_rows_print(const struct scenario_rows *, struct buffer *);

/*
 * When all steps are read: numbers the sessions, and refuses what is done outside of a transaction,
 * a begin within one, and a transaction that has no end.
 */
MUST_USE enum status given_schedule_check(struct scenario *, const struct setting *list,
                                          struct error *);

/* The steps for the store; their statements become functions of the program. */
MUST_USE enum status given_schedule_make(const struct scenario *, struct program *,
                                         struct store_workload *, struct arena *, struct error *);
/* Sessions that try nothing twice, and wait until they have an answer. */
struct client_options given_schedule_client(const struct client_options *);

#endif
