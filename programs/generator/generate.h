/*
 * generate: histories that are correct by construction, in any size.
 *
 *     struct generate_options options = generate_defaults(workload_find(TEXT("rw-mix")));
 *     options.transactions = 10000000;
 *     generate(&options, &history, &planted, &err);
 *
 * Sessions run transactions of a workload in virtual time, on versions kept in
 * memory; what they read and where they stand in the order is all that the level
 * allows (level_rules.h). The history has times, sessions, the certificate and
 * unique values, and is a pure function of the options and the program's
 * version. With a plant, some transactions carry one anomaly, on keys that the
 * others leave alone: without them no anomaly remains.
 *
 * Memory beside the history: eight bytes a write, and what runs at a time.
 */
#ifndef PROGRAMS_GENERATOR_GENERATE_H
#define PROGRAMS_GENERATOR_GENERATE_H

#include "base/error.h"
#include "history/anomaly.h"
#include "history/history.h"
#include "history/level.h"
#include "history/progress.h"
#include "programs/workloads/workload.h"

#define GENERATE_NO_PREDICATES (-1) /* the only share for workloads without predicates */
#define GENERATE_NO_PLANT ANOMALY_COUNT

#define PLANTED_MAX 5

/* What options may be at the most. */
#define GENERATE_TRANSACTIONS_MAX 1000000000
#define GENERATE_SESSIONS_MAX 1000000
#define GENERATE_KEYS_MAX 10000000
#define GENERATE_OPERATIONS_MAX 1000

struct generate_options {
    const struct workload *workload;
    int64_t transactions, sessions, keys, operations; /* at least 1 of each */
    int64_t predicates_percent;
    enum level level;
    uint64_t seed;                   /* at most 2^53 - 1 */
    enum anomaly plant;              /* or GENERATE_NO_PLANT */
    const struct progress *progress; /* may be NULL; counts transactions */
};

struct planted {
    enum anomaly kind; /* GENERATE_NO_PLANT: nothing was */
    unsigned count;
    int64_t ids[PLANTED_MAX]; /* of its transactions, rising */
};

/* The workload's own, 10,000 transactions of 20 sessions, strict-serializable, seed 0. */
struct generate_options generate_defaults(const struct workload *);

MUST_USE enum status generate(const struct generate_options *, struct history *, struct planted *,
                              struct error *);

#endif
