/*
 * explore: every history that the calls of a few sessions can have at a level, each once.
 *
 *     T1 (session 0) and T2 (session 1) read x and write x, at causal:
 *         T1 before T2, which reads x from T1           T2 before T1, which reads x from T2
 *         both read the initial x: visited as T1, T2 alone
 *
 * Transactions are executed one after another on a directed store, each with every choice of what it may read. A
 * history is who reads from whom; it has as many orders of execution as session order and reads leave open. One of
 * them is followed:
 *
 *     who goes first at a place    the lowest session that has stood there with all choices of its transaction. And
 *                                  others, if behind it somebody writes what it might have read: of him and his past
 *                                  behind the place, one that nothing there precedes. (Source sets.)
 *     who waits                    a transaction that has stood at a place, when others go first there, until it can
 *                                  read from there or behind. Executed otherwise it is taken back. (Sleep sets.)
 *
 * So each history is visited exactly once, and what is executed in vain is counted.
 *
 * Up to causal the store offers just what the level allows, and whatever was begun can be ended. Prefix, snapshot and
 * serializable are explored at causal, and a history is left as soon as its transactions have no order of commits; an
 * aborted transaction reads as causal allows. Every session goes first at every place there, since whoever would have
 * written may have been left. (Dynamic partial order reduction: Abdulla, Aronis, Jonsson and Sagonas, POPL 2014. All
 * histories of a program at a level: Bouajjani, Enea and Roman-Calvo, PLDI 2023, who swap reads; a store that keeps
 * its versions needs no swaps.)
 */
#ifndef PREDICT_EXPLORE_EXPLORE_H
#define PREDICT_EXPLORE_EXPLORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "history/level.h"
#include "history/progress.h"
#include "predict/director/directed.h"

#define EXPLORE_TXNS_MAX 32

/* What a session calls, in order. */
struct explore_session {
    const struct directed_call *calls;
    uint32_t count;
};

/* A whole history, in its store. */
struct explore_visit {
    struct directed *store;
    bool is_serializable; /* those that committed */
    uint64_t number;      /* from 0 */
};

struct explore_options {
    enum level level; /* one of directed_levels() */
    const struct explore_session *sessions;
    uint32_t session_count;
    /* *ends: it goes no further. NULL: nobody looks. */
    enum status (*visit)(void *context, const struct explore_visit *, bool *ends, struct error *);
    void *context;
    const struct progress *progress;
    const atomic_bool *stop; /* or NULL */
};

struct explore_counts {
    uint64_t histories, unserializable;
    uint64_t executions; /* of transactions */
    uint64_t not_first;  /* of these: the same history is visited in another order */
    uint64_t refused;    /* of these: no order of commits as the level asks for */
    uint64_t dead_ends;  /* prefixes of histories, of which none was visited in this order */
    bool is_complete;
};

/* The level that the store must be opened at. */
enum level explore_store_level(enum level);

/*
 * The store has its initial rows and no transaction; it keeps what directed_history() needs. It is as before in the
 * end, unless that fails.
 */
MUST_USE enum status explore(struct directed *, const struct explore_options *,
                             struct explore_counts *, struct error *);

#endif
