/*
 * infer: decides levels by orders of versions that follow from the values themselves.
 *
 *     T1: append x 1    T2: append x 2    T3: r x [1 2], r y []    T4: append y 1, r x [1]
 *
 *     [1 2] shows that T1 comes before T2; so T4, which read [1], comes before T2, and T2
 *     before T3, which read what it appended; T3 comes before T4, whose append it did not
 *     see: refused at serializable, a G-single
 *
 * For histories of lists and registers whose values tell who wrote them: no element is
 * appended to a key twice, no value is written to a key twice. After Kingsbury and Alvaro,
 * "Elle: Inferring Isolation Anomalies from Experimental Observations" (2020), and beyond:
 * what nobody wrote is a finding, unknown is unknown, and each verdict has its witness.
 *
 * Orders of versions:
 *
 *     lists        as the longest list shows that a committed transaction read; appends that
 *                  it does not have come behind, in no order among each other
 *     registers    the initial value first; what a transaction read before what it then wrote;
 *                  by sessions and by real time, where the level asks for these
 *
 * Valid means that there is an order of all versions that leaves nothing the level forbids, and the
 * witness has it: values show one, or it was found (completion.c, alternatives.c). Where no
 * anomaly follows and no order was found, the verdict is unknown.
 * A verdict is that of the level asked for. What else was found, and that level does not forbid,
 * is no finding; but it counts for the strongest level that still holds and the weakest that is
 * violated. Transactions of unknown outcome have committed if somebody read from them.
 *
 * Time and memory are linear in the history and the lists that it has, but for sorting. The
 * shortest cycles are searched only where there are cycles, in a limited number of steps.
 */
#ifndef CHECKERS_INFER_INFER_H
#define CHECKERS_INFER_INFER_H

#include "checkers/checker.h"

#endif
