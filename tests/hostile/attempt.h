/*
 * attempt: runs a command in a process of its own, and says whether it kept what is promised of any
 * input: it ends by itself, in time, within its memory, with a status from 0 to 3, and where that is 2 it
 * says why.
 *
 * Time is the time of processors, so that a busy machine is no finding; a process that waits is
 * ended after four times as long.
 */
#ifndef TESTS_HOSTILE_ATTEMPT_H
#define TESTS_HOSTILE_ATTEMPT_H

#include <stdbool.h>
#include <stdint.h>

struct allowance {
    int64_t seconds, megabytes;
};

struct attempt {
    int status;       /* -1: a signal ended it */
    int signal;       /* 0: none */
    bool was_stopped; /* by us: it did not end */
    int64_t cpu_ms, wall_ms, megabytes_max;
    char words[400]; /* the first that it wrote to standard error */
};

/* The last argument is NULL. Standard input is the file; what it writes to standard output is dropped. */
struct attempt attempt_run(const char *const *arguments, const char *input, const struct allowance *);

/*
 * The same of a program's main function, which is linked here. It is called in a process of its own, too, but
 * one that need not be loaded and linked first, which is most of what a small file takes. Standard
 * input is a pipe that holds the whole file.
 */
struct attempt attempt_call(int (*function)(int count, char *const *arguments), const char *const *arguments,
                            const char *input, const struct allowance *);

/* What is wrong with it; NULL: nothing. */
const char *attempt_fault(const struct attempt *, const struct allowance *);

#endif
