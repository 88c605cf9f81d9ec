#include "predict/director/commit_order_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void commit_order_close(struct commit_order *o)
{
    free(o->before);
    free(o->after);
    free(o->past);
    array_close(&o->changes);
    *o = (struct commit_order){ 0 };
}

static void copy_rows(uint64_t *to, uint32_t to_words, const uint64_t *from,
                      const struct commit_order *o)
{
    for (uint32_t i = 0; i < o->room; i++)
        memcpy(to + (size_t)i * to_words, from + (size_t)i * o->words, o->words * sizeof *to);
}

enum status commit_order_reserve(struct commit_order *o, uint32_t count, struct error *err)
{
    struct commit_order wide = { .room = o->room ? o->room * 2 : 128, .changes = o->changes };
    size_t size;

    if (count <= o->room)
        return STATUS_OK;
    while (wide.room < count)
        wide.room *= 2;
    wide.words = wide.room / 64;
    size = (size_t)wide.room * wide.words;
    wide.before = calloc(size, sizeof *wide.before);
    wide.after = calloc(size, sizeof *wide.after);
    wide.past = calloc(size, sizeof *wide.past);
    if (!wide.before || !wide.after || !wide.past) {
        free(wide.before);
        free(wide.after);
        free(wide.past);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the order of %u transactions",
                         (unsigned)count);
    }
    copy_rows(wide.before, wide.words, o->before, o);
    copy_rows(wide.after, wide.words, o->after, o);
    copy_rows(wide.past, wide.words, o->past, o);
    o->changes.at = NULL;
    commit_order_close(o);
    *o = wide;
    return STATUS_OK;
}

/* Whatever is in the bits of a word comes before the transaction. */
static void enter_after(struct commit_order *o, uint64_t bits, uint32_t word, uint32_t txn)
{
    for (; bits; bits &= bits - 1)
        bits_add(order_row(o->after, o, word * 64 + (uint32_t)__builtin_ctzll(bits)), txn);
}

static void leave_after(struct commit_order *o, uint64_t bits, uint32_t word, uint32_t txn)
{
    for (; bits; bits &= bits - 1)
        order_row(o->after, o, word * 64 + (uint32_t)__builtin_ctzll(bits))[txn / 64] &=
            ~(UINT64_C(1) << txn % 64);
}

/* All that comes before `first`, and itself, comes before `txn`. */
static enum status put_before(struct commit_order *o, uint32_t first, uint32_t txn,
                              struct error *err)
{
    const uint64_t *from = order_row(o->before, o, first);
    uint64_t *to = order_row(o->before, o, txn);

    for (uint32_t i = 0; i < o->words; i++) {
        uint64_t own = i == first / 64 ? UINT64_C(1) << first % 64 : 0;
        struct order_change change = { (from[i] | own) & ~to[i], txn, i };

        if (!change.bits)
            continue;
        TRY(array_push(&o->changes, change, err));
        to[i] |= change.bits;
        enter_after(o, change.bits, i, txn);
    }
    return STATUS_OK;
}

enum status commit_order_add(struct commit_order *o, uint32_t first, uint32_t then,
                             struct error *err)
{
    const uint64_t *after = order_row(o->after, o, then);

    assert(first != then && !bits_have(after, first));
    if (bits_have(order_row(o->before, o, then), first))
        return STATUS_OK;
    /* `after` does not change: nothing new comes after `then`. */
    for (uint32_t i = 0; i < o->words; i++)
        for (uint64_t bits = after[i]; bits; bits &= bits - 1)
            TRY(put_before(o, first, i * 64 + (uint32_t)__builtin_ctzll(bits), err));
    return put_before(o, first, then, err);
}

void commit_order_go_back(struct commit_order *o, size_t mark)
{
    while (o->changes.count > mark) {
        const struct order_change *c = &o->changes.at[--o->changes.count];

        order_row(o->before, o, c->txn)[c->word] &= ~c->bits;
        leave_after(o, c->bits, c->word, c->txn);
    }
}

void commit_order_append(struct commit_order *o, uint32_t txn)
{
    uint64_t *row = order_row(o->before, o, txn);

    for (uint32_t i = 0; i < o->words; i++)
        enter_after(o, row[i], i, txn);
}

void commit_order_remove(struct commit_order *o, uint32_t txn)
{
    uint64_t *row = order_row(o->before, o, txn);

    for (uint32_t i = 0; i < o->words; i++)
        leave_after(o, row[i], i, txn);
    memset(row, 0, o->words * sizeof *row);
    memset(order_row(o->past, o, txn), 0, o->words * sizeof *row);
}
