/*
 * tiny_oracle: whether a tiny log has an execution, by trying all of them.
 *
 * All subsets of the transactions of unknown outcome, all orders of those that write, all states of each
 * statement (at the paper's model of each row), by the definition in docs/format-witness-audit.md. A
 * transaction that writes nothing has no place at the weak levels, so it is tried at the end, on any state.
 */
#ifndef TESTS_AUDIT_TINY_ORACLE_H
#define TESTS_AUDIT_TINY_ORACLE_H

#include "base/text.h"
#include "tests/audit/tiny.h"

enum tiny_level {
    TINY_SERIALIZABLE,
    TINY_STRICT_SERIALIZABLE,
    TINY_SNAPSHOT_BY_VERSION,
    TINY_SNAPSHOT_BY_VALUE,
    TINY_STRICT_SNAPSHOT_BY_VERSION,
    TINY_STRICT_SNAPSHOT_BY_VALUE,
    TINY_RC_LOCKING,
    TINY_RC_STATEMENT,
    TINY_RC_PAPER,
    TINY_LEVEL_COUNT,
};

extern const char *const tiny_level_names[TINY_LEVEL_COUNT];

/* Whether there is one; then the witness is one, for a log of that digest. It may be NULL. */
bool tiny_has_execution(const struct tiny_log *, enum tiny_level, struct text digest,
                        struct buffer *witness);

#endif
