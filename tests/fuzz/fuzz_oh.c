/*
 * Any bytes are refused as an .oh file, or make a history that is sound and,
 * written again, makes the same bytes. Of an odd first byte the rest is a file
 * whose checksums are made right before it is read: no fuzzer guesses them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "history/binary/oh.h"
#include "tests/history/binary/oh_repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum status add_to_buffer(void *context, const void *bytes, size_t size, struct error *err)
{
    buffer_text(context, (struct text){ bytes, size });
    return buffer_status(context, err);
}

/* Asks for what a reader may ask for, without looking first. */
static void use(const struct history *h)
{
    struct value before = { VALUE_NULL, 0 };

    (void)history_digest(h);
    for (size_t op = 0; op < h->op_count; op++) {
        uint32_t txn = history_txn_of(h, (uint32_t)op);
        struct value value = history_value(h, op);
        assert(h->txn_op[txn] <= op && op < h->txn_op[txn + 1]);
        (void)history_values_equal(h, before, value);
        (void)history_op_snapshot(h, txn, op);
        if (!op_is_head(h->op_kind[op]))
            (void)history_initial(h, h->op_key[op]);
        before = value;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error err = { 0 };
    struct history history;
    struct buffer again = { 0 };
    unsigned char *bytes, *kept;

    if (size < 1)
        return 0;
    size--;
    bytes = malloc(size + !size);
    kept = malloc(size + !size);
    assert(bytes && kept);
    memcpy(bytes, data + 1, size);
    if (data[0] & 1)
        oh_repair(bytes, size);
    memcpy(kept, bytes, size);
    if (oh_read("fuzz", bytes, size, &history, &err) == STATUS_OK) {
        enum status status = history_check(&history, &err);
        assert(status == STATUS_OK);
        use(&history);
        status = oh_write(&history, add_to_buffer, &again, &err);
        assert(status == STATUS_OK);
        assert(again.count == size && memcmp(again.at, kept, size) == 0);
        buffer_close(&again);
        history_close(&history);
    } else {
        assert(err.status != STATUS_OK && err.text[0]);
    }
    free(kept);
    return 0;
}
