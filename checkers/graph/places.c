#include "checkers/graph/places.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "checkers/check_private.h"
#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"

/* --- Unknown outcomes ------------------------------------------------------------- */

/* What the version orders say of the unknown transactions. */
struct rumours {
    const struct history *history;
    ARRAY(uint32_t) unknown; /* transactions, rising */
    uint8_t *listed;         /* beside unknown */
    uint8_t *left_out;
    uint8_t *key_is_asked; /* by key: an unknown transaction wrote it */
};

static void close_rumours(struct rumours *r)
{
    array_close(&r->unknown);
    free(r->listed);
    free(r->left_out);
    free(r->key_is_asked);
}

/* The place among the unknown ones of the transaction that did this operation. */
static size_t find_unknown(const struct rumours *r, uint32_t op)
{
    const struct history *h = r->history;
    size_t place; /* the first of which all operations do not stand before it */

    BISECT(place, 0, r->unknown.count, h->txn_op[r->unknown.at[place] + 1] <= op);
    return place < r->unknown.count && h->txn_op[r->unknown.at[place]] <= op ? place
                                                                             : r->unknown.count;
}

static void hear_listed(struct rumours *r)
{
    const struct history *h = r->history;

    for (size_t line = 0; line < h->order_count; line++) {
        if (!r->key_is_asked[h->order_key[line]])
            continue;
        for (uint64_t i = h->order_start[line]; i < h->order_start[line + 1]; i++) {
            size_t found = find_unknown(r, h->order_version[i]);

            if (found < r->unknown.count)
                r->listed[found] = 1;
        }
    }
}

static enum status hear(struct rumours *r, struct error *err)
{
    const struct history *h = r->history;

    TRY(check_memory((void **)&r->listed, r->unknown.count, 1, 0, err));
    TRY(check_memory((void **)&r->left_out, r->unknown.count, 1, 0, err));
    TRY(check_memory((void **)&r->key_is_asked, h->key_count, 1, 0, err));
    for (size_t i = 0; i < r->unknown.count; i++) {
        uint32_t t = r->unknown.at[i];

        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++) {
            if (!history_makes_version(h, op))
                continue;
            r->key_is_asked[h->op_key[op]] = 1;
            if (h->key_order[h->op_key[op]] != HISTORY_NONE)
                r->left_out[i] = 1; /* unless it is listed: that is looked at first */
        }
    }
    hear_listed(r);
    return STATUS_OK;
}

static enum standing judge(const struct rumours *r, size_t i, bool takes_open_in)
{
    const struct history *h = r->history;

    if (r->listed[i])
        return STANDING_IN;
    if (r->left_out[i])
        return STANDING_OUT;
    return takes_open_in && history_ts(h, r->unknown.at[i]).parts > 0 ? STANDING_IN : STANDING_OPEN;
}

static enum status settle_unknown(struct places *p, bool takes_open_in, struct error *err)
{
    const struct history *h = p->history;
    struct rumours r = { .history = h };
    enum status status = STATUS_OK;

    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++)
        if (h->txn_status[t] == TXN_UNKNOWN)
            status = array_push(&r.unknown, t, err);
    if (status == STATUS_OK && r.unknown.count > 0)
        status = hear(&r, err);
    for (size_t i = 0; i < r.unknown.count && status == STATUS_OK; i++)
        p->standing[r.unknown.at[i]] = (uint8_t)judge(&r, i, takes_open_in);
    close_rumours(&r);
    return status;
}

static enum status settle(struct places *p, bool takes_open_in, struct error *err)
{
    const struct history *h = p->history;

    TRY(check_memory((void **)&p->standing, h->txn_count, 1, STANDING_IN, err));
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_ABORT)
            p->standing[t] = STANDING_OUT;
    TRY(settle_unknown(p, takes_open_in, err));
    for (size_t t = 0; t < h->txn_count; t++) {
        p->in_count += p->standing[t] == STANDING_IN;
        p->open_count += p->standing[t] == STANDING_OPEN;
    }
    return STATUS_OK;
}

/* --- Sorting ---------------------------------------------------------------------- */

/* Each transaction by its ts, counted from the least. */
static void seat_all(const struct places *p, struct sort_item *seats)
{
    const int64_t *ts = p->history->txn_ts;
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < p->sequence_count; i++)
        least = ts[p->sequence[i]] < least ? ts[p->sequence[i]] : least;
    for (uint32_t i = 0; i < p->sequence_count; i++) {
        uint32_t txn = p->sequence[i];

        seats[i] = (struct sort_item){ (uint64_t)ts[txn] - (uint64_t)least, txn, false };
    }
}

static enum status sort_by_ts(struct places *p, struct error *err)
{
    size_t count = p->sequence_count;
    struct sort_item *seats = NULL;
    const struct sort_item *sorted;

    TRY(memory_resize((void **)&seats, 2 * count, sizeof *seats, err));
    seat_all(p, seats);
    sorted = sort_by_distance(seats, count);
    for (size_t i = 0; i < count; i++)
        p->sequence[i] = sorted[i].number;
    free(seats);
    return STATUS_OK;
}

static void merge(const struct history *h, const uint32_t *from, size_t middle, size_t count,
                  uint32_t *to)
{
    size_t a = 0, b = middle;

    for (size_t i = 0; i < count; i++)
        to[i] = b == count || (a < middle &&
                               history_compare_places(history_ts(h, from[a]), history_ts(h, from[b])) <= 0)
                    ? from[a++]
                    : from[b++];
}

/* Places of several parts. */
static enum status merge_sort(struct places *p, struct error *err)
{
    size_t count = p->sequence_count;
    uint32_t *from = p->sequence, *to = NULL;

    TRY(memory_resize((void **)&to, count, sizeof *to, err));
    for (size_t width = 1; width < count; width *= 2) {
        uint32_t *swap = from;

        for (size_t at = 0; at < count; at += 2 * width) {
            size_t left = count - at, both = left < 2 * width ? left : 2 * width;

            merge(p->history, from + at, left < width ? left : width, both, to + at);
        }
        from = to;
        to = swap;
    }
    p->sequence = from;
    free(to);
    return STATUS_OK;
}

/* Whether all that have a place have one part of it. */
static bool places_are_numbers(const struct history *h)
{
    return !h->txn_ts_parts || !h->txn_ts_second;
}

static bool are_equal(const struct history *h, uint32_t a, uint32_t b)
{
    return places_are_numbers(h) ? h->txn_ts[a] == h->txn_ts[b]
                                 : history_compare_places(history_ts(h, a), history_ts(h, b)) == 0;
}

static enum status refuse_equal(const struct places *p, uint32_t a, uint32_t b, struct error *err)
{
    const struct history *h = p->history;
    struct place place = history_ts(h, a);
    uint32_t first = a < b ? a : b, second = a < b ? b : a;

    return error_set(err, STATUS_BAD_INPUT,
                     "transactions %" PRId64 " and %" PRId64 " have the same \"ts\", %s%" PRId64
                     "%s: places must differ",
                     h->txn_id[first], h->txn_id[second], place.parts > 1 ? "[" : "", place.part[0],
                     place.parts > 1 ? ",...]" : "");
}

static enum status sort(struct places *p, struct error *err)
{
    const struct history *h = p->history;

    TRY(memory_resize((void **)&p->sequence, p->in_count, sizeof *p->sequence, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        if (!places_is_in(p, t))
            continue;
        if (h->txn_ts && (!h->txn_ts_parts || h->txn_ts_parts[t] > 0))
            p->sequence[p->sequence_count++] = t;
        else if (p->without_ts == HISTORY_NONE)
            p->without_ts = t;
    }
    if (p->sequence_count > 1)
        TRY(places_are_numbers(h) ? sort_by_ts(p, err) : merge_sort(p, err));
    for (uint32_t i = 1; i < p->sequence_count; i++)
        if (are_equal(h, p->sequence[i - 1], p->sequence[i]))
            return refuse_equal(p, p->sequence[i - 1], p->sequence[i], err);
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

enum status places_init_standing(struct places *p, const struct history *h, struct error *err)
{
    *p = (struct places){ .history = h, .without_ts = HISTORY_NONE };
    TRY(settle(p, false, err));
    return check_memory((void **)&p->position, h->txn_count, sizeof *p->position, 0xff, err);
}

enum status places_init(struct places *p, const struct history *h, bool takes_open_in,
                        struct error *err)
{
    *p = (struct places){ .history = h, .without_ts = HISTORY_NONE };
    TRY(settle(p, takes_open_in, err));
    TRY(sort(p, err));
    TRY(check_memory((void **)&p->position, h->txn_count, sizeof *p->position, 0xff, err));
    for (uint32_t i = 0; i < p->sequence_count; i++)
        p->position[p->sequence[i]] = i;
    return STATUS_OK;
}

void places_close(struct places *p)
{
    free(p->standing);
    free(p->sequence);
    free(p->position);
    *p = (struct places){ 0 };
}

static bool is_up_to(const struct places *p, uint32_t at, struct place place)
{
    const struct history *h = p->history;
    uint32_t txn = p->sequence[at];

    if (place.parts == 1 && places_are_numbers(h))
        return h->txn_ts[txn] <= place.part[0];
    return history_compare_places(history_ts(h, txn), place) <= 0;
}

uint32_t places_up_to(const struct places *p, struct place place, uint32_t hint)
{
    uint32_t low = 0, high = p->sequence_count; /* those below low are at or below the place */

    /* What a transaction sees ends near where it stands. */
    for (uint32_t step = 1; hint < high && step <= hint - low && low < hint; step *= 2) {
        if (is_up_to(p, hint - step, place)) {
            low = hint - step + 1;
            break;
        }
        high = hint - step;
    }
    BISECT(low, low, high, is_up_to(p, low, place));
    assert(low <= p->sequence_count);
    return low;
}

/* --- Contradictions --------------------------------------------------------------- */

static enum status tell_contradiction(const struct history *h, uint32_t key, uint32_t first,
                                      uint32_t second, struct check *check, struct error *err)
{
    uint32_t txns[2] = { history_txn_of(h, first), history_txn_of(h, second) };
    struct discovery d = { .kind = ANOMALY_CYCLIC_VERSIONS,
                           .proven = ANOMALY_CYCLIC_VERSIONS,
                           .txns = txns,
                           .txn_count = 2 };

    if (check_is_full(check))
        return STATUS_OK;
    tell_print(&d.why, h,
               "the version order of %K has %T before %T, whose ts is smaller: the store "
               "contradicts itself",
               key, txns[0], txns[1]);
    proof_writes(&d.proof, h, key, first, second);
    return check_add(check, &d, err);
}

/* `position` is by operation that writes: that of its transaction, or HISTORY_NONE. */
static enum status find_in_order(const struct history *h, size_t order, const uint32_t *position,
                                 struct check *check, struct error *err)
{
    uint32_t last = HISTORY_NONE;

    for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
        uint32_t version = h->order_version[i];

        if (position[version] == HISTORY_NONE)
            continue;
        if (last != HISTORY_NONE && position[version] < position[last])
            return tell_contradiction(h, h->order_key[order], last, version, check, err);
        last = version;
    }
    return STATUS_OK;
}

enum status places_find_contradictions(const struct places *places, struct check *check,
                                       struct error *err)
{
    const struct history *h = places->history;
    enum status status = STATUS_OK;
    uint32_t *position = NULL;

    if (h->order_version_count == 0 || places->sequence_count == 0)
        return STATUS_OK;
    TRY(memory_resize((void **)&position, h->op_count, sizeof *position, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        for (uint32_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            position[op] = places->position[t];
    for (size_t i = 0; i < h->order_count && status == STATUS_OK; i++)
        status = find_in_order(h, i, position, check, err);
    free(position);
    return status;
}
