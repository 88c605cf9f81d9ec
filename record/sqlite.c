/*
 * sqlite: SQLite on trial, in this process: each session is a connection to one file.
 *
 *     wal           the write-ahead log (the default)
 *     rollback      the rollback journal
 *     shared-cache  connections share a cache; with read-uncommitted they see what others have not committed
 *
 * A transaction begins as a reader, and may be refused when it first writes (SQLITE_BUSY,
 * SQLITE_BUSY_SNAPSHOT), as an application's would be that does not say BEGIN IMMEDIATE.
 */
#include "record/database.h"

#include <assert.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"
#include "record/own_server.h"
#include "record/sql_text.h"

#define PATIENCE_MS 1000

static const char *const modes[] = { "wal", "rollback", "shared-cache", NULL };

enum sqlite_mode { MODE_WAL, MODE_ROLLBACK, MODE_SHARED_CACHE };

struct sqlite_database {
    struct database_options options;
    struct own_server server; /* its folder alone: there is no process */
    enum sqlite_mode mode;
    sqlite3 *control; /* keeps a shared cache alive */
    char path[OWN_SERVER_PATH_SIZE + 32];
};

struct sqlite_session {
    struct sqlite_database *database;
    sqlite3 *db;
    sqlite3_stmt *statements[BUILTIN_COMMIT][3]; /* by kind and column; NULL: not prepared yet */
};

static enum status refuse(sqlite3 *db, const char *what, struct error *err)
{
    return error_set(err, STATUS_IO, "SQLite: %s: %s", what, db ? sqlite3_errmsg(db) : "no memory");
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
    TRY(own_server_open(&d->server, err));
    snprintf(d->path, sizeof d->path, "%s/database", d->server.folder);
    TRY(open_file(d, &d->control, err));
    TRY(execute(d->control,
                d->mode == MODE_WAL ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE",
                err));
    buffer_print(version, "SQLite %s", sqlite3_libversion());
    return STATUS_OK;
}

static void sqlite_stop(void *server)
{
    struct sqlite_database *d = server;

    if (!d)
        return;
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
    sql_text_print_table(t, "INTEGER", &sql);
    buffer_byte(&sql, ';');
    for (uint64_t i = 0; i < builtin_initial_count(builtin); i++) {
        sql_text_print_row(t, builtin_initial(builtin, i), &sql);
        buffer_byte(&sql, ';');
    }
    buffer_print(&sql, "COMMIT");
    buffer_byte(&sql, '\0');
    status = buffer_status(&sql, err);
    if (status == STATUS_OK)
        status = execute(d->control, sql.at, err);
    buffer_close(&sql);
    return status;
}

/* --- Sessions --------------------------------------------------------------------------------- */

static enum status sqlite_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct sqlite_session *s = calloc(1, sizeof *s);

    (void)client;
    if (!s)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a session");
    *session = s;
    s->database = server;
    return open_file(s->database, &s->db, err);
}

static void sqlite_close(void *session)
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

/* What is not in the statement is not bound: that is an error nobody minds. */
static void bind_all(sqlite3_stmt *statement, const struct builtin_request *r, bool is_list)
{
    sqlite3_bind_int64(statement, 1, (int64_t)r->key);
    if (is_list && r->kind == BUILTIN_APPEND) {
        char text[24];

        snprintf(text, sizeof text, "%" PRId64, r->value);
        sqlite3_bind_text(statement, 2, text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_int64(statement, 2, r->value);
    }
    sqlite3_bind_int64(statement, 3, r->tag);
    sqlite3_bind_int64(statement, 4, r->low);
    sqlite3_bind_int64(statement, 5, r->high);
}

static enum status take_row(struct sqlite_session *s, sqlite3_stmt *statement,
                            struct database_answer *answer, struct database_step_answer *step,
                            struct error *err)
{
    struct builtin_row row = { .key = (uint64_t)sqlite3_column_int64(statement, 0) };

    if (s->database->options.table.shape == SHAPE_LISTS) {
        const char *list = (const char *)sqlite3_column_text(statement, 1);

        return database_answer_list(answer, step, text_of(list ? list : ""), err);
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
    bind_all(statement, r, s->database->options.table.shape == SHAPE_LISTS);
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

static enum status sqlite_steps(void *session, const struct database_step *steps, uint32_t count,
                                struct database_answer *answer, struct error *err)
{
    struct sqlite_session *s = session;

    for (uint32_t i = 0; i < count; i++) {
        struct database_step_answer step = { .invoked_ns = wall_clock_ns() };

        if (steps[i].kind == STEP_REQUEST)
            TRY(request_step(s, &steps[i].request, answer, &step, err));
        else
            TRY(control_step(s, steps[i].kind, answer, err));
        if (answer->end != STEPS_DONE)
            return STATUS_OK;
        step.completed_ns = wall_clock_ns();
        TRY(array_push(&answer->steps, step, err));
        answer->step_count++;
    }
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
    if (code == SQLITE_ROW && sqlite3_column_text(statement, 0))
        buffer_text(value, text_of((const char *)sqlite3_column_text(statement, 0)));
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
    .gives = "serializable, read-uncommitted (shared cache); every workload",
    .modes = modes,
    .levels = LEVEL_BIT(LEVEL_READ_UNCOMMITTED) | LEVEL_BIT(LEVEL_SERIALIZABLE),
    .profile = sqlite_profile,
    .start = sqlite_start,
    .load = sqlite_load,
    .stop = sqlite_stop,
    .open = sqlite_open,
    .steps = sqlite_steps,
    .close = sqlite_close,
    .query = sqlite_query,
};
