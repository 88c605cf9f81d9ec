/*
 * postgres: PostgreSQL on trial, a server of our own or one that is there.
 *
 * A transaction's steps are sent as one pipeline, so that a batch costs one round trip. Its own
 * order is recovered from logical decoding (test_decoding): which transactions committed, in the
 * order of the log, and what they wrote. The order of the log is not the order of visibility; a
 * transaction's snapshot (xmin:xmax:xip) says what it saw. It comes with the commit, without a
 * round trip of its own.
 */
#include "record/database.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"
#include "record/postgres_decoding_private.h"
#include "record/postgres_server_private.h"
#include "record/sql_text.h"

/* With a standby, transactions of every second client that only read are sent there. */
struct postgres_session {
    struct postgres *server;
    PGconn *primary, *standby; /* standby: NULL if it reads nothing there */
    PGconn *conn;              /* that the transaction is sent to */
};

/* --- The server ------------------------------------------------------------------------------- */

static enum status postgres_start(void **server, const struct database_options *options,
                                  struct buffer *version, struct error *err)
{
    struct postgres *p;

    TRY(database_new(server, sizeof *p, err));
    p = *server;
    p->options = *options;
    p->has_table = options->takes_over;
    return postgres_server_start(p, version, err);
}

static void postgres_stop(void *server)
{
    struct postgres *p = server;
    char sql[200];
    struct error err;

    if (!p)
        return;
    if (p->options.connect && p->control && p->has_table) {
        snprintf(sql, sizeof sql, "DROP TABLE %s", p->options.table.name);
        (void)!postgres_ask(p->control, sql, NULL, 0, &err);
    }
    postgres_server_stop(p);
    free(p);
}

/* --- The table -------------------------------------------------------------------------------- */

static enum status make_slot(struct postgres *p, struct error *err)
{
    char sql[100];

    snprintf(sql, sizeof sql,
             "SELECT pg_create_logical_replication_slot('ordeal', 'test_decoding', %s)",
             p->options.connect ? "true" : "false");
    TRY(postgres_ask(p->control, sql, NULL, 0, err));
    p->has_slot = true;
    return STATUS_OK;
}

static enum status postgres_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct postgres *p = server;
    struct buffer sql = { 0 };
    enum status status;

    sql_text_print_load(&p->options.table, (struct sql_types){ "bigint", "bigint[]" }, builtin,
                        '\0', &sql);
    status = buffer_status(&sql, err);
    for (size_t at = 0; status == STATUS_OK && at < sql.count; at += strlen(sql.at + at) + 1) {
        status = postgres_ask(p->control, sql.at + at, NULL, 0, err);
        p->has_table |= status == STATUS_OK;
        if (status == STATUS_OK && at == 0)
            status = postgres_server_subscribe(p, sql.at, err);
    }
    buffer_close(&sql);
    if (status == STATUS_OK && p->options.certifies)
        status = make_slot(p, err);
    if (status == STATUS_OK)
        status = postgres_server_await_standby(p, err);
    return status;
}

/* --- Sessions --------------------------------------------------------------------------------- */

static const char *begin_of(enum level level)
{
    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
    case LEVEL_READ_COMMITTED:
        return "BEGIN ISOLATION LEVEL READ COMMITTED";
    case LEVEL_SNAPSHOT:
        return "BEGIN ISOLATION LEVEL REPEATABLE READ";
    default:
        assert(level == LEVEL_SERIALIZABLE);
        return "BEGIN ISOLATION LEVEL SERIALIZABLE";
    }
}

/* Of requests, which are prepared: a number for each kind and each column of a range. */
static const char *statement_name(const struct builtin_request *r, char name[8])
{
    snprintf(name, 8, "s%d%d", (int)r->kind, (int)r->column);
    return name;
}

/* Parameters are $1 here instead of ?1, and lists have a type. */
static void print_plain(const struct stored_table *t, const struct builtin_request *r,
                        struct buffer *sql)
{
    size_t from = sql->count;

    if (r->kind != BUILTIN_APPEND)
        sql_text_print_statement(t, r, sql);
    else
        buffer_print(sql,
                     "INSERT INTO %s VALUES (?1, ARRAY[?2]) ON CONFLICT (%s) DO UPDATE SET "
                     "%s = %s.%s || ?2",
                     t->name, t->key_column, t->value_column, t->name, t->value_column);
    for (size_t i = from; i < sql->count; i++)
        if (sql->at[i] == '?')
            sql->at[i] = '$';
}

/* Clients call the functions of a program; there is no table of a workload. */
static bool has_program(const struct postgres *p)
{
    return p->options.table.name[0] == '\0';
}

/* At read committed each statement sees something else. */
static bool is_by_statement(const struct postgres *p)
{
    return p->options.certifies && p->options.isolation == LEVEL_READ_COMMITTED;
}

/* What statements within a function see is not told. */
static bool tells_snapshots(const struct postgres *p)
{
    return is_by_statement(p) && !has_program(p);
}

/* Whether its answer begins with a column that has its snapshot; then there is a row even for none. */
static bool has_snapshot(const struct postgres *p, enum builtin_request_kind kind)
{
    return tells_snapshots(p) && (kind == BUILTIN_READ || kind == BUILTIN_SELECT ||
                                  kind == BUILTIN_UPDATE || kind == BUILTIN_DELETE);
}

/*
 * A snapshot does not list the transaction that it belongs to; here it must, as nobody else sees what
 * that has written.
 */
#define SEEN_SQL                                                                                   \
    "SELECT pg_current_snapshot()::text || CASE WHEN pg_current_xact_id_if_assigned() < "          \
    "pg_snapshot_xmax(pg_current_snapshot()) THEN CASE WHEN right(pg_current_snapshot()::text, "   \
    "1) "                                                                                          \
    "= ':' THEN '' ELSE ',' END || pg_current_xact_id_if_assigned()::text ELSE '' END AS seen"

static void print_statement(const struct postgres *p, const struct builtin_request *r,
                            struct buffer *sql)
{
    bool tells = has_snapshot(p, r->kind);

    buffer_print(sql, "%s", tells ? "WITH x AS (" : "");
    print_plain(&p->options.table, r, sql);
    if (tells)
        buffer_print(sql, ") SELECT s.seen, x.* FROM (" SEEN_SQL ") s LEFT JOIN x ON true");
    buffer_byte(sql, '\0');
}

/* Of statements that have parameters there are so many, all of them bigint (20), whether they are used or not. */
#define PARAMETERS 5

static enum status prepare(const struct postgres_session *s, const char *name, const char *sql,
                           int parameters, struct error *err)
{
    static const Oid types[PARAMETERS] = { 20, 20, 20, 20, 20 };
    PGresult *result = PQprepare(s->conn, name, sql, parameters, types);
    enum status status = postgres_is_fine(result)
                             ? STATUS_OK
                             : postgres_refuse(sql, PQresultErrorMessage(result), err);

    PQclear(result);
    return status;
}

static bool is_of_shape(const struct builtin_request *r, enum workload_shape shape)
{
    if (r->kind == BUILTIN_READ || r->kind == BUILTIN_WRITE || r->kind == BUILTIN_APPEND)
        return r->column == BUILTIN_NO_COLUMN &&
               (r->kind == BUILTIN_READ || (r->kind == BUILTIN_APPEND) == (shape == SHAPE_LISTS));
    return shape == SHAPE_ROWS && (r->kind != BUILTIN_INSERT || r->column == BUILTIN_NO_COLUMN);
}

static enum status prepare_statements(const struct postgres_session *s, struct error *err)
{
    const struct stored_table *t = &s->server->options.table;
    struct buffer sql = { 0 };
    enum status status = STATUS_OK;
    char name[8];

    for (int kind = BUILTIN_READ; kind <= BUILTIN_DELETE; kind++)
        for (int column = BUILTIN_NO_COLUMN; column <= BUILTIN_VALUE_COLUMN; column++) {
            struct builtin_request r = { .kind = (enum builtin_request_kind)kind,
                                         .column = (enum builtin_column)column };

            if (status != STATUS_OK || !is_of_shape(&r, t->shape))
                continue;
            buffer_clear(&sql);
            print_statement(s->server, &r, &sql);
            status = buffer_status(&sql, err);
            if (status == STATUS_OK)
                status = prepare(s, statement_name(&r, name), sql.at, PARAMETERS, err);
        }
    buffer_close(&sql);
    return status;
}

/* A standby cannot be asked for serializable. */
static enum level isolation_of(const struct postgres_session *s)
{
    enum level asked = s->server->options.isolation;

    return s->conn == s->standby && asked == LEVEL_SERIALIZABLE ? LEVEL_SNAPSHOT : asked;
}

/*
 * All that a transaction consists of, calls of a program apart: the server reads and plans it once. Above all
 * the question for the snapshot must cost little.
 */
static enum status prepare_all(const struct postgres_session *s, struct error *err)
{
    TRY(prepare(s, "begin", begin_of(isolation_of(s)), 0, err));
    TRY(prepare(s, "commit", "COMMIT", 0, err));
    TRY(prepare(s, "rollback", "ROLLBACK", 0, err));
    TRY(prepare(s, "snapshot",
                is_by_statement(s->server)
                    ? SEEN_SQL ", pg_current_xact_id_if_assigned()::text"
                    : "SELECT pg_current_snapshot()::text, pg_current_xact_id_if_assigned()::text",
                0, err));
    return has_program(s->server) ? STATUS_OK : prepare_statements(s, err);
}

static void postgres_close(void *session)
{
    struct postgres_session *s = session;

    if (!s)
        return;
    PQfinish(s->primary);
    PQfinish(s->standby);
    free(s);
}

static enum status connect_node(struct postgres_session *s, unsigned node, PGconn **conn,
                                struct error *err)
{
    *conn = s->conn = postgres_connect(s->server->conninfo[node]);
    if (PQstatus(*conn) != CONNECTION_OK)
        return postgres_refuse("no connection", PQerrorMessage(*conn), err);
    TRY(prepare_all(s, err));
    if (PQenterPipelineMode(*conn) != 1)
        return postgres_refuse("no pipeline", PQerrorMessage(*conn), err);
    return STATUS_OK;
}

static enum status postgres_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct postgres_session *s;
    struct postgres *p = server;
    bool is_last = client == p->options.clients; /* it must see everything */

    TRY(database_new(session, sizeof *s, err));
    s = *session;
    s->server = p;
    if (p->node_count > 1 && client % 2 == 1 && !is_last)
        TRY(connect_node(s, 1 - p->primary, &s->standby, err));
    return connect_node(s, p->primary, &s->primary, err);
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* Numbers as text, as libpq wants them. */
static bool send_request(const struct postgres_session *s, const struct builtin_request *r)
{
    const int64_t numbers[PARAMETERS] = { (int64_t)r->key, r->value, r->tag, r->low, r->high };
    char texts[PARAMETERS][24], name[8];
    const char *values[PARAMETERS];

    for (int i = 0; i < PARAMETERS; i++) {
        *text_write_int64(texts[i], numbers[i]) = '\0';
        values[i] = texts[i];
    }
    return PQsendQueryPrepared(s->conn, statement_name(r, name), PARAMETERS, values, NULL, NULL,
                               0) == 1;
}

static bool send_alone(PGconn *conn, const char *name)
{
    return PQsendQueryPrepared(conn, name, 0, NULL, NULL, NULL, 0) == 1;
}

/* At read committed its own snapshot comes first: those of the statements in it lie between that and the last one. */
static bool send_call(const struct postgres_session *s, const char *call)
{
    struct buffer sql = { 0 };
    bool is_sent;

    buffer_print(&sql, "SELECT %sx.* FROM %s x", is_by_statement(s->server) ? "pg_current_snapshot()::text, " : "",
                 call);
    buffer_byte(&sql, '\0');
    is_sent =
        !sql.out_of_memory && PQsendQueryParams(s->conn, sql.at, 0, NULL, NULL, NULL, NULL, 0) == 1;
    buffer_close(&sql);
    return is_sent;
}

/*
 * What the batch asks for besides: the snapshot before a commit, the xid behind what may have
 * written.
 */
static bool wants_snapshot(const struct postgres_session *s, const struct database_step *steps,
                           uint32_t count)
{
    return s->server->options.certifies && steps[count - 1].kind != STEP_ABORT;
}

/* The whole of a transaction, and it reads. */
static bool only_reads(const struct database_step *steps, uint32_t count)
{
    if (steps[0].kind != STEP_BEGIN || steps[count - 1].kind != STEP_COMMIT)
        return false;
    for (uint32_t i = 1; i + 1 < count; i++)
        if (steps[i].kind != STEP_REQUEST ||
            (steps[i].request.kind != BUILTIN_READ && steps[i].request.kind != BUILTIN_SELECT))
            return false;
    return true;
}

static bool send_steps(const struct postgres_session *s, const struct database_step *steps,
                       uint32_t count)
{
    bool snapshot = wants_snapshot(s, steps, count);
    bool is_sent = true;

    for (uint32_t i = 0; is_sent && i < count; i++) {
        if (steps[i].kind == STEP_COMMIT && snapshot)
            is_sent = send_alone(s->conn, "snapshot");
        switch (steps[i].kind) {
        case STEP_BEGIN:
            is_sent = is_sent && send_alone(s->conn, "begin");
            break;
        case STEP_REQUEST:
            is_sent = is_sent && send_request(s, &steps[i].request);
            break;
        case STEP_CALL:
            is_sent = is_sent && send_call(s, steps[i].call);
            break;
        case STEP_COMMIT:
            is_sent = is_sent && send_alone(s->conn, "commit");
            break;
        case STEP_ABORT:
            is_sent = is_sent && send_alone(s->conn, "rollback");
        }
    }
    if (is_sent && snapshot && steps[count - 1].kind == STEP_REQUEST)
        is_sent = send_alone(s->conn, "snapshot");
    return is_sent && PQpipelineSync(s->conn) == 1;
}

/* What an answer says of the transaction as a whole. */
enum postgres_word { WORD_FINE, WORD_REFUSED, WORD_SKIPPED, WORD_LOST, WORD_WRONG };

/*
 * Class 40: rolled back (serialization, deadlock). 23505: a key was there. 53100: no room on the disk.
 * 53200: no memory for its locks. 57014: cancelled. 55P03: a lock was not to be had. 08, 57P, an answer
 * without a state and whatever is worse than an error: the connection ends.
 */
static enum postgres_word word_of(const PGresult *result, char *code, size_t size)
{
    const char *state, *severity;

    if (!result)
        return WORD_LOST;
    if (postgres_is_fine(result) || PQresultStatus(result) == PGRES_PIPELINE_SYNC)
        return WORD_FINE;
    if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED)
        return WORD_SKIPPED;
    state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (!state || strncmp(state, "08", 2) == 0 || strncmp(state, "57P", 3) == 0 ||
        (severity && strcmp(severity, "ERROR") != 0))
        return WORD_LOST;
    snprintf(code, size, "%s", state);
    if (strncmp(state, "40", 2) == 0 || strcmp(state, "23505") == 0 ||
        strcmp(state, "53100") == 0 || strcmp(state, "53200") == 0 || strcmp(state, "57014") == 0 ||
        strcmp(state, "55P03") == 0)
        return WORD_REFUSED;
    return WORD_WRONG;
}

/* The next result of the pipeline, without the NULL behind it. */
static PGresult *next_result(PGconn *conn)
{
    PGresult *result = PQgetResult(conn), *end;

    if (!result || PQresultStatus(result) == PGRES_PIPELINE_SYNC)
        return result;
    end = PQgetResult(conn);
    while (end) {
        PQclear(end);
        end = PQgetResult(conn);
    }
    return result;
}

static int64_t number_at(const PGresult *result, int row, int column)
{
    return strtoll(PQgetvalue(result, row, column), NULL, 10);
}

static enum status take_statement_snapshot(const PGresult *result, struct database_answer *answer,
                                           struct database_step_answer *step, struct error *err)
{
    struct text seen = text_of(PQgetvalue(result, 0, 0));

    step->snapshot = (uint32_t)answer->snapshots.count;
    step->snapshot_length = (uint32_t)seen.length;
    buffer_text(&answer->snapshots, seen);
    return buffer_status(&answer->snapshots, err);
}

static enum status take_rows(const struct postgres_session *s, const struct builtin_request *r,
                             const PGresult *result, struct database_answer *answer,
                             struct database_step_answer *step, struct error *err)
{
    bool is_list = s->server->options.table.shape == SHAPE_LISTS;
    bool has_tag = s->server->options.table.tag_column != NULL;
    int first = has_snapshot(s->server, r->kind);

    if (first == 1)
        TRY(take_statement_snapshot(result, answer, step, err));
    for (int i = 0; i < PQntuples(result) && !PQgetisnull(result, i, first); i++) {
        struct builtin_row row = { .key = (uint64_t)number_at(result, i, first) };

        if (is_list)
            return database_answer_list(answer, step, text_of(PQgetvalue(result, i, first + 1)),
                                        err);
        row.value = number_at(result, i, first + 1);
        row.tag = has_tag ? number_at(result, i, first + 2) : 0;
        TRY(database_answer_row(answer, step, row, err));
    }
    return STATUS_OK;
}

static enum status take_call_rows(const struct postgres_session *s, const PGresult *result,
                                  struct database_answer *answer, struct error *err)
{
    struct buffer *out = &answer->call_rows;
    int first = is_by_statement(s->server);

    if (first && PQntuples(result) > 0)
        buffer_text(&answer->snapshot, text_of(PQgetvalue(result, 0, 0)));
    buffer_byte(out, '[');
    for (int row = 0; row < PQntuples(result); row++) {
        buffer_text(out, row ? TEXT(",[") : TEXT("["));
        for (int column = first; column < PQnfields(result); column++) {
            buffer_text(out, column > first ? TEXT(",") : TEXT(""));
            if (PQgetisnull(result, row, column))
                buffer_text(out, TEXT("null"));
            else
                buffer_json(out, text_of(PQgetvalue(result, row, column)));
        }
        buffer_byte(out, ']');
    }
    buffer_byte(out, ']');
    return buffer_status(out, err);
}

static void take_snapshot(const struct postgres_session *s, const PGresult *result,
                          struct database_answer *answer)
{
    if (answer->snapshot.count > 0)
        buffer_byte(&answer->snapshot, ' ');
    if (!tells_snapshots(s->server))
        buffer_text(&answer->snapshot, text_of(PQgetvalue(result, 0, 0)));
    if (!PQgetisnull(result, 0, 1))
        answer->xid = strtoull(PQgetvalue(result, 0, 1), NULL, 10);
}

/* A commit of a transaction that has failed is answered with ROLLBACK. */
static bool is_rolled_back(const PGresult *result)
{
    return strcmp(PQcmdStatus((PGresult *)result), "ROLLBACK") == 0;
}

static enum status take_word(enum postgres_word word, const PGresult *result,
                             struct database_answer *answer, struct error *err)
{
    if (word == WORD_WRONG)
        return postgres_refuse("a statement of the workload", PQresultErrorMessage(result), err);
    if (word == WORD_LOST)
        answer->end = STEPS_LOST;
    else if (answer->end == STEPS_DONE)
        answer->end = STEPS_REFUSED;
    return STATUS_OK;
}

/* The result of a step, or of the question for the snapshot, if `step` is NULL. */
static enum status take_result(const struct postgres_session *s, const struct database_step *step,
                               int64_t invoked_ns, struct database_answer *answer,
                               struct error *err)
{
    PGresult *result = next_result(s->conn);
    enum postgres_word word = word_of(result, answer->code, sizeof answer->code);
    struct database_step_answer taken = { .invoked_ns = invoked_ns,
                                          .completed_ns = wall_clock_ns() };
    enum status status = STATUS_OK;

    if (word == WORD_WRONG && step && step->kind == STEP_CALL)
        word = WORD_REFUSED; /* by the function itself, or a constraint */
    if (word != WORD_FINE) {
        status = take_word(word, result, answer, err);
    } else if (!step) {
        take_snapshot(s, result, answer);
    } else if (step->kind == STEP_COMMIT && is_rolled_back(result)) {
        answer->end = STEPS_REFUSED;
    } else {
        if (step->kind == STEP_REQUEST)
            status = take_rows(s, &step->request, result, answer, &taken, err);
        if (step->kind == STEP_CALL)
            status = take_call_rows(s, result, answer, err);
        if (status == STATUS_OK)
            status = array_push(&answer->steps, taken, err);
        answer->step_count++;
    }
    PQclear(result);
    return status;
}

/* After a refusal the transaction is still there, and failed. */
static void end_failed(const struct postgres_session *s, struct database_answer *answer)
{
    PGresult *result = NULL;
    bool is_sent;

    if (PQtransactionStatus(s->conn) == PQTRANS_IDLE)
        return;
    is_sent = send_alone(s->conn, "rollback") && PQpipelineSync(s->conn) == 1;
    if (is_sent)
        result = next_result(s->conn);
    if (!postgres_is_fine(result))
        answer->end = STEPS_LOST;
    PQclear(result);
    if (is_sent)
        PQclear(next_result(s->conn));
}

static enum status postgres_steps(void *session, const struct database_step *steps, uint32_t count,
                                  struct database_answer *answer, struct error *err)
{
    struct postgres_session *s = session;
    bool snapshot = wants_snapshot(s, steps, count);
    int64_t invoked_ns = wall_clock_ns();

    assert(count > 0);
    s->conn = s->standby && only_reads(steps, count) ? s->standby : s->primary;
    answer->is_pipelined = count > 1 && steps[count - 1].kind == STEP_COMMIT;
    if (!send_steps(s, steps, count)) {
        answer->end = STEPS_LOST;
        return STATUS_OK;
    }
    buffer_clear(&answer->snapshot);
    for (uint32_t i = 0; i < count && answer->end != STEPS_LOST; i++) {
        if (snapshot && steps[i].kind == STEP_COMMIT)
            TRY(take_result(s, NULL, invoked_ns, answer, err));
        if (answer->end != STEPS_LOST)
            TRY(take_result(s, &steps[i], invoked_ns, answer, err));
    }
    if (answer->end != STEPS_LOST && snapshot && steps[count - 1].kind == STEP_REQUEST)
        TRY(take_result(s, NULL, invoked_ns, answer, err));
    if (answer->end == STEPS_LOST)
        return STATUS_OK;
    PQclear(next_result(s->conn)); /* of the pipeline's end */
    if (answer->end == STEPS_REFUSED)
        end_failed(s, answer);
    return STATUS_OK;
}

static enum status postgres_script(void *server, const char *sql, struct error *err)
{
    struct postgres *p = server;
    PGresult *result;
    enum status status;

    if (p->is_logical)
        return error_set(err, STATUS_BAD_INPUT,
                         "a program's tables are not published: not with the topology logical");
    result = PQexec(p->control, sql);
    status = postgres_is_fine(result)
                 ? STATUS_OK
                 : postgres_refuse("the program", PQresultErrorMessage(result), err);
    PQclear(result);
    if (status == STATUS_OK && p->options.certifies && !p->has_slot)
        status = make_slot(p, err);
    return status;
}

static enum status postgres_query(void *server, const char *sql, struct buffer *value,
                                  struct error *err)
{
    struct postgres *p = server;
    char answer[200];

    TRY(postgres_ask(p->control, sql, answer, sizeof answer, err));
    buffer_text(value, text_of(answer));
    return STATUS_OK;
}

/* --- Its own order ---------------------------------------------------------------------------- */

static enum status take_changes(PGconn *conn, struct decoding *decoding, struct error *err)
{
    enum status status = STATUS_OK;

    for (PGresult *result = PQgetResult(conn); result; result = PQgetResult(conn)) {
        if (status == STATUS_OK && PQresultStatus(result) == PGRES_SINGLE_TUPLE)
            status = postgres_decoding_line(decoding, text_of(PQgetvalue(result, 0, 0)), err);
        else if (status == STATUS_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
            status = postgres_refuse("logical decoding", PQresultErrorMessage(result), err);
        PQclear(result);
    }
    return status;
}

static enum status postgres_recover(void *server, struct recovered_order *order, struct error *err)
{
    struct postgres *p = server;
    struct decoding decoding = { .order = order, .table = &p->options.table };
    char now[32], schema[160] = "", sql[300];

    assert(p->has_slot);
    if (p->has_table) {
        snprintf(sql, sizeof sql,
                 "SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = '%s'::regclass",
                 p->options.table.name);
        TRY(postgres_ask(p->control, sql, schema, sizeof schema, err));
        decoding.schema = schema;
    }
    TRY(postgres_ask(p->control, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text", now,
                     sizeof now, err));
    decoding.xid_now = strtoull(now, NULL, 10);
    if (PQsendQuery(p->control, "SELECT data FROM pg_logical_slot_get_changes('ordeal', NULL, "
                                "NULL, 'skip-empty-xacts', '1')") != 1 ||
        PQsetSingleRowMode(p->control) != 1)
        return postgres_refuse("logical decoding", PQerrorMessage(p->control), err);
    return take_changes(p->control, &decoding, err);
}

static const char *postgres_profile(enum level level)
{
    return level == LEVEL_SERIALIZABLE     ? "postgresql/serializable"
           : level == LEVEL_SNAPSHOT       ? "postgresql/snapshot"
           : level == LEVEL_READ_COMMITTED ? "postgresql/read-committed"
                                           : NULL;
}

/* Clients read from a standby, or what a dead primary had not sent is gone. */
static bool postgres_lags(const char *mode)
{
    return strcmp(mode, postgres_modes[0]) != 0;
}

const struct database database_postgres = {
    .name = "postgres",
    .title = "PostgreSQL",
    .package = "postgresql",
    .gives =
        "serializable, snapshot (its repeatable read), read-committed; every workload; its own "
        "order",
    .modes = postgres_modes,
    .lags = postgres_lags,
    .levels =
        LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_SNAPSHOT) | LEVEL_BIT(LEVEL_SERIALIZABLE),
    .has_server = true,
    .has_settings = true,
    .faults = OWN_SERVER_FAULTS | DATABASE_FAULT_BIT(DATABASE_CLOCK),
    .certifies = true,
    .certifies_statements = true,
    .profile = postgres_profile,
    .start = postgres_start,
    .load = postgres_load,
    .fault = postgres_server_fault,
    .stop = postgres_stop,
    .open = postgres_open,
    .steps = postgres_steps,
    .close = postgres_close,
    .script = postgres_script,
    .query = postgres_query,
    .recover = postgres_recover,
};
