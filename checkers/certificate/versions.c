/*
 * Lays out the versions of each key from the version orders of the certificate.
 */
#include "checkers/certificate/versions_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/sort.h"
#include "checkers/certificate/certificate_private.h"


#define AHEAD 16 /* versions: the next ones of a key are anywhere in the history */

/* --- Which writes are versions ---------------------------------------------------- */

/*
 * What a transaction that is in left behind of a key is its last write of it: for
 * the time being its number is the transaction's rank. How many there are.
 */
static uint32_t mark_left_behind(struct certificate *c)
{
    const struct history *h = c->history;
    uint32_t *number = c->versions.number, count = 0;

    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t first = h->txn_op[t], end = h->txn_op[t + 1], before = count;
        bool is_in = places_is_in(&c->places, t);

        /* Reads and writes alternate as they like: so there is no jump between them. */
        for (uint32_t op = first; op < end; op++) {
            bool writes = is_in & history_makes_version(h, op);
            struct walked *key = &c->walked[writes ? h->op_key[op] : h->key_count];
            bool again = writes & (key->own >= first) & (key->own < op);

            if (again)
                number[key->own] = HISTORY_NONE;
            number[op] = writes ? c->rank[t] : HISTORY_NONE;
            key->own = writes ? op : key->own;
            count += writes & !again;
        }
        if (count > before && c->places.position[t] == HISTORY_NONE &&
            c->versions.unplaced == HISTORY_NONE)
            c->versions.unplaced = t;
    }
    return count;
}

static enum status refuse_listed(const struct certificate *c, uint32_t op, struct error *err)
{
    const struct history *h = c->history;

    return error_set(err, STATUS_BAD_INPUT,
                     "the version order of %.*s lists transaction %" PRId64
                     ", which did not commit",
                     TEXT_PRINT(history_key(h, h->op_key[op])), h->txn_id[history_txn_of(h, op)]);
}

static enum status refuse_unlisted(const struct certificate *c, uint32_t op, struct error *err)
{
    const struct history *h = c->history;
    struct text key = history_key(h, h->op_key[op]);
    int64_t id = h->txn_id[history_txn_of(h, op)];

    if (h->key_order[h->op_key[op]] == HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "the certificate is not full: %.*s, which transaction %" PRId64
                         " wrote, has no version order",
                         TEXT_PRINT(key), id);
    return error_set(err, STATUS_BAD_INPUT,
                     "the certificate is not full: the version order of %.*s lacks transaction "
                     "%" PRId64 ", which wrote it",
                     TEXT_PRINT(key), id);
}

/* --- Numbers ---------------------------------------------------------------------- */

/* An order may list what a transaction overwrote itself: that says nothing more. */
static enum status take_line(struct certificate *c, uint32_t key, uint32_t line, struct error *err)
{
    const struct history *h = c->history;
    struct certified_versions *v = &c->versions;
    uint32_t placed = c->places.sequence_count, after = 0; /* the rank before, plus one */

    for (uint64_t i = h->order_start[line]; i < h->order_start[line + 1]; i++) {
        uint32_t op = h->order_version[i], rank = v->number[op];

        if (i + AHEAD < h->order_version_count)
            __builtin_prefetch(&v->number[h->order_version[i + AHEAD]], 1);
        if (rank != HISTORY_NONE) {
            v->is_sorted[key] &= rank >= after && rank < placed;
            after = rank + 1;
            v->op[v->count] = op;
            v->rank[v->count] = rank;
            v->number[op] = v->count++;
        } else if (!places_is_in(&c->places, history_txn_of(h, op))) {
            return refuse_listed(c, op, err);
        }
    }
    return STATUS_OK;
}

/* Who wrote something that no order lists: there is somebody. */
static enum status find_unlisted(const struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    const struct certified_versions *v = &c->versions;
    uint8_t *is_listed = NULL;
    uint32_t op = 0;

    TRY(check_memory((void **)&is_listed, h->op_count, 1, 0, err));
    for (uint32_t n = 0; n < v->count; n++)
        is_listed[v->op[n]] = 1;
    while (v->number[op] == HISTORY_NONE || is_listed[op])
        op++;
    free(is_listed);
    return refuse_unlisted(c, op, err);
}

static enum status number_versions(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    struct certified_versions *v = &c->versions;
    uint32_t count;

    TRY(memory_resize((void **)&v->start, h->key_count + 1, sizeof *v->start, err));
    TRY(memory_resize((void **)&v->op, h->order_version_count, sizeof *v->op, err));
    TRY(memory_resize((void **)&v->rank_memory, h->order_version_count + 2, sizeof *v->rank, err));
    v->rank = v->rank_memory + 1;
    TRY(check_memory((void **)&v->is_sorted, h->key_count, sizeof *v->is_sorted, true, err));
    TRY(memory_resize((void **)&v->number, h->op_count, sizeof *v->number, err));
    count = mark_left_behind(c);
    for (uint32_t key = 0; key < h->key_count; key++) {
        v->start[key] = v->count;
        if (h->key_order[key] != HISTORY_NONE)
            TRY(take_line(c, key, h->key_order[key], err));
    }
    v->start[h->key_count] = v->count;
    v->rank[-1] = 0;
    v->rank[v->count] = HISTORY_NONE;
    return count == v->count ? STATUS_OK : find_unlisted(c, err);
}

/* --- Places ----------------------------------------------------------------------- */

static enum status sort_key(struct certificate *c, uint32_t key, struct error *err)
{
    struct certified_versions *v = &c->versions;
    uint32_t from = v->start[key], count = v->start[key + 1] - from;
    uint64_t *wide = NULL; /* place, then number */

    TRY(memory_resize((void **)&wide, count, sizeof *wide, err));
    for (uint32_t i = 0; i < count; i++)
        wide[i] = (uint64_t)v->rank[from + i] << 32 | (from + i);
    sort_wide(wide, count);
    for (uint32_t i = 0; i < count; i++)
        v->by_place[from + i] = (uint32_t)wide[i];
    free(wide);
    return STATUS_OK;
}

/* Orders that places contradict, or where they are missing, are rare. */
static enum status sort_keys(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    struct certified_versions *v = &c->versions;

    for (uint32_t key = 0; key < h->key_count; key++) {
        if (v->is_sorted[key])
            continue;
        if (!v->by_place)
            TRY(memory_resize((void **)&v->by_place, v->count, sizeof *v->by_place, err));
        TRY(sort_key(c, key, err));
    }
    return STATUS_OK;
}

/* --- Contents --------------------------------------------------------------------- */

static bool has_appends(const struct history *h)
{
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] == OP_APPEND)
            return true;
    return false;
}

/* What the writes of one transaction make of a key. */
static enum status write_all(struct certificate *c, uint32_t number, struct content *content,
                             struct error *err)
{
    const struct history *h = c->history;
    uint32_t last = c->versions.op[number], key = h->op_key[last];

    for (uint32_t op = h->txn_op[certificate_writer(c, number)]; op <= last; op++)
        if (history_makes_version(h, op) && h->op_key[op] == key)
            TRY(contents_write(&c->contents, *content, op, content, err));
    return STATUS_OK;
}

static enum status fill_contents(struct certificate *c, struct error *err)
{
    const struct history *h = c->history;
    struct certified_versions *v = &c->versions;

    if (!has_appends(h))
        return STATUS_OK;
    TRY(memory_resize((void **)&v->content, v->count, sizeof *v->content, err));
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct content content = content_of(history_initial(h, key));

        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++) {
            TRY(write_all(c, n, &content, err));
            v->content[n] = content;
        }
    }
    return STATUS_OK;
}

struct content certificate_content(const struct certificate *c, uint32_t key, uint32_t number)
{
    struct value value;

    if (number == VERSION_FIRST)
        return content_of(history_initial(c->history, key));
    if (c->versions.content)
        return c->versions.content[number];
    value = history_value(c->history, c->versions.op[number]);
    if (value.kind == VALUE_NONE)
        value.kind = VALUE_NULL; /* it was deleted */
    return content_of(value);
}

/* --- The whole -------------------------------------------------------------------- */

enum status certificate_init_versions(struct certificate *c, struct error *err)
{
    c->versions = (struct certified_versions){ .unplaced = HISTORY_NONE };
    TRY(number_versions(c, err));
    TRY(sort_keys(c, err));
    return fill_contents(c, err);
}

void certificate_close_versions(struct certified_versions *v)
{
    free(v->start);
    free(v->op);
    free(v->rank_memory);
    free(v->content);
    free(v->number);
    free(v->is_sorted);
    free(v->by_place);
    *v = (struct certified_versions){ 0 };
}
