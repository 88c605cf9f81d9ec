#include "record/mariadb_session_private.h"

#include <assert.h>
#include <errmsg.h>
#include <inttypes.h>
#include <mysqld_error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wall_clock.h"
#include "record/mariadb_binlog_private.h"
#include "record/sql_text.h"

#define CONNECT_SECONDS 5
#define LOCK_SECONDS 5
#define POSITION_ATTEMPTS 2000

/* Of MariaDB, that older headers do not have. */
#define ERROR_CHECKREAD 1020 /* the row has changed since the snapshot */

struct mariadb_session {
    const struct mariadb_manner *manner;
    struct mariadb_address address;
    const char *setup; /* or NULL */
    MYSQL *conn;       /* NULL: the next transaction needs a new one */
    struct buffer sql;
};

static enum status refuse(MYSQL *conn, const char *what, struct error *err)
{
    return error_set(err, STATUS_IO, "MariaDB: %.120s: %s (%u)", what, mysql_error(conn),
                     mysql_errno(conn));
}

enum status mariadb_session_connect(MYSQL **conn, const struct mariadb_address *a,
                                    struct error *err)
{
    static const unsigned seconds = CONNECT_SECONDS;

    *conn = mysql_init(NULL);
    if (!*conn)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a connection");
    mysql_options(*conn, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
    mysql_options(*conn, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (mysql_real_connect(*conn, a->host[0] ? a->host : NULL, a->user[0] ? a->user : NULL,
                           a->password[0] ? a->password : NULL, a->database[0] ? a->database : NULL,
                           a->port, a->socket[0] ? a->socket : NULL, CLIENT_MULTI_STATEMENTS))
        return STATUS_OK;
    (void)!refuse(*conn, "no connection", err);
    mysql_close(*conn);
    *conn = NULL;
    return STATUS_IO;
}

enum status mariadb_session_ask(MYSQL *conn, const char *sql, char *answer, size_t size,
                                struct error *err)
{
    MYSQL_RES *result;
    MYSQL_ROW row;

    if (mysql_real_query(conn, sql, strlen(sql)) != 0)
        return refuse(conn, sql, err);
    result = mysql_store_result(conn);
    if (!result && mysql_errno(conn) != 0)
        return refuse(conn, sql, err);
    row = result ? mysql_fetch_row(result) : NULL;
    if (answer)
        snprintf(answer, size, "%s", row && row[0] ? row[0] : "");
    if (result)
        mysql_free_result(result);
    return STATUS_OK;
}

enum status mariadb_session_query(MYSQL *conn, const char *sql, struct buffer *value,
                                  struct error *err)
{
    char answer[200];

    TRY(mariadb_session_ask(conn, sql, answer, sizeof answer, err));
    buffer_text(value, text_of(answer));
    return STATUS_OK;
}

/* --- The table -------------------------------------------------------------------------------- */

/* No engine is named: the server's default is a setting. */
enum status mariadb_session_load(MYSQL *conn, const struct stored_table *t,
                                 const struct builtin *builtin, bool *has_table, struct error *err)
{
    struct buffer sql = { 0 };
    enum status status;

    sql_text_print_load(t, (struct sql_types){ "BIGINT", "MEDIUMTEXT" }, builtin, '\0', &sql);
    status = buffer_status(&sql, err);
    for (size_t at = 0; status == STATUS_OK && at < sql.count; at += strlen(sql.at + at) + 1) {
        status = mariadb_session_ask(conn, sql.at + at, NULL, 0, err);
        *has_table |= status == STATUS_OK;
    }
    buffer_close(&sql);
    return status;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static const char *level_sql(enum level level)
{
    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
        return "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED";
    case LEVEL_READ_COMMITTED:
        return "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
    case LEVEL_REPEATABLE_READ:
    case LEVEL_SNAPSHOT:
        return "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ";
    default:
        assert(level == LEVEL_SERIALIZABLE);
        return "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE";
    }
}

/*
 * Snapshot is REPEATABLE READ where a statement that would write, or lock, what has changed since the
 * snapshot is refused. Without that the write is made, on the newest row.
 */
static enum status set_up(MYSQL *conn, const struct mariadb_manner *manner, struct error *err)
{
    char sql[80];

    TRY(mariadb_session_ask(conn, level_sql(manner->isolation), NULL, 0, err));
    snprintf(sql, sizeof sql, "SET innodb_lock_wait_timeout = %d", LOCK_SECONDS);
    TRY(mariadb_session_ask(conn, sql, NULL, 0, err));
    if (manner->isolation == LEVEL_SNAPSHOT)
        TRY(mariadb_session_ask(conn, "SET innodb_snapshot_isolation = ON", NULL, 0, err));
    if (manner->certifies)
        TRY(mariadb_session_ask(conn, "SET session_track_system_variables = 'last_gtid'", NULL, 0,
                                err));
    return STATUS_OK;
}

static void disconnect(struct mariadb_session *s)
{
    if (s->conn)
        mysql_close(s->conn);
    s->conn = NULL;
}

static enum status connect_session(struct mariadb_session *s, struct error *err)
{
    enum status status = mariadb_session_connect(&s->conn, &s->address, err);

    if (status == STATUS_OK && s->setup)
        status = mariadb_session_ask(s->conn, s->setup, NULL, 0, err);
    if (status == STATUS_OK)
        status = set_up(s->conn, s->manner, err);
    if (status != STATUS_OK)
        disconnect(s);
    return status;
}

enum status mariadb_session_open(void **session, const struct mariadb_manner *manner,
                                 const struct mariadb_address *address, const char *setup,
                                 struct error *err)
{
    struct mariadb_session *s;

    TRY(database_new(session, sizeof *s, err));
    s = *session;
    s->manner = manner;
    s->address = *address;
    s->setup = setup;
    return connect_session(s, err);
}

void mariadb_session_close(void *session)
{
    struct mariadb_session *s = session;

    disconnect(s);
    buffer_close(&s->sql);
    free(s);
}

/* --- Statements ------------------------------------------------------------------------------- */

static void print_range(const struct stored_table *t, const struct builtin_request *r,
                        struct buffer *sql)
{
    if (r->column != BUILTIN_NO_COLUMN)
        buffer_print(sql, " WHERE %s BETWEEN %" PRId64 " AND %" PRId64,
                     r->column == BUILTIN_KEY_COLUMN ? t->key_column : t->value_column, r->low,
                     r->high);
}

/*
 * MariaDB has no UPDATE ... RETURNING. The statement itself notes the key of each row that it
 * updates: what is assigned is computed once for each, when its lock is held.
 */
static void print_update(const struct stored_table *t, const struct builtin_request *r,
                         struct buffer *sql)
{
    buffer_print(sql,
                 "UPDATE %s SET %s = IF((@ordeal := CONCAT_WS(',', @ordeal, "
                 "%s)) IS NULL, %" PRId64 ", %" PRId64 ")",
                 t->name, t->value_column, t->key_column, r->value, r->value);
    if (t->tag_column)
        buffer_print(sql, ", %s = %" PRId64, t->tag_column, r->tag);
    print_range(t, r, sql);
}

static void print_request(const struct stored_table *t, const struct builtin_request *r,
                          struct buffer *sql)
{
    bool is_upsert = r->kind == BUILTIN_WRITE || r->kind == BUILTIN_APPEND;
    struct builtin_request plain = *r;

    if (r->kind == BUILTIN_UPDATE) {
        print_update(t, r, sql);
        return;
    }
    plain.kind = is_upsert ? BUILTIN_INSERT : r->kind;
    sql_text_print_request(t, &plain, sql);
    if (sql->out_of_memory)
        return;
    sql->count--; /* the zero byte */
    if (r->kind == BUILTIN_APPEND)
        buffer_print(sql, " ON DUPLICATE KEY UPDATE %s = CONCAT(%s, ',%" PRId64 "')",
                     t->value_column, t->value_column, r->value);
    if (r->kind == BUILTIN_WRITE)
        buffer_print(sql, " ON DUPLICATE KEY UPDATE %s = %" PRId64, t->value_column, r->value);
    if (r->kind == BUILTIN_WRITE && t->tag_column)
        buffer_print(sql, ", %s = %" PRId64, t->tag_column, r->tag);
}

/* A serializable transaction holds a lock on all that it has read: it saw what is there now. */
static bool asks_before_commit(const struct mariadb_session *s)
{
    return s->manner->certifies && s->manner->isolation == LEVEL_SERIALIZABLE;
}

static unsigned statement_count(const struct mariadb_session *s, const struct database_step *step)
{
    return step->kind == STEP_REQUEST && step->request.kind == BUILTIN_UPDATE ? 3
           : step->kind == STEP_COMMIT && asks_before_commit(s)               ? 2
                                                                              : 1;
}

static void print_statement(const struct mariadb_session *s, const struct database_step *step,
                            unsigned number, struct buffer *sql)
{
    bool is_last = number + 1 == statement_count(s, step);

    switch (step->kind) {
    case STEP_BEGIN:
        buffer_print(sql, "START TRANSACTION");
        return;
    case STEP_REQUEST:
        if (step->request.kind == BUILTIN_UPDATE && number != 1)
            buffer_print(sql, is_last ? "SELECT @ordeal" : "SET @ordeal = NULL");
        else
            print_request(s->manner->table, &step->request, sql);
        return;
    case STEP_CALL:
        buffer_print(sql, "CALL %s", step->call); /* of nobody yet: it has no scripts */
        return;
    case STEP_COMMIT:
        buffer_print(sql, is_last ? "COMMIT" : "SELECT @@gtid_binlog_pos");
        return;
    case STEP_ABORT:
        buffer_print(sql, "ROLLBACK");
    }
}

/* --- Answers ---------------------------------------------------------------------------------- */

/* What an error says of the transaction. */
enum mariadb_word { MARIADB_REFUSED, MARIADB_LOST, MARIADB_WRONG };

/*
 * 1213 a deadlock, or another node's write; 1205 waited for a lock too long; 1020 the row is newer
 * than the snapshot; 1062 a key was there; 1114, 1021 and 1026 no room on the disk. These three, 1047,
 * 1180 and 1317 leave the outcome of a commit open.
 */
static enum mariadb_word word_of(unsigned code, enum database_step_kind kind)
{
    switch (code) {
    case ER_LOCK_DEADLOCK:
    case ER_LOCK_WAIT_TIMEOUT:
    case ERROR_CHECKREAD:
    case ER_DUP_ENTRY:
        return MARIADB_REFUSED;
    case ER_UNKNOWN_COM_ERROR:
    case ER_ERROR_DURING_COMMIT:
    case ER_RECORD_FILE_FULL:
    case ER_DISK_FULL:
    case ER_ERROR_ON_WRITE:
    case ER_QUERY_INTERRUPTED:
        return kind == STEP_COMMIT ? MARIADB_LOST : MARIADB_REFUSED;
    case ER_SERVER_SHUTDOWN:
    case ER_CONNECTION_KILLED:
    case CR_SERVER_GONE_ERROR:
    case CR_SERVER_LOST:
    case CR_CONN_HOST_ERROR:
    case CR_CONNECTION_ERROR:
        return MARIADB_LOST;
    default:
        return MARIADB_WRONG;
    }
}

static enum status take_error(const struct mariadb_session *s, enum database_step_kind kind,
                              struct database_answer *answer, struct error *err)
{
    unsigned code = mysql_errno(s->conn);
    enum mariadb_word word = word_of(code, kind);

    TRY(buffer_status(&s->sql, err)); /* half of a statement was sent, or nothing */
    if (word == MARIADB_WRONG)
        return refuse(s->conn, "a statement of the workload", err);
    if (code == ER_UNKNOWN_COM_ERROR) /* the node is no part of its cluster, and says so at once */
        wall_clock_sleep(20000000);
    snprintf(answer->code, sizeof answer->code, "%u", code);
    answer->end = word == MARIADB_LOST ? STEPS_LOST : STEPS_REFUSED;
    return STATUS_OK;
}

/*
 * The result of the next statement of a query, NULL if it has no rows. Galera may roll a transaction
 * back while a result is on its way: then the query went well, and its result is the error.
 */
static bool next_result(MYSQL *conn, bool *is_behind_first, MYSQL_RES **result)
{
    *result = NULL;
    if (*is_behind_first && mysql_next_result(conn) != 0)
        return false;
    *is_behind_first = true;
    *result = mysql_store_result(conn);
    return *result || (mysql_errno(conn) == 0 && mysql_field_count(conn) == 0);
}

/* Of the statement that answers: an update's keys, a delete's, or rows. */
static enum status take_row(const struct mariadb_session *s, const struct builtin_request *r,
                            const char *const *cells, struct database_answer *answer,
                            struct database_step_answer *step, struct error *err)
{
    const struct stored_table *t = s->manner->table;
    struct builtin_row row = { .value = r->value, .tag = r->tag };

    if (r->kind == BUILTIN_UPDATE) {
        struct text keys = text_of(cells[0] ? cells[0] : "");

        while (text_take_uint64(&keys, &row.key)) {
            TRY(database_answer_row(answer, step, row, err));
            if (keys.length > 0)
                keys.at++, keys.length--;
        }
        return STATUS_OK;
    }
    row.key = strtoull(cells[0], NULL, 10);
    if (r->kind == BUILTIN_DELETE)
        return database_answer_row(answer, step, (struct builtin_row){ .key = row.key }, err);
    if (t->shape == SHAPE_LISTS)
        return database_answer_list(answer, step, text_of(cells[1]), err);
    row.value = strtoll(cells[1], NULL, 10);
    row.tag = t->tag_column ? strtoll(cells[2], NULL, 10) : 0;
    return database_answer_row(answer, step, row, err);
}

static enum status take_rows(const struct mariadb_session *s, const struct builtin_request *r,
                             MYSQL_RES *result, struct database_answer *answer,
                             struct database_step_answer *step, struct error *err)
{
    for (MYSQL_ROW row = mysql_fetch_row(result); row; row = mysql_fetch_row(result))
        TRY(take_row(s, r, (const char *const *)row, answer, step, err));
    return STATUS_OK;
}

/* "0-1-57": the last number. */
static uint64_t sequence_of(struct text gtid)
{
    uint64_t number = 0;

    gtid = text_behind_last(gtid, '-');
    return text_take_uint64(&gtid, &number) ? number : 0;
}

/* It saw every commit up to this place. */
static void note_snapshot(struct database_answer *answer, uint64_t place)
{
    buffer_clear(&answer->snapshot);
    buffer_print(&answer->snapshot, "%" PRIu64 ":%" PRIu64 ":", place + 1, place + 1);
}

/* The number of the commit comes with its answer, if something was written. */
static void note_commit(const struct mariadb_session *s, struct database_answer *answer)
{
    const char *word;
    size_t length;

    for (int end =
             mysql_session_track_get_first(s->conn, SESSION_TRACK_SYSTEM_VARIABLES, &word, &length);
         end == 0; end = mysql_session_track_get_next(s->conn, SESSION_TRACK_SYSTEM_VARIABLES,
                                                      &word, &length)) {
        uint64_t number = sequence_of((struct text){ word, length });

        if (number > 0)
            answer->xid = number;
    }
}

static enum status take_result(const struct mariadb_session *s, const struct database_step *step,
                               MYSQL_RES *result, struct database_answer *answer,
                               struct database_step_answer *taken, struct error *err)
{
    MYSQL_ROW row;

    if (result && step->kind == STEP_REQUEST)
        return take_rows(s, &step->request, result, answer, taken, err);
    if (result && step->kind == STEP_COMMIT) {
        row = mysql_fetch_row(result);
        note_snapshot(answer, row && row[0] ? sequence_of(text_of(row[0])) : 0);
    } else if (step->kind == STEP_COMMIT && s->manner->certifies) {
        note_commit(s, answer);
    }
    return STATUS_OK;
}

/* Whether the statement's result is to be had; if each is a query of its own, asks for it first. */
static bool ask_statement(struct mariadb_session *s, const struct database_step *step,
                          unsigned number, bool *is_behind_first, MYSQL_RES **result)
{
    if (s->manner->is_single) {
        buffer_clear(&s->sql);
        print_statement(s, step, number, &s->sql);
        *is_behind_first = false;
        if (s->sql.out_of_memory || mysql_real_query(s->conn, s->sql.at, s->sql.count) != 0)
            return false;
    }
    return next_result(s->conn, is_behind_first, result);
}

static enum status take_step(struct mariadb_session *s, const struct database_step *step,
                             bool *is_behind_first, int64_t invoked_ns,
                             struct database_answer *answer, struct error *err)
{
    struct database_step_answer taken = { .invoked_ns = invoked_ns };
    unsigned count = statement_count(s, step);
    enum status status = STATUS_OK;

    for (unsigned i = 0; status == STATUS_OK && i < count; i++) {
        MYSQL_RES *result;

        if (!ask_statement(s, step, i, is_behind_first, &result))
            return take_error(s, step->kind, answer, err);
        status = take_result(s, step, result, answer, &taken, err);
        if (result)
            mysql_free_result(result);
    }
    TRY(status);
    taken.completed_ns = wall_clock_ns();
    answer->step_count++;
    return array_push(&answer->steps, taken, err);
}

/* --- Steps ------------------------------------------------------------------------------------ */

/* All statements as one query. */
static enum status print_steps(struct mariadb_session *s, const struct database_step *steps,
                               uint32_t count, struct error *err)
{
    buffer_clear(&s->sql);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned j = 0; j < statement_count(s, &steps[i]); j++) {
            buffer_print(&s->sql, s->sql.count > 0 ? ";" : "");
            print_statement(s, &steps[i], j, &s->sql);
        }
    return buffer_status(&s->sql, err);
}

static enum status run_steps(struct mariadb_session *s, const struct database_step *steps,
                             uint32_t count, struct database_answer *answer, struct error *err)
{
    int64_t invoked_ns = wall_clock_ns();
    bool is_behind_first = false;

    answer->is_pipelined =
        !s->manner->is_single && count > 1 && steps[count - 1].kind == STEP_COMMIT;
    if (!s->manner->is_single) {
        TRY(print_steps(s, steps, count, err));
        if (mysql_real_query(s->conn, s->sql.at, s->sql.count) != 0)
            return take_error(s, steps[0].kind, answer, err);
    }
    for (uint32_t i = 0; i < count && answer->end == STEPS_DONE; i++) {
        if (s->manner->is_single)
            invoked_ns = wall_clock_ns();
        TRY(take_step(s, &steps[i], &is_behind_first, invoked_ns, answer, err));
    }
    return buffer_status(&s->sql, err);
}

/* The file's number and the position in it: "log.000003", "4711". */
static bool take_position(MYSQL_RES *result, uint64_t *place)
{
    uint64_t file = 0, position = 0;
    struct text digits;

    for (MYSQL_ROW row = mysql_fetch_row(result); row; row = mysql_fetch_row(result)) {
        const char *dot = row[1] ? strrchr(row[1], '.') : NULL;

        digits = text_of(dot ? dot + 1 : row[1] ? row[1] : "");
        if (!text_take_uint64(&digits, dot ? &file : &position))
            return false;
    }
    *place = mariadb_binlog_place(file, position);
    return file > 0 && position > 0;
}

/* By the transaction that begins with it. */
static bool ask_position(struct mariadb_session *s, MYSQL_RES **result)
{
    static const char sql[] = "START TRANSACTION WITH CONSISTENT SNAPSHOT;"
                              "SHOW STATUS LIKE 'Binlog_snapshot_%'";
    bool is_behind_first = false, is_done;

    *result = NULL;
    pthread_mutex_lock(&s->manner->positions->one_asks);
    is_done = mysql_real_query(s->conn, sql, sizeof sql - 1) == 0 &&
              next_result(s->conn, &is_behind_first, result) &&
              next_result(s->conn, &is_behind_first, result);
    pthread_mutex_unlock(&s->manner->positions->one_asks);
    return is_done;
}

/* The file whose positions can be believed from now on; 0: none yet. */
static uint64_t believed_file(struct mariadb_positions *positions)
{
    uint64_t file;

    pthread_mutex_lock(&positions->mutex);
    file = positions->old == 0 ? positions->file : 0;
    pthread_mutex_unlock(&positions->mutex);
    return file;
}

void mariadb_session_note_file(struct mariadb_positions *positions, uint64_t file)
{
    pthread_mutex_lock(&positions->mutex);
    if (file > positions->file) {
        positions->file = file;
        positions->old = positions->in_flight;
    }
    pthread_mutex_unlock(&positions->mutex);
}

/* The file that was the last one then. */
static uint64_t note_commit_begins(struct mariadb_positions *positions)
{
    uint64_t file;

    pthread_mutex_lock(&positions->mutex);
    positions->in_flight++;
    file = positions->file;
    pthread_mutex_unlock(&positions->mutex);
    return file;
}

static void note_commit_ends(struct mariadb_positions *positions, uint64_t file)
{
    pthread_mutex_lock(&positions->mutex);
    positions->in_flight--;
    positions->old -= file < positions->file;
    pthread_mutex_unlock(&positions->mutex);
}

/* If no position can be believed there is none: then the certificate is not full. */
static enum status begin_with_position(struct mariadb_session *s, struct database_answer *answer,
                                       struct error *err)
{
    struct database_step_answer taken = { .invoked_ns = wall_clock_ns() };
    uint64_t place = 0;
    bool is_believed = false;

    for (unsigned attempt = 0; !is_believed && attempt < POSITION_ATTEMPTS; attempt++) {
        uint64_t file = believed_file(s->manner->positions);
        MYSQL_RES *result;
        bool is_told;

        if (attempt > 1) /* often a second look is enough */
            wall_clock_sleep(5000000);
        if (!ask_position(s, &result))
            return take_error(s, STEP_BEGIN, answer, err);
        is_told = result && take_position(result, &place);
        if (result)
            mysql_free_result(result);
        if (!is_told)
            return error_set(err, STATUS_IO,
                             "MariaDB does not say where in its binary log a snapshot lies");
        is_believed = mariadb_binlog_file(place) == file;
        mariadb_session_note_file(s->manner->positions, mariadb_binlog_file(place));
    }
    if (is_believed)
        note_snapshot(answer, place);
    taken.completed_ns = wall_clock_ns();
    answer->step_count++;
    return array_push(&answer->steps, taken, err);
}

/*
 * Some errors end the statement alone. A transaction that does not end is ended with its connection:
 * the next START TRANSACTION would commit it.
 */
static void end_failed(struct mariadb_session *s)
{
    while (mysql_more_results(s->conn) && mysql_next_result(s->conn) == 0) {
        MYSQL_RES *result = mysql_store_result(s->conn);

        if (result)
            mysql_free_result(result);
    }
    if (mysql_real_query(s->conn, "ROLLBACK", 8) != 0)
        disconnect(s);
}

enum status mariadb_session_steps(void *session, const struct database_step *steps, uint32_t count,
                                  struct database_answer *answer, struct error *err)
{
    struct mariadb_session *s = session;
    bool by_position = s->manner->certifies && s->manner->isolation == LEVEL_SNAPSHOT &&
                       steps[0].kind == STEP_BEGIN;
    bool commits = s->manner->positions && steps[count - 1].kind == STEP_COMMIT;
    enum status status = STATUS_OK;
    uint64_t file = 0;

    assert(count > 0);
    if (!s->conn && connect_session(s, err) != STATUS_OK) {
        answer->end = STEPS_LOST;
        return STATUS_OK;
    }
    if (by_position)
        TRY(begin_with_position(s, answer, err));
    if (commits)
        file = note_commit_begins(s->manner->positions);
    if (answer->end == STEPS_DONE && count > by_position)
        status = run_steps(s, steps + by_position, count - by_position, answer, err);
    if (commits)
        note_commit_ends(s->manner->positions, file);
    TRY(status);
    if (answer->end == STEPS_REFUSED)
        end_failed(s);
    return STATUS_OK;
}
