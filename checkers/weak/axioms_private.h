/*
 * axioms_private: functions that all axioms share.
 */
#ifndef CHECKERS_WEAK_AXIOMS_PRIVATE_H
#define CHECKERS_WEAK_AXIOMS_PRIVATE_H

#include "checkers/weak/weak_private.h"

#define WEAK_SHORT 16        /* reads that are compared pair by pair */
#define WEAK_SHORT_SCOPE 256 /* the same within a scope */

/* Where an axiom forces more, the verdict is unknown: they take gigabytes. */
#define WEAK_EDGES_MAX 300000000

/* Whoever wrote more than so many keys is asked for each that was read. */
#define WEAK_MANY 64

static inline bool weak_wrote_many(const struct weak *w, uint32_t txn)
{
    return w->write_start[txn + 1] - w->write_start[txn] > WEAK_MANY;
}

/* t2 before the writer that was read: where that is somebody else, and within the scope. */
static inline MUST_USE enum status weak_axiom_add(const struct weak *w,
                                                  const struct weak_scope *scope,
                                                  struct weak_edges *edges, uint32_t t2,
                                                  uint32_t read, struct error *err)
{
    uint32_t t1 = w->read_writer[read];

    if (t1 == t2 || t1 == WEAK_OPEN)
        return STATUS_OK;
    if (scope && (!weak_is_inside(scope, t2) || !weak_is_inside(scope, t1) ||
                  scope->component[t1] != scope->component[t2]))
        return STATUS_OK;
    return weak_add_edge(edges, t2, t1, w->read_op[read], err);
}

/* Whether to go on makes no difference. */
static inline bool weak_axiom_is_enough(const struct weak_scope *scope,
                                        const struct weak_edges *edges)
{
    return scope ? edges->edges.count >= scope->edges_max
                 : edges->only_backward && edges->edges.count > 0;
}

/*
 * Whether two reads of a transaction are rows of one statement, which are read at once. Looks at
 * what stands between them.
 */
static inline bool weak_is_at_once(const struct weak *w, uint32_t first, uint32_t second)
{
    const struct history *h = w->history;

    if (h->op_kind[w->read_op[first]] != OP_ROW_READ)
        return false;
    for (uint32_t op = w->read_op[first] + 1; op <= w->read_op[second]; op++)
        if (h->op_kind[op] != OP_ROW_READ)
            return false;
    return true;
}

/* Asks for the memory of what those wrote whom some transactions ahead read from. */
static inline void weak_expect_writers(const struct weak *w, uint32_t txn)
{
    uint32_t far = txn + 12, near = txn + 6;

    if (far >= w->txn_count)
        return;
    for (uint32_t i = w->read_start[far]; i < w->read_start[far + 1]; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            __builtin_prefetch(&w->write_start[w->read_writer[i]]);
    for (uint32_t i = w->read_start[near]; i < w->read_start[near + 1]; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            __builtin_prefetch(&w->write_key[w->write_start[w->read_writer[i]]]);
}

#endif
