/*
 * due: which checkers ought to judge a run, by its protocol, its level and its history.
 *
 *     order        protocols whose transactions read at their own place: mvto, 2pl, occ
 *     certificate  every protocol: all of them say where their transactions stand
 *     interval     every protocol: clients note when each operation began and ended
 *     blackbox     items and lists: of statements over a table it cannot judge what is absent
 *     weak         items whose values are unique: then it is known who wrote what was read
 *     infer        lists that are only read and appended to: a list shows its whole version order
 *
 * Each only at the levels that it decides. A checker that is not due may judge all the same, and
 * what it finds counts; but nobody waits for it. One that is due and does not judge is a hole in
 * what was looked at, and the run is then unknown at best. A checker that a scenario
 * names is due.
 */
#ifndef TRIAL_RUN_DUE_PRIVATE_H
#define TRIAL_RUN_DUE_PRIVATE_H

#include <stdint.h>

#include "checkers/checker.h"
#include "store/store.h"

/* A bit for each, as jury_bit() has them. */
uint32_t due_checkers(const struct store_protocol_facts *, const struct history *, enum level);

#endif
