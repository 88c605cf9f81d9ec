/*
 * sketch: a small history of items that can be changed.
 *
 * Histories are immutable columns. A sketch is a history of a few transactions, taken apart, so that a
 * mutation can change a value, drop a write or split a transaction. It can be made a history again:
 * with its certificate (places, and version orders by writer), or without. It has no statements,
 * version sets or texts.
 */
#ifndef TRIAL_PROVE_SKETCH_PRIVATE_H
#define TRIAL_PROVE_SKETCH_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "history/history.h"

#define SKETCH_TXNS_MAX 16
#define SKETCH_OPS_MAX 8
#define SKETCH_KEYS_MAX 6
#define SKETCH_ELEMENTS_MAX 40

/* VALUE_NONE, VALUE_NULL, VALUE_INTEGER (the first element) or VALUE_LIST. */
struct sketch_value {
    enum value_kind kind;
    uint32_t count;
    int64_t elements[SKETCH_ELEMENTS_MAX];
};

struct sketch_op {
    enum op_kind kind; /* OP_READ, OP_WRITE, OP_APPEND, OP_REMOVE */
    uint32_t key;
    struct sketch_value value;
};

struct sketch_txn {
    int64_t id, session;
    enum txn_status status;
    int64_t invoked, completed; /* TIME_ABSENT; TIME_NEVER */
    struct place ts, snapshot;
    uint32_t op_count;
    struct sketch_op ops[SKETCH_OPS_MAX];
};

struct sketch {
    uint32_t txn_count, key_count;
    struct sketch_txn txns[SKETCH_TXNS_MAX]; /* in the order of the file */
    char keys[SKETCH_KEYS_MAX][24];
    struct sketch_value initial[SKETCH_KEYS_MAX];
    bool is_of_lists[SKETCH_KEYS_MAX]; /* null and the empty list are one */
    uint32_t order_count[SKETCH_KEYS_MAX];
    uint32_t order[SKETCH_KEYS_MAX][SKETCH_TXNS_MAX + 1]; /* transactions, by place in txns */
};

bool sketch_value_equal(const struct sketch_value *, const struct sketch_value *);

/* False: it has what a sketch has no place for. */
bool sketch_take(struct sketch *, const struct history *);
/* With its certificate, or without, and without `at`, what no client sees. */
MUST_USE enum status sketch_build(const struct sketch *, bool with_certificate, struct history *,
                                  struct error *);
/* After a change of who writes what: versions that nobody writes leave the version orders. */
void sketch_mend_orders(struct sketch *);

#endif
