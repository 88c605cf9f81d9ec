/*
 * steps: a refutation as it is written down (docs/format-witness.md, `refutation`).
 *
 * Axioms are written once, whoever asks for them; a derived step is drafted: what it
 * concludes, from which steps, and the cycle that shows it.
 */
#ifndef CHECKERS_SEARCH_POLYGRAPH_STEPS_H
#define CHECKERS_SEARCH_POLYGRAPH_STEPS_H

#include "base/map.h"
#include "base/text.h"
#include "checkers/search/polygraph/polygraph.h"

enum axiom_kind {
    AXIOM_PROGRAM,       /* a: actor */
    AXIOM_SESSION,       /* a, b: actors */
    AXIOM_REALTIME,      /* a, b: actors */
    AXIOM_READS,         /* a: read */
    AXIOM_FOLLOWS,       /* a: read, b: version */
    AXIOM_OVERWRITES,    /* a: read, b: version, c: version */
    AXIOM_EXCLUSIVE,     /* a, b: versions */
    AXIOM_PREFIX,        /* a: read, b, c: versions */
    AXIOM_ABSENT,        /* a: read, b: version */
    AXIOM_VERSION_ORDER, /* a, b: versions */
    AXIOM_EXTREME,       /* a: one of the somes */
    AXIOM_COUNT
};

struct axiom {
    enum axiom_kind kind;
    uint32_t a, b, c;
};

struct draft {
    struct buffer clause;
    ARRAY(uint32_t) by;
    ARRAY(uint32_t) points;
};

#define DRAFTS_MAX 4 /* of a step, while others are being made that need it */

struct steps {
    const struct polygraph *p;
    struct buffer out; /* the steps, with commas between them */
    uint32_t count;
    struct buffer words; /* the same for people; empty where the search has its part in it */
    /* One cycle of what reads show at once: how many of its edges are what. */
    bool is_cycle;
    uint32_t anti_count, read_count;
    uint32_t untold; /* steps that found no room there */
    struct map known;    /* axioms by a mixture of their numbers, to places in `axioms` */
    ARRAY(struct axiom) axioms;
    ARRAY(uint32_t) numbers; /* of steps, beside axioms */
    uint8_t *takes_part;     /* by actor */
    bool has_base;           /* session or realtime steps stand among them */
    bool has_look;           /* some rest on what statements say beyond values */
    struct draft drafts[DRAFTS_MAX];
    unsigned depth;
    enum status status; /* the first failure: asked once, at the end */
    struct error *err;
};

MUST_USE enum status steps_init(struct steps *, const struct polygraph *, struct error *);
void steps_close(struct steps *);

/* The number of the step that says so. */
uint32_t steps_axiom(struct steps *, struct axiom);

/*
 * Drafting. What is begun while another draft is not ended is a step of its own, that stands
 * in front of it.
 */
void steps_begin(struct steps *);
void steps_order_literal(struct steps *, uint32_t first_node, uint32_t second_node);
void steps_source_literal(struct steps *, uint32_t read, uint32_t version, bool is_from);
void steps_use(struct steps *, uint32_t step);
void steps_point(struct steps *, uint32_t node);
/* The number of the step. */
uint32_t steps_end(struct steps *);

#endif
