/*
 * limits: what bounds a subcommand: the time that --timeout gives it, loading included, and the
 * memory that --memory gives the process.
 *
 * Work looks at limits_stop() and ends by itself, so that the subcommand reports what it has. Where
 * it does not within LIMITS_GRACE_NS, a thread prints what was published last, says that the rest is
 * not judged, and ends the process: nothing runs over.
 *
 *     limits_publish(limits, &report, code);   what would be printed from now on
 *     ... work ...
 *     limits_settle(limits);                   the answer is there: nobody else prints one
 *     TRY(output_print(&out, err));
 *
 * An interrupt prints the same, unless the subcommand notices it (cli/interrupt.h).
 */
#ifndef CLI_LIMITS_H
#define CLI_LIMITS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/text.h"
#include "base/timeout.h"
#include "cli/options.h"

#define LIMITS_GRACE_NS INT64_C(300000000)

/* The row of a subcommand's options, whose values have a text at that offset. */
#define TIMEOUT_ROW(at, scope)                                                                     \
    TEXT_ROW(LIMITS_TIMEOUT, "S", at, "time limit in seconds, as in 10 or 0.5, " scope)
#define LIMITS_TIMEOUT "timeout"

/* Stands behind the rows of every subcommand. */
#define MEMORY_ROW(at)                                                                             \
    TEXT_ROW(LIMITS_MEMORY, "SIZE", at,                                                            \
             "memory that the process may take, as in 512M or 4G (default: three\n"                \
             "quarters of what the machine or its control group has)")
#define LIMITS_MEMORY "memory"

struct limits {
    struct timeout timeout;
    int64_t limit_ns; /* 0: no limit */
    char reason[120]; /* "not judged: the time limit of 2 seconds" */
    char interrupted[60]; /* "not judged: interrupted" */
    bool is_settled;
    char memory[40];  /* "--memory 4G" */
    bool json;
    int code_undecided; /* the exit status where nothing was published */
    pthread_mutex_t mutex;
    struct buffer kept; /* under the mutex: what is printed first, */
    struct buffer known; /* what was published last, */
    int code;            /* and the exit status then */
};

/* `text` as from the flag, or NULL; `unfinished` NULL: "not judged". The struct must stay where it is until limits_end(). */
MUST_USE enum status limits_begin(struct limits *, const char *text, const char *unfinished, bool json,
                                  int code_undecided, struct error *);
/* The time begins anew. */
MUST_USE enum status limits_restart(struct limits *, struct error *);
void limits_end(struct limits *);

/* Refuses a text that is no time; *ns is 0 for NULL. */
MUST_USE enum status limits_read(const char *text, int64_t *ns, struct error *);

/* `text` as from the flag, or NULL. Holds until the process ends. */
MUST_USE enum status limits_set_memory(struct limits *, const char *text, struct error *);

/* "the time limit of 2 seconds" */
void limits_print(const char *text, struct buffer *);

/* What becomes true when the time is over; NULL without a limit. */
const atomic_bool *limits_stop(const struct limits *);
bool limits_is_over(const struct limits *);
/* "SIGINT", "--timeout": what ended work that notices both; NULL: nothing did. */
const char *limits_ended_by(const struct limits *);
/* More than 0, also where it is over; 0: without a limit. */
int64_t limits_left_ns(const struct limits *);
/* From now on this is known, whole lines; the buffer is taken over. */
void limits_publish(struct limits *, struct buffer *report, int code);
/* That is printed before what is published, and stays. */
void limits_keep(struct limits *, struct text);
/* Printing begins, or writing what must not be half there: it is not cut off any more. */
void limits_settle(struct limits *);

#endif
