#include "history/foreign/foreign.h"

#include <stdlib.h>
#include <string.h>

#include "history/jsonl_write.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static const struct format_row {
    const char *name;
    const struct foreign *foreign;
} formats[] = {
    { "plume", &foreign_plume },
    { "awdit-test", &foreign_awdit_test },
    { "dbcop", &foreign_dbcop },
    { "jepsen-edn", &foreign_jepsen_edn },
    { "jepsen-json", &foreign_jepsen_json },
};

static enum status read_text(const struct foreign *foreign, const char *text, size_t size,
                             struct history *history)
{
    struct source source;
    enum status status;

    *history = (struct history){ 0 };
    ASSERT_OK(source_open_memory(&source, "input", text, size, &err), &err);
    status = foreign->read(&source, history, &err);
    source_close(&source);
    return status;
}

/* What a text is read as, in native text without its first line; to be freed. */
static char *native(const struct foreign *foreign, const char *text)
{
    struct buffer out = { 0 };
    struct history history;
    struct sink sink;
    char *lines;

    ASSERT_OK(read_text(foreign, text, strlen(text), &history), &err);
    sink_open_memory(&sink, &out);
    ASSERT_OK(jsonl_write(&history, &sink, NULL, &err), &err);
    sink_close(&sink);
    history_close(&history);
    buffer_byte(&out, '\0');
    lines = strdup(strchr(out.at, '\n') + 1);
    buffer_close(&out);
    return lines;
}

static void expect(const struct foreign *foreign, const char *text, const char *wanted)
{
    char *found = native(foreign, text);

    TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, found, text);
    free(found);
}

static void expect_refusal(const struct foreign *foreign, const char *text, uint64_t line,
                           const char *why)
{
    struct history history;

    err = (struct error){ 0 };
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read_text(foreign, text, strlen(text), &history),
                              text);
    TEST_ASSERT_EQUAL_STRING(why, err.text);
    TEST_ASSERT_EQUAL_STRING("input", err.file);
    TEST_ASSERT_EQUAL_UINT64(line, err.line);
}

/* --- Plume ------------------------------------------------------------------------ */

static void plume_is_read_session_by_session(void)
{
    expect(&foreign_plume,
           "w(1,5,0,1)\nr(1,5,1,2)\nr(2,0,0,1)\n\nw(1,9,1,-1)\nw(2,8,1,-1)\nr(1,5,1,3)\n",
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"1\",\"v\":5},{\"r\":\"2\","
           "\"v\":0}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":5}]}\n"
           "{\"txn\":-2,\"session\":1,\"status\":\"abort\",\"ops\":[{\"w\":\"1\",\"v\":9},{\"w\":"
           "\"2\",\"v\":8}]}\n"
           "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":5}]}\n");
}

static void plume_is_refused_where_it_makes_no_sense(void)
{
    expect_refusal(&foreign_plume, "w(1,5,0,1)\nw(1,5,0)\n", 2,
                   "expected r(key,value,session,txn) or w(...), found \"w(1,5,0)\"");
    expect_refusal(&foreign_plume, "w(1,0,0,1)\n", 1,
                   "0 is the initial value: nobody may write it");
    expect_refusal(&foreign_plume, "w(1,5,0,1)\nr(1,5,1,1)\n", 2,
                   "transaction 1 is of session 0 and of session 1");
    expect_refusal(&foreign_plume, "r(1,5,1,-7)\n", 1,
                   "transaction -7: only -1, aborted, is below 0");
}

/* --- AWDIT ------------------------------------------------------------------------ */

static void awdit_counts_transactions_and_sessions(void)
{
    expect(&foreign_awdit_test, "w 0 1\nw 1 1\n----\nr 1 1\n====\nr 0 1\n",
           "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"0\",\"v\":1},{\"w\":\"1\","
           "\"v\":1}]}\n"
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":1}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"0\",\"v\":1}]}\n");
    expect_refusal(
        &foreign_awdit_test, "w 0 1\n---=\n", 2,
        "expected \"r KEY VALUE\", \"w KEY VALUE\", dashes or equal signs, found \"---=\"");
}

/* --- Jepsen ----------------------------------------------------------------------- */

static void jepsen_pairs_invocations_with_completions(void)
{
    expect(&foreign_jepsen_edn,
           "{:index 0, :type :invoke, :process 3, :time 12, :f :txn, :value [[:append 8 1] [:r 8 "
           "nil]]}\n"
           "{:index 1 :type :info :process :nemesis :f :start :value {:a [1 2.5 \"x\" \\] #{1}]}}\n"
           "{:index 2, :type :ok, :process 3, :time 47, :f :txn, :value [[:append 8 1] [:r 8 "
           "[1]]]} ; end\n",
           "{\"txn\":0,\"session\":3,\"status\":\"ok\",\"at\":[12,47],\"ops\":[{\"append\":\"8\","
           "\"v\":1},{\"r\":\"8\",\"v\":[1]}]}\n");
}

static void a_process_that_does_not_know_goes_on_as_another_session(void)
{
    expect(&foreign_jepsen_edn,
           "[{:type :invoke, :process 4, :time 1, :f :txn, :value [[:w :x 2] [:r \"x\" nil]]}"
           "#jepsen.history.Op{:type :info, :process 4, :time 2, :f :txn, :value nil}"
           "#_{:type :nonsense}"
           "{:type :invoke, :process 4, :time 3, :f :txn, :value [[:w :x 3]]}"
           "{:type :fail, :process 4, :time 4, :f :txn, :value [[:w :x 3]]}"
           "{:type :invoke, :process 4, :time 5, :f :txn, :value [[:w :x 4]]}]",
           "{\"txn\":0,\"session\":4,\"status\":\"unknown\",\"at\":[1,null],\"ops\":[{\"w\":\":x\","
           "\"v\":2},{\"r\":\"x\"}]}\n"
           "{\"txn\":1,\"session\":-2,\"status\":\"abort\",\"at\":[3,4],\"ops\":[{\"w\":\":x\","
           "\"v\":3}]}\n"
           "{\"txn\":2,\"session\":-2,\"status\":\"unknown\",\"at\":[5,null],\"ops\":[{\"w\":\":"
           "x\",\"v\":4}]}\n");
}

static void registers_are_transactions_of_one_operation(void)
{
    expect(&foreign_jepsen_json,
           "[{\"type\":\"invoke\",\"process\":0,\"time\":1,\"f\":\"cas\",\"value\":[1,2]},\n"
           " {\"type\":\"ok\",\"process\":0,\"time\":2,\"f\":\"cas\",\"value\":[1,2]},\n"
           " {\"type\":\"invoke\",\"process\":0,\"time\":3,\"f\":\"read\",\"value\":null},\n"
           " {\"type\":\"ok\",\"process\":0,\"time\":4,\"f\":\"read\",\"value\":2}]",
           "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"r\":\"register\","
           "\"v\":1},{\"w\":\"register\",\"v\":2}]}\n"
           "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[3,4],\"ops\":[{\"r\":\"register\","
           "\"v\":2}]}\n");
}

static void completions_alone_have_no_times(void)
{
    expect(&foreign_jepsen_edn,
           "{:type :ok, :process 1, :time 9, :f :txn, :value [[:r 1 nil]]}"
           "{:type :ok, :process 1, :time 10, :f :txn, :value [[:r 1 [5]]]}",
           "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":null}]}\n"
           "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":[5]}]}\n");
}

static void jepsen_is_refused_with_the_line_and_what_was_expected(void)
{
    expect_refusal(&foreign_jepsen_edn, "{:type :ok\n:process 1 :f :txn :value [[:q 1 2]]}", 2,
                   "expected :r, :w or :append before this, found \" 1 2]]}\"");
    expect_refusal(&foreign_jepsen_edn, "{:type :ok :process 1 :f :transfer :value {}}", 1,
                   "an operation of process 1 has another :f than txn, read, write and cas: only "
                   "histories of transactions and registers can be read");
    expect_refusal(&foreign_jepsen_edn, "{:type :ok :process 1 :f :txn :value [}", 1,
                   "expected a value, found \"}\"");
    expect_refusal(&foreign_jepsen_json, "[{\"type\":\"ok\"", 1,
                   "expected a closing bracket: }, found the end");
}

/* --- All of them ------------------------------------------------------------------ */

static void each_format_is_told_from_the_others_by_how_it_begins(void)
{
    static const char *const samples[] = {
        "r(1,2,3,4)\n",
        "r 1 2\n",
        NULL,
        "{:process 1 :type :ok}",
        "{\"process\":1,\"type\":\"ok\"}",
    };

    for (size_t s = 0; s < ROW_COUNT(samples); s++)
        for (size_t f = 0; samples[s] && f < ROW_COUNT(formats); f++)
            TEST_ASSERT_EQUAL_MESSAGE(s == f, formats[f].foreign->is_it(text_of(samples[s])),
                                      samples[s]);
}

/* Written and read again, a history is the same where the format has all that is in it. */
static void what_a_format_carries_comes_back_as_it_was(void)
{
    const char *const text = "w(1,5,0,0)\nr(2,0,0,0)\nr(1,5,0,1)\nw(2,7,1,2)\n";
    static const size_t written[] = { 0, 2 };
    struct history history, again;

    for (size_t i = 0; i < ROW_COUNT(written); i++) {
        const struct foreign *foreign = formats[written[i]].foreign;
        struct buffer out = { 0 };
        struct sink sink;
        uint32_t losses;

        ASSERT_OK(read_text(&foreign_plume, text, strlen(text), &history), &err);
        ASSERT_OK(foreign->examine(&history, &losses, &err), &err);
        sink_open_memory(&sink, &out);
        ASSERT_OK(foreign->write(&history, &sink, &err), &err);
        sink_close(&sink);
        TEST_ASSERT_TRUE(foreign->is_it((struct text){ out.at, out.count }));
        ASSERT_OK(read_text(foreign, out.at, out.count, &again), &err);
        TEST_ASSERT_EQUAL_UINT64(history.txn_count, again.txn_count);
        TEST_ASSERT_EQUAL_UINT64(history.op_count, again.op_count);
        TEST_ASSERT_EQUAL_MEMORY(history.op_kind, again.op_kind, history.op_count);
        TEST_ASSERT_EQUAL_INT64_ARRAY(history.op_value, again.op_value, history.op_count);
        TEST_ASSERT_EQUAL_UINT32_ARRAY(history.op_key, again.op_key, history.op_count);
        buffer_close(&out);
        history_close(&history);
        history_close(&again);
    }
}

static void nesting_without_end_is_refused(void)
{
    struct buffer text = { 0 };

    buffer_text(&text, TEXT("{:process 1 :x "));
    for (int i = 0; i < 100000; i++)
        buffer_text(&text, TEXT("#_ ["));
    buffer_byte(&text, '\0');
    expect_refusal(&foreign_jepsen_edn, text.at, 1,
                   "expected less nesting than this, found \"[#_ [#_ [#_ [#_ [#_ \"");
    buffer_close(&text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(plume_is_read_session_by_session);
    RUN_TEST(plume_is_refused_where_it_makes_no_sense);
    RUN_TEST(awdit_counts_transactions_and_sessions);
    RUN_TEST(jepsen_pairs_invocations_with_completions);
    RUN_TEST(a_process_that_does_not_know_goes_on_as_another_session);
    RUN_TEST(registers_are_transactions_of_one_operation);
    RUN_TEST(completions_alone_have_no_times);
    RUN_TEST(jepsen_is_refused_with_the_line_and_what_was_expected);
    RUN_TEST(each_format_is_told_from_the_others_by_how_it_begins);
    RUN_TEST(what_a_format_carries_comes_back_as_it_was);
    RUN_TEST(nesting_without_end_is_refused);
    return UNITY_END();
}
