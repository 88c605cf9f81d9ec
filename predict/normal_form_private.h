/*
 * normal_form: what of a trace may differ in a prediction, and what is known of it whatever differs.
 *
 * Full transactions read what they read, and nobody reads from a boundary transaction. So of full transactions
 * *happens before* is what was observed: rows of bits, computed once. What differs are the reads of one boundary
 * transaction a session, and of these only reads whose key somebody else writes, too. A read whose candidates all but
 * one are ruled out by what comes before its transaction in its session is no choice either.
 *
 * Where the level lets a transaction read only one version of a key, its later reads of the key are left out.
 */
#ifndef PREDICT_NORMAL_FORM_PRIVATE_H
#define PREDICT_NORMAL_FORM_PRIVATE_H

#include "predict/bit_rows_private.h"
#include "predict/prediction.h"

/* What is decided of a transaction from the outset. */
enum standing_of_txn { TXN_IS_FREE, TXN_IS_FULL, TXN_IS_OUT };

struct choosing_read {
    uint32_t txn, key, event; /* the event, counted within the trace */
    uint32_t observed;        /* a place in the candidates, or DATAFLOW_NONE: it is ruled out */
    uint32_t start, end;      /* its candidates */
};

struct normal_form {
    const struct dataflow *trace;
    uint32_t observed; /* transactions that are no variants: the first */
    enum level level;
    bool is_relaxed;
    bool keeps_sessions; /* at read committed: no session forgets what it wrote, though the level allows it */
    bool reads_once; /* only the first read of a key in a transaction is here, if the others agree */
    uint8_t *standing;    /* by transaction, enum standing_of_txn */
    struct bit_rows past; /* by transaction: those that happen before it */
    bool *is_never_full;  /* by transaction: it is on a cycle of happens before, or behind one */
    uint32_t *sequence;   /* the transactions, each behind its past; those on cycles last */
    uint32_t *next;       /* by transaction: the one behind it in its session, or DATAFLOW_NONE */
    uint32_t *read_start; /* by transaction, and one more: its reads */
    struct choosing_read *reads;
    uint32_t read_count;
    uint32_t *candidates; /* writers: transactions, or DATAFLOW_INITIAL */
    uint32_t candidate_count;
    bool *
        is_full_possible; /* by transaction: its reads say one thing of each key, where that must be */
    uint32_t *write_start; /* by transaction, and one more: its writes */
    struct txn_write {
        uint32_t key, event;
    } * writes;
};

/* Of the arena. */
MUST_USE enum status normal_form_init(struct normal_form *, const struct dataflow *,
                                      const struct predict_options *, struct arena *,
                                      struct error *);
/* The first `window_first` transactions of the sequence are full; those from `window_end` on are out. */
void normal_form_confine(struct normal_form *, uint32_t window_first, uint32_t window_end);
/* The reads that may differ, once the standing of all is known. */
MUST_USE enum status normal_form_find_reads(struct normal_form *, struct arena *, struct error *);

/* Whether a transaction has a beginning and a commit apart, at the level. */
static inline bool level_has_moments(enum level level)
{
    return level == LEVEL_PREFIX || level == LEVEL_SNAPSHOT;
}

static inline bool happens_before(const struct normal_form *n, uint32_t first, uint32_t second)
{
    return bit_rows_has(&n->past, second, first);
}

/* The place in `writes` of the transaction's write of the key, or DATAFLOW_NONE. */
uint32_t normal_form_write(const struct normal_form *, uint32_t txn, uint32_t key);

#endif
