/*
 * mutations: makes many mutants of many recorded histories, and counts the verdicts of each checker.
 *
 * A recording is a small clean run with a protocol, a workload and a seed. Several mutants of each
 * kind are made from it. All draws follow from the recording's number, so that workers can make them
 * in any order, and a mutant that a checker missed can be made again.
 */
#ifndef TRIAL_PROVE_MUTATIONS_H
#define TRIAL_PROVE_MUTATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "trial/prove/mutate_private.h"

#define MUTANTS_EACH 6 /* of a kind, of a recording */

/* Which mutant. */
struct mutant_name {
    uint64_t recording;
    enum mutation mutation;
    uint32_t number;
};

struct mutation_sum {
    uint64_t mutants, wrong;
    uint64_t ends[JURY_MAX][MUTANT_END_COUNT];
};

struct mutations {
    uint64_t recordings;
    struct mutation_sum sums[MUTATION_COUNT];
    /* The first mutant that came to this; recording UINT64_MAX: none did. */
    struct mutant_name first[JURY_MAX][MUTANT_END_COUNT];
};

void mutations_init(struct mutations *);

/* How many recordings there are with so many seeds. */
uint64_t mutations_recordings(uint64_t seeds);
/* Makes and judges all mutants of one recording, and writes what they came to as a line. */
MUST_USE enum status mutations_work(uint64_t recording, struct buffer *answer, struct error *);
/* Adds such a line. In any order. */
MUST_USE enum status mutations_add(struct mutations *, uint64_t recording, struct text answer,
                                   struct error *);

/* False: there is no such mutant. The level is the one that it was judged at. */
MUST_USE enum status mutations_make(const struct mutant_name *, struct sketch *, enum level *,
                                    bool *is_made, struct error *);

/* Over all kinds. */
uint64_t mutations_count(const struct mutations *, unsigned checker, enum mutant_end);
/* Missed by a checker whose valid means that the level holds, or accused by anybody. */
bool mutations_are_bad(const struct mutations *);

#endif
