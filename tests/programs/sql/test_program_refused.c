/*
 * Each case of refused.sql has one construct that is outside of the language, and is named by it.
 */
#include "programs/machine/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define CASES "tests/programs/sql/refused.sql"

/* What the text of a case is put into, and how many lines go before it. */
static const struct frame {
    const char *kind, *before, *behind;
    uint32_t lines;
} frames[] = {
#define TABLE "CREATE TABLE t (\n    id bigint PRIMARY KEY,\n    v int,\n    s text\n);\n"
#define FUNCTION TABLE "CREATE FUNCTION f(p bigint) RETURNS bigint\nLANGUAGE plpgsql AS $$\n"
    { "-- file ", "", "", 0 },
    { "-- table ", TABLE, "", 5 },
    { "-- function ", FUNCTION, "END;\n$$;\n", 7 },
    { "-- body ", FUNCTION "BEGIN\n", "END;\n$$;\n", 8 },
};

void setUp(void) {}

void tearDown(void) {}

/* Of a line that begins a case, else NULL. */
static const struct frame *frame_of(const char *line)
{
    for (size_t i = 0; i < ROW_COUNT(frames); i++)
        if (strncmp(line, frames[i].kind, strlen(frames[i].kind)) == 0)
            return &frames[i];
    return NULL;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end ? end + 1 : line + strlen(line);
}

static bool is_refused(const struct frame *frame, const char *wanted, struct text text)
{
    char got[2000] = "it is not refused";
    struct error err = { 0 };
    struct program program;
    struct buffer sql = { 0 };

    buffer_print(&sql, "%s%.*s%s", frame->before, (int)text.length, text.at, frame->behind);
    if (program_load(&program, (struct text){ sql.at, sql.count }, &err) == STATUS_OK)
        program_close(&program);
    else
        snprintf(got, sizeof got, "%" PRId64 ": %s", (int64_t)err.line - frame->lines, err.text);
    buffer_close(&sql);
    if (strncmp(got, wanted, strcspn(wanted, "\n")) == 0 && got[strcspn(wanted, "\n")] == '\0')
        return true;
    printf("# %.*s\n#   wanted %.*s\n#   got    %s\n", (int)text.length, text.at, (int)strcspn(wanted, "\n"), wanted,
           got);
    return false;
}

static void every_construct_outside_the_language_is_refused_by_name_and_place(void)
{
    static char file[1 << 16];
    FILE *stream = fopen(CASES, "r");
    unsigned refused = 0, cases = 0;
    const char *line = file;

    TEST_ASSERT_NOT_NULL(stream);
    file[fread(file, 1, sizeof file - 1, stream)] = '\0';
    fclose(stream);
    TEST_ASSERT_TRUE(strlen(file) < sizeof file - 1);
    while (*line) {
        const struct frame *frame = frame_of(line);
        const char *wanted = frame ? line + strlen(frame->kind) : NULL, *text = line = next_line(line);

        if (!frame)
            continue;
        while (*line && !frame_of(line))
            line = next_line(line);
        cases++;
        /* Without the empty line before the next one. */
        refused += is_refused(frame, wanted, (struct text){ text, (size_t)(line - text) - (*line != '\0') });
    }
    TEST_ASSERT_GREATER_THAN_UINT(300, cases);
    TEST_ASSERT_EQUAL_UINT(cases, refused);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_construct_outside_the_language_is_refused_by_name_and_place);
    return UNITY_END();
}
