/*
 * galera: a cluster of MariaDB servers that certify each other's transactions, on this machine:
 *
 *     two      two nodes (the default): if one is gone the other refuses to work
 *     three    three: two of them go on
 *
 * Clients are spread over the nodes by their number, and reach them by sockets.
 *
 * Each statement is a query of its own: if a node rolls a transaction back between two statements of
 * one query, the query goes on outside of any transaction, and nobody is told (multi_statements=ON).
 *
 * All nodes begin empty, and say that they know the cluster's history so far, which is nothing but
 * the nodes that have come before: so none has to copy the state of another.
 */
#include "record/database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "record/mariadb_server_private.h"
#include "record/server_log.h"

#define START_NS INT64_C(60000000000)
#define NODES_MAX 3
#define HISTORY_ID "0bde0a10-0000-11ef-8000-0bde0a100001"

static const char *const modes[] = { "two", "three", NULL };

static const char *const providers[] = { "/usr/lib/galera/libgalera_smm.so",
                                         "/usr/lib64/galera-4/libgalera_smm.so",
                                         "/usr/lib64/galera/libgalera_smm.so" };

struct galera {
    struct mariadb_servers servers;
    struct mariadb_manner manner;
    const char *provider;
    unsigned ports[2 * NODES_MAX]; /* of each node: the group's, and for what it has missed */
};

/* --- Nodes ------------------------------------------------------------------------------------ */

static enum status find_provider(struct galera *g, struct error *err)
{
    for (size_t i = 0; i < ROW_COUNT(providers) && !g->provider; i++)
        if (access(providers[i], R_OK) == 0)
            g->provider = providers[i];
    if (g->provider)
        return STATUS_OK;
    return error_set(err, STATUS_IO,
                     "there is no Galera on this machine: install the package galera-4");
}

static void argue_cluster(const struct galera *g, unsigned node, const char *position,
                          struct buffer *a)
{
    const char *at = g->servers.server.addresses[node];
    struct buffer peers = { 0 };

    for (unsigned i = 0; i < g->servers.server.node_count; i++)
        buffer_print(&peers, "%s%s:%u", i > 0 ? "," : "", g->servers.server.addresses[i],
                     g->ports[2 * i]);
    buffer_print(a, "--binlog-format=ROW%c", '\0');
    buffer_print(a, "--innodb-autoinc-lock-mode=2%c", '\0');
    /* An applier may wait for a transaction that waits for the applier; then it tries again. */
    buffer_print(a, "--innodb-lock-wait-timeout=1%c", '\0');
    buffer_print(a, "--wsrep-on=ON%c", '\0');
    buffer_print(a, "--wsrep-provider=%s%c", g->provider, '\0');
    buffer_print(a, "--wsrep-cluster-name=ordeal%c", '\0');
    buffer_print(a, "--wsrep-cluster-address=gcomm://%.*s%c", (int)peers.count, peers.at, '\0');
    buffer_print(a, "--wsrep-node-name=node%u%c", node, '\0');
    buffer_print(a, "--wsrep-node-address=%s%c", at, '\0');
    buffer_print(a, "--wsrep-sst-method=rsync%c", '\0');
    buffer_print(a,
                 "--wsrep-provider-options=base_host=%s;base_port=%u;"
                 "gmcast.listen_addr=tcp://%s:%u;ist.recv_addr=%s:%u;"
                 "gcache.size=64M;evs.keepalive_period=PT0.5S;"
                 "evs.suspect_timeout=PT2S;evs.inactive_timeout=PT6S%c",
                 at, g->ports[2 * node], at, g->ports[2 * node], at, g->ports[2 * node + 1], '\0');
    buffer_print(a, "--wsrep-start-position=%s%c", position, '\0');
    buffer_close(&peers);
}

static struct mariadb_address address_of(const struct galera *g, unsigned node)
{
    struct mariadb_address address = mariadb_server_address(&g->servers, node);

    snprintf(address.database, sizeof address.database, "ordeal");
    return address;
}

/* A query by a connection of its own. */
static enum status ask_node(const struct galera *g, unsigned node, const char *sql, char *answer,
                            size_t size, struct error *err)
{
    struct mariadb_address address = mariadb_server_address(&g->servers, node);
    enum status status;
    MYSQL *conn;

    TRY(mariadb_session_connect(&conn, &address, err));
    status = mariadb_session_ask(conn, sql, answer, size, err);
    mysql_close(conn);
    return status;
}

static enum status ask_status(const struct galera *g, unsigned node, const char *name, char *answer,
                              size_t size, struct error *err)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "SELECT variable_value FROM information_schema.global_status "
             "WHERE variable_name = '%s'",
             name);
    return ask_node(g, node, sql, answer, size, err);
}

/* It is a part of the cluster, and knows all that the others do. */
static enum status wait_for_node(struct galera *g, unsigned node, struct error *err)
{
    int64_t until = wall_clock_ns() + START_NS;
    char words[100] = "";

    while (own_server_is_alive(&g->servers.server, node)) {
        if (ask_status(g, node, "wsrep_local_state_comment", words, sizeof words, err) ==
                STATUS_OK &&
            strcmp(words, "Synced") == 0)
            return STATUS_OK;
        if (wall_clock_ns() >= until)
            return error_set(err, STATUS_TOO_LONG,
                             "node %u was no part of its cluster within 60 seconds (%s)", node + 1,
                             words);
        wall_clock_sleep(20000000);
    }
    mariadb_server_last_error(&g->servers, node, words, sizeof words);
    return error_set(err, STATUS_IO, "a node of Galera ended: %s", words);
}

static enum status start_node(struct galera *g, unsigned node, const char *position, bool is_first,
                              struct error *err)
{
    struct buffer arguments = { 0 };

    mariadb_server_begin_arguments(&g->servers, node, &arguments);
    argue_cluster(g, node, position, &arguments);
    if (is_first)
        buffer_print(&arguments, "--wsrep-new-cluster%c", '\0');
    TRY(mariadb_server_start(&g->servers, node, &arguments, START_NS, err));
    return wait_for_node(g, node, err);
}

/* Each node's coming is an event of the cluster's history. */
static enum status make_node(struct galera *g, unsigned node, struct error *err)
{
    char name[64], text[200];

    snprintf(name, sizeof name, "data-%u", node);
    TRY(own_server_make_data(&g->servers.server, node, name, err));
    snprintf(name, sizeof name, "data-%u/mysql", node);
    TRY(own_server_make_folder(&g->servers.server, name, err));
    snprintf(name, sizeof name, "data-%u/grastate.dat", node);
    snprintf(text, sizeof text,
             "# GALERA saved state\nversion: 2.1\nuuid: " HISTORY_ID "\nseqno: %u\n"
             "safe_to_bootstrap: %d\n",
             node, node == 0);
    TRY(own_server_write(&g->servers.server, name, text, err));
    snprintf(text, sizeof text, HISTORY_ID ":%u", node);
    TRY(start_node(g, node, text, node == 0, err));
    return ask_node(g, node, "SET GLOBAL innodb_log_checkpoint_now = ON", NULL, 0, err);
}

/* What a node that was killed had committed last. */
static enum status find_position(struct galera *g, unsigned node, char *position, size_t size,
                                 struct error *err)
{
    struct buffer arguments = { 0 };
    static const char *const words[] = { "Recovered position: ", NULL };
    char path[OWN_SERVER_PATH_SIZE + 64], line[400];

    mariadb_server_begin_arguments(&g->servers, node, &arguments);
    argue_cluster(g, node, HISTORY_ID ":-1", &arguments);
    buffer_print(&arguments, "--wsrep-recover%c", '\0');
    TRY(mariadb_server_run(&g->servers, &arguments, err));
    snprintf(path, sizeof path, "%s/log", g->servers.server.folder);
    if (!server_log_find(path, 0, words, NULL, line, sizeof line))
        return error_set(err, STATUS_IO, "a node of Galera does not know where it was killed");
    snprintf(position, size, "%s", strstr(line, words[0]) + strlen(words[0]));
    return STATUS_OK;
}

/* --- The cluster ------------------------------------------------------------------------------ */

static enum status galera_start(void **server, const struct database_options *options,
                                struct buffer *version, struct error *err)
{
    struct galera *g;
    char words[100];

    TRY(database_new(server, sizeof *g, err));
    g = *server;
    g->servers.options = *options;
    g->manner = (struct mariadb_manner){ .table = &g->servers.options.table,
                                         .isolation = options->isolation };
    TRY(mariadb_server_is_single(options, true, &g->manner.is_single, err));
    if (options->connect)
        return error_set(err, STATUS_BAD_INPUT,
                         "--connect takes one server: record a node of a cluster as mariadb");
    if (mysql_library_init(0, NULL, NULL) != 0)
        return error_set(err, STATUS_OVER_LIMIT, "MariaDB's library does not start");
    TRY(find_provider(g, err));
    TRY(mariadb_server_open(&g->servers, 2 + database_mode(options, modes), err));
    TRY(own_server_free_ports(g->ports, 2 * g->servers.server.node_count, err));
    for (unsigned node = 0; node < g->servers.server.node_count; node++)
        TRY(make_node(g, node, err));
    TRY(ask_node(g, 0, "CREATE DATABASE ordeal", NULL, 0, err));
    TRY(ask_node(g, 0, "SELECT VERSION()", words, sizeof words, err));
    words[strcspn(words, "-")] = '\0';
    buffer_print(version, "MariaDB %s", words);
    TRY(ask_status(g, 0, "wsrep_provider_version", words, sizeof words, err));
    words[strcspn(words, "(")] = '\0';
    buffer_print(version, ", Galera %s", words);
    return STATUS_OK;
}

static void galera_stop(void *server)
{
    struct galera *g = server;

    if (!g)
        return;
    for (unsigned node = 0; node < g->servers.server.node_count; node++)
        own_server_kill(&g->servers.server, node);
    own_server_close(&g->servers.server);
    free(g);
}

/* Until every node has the rows. */
static enum status galera_load(void *server, const struct builtin *builtin, struct error *err)
{
    struct galera *g = server;
    struct mariadb_address address = address_of(g, 0);
    enum status status;
    bool has_table = false;
    char sql[200];
    MYSQL *conn;

    TRY(mariadb_session_connect(&conn, &address, err));
    status = mariadb_session_load(conn, g->manner.table, builtin, &has_table, err);
    mysql_close(conn);
    snprintf(sql, sizeof sql,
             "SET STATEMENT wsrep_sync_wait = 15 FOR SELECT COUNT(*) FROM ordeal.%s",
             g->manner.table->name);
    for (unsigned node = 0; status == STATUS_OK && node < g->servers.server.node_count; node++)
        status = ask_node(g, node, sql, NULL, 0, err);
    return status;
}

static enum status galera_fault(void *server, enum database_fault fault, bool begins, uint32_t turn,
                                bool *is_felt, struct error *err)
{
    struct galera *g = server;
    unsigned node = turn % g->servers.server.node_count;
    char position[100];

    TRY(own_server_fault(&g->servers.server, fault, begins, node, is_felt, err));
    if (begins)
        return STATUS_OK;
    if (own_server_is_alive(&g->servers.server, node))
        return wait_for_node(g, node, err);
    TRY(find_position(g, node, position, sizeof position, err));
    return start_node(g, node, position, false, err);
}

/* The last client reads what every node has committed. */
static enum status galera_open(void **session, void *server, uint32_t client, struct error *err)
{
    struct galera *g = server;
    unsigned node = client % g->servers.server.node_count;
    struct mariadb_address address = address_of(g, node);
    bool is_last = client == g->servers.options.clients;

    if (is_last)
        TRY(wait_for_node(g, node, err));
    return mariadb_session_open(session, &g->manner, &address,
                                is_last ? "SET SESSION wsrep_sync_wait = 15" : NULL, err);
}

static enum status galera_query(void *server, const char *sql, struct buffer *value,
                                struct error *err)
{
    struct galera *g = server;
    struct mariadb_address address = address_of(g, 0);
    enum status status;
    MYSQL *conn;

    TRY(mariadb_session_connect(&conn, &address, err));
    status = mariadb_session_ask(conn, "SET SESSION wsrep_sync_wait = 15", NULL, 0, err);
    if (status == STATUS_OK)
        status = mariadb_session_query(conn, sql, value, err);
    mysql_close(conn);
    return status;
}

static const char *galera_profile(enum level level)
{
    (void)level; /* locks of one node mean nothing to another */
    return NULL;
}

const struct database database_galera = {
    .name = "galera",
    .title = "Galera",
    .package = "galera-4, mariadb-server",
    .gives = "MariaDB's levels, from two or three nodes; every workload",
    .modes = modes,
    .levels = LEVEL_BIT(LEVEL_READ_UNCOMMITTED) | LEVEL_BIT(LEVEL_READ_COMMITTED) |
              LEVEL_BIT(LEVEL_REPEATABLE_READ) | LEVEL_BIT(LEVEL_SNAPSHOT) |
              LEVEL_BIT(LEVEL_SERIALIZABLE),
    .has_server = true,
    .has_settings = true,
    .faults = OWN_SERVER_FAULTS | DATABASE_FAULT_BIT(DATABASE_CLOCK),
    .profile = galera_profile,
    .start = galera_start,
    .load = galera_load,
    .fault = galera_fault,
    .stop = galera_stop,
    .open = galera_open,
    .steps = mariadb_session_steps,
    .close = mariadb_session_close,
    .query = galera_query,
};
