/*
 * fuzz_journal: any bytes as the journal of a sweep. A line is a plan, or an outcome, that prints as a line which
 * reads back as the same, or it is refused with a reason; the whole is merged, or refused. Of an odd first byte the rest
 * has checksums that are made right before: no fuzzer guesses them.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/trial/run/outcome_line.h"
#include "tests/trial/sweep/journal_repair.h"
#include "trial/sweep/sweep.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[200], path[220];

static void leave(void)
{
    remove(path);
    rmdir(folder);
}

static void enter(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/fuzz-journal-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        abort();
    snprintf(path, sizeof path, "%s/journal", folder);
    atexit(leave);
}

static bool same(const struct buffer *a, const struct buffer *b)
{
    return text_equal((struct text){ a->at, a->count }, (struct text){ b->at, b->count });
}

static void read_plan(struct text line)
{
    struct plan plan = { 0 }, again = { 0 };
    struct buffer first = { 0 }, second = { 0 };
    struct error err = { 0 };

    if (plan_read(&plan, line, &err) == STATUS_OK) {
        enum status status;

        plan_print(&plan, &first);
        status = plan_read(&again, (struct text){ first.at, first.count }, &err);
        assert(status == STATUS_OK);
        plan_print(&again, &second);
        assert(same(&first, &second));
        plan_close(&again);
    } else {
        assert(err.text[0] != '\0');
    }
    plan_close(&plan);
    buffer_close(&first);
    buffer_close(&second);
}

static void read_outcome(struct text line)
{
    struct buffer first = { 0 }, second = { 0 };
    struct error err = { 0 };

    if (outcome_line_again(line, &first, &err)) {
        bool is_read = outcome_line_again((struct text){ first.at, first.count }, &second, &err);

        assert(is_read);
        assert(same(&first, &second));
    } else {
        assert(err.text[0] != '\0');
    }
    buffer_close(&first);
    buffer_close(&second);
}

/* From the first brace of each line on. */
static void read_lines(struct text lines)
{
    while (lines.length > 0) {
        const char *end = memchr(lines.at, '\n', lines.length);
        size_t length = end ? (size_t)(end - lines.at) : lines.length;
        const char *brace = memchr(lines.at, '{', length);

        if (brace) {
            struct text line = { brace, length - (size_t)(brace - lines.at) };

            read_plan(line);
            read_outcome(line);
        }
        length += end != NULL;
        lines = (struct text){ lines.at + length, lines.length - length };
    }
}

static void merge(const uint8_t *data, size_t size)
{
    static struct sweep sweep;
    const char *const folders[] = { folder };
    struct error err = { 0 };
    FILE *file;

    if (data[0] & 1) {
        journal_repair(path, (struct text){ (const char *)data + 1, size - 1 });
    } else {
        file = fopen(path, "wb");
        if (!file || fwrite(data + 1, 1, size - 1, file) != size - 1 || fclose(file) != 0)
            abort();
    }
    memset(&sweep, 0, sizeof sweep);
    if (sweep_merge(&sweep, folders, 1, &err) != STATUS_OK)
        assert(err.text[0] != '\0');
    sweep_close(&sweep);
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (folder[0] == '\0')
        enter();
    read_lines((struct text){ (const char *)data + 1, size - 1 });
    merge(data, size);
    return 0;
}
