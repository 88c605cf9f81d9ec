/*
 * Lists and rows of the builder. An equal list or row is kept once and shares
 * its number, as texts do: most reads return what some other read returned, and
 * the numbering is then a function of what the history says.
 */
#include <assert.h>
#include <string.h>

#include "base/checksum.h"
#include "base/hash.h"
#include "history/builder_private.h"

#define SLOT_COUNT_MIN 64

static enum status widen(struct value_slots *table, struct error *err)
{
    size_t wider_count = table->slot_count ? table->slot_count * 2 : SLOT_COUNT_MIN;
    struct intern_slot *wider = calloc(wider_count, sizeof *wider);

    if (!wider)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to share %zu values", wider_count / 2);
    for (size_t i = 0; i < table->slot_count; i++) {
        size_t to = table->slots[i].tag & (wider_count - 1);
        if (table->slots[i].number_plus_one == 0)
            continue;
        while (wider[to].number_plus_one)
            to = (to + 1) & (wider_count - 1);
        wider[to] = table->slots[i];
    }
    free(table->slots);
    table->slots = wider;
    table->slot_count = wider_count;
    return STATUS_OK;
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* Where the search for a value begins. */
static struct intern_slot *first_slot(const struct value_slots *table, uint32_t tag)
{
    return &table->slots[tag & (table->slot_count - 1)];
}

/*
 * The slot of the value that equals number `last`, which has just been added
 * behind the others, or a free slot.
 */
static struct intern_slot *slot_of(const struct builder *b, const struct value_slots *table,
                                   uint32_t tag, size_t last,
                                   bool (*equal)(const struct builder *, size_t, size_t))
{
    size_t mask = table->slot_count - 1;

    for (size_t i = tag & mask;; i = (i + 1) & mask) {
        struct intern_slot *slot = &table->slots[i];
        if (slot->number_plus_one == 0 ||
            (slot->tag == tag && equal(b, slot->number_plus_one - 1, last)))
            return slot;
    }
}

/* The number that value `last` is to have: an older one's, or its own. */
static enum status share(const struct builder *b, struct value_slots *table, uint64_t hash,
                         size_t last, bool (*equal)(const struct builder *, size_t, size_t),
                         size_t *number, struct error *err)
{
    uint32_t tag = tag_of(hash);
    struct intern_slot *slot;

    if (last >= UINT32_MAX - 1)
        return error_set(err, STATUS_OVER_LIMIT, "more than %u different values", UINT32_MAX - 1);
    /* Two thirds full at most: these tables are far larger than any cache. */
    if (last * 3 >= table->slot_count * 2)
        TRY(widen(table, err));
    slot = slot_of(b, table, tag, last, equal);
    if (slot->number_plus_one == 0)
        *slot = (struct intern_slot){ tag, (uint32_t)last + 1 };
    *number = slot->number_plus_one - 1;
    return STATUS_OK;
}

static bool lists_equal(const struct builder *b, size_t list, size_t last)
{
    uint64_t from = b->list_start[list], last_from = b->list_start[last];
    uint64_t count = b->list_start[list + 1] - from;

    return count == b->element_count - last_from &&
           (count == 0 || memcmp(b->list_element + from, b->list_element + last_from,
                                 count * sizeof *b->list_element) == 0);
}

enum status builder_list(struct builder *b, const int64_t *elements, size_t count,
                         struct value *value, struct error *err)
{
    size_t from = b->element_count, last = b->list_count, number = last;
    uint64_t hash;

    TRY(BUILDER_RESERVE(b, list, 1, err));
    TRY(BUILDER_RESERVE(b, element, count, err));
    hash = hash_number(checksum(elements, count * sizeof *elements));
    if (count)
        memcpy(b->list_element + from, elements, count * sizeof *elements);
    b->list_start[last] = from;
    b->element_count += count;
    TRY(share(b, &b->list_slots, hash, last, lists_equal, &number, err));
    if (number == last)
        b->list_start[++b->list_count] = b->element_count;
    else
        b->element_count = from;
    *value = (struct value){ VALUE_LIST, (int64_t)number };
    return STATUS_OK;
}

static bool rows_equal(const struct builder *b, size_t row, size_t last)
{
    uint64_t from = b->row_start[row], last_from = b->row_start[last];
    uint64_t count = b->row_start[row + 1] - from;

    return b->row_shape[row] == b->row_shape[last] && count == b->cell_count - last_from &&
           (count == 0 || (memcmp(b->cell_value + from, b->cell_value + last_from,
                                  count * sizeof *b->cell_value) == 0 &&
                           memcmp(b->cell_kind + from, b->cell_kind + last_from, count) == 0));
}

static uint64_t hash_row(uint32_t shape, const struct value *cells, size_t count)
{
    uint64_t hash = hash_number(shape);

    for (size_t i = 0; i < count; i++)
        hash = hash_fold(hash ^ (uint64_t)cells[i].bits, HASH_ODD_2 + cells[i].kind) +
               (uint64_t)cells[i].bits;
    return hash;
}

static enum status push_row(struct builder *b, uint32_t shape, const struct value *cells,
                            size_t count, uint64_t hash, struct value *value, struct error *err)
{
    size_t from = b->cell_count, last = b->row_count, number = last;

    TRY(BUILDER_RESERVE(b, row, 1, err));
    TRY(BUILDER_RESERVE(b, cell, count, err));
    for (size_t i = 0; i < count; i++) {
        b->cell_kind[from + i] = (uint8_t)cells[i].kind;
        b->cell_value[from + i] = cells[i].bits;
    }
    b->row_shape[last] = shape;
    b->row_start[last] = from;
    b->cell_count += count;
    TRY(share(b, &b->row_slots, hash, last, rows_equal, &number, err));
    if (number == last)
        b->row_start[++b->row_count] = b->cell_count;
    else
        b->cell_count = from;
    *value = (struct value){ VALUE_ROW, (int64_t)number };
    return STATUS_OK;
}

enum status builder_push_row(struct builder *b, uint32_t shape, const struct value *cells,
                             size_t count, struct value *value, struct error *err)
{
    return push_row(b, shape, cells, count, hash_row(shape, cells, count), value, err);
}

static size_t column_count(const struct builder *b, uint32_t table)
{
    return b->table_column_start[table + 1] - b->table_column_start[table];
}

bool builder_row_is(const struct builder *b, size_t row, const struct value *cells)
{
    uint64_t from = b->row_start[row], count = b->row_start[row + 1] - from, i = 0;

    while (i < count && b->cell_value[from + i] == cells[i].bits &&
           b->cell_kind[from + i] == cells[i].kind)
        i++;
    return i == count;
}

uint64_t builder_expect_row(const struct builder *b, uint32_t table, const struct value *cells)
{
    uint64_t hash = hash_row(b->table_shape[table], cells, column_count(b, table));

    if (b->row_slots.slot_count)
        __builtin_prefetch(first_slot(&b->row_slots, tag_of(hash)));
    return hash;
}

enum status builder_whole_row(struct builder *b, uint32_t table, const struct value *cells,
                              uint64_t hash, struct value *value, struct error *err)
{
    return push_row(b, b->table_shape[table], cells, column_count(b, table), hash, value, err);
}
