#include "programs/machine/machine_join_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "programs/machine/machine_statement_private.h"

/* Merges two runs that are in order; of equals the first stay first. */
static void merge(const struct datum **to, const struct datum **a, size_t a_count,
                  const struct datum **b, size_t b_count, uint16_t column)
{
    while (a_count > 0 && b_count > 0) {
        if (datum_compare(&a[0][column], &b[0][column]) <= 0)
            *to++ = *a++, a_count--;
        else
            *to++ = *b++, b_count--;
    }
    memcpy(to, a, a_count * sizeof *a);
    memcpy(to + a_count, b, b_count * sizeof *b);
}

static void sort_by_column(const struct datum **rows, const struct datum **spare, size_t count,
                           uint16_t column)
{
    size_t half = count / 2;

    if (count < 2)
        return;
    sort_by_column(rows, spare, half, column);
    sort_by_column(rows + half, spare, count - half, column);
    memcpy(spare, rows, count * sizeof *rows);
    merge(rows, spare, half, spare + half, count - half, column);
}

/* Rows whose join column is null join nothing. */
static enum status sort_level(struct machine *m, struct join_level *level)
{
    uint16_t column = level->read->joins[0].column;
    const struct datum **spare = malloc((level->count + 1) * sizeof *spare);
    size_t count = 0;

    if (!spare)
        return sql_error_no_memory(&m->error);
    for (size_t i = 0; i < level->count; i++)
        if (!datum_is_null(&level->rows[i][column]))
            level->rows[count++] = level->rows[i];
    level->count = count;
    sort_by_column(level->rows, spare, count, column);
    free(spare);
    return STATUS_OK;
}

/* Pointers to the rows: of the last read those of the answer that match, else those kept. */
static enum status fill_level(struct join *j, uint32_t number)
{
    struct machine *m = j->m;
    struct machine_statement *s = &m->statement;
    struct join_level *level = &j->levels[number];
    bool is_last = s->has_last && number + 1 == s->query->read_count;
    size_t count = is_last ? m->answer_count : s->inputs[number].count;

    level->read = &s->query->reads[number];
    level->rows = malloc((count + 1) * sizeof *level->rows);
    if (!level->rows)
        return sql_error_no_memory(&m->error);
    for (size_t i = 0; i < count; i++) {
        bool matches = true;

        if (is_last)
            TRY(machine_statement_match(m, m->answer[i], &matches));
        if (matches)
            level->rows[level->count++] = is_last ? m->answer[i] : rows_at(&s->inputs[number], i);
    }
    return level->read->join_count > 0 ? sort_level(m, level) : STATUS_OK;
}

static void begin(struct join *j, struct machine *m)
{
    j->m = m;
    j->level_end = m->statement.query->read_count;
    memset(j->levels, 0, j->level_end * sizeof *j->levels);
}

enum status machine_join_open(struct join *j, struct machine *m, const uint16_t *levels, uint32_t count)
{
    enum status status = STATUS_OK;

    begin(j, m);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = fill_level(j, levels[i]);
    return status;
}

enum status machine_join_open_all(struct join *j, struct machine *m)
{
    enum status status = STATUS_OK;

    begin(j, m);
    for (uint32_t i = 0; i < m->statement.query->read_count && status == STATUS_OK; i++)
        status = fill_level(j, i);
    return status;
}

void machine_join_close(struct join *j)
{
    for (uint32_t i = 0; i < j->level_end; i++)
        free(j->levels[i].rows);
}

static size_t first_not_below(const struct join_level *level, const struct datum *value)
{
    uint16_t column = level->read->joins[0].column;
    size_t from;

    BISECT(from, 0, level->count, datum_compare(&level->rows[from][column], value) < 0);
    return from;
}

enum status machine_join_passes(const struct formula *filters, uint32_t count, struct scope *scope, bool *does)
{
    *does = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&filters[i], scope, &value));
        if (!datum_is_true(value))
            return STATUS_OK;
    }
    *does = true;
    return STATUS_OK;
}

static enum status descend(struct join_walk *w, uint32_t depth);

/* The row is aimed at, and has passed the filters. */
static enum status go_on(struct join_walk *w, uint32_t depth, const struct join_level *level)
{
    bool does;

    if (level->read->after_count > 0) {
        TRY(machine_join_passes(level->read->after, level->read->after_count, w->scope, &does));
        if (!does)
            return STATUS_OK;
    }
    return descend(w, depth + 1);
}

/* `wanted` is what the join column must be, or null: anything. */
static enum status go_through(struct join_walk *w, uint32_t depth, struct datum wanted, bool *found)
{
    const struct join_level *level = &w->join->levels[w->path[depth]];
    const struct read_code *read = level->read;
    bool is_joined = !datum_is_null(&wanted), does = true;
    bool is_last = depth + 1 == w->length && w->filter_count == 0 && read->after_count == 0;

    for (size_t i = is_joined ? first_not_below(level, &wanted) : 0; i < level->count; i++) {
        if (is_joined && datum_compare(&level->rows[i][read->joins[0].column], &wanted) != 0)
            break;
        TRY(machine_spend(w->join->m, 1));
        w->scope->base[PLACE_ROW + read->source] = level->rows[i];
        if (read->filter_count > 0)
            TRY(machine_join_passes(read->filters, read->filter_count, w->scope, &does));
        if (!does)
            continue;
        *found = true;
        TRY(is_last ? w->found(w) : go_on(w, depth, level));
        if (w->is_done)
            break;
    }
    return STATUS_OK;
}

static enum status finish_tuple(struct join_walk *w)
{
    bool does;

    if (w->filter_count > 0) {
        TRY(machine_join_passes(w->filters, w->filter_count, w->scope, &does));
        if (!does)
            return STATUS_OK;
    }
    return w->found(w);
}

static enum status descend(struct join_walk *w, uint32_t depth)
{
    const struct join_level *level;
    const struct datum *wanted;
    struct datum value = datum_null();
    bool found = false, is_possible = true;

    if (depth == w->length)
        return finish_tuple(w);
    level = &w->join->levels[w->path[depth]];
    if (level->read->join_count > 0) {
        TRY(code_evaluate_formula(&level->read->joins[0].value, w->scope, &wanted));
        is_possible = !datum_is_null(wanted);
        value = *wanted;
    }
    if (is_possible)
        TRY(go_through(w, depth, value, &found));
    if (found || !level->read->is_optional || w->is_done)
        return STATUS_OK;
    w->scope->base[PLACE_ROW + level->read->source] = w->join->m->program->code->nulls;
    return go_on(w, depth, level);
}

enum status machine_join_run(struct join_walk *w)
{
    return descend(w, 0);
}

/* --- Tuples -------------------------------------------------------------------- */

static enum status add_tuple(struct join_walk *w)
{
    struct tuples *t = w->context;
    struct machine *m = w->join->m;
    struct error err;

    if (array_reserve(&t->at, t->width, &err) != STATUS_OK)
        return sql_error_no_memory(&m->error);
    if (t->at.count * sizeof *t->at.at > m->bytes_max)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    for (uint32_t i = 0; i < t->width; i++)
        t->at.at[t->at.count++] = w->scope->base[PLACE_ROW + t->sources[i]];
    t->count++;
    return STATUS_OK;
}

enum status machine_join_collect(struct join_walk *w, struct tuples *tuples)
{
    *tuples = (struct tuples){ .sources = w->sources, .width = w->length };
    w->found = add_tuple;
    w->context = tuples;
    return machine_join_run(w);
}

void machine_join_aim(const struct tuples *tuples, size_t tuple, struct scope *scope)
{
    const struct datum *const *at = tuples->at.at + tuple * tuples->width;

    for (uint32_t i = 0; i < tuples->width; i++)
        scope->base[PLACE_ROW + tuples->sources[i]] = at[i];
}

/* --- What is to be read next ---------------------------------------------------- */

static int compare_values(const void *a, const void *b)
{
    return datum_compare(a, b);
}

/* The values that a join's other side has in the tuples so far. */
static enum status collect_values(struct machine *m, const struct join_code *join,
                                  const struct tuples *tuples, struct restricted *restricted)
{
    struct machine_statement *s = &m->statement;
    struct datum *first;
    struct scope scope;
    size_t count = 0;

    restricted->column = join->column;
    restricted->first = s->values.count;
    TRY(machine_add_rows(m, &s->values, tuples->count));
    machine_scope(m, &scope);
    first = tuples->count > 0 ? s->values.cells + restricted->first : NULL;
    for (size_t i = 0; i < tuples->count; i++) {
        const struct datum *value;

        machine_join_aim(tuples, i, &scope);
        TRY(code_evaluate_formula(&join->value, &scope, &value));
        if (!datum_is_null(value))
            first[count++] = *value;
    }
    if (count > 1)
        qsort(first, count, sizeof *first, compare_values);
    restricted->count = count > 0;
    for (size_t i = 1; i < count; i++)
        if (datum_compare(&first[restricted->count - 1], &first[i]) != 0)
            first[restricted->count++] = first[i];
    s->values.count = restricted->first + restricted->count;
    return STATUS_OK;
}

static enum status copy_set(struct machine *m, const struct set_code *set,
                            struct restricted *restricted)
{
    struct machine_statement *s = &m->statement;
    const struct machine_rows *rows = &m->results[s->first_set + set->set].rows;

    restricted->column = set->column;
    restricted->first = s->values.count;
    restricted->count = rows->count;
    TRY(machine_add_rows(m, &s->values, rows->count));
    if (rows->count > 0)
        memcpy(s->values.cells + restricted->first, rows->cells, rows->count * sizeof *rows->cells);
    return STATUS_OK;
}

static enum status collect_tuples(struct machine *m, const struct read_code *next,
                                  struct tuples *tuples)
{
    struct join j;
    struct scope scope;
    struct join_walk walk = {
        .join = &j,
        .path = next->before,
        .sources = next->before_sources,
        .length = next->before_count,
        .scope = &scope,
    };
    enum status status = machine_join_open(&j, m, next->before, next->before_count);

    machine_scope(m, &scope);
    *tuples = (struct tuples){ .width = 0 };
    if (status == STATUS_OK)
        status = machine_join_collect(&walk, tuples);
    machine_join_close(&j);
    return status;
}

enum status machine_join_restrict(struct machine *m, const struct read_code *next, bool *is_empty)
{
    struct machine_statement *s = &m->statement;
    struct tuples tuples = { .width = 0 };
    enum status status = STATUS_OK;

    s->values.count = 0;
    s->restricted_count = 0;
    *is_empty = false;
    if (next->join_count > 0)
        status = collect_tuples(m, next, &tuples);
    for (uint32_t i = 0; i < next->join_count && i < RESTRICTIONS_MAX && status == STATUS_OK; i++) {
        struct restricted *restricted = &s->restricted[s->restricted_count++];

        status = collect_values(m, &next->joins[i], &tuples, restricted);
        *is_empty |= restricted->count == 0;
    }
    for (uint32_t i = 0; i < next->set_count && s->restricted_count < RESTRICTIONS_MAX &&
                         status == STATUS_OK;
         i++) {
        struct restricted *restricted = &s->restricted[s->restricted_count++];

        status = copy_set(m, &next->sets[i], restricted);
        *is_empty |= restricted->count == 0;
    }
    array_close(&tuples.at);
    return status;
}

enum status machine_join_keep_answer(struct machine *m, uint32_t read)
{
    struct machine_statement *s = &m->statement;
    struct machine_rows *input = &s->inputs[read];
    uint32_t table = s->query->reads[read].table;

    input->width = m->program->tree.schema.tables[table].column_count;
    for (uint32_t i = 0; i < m->answer_count; i++) {
        bool matches;

        TRY(machine_statement_match(m, m->answer[i], &matches));
        if (matches)
            TRY(machine_keep_row(m, input, m->answer[i]));
    }
    return STATUS_OK;
}
