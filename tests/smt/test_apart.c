#include "smt/apart.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static int calls; /* in this process */

void setUp(void)
{
    err = (struct error){ 0 };
    calls = 0;
}

void tearDown(void) {}

/* Ends as the name says. */
static enum status work(void *context, void *result, struct error *why)
{
    const char *name = context;
    uint64_t *number = result;

    calls++;
    if (strcmp(name, "refuse") == 0)
        return error_set(why, STATUS_BAD_INPUT, "not this one");
    if (strcmp(name, "abort") == 0) {
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (strcmp(name, "exit") == 0)
        _exit(127);
    if (strcmp(name, "starve") == 0)
        memory_note_failure();
    while (strcmp(name, "wait") == 0) {
        *number = 3;
        pause();
    }
    *number += 7; /* it begins with 0 */
    return STATUS_OK;
}

static struct apart apart_for(const char *name)
{
    return (struct apart){ .library = "It", .work = work, .context = (void *)(uintptr_t)name,
                           .size = sizeof(uint64_t) };
}

static void a_result_comes_back_and_nothing_else(void)
{
    struct apart apart = apart_for("work");
    uint64_t number = 1;

    ASSERT_OK(apart_run(&apart, &number, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(7, number);
    TEST_ASSERT_EQUAL_INT(0, calls);
    TEST_ASSERT_FALSE(apart.is_stopped);
}

static void however_it_ends_the_caller_goes_on(void)
{
    static const struct {
        const char *name;
        enum status status;
        const char *text;
    } rows[] = {
        { "refuse", STATUS_BAD_INPUT, "not this one" },
        { "abort", STATUS_OVER_LIMIT, "It ended by signal 6: no memory, or a fault of its own" },
        { "exit", STATUS_OVER_LIMIT,
          "It ended with exit status 127: no memory, or a fault of its own" },
        { "starve", STATUS_OVER_LIMIT, "no memory for It" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct apart apart = apart_for(rows[i].name);
        uint64_t number = 1;

        TEST_ASSERT_EQUAL_MESSAGE(rows[i].status, apart_run(&apart, &number, &err), rows[i].name);
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(1, number, rows[i].name);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, memory_failures(), rows[i].name);
    }
}

static atomic_bool stop;

static void ring(int number)
{
    (void)number;
    atomic_store(&stop, true);
}

static void what_is_stopped_leaves_what_was_there_by_then(void)
{
    struct apart apart = apart_for("wait");
    uint64_t number = 1;

    apart.stop = &stop;
    signal(SIGALRM, ring);
    /* The sooner it is stopped, the less is there. */
    for (int seconds = 0; number != 3 && seconds < 20; seconds++) {
        atomic_store(&stop, seconds == 0);
        alarm((unsigned)seconds);
        ASSERT_OK(apart_run(&apart, &number, &err), &err);
        TEST_ASSERT_TRUE(apart.is_stopped);
        TEST_ASSERT_TRUE(number == 0 || number == 3);
    }
    TEST_ASSERT_EQUAL_UINT64(3, number);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_result_comes_back_and_nothing_else);
    RUN_TEST(however_it_ends_the_caller_goes_on);
    RUN_TEST(what_is_stopped_leaves_what_was_there_by_then);
    return UNITY_END();
}
