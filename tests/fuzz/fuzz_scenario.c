/*
 * fuzz_scenario: no text makes the reader of scenarios crash, hang or accept
 * what it cannot print and read back.
 *
 * The text up to a line of "%" is the file; each line behind it is a --set.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trial/scenario/scenario.h"

#define SETS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Cuts the lines behind the file into strings. Returns their number. */
static size_t cut_sets(char *text, const char *sets[SETS_MAX])
{
    size_t count = 0;

    while (text && *text && count < SETS_MAX) {
        char *end = strchr(text, '\n');
        sets[count++] = text;
        if (end)
            *end = '\0';
        text = end ? end + 1 : NULL;
    }
    return count;
}

static void check_that_it_reads_back(const struct scenario *scenario)
{
    static struct scenario again;
    struct buffer printed = { 0 }, once_more = { 0 };
    struct error err = { 0 };
    enum status status;

    scenario_print(scenario, &printed);
    assert(!printed.out_of_memory);
    status = scenario_read(&again, "printed", (struct text){ printed.at, printed.count }, NULL, 0,
                           &err);
    assert(status == STATUS_OK);
    scenario_print(&again, &once_more);
    assert(text_equal((struct text){ printed.at, printed.count },
                      (struct text){ once_more.at, once_more.count }));
    buffer_close(&printed);
    buffer_close(&once_more);
    scenario_close(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    const char *sets[SETS_MAX];
    char *copy = malloc(size + 1);
    struct error err = { 0 };
    struct text file;
    size_t set_count = 0;
    char *mark;

    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    copy[size] = '\0';
    file = (struct text){ copy, size };
    mark = strstr(copy, "\n%\n");
    if (mark) {
        file.length = (size_t)(mark - copy) + 1;
        set_count = cut_sets(mark + 3, sets);
    }
    if (scenario_read(&scenario, "fuzz", file, sets, set_count, &err) == STATUS_OK)
        check_that_it_reads_back(&scenario);
    else
        assert(err.text[0] != '\0');
    scenario_close(&scenario);
    free(copy);
    return 0;
}
