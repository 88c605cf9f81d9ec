/*
 * sqlite: SQLite on trial, in this process or in several: each session is a connection to one file.
 *
 *     wal           the write-ahead log (the default)
 *     rollback      the rollback journal
 *     shared-cache  connections share a cache; with read-uncommitted they see what others have not committed
 *     processes     the write-ahead log, each session in a process of its own, which can be killed
 *     processes-rollback    likewise with the rollback journal
 *
 * A transaction begins as a reader, and may be refused when it first writes (SQLITE_BUSY,
 * SQLITE_BUSY_SNAPSHOT), as an application's would be that does not say BEGIN IMMEDIATE.
 */
#include "record/database.h"

#include <assert.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"
#include "record/own_server.h"
#include "record/session_host.h"
#include "record/sql_text.h"

#define PATIENCE_MS 1000

static const char *const modes[] = { "wal",       "rollback",           "shared-cache",
                                     "processes", "processes-rollback", NULL };

enum sqlite_mode {
    MODE_WAL,
    MODE_ROLLBACK,
    MODE_SHARED_CACHE,
    MODE_PROCESSES,
    MODE_PROCESSES_ROLLBACK
};

struct sqlite_database {
    struct database_options options;
    struct own_server server; /* its folder alone: there is no process */
    enum sqlite_mode mode;
    sqlite3 *control; /* keeps a shared cache alive */
    char path[OWN_SERVER_PATH_SIZE + 32];
    struct session_host host; /* of the processes */
};

struct sqlite_session {
    struct sqlite_database *database;
    void *hosted; /* in another process: then it has nothing else */
    sqlite3 *db;
    sqlite3_stmt *statements[BUILTIN_COMMIT][3]; /* by kind and column; NULL: not prepared yet */
};

static enum status refuse(sqlite3 *db, const char *what, struct error *err)
{
    bool is_memory = !db || sqlite3_errcode(db) == SQLITE_NOMEM ||
                     sqlite3_extended_errcode(db) == SQLITE_IOERR_NOMEM;

    return error_set(err, is_memory ? STATUS_OVER_LIMIT : STATUS_IO, "SQLite: %s: %s", what,
                     is_memory ? "no memory" : sqlite3_errmsg(db));
}

static enum status execute(sqlite3 *db, const char *sql, struct error *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? STATUS_OK : refuse(db, sql, err);
}

static enum status open_file(const struct sqlite_database *d, sqlite3 **db, struct error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                (d->mode == MODE_SHARED_CACHE ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE);

    if (sqlite3_open_v2(d->path, db, flags, NULL) != SQLITE_OK)
        return refuse(*db, d->path, err);
    sqlite3_extended_result_codes(*db, 1);
    sqlite3_busy_timeout(*db, PATIENCE_MS);
    TRY(execute(*db, "PRAGMA synchronous = OFF", err));
    if (d->options.isolation == LEVEL_READ_UNCOMMITTED)
        TRY(execute(*db, "PRAGMA read_uncommitted = 1", err));
    return STATUS_OK;
}

static enum status open_here(void **, void *, uint32_t, struct error *);
static enum status steps_here(void *, const struct database_step *, uint32_t,
                              struct database_answer *, struct error *);
static void close_here(void *);

static const struct session_calls session_calls = { open_here, steps_here, close_here };

static bool has_processes(const struct sqlite_database *d)
{
    return d->mode == MODE_PROCESSES || d->mode == MODE_PROCESSES_ROLLBACK;
}

/* --- The database ----------------------------------------------------------------------------- */

static enum status sqlite_start(void **server, const struct database_options *options,
                                struct buffer *version, struct error *err)
{
    struct sqlite_database *d = calloc(1, sizeof *d);

    if (!d)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a database");
    *server = d;
    d->options = *options;
    while (options->mode && modes[d->mode] && strcmp(modes[d->mode], options->mode) != 0)
        d->mode++;
    assert(modes[d->mode]);
    if (options->isolation == LEVEL_READ_UNCOMMITTED && d->mode != MODE_SHARED_CACHE)
        return error_set(err, STATUS_BAD_INPUT,
                         "SQLite has read-uncommitted with --topology shared-cache alone");
    if (options->faults && !has_processes(d))
        return error_set(err, STATUS_BAD_INPUT,
                         "SQLite has no server to kill: only its topologies processes and "
                         "processes-rollback have processes");
    TRY(own_server_open(&d->server, 0, 0, err));
    snprintf(d->path, sizeof d->path, "%s/database", d->server.folder);
    if (has_processes(
            d)) /* before there is a connection, which must not be taken to another process */
        TRY(session_host_start(&d->host, &session_calls, d, options->clients, err));
    TRY(open_file(d, &d->control, err));
    TRY(execute(d->control,
                d->mode == MODE_WAL || d->mode == MODE_PROCESSES ? "PRAGMA journal_mode = WAL"
                                                                 : "PRAGMA journal_mode = DELETE",
                err));
    buffer_print(version, "SQLite %s", sqlite3_libversion());
    return STATUS_OK;
}

static void sqlite_stop(void *server)
{
    struct sqlite_database *d = server;

    if (!d)
        return;
    session_host_stop(&d->host);
    sqlite3_close(d->control);
    own_server_close(&d->server);
    free(d);
}

static enum status sqlite_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct sqlite_database *d = server;
    const struct stored_table *t = &d->options.table;
    struct buffer sql = { 0 };
    enum status status;

    buffer_print(&sql, "BEGIN; ");
    sql_text_print_load(t, "INTEGER", builtin, ';', &sql);
    buffer_print(&sql, "COMMIT");
    buffer_byte(&sql, '\0');
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = execute(d->control, sql.at, err);
    buffer_close(&sql);
    return status;
}

/* --- Sessions --------------------------------------------------------------------------------- */

static enum status open_here(void **session, void *server, uint32_t client, struct error *err)
{
    struct sqlite_session *s = calloc(1, sizeof *s);

    (void)client;
    if (!s)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a session");
    *session = s;
    s->database = server;
    return open_file(s->database, &s->db, err);
}

static void close_here(void *session)
{
    struct sqlite_session *s = session;

    for (size_t kind = 0; kind < ROW_COUNT(s->statements); kind++)
        for (size_t column = 0; column < ROW_COUNT(s->statements[0]); column++)
            sqlite3_finalize(s->statements[kind][column]);
    sqlite3_close(s->db);
    free(s);
}

static enum status prepare(struct sqlite_session *s, const struct builtin_request *r,
                           sqlite3_stmt **out, struct error *err)
{
    sqlite3_stmt **kept = &s->statements[r->kind][r->column];
    struct buffer sql = { 0 };
    enum status status = STATUS_OK;

    if (!*kept) {
        sql_text_print_statement(&s->database->options.table, r, &sql);
        status = buffer_status(&sql, err);
        if (status == STATUS_OK &&
            sqlite3_prepare_v3(s->db, sql.at, (int)sql.count, SQLITE_PREPARE_PERSISTENT, kept,
                               NULL) != SQLITE_OK)
            status = refuse(s->db, "a statement of the workload", err);
        buffer_close(&sql);
    }
    *out = *kept;
    return status;
}

/*
 * What is not in the statement is not bound: that is an error nobody minds. Numbers need no memory;
 * a text that finds none would be a NULL.
 */
static enum status bind_all(struct sqlite_session *s, sqlite3_stmt *statement,
                            const struct builtin_request *r, struct error *err)
{
    sqlite3_bind_int64(statement, 1, (int64_t)r->key);
    if (s->database->options.table.shape == SHAPE_LISTS && r->kind == BUILTIN_APPEND) {
        char text[24];

        snprintf(text, sizeof text, "%" PRId64, r->value);
        if (sqlite3_bind_text(statement, 2, text, -1, SQLITE_TRANSIENT) != SQLITE_OK)
            return refuse(s->db, "a value of the workload", err);
    } else {
        sqlite3_bind_int64(statement, 2, r->value);
    }
    sqlite3_bind_int64(statement, 3, r->tag);
    sqlite3_bind_int64(statement, 4, r->low);
    sqlite3_bind_int64(statement, 5, r->high);
    return STATUS_OK;
}

static enum status take_row(struct sqlite_session *s, sqlite3_stmt *statement,
                            struct database_answer *answer, struct database_step_answer *step,
                            struct error *err)
{
    struct builtin_row row = { .key = (uint64_t)sqlite3_column_int64(statement, 0) };

    if (s->database->options.table.shape == SHAPE_LISTS) {
        const char *list = (const char *)sqlite3_column_text(statement, 1);

        /* No list is NULL in the table: for this one there is no memory. */
        if (!list)
            return refuse(s->db, "a list that was read", err);
        return database_answer_list(answer, step, text_of(list), err);
    }
    row.value = sqlite3_column_int64(statement, 1);
    row.tag = s->database->options.table.tag_column ? sqlite3_column_int64(statement, 2) : 0;
    return database_answer_row(answer, step, row, err);
}

static const char *name_of_code(int code)
{
    switch (code) {
    case SQLITE_BUSY:
        return "BUSY";
    case SQLITE_BUSY_SNAPSHOT:
        return "BUSY_SNAPSHOT";
    case SQLITE_BUSY_RECOVERY:
        return "BUSY_RECOVERY";
    case SQLITE_LOCKED:
    case SQLITE_LOCKED_SHAREDCACHE:
        return "LOCKED";
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
        return "CONSTRAINT";
    default:
        return NULL;
    }
}

/* The transaction is over, and rolled back. */
static enum status take_refusal(struct sqlite_session *s, int code, struct database_answer *answer,
                                struct error *err)
{
    const char *name = name_of_code(code);

    if (!name)
        return refuse(s->db, "a statement of the workload", err);
    snprintf(answer->code, sizeof answer->code, "%s", name);
    answer->end = STEPS_REFUSED;
    if (!sqlite3_get_autocommit(s->db))
        return execute(s->db, "ROLLBACK", err);
    return STATUS_OK;
}

static enum status request_step(struct sqlite_session *s, const struct builtin_request *r,
                                struct database_answer *answer, struct database_step_answer *step,
                                struct error *err)
{
    enum status status = STATUS_OK;
    sqlite3_stmt *statement;
    int code;

    TRY(prepare(s, r, &statement, err));
    TRY(bind_all(s, statement, r, err));
    for (code = sqlite3_step(statement); status == STATUS_OK && code == SQLITE_ROW;
         code = sqlite3_step(statement))
        status = take_row(s, statement, answer, step, err);
    sqlite3_reset(statement);
    if (status == STATUS_OK && code != SQLITE_DONE)
        return take_refusal(s, code, answer, err);
    return status;
}

static enum status control_step(struct sqlite_session *s, enum database_step_kind kind,
                                struct database_answer *answer, struct error *err)
{
    const char *sql = kind == STEP_BEGIN ? "BEGIN" : kind == STEP_COMMIT ? "COMMIT" : "ROLLBACK";
    int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

    return code == SQLITE_OK ? STATUS_OK
                             : take_refusal(s, sqlite3_extended_errcode(s->db), answer, err);
}

static enum status one_step(void *session, const struct database_step *step,
                            struct database_answer *answer, struct database_step_answer *taken,
                            struct error *err)
{
    return step->kind == STEP_REQUEST ? request_step(session, &step->request, answer, taken, err)
                                      : control_step(session, step->kind, answer, err);
}

static enum status steps_here(void *session, const struct database_step *steps, uint32_t count,
                              struct database_answer *answer, struct error *err)
{
    return database_each_step(one_step, session, steps, count, answer, err);
}

/* --- In this process, or in another ----------------------------------------------------------- */

static enum status sqlite_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct sqlite_database *d = server;
    struct sqlite_session *s;

    if (!has_processes(d))
        return open_here(session, server, client, err);
    *session = s = calloc(1, sizeof *s);
    if (!s)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a session");
    s->database = d;
    return session_host_open(&s->hosted, &d->host, client, err);
}

static enum status sqlite_steps(void *session, const struct database_step *steps, uint32_t count,
                                struct database_answer *answer, struct error *err)
{
    struct sqlite_session *s = session;

    return s->hosted ? session_host_steps(s->hosted, steps, count, answer, err)
                     : steps_here(session, steps, count, answer, err);
}

static void sqlite_close(void *session)
{
    struct sqlite_session *s = session;

    if (s->hosted)
        session_host_close(s->hosted);
    close_here(session);
}

/* Of one client's process after another; a killed one begins anew with its next transaction. */
static enum status sqlite_fault(void *server, enum database_fault fault, bool begins, uint32_t turn,
                                struct error *err)
{
    struct sqlite_database *d = server;

    (void)err;
    assert(fault == DATABASE_KILL || fault == DATABASE_PAUSE);
    if (fault == DATABASE_PAUSE)
        session_host_signal(&d->host, turn % d->options.clients, begins ? SIGSTOP : SIGCONT);
    else if (begins)
        session_host_signal(&d->host, turn % d->options.clients, SIGKILL);
    return STATUS_OK;
}

static enum status sqlite_query(void *server, const char *name, const char *sql,
                                struct buffer *value, struct error *err)
{
    struct sqlite_database *d = server;
    sqlite3_stmt *statement = NULL;
    char view[200];
    enum status status;
    int code;

    snprintf(view, sizeof view, "CREATE TEMP VIEW IF NOT EXISTS %s AS SELECT * FROM %s", name,
             d->options.table.name);
    TRY(execute(d->control, view, err));
    if (sqlite3_prepare_v2(d->control, sql, -1, &statement, NULL) != SQLITE_OK)
        return refuse(d->control, sql, err);
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        const char *text = (const char *)sqlite3_column_text(statement, 0);

        if (text)
            buffer_text(value, text_of(text));
        else
            code = SQLITE_NOMEM;
    }
    status = code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : refuse(d->control, sql, err);
    sqlite3_finalize(statement);
    return status;
}

static const char *sqlite_profile(enum level level)
{
    return level == LEVEL_SERIALIZABLE ? "sqlite/serializable" : NULL;
}

const struct database database_sqlite = {
    .name = "sqlite",
    .title = "SQLite",
    .package = "libsqlite3-0",
    .gives = "serializable, read-uncommitted (shared cache); every workload; faults with processes",
    .modes = modes,
    .faults = DATABASE_FAULT_BIT(DATABASE_KILL) | DATABASE_FAULT_BIT(DATABASE_PAUSE),
    .levels = LEVEL_BIT(LEVEL_READ_UNCOMMITTED) | LEVEL_BIT(LEVEL_SERIALIZABLE),
    .profile = sqlite_profile,
    .start = sqlite_start,
    .load = sqlite_load,
    .fault = sqlite_fault,
    .stop = sqlite_stop,
    .open = sqlite_open,
    .steps = sqlite_steps,
    .close = sqlite_close,
    .query = sqlite_query,
};
