/*
 * record: what clients saw and what the store says of its order, kept while a
 * run goes on, and made into a history at its end.
 *
 * It stands outside the simulated world: no node reads it. Clients write down what
 * they asked and what they were told, at true times; protocols export where they
 * decided a transaction to be (record_decision), once, as the first replica applies
 * it. Flat columns; the history's builder gets them in the order in which
 * transactions began, which within a session is the session's.
 *
 * The certificate is only ever what was exported. A transaction's `ts` is its
 * place, also that of an unknown one if the store committed it; a key's version
 * order is its committed writers by their places. Where store and client
 * disagree, as bugs make them, the client's word is the status: a transaction
 * that was acknowledged, but never decided, has no place, and one that was
 * decided, but reported as aborted, stands in no order.
 */
#ifndef STORE_CLIENTS_RECORD_H
#define STORE_CLIENTS_RECORD_H

#include "history/builder.h"
#include "store/catalog_private.h"
#include "store/coordinator/client_request.h"

struct run_record;

struct record_options {
    struct catalog *catalog;
    const char *workload; /* of the history's first line */
    bool unique;
    bool exports_snapshot;       /* see protocol.h */
    bool keeps;                  /* else only counts: no history is wanted */
    uint32_t table_count;        /* the first tables, which are the workload's own; 0: all are */
};

MUST_USE enum status record_open(struct run_record **, const struct record_options *,
                                 struct error *);
void record_close(struct run_record *);
/* Memory ran out: the run must end with this error. */
bool record_is_short(const struct run_record *);

/* What the store holds at first. */
void record_initial(struct run_record *, uint32_t key, struct text row);

/* --- Clients ---------------------------------------------------------------------------------- */

/* A new transaction of a session; its number is the one it has everywhere. */
uint64_t record_begin(struct run_record *, uint32_t session, int64_t invoked_ns);
/* Operations get their times here: invoked, completed (TIME_NEVER: no answer). */
struct record_op {
    int64_t invoked_ns, completed_ns;
    enum row_lock lock;
    struct stamp snapshot;  /* of its own, or zero */
    /* Multi-leader: what was seen of each key; certificate's `set`. NULL: no set. */
    const struct seen_key *set;
    uint32_t set_count;
    bool has_set;
};

/* Without completion: it got no answer. */
void record_read(struct run_record *, uint64_t txn, const struct record_op *, uint32_t key,
                 bool is_row, struct text row);
/* Of several keys at once: a row for each; those that have none got no answer, or are absent. */
struct record_keys {
    const uint32_t *keys;
    uint32_t key_count;
    const struct read_row *rows;
    uint32_t row_count;
};
void record_read_keys(struct run_record *, uint64_t txn, const struct record_op *,
                      const struct record_keys *);
void record_write(struct run_record *, uint64_t txn, const struct record_op *, uint32_t key,
                  struct text row);
void record_append(struct run_record *, uint64_t txn, const struct record_op *, uint32_t key,
                   int64_t element);
void record_remove(struct run_record *, uint64_t txn, const struct record_op *, uint32_t key);
/* If nothing completed it and it has no rows, it got no answer. */
struct record_statement {
    enum op_kind
        kind; /* OP_SELECT, OP_UPDATE (rows as they are afterwards), OP_DELETE, OP_INSERT */
    uint32_t table;
    uint32_t scope; /* SCOPE_NONE: an insert has none */
    const struct row_change *rows;
    uint32_t row_count;
};
void record_statement(struct run_record *, uint64_t txn, const struct record_op *,
                      const struct record_statement *);
/* TXN_OK, TXN_ABORT, TXN_UNKNOWN. */
void record_end(struct run_record *, uint64_t txn, enum txn_status, int64_t completed_ns);
/* A probe, or loading: counted nowhere, in no history. */
void record_forget(struct run_record *, uint64_t txn);
/* The harness's own, not the workload's: in the history, but counted nowhere. */
void record_do_not_count(struct run_record *, uint64_t txn);

/* --- The store's certificate ------------------------------------------------------------------ */

/*
 * Idempotent: what is said first counts. What is said again must be the same; with some bugs it is
 * not, and then it is counted.
 */
void record_decision(struct run_record *, const struct decision *);
/* A replica has applied the writes of the transaction on its shard, whoever decided that. */
void record_applied(struct run_record *, uint64_t txn);
/* Of a transaction that committed without a decision in a log: it only read. */
void record_read_only(struct run_record *, uint64_t txn, struct stamp place, bool has_place,
                      struct stamp snapshot);

/* --- At the end ------------------------------------------------------------------------------- */

struct record_counts {
    uint64_t committed, aborted, unknown;
};

struct record_counts record_counts(const struct run_record *);

/*
 * A client's word that is not the store's: it was told that a transaction committed which the store
 * never decided to commit, or committed as one that only read; or that one was aborted whose writes
 * were applied. Nobody is told such a thing by a store without bugs.
 */
enum false_word {
    FALSE_NOTHING,
    FALSE_UNDECIDED,  /* committed, and never decided */
    FALSE_READ_ONLY,  /* committed, and its writes dropped */
    FALSE_ABORT,      /* aborted, and its writes applied */
};

/* What was told of this transaction; FALSE_NOTHING: the truth. */
enum false_word record_false_word(const struct run_record *, uint64_t txn);
/* Those that began: their numbers are 1 to this. */
uint64_t record_txn_count(const struct run_record *);

/*
 * The record as a history with its certificate: the transactions in the order in which they began, then
 * the version orders, by place of the writers.
 */
MUST_USE enum status record_history_finish(struct run_record *, struct history *, struct error *);

#endif
