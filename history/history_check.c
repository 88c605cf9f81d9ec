/*
 * Checks that the columns of a history agree with each other, so that nobody who reads it need ask
 * again.
 *
 * Each step may rely on those before it: counts and presence, where parts begin, texts, tables and rows; then
 * transactions, operations and statements; then version sets and orders.
 */
#include "history/history_check_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "history/tables.h"

enum status history_check_refuse(enum history_column column, size_t element,
                                        struct error *err, const char *format, ...)
{
    char text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(err, STATUS_BAD_INPUT, "column %s, element %zu: %s",
                     history_forms[column].name, element, text);
}

bool history_check_value_is_sound(const struct history *h, uint8_t kind, int64_t bits)
{
    switch (kind) {
    case VALUE_NONE:
    case VALUE_NULL:
        return bits == 0;
    case VALUE_INTEGER:
        return true;
    case VALUE_BOOLEAN:
        return bits == 0 || bits == 1;
    case VALUE_TEXT:
        return (uint64_t)bits < h->text_count;
    case VALUE_LIST:
        return (uint64_t)bits < h->list_count;
    case VALUE_ROW:
        return (uint64_t)bits < h->row_count;
    default:
        return false;
    }
}

enum status history_check_row_value(struct history_check *c, enum history_column column,
                                           size_t element, uint32_t key, struct value value,
                                           struct error *err)
{
    const struct history *h = c->h;
    uint32_t table = c->key_table ? c->key_table[key] : HISTORY_NONE;
    uint64_t cell;

    if (table == HISTORY_NONE || value.kind == VALUE_NONE || value.kind == VALUE_NULL)
        return STATUS_OK;
    if (value.kind != VALUE_ROW || h->row_shape[value.bits] != h->table_shape[table])
        return history_check_refuse(column, element, err, "no row of its key's table");
    if (c->row_key[value.bits] == key)
        return STATUS_OK;
    cell = h->row_start[value.bits];
    if (tables_check_row_key(&c->tables,
                             (struct tables_row){ table, h->cell_kind + cell, h->cell_value + cell },
                             history_key(h, key), &c->scratch, err) != STATUS_OK)
        return error_wrap(err, "column %s, element %zu", history_forms[column].name, element);
    c->row_key[value.bits] = key;
    return STATUS_OK;
}

enum status history_check_clear_stamps(struct history_check *c, struct error *err)
{
    TRY(memory_resize((void **)&c->key_stamp, c->h->key_count, sizeof *c->key_stamp, err));
    memset(c->key_stamp, 0, c->h->key_count * sizeof *c->key_stamp);
    return STATUS_OK;
}

/* Counts are numbers we can give; mandatory columns are there; optional ones bring their like. */
static enum status check_forms(const struct history *h, struct error *err)
{
    static const struct {
        enum history_column column, needs;
    } pairs[] = {
        { COLUMN_txn_invoked, COLUMN_txn_completed },
        { COLUMN_txn_completed, COLUMN_txn_invoked },
        { COLUMN_txn_ts_parts, COLUMN_txn_ts },
        { COLUMN_txn_ts_second, COLUMN_txn_ts_parts },
        { COLUMN_txn_ts_third, COLUMN_txn_ts_second },
        { COLUMN_txn_snapshot_parts, COLUMN_txn_snapshot },
        { COLUMN_txn_snapshot, COLUMN_txn_snapshot_parts },
        { COLUMN_txn_snapshot_second, COLUMN_txn_snapshot },
        { COLUMN_txn_snapshot_third, COLUMN_txn_snapshot_second },
        { COLUMN_txn_origin_parts, COLUMN_txn_origin },
        { COLUMN_txn_origin, COLUMN_txn_origin_parts },
        { COLUMN_txn_origin_process, COLUMN_txn_origin },
        { COLUMN_op_invoked, COLUMN_op_completed },
        { COLUMN_op_completed, COLUMN_op_invoked },
        { COLUMN_op_snapshot_parts, COLUMN_op_snapshot },
        { COLUMN_op_snapshot, COLUMN_op_snapshot_parts },
        { COLUMN_op_snapshot_second, COLUMN_op_snapshot },
        { COLUMN_op_snapshot_third, COLUMN_op_snapshot_second },
    };

    for (enum history_column c = 0; c < HISTORY_COLUMN_COUNT; c++) {
        size_t count = history_group_count(h, history_forms[c].group);
        if (history_group_is_numbered(history_forms[c].group) && count > HISTORY_COUNT_MAX)
            return error_set(err, STATUS_OVER_LIMIT, "column %s has %zu elements, more than %u",
                             history_forms[c].name, count, HISTORY_COUNT_MAX);
        if (!history_forms[c].optional && !history_column(h, c))
            return error_set(err, STATUS_BAD_INPUT, "column %s is missing", history_forms[c].name);
    }
    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        if (history_column(h, pairs[i].column) && !history_column(h, pairs[i].needs))
            return error_set(err, STATUS_BAD_INPUT, "column %s is there without %s",
                             history_forms[pairs[i].column].name,
                             history_forms[pairs[i].needs].name);
    return STATUS_OK;
}

static bool narrow_starts_rise(const uint32_t *start, size_t count, size_t end)
{
    uint32_t falls = 0;

    for (size_t i = 0; i < count; i++)
        falls |= start[i + 1] < start[i];
    return !falls && start[0] == 0 && start[count] == end;
}

static bool wide_starts_rise(const uint64_t *start, size_t count, size_t end)
{
    uint64_t falls = 0;

    for (size_t i = 0; i < count; i++)
        falls |= start[i + 1] < start[i];
    return !falls && start[0] == 0 && start[count] == end;
}

static uint64_t start_at(const void *start, size_t size, size_t i)
{
    return size == 4 ? ((const uint32_t *)start)[i] : ((const uint64_t *)start)[i];
}

static enum status refuse_starts(const struct history *h, enum history_column column, size_t end,
                                 struct error *err)
{
    const struct history_form *form = &history_forms[column];
    size_t count = history_group_count(h, form->group);
    const void *start = history_column(h, column);
    uint64_t before = 0;

    for (size_t i = 0; i <= count; i++) {
        uint64_t now = start_at(start, form->element_size, i);
        if (now < before || (i == 0 && now != 0))
            return history_check_refuse(column, i, err, "%" PRIu64 " after %" PRIu64, now, before);
        before = now;
    }
    return history_check_refuse(column, count, err, "%" PRIu64 ", but there are %zu", before, end);
}

static enum status check_starts(const struct history *h, struct error *err)
{
    static const struct {
        enum history_column start;
        enum history_group parts;
    } columns[] = {
        { COLUMN_txn_op, GROUP_op },
        { COLUMN_set_start, GROUP_set_entry },
        { COLUMN_statement_aggregate_start, GROUP_aggregate },
        { COLUMN_list_start, GROUP_element },
        { COLUMN_row_start, GROUP_cell },
        { COLUMN_shape_start, GROUP_shape_column },
        { COLUMN_table_column_start, GROUP_table_column },
        { COLUMN_table_key_start, GROUP_table_key },
        { COLUMN_order_start, GROUP_order_version },
        { COLUMN_key_start, GROUP_key_byte },
        { COLUMN_text_start, GROUP_text_byte },
    };

    for (size_t i = 0; i < ROW_COUNT(columns); i++) {
        const struct history_form *form = &history_forms[columns[i].start];
        const void *start = history_column(h, columns[i].start);
        size_t count = history_group_count(h, form->group);
        size_t end = history_group_count(h, columns[i].parts);
        bool rise = form->element_size == 4 ? narrow_starts_rise(start, count, end)
                                            : wide_starts_rise(start, count, end);
        if (!rise)
            return refuse_starts(h, columns[i].start, end, err);
    }
    return STATUS_OK;
}

static bool is_ascii(const char *bytes, size_t count)
{
    unsigned char seen = 0;

    for (size_t i = 0; i < count; i++)
        seen |= (unsigned char)bytes[i];
    return seen < 0x80;
}

/* Equal texts would have two numbers, and everybody compares numbers. */
static enum status check_texts_differ(enum history_column column, const uint64_t *start,
                                      const char *bytes, size_t count, struct error *err)
{
    size_t slot_count = 64;
    uint64_t *slots; /* high half of the hash, then number plus one */
    enum status status = STATUS_OK;

    while (slot_count < 2 * count)
        slot_count *= 2;
    slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to compare %zu texts", count);
    for (size_t n = 0; n < count; n++) {
        struct text text = { bytes + start[n], (size_t)(start[n + 1] - start[n]) };
        uint64_t hash = hash_bytes(text.at, text.length);
        size_t i = (size_t)hash & (slot_count - 1);
        for (; slots[i]; i = (i + 1) & (slot_count - 1)) {
            size_t m = (uint32_t)slots[i] - 1;
            struct text other = { bytes + start[m], (size_t)(start[m + 1] - start[m]) };
            if (slots[i] >> 32 == hash >> 32 && text_equal(text, other)) {
                status = history_check_refuse(column, n, err, "\"%.*s\" is element %zu already",
                                              TEXT_PRINT(text), m);
                goto done;
            }
        }
        slots[i] = hash >> 32 << 32 | (n + 1);
    }
done:
    free(slots);
    return status;
}

static enum status check_texts(enum history_column column, const uint64_t *start,
                               const char *bytes, size_t count, struct error *err)
{
    size_t byte_count = (size_t)start[count];

    if (!is_ascii(bytes, byte_count) || memchr(bytes, 0, byte_count)) {
        for (size_t n = 0; n < count; n++) {
            struct text text = { bytes + start[n], (size_t)(start[n + 1] - start[n]) };
            if (!text_is_utf8(text))
                return history_check_refuse(column, n, err, "not UTF-8");
            if (memchr(text.at, 0, text.length))
                return history_check_refuse(column, n, err, "a zero byte within");
        }
    }
    return check_texts_differ(column, start, bytes, count, err);
}

/* Texts that are optional where they stand. */
static enum status check_header(const struct history *h, struct error *err)
{
    if (h->workload != HISTORY_NONE && h->workload >= h->text_count)
        return error_set(err, STATUS_BAD_INPUT, "the workload is text %" PRIu32 " of %zu",
                         h->workload, h->text_count);
    if (h->producer != HISTORY_NONE && h->producer >= h->text_count)
        return error_set(err, STATUS_BAD_INPUT, "the producer is text %" PRIu32 " of %zu",
                         h->producer, h->text_count);
    if (h->unique < -1 || h->unique > 1)
        return error_set(err, STATUS_BAD_INPUT, "unique is %d", h->unique);
    return STATUS_OK;
}

/* Each shape's names are texts, and none comes twice. */
static enum status check_shapes(const struct history *h, struct error *err)
{
    uint32_t *stamps = calloc(h->text_count + 1, sizeof *stamps); /* by text: last shape, plus 1 */
    enum status status = STATUS_OK;

    if (!stamps)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to check shapes");
    for (uint32_t s = 0; s < h->shape_count && status == STATUS_OK; s++) {
        for (uint32_t i = h->shape_start[s]; i < h->shape_start[s + 1]; i++) {
            uint32_t name = h->shape_column_name[i];
            if (name >= h->text_count || stamps[name] == s + 1) {
                status = history_check_refuse(COLUMN_shape_column_name, i, err,
                                              name < h->text_count ? "text %" PRIu32 " again"
                                                                   : "text %" PRIu32 " of too few",
                                              name);
                break;
            }
            stamps[name] = s + 1;
        }
    }
    free(stamps);
    return status;
}

static enum status check_table_columns(const struct history *h, uint32_t t, struct error *err)
{
    uint32_t from = h->table_column_start[t], to = h->table_column_start[t + 1];
    uint32_t shape = h->table_shape[t];
    enum column_kind kind;

    if (shape >= h->shape_count || from == to ||
        h->shape_start[shape + 1] - h->shape_start[shape] != to - from)
        return history_check_refuse(COLUMN_table_shape, t, err,
                                    "shape %" PRIu32 " does not fit the table", shape);
    for (uint32_t c = from; c < to; c++) {
        if (h->table_column_name[c] != h->shape_column_name[h->shape_start[shape] + c - from])
            return history_check_refuse(COLUMN_table_column_name, c, err,
                                        "the table's shape has another name");
        if (h->table_column_type[c] >= h->text_count ||
            !tables_column_kind(history_text(h, h->table_column_type[c]), &kind))
            return history_check_refuse(COLUMN_table_column_type, c, err, "no type we know");
        if (h->table_column_kind[c] != kind)
            return history_check_refuse(COLUMN_table_column_kind, c, err,
                                        "%u, but its type is of kind %u",
                                        (unsigned)h->table_column_kind[c], (unsigned)kind);
    }
    return STATUS_OK;
}

static enum status check_table_key(const struct history *h, uint32_t t, struct error *err)
{
    uint32_t from = h->table_key_start[t], to = h->table_key_start[t + 1];
    uint32_t first = h->table_column_start[t];

    if (to == from || to - from > TABLE_KEY_COLUMN_COUNT_MAX)
        return history_check_refuse(COLUMN_table_key_start, t, err,
                                    "a key of %" PRIu32 " columns", to - from);
    for (uint32_t k = from; k < to; k++) {
        uint32_t column = h->table_key_column[k];
        if (column >= h->table_column_start[t + 1] - first ||
            h->table_column_kind[first + column] == COLUMN_LIST)
            return history_check_refuse(COLUMN_table_key_column, k, err,
                                        "column %" PRIu32 " cannot be part of the key", column);
        for (uint32_t before = from; before < k; before++)
            if (h->table_key_column[before] == column)
                return history_check_refuse(COLUMN_table_key_column, k, err,
                                            "column %" PRIu32 " again", column);
    }
    return STATUS_OK;
}

static struct text text_of_history(const void *owner, uint32_t number)
{
    return history_text(owner, number);
}

static enum status fill_with_none(uint32_t **numbers, size_t count, struct error *err)
{
    TRY(memory_resize((void **)numbers, count, sizeof **numbers, err));
    for (size_t i = 0; i < count; i++)
        (*numbers)[i] = HISTORY_NONE;
    return STATUS_OK;
}

static enum status check_tables(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    if (h->table_count == 0)
        return STATUS_OK;
    TRY(fill_with_none(&c->shape_table, h->shape_count, err));
    TRY(fill_with_none(&c->row_key, h->row_count, err));
    for (uint32_t t = 0; t < h->table_count; t++) {
        uint32_t number;
        if (h->table_name[t] >= h->text_count)
            return history_check_refuse(COLUMN_table_name, t, err, "text %" PRIu32 " of %zu",
                                        h->table_name[t], h->text_count);
        TRY(intern_add(&c->table_names, history_text(h, h->table_name[t]), &number, err));
        if (number < t)
            return history_check_refuse(COLUMN_table_name, t, err, "the name of table %" PRIu32,
                                        number);
        TRY(check_table_columns(h, t, err));
        TRY(check_table_key(h, t, err));
        if (c->shape_table[h->table_shape[t]] != HISTORY_NONE)
            return history_check_refuse(COLUMN_table_shape, t, err, "the shape of table %" PRIu32,
                                        c->shape_table[h->table_shape[t]]);
        c->shape_table[h->table_shape[t]] = t;
    }
    c->tables = (struct tables){
        .names = &c->table_names,
        .column_start = h->table_column_start,
        .column_name = h->table_column_name,
        .column_type = h->table_column_type,
        .column_kind = h->table_column_kind,
        .key_start = h->table_key_start,
        .key_column = h->table_key_column,
        .text = text_of_history,
        .owner = h,
    };
    return STATUS_OK;
}

/* Which keys are rows of which tables. */
static enum status check_keys(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    if (h->table_count == 0)
        return STATUS_OK;
    TRY(memory_resize((void **)&c->key_table, h->key_count, sizeof *c->key_table, err));
    for (uint32_t k = 0; k < h->key_count; k++) {
        struct text key = history_key(h, k);
        uint32_t table = tables_of_key(&c->tables, key, &c->scratch);
        TRY(buffer_status(&c->scratch, err));
        if (table != HISTORY_NONE)
            TRY(tables_check_key(&c->tables, table, key, err));
        c->key_table[k] = table;
    }
    return STATUS_OK;
}

static enum status check_row(struct history_check *c, size_t r, struct error *err)
{
    const struct history *h = c->h;
    uint32_t shape = h->row_shape[r], table;
    uint64_t cell = h->row_start[r], count = h->row_start[r + 1] - cell;

    if (shape >= h->shape_count)
        return history_check_refuse(COLUMN_row_shape, r, err, "shape %" PRIu32 " of %zu", shape,
                                    h->shape_count);
    if (count != h->shape_start[shape + 1] - h->shape_start[shape])
        return history_check_refuse(COLUMN_row_start, r, err,
                                    "%" PRIu64 " cells are not what its shape has", count);
    table = c->shape_table ? c->shape_table[shape] : HISTORY_NONE;
    for (uint32_t i = 0; table != HISTORY_NONE && i < count; i++) {
        struct value value = { h->cell_kind[cell + i], h->cell_value[cell + i] };
        if (tables_check_cell(&c->tables, table, i, value, err) != STATUS_OK)
            return error_wrap(err, "column cell_value, element %" PRIu64, cell + i);
    }
    return STATUS_OK;
}

static enum status check_rows(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    for (size_t i = 0; i < h->cell_count; i++) {
        uint8_t kind = h->cell_kind[i];
        if (kind == VALUE_NONE || kind >= VALUE_ROW)
            return history_check_refuse(COLUMN_cell_kind, i, err, "kind %u", (unsigned)kind);
        if (!history_check_value_is_sound(h, kind, h->cell_value[i]))
            return history_check_refuse(COLUMN_cell_value, i, err, "%" PRId64 " of kind %u",
                                        h->cell_value[i], (unsigned)kind);
    }
    for (size_t r = 0; r < h->row_count; r++)
        TRY(check_row(c, r, err));
    return STATUS_OK;
}

static enum status check_initial(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    TRY(history_check_clear_stamps(c, err));
    for (size_t i = 0; i < h->initial_count; i++) {
        uint32_t key = h->initial_key[i];
        struct value value = { h->initial_kind[i], h->initial_value[i] };
        if (key >= h->key_count || c->key_stamp[key])
            return history_check_refuse(COLUMN_initial_key, i, err, "key %" PRIu32 "%s", key,
                                        key < h->key_count ? " again" : " of too few");
        c->key_stamp[key] = 1;
        if (h->initial_kind[i] == VALUE_NONE || h->initial_kind[i] >= VALUE_KIND_COUNT)
            return history_check_refuse(COLUMN_initial_kind, i, err, "kind %u",
                                        (unsigned)h->initial_kind[i]);
        if (!history_check_value_is_sound(h, h->initial_kind[i], value.bits))
            return history_check_refuse(COLUMN_initial_value, i, err, "%" PRId64 " of kind %u",
                                        value.bits, (unsigned)h->initial_kind[i]);
        TRY(history_check_row_value(c, COLUMN_initial_value, i, key, value, err));
    }
    return STATUS_OK;
}

static enum status check(struct history_check *c, struct error *err)
{
    const struct history *h = c->h;

    TRY(check_forms(h, err));
    TRY(check_starts(h, err));
    TRY(check_texts(COLUMN_key_start, h->key_start, h->key_bytes, h->key_count, err));
    TRY(check_texts(COLUMN_text_start, h->text_start, h->text_bytes, h->text_count, err));
    TRY(check_header(h, err));
    TRY(check_shapes(h, err));
    TRY(check_tables(c, err));
    TRY(check_keys(c, err));
    TRY(check_rows(c, err));
    TRY(check_initial(c, err));
    TRY(history_check_txns(c, err));
    TRY(history_check_ops(c, err));
    TRY(history_check_statements(c, err));
    TRY(history_check_sets(c, err));
    return history_check_orders(c, err);
}

enum status history_check(const struct history *h, struct error *err)
{
    struct history_check c = { .h = h };
    enum status status = check(&c, err);

    intern_close(&c.table_names);
    buffer_close(&c.scratch);
    free(c.key_table);
    free(c.shape_table);
    free(c.row_key);
    free(c.key_stamp);
    return status;
}
