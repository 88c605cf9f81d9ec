#include "audit/influence_private.h"

#include <stdlib.h>
#include <string.h>

static query_set *set_at(query_set *sets, const struct influence *in, uint32_t number)
{
    return sets + (size_t)number * in->word_count;
}

static void add(const struct influence *in, query_set *to, const query_set *from)
{
    for (uint32_t i = 0; i < in->word_count; i++)
        to[i] |= from[i];
}

static void add_one(query_set *to, uint32_t number)
{
    to[number / 64] |= UINT64_C(1) << number % 64;
}

uint32_t influence_number(const struct influence *in, const struct query *query)
{
    uint64_t number;

    return map_find(&in->numbers, (uint64_t)(uintptr_t)query, &number) ? (uint32_t)number
                                                                        : UINT32_MAX;
}

/* --- Queries, numbered ------------------------------------------------------------------------------ */

typedef enum status on_query(struct influence *, const struct query *, struct error *);

static enum status each_query(struct influence *in, const struct block *block, on_query *visit,
                              struct error *err)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct action *a = &block->actions[i];

        switch (a->kind) {
        case ACTION_QUERY:
            TRY(visit(in, a->as.query.query, err));
            break;
        case ACTION_RETURN_ROWS:
            TRY(visit(in, a->as.returned, err));
            break;
        case ACTION_FOR_QUERY:
            TRY(visit(in, a->as.rows.query, err));
            TRY(each_query(in, &a->as.rows.body, visit, err));
            break;
        case ACTION_IF:
            for (uint32_t k = 0; k < a->as.choice.count; k++)
                TRY(each_query(in, &a->as.choice.arms[k].body, visit, err));
            break;
        case ACTION_LOOP:
        case ACTION_WHILE:
            TRY(each_query(in, &a->as.loop.body, visit, err));
            break;
        case ACTION_FOR_RANGE:
            TRY(each_query(in, &a->as.range.body, visit, err));
            break;
        case ACTION_BLOCK:
            TRY(each_query(in, &a->as.block, visit, err));
            break;
        default:
            break;
        }
    }
    return STATUS_OK;
}

static enum status number_query(struct influence *in, const struct query *query, struct error *err)
{
    size_t place;

    TRY(map_add(&in->numbers, (uint64_t)(uintptr_t)query, in->query_count, &place, err));
    in->query_count++;
    return STATUS_OK;
}

static enum status note_query(struct influence *in, const struct query *query, struct error *err)
{
    (void)err;
    in->queries[influence_number(in, query)] = query;
    return STATUS_OK;
}

static bool has_name(const struct program_function *f)
{
    return f->name.length > 0;
}

static enum status each_function(struct influence *in, on_query *visit, struct error *err)
{
    for (uint32_t i = 0; i < in->tree->function_count; i++)
        if (has_name(&in->tree->functions[i]))
            TRY(each_query(in, &in->tree->functions[i].body, visit, err));
    return STATUS_OK;
}

/* --- What flows where -------------------------------------------------------------------------------- */

/* A place in a function, and what decides whether it is reached. */
struct influence_place {
    struct influence *in;
    uint32_t function;
    query_set *control;
};

static void add_expression(struct influence_place *, const struct expression *, query_set *to);

static void add_call(struct influence_place *p, const struct expression *e, query_set *to)
{
    struct influence *in = p->in;
    uint32_t f = e->as.function;

    if (!has_name(&in->tree->functions[f]))
        return;
    for (uint32_t i = 0; i < e->argument_count; i++)
        add_expression(p, e->arguments[i], set_at(in->slots[f], in, i));
    add(in, set_at(in->control, in, f), p->control);
    add(in, to, set_at(in->returned, in, f));
}

static void add_expression(struct influence_place *p, const struct expression *e, query_set *to)
{
    if (!e)
        return;
    if (e->kind == EXPRESSION_CALL) {
        add_call(p, e, to);
        return;
    }
    if (e->kind == EXPRESSION_VARIABLE)
        add(p->in, to, set_at(p->in->slots[p->function], p->in, e->as.slot));
    for (uint32_t i = 0; i < e->argument_count; i++)
        add_expression(p, e->arguments[i], to);
}

static void add_select(struct influence_place *p, const struct select *s, query_set *to)
{
    for (uint32_t i = 0; i < s->output_count; i++)
        add_expression(p, s->outputs[i].value, to);
    for (uint32_t i = 0; i < s->group_count; i++)
        add_expression(p, s->group_by[i], to);
    for (uint32_t i = 0; i < s->order_count; i++)
        add_expression(p, s->order[i].by, to);
    add_expression(p, s->where, to);
    add_expression(p, s->limit, to);
}

static void add_assignments(struct influence_place *p, const struct assignment *at, uint32_t count,
                            query_set *to)
{
    for (uint32_t i = 0; i < count; i++)
        add_expression(p, at[i].value, to);
}

static void add_insert(struct influence_place *p, const struct insert *q, query_set *to)
{
    uint32_t width = p->in->tree->schema.tables[q->target.table].column_count;

    for (uint32_t i = 0; i < q->row_count * width; i++)
        add_expression(p, q->values[i], to);
    add_assignments(p, q->assignments, q->assignment_count, to);
    add_expression(p, q->conflict_where, to);
}

static bool is_empty(const struct influence *in, const query_set *set)
{
    for (uint32_t i = 0; i < in->word_count; i++)
        if (set[i])
            return false;
    return true;
}

static bool is_equality(const struct expression *e)
{
    switch (e->as.apply.code) {
    case OPERATOR_EQUAL_INTEGER:
    case OPERATOR_EQUAL_OTHER:
        return e->argument_count == 2;
    default:
        return false;
    }
}

/* Whether the condition makes the column equal to something that is the same in every run. */
static bool pins(struct influence_place *p, const struct expression *e, uint16_t column)
{
    query_set *set;
    bool is_same = false;

    if (!e)
        return false;
    if (e->kind == EXPRESSION_AND) {
        for (uint32_t i = 0; i < e->argument_count; i++)
            if (pins(p, e->arguments[i], column))
                return true;
        return false;
    }
    if (e->kind != EXPRESSION_APPLY || !is_equality(e))
        return false;
    set = calloc(p->in->word_count, sizeof *set);
    for (uint32_t i = 0; set && i < 2; i++) {
        const struct expression *one = e->arguments[i], *other = e->arguments[1 - i];

        if (one->kind != EXPRESSION_COLUMN || one->as.column.column != column ||
            (other->kind != EXPRESSION_CONSTANT && other->kind != EXPRESSION_VARIABLE))
            continue;
        memset(set, 0, p->in->word_count * sizeof *set);
        add_expression(p, other, set);
        is_same |= is_empty(p->in, set);
    }
    free(set);
    return is_same;
}

/* Of a select, an update or a delete of one table. */
static bool is_steady(struct influence_place *p, const struct query *q)
{
    const struct expression *where = q->kind == QUERY_SELECT   ? q->as.select.where
                                     : q->kind == QUERY_UPDATE ? q->as.update.where
                                                               : q->as.delete.where;
    const struct schema_columns *key;
    uint32_t table;

    if (!is_empty(p->in, p->control) || q->kind == QUERY_INSERT ||
        (q->kind == QUERY_SELECT && q->as.select.source_count != 1))
        return false;
    table = q->kind == QUERY_SELECT   ? q->as.select.sources[0].table
            : q->kind == QUERY_UPDATE ? q->as.update.target.table
                                      : q->as.delete.target.table;
    key = &p->in->tree->schema.tables[table].key;
    for (uint16_t i = 0; i < key->count; i++)
        if (!pins(p, where, key->at[i]))
            return false;
    return true;
}

/* What the query itself is made of goes to its own set. */
static query_set *see_query(struct influence_place *p, const struct query *q)
{
    uint32_t number = influence_number(p->in, q);
    query_set *to = set_at(p->in->reached, p->in, number);

    p->in->is_steady[number] = is_steady(p, q);
    add(p->in, to, p->control);
    switch (q->kind) {
    case QUERY_SELECT:
        add_select(p, &q->as.select, to);
        break;
    case QUERY_INSERT:
        add_insert(p, &q->as.insert, to);
        break;
    case QUERY_UPDATE:
        add_expression(p, q->as.update.where, to);
        add_assignments(p, q->as.update.assignments, q->as.update.assignment_count, to);
        break;
    case QUERY_DELETE:
        add_expression(p, q->as.delete.where, to);
        break;
    }
    return to;
}

/* Whether a table is read that somebody writes. */
static bool may_vary(const struct influence *in, const struct query *q)
{
    if (q->kind != QUERY_SELECT)
        return true;
    for (uint32_t i = 0; i < q->as.select.source_count; i++)
        if (in->is_written[q->as.select.sources[i].table])
            return true;
    return false;
}

/* What a query gave, to a slot or to what depends on it. */
static void add_result(struct influence_place *p, const struct query *q, query_set *to)
{
    uint32_t number = influence_number(p->in, q);

    add(p->in, to, set_at(p->in->reached, p->in, number));
    if (may_vary(p->in, q))
        add_one(to, number);
}

static void add_into(struct influence_place *p, const struct query *q, const struct into *into)
{
    struct influence *in = p->in;
    const struct program_function *f = &in->tree->functions[p->function];

    see_query(p, q);
    add_result(p, q, set_at(in->slots[p->function], in, f->found));
    for (uint32_t i = 0; into && i < into->count; i++)
        add_result(p, q, set_at(in->slots[p->function], in, into->slots[i]));
}

/* Whether a block does nothing in the end but fail. */
static bool only_fails(const struct block *block)
{
    const struct action *last = block->count > 0 ? &block->actions[block->count - 1] : NULL;

    for (uint32_t i = 0; i + 1 < block->count; i++)
        if (block->actions[i].kind != ACTION_ASSIGN && block->actions[i].kind != ACTION_QUERY)
            return false;
    return last && (last->kind == ACTION_RAISE ||
                    (last->kind == ACTION_BLOCK && only_fails(&last->as.block)));
}

/* Whether what comes after the block depends on whether the block is done. */
static bool leaves(const struct block *block)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct action *a = &block->actions[i];

        switch (a->kind) {
        case ACTION_EXIT:
        case ACTION_CONTINUE:
        case ACTION_RETURN:
        case ACTION_RETURN_ROWS:
            return true;
        case ACTION_IF:
            for (uint32_t k = 0; k < a->as.choice.count; k++)
                if (leaves(&a->as.choice.arms[k].body))
                    return true;
            break;
        case ACTION_LOOP:
        case ACTION_WHILE:
            if (leaves(&a->as.loop.body))
                return true;
            break;
        case ACTION_FOR_RANGE:
            if (leaves(&a->as.range.body))
                return true;
            break;
        case ACTION_FOR_QUERY:
            if (leaves(&a->as.rows.body))
                return true;
            break;
        case ACTION_BLOCK:
            if (leaves(&a->as.block))
                return true;
            break;
        default:
            break;
        }
    }
    return false;
}

static enum status see_block(struct influence_place *, const struct block *, struct error *);

/* A block under a condition that is in `more`, besides what is there already. */
static enum status see_under(struct influence_place *p, const struct block *block,
                             const query_set *more, struct error *err)
{
    struct influence *in = p->in;
    struct influence_place inner = *p;
    enum status status;

    inner.control = calloc(in->word_count + 1, sizeof *inner.control);
    if (!inner.control)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    memcpy(inner.control, p->control, in->word_count * sizeof *inner.control);
    for (uint32_t i = 0; i < in->word_count; i++)
        inner.control[i] |= more[i];
    status = see_block(&inner, block, err);
    /* The rest of the function depends on it. */
    if (leaves(block))
        add(in, set_at(in->control, in, p->function), inner.control);
    free(inner.control);
    return status;
}

static enum status see_if(struct influence_place *p, const struct action *a, query_set *more,
                          struct error *err)
{
    for (uint32_t k = 0; k < a->as.choice.count; k++) {
        const struct arm *arm = &a->as.choice.arms[k];

        if (only_fails(&arm->body)) {
            /* Who goes on has not gone there. Calls in the condition are made all the same. */
            query_set *aside = calloc(p->in->word_count + 1, sizeof *aside);

            if (!aside)
                return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
            add_expression(p, arm->condition, aside);
            free(aside);
            continue;
        }
        add_expression(p, arm->condition, more);
        TRY(see_under(p, &arm->body, more, err));
    }
    return STATUS_OK;
}

static enum status see_action(struct influence_place *p, const struct action *a, query_set *more,
                              struct error *err)
{
    struct influence *in = p->in;
    query_set *slots = in->slots[p->function], *slot;

    switch (a->kind) {
    case ACTION_ASSIGN:
        slot = set_at(slots, in, a->as.assign.slot);
        add(in, slot, p->control);
        add_expression(p, a->as.assign.value, slot);
        return STATUS_OK;
    case ACTION_QUERY:
        add_into(p, a->as.query.query, a->as.query.into);
        return STATUS_OK;
    case ACTION_IF:
        return see_if(p, a, more, err);
    case ACTION_LOOP:
    case ACTION_WHILE:
        add_expression(p, a->as.loop.condition, more);
        return see_under(p, &a->as.loop.body, more, err);
    case ACTION_FOR_RANGE:
        add_expression(p, a->as.range.low, more);
        add_expression(p, a->as.range.high, more);
        add_expression(p, a->as.range.step, more);
        slot = set_at(slots, in, a->as.range.slot);
        add(in, slot, more);
        add(in, slot, p->control);
        return see_under(p, &a->as.range.body, more, err);
    case ACTION_FOR_QUERY:
        add_into(p, a->as.rows.query, a->as.rows.into);
        add_result(p, a->as.rows.query, more);
        return see_under(p, &a->as.rows.body, more, err);
    case ACTION_EXIT:
    case ACTION_CONTINUE:
        add_expression(p, a->as.leave.condition, set_at(in->control, in, p->function));
        add(in, set_at(in->control, in, p->function), p->control);
        return STATUS_OK;
    case ACTION_RETURN:
        add(in, set_at(in->returned, in, p->function), p->control);
        add_expression(p, a->as.value, set_at(in->returned, in, p->function));
        return STATUS_OK;
    case ACTION_RETURN_ROWS:
        see_query(p, a->as.returned);
        add_result(p, a->as.returned, set_at(in->returned, in, p->function));
        return STATUS_OK;
    case ACTION_BLOCK:
        return see_block(p, &a->as.block, err);
    case ACTION_RAISE:
        return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status see_block(struct influence_place *p, const struct block *block,
                             struct error *err)
{
    query_set *more = calloc(p->in->word_count + 1, sizeof *more);
    enum status status = STATUS_OK;

    if (!more)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    for (uint32_t i = 0; i < block->count && status == STATUS_OK; i++) {
        memset(more, 0, p->in->word_count * sizeof *more);
        status = see_action(p, &block->actions[i], more, err);
    }
    free(more);
    return status;
}

static enum status see_function(struct influence *in, uint32_t f, struct error *err)
{
    const struct program_function *function = &in->tree->functions[f];
    struct influence_place place = { in, f, set_at(in->control, in, f) };

    for (uint32_t i = 0; i < function->variable_count; i++)
        add_expression(&place, function->variables[i].initial, set_at(in->slots[f], in, i));
    return see_block(&place, &function->body, err);
}

static bool reads_table(const struct query *q, uint32_t table)
{
    if (q->kind == QUERY_SELECT) {
        for (uint32_t i = 0; i < q->as.select.source_count; i++)
            if (q->as.select.sources[i].table == table)
                return true;
        return false;
    }
    return (q->kind == QUERY_INSERT   ? q->as.insert.target.table
            : q->kind == QUERY_UPDATE ? q->as.update.target.table
                                      : q->as.delete.target.table) == table;
}

static bool writes_table(const struct query *q, uint32_t table)
{
    return q->kind != QUERY_SELECT && reads_table(q, table);
}

/* What reads a table may find there what was written before. */
static void flow_through_tables(struct influence *in)
{
    for (uint32_t t = 0; t < in->tree->schema.table_count; t++)
        for (uint32_t w = 0; w < in->query_count; w++) {
            if (!writes_table(in->queries[w], t))
                continue;
            for (uint32_t r = 0; r < in->query_count; r++)
                if (r != w && reads_table(in->queries[r], t) &&
                    !(in->is_lean && in->is_steady[r] && in->is_steady[w])) {
                    add(in, set_at(in->reached, in, r), set_at(in->reached, in, w));
                    add_one(set_at(in->reached, in, r), w);
                }
        }
}

static uint64_t weigh(const struct influence *in)
{
    uint64_t weight = 0;

    for (size_t i = 0; i < (size_t)in->query_count * in->word_count; i++)
        weight += (uint64_t)__builtin_popcountll(in->reached[i]);
    for (uint32_t f = 0; f < in->tree->function_count; f++) {
        size_t slots = in->slots[f] ? in->tree->functions[f].variable_count : 0;

        for (size_t i = 0; i < slots * in->word_count; i++)
            weight += (uint64_t)__builtin_popcountll(in->slots[f][i]);
        for (uint32_t i = 0; i < in->word_count; i++)
            weight += (uint64_t)__builtin_popcountll(set_at(in->returned, in, f)[i]) +
                      (uint64_t)__builtin_popcountll(set_at(in->control, in, f)[i]);
    }
    return weight;
}

/* Sets only grow, so that this ends when nothing has grown. */
static enum status settle(struct influence *in, struct error *err)
{
    for (uint64_t weight = UINT64_MAX, now = 0; now != weight;) {
        weight = now;
        for (uint32_t f = 0; f < in->tree->function_count; f++)
            if (has_name(&in->tree->functions[f]))
                TRY(see_function(in, f, err));
        flow_through_tables(in);
        now = weigh(in) + 1;
    }
    return STATUS_OK;
}

enum status influence_find(struct influence *in, const struct program_tree *tree,
                           const bool *is_written, bool is_lean, struct error *err)
{
    size_t words;

    *in = (struct influence){ .tree = tree, .is_written = is_written, .is_lean = is_lean };
    TRY(each_function(in, number_query, err));
    in->word_count = in->query_count / 64 + 1;
    words = in->word_count;
    in->queries = calloc((size_t)in->query_count + 1, sizeof *in->queries);
    in->slots = calloc((size_t)tree->function_count + 1, sizeof *in->slots);
    in->returned = calloc((tree->function_count + 1) * words, sizeof *in->returned);
    in->control = calloc((tree->function_count + 1) * words, sizeof *in->control);
    in->reached = calloc((in->query_count + 1) * words, sizeof *in->reached);
    in->is_steady = calloc((size_t)in->query_count + 1, sizeof *in->is_steady);
    if (!in->is_steady || !in->queries || !in->slots || !in->returned || !in->control || !in->reached)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    for (uint32_t f = 0; f < tree->function_count; f++) {
        if (!has_name(&tree->functions[f]))
            continue;
        in->slots[f] = calloc((tree->functions[f].variable_count + 1) * words, sizeof **in->slots);
        if (!in->slots[f])
            return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    }
    TRY(each_function(in, note_query, err));
    return settle(in, err);
}

void influence_close(struct influence *in)
{
    for (uint32_t f = 0; in->slots && f < in->tree->function_count; f++)
        free(in->slots[f]);
    free(in->slots);
    free(in->queries);
    free(in->is_steady);
    free(in->returned);
    free(in->control);
    free(in->reached);
    map_close(&in->numbers);
}

const query_set *influence_on_answer(const struct influence *in, uint32_t function)
{
    if (!has_name(&in->tree->functions[function]))
        return NULL;
    return in->returned + (size_t)function * in->word_count;
}

void influence_add_writers(const struct influence *in, uint32_t table, query_set *writers,
                           query_set *reached)
{
    for (uint32_t w = 0; w < in->query_count; w++) {
        if (!writes_table(in->queries[w], table))
            continue;
        for (uint32_t i = 0; i < in->word_count; i++)
            reached[i] |= in->reached[(size_t)w * in->word_count + i];
        add_one(writers, w);
    }
}
