#include "base/timeout.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "base/thread.h"
#include "base/wall_clock.h"

#define SECOND_NS INT64_C(1000000000)
#define SECONDS_MAX (UINT64_C(366) * 24 * 60 * 60)

/* Until then, or until the work is done; whether it is not. Under the mutex. */
static bool sleep_until(struct timeout *timeout, int64_t ns)
{
    const struct timespec until = { .tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS };
    int code = 0;

    while (!timeout->is_done && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&timeout->changed, &timeout->mutex, &until);
    return !timeout->is_done;
}

static void *sleep_until_over(void *argument)
{
    struct timeout *timeout = argument;
    const struct timeout_backstop *backstop = &timeout->backstop;

    pthread_mutex_lock(&timeout->mutex);
    timeout->has_begun = true;
    pthread_cond_signal(&timeout->changed);
    if (sleep_until(timeout, timeout->until_ns)) {
        atomic_store_explicit(&timeout->is_over, true, memory_order_relaxed);
        if (backstop->warn)
            backstop->warn(backstop->context);
        if (backstop->act && sleep_until(timeout, timeout->until_ns + backstop->grace_ns))
            backstop->act(backstop->context);
    }
    pthread_mutex_unlock(&timeout->mutex);
    return NULL;
}

/*
 * The thread sleeps, and holds no lock of the C library or of a sanitizer: a process that is forked from here on has
 * none that nobody gives back.
 */
static void await_thread(struct timeout *timeout)
{
    pthread_mutex_lock(&timeout->mutex);
    while (!timeout->has_begun)
        pthread_cond_wait(&timeout->changed, &timeout->mutex);
    pthread_mutex_unlock(&timeout->mutex);
}

/* A condition that goes by the clock that nobody sets. */
static int init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int code = pthread_condattr_init(&attributes);

    if (code != 0)
        return code;
    code = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (code == 0)
        code = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return code;
}

enum status timeout_begin(struct timeout *timeout, int64_t limit_ns, struct error *err)
{
    return timeout_begin_strictly(timeout, limit_ns, (struct timeout_backstop){ 0 }, err);
}

enum status timeout_begin_strictly(struct timeout *timeout, int64_t limit_ns,
                                   struct timeout_backstop backstop, struct error *err)
{
    int code;

    assert(limit_ns >= 0);
    memset(timeout, 0, sizeof *timeout);
    atomic_init(&timeout->is_over, false);
    if (limit_ns == 0)
        return STATUS_OK;
    timeout->until_ns = wall_clock_ns() + limit_ns;
    timeout->backstop = backstop;
    code = init_condition(&timeout->changed);
    if (code == 0) {
        pthread_mutex_init(&timeout->mutex, NULL);
        code = thread_start(&timeout->thread, THREAD_STACK_BYTES, sleep_until_over, timeout);
        if (code != 0) {
            pthread_mutex_destroy(&timeout->mutex);
            pthread_cond_destroy(&timeout->changed);
        }
    }
    if (code != 0)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a thread that watches the time: %s",
                         strerror(code));
    timeout->is_limited = true;
    await_thread(timeout);
    return STATUS_OK;
}

void timeout_end(struct timeout *timeout)
{
    if (!timeout->is_limited)
        return;
    pthread_mutex_lock(&timeout->mutex);
    timeout->is_done = true;
    pthread_cond_signal(&timeout->changed);
    pthread_mutex_unlock(&timeout->mutex);
    pthread_join(timeout->thread, NULL);
    pthread_mutex_destroy(&timeout->mutex);
    pthread_cond_destroy(&timeout->changed);
    timeout->is_limited = false;
}

const atomic_bool *timeout_stop(const struct timeout *timeout)
{
    return timeout->is_limited ? &timeout->is_over : NULL;
}

bool timeout_is_over(const struct timeout *timeout)
{
    return atomic_load_explicit(&timeout->is_over, memory_order_relaxed);
}

bool timeout_of_text(struct text text, int64_t *limit_ns)
{
    struct ratio seconds;
    unsigned __int128 ns;

    if (!random_ratio_of_text(text, &seconds) ||
        seconds.numerator / seconds.denominator >= SECONDS_MAX)
        return false;
    ns = (unsigned __int128)seconds.numerator * SECOND_NS / seconds.denominator;
    *limit_ns = (int64_t)ns;
    return ns > 0;
}
