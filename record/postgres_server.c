#include "record/postgres_server_private.h"

#include <assert.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/wall_clock.h"

#define START_NS INT64_C(30000000000)

/* --- Errors ----------------------------------------------------------------------------------- */

static void first_line(const char *message, char *to, size_t size)
{
    snprintf(to, size, "%s", message);
    to[strcspn(to, "\n")] = '\0';
}

enum status postgres_refuse(const char *what, const char *message, struct error *err)
{
    char line[300];

    first_line(message, line, sizeof line);
    /* What libpq says of a connection or an answer that it has no memory for. */
    if (line[0] == '\0' || strcmp(line, "connection pointer is NULL") == 0)
        snprintf(line, sizeof line, "no memory, or no connection");
    return error_set(err, STATUS_IO, "PostgreSQL: %s: %s", what, line);
}

bool postgres_is_fine(const PGresult *result)
{
    ExecStatusType status = PQresultStatus(result);

    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

/* The first value of the answer goes to `answer`, which may be NULL. */
enum status postgres_ask(PGconn *conn, const char *sql, char *answer, size_t size,
                         struct error *err)
{
    PGresult *result = PQexec(conn, sql);
    enum status status = STATUS_OK;

    if (!postgres_is_fine(result))
        status = postgres_refuse(sql, PQresultErrorMessage(result), err);
    else if (answer)
        snprintf(answer, size, "%s", PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    return status;
}

static void take_no_notice(void *context, const char *message)
{
    (void)context, (void)message;
}

/* What a server says besides (that it shuts down) is not for our standard error. */
PGconn *postgres_connect(const char *conninfo)
{
    PGconn *conn = PQconnectdb(conninfo);

    if (conn)
        PQsetNoticeProcessor(conn, take_no_notice, NULL);
    return conn;
}

/* --- The server ------------------------------------------------------------------------------- */

static bool has_programs(const struct postgres *p, const char *folder)
{
    char initdb[OWN_SERVER_PATH_SIZE + 32], postgres[OWN_SERVER_PATH_SIZE + 32];

    snprintf(initdb, sizeof initdb, "%s/initdb", folder);
    snprintf(postgres, sizeof postgres, "%s/postgres", folder);
    return strlen(folder) < sizeof p->programs && access(initdb, X_OK) == 0 &&
           access(postgres, X_OK) == 0;
}

static enum status find_programs(struct postgres *p, struct error *err)
{
    glob_t found;

    if (p->options.binaries) {
        if (!has_programs(p, p->options.binaries))
            return error_set(err, STATUS_BAD_INPUT, "--binaries %.200s has no initdb and postgres",
                             p->options.binaries);
        snprintf(p->programs, sizeof p->programs, "%s", p->options.binaries);
        return STATUS_OK;
    }
    if (glob("/usr/lib/postgresql/*/bin", 0, NULL, &found) == 0) {
        for (size_t i = found.gl_pathc; i-- > 0 && p->programs[0] == '\0';)
            if (has_programs(p, found.gl_pathv[i]))
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

/* By these we find the server. */
static bool is_ours(const char *setting, size_t length)
{
    static const char *const ours[] = { "port", "unix_socket_directories", "data_directory" };

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strlen(ours[i]) == length && strncasecmp(ours[i], setting, length) == 0)
            return true;
    return false;
}

/* "key=value" as a line of postgresql.conf; a later line is stronger than an earlier one. */
static enum status write_settings(struct postgres *p, struct error *err)
{
    for (size_t i = 0; i < p->options.setting_count; i++) {
        const char *setting = p->options.settings[i], *equal = strchr(setting, '=');
        char line[300];
        int length;

        if (is_ours(setting, (size_t)(equal - setting)))
            return error_set(err, STATUS_BAD_INPUT,
                             "ordeal itself chooses %.*s, by which it finds the server",
                             (int)(equal - setting), setting);
        length = snprintf(line, sizeof line, "%.*s = '%s'\n", (int)(equal - setting), setting,
                          equal + 1);
        if (length < 0 || (size_t)length >= sizeof line || strpbrk(equal, "'\n"))
            return error_set(err, STATUS_BAD_INPUT, "PostgreSQL cannot be told '%.80s'", setting);
        TRY(own_server_write(&p->server, "data0/postgresql.conf", line, err));
    }
    return STATUS_OK;
}

/* Where a node is reached: by its network, if it has one of its own, or else by its socket. */
static const char *host_of(const struct postgres *p, unsigned node)
{
    return p->server.network.is_open ? p->server.addresses[node] : p->server.folder;
}

/* Nobody else can send anything to that address. */
static enum status listen_in_network(struct postgres *p, unsigned node, struct error *err)
{
    char name[64], line[100];

    if (!p->server.network.is_open)
        return STATUS_OK;
    snprintf(name, sizeof name, "data%u/pg_hba.conf", node);
    TRY(own_server_write(&p->server, name,
                         "host all all all trust\nhost replication all all trust\n", err));
    snprintf(name, sizeof name, "data%u/postgresql.conf", node);
    snprintf(line, sizeof line, "listen_addresses = '%s'\n", p->server.addresses[node]);
    return own_server_write(&p->server, name, line, err);
}

/*
 * fsync is off: a killed process loses nothing that it has written, only a machine that loses power
 * does, and no fault here does that. A hot standby's default of isolation would be in the way, so
 * sessions ask for theirs.
 *
 * Room for prepared transactions, which nobody uses, is room for what serializable transactions have
 * read: ten entries for each. Beyond that PostgreSQL summarizes the oldest, and then misses that they
 * have read what a slow transaction writes (docs/recording.md).
 */
static enum status make_cluster(struct postgres *p, struct error *err)
{
    char program[OWN_SERVER_PATH_SIZE + 32], data[OWN_SERVER_PATH_SIZE + 32], settings[1024];
    const char *argv[] = { program, "-D", data,         "-U", "ordeal", "-A",
                           "trust", "-N", "--locale=C", "-E", "UTF8",   NULL };

    snprintf(program, sizeof program, "%s/initdb", p->programs);
    snprintf(data, sizeof data, "%s/data0", p->server.folder);
    TRY(own_server_make_data(&p->server, 0, "data0", err));
    TRY(own_server_run(&p->server, argv, err));
    snprintf(settings, sizeof settings,
             "listen_addresses = ''\nunix_socket_directories = '%s'\nmax_connections = %u\n"
             "max_prepared_transactions = 2000\nmax_pred_locks_per_transaction = 64\n"
             "fsync = off\nfull_page_writes = off\ndeadlock_timeout = 100ms\n"
             "wal_level = logical\nmax_wal_senders = 10\nmax_replication_slots = 4\n"
             "dynamic_shared_memory_type = mmap\nlog_min_messages = %s\n",
             p->server.folder, (unsigned)(2 * p->options.clients) + 100,
             p->options.faults & DATABASE_FAULT_BIT(DATABASE_DISK_FULL) ? "error" : "fatal");
    TRY(own_server_write(&p->server, "data0/postgresql.conf", settings, err));
    TRY(listen_in_network(p, 0, err));
    return write_settings(p, err);
}

/* A copy of the primary's folder, before it has started. */
static enum status make_second(struct postgres *p, struct error *err)
{
    char from[OWN_SERVER_PATH_SIZE + 32], to[OWN_SERVER_PATH_SIZE + 32], settings[1024];
    const char *argv[] = { "/bin/cp", "-a", from, to, NULL };

    snprintf(from, sizeof from, "%s/data0/.", p->server.folder);
    snprintf(to, sizeof to, "%s/data1", p->server.folder);
    TRY(own_server_make_data(&p->server, 1, "data1", err));
    TRY(own_server_run(&p->server, argv, err));
    snprintf(settings, sizeof settings,
             "port = 5433\nprimary_conninfo = 'host=%s port=5432 user=ordeal'\n"
             "wal_retrieve_retry_interval = 100ms\n%s",
             host_of(p, 0), p->promotes || p->is_logical ? "synchronous_standby_names = ''\n" : "");
    TRY(own_server_write(&p->server, "data1/postgresql.conf", settings, err));
    TRY(listen_in_network(p, 1, err));
    TRY(own_server_write(&p->server, "data0/postgresql.conf", "wal_keep_size = 512MB\n", err));
    return p->is_logical ? STATUS_OK
                         : own_server_write(&p->server, "data1/standby.signal", "", err);
}

static enum status start_once(struct postgres *p, unsigned node, int64_t until, struct error *err)
{
    char program[OWN_SERVER_PATH_SIZE + 32], data[OWN_SERVER_PATH_SIZE + 32];
    const char *argv[] = { program, "-D", data, NULL };

    snprintf(program, sizeof program, "%s/postgres", p->programs);
    snprintf(data, sizeof data, "%s/data%u", p->server.folder, node);
    if (!own_server_is_alive(&p->server, node))
        TRY(own_server_start(&p->server, node, argv, err));
    while (own_server_is_alive(&p->server, node)) {
        if (PQping(p->conninfo[node]) == PQPING_OK)
            return STATUS_OK;
        if (wall_clock_ns() >= until)
            return error_set(err, STATUS_TOO_LONG, "PostgreSQL did not start within 30 seconds");
        wall_clock_sleep(10000000);
    }
    return STATUS_OK;
}

/*
 * Until it can be used. Shared memory of the one before may still be there for a moment: then it is
 * tried again.
 */
static enum status start_node(struct postgres *p, unsigned node, struct error *err)
{
    int64_t until = wall_clock_ns() + START_NS;

    for (;;) {
        char words[200];

        TRY(start_once(p, node, until, err));
        if (p->server.pids[node] != 0)
            return STATUS_OK;
        own_server_last_words(&p->server, node, words, sizeof words);
        if (strstr(words, "contains errors"))
            return error_set(err, STATUS_BAD_INPUT,
                             "PostgreSQL does not know one of the settings, or not that value");
        if (wall_clock_ns() >= until || !strstr(words, "shared memory"))
            return error_set(err, STATUS_IO, "PostgreSQL ended at its start: %s", words);
        wall_clock_sleep(50000000);
    }
}

static enum status connect_control(struct postgres *p, struct error *err)
{
    p->control = postgres_connect(p->conninfo[p->primary]);
    if (PQstatus(p->control) != CONNECTION_OK)
        return postgres_refuse("no connection", PQerrorMessage(p->control), err);
    return STATUS_OK;
}

static enum status examine_strange_server(struct postgres *p, struct error *err)
{
    char level[32];

    TRY(postgres_ask(p->control, "SHOW wal_level", level, sizeof level, err));
    if (p->options.certifies && strcmp(level, "logical") != 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "--certificate needs a server with wal_level = logical; this one has %s",
                         level);
    return STATUS_OK;
}

static enum status start_own(struct postgres *p, struct error *err)
{
    TRY(find_programs(p, err));
    TRY(own_server_open(&p->server, p->node_count, p->options.faults, err));
    for (unsigned node = 0; node < POSTGRES_NODES_MAX; node++)
        snprintf(p->conninfo[node], sizeof p->conninfo[node],
                 "host=%s port=%u user=ordeal dbname=postgres", host_of(p, node), 5432 + node);
    TRY(make_cluster(p, err));
    if (p->node_count > 1)
        TRY(make_second(p, err));
    for (unsigned node = 0; node < p->node_count; node++)
        TRY(start_node(p, node, err));
    return STATUS_OK;
}

const char *const postgres_modes[] = { "single", "standby", "promote", "logical", NULL };

static enum status choose_mode(struct postgres *p, struct error *err)
{
    const char *mode = p->options.mode ? p->options.mode : postgres_modes[0];

    p->promotes = strcmp(mode, "promote") == 0;
    p->is_logical = strcmp(mode, "logical") == 0;
    p->node_count = strcmp(mode, "single") == 0 ? 1 : 2;
    if (p->node_count > 1 && p->options.connect)
        return error_set(err, STATUS_BAD_INPUT,
                         "PostgreSQL's topology %s is one that ordeal starts: not with --connect",
                         mode);
    if (p->node_count > 1 && p->options.certifies)
        return error_set(err, STATUS_BAD_INPUT,
                         "snapshots of two nodes make no chain: no --certificate with %s", mode);
    return STATUS_OK;
}

enum status postgres_server_start(struct postgres *p, struct buffer *version, struct error *err)
{
    TRY(choose_mode(p, err));
    if (p->options.connect) {
        if (strlen(p->options.connect) >= sizeof p->conninfo[0])
            return error_set(err, STATUS_BAD_INPUT, "--connect is longer than %zu bytes",
                             sizeof p->conninfo[0] - 1);
        snprintf(p->conninfo[0], sizeof p->conninfo[0], "%s", p->options.connect);
    } else {
        TRY(start_own(p, err));
    }
    TRY(connect_control(p, err));
    if (p->options.connect)
        TRY(examine_strange_server(p, err));
    buffer_print(version, "PostgreSQL %s", PQparameterStatus(p->control, "server_version"));
    return STATUS_OK;
}

/* The subscriber has the same table; what it misses is what is written from now on. */
enum status postgres_server_subscribe(struct postgres *p, const char *create_table,
                                      struct error *err)
{
    char sql[400];
    enum status status;
    PGconn *subscriber;

    if (!p->is_logical)
        return STATUS_OK;
    TRY(postgres_ask(p->control, "CREATE PUBLICATION ordeal FOR ALL TABLES", NULL, 0, err));
    subscriber = postgres_connect(p->conninfo[1]);
    snprintf(sql, sizeof sql,
             "CREATE SUBSCRIPTION ordeal CONNECTION 'host=%s port=5432 user=ordeal "
             "dbname=postgres' PUBLICATION ordeal WITH (copy_data = false)",
             host_of(p, 0));
    status = postgres_ask(subscriber, "SET client_min_messages = warning", NULL, 0, err);
    if (status == STATUS_OK)
        status = postgres_ask(subscriber, create_table, NULL, 0, err);
    if (status == STATUS_OK)
        status = postgres_ask(subscriber, sql, NULL, 0, err);
    PQfinish(subscriber);
    return status;
}

enum status postgres_server_await_standby(struct postgres *p, struct error *err)
{
    int64_t until = wall_clock_ns() + START_NS;
    char wanted[40], sql[160], answer[40] = "";
    enum status status = STATUS_OK;
    PGconn *standby;

    if (p->node_count < 2)
        return STATUS_OK;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", p->options.table.name);
    TRY(postgres_ask(p->control, sql, wanted, sizeof wanted, err));
    standby = postgres_connect(p->conninfo[1]);
    while (status == STATUS_OK && strcmp(wanted, answer) != 0) {
        if (postgres_ask(standby, sql, answer, sizeof answer, err) != STATUS_OK)
            answer[0] = '\0'; /* it has no such table yet */
        if (wall_clock_ns() >= until)
            status =
                error_set(err, STATUS_TOO_LONG, "PostgreSQL's %s did not follow within 30 seconds",
                          p->is_logical ? "subscriber" : "standby");
        wall_clock_sleep(5000000);
    }
    PQfinish(standby);
    return status;
}

/* --- Faults ----------------------------------------------------------------------------------- */

/* The primary first, and every second time. */
static unsigned victim_of(const struct postgres *p, uint32_t turn)
{
    bool is_standby = p->node_count > 1 && turn % 2 == 1 && !p->promotes;

    return is_standby ? 1 - p->primary : p->primary;
}

static enum status promote(struct postgres *p, struct error *err)
{
    PGconn *standby = postgres_connect(p->conninfo[1]);
    enum status status = postgres_ask(standby, "SELECT pg_promote()", NULL, 0, err);

    PQfinish(standby);
    p->primary = 1;
    p->node_count = 1; /* the old one stays dead */
    return status;
}

/* At the end the node is there again: one that was killed, or that a full disk has ended. */
static enum status end_fault(struct postgres *p, unsigned victim, struct error *err)
{
    if (p->promotes && p->primary == 0 && !own_server_is_alive(&p->server, victim))
        TRY(promote(p, err));
    else
        TRY(start_node(p, victim, err));
    if (p->control && postgres_ask(p->control, "SELECT 1", NULL, 0, err) == STATUS_OK)
        return STATUS_OK;
    PQfinish(p->control);
    return connect_control(p, err);
}

enum status postgres_server_fault(void *server, enum database_fault fault, bool begins,
                                  uint32_t turn, bool *is_felt, struct error *err)
{
    struct postgres *p = server;
    unsigned victim = victim_of(p, turn);

    assert(p->server.folder[0] != '\0');
    TRY(own_server_fault(&p->server, fault, begins, victim, is_felt, err));
    return begins ? STATUS_OK : end_fault(p, victim, err);
}

void postgres_server_stop(struct postgres *p)
{
    if (p->control)
        PQfinish(p->control);
    own_server_close(&p->server);
}
