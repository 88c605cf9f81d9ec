#include "trial/sweep/workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/wall_clock.h"
#include "tests/fixture.h"
#include "unity.h"

static struct workers workers;
static struct error err;
static char before[] = "did ";
static int *fails_left; /* of all processes together: tries of "kill", "crash" and "starve" */

/* Sleeps for the milliseconds behind "sleep "; says what it was told; knows some ways to end. */
static enum status work(void *context, struct text job, struct buffer *answer, struct error *why)
{
    int ms;

    if (sscanf(job.at, "sleep %d", &ms) == 1) {
        struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };
        nanosleep(&pause, NULL);
    }
    if (text_equal(job, TEXT("refuse")))
        return error_set(why, STATUS_BAD_INPUT, "not this one");
    if (text_equal(job, TEXT("abort"))) {
        fputs("last words\nand more\n", stderr);
        signal(SIGABRT, SIG_DFL);
        abort();
    }
    if (text_equal(job, TEXT("exit")))
        _exit(7);
    if (text_equal(job, TEXT("late")))
        _exit(3);
    if (*fails_left > 0 && (text_equal(job, TEXT("kill")) || text_equal(job, TEXT("crash")) ||
                            text_equal(job, TEXT("starve")))) {
        --*fails_left;
        if (job.at[0] == 's')
            return error_set(why, STATUS_OVER_LIMIT, "no memory for it");
        signal(SIGABRT, SIG_DFL);
        raise(job.at[0] == 'k' ? SIGKILL : SIGABRT);
    }
    if (*fails_left > 0 && text_equal(job, TEXT("part"))) {
        --*fails_left;
        memory_tell_failures(memory_failures());
        buffer_print(answer, "without a part");
        return STATUS_OK;
    }
    if (text_equal(job, TEXT("pid"))) {
        buffer_print(answer, "%ld", (long)getpid());
        return STATUS_OK;
    }
    if (text_equal(job, TEXT("long"))) {
        for (int i = 0; i < 100000; i++)
            buffer_print(answer, "%d,", i);
        return STATUS_OK;
    }
    buffer_print(answer, "%s%.*s", (const char *)context, (int)job.length, job.at);
    return STATUS_OK;
}

static void open_workers(struct workers_options options)
{
    options.work = work;
    options.context = before;
    ASSERT_OK(workers_open(&workers, &options, &err), &err);
}

void setUp(void)
{
    memset(&err, 0, sizeof err);
    memset(&workers, 0, sizeof workers);
    if (!fails_left)
        fails_left = mmap(NULL, sizeof *fails_left, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TEST_ASSERT_TRUE(fails_left != MAP_FAILED);
    *fails_left = 0;
}

void tearDown(void)
{
    workers_close(&workers);
}

static void submit(const char *job)
{
    ASSERT_OK(workers_submit(&workers, text_of(job), &err), &err);
}

static const struct work *next(void)
{
    const struct work *got;

    ASSERT_OK(workers_next(&workers, -1, &got, &err), &err);
    return got;
}

static void assert_answer(const char *expected, const struct work *got)
{
    TEST_ASSERT_NOT_NULL(got);
    TEST_ASSERT_EQUAL(WORK_DONE, got->end);
    TEST_ASSERT_EQUAL_UINT64(strlen(expected), got->answer.count);
    TEST_ASSERT_EQUAL_MEMORY(expected, got->answer.at, got->answer.count);
}

static void every_job_has_its_answer(void)
{
    bool seen[50] = { false };
    int left = 50;

    open_workers((struct workers_options){ .count = 3 });
    for (int i = 0; i < 50; i++) {
        char job[20];
        snprintf(job, sizeof job, "job %d", i);
        submit(job);
    }
    for (const struct work *got; (got = next()) != NULL; left--) {
        char expected[30];
        snprintf(expected, sizeof expected, "did job %d", (int)got->number);
        assert_answer(expected, got);
        TEST_ASSERT_FALSE(seen[got->number]);
        seen[got->number] = true;
    }
    TEST_ASSERT_EQUAL_INT(0, left);
}

static void in_order_a_slow_job_holds_back_those_behind_it(void)
{
    open_workers((struct workers_options){ .count = 2, .in_order = true });
    submit("sleep 60");
    submit("b");
    submit("c");
    assert_answer("did sleep 60", next());
    assert_answer("did b", next());
    assert_answer("did c", next());
    TEST_ASSERT_NULL(next());
}

static void as_they_are_done_a_slow_job_holds_back_nobody(void)
{
    open_workers((struct workers_options){ .count = 2 });
    submit("sleep 200");
    submit("b");
    assert_answer("did b", next());
    assert_answer("did sleep 200", next());
}

static void waiting_ends_in_time(void)
{
    const struct work *got;

    open_workers((struct workers_options){ .count = 1 });
    submit("sleep 300");
    ASSERT_OK(workers_next(&workers, 10, &got, &err), &err);
    TEST_ASSERT_NULL(got);
    TEST_ASSERT_EQUAL_UINT64(1, workers_pending(&workers));
    assert_answer("did sleep 300", next());
}

static void a_refusal_comes_with_its_reason(void)
{
    const struct work *got;

    open_workers((struct workers_options){ .count = 1 });
    submit("refuse");
    got = next();
    TEST_ASSERT_EQUAL(WORK_REFUSED, got->end);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, got->error.status);
    TEST_ASSERT_EQUAL_STRING("not this one", got->error.text);
}

static void a_crash_is_an_answer_and_the_work_goes_on(void)
{
    const struct work *got;

    open_workers((struct workers_options){ .count = 1, .in_order = true });
    submit("abort");
    submit("after");
    submit("exit");
    got = next();
    TEST_ASSERT_EQUAL(WORK_DIED, got->end);
    TEST_ASSERT_EQUAL_INT(SIGABRT, got->signal);
    TEST_ASSERT_EQUAL_STRING("last words", got->last_words);
    assert_answer("did after", next());
    got = next();
    TEST_ASSERT_EQUAL(WORK_DIED, got->end);
    TEST_ASSERT_EQUAL_INT(0, got->signal);
    TEST_ASSERT_EQUAL_INT(7, got->exit_status);
}

static void a_job_that_the_machine_fails_is_tried_again(void)
{
    static const struct {
        const char *job;
        int fails;
    } rows[] = { { "kill", 1 }, { "kill", 3 }, { "starve", 1 }, { "starve", 3 }, { "crash", 1 } };

    open_workers((struct workers_options){ .count = 1, .in_order = true });
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char expected[20];
        uint64_t before_this = workers.tried_again;

        *fails_left = rows[i].fails;
        snprintf(expected, sizeof expected, "did %s", rows[i].job);
        submit(rows[i].job);
        submit("next");
        assert_answer(expected, next());
        assert_answer("did next", next());
        TEST_ASSERT_EQUAL_UINT64(before_this + (unsigned)rows[i].fails, workers.tried_again);
    }
}

static void a_job_that_the_machine_fails_each_time_is_not_judged(void)
{
    static const struct {
        const char *job, *why;
        int signal;
    } rows[] = {
        { "kill", "its process was killed by SIGKILL; tried 4 times", SIGKILL },
        { "starve", "no memory for it; tried 4 times", 0 },
    };

    open_workers((struct workers_options){ .count = 2, .in_order = true });
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct work *got;

        *fails_left = 1000;
        submit(rows[i].job);
        got = next();
        TEST_ASSERT_EQUAL(WORK_NOT_JUDGED, got->end);
        TEST_ASSERT_EQUAL_STRING(rows[i].why, got->error.text);
        TEST_ASSERT_EQUAL_INT(rows[i].signal, got->signal);
        TEST_ASSERT_EQUAL_INT(1000 - WORK_TRIES_MAX, *fails_left);
        submit("next");
        assert_answer("did next", next());
    }
}

/* A process that says itself that its time is over would say so again. */
/* In a proof, a checker that found no memory counted as one that missed the bug. */
static void an_answer_that_lacks_a_part_is_asked_for_again(void)
{
    static const struct {
        const char *label;
        int fails;
        bool wants_all;
        const char *answer; /* NULL: it is not judged */
    } rows[] = {
        { "once", 1, false, "did part" },
        { "three times", 3, false, "did part" },
        { "each time", 4, false, "without a part" },
        { "three times, where all is wanted", 3, true, "did part" },
        { "each time, where all is wanted", 4, true, NULL },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct work *got;

        *fails_left = rows[i].fails;
        open_workers((struct workers_options){ .wants_all = rows[i].wants_all });
        submit("part");
        got = next();
        if (rows[i].answer) {
            assert_answer(rows[i].answer, got);
        } else {
            TEST_ASSERT_EQUAL_MESSAGE(WORK_NOT_JUDGED, got->end, rows[i].label);
            TEST_ASSERT_EQUAL_STRING("out of memory; tried 4 times", got->error.text);
        }
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(3 < rows[i].fails ? 3 : rows[i].fails, workers.tried_again,
                                         rows[i].label);
        workers_close(&workers);
    }
}

static void a_job_that_ends_undecided_is_not_tried_again(void)
{
    const struct work *got;

    open_workers((struct workers_options){ .count = 1 });
    submit("late");
    got = next();
    TEST_ASSERT_EQUAL(WORK_NOT_JUDGED, got->end);
    TEST_ASSERT_EQUAL_STRING("its process ended with exit status 3", got->error.text);
    TEST_ASSERT_EQUAL_UINT64(0, workers.tried_again);
}

static void a_job_that_takes_longer_than_it_may_is_not_judged(void)
{
    const struct work *got;

    open_workers((struct workers_options){ .count = 2, .job_ns = 50000000, .job_late = "so late" });
    submit("sleep 100000");
    submit("x");
    assert_answer("did x", next());
    got = next();
    TEST_ASSERT_EQUAL(WORK_NOT_JUDGED, got->end);
    TEST_ASSERT_EQUAL_STRING("so late", got->error.text);
    TEST_ASSERT_EQUAL_UINT64(0, workers.tried_again);
    submit("y");
    assert_answer("did y", next());
}

static void what_is_not_done_when_all_time_is_over_is_not_judged(void)
{
    open_workers((struct workers_options){ .count = 1,
                                           .until_ns = wall_clock_ns() + 50000000,
                                           .until_late = "all was over" });
    submit("sleep 100000");
    submit("sleep 100000");
    for (int i = 0; i < 2; i++) {
        const struct work *got = next();

        TEST_ASSERT_EQUAL(WORK_NOT_JUDGED, got->end);
        TEST_ASSERT_EQUAL_STRING("all was over", got->error.text);
    }
}

static void answers_may_be_longer_than_a_pipe(void)
{
    const struct work *got;

    open_workers((struct workers_options){ .count = 2 });
    submit("long");
    submit("long");
    for (int i = 0; i < 2; i++) {
        got = next();
        TEST_ASSERT_EQUAL(WORK_DONE, got->end);
        TEST_ASSERT_GREATER_THAN_UINT64(500000, got->answer.count);
        TEST_ASSERT_EQUAL_MEMORY("99999,", got->answer.at + got->answer.count - 6, 6);
    }
}

static void a_worker_for_each_job_where_that_is_wanted(void)
{
    char first[20];
    const struct work *got;

    open_workers((struct workers_options){ .count = 1, .jobs_max = 1 });
    submit("pid");
    submit("pid");
    got = next();
    snprintf(first, sizeof first, "%.*s", (int)got->answer.count, got->answer.at);
    got = next();
    TEST_ASSERT_FALSE(got->answer.count == strlen(first) &&
                      memcmp(got->answer.at, first, got->answer.count) == 0);
}

static void what_is_cancelled_never_comes(void)
{
    open_workers((struct workers_options){ .count = 2, .in_order = true });
    submit("sleep 100000");
    submit("sleep 100000");
    submit("x");
    TEST_ASSERT_FALSE(workers_want_jobs(&workers));
    workers_cancel(&workers);
    TEST_ASSERT_EQUAL_UINT64(0, workers_pending(&workers));
    TEST_ASSERT_TRUE(workers_want_jobs(&workers));
    TEST_ASSERT_NULL(next());
    submit("y");
    assert_answer("did y", next());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_job_has_its_answer);
    RUN_TEST(in_order_a_slow_job_holds_back_those_behind_it);
    RUN_TEST(as_they_are_done_a_slow_job_holds_back_nobody);
    RUN_TEST(waiting_ends_in_time);
    RUN_TEST(a_refusal_comes_with_its_reason);
    RUN_TEST(a_crash_is_an_answer_and_the_work_goes_on);
    RUN_TEST(a_job_that_the_machine_fails_is_tried_again);
    RUN_TEST(a_job_that_the_machine_fails_each_time_is_not_judged);
    RUN_TEST(an_answer_that_lacks_a_part_is_asked_for_again);
    RUN_TEST(a_job_that_ends_undecided_is_not_tried_again);
    RUN_TEST(a_job_that_takes_longer_than_it_may_is_not_judged);
    RUN_TEST(what_is_not_done_when_all_time_is_over_is_not_judged);
    RUN_TEST(answers_may_be_longer_than_a_pipe);
    RUN_TEST(a_worker_for_each_job_where_that_is_wanted);
    RUN_TEST(what_is_cancelled_never_comes);
    return UNITY_END();
}
