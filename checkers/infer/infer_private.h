/*
 * infer_private: the data and the steps that all parts of `infer` share.
 *
 *     infer_open()             who counts, which key is what, versions by key        infer.c
 *     infer_read_lists()       orders of lists, versions read, direct anomalies      lists/
 *     infer_read_registers()   the same of registers                                 registers/
 *     (open transactions that somebody read from are in from here on)
 *     infer_find_lost_updates() of both, by the versions that were read              infer.c
 *     infer_read_predicates()  what statements saw, direct anomalies of theirs       predicates/
 *     workloads_run()          totals of banks; sets and counters are its alone       workloads/
 *     infer_replay()           an order that explains everything, if one is at hand   orders/
 *     infer_link_registers(), infer_link_predicates(): what the graph needs of them
 *     infer_judge_graph()      edges, components, classes of cycles                  orders/
 *         infer_hear_lists(), infer_hear_registers(), infer_hear_predicates()
 *         infer_show()         an order of all versions, as far as levels need one   orders/
 *
 * Versions have numbers by key, and within a key as its order goes, as far as there is
 * one:
 *
 *     key      x                      y
 *     start    0                      4         6
 *     number   0    1    2     3      4    5
 *     txn      T1   T4   T2    T5     T2   T1
 *              [1   2    3]    9      7    8
 *     chained  three of x: a list, of which [1 2 3] is the longest that was read;
 *              9 is behind it       none of y: a register; its order is of edges
 *
 * All writes that were not refused have a number, also of those who do not count: who uses
 * one asks infer_is_in() of its transaction.
 */
#ifndef CHECKERS_INFER_INFER_PRIVATE_H
#define CHECKERS_INFER_INFER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "checkers/check_private.h"
#include "checkers/graph/barriers.h"
#include "checkers/graph/cycles.h"
#include "checkers/graph/graph.h"
#include "checkers/graph/level_graph.h"
#include "checkers/graph/places.h"
#include "checkers/proof/proof.h"
#include "history/level.h"

#define INFER_STEP 8192                /* transactions between two looks whether to end */
#define INFER_TOLD_MAX 8               /* findings of a kind that are told */
#define INFER_NOTHING UINT32_MAX       /* a read that says nothing of versions */
#define INFER_INITIAL (UINT32_MAX - 1) /* as a number: before all versions of the key */

/* What cycles_violate() decides, and what models_decide() does. */
#define INFER_GRAPH_LEVELS                                                                         \
    (LEVEL_BIT(LEVEL_READ_UNCOMMITTED) | LEVEL_BIT(LEVEL_READ_COMMITTED) |                         \
     LEVEL_BIT(LEVEL_REPEATABLE_READ) | LEVEL_BIT(LEVEL_SNAPSHOT) |                                \
     LEVEL_BIT(LEVEL_SERIALIZABLE) | LEVEL_BIT(LEVEL_SESSION_SNAPSHOT) |                           \
     LEVEL_BIT(LEVEL_SESSION_SERIALIZABLE) | LEVEL_BIT(LEVEL_STRICT_SNAPSHOT) |                    \
     LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE) | LEVEL_BIT(LEVEL_SESSION_READ_UNCOMMITTED) |            \
     LEVEL_BIT(LEVEL_SESSION_READ_COMMITTED) | LEVEL_BIT(LEVEL_STRICT_READ_UNCOMMITTED) |          \
     LEVEL_BIT(LEVEL_STRICT_READ_COMMITTED))
#define INFER_MODEL_LEVELS                                                                         \
    (LEVEL_BIT(LEVEL_READ_ATOMIC) | LEVEL_BIT(LEVEL_CAUSAL) | LEVEL_BIT(LEVEL_PREFIX) |            \
     LEVEL_BIT(LEVEL_MONOTONIC_ATOMIC_VIEW) | LEVEL_BIT(LEVEL_CURSOR_STABILITY) |                  \
     LEVEL_BIT(LEVEL_UPDATE_ATOMIC) | LEVEL_BIT(LEVEL_PARALLEL_SNAPSHOT) |                         \
     LEVEL_BIT(LEVEL_MONOTONIC_VIEW) | LEVEL_BIT(LEVEL_MONOTONIC_SNAPSHOT_READ) |                  \
     LEVEL_BIT(LEVEL_CONSISTENT_VIEW) | LEVEL_BIT(LEVEL_FORWARD_CONSISTENT_VIEW) |                 \
     LEVEL_BIT(LEVEL_UPDATE_SERIALIZABLE))

/* What a key is, by what was done to it. */
enum inferred_key {
    KEY_REGISTER, /* written, deleted, or only read; also rows of tables */
    KEY_LIST,     /* appended to, and nothing else; elements that one append each wrote */
    KEY_UNJUDGED, /* no order can be inferred: the check has been told why */
};

struct inferred_versions {
    uint32_t *start; /* by key, and one more */
    uint32_t count;
    uint32_t *op, *txn; /* by number: what wrote it, and its transaction */
    bool *is_final;     /* by number: its transaction wrote the key no more */
    uint32_t *chained;  /* by key: so many, from its start, stand in the order of numbers; of lists
                           the rest stand behind them, in no order among each other */
};

/* Beside chains: one version before another. `from` may be INFER_INITIAL. */
struct version_edge {
    uint32_t from, to;
    uint8_t by; /* enum order_source */
};

struct infer {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct places places;
    uint8_t *key_kind; /* by key: enum inferred_key */
    struct inferred_versions versions;
    /*
     * By operation: the number of the version that an answered read of a committed
     * transaction read from others, INFER_INITIAL, or INFER_NOTHING. A read behind writes of
     * its own has one only if it shows that of others instead.
     */
    uint32_t *read_number;
    struct barriers barriers;
    uint32_t hub_count;
    uint64_t rules_out[ANOMALY_COUNT]; /* LEVEL_BIT of each that it rules out: of internal, of
                                          result-set-mismatch, and of what was found */
    bool is_found[ANOMALY_COUNT];
    uint64_t ruled_out;                /* by what was found */
    uint8_t told[ANOMALY_COUNT];       /* how many of each: one kind must not hide the others */
    uint64_t undecided;                /* what this history cannot be judged at, or was not */
    uint64_t shown;                    /* levels that hold, as some order of all versions shows */
    bool leaves_out;                   /* a key or a read: nothing is shown */
    uint32_t *next; /* by number: the next version of the key in the completion at hand, or
                       INFER_NOTHING; NULL: there is none */
    struct lists *lists;         /* of lists.c */
    struct registers *registers; /* of registers/ */
    struct predicted *predicted; /* of predicates/ */
    bool is_stopped;
};

/* --- For all ------------------------------------------------------------------------ */

static inline bool infer_is_in(const struct infer *c, uint32_t txn)
{
    return places_is_in(&c->places, txn);
}

/* Whose reads say something. */
static inline bool infer_is_committed(const struct infer *c, uint32_t txn)
{
    return c->history->txn_status[txn] == TXN_OK;
}

/* An answered read of an item, or the row that a select returned. */
static inline bool infer_is_answer(const struct history *h, size_t op)
{
    return op_is_read(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR) &&
           h->op_value_kind[op] != VALUE_NONE;
}

/*
 * Somebody read from it: if nobody knows whether it committed, it did. Heard by lists and
 * registers before infer_is_in() is asked of writers for good.
 */
void infer_note_read_from(struct infer *, uint32_t txn);

/*
 * Notes that there is an anomaly, whether or not the level asked for forbids it: so every
 * finding of every part goes through here first. True: it is to be told, by check_tell().
 * (False too where enough are told already.)
 */
bool infer_finds(struct infer *, enum anomaly);
/* The same of a single level or model, by a cycle or otherwise. */
void infer_rule_out(struct infer *, enum level);

/* Asked every INFER_STEP transactions; false: somebody wants an end, and the check says so. */
bool infer_goes_on(struct infer *, const char *looking_for, uint32_t done);

/* Something cannot be judged: no level is shown to hold, and the check says why. */
void infer_leave_out(struct infer *, const char *format, ...) PRINTF_LIKE(2, 3);

/* --- Edges -------------------------------------------------------------------------- */

/*
 * A graph of a level hears edges. Each part tells all of its own, in the same order every time.
 *
 *     edge.by    what the order of the versions was inferred from: such an edge counts only at
 *                the levels that may use that
 *
 * Nodes are transactions, then barriers of time, then hubs. A hub stands between the
 * many readers of a version and the many writers behind it:
 *
 *     reader --rw (op, key, version)--> hub --rw (key, other)--> writer
 *
 * is the one edge reader --rw--> writer, for each pair. Where there are few of either, say
 * them one by one. infer_add_hub() gives out hubs before the graph is made.
 */
static inline uint32_t infer_add_hub(struct infer *c)
{
    return c->hub_count++;
}

static inline uint32_t infer_hub_node(const struct infer *c, uint32_t hub)
{
    return (uint32_t)c->history->txn_count + c->barriers.count + hub;
}

#endif
