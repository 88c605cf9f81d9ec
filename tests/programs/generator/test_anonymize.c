#include "tests/programs/generator/anonymize.h"

#include <stdio.h>
#include <stdlib.h>

#include "programs/generator/generate.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static struct history disguised(const struct history *h, bool sessions, bool orders, uint64_t seed)
{
    struct anonymize_options options = { .sessions = sessions,
                                        .version_orders = orders,
                                        .times = orders,
                                        .seed = seed };
    struct history other;

    ASSERT_OK(anonymize_history(h, &options, &other, &err), &err);
    ASSERT_OK(history_check(&other, &err), &err);
    return other;
}

static void verdicts_stay(void)
{
    static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
                                         LEVEL_SNAPSHOT, LEVEL_SESSION_SNAPSHOT,
                                         LEVEL_READ_COMMITTED, LEVEL_STRICT_SERIALIZABLE };
    unsigned answers[3] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(400); seed++) {
        struct small_options small = small_options_of_seed(seed);
        enum level level = levels[seed % ROW_COUNT(levels)];
        struct oracle_options how = { .steps_max = 200000 };
        enum oracle_answer first, second;
        struct history h, other;
        char label[60];

        small.predicates = small.certificate = false;
        small.times = true;
        small_history(&small, seed, &h);
        other = disguised(&h, true, true, seed);
        first = oracle_decide(&h, level, how);
        second = oracle_decide(&other, level, how);
        snprintf(label, sizeof label, "seed %llu at %s", (unsigned long long)seed,
                 level_name(level));
        if (first != ORACLE_CANNOT_JUDGE && second != ORACLE_CANNOT_JUDGE)
            TEST_ASSERT_EQUAL_MESSAGE(first, second, label);
        answers[first]++;
        history_close(&h);
        history_close(&other);
    }
    TEST_ASSERT_GREATER_THAN(50, answers[ORACLE_HOLDS]);
    TEST_ASSERT_GREATER_THAN(50, answers[ORACLE_VIOLATED]);
}

static struct history generated(void)
{
    struct generate_options options = generate_defaults(workload_find(TEXT("cobra-heavy")));
    struct planted planted;
    struct history h;

    options.transactions = 2000;
    ASSERT_OK(generate(&options, &h, &planted, &err), &err);
    return h;
}

static uint32_t count_ops(const struct history *h, uint8_t kind)
{
    uint32_t count = 0;

    for (size_t op = 0; op < h->op_count; op++)
        count += h->op_kind[op] == kind;
    return count;
}

/* How many neighbours in the file stand as their numbers do: of all of them, or of half. */
static size_t count_rises(const struct history *h, bool of_values)
{
    size_t rises = 0;

    for (size_t t = 0; t + 1 < h->txn_count; t++)
        rises += of_values ? h->op_value[h->txn_op[t]] < h->op_value[h->txn_op[t + 1]]
                           : h->txn_id[t] < h->txn_id[t + 1];
    return rises;
}

static void nothing_tells_the_order(void)
{
    struct history h = generated(), other = disguised(&h, false, false, 3);

    TEST_ASSERT_EQUAL(h.txn_count, other.txn_count);
    TEST_ASSERT_EQUAL(h.txn_count, other.session_count);
    TEST_ASSERT_EQUAL(count_ops(&h, OP_READ), count_ops(&other, OP_READ));
    TEST_ASSERT_EQUAL(count_ops(&h, OP_WRITE), count_ops(&other, OP_WRITE));
    TEST_ASSERT_NULL(other.txn_ts);
    TEST_ASSERT_NULL(other.txn_snapshot);
    TEST_ASSERT_NULL(other.txn_invoked);
    TEST_ASSERT_NULL(other.op_invoked);
    TEST_ASSERT_EQUAL(0, other.set_count);
    TEST_ASSERT_EQUAL(0, other.order_count);
    TEST_ASSERT_EQUAL(h.txn_count - 1, count_rises(&h, false));
    TEST_ASSERT_UINT_WITHIN(150, 1000, count_rises(&other, false));
    TEST_ASSERT_UINT_WITHIN(150, 1000, count_rises(&other, true));
    history_close(&h);
    history_close(&other);
}

/* Sessions are recognised by how many transactions they have, in the order of the file. */
static void sessions_keep_their_order(void)
{
    struct history h, other;
    int64_t last = 0;

    notation_read("T1 s1: w x 1; T2 s2: w y 1; T3 s1: w x 2, r z _; T4 s1: w x 3, r z _, r z _",
                  &h);
    for (uint64_t seed = 0; seed < 20; seed++) {
        other = disguised(&h, true, false, seed);
        last = 0;
        TEST_ASSERT_EQUAL(2, other.session_count);
        for (size_t t = 0; t < other.txn_count; t++) {
            int64_t ops = other.txn_op[t + 1] - other.txn_op[t];
            struct text key = history_key(&other, other.op_key[other.txn_op[t]]);
            if (key.at[0] == 'x')
                TEST_ASSERT_EQUAL(++last, ops);
        }
        TEST_ASSERT_EQUAL(3, last);
        history_close(&other);
    }
    history_close(&h);
}

static void version_orders_stay_if_they_are_wanted(void)
{
    struct history h = generated(), other = disguised(&h, true, true, 5);

    TEST_ASSERT_EQUAL(h.order_count, other.order_count);
    TEST_ASSERT_EQUAL(h.order_version_count, other.order_version_count);
    for (size_t i = 0; i < other.order_count; i++) {
        uint32_t key = history_find_key(&h, history_key(&other, other.order_key[i]));
        uint32_t order = h.key_order[key];
        TEST_ASSERT_EQUAL(h.order_start[order + 1] - h.order_start[order],
                          other.order_start[i + 1] - other.order_start[i]);
    }
    history_close(&h);
    history_close(&other);
}

static void rows_are_refused(void)
{
    struct anonymize_options options = { .seed = 1 };
    struct history h, other;

    notation_read("T1: ins {7=12}; T2: sel * {7=12}", &h);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, anonymize_history(&h, &options, &other, &err));
    history_close(&h);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(verdicts_stay);
    RUN_TEST(nothing_tells_the_order);
    RUN_TEST(sessions_keep_their_order);
    RUN_TEST(version_orders_stay_if_they_are_wanted);
    RUN_TEST(rows_are_refused);
    return UNITY_END();
}
