/*
 * certificate_replay: whether every committed transaction has read what the store's own
 * certificate says that it has read.
 *
 *     by ts alone          all that was written by transactions of smaller ts: then the order of ts
 *                          is a serial order, and there is nothing else to ask
 *     by a snapshot        all that was written at or below it
 *
 * Reads of items, lists, rows and predicates, by value; own writes override. It
 * shares nothing with the store or with checkers.
 */
#ifndef TESTS_STORE_CERTIFICATE_REPLAY_H
#define TESTS_STORE_CERTIFICATE_REPLAY_H

#include "history/history.h"

/* NULL if all is true; else what is not, in a buffer of its own. */
const char *certificate_find_lie(const struct history *);
/* The same of the order of ts: nobody completed before somebody of smaller ts was invoked. */
const char *certificate_find_inversion(const struct history *);

#endif
