/*
 * A store that aborts everything is always right: so each protocol has a floor on what it commits,
 * and says how many of its aborts were needless. An abort is needless if the history in which just
 * this attempt had committed would be as good, by the oracle, at the protocol's level.
 *
 * test_needless --print says how many.
 */
#include "tests/store/cluster_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

#define RUNS 12

void setUp(void) {}
void tearDown(void) {}

struct tally {
    uint64_t committed, aborted, judged, needless;
};

/* As if this one had committed, as clients would have seen it. */
static void judge_abort(const struct history *history, size_t txn, enum level level,
                        struct tally *tally)
{
    struct oracle_options options = { .steps_max = 100000 };
    uint8_t *status = (uint8_t *)&history->txn_status[txn];
    enum oracle_answer answer;

    *status = TXN_OK;
    answer = oracle_decide(history, level, options);
    *status = TXN_ABORT;
    tally->judged += answer != ORACLE_CANNOT_JUDGE;
    tally->needless += answer == ORACLE_HOLDS;
}

static struct tally judge_protocol(const char *protocol)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 1; seed <= fixture_rounds(RUNS); seed++) {
        struct cluster_case it = cluster_case_of(protocol, "rw-register", seed);
        struct cluster_run run;

        it.shards = 2;
        it.sessions = 4;
        it.transactions = 12;
        it.parameters[0][0] = "keys";
        it.parameters[0][1] = "5";
        run = cluster_run(&it);
        TEST_ASSERT_NULL_MESSAGE(run.complaint, protocol);
        tally.committed += run.findings.committed;
        tally.aborted += run.findings.aborted;
        for (size_t txn = 0; txn < run.history.txn_count; txn++)
            if (run.history.txn_status[txn] == TXN_ABORT)
                judge_abort(&run.history, txn, it.protocol->level, &tally);
        cluster_run_close(&run);
    }
    return tally;
}

/*
 * Of a hundred attempts so many commit, at the least: a little below what they do in these runs
 * (--print), where a few keys are fought over. Clients try until each transaction has
 * committed: that all do says nothing of how often that took.
 */
static const struct {
    const char *protocol;
    unsigned committed_percent;
} floors[] = {
    { "mvto", 65 }, { "2pl", 80 }, { "occ", 60 },     { "ssi", 50 },
    { "si", 55 },   { "rc", 99 },  { "causal", 99 }, { "eventual", 99 },
};

static unsigned floor_of(const char *protocol)
{
    for (size_t i = 0; i < ROW_COUNT(floors); i++)
        if (strcmp(floors[i].protocol, protocol) == 0)
            return floors[i].committed_percent;
    TEST_FAIL_MESSAGE(protocol); /* a new one needs its floor */
    return 0;
}

static void every_protocol_commits_at_least_its_share_of_attempts(void)
{
    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct tally tally = judge_protocol(*protocol);
        uint64_t attempts = tally.committed + tally.aborted;
        char message[200];

        snprintf(message, sizeof message, "%s: %" PRIu64 " committed, %" PRIu64 " aborted",
                 *protocol, tally.committed, tally.aborted);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(12 * fixture_rounds(RUNS), tally.committed, message);
        TEST_ASSERT_TRUE_MESSAGE(tally.committed * 100 >= attempts * floor_of(*protocol), message);
        /* Else "needlessly" would be said of nothing. */
        TEST_ASSERT_TRUE_MESSAGE(tally.judged * 3 >= tally.aborted, message);
    }
}

static int print(void)
{
    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct tally tally = judge_protocol(*protocol);

        printf("%-8s %5" PRIu64 " committed %5" PRIu64 " aborted, of %5" PRIu64
               " that the oracle could judge %5" PRIu64 " needlessly\n",
               *protocol, tally.committed, tally.aborted, tally.judged, tally.needless);
    }
    return 0;
}

int main(int count, char **arguments)
{
    UNITY_BEGIN();
    if (count == 2 && strcmp(arguments[1], "--print") == 0)
        return print();
    RUN_TEST(every_protocol_commits_at_least_its_share_of_attempts);
    return UNITY_END();
}
