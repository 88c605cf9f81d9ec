/*
 * oracle_private: a small history as the oracle's parts see it.
 *
 * Transactions that are not aborted are numbered from 0, and sets of them are
 * masks; so are sets of keys. What a transaction did is a list of steps, in
 * which nothing stands that constrains nothing: no refused operation, no
 * unanswered read, no read of an unknown transaction.
 *
 * Values are numbers: equal values, equal numbers. A list is a path in a tree,
 * so that appending is going down one edge:
 *
 *     0 (null, []) --3--> 5 ([3]) --1--> 6 ([3,1])
 *            \-----1----> 7 ([1])
 */
#ifndef TESTS_ORACLE_ORACLE_PRIVATE_H
#define TESTS_ORACLE_ORACLE_PRIVATE_H

#include "base/array.h"
#include "tests/oracle/oracle.h"

#define ORACLE_STEPS_OF_MODEL_MAX 256
#define ORACLE_QUERIES_MAX 32
#define ORACLE_TERMS_MAX 8

#define ORACLE_NULL 0
#define ORACLE_UNSEEN UINT32_MAX /* a value that nobody told: any will do */

/* Versions of a key by who wrote them. */
#define ORACLE_INITIAL (-1)
#define ORACLE_ANYONE (-2)
#define ORACLE_NOBODY (-3) /* a version that no transaction in question has left behind */

struct oracle_value {
    enum value_kind kind;
    int64_t bits;                    /* of a list: its last element */
    uint32_t parent, child, sibling; /* of lists; 0: none */
};

/* `v >= 10`; of an order: `v DESC`. */
enum oracle_relation { ORACLE_EQ, ORACLE_NE, ORACLE_LT, ORACLE_LE, ORACLE_GT, ORACLE_GE };

struct oracle_literal {
    enum value_kind kind; /* integer, boolean or text */
    int64_t number;
    struct text text;
};

struct oracle_comparison {
    struct text column;
    enum oracle_relation relation;
    struct oracle_literal literal;
};

struct oracle_order_term {
    struct text column;
    bool descends;
};

enum oracle_function { ORACLE_COUNT, ORACLE_SUM, ORACLE_MIN, ORACLE_MAX };

struct oracle_aggregate {
    enum oracle_function function;
    struct text column; /* empty: count(*) */
    uint32_t value;
};

/* A predicate read: a select, or what an update or delete matched. */
struct oracle_query {
    uint32_t keys;     /* of its table */
    uint32_t returned; /* of its rows */
    unsigned row_count;
    unsigned row_key[ORACLE_KEYS_MAX];
    uint32_t row_value[ORACLE_KEYS_MAX]; /* ORACLE_UNSEEN: only matched */
    int64_t limit;                       /* or -1 */
    bool has_rows;                       /* else only aggregates */
    unsigned comparison_count, order_count, aggregate_count;
    struct oracle_comparison comparisons[ORACLE_TERMS_MAX]; /* all must hold */
    struct oracle_order_term order[ORACLE_TERMS_MAX];
    struct oracle_aggregate aggregates[ORACLE_TERMS_MAX];
};

enum oracle_step_kind { STEP_READ, STEP_WRITE, STEP_APPEND, STEP_QUERY };

struct oracle_step {
    enum oracle_step_kind kind;
    uint32_t op; /* in the history */
    unsigned key;
    uint32_t value;  /* read or written; a delete writes null */
    int64_t element; /* appended */
    unsigned query;
};

struct oracle_txn {
    uint32_t number; /* in the history */
    bool is_unknown;
    unsigned step_start, step_end;
    uint32_t writes;                      /* keys */
    uint32_t final_op[ORACLE_KEYS_MAX];   /* of the keys it writes */
    uint32_t session_before, time_before; /* transactions */
};

struct oracle_model {
    const struct history *history;
    unsigned txn_count, key_count, step_count, query_count;
    struct oracle_txn txns[ORACLE_TXNS_MAX];
    struct oracle_step steps[ORACLE_STEPS_OF_MODEL_MAX];
    struct oracle_query queries[ORACLE_QUERIES_MAX];
    uint32_t initial[ORACLE_KEYS_MAX];
    ARRAY(struct oracle_value) values;

    /* The certificate's version orders: transactions, by key. */
    bool has_order[ORACLE_KEYS_MAX];
    unsigned order_count[ORACLE_KEYS_MAX];
    unsigned order[ORACLE_KEYS_MAX][ORACLE_TXNS_MAX];
};

/* A value of every key. */
struct oracle_state {
    uint32_t value[ORACLE_KEYS_MAX];
};

/* One question, for one choice of the unknown transactions that committed. */
struct oracle_search {
    struct oracle_model *model; /* not const: new lists are numbered on the way */
    enum level level;
    uint32_t txns; /* those that committed */
    bool certified;
    size_t steps_left;
    bool gave_up;
};

/* Successors by transaction. */
struct oracle_graph {
    uint32_t ww[ORACLE_TXNS_MAX], wr[ORACLE_TXNS_MAX];
    uint32_t item_rw[ORACLE_TXNS_MAX], predicate_rw[ORACLE_TXNS_MAX];
    uint32_t before[ORACLE_TXNS_MAX]; /* session order or real time, as the level asks */
    uint32_t updates;                 /* transactions that write */
};

/*
 * Something that a transaction did, among the others: what it depends on by that, and what it
 * read past. A write depends on those that wrote the key before it.
 */
struct oracle_event {
    bool is_write;
    unsigned txn, step, key;
    uint32_t seen;                      /* writers */
    uint32_t missed_items, missed_rows; /* later writers of an item that it read; of rows */
};

static inline uint32_t bit(unsigned number)
{
    return UINT32_C(1) << number;
}

/* False where the history is too large or says what the oracle cannot read. */
bool oracle_model_init(struct oracle_model *, const struct history *);
void oracle_model_close(struct oracle_model *);

/* Makes a model of the operations on one key. It borrows the other's values and is not closed. */
void oracle_model_restrict(const struct oracle_model *, unsigned key, struct oracle_model *);

uint32_t oracle_append(struct oracle_model *, uint32_t list, int64_t element);
/* What a step of a transaction makes of its key's value. */
uint32_t oracle_effect(struct oracle_model *, const struct oracle_step *, uint32_t before);
/* The transactions that the level asks to come before this one. */
uint32_t oracle_before(const struct oracle_model *, enum level, unsigned txn);
/* Who wrote what an operation reads of a key: a transaction, or INITIAL, ANYONE, NOBODY. */
int oracle_source(const struct oracle_search *, unsigned txn, uint32_t op, unsigned key);

/* Parsing; false: not understood. */
bool oracle_parse_where(struct text, struct oracle_query *);
bool oracle_parse_order(struct text, struct oracle_query *);
bool oracle_parse_aggregate(struct text, struct oracle_aggregate *);

bool oracle_matches(const struct oracle_model *, const struct oracle_query *, uint32_t value);
/* Whether the query's answer is what it is on this state. */
bool oracle_query_agrees(const struct oracle_model *, const struct oracle_query *,
                         const struct oracle_state *);
/* Whether it could be, when nothing but this key's value is known. */
bool oracle_query_admits(const struct oracle_model *, const struct oracle_query *, unsigned key,
                         uint32_t value);
/* Whether the answer depends on the matching row itself, not only on its matching. */
bool oracle_query_reads(const struct oracle_query *, unsigned key);

/* Counts a step; false when none are left. */
bool oracle_search_step(struct oracle_search *);

/* Whether an explanation exists that makes the level hold. */
bool oracle_replay(struct oracle_search *);
bool oracle_satisfy_axioms(struct oracle_search *);
bool oracle_explain(struct oracle_search *);

/* A level that is read-uncommitted, or that and session order or real time. */
bool oracle_is_uncommitted(enum level);
/* Whether a transaction may read something else than it has written itself. */
bool oracle_allows_internal(enum level);

bool oracle_graph_is_forbidden(const struct oracle_graph *, unsigned txn_count, enum level);
/* What the graph does not show: the order of what one transaction did. */
bool oracle_view_is_forbidden(const struct oracle_graph *, const struct oracle_event *,
                              size_t event_count, unsigned txn_count, enum level);

#endif
