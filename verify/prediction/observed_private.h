/*
 * observed: who read which key from whom in an observed history, as docs/format-witness-prediction.md says it.
 *
 *     T1: w x 1, w x 2, r y _         T1: write x, read y from the initial state
 *     T2: r x 2, w z 3, r z 3         T2: read x from T1, write z
 *
 * Transactions and keys have the history's numbers.
 */
#ifndef VERIFY_PREDICTION_OBSERVED_PRIVATE_H
#define VERIFY_PREDICTION_OBSERVED_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "history/history.h"

#define FROM_INITIAL (UINT32_MAX - 1)
#define FROM_NOBODY UINT32_MAX /* it is a write */

struct observed_event {
    uint32_t key;
    uint32_t from; /* of a read */
};

struct observed {
    const struct history *h;
    bool *takes_part; /* by transaction */
    uint32_t *start;  /* by transaction, and one more: its events */
    ARRAY(struct observed_event) events;
    uint64_t unjudged;  /* statements of which nobody knows which rows they saw */
    uint64_t ambiguous; /* reads of a value that several had written */
    bool is_refused;    /* the error says why nothing is predicted from this history */
};

/* To be closed whatever the status; by transaction, the arena's. */
MUST_USE enum status observed_read(struct observed *, const struct history *, struct arena *,
                                   struct error *);
void observed_close(struct observed *);

bool observed_writes(const struct observed *, uint32_t txn, uint32_t key);

#endif
