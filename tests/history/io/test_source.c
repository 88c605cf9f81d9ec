#include "history/io/sink.h"
#include "history/io/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static char folder[64];
static char path[128];

void setUp(void) /* an empty folder, and the name of a file in it */
{
    memset(&err, 0, sizeof err);
    strcpy(folder, "/tmp/ordeal-source-XXXXXX");
    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
}

void tearDown(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    TEST_ASSERT_EQUAL_INT(0, system(command));
}

static void write_file(const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    TEST_ASSERT_NOT_NULL(file);
    TEST_ASSERT_EQUAL_UINT64(size, fwrite(bytes, 1, size, file));
    TEST_ASSERT_EQUAL_INT(0, fclose(file));
}

static size_t file_size(const char *name)
{
    struct stat status;

    TEST_ASSERT_EQUAL_INT(0, stat(name, &status));
    return (size_t)status.st_size;
}

static bool exists(const char *name)
{
    return access(name, F_OK) == 0;
}

/* How many entries the folder has, but for `.` and `..`. */
static int count_files(void)
{
    char command[128];
    FILE *pipe;
    int count = -1;

    snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
    pipe = popen(command, "r");
    TEST_ASSERT_NOT_NULL(pipe);
    TEST_ASSERT_EQUAL_INT(1, fscanf(pipe, "%d", &count));
    pclose(pipe);
    return count;
}

static size_t pack(const char *text, size_t size, char *packed, size_t room)
{
    size_t packed_size = ZSTD_compress(packed, room, text, size, 3);

    TEST_ASSERT_FALSE(ZSTD_isError(packed_size));
    return packed_size;
}

static void expect_line(struct source *source, const char *wanted)
{
    struct text line;

    ASSERT_OK(source_line(source, &line, &err), &err);
    if (!wanted) {
        TEST_ASSERT_NULL(line.at);
        return;
    }
    TEST_ASSERT_NOT_NULL_MESSAGE(line.at, wanted);
    TEST_ASSERT_EQUAL_UINT64(strlen(wanted), line.length);
    TEST_ASSERT_EQUAL_INT(0, memcmp(wanted, line.at, line.length));
}

static void lines_come_without_their_line_feeds(void)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "memory", "one\n\nthree\n", 11, &err), &err);
    expect_line(&source, "one");
    TEST_ASSERT_EQUAL_UINT64(1, source.line);
    TEST_ASSERT_EQUAL_UINT64(4, source.offset);
    expect_line(&source, "");
    expect_line(&source, "three");
    expect_line(&source, NULL);
    TEST_ASSERT_EQUAL_UINT64(3, source.line);
    expect_line(&source, NULL);
    source_close(&source);
}

static void a_last_line_needs_no_line_feed(void)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "memory", "one\ntwo", 7, &err), &err);
    expect_line(&source, "one");
    expect_line(&source, "two");
    expect_line(&source, NULL);
    source_close(&source);
}

static void nothing_is_no_line(void)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "memory", "", 0, &err), &err);
    expect_line(&source, NULL);
    source_close(&source);
}

/* Lines of 0, 1, 2... letters, so that chunks end everywhere in a line. */
static char *stairs(size_t count, size_t *size)
{
    char *text = malloc(count * (count + 1));
    size_t at = 0;

    TEST_ASSERT_NOT_NULL(text);
    for (size_t i = 0; i < count; i++) {
        memset(text + at, 'a' + (int)(i % 26), i);
        at += i;
        text[at++] = '\n';
    }
    *size = at;
    return text;
}

static void expect_stairs(struct source *source, size_t count)
{
    struct text line;

    for (size_t i = 0; i < count; i++) {
        ASSERT_OK(source_line(source, &line, &err), &err);
        TEST_ASSERT_EQUAL_UINT64(i, line.length);
        for (size_t j = 0; j < i; j++)
            if (line.at[j] != (char)('a' + i % 26))
                TEST_FAIL_MESSAGE("a letter of another line");
        /* What stands behind a line may be read. */
        TEST_ASSERT_TRUE(line.at[i] == '\n' && line.at[i + SOURCE_SLACK - 1] >= 0);
    }
    expect_line(source, NULL);
}

static void lines_are_whole_wherever_chunks_end(void)
{
    struct source source;
    size_t size;
    char *text = stairs(2000, &size);

    write_file(text, size);
    ASSERT_OK(source_open(&source, path, NULL, &err), &err);
    expect_stairs(&source, 2000);
    source_close(&source);
    free(text);
}

static void a_line_may_be_longer_than_many_chunks(void)
{
    struct source source;
    size_t size = (size_t)3 << 20;
    char *text = malloc(size + 4);
    struct text line;

    TEST_ASSERT_NOT_NULL(text);
    memset(text, 'x', size);
    memcpy(text + size, "\nend", 4);
    ASSERT_OK(source_open_memory(&source, "memory", text, size + 4, &err), &err);
    ASSERT_OK(source_line(&source, &line, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(size, line.length);
    expect_line(&source, "end");
    source_close(&source);
    free(text);
}

static void a_line_beyond_the_limit_is_refused_before_it_is_all_in_memory(void)
{
    struct source source;
    size_t size = (size_t)8 << 20;
    char *text = malloc(size);
    struct text line;

    TEST_ASSERT_NOT_NULL(text);
    memset(text, 'x', size);
    memcpy(text, "a\n", 2);
    ASSERT_OK(source_open_memory(&source, "memory", text, size, &err), &err);
    source.line_bytes_max = 1000;
    expect_line(&source, "a");
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, source_line(&source, &line, &err));
    TEST_ASSERT_EQUAL_STRING("the line is longer than 1000 bytes", err.text);
    TEST_ASSERT_EQUAL_UINT64(2, err.line);
    TEST_ASSERT_EQUAL_UINT64(2, err.offset);
    TEST_ASSERT_TRUE(source.room < size);
    source_close(&source);
    free(text);
}

/* A kilobyte that unpacks to all of memory is no history. */
static void what_unpacks_out_of_all_proportion_is_refused(void)
{
    size_t size = (size_t)8 << 20, room = ZSTD_compressBound(size), packed_size, taken;
    char *zeros = calloc(size, 1), *packed = malloc(room), *bytes = NULL;
    struct source source;

    packed_size = ZSTD_compress(packed, room, zeros, size, 3);
    TEST_ASSERT_TRUE(packed_size * REST_EXPANSION_MAX < size);
    for (int i = 0; i < 2; i++) {
        ASSERT_OK(source_open_memory(&source, "input", packed, packed_size, &err), &err);
        source.rest_bytes_free = i ? size : size / 2;
        TEST_ASSERT_EQUAL(i ? STATUS_OK : STATUS_BAD_INPUT,
                          source_take_rest(&source, &bytes, &taken, &err));
        source_close(&source);
    }
    TEST_ASSERT_EQUAL_UINT64(size, taken);
    TEST_ASSERT_NOT_NULL(strstr(err.text, "it unpacks to more than any history would"));
    TEST_ASSERT_EQUAL_STRING("input", err.file);
    free(zeros);
    free(packed);
    free(bytes);
}

static void a_line_as_long_as_the_limit_is_read(void)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "memory", "12345\n12345", 11, &err), &err);
    source.line_bytes_max = 5;
    expect_line(&source, "12345");
    expect_line(&source, "12345");
    source_close(&source);
}

static void compressed_files_are_known_by_their_content(void)
{
    struct source source;
    size_t size;
    char *text = stairs(1500, &size), *packed = malloc(size);

    write_file(packed, pack(text, size, packed, size));
    ASSERT_OK(source_open(&source, path, NULL, &err), &err);
    expect_stairs(&source, 1500);
    TEST_ASSERT_EQUAL_UINT64(size, source.offset);
    TEST_ASSERT_EQUAL_UINT64(file_size(path), source.taken);
    source_close(&source);
    free(packed);
    free(text);
}

static void frames_follow_each_other_as_if_they_were_one(void)
{
    struct source source;
    char packed[512];
    size_t size = pack("one\ntw", 6, packed, sizeof packed);

    size += pack("", 0, packed + size, sizeof packed - size);
    size += pack("o\nthree\n", 8, packed + size, sizeof packed - size);
    ASSERT_OK(source_open_memory(&source, "memory", packed, size, &err), &err);
    expect_line(&source, "one");
    expect_line(&source, "two");
    expect_line(&source, "three");
    expect_line(&source, NULL);
    source_close(&source);
}

static void a_frame_that_is_cut_off_is_refused_wherever_it_is_cut(void)
{
    char packed[512];
    size_t size = pack("one\ntwo\nthree\n", 14, packed, sizeof packed);

    for (size_t cut = 5; cut < size; cut++) {
        struct source source;
        struct text line = { "", 0 };
        enum status status;
        char place[80];

        snprintf(place, sizeof place, "compressed byte %zu: the zstd frame is cut off here", cut);
        status = source_open_memory(&source, "memory", packed, cut, &err);
        while (status == STATUS_OK && line.at)
            status = source_line(&source, &line, &err);
        TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, status);
        TEST_ASSERT_EQUAL_STRING(place, err.text);
        TEST_ASSERT_EQUAL_STRING("memory", err.file);
        source_close(&source);
    }
}

static void damage_in_a_frame_is_named_with_its_place(void)
{
    struct source source;
    struct text line = { "", 0 };
    enum status status = STATUS_OK;
    char packed[512];
    size_t size = pack("one\n", 4, packed, sizeof packed);

    memcpy(packed + size, "rubbish", 7);
    ASSERT_OK(source_open_memory(&source, "memory", packed, size + 7, &err), &err);
    while (status == STATUS_OK && line.at)
        status = source_line(&source, &line, &err);
    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, status);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "compressed byte "), err.text);
    TEST_ASSERT_EQUAL_UINT64(4, err.offset);
    source_close(&source);
}

static void peeking_takes_nothing(void)
{
    struct source source;
    struct text first;

    ASSERT_OK(source_open_memory(&source, "memory", "one\ntwo\n", 8, &err), &err);
    ASSERT_OK(source_peek(&source, 100, &first, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(8, first.length);
    expect_line(&source, "one");
    ASSERT_OK(source_peek(&source, 3, &first, &err), &err);
    TEST_ASSERT_EQUAL_MEMORY("two", first.at, 3);
    expect_line(&source, "two");
    source_close(&source);
}

static void the_rest_is_handed_over_whole(void)
{
    struct source source;
    size_t size, rest_size;
    char *text = stairs(1500, &size), *rest;

    ASSERT_OK(source_open_memory(&source, "memory", text, size, &err), &err);
    expect_line(&source, "");
    ASSERT_OK(source_take_rest(&source, &rest, &rest_size, &err), &err);
    TEST_ASSERT_EQUAL_UINT64(size - 1, rest_size);
    TEST_ASSERT_EQUAL_MEMORY(text + 1, rest, rest_size);
    free(rest);
    expect_line(&source, NULL);
    source_close(&source);
    free(text);
}

static void what_cannot_be_opened_or_read_says_why(void)
{
    struct source source;

    TEST_ASSERT_EQUAL_INT(STATUS_IO, source_open(&source, path, NULL, &err));
    TEST_ASSERT_EQUAL_STRING("cannot open: No such file or directory", err.text);
    TEST_ASSERT_EQUAL_STRING(path, err.file);
    source_close(&source);

    TEST_ASSERT_EQUAL_INT(STATUS_IO, source_open(&source, folder, NULL, &err));
    TEST_ASSERT_EQUAL_STRING("cannot read: Is a directory", err.text);
    source_close(&source);
}

struct told {
    uint64_t done, total;
    int times;
};

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    struct told *told = context;

    TEST_ASSERT_TRUE(done >= told->done);
    *told = (struct told){ done, total, told->times + 1 };
}

static void progress_counts_the_bytes_of_the_file(void)
{
    struct told told = { 0 };
    struct progress progress = { .report = note_progress, .context = &told };
    struct source source;
    size_t size;
    char *text = stairs(1500, &size);

    write_file(text, size);
    ASSERT_OK(source_open(&source, path, &progress, &err), &err);
    expect_stairs(&source, 1500);
    source_close(&source);
    TEST_ASSERT_EQUAL_UINT64(size, told.done);
    TEST_ASSERT_EQUAL_UINT64(size, told.total);
    TEST_ASSERT_TRUE(told.times > 2);
    free(text);
}

static void standard_input_is_a_source(void)
{
    struct source source;
    int ends[2], kept = dup(STDIN_FILENO);

    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    TEST_ASSERT_EQUAL_INT(8, write(ends[1], "one\ntwo\n", 8));
    close(ends[1]);
    TEST_ASSERT_EQUAL_INT(STDIN_FILENO, dup2(ends[0], STDIN_FILENO));
    close(ends[0]);
    ASSERT_OK(source_open(&source, "-", NULL, &err), &err);
    TEST_ASSERT_EQUAL_STRING("standard input", source.name);
    expect_line(&source, "one");
    expect_line(&source, "two");
    expect_line(&source, NULL);
    source_close(&source);
    dup2(kept, STDIN_FILENO);
    close(kept);
}

static void a_file_appears_when_it_is_whole(void)
{
    struct sink sink;

    ASSERT_OK(sink_open(&sink, path, &err), &err);
    ASSERT_OK(sink_write(&sink, "one\n", 4, &err), &err);
    TEST_ASSERT_FALSE(exists(path));
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    TEST_ASSERT_EQUAL_UINT64(4, file_size(path));
    TEST_ASSERT_EQUAL_INT(1, count_files());
}

static void a_file_that_is_given_up_leaves_the_old_one_and_nothing_else(void)
{
    struct sink sink;

    write_file("old\n", 4);
    ASSERT_OK(sink_open(&sink, path, &err), &err);
    ASSERT_OK(sink_write(&sink, "newer\n", 6, &err), &err);
    sink_close(&sink);
    TEST_ASSERT_EQUAL_UINT64(4, file_size(path));
    TEST_ASSERT_EQUAL_INT(1, count_files());
}

static void a_file_keeps_its_mode_and_a_link_its_target(void)
{
    struct sink sink;
    struct stat status;
    char link_path[160];

    write_file("old\n", 4);
    TEST_ASSERT_EQUAL_INT(0, chmod(path, 0640));
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    TEST_ASSERT_EQUAL_INT(0, symlink("file", link_path));
    ASSERT_OK(sink_open(&sink, link_path, &err), &err);
    ASSERT_OK(sink_write(&sink, "newer\n", 6, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    TEST_ASSERT_EQUAL_INT(0, lstat(link_path, &status));
    TEST_ASSERT_TRUE(S_ISLNK(status.st_mode));
    TEST_ASSERT_EQUAL_INT(0, stat(path, &status));
    TEST_ASSERT_EQUAL_INT(6, status.st_size);
    TEST_ASSERT_EQUAL_HEX(0640, status.st_mode & 07777);
}

static void devices_are_written_directly(void)
{
    struct sink sink;

    ASSERT_OK(sink_open(&sink, "/dev/null", &err), &err);
    TEST_ASSERT_NULL(sink.temporary);
    ASSERT_OK(sink_write(&sink, "one\n", 4, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    TEST_ASSERT_TRUE(exists("/dev/null"));
}

static void a_full_device_is_an_error(void)
{
    struct sink sink;

    ASSERT_OK(sink_open(&sink, "/dev/full", &err), &err);
    TEST_ASSERT_EQUAL_INT(STATUS_IO, sink_write(&sink, "one\n", 4, &err));
    TEST_ASSERT_EQUAL_STRING("cannot write: No space left on device", err.text);
    TEST_ASSERT_EQUAL_STRING("/dev/full", err.file);
    sink_close(&sink);
}

static void a_file_that_cannot_be_created_says_why(void)
{
    struct sink sink;
    char name[160];

    snprintf(name, sizeof name, "%s/missing/file", folder);
    TEST_ASSERT_EQUAL_INT(STATUS_IO, sink_open(&sink, name, &err));
    TEST_ASSERT_EQUAL_STRING("cannot create: No such file or directory", err.text);
    TEST_ASSERT_EQUAL_STRING(name, err.file);
}

static void what_is_written_to_zst_is_read_back(void)
{
    struct sink sink;
    struct source source;
    size_t size, half;
    char *text = stairs(1500, &size), name[160];

    half = size / 2;
    snprintf(name, sizeof name, "%s/file.zst", folder);
    ASSERT_OK(sink_open(&sink, name, &err), &err);
    ASSERT_OK(sink_write(&sink, text, half, &err), &err);
    ASSERT_OK(sink_write(&sink, text + half, size - half, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    TEST_ASSERT_TRUE(file_size(name) < size / 4);
    ASSERT_OK(source_open(&source, name, NULL, &err), &err);
    expect_stairs(&source, 1500);
    source_close(&source);
    free(text);
}

/* Our frames carry a checksum: a byte that is wrong does not come out as another. */
static void any_byte_of_a_zst_that_is_wrong_is_noticed(void)
{
    static const char text[] = "{\"ordeal-history\":1}\n";
    struct sink sink;
    char name[160], packed[256];
    FILE *file;
    size_t size;

    snprintf(name, sizeof name, "%s/file.zst", folder);
    ASSERT_OK(sink_open(&sink, name, &err), &err);
    ASSERT_OK(sink_write(&sink, text, sizeof text - 1, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    file = fopen(name, "rb");
    TEST_ASSERT_NOT_NULL(file);
    size = fread(packed, 1, sizeof packed, file);
    fclose(file);
    for (size_t i = 6; i < size; i++) {
        struct source source;
        struct text line = { "", 0 };
        enum status status;

        packed[i] ^= 0x55;
        status = source_open_memory(&source, "memory", packed, size, &err);
        while (status == STATUS_OK && line.at)
            status = source_line(&source, &line, &err);
        TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT, status);
        source_close(&source);
        packed[i] ^= 0x55;
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(lines_come_without_their_line_feeds);
    RUN_TEST(a_last_line_needs_no_line_feed);
    RUN_TEST(nothing_is_no_line);
    RUN_TEST(lines_are_whole_wherever_chunks_end);
    RUN_TEST(a_line_may_be_longer_than_many_chunks);
    RUN_TEST(a_line_beyond_the_limit_is_refused_before_it_is_all_in_memory);
    RUN_TEST(what_unpacks_out_of_all_proportion_is_refused);
    RUN_TEST(a_line_as_long_as_the_limit_is_read);
    RUN_TEST(compressed_files_are_known_by_their_content);
    RUN_TEST(frames_follow_each_other_as_if_they_were_one);
    RUN_TEST(a_frame_that_is_cut_off_is_refused_wherever_it_is_cut);
    RUN_TEST(damage_in_a_frame_is_named_with_its_place);
    RUN_TEST(peeking_takes_nothing);
    RUN_TEST(the_rest_is_handed_over_whole);
    RUN_TEST(what_cannot_be_opened_or_read_says_why);
    RUN_TEST(progress_counts_the_bytes_of_the_file);
    RUN_TEST(standard_input_is_a_source);
    RUN_TEST(a_file_appears_when_it_is_whole);
    RUN_TEST(a_file_that_is_given_up_leaves_the_old_one_and_nothing_else);
    RUN_TEST(a_file_keeps_its_mode_and_a_link_its_target);
    RUN_TEST(devices_are_written_directly);
    RUN_TEST(a_full_device_is_an_error);
    RUN_TEST(a_file_that_cannot_be_created_says_why);
    RUN_TEST(what_is_written_to_zst_is_read_back);
    RUN_TEST(any_byte_of_a_zst_that_is_wrong_is_noticed);
    return UNITY_END();
}
