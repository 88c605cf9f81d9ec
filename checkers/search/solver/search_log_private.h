/*
 * search_log: the steps of a proof as they are learnt, and those of them that were needed.
 *
 * The log never shrinks while the search goes on; past `words_max` it gives up, and a
 * refutation is then had without a proof.
 */
#ifndef CHECKERS_SEARCH_SOLVER_SEARCH_LOG_PRIVATE_H
#define CHECKERS_SEARCH_SOLVER_SEARCH_LOG_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "checkers/search/solver/search.h"

struct search_log {
    ARRAY(struct search_step) steps;
    ARRAY(uint32_t) words;
    uint32_t clause_count; /* of the problem: numbers from here on are steps */
    uint64_t words_max;
    bool has_given_up;
};

void search_log_init(struct search_log *, uint32_t clause_count, uint64_t words_max);
void search_log_close(struct search_log *);

/* The parts of a step, one after the other; then its number. */
struct log_entry {
    const uint32_t *literals, *by, *cycle;
    uint32_t literal_count, by_count, cycle_count;
};
MUST_USE enum status search_log_add(struct search_log *, const struct log_entry *, uint32_t *number,
                                    struct error *);

/* Keeps what the last step rests on, and numbers it anew. Empties the log. */
MUST_USE enum status search_log_trim(struct search_log *, struct search_proof *, struct error *);

#endif
