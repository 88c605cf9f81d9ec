/*
 * core: which transactions a proof needs.
 *
 * What is known of a transaction rests on others: on those that it has seen, and on those whose answers exclude some
 * of what it may have done. The core is the one that is refuted, with all that this rests on.
 */
#ifndef AUDIT_CORE_PRIVATE_H
#define AUDIT_CORE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

struct core_need {
    uint32_t txn, other;
};

struct core {
    ARRAY(struct core_need) needs;
    ARRAY(uint32_t) txns; /* of the core */
    bool *is_in;          /* by transaction */
    bool is_too_much;     /* to be noted: all of the log is the core */
};

void core_close(struct core *);

/* What is known of the first rests on the other one. */
MUST_USE enum status core_note(struct core *, uint32_t txn, uint32_t other, struct error *);

/* When all is noted: of so many transactions some, and at the end those that they rest on. */
MUST_USE enum status core_begin(struct core *, uint32_t txn_count, struct error *);
MUST_USE enum status core_add(struct core *, uint32_t txn, struct error *);
MUST_USE enum status core_end(struct core *, struct error *);

#endif
