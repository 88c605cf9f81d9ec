/*
 * interval: judges a history by the times of its operations alone, as Leopard does
 * (ICDE 2022): interval_model.h has how.
 *
 *     T1  w x 1  |--|   commits |--|
 *     T2                            r x 1 |--|                accepted
 *     T3                                          r x null |--|
 *                                             refused: inconsistent-read
 *
 * One thread judges: several would have to share the instants of all keys.
 *
 * Without a profile only that is asked for what every implementation of the level must satisfy.
 */
#ifndef CHECKERS_INTERVAL_INTERVAL_H
#define CHECKERS_INTERVAL_INTERVAL_H

#include "checkers/check_private.h"

#endif
