/*
 * What a witness names: transactions, keys, operations, versions.
 */
#include "verify/verify_private.h"

#include <inttypes.h>

enum status lookup_txn(struct verifier *v, int64_t id, uint32_t *txn, struct error *err)
{
    uint64_t number;

    if (!map_find(&v->txn_of_id, (uint64_t)id, &number))
        return verify_refuse(v, err, "the history has no transaction %" PRId64, id);
    *txn = (uint32_t)number;
    return STATUS_OK;
}

static enum status name_keys(struct verifier *v, struct error *err)
{
    uint32_t number;

    for (uint32_t key = 0; key < v->h->key_count; key++)
        TRY(intern_add(&v->keys, history_key(v->h, key), &number, err));
    return STATUS_OK;
}

enum status lookup_key(struct verifier *v, struct text name, uint32_t *key, struct error *err)
{
    if (intern_count(&v->keys) == 0)
        TRY(name_keys(v, err));
    *key = intern_find(&v->keys, name);
    if (*key == INTERN_NONE)
        return verify_refuse(v, err, "the history has no key %.*s", TEXT_PRINT(name));
    return STATUS_OK;
}

static enum status count_heads(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    TRY(memory_get(v, (void **)&v->heads_before, h->op_count + 1, sizeof *v->heads_before, err));
    for (size_t op = 0; op < h->op_count; op++)
        v->heads_before[op + 1] = v->heads_before[op] + !op_is_row(h->op_kind[op]);
    return STATUS_OK;
}

enum status lookup_op(struct verifier *v, uint32_t txn, int64_t place, uint32_t *op,
                      struct error *err)
{
    const struct history *h = v->h;
    uint32_t low = h->txn_op[txn], end = h->txn_op[txn + 1], high = end;
    const uint32_t *before;

    if (!v->heads_before)
        TRY(count_heads(v, err));
    before = v->heads_before;
    if (place >= 0 && place < (int64_t)before[end] - before[low]) {
        uint32_t wanted = before[low] + (uint32_t)place + 1;

        /* The first with so many up to and with itself: rows add none. */
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;

            if (before[middle + 1] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        *op = low;
        return STATUS_OK;
    }
    return verify_refuse(v, err, "transaction %" PRId64 " has no operation %" PRId64,
                         h->txn_id[txn], place);
}

enum status lookup_version(struct verifier *v, const struct witness_version *name, uint32_t key,
                           uint32_t *op, struct error *err)
{
    const struct history *h = v->h;
    int64_t count = 0;
    uint32_t txn = 0;

    *op = VERSION_INITIAL;
    if (name->is_initial)
        return STATUS_OK;
    TRY(lookup_txn(v, name->txn, &txn, err));
    for (uint32_t i = h->txn_op[txn]; i < h->txn_op[txn + 1]; i++)
        if (history_makes_version(h, i) && h->op_key[i] == key &&
            (name->nth == 0 || ++count <= name->nth))
            *op = i;
    if (*op == VERSION_INITIAL || count < name->nth)
        return verify_refuse(v, err, "transaction %" PRId64 " made no such version of %.*s",
                             name->txn, TEXT_PRINT(history_key(h, key)));
    return STATUS_OK;
}

bool op_made_version(const struct verifier *v, uint32_t op, uint32_t version)
{
    const struct history *h = v->h;

    if (version == VERSION_INITIAL)
        return false;
    if (!op_is_head(h->op_kind[op]))
        return op == version;
    return version > op && version <= op + h->statement_row_count[h->op_key[op]];
}

uint32_t op_row_of(const struct verifier *v, uint32_t head, uint32_t key)
{
    const struct history *h = v->h;
    uint32_t count = h->statement_row_count[h->op_key[head]];

    for (uint32_t op = head + 1; op <= head + count; op++)
        if (h->op_key[op] == key)
            return op;
    return HISTORY_NONE;
}

bool op_may_read(const struct verifier *v, uint32_t op, uint32_t key)
{
    const struct history *h = v->h;
    uint32_t table;

    if (!op_is_head(h->op_kind[op]))
        return h->op_key[op] == key;
    table = h->statement_table[h->op_key[op]];
    for (uint64_t i = v->table_start[table]; i < v->table_start[table + 1]; i++)
        if (v->table_key[i] == key)
            return true;
    return false;
}
