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
#include <glob.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "record/postgres_decoding_private.h"
#include "record/own_server.h"

#define START_NS INT64_C(30000000000)
#define LOAD_ROWS 500

struct postgres {
    struct database_options options;
    struct own_server server; /* folder empty: it is not ours */
    char programs[OWN_SERVER_PATH_SIZE];
    char conninfo[1024];
    PGconn *control; /* of a server that is not ours: it holds the temporary slot */
    bool has_table, has_slot;
};

struct postgres_session {
    struct postgres *server;
    PGconn *conn;
};

/* --- Errors ----------------------------------------------------------------------------------- */

static void first_line(const char *message, char *to, size_t size)
{
    snprintf(to, size, "%s", message);
    to[strcspn(to, "\n")] = '\0';
}

static enum status refuse(const char *what, const char *message, struct error *err)
{
    char line[300];

    first_line(message, line, sizeof line);
    return error_set(err, STATUS_IO, "PostgreSQL: %s: %s", what, line);
}

static PGresult *query(PGconn *conn, const char *sql)
{
    return PQexec(conn, sql);
}

static bool is_fine(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* The first value of the answer goes to `answer`, which may be NULL. */
static enum status ask(PGconn *conn, const char *sql, char *answer, size_t size, struct error *err)
{
    PGresult *result = query(conn, sql);
    enum status status = STATUS_OK;

    if (!is_fine(result))
        status = refuse(sql, PQresultErrorMessage(result), err);
    else if (answer)
        snprintf(answer, size, "%s", PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return status;
}

/* --- The server ------------------------------------------------------------------------------- */

static bool has_program(const char *folder, const char *name)
{
    char path[OWN_SERVER_PATH_SIZE + 32];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, X_OK) == 0;
}

static enum status find_programs(struct postgres *p, struct error *err)
{
    glob_t found;

    if (p->options.binaries) {
        if (strlen(p->options.binaries) >= sizeof p->programs ||
            !has_program(p->options.binaries, "initdb") ||
            !has_program(p->options.binaries, "postgres"))
            return error_set(err, STATUS_BAD_INPUT, "--binaries %.200s has no initdb and postgres",
                             p->options.binaries);
        snprintf(p->programs, sizeof p->programs, "%s", p->options.binaries);
        return STATUS_OK;
    }
    if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) == 0) {
        for (size_t i = found.gl_pathc; i-- > 0 && p->programs[0] == '\0';)
            if (strlen(found.gl_pathv[i]) < sizeof p->programs &&
                has_program(found.gl_pathv[i], "initdb") &&
                has_program(found.gl_pathv[i], "postgres"))
                snprintf(p->programs, sizeof p->programs, "%s", found.gl_pathv[i]);
        globfree(&found);
    }
    if (p->programs[0] == '\0')
        return error_set(err, STATUS_IO,
                         "there is no PostgreSQL server on this machine: install the package "
                         "postgresql, or name "
                         "its programs with --binaries or a server with --connect");
    return STATUS_OK;
}

/* "key=value" as a line of postgresql.conf; a later line is stronger than an earlier one. */
static enum status write_settings(struct postgres *p, struct error *err)
{
    for (size_t i = 0; i < p->options.setting_count; i++) {
        const char *setting = p->options.settings[i], *equal = strchr(setting, '=');
        char line[300];
        int length;

        length = snprintf(line, sizeof line, "%.*s = '%s'\n", (int)(equal - setting), setting,
                          equal + 1);
        if (length < 0 || (size_t)length >= sizeof line || strpbrk(equal, "'\n"))
            return error_set(err, STATUS_BAD_INPUT, "PostgreSQL cannot be told '%.80s'", setting);
        TRY(own_server_write(&p->server, "data/postgresql.conf", line, err));
    }
    return STATUS_OK;
}

/*
 * fsync is off: a killed process loses nothing that it has written, only a machine that loses power
 * does, and no fault here does that. A hot standby's default of isolation would be in the way, so
 * sessions ask for theirs.
 */
static enum status make_cluster(struct postgres *p, struct error *err)
{
    char program[OWN_SERVER_PATH_SIZE + 32], data[OWN_SERVER_PATH_SIZE + 32], settings[1024];
    const char *argv[] = { program, "-D", data,         "-U", "ordeal", "-A",
                           "trust", "-N", "--locale=C", "-E", "UTF8",   NULL };

    snprintf(program, sizeof program, "%s/initdb", p->programs);
    snprintf(data, sizeof data, "%s/data", p->server.folder);
    TRY(own_server_run(&p->server, argv, err));
    snprintf(settings, sizeof settings,
             "listen_addresses = ''\nunix_socket_directories = '%s'\nmax_connections = %u\n"
             "fsync = off\nfull_page_writes = off\ndeadlock_timeout = "
             "100ms\nmax_pred_locks_per_transaction = 1024\n"
             "wal_level = logical\nmax_wal_senders = 4\nmax_replication_slots = 4\n"
             "log_min_messages = fatal\n",
             p->server.folder, (unsigned)p->options.clients + 10);
    TRY(own_server_write(&p->server, "data/postgresql.conf", settings, err));
    return write_settings(p, err);
}

static enum status start_once(struct postgres *p, int64_t until, struct error *err)
{
    char program[OWN_SERVER_PATH_SIZE + 32], data[OWN_SERVER_PATH_SIZE + 32];
    const char *argv[] = { program, "-D", data, NULL };

    snprintf(program, sizeof program, "%s/postgres", p->programs);
    snprintf(data, sizeof data, "%s/data", p->server.folder);
    TRY(own_server_start(&p->server, 0, argv, err));
    while (own_server_is_alive(&p->server, 0)) {
        if (PQping(p->conninfo) == PQPING_OK)
            return STATUS_OK;
        if (wall_clock_ns() >= until)
            return error_set(err, STATUS_TOO_LONG, "PostgreSQL did not start within 30 seconds");
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return STATUS_OK;
}

/* Shared memory of the one before may still be there for a moment: then it is tried again. */
static enum status start_server(struct postgres *p, struct error *err)
{
    int64_t until = wall_clock_ns() + START_NS;

    for (;;) {
        char words[200];

        TRY(start_once(p, until, err));
        if (p->server.pids[0] != 0)
            return STATUS_OK;
        own_server_last_words(&p->server, 0, words, sizeof words);
        if (wall_clock_ns() >= until || !strstr(words, "shared memory"))
            return error_set(err, STATUS_IO, "PostgreSQL ended at its start: %s", words);
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    }
}

static enum status connect_control(struct postgres *p, struct error *err)
{
    p->control = PQconnectdb(p->conninfo);
    if (PQstatus(p->control) != CONNECTION_OK)
        return refuse("no connection", PQerrorMessage(p->control), err);
    return STATUS_OK;
}

static enum status examine_strange_server(struct postgres *p, struct error *err)
{
    char level[32];

    TRY(ask(p->control, "SHOW wal_level", level, sizeof level, err));
    if (p->options.certifies && strcmp(level, "logical") != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "--certificate needs a server with wal_level = logical; this one has %s",
                         level);
    return STATUS_OK;
}

static enum status postgres_start(void **server, const struct database_options *options,
                                  struct buffer *version, struct error *err)
{
    struct postgres *p = calloc(1, sizeof *p);

    if (!p)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a server");
    *server = p;
    p->options = *options;
    if (options->connect) {
        if (strlen(options->connect) >= sizeof p->conninfo)
            return error_set(err, STATUS_BAD_INPUT, "--connect is longer than %zu bytes",
                             sizeof p->conninfo - 1);
        snprintf(p->conninfo, sizeof p->conninfo, "%s", options->connect);
    } else {
        TRY(find_programs(p, err));
        TRY(own_server_open(&p->server, err));
        snprintf(p->conninfo, sizeof p->conninfo, "host=%s user=ordeal dbname=postgres",
                 p->server.folder);
        TRY(make_cluster(p, err));
        TRY(start_server(p, err));
    }
    TRY(connect_control(p, err));
    if (options->connect)
        TRY(examine_strange_server(p, err));
    buffer_print(version, "PostgreSQL %s", PQparameterStatus(p->control, "server_version"));
    return STATUS_OK;
}

static enum status postgres_fault(void *server, enum database_fault fault, bool begins,
                                  uint32_t turn, struct error *err)
{
    struct postgres *p = server;

    assert(p->server.folder[0] != '\0');
    (void)turn; /* there is one node */
    if (fault == DATABASE_PAUSE)
        return own_server_pause(&p->server, 0, begins, err);
    assert(fault == DATABASE_KILL);
    if (begins) {
        PQfinish(p->control);
        p->control = NULL;
        return own_server_kill(&p->server, 0, err);
    }
    TRY(start_server(p, err));
    return connect_control(p, err);
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
        (void)!ask(p->control, sql, NULL, 0, &err);
    }
    if (p->control)
        PQfinish(p->control);
    own_server_close(&p->server);
    free(p);
}

/* --- The table -------------------------------------------------------------------------------- */

static enum status ask_buffer(PGconn *conn, struct buffer *sql, struct error *err)
{
    buffer_byte(sql, '\0');
    TRY(buffer_status(sql, err));
    return ask(conn, sql->at, NULL, 0, err);
}

static void print_table(const struct stored_table *t, struct buffer *sql)
{
    buffer_print(sql, "CREATE TABLE %s (%s bigint PRIMARY KEY, %s %s NOT NULL", t->name,
                 t->key_column, t->value_column, t->shape == SHAPE_LISTS ? "bigint[]" : "bigint");
    if (t->tag_column)
        buffer_print(sql, ", %s bigint NOT NULL", t->tag_column);
    buffer_print(sql, ")");
}

static void print_rows(const struct stored_table *t, const struct builtin *builtin, uint64_t from,
                       uint64_t to, struct buffer *sql)
{
    buffer_print(sql, "INSERT INTO %s VALUES ", t->name);
    for (uint64_t i = from; i < to; i++) {
        struct builtin_row row = builtin_initial(builtin, i);

        buffer_print(sql, "%s(%" PRIu64 ", ", i > from ? ", " : "", row.key);
        buffer_print(sql, t->shape == SHAPE_LISTS ? "'{}'" : "%" PRId64, row.value);
        if (t->tag_column)
            buffer_print(sql, ", %" PRId64, row.tag);
        buffer_print(sql, ")");
    }
}

static enum status make_slot(struct postgres *p, struct error *err)
{
    TRY(ask(p->control,
            p->options.connect
                ? "SELECT pg_create_logical_replication_slot('ordeal', 'test_decoding', true)"
                : "SELECT pg_create_logical_replication_slot('ordeal', 'test_decoding')",
            NULL, 0, err));
    p->has_slot = true;
    return STATUS_OK;
}

static enum status postgres_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct postgres *p = server;
    const struct stored_table *t = &p->options.table;
    uint64_t count = builtin_initial_count(builtin);
    struct buffer sql = { 0 };
    enum status status;

    print_table(t, &sql);
    status = ask_buffer(p->control, &sql, err);
    p->has_table = status == STATUS_OK;
    for (uint64_t from = 0; status == STATUS_OK && from < count; from += LOAD_ROWS) {
        buffer_clear(&sql);
        print_rows(t, builtin, from, from + LOAD_ROWS < count ? from + LOAD_ROWS : count, &sql);
        status = ask_buffer(p->control, &sql, err);
    }
    buffer_close(&sql);
    if (status == STATUS_OK && p->options.certifies)
        status = make_slot(p, err);
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

/* The prepared statements; of those by range there are three, numbered as enum builtin_column. */
static void print_statement(const struct stored_table *t, const char *name, struct buffer *sql)
{
    const char *range = NULL;
    char last = name[strlen(name) - 1];

    if (last == '1' || last == '2')
        range = last == '1' ? t->key_column : t->value_column;

    switch (name[0]) {
    case 'r': /* read */
        buffer_print(sql, "SELECT ");
        database_print_columns(t, sql);
        buffer_print(sql, " FROM %s WHERE %s = $1", t->name, t->key_column);
        return;
    case 'w': /* write */
    case 'i': /* insert */
        buffer_print(sql, "INSERT INTO %s VALUES ($1, $2%s)", t->name, t->tag_column ? ", $3" : "");
        if (name[0] == 'w')
            buffer_print(sql, " ON CONFLICT (%s) DO UPDATE SET %s = $2", t->key_column,
                         t->value_column);
        if (name[0] == 'w' && t->tag_column)
            buffer_print(sql, ", %s = $3", t->tag_column);
        return;
    case 'a': /* append */
        buffer_print(sql,
                     "INSERT INTO %s VALUES ($1, ARRAY[$2::bigint]) ON CONFLICT (%s) DO UPDATE SET "
                     "%s = %s.%s || $2::bigint",
                     t->name, t->key_column, t->value_column, t->name, t->value_column);
        return;
    case 's': /* select */
        buffer_print(sql, "SELECT ");
        database_print_columns(t, sql);
        buffer_print(sql, " FROM %s", t->name);
        break;
    case 'u': /* update */
        buffer_print(sql, "UPDATE %s SET %s = $3", t->name, t->value_column);
        if (t->tag_column)
            buffer_print(sql, ", %s = $4", t->tag_column);
        break;
    default: /* delete */
        buffer_print(sql, "DELETE FROM %s", t->name);
    }
    if (range)
        buffer_print(sql, " WHERE %s BETWEEN $1 AND $2", range);
    else
        buffer_print(
            sql,
            " WHERE $1::bigint <= $2::bigint"); /* every row; the parameters are there as well */
    if (name[0] != 's') {
        buffer_print(sql, " RETURNING ");
        database_print_columns(t, sql);
    }
}

static enum status prepare_all(struct postgres_session *s, struct error *err)
{
    static const char *const of_shape[][14] = {
        [SHAPE_ITEMS] = { "read", "write", NULL },
        [SHAPE_LISTS] = { "read", "append", NULL },
        [SHAPE_ROWS] = { "read", "write", "insert", "select0", "select1", "select2", "update0",
                         "update1", "update2", "delete0", "delete1", "delete2", NULL },
    };
    const struct stored_table *t = &s->server->options.table;
    enum status status = STATUS_OK;

    for (const char *const *name = of_shape[t->shape]; *name && status == STATUS_OK; name++) {
        struct buffer sql = { 0 };
        PGresult *result;

        print_statement(t, *name, &sql);
        buffer_byte(&sql, '\0');
        status = buffer_status(&sql, err);
        if (status == STATUS_OK) {
            result = PQprepare(s->conn, *name, sql.at, 0, NULL);
            if (!is_fine(result))
                status = refuse(sql.at, PQresultErrorMessage(result), err);
            PQclear(result);
        }
        buffer_close(&sql);
    }
    return status;
}

static void postgres_close(void *session)
{
    struct postgres_session *s = session;

    if (!s)
        return;
    PQfinish(s->conn);
    free(s);
}

static enum status postgres_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct postgres_session *s = calloc(1, sizeof *s);

    (void)client;
    if (!s)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a session");
    *session = s;
    s->server = server;
    s->conn = PQconnectdb(s->server->conninfo);
    if (PQstatus(s->conn) != CONNECTION_OK)
        return refuse("no connection", PQerrorMessage(s->conn), err);
    TRY(prepare_all(s, err));
    if (PQenterPipelineMode(s->conn) != 1)
        return refuse("no pipeline", PQerrorMessage(s->conn), err);
    return STATUS_OK;
}

/* --- Steps ------------------------------------------------------------------------------------ */

#define SNAPSHOT_SQL "SELECT pg_current_snapshot()::text, pg_current_xact_id_if_assigned()::text"
#define PARAMETERS_MAX 4

/* Numbers as text, as libpq wants them. */
struct query_parameters {
    char texts[PARAMETERS_MAX][24];
    const char *at[PARAMETERS_MAX];
    int count;
};

static void add_parameter(struct query_parameters *p, int64_t number)
{
    snprintf(p->texts[p->count], sizeof p->texts[0], "%" PRId64, number);
    p->at[p->count] = p->texts[p->count];
    p->count++;
}

static bool send_prepared(PGconn *conn, const char *name, const struct query_parameters *p)
{
    return PQsendQueryPrepared(conn, name, p->count, p->at, NULL, NULL, 0) == 1;
}

static bool send_by_range(const struct postgres_session *s, const struct builtin_request *r)
{
    static const char *const names[][3] = {
        [BUILTIN_SELECT] = { "select0", "select1", "select2" },
        [BUILTIN_UPDATE] = { "update0", "update1", "update2" },
        [BUILTIN_DELETE] = { "delete0", "delete1", "delete2" },
    };
    struct query_parameters p = { .count = 0 };

    add_parameter(&p, r->column == BUILTIN_NO_COLUMN ? 0 : r->low);
    add_parameter(&p, r->column == BUILTIN_NO_COLUMN ? 0 : r->high);
    if (r->kind == BUILTIN_UPDATE)
        add_parameter(&p, r->value);
    if (r->kind == BUILTIN_UPDATE && s->server->options.table.tag_column)
        add_parameter(&p, r->tag);
    return send_prepared(s->conn, names[r->kind][r->column], &p);
}

static bool send_request(const struct postgres_session *s, const struct builtin_request *r)
{
    struct query_parameters p = { .count = 0 };

    add_parameter(&p, (int64_t)r->key);
    if (r->kind == BUILTIN_READ)
        return send_prepared(s->conn, "read", &p);
    if (r->kind == BUILTIN_SELECT || r->kind == BUILTIN_UPDATE || r->kind == BUILTIN_DELETE)
        return send_by_range(s, r);
    add_parameter(&p, r->value);
    if (r->kind == BUILTIN_APPEND)
        return send_prepared(s->conn, "append", &p);
    if (s->server->options.table.tag_column)
        add_parameter(&p, r->tag);
    return send_prepared(s->conn, r->kind == BUILTIN_INSERT ? "insert" : "write", &p);
}

static bool send_text(PGconn *conn, const char *sql)
{
    return PQsendQueryParams(conn, sql, 0, NULL, NULL, NULL, NULL, 0) == 1;
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

static bool send_steps(const struct postgres_session *s, const struct database_step *steps,
                       uint32_t count)
{
    bool snapshot = wants_snapshot(s, steps, count);
    bool is_sent = true;

    for (uint32_t i = 0; is_sent && i < count; i++) {
        if (steps[i].kind == STEP_COMMIT && snapshot)
            is_sent = send_text(s->conn, SNAPSHOT_SQL);
        switch (steps[i].kind) {
        case STEP_BEGIN:
            is_sent = is_sent && send_text(s->conn, begin_of(s->server->options.isolation));
            break;
        case STEP_REQUEST:
            is_sent = is_sent && send_request(s, &steps[i].request);
            break;
        case STEP_COMMIT:
            is_sent = is_sent && send_text(s->conn, "COMMIT");
            break;
        case STEP_ABORT:
            is_sent = is_sent && send_text(s->conn, "ROLLBACK");
        }
    }
    if (is_sent && snapshot && steps[count - 1].kind == STEP_REQUEST)
        is_sent = send_text(s->conn, SNAPSHOT_SQL);
    return is_sent && PQpipelineSync(s->conn) == 1;
}

/* What an answer says of the transaction as a whole. */
enum postgres_word { WORD_FINE, WORD_REFUSED, WORD_SKIPPED, WORD_LOST, WORD_WRONG };

/*
 * Class 40: rolled back (serialization, deadlock). 23505: a key was there. 53200: no memory for its
 * locks. 57014: cancelled. 55P03: a lock was not to be had. 08, 57P and an answer without a state:
 * the connection ends.
 */
static enum postgres_word word_of(const PGresult *result, char *code, size_t size)
{
    const char *state;

    if (!result)
        return WORD_LOST;
    if (is_fine(result) || PQresultStatus(result) == PGRES_PIPELINE_SYNC)
        return WORD_FINE;
    if (PQresultStatus(result) == PGRES_PIPELINE_ABORTED)
        return WORD_SKIPPED;
    state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    if (!state || strncmp(state, "08", 2) == 0 || strncmp(state, "57P", 3) == 0)
        return WORD_LOST;
    snprintf(code, size, "%s", state);
    if (strncmp(state, "40", 2) == 0 || strcmp(state, "23505") == 0 ||
        strcmp(state, "53200") == 0 || strcmp(state, "57014") == 0 || strcmp(state, "55P03") == 0)
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

static enum status take_rows(const struct postgres_session *s, const PGresult *result,
                             struct database_answer *answer, struct database_step_answer *step,
                             struct error *err)
{
    bool is_list = s->server->options.table.shape == SHAPE_LISTS;
    bool has_tag = s->server->options.table.tag_column != NULL;

    for (int i = 0; i < PQntuples(result); i++) {
        struct builtin_row row = { .key = (uint64_t)number_at(result, i, 0) };

        if (is_list)
            return database_answer_list(answer, step, text_of(PQgetvalue(result, i, 1)), err);
        row.value = number_at(result, i, 1);
        row.tag = has_tag ? number_at(result, i, 2) : 0;
        TRY(database_answer_row(answer, step, row, err));
    }
    return STATUS_OK;
}

static enum status take_snapshot(const PGresult *result, struct database_answer *answer)
{
    buffer_clear(&answer->snapshot);
    buffer_text(&answer->snapshot, text_of(PQgetvalue(result, 0, 0)));
    if (!PQgetisnull(result, 0, 1))
        answer->xid = strtoull(PQgetvalue(result, 0, 1), NULL, 10);
    return STATUS_OK;
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
        return refuse("a statement of the workload", PQresultErrorMessage(result), err);
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

    if (word != WORD_FINE) {
        status = take_word(word, result, answer, err);
    } else if (!step) {
        status = take_snapshot(result, answer);
    } else if (step->kind == STEP_COMMIT && is_rolled_back(result)) {
        answer->end = STEPS_REFUSED;
    } else {
        if (step->kind == STEP_REQUEST)
            status = take_rows(s, result, answer, &taken, err);
        if (status == STATUS_OK)
            status = array_push(&answer->steps, taken, err);
        answer->step_count++;
    }
    PQclear(result);
    return status;
}

/* After a refusal the transaction is still there, and failed. */
static enum status end_failed(const struct postgres_session *s, struct database_answer *answer)
{
    PGresult *result;

    if (PQtransactionStatus(s->conn) == PQTRANS_IDLE)
        return STATUS_OK;
    if (!send_text(s->conn, "ROLLBACK") || PQpipelineSync(s->conn) != 1) {
        answer->end = STEPS_LOST;
        return STATUS_OK;
    }
    result = next_result(s->conn);
    if (!is_fine(result))
        answer->end = STEPS_LOST;
    PQclear(result);
    PQclear(next_result(s->conn));
    return STATUS_OK;
}

static enum status postgres_steps(void *session, const struct database_step *steps, uint32_t count,
                                  struct database_answer *answer, struct error *err)
{
    const struct postgres_session *s = session;
    bool snapshot = wants_snapshot(s, steps, count);
    int64_t invoked_ns = wall_clock_ns();

    assert(count > 0);
    answer->is_pipelined = count > 1 && steps[count - 1].kind == STEP_COMMIT;
    if (!send_steps(s, steps, count)) {
        answer->end = STEPS_LOST;
        return STATUS_OK;
    }
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
    return answer->end == STEPS_REFUSED ? end_failed(s, answer) : STATUS_OK;
}

static enum status postgres_query(void *server, const char *name, const char *sql,
                                  struct buffer *value, struct error *err)
{
    struct postgres *p = server;
    char view[200], answer[200];

    snprintf(view, sizeof view, "CREATE OR REPLACE TEMP VIEW %s AS SELECT * FROM %s", name,
             p->options.table.name);
    TRY(ask(p->control, view, NULL, 0, err));
    TRY(ask(p->control, sql, answer, sizeof answer, err));
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
            status = refuse("logical decoding", PQresultErrorMessage(result), err);
        PQclear(result);
    }
    return status;
}

static enum status postgres_recover(void *server, struct recovered_order *order, struct error *err)
{
    struct postgres *p = server;
    struct decoding decoding = { .order = order, .table = &p->options.table };
    char now[32];

    assert(p->has_slot);
    TRY(ask(p->control, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text", now, sizeof now,
            err));
    decoding.xid_now = strtoull(now, NULL, 10);
    if (PQsendQuery(p->control, "SELECT data FROM pg_logical_slot_get_changes('ordeal', NULL, "
                                "NULL, 'skip-empty-xacts', '1')") != 1 ||
        PQsetSingleRowMode(p->control) != 1)
        return refuse("logical decoding", PQerrorMessage(p->control), err);
    return take_changes(p->control, &decoding, err);
}

static const char *postgres_profile(enum level level)
{
    return level == LEVEL_SERIALIZABLE     ? "postgresql/serializable"
           : level == LEVEL_SNAPSHOT       ? "postgresql/snapshot"
           : level == LEVEL_READ_COMMITTED ? "postgresql/read-committed"
                                           : NULL;
}

const struct database database_postgres = {
    .name = "postgres",
    .title = "PostgreSQL",
    .package = "postgresql",
    .gives = "serializable, snapshot (its repeatable read), read-committed; every workload; kill "
             "-9, pauses;\n"
             "           its own order, except at read-committed",
    .levels =
        LEVEL_BIT(LEVEL_READ_COMMITTED) | LEVEL_BIT(LEVEL_SNAPSHOT) | LEVEL_BIT(LEVEL_SERIALIZABLE),
    .has_server = true,
    .has_settings = true,
    .faults = DATABASE_FAULT_BIT(DATABASE_KILL) | DATABASE_FAULT_BIT(DATABASE_PAUSE),
    .certifies = true,
    .profile = postgres_profile,
    .start = postgres_start,
    .load = postgres_load,
    .fault = postgres_fault,
    .stop = postgres_stop,
    .open = postgres_open,
    .steps = postgres_steps,
    .close = postgres_close,
    .query = postgres_query,
    .recover = postgres_recover,
};
