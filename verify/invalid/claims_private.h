/*
 * claims: what the steps of a refutation say, and what is known at the moment.
 *
 * A literal is two times a variable, plus one if it is the opposite; variables are
 * "this point before that one" and "this read from that version". Those that the
 * history decides alone are LITERAL_TRUE or LITERAL_FALSE. A claim is literals of which
 * one is true. To prove one, its literals are supposed to be false, and claims that
 * have been proved are used one after another, until they contradict each other:
 *
 *     suppose not a    known: not a
 *     use  a or b      known: not a, b
 *     use  c or not b  known: not a, b, c
 *     use  not c       a contradiction
 *
 * Using a claim takes no longer than what is known has literals of it, and what
 * was known is forgotten behind each proof: so all of them together are linear in
 * the length of the refutation.
 */
#ifndef VERIFY_INVALID_CLAIMS_PRIVATE_H
#define VERIFY_INVALID_CLAIMS_PRIVATE_H

#include "verify/values/sources.h"

#define LITERAL_TRUE UINT32_MAX
#define LITERAL_FALSE (UINT32_MAX - 1)

enum truth { TRUTH_OPEN, TRUTH_YES, TRUTH_NO };

/* What a claim taught. */
enum lesson { LESSON_NOTHING, LESSON_LITERAL, LESSON_CHOICE, LESSON_CONTRADICTION };

struct claim {
    uint64_t start; /* in `literals` */
    uint32_t count;
    uint32_t reading; /* not HISTORY_NONE: all sources of this one besides */
    uint32_t used;    /* in which proof, last */
    bool is_true;     /* for everybody */
};

struct claims {
    struct verifier *v;
    struct map orders, sources; /* variables, by two points, by reading and version */
    ARRAY(uint8_t) truths;      /* by variable */
    ARRAY(uint32_t) trail;      /* variables that are not open */
    ARRAY(uint32_t) literals;
    ARRAY(struct claim) claims;
    uint32_t proof; /* how many there were before */
};

void claims_close(struct claims *);

/* The literal for a thing. */
MUST_USE enum status claims_order(struct claims *, uint32_t before, uint32_t after,
                                  uint32_t *literal, struct error *);
MUST_USE enum status claims_source(struct claims *, const struct reading *, uint32_t version,
                                   bool is_opposite, uint32_t *literal, struct error *);

static inline uint32_t literal_opposite(uint32_t literal)
{
    return literal ^ 1; /* not of those that the history decides */
}

/* Adds a claim without literals, then to the last one: a literal, or all sources of a read. */
MUST_USE enum status claims_begin(struct claims *, struct error *);
MUST_USE enum status claims_add(struct claims *, uint32_t literal, struct error *);
void claims_set_sources(struct claims *, const struct reading *);

static inline size_t claims_count(const struct claims *c)
{
    return c->claims.count;
}

/* Whether there is a last one, which has no literals. */
bool claims_end_empty(const struct claims *);

enum truth claims_truth(const struct claims *, uint32_t literal);
/* Of one that is open. */
MUST_USE enum status claims_learn(struct claims *, uint32_t literal, struct error *);
/* Learns the literal that is left, if there is one. */
MUST_USE enum status claims_use(struct claims *, size_t number, enum lesson *, struct error *);
/* All that was learnt. */
void claims_forget(struct claims *);

#endif
