#include "verify/calls/audit_replay_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool audit_refuse(struct audit_replay *a, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(a->result->reason, sizeof a->result->reason, format, arguments);
    va_end(arguments);
    a->result->is_accepted = false;
    return false;
}


/* --- The initial state ----------------------------------------------------------------------- */

static enum ended put_rows(struct session *s, const struct call_log *from)
{
    enum ended ended = ENDED_WELL;

    for (size_t i = 0; i < from->rows.count && ended == ENDED_WELL; i++)
        ended = session_put_row(s, from->rows.at[i].table, &from->cells.at[from->rows.at[i].cell],
                                from->rows.at[i].column_count);
    return ended;
}

bool audit_replay_start(struct audit_replay *a)
{
    const struct call_log *log = a->log;
    struct session *s = &a->session;
    enum ended ended = ENDED_WELL;

    session_begin(s, NULL, NULL, 0, false);
    switch (log->initial) {
    case INITIAL_EMPTY:
        break;
    case INITIAL_LOAD:
        ended = session_call_text(s, log->load);
        break;
    case INITIAL_ROWS:
        ended = put_rows(s, log);
        break;
    case INITIAL_UNKNOWN:
        if (!a->witness->has_initial)
            return audit_refuse(a, "undecided: nobody knows the initial rows");
        ended = put_rows(s, &a->witness->initial);
        break;
    }
    if (ended == ENDED_UNKNOWN)
        return audit_refuse(a, "undecided: the verifier does not know %s", s->trap.reason);
    if (ended == ENDED_IN_ERROR)
        return audit_refuse(a, "undecided: the initial rows end in the error %s", s->trap.sqlstate);
    row_states_commit(&s->store, 0);
    s->numbering.owners = &a->owners;
    return true;
}

/* --- Transactions ------------------------------------------------------------------------------- */

int audit_compare_ts(const struct logged_txn *a, const struct logged_txn *b)
{
    for (unsigned i = 0; i < CALL_PLACES_MAX; i++)
        if (a->ts[i] != b->ts[i])
            return a->ts[i] < b->ts[i] ? -1 : 1;
    return 0;
}

int64_t audit_completed_at(const struct logged_txn *txn)
{
    return txn->status == TXN_OK ? txn->completed_ns : TIME_NEVER;
}

bool audit_was_before(const struct logged_txn *a, const struct logged_txn *b)
{
    return audit_completed_at(a) != TIME_NEVER && b->invoked_ns != TIME_NEVER &&
           audit_completed_at(a) < b->invoked_ns;
}

bool audit_may_write(struct audit_replay *a, const struct logged_txn *txn)
{
    bool writes = false;

    if (txn->status == TXN_OK && txn->sqlstate.length > 0)
        return false;
    if (txn->function.length > 0) {
        const struct routine *routine = catalog_find_routine(&a->session.catalog, txn->function);

        return !routine || routine->may_write;
    }
    for (uint32_t i = 0; i < txn->statement_count; i++) {
        const struct statement *statement;

        writes |=
            session_prepare(&a->session, a->log->statements.at[txn->statement + i].sql, &statement) != ENDED_WELL ||
            statement->kind != STATEMENT_SELECT || statement->calls;
    }
    return writes;
}

void audit_take_written(struct audit_replay *a, struct written_rows *written)
{
    struct arena *arena = &a->session.lasting;
    const struct row_store *store = &a->session.store;

    written->count = store->written_count;
    written->entries = arena_take(arena, store->written_count + 1, sizeof *written->entries);
    written->rows = arena_take(arena, store->written_count + 1, sizeof *written->rows);
    for (uint32_t i = 0; i < store->written_count; i++) {
        written->entries[i] = store->written[i];
        written->rows[i] = store->written[i]->own;
    }
}

bool audit_same_written(const struct written_rows *a, const struct written_rows *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t k = 0;

        /* Runs write in much the same order. */
        while (k < b->count && b->entries[(i + k) % b->count] != a->entries[i])
            k++;
        if (k == b->count ||
            !row_states_identical(a->entries[i]->relation, a->rows[i], b->rows[(i + k) % b->count]))
            return false;
    }
    return true;
}

/* --- Answers ------------------------------------------------------------------------------------- */

/* A row as one text, so that rows can be sorted and compared: each cell with its length before it. */
static void add_cell(struct buffer *row, struct text cell)
{
    if (!cell.at) {
        buffer_text(row, TEXT("-,"));
        return;
    }
    buffer_print(row, "%zu:", cell.length);
    buffer_text(row, cell);
}

static struct text text_of_cells(struct session *s, const struct item *cells, uint32_t width)
{
    struct buffer row = { 0 };

    for (uint32_t i = 0; i < width; i++)
        add_cell(&row, item_is_null(&cells[i]) ? (struct text){ NULL, 0 } : session_print(s, &cells[i]));
    return session_keep(s, &row);
}

static struct text text_of_answer(struct session *s, const struct text *cells, uint32_t width)
{
    struct buffer row = { 0 };

    for (uint32_t i = 0; i < width; i++)
        add_cell(&row, cells[i]);
    return session_keep(s, &row);
}

static int compare_texts(void *context, const void *a, const void *b)
{
    (void)context;
    return text_compare(*(const struct text *)a, *(const struct text *)b);
}

static struct text **sorted_texts(struct session *s, uint32_t count)
{
    struct text *texts = arena_take(&s->scratch, count + 1, sizeof *texts);
    struct text **pointers = arena_take(&s->scratch, count + 1, sizeof *pointers);

    for (uint32_t i = 0; i < count; i++)
        pointers[i] = &texts[i];
    return pointers;
}

/* Whether some answered rows are among the rows of a block, each as often at most. */
static bool is_among(struct session *s, struct text **answered, uint32_t count, struct text **block,
                     uint32_t block_count)
{
    uint32_t at = 0;

    run_sort(&s->run, (void **)answered, count, compare_texts, NULL);
    run_sort(&s->run, (void **)block, block_count, compare_texts, NULL);
    for (uint32_t i = 0; i < count; i++, at++) {
        while (at < block_count && text_compare(*block[at], *answered[i]) < 0)
            at++;
        if (at == block_count || !text_equal(*block[at], *answered[i]))
            return false;
    }
    return true;
}

static bool compare_rows(struct audit_replay *a, const struct result *result,
                         const struct call_answer *answer, struct replay_outcome *out)
{
    struct session *s = &a->session;
    const struct text *cells = &a->log->cells.at[answer->cell];
    uint32_t count = result->last - result->first, i = result->first;

    if (answer->row_count != count) {
        snprintf(out->reason, sizeof out->reason, "%u rows, and the log has %u", count, answer->row_count);
        return false;
    }
    if (count > 0 && answer->width != result->width) {
        snprintf(out->reason, sizeof out->reason, "rows of %u columns, and the log has %u",
                 result->width, answer->width);
        return false;
    }
    while (i < result->last) {
        uint32_t block = result->rows[i]->block, from = i, to = i, given = i;
        struct text **answered, **rows;

        while (given < result->last && result->rows[given]->block == block)
            given++;
        while (from > 0 && result->rows[from - 1]->block == block)
            from--;
        while (to < result->count && result->rows[to]->block == block)
            to++;
        answered = sorted_texts(s, given - i);
        rows = sorted_texts(s, to - from);
        for (uint32_t k = i; k < given; k++)
            *answered[k - i] = text_of_answer(
                s, cells + (size_t)(k - result->first) * answer->width, answer->width);
        for (uint32_t k = from; k < to; k++)
            *rows[k - from] = text_of_cells(s, result->rows[k]->cells, result->width);
        if (!is_among(s, answered, given - i, rows, to - from)) {
            snprintf(out->reason, sizeof out->reason, "other rows than the log has, such as %.*s",
                     TEXT_PRINT(*rows[0]));
            return false;
        }
        i = given;
    }
    return true;
}

static int shown(struct text text)
{
    return text.length > 100 ? 100 : (int)text.length;
}

static bool compare_value(struct audit_replay *a, const struct routine *routine,
                          const struct item *value, const struct call_answer *answer,
                          struct replay_outcome *out)
{
    bool is_void = routine->result.kind == KIND_VOID;
    const struct text *cell = &a->log->cells.at[answer->cell];
    struct text printed;

    if (answer->kind == CALL_ANSWER_COUNT || (is_void && answer->row_count == 0)) {
        snprintf(out->reason, sizeof out->reason, "another number of rows than the log has");
        return answer->kind == CALL_ANSWER_COUNT ? answer->count == !is_void : true;
    }
    if (answer->row_count != 1 || answer->width != 1) {
        snprintf(out->reason, sizeof out->reason, "one value, and the log has something else");
        return false;
    }
    if (is_void) {
        snprintf(out->reason, sizeof out->reason, "nothing, and the log has a value");
        return !cell->at || cell->length == 0;
    }
    if (item_is_null(value) || !cell->at) {
        snprintf(out->reason, sizeof out->reason, "null, or the log has null");
        return item_is_null(value) && !cell->at;
    }
    printed = session_print(&a->session, value);
    snprintf(out->reason, sizeof out->reason, "%.*s, and the log has %.*s", shown(printed), printed.at, shown(*cell),
             cell->at);
    return text_equal(*cell, printed);
}

static bool compare_outcome(struct audit_replay *a, const struct statement *statement,
                            const struct outcome_of_statement *outcome,
                            const struct call_answer *answer, struct replay_outcome *out)
{
    static const struct result nothing = { .count = 0 };

    if (answer->kind == CALL_ANSWER_ROWS)
        return compare_rows(a, statement->shape ? &outcome->result : &nothing, answer, out);
    snprintf(out->reason, sizeof out->reason, "%u rows touched, and the log has %" PRId64,
             outcome->touched, answer->count);
    return answer->count == (int64_t)outcome->touched;
}

/* --- Running --------------------------------------------------------------------------------------- */

/* An error that a committed transaction has to have, or NULL. */
static const char *expected_error(const struct logged_txn *txn)
{
    return txn->status == TXN_OK && txn->sqlstate.length > 0 ? txn->sqlstate.at : NULL;
}

static const struct call_answer *answer_at(const struct audit_replay *a, const struct logged_txn *txn,
                                           uint32_t number)
{
    const struct call_answer *answer = &a->log->answers.at[txn->answer + number];

    return number < txn->answer_count && answer->kind != CALL_ANSWER_MISSING ? answer : NULL;
}

/* After all was executed, or something ended in an error. */
static void end_run(struct audit_replay *a, const struct logged_txn *txn, enum ended ended,
                    struct replay_outcome *out)
{
    struct session *s = &a->session;
    const char *error = expected_error(txn);

    if (ended == ENDED_UNKNOWN) {
        out->replayed = REPLAYED_UNKNOWN;
        snprintf(out->reason, sizeof out->reason, "%s", s->trap.reason);
    } else if (ended == ENDED_IN_ERROR && !(error && memcmp(error, s->trap.sqlstate, 5) == 0)) {
        out->replayed = REPLAYED_WRONG;
        snprintf(out->reason, sizeof out->reason, "it ends in the error %s", s->trap.sqlstate);
    } else if (ended == ENDED_WELL && error) {
        out->replayed = REPLAYED_WRONG;
        snprintf(out->reason, sizeof out->reason, "it does not end in the error %.5s", error);
    } else if (ended == ENDED_IN_ERROR) {
        row_states_begin(&s->store); /* nothing of it is left */
    }
}

static void run_call(struct audit_replay *a, const struct logged_txn *txn, struct replay_outcome *out)
{
    struct session *s = &a->session;
    const struct routine *routine = catalog_find_routine(&s->catalog, txn->function);
    const struct call_answer *answer = answer_at(a, txn, 0);
    struct item value = item_null();
    enum ended ended;

    if (!routine) {
        out->replayed = REPLAYED_UNKNOWN;
        snprintf(out->reason, sizeof out->reason, "the function %.*s", TEXT_PRINT(txn->function));
        return;
    }
    ended = session_call(s, routine, &a->log->cells.at[txn->argument], txn->argument_count, &value);
    if (ended == ENDED_WELL && answer && !compare_value(a, routine, &value, answer, out))
        out->replayed = REPLAYED_WRONG;
    end_run(a, txn, ended, out);
}

static void run_statements(struct audit_replay *a, const struct logged_txn *txn,
                           struct replay_outcome *out)
{
    struct session *s = &a->session;
    enum ended ended = ENDED_WELL;

    for (uint32_t i = 0; i < txn->statement_count && ended == ENDED_WELL; i++) {
        const struct call_statement *logged = &a->log->statements.at[txn->statement + i];
        const struct call_answer *answer = answer_at(a, txn, i);
        struct outcome_of_statement outcome;
        const struct statement *statement;

        out->answer = i;
        ended = session_prepare(s, logged->sql, &statement);
        if (ended == ENDED_WELL)
            ended = session_execute(s, statement, &a->log->cells.at[logged->parameter],
                                    logged->parameter_count, &outcome);
        if (ended != ENDED_WELL || !answer)
            continue;
        if (!compare_outcome(a, statement, &outcome, answer, out)) {
            out->replayed = REPLAYED_WRONG;
            break;
        }
    }
    end_run(a, txn, ended, out);
}

void audit_say_order(const struct run *run, char *reason, size_t size)
{
    if (run->open_line > 0)
        snprintf(reason, size, "in which order rows of the query in line %u come, which SQL leaves open",
                 run->open_line);
    else
        snprintf(reason, size, "in which order rows of a statement come, which SQL leaves open");
}

/* Those that the witness has for it; none, if it has none. */
static void give_numbers(struct audit_replay *a, const struct logged_txn *txn)
{
    const struct audit_witness *w = a->witness;
    const struct witnessed_numbers *numbers;
    uint64_t at;

    if (!map_find(&a->numbers, (uint64_t)txn->id, &at)) {
        numbering_give(&a->session.numbering, (uint64_t)txn->id, NULL, 0);
        return;
    }
    numbers = &w->numbers.at[at];
    numbering_give(&a->session.numbering, (uint64_t)txn->id, w->given.at + numbers->first,
                   numbers->count);
}

void audit_replay_run(struct audit_replay *a, const struct logged_txn *txn,
                      const struct replay_sight *sight, struct replay_outcome *out)
{
    uint64_t given;

    *out = (struct replay_outcome){ .replayed = REPLAYED };
    session_begin(&a->session, sight->see, sight->context, sight->before, sight->is_locking);
    give_numbers(a, txn);
    a->session.run.row_number = (txn - a->log->txns.at + 1) * RUN_ROW_NUMBERS + 1;
    given = a->session.run.steps_left;
    if (!a->witness->is_valid && a->steps_left < given)
        given = a->session.run.steps_left = a->steps_left;
    if (txn->function.length > 0)
        run_call(a, txn, out);
    else
        run_statements(a, txn, out);
    a->steps_left -= a->witness->is_valid ? 0 : given - a->session.run.steps_left;
}
