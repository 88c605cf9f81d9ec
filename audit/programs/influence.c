#include "audit/programs/influence.h"

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

static void number_query(void *context, const struct action *action)
{
    struct influence *in = context;
    const struct query *query = tree_query_of(action);
    struct error err;
    size_t place;

    /* That of a cursor may be opened in several places. */
    if (!query || influence_number(in, query) != UINT32_MAX)
        return;
    if (map_add(&in->numbers, (uint64_t)(uintptr_t)query, in->queries.count, &place, &err) != STATUS_OK ||
        array_push(&in->queries, query, &err) != STATUS_OK)
        in->lacks_memory = true;
}

static bool has_name(const struct program_function *f)
{
    return f->name.length > 0;
}

static void number_queries(struct influence *in)
{
    for (uint32_t i = 0; i < in->tree->function_count; i++)
        if (has_name(&in->tree->functions[i]))
            tree_visit_actions(&in->tree->functions[i].body, number_query, in);
}

/* --- What flows where -------------------------------------------------------------------------------- */

/* A place in a function, and what decides whether it is reached. */
struct influence_place {
    struct influence *in;
    uint32_t function;
    query_set *control;
};

static void add_expression(struct influence_place *, const struct expression *, query_set *to);

struct visited_to {
    struct influence_place *place;
    query_set *to;
};

/* The same where that decides whether it is computed. */
static void add_under(struct influence_place *p, const struct expression *e, query_set *to,
                      const query_set *more)
{
    struct influence_place inner = *p;

    inner.control = malloc((p->in->word_count + 1) * sizeof *inner.control);
    if (!inner.control) {
        p->in->lacks_memory = true;
        return;
    }
    for (uint32_t i = 0; i < p->in->word_count; i++)
        inner.control[i] = p->control[i] | more[i];
    add_expression(&inner, e, to);
    free(inner.control);
}

/* Which of its arguments are computed depends on the others. */
static bool is_lazy(const struct expression *e)
{
    return e->kind == EXPRESSION_AND || e->kind == EXPRESSION_OR || e->kind == EXPRESSION_CASE ||
           e->kind == EXPRESSION_COALESCE || e->kind == EXPRESSION_IN;
}

static bool has_call(const struct expression *e)
{
    for (uint32_t i = 0; i < e->argument_count; i++)
        if (has_call(e->arguments[i]))
            return true;
    return e->kind == EXPRESSION_CALL;
}

static void add_visited(void *context, const struct expression *e)
{
    const struct visited_to *v = context;

    add_expression(v->place, e, v->to);
}

static void add_call(struct influence_place *p, const struct expression *e, query_set *to)
{
    struct influence *in = p->in;
    uint32_t f = e->as.function;

    if (!has_name(&in->tree->functions[f]))
        return;
    for (uint32_t i = 0; i < e->argument_count; i++)
        add_expression(p, e->arguments[i], set_at(in->slots[f], in, i));
    in->calls[(size_t)p->function * in->tree->function_count + f] = true;
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
    if (e->kind == EXPRESSION_SUBQUERY) {
        add_one(to, p->in->query_count);
        tree_visit_query(e->as.subquery.query, add_visited, &(struct visited_to){ p, to });
    }
    for (uint32_t i = 0; i < e->argument_count; i++)
        add_expression(p, e->arguments[i], to);
    if (is_lazy(e) && has_call(e))
        for (uint32_t i = 0; i < e->argument_count; i++)
            add_under(p, e->arguments[i], to, to);
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

/* --- What is written in any case ----------------------------------------------------------------------- */

/* `place` NULL: of a single statement, which has no variables. */
static bool is_same_in_all(struct influence_place *p, const struct expression *e)
{
    query_set *set;
    bool is_same;

    if (!e || e->kind == EXPRESSION_CONSTANT)
        return true;
    if (!p)
        return false;
    set = calloc(p->in->word_count + 1, sizeof *set);
    if (set)
        add_expression(p, e, set);
    is_same = set && is_empty(p->in, set);
    free(set);
    return is_same;
}

/* Whether a conjunct says nothing but that the column is something that is the same in all runs. */
static bool is_pin(struct influence_place *p, const struct expression *e, uint16_t column)
{
    if (e->kind != EXPRESSION_APPLY || !is_equality(e))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const struct expression *one = e->arguments[i], *other = e->arguments[1 - i];

        if (one->kind == EXPRESSION_COLUMN && one->as.column.column == column &&
            (other->kind == EXPRESSION_CONSTANT || other->kind == EXPRESSION_VARIABLE))
            return is_same_in_all(p, other);
    }
    return false;
}

/* The condition is the key, and nothing else. */
static bool is_key_alone(struct influence_place *p, const struct expression *where,
                         const struct schema_columns *key)
{
    const struct expression *const *conjuncts = &where;
    uint32_t count = 1;

    if (where && where->kind == EXPRESSION_AND) {
        conjuncts = where->arguments;
        count = where->argument_count;
    }
    if (!where || count != key->count)
        return false;
    for (uint16_t k = 0; k < key->count; k++) {
        uint32_t i = 0;

        while (i < count && !is_pin(p, conjuncts[i], key->at[k]))
            i++;
        if (i == count)
            return false;
    }
    return true;
}

static enum certain_write certain_insert(const struct schema *schema, struct influence_place *p,
                                         const struct insert *q)
{
    const struct schema_columns *key = &schema->tables[q->target.table].key;

    if (q->row_count == 0 || q->action == CONFLICT_NOTHING || q->conflict_where)
        return WRITES_PERHAPS;
    if (q->row_count > 1 || q->arbiter != -1 || key->count == 0)
        return WRITES_ROWS;
    for (uint16_t i = 0; i < key->count; i++) {
        const struct expression *e = q->values[key->at[i]];

        if (!e || !is_same_in_all(p, e))
            return WRITES_ROWS;
    }
    return WRITES_ROW;
}

static enum certain_write certain_of(const struct schema *schema, struct influence_place *p,
                                     const struct query *q)
{
    const struct update *u = &q->as.update;

    if (p && !is_empty(p->in, p->control))
        return WRITES_PERHAPS;
    if (q->kind == QUERY_INSERT)
        return certain_insert(schema, p, &q->as.insert);
    return q->kind == QUERY_UPDATE &&
                   is_key_alone(p, u->where, &schema->tables[u->target.table].key)
               ? WRITES_ROW_IF_THERE
               : WRITES_PERHAPS;
}

static enum certain_write find_certain(struct influence_place *p, const struct query *q)
{
    return certain_of(&p->in->tree->schema, p, q);
}

enum certain_write influence_certain(const struct influence *in, const struct query *q)
{
    uint32_t number = influence_number(in, q);

    return number != UINT32_MAX ? in->certain[number] : certain_of(&in->tree->schema, NULL, q);
}

/* Calls are looked at by themselves. */
static bool is_query_closed(const struct influence *in, const struct query *q)
{
    enum certain_write certain = influence_certain(in, q);

    return q->kind == QUERY_SELECT || certain == WRITES_ROW || certain == WRITES_ROW_IF_THERE;
}

bool influence_is_closed(const struct influence *in, uint32_t function)
{
    const struct program_function *f = &in->tree->functions[function];
    const struct action *action = f->body.count == 1 ? &f->body.actions[0] : NULL;
    const struct query *q;

    if (has_name(f))
        return in->is_closed[function];
    q = !action                              ? NULL
        : action->kind == ACTION_RETURN_ROWS ? action->as.returned
        : action->kind == ACTION_QUERY       ? action->as.query.query
                                             : NULL;
    /* Where no table is named, there may be calls. */
    return q && is_query_closed(in, q) &&
           (q->kind != QUERY_SELECT || q->as.select.source_count > 0);
}

static void close_over_calls(struct influence *in)
{
    uint32_t count = in->tree->function_count;

    for (bool more = true; more;) {
        more = false;
        for (uint32_t f = 0; f < count; f++)
            for (uint32_t g = 0; g < count; g++)
                if (in->calls[(size_t)f * count + g] && in->is_closed[f] && !in->is_closed[g]) {
                    in->is_closed[f] = false;
                    more = true;
                }
    }
}

/* What the query itself is made of goes to its own set. */
static query_set *see_query(struct influence_place *p, const struct query *q)
{
    uint32_t number = influence_number(p->in, q);
    query_set *to = set_at(p->in->reached, p->in, number);

    add(p->in, to, p->control);
    p->in->certain[number] = find_certain(p, q);
    p->in->is_closed[p->function] &= is_query_closed(p->in, q);
    tree_visit_query(q, add_visited, &(struct visited_to){ p, to });
    return to;
}

static bool select_may_vary(const struct influence *in, const struct select *s)
{
    for (uint32_t i = 0; i < s->source_count; i++)
        if (in->is_written[s->sources[i].table])
            return true;
    for (uint32_t i = 0; i < s->arm_count; i++)
        if (select_may_vary(in, s->arms[i].select))
            return true;
    return false;
}

/* Whether a table is read that somebody writes; subqueries are looked at by themselves. */
static bool may_vary(const struct influence *in, const struct query *q)
{
    return q->kind != QUERY_SELECT || select_may_vary(in, &q->as.select);
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

/* What a cursor is at depends on where it was opened and fetched from. */
static void see_cursor(struct influence_place *p, const struct action *a)
{
    struct influence *in = p->in;
    query_set *slots = in->slots[p->function], *cursor = set_at(slots, in, a->as.cursor.slot);
    const struct into *into = a->as.cursor.into;

    add(in, cursor, p->control);
    if (a->kind == ACTION_OPEN) {
        see_query(p, a->as.cursor.query);
        add_result(p, a->as.cursor.query, cursor);
    }
    if (a->kind != ACTION_FETCH)
        return;
    add(in, set_at(slots, in, in->tree->functions[p->function].found), cursor);
    for (uint32_t i = 0; i < into->count; i++)
        add(in, set_at(slots, in, into->slots[i]), cursor);
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

static void find_leaving(void *is_there, const struct action *a)
{
    *(bool *)is_there |= a->kind == ACTION_EXIT || a->kind == ACTION_CONTINUE || a->kind == ACTION_RETURN ||
                         a->kind == ACTION_RETURN_ROWS;
}

/* Whether what comes after the block depends on whether the block is done. */
static bool leaves(const struct block *block)
{
    bool is_there = false;

    tree_visit_actions(block, find_leaving, &is_there);
    return is_there;
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
            if (arm->condition)
                add_under(p, arm->condition, aside, more);
            free(aside);
            continue;
        }
        if (arm->condition)
            add_under(p, arm->condition, more, more);
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
        if (a->as.loop.condition)
            add_under(p, a->as.loop.condition, more, more);
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
    case ACTION_REQUIRE_CLOSED:
    case ACTION_OPEN:
    case ACTION_FETCH:
    case ACTION_CLOSE:
        see_cursor(p, a);
        return STATUS_OK;
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

static bool select_reads(const struct select *s, uint32_t table)
{
    for (uint32_t i = 0; i < s->source_count; i++)
        if (s->sources[i].table == table)
            return true;
    for (uint32_t i = 0; i < s->arm_count; i++)
        if (select_reads(s->arms[i].select, table))
            return true;
    return false;
}

static bool reads_table(const struct query *q, uint32_t table)
{
    if (q->kind == QUERY_SELECT)
        return select_reads(&q->as.select, table);
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
            if (!writes_table(in->queries.at[w], t))
                continue;
            for (uint32_t r = 0; r < in->query_count; r++)
                if (r != w && reads_table(in->queries.at[r], t)) {
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
        /* What is said of the sets as they are now holds once they do not grow any more. */
        for (uint32_t f = 0; f < in->tree->function_count; f++)
            in->is_closed[f] = true;
        for (uint32_t f = 0; f < in->tree->function_count; f++)
            if (has_name(&in->tree->functions[f]))
                TRY(see_function(in, f, err));
        flow_through_tables(in);
        now = weigh(in) + 1;
    }
    close_over_calls(in);
    return STATUS_OK;
}

enum status influence_find(struct influence *in, const struct program_tree *tree,
                           const bool *is_written, struct error *err)
{
    size_t words;

    *in = (struct influence){ .tree = tree, .is_written = is_written };
    number_queries(in);
    in->query_count = (uint32_t)in->queries.count;
    in->word_count = in->query_count / 64 + 1;
    words = in->word_count;
    in->slots = calloc((size_t)tree->function_count + 1, sizeof *in->slots);
    in->returned = calloc((tree->function_count + 1) * words, sizeof *in->returned);
    in->control = calloc((tree->function_count + 1) * words, sizeof *in->control);
    in->reached = calloc((in->query_count + 1) * words, sizeof *in->reached);
    in->certain = calloc((size_t)in->query_count + 1, sizeof *in->certain);
    in->is_closed = calloc((size_t)tree->function_count + 1, sizeof *in->is_closed);
    in->calls = calloc((size_t)tree->function_count * tree->function_count + 1, sizeof *in->calls);
    if (in->lacks_memory || !in->certain || !in->is_closed || !in->calls || !in->slots ||
        !in->returned || !in->control || !in->reached)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    for (uint32_t f = 0; f < tree->function_count; f++) {
        if (!has_name(&tree->functions[f]))
            continue;
        in->slots[f] = calloc((tree->functions[f].variable_count + 1) * words, sizeof **in->slots);
        if (!in->slots[f])
            return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    }
    TRY(settle(in, err));
    if (in->lacks_memory)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for influences");
    return STATUS_OK;
}

void influence_close(struct influence *in)
{
    for (uint32_t f = 0; in->slots && f < in->tree->function_count; f++)
        free(in->slots[f]);
    free(in->slots);
    array_close(&in->queries);
    free(in->certain);
    free(in->is_closed);
    free(in->calls);
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
        if (!writes_table(in->queries.at[w], table))
            continue;
        for (uint32_t i = 0; i < in->word_count; i++)
            reached[i] |= in->reached[(size_t)w * in->word_count + i];
        add_one(writers, w);
    }
}
