/*
 * mariadb: MariaDB on trial, a server of our own or one that is there.
 *
 *     repeatable-read   its default, REPEATABLE READ as the server is set: reads see a snapshot, and
 *                       writes the newest row, so that updates may be lost
 *     snapshot          REPEATABLE READ with innodb_snapshot_isolation: such writes are refused
 *
 * Its own order is recovered from the binary log, which has rows. At snapshot a transaction says
 * where in that log its snapshot lies; at serializable it holds locks on all that it has read until it
 * has committed, and so saw what was there just before.
 */
#include "record/database.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/mariadb_binlog_private.h"
#include "record/mariadb_server_private.h"

#define START_NS INT64_C(30000000000)
#define LOG_NAME "binlog"

struct mariadb {
    struct mariadb_servers servers;
    struct mariadb_manner manner;
    struct mariadb_address address;
    MYSQL *control;
    struct mariadb_positions positions;
    bool has_table;
};

/* --- The server ------------------------------------------------------------------------------- */

static enum status check_certificate(const struct database_options *o, struct error *err)
{
    if (!o->certifies)
        return STATUS_OK;
    if (o->isolation != LEVEL_SNAPSHOT && o->isolation != LEVEL_SERIALIZABLE)
        return error_set(err, STATUS_BAD_INPUT,
                         "--certificate needs reads and writes that see one state of the database: "
                         "of MariaDB only at snapshot and serializable, not at %s",
                         level_name(o->isolation));
    if (mariadb_server_is_rocks(o))
        return error_set(err, STATUS_BAD_INPUT,
                         "--certificate needs a snapshot whose place in the log is known: MyRocks "
                         "refuses to write in a transaction that has one");
    if (o->connect)
        return error_set(err, STATUS_BAD_INPUT,
                         "--certificate needs a MariaDB server that ordeal has started: in another "
                         "one somebody else may ask for Binlog_snapshot_position, which is one "
                         "variable for all, and its log is not ours to read");
    return STATUS_OK;
}

/* The file with which a server starts follows no commits that cannot be seen yet. */
static enum status note_file(struct mariadb *m, struct error *err)
{
    char name[300];
    const char *dot;

    TRY(mariadb_session_ask(m->control, "SHOW MASTER STATUS", name, sizeof name, err));
    dot = strrchr(name, '.');
    mariadb_session_note_file(&m->positions, dot ? strtoull(dot + 1, NULL, 10) : 0);
    return STATUS_OK;
}

static enum status start_server(struct mariadb *m, struct error *err)
{
    struct buffer arguments = { 0 };

    mariadb_server_begin_arguments(&m->servers, 0, &arguments);
    if (m->servers.options.certifies) {
        buffer_print(&arguments, "--log-bin=" LOG_NAME "%c", '\0');
        buffer_print(&arguments, "--binlog-format=ROW%c", '\0');
    }
    TRY(mariadb_server_start(&m->servers, 0, &arguments, START_NS, err));
    TRY(mariadb_session_connect(&m->control, &m->address, err));
    return m->servers.options.certifies ? note_file(m, err) : STATUS_OK;
}

static enum status start_own(struct mariadb *m, struct error *err)
{
    TRY(mariadb_server_open(&m->servers, 1, err));
    m->address = mariadb_server_address(&m->servers, 0);
    TRY(start_server(m, err));
    TRY(mariadb_session_ask(m->control, "CREATE DATABASE ordeal", NULL, 0, err));
    /* A server that is killed before its first checkpoint cannot be started again. */
    TRY(mariadb_session_ask(m->control, "SET GLOBAL innodb_log_checkpoint_now = ON", NULL, 0, err));
    snprintf(m->address.database, sizeof m->address.database, "ordeal");
    return mariadb_session_ask(m->control, "USE ordeal", NULL, 0, err);
}

static enum status mariadb_start(void **server, const struct database_options *options,
                                 struct buffer *version, struct error *err)
{
    struct mariadb *m;
    char words[100];

    TRY(database_new(server, sizeof *m, err));
    m = *server;
    m->servers.options = *options;
    m->has_table = options->takes_over;
    pthread_mutex_init(&m->positions.one_asks, NULL);
    pthread_mutex_init(&m->positions.mutex, NULL);
    m->manner = (struct mariadb_manner){ .table = &m->servers.options.table,
                                         .isolation = options->isolation,
                                         .certifies = options->certifies,
                                         .positions = &m->positions };
    TRY(mariadb_server_is_single(options, false, &m->manner.is_single, err));
    TRY(check_certificate(options, err));
    if (mysql_library_init(0, NULL, NULL) != 0)
        return error_set(err, STATUS_OVER_LIMIT, "MariaDB's library does not start");
    if (options->connect) {
        TRY(mariadb_address_read(options->connect, &m->address, err));
        TRY(mariadb_session_connect(&m->control, &m->address, err));
    } else {
        TRY(start_own(m, err));
    }
    TRY(mariadb_session_ask(m->control, "SELECT VERSION()", words, sizeof words, err));
    words[strcspn(words, "-")] = '\0';
    buffer_print(version, "MariaDB %s", words);
    return STATUS_OK;
}

static enum status mariadb_fault(void *server, enum database_fault fault, bool begins,
                                 uint32_t turn, bool *is_felt, struct error *err)
{
    struct mariadb *m = server;

    (void)turn; /* there is one node */
    TRY(own_server_fault(&m->servers.server, fault, begins, 0, is_felt, err));
    if (begins || own_server_is_alive(&m->servers.server, 0))
        return STATUS_OK;
    mysql_close(m->control);
    m->control = NULL;
    return start_server(m, err);
}

/* The server knows no SIGINT, and nothing that it would still write is missed. */
static void mariadb_stop(void *server)
{
    struct mariadb *m = server;
    char sql[200];
    struct error err;

    if (!m)
        return;
    if (m->servers.options.connect && m->control && m->has_table) {
        snprintf(sql, sizeof sql, "DROP TABLE %s", m->servers.options.table.name);
        (void)!mariadb_session_ask(m->control, sql, NULL, 0, &err);
    }
    if (m->control)
        mysql_close(m->control);
    own_server_kill(&m->servers.server, 0);
    own_server_close(&m->servers.server);
    pthread_mutex_destroy(&m->positions.one_asks);
    pthread_mutex_destroy(&m->positions.mutex);
    free(m);
}

/* The log begins behind the first rows. */
static enum status mariadb_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct mariadb *m = server;

    if (m->manner.certifies)
        TRY(mariadb_session_ask(m->control, "SET sql_log_bin = OFF", NULL, 0, err));
    return mariadb_session_load(m->control, m->manner.table, builtin, &m->has_table, err);
}

static enum status mariadb_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct mariadb *m = server;

    (void)client;
    return mariadb_session_open(session, &m->manner, &m->address, NULL, err);
}

static enum status mariadb_query(void *server, const char *sql, struct buffer *value,
                                 struct error *err)
{
    return mariadb_session_query(((struct mariadb *)server)->control, sql, value, err);
}

/* --- Its own order ---------------------------------------------------------------------------- */

static enum status read_file(const char *path, struct buffer *bytes, struct error *err)
{
    FILE *file = fopen(path, "rbe");
    bool is_read;

    if (!file)
        return error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    for (size_t got = 1; got > 0;) {
        char *to = buffer_reserve(bytes, 1 << 20);

        got = to ? fread(to, 1, 1 << 20, file) : 0;
        bytes->count += got;
    }
    is_read = !ferror(file);
    fclose(file);
    return is_read ? buffer_status(bytes, err)
                   : error_set(err, STATUS_IO, "%s cannot be read", path);
}

static enum status recover_file(const struct mariadb *m, const char *path,
                                struct recovered_order *order, struct error *err)
{
    struct mariadb_binlog log = { .by_place = m->manner.isolation == LEVEL_SNAPSHOT,
                                  .table = m->manner.table };
    struct buffer bytes = { 0 };
    enum status status;

    log.file = strtoull(strrchr(path, '.') + 1, NULL, 10);
    status = read_file(path, &bytes, err);
    log.bytes = (struct text){ bytes.at, bytes.count };
    if (status == STATUS_OK)
        status = mariadb_binlog_read(&log, order, err);
    buffer_close(&bytes);
    return status;
}

/* Its files have numbers of six digits, so that their names stand in order. */
static enum status mariadb_recover(void *server, struct recovered_order *order, struct error *err)
{
    const struct mariadb *m = server;
    char pattern[OWN_SERVER_PATH_SIZE + 64];
    enum status status = STATUS_OK;
    glob_t found;

    snprintf(pattern, sizeof pattern, "%s/data-0/" LOG_NAME ".[0-9]*", m->servers.server.folder);
    if (glob(pattern, 0, NULL, &found) != 0)
        return error_set(err, STATUS_IO, "MariaDB has written no binary log");
    for (size_t i = 0; status == STATUS_OK && i < found.gl_pathc; i++)
        status = recover_file(m, found.gl_pathv[i], order, err);
    globfree(&found);
    return status;
}

static const char *mariadb_profile(enum level level)
{
    return level == LEVEL_SERIALIZABLE     ? "innodb/serializable"
           : level == LEVEL_READ_COMMITTED ? "innodb/read-committed"
                                           : NULL;
}

const struct database database_mariadb = {
    .name = "mariadb",
    .title = "MariaDB",
    .package = "mariadb-server",
    .gives = "serializable, snapshot (with innodb_snapshot_isolation), repeatable-read (its own),\n"
             "           read-committed, read-uncommitted; every workload; its own order at\n"
             "           snapshot and serializable",
    .levels = LEVEL_BIT(LEVEL_READ_UNCOMMITTED) | LEVEL_BIT(LEVEL_READ_COMMITTED) |
              LEVEL_BIT(LEVEL_REPEATABLE_READ) | LEVEL_BIT(LEVEL_SNAPSHOT) |
              LEVEL_BIT(LEVEL_SERIALIZABLE),
    .has_server = true,
    .has_settings = true,
    .faults = DATABASE_FAULT_BIT(DATABASE_KILL) | DATABASE_FAULT_BIT(DATABASE_PAUSE) |
              DATABASE_FAULT_BIT(DATABASE_DISK_FULL) | DATABASE_FAULT_BIT(DATABASE_CLOCK),
    .certifies = true,
    .profile = mariadb_profile,
    .start = mariadb_start,
    .load = mariadb_load,
    .fault = mariadb_fault,
    .stop = mariadb_stop,
    .open = mariadb_open,
    .steps = mariadb_session_steps,
    .close = mariadb_session_close,
    .query = mariadb_query,
    .recover = mariadb_recover,
};
