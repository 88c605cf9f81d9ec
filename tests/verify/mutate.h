/*
 * mutate: witnesses with something of them changed.
 *
 *     {"order":[1,3],"level":"snapshot"}
 *               - -           -            words: values that are no arrays or objects
 *               - -                        parts: elements of arrays, whatever they are
 */
#ifndef TESTS_VERIFY_MUTATE_H
#define TESTS_VERIFY_MUTATE_H

#include <stddef.h>

#include "base/random.h"
#include "base/text.h"

#define MUTATE_MAX 2000

struct span_of_text {
    size_t at, length;
};

/* Into MUTATE_MAX spans; how many there are, which must be fewer. */
size_t mutate_words(struct text, struct span_of_text *words);
size_t mutate_parts(struct text, struct span_of_text *parts);

/* With something else in its place. */
void mutate_replace(struct text, struct span_of_text, const char *by, struct buffer *);
/* Without it, and without one of the commas beside it. */
void mutate_drop(struct text, struct span_of_text, struct buffer *);
/* One change or more. */
void mutate_randomly(struct text, struct random *, struct buffer *);

/* What may stand in the place of a word, ending in NULL. */
extern const char *const mutate_others[];
size_t mutate_other_count(void);

#endif
