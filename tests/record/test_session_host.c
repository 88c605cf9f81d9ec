#include "record/session_host.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/record/process_state.h"
#include "unity.h"

/* A library whose sessions count their steps, and answer with the count and their process. */
struct counting {
    int64_t steps;
};

static enum status counting_open(void **session, void *server, uint32_t client, struct error *err)
{
    if (client == 2)
        return error_set(err, STATUS_IO, "client 2 is not welcome");
    *session = calloc(1, sizeof(struct counting));
    ((struct counting *)*session)->steps = *(int64_t *)server;
    return STATUS_OK;
}

static enum status counting_step(void *session, const struct database_step *step,
                                 struct database_answer *answer, struct database_step_answer *taken,
                                 struct error *err)
{
    struct counting *c = session;

    if (step->kind == STEP_ABORT)
        return error_set(err, STATUS_BAD_INPUT, "nothing is rolled back here");
    if (step->kind == STEP_COMMIT) {
        answer->end = STEPS_REFUSED;
        answer->code[0] = 'X';
        return STATUS_OK;
    }
    return database_answer_row(
        answer, taken, (struct builtin_row){ step->request.key, c->steps++, getpid() }, err);
}

static enum status counting_steps(void *session, const struct database_step *steps, uint32_t count,
                                  struct database_answer *answer, struct error *err)
{
    return database_each_step(counting_step, session, steps, count, answer, err);
}

static const struct session_calls calls = { counting_open, counting_steps, free };
static const struct database_step request = { .kind = STEP_REQUEST,
                                              .request = { .kind = BUILTIN_READ, .key = 7 } };

static struct session_host host;
static struct database_answer answer;
static struct error err;
static void *sessions[2];
static int64_t first = 100;

void setUp(void)
{
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, session_host_start(&host, &calls, &first, 2, &err),
                              err.text);
    first = 500; /* what the processes have is older */
    for (uint32_t i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, session_host_open(&sessions[i], &host, i, &err),
                                  err.text);
}

void tearDown(void)
{
    for (int i = 0; i < 2; i++)
        session_host_close(sessions[i]);
    session_host_stop(&host);
    database_answer_close(&answer);
    answer = (struct database_answer){ .xid = 0 };
    first = 100;
}

static void ask(int number, const struct database_step *steps, uint32_t count)
{
    database_answer_clear(&answer);
    TEST_ASSERT_EQUAL_MESSAGE(
        STATUS_OK, session_host_steps(sessions[number], steps, count, &answer, &err), err.text);
}

static void each_session_is_in_a_process_of_its_own(void)
{
    int64_t pids[2];

    for (int i = 0; i < 2; i++) {
        ask(i, &request, 1);
        TEST_ASSERT_EQUAL(STEPS_DONE, answer.end);
        TEST_ASSERT_EQUAL_UINT64(1, answer.rows.count);
        TEST_ASSERT_EQUAL_UINT64(7, answer.rows.at[0].key);
        TEST_ASSERT_EQUAL_INT64(100, answer.rows.at[0].value);
        TEST_ASSERT_TRUE(answer.steps.at[0].is_there);
        TEST_ASSERT_TRUE(answer.steps.at[0].invoked_ns <= answer.steps.at[0].completed_ns);
        pids[i] = answer.rows.at[0].tag;
        TEST_ASSERT_NOT_EQUAL(getpid(), pids[i]);
    }
    TEST_ASSERT_NOT_EQUAL(pids[0], pids[1]);
    ask(0, &request, 1);
    TEST_ASSERT_EQUAL_INT64(101, answer.rows.at[0].value);
}

static void refusals_and_errors_come_through(void)
{
    const struct database_step steps[] = { request, { .kind = STEP_COMMIT } };
    const struct database_step wrong = { .kind = STEP_ABORT };

    ask(0, steps, 2);
    TEST_ASSERT_EQUAL(STEPS_REFUSED, answer.end);
    TEST_ASSERT_EQUAL_STRING("X", answer.code);
    TEST_ASSERT_EQUAL_UINT32(1, answer.step_count);
    database_answer_clear(&answer);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, session_host_steps(sessions[0], &wrong, 1, &answer, &err));
    TEST_ASSERT_EQUAL_STRING("nothing is rolled back here", err.text);
}

static void a_session_that_cannot_be_opened_says_why(void)
{
    void *session = NULL;

    TEST_ASSERT_EQUAL(STATUS_IO, session_host_open(&session, &host, 2, &err));
    TEST_ASSERT_EQUAL_STRING("client 2 is not welcome", err.text);
    session_host_close(session);
}

static void a_killed_session_is_lost_and_the_others_go_on(void)
{
    session_host_signal(&host, 0, SIGKILL);
    ask(0, &request, 1);
    TEST_ASSERT_EQUAL(STEPS_LOST, answer.end);
    ask(1, &request, 1);
    TEST_ASSERT_EQUAL(STEPS_DONE, answer.end);
    session_host_close(sessions[0]);
    TEST_ASSERT_EQUAL(STATUS_OK, session_host_open(&sessions[0], &host, 0, &err));
    ask(0, &request, 1);
    TEST_ASSERT_EQUAL_INT64(100, answer.rows.at[0].value);
}

static void a_stopped_session_ends_with_the_host(void)
{
    pid_t pid;

    ask(0, &request, 1);
    pid = (pid_t)answer.rows.at[0].tag;
    session_host_signal(&host, 0, SIGSTOP);
    session_host_close(sessions[0]);
    session_host_close(sessions[1]);
    session_host_stop(&host);
    first = 100;
    setUp(); /* tearDown() closes it */
    for (int i = 0; i < 500 && !has_ended(pid); i++)
        usleep(10000);
    TEST_ASSERT_TRUE(has_ended(pid));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_session_is_in_a_process_of_its_own);
    RUN_TEST(refusals_and_errors_come_through);
    RUN_TEST(a_session_that_cannot_be_opened_says_why);
    RUN_TEST(a_killed_session_is_lost_and_the_others_go_on);
    RUN_TEST(a_stopped_session_ends_with_the_host);
    return UNITY_END();
}
