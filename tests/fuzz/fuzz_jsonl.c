/*
 * Any bytes as native text: both ways of reading agree on what they are, or on
 * what is wrong and where; what is read passes the check, and written and read
 * again it is written the same.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_text(const void *bytes, size_t size, unsigned flags, struct history *history,
                      struct error *err)
{
    struct source source;
    bool is_read;

    memset(err, 0, sizeof *err);
    *history = (struct history){ 0 };
    is_read = source_open_memory(&source, "input", bytes, size, err) == STATUS_OK &&
              jsonl_read(&source, flags, history, err) == STATUS_OK;
    assert(is_read || (err->text[0] && err->status != STATUS_OK && !history->memory));
    source_close(&source);
    return is_read;
}

static void write_text(const struct history *history, struct buffer *buffer)
{
    struct error err = { 0 };
    struct sink sink;
    bool is_written;

    sink_open_memory(&sink, buffer);
    is_written = jsonl_write(history, &sink, NULL, &err) == STATUS_OK;
    assert(is_written);
    sink_close(&sink);
}

static void check_what_is_read(const struct history *history)
{
    struct buffer once = { 0 }, twice = { 0 };
    struct history again;
    struct error err = { 0 };
    bool is_good = history_check(history, &err) == STATUS_OK;

    assert(is_good);
    write_text(history, &once);
    is_good = read_text(once.at, once.count, 0, &again, &err);
    assert(is_good);
    write_text(&again, &twice);
    assert(once.count == twice.count && memcmp(once.at, twice.at, once.count) == 0);
    history_close(&again);
    buffer_close(&once);
    buffer_close(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct history fast, general;
    struct error fast_err, general_err;
    bool is_fast = read_text(data, size, 0, &fast, &fast_err);
    bool is_general = read_text(data, size, JSONL_GENERAL_ONLY, &general, &general_err);

    assert(is_fast == is_general);
    if (is_fast) {
        struct digest a = history_digest(&fast), b = history_digest(&general);
        assert(memcmp(&a, &b, sizeof a) == 0);
        check_what_is_read(&fast);
    } else {
        assert(strcmp(fast_err.text, general_err.text) == 0);
        assert(fast_err.line == general_err.line && fast_err.offset == general_err.offset);
    }
    history_close(&fast);
    history_close(&general);
    return 0;
}
