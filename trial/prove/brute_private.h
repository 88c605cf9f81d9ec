/*
 * brute: decides by trying every order whether a small history is serializable.
 *
 *     T1: w x 1      T2: r x 1, w y 1      T3: r x null, r y 1
 *     T3 T1 T2: T3 reads y null, no.  T1 …: T3 reads x 1, no.  T2 first: reads x null, no.
 *
 * A machine runs one transaction after another; each read must return the machine's value.
 * Transactions with an unknown outcome may run or be left out, and their reads are ignored. Aborted
 * ones are left out. Only what clients saw is used, and no code of a checker, so that checkers can be
 * measured by it. The time doubles with each transaction.
 */
#ifndef TRIAL_PROVE_BRUTE_PRIVATE_H
#define TRIAL_PROVE_BRUTE_PRIVATE_H

#include "trial/prove/sketch_private.h"

/*
 * What the order of transactions must keep: nothing; the order of the file within sessions; real
 * time, where one had completed before the other was invoked.
 */
enum brute_order { BRUTE_ANY, BRUTE_SESSIONS, BRUTE_TIME };

MUST_USE enum status brute_is_serializable(const struct sketch *, enum brute_order, bool *,
                                           struct error *);

#endif
