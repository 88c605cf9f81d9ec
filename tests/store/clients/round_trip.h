/*
 * round_trip: that a history survives its files. Alone, as a source of bytes and
 * a source of rows have one name.
 */
#ifndef TESTS_STORE_CLIENTS_ROUND_TRIP_H
#define TESTS_STORE_CLIENTS_ROUND_TRIP_H

#include "history/history.h"

/* Fails the test unless text, binary and text again are the same to the byte. */
void round_trip(const struct history *);
/* As text, behind what is there. */
void round_trip_print(const struct history *, struct buffer *);

#endif
