/*
 * directed: a store of one copy in memory, in which a director chooses which legal version each read returns.
 *
 *     directed_open(&d, &options, err); directed_load(d, TEXT("load(2)"), err);
 *     directed_run(d, &(struct directed_call){ session, function, arguments }, &director, &outcome, err);
 *     directed_undo(d);
 *     directed_history(d, &history, err);
 *
 * Transactions are executed one after another, each to its end: what is weak about a level is which versions their
 * reads may return. A read may return a version if the history so far, with this read, satisfies the level as Biswas
 * and Enea define it (OOPSLA 2019): there is a total order of the transactions, the commit order, that session order
 * and reads obey, and in which, where t reads key x from w, any other writer c of x comes before w
 *
 *     read committed   if t read from c before it read x
 *     read atomic      if c is before t in its session, or t reads from c
 *     causal           if c happened before t, by steps of these two kinds
 *     prefix           if c is in the commit order not behind a transaction as in read atomic
 *     snapshot         likewise; and not behind one that writes a key that t writes
 *     serializable     if c is before t in the commit order
 *
 * Of the first three all orders count that the reads have left open: what is legal is exactly what the level allows.
 * Reads of one statement are one moment, though: at read committed, too, none of them may be older than what another
 * has seen. With the last three the commit order is the order of execution, and a transaction sees a prefix of it:
 * the reads narrow which one. There a version that is refused may be legal if the transactions are executed in
 * another order. A write of a key, at snapshot, of which the transaction cannot have seen the newest version refuses
 * the transaction: the first committer wins. Some version is always legal.
 *
 * (MonkeyDB: Biswas, Kakwani, Vedurada, Enea and Lal, OOPSLA 2021.)
 */
#ifndef PREDICT_DIRECTOR_DIRECTED_H
#define PREDICT_DIRECTOR_DIRECTED_H

#include "history/history.h"
#include "history/level.h"
#include "predict/director/director.h"
#include "programs/machine/final_state.h"

struct directed_options {
    const struct program *program; /* must outlive the store */
    enum level level; /* one of directed_levels(), or read-uncommitted: any version of who has committed */
    uint32_t sessions;             /* they are numbered from 0 */
    bool keeps; /* what directed_history() and directed_call_log() need; else they must not be called */
};

struct directed_call {
    uint32_t session, function;
    const struct datum *arguments; /* of the parameters' types */
};

enum directed_end {
    DIRECTED_COMMITTED,
    DIRECTED_FAILED,  /* by itself, or a constraint: nothing of it is left */
    DIRECTED_REFUSED, /* by the level: likewise */
};

/* Texts and values hold until the next call. */
struct directed_outcome {
    enum directed_end end;
    uint32_t txn;       /* its number */
    struct datum value; /* committed: of the function's type; null if it returns nothing */
    uint32_t line;      /* in the file, where it failed */
    const char *sqlstate, *message;
};

/* Reads that a director was asked for, and those that returned another than the newest version. */
struct directed_counts {
    uint64_t reads, stale;
};

/* LEVEL_BIT() of each. */
uint64_t directed_levels(void);

/* Closed by directed_close(), also after a failure. After a failure of memory it may only be closed. */
MUST_USE enum status directed_open(struct directed **, const struct directed_options *,
                                   struct error *);
void directed_close(struct directed *);

/* Before the first transaction: what a call leaves behind, or a row, is the initial state. */
MUST_USE enum status directed_load(struct directed *, struct text call, struct error *);
MUST_USE enum status directed_put_row(struct directed *, uint32_t table, const struct datum *cells,
                                      struct error *);

/* Executes a transaction to its end. An error is that of the memory here. */
MUST_USE enum status directed_run(struct directed *, const struct directed_call *,
                                  const struct director *, struct directed_outcome *,
                                  struct error *);
/* As if the last transaction had not been executed; what its session's currval() knows stays. There must be one. */
void directed_undo(struct directed *);

/* --- What there is ------------------------------------------------------------------------------ */

struct directed_txn_facts {
    uint32_t session, position;
    enum directed_end end;
};

uint32_t directed_txn_count(const struct directed *);
struct directed_txn_facts directed_txn(const struct directed *, uint32_t txn);
/* The transaction's number; UINT32_MAX: there is none. */
uint32_t directed_find_txn(const struct directed *, uint32_t session, uint32_t position);
struct directed_counts directed_counts(const struct directed *);

/* "accounts/7": holds until the next call. */
struct text directed_key_text(const struct directed *, uint32_t key);
/* Whether a committed transaction, or the initial state, has a version of the key. */
bool directed_has_version(const struct directed *, uint32_t key, uint32_t writer);

/*
 * What the transaction read from others, in the order in which it was asked: a key read again at another statement
 * counts again where the level lets it see another version. And what it wrote, each key once.
 */
struct directed_seen {
    uint32_t key, writer, statement;
};

const struct directed_seen *directed_reads(const struct directed *, uint32_t txn, uint32_t *count);
const uint32_t *directed_writes(const struct directed *, uint32_t txn, uint32_t *count);

/* A bit for each table, 1 << table % 64, whose rows the transaction looked for without naming their keys. */
uint64_t directed_scanned(const struct directed *, uint32_t txn);
uint32_t directed_key_table(const struct directed *, uint32_t key);

/*
 * Runs a function that only reads, and has no parameters, on the final state: of each key the version that is last in
 * a commit order that the level allows, the order of execution as far as it is one. A failure of the call is an
 * error.
 */
MUST_USE enum status directed_evaluate(struct directed *, uint32_t function, struct datum *,
                                       struct error *);

/* The rows of a table in that state, in the order of the key. */
MUST_USE enum status directed_each_final_row(struct directed *, uint32_t table, final_row_taker *,
                                             void *taker, struct error *);

/* --- What clients saw --------------------------------------------------------------------------- */

struct directed_telling {
    struct text producer, workload; /* of the history's first line; may be empty */
    struct text load;               /* of the log of calls: as directed_load() had it */
    const int64_t *ids; /* of the history's transactions, by number; NULL: the number + 1 */
    /* Every read returned the newest version: transactions have `ts`, keys version orders, operations no set. */
    bool has_places;
};

/*
 * A transaction for each that was executed, in their order. Each read has a version set, which names the version of
 * each key that it read, returned or not; unless places say that.
 */
MUST_USE enum status directed_history(struct directed *, const struct directed_telling *,
                                      struct history *, struct error *);
/*
 * Such a history without statements: what they read and wrote, of rows that they did not return, too, as operations
 * on items whose values name the writers (trace_to_history()).
 */
MUST_USE enum status directed_items(const struct history *, struct history *items, struct error *);
/* The log of its calls and their answers (history/call_log.h). */
MUST_USE enum status directed_call_log(struct directed *, const struct directed_telling *,
                                       struct buffer *, struct error *);

#endif
