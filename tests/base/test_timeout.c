#include "base/timeout.h"

#include <time.h>

#include "base/thread.h"
#include "tests/fixture.h"
#include "unity.h"

static struct timeout timeout;
static struct error err;

void setUp(void) {}

void tearDown(void)
{
    timeout_end(&timeout);
}

static void seconds_are_decimals(void)
{
    static const struct {
        const char *text;
        int64_t ns; /* 0: refused */
    } rows[] = {
        { "10", INT64_C(10000000000) },
        { "0.5", 500000000 },
        { "0.000000001", 1 },
        { "31622399", INT64_C(31622399000000000) }, /* a second less than a leap year */
        { "31622400", 0 },
        { "0", 0 },
        { "0.0000000009", 0 },
        { "-1", 0 },
        { "1e3", 0 },
        { "10s", 0 },
        { "", 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        int64_t ns = 0;
        bool is_taken = timeout_of_text(text_of(rows[i].text), &ns);

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].ns > 0, is_taken, rows[i].text);
        if (is_taken)
            TEST_ASSERT_EQUAL_INT64_MESSAGE(rows[i].ns, ns, rows[i].text);
    }
}

static void without_a_limit_there_is_nothing_to_look_at(void)
{
    ASSERT_OK(timeout_begin(&timeout, 0, &err), &err);
    TEST_ASSERT_NULL(timeout_stop(&timeout));
    TEST_ASSERT_FALSE(timeout_is_over(&timeout));
}

static void who_looks_sees_that_the_time_is_over(void)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    const atomic_bool *stop;
    int moments = 0;

    ASSERT_OK(timeout_begin(&timeout, 1000000, &err), &err);
    stop = timeout_stop(&timeout);
    TEST_ASSERT_NOT_NULL(stop);
    while (!atomic_load(stop) && moments++ < 60000) /* a minute, on the slowest machine */
        nanosleep(&moment, NULL);
    TEST_ASSERT_TRUE(atomic_load(stop));
    TEST_ASSERT_TRUE(timeout_is_over(&timeout));
}

static void who_is_done_in_time_does_not_wait_for_the_end(void)
{
    ASSERT_OK(timeout_begin(&timeout, INT64_C(3600000000000), &err), &err);
    timeout_end(&timeout);
    TEST_ASSERT_FALSE(timeout_is_over(&timeout));
}

static void every_machine_has_a_core(void)
{
    TEST_ASSERT_GREATER_OR_EQUAL(1, thread_core_count());
    TEST_ASSERT_LESS_OR_EQUAL(THREAD_COUNT_MAX, thread_core_count());
}

static void note(void *context)
{
    atomic_store((atomic_bool *)context, true);
}

static void a_backstop_is_called_if_the_work_goes_on(void)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    atomic_bool was_called = false;
    struct timeout_backstop backstop = { NULL, 1000000, note, &was_called };

    ASSERT_OK(timeout_begin_strictly(&timeout, 1000000, backstop, &err), &err);
    for (int moments = 0; !atomic_load(&was_called) && moments < 10000; moments++)
        nanosleep(&moment, NULL);
    TEST_ASSERT_TRUE(atomic_load(&was_called));
    TEST_ASSERT_TRUE_MESSAGE(timeout_is_over(&timeout), "the flag comes first");
}

static void a_backstop_is_not_called_if_the_work_ends_when_it_sees_the_flag(void)
{
    const struct timespec moment = { .tv_nsec = 1000000 };
    atomic_bool was_called = false;
    struct timeout_backstop backstop = { NULL, INT64_C(3600000000000), note, &was_called };

    ASSERT_OK(timeout_begin_strictly(&timeout, 1000000, backstop, &err), &err);
    for (int moments = 0; !timeout_is_over(&timeout) && moments < 10000; moments++)
        nanosleep(&moment, NULL);
    timeout_end(&timeout);
    TEST_ASSERT_FALSE(atomic_load(&was_called));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(seconds_are_decimals);
    RUN_TEST(without_a_limit_there_is_nothing_to_look_at);
    RUN_TEST(who_looks_sees_that_the_time_is_over);
    RUN_TEST(who_is_done_in_time_does_not_wait_for_the_end);
    RUN_TEST(every_machine_has_a_core);
    RUN_TEST(a_backstop_is_called_if_the_work_goes_on);
    RUN_TEST(a_backstop_is_not_called_if_the_work_ends_when_it_sees_the_flag);
    return UNITY_END();
}
