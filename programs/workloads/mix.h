/*
 * mix: the mixes of operations that the papers measure on.
 *
 * A transaction is a number of steps, each drawn by the mix: a read, a write,
 * an increment (a read of a key, then a write of it) or an insert (a write; of a
 * row that is not there, an INSERT). Of the reads and updates of rows a share is
 * by predicate instead of by key. Every write has a value of its own.
 *
 * Sources: rw-mix and predicate-mix are the mixes that Emme and Enne are
 * measured with, cobra-* those of King Cobra, blindw-* Cobra's and Leopard's
 * BlindW (a transaction either only reads or only writes), list-append is as
 * Elle draws it.
 */
#ifndef PROGRAMS_WORKLOADS_MIX_H
#define PROGRAMS_WORKLOADS_MIX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"

/* What predicates ask of rows. */
enum mix_range { RANGE_NONE, RANGE_OF_KEYS, RANGE_OF_VALUES };

struct mix {
    const char *description;
    enum mix_range range;
    bool one_kind; /* the mix is drawn once for the whole transaction */
    uint8_t read_percent, write_percent, increment_percent, insert_percent;
    uint8_t predicates_percent; /* the default; of reads and, with RANGE_OF_VALUES, writes */
    uint16_t keys, operations;  /* defaults */
};

enum mix_step_kind {
    STEP_READ,
    STEP_WRITE,
    STEP_INCREMENT,
    STEP_INSERT,
    STEP_SELECT,
    STEP_MINIMUM,
    STEP_MAXIMUM,
    STEP_UPDATE, /* by predicate */
};

/* What a predicate asks for: so many keys, or values that so many keys of a full table have. */
#define RANGE_KEYS 10
#define RANGE_VALUES 50
#define VALUES_PER_KEY 10

struct mix_step {
    enum mix_step_kind kind;
    uint32_t key;      /* of STEP_READ to STEP_INSERT; else the first of the range of keys */
    uint32_t last_key; /* of a range of keys: itself in it */
    int64_t low, high; /* of a range of values: both in it */
    int64_t number;    /* where values are in a range: one for the row that is written */
};

/* What is drawn from. */
struct draw {
    const struct mix *mix;
    uint32_t keys;
    uint32_t gap; /* no range of keys goes across it: keys below it, and from it on */
    unsigned predicates_percent;
};

/* Of a workload that clients of a store run, too. */
extern const struct mix mix_list_append;

/* Values of a column that predicates ask for are below it. */
int64_t mix_values(const struct draw *);

void mix_draw(const struct draw *, struct random *, struct mix_step *, unsigned count);

static inline bool step_is_by_predicate(enum mix_step_kind kind)
{
    return kind >= STEP_SELECT;
}

#endif
