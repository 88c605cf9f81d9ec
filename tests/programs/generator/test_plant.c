#include "programs/generator/plant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/programs/machine/replay.h"
#include "tests/programs/machine/without.h"
#include "unity.h"

static struct error err;

void setUp(void) {}
void tearDown(void) {}

/* Real by the oracle from this level upwards, and holding at all of these. */
static const struct expectation {
    enum anomaly kind;
    enum level from;        /* LEVEL_COUNT: at no level, as values alone tell it */
    bool needs_certificate; /* on registers; lists tell it anyway */
    enum level holds[3];
    unsigned hold_count;
} expectations[] = {
#define ROW(kind_, from_, certificate, count, ...)                                                 \
    { ANOMALY_##kind_, LEVEL_##from_, certificate, { __VA_ARGS__ }, count },
    ROW(G0, READ_UNCOMMITTED, true, 0, LEVEL_COUNT) ROW(G1A, READ_COMMITTED, false, 1,
                                                        LEVEL_READ_UNCOMMITTED)
        ROW(G1B, READ_COMMITTED, false, 1, LEVEL_READ_UNCOMMITTED) ROW(G1C, READ_COMMITTED, false,
                                                                       1, LEVEL_READ_UNCOMMITTED)
            ROW(G_SINGLE, SNAPSHOT, false, 1, LEVEL_READ_COMMITTED) ROW(G_NONADJACENT, SNAPSHOT,
                                                                        false, 1, LEVEL_CAUSAL)
                ROW(G2_ITEM, REPEATABLE_READ, false, 2, LEVEL_STRICT_SNAPSHOT, LEVEL_PREFIX) ROW(
                    G2, SERIALIZABLE, false, 3, LEVEL_STRICT_SNAPSHOT, LEVEL_REPEATABLE_READ,
                    LEVEL_PREFIX) ROW(G0_PROCESS, SESSION_SNAPSHOT, true, 1, LEVEL_SERIALIZABLE)
                    ROW(G1C_PROCESS, SESSION_SNAPSHOT, false, 1, LEVEL_SERIALIZABLE)
                        ROW(G_SINGLE_PROCESS, SESSION_SNAPSHOT, false, 1, LEVEL_SERIALIZABLE) ROW(
                            G_NONADJACENT_PROCESS, SESSION_SNAPSHOT, false, 2, LEVEL_SERIALIZABLE,
                            LEVEL_CAUSAL) ROW(G2_ITEM_PROCESS, SESSION_SERIALIZABLE, false, 2,
                                              LEVEL_SERIALIZABLE, LEVEL_STRICT_SNAPSHOT)
                            ROW(G2_PROCESS, SESSION_SERIALIZABLE, false, 2, LEVEL_SERIALIZABLE,
                                LEVEL_STRICT_SNAPSHOT) ROW(G0_REALTIME, STRICT_SNAPSHOT, true, 2,
                                                           LEVEL_SESSION_SERIALIZABLE, LEVEL_PREFIX)
                                ROW(G1C_REALTIME, STRICT_SNAPSHOT, false, 2,
                                    LEVEL_SESSION_SERIALIZABLE,
                                    LEVEL_PREFIX) ROW(G_SINGLE_REALTIME, STRICT_SNAPSHOT, false, 2,
                                                      LEVEL_SESSION_SERIALIZABLE, LEVEL_PREFIX)
                                    ROW(G_NONADJACENT_REALTIME, STRICT_SNAPSHOT, false, 2,
                                        LEVEL_SESSION_SERIALIZABLE, LEVEL_PREFIX)
                                        ROW(G2_ITEM_REALTIME, STRICT_SERIALIZABLE, false, 2,
                                            LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SNAPSHOT)
                                            ROW(G2_REALTIME, STRICT_SERIALIZABLE, false, 2,
                                                LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SNAPSHOT)
                                                ROW(INTERNAL, READ_ATOMIC, false, 1,
                                                    LEVEL_READ_COMMITTED)
                                                    ROW(GARBAGE_READ, READ_COMMITTED, false, 1,
                                                        LEVEL_READ_UNCOMMITTED)
                                                        ROW(FUTURE_READ, READ_COMMITTED, false, 1,
                                                            LEVEL_READ_UNCOMMITTED)
                                                            ROW(DUPLICATE_WRITE, COUNT, true, 1,
                                                                LEVEL_STRICT_SERIALIZABLE)
    /* The oracle does not judge reads at read-uncommitted, which these are ruled out at. */
    ROW(DUPLICATE_ELEMENTS, READ_COMMITTED, false, 0, LEVEL_COUNT)
        ROW(CYCLIC_VERSIONS, READ_COMMITTED, false, 0, LEVEL_COUNT)
            ROW(LOST_UPDATE, SNAPSHOT, false, 1, LEVEL_PREFIX)
                ROW(DIRTY_UPDATE, READ_COMMITTED, false, 1, LEVEL_READ_UNCOMMITTED)
                    ROW(INCOMPATIBLE_ORDER, READ_COMMITTED, false, 1, LEVEL_READ_UNCOMMITTED)
                        ROW(RESULT_SET_MISMATCH, SERIALIZABLE, true, 1, LEVEL_READ_UNCOMMITTED)
#undef ROW
};

static struct generate_options small_options(const struct workload *workload, enum anomaly kind,
                                             enum level level, uint64_t seed)
{
    struct generate_options options = generate_defaults(workload);

    options.transactions = 8;
    options.sessions = seed % 2 ? 5 : 2;
    options.keys = 1 + (int64_t)seed % 4;
    options.operations = 2;
    options.seed = seed;
    options.level = level;
    options.plant = kind;
    return options;
}

/* Calls the check for each workload that takes a kind, with a few seeds. */
static void for_each_plant(void (*check)(const struct expectation *, const struct workload *,
                                         uint64_t seed))
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (size_t i = 0; i < ROW_COUNT(expectations); i++)
        for (unsigned w = 0; w < count; w++)
            if (plant_possible(workloads[w], expectations[i].kind))
                for (uint64_t seed = 0; seed < fixture_rounds(4); seed++)
                    check(&expectations[i], workloads[w], seed);
}

/* Asked without a certificate, and answered so. */
static unsigned asked, judged;

static void assert_answer(enum oracle_answer expected, const struct history *history,
                          enum level level, struct oracle_options how, const char *what,
                          const struct generate_options *options)
{
    enum oracle_answer answer = oracle_decide(history, level, how);
    char label[300];

    snprintf(label, sizeof label, "%s: %s in %s, seed %llu, at %s: %s", what,
             anomaly_name(options->plant), options->workload->name,
             (unsigned long long)options->seed, level_name(level), oracle_answer_name(answer));
    asked += !how.use_certificate;
    judged += !how.use_certificate && answer != ORACLE_CANNOT_JUDGE;
    if (how.use_certificate || answer != ORACLE_CANNOT_JUDGE)
        TEST_ASSERT_EQUAL_MESSAGE(expected, answer, label);
}

/* An order that keeps real time keeps sessions, too: they run one transaction after another. */
static enum level with_sessions(enum level level)
{
    if (level == LEVEL_STRICT_SERIALIZABLE)
        return LEVEL_SESSION_SERIALIZABLE;
    return level == LEVEL_STRICT_SNAPSHOT ? LEVEL_SESSION_SNAPSHOT : level;
}

static void check_levels(const struct expectation *e, const struct workload *workload,
                         uint64_t seed)
{
    struct generate_options options =
        small_options(workload, e->kind, LEVEL_STRICT_SERIALIZABLE, seed);
    struct oracle_options certified = { .use_certificate = true };
    struct history history;
    struct planted planted;

    ASSERT_OK(generate(&options, &history, &planted, &err), &err);
    ASSERT_OK(history_check(&history, &err), &err);
    TEST_ASSERT_EQUAL(8, history.txn_count);
    for (int level = 0; level < LEVEL_COUNT && e->from < LEVEL_COUNT; level++)
        if (level_implies(with_sessions((enum level)level), e->from) || level_implies((enum level)level, e->from))
            assert_answer(ORACLE_VIOLATED, &history, (enum level)level, certified, "planted",
                          &options);
    for (unsigned i = 0; i < e->hold_count; i++)
        assert_answer(ORACLE_HOLDS, &history, e->holds[i], certified, "planted", &options);
    if (!e->needs_certificate || (workload->shape == SHAPE_LISTS && e->from < LEVEL_COUNT))
        assert_answer(ORACLE_VIOLATED, &history, e->from,
                      (struct oracle_options){ .steps_max = 50000 }, "black box", &options);
    history_close(&history);
}

static void a_plant_violates_the_levels_of_its_kind_and_no_others(void)
{
    asked = judged = 0;
    for_each_plant(check_levels);
    TEST_ASSERT_GREATER_THAN_MESSAGE(0, asked, "without a certificate");
    TEST_ASSERT_GREATER_THAN_MESSAGE(asked / 2, judged, "without a certificate");
}

static void check_rest(const struct expectation *e, const struct workload *workload, uint64_t seed)
{
    struct generate_options options =
        small_options(workload, e->kind, LEVEL_STRICT_SERIALIZABLE, seed);
    struct oracle_options certified = { .use_certificate = true };
    struct history history, rest;
    struct planted planted;

    ASSERT_OK(generate(&options, &history, &planted, &err), &err);
    ASSERT_OK(history_without(&history, planted.ids, planted.count, &rest, &err), &err);
    TEST_ASSERT_EQUAL(history.txn_count - planted.count, rest.txn_count);
    for (int level = 0; level < LEVEL_COUNT; level++)
        assert_answer(ORACLE_HOLDS, &rest, (enum level)level, certified, "the rest", &options);
    history_close(&history);
    history_close(&rest);
}

static void without_the_planted_transactions_no_anomaly_remains(void)
{
    for_each_plant(check_rest);
}

/* The weakest level that rules the kind out leaves the others the most freedom. */
static void check_weakest(const struct expectation *e, const struct workload *workload,
                          uint64_t seed)
{
    struct generate_options options = small_options(workload, e->kind, LEVEL_COUNT, seed);
    struct oracle_options certified = { .use_certificate = true };
    struct history history, rest;
    struct planted planted;

    TEST_ASSERT_TRUE(anomaly_weakest_level(e->kind, &options.level));
    ASSERT_OK(generate(&options, &history, &planted, &err), &err);
    if (e->from == options.level)
        assert_answer(ORACLE_VIOLATED, &history, options.level, certified, "planted", &options);
    ASSERT_OK(history_without(&history, planted.ids, planted.count, &rest, &err), &err);
    assert_answer(ORACLE_HOLDS, &rest, options.level, certified, "the rest", &options);
    history_close(&history);
    history_close(&rest);
}

static void a_plant_stands_out_at_the_weakest_level_that_rules_it_out(void)
{
    for_each_plant(check_weakest);
}

/* Names that weak levels and single keys give to what other kinds are too. */
static bool is_another_name(int kind)
{
    return kind >= ANOMALY_CYCLIC_CO && kind <= ANOMALY_NOT_LINEARIZABLE;
}

static void every_kind_of_a_history_can_be_planted_somewhere(void)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (int kind = 0; kind < ANOMALY_COUNT; kind++) {
        enum level level;
        unsigned takers = 0;
        bool is_expected = false;

        for (unsigned w = 0; w < count; w++)
            takers += plant_possible(workloads[w], (enum anomaly)kind);
        for (size_t i = 0; i < ROW_COUNT(expectations); i++)
            is_expected |= (int)expectations[i].kind == kind;
        if (!is_another_name(kind))
            TEST_ASSERT_EQUAL_MESSAGE(anomaly_weakest_level((enum anomaly)kind, &level),
                                      takers > 0, anomaly_name((enum anomaly)kind));
        TEST_ASSERT_EQUAL_MESSAGE(takers > 0, is_expected, anomaly_name((enum anomaly)kind));
    }
}

static bool is_planted(const struct planted *planted, int64_t id)
{
    for (unsigned i = 0; i < planted->count; i++)
        if (planted->ids[i] == id)
            return true;
    return false;
}

static bool is_item(uint8_t kind)
{
    return kind <= OP_REMOVE || kind >= OP_ROW_READ;
}

/* A mark for each key: 1, planted transactions touch it; 2, others do. */
static uint8_t *mark_keys(const struct history *history, const struct planted *planted)
{
    uint8_t *marks = calloc(history->key_count, 1);

    TEST_ASSERT_NOT_NULL(marks);
    for (uint32_t t = 0; t < history->txn_count; t++)
        for (uint32_t op = history->txn_op[t]; op < history->txn_op[t + 1]; op++)
            if (is_item(history->op_kind[op]))
                marks[history->op_key[op]] |= is_planted(planted, history->txn_id[t]) ? 1 : 2;
    return marks;
}

static void others_leave_the_keys_of_a_plant_alone(void)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    for (unsigned w = 0; w < count; w++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct generate_options options = generate_defaults(workloads[w]);
            struct history history;
            struct planted planted;
            uint8_t *marks;
            unsigned own = 0;

            options.transactions = 2000;
            options.keys = 20;
            options.seed = seed;
            options.plant = ANOMALY_G0;
            ASSERT_OK(generate(&options, &history, &planted, &err), &err);
            marks = mark_keys(&history, &planted);
            for (size_t key = 0; key < history.key_count; key++) {
                TEST_ASSERT_TRUE_MESSAGE(marks[key] != 3, workloads[w]->name);
                own += marks[key] == 1;
            }
            TEST_ASSERT_EQUAL(2, own);
            free(marks);
            history_close(&history);
        }
}

static void a_plant_is_in_the_middle_and_in_sessions_that_go_on(void)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct generate_options options = generate_defaults(workload_find(TEXT("rw-mix")));
        struct history history;
        struct planted planted;

        options.transactions = 1000;
        options.seed = seed;
        options.plant = ANOMALY_G_NONADJACENT_PROCESS;
        ASSERT_OK(generate(&options, &history, &planted, &err), &err);
        TEST_ASSERT_EQUAL(ANOMALY_G_NONADJACENT_PROCESS, planted.kind);
        TEST_ASSERT_EQUAL(4, planted.count);
        TEST_ASSERT_EQUAL(20, history.session_count);
        for (unsigned i = 0; i < planted.count; i++) {
            TEST_ASSERT_TRUE(planted.ids[i] > 200 && planted.ids[i] < 850);
            TEST_ASSERT_TRUE(i == 0 || planted.ids[i] > planted.ids[i - 1]);
        }
        history_close(&history);
    }
}

static void around_a_plant_the_certificate_is_true(void)
{
    static const char *const workloads[] = { "rw-mix", "predicate-mix", "list-append",
                                             "blindw-rw+" };

    for (size_t i = 0; i < ROW_COUNT(workloads); i++)
        for (int level = LEVEL_SNAPSHOT; level < LEVEL_COUNT; level++) {
            struct generate_options options =
                generate_defaults(workload_find(text_of(workloads[i])));
            struct history history, rest;
            struct planted planted;
            const char *lie;

            options.transactions = 500;
            options.keys = 10;
            options.level = (enum level)level;
            options.plant = ANOMALY_G1C;
            ASSERT_OK(generate(&options, &history, &planted, &err), &err);
            ASSERT_OK(history_without(&history, planted.ids, planted.count, &rest, &err), &err);
            lie = replay_find_lie(&rest);
            TEST_ASSERT_NULL_MESSAGE(lie, lie);
            history_close(&history);
            history_close(&rest);
        }
}

/* This one breaks no rule of the certificate: so it must be true of all transactions together. */
static void ranges_of_keys_do_not_go_across_a_plant(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(10); seed++) {
        struct generate_options options = generate_defaults(workload_find(TEXT("blindw-rw+")));
        struct history history;
        struct planted planted;
        const char *lie;

        options.transactions = 300;
        options.keys = 30;
        options.seed = seed;
        options.plant = ANOMALY_G_SINGLE_REALTIME;
        ASSERT_OK(generate(&options, &history, &planted, &err), &err);
        lie = replay_find_lie(&history);
        TEST_ASSERT_NULL_MESSAGE(lie, lie);
        history_close(&history);
    }
}

static void what_cannot_be_planted_is_refused_with_the_reason(void)
{
    static const struct {
        const char *workload;
        enum anomaly kind;
        enum level level;
        int64_t transactions;
        const char *error;
    } rows[] = {
        { "rw-mix", ANOMALY_G2, LEVEL_STRICT_SERIALIZABLE, 100,
          "G2 cannot be planted in rw-mix, only in: predicate-mix, blindw-rw+" },
        { "blindw-w", ANOMALY_DUPLICATE_ELEMENTS, LEVEL_STRICT_SERIALIZABLE, 100,
          "duplicate-elements cannot be planted in blindw-w, only in: list-append" },
        { "rw-mix", ANOMALY_STUCK, LEVEL_STRICT_SERIALIZABLE, 100,
          "stuck is of a run: no history shows it" },
        { "rw-mix", ANOMALY_G2_ITEM, LEVEL_SNAPSHOT, 100,
          "G2-item is not ruled out at snapshot, where it may come by itself: "
          "ask for repeatable-read or stronger" },
        { "rw-mix", ANOMALY_G0_PROCESS, LEVEL_SERIALIZABLE, 100,
          "G0-process is not ruled out at serializable, where it may come by itself: "
          "ask for session-snapshot or stronger" },
        { "rw-mix", ANOMALY_G_NONADJACENT, LEVEL_STRICT_SERIALIZABLE, 3,
          "G-nonadjacent takes 4 transactions" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct generate_options options =
            generate_defaults(workload_find(text_of(rows[i].workload)));
        struct history history;
        struct planted planted;

        options.plant = rows[i].kind;
        options.level = rows[i].level;
        options.transactions = rows[i].transactions;
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, generate(&options, &history, &planted, &err),
                                  rows[i].error);
        TEST_ASSERT_EQUAL_STRING(rows[i].error, err.text);
    }
}

static void a_history_of_nothing_but_a_plant_can_be_made(void)
{
    struct generate_options options = generate_defaults(workload_find(TEXT("list-append")));
    struct history history;
    struct planted planted;

    options.transactions = 4;
    options.plant = ANOMALY_INCOMPATIBLE_ORDER;
    ASSERT_OK(generate(&options, &history, &planted, &err), &err);
    TEST_ASSERT_EQUAL(4, planted.count);
    TEST_ASSERT_EQUAL(4, history.txn_count);
    history_close(&history);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_plant_violates_the_levels_of_its_kind_and_no_others);
    RUN_TEST(without_the_planted_transactions_no_anomaly_remains);
    RUN_TEST(a_plant_stands_out_at_the_weakest_level_that_rules_it_out);
    RUN_TEST(every_kind_of_a_history_can_be_planted_somewhere);
    RUN_TEST(others_leave_the_keys_of_a_plant_alone);
    RUN_TEST(a_plant_is_in_the_middle_and_in_sessions_that_go_on);
    RUN_TEST(around_a_plant_the_certificate_is_true);
    RUN_TEST(ranges_of_keys_do_not_go_across_a_plant);
    RUN_TEST(what_cannot_be_planted_is_refused_with_the_reason);
    RUN_TEST(a_history_of_nothing_but_a_plant_can_be_made);
    return UNITY_END();
}
