#include "tests/history/foreign/foreign_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "history/jsonl/jsonl_write.h"
#include "tests/fixture.h"
#include "unity.h"

#define ROW(format, foreign, text) { FORMAT_##format, &foreign_##foreign, text, sizeof(text) - 1 }

/* dbcop's binary: two sessions; w(1,5) and r(1,5). */
#define NUMBER(low) low "\0\0\0\0\0\0\0"
#define DBCOP_EVENT(is_write, key, value) is_write NUMBER(key) NUMBER(value) "\1"

const struct foreign_row foreign_rows[] = {
    ROW(PLUME, plume, "w(1,5,0,0)\nr(2,0,0,0)\nr(1,5,1,1)\nw(1,6,1,-1)\n"),
    ROW(AWDIT_TEST, awdit_test, "w 0 1\nw 1 1\n----\nr 1 1\n====\nr 0 1\n"),
    ROW(DBCOP, dbcop,
        NUMBER("\0") NUMBER("\2") NUMBER("\1") NUMBER("\2") NUMBER("\2") NUMBER("\2") "ab"
        NUMBER("\0") NUMBER("\0") NUMBER("\2")
        NUMBER("\1") NUMBER("\1") DBCOP_EVENT("\1", "\1", "\5") "\1"
        NUMBER("\1") NUMBER("\1") DBCOP_EVENT("\0", "\1", "\5") "\1"),
    ROW(JEPSEN_EDN, jepsen_edn,
        "[{:index 0, :type :invoke, :process 3, :time 12, :f :txn, :value [[:append 8 1] [:r 9 "
        "nil]]}\n{:index 1, :type :ok, :process 3, :time 47, :f :txn, :value [[:append 8 1] [:r 9 "
        "[]]]}]\n"),
    ROW(JEPSEN_JSON, jepsen_json,
        "[{\"index\":0,\"type\":\"ok\",\"process\":3,\"f\":\"txn\",\"value\":[[\"w\",8,1],[\"r\","
        "\"a\",[1,2]]]},\n{\"index\":1,\"type\":\"fail\",\"process\":3,\"f\":\"txn\",\"value\":[]}]"
        "\n"),
    ROW(DBCOP_JSON, dbcop_json,
        "[[{\"events\":[{\"Write\":{\"variable\":3,\"version\":1}},{\"Read\":{\"variable\":4,"
        "\"version\":null}}],\"committed\":true}]]\n"),
    ROW(CHRONOS, chronos,
        "[{\"tid\":67,\"sid\":1,\"sts\":{\"p\":10,\"l\":1},\"cts\":{\"p\":11,\"l\":0},\"ops\":["
        "{\"t\":\"w\",\"k\":7,\"v\":2},{\"t\":\"r\",\"k\":8}]}]\n"),
    ROW(VIPER, viper,
        "{\"value\":[[\"w\",7,1,null]],\"isInitial\":true}\n"
        "{\"value\":[[\"r\",7,1,false],[\"w\",\"a\",8,true]]}\n"),
    ROW(PORCUPINE, porcupine,
        "INFO  jepsen.core - Worker 0 starting\nINFO  jepsen.util - 0\t:invoke\t:write\t7\n"
        "INFO  jepsen.util - 0\t:ok\t:write\t7\n"),
    ROW(ISOPREDICT, isopredict,
        "WRITE KEY[y] Txn(1, 0)\nREAD KEY[y] Txn(2, 0) From(1, 0)\nINSERT[5] to Set[s] Txn(2, 0)\n"
        "CONTAINS[5] in Set[s] From(2, 0) Txn(1, 1)\n"),
};

const size_t foreign_row_count = ROW_COUNT(foreign_rows);

enum status foreign_read_text(const struct foreign *foreign, const char *text, size_t size,
                              struct history *history, struct error *err)
{
    struct source source;
    enum status status;

    *history = (struct history){ 0 };
    ASSERT_OK(source_open_memory(&source, "input", text, size, err), err);
    status = foreign->read(&source, history, err);
    source_close(&source);
    return status;
}

char *foreign_native(const struct history *history)
{
    struct buffer out = { 0 };
    struct error err = { 0 };
    struct sink sink;
    char *lines;

    sink_open_memory(&sink, &out);
    ASSERT_OK(jsonl_write(history, &sink, NULL, &err), &err);
    sink_close(&sink);
    buffer_byte(&out, '\0');
    lines = strdup(strchr(out.at, '\n') + 1);
    buffer_close(&out);
    return lines;
}

void foreign_expect(const struct foreign *foreign, const char *text, const char *wanted)
{
    struct error err = { 0 };
    struct history history;
    char *found;

    ASSERT_OK(foreign_read_text(foreign, text, strlen(text), &history, &err), &err);
    found = foreign_native(&history);
    history_close(&history);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, found, text);
    free(found);
}

void foreign_expect_refusal(const struct foreign *foreign, const char *text, uint64_t line,
                            const char *why)
{
    struct error err = { 0 };
    struct history history;

    TEST_ASSERT_EQUAL_MESSAGE(
        STATUS_BAD_INPUT, foreign_read_text(foreign, text, strlen(text), &history, &err), text);
    TEST_ASSERT_EQUAL_STRING(why, err.text);
    TEST_ASSERT_EQUAL_STRING("input", err.file);
    TEST_ASSERT_EQUAL_UINT64(line, err.line);
}
