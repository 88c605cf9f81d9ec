#include "history/call_log.h"

#include <stdio.h>
#include <string.h>

#include "base/intern.h"
#include "base/map.h"
#include "history/io/json_lines.h"

#define LOG_VERSION 1
#define COLUMNS_MAX 1600 /* as in PostgreSQL */
#define NAME_LOG "ordeal-log"
#define HEADER_EXAMPLE "{\"" NAME_LOG "\":1,..."

/* Cells of the line that is read are views of it, until keep_cells() has copied them. */
struct log_reader {
    struct call_log *log;
    struct source *source;
    struct json json;
    struct digest_stream digest;
    struct map ids; /* of transactions, to the lines on which they stand */

    /* Functions, statements, tables and columns: each text is kept once. */
    struct intern names;
    ARRAY(struct text) kept;

    /* What the fields at hand are of. */
    struct logged_txn txn;
    struct call_statement statement;
    struct call_answer answer;
    struct text table;
};

typedef enum status piece_reader(struct log_reader *, struct error *);
typedef enum status field_reader(struct log_reader *, unsigned field, struct error *);

static enum status no_memory(struct error *err)
{
    return error_set(err, STATUS_OVER_LIMIT, "no memory for the log");
}

/* --- Texts ------------------------------------------------------------------------------------ */

static enum status copy_text(struct log_reader *r, struct text text, struct text *copy,
                             struct error *err)
{
    char *at;

    *copy = TEXT("");
    if (text.length == 0)
        return STATUS_OK;
    at = arena_push(&r->log->arena, text.length, 1);
    if (!at)
        return no_memory(err);
    memcpy(at, text.at, text.length);
    *copy = (struct text){ at, text.length };
    return STATUS_OK;
}

static enum status keep_name(struct log_reader *r, struct text name, struct text *kept,
                             struct error *err)
{
    uint32_t number;

    TRY(intern_add(&r->names, name, &number, err));
    if (number == r->kept.count) {
        struct text copy;

        TRY(copy_text(r, name, &copy, err));
        TRY(array_push(&r->kept, copy, err));
    }
    *kept = r->kept.at[number];
    return STATUS_OK;
}

static bool is_view_of_line(const struct log_reader *r, struct text text)
{
    const struct json *json = &r->json;
    uintptr_t at = (uintptr_t)text.at, decoded = (uintptr_t)json->decoded.at;

    return (at >= (uintptr_t)json->begin && at <= (uintptr_t)json->end) ||
           (at >= decoded && at <= decoded + json->decoded.count);
}

/* Copies what the cells from `first` on are views of. */
static enum status keep_cells(struct log_reader *r, size_t first, struct error *err)
{
    call_log_cells *cells = &r->log->cells;
    size_t size = 0;
    char *at;

    for (size_t i = first; i < cells->count; i++)
        if (cells->at[i].at && is_view_of_line(r, cells->at[i]))
            size += cells->at[i].length;
    at = arena_push(&r->log->arena, size + 1, 1);
    if (!at)
        return no_memory(err);
    for (size_t i = first; i < cells->count; i++) {
        if (!cells->at[i].at || !is_view_of_line(r, cells->at[i]))
            continue;
        memcpy(at, cells->at[i].at, cells->at[i].length);
        cells->at[i].at = at;
        at += cells->at[i].length;
    }
    return STATUS_OK;
}

/* --- Pieces of lines -------------------------------------------------------------------------- */

static enum status read_count(struct log_reader *r, size_t count, uint32_t *number,
                              struct error *err)
{
    if (count > UINT32_MAX)
        return json_refuse_token(&r->json, err, "a log has at most 4294967295 values");
    *number = (uint32_t)count;
    return STATUS_OK;
}

static enum status read_cell(struct log_reader *r, struct error *err)
{
    struct text text = { NULL, 0 };

    if (!json_word(&r->json, "null"))
        TRY(json_string(&r->json, "a string or null", &text, err));
    return array_push(&r->log->cells, text, err);
}

/* An array, and how long it is. */
static enum status read_array(struct log_reader *r, const char *what, piece_reader *read,
                              uint32_t *count, struct error *err)
{
    TRY(json_open(&r->json, '[', what, err));
    for (size_t n = 0;; n++) {
        bool more;

        TRY(json_element(&r->json, n, &more, err));
        if (!more)
            return read_count(r, n, count, err);
        TRY(read(r, err));
    }
}

/* An object, and a bit for each field that it has. */
static enum status read_object(struct log_reader *r, const char *what, const char *const *names,
                               field_reader *read, unsigned *seen, struct error *err)
{
    *seen = 0;
    TRY(json_open(&r->json, '{', what, err));
    for (size_t n = 0;; n++) {
        struct text name;
        unsigned field;

        TRY(json_field(&r->json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(json_know_field(&r->json, name, names, &field, seen, err));
        TRY(read(r, field, err));
    }
}

#define SEEN(field) (seen >> (field)&1)

static enum status read_first_cell(struct log_reader *r, uint32_t *cell, struct error *err)
{
    return read_count(r, r->log->cells.count, cell, err);
}

static enum status read_time(struct log_reader *r, const char *what, int64_t *ns,
                             struct error *err)
{
    TRY(json_integer(&r->json, what, ns, err));
    if (*ns == TIME_NEVER)
        return json_refuse_token(&r->json, err, "there is no such time");
    return STATUS_OK;
}

/* [invoked, completed or null] */
static enum status read_times(struct log_reader *r, struct logged_txn *txn, struct error *err)
{
    struct json *json = &r->json;
    bool more;

    TRY(json_open(json, '[', "[invoked, completed] in nanoseconds", err));
    TRY(read_time(r, "the time of the call, an integer", &txn->invoked_ns, err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "expected two times: [invoked, completed]");
    if (!json_word(json, "null"))
        TRY(read_time(r, "the time of the last answer, an integer or null", &txn->completed_ns,
                      err));
    if (txn->completed_ns < txn->invoked_ns)
        return json_refuse_token(json, err, "completed before it was invoked");
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse_token(json, err, "expected two times: [invoked, completed]")
                : STATUS_OK;
}

/* An integer, or two or three in an array. */
static enum status read_ts(struct log_reader *r, struct logged_txn *txn, struct error *err)
{
    const char *what = "a place: an integer, or an array of up to three";
    struct json *json = &r->json;

    txn->has_ts = true;
    if (json_peek(json) != '[')
        return json_integer(json, what, &txn->ts[0], err);
    TRY(json_open(json, '[', what, err));
    for (size_t n = 0;; n++) {
        bool more;

        TRY(json_element(json, n, &more, err));
        if (!more)
            return n > 0 ? STATUS_OK : json_refuse_token(json, err, "expected %s", what);
        if (n == CALL_PLACES_MAX)
            return json_refuse(json, "at most three parts of a place", err);
        TRY(json_integer(json, what, &txn->ts[n], err));
    }
}

/* [at its beginning, at its end] */
static enum status read_saw(struct log_reader *r, struct logged_txn *txn, struct error *err)
{
    const char *what = "two places of commits, the second not below the first: [3, 5]";
    struct json *json = &r->json;
    bool more;

    txn->has_saw = true;
    TRY(json_open(json, '[', what, err));
    TRY(json_integer(json, what, &txn->saw[0], err));
    TRY(json_element(json, 1, &more, err));
    if (!more)
        return json_refuse_token(json, err, "expected %s", what);
    TRY(json_integer(json, what, &txn->saw[1], err));
    if (txn->saw[1] < txn->saw[0])
        return json_refuse_token(json, err, "expected %s", what);
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse_token(json, err, "expected %s", what) : STATUS_OK;
}

/* Five digits or capitals. */
static enum status read_sqlstate(struct log_reader *r, struct logged_txn *txn, struct error *err)
{
    struct text text;

    TRY(json_string(&r->json, "a SQLSTATE after \"error\"", &text, err));
    for (size_t i = 0; i < text.length; i++)
        if (!((text.at[i] >= '0' && text.at[i] <= '9') || (text.at[i] >= 'A' && text.at[i] <= 'Z')))
            text.length = 0;
    if (text.length != 5)
        return json_refuse_token(&r->json, err, "a SQLSTATE is five digits or capital letters");
    return keep_name(r, text, &txn->sqlstate, err);
}

/* --- Answers ---------------------------------------------------------------------------------- */

enum answer_field { ANSWER_ROWS, ANSWER_COUNT, ANSWER_AT };
static const char *const answer_fields[] = { "rows", "count", "at", NULL };

static enum status read_answer_row(struct log_reader *r, struct error *err)
{
    struct call_answer *answer = &r->answer;
    uint32_t width = 0; /* gcc 14 does not follow read_array() */

    TRY(read_array(r, "a row: an array of strings and nulls", read_cell, &width, err));
    if (answer->row_count++ > 0 && width != answer->width)
        return json_refuse_token(&r->json, err, "a row of %u values, and the first has %u", width,
                                 answer->width);
    answer->width = width;
    return STATUS_OK;
}

static enum status read_answer_field(struct log_reader *r, unsigned field, struct error *err)
{
    struct call_answer *answer = &r->answer;

    switch (field) {
    case ANSWER_ROWS:
        answer->kind = CALL_ANSWER_ROWS;
        TRY(read_first_cell(r, &answer->cell, err));
        return read_array(r, "an array of rows", read_answer_row, &answer->row_count, err);
    case ANSWER_COUNT:
        answer->kind = CALL_ANSWER_COUNT;
        TRY(json_integer(&r->json, "how many rows", &answer->count, err));
        return answer->count < 0 ? json_refuse_token(&r->json, err, "fewer than no rows")
                                 : STATUS_OK;
    default: /* ANSWER_AT */
        return read_time(r, "the time of the answer, an integer", &answer->completed_ns, err);
    }
}

static enum status read_answer(struct log_reader *r, struct error *err)
{
    unsigned seen;

    r->answer = (struct call_answer){ .kind = CALL_ANSWER_MISSING, .completed_ns = TIME_NEVER };
    if (!json_word(&r->json, "null")) {
        TRY(read_object(r, "an answer: {\"rows\":[...]}, {\"count\":N} or null", answer_fields,
                        read_answer_field, &seen, err));
        if (SEEN(ANSWER_ROWS) == SEEN(ANSWER_COUNT))
            return json_refuse_token(&r->json, err, "an answer has either \"rows\" or \"count\"");
    }
    return array_push(&r->log->answers, r->answer, err);
}

/* --- Transactions ----------------------------------------------------------------------------- */

enum statement_field { STATEMENT_SQL, STATEMENT_PARAMETERS };
static const char *const statement_fields[] = { "sql", "parameters", NULL };

static enum status read_statement_field(struct log_reader *r, unsigned field, struct error *err)
{
    struct call_statement *statement = &r->statement;
    struct text text;

    if (field == STATEMENT_SQL) {
        TRY(json_string(&r->json, "a string after \"sql\"", &text, err));
        return keep_name(r, text, &statement->sql, err);
    }
    TRY(read_first_cell(r, &statement->parameter, err));
    return read_array(r, "an array of parameters", read_cell, &statement->parameter_count, err);
}

static enum status read_statement(struct log_reader *r, struct error *err)
{
    unsigned seen;

    r->statement = (struct call_statement){ 0 };
    TRY(read_object(r, "a statement: {\"sql\":\"...\"}", statement_fields, read_statement_field,
                    &seen, err));
    if (!SEEN(STATEMENT_SQL))
        return json_refuse_token(&r->json, err, "a statement needs \"sql\"");
    return array_push(&r->log->statements, r->statement, err);
}

static enum status read_status(struct log_reader *r, struct logged_txn *txn, struct error *err)
{
    static const char *const names[] = {
        [TXN_OK] = "ok", [TXN_ABORT] = "abort", [TXN_UNKNOWN] = "unknown", NULL
    };
    unsigned choice;

    TRY(json_choice(&r->json, "status", names, &choice, err));
    txn->status = (enum txn_status)choice;
    return STATUS_OK;
}

static enum status read_id(struct log_reader *r, struct logged_txn *txn, struct error *err)
{
    uint64_t before;
    size_t place;

    TRY(json_integer(&r->json, "the number of the transaction", &txn->id, err));
    if (txn->id < 0)
        return json_refuse_token(&r->json, err, "transactions are numbered from 0");
    if (map_find(&r->ids, (uint64_t)txn->id, &before))
        return json_refuse_token(&r->json, err, "transaction %lld stands on line %llu already",
                                 (long long)txn->id, (unsigned long long)before);
    return map_add(&r->ids, (uint64_t)txn->id, r->source->line, &place, err);
}

enum txn_field {
    TXN_FIELD_TXN,
    TXN_FIELD_SESSION,
    TXN_FIELD_CALL,
    TXN_FIELD_ARGUMENTS,
    TXN_FIELD_STATEMENTS,
    TXN_FIELD_ANSWERS,
    TXN_FIELD_ERROR,
    TXN_FIELD_STATUS,
    TXN_FIELD_AT,
    TXN_FIELD_TS,
    TXN_FIELD_SAW,
};
static const char *const txn_fields[] = { "txn",     "session", "call", "arguments", "statements",
                                          "answers", "error",   "status", "at",      "ts",
                                          "saw",     NULL };

static enum status read_txn_field(struct log_reader *r, unsigned field, struct error *err)
{
    struct json *json = &r->json;
    struct logged_txn *txn = &r->txn;
    struct text text;

    switch (field) {
    case TXN_FIELD_TXN:
        return read_id(r, txn, err);
    case TXN_FIELD_SESSION:
        TRY(json_integer(json, "the number of the session", &txn->session, err));
        return txn->session < 0 ? json_refuse_token(json, err, "sessions are numbered from 0")
                                : STATUS_OK;
    case TXN_FIELD_CALL:
        TRY(json_string(json, "the name of a function after \"call\"", &text, err));
        if (text.length == 0)
            return json_refuse_token(json, err, "a function without a name");
        return keep_name(r, text, &txn->function, err);
    case TXN_FIELD_ARGUMENTS:
        TRY(read_first_cell(r, &txn->argument, err));
        return read_array(r, "an array of arguments", read_cell, &txn->argument_count, err);
    case TXN_FIELD_STATEMENTS:
        TRY(read_count(r, r->log->statements.count, &txn->statement, err));
        return read_array(r, "an array of statements", read_statement, &txn->statement_count, err);
    case TXN_FIELD_ANSWERS:
        TRY(read_count(r, r->log->answers.count, &txn->answer, err));
        return read_array(r, "an array of answers", read_answer, &txn->answer_count, err);
    case TXN_FIELD_ERROR:
        return read_sqlstate(r, txn, err);
    case TXN_FIELD_STATUS:
        return read_status(r, txn, err);
    case TXN_FIELD_AT:
        return read_times(r, txn, err);
    case TXN_FIELD_TS:
        return read_ts(r, txn, err);
    default: /* TXN_FIELD_SAW */
        return read_saw(r, txn, err);
    }
}

/* The fields that need each other, or exclude each other. */
static enum status check_fields(struct log_reader *r, unsigned seen, struct error *err)
{
    if (!SEEN(TXN_FIELD_TXN))
        return json_refuse_token(&r->json, err, "a transaction needs \"txn\"");
    if (!SEEN(TXN_FIELD_STATUS))
        return json_refuse_token(&r->json, err, "a transaction needs \"status\"");
    if (SEEN(TXN_FIELD_CALL) == SEEN(TXN_FIELD_STATEMENTS))
        return json_refuse_token(&r->json, err,
                                 "a transaction has either \"call\" or \"statements\"");
    if (SEEN(TXN_FIELD_ARGUMENTS) && !SEEN(TXN_FIELD_CALL))
        return json_refuse_token(&r->json, err,
                                 "\"arguments\" are of a \"call\"; statements have \"parameters\"");
    return STATUS_OK;
}

/* One for a call, one for each statement; those behind an error may be left out. */
static enum status complete_answers(struct log_reader *r, struct logged_txn *txn,
                                    struct error *err)
{
    uint32_t wanted = txn->function.length > 0 ? 1 : txn->statement_count;
    bool may_be_cut = txn->status != TXN_OK || txn->sqlstate.length > 0;

    if (txn->answer_count > wanted || (txn->answer_count < wanted && !may_be_cut))
        return json_refuse_token(&r->json, err, "%u answers, where %u are due", txn->answer_count,
                                 wanted);
    for (; txn->answer_count > 0 && txn->answer_count < wanted; txn->answer_count++) {
        struct call_answer missing = { .kind = CALL_ANSWER_MISSING, .completed_ns = TIME_NEVER };

        TRY(array_push(&r->log->answers, missing, err));
    }
    return STATUS_OK;
}

/* Answers come one after another, between the call and its completion. */
static enum status check_times(struct log_reader *r, const struct logged_txn *txn,
                               struct error *err)
{
    int64_t last = txn->invoked_ns == TIME_NEVER ? INT64_MIN : txn->invoked_ns;

    for (uint32_t i = 0; i < txn->answer_count; i++) {
        int64_t came = r->log->answers.at[txn->answer + i].completed_ns;

        if (came == TIME_NEVER)
            continue;
        if (came < last)
            return json_refuse_token(&r->json, err, "answer %u came before %s", i + 1,
                                     last == txn->invoked_ns ? "the call" : "the one before it");
        last = came;
    }
    return last > txn->completed_ns
               ? json_refuse_token(&r->json, err, "an answer came after the last")
               : STATUS_OK;
}

static enum status read_txn(struct log_reader *r, struct error *err)
{
    unsigned seen;

    r->txn = (struct logged_txn){ .session = -1,
                                  .invoked_ns = TIME_NEVER,
                                  .completed_ns = TIME_NEVER,
                                  .line = r->source->line };
    TRY(read_object(r, "one transaction on each line: {\"txn\":...", txn_fields, read_txn_field,
                    &seen, err));
    TRY(json_end(&r->json, err));
    TRY(check_fields(r, seen, err));
    if (SEEN(TXN_FIELD_ANSWERS))
        TRY(complete_answers(r, &r->txn, err));
    TRY(check_times(r, &r->txn, err));
    return array_push(&r->log->txns, r->txn, err);
}

/* --- The header ------------------------------------------------------------------------------- */

/* An object: a column's name and its value, and so on. */
static enum status read_row(struct log_reader *r, struct error *err)
{
    struct call_log *log = r->log;
    struct logged_row row = { .table = r->table };

    TRY(json_open(&r->json, '{', "a row: {\"column\":\"value\",...}", err));
    TRY(read_first_cell(r, &row.cell, err));
    for (size_t n = 0;; n++) {
        struct text name, kept;

        TRY(json_field(&r->json, n, &name, err));
        if (!name.at)
            break;
        if (n == COLUMNS_MAX)
            return json_refuse_token(&r->json, err, "a row has at most %d columns", COLUMNS_MAX);
        TRY(keep_name(r, name, &kept, err));
        for (uint32_t i = 0; i < row.column_count; i++)
            if (log->cells.at[row.cell + 2 * i].at == kept.at)
                return json_refuse_token(&r->json, err, "\"%.*s\" stands here twice",
                                         TEXT_PRINT(kept));
        TRY(array_push(&log->cells, kept, err));
        TRY(read_cell(r, err));
        row.column_count++;
    }
    return array_push(&log->rows, row, err);
}

/* {"accounts":[{"id":"1","balance":"10"},...],...} */
static enum status read_named_tables(struct log_reader *r, struct intern *seen, struct error *err)
{
    TRY(json_open(&r->json, '{', "an object of tables", err));
    for (size_t n = 0;; n++) {
        struct text name;
        uint32_t number;

        TRY(json_field(&r->json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        TRY(keep_name(r, name, &r->table, err));
        TRY(intern_add(seen, name, &number, err));
        if (number < n)
            return json_refuse_token(&r->json, err, "\"%.*s\" stands here twice", TEXT_PRINT(name));
        TRY(read_array(r, "an array of rows", read_row, &number, err));
    }
}

static enum status read_tables(struct log_reader *r, struct error *err)
{
    struct intern seen = { 0 };
    enum status status = read_named_tables(r, &seen, err);

    intern_close(&seen);
    return status;
}

enum header_field { HEADER_LOG, HEADER_PRODUCER, HEADER_LOAD, HEADER_ROWS, HEADER_INITIAL, HEADER_TS };
static const char *const header_fields[] = { NAME_LOG,  "producer", "load", "rows",
                                             "initial",    "ts",       NULL };

static enum status read_version(struct log_reader *r, struct error *err)
{
    int64_t version;

    TRY(json_integer(&r->json, "the version of the format, an integer", &version, err));
    if (version > LOG_VERSION)
        return json_refuse_token(&r->json, err,
                                 "version %lld is newer than this program reads (%d)",
                                 (long long)version, LOG_VERSION);
    if (version < LOG_VERSION)
        return json_refuse_token(&r->json, err, "there is no version %lld of this format",
                                 (long long)version);
    return STATUS_OK;
}

static enum status read_header_field(struct log_reader *r, unsigned field, struct error *err)
{
    struct json *json = &r->json;
    struct call_log *log = r->log;
    struct text text;

    switch (field) {
    case HEADER_PRODUCER:
        TRY(json_string(json, "a string after \"producer\"", &text, err));
        return copy_text(r, text, &log->producer, err);
    case HEADER_LOAD:
        log->initial = INITIAL_LOAD;
        TRY(json_string(json, "a call after \"load\", \"load(2)\"", &text, err));
        return copy_text(r, text, &log->load, err);
    case HEADER_ROWS:
        log->initial = INITIAL_ROWS;
        return read_tables(r, err);
    case HEADER_INITIAL:
        log->initial = INITIAL_UNKNOWN;
        TRY(json_string(json, "\"unknown\" after \"initial\"", &text, err));
        return text_equal(text, TEXT("unknown"))
                   ? STATUS_OK
                   : json_refuse_token(json, err, "\"initial\" is \"unknown\", or not there");
    case HEADER_TS:
        log->ts_is_hint = true;
        TRY(json_string(json, "\"hint\" after \"ts\"", &text, err));
        return text_equal(text, TEXT("hint"))
                   ? STATUS_OK
                   : json_refuse_token(json, err, "\"ts\" is \"hint\", or not there");
    default: /* HEADER_LOG */
        return read_version(r, err);
    }
}

static enum status read_header(struct log_reader *r, struct error *err)
{
    unsigned seen;

    TRY(read_object(r, HEADER_EXAMPLE, header_fields, read_header_field, &seen, err));
    TRY(json_end(&r->json, err));
    if (SEEN(HEADER_LOAD) + SEEN(HEADER_ROWS) + SEEN(HEADER_INITIAL) > 1)
        return json_refuse_token(&r->json, err,
                                 "a log has one of \"load\", \"rows\" and \"initial\"");
    return STATUS_OK;
}

/* --- The file --------------------------------------------------------------------------------- */

static enum status read_line(struct log_reader *r, struct text line, piece_reader *read,
                             struct error *err)
{
    size_t cells = r->log->cells.count;

    digest_add(&r->digest, line.at, line.length);
    digest_add(&r->digest, "\n", 1);
    TRY(read(r, err));
    return keep_cells(r, cells, err);
}

static enum status read_log_line(void *reader, struct text line, struct error *err)
{
    struct log_reader *r = reader;
    bool is_first = r->source->line == 1, is_object = json_peek(&r->json) == '{';

    if (is_first && is_object && !json_lines_begin_with(line, NAME_LOG))
        return json_refuse_token(&r->json, err, "expected " HEADER_EXAMPLE " on the first line");
    if (!is_first && json_lines_begin_with(line, NAME_LOG))
        return json_refuse_token(&r->json, err, "the header is the first line alone");
    return read_line(r, line, is_first ? read_header : read_txn, err);
}

static int compare_places(const void *a, const void *b)
{
    const struct logged_txn *x = *(const struct logged_txn *const *)a;
    const struct logged_txn *y = *(const struct logged_txn *const *)b;

    for (size_t i = 0; i < CALL_PLACES_MAX; i++)
        if (x->ts[i] != y->ts[i])
            return x->ts[i] < y->ts[i] ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* Two that may have committed do not share a place. */
static enum status check_places(struct log_reader *r, struct error *err)
{
    const struct call_log *log = r->log;
    const struct logged_txn **placed = malloc((log->txns.count + 1) * sizeof *placed);
    size_t count = 0;

    if (!placed)
        return no_memory(err);
    for (size_t i = 0; i < log->txns.count; i++)
        if (log->txns.at[i].has_ts && log->txns.at[i].status != TXN_ABORT)
            placed[count++] = &log->txns.at[i];
    qsort(placed, count, sizeof *placed, compare_places);
    for (size_t i = 1; i < count; i++) {
        const struct logged_txn *before = placed[i - 1], *txn = placed[i];

        if (memcmp(before->ts, txn->ts, sizeof txn->ts) == 0) {
            error_set_file(err, r->source->name);
            err->line = txn->line;
            free(placed);
            return error_set(err, STATUS_BAD_INPUT,
                             "transactions %lld and %lld have the same \"ts\"",
                             (long long)before->id, (long long)txn->id);
        }
    }
    free(placed);
    return STATUS_OK;
}

static void close_reader(struct log_reader *r)
{
    json_close(&r->json);
    map_close(&r->ids);
    intern_close(&r->names);
    array_close(&r->kept);
}

enum status call_log_read(struct call_log *log, struct source *source, struct error *err)
{
    struct log_reader reader = { .log = log, .source = source };
    enum status status;

    *log = (struct call_log){ 0 };
    TRY(arena_init(&log->arena, ARENA_UNLIMITED, err));
    digest_begin(&reader.digest);
    status = json_lines_read(source, &reader.json, HEADER_EXAMPLE, read_log_line, &reader, err);
    if (status == STATUS_OK && !log->ts_is_hint)
        status = check_places(&reader, err);
    log->digest = digest_end(&reader.digest);
    close_reader(&reader);
    return status;
}

/* The digest of what is audited is that of the log and of the rows that it begins with. */
static void begin_digest(struct log_reader *r)
{
    digest_begin(&r->digest);
    digest_add(&r->digest, r->log->digest.bytes, sizeof r->log->digest.bytes);
}

static enum status read_tables_line(struct log_reader *r, struct error *err)
{
    TRY(read_tables(r, err));
    return json_end(&r->json, err);
}

static enum status read_rows_line(void *reader, struct text line, struct error *err)
{
    return read_line(reader, line, read_tables_line, err);
}

enum status call_log_read_rows(struct call_log *log, struct source *source, struct error *err)
{
    struct log_reader reader = { .log = log, .source = source };
    enum status status;

    log->initial = INITIAL_ROWS;
    log->load = TEXT("");
    log->rows.count = 0;
    begin_digest(&reader);
    status = json_lines_read(source, &reader.json, NULL, read_rows_line, &reader, err);
    log->digest = digest_end(&reader.digest);
    close_reader(&reader);
    return status;
}

void call_log_forget_rows(struct call_log *log)
{
    struct log_reader reader = { .log = log };

    begin_digest(&reader);
    digest_add(&reader.digest, "unknown", 7);
    log->digest = digest_end(&reader.digest);
    log->initial = INITIAL_UNKNOWN;
    log->load = TEXT("");
    log->rows.count = 0;
}

void call_log_close(struct call_log *log)
{
    array_close(&log->rows);
    array_close(&log->txns);
    array_close(&log->statements);
    array_close(&log->answers);
    array_close(&log->cells);
    arena_close(&log->arena);
    *log = (struct call_log){ 0 };
}

int64_t call_log_first_answer(const struct call_log *log, const struct logged_txn *t)
{
    for (uint32_t i = 0; i < t->answer_count; i++)
        if (log->answers.at[t->answer + i].completed_ns != TIME_NEVER)
            return log->answers.at[t->answer + i].completed_ns;
    return t->status == TXN_OK ? t->completed_ns : TIME_NEVER;
}

bool call_log_is_it(struct text beginning)
{
    return json_lines_begin_with(beginning, NAME_LOG);
}
