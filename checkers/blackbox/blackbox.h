/*
 * blackbox: decides serializability and snapshot isolation from reads and writes alone.
 *
 *     accepts    T1: r x _, w y 1     T2: r y 1, w x 1      T1 before T2
 *     refuses    T1: r x _, w y 1     T2: r y _, w x 1      each before the other (write skew):
 *                                                           accepted at snapshot
 *
 * For histories of stores that say nothing of their own order. After "Bringing Order to
 * Practical Validation of Database Isolation Levels" (King Cobra), sections 3.3 and 7, and
 * Cobra before it; one graph for both levels, clocks by session instead of a matrix, chains
 * and lanes instead of pairs:
 *
 *     distill     who may have read whose version (distill.h)
 *     hints       orders at hand, replayed (hints.h)
 *     polygraph   what is known, and what follows (polygraph.h, saturate.c)
 *     pairs       what is left open, for the search (pairs.h, search.h)
 *     replay      nothing is called valid that was not replayed (replay.h)
 *     looks       statements, as far as an order contradicted them (looks.h)
 *     refute      nothing is called invalid without its reasons (refute.h)
 *
 * Deciding is NP-complete, so a history may be too hard: then the verdict is unknown. Time
 * without the search grows with operations, sessions and some tens of rounds; memory with
 * transactions times sessions, and never with the square of many transactions.
 *
 * At levels that do not ask for sessions an order that keeps them is tried first, and at
 * snapshot one without overlaps: most stores give more than they promise.
 */
#ifndef CHECKERS_BLACKBOX_BLACKBOX_H
#define CHECKERS_BLACKBOX_BLACKBOX_H

#include "checkers/checker.h"

#endif
