/*
 * exhaust: all executions of a small log, one after another, until one gives the answers.
 *
 * Every order that the definition allows is tried, and in it every choice of states; a
 * branch ends where an answer is wrong. Nothing is assumed about who influences whom, so what it refutes is
 * refuted. Transactions of unknown outcome are left out first, and then tried everywhere.
 *
 * What was tried before is known by hashes of 64 bits, whose key is random in the program. Two of the million runs at
 * the most that differ have the same one by chance in one audit of ten million; nobody can choose them.
 */
#ifndef AUDIT_EXHAUST_PRIVATE_H
#define AUDIT_EXHAUST_PRIVATE_H

#include "audit/search_private.h"
#include "base/map.h"
#include "history/level.h"

#define EXHAUST_TXNS_MAX 256

struct exhaust_options {
    enum level level;
    enum run_mode mode;
    bool by_value;
    uint64_t runs_max; /* of the runner */
    struct pace *pace;
};

/* One of an execution that was found. */
struct exhausted {
    uint32_t txn;
    uint32_t statements;
    size_t choice;
    uint32_t choice_count;
    uint32_t ceiling;
};

struct exhaust {
    const struct plan *plan;
    struct runner *runner;
    struct rows *rows;
    const struct exhaust_options *options;
    uint8_t *is_done, *has_written; /* by transaction */
    uint32_t done_ok, ok_count;
    ARRAY(struct exhausted) placed;
    choice_list choices;
    struct map dead; /* of a serial order: who was done, and what there was, where nothing led on */
    uint64_t done_hash, state_hash;
    bool is_over; /* not all could be tried */
};

MUST_USE enum status exhaust_open(struct exhaust *, const struct plan *, struct runner *,
                                  const struct exhaust_options *, struct error *);
void exhaust_close(struct exhaust *);
/* If one is found, placed has it in its order, and the rows are as it leaves them. */
MUST_USE enum status exhaust_go(struct exhaust *, bool *found, struct error *);
/* In place of a search: one goes behind those that are placed, on the states of the runner's chooser, if it may. */
MUST_USE enum status exhaust_add(struct exhaust *, uint32_t txn, struct run_window, bool *is_added, struct error *);

#endif
