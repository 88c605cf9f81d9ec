/*
 * witness: an execution, or its impossibility, as docs/format-witness-audit.md has it.
 */
#ifndef AUDIT_WITNESS_PRIVATE_H
#define AUDIT_WITNESS_PRIVATE_H

#include "audit/audit.h"
#include "audit/runner_private.h"

/* A transaction where it stands, and what it saw. */
struct witness_txn {
    uint32_t txn;
    uint32_t statements;
    uint32_t state; /* of statements without a choice */
    const struct choice *choices;
    uint32_t choice_count;
};

struct witness_execution {
    enum level level;
    enum run_mode mode;
    bool is_by_version;
    const struct witness_txn *txns;
    uint32_t count;
};

MUST_USE enum status witness_put_valid(struct buffer *, const struct plan *,
                                       const struct witness_execution *, struct error *);
MUST_USE enum status witness_put_invalid(struct buffer *, const struct plan *, enum level,
                                         enum audit_model, const struct audit_wrong *,
                                         struct error *);

#endif
