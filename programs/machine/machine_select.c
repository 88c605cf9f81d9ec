#include "programs/machine/machine_select_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "programs/machine/machine_statement_private.h"

/*
 * Nested loops over what was read, in the order of the reads. A level that is
 * joined by equality has its rows sorted by that column, so that only those with
 * the value are looked at; in all levels, rows keep the order they came in.
 */

struct join_level {
    const struct read_code *read;
    const struct datum **rows;
    size_t count;
};

struct join {
    struct machine *m;
    struct tuples *tuples; /* or NULL: to outputs */
    struct join_level levels[SOURCES_MAX];
    uint32_t level_count;
    struct scope scope;
};

/* Whether there are as many outputs as anybody wants. */
static bool select_has_enough(const struct machine *m)
{
    const struct machine_statement *s = &m->statement;
    size_t wanted = s->query->use == QUERY_USE_FIRST ? 1
                    : s->query->use == QUERY_USE_ONE ? 2
                                                     : SIZE_MAX;

    return s->affected >= wanted || (uint64_t)s->affected >= (uint64_t)s->limit;
}

static void join_aim(const struct machine *m, struct scope *scope, const struct datum *const *tuple)
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
    bool is_last = number + 1 == s->query->read_count;
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

static enum status emit(struct join *j)
{
    struct machine *m = j->m;
    struct tuples *t = j->tuples;
    struct error err;

    if (!t)
        return machine_statement_output(m, &j->scope);
    if (array_reserve(&t->at, t->width, &err) != STATUS_OK)
        return sql_error_no_memory(&m->error);
    if (t->at.count * sizeof *t->at.at > m->bytes_max)
        return sql_error_set(&m->error, SQLSTATE_OUT_OF_MEMORY, "out of memory");
    for (uint32_t i = 0; i < t->width; i++)
        t->at.at[t->at.count++] = j->scope.base[PLACE_ROW + i];
    t->count++;
    return STATUS_OK;
}

static size_t first_not_below(const struct join_level *level, const struct datum *value)
{
    uint16_t column = level->read->joins[0].column;
    size_t from;

    BISECT(from, 0, level->count, datum_compare(&level->rows[from][column], value) < 0);
    return from;
}

static enum status passes(struct join *j, const struct join_level *level, bool *does)
{
    *does = false;
    for (uint32_t i = 0; i < level->read->filter_count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&level->read->filters[i], &j->scope, &value));
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
    const struct join_level *level = &j->levels[number];
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
    TRY(code_evaluate_formula(&read->joins[0].value, &j->scope, &wanted));
    return datum_is_null(wanted) ? STATUS_OK : go_through(j, number, *wanted);
}

/* Of as many sources as have been read. */
static enum status join_run(struct machine *m, struct tuples *tuples)
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

#define NOBODY SIZE_MAX

/* What becomes one row of the output: a tuple, or a group of them. */
struct select_item {
    size_t tuple; /* a group's first, NOBODY if it has none */
    size_t next;  /* the group before with the same hash, or NOBODY */
};

struct select_grouping {
    struct machine *m;
    const struct tuples *tuples;
    struct scope scope;
    struct machine_rows keys;                  /* of groups */
    ARRAY(struct select_item) items;
    ARRAY(struct aggregate) aggregates; /* of every group those of the query */
    ARRAY(size_t) group_of;            /* tuples; only where something is DISTINCT */
    struct map groups;                 /* by hash */
    struct machine_rows results;               /* of aggregates, a row a group */
    struct machine_rows order;                 /* what items are ordered by */
};

#define PUSH(g, list, value)                                                                       \
    do {                                                                                           \
        struct error push_err;                                                                     \
        if (array_push(list, value, &push_err) != STATUS_OK)                                       \
            return sql_error_no_memory(&(g)->m->error);                                            \
    } while (0)

static const struct datum *const *tuple_at(const struct select_grouping *g, size_t tuple)
{
    return g->tuples->at.at + tuple * g->tuples->width;
}

static enum status add_group(struct select_grouping *g, size_t tuple, size_t next)
{
    const struct query_code *q = g->m->statement.query;

    for (uint32_t i = 0; i < q->aggregate_count; i++) {
        struct aggregate a;

        aggregate_init(&a, &q->aggregates[i].choice);
        PUSH(g, &g->aggregates, a);
    }
    PUSH(g, &g->items, ((struct select_item){ tuple, next }));
    return STATUS_OK;
}

static bool same_keys(const struct select_grouping *g, size_t group, const struct datum *keys)
{
    const struct datum *of_group = rows_at(&g->keys, group);

    for (uint32_t i = 0; i < g->keys.width; i++)
        if (!datum_equal(&of_group[i], &keys[i]))
            return false;
    return true;
}

/* The last row of `keys` is the tuple's; it stays if there was no such group. */
static enum status find_group(struct select_grouping *g, size_t tuple, size_t *group)
{
    const struct datum *keys = rows_at(&g->keys, g->keys.count - 1);
    uint64_t hash = g->keys.width, first = NOBODY;
    struct error err;
    size_t place;

    for (uint32_t i = 0; i < g->keys.width; i++)
        hash = hash_number(hash ^ datum_hash(&keys[i]));
    map_find(&g->groups, hash, &first);
    for (*group = first; *group != NOBODY; *group = g->items.at[*group].next)
        if (same_keys(g, *group, keys)) {
            g->keys.count--;
            return STATUS_OK;
        }
    *group = g->items.count;
    if (map_add(&g->groups, hash, *group, &place, &err) != STATUS_OK)
        return sql_error_no_memory(&g->m->error);
    g->groups.values.at[place] = *group;
    return add_group(g, tuple, first);
}

static enum status choose_group(struct select_grouping *g, size_t tuple, size_t *group)
{
    const struct query_code *q = g->m->statement.query;
    struct datum *keys;

    *group = 0;
    if (q->group_count == 0) {
        if (g->items.at[0].tuple == NOBODY)
            g->items.at[0].tuple = tuple;
        return STATUS_OK;
    }
    TRY(machine_add_row(g->m, &g->keys, &keys));
    for (uint32_t i = 0; i < q->group_count; i++) {
        const struct datum *value;

        TRY(code_evaluate_formula(&q->groups[i], &g->scope, &value));
        keys[i] = *value;
    }
    return find_group(g, tuple, group);
}

static enum status add_tuple(struct select_grouping *g, size_t tuple)
{
    const struct query_code *q = g->m->statement.query;
    size_t group;

    join_aim(g->m, &g->scope, tuple_at(g, tuple));
    TRY(choose_group(g, tuple, &group));
    PUSH(g, &g->group_of, group);
    for (uint32_t i = 0; i < q->aggregate_count; i++) {
        const struct aggregate_code *code = &q->aggregates[i];
        const struct datum *value = NULL;

        if (code->distinct)
            continue;
        if (code->choice.kind != AGGREGATE_COUNT_ROWS)
            TRY(code_evaluate_formula(&code->argument, &g->scope, &value));
        TRY(aggregate_add(&g->aggregates.at[group * q->aggregate_count + i], value,
                          &g->m->error));
    }
    return STATUS_OK;
}

struct select_member {
    size_t group, tuple;
    struct datum value;
};

static int compare_members(const void *left, const void *right)
{
    const struct select_member *a = left, *b = right;
    int order;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    order = datum_compare(&a->value, &b->value);
    return order != 0 ? order : (a->tuple > b->tuple) - (a->tuple < b->tuple);
}

static enum status add_members(struct select_grouping *g, uint32_t aggregate,
                               const struct select_member *members, size_t count)
{
    uint32_t width = g->m->statement.query->aggregate_count;

    for (size_t i = 0; i < count; i++) {
        if (i > 0 && members[i].group == members[i - 1].group &&
            datum_equal(&members[i].value, &members[i - 1].value))
            continue;
        TRY(aggregate_add(&g->aggregates.at[members[i].group * width + aggregate],
                          &members[i].value, &g->m->error));
    }
    return STATUS_OK;
}

/* Each value once: those of all tuples in order, group by group. */
static enum status add_distinct(struct select_grouping *g, uint32_t aggregate)
{
    const struct formula *argument = &g->m->statement.query->aggregates[aggregate].argument;
    struct select_member *members = malloc((g->tuples->count + 1) * sizeof *members);
    enum status status = STATUS_OK;
    size_t count = 0;

    if (!members)
        return sql_error_no_memory(&g->m->error);
    for (size_t i = 0; i < g->tuples->count && status == STATUS_OK; i++) {
        const struct datum *value = NULL;

        join_aim(g->m, &g->scope, tuple_at(g, i));
        status = code_evaluate_formula(argument, &g->scope, &value);
        if (status == STATUS_OK && !datum_is_null(value))
            members[count++] = (struct select_member){ g->group_of.at[i], i, *value };
    }
    if (count > 1)
        qsort(members, count, sizeof *members, compare_members);
    if (status == STATUS_OK)
        status = add_members(g, aggregate, members, count);
    free(members);
    return status;
}

static enum status aggregate_all(struct select_grouping *g)
{
    const struct query_code *q = g->m->statement.query;

    if (q->group_count == 0)
        TRY(add_group(g, NOBODY, NOBODY));
    for (size_t i = 0; i < g->tuples->count; i++)
        TRY(add_tuple(g, i));
    for (uint32_t i = 0; i < q->aggregate_count; i++)
        if (q->aggregates[i].distinct)
            TRY(add_distinct(g, i));
    for (size_t i = 0; i < g->items.count; i++) {
        struct datum *results;

        TRY(machine_add_row(g->m, &g->results, &results));
        for (uint32_t k = 0; k < q->aggregate_count; k++)
            TRY(aggregate_result(&g->aggregates.at[i * q->aggregate_count + k], &results[k],
                                 &g->m->error));
    }
    return STATUS_OK;
}

static void aim_at_item(struct select_grouping *g, size_t item)
{
    size_t tuple = g->items.at[item].tuple;

    if (tuple != NOBODY)
        join_aim(g->m, &g->scope, tuple_at(g, tuple));
    g->scope.base[PLACE_GROUP] = rows_at(&g->results, item);
}

static enum status note_order(struct select_grouping *g)
{
    const struct query_code *q = g->m->statement.query;

    for (size_t i = 0; i < g->items.count; i++) {
        struct datum *keys;

        aim_at_item(g, i);
        TRY(machine_add_row(g->m, &g->order, &keys));
        for (uint32_t k = 0; k < q->order_count; k++) {
            const struct datum *value;

            TRY(code_evaluate_formula(&q->order[k].by, &g->scope, &value));
            keys[k] = *value;
        }
    }
    return STATUS_OK;
}

static int compare_items(const struct select_grouping *g, size_t left, size_t right)
{
    const struct query_code *q = g->m->statement.query;
    const struct datum *a = rows_at(&g->order, left), *b = rows_at(&g->order, right);

    for (uint32_t i = 0; i < q->order_count; i++) {
        const struct order_code *by = &q->order[i];
        bool a_null = datum_is_null(&a[i]), b_null = datum_is_null(&b[i]);
        int order = 0;

        if (a_null != b_null)
            return a_null == by->nulls_first ? -1 : 1;
        if (!a_null)
            order = datum_compare(&a[i], &b[i]);
        if (order != 0)
            return by->descending ? -order : order;
    }
    return 0;
}

/* Merge sort: of equals the first stay first. */
static void sort_items(const struct select_grouping *g, size_t *items, size_t *spare, size_t count)
{
    size_t half = count / 2, a = 0, b = half;

    if (count < 2)
        return;
    sort_items(g, items, spare, half);
    sort_items(g, items + half, spare, count - half);
    memcpy(spare, items, count * sizeof *items);
    for (size_t i = 0; i < count; i++) {
        bool takes_a = b == count || (a < half && compare_items(g, spare[a], spare[b]) <= 0);

        items[i] = takes_a ? spare[a++] : spare[b++];
    }
}

static bool tells_ties(const struct machine *);

static enum status note_ties(struct select_grouping *g, const size_t *items)
{
    uint32_t tie = 0;

    if (g->m->statement.query->order_count == 0)
        return STATUS_OK;
    for (size_t i = 0; i < g->items.count; i++) {
        tie += i > 0 && compare_items(g, items[i - 1], items[i]) != 0;
        PUSH(g, &g->m->ties, tie);
    }
    return STATUS_OK;
}

static enum status output_all(struct select_grouping *g)
{
    size_t count = g->items.count;
    size_t *items = malloc((2 * count + 1) * sizeof *items);
    enum status status = STATUS_OK;

    if (!items)
        return sql_error_no_memory(&g->m->error);
    for (size_t i = 0; i < count; i++)
        items[i] = i;
    if (g->m->statement.query->order_count > 0)
        sort_items(g, items, items + count, count);
    if (tells_ties(g->m))
        status = note_ties(g, items);
    for (size_t i = 0; i < count && status == STATUS_OK && !select_has_enough(g->m); i++) {
        aim_at_item(g, items[i]);
        status = machine_statement_output(g->m, &g->scope);
    }
    free(items);
    return status;
}

static enum status run(struct select_grouping *g)
{
    const struct query_code *q = g->m->statement.query;

    machine_scope(g->m, &g->scope);
    if (q->tree->as.select.aggregates) {
        TRY(aggregate_all(g));
    } else {
        for (size_t i = 0; i < g->tuples->count; i++)
            PUSH(g, &g->items, ((struct select_item){ i, NOBODY }));
    }
    if (q->order_count > 0)
        TRY(note_order(g));
    return output_all(g);
}

static void close_rows(struct machine *m, struct machine_rows *rows)
{
    m->row_bytes -= rows->room * sizeof *rows->cells;
    free(rows->cells);
}

enum status machine_group_run(struct machine *m, const struct tuples *tuples)
{
    const struct query_code *q = m->statement.query;
    struct select_grouping g = { .m = m, .tuples = tuples };
    enum status status;

    g.keys.width = q->group_count;
    g.results.width = q->aggregate_count;
    g.order.width = q->order_count;
    status = run(&g);
    close_rows(m, &g.keys);
    close_rows(m, &g.results);
    close_rows(m, &g.order);
    array_close(&g.items);
    array_close(&g.aggregates);
    array_close(&g.group_of);
    map_close(&g.groups);
    return status;
}

static const struct select *select_of(const struct machine *m)
{
    return &m->statement.query->tree->as.select;
}

/* A single statement gives its rows to whoever started it. */
static bool tells_ties(const struct machine *m)
{
    return m->tells_ties && m->frame_count == 1 &&
           m->program->tree.functions[m->frames[0].function].name.length == 0;
}

static enum status note_limit(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    const struct datum *limit;
    struct scope scope;

    machine_scope(m, &scope);
    limit = code_operand(&scope, s->query->limit);
    if (datum_is_null(limit))
        return STATUS_OK;
    if (limit->as.integer < 0)
        return sql_error_set(&m->error, SQLSTATE_ROW_COUNT, "LIMIT must not be negative");
    if (tells_ties(m))
        m->told_limit = limit->as.integer;
    else
        s->limit = limit->as.integer;
    return STATUS_OK;
}

/* All has been read, or nothing had to be: `is_empty`. */
static enum status finish(struct machine *m, bool is_empty)
{
    const struct query_code *q = m->statement.query;
    bool is_plain = !select_of(m)->aggregates && q->order_count == 0;
    struct tuples tuples = { .width = q->read_count };
    enum status status = STATUS_OK;

    if (is_plain) {
        if (!is_empty)
            TRY(join_run(m, NULL));
        return machine_statement_finish(m);
    }
    if (!is_empty)
        status = join_run(m, &tuples);
    if (status == STATUS_OK)
        status = machine_group_run(m, &tuples);
    array_close(&tuples.at);
    TRY(status);
    return machine_statement_finish(m);
}

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

        join_aim(m, &scope, tuples->at.at + i * tuples->width);
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

static enum status restrict_next(struct machine *m, bool *is_empty)
{
    struct machine_statement *s = &m->statement;
    const struct read_code *next = &s->query->reads[s->step];
    struct tuples tuples = { .width = s->query->read_count };
    enum status status = STATUS_OK;

    s->values.count = 0;
    s->restricted_count = 0;
    *is_empty = false;
    if (next->join_count > 0)
        status = join_run(m, &tuples);
    for (uint32_t i = 0; i < next->join_count && i < RESTRICTIONS_MAX && status == STATUS_OK; i++) {
        struct restricted *restricted = &s->restricted[s->restricted_count++];

        status = collect_values(m, &next->joins[i], &tuples, restricted);
        *is_empty |= restricted->count == 0;
    }
    array_close(&tuples.at);
    return status;
}

static enum status ask(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    bool is_empty;

    TRY(restrict_next(m, &is_empty));
    if (is_empty)
        return finish(m, true);
    return machine_statement_read(m, &s->query->reads[s->step], READ_SELECT, select_of(m)->lock);
}

enum status machine_select_begin(struct machine *m)
{
    TRY(note_limit(m));
    if (!m->statement.is_true || m->statement.query->read_count == 0)
        return finish(m, !m->statement.is_true);
    return ask(m);
}

/* Rows of all but the last read are kept; those are used where they are. */
static enum status keep_answer(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    struct machine_rows *input = &s->inputs[s->step];
    uint32_t table = s->query->reads[s->step].table;

    input->width = m->program->tree.schema.tables[table].column_count;
    for (uint32_t i = 0; i < m->answer_count; i++) {
        bool matches;

        TRY(machine_statement_match(m, m->answer[i], &matches));
        if (matches)
            TRY(machine_keep_row(m, input, m->answer[i]));
    }
    return STATUS_OK;
}

enum status machine_select_go_on(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    TRY(machine_spend(m, m->answer_count));
    if (s->step + 1 == s->query->read_count) {
        s->step++;
        return finish(m, false);
    }
    TRY(keep_answer(m));
    s->step++;
    return ask(m);
}
