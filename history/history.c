#include "history/history.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/bisect.h"
#include "base/sort.h"
#include "history/history_private.h"

const struct history_form history_forms[HISTORY_COLUMN_COUNT] = {
#define HISTORY_COLUMN(group, type, name, extra, optional)                                         \
    { #name, GROUP_##group, sizeof(type), extra, optional, offsetof(struct history, name) },
    HISTORY_COLUMNS(HISTORY_COLUMN)
#undef HISTORY_COLUMN
};

static const size_t count_offsets[GROUP_COUNT] = {
#define HISTORY_GROUP(group) offsetof(struct history, group##_count),
    HISTORY_GROUPS(HISTORY_GROUP)
#undef HISTORY_GROUP
};

const void *history_column(const struct history *h, enum history_column column)
{
    const void *at;

    memcpy(&at, (const char *)h + history_forms[column].offset, sizeof at);
    return at;
}

void history_set_column(struct history *h, enum history_column column, const void *at)
{
    memcpy((char *)h + history_forms[column].offset, &at, sizeof at);
}

size_t history_group_count(const struct history *h, enum history_group group)
{
    return *(const size_t *)((const char *)h + count_offsets[group]);
}

void history_set_group_count(struct history *h, enum history_group group, size_t count)
{
    *(size_t *)((char *)h + count_offsets[group]) = count;
}

bool history_group_is_numbered(enum history_group group)
{
    switch (group) {
    case GROUP_set_entry:
    case GROUP_element:
    case GROUP_cell:
    case GROUP_order_version:
    case GROUP_key_byte:
    case GROUP_text_byte:
        return false;
    default:
        return true;
    }
}

void history_close(struct history *h)
{
    struct history_memory *memory = h->memory;

    if (memory) {
        for (size_t i = 0; i < HISTORY_COLUMN_COUNT; i++)
            free(memory->columns[i]);
        free(memory->key_initial);
        free(memory->key_order);
        free(memory->shape_sorted);
        if (memory->file_is_mapped)
            (void)munmap(memory->file, memory->file_size);
        else
            free(memory->file);
        free(memory);
    }
    *h = (struct history){ 0 };
}

/* For each key, where it stands among these. */
static enum status invert(uint32_t **places, size_t key_count, const uint32_t *keys, size_t count,
                          struct error *err)
{
    TRY(memory_resize((void **)places, key_count, sizeof **places, err));
    for (size_t i = 0; i < key_count; i++)
        (*places)[i] = HISTORY_NONE;
    for (size_t i = 0; i < count; i++)
        (*places)[keys[i]] = (uint32_t)i;
    return STATUS_OK;
}

static enum status sort_shapes(const struct history *h, uint32_t **sorted, struct error *err)
{
    uint64_t *wide = NULL; /* name, then column */

    TRY(memory_resize((void **)sorted, h->shape_column_count, sizeof **sorted, err));
    TRY(memory_resize((void **)&wide, h->shape_column_count, sizeof *wide, err));
    for (size_t s = 0; s < h->shape_count; s++) {
        uint32_t from = h->shape_start[s], count = h->shape_start[s + 1] - from;
        for (uint32_t i = 0; i < count; i++)
            wide[i] = (uint64_t)h->shape_column_name[from + i] << 32 | i;
        sort_wide(wide, count);
        for (uint32_t i = 0; i < count; i++)
            (*sorted)[from + i] = (uint32_t)wide[i];
    }
    free(wide);
    return STATUS_OK;
}

enum status history_derive(struct history *h, struct error *err)
{
    struct history_memory *m = h->memory;

    TRY(invert(&m->key_initial, h->key_count, h->initial_key, h->initial_count, err));
    TRY(invert(&m->key_order, h->key_count, h->order_key, h->order_count, err));
    TRY(sort_shapes(h, &m->shape_sorted, err));
    h->key_initial = m->key_initial;
    h->key_order = m->key_order;
    h->shape_sorted = m->shape_sorted;
    return STATUS_OK;
}

struct text history_key(const struct history *h, uint32_t key)
{
    uint64_t from = h->key_start[key];

    return (struct text){ h->key_bytes + from, (size_t)(h->key_start[key + 1] - from) };
}

struct text history_text(const struct history *h, uint32_t text)
{
    uint64_t from = h->text_start[text];

    return (struct text){ h->text_bytes + from, (size_t)(h->text_start[text + 1] - from) };
}

uint32_t history_find_key(const struct history *h, struct text key)
{
    for (uint32_t k = 0; k < h->key_count; k++)
        if (text_equal(history_key(h, k), key))
            return k;
    return HISTORY_NONE;
}

uint32_t history_txn_of(const struct history *h, uint32_t op)
{
    size_t next; /* the first that begins behind it */

    assert(op < h->op_count);
    BISECT(next, 1, h->txn_count, h->txn_op[next] <= op);
    return (uint32_t)next - 1;
}

struct value history_value(const struct history *h, size_t op)
{
    return (struct value){ h->op_value_kind[op], h->op_value[op] };
}

struct value history_initial(const struct history *h, uint32_t key)
{
    uint32_t i = h->key_initial[key];

    if (i == HISTORY_NONE)
        return (struct value){ VALUE_NULL, 0 };
    return (struct value){ h->initial_kind[i], h->initial_value[i] };
}

static bool lists_equal(const struct history *h, int64_t a, int64_t b)
{
    uint64_t a_from = h->list_start[a], b_from = h->list_start[b];
    uint64_t count = h->list_start[a + 1] - a_from;

    if (h->list_start[b + 1] - b_from != count)
        return false;
    return a == b || count == 0 ||
           memcmp(h->list_element + a_from, h->list_element + b_from,
                  (size_t)count * sizeof *h->list_element) == 0;
}

/* Rows have no rows within them, so that this does not go deeper. */
static bool cells_equal(const struct history *h, uint64_t a, uint64_t b)
{
    if (h->cell_kind[a] != h->cell_kind[b])
        return false;
    if (h->cell_kind[a] == VALUE_LIST)
        return lists_equal(h, h->cell_value[a], h->cell_value[b]);
    return h->cell_value[a] == h->cell_value[b];
}

static bool rows_equal(const struct history *h, int64_t a, int64_t b)
{
    uint32_t a_shape = h->shape_start[h->row_shape[a]], b_shape = h->shape_start[h->row_shape[b]];
    uint64_t a_from = h->row_start[a], b_from = h->row_start[b];
    uint64_t count = h->row_start[a + 1] - a_from;

    if (h->row_start[b + 1] - b_from != count)
        return false;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t a_column = h->shape_sorted[a_shape + i], b_column = h->shape_sorted[b_shape + i];
        if (h->shape_column_name[a_shape + a_column] != h->shape_column_name[b_shape + b_column] ||
            !cells_equal(h, a_from + a_column, b_from + b_column))
            return false;
    }
    return true;
}

bool history_values_equal(const struct history *h, struct value a, struct value b)
{
    if (a.kind != b.kind)
        return false;
    if (a.bits == b.bits)
        return true;
    if (a.kind == VALUE_LIST)
        return lists_equal(h, a.bits, b.bits);
    if (a.kind == VALUE_ROW)
        return rows_equal(h, a.bits, b.bits);
    return false;
}

struct place history_ts(const struct history *h, size_t txn)
{
    struct place place = { 0 };

    if (!h->txn_ts)
        return place;
    place.parts = h->txn_ts_parts ? h->txn_ts_parts[txn] : 1;
    place.part[0] = h->txn_ts[txn];
    place.part[1] = h->txn_ts_second ? h->txn_ts_second[txn] : 0;
    place.part[2] = h->txn_ts_third ? h->txn_ts_third[txn] : 0;
    return place;
}

struct place history_origin(const struct history *h, size_t txn)
{
    struct place origin = { 0 };

    if (!h->txn_origin)
        return origin;
    origin.parts = h->txn_origin_parts[txn];
    origin.part[0] = h->txn_origin[txn];
    origin.part[1] = h->txn_origin_process ? h->txn_origin_process[txn] : 0;
    return origin;
}

struct place history_txn_snapshot(const struct history *h, size_t txn)
{
    struct place place = { 0 };

    if (!h->txn_snapshot)
        return place;
    place.parts = h->txn_snapshot_parts[txn];
    place.part[0] = h->txn_snapshot[txn];
    place.part[1] = h->txn_snapshot_second ? h->txn_snapshot_second[txn] : 0;
    place.part[2] = h->txn_snapshot_third ? h->txn_snapshot_third[txn] : 0;
    return place;
}

struct place history_op_snapshot(const struct history *h, size_t txn, size_t op)
{
    struct place place = { 0 };

    if (!h->op_snapshot || h->op_snapshot_parts[op] == 0)
        return history_txn_snapshot(h, txn);
    place.parts = h->op_snapshot_parts[op];
    place.part[0] = h->op_snapshot[op];
    place.part[1] = h->op_snapshot_second ? h->op_snapshot_second[op] : 0;
    place.part[2] = h->op_snapshot_third ? h->op_snapshot_third[op] : 0;
    return place;
}

int history_compare_places(struct place a, struct place b)
{
    for (unsigned i = 0; i < a.parts && i < b.parts; i++)
        if (a.part[i] != b.part[i])
            return a.part[i] < b.part[i] ? -1 : 1;
    return (a.parts > b.parts) - (a.parts < b.parts);
}

size_t history_bytes(const struct history *h)
{
    size_t sum = 0;

    for (size_t i = 0; i < HISTORY_COLUMN_COUNT; i++)
        if (history_column(h, (enum history_column)i))
            sum += (history_group_count(h, history_forms[i].group) + history_forms[i].extra) *
                   history_forms[i].element_size;
    return sum;
}

/*
 * What is digested is the history as its text would tell it, in that order:
 * names and values in full, never the numbers that this history happens to
 * give to keys, texts, lists, rows and sessions. Each text and list is preceded
 * by its length and each optional thing by whether it is there, so that no two
 * histories make the same bytes.
 */

#define BLOCK_BYTES 16384

struct digest_writer {
    const struct history *h;
    struct digest_stream stream;
    size_t used;
    unsigned char bytes[BLOCK_BYTES];
};

static void flush(struct digest_writer *w)
{
    digest_add(&w->stream, w->bytes, w->used);
    w->used = 0;
}

static void put_bytes(struct digest_writer *w, const void *bytes, size_t size)
{
    if (size > BLOCK_BYTES - w->used)
        flush(w);
    if (size > BLOCK_BYTES) {
        digest_add(&w->stream, bytes, size);
    } else if (size) {
        memcpy(w->bytes + w->used, bytes, size);
        w->used += size;
    }
}

static void put_byte(struct digest_writer *w, unsigned byte)
{
    if (w->used == BLOCK_BYTES)
        flush(w);
    w->bytes[w->used++] = (unsigned char)byte;
}

/* Eight bytes, little-endian whatever the machine. */
static void put_number(struct digest_writer *w, uint64_t number)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = __builtin_bswap64(number);
#endif
    if (BLOCK_BYTES - w->used < sizeof number)
        flush(w);
    memcpy(w->bytes + w->used, &number, sizeof number);
    w->used += sizeof number;
}

/* One byte for short texts, which most are. */
static void put_text(struct digest_writer *w, struct text text)
{
    if (text.length < UINT8_MAX) {
        put_byte(w, (unsigned)text.length);
    } else {
        put_byte(w, UINT8_MAX);
        put_number(w, text.length);
    }
    put_bytes(w, text.at, text.length);
}

/* A text by its number, or that there is none. */
static void put_optional_text(struct digest_writer *w, uint32_t text)
{
    put_byte(w, text != HISTORY_NONE);
    if (text != HISTORY_NONE)
        put_text(w, history_text(w->h, text));
}

static void put_value(struct digest_writer *w, struct value value)
{
    const struct history *h = w->h;

    put_byte(w, value.kind);
    if (value.kind == VALUE_TEXT) {
        put_text(w, history_text(h, (uint32_t)value.bits));
    } else if (value.kind == VALUE_LIST) {
        put_number(w, h->list_start[value.bits + 1] - h->list_start[value.bits]);
        for (uint64_t i = h->list_start[value.bits]; i < h->list_start[value.bits + 1]; i++)
            put_number(w, (uint64_t)h->list_element[i]);
    } else if (value.kind == VALUE_ROW) {
        uint32_t name = h->shape_start[h->row_shape[value.bits]];
        put_number(w, h->row_start[value.bits + 1] - h->row_start[value.bits]);
        for (uint64_t i = h->row_start[value.bits]; i < h->row_start[value.bits + 1]; i++) {
            put_text(w, history_text(h, h->shape_column_name[name++]));
            put_value(w, (struct value){ h->cell_kind[i], h->cell_value[i] });
        }
    } else {
        put_number(w, (uint64_t)value.bits);
    }
}

static void put_place(struct digest_writer *w, struct place place)
{
    put_byte(w, place.parts);
    for (unsigned i = 0; i < place.parts; i++)
        put_number(w, (uint64_t)place.part[i]);
}

static bool has_times(const int64_t *invoked, size_t i)
{
    return invoked && invoked[i] != TIME_ABSENT;
}

static void put_times(struct digest_writer *w, const int64_t *invoked, const int64_t *completed, size_t i)
{
    put_number(w, (uint64_t)invoked[i]);
    put_number(w, (uint64_t)completed[i]);
}

static void put_table(struct digest_writer *w, size_t t)
{
    const struct history *h = w->h;

    put_text(w, history_text(h, h->table_name[t]));
    put_number(w, h->table_column_start[t + 1] - h->table_column_start[t]);
    for (size_t c = h->table_column_start[t]; c < h->table_column_start[t + 1]; c++) {
        put_text(w, history_text(h, h->table_column_name[c]));
        put_text(w, history_text(h, h->table_column_type[c]));
    }
    put_number(w, h->table_key_start[t + 1] - h->table_key_start[t]);
    for (size_t k = h->table_key_start[t]; k < h->table_key_start[t + 1]; k++)
        put_number(w, h->table_key_column[k]);
}

static void put_header(struct digest_writer *w)
{
    const struct history *h = w->h;

    put_optional_text(w, h->workload);
    put_optional_text(w, h->producer);
    put_byte(w, (unsigned)(h->unique + 1));
    put_number(w, h->table_count);
    for (size_t t = 0; t < h->table_count; t++)
        put_table(w, t);
    put_number(w, h->initial_count);
    for (size_t i = 0; i < h->initial_count; i++) {
        put_text(w, history_key(h, h->initial_key[i]));
        put_value(w, (struct value){ h->initial_kind[i], h->initial_value[i] });
    }
}

static void put_statement(struct digest_writer *w, uint32_t s)
{
    const struct history *h = w->h;

    put_text(w, history_text(h, h->table_name[h->statement_table[s]]));
    put_optional_text(w, h->statement_where[s]);
    put_optional_text(w, h->statement_order[s]);
    put_number(w, (uint64_t)h->statement_limit[s]);
    put_byte(w, h->statement_flags[s]);
    put_number(w, h->statement_row_count[s]);
    put_number(w, h->statement_aggregate_start[s + 1] - h->statement_aggregate_start[s]);
    for (size_t a = h->statement_aggregate_start[s]; a < h->statement_aggregate_start[s + 1]; a++) {
        put_text(w, history_text(h, h->aggregate_name[a]));
        put_value(w, (struct value){ h->aggregate_kind[a], h->aggregate_value[a] });
    }
}

/* A version by its operation: these are numbered by the order of the text. */
static void put_set(struct digest_writer *w, size_t set)
{
    const struct history *h = w->h;

    put_number(w, h->set_start[set + 1] - h->set_start[set]);
    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        put_text(w, history_key(h, h->set_key[i]));
        put_number(w, h->set_version[i]);
    }
}

/* How far the columns beside the operations have been read. */
struct cursor {
    size_t set, refusal;
};

/* What some operations have, as bits of one byte. */
enum { HAS_TIMES = 1, HAS_SNAPSHOT = 2, HAS_SET = 4 };

static void put_op(struct digest_writer *w, size_t op, struct cursor *at)
{
    const struct history *h = w->h;
    unsigned has = 0;

    if (has_times(h->op_invoked, op))
        has |= HAS_TIMES;
    if (h->op_snapshot_parts && h->op_snapshot_parts[op])
        has |= HAS_SNAPSHOT;
    if (at->set < h->set_count && h->set_op[at->set] == op)
        has |= HAS_SET;
    put_byte(w, h->op_kind[op]);
    put_byte(w, h->op_flags[op]);
    put_byte(w, has);
    if (op_is_head(h->op_kind[op]))
        put_statement(w, h->op_key[op]);
    else
        put_text(w, history_key(h, h->op_key[op]));
    put_value(w, history_value(h, op));
    if (has & HAS_TIMES)
        put_times(w, h->op_invoked, h->op_completed, op);
    if (has & HAS_SNAPSHOT)
        put_place(w, history_op_snapshot(h, 0, op));
    if (has & HAS_SET)
        put_set(w, at->set++);
    if ((h->op_flags[op] & OP_ERROR) && !op_is_row(h->op_kind[op]))
        put_text(w, history_text(h, h->refusal_text[at->refusal++]));
}

/* But for their origins, which are names. */
static void put_txns(struct digest_writer *w)
{
    const struct history *h = w->h;
    struct cursor at = { 0 };

    put_number(w, h->txn_count);
    for (size_t t = 0; t < h->txn_count; t++) {
        put_number(w, (uint64_t)h->txn_id[t]);
        put_number(w, (uint64_t)h->session_id[h->txn_session[t]]);
        put_byte(w, h->txn_status[t]);
        put_byte(w, has_times(h->txn_invoked, t));
        if (has_times(h->txn_invoked, t))
            put_times(w, h->txn_invoked, h->txn_completed, t);
        put_place(w, history_ts(h, t));
        put_place(w, history_txn_snapshot(h, t));
        put_number(w, h->txn_op[t + 1] - h->txn_op[t]);
        for (size_t op = h->txn_op[t]; op < h->txn_op[t + 1]; op++)
            put_op(w, op, &at);
    }
}

static void put_orders(struct digest_writer *w)
{
    const struct history *h = w->h;

    put_number(w, h->order_count);
    for (size_t i = 0; i < h->order_count; i++) {
        put_text(w, history_key(h, h->order_key[i]));
        put_number(w, h->order_start[i + 1] - h->order_start[i]);
        for (uint64_t v = h->order_start[i]; v < h->order_start[i + 1]; v++)
            put_number(w, h->order_version[v]);
    }
}

struct digest history_digest(const struct history *h)
{
    struct digest_writer w;

    w.h = h;
    w.used = 0;
    digest_begin(&w.stream);
    digest_add(&w.stream, "ordeal history 1", 16);
    put_header(&w);
    put_txns(&w);
    put_orders(&w);
    flush(&w);
    return digest_end(&w.stream);
}
