#include "checkers/search/explain_lists_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/map.h"
#include "checkers/checker_private.h"
#include "checkers/proof/tell.h"

struct list_read {
    const struct history *h;
    uint32_t txn, op, key;
    const int64_t *at;
    uint32_t *appends; /* beside the elements: which append it was, or INITIAL */
    uint32_t count;
    bool is_snapshot;
    struct buffer *out;
};

#define INITIAL HISTORY_NONE /* whoever made what was there in the beginning */

static bool appends(const struct history *h, uint32_t op, uint32_t key)
{
    return h->op_kind[op] == OP_APPEND && !(h->op_flags[op] & OP_ERROR) && h->op_key[op] == key;
}

static bool has(const struct list_read *r, int64_t element)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->at[i] == element)
            return true;
    return false;
}

static bool was_aborted(const struct history *h, uint32_t op)
{
    return h->txn_status[history_txn_of(h, op)] == TXN_ABORT;
}

/* Of each element of the list, by one look at all operations: who aborted counts only if nobody else did. */
static enum status find_appends(struct list_read *r, struct error *err)
{
    struct map place_of = { 0 };
    enum status status =
        check_memory((void **)&r->appends, r->count, sizeof *r->appends, 0xff, err);
    size_t unused;
    uint64_t place;

    for (uint32_t i = 0; i < r->count && status == STATUS_OK; i++)
        status = map_add(&place_of, (uint64_t)r->at[i], i, &unused, err);
    for (uint32_t op = 0; op < r->h->op_count && status == STATUS_OK; op++)
        if (appends(r->h, op, r->key) &&
            map_find(&place_of, (uint64_t)r->h->op_value[op], &place) &&
            (r->appends[place] == INITIAL ||
             (was_aborted(r->h, r->appends[place]) && !was_aborted(r->h, op))))
            r->appends[place] = op;
    map_close(&place_of);
    return status;
}

static uint32_t txn_of(const struct list_read *r, uint32_t op)
{
    return op == INITIAL ? INITIAL : history_txn_of(r->h, op);
}

/* Whether the list lacks an element of what is in it otherwise. */
static bool is_partly_absent(const struct list_read *r, uint32_t txn)
{
    struct value value = history_initial(r->h, r->key);

    if (txn == INITIAL) {
        for (uint64_t i = 0; value.kind == VALUE_LIST &&
                             i < r->h->list_start[value.bits + 1] - r->h->list_start[value.bits];
             i++)
            if (!has(r, r->h->list_element[r->h->list_start[value.bits] + i]))
                return true;
        return false;
    }
    for (uint32_t op = r->h->txn_op[txn]; op < r->h->txn_op[txn + 1]; op++)
        if (appends(r->h, op, r->key) && !has(r, r->h->op_value[op]))
            return true;
    return false;
}

/* An element that nobody appended, nor was there in the beginning: no order is to blame. */
static bool has_strange(const struct list_read *r)
{
    struct value value = history_initial(r->h, r->key);

    for (uint32_t i = 0; i < r->count; i++) {
        bool is_known = r->appends[i] != INITIAL;

        for (uint64_t k = 0; !is_known && value.kind == VALUE_LIST &&
                             k < r->h->list_start[value.bits + 1] - r->h->list_start[value.bits];
             k++)
            is_known = r->h->list_element[r->h->list_start[value.bits] + k] == r->at[i];
        if (!is_known)
            return true;
    }
    return false;
}

static bool has_others(const struct list_read *r)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (txn_of(r, r->appends[i]) != r->txn)
            return true;
    return false;
}

/* --- Steps ------------------------------------------------------------------------ */

static void print_version(const struct list_read *r, const char *name, uint32_t txn)
{
    buffer_print(r->out, ",\"%s\":", name);
    if (txn == INITIAL)
        buffer_text(r->out, TEXT("null"));
    else
        buffer_int64(r->out, r->h->txn_id[txn]);
}

static void begin_step(const struct list_read *r, const char *step)
{
    buffer_print(r->out, "{\"step\":\"%s\",\"read\":[%" PRId64 ",%" PRIu32 "],\"key\":", step,
                 r->h->txn_id[r->txn], tell_op_number(r->h, r->txn, r->op));
    buffer_json(r->out, history_key(r->h, r->key));
}

/* The end of the list: all its steps, and a cycle of two transactions, if there is one. */
static void conclude(const struct list_read *r, const char *by, uint32_t first, uint32_t second,
                     bool readers_begin)
{
    buffer_print(r->out, "{\"clause\":[],\"by\":[%s]", by);
    if (first != second) {
        const char *marks[2] = { r->is_snapshot ? "\"c" : "", r->is_snapshot ? "\"" : "" };
        const char *b = r->is_snapshot ? "\"b" : "";
        int64_t x = r->h->txn_id[first], y = r->h->txn_id[second];

        if (readers_begin || !r->is_snapshot)
            buffer_print(r->out, ",\"cycle\":[%s%" PRId64 "%s,%s%" PRId64 "%s]", marks[0], x,
                         marks[1], b, y, marks[1]);
        else
            buffer_print(r->out,
                         ",\"cycle\":[\"b%" PRId64 "\",\"c%" PRId64 "\",\"b%" PRId64
                         "\",\"c%" PRId64 "\"]",
                         x, x, y, y);
    }
    buffer_text(r->out, TEXT("}]"));
}

/* It came before the reader, as one element shows; and did not, as another does. */
static void prove_absent(const struct list_read *r, uint32_t txn)
{
    buffer_text(r->out, TEXT("\"refutation\":["));
    begin_step(r, "absent");
    print_version(r, "other", txn);
    buffer_text(r->out, TEXT("},"));
    if (txn == INITIAL) {
        conclude(r, "0", INITIAL, INITIAL, false);
        return;
    }
    begin_step(r, "follows");
    print_version(r, "from", txn);
    buffer_text(r->out, TEXT("},"));
    conclude(r, "0,1", txn, r->txn, true);
}

static void print_prefix(const struct list_read *r, uint32_t first, uint32_t second)
{
    begin_step(r, "prefix");
    print_version(r, "first", first);
    print_version(r, "second", second);
    buffer_text(r->out, TEXT("},"));
}

/* Each stands before an element of the other; or one before what it had appended earlier. */
static void prove_prefix(const struct list_read *r, uint32_t first, uint32_t second)
{
    buffer_text(r->out, TEXT("\"refutation\":["));
    if (first == second || second == INITIAL) {
        print_prefix(r, first, second);
        conclude(r, "0", INITIAL, INITIAL, false);
        return;
    }
    print_prefix(r, first, second);
    print_prefix(r, second, first);
    if (r->is_snapshot)
        buffer_print(r->out,
                     "{\"step\":\"program\",\"txn\":%" PRId64
                     "},{\"step\":\"program\",\"txn\":%" PRId64 "},",
                     r->h->txn_id[first], r->h->txn_id[second]);
    conclude(r, r->is_snapshot ? "0,1,2,3" : "0,1", first, second, false);
}

/* --- What is wrong ---------------------------------------------------------------- */

/* Where an element stood in the beginning. */
static uint64_t initial_place(const struct list_read *r, int64_t element)
{
    uint64_t from = r->h->list_start[history_initial(r->h, r->key).bits], i = from;

    while (r->h->list_element[i] != element)
        i++;
    return i - from;
}

/* An element that a transaction appended earlier than one in front of it, or not next to it. */
static bool find_disorder(const struct list_read *r, uint32_t culprits[2])
{
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t k = i + 1; k < r->count; k++) {
            uint32_t earlier = r->appends[i], later = r->appends[k];
            uint32_t first = txn_of(r, earlier), second = txn_of(r, later), between;

            culprits[0] = first;
            if (second == INITIAL && first != INITIAL) {
                prove_prefix(r, first, INITIAL);
                return true;
            }
            if (first == INITIAL && second == INITIAL &&
                initial_place(r, r->at[i]) > initial_place(r, r->at[k])) {
                prove_prefix(r, INITIAL, INITIAL);
                return true;
            }
            if (first != second || first == INITIAL)
                continue;
            if (later == earlier)
                return false; /* it is there twice: no version has that */
            if (later < earlier) {
                prove_prefix(r, first, first);
                return true;
            }
            between = txn_of(r, r->appends[i + 1]);
            if (between != first) {
                culprits[1] = between;
                prove_prefix(r, first, between);
                return true;
            }
        }
    return false;
}

bool explain_repeats(const struct history *h, uint32_t op)
{
    struct value value = history_value(h, op);

    if (value.kind != VALUE_LIST)
        return false;
    for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
        for (uint64_t k = i + 1; k < h->list_start[value.bits + 1]; k++)
            if (h->list_element[i] == h->list_element[k])
                return true;
    return false;
}

uint32_t explain_own_later(const struct history *h, uint32_t txn, uint32_t op)
{
    struct value value = history_value(h, op);

    for (uint32_t i = op; value.kind == VALUE_LIST && i < h->txn_op[txn + 1]; i++)
        for (uint64_t at = h->list_start[value.bits]; at < h->list_start[value.bits + 1]; at++)
            if (appends(h, i, h->op_key[op]) && h->op_value[i] == h->list_element[at])
                return i;
    return NOBODY;
}

static bool explain_elements(const struct list_read *r, uint32_t culprits[2])
{
    /* Of a list of nobody else's elements there is nothing to say but that no version has it. */
    if (has_strange(r) || !has_others(r))
        return false;
    if (is_partly_absent(r, INITIAL)) {
        prove_absent(r, INITIAL);
        return true;
    }
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t writer = txn_of(r, r->appends[i]);

        if (writer != INITIAL && writer != r->txn && is_partly_absent(r, writer)) {
            culprits[0] = writer;
            prove_absent(r, writer);
            return true;
        }
    }
    return find_disorder(r, culprits);
}

enum status explain_list(struct buffer *out, const struct history *h, uint32_t txn, uint32_t op,
                         bool is_snapshot, uint32_t culprits[2], bool *is_explained,
                         struct error *err)
{
    struct value value = history_value(h, op);
    struct list_read r = {
        .h = h, .txn = txn, .op = op, .key = h->op_key[op], .is_snapshot = is_snapshot, .out = out
    };
    enum status status;

    if (value.kind == VALUE_LIST) {
        r.at = h->list_element + h->list_start[value.bits];
        r.count = (uint32_t)(h->list_start[value.bits + 1] - h->list_start[value.bits]);
    }
    culprits[0] = culprits[1] = INITIAL;
    *is_explained = false;
    status = find_appends(&r, err);
    if (status == STATUS_OK)
        *is_explained = explain_elements(&r, culprits);
    free(r.appends);
    return status;
}
