/*
 * Checks the transactions of a history: their operations and statements, version sets and version
 * orders.
 */
#include "history/history_check_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

/* Refuses a number that comes twice. */
static enum status history_check_distinct(enum history_column column, const int64_t *numbers,
                                          size_t count, struct error *err)
{
    enum status status = STATUS_OK;
    struct map seen = { 0 };
    uint64_t fall = 0;
    size_t place;

    for (size_t i = 1; i < count; i++)
        fall |= numbers[i] <= numbers[i - 1];
    for (size_t i = 0; fall && i < count && status == STATUS_OK; i++) {
        status = map_add(&seen, (uint64_t)numbers[i], i, &place, err);
        if (status == STATUS_OK && place < i)
            status = history_check_refuse(column, i, err, "%" PRId64 " is element %zu already",
                                          numbers[i], place);
    }
    map_close(&seen);
    return status;
}

/*
 * Operations are most of a history, so they are looked at in blocks: first all
 * of a block at once, without branches, in loops of a fixed length that
 * compilers turn into vector code; then, only where something was odd, one
 * after another, to find out what.
 */

#define BLOCK 512

static bool times_are_sound(int64_t invoked, int64_t completed)
{
    if (invoked == TIME_ABSENT)
        return completed == TIME_ABSENT;
    return invoked != TIME_NEVER && completed >= invoked;
}

static enum status check_times(enum history_column column, const int64_t *invoked,
                               const int64_t *completed, size_t count, struct error *err)
{
    if (!invoked)
        return STATUS_OK;
    for (size_t i = 0; i < count; i++)
        if (!times_are_sound(invoked[i], completed[i]))
            return history_check_refuse(column, i, err, "from %" PRId64 " to %" PRId64, invoked[i],
                                        completed[i]);
    return STATUS_OK;
}

/* The column of the number of parts is given; those of the parts follow it. */
static enum status check_places(const struct history *h, enum history_column column, size_t count,
                                struct error *err)
{
    const uint8_t *parts = history_column(h, column);
    const int64_t *part[PLACE_PARTS_MAX];

    for (unsigned p = 0; p < PLACE_PARTS_MAX; p++)
        part[p] = history_column(h, column + 1 + p);
    for (size_t i = 0; parts && i < count; i++) {
        if (parts[i] > PLACE_PARTS_MAX || (parts[i] && !part[parts[i] - 1]))
            return history_check_refuse(column, i, err, "%u parts", (unsigned)parts[i]);
        for (unsigned p = parts[i]; p < PLACE_PARTS_MAX; p++)
            if (part[p] && part[p][i])
                return history_check_refuse(column + 1 + p, i, err, "a part too many");
    }
    return STATUS_OK;
}

static enum status check_origins(const struct history *h, struct error *err)
{
    const uint8_t *parts = h->txn_origin_parts;

    for (size_t t = 0; parts && t < h->txn_count; t++) {
        if (parts[t] > ORIGIN_PARTS_MAX || (parts[t] == ORIGIN_PARTS_MAX && !h->txn_origin_process))
            return history_check_refuse(COLUMN_txn_origin_parts, t, err, "%u parts",
                                        (unsigned)parts[t]);
        if (parts[t] < 1 && h->txn_origin[t])
            return history_check_refuse(COLUMN_txn_origin, t, err, "a part too many");
        if (parts[t] < 2 && h->txn_origin_process && h->txn_origin_process[t])
            return history_check_refuse(COLUMN_txn_origin_process, t, err, "a part too many");
    }
    return STATUS_OK;
}

enum status history_check_txns(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;
    uint32_t session_max = 0;
    uint8_t status_max = 0;

    for (size_t t = 0; t < h->txn_count; t++) {
        session_max = h->txn_session[t] > session_max ? h->txn_session[t] : session_max;
        status_max = h->txn_status[t] > status_max ? h->txn_status[t] : status_max;
    }
    if (h->txn_count && (status_max >= TXN_STATUS_COUNT || session_max >= h->session_count))
        for (size_t t = 0;; t++) {
            if (h->txn_status[t] >= TXN_STATUS_COUNT)
                return history_check_refuse(COLUMN_txn_status, t, err, "status %u",
                                            (unsigned)h->txn_status[t]);
            if (h->txn_session[t] >= h->session_count)
                return history_check_refuse(COLUMN_txn_session, t, err,
                                            "session %" PRIu32 " of %zu", h->txn_session[t],
                                            h->session_count);
        }
    TRY(history_check_distinct(COLUMN_txn_id, h->txn_id, h->txn_count, err));
    TRY(history_check_distinct(COLUMN_session_id, h->session_id, h->session_count, err));
    TRY(check_times(COLUMN_txn_invoked, h->txn_invoked, h->txn_completed, h->txn_count, err));
    TRY(check_places(h, COLUMN_txn_ts_parts, h->txn_count, err));
    TRY(check_places(h, COLUMN_txn_snapshot_parts, h->txn_count, err));
    return check_origins(h, err);
}

/* Whether kind, flags and kind of value go together. */
static enum status check_op_bytes(const struct history *h, size_t op, struct error *err)
{
    uint8_t kind = h->op_kind[op], flags = h->op_flags[op], value_kind = h->op_value_kind[op];
    bool may_lock = kind == OP_READ || kind == OP_SELECT || kind == OP_ROW_READ;

    if (kind >= OP_KIND_COUNT)
        return history_check_refuse(COLUMN_op_kind, op, err, "kind %u", (unsigned)kind);
    if (flags > (OP_ERROR | OP_LOCK_UPDATE) || (flags > OP_ERROR && !may_lock))
        return history_check_refuse(COLUMN_op_flags, op, err, "flags %u on an operation of kind %u",
                                    (unsigned)flags, (unsigned)kind);
    if (!op_may_have_value(kind, value_kind))
        return history_check_refuse(COLUMN_op_value_kind, op, err,
                                    "kind %u on an operation of kind %u", (unsigned)value_kind,
                                    (unsigned)kind);
    return STATUS_OK;
}

static enum status check_op(const struct history *h, size_t op, struct error *err)
{
    TRY(check_op_bytes(h, op, err));
    if (!op_is_head(h->op_kind[op]) && h->op_key[op] >= h->key_count)
        return history_check_refuse(COLUMN_op_key, op, err, "key %" PRIu32 " of %zu",
                                    h->op_key[op], h->key_count);
    if (!history_check_value_is_sound(h, h->op_value_kind[op], h->op_value[op]))
        return history_check_refuse(COLUMN_op_value, op, err, "%" PRId64 " of kind %u",
                                    h->op_value[op], (unsigned)h->op_value_kind[op]);
    return STATUS_OK;
}

/* What check_op_bytes() says, of a block, in arithmetic of bytes. */
static bool bytes_are_odd(const uint8_t *kinds, const uint8_t *flags, const uint8_t *value_kinds)
{
    uint8_t odd = 0;

    for (size_t i = 0; i < BLOCK; i++) {
        uint8_t k = kinds[i], f = flags[i], v = value_kinds[i];
        uint8_t is_row = (uint8_t)-(k == OP_ROW_READ || k == OP_ROW_WRITE);
        uint8_t is_free = (uint8_t)-(k <= OP_WRITE); /* reads and writes: any kind of value */
        uint8_t is_append = (uint8_t)-(k == OP_APPEND);
        uint8_t least = (uint8_t)((is_row & VALUE_ROW) | (is_append & VALUE_INTEGER) |
                                  ((uint8_t)-(k == OP_WRITE) & VALUE_NULL));
        uint8_t most = (uint8_t)(((is_row | is_free) & VALUE_ROW) | (is_append & VALUE_INTEGER));
        uint8_t may_lock = (k == OP_READ) | (k == OP_SELECT) | (k == OP_ROW_READ);
        odd |= (uint8_t)((v < least) | (v > most) | (k >= OP_KIND_COUNT) |
                         (f > (OP_ERROR | OP_LOCK_UPDATE)) | ((f > OP_ERROR) & !may_lock));
    }
    return odd;
}

/* Whether some key is not below the count; heads have statements in its place. */
static bool keys_are_odd(const uint32_t *keys, size_t key_count)
{
    uint32_t last = (uint32_t)(key_count - 1), odd = 0;

    if (key_count == 0 || key_count > (uint32_t)1 << 31)
        return true;
    for (size_t i = 0; i < BLOCK; i++)
        odd |= keys[i] | (last - keys[i]); /* the top bit tells that one was too large */
    return odd >> 31;
}

struct value_limits {
    uint64_t most[VALUE_KIND_COUNT];
    uint32_t empty; /* bits of the kinds that no value can have */
};

static struct value_limits limits_of(const struct history *h)
{
    struct value_limits limits = {
        .most = { [VALUE_INTEGER] = UINT64_MAX,
                  [VALUE_BOOLEAN] = 1,
                  [VALUE_TEXT] = h->text_count - 1,
                  [VALUE_LIST] = h->list_count - 1,
                  [VALUE_ROW] = h->row_count - 1 },
    };

    limits.empty = (uint32_t)(h->text_count == 0) << VALUE_TEXT |
                   (uint32_t)(h->list_count == 0) << VALUE_LIST |
                   (uint32_t)(h->row_count == 0) << VALUE_ROW;
    return limits;
}

/* The kinds are sound. */
static bool values_are_odd(const uint8_t *kinds, const int64_t *values,
                           const struct value_limits *limits)
{
    uint8_t others = 0;
    uint64_t odd = 0;

    for (size_t i = 0; i < BLOCK; i++)
        others |= kinds[i] ^ VALUE_INTEGER;
    if (!others)
        return false;
    for (size_t i = 0; i < BLOCK; i++)
        odd |= (limits->empty >> kinds[i] & 1) | ((uint64_t)values[i] > limits->most[kinds[i]]);
    return odd;
}

struct op_counts {
    size_t heads, rows, refusals;
};

static void count_special(const struct history *h, size_t from, size_t to, struct op_counts *counts)
{
    for (size_t op = from; op < to; op++) {
        bool is_row = op_is_row(h->op_kind[op]);
        counts->rows += is_row;
        counts->heads += op_is_head(h->op_kind[op]);
        counts->refusals += (h->op_flags[op] & OP_ERROR) && !is_row;
    }
}

static bool block_is_special(const uint8_t *kinds, const uint8_t *flags)
{
    uint8_t special = 0;

    for (size_t i = 0; i < BLOCK; i++)
        special |= (uint8_t)(flags[i] | (kinds[i] >= OP_SELECT));
    return special;
}

static enum status check_each_op(const struct history *h, struct op_counts *counts,
                                 struct error *err)
{
    struct value_limits limits = limits_of(h);
    size_t op = 0;

    for (; op + BLOCK <= h->op_count; op += BLOCK) {
        if (bytes_are_odd(h->op_kind + op, h->op_flags + op, h->op_value_kind + op) ||
            keys_are_odd(h->op_key + op, h->key_count) ||
            values_are_odd(h->op_value_kind + op, h->op_value + op, &limits))
            for (size_t i = op; i < op + BLOCK; i++)
                TRY(check_op(h, i, err));
        if (block_is_special(h->op_kind + op, h->op_flags + op))
            count_special(h, op, op + BLOCK, counts);
    }
    count_special(h, op, h->op_count, counts);
    for (; op < h->op_count; op++)
        TRY(check_op(h, op, err));
    return STATUS_OK;
}

static enum status check_refusals(const struct history *h, size_t wanted, struct error *err)
{
    for (size_t r = 0; r < h->refusal_count; r++) {
        uint32_t op = h->refusal_op[r];
        if (op >= h->op_count || (r > 0 && op <= h->refusal_op[r - 1]) ||
            op_is_row(h->op_kind[op]) || !(h->op_flags[op] & OP_ERROR))
            return history_check_refuse(COLUMN_refusal_op, r, err,
                                        "operation %" PRIu32 " was not refused", op);
        if (h->refusal_text[r] >= h->text_count)
            return history_check_refuse(COLUMN_refusal_text, r, err, "text %" PRIu32 " of %zu",
                                        h->refusal_text[r], h->text_count);
    }
    if (h->refusal_count != wanted)
        return error_set(err, STATUS_BAD_INPUT,
                         "column refusal_op has %zu elements: %zu operations were refused",
                         h->refusal_count, wanted);
    return STATUS_OK;
}

/* Within their transaction's times, and in the order in which they stand. */
static enum status check_op_times(const struct history *h, struct error *err)
{
    for (size_t t = 0; h->op_invoked && t < h->txn_count; t++) {
        int64_t last = h->txn_invoked ? h->txn_invoked[t] : TIME_ABSENT;
        int64_t end = h->txn_invoked ? h->txn_completed[t] : TIME_ABSENT;

        for (size_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (!history_times_follow(h->op_invoked[op], h->op_completed[op], &last, end))
                return history_check_refuse(COLUMN_op_invoked, op, err,
                                            "from %" PRId64 " to %" PRId64 " is not behind the "
                                            "operation before it, or not within its transaction",
                                            h->op_invoked[op], h->op_completed[op]);
    }
    return STATUS_OK;
}

static enum status check_table_values(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    for (size_t op = 0; c->key_table && op < h->op_count; op++)
        if (!op_is_head(h->op_kind[op]))
            TRY(history_check_row_value(c, COLUMN_op_value, op, h->op_key[op],
                                        history_value(h, op), err));
    return STATUS_OK;
}

enum status history_check_ops(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;
    struct op_counts counts = { 0 };
    size_t row_count = 0;

    TRY(check_each_op(h, &counts, err));
    TRY(check_times(COLUMN_op_invoked, h->op_invoked, h->op_completed, h->op_count, err));
    TRY(check_op_times(h, err));
    TRY(check_places(h, COLUMN_op_snapshot_parts, h->op_count, err));
    TRY(check_refusals(h, counts.refusals, err));
    TRY(check_table_values(c, err));
    for (size_t s = 0; s < h->statement_count; s++)
        row_count += h->statement_row_count[s];
    if (counts.heads != h->statement_count)
        return error_set(err, STATUS_BAD_INPUT,
                         "column statement_op has %zu elements: there are %zu statements",
                         h->statement_count, counts.heads);
    if (counts.rows != row_count)
        return error_set(err, STATUS_BAD_INPUT,
                         "column statement_row_count: %zu rows in all, but there are %zu",
                         row_count, counts.rows);
    return STATUS_OK;
}

static bool is_text_or_none(const struct history *h, uint32_t text)
{
    return text == HISTORY_NONE || text < h->text_count;
}

static enum status check_statement_parts(const struct history *h, size_t s, struct error *err)
{
    uint8_t kind = h->op_kind[h->statement_op[s]], flags = h->statement_flags[s];
    bool has_values = h->statement_aggregate_start[s] != h->statement_aggregate_start[s + 1];
    bool is_cut = h->statement_order[s] != HISTORY_NONE || h->statement_limit[s] != -1;
    bool has_rows = h->statement_row_count[s] > 0;

    if (h->statement_table[s] >= h->table_count)
        return history_check_refuse(COLUMN_statement_table, s, err, "table %" PRIu32 " of %zu",
                                    h->statement_table[s], h->table_count);
    if (!is_text_or_none(h, h->statement_where[s]) ||
        (kind == OP_INSERT && h->statement_where[s] != HISTORY_NONE))
        return history_check_refuse(COLUMN_statement_where, s, err, "no predicate");
    if (!is_text_or_none(h, h->statement_order[s]))
        return history_check_refuse(COLUMN_statement_order, s, err, "text %" PRIu32 " of %zu",
                                    h->statement_order[s], h->text_count);
    if (h->statement_limit[s] < -1)
        return history_check_refuse(COLUMN_statement_limit, s, err, "%" PRId64,
                                    h->statement_limit[s]);
    if (flags > (STATEMENT_ORDERED | STATEMENT_ANSWERED | STATEMENT_AGGREGATES) ||
        (kind != OP_SELECT && (flags & ~STATEMENT_ANSWERED)) ||
        (is_cut && !(flags & STATEMENT_ORDERED)) ||
        ((has_rows || (flags & STATEMENT_AGGREGATES)) && !(flags & STATEMENT_ANSWERED)) ||
        (has_rows && (flags & STATEMENT_AGGREGATES)) ||
        (has_values && !(flags & STATEMENT_AGGREGATES)))
        return history_check_refuse(COLUMN_statement_flags, s, err,
                                    "flags %u do not go with the statement", (unsigned)flags);
    return STATUS_OK;
}

/* One row of the statement, at operation `op`. */
static enum status check_row_op(struct history_check *c, size_t s, size_t op, struct error *err)
{
    static const uint8_t row_kinds[OP_KIND_COUNT] = {
        [OP_SELECT] = OP_ROW_READ,
        [OP_INSERT] = OP_ROW_WRITE,
        [OP_UPDATE] = OP_ROW_WRITE,
        [OP_DELETE] = OP_ROW_REMOVE,
    };
    const struct history *h = c->h;
    size_t head = h->statement_op[s];
    uint32_t key = h->op_key[op];

    if (h->op_kind[op] != row_kinds[h->op_kind[head]])
        return history_check_refuse(COLUMN_op_kind, op, err, "kind %u under a head of kind %u",
                                    (unsigned)h->op_kind[op], (unsigned)h->op_kind[head]);
    if (h->op_flags[op] != h->op_flags[head])
        return history_check_refuse(COLUMN_op_flags, op, err, "not the flags of its head");
    if (c->key_table[key] != h->statement_table[s])
        return history_check_refuse(COLUMN_op_key, op, err, "no row of the statement's table");
    if ((h->op_invoked && h->op_invoked[op] != TIME_ABSENT) ||
        (h->op_snapshot && h->op_snapshot_parts[op]))
        return history_check_refuse(COLUMN_op_kind, op, err, "a row with a time or snapshot");
    if (!(h->statement_flags[s] & STATEMENT_ORDERED)) {
        if (c->key_stamp[key] == s + 1)
            return history_check_refuse(COLUMN_op_key, op, err, "a row that is here twice");
        c->key_stamp[key] = (uint32_t)s + 1;
    }
    return STATUS_OK;
}

static enum status check_statement(struct history_check *c, size_t s, size_t *txn,
                                   struct error *err)
{
    const struct history *h = c->h;
    uint32_t op = h->statement_op[s];
    uint32_t row_count = h->statement_row_count[s];

    if (op >= h->op_count || (s > 0 && op <= h->statement_op[s - 1]) ||
        !op_is_head(h->op_kind[op]) || h->op_key[op] != s)
        return history_check_refuse(COLUMN_statement_op, s, err,
                                    "operation %" PRIu32 " is not its head", op);
    TRY(check_statement_parts(h, s, err));
    while (h->txn_op[*txn + 1] <= op)
        (*txn)++;
    if (row_count > h->txn_op[*txn + 1] - op - 1)
        return history_check_refuse(COLUMN_statement_row_count, s, err,
                                    "%" PRIu32 " rows go beyond the transaction", row_count);
    for (uint32_t i = 1; i <= row_count; i++)
        TRY(check_row_op(c, s, op + i, err));
    return STATUS_OK;
}

/* `stamps` has by text the last statement with such a value, plus one. */
static enum status check_aggregate(const struct history *h, size_t s, size_t a, uint32_t *stamps,
                                   struct error *err)
{
    uint32_t name = h->aggregate_name[a];
    uint8_t kind = h->aggregate_kind[a];

    if (name >= h->text_count || stamps[name] == s + 1)
        return history_check_refuse(COLUMN_aggregate_name, a, err, "text %" PRIu32 "%s", name,
                                    name < h->text_count ? " again" : " of too few");
    if (kind == VALUE_NONE || kind >= VALUE_ROW ||
        !history_check_value_is_sound(h, kind, h->aggregate_value[a]))
        return history_check_refuse(COLUMN_aggregate_value, a, err, "%" PRId64 " of kind %u",
                                    h->aggregate_value[a], (unsigned)kind);
    stamps[name] = (uint32_t)s + 1;
    return STATUS_OK;
}

static enum status check_aggregates(const struct history *h, struct error *err)
{
    uint32_t *stamps = calloc(h->text_count + 1, sizeof *stamps);
    enum status status = STATUS_OK;

    if (!stamps)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to check aggregates");
    for (size_t s = 0; s < h->statement_count && status == STATUS_OK; s++)
        for (size_t a = h->statement_aggregate_start[s];
             a < h->statement_aggregate_start[s + 1] && status == STATUS_OK; a++)
            status = check_aggregate(h, s, a, stamps, err);
    free(stamps);
    return status;
}

enum status history_check_statements(struct history_check *c, struct error *err)
{
    size_t txn = 0;

    if (c->h->statement_count == 0)
        return STATUS_OK;
    TRY(history_check_clear_stamps(c, err));
    for (size_t s = 0; s < c->h->statement_count; s++)
        TRY(check_statement(c, s, &txn, err));
    return check_aggregates(c->h, err);
}

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
