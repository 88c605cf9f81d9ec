/*
 * known: the orders, dependencies and sources that the steps of a proof have established so far.
 *
 *     orders         p before q; where instants lie within times, each narrows windows
 *     dependencies   one transaction after another, whatever the instants are
 *     sources        which version a read, or a look, saw of a key
 *     commits        who committed, of those of whom nobody knew
 *
 *     p  |-----------|                     p  |-------|
 *     q     |----|         p before q      q     |----|
 *
 * Whatever windows imply need not be laid as an order: a circle with such a step in it makes
 * some window empty.
 */
#ifndef VERIFY_INSTANTS_KNOWN_PRIVATE_H
#define VERIFY_INSTANTS_KNOWN_PRIVATE_H

#include "base/map.h"
#include "verify/instants/instants.h"

#define NO_EDGE UINT32_MAX

/* An instant that steps were about, or a transaction that others depend on. */
struct known_node {
    struct window window; /* of a transaction: its times */
    uint64_t number;      /* the point, or the transaction */
    uint32_t first_out, first_in;
    bool is_queued;
};

struct known_edge {
    uint32_t from, to; /* nodes */
    uint32_t next_out, next_in;
    bool is_anti; /* of transactions: the first missed what the second wrote */
};

struct known_graph {
    ARRAY(struct known_node) nodes;
    ARRAY(struct known_edge) edges;
    struct map node_of, edge_of;
    ARRAY(uint32_t) queue;
    bool has_empty_window;
};

struct known {
    struct verifier *v;
    struct known_graph points, txns;
    struct map sources; /* by operation and key: the version */
    struct map commits; /* by transaction that was unknown: when it had committed, as bits */
};

void known_close(struct known *);

/* --- Instants --- */

/* As narrow as it is known. */
struct window known_window(const struct known *, uint64_t point);
/* Whether a step laid the order, or windows tell it. */
bool known_before(const struct known *, uint64_t from, uint64_t to);
MUST_USE enum status known_lay(struct known *, uint64_t from, uint64_t to, struct error *);

/* --- Transactions --- */

/* The second comes after the first. */
MUST_USE enum status known_depend(struct known *, uint32_t from, uint32_t to, bool is_anti,
                                  struct error *);
bool known_missed(const struct known *, uint32_t from, uint32_t to);

/* Whether it is known that it committed. */
bool known_commits(const struct known *, uint32_t txn);
/* It had committed by then, or INT64_MAX. */
int64_t known_committed_by(const struct known *, uint32_t txn);
/* It had committed by then; a version of it was seen by another. */
MUST_USE enum status known_commit_by(struct known *, uint32_t txn, int64_t time, struct error *);
MUST_USE enum status known_confirm(struct known *, uint32_t txn, uint32_t reader, struct error *);

/* --- What was seen --- */

/* Of a row, an item operation or a look, by its number: the version, or VERSION_INITIAL. */
bool known_source(const struct known *, uint32_t op, uint32_t key, uint32_t *version);
MUST_USE enum status known_see(struct known *, uint32_t op, uint32_t key, uint32_t version,
                               struct error *);

/* --- Contradictions --- */

/* Whether what is known leads round in a circle; or leaves some window empty. */
MUST_USE enum status known_find_circle(struct known *, bool *is_circle, struct error *);
MUST_USE enum status known_find_gap(struct known *, bool *is_gap, struct error *);

#endif
