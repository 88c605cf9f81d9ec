/*
 * record: puts a real database on trial: a workload's clients run on it, and what they saw becomes
 * a history.
 *
 *     TRY(record_run(&recording, &options, err));
 *     ... recording.history, recording.certificate, recording.findings ...
 *     record_run_close(&recording);
 *
 * Each client is a thread with a session and a log of its own, and runs one transaction after
 * another. The same seed gives the same transactions; which of them meet is the machine's affair,
 * so that no recording can be repeated. At the end one session reads everything back, in a
 * transaction of its own.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "history/anomaly.h"
#include "record/record_history.h"
#include "record/record_plan.h"

#define RECORD_FINDINGS_MAX 8
#define RECORD_CODES_MAX 16

struct record_finding {
    enum anomaly kind;
    const char *title;
    char explanation[400];
};

struct record_code {
    char code[16];
    uint64_t count;
};

struct recorded_run {
    struct history history;
    struct buffer audit_log; /* of a program, instead of a history: JSONL */
    char version[200];       /* "PostgreSQL 15.18 ..." */
    uint64_t committed, aborted, unknown;
    struct record_code
        codes[RECORD_CODES_MAX]; /* why transactions were rolled back, often ones first */
    uint32_t code_count;
    uint64_t gave_up; /* rolled back by their own wish */
    int64_t ran_ns, recovered_ns;
    int64_t latency_ns[4]; /* of committed ones: half, 99 of 100, 999 of 1,000, all are within it */
    uint32_t faults[DATABASE_FAULT_COUNT]; /* how many began, */
    uint32_t felt[DATABASE_FAULT_COUNT];   /* and how many of them the database has felt */
    bool has_certificate;
    struct record_certificate certificate;
    struct record_finding findings[RECORD_FINDINGS_MAX];
    uint32_t finding_count;
};

/* Closed by record_run_close(), whatever the status. */
MUST_USE enum status record_run(struct recorded_run *, const struct record_plan *, struct error *);
void record_run_close(struct recorded_run *);

#endif
