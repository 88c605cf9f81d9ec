/*
 * clock_error: how far the clocks of clients would have to be off for a history to be in order.
 *
 * A finding of interval says about how much more would have to be admitted; what it really
 * takes is found by judging again, with twice as much until nothing is wrong any more, and then
 * with what lies between. So what is told has been tried. Where no finding says anything, that is
 * tried from a millisecond on, in shorter histories. What even the largest error does not explain,
 * no smaller one does: then nothing else is tried.
 */
#ifndef CLI_CLOCK_ERROR_H
#define CLI_CLOCK_ERROR_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "checkers/checker.h"

#define CLOCK_ERROR_MAX_NS INT64_C(60000000000) /* beyond that nobody blames clocks */

#define CLOCK_ERROR_UNKNOWN INT64_C(-1)        /* as a result: it was stopped */

enum clock_error_answer {
    CLOCKS_EXPLAIN,    /* nothing is found with so much, and no less is looked at for it */
    CLOCKS_LEAVE_OPEN, /* nothing is found, but not all was looked at */
    CLOCKS_DO_NOT,
};

/* Who judges again. */
struct clock_error_trial {
    enum status (*judge)(void *context, int64_t ns, enum clock_error_answer *, struct error *);
    void *context;
    uint64_t op_count;       /* that each judges */
    const atomic_bool *stop; /* may be NULL */
};

/*
 * With `low` something is found; `about` may be enough, or is 0. The result is 0 where clocks are not
 * to blame, or not by so little, or where it would take too long to find out. To within a hundredth.
 */
MUST_USE enum status clock_error_search(const struct clock_error_trial *, int64_t low,
                                        int64_t about, int64_t *ns, struct error *);

/* Likewise, of a check that found something. */
MUST_USE enum status clock_error_find(const struct check *, const struct history *,
                                      const struct check_options *, int64_t *ns, struct error *);

#endif
