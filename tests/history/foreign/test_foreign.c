#include "history/foreign/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history/format.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"
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
    { "dbcop-json", &foreign_dbcop_json },
    { "chronos", &foreign_chronos },
    { "viper", &foreign_viper },
    { "porcupine", &foreign_porcupine },
    { "isopredict", &foreign_isopredict },
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
           "\"v\":1},{\"r\":\"8\",\"v\":[1]}],\"origin\":[0,3]}\n");
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
    expect_refusal(&foreign_jepsen_edn, "{:type :ok :process 1 :f :enqueue :value {}}", 1,
                   "an operation has another :f than txn, read, write, cas, add, transfer, acquire "
                   "and release: nothing else can be read");
    expect_refusal(&foreign_jepsen_edn, "{:type :ok :process 1 :f :txn :value [}", 1,
                   "expected a value, found \"}\"");
    expect_refusal(&foreign_jepsen_json, "[{\"type\":\"ok\"", 1,
                   "expected a closing bracket: }, found the end");
}

/* --- dbcop's JSON ------------------------------------------------------------------ */

static void dbcop_json_is_read_in_both_of_its_forms(void)
{
    expect(&foreign_dbcop_json,
           "[[{\"events\":[{\"Write\":{\"variable\":3,\"version\":1}},{\"Read\":{\"variable\":4,"
           "\"version\":null}}],\"committed\":true}],\n[],[{\"events\":[{\"Write\":{\"variable\":3,"
           "\"version\":2}}],\"committed\":false}]]",
           "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"3\",\"v\":1},{\"r\":\"4\","
           "\"v\":null}]}\n"
           "{\"txn\":1,\"session\":2,\"status\":\"abort\",\"ops\":[{\"w\":\"3\",\"v\":2}]}\n");
    expect(&foreign_dbcop_json,
           "{\"params\":{\"id\":0},\"info\":\"x\",\"data\":[[{\"events\":[{\"write\":true,"
           "\"variable\":1,\"value\":5,\"success\":true},{\"write\":false,\"variable\":1,"
           "\"value\":0,\"success\":false}],\"success\":true}]]}",
           "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"1\",\"v\":5}]}\n");
    expect_refusal(&foreign_dbcop_json, "[[{\"events\":[]}]]", 1,
                   "expected a transaction with events and committed before this, found \"]]\"");
    expect_refusal(&foreign_dbcop_json,
                   "[[{\"events\":[\n{\"Write\":{\"variable\":1,\"version\":null}}],", 2,
                   "expected a version before this: a write has one, found \"],\"");
}

/* --- Chronos ----------------------------------------------------------------------- */

static void chronos_has_the_timestamps_of_the_store(void)
{
    expect(&foreign_chronos,
           "[{\"tid\":67,\"sid\":\"s\",\"sts\":{\"p\":10,\"l\":1},\"cts\":{\"p\":11,\"l\":0},"
           "\"ops\":[{\"t\":\"w\",\"k\":7,\"v\":2},{\"t\":\"READ\",\"k\":8}]},\n"
           " {\"ops\":[{\"t\":\"a\",\"k\":9,\"v\":2},{\"t\":\"r\",\"k\":9,\"v\":[2]}],\"tid\":68,"
           "\"sid\":4,\"sts\":{\"p\":11,\"l\":0},\"cts\":{\"p\":11,\"l\":5}}]",
           "{\"txn\":67,\"session\":-2,\"status\":\"ok\",\"ops\":[{\"w\":\"7\",\"v\":2},{\"r\":\"8\","
           "\"v\":null}],\"ts\":[11,0],\"snapshot\":[10,1]}\n"
           "{\"txn\":68,\"session\":4,\"status\":\"ok\",\"ops\":[{\"append\":\"9\",\"v\":2},{\"r\":"
           "\"9\",\"v\":[2]}],\"ts\":[11,5],\"snapshot\":[11,0]}\n");
    expect_refusal(&foreign_chronos, "[{\"tid\":1,\"sid\":1,\n\"ops\":[]}]", 2,
                   "expected a transaction with tid, sid, sts, cts and ops before this, found "
                   "\"]\"");
    expect_refusal(&foreign_chronos, "[{\"tid\":1,\"sts\":{\"l\":2}", 1,
                   "expected a timestamp with p before this, found the end");
}

/* --- Viper and Porcupine ------------------------------------------------------------ */

static void vipers_initial_transaction_is_what_keys_begin_with(void)
{
    expect(&foreign_viper,
           "{\"value\":[[\"w\",7,1,null]],\"isInitial\":true}\n"
           "{\"value\":[[\"r\",7,1,false],[\"w\",\"a\",-8068482120162306138,true]]}\n",
           "{\"txn\":0,\"session\":0,\"status\":\"ok\",\"ops\":[{\"r\":\"7\",\"v\":1},{\"w\":\"a\","
           "\"v\":-8068482120162306138}]}\n");
    expect_refusal(&foreign_viper, "{\"value\":[[\"r\",7,1,false]]}\n{\"value\":[[\"range\",1,2]]}", 2,
                   "expected \"r\" or \"w\" before this: ranges, inserts and deletes are not read, "
                   "found \",1,2]]}\"");
    expect_refusal(&foreign_viper, "{\"value\":[[\"r\",7,1,true]]}", 1,
                   "expected false before this: reads of a deletion are not read, found \"]]}\"");
}

static void a_log_of_a_register_has_its_lines_as_times(void)
{
    expect(&foreign_porcupine,
           "INFO  jepsen.core - Worker 0 starting\n"
           "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n"
           "INFO  jepsen.util - 1\t:invoke\t:read\tnil\r\n"
           "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n"
           "INFO  jepsen.util - 1\t:ok\t:read\t2   and more\n"
           "INFO  jepsen.util - 0\t:info\t:cas\t:timed-out\n"
           "INFO  jepsen.util - 1\t:invoke\t:read\tnil\n"
           "INFO  jepsen.util - 1\t:fail\t:read\t:timed-out\n",
           "{\"txn\":0,\"session\":0,\"status\":\"unknown\",\"at\":[2,null],\"ops\":[{\"r\":"
           "\"register\"},{\"w\":\"register\",\"v\":2}]}\n"
           "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[3,5],\"ops\":[{\"r\":\"register\","
           "\"v\":2}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"abort\",\"at\":[7,8],\"ops\":[{\"r\":\"register\"}"
           "]}\n");
    expect_refusal(&foreign_porcupine,
                   "INFO  jepsen.util - 0 :invoke :read nil\nINFO  jepsen.util - 0 :ok :re", 2,
                   "expected :read, :write or :cas before this, found the end");
    expect_refusal(&foreign_porcupine, "INFO  jepsen.util - 0 :invoke :write\nINFO", 1,
                   "expected a value, found the end");
}

/* --- IsoPredict --------------------------------------------------------------------- */

static void isopredict_names_whom_each_read_read_from(void)
{
    expect(&foreign_isopredict,
           "WRITE KEY[x] Txn(0, 0)\nsome other line\nWRITE KEY[y] Txn(1, 0)\n"
           "READ KEY[x] Txn(1, 0) From(0, 0)\nWRITE KEY[x] Txn(2, 0)\nWRITE KEY[x] Txn(2, 0)\n"
           "READ KEY[y] Txn(2, 0) From(1, 0)\nINSERT[5] to Set[s] Txn(2, 0)\n"
           "CONTAINS[5] in Set[s] From(2, 0) Txn(1, 1)\nDELETE[5] from Set[s] Txn(1, 1)\n",
           "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"y\",\"v\":1},{\"r\":\"x\","
           "\"v\":null}]}\n"
           "{\"txn\":1,\"session\":2,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":2},{\"r\":\"y\","
           "\"v\":1},{\"w\":\"Set(s:5)\",\"v\":2}]}\n"
           "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"Set(s:5)\",\"v\":2},{\"w\":"
           "\"Set(s:5)\",\"v\":3}]}\n");
    /* A key is written where it was written last. */
    expect(&foreign_isopredict,
           "WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(1, 0) From(1, 0)\nREAD KEY[y] Txn(1, 0) From(0, 0)\n"
           "WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(1, 0) From(1, 0)\nREAD KEY[x] Txn(2, 0) From(1, 0)\n",
           "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"y\",\"v\":null},{\"w\":\"x\","
           "\"v\":1},{\"r\":\"x\",\"v\":1}]}\n"
           "{\"txn\":1,\"session\":2,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":1}]}\n");
    expect_refusal(&foreign_isopredict, "WRITE KEY[x] Txn(1, 0)\nREAD KEY[x] Txn(1, 0) From(0,", 2,
                   "expected an operation such as \"READ KEY[k] Txn(1, 0) From(0, 0)\", found "
                   "\"READ KEY[x] Txn(1, 0) From(0,\"");
    expect_refusal(&foreign_isopredict, "READ KEY[x] Txn(0, 0) From(1, 0)", 1,
                   "the initial transaction (0, 0) reads nothing");
}

/* --- All of them ------------------------------------------------------------------ */

/* In the order of `formats`; NULL: it is no text. */
static const char *const samples[] = {
    "r(1,2,3,4)\n",
    "r 1 2\n",
    NULL,
    "{:process 1 :type :ok}",
    "{\"process\":1,\"type\":\"ok\"}",
    "[[],[{\"events\":[],\"committed\":true}]]",
    "[{\"tid\":1,\"sid\":2}]",
    "{\"value\":[[\"r\",1,2,false]]}",
    "INFO  jepsen.core - Worker 0 starting\nINFO  jepsen.util - 0\t:invoke\t:read\tnil\n",
    "a line\nWRITE KEY[x] Txn(1, 0)\n",
};

static void each_format_is_told_from_the_others_by_how_it_begins(void)
{
    for (size_t s = 0; s < ROW_COUNT(samples); s++)
        for (size_t f = 0; samples[s] && f < ROW_COUNT(formats); f++)
            TEST_ASSERT_EQUAL_MESSAGE(s == f, formats[f].foreign->is_it(text_of(samples[s])),
                                      samples[s]);
}

/* Whoever forces a format gets an error for a file of another, never a history. */
static void a_wrong_format_is_an_error(void)
{
    for (size_t s = 0; s < ROW_COUNT(samples); s++) {
        char path[] = "/tmp/ordeal-foreign-XXXXXX";
        int file = samples[s] ? mkstemp(path) : -1;

        if (file < 0)
            continue;
        TEST_ASSERT_EQUAL(strlen(samples[s]), write(file, samples[s], strlen(samples[s])));
        close(file);
        for (enum format f = 0; f < FORMAT_COUNT; f++) {
            struct history history;
            char wanted[100];

            if (strcmp(format_name(f), formats[s].name) == 0)
                continue;
            err = (struct error){ 0 };
            snprintf(wanted, sizeof wanted, "this file is in format %s, not %s", formats[s].name,
                     format_name(f));
            TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, format_read_history(path, f, NULL, &history, &err));
            TEST_ASSERT_EQUAL_STRING(wanted, err.text);
        }
        unlink(path);
    }
}

/* What a native history is written as, or why it is not; to be freed. */
static char *written(const struct foreign *foreign, const char *lines, uint32_t *losses)
{
    struct buffer text = { 0 }, out = { 0 };
    struct history history;
    struct source source;
    struct sink sink;

    buffer_print(&text, "{\"ordeal-history\":1}\n%s", lines);
    ASSERT_OK(source_open_memory(&source, "input", text.at, text.count, &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
    source_close(&source);
    sink_open_memory(&sink, &out);
    err = (struct error){ 0 };
    if (foreign->examine(&history, losses, &err) == STATUS_OK)
        ASSERT_OK(foreign->write(&history, &sink, &err), &err);
    else
        buffer_text(&out, text_of(err.text));
    sink_close(&sink);
    history_close(&history);
    buffer_close(&text);
    buffer_byte(&out, '\0');
    return out.at;
}

static void expect_written(const struct foreign *foreign, const char *lines, const char *wanted,
                           uint32_t losses_wanted)
{
    uint32_t losses = 0;
    char *found = written(foreign, lines, &losses);

    TEST_ASSERT_EQUAL_STRING(wanted, found);
    if (losses_wanted)
        TEST_ASSERT_EQUAL_HEX32(losses_wanted, losses);
    free(found);
}

static void names_of_keys_are_numbered_where_keys_are_numbers(void)
{
    expect_written(&foreign_plume,
                   "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":5},"
                   "{\"r\":\"7\",\"v\":null}]}\n",
                   "w(0,5,0,1)\nr(1,0,0,1)\n", 1u << LOSS_KEYS | 1u << LOSS_NULLS);
}

static void an_unknown_transaction_that_was_read_from_is_a_committed_one(void)
{
    static const char lines[] =
        "{\"txn\":1,\"session\":1,\"status\":\"unknown\",\"ops\":[{\"r\":\"2\",\"v\":9},{\"w\":"
        "\"1\",\"v\":5}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"unknown\",\"ops\":[{\"w\":\"1\",\"v\":6}]}\n"
        "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":5}]}\n";

    expect_written(&foreign_plume, lines, "w(1,5,1,1)\nr(1,5,3,3)\n",
                   1u << LOSS_UNKNOWN | 1u << LOSS_NULLS);
    expect_written(&foreign_isopredict, lines,
                   "WRITE KEY[1] Txn(1, 0)\nREAD KEY[1] Txn(3, 0) From(1, 0)\n",
                   1u << LOSS_UNKNOWN | 1u << LOSS_IDS | 1u << LOSS_VALUES);
    expect_written(&foreign_plume,
                   "{\"txn\":1,\"session\":1,\"status\":\"unknown\",\"ops\":[{\"w\":\"1\",\"v\":5}]}\n"
                   "{\"txn\":2,\"session\":2,\"status\":\"ok\",\"ops\":[{\"w\":\"1\",\"v\":5}]}\n"
                   "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":5}]}\n",
                   "transaction 3 may have read from one of unknown outcome, or from another that "
                   "wrote the same: this format has no unknown outcomes",
                   0);
}

static void jepsen_is_written_with_times_where_there_are_some(void)
{
    static const char lines[] =
        "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[1,4],\"ops\":[{\"append\":\"x\",\"v\":5},"
        "{\"r\":\"x\",\"v\":[5,6]}]}\n"
        "{\"txn\":2,\"session\":2,\"status\":\"unknown\",\"at\":[2,null],\"ops\":[{\"append\":\"x\","
        "\"v\":6}]}\n";
    static const char json[] =
        "{\"index\":0,\"type\":\"ok\",\"process\":1,\"f\":\"txn\",\"value\":[[\"w\",7,true],[\"r\",7,"
        "null]]}\n";

    expect_written(
        &foreign_jepsen_edn, lines,
        "{:index 0, :type :invoke, :process 1, :time 1, :f :txn, :value [[:append \"x\" 5] [:r \"x\" "
        "nil]]}\n"
        "{:index 1, :type :invoke, :process 2, :time 2, :f :txn, :value [[:append \"x\" 6]]}\n"
        "{:index 2, :type :ok, :process 1, :time 4, :f :txn, :value [[:append \"x\" 5] [:r \"x\" [5 "
        "6]]]}\n",
        1u << LOSS_IDS);
    expect_written(&foreign_jepsen_json,
                   "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"7\",\"v\":true},"
                   "{\"r\":\"7\",\"v\":null}]}\n",
                   json, 1u << LOSS_IDS);
    expect(&foreign_jepsen_json, json,
           "{\"txn\":0,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"7\",\"v\":true},{\"r\":"
           "\"7\",\"v\":null}],\"origin\":[0,1]}\n");
}

static void isopredict_is_refused_what_it_cannot_tell(void)
{
    expect_written(&foreign_isopredict,
                   "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":5}]}\n",
                   "transaction 3 read what nobody wrote: this format names the one transaction "
                   "that was read from",
                   0);
    expect_written(&foreign_isopredict,
                   "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"1\",\"v\":5},{\"w\":"
                   "\"1\",\"v\":6}]}\n"
                   "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"ops\":[{\"r\":\"1\",\"v\":5}]}\n",
                   "transaction 3 read what transaction 1 had not finished writing: this format "
                   "cannot tell",
                   0);
    expect_written(&foreign_isopredict,
                   "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"a]\",\"v\":5}]}\n"
                   "{\"txn\":3,\"session\":3,\"status\":\"ok\",\"ops\":[{\"r\":\"a]\",\"v\":5},{\"r\":"
                   "\"b\",\"v\":null}]}\n",
                   "WRITE KEY[0] Txn(1, 0)\nREAD KEY[0] Txn(2, 0) From(1, 0)\n"
                   "READ KEY[1] Txn(2, 0) From(0, 0)\n",
                   1u << LOSS_IDS | 1u << LOSS_VALUES | 1u << LOSS_KEYS);
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
    RUN_TEST(dbcop_json_is_read_in_both_of_its_forms);
    RUN_TEST(chronos_has_the_timestamps_of_the_store);
    RUN_TEST(vipers_initial_transaction_is_what_keys_begin_with);
    RUN_TEST(a_log_of_a_register_has_its_lines_as_times);
    RUN_TEST(isopredict_names_whom_each_read_read_from);
    RUN_TEST(names_of_keys_are_numbered_where_keys_are_numbers);
    RUN_TEST(an_unknown_transaction_that_was_read_from_is_a_committed_one);
    RUN_TEST(jepsen_is_written_with_times_where_there_are_some);
    RUN_TEST(isopredict_is_refused_what_it_cannot_tell);
    RUN_TEST(each_format_is_told_from_the_others_by_how_it_begins);
    RUN_TEST(a_wrong_format_is_an_error);
    RUN_TEST(nesting_without_end_is_refused);
    return UNITY_END();
}
