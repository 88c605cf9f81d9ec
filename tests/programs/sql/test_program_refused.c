/*
 * Each file of the corpus has one construct that is outside of the language,
 * and is named by it. Its first line says where and how it must be refused.
 */
#include "programs/machine/program.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixture.h"
#include "unity.h"

#define CORPUS "tests/programs/sql/refused"
#define LINE_MAX_BYTES 1024

void setUp(void) {}

void tearDown(void) {}

/* Whether it is refused as its first line says; else says how. */
static bool is_refused(const char *path)
{
    char wanted[LINE_MAX_BYTES] = "", got[2 * LINE_MAX_BYTES];
    struct error err = { 0 };
    struct program program;
    FILE *file = fopen(path, "r");

    TEST_ASSERT_NOT_NULL_MESSAGE(file, path);
    if (!fgets(wanted, sizeof wanted, file))
        wanted[0] = '\0';
    fclose(file);
    wanted[strcspn(wanted, "\n")] = '\0';
    if (program_load_file(&program, path, &err) == STATUS_OK) {
        program_close(&program);
        printf("# %s is not refused\n", path);
        return false;
    }
    snprintf(got, sizeof got, "-- %" PRIu64 ": %s", err.line, err.text);
    if (strcmp(got, wanted) == 0 && strcmp(err.file, path) == 0)
        return true;
    printf("# %s\n#   wanted %s\n#   got    %s\n", path, wanted, got);
    return false;
}

static void every_construct_outside_the_language_is_refused_by_name_and_place(void)
{
    struct dirent **names;
    int count = scandir(CORPUS, &names, NULL, alphasort), refused = 0, files = 0;

    TEST_ASSERT_GREATER_THAN(200, count);
    for (int i = 0; i < count; i++) {
        char path[LINE_MAX_BYTES];

        if (strstr(names[i]->d_name, ".sql")) {
            snprintf(path, sizeof path, CORPUS "/%s", names[i]->d_name);
            files++;
            refused += is_refused(path);
        }
        free(names[i]);
    }
    free(names);
    TEST_ASSERT_EQUAL(files, refused);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_construct_outside_the_language_is_refused_by_name_and_place);
    return UNITY_END();
}
