/*
 * Every verdict that a checker gives, on random and on planted histories, has a
 * witness that verify accepts; and of a valid and an invalid one of the same
 * history, checker and level it never accepts both.
 */
#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "programs/generator/generate.h"
#include "programs/generator/plant.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/small.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

struct tally {
    size_t valid, invalid, unknown, refused, unproved;
};

static void assert_accepted(const struct history *h, const struct check *check, const char *what,
                            bool fast)
{
    char reason[512], message[1200];
    struct text witness = { check->witness.at, check->witness.count };
    bool is_accepted = fixture_verify(h, witness, reason);

    snprintf(message, sizeof message, "%s, %s at %s%s: %s", what, check->checker->name,
             level_name(check->level), fast ? "" : ", slowly", reason);
    if (!is_accepted)
        printf("%.*s\n", (int)witness.length, witness.at);
    TEST_ASSERT_TRUE_MESSAGE(is_accepted, message);
}

/* Where there is a proof of the contrary, an order of ts must not pass for one. */
static void assert_forged_refused(const struct history *h, const struct check *check,
                                  const char *what)
{
    struct buffer witness = { 0 };
    char reason[512], message[300];
    bool is_accepted;

    fixture_forge(&witness, h, check->checker->name, check->level);
    is_accepted = fixture_verify(h, (struct text){ witness.at, witness.count }, reason);
    snprintf(message, sizeof message, "%s, %s at %s: an order passes as well", what,
             check->checker->name, level_name(check->level));
    TEST_ASSERT_FALSE_MESSAGE(is_accepted, message);
    buffer_close(&witness);
}

/* Which a valid verdict does not look at; of elements, where reads are not judged. */
static bool is_by_uniqueness(const struct check *check)
{
    return check->findings.count > 0 && (check->findings.at[0].kind == ANOMALY_DUPLICATE_WRITE ||
                                         check->findings.at[0].kind == ANOMALY_DUPLICATE_ELEMENTS);
}

/* A valid verdict of `infer` says nothing of what statements did not find. */
static bool is_by_predicates(const struct history *h, const struct checker *checker)
{
    return h->statement_count > 0 && strcmp(checker->name, "infer") == 0;
}

static void check_one(const struct history *h, const struct checker *checker, enum level level,
                      bool slowly, const char *what, struct tally *tally)
{
    struct check_options options = { .level = level,
                                     .flags = CHECK_WITNESS | (slowly ? CHECK_SLOWLY : 0) };
    struct check check;
    struct error err = { 0 };

    if (checker_run(checker, h, &options, &check, &err) != STATUS_OK) {
        tally->refused++;
    } else if (check.verdict == VERDICT_UNKNOWN) {
        TEST_ASSERT_EQUAL(0, check.witness.count);
        tally->unknown++;
    } else if (check.witness.count == 0) {
        /* Of a model weaker than what the order proves there is none. */
        TEST_ASSERT_EQUAL_STRING("infer", checker->name);
        TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
        TEST_ASSERT_TRUE_MESSAGE(level > LEVEL_COUNT || level == LEVEL_READ_ATOMIC ||
                                     level == LEVEL_CAUSAL || level == LEVEL_PREFIX,
                                 level_name(level));
        tally->unproved++;
    } else {
        assert_accepted(h, &check, what, !slowly);
        tally->valid += check.verdict == VERDICT_VALID;
        tally->invalid += check.verdict == VERDICT_INVALID;
        if (check.verdict == VERDICT_INVALID && !is_by_uniqueness(&check) &&
            !is_by_predicates(h, checker))
            assert_forged_refused(h, &check, what);
    }
    check_close(&check);
}

static void check_all(const struct history *h, uint64_t seed, const char *what, struct tally *tally)
{
    const struct checker *const *checkers = checkers_all();

    for (size_t i = 0; checkers[i]; i++)
        for (int level = 0; level < LEVEL_END; level++)
            /* What `interval` finds has no witness. */
            if (level != LEVEL_COUNT && strcmp(checkers[i]->name, "interval") != 0 &&
                checker_decides(checkers[i], (enum level)level))
                check_one(h, checkers[i], (enum level)level, (seed + (uint64_t)level) % 4 == 0,
                          what, tally);
}

static void report(const struct tally *tally)
{
    printf("valid %zu, invalid %zu, unknown %zu, refused %zu, without a proof %zu\n", tally->valid,
           tally->invalid, tally->unknown, tally->refused, tally->unproved);
    TEST_ASSERT_LESS_THAN(tally->valid / 20 + 1, tally->unproved);
}

static void verdicts_on_random_histories_are_proved(void)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(800); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history h;
        char what[60];

        options.certificate = true;
        small_history(&options, seed, &h);
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        check_all(&h, seed, what, &tally);
        history_close(&h);
    }
    report(&tally);
    TEST_ASSERT_GREATER_THAN(300, tally.valid);
    TEST_ASSERT_GREATER_THAN(300, tally.invalid);
}

/*
 * The reader stands before a writer that had gone before it, and what it read is no
 * older than what that one wrote, or not whole: so it did not miss it.
 */
static void a_read_that_missed_nothing_is_not_told_as_if_it_had(void)
{
    static const char *const rows[] = {
        "T1 s1 ts2: w x 1; T2 s1 ts1: r x 4; T3 ts3: w x 4",
        "T1 s1 ts2: w x 1; T2 s1 ts1: r x 1",
        "T1 @10-20 ts2: w x 1; T2 @25-30 ts1: r x 4; T3 @26-40 ts3: w x 4",
        "T1 s1 ts2: a l 3; T2 s1 ts1: r l [4]; T3 ts3: a l 4",
        "T1 s1 ts4: a l 3; T2 s1 ts3: r l [5 4]; T3 ts1: a l 4; T4 ts2: a l 5",
        "init l [1]; T1 s1 ts2: a l 3; T2 s1 ts1: r l [1 1]",
    };
    struct tally tally = { 0 };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct history h;

        notation_read(rows[i], &h);
        check_all(&h, i, rows[i], &tally);
        history_close(&h);
    }
    TEST_ASSERT_GREATER_THAN(0, tally.invalid);
}

static void check_planted(const struct workload *workload, enum anomaly kind, enum level level,
                          struct tally *tally)
{
    struct generate_options options = generate_defaults(workload);
    struct planted planted;
    struct history h;
    struct error err = { 0 };
    char what[100];

    options.transactions = 60;
    options.keys = 8;
    options.sessions = 4;
    options.level = level;
    options.plant = kind;
    ASSERT_OK(generate(&options, &h, &planted, &err), &err);
    snprintf(what, sizeof what, "%s in %s", anomaly_name(kind), workload->name);
    check_all(&h, (uint64_t)kind, what, tally);
    history_close(&h);
}

static void verdicts_on_planted_histories_are_proved(void)
{
    struct tally tally = { 0 };
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (unsigned w = 0; w < count; w++)
        for (int kind = 0; kind < ANOMALY_COUNT; kind++) {
            enum level level = LEVEL_STRICT_SERIALIZABLE;

            if (!plant_possible(workloads[w], (enum anomaly)kind))
                continue;
            check_planted(workloads[w], (enum anomaly)kind, level, &tally);
            if (anomaly_weakest_level((enum anomaly)kind, &level))
                check_planted(workloads[w], (enum anomaly)kind, level, &tally);
        }
    report(&tally);
    TEST_ASSERT_GREATER_THAN(50, tally.invalid);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(verdicts_on_random_histories_are_proved);
    RUN_TEST(a_read_that_missed_nothing_is_not_told_as_if_it_had);
    RUN_TEST(verdicts_on_planted_histories_are_proved);
    return UNITY_END();
}
