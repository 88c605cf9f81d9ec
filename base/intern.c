#include "base/intern.h"

#include <assert.h>

#include "base/hash.h"

void intern_close(struct intern *intern)
{
    free(intern->slots);
    array_close(&intern->end);
    array_close(&intern->bytes);
    *intern = (struct intern){ 0 };
}

size_t intern_count(const struct intern *intern)
{
    return intern->end.count;
}

struct text intern_text(const struct intern *intern, uint32_t number)
{
    uint64_t from;

    assert(number < intern->end.count);
    from = number ? intern->end.at[number - 1] : 0;
    if (intern->end.at[number] == from)
        return TEXT("");
    return (struct text){ intern->bytes.at + from, (size_t)(intern->end.at[number] - from) };
}

/* The slot that holds the text, or the free one where it would go. */
static size_t slot_of(const struct intern *intern, struct text text, uint64_t hash)
{
    size_t mask = intern->slot_count - 1;

    for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
        struct intern_slot slot = intern->slots[i];
        if (slot.number_plus_one == 0)
            return i;
        if (slot.tag == (uint32_t)(hash >> 32) &&
            text_equal(intern_text(intern, slot.number_plus_one - 1), text))
            return i;
    }
}

uint32_t intern_find(const struct intern *intern, struct text text)
{
    if (intern->slot_count == 0)
        return INTERN_NONE;
    /* A free slot's zero minus one is INTERN_NONE. */
    return intern->slots[slot_of(intern, text, hash_bytes(text.at, text.length))].number_plus_one -
           1;
}

static enum status widen(struct intern *intern, struct error *err)
{
    size_t wider_count = intern->slot_count ? intern->slot_count * 2 : 64;
    struct intern_slot *wider = calloc(wider_count, sizeof *wider);

    if (!wider) {
        memory_note_failure();
        return error_set(err, STATUS_OVER_LIMIT, "no memory to number %zu texts", wider_count / 2);
    }
    free(intern->slots);
    intern->slots = wider;
    intern->slot_count = wider_count;
    for (size_t n = 0; n < intern->end.count; n++) {
        struct text text = intern_text(intern, (uint32_t)n);
        uint64_t hash = hash_bytes(text.at, text.length);
        size_t i = (size_t)hash & (wider_count - 1);
        while (wider[i].number_plus_one)
            i = (i + 1) & (wider_count - 1);
        wider[i] = (struct intern_slot){ (uint32_t)(hash >> 32), (uint32_t)n + 1 };
    }
    return STATUS_OK;
}

enum status intern_add(struct intern *intern, struct text text, uint32_t *number,
                       struct error *err)
{
    uint64_t hash = hash_bytes(text.at, text.length);
    size_t slot;

    if (intern->end.count * 2 >= intern->slot_count)
        TRY(widen(intern, err));
    slot = slot_of(intern, text, hash);
    if (intern->slots[slot].number_plus_one == 0) {
        if (intern->end.count >= INTERN_NONE - 1)
            return error_set(err, STATUS_OVER_LIMIT, "more than %u different texts",
                             INTERN_NONE - 1);
        /* One byte even for an empty text: its view points somewhere. */
        TRY(array_reserve(&intern->bytes, text.length + 1, err));
        TRY(array_push(&intern->end, intern->bytes.count + text.length, err));
        if (text.length)
            memcpy(intern->bytes.at + intern->bytes.count, text.at, text.length);
        intern->bytes.count += text.length;
        intern->slots[slot] =
            (struct intern_slot){ (uint32_t)(hash >> 32), (uint32_t)intern->end.count };
    }
    *number = intern->slots[slot].number_plus_one - 1;
    return STATUS_OK;
}
