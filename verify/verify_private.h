/*
 * verify_private: a witness held against its history.
 *
 * Every transaction that counts has a place in an order, and sees a number of
 * those at the order's beginning. The versions of a key that they left behind stand in
 * a chain:
 *
 *     key x     initial -- T3's -- T1's -- T2's      chain: ops 7, 2, 5
 *     spot         0        1       2       3
 *
 * A spot of a chain is a version by its place in it. What a transaction reads of
 * a key is its own last version, or the one at the spot that sight_of() tells.
 */
#ifndef VERIFY_VERIFY_PRIVATE_H
#define VERIFY_VERIFY_PRIVATE_H

#include "base/intern.h"
#include "base/map.h"
#include "history/history.h"
#include "history/tables.h"
#include "verify/query.h"
#include "verify/witness.h"

/* Whether a transaction's writes happened. */
enum counting { COUNTS_NOT, COUNTS, COUNTS_PERHAPS };

/* What closes a cycle besides data. */
enum closing { CLOSED_BY_NOTHING, CLOSED_BY_SESSIONS, CLOSED_BY_TIME };

struct sources;  /* sources.h */
struct inferred; /* inferred.h */
struct instants; /* instants.h */

/* That one version of a key comes before another, as the other way round there were a cycle. */
struct derived_order {
    uint32_t key, first, second;
};

struct verifier {
    const struct history *h;
    const struct witness *w;
    const struct basis *basis; /* of the witness */
    bool is_refused; /* the error says that something is not true */

    /* The level. */
    bool has_shape;    /* a model that forbids cycles of its own shape */
    bool is_causal;    /* causal by a certificate: a statement reads every row of its table */
    bool is_snapshot;  /* reads are of a snapshot of their transaction's */
    bool is_exclusive; /* of two writers of a key one has the other in its snapshot */
    bool judges_reads, has_rw, has_predicate_rw;
    bool repeats_reads; /* two reads of a key, without a write between them, are of one version */
    bool forbids_lost_update;
    bool reads_are_consistent; /* of a transaction: it sees others whole or not at all */
    bool judges_own;           /* a read finds what its own transaction had written */
    enum closing closing;

    struct map txn_of_id;
    uint8_t *counting;           /* by transaction */
    uint32_t *place, *seen;      /* by transaction; UINT32_MAX if it has none */
    uint64_t *chain_start;       /* by key */
    uint32_t *chain, *chain_txn; /* operations and who they are of */
    uint32_t *chain_by_ts;       /* spots of each chain, by ts */
    bool *chain_has_ts;          /* by key: all in the chain have */
    uint64_t *perhaps_start;     /* by key */
    uint32_t *perhaps;           /* last versions of those that count perhaps */
    uint32_t *spot;              /* by operation: in its key's chain; 0: it is not there */
    uint32_t *append_base;       /* by operation; NULL: there are no appends */
    uint64_t *table_start;       /* by table */
    uint32_t *table_key;         /* keys that are rows of it */

    /*
     * What is at hand, by key; an entry holds if it has today's date: what the
     * transaction wrote last, what the operation's own version set names, which
     * row the statement returned.
     */
    uint32_t own_now, set_now, row_now;
    uint32_t *own_date, *own_op;
    uint32_t *set_date, *set_version;
    uint32_t *row_date, *row_op;
    bool has_set;

    /* Of blackbox, infer and weak. */
    struct sources *sources;
    struct inferred *inferred;
    ARRAY(struct derived_order) derived; /* of infer: what the anomaly at hand has shown so far */
    struct instants *instants; /* of interval */
    bool by_order; /* sessions or times were needed to tell that one version is before another */
    uint32_t *order_place; /* by version: its place among all version orders, from 1 */

    /* Who takes part in the anomaly has today's date. */
    uint32_t part_now, *part_date;
    size_t part_count;

    bool has_own_workload; /* see workload.h */
    bool *is_account; /* by key, of banks; once asked for */
    size_t account_count;

    bool *is_excused;         /* by statement: the witness says that it was not judged; NULL: none */
    uint64_t unjudged_count;  /* statements that were not held against a valid verdict */

    uint64_t spent;            /* steps of searches */
    uint32_t *made, *made_end; /* versions; by transaction, where its end; once asked for */
    uint32_t *heads_before;    /* by operation: those before it that are no rows; once asked for */
    struct intern keys;        /* once asked for: the numbers are the keys' */
    struct intern written;     /* once asked for: every value and element, as bytes */
    bool has_written;
    struct buffer bytes;  /* of value_bytes() */
    ARRAY(void *) blocks; /* all of the above */
};

#define NO_PLACE UINT32_MAX
#define BASE_NOWHERE (UINT32_MAX - 1) /* of an append of who does not count */

/* Says that something is not true. */
MUST_USE enum status verify_refuse(struct verifier *, struct error *, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* --- basis.c: whether the checker decides the level, and what of a history it judges --- */

MUST_USE enum status basis_take_level(struct verifier *, struct error *);

/* --- versions.c --- */

MUST_USE enum status memory_get(struct verifier *, void **, size_t count, size_t size,
                                struct error *);
MUST_USE enum status versions_count_txns(struct verifier *, struct error *);
/* After places are given. */
MUST_USE enum status versions_build(struct verifier *, struct error *);

static inline uint32_t chain_length(const struct verifier *v, uint32_t key)
{
    return (uint32_t)(v->chain_start[key + 1] - v->chain_start[key]);
}

static inline uint32_t chain_op_at(const struct verifier *v, uint32_t key, uint32_t spot)
{
    return spot == 0 ? VERSION_INITIAL : v->chain[v->chain_start[key] + spot - 1];
}

static inline uint32_t chain_txn_at(const struct verifier *v, uint32_t key, uint32_t spot)
{
    return v->chain_txn[v->chain_start[key] + spot - 1];
}

static inline bool key_is_vague(const struct verifier *v, uint32_t key)
{
    return v->perhaps_start[key] < v->perhaps_start[key + 1];
}

/* Whether what the version holds is the value; the version may be VERSION_INITIAL. */
bool version_has_value(const struct verifier *, uint32_t key, uint32_t op, struct value);
/* What it holds; not for appends. */
struct value version_value(const struct verifier *, uint32_t key, uint32_t op);
/* The empty list and null are one. */
struct value value_plain(const struct history *, struct value);
bool value_is_same(const struct history *, struct value, struct value);
bool value_has_element(const struct history *, struct value list, int64_t element);

/* --- written.c --- */

/* A value of a key, or an element of its lists. Until the next call; buffer_status() is due. */
struct text value_bytes(struct verifier *, uint32_t key, bool is_element, struct value);
struct text element_bytes(struct verifier *, uint32_t key, int64_t element);
/* Whether no transaction, committed or not, wrote the value, or some element of the list. */
MUST_USE enum status written_by_nobody(struct verifier *, uint32_t key, struct value, bool *strange,
                                       struct error *);

/* --- sight.c --- */

/* Begins to look at a transaction. */
void own_begin(struct verifier *);
/* Goes past one of its operations. */
void own_pass(struct verifier *, uint32_t op);
/* Begins, and passes all of its operations before this one. */
void own_pass_until(struct verifier *, uint32_t txn, uint32_t op);
/* Its last write of the key so far, or HISTORY_NONE. */
uint32_t own_version(const struct verifier *, uint32_t key);

enum sight_kind {
    SIGHT_SPOT,
    SIGHT_NOBODY, /* the certificate names a version that nobody can read */
    SIGHT_UNSAID, /* nothing says which one */
};

struct sight {
    enum sight_kind kind;
    uint32_t spot;
    bool is_vague; /* or a version of a transaction that counts perhaps */
};

/* To be called before sight_of() for an operation, a head or an item operation. */
void sight_prepare(struct verifier *, uint32_t op);
/* What the operation read of a key that its transaction had not written. */
struct sight sight_of(const struct verifier *, uint32_t txn, uint32_t op, uint32_t key);

/* --- answer.c --- */

enum answer { ANSWER_RIGHT, ANSWER_WRONG, ANSWER_UNSAID };

/* Whether an item operation or a row is a read of a committed transaction that has an answer. */
bool op_reads_value(const struct verifier *, uint32_t txn, uint32_t op);
/* Whether an operation of a transaction that counts has an answer that means something. */
bool op_is_judged(const struct verifier *, uint32_t txn, uint32_t op);

/* A row of a statement's table, as the statement saw it. */
struct glance {
    uint32_t key;
    bool is_own;
    struct sight sight; /* unless own */
    struct value row;
    enum match match;
    bool is_returned;
};

/* Refuses SQL that does not parse. To be closed if it could be opened. */
MUST_USE enum status statement_open(struct verifier *, uint32_t head, struct query *,
                                    struct error *);

typedef enum status glance_function(struct verifier *, const struct query *, uint32_t txn,
                                    const struct glance *, struct error *);

/* own_pass_until() and sight_prepare() have been called. */
enum answer answer_judge_item(const struct verifier *, uint32_t txn, uint32_t op);
/* `each` may be NULL: it is called for every row, if they can all be told. */
MUST_USE enum status answer_judge_statement(struct verifier *, uint32_t txn, uint32_t head,
                                            glance_function *each, enum answer *, struct error *);
/* One row alone. */
MUST_USE enum status answer_judge_row(struct verifier *, uint32_t txn, uint32_t head, uint32_t key,
                                      enum answer *, struct error *);
void answer_glance(const struct verifier *, const struct query *, uint32_t txn, uint32_t head,
                   uint32_t key, struct glance *);

/*
 * Counts steps of a search. An honest witness makes few of them; a hostile one could search all of
 * the history for each of its statements, and so there is an end to it.
 */
MUST_USE enum status verify_spend(struct verifier *, uint64_t steps, struct error *);

/* True: it had no part in the anomaly so far. */
bool part_add(struct verifier *, uint32_t txn);

/* --- valid.c, cycle.c, anomaly.c, refutation.c, instant_proof.c, instant_order.c --- */

MUST_USE enum status verify_valid(struct verifier *, struct error *);
/* With interval: statements that are held against instants in part. */
void valid_count_partial(struct verifier *);
MUST_USE enum status verify_anomaly(struct verifier *, const struct witness_anomaly *,
                                    struct error *);
MUST_USE enum status verify_cycle(struct verifier *, const struct witness_anomaly *,
                                  struct error *);

/* Of verdicts that were drawn from values alone. */
MUST_USE enum status verify_refutation(struct verifier *, const struct witness_anomaly *,
                                       struct error *);

/* Of verdicts that were drawn from how the database works, and when. */
MUST_USE enum status verify_instant_steps(struct verifier *, const struct witness_anomaly *,
                                          struct error *);
MUST_USE enum status verify_instant_order(struct verifier *, struct error *);

/* Whether the first was over before the second began, as the level means it. */
bool txn_is_before(const struct verifier *, enum closing, uint32_t, uint32_t);

/* --- lookup.c --- */

MUST_USE enum status lookup_txn(struct verifier *, int64_t id, uint32_t *txn, struct error *);
MUST_USE enum status lookup_key(struct verifier *, struct text, uint32_t *key, struct error *);
/* By its place among the transaction's operations. */
MUST_USE enum status lookup_op(struct verifier *, uint32_t txn, int64_t place, uint32_t *op,
                               struct error *);
/* VERSION_INITIAL for the initial one. */
MUST_USE enum status lookup_version(struct verifier *, const struct witness_version *, uint32_t key,
                                    uint32_t *op, struct error *);
/* Whether the operation, a head or an item operation, made the version. */
bool op_made_version(const struct verifier *, uint32_t op, uint32_t version);
/* The row of a key among those of a statement, or HISTORY_NONE. */
uint32_t op_row_of(const struct verifier *, uint32_t head, uint32_t key);
/* Whether it is about the key, or about the table that the key is a row of. */
bool op_may_read(const struct verifier *, uint32_t op, uint32_t key);

#endif
