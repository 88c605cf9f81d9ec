/*
 * workers: runs jobs in several processes.
 *
 *                  job, a text             work()
 *     submitted ─────────────────▶ worker ────────┐
 *         done ◀───────────────────────────────────┘
 *                answer, a text
 *
 * Workers are forked, so that they know all that the parent knows at that moment. There are no
 * threads, because the parser of SQL allows one thread only. A job that crashes ends its worker and
 * nothing else, and another worker is started.
 *
 * A job whose try failed without an answer is tried again in a fresh process. A crash that comes again
 * is an answer (WORK_DIED). If the machine failed the job (its process was killed, as by the kernel
 * when memory runs out, or an allocation failed) it is tried up to WORK_TRIES_MAX times; after that
 * nothing is known about it (WORK_NOT_JUDGED). So is one whose answer lacks a part for which there was no
 * memory; the last try's answer is taken as it is, unless all of it is wanted.
 *
 * Answers come when jobs are done or, with `in_order`, in the order of submission; then the caller
 * does the same for any number of workers.
 *
 * A worker ends when its parent has ended.
 */
#ifndef TRIAL_SWEEP_WORKERS_H
#define TRIAL_SWEEP_WORKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"

#define WORKERS_MAX 256
#define WORK_TRIES_MAX 4 /* of a job: once, and three times more in a fresh process */

struct workers_options {
    unsigned count;    /* 0: as one */
    unsigned jobs_max; /* after so many a worker makes room for a fresh one; 0: never */
    bool in_order;
    bool wants_all; /* an answer that lacks a part is none */
    /*
     * What wall time allows; 0: all. A try that takes longer is ended with its process and not made
     * again, for this reason.
     */
    int64_t job_ns;
    const char *job_late;
    int64_t until_ns; /* of the clock: for all jobs */
    const char *until_late;
    /* In the worker. What it writes into `answer` is the answer. */
    enum status (*work)(void *context, struct text job, struct buffer *answer, struct error *);
    void *context;
};

enum work_end {
    WORK_DONE,
    WORK_REFUSED,    /* the job is wrong: `error` */
    WORK_DIED,       /* it crashed, and again in a fresh process: `signal`, or else `exit_status` */
    WORK_NOT_JUDGED, /* the machine failed it each time, or it took too long: `error` says how */
};

struct work {
    uint64_t number; /* of the job, from 0, as they were submitted */
    enum work_end end;
    struct buffer answer;
    struct error error;
    int signal, exit_status;
    char last_words[400]; /* the first line that it wrote to standard error as it died */
};

/* A job that waits, or that a worker is at. */
struct worker_job {
    uint64_t number;
    char *text;
    size_t length;
    unsigned tries, crashes; /* that have ended without an answer */
};

struct worker {
    pid_t pid;             /* 0: there is none */
    int socket;            /* jobs out, answers in */
    FILE *words;           /* what it writes to standard error */
    bool is_busy;
    struct worker_job job; /* if it is busy */
    int64_t began_ns;      /* when it got it */
    unsigned done;         /* jobs */
    struct buffer in;      /* of its answer, so far */
};

struct workers {
    struct workers_options options;
    struct worker list[WORKERS_MAX];
    ARRAY(struct worker_job) queue; /* from queue_head on */
    size_t queue_head;
    uint64_t tried_again; /* tries that came to nothing and were made again */
    uint64_t submitted;
    uint64_t handed_out;       /* in_order: the next to hand out */
    ARRAY(struct work *) done; /* not handed out yet */
    struct work *last;         /* what workers_next() gave away */
};

/* Closed by workers_close(), whatever the status. Nothing is forked before the first job. */
MUST_USE enum status workers_open(struct workers *, const struct workers_options *, struct error *);
void workers_close(struct workers *);

/* Copies the job. Its number is how many were submitted before. */
MUST_USE enum status workers_submit(struct workers *, struct text job, struct error *);
/* Whether a worker would stand idle: a good time to submit. */
bool workers_want_jobs(const struct workers *);
/* Jobs whose answer was not handed out. */
uint64_t workers_pending(const struct workers *);

/*
 * Waits for an answer, which lasts until the next call. NULL: none is pending, or
 * none came within so many milliseconds (below 0: for ever), or not the next in order.
 */
MUST_USE enum status workers_next(struct workers *, int timeout_ms, const struct work **,
                                  struct error *);

/* Forgets all that is pending, and ends the workers that are at it. */
void workers_cancel(struct workers *);

/* Whether a process that ended so crashed by itself; else the machine or somebody ended it. */
bool workers_is_crash(int signal, int exit_status);
/* "SIGSEGV"; rare ones by number. */
void workers_print_signal(int signal, struct buffer *);

/*
 * In a child that was just forked: end with the parent, however that ends. Its own children
 * need to say so themselves.
 */
void workers_end_with(pid_t parent);

#endif
