#define _GNU_SOURCE /* nftw(), fgetpwent(), strcasestr() */

#include "record/own_server.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/wall_clock.h"
#include "record/node_clock.h"
#include "record/node_disk.h"

#define CLOCK_SECONDS 5
#define PATIENCE_NS INT64_C(10000000000)

static void nap(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

static void path_in(const struct own_server *s, const char *name, char *path)
{
    snprintf(path, OWN_SERVER_PATH_SIZE + 64, "%s/%s", s->folder, name);
}

/* --- Processes -------------------------------------------------------------------------------- */

/* A process as /proc has it. */
struct process_status {
    char state; /* 'Z': it has ended, and nobody has asked how */
    pid_t parent;
};

/* False: it is gone. */
static bool read_status(pid_t pid, struct process_status *found)
{
    char path[64], line[512];
    const char *behind_name;
    FILE *file;
    int parent = 0;
    size_t got;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    got = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[got] = '\0';
    behind_name = strrchr(line, ')');
    if (!behind_name || sscanf(behind_name + 1, " %c %d", &found->state, &parent) != 2)
        return false;
    found->parent = (pid_t)parent;
    return true;
}

static bool is_child(pid_t pid, pid_t parent)
{
    struct process_status status;

    return read_status(pid, &status) && status.parent == parent;
}

struct processes {
    ARRAY(pid_t) pids;
};

/* The processes that it has started. Servers fork one level deep. */
static void list_children(pid_t parent, struct processes *children)
{
    DIR *proc = opendir("/proc");
    struct error err;

    if (!proc)
        return;
    for (struct dirent *entry = readdir(proc); entry; entry = readdir(proc)) {
        pid_t pid = (pid_t)atoi(entry->d_name);

        if (isdigit((unsigned char)entry->d_name[0]) && is_child(pid, parent) &&
            array_push(&children->pids, pid, &err) != STATUS_OK)
            break;
    }
    closedir(proc);
}

/* In a container whose first process asks for no one's end, the dead stay in the table. */
static bool is_running(pid_t pid)
{
    struct process_status status;

    return read_status(pid, &status) && status.state != 'Z';
}

/* The children first find their parent dead, and so cannot start others. */
static void kill_all(pid_t pid, bool is_ours)
{
    struct processes children = { 0 };
    int64_t until = wall_clock_ns() + PATIENCE_NS;

    kill(pid, SIGSTOP);
    list_children(pid, &children);
    kill(pid, SIGKILL);
    if (is_ours)
        waitpid(pid, NULL, 0);
    for (size_t i = 0; i < children.pids.count; i++)
        kill(children.pids.at[i], SIGKILL);
    for (size_t i = 0; i < children.pids.count; i++) {
        while (is_running(children.pids.at[i]) && wall_clock_ns() < until)
            nap();
        node_clock_forget(children.pids.at[i]);
    }
    node_clock_forget(pid);
    array_close(&children.pids);
}

/* A parent that is stopped first starts no others. */
static void signal_all(pid_t pid, int signal)
{
    struct processes children = { 0 };

    kill(pid, signal);
    list_children(pid, &children);
    for (size_t i = 0; i < children.pids.count; i++)
        kill(children.pids.at[i], signal);
    array_close(&children.pids);
}

/* As getdents64() gives them: opendir() needs memory, and there may be none. */
struct folder_entry {
    uint64_t node;
    int64_t next;
    unsigned short length;
    unsigned char kind;
    char name[];
};

static void remove_entry(int folder, const char *name);

/* Until there is nothing more that could be removed. */
static void empty_folder(int folder)
{
    _Alignas(struct folder_entry) char entries[2048];
    long got;

    while ((got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0)
        for (long at = 0; at < got;) {
            const struct folder_entry *entry = (const struct folder_entry *)(entries + at);

            if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
                remove_entry(folder, entry->name);
            at += entry->length;
        }
}

/* A disk of its own is in the way of its folder. */
static void remove_entry(int folder, const char *name)
{
    char path[64];
    int inside;

    if (unlinkat(folder, name, 0) == 0)
        return;
    inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inside < 0)
        return;
    empty_folder(inside);
    close(inside);
    if (unlinkat(folder, name, AT_REMOVEDIR) == 0 || errno != EBUSY)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%.30s", folder, name);
    if (node_disk_unmount(path))
        unlinkat(folder, name, AT_REMOVEDIR);
}

/* False: something is left. */
static bool remove_folder(const char *folder)
{
    remove_entry(AT_FDCWD, folder);
    return access(folder, F_OK) != 0;
}

/* --- The watchdog ----------------------------------------------------------------------------- */

/* Behind the nodes: a program that ends by itself, such as one that makes the server's files. */
#define PROGRAM OWN_SERVER_NODES_MAX

/* A node or the program has started, or ended (0), or all is over. */
struct watchdog_word {
    unsigned node;
    pid_t pid;
    bool is_dismissed;
};

/* The end of the pipe is our end. */
static void watch(const char *folder, int pipe_end)
{
    pid_t pids[OWN_SERVER_NODES_MAX + 1] = { 0 };
    int64_t until;

    for (;;) {
        struct watchdog_word word;
        ssize_t got = read(pipe_end, &word, sizeof word);

        if (got < 0 && errno == EINTR)
            continue;
        if (got != sizeof word)
            break;
        if (word.is_dismissed)
            _exit(0);
        pids[word.node] = word.pid;
    }
    for (unsigned node = 0; node <= PROGRAM; node++)
        if (pids[node] > 0)
            kill_all(pids[node], false);
    /* A child of the program's child may still write. */
    for (until = wall_clock_ns() + PATIENCE_NS; !remove_folder(folder) && wall_clock_ns() < until;)
        nap();
    _exit(0);
}

static void tell_watchdog(const struct own_server *s, struct watchdog_word word)
{
    ssize_t sent;

    do
        sent = write(s->watchdog_pipe, &word, sizeof word);
    while (sent < 0 && errno == EINTR);
}

static void close_all_but(int kept)
{
    for (int fd = 3; fd < 1024; fd++)
        if (fd != kept)
            close(fd);
}

/* A child of ours in a session of its own, so that what ends our group does not end it. */
static enum status start_watchdog(struct own_server *s, struct error *err)
{
    int ends[2];
    pid_t pid;

    if (pipe(ends) != 0)
        return error_set(err, STATUS_IO, "no pipe for a watchdog: %s", strerror(errno));
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    pid = fork();
    if (pid == 0) {
        setsid();
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        close_all_but(ends[0]);
        watch(s->folder, ends[0]);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return error_set(err, STATUS_IO, "no watchdog: %s", strerror(errno));
    }
    s->watchdog = pid;
    s->watchdog_pipe = ends[1];
    return STATUS_OK;
}

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
    *s = (struct own_server){ .watchdog_pipe = -1, .node_count = node_count, .faults = faults };
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
    TRY(start_watchdog(s, err));
    return prepare_faults(s, err);
}

static void end_softly(struct own_server *s)
{
    int64_t until = wall_clock_ns() + PATIENCE_NS;

    for (unsigned node = 0; node < OWN_SERVER_NODES_MAX; node++)
        if (s->pids[node] > 0) {
            signal_all(s->pids[node], SIGCONT);
            kill(s->pids[node], SIGINT);
        }
    for (unsigned node = 0; node < OWN_SERVER_NODES_MAX; node++)
        while (own_server_is_alive(s, node) && wall_clock_ns() < until)
            nap();
}

void own_server_close(struct own_server *s)
{
    bool is_removed;

    if (s->folder[0] == '\0')
        return;
    end_softly(s);
    for (unsigned node = 0; node < OWN_SERVER_NODES_MAX; node++) {
        if (s->pids[node] > 0)
            kill_all(s->pids[node], true);
        s->pids[node] = 0;
    }
    network_close(&s->network);
    is_removed = remove_folder(s->folder) || remove_folder(s->folder);
    s->folder[0] = '\0';
    if (s->watchdog > 0) {
        if (is_removed) /* else it removes what is left */
            tell_watchdog(s, (struct watchdog_word){ .is_dismissed = true });
        close(s->watchdog_pipe);
        waitpid(s->watchdog, NULL, 0);
    }
    s->watchdog = 0;
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
    close_all_but(-1);
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
static bool is_complaint(const char *line)
{
    return strcasestr(line, "error") || strcasestr(line, "fatal");
}

/* Or, if it is only of what went wrong, the last such line, if there is one. */
static void last_line(const struct own_server *s, const char *name, bool of_complaints, char *to,
                      size_t size)
{
    char path[OWN_SERVER_PATH_SIZE + 64], line[200];
    bool is_kept = false;
    FILE *log;

    to[0] = '\0';
    path_in(s, name, path);
    log = fopen(path, "re");
    if (!log)
        return;
    while (fgets(line, sizeof line, log)) {
        bool keeps = of_complaints && is_complaint(line);

        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && (keeps || !is_kept))
            snprintf(to, size, "%s", line);
        is_kept |= keeps;
    }
    fclose(log);
}

enum status own_server_run(struct own_server *s, const char *const *argv, struct error *err)
{
    char words[200];
    pid_t pid;
    int how;

    TRY(spawn(s, -1, "log", argv, &pid, err));
    tell_watchdog(s, (struct watchdog_word){ .node = PROGRAM, .pid = pid });
    while (waitpid(pid, &how, 0) < 0)
        if (errno != EINTR)
            return error_set(err, STATUS_IO, "%s: %s", argv[0], strerror(errno));
    tell_watchdog(s, (struct watchdog_word){ .node = PROGRAM });
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return STATUS_OK;
    last_line(s, "log", true, words, sizeof words);
    return error_set(err, STATUS_IO, "%s failed: %s", argv[0], words);
}

/* --- Nodes ------------------------------------------------------------------------------------ */

static void name_log(unsigned node, char *name, size_t size)
{
    snprintf(name, size, "log-%u", node);
}

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
    name_log(node, log, sizeof log);
    if (suffers(s, DATABASE_CLOCK))
        TRY(start_with_clock(s, node, log, argv, err));
    else
        TRY(spawn(s, (int)node, log, argv, &s->pids[node], err));
    tell_watchdog(s, (struct watchdog_word){ .node = node, .pid = s->pids[node] });
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
    tell_watchdog(s, (struct watchdog_word){ .node = node });
    return false;
}

static enum status kill_node(struct own_server *s, unsigned node)
{
    kill_all(s->pids[node], true);
    s->pids[node] = 0;
    tell_watchdog(s, (struct watchdog_word){ .node = node });
    return STATUS_OK;
}

/*
 * Ahead for each node in turn, then behind. No more than some seconds: a server that waits for a
 * time of this clock waits so much longer when it is set back.
 */
static enum status set_clock(struct own_server *s, unsigned node, bool begins, struct error *err)
{
    bool is_ahead = s->wrong_clocks / s->node_count % 2 == 0;
    char file[OWN_SERVER_PATH_SIZE + 64];

    path_of_clock(s, node, file, sizeof file);
    s->wrong_clocks += begins;
    return node_clock_set(file, begins ? (is_ahead ? CLOCK_SECONDS : -CLOCK_SECONDS) : 0, err);
}

enum status own_server_fault(struct own_server *s, enum database_fault fault, bool begins,
                             unsigned node, struct error *err)
{
    char data[OWN_SERVER_PATH_SIZE + 64];

    assert(node < s->node_count);
    switch (fault) {
    case DATABASE_KILL:
    case DATABASE_PAUSE:
        if (begins && !own_server_is_alive(s, node))
            return error_set(err, STATUS_IO, "the server had ended by itself");
        if (fault == DATABASE_KILL)
            return begins ? kill_node(s, node) : STATUS_OK;
        signal_all(s->pids[node], begins ? SIGSTOP : SIGCONT);
        return STATUS_OK;
    case DATABASE_PARTITION:
        return network_part(&s->network, node, begins, err);
    case DATABASE_LATENCY:
        return network_slow(&s->network, node, begins, err);
    case DATABASE_DISK_FULL:
        path_in(s, s->data[node], data);
        return node_disk_fill(data, begins, err);
    default:
        assert(fault == DATABASE_CLOCK);
        return set_clock(s, node, begins, err);
    }
}

void own_server_last_words(const struct own_server *s, unsigned node, char *to, size_t size)
{
    char log[32];

    name_log(node, log, sizeof log);
    last_line(s, log, false, to, size);
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
