#define _GNU_SOURCE /* unshare(), setns(), memfd_create() */

#include "record/network.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buffer.h"

/* --- Programs --------------------------------------------------------------------------------- */

static bool find_program(const char *name, char *path, size_t size)
{
    static const char *const folders[] = { "/usr/sbin", "/sbin", "/usr/bin", "/bin" };

    for (size_t i = 0; i < ROW_COUNT(folders); i++) {
        snprintf(path, size, "%s/%s", folders[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* In the child. It runs in the namespace `inside`, or ours if that is negative. */
static void become(const char *path, int inside, int in, int out)
{
    const char *argv[] = { path, "-batch", "-", NULL };

    if (inside >= 0 && setns(inside, CLONE_NEWNET) != 0)
        _exit(127);
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    execv(path, (char *const *)argv);
    _exit(127);
}

static enum status run(const char *name, int inside, const struct buffer *lines, struct error *err)
{
    int in = memfd_create("lines", MFD_CLOEXEC), out = memfd_create("words", MFD_CLOEXEC), how = -1;
    char path[64], words[300] = "";
    bool is_found = find_program(name, path, sizeof path), is_told;
    pid_t pid = -1;

    is_told = in >= 0 && out >= 0 && !lines->out_of_memory &&
              write(in, lines->at, lines->count) == (ssize_t)lines->count &&
              lseek(in, 0, SEEK_SET) == 0;
    if (is_found && is_told)
        pid = fork();
    if (pid == 0)
        become(path, inside, in, out);
    while (pid > 0 && waitpid(pid, &how, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && pread(out, words, sizeof words - 1, 0) > 0)
        words[strcspn(words, "\n")] = '\0';
    close(in), close(out);
    if (!is_found)
        return error_set(err, STATUS_IO,
                         "there is no `%s` on this machine: install the package iproute2", name);
    if (pid < 0)
        return error_set(err, STATUS_IO, "%s cannot be started: %s", path, strerror(errno));
    if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
        return STATUS_OK;
    return error_set(err, STATUS_IO, "%s: %s", path, words);
}

/* --- Namespaces ------------------------------------------------------------------------------- */

/* Negative: there is none. */
static int own_namespace(void)
{
    return open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
}

static enum status refuse_namespace(struct error *err)
{
    if (errno == EPERM)
        return error_set(err, STATUS_IO,
                         "a network for each node needs the rights to make one: be root, or have "
                         "CAP_SYS_ADMIN and CAP_NET_ADMIN");
    return error_set(err, STATUS_IO, "this kernel makes no namespace of the network: %s",
                     strerror(errno));
}

static enum status make_namespaces(struct network *n, unsigned node_count, struct error *err)
{
    n->home = own_namespace();
    if (n->home < 0)
        return refuse_namespace(err);
    n->is_open = true;
    for (unsigned i = 0; i < node_count; i++) {
        if (unshare(CLONE_NEWNET) != 0)
            return refuse_namespace(err);
        n->nodes[i] = own_namespace();
        if (n->nodes[i] < 0)
            return refuse_namespace(err);
        n->node_count++;
    }
    return unshare(CLONE_NEWNET) == 0 ? STATUS_OK : refuse_namespace(err); /* the hub's */
}

void network_address(unsigned node, char address[NETWORK_ADDRESS_SIZE])
{
    assert(node < NETWORK_NODES_MAX);
    snprintf(address, NETWORK_ADDRESS_SIZE, "10.0.%u.2", node + 1);
}

static enum status let_hub_pass_on(struct error *err)
{
    static const char path[] = "/proc/sys/net/ipv4/ip_forward";
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool is_done = file >= 0 && write(file, "1", 1) == 1;

    if (!is_done)
        (void)!error_set(err, STATUS_IO, "%s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    return is_done ? STATUS_OK : err->status;
}

static enum status link_all(const struct network *n, struct error *err)
{
    struct buffer lines = { 0 };
    enum status status;

    buffer_print(&lines, "link set lo up\n");
    for (unsigned i = 0; i < n->node_count; i++) {
        buffer_print(&lines, "link add name node%u type veth peer name hub netns /proc/%d/fd/%d\n",
                     i, (int)getpid(), n->nodes[i]);
        buffer_print(&lines, "addr add 10.0.%u.1/24 dev node%u\nlink set node%u up\n", i + 1, i, i);
    }
    status = run("ip", -1, &lines, err);
    for (unsigned i = 0; status == STATUS_OK && i < n->node_count; i++) {
        buffer_clear(&lines);
        buffer_print(&lines,
                     "link set lo up\naddr add 10.0.%u.2/24 dev hub\nlink set hub up\n"
                     "route add default via 10.0.%u.1\n",
                     i + 1, i + 1);
        status = run("ip", n->nodes[i], &lines, err);
    }
    buffer_close(&lines);
    return status == STATUS_OK ? let_hub_pass_on(err) : status;
}

/* Whether the kernel knows netem is seen when it is asked for. */
static enum status try_slow(const struct network *n, struct error *err)
{
    struct error why;

    if (network_slow(n, 0, true, &why) == STATUS_OK)
        return network_slow(n, 0, false, err);
    return error_set(err, STATUS_IO,
                     "a slow network needs netem of the kernel (module sch_netem): %s", why.text);
}

enum status network_open(struct network *n, unsigned node_count, bool slows, struct error *err)
{
    enum status status;

    assert(node_count > 0 && node_count <= NETWORK_NODES_MAX);
    *n = (struct network){ .is_open = false };
    status = make_namespaces(n, node_count, err);
    if (status == STATUS_OK)
        status = link_all(n, err);
    if (status == STATUS_OK && slows)
        status = try_slow(n, err);
    if (status != STATUS_OK)
        network_close(n);
    return status;
}

void network_close(struct network *n)
{
    if (!n->is_open)
        return;
    for (unsigned i = 0; i < n->node_count; i++)
        close(n->nodes[i]);
    (void)!setns(n->home, CLONE_NEWNET); /* with the rights by which it was left */
    close(n->home);
    n->is_open = false;
}

bool network_enter(const struct network *n, unsigned node)
{
    assert(node < n->node_count);
    return setns(n->nodes[node], CLONE_NEWNET) == 0;
}

/* --- Faults ----------------------------------------------------------------------------------- */

enum status network_part(const struct network *n, unsigned node, bool begins, struct error *err)
{
    const char *verb = begins ? "add" : "del";
    struct buffer lines = { 0 };
    enum status status;

    assert(node < n->node_count);
    buffer_print(&lines, "rule %s iif node%u blackhole\n", verb, node);
    for (unsigned i = 0; i < n->node_count; i++)
        if (i != node)
            buffer_print(&lines, "rule %s iif node%u to 10.0.%u.0/24 blackhole\n", verb, i,
                         node + 1);
    status = run("ip", -1, &lines, err);
    buffer_close(&lines);
    return status;
}

uint64_t network_sent(unsigned node)
{
    FILE *file = fopen("/proc/thread-self/net/dev", "re");
    char line[300], name[16];
    uint64_t sent = 0;

    snprintf(name, sizeof name, " node%u:", node);
    while (file && fgets(line, sizeof line, file)) {
        const char *found = strstr(line, name);

        if (found) /* of what was received there are eight figures; bytes come before packets */
            (void)!sscanf(found + strlen(name), "%*u %*u %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
                          &sent);
    }
    if (file)
        fclose(file);
    return sent;
}

/* What came in, and was neither passed on nor taken by a process of the hub. */
static uint64_t count_dropped(void)
{
    FILE *file = fopen("/proc/thread-self/net/snmp", "re");
    uint64_t got = 0, passed = 0, taken = 0;

    if (file) {
        (void)!fscanf(file, "%*[^\n] Ip: %*u %*u %" SCNu64 " %*u %*u %" SCNu64 " %*u %*u %" SCNu64,
                      &got, &passed, &taken);
        fclose(file);
    }
    return got - passed - taken;
}

/* A packet that is on its way while the figures are read makes them differ. */
uint64_t network_dropped(void)
{
    uint64_t dropped = count_dropped(), before;
    int attempts = 0;

    do {
        before = dropped;
        dropped = count_dropped();
    } while (dropped != before && ++attempts < 100);
    return dropped;
}

enum status network_slow(const struct network *n, unsigned node, bool begins, struct error *err)
{
    struct buffer lines = { 0 };
    enum status status;

    assert(node < n->node_count);
    if (begins)
        buffer_print(&lines, "qdisc add dev node%u root netem delay 100ms 20ms limit 100000\n",
                     node);
    else
        buffer_print(&lines, "qdisc del dev node%u root\n", node);
    status = run("tc", -1, &lines, err);
    buffer_close(&lines);
    return status;
}
