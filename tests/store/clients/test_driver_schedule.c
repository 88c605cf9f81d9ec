/*
 * A schedule by hand: the test is the clients, the store and the clock. Its tables are empty, so
 * that every read is answered with nothing.
 */
#include "store/clients/driver_schedule.h"

#include <string.h>

#include "base/array.h"
#include "tests/fixture.h"
#include "tests/store/clients/driven_store.h"
#include "unity.h"

#define MILLISECOND INT64_C(1000000)
#define STEPS_MAX 16
#define SESSIONS 2

static const char tables[] = "CREATE TABLE test (id bigint PRIMARY KEY, value bigint);\n"
                             "CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$\n"
                             "BEGIN INSERT INTO test VALUES (1, 10); END; $$;\n";

struct step_row {
    uint32_t session; /* from 1 */
    const char *what;
    unsigned expected;
    const char *rows; /* or NULL */
};

#define OK (1u << SCHEDULE_OK)
#define BLOCKED (1u << SCHEDULE_BLOCKED)

static struct program program;
static struct driven_store store;
static struct driver_program *by_program;
static struct driver_schedule *schedule;
static const struct driver *driver;
static struct schedule_step steps[STEPS_MAX];
static struct arena arena; /* the store has the fixture's */
static struct random_key key;
static int64_t now_ns;
static uint64_t txns[SESSIONS];
static struct error err;

void setUp(void)
{
    now_ns = 0;
    err = (struct error){ 0 };
    memset(steps, 0, sizeof steps);
    ASSERT_OK(arena_init(&arena, (size_t)16 << 20, &err), &err);
    ASSERT_OK(program_load(&program, text_of(tables), &err), &err);
}

void tearDown(void)
{
    driver_schedule_close(schedule);
    driver_program_close(by_program);
    driven_close(&store);
    program_close(&program);
    arena_close(&arena);
    schedule = NULL;
}

static int64_t clock_now(void *context)
{
    (void)context;
    return now_ns;
}

static void make_step(const struct step_row *row, struct schedule_step *step)
{
    static const char *const acts[] = { "begin", "commit", "abort", "await" };
    struct program_statement statement = { text_of(row->what), 7 };

    *step = (struct schedule_step){ .session = row->session - 1,
                                    .session_name = row->session == 1 ? TEXT("1") : TEXT("bob"),
                                    .act = SCHEDULE_STATEMENT,
                                    .sql = text_of(row->what),
                                    .line = 7,
                                    .expected = row->expected,
                                    .has_rows = row->rows != NULL,
                                    .rows = row->rows ? text_of(row->rows) : TEXT("") };
    for (int i = 0; i < 4; i++)
        if (strcmp(row->what, acts[i]) == 0)
            step->act = (enum schedule_act)i;
    if (step->act != SCHEDULE_STATEMENT)
        return;
    step->function = program.tree.function_count;
    ASSERT_OK(program_add_statements(&program, &statement, 1, &err), &err);
}

static enum status open_schedule(const struct step_row *rows, uint32_t count)
{
    struct driver_program_options under = { .program = &program, .is_directed = true,
                                            .clients = SESSIONS, .attempts = 1, .key = &key };
    struct driver_schedule_options options = { .steps = steps, .step_count = count,
                                               .sessions = SESSIONS, .now_ns = clock_now };
    enum status status;

    for (uint32_t i = 0; i < count; i++)
        make_step(&rows[i], &steps[i]);
    key = random_key_of_seed(1);
    ASSERT_OK(driver_program_open(&by_program, &under, &arena, &err), &err);
    driven_open(&store, driver_program_schema(by_program), driver_program_shapes(by_program), "x",
                false);
    ASSERT_OK(driver_program_load(by_program, &store.catalog, driven_add_row, &store, &err), &err);
    status = driver_schedule_open(&schedule, &options, by_program, &program, &arena, &err);
    driver = driver_schedule_driver(schedule);
    return status;
}

#define OPEN(rows) ASSERT_OK(open_schedule(rows, ROW_COUNT(rows)), &err)

/* --- Being a client --------------------------------------------------------------------------- */

static int64_t rest_of(uint32_t session)
{
    return driver->rest_ns(driver->context, session - 1);
}

static void begin(uint32_t session)
{
    TEST_ASSERT_EQUAL_INT64(0, rest_of(session));
    TEST_ASSERT_TRUE(driver->begin(driver->context, session - 1, 0, 0));
    txns[session - 1] = record_begin(store.record, session - 1, now_ns);
}

static enum intent_kind ask(uint32_t session)
{
    return driver->next(driver->context, session - 1).kind;
}

static void answer(uint32_t session)
{
    struct driver_answer nothing = { .record = store.record, .txn = txns[session - 1] };

    nothing.op.invoked_ns = nothing.op.completed_ns = now_ns;
    driver->answered(driver->context, session - 1, &nothing);
}

static void end(uint32_t session, enum txn_status status)
{
    record_end(store.record, txns[session - 1], status, now_ns);
    driver->ended(driver->context, session - 1, status, txns[session - 1]);
}

static void abort_request(uint32_t session)
{
    struct driver_answer nothing = { .record = store.record, .txn = txns[session - 1] };

    nothing.op = (struct record_op){ .invoked_ns = now_ns, .completed_ns = TIME_NEVER };
    driver->unanswered(driver->context, session - 1, &nothing);
    end(session, TXN_ABORT);
}

static void start(void)
{
    now_ns = 2000 * MILLISECOND;
}

static void check_outcome(uint32_t step, enum schedule_outcome outcome)
{
    TEST_ASSERT_EQUAL_STRING(
        store_schedule_outcome_name(outcome),
        store_schedule_outcome_name(driver_schedule_result(schedule, step - 1).outcome));
}

static const char *complaint(uint32_t step)
{
    static char text[500];
    struct buffer sentence = { 0 };
    bool is_right = driver_schedule_check(schedule, step - 1, &sentence);

    TEST_ASSERT_EQUAL(is_right, sentence.count == 0);
    memcpy(text, sentence.at ? sentence.at : "", sentence.count);
    text[sentence.count] = '\0';
    buffer_close(&sentence);
    return text;
}

/* --- What happens when ------------------------------------------------------------------------ */

#define READ_ALL "SELECT id, value FROM test"

static void a_schedule_begins_when_shards_have_their_leaders(void)
{
    static const struct step_row rows[] = { { 1, "begin", 0, NULL }, { 1, "commit", 0, NULL } };

    OPEN(rows);
    TEST_ASSERT_GREATER_THAN(0, rest_of(1));
    start();
    begin(1);
    check_outcome(1, SCHEDULE_OK);
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(1));
    end(1, TXN_OK);
    check_outcome(2, SCHEDULE_OK);
    TEST_ASSERT_EQUAL_INT64(0, rest_of(1));
    TEST_ASSERT_FALSE(driver->begin(driver->context, 0, 1, 0));
}

static void a_step_begins_when_the_one_before_has_answered(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL },  { 2, "begin", 0, NULL }, { 1, READ_ALL, 0, NULL },
        { 2, READ_ALL, 0, NULL }, { 1, "commit", 0, NULL }, { 2, "commit", 0, NULL },
    };

    OPEN(rows);
    start();
    TEST_ASSERT_GREATER_THAN(0, rest_of(2));
    begin(1);
    begin(2);
    TEST_ASSERT_EQUAL(INTENT_WAIT, ask(2));
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    TEST_ASSERT_EQUAL(INTENT_WAIT, ask(2));
    answer(1);
    TEST_ASSERT_EQUAL(INTENT_WAIT, ask(1));
    check_outcome(3, SCHEDULE_OK);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(2));
}

static void without_an_answer_for_a_second_a_step_is_blocked(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL },  { 2, "begin", 0, NULL },  { 1, READ_ALL, BLOCKED, NULL },
        { 2, "commit", 0, NULL }, { 1, "await", OK, "" },   { 1, "commit", 0, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    begin(2);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    now_ns += 999 * MILLISECOND;
    TEST_ASSERT_EQUAL(INTENT_WAIT, ask(2));
    check_outcome(3, SCHEDULE_NOT_DONE);
    now_ns += MILLISECOND;
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(2));
    check_outcome(3, SCHEDULE_BLOCKED);
    end(2, TXN_OK);
    answer(1);
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(1));
    end(1, TXN_OK);
    check_outcome(3, SCHEDULE_BLOCKED);
    check_outcome(5, SCHEDULE_OK);
    TEST_ASSERT_TRUE(driver_schedule_result(schedule, 4).has_rows);
    for (uint32_t i = 1; i <= ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_STRING("", complaint(i));
}

static void what_stands_behind_a_blocked_step_is_blocked_with_it(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL },  { 2, "begin", 0, NULL },  { 1, READ_ALL, 0, NULL },
        { 1, READ_ALL, 0, NULL }, { 1, "commit", 0, NULL }, { 2, "commit", 0, NULL },
        { 1, "await", 0, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    begin(2);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    now_ns += 1000 * MILLISECOND;
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(2));
    check_outcome(4, SCHEDULE_BLOCKED);
    check_outcome(5, SCHEDULE_BLOCKED);
    end(2, TXN_OK);
    answer(1);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    answer(1);
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(1));
    end(1, TXN_OK);
    TEST_ASSERT_EQUAL_INT64(0, rest_of(1));
    check_outcome(7, SCHEDULE_OK);
}

static void an_await_is_blocked_when_it_waits_a_second_in_vain(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL }, { 2, "begin", 0, NULL },  { 1, READ_ALL, 0, NULL },
        { 1, "await", 0, NULL }, { 2, "commit", 0, NULL }, { 1, "commit", 0, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    begin(2);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    now_ns += 1000 * MILLISECOND;
    TEST_ASSERT_EQUAL(INTENT_WAIT, ask(2));
    now_ns += 1000 * MILLISECOND;
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(2));
    check_outcome(4, SCHEDULE_BLOCKED);
}

static void an_aborted_session_skips_to_its_next_begin(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL },   { 1, READ_ALL, OK, NULL }, { 1, READ_ALL, OK, NULL },
        { 1, "commit", OK, NULL }, { 1, "begin", 0, NULL },   { 1, "abort", OK, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    abort_request(1);
    check_outcome(2, SCHEDULE_ABORTED);
    begin(1);
    check_outcome(3, SCHEDULE_SKIPPED);
    check_outcome(4, SCHEDULE_SKIPPED);
    TEST_ASSERT_EQUAL(INTENT_ABORT, ask(1));
    end(1, TXN_ABORT);
    check_outcome(6, SCHEDULE_OK);
    TEST_ASSERT_EQUAL_STRING("step 2 (session 1, \"SELECT id, value FROM test\"): "
                             "expected ok, was aborted",
                             complaint(2));
    TEST_ASSERT_EQUAL_STRING("", complaint(3));
}

static void an_await_says_that_what_was_blocked_is_aborted(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL },  { 2, "begin", 0, NULL },  { 1, READ_ALL, 0, NULL },
        { 1, "commit", 0, NULL }, { 2, "commit", 0, NULL }, { 1, "await", 0, NULL },
        { 1, "await", 0, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    begin(2);
    TEST_ASSERT_EQUAL(INTENT_READ, ask(1));
    now_ns += 1000 * MILLISECOND;
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(2));
    end(2, TXN_OK);
    abort_request(1);
    TEST_ASSERT_EQUAL_INT64(0, rest_of(1));
    check_outcome(3, SCHEDULE_BLOCKED);
    check_outcome(4, SCHEDULE_BLOCKED);
    check_outcome(6, SCHEDULE_ABORTED);
    check_outcome(7, SCHEDULE_SKIPPED);
}

static void a_statement_that_fails_aborts_its_transaction(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL }, { 1, "SELECT 1 / 0 AS x", 0, NULL }, { 1, "commit", 0, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    TEST_ASSERT_EQUAL(INTENT_ABORT, ask(1));
    end(1, TXN_ABORT);
    check_outcome(2, SCHEDULE_ABORTED);
    TEST_ASSERT_EQUAL_INT64(0, rest_of(1));
    check_outcome(3, SCHEDULE_SKIPPED);
}

static void a_commit_may_be_aborted_or_never_answered(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL }, { 1, "commit", 0, NULL },  { 1, "begin", 0, NULL },
        { 1, "commit", OK, NULL },
    };

    OPEN(rows);
    start();
    begin(1);
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(1));
    end(1, TXN_ABORT);
    check_outcome(2, SCHEDULE_ABORTED);
    begin(1);
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(1));
    end(1, TXN_UNKNOWN);
    TEST_ASSERT_EQUAL_STRING("step 4 (session 1, \"commit\"): expected ok, was unknown",
                             complaint(4));
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Without tables nothing is asked: all of a statement's rows are its own. */
static void check_rows(const char *sql, const char *given, const char *wanted)
{
    struct step_row rows[] = {
        { 1, "begin", 0, NULL }, { 1, sql, 0, wanted }, { 1, "commit", 0, NULL }
    };
    struct schedule_result result;

    OPEN(rows);
    start();
    begin(1);
    TEST_ASSERT_EQUAL(INTENT_COMMIT, ask(1));
    result = driver_schedule_result(schedule, 1);
    TEST_ASSERT_TRUE(result.has_rows);
    TEST_ASSERT_EQUAL_STRING_LEN(given, result.rows.at, result.rows.length);
    TEST_ASSERT_EQUAL(strlen(given), result.rows.length);
    end(1, TXN_OK);
}

static void values_are_written_as_json(void)
{
    check_rows("SELECT 1, 'a \"pear\"', true, NULL, 2.50, timestamp '2000-01-01 00:00:00', "
               "ARRAY[1, 2]",
               "[1,\"a \\\"pear\\\"\",true,[],2.50,\"2000-01-01 00:00:00\",\"{1,2}\"]\n", NULL);
}

static void rows_that_differ_are_named(void)
{
    check_rows("SELECT 1, 'x'", "[1,\"x\"]\n", "[1,\"y\"]\n[2,\"x\"]\n");
    TEST_ASSERT_EQUAL_STRING("step 2 (session 1, \"SELECT 1, 'x'\"): expected rows "
                             "[[1,\"y\"],[2,\"x\"]], was [[1,\"x\"]]",
                             complaint(2));
}

static void rows_that_are_right_are_not(void)
{
    check_rows("SELECT 1, 'x'", "[1,\"x\"]\n", "[1,\"x\"]\n");
    TEST_ASSERT_EQUAL_STRING("", complaint(2));
}

static void rows_of_what_gives_none_are_refused(void)
{
    static const struct step_row rows[] = {
        { 1, "begin", 0, NULL }, { 1, "DELETE FROM test", 0, "[1]\n" }, { 1, "commit", 0, NULL },
    };

    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, open_schedule(rows, ROW_COUNT(rows)));
    TEST_ASSERT_EQUAL_STRING("step 2 gives no rows", err.text);
    TEST_ASSERT_EQUAL_UINT64(7, err.line);
}

static void what_was_not_reached_is_said(void)
{
    static const struct step_row rows[] = {
        { 2, "begin", 0, NULL }, { 2, READ_ALL, 0, NULL }, { 2, "commit", 0, NULL },
    };

    OPEN(rows);
    TEST_ASSERT_EQUAL_STRING("step 3 (session bob, \"commit\"): was not done", complaint(3));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_schedule_begins_when_shards_have_their_leaders);
    RUN_TEST(a_step_begins_when_the_one_before_has_answered);
    RUN_TEST(without_an_answer_for_a_second_a_step_is_blocked);
    RUN_TEST(what_stands_behind_a_blocked_step_is_blocked_with_it);
    RUN_TEST(an_await_is_blocked_when_it_waits_a_second_in_vain);
    RUN_TEST(an_aborted_session_skips_to_its_next_begin);
    RUN_TEST(an_await_says_that_what_was_blocked_is_aborted);
    RUN_TEST(a_statement_that_fails_aborts_its_transaction);
    RUN_TEST(a_commit_may_be_aborted_or_never_answered);
    RUN_TEST(values_are_written_as_json);
    RUN_TEST(rows_that_differ_are_named);
    RUN_TEST(rows_that_are_right_are_not);
    RUN_TEST(rows_of_what_gives_none_are_refused);
    RUN_TEST(what_was_not_reached_is_said);
    return UNITY_END();
}
