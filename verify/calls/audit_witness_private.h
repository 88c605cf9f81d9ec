/* audit_witness: what stands in the witness of an audit (docs/format-witness-audit.md). */
#ifndef VERIFY_CALLS_AUDIT_WITNESS_PRIVATE_H
#define VERIFY_CALLS_AUDIT_WITNESS_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/json.h"
#include "history/call_log.h"

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

/* What sequences gave to a transaction. */
struct witnessed_numbers {
    int64_t id;
    uint32_t first, count; /* in `given` */
};

struct audit_witness {
    struct json json;
    struct text log, level_name; /* views of its bytes */
    enum audited_level level;
    enum audited_model model;
    bool is_valid, by_value;
    bool has_wrong; /* an invalid one names a transaction that is wrong, as a hint */
    int64_t wrong_txn;
    ARRAY(int64_t) order;
    ARRAY(int64_t) absent;
    ARRAY(int64_t) core; /* "transactions" */
    ARRAY(struct witnessed_txn) seen;
    ARRAY(struct witnessed_state) states;
    ARRAY(struct witnessed_row) rows;
    ARRAY(struct witnessed_numbers) numbers; /* of sequences */
    ARRAY(int64_t) given;
    bool has_initial;
    struct call_log initial; /* its rows are those that are said to have been there at first */
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
