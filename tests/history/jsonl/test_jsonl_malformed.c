/* Each file of the corpus has one fault and is named by it; here is what is said of it. */
#include "history/jsonl/jsonl_read.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define CORPUS "tests/history/jsonl/malformed/"

static const struct {
    const char *fault;
    uint64_t line, offset;
    const char *text;
} rows[] = {
    { "append-list", 2, 82, "transaction 1: operation 1: an append takes an integer" },
    { "append-string", 2, 81, "transaction 1: operation 1: an append takes an integer" },
    { "at-before-the-last", 2, 21,
      "transaction 1: an operation from 11 to 12 was invoked before one that stands in front of it" },
    { "at-completed-before-invoked", 2, 73, "transaction 1: completed before it was invoked" },
    { "at-null-invocation", 2, 71,
      "transaction 1: expected the time of invocation, an integer, found null" },
    { "at-one-time", 2, 71, "transaction 1: expected two times after \"at\", found one" },
    { "at-outside-transaction", 2, 21,
      "transaction 1: an operation from 9 to 12 does not lie within the times of its transaction" },
    { "at-reserved-time", 2, 73, "transaction 1: the time is out of range" },
    { "at-string", 2, 71,
      "transaction 1: expected the time of invocation, an integer, found a string" },
    { "at-three-times", 2, 73, "transaction 1: expected two times after \"at\", found more" },
    { "bad-escape", 2, 69, "transaction 1: operation 1: unknown escape in a string" },
    { "bad-hex-escape", 2, 69,
      "transaction 1: operation 1: \"\\u\" needs four hexadecimal digits" },
    { "blank-line-at-end", 3, 66, "expected one object on each line, found the end of the line" },
    { "blank-line", 2, 21, "expected one object on each line, found the end of the line" },
    { "byte-order-mark", 1, 0,
      "the file begins with a byte order mark: UTF-8 is written without one" },
    { "carriage-return", 2, 65,
      "transaction 1: expected nothing more on this line, found a carriage return (lines end "
      "with a line feed alone)" },
    { "colon-missing", 2, 68,
      "transaction 1: operation 1: expected \":\" after the field's name, found a string" },
    { "comma-missing", 2, 73, "transaction 1: expected \",\" or \"]\", found {" },
    { "control-character-in-key", 2, 70,
      "transaction 1: operation 1: the control character 0x09 stands in a string: escape it" },
    { "cut-off-after-ops", 2, 79,
      "transaction 2: expected \",\" or \"}\", found the end of the line" },
    { "cut-off-in-key", 3, 130, "transaction 2: operation 1: the line ends within a string" },
    { "cut-off-in-number", 2, 77,
      "transaction 2: operation 1: expected \",\" or \"}\", found the end of the line" },
    { "delete-with-value", 2, 72, "transaction 1: operation 1: \"v\" does not go with \"d\"" },
    { "empty", 1, 0, "expected {\"ordeal-history\":1,..., found an empty file" },
    { "header-array", 1, 0, "expected {\"ordeal-history\":1,..., found [" },
    { "header-duplicate-field", 1, 34, "\"unique\" stands here twice" },
    { "header-initial-not-an-object", 1, 30,
      "initial: expected an object of keys and their initial values, found [" },
    { "header-initial-too-deep", 1, 98, "brackets are nested too deep" },
    { "header-initial-twice", 1, 41, "initial: key x already has an initial value" },
    { "header-missing", 1, 1, "expected {\"ordeal-history\":1,... on the first line" },
    { "header-second-field", 1, 1, "expected {\"ordeal-history\":1,... on the first line" },
    { "header-table-key-not-a-column", 1, 68, "table \"t\": t has no column ix for its key" },
    { "header-table-twice", 1, 75, "table t is here twice" },
    { "header-table-unknown-field", 1, 61,
      "table \"t\": unknown field \"keys\": did you mean \"key\"?" },
    { "header-table-unknown-type", 1, 51, "table \"t\": column id of t: no type \"bignit\"" },
    { "header-table-without-key", 1, 51, "table \"t\": a table needs \"columns\" and \"key\"" },
    { "header-trailing-garbage", 1, 21, "expected nothing more on this line, found x" },
    { "header-twice", 2, 22, "the header is the first line alone" },
    { "header-unique-not-boolean", 1, 29, "expected true or false after \"unique\", found 1" },
    { "header-unknown-field", 1, 20, "unknown field \"worklaod\": did you mean \"workload\"?" },
    { "header-version-new", 1, 18, "version 2 is newer than this program reads (1)" },
    { "header-version-string", 1, 18,
      "expected the version of the format, an integer, found a string" },
    { "header-version-zero", 1, 18, "there is no version 0 of this format" },
    { "item-value-no-row-of-its-table", 2, 147,
      "transaction 1: operation 1: the value of t/7 is no row of t" },
    { "limit-negative", 2, 154, "transaction 1: operation 1: a limit is not negative" },
    { "limit-on-update", 2, 146,
      "transaction 1: operation 1: \"limit\" does not go with \"update\"" },
    { "list-of-strings", 2, 77,
      "transaction 1: operation 1: expected an integer, as lists are of integers, found a "
      "string" },
    { "list-trailing-comma", 2, 79,
      "transaction 1: operation 1: expected an integer, as lists are of integers, found ]" },
    { "lock-on-write", 2, 78, "transaction 1: operation 1: \"lock\" does not go with \"w\"" },
    { "lock-unknown", 2, 79,
      "transaction 1: operation 1: unknown lock \"updat\": did you mean \"update\"?" },
    { "lone-surrogate", 2, 69,
      "transaction 1: operation 1: half of a surrogate pair stands alone" },
    { "nested-list", 2, 77,
      "transaction 1: operation 1: expected an integer, as lists are of integers, found [" },
    { "nesting-deep-before-txn", 2, 92, "brackets are nested too deep" },
    { "nesting-deep", 2, 63, "transaction 1: operation 1: expected an operation object, found [" },
    { "number-below-64-bits", 2, 76,
      "transaction 1: operation 1: the number -9223372036854775809 is beyond 64 bits" },
    { "number-beyond-64-bits", 2, 76,
      "transaction 1: operation 1: the number 9223372036854775808 is beyond 64 bits" },
    { "number-exponent", 2, 77,
      "transaction 1: operation 1: fractions and exponents are not allowed: write decimals "
      "as strings" },
    { "number-fraction", 2, 77,
      "transaction 1: operation 1: fractions and exponents are not allowed: write decimals "
      "as strings" },
    { "number-leading-zero", 2, 76,
      "transaction 1: operation 1: a number has no leading zeros and no negative zero" },
    { "number-minus-alone", 2, 77,
      "transaction 1: operation 1: expected a digit after \"-\", found }" },
    { "number-negative-zero", 2, 76,
      "transaction 1: operation 1: a number has no leading zeros and no negative zero" },
    { "number-not-a-number", 2, 76, "transaction 1: operation 1: expected a value, found NaN" },
    { "number-plus", 2, 76, "transaction 1: operation 1: expected a value, found +" },
    { "number-very-long", 2, 76,
      "transaction 1: operation 1: the number "
      "11111111111111111111111111111111111111111111111111111111111111111111111111111111"
      "11111111111111111111111111111111111111111111111111111111111111111111111111111111"
      "1111111111111111111111111111111111111111 is beyond 64 bits" },
    { "object-trailing-comma", 2, 72,
      "transaction 1: operation 1: expected another field, found }" },
    { "op-empty", 2, 63, "transaction 1: operation 1: the operation is empty" },
    { "op-field-near", 2, 72,
      "transaction 1: operation 1: unknown field \"snapshott\": did you mean \"snapshot\"?" },
    { "op-field-twice", 2, 78, "transaction 1: operation 1: \"v\" stands here twice" },
    { "op-field-unknown", 2, 72,
      "transaction 1: operation 1: unknown field \"value\": did you mean \"values\"?" },
    { "op-key-not-a-string", 2, 78,
      "transaction 1: operation 2: expected a key string after \"r\", found 5" },
    { "op-key-not-first", 2, 64,
      "transaction 1: operation 1: unknown operation \"v\": the first field must be r, w, "
      "append, d, select, insert, update or delete" },
    { "op-not-an-object", 2, 63,
      "transaction 1: operation 1: expected an operation object, found [" },
    { "op-two-kinds", 2, 72, "transaction 1: operation 1: unknown field \"w\"" },
    { "op-unknown", 2, 64,
      "transaction 1: operation 1: unknown operation \"read\": the first field must be r, w, "
      "append, d, select, insert, update or delete" },
    { "ops-missing", 2, 56, "transaction 1: \"ops\" is missing" },
    { "order-before-txn", 4, 109, "transaction 2: version orders come after all transactions" },
    { "order-key-twice", 4, 127, "key x already has a version order" },
    { "order-not-alone", 3, 108, "\"version-order\" stands alone on its line" },
    { "order-null", 3, 104,
      "version order of \"x\": expected a version: txn or [txn,n], found null" },
    { "order-of-aborted", 3, 107,
      "version order of \"x\": transaction 1 aborted: version orders list committed writers" },
    { "order-of-overwritten", 3, 123,
      "version order of \"x\": a version of transaction 1 is listed that it overwrote itself, and its "
      "last one is not" },
    { "order-of-refused-write", 3, 117,
      "version order of \"x\": transaction 1 does not write key x" },
    { "order-unknown-txn", 3, 106, "version order of \"x\": no transaction 2" },
    { "order-unknown-write", 3, 107,
      "version order of \"x\": transaction 1 has no write number 2 of key x" },
    { "order-version-twice", 3, 106,
      "version order of \"x\": a version of transaction 1 is twice in the order of key x" },
    { "row-column-twice", 2, 87, "transaction 1: operation 1: row has column a twice" },
    { "row-column-unknown", 2, 170, "transaction 1: operation 1: t has no column w" },
    { "row-incomplete", 2, 164, "transaction 1: operation 1: row of t lacks column v" },
    { "row-key-differs", 2, 170,
      "transaction 1: operation 1: row with key t/7 says that its key is t/8" },
    { "row-key-no-number", 2, 170,
      "transaction 1: operation 1: key t/x: its column id is bigint, which \"x\" does not "
      "spell" },
    { "row-not-null-in-delete", 2, 158,
      "transaction 1: operation 1: expected null, as the row was deleted, found {" },
    { "row-null-in-select", 2, 158,
      "transaction 1: operation 1: expected a row object, found null" },
    { "row-of-wrong-type", 2, 170,
      "transaction 1: operation 1: column v of t is bigint, not text" },
    { "row-twice", 2, 189, "transaction 1: operation 1: row t/7 is here twice" },
    { "row-within-row", 2, 81, "transaction 1: operation 1: expected a column's value, found {" },
    { "rows-and-values", 2, 175,
      "transaction 1: operation 1: a select has \"rows\" or \"values\"" },
    { "rows-array-without-order", 2, 171,
      "transaction 1: operation 1: rows without \"order\" and \"limit\" are an object" },
    { "rows-object-with-order", 2, 182,
      "transaction 1: operation 1: rows with \"order\" or \"limit\" are an array of [key, "
      "row]" },
    { "rows-pair-without-row", 2, 167,
      "transaction 1: operation 1: expected [primary key, row], found no row" },
    { "session-missing", 2, 53, "transaction 1: \"session\" is missing" },
    { "set-key-twice", 3, 0, "key x is twice in a version set" },
    { "set-txn-without-write", 3, 0, "transaction 1 does not write key y" },
    { "set-unknown-txn", 3, 0, "no transaction 7" },
    { "set-version-short", 3, 150,
      "transaction 2: operation 1: a version [txn,n] needs a number of the write from 1 on" },
    { "set-version-zero", 3, 152,
      "transaction 2: operation 1: a version [txn,n] needs a number of the write from 1 on" },
    { "status-missing", 2, 51, "transaction 1: \"status\" is missing" },
    { "status-not-a-string", 2, 51, "transaction 1: expected a status string, found 0" },
    { "status-unknown", 2, 51,
      "transaction 1: unknown status \"aborted\": did you mean \"abort\"?" },
    { "surrogates-swapped", 2, 69,
      "transaction 1: operation 1: half of a surrogate pair stands alone" },
    { "table-unknown", 2, 73, "transaction 1: operation 1: the header has no table \"t\"" },
    { "trailing-garbage", 2, 65, "transaction 1: expected nothing more on this line, found }" },
    { "ts-empty", 2, 70, "transaction 1: a place in brackets has two or three integers" },
    { "ts-four", 2, 77, "transaction 1: expected \"]\" after three integers of a place, found 4" },
    { "ts-null", 2, 70,
      "transaction 1: expected a place: an integer, or an array of two or three, found null" },
    { "ts-one-in-brackets", 2, 71, "transaction 1: a place in brackets has two or three integers" },
    { "two-objects-on-a-line", 2, 65,
      "transaction 1: expected nothing more on this line, found {" },
    { "txn-origin-of-three", 2, 79,
      "transaction 1: an origin is an index, or an index and a process" },
    { "txn-field-twice", 2, 30, "transaction 1: \"txn\" stands here twice" },
    { "txn-field-unknown", 2, 30,
      "transaction 1: unknown field \"sesion\": did you mean \"session\"?" },
    { "txn-missing", 2, 57, "\"txn\" is missing" },
    { "txn-string", 2, 28, "expected the transaction's number, an integer, found a string" },
    { "txn-twice-ids-falling", 4, 111, "transaction 9: transaction 9 is here twice" },
    { "txn-twice", 3, 66, "transaction 1: transaction 1 is here twice" },
    { "utf8-invalid", 2, 69, "transaction 1: operation 1: the string is not UTF-8" },
    { "utf8-overlong", 2, 69, "transaction 1: operation 1: the string is not UTF-8" },
    { "utf8-surrogate", 2, 69, "transaction 1: operation 1: the string is not UTF-8" },
    { "value-missing", 2, 76, "transaction 1: operation 1: expected a value, found }" },
    { "value-word", 2, 76, "transaction 1: operation 1: expected a value, found nul" },
    { "values-twice", 2, 176, "transaction 1: operation 1: min(v) is here twice" },
    { "where-on-insert", 2, 146,
      "transaction 1: operation 1: \"where\" does not go with \"insert\"" },
    { "where-on-read", 2, 72, "transaction 1: operation 1: \"where\" does not go with \"r\"" },
    { "write-without-value", 2, 68, "transaction 1: operation 1: a write needs a value" },
    /* The fast path took these for the key x: the cache of keys padded them with zeros. */
    { "zero-byte-as-key", 2, 79,
      "transaction 1: operation 2: the zero character 0x00 is not allowed" },
    { "zero-byte-behind-known-key", 2, 80,
      "transaction 1: operation 2: the zero character 0x00 is not allowed" },
    { "zero-byte-in-key", 2, 70,
      "transaction 1: operation 1: the zero character 0x00 is not allowed" },
    { "zero-byte", 2, 30,
      "transaction 1: expected another field, found the control character 0x00" },
    { "zero-character-in-key", 2, 70,
      "transaction 1: operation 1: the zero character is not allowed" },};

static struct error err;
static struct source source;
static struct history history;
static char path[300];

void setUp(void)
{
    memset(&err, 0, sizeof err);
}

void tearDown(void)
{
    source_close(&source);
    history_close(&history);
}

static void expect_refusal(size_t row, unsigned flags)
{
    enum status status;

    snprintf(path, sizeof path, CORPUS "%s.jsonl", rows[row].fault);
    memset(&err, 0, sizeof err);
    ASSERT_OK(source_open(&source, path, NULL, &err), &err);
    status = jsonl_read(&source, flags, &history, &err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_BAD_INPUT, status, rows[row].fault);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[row].text, err.text, rows[row].fault);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[row].line, err.line, rows[row].fault);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[row].offset, err.offset, rows[row].fault);
    TEST_ASSERT_EQUAL_STRING(path, err.file);
    TEST_ASSERT_NULL_MESSAGE(history.memory, "a history came out nevertheless");
    source_close(&source);
}

static void each_fault_is_named_with_its_place(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_refusal(i, 0);
}

static void each_fault_is_named_the_same_without_the_fast_path(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        expect_refusal(i, JSONL_GENERAL_ONLY);
}

static void the_table_has_every_file_of_the_corpus(void)
{
    DIR *folder = opendir(CORPUS);
    struct dirent *entry;
    size_t count = 0;

    TEST_ASSERT_NOT_NULL_MESSAGE(folder, CORPUS);
    while ((entry = readdir(folder)))
        count += strstr(entry->d_name, ".jsonl") != NULL;
    closedir(folder);
    TEST_ASSERT_EQUAL_UINT64(ROW_COUNT(rows), count);
}

/* Whatever a file says up to where it ends, half of it is never a history. */
static void a_file_cut_anywhere_in_a_line_is_refused(void)
{
    static const char text[] =
        "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\"},\"key\":["
        "\"id\"]}}}\n"
        "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,9],\"ops\":[{\"w\":\"x\",\"v\":12},"
        "{\"select\":\"t\",\"where\":\"id > 1\",\"rows\":{\"7\":{\"id\":7}},\"at\":[2,3]}],"
        "\"ts\":[1,2]}\n"
        "{\"version-order\":{\"x\":[[1,1]]}}\n";

    for (size_t length = 0; length < sizeof text - 1; length++) {
        /* At the end of a line, with its line feed or without, the file is whole. */
        bool is_whole = length > 0 && (text[length] == '\n' || text[length - 1] == '\n');
        char *copy = malloc(length + 1);
        enum status status;

        TEST_ASSERT_NOT_NULL(copy);
        memcpy(copy, text, length);
        ASSERT_OK(source_open_memory(&source, "memory", copy, length, &err), &err);
        status = jsonl_read(&source, 0, &history, &err);
        TEST_ASSERT_EQUAL_INT(is_whole ? STATUS_OK : STATUS_BAD_INPUT, status);
        history_close(&history);
        source_close(&source);
        free(copy);
    }
}

static void a_very_long_line_is_refused_by_its_number(void)
{
    size_t size = (size_t)4 << 20;
    char *text = malloc(size);

    TEST_ASSERT_NOT_NULL(text);
    memset(text, ' ', size);
    memcpy(text, "{\"ordeal-history\":1}\n{", 22);
    ASSERT_OK(source_open_memory(&source, "memory", text, size, &err), &err);
    source.line_bytes_max = 1000000;
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, jsonl_read(&source, 0, &history, &err));
    TEST_ASSERT_EQUAL_STRING("the line is longer than 1000000 bytes", err.text);
    TEST_ASSERT_EQUAL_UINT64(2, err.line);
    free(text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_fault_is_named_with_its_place);
    RUN_TEST(each_fault_is_named_the_same_without_the_fast_path);
    RUN_TEST(the_table_has_every_file_of_the_corpus);
    RUN_TEST(a_file_cut_anywhere_in_a_line_is_refused);
    RUN_TEST(a_very_long_line_is_refused_by_its_number);
    return UNITY_END();
}
