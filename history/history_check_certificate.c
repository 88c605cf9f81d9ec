#include <inttypes.h>
#include <stdlib.h>

#include "history/history_check_private.h"

#define FETCH_AHEAD 32

static bool makes_version(const struct history *h, size_t op)
{
    return op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR);
}

static enum status check_set_entry(struct history_check *c, size_t set, uint64_t i,
                                   struct error *err)
{
    const struct history *h = c->h;
    uint32_t key = h->set_key[i], version = h->set_version[i];

    if (key >= h->key_count || c->key_stamp[key] == set + 1)
        return history_check_refuse(COLUMN_set_key, i, err, "key %" PRIu32 "%s", key,
                                    key < h->key_count ? " again" : " of too few");
    c->key_stamp[key] = (uint32_t)set + 1;
    if (version != VERSION_INITIAL &&
        (version >= h->op_count || h->op_key[version] != key || !makes_version(h, version)))
        return history_check_refuse(COLUMN_set_version, i, err,
                                    "operation %" PRIu32 " is no version of key %" PRIu32, version,
                                    key);
    return STATUS_OK;
}

enum status history_check_sets(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    TRY(history_check_clear_stamps(c, err));
    for (size_t s = 0; s < h->set_count; s++) {
        uint32_t op = h->set_op[s];
        if (op >= h->op_count || (s > 0 && op <= h->set_op[s - 1]) || op_is_row(h->op_kind[op]))
            return history_check_refuse(COLUMN_set_op, s, err,
                                        "operation %" PRIu32 " cannot have the next set", op);
        for (uint64_t i = h->set_start[s]; i < h->set_start[s + 1]; i++)
            TRY(check_set_entry(c, s, i, err));
    }
    return STATUS_OK;
}

/* A bit for each operation that an order may still list. Asked for each version,
 * it is much smaller than the columns that it is made from. */
static enum status list_versions(const struct history *h, uint64_t **bits, struct error *err)
{
    *bits = calloc(h->op_count / 64 + 1, sizeof **bits);
    if (!*bits)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to check version orders");
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] != TXN_ABORT)
            for (size_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
                (*bits)[op / 64] |= (uint64_t)makes_version(h, op) << op % 64;
    return STATUS_OK;
}

/* Who has a version of a key listed has the last one listed. */
static enum status check_last_versions(struct history_check *c, const uint64_t *bits,
                                       struct error *err)
{
    const struct history *h = c->h;
    uint32_t *stamp;

    TRY(history_check_clear_stamps(c, err));
    stamp = c->key_stamp; /* twice the transaction whose last version it was, and whether listed */
    for (size_t t = 0; t < h->txn_count; t++)
        for (size_t op = h->txn_op[t + 1]; h->txn_status[t] != TXN_ABORT && op-- > h->txn_op[t];) {
            uint32_t key = h->op_key[op];
            bool is_listed = !(bits[op / 64] >> op % 64 & 1);

            if (!makes_version(h, op))
                continue;
            if (stamp[key] / 2 != t + 1)
                stamp[key] = 2 * ((uint32_t)t + 1) + is_listed;
            else if (is_listed && !(stamp[key] & 1))
                return error_set(err, STATUS_BAD_INPUT,
                                 "column order_version: operation %zu is listed, and the last version "
                                 "that its transaction made of the key is not", op);
        }
    return STATUS_OK;
}

static enum status refuse_version(const struct history *h, uint64_t i, uint32_t key,
                                  struct error *err)
{
    uint32_t version = h->order_version[i];
    const char *why = "is in an order already";

    if (version >= h->op_count)
        return history_check_refuse(COLUMN_order_version, i, err, "operation %" PRIu32 " of %zu",
                                    version, h->op_count);
    if (!makes_version(h, version) || h->op_key[version] != key)
        why = "is no version of the order's key";
    else if (h->txn_status[history_txn_of(h, version)] == TXN_ABORT)
        why = "is of a transaction that aborted";
    return history_check_refuse(COLUMN_order_version, i, err, "operation %" PRIu32 " %s", version,
                                why);
}

/* Versions of a key stand far apart: each would be waited for. */
static void fetch_version(const struct history *h, uint64_t i)
{
    if (i < h->order_version_count && h->order_version[i] < h->op_count)
        __builtin_prefetch(&h->op_key[h->order_version[i]]);
}

static enum status check_order(struct history_check *c, size_t order, uint64_t *bits,
                               struct error *err)
{
    const struct history *h = c->h;
    uint32_t key = h->order_key[order];

    if (key >= h->key_count || c->key_stamp[key])
        return history_check_refuse(COLUMN_order_key, order, err, "key %" PRIu32 "%s", key,
                                    key < h->key_count ? " again" : " of too few");
    c->key_stamp[key] = 1;
    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        uint32_t version = h->order_version[i];
        fetch_version(h, i + FETCH_AHEAD);
        if (version >= h->op_count || !(bits[version / 64] >> version % 64 & 1) ||
            h->op_key[version] != key)
            return refuse_version(h, i, key, err);
        bits[version / 64] &= ~(UINT64_C(1) << version % 64);
    }
    return STATUS_OK;
}

enum status history_check_orders(struct history_check *c, struct error *err)
{
    enum status status;
    uint64_t *bits;

    if (c->h->order_count == 0)
        return STATUS_OK;
    TRY(history_check_clear_stamps(c, err));
    TRY(list_versions(c->h, &bits, err));
    status = STATUS_OK;
    for (size_t i = 0; i < c->h->order_count && status == STATUS_OK; i++)
        status = check_order(c, i, bits, err);
    if (status == STATUS_OK)
        status = check_last_versions(c, bits, err);
    free(bits);
    return status;
}
