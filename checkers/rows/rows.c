#include "checkers/rows/rows.h"

#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/rows/answers_private.h"
#include "checkers/rows/scan_private.h"

#define NO_NUMBER INT64_MIN
#define CACHE_BYTES_MAX ((size_t)64 << 20) /* of all predicates together */
#define CELLS_A_STEP 8                     /* that are compared in the time of one step */

/* --- Making ----------------------------------------------------------------------- */

static enum status add_column(struct row_table *table, uint16_t column, struct error *err)
{
    int64_t *cells = NULL;

    if (table->columns[column])
        return STATUS_OK;
    TRY(memory_resize((void **)&cells, table->slot_count, sizeof *cells, err));
    for (uint32_t slot = 0; slot < table->slot_count; slot++)
        cells[slot] = NO_NUMBER;
    table->columns[column] = cells;
    table->numbered[table->numbered_count++] = column;
    return STATUS_OK;
}

static enum status init_table(struct rows *r, uint32_t number, struct error *err)
{
    const struct history *h = r->history;
    struct row_table *table = &r->tables[number];
    size_t columns = h->table_column_start[number + 1] - h->table_column_start[number];

    table->slot_count = r->keys->start[number + 1] - r->keys->start[number];
    TRY(check_memory((void **)&table->columns, columns, sizeof *table->columns, 0, err));
    TRY(memory_resize((void **)&table->numbered, columns, sizeof *table->numbered, err));
    TRY(memory_resize((void **)&table->live, table->slot_count, sizeof *table->live, err));
    return check_memory((void **)&table->live_place, table->slot_count, sizeof *table->live_place,
                        0xff, err);
}

static enum status add_columns(struct rows *r, struct error *err)
{
    const struct predicates *predicates = r->matcher->predicates;

    for (uint32_t p = 0; p < predicates_count(predicates); p++) {
        const struct spans *spans = &r->matcher->spans[p];

        for (unsigned i = 0; i < spans->count; i++)
            TRY(add_column(&r->tables[predicates_get(predicates, p)->table], spans->at[i].column,
                           err));
    }
    return STATUS_OK;
}

enum status rows_init(struct rows *r, const struct history *h, const struct keys *keys,
                      struct matcher *matcher, struct error *err)
{
    size_t most = 0;

    *r = (struct rows){ .history = h, .keys = keys, .matcher = matcher };
    r->aggregate.name = HISTORY_NONE;
    if (h->table_count == 0 || h->statement_count == 0)
        return STATUS_OK;
    TRY(check_memory((void **)&r->tables, h->table_count, sizeof *r->tables, 0, err));
    TRY(check_memory((void **)&r->row, h->key_count, sizeof *r->row, 0xff, err));
    for (uint32_t t = 0; t < h->table_count; t++) {
        TRY(init_table(r, t, err));
        most = r->tables[t].slot_count > most ? r->tables[t].slot_count : most;
    }
    TRY(memory_resize((void **)&r->found, most, sizeof *r->found, err));
    TRY(check_memory((void **)&r->caches, predicates_count(matcher->predicates), sizeof *r->caches, 0,
                     err));
    return add_columns(r, err);
}

static void close_table(struct row_table *table)
{
    for (uint16_t i = 0; i < table->numbered_count; i++)
        free(table->columns[table->numbered[i]]);
    free(table->columns);
    free(table->numbered);
    free(table->live);
    free(table->live_place);
    array_close(&table->changes);
}

void rows_close(struct rows *r)
{
    for (size_t t = 0; r->tables && t < r->history->table_count; t++)
        close_table(&r->tables[t]);
    for (uint32_t p = 0; r->caches && p < predicates_count(r->matcher->predicates); p++)
        free(r->caches[p].yes);
    free(r->caches);
    free(r->tables);
    free(r->row);
    free(r->found);
    array_close(&r->matching);
    *r = (struct rows){ 0 };
}

static void forget(struct rows *r, struct row_cache *cache, const struct row_table *table)
{
    if (cache->yes)
        r->cache_bytes -= table->slot_count / 8;
    free(cache->yes);
    *cache = (struct row_cache){ 0 };
}

static void forget_all(struct rows *r)
{
    const struct predicates *predicates = r->matcher->predicates;

    for (uint32_t p = 0; p < predicates_count(predicates); p++)
        forget(r, &r->caches[p], &r->tables[predicates_get(predicates, p)->table]);
    for (uint32_t t = 0; t < r->history->table_count; t++) {
        r->tables[t].changes.count = 0;
        r->tables[t].notes_changes = false;
    }
}

/* --- Changing --------------------------------------------------------------------- */

static void appear(struct row_table *table, uint32_t slot)
{
    if (table->live_place[slot] != HISTORY_NONE)
        return;
    table->live_place[slot] = table->live_count;
    table->live[table->live_count++] = slot;
}

static void vanish(struct row_table *table, uint32_t slot)
{
    uint32_t place = table->live_place[slot], last;

    if (place == HISTORY_NONE)
        return;
    last = table->live[--table->live_count];
    table->live[place] = last;
    table->live_place[last] = place;
    table->live_place[slot] = HISTORY_NONE;
    for (uint16_t i = 0; i < table->numbered_count; i++)
        table->columns[table->numbered[i]][slot] = NO_NUMBER;
}

/* An error is a large thing to make for each row that is written: only where room is made. */
static bool make_room(struct row_table *table)
{
    struct error ignored = { 0 };

    return array_reserve(&table->changes, 1, &ignored) == STATUS_OK;
}

/* Without memory for it the predicates are judged from the beginning, as if none were kept. */
static void note_change(struct rows *r, struct row_table *table, uint32_t slot)
{
    if (!table->notes_changes)
        return;
    if (table->changes.count == table->changes.room && !make_room(table))
        forget_all(r);
    else
        table->changes.at[table->changes.count++] = slot;
}

void rows_set(struct rows *r, uint32_t key, uint8_t kind, int64_t bits)
{
    uint32_t slot = r->keys->slot[key];
    struct row_table *table = &r->tables[r->keys->table[key]];
    struct value row = { (enum value_kind)kind, bits };

    note_change(r, table, slot);
    if (kind != VALUE_ROW) {
        r->row[key] = -1;
        vanish(table, slot);
        return;
    }
    r->row[key] = bits;
    appear(table, slot);
    for (uint16_t i = 0; i < table->numbered_count; i++) {
        uint16_t column = table->numbered[i];
        int64_t cell;

        if (!matcher_cell(r->history, row, column, &cell))
            cell = NO_NUMBER;
        else if (cell == NO_NUMBER)
            table->has_least = true;
        table->columns[column][slot] = cell;
    }
}

/* --- Agreeing at once ------------------------------------------------------------- */

static struct scan_span scan_span_of(const struct span *span)
{
    return (struct scan_span){ span->low == NO_NUMBER ? NO_NUMBER + 1 : span->low, span->high };
}

/* As many rows match as came, and each that came does and is what is there. */
static bool rows_came(struct rows *r, uint32_t head, const struct row_table *table,
                      const struct span *span)
{
    const struct history *h = r->history;
    uint32_t count = h->statement_row_count[h->op_key[head]];
    const int64_t *cells = table->columns[span->column];
    struct scan_span numbers = scan_span_of(span);
    bool is_select = h->op_kind[head] == OP_SELECT;

    if (!pace_spend(&r->pace, table->slot_count / CELLS_A_STEP + count) ||
        scan_count(cells, table->slot_count, numbers) != count)
        return false;
    for (uint32_t op = head + 1; op <= head + count; op++) {
        uint32_t key = h->op_key[op];
        int64_t cell = cells[r->keys->slot[key]];

        if (cell < numbers.low || cell > numbers.high ||
            (is_select && !history_values_equal(h, (struct value){ VALUE_ROW, r->row[key] },
                                                history_value(h, op))))
            return false;
    }
    return true;
}

/* The sum of numbers above -2^53 and below 2^53, of which there are less than 2^10, is exact. */
static bool sum_is_exact(const struct row_table *table, struct scan_span span)
{
    return span.low > -(INT64_C(1) << 53) && span.high < INT64_C(1) << 53 &&
           table->slot_count < 1024;
}

/* An aggregate of the column that the span is of, or of whole rows. */
static bool number_came(const struct row_table *table, const struct span *span,
                        enum aggregate_function function, struct value answer)
{
    const int64_t *cells = table->columns[span->column];
    struct scan_span numbers = scan_span_of(span);
    uint32_t slots = table->slot_count;

    if (answer.kind != VALUE_INTEGER)
        return false;
    switch (function) {
    case FUNCTION_COUNT:
    case FUNCTION_COUNT_ROWS:
        return answer.bits == (int64_t)scan_count(cells, slots, numbers);
    case FUNCTION_MIN: /* of none it would be the greatest number of all */
        return answer.bits != INT64_MAX && answer.bits == scan_least(cells, slots, numbers);
    case FUNCTION_MAX:
        return answer.bits != INT64_MIN && answer.bits == scan_most(cells, slots, numbers);
    case FUNCTION_SUM:
        return sum_is_exact(table, numbers) && scan_count(cells, slots, numbers) > 0 &&
               (uint64_t)answer.bits == scan_sum(cells, slots, numbers);
    case FUNCTION_AVG:
        break;
    }
    return false;
}

/* Statements ask for few different ones, and mostly for the one before. */
static const struct row_aggregate *read_aggregate(struct rows *r, uint32_t table, uint32_t name)
{
    struct row_aggregate *last = &r->aggregate;
    enum aggregate_function function = FUNCTION_AVG;

    if (last->name == name && last->table == table)
        return last;
    *last = (struct row_aggregate){ .name = name, .table = table };
    last->is_known = answer_parse_aggregate(r->history, table, history_text(r->history, name),
                                            &function, &last->column);
    last->function = (uint8_t)function;
    return last;
}

static bool aggregates_came(struct rows *r, uint32_t head, const struct row_table *table,
                            const struct span *span)
{
    const struct history *h = r->history;
    uint32_t statement = h->op_key[head], end = h->statement_aggregate_start[statement + 1];

    for (uint32_t i = h->statement_aggregate_start[statement]; i < end; i++) {
        const struct row_aggregate *aggregate =
            read_aggregate(r, h->statement_table[statement], h->aggregate_name[i]);

        if (!pace_spend(&r->pace, table->slot_count / CELLS_A_STEP) || !aggregate->is_known ||
            (aggregate->function != FUNCTION_COUNT_ROWS && aggregate->column != span->column) ||
            !number_came(table, span, (enum aggregate_function)aggregate->function,
                         (struct value){ h->aggregate_kind[i], h->aggregate_value[i] }))
            return false;
    }
    return true;
}

bool rows_agree(struct rows *r, uint32_t head)
{
    const struct history *h = r->history;
    uint32_t statement = h->op_key[head];
    const struct spans *spans = &r->matcher->spans[matcher_predicate(r->matcher, head)];
    const struct row_table *table = &r->tables[h->statement_table[statement]];

    if (!spans->is_exact || spans->is_empty || spans->is_pinned || spans->count != 1 ||
        spans->at[0].high < spans->at[0].low || table->has_least ||
        h->statement_limit[statement] >= 0 || h->statement_order[statement] != HISTORY_NONE)
        return false;
    if (h->statement_flags[statement] & STATEMENT_AGGREGATES)
        return h->statement_row_count[statement] == 0 &&
               aggregates_came(r, head, table, &spans->at[0]);
    return rows_came(r, head, table, &spans->at[0]);
}

/* --- Finding ---------------------------------------------------------------------- */

/* The slots where the column is in the span: those without a number never are. */
static uint32_t select_span(const struct row_table *table, const struct span *span, uint32_t *found)
{
    const int64_t *cells = table->columns[span->column];
    struct scan_span numbers = scan_span_of(span);
    uint32_t count = 0;

    /* Without a jump: what is found is where the next is written over, or behind. */
    for (uint32_t slot = 0; slot < table->slot_count; slot++) {
        found[count] = slot;
        count += (cells[slot] >= numbers.low) & (cells[slot] <= numbers.high);
    }
    return count;
}

static enum status try_key(struct rows *r, uint32_t predicate, uint32_t key, struct error *err)
{
    struct matched_row row = { key, { VALUE_ROW, r->row[key] } };

    if (row.row.bits < 0)
        return STATUS_OK;
    switch (matcher_match(r->matcher, predicate, row.row)) {
    case PREDICATE_NO:
        return STATUS_OK;
    case PREDICATE_UNDECIDED:
        r->is_undecided = true;
        return STATUS_OK;
    case PREDICATE_YES:
        break;
    }
    return array_push(&r->matching, row, err);
}

static enum status try_slots(struct rows *r, uint32_t table, uint32_t predicate,
                             const uint32_t *slots, uint32_t count, struct error *err)
{
    const uint32_t *members = r->keys->members + r->keys->start[table];

    for (uint32_t i = 0; i < count; i++) {
        if (!pace_spend(&r->pace, 4)) {
            r->is_undecided = true;
            return STATUS_OK;
        }
        TRY(try_key(r, predicate, members[slots[i]], err));
    }
    return STATUS_OK;
}

/* --- Predicates that are asked for again ------------------------------------------------------- */

/* Whether the slot's row matches, from now on. False: nobody can tell. */
static bool judge_slot(struct rows *r, uint32_t number, uint32_t predicate, uint32_t slot)
{
    struct row_cache *cache = &r->caches[predicate];
    uint32_t key = r->keys->members[r->keys->start[number] + slot];
    uint64_t bit = UINT64_C(1) << slot % 64, *word = &cache->yes[slot / 64];
    enum predicate_answer answer = PREDICATE_NO;

    if (!pace_spend(&r->pace, 4))
        return false;
    if (r->row[key] >= 0)
        answer = matcher_match(r->matcher, predicate, (struct value){ VALUE_ROW, r->row[key] });
    cache->count -= (*word & bit) != 0;
    *word &= ~bit;
    if (answer == PREDICATE_YES)
        *word |= bit;
    cache->count += answer == PREDICATE_YES;
    return answer != PREDICATE_UNDECIDED;
}

/* Judges what has changed, or all. False: it cannot be kept. */
static bool follow_changes(struct rows *r, uint32_t number, uint32_t predicate, bool is_new)
{
    struct row_cache *cache = &r->caches[predicate];
    const struct row_table *table = &r->tables[number];
    bool all = is_new || table->changes.count - cache->followed > table->slot_count;
    size_t from = all ? 0 : cache->followed, end = all ? table->slot_count : table->changes.count;

    for (size_t i = from; i < end; i++)
        if (!judge_slot(r, number, predicate, all ? (uint32_t)i : table->changes.at[i]))
            return false;
    cache->followed = table->changes.count;
    return true;
}

/* Whether it is known which rows match. What is asked for once is not worth the memory. */
static bool is_kept(struct rows *r, uint32_t number, uint32_t predicate)
{
    struct row_table *table = &r->tables[number];
    struct row_cache *cache = &r->caches[predicate];
    bool is_new = !cache->yes;

    if (r->matcher->is_slow || r->matcher->spans[predicate].is_exact || cache->asked == UINT32_MAX || cache->asked++ == 0)
        return false;
    if (is_new) {
        if (r->cache_bytes + table->slot_count / 8 > CACHE_BYTES_MAX)
            return false;
        cache->yes = calloc(table->slot_count / 64 + 1, sizeof *cache->yes);
        if (!cache->yes)
            return false;
        r->cache_bytes += table->slot_count / 8;
        table->notes_changes = true;
    }
    if (follow_changes(r, number, predicate, is_new))
        return true;
    forget(r, cache, table);
    cache->asked = UINT32_MAX; /* not again: some row cannot be judged */
    return false;
}

/* The rows that match, in the order in which they would have been looked at. */
static enum status take_kept(struct rows *r, uint32_t number, uint32_t predicate, bool by_slot,
                             struct error *err)
{
    const struct row_cache *cache = &r->caches[predicate];
    const struct row_table *table = &r->tables[number];
    const uint32_t *members = r->keys->members + r->keys->start[number];

    for (uint32_t i = 0; r->matching.count < cache->count; i++) {
        uint32_t slot = by_slot ? i : table->live[i];
        struct matched_row row = { members[slot], { VALUE_ROW, r->row[members[slot]] } };

        if (cache->yes[slot / 64] >> slot % 64 & 1)
            TRY(array_push(&r->matching, row, err));
    }
    return STATUS_OK;
}

enum status rows_find(struct rows *r, uint32_t head, struct error *err)
{
    const struct history *h = r->history;
    uint32_t number = h->statement_table[h->op_key[head]];
    uint32_t predicate = matcher_predicate(r->matcher, head);
    const struct spans *spans = &r->matcher->spans[predicate];
    const struct row_table *table = &r->tables[number];
    bool has_span = spans->count > 0 && !table->has_least;

    r->matching.count = 0;
    r->is_undecided = false;
    if (spans->is_empty)
        return STATUS_OK;
    if (spans->is_pinned)
        return spans->key == HISTORY_NONE ? STATUS_OK : try_key(r, predicate, spans->key, err);
    if (is_kept(r, number, predicate))
        return take_kept(r, number, predicate, has_span, err);
    if (has_span) {
        uint32_t count = select_span(table, &spans->at[0], r->found);

        (void)pace_spend(&r->pace, table->slot_count / CELLS_A_STEP);
        return try_slots(r, number, predicate, r->found, count, err);
    }
    return try_slots(r, number, predicate, table->live, table->live_count, err);
}
