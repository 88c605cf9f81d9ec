#include "tests/oracle/small.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

#define SAMPLES 400

void setUp(void) {}
void tearDown(void) {}

static void the_same_seed_gives_the_same_history(void)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history first, second;
        struct digest a, b;

        small_history(&options, seed, &first);
        small_history(&options, seed, &second);
        a = history_digest(&first);
        b = history_digest(&second);
        TEST_ASSERT_EQUAL_MEMORY(&a, &b, sizeof a);
        history_close(&first);
        history_close(&second);
    }
}

static void every_history_passes_its_own_check(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(2000); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;
        struct error err = { 0 };

        small_history(&options, seed, &history);
        ASSERT_OK(history_check(&history, &err), &err);
        history_close(&history);
    }
}

/* Nothing perturbed: what ran one after the other holds at every level, by its certificate too. */
static void a_serial_run_is_strictly_serializable(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(300); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;

        options.mode = SMALL_SERIAL;
        options.exact = true;
        options.perturbations_max = 0;
        small_history(&options, seed, &history);
        for (enum level level = 0; level < LEVEL_COUNT; level++) {
            struct oracle_options certified = { .use_certificate = true };

            TEST_ASSERT_EQUAL_MESSAGE(ORACLE_HOLDS,
                                      oracle_decide(&history, level, (struct oracle_options){ 0 }),
                                      level_name(level));
            TEST_ASSERT_EQUAL_MESSAGE(ORACLE_HOLDS, oracle_decide(&history, level, certified),
                                      level_name(level));
        }
        history_close(&history);
    }
}

static unsigned per_cent_violated(enum small_mode mode, enum level level)
{
    unsigned violated = 0;

    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        struct small_options options = { .mode = mode,
                                         .txns_max = SMALL_TXNS_MAX,
                                         .ops_max = 3,
                                         .keys = 3,
                                         .perturbations_max = 2,
                                         .sessions = true,
                                         .times = true,
                                         .repeating = seed % 2,
                                         .aborts = true,
                                         .unknowns = true,
                                         .lists = seed % 4 == 0,
                                         .predicates = seed % 3 == 0 };
        struct history history;

        small_history(&options, seed, &history);
        violated += oracle_decide(&history, level, (struct oracle_options){ 0 }) == ORACLE_VIOLATED;
        history_close(&history);
    }
    return 100 * violated / SAMPLES;
}

/* Read-uncommitted is apart: only lists can show that it is violated. */
static void every_mode_holds_and_violates_every_level_often(void)
{
    for (enum small_mode mode = 0; mode < SMALL_MODE_COUNT; mode++)
        for (enum level level = LEVEL_READ_COMMITTED; level < LEVEL_COUNT; level++) {
            unsigned violated = per_cent_violated(mode, level);
            char message[80];

            snprintf(message, sizeof message, "mode %d, %s: %u%% violated", mode, level_name(level),
                     violated);
            TEST_ASSERT_TRUE_MESSAGE(violated >= 10 && violated <= 90, message);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_same_seed_gives_the_same_history);
    RUN_TEST(every_history_passes_its_own_check);
    RUN_TEST(a_serial_run_is_strictly_serializable);
    RUN_TEST(every_mode_holds_and_violates_every_level_often);
    return UNITY_END();
}
