#include "verify/prediction/observed_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/sort.h"
#include "verify/sql/query.h"

/* A version that an operation saw: by the write that made it. */
struct seen {
    bool is_known;
    uint32_t op; /* or VERSION_INITIAL */
};

/* Keys of a table of which some version may match a condition: a range of `matching`. */
struct match_list {
    uint32_t start, count;
};

struct observer {
    const struct history *h;
    struct observed *o;
    struct arena *arena;
    uint32_t *op_txn; /* by operation */
    bool *
        is_last; /* by operation: a write that its transaction, which may have committed, left behind */
    uint32_t *start; /* by key, and one more: its last writes in `left`, in the order of the file */
    uint32_t *left;  /* operations */
    uint32_t *by_ts; /* likewise, in the order of ts, of keys that have one */
    bool *has_ts;    /* by key: all of its writers have one */
    uint32_t
        *same; /* by place in `left`: the one before it with a value of the same hash, plus one */
    struct map values; /* the hash of a key and a value: the place of the last such write */
    uint32_t *written; /* by key: the last transaction that has written it so far, plus one */
    uint32_t *named;   /* by key: the last head that has it among its rows, plus one */
    uint32_t *table; /* by key: of which it is a row; HISTORY_NONE: of none, or nobody writes it */
    struct map conditions; /* table and text: a place in `lists` */
    ARRAY(struct match_list) lists;
    ARRAY(uint32_t) matching;
    uint32_t unjudged_last; /* the last head that was found to be unjudged, plus one */
};

#define TAKE(w, field, count, err)                                                                 \
    do {                                                                                           \
        (field) = arena_push((w)->arena, (size_t)(count) + 1, sizeof *(field));                    \
        if (!(field))                                                                              \
            return error_set(err, STATUS_OVER_LIMIT, "no memory to verify a prediction");          \
    } while (0)

#define REFUSE(w, err, ...)                                                                        \
    ((w)->o->is_refused = true, error_set(err, STATUS_BAD_INPUT, __VA_ARGS__))

static struct value value_of(const struct history *h, uint32_t op)
{
    uint8_t kind = h->op_kind[op];

    return kind == OP_REMOVE || kind == OP_ROW_REMOVE ? (struct value){ VALUE_NULL, 0 }
                                                      : history_value(h, op);
}

/* Rows and lists may be equal without having equal numbers. */
static uint64_t hash_of(uint32_t key, struct value value)
{
    bool has_number =
        value.kind == VALUE_INTEGER || value.kind == VALUE_BOOLEAN || value.kind == VALUE_TEXT;

    return hash_mix(hash_number(key), hash_mix(hash_number((uint64_t)value.kind),
                                               has_number ? (uint64_t)value.bits : 0));
}

/* --- What each transaction left of each key ---------------------------------------------------- */

static enum status mark_last_writes(struct observer *w, struct error *err)
{
    const struct history *h = w->h;
    uint32_t *date;

    TAKE(w, w->op_txn, h->op_count, err);
    TAKE(w, w->is_last, h->op_count, err);
    TAKE(w, w->start, h->key_count + 1, err);
    TAKE(w, date, h->key_count, err);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];) {
            w->op_txn[op] = txn;
            if (!history_makes_version(h, op) || h->txn_status[txn] == TXN_ABORT)
                continue;
            if (h->op_kind[op] == OP_APPEND)
                return REFUSE(w, err, "transaction %" PRId64 " appends to a list", h->txn_id[txn]);
            w->is_last[op] = date[h->op_key[op]] != txn + 1;
            date[h->op_key[op]] = txn + 1;
            w->start[h->op_key[op] + 1] += w->is_last[op];
        }
    array_sum_prefixes(w->start, h->key_count + 1);
    return STATUS_OK;
}

static enum status list_last_writes(struct observer *w, struct error *err)
{
    const struct history *h = w->h;
    uint32_t *next;

    TAKE(w, w->left, w->start[h->key_count], err);
    TAKE(w, w->same, w->start[h->key_count], err);
    TAKE(w, next, h->key_count, err);
    memcpy(next, w->start, h->key_count * sizeof *next);
    /* In the order of transactions; the operations of a statement are never two writes of one key. */
    for (uint32_t op = 0; op < h->op_count; op++)
        if (w->is_last[op])
            w->left[next[h->op_key[op]]++] = op;
    for (uint32_t key = 0; key < h->key_count; key++)
        for (uint32_t i = w->start[key]; i < w->start[key + 1]; i++) {
            size_t place;

            TRY(map_add(&w->values, hash_of(key, value_of(h, w->left[i])), i, &place, err));
            if (w->values.values.at[place] != i) {
                w->same[i] = (uint32_t)w->values.values.at[place] + 1;
                w->values.values.at[place] = i;
            }
        }
    return STATUS_OK;
}

static int compare_ts(const void *context, size_t a, size_t b)
{
    const struct observer *w = context;

    return history_compare_places(history_ts(w->h, w->op_txn[w->left[a]]),
                                  history_ts(w->h, w->op_txn[w->left[b]]));
}

static enum status order_by_ts(struct observer *w, struct error *err)
{
    const struct history *h = w->h;
    size_t *places, *spare;

    TAKE(w, w->by_ts, w->start[h->key_count], err);
    TAKE(w, w->has_ts, h->key_count, err);
    TAKE(w, places, w->start[h->key_count], err);
    TAKE(w, spare, w->start[h->key_count], err);
    for (uint32_t key = 0; key < h->key_count && h->txn_ts; key++) {
        uint32_t from = w->start[key], count = w->start[key + 1] - from;

        w->has_ts[key] = true;
        for (uint32_t i = 0; i < count; i++) {
            places[i] = from + i;
            w->has_ts[key] &= history_ts(h, w->op_txn[w->left[from + i]]).parts > 0;
        }
        if (w->has_ts[key])
            sort_stable(places, spare, count, compare_ts, w);
        for (uint32_t i = 0; i < count; i++)
            w->by_ts[from + i] = w->left[places[i]];
    }
    return STATUS_OK;
}

/* --- Which version was seen ---------------------------------------------------------------------- */

static struct seen last_below(const struct observer *w, uint32_t key, struct place bound,
                              bool is_included)
{
    uint32_t place;

    BISECT(place, w->start[key], w->start[key + 1],
           history_compare_places(history_ts(w->h, w->op_txn[w->by_ts[place]]), bound) <
               is_included);
    return (struct seen){ true, place > w->start[key] ? w->by_ts[place - 1] : VERSION_INITIAL };
}

/* By the version set of a head or an item operation, by its snapshot, or by the ts of its transaction. */
static struct seen seen_by_certificate(const struct observer *w, uint32_t op, uint32_t key)
{
    const struct history *h = w->h;
    struct place snapshot = history_op_snapshot(h, w->op_txn[op], op),
                 ts = history_ts(h, w->op_txn[op]);
    bool has_place = snapshot.parts > 0 || ts.parts > 0;
    size_t set;

    BISECT(set, 0, h->set_count, h->set_op[set] < op);
    if (set < h->set_count && h->set_op[set] == op) {
        for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++)
            if (h->set_key[i] == key)
                return (struct seen){ true, h->set_version[i] };
        if (!has_place)
            return (struct seen){ true, VERSION_INITIAL };
    }
    if (!has_place || !w->has_ts[key])
        return (struct seen){ false, VERSION_INITIAL };
    return snapshot.parts > 0 ? last_below(w, key, snapshot, true) : last_below(w, key, ts, false);
}

static bool has_value(const struct observer *w, uint32_t version, uint32_t key, struct value value)
{
    return history_values_equal(
        w->h, version == VERSION_INITIAL ? history_initial(w->h, key) : value_of(w->h, version),
        value);
}

/* Of those that have the value, the last one before the reader; else the initial one; else the first behind it. */
static struct seen seen_by_value(struct observer *w, uint32_t txn, uint32_t key, struct value value)
{
    struct seen before = { false, VERSION_INITIAL }, behind = before;
    uint32_t count = has_value(w, VERSION_INITIAL, key, value);
    bool is_initial = count > 0;
    uint64_t last = 0;

    for (uint32_t i = map_find(&w->values, hash_of(key, value), &last) ? (uint32_t)last + 1 : 0;
         i > 0; i = w->same[i - 1]) {
        uint32_t op = w->left[i - 1];

        if (w->h->op_key[op] != key || w->op_txn[op] == txn || !has_value(w, op, key, value))
            continue;
        count++;
        if (w->op_txn[op] > txn)
            behind = (struct seen){ true, op };
        else if (!before.is_known)
            before = (struct seen){ true, op };
    }
    w->o->ambiguous += count > 1;
    return before.is_known ? before : is_initial ? (struct seen){ true, VERSION_INITIAL } : behind;
}

/* --- Events ---------------------------------------------------------------------------------------- */

static enum status add_read(struct observer *w, uint32_t txn, uint32_t key, uint32_t version,
                            struct error *err)
{
    uint32_t from = version == VERSION_INITIAL ? FROM_INITIAL : w->op_txn[version];

    if (w->start[key] == w->start[key + 1] || from == txn)
        return STATUS_OK;
    if (from != FROM_INITIAL && !w->is_last[version])
        return REFUSE(w, err,
                      "transaction %" PRId64 " read a version of %.*s that %" PRId64
                      " did not leave behind",
                      w->h->txn_id[txn], TEXT_PRINT(history_key(w->h, key)), w->h->txn_id[from]);
    if (from != FROM_INITIAL)
        w->o->takes_part[from] = true;
    return array_push(&w->o->events, ((struct observed_event){ key, from }), err);
}

/* An item read, or a row that a select returned. */
static enum status add_answer(struct observer *w, uint32_t txn, uint32_t head, uint32_t op,
                              struct error *err)
{
    uint32_t key = w->h->op_key[op];
    struct value value = history_value(w->h, op);
    struct seen seen;

    if (value.kind == VALUE_NONE || w->written[key] == txn + 1)
        return STATUS_OK;
    seen = seen_by_certificate(w, head, key);
    if (!seen.is_known || !has_value(w, seen.op, key, value))
        seen = seen_by_value(w, txn, key, value);
    if (!seen.is_known)
        return REFUSE(w, err, "transaction %" PRId64 " read a value of %.*s that nobody left there",
                      w->h->txn_id[txn], TEXT_PRINT(history_key(w->h, key)));
    return add_read(w, txn, key, seen.op, err);
}

static void note_unjudged(struct observer *w, uint32_t head)
{
    w->o->unjudged += w->unjudged_last != head + 1;
    w->unjudged_last = head + 1;
}

/* A row that an update or delete found, or that an insert found absent. */
static enum status add_row_found(struct observer *w, uint32_t txn, uint32_t head, uint32_t key,
                                 struct error *err)
{
    struct seen seen;

    if (w->written[key] == txn + 1)
        return STATUS_OK;
    seen = seen_by_certificate(w, head, key);
    if (seen.is_known)
        return add_read(w, txn, key, seen.op, err);
    if (w->h->op_kind[head] != OP_INSERT)
        note_unjudged(w, head);
    return STATUS_OK;
}

static enum status add_write(struct observer *w, uint32_t txn, uint32_t op, struct error *err)
{
    if (!history_makes_version(w->h, op))
        return STATUS_OK;
    w->written[w->h->op_key[op]] = txn + 1;
    if (!w->is_last[op])
        return STATUS_OK;
    return array_push(&w->o->events, ((struct observed_event){ w->h->op_key[op], FROM_NOBODY }),
                      err);
}

/* --- Statements -------------------------------------------------------------------------------------- */

static bool may_match(const struct observer *w, const struct statement_query *q, uint32_t key)
{
    if (query_match(q, history_initial(w->h, key)) != MATCH_NO)
        return true;
    for (uint32_t i = w->start[key]; i < w->start[key + 1]; i++)
        if (query_match(q, value_of(w->h, w->left[i])) != MATCH_NO)
            return true;
    return false;
}

static enum status list_matching(struct observer *w, uint32_t statement, struct error *err)
{
    struct match_list list = { .start = (uint32_t)w->matching.count };
    struct statement_query q;
    enum status status = query_open(&q, w->h, statement, err);

    for (uint32_t key = 0; key < w->h->key_count && status == STATUS_OK; key++)
        if (w->table[key] == w->h->statement_table[statement] && may_match(w, &q, key))
            status = array_push(&w->matching, key, err);
    query_close(&q);
    list.count = (uint32_t)w->matching.count - list.start;
    return status == STATUS_OK ? array_push(&w->lists, list, err) : status;
}

/* Rows that the statement passed over: some version of them may match its condition. */
static enum status add_rows_passed(struct observer *w, uint32_t txn, uint32_t head,
                                   struct error *err)
{
    const struct history *h = w->h;
    uint32_t statement = h->op_key[head];
    uint64_t condition =
        (uint64_t)h->statement_table[statement] << 32 | h->statement_where[statement];
    size_t number = w->lists.count, place;
    struct match_list list;

    TRY(map_add(&w->conditions, condition, number, &place, err));
    if (w->conditions.values.at[place] == number)
        TRY(list_matching(w, statement, err));
    list = w->lists.at[w->conditions.values.at[place]];
    for (uint32_t i = list.start; i < list.start + list.count; i++) {
        uint32_t key = w->matching.at[i];
        struct seen seen;

        if (w->named[key] == head + 1 || w->written[key] == txn + 1)
            continue;
        seen = seen_by_certificate(w, head, key);
        if (seen.is_known)
            TRY(add_read(w, txn, key, seen.op, err));
        else
            note_unjudged(w, head);
    }
    return STATUS_OK;
}

/* It reads all its rows before it writes any. */
static enum status add_statement(struct observer *w, uint32_t txn, uint32_t head, struct error *err)
{
    const struct history *h = w->h;
    uint32_t end = head + 1 + h->statement_row_count[h->op_key[head]];
    bool is_read = h->txn_status[txn] == TXN_OK && !(h->op_flags[head] & OP_ERROR);

    for (uint32_t op = head + 1; op < end && is_read; op++) {
        w->named[h->op_key[op]] = head + 1;
        if (h->op_kind[op] == OP_ROW_READ)
            TRY(add_answer(w, txn, head, op, err));
        else
            TRY(add_row_found(w, txn, head, h->op_key[op], err));
    }
    if (is_read && h->op_kind[head] != OP_INSERT)
        TRY(add_rows_passed(w, txn, head, err));
    for (uint32_t op = head + 1; op < end; op++)
        TRY(add_write(w, txn, op, err));
    return STATUS_OK;
}

static enum status find_tables(struct observer *w, struct error *err)
{
    const struct history *h = w->h;
    struct intern names = { 0 };
    enum status status = STATUS_OK;
    uint32_t number;

    TAKE(w, w->table, h->key_count, err);
    for (uint32_t t = 0; t < h->table_count && status == STATUS_OK; t++)
        status = intern_add(&names, history_text(h, h->table_name[t]), &number, err);
    for (uint32_t key = 0; key < h->key_count && status == STATUS_OK; key++) {
        struct text name = history_key(h, key);
        const char *slash = name.length > 0 ? memchr(name.at, '/', name.length) : NULL;
        bool is_written = w->start[key] < w->start[key + 1];

        w->table[key] = HISTORY_NONE;
        if (slash && is_written)
            w->table[key] =
                intern_find(&names, (struct text){ name.at, (size_t)(slash - name.at) });
    }
    intern_close(&names);
    return status;
}

/* --- The whole ----------------------------------------------------------------------------------------- */

static enum status add_txn(struct observer *w, uint32_t txn, struct error *err)
{
    const struct history *h = w->h;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint8_t kind = h->op_kind[op];

        if (op_is_head(kind)) {
            TRY(add_statement(w, txn, op, err));
            op += h->statement_row_count[h->op_key[op]];
        } else if (op_is_write(kind)) {
            TRY(add_write(w, txn, op, err));
        } else if (h->txn_status[txn] == TXN_OK && !(h->op_flags[op] & OP_ERROR)) {
            TRY(add_answer(w, txn, op, op, err));
        }
    }
    return STATUS_OK;
}

static enum status observe(struct observer *w, struct error *err)
{
    const struct history *h = w->h;

    static_assert(INTERN_NONE == HISTORY_NONE, "a key of no table has none");
    TAKE(w, w->o->takes_part, h->txn_count, err);
    TAKE(w, w->o->start, h->txn_count, err);
    TAKE(w, w->written, h->key_count, err);
    TAKE(w, w->named, h->key_count, err);
    TRY(mark_last_writes(w, err));
    TRY(list_last_writes(w, err));
    TRY(order_by_ts(w, err));
    TRY(find_tables(w, err));
    for (uint32_t txn = 0; txn < h->txn_count; txn++) {
        if (w->o->events.count >= FROM_INITIAL)
            return error_set(err, STATUS_OVER_LIMIT, "too many events to verify a prediction");
        w->o->start[txn] = (uint32_t)w->o->events.count;
        w->o->takes_part[txn] |= h->txn_status[txn] == TXN_OK;
        if (h->txn_status[txn] != TXN_ABORT)
            TRY(add_txn(w, txn, err));
    }
    w->o->start[h->txn_count] = (uint32_t)w->o->events.count;
    return STATUS_OK;
}

enum status observed_read(struct observed *o, const struct history *h, struct arena *arena,
                          struct error *err)
{
    struct observer w = { .h = h, .o = o, .arena = arena };
    enum status status;

    *o = (struct observed){ .h = h };
    status = observe(&w, err);
    map_close(&w.values);
    map_close(&w.conditions);
    array_close(&w.lists);
    array_close(&w.matching);
    return status;
}

void observed_close(struct observed *o)
{
    array_close(&o->events);
}

bool observed_writes(const struct observed *o, uint32_t txn, uint32_t key)
{
    for (uint32_t e = o->start[txn]; e < o->start[txn + 1]; e++)
        if (o->events.at[e].key == key && o->events.at[e].from == FROM_NOBODY)
            return true;
    return false;
}
