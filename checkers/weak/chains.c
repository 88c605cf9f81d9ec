#include "checkers/weak/chains_private.h"

#include <stdlib.h>

/* --- Chains ----------------------------------------------------------------------- */

/* The transaction becomes the last of that chain. */
static void join(struct weak_chains *c, uint32_t txn, uint32_t chain)
{
    c->chain[txn] = chain;
    c->place[txn] = c->last[chain] == HISTORY_NONE ? 1 : c->place[c->last[chain]] + 1;
    c->last[chain] = txn;
}

/*
 * A session's next goes behind the one before it. The first of a session, or an unknown
 * one, goes behind somebody whom it read from and who is the last of all there: so short sessions
 * that follow each other by reads are one chain.
 */
static uint32_t choose_chain(const struct weak_chains *c, uint32_t txn)
{
    const struct weak *w = c->w;
    uint32_t previous = weak_previous(w, txn);

    if (previous != WEAK_INITIAL && !weak_is_unknown(w, txn))
        return c->chain[previous];
    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t writer = w->read_writer[i];

        if (writer < WEAK_OPEN && c->last[c->chain[writer]] == writer &&
            weak_next(w, writer) == WEAK_INITIAL)
            return c->chain[writer];
    }
    return HISTORY_NONE;
}

static enum status make_chains(struct weak_chains *c, struct error *err)
{
    struct weak *w = c->w;
    size_t count = w->txn_count;

    TRY(memory_resize((void **)&c->chain, count, sizeof *c->chain, err));
    TRY(memory_resize((void **)&c->place, count, sizeof *c->place, err));
    TRY(memory_resize((void **)&c->last, count, sizeof *c->last, err));
    for (uint32_t n = 0; n < w->base->count; n++) {
        uint32_t txn = w->base->txns[n], chain = choose_chain(c, txn);

        if (chain == HISTORY_NONE) {
            chain = c->count++;
            c->last[chain] = HISTORY_NONE;
        }
        join(c, txn, chain);
    }
    return STATUS_OK;
}

/* --- Writers ---------------------------------------------------------------------- */

/* All that take part, chain after chain. */
static enum status sort_by_chain(const struct weak_chains *c, uint32_t **txns, struct error *err)
{
    const struct weak *w = c->w;
    uint32_t *next = NULL;
    enum status status;

    TRY(check_memory((void **)&next, (size_t)c->count + 1, sizeof *next, 0, err));
    status = memory_resize((void **)txns, w->base->count, sizeof **txns, err);
    for (uint32_t n = 0; n < w->base->count; n++)
        next[c->chain[w->base->txns[n]] + 1]++;
    for (uint32_t chain = 0; chain < c->count; chain++)
        next[chain + 1] += next[chain];
    for (uint32_t n = 0; n < w->base->count && status == STATUS_OK; n++)
        (*txns)[next[c->chain[w->base->txns[n]]]++] = w->base->txns[n];
    free(next);
    return status;
}

/* Counts, and then puts each into its key's part: key_start[k + 1] runs through that of k. */
static enum status put_writers(struct weak_chains *c, const uint32_t *txns, struct error *err)
{
    const struct weak *w = c->w;
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&c->key_start, keys + 2, sizeof *c->key_start, 0, err));
    for (uint32_t n = 0; n < w->base->count; n++)
        for (uint32_t i = w->write_start[txns[n]]; i < w->write_start[txns[n] + 1]; i++)
            c->key_start[w->write_key[i] + 2]++;
    for (size_t k = 2; k < keys + 2; k++)
        c->key_start[k] += c->key_start[k - 1];
    TRY(memory_resize((void **)&c->writer, c->key_start[keys + 1], sizeof *c->writer, err));
    TRY(memory_resize((void **)&c->seats, c->key_start[keys + 1], sizeof *c->seats, err));
    for (uint32_t n = 0; n < w->base->count; n++)
        for (uint32_t i = w->write_start[txns[n]]; i < w->write_start[txns[n] + 1]; i++) {
            uint32_t at = c->key_start[w->write_key[i] + 1]++;

            c->writer[at] = txns[n];
            c->seats[at] = (struct weak_seat){ c->chain[txns[n]], c->place[txns[n]] };
        }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

enum status weak_chains_init(struct weak_chains *c, struct weak *w, struct error *err)
{
    uint32_t *txns = NULL;
    enum status status;

    *c = (struct weak_chains){ .w = w };
    TRY(make_chains(c, err));
    status = sort_by_chain(c, &txns, err);
    if (status == STATUS_OK)
        status = put_writers(c, txns, err);
    free(txns);
    return status;
}

void weak_chains_close(struct weak_chains *c)
{
    free(c->chain);
    free(c->place);
    free(c->last);
    free(c->key_start);
    free(c->writer);
    free(c->seats);
}
