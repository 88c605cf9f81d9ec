/*
 * final_state: what is asked of the rows that a run has left.
 *
 *     invariant_money_conserved()              a function of the program: a boolean, and true
 *     SELECT sum(balance) FROM accounts        a query of the scenario: one value
 *
 * A query is compiled with the tables of the workload, as a function that returns the value as text, and run by the
 * engine, which gets the rows.
 */
#ifndef PROGRAMS_MACHINE_FINAL_STATE_H
#define PROGRAMS_MACHINE_FINAL_STATE_H

#include "programs/machine/program.h"

/* By its name. */
bool program_is_invariant(const struct program *, uint32_t function);
/* Refuses a program with a function that is an invariant by its name and could never be called as one. */
MUST_USE enum status program_examine_invariants(const struct program *, struct error *);

typedef enum status final_row_taker(void *context, const struct datum *cells, struct error *);

/* Whoever has the rows gives all of a table to the taker. */
struct final_rows {
    enum status (*each)(void *context, uint32_t table, final_row_taker *, void *taker,
                        struct error *);
    void *context;
};

/* Of the first tables of the schema. Refuses what they do not allow. */
MUST_USE enum status final_query_check(const struct schema *, uint32_t table_count,
                                       const char *query, struct error *);
/* Appends the value. A null is no text at all; a failure is "ERROR: ...". */
MUST_USE enum status final_query_run(const struct schema *, uint32_t table_count, const char *query,
                                     const struct final_rows *, struct buffer *value,
                                     struct error *);

#endif
