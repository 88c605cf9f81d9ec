#include "programs/machine/machine_group_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "programs/machine/machine_statement_private.h"

#define NOBODY SIZE_MAX

/* What becomes one row of the output: a tuple, or a group of them. */
struct select_item {
    size_t tuple; /* a group's first, NOBODY if it has none */
    size_t next;  /* the group before with the same hash, or NOBODY */
};

struct select_grouping {
    struct machine *m;
    const struct select_code *code;
    const struct tuples *tuples;
    struct scope scope;
    struct select_sink *sink;
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

static enum status add_group(struct select_grouping *g, size_t tuple, size_t next)
{
    const struct select_code *q = g->code;

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
    const struct select_code *q = g->code;
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
    const struct select_code *q = g->code;
    size_t group;

    machine_join_aim(g->tuples, tuple, &g->scope);
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
    uint32_t width = g->code->aggregate_count;

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
    const struct formula *argument = &g->code->aggregates[aggregate].argument;
    struct select_member *members = malloc((g->tuples->count + 1) * sizeof *members);
    enum status status = STATUS_OK;
    size_t count = 0;

    if (!members)
        return sql_error_no_memory(&g->m->error);
    for (size_t i = 0; i < g->tuples->count && status == STATUS_OK; i++) {
        const struct datum *value = NULL;

        machine_join_aim(g->tuples, i, &g->scope);
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
    const struct select_code *q = g->code;

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
        machine_join_aim(g->tuples, tuple, &g->scope);
    g->scope.base[PLACE_GROUP] = rows_at(&g->results, item);
}

static enum status note_order(struct select_grouping *g)
{
    const struct select_code *q = g->code;

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

static int compare_items(const void *grouping, size_t left, size_t right)
{
    const struct select_grouping *g = grouping;
    const struct select_code *q = g->code;
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

static enum status passes_having(struct select_grouping *g, bool *does)
{
    const struct formula *having = g->code->having;
    const struct datum *value;

    *does = true;
    if (!having)
        return STATUS_OK;
    TRY(code_evaluate_formula(having, &g->scope, &value));
    *does = datum_is_true(value);
    return STATUS_OK;
}

static enum status output_item(struct select_grouping *g, size_t item)
{
    bool passes;

    aim_at_item(g, item);
    TRY(passes_having(g, &passes));
    return passes ? g->sink->output(g->sink, &g->scope) : STATUS_OK;
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
    if (g->code->order_count > 0)
        sort_stable(items, items + count, count, compare_items, g);
    for (size_t i = 0; i < count && status == STATUS_OK && !g->sink->has_enough; i++) {
        if (i > 0 && g->code->order_count > 0)
            g->sink->tie += compare_items(g, items[i - 1], items[i]) != 0;
        status = output_item(g, items[i]);
    }
    free(items);
    return status;
}

static enum status run(struct select_grouping *g)
{
    const struct select_code *q = g->code;

    if (q->tree->aggregates) {
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

enum status machine_group_run(const struct select_code *code, const struct tuples *tuples,
                              const struct scope *scope, struct select_sink *sink)
{
    struct machine *m = scope->machine;
    struct select_grouping g = { .m = m, .code = code, .tuples = tuples, .scope = *scope, .sink = sink };
    enum status status;

    g.keys.width = code->group_count;
    g.results.width = code->aggregate_count;
    g.order.width = code->order_count;
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
