/*
 * certificate_private: the versions of a history as its certificate has them, and a
 * walk over all that was seen of them.
 */
#ifndef CHECKERS_CERTIFICATE_CERTIFICATE_PRIVATE_H
#define CHECKERS_CERTIFICATE_CERTIFICATE_PRIVATE_H

#include "checkers/checker_private.h"
#include "checkers/graph/barriers.h"
#include "checkers/graph/places.h"
#include "checkers/proof/proof.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"
#include "checkers/rows/rows.h"
#include "checkers/values/contents.h"
#include "checkers/values/suspects.h"
#include "checkers/values/wrong_answer.h"

#define CERTIFICATE_STEP 8192    /* transactions between two looks whether somebody wants an end */
#define VERSION_FIRST UINT32_MAX /* as a number: the initial version, before number 0 */

/*
 * What transactions that are in left behind, numbered by key and within a key in
 * version order:
 *
 *     key      x           y
 *     start    0           2        3
 *     number   0     1     2
 *     rank     T1    T4    T2
 */
struct certified_versions {
    uint32_t *start; /* by key, and one more */
    uint32_t count;
    uint32_t *op, *rank;     /* by number: what wrote it, and its transaction's rank */
    uint32_t *rank_memory;   /* of ranks, and of one before and one behind, which mean nothing */
    struct content *content; /* by number; NULL: nothing was appended */
    uint32_t *number;        /* by operation, or HISTORY_NONE: it left nothing behind */
    bool *is_sorted;         /* by key: its order is that of places, and all have one */
    uint32_t *by_place; /* beside op: numbers of the key's versions by place; NULL: all sorted */
    uint32_t unplaced;  /* a transaction that wrote and has no place, or HISTORY_NONE */
};

/* A bigint column of a table, as the versions of its rows have it. */
struct sieve_column {
    int64_t *cells;   /* by number; of other keys, nothing */
    int32_t *narrow;  /* the same, if all of it goes in; or NULL */
    int64_t *initial; /* by slot */
    bool has_least;   /* the sign for "no number" is somewhere a number */
};

/* A statement's predicate over versions. */
struct sieve {
    uint32_t predicate;
    const struct spans *spans;
    bool by_cells;
    const struct sieve_column *columns[MATCHER_SPANS_MAX];
    int64_t low[MATCHER_SPANS_MAX];
    const int32_t *only; /* the one column's, where it says all; or NULL */
    int32_t only_low, only_high;
};

/* What is known of a key while a walk goes on. */
struct walked {
    uint32_t own;    /* the last operation that wrote it */
    uint32_t latest; /* the version behind which the walk is */
};

/* What comes behind a write in its transaction. */
struct own_write {
    uint32_t txn;
    uint32_t number; /* of the version that is left behind in the end */
    uint32_t later;  /* writes of the key */
    bool only_appends;
};

/* Where an operation looks. */
struct certified_view {
    bool is_set;
    uint64_t set;  /* in set_start */
    uint32_t seen; /* how many transactions of the sequence it sees */
};

struct certificate {
    const struct history *history;
    const struct check_options *options;
    struct check *check;
    struct places places;
    /*
     * Transactions that are in have ranks: first their positions, then those without a
     * place as the history goes.
     */
    uint32_t *rank;   /* by transaction */
    uint32_t *ranked; /* by rank: the transaction */
    struct keys keys;
    struct matcher matcher;
    struct answers answers;
    struct rows rows; /* of the place where a replay is */
    struct contents contents;
    struct suspects suspects;
    struct judge judge;
    struct certified_versions versions;
    struct sieve_column *sieve_columns; /* by column of all tables */
    uint32_t *left_start;  /* by rank, and one more: the keys of tables that it left behind */
    uint32_t *left;        /* keys */
    bool *is_in_disorder;  /* by table: some row's versions are not in the order of places */
    bool *agrees;          /* by statement: it surely returned what it should have; or NULL */
    uint32_t *returned;    /* by key: the head, plus one, that returned it last */
    uint32_t *asked;       /* by key: the last question that was about it */
    uint32_t question;
    uint32_t *txn_seen;    /* by transaction: what it sees where its operations say nothing else */
    struct walked *walked; /* by key, and one more, of no key */
    uint32_t *set_of_key, *entry_of_key; /* by key: of the set that is remembered, plus one */
    uint32_t remembered_set;             /* plus one */
    ARRAY(struct own_write) own_writes;  /* by operation, from the first of own_writes_txn */
    uint32_t own_writes_txn;
    struct own_write *own_last; /* by key, while they are gathered; NULL: nobody has asked yet */
    ARRAY(struct matched_row) matching;
    uint32_t ruled_out; /* levels, a bit each, by what was found so far */
    bool is_stopped;
};

/* An answer that is judged: of a read, or of a statement that looks for rows. */
static inline bool certificate_is_answered(const struct history *h, uint32_t txn, uint32_t op)
{
    if (h->txn_status[txn] != TXN_OK || h->op_flags[op] & OP_ERROR)
        return false;
    if (op_is_head(h->op_kind[op]))
        return h->op_kind[op] != OP_INSERT &&
               h->statement_flags[h->op_key[op]] & STATEMENT_ANSWERED;
    return h->op_kind[op] == OP_READ && h->op_value_kind[op] != VALUE_NONE;
}

/*
 * Asked every CERTIFICATE_STEP transactions, of which so many have been looked at.
 * False: somebody wants the check to end, and it says now how far it came.
 */
bool certificate_goes_on(struct certificate *, const char *looking_for, uint32_t done);

/* --- Equal values --- */

/* Which integers were written, a bit each, up to some times as many as there are operations. */
struct written {
    uint64_t *words;
    uint64_t end;   /* those from here on have none */
    bool any_twice; /* or nobody can tell */
};

MUST_USE enum status written_init(struct written *, const struct history *, struct error *);

/* Notes it if `writes`; without a jump, as one in two is a read, and nobody knows which. */
static inline void written_note(struct written *w, bool writes, uint8_t kind, int64_t bits)
{
    uint64_t value = (uint64_t)bits;
    bool has_bit = (kind == VALUE_INTEGER) & (value < w->end);
    uint64_t *word = &w->words[has_bit ? value / 64 : 0];
    uint64_t bit = (uint64_t)(writes & has_bit) << (value & 63);

    w->any_twice |= (writes & !has_bit) | ((*word & bit) != 0);
    *word |= bit;
}

/* --- The short way --- */

/* Whether it is worth a try: all read at their own places, as far as one sees at once. */
bool certificate_may_retrace(const struct certificate *);
/*
 * Whether a run in the order of places returns every answer, and makes the versions
 * in the order that the certificate has them. `is_distinct`: and no two writes are of
 * the same value, as far as that was easy to see.
 */
MUST_USE enum status certificate_retrace(struct certificate *, bool *agrees, bool *is_distinct,
                                         struct error *);

/* --- Statements --- */

/* A key's row where a replay is; of keys of no table nothing. */
void certificate_set_row(struct certificate *, uint32_t key, struct value);
/* Whether an answered head, there, returns what it did. False, too, if that is undecided. */
MUST_USE enum status certificate_ask_rows(struct certificate *, uint32_t head, bool *agrees,
                                          struct error *);

/* Finds most of the statements that agree, without a look at what they saw. */
MUST_USE enum status certificate_glance(struct certificate *, struct error *);
/* Then, whether all answers do: false, if only a closer look can tell. */
MUST_USE enum status certificate_glance_reads(struct certificate *, bool *all_agree,
                                              struct error *);
/* A statement of which some row could not be judged, once or again. */
void certificate_note_undecided(struct certificate *, uint32_t head);
/* Which rows a head returned. */
void certificate_note_returned(struct certificate *, uint32_t head);

/* --- Versions --- */

MUST_USE enum status certificate_init_versions(struct certificate *, struct error *);
void certificate_close_versions(struct certified_versions *);

/* Orders uint64_t, for qsort(). */
int certificate_compare_wide(const void *, const void *);
struct content certificate_content(const struct certificate *, uint32_t key, uint32_t number);

/* The operation that wrote it, or VERSION_INITIAL. */
static inline uint32_t certificate_version_op(const struct certificate *c, uint32_t number)
{
    return number == VERSION_FIRST ? VERSION_INITIAL : c->versions.op[number];
}

/* The transaction that wrote it. */
static inline uint32_t certificate_writer(const struct certificate *c, uint32_t number)
{
    return c->ranked[c->versions.rank[number]];
}

/* The one behind it in its key's order, or HISTORY_NONE. */
static inline uint32_t certificate_next(const struct certificate *c, uint32_t key, uint32_t number)
{
    uint32_t next = number == VERSION_FIRST ? c->versions.start[key] : number + 1;

    return next < c->versions.start[key + 1] ? next : HISTORY_NONE;
}

/* --- What predicates match --- */

MUST_USE enum status certificate_init_sieves(struct certificate *, struct error *);
void certificate_close_sieves(struct certificate *);

struct sieve certificate_sieve(const struct certificate *, uint32_t head);
/*
 * For sieves of one narrow column: the first version from `from` on up to `end` that
 * it does not judge so, or `end`; and the last before `from`, down to `start`, plus
 * one, or `start`.
 */
uint32_t sieve_skip_forward(const struct sieve *, bool matched, uint32_t from, uint32_t end);
uint32_t sieve_skip_back(const struct sieve *, bool matched, uint32_t from, uint32_t start);
/* A version of a row of the statement's table. */
enum predicate_answer certificate_match(struct certificate *, const struct sieve *, uint32_t key,
                                        uint32_t number);

/* --- Views --- */

/* The place of an operation's own version set, or set_count. */
size_t certificate_find_set(const struct history *, uint32_t op);
/* Of an answered read or head of a transaction that is in. */
MUST_USE enum status certificate_view(const struct certificate *, uint32_t txn, uint32_t op,
                                      struct certified_view *, struct error *);

/* Whether its operations look nowhere but at its own place, and nobody needs to ask each. */
static inline bool certificate_is_plain(const struct certificate *c, uint32_t txn)
{
    const struct history *h = c->history;

    return h->set_count == 0 && !h->op_snapshot && c->txn_seen[txn] == c->places.position[txn] &&
           c->txn_seen[txn] != HISTORY_NONE && c->versions.unplaced == HISTORY_NONE;
}

/* What is seen of a key there. */
struct sight {
    uint32_t txn, op; /* a read or a head */
    uint32_t key;
    bool is_own;     /* what the transaction itself wrote before */
    bool is_unreal;  /* its version set names what nobody could read */
    uint32_t number; /* the version, unless it is one of these */
    uint32_t unreal; /* the operation that is named */
};

struct sight certificate_look(struct certificate *, const struct certified_view *, uint32_t txn,
                              uint32_t op, uint32_t key);
/* What is there. */
MUST_USE enum status certificate_hold(struct certificate *, const struct sight *, struct held *,
                                      struct error *);

/* --- The walk --- */

/*
 * What is told on the way. `edge` hears the edges of the kinds that are asked for,
 * `sight` the sights of answered reads of items. Either may be NULL.
 */
struct walk {
    struct certificate *certificate;
    bool judges;       /* holds answers against what was seen */
    bool sees_tables;  /* `sight` hears of a statement each row of its table, matching or not */
    const bool *skips; /* by transaction: of which nothing is told; or NULL */
    uint32_t kinds;    /* of edges, a bit each */
    void *context;
    enum status (*edge)(void *context, const struct edge *, struct error *);
    enum status (*sight)(void *context, const struct sight *, struct error *);
};

/* Walks that jump to and fro in the columns ask for what they come to soon. */
#define CERTIFICATE_AHEAD 16 /* transactions */

static inline void certificate_fetch(const struct certificate *c, uint32_t txn)
{
    const struct history *h = c->history;
    uint32_t op = h->txn_op[txn];

    __builtin_prefetch(&h->op_kind[op]);
    __builtin_prefetch(&h->op_flags[op]);
    __builtin_prefetch(&h->op_value_kind[op]);
    __builtin_prefetch(&h->op_key[op]);
    __builtin_prefetch(&h->op_value[op]);
    __builtin_prefetch(&h->op_value[h->txn_op[txn + 1]]);
    if (c->versions.number)
        __builtin_prefetch(&c->versions.number[op]);
}

/* Nothing has been seen or written yet. */
void certificate_begin_walk(struct certificate *);
MUST_USE enum status certificate_walk(struct walk *, struct error *);
/* The part of it that is about one statement. */
MUST_USE enum status walk_statement(struct walk *, uint32_t txn, uint32_t head, struct error *);
/* Of an answered statement: its sights of all rows of its table. */
MUST_USE enum status walk_table(struct walk *, uint32_t txn, uint32_t head, struct error *);
/* What the edges of a read of an item are. */
MUST_USE enum status walk_item_edges(struct walk *, const struct sight *, struct error *);

static inline bool walk_wants(const struct walk *w, enum edge_kind kind)
{
    return w->edge && (w->kinds >> kind & 1);
}

/* --- What no graph tells --- */

/* A finding about two transactions and a key. */
struct certified_pair {
    enum anomaly kind;
    uint32_t key, first, second; /* transactions */
};

MUST_USE enum status certificate_find_duplicates(struct certificate *, struct error *);
/* Two writers of a key, at the levels of snapshot, the second blind for the first by its places. */
MUST_USE enum status certificate_find_lost_updates(struct certificate *, struct error *);
/* What cycles that were found are also called: internal, lost-update, cyclic-versions. */
MUST_USE enum status certificate_add_names(struct certificate *, struct error *);

/* Rules out the level and all that imply it. */
void certificate_rule_out(struct certificate *, enum level);

/* --- The graph --- */

/*
 * Whether sessions and real time lead forward in the order of places, each
 * transaction beginning where it looks, as far as the level asks for them.
 */
MUST_USE enum status certificate_scan_times(struct certificate *, bool *is_forward, struct error *);

/*
 * Whether every edge leads forward in the order of places: then there is no cycle,
 * and that order shows it.
 */
MUST_USE enum status certificate_leads_forward(struct certificate *, bool *is_forward,
                                               struct error *);
/* Looks for cycles that violate the level, and tells of them; else says in what order all went. */
MUST_USE enum status certificate_check_graph(struct certificate *, struct error *);
/* Whether there is a cycle that violates a weaker level, which has no snapshots. */
MUST_USE enum status certificate_graph_violates(struct certificate *, enum level, bool *,
                                                struct error *);

/* --- Causal --- */

/*
 * Judges causal, and rules it out where it does not hold. `tells`: it is the level that is asked
 * for; says what is wrong, or in what order all went.
 */
MUST_USE enum status certificate_check_causal(struct certificate *, bool tells, struct error *);

#endif
