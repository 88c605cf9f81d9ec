/*
 * Nested loops over what was read, in the order of the reads. A level that is
 * joined by equality has its rows sorted by that column, so that only those with
 * the value are looked at; in all levels, rows keep the order they came in.
 */
#include "programs/machine/machine_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

struct level {
    const struct read_code *read;
    const struct datum **rows;
    size_t count;
};

struct join {
    struct machine *m;
    struct tuples *tuples; /* or NULL: to outputs */
    struct level levels[SOURCES_MAX];
    uint32_t level_count;
    struct scope scope;
};

void join_aim(const struct machine *m, struct scope *scope, const struct datum *const *tuple)
{
    const struct query_code *q = m->statement.query;

    for (uint32_t i = 0; i < q->read_count; i++)
        scope->base[PLACE_ROW + i] = tuple[i];
}

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
static enum status sort_level(struct machine *m, struct level *level)
{
    uint16_t column = level->read->joins[0].column;
    const struct datum **spare = malloc((level->count + 1) * sizeof *spare);
    size_t count = 0;

    if (!spare)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
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
    struct statement *s = &m->statement;
    struct level *level = &j->levels[number];
    bool is_last = number + 1 == s->query->read_count;
    size_t count = is_last ? m->answer_count : s->inputs[number].count;

    level->read = &s->query->reads[number];
    level->rows = malloc((count + 1) * sizeof *level->rows);
    if (!level->rows)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        bool matches = true;

        if (is_last)
            TRY(statement_match(m, m->answer[i], &matches));
        if (matches)
            level->rows[level->count++] = is_last ? m->answer[i] : rows_at(&s->inputs[number], i);
    }
    return level->read->join_count > 0 ? sort_level(m, level) : STATUS_OK;
}

static enum status emit(struct join *j)
{
    struct machine *m = j->m;
    struct tuples *t = j->tuples;
    struct error err;

    if (!t)
        return statement_output(m, &j->scope);
    if (array_reserve(&t->at, t->width, &err) != STATUS_OK ||
        t->at.count * sizeof *t->at.at > m->bytes_max)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    for (uint32_t i = 0; i < t->width; i++)
        t->at.at[t->at.count++] = j->scope.base[PLACE_ROW + i];
    t->count++;
    return STATUS_OK;
}

static size_t first_not_below(const struct level *level, const struct datum *value)
{
    uint16_t column = level->read->joins[0].column;
    size_t from;

    BISECT(from, 0, level->count, datum_compare(&level->rows[from][column], value) < 0);
    return from;
}

static enum status passes(struct join *j, const struct level *level, bool *does)
{
    *does = false;
    for (uint32_t i = 0; i < level->read->filter_count; i++) {
        const struct datum *value;

        TRY(formula_evaluate(&level->read->filters[i], &j->scope, &value));
        if (!datum_is_true(value))
            return STATUS_OK;
    }
    *does = true;
    return STATUS_OK;
}

static enum status descend(struct join *j, uint32_t number);

/* `wanted` is what the join column must be, or null: anything. */
static enum status go_through(struct join *j, uint32_t number, struct datum wanted)
{
    const struct level *level = &j->levels[number];
    bool is_joined = !datum_is_null(&wanted), does;

    for (size_t i = is_joined ? first_not_below(level, &wanted) : 0; i < level->count; i++) {
        if (is_joined &&
            datum_compare(&level->rows[i][level->read->joins[0].column], &wanted) != 0)
            break;
        TRY(machine_spend(j->m, 1));
        j->scope.base[PLACE_ROW + level->read->source] = level->rows[i];
        TRY(passes(j, level, &does));
        if (does)
            TRY(descend(j, number + 1));
        if (!j->tuples && select_has_enough(j->m))
            break;
    }
    return STATUS_OK;
}

static enum status descend(struct join *j, uint32_t number)
{
    const struct read_code *read;
    const struct datum *wanted;

    if (number == j->level_count)
        return emit(j);
    read = j->levels[number].read;
    if (read->join_count == 0)
        return go_through(j, number, datum_null());
    TRY(formula_evaluate(&read->joins[0].value, &j->scope, &wanted));
    return datum_is_null(wanted) ? STATUS_OK : go_through(j, number, *wanted);
}

/* Of as many sources as have been read. */
enum status join_run(struct machine *m, struct tuples *tuples)
{
    struct join j = { .m = m, .tuples = tuples, .level_count = m->statement.step };
    enum status status = STATUS_OK;

    machine_scope(m, &j.scope);
    for (uint32_t i = 0; i < j.level_count && status == STATUS_OK; i++)
        status = fill_level(&j, i);
    if (status == STATUS_OK && (tuples || !select_has_enough(m)))
        status = descend(&j, 0);
    for (uint32_t i = 0; i < j.level_count; i++)
        free(j.levels[i].rows);
    return status;
}
