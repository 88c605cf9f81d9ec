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

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/own_server.h"
#include "record/session_host.h"
#include "record/sql_text.h"

#define PATIENCE_MS 1000

static const char *const modes[] = { "wal",       "rollback",           "shared-cache",
                                     "processes", "processes-rollback", NULL };

enum sqlite_mode { WAL, ROLLBACK, SHARED_CACHE, PROCESSES, PROCESSES_ROLLBACK };

struct sqlite_database {
    struct database_options options;
    struct own_server server; /* its folder alone: there is no process */
    enum sqlite_mode mode;
    sqlite3 *control; /* keeps a shared cache alive */
    char path[OWN_SERVER_PATH_SIZE + 32];
    struct session_host host; /* of the sessions */
};

struct sqlite_session {
    struct sqlite_database *database;
    sqlite3 *db;
    struct buffer sql;
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
                (d->mode == SHARED_CACHE ? SQLITE_OPEN_SHAREDCACHE : SQLITE_OPEN_PRIVATECACHE);

    if (sqlite3_open_v2(d->path, db, flags, NULL) != SQLITE_OK)
        return refuse(*db, d->path, err);
    sqlite3_extended_result_codes(*db, 1);
    sqlite3_busy_timeout(*db, PATIENCE_MS);
    TRY(execute(*db, "PRAGMA synchronous = OFF", err));
    if (d->options.isolation == LEVEL_READ_UNCOMMITTED)
        TRY(execute(*db, "PRAGMA read_uncommitted = 1", err));
    return STATUS_OK;
}

/* --- Sessions --------------------------------------------------------------------------------- */

static enum status open_session(void **session, void *server, uint32_t client, struct error *err)
{
    struct sqlite_session *s;

    (void)client;
    TRY(database_new(session, sizeof *s, err));
    s = *session;
    s->database = server;
    return open_file(s->database, &s->db, err);
}

static void close_session(void *session)
{
    struct sqlite_session *s = session;

    buffer_close(&s->sql);
    sqlite3_close(s->db);
    free(s);
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

/* The transaction is over, and rolled back. */
static enum status take_refusal(struct sqlite_session *s, int code, struct database_answer *answer,
                                struct error *err)
{
    static const struct {
        int code;
        const char *name;
    } known[] = { { SQLITE_BUSY, "BUSY" },
                  { SQLITE_BUSY_SNAPSHOT, "BUSY_SNAPSHOT" },
                  { SQLITE_BUSY_RECOVERY, "BUSY_RECOVERY" },
                  { SQLITE_LOCKED, "LOCKED" },
                  { SQLITE_LOCKED_SHAREDCACHE, "LOCKED" },
                  { SQLITE_CONSTRAINT_PRIMARYKEY, "CONSTRAINT" },
                  { SQLITE_CONSTRAINT_ROWID, "CONSTRAINT" } };
    size_t i = 0;

    while (i < ROW_COUNT(known) && known[i].code != code)
        i++;
    if (i == ROW_COUNT(known))
        return refuse(s->db, "a statement of the workload", err);
    database_answer_refuse(answer, known[i].name);
    return sqlite3_get_autocommit(s->db) ? STATUS_OK : execute(s->db, "ROLLBACK", err);
}

static enum status one_step(void *session, const struct database_step *step,
                            struct database_answer *answer, struct database_step_answer *taken,
                            struct error *err)
{
    static const char *const words[] = {
        [STEP_BEGIN] = "BEGIN", [STEP_COMMIT] = "COMMIT", [STEP_ABORT] = "ROLLBACK"
    };
    struct sqlite_session *s = session;
    sqlite3_stmt *statement = NULL;
    enum status status = STATUS_OK;
    int code;

    buffer_clear(&s->sql);
    if (step->kind == STEP_REQUEST)
        sql_text_print_request(&s->database->options.table, &step->request, &s->sql);
    else
        buffer_print(&s->sql, "%s%c", words[step->kind], '\0');
    TRY(buffer_status(&s->sql, err));
    code = sqlite3_prepare_v2(s->db, s->sql.at, (int)s->sql.count, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    for (; status == STATUS_OK && code == SQLITE_ROW; code = sqlite3_step(statement))
        status = take_row(s, statement, answer, taken, err);
    sqlite3_finalize(statement);
    return status == STATUS_OK && code != SQLITE_DONE ? take_refusal(s, code, answer, err) : status;
}

static enum status session_steps(void *session, const struct database_step *steps, uint32_t count,
                                 struct database_answer *answer, struct error *err)
{
    return database_each_step(one_step, session, steps, count, answer, err);
}

static const struct session_calls session_calls = { open_session, session_steps, close_session };

/* --- The database ----------------------------------------------------------------------------- */

static enum status sqlite_start(void **server, const struct database_options *options,
                                struct buffer *version, struct error *err)
{
    struct sqlite_database *d;

    TRY(database_new(server, sizeof *d, err));
    d = *server;
    d->options = *options;
    d->mode = (enum sqlite_mode)database_mode(options, modes);
    if (options->isolation == LEVEL_READ_UNCOMMITTED && d->mode != SHARED_CACHE)
        return error_set(err, STATUS_BAD_INPUT,
                         "SQLite has read-uncommitted with --topology shared-cache alone");
    if (options->faults && d->mode < PROCESSES)
        return error_set(err, STATUS_BAD_INPUT,
                         "SQLite has no server to kill: only its topologies processes and "
                         "processes-rollback have processes");
    TRY(own_server_open(&d->server, 0, 0, err));
    snprintf(d->path, sizeof d->path, "%s/database", d->server.folder);
    /* Before there is a connection, which must not be taken to another process. */
    if (d->mode >= PROCESSES)
        TRY(session_host_start(&d->host, &session_calls, d, options->clients, err));
    else
        session_host_stay(&d->host, &session_calls, d);
    TRY(open_file(d, &d->control, err));
    TRY(execute(d->control,
                d->mode == WAL || d->mode == PROCESSES ? "PRAGMA journal_mode = WAL"
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
    struct buffer sql = { 0 };
    enum status status = sql_text_load(&d->options.table, (struct sql_types){ "INTEGER", "TEXT" },
                                       builtin, &sql, err);

    if (status == STATUS_OK)
        status = execute(d->control, sql.at, err);
    buffer_close(&sql);
    return status;
}

static enum status sqlite_open(void **session, void *server, uint32_t client, struct error *err)
{
    return session_host_open(session, &((struct sqlite_database *)server)->host, client, err);
}

static enum status sqlite_fault(void *server, enum database_fault fault, bool begins, uint32_t turn,
                                bool *is_felt, struct error *err)
{
    struct sqlite_database *d = server;

    (void)err;
    *is_felt = session_host_fault(&d->host, fault, begins, turn) && begins;
    return STATUS_OK;
}

/* A row of an answer to sqlite3_exec(), of which there is one. */
static int take_value(void *value, int columns, char **texts, char **names)
{
    (void)columns, (void)names;
    if (texts[0])
        buffer_text(value, text_of(texts[0]));
    return 0;
}

static enum status sqlite_query(void *server, const char *sql, struct buffer *value,
                                struct error *err)
{
    struct sqlite_database *d = server;

    if (sqlite3_exec(d->control, sql, take_value, value, NULL) == SQLITE_OK)
        return STATUS_OK;
    return refuse(d->control, sql, err);
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
    .steps = session_host_steps,
    .close = session_host_close,
    .query = sqlite_query,
};
