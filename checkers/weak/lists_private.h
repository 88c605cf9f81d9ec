/*
 * lists: finds what reads of lists show of the order of those who appended to them.
 */
#ifndef CHECKERS_WEAK_LISTS_PRIVATE_H
#define CHECKERS_WEAK_LISTS_PRIVATE_H

#include "checkers/weak/weak_private.h"

MUST_USE enum status weak_read_lists(struct weak *, struct error *);

#endif
