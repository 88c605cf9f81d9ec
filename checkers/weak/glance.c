/*
 * Causal at a glance: where transactions are numbered as they committed, an order is at hand, and
 * in most reads nobody wrote the key between the writer who was read from and the reader.
 *
 *     T1: w x   T2: r x   T3: w x   T4: r x from T1        only T3 matters, and only if it is
 *                                                          before T4 by session order and reads
 *
 * If no such transaction is, all that causal consistency puts before another comes before it in
 * that order. Whether one is, is found by walking backwards from the reader, not beyond the
 * first of them. After so many steps a glance is no longer one, and clocks are made instead.
 */
#include <stdlib.h>

#include "checkers/weak/axioms_private.h"

#define NONE UINT32_MAX

struct glance {
    struct weak *w;
    uint32_t *last;   /* by key: who wrote it last so far */
    uint32_t *before; /* by write: who wrote its key last before it */
    uint32_t *seen;   /* by transaction: the reader, plus one, who was found to be behind it */
    ARRAY(uint32_t) between; /* who wrote what the reader at hand read, between */
    ARRAY(uint32_t) path;
    uint64_t patience;
    bool holds;
};

static void take_step(struct glance *g)
{
    if (g->patience == 0)
        g->holds = false;
    else
        g->patience--;
}

/* Those who wrote the key since, as far as they came before the reader. */
static enum status find_between(struct glance *g, uint32_t read, uint32_t *lowest,
                                struct error *err)
{
    const struct weak *w = g->w;
    uint32_t t1 = w->read_writer[read], key = w->read_key[read];
    uint32_t t2 = t1 == WEAK_OPEN ? NONE : g->last[key];

    for (; t2 != NONE && t2 != t1 && (t1 == WEAK_INITIAL || t2 > t1) && g->holds;
         t2 = g->before[weak_find_write(w, t2, key)]) {
        take_step(g);
        TRY(array_push(&g->between, t2, err));
        *lowest = t2 < *lowest ? t2 : *lowest;
    }
    return STATUS_OK;
}

static enum status look_at(struct glance *g, uint32_t txn, uint32_t reader, uint32_t lowest,
                           struct error *err)
{
    if (txn >= WEAK_OPEN || txn < lowest || g->seen[txn] == reader + 1)
        return STATUS_OK;
    g->seen[txn] = reader + 1;
    return array_push(&g->path, txn, err);
}

/* Marks all that are before the reader, from `lowest` on. */
static enum status walk_back(struct glance *g, uint32_t reader, uint32_t lowest, struct error *err)
{
    const struct weak *w = g->w;

    g->path.count = 0;
    TRY(array_push(&g->path, reader, err));
    while (g->path.count > 0 && g->holds) {
        uint32_t txn = g->path.at[--g->path.count];

        take_step(g);
        TRY(look_at(g, weak_previous(w, txn), reader, lowest, err));
        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
            TRY(look_at(g, w->read_writer[i], reader, lowest, err));
    }
    return STATUS_OK;
}

static enum status pass_txn(struct glance *g, uint32_t txn, struct error *err)
{
    const struct weak *w = g->w;
    uint32_t lowest = NONE;

    g->between.count = 0;
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
        TRY(find_between(g, i, &lowest, err));
    if (g->between.count > 0)
        TRY(walk_back(g, txn, lowest, err));
    for (size_t i = 0; i < g->between.count; i++)
        if (g->seen[g->between.at[i]] == txn + 1)
            g->holds = false;
    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
        g->before[i] = g->last[w->write_key[i]];
        g->last[w->write_key[i]] = txn;
    }
    return STATUS_OK;
}

static enum status pass_all(struct glance *g, struct error *err)
{
    struct weak *w = g->w;

    TRY(check_memory((void **)&g->last, w->history->key_count, sizeof *g->last, 0xff, err));
    TRY(memory_resize((void **)&g->before, w->write_count, sizeof *g->before, err));
    TRY(check_memory((void **)&g->seen, w->txn_count, sizeof *g->seen, 0, err));
    for (uint32_t txn = 0; txn < w->txn_count && g->holds; txn++) {
        if (txn % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        if (w->takes_part[txn])
            TRY(pass_txn(g, txn, err));
    }
    return STATUS_OK;
}

enum status weak_glance(struct weak *w, bool *holds, struct error *err)
{
    struct glance g = { .w = w, .holds = true, .patience = 4 * (uint64_t)w->txn_count + 10000 };
    enum status status = pass_all(&g, err);

    *holds = g.holds;
    free(g.last);
    free(g.before);
    free(g.seen);
    array_close(&g.between);
    array_close(&g.path);
    return status;
}
