/*
 * z3: predictions by Z3, with the encodings of IsoPredict (Geng, Blanas, Bond and Wang, PLDI 2024): to compare the
 * native engine with, and as a second opinion.
 *
 *     exact-strict      4.2.1: for all commit orders, some constraint of serializability does not hold
 *     approx-strict     4.2.2: pco, the part of each commit order that is forced, has a cycle; its edges are ranked,
 *     approx-relaxed    so that none is its own reason
 *
 * and each with the constraints of 4.1, 4.3 and 4.5, which are written down as they are needed here:
 *
 *     boundary_private.h         what is left of the trace, and who reads from whom
 *     levels_private.h           the level: some commit order satisfies its axiom
 *     unserializable_private.h   no commit order makes it serializable
 *     recheck_private.h          the same of a model, in plain C, before it is believed
 *
 * Four things are not as in the paper. Positions, transactions and sessions are a few constants each, so what the
 * paper says with functions from and to these is said with a boolean for each case. Only relations that are to be
 * found are defined by what they follow from; of those that are to be avoided it is enough that they contain what
 * they must. A session may end behind any transaction, as in predict/prediction.h, not only with the trace or in a
 * transaction that reads: the paper leaves out what happens after a boundary transaction at each place where it would
 * count. And pco is put together as in the authors' program (unserializable_private.h).
 *
 * Effort is counted in Z3's own steps: options->steps_max. Z3 runs in a process apart.
 */
#ifndef PREDICT_Z3_Z3_H
#define PREDICT_Z3_Z3_H

#include "predict/prediction.h"

/*
 * Strategies but semantic, and no window. That an approximate encoding has none is PREDICTION_UNKNOWN: there may be
 * one all the same.
 */
MUST_USE enum status predict_z3(const struct dataflow *, const struct predict_options *,
                                struct arena *, struct prediction *, struct error *);

#endif
