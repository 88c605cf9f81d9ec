/*
 * legality: which versions the transaction that is being executed may read, at a level (directed.h).
 *
 * Of the levels up to causal the state is a set of edges that every commit order must have, and what the transaction
 * has seen so far:
 *
 *     seen       read committed    whom it read from
 *                read atomic       the same, and those before it in its session
 *                causal            all that happened before it
 *     To read x from w brings w with it, at causal also w's past. Then each writer of x that is seen must be before w;
 *     and each writer of y that is new among the seen before u, if y was read from u.
 *     barred     those that no new read may bring with it: they wrote some y and are behind its u
 *     loaded     those that would bring an edge with them
 *
 * At read committed what is new concerns the reads of the same statement alone.
 *
 * Of the others the order of execution is the commit order, and the state is the interval of the prefixes that the
 * transaction may have seen: `low` and `high` are the least and the greatest number of transactions in it.
 */
#ifndef PREDICT_DIRECTOR_LEGALITY_PRIVATE_H
#define PREDICT_DIRECTOR_LEGALITY_PRIVATE_H

#include "history/level.h"
#include "predict/director/commit_order_private.h"
#include "predict/director/keys_private.h"

#define LEGALITY_NOBODY UINT32_MAX

struct legal_read {
    uint32_t key, writer;
};

struct legality {
    enum level level;
    const struct directed_keys *keys;
    struct commit_order order;
    uint32_t words; /* of each of the sets: as in the order */
    uint64_t *sets; /* all of them */
    uint64_t *seen, *barred, *loaded;
    uint64_t *writers, *passed;     /* of the key at hand */
    bool is_barring, is_loading;    /* somebody among these has not been seen */
    ARRAY(struct legal_read) reads; /* of keys with several versions */
    size_t moment; /* the first of the reads of this statement, at read committed */
    uint32_t statement;
    uint32_t previous; /* in its session */
    uint32_t low, high;
    size_t mark; /* of the order as the transaction began */
};

void legality_init(struct legality *, enum level, const struct directed_keys *);
void legality_close(struct legality *);

/* `txn` is the number that it will have; `previous` committed before it in its session, or LEGALITY_NOBODY. */
MUST_USE enum status legality_begin(struct legality *, uint32_t txn, uint32_t previous,
                                    struct error *);
/* What is read from now on is of this statement. */
void legality_enter(struct legality *, uint32_t statement);
/* Fills in places among the key's versions, of which there is room for all. At least one is legal. */
MUST_USE enum status legality_find(struct legality *, uint32_t key, uint32_t *places,
                                   uint32_t *count, struct error *);
/* Such a version is read. */
MUST_USE enum status legality_read(struct legality *, uint32_t key, uint32_t place, struct error *);
/* False: the transaction cannot have seen the key's newest version, which it would have to. */
bool legality_write(struct legality *, uint32_t key);

void legality_commit(struct legality *, uint32_t txn);
/* Or: as if it had not been. */
void legality_abort(struct legality *);
/* Undoes the last commit; `mark` is that of the order as the transaction began. */
void legality_undo(struct legality *, uint32_t txn, size_t mark);

/* Into `order` the `count` transactions in a commit order: as they were executed, as far as that is one. */
MUST_USE enum status legality_final_order(const struct legality *, uint32_t count, uint32_t *order,
                                          struct error *);

#endif
