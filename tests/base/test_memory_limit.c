#include "base/memory_limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fixture.h"
#include "unity.h"

#define MEGABYTE (UINT64_C(1) << 20)

static char folder[] = "/tmp/ordeal-groups-XXXXXX";
static struct error err;

void setUp(void) {}

void tearDown(void) {}

static const char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "w");

    TEST_ASSERT_NOT_NULL(file);
    fputs(text, file);
    fclose(file);
}

static uint64_t limit_of(const char *list)
{
    char path[256];

    write_file("list", list);
    snprintf(path, sizeof path, "%s", path_of("list"));
    return memory_limit_of_groups(path, folder);
}

static void the_least_limit_of_the_groups_above_counts(void)
{
    static const struct {
        const char *what, *list;
        uint64_t limit;
    } rows[] = {
        { "version 2, its own", "0::/a/b\n", 3000 },
        { "version 2, that above", "0::/a/wide\n", 5000 },
        { "version 2, none", "0::/free\n", MEMORY_UNLIMITED },
        { "version 1", "5:cpu,memory:/old\n3:pids:/a/b\n", 7000 },
        { "version 1, no such controller", "5:cpu,memory2:/old\n", MEMORY_UNLIMITED },
        { "both", "5:memory:/old\n0::/a/wide\n", 5000 },
        { "a group that is not mounted here", "0::/elsewhere/b\n", MEMORY_UNLIMITED },
        { "no groups", "", MEMORY_UNLIMITED },
        { "something else", "no colon\n:\n::\n", MEMORY_UNLIMITED },
    };

    TEST_ASSERT_NOT_NULL(mkdtemp(folder));
    mkdir(path_of("a"), 0700);
    mkdir(path_of("a/b"), 0700);
    mkdir(path_of("a/wide"), 0700);
    mkdir(path_of("free"), 0700);
    mkdir(path_of("memory"), 0700);
    mkdir(path_of("memory/old"), 0700);
    write_file("a/memory.max", "5000\n");
    write_file("a/b/memory.max", "3000\n");
    write_file("a/wide/memory.max", "9000\n");
    write_file("free/memory.max", "max\n");
    write_file("memory/old/memory.limit_in_bytes", "7000\n");
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].limit, limit_of(rows[i].list), rows[i].what);
}

static void a_machine_has_memory_of_which_a_part_is_the_default(void)
{
    uint64_t bytes = memory_limit_default();

    TEST_ASSERT_TRUE(bytes > 16 * MEGABYTE);
    TEST_ASSERT_TRUE(bytes < MEGABYTE << 30);
    TEST_ASSERT_EQUAL_UINT64(0, bytes % MEGABYTE);
}

/* In a process of its own, which keeps the limit. */
static int in_child(int (*work)(void))
{
    pid_t child = fork();
    int how;

    if (child == 0)
        _exit(work());
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &how, 0));
    TEST_ASSERT_TRUE(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static int left_after_limits(void)
{
    uint64_t left;

    if (memory_limit_set(400 * MEGABYTE, &err) != STATUS_OK)
        return 1;
    left = memory_limit_left();
    if (left > 400 * MEGABYTE || left < 390 * MEGABYTE)
        return 2;
    if (memory_limit_set(800 * MEGABYTE, &err) != STATUS_OK || memory_limit_left() > left)
        return 3; /* a wider limit changes nothing */
    if (memory_limit_divide(4, &err) != STATUS_OK)
        return 4;
    left = memory_limit_left();
    return left > 100 * MEGABYTE || left < 90 * MEGABYTE ? 5 : 0;
}

static void a_limit_is_what_is_left_and_can_be_divided(void)
{
    TEST_ASSERT_EQUAL_INT(0, in_child(left_after_limits));
}

static void an_error_tells_whether_memory_was_the_cause(void)
{
    static const struct {
        struct error error;
        bool memory;
    } rows[] = {
        { { .status = STATUS_OVER_LIMIT, .text = "no memory for 8 bytes" }, true },
        { { .status = STATUS_OVER_LIMIT, .text = "more than 1 MB of SQL" }, false },
        { { .status = STATUS_BAD_INPUT, .text = "no 'memory' in line 1" }, false },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        TEST_ASSERT_EQUAL_MESSAGE(rows[i].memory, memory_limit_is_cause(&rows[i].error),
                                  rows[i].error.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_least_limit_of_the_groups_above_counts);
    RUN_TEST(a_machine_has_memory_of_which_a_part_is_the_default);
    RUN_TEST(a_limit_is_what_is_left_and_can_be_divided);
    RUN_TEST(an_error_tells_whether_memory_was_the_cause);
    return UNITY_END();
}
