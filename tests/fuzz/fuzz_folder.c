/*
 * fuzz_folder: any bytes as the files of a folder that Cobra or Viper wrote. They are read or refused, with a reason and
 * the file's name; what is read passes the check. What came from Cobra's logs is written as such, if it can be, and is
 * written the same when it is read again.
 *
 * The first byte, a digit, says whose files they are; a line of "%" ends a file.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history/foreign/foreign.h"
#include "history/jsonl/jsonl_write.h"

#define FILES_MAX 4
#define WRITTEN_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[200], paths[FILES_MAX][230], written[2][220];

static void leave(void)
{
    rmdir(folder);
}

static void enter(void)
{
    const char *parent = getenv("TMPDIR");

    snprintf(folder, sizeof folder, "%s/fuzz-folder-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < 2; i++)
        snprintf(written[i], sizeof written[i], "%s/written-%d", folder, i);
    atexit(leave);
}

static bool put_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    bool is_written = file && fwrite(data, 1, size, file) == size;

    return file && fclose(file) == 0 && is_written;
}

/* Returns how many files. */
static size_t put_files(const char *ending, const uint8_t *data, size_t size)
{
    size_t count = 0, from = 0;

    for (size_t i = 0; i <= size && count < FILES_MAX; i++) {
        bool is_end = i == size || (i + 3 <= size && memcmp(data + i, "\n%\n", 3) == 0);

        if (!is_end)
            continue;
        snprintf(paths[count], sizeof paths[count], "%s/%zu.%s", folder, count, ending);
        if (!put_file(paths[count++], data + from, i - from))
            abort();
        from = i + 3;
        i += 2;
    }
    return count;
}

static void write_text(const struct history *history)
{
    struct buffer out = { 0 };
    struct error err = { 0 };
    struct sink sink;
    enum status status;

    sink_open_memory(&sink, &out);
    status = jsonl_write(history, &sink, NULL, &err);
    assert(status == STATUS_OK);
    sink_close(&sink);
    buffer_close(&out);
}

/* All logs of a written folder, which is removed. */
static void take_folder(const char *path, struct buffer *bytes)
{
    for (int i = 0; i < WRITTEN_MAX; i++) {
        char name[260], chunk[4096];
        FILE *file;
        size_t size;

        snprintf(name, sizeof name, "%s/%010d.log", path, i);
        file = fopen(name, "rb");
        if (!file)
            continue;
        buffer_print(bytes, "%d\n", i);
        while ((size = fread(chunk, 1, sizeof chunk, file)) > 0)
            buffer_text(bytes, (struct text){ chunk, size });
        fclose(file);
        remove(name);
    }
    rmdir(path);
}

static bool write_folder(const struct history *history, const char *path)
{
    struct error err = { 0 };
    uint32_t losses = 0;
    bool is_written = foreign_cobra.examine(history, &losses, &err) == STATUS_OK &&
                      foreign_cobra.write_folder(history, path, &err) == STATUS_OK;

    assert(is_written || err.text[0] != '\0');
    return is_written;
}

static void write_again(const struct history *history)
{
    struct buffer first = { 0 }, second = { 0 };
    struct history again = { 0 };
    struct error err = { 0 };

    if (write_folder(history, written[0])) {
        if (format_read_history(written[0], FORMAT_COBRA, NULL, &again, &err) == STATUS_OK) {
            bool is_same = write_folder(&again, written[1]);

            take_folder(written[1], &second);
            take_folder(written[0], &first);
            is_same = is_same && text_equal((struct text){ first.at, first.count },
                                            (struct text){ second.at, second.count });
            assert(is_same);
            history_close(&again);
        } else {
            /* Of nothing there are no logs. */
            if (history->txn_count > 0)
                printf("%s\n", err.text);
            fflush(stdout);
            assert(err.text[0] != '\0');
        }
    }
    take_folder(written[0], &first);
    buffer_close(&first);
    buffer_close(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *list[FILES_MAX];
    struct history history = { 0 };
    struct error err = { 0 };
    bool is_cobra;
    size_t count;

    if (size == 0)
        return 0;
    if (folder[0] == '\0')
        enter();
    is_cobra = data[0] % 2 == 0;
    count = put_files(is_cobra ? "log" : "json", data + 1, size - 1);
    for (size_t i = 0; i < count; i++)
        list[i] = paths[i];
    if ((is_cobra ? &foreign_cobra : &foreign_viper)->read_sessions(list, count, &history, &err) == STATUS_OK) {
        enum status status = history_check(&history, &err);

        assert(status == STATUS_OK);
        write_text(&history);
        if (is_cobra)
            write_again(&history);
        history_close(&history);
    } else {
        assert(err.status != STATUS_OK && err.text[0] != '\0');
    }
    /* As the command reads it, which looks for what the folder is. */
    memset(&err, 0, sizeof err);
    if (format_read_history(folder, FORMAT_ANY, NULL, &history, &err) == STATUS_OK)
        history_close(&history);
    else
        assert(err.text[0] != '\0');
    for (size_t i = 0; i < count; i++)
        remove(paths[i]);
    return 0;
}
