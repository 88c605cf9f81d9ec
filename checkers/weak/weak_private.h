/*
 * weak: the data that all files of the checker `weak` share.
 *
 * Transactions keep their numbers. Those that take part are the committed ones, and the unknown
 * ones that somebody read from; all others have neither reads nor successors, and nobody asks for
 * their writes.
 *
 *     T0: w(x,1) w(y,1)    write_start  0   2  2        by transaction, keys rising, the last
 *     T1: r(x,1) r(y,null) write_key    x y             write of each
 *
 *                          read_start   0  0   2        by transaction, in program order: what it
 *                          read_key        x y          read of others
 *                          read_writer     0 INITIAL
 *
 *     so      position of a in its session < that of b     (never out of an unknown one)
 *     wr      read_writer
 *     shown   what lists show of the order of their writers
 *     co      what a level's axiom adds to these: t2 before t1, since t3 read x from t1, and t2,
 *             which also wrote x, is before that read in the sense of the level
 *
 * A level holds if there is an order of all that contains so, wr, shown and co, that is
 * if they have no cycle; the initial transaction comes before all, so that nothing can come before
 * it. An axiom is one struct weak_axiom: how it saturates, and why an edge is there.
 *
 * Biswas and Enea, "On the complexity of checking transactional consistency" (2019); Liu et al.,
 * "Plume: Efficient and complete black-box checking of weak isolation levels" (2024);
 * Møldrup et al., "AWDIT: An optimal weak database isolation tester" (2025).
 */
#ifndef CHECKERS_WEAK_WEAK_PRIVATE_H
#define CHECKERS_WEAK_WEAK_PRIVATE_H

#include "base/array.h"
#include "checkers/check_private.h"
#include "checkers/graph/places.h"
#include "checkers/values/appends.h"

#define WEAK_INITIAL UINT32_MAX /* as a transaction: the one that wrote what was there at first */
#define WEAK_OPEN                                                                                  \
    (UINT32_MAX - 1) /* as the writer of a read: several may be meant; no constraint */

/* `from` must come before `to`. */
struct weak_edge {
    uint32_t from;
    uint32_t to; /* or WEAK_INITIAL: that alone is a contradiction */
    uint32_t op; /* the read that shows it; of co the one that `to` was read by */
};

struct weak_edges {
    ARRAY(struct weak_edge) edges;
    bool only_backward; /* those to greater numbers are left out: they matter only in a cycle */
};

/* A read that is wrong whatever the order was. */
enum weak_fault_kind {
    WEAK_NO_WRITER,    /* nobody left this value behind: see checkers/values/suspects.h */
    WEAK_NOT_OWN,      /* the transaction had written something else there before */
    WEAK_NOT_REPEATED, /* it had read another version there before; wrong from read-atomic on */
    WEAK_INCOMPATIBLE, /* a list that is no beginning of the longest one, `other` */
};

struct weak_fault {
    uint32_t txn, op;
    uint32_t other; /* another read, or HISTORY_NONE */
    uint8_t kind;   /* enum weak_fault_kind */
};

/* A read of a list, of others or behind own appends. */
struct weak_list_read {
    uint32_t txn, op;
    uint32_t read; /* its place among the reads of others, or HISTORY_NONE: behind own appends */
    uint32_t own;  /* the last own append before it, or HISTORY_NONE */
};

/* A way to order all that take part, or the components that hinder it. */
struct weak_order {
    bool is_acyclic;
    uint32_t *txns; /* if it is: those that take part, in order */
    uint32_t count;
    uint32_t *component; /* if it is not: by transaction; UINT32_MAX: one by itself */
    uint32_t component_count;
};

struct weak {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct places places;

    uint32_t txn_count;
    uint8_t *takes_part; /* by transaction */

    /* Sessions: the committed ones of each in their order. */
    uint32_t session_count;
    uint32_t *session_start; /* by session, and one more */
    uint32_t *session_txns;
    uint32_t *position; /* by transaction: place in its session, from 1; of unknown ones: behind
                           those that come before them, so that equal to that of the next */

    uint32_t *write_start; /* by transaction, and one more */
    uint32_t *write_key, *write_op;
    uint32_t write_count;

    uint32_t *read_start; /* by transaction, and one more; of committed ones only */
    uint32_t *read_key, *read_op, *read_writer;
    uint32_t read_count;

    /*
     * Writers of each key that take part: by session, in session order, an unknown one behind those
     * before it. Made by weak_index_keys() when somebody needs it.
     */
    uint32_t *key_start; /* by key, and one more; NULL: not yet made */
    uint32_t *key_writer;

    struct appends appends;
    ARRAY(struct weak_list_read) list_reads;
    struct weak_edges shown;
    ARRAY(struct weak_fault) faults;
    uint32_t open_op;    /* the first read that has several possible writers, or HISTORY_NONE */
    uint32_t strange_op; /* the first of a strange key, or HISTORY_NONE */
    struct weak_order *base;  /* of so, wr and shown; where an axiom needs it: weak_find_base() */
    bool reads_go_forward;    /* each reader has a greater number than its writers */
    bool is_stopped;
    const char *gave_up; /* why, if nobody stopped it */
};

/* What was not refused. */
static inline bool weak_counts(const struct history *h, uint32_t op)
{
    return !(h->op_flags[op] & OP_ERROR);
}

static inline bool weak_is_unknown(const struct weak *w, uint32_t txn)
{
    return w->history->txn_status[txn] == TXN_UNKNOWN;
}

/* Session order. Both take part. */
static inline bool weak_is_before(const struct weak *w, uint32_t a, uint32_t b)
{
    const uint32_t *session = w->history->txn_session;

    return session[a] == session[b] && a < b && !weak_is_unknown(w, a);
}

/* The next of its session that is committed, or WEAK_INITIAL: there is none, or it is unknown. */
static inline uint32_t weak_next(const struct weak *w, uint32_t txn)
{
    uint32_t session = w->history->txn_session[txn];
    uint32_t next = w->session_start[session] + w->position[txn];

    return weak_is_unknown(w, txn) || next >= w->session_start[session + 1] ? WEAK_INITIAL
                                                                            : w->session_txns[next];
}

/* The one before it in its session, or WEAK_INITIAL; also of unknown ones. */
static inline uint32_t weak_previous(const struct weak *w, uint32_t txn)
{
    uint32_t position = w->position[txn];

    return position <= 1
               ? WEAK_INITIAL
               : w->session_txns[w->session_start[w->history->txn_session[txn]] + position - 2];
}

/* The transaction's last write of the key: its place in write_op, or UINT32_MAX. */
uint32_t weak_find_write(const struct weak *, uint32_t txn, uint32_t key);

static inline bool weak_writes(const struct weak *w, uint32_t txn, uint32_t key)
{
    return weak_find_write(w, txn, key) != UINT32_MAX;
}

/* Whether to end; ask every few thousand steps. */
static inline bool weak_is_stopped(struct weak *w)
{
    w->is_stopped = w->is_stopped || w->gave_up || check_is_stopped(w->options);
    return w->is_stopped;
}

/* `from` must come before `to`. Inline: this is done for millions. */
static inline MUST_USE enum status weak_add_edge(struct weak_edges *edges, uint32_t from,
                                                 uint32_t to, uint32_t op, struct error *err)
{
    if (edges->only_backward && from < to && to != WEAK_INITIAL)
        return STATUS_OK;
    return array_push(&edges->edges, ((struct weak_edge){ from, to, op }), err);
}

/* --- Axioms ----------------------------------------------------------------------- */

/* The components of the graph, to be looked at more closely. */
struct weak_scope {
    const uint32_t *component; /* by transaction; UINT32_MAX: one by itself */
    uint64_t edges_max;        /* no more than so many */
};

static inline bool weak_is_inside(const struct weak_scope *scope, uint32_t txn)
{
    return txn < WEAK_OPEN && scope->component[txn] != UINT32_MAX;
}

/* A step of so, or of wr, of the reason for an edge. */
struct weak_step {
    uint32_t from, to;
    uint32_t op; /* the read of `to`, or HISTORY_NONE: session order */
};

struct weak_path {
    ARRAY(struct weak_step) steps;
};

struct weak_axiom {
    enum level level;
    /*
     * Appends the edges that the axiom forces. Without a scope as many as it takes: those that
     * follow from others (and from so, wr, shown) may be left out. With one all those
     * within it, so that the smallest cycle is among them. so and wr have no cycle.
     */
    enum status (*saturate)(struct weak *, const struct weak_scope *, struct weak_edges *,
                            struct error *);
    /* Appends the steps that lead from `from` to the reader of `op`, or say why it counts. */
    enum status (*explain)(const struct weak *, const struct weak_edge *, struct weak_path *,
                           struct error *);
    /* What a cycle is called: with one co edge and none shown; else. */
    enum anomaly by_order, by_circle;
};

extern const struct weak_axiom weak_read_committed, weak_read_atomic, weak_causal;
/* The session guarantees. */
extern const struct weak_axiom weak_read_your_writes, weak_monotonic_reads, weak_monotonic_writes,
    weak_writes_follow_reads, weak_pram;

/* --- Orders and cycles ------------------------------------------------------------ */

/* What an axiom makes of the history. Closed by weak_judgement_close(), also after a failure. */
struct weak_judgement {
    bool holds;
    struct weak_edges co;
    struct weak_order order; /* its transactions only where a witness, or prefix, needs them */
};

#endif
