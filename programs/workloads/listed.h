/*
 * listed: transactions that are written down, instead of drawn.
 *
 *     "r 3"                        a read of an item, a list, or a row by its key
 *     "w 6 17"                     a write; of a row with a tag: "w 6 17 #901"
 *     "append 6 17"                to a list
 *     "insert 55 3 #901"           of a row; if it is there, the transaction aborts itself
 *     "put 5 17 #901"              a read of the row, then a write of it, or an insert
 *     "select"                     of every row; or of some: "select value 10..20"
 *     "update value 10..20 17 #9"  each row of the range to this value
 *     "delete key 4"
 *     "abort"
 *
 * What a transaction computes is said in the same words. A read may be named `a` or
 * `b`; it then must find a row, or the transaction gives up. `sum` and `rows` are of
 * all values that it has read so far. Operations that mean nothing apart stand in one
 * string:
 *
 *     "a = r 3; b = r 4; abort if a < 5; w 3 a-5 #81; w 4 b+5 #82"
 *     "select; expect rows = 8; expect sum = 800"
 *
 * An expectation is about committed transactions: the workload's invariant is broken
 * where it is not true. `commit if` ends a transaction early.
 *
 * Of a program a transaction is a call with all its arguments: "transfer(1, 7)".
 */
#ifndef PROGRAMS_WORKLOADS_LISTED_H
#define PROGRAMS_WORKLOADS_LISTED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

/* X(KIND, word) */
#define LISTED_KINDS(X)                                                                            \
    X(READ, "r")                                                                                   \
    X(WRITE, "w")                                                                                  \
    X(APPEND, "append")                                                                            \
    X(INSERT, "insert")                                                                            \
    X(PUT, "put")                                                                                  \
    X(SELECT, "select")                                                                            \
    X(UPDATE, "update")                                                                            \
    X(DELETE, "delete")                                                                            \
    X(EXPECT, "expect")                                                                            \
    X(ABORT_IF, "abort if")                                                                        \
    X(COMMIT_IF, "commit if")                                                                      \
    X(ABORT, "abort")

enum listed_kind {
#define LISTED_ENUM(kind, word) LISTED_##kind,
    LISTED_KINDS(LISTED_ENUM)
#undef LISTED_ENUM
        LISTED_KIND_COUNT
};

const char *listed_kind_name(enum listed_kind);

/* What a sum may add to its constant. */
enum listed_term { TERM_A, TERM_B, TERM_SUM, TERM_ROWS, TERM_COUNT };

struct listed_sum {
    uint8_t terms; /* a bit for each */
    int64_t constant;
};

enum listed_comparison { LISTED_LESS, LISTED_AT_LEAST, LISTED_EQUAL, LISTED_COMPARISON_COUNT };

enum listed_range { LISTED_ALL, LISTED_KEYS, LISTED_VALUES };

struct listed_op {
    uint8_t kind;       /* enum listed_kind */
    uint8_t range;      /* enum listed_range, of SELECT, UPDATE, DELETE */
    uint8_t comparison; /* of a condition: value against bound */
    uint8_t name;       /* of a READ: one more than TERM_A or TERM_B; 0: none */
    bool goes_on;       /* the next operation stands in the same string */
    uint64_t key;
    struct listed_sum value;
    int64_t tag;        /* 0: none */
    int64_t low, high;
    int64_t bound;
};

struct listed_txn {
    uint32_t client;
    uint32_t node;      /* that the client talks to */
    int64_t at_ns;      /* by the client's clock; later, if the one before is not over by then */
    uint32_t first, count; /* of the operations; of a program: bytes of its call */
};

/* Those of one client stand in its order. Zero is empty. */
struct listed {
    ARRAY(struct listed_txn) txns;
    ARRAY(struct listed_op) ops;
    struct buffer calls;
    bool is_short; /* of memory: it is not complete */
};

void listed_close(struct listed *);
/* A transaction without operations, behind the others; the next are its own. */
void listed_begin(struct listed *, uint32_t client);
void listed_add(struct listed *, struct listed_op);
void listed_add_call(struct listed *, struct text);
/* Of the last transaction. */
void listed_place(struct listed *, int64_t at_ns, uint32_t node);
const struct listed_op *listed_ops(const struct listed *, const struct listed_txn *);
struct text listed_call(const struct listed *, const struct listed_txn *);
/* Appends a transaction of another listing. */
void listed_copy(struct listed *, const struct listed *from, const struct listed_txn *);
MUST_USE enum status listed_status(const struct listed *, struct error *);

/* Adds what a string says to the last transaction. */
MUST_USE enum status listed_parse(struct listed *, struct text, struct error *);
/* A string: this operation and those that go with it. Returns how many these are. */
uint32_t listed_print(const struct listed_op *, uint32_t count, struct buffer *);

/* --- Whose turn it is ------------------------------------------------------------------------- */

struct listed_turns {
    const struct listed *listing;
    uint32_t client_count;
    uint32_t *starts; /* by client, and one more: in `order` */
    uint32_t *order;  /* numbers of transactions by client */
};

/* The listing must outlive it. Refuses clients that are not there. */
MUST_USE enum status listed_turns_init(struct listed_turns *, const struct listed *,
                                        uint32_t client_count, struct arena *, struct error *);
/* NULL: it has no more. */
const struct listed_txn *listed_turn(const struct listed_turns *, uint32_t client,
                                      uint64_t ordinal);

#endif
