#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/binary/oh.h"
#include "tests/fixture.h"
#include "unity.h"

#define HEADER "{\"ordeal-history\":1}\n"
#define TXN(n, ops) "{\"txn\":" #n ",\"session\":0,\"status\":\"ok\",\"ops\":[" ops "]}\n"
#define TABLE                                                                                      \
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"text\"},"     \
    "\"key\":[\"id\"]}}}\n"

static struct error err;
static struct source source;
static struct history history;
static struct buffer written;

void setUp(void)
{
    memset(&err, 0, sizeof err);
}

void tearDown(void)
{
    source_close(&source);
    history_close(&history);
    buffer_close(&written);
}

static void read_text(const char *text, size_t size, unsigned flags)
{
    source_close(&source);
    history_close(&history);
    memset(&err, 0, sizeof err);
    ASSERT_OK(source_open_memory(&source, "memory", text, size, &err), &err);
    ASSERT_OK(jsonl_read(&source, flags, &history, &err), &err);
    ASSERT_OK(history_check(&history, &err), &err);
}

static void write_text(void)
{
    struct sink sink;

    buffer_clear(&written);
    sink_open_memory(&sink, &written);
    ASSERT_OK(jsonl_write(&history, &sink, NULL, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    buffer_byte(&written, 0);
    ASSERT_OK(buffer_status(&written, &err), &err);
}

static enum status append(void *context, const void *bytes, size_t size, struct error *error)
{
    buffer_text(context, (struct text){ bytes, size });
    return buffer_status(context, error);
}

/* The history as a binary file and back. */
static void pass_through_oh(void)
{
    struct buffer binary = { 0 };

    ASSERT_OK(oh_write(&history, append, &binary, &err), &err);
    history_close(&history);
    ASSERT_OK(oh_read("memory", binary.at, binary.count, &history, &err), &err);
}

/* Whatever is written so is written so again. */
static const char *const canonical[] = {
    HEADER,
    "{\"ordeal-history\":1,\"workload\":\"w \\\"x\\\"\",\"tables\":{\"t\":{\"columns\":{\"id\":"
    "\"bigint\",\"name\":\"text\",\"at\":\"numeric(10,2)\",\"l\":\"bigint[]\"},\"key\":[\"id\","
    "\"name\"]},\"u\":{\"columns\":{\"k\":\"text\"},\"key\":[\"k\"]}},\"initial\":{\"x\":0,\"y\":"
    "null,\"l\":[],\"t/7/a%2Fb\":{\"id\":7,\"name\":\"a/b\",\"at\":\"12.30\",\"l\":[1,2]},\"z\":"
    "true},\"unique\":true,\"producer\":\"p\"}\n",
    "{\"ordeal-history\":1,\"unique\":false}\n",
    HEADER TXN(1, ""),
    /* The lines of design and manual. */
    "{\"ordeal-history\":1,\"workload\":\"rw-register\",\"tables\":{\"accounts\":{\"columns\":"
    "{\"id\":\"bigint\",\"balance\":\"bigint\"},\"key\":[\"id\"]}},\"initial\":{\"x\":0}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[100,900],\"ops\":[{\"w\":\"x\",\"v\":1,"
    "\"at\":[110,120]},{\"r\":\"y\",\"v\":null}]}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"append\":\"l\",\"v\":3},{\"r\":\"l\","
    "\"v\":[3]}],\"ts\":57}\n"
    "{\"txn\":3,\"session\":0,\"status\":\"unknown\",\"at\":[950,null],\"ops\":[{\"select\":"
    "\"accounts\",\"where\":\"balance >= 10\",\"rows\":{\"7\":{\"id\":7,\"balance\":12}}}],"
    "\"ts\":60,\"snapshot\":55}\n"
    "{\"txn\":4,\"session\":1,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":2}]}\n"
    "{\"version-order\":{\"x\":[1,4]}}\n",
    /* Values of each kind, and the numbers at the ends. */
    HEADER TXN(1, "{\"w\":\"x\",\"v\":9223372036854775807},{\"w\":\"x\",\"v"
                  "\":-9223372036854775808},"
                  "{\"w\":\"x\",\"v\":0},{\"w\":\"x\",\"v\":\"12.30\"},{\"w\":\"x\",\"v\":true},"
                  "{\"w\":\"x\",\"v\":false},{\"w\":\"x\",\"v\":null},{\"w\":\"x\",\"v\":[]},"
                  "{\"w\":\"x\",\"v\":[-1,0,1]},{\"w\":\"x\",\"v\":{}},{\"w\":\"x\",\"v\":{\"b\":1,"
                  "\"a\":[1],\"c\":\"\"}}"),
    /* Keys that are empty, long, escaped, and not ASCII. */
    HEADER TXN(1, "{\"r\":\"\"},{\"r\":\"12345678\"},{\"r\":\"1234567890123456\"},"
                  "{\"r\":\"12345678901234567\"},{\"r\":\"a\\\"b\\\\c\\nd\\u0001\"},"
                  "{\"r\":\"\xc3\xa9\xf0\x9f\x98\x80\"},{\"d\":\"x\"}"),
    /* Every field of an item operation and of a transaction. */
    HEADER TXN(1, "{\"w\":\"x\",\"v\":1},{\"w\":\"x\",\"v\":2}")
        "{\"txn\":-2,\"session\":-7,\"status\":\"ok\",\"at\":[-5,null],\"ops\":[{\"r\":\"x\","
        "\"v\":1,"
        "\"lock\":\"share\",\"at\":[-4,-4],\"snapshot\":[1,2],\"set\":{\"x\":[1,1],\"y\":null},"
        "\"error\":\"no\"},{\"r\":\"x\",\"lock\":\"update\",\"set\":{\"x\":1}},{\"r\":\"z\","
        "\"set\":"
        "{}}],\"ts\":[1,2,3],\"snapshot\":[0,-1]}\n"
        "{\"txn\":3,\"session\":0,\"status\":\"abort\",\"ops\":[],\"ts\":4}\n",
    /* A refused write is not counted among the writes of its key. */
    HEADER TXN(5, "{\"w\":\"x\",\"v\":1},{\"w\":\"x\",\"v\":2,\"error\":\"e\"},{\"w\":\"x\","
                  "\"v\":3},"
                  "{\"w\":\"x\",\"v\":4,\"error\":\"e\"}")
        "{\"version-order\":{\"x\":[[5,1],5]}}\n",
    /* Statements of each kind, answered and not. */
    TABLE TXN(1, "{\"insert\":\"t\",\"rows\":{\"1\":{\"id\":1,\"v\":\"a\"},\"2\":{\"id\":2,\"v\":"
                 "null}}},{\"update\":\"t\",\"where\":\"id = 1\",\"rows\":{\"1\":{\"id\":1,\"v\":"
                 "\"b\"}},\"at\":[1,2]},{\"delete\":\"t\",\"where\":\"id = 2\",\"rows\":{\"2"
                 "\":null}},"
                 "{\"delete\":\"t\",\"rows\":{}},{\"update\":\"t\",\"where\":\"id = 3\"}")
        TXN(2, "{\"select\":\"t\"},{\"select\":\"t\",\"rows\":{}},{\"select\":\"t\",\"where\":"
               "\"v = 'a'\",\"order\":\"id DESC\",\"limit\":2,\"rows\":[[\"2\",{\"id\":2,\"v"
               "\":null}],"
               "[\"1\",{\"id\":1,\"v\":\"b\"}]],\"lock\":\"update\",\"at\":[1,2],\"snapshot"
               "\":4,\"set\":"
               "{\"t/1\":[1,1],\"t/2\":1}},{\"select\":\"t\",\"limit\":0,\"rows\":[]},"
               "{\"select\":\"t\",\"order\":\"id\"},{\"select\":\"t\",\"values\":{\"min(id)\":1,"
               "\"max(v)\":\"b\",\"count(*)\":2,\"sum(v)\":null}},{\"select\":\"t\",\"values\":{},"
               "\"error\":\"could not serialize access\"},{\"r\":\"t/1\",\"v\":{\"id\":1,\"v"
               "\":\"b\"}}")
        "{\"version-order\":{\"t/1\":[[1,1],1]}}\n"
        "{\"version-order\":{\"t/2\":[[1,1],1]}}\n",
};

static void canonical_text_is_the_same_after_reading_and_writing(void)
{
    for (size_t i = 0; i < ROW_COUNT(canonical); i++) {
        read_text(canonical[i], strlen(canonical[i]), 0);
        write_text();
        TEST_ASSERT_EQUAL_STRING(canonical[i], written.at);
        read_text(canonical[i], strlen(canonical[i]), JSONL_GENERAL_ONLY);
        write_text();
        TEST_ASSERT_EQUAL_STRING(canonical[i], written.at);
    }
}

static void canonical_text_is_the_same_after_passing_through_binary(void)
{
    for (size_t i = 0; i < ROW_COUNT(canonical); i++) {
        read_text(canonical[i], strlen(canonical[i]), 0);
        pass_through_oh();
        write_text();
        TEST_ASSERT_EQUAL_STRING(canonical[i], written.at);
    }
}

static void the_last_line_feed_may_be_missing(void)
{
    for (size_t i = 0; i < ROW_COUNT(canonical); i++) {
        read_text(canonical[i], strlen(canonical[i]) - 1, 0);
        write_text();
        TEST_ASSERT_EQUAL_STRING(canonical[i], written.at);
    }
}

static void what_people_write_by_hand_becomes_canonical(void)
{
    static const struct {
        const char *what, *text, *canonical;
    } rows[] = {
        { "blanks between tokens",
          " { \"ordeal-history\" : 1 }\n\t{\"txn\":1, \"session\": 0,\"status\" :\"ok\",\"ops\":[ "
          "{ \"r\" : \"x\" , \"v\" : [ 1 , 2 ] } ] } \n",
          HEADER TXN(1, "{\"r\":\"x\",\"v\":[1,2]}") },
        { "fields of a transaction in another order",
          HEADER "{\"ops\":[{\"w\":\"a\\n\",\"v\":\"b\\t\"}],\"ts\":1,\"status\":\"ok\",\"at"
                 "\":[1,2],"
                 "\"session\":0,\"txn\":1}\n",
          HEADER "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,2],\"ops\":[{\"w\":\"a\\n\","
                 "\"v\":\"b\\t\"}],\"ts\":1}\n" },
        { "fields of an operation in another order",
          HEADER TXN(1, "{\"r\":\"x\",\"error\":\"e\",\"set\":{\"x\":null},\"snapshot\":3,\"at"
                        "\":[1,2],"
                        "\"lock\":\"share\",\"v\":4}"),
          HEADER TXN(1, "{\"r\":\"x\",\"v\":4,\"lock\":\"share\",\"at\":[1,2],\"snapshot\":3,"
                        "\"set\":"
                        "{\"x\":null},\"error\":\"e\"}") },
        { "fields of the header in another order, initial values before their tables",
          "{\"ordeal-history\":1,\"producer\":\"p\",\"unique\":true,\"initial\":{\"t/1\":{\"id"
          "\":1}},"
          "\"tables\":{\"t\":{\"key\":[\"id\"],\"columns\":{\"id\":\"bigint\"}}}}\n",
          "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\"},\"key\":["
          "\"id\"]}},"
          "\"initial\":{\"t/1\":{\"id\":1}},\"unique\":true,\"producer\":\"p\"}\n" },
        { "idle objects in the header",
          "{\"ordeal-history\":1,\"tables\":{},\"initial\":{}}\n", HEADER },
        { "columns of a table's row in another order",
          TABLE TXN(1, "{\"insert\":\"t\",\"rows\":{\"1\":{\"v\":\"a\",\"id\":1}}}"),
          TABLE TXN(1, "{\"insert\":\"t\",\"rows\":{\"1\":{\"id\":1,\"v\":\"a\"}}}") },
        { "several keys in one version-order line",
          HEADER TXN(1, "{\"w\":\"x\",\"v\":1},{\"w\":\"y\",\"v\":1}")
              "{\"version-order\":{\"y\":[[1,1]],\"x\":[1]}}\n",
          HEADER TXN(1, "{\"w\":\"x\",\"v\":1},{\"w\":\"y\",\"v\":1}")
              "{\"version-order\":{\"y\":[1]}}\n{\"version-order\":{\"x\":[1]}}\n" },
        { "escapes that need not be",
          HEADER TXN(1, "{\"\\u0072\":\"\\u0078\\/\\ud83d\\ude00\\b\",\"v\":\"\\u00e9\"}"),
          HEADER TXN(1, "{\"r\":\"x/\xf0\x9f\x98\x80\\u0008\",\"v\":\"\xc3\xa9\"}") },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        for (unsigned flags = 0; flags <= JSONL_GENERAL_ONLY; flags++) {
            read_text(rows[i].text, strlen(rows[i].text), flags);
            write_text();
            TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].canonical, written.at, rows[i].what);
        }
    }
}

static void columns_hold_what_the_text_says(void)
{
    static const char text[] =
        "{\"ordeal-history\":1,\"workload\":\"w\",\"initial\":{\"x\":5}}\n"
        "{\"txn\":10,\"session\":4,\"status\":\"ok\",\"at\":[1,9],\"ops\":[{\"r\":\"x\",\"v"
        "\":5,\"at\":"
        "[2,3]},{\"w\":\"y\",\"v\":-6},{\"append\":\"l\",\"v\":7},{\"r\":\"l\"},{\"d\":\"x"
        "\"}],\"ts\":3}\n"
        "{\"txn\":11,\"session\":4,\"status\":\"unknown\",\"at\":[10,null],\"ops\":[]}\n"
        "{\"version-order\":{\"y\":[10]}}\n";

    for (unsigned flags = 0; flags <= JSONL_GENERAL_ONLY; flags++) {
        read_text(text, sizeof text - 1, flags);
        TEST_ASSERT_EQUAL_UINT64(2, history.txn_count);
        TEST_ASSERT_EQUAL_UINT64(5, history.op_count);
        TEST_ASSERT_EQUAL_INT64(10, history.txn_id[0]);
        TEST_ASSERT_EQUAL_INT64(4, history.session_id[history.txn_session[1]]);
        TEST_ASSERT_EQUAL_UINT8(TXN_UNKNOWN, history.txn_status[1]);
        TEST_ASSERT_EQUAL_INT64(TIME_NEVER, history.txn_completed[1]);
        TEST_ASSERT_EQUAL_UINT8(OP_READ, history.op_kind[0]);
        TEST_ASSERT_EQUAL_INT64(3, history.op_completed[0]);
        TEST_ASSERT_EQUAL_INT64(TIME_ABSENT, history.op_completed[1]);
        TEST_ASSERT_EQUAL_INT64(-6, history_value(&history, 1).bits);
        TEST_ASSERT_EQUAL_INT(VALUE_NONE, history_value(&history, 3).kind);
        TEST_ASSERT_EQUAL_UINT8(OP_REMOVE, history.op_kind[4]);
        TEST_ASSERT_EQUAL_UINT32(history.op_key[0], history.op_key[4]);
        TEST_ASSERT_EQUAL_INT64(5, history_initial(&history, history.op_key[0]).bits);
        TEST_ASSERT_EQUAL_INT64(3, history_ts(&history, 0).part[0]);
        TEST_ASSERT_EQUAL_UINT(0, history_ts(&history, 1).parts);
        TEST_ASSERT_EQUAL_UINT64(1, history.order_count);
        TEST_ASSERT_EQUAL_UINT32(1, history.order_version[0]);
    }
}

/* Numbers of every length, which the fast path takes eight digits at a time. */
static void numbers_of_every_length_survive(void)
{
    int64_t number = 0;

    for (int digits = 1; digits <= 19; digits++) {
        char text[200];
        number = number * 10 + digits % 10;
        for (int sign = 0; sign < 2; sign++) {
            int64_t signed_number = sign ? -number : number;
            int length = snprintf(text, sizeof text, HEADER TXN(1, "{\"w\":\"x\",\"v\":%lld}"),
                                  (long long)signed_number);
            read_text(text, (size_t)length, 0);
            TEST_ASSERT_EQUAL_INT64(signed_number, history.op_value[0]);
            write_text();
            TEST_ASSERT_EQUAL_STRING(text, written.at);
        }
    }
}

static void only_what_begins_like_a_history_is_taken_for_one(void)
{
    static const struct {
        const char *text;
        bool is_history;
    } rows[] = {
        { "{\"ordeal-history\":1}\n", true },
        { " {\t\"ordeal-history\" : 2", true },
        { "\xef\xbb\xbf{\"ordeal-history\":1}", true }, /* and then refused for its mark */
        { "", false },
        { "{", false },
        { "{\"ordeal-history", false },
        { "[\"ordeal-history\"]", false },
        { "{\"workload\":\"x\",\"ordeal-history\":1}", false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].is_history, jsonl_is_it(text_of(rows[i].text)),
                                  rows[i].text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(canonical_text_is_the_same_after_reading_and_writing);
    RUN_TEST(canonical_text_is_the_same_after_passing_through_binary);
    RUN_TEST(the_last_line_feed_may_be_missing);
    RUN_TEST(what_people_write_by_hand_becomes_canonical);
    RUN_TEST(columns_hold_what_the_text_says);
    RUN_TEST(numbers_of_every_length_survive);
    RUN_TEST(only_what_begins_like_a_history_is_taken_for_one);
    return UNITY_END();
}
