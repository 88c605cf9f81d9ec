#include "record/mariadb_server_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "record/server_log.h"

static const char *const programs[] = { "/usr/sbin/mariadbd", "/usr/libexec/mariadbd",
                                        "/usr/local/sbin/mariadbd", "/usr/bin/mariadbd" };

static enum status find_program(struct mariadb_servers *m, struct error *err)
{
    if (m->options.binaries) {
        snprintf(m->program, sizeof m->program, "%.250s/mariadbd", m->options.binaries);
        if (access(m->program, X_OK) == 0)
            return STATUS_OK;
        return error_set(err, STATUS_BAD_INPUT, "--binaries %.200s has no mariadbd",
                         m->options.binaries);
    }
    for (size_t i = 0; i < ROW_COUNT(programs); i++)
        if (access(programs[i], X_OK) == 0) {
            snprintf(m->program, sizeof m->program, "%s", programs[i]);
            return STATUS_OK;
        }
    return error_set(err, STATUS_IO,
                     "there is no MariaDB server on this machine: install the package "
                     "mariadb-server, or name its programs with --binaries or a server with "
                     "--connect");
}

enum status mariadb_server_open(struct mariadb_servers *m, unsigned node_count, struct error *err)
{
    TRY(find_program(m, err));
    return own_server_open(&m->server, node_count, m->options.faults, err);
}

/* --- Arguments -------------------------------------------------------------------------------- */

/*
 * Without tables of rights the server starts in half a second, and lets everybody in who can reach
 * its socket: the folder is its user's alone. What a commit has written is the kernel's, not on the
 * disk: a killed process loses nothing of it.
 */
void mariadb_server_begin_arguments(const struct mariadb_servers *m, unsigned node,
                                    struct buffer *a)
{
    const char *folder = m->server.folder;

    buffer_print(a, "%s%c", m->program, '\0');
    buffer_print(a, "--no-defaults%c", '\0');
    if (m->options.binaries)
        buffer_print(a, "--basedir=%.400s/..%c", m->options.binaries, '\0');
    buffer_print(a, "--datadir=%s/data-%u%c", folder, node, '\0');
    buffer_print(a, "--tmpdir=%s%c", folder, '\0');
    buffer_print(a, "--socket=%s/socket-%u%c", folder, node, '\0');
    buffer_print(a, "--pid-file=%s/pid-%u%c", folder, node, '\0');
    buffer_print(a, "--server-id=%u%c", node + 1, '\0');
    buffer_print(a, "--skip-networking%c", '\0');
    buffer_print(a, "--skip-grant-tables%c", '\0');
    buffer_print(a, "--skip-name-resolve%c", '\0');
    buffer_print(a, "--character-set-server=utf8mb4%c", '\0');
    buffer_print(a, "--max-connections=%u%c", (unsigned)m->options.clients + 20, '\0');
    buffer_print(a, "--innodb-buffer-pool-size=128M%c", '\0');
    buffer_print(a, "--innodb-log-file-size=96M%c", '\0');
    buffer_print(a, "--innodb-flush-log-at-trx-commit=2%c", '\0');
    buffer_print(a, "--innodb-use-native-aio=OFF%c", '\0');
}

static bool makes_rocks(const char *setting)
{
    return strncasecmp(setting, "default", 7) == 0 &&
           strcasecmp(strchr(setting, '=') + 1, "rocksdb") == 0;
}

bool mariadb_server_is_rocks(const struct database_options *o)
{
    bool is_rocks = false;

    for (size_t i = 0; i < o->setting_count; i++)
        is_rocks |= makes_rocks(o->settings[i]);
    return is_rocks;
}

#define MULTI_STATEMENTS "multi_statements"

enum status mariadb_server_is_single(const struct database_options *o, bool usual, bool *is_single,
                                     struct error *err)
{
    static const char *const values[] = { "ON", "OFF", NULL };
    uint32_t chosen;

    TRY(database_choose(o, MULTI_STATEMENTS, values, usual, &chosen, err));
    *is_single = chosen == 1;
    return STATUS_OK;
}

/* MyRocks is a plugin with a package of its own. */
static enum status argue_engine(const struct mariadb_servers *m, struct buffer *a,
                                struct error *err)
{
    if (!mariadb_server_is_rocks(&m->options))
        return STATUS_OK;
    if (!m->options.binaries && access("/usr/lib/mysql/plugin/ha_rocksdb.so", R_OK) != 0)
        return error_set(err, STATUS_IO,
                         "there is no MyRocks on this machine: install the package "
                         "mariadb-plugin-rocksdb");
    buffer_print(a, "--plugin-load-add=ha_rocksdb%c", '\0');
    buffer_print(a, "--rocksdb-flush-log-at-trx-commit=2%c", '\0');
    buffer_print(a, "--rocksdb-deadlock-detect=ON%c", '\0');
    return STATUS_OK;
}

/* "key=value" as it stands in a server's options. */
static enum status argue_settings(const struct mariadb_servers *m, struct buffer *a,
                                  struct error *err)
{
    TRY(argue_engine(m, a, err));
    for (size_t i = 0; i < m->options.setting_count; i++) {
        const char *setting = m->options.settings[i];

        if (database_is_setting(setting, MULTI_STATEMENTS))
            continue;
        buffer_print(a, "--%s%c", setting, '\0');
    }
    return STATUS_OK;
}

/* --- Starting --------------------------------------------------------------------------------- */

void mariadb_server_last_error(const struct mariadb_servers *m, unsigned node, char *to,
                               size_t size)
{
    static const char *const words[] = { "[ERROR] ", NULL };
    char path[OWN_SERVER_PATH_SIZE + 64], line[400];

    own_server_path_of_log(&m->server, node, path, sizeof path);
    server_log_find(path, 0, words, "Aborting", line, sizeof line);
    snprintf(to, size, "%s", line[0] ? strstr(line, words[0]) + strlen(words[0]) : "");
}

struct mariadb_address mariadb_server_address(const struct mariadb_servers *m, unsigned node)
{
    struct mariadb_address address = { .user = "root" };

    snprintf(address.socket, sizeof address.socket, "%s/socket-%u", m->server.folder, node);
    return address;
}

static bool is_ready(const struct mariadb_servers *m, unsigned node)
{
    struct mariadb_address address = mariadb_server_address(m, node);
    struct error err;
    MYSQL *conn;

    if (mariadb_session_connect(&conn, &address, &err) != STATUS_OK)
        return false;
    mysql_close(conn);
    return true;
}

static enum status wait_for(struct mariadb_servers *m, unsigned node, int64_t patience_ns,
                            struct error *err)
{
    int64_t until = wall_clock_ns() + patience_ns;
    char words[300];

    while (own_server_is_alive(&m->server, node)) {
        if (is_ready(m, node))
            return STATUS_OK;
        if (wall_clock_ns() >= until)
            return error_set(err, STATUS_TOO_LONG, "MariaDB did not start within %d seconds",
                             (int)(patience_ns / 1000000000));
        wall_clock_sleep(10000000);
    }
    mariadb_server_last_error(m, node, words, sizeof words);
    return error_set(err, STATUS_IO, "MariaDB ended at its start: %s", words);
}

/* Adds the settings; starts it as a node, or if its number is negative runs it to its end. */
static enum status start(struct mariadb_servers *m, int node, struct buffer *a, struct error *err)
{
    const char **argv = NULL;
    enum status status = argue_settings(m, a, err);

    if (status == STATUS_OK)
        status = own_server_words(a, &argv, err);
    if (status == STATUS_OK)
        status = node < 0 ? own_server_run(&m->server, argv, err)
                          : own_server_start(&m->server, (unsigned)node, argv, err);
    free(argv);
    buffer_close(a);
    return status;
}

enum status mariadb_server_start(struct mariadb_servers *m, unsigned node, struct buffer *a,
                                 int64_t patience_ns, struct error *err)
{
    char data[32];
    enum status status;

    snprintf(data, sizeof data, "data-%u", node);
    status = own_server_make_data(&m->server, node, data, err);
    if (status != STATUS_OK)
        buffer_close(a);
    TRY(status);
    TRY(start(m, (int)node, a, err));
    return wait_for(m, node, patience_ns, err);
}

enum status mariadb_server_run(struct mariadb_servers *m, struct buffer *a, struct error *err)
{
    return start(m, -1, a, err);
}
