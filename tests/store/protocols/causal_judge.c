#include "tests/store/protocols/causal_judge.h"

#include <assert.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX
#define UNKNOWN_VALUE (UINT32_MAX - 1)

struct judge {
    const struct history *h;
    uint32_t count, words;
    uint64_t *before; /* before[b] has the bit of a: a comes before b */
    bool is_broken;
};

static void add_edge(struct judge *j, uint32_t a, uint32_t b)
{
    j->before[(size_t)b * j->words + a / 64] |= UINT64_C(1) << a % 64;
}

static bool is_before(const struct judge *j, uint32_t a, uint32_t b)
{
    return j->before[(size_t)b * j->words + a / 64] >> a % 64 & 1;
}

static void close_over(struct judge *j)
{
    for (uint32_t middle = 0; middle < j->count; middle++)
        for (uint32_t b = 0; b < j->count; b++)
            for (uint32_t word = 0; is_before(j, middle, b) && word < j->words; word++)
                j->before[(size_t)b * j->words + word] |=
                    j->before[(size_t)middle * j->words + word];
}

static bool is_acyclic(const struct judge *j)
{
    for (uint32_t t = 0; t < j->count; t++)
        if (is_before(j, t, t))
            return false;
    return true;
}

/* --- The history ------------------------------------------------------------------------------ */

/* The operation with which the transaction last wrote the key, before `end`; or NOBODY. */
static uint32_t last_write(const struct history *h, uint32_t t, uint32_t key, uint32_t end)
{
    for (uint32_t op = end; op-- > h->txn_op[t];)
        if (op_is_write(h->op_kind[op]) && h->op_key[op] == key)
            return op;
    return NOBODY;
}

static bool is_same(struct value a, struct value b)
{
    return a.kind == b.kind && a.bits == b.bits;
}

/* Who wrote what the read returned; NOBODY: it was there from the start. */
static uint32_t writer_of(const struct history *h, uint32_t read)
{
    uint32_t key = h->op_key[read];
    struct value value = history_value(h, read);

    if (value.kind == VALUE_NONE || value.kind == VALUE_NULL)
        return UNKNOWN_VALUE;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t write = last_write(h, t, key, h->txn_op[t + 1]);

        if (h->txn_status[t] != TXN_ABORT && write != NOBODY &&
            is_same(history_value(h, write), value))
            return t;
    }
    return is_same(history_initial(h, key), value) ? NOBODY : UNKNOWN_VALUE;
}

static bool is_judged(const struct history *h, uint32_t t, uint32_t op)
{
    return h->txn_status[t] == TXN_OK && h->op_kind[op] == OP_READ &&
           last_write(h, t, h->op_key[op], op) == NOBODY;
}

static void add_sessions(struct judge *j)
{
    const struct history *h = j->h;

    for (uint32_t b = 0; b < j->count; b++)
        for (uint32_t a = 0; a < b; a++)
            if (h->txn_session[a] == h->txn_session[b] && h->txn_status[a] == TXN_OK &&
                h->txn_status[b] != TXN_ABORT)
                add_edge(j, a, b);
}

static void add_reads(struct judge *j)
{
    const struct history *h = j->h;

    for (uint32_t t = 0; t < j->count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t writer = is_judged(h, t, op) ? writer_of(h, op) : UNKNOWN_VALUE;

            if (writer != NOBODY && writer != UNKNOWN_VALUE && writer != t)
                add_edge(j, writer, t);
        }
}

/* Those that wrote the key and are causally before the reader come before whom it read from. */
static void order_writers(struct judge *j, const struct judge *causality, uint32_t reader,
                          uint32_t key, uint32_t writer)
{
    const struct history *h = j->h;

    for (uint32_t t = 0; t < j->count; t++) {
        if (t == writer || t == reader || h->txn_status[t] == TXN_ABORT ||
            !is_before(causality, t, reader) ||
            last_write(h, t, key, h->txn_op[t + 1]) == NOBODY)
            continue;
        if (writer == NOBODY)
            j->is_broken = true;
        else
            add_edge(j, t, writer);
    }
}

static void order_all_writers(struct judge *j, const struct judge *causality)
{
    const struct history *h = j->h;

    for (uint32_t t = 0; t < j->count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            uint32_t writer = is_judged(h, t, op) ? writer_of(h, op) : UNKNOWN_VALUE;

            if (writer != UNKNOWN_VALUE)
                order_writers(j, causality, t, h->op_key[op], writer);
        }
}

static struct judge open_judge(const struct history *h)
{
    struct judge j = { .h = h,
                       .count = (uint32_t)h->txn_count,
                       .words = (uint32_t)(h->txn_count / 64 + 1) };

    j.before = calloc((size_t)j.count + 1, j.words * sizeof *j.before);
    assert(j.before);
    add_sessions(&j);
    add_reads(&j);
    close_over(&j);
    return j;
}

bool causal_judge_holds(const struct history *h)
{
    struct judge causality = open_judge(h), order = open_judge(h);
    bool holds;

    order_all_writers(&order, &causality);
    close_over(&order);
    holds = is_acyclic(&order) && !order.is_broken;
    free(causality.before);
    free(order.before);
    return holds;
}
