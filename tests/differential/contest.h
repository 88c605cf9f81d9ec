/*
 * contest: one history put to every checker that takes it, at every level that each decides,
 * and what they say held against each other, against `verify` and against the oracle.
 *
 *     A verdict has a witness, and `verify` accepts it.
 *     A level that holds implies the weaker ones, by the same checker.
 *     What a checker calls the strongest level that holds, or the weakest that does not, is so.
 *     What is valid to one who knows more (an order, a certificate) is not invalid to one who
 *     knows less; and none says invalid where the oracle, knowing no more, finds an explanation,
 *     or valid where it has tried them all.
 */
#ifndef TESTS_DIFFERENTIAL_CONTEST_H
#define TESTS_DIFFERENTIAL_CONTEST_H

#include <stdbool.h>

#include "base/text.h"
#include "history/history.h"

#define CONTESTANTS 8

/* Two statements that cannot both be true. */
struct finding {
    char signature[160]; /* who contradicts whom: the same for what is probably one mistake */
    char details[1200];
};

struct contest {
    uint64_t variant; /* which profile, and whether fast paths are left out */
    unsigned oracle_steps_max;
    unsigned verdicts[CONTESTANTS][4]; /* valid, invalid, unknown, refused: added to */
    unsigned histories, refused_histories, oracle_answers[3];
};

/* False: the contestants contradict each other. */
bool contest_holds(struct contest *, const struct history *, struct finding *);

/* The same of a text; one that is no history is none that they contradict each other about. */
bool contest_holds_of_text(struct contest *, struct text, struct finding *);

/* The name of a contestant. */
const char *contest_name(unsigned contestant);

/*
 * Makes a text smaller, line by line and field by field, as long as the contestants contradict each
 * other in the way that the finding says.
 */
void contest_shrink(const struct contest *, struct buffer *text, struct finding *);

#endif
