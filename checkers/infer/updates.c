/*
 * Lost updates: two transactions read the same version of a key, and then wrote it.
 *
 * Whichever came second, it overwrote what it had not seen. No order of versions is
 * needed to see that.
 */
#include <stdlib.h>

#include "checkers/infer/infer_private.h"
#include "checkers/proof/tell.h"

/* Of a transaction and a key: what it read of it before it wrote. */
struct updating {
    uint32_t txn; /* plus one */
    uint32_t read, number;
    bool has_written;
};

/* A read that was followed by a write. */
struct updates {
    struct infer *infer;
    struct updating *updating; /* by key */
    uint32_t *read;            /* by number: the read of the first who updated that, or none */
    uint32_t *read_initial;    /* by key: likewise of its initial version */
};

static enum status tell(struct updates *u, uint32_t first, uint32_t txn, uint32_t read,
                        struct error *err)
{
    struct infer *c = u->infer;
    const struct history *h = c->history;
    uint32_t txns[] = { history_txn_of(h, first), txn }, ops[] = { first, read };
    struct buffer why = { 0 }, proof = { 0 };

    if (!infer_finds(c, ANOMALY_LOST_UPDATE))
        return STATUS_OK;
    tell_txn(&why, h, txns[0]);
    buffer_text(&why, TEXT(" and "));
    tell_txn(&why, h, txns[1]);
    buffer_text(&why, TEXT(" both read "));
    tell_key_value(&why, h, h->op_key[first], history_value(h, first));
    buffer_text(&why, TEXT(" and then wrote it: the one behind had not seen what the other wrote"));
    proof_reads(&proof, h, txns, ops);
    return infer_tell(c, ANOMALY_LOST_UPDATE, txns, 2, &why, &proof, err);
}

static void hear_read(struct updates *u, uint32_t txn, uint32_t op)
{
    struct infer *c = u->infer;
    struct updating *at = &u->updating[c->history->op_key[op]];

    if (c->read_number[op] == INFER_NOTHING || at->txn == txn + 1)
        return;
    *at = (struct updating){ .txn = txn + 1, .read = op, .number = c->read_number[op] };
}

static enum status hear_write(struct updates *u, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t key = u->infer->history->op_key[op], *first;
    struct updating *at = &u->updating[key];

    if (at->txn != txn + 1)
        *at = (struct updating){ .txn = txn + 1, .has_written = true };
    if (at->has_written)
        return STATUS_OK;
    at->has_written = true;
    first = at->number == INFER_INITIAL ? &u->read_initial[key] : &u->read[at->number];
    if (*first != HISTORY_NONE)
        return tell(u, *first, txn, at->read, err);
    *first = at->read;
    return STATUS_OK;
}

static enum status find(struct updates *u, struct error *err)
{
    struct infer *c = u->infer;
    const struct history *h = c->history;
    size_t keys = h->key_count;

    TRY(check_memory((void **)&u->updating, keys, sizeof *u->updating, 0, err));
    TRY(check_memory((void **)&u->read_initial, keys, sizeof *u->read_initial, 0xff, err));
    TRY(check_memory((void **)&u->read, c->versions.count, sizeof *u->read, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (t % INFER_STEP == 0 && !infer_goes_on(c, "lost updates", t))
            return STATUS_OK;
        if (!infer_is_committed(c, t))
            continue;
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (op_is_read(h->op_kind[op]))
                hear_read(u, t, op);
            else if (history_makes_version(h, op))
                TRY(hear_write(u, t, op, err));
    }
    return STATUS_OK;
}

enum status infer_find_lost_updates(struct infer *c, struct error *err)
{
    struct updates u = { .infer = c };
    enum status status = find(&u, err);

    free(u.updating);
    free(u.read_initial);
    free(u.read);
    return status;
}
