/*
 * interval: judges a history by the times of its operations alone, as Leopard does
 * (ICDE 2022): mirror.h has how.
 *
 *     T1  w x 1  |--|   commits |--|
 *     T2                            r x 1 |--|                accepted
 *     T3                                          r x null |--|
 *                                             refused: inconsistent-read
 *
 * Of several threads some make transactions ready (ahead.h), and sieve out what times alone settle,
 * each the keys that are its own (sieve.h); one mirror judges the rest, with the one
 * certifier. What is found is the same, in the same words, of any number.
 *
 * Without a profile only that is asked for what every implementation of the level must satisfy.
 */
#ifndef CHECKERS_INTERVAL_INTERVAL_H
#define CHECKERS_INTERVAL_INTERVAL_H

#include "checkers/checker_private.h"

#endif
