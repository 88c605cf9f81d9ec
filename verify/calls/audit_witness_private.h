/* audit_witness: what stands in the witness of an audit (docs/format-witness-audit.md). */
#ifndef VERIFY_CALLS_AUDIT_WITNESS_PRIVATE_H
#define VERIFY_CALLS_AUDIT_WITNESS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/json.h"

enum audited_level {
    AUDITED_SERIALIZABLE,
    AUDITED_STRICT_SERIALIZABLE,
    AUDITED_SNAPSHOT,
    AUDITED_STRICT_SNAPSHOT,
    AUDITED_READ_COMMITTED,
};

enum audited_model { MODEL_LOCKING, MODEL_STATEMENT, MODEL_PAPER };

/* A state that a statement saw, with the rows that it saw in others. */
struct witnessed_state {
    int64_t state;
    uint32_t exception, exception_count;
};

struct witnessed_row {
    struct text name; /* "table/key" */
    int64_t state;
};

/* What a transaction saw. */
struct witnessed_txn {
    int64_t id;
    uint32_t state, count; /* of the states, one for each statement */
};

struct audit_witness {
    struct json json;
    struct text log, level_name; /* views of its bytes */
    enum audited_level level;
    enum audited_model model;
    bool is_valid, by_value;
    ARRAY(int64_t) order;
    ARRAY(int64_t) absent;
    ARRAY(int64_t) core; /* "transactions" */
    ARRAY(struct witnessed_txn) seen;
    ARRAY(struct witnessed_state) states;
    ARRAY(struct witnessed_row) rows;
};

/* The bytes are changed. To be closed whatever the status. */
MUST_USE enum status audit_witness_read(char *bytes, size_t size, struct audit_witness *,
                                        struct error *);
void audit_witness_close(struct audit_witness *);

static inline bool audited_at_serial_level(const struct audit_witness *w)
{
    return w->level <= AUDITED_STRICT_SERIALIZABLE;
}

static inline bool audited_at_snapshot_level(const struct audit_witness *w)
{
    return w->level == AUDITED_SNAPSHOT || w->level == AUDITED_STRICT_SNAPSHOT;
}

static inline bool audited_at_strict_level(const struct audit_witness *w)
{
    return w->level == AUDITED_STRICT_SERIALIZABLE || w->level == AUDITED_STRICT_SNAPSHOT;
}

#endif
