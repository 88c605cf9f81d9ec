/*
 * builtin: workloads that need no SQL, as the clients of a store run them.
 *
 *     struct builtin_options options = builtin_defaults(workload_find(TEXT("bank")));
 *     TRY(builtin_set(&options, TEXT("keys"), TEXT("20"), err));
 *     TRY(builtin_init(&bank, &options, (struct builtin_clients){ 20, 16 }, &key, arena, err));
 *
 *     builtin_begin(&txn, &bank, client, ordinal, attempt);
 *     while ((request = builtin_next(&txn)).kind is neither COMMIT nor ABORT)
 *         ... somebody does what it asks, now or much later ...
 *         builtin_answer(&txn, rows, count);
 *
 * A builtin is a workload with its parameters settled; many runs may share it,
 * since nothing changes it. A transaction is a small state that is copied with
 * `=`. It asks for one thing at a time and never calls a store.
 *
 * What a transaction does is a function of the key, of its client and of its
 * ordinal within the client, and, where it computes (a balance), of what it has
 * read. So one client's draws disturb no other's, and a transaction that is tried
 * again has the same plan, but writes other values: what an attempt wrote that
 * was aborted must not look like what the next one wrote. A client that goes on
 * under a new session keeps its number.
 *
 * Every write has a value of its own, larger than 0; initial values are 0. Where
 * a row's value is computed, the column `tag` makes the row unique. Only the
 * parameter repeat_values changes that.
 *
 * Keys are numbers. Keys of items stand as they are ("17"); those of rows behind
 * their table ("accounts/17"). Where keys retire (writes_per_key), each slot to
 * choose from goes on to its next key when it has been written about so often:
 * by the number that is expected at the client's ordinal if all clients go about
 * equally fast, since a count would let one client disturb another.
 *
 * Instead of being drawn, transactions may be listed (programs/workloads/listed.h): then
 * only the first state, and what must hold at the end, are the workload's.
 */
#ifndef PROGRAMS_WORKLOADS_BUILTIN_H
#define PROGRAMS_WORKLOADS_BUILTIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "history/history.h"
#include "history/level.h"
#include "programs/workloads/key_distribution.h"
#include "programs/workloads/listed.h"
#include "programs/workloads/workload.h"

#define BUILTIN_CLIENTS_MAX 4096
#define BUILTIN_ATTEMPTS_MAX 256 /* of one transaction */
#define BUILTIN_ORDINAL_MAX ((UINT64_C(1) << 31) - 1)
/* Whether a store that keeps this level must keep the workload's invariant. */
bool builtin_invariant_holds_at(const struct workload *, enum level);

/* --- Parameters ------------------------------------------------------------------------------- */

/* Integers have the denominator 1; a choice is its number. */
struct builtin_options {
    const struct workload *workload;
    struct ratio values[PARAMETER_COUNT];
};

struct builtin_options builtin_defaults(const struct workload *);
/* A refused value leaves the options as they were. */
MUST_USE enum status builtin_set(struct builtin_options *, struct text name, struct text value,
                                 struct error *);

const char *builtin_parameter_name(enum builtin_parameter);
const char *builtin_parameter_help(enum builtin_parameter);
bool builtin_has_parameter(const struct workload *, enum builtin_parameter);
/* The value, so that builtin_set() takes it again. */
void builtin_print_value(const struct builtin_options *, enum builtin_parameter, struct buffer *);

/* --- The workload, settled -------------------------------------------------------------------- */

/* How many clients there are, 1 to BUILTIN_CLIENTS_MAX, and how often each may try, 1 to BUILTIN_ATTEMPTS_MAX. */
struct builtin_clients {
    uint32_t count, attempts;
};

struct builtin {
    const struct workload *workload;
    struct builtin_options options;
    struct key_distribution choice; /* of keys, or of what stands for several of them */
    uint32_t clients, attempts;
    const struct random_key *client_keys;
    const struct listed_turns *turns; /* whose transactions are listed; NULL: all are drawn */
    bool repeats; /* two of them may write a key the same value */
};

/* What the store holds before the first transaction, and what reads return. */
struct builtin_row {
    uint64_t key;
    int64_t value, tag; /* items have no tag */
};

/*
 * Refuses parameters that do not go together. Another number of clients or attempts makes other values.
 */
MUST_USE enum status builtin_init(struct builtin *, const struct builtin_options *,
                                  struct builtin_clients, const struct random_key *, struct arena *,
                                  struct error *);

/*
 * From now on transactions are those listed. The listing must outlive it.
 */
MUST_USE enum status builtin_follow(struct builtin *, const struct listed *, struct arena *,
                                    struct error *);

int64_t builtin_number(const struct builtin *, enum builtin_parameter);
/* Whether no two writes of a key have the same value: the history's `unique`. */
bool builtin_is_unique(const struct builtin *);

/* Rows or items to load first, by rising key. */
uint64_t builtin_initial_count(const struct builtin *);
struct builtin_row builtin_initial(const struct builtin *, uint64_t index);

/* As it stands in histories: "17", "accounts/17". */
void builtin_print_key(const struct builtin *, uint64_t key, struct buffer *);

/* --- One transaction -------------------------------------------------------------------------- */

enum builtin_request_kind {
    BUILTIN_READ,   /* of a key: an item, a list, or one row by its primary key */
    BUILTIN_WRITE,  /* of a whole item or row, whether it is there or not */
    BUILTIN_APPEND, /* of `value` to a list */
    BUILTIN_INSERT, /* of a row; if it is there, the transaction must be aborted */
    BUILTIN_SELECT, /* rows by range */
    BUILTIN_UPDATE, /* rows by range, each to `value` and `tag` */
    BUILTIN_DELETE, /* rows by range */
    BUILTIN_COMMIT,
    BUILTIN_ABORT,
};

enum builtin_column { BUILTIN_NO_COLUMN, BUILTIN_KEY_COLUMN, BUILTIN_VALUE_COLUMN };

struct builtin_request {
    enum builtin_request_kind kind;
    enum builtin_column column; /* of a range; BUILTIN_NO_COLUMN: every row */
    uint64_t key;
    int64_t value, tag;
    int64_t low, high; /* both in the range */
};

struct builtin_txn {
    const struct builtin *builtin;
    uint64_t ordinal;
    uint32_t client, attempt;
    uint32_t step, step_count; /* the operations of the plan */
    uint8_t part;              /* requests of this step that were answered */
    uint8_t mode;              /* what the workload makes of this transaction */
    bool gives_up;             /* aborts with the next request */
    bool saw_missing;          /* the row that was asked for was not there */
    int64_t seen[2];
    int64_t sum;
    /* Of one that is listed. */
    const struct listed_op *listed;
    int64_t rows;           /* that it has read */
    uint32_t broken_plus_1; /* the expectation that was not true; 0: none */
    int64_t found;          /* instead of what was expected */
};

void builtin_begin(struct builtin_txn *, const struct builtin *, uint32_t client, uint64_t ordinal,
                   uint32_t attempt);

/* Whether no request depends on an answer: then all of a transaction's are known at its beginning. */
bool builtin_is_planned(const struct builtin *);
/* The same of a workload whose transactions are drawn. */
bool builtin_workload_is_planned(const struct workload *);

/* The same until it is answered. */
struct builtin_request builtin_next(const struct builtin_txn *);

/*
 * Of a BUILTIN_READ no row or one, of a BUILTIN_SELECT those that match, in any order; of all
 * others nothing is looked at. Lists need no answer: their elements are the checkers' business.
 */
void builtin_answer(struct builtin_txn *, const struct builtin_row *rows, uint64_t count);

/*
 * Lists a transaction that has begun and was not answered yet: whoever does what stands there
 * does what it would do.
 */
void builtin_list(const struct builtin_txn *, struct listed *);

/*
 * Whether what a transaction read breaks the invariant, and how, in a sentence. It counts only if
 * the transaction has committed, and at the levels where the invariant holds.
 */
bool builtin_saw_broken(const struct builtin_txn *, struct buffer *sentence);

/*
 * What clients were told, and whether the final state agrees.
 *
 * Each transaction that was begun is told to the tally once, with its outcome:
 * what was acknowledged must be there at the end, what was aborted must not, and
 * what is unknown may. Workloads whose invariant needs no counts (a total) use
 * no memory here.
 *
 *     counter   increments of each key: acknowledged, unknown
 *     set       elements: acknowledged, unknown
 */

struct builtin_tally {
    const struct builtin *builtin;
    /* Keys, or elements, as often as they were written; in no order until the end. */
    ARRAY(uint64_t) acknowledged;
    ARRAY(uint64_t) unknown;
};

void builtin_tally_init(struct builtin_tally *, const struct builtin *);
void builtin_tally_close(struct builtin_tally *);
/*
 * TXN_UNKNOWN also for what was going on when the clients stopped. Attempts are told one by one.
 */
MUST_USE enum status builtin_tally_add(struct builtin_tally *, const struct builtin_txn *,
                                       enum txn_status, struct error *);
/*
 * Whether the workload's invariant holds of all rows at the end, by rising key; if not, one
 * sentence says what is broken. True where there is no invariant.
 */
bool builtin_tally_holds(struct builtin_tally *, const struct builtin_row *rows, uint64_t count,
                         struct buffer *sentence);
/* By key, both lists. */
void builtin_tally_sort(struct builtin_tally *);

#endif
