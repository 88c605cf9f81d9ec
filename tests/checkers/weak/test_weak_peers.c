/*
 * weak against its peers, on histories that are too large for the oracle: against blackbox on
 * generated ones with some reads changed, against what the simulated store certifies of itself,
 * against the judge of the store's own causal runs, and against itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/level.h"
#include "programs/generator/generate.h"
#include "store/bugs.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/programs/generator/anonymize.h"
#include "tests/store/cluster_fixture.h"
#include "tests/store/protocols/causal_judge.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

/* Each behind all that imply it. */
static const enum level levels[] = {
    LEVEL_PREFIX,
    LEVEL_CAUSAL,
    LEVEL_READ_ATOMIC,
    LEVEL_READ_COMMITTED,
    LEVEL_PRAM,
    LEVEL_WRITES_FOLLOW_READS,
    LEVEL_MONOTONIC_READS,
    LEVEL_MONOTONIC_WRITES,
    LEVEL_READ_YOUR_WRITES,
};

#define LEVELS_OF_WEAK ROW_COUNT(levels)

struct subject {
    const struct history *history;
    const char *what;
    uint64_t seed;
    enum verdict verdicts[LEVELS_OF_WEAK];
    char reasons[LEVELS_OF_WEAK][200];
};

static void fail(const struct subject *s, size_t level, const char *why)
{
    char message[500];

    snprintf(message, sizeof message, "%s, seed %llu, %s is %s (%s): %s", s->what,
             (unsigned long long)s->seed, level_name(levels[level]),
             fixture_verdict_name(s->verdicts[level]), s->reasons[level], why);
    TEST_FAIL_MESSAGE(message);
}

/* Weak at every level; verify must accept what it says. */
static void ask_weak(struct subject *s)
{
    for (size_t i = 0; i < LEVELS_OF_WEAK; i++) {
        struct check check = fixture_check("weak", s->history, levels[i],
                                           CHECK_WITNESS | (s->seed % 5 == 4 ? CHECK_SLOWLY : 0));
        char reason[512];

        s->verdicts[i] = check.verdict;
        snprintf(s->reasons[i], sizeof s->reasons[i], "%.199s",
                 check.findings.count > 0 ? check.findings.at[0].explanation : check.reason);
        if (check.verdict != VERDICT_UNKNOWN &&
            !fixture_verify(s->history, (struct text){ check.witness.at, check.witness.count },
                            reason))
            fail(s, i, reason);
        check_close(&check);
    }
}

/* What holds at a level holds at those that it implies. */
static void examine_implications(const struct subject *s)
{
    for (size_t i = 0; i < LEVELS_OF_WEAK; i++)
        for (size_t k = 0; k < LEVELS_OF_WEAK; k++)
            if (level_implies(levels[i], levels[k]) && s->verdicts[i] == VERDICT_VALID &&
                s->verdicts[k] == VERDICT_INVALID)
                fail(s, k, "but a level that implies it holds");
}

/* Another checker says that this level holds. */
static void examine_holding(const struct subject *s, enum level held)
{
    for (size_t i = 0; i < LEVELS_OF_WEAK; i++)
        if (level_implies(held, levels[i]) && s->verdicts[i] == VERDICT_INVALID)
            fail(s, i, level_name(held));
}

/* -1: it refuses. */
static int ask_other(const char *checker, const struct history *h, enum level level)
{
    struct check_options options = { .level = level };
    struct error refusal = { 0 };
    struct check check;
    int verdict = -1;

    if (checker_run(checker_find(text_of(checker)), h, &options, &check, &refusal) == STATUS_OK)
        verdict = check.verdict;
    check_close(&check);
    return verdict;
}

/* --- Generated -------------------------------------------------------------------- */

static const char *const workloads[] = { "cobra-rmw", "cobra-rw",  "cobra-heavy",
                                         "rw-mix",    "blindw-rw", "list-append" };

static void generate_one(uint64_t seed, enum level level, uint64_t transactions, struct history *h)
{
    const char *workload = workloads[seed % ROW_COUNT(workloads)];
    struct generate_options options = generate_defaults(workload_find(text_of(workload)));
    struct planted planted;

    options.transactions = transactions;
    options.sessions = 3 + seed % 9;
    options.keys = 5 + seed * 7 % 60;
    options.operations = 2 + seed % 5;
    options.level = level;
    options.seed = seed;
    ASSERT_OK(generate(&options, h, &planted, &err), &err);
}

static void what_is_generated_holds_at_its_level(void)
{
    static const enum level made[] = { LEVEL_READ_ATOMIC, LEVEL_CAUSAL, LEVEL_PREFIX,
                                       LEVEL_SESSION_SNAPSHOT, LEVEL_SESSION_SERIALIZABLE };

    for (uint64_t seed = 0; seed < fixture_rounds(30); seed++) {
        enum level level = made[seed % ROW_COUNT(made)];
        struct subject subject = { .what = "generated", .seed = seed };
        struct history h;

        generate_one(seed, level, 400, &h);
        subject.history = &h;
        ask_weak(&subject);
        examine_implications(&subject);
        for (size_t i = 0; i < LEVELS_OF_WEAK; i++)
            if (level_implies(level, levels[i]) && subject.verdicts[i] != VERDICT_VALID)
                fail(&subject, i, "it was made to be valid");
        history_close(&h);
    }
}

/* --- Blackbox --------------------------------------------------------------------- */

/* A read returns what another operation read or wrote of its key. */
static void change_reads(struct history *h, int64_t *values, uint64_t seed, unsigned count)
{
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    random_init(&random, &key);
    memcpy(values, h->op_value, h->op_count * sizeof *values);
    for (unsigned n = 0; n < count; n++) {
        size_t op = random_below(&random, h->op_count), other = random_below(&random, h->op_count);

        if (h->op_kind[op] != OP_READ || h->op_value_kind[op] != VALUE_INTEGER)
            continue;
        while (h->op_key[other] != h->op_key[op] || h->op_value_kind[other] != VALUE_INTEGER)
            other = (other + 1) % h->op_count;
        values[op] = values[other];
    }
    h->op_value = values;
}

static void nothing_is_denied_that_has_an_order(void)
{
    static const enum level made[] = { LEVEL_SESSION_SERIALIZABLE, LEVEL_SESSION_SNAPSHOT,
                                       LEVEL_PREFIX, LEVEL_CAUSAL };
    unsigned held[2] = { 0 }, invalid[LEVELS_OF_WEAK] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(120); seed++) {
        struct subject subject = { .what = "changed", .seed = seed };
        struct anonymize_options how = { .sessions = true, .times = true, .seed = seed };
        struct history generated, h;
        int64_t *values;

        generate_one(seed, made[seed % ROW_COUNT(made)], 60, &generated);
        ASSERT_OK(anonymize_history(&generated, &how, &h, &err), &err);
        history_close(&generated);
        values = calloc(h.op_count, sizeof *values);
        TEST_ASSERT_NOT_NULL(values);
        {
            struct history changed = h;

            change_reads(&changed, values, seed, (unsigned)(seed / 4 % 4));
            subject.history = &changed;
            ask_weak(&subject);
            examine_implications(&subject);
            for (unsigned i = 0; i < 2; i++) {
                enum level level = i ? LEVEL_SESSION_SNAPSHOT : LEVEL_SESSION_SERIALIZABLE;

                if (ask_other("blackbox", &changed, level) != VERDICT_VALID)
                    continue;
                held[i]++;
                examine_holding(&subject, level);
            }
        }
        for (size_t i = 0; i < LEVELS_OF_WEAK; i++)
            invalid[i] += subject.verdicts[i] == VERDICT_INVALID;
        free(values);
        history_close(&h);
    }
    for (size_t i = 0; i < LEVELS_OF_WEAK; i++) {
        printf("%s: %u invalid\n", level_name(levels[i]), invalid[i]);
        TEST_ASSERT_GREATER_THAN_MESSAGE(3, invalid[i], level_name(levels[i]));
    }
    printf("%u session-serializable, %u session-snapshot\n", held[0], held[1]);
    TEST_ASSERT_GREATER_THAN(10, held[0]);
    TEST_ASSERT_GREATER_THAN(held[0], held[1]);
}

/* --- The store -------------------------------------------------------------------- */

static void compare_with_certificate(struct subject *s, unsigned *certified)
{
    static const enum level proven[] = { LEVEL_SESSION_SERIALIZABLE, LEVEL_SESSION_SNAPSHOT };

    ask_weak(s);
    examine_implications(s);
    for (size_t i = 0; i < ROW_COUNT(proven); i++)
        if (ask_other("certificate", s->history, proven[i]) == VERDICT_VALID) {
            ++*certified;
            examine_holding(s, proven[i]);
        }
}

static void what_the_store_certifies_is_not_denied(void)
{
    unsigned certified = 0;
    uint64_t seed = 0;

    for (int bug = 0; bug < BUG_COUNT; bug++, seed++) {
        struct subject subject = { .what = bug_entry((enum bug)bug)->name, .seed = seed };
        struct text name;
        char protocol[20];
        struct cluster_case it;
        struct cluster_run run;

        if (!bug_protocol((enum bug)bug, 0, &name))
            continue;
        snprintf(protocol, sizeof protocol, "%.*s", (int)name.length, name.at);
        if (strcmp(protocol, "raft") == 0)
            strcpy(protocol, "mvto");
        it = cluster_case_of(protocol, seed % 2 ? "list-append" : "rw-register", seed);
        it.bugs.on[bug] = seed % 3 != 0;
        it.transactions = 60;
        it.trouble = (enum trouble)(seed % TROUBLE_COUNT);
        run = cluster_run(&it);
        subject.history = &run.history;
        compare_with_certificate(&subject, &certified);
        cluster_run_close(&run);
    }
    printf("certified: %u\n", certified);
    TEST_ASSERT_GREATER_THAN(10, certified);
}

static void causal_runs_are_judged_as_their_own_judge_does(void)
{
    unsigned agreed = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(12); seed++) {
        struct subject subject = { .what = "causal", .seed = seed };
        struct cluster_case it =
            cluster_case_of(seed % 4 == 3 ? "eventual" : "causal", "rw-register", 500 + seed);
        struct cluster_run run;

        it.transactions = 80;
        it.trouble = (enum trouble)(seed % TROUBLE_COUNT);
        run = cluster_run(&it);
        subject.history = &run.history;
        ask_weak(&subject);
        examine_implications(&subject);
        if (subject.verdicts[1] == VERDICT_VALID && !causal_judge_holds(&run.history))
            fail(&subject, 1, "the judge of the store denies it");
        if (subject.verdicts[1] == VERDICT_INVALID && causal_judge_holds(&run.history) &&
            seed % 4 != 3)
            fail(&subject, 1, "the judge of the store accepts it");
        agreed += subject.verdicts[1] != VERDICT_UNKNOWN;
        cluster_run_close(&run);
    }
    printf("causal: %u decided\n", agreed);
    TEST_ASSERT_GREATER_THAN(4, agreed);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_generated_holds_at_its_level);
    RUN_TEST(nothing_is_denied_that_has_an_order);
    RUN_TEST(what_the_store_certifies_is_not_denied);
    RUN_TEST(causal_runs_are_judged_as_their_own_judge_does);
    return UNITY_END();
}
