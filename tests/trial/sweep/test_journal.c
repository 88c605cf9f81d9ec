#include "trial/sweep/journal_private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fixture.h"
#include "unity.h"

static char path[] = "/tmp/test_journal.XXXXXX";
static struct journal journal;
static struct buffer seen; /* the lines that a reader saw, each with its end */
static struct error err;

static enum status see(void *context, struct text text, uint64_t number, struct error *why)
{
    (void)context;
    (void)number;
    if (text_equal(text, TEXT("refuse me")))
        return error_set(why, STATUS_BAD_INPUT, "as it asks");
    buffer_text(&seen, text);
    buffer_byte(&seen, '\n');
    return STATUS_OK;
}

static uint64_t damaged; /* lines */

static enum status see_damage(void *context, uint64_t number, struct error *why)
{
    (void)context;
    (void)number;
    (void)why;
    damaged++;
    return STATUS_OK;
}

static const struct journal_reader reader = { .line = see };
static const struct journal_reader tolerant = { .line = see, .damage = see_damage };

void setUp(void)
{
    int file;

    memset(&err, 0, sizeof err);
    strcpy(path + strlen(path) - 6, "XXXXXX");
    file = mkstemp(path);
    TEST_ASSERT_TRUE(file >= 0);
    close(file);
    buffer_clear(&seen);
    damaged = 0;
}

void tearDown(void)
{
    journal_close(&journal);
    unlink(path);
    buffer_close(&seen);
}

static void write_lines(const char *const *lines)
{
    ASSERT_OK(journal_open(&journal, path, &reader, &err), &err);
    for (; *lines; lines++)
        ASSERT_OK(journal_append(&journal, text_of(*lines), &err), &err);
    journal_close(&journal);
    buffer_clear(&seen);
}

static void assert_seen(const char *expected)
{
    buffer_byte(&seen, '\0');
    TEST_ASSERT_EQUAL_STRING(expected, seen.at);
}

static size_t read_file(char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t got;

    TEST_ASSERT_NOT_NULL(file);
    got = fread(bytes, 1, size, file);
    fclose(file);
    return got;
}

static void write_file(const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_UINT64(size, fwrite(bytes, 1, size, file));
    fclose(file);
}

static const char *const three[] = { "first", "second with blanks", "", NULL };

static void what_was_written_is_read(void)
{
    write_lines(three);
    ASSERT_OK(journal_read(path, &reader, &err), &err);
    assert_seen("first\nsecond with blanks\n\n");
}

static void it_goes_on_behind_what_is_there(void)
{
    static const char *const more[] = { "fourth", NULL };

    write_lines(three);
    write_lines(more);
    ASSERT_OK(journal_read(path, &reader, &err), &err);
    assert_seen("first\nsecond with blanks\n\nfourth\n");
}

/* Wherever a kill cuts the last line, the lines before it are there, and it goes on. */
static void a_torn_last_line_was_never_written(void)
{
    static const char *const more[] = { "again", NULL };
    char bytes[500];
    size_t size, last;

    write_lines(three);
    size = read_file(bytes, sizeof bytes);
    last = size - 18;
    for (size_t cut = last; cut < size; cut++) {
        write_file(bytes, cut);
        ASSERT_OK(journal_read(path, &reader, &err), &err);
        assert_seen("first\nsecond with blanks\n");
        buffer_clear(&seen);
        write_lines(more);
        ASSERT_OK(journal_read(path, &reader, &err), &err);
        assert_seen("first\nsecond with blanks\nagain\n");
        buffer_clear(&seen);
    }
}

static void damage_before_the_end_is_an_error_with_its_line(void)
{
    char bytes[500], changed[500];
    size_t size, line_two;

    write_lines(three);
    size = read_file(bytes, sizeof bytes);
    line_two = (size_t)(strchr(bytes, '\n') + 1 - bytes);
    /* Without the end of the second line the last is longer, and torn. */
    for (size_t at = 0; at < size - 19; at++) {
        memcpy(changed, bytes, size);
        changed[at] ^= 1;
        write_file(changed, size);
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, journal_read(path, &reader, &err));
        /* A line's end that is gone joins it with the next. */
        TEST_ASSERT_EQUAL_UINT64(at < line_two ? 1 : 2, err.line);
    }
}

/* Whether each line that was seen is one of the five, in their order. */
static uint64_t count_seen(const char *const *lines)
{
    uint64_t count = 0;
    size_t at = 0, place = 0;

    for (; at < seen.count; count++) {
        size_t length = (size_t)((char *)memchr(seen.at + at, '\n', seen.count - at) - (seen.at + at));
        while (lines[place] && (strlen(lines[place]) != length ||
                                memcmp(lines[place], seen.at + at, length) != 0))
            place++;
        TEST_ASSERT_NOT_NULL_MESSAGE(lines[place], "a line that nobody wrote, or not there");
        place++;
        at += length + 1;
    }
    return count;
}

static const char *const seven[] = { "plan", "a 1", "b 22", "c 333", "d 4444", "e 55555", "f 666666",
                                     NULL };

/* With the first line the reader knows nothing; the last is torn. */
static void damage_costs_a_line_or_two_and_not_the_journal(void)
{
    char bytes[500], changed[500];
    size_t size, line_two, last;

    write_lines(seven);
    size = read_file(bytes, sizeof bytes);
    line_two = (size_t)(strchr(bytes, '\n') + 1 - bytes);
    last = size - strlen("f 666666") - 18;
    for (size_t at = line_two; at < last; at++)
        for (int bit = 0; bit < 8; bit++) {
            uint64_t count;

            memcpy(changed, bytes, size);
            changed[at] ^= (char)(1 << bit);
            write_file(changed, size);
            buffer_clear(&seen);
            damaged = 0;
            ASSERT_OK(journal_read(path, &tolerant, &err), &err);
            count = count_seen(seven);
            TEST_ASSERT_TRUE(count >= 4 && count < 7);
            TEST_ASSERT_TRUE(damaged > 0 || count >= 5);
        }
}

static void a_damaged_journal_is_gone_on_with(void)
{
    static const char *const more[] = { "again", NULL };
    char bytes[500];
    size_t size;

    write_lines(seven);
    size = read_file(bytes, sizeof bytes);
    strstr(bytes, "c 333")[2]++;
    write_file(bytes, size);
    ASSERT_OK(journal_open(&journal, path, &tolerant, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(7, journal.lines);
    ASSERT_OK(journal_append(&journal, text_of(more[0]), &err), &err);
    journal_close(&journal);
    buffer_clear(&seen);
    damaged = 0;
    ASSERT_OK(journal_read(path, &tolerant, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(1, damaged);
    assert_seen("plan\na 1\nb 22\nd 4444\ne 55555\nf 666666\nagain\n");
}

/* Whoever removes, repeats or moves lines gets fewer of them, and none twice. */
static void a_line_in_another_place_is_damage(void)
{
    char bytes[500], changed[500];
    size_t size, from, to;

    write_lines(seven);
    size = read_file(bytes, sizeof bytes);
    from = (size_t)(strstr(bytes, "c 333") - 17 - bytes);
    to = (size_t)(strstr(bytes, "d 4444") - 17 - bytes);
    memcpy(changed, bytes, to); /* c twice */
    memcpy(changed + to, bytes + from, size - from);
    write_file(changed, size + to - from);
    ASSERT_OK(journal_read(path, &tolerant, &err), &err);
    assert_seen("plan\na 1\nb 22\nc 333\nd 4444\ne 55555\nf 666666\n");
    TEST_ASSERT_EQUAL_UINT64(1, damaged);
    buffer_clear(&seen);
    memcpy(changed + from, bytes + to, size - to); /* c gone */
    write_file(changed, size - (to - from));
    ASSERT_OK(journal_read(path, &tolerant, &err), &err);
    assert_seen("plan\na 1\nb 22\ne 55555\nf 666666\n");
    TEST_ASSERT_EQUAL_UINT64(2, damaged);
}

/* To /dev/full it is an error, and a pipe cannot be synced, which is none. */
static void what_cannot_be_written_is_an_error(void)
{
    static const char *const lines[] = { "x", NULL };

    write_lines(lines);
    ASSERT_OK(journal_open(&journal, path, &reader, &err), &err);
    journal.syncs = true;
    ASSERT_OK(journal_append(&journal, TEXT("y"), &err), &err);
    ASSERT_OK(journal_sync(&journal, &err), &err);
    TEST_ASSERT_FALSE(journal.is_unsynced);
    TEST_ASSERT_NOT_EQUAL(-1, dup2(open("/dev/full", O_WRONLY), fileno(journal.stream)));
    TEST_ASSERT_EQUAL(STATUS_IO, journal_append(&journal, TEXT("z"), &err));
    TEST_ASSERT_EQUAL_STRING("cannot write the journal: No space left on device", err.text);
}

static void a_line_that_is_missing_is_noticed(void)
{
    char bytes[500];
    size_t size, line_two;

    write_lines(three);
    size = read_file(bytes, sizeof bytes);
    line_two = (size_t)(strchr(bytes, '\n') + 1 - bytes);
    write_file(bytes + line_two, size - line_two);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, journal_read(path, &reader, &err));
    TEST_ASSERT_EQUAL_UINT64(1, err.line);
}

static void a_readers_refusal_names_the_line(void)
{
    static const char *const lines[] = { "x", "refuse me", NULL };

    write_lines(lines);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, journal_read(path, &reader, &err));
    TEST_ASSERT_EQUAL_UINT64(2, err.line);
    TEST_ASSERT_EQUAL_STRING("as it asks", err.text);
}

/* Tries in a process of its own, as locks are between processes. */
static bool another_process_may_write(void)
{
    int how;
    pid_t pid = fork();

    if (pid == 0) {
        struct journal other;
        struct error why = { 0 };
        _exit(journal_open(&other, path, &reader, &why) == STATUS_OK ? 0 : 1);
    }
    TEST_ASSERT_TRUE(pid > 0);
    TEST_ASSERT_EQUAL_INT(pid, waitpid(pid, &how, 0));
    return WIFEXITED(how) && WEXITSTATUS(how) == 0;
}

static void only_one_process_writes_it(void)
{
    ASSERT_OK(journal_open(&journal, path, &reader, &err), &err);
    TEST_ASSERT_FALSE(another_process_may_write());
    journal_close(&journal);
    TEST_ASSERT_TRUE(another_process_may_write());
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_was_written_is_read);
    RUN_TEST(it_goes_on_behind_what_is_there);
    RUN_TEST(a_torn_last_line_was_never_written);
    RUN_TEST(damage_before_the_end_is_an_error_with_its_line);
    RUN_TEST(damage_costs_a_line_or_two_and_not_the_journal);
    RUN_TEST(a_damaged_journal_is_gone_on_with);
    RUN_TEST(a_line_in_another_place_is_damage);
    RUN_TEST(what_cannot_be_written_is_an_error);
    RUN_TEST(a_line_that_is_missing_is_noticed);
    RUN_TEST(a_readers_refusal_names_the_line);
    RUN_TEST(only_one_process_writes_it);
    return UNITY_END();
}
