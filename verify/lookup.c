#include "verify/lookup_private.h"

#include <assert.h>
#include <inttypes.h>

#include "base/bisect.h"
#include "verify/verify_private.h"

/* --- The index --------------------------------------------------------------- */

static bool is_row(const struct history *h, size_t op)
{
    return op_is_row(h->op_kind[op]);
}

/* Operations that belong, by key. */
struct keyed_ops {
    const struct history *h;
    bool (*belongs)(const struct history *, size_t);
};

static uint32_t key_of(const void *context, uint32_t op)
{
    const struct keyed_ops *k = context;

    return k->belongs(k->h, op) ? k->h->op_key[op] : HISTORY_NONE;
}

/* Sorts what belongs by key, and then by its group; `next` is where each group goes. */
static enum status sort_by_key(struct verifier *v, bool (*belongs)(const struct history *, size_t),
                               const uint32_t *group, uint32_t *next, uint32_t *sorted,
                               struct error *err)
{
    const struct history *h = v->h;
    struct keyed_ops keyed = { h, belongs };
    struct buckets keys;

    TRY(verify_bucket(v, (struct bucketing){ h->key_count, h->op_count, key_of, &keyed }, &keys,
                      err));
    for (uint32_t i = 0; i < keys.start[h->key_count]; i++)
        sorted[next[group[keys.at[i]]]++] = keys.at[i];
    return STATUS_OK;
}

#define GET(field, count) VERIFY_GET(v, v->field, count, err)

enum status lookup_build(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    uint32_t *next, head = 0;
    size_t place;

    TRY(GET(op_txn, h->op_count));
    TRY(GET(op_head, h->op_count));
    TRY(GET(made, h->op_count));
    TRY(GET(made_start, h->txn_count + 1));
    TRY(VERIFY_GET(v, next, h->op_count + h->txn_count, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        TRY(map_add(&v->txn_of_id, (uint64_t)h->txn_id[t], t, &place, err));
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            head = op_is_row(h->op_kind[op]) ? head : op;
            v->op_txn[op] = t;
            v->op_head[op] = head;
            v->made_start[t + 1] += history_makes_version(h, op);
        }
    }
    array_sum_prefixes(v->made_start, h->txn_count + 1);
    for (size_t t = 0; t < h->txn_count; t++)
        next[t] = v->made_start[t];
    TRY(sort_by_key(v, history_makes_version, v->op_txn, next, v->made, err));
    if (h->statement_count == 0)
        return STATUS_OK;
    TRY(GET(rows, h->op_count));
    for (uint32_t op = 0; op < h->op_count; op++)
        next[op] = op + 1; /* rows stand behind their head */
    return sort_by_key(v, is_row, v->op_head, next, v->rows, err);
}

/* The end, in `made`, of a transaction's versions of a key that it had made before an operation. */
static uint32_t made_until(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    const uint32_t *op_key = v->h->op_key, *made = v->made;
    uint32_t place;

    assert(txn < v->h->txn_count);
    BISECT(place, v->made_start[txn], v->made_start[txn + 1],
           op_key[made[place]] < key || (op_key[made[place]] == key && made[place] < op));
    return place;
}

uint32_t lookup_own(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    uint32_t end = made_until(v, txn, op, key);

    return end > v->made_start[txn] && v->h->op_key[v->made[end - 1]] == key ? v->made[end - 1]
                                                                             : HISTORY_NONE;
}

uint32_t lookup_first_own(const struct verifier *v, uint32_t txn, uint32_t key)
{
    uint32_t first = made_until(v, txn, 0, key);

    return first < v->made_start[txn + 1] && v->h->op_key[v->made[first]] == key ? v->made[first]
                                                                                 : HISTORY_NONE;
}

uint32_t lookup_own_before(const struct verifier *v, uint32_t op)
{
    return lookup_own(v, v->op_txn[op], op, v->h->op_key[op]);
}

uint32_t lookup_own_count(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    return made_until(v, txn, op, key) - made_until(v, txn, 0, key);
}

uint32_t lookup_left(const struct verifier *v, uint32_t txn, uint32_t key)
{
    return v->counting[txn] == COUNTS_NOT ? HISTORY_NONE : lookup_own(v, txn, HISTORY_NONE, key);
}

bool lookup_is_left(const struct verifier *v, uint32_t place)
{
    uint32_t op = v->made[place];

    return place + 1 == v->made_start[v->op_txn[op] + 1] ||
           v->h->op_key[v->made[place + 1]] != v->h->op_key[op];
}

/* The place in `rows` of the first of a statement's rows that is of the key, or of one behind it. */
static uint32_t row_place(const struct verifier *v, uint32_t head, uint32_t key, uint32_t *end)
{
    const struct history *h = v->h;
    uint32_t place;

    assert(op_is_head(h->op_kind[head]));
    *end = head + 1 + h->statement_row_count[h->op_key[head]];
    BISECT(place, head + 1, *end, h->op_key[v->rows[place]] < key);
    return place;
}

uint32_t lookup_row_of(const struct verifier *v, uint32_t head, uint32_t key)
{
    uint32_t end, place = row_place(v, head, key, &end);

    return place < end && v->h->op_key[v->rows[place]] == key ? v->rows[place] : HISTORY_NONE;
}

bool lookup_came_twice(const struct verifier *v, uint32_t head, uint32_t key)
{
    uint32_t end, place = row_place(v, head, key, &end);

    return place + 1 < end && v->h->op_key[v->rows[place + 1]] == key;
}

bool lookup_is_row_of(const struct verifier *v, uint32_t key, uint32_t table)
{
    uint64_t place, end = v->table_keys.start[table + 1];

    BISECT(place, v->table_keys.start[table], end, v->table_keys.at[place] < key);
    return place < end && v->table_keys.at[place] == key;
}

/* --- Names ------------------------------------------------------------------- */

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

    TRY(VERIFY_GET(v, v->heads_before, h->op_count + 1, err));
    for (size_t op = 0; op < h->op_count; op++)
        v->heads_before[op + 1] = v->heads_before[op] + !op_is_row(h->op_kind[op]);
    return STATUS_OK;
}

enum status lookup_op(struct verifier *v, uint32_t txn, int64_t place, uint32_t *op,
                      struct error *err)
{
    const struct history *h = v->h;
    uint32_t low = h->txn_op[txn], end = h->txn_op[txn + 1];
    const uint32_t *before;

    if (!v->heads_before)
        TRY(count_heads(v, err));
    before = v->heads_before;
    if (place >= 0 && place < (int64_t)before[end] - before[low]) {
        uint32_t wanted = before[low] + (uint32_t)place + 1;

        /* The first with so many up to and with itself: rows add none. */
        BISECT(*op, low, end, before[*op + 1] < wanted);
        return STATUS_OK;
    }
    return verify_refuse(v, err, "transaction %" PRId64 " has no operation %" PRId64,
                         h->txn_id[txn], place);
}

enum status lookup_version(struct verifier *v, const struct witness_version *name, uint32_t key,
                           uint32_t *op, struct error *err)
{
    uint32_t txn = 0, first, count;

    *op = VERSION_INITIAL;
    if (name->is_initial)
        return STATUS_OK;
    TRY(lookup_txn(v, name->txn, &txn, err));
    first = made_until(v, txn, 0, key);
    count = made_until(v, txn, HISTORY_NONE, key) - first;
    if (count == 0 || count < name->nth)
        return verify_refuse(v, err, "transaction %" PRId64 " made no such version of %.*s",
                             name->txn, TEXT_PRINT(history_key(v->h, key)));
    *op = v->made[first + (name->nth == 0 ? count : name->nth) - 1];
    return STATUS_OK;
}

bool lookup_made_version(const struct verifier *v, uint32_t op, uint32_t version)
{
    return version != VERSION_INITIAL && v->op_head[version] == op;
}

bool lookup_may_read(const struct verifier *v, uint32_t op, uint32_t key)
{
    const struct history *h = v->h;

    return op_is_head(h->op_kind[op]) ? lookup_is_row_of(v, key, h->statement_table[h->op_key[op]])
                                      : h->op_key[op] == key;
}
