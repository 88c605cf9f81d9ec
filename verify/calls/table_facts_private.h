/* table_facts: what the transactions of a log may do to tables, as the texts of programs and statements tell. */
#ifndef VERIFY_CALLS_TABLE_FACTS_PRIVATE_H
#define VERIFY_CALLS_TABLE_FACTS_PRIVATE_H

#include "verify/calls/audit_replay_private.h"

/* By table. */
struct table_facts {
    bool *loses_rows; /* one may take a row away, or change its key */
    bool *is_written;
};

void table_facts_find(struct table_facts *, struct audit_replay *);

#endif
