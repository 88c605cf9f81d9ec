#include "checkers/interval/interval_model.h"

#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/interval/structure_checks.h"
#include "unity.h"

#define BYTES_MAX 4096 /* of a key that few transactions use at a time */

/* What the model holds of keys, however long they are used. */
static struct error err;
static struct interval_model model;

void setUp(void)
{
    err = (struct error){ 0 };
    interval_model_init(&model, profile_find(TEXT("postgresql/serializable")), 0);
}

void tearDown(void)
{
    interval_model_close(&model);
}

/* A transaction that does one thing, within ten from `at`. */
static void pass(enum interval_trace_kind kind, uint32_t key, uint64_t value, int64_t at)
{
    struct trace_op op = { .invoked = at,
                           .completed = at + 5,
                           .value = value,
                           .key = key,
                           .kind = (uint8_t)kind };
    struct interval_trace trace = { .id = at,
                                    .invoked = at,
                                    .completed = at + 10,
                                    .number = (uint32_t)at,
                                    .status = TXN_OK,
                                    .ops = &op,
                                    .op_count = 1 };

    ASSERT_OK(interval_model_advance(&model, at, &err), &err);
    ASSERT_OK(interval_model_add(&model, &trace, &err), &err);
    if (at % 1000 == 0)
        structure_check_model(&model);
}

static void expect_nothing_found(void)
{
    ASSERT_OK(interval_model_end(&model, SIZE_MAX, &err), &err);
    TEST_ASSERT_EQUAL(0, model.finding_count);
}

/* Its readers were let go only when somebody wrote it, and of many keys nobody ever does. */
static void a_key_that_is_only_read_does_not_keep_who_read_it(void)
{
    for (int64_t i = 0; i < 20000; i++)
        pass(TRACE_READ, 3, 0, 20 * i);
    TEST_ASSERT_LESS_THAN(BYTES_MAX, structure_key_bytes(&model, 3));
    expect_nothing_found();
}

static void nor_does_one_that_is_written_keep_what_was_overwritten(void)
{
    for (int64_t i = 0; i < 20000; i++) {
        pass(TRACE_WRITE, 3, (uint64_t)i + 1, 40 * i);
        pass(TRACE_READ, 3, (uint64_t)i + 1, 40 * i + 20);
    }
    TEST_ASSERT_LESS_THAN(400, model.versions.count);
    TEST_ASSERT_LESS_THAN(BYTES_MAX, structure_key_bytes(&model, 3));
    expect_nothing_found();
}

/* What one key lets go, as a chain, others take place by place. */
static void keys_share_what_is_free(void)
{
    uint64_t value = 0;

    for (int64_t i = 0; i < 20000; i++)
        pass(TRACE_WRITE, (uint32_t)(i % 7), ++value, 20 * i);
    TEST_ASSERT_LESS_THAN(400, model.versions.count);
    for (uint32_t key = 0; key < 7; key++) /* the last seven writes were in their order */
        pass(TRACE_READ, (uint32_t)((20000 + key) % 7), value - 6 + key, 500000 + 20 * key);
    expect_nothing_found();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_key_that_is_only_read_does_not_keep_who_read_it);
    RUN_TEST(nor_does_one_that_is_written_keep_what_was_overwritten);
    RUN_TEST(keys_share_what_is_free);
    return UNITY_END();
}
