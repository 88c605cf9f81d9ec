/*
 * Whole runs: every protocol, every built-in workload, every trouble, with all bugs off.
 *
 * test_cluster PROTOCOL WORKLOAD TROUBLE FIRST COUNT runs some of them by hand ("all" for any)
 * and prints what was wrong and how much committed.
 */
#include "tests/store/cluster_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/workloads/builtin.h"
#include "tests/fixture.h"
#include "unity.h"

#define COMMITTED_PERCENT 50 /* of what ended, at the least */

void setUp(void) {}
void tearDown(void) {}

/* Lists have no place where two writes are arbitrated. */
static bool fits(const char *protocol, const char *workload)
{
    return store_protocol_facts(store_protocol(text_of(protocol))).on_raft ||
           workload_find(text_of(workload))->shape != SHAPE_LISTS;
}

static const char *describe(const struct cluster_case *it)
{
    static char text[200];

    snprintf(text, sizeof text, "%s %s %s %" PRIu64, it->protocol->name, it->workload,
             trouble_name(it->trouble), it->seed);
    return text;
}

/* Small enough for the oracle. */
static struct cluster_case small_case(const char *protocol, const char *workload, uint64_t seed)
{
    struct cluster_case it = cluster_case_of(protocol, workload, seed);

    it.shards = 2;
    it.sessions = 4;
    it.transactions = 12;
    it.parameters[0][0] = "keys";
    it.parameters[0][1] = "4";
    if (builtin_has_parameter(workload_find(text_of(workload)), PARAMETER_GROUP)) {
        it.parameters[1][0] = "group";
        it.parameters[1][1] = "2";
    }
    it.asks_oracle = true;
    return it;
}

struct tally {
    uint64_t runs, bad, committed, aborted, unknown, events;
    uint64_t asked, unjudged; /* of the oracle */
    uint32_t *never_felt; /* by trouble, a bit for each nemesis; NULL: not asked for */
};

static void run_one(const struct cluster_case *it, struct tally *tally, bool fails)
{
    struct cluster_run run = cluster_run(it);

    tally->runs++;
    tally->committed += run.findings.committed;
    tally->aborted += run.findings.aborted;
    tally->unknown += run.findings.unknown;
    tally->events += run.events;
    tally->asked += run.asked;
    tally->unjudged += run.unjudged;
    if (fails && it->trouble != TROUBLE_QUIET && !it->asks_oracle) {
        TEST_ASSERT_GREATER_THAN_MESSAGE(0, run.faults, describe(it));
    }
    if (tally->never_felt)
        tally->never_felt[it->trouble] &= run.unfelt;
    if (run.complaint) {
        tally->bad++;
        printf("%s: %s\n", describe(it), run.complaint);
        fflush(stdout);
    }
    if (fails) {
        TEST_ASSERT_NULL_MESSAGE(run.complaint, describe(it));
    }
    cluster_run_close(&run);
}

/* Each protocol by itself: one that commits nothing must not hide behind the others. */
static void assert_committed(const struct tally *tally, const char *protocol, unsigned least)
{
    uint64_t ended = tally->committed + tally->aborted;
    char message[200];

    snprintf(message, sizeof message, "%s: %" PRIu64 " committed, %" PRIu64 " aborted", protocol,
             tally->committed, tally->aborted);
    if (getenv("VERBOSE"))
        puts(message);
    TEST_ASSERT_TRUE_MESSAGE(ended > 0 && tally->committed * 100 >= ended * least, message);
}

static void assert_judged(const struct tally *tally, const char *protocol)
{
    char message[200];

    snprintf(message, sizeof message, "%s: the oracle could not judge %" PRIu64 " of %" PRIu64,
             protocol, tally->unjudged, tally->asked);
    if (getenv("VERBOSE"))
        puts(message);
    TEST_ASSERT_TRUE_MESSAGE(tally->asked > 0 && tally->unjudged * 10 <= tally->asked, message);
}

static void every_protocol_keeps_its_level_in_small(void)
{
    uint64_t seed = 0;

    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct tally tally = { 0 };

        for (const char *const *workload = workload_run_names(); *workload; workload++)
            for (size_t i = 0; i < fixture_rounds(2); i++) {
                struct cluster_case it = small_case(*protocol, *workload, ++seed);
                it.trouble = (enum trouble)(seed % TROUBLE_COUNT);
                if (fits(*protocol, *workload))
                    run_one(&it, &tally, true);
            }
        assert_committed(&tally, *protocol, COMMITTED_PERCENT);
        assert_judged(&tally, *protocol);
    }
}

/* A torn write needs a crash at the right moment: not every run feels everything. */
static void assert_felt(const uint32_t never_felt[TROUBLE_COUNT])
{
    for (int trouble = 0; trouble < TROUBLE_COUNT; trouble++)
        TEST_ASSERT_EQUAL_HEX32_MESSAGE(0, never_felt[trouble],
                                        trouble_name((enum trouble)trouble));
}

static void every_protocol_keeps_its_word_under_every_trouble(void)
{
    static const char *const workloads[] = { "bank", "predicate", "rw-register" };
    uint32_t never_felt[TROUBLE_COUNT];
    uint64_t seed = 1000;

    memset(never_felt, 0xff, sizeof never_felt);

    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct tally tally = { .never_felt = never_felt };

        for (int trouble = 0; trouble < TROUBLE_COUNT; trouble++)
            for (size_t i = 0; i < fixture_rounds(1); i++) {
                struct cluster_case it =
                    cluster_case_of(*protocol, workloads[seed % ROW_COUNT(workloads)], seed);
                seed++;
                it.trouble = (enum trouble)trouble;
                run_one(&it, &tally, true);
            }
        assert_committed(&tally, *protocol, COMMITTED_PERCENT);
    }
    assert_felt(never_felt);
}

/*
 * Under rc two undecided writes of a row may stand side by side, if nobody read it. A statement
 * between the two took the later one, which had committed, for the row that the other would hide,
 * did not wait, and returned a row that was no longer there: in 8 of 150 runs without any trouble.
 */
static void a_statement_returns_no_row_that_an_undecided_write_may_hide(void)
{
    for (uint64_t seed = 1; seed <= fixture_rounds(40); seed++) {
        struct cluster_case it = cluster_case_of("rc", "predicate", seed);
        struct tally tally = { 0 };

        it.parameters[0][0] = "keys";
        it.parameters[0][1] = "12";
        it.parameters[1][0] = "operations_max";
        it.parameters[1][1] = "3";
        it.sessions = 20;
        it.transactions = 600;
        run_one(&it, &tally, true);
    }
}

static void the_same_seed_leaves_the_same_trace(void)
{
    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct cluster_case it = cluster_case_of(*protocol, "bank", 5);
        struct cluster_run first, second;

        it.trouble = TROUBLE_EVERYTHING;
        first = cluster_run(&it);
        second = cluster_run(&it);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&first.trace, &second.trace, sizeof first.trace,
                                         *protocol);
        cluster_run_close(&first);
        cluster_run_close(&second);
    }
}

static bool is_wanted(const char *wanted, const char *name)
{
    return strcmp(wanted, "all") == 0 || strcmp(wanted, name) == 0;
}

static int run_by_hand(char **arguments)
{
    uint64_t first = strtoull(arguments[4], NULL, 10), count = strtoull(arguments[5], NULL, 10);
    bool is_small = getenv("SMALL") != NULL, is_bad = false;

    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++)
        for (const char *const *workload = workload_run_names(); *workload; workload++)
            for (int trouble = 0; trouble < TROUBLE_COUNT; trouble++) {
                struct tally tally = { 0 };
                if (!is_wanted(arguments[1], *protocol) || !is_wanted(arguments[2], *workload) ||
                    !is_wanted(arguments[3], trouble_name((enum trouble)trouble)) ||
                    !fits(*protocol, *workload))
                    continue;
                for (uint64_t seed = first; seed < first + count; seed++) {
                    struct cluster_case it = is_small ? small_case(*protocol, *workload, seed)
                                                      : cluster_case_of(*protocol, *workload, seed);
                    it.trouble = (enum trouble)trouble;
                    run_one(&it, &tally, false);
                }
                printf("%-8s %-12s %-10s %4" PRIu64 " runs %3" PRIu64 " bad %6" PRIu64
                       " committed %6" PRIu64 " aborted %4" PRIu64 " unknown %8" PRIu64 " events\n",
                       *protocol, *workload, trouble_name((enum trouble)trouble), tally.runs,
                       tally.bad, tally.committed, tally.aborted, tally.unknown, tally.events);
                is_bad |= tally.bad > 0;
            }
    return is_bad;
}

int main(int count, char **arguments)
{
    UNITY_BEGIN();
    if (count == 6)
        return run_by_hand(arguments);
    RUN_TEST(every_protocol_keeps_its_level_in_small);
    RUN_TEST(every_protocol_keeps_its_word_under_every_trouble);
    RUN_TEST(a_statement_returns_no_row_that_an_undecided_write_may_hide);
    RUN_TEST(the_same_seed_leaves_the_same_trace);
    return UNITY_END();
}
