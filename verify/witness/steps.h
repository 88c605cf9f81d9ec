/*
 * steps: the steps of a refutation, as they stand in the witness, one at a time.
 *
 * The grammar is docs/format-witness.md, "refutation". A proof may be as long as
 * all else together, so no step is kept: the file's are read twice, first for
 * whether they are well formed, then, by refutation.c, for whether they are true.
 */
#ifndef VERIFY_WITNESS_STEPS_H
#define VERIFY_WITNESS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/json.h"
#include "base/text.h"

enum refutation_step_kind {
    STEP_PROGRAM,
    STEP_SESSION,
    STEP_REALTIME,
    STEP_VERSION_ORDER,
    STEP_READS,
    STEP_FOLLOWS,
    STEP_OVERWRITES,
    STEP_EXCLUSIVE,
    STEP_PREFIX,
    STEP_ABSENT,
    STEP_EXTREME,
    STEP_DERIVED,
    STEP_KIND_COUNT
};

/* Whoever wrote a version, or nobody: the initial one. */
struct step_writer {
    bool is_initial;
    int64_t txn;
};

struct step_read {
    int64_t txn, op;
};

struct step_point {
    char side; /* 'b', 'c', or 0: the only one of its transaction */
    int64_t txn;
};

/* Of an order: points[0] before points[1]. Else of a read and what it read from. */
struct step_literal {
    bool is_order, is_negated;
    struct step_point points[2];
    struct step_read read;
    struct text key;
    struct step_writer from;
};

struct refutation_step {
    enum refutation_step_kind kind;
    int64_t txn;
    struct step_read read;
    struct text key;
    struct text value; /* the name of an aggregate */
    /* `from` and `to`, `first` and `second`, `from` and `other`, or `other` alone. */
    struct step_writer first, second;
    /* Derived: */
    ARRAY(struct step_literal) clause;
    ARRAY(int64_t) by;
    ARRAY(struct step_point) cycle;
};

/* Into a step that is zero at first, and then used again and again. */
MUST_USE enum status step_read(struct json *, struct refutation_step *, struct error *);
void step_close(struct refutation_step *);

const char *step_name(enum refutation_step_kind);

#endif
