/*
 * brute: whether a small history is serializable, found out by trying every order.
 *
 *     T1: w x 1      T2: r x 1, w y 1      T3: r x null, r y 1
 *     T3 T1 T2: T3 reads y null, no.  T1 …: T3 reads x 1, no.  T2 first: reads x null, no.
 *
 * A machine runs one transaction after another; each read must return what the
 * machine holds. Transactions whose outcome nobody knows may be run or left out,
 * and their reads mean nothing; aborted ones are left out. It looks at what
 * clients saw and nothing else, shares nothing with any checker, and takes time that
 * doubles with each transaction: it is what checkers are measured by.
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
