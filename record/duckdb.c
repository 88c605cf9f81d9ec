/*
 * duckdb: DuckDB on trial, in this process: each session is a connection to one database.
 *
 *     memory        the database is in memory (the default)
 *     file          it is a file, and commits are written to its log
 *
 * Its library is loaded at run time. What is declared here of its interface in C is all that is
 * needed. DuckDB promises snapshot isolation, and knows no other level.
 */
#include "record/database.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/binaries.h"
#include "record/own_server.h"
#include "record/sql_text.h"

static const char *const modes[] = { "memory", "file", NULL };

/* Only its last field is in use, and that is DuckDB's. */
struct duckdb_result {
    uint64_t columns, rows, changed;
    void *column, *message, *data;
};

/* X(name, result, parameters) of its functions. Those that return int return 0 if all is well. */
#define DUCKDB_FUNCTIONS(X)                                                                        \
    X(library_version, const char *, (void))                                                       \
    X(open, int, (const char *path, void **database))                                              \
    X(close, void, (void **database))                                                              \
    X(connect, int, (void *database, void **connection))                                           \
    X(disconnect, void, (void **connection))                                                       \
    X(query, int, (void *connection, const char *sql, struct duckdb_result *))                     \
    X(destroy_result, void, (struct duckdb_result *))                                              \
    X(result_error, const char *, (struct duckdb_result *))                                        \
    X(row_count, uint64_t, (struct duckdb_result *))                                               \
    X(value_int64, int64_t, (struct duckdb_result *, uint64_t column, uint64_t row))               \
    X(value_varchar, char *, (struct duckdb_result *, uint64_t column, uint64_t row))              \
    X(free, void, (void *))

struct duckdb {
    struct database_options options;
    struct own_server server; /* its folder alone: there is no process */
#define DUCKDB_FIELD(name, result, parameters) result(*name) parameters;
    DUCKDB_FUNCTIONS(DUCKDB_FIELD)
#undef DUCKDB_FIELD
    void *library, *database, *control;
};

struct duckdb_session {
    struct duckdb *d;
    void *connection;
};

/* --- The library ------------------------------------------------------------------------------ */

static enum status load_library(struct duckdb *d, struct error *err)
{
    static const struct binary binary = { .title = "DuckDB",
                                          .file = "libduckdb.so",
                                          .folder = "duckdb",
                                          .advice = "`tools/deps.sh databases` fetches it",
                                          .is_library = true };
    char path[OWN_SERVER_PATH_SIZE + 64];

    TRY(binaries_find(&binary, &d->options, path, sizeof path, err));
    d->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!d->library)
        return error_set(err, STATUS_IO, "%s cannot be loaded: %s", path, dlerror());
#define DUCKDB_LOAD(name, result, parameters)                                                      \
    *(void **)&d->name = dlsym(d->library, "duckdb_" #name);                                       \
    if (!d->name)                                                                                  \
        return error_set(err, STATUS_IO, "%s has no duckdb_%s()", path, #name);
    DUCKDB_FUNCTIONS(DUCKDB_LOAD)
#undef DUCKDB_LOAD
    return STATUS_OK;
}

/* The first value of the answer goes to `value`, which may be NULL. */
static enum status ask(const struct duckdb *d, void *connection, const char *sql,
                       struct buffer *value, struct error *err)
{
    struct duckdb_result result = { 0 };
    enum status status = STATUS_OK;
    char *found = NULL;

    if (d->query(connection, sql, &result) != 0)
        status = error_set(err, STATUS_IO, "DuckDB: %.60s: %.200s", sql, d->result_error(&result));
    else if (value && d->row_count(&result) > 0)
        found = d->value_varchar(&result, 0, 0);
    if (found)
        buffer_text(value, text_of(found));
    d->free(found);
    d->destroy_result(&result);
    return status;
}

/* --- The database ----------------------------------------------------------------------------- */

static enum status duckdb_start(void **server, const struct database_options *options,
                                struct buffer *version, struct error *err)
{
    char path[OWN_SERVER_PATH_SIZE + 32] = ":memory:";
    struct duckdb *d;

    TRY(database_new(server, sizeof *d, err));
    d = *server;
    d->options = *options;
    TRY(load_library(d, err));
    TRY(own_server_open(&d->server, 0, 0, err));
    if (database_mode(options, modes) == 1)
        snprintf(path, sizeof path, "%s/database", d->server.folder);
    if (d->open(path, &d->database) != 0 || d->connect(d->database, &d->control) != 0)
        return error_set(err, STATUS_IO, "DuckDB cannot open %s", path);
    TRY(ask(d, d->control, "SET threads = 2", NULL, err));
    TRY(ask(d, d->control, "SET memory_limit = '1GB'", NULL, err));
    buffer_print(version, "DuckDB %s", d->library_version());
    return STATUS_OK;
}

static void duckdb_stop(void *server)
{
    struct duckdb *d = server;

    if (!d)
        return;
    if (d->control)
        d->disconnect(&d->control);
    if (d->database)
        d->close(&d->database);
    if (d->library)
        dlclose(d->library);
    own_server_close(&d->server);
    free(d);
}

static enum status duckdb_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct duckdb *d = server;
    struct buffer sql = { 0 };
    enum status status = sql_text_load(&d->options.table, (struct sql_types){ "BIGINT", "TEXT" },
                                       builtin, &sql, err);

    if (status == STATUS_OK)
        status = ask(d, d->control, sql.at, NULL, err);
    buffer_close(&sql);
    return status;
}

/* --- Sessions --------------------------------------------------------------------------------- */

static enum status duckdb_open_session(void **session, void *server, uint32_t client,
                                       struct error *err)
{
    struct duckdb_session *s;

    (void)client;
    TRY(database_new(session, sizeof *s, err));
    s = *session;
    s->d = server;
    if (s->d->connect(s->d->database, &s->connection) != 0)
        return error_set(err, STATUS_IO, "DuckDB refuses a connection");
    return STATUS_OK;
}

static void duckdb_close_session(void *session)
{
    struct duckdb_session *s = session;

    if (s->connection)
        s->d->disconnect(&s->connection);
    free(s);
}

/* A text that is no list reads as [0], which nobody has written. */
static enum status take_list(struct database_answer *answer, struct database_step_answer *step,
                             struct text list, struct error *err)
{
    size_t before = answer->elements.count;
    enum status status = database_answer_list(answer, step, list, err);

    if (status != STATUS_BAD_INPUT)
        return status;
    answer->elements.count = before;
    step->count = 0;
    return database_answer_element(answer, step, 0, err);
}

static enum status take_rows(const struct duckdb *d, struct duckdb_result *result,
                             struct database_answer *answer, struct database_step_answer *step,
                             struct error *err)
{
    const struct stored_table *t = &d->options.table;
    enum status status = STATUS_OK;

    for (uint64_t i = 0; status == STATUS_OK && i < d->row_count(result); i++) {
        struct builtin_row row = { .key = (uint64_t)d->value_int64(result, 0, i) };

        if (t->shape == SHAPE_LISTS) {
            char *list = d->value_varchar(result, 1, i);

            /* The column is NOT NULL. */
            status = list ? take_list(answer, step, text_of(list), err)
                          : error_set(err, STATUS_OVER_LIMIT, "DuckDB: no memory for a list");
            d->free(list);
            continue;
        }
        row.value = d->value_int64(result, 1, i);
        row.tag = t->tag_column ? d->value_int64(result, 2, i) : 0;
        status = database_answer_row(answer, step, row, err);
    }
    return status;
}

/* The transaction is over. Its own words tell why: there is no code for each reason. */
static enum status take_refusal(const struct duckdb_session *s, const char *words,
                                struct database_answer *answer, struct error *err)
{
    static const struct {
        const char *words, *code;
    } known[] = { { "onflict", "CONFLICT" },
                  { "Constraint Error", "CONSTRAINT" },
                  { "uplicate key", "CONSTRAINT" },
                  { "Invalid unicode", "INVALID_UNICODE" }, /* strings that it has spoilt itself */
                  { "Cannot create a string", "OUT_OF_RANGE" } };
    const char *code = NULL;
    struct error none;

    for (size_t i = 0; i < ROW_COUNT(known) && !code; i++)
        code = strstr(words, known[i].words) ? known[i].code : NULL;
    if (!code)
        return error_set(err, STATUS_IO, "DuckDB: %.300s", words);
    database_answer_refuse(answer, code);
    (void)!ask(s->d, s->connection, "ROLLBACK", NULL, &none); /* after a COMMIT there is none */
    return STATUS_OK;
}

static enum status one_step(void *session, const struct database_step *step,
                            struct database_answer *answer, struct database_step_answer *taken,
                            struct error *err)
{
    struct duckdb_session *s = session;
    static const char *const words[] = {
        [STEP_BEGIN] = "BEGIN", [STEP_COMMIT] = "COMMIT", [STEP_ABORT] = "ROLLBACK"
    };
    enum builtin_request_kind kind = step->request.kind;
    struct duckdb_result result = { 0 };
    struct buffer sql = { 0 };
    enum status status;

    if (step->kind == STEP_REQUEST)
        sql_text_print_request(&s->d->options.table, &step->request, &sql);
    status = buffer_status(&sql, err);
    if (status == STATUS_OK &&
        s->d->query(s->connection, sql.at ? sql.at : words[step->kind], &result) != 0)
        status = take_refusal(s, s->d->result_error(&result), answer, err);
    else if (status == STATUS_OK && step->kind == STEP_REQUEST && kind != BUILTIN_WRITE &&
             kind != BUILTIN_APPEND && kind != BUILTIN_INSERT)
        status = take_rows(s->d, &result, answer, taken, err);
    s->d->destroy_result(&result);
    buffer_close(&sql);
    return status;
}

static enum status duckdb_steps(void *session, const struct database_step *steps, uint32_t count,
                                struct database_answer *answer, struct error *err)
{
    return database_each_step(one_step, session, steps, count, answer, err);
}

static enum status duckdb_ask(void *server, const char *sql, struct buffer *value,
                              struct error *err)
{
    struct duckdb *d = server;

    return ask(d, d->control, sql, value, err);
}

const struct database database_duckdb = {
    .name = "duckdb",
    .title = "DuckDB",
    .package = "npm's @duckdb/node-bindings-linux-x64",
    .gives = "snapshot; every workload",
    .modes = modes,
    .levels = LEVEL_BIT(LEVEL_SNAPSHOT),
    .has_library = true,
    .start = duckdb_start,
    .load = duckdb_load,
    .stop = duckdb_stop,
    .open = duckdb_open_session,
    .steps = duckdb_steps,
    .close = duckdb_close_session,
    .query = duckdb_ask,
};
