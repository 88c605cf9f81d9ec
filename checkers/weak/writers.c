/*
 * Who wrote what was read: a table over (key, value).
 *
 *     slot     bits 7   key x   txn 12          T12 wrote x=7
 *     slot     bits 8   key x   txn 2^31 + 3    several wrote x=8: the fourth of `several`
 *
 * A slot has all that must be compared where values are integers, so that a read costs one
 * access that is not at hand, and that is asked for some reads ahead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "checkers/weak/weak_private.h"

#define AHEAD 16
#define FREE UINT32_MAX
#define SEVERAL (UINT32_C(1) << 31)

struct slot {
    uint64_t bits; /* the value, or its hash */
    uint32_t key;
    uint32_t txn; /* or FREE, or SEVERAL and more */
};

/* Those that wrote one value of one key. */
struct several {
    uint32_t first, second;
    bool are_more;
};

struct table {
    struct weak *w;
    struct slot *slots;
    uint64_t mask;
    bool is_exact; /* all values in it are integers: bits tell all */
    ARRAY(struct several) several;
};

static uint64_t slot_of(const struct table *t, uint32_t key, uint64_t bits)
{
    return hash_number(bits + hash_number(key)) & t->mask;
}

static uint64_t bits_of(const struct history *h, uint32_t op)
{
    return h->op_value_kind[op] == VALUE_INTEGER ? (uint64_t)h->op_value[op]
                                                 : values_hash(h, history_value(h, op));
}

/* A transaction that wrote the slot's value. */
static uint32_t writer_in(const struct table *t, const struct slot *slot)
{
    return slot->txn & SEVERAL ? t->several.at[slot->txn - SEVERAL].first : slot->txn;
}

/* Of a slot with these bits: whether it is that value. */
static bool is_same(const struct table *t, const struct slot *slot, uint32_t key, uint32_t op)
{
    const struct weak *w = t->w;
    const struct history *h = w->history;
    uint32_t write = weak_find_write(w, writer_in(t, slot), key);

    return values_same(h, history_value(h, w->write_op[write]), history_value(h, op));
}

/* Its slot, or the free one where it would stand. */
static inline struct slot *seek(const struct table *t, uint32_t key, uint64_t bits, uint32_t op)
{
    for (uint64_t at = slot_of(t, key, bits);; at = (at + 1) & t->mask) {
        struct slot *slot = &t->slots[at];

        if (slot->txn == FREE ||
            (slot->bits == bits && slot->key == key && (t->is_exact || is_same(t, slot, key, op))))
            return slot;
    }
}

/* --- Filling ---------------------------------------------------------------------- */

static enum status add_again(struct table *t, struct slot *slot, uint32_t txn, struct error *err)
{
    struct several both = { slot->txn, txn, false };

    if (slot->txn & SEVERAL) {
        t->several.at[slot->txn - SEVERAL].are_more = true;
        return STATUS_OK;
    }
    slot->txn = SEVERAL + (uint32_t)t->several.count;
    return array_push(&t->several, both, err);
}

static enum status add(struct table *t, uint32_t txn, uint32_t write, struct error *err)
{
    const struct weak *w = t->w;
    uint32_t op = w->write_op[write], key = w->write_key[write];
    uint64_t bits = bits_of(w->history, op);
    struct slot *slot = seek(t, key, bits, op);

    if (slot->txn != FREE)
        return add_again(t, slot, txn, err);
    *slot = (struct slot){ bits, key, txn };
    return STATUS_OK;
}

static void expect_write(const struct table *t, uint32_t write)
{
    const struct weak *w = t->w;

    if (write < w->write_count)
        __builtin_prefetch(
            &t->slots[slot_of(t, w->write_key[write], bits_of(w->history, w->write_op[write]))], 1);
}

static enum status fill(struct table *t, struct error *err)
{
    struct weak *w = t->w;
    uint64_t room = 16;

    for (uint32_t i = 0; i < w->write_count && t->is_exact; i++)
        t->is_exact = w->history->op_value_kind[w->write_op[i]] == VALUE_INTEGER ||
                      weak_key_kind(w, w->write_key[i]) != WEAK_REGISTER;
    while (room * 3 < (uint64_t)w->write_count * 4)
        room *= 2;
    t->mask = room - 1;
    TRY(check_memory((void **)&t->slots, room, sizeof *t->slots, 0xff, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
            expect_write(t, i + AHEAD);
            if (weak_key_kind(w, w->write_key[i]) == WEAK_REGISTER)
                TRY(add(t, txn, i, err));
        }
    }
    return STATUS_OK;
}

/* --- Asking ----------------------------------------------------------------------- */

/* WEAK_OPEN: several; FREE (that is WEAK_INITIAL): nobody else. */
static uint32_t one_of(const struct several *s, uint32_t reader)
{
    if (s->are_more || (s->first != reader && s->second != reader))
        return WEAK_OPEN;
    return s->first == reader ? s->second : s->first;
}

static enum status find_writer(struct table *t, uint32_t txn, uint32_t read, struct error *err)
{
    struct weak *w = t->w;
    const struct history *h = w->history;
    uint32_t op = w->read_op[read], key = w->read_key[read], writer = FREE;
    uint8_t kind = h->op_value_kind[op];
    bool is_initial = false;

    if (kind == VALUE_INTEGER || !t->is_exact)
        writer = seek(t, key, bits_of(h, op), op)->txn;
    if (writer == txn)
        writer = FREE;
    else if (writer != FREE && writer & SEVERAL)
        writer = one_of(&t->several.at[writer - SEVERAL], txn);
    if (kind != VALUE_INTEGER || h->initial_count > 0)
        is_initial = values_same(h, history_initial(h, key), history_value(h, op));
    if (is_initial)
        writer = writer == FREE ? WEAK_INITIAL : WEAK_OPEN;
    else if (writer == FREE)
        TRY(weak_add_fault(w, txn, op, HISTORY_NONE, WEAK_NO_WRITER, err));
    w->read_writer[read] = !is_initial && writer == FREE ? WEAK_OPEN : writer;
    if (writer == WEAK_OPEN)
        w->open_op = w->open_op == HISTORY_NONE ? op : w->open_op;
    else if (writer != WEAK_INITIAL)
        w->takes_part[writer] = 1;
    w->reads_go_forward &= writer >= WEAK_OPEN || writer < txn;
    return STATUS_OK;
}

static void expect_read(const struct table *t, uint32_t read)
{
    const struct weak *w = t->w;

    if (read < w->read_count)
        __builtin_prefetch(
            &t->slots[slot_of(t, w->read_key[read], bits_of(w->history, w->read_op[read]))]);
}

static enum status ask(struct table *t, struct error *err)
{
    struct weak *w = t->w;

    for (uint32_t txn = 0; txn < w->txn_count; txn++) {
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
            expect_read(t, i + AHEAD);
            w->read_writer[i] = WEAK_OPEN;
            if (weak_key_kind(w, w->read_key[i]) == WEAK_REGISTER)
                TRY(find_writer(t, txn, i, err));
        }
    }
    return STATUS_OK;
}

enum status weak_find_writers(struct weak *w, struct error *err)
{
    struct table t = { .w = w, .is_exact = true };
    enum status status;

    if (w->txn_count >= SEVERAL)
        return error_set(err, STATUS_OVER_LIMIT, "%u transactions are too many", w->txn_count);
    w->reads_go_forward = true;
    status = memory_resize((void **)&w->read_writer, w->read_count, sizeof *w->read_writer, err);
    if (status == STATUS_OK)
        status = fill(&t, err);
    if (status == STATUS_OK && !w->is_stopped)
        status = ask(&t, err);
    free(t.slots);
    array_close(&t.several);
    return status;
}
