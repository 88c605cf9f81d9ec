/*
 * instant_steps: the steps of a proof about instants, as they stand in the witness, one at a
 * time.
 *
 * The grammar is docs/format-witness.md, "Instants". As with steps.h no step is kept: they are
 * read twice, first for whether they are well formed, then for whether they are true.
 */
#ifndef VERIFY_WITNESS_INSTANT_STEPS_H
#define VERIFY_WITNESS_INSTANT_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/text.h"

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
struct instant_name {
    enum named_kind kind;
    int64_t txn, op;
    bool has_key;
    struct text key;
};

struct instant_step {
    enum instant_step_kind kind;
    struct text key;
    struct instant_name read;          /* a place */
    struct instant_name first, second; /* `from` and `to`, `from` and `other`, or these */
    int64_t txns[3];
};

MUST_USE enum status instant_name_read(struct json *, struct instant_name *, struct error *);
MUST_USE enum status instant_step_read(struct json *, struct instant_step *, struct error *);

const char *instant_step_name(enum instant_step_kind);

static inline bool instant_step_is_last(enum instant_step_kind kind)
{
    return kind >= INSTANT_UNREAD;
}

#endif
