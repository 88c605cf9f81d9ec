/*
 * Who counts, which versions there are of a key in which order, and what they
 * hold.
 */
#include "verify/versions/versions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "verify/verify_private.h"
#include "verify/versions/sight.h"

#define GET(field, count) verify_memory(v, (void **)&v->field, count, sizeof *v->field, err)

/* --- Who counts -------------------------------------------------------------- */

/* An unknown transaction that no order lists, though a key that it wrote has one. */
static bool is_left_out(const struct history *h, uint32_t txn)
{
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (history_makes_version(h, op) && h->key_order[h->op_key[op]] != HISTORY_NONE)
            return true;
    return false;
}

enum status versions_count_txns(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    bool has_orders = !v->w->has_part && !v->basis->has_instants;

    TRY(GET(counting, h->txn_count));
    for (uint64_t i = 0; has_orders && i < h->order_version_count; i++)
        v->counting[history_txn_of(h, h->order_version[i])] = COUNTS;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (h->txn_status[t] != TXN_UNKNOWN)
            v->counting[t] = h->txn_status[t] == TXN_OK ? COUNTS : COUNTS_NOT;
        else if (v->counting[t] != COUNTS)
            v->counting[t] = has_orders && is_left_out(h, t) ? COUNTS_NOT : COUNTS_PERHAPS;
    }
    return STATUS_OK;
}

bool versions_txn_is_before(const struct verifier *v, enum closing closing, uint32_t a, uint32_t b)
{
    const struct history *h = v->h;

    if (h->txn_status[a] != TXN_OK || v->counting[b] == COUNTS_NOT)
        return false;
    if (closing == CLOSED_BY_SESSIONS)
        return h->txn_session[a] == h->txn_session[b] && a < b;
    return h->txn_invoked && h->txn_completed && h->txn_completed[a] != TIME_ABSENT &&
           h->txn_completed[a] != TIME_NEVER && h->txn_invoked[b] != TIME_ABSENT &&
           h->txn_completed[a] < h->txn_invoked[b];
}

/* --- Chains ------------------------------------------------------------------ */

/* Those that count by place, and behind them those that count perhaps. */
static enum status list_txns(struct verifier *v, uint32_t **txns, size_t *count, struct error *err)
{
    size_t txn_count = v->h->txn_count;

    TRY(verify_memory(v, (void **)txns, txn_count, sizeof **txns, err));
    *count = 0;
    if (v->place) {
        for (uint32_t t = 0; t < txn_count; t++)
            if (v->place[t] != NO_PLACE) {
                (*txns)[v->place[t]] = t;
                ++*count;
            }
    } else {
        for (uint32_t t = 0; t < txn_count; t++)
            if (v->counting[t] == COUNTS)
                (*txns)[(*count)++] = t;
    }
    for (uint32_t t = 0; t < txn_count; t++)
        if (v->counting[t] == COUNTS_PERHAPS)
            (*txns)[(*count)++] = t;
    return STATUS_OK;
}

/* Calls for the first write of each key in a transaction, or for its last. */
static void count_versions(struct verifier *v, const uint32_t *txns, size_t count)
{
    const struct history *h = v->h;

    for (size_t i = 0; i < count; i++) {
        uint64_t *start = v->counting[txns[i]] == COUNTS ? v->chain_start : v->perhaps_start;

        sight_own_begin(v);
        for (uint32_t op = h->txn_op[txns[i]]; op < h->txn_op[txns[i] + 1]; op++) {
            if (history_makes_version(h, op) && sight_own_version(v, h->op_key[op]) == HISTORY_NONE)
                start[h->op_key[op] + 1]++;
            sight_own_pass(v, op);
        }
    }
}

static void add_up(uint64_t *start, size_t count)
{
    for (size_t i = 0; i < count; i++)
        start[i + 1] += start[i];
}

/* `next`, by key, is where its next version goes. */
static void put_versions(struct verifier *v, uint32_t txn, uint64_t *next)
{
    const struct history *h = v->h;

    sight_own_begin(v);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        sight_own_pass(v, op);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];

        if (!history_makes_version(h, op) || sight_own_version(v, key) != op)
            continue;
        if (v->counting[txn] == COUNTS) {
            v->chain_txn[next[key]] = txn;
            v->chain[next[key]++] = op;
            v->spot[op] = 1; /* it is somewhere; where, is told later */
        } else {
            v->perhaps[next[key]++] = op;
        }
    }
}

static enum status refuse_partial(struct verifier *v, uint32_t key, struct error *err)
{
    return verify_refuse(v, err,
                         "the version order of %.*s is not known, or lacks one of its writers",
                         TEXT_PRINT(history_key(v->h, key)));
}

/* The chain of a key as its version order has it, which may list more than last versions. */
static enum status take_order(struct verifier *v, uint32_t key, struct error *err)
{
    const struct history *h = v->h;
    uint32_t order = h->key_order[key];
    uint64_t at = v->chain_start[key], end = v->chain_start[key + 1];

    if (order == HISTORY_NONE)
        return end - at > 1 ? refuse_partial(v, key, err) : STATUS_OK;
    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        uint32_t op = h->order_version[i];

        if (v->spot[op] == 0)
            continue;
        assert(at < end); /* an order has no version twice */
        v->chain_txn[at] = history_txn_of(h, op);
        v->chain[at++] = op;
    }
    return at == end ? STATUS_OK : refuse_partial(v, key, err);
}

static void number_spots(struct verifier *v)
{
    for (uint32_t key = 0; key < v->h->key_count; key++)
        for (uint32_t spot = 1; spot <= chain_length(v, key); spot++)
            v->spot[chain_op_at(v, key, spot)] = spot;
}

/* What each append stands on. */
static enum status find_bases(struct verifier *v, const uint32_t *txns, size_t count,
                              struct error *err)
{
    const struct history *h = v->h;

    /* What clients saw tells no order of versions. */
    bool has_chains = !v->basis->is_of_clients || v->w->is_valid;

    if (!memchr(h->op_kind, OP_APPEND, h->op_count))
        return STATUS_OK;
    TRY(GET(append_base, h->op_count));
    for (size_t op = 0; op < h->op_count; op++)
        v->append_base[op] = BASE_NOWHERE;
    for (size_t i = 0; i < count; i++) {
        uint32_t txn = txns[i];

        sight_own_begin(v);
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            if (h->op_kind[op] == OP_APPEND)
                v->append_base[op] = sight_own_version(v, h->op_key[op]);
            sight_own_pass(v, op);
        }
        /* Those without an own one before stand on what was there before its last. */
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            uint32_t key = h->op_key[op];

            if (h->op_kind[op] != OP_APPEND || v->append_base[op] != HISTORY_NONE)
                continue;
            v->append_base[op] = BASE_NOWHERE;
            if (history_makes_version(h, op) && v->counting[txn] == COUNTS && has_chains)
                v->append_base[op] = chain_op_at(v, key, v->spot[sight_own_version(v, key)] - 1);
        }
    }
    return STATUS_OK;
}

/* --- By ts ------------------------------------------------------------------- */

struct dated {
    struct place ts;
    uint32_t spot;
};

static int compare_dated(const void *a, const void *b)
{
    const struct dated *x = a, *y = b;
    int c = history_compare_places(x->ts, y->ts);

    return c != 0 ? c : (x->spot > y->spot) - (x->spot < y->spot);
}

static void sort_chain(struct verifier *v, uint32_t key, struct dated *dated)
{
    uint32_t length = chain_length(v, key);

    v->chain_has_ts[key] = true;
    for (uint32_t i = 0; i < length; i++) {
        dated[i] = (struct dated){ history_ts(v->h, chain_txn_at(v, key, i + 1)), i + 1 };
        v->chain_has_ts[key] &= dated[i].ts.parts > 0;
    }
    qsort(dated, length, sizeof *dated, compare_dated);
    for (uint32_t i = 0; i < length; i++)
        v->chain_by_ts[v->chain_start[key] + i] = dated[i].spot;
}

static enum status sort_chains(struct verifier *v, struct error *err)
{
    size_t key_count = v->h->key_count;
    struct dated *dated;
    uint32_t longest = 0;

    for (uint32_t key = 0; key < key_count; key++)
        longest = chain_length(v, key) > longest ? chain_length(v, key) : longest;
    TRY(GET(chain_by_ts, v->chain_start[key_count]));
    TRY(GET(chain_has_ts, key_count));
    TRY(verify_memory(v, (void **)&dated, longest, sizeof *dated, err));
    for (uint32_t key = 0; key < key_count; key++)
        sort_chain(v, key, dated);
    return STATUS_OK;
}

/* --- Tables ------------------------------------------------------------------ */

static uint32_t table_of_key(const struct intern *names, struct text key)
{
    const char *slash = memchr(key.at, '/', key.length);

    return slash ? intern_find(names, (struct text){ key.at, (size_t)(slash - key.at) })
                 : INTERN_NONE;
}

static enum status name_tables(const struct history *h, struct intern *names, struct error *err)
{
    struct buffer spelled = { 0 };
    enum status status = STATUS_OK;
    uint32_t number;

    for (size_t i = 0; i < h->table_count && status == STATUS_OK; i++) {
        buffer_clear(&spelled);
        tables_spell_text(&spelled, history_text(h, h->table_name[i]));
        status = buffer_status(&spelled, err);
        if (status == STATUS_OK)
            status = intern_add(names, (struct text){ spelled.at, spelled.count }, &number, err);
    }
    buffer_close(&spelled);
    return status;
}

static enum status list_keys(struct verifier *v, const struct intern *names, struct error *err)
{
    const struct history *h = v->h;
    uint64_t *next;

    TRY(GET(table_start, h->table_count + 1));
    TRY(GET(table_key, h->key_count));
    TRY(verify_memory(v, (void **)&next, h->table_count, sizeof *next, err));
    for (uint32_t key = 0; key < h->key_count; key++) {
        uint32_t table = table_of_key(names, history_key(h, key));

        if (table != INTERN_NONE)
            v->table_start[table + 1]++;
    }
    add_up(v->table_start, h->table_count);
    memcpy(next, v->table_start, h->table_count * sizeof *next);
    for (uint32_t key = 0; key < h->key_count; key++) {
        uint32_t table = table_of_key(names, history_key(h, key));

        if (table != INTERN_NONE)
            v->table_key[next[table]++] = key;
    }
    return STATUS_OK;
}

static enum status find_tables(struct verifier *v, struct error *err)
{
    struct intern names = { 0 };
    enum status status = name_tables(v->h, &names, err);

    if (status == STATUS_OK)
        status = list_keys(v, &names, err);
    intern_close(&names);
    return status;
}

/* --- The whole --------------------------------------------------------------- */

static enum status get_memory(struct verifier *v, struct error *err)
{
    size_t keys = v->h->key_count, ops = v->h->op_count;

    TRY(GET(chain_start, keys + 1));
    TRY(GET(perhaps_start, keys + 1));
    TRY(GET(spot, ops));
    TRY(GET(own_date, keys));
    TRY(GET(own_op, keys));
    TRY(GET(set_date, keys));
    TRY(GET(set_version, keys));
    TRY(GET(row_date, keys));
    return GET(row_op, keys);
}

enum status versions_build(struct verifier *v, struct error *err)
{
    size_t keys = v->h->key_count, txn_count;
    uint32_t *txns;
    uint64_t *next, *next_perhaps;

    TRY(get_memory(v, err));
    TRY(list_txns(v, &txns, &txn_count, err));
    count_versions(v, txns, txn_count);
    add_up(v->chain_start, keys);
    add_up(v->perhaps_start, keys);
    TRY(GET(chain, v->chain_start[keys]));
    TRY(GET(chain_txn, v->chain_start[keys]));
    TRY(GET(perhaps, v->perhaps_start[keys]));
    TRY(verify_memory(v, (void **)&next, keys, sizeof *next, err));
    TRY(verify_memory(v, (void **)&next_perhaps, keys, sizeof *next, err));
    memcpy(next, v->chain_start, keys * sizeof *next);
    memcpy(next_perhaps, v->perhaps_start, keys * sizeof *next);
    for (size_t i = 0; i < txn_count; i++)
        put_versions(v, txns[i], v->counting[txns[i]] == COUNTS ? next : next_perhaps);
    for (uint32_t key = 0; v->basis->has_version_sets && key < keys; key++)
        TRY(take_order(v, key, err));
    number_spots(v);
    TRY(find_bases(v, txns, txn_count, err));
    if (v->basis->has_version_sets)
        TRY(sort_chains(v, err));
    return find_tables(v, err);
}

/* --- What they hold ---------------------------------------------------------- */

struct value versions_value_plain(const struct history *h, struct value value)
{
    bool is_empty =
        value.kind == VALUE_LIST && h->list_start[value.bits] == h->list_start[value.bits + 1];

    return is_empty || value.kind == VALUE_NONE ? (struct value){ .kind = VALUE_NULL } : value;
}

bool versions_value_is_same(const struct history *h, struct value a, struct value b)
{
    return history_values_equal(h, versions_value_plain(h, a), versions_value_plain(h, b));
}

struct value version_value(const struct verifier *v, uint32_t key, uint32_t op)
{
    if (op == VERSION_INITIAL)
        return history_initial(v->h, key);
    assert(v->h->op_kind[op] != OP_APPEND);
    return history_value(v->h, op); /* of a delete: none */
}

/* Whether the first so many elements of a list are what a version without appends holds. */
static bool has_elements(const struct history *h, struct value held, struct value list,
                         uint64_t count)
{
    uint64_t from;

    held = versions_value_plain(h, held);
    if (held.kind == VALUE_NULL)
        return count == 0;
    if (held.kind != VALUE_LIST)
        return false;
    from = h->list_start[held.bits];
    return h->list_start[held.bits + 1] - from == count &&
           memcmp(h->list_element + from, h->list_element + h->list_start[list.bits],
                  count * sizeof *h->list_element) == 0;
}

bool versions_value_has_element(const struct history *h, struct value list, int64_t element)
{
    if (list.kind != VALUE_LIST)
        return false;
    for (uint64_t i = h->list_start[list.bits]; i < h->list_start[list.bits + 1]; i++)
        if (h->list_element[i] == element)
            return true;
    return false;
}

bool version_has_value(const struct verifier *v, uint32_t key, uint32_t op, struct value value)
{
    const struct history *h = v->h;
    uint64_t count;

    if (op == VERSION_INITIAL || h->op_kind[op] != OP_APPEND)
        return versions_value_is_same(h, version_value(v, key, op), value);
    if (value.kind != VALUE_LIST)
        return false;
    count = h->list_start[value.bits + 1] - h->list_start[value.bits];
    /* From its last element to its first. */
    while (op != VERSION_INITIAL && op != BASE_NOWHERE && h->op_kind[op] == OP_APPEND) {
        if (count == 0 || h->list_element[h->list_start[value.bits] + count - 1] != h->op_value[op])
            return false;
        count--;
        op = v->append_base[op];
    }
    return op == BASE_NOWHERE || has_elements(h, version_value(v, key, op), value, count);
}
