/*
 * replayed: what Z3 has found, run by the machine: an execution only if all answers come out there, too.
 */
#ifndef AUDIT_Z3_REPLAYED_PRIVATE_H
#define AUDIT_Z3_REPLAYED_PRIVATE_H

#include "audit/exhaust_private.h"
#include "audit/z3/prefixes_private.h"
#include "base/map.h"

struct replayed {
    bool is_whole;
    bool
        disagrees; /* `txn` gives other answers than the model says, or may not commit: a fault of the encoding */
    uint32_t txn;
    ARRAY(struct exhausted) placed; /* all that have committed, in their order */
    choice_list choices;

    choice_list path;
    struct map wanted; /* states by transaction, statement and row */
    uint8_t *is_absent;
    uint32_t *before; /* by place in the order: how many in front of it have committed */
};

/* Zeroed before; to be closed whatever the status. The runner has the rows as the log begins; its limit may end it. */
MUST_USE enum status replayed_run(struct replayed *, const struct prefixes *,
                                  const struct prefixes_reply *, struct runner *, struct error *);
void replayed_close(struct replayed *);

#endif
