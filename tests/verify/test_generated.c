/*
 * Histories of the generator, whose certificate says in which order they were
 * made: that order is a witness, and no witness once an anomaly is planted.
 */
#include <stdio.h>
#include <string.h>

#include "programs/generator/generate.h"
#include "programs/generator/plant.h"
#include "tests/fixture.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static const enum level levels[] = { LEVEL_READ_UNCOMMITTED,   LEVEL_READ_COMMITTED,
                                     LEVEL_REPEATABLE_READ,    LEVEL_SNAPSHOT,
                                     LEVEL_SERIALIZABLE,       LEVEL_SESSION_SNAPSHOT,
                                     LEVEL_STRICT_SNAPSHOT,    LEVEL_SESSION_SERIALIZABLE,
                                     LEVEL_STRICT_SERIALIZABLE };

static bool is_serializable(enum level level)
{
    return level == LEVEL_SERIALIZABLE || level == LEVEL_SESSION_SERIALIZABLE ||
           level == LEVEL_STRICT_SERIALIZABLE;
}

static struct history make(const struct workload *workload, enum level level, enum anomaly plant,
                           uint64_t seed)
{
    struct generate_options options = generate_defaults(workload);
    struct planted planted;
    struct history history;
    struct error err = { 0 };

    options.transactions = 300;
    options.keys = 20;
    options.sessions = 6;
    options.level = level;
    options.seed = seed;
    options.plant = plant;
    ASSERT_OK(generate(&options, &history, &planted, &err), &err);
    return history;
}

static bool forged_is_accepted(const struct history *h, const char *checker, enum level level,
                               char reason[512])
{
    struct buffer witness = { 0 };
    bool is_accepted;

    fixture_forge(&witness, h, checker, level);
    is_accepted = fixture_verify(h, (struct text){ witness.at, witness.count }, reason);
    buffer_close(&witness);
    return is_accepted;
}

static void assert_accepted(const struct history *h, const struct workload *workload,
                            const char *checker, enum level level)
{
    char reason[512], message[700];
    bool is_accepted = forged_is_accepted(h, checker, level, reason);

    snprintf(message, sizeof message, "%s, %s, %s: %s", workload->name, checker, level_name(level),
             reason);
    TEST_ASSERT_TRUE_MESSAGE(is_accepted, message);
}

static void the_order_in_which_a_history_was_made_is_a_witness(void)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (unsigned w = 0; w < count; w++)
        for (size_t i = 0; i < ROW_COUNT(levels); i++) {
            struct history history = make(workloads[w], levels[i], GENERATE_NO_PLANT, i);

            assert_accepted(&history, workloads[w], "certificate", levels[i]);
            if (is_serializable(levels[i])) {
                assert_accepted(&history, workloads[w], "order", levels[i]);
                assert_accepted(&history, workloads[w], "blackbox", levels[i]);
            }
            history_close(&history);
        }
}

/*
 * Two equal writes break no level: they are for who is told that values are
 * unique. At read-uncommitted an order has nothing to do with reads.
 */
static bool breaks_a_level(enum anomaly kind, enum level *level)
{
    if (!anomaly_weakest_level(kind, level) || kind == ANOMALY_DUPLICATE_WRITE)
        return false;
    if (*level == LEVEL_READ_UNCOMMITTED && kind != ANOMALY_G0)
        *level = LEVEL_READ_COMMITTED;
    return true;
}

static bool is_decided(enum level level)
{
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        if (levels[i] == level)
            return true;
    return false;
}

static void with_a_planted_anomaly_it_is_none(void)
{
    unsigned count, planted = 0;
    const struct workload *const *workloads = workload_generated(&count);

    for (unsigned w = 0; w < count; w++)
        for (int kind = 0; kind < ANOMALY_COUNT; kind++) {
            struct history history;
            char reason[512], message[200];
            enum level level;

            if (!plant_possible(workloads[w], (enum anomaly)kind) ||
                !breaks_a_level((enum anomaly)kind, &level))
                continue;
            history = make(workloads[w], LEVEL_STRICT_SERIALIZABLE, (enum anomaly)kind, 1);
            snprintf(message, sizeof message, "%s in %s", anomaly_name((enum anomaly)kind),
                     workloads[w]->name);
            TEST_ASSERT_FALSE_MESSAGE(
                forged_is_accepted(&history, "certificate", LEVEL_STRICT_SERIALIZABLE, reason),
                message);
            TEST_ASSERT_FALSE_MESSAGE(
                is_decided(level) && forged_is_accepted(&history, "certificate", level, reason),
                message);
            planted++;
            history_close(&history);
        }
    TEST_ASSERT_GREATER_THAN(50, planted);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_order_in_which_a_history_was_made_is_a_witness);
    RUN_TEST(with_a_planted_anomaly_it_is_none);
    return UNITY_END();
}
