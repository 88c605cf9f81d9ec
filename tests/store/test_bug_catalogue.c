/*
 * Every bug of the catalogue, in the scenario that is known to provoke it: what it breaks, what
 * still holds, and that nothing is broken without it.
 *
 * test_bug_catalogue BUG FIRST COUNT [KEY=VALUE...] runs one scenario with other seeds by hand ("all":
 * each of them) and prints how often it goes wrong, and what is violated then.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/bugs.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "trial/run/call_audit.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"
#include "unity.h"

#define CLEAN_SEEDS 3

static struct scenario scenario;

void setUp(void) {}
void tearDown(void) {}

/* --- One run, judged -------------------------------------------------------------------------- */

/* What one run has shown. */
struct sight {
    bool is_found;  /* by the run itself: stuck, replicas-differ, invariant */
    char finding[400];
    bool certified; /* violated by the certificate, at the level that was promised */
    bool seen;      /* violated by what clients saw, at that level */
    bool audited;   /* violated by what the program should have made of that, where the scenario asks */
    bool levels[LEVEL_COUNT]; /* by what clients saw: violated */
    uint32_t counted;         /* transactions that the oracle looks at */
    bool is_judged;           /* small enough for it */
};

static bool is_recency_bug(enum bug bug)
{
    return bug_entry(bug)->holds == LEVEL_SERIALIZABLE;
}

/* What is broken: the protocol's promise, or, where that is kept, real time. */
static enum level promised_level(enum bug bug)
{
    return is_recency_bug(bug) ? LEVEL_STRICT_SERIALIZABLE
                               : store_protocol_facts(scenario.cluster.protocol).level;
}

static enum oracle_answer ask_oracle(const struct history *history, enum level level,
                                     bool certified)
{
    struct oracle_options options = { .use_certificate = certified, .steps_max = 1000000 };

    return oracle_decide(history, level, options);
}

static uint32_t count_txns(const struct history *history)
{
    uint32_t count = 0;

    for (size_t txn = 0; txn < history->txn_count; txn++)
        count += history->txn_status[txn] != TXN_ABORT;
    return count;
}

static void judge(struct simulation *simulation, enum level promised, bool every_level,
                  struct sight *sight)
{
    struct error err = { 0 };
    struct history history = { 0 };
    enum oracle_answer certified, seen;

    ASSERT_OK(simulation_history(simulation, &history, &err), &err);
    sight->counted = count_txns(&history);
    certified = ask_oracle(&history, promised, true);
    seen = ask_oracle(&history, promised, false);
    sight->is_judged = certified != ORACLE_CANNOT_JUDGE && seen != ORACLE_CANNOT_JUDGE;
    sight->certified = certified == ORACLE_VIOLATED;
    sight->seen = seen == ORACLE_VIOLATED;
    for (int level = 0; every_level && level < LEVEL_COUNT; level++)
        sight->levels[level] =
            ask_oracle(&history, (enum level)level, false) == ORACLE_VIOLATED;
    history_close(&history);
}

static bool audit(struct simulation *simulation, enum level level)
{
    struct run_options options = { .notes_calls = true };
    struct error err = { 0 };
    struct call_audit audit;
    enum verdict verdict;

    ASSERT_OK(call_audit_run(&audit, simulation, level, &options, &err), &err);
    verdict = audit.verdict.verdict;
    TEST_ASSERT_MESSAGE(verdict != VERDICT_UNKNOWN, audit.verdict.reason);
    call_audit_close(&audit);
    return verdict == VERDICT_INVALID;
}

static struct sight run(enum level promised, bool every_level)
{
    struct simulation *simulation = calloc(1, sizeof *simulation);
    struct run_options options = { .notes_calls = scenario.check.audits };
    struct error err = { 0 };
    struct sight sight = { 0 };

    TEST_ASSERT_NOT_NULL(simulation);
    ASSERT_OK(simulation_run(simulation, &scenario, &options, &err), &err);
    sight.is_found = simulation->finding_count > 0;
    if (sight.is_found)
        snprintf(sight.finding, sizeof sight.finding, "%s: %s",
                 anomaly_name(simulation->findings[0].kind),
                 simulation->findings[0].explanation);
    judge(simulation, promised, every_level, &sight);
    if (scenario.check.audits)
        sight.audited = audit(simulation, promised);
    simulation_close(simulation);
    free(simulation);
    return sight;
}

static void load(const char *bug, const char *const *sets, size_t set_count)
{
    struct error err = { 0 };
    char path[200];

    snprintf(path, sizeof path, "scenarios/bugs/%s.toml", bug);
    ASSERT_OK(scenario_load(&scenario, path, sets, set_count, &err), &err);
}

/* --- By hand ---------------------------------------------------------------------------------- */

struct tally {
    uint32_t wrong, certified, seen, audited, found, unjudged, levels[LEVEL_COUNT];
    uint64_t counted;
};

static void add(struct tally *tally, const struct sight *sight, uint64_t seed)
{
    bool is_wrong = sight->is_found || sight->certified || sight->seen || sight->audited;

    tally->wrong += is_wrong;
    tally->certified += sight->certified;
    tally->seen += sight->seen;
    tally->audited += sight->audited;
    tally->found += sight->is_found;
    tally->unjudged += !sight->is_judged;
    tally->counted += sight->counted;
    for (int level = 0; level < LEVEL_COUNT; level++)
        tally->levels[level] += sight->levels[level];
    if (is_wrong && getenv("SAY"))
        printf("  %" PRIu64 "%s%s%s %s\n", seed, sight->certified ? " certified" : "",
               sight->seen ? " seen" : "", sight->levels[LEVEL_READ_UNCOMMITTED] ? " RU" : "",
               sight->finding);
}

static void print(const char *bug, const struct tally *tally, uint64_t count)
{
    printf("%-36s %3" PRIu32 " wrong of %" PRIu64 ": certified %" PRIu32 ", seen %" PRIu32
           ", audited %" PRIu32 ", finding %" PRIu32 "; %" PRIu32 " unjudged, %" PRIu64 " txns each\n",
           bug, tally->wrong, count, tally->certified, tally->seen, tally->audited, tally->found, tally->unjudged,
           tally->counted / count);
    for (int level = 0; level < LEVEL_COUNT; level++)
        if (tally->levels[level] > 0)
            printf("%40s %" PRIu32 "\n", level_name((enum level)level), tally->levels[level]);
    fflush(stdout);
}

static void sweep(enum bug bug, uint64_t first, uint64_t count, const char *const *sets,
                  size_t set_count)
{
    struct tally tally = { 0 };

    load(bug_entry(bug)->name, sets, set_count);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct sight sight;
        scenario.seed = seed;
        sight = run(promised_level(bug), getenv("LEVELS") != NULL);
        add(&tally, &sight, seed);
    }
    print(bug_entry(bug)->name, &tally, count);
}

static int run_by_hand(int count, char **arguments)
{
    uint64_t first = strtoull(arguments[2], NULL, 10), seeds = strtoull(arguments[3], NULL, 10);

    for (enum bug bug = 0; bug < BUG_COUNT; bug++)
        if (strcmp(arguments[1], "all") == 0 || strcmp(arguments[1], bug_entry(bug)->name) == 0)
            sweep(bug, first, seeds, (const char *const *)&arguments[4], (size_t)(count - 4));
    return 0;
}

/* --- Every bug -------------------------------------------------------------------------------- */

static bool is_said_of(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Those whose scenarios are too large for the oracle: the run itself finds them, or an audit. */
static bool is_beyond_the_oracle(enum bug bug)
{
    return bug == BUG_VOTE_NOT_PERSISTED || bug == BUG_SERVES_ABOVE_CEILING ||
           is_said_of(bug_entry(bug)->checkers, "audit");
}

/*
 * By the run itself; by the oracle, with what each of the checkers has to go by; or by an audit, and then by
 * nobody else.
 */
static void every_bug_breaks_what_its_protocol_promises(void)
{
    for (enum bug bug = 0; bug < BUG_COUNT; bug++) {
        const struct bug_entry *entry = bug_entry(bug);
        struct sight sight;

        load(entry->name, NULL, 0);
        sight = run(promised_level(bug), false);
        if (is_said_of(entry->checkers, "audit")) {
            TEST_ASSERT_TRUE_MESSAGE(sight.audited, entry->name);
            TEST_ASSERT_FALSE_MESSAGE(sight.is_found || sight.certified || sight.seen, entry->name);
            continue;
        }
        TEST_ASSERT_EQUAL_MESSAGE(!is_beyond_the_oracle(bug), sight.is_judged, entry->name);
        if (!sight.is_judged) {
            TEST_ASSERT_TRUE_MESSAGE(sight.is_found, entry->name);
            continue;
        }
        TEST_ASSERT_TRUE_MESSAGE(sight.is_found || sight.certified || sight.seen, entry->name);
        if (!is_said_of(entry->checkers, "run")) {
            TEST_ASSERT_TRUE_MESSAGE(sight.certified, entry->name);
        }
        if (is_said_of(entry->checkers, "blackbox") || is_said_of(entry->checkers, "weak")) {
            TEST_ASSERT_TRUE_MESSAGE(sight.seen, entry->name);
        }
    }
}

/* What was asked of the oracle, and what it could tell. */
struct judged {
    unsigned asked, judged;
};

static void count_judged(struct judged *judged, enum bug bug, const struct sight *sight)
{
    if (is_beyond_the_oracle(bug))
        return;
    judged->asked++;
    judged->judged += sight->is_judged;
}

static void assert_most_are_judged(const struct judged *judged)
{
    char message[100];

    snprintf(message, sizeof message, "%u of %u runs were judged", judged->judged, judged->asked);
    TEST_ASSERT_TRUE_MESSAGE(judged->asked > 0 && judged->judged * 20 >= judged->asked * 19,
                             message);
}

/* Clients cannot tell that it is less: the certificate may, as it says what should have been. */
static void what_the_table_says_still_holds(void)
{
    struct judged judged = { 0 };

    for (enum bug bug = 0; bug < BUG_COUNT; bug++)
        for (uint64_t i = 0; i < fixture_rounds(2); i++) {
            const struct bug_entry *entry = bug_entry(bug);
            struct sight sight;

            load(entry->name, NULL, 0);
            scenario.seed += i;
            sight = run(entry->holds, false);
            count_judged(&judged, bug, &sight);
            TEST_ASSERT_FALSE_MESSAGE(sight.seen, entry->name);
        }
    assert_most_are_judged(&judged);
}

static void without_the_bug_nothing_is_broken(void)
{
    static const char *const sets[] = { "cluster.bugs=[]" };
    struct judged judged = { 0 };

    for (enum bug bug = 0; bug < BUG_COUNT; bug++)
        for (uint64_t i = 0; i < fixture_rounds(CLEAN_SEEDS); i++) {
            struct sight sight;

            load(bug_entry(bug)->name, sets, 1);
            scenario.seed += i;
            sight = run(promised_level(bug), false);
            count_judged(&judged, bug, &sight);
            TEST_ASSERT_FALSE_MESSAGE(sight.is_found, sight.finding);
            TEST_ASSERT_FALSE_MESSAGE(sight.certified, bug_entry(bug)->name);
            TEST_ASSERT_FALSE_MESSAGE(sight.seen, bug_entry(bug)->name);
            TEST_ASSERT_FALSE_MESSAGE(sight.audited, bug_entry(bug)->name);
        }
    assert_most_are_judged(&judged);
}

int main(int count, char **arguments)
{
    UNITY_BEGIN();
    if (count >= 4)
        return run_by_hand(count, arguments);
    RUN_TEST(every_bug_breaks_what_its_protocol_promises);
    RUN_TEST(what_the_table_says_still_holds);
    RUN_TEST(without_the_bug_nothing_is_broken);
    return UNITY_END();
}
