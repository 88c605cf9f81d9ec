/*
 * verify_private: the data that all files of verify share.
 *
 * Every transaction that counts has a place in an order, and sees a number of
 * those at the order's beginning. The versions of a key that they left behind stand in
 * a chain:
 *
 *     key x     initial -- T3's -- T1's -- T2's      chain: ops 7, 2, 5
 *     spot         0        1       2       3
 *
 * A spot of a chain is a version by its place in it. What a transaction reads of
 * a key is its own last version, or the one at the spot that answer_sight() tells.
 */
#ifndef VERIFY_VERIFY_PRIVATE_H
#define VERIFY_VERIFY_PRIVATE_H

#include "base/intern.h"
#include "base/map.h"
#include "history/history.h"
#include "history/tables.h"
#include "verify/witness/witness.h"

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

/* Numbers by what they belong to: those of bucket b are at[start[b]] and on, before start[b + 1]. */
struct buckets {
    uint32_t *start, *at;
};

struct verifier {
    const struct history *h;
    const struct witness *w;
    const struct basis *basis; /* of the witness */
    bool is_refused;           /* the error says that something is not true */

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

    /* See lookup_private.h. */
    struct map txn_of_id;
    uint32_t *op_txn, *op_head;  /* by operation; the head of what is no row is itself */
    uint32_t *made, *made_start; /* the latter by transaction */
    uint32_t *rows;

    uint8_t *counting;         /* by transaction */
    uint32_t *place, *seen;    /* by transaction; UINT32_MAX if it has none */
    uint64_t *version_start;   /* by key */
    uint64_t *chain_end;       /* by key: behind that, versions of those that count perhaps */
    uint32_t *version;         /* operations: what was left of a key */
    uint32_t *chain_by_ts;     /* spots of each chain, by ts */
    bool *chain_has_ts;        /* by key: all in the chain have */
    uint32_t *spot;            /* by operation: in its key's chain; 0: it is not there */
    uint32_t *append_base;     /* by operation; NULL: there are no appends */
    struct buckets table_keys; /* by table: keys that are rows of it */

    /*
     * What is at hand, by key; an entry holds if it has today's date: what the operation's own
     * version set names, and what a transaction read before.
     */
    uint32_t set_now, read_now;
    uint32_t *set_date, *set_version;
    uint32_t *read_date, *read_version;
    bool has_set;

    /* Of blackbox, infer and weak. */
    struct sources *sources;
    struct inferred *inferred;
    ARRAY(struct derived_order) derived; /* of infer: what the anomaly at hand has shown so far */
    struct instants *instants;           /* of interval */
    bool by_order; /* sessions or times were needed to tell that one version is before another */
    uint32_t *order_place; /* by version: its place among all version orders, from 1 */

    /* Who takes part in the anomaly has today's date. */
    uint32_t part_now, *part_date;
    size_t part_count;

    bool has_own_workload; /* see workload.h */
    bool *is_account;      /* by key, of banks; once asked for */
    size_t account_count;

    bool *is_excused;        /* by statement: the witness says that it was not judged; NULL: none */
    uint64_t unjudged_count; /* statements that were not held against a valid verdict */

    uint64_t spent;         /* steps of searches */
    uint32_t *heads_before; /* by operation: those before it that are no rows; once asked for */
    struct intern keys;     /* once asked for: the numbers are the keys' */
    struct intern written;  /* once asked for: every value and element, as bytes */
    bool has_written;
    struct buffer bytes;  /* of written_value_bytes() */
    ARRAY(void *) blocks; /* all of the above */
};

#define NO_PLACE UINT32_MAX
#define BASE_NOWHERE (UINT32_MAX - 1) /* of an append of who does not count */

/* Says that something is not true. */
MUST_USE enum status verify_refuse(struct verifier *, struct error *, const char *format, ...)
    PRINTF_LIKE(3, 4);

/* Likewise, unless it is so. */
#define verify_need(v, is_so, err, ...) ((is_so) ? STATUS_OK : verify_refuse(v, err, __VA_ARGS__))

/* Zeroed, until the witness is judged. */
MUST_USE enum status verify_memory(struct verifier *, void **, size_t count, size_t size,
                                   struct error *);

/* Of as many as the array of a pointer has. */
#define VERIFY_GET(v, array, count, err)                                                           \
    verify_memory(v, (void **)&(array), count, sizeof *(array), err)

/* The numbers below `count`, and which of so many buckets each belongs to. */
struct bucketing {
    size_t bucket_count, count;
    uint32_t (*bucket_of)(const void *context,
                          uint32_t number); /* or HISTORY_NONE: it is in none */
    const void *context;
};

/* In a bucket the numbers rise. */
MUST_USE enum status verify_bucket(struct verifier *, struct bucketing, struct buckets *,
                                   struct error *);

/*
 * Counts steps of a search. An honest witness makes few of them; a hostile one could search all of
 * the history for each of its statements, and so there is an end to it.
 */
MUST_USE enum status verify_spend(struct verifier *, uint64_t steps, struct error *);

/* True: it had no part in the anomaly so far. */
bool verify_add_part(struct verifier *, uint32_t txn);

#endif
