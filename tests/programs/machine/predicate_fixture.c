#include "tests/programs/machine/predicate_fixture.h"

#include <stdio.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "tests/fixture.h"
#include "unity.h"

static const char *const header =
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"a\":\"int\",\"z\":"
    "\"smallint\",\"m\":\"numeric(8,2)\",\"s\":\"varchar(4)\",\"f\":\"boolean\",\"w\":"
    "\"timestamp\","
    "\"l\":\"bigint[]\",\"Order\":\"bigint\",\"c\":\"char(3)\"},\"key\":[\"id\"]},"
    "\"u\":{\"columns\":{\"k\":\"text\",\"v\":\"numeric\"},\"key\":[\"k\"]}}}\n";

static const char *const rows =
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"insert\":\"t\",\"rows\":{"
    "\"1\":{\"id\":1,\"a\":10,\"z\":1,\"m\":\"12.30\",\"s\":\"ab\",\"f\":true,\"w\":1000000000,"
    "\"l\":[1,2],\"Order\":7,\"c\":\"x\"},"
    "\"2\":{\"id\":2,\"a\":20,\"z\":-1,\"m\":\"-0.50\",\"s\":\"\",\"f\":false,\"w\":0,"
    "\"l\":[],\"Order\":8,\"c\":null},"
    "\"3\":{\"id\":3,\"a\":null,\"z\":null,\"m\":null,\"s\":null,\"f\":null,\"w\":null,"
    "\"l\":null,\"Order\":null,\"c\":null},"
    "\"4\":{\"id\":4,\"a\":-3,\"z\":3,\"m\":\"0.00\",\"s\":\"it's\",\"f\":true,\"w\":-1000000000,"
    "\"l\":[5],\"Order\":null,\"c\":null},"
    "\"5\":{\"id\":5,\"a\":0,\"z\":0,\"m\":\"12.3\",\"s\":\"AB\",\"f\":null,\"w\":2000000000,"
    "\"l\":[2,2,2],\"Order\":0,\"c\":null},"
    "\"6\":{\"id\":6,\"a\":2147483647,\"z\":-32768,\"m\":\"99.99\",\"s\":\"\xc3\xa9\xc3\xa9\","
    "\"f\":false,\"w\":1500000000,\"l\":null,\"Order\":9223372036854775807,\"c\":null}}},"
    "{\"insert\":\"u\",\"rows\":{\"x\":{\"k\":\"x\",\"v\":\"1.0\"}}}]}\n";

struct history predicate_history_of(const char *lines)
{
    struct error err = { 0 };
    struct history history = { 0 };
    struct source source;

    ASSERT_OK(source_open_memory(&source, "fixture", lines, strlen(lines), &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
    source_close(&source);
    return history;
}

struct history predicate_history(const char *operations)
{
    struct buffer lines = { 0 };
    struct history history;

    buffer_text(&lines, text_of(header));
    buffer_text(&lines, text_of(rows));
    if (operations) {
        buffer_text(&lines, TEXT("{\"txn\":7,\"session\":0,\"status\":\"ok\",\"ops\":["));
        buffer_text(&lines, text_of(operations));
        buffer_text(&lines, TEXT("]}\n"));
    }
    buffer_byte(&lines, '\0');
    history = predicate_history_of(lines.at);
    buffer_close(&lines);
    return history;
}

/* The insert into t is operation 0, and its rows are those behind it. */
struct value predicate_row(const struct history *history, uint32_t row)
{
    TEST_ASSERT_TRUE(row < PREDICATE_ROWS);
    return history_value(history, row + 1);
}

struct value predicate_other_row(const struct history *history)
{
    return history_value(history, PREDICATE_ROWS + 2);
}
