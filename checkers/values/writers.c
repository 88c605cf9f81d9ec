#include "checkers/values/writers.h"

#include "checkers/check_private.h"

#define SEVERAL (UINT32_C(1) << 31)    /* the rest is a place in `further` */
#define IS_INTEGER (UINT32_C(1) << 30) /* bits are the value */
#define WRITER_MASK (IS_INTEGER - 1)

enum status writers_init(struct writers *w, const struct history *h, uint64_t count,
                         struct error *err)
{
    uint64_t room = 16;

    *w = (struct writers){ .history = h };
    if (count >= WRITER_MASK)
        return error_set(err, STATUS_OVER_LIMIT, "%llu writes are too many",
                         (unsigned long long)count);
    while (room * 3 < count * 4)
        room *= 2;
    w->mask = room - 1;
    return check_memory((void **)&w->slots, room, sizeof *w->slots, 0xff, err);
}

void writers_close(struct writers *w)
{
    free(w->slots);
    array_close(&w->further);
}

/* The first who wrote what is in a slot. */
static uint32_t first_in(const struct writers *w, const struct written_slot *slot)
{
    uint32_t writer = slot->writer & WRITER_MASK;

    return slot->writer & SEVERAL ? w->further.at[writer].writer : writer;
}

/* Of a slot with the key and bits of the value. */
static bool is_same(const struct writers *w, const struct written_slot *slot, uint32_t key,
                    struct value value)
{
    const struct history *h = w->history;

    if (slot->writer & IS_INTEGER || value.kind == VALUE_INTEGER)
        return slot->writer & IS_INTEGER && value.kind == VALUE_INTEGER;
    return values_same(h, history_value(h, w->op_of(w->context, key, first_in(w, slot))), value);
}

/* The value's slot, or the free one where it would stand. */
static inline struct written_slot *seek(const struct writers *w, uint32_t key, struct value value,
                                        uint64_t bits)
{
    for (uint64_t at = writers_slot(w, key, bits);; at = (at + 1) & w->mask) {
        struct written_slot *slot = &w->slots[at];

        if (slot->writer == WRITERS_NOBODY ||
            (slot->bits == bits && slot->key == key && is_same(w, slot, key, value)))
            return slot;
    }
}

static enum status add_further(struct writers *w, struct written_slot *slot, uint32_t writer,
                               struct error *err)
{
    uint32_t first = slot->writer & WRITER_MASK, place;

    TRY(array_reserve(&w->further, 2, err));
    if (!(slot->writer & SEVERAL)) {
        place = (uint32_t)w->further.count++;
        w->further.at[place] = (struct further_writer){ first, WRITERS_NOBODY, place };
        slot->writer = SEVERAL | (slot->writer & IS_INTEGER) | place;
        first = place;
    }
    place = (uint32_t)w->further.count++;
    w->further.at[place] = (struct further_writer){ writer, WRITERS_NOBODY, place };
    w->further.at[w->further.at[first].last].next = place;
    w->further.at[first].last = place;
    return STATUS_OK;
}

enum status writers_add(struct writers *w, uint32_t key, struct value value, uint32_t writer,
                        uint32_t *first, struct error *err)
{
    uint64_t bits = writers_bits(w, value);
    struct written_slot *slot = seek(w, key, value, bits);
    bool is_free = slot->writer == WRITERS_NOBODY;

    if (first)
        *first = is_free ? WRITERS_NOBODY : first_in(w, slot);
    if (!is_free)
        return add_further(w, slot, writer, err);
    *slot = (struct written_slot){ bits, key,
                                   writer | (value.kind == VALUE_INTEGER ? IS_INTEGER : 0) };
    return STATUS_OK;
}

struct writer writers_find(const struct writers *w, uint32_t key, struct value value)
{
    const struct written_slot *slot = seek(w, key, value, writers_bits(w, value));

    if (slot->writer == WRITERS_NOBODY)
        return (struct writer){ WRITERS_NOBODY, WRITERS_NOBODY };
    if (slot->writer & SEVERAL)
        return writers_next(w, (struct writer){ 0, slot->writer & WRITER_MASK });
    return (struct writer){ slot->writer & WRITER_MASK, WRITERS_NOBODY };
}
