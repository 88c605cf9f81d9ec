#include "history/builder_versions_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

static bool find_txn(const struct builder *b, int64_t id, uint32_t *txn)
{
    size_t low = 0, high = b->txn_count; /* it stands at low or later, and before high */
    uint64_t place;

    if (!b->ids_rise) {
        bool found = map_find(&b->txns, (uint64_t)id, &place);
        *txn = found ? (uint32_t)place : 0;
        return found;
    }
    *txn = 0;
    if (high == 0 || id < b->txn_id[0] || id > b->txn_id[high - 1])
        return false;
    place = (uint64_t)id - (uint64_t)b->txn_id[0];
    /* Rising ids that span no more than their count have no gaps, as is the rule. */
    if ((uint64_t)b->txn_id[high - 1] - (uint64_t)b->txn_id[0] == high - 1) {
        *txn = (uint32_t)place;
        return true;
    }
    BISECT(low, 0, high, b->txn_id[low] < id);
    *txn = (uint32_t)low;
    return low < high && b->txn_id[low] == id;
}

/* What a version name can name: a write that was not refused. */
static bool makes_version(const struct builder *b, size_t op)
{
    return op_is_write(b->op_kind[op]) && !(b->op_flags[op] & OP_ERROR);
}

static enum status index_writes(struct builder *b, struct error *err)
{
    size_t key_count = intern_count(&b->keys), count = 0;
    uint64_t *from;

    TRY(array_reserve(&b->key_writes, key_count + 2, err));
    from = b->key_writes.at;
    memset(from, 0, (key_count + 2) * sizeof *from);
    b->key_writes.count = key_count + 1;
    /* Counted two places on, so that filling moves each start to where it belongs. */
    for (size_t op = 0; op < b->op_count; op++) {
        bool is_counted = makes_version(b, op);
        from[is_counted ? (size_t)b->op_key[op] + 2 : 0] += is_counted;
        count += is_counted;
    }
    array_sum_prefixes(from + 1, key_count);
    TRY(array_reserve(&b->writes, count, err));
    TRY(array_reserve(&b->listed, count + 1, err));
    memset(b->listed.at, 0, count);
    b->writes.count = b->listed.count = count;
    for (size_t txn = 0; txn < b->txn_count; txn++)
        for (size_t op = b->txn_op[txn], to = builder_txn_end(b, txn); op < to; op++)
            if (makes_version(b, op))
                b->writes.at[from[(size_t)b->op_key[op] + 1]++] =
                    (struct builder_write){ (uint32_t)txn, (uint32_t)op };
    return STATUS_OK;
}

/* The writes of a key; those of later keys are none. */
static void writes_of_key(const struct builder *b, uint32_t key, size_t *from, size_t *to)
{
    bool is_known = (size_t)key + 1 < b->key_writes.count;

    *from = is_known ? (size_t)b->key_writes.at[key] : 0;
    *to = is_known ? (size_t)b->key_writes.at[key + 1] : 0;
}

/* The first write in [from, to) of this transaction or a later one, by bisection. */
static size_t bisect_writes(const struct builder *b, size_t from, size_t to, uint64_t txn)
{
    BISECT(from, from, to, b->writes.at[from].txn < txn);
    return from;
}

/* The same, looked for from `from` on. */
static size_t first_write_from(const struct builder *b, size_t from, size_t to, uint64_t txn)
{
    size_t step = 1;

    while (from + step < to && b->writes.at[from + step - 1].txn < txn) {
        from += step;
        step *= 2;
    }
    return bisect_writes(b, from, from + step < to ? from + step : to, txn);
}

/* The same, looked for from `to` back. */
static size_t first_write_before(const struct builder *b, size_t from, size_t to, uint64_t txn)
{
    size_t step = 1;

    while (from + step < to && b->writes.at[to - step].txn >= txn) {
        to -= step;
        step *= 2;
    }
    return bisect_writes(b, from + step < to ? to - step : from, to, txn);
}

static enum status refuse_name(const struct builder *b, uint32_t key,
                               const struct version_name *name, struct error *err)
{
    struct text key_text = intern_text(&b->keys, key);

    if (name->nth == 0)
        return error_set(err, STATUS_BAD_INPUT, "transaction %" PRId64 " does not write key %.*s",
                         name->txn_id, TEXT_PRINT(key_text));
    return error_set(err, STATUS_BAD_INPUT,
                     "transaction %" PRId64 " has no write number %" PRIu32 " of key %.*s",
                     name->txn_id, name->nth, TEXT_PRINT(key_text));
}

/*
 * The place in `writes` of what the name names, which is not the initial version.
 * It is likely to be at or soon after `hint`, a place of the same key or its end.
 */
static enum status find_write(const struct builder *b, uint32_t key,
                              const struct version_name *name, size_t hint, size_t *place,
                              struct error *err)
{
    size_t from, to, first, last;
    uint32_t txn;

    if (!find_txn(b, name->txn_id, &txn))
        return error_set(err, STATUS_BAD_INPUT, "no transaction %" PRId64, name->txn_id);
    writes_of_key(b, key, &from, &to);
    if (hint > from && hint <= to && b->writes.at[hint - 1].txn >= txn)
        first = first_write_before(b, from, hint - 1, txn);
    else
        first = first_write_from(b, hint > from && hint <= to ? hint : from, to, txn);
    last = first_write_from(b, first, to, (uint64_t)txn + 1);
    if (first == last || name->nth > last - first)
        return refuse_name(b, key, name, err);
    *place = name->nth == 0 ? last - 1 : first + name->nth - 1;
    return STATUS_OK;
}

/* Whether the operation at hand has a set already. */
static bool has_set(const struct builder *b)
{
    return b->set_count > 0 && b->set_op[b->set_count - 1] == builder_op_at_hand(b);
}

enum status builder_begin_set(struct builder *b, struct error *err)
{
    size_t n = b->set_count;

    assert(!has_set(b));
    TRY(BUILDER_RESERVE(b, set, 1, err));
    TRY(array_push(&b->set_lines, b->line, err));
    b->set_op[n] = (uint32_t)builder_op_at_hand(b);
    b->set_start[n] = b->set_entry_count;
    b->set_count++;
    return STATUS_OK;
}

enum status builder_add_set_entry(struct builder *b, uint32_t key, struct version_name name,
                                  struct error *err)
{
    assert(key < intern_count(&b->keys));
    TRY(builder_know_key(b, key, err));
    if (!has_set(b))
        TRY(builder_begin_set(b, err));
    TRY(BUILDER_RESERVE(b, set_entry, 1, err));
    TRY(array_push(&b->set_names, name, err));
    b->set_key[b->set_entry_count++] = key;
    return STATUS_OK;
}

static enum status resolve_set(struct builder *b, size_t set, uint32_t *key_sets,
                               struct error *err)
{
    uint64_t from = b->set_start[set];
    uint64_t to = set + 1 < b->set_count ? b->set_start[set + 1] : b->set_entry_count;

    for (uint64_t i = from; i < to; i++) {
        const struct version_name *name = &b->set_names.at[i];
        uint32_t key = b->set_key[i];
        size_t place;

        if (key_sets[key] == set + 1)
            return error_set(err, STATUS_BAD_INPUT, "key %.*s is twice in a version set",
                             TEXT_PRINT(intern_text(&b->keys, key)));
        key_sets[key] = (uint32_t)set + 1;
        b->set_version[i] = VERSION_INITIAL;
        if (name->is_initial)
            continue;
        TRY(find_write(b, key, name, 0, &place, err));
        b->set_version[i] = b->writes.at[place].op;
    }
    return STATUS_OK;
}

enum status builder_resolve_sets(struct builder *b, struct error *err)
{
    enum status status = STATUS_OK;
    uint32_t *key_sets; /* by key, the last set that has it, plus one */

    if (b->set_entry_count == 0)
        return STATUS_OK;
    TRY(index_writes(b, err));
    key_sets = calloc(intern_count(&b->keys), sizeof *key_sets);
    if (!key_sets)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to resolve version sets");
    for (size_t set = 0; set < b->set_count && status == STATUS_OK; set++) {
        status = resolve_set(b, set, key_sets, err);
        if (status != STATUS_OK)
            err->line = b->set_lines.at[set];
    }
    free(key_sets);
    return status;
}

/* Who has a version listed has the last one listed. */
enum status builder_end_order(const struct builder *b, struct error *err)
{
    uint32_t key = b->order_key[b->order_count - 1];
    bool last_is_listed = false;
    size_t from, to;

    writes_of_key(b, key, &from, &to);
    for (size_t i = to; i-- > from;) {
        uint32_t txn = b->writes.at[i].txn;

        if (i + 1 == to || b->writes.at[i + 1].txn != txn)
            last_is_listed = b->listed.at[i];
        else if (b->listed.at[i] && !last_is_listed)
            return error_set(err, STATUS_BAD_INPUT,
                             "a version of transaction %" PRId64
                             " is listed that it overwrote itself, and its last one is not",
                             b->txn_id[txn]);
    }
    return STATUS_OK;
}

enum status builder_begin_order(struct builder *b, uint32_t key, struct error *err)
{
    size_t n = b->order_count, to;

    assert(!b->in_statement);
    if (n == 0)
        TRY(index_writes(b, err));
    else
        TRY(builder_end_order(b, err));
    TRY(builder_know_key(b, key, err));
    TRY(builder_mark_key(b, key, KEY_HAS_ORDER, "a version order", err));
    TRY(BUILDER_RESERVE(b, order, 1, err));
    b->order_key[n] = key;
    b->order_start[n] = b->order_version_count;
    b->order_count++;
    writes_of_key(b, key, &b->order_hint, &to);
    b->op_is_careful = true;
    return STATUS_OK;
}

enum status builder_add_version(struct builder *b, struct version_name name, struct error *err)
{
    uint32_t key;
    size_t place;

    assert(b->order_count > 0);
    key = b->order_key[b->order_count - 1];
    if (name.is_initial)
        return error_set(err, STATUS_BAD_INPUT,
                         "the initial version comes first of itself: it is not listed");
    TRY(find_write(b, key, &name, b->order_hint, &place, err));
    if (b->txn_status[b->writes.at[place].txn] == TXN_ABORT)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " aborted: version orders list committed writers",
                         name.txn_id);
    if (b->listed.at[place])
        return error_set(err, STATUS_BAD_INPUT,
                         "a version of transaction %" PRId64 " is twice in the order of key %.*s",
                         name.txn_id, TEXT_PRINT(intern_text(&b->keys, key)));
    b->listed.at[place] = 1;
    b->order_hint = place + 1;
    TRY(BUILDER_RESERVE(b, order_version, 1, err));
    b->order_version[b->order_version_count++] = b->writes.at[place].op;
    return STATUS_OK;
}
