/*
 * propagation: clauses, and what follows from them by taking those whose literals are false but for one.
 *
 *     (-1 2) (-2 3)      propagation_implies({ -1, 3 })      true: 1 makes 2, and 2 makes 3
 *
 * Literals are 2 v for the variable v, and 2 v + 1 for its opposite.
 */
#ifndef VERIFY_PREDICTION_PROPAGATION_PRIVATE_H
#define VERIFY_PREDICTION_PROPAGATION_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct propagation {
    uint32_t variable_count;
    ARRAY(uint32_t) literals;
    ARRAY(uint64_t) start; /* by clause: its first literal, which is watched, as the second is */
    ARRAY(uint32_t) size;
    ARRAY(uint32_t) next; /* by clause, two: the next one that watches the literal */
    uint32_t *watch; /* by literal: clause and one, times two, and which of its watches; 0: none */
    uint8_t *value;  /* by literal: whether it is true */
    uint32_t *trail;
    size_t trail_count, done;
    uint64_t visits;       /* of clauses, so far */
    bool is_contradictory; /* whatever is supposed */
};

/* Of so many variables; closed by propagation_close(), whatever the status. */
MUST_USE enum status propagation_init(struct propagation *, uint32_t variable_count,
                                      struct error *);
void propagation_close(struct propagation *);
MUST_USE enum status propagation_add(struct propagation *, const uint32_t *literals, size_t count,
                                     struct error *);
/* Whether a contradiction follows if all these literals are false. */
bool propagation_implies(struct propagation *, const uint32_t *literals, size_t count);

#endif
