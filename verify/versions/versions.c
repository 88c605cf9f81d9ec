#include "verify/versions/versions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "verify/lookup_private.h"
#include "verify/verify_private.h"

#define GET(field, count) VERIFY_GET(v, v->field, count, err)

/* --- Who counts -------------------------------------------------------------- */

/* An unknown transaction that no order lists, though a key that it wrote has one. */
static bool is_left_out(const struct verifier *v, uint32_t txn)
{
    for (uint32_t i = v->made_start[txn]; i < v->made_start[txn + 1]; i++)
        if (v->h->key_order[v->h->op_key[v->made[i]]] != HISTORY_NONE)
            return true;
    return false;
}

enum status versions_count_txns(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    bool has_orders = !v->w->has_part && !v->basis->has_instants;

    TRY(GET(counting, h->txn_count));
    for (uint64_t i = 0; has_orders && i < h->order_version_count; i++)
        v->counting[v->op_txn[h->order_version[i]]] = COUNTS;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (h->txn_status[t] != TXN_UNKNOWN)
            v->counting[t] = h->txn_status[t] == TXN_OK ? COUNTS : COUNTS_NOT;
        else if (v->counting[t] != COUNTS)
            v->counting[t] = has_orders && is_left_out(v, t) ? COUNTS_NOT : COUNTS_PERHAPS;
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

enum status versions_list_before(struct verifier *v, uint32_t **before, struct error *err)
{
    const struct history *h = v->h;
    uint32_t *last;

    TRY(VERIFY_GET(v, *before, h->txn_count, err));
    TRY(VERIFY_GET(v, last, h->session_count, err));
    for (size_t i = 0; i < h->session_count; i++)
        last[i] = HISTORY_NONE;
    for (uint32_t t = 0; t < h->txn_count; t++) {
        (*before)[t] = last[h->txn_session[t]];
        if (h->txn_status[t] == TXN_OK)
            last[h->txn_session[t]] = t;
    }
    return STATUS_OK;
}

/* --- Chains ------------------------------------------------------------------ */

/* Transactions that count, by place, and behind them those that count perhaps. */
struct counted {
    uint32_t *txns;
    size_t sure, count;
};

static enum status list_txns(struct verifier *v, struct counted *c, struct error *err)
{
    uint32_t txn_count = (uint32_t)v->h->txn_count;

    TRY(VERIFY_GET(v, c->txns, txn_count, err));
    for (uint32_t t = 0; t < txn_count; t++)
        if (v->place ? v->place[t] != NO_PLACE : v->counting[t] == COUNTS) {
            c->txns[v->place ? v->place[t] : c->sure] = t;
            c->sure++;
        }
    c->count = c->sure;
    for (uint32_t t = 0; t < txn_count; t++)
        if (v->counting[t] == COUNTS_PERHAPS)
            c->txns[c->count++] = t;
    return STATUS_OK;
}

/* What each of them left of each key, in their order. */
static enum status list_versions(struct verifier *v, const struct counted *c, struct error *err)
{
    size_t keys = v->h->key_count;
    uint64_t *next;

    TRY(GET(version_start, keys + 1));
    TRY(GET(chain_end, keys + 1));
    TRY(VERIFY_GET(v, next, keys, err));
    for (size_t i = 0; i < c->count; i++)
        for (uint32_t m = v->made_start[c->txns[i]]; m < v->made_start[c->txns[i] + 1]; m++)
            v->version_start[v->h->op_key[v->made[m]] + 1] += lookup_is_left(v, m);
    array_sum_prefixes(v->version_start, keys + 1);
    TRY(GET(version, v->version_start[keys]));
    memcpy(next, v->version_start, keys * sizeof *next);
    for (size_t i = 0; i < c->count; i++) {
        if (i == c->sure)
            memcpy(v->chain_end, next, keys * sizeof *next);
        for (uint32_t m = v->made_start[c->txns[i]]; m < v->made_start[c->txns[i] + 1]; m++)
            if (lookup_is_left(v, m))
                v->version[next[v->h->op_key[v->made[m]]]++] = v->made[m];
    }
    if (c->sure == c->count)
        memcpy(v->chain_end, next, keys * sizeof *next);
    return STATUS_OK;
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
    uint64_t at = v->version_start[key], end = v->chain_end[key];

    if (order == HISTORY_NONE)
        return end - at > 1 ? refuse_partial(v, key, err) : STATUS_OK;
    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        uint32_t op = h->order_version[i];

        if (v->spot[op] == 0)
            continue;
        assert(at < end); /* an order has no version twice */
        v->version[at++] = op;
    }
    return at == end ? STATUS_OK : refuse_partial(v, key, err);
}

static void number_spots(struct verifier *v)
{
    for (uint32_t key = 0; key < v->h->key_count; key++)
        for (uint32_t spot = 1; spot <= chain_length(v, key); spot++)
            v->spot[chain_op_at(v, key, spot)] = spot;
}

/* What each append stands on: its transaction's own, or what was there before its last. */
static enum status find_bases(struct verifier *v, const struct counted *c, struct error *err)
{
    const struct history *h = v->h;
    /* What clients saw tells no order of versions. */
    bool has_chains = !v->basis->is_of_clients || v->w->is_valid;

    if (!memchr(h->op_kind, OP_APPEND, h->op_count))
        return STATUS_OK;
    TRY(GET(append_base, h->op_count));
    for (size_t op = 0; op < h->op_count; op++)
        v->append_base[op] = BASE_NOWHERE;
    for (size_t i = 0; i < c->count; i++) {
        uint32_t txn = c->txns[i], begin = v->made_start[txn];

        for (uint32_t m = begin; m < v->made_start[txn + 1]; m++) {
            uint32_t op = v->made[m], key = h->op_key[op], left = lookup_left(v, txn, key);

            if (m > begin && h->op_key[v->made[m - 1]] == key)
                v->append_base[op] = v->made[m - 1];
            else if (i < c->sure && has_chains)
                v->append_base[op] = chain_op_at(v, key, v->spot[left] - 1);
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
        v->chain_by_ts[v->version_start[key] + i] = dated[i].spot;
}

static enum status sort_chains(struct verifier *v, struct error *err)
{
    size_t key_count = v->h->key_count;
    struct dated *dated;
    uint32_t longest = 0;

    for (uint32_t key = 0; key < key_count; key++)
        longest = chain_length(v, key) > longest ? chain_length(v, key) : longest;
    TRY(GET(chain_by_ts, v->version_start[key_count]));
    TRY(GET(chain_has_ts, key_count));
    TRY(VERIFY_GET(v, dated, longest, err));
    for (uint32_t key = 0; key < key_count; key++)
        sort_chain(v, key, dated);
    return STATUS_OK;
}

/* --- Tables ------------------------------------------------------------------ */

struct table_names {
    const struct history *h;
    struct intern names;
};

static uint32_t table_of_key(const void *context, uint32_t key)
{
    const struct table_names *t = context;
    struct text name = history_key(t->h, key);
    const char *slash = memchr(name.at, '/', name.length);

    return slash ? intern_find(&t->names, (struct text){ name.at, (size_t)(slash - name.at) })
                 : HISTORY_NONE;
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

static enum status find_tables(struct verifier *v, struct error *err)
{
    struct table_names t = { .h = v->h };
    enum status status = name_tables(v->h, &t.names, err);

    static_assert(INTERN_NONE == HISTORY_NONE, "a key of no table is in no bucket");
    if (status == STATUS_OK)
        status = verify_bucket(
            v, (struct bucketing){ v->h->table_count, v->h->key_count, table_of_key, &t },
            &v->table_keys, err);
    intern_close(&t.names);
    return status;
}

/* --- The whole --------------------------------------------------------------- */

enum status versions_build(struct verifier *v, struct error *err)
{
    size_t keys = v->h->key_count;
    struct counted c = { 0 };

    assert(v->made_start && v->counting);
    TRY(GET(spot, v->h->op_count));
    TRY(GET(set_date, keys));
    TRY(GET(set_version, keys));
    TRY(GET(read_date, keys));
    TRY(GET(read_version, keys));
    TRY(list_txns(v, &c, err));
    TRY(list_versions(v, &c, err));
    number_spots(v);
    for (uint32_t key = 0; v->basis->has_version_sets && key < keys; key++)
        TRY(take_order(v, key, err));
    number_spots(v);
    TRY(find_bases(v, &c, err));
    if (v->basis->has_version_sets)
        TRY(sort_chains(v, err));
    return find_tables(v, err);
}

/* --- What they hold ---------------------------------------------------------- */

struct list_elements versions_elements(const struct history *h, struct value list)
{
    if (list.kind != VALUE_LIST)
        return (struct list_elements){ 0 };
    return (struct list_elements){ h->list_element + h->list_start[list.bits],
                                   h->list_start[list.bits + 1] - h->list_start[list.bits] };
}

struct value versions_value_plain(const struct history *h, struct value value)
{
    bool is_empty = value.kind == VALUE_LIST && versions_elements(h, value).count == 0;

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

/* Whether a version without appends holds just these elements. */
static bool has_elements(const struct history *h, struct value held, struct list_elements list)
{
    struct list_elements own = versions_elements(h, held);

    if (versions_value_plain(h, held).kind != (list.count > 0 ? VALUE_LIST : VALUE_NULL))
        return false;
    return own.count == list.count &&
           (own.count == 0 || memcmp(own.at, list.at, own.count * sizeof *own.at) == 0);
}

bool versions_value_has_element(const struct history *h, struct value value, int64_t element)
{
    struct list_elements list = versions_elements(h, value);

    for (uint64_t i = 0; i < list.count; i++)
        if (list.at[i] == element)
            return true;
    return false;
}

bool version_has_value(const struct verifier *v, uint32_t key, uint32_t op, struct value value)
{
    const struct history *h = v->h;
    struct list_elements list = versions_elements(h, value);

    if (op == VERSION_INITIAL || h->op_kind[op] != OP_APPEND)
        return versions_value_is_same(h, version_value(v, key, op), value);
    if (value.kind != VALUE_LIST)
        return false;
    /* From its last element to its first. */
    while (op != VERSION_INITIAL && op != BASE_NOWHERE && h->op_kind[op] == OP_APPEND) {
        if (list.count == 0 || list.at[--list.count] != h->op_value[op])
            return false;
        op = v->append_base[op];
    }
    return op == BASE_NOWHERE || has_elements(h, version_value(v, key, op), list);
}

/* --- As bytes ---------------------------------------------------------------- */

static void put(struct buffer *out, const void *at, size_t size)
{
    buffer_text(out, (struct text){ at, size });
}

static void put_number(struct buffer *out, uint64_t number)
{
    put(out, &number, sizeof number);
}

static void put_value(struct buffer *out, const struct history *h, struct value value)
{
    buffer_byte(out, (char)value.kind);
    if (value.kind == VALUE_LIST) {
        struct list_elements list = versions_elements(h, value);

        put_number(out, list.count);
        put(out, list.at, list.count * sizeof *list.at);
    } else if (value.kind == VALUE_ROW) {
        uint32_t first = h->shape_start[h->row_shape[value.bits]];
        uint64_t from = h->row_start[value.bits], count = h->row_start[value.bits + 1] - from;

        for (uint64_t i = 0; i < count; i++) {
            uint32_t column = h->shape_sorted[first + i];

            put_number(out, h->shape_column_name[first + column]);
            put_value(out, h,
                      (struct value){ h->cell_kind[from + column], h->cell_value[from + column] });
        }
    } else if (value.kind != VALUE_NULL) {
        put_number(out, (uint64_t)value.bits);
    }
}

struct text versions_value_bytes(struct verifier *v, uint32_t key, bool is_element,
                                 struct value value)
{
    buffer_clear(&v->bytes);
    put_number(&v->bytes, (uint64_t)key << 1 | is_element);
    put_value(&v->bytes, v->h, versions_value_plain(v->h, value));
    return (struct text){ v->bytes.at, v->bytes.count };
}

struct text versions_element_bytes(struct verifier *v, uint32_t key, int64_t element)
{
    return versions_value_bytes(v, key, true, (struct value){ VALUE_INTEGER, element });
}

/* --- Written ----------------------------------------------------------------- */

static enum status add(struct verifier *v, struct text bytes, struct error *err)
{
    uint32_t number;

    TRY(buffer_status(&v->bytes, err));
    return intern_add(&v->written, bytes, &number, err);
}

/* A value; of a list each element, or null if it is empty. */
static enum status add_value(struct verifier *v, uint32_t key, struct value value,
                             struct error *err)
{
    struct list_elements list = versions_elements(v->h, value);

    if (list.count == 0)
        return add(v, versions_value_bytes(v, key, false, value), err);
    for (uint64_t i = 0; i < list.count; i++)
        TRY(add(v, versions_element_bytes(v, key, list.at[i]), err));
    return STATUS_OK;
}

static enum status add_all(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;

    for (uint32_t key = 0; key < h->key_count; key++)
        TRY(add_value(v, key, history_initial(h, key), err));
    for (size_t op = 0; op < h->op_count; op++) {
        if (!history_makes_version(h, op))
            continue;
        if (h->op_kind[op] == OP_APPEND)
            TRY(add(v, versions_element_bytes(v, h->op_key[op], h->op_value[op]), err));
        else
            TRY(add_value(v, h->op_key[op], history_value(h, op), err));
    }
    return STATUS_OK;
}

enum status versions_written_by_nobody(struct verifier *v, uint32_t key, struct value value,
                                       bool *strange, struct error *err)
{
    struct list_elements list = versions_elements(v->h, value);

    if (!v->has_written)
        TRY(add_all(v, err));
    v->has_written = true;
    *strange = list.count == 0 &&
               intern_find(&v->written, versions_value_bytes(v, key, false, value)) == INTERN_NONE;
    for (uint64_t i = 0; i < list.count && !*strange; i++)
        *strange =
            intern_find(&v->written, versions_element_bytes(v, key, list.at[i])) == INTERN_NONE;
    return buffer_status(&v->bytes, err);
}
