/*
 * models: which levels and models a set of edges violates, by what graphs each of them forbids.
 *
 *     so, wr, ww, rw     session order, reads, version orders and anti-dependencies
 *
 *     read-uncommitted            ww: no cycle
 *     read-committed              ww | wr: no cycle
 *     repeatable-read             ww | wr | rw of items: no cycle
 *     serializable                ww | wr | rw: no cycle
 *     snapshot                    (ww | wr) ; rw?: no cycle
 *     prefix                      (so | wr) ; rw? | ww: no cycle
 *     parallel-snapshot-isolation (so | wr | ww)+ ; rw?: nobody reaches itself
 *     causal                      so | wr | ww: no cycle; (so | wr)+ ; rw: nobody reaches itself
 *     read-atomic                 the same, but (so | wr) ; rw: so is all of a session's past
 *     update-atomic               ww | wr: no cycle; (wr | ww) ; rw: nobody reaches itself
 *     monotonic-atomic-view       read-committed; wr ; rw, where rw is of a later operation than
 *                                 wr, and of an item: nobody reaches itself
 *     cursor-stability            read-committed; rw ; ww of one key, which the reader wrote
 *                                 after it had read: nobody reaches itself
 *     consistent-view             no cycle with at most one rw
 *     forward-consistent-view     the same
 *     monotonic-view              no such cycle that comes into the reader by the operation that
 *                                 rw leaves, or by an earlier one
 *     monotonic-snapshot-read     the same
 *     update-serializable         serializable, of those that write and any one that does not
 *
 * and the variants of the levels with so or with real time in them. Anti-dependencies
 * are those on every later version, of which the edges have only the next: rw is
 * rw ; ww* of the key where that makes a difference. Of the levels that are Cerone
 * and Gotsman's, the graphs are those of their papers, for version orders that are
 * known; "Analysing Snapshot Isolation" (2016), "Algebraic Laws for Weak Consistency"
 * (2017). Adya's thesis (1999) tells forward-consistent-view from consistent-view, and
 * monotonic-snapshot-read from monotonic-view, by when transactions and statements
 * began: who does not know that can take all for concurrent, so that they fall together.
 *
 * What was inferred of the version orders holds only at the levels that would be
 * violated if it were the other way round: each edge says what it stands on.
 *
 * Only what lies in components that some anti-dependency ties together is looked at,
 * and nothing that is decided by a stronger level that holds or a weaker one that does not. The
 * walks that remain have a budget: beyond it the level is undecided.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_H
#define CHECKERS_INFER_MODELS_MODELS_H

#include "checkers/graph/cycles.h"

/* The levels and models that are decided here. */
uint64_t models_levels(void);

struct models {
    const struct history *history;
    const struct cycles *cycles;
    uint32_t hubs; /* nodes from here on stand between readers and writers: infer_private.h */
    /*
     * By edge: a wr by an operation behind a write of its own of the key, which tells what it wrote
     * over; at the levels that are axioms of visibility that is no seeing. NULL: none is.
     */
    bool *is_behind;
};

/* Of cycles that stay where they are. Closed by models_close(), also after a failure. */
MUST_USE enum status models_init(struct models *, const struct history *, const struct cycles *,
                                 uint32_t hubs, struct error *);
void models_close(struct models *);

/* Whether a level is an axiom of visibility: reads behind own writes do not see. */
bool models_is_axiomatic(enum level);

/*
 * Of the levels that are asked: adds those that the edges violate to `violated`, which has
 * those that are known to be, and all that imply them. Those beyond the budget go to `undecided`.
 */
MUST_USE enum status models_decide(const struct models *, uint64_t asked, uint64_t *violated,
                                   uint64_t *undecided, struct error *);
/*
 * Tells one cycle that the level, which is violated, forbids, as cycles_tell() does.
 * `is_spent`: none was found within the steps that it may take.
 */
MUST_USE enum status models_tell(const struct models *, enum level,
                                 enum status (*tell)(void *, const struct found_cycle *,
                                                     bool *goes_on, struct error *),
                                 void *context, bool *is_spent, struct error *);

#endif
