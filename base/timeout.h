/*
 * timeout: sets a flag when the time of a piece of work is over.
 *
 *     struct timeout timeout;
 *
 *     TRY(timeout_begin(&timeout, limit_ns, err));
 *     ... options.stop = timeout_stop(&timeout); work that looks at it ...
 *     timeout_end(&timeout);
 *
 * A thread sleeps until the time is over or the work is done, and sets the flag. Nothing is
 * interrupted: the work has to look at the flag. Where it must not run over in any case, a
 * backstop is called if it has not ended some time after that.
 */
#ifndef BASE_TIMEOUT_H
#define BASE_TIMEOUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

/* Called by the thread of the timeout; timeout_end() waits until they have returned. */
struct timeout_backstop {
    void (*warn)(void *context); /* when the flag has been set; or NULL */
    int64_t grace_ns;
    void (*act)(void *context); /* NULL: there is none */
    void *context;
};

struct timeout {
    atomic_bool is_over;
    bool is_limited;
    int64_t until_ns; /* of the monotonic clock */
    struct timeout_backstop backstop;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool has_begun, is_done; /* under the mutex */
};

/* A limit of 0: never over, and no thread. The struct must stay where it is until the end. */
MUST_USE enum status timeout_begin(struct timeout *, int64_t limit_ns, struct error *);
MUST_USE enum status timeout_begin_strictly(struct timeout *, int64_t limit_ns,
                                            struct timeout_backstop, struct error *);
void timeout_end(struct timeout *);

/* What becomes true when the time is over; NULL without a limit. */
const atomic_bool *timeout_stop(const struct timeout *);
/* Whether it has. */
bool timeout_is_over(const struct timeout *);

/*
 * Work counted by what it costs, in steps of some nanoseconds, so that who wants it to end does not
 * wait, and nobody looks at each step.
 */
struct pace {
    const atomic_bool *stop; /* NULL: nobody wants it to end */
    const atomic_bool *cancelled; /* likewise */
    uint32_t spent;          /* since somebody looked */
    bool is_over;            /* it stays so */
};

#define PACE_STEPS UINT32_C(65536) /* between two looks: about a millisecond */

/* Whether the work may go on. */
static inline bool pace_spend(struct pace *pace, uint32_t steps)
{
    pace->spent += steps < PACE_STEPS ? steps : PACE_STEPS;
    if (pace->spent < PACE_STEPS)
        return !pace->is_over;
    pace->spent = 0;
    pace->is_over |= (pace->stop && atomic_load_explicit(pace->stop, memory_order_relaxed)) ||
                     (pace->cancelled && atomic_load_explicit(pace->cancelled, memory_order_relaxed));
    return !pace->is_over;
}

/* Seconds as a decimal, more than 0 and at the most a year: "10", "0.5". */
bool timeout_of_text(struct text, int64_t *limit_ns);

#endif
