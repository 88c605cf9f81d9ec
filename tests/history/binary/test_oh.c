#include "history/binary/oh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tests/fixture.h"
#include "tests/history/binary/oh_repair.h"
#include "tests/history/sample.h"
#include "unity.h"

static struct history history;
static struct buffer file; /* what the sample is written as */
static struct error err;

static enum status add_to_buffer(void *context, const void *bytes, size_t size, struct error *e)
{
    buffer_text(context, (struct text){ bytes, size });
    return buffer_status(context, e);
}

void setUp(void)
{
    struct history sample;

    err = (struct error){ 0 };
    history = (struct history){ 0 };
    sample_history(&sample, false);
    ASSERT_OK(oh_write(&sample, add_to_buffer, &file, &err), &err);
    history_close(&sample);
}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&file);
}

/* Reads a copy of exactly this size, so that a sanitizer sees the first byte beyond. */
static enum status read_bytes(const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);

    TEST_ASSERT_NOT_NULL(copy);
    if (size)
        memcpy(copy, bytes, size);
    history_close(&history);
    err = (struct error){ 0 };
    return oh_read("f.oh", copy, size, &history, &err);
}

static void assert_refused(const char *why)
{
    enum status status = read_bytes(file.at, file.count);

    TEST_ASSERT_EQUAL_STRING(why, err.text);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, status);
    TEST_ASSERT_EQUAL_STRING("f.oh", err.file);
    TEST_ASSERT_EQUAL(0, history.txn_count);
}

static unsigned char *bytes_of_file(void)
{
    return (unsigned char *)file.at;
}

/* The entry of a section in the table. */
static size_t entry_of(const char *name)
{
    size_t at;

    for (size_t n = 0; (at = oh_entry(bytes_of_file(), file.count, n)); n++)
        if (strcmp(file.at + at, name) == 0)
            return at;
    TEST_FAIL_MESSAGE(name);
    return 0;
}

static size_t offset_of(const char *name)
{
    return (size_t)oh_number(bytes_of_file() + entry_of(name) + 40, 8);
}

static void set_number(size_t at, uint64_t number, size_t size)
{
    memcpy(file.at + at, &number, size);
}

static void a_file_gives_back_the_history(void)
{
    struct digest before, after;
    struct history sample;

    ASSERT_OK(read_bytes(file.at, file.count), &err);
    sample_history(&sample, false);
    before = history_digest(&sample);
    after = history_digest(&history);
    TEST_ASSERT_EQUAL(history_bytes(&sample), history_bytes(&history));
    TEST_ASSERT_EQUAL(sample.key_order[0], history.key_order[0]);
    TEST_ASSERT_EQUAL(sample.key_initial[0], history.key_initial[0]);
    history_close(&sample);
    TEST_ASSERT_EQUAL_MEMORY(before.bytes, after.bytes, DIGEST_BYTES);
}

static void a_history_read_and_written_is_the_same_file(void)
{
    struct buffer again = { 0 };

    ASSERT_OK(read_bytes(file.at, file.count), &err);
    ASSERT_OK(oh_write(&history, add_to_buffer, &again, &err), &err);
    TEST_ASSERT_EQUAL(file.count, again.count);
    TEST_ASSERT_EQUAL_MEMORY(file.at, again.at, file.count);
    buffer_close(&again);
}

static void absent_columns_have_no_section(void)
{
    struct builder builder;
    struct history empty;

    builder_init(&builder);
    ASSERT_OK(builder_finish(&builder, &empty, &err), &err);
    buffer_clear(&file);
    ASSERT_OK(oh_write(&empty, add_to_buffer, &file, &err), &err);
    history_close(&empty);
    ASSERT_OK(read_bytes(file.at, file.count), &err);
    TEST_ASSERT_NULL(history.txn_ts);
    TEST_ASSERT_NULL(history.op_invoked);
    TEST_ASSERT_NOT_NULL(history.op_value);
}

static void write_file(char *path)
{
    int descriptor = mkstemp(path);

    TEST_ASSERT_TRUE(descriptor >= 0);
    TEST_ASSERT_EQUAL(file.count, write(descriptor, file.at, file.count));
    TEST_ASSERT_EQUAL(0, close(descriptor));
}

static void a_file_is_mapped(void)
{
    char path[] = "/tmp/ordeal-test-oh-XXXXXX";

    write_file(path);
    ASSERT_OK(oh_map(path, &history, &err), &err);
    TEST_ASSERT_EQUAL(0, unlink(path));
    TEST_ASSERT_EQUAL(3, history.txn_count);
    TEST_ASSERT_TRUE(text_equal(TEXT("x"), history_key(&history, 0)));
}

static void a_mapped_file_is_refused_by_its_name(void)
{
    char path[] = "/tmp/ordeal-test-oh-XXXXXX";
    size_t offset = offset_of("op_key");
    enum status status;

    file.at[offset] ^= 4;
    write_file(path);
    status = oh_map(path, &history, &err);
    TEST_ASSERT_EQUAL(0, unlink(path));
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, status);
    TEST_ASSERT_EQUAL_STRING(path, err.file);
    TEST_ASSERT_EQUAL(offset, err.offset);
    TEST_ASSERT_EQUAL_STRING("section op_key: checksum does not match: the file is damaged",
                             err.text);
    TEST_ASSERT_EQUAL(STATUS_IO, oh_map(path, &history, &err));
    TEST_ASSERT_EQUAL_STRING("cannot be opened: No such file or directory", err.text);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, oh_map("/", &history, &err));
    TEST_ASSERT_EQUAL_STRING("not an .oh file: no plain file", err.text);
}

static void each_flipped_bit_is_noticed(void)
{
    for (size_t i = 0; i < file.count; i++) {
        file.at[i] = (char)(file.at[i] ^ 1 << i % 8);
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, read_bytes(file.at, file.count), err.text);
        file.at[i] = (char)(file.at[i] ^ 1 << i % 8);
    }
    ASSERT_OK(read_bytes(file.at, file.count), &err);
}

static void each_missing_byte_is_noticed(void)
{
    for (size_t size = 0; size < file.count; size++)
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, read_bytes(file.at, size));
    file.count = offset_of("op_value") + 1;
    assert_refused("section op_value: the file is cut short: it ends before");
    TEST_ASSERT_EQUAL(offset_of("op_value"), err.offset);
    file.count = 12;
    assert_refused("header: the file is cut short: 12 of 64 bytes");
    file.count = 7;
    assert_refused("not an .oh file: its first bytes are others");
}

static void bytes_too_many_are_noticed(void)
{
    size_t size = file.count;

    buffer_byte(&file, 0);
    assert_refused("1 bytes too many after the last section");
    TEST_ASSERT_EQUAL(size, err.offset);
}

static void what_cannot_be_a_table_of_sections_is_refused(void)
{
    static const struct {
        const char *section;
        size_t place, size;
        uint64_t value;
        const char *why;
    } rows[] = {
        { "op_key", 28, 4, 8, "section op_key: elements of another size" },
        { "op_key", 32, 8, UINT64_MAX / 2, "section op_key: count and size do not go together" },
        { "txn_op", 32, 8, 0, "section txn_op: count and size do not go together" },
        { "op_key", 40, 8, 0, "section op_key: not where the section before it ends" },
        { "op_key", 40, 8, UINT64_MAX - 63,
          "section op_key: not where the section before it ends" },
        { "op_kind", 48, 8, UINT64_MAX, "section op_kind: count and size do not go together" },
        { "op_key", 0, 1, 'z', "section zp_key: no section has this name" },
        { "txn_id", 4, 4, 0, "section txn_: no section has this name" },
        { "op_flags", 27, 1, 'z', "section op_flags: no section has this name" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct buffer whole = { 0 };
        buffer_text(&whole, (struct text){ file.at, file.count });
        set_number(entry_of(rows[i].section) + rows[i].place, rows[i].value, rows[i].size);
        oh_repair(bytes_of_file(), file.count);
        assert_refused(rows[i].why);
        buffer_close(&file);
        file = whole;
    }
}

/* Count and size agree here, but not with the columns beside it. */
static void columns_of_a_group_have_one_count(void)
{
    size_t at = entry_of("op_flags");

    set_number(at + 32, 15, 8);
    set_number(at + 48, 15, 8);
    oh_repair(bytes_of_file(), file.count);
    assert_refused("section op_flags: not as many elements as the columns beside it");
}

static void sections_have_their_order_and_the_mandatory_ones_must_be_there(void)
{
    size_t kind = entry_of("op_kind"), flags = entry_of("op_flags");
    char entry[OH_SECTION_SIZE];

    memcpy(entry, file.at + kind, sizeof entry);
    memcpy(file.at + kind, file.at + flags, sizeof entry);
    memcpy(file.at + flags, entry, sizeof entry);
    oh_repair(bytes_of_file(), file.count);
    assert_refused("section op_kind: missing, or not in its place");
}

static void headers_are_refused_that_we_cannot_read(void)
{
    static const struct {
        size_t place, size;
        uint64_t value;
        const char *why;
    } rows[] = {
        { 8, 4, 2, "version 2, but we read version 1" },
        { 12, 4, 1000000, "header: 1000000 sections, more than there are" },
        { 16, 8, 0, "header: not the size of its sections" },
        { 24, 4, 1000, "the workload is text 1000 of 23" },
        { 32, 4, 2, "header: unique is 2" },
        { 36, 4, 2, "header: what must be zero is not" },
        { 52, 4, 2, "header: what must be zero is not" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct buffer whole = { 0 };
        buffer_text(&whole, (struct text){ file.at, file.count });
        set_number(rows[i].place, rows[i].value, rows[i].size);
        oh_repair(bytes_of_file(), file.count);
        assert_refused(rows[i].why);
        buffer_close(&file);
        file = whole;
    }
}

static void padding_is_zero(void)
{
    size_t offset = offset_of("op_flags");

    file.at[offset - 1] = 1;
    assert_refused("section op_flags: the bytes before it are not zero");
}

static void what_checksums_cannot_see_the_check_sees(void)
{
    set_number(offset_of("op_key"), 99, 4);
    oh_repair(bytes_of_file(), file.count);
    assert_refused("column op_key, element 0: key 99 of 7");
}

/* Every byte in turn says something else, and its checksum vouches for it. */
static void no_lie_leads_beyond_the_columns(void)
{
    static const unsigned char lies[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    size_t head = oh_number(bytes_of_file() + 12, 4) * OH_SECTION_SIZE + OH_HEADER_SIZE;
    size_t accepted = 0, refused = 0;

    for (size_t i = head; i < file.count; i++) {
        for (size_t lie = 0; lie < ROW_COUNT(lies); lie++) {
            char before = file.at[i];
            file.at[i] = (char)lies[lie];
            oh_repair(bytes_of_file(), file.count);
            if (read_bytes(file.at, file.count) == STATUS_OK) {
                (void)history_digest(&history);
                accepted++;
            } else {
                refused++;
            }
            file.at[i] = before;
        }
    }
    TEST_ASSERT_TRUE(accepted > 100);
    TEST_ASSERT_TRUE(refused > 1000);
}

static enum status refuse_to_write(void *context, const void *bytes, size_t size, struct error *e)
{
    (void)bytes;
    (void)size;
    if (--*(int *)context == 0)
        return error_set(e, STATUS_IO, "no room left");
    return STATUS_OK;
}

static void a_writer_that_fails_is_heard(void)
{
    ASSERT_OK(read_bytes(file.at, file.count), &err);
    for (int calls = 1; calls < 20; calls++) {
        int left = calls;
        TEST_ASSERT_EQUAL(STATUS_IO, oh_write(&history, refuse_to_write, &left, &err));
        TEST_ASSERT_EQUAL(0, left);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_file_gives_back_the_history);
    RUN_TEST(a_history_read_and_written_is_the_same_file);
    RUN_TEST(absent_columns_have_no_section);
    RUN_TEST(a_file_is_mapped);
    RUN_TEST(a_mapped_file_is_refused_by_its_name);
    RUN_TEST(each_flipped_bit_is_noticed);
    RUN_TEST(each_missing_byte_is_noticed);
    RUN_TEST(bytes_too_many_are_noticed);
    RUN_TEST(what_cannot_be_a_table_of_sections_is_refused);
    RUN_TEST(columns_of_a_group_have_one_count);
    RUN_TEST(sections_have_their_order_and_the_mandatory_ones_must_be_there);
    RUN_TEST(headers_are_refused_that_we_cannot_read);
    RUN_TEST(padding_is_zero);
    RUN_TEST(what_checksums_cannot_see_the_check_sees);
    RUN_TEST(no_lie_leads_beyond_the_columns);
    RUN_TEST(a_writer_that_fails_is_heard);
    return UNITY_END();
}
