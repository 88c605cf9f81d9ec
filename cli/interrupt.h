/*
 * interrupt: handles SIGINT (Ctrl-C) and SIGTERM.
 *
 *     at once      the process says what it was told to say, and exits with 130 or 143
 *     held         the same as soon as it is released: while something must not be left half there
 *     noticed      only a flag is set: the subcommand looks at it, stops its work and reports
 *
 * The second one ends the process in any case. A signal that was ignored when the program began stays
 * ignored, as of jobs in the background of a shell, unless it is the only way to end the work.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* First of all, in the main thread. */
void interrupt_init(void);

/* Called before the end, in the signal's handler: only what is safe there. NULL: a line is enough. */
void interrupt_at_end(void (*say)(void *context), void *context);

/* Calls may be nested. */
void interrupt_hold(void);
void interrupt_release(void);

/*
 * From now on they are noticed: what becomes true. Reads and waits of the main thread end early.
 * `is_needed`: also those that were ignored.
 */
const atomic_bool *interrupt_notice(bool is_needed);
/* The time is over: that is noticed likewise, without a signal. From any thread. */
void interrupt_by_time(void);
/* The one that came, or 0. */
int interrupt_signal(void);
/* "SIGINT", "SIGTERM" */
const char *interrupt_name(void);

#endif
