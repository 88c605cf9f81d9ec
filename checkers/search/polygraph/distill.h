/*
 * distill: a history as the black-box checker needs it: who may have read whose version.
 *
 *     T1: w x 1, w x 2, w y 1         versions of x: initial, T1's (2); of y: initial, T1's
 *     T2: r x 2, w x 3, r x 3         read of x by T2: T1's; T2 makes a version of x
 *     T3: r y 1, r z _                reads: y, T1's; z, the initial one
 *
 * An *actor* is a transaction that takes part: those that committed, and unknown ones
 * whose values may have been read. Of each key that it writes an actor makes one *version*,
 * the last; versions stand key by key, behind the key's initial one. Only reads that look
 * outside their own transaction are left, each once a key; what a transaction says of its own
 * writes, or twice of the same key, has been compared here.
 *
 * A read has the versions that hold its value as candidates. Mostly there is one, its
 * *source*; none is a *fault*, which shows by itself. Of a list whose elements are unique, the
 * source is the version of the last element, and the longest that was read tells the order.
 *
 * An unknown transaction always takes part. One that did not commit is as one that
 * committed last of all: nothing comes after it in its session or in time, and nobody
 * read from it.
 *
 * All memory is of the arena. A part of a distilled history, some of its actors only, is a
 * distilled history again: a read whose source is gone says nothing.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_DISTILL_H
#define CHECKERS_SEARCH_POLYGRAPH_DISTILL_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/random.h"
#include "checkers/graph/places.h"
#include "history/history.h"

#define NOBODY UINT32_MAX /* no actor, version, read, node, fact */

enum fault_kind {
    FAULT_OF_ITS_OWN, /* contradicts what the transaction wrote, or read before */
    FAULT_NO_WRITER,  /* no version that counts has the value */
    FAULT_NO_SIGHT,   /* no version of the row agrees with the statement, or not its own */
};

struct fault {
    uint32_t txn, op;
    uint8_t kind; /* enum fault_kind */
    bool is_list;
    uint32_t key; /* of the history */
};

/*
 * In a list that was read, one version stands before another: of the longest list all that
 * are next to each other, `links`, and of one that is no beginning of it all.
 * Or the version `second` does not stand in the list at all: `first` is NOBODY.
 */
struct shown {
    uint32_t read, first, second;
    bool links;
};

/* One of these reads, which are sights, is of the version that stands beside it. See looks.h. */
struct some {
    uint32_t actor, head, aggregate;
    uint32_t start, count;
};

struct distilled {
    const struct history *history;
    uint32_t actor_count;
    uint32_t *actor_txn; /* rising */
    bool is_halved;      /* two actors a transaction, one after the other: see prefix_encoding.h */

    uint32_t key_count;
    uint32_t *key_name;  /* the history's number of the key */
    uint32_t *key_start; /* and one more: its versions, the initial one first */
    uint32_t *key_list;  /* the read with the longest list, or NOBODY: it is no list */

    uint32_t version_count;
    uint32_t *version_actor; /* NOBODY: initial */
    uint32_t *version_op;    /* VERSION_INITIAL: initial */
    uint32_t *version_key;

    uint32_t read_count; /* by actor, rising; but sights stand behind all others */
    uint32_t *read_actor, *read_op, *read_key;
    uint32_t *read_length;     /* of a list: how many elements are not the reader's own */
    uint32_t *read_source;     /* version, or NOBODY: several are possible */
    uint32_t *candidate_start; /* and one more; the source alone has none here */
    uint32_t *candidates;      /* versions, rising */

    uint8_t *read_is_narrowed; /* by read: statements say more of it than values; NULL: of none */
    uint32_t some_count;
    struct some *somes;
    uint32_t *some_read, *some_version;

    uint32_t *list_place; /* by version: where it stands in the longest list, from 1; or 0 */
    uint32_t shown_count; /* what lists show of the order of appends */
    struct shown *shown;

    uint32_t pair_count;                /* what is known of the version order */
    uint32_t *pair_first, *pair_second; /* versions of one key; the first is never initial */
    uint8_t *key_is_ordered;            /* its pairs are all of its versions, one after the other */

    ARRAY(struct fault) faults;
    uint32_t strange_key;     /* of the history: read, and cannot be judged; or HISTORY_NONE */
    bool is_stopped;          /* somebody wanted an end: nothing else may be looked at */
    bool is_too_large;        /* nor here: the candidates do not fit */
};

struct distill_options {
    struct ratio version_order; /* the share of it to use; 0/0: all */
    uint64_t seed;
    const atomic_bool *stop; /* may be NULL */
    bool keeps_standing;     /* who is out stays out, even if the order is not used */
    bool takes_statements;   /* statements are judged, too: who may have written a row takes part */
};

/* Closed by distill_close(), also after a failure. */
MUST_USE enum status distill(struct distilled *, const struct history *, const struct places *,
                             const struct distill_options *, struct arena *, struct error *);
/* The actors that are marked, and the keys that matter to them. */
void distill_close(struct distilled *);

/* Memory of the arena, each byte zero. */
MUST_USE enum status distill_take(struct arena *, void **at, size_t count, size_t size,
                                  struct error *);
#define TAKE(arena, at, count, err)                                                                \
    TRY(distill_take((arena), (void **)&(at), (count), sizeof *(at), (err)))

#endif
