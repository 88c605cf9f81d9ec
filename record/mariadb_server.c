#include "record/mariadb_server_private.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/wall_clock.h"

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

void mariadb_server_argue(struct mariadb_arguments *a, const char *format, ...)
{
    char text[600];
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    assert(a->count < MARIADB_ARGUMENTS_MAX);
    a->kept[a->count] = strdup(text);
    a->argv[a->count] = a->kept[a->count];
    a->count += a->kept[a->count] != NULL;
    a->argv[a->count] = NULL;
}

/*
 * Without tables of rights the server starts in half a second, and lets everybody in who can reach
 * its socket: the folder is its user's alone. What a commit has written is the kernel's, not on the
 * disk: a killed process loses nothing of it.
 */
void mariadb_server_begin_arguments(const struct mariadb_servers *m, unsigned node,
                                    struct mariadb_arguments *a)
{
    const char *folder = m->server.folder;

    *a = (struct mariadb_arguments){ .count = 0 };
    mariadb_server_argue(a, "%s", m->program);
    mariadb_server_argue(a, "--no-defaults");
    if (m->options.binaries)
        mariadb_server_argue(a, "--basedir=%.400s/..", m->options.binaries);
    mariadb_server_argue(a, "--datadir=%s/data-%u", folder, node);
    mariadb_server_argue(a, "--tmpdir=%s", folder);
    mariadb_server_argue(a, "--socket=%s/socket-%u", folder, node);
    mariadb_server_argue(a, "--pid-file=%s/pid-%u", folder, node);
    mariadb_server_argue(a, "--server-id=%u", node + 1);
    mariadb_server_argue(a, "--skip-networking");
    mariadb_server_argue(a, "--skip-grant-tables");
    mariadb_server_argue(a, "--skip-name-resolve");
    mariadb_server_argue(a, "--character-set-server=utf8mb4");
    mariadb_server_argue(a, "--max-connections=%u", (unsigned)m->options.clients + 20);
    mariadb_server_argue(a, "--innodb-buffer-pool-size=128M");
    mariadb_server_argue(a, "--innodb-log-file-size=96M");
    mariadb_server_argue(a, "--innodb-flush-log-at-trx-commit=2");
    mariadb_server_argue(a, "--innodb-use-native-aio=OFF");
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
static enum status argue_engine(const struct mariadb_servers *m, struct mariadb_arguments *a,
                                struct error *err)
{
    if (!mariadb_server_is_rocks(&m->options))
        return STATUS_OK;
    if (!m->options.binaries && access("/usr/lib/mysql/plugin/ha_rocksdb.so", R_OK) != 0)
        return error_set(err, STATUS_IO,
                         "there is no MyRocks on this machine: install the package "
                         "mariadb-plugin-rocksdb");
    mariadb_server_argue(a, "--plugin-load-add=ha_rocksdb");
    mariadb_server_argue(a, "--rocksdb-flush-log-at-trx-commit=2");
    mariadb_server_argue(a, "--rocksdb-deadlock-detect=ON");
    return STATUS_OK;
}

/* "key=value" as it stands in a server's options. */
static enum status argue_settings(const struct mariadb_servers *m, struct mariadb_arguments *a,
                                  struct error *err)
{
    TRY(argue_engine(m, a, err));
    for (size_t i = 0; i < m->options.setting_count; i++) {
        const char *setting = m->options.settings[i];

        if (database_is_setting(setting, MULTI_STATEMENTS))
            continue;
        if (strlen(setting) > 500 || a->count + 4 > MARIADB_ARGUMENTS_MAX)
            return error_set(err, STATUS_BAD_INPUT, "MariaDB cannot be told '%.80s'", setting);
        mariadb_server_argue(a, "--%s", setting);
    }
    return STATUS_OK;
}

static void close_arguments(struct mariadb_arguments *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->kept[i]);
    a->count = 0;
}

/* --- Starting --------------------------------------------------------------------------------- */

void mariadb_server_last_error(const struct mariadb_servers *m, unsigned node, char *to,
                               size_t size)
{
    char path[OWN_SERVER_PATH_SIZE + 64], line[400];
    FILE *log;

    to[0] = '\0';
    snprintf(path, sizeof path, "%s/log-%u", m->server.folder, node);
    log = fopen(path, "re");
    while (log && fgets(line, sizeof line, log)) {
        const char *error = strstr(line, "[ERROR] ");

        line[strcspn(line, "\n")] = '\0';
        if (error && !strstr(error, "Aborting"))
            snprintf(to, size, "%s", error + 8);
    }
    if (log)
        fclose(log);
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
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    mariadb_server_last_error(m, node, words, sizeof words);
    return error_set(err, STATUS_IO, "MariaDB ended at its start: %s", words);
}

enum status mariadb_server_start(struct mariadb_servers *m, unsigned node,
                                 struct mariadb_arguments *a, int64_t patience_ns,
                                 struct error *err)
{
    char data[32];
    enum status status;

    snprintf(data, sizeof data, "data-%u", node);
    status = own_server_make_data(&m->server, node, data, err);
    if (status == STATUS_OK)
        status = argue_settings(m, a, err);
    if (status == STATUS_OK)
        status = own_server_start(&m->server, node, a->argv, err);
    close_arguments(a);
    return status == STATUS_OK ? wait_for(m, node, patience_ns, err) : status;
}

enum status mariadb_server_run(struct mariadb_servers *m, struct mariadb_arguments *a,
                               struct error *err)
{
    enum status status = argue_settings(m, a, err);

    if (status == STATUS_OK)
        status = own_server_run(&m->server, a->argv, err);
    close_arguments(a);
    return status;
}
