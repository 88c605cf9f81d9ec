#include "audit/plan_private.h"

#include <stdlib.h>
#include <string.h>

#include "audit/first_rows_private.h"
#include "audit/programs/quiet_numbers.h"
#include "base/bisect.h"
#include "base/intern.h"
#include "base/map.h"
#include "programs/machine/engine.h"
#include "programs/sql/access.h"

#define CALL_ARGUMENTS 64 /* of the call that loads */
#define HEAP_BYTES ((size_t)64 << 20)

static enum status wrap_line(struct error *err, uint64_t line)
{
    if (err->line == 0)
        err->line = line;
    return err->status;
}

/* --- Statements with parameters ---------------------------------------------------------------- */

static void put_literal(struct buffer *out, struct text value)
{
    if (!value.at) {
        buffer_text(out, TEXT("NULL"));
        return;
    }
    buffer_byte(out, '\'');
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] == '\'')
            buffer_byte(out, '\'');
        buffer_byte(out, value.at[i]);
    }
    buffer_byte(out, '\'');
}

/* How many bytes of a quoted piece or a comment stand at the front; 0: none does. */
static size_t quoted_length(struct text sql)
{
    char quote = sql.at[0];
    size_t i = 1;

    if (quote == '-' && sql.length > 1 && sql.at[1] == '-') {
        while (i < sql.length && sql.at[i] != '\n')
            i++;
        return i;
    }
    if (quote != '\'' && quote != '"')
        return 0;
    while (i < sql.length && sql.at[i] != quote)
        i++;
    return i < sql.length ? i + 1 : i;
}

/* The statement with its parameters as literals, whose types the statement tells. */
static enum status put_statement(struct buffer *out, const struct call_log *log,
                                 const struct call_statement *statement, struct error *err)
{
    struct text rest = statement->sql;

    while (rest.length > 0) {
        size_t quoted = quoted_length(rest);
        struct text number = { rest.at + 1, rest.length - 1 };
        uint64_t n;

        if (quoted == 0 && rest.at[0] == '$' && text_take_uint64(&number, &n)) {
            if (n < 1 || n > statement->parameter_count)
                return error_set(err, STATUS_BAD_INPUT, "there is no parameter $%llu",
                                 (unsigned long long)n);
            put_literal(out, log->cells.at[statement->parameter + n - 1]);
            rest = number;
            continue;
        }
        if (quoted == 0)
            quoted = 1;
        buffer_text(out, (struct text){ rest.at, quoted });
        rest.at += quoted;
        rest.length -= quoted;
    }
    return buffer_status(out, err);
}

/* Each text once; plan.steps has their numbers. */
static enum status collect_statements(struct plan *plan, struct intern *texts, uint64_t *lines,
                                      struct error *err)
{
    const struct call_log *log = plan->log;
    struct buffer text = { 0 };
    enum status status = STATUS_OK;

    for (size_t i = 0; i < plan->txns.count && status == STATUS_OK; i++) {
        struct plan_txn *t = &plan->txns.at[i];

        t->step = (uint32_t)plan->steps.count;
        for (uint32_t k = 0; k < t->step_count && status == STATUS_OK; k++) {
            size_t before = intern_count(texts);
            uint32_t number = 0;

            buffer_clear(&text);
            status = put_statement(&text, log, &log->statements.at[t->logged->statement + k], err);
            if (status == STATUS_OK)
                status = intern_add(texts, (struct text){ text.at, text.count }, &number, err);
            if (status == STATUS_OK)
                status = array_push(&plan->steps, number, err);
            if (status == STATUS_OK && intern_count(texts) > before)
                lines[number] = t->logged->line;
            if (status != STATUS_OK)
                wrap_line(err, t->logged->line);
        }
    }
    buffer_close(&text);
    return status;
}

static enum status add_statements(struct plan *plan, const struct intern *texts,
                                  const uint64_t *lines, struct error *err)
{
    uint32_t first = plan->program->tree.function_count;
    size_t count = intern_count(texts);
    struct program_statement *statements = calloc(count + 1, sizeof *statements);
    enum status status;

    if (!statements)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for statements");
    for (size_t i = 0; i < count; i++)
        statements[i] = (struct program_statement){ intern_text(texts, (uint32_t)i),
                                                    (uint32_t)lines[i] };
    status = program_add_statements(plan->program, statements, (uint32_t)count, err);
    free(statements);
    for (size_t i = 0; i < plan->steps.count; i++)
        plan->steps.at[i] += first;
    return status;
}

static enum status make_statements(struct plan *plan, struct error *err)
{
    uint64_t *lines = calloc(plan->log->statements.count + 1, sizeof *lines);
    struct intern texts = { 0 };
    enum status status;

    if (!lines)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for statements");
    status = collect_statements(plan, &texts, lines, err);
    if (status == STATUS_OK && intern_count(&texts) > 0)
        status = add_statements(plan, &texts, lines, err);
    intern_close(&texts);
    free(lines);
    return status;
}

/* --- Transactions -------------------------------------------------------------------------------- */

static enum status plan_call(struct plan *plan, struct plan_txn *t, struct error *err)
{
    const struct logged_txn *logged = t->logged;
    const struct program_function *f;

    t->function = program_find_function(plan->program, logged->function);
    if (t->function == UINT32_MAX)
        return error_set(err, STATUS_BAD_INPUT, "there is no function %.*s",
                         TEXT_PRINT(logged->function));
    f = &plan->program->tree.functions[t->function];
    if (f->parameter_count != logged->argument_count)
        return error_set(err, STATUS_BAD_INPUT, "%.*s has %u parameters, not %u",
                         TEXT_PRINT(logged->function), f->parameter_count,
                         logged->argument_count);
    return STATUS_OK;
}

enum status audit_plan_arguments(const struct plan *plan, const struct plan_txn *t, struct heap *heap,
                                 struct datum *arguments, struct error *err)
{
    const struct program_function *f = &plan->program->tree.functions[t->function];
    struct sql_error sql_error;

    for (uint32_t i = 0; i < f->parameter_count; i++) {
        struct text cell = plan->log->cells.at[t->logged->argument + i];

        arguments[i] = datum_null();
        if (cell.at && datum_parse(cell, f->variables[i].type.kind, heap, &arguments[i], &sql_error) != STATUS_OK) {
            err->line = t->logged->line;
            return error_set(err, STATUS_BAD_INPUT, "argument %u of %.*s: %s", i + 1, TEXT_PRINT(t->logged->function),
                             sql_error.text);
        }
    }
    return STATUS_OK;
}

const struct call_answer *audit_plan_answer(const struct plan *plan, const struct plan_txn *t, uint32_t step)
{
    static const struct call_answer missing = { .kind = CALL_ANSWER_MISSING };

    return step < t->logged->answer_count ? &plan->log->answers.at[t->logged->answer + step] : &missing;
}

void audit_plan_count_answers(const struct plan *plan, uint32_t txn, uint64_t *judged,
                              uint64_t *unjudged)
{
    const struct logged_txn *logged = plan->txns.at[txn].logged;
    uint32_t wanted = logged->function.length > 0 ? 1 : logged->statement_count;

    for (uint32_t i = 0; i < wanted && !plan->txns.at[txn].is_unknown; i++) {
        bool is_missing = audit_plan_answer(plan, &plan->txns.at[txn], i)->kind == CALL_ANSWER_MISSING;

        *judged += !is_missing;
        *unjudged += is_missing;
    }
}

static enum status plan_txn(struct plan *plan, const struct logged_txn *logged, struct error *err)
{
    struct plan_txn t = { .logged = logged,
                          .is_unknown = logged->status != TXN_OK,
                          .first_answer_ns = call_log_first_answer(plan->log, logged) };

    if (logged->function.length > 0)
        TRY(plan_call(plan, &t, err));
    else
        t.step_count = logged->statement_count;
    TRY(array_push(&plan->txns, t, err));
    audit_plan_count_answers(plan, (uint32_t)plan->txns.count - 1, &plan->judged, &plan->unjudged);
    return STATUS_OK;
}

static void note_access(struct plan *plan, const struct access *access)
{
    const struct program_tree *tree = &plan->program->tree;
    uint32_t tables = tree->schema.table_count;

    for (uint32_t f = 0; f < tree->function_count; f++)
        for (uint32_t t = 0; t < tables; t++) {
            const struct access *a = &access[f * tables + t];

            plan->is_writing[f] |= a->inserts || a->updates || a->deletes;
        }
    for (size_t i = 0; i < plan->txns.count; i++) {
        const struct plan_txn *txn = &plan->txns.at[i];

        uint32_t calls = txn->logged->function.length > 0 ? 1 : txn->step_count;

        for (uint32_t k = 0; k < calls; k++) {
            uint32_t f = txn->step_count ? plan->steps.at[txn->step + k] : txn->function;

            plan->is_called[f] = true;
            for (uint32_t t = 0; t < tables && plan->is_writing[f]; t++) {
                const struct access *a = &access[f * tables + t];

                plan->is_written[t] |= a->inserts || a->updates || a->deletes;
            }
        }
    }
}

static enum status find_writing(struct plan *plan, struct error *err)
{
    const struct program_tree *tree = &plan->program->tree;
    const struct access *access;
    struct arena arena = { 0 };
    enum status status;

    plan->is_writing = calloc(tree->function_count + 1, 1);
    plan->is_written = calloc(tree->schema.table_count + 1, sizeof *plan->is_written);
    plan->is_called = calloc(tree->function_count + 1, sizeof *plan->is_called);
    if (!plan->is_writing || !plan->is_written || !plan->is_called)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for functions");
    TRY(arena_init(&arena, ARENA_UNLIMITED, err));
    status = access_find(tree, &arena, &access, err);
    if (status == STATUS_OK)
        note_access(plan, access);
    arena_close(&arena);
    return status;
}

enum status audit_plan_make(struct plan *plan, const struct call_log *log, struct program *program,
                            struct error *err)
{
    bool has_ts = false;

    *plan = (struct plan){ .log = log, .program = program };
    plan->numbers = calloc(1, sizeof *plan->numbers);
    if (!plan->numbers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the numbers of sequences");
    plan->numbers->schema = &program->tree.schema;
    for (size_t i = 0; i < log->txns.count; i++) {
        if (log->txns.at[i].status == TXN_ABORT)
            continue;
        if (plan_txn(plan, &log->txns.at[i], err) != STATUS_OK)
            return wrap_line(err, log->txns.at[i].line);
    }
    TRY(make_statements(plan, err));
    TRY(find_writing(plan, err));
    TRY(influence_find(&plan->influence, &program->tree, plan->is_written, err));
    TRY(quiet_numbers_find(&program->tree, &plan->numbers->are_quiet, err));
    for (size_t i = 0; i < plan->txns.count; i++) {
        const struct logged_txn *t = plan->txns.at[i].logged;

        /* It may have failed for a number that it got. */
        plan->numbers->are_quiet &= t->status != TXN_OK || t->sqlstate.length == 0;
    }
    for (size_t i = 0; i < plan->txns.count; i++)
        has_ts |= audit_plan_has_ts(plan, (uint32_t)i);
    for (size_t i = 0; i < plan->txns.count; i++) {
        struct plan_txn *t = &plan->txns.at[i];

        if (t->step_count == 0 && t->logged->function.length > 0)
            t->may_write = plan->is_writing[t->function];
        for (uint32_t k = 0; k < t->step_count; k++)
            t->may_write |= plan->is_writing[plan->steps.at[t->step + k]];
        t->has_place = t->may_write && (t->is_unknown || !has_ts ||
                                        audit_plan_has_ts(plan, (uint32_t)i));
    }
    return STATUS_OK;
}

void audit_plan_close(struct plan *plan)
{
    array_close(&plan->txns);
    array_close(&plan->steps);
    free(plan->is_writing);
    free(plan->is_called);
    free(plan->is_written);
    influence_close(&plan->influence);
    if (plan->numbers)
        numbers_close(plan->numbers);
    free(plan->numbers);
}

/* --- The state at the beginning -------------------------------------------------------------------- */

static enum status put_initial(const struct plan *plan, struct rows *rows, uint32_t table, const struct datum *cells,
                               bool *is_new, struct error *err)
{
    numbers_note_initial(plan->numbers, cells, plan->program->tree.schema.tables[table].column_count);
    return audit_rows_put_initial(rows, table, cells, is_new, err);
}

static enum status take_engine(const struct plan *plan, struct engine *engine, struct rows *rows,
                               struct error *err)
{
    for (uint32_t t = 0; t < plan->program->tree.schema.table_count; t++) {
        const struct datum *const *cells;
        uint32_t count;
        bool is_new;

        TRY(engine_read_table(engine, t, &cells, &count, err));
        for (uint32_t i = 0; i < count; i++)
            TRY(put_initial(plan, rows, t, cells[i], &is_new, err));
    }
    return STATUS_OK;
}

static enum status call_load(const struct plan *plan, struct engine *engine, struct heap *heap,
                             struct error *err)
{
    struct datum arguments[CALL_ARGUMENTS];
    struct engine_outcome outcome;
    uint32_t function;

    TRY(program_parse_call(plan->program, plan->log->load, heap, &function,
                           (struct program_arguments){ arguments, CALL_ARGUMENTS }, err));
    TRY(engine_call(engine, function, arguments, &outcome, err));
    if (!outcome.is_done)
        return error_set(err, STATUS_BAD_INPUT, "the load failed: %s", outcome.message);
    return STATUS_OK;
}

static enum status fill_by_load(const struct plan *plan, struct rows *rows, struct error *err)
{
    struct engine *engine = NULL;
    struct heap heap;
    enum status status;

    heap_init(&heap, HEAP_BYTES);
    status = engine_open(&engine, plan->program, err);
    if (status == STATUS_OK)
        status = call_load(plan, engine, &heap, err);
    if (status == STATUS_OK)
        status = take_engine(plan, engine, rows, err);
    engine_close(engine);
    heap_close(&heap);
    return status;
}

static enum status find_column(const struct schema_table *table, struct text name,
                               uint16_t *column, struct error *err)
{
    for (uint16_t i = 0; i < schema_shown(table); i++)
        if (text_equal(table->columns[i].name, name)) {
            *column = i;
            return STATUS_OK;
        }
    return error_set(err, STATUS_BAD_INPUT, "table %.*s has no column %.*s",
                     TEXT_PRINT(table->name), TEXT_PRINT(name));
}

static enum status put_row(const struct plan *plan, struct rows *rows,
                           const struct logged_row *row, struct heap *heap, struct error *err)
{
    const struct schema *schema = &plan->program->tree.schema;
    struct datum cells[1600] = { 0 };
    struct sql_error sql_error;
    uint32_t t = 0;
    bool is_new;

    while (t < schema->table_count && !text_equal(schema->tables[t].name, row->table))
        t++;
    if (t == schema->table_count)
        return error_set(err, STATUS_BAD_INPUT, "there is no table %.*s", TEXT_PRINT(row->table));
    for (uint32_t i = 0; i < row->column_count; i++) {
        const struct text *pair = &plan->log->cells.at[row->cell + 2 * i];
        uint16_t column = 0;

        TRY(find_column(&schema->tables[t], pair[0], &column, err));
        if (pair[1].at && datum_parse(pair[1], schema->tables[t].columns[column].type.kind, heap,
                                      &cells[column], &sql_error) != STATUS_OK)
            return error_set(err, STATUS_BAD_INPUT, "%s", sql_error.text);
    }
    if (schema->tables[t].is_numbered)
        cells[schema->tables[t].key.at[0]] =
            datum_of_int64(schema_first_row(0) + (row - plan->log->rows.at));
    for (uint16_t i = 0; i < schema->tables[t].key.count; i++)
        if (datum_is_null(&cells[schema->tables[t].key.at[i]]))
            return error_set(err, STATUS_BAD_INPUT, "a row of %.*s without its primary key",
                             TEXT_PRINT(row->table));
    TRY(put_initial(plan, rows, t, cells, &is_new, err));
    if (!is_new)
        return error_set(err, STATUS_BAD_INPUT, "two rows of %.*s have the same primary key",
                         TEXT_PRINT(row->table));
    return STATUS_OK;
}

static enum status fill_by_rows(const struct plan *plan, struct rows *rows, struct error *err)
{
    enum status status = STATUS_OK;
    struct heap heap;

    heap_init(&heap, HEAP_BYTES);
    for (size_t i = 0; i < plan->log->rows.count && status == STATUS_OK; i++) {
        heap_reset(&heap);
        status = put_row(plan, rows, &plan->log->rows.at[i], &heap, err);
    }
    heap_close(&heap);
    return status;
}

enum status audit_plan_fill(const struct plan *plan, struct rows *rows, struct error *err)
{
    switch (plan->log->initial) {
    case INITIAL_LOAD:
        return fill_by_load(plan, rows, err);
    case INITIAL_ROWS:
        return fill_by_rows(plan, rows, err);
    case INITIAL_UNKNOWN:
        return plan->first ? first_rows_put(plan->first, rows, err) : STATUS_OK;
    case INITIAL_EMPTY:
        break;
    }
    return STATUS_OK;
}

/* --- Order ---------------------------------------------------------------------------------------- */

bool audit_plan_has_ts(const struct plan *plan, uint32_t txn)
{
    return plan->txns.at[txn].logged->has_ts && !plan->log->ts_is_hint;
}

static int compare_ts(const struct logged_txn *a, const struct logged_txn *b)
{
    for (int i = 0; i < CALL_PLACES_MAX; i++)
        if (a->ts[i] != b->ts[i])
            return a->ts[i] < b->ts[i] ? -1 : 1;
    return 0;
}

int audit_plan_compare_ts(const struct plan *plan, uint32_t a, uint32_t b)
{
    if (!audit_plan_has_ts(plan, a) || !audit_plan_has_ts(plan, b))
        return 0;
    return compare_ts(plan->txns.at[a].logged, plan->txns.at[b].logged);
}

bool audit_plan_is_before(const struct plan *plan, uint32_t a, uint32_t b)
{
    const struct plan_txn *first = &plan->txns.at[a], *second = &plan->txns.at[b];

    return !first->is_unknown && first->logged->completed_ns != TIME_NEVER &&
           second->logged->invoked_ns != TIME_NEVER &&
           first->logged->completed_ns < second->logged->invoked_ns;
}

bool audit_plan_is_after_answer(const struct plan *plan, uint32_t first, uint32_t second)
{
    const struct plan_txn *t = &plan->txns.at[first];
    int64_t invoked = plan->txns.at[second].logged->invoked_ns;

    return t->first_answer_ns != TIME_NEVER && invoked != TIME_NEVER && invoked > t->first_answer_ns;
}

/* A transaction and by what it is sorted. */
struct sorted_txn {
    const struct logged_txn *logged;
    int64_t key, second;
    uint32_t txn;
    bool by_ts;
};

static int compare_sorted(const void *left, const void *right)
{
    const struct sorted_txn *a = left, *b = right;
    int order = a->by_ts && b->by_ts ? compare_ts(a->logged, b->logged) : 0;

    if (order == 0)
        order = (a->key > b->key) - (a->key < b->key);
    if (order == 0)
        order = (a->second > b->second) - (a->second < b->second);
    return order != 0 ? order : (a->txn > b->txn) - (a->txn < b->txn);
}

/* Of each and those after it, the first instant of that kind; an unknown one is before all. */
static void fill_least(const struct sorted_txn *all, uint32_t count, bool of_completion,
                       int64_t *least)
{
    least[count] = INT64_MAX;
    for (uint32_t i = count; i > 0; i--) {
        const struct logged_txn *t = all[i - 1].logged;
        int64_t at = of_completion ? t->completed_ns : t->invoked_ns;

        if (at == TIME_NEVER)
            at = INT64_MIN;
        least[i - 1] = at < least[i] ? at : least[i];
    }
}

/* By transaction: where the next one of its session that has ts stands among these, by the order of the log. */
static enum status find_next(const struct plan *plan, const struct sorted_txn *all, uint32_t count, uint32_t *next,
                             struct error *err)
{
    struct map sessions = { 0 };
    enum status status = STATUS_OK;
    size_t place;

    for (uint32_t i = 0; i < plan->txns.count; i++)
        next[i] = count;
    for (uint32_t i = 0; i < count; i++)
        next[all[i].txn] = i;
    for (size_t i = plan->txns.count; i > 0 && status == STATUS_OK; i--) {
        const struct logged_txn *t = plan->txns.at[i - 1].logged;

        if (t->session < 0)
            continue;
        status = map_add(&sessions, (uint64_t)t->session, count, &place, err);
        if (status == STATUS_OK && t->has_ts)
            sessions.values.at[place] = next[i - 1];
        else if (status == STATUS_OK)
            next[i - 1] = (uint32_t)sessions.values.at[place];
    }
    map_close(&sessions);
    return status;
}

/*
 * The key of one without ts is how many of those with it (the first `count`) come before: those up to
 * the last that was completed before it was, or, if it only reads, up to the last that it could have seen.
 * In a log without times, those up to the next one of its session.
 * Where others have a ts, one without it has most likely written nothing, whatever its program may write.
 */
static enum status give_slots(const struct plan *plan, struct sorted_txn *all, uint32_t count,
                              uint32_t total, struct error *err)
{
    int64_t *least = calloc(2 * ((size_t)count + 1), sizeof *least);
    uint32_t *next = calloc(plan->txns.count + 1, sizeof *next);
    bool is_timed = false;
    enum status status;

    for (uint32_t i = 0; i < total; i++)
        is_timed |= all[i].logged->invoked_ns != TIME_NEVER || all[i].logged->completed_ns != TIME_NEVER;
    if (!least || !next)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    else
        status = find_next(plan, all, count, next, err);
    if (status != STATUS_OK) {
        free(least);
        free(next);
        return status;
    }
    fill_least(all, count, true, least);
    fill_least(all, count, false, least + count + 1);
    for (uint32_t i = count; i < total; i++) {
        const struct plan_txn *t = &plan->txns.at[all[i].txn];
        const int64_t *by = t->has_place ? least : least + count + 1;
        int64_t end = t->is_unknown ? t->logged->invoked_ns : t->logged->completed_ns;
        uint32_t slot = count;

        if (t->logged->has_saw)
            BISECT(slot, 0, count, all[slot].logged->ts[0] <= t->logged->saw[1]);
        else if (end != TIME_NEVER)
            BISECT(slot, 0, count, by[slot] < end);
        else if (!is_timed)
            slot = next[all[i].txn];
        all[i].key = slot;
        all[i].second = end != TIME_NEVER ? end : 0;
    }
    free(least);
    free(next);
    return STATUS_OK;
}

static void merge(const struct sorted_txn *all, uint32_t count, uint32_t total, uint32_t *order)
{
    uint32_t at = 0, other = count;

    for (uint32_t i = 0; i <= count; i++) {
        for (; other < total && all[other].key <= i; other++)
            order[at++] = all[other].txn;
        if (i < count)
            order[at++] = all[i].txn;
    }
}

enum status audit_plan_order(const struct plan *plan, uint32_t *order, uint32_t *count,
                       struct error *err)
{
    struct sorted_txn *all = calloc(plan->txns.count + 1, sizeof *all);
    uint32_t with = 0, total = 0;
    enum status status;

    if (!all)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an order");
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < plan->txns.count; i++) {
            const struct logged_txn *logged = plan->txns.at[i].logged;

            if (logged->has_ts != (pass == 0))
                continue;
            all[total++] = (struct sorted_txn){ .logged = logged, .txn = i, .by_ts = pass == 0 };
        }
        if (pass == 0)
            with = total;
    }
    qsort(all, with, sizeof *all, compare_sorted);
    status = give_slots(plan, all, with, total, err);
    qsort(all + with, total - with, sizeof *all, compare_sorted);
    merge(all, with, total, order);
    *count = total;
    free(all);
    return status;
}
