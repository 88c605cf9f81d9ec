/* Files of other tools that were cut, changed or made up: refused with their place, or read as they stand. */
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/history/foreign/foreign_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void) {}

/* Whether the bytes are a history; whatever they are, the reader says so as it should. */
static bool is_read(const struct foreign_row *row, const char *bytes, size_t size)
{
    char *exact = malloc(size + 1); /* nothing is behind the last byte */
    struct error err = { 0 };
    struct history history;
    enum status status;

    memcpy(exact, bytes, size);
    status = foreign_read_text(row->foreign, exact, size, &history, &err);
    free(exact);
    if (status == STATUS_OK) {
        ASSERT_OK(history_check(&history, &err), &err);
        history_close(&history);
        return true;
    }
    TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, status, err.text);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("input", err.file, err.text);
    TEST_ASSERT_TRUE_MESSAGE(strlen(err.text) > 0, format_name(row->format));
    TEST_ASSERT_NULL(history.memory);
    return false;
}

static char *copy_of(const struct foreign_row *row)
{
    char *bytes = malloc(row->size * 2 + 1);

    memcpy(bytes, row->text, row->size);
    return bytes;
}

static void what_is_whole_is_read(void)
{
    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];

        TEST_ASSERT_TRUE_MESSAGE(is_read(row, row->text, row->size), format_name(row->format));
        TEST_ASSERT_TRUE(row->foreign->is_it((struct text){ row->text, row->size }));
    }
}

/* Where brackets or counts say how far it goes, every cut shows but that of the last line feed. */
static void what_is_cut_off_is_refused_where_it_shows(void)
{
    static const enum format closed[] = { FORMAT_DBCOP, FORMAT_JEPSEN_EDN, FORMAT_JEPSEN_JSON,
                                          FORMAT_DBCOP_JSON, FORMAT_CHRONOS };

    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];
        bool is_closed = false;

        for (size_t i = 0; i < ROW_COUNT(closed); i++)
            is_closed |= closed[i] == row->format;
        for (size_t size = 1; size < row->size; size++) {
            bool is_whole = is_read(row, row->text, size);

            TEST_ASSERT_FALSE_MESSAGE(is_closed && size + 1 < row->size && is_whole,
                                      format_name(row->format));
        }
    }
}

static void a_changed_bit_is_refused_or_read_as_it_stands(void)
{
    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];
        char *bytes = copy_of(row);

        for (size_t bit = 0; bit < 8 * row->size; bit++) {
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
            (void)is_read(row, bytes, row->size);
            bytes[bit / 8] = row->text[bit / 8];
        }
        free(bytes);
    }
}

/* In place of a byte, and before it; but for lines and comments that nobody looks at. */
static void a_zero_byte_in_a_text_is_refused(void)
{
    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];
        bool passes_lines = row->format == FORMAT_PORCUPINE || row->format == FORMAT_ISOPREDICT;
        char *bytes = copy_of(row);

        for (size_t at = 0; at < row->size && row->format != FORMAT_DBCOP; at++) {
            bool as_it_is, with_one;

            bytes[at] = 0;
            as_it_is = is_read(row, bytes, row->size);
            memcpy(bytes + at + 1, row->text + at, row->size - at);
            with_one = is_read(row, bytes, row->size + 1);
            memcpy(bytes, row->text, row->size);
            if (!passes_lines) {
                TEST_ASSERT_FALSE_MESSAGE(as_it_is, format_name(row->format));
                TEST_ASSERT_FALSE_MESSAGE(with_one, format_name(row->format));
            }
        }
        free(bytes);
    }
}

/* The text with each line feed behind a carriage return, or without the last; to be freed. */
static char *with_returns(const char *text, bool has_returns, bool has_last)
{
    struct buffer out = { 0 };

    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '\n' && has_returns)
            buffer_byte(&out, '\r');
        if (text[i] != '\n' || text[i + 1] || has_last)
            buffer_byte(&out, text[i]);
    }
    buffer_byte(&out, '\0');
    return out.at;
}

static void lines_may_end_in_carriage_returns_and_the_last_in_nothing(void)
{
    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];
        struct error err = { 0 };
        struct history history;
        char *native;

        if (row->format == FORMAT_DBCOP)
            continue;
        ASSERT_OK(foreign_read_text(row->foreign, row->text, row->size, &history, &err), &err);
        native = foreign_native(&history);
        history_close(&history);
        for (int i = 0; i < 3; i++) {
            char *text = with_returns(row->text, i > 0, i == 1);

            foreign_expect(row->foreign, text, native);
            free(text);
        }
        free(native);
    }
}

/* Each number in turn is one that nothing can hold: who looks at it refuses it. */
static void a_number_out_of_range_is_refused(void)
{
    static const char large[] = "99999999999999999999";

    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];
        size_t refused = 0, tried = 0;

        for (size_t at = 0; at < row->size && row->format != FORMAT_DBCOP; at++) {
            size_t digits = strspn(row->text + at, "0123456789");
            struct buffer text = { 0 };

            if (digits == 0)
                continue;
            buffer_text(&text, (struct text){ row->text, at });
            buffer_text(&text, text_of(large));
            buffer_text(&text, text_of(row->text + at + digits));
            tried++;
            refused += !is_read(row, text.at, text.count);
            buffer_close(&text);
            at += digits;
        }
        /* An element's name, a worker's, and what comes of others: a text may be anything. */
        TEST_ASSERT_TRUE_MESSAGE(refused + 4 >= tried, format_name(row->format));
        TEST_ASSERT_TRUE_MESSAGE(tried == 0 || refused > 0, format_name(row->format));
    }
}

/* dbcop's counts say how much is to come: no more is believed than is there. */
static void a_count_out_of_reason_is_refused(void)
{
    static const uint64_t counts[] = { UINT64_MAX,       (uint64_t)1 << 63, (uint64_t)1 << 62,
                                       (uint64_t)1 << 32, UINT32_MAX,        1000000000 };
    const struct foreign_row *row = NULL;
    char *bytes;

    for (size_t f = 0; f < foreign_row_count; f++)
        if (foreign_rows[f].format == FORMAT_DBCOP)
            row = &foreign_rows[f];
    TEST_ASSERT_NOT_NULL(row);
    bytes = copy_of(row);
    for (size_t at = 0; at + 8 <= row->size; at++)
        for (size_t c = 0; c < ROW_COUNT(counts); c++) {
            for (int i = 0; i < 8; i++)
                bytes[at + (size_t)i] = (char)(counts[c] >> 8 * i);
            (void)is_read(row, bytes, row->size);
            memcpy(bytes, row->text, row->size);
        }
    free(bytes);
}

static bool is_in_string(const char *text, size_t at)
{
    bool is_open = false;

    for (size_t i = 0; i < at; i++)
        is_open ^= text[i] == '"';
    return is_open;
}

/* Brackets without end, at each place but in strings: refused at once, whatever reads them. */
static void brackets_without_end_are_refused(void)
{
    static const char *const brackets[] = { "[", "{", "#_[", "[[1],", "{\"a\":" };

    for (size_t f = 0; f < foreign_row_count; f++) {
        const struct foreign_row *row = &foreign_rows[f];

        if (row->format == FORMAT_DBCOP || row->format == FORMAT_ISOPREDICT ||
            row->format == FORMAT_PORCUPINE)
            continue;
        for (size_t at = 0; at < row->size; at += 3)
            for (size_t b = 0; b < ROW_COUNT(brackets) && !is_in_string(row->text, at); b++) {
                struct buffer text = { 0 };

                buffer_text(&text, (struct text){ row->text, at });
                for (int i = 0; i < 1000; i++)
                    buffer_text(&text, text_of(brackets[b]));
                buffer_text(&text, text_of(row->text + at));
                TEST_ASSERT_FALSE_MESSAGE(is_read(row, text.at, text.count),
                                          format_name(row->format));
                buffer_close(&text);
            }
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_whole_is_read);
    RUN_TEST(what_is_cut_off_is_refused_where_it_shows);
    RUN_TEST(a_changed_bit_is_refused_or_read_as_it_stands);
    RUN_TEST(a_zero_byte_in_a_text_is_refused);
    RUN_TEST(lines_may_end_in_carriage_returns_and_the_last_in_nothing);
    RUN_TEST(a_number_out_of_range_is_refused);
    RUN_TEST(a_count_out_of_reason_is_refused);
    RUN_TEST(brackets_without_end_are_refused);
    return UNITY_END();
}
