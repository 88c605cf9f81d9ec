#include "programs/machine/machine_select_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "programs/machine/machine_group_private.h"
#include "programs/machine/machine_statement_private.h"

/* --- Any select, once everything has been read ---------------------------------- */

struct select_run {
    const struct select_code *code;
    struct select_sink *sink;
};

static enum status output_tuple(struct join_walk *w)
{
    struct select_run *run = w->context;

    TRY(run->sink->output(run->sink, w->scope));
    w->is_done = run->sink->has_enough;
    return STATUS_OK;
}

/* Where it is known that there are no rows, aggregates may still be asked for. */
static enum status run_select(const struct join *j, const struct select_code *code, bool is_empty,
                              struct scope *scope, struct select_sink *sink)
{
    struct select_run run = { code, sink };
    struct join_walk walk = {
        .join = j,
        .path = code->levels,
        .sources = code->sources,
        .length = code->level_count,
        .filters = code->filters,
        .filter_count = code->filter_count,
        .scope = scope,
        .found = output_tuple,
        .context = &run,
    };
    struct tuples tuples = { .sources = code->sources, .width = code->level_count };
    enum status status = STATUS_OK;

    if (!code->tree->aggregates && code->order_count == 0)
        return is_empty || sink->has_enough ? STATUS_OK : machine_join_run(&walk);
    if (!is_empty)
        status = machine_join_collect(&walk, &tuples);
    if (status == STATUS_OK)
        status = machine_group_run(code, &tuples, scope, sink);
    array_close(&tuples.at);
    return status;
}

/* --- Subqueries ------------------------------------------------------------------ */

/* What a correlated subquery says of the rows around it. */
struct subquery_answer {
    struct select_sink sink; /* first */
    const struct subquery_code *code;
    struct datum wanted; /* what IN looks for */
    int64_t limit, offset;
    size_t count; /* of rows that counted */
    struct datum value;
    bool has_null;
};

static enum status take_value(struct subquery_answer *a, const struct datum *value,
                              struct sql_error *err)
{
    if (a->count > 1 && a->code->select.distinct && datum_equal(value, &a->value)) {
        a->count--;
        return STATUS_OK;
    }
    if (a->count > 1)
        return sql_error_set(err, SQLSTATE_CARDINALITY,
                             "more than one row returned by a subquery used as an expression");
    a->value = *value;
    return STATUS_OK;
}

static enum status answer_row(struct select_sink *sink, struct scope *scope)
{
    struct subquery_answer *a = (struct subquery_answer *)sink;
    const struct datum *value = NULL;

    if (a->code->kind != SUBQUERY_EXISTS)
        TRY(code_evaluate_formula(&a->code->select.outputs[0], scope, &value));
    if (a->offset > 0) {
        a->offset--;
        return STATUS_OK;
    }
    a->count++;
    sink->has_enough = a->count == (uint64_t)a->limit;
    switch (a->code->kind) {
    case SUBQUERY_EXISTS:
        sink->has_enough = true;
        break;
    case SUBQUERY_VALUE:
        return take_value(a, value, scope->error);
    case SUBQUERY_IN:
        a->has_null |= datum_is_null(value);
        if (!datum_is_null(value) && !datum_is_null(&a->wanted) &&
            datum_compare(value, &a->wanted) == 0) {
            a->value = datum_of_bool(true);
            sink->has_enough = true;
        }
        break;
    }
    return STATUS_OK;
}

static struct datum answer_of(const struct subquery_answer *a)
{
    switch (a->code->kind) {
    case SUBQUERY_VALUE:
        return a->value;
    case SUBQUERY_EXISTS:
        return datum_of_bool(a->count > 0);
    case SUBQUERY_IN:
        break;
    }
    if (datum_is_true(&a->value))
        return a->value;
    if (a->count > 0 && (a->has_null || datum_is_null(&a->wanted)))
        return datum_null();
    return datum_of_bool(false);
}

static enum status read_counts(const struct select_code *code, const struct scope *scope,
                               int64_t *limit, int64_t *offset)
{
    const struct datum *count = code_operand(scope, code->offset);

    if (!datum_is_null(count) && count->as.integer < 0)
        return sql_error_set(scope->error, SQLSTATE_ROW_OFFSET, "OFFSET must not be negative");
    *offset = datum_is_null(count) ? 0 : count->as.integer;
    count = code_operand(scope, code->limit);
    if (!datum_is_null(count) && count->as.integer < 0)
        return sql_error_set(scope->error, SQLSTATE_ROW_COUNT, "LIMIT must not be negative");
    *limit = datum_is_null(count) ? INT64_MAX : count->as.integer;
    return STATUS_OK;
}

static enum status answer_subquery(struct scope *scope, const struct step *step)
{
    const struct subquery_code *code = step->as.subquery;
    struct subquery_answer a = { .sink = { .output = answer_row }, .code = code };
    struct scope within = *scope;
    bool passes;

    assert(scope->machine->join);
    if (code->kind == SUBQUERY_IN)
        a.wanted = *code_operand(scope, step->b);
    TRY(read_counts(&code->select, scope, &a.limit, &a.offset));
    a.sink.has_enough = a.limit == 0;
    TRY(machine_join_passes(code->select.conditions, code->select.condition_count, &within, &passes));
    TRY(run_select(scope->machine->join, &code->select, !passes, &within, &a.sink));
    scope->slots[step->to] = answer_of(&a);
    return STATUS_OK;
}

static enum status answer_set(struct scope *scope, const struct step *step)
{
    const struct machine *m = scope->machine;
    const struct result *set = &m->results[m->statement.first_set + step->target];
    const struct datum *value = code_operand(scope, step->b);
    size_t from = 0, to = set->rows.count;
    bool has_any = to > 0 || set->has_null;

    if (datum_is_null(value)) {
        scope->slots[step->to] = has_any ? datum_null() : datum_of_bool(false);
        return STATUS_OK;
    }
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = datum_compare(&set->rows.cells[middle], value);

        if (order == 0) {
            scope->slots[step->to] = datum_of_bool(true);
            return STATUS_OK;
        }
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    scope->slots[step->to] = set->has_null ? datum_null() : datum_of_bool(false);
    return STATUS_OK;
}

enum status machine_select_ask(struct scope *scope, const struct step *step)
{
    return step->kind == STEP_IN_SET ? answer_set(scope, step) : answer_subquery(scope, step);
}

/* --- The statement ---------------------------------------------------------------- */

static const struct select *select_of(const struct machine *m)
{
    return &m->statement.query->tree->as.select;
}

/* How many outputs anybody wants. */
static uint64_t wanted_of(const struct machine_statement *s)
{
    enum query_use use = s->query->use;
    uint64_t wanted = use == QUERY_USE_FIRST || use == QUERY_USE_EXISTS ? 1
                      : use == QUERY_USE_ONE || use == QUERY_USE_VALUE ||
                                use == QUERY_USE_EARLY_VALUE
                            ? 2
                            : UINT64_MAX;

    return wanted < (uint64_t)s->limit ? wanted : (uint64_t)s->limit;
}

static bool has_enough(const struct machine *m)
{
    const struct machine_statement *s = &m->statement;

    return !s->query->select.distinct && s->affected >= wanted_of(s);
}

/* The read that was asked for need not find more rows than anybody wants. */
static void want_first(struct machine *m, const struct read_code *read)
{
    const struct machine_statement *s = &m->statement;
    uint64_t wanted = wanted_of(s);

    if (read->order.column_count == 0 || wanted >= INT64_MAX || s->whole)
        return;
    m->request.order = &read->order;
    m->request.wanted = wanted + (uint64_t)s->offset;
}

bool machine_tells_ties(const struct machine *m)
{
    const struct machine_statement *s = &m->statement;
    const struct query_code *whole = s->whole ? s->whole : s->query;

    return m->tells_ties && m->frame_count == 1 && whole->use == QUERY_USE_ALL &&
           m->program->tree.functions[m->frames[0].function].name.length == 0;
}

enum status machine_note_tie(struct machine *m, uint32_t tie)
{
    struct error err;

    if (array_push(&m->ties, tie, &err) != STATUS_OK)
        return sql_error_no_memory(&m->error);
    return STATUS_OK;
}

static enum status output_row(struct select_sink *sink, struct scope *scope)
{
    struct machine *m = scope->machine;

    TRY(machine_statement_output(m, scope));
    if (m->statement.query->select.order_count > 0 && machine_tells_ties(m))
        TRY(machine_note_tie(m, sink->tie));
    sink->has_enough = has_enough(scope->machine);
    return STATUS_OK;
}

/* All has been read, or nothing had to be: `is_empty`. */
static enum status finish(struct machine *m, bool is_empty)
{
    struct select_sink sink = { .output = output_row, .has_enough = has_enough(m) };
    struct scope scope;
    struct join j;
    enum status status = machine_join_open_all(&j, m);

    machine_scope(m, &scope);
    m->join = &j;
    if (status == STATUS_OK)
        status = run_select(&j, &m->statement.query->select, is_empty, &scope, &sink);
    m->join = NULL;
    machine_join_close(&j);
    TRY(status);
    return machine_statement_finish(m);
}

/* The next read that may find something. */
static enum status ask(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    for (; s->step < s->query->read_count; s->step++) {
        const struct read_code *read = &s->query->reads[s->step];
        bool is_empty;

        TRY(machine_join_restrict(m, read, &is_empty));
        if (is_empty && read->is_needed)
            return finish(m, true);
        if (is_empty)
            continue;
        TRY(machine_statement_read(m, read, READ_SELECT, select_of(m)->lock));
        want_first(m, read);
        return STATUS_OK;
    }
    return finish(m, false);
}

enum status machine_select_counts(struct machine *m)
{
    struct machine_statement *s = &m->statement;
    struct scope scope;

    machine_scope(m, &scope);
    TRY(read_counts(&s->query->select, &scope, &s->limit, &s->offset));
    if (!machine_tells_ties(m))
        return STATUS_OK;
    m->told_limit = s->limit;
    m->told_offset = s->offset;
    s->limit = INT64_MAX;
    s->offset = 0;
    return STATUS_OK;
}

enum status machine_select_begin(struct machine *m)
{
    TRY(machine_select_counts(m));
    return m->statement.is_true ? ask(m) : finish(m, true);
}

/* Rows of all but the last read are kept; those are used where they are. */
enum status machine_select_go_on(struct machine *m)
{
    struct machine_statement *s = &m->statement;

    TRY(machine_spend(m, m->answer_count));
    if (s->step + 1 == s->query->read_count)
        s->has_last = true;
    else
        TRY(machine_join_keep_answer(m, s->step));
    s->step++;
    return ask(m);
}
