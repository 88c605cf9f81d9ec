/*
 * fuzz_writer: bytes as the choices of a wild history, which is written in every format and read again. Of the native
 * ones nothing is lost: the text is the same to the byte, and the digest. What another tool's format has lost, it has
 * lost the first time: from then on the file is the same.
 */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/binary/oh.h"
#include "history/foreign/foreign.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"
#include "tests/differential/wild.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct foreign *const formats[] = {
    &foreign_plume, &foreign_dbcop, &foreign_jepsen_edn, &foreign_jepsen_json, &foreign_isopredict,
};

static enum status add_to_buffer(void *context, const void *bytes, size_t size, struct error *err)
{
    buffer_text(context, (struct text){ bytes, size });
    return buffer_status(context, err);
}

static void write_text(const struct history *history, struct buffer *out)
{
    struct error err = { 0 };
    struct sink sink;
    enum status status;

    buffer_clear(out);
    sink_open_memory(&sink, out);
    status = jsonl_write(history, &sink, NULL, &err);
    assert(status == STATUS_OK);
    sink_close(&sink);
}

static enum status read_text(const struct buffer *text, struct history *history, struct error *err)
{
    struct source source;
    enum status status;

    *history = (struct history){ 0 };
    status = source_open_memory(&source, "text", text->at, text->count, err);
    if (status == STATUS_OK)
        status = jsonl_read(&source, 0, history, err);
    source_close(&source);
    return status;
}

static bool same(const struct buffer *a, const struct buffer *b)
{
    bool is_same = text_equal((struct text){ a->at, a->count }, (struct text){ b->at, b->count });

    if (!is_same)
        printf("%.*s\n---\n%.*s\n", (int)a->count, a->at, (int)b->count, b->at);
    fflush(stdout);
    return is_same;
}

/* Text to binary to text, and text to text. */
static void check_native(const struct history *history)
{
    struct buffer first = { 0 }, second = { 0 }, binary = { 0 };
    struct history again;
    struct error err = { 0 };
    struct digest digest = history_digest(history), other;
    enum status status = oh_write(history, add_to_buffer, &binary, &err);
    bool is_same;

    assert(status == STATUS_OK);
    write_text(history, &first);
    status = oh_read("binary", (unsigned char *)binary.at, binary.count, &again, &err);
    assert(status == STATUS_OK);
    binary = (struct buffer){ 0 }; /* it is the history's now */
    other = history_digest(&again);
    write_text(&again, &second);
    is_same = same(&first, &second) && memcmp(&digest, &other, sizeof digest) == 0;
    assert(is_same);
    history_close(&again);
    status = read_text(&first, &again, &err);
    assert(status == STATUS_OK);
    other = history_digest(&again);
    write_text(&again, &second);
    is_same = same(&first, &second) && memcmp(&digest, &other, sizeof digest) == 0;
    assert(is_same);
    history_close(&again);
    buffer_close(&first);
    buffer_close(&second);
}

/* False: the format cannot carry it, and says why. */
static bool write_foreign(const struct foreign *foreign, const struct history *history, struct buffer *out)
{
    struct error err = { 0 };
    struct sink sink;
    uint32_t losses = 0;
    bool is_written;

    buffer_clear(out);
    sink_open_memory(&sink, out);
    is_written = foreign->examine(history, &losses, &err) == STATUS_OK &&
                 foreign->write(history, &sink, &err) == STATUS_OK;
    assert(is_written || err.text[0] != '\0');
    sink_close(&sink);
    return is_written;
}

static struct history read_foreign(const struct foreign *foreign, const struct buffer *bytes)
{
    struct history history = { 0 };
    struct source source;
    struct error err = { 0 };
    enum status status = source_open_memory(&source, "foreign", bytes->at, bytes->count, &err);

    assert(status == STATUS_OK);
    status = foreign->read(&source, &history, &err);
    if (status != STATUS_OK)
        printf("%s\n%.*s\n", err.text, (int)bytes->count, bytes->at);
    fflush(stdout);
    assert(status == STATUS_OK);
    source_close(&source);
    return history;
}

/* Reads and writes what was written. False: nothing is left. */
static bool write_again(const struct foreign *foreign, const struct buffer *bytes, struct buffer *again)
{
    struct history history;
    bool is_written;

    if (bytes->count == 0)
        return false;
    history = read_foreign(foreign, bytes);
    is_written = write_foreign(foreign, &history, again);
    assert(is_written);
    history_close(&history);
    return true;
}

/* Sessions in which nothing is left get no number the second time. */
static void check_foreign(const struct foreign *foreign, const struct history *history)
{
    struct buffer first = { 0 }, second = { 0 }, third = { 0 };
    bool is_same;

    if (write_foreign(foreign, history, &first) && write_again(foreign, &first, &second) &&
        write_again(foreign, &second, &third)) {
        is_same = same(&second, &third);
        assert(is_same);
    }
    buffer_close(&first);
    buffer_close(&second);
    buffer_close(&third);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer text = { 0 };
    struct history history;
    struct error err = { 0 };
    struct dice dice;

    dice_of_bytes(&dice, data, size);
    wild_history(&dice, &text);
    if (getenv("FUZZ_SHOW"))
        printf("%.*s\n", (int)text.count, text.at);
    if (read_text(&text, &history, &err) == STATUS_OK) {
        check_native(&history);
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            check_foreign(formats[i], &history);
        history_close(&history);
    } else {
        assert(err.text[0] != '\0');
    }
    buffer_close(&text);
    return 0;
}
