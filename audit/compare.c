#include "audit/compare_private.h"

#include <stdlib.h>
#include <string.h>

#define PRINT_MAX 300

void compare_close(struct compare *c)
{
    buffer_close(&c->room);
}

bool compare_cell(struct compare *c, const struct datum *d, struct text cell)
{
    size_t length;
    char *to;

    if (datum_is_null(d) || !cell.at)
        return datum_is_null(d) && !cell.at;
    if (d->kind == DATUM_TEXT)
        return text_equal(datum_text(d), cell);
    buffer_clear(&c->room);
    to = buffer_reserve(&c->room, datum_print_room(d));
    if (!to)
        return false;
    length = (size_t)(datum_write(to, d) - to);
    return length == cell.length && memcmp(to, cell.at, length) == 0;
}

enum status compare_call(struct compare *c, const struct call_answer *a, enum type_kind type,
                         const struct datum *value, bool *is_right, struct error *err)
{
    struct text cell;

    *is_right = true;
    if (a->kind == CALL_ANSWER_MISSING)
        return STATUS_OK;
    if (a->kind == CALL_ANSWER_COUNT) {
        *is_right = a->count == 1 || (a->count == 0 && type == TYPE_VOID);
        return STATUS_OK;
    }
    if (type == TYPE_VOID && a->row_count == 0)
        return STATUS_OK;
    *is_right = a->row_count == 1 && a->width == 1;
    if (!*is_right)
        return STATUS_OK;
    cell = c->log->cells.at[a->cell];
    *is_right = type == TYPE_VOID ? !cell.at || cell.length == 0 : compare_cell(c, value, cell);
    return buffer_status(&c->room, err);
}

/* --- Rows ------------------------------------------------------------------------------------------ */

static void put_text(struct buffer *out, struct text text)
{
    buffer_byte(out, text.at ? 'v' : 'n');
    if (!text.at)
        return;
    buffer_int64(out, (int64_t)text.length);
    buffer_byte(out, ':');
    buffer_text(out, text);
}

static void put_datum(struct buffer *out, const struct datum *d, struct buffer *room)
{
    struct text text = { NULL, 0 };

    if (!datum_is_null(d)) {
        buffer_clear(room);
        datum_print(d, room);
        text = (struct text){ room->at ? room->at : "", room->count };
    }
    put_text(out, text);
}

/* Rows as texts, so that they can be sorted. */
struct printed_rows {
    struct buffer bytes;
    ARRAY(size_t) ends;
    ARRAY(struct text) rows;
};

static void close_printed(struct printed_rows *p)
{
    buffer_close(&p->bytes);
    array_close(&p->ends);
    array_close(&p->rows);
}

static enum status aim_rows(struct printed_rows *p, struct error *err)
{
    TRY(buffer_status(&p->bytes, err));
    for (size_t i = 0; i < p->ends.count; i++) {
        size_t from = i > 0 ? p->ends.at[i - 1] : 0;
        struct text row = { p->bytes.at + from, p->ends.at[i] - from };

        TRY(array_push(&p->rows, row, err));
    }
    return STATUS_OK;
}

static enum status print_answered(const struct call_log *log, const struct call_answer *a,
                                  struct printed_rows *p, struct error *err)
{
    for (uint32_t i = 0; i < a->row_count; i++) {
        for (uint32_t k = 0; k < a->width; k++)
            put_text(&p->bytes, log->cells.at[a->cell + (size_t)i * a->width + k]);
        TRY(array_push(&p->ends, p->bytes.count, err));
    }
    return aim_rows(p, err);
}

static enum status print_given(const struct request *r, struct printed_rows *p, struct error *err)
{
    struct buffer room = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < r->row_count && status == STATUS_OK; i++) {
        for (uint32_t k = 0; k < r->row_width; k++)
            put_datum(&p->bytes, &r->rows[(size_t)i * r->row_width + k], &room);
        status = array_push(&p->ends, p->bytes.count, err);
    }
    buffer_close(&room);
    TRY(status);
    return aim_rows(p, err);
}

static int compare_texts(const void *a, const void *b)
{
    return text_compare(*(const struct text *)a, *(const struct text *)b);
}

/* Whether each of the first is one of the second, which are as many or more. */
static bool are_among(struct text *some, size_t count, struct text *all, size_t all_count)
{
    size_t at = 0;

    qsort(some, count, sizeof *some, compare_texts);
    qsort(all, all_count, sizeof *all, compare_texts);
    for (size_t i = 0; i < count; i++, at++) {
        while (at < all_count && text_compare(all[at], some[i]) < 0)
            at++;
        if (at == all_count || !text_equal(all[at], some[i]))
            return false;
    }
    return true;
}

/*
 * Block by block of rows that ORDER BY leaves equal. Of a block of which OFFSET or LIMIT leave out
 * some, any of its rows may be those that are there.
 */
static bool agree(const struct request *r, struct printed_rows *answered,
                  struct printed_rows *given)
{
    size_t first = r->offset > 0 ? (size_t)r->offset : 0, end = first + answered->rows.count;

    for (size_t from = 0, to; answered->rows.count > 0 && from < end; from = to) {
        size_t least, most;

        for (to = from + 1; to < given->rows.count && (!r->ties || r->ties[to] == r->ties[from]);)
            to++;
        least = from > first ? from : first;
        most = to < end ? to : end;
        if (least < most && !are_among(answered->rows.at + (least - first), most - least,
                                       given->rows.at + from, to - from))
            return false;
    }
    return true;
}

static uint64_t wanted_rows(const struct request *r)
{
    uint64_t left_out = r->offset > 0 ? (uint64_t)r->offset : 0;
    uint64_t rows = left_out < r->row_count ? r->row_count - left_out : 0;

    return r->limit >= 0 && (uint64_t)r->limit < rows ? (uint64_t)r->limit : rows;
}

static enum status compare_rows(struct compare *c, const struct call_answer *a,
                                const struct request *r, bool *is_right, struct error *err)
{
    struct printed_rows answered = { 0 }, given = { 0 };
    enum status status;

    *is_right = false;
    if (a->row_count != wanted_rows(r) || (a->row_count > 0 && a->width != r->row_width))
        return STATUS_OK;
    status = print_answered(c->log, a, &answered, err);
    if (status == STATUS_OK)
        status = print_given(r, &given, err);
    if (status == STATUS_OK)
        *is_right = agree(r, &answered, &given);
    close_printed(&answered);
    close_printed(&given);
    return status;
}

enum status compare_statement(struct compare *c, const struct call_answer *a,
                              const struct request *r, bool *is_right, struct error *err)
{
    bool has_rows = r->row_width > 0;

    *is_right = true;
    if (a->kind == CALL_ANSWER_MISSING)
        return STATUS_OK;
    if (a->kind == CALL_ANSWER_ROWS)
        return compare_rows(c, a, r, is_right, err);
    *is_right = a->count >= 0 && (uint64_t)a->count == (has_rows ? wanted_rows(r) : r->affected);
    return STATUS_OK;
}

/* --- For people -------------------------------------------------------------------------------------- */

static void print_cell(struct buffer *out, const struct datum *d)
{
    if (datum_is_null(d))
        buffer_text(out, TEXT("null"));
    else
        datum_print(d, out);
}

void compare_print_value(struct buffer *out, enum type_kind type, const struct datum *value)
{
    if (type == TYPE_VOID)
        buffer_text(out, TEXT("nothing"));
    else
        print_cell(out, value);
}

void compare_print_rows(struct buffer *out, const struct request *r)
{
    uint64_t first = r->offset > 0 ? (uint64_t)r->offset : 0, count = wanted_rows(r);

    if (r->row_width == 0) {
        buffer_print(out, "%llu rows", (unsigned long long)r->affected);
        return;
    }
    for (uint64_t i = 0; i < count && out->count < PRINT_MAX; i++) {
        buffer_byte(out, '(');
        for (uint32_t k = 0; k < r->row_width; k++) {
            if (k > 0)
                buffer_text(out, TEXT(", "));
            print_cell(out, &r->rows[(first + i) * r->row_width + k]);
        }
        buffer_byte(out, ')');
    }
    if (count == 0)
        buffer_text(out, TEXT("no rows"));
}

void compare_print_answer(struct buffer *out, const struct call_log *log,
                          const struct call_answer *a)
{
    if (a->kind == CALL_ANSWER_MISSING) {
        buffer_text(out, TEXT("not known"));
        return;
    }
    if (a->kind == CALL_ANSWER_COUNT) {
        buffer_print(out, "%lld rows", (long long)a->count);
        return;
    }
    for (uint32_t i = 0; i < a->row_count && out->count < PRINT_MAX; i++) {
        buffer_byte(out, '(');
        for (uint32_t k = 0; k < a->width; k++) {
            struct text cell = log->cells.at[a->cell + (size_t)i * a->width + k];

            if (k > 0)
                buffer_text(out, TEXT(", "));
            buffer_text(out, cell.at ? cell : TEXT("null"));
        }
        buffer_byte(out, ')');
    }
    if (a->row_count == 0)
        buffer_text(out, TEXT("no rows"));
}
