/*
 * linear_fixture: histories of concurrent operations on single keys, right and wrong.
 *
 * Each operation takes effect at a moment of its own, in the order in which they are
 * drawn, and its time lies around that moment. Then answers are changed, or times
 * are shifted.
 */
#ifndef TESTS_CHECKERS_INFER_LINEAR_FIXTURE_H
#define TESTS_CHECKERS_INFER_LINEAR_FIXTURE_H

#include <stdint.h>

#include "history/history.h"

enum linear_kind {
    LINEAR_UNIQUE,   /* writes, deletes and compare-and-sets, of unique values */
    LINEAR_REPEATED, /* the same of few values */
    LINEAR_LISTS,    /* appends */
    LINEAR_MIXED,    /* lists that are also written, with few elements */
    LINEAR_KIND_COUNT
};

struct linear_drawing {
    enum linear_kind kind;
    uint32_t operations, keys, clients;
    uint32_t values;          /* of LINEAR_REPEATED, LINEAR_MIXED */
    uint32_t unknown_percent; /* of the operations */
    uint32_t wrong;           /* answers and times that are changed */
};

void linear_draw(const struct linear_drawing *, uint64_t seed, struct history *);

#endif
