/*
 * What a witness names: transactions, keys, operations, versions.
 */
#include "verify/lookup_private.h"

#include <inttypes.h>

#include "verify/verify_private.h"

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

    TRY(verify_memory(v, (void **)&v->heads_before, h->op_count + 1, sizeof *v->heads_before, err));
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

/*
 * All versions by transaction, of each by key, and in the order in which they were made: a witness
 * may ask for those of one large transaction as often as it is long.
 */
static enum status sort_versions(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    uint32_t *by_key, *next, count = 0;

    TRY(verify_memory(v, (void **)&by_key, h->op_count, sizeof *by_key, err));
    TRY(verify_memory(v, (void **)&next, h->key_count + 1, sizeof *next, err));
    for (size_t op = 0; op < h->op_count; op++)
        if (history_makes_version(h, op))
            next[h->op_key[op] + 1]++;
    for (size_t key = 0; key < h->key_count; key++)
        next[key + 1] += next[key];
    for (uint32_t op = 0; op < h->op_count; op++)
        if (history_makes_version(h, op)) {
            by_key[next[h->op_key[op]]++] = op;
            count++;
        }
    TRY(verify_memory(v, (void **)&v->made, count, sizeof *v->made, err));
    TRY(verify_memory(v, (void **)&v->made_end, h->txn_count + 1, sizeof *v->made_end, err));
    for (uint32_t i = 0; i < count; i++)
        v->made_end[history_txn_of(h, by_key[i]) + 1]++;
    for (size_t txn = 0; txn < h->txn_count; txn++)
        v->made_end[txn + 1] += v->made_end[txn];
    /* From here on each is where those of the transaction before it end. */
    for (uint32_t i = 0; i < count; i++)
        v->made[v->made_end[history_txn_of(h, by_key[i])]++] = by_key[i];
    return STATUS_OK;
}

/* The first of a transaction's versions that is of the key, or of one behind it. */
static uint32_t first_made(const struct verifier *v, uint32_t txn, uint32_t key)
{
    uint32_t low = txn > 0 ? v->made_end[txn - 1] : 0, high = v->made_end[txn];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (v->h->op_key[v->made[middle]] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum status lookup_version(struct verifier *v, const struct witness_version *name, uint32_t key,
                           uint32_t *op, struct error *err)
{
    uint32_t txn = 0, first;
    int64_t count;

    *op = VERSION_INITIAL;
    if (name->is_initial)
        return STATUS_OK;
    TRY(lookup_txn(v, name->txn, &txn, err));
    if (!v->made)
        TRY(sort_versions(v, err));
    first = first_made(v, txn, key);
    count = (int64_t)first_made(v, txn, key + 1) - first;
    if (count == 0 || count < name->nth)
        return verify_refuse(v, err, "transaction %" PRId64 " made no such version of %.*s",
                             name->txn, TEXT_PRINT(history_key(v->h, key)));
    *op = v->made[first + (name->nth == 0 ? count : name->nth) - 1];
    return STATUS_OK;
}

bool lookup_made_version(const struct verifier *v, uint32_t op, uint32_t version)
{
    const struct history *h = v->h;

    if (version == VERSION_INITIAL)
        return false;
    if (!op_is_head(h->op_kind[op]))
        return op == version;
    return version > op && version <= op + h->statement_row_count[h->op_key[op]];
}

uint32_t lookup_row_of(const struct verifier *v, uint32_t head, uint32_t key)
{
    const struct history *h = v->h;
    uint32_t count = h->statement_row_count[h->op_key[head]];

    for (uint32_t op = head + 1; op <= head + count; op++)
        if (h->op_key[op] == key)
            return op;
    return HISTORY_NONE;
}

bool lookup_may_read(const struct verifier *v, uint32_t op, uint32_t key)
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
