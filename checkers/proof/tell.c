#include "checkers/proof/tell.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>

#define ELEMENTS_TOLD_MAX 12
#define TEXT_TOLD_MAX 60

void tell_txn(struct buffer *out, const struct history *h, uint32_t txn)
{
    buffer_print(out, "T%" PRId64, h->txn_id[txn]);
}

/* Whole characters of at most so many bytes. */
static void tell_text(struct buffer *out, struct text text)
{
    size_t length = text.length;

    if (length > TEXT_TOLD_MAX) {
        length = TEXT_TOLD_MAX;
        while (length > 0 && ((unsigned char)text.at[length] & 0xc0) == 0x80)
            length--;
    }
    buffer_text(out, (struct text){ text.at, length });
    if (length < text.length)
        buffer_text(out, TEXT("..."));
}

void tell_key(struct buffer *out, const struct history *h, uint32_t key)
{
    tell_text(out, history_key(h, key));
}

static void tell_list(struct buffer *out, const struct history *h, int64_t list)
{
    uint64_t from = h->list_start[list], count = h->list_start[list + 1] - from, first = 0;

    buffer_byte(out, '[');
    if (count > ELEMENTS_TOLD_MAX) {
        /* Lists differ at their ends. */
        first = count - ELEMENTS_TOLD_MAX;
        buffer_text(out, TEXT("...,"));
    }
    for (uint64_t i = first; i < count; i++) {
        if (i > first)
            buffer_byte(out, ',');
        buffer_int64(out, h->list_element[from + i]);
    }
    buffer_byte(out, ']');
}

static void tell_row(struct buffer *out, const struct history *h, int64_t row)
{
    uint32_t names = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from;

    buffer_byte(out, '{');
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_byte(out, ',');
        if (i == ELEMENTS_TOLD_MAX) {
            buffer_text(out, TEXT("..."));
            break;
        }
        buffer_json(out, history_text(h, h->shape_column_name[names + i]));
        buffer_byte(out, ':');
        tell_value(out, h, (struct value){ h->cell_kind[from + i], h->cell_value[from + i] });
    }
    buffer_byte(out, '}');
}

void tell_value(struct buffer *out, const struct history *h, struct value value)
{
    switch (value.kind) {
    case VALUE_NONE:
        buffer_text(out, TEXT("no answer"));
        break;
    case VALUE_NULL:
        buffer_text(out, TEXT("null"));
        break;
    case VALUE_INTEGER:
        buffer_int64(out, value.bits);
        break;
    case VALUE_BOOLEAN:
        buffer_text(out, value.bits ? TEXT("true") : TEXT("false"));
        break;
    case VALUE_TEXT:
        buffer_byte(out, '"');
        tell_text(out, history_text(h, (uint32_t)value.bits));
        buffer_byte(out, '"');
        break;
    case VALUE_LIST:
        tell_list(out, h, value.bits);
        break;
    default:
        tell_row(out, h, value.bits);
    }
}

void tell_key_value(struct buffer *out, const struct history *h, uint32_t key, struct value value)
{
    tell_key(out, h, key);
    buffer_byte(out, '=');
    tell_value(out, h, value);
}

void tell_write(struct buffer *out, const struct history *h, uint32_t op)
{
    struct value value = history_value(h, op);

    if (h->op_kind[op] == OP_APPEND) {
        tell_value(out, h, value);
        buffer_text(out, TEXT(" to "));
        tell_key(out, h, h->op_key[op]);
        return;
    }
    if (value.kind == VALUE_NONE)
        value.kind = VALUE_NULL;
    tell_key_value(out, h, h->op_key[op], value);
}

void tell_statement(struct buffer *out, const struct history *h, uint32_t head)
{
    uint32_t statement = h->op_key[head], where = h->statement_where[statement];

    tell_text(out, history_text(h, h->table_name[h->statement_table[statement]]));
    if (where == HISTORY_NONE)
        return;
    buffer_text(out, TEXT(" where "));
    tell_text(out, history_text(h, where));
}

static void tell_number(struct buffer *out, const struct history *h, char what, uint32_t number)
{
    switch (what) {
    case 'T':
        tell_txn(out, h, number);
        return;
    case 'K':
        tell_key(out, h, number);
        return;
    case 'Q':
        tell_statement(out, h, number);
        return;
    case 'W':
        tell_write(out, h, number);
        return;
    case 'R':
        tell_key_value(out, h, h->op_key[number], history_value(h, number));
        return;
    default:
        assert(what == 'V');
        tell_value(out, h, history_value(h, number));
    }
}

void tell_print(struct buffer *out, const struct history *h, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%')
            buffer_byte(out, *at);
        else if (*++at == 'I')
            buffer_int64(out, va_arg(arguments, int64_t));
        else
            tell_number(out, h, *at, va_arg(arguments, uint32_t));
    }
    va_end(arguments);
}

uint32_t tell_op_number(const struct history *h, uint32_t txn, uint32_t op)
{
    uint32_t number = 0;

    for (uint32_t i = h->txn_op[txn] + 1; i <= op; i++)
        number += !op_is_row(h->op_kind[i]);
    return number;
}

void tell_version(struct buffer *out, const struct history *h, uint32_t version)
{
    uint32_t txn, nth = 1;
    bool is_last = true;

    if (version == VERSION_INITIAL) {
        buffer_text(out, TEXT("null"));
        return;
    }
    txn = history_txn_of(h, version);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (!history_makes_version(h, op) || h->op_key[op] != h->op_key[version])
            continue;
        nth += op < version;
        is_last &= op <= version;
    }
    if (is_last)
        buffer_int64(out, h->txn_id[txn]);
    else
        buffer_print(out, "[%" PRId64 ",%" PRIu32 "]", h->txn_id[txn], nth);
}
