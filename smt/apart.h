/*
 * apart: does work in a process of its own, for a library that does not survive a failed allocation.
 *
 *     struct sum sum;
 *
 *     TRY(apart_run(add_up, &numbers, &sum, sizeof sum, stop, err));
 *
 * The work sees all that the caller has at that moment, and leaves nothing behind but the bytes of its result. However
 * its process ends, the caller goes on: with the error that the work returned or, where it returned none,
 * with one that tells how the process ended. It ends when the thread that called ends.
 */
#ifndef SMT_APART_H
#define SMT_APART_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * `library` is for the error: "Z3". Once `stop`, which may be NULL, is true, the work is ended, and *is_stopped is
 * true.
 */
struct apart {
    const char *library;
    enum status (*work)(void *context, void *result, struct error *);
    void *context;
    size_t size; /* of the result */
    const atomic_bool *stop;
    bool is_stopped;
};

/*
 * The result, which begins as zeroes, is copied to `result` if the work succeeded; of work that was ended it is what
 * was there by then.
 */
MUST_USE enum status apart_run(struct apart *, void *result, struct error *);

#endif
