#include "predict/dataflow.h"

#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static struct buffer text;
static struct history history;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&text);
}

static void is_the_trace_of(const char *trace, const char *notation)
{
    struct dataflow t = fixture_dataflow(notation, &history, fixture_arena());

    fixture_print_dataflow(&t, &text);
    TEST_ASSERT_EQUAL_STRING(trace, text.at);
}

static void reads_name_their_writers_by_values_and_the_last_write_of_a_key_counts(void)
{
    is_the_trace_of("T1: w x | T2: r x T1, w z | T3: r x init",
                    "T1: w x 1, w x 2; T2: r x 2, w z 3, r z 3; T3: r x _, r y _");
}

static void a_write_stands_where_its_key_was_written_last(void)
{
    is_the_trace_of("T1: r y init, w x | T2: r x T1, w y",
                    "T1: w x 1, r y _, w x 2; T2: r x 2, w y 1");
}

static void aborted_transactions_are_out_and_unknown_ones_in_if_somebody_read_from_them(void)
{
    is_the_trace_of(
        "T2: w x | T4: r x T2, r z init",
        "T1 abort: w x 1; T2 unknown: r y 9, w x 2; T3 unknown: w z 1; T4: r x 2, r z _");
}

static void of_several_writers_of_a_value_the_last_before_the_reader_counts_and_it_is_a_guess(void)
{
    struct dataflow t =
        fixture_dataflow("T1: w x 1; T2: w x 1; T3: r x 1; T4: w x 1", &history, fixture_arena());

    fixture_print_dataflow(&t, &text);
    TEST_ASSERT_EQUAL_STRING("T1: w x | T2: w x | T3: r x T2 | T4: w x", text.at);
    TEST_ASSERT_EQUAL_UINT64(1, t.guessed);
}

static void a_version_set_says_which_of_them_it_was(void)
{
    is_the_trace_of("T1: w x | T2: w x | T3: r x T1", "T1: w x 1; T2: w x 1; T3: r x 1 from T1");
}

static void places_say_it_too(void)
{
    is_the_trace_of("T1: w x | T2: w x | T3: r x T1",
                    "T1 ts1: w x 1; T2 ts3: w x 1; T3 ts2: r x 1");
}

static void a_statement_reads_the_rows_that_it_did_not_return_and_that_some_version_of_may_match(
    void)
{
    is_the_trace_of(
        "T1: w t/1 | T2: w t/2 | T3: r t/2 init",
        "init t/1 1; init t/2 2; T1 ts1: w t/1 5; T2 ts3: w t/2 20; T3 ts2: sel v>=10 {}");
}

static void rows_that_no_version_of_matches_are_not_read(void)
{
    struct dataflow t =
        fixture_dataflow("init t/1 1; T1: w t/1 5; T2: sel v>=10 {}", &history, fixture_arena());

    fixture_print_dataflow(&t, &text);
    TEST_ASSERT_EQUAL_STRING("T1: w t/1 | T2", text.at);
    TEST_ASSERT_EQUAL_UINT64(0, t.unjudged);
}

static void a_statement_of_which_nobody_says_which_rows_it_passed_over_is_unjudged(void)
{
    struct dataflow t =
        fixture_dataflow("init t/1 1; T1: w t/1 15; T2: sel v>=10 {}", &history, fixture_arena());

    TEST_ASSERT_EQUAL_UINT64(1, t.unjudged);
}

static void a_statement_is_unjudged_once(void)
{
    struct dataflow t = fixture_dataflow("init t/1 1; init t/2 20; T1: w t/1 15; T2: w t/2 30; T3: upd v>=10 {2=40}",
                                         &history, fixture_arena());

    TEST_ASSERT_EQUAL_UINT64(1, t.unjudged);
}

static void an_update_reads_its_rows_before_it_writes_them(void)
{
    is_the_trace_of("T1: r t/1 init, w t/1 | T2: r t/1 T1, w t/1",
                    "init t/1 1; T1 ts1: upd v>=1 {1=5}; T2 ts2: upd v>=1 {1=6}");
}

static void an_insert_reads_nothing_unless_its_set_says_so(void)
{
    is_the_trace_of("T1: w t/1 | T2: r t/1 T1, w t/1",
                    "T1: ins {1=5}; T2: del id=1 {1} from t/1 T1; T3 abort: ins {1=5}");
}

static void a_read_of_a_value_that_nobody_left_is_refused(void)
{
    struct dataflow t;

    notation_read("T1: w x 1, w x 2; T2: r x 1", &history);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, dataflow_of_history(&t, &history, fixture_arena(), &err));
    TEST_ASSERT_EQUAL_STRING("T2 reads a value of x that no transaction left there", err.text);
}

static void lists_are_refused(void)
{
    struct dataflow t;

    notation_read("T1: a x 1", &history);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, dataflow_of_history(&t, &history, fixture_arena(), &err));
    TEST_ASSERT_NOT_NULL(strstr(err.text, "appends to a list"));
}

static void a_trace_as_a_history_has_the_same_trace(void)
{
    static const char notation[] =
        "T1 s1: w x 1, r y _; T2 s2: r x 1, w y 1, w x 1; T3 s1: r y 1, r x 1 from T2";
    struct dataflow first = fixture_dataflow(notation, &history, fixture_arena()), second;
    struct history as_items;
    struct buffer again = { 0 };

    fixture_print_dataflow(&first, &text);
    ASSERT_OK(dataflow_to_history(&first, &as_items, &err), &err);
    ASSERT_OK(dataflow_of_history(&second, &as_items, fixture_arena(), &err), &err);
    fixture_print_dataflow(&second, &again);
    TEST_ASSERT_EQUAL_STRING(text.at, again.at);
    TEST_ASSERT_EQUAL_UINT64(0, second.guessed);
    TEST_ASSERT_EQUAL_INT64(2, as_items.txn_id[1]);
    TEST_ASSERT_EQUAL_UINT32(as_items.txn_session[0], as_items.txn_session[2]);
    history_close(&as_items);
    buffer_close(&again);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(reads_name_their_writers_by_values_and_the_last_write_of_a_key_counts);
    RUN_TEST(a_write_stands_where_its_key_was_written_last);
    RUN_TEST(aborted_transactions_are_out_and_unknown_ones_in_if_somebody_read_from_them);
    RUN_TEST(of_several_writers_of_a_value_the_last_before_the_reader_counts_and_it_is_a_guess);
    RUN_TEST(a_version_set_says_which_of_them_it_was);
    RUN_TEST(places_say_it_too);
    RUN_TEST(a_statement_reads_the_rows_that_it_did_not_return_and_that_some_version_of_may_match);
    RUN_TEST(rows_that_no_version_of_matches_are_not_read);
    RUN_TEST(a_statement_of_which_nobody_says_which_rows_it_passed_over_is_unjudged);
    RUN_TEST(a_statement_is_unjudged_once);
    RUN_TEST(an_update_reads_its_rows_before_it_writes_them);
    RUN_TEST(an_insert_reads_nothing_unless_its_set_says_so);
    RUN_TEST(a_read_of_a_value_that_nobody_left_is_refused);
    RUN_TEST(lists_are_refused);
    RUN_TEST(a_trace_as_a_history_has_the_same_trace);
    return UNITY_END();
}
