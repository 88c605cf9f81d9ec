/*
 * steps: the steps of a proof, as they stand in the witness, one at a time: of a refutation, or of
 * a proof about instants.
 *
 * The grammar is docs/format-witness.md, "refutation" and "Instants". A proof may be as long as
 * all else together, so no step is kept: the file's are read twice, first for whether they are
 * well formed, then, by refutation.c or instant_proof.c, for whether they are true.
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

enum instant_step_kind {
    INSTANT_PROGRAM,
    INSTANT_READS,
    INSTANT_FINDS,
    INSTANT_OVERWRITES,
    INSTANT_INSTALLED,
    INSTANT_PRECEDES,
    INSTANT_FOUND,
    INSTANT_NOT_FOUND,
    INSTANT_LOCKS,
    INSTANT_FIRST_WINS,
    /* Those that can only be the last. */
    INSTANT_UNREAD,
    INSTANT_UNLOCKED,
    INSTANT_LOST,
    INSTANT_OWN,
    INSTANT_ROW,
    INSTANT_STRUCTURE,
    INSTANT_STEP_COUNT
};

enum named_kind { NAMED_NOBODY, NAMED_TXN, NAMED_VIEW, NAMED_COMMIT, NAMED_PLACE };

/* `null`, `12`, `"b12"`, `"c12"`, `[12,0]` or `[12,0,"t/7"]`. */
struct witness_name {
    enum named_kind kind;
    int64_t txn, op;
    bool has_key;
    struct text key;
};

struct witness_names {
    struct witness_name *at;
    size_t count, room;
};

struct witness_numbers {
    int64_t *at;
    size_t count, room;
};

/* Of an order: points[0] before points[1]. Else of a read and whose version it read. */
struct step_literal {
    bool is_order, is_negated;
    struct witness_name points[2];
    struct witness_name read, from;
    struct text key;
};

/* Which steps there are, and what each of them has. */
extern const struct step_grammar steps_of_refutation, steps_of_instants;

struct proof_step {
    const struct step_grammar *grammar;
    unsigned kind;
    struct witness_name read; /* a place */
    struct text key, value;   /* a value is the name of an aggregate */
    /* `from` and `to`, `first` and `second`, `from` and `other`, or `txn` alone, or `other`. */
    struct witness_name first, second;
    struct witness_numbers txns;
    /* Derived: */
    ARRAY(struct step_literal) clause;
    struct witness_numbers by;
    struct witness_names cycle;
};

typedef enum status step_function(void *context, const struct proof_step *, size_t n,
                                  struct error *);

/* Passes the array of steps that comes next, which must be well formed; where it stands. */
MUST_USE enum status steps_pass(struct json *, const struct step_grammar *, struct text *steps,
                                struct error *);
/* Calls for each step of the array. */
MUST_USE enum status steps_take(struct text steps, const struct step_grammar *, step_function *,
                                void *context, struct error *);

const char *step_name(const struct proof_step *);

static inline bool instant_step_is_last(unsigned kind)
{
    return kind >= INSTANT_UNREAD;
}

#endif
