/*
 * transactions: reads and prints the listed transactions of a scenario (programs/workloads/listed.h).
 *
 *     [[transaction]]
 *     session = 3
 *     at = "12ms"
 *     node = 1
 *     do = ["r 3", "w 6 17"]
 */
#ifndef TRIAL_SCENARIO_TRANSACTIONS_PRIVATE_H
#define TRIAL_SCENARIO_TRANSACTIONS_PRIVATE_H

#include "base/error.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/toml_private.h"

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
