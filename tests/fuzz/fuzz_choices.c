/*
 * Any bytes as a file of choices: refused with a reason and a line, or whole; what is read is written, and that reads
 * back as the same.
 */
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "predict/director/choices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_bytes(const void *bytes, size_t size, struct choices *c, struct error *err)
{
    struct source source;
    bool is_read;

    *err = (struct error){ 0 };
    *c = (struct choices){ 0 };
    is_read = source_open_memory(&source, "input", bytes, size, err) == STATUS_OK &&
              choices_read(c, &source, err) == STATUS_OK;
    assert(is_read || (err->text[0] && err->status != STATUS_OK));
    source_close(&source);
    return is_read;
}

static bool same_wish(const struct wanted_read *a, const struct wanted_read *b)
{
    return a->session == b->session && a->position == b->position && a->statement == b->statement &&
           text_equal(a->key, b->key) && a->is_initial == b->is_initial &&
           a->from_session == b->from_session && a->from_position == b->from_position;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer out = { 0 };
    struct choices c, again;
    struct error err;

    if (!read_bytes(data, size, &c, &err)) {
        choices_close(&c);
        return 0;
    }
    choices_write(&c, &out);
    if (!read_bytes(out.at, out.count, &again, &err))
        assert(!"what was written is refused");
    assert(again.has_order == c.has_order && again.order.count == c.order.count);
    assert(again.wishes.count == c.wishes.count);
    for (size_t i = 0; i < c.order.count; i++)
        assert(again.order.at[i] == c.order.at[i]);
    for (size_t i = 0; i < c.wishes.count; i++)
        assert(same_wish(&c.wishes.at[i], &again.wishes.at[i]));
    choices_close(&c);
    choices_close(&again);
    buffer_close(&out);
    return 0;
}
