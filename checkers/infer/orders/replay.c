/*
 * The quick way to valid: an order at hand explains everything.
 *
 *     by ts, else by completion     T3 T1 T2 ...
 *     runs one after another        each read is of what is there; lists grow as they were read
 *     keeps sessions and time       as far as the history has them
 *
 * Then whatever could be inferred leads forward in it: no edge, no link of versions
 * needs to be looked for, and no level is violated. That it does not explain everything says
 * nothing.
 */
#include "checkers/infer/orders/replay.h"

#include <stdlib.h>

#include "checkers/infer/predicates/predicates.h"
#include "checkers/proof/witness.h"

struct placed {
    int64_t place;
    uint32_t txn;
};

struct replay {
    struct infer *infer;
    struct placed *order;
    uint32_t count;
    uint32_t *state; /* by key: the number of what is there, or INFER_INITIAL */
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

/* False: somebody who counts has no place. */
static bool place_all(struct replay *r)
{
    const struct infer *c = r->infer;
    const struct history *h = c->history;
    bool has_ts = h->txn_ts && !h->txn_ts_parts, is_sorted = true;

    if (!has_ts && !h->txn_completed)
        return false;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        struct placed placed = { has_ts ? h->txn_ts[t] : h->txn_completed[t], t };

        if (!infer_is_in(c, t))
            continue;
        if (!has_ts && (placed.place == TIME_ABSENT || placed.place == TIME_NEVER))
            return false;
        is_sorted = is_sorted && (r->count == 0 || placed.place >= r->order[r->count - 1].place);
        r->order[r->count++] = placed;
    }
    if (!is_sorted)
        qsort(r->order, r->count, sizeof *r->order, compare_placed);
    return true;
}

/* Nobody stands behind one who had not begun when he completed. */
static bool keeps_time(const struct replay *r)
{
    const struct history *h = r->infer->history;
    int64_t earliest = TIME_NEVER;

    if (!h->txn_invoked || !h->txn_completed)
        return true;
    for (uint32_t i = r->count; i-- > 0;) {
        uint32_t t = r->order[i].txn;

        if (h->txn_invoked[t] > earliest)
            return false;
        if (h->txn_status[t] == TXN_OK && h->txn_completed[t] != TIME_ABSENT &&
            h->txn_completed[t] < earliest)
            earliest = h->txn_completed[t];
    }
    return true;
}

/* `last` is by session: the latest that was seen, plus one. Unknown ones come before nobody. */
static bool keeps_sessions(const struct replay *r, uint32_t *last)
{
    const struct history *h = r->infer->history;

    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t t = r->order[i].txn, *before = &last[h->txn_session[t]];

        if (t + 1 < *before && h->txn_status[t] == TXN_OK)
            return false;
        *before = t + 1 > *before ? t + 1 : *before;
    }
    return true;
}

/* Lists grow as their order goes; what was never read of them comes last. */
static bool write_version(const struct replay *r, uint32_t number, uint32_t key)
{
    const struct infer *c = r->infer;
    uint32_t start = c->versions.start[key], before = r->state[key];

    if (c->key_kind[key] == KEY_LIST && number - start < c->versions.chained[key] &&
        before != (number == start ? INFER_INITIAL : number - 1))
        return false;
    r->state[key] = number;
    return true;
}

static bool run_txn(const struct replay *r, const uint32_t *number_of, uint32_t txn)
{
    const struct infer *c = r->infer;
    const struct history *h = c->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (c->read_number[op] != INFER_NOTHING &&
            c->read_number[op] != r->state[h->op_key[op]])
            return false;
    if (!infer_predicates_agree(c, txn, r->state))
        return false;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && !write_version(r, number_of[op], h->op_key[op]))
            return false;
    return true;
}

static bool explains(const struct replay *r, const uint32_t *number_of)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (!run_txn(r, number_of, r->order[i].txn))
            return false;
    return true;
}

static enum status tell_order(const struct replay *r, struct error *err)
{
    struct infer *c = r->infer;
    uint32_t *order = NULL;

    TRY(memory_resize((void **)&order, r->count, sizeof *order, err));
    for (uint32_t i = 0; i < r->count; i++)
        order[i] = r->order[i].txn;
    witness_order(c->check, c->history, order, r->count);
    for (uint32_t i = 0; i < r->count; i++)
        order[i] = i;
    if (level_is_snapshot(c->options->level))
        witness_snapshots(c->check, order, r->count);
    free(order);
    return STATUS_OK;
}

static enum status number_writes(const struct infer *c, uint32_t **number_of, struct error *err)
{
    TRY(memory_resize((void **)number_of, c->history->op_count, sizeof **number_of, err));
    for (uint32_t n = 0; n < c->versions.count; n++)
        (*number_of)[c->versions.op[n]] = n;
    return STATUS_OK;
}

static enum status try_order(struct replay *r, uint32_t **scratch, bool *is_valid,
                             struct error *err)
{
    const struct infer *c = r->infer;
    const struct history *h = c->history;

    TRY(memory_resize((void **)&r->order, h->txn_count, sizeof *r->order, err));
    if (!place_all(r) || !keeps_time(r))
        return STATUS_OK;
    TRY(check_memory((void **)scratch, h->session_count, sizeof **scratch, 0, err));
    if (!keeps_sessions(r, *scratch))
        return STATUS_OK;
    TRY(number_writes(c, scratch, err));
    TRY(memory_resize((void **)&r->state, h->key_count, sizeof *r->state, err));
    for (size_t key = 0; key < h->key_count; key++)
        r->state[key] = INFER_INITIAL;
    *is_valid = explains(r, *scratch);
    return STATUS_OK;
}

enum status infer_replay(struct infer *c, bool *is_valid, struct error *err)
{
    struct replay r = { .infer = c };
    uint32_t *scratch = NULL;
    enum status status;

    *is_valid = false;
    if (c->ruled_out || c->check->verdict == VERDICT_INVALID ||
        check_wants(c->options, CHECK_SLOWLY))
        return STATUS_OK;
    status = try_order(&r, &scratch, is_valid, err);
    if (status == STATUS_OK && *is_valid && c->check->verdict == VERDICT_VALID &&
        check_wants(c->options, CHECK_WITNESS))
        status = tell_order(&r, err);
    free(r.order);
    free(r.state);
    free(scratch);
    return status;
}
