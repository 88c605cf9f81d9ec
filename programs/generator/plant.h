/*
 * plant: one anomaly of a given kind, written as a few transactions.
 *
 * A script is what the transactions do on one or two keys of their own, X and Y:
 *
 *     G-single    T1 s0 | r(X) w(X,1) r(Y) w(Y,2)
 *                 T2 s1 | r(X) r(Y,2)
 *
 * Each write has a number; a read lists the numbers of the writes that it sees,
 * all of them on a list, and on a register the last. A number that nobody writes
 * is garbage. What a transaction's place does not say of its reads, their
 * version sets do. A script contains its kind, and no cycle that a stronger
 * name would fit. The sessions are real ones, which do nothing else meanwhile.
 */
#ifndef PROGRAMS_GENERATOR_PLANT_H
#define PROGRAMS_GENERATOR_PLANT_H

#include <stdbool.h>
#include <stdint.h>

#include "history/anomaly.h"
#include "programs/generator/generate.h"
#include "programs/workloads/workload.h"

#define PLANT_OPS_MAX 4
#define PLANT_SEEN_MAX 2
#define PLANT_PHASES_MAX 2

enum plant_key { X, Y };

enum plant_op_kind {
    PLANT_END,
    PLANT_READ,
    PLANT_WRITE,
    PLANT_INSERT,       /* a write of a row that the selects ask for */
    PLANT_SELECT,       /* finds no row */
    PLANT_SELECT_EARLY, /* as it was before all planted transactions */
};

struct plant_op {
    enum plant_op_kind kind;
    enum plant_key key;
    uint8_t numbers[PLANT_SEEN_MAX]; /* of the writes seen, or of this one */
};

struct plant_txn {
    uint8_t session;
    uint8_t from_phase, to_phase; /* those of a phase overlap; a phase follows the other */
    uint8_t place;                /* in the store's order, from 1 */
    bool aborts;
    bool is_only_for_lists; /* shows there what a version order says elsewhere */
    struct plant_op ops[PLANT_OPS_MAX + 1];
};

struct plant_script {
    bool items, rows, lists; /* the shapes it can be told in */
    bool needs_predicates;
    bool needs_reads;
    bool reverses_y; /* the version order of Y is against the places */
    struct plant_txn txns[PLANTED_MAX];
    unsigned txn_count, session_count, key_count;
};

/* Whether this kind can be planted into histories of the workload. */
bool plant_possible(const struct workload *, enum anomaly);

/* The script, or NULL where no history can show the kind. */
const struct plant_script *plant_script_of(enum anomaly);

#endif
