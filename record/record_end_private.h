/*
 * record_end: what the database is asked when all clients have ended.
 */
#ifndef RECORD_RECORD_END_PRIVATE_H
#define RECORD_RECORD_END_PRIVATE_H

#include "record/record_private.h"

/*
 * A last session reads everything back in one transaction, into the log behind the clients'; and the
 * workload's invariant is judged.
 */
MUST_USE enum status record_end_read(struct record_stage *, struct client_log *logs,
                                     struct error *);
MUST_USE enum status record_end_query(struct record_stage *, const struct record_invariant *,
                                      struct error *);

#endif
