/*
 * atomic: finds transactions that read a key twice, from two writers.
 */
#ifndef CHECKERS_WEAK_ATOMIC_PRIVATE_H
#define CHECKERS_WEAK_ATOMIC_PRIVATE_H

#include "checkers/weak/weak_private.h"

/* Faults of transactions that read a key twice, from two writers. */
MUST_USE enum status weak_find_unrepeated(struct weak *, struct error *);

#endif
