#define _GNU_SOURCE /* fgetpwent() */

#include "record/own_server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/wall_clock.h"
#include "record/node_clock.h"
#include "record/node_disk.h"
#include "record/private_folder.h"
#include "record/processes.h"
#include "record/server_log.h"

#define CLOCK_SECONDS 5
#define PATIENCE_NS INT64_C(10000000000)

static void path_in(const struct own_server *s, const char *name, char *path)
{
    snprintf(path, OWN_SERVER_PATH_SIZE + 64, "%s/%s", s->folder, name);
}

/* Behind the nodes, for the watchdog: a program that ends by itself, such as one that makes the server's files. */
#define PROGRAM OWN_SERVER_NODES_MAX
_Static_assert(PROGRAM < WATCHDOG_PROCESSES_MAX, "the watchdog knows each of them");

/* --- Opening and closing ---------------------------------------------------------------------- */

/* In the file itself: getpwnam() ends the process where it finds no memory. */
static bool find_user(const char *name, struct own_server *s)
{
    FILE *file = fopen("/etc/passwd", "r");
    const struct passwd *user;
    bool is_found = false;

    while (file && !is_found && (user = fgetpwent(file)) != NULL)
        if (strcmp(user->pw_name, name) == 0) {
            s->user = user->pw_uid;
            s->group = user->pw_gid;
            is_found = true;
        }
    if (file)
        fclose(file);
    return is_found;
}

static void choose_user(struct own_server *s)
{
    if (geteuid() == 0)
        s->changes_user = find_user("postgres", s) || find_user("nobody", s);
}

static void path_of_clock(const struct own_server *s, unsigned node, char *path, size_t size)
{
    snprintf(path, size, "%s/clock-%u", s->folder, node);
}

static bool suffers(const struct own_server *s, enum database_fault fault)
{
    return s->faults & DATABASE_FAULT_BIT(fault);
}

/* A child of a child may still write. */
static void remove_folder(void *folder)
{
    int64_t until = wall_clock_ns() + PATIENCE_NS;

    while (!private_folder_remove(folder) && wall_clock_ns() < until)
        wall_clock_sleep(2000000);
}

/* What faults need, or why it cannot be had. Of a disk that is known when it is made. */
static enum status prepare_faults(struct own_server *s, struct error *err)
{
    for (unsigned node = 0; node < s->node_count; node++)
        snprintf(s->addresses[node], sizeof s->addresses[node], "127.0.0.1");
    if (suffers(s, DATABASE_PARTITION) && s->node_count < 2)
        return error_set(err, STATUS_BAD_INPUT,
                         "there is one node, and none that it could be parted from: --partition "
                         "needs another --topology");
    if (!suffers(s, DATABASE_PARTITION) && !suffers(s, DATABASE_LATENCY))
        return STATUS_OK;
    TRY(network_open(&s->network, s->node_count, suffers(s, DATABASE_LATENCY), err));
    for (unsigned node = 0; node < s->node_count; node++)
        network_address(node, s->addresses[node]);
    return STATUS_OK;
}

enum status own_server_open(struct own_server *s, unsigned node_count, uint32_t faults,
                            struct error *err)
{
    const char *base = getenv("TMPDIR");

    assert(node_count <= OWN_SERVER_NODES_MAX);
    *s = (struct own_server){ .clock_watch = -1, .node_count = node_count, .faults = faults };
    choose_user(s);
    if (!base || base[0] != '/' || strlen(base) > 60) /* the path of a socket is short */
        base = "/tmp";
    snprintf(s->folder, sizeof s->folder, "%s/ordeal-XXXXXX", base);
    if (!mkdtemp(s->folder)) {
        enum status status =
            error_set(err, STATUS_IO, "no folder for a server: %s: %s", s->folder, strerror(errno));

        s->folder[0] = '\0';
        return status;
    }
    if (s->changes_user && chown(s->folder, s->user, s->group) != 0)
        return error_set(err, STATUS_IO, "%s: %s", s->folder, strerror(errno));
    TRY(watchdog_start(&s->watchdog, remove_folder, s->folder, err));
    return prepare_faults(s, err);
}

static void end_softly(struct own_server *s)
{
    int64_t until = wall_clock_ns() + PATIENCE_NS;

    for (unsigned node = 0; node < OWN_SERVER_NODES_MAX; node++)
        if (s->pids[node] > 0) {
            processes_signal(s->pids[node], SIGCONT);
            kill(s->pids[node], SIGINT);
        }
    for (unsigned node = 0; node < OWN_SERVER_NODES_MAX; node++)
        while (own_server_is_alive(s, node) && wall_clock_ns() < until)
            wall_clock_sleep(2000000);
}

void own_server_close(struct own_server *s)
{
    if (s->folder[0] == '\0')
        return;
    end_softly(s);
    for (unsigned node = 0; node < OWN_SERVER_NODES_MAX; node++) {
        if (s->pids[node] > 0)
            processes_kill(s->pids[node], true);
        s->pids[node] = 0;
    }
    network_close(&s->network);
    (void)node_clock_was_read(s->clock_watch);
    watchdog_end(&s->watchdog,
                 private_folder_remove(s->folder) || private_folder_remove(s->folder));
    s->folder[0] = '\0';
}

/* --- Programs --------------------------------------------------------------------------------- */

static void lift_limit(int resource)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(resource, &limit);
}

/* In the child: only what is safe behind fork() in a process with threads. */
static void become(const struct own_server *s, int node, const char *const *argv, const char *log)
{
    int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600), in = open("/dev/null", O_RDONLY);

    if (out < 0 || in < 0)
        _exit(127);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    if (node >= 0 && s->network.is_open && !network_enter(&s->network, (unsigned)node))
        _exit(127);
    processes_close_files(-1);
    setsid();
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    /* The limit of memory is that of `ordeal` itself, which also needs less stack than a server. */
    lift_limit(RLIMIT_DATA);
    lift_limit(RLIMIT_STACK);
    if (s->changes_user &&
        (setgroups(0, NULL) != 0 || setgid(s->group) != 0 || setuid(s->user) != 0))
        _exit(127);
    if (chdir(s->folder) != 0)
        _exit(127);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

enum status own_server_words(const struct buffer *words, const char ***argv, struct error *err)
{
    size_t count = 0;

    *argv = NULL;
    TRY(buffer_status(words, err));
    for (size_t at = 0; at < words->count; at += strlen(words->at + at) + 1)
        count++;
    TRY(database_new((void **)argv, (count + 1) * sizeof **argv, err));
    for (size_t at = 0, i = 0; at < words->count; at += strlen(words->at + at) + 1)
        (*argv)[i++] = words->at + at;
    return STATUS_OK;
}

/* As a node, if its number is not negative. */
static enum status spawn(struct own_server *s, int node, const char *name, const char *const *argv,
                         pid_t *pid, struct error *err)
{
    char log[OWN_SERVER_PATH_SIZE + 64];
    bool is_theirs;
    int made;

    path_in(s, name, log);
    made = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    is_theirs = made >= 0 && (!s->changes_user || fchown(made, s->user, s->group) == 0);
    if (made >= 0)
        close(made);
    if (!is_theirs)
        return error_set(err, STATUS_IO, "%s: %s", log, strerror(errno));
    *pid = fork();
    if (*pid == 0)
        become(s, node, argv, log);
    if (*pid < 0)
        return error_set(err, STATUS_IO, "%s cannot be started: %s", argv[0], strerror(errno));
    return STATUS_OK;
}

/* A program may say more behind what was wrong, for instance that it tidies up. */
static void last_complaint(const struct own_server *s, char *to, size_t size)
{
    static const char *const complaints[] = { "error", "Error", "ERROR", "fatal", "FATAL", NULL };
    char path[OWN_SERVER_PATH_SIZE + 64];

    path_in(s, "log", path);
    if (!server_log_find(path, 0, complaints, NULL, to, size))
        server_log_find(path, 0, NULL, NULL, to, size);
}

enum status own_server_run(struct own_server *s, const char *const *argv, struct error *err)
{
    char words[200];
    pid_t pid;
    int how;

    TRY(spawn(s, -1, "log", argv, &pid, err));
    watchdog_tell(&s->watchdog, PROGRAM, pid);
    while (waitpid(pid, &how, 0) < 0)
        if (errno != EINTR)
            return error_set(err, STATUS_IO, "%s: %s", argv[0], strerror(errno));
    watchdog_tell(&s->watchdog, PROGRAM, 0);
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return STATUS_OK;
    last_complaint(s, words, sizeof words);
    return error_set(err, STATUS_IO, "%s failed: %s", argv[0], words);
}

/* --- Nodes ------------------------------------------------------------------------------------ */

/* Behind the words of its clock. */
static enum status start_with_clock(struct own_server *s, unsigned node, const char *log,
                                    const char *const *argv, struct error *err)
{
    ARRAY(const char *) words = { 0 };
    struct node_clock clock;
    char file[OWN_SERVER_PATH_SIZE + 64];
    enum status status;

    path_of_clock(s, node, file, sizeof file);
    TRY(node_clock_open(&clock, file, err));
    status = array_reserve(&words, NODE_CLOCK_WORDS, err);
    for (size_t i = 0; status == STATUS_OK && i < NODE_CLOCK_WORDS; i++)
        words.at[words.count++] = clock.words[i];
    for (size_t i = 0; status == STATUS_OK && (i == 0 || argv[i - 1]); i++)
        status = array_push(&words, argv[i], err);
    if (status == STATUS_OK)
        status = spawn(s, (int)node, log, words.at, &s->pids[node], err);
    array_close(&words);
    return status;
}

enum status own_server_start(struct own_server *s, unsigned node, const char *const *argv,
                             struct error *err)
{
    char log[32];

    assert(node < s->node_count && s->pids[node] == 0);
    snprintf(log, sizeof log, "log-%u", node);
    if (suffers(s, DATABASE_CLOCK))
        TRY(start_with_clock(s, node, log, argv, err));
    else
        TRY(spawn(s, (int)node, log, argv, &s->pids[node], err));
    watchdog_tell(&s->watchdog, node, s->pids[node]);
    return STATUS_OK;
}

bool own_server_is_alive(struct own_server *s, unsigned node)
{
    pid_t ended;

    assert(node < OWN_SERVER_NODES_MAX);
    if (s->pids[node] == 0)
        return false;
    ended = waitpid(s->pids[node], NULL, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return true;
    node_clock_forget(s->pids[node]);
    s->pids[node] = 0;
    watchdog_tell(&s->watchdog, node, 0);
    return false;
}

void own_server_kill(struct own_server *s, unsigned node)
{
    if (s->folder[0] == '\0' || !own_server_is_alive(s, node))
        return;
    processes_kill(s->pids[node], true);
    s->pids[node] = 0;
    watchdog_tell(&s->watchdog, node, 0);
}

/*
 * Ahead for each node in turn, then behind. No more than some seconds: a server that waits for a
 * time of this clock waits so much longer when it is set back.
 */
static enum status set_clock(struct own_server *s, unsigned node, bool begins, bool *is_felt,
                             struct error *err)
{
    bool is_ahead = s->wrong_clocks / s->node_count % 2 == 0;
    char file[OWN_SERVER_PATH_SIZE + 64];

    path_of_clock(s, node, file, sizeof file);
    if (!begins) {
        *is_felt = node_clock_was_read(s->clock_watch);
        s->clock_watch = -1;
        return node_clock_set(file, 0, err);
    }
    s->wrong_clocks++;
    TRY(node_clock_set(file, is_ahead ? CLOCK_SECONDS : -CLOCK_SECONDS, err));
    s->clock_watch = node_clock_watch(file);
    return STATUS_OK;
}

/* Felt: the node has said that there is no room, or has ended. */
static enum status fill_disk(struct own_server *s, unsigned node, bool begins, bool *is_felt,
                             struct error *err)
{
    static const char *const words[] = { "no space left", "No space left", "is full", NULL };
    char data[OWN_SERVER_PATH_SIZE + 64], log[OWN_SERVER_PATH_SIZE + 64], line[200];

    path_in(s, s->data[node], data);
    own_server_path_of_log(s, node, log, sizeof log);
    if (begins)
        s->before = (uint64_t)server_log_size(log);
    else
        *is_felt = !own_server_is_alive(s, node) ||
                   server_log_find(log, (long)s->before, words, NULL, line, sizeof line);
    return node_disk_fill(data, begins, err);
}

/* Felt: something was dropped on the way between nodes, or sent to a node that is slow. */
static enum status change_network(struct own_server *s, enum database_fault fault, unsigned node,
                                  bool begins, bool *is_felt, struct error *err)
{
    bool parts = fault == DATABASE_PARTITION;

    if (!begins)
        *is_felt = (parts ? network_dropped() : network_sent(node)) > s->before;
    TRY((parts ? network_part : network_slow)(&s->network, node, begins, err));
    s->before = parts ? network_dropped() : network_sent(node);
    return STATUS_OK;
}

enum status own_server_fault(struct own_server *s, enum database_fault fault, bool begins,
                             unsigned node, bool *is_felt, struct error *err)
{
    assert(node < s->node_count);
    switch (fault) {
    case DATABASE_KILL:
    case DATABASE_PAUSE:
        if (begins && !own_server_is_alive(s, node))
            return error_set(err, STATUS_IO, "the server had ended by itself");
        *is_felt = begins;
        if (fault == DATABASE_PAUSE)
            processes_signal(s->pids[node], begins ? SIGSTOP : SIGCONT);
        else if (begins)
            own_server_kill(s, node);
        return STATUS_OK;
    case DATABASE_PARTITION:
    case DATABASE_LATENCY:
        return change_network(s, fault, node, begins, is_felt, err);
    case DATABASE_DISK_FULL:
        return fill_disk(s, node, begins, is_felt, err);
    default:
        assert(fault == DATABASE_CLOCK);
        return set_clock(s, node, begins, is_felt, err);
    }
}

void own_server_path_of_log(const struct own_server *s, unsigned node, char *path, size_t size)
{
    snprintf(path, size, "%s/log-%u", s->folder, node);
}

void own_server_last_words(const struct own_server *s, unsigned node, char *to, size_t size)
{
    char path[OWN_SERVER_PATH_SIZE + 64];

    own_server_path_of_log(s, node, path, sizeof path);
    server_log_find(path, 0, NULL, NULL, to, size);
}

/* All are held until all are found, so that no two are the same. */
enum status own_server_free_ports(unsigned *ports, unsigned count, struct error *err)
{
    int sockets[4 * OWN_SERVER_NODES_MAX];
    enum status status = STATUS_OK;
    unsigned held = 0;

    assert(count <= ROW_COUNT(sockets));
    for (; status == STATUS_OK && held < count; held++) {
        struct sockaddr_in address = { .sin_family = AF_INET,
                                       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
        socklen_t size = sizeof address;

        sockets[held] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (sockets[held] < 0 ||
            bind(sockets[held], (struct sockaddr *)&address, sizeof address) != 0 ||
            getsockname(sockets[held], (struct sockaddr *)&address, &size) != 0)
            status = error_set(err, STATUS_IO, "no port for a server: %s", strerror(errno));
        ports[held] = ntohs(address.sin_port);
    }
    for (unsigned i = 0; i < held; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    return status;
}

/* --- Files ------------------------------------------------------------------------------------ */

enum status own_server_make_folder(struct own_server *s, const char *name, struct error *err)
{
    char path[OWN_SERVER_PATH_SIZE + 64];

    path_in(s, name, path);
    if (access(path, F_OK) == 0 ||
        (mkdir(path, 0700) == 0 && (!s->changes_user || chown(path, s->user, s->group) == 0)))
        return STATUS_OK;
    return error_set(err, STATUS_IO, "no folder %s for a server: %s", path, strerror(errno));
}

enum status own_server_make_data(struct own_server *s, unsigned node, const char *name,
                                 struct error *err)
{
    bool is_there = s->data[node][0] != '\0';
    char path[OWN_SERVER_PATH_SIZE + 64];

    assert(node < s->node_count);
    TRY(own_server_make_folder(s, name, err));
    snprintf(s->data[node], sizeof s->data[node], "%s", name);
    if (is_there || !suffers(s, DATABASE_DISK_FULL))
        return STATUS_OK;
    path_in(s, name, path);
    return node_disk_mount(path, s->changes_user ? s->user : geteuid(),
                           s->changes_user ? s->group : getegid(), err);
}

enum status own_server_write(struct own_server *s, const char *name, const char *text,
                             struct error *err)
{
    char path[OWN_SERVER_PATH_SIZE + 64];
    FILE *file;
    bool is_written;

    path_in(s, name, path);
    file = fopen(path, "ae");
    if (!file)
        return error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    is_written = fputs(text, file) >= 0;
    is_written &= fclose(file) == 0;
    if (!is_written || (s->changes_user && chown(path, s->user, s->group) != 0))
        return error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    return STATUS_OK;
}
