/*
 * toy_store: runs a built-in workload on the simplest store there is, with a
 * fault of one's choice.
 *
 * A transaction works on a copy of all rows that it took at its first request
 * and puts those it has written back when it commits. Which copy, and what is
 * compared before, makes the faults.
 */
#ifndef TESTS_PROGRAMS_WORKLOADS_TOY_STORE_H
#define TESTS_PROGRAMS_WORKLOADS_TOY_STORE_H

#include "programs/workloads/builtin.h"

#define TOY_ROWS_MAX 4096
#define TOY_CLIENTS 4

enum toy_store {
    TOY_SERIAL,     /* right: one transaction after another */
    TOY_SNAPSHOT,   /* snapshot isolation: of two writers of a row the second aborts */
    TOY_UNKNOWN,    /* serial, but some outcomes stay unknown, whether they happened or not */
    TOY_LOSES,      /* snapshots, and the second writer overwrites the first */
    TOY_UNREPEATED, /* every read sees what has been committed by then */
    TOY_FORGETS,    /* serial, but at times nothing of what was acknowledged is there */
    TOY_KEEPS,      /* serial, but what was aborted stays */
    TOY_REPEATS,    /* serial, but at times a transaction is run twice and answered once */
    TOY_COUNT
};

struct toy_run {
    const struct builtin *builtin;
    enum toy_store store;
    uint32_t transactions; /* of each client */
    uint64_t seed;         /* of who goes next */

    struct builtin_tally tally;
    uint64_t requests[BUILTIN_ABORT + 1]; /* by kind */
    uint64_t committed, aborted;
    uint64_t saw_broken;                   /* of the committed ones */
    char broken_sight[200];                /* the last of these */
    struct builtin_row rows[TOY_ROWS_MAX]; /* at the end, by key */
    uint64_t row_count;
};

/* Runs all; toy_close() afterwards. */
void toy_run(struct toy_run *);
void toy_close(struct toy_run *);

#endif
