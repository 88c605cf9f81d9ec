/*
 * schedule: reads and prints the [[schedule]] of a scenario, a scripted interleaving.
 *
 *     [[schedule]]
 *     session = 1                                          a number or a name
 *     do = "SELECT id, value FROM test WHERE id = 1"       or begin, commit, abort, await
 *     expect = ["ok", "blocked"]                           the outcomes that are allowed
 *     rows = [[1, 10]]                                     the rows that a SELECT must return
 *
 * A value of a row is an integer, a decimal, a string or a boolean. TOML has no null; [] stands for
 * it.
 */
#ifndef TRIAL_SCENARIO_SCHEDULE_PRIVATE_H
#define TRIAL_SCENARIO_SCHEDULE_PRIVATE_H

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

/* `label` is the key's name, for messages. */
MUST_USE enum status scenario_session_read(char *session, const char *label, const struct setting *,
                                           struct error *);
MUST_USE enum status scenario_do_read(struct scenario_do *, const char *label, const struct setting *,
                                      struct error *);
MUST_USE enum status scenario_expect_read(uint32_t *expected, const char *label,
                                          const struct setting *, struct error *);
MUST_USE enum status scenario_rows_read(struct scenario_rows *, const char *label,
                                        const struct setting *, struct error *);

void scenario_session_print(const char *session, struct buffer *);
void scenario_do_print(const struct scenario_do *, struct buffer *);
void scenario_expect_print(uint32_t expected, struct buffer *);
void scenario_rows_print(const struct scenario_rows *, struct buffer *);

/*
 * When all steps are read: numbers the sessions, says how they wait, and refuses what is done
 * outside of a transaction, a begin within one, and a transaction that has no end.
 */
MUST_USE enum status scenario_schedule_check(struct scenario *, const struct setting *list,
                                             struct error *);

/*
 * Reads and prints the listed transactions of a scenario (programs/workloads/listed.h).
 *
 *     [[transaction]]
 *     session = 3
 *     at = "12ms"
 *     node = 1
 *     do = ["r 3", "w 6 17"]
 */

/* A [[transaction]], as it is read. */
struct scenario_transaction {
    uint32_t session;
    int64_t at_ns;
    uint32_t node;
    const struct setting *steps; /* `do`, which only lasts as long as the reading */
};

/* Puts it into the listing. */
MUST_USE enum status scenario_listed_read(struct scenario *, const struct scenario_transaction *,
                                          const struct setting *table, struct error *);
/* All of them, as TOML. */
void scenario_listed_print(const struct scenario *, struct buffer *);

#endif
