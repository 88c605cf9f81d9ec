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

void witness_parts_close(struct witness_parts *);

/* Adds an execution, and those of unknown outcome that are not in it, to what there is. */
MUST_USE enum status witness_add(struct witness_parts *, const struct plan *,
                                 const struct witness_execution *, struct error *);
MUST_USE enum status witness_add_absent(struct witness_parts *, const struct plan *,
                                        const struct witness_execution *, struct error *);

/* The newest rows of all tables, as "rows" of a log has them. */
MUST_USE enum status witness_put_tables(struct buffer *, const struct plan *, const struct rows *,
                                        struct error *);

/* Of the execution only its level, mode and rule are looked at. */
MUST_USE enum status witness_put_valid(struct buffer *, const struct digest *log,
                                       const struct witness_execution *,
                                       const struct witness_parts *, struct error *);
/* Those that have no execution; none: all. */
struct witness_core {
    const uint32_t *txns;
    uint32_t count;
};

MUST_USE enum status witness_put_invalid(struct buffer *, const struct plan *, enum level,
                                         enum audit_model, const struct audit_wrong *,
                                         const struct witness_core *, struct error *);

#endif
