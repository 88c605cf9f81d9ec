/*
 * certificate: decides levels by the graph of what transactions read and overwrote,
 * where the store says in which order versions stand and which of them were read.
 *
 *     order x: T1 T2      T3 reads x of T1, y of T2      order y: T2
 *
 *     T2 --wr y--> T3 --rw x--> T2       refused at snapshot: a G-single
 *
 * For stores that can tell their own version order and version sets: by timestamps,
 * by snapshots, operation by operation. After "Bringing Order to Practical
 * Validation of Database Isolation Levels", algorithms 1 to 3 (version certificate
 * recovery), on Adya's direct serialization graph: read and anti-dependencies of
 * items, and of predicates by the versions that change what matches. What a store
 * says of itself is taken at its word, so that an answer that is not what its
 * version set says is refused from read-committed upwards, whatever else could
 * explain it: a history that is serializable by luck alone is refused too.
 *
 * Causal is the axiom of Biswas and Enea (2019) on the same version orders and sets, where a
 * statement reads every row of its table: causal.c.
 *
 * Time grows with the operations; with predicates, also with the rows of their
 * tables and, where the order of places explains nothing, with the versions that
 * lie around those that were read. A certificate with something missing is an
 * error that says what.
 */
#ifndef CHECKERS_CERTIFICATE_CERTIFICATE_H
#define CHECKERS_CERTIFICATE_CERTIFICATE_H

#include "checkers/checker.h"

#endif
