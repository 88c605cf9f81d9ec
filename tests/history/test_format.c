#include "history/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/io/sink.h"
#include "tests/fixture.h"
#include "unity.h"

static const char text[] =
    "{\"ordeal-history\":1,\"workload\":\"w\"}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":1}]}\n"
    "{\"version-order\":{\"x\":[1]}}\n";

static struct error err;
static struct history history;
static char folder[64];
static char path[128], other[128];

void setUp(void) /* an empty folder, and the names of two files in it */
{
    memset(&err, 0, sizeof err);
    strcpy(folder, "/tmp/ordeal-format-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/one", folder);
    snprintf(other, sizeof other, "%s/other.zst", folder);
}

void tearDown(void)
{
    char command[128];

    history_close(&history);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

static void write_file(const char *name, const char *bytes, size_t size)
{
    struct sink sink;

    ASSERT_OK(sink_open(&sink, name, &err), &err);
    ASSERT_OK(sink_write(&sink, bytes, size, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
}

static void expect_file(const char *name, const char *wanted)
{
    char bytes[1024];
    FILE *file = fopen(name, "rb");
    size_t size;

    TEST_ASSERT_NOT_NULL_MESSAGE(file, name);
    size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size] = 0;
    TEST_ASSERT_EQUAL_STRING(wanted, bytes);
}

static void expect_refusal(const char *name, enum format format, const char *wanted)
{
    memset(&err, 0, sizeof err);
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT,
                          format_read_history(name, format, NULL, &history, &err));
    TEST_ASSERT_EQUAL_STRING(wanted, err.text);
    TEST_ASSERT_EQUAL_STRING(name, err.file);
    TEST_ASSERT_NULL(history.memory);
}

static void names_and_formats_go_together(void)
{
    enum format format;

    for (enum format f = 0; f < FORMAT_COUNT; f++) {
        TEST_ASSERT_TRUE(format_of_text(text_of(format_name(f)), &format));
        TEST_ASSERT_EQUAL_INT(f, format);
        TEST_ASSERT_EQUAL_STRING(format_name(f), format_names()[f]);
        TEST_ASSERT_TRUE(strlen(format_description(f)) > 0);
    }
    TEST_ASSERT_NULL(format_names()[FORMAT_COUNT]);
    TEST_ASSERT_FALSE(format_of_text(TEXT("json"), &format));
}

static void a_format_is_seen_from_the_content_not_from_the_name(void)
{
    static const enum format formats[] = { FORMAT_JSONL, FORMAT_OH };

    write_file(path, text, sizeof text - 1);
    for (size_t i = 0; i < ROW_COUNT(formats); i++) {
        ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &history, &err), &err);
        /* The second name says that it is compressed, and nothing of the format. */
        ASSERT_OK(format_write_history(&history, formats[i], other, NULL, &err), &err);
        history_close(&history);
        ASSERT_OK(format_read_history(other, FORMAT_ANY, NULL, &history, &err), &err);
        ASSERT_OK(format_write_history(&history, FORMAT_JSONL, path, NULL, &err), &err);
        expect_file(path, text);
        ASSERT_OK(format_write_history(&history, FORMAT_OH, path, NULL, &err), &err);
        history_close(&history);
        ASSERT_OK(format_read_history(path, FORMAT_ANY, NULL, &history, &err), &err);
        ASSERT_OK(format_write_history(&history, FORMAT_JSONL, path, NULL, &err), &err);
        expect_file(path, text);
        history_close(&history);
    }
}

static void a_forced_format_that_is_wrong_is_refused_as_such(void)
{
    write_file(path, text, sizeof text - 1);
    ASSERT_OK(format_read_history(path, FORMAT_JSONL, NULL, &history, &err), &err);
    ASSERT_OK(format_write_history(&history, FORMAT_OH, other, NULL, &err), &err);
    history_close(&history);
    expect_refusal(path, FORMAT_OH, "this file is in format jsonl, not oh");
    expect_refusal(other, FORMAT_JSONL, "this file is in format oh, not jsonl");
}

static void what_is_of_no_format_is_refused(void)
{
    write_file(path, "txn 1\n", 6);
    expect_refusal(path, FORMAT_ANY,
                   "no format of histories is known that begins so: native text begins with "
                   "{\"ordeal-history\":1,...");
    expect_refusal(path, FORMAT_OH, "this file is not in format oh");
    expect_refusal(path, FORMAT_JSONL, "expected {\"ordeal-history\":1,..., found txn");
    TEST_ASSERT_EQUAL_UINT64(1, err.line);
    write_file(path, "", 0);
    expect_refusal(path, FORMAT_ANY,
                   "the file is empty: a history begins with {\"ordeal-history\":1,...");
    expect_refusal(path, FORMAT_JSONL, "expected {\"ordeal-history\":1,..., found an empty file");
}

static void a_file_that_is_refused_on_reading_names_the_line(void)
{
    write_file(path, text, sizeof text - 3);
    expect_refusal(path, FORMAT_ANY,
                   "expected \",\" or \"}\", found the end of the line");
    TEST_ASSERT_EQUAL_UINT64(3, err.line);
    TEST_ASSERT_EQUAL_UINT64(sizeof text - 3, err.offset);
}

static void count_reports(void *context, uint64_t done, uint64_t total)
{
    int *count = context;

    TEST_ASSERT_TRUE(done <= total);
    *count += 1;
}

static void reading_and_writing_tell_how_far_they_are(void)
{
    int count = 0;
    struct progress progress = { .report = count_reports, .context = &count };

    write_file(path, text, sizeof text - 1);
    ASSERT_OK(format_read_history(path, FORMAT_ANY, &progress, &history, &err), &err);
    TEST_ASSERT_TRUE(count > 0);
    count = 0;
    ASSERT_OK(format_write_history(&history, FORMAT_JSONL, other, &progress, &err), &err);
    TEST_ASSERT_TRUE(count > 0);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(names_and_formats_go_together);
    RUN_TEST(a_format_is_seen_from_the_content_not_from_the_name);
    RUN_TEST(a_forced_format_that_is_wrong_is_refused_as_such);
    RUN_TEST(what_is_of_no_format_is_refused);
    RUN_TEST(a_file_that_is_refused_on_reading_names_the_line);
    RUN_TEST(reading_and_writing_tell_how_far_they_are);
    return UNITY_END();
}
