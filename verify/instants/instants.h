/*
 * instants: the windows of the instants of transactions, as the history alone gives them.
 *
 *     T1  |--- w x 1 ---- r y 2 ---|        operations, within their transaction
 *     b1  |------------------|              when it can have looked
 *     c1                   |-------|        when it can have committed
 *
 * docs/format-witness.md, "Instants", says which there are and when they can have been. A
 * point is an instant by number: two for each transaction, then one for each operation, that of
 * its view, if it has one of its own.
 */
#ifndef VERIFY_INSTANTS_INSTANTS_H
#define VERIFY_INSTANTS_INSTANTS_H

#include "verify/verify_private.h"
#include "verify/witness/steps.h"

#define NO_POINT UINT64_MAX

/* From and to, both included; INT64_MIN and INT64_MAX: nobody knows. */
struct window {
    int64_t low, high;
};

struct instants {
    const struct workings *w;
    struct window *times, *commit, *view; /* of transactions; by the history alone */
    /*
     * The versions of each key, by when they had surely been installed; the latest at which one up
     * to there can have been, and the earliest of one from there on: `low` of their windows.
     */
    uint32_t *by_end;
    int64_t *low_max, *low_min;
};

static inline uint64_t point_of_view(uint32_t txn)
{
    return 2 * (uint64_t)txn;
}

static inline uint64_t point_of_commit(uint32_t txn)
{
    return 2 * (uint64_t)txn + 1;
}

static inline uint64_t point_of_op(const struct history *h, uint32_t op)
{
    return 2 * (uint64_t)h->txn_count + op;
}

static inline bool point_is_op(const struct history *h, uint64_t point)
{
    return point >= 2 * (uint64_t)h->txn_count;
}

/* After versions_build(). Refuses a history whose times say nothing. */
MUST_USE enum status instants_build(struct verifier *, struct error *);

/* The times of an item operation or of a head, as wide as clocks may be wrong. */
struct window instants_op_times(const struct verifier *, uint32_t txn, uint32_t op);

/* An instant that a witness names: of a transaction, or the view of an operation, or of a row. */
struct named_instant {
    uint32_t txn, head, op; /* of a transaction as a whole: HISTORY_NONE */
    uint64_t point;
};

/* Refuses what is no instant of one that may have committed, or not where the database works so. */
MUST_USE enum status instants_find(struct verifier *, const struct witness_name *,
                                   struct named_instant *, struct error *);
/* Whether of two statements of a transaction the second is known to look later. */
bool instants_statement_follows(const struct verifier *, uint32_t txn, uint32_t first,
                                uint32_t second);
/* When the write of a version began. */
int64_t instants_sent(const struct verifier *, uint32_t version);

/* The view that a read or a look has of its own, or NO_POINT; `op` is a row or an operation. */
uint64_t instants_own_view(const struct verifier *, uint32_t head, uint32_t op);
/* The view that it reads as of. */
uint64_t instants_view(const struct verifier *, uint32_t txn, uint32_t head, uint32_t op);
/* The view of all reads of a transaction that have none of their own, or NO_POINT. */
uint64_t instants_txn_view(const struct verifier *, uint32_t txn);
/* Where instants lie within times: what is known of one before all steps. */
struct window instants_first_window(const struct verifier *, uint64_t point);

/* Whether a head looked for rows, and its answer means something. */
bool instants_is_look(const struct verifier *, uint32_t txn, uint32_t head);
/* What takes locks, where reads do that ask for them. */
bool instants_asks_for_locks(const struct history *, uint32_t head);
/* Whether a look is as of one instant. */
bool instants_look_is_strict(const struct verifier *, uint32_t head);
/* Whether a look, or a read of a value, locks what it found, or did not find. */
bool instants_read_locks(const struct verifier *, uint32_t head, uint32_t op);
/* Whether a limit let through fewer rows than there may have been. */
bool instants_look_is_cut(const struct verifier *, uint32_t head);

/* Whether the values look alike: of lists the last element counts, and what is empty is nothing. */
bool instants_look_alike(const struct history *, struct value, struct value);
bool instants_is_nothing(const struct history *, struct value);
/* Whether the version, an operation or VERSION_INITIAL, looks like the value. */
bool instants_op_looks_like(const struct history *, uint32_t key, uint32_t op, struct value);

#endif
