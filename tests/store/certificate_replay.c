#include "tests/store/certificate_replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/predicates.h"

#define NO_WRITE UINT32_MAX

/* A committed write. */
struct written {
    uint32_t key, op;
    struct place place;
};

struct replay {
    const struct history *h;
    struct predicates *predicates;
    struct predicate_scratch scratch;
    struct written *writes; /* by key, place and operation */
    size_t count;
    size_t *from;           /* by key: its first among them */
    uint32_t *own;          /* by key: the last write of the transaction at hand, or NO_WRITE */
    uint32_t txn;
    const char *lie;
};

static void tell(struct replay *r, uint32_t op, const char *what)
{
    static char text[300];
    struct text key;

    if (r->lie)
        return;
    key = op_is_head(r->h->op_kind[op]) ? (struct text){ "", 0 }
                                        : history_key(r->h, r->h->op_key[op]);
    snprintf(text, sizeof text, "transaction %lld, operation %u (%.*s): %s",
             (long long)r->h->txn_id[r->txn], op - r->h->txn_op[r->txn], (int)key.length, key.at,
             what);
    r->lie = text;
}

/* Also one whose client never heard of it. */
static bool is_committed(const struct history *h, size_t txn)
{
    return h->txn_status[txn] != TXN_ABORT && history_ts(h, txn).parts > 0;
}

/* --- What was written ------------------------------------------------------------------------- */

static int compare_writes(const void *a, const void *b)
{
    const struct written *x = a, *y = b;
    int order = history_compare_places(x->place, y->place);

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return order != 0 ? order : (x->op > y->op) - (x->op < y->op);
}

static void collect_writes(struct replay *r)
{
    const struct history *h = r->h;

    r->writes = calloc(h->op_count + 1, sizeof *r->writes);
    r->from = calloc(h->key_count + 1, sizeof *r->from);
    r->own = malloc((h->key_count + 1) * sizeof *r->own);
    assert(r->writes && r->from && r->own);
    memset(r->own, 0xff, (h->key_count + 1) * sizeof *r->own);
    for (size_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; is_committed(h, t) && op < h->txn_op[t + 1]; op++)
            if (op_is_write(h->op_kind[op]) && !(h->op_flags[op] & OP_ERROR))
                r->writes[r->count++] = (struct written){ h->op_key[op], op, history_ts(h, t) };
    qsort(r->writes, r->count, sizeof *r->writes, compare_writes);
    for (size_t key = 0, i = 0; key <= h->key_count; key++) {
        while (i < r->count && r->writes[i].key < key)
            i++;
        r->from[key] = i;
    }
}

/* How many writes of the key, from its first, are in what the operation reads. */
static size_t seen_count(const struct replay *r, uint32_t op, uint32_t key)
{
    struct place snapshot = history_op_snapshot(r->h, r->txn, op);
    struct place own = history_ts(r->h, r->txn);
    size_t low = r->from[key], high = r->from[key + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct place place = r->writes[middle].place;
        bool is_seen = snapshot.parts > 0 ? history_compare_places(place, snapshot) <= 0
                                          : history_compare_places(place, own) < 0;

        if (is_seen)
            low = middle + 1;
        else
            high = middle;
    }
    return low - r->from[key];
}

static struct value value_of(const struct replay *r, uint32_t op)
{
    uint8_t kind = r->h->op_kind[op];

    if (kind == OP_REMOVE || kind == OP_ROW_REMOVE)
        return (struct value){ VALUE_NULL, 0 };
    return history_value(r->h, op);
}

/* What the operation must find there. */
static struct value value_seen(const struct replay *r, uint32_t op, uint32_t key)
{
    size_t count;

    if (r->own[key] != NO_WRITE)
        return value_of(r, r->own[key]);
    count = seen_count(r, op, key);
    return count == 0 ? history_initial(r->h, key)
                      : value_of(r, r->writes[r->from[key] + count - 1].op);
}

/* --- What was read ---------------------------------------------------------------------------- */

static bool next_is(const struct history *h, struct value list, uint64_t *at, int64_t element)
{
    return h->list_start[list.bits] + *at < h->list_start[list.bits + 1] &&
           h->list_element[h->list_start[list.bits] + (*at)++] == element;
}

static void check_list(struct replay *r, uint32_t op)
{
    const struct history *h = r->h;
    uint32_t key = h->op_key[op];
    size_t count = seen_count(r, op, key);
    struct value list = history_value(h, op);
    bool same = true;
    uint64_t at = 0;

    for (size_t i = r->from[key]; same && i < r->from[key] + count; i++)
        same = next_is(h, list, &at, h->op_value[r->writes[i].op]);
    for (uint32_t i = h->txn_op[r->txn]; same && i < op; i++)
        if (h->op_kind[i] == OP_APPEND && h->op_key[i] == key)
            same = next_is(h, list, &at, h->op_value[i]);
    if (!same || h->list_start[list.bits] + at != h->list_start[list.bits + 1])
        tell(r, op, "the list is another");
}

static void check_read(struct replay *r, uint32_t op)
{
    struct value value = history_value(r->h, op);

    if (value.kind == VALUE_LIST)
        check_list(r, op);
    else if (!history_values_equal(r->h, value, value_seen(r, op, r->h->op_key[op])))
        tell(r, op, "the value is another");
}

static uint32_t find_row(const struct history *h, uint32_t head, uint32_t key)
{
    for (uint32_t op = head + 1; op <= head + h->statement_row_count[h->op_key[head]]; op++)
        if (h->op_key[op] == key)
            return op;
    return NO_WRITE;
}

/* Of a predicate: every row that matches was returned, as it was, and no other. */
static void check_statement(struct replay *r, uint32_t head)
{
    const struct history *h = r->h;
    uint32_t statement = h->op_key[head], matched = 0;
    uint32_t predicate = predicates_of_statement(r->predicates, statement);

    if (h->statement_flags[statement] & STATEMENT_AGGREGATES || h->statement_limit[statement] >= 0)
        return;
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value row = value_seen(r, head, key);
        uint32_t op;

        if (predicates_match(r->predicates, predicate, row, &r->scratch) != PREDICATE_YES)
            continue;
        matched++;
        op = find_row(h, head, key);
        if (op == NO_WRITE)
            tell(r, head, "a row is missing");
        else if (h->op_kind[op] == OP_ROW_READ && !history_values_equal(h, row, value_of(r, op)))
            tell(r, op, "the row is another");
    }
    if (matched != h->statement_row_count[statement])
        tell(r, head, "a row does not match");
}

static bool is_of_predicate(uint8_t kind)
{
    return kind == OP_SELECT || kind == OP_UPDATE || kind == OP_DELETE;
}

static void check_txn(struct replay *r, uint32_t txn)
{
    const struct history *h = r->h;

    r->txn = txn;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if (h->op_flags[op] & OP_ERROR)
            continue;
        if (kind == OP_READ)
            check_read(r, op);
        else if (is_of_predicate(kind))
            check_statement(r, op);
        else if (op_is_write(kind))
            r->own[h->op_key[op]] = op;
    }
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (op_is_write(h->op_kind[op]))
            r->own[h->op_key[op]] = NO_WRITE;
}

const char *certificate_find_lie(const struct history *h)
{
    struct replay r = { .h = h };
    struct error err = { 0 };

    if (predicates_open(&r.predicates, h, 0, &err) != STATUS_OK)
        assert(!"predicates that cannot be read");
    if (predicate_scratch_init(&r.scratch, &err) != STATUS_OK)
        assert(!"no memory");
    collect_writes(&r);
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            check_txn(&r, t);
    free(r.writes);
    free(r.from);
    free(r.own);
    predicate_scratch_close(&r.scratch);
    predicates_close(r.predicates);
    return r.lie;
}

/* --- Real time -------------------------------------------------------------------------------- */

struct timed {
    struct place place;
    size_t txn;
};

static int compare_timed(const void *a, const void *b)
{
    return history_compare_places(((const struct timed *)a)->place, ((const struct timed *)b)->place);
}

const char *certificate_find_inversion(const struct history *h)
{
    static char text[100];
    const char *found = NULL;
    struct timed *order = calloc(h->txn_count + 1, sizeof *order);
    int64_t invoked = INT64_MIN;
    size_t count = 0;

    assert(order);
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK)
            order[count++] = (struct timed){ history_ts(h, t), t };
    qsort(order, count, sizeof *order, compare_timed);
    for (size_t i = 0; i < count && !found; i++) {
        if (h->txn_completed[order[i].txn] < invoked) {
            snprintf(text, sizeof text, "transaction %lld completed before one of smaller ts began",
                     (long long)h->txn_id[order[i].txn]);
            found = text;
        }
        if (h->txn_invoked[order[i].txn] > invoked)
            invoked = h->txn_invoked[order[i].txn];
    }
    free(order);
    return found;
}
