#include "store/clients/driver_schedule.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "history/call_log_write.h"
#include "programs/machine/machine.h"

#define MILLISECOND INT64_C(1000000)
#define START_NS (2000 * MILLISECOND)
#define BLOCKED_NS (1000 * MILLISECOND)
#define POLL_NS (10 * MILLISECOND)

struct scheduled {
    enum schedule_outcome outcome; /* in the end */
    bool was_blocked;              /* when it should have been done */
    bool has_rows;
    struct text rows;
};

struct schedule_session {
    const uint32_t *steps; /* that are its own */
    uint32_t count, at;    /* the one at hand */
    bool is_started;       /* the statement at hand */
    bool is_aborted;       /* since its last begin */
    /* Of the transaction at hand, where statements are noted: elements of arrays. */
    struct buffer statements, answers;
    uint64_t txn; /* 0: no request of it has been answered */
};

struct driver_schedule {
    struct driver_schedule_options options;
    struct driver_program *by_program;
    const struct program *program;
    struct driver driver;
    const struct driver *statements; /* the driver of programs */
    struct schedule_session *sessions;
    struct scheduled *results; /* by step */
    uint32_t issued;           /* steps, the first so many */
    int64_t issued_ns;         /* the last of them */
    struct arena *arena;
    struct buffer buffer;
    bool is_short;
};

/* --- Where the schedule stands ---------------------------------------------------------------- */

static bool has_come_out(const struct driver_schedule *d, uint32_t step)
{
    return d->results[step].outcome != SCHEDULE_NOT_DONE;
}

/* The step that a session is to do now. False: none has been issued. */
static bool find_step(const struct driver_schedule *d, const struct schedule_session *session,
                      uint32_t *step)
{
    if (session->at == session->count || session->steps[session->at] >= d->issued)
        return false;
    *step = session->steps[session->at];
    return true;
}

static void finish_step(struct driver_schedule *d, struct schedule_session *session,
                        enum schedule_outcome outcome)
{
    d->results[session->steps[session->at]].outcome = outcome;
    session->at++;
    session->is_started = false;
}

/* What stood behind a blocked step and was skipped then is as little to be awaited as no step. */
static const struct scheduled *find_awaited(const struct driver_schedule *d,
                                            const struct schedule_session *session)
{
    for (uint32_t i = session->at; i-- > 0;) {
        const struct scheduled *before = &d->results[session->steps[i]];

        if (!before->was_blocked)
            return NULL;
        if (before->outcome != SCHEDULE_SKIPPED)
            return before;
    }
    return NULL;
}

static void finish_await(struct driver_schedule *d, struct schedule_session *session, uint32_t step)
{
    const struct scheduled *awaited = find_awaited(d, session);

    if (!awaited) {
        finish_step(d, session, session->is_aborted ? SCHEDULE_SKIPPED : SCHEDULE_OK);
        return;
    }
    d->results[step].has_rows = awaited->has_rows;
    d->results[step].rows = awaited->rows;
    finish_step(d, session, awaited->outcome);
}

/* Past what needs nothing of the store. */
static void pass_idle_steps(struct driver_schedule *d, struct schedule_session *session)
{
    uint32_t step;

    while (find_step(d, session, &step)) {
        enum schedule_act act = d->options.steps[step].act;

        if (act == SCHEDULE_AWAIT)
            finish_await(d, session, step);
        else if (session->is_aborted && act != SCHEDULE_BEGIN)
            finish_step(d, session, SCHEDULE_SKIPPED);
        else
            return;
    }
}

/* A step behind one that is blocked need not be given a second; an await is there to wait. */
static bool stands_behind(const struct driver_schedule *d, uint32_t step)
{
    const struct schedule_session *session = &d->sessions[d->options.steps[step].session];
    uint32_t at_hand = session->steps[session->at];

    return at_hand != step && d->results[at_hand].was_blocked &&
           d->options.steps[step].act != SCHEDULE_AWAIT;
}

/* Whether the step that was issued last leaves the turn to the next. */
static bool is_next_due(struct driver_schedule *d, int64_t now_ns)
{
    uint32_t last = d->issued - 1;

    if (d->issued == 0)
        return now_ns >= START_NS;
    pass_idle_steps(d, &d->sessions[d->options.steps[last].session]);
    if (has_come_out(d, last))
        return true;
    if (now_ns - d->issued_ns < BLOCKED_NS && !stands_behind(d, last))
        return false;
    d->results[last].was_blocked = true;
    return true;
}

static void issue_steps(struct driver_schedule *d)
{
    int64_t now_ns = d->options.now_ns(d->options.now_context);

    while (is_next_due(d, now_ns) && d->issued < d->options.step_count) {
        d->issued++;
        d->issued_ns = now_ns;
    }
}

/* --- Rows as text ----------------------------------------------------------------------------- */

static void print_cell(const struct datum *cell, struct buffer *out)
{
    struct buffer text = { 0 };

    switch ((enum datum_kind)cell->kind) {
    case DATUM_NULL:
        buffer_text(out, TEXT("[]"));
        return;
    case DATUM_BOOLEAN:
        buffer_text(out, cell->as.integer ? TEXT("true") : TEXT("false"));
        return;
    case DATUM_INTEGER:
    case DATUM_NUMERIC:
        datum_print(cell, out);
        return;
    case DATUM_TEXT:
    case DATUM_TIMESTAMP:
    case DATUM_ARRAY:
        datum_print(cell, &text);
        buffer_json(out, (struct text){ text.at, text.count });
        out->out_of_memory |= text.out_of_memory;
        buffer_close(&text);
        return;
    }
}

static void print_rows(const struct request *returned, struct buffer *out)
{
    const struct datum *cell = returned->rows;

    buffer_clear(out);
    for (uint32_t row = 0; row < returned->row_count; row++) {
        buffer_byte(out, '[');
        for (uint32_t i = 0; i < returned->row_width; i++, cell++) {
            buffer_text(out, i ? TEXT(",") : TEXT(""));
            print_cell(cell, out);
        }
        buffer_text(out, TEXT("]\n"));
    }
}

static void keep_rows(struct driver_schedule *d, struct scheduled *result,
                      const struct request *returned)
{
    char *kept;

    if (returned->row_width == 0)
        return;
    print_rows(returned, &d->buffer);
    kept = arena_push(d->arena, d->buffer.count + 1, 1);
    if (!kept || d->buffer.out_of_memory) {
        d->is_short = true;
        return;
    }
    if (d->buffer.count > 0)
        memcpy(kept, d->buffer.at, d->buffer.count);
    result->has_rows = true;
    result->rows = (struct text){ kept, d->buffer.count };
}

static bool gives_rows(const struct driver_schedule *d, const struct schedule_step *step)
{
    const struct program_function *function = &d->program->tree.functions[step->function];

    if (step->act == SCHEDULE_AWAIT)
        return true;
    return step->act == SCHEDULE_STATEMENT &&
           function->body.actions[0].kind == ACTION_RETURN_ROWS;
}

/* --- Notes for the log of calls ----------------------------------------------------------------- */

static void note_statement(struct driver_schedule *d, struct schedule_session *session,
                           uint32_t step)
{
    struct json_writer json = { .out = &session->statements,
                                .needs_comma = session->statements.count > 0 };

    if (!d->options.notes)
        return;
    json_writer_open(&json, NULL, '{');
    json_writer_string(&json, "sql", d->options.steps[step].sql);
    json_writer_close(&json, '}');
}

static void note_answer(struct driver_schedule *d, struct schedule_session *session, uint32_t step,
                        const struct request *request)
{
    struct json_writer json = { .out = &session->answers,
                                .needs_comma = session->answers.count > 0 };

    if (!d->options.notes)
        return;
    if (gives_rows(d, &d->options.steps[step])) {
        call_notes_write_rows(d->options.notes, request, &json);
        return;
    }
    json_writer_open(&json, NULL, '{');
    json_writer_number(&json, "count", request->affected);
    json_writer_close(&json, '}');
}

static void note_end(struct driver_schedule *d, struct schedule_session *session, uint64_t txn)
{
    struct buffer *out = &d->buffer;

    if (d->options.notes && session->statements.count > 0) {
        buffer_clear(out);
        call_log_write_statements(out, &session->statements, &session->answers);
        if (out->out_of_memory ||
            !call_notes_add(d->options.notes, txn, (struct text){ out->at, out->count }))
            d->is_short = true;
    }
    buffer_clear(&session->statements);
    buffer_clear(&session->answers);
    session->txn = 0;
}

void driver_schedule_note_open(struct driver_schedule *d)
{
    for (uint32_t i = 0; i < d->options.sessions; i++)
        if (d->sessions[i].txn)
            note_end(d, &d->sessions[i], d->sessions[i].txn);
}

/* --- The driver ------------------------------------------------------------------------------- */

static int64_t rest_ns(void *context, uint32_t client)
{
    struct driver_schedule *d = context;
    struct schedule_session *session = &d->sessions[client];
    uint32_t step;

    pass_idle_steps(d, session);
    issue_steps(d);
    pass_idle_steps(d, session);
    if (session->at == session->count || find_step(d, session, &step))
        return 0;
    return POLL_NS;
}

static bool schedule_begin(void *context, uint32_t client, uint64_t ordinal, uint32_t attempt)
{
    struct driver_schedule *d = context;
    struct schedule_session *session = &d->sessions[client];
    uint32_t step;

    (void)ordinal;
    assert(attempt == 0); /* nothing is tried again */
    (void)attempt;
    if (!find_step(d, session, &step))
        return false;
    assert(d->options.steps[step].act == SCHEDULE_BEGIN);
    session->is_aborted = false;
    finish_step(d, session, SCHEDULE_OK);
    return true;
}

/* False: the statement is done. */
static bool go_on(struct driver_schedule *d, uint32_t client, uint32_t step, struct intent *intent)
{
    struct schedule_session *session = &d->sessions[client];

    if (!session->is_started) {
        note_statement(d, session, step);
        driver_program_call(d->by_program, client, d->options.steps[step].function);
    }
    session->is_started = true;
    *intent = d->statements->next(d->statements->context, client);
    if (intent->kind != INTENT_COMMIT)
        return true;
    note_answer(d, session, step, driver_program_request(d->by_program, client));
    keep_rows(d, &d->results[step], driver_program_request(d->by_program, client));
    finish_step(d, session, SCHEDULE_OK);
    return false;
}

static struct intent schedule_next(void *context, uint32_t client)
{
    struct driver_schedule *d = context;
    struct schedule_session *session = &d->sessions[client];
    struct intent intent = { .kind = INTENT_WAIT, .scope = SCOPE_NONE, .wait_ns = POLL_NS };
    uint32_t step;

    for (;;) {
        pass_idle_steps(d, session);
        issue_steps(d);
        if (!find_step(d, session, &step))
            return intent;
        switch (d->options.steps[step].act) {
        case SCHEDULE_COMMIT:
        case SCHEDULE_ABORT:
            intent.kind = d->options.steps[step].act == SCHEDULE_COMMIT ? INTENT_COMMIT
                                                                        : INTENT_ABORT;
            return intent;
        case SCHEDULE_STATEMENT:
            if (go_on(d, client, step, &intent))
                return intent;
            intent = (struct intent){ INTENT_WAIT, .scope = SCOPE_NONE, .wait_ns = POLL_NS };
            break;
        case SCHEDULE_AWAIT:
            break; /* just issued */
        case SCHEDULE_BEGIN:
            assert(!"a transaction begins within another");
            return intent;
        }
    }
}

static void schedule_answered(void *context, uint32_t client, const struct driver_answer *answer)
{
    struct driver_schedule *d = context;

    d->sessions[client].txn = answer->txn;
    d->statements->answered(d->statements->context, client, answer);
}

static void unanswered(void *context, uint32_t client, const struct driver_answer *answer)
{
    struct driver_schedule *d = context;

    d->statements->unanswered(d->statements->context, client, answer);
}

static enum schedule_outcome outcome_of(enum schedule_act act, enum txn_status status)
{
    if (status == TXN_UNKNOWN)
        return SCHEDULE_UNKNOWN;
    return status == TXN_OK || act == SCHEDULE_ABORT ? SCHEDULE_OK : SCHEDULE_ABORTED;
}

static void schedule_ended(void *context, uint32_t client, enum txn_status status, uint64_t txn)
{
    struct driver_schedule *d = context;
    struct schedule_session *session = &d->sessions[client];
    enum schedule_outcome outcome;
    uint32_t step;
    bool is_at_hand = find_step(d, session, &step);

    assert(is_at_hand);
    note_end(d, session, txn);
    d->statements->ended(d->statements->context, client, status, txn);
    outcome = outcome_of(d->options.steps[step].act, status);
    session->is_aborted = outcome == SCHEDULE_ABORTED;
    finish_step(d, session, outcome);
}

/* --- Life ------------------------------------------------------------------------------------- */

static enum status check_steps(const struct driver_schedule *d, struct error *err)
{
    for (uint32_t i = 0; i < d->options.step_count; i++) {
        const struct schedule_step *step = &d->options.steps[i];

        assert(step->session < d->options.sessions);
        if (!step->has_rows || gives_rows(d, step))
            continue;
        err->line = step->line;
        return error_set(err, STATUS_BAD_INPUT, "step %" PRIu32 " gives no rows", i + 1);
    }
    return STATUS_OK;
}

/* Each session's own steps, one session behind the other in one array. */
static void deal_steps(struct driver_schedule *d, uint32_t *own)
{
    for (uint32_t s = 0; s < d->options.sessions; s++) {
        struct schedule_session *session = &d->sessions[s];

        session->steps = own;
        for (uint32_t i = 0; i < d->options.step_count; i++)
            if (d->options.steps[i].session == s)
                own[session->count++] = i;
        own += session->count;
    }
}

enum status driver_schedule_open(struct driver_schedule **out,
                                 const struct driver_schedule_options *options,
                                 struct driver_program *by_program, const struct program *program,
                                 struct arena *arena, struct error *err)
{
    struct driver_schedule *d = arena_push(arena, 1, sizeof *d);
    uint32_t *own = arena_push(arena, options->step_count, sizeof *own);

    *out = d;
    if (!d || !own)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a schedule");
    d->options = *options;
    d->by_program = by_program;
    d->program = program;
    d->statements = driver_program_driver(by_program);
    d->arena = arena;
    d->driver = (struct driver){ .context = d,
                                 .rest_ns = rest_ns,
                                 .begin = schedule_begin,
                                 .next = schedule_next,
                                 .answered = schedule_answered,
                                 .unanswered = unanswered,
                                 .ended = schedule_ended };
    d->sessions = arena_push(arena, options->sessions, sizeof *d->sessions);
    d->results = arena_push(arena, options->step_count, sizeof *d->results);
    if (!d->sessions || !d->results)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a schedule");
    deal_steps(d, own);
    return check_steps(d, err);
}

void driver_schedule_close(struct driver_schedule *d)
{
    if (!d)
        return;
    buffer_close(&d->buffer);
    for (uint32_t i = 0; d->sessions && i < d->options.sessions; i++) {
        buffer_close(&d->sessions[i].statements);
        buffer_close(&d->sessions[i].answers);
    }
}

const struct driver *driver_schedule_driver(const struct driver_schedule *d)
{
    return &d->driver;
}

bool driver_schedule_is_short(const struct driver_schedule *d)
{
    return d->is_short;
}

/* --- Afterwards ------------------------------------------------------------------------------- */

struct schedule_result driver_schedule_result(const struct driver_schedule *d, uint32_t step)
{
    const struct scheduled *result = &d->results[step];

    assert(step < d->options.step_count);
    return (struct schedule_result){
        .outcome = result->was_blocked ? SCHEDULE_BLOCKED : result->outcome,
        .has_rows = result->has_rows,
        .rows = result->rows,
    };
}

static void print_step(const struct driver_schedule *d, uint32_t number, struct buffer *out)
{
    static const char *const acts[] = { "begin", "commit", "abort", "await" };
    const struct schedule_step *step = &d->options.steps[number];
    struct text act = step->act == SCHEDULE_STATEMENT ? step->sql : text_of(acts[step->act]);

    buffer_print(out, "step %" PRIu32 " (session %.*s, \"%.*s\"): ", number + 1,
                 TEXT_PRINT(step->session_name), TEXT_PRINT(act));
}

static void print_expected(unsigned expected, struct buffer *out)
{
    const char *between = "";

    for (int i = 0; i < SCHEDULE_OUTCOME_COUNT; i++)
        if (expected >> i & 1) {
            buffer_print(out, "%s%s", between,
                         store_schedule_outcome_name((enum schedule_outcome)i));
            between = " or ";
        }
}

/* Lines as a list: [[1,10],[2,20]]. */
static void print_lines(struct text lines, struct buffer *out)
{
    buffer_byte(out, '[');
    for (size_t i = 0; i < lines.length; i++)
        if (lines.at[i] != '\n')
            buffer_byte(out, lines.at[i]);
        else if (i + 1 < lines.length)
            buffer_text(out, TEXT(","));
    buffer_byte(out, ']');
}

static struct text take_line(struct text *lines)
{
    const char *end = memchr(lines->at, '\n', lines->length);
    size_t length = end ? (size_t)(end - lines->at) : lines->length;
    struct text line = { lines->at, length };
    size_t taken = length + (end ? 1 : 0);

    *lines = (struct text){ lines->at + taken, lines->length - taken };
    return line;
}

static size_t count_line(struct text lines, struct text wanted)
{
    size_t count = 0;

    while (lines.length > 0)
        count += text_equal(take_line(&lines), wanted);
    return count;
}

/* The same lines as often; a schedule's results are few. */
static bool have_same_lines(struct text a, struct text b)
{
    struct text rest = a;

    if (a.length != b.length)
        return false;
    while (rest.length > 0) {
        struct text line = take_line(&rest);

        if (count_line(a, line) != count_line(b, line))
            return false;
    }
    return true;
}

static bool is_ordered(const struct driver_schedule *d, const struct schedule_step *step)
{
    const struct action *action = &d->program->tree.functions[step->function].body.actions[0];

    return step->act == SCHEDULE_STATEMENT && action->as.returned->kind == QUERY_SELECT &&
           action->as.returned->as.select.order_count > 0;
}

bool driver_schedule_check(const struct driver_schedule *d, uint32_t number,
                           struct buffer *sentence)
{
    const struct schedule_step *step = &d->options.steps[number];
    struct schedule_result result = driver_schedule_result(d, number);
    bool is_expected = step->expected == 0 || step->expected >> result.outcome & 1;

    if (result.outcome == SCHEDULE_SKIPPED)
        return true;
    if (result.outcome == SCHEDULE_NOT_DONE || !is_expected) {
        print_step(d, number, sentence);
        if (step->expected) {
            buffer_text(sentence, TEXT("expected "));
            print_expected(step->expected, sentence);
            buffer_text(sentence, TEXT(", "));
        }
        buffer_print(sentence, "was %s", store_schedule_outcome_name(result.outcome));
        return false;
    }
    if (!step->has_rows || !result.has_rows || text_equal(step->rows, result.rows) ||
        (!is_ordered(d, step) && have_same_lines(step->rows, result.rows)))
        return true;
    print_step(d, number, sentence);
    buffer_text(sentence, TEXT("expected rows "));
    print_lines(step->rows, sentence);
    buffer_text(sentence, TEXT(", was "));
    print_lines(result.rows, sentence);
    return false;
}
