/*
 * Any bytes as a history of another tool: the format that recognises them reads or refuses them, with
 * a reason and without leaving anything behind; what is read passes the check and can be written as
 * native text.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "history/foreign/foreign.h"
#include "history/jsonl/jsonl_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct foreign *const formats[] = {
    &foreign_plume,      &foreign_awdit_test, &foreign_dbcop, &foreign_jepsen_edn,
    &foreign_jepsen_json, &foreign_dbcop_json, &foreign_chronos, &foreign_viper,
    &foreign_porcupine,  &foreign_isopredict,
};

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

static void read_as(const struct foreign *foreign, const uint8_t *data, size_t size)
{
    struct history history = { 0 };
    struct error err = { 0 };
    struct source source;

    if (source_open_memory(&source, "input", data, size, &err) == STATUS_OK &&
        foreign->read(&source, &history, &err) == STATUS_OK) {
        enum status status = history_check(&history, &err);

        assert(status == STATUS_OK);
        write_text(&history);
        history_close(&history);
    } else {
        assert(err.status != STATUS_OK && err.text[0] && !history.memory);
    }
    source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text text = { (const char *)data, size };

    (void)foreign_cobra.is_it(text);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->is_it(text))
            read_as(formats[i], data, size);
    return 0;
}
