#include "tests/store/clients/round_trip.h"

#include <stdlib.h>
#include <string.h>

#include "history/binary/oh.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;

static enum status add_to_buffer(void *context, const void *bytes, size_t size, struct error *e)
{
    buffer_text(context, (struct text){ bytes, size });
    return buffer_status(context, e);
}

void round_trip_print(const struct history *h, struct buffer *to)
{
    struct sink sink;

    sink_open_memory(&sink, to);
    ASSERT_OK(jsonl_write(h, &sink, NULL, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
}

static void read_text(const struct buffer *text, struct history *h)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "history", text->at, text->count, &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, h, &err), &err);
    source_close(&source);
}

void round_trip(const struct history *h)
{
    struct buffer first = { 0 }, binary = { 0 }, second = { 0 };
    struct history read, mapped;
    char *copy;

    round_trip_print(h, &first);
    read_text(&first, &read);
    ASSERT_OK(oh_write(&read, add_to_buffer, &binary, &err), &err);
    copy = malloc(binary.count);
    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, binary.at, binary.count);
    ASSERT_OK(oh_read("history.oh", copy, binary.count, &mapped, &err), &err);
    round_trip_print(&mapped, &second);
    TEST_ASSERT_EQUAL(first.count, second.count);
    TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
    history_close(&read);
    history_close(&mapped);
    buffer_close(&first);
    buffer_close(&binary);
    buffer_close(&second);
}
