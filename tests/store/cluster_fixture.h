/*
 * cluster_fixture: whole runs of the store, and what judges them.
 *
 *     struct cluster_case it = cluster_case_of("ssi", "bank", seed);
 *     it.trouble = TROUBLE_CRASHES;
 *     run = cluster_run(&it);
 *     run.complaint is NULL, or a sentence
 *
 * Judged by: a replay by the certificate, the oracle, with and without it, if
 * the history is small enough, the workload's invariant where the level
 * promises it, byte-equal replicas, and liveness.
 */
#ifndef TESTS_STORE_CLUSTER_FIXTURE_H
#define TESTS_STORE_CLUSTER_FIXTURE_H

#include "base/digest.h"
#include "history/history.h"
#include "nemesis/nemesis.h"
#include "store/store.h"
#include "store/cluster_private.h"

/* Each more than one nemesis at once: see cluster_fixture.c. */
#define TROUBLES(X)                                                                                \
    X(QUIET, "quiet") X(PARTITIONS, "partitions") X(CLOCKS, "clocks") X(CRASHES, "crashes")        \
    X(MESSAGES, "messages") X(DISKS, "disks") X(EVERYTHING, "everything")

enum trouble {
#define TROUBLE_ENUM(enumerator, name) TROUBLE_##enumerator,
    TROUBLES(TROUBLE_ENUM)
#undef TROUBLE_ENUM
        TROUBLE_COUNT
};

#define CASE_PARAMETERS_MAX 8

struct cluster_case {
    const struct protocol *protocol;
    struct bugs bugs;
    const char *workload;
    const char *parameters[CASE_PARAMETERS_MAX][2];
    uint32_t nodes, shards, replicas, sessions;
    uint64_t transactions;
    int64_t duration_ns, settle_ns;
    int64_t offset_ns, max_offset_ns;
    struct ratio loss;
    enum trouble trouble;
    uint64_t seed;
    bool asks_oracle; /* of small histories */
    void (*after_healing)(struct cluster *); /* a fault of the test's own, or NULL */
};

/* Zeroed, a run that could not be made fails the test. */
struct cluster_run {
    struct history history;
    struct cluster_findings findings;
    struct digest trace;
    uint64_t events;
    uint32_t asked, unjudged; /* of the oracle: questions, and those that it could not answer */
    uint64_t faults;          /* that were felt, of all kinds */
    uint32_t unfelt;          /* a bit for each nemesis that never was, in the order of its trouble */
    const char *complaint; /* in a buffer that the next run overwrites */
};

const char *trouble_name(enum trouble);
struct cluster_case cluster_case_of(const char *protocol, const char *workload, uint64_t seed);
struct cluster_run cluster_run(const struct cluster_case *);
void cluster_run_close(struct cluster_run *);

#endif
