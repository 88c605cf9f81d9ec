#include "checkers/rows/matcher.h"

#include <stdlib.h>

#include "base/hash.h"
#include "checkers/check_private.h"
#include "history/tables.h"

static bool is_bigint(const struct history *h, uint32_t table, uint16_t column)
{
    uint32_t at = h->table_column_start[table] + column;

    return text_equal(history_text(h, h->table_column_type[at]), TEXT("bigint"));
}

/* False: the bound is none of integers. */
static bool close_bounds(const struct range *range, struct span *span)
{
    if ((range->has_low && range->low.kind != DATUM_INTEGER) ||
        (range->has_high && range->high.kind != DATUM_INTEGER))
        return false;
    span->low = range->has_low ? range->low.as.integer : INT64_MIN;
    span->high = range->has_high ? range->high.as.integer : INT64_MAX;
    /* Beyond the last integer there is none: then nothing matches, and nobody relies on it. */
    if (range->has_low && range->low_is_open) {
        if (span->low == INT64_MAX)
            return false;
        span->low++;
    }
    if (range->has_high && range->high_is_open) {
        if (span->high == INT64_MIN)
            return false;
        span->high--;
    }
    return true;
}

static bool has_span(const struct spans *spans, uint16_t column)
{
    for (unsigned i = 0; i < spans->count; i++)
        if (spans->at[i].column == column)
            return true;
    return false;
}

struct spans matcher_spans(const struct history *h, const struct predicate *p)
{
    const struct condition *condition = p->filter.condition;
    struct spans spans = { .is_exact = condition->bound_count == condition->conjunct_count };

    spans.is_empty = condition_is_empty(&p->filter);
    for (uint32_t i = 0; i < condition->bound_count; i++) {
        uint16_t column = condition->bounds[i].column;
        struct range range = condition_range(&p->filter, column);
        struct span span = { .column = column };

        if (has_span(&spans, column))
            continue;
        if (spans.count < MATCHER_SPANS_MAX && is_bigint(h, p->table, column) &&
            close_bounds(&range, &span))
            spans.at[spans.count++] = span;
        else
            spans.is_exact = false;
    }
    return spans;
}

/* --- Primary keys ----------------------------------------------------------------- */

static enum status know_keys(struct matcher *m, struct error *err)
{
    const struct history *h = m->history;
    size_t place;

    for (uint32_t key = 0; key < h->key_count && !m->keys_are_known; key++) {
        struct text text = history_key(h, key);

        TRY(map_add(&m->keys, hash_bytes(text.at, text.length), key, &place, err));
    }
    m->keys_are_known = true;
    return STATUS_OK;
}

/* One part of a key, from the value that a column must have. False: it cannot be told. */
static bool spell_part(const struct history *h, uint32_t column, const struct datum *d,
                       struct buffer *out)
{
    if (d->kind == DATUM_INTEGER && h->table_column_kind[column] == COLUMN_INTEGER)
        tables_spell_part(out, (struct value){ VALUE_INTEGER, d->as.integer }, TEXT(""));
    else if (d->kind == DATUM_TEXT &&
             text_equal(history_text(h, h->table_column_type[column]), TEXT("text")))
        tables_spell_part(out, (struct value){ VALUE_TEXT, 0 }, datum_text(d));
    else
        return false;
    return true;
}

static bool spell_key(const struct history *h, const struct predicate *p, struct buffer *out)
{
    uint32_t end = h->table_key_start[p->table + 1];

    tables_spell_text(out, history_text(h, h->table_name[p->table]));
    for (uint32_t i = h->table_key_start[p->table]; i < end; i++) {
        uint32_t column = h->table_key_column[i];
        struct datum value;

        buffer_byte(out, '/');
        if (!condition_pin(&p->filter, (uint16_t)column, &value) ||
            !spell_part(h, h->table_column_start[p->table] + column, &value, out))
            return false;
    }
    return !out->out_of_memory;
}

static enum status pin(struct matcher *m, const struct predicate *p, struct spans *spans,
                       struct error *err)
{
    const struct history *h = m->history;
    struct buffer spelled = { 0 };
    enum status status = STATUS_OK;

    if (p->filter.condition->bound_count > 0 && spell_key(h, p, &spelled)) {
        struct text text = { spelled.at, spelled.count };
        uint64_t key = HISTORY_NONE;

        status = know_keys(m, err);
        spans->is_pinned = !map_find(&m->keys, hash_bytes(text.at, text.length), &key) ||
                           text_equal(history_key(h, (uint32_t)key), text);
        spans->key = (uint32_t)key;
    }
    buffer_close(&spelled);
    return status;
}

/* --- The whole -------------------------------------------------------------------- */

enum status matcher_init(struct matcher *m, const struct history *h, bool slowly, struct error *err)
{
    uint32_t count;

    *m = (struct matcher){ .history = h, .is_slow = slowly };
    if (h->statement_count == 0)
        return STATUS_OK;
    TRY(predicate_scratch_init(&m->scratch, err));
    TRY(predicates_open(&m->predicates, h, 0, err));
    count = predicates_count(m->predicates);
    TRY(check_memory((void **)&m->spans, count, sizeof *m->spans, 0, err));
    for (uint32_t i = 0; i < count && !slowly; i++) {
        const struct predicate *p = predicates_get(m->predicates, i);

        m->spans[i] = matcher_spans(h, p);
        TRY(pin(m, p, &m->spans[i], err));
    }
    return STATUS_OK;
}

void matcher_close(struct matcher *m)
{
    if (m->history && m->history->statement_count > 0)
        predicate_scratch_close(&m->scratch);
    if (m->predicates)
        predicates_close(m->predicates);
    free(m->spans);
    map_close(&m->keys);
    *m = (struct matcher){ 0 };
}

enum predicate_answer matcher_match(struct matcher *m, uint32_t predicate, struct value row)
{
    const struct spans *spans = &m->spans[predicate];

    if (row.kind != VALUE_ROW || spans->is_empty)
        return PREDICATE_NO;
    for (unsigned i = 0; i < spans->count; i++) {
        int64_t cell;

        if (!matcher_cell(m->history, row, spans->at[i].column, &cell) || cell < spans->at[i].low ||
            cell > spans->at[i].high)
            return PREDICATE_NO;
    }
    return spans->is_exact ? PREDICATE_YES
                           : predicates_match(m->predicates, predicate, row, &m->scratch);
}
