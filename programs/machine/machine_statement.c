#include "programs/machine/machine_statement_private.h"
#include "programs/machine/machine_select_private.h"
#include "programs/machine/machine_write_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"

static enum status begin_one(struct machine *m, const struct query_code *q, bool is_true)
{
    struct machine_statement *s = &m->statement;

    s->query = q;
    s->is_true = is_true;
    s->has_last = false;
    s->phase = PHASE_READ;
    s->row = s->affected = 0;
    s->step = 0;
    s->limit = INT64_MAX;
    s->offset = 0;
    return q->tree->kind == QUERY_SELECT ? machine_select_begin(m) : machine_write_begin(m);
}

static enum status begin_arm(struct machine *m)
{
    const struct arm_code *arm = &m->statement.whole->arms[m->statement.arm];
    struct scope scope;

    machine_scope(m, &scope);
    return begin_one(m, arm->query, datum_is_true(code_operand(&scope, arm->guard)));
}

enum status machine_statement_begin(struct machine *m, const struct query_code *q, bool is_true)
{
    struct machine_statement *s = &m->statement;

    m->statement_count += q->counts;
    s->outputs.width = q->select.output_count;
    s->first_set = m->result_count - q->set_count;
    s->whole = q->arm_count > 0 ? q : NULL;
    s->arm = 0;
    return s->whole ? begin_arm(m) : begin_one(m, q, is_true);
}

enum status machine_statement_go_on(struct machine *m)
{
    return m->statement.query->tree->kind == QUERY_SELECT ? machine_select_go_on(m) : machine_write_go_on(m);
}

enum status machine_statement_read(struct machine *m, const struct read_code *r, enum read_purpose purpose,
                                   enum row_lock lock)
{
    struct machine_statement *s = &m->statement;
    struct scope scope;

    s->parameters.count = 0;
    machine_scope(m, &scope);
    TRY(machine_add_rows(m, &s->parameters, r->condition->parameter_count));
    for (uint32_t i = 0; i < r->condition->parameter_count; i++)
        s->parameters.cells[i] = *code_operand(&scope, r->parameters[i]);
    machine_ask_rows(m, r->table, r->condition, purpose, lock);
    m->request.source = r->source;
    return STATUS_OK;
}

enum status machine_statement_match(struct machine *m, const struct datum *row, bool *matches)
{
    return condition_evaluate(&m->request.filter, row, &m->scratch, matches, &m->error);
}

enum status machine_statement_output(struct machine *m, struct scope *scope)
{
    struct machine_statement *s = &m->statement;
    bool is_left_out = !s->query->select.distinct && s->offset > 0;
    bool is_counted = s->query->use == QUERY_USE_FOUND || s->query->use == QUERY_USE_EXISTS;
    bool is_kept = !is_left_out && (!is_counted || s->query->select.distinct);
    struct datum *row = NULL;

    if (is_left_out)
        s->offset--;
    else
        s->affected++;
    if (is_kept)
        TRY(machine_add_row(m, &s->outputs, &row));
    for (uint32_t i = 0; i < s->query->select.output_count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&s->query->select.outputs[i], scope, &value));
        if (is_kept)
            TRY(datum_copy(value, &m->heap, &row[i], &m->error));
    }
    return STATUS_OK;
}

/* Where the outputs with a hash are, one behind the other. */
struct distinct_outputs {
    struct map first; /* by hash */
    size_t *next;
};

static bool is_repeated(const struct machine_rows *rows, const struct datum *row, size_t at,
                        const size_t *next)
{
    for (; at != SIZE_MAX; at = next[at]) {
        const struct datum *other = rows_at(rows, at);
        uint32_t i = 0;

        while (i < rows->width && datum_equal(&other[i], &row[i]))
            i++;
        if (i == rows->width)
            return true;
    }
    return false;
}

/* The first of equal ones stays where it is among the others. */
static enum status drop_repeated(struct machine *m, struct machine_rows *rows,
                                 struct distinct_outputs *seen)
{
    bool has_ties = m->ties.count > 0 && m->ties.count == rows->count;
    size_t kept = 0;

    TRY(machine_spend(m, rows->count));
    for (size_t i = 0; i < rows->count; i++) {
        const struct datum *row = rows_at(rows, i);
        uint64_t hash = rows->width, first = SIZE_MAX;
        struct error err;
        size_t place;

        for (uint32_t k = 0; k < rows->width; k++)
            hash = hash_number(hash ^ datum_hash(&row[k]));
        map_find(&seen->first, hash, &first);
        if (is_repeated(rows, row, first, seen->next))
            continue;
        if (map_add(&seen->first, hash, kept, &place, &err) != STATUS_OK)
            return sql_error_no_memory(&m->error);
        seen->first.values.at[place] = kept;
        seen->next[kept] = first;
        if (has_ties)
            m->ties.at[kept] = m->ties.at[i];
        memmove(rows_at(rows, kept++), row, rows->width * sizeof *row);
    }
    rows->count = kept;
    if (has_ties)
        m->ties.count = kept;
    return STATUS_OK;
}

static enum status make_distinct(struct machine *m, struct machine_rows *rows)
{
    struct distinct_outputs seen = { .next = malloc((rows->count + 1) * sizeof *seen.next) };
    enum status status;

    if (!seen.next)
        return sql_error_no_memory(&m->error);
    status = drop_repeated(m, rows, &seen);
    map_close(&seen.first);
    free(seen.next);
    return status;
}

/* Those between OFFSET and LIMIT, of outputs that were all kept. */
static void cut_outputs(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    struct machine_rows *rows = &s->outputs;
    size_t left_out = (uint64_t)s->offset < rows->count ? (size_t)s->offset : rows->count;

    rows->count -= left_out;
    if ((uint64_t)s->limit < rows->count)
        rows->count = (size_t)s->limit;
    if (left_out > 0 && rows->count > 0 && rows->width > 0)
        memmove(rows->cells, rows_at(rows, left_out),
                rows->count * rows->width * sizeof *rows->cells);
    s->affected = rows->count;
}

static enum status settle_outputs(struct machine *m)
{
    TRY(make_distinct(m, &m->statement.outputs));
    cut_outputs(m);
    return STATUS_OK;
}

static enum status refuse_count(struct machine *m)
{
    const struct machine_statement *s = &m->statement;
    size_t count = s->outputs.count;

    if (count == 0 && s->query->use == QUERY_USE_ONE)
        return sql_error_set(&m->error, SQLSTATE_NO_DATA, "query returned no rows");
    if (count > 1 && (s->query->use == QUERY_USE_ONE || s->query->tree->kind != QUERY_SELECT))
        return sql_error_set(&m->error, SQLSTATE_TOO_MANY_ROWS,
                             "query returned more than one row");
    return STATUS_OK;
}

static void give_first(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    struct datum *to = machine_slots(m) + s->query->to;
    size_t bytes = s->query->select.output_count * sizeof *to;

    if (bytes == 0)
        return;
    if (s->outputs.count > 0)
        memcpy(to, s->outputs.cells, bytes);
    else
        memset(to, 0, bytes);
}

static enum status machine_push_result(struct machine *, struct machine_rows *);

static int compare_cells(const void *a, const void *b)
{
    return datum_compare(a, b);
}

/* In order, each once; nulls only as one that there is. */
static enum status push_set(struct machine *m)
{
    struct machine_rows *rows = &m->statement.outputs;
    size_t count = 0, kept = 0;
    bool has_null;

    TRY(machine_spend(m, rows->count));
    for (size_t i = 0; i < rows->count; i++)
        if (!datum_is_null(&rows->cells[i]))
            rows->cells[count++] = rows->cells[i];
    has_null = count < rows->count;
    if (count > 1)
        qsort(rows->cells, count, sizeof *rows->cells, compare_cells);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || datum_compare(&rows->cells[kept - 1], &rows->cells[i]) != 0)
            rows->cells[kept++] = rows->cells[i];
    rows->count = kept;
    TRY(machine_push_result(m, rows));
    m->results[m->result_count - 1].has_null = has_null;
    return STATUS_OK;
}

/* Whether the value behind the slot is among the outputs. */
static struct datum find_among(const struct machine_rows *rows, const struct datum *value)
{
    bool has_null = datum_is_null(value) && rows->count > 0;

    for (size_t i = 0; i < rows->count && !datum_is_null(value); i++) {
        if (datum_is_null(&rows->cells[i]))
            has_null = true;
        else if (datum_compare(&rows->cells[i], value) == 0)
            return datum_of_bool(true);
    }
    return has_null ? datum_null() : datum_of_bool(false);
}

static enum status give_value(struct machine *m, struct datum *to)
{
    const struct machine_rows *rows = &m->statement.outputs;

    if (m->statement.query->use == QUERY_USE_EARLY_VALUE)
        to[1] = datum_of_bool(rows->count > 1);
    else if (rows->count > 1)
        return sql_error_set(&m->error, SQLSTATE_CARDINALITY,
                             "more than one row returned by a subquery used as an expression");
    *to = rows->count > 0 ? rows->cells[0] : datum_null();
    return STATUS_OK;
}

/* Where the outputs go. The sets are of no use any more, and what is given may be one. */
static enum status give(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct query_code *q = s->query;
    struct datum *slots = machine_slots(m);

    m->affected = s->affected;
    machine_drop_results(m, s->first_set);
    switch (q->use) {
    case QUERY_USE_ALL:
        return machine_push_result(m, &s->outputs);
    case QUERY_USE_SET:
        return push_set(m);
    case QUERY_USE_VALUE:
    case QUERY_USE_EARLY_VALUE:
        return give_value(m, &slots[q->to]);
    case QUERY_USE_EXISTS:
        slots[q->to] = datum_of_bool(s->affected > 0);
        return STATUS_OK;
    case QUERY_USE_IN:
        slots[q->to] = find_among(&s->outputs, &slots[q->to + 1]);
        return STATUS_OK;
    case QUERY_USE_FOUND:
        break;
    case QUERY_USE_FIRST:
    case QUERY_USE_ONE:
    case QUERY_USE_ARM:
        TRY(refuse_count(m));
        give_first(m);
        break;
    }
    slots[q->found] = datum_of_bool(s->affected > 0);
    return STATUS_OK;
}

static void drop_inputs(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    machine_drop_rows(m, &s->parameters);
    machine_drop_rows(m, &s->values);
    for (uint32_t i = 0; i < s->query->read_count; i++)
        machine_drop_rows(m, &s->inputs[i]);
    s->restricted_count = 0;
}

/* The rows of a UNION, and what they are ordered by: numbers of outputs. */
struct union_order {
    const struct machine_rows *rows;
    const struct select *select;
};

static int compare_keys(const void *context, size_t left, size_t right)
{
    const struct machine_rows *rows = ((const struct union_order *)context)->rows;
    const struct select *select = ((const struct union_order *)context)->select;
    const struct datum *a = rows_at(rows, left), *b = rows_at(rows, right);

    for (uint32_t i = 0; i < select->order_count; i++) {
        const struct order_item *item = &select->order[i];
        const struct datum *x = &a[item->output], *y = &b[item->output];
        int order = 0;

        if (datum_is_null(x) != datum_is_null(y))
            return datum_is_null(x) == item->nulls_first ? -1 : 1;
        if (!datum_is_null(x))
            order = datum_compare(x, y);
        if (order != 0)
            return item->descending ? -order : order;
    }
    return 0;
}

static enum status order_outputs(struct machine *m, const struct select *select)
{
    struct machine_rows *rows = &m->statement.outputs;
    size_t count = rows->count, bytes = rows->width * sizeof *rows->cells;
    size_t *places = malloc((2 * count + 1) * sizeof *places);
    struct datum *sorted = malloc(count * bytes + 1);

    if (!places || !sorted) {
        free(places);
        free(sorted);
        return sql_error_no_memory(&m->error);
    }
    for (size_t i = 0; i < count; i++)
        places[i] = i;
    sort_stable(places, places + count, count, compare_keys,
                &(struct union_order){ rows, select });
    for (size_t i = 0; i < count && bytes > 0; i++)
        memcpy(sorted + i * rows->width, rows_at(rows, places[i]), bytes);
    if (count * bytes > 0)
        memcpy(rows->cells, sorted, count * bytes);
    free(places);
    free(sorted);
    return STATUS_OK;
}

static enum status note_ties(struct machine *m, const struct select *select)
{
    const struct machine_rows *rows = &m->statement.outputs;
    uint32_t tie = 0;

    for (size_t i = 0; i < rows->count; i++) {
        tie += i > 0 && compare_keys(&(struct union_order){ rows, select }, i - 1, i) != 0;
        TRY(machine_note_tie(m, tie));
    }
    return STATUS_OK;
}

/* All arms have given their rows: what the whole says of them. */
static enum status finish_union(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct select *select = &s->whole->tree->as.select;

    s->query = s->whole;
    if (select->order_count > 0)
        TRY(order_outputs(m, select));
    if (select->order_count > 0 && machine_tells_ties(m))
        TRY(note_ties(m, select));
    TRY(machine_select_counts(m));
    cut_outputs(m);
    return STATUS_OK;
}

enum status machine_statement_finish(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct query_code *q = s->query;

    if (q->select.distinct)
        TRY(settle_outputs(m));
    /* Whatever points into an answer is in these. */
    if (q->scratch_end > q->scratch)
        memset(machine_slots(m) + q->scratch, 0, (q->scratch_end - q->scratch) * sizeof(struct datum));
    if (s->whole) {
        drop_inputs(m);
        if (!s->whole->arms[s->arm].keeps_all)
            TRY(make_distinct(m, &s->outputs));
        if (++s->arm < s->whole->arm_count)
            return begin_arm(m);
        TRY(finish_union(m));
    }
    TRY(give(m));
    machine_statement_drop(m);
    return STATUS_OK;
}

void machine_statement_drop(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    if (s->query)
        drop_inputs(m);
    machine_drop_rows(m, &s->before);
    machine_drop_rows(m, &s->after);
    machine_drop_rows(m, &s->assigned);
    machine_drop_rows(m, &s->outputs);
    s->query = s->whole = NULL;
}

#define CELLS_MIN 8
#define CELLS_LITTLE 64 /* what rows keep while they are empty */

static enum status grow(struct machine *m, struct machine_rows *rows, size_t cells)
{
    size_t room = rows->room + rows->room / 2, bytes;
    void *at;

    if (room < cells)
        room = cells;
    if (room < CELLS_MIN)
        room = CELLS_MIN;
    bytes = (room - rows->room) * sizeof *rows->cells;
    if (room > m->bytes_max / sizeof *rows->cells || bytes > m->bytes_max - m->row_bytes)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    at = realloc(rows->cells, room * sizeof *rows->cells);
    if (!at)
        return sql_error_no_memory(&m->error);
    rows->cells = at;
    rows->room = room;
    m->row_bytes += bytes;
    return STATUS_OK;
}

enum status machine_add_rows(struct machine *m, struct machine_rows *rows, size_t count)
{
    size_t used = rows->count * rows->width, more = count * rows->width;

    if (more > rows->room - used)
        TRY(grow(m, rows, used + more));
    if (more > 0)
        memset(rows->cells + used, 0, more * sizeof *rows->cells);
    rows->count += count;
    return STATUS_OK;
}

enum status machine_add_row(struct machine *m, struct machine_rows *rows, struct datum **row)
{
    TRY(machine_add_rows(m, rows, 1));
    *row = rows_at(rows, rows->count - 1);
    return STATUS_OK;
}

enum status machine_keep_row(struct machine *m, struct machine_rows *rows, const struct datum *from)
{
    struct datum *to;

    TRY(machine_add_row(m, rows, &to));
    for (uint32_t i = 0; i < rows->width; i++)
        TRY(datum_copy(&from[i], &m->heap, &to[i], &m->error));
    return STATUS_OK;
}

void machine_drop_rows(struct machine *m, struct machine_rows *rows)
{
    rows->count = 0;
    if (rows->room <= CELLS_LITTLE)
        return;
    m->row_bytes -= rows->room * sizeof *rows->cells;
    free(rows->cells);
    *rows = (struct machine_rows){ .width = rows->width };
}

enum status machine_move_rows(struct machine_rows *rows, struct heap *heap, struct sql_error *err)
{
    size_t cells = rows->count * rows->width;

    for (size_t i = 0; i < cells; i++)
        TRY(datum_copy(&rows->cells[i], heap, &rows->cells[i], err));
    return STATUS_OK;
}

/* Takes the rows away from where they are, for STEP_NEXT. */
static enum status machine_push_result(struct machine *m, struct machine_rows *rows)
{
    if (m->result_count == m->result_room) {
        uint32_t room = m->result_room ? 2 * m->result_room : 4;
        void *at = realloc(m->results, room * sizeof *m->results);

        if (!at)
            return sql_error_no_memory(&m->error);
        m->results = at;
        m->result_room = room;
    }
    m->results[m->result_count++] = (struct result){ .rows = *rows };
    *rows = (struct machine_rows){ .width = rows->width };
    return STATUS_OK;
}

void machine_drop_results(struct machine *m, uint32_t count)
{
    while (m->result_count > count) {
        struct machine_rows *rows = &m->results[--m->result_count].rows;

        m->row_bytes -= rows->room * sizeof *rows->cells;
        free(rows->cells);
    }
}
