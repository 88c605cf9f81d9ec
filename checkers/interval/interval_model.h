/*
 * interval_model: what a database must have done, judged while transactions come in.
 *
 *     interval_model_init(&m, &profile, clock_error_ns);
 *     for each transaction that completes: TRY(interval_model_add(&m, &trace, err));
 *     TRY(interval_model_advance(&m, until_ns, err));   // nothing to come began before
 *     ...
 *     TRY(interval_model_end(&m, SIZE_MAX, err));
 *     m.findings.at[i].kind, .explanation, .drawing
 *
 * Of each operation all that is known is when it was invoked and when it had completed,
 * at its client. Each transaction has instants within these times: where it reads as of,
 * and where it commits (timeline_private.h). The four mechanisms of a profile (Leopard, sections IV and
 * V) say what the order of instants must be like; each is a file in mechanisms/, and what one deduces narrows the
 * windows that the others look at:
 *
 *     consistent_read.c    a read returns the last version before its view's instant
 *     mutual_exclusion.c   a locked key is not locked by another before the commit
 *     first_updater.c      of two who write a key, one commits before the other's view
 *     certifier.c          dependencies between transactions make no cycle
 *
 * What is not forced is not claimed: a finding means that no instants within the times
 * explain what clients saw. Versions, locks and instants go as soon as nothing that is still
 * to come can ask for them, so that memory follows concurrency and not length; but where the
 * profile says nothing of times, nothing can go. A key with very many versions is not judged.
 */
#ifndef CHECKERS_INTERVAL_INTERVAL_MODEL_H
#define CHECKERS_INTERVAL_INTERVAL_MODEL_H

#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "checkers/interval/event_heap_private.h"
#include "checkers/interval/gaps_private.h"
#include "checkers/interval/profile.h"
#include "checkers/interval/timeline_private.h"
#include "history/anomaly.h"
#include "history/history.h"

enum mechanism {
    MECHANISM_READ,
    MECHANISM_LOCK,
    MECHANISM_UPDATE,
    MECHANISM_CERTIFIER,
    MECHANISM_COUNT
};

const char *interval_model_mechanism_name(enum mechanism);

enum interval_trace_kind { TRACE_READ, TRACE_WRITE, TRACE_QUERY /* of a struct trace_query */ };

/* A value as the model compares them: equal ones have equal codes. */
struct trace_op {
    int64_t invoked, completed;
    uint64_t value;
    uint32_t key, op; /* keys are small numbers, the caller's; op is told in findings */
    uint8_t kind;     /* enum interval_trace_kind */
    bool is_locking;  /* a read FOR UPDATE or FOR SHARE */
    uint32_t row;     /* in the row store, or ROW_NONE; the model takes over its holder */
};

enum interval_query_kind {
    QUERY_ROWS,  /* it read all rows that match, and these are they */
    QUERY_PART,  /* some rows that match, as many as it wanted */
    QUERY_WRITES /* it wrote all rows that match */
};

/*
 * A statement that looks for the rows of a table from one place to another that match. Its rows,
 * if any, stand among the operations, with the same number of the caller's.
 */
struct trace_query {
    int64_t invoked, completed;
    int64_t low, high; /* places, both included */
    size_t first_op;   /* where it stands: its rows, if any, follow from there */
    uint32_t row_count;
    uint32_t op, table;
    uint32_t condition; /* in the row store, or CONDITION_ALL; likewise */
    uint8_t kind;       /* enum interval_query_kind */
    bool is_locking;
};

struct interval_trace {
    int64_t id, invoked, completed; /* completed may be TIME_NEVER */
    uint32_t number;                /* the caller's */
    uint8_t status;                 /* enum txn_status */
    const struct trace_op *ops;     /* in the order of the program */
    size_t op_count;
    const struct trace_query *queries; /* likewise, by first_op */
    size_t query_count;
};

#define INTERVAL_FINDINGS_MAX 32
#define INTERVAL_VERSIONS_LOOKED_AT 4096 /* by an access; of a key with more nothing is judged */

struct interval_finding {
    enum mechanism mechanism;
    enum anomaly kind;
    ARRAY(uint32_t) txns; /* their numbers; each once */
    ARRAY(int64_t) ids;   /* beside them */
    struct buffer explanation, drawing;
    ARRAY(uint32_t) steps; /* of derivation_private.h: the last of those that it rests on */
    /*
     * By about how much more the clients' clocks would have to be wrong, in ns, for that to be no
     * fault: by so much windows would have to widen. 0: nobody knows, or it would be one all the
     * same.
     */
    int64_t clock_error;
};

/*
 * Of how many dependencies times alone do not tell the order. Counted where the profile's timing is
 * full, between transactions that committed and are neighbours: the versions of a key stand in the
 * order of the earliest times at which their clients can have committed them.
 *
 *     ww   a version and the one before it: a commit before a commit
 *     wr   a read and the version that it returned: a commit before a view
 *     rw   a read and the next version, unless the reader writes the key too: a view before a commit
 *
 * It overlaps if the windows of these two instants do, as the times of clients make them and
 * nothing else. It is deduced if windows that others narrowed, or a path of orders, say which instant came
 * first, by the time that one of the two transactions is let go; so all are decided only by
 * interval_model_end(). A read that several versions explain has a wr and a rw which overlap and are not
 * deduced. What holds before all transactions is nobody's version. What a statement looked for and
 * did not find is left out, and so is what is not judged, or only explained by a gap.
 */
enum dependency_kind { DEPENDENCY_WW, DEPENDENCY_WR, DEPENDENCY_RW, DEPENDENCY_COUNT };

struct dependency_counts {
    uint64_t all, overlapping, deduced; /* each among those before it */
};

/* What was judged, for those who wonder how much intervals leave open. */
struct interval_counts {
    uint64_t txns, ops, reads;
    struct dependency_counts dependencies[DEPENDENCY_COUNT]; /* the paper's beta, and figure 12 */
    uint64_t unjudged;                  /* reads and writes of keys of too many versions */
    uint64_t queries, unjudged_queries; /* a condition not computed, or too much to look at */
    uint64_t gapped;                    /* reads that a gap may explain */
    uint64_t excused;                   /* those of them that nothing else does */
    uint64_t late;                      /* came after what they belong before was judged */
};

struct overlapping_dependency;
struct derivation;
struct key_state;
struct row_key;
struct relation;
struct live_txn;
struct linked_version;
struct key_version;
struct txn_write;

/* What a transaction wrote so far, while what it did is looked at: by key, open addressing. */
struct own_writes {
    ARRAY(struct txn_write) slots;
    size_t mask;
    uint64_t stamp;
};

/*
 * Versions from whose instants an order leads to the view that was looked at last, in a chain for each
 * key. Orders into a view only grow, and the newest stand first: so each is looked at once.
 */
struct versions_before {
    uint32_t point_plus_1; /* the view's; 0: none has been looked at */
    uint32_t newest_order; /* that has been looked at */
    uint32_t date;         /* of the view: chains of others are empty */
    ARRAY(struct linked_version) links;
    uint32_t room[INTERVAL_VERSIONS_LOOKED_AT]; /* for those that the look at hand has asked for */
};

struct interval_model {
    struct profile profile;
    int64_t clock_error;
    struct timeline timeline;  /* of instants */
    struct timeline certifier; /* of transactions */
    ARRAY(struct key_state) keys;
    ARRAY(struct key_version) versions;
    struct map values;             /* the newest version of a key and a value, without times */
    ARRAY(uint32_t) free_versions; /* each with those that are older, which go on to be free */
    ARRAY(struct live_txn) live;   /* in the order in which they came */
    uint64_t live_first;           /* the number of the first of them */
    struct event_heap events;
    ARRAY(struct overlapping_dependency) undecided; /* that overlap */
    struct own_writes own;
    struct row_store *rows;           /* the caller's; NULL: conditions are all CONDITION_ALL */
    ARRAY(struct row_key) key_rows;   /* by key, as far as they are of tables */
    ARRAY(struct relation) relations; /* tables */
    uint64_t asked;                   /* questions so far */
    struct versions_before before;
    struct derivation
        *derivation; /* the caller's; NULL: nobody wants to know what is drawn from what */
    struct gaps gaps;
    int64_t judged_until, oldest; /* nothing is asked before `oldest` */
    size_t until_collection;
    ARRAY(struct interval_finding) findings;
    uint64_t finding_count;
    struct interval_counts counts;
    void (*key_name)(const void *context, uint32_t key, struct buffer *);
    /* What an operation did to a key, as "x=1 (operation 2)"; NULL: the key is named alone. */
    void (*op_name)(const void *context, uint32_t number, uint32_t op, uint32_t key,
                    struct buffer *);
    const void *context;
};

void interval_model_init(struct interval_model *, const struct profile *, int64_t clock_error);
void interval_model_close(struct interval_model *);

/* What a key holds before all transactions; else it is the code 0. */
MUST_USE enum status interval_model_initial(struct interval_model *, uint32_t key, uint64_t value,
                                            struct error *);

/* As interval_model_initial(); the holder of the row is taken over. */
MUST_USE enum status interval_model_initial_row(struct interval_model *, uint32_t key,
                                                uint64_t value, uint32_t row, struct error *);
/*
 * A key is a row of a table, at a place in its order (key_versions_private.h). Told before the first
 * transaction with the key comes; what is told again is passed over.
 */
MUST_USE enum status interval_model_row_key(struct interval_model *, uint32_t key, uint32_t table,
                                            int64_t place, struct error *);

/* Transactions of one session come in its order; otherwise in any. */
MUST_USE enum status interval_model_add(struct interval_model *, const struct interval_trace *,
                                        struct error *);

/*
 * Between these times somebody may have committed anything (gaps_private.h). What has been judged stays
 * so: who is told too late may have accused somebody wrongly.
 */
MUST_USE enum status interval_model_gap(struct interval_model *, int64_t from, int64_t to,
                                        struct error *);
/* From this time on, and nobody knows for how long. It is open until it is told otherwise. */
void interval_model_open_gap(struct interval_model *, int64_t from);
void interval_model_end_open_gap(struct interval_model *);

/* Promises that nothing is added any more that was invoked before; judges what can be. */
MUST_USE enum status interval_model_advance(struct interval_model *, int64_t until, struct error *);
/* Nothing is added any more: judges, in so many steps at the most; `events` is what is left. */
MUST_USE enum status interval_model_end(struct interval_model *, size_t steps_max, struct error *);

#endif
