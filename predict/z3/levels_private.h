/*
 * levels: the predicted execution is of the level (4.3): some commit order satisfies its axiom.
 *
 *     if t3 reads the key from w, another transaction c writes it, and premise(c, t3), then c is before w
 *
 *     read-committed    t3 has read from c before
 *     read-atomic       c is before t3 in its session, or t3 reads from it
 *     causal            the same, in any number of steps
 *     prefix            c is, or stands before, a transaction that is before t3 in its session or that t3 reads from
 *     snapshot          the same, or a transaction before t3 that writes a key which t3 writes, too, if only behind
 *                       its cut: of two that are concurrent one would not have committed
 *
 * The first three speak of no commit order, so it is enough that these edges, session order and reads have no cycle:
 * transactions have places, integers. The last two do; of each two transactions one is before the other. (Biswas and
 * Enea, OOPSLA 2019; the paper has read-committed and causal.)
 */
#ifndef PREDICT_Z3_LEVELS_PRIVATE_H
#define PREDICT_Z3_LEVELS_PRIVATE_H

#include "history/level.h"
#include "predict/z3/boundary_private.h"

MUST_USE enum status levels_encode(struct encoding *, enum level, struct error *);

#endif
