/*
 * signature: describes a failure so that failures with one cause have the same text.
 *
 *     certificate serializable G-single rw wr
 *     order strict-serializable G1a item
 *     audit snapshot wrong-answer
 *     run - stuck
 *     run - invariant SELECT sum(balance) FROM accounts
 *     run - crash SIGABRT store/raft/wal.c:120: wal_append: Assertion `size > 0' failed.
 *
 * It has four parts: the checker, the level, the anomaly, and its shape. The shape of a cycle is the
 * kinds of its edges, rotated to the smallest text; several of one kind in a row are written once with
 * a plus, except for anti-dependencies, whose number matters. The shape of a wrong answer says whether
 * an item or a predicate was read. Transactions, keys and values are left out, because they differ
 * from seed to seed. A shorter cycle may have another shape and the same cause; so bisection compares
 * all but the last part, by signature_class().
 *
 * The text is part of journals and of capsules.
 */
#ifndef TRIAL_RUN_SIGNATURE_H
#define TRIAL_RUN_SIGNATURE_H

#include "base/json_writer.h"
#include "base/text.h"
#include "trial/run/record_trial.h"
#include "trial/run/run.h"

#define SIGNATURE_SIZE 400
#define SIGNATURES_MAX (JURY_MAX + SIMULATION_FINDINGS_MAX + 1)

struct signature {
    char text[SIGNATURE_SIZE];
    const char *explanation; /* the trial's */
};

struct signatures {
    size_t count;
    struct signature at[SIGNATURES_MAX];
};

/* The run's own findings, then of each checker that found some the most severe. */
void signature_of_trial(const struct trial *, struct signatures *);
void signature_of_recording(const struct record_trial *, struct signatures *);

/* Of one that a checker found in this history. */
void signature_of_finding(char text[SIGNATURE_SIZE], const struct check *, const struct history *,
                          const struct check_finding *);
/* Of what nobody in the run could say any more; `how`: "crash", "differs". */
void signature_of_process(char text[SIGNATURE_SIZE], const char *how, const char *shape);

/* The parts, as views of the text. The shape may be empty. */
struct signature_parts {
    struct text checker, level, anomaly, shape;
};

struct signature_parts signature_parts(struct text signature);
/* Who, level and anomaly: all but the shape. */
struct text signature_class(struct text signature);

/* "checker":...,"level":...,"anomaly":...,"signature":...,"explanation":... */
void signature_answer(const char *text, const char *explanation, struct json_writer *);

#endif
