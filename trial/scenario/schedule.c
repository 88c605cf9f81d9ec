#include "trial/scenario/schedule_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "trial/scenario/scenario.h"
#include "trial/scenario/store_private.h"
#include "trial/scenario/toml_private.h"

#define PATIENCE_NS (INT64_C(3600) * 1000000000)

static const char *const acts[] = {
    [SCHEDULE_BEGIN] = "begin",
    [SCHEDULE_COMMIT] = "commit",
    [SCHEDULE_ABORT] = "abort",
    [SCHEDULE_AWAIT] = "await",
};

/* --- Reading ---------------------------------------------------------------------------------- */

enum status scenario_session_read(char *session, const char *label, const struct setting *given,
                                  struct error *err)
{
    struct setting as_text = *given;

    if (as_text.kind == SETTING_INTEGER)
        as_text.kind = SETTING_STRING; /* 7 is "7" */
    if (as_text.kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a number or a name", label);
    return scenario_line_read(session, STEP_SESSION_SIZE, label, &as_text, err);
}

/* One word is no statement: rather something mistyped. */
static enum status refuse_word(const struct setting *given, const char *label, struct error *err)
{
    const char *names[ROW_COUNT(acts) + 1] = { 0 };
    const char *nearest;

    memcpy(names, acts, sizeof acts);
    nearest = text_nearest(given->text, names);
    return toml_refuse(given, err,
                       "%s should be \"begin\", \"commit\", \"abort\", \"await\" or a statement "
                       "of SQL, not \"%.*s\"%s%s%s",
                       label, TEXT_PRINT(given->text), nearest ? "; did you mean \"" : "",
                       nearest ? nearest : "", nearest ? "\"?" : "");
}

static bool has_blank(struct text text)
{
    return memchr(text.at, ' ', text.length) || memchr(text.at, '\n', text.length) ||
           memchr(text.at, '\t', text.length);
}

enum status scenario_do_read(struct scenario_do *what, const char *label, const struct setting *given,
                             struct error *err)
{
    if (given->kind != SETTING_STRING)
        return toml_refuse(given, err, "%s should be a string", label);
    what->line = given->line;
    for (size_t i = 0; i < ROW_COUNT(acts); i++)
        if (text_equal(given->text, text_of(acts[i]))) {
            what->act = (enum schedule_act)i;
            return STATUS_OK;
        }
    if (!has_blank(given->text))
        return refuse_word(given, label, err);
    if (given->text.length >= STEP_SQL_SIZE)
        return toml_refuse(given, err, "%s should be at most %d bytes of SQL", label,
                           STEP_SQL_SIZE - 1);
    what->act = SCHEDULE_STATEMENT;
    memcpy(what->sql, given->text.at, given->text.length);
    return STATUS_OK;
}

static enum status read_outcome(uint32_t *expected, const char *label, const struct setting *given,
                                struct error *err)
{
    static const enum schedule_outcome outcomes[] = { SCHEDULE_OK, SCHEDULE_BLOCKED,
                                                      SCHEDULE_ABORTED };

    for (size_t i = 0; given->kind == SETTING_STRING && i < ROW_COUNT(outcomes); i++)
        if (text_equal(given->text, text_of(store_schedule_outcome_name(outcomes[i])))) {
            *expected |= 1u << outcomes[i];
            return STATUS_OK;
        }
    return toml_refuse(given, err,
                       "%s should be \"ok\", \"blocked\", \"aborted\" or a list of them", label);
}

enum status scenario_expect_read(uint32_t *expected, const char *label, const struct setting *given,
                                 struct error *err)
{
    if (given->kind != SETTING_ARRAY)
        return read_outcome(expected, label, given, err);
    if (given->count == 0)
        return toml_refuse(given, err, "%s should not be empty", label);
    for (const struct setting *one = given->first; one; one = one->next)
        TRY(read_outcome(expected, label, one, err));
    return STATUS_OK;
}

/* As the store prints it. */
static enum status read_cell(const char *label, const struct setting *cell, struct buffer *out,
                             struct error *err)
{
    if (cell->kind == SETTING_INTEGER)
        buffer_int64(out, cell->number);
    else if (cell->kind == SETTING_DECIMAL || cell->kind == SETTING_BOOLEAN)
        buffer_text(out, cell->text);
    else if (cell->kind == SETTING_STRING)
        buffer_json(out, cell->text);
    else if (cell->kind == SETTING_ARRAY && cell->count == 0)
        buffer_text(out, TEXT("[]"));
    else
        return toml_refuse(cell, err,
                           "%s should hold integers, decimals, strings, booleans, and [] for "
                           "null",
                           label);
    return STATUS_OK;
}

static enum status read_lines(const char *label, const struct setting *list, struct buffer *out,
                              struct error *err)
{
    for (const struct setting *row = list->first; row; row = row->next) {
        if (row->kind != SETTING_ARRAY)
            return toml_refuse(row, err, "%s should be a list of rows such as [[1, 10]]", label);
        buffer_byte(out, '[');
        for (const struct setting *cell = row->first; cell; cell = cell->next) {
            buffer_text(out, cell == row->first ? TEXT("") : TEXT(","));
            TRY(read_cell(label, cell, out, err));
        }
        buffer_text(out, TEXT("]\n"));
    }
    return buffer_status(out, err);
}

enum status scenario_rows_read(struct scenario_rows *rows, const char *label,
                               const struct setting *given, struct error *err)
{
    struct buffer lines = { 0 };
    enum status status;

    if (given->kind != SETTING_ARRAY)
        return toml_refuse(given, err, "%s should be a list of rows such as [[1, 10]]", label);
    status = read_lines(label, given, &lines, err);
    if (status == STATUS_OK && lines.count >= STEP_ROWS_SIZE)
        status = toml_refuse(given, err, "%s are more than %d bytes", label, STEP_ROWS_SIZE - 1);
    if (status == STATUS_OK) {
        if (lines.count > 0)
            memcpy(rows->lines, lines.at, lines.count);
        rows->are_given = true;
    }
    buffer_close(&lines);
    return status;
}

/* --- Printing --------------------------------------------------------------------------------- */

void scenario_session_print(const char *session, struct buffer *out)
{
    int64_t number;

    if (text_to_int64(text_of(session), &number))
        buffer_text(out, text_of(session));
    else
        buffer_json(out, text_of(session));
}

void scenario_do_print(const struct scenario_do *what, struct buffer *out)
{
    buffer_json(out, text_of(what->act == SCHEDULE_STATEMENT ? what->sql : acts[what->act]));
}

void scenario_expect_print(uint32_t expected, struct buffer *out)
{
    const char *between = "";

    buffer_byte(out, '[');
    for (int i = 0; i < SCHEDULE_OUTCOME_COUNT; i++)
        if (expected >> i & 1) {
            buffer_print(out, "%s\"%s\"", between,
                         store_schedule_outcome_name((enum schedule_outcome)i));
            between = ", ";
        }
    buffer_byte(out, ']');
}

void scenario_rows_print(const struct scenario_rows *rows, struct buffer *out)
{
    size_t length = strlen(rows->lines);

    buffer_byte(out, '[');
    for (size_t i = 0; i < length; i++)
        if (rows->lines[i] != '\n')
            buffer_byte(out, rows->lines[i]);
        else if (i + 1 < length)
            buffer_text(out, TEXT(", "));
    buffer_byte(out, ']');
}

/* --- The whole schedule ----------------------------------------------------------------------- */

struct session {
    const char *name;
    const struct setting *began; /* the step that began its transaction; NULL: it has none */
    bool has_begun;              /* one, at some time */
};

static uint32_t find_session(struct session *sessions, uint32_t *count, const char *name)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(sessions[i].name, name) == 0)
            return i;
    sessions[*count] = (struct session){ .name = name };
    return (*count)++;
}

static enum status check_step(const struct scenario_step *step, struct session *session,
                              const struct setting *table, struct error *err)
{
    enum schedule_act act = step->what.act;

    if (act == SCHEDULE_BEGIN && session->began)
        return toml_refuse(table, err, "session %s has begun a transaction already",
                           step->session);
    if (act != SCHEDULE_BEGIN && !session->began && !(act == SCHEDULE_AWAIT && session->has_begun))
        return toml_refuse(table, err, "session %s has no transaction here: do = \"begin\"",
                           step->session);
    if (act == SCHEDULE_BEGIN)
        session->began = table;
    if (act == SCHEDULE_COMMIT || act == SCHEDULE_ABORT)
        session->began = NULL;
    session->has_begun = true;
    return STATUS_OK;
}

enum status scenario_schedule_check(struct scenario *scenario, const struct setting *list,
                                    struct error *err)
{
    struct session sessions[SCHEDULE_STEPS_MAX];
    const struct setting *table = list->first;
    uint32_t count = 0;

    if (scenario->workload.kind != WORKLOAD_SCHEDULE || scenario->step_count == 0)
        return toml_refuse(list, err, "a schedule is of the statements of a workload.program");
    for (uint32_t i = 0; i < scenario->step_count; i++, table = table->next) {
        struct scenario_step *step = &scenario->steps[i];

        step->session_number = find_session(sessions, &count, step->session);
        TRY(check_step(step, &sessions[step->session_number], table, err));
    }
    for (uint32_t i = 0; i < count; i++)
        if (sessions[i].began)
            return toml_refuse(sessions[i].began, err,
                               "session %s does not end its transaction: do = \"commit\"",
                               sessions[i].name);
    scenario->workload.sessions = count;
    /* A session tries nothing twice, and waits until it has an answer. */
    scenario->workload.client.patience_ns = PATIENCE_NS;
    scenario->workload.client.attempts_max = 1;
    return STATUS_OK;
}

static enum status read_steps(struct scenario *scenario, const struct setting *list,
                              struct error *err)
{
    bool is_call = scenario->workload.kind == WORKLOAD_PROGRAM;

    if (list->kind != SETTING_ARRAY || (is_call && list->count > 1))
        return toml_refuse(list, err, "transaction.do should be a list of %s",
                           is_call ? "one call such as \"buy(1, 7)\""
                                   : "operations such as \"r 3\" and \"w 6 17\"");
    for (const struct setting *step = list->first; step; step = step->next) {
        if (step->kind != SETTING_STRING)
            return toml_refuse(step, err, "transaction.do should list strings");
        if (is_call)
            listed_add_call(&scenario->listing, step->text);
        else if (listed_parse(&scenario->listing, step->text, err) != STATUS_OK)
            return toml_blame(step, err);
    }
    return listed_status(&scenario->listing, err);
}

enum status scenario_listed_read(struct scenario *scenario, const struct scenario_transaction *given,
                                 const struct setting *table, struct error *err)
{
    if (scenario->workload.kind != WORKLOAD_BUILTIN && scenario->workload.kind != WORKLOAD_PROGRAM)
        return toml_refuse(table, err, "transactions are listed of a workload of the store "
                                          "that has no schedule");
    if (given->session >= scenario->workload.sessions)
        return toml_refuse(table, err, "there is no session %" PRIu32 ": workload.sessions "
                           "is %" PRIu32, given->session, scenario->workload.sessions);
    if (given->node >= scenario->cluster.nodes)
        return toml_refuse(table, err, "there is no node %" PRIu32, given->node);
    listed_begin(&scenario->listing, given->session);
    TRY(read_steps(scenario, given->steps, err));
    listed_place(&scenario->listing, given->at_ns, given->node);
    return listed_status(&scenario->listing, err);
}

/* --- Printing --------------------------------------------------------------------------------- */

static void print_steps(const struct scenario *scenario, const struct listed_txn *txn,
                        struct buffer *out)
{
    const struct listed *listing = &scenario->listing;
    const struct listed_op *ops = listed_ops(listing, txn);
    struct buffer step = { 0 };

    buffer_text(out, TEXT("do = ["));
    if (scenario->workload.kind == WORKLOAD_PROGRAM) {
        if (txn->count > 0)
            buffer_json(out, listed_call(listing, txn));
    } else {
        for (uint32_t i = 0; i < txn->count;) {
            if (i > 0)
                buffer_text(out, TEXT(", "));
            buffer_clear(&step);
            i += listed_print(ops + i, txn->count - i, &step);
            buffer_json(out, (struct text){ step.at, step.count });
        }
    }
    buffer_text(out, TEXT("]\n"));
    buffer_close(&step);
}

void scenario_listed_print(const struct scenario *scenario, struct buffer *out)
{
    for (size_t i = 0; i < scenario->listing.txns.count; i++) {
        const struct listed_txn *txn = &scenario->listing.txns.at[i];

        buffer_print(out, "\n[[transaction]]\nsession = %" PRIu32 "\nat = \"", txn->client);
        quantity_print_duration(out, txn->at_ns);
        buffer_print(out, "\"\nnode = %" PRIu32 "\n", txn->node);
        print_steps(scenario, txn, out);
    }
}
