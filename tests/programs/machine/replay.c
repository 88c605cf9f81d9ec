#include "tests/programs/machine/replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "programs/machine/predicates.h"

#define NO_WRITE UINT32_MAX

struct write {
    uint32_t key;
    int64_t place;
    uint32_t op, txn;
};

struct replay {
    const struct history *h;
    struct predicates *predicates;
    struct predicate_scratch scratch;
    struct write *writes; /* of committed transactions, by key, place and operation */
    uint32_t count;
    uint32_t *key_start;
    uint32_t *own; /* by key, the last write of the transaction at hand, or NO_WRITE */
    uint32_t txn;
    const char *lie;
};

static void tell(struct replay *r, uint32_t op, const char *lie)
{
    static char text[700];

    if (r->lie)
        return;
    snprintf(text, sizeof text, "transaction %lld, operation %u: %s",
             (long long)r->h->txn_id[r->txn], op - r->h->txn_op[r->txn], lie);
    r->lie = text;
}

static int compare_writes(const void *a, const void *b)
{
    const struct write *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static void collect_writes(struct replay *r)
{
    const struct history *h = r->h;

    r->writes = calloc(h->op_count + 1, sizeof *r->writes);
    r->key_start = calloc(h->key_count + 2, sizeof *r->key_start);
    r->own = malloc((h->key_count + 1) * sizeof *r->own);
    assert(r->writes && r->key_start && r->own);
    memset(r->own, 0xff, (h->key_count + 1) * sizeof *r->own);
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            if (op_is_write(h->op_kind[op]) && h->txn_status[t] == TXN_OK)
                r->writes[r->count++] = (struct write){ h->op_key[op], h->txn_ts[t], op, t };
    qsort(r->writes, r->count, sizeof *r->writes, compare_writes);
    for (uint32_t i = 0; i < r->count; i++)
        r->key_start[r->writes[i].key + 1] = i + 1;
    for (uint32_t k = 1; k <= h->key_count; k++)
        if (r->key_start[k] < r->key_start[k - 1])
            r->key_start[k] = r->key_start[k - 1];
}

/* The last write of the key at a place, or below it, as an index of writes. */
static uint32_t write_at(const struct replay *r, uint32_t key, int64_t place, bool itself_too)
{
    uint32_t from = r->key_start[key], to = r->key_start[key + 1], first = from;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        int64_t at = r->writes[middle].place;
        if (at < place || (itself_too && at == place))
            from = middle + 1;
        else
            to = middle;
    }
    return from == first ? NO_WRITE : from - 1;
}

/* The operation that wrote what the certificate says is read; NO_WRITE: the initial version. */
static uint32_t source_of(const struct replay *r, uint32_t op, uint32_t key)
{
    const struct history *h = r->h;
    struct place snapshot = history_op_snapshot(h, r->txn, op);
    uint32_t write;
    size_t low = 0, high = h->set_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (h->set_op[middle] < op)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < h->set_count && h->set_op[low] == op) {
        for (uint64_t i = h->set_start[low]; i < h->set_start[low + 1]; i++)
            if (h->set_key[i] == key)
                return h->set_version[i] == VERSION_INITIAL ? NO_WRITE : h->set_version[i];
        return NO_WRITE;
    }
    if (snapshot.parts)
        write = write_at(r, key, snapshot.part[0], true);
    else
        write = write_at(r, key, h->txn_ts[r->txn], false);
    return write == NO_WRITE ? NO_WRITE : r->writes[write].op;
}

/* --- Items --------------------------------------------------------------------- */

static bool next_is(const struct history *h, struct value list, uint64_t *at, int64_t element)
{
    if (h->list_start[list.bits] + *at == h->list_start[list.bits + 1])
        return false;
    return h->list_element[h->list_start[list.bits] + (*at)++] == element;
}

/* All appends up to the source, in the order of versions, then one's own. */
static void check_list(struct replay *r, uint32_t op)
{
    const struct history *h = r->h;
    uint32_t key = h->op_key[op], source = source_of(r, op, key);
    struct value list = history_value(h, op);
    bool same = list.kind == VALUE_LIST;
    uint64_t at = 0;

    if (source != NO_WRITE)
        for (uint32_t i = r->key_start[key]; same && i < r->key_start[key + 1]; i++) {
            same = next_is(h, list, &at, h->op_value[r->writes[i].op]);
            if (r->writes[i].op == source)
                break;
        }
    for (uint32_t i = h->txn_op[r->txn]; same && i < op; i++)
        if (h->op_kind[i] == OP_APPEND && h->op_key[i] == key)
            same = next_is(h, list, &at, h->op_value[i]);
    if (!same || h->list_start[list.bits] + at != h->list_start[list.bits + 1])
        tell(r, op, "the list is not what its version holds");
}

static struct value value_of(const struct history *h, uint32_t op)
{
    return op == NO_WRITE ? (struct value){ VALUE_NULL, 0 } : history_value(h, op);
}

static uint32_t seen_by(const struct replay *r, uint32_t op, uint32_t key)
{
    return r->own[key] != NO_WRITE ? r->own[key] : source_of(r, op, key);
}

static void check_read(struct replay *r, uint32_t op, bool are_lists)
{
    uint32_t write;

    if (are_lists) {
        check_list(r, op);
        return;
    }
    write = seen_by(r, op, r->h->op_key[op]);
    if (!history_values_equal(r->h, value_of(r->h, write), history_value(r->h, op)))
        tell(r, op, "the value is not what its version holds");
}

/* --- Statements ---------------------------------------------------------------- */

static uint32_t find_row(const struct history *h, uint32_t head, uint32_t key)
{
    uint32_t count = h->statement_row_count[h->op_key[head]];

    for (uint32_t op = head + 1; op <= head + count; op++)
        if (h->op_key[op] == key)
            return op;
    return NO_WRITE;
}

static int64_t column_v(const struct history *h, struct value row)
{
    return h->cell_value[h->row_start[row.bits] + 1];
}

static void check_aggregate(struct replay *r, uint32_t head, uint32_t matched, int64_t lowest,
                            int64_t highest)
{
    const struct history *h = r->h;
    uint32_t a = h->statement_aggregate_start[h->op_key[head]];
    struct text name = history_text(h, h->aggregate_name[a]);
    bool is_minimum = text_equal(name, TEXT("min(v)"));
    int64_t expected = is_minimum ? lowest : highest;

    if (!is_minimum && !text_equal(name, TEXT("max(v)")))
        tell(r, head, "the aggregate is of no known name");
    if (matched == 0 ? h->aggregate_kind[a] != VALUE_NULL : h->aggregate_value[a] != expected)
        tell(r, head, "the aggregate is another");
}

static void check_row(struct replay *r, uint32_t head, uint32_t key, struct value row)
{
    uint32_t op = find_row(r->h, head, key);

    if (op == NO_WRITE)
        tell(r, head, "a row that matches is missing");
    else if (r->h->op_kind[op] == OP_ROW_READ &&
             !history_values_equal(r->h, row, history_value(r->h, op)))
        tell(r, op, "the row is not what its version holds");
}

static bool is_canonical(const struct replay *r, uint32_t statement)
{
    struct text text = history_text(r->h, r->h->statement_where[statement]);
    struct buffer canonical = { 0 };
    bool is_same;

    predicates_print(r->predicates, predicates_of_statement(r->predicates, statement), &canonical);
    is_same = text_equal(text, (struct text){ canonical.at, canonical.count });
    buffer_close(&canonical);
    return is_same;
}

static void check_statement(struct replay *r, uint32_t head)
{
    const struct history *h = r->h;
    uint32_t s = h->op_key[head], matched = 0;
    bool has_aggregate = h->statement_flags[s] & STATEMENT_AGGREGATES;
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    uint32_t predicate = predicates_of_statement(r->predicates, s);

    if (!is_canonical(r, s))
        tell(r, head, "its predicate is not written as predicates are");
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value row = value_of(h, seen_by(r, head, key));
        if (predicates_match(r->predicates, predicate, row, &r->scratch) != PREDICATE_YES)
            continue;
        matched++;
        if (column_v(h, row) < lowest)
            lowest = column_v(h, row);
        if (column_v(h, row) > highest)
            highest = column_v(h, row);
        if (!has_aggregate)
            check_row(r, head, key, row);
    }
    if (has_aggregate)
        check_aggregate(r, head, matched, lowest, highest);
    else if (matched != h->statement_row_count[s])
        tell(r, head, "a row does not match");
}

/* --- Transactions -------------------------------------------------------------- */

static void check_txn(struct replay *r, uint32_t t, bool are_lists)
{
    const struct history *h = r->h;

    r->txn = t;
    for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
        uint8_t kind = h->op_kind[op];
        if (kind == OP_READ)
            check_read(r, op, are_lists);
        else if (kind == OP_SELECT || kind == OP_UPDATE)
            check_statement(r, op);
        else if (op_is_write(kind))
            r->own[h->op_key[op]] = op;
    }
    for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
        if (op_is_write(h->op_kind[op]))
            r->own[h->op_key[op]] = NO_WRITE;
}

/* Operations one behind the other within their transaction, and those within their session. */
static void check_times(struct replay *r)
{
    const struct history *h = r->h;
    int64_t *free_at = calloc(h->session_count + 1, sizeof *free_at);

    assert(free_at);
    for (uint32_t t = 0; t < h->txn_count; t++) {
        int64_t now = h->txn_invoked[t];
        uint32_t session = h->txn_session[t];

        r->txn = t;
        if (t > 0 && h->txn_invoked[t] < h->txn_invoked[t - 1])
            tell(r, h->txn_op[t], "the file is not in the order of invocations");
        if (h->txn_invoked[t] <= free_at[session])
            tell(r, h->txn_op[t], "it overlaps with the last of its session");
        free_at[session] = h->txn_completed[t];
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (h->op_kind[op] >= OP_ROW_READ)
                continue;
            if (h->op_invoked[op] <= now || h->op_completed[op] <= h->op_invoked[op] ||
                h->op_completed[op] > h->txn_completed[t])
                tell(r, op, "its times are out of order");
            now = h->op_completed[op];
        }
    }
    free(free_at);
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static void check_places(struct replay *r)
{
    const struct history *h = r->h;
    int64_t *places = calloc(h->txn_count + 1, sizeof *places);
    size_t count = 0;

    assert(places);
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            places[count++] = h->txn_ts[t];
    qsort(places, count, sizeof *places, compare_numbers);
    for (size_t i = 1; i < count; i++)
        if (places[i] == places[i - 1])
            tell(r, h->txn_op[r->txn], "two transactions have the same place");
    free(places);
}

/* Each written key has an order, of the last write of each committed writer, by place. */
static void check_orders(struct replay *r)
{
    const struct history *h = r->h;

    for (uint32_t key = 0; key < h->key_count; key++) {
        uint32_t order = h->key_order[key];
        uint64_t at = order == HISTORY_NONE ? 0 : h->order_start[order];

        for (uint32_t i = r->key_start[key]; i < r->key_start[key + 1]; i++) {
            bool is_last =
                i + 1 == r->key_start[key + 1] || r->writes[i + 1].txn != r->writes[i].txn;
            r->txn = r->writes[i].txn;
            if (is_last && (order == HISTORY_NONE || at == h->order_start[order + 1] ||
                            h->order_version[at++] != r->writes[i].op))
                tell(r, r->writes[i].op, "it is not the next in its key's version order");
        }
        if (order != HISTORY_NONE && at != h->order_start[order + 1])
            tell(r, h->txn_op[r->txn], "a version order is too long");
    }
}

const char *replay_find_lie(const struct history *h)
{
    struct replay r = { .h = h };
    bool are_lists = false;
    struct error err = { 0 };

    if (predicates_open(&r.predicates, h, 0, &err) != STATUS_OK) {
        tell(&r, 0, err.text);
        return r.lie;
    }
    if (predicate_scratch_init(&r.scratch, &err) != STATUS_OK)
        assert(!"no memory");
    for (size_t op = 0; op < h->op_count; op++)
        are_lists |= h->op_kind[op] == OP_APPEND;
    collect_writes(&r);
    check_times(&r);
    check_places(&r);
    check_orders(&r);
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            check_txn(&r, t, are_lists);
    free(r.writes);
    free(r.key_start);
    free(r.own);
    predicate_scratch_close(&r.scratch);
    predicates_close(r.predicates);
    return r.lie;
}
