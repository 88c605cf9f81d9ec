#include "verify/sources.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/map.h"

struct sources {
    uint32_t *before; /* by operation: its transaction's last version of the key before it */
    uint32_t *nth;    /* by version: which one of its transaction's, from 1 */

    struct intern sorts;    /* as bytes */
    uint32_t *sort_of;      /* by last version */
    uint32_t *initial_sort; /* by key */
    uint64_t *sort_start;   /* by sort */
    uint32_t *sort_version;

    bool *is_appended, *is_plain; /* by key */
    struct intern elements;       /* of each key, as bytes; those of initial lists come first */
    ARRAY(uint32_t) element_txn;
    ARRAY(uint32_t) element_read; /* the number of the reading that had it last, plus one */

    struct map reading_of; /* by operation */
    ARRAY(struct reading) readings;
    struct map row_of;  /* by head and key; and by head and HISTORY_NONE if its rows are there */
    struct map span_of; /* by reading and transaction */
    ARRAY(struct span) spans;
    struct buffer bytes;
};

#define GET(field, count) memory_get(v, (void **)&s->field, count, sizeof *s->field, err)

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
        uint64_t from = h->list_start[value.bits], count = h->list_start[value.bits + 1] - from;

        put_number(out, count);
        put(out, h->list_element + from, count * sizeof *h->list_element);
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

/* The sort of what has a value, or of appends that end with an element. */
static struct text sort_bytes(struct sources *s, const struct history *h, uint32_t key,
                              bool is_append, struct value value)
{
    buffer_clear(&s->bytes);
    put_number(&s->bytes, (uint64_t)key << 1 | is_append);
    put_value(&s->bytes, h, value_plain(h, value));
    return (struct text){ s->bytes.at, s->bytes.count };
}

static struct text element_bytes(struct sources *s, uint32_t key, int64_t element)
{
    buffer_clear(&s->bytes);
    put_number(&s->bytes, key);
    put_number(&s->bytes, (uint64_t)element);
    return (struct text){ s->bytes.at, s->bytes.count };
}

/* --- Elements ---------------------------------------------------------------- */

/* What somebody put into a list; twice the same, and the list is not plain. */
static enum status add_element(struct sources *s, uint32_t key, int64_t element, uint32_t txn,
                               struct error *err)
{
    struct text bytes = element_bytes(s, key, element);
    uint32_t number;

    TRY(buffer_status(&s->bytes, err));
    TRY(intern_add(&s->elements, bytes, &number, err));
    if (number < s->element_txn.count) {
        s->is_plain[key] = false;
        return STATUS_OK;
    }
    TRY(array_push(&s->element_read, 0, err));
    return array_push(&s->element_txn, txn, err);
}

static enum status add_elements(struct sources *s, const struct history *h, uint32_t key,
                                struct value value, uint32_t txn, struct error *err)
{
    if (value.kind == VALUE_LIST)
        for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
            TRY(add_element(s, key, h->list_element[i], txn, err));
    return STATUS_OK;
}

static enum status list_initial_elements(struct sources *s, const struct history *h,
                                         struct error *err)
{
    for (uint32_t key = 0; key < h->key_count; key++) {
        struct value value = history_initial(h, key);

        s->is_plain[key] = value.kind == VALUE_LIST || value.kind == VALUE_NULL;
        TRY(add_elements(s, h, key, value, NO_TXN, err));
    }
    return STATUS_OK;
}

static enum status list_elements(struct verifier *v, struct sources *s, uint32_t txn,
                                 struct error *err)
{
    const struct history *h = v->h;

    own_begin(v);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = h->op_key[op];

        if (op_is_head(h->op_kind[op]))
            continue;
        s->before[op] = own_version(v, key);
        if (!history_makes_version(h, op))
            continue;
        s->nth[op] = s->before[op] == HISTORY_NONE ? 1 : s->nth[s->before[op]] + 1;
        own_pass(v, op);
        if (h->op_kind[op] == OP_APPEND) {
            s->is_appended[key] = true;
            TRY(add_element(s, key, h->op_value[op], txn, err));
        } else {
            s->is_plain[key] = false;
            TRY(add_elements(s, h, key, history_value(h, op), txn, err));
        }
    }
    return STATUS_OK;
}

/* --- Sorts ------------------------------------------------------------------- */

static enum status add_sort(struct sources *s, struct text bytes, uint32_t *sort, struct error *err)
{
    TRY(buffer_status(&s->bytes, err));
    return intern_add(&s->sorts, bytes, sort, err);
}

/* All last versions and initial ones, by number. */
static size_t version_count(const struct verifier *v)
{
    size_t keys = v->h->key_count;

    return keys + v->chain_start[keys] + v->perhaps_start[keys];
}

static uint32_t version_at(const struct verifier *v, size_t n, uint32_t *key)
{
    size_t keys = v->h->key_count, chained = v->chain_start[keys];
    uint32_t version;

    *key = (uint32_t)n;
    if (n < keys)
        return VERSION_INITIAL;
    version = n < keys + chained ? v->chain[n - keys] : v->perhaps[n - keys - chained];
    *key = v->h->op_key[version];
    return version;
}

static enum status name_sort(struct verifier *v, struct sources *s, uint32_t key, uint32_t version,
                             struct error *err)
{
    const struct history *h = v->h;
    bool is_initial = version == VERSION_INITIAL;
    bool is_append = !is_initial && h->op_kind[version] == OP_APPEND;
    struct value value = is_initial ? history_initial(h, key) : history_value(h, version);

    return add_sort(s, sort_bytes(s, h, key, is_append, value),
                    is_initial ? &s->initial_sort[key] : &s->sort_of[version], err);
}

static uint32_t sort_of(const struct sources *s, uint32_t key, uint32_t version)
{
    return version == VERSION_INITIAL ? s->initial_sort[key] : s->sort_of[version];
}

static enum status list_sorts(struct verifier *v, struct sources *s, struct error *err)
{
    size_t count = version_count(v), sorts;
    uint32_t key, version;
    uint64_t *next;

    for (size_t n = 0; n < count; n++) {
        version = version_at(v, n, &key);
        TRY(name_sort(v, s, key, version, err));
    }
    sorts = intern_count(&s->sorts);
    TRY(GET(sort_start, sorts + 1));
    TRY(GET(sort_version, count));
    TRY(memory_get(v, (void **)&next, sorts, sizeof *next, err));
    for (size_t n = 0; n < count; n++) {
        version = version_at(v, n, &key);
        s->sort_start[sort_of(s, key, version) + 1]++;
    }
    for (size_t i = 0; i < sorts; i++)
        s->sort_start[i + 1] += s->sort_start[i];
    memcpy(next, s->sort_start, sorts * sizeof *next);
    for (size_t n = 0; n < count; n++) {
        version = version_at(v, n, &key);
        s->sort_version[next[sort_of(s, key, version)]++] = version;
    }
    return STATUS_OK;
}

/* --- The whole --------------------------------------------------------------- */

enum status sources_build(struct verifier *v, struct error *err)
{
    const struct history *h = v->h;
    struct sources *s;

    TRY(memory_get(v, (void **)&v->sources, 1, sizeof *s, err));
    s = v->sources;
    TRY(GET(before, h->op_count));
    TRY(GET(nth, h->op_count));
    TRY(GET(sort_of, h->op_count));
    TRY(GET(initial_sort, h->key_count));
    TRY(GET(is_appended, h->key_count));
    TRY(GET(is_plain, h->key_count));
    TRY(memory_get(v, (void **)&v->order_place, h->op_count, sizeof *v->order_place, err));
    for (size_t i = 0; i < h->order_version_count; i++)
        v->order_place[h->order_version[i]] = (uint32_t)i + 1;
    TRY(list_initial_elements(s, h, err));
    for (uint32_t t = 0; t < h->txn_count; t++)
        if (v->counting[t] != COUNTS_NOT)
            TRY(list_elements(v, s, t, err));
    for (uint32_t key = 0; key < h->key_count; key++)
        s->is_plain[key] &= s->is_appended[key];
    return list_sorts(v, s, err);
}

void sources_close(struct sources *s)
{
    if (!s)
        return;
    intern_close(&s->sorts);
    intern_close(&s->elements);
    array_close(&s->element_txn);
    array_close(&s->element_read);
    map_close(&s->reading_of);
    array_close(&s->readings);
    map_close(&s->row_of);
    map_close(&s->span_of);
    array_close(&s->spans);
    buffer_close(&s->bytes);
}

/* --- Who wrote what ---------------------------------------------------------- */

uint32_t source_version(const struct verifier *v, uint32_t txn, uint32_t key)
{
    bool counts = v->counting[txn] == COUNTS;
    const uint32_t *versions = counts ? v->chain : v->perhaps;
    const uint64_t *start = counts ? v->chain_start : v->perhaps_start;
    uint64_t low = start[key], high = start[key + 1];

    /* Without places they stand in the order of their transactions. */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (versions[middle] < v->h->txn_op[txn])
            low = middle + 1;
        else
            high = middle;
    }
    return low < start[key + 1] && versions[low] < v->h->txn_op[txn + 1] ? versions[low]
                                                                         : HISTORY_NONE;
}

uint32_t source_element_count(const struct verifier *v, uint32_t txn, uint32_t key)
{
    const struct history *h = v->h;
    struct value initial = history_initial(h, key);

    if (txn != NO_TXN)
        return v->sources->nth[source_version(v, txn, key)];
    return initial.kind == VALUE_LIST
               ? (uint32_t)(h->list_start[initial.bits + 1] - h->list_start[initial.bits])
               : 0;
}

/* --- Readings ---------------------------------------------------------------- */

static uint64_t span_key(const struct reading *r, uint32_t txn)
{
    return (uint64_t)r->number << 32 | txn;
}

/* One more element, at a place of the list, of who put it there. */
static enum status extend_span(struct sources *s, const struct reading *r, uint32_t at,
                               uint32_t element, struct error *err)
{
    uint32_t txn = s->element_txn.at[element];
    struct span *span;
    size_t place;

    TRY(map_add(&s->span_of, span_key(r, txn), s->spans.count, &place, err));
    if (s->span_of.values.at[place] == s->spans.count)
        TRY(array_push(&s->spans, ((struct span){ .first = at, .element = element }), err));
    span = &s->spans.at[s->span_of.values.at[place]];
    span->is_reversed |= element < span->element;
    span->last = at;
    span->element = element;
    span->count++;
    return STATUS_OK;
}

/* The elements of others that were read, or that the read is wrong. */
static enum status read_plain(struct verifier *v, struct reading *r, const int64_t *list,
                              uint64_t count, struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    uint32_t txn = NO_TXN;

    r->is_plain = true;
    r->kind = READING_WRONG;
    for (uint32_t own = s->before[r->op]; own != HISTORY_NONE; own = s->before[own])
        if (count == 0 || list[--count] != h->op_value[own])
            return STATUS_OK;
    if (count == 0 && source_element_count(v, NO_TXN, r->key) > 0)
        return STATUS_OK;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t element = intern_find(&s->elements, element_bytes(s, r->key, list[i]));

        TRY(buffer_status(&s->bytes, err));
        if (element == INTERN_NONE || s->element_read.at[element] == r->number + 1 ||
            s->element_txn.at[element] == r->txn)
            return STATUS_OK;
        s->element_read.at[element] = r->number + 1;
        txn = s->element_txn.at[element];
        TRY(extend_span(s, r, i, element, err));
    }
    r->kind = READING_OF_OTHERS;
    r->version = txn == NO_TXN ? VERSION_INITIAL : source_version(v, txn, r->key);
    r->source_count = 1;
    return STATUS_OK;
}

static enum status find_sorts(struct verifier *v, struct reading *r, struct value value,
                              struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;

    r->sorts[0] = intern_find(&s->sorts, sort_bytes(s, h, r->key, false, value));
    if (s->is_appended[r->key] && value.kind == VALUE_LIST) {
        uint64_t from = h->list_start[value.bits], end = h->list_start[value.bits + 1];
        struct value last = { VALUE_INTEGER, end > from ? h->list_element[end - 1] : 0 };

        if (end > from)
            r->sorts[1] = intern_find(&s->sorts, sort_bytes(s, h, r->key, true, last));
        for (uint64_t i = from; i < end; i++)
            if (intern_find(&s->elements, element_bytes(s, r->key, h->list_element[i])) ==
                INTERN_NONE)
                r->sorts[0] = r->sorts[1] = HISTORY_NONE;
    }
    return buffer_status(&s->bytes, err);
}

static enum status read_others(struct verifier *v, struct reading *r, struct value value,
                               struct error *err)
{
    const struct sources *s = v->sources;
    uint32_t own = source_version(v, r->txn, r->key);

    TRY(find_sorts(v, r, value, err));
    for (int i = 0; i < 2; i++) {
        if (r->sorts[i] == HISTORY_NONE)
            continue;
        r->source_count += s->sort_start[r->sorts[i] + 1] - s->sort_start[r->sorts[i]];
        r->has_own |= own != HISTORY_NONE && s->sort_of[own] == r->sorts[i];
    }
    r->own = own;
    r->source_count -= r->has_own;
    r->kind = r->source_count > 0 ? READING_OF_OTHERS : READING_WRONG;
    return STATUS_OK;
}

static enum status read_anew(struct verifier *v, struct reading *r, struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    struct value value = value_plain(h, history_value(h, r->op));
    uint32_t own = s->before[r->op];

    if (s->is_plain[r->key] && (value.kind == VALUE_LIST || value.kind == VALUE_NULL)) {
        uint64_t from = value.kind == VALUE_LIST ? h->list_start[value.bits] : 0;
        uint64_t end = value.kind == VALUE_LIST ? h->list_start[value.bits + 1] : 0;

        return read_plain(v, r, h->list_element + from, end - from, err);
    }
    if (own == HISTORY_NONE)
        return read_others(v, r, value, err);
    r->kind = version_has_value(v, r->key, own, value) ? READING_OF_OWN : READING_WRONG;
    return STATUS_OK;
}

enum status sources_row(struct verifier *v, uint32_t head, uint32_t key, uint32_t *op,
                        struct error *err)
{
    const struct history *h = v->h;
    uint32_t end = head + h->statement_row_count[h->op_key[head]];
    struct map *map = &v->sources->row_of;
    uint64_t row;
    size_t place;

    if (!map_find(map, (uint64_t)head << 32 | HISTORY_NONE, &row)) {
        TRY(map_add(map, (uint64_t)head << 32 | HISTORY_NONE, 0, &place, err));
        for (uint32_t i = head + 1; i <= end; i++)
            TRY(map_add(map, (uint64_t)head << 32 | h->op_key[i], i, &place, err));
    }
    *op = map_find(map, (uint64_t)head << 32 | key, &row) ? (uint32_t)row : HISTORY_NONE;
    return STATUS_OK;
}

const struct reading *sources_reading(const struct verifier *v, uint32_t number)
{
    return &v->sources->readings.at[number];
}

enum status sources_read(struct verifier *v, uint32_t txn, uint32_t op, struct reading *r,
                         struct error *err)
{
    const struct history *h = v->h;
    struct sources *s = v->sources;
    size_t place;

    if (!op_reads_value(v, txn, op))
        return verify_refuse(v, err, "transaction %" PRId64 " read nothing of %.*s there",
                             h->txn_id[txn], TEXT_PRINT(history_key(h, h->op_key[op])));
    TRY(map_add(&s->reading_of, op, s->readings.count, &place, err));
    if (s->reading_of.values.at[place] == s->readings.count) {
        *r = (struct reading){ .txn = txn,
                               .op = op,
                               .key = h->op_key[op],
                               .sorts = { HISTORY_NONE, HISTORY_NONE },
                               .number = (uint32_t)s->readings.count };
        TRY(read_anew(v, r, err));
        TRY(array_push(&s->readings, *r, err));
    }
    *r = s->readings.at[s->reading_of.values.at[place]];
    return STATUS_OK;
}

bool source_is_possible(const struct verifier *v, const struct reading *r, uint32_t version)
{
    uint32_t sort;

    if (r->kind != READING_OF_OTHERS)
        return false;
    if (r->is_plain)
        return version == r->version;
    sort = sort_of(v->sources, r->key, version);
    return !source_is_own(r, version) && (sort == r->sorts[0] || sort == r->sorts[1]);
}

uint32_t source_at(const struct verifier *v, const struct reading *r, uint64_t n)
{
    const struct sources *s = v->sources;

    if (r->is_plain)
        return r->version;
    for (int i = 0; i < 2; i++) {
        uint64_t count;

        if (r->sorts[i] == HISTORY_NONE)
            continue;
        count = s->sort_start[r->sorts[i] + 1] - s->sort_start[r->sorts[i]];
        if (n < count)
            return s->sort_version[s->sort_start[r->sorts[i]] + n];
        n -= count;
    }
    assert(!"there are not so many");
    return HISTORY_NONE;
}

const struct span *source_span(const struct verifier *v, const struct reading *r, uint32_t txn)
{
    uint64_t place;

    return map_find(&v->sources->span_of, span_key(r, txn), &place) ? &v->sources->spans.at[place]
                                                                    : NULL;
}
