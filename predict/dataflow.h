/*
 * dataflow: who wrote which key, and who read it from whom: all of a history that a prediction looks at.
 *
 *     T1: w x 1, w x 2, r y _         T0 (session 0): write x, read y from the initial state
 *     T2: r x 2, w z 3, r z 3         T1 (session 1): read x from T0, write z
 *
 * Those transactions take part that committed, in the order of the history, and unknown ones that somebody read from:
 * these have writes alone. Of a transaction's events those are left that others can see or that see others: reads of
 * versions that others wrote, and of each key the last write, at its place. (IsoPredict, 2.1.)
 *
 * A read names its writer by its version set, if the history has one, otherwise by its value. A statement reads the
 * rows that it returned or wrote. It reads other rows of its table, too, if its version set says which versions it
 * saw, and if any version of the row could have matched its condition; a statement without a version set is
 * `unjudged`, unless no version of any other row could have matched.
 */
#ifndef PREDICT_DATAFLOW_H
#define PREDICT_DATAFLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "history/history.h"

#define DATAFLOW_NONE UINT32_MAX        /* no transaction, event, operation */
#define DATAFLOW_INITIAL (UINT32_MAX - 1) /* as a writer: the initial state */

struct dataflow_event {
    uint32_t key;
    uint32_t writer; /* of a read: a transaction, or DATAFLOW_INITIAL; of a write DATAFLOW_NONE */
    uint32_t op;     /* of the history: the operation, or of a row that was not returned the statement's head */
};

static inline bool dataflow_is_read(struct dataflow_event e)
{
    return e.writer != DATAFLOW_NONE;
}

struct dataflow {
    const struct history *history; /* that it was made of; NULL: of none */
    uint32_t txn_count, session_count, key_count, event_count;
    /* By transaction. */
    uint32_t *txn;      /* its number in the history; rising */
    uint32_t *session;  /* from 0, in the order of first appearance */
    uint32_t *previous; /* the one before in its session, or DATAFLOW_NONE */
    uint32_t *ordinal;  /* how many there are before it in its session */
    uint32_t *event_start; /* and one more */
    struct dataflow_event *events; /* in program order */
    uint32_t *key;              /* by key: its number in the history */
    /*
     * By transaction: DATAFLOW_NONE, or of which it is another execution (semantic.h). These stand behind all others,
     * and in no list of sessions or writers of observed ones. NULL: there are none.
     */
    uint32_t *variant_of;
    /* By event of a variant: a bit for each observed transaction that it may read from; then the initial state. */
    uint64_t *sources;
    uint32_t source_words;
    /* By session: its transactions, in order. */
    uint32_t *session_start; /* and one more */
    uint32_t *session_txns;
    /* By key: who writes it, rising. */
    uint32_t *writer_start; /* and one more */
    uint32_t *writers;
    uint64_t unjudged; /* statements of which nobody knows which rows they saw */
    uint64_t guessed;  /* reads of a value that several wrote: taken from the last of them before the reader */
};

static inline bool dataflow_is_variant(const struct dataflow *t, uint32_t txn)
{
    return t->variant_of && t->variant_of[txn] != DATAFLOW_NONE;
}

/* How many transactions are no variants: these stand first. */
static inline uint32_t dataflow_observed(const struct dataflow *t)
{
    uint32_t count = t->txn_count;

    while (count > 0 && dataflow_is_variant(t, count - 1))
        count--;
    return count;
}

/* All memory is of the arena. Refuses a read of what no committed transaction left behind. */
MUST_USE enum status dataflow_of_history(struct dataflow *, const struct history *, struct arena *, struct error *);

/* Of sessions and events alone, the rest: for who makes a trace by other means. */
MUST_USE enum status dataflow_index(struct dataflow *, struct arena *, struct error *);

/*
 * The same as a history of items. What a transaction writes is, as a value, its number here from 1, and the initial
 * state is null: so each read says by its value whom it reads from. Keys have the names they have in the history,
 * transactions their ids and sessions. Row keys become items whose name is the same.
 */
MUST_USE enum status dataflow_to_history(const struct dataflow *, struct history *, struct error *);

/* The transaction's write of the key, an event; or DATAFLOW_NONE. */
uint32_t dataflow_write_of(const struct dataflow *, uint32_t txn, uint32_t key);

#endif
