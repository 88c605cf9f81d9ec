/*
 * shapes: files that are made to hurt a reader or a checker, one way each.
 *
 * A shape is a function of its size alone. What it attacks is said in its line of the table; the size is
 * the one at which a program without a bound takes minutes or gigabytes.
 */
#ifndef TESTS_HOSTILE_SHAPES_H
#define TESTS_HOSTILE_SHAPES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct shape {
    const char *name;
    const char *kind; /* history, log, scenario, program, witness, journal, profile */
    uint64_t size;    /* of the whole shape */
    void (*make)(FILE *, uint64_t size);
};

/* NULL: there are not so many. */
const struct shape *shape_at(size_t number);

/* NULL: there is none of this name. */
const struct shape *shape_named(const char *name);

/* The program whose functions the logs call. */
extern const char shape_log_program[];

#endif
