/*
 * watchdog: a process that takes away what is ours when we end in whatever way.
 *
 *     TRY(watchdog_start(&dog, clean, context, err));
 *     watchdog_tell(&dog, 3, pid);          this process runs, as number 3
 *     watchdog_tell(&dog, 3, 0);            it does no more
 *     watchdog_end(&dog, is_clean);         nothing is left to do, or it does it now
 *
 * It holds a pipe to us. At the end of that it kills the processes and calls clean(), with our memory as it was when
 * it started.
 */
#ifndef RECORD_WATCHDOG_H
#define RECORD_WATCHDOG_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

#define WATCHDOG_PROCESSES_MAX 17

struct watchdog {
    pid_t pid; /* 0: it does not run */
    int pipe;
};

MUST_USE enum status watchdog_start(struct watchdog *, void (*clean)(void *context), void *context,
                                    struct error *);
void watchdog_tell(const struct watchdog *, unsigned number, pid_t);
/* Also of one that does not run. Returns when the process has ended. */
void watchdog_end(struct watchdog *, bool is_clean);

#endif
