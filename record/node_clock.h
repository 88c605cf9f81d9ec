/*
 * node_clock: a wrong clock for a node, by libfaketime (https://github.com/wolfcw/libfaketime).
 *
 *     TRY(node_clock_open(&clock, file, err));        the library is looked for; the clock is right
 *     ... run the node's program behind clock.words ...
 *     TRY(node_clock_set(file, 3600, err));           it is an hour ahead
 *     TRY(node_clock_set(file, 0, err));
 *     node_clock_forget(pid);                         when the node has ended
 *
 * The library is loaded before the C library and answers for it, by what stands in the file. A program
 * that asks the kernel itself, such as one in Go, is out of its reach. The clock that only counts on
 * (CLOCK_MONOTONIC) stays right.
 */
#ifndef RECORD_NODE_CLOCK_H
#define RECORD_NODE_CLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define NODE_CLOCK_WORDS 5

struct node_clock {
    char words[NODE_CLOCK_WORDS][450]; /* of `env`, which sets what the library reads */
};

MUST_USE enum status node_clock_open(struct node_clock *, const char *file, struct error *);
MUST_USE enum status node_clock_set(const char *file, int seconds, struct error *);
/* A process that was killed leaves shared memory of the library behind. */
void node_clock_forget(pid_t);

/* Notes from now on whether somebody reads the file; negative: the kernel does not tell. */
int node_clock_watch(const char *file);
/* Whether somebody has; the watch ends. */
bool node_clock_was_read(int watch);

#endif
