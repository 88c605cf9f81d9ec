/*
 * record_plan: what a recording is asked for: the database and how it is run, the workload, how long,
 * and what goes wrong meanwhile.
 */
#ifndef RECORD_RECORD_PLAN_H
#define RECORD_RECORD_PLAN_H

#include <stdatomic.h>

#include "history/progress.h"
#include "programs/workloads/calls.h"
#include "record/faults.h"

#define RECORD_CLIENTS_MAX 256

#define RECORD_INVARIANTS_MAX 32

/* A query over the final rows, and its one value, as it is printed. */
struct record_invariant {
    const char *query, *equals;
};

/* Functions that clients call, in the database, instead of a built-in workload. */
struct record_program_plan {
    const char *path; /* a file of SQL; NULL: there is a workload */
    const char *load; /* the call that makes the first rows; NULL: none */
    const struct program_call *calls;
    uint32_t call_count;
};

struct record_plan {
    const struct database *database;
    struct database_options how;
    const struct builtin_options *workload; /* NULL: there is a program */
    struct record_program_plan program;
    uint64_t seed;
    uint64_t transactions; /* that are begun in all; 0: until the time is over */
    int64_t for_ns;        /* 0: until all transactions are done */
    uint64_t rate; /* of transactions a second, of all clients together; 0: as fast as they can */
    struct fault_wish faults[DATABASE_FAULT_COUNT];
    bool
        is_bare; /* only times are written down: to measure what the rest costs. There is no history */
    bool judges_invariant; /* the level that is promised keeps the workload's invariant */
    struct record_invariant invariants[RECORD_INVARIANTS_MAX];
    uint32_t invariant_count;
    /*
     * Somebody who watches: gets native text as it comes, the header first. `is_enough`: the load
     * ends. NULL: nobody does.
     */
    enum status (*watch)(void *context, struct text lines, bool *is_enough, struct error *);
    void *watch_context;
    const atomic_bool *stop; /* or NULL */
    const struct progress *progress;
};

/*
 * Puts in what was left open, and refuses what the database cannot be asked for. Errors call what is
 * wrong as both the command line and a scenario do.
 */
MUST_USE enum status record_plan_settle(struct record_plan *, struct error *);

/* How the database is run, in a word. */
const char *record_plan_topology(const struct record_plan *);

#endif
