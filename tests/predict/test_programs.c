/* Predictions of what programs do: observed, validated, and executed again. */
#include "predict/semantic.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static const char accounts[] =
    "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL);\n"
    "CREATE FUNCTION load(n bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN FOR i IN 1..n LOOP INSERT INTO accounts VALUES (i, 10); END LOOP; END $$;\n"
    "CREATE FUNCTION deposit(who bigint, amount bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE b bigint;\n"
    "BEGIN SELECT balance INTO b FROM accounts WHERE id = who;\n"
    "UPDATE accounts SET balance = b + amount WHERE id = who; END $$;\n"
    "CREATE FUNCTION withdraw(who bigint, amount bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE b bigint;\n"
    "BEGIN SELECT balance INTO b FROM accounts WHERE id = who;\n"
    "IF b < amount THEN RAISE EXCEPTION 'not enough'; END IF;\n"
    "UPDATE accounts SET balance = b - amount WHERE id = who; END $$;\n"
    "CREATE FUNCTION take_one(who bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE s bigint;\n"
    "BEGIN SELECT sum(balance) INTO s FROM accounts;\n"
    "IF s >= 20 THEN UPDATE accounts SET balance = balance - 15 WHERE id = who; END IF; END $$;\n"
    "CREATE TABLE votes (phone bigint PRIMARY KEY, n bigint NOT NULL);\n"
    "CREATE FUNCTION vote(p bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE c bigint;\n"
    "BEGIN SELECT count(*) INTO c FROM votes WHERE phone = p;\n"
    "IF c < 1 THEN INSERT INTO votes VALUES (p, 1); END IF; END $$;\n"
    "CREATE TABLE slips (id bigint PRIMARY KEY, at bigint NOT NULL);\n"
    "CREATE FUNCTION file_slip(who bigint, desk bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE b bigint;\n"
    "BEGIN SELECT balance INTO b FROM accounts WHERE id = who;\n"
    "UPDATE accounts SET balance = b + 1 WHERE id = who;\n"
    "INSERT INTO slips VALUES (b * 10 + desk, desk); END $$;\n"
    "CREATE TABLE ballots (id bigint PRIMARY KEY, phone bigint NOT NULL);\n"
    "CREATE FUNCTION cast_ballot(i bigint, p bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "DECLARE c bigint;\n"
    "BEGIN SELECT count(*) INTO c FROM ballots WHERE phone = p;\n"
    "IF c < 1 THEN INSERT INTO ballots VALUES (i, p); END IF; END $$;\n";

static struct program program;
static struct call_log call_log;
static struct predict_calls calls;
static struct history history;
static struct arena arena;
static struct dataflow observed;
static struct buffer text;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    ASSERT_OK(arena_init(&arena, ARENA_UNLIMITED, &err), &err);
    ASSERT_OK(program_load(&program, text_of(accounts), &err), &err);
}

void tearDown(void)
{
    history_close(&history);
    predict_calls_close(&calls);
    call_log_close(&call_log);
    program_close(&program);
    arena_close(&arena);
    buffer_close(&text);
}

/* "deposit 1 5" of session 0, and so on. */
static void observe(const char *const *lines)
{
    struct source source;

    buffer_clear(&text);
    buffer_print(&text, "{\"ordeal-log\":1,\"load\":\"load(2)\"}\n");
    for (int i = 0; lines[i]; i++) {
        char function[20], first[20], second[20];
        int session,
            count = sscanf(lines[i], "s%d %19s %19s %19s", &session, function, first, second);

        buffer_print(&text,
                     "{\"txn\":%d,\"session\":%d,\"call\":\"%s\",\"arguments\":[\"%s\"%s%s%s],"
                     "\"status\":\"ok\"}\n",
                     10 * i + 10, session, function, first, count > 3 ? ",\"" : "",
                     count > 3 ? second : "", count > 3 ? "\"" : "");
    }
    ASSERT_OK(source_open_memory(&source, "log", text.at, text.count, &err), &err);
    ASSERT_OK(call_log_read(&call_log, &source, &err), &err);
    source_close(&source);
    ASSERT_OK(predict_calls_init(&calls, &program, &call_log, &err), &err);
    ASSERT_OK(predict_calls_observe(&calls, &history, &err), &err);
    ASSERT_OK(dataflow_of_history(&observed, &history, &arena, &err), &err);
}

#define OBSERVE(...) observe((const char *const[]){ __VA_ARGS__, NULL })

static struct predict_options options_of(enum level level, enum predict_strategy strategy)
{
    return (struct predict_options){ .level = level, .strategy = strategy };
}

static void calls_are_observed_one_after_another(void)
{
    OBSERVE("s0 deposit 1 5", "s1 deposit 1 7", "s0 take_one 2");
    fixture_print_dataflow(&observed, &text);
    TEST_ASSERT_EQUAL_STRING(
        "T10: r accounts/1 init, r accounts/1 init, w accounts/1 | "
        "T20: r accounts/1 T10, r accounts/1 T10, w accounts/1 | "
        "T30: r accounts/1 T20, r accounts/2 init, r accounts/2 init, w accounts/2",
        text.at);
}

static void is_validated_as(enum validation_kind kind, enum level level,
                            enum predict_strategy strategy)
{
    struct predict_options options = options_of(level, strategy);
    struct validation validation;
    struct prediction prediction;

    ASSERT_OK(predict_native(&observed, &options, &arena, &prediction, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, prediction.kind);
    ASSERT_OK(validate(&calls, &observed, &prediction, &options, &arena, &validation, &err), &err);
    TEST_ASSERT_EQUAL_MESSAGE(kind, validation.kind, validation.reason);
    validation_close(&validation);
}

static void a_lost_update_is_predicted_and_happens(void)
{
    OBSERVE("s0 deposit 1 5", "s1 deposit 1 7");
    is_validated_as(VALIDATION_VALIDATED, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    is_validated_as(VALIDATION_VALIDATED, LEVEL_READ_COMMITTED, STRATEGY_APPROX_RELAXED);
}

/* Each takes if both accounts together have enough: one after another only the first does. */
static void write_skew_is_predicted_at_snapshot_and_happens(void)
{
    struct predict_options options = options_of(LEVEL_SNAPSHOT, STRATEGY_SEMANTIC);
    struct semantic_result result;

    OBSERVE("s0 take_one 1", "s1 take_one 2");
    ASSERT_OK(predict_semantic(&calls, &observed, &options, &arena, &result, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, result.prediction.kind);
    TEST_ASSERT_EQUAL_MESSAGE(VALIDATION_VALIDATED, result.validation.kind,
                              result.validation.reason);
    semantic_close(&result);
}

/* The number on the slip is read, so that with an older one another row is written. */
static void a_prediction_that_guesses_another_row_is_validated_as_another_execution(void)
{
    OBSERVE("s0 file_slip 1 1", "s1 file_slip 1 2");
    is_validated_as(VALIDATION_DIVERGED, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
}

/* Figure 9 of the paper: with the older balance the withdrawal fails, and nothing is left that is not serializable. */
static void a_transaction_that_aborts_with_other_reads_is_no_prediction_of_the_semantic_strategy(
    void)
{
    struct predict_options options = options_of(LEVEL_CAUSAL, STRATEGY_SEMANTIC);
    struct semantic_result result;

    OBSERVE("s0 deposit 1 50", "s1 withdraw 1 60");
    is_validated_as(VALIDATION_NOT_REPRODUCED, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    ASSERT_OK(predict_semantic(&calls, &observed, &options, &arena, &result, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_NONE, result.prediction.kind);
    TEST_ASSERT_FALSE(result.has_more);
    semantic_close(&result);
}

/* Only the first vote writes; a second one would if it did not see the first. The paper's strategies find nothing. */
static void a_second_vote_is_found_by_the_semantic_strategy_alone(void)
{
    struct predict_options options = options_of(LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    struct semantic_result result;
    struct prediction prediction;

    OBSERVE("s0 vote 7", "s1 vote 7", "s2 vote 7");
    ASSERT_OK(predict_native(&observed, &options, &arena, &prediction, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_NONE, prediction.kind);
    options.strategy = STRATEGY_SEMANTIC;
    ASSERT_OK(predict_semantic(&calls, &observed, &options, &arena, &result, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, result.prediction.kind);
    TEST_ASSERT_TRUE(result.is_validated);
    TEST_ASSERT_EQUAL_MESSAGE(VALIDATION_VALIDATED, result.validation.kind,
                              result.validation.reason);
    semantic_close(&result);
}

/* The second ballot is a row that nobody wrote when it was observed, and all who count ballots have not seen it. */
static void a_row_that_only_another_execution_writes_is_looked_at_by_all_who_would_have_seen_it(
    void)
{
    struct predict_options options = options_of(LEVEL_CAUSAL, STRATEGY_SEMANTIC);
    struct semantic_result result;

    OBSERVE("s0 cast_ballot 1 7", "s1 cast_ballot 2 7", "s2 cast_ballot 3 7");
    ASSERT_OK(predict_semantic(&calls, &observed, &options, &arena, &result, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, result.prediction.kind);
    TEST_ASSERT_EQUAL_MESSAGE(VALIDATION_VALIDATED, result.validation.kind,
                              result.validation.reason);
    semantic_close(&result);
}

static void a_lost_update_is_found_by_the_semantic_strategy_at_causal_and_not_at_snapshot(void)
{
    struct predict_options options = options_of(LEVEL_CAUSAL, STRATEGY_SEMANTIC);
    struct semantic_result result;

    OBSERVE("s0 deposit 1 5", "s1 deposit 1 7");
    ASSERT_OK(predict_semantic(&calls, &observed, &options, &arena, &result, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_FOUND, result.prediction.kind);
    TEST_ASSERT_EQUAL_MESSAGE(VALIDATION_VALIDATED, result.validation.kind,
                              result.validation.reason);
    semantic_close(&result);
    options.level = LEVEL_SNAPSHOT;
    ASSERT_OK(predict_semantic(&calls, &observed, &options, &arena, &result, &err), &err);
    TEST_ASSERT_EQUAL(PREDICTION_NONE, result.prediction.kind);
    semantic_close(&result);
}

static void another_history_than_that_of_the_calls_is_refused(void)
{
    struct predict_options options = options_of(LEVEL_CAUSAL, STRATEGY_SEMANTIC);
    struct semantic_result result;

    OBSERVE("s0 deposit 1 5", "s1 deposit 1 7", "s0 deposit 2 1");
    for (uint32_t e = 0; e < observed.event_count; e++)
        if (observed.events[e].writer == 0)
            observed.events[e].writer = 2;
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      predict_semantic(&calls, &observed, &options, &arena, &result, &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "the programs do not do what the history says"));
    semantic_close(&result);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(calls_are_observed_one_after_another);
    RUN_TEST(a_lost_update_is_predicted_and_happens);
    RUN_TEST(write_skew_is_predicted_at_snapshot_and_happens);
    RUN_TEST(a_prediction_that_guesses_another_row_is_validated_as_another_execution);
    RUN_TEST(a_transaction_that_aborts_with_other_reads_is_no_prediction_of_the_semantic_strategy);
    RUN_TEST(a_second_vote_is_found_by_the_semantic_strategy_alone);
    RUN_TEST(a_row_that_only_another_execution_writes_is_looked_at_by_all_who_would_have_seen_it);
    RUN_TEST(a_lost_update_is_found_by_the_semantic_strategy_at_causal_and_not_at_snapshot);
    RUN_TEST(another_history_than_that_of_the_calls_is_refused);
    return UNITY_END();
}
