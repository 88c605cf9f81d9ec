#include "programs/machine/predicates.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/predicate_shape_private.h"
#include "programs/machine/predicates_private.h"
#include "programs/values/operator_evaluate.h"

/* Of addresses; memory comes as it is used. */
#define ARENA_SIZE ((size_t)1 << 30)
#define HEAP_LIMIT ((size_t)256 << 20)

static enum status refuse_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "the predicates do not fit into memory");
}

/* --- The schema ------------------------------------------------------------------- */

static enum status declare_table(struct predicates *set, uint32_t table, struct error *err)
{
    const struct history *h = set->history;
    struct schema_table *t = &set->tables[table];
    uint32_t first = h->table_column_start[table];
    uint32_t count = h->table_column_start[table + 1] - first;
    struct schema_column *columns;

    t->name = history_text(h, h->table_name[table]);
    if (count > PREDICATE_COLUMNS_MAX)
        return STATUS_OK; /* without columns: only who asks is refused */
    t->columns = columns = arena_push(&set->arena, count, sizeof *columns);
    if (!columns)
        return refuse_memory(err);
    t->column_count = (uint16_t)count;
    for (uint32_t i = 0; i < count; i++) {
        struct sql_error error;

        columns[i].name = history_text(h, h->table_column_name[first + i]);
        /* Who reads one of a type that there is not is refused as well. */
        if (predicate_column_type(h, first + i, &columns[i].type, &error) != STATUS_OK)
            columns[i].type = type_of(TYPE_TEXT);
    }
    return STATUS_OK;
}

static enum status declare_tables(struct predicates *set, struct error *err)
{
    uint32_t count = (uint32_t)set->history->table_count;

    set->tables = arena_push(&set->arena, count, sizeof *set->tables);
    if (!set->tables)
        return refuse_memory(err);
    set->schema = (struct schema){ .tables = set->tables, .table_count = count };
    for (uint32_t i = 0; i < count; i++)
        TRY(declare_table(set, i, err));
    return STATUS_OK;
}

/* --- Conditions and their parameters ------------------------------------------------ */

/* With what it is made of on the way taken back, if it cannot be compiled. */
static enum status compile(struct predicates *set, uint32_t table, struct text text, bool has_marks,
                           struct predicate_shape *shape, struct error *err)
{
    size_t mark = set->arena.used;
    enum status status = predicate_compile(set, table, text, has_marks, shape, err);

    /* Places in the text are told in words; those in the error are a file's. */
    err->line = err->offset = 0;
    if (status != STATUS_OK) {
        arena_reset_to(&set->arena, mark);
        shape->condition = NULL;
    }
    return status;
}

static enum status compute_parameters(struct predicates *set, const struct predicate_shape *shape,
                                      const struct datum *numbers, struct datum *parameters,
                                      struct error *err)
{
    struct datum *slots = arena_push(&set->arena, shape->slot_count, sizeof *slots);
    struct sql_error error;
    struct scope scope = { .slots = slots, .heap = &set->heap, .error = &error };

    if (!slots)
        return refuse_memory(err);
    memcpy(slots, numbers, shape->number_count * sizeof *slots);
    scope.base[PLACE_CONSTANT] = shape->constants;
    scope.base[PLACE_SLOT] = slots;
    for (uint32_t i = 0; i < shape->condition->parameter_count; i++) {
        const struct datum *value;

        if (code_evaluate_formula(&shape->parameters[i], &scope, &value) != STATUS_OK)
            return error_set(err, STATUS_BAD_INPUT, "%s", error.text);
        parameters[i] = *value;
    }
    return STATUS_OK;
}

static enum status fill(struct predicates *set, const struct predicate_shape *shape,
                        const struct datum *numbers, struct predicate *predicate, struct error *err)
{
    const struct condition *condition = shape->condition;
    struct datum *parameters =
        arena_push(&set->arena, condition->parameter_count, sizeof *parameters);
    size_t mark = set->arena.used;
    enum status status;

    if (!parameters)
        return refuse_memory(err);
    status = compute_parameters(set, shape, numbers, parameters, err);
    arena_reset_to(&set->arena, mark);
    predicate->table = condition->table;
    predicate->filter = (struct filter){ .condition = condition, .parameters = parameters };
    return status;
}

/* --- Shapes ----------------------------------------------------------------------- */

static bool print_filled(struct predicates *set, const struct predicate_shape *shape,
                         const struct lifted *lifted, struct buffer *out)
{
    struct predicate predicate;
    struct error unsaid = { 0 };

    if (fill(set, shape, lifted->numbers, &predicate, &unsaid) != STATUS_OK)
        return false;
    condition_print_filter(&predicate.filter, &set->schema, out);
    return !out->out_of_memory;
}

/*
 * Whether the text that a shape was made of comes out the same if it is compiled
 * whole. libpg_query knows parameters where PostgreSQL knows no numbers: with
 * `bigint $1` for `bigint 1` the shape would be more than its texts.
 */
static bool is_faithful(struct predicates *set, struct text text,
                        const struct predicate_shape *shape, const struct lifted *lifted)
{
    size_t mark = set->arena.used;
    struct buffer cut_text = { 0 }, whole_text = { 0 };
    struct predicate_shape whole;
    struct error unsaid = { 0 };
    bool is_same =
        compile(set, shape->condition->table, text, false, &whole, &unsaid) == STATUS_OK &&
        print_filled(set, &whole, lifted, &whole_text) &&
        print_filled(set, shape, lifted, &cut_text) &&
        whole.condition->bound_count == shape->condition->bound_count &&
        text_equal((struct text){ whole_text.at, whole_text.count },
                   (struct text){ cut_text.at, cut_text.count });

    arena_reset_to(&set->arena, mark);
    buffer_close(&cut_text);
    buffer_close(&whole_text);
    return is_same;
}

/* The shape of a text that was cut; it has no condition if it cannot be used. */
static enum status find_shape(struct predicates *set, uint32_t table, struct text text,
                              struct lifted *lifted, struct predicate_shape *shape,
                              struct error *err)
{
    struct text cut = { lifted->shape, lifted->length };
    struct text name = { lifted->shape, lifted->length + sizeof table };
    struct error unsaid = { 0 };
    uint32_t number;

    memcpy(lifted->shape + lifted->length, &table, sizeof table);
    TRY(array_reserve(&set->shapes, 1, err));
    TRY(intern_add(&set->shape_names, name, &number, err));
    if (number == set->shapes.count) {
        if (compile(set, table, cut, true, shape, &unsaid) == STATUS_OK &&
            !is_faithful(set, text, shape, lifted))
            shape->condition = NULL;
        set->shapes.at[set->shapes.count++] = *shape;
    }
    *shape = set->shapes.at[number];
    return STATUS_OK;
}

/* --- Predicates ------------------------------------------------------------------- */

static enum status add_text(struct predicates *set, uint32_t table, struct text text,
                            struct error *err)
{
    struct predicate_shape shape = { .condition = NULL };
    struct predicate predicate;
    struct lifted lifted;

    if (set->history->table_column_start[table + 1] - set->history->table_column_start[table] >
        PREDICATE_COLUMNS_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "the table has more than %d columns",
                         PREDICATE_COLUMNS_MAX);
    if (!(set->flags & PREDICATES_WHOLE) && predicate_lift(text, &lifted))
        TRY(find_shape(set, table, text, &lifted, &shape, err));
    if (!shape.condition)
        TRY(compile(set, table, text, false, &shape, err));
    TRY(fill(set, &shape, lifted.numbers, &predicate, err));
    return array_push(&set->predicates, predicate, err);
}

enum status predicates_add(struct predicates *set, uint32_t table, struct text text,
                           uint32_t *number, struct error *err)
{
    assert(table < set->schema.table_count);
    *number = (uint32_t)set->predicates.count;
    if (add_text(set, table, text, err) == STATUS_OK)
        return STATUS_OK;
    return error_wrap(err, "where of %.*s", TEXT_PRINT(set->tables[table].name));
}

/* --- The set ---------------------------------------------------------------------- */

static bool has_predicate(const struct history *h, uint32_t statement)
{
    uint32_t head = h->statement_op[statement];

    return h->op_kind[head] != OP_INSERT && !(h->op_flags[head] & OP_ERROR);
}

static enum status add_statement(struct predicates *set, uint32_t statement, struct error *err)
{
    const struct history *h = set->history;
    uint32_t table = h->statement_table[statement], where = h->statement_where[statement];
    uint32_t next = (uint32_t)set->predicates.count, number;
    struct text text = { "", 0 };
    size_t place;

    TRY(map_add(&set->numbers, (uint64_t)table << 32 | where, next, &place, err));
    set->of_statement[statement] = (uint32_t)set->numbers.values.at[place];
    if (set->of_statement[statement] < next)
        return STATUS_OK;
    if (where != HISTORY_NONE)
        text = history_text(h, where);
    if (predicates_add(set, table, text, &number, err) == STATUS_OK)
        return STATUS_OK;
    return error_wrap(err, "transaction %lld",
                      (long long)h->txn_id[history_txn_of(h, h->statement_op[statement])]);
}

static enum status add_statements(struct predicates *set, struct error *err)
{
    size_t count = set->history->statement_count;

    TRY(memory_resize((void **)&set->of_statement, count + 1, sizeof *set->of_statement, err));
    for (uint32_t s = 0; s < count; s++) {
        set->of_statement[s] = PREDICATE_NONE;
        if (has_predicate(set->history, s))
            TRY(add_statement(set, s, err));
    }
    return STATUS_OK;
}

enum status predicates_open(struct predicates **out, const struct history *history, unsigned flags,
                            struct error *err)
{
    struct predicates *set = calloc(1, sizeof *set);
    enum status status;

    *out = NULL;
    if (!set)
        return refuse_memory(err);
    set->history = history;
    set->flags = flags;
    heap_init(&set->heap, HEAP_LIMIT);
    status = arena_init(&set->arena, ARENA_SIZE, err);
    if (status == STATUS_OK)
        status = declare_tables(set, err);
    if (status == STATUS_OK)
        status = add_statements(set, err);
    if (status == STATUS_OK)
        *out = set;
    else
        predicates_close(set);
    return status;
}

void predicates_close(struct predicates *set)
{
    if (!set)
        return;
    intern_close(&set->shape_names);
    array_close(&set->shapes);
    map_close(&set->numbers);
    array_close(&set->predicates);
    free(set->of_statement);
    heap_close(&set->heap);
    arena_close(&set->arena);
    free(set);
}

uint32_t predicates_count(const struct predicates *set)
{
    return (uint32_t)set->predicates.count;
}

const struct predicate *predicates_get(const struct predicates *set, uint32_t number)
{
    assert(number < set->predicates.count);
    return &set->predicates.at[number];
}

uint32_t predicates_of_statement(const struct predicates *set, uint32_t statement)
{
    assert(statement < set->history->statement_count);
    return set->of_statement[statement];
}

void predicates_print(const struct predicates *set, uint32_t number, struct buffer *out)
{
    condition_print_filter(&predicates_get(set, number)->filter, &set->schema, out);
}

/*
 * Rows of the history as rows of SQL, only as far as a condition reads them.
 */

#define COMPUTED_BYTES_MAX ((size_t)16 << 20) /* of texts and arrays, while a row is judged */

enum status predicate_scratch_init(struct predicate_scratch *scratch, struct error *err)
{
    scratch->row = calloc(PREDICATE_COLUMNS_MAX, sizeof *scratch->row);
    heap_init(&scratch->heap, COMPUTED_BYTES_MAX);
    if (!scratch->row)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the rows of predicates");
    return STATUS_OK;
}

void predicate_scratch_close(struct predicate_scratch *scratch)
{
    heap_close(&scratch->heap);
    free(scratch->row);
    scratch->row = NULL;
}

/* --- Values ------------------------------------------------------------------------ */

enum status predicate_column_type(const struct history *h, uint32_t column, struct type *type,
                                  struct sql_error *err)
{
    *type = type_of(TYPE_BIGINT_ARRAY);
    if (h->table_column_kind[column] == COLUMN_LIST)
        return STATUS_OK; /* whose elements are 64 bits wide in a history, whatever it is called */
    return type_parse(history_text(h, h->table_column_type[column]), type, err);
}

static enum status refuse_value(struct type type, struct text text, struct sql_error *err)
{
    char name[TYPE_PRINT_MAX];

    return sql_error_set(err, SQLSTATE_TEXT_REPRESENTATION, "\"%.*s\" is no %s", TEXT_PRINT(text),
                         type_print(type, name));
}

static enum status read_integer(struct type type, int64_t number, struct datum *out,
                                struct sql_error *err)
{
    bool fits = type.kind == TYPE_BIGINT ||
                (type.kind == TYPE_INTEGER && number >= INT32_MIN && number <= INT32_MAX) ||
                (number >= INT16_MIN && number <= INT16_MAX);
    char digits[20];

    *out = datum_of_int64(number);
    if (fits)
        return STATUS_OK;
    return refuse_value(
        type, (struct text){ digits, (size_t)(text_write_int64(digits, number) - digits) }, err);
}

/* With the declared scale, which shows once it is cast to text; that must not change it. */
static enum status read_numeric(struct type type, struct text text, struct datum *out,
                                struct sql_error *err)
{
    struct numeric number, fitted;

    if (numeric_parse(text, &number, err) != STATUS_OK)
        return refuse_value(type, text, err);
    *out = datum_of_numeric(number);
    if (type.precision == 0)
        return STATUS_OK;
    if (numeric_fit(number, type.precision, type.scale, &fitted, err) != STATUS_OK ||
        numeric_compare(number, fitted) != 0)
        return refuse_value(type, text, err);
    *out = datum_of_numeric(fitted);
    return STATUS_OK;
}

static enum status read_text(struct type type, struct text text, struct datum *out,
                             struct sql_error *err)
{
    *out = datum_of_text(text);
    if (type.length == 0 || operator_clip(text, type.length) == text.length)
        return STATUS_OK;
    return refuse_value(type, text, err);
}

static struct datum list_of(const struct history *h, int64_t list)
{
    uint64_t from = h->list_start[list];

    return (struct datum){ .kind = DATUM_ARRAY,
                           .length = (uint32_t)(h->list_start[list + 1] - from),
                           .as.array.at = h->list_element + from };
}

/* The history's kinds of values and its columns agree: history_check() has seen to it. */
static enum status read_cell(const struct history *h, struct type type, uint64_t cell,
                             struct datum *out, struct sql_error *err)
{
    int64_t bits = h->cell_value[cell];

    switch ((enum value_kind)h->cell_kind[cell]) {
    case VALUE_INTEGER:
        if (type.kind != TYPE_TIMESTAMP)
            return read_integer(type, bits, out, err);
        *out = datum_of_timestamp(bits);
        return STATUS_OK;
    case VALUE_BOOLEAN:
        *out = datum_of_bool(bits);
        return STATUS_OK;
    case VALUE_TEXT:
        if (type.kind == TYPE_NUMERIC)
            return read_numeric(type, history_text(h, (uint32_t)bits), out, err);
        return read_text(type, history_text(h, (uint32_t)bits), out, err);
    case VALUE_LIST:
        *out = list_of(h, bits);
        return STATUS_OK;
    default:
        assert(h->cell_kind[cell] == VALUE_NULL);
        *out = datum_null();
        return STATUS_OK;
    }
}

static bool is_row(const struct history *h, uint32_t table, struct value row)
{
    return row.kind == VALUE_ROW && h->row_shape[row.bits] == h->table_shape[table];
}

enum status predicates_read(const struct predicates *set, uint32_t table, struct value row,
                            uint16_t column, struct datum *out, struct sql_error *err)
{
    const struct schema_table *t = &set->tables[table];

    assert(is_row(set->history, table, row) && column < t->column_count);
    return read_cell(set->history, t->columns[column].type,
                     set->history->row_start[row.bits] + column, out, err);
}

enum status predicates_read_other(const struct predicates *set, const struct history *h,
                                  struct predicate_cell cell, struct datum *out,
                                  struct sql_error *err)
{
    const struct schema_table *t = &set->tables[cell.table];

    assert(cell.row.kind == VALUE_ROW && cell.column < t->column_count);
    return read_cell(h, t->columns[cell.column].type, h->row_start[cell.row.bits] + cell.column,
                     out, err);
}

/* --- Answers ----------------------------------------------------------------------- */

static bool is_outside(const struct range *r, const struct datum *value)
{
    int low, high;

    if (!r->has_low && !r->has_high)
        return false;
    if (datum_is_null(value))
        return true;
    low = r->has_low ? datum_compare(value, &r->low) : 1;
    high = r->has_high ? datum_compare(value, &r->high) : -1;
    return low < 0 || high > 0 || (low == 0 && r->low_is_open) || (high == 0 && r->high_is_open);
}

/* Of a row that could not be judged, and perhaps not even be read. */
static enum predicate_answer answer_failure(const struct predicates *set, const struct predicate *p,
                                            struct value row)
{
    const struct schema_columns columns = p->filter.condition->columns;

    for (uint16_t i = 0; i < columns.count; i++) {
        struct range range = condition_range(&p->filter, columns.at[i]);
        struct sql_error unread;
        struct datum value;

        if (predicates_read(set, p->table, row, columns.at[i], &value, &unread) == STATUS_OK &&
            is_outside(&range, &value))
            return PREDICATE_NO;
    }
    return condition_is_empty(&p->filter) ? PREDICATE_NO : PREDICATE_UNDECIDED;
}

/* Of the commonest only what an integer has is written: all of a datum would take twice as long. */
static inline enum status read_quickly(const struct history *h, const struct schema_column *column,
                                       uint64_t cell, struct datum *out, struct sql_error *err)
{
    if (h->cell_kind[cell] != VALUE_INTEGER || column->type.kind != TYPE_BIGINT)
        return read_cell(h, column->type, cell, out, err);
    out->kind = DATUM_INTEGER;
    out->as.integer = h->cell_value[cell];
    return STATUS_OK;
}

enum predicate_answer predicates_match(const struct predicates *set, uint32_t number,
                                       struct value row, struct predicate_scratch *scratch)
{
    const struct predicate *p = predicates_get(set, number);
    const struct history *h = set->history;
    const struct schema_column *all = set->tables[p->table].columns;
    const struct schema_columns columns = p->filter.condition->columns;
    bool matches;

    if (!is_row(h, p->table, row))
        return PREDICATE_NO;
    for (uint16_t i = 0; i < columns.count; i++) {
        uint16_t column = columns.at[i];

        if (read_quickly(h, &all[column], h->row_start[row.bits] + column, &scratch->row[column],
                         &scratch->error) != STATUS_OK)
            return answer_failure(set, p, row);
    }
    if (condition_evaluate(&p->filter, scratch->row, &scratch->heap, &matches, &scratch->error) !=
        STATUS_OK)
        return answer_failure(set, p, row);
    return matches ? PREDICATE_YES : PREDICATE_NO;
}

enum predicate_answer predicates_match_datums(const struct predicates *set, uint32_t number,
                                              const struct datum *row,
                                              struct predicate_scratch *scratch)
{
    const struct predicate *p = predicates_get(set, number);
    const struct schema_columns columns = p->filter.condition->columns;
    bool matches;

    if (condition_evaluate(&p->filter, row, &scratch->heap, &matches, &scratch->error) == STATUS_OK)
        return matches ? PREDICATE_YES : PREDICATE_NO;
    for (uint16_t i = 0; i < columns.count; i++) {
        struct range range = condition_range(&p->filter, columns.at[i]);

        if (is_outside(&range, &row[columns.at[i]]))
            return PREDICATE_NO;
    }
    return condition_is_empty(&p->filter) ? PREDICATE_NO : PREDICATE_UNDECIDED;
}
