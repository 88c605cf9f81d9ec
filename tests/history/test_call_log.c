/* The log of calls: what is read of it, and what is refused, with its place. */
#include "history/call_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define HEAD "{\"ordeal-log\":1}\n"

static struct call_log call_log;
static struct error err;

void setUp(void) {}

void tearDown(void)
{
    call_log_close(&call_log);
}

static enum status read_bytes(const char *bytes, size_t size)
{
    struct source source;
    enum status status;

    call_log_close(&call_log);
    err = (struct error){ 0 };
    status = source_open_memory(&source, "log", bytes, size, &err);
    if (status == STATUS_OK)
        status = call_log_read(&call_log, &source, &err);
    source_close(&source);
    return status;
}

static void read_log(const char *text)
{
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, read_bytes(text, strlen(text)), err.text);
}

static void assert_text(const char *wanted, struct text text)
{
    TEST_ASSERT_EQUAL(strlen(wanted), text.length);
    TEST_ASSERT_EQUAL(0, memcmp(wanted, text.at, text.length));
}

static struct text cell(uint32_t place)
{
    TEST_ASSERT_LESS_THAN(call_log.cells.count, place);
    return call_log.cells.at[place];
}

static void a_call_is_read_with_its_arguments_and_answers(void)
{
    const struct logged_txn *txn;
    const struct call_answer *answer;

    read_log("{\"ordeal-log\":1,\"producer\":\"a proxy\",\"load\":\"load(2)\"}\n"
             "{\"txn\":7,\"session\":3,\"call\":\"transfer\",\"arguments\":[\"1\",null,\"\"],"
             "\"status\":\"ok\",\"at\":[100,900],\"ts\":57,\"saw\":[-3,56],"
             "\"answers\":[{\"rows\":[[\"a\",null],[\"\",\"\\u00e9\"]],\"at\":850}]}\n");
    TEST_ASSERT_EQUAL(INITIAL_LOAD, call_log.initial);
    assert_text("load(2)", call_log.load);
    assert_text("a proxy", call_log.producer);
    TEST_ASSERT_EQUAL(1, call_log.txns.count);
    txn = &call_log.txns.at[0];
    TEST_ASSERT_EQUAL(7, txn->id);
    TEST_ASSERT_EQUAL(3, txn->session);
    TEST_ASSERT_EQUAL(TXN_OK, txn->status);
    TEST_ASSERT_EQUAL(100, txn->invoked_ns);
    TEST_ASSERT_EQUAL(900, txn->completed_ns);
    TEST_ASSERT_TRUE(txn->has_ts);
    TEST_ASSERT_EQUAL(57, txn->ts[0]);
    TEST_ASSERT_EQUAL(0, txn->ts[1]);
    TEST_ASSERT_TRUE(txn->has_saw);
    TEST_ASSERT_EQUAL(-3, txn->saw[0]);
    TEST_ASSERT_EQUAL(56, txn->saw[1]);
    TEST_ASSERT_EQUAL(2, txn->line);
    assert_text("transfer", txn->function);
    TEST_ASSERT_EQUAL(3, txn->argument_count);
    assert_text("1", cell(txn->argument));
    TEST_ASSERT_NULL(cell(txn->argument + 1).at);
    TEST_ASSERT_NOT_NULL(cell(txn->argument + 2).at);
    assert_text("", cell(txn->argument + 2));
    TEST_ASSERT_EQUAL(1, txn->answer_count);
    answer = &call_log.answers.at[txn->answer];
    TEST_ASSERT_EQUAL(CALL_ANSWER_ROWS, answer->kind);
    TEST_ASSERT_EQUAL(850, answer->completed_ns);
    TEST_ASSERT_EQUAL(2, answer->row_count);
    TEST_ASSERT_EQUAL(2, answer->width);
    assert_text("a", cell(answer->cell));
    TEST_ASSERT_NULL(cell(answer->cell + 1).at);
    assert_text("\xc3\xa9", cell(answer->cell + 3));
}

static void statements_are_read_with_an_answer_each(void)
{
    const struct logged_txn *txn;

    read_log(HEAD "{\"txn\":8,\"statements\":[{\"sql\":\"SELECT v FROM t WHERE id = $1\","
                  "\"parameters\":[\"5\"]},{\"sql\":\"DELETE FROM t\"}],\"status\":\"unknown\","
                  "\"at\":[5,null],\"answers\":[{\"rows\":[[\"42\"]]},{\"count\":3}]}\n");
    txn = &call_log.txns.at[0];
    TEST_ASSERT_EQUAL(-1, txn->session);
    TEST_ASSERT_FALSE(txn->has_ts);
    TEST_ASSERT_FALSE(txn->has_saw);
    TEST_ASSERT_EQUAL(TIME_NEVER, txn->completed_ns);
    TEST_ASSERT_EQUAL(0, txn->function.length);
    TEST_ASSERT_EQUAL(2, txn->statement_count);
    assert_text("SELECT v FROM t WHERE id = $1", call_log.statements.at[txn->statement].sql);
    assert_text("5", cell(call_log.statements.at[txn->statement].parameter));
    TEST_ASSERT_EQUAL(0, call_log.statements.at[txn->statement + 1].parameter_count);
    TEST_ASSERT_EQUAL(2, txn->answer_count);
    TEST_ASSERT_EQUAL(CALL_ANSWER_COUNT, call_log.answers.at[txn->answer + 1].kind);
    TEST_ASSERT_EQUAL(3, call_log.answers.at[txn->answer + 1].count);
}

static void answers_behind_an_error_are_missing(void)
{
    const struct logged_txn *txn;

    read_log(HEAD "{\"txn\":1,\"statements\":[{\"sql\":\"a\"},{\"sql\":\"b\"},{\"sql\":\"a\"}],"
                  "\"answers\":[null],\"error\":\"23505\",\"status\":\"abort\"}\n");
    txn = &call_log.txns.at[0];
    assert_text("23505", txn->sqlstate);
    TEST_ASSERT_EQUAL(3, txn->answer_count);
    for (uint32_t i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL(CALL_ANSWER_MISSING, call_log.answers.at[txn->answer + i].kind);
}

static void no_answers_at_all_are_none(void)
{
    read_log(HEAD "{\"txn\":1,\"call\":\"f\",\"status\":\"ok\"}\n");
    TEST_ASSERT_EQUAL(0, call_log.txns.at[0].answer_count);
    TEST_ASSERT_EQUAL(TIME_NEVER, call_log.txns.at[0].invoked_ns);
}

static void initial_rows_stand_in_the_header(void)
{
    read_log("{\"ordeal-log\":1,\"rows\":{\"accounts\":[{\"id\":\"1\",\"balance\":null},{}],\"t\":[]},"
             "\"ts\":\"hint\"}\n");
    TEST_ASSERT_EQUAL(INITIAL_ROWS, call_log.initial);
    TEST_ASSERT_TRUE(call_log.ts_is_hint);
    TEST_ASSERT_EQUAL(2, call_log.rows.count);
    assert_text("accounts", call_log.rows.at[0].table);
    TEST_ASSERT_EQUAL(2, call_log.rows.at[0].column_count);
    assert_text("id", cell(call_log.rows.at[0].cell));
    assert_text("1", cell(call_log.rows.at[0].cell + 1));
    assert_text("balance", cell(call_log.rows.at[0].cell + 2));
    TEST_ASSERT_NULL(cell(call_log.rows.at[0].cell + 3).at);
    TEST_ASSERT_EQUAL(0, call_log.rows.at[1].column_count);
}

static void rows_of_another_file_stand_in_for_the_logs_own(void)
{
    static const char rows[] = "{\"t\":[{\"id\":\"2\"}]}\n{\"t\":[{\"id\":\"3\"}],\"u\":[{\"k\":\"4\"}]}\n";
    struct digest before;
    struct source source;

    read_log("{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\"}]}}\n");
    before = call_log.digest;
    TEST_ASSERT_EQUAL(STATUS_OK, source_open_memory(&source, "rows", rows, strlen(rows), &err));
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_OK, call_log_read_rows(&call_log, &source, &err), err.text);
    source_close(&source);
    TEST_ASSERT_EQUAL(3, call_log.rows.count);
    assert_text("u", call_log.rows.at[2].table);
    assert_text("4", cell(call_log.rows.at[2].cell + 1));
    TEST_ASSERT_NOT_EQUAL(0, memcmp(&before, &call_log.digest, sizeof before));
    before = call_log.digest;
    call_log_forget_rows(&call_log);
    TEST_ASSERT_EQUAL(INITIAL_UNKNOWN, call_log.initial);
    TEST_ASSERT_EQUAL(0, call_log.rows.count);
    TEST_ASSERT_NOT_EQUAL(0, memcmp(&before, &call_log.digest, sizeof before));
}

static void texts_outlive_their_lines(void)
{
    struct buffer text = { 0 };

    buffer_text(&text, TEXT("{\"ordeal-log\":1,\"producer\":\"\\u0041 b\"}\n"));
    for (int i = 0; i < 20000; i++)
        buffer_print(&text,
                     "{\"txn\":%d,\"call\":\"f%d\",\"arguments\":[\"%d\",\"\\u0041%d\"],\"status\":\"ok\"}\n",
                     i, i % 7, i, i);
    TEST_ASSERT_EQUAL(STATUS_OK, read_bytes(text.at, text.count));
    buffer_close(&text);
    assert_text("A b", call_log.producer);
    for (int i = 0; i < 20000; i++) {
        const struct logged_txn *txn = &call_log.txns.at[i];
        char wanted[20];

        snprintf(wanted, sizeof wanted, "f%d", i % 7);
        assert_text(wanted, txn->function);
        snprintf(wanted, sizeof wanted, "A%d", i);
        assert_text(wanted, cell(txn->argument + 1));
        assert_text(wanted + 1, cell(txn->argument));
    }
}

#define TXN(fields) HEAD "{\"txn\":1,\"status\":\"ok\"," fields "}\n"
#define CALL(fields) TXN("\"call\":\"f\"," fields)

static void a_file_that_is_no_log_is_refused_with_its_place(void)
{
    static const struct {
        const char *text;
        uint64_t line, offset;
        const char *refusal;
    } rows[] = {
        { "", 1, 0, "expected {\"ordeal-log\":1,..., found an empty file" },
        { "\xef\xbb\xbf" HEAD, 1, 0,
          "the file begins with a byte order mark: UTF-8 is written without one" },
        { "[]", 1, 0, "expected {\"ordeal-log\":1,..., found [" },
        { "{}", 1, 0, "expected {\"ordeal-log\":1,... on the first line" },
        { "{\"ordeal-history\":1}", 1, 0, "expected {\"ordeal-log\":1,... on the first line" },
        { "{\"ordeal-log\":2}", 1, 14, "version 2 is newer than this program reads (1)" },
        { "{\"ordeal-log\":0}", 1, 14, "there is no version 0 of this format" },
        { "{\"ordeal-log\":1,\"lod\":\"f()\"}", 1, 16,
          "unknown field \"lod\": did you mean \"load\"?" },
        { "{\"ordeal-log\":1,\"load\":\"f()\",\"load\":\"f()\"}", 1, 29,
          "\"load\" stands here twice" },
        { "{\"ordeal-log\":1,\"load\":\"f()\",\"rows\":{}}", 1, 36,
          "a log has one of \"load\", \"rows\" and \"initial\"" },
        { "{\"ordeal-log\":1,\"initial\":\"empty\"}", 1, 26,
          "\"initial\" is \"unknown\", or not there" },
        { "{\"ordeal-log\":1,\"ts\":\"exact\"}", 1, 21, "\"ts\" is \"hint\", or not there" },
        { "{\"ordeal-log\":1,\"rows\":{\"t\":{}}}", 1, 28, "expected an array of rows, found {" },
        { "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":1}]}}", 1, 35,
          "expected a string or null, found 1" },
        { "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"id\":\"1\"}]}}", 1, 39,
          "\"id\" stands here twice" },
        { "{\"ordeal-log\":1,\"rows\":{\"t\":[],\"u\":[],\"t\":[]}}", 1, 38, "\"t\" stands here twice" },
        { "{\"ordeal-log\":1} x", 1, 17, "expected nothing more on this line, found x" },
        { HEAD HEAD, 2, 17, "the header is the first line alone" },
        { HEAD "\n", 2, 17,
          "expected one transaction on each line: {\"txn\":..., found the end of the line" },
        { HEAD "{\"call\":\"f\",\"status\":\"ok\"}", 2, 38, "a transaction needs \"txn\"" },
        { HEAD "{\"txn\":1,\"call\":\"f\"}", 2, 33, "a transaction needs \"status\"" },
        { HEAD "{\"txn\":1,\"status\":\"ok\"}", 2, 35,
          "a transaction has either \"call\" or \"statements\"" },
        { CALL("\"statements\":[]"), 2, 64, "a transaction has either \"call\" or \"statements\"" },
        { TXN("\"statements\":[],\"arguments\":[]"), 2, 68,
          "\"arguments\" are of a \"call\"; statements have \"parameters\"" },
        { TXN("\"statements\":[{}]"), 2, 54, "a statement needs \"sql\"" },
        { HEAD "{\"txn\":-1}", 2, 24, "transactions are numbered from 0" },
        { CALL("\"session\":-1"), 2, 61, "sessions are numbered from 0" },
        { HEAD "{\"txn\":1,\"status\":\"maybe\"}", 2, 35,
          "unknown status \"maybe\"" },
        { CALL("\"arguments\":[1]"), 2, 64, "expected a string or null, found 1" },
        { CALL("\"at\":[5]"), 2, 57, "expected two times: [invoked, completed]" },
        { CALL("\"at\":[5,4]"), 2, 59, "completed before it was invoked" },
        { CALL("\"at\":[5,6,7]"), 2, 59, "expected two times: [invoked, completed]" },
        { CALL("\"saw\":5"), 2, 57, "expected two places of commits, the second not below the first: [3, 5], found 5" },
        { CALL("\"saw\":[5]"), 2, 58, "expected two places of commits, the second not below the first: [3, 5]" },
        { CALL("\"saw\":[5,4]"), 2, 60, "expected two places of commits, the second not below the first: [3, 5]" },
        { CALL("\"saw\":[5,6,7]"), 2, 60, "expected two places of commits, the second not below the first: [3, 5]" },
        { CALL("\"saw\":[5,null]"), 2, 60, "expected two places of commits, the second not below the first: [3, 5], found null" },
        { CALL("\"at\":[9223372036854775807,null]"), 2, 57, "there is no such time" },
        { CALL("\"ts\":\"x\""), 2, 56,
          "expected a place: an integer, or an array of up to three, found a string" },
        { CALL("\"ts\":[1,2,3,4]"), 2, 63, "expected at most three parts of a place, found 4" },
        { CALL("\"error\":\"2350\""), 2, 59, "a SQLSTATE is five digits or capital letters" },
        { CALL("\"answers\":[]"), 2, 61, "0 answers, where 1 are due" },
        { CALL("\"answers\":[null,null]"), 2, 61, "2 answers, where 1 are due" },
        { CALL("\"answers\":[{}]"), 2, 62, "an answer has either \"rows\" or \"count\"" },
        { CALL("\"answers\":[{\"rows\":[],\"count\":0}]"), 2, 81,
          "an answer has either \"rows\" or \"count\"" },
        { CALL("\"answers\":[{\"count\":-1}]"), 2, 71, "fewer than no rows" },
        { CALL("\"answers\":[{\"rows\":[[\"1\"],[\"1\",\"2\"]]}]"), 2, 82,
          "a row of 2 values, and the first has 1" },
        { CALL("\"at\":[5,9],\"answers\":[{\"rows\":[],\"at\":4}]"), 2, 89,
          "answer 1 came before the call" },
        { CALL("\"at\":[5,9],\"answers\":[{\"rows\":[],\"at\":10}]"), 2, 89,
          "an answer came after the last" },
        { HEAD "{\"txn\":1,\"call\":\"f\",\"status\":\"ok\"}\n{\"txn\":1", 3, 59,
          "transaction 1 stands on line 2 already" },
        { HEAD "{\"txn\":1,\"call\":\"f\",\"status\":\"ok\",\"ts\":[4,5]}\n"
               "{\"txn\":2,\"call\":\"f\",\"status\":\"ok\",\"ts\":[4,5]}\n",
          3, 0, "transactions 1 and 2 have the same \"ts\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read_bytes(rows[i].text, strlen(rows[i].text)),
                                  rows[i].text);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].refusal, err.text, rows[i].text);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].line, err.line, rows[i].text);
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].offset, err.offset, rows[i].text);
        TEST_ASSERT_EQUAL_STRING("log", err.file);
    }
}

static void places_may_be_shared_where_they_prove_nothing(void)
{
    read_log("{\"ordeal-log\":1,\"ts\":\"hint\"}\n"
             "{\"txn\":1,\"call\":\"f\",\"status\":\"ok\",\"ts\":4}\n"
             "{\"txn\":2,\"call\":\"f\",\"status\":\"ok\",\"ts\":4}\n");
    read_log(HEAD "{\"txn\":1,\"call\":\"f\",\"status\":\"ok\",\"ts\":4}\n"
                  "{\"txn\":2,\"call\":\"f\",\"status\":\"abort\",\"ts\":4}\n");
    TEST_ASSERT_EQUAL(2, call_log.txns.count);
}

static void the_digest_changes_with_every_byte(void)
{
    char text[] = HEAD "{\"txn\":1,\"call\":\"f\",\"arguments\":[\"5\"],\"status\":\"ok\"}\n";
    struct digest before;

    read_log(text);
    before = call_log.digest;
    *strchr(text, '5') = '6';
    read_log(text);
    TEST_ASSERT_NOT_EQUAL(0, memcmp(&before, &call_log.digest, sizeof before));
}

static void a_beginning_tells_whether_a_file_is_a_log(void)
{
    TEST_ASSERT_TRUE(call_log_is_it(TEXT(HEAD)));
    TEST_ASSERT_TRUE(call_log_is_it(TEXT(" { \"ordeal-log\" : 1")));
    TEST_ASSERT_FALSE(call_log_is_it(TEXT("{\"ordeal-history\":1}")));
    TEST_ASSERT_FALSE(call_log_is_it(TEXT("")));
    TEST_ASSERT_FALSE(call_log_is_it(TEXT("{\"ordeal-l")));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_call_is_read_with_its_arguments_and_answers);
    RUN_TEST(statements_are_read_with_an_answer_each);
    RUN_TEST(answers_behind_an_error_are_missing);
    RUN_TEST(no_answers_at_all_are_none);
    RUN_TEST(initial_rows_stand_in_the_header);
    RUN_TEST(rows_of_another_file_stand_in_for_the_logs_own);
    RUN_TEST(texts_outlive_their_lines);
    RUN_TEST(a_file_that_is_no_log_is_refused_with_its_place);
    RUN_TEST(places_may_be_shared_where_they_prove_nothing);
    RUN_TEST(the_digest_changes_with_every_byte);
    RUN_TEST(a_beginning_tells_whether_a_file_is_a_log);
    return UNITY_END();
}
