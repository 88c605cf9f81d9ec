/*
 * looks: what statements with a predicate say of the rows of their table.
 *
 *     T1: update t where v >= 10        came: t/1        T1 saw t/1 as some version that matches;
 *     t/1: initial, T2's 12, T3's 4                      of t/1 that is T2's alone
 *     T1: select t where v >= 3, no rows                 all rows as versions that do not
 *     T1: select min(v) where v >= 3: 5                  some row with a 5, and none with a 3 or 4
 *
 * What a transaction sees of a row that it has not written itself is its *sight* of it: one version,
 * with which all its reads and statements about the row must agree. That is a read with several
 * possible sources, as a read of a value that was written twice is. There are as many sights as statements
 * times rows, and of nearly all nobody needs to know. So an order is found first from what items
 * and returned rows say, then replayed with all statements; what disagrees is added as sights, and
 * the question is asked again, of the same polygraph with more reads. A sight is added once, so that this
 * ends.
 *
 * Greatest and least values are sights, too, and a choice of where the value came from (`some`).
 * Other aggregates say what no row can have been alone, and otherwise only replay judges them.
 */
#ifndef CHECKERS_SEARCH_LOOKS_H
#define CHECKERS_SEARCH_LOOKS_H

#include "base/map.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"
#include "checkers/rows/rows.h"
#include "checkers/search/replay_private.h"

#define LOOKS_NO_CELL INT64_MIN /* no row of the table, or null */

struct row_sight {
    uint32_t actor, key, op;                   /* op: the first that says something of it */
    uint32_t candidate_start, candidate_count; /* versions, in `candidates` */
    uint32_t read;                             /* what it has become, once it is distilled */
    bool is_narrowed;                          /* values alone would leave more of them */
};

/* A value that came from one of these versions, each of a row of its own or not. */
struct look_some {
    uint32_t actor, head, aggregate;
    uint32_t start, count; /* in `some_versions` */
};

struct looks {
    const struct history *history;
    const struct distilled *d; /* without sights: of items and returned rows */
    struct keys keys;
    struct matcher matcher;
    struct answers answers;
    struct rows rows;
    ARRAY(struct row_sight) sights;
    ARRAY(struct look_some) somes;
    ARRAY(uint32_t) candidates;    /* of sights */
    ARRAY(uint32_t) some_versions; /* of somes */
    int64_t **cells; /* by column: what it is in each version, once asked for; LOOKS_NO_CELL */
    uint8_t *is_strange;           /* by table: somebody appended to what should be a row */
    struct map sight_of;           /* by actor and key: a sight */
    struct map some_of;            /* by head and aggregate */
    uint32_t *own_date, *own_op;   /* by key: what the transaction at hand wrote there */
    uint32_t *row_date, *row_op;   /* by key: what the statement at hand returned */
    uint32_t own_now, row_now;
    ARRAY(uint32_t) written; /* keys, of the transaction at hand */

    size_t merged_sights, merged_candidates; /* that are in the distilled history */
    size_t read_room, candidate_room;        /* there */

    /* Of the last replay. */
    uint8_t *is_undecided; /* by statement: nobody can compute its answer */
    uint32_t unexplained;  /* statements that disagree, and of which nothing could be added */
    size_t added;
    bool is_too_large;       /* there is no room for more candidates: no sight is added */
    const atomic_bool *stop; /* may be NULL */
    bool learns, has_differed;
    struct fault fault; /* a look that no order explains */
    bool has_fault;
};

/* Closed by looks_close(), also after a failure. */
MUST_USE enum status looks_init(struct looks *, const struct distilled *, struct error *);
void looks_close(struct looks *);

/* Adds sights of the rows that updates and deletes matched, and of those read that had several values. */
MUST_USE enum status looks_add_first(struct looks *, struct error *);

/*
 * Replays an order that explains all items, with the statements. If it explains them too, but for
 * undecided ones, `holds`. Else what disagrees is added, or is a fault; or, where nothing is to be
 * learnt, this ends at the first that does.
 */
MUST_USE enum status looks_replay(struct looks *, const struct serial *, bool learns,
                                  struct arena *, bool *holds, struct error *);

/* Adds the sights that are new to the distilled history, behind its reads; of the arena. */
MUST_USE enum status looks_distill(struct looks *, struct distilled *, struct arena *,
                                   struct error *);

static inline bool looks_are_stopped(const struct looks *l)
{
    return l->is_too_large ||
           (l->stop && atomic_load_explicit(l->stop, memory_order_relaxed));
}

/* --- Between the files of looks ---------------------------------------------------- */

#endif
