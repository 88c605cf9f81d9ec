/*
 * shapes_private: the tables of shapes, and what their makers share.
 */
#ifndef TESTS_HOSTILE_SHAPES_PRIVATE_H
#define TESTS_HOSTILE_SHAPES_PRIVATE_H

#include "tests/hostile/shapes.h"

/* By kind of file; each ends with a shape without a name. */
extern const struct shape shapes_of_histories[], shapes_of_logs[], shapes_of_others[];

static inline void repeat(FILE *out, const char *text, uint64_t times)
{
    for (uint64_t i = 0; i < times; i++)
        fputs(text, out);
}

#endif
