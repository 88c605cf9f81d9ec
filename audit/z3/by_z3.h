/*
 * by_z3: looks for an execution in the order of commits by Z3 (prefixes_private.h), rule after rule, and runs what it
 * finds by the machine (replayed_private.h).
 */
#ifndef AUDIT_Z3_BY_Z3_H
#define AUDIT_Z3_BY_Z3_H

#include "audit/audit.h"
#include "audit/z3/replayed_private.h"

struct by_z3 {
    const struct plan *plan;
    struct rows *rows; /* as the log begins; if an execution is found, as that leaves them */
    const struct audit_options *options;
    const uint32_t *order;
    uint32_t count;

    /* What it came to. */
    enum run_mode mode;
    bool by_value;
    bool is_found, is_impossible;
    struct replayed replayed; /* if it is found */
    char reason[400];         /* if it is neither */
    uint64_t jumps;
    struct audit_z3_result result;
};

/* The runner is opened for the replay; it is to be closed by whoever closes this. To be closed whatever the status. */
MUST_USE enum status by_z3_run(struct by_z3 *, struct runner *, struct error *);
void by_z3_close(struct by_z3 *);

#endif
