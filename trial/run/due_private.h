/*
 * due: says which checkers must judge a run, by its protocol, its level and its history.
 *
 *     order        protocols whose transactions read at their own place: mvto, 2pl, occ
 *     certificate  every protocol, because all of them export a certificate
 *     interval     every protocol, because clients note the times of each operation
 *     blackbox     items and lists; it cannot judge which rows of a table are absent
 *     weak         items whose values are unique, so that each read has one writer
 *     infer        lists that are only read and appended to, because a list shows its version order
 *
 * Each is due only at the levels that it decides. The verdict of any other checker counts, too, but is
 * not required. If a checker that is due does not judge, the run is unknown at best. A checker that a
 * scenario names is due.
 */
#ifndef TRIAL_RUN_DUE_PRIVATE_H
#define TRIAL_RUN_DUE_PRIVATE_H

#include <stdint.h>

#include "checkers/checker.h"
#include "store/store.h"

/* A bit for each, as jury_bit() has them. */
uint32_t due_checkers(const struct store_protocol_facts *, const struct history *, enum level);

#endif
