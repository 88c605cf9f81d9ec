#include "record/session_host.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/processes.h"

struct hosted_session {
    struct session_host *host;
    uint32_t client;
    int socket;
    void *here; /* the session itself, if it is in this process */
};

/* What a process says when its session is open, and with each answer, whose arrays follow. */
struct hosted_reply {
    pid_t pid;
    enum status status;
    struct error err;
    enum database_end end;
    char code[sizeof((struct database_answer){ .xid = 0 }.code)];
    uint32_t step_count;
    size_t steps, rows, elements;
};

/* --- The socket ------------------------------------------------------------------------------- */

static bool put(int to, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        ssize_t sent = send(to, at, size, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool get(int from, void *bytes, size_t size)
{
    char *at = bytes;

    while (size > 0) {
        ssize_t got = recv(from, at, size, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* A client's number, and with it the end of a socket that its process shall have. */
union host_control {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static bool put_socket(int to, uint32_t client, int passed)
{
    union host_control control = { .bytes = { 0 } };
    struct iovec number = { &client, sizeof client };
    struct msghdr message = { .msg_iov = &number,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof passed);
    memcpy(CMSG_DATA(head), &passed, sizeof passed);
    return sendmsg(to, &message, MSG_NOSIGNAL) == (ssize_t)sizeof client;
}

/* False: the other side has ended. */
static bool get_socket(int from, uint32_t *client, int *passed)
{
    union host_control control;
    struct iovec number = { client, sizeof *client };
    struct msghdr message = { .msg_iov = &number,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control.bytes };
    ssize_t got;

    do
        got = recvmsg(from, &message, 0);
    while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof *client || !CMSG_FIRSTHDR(&message))
        return false;
    memcpy(passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof *passed);
    return true;
}

/* --- The processes ---------------------------------------------------------------------------- */

static bool reply(int to, const struct hosted_reply *head, const struct database_answer *answer)
{
    return put(to, head, sizeof *head) &&
           put(to, answer->steps.at, head->steps * sizeof *answer->steps.at) &&
           put(to, answer->rows.at, head->rows * sizeof *answer->rows.at) &&
           put(to, answer->elements.at, head->elements * sizeof *answer->elements.at);
}

static bool serve_steps(const struct session_host *host, void *session, int with)
{
    struct database_answer answer = { .end = STEPS_DONE };
    struct hosted_reply head = { .pid = getpid() };
    struct database_step *steps = NULL;
    uint32_t count;
    bool is_served = false;

    if (!get(with, &count, sizeof count))
        return false;
    steps = calloc(count, sizeof *steps);
    if (!steps) {
        head.status = error_set(&head.err, STATUS_OVER_LIMIT, "no memory for requests of a client");
        reply(with, &head, &answer);
    } else if (get(with, steps, count * sizeof *steps)) {
        head.status = host->calls->steps(session, steps, count, &answer, &head.err);
        head.end = answer.end;
        memcpy(head.code, answer.code, sizeof head.code);
        head.step_count = answer.step_count;
        head.steps = answer.steps.count;
        head.rows = answer.rows.count;
        head.elements = answer.elements.count;
        is_served = reply(with, &head, &answer);
    }
    free(steps);
    database_answer_close(&answer);
    return is_served;
}

static void serve(const struct session_host *host, uint32_t client, int with)
{
    struct hosted_reply hello = { .pid = getpid() };
    void *session = NULL;

    prctl(PR_SET_PDEATHSIG, SIGKILL); /* also of one that is stopped */
    hello.status = host->calls->open(&session, host->server, client, &hello.err);
    if (put(with, &hello, sizeof hello) && hello.status == STATUS_OK)
        while (serve_steps(host, session, with))
            ;
    if (session)
        host->calls->close(session);
    _exit(0);
}

static void refuse_session(uint32_t client, int with)
{
    struct hosted_reply hello = { .pid = 0 };

    hello.status = error_set(&hello.err, STATUS_IO, "no process for client %u: %s",
                             (unsigned)client, strerror(errno));
    put(with, &hello, sizeof hello);
}

/* Until the other end of the socket is closed, or its process has ended. */
static void fork_sessions(const struct session_host *host, int from)
{
    uint32_t client;
    int with;

    signal(SIGCHLD, SIG_IGN); /* nobody asks what became of them */
    while (get_socket(from, &client, &with)) {
        pid_t pid = fork();

        if (pid == 0) {
            close(from);
            serve(host, client, with);
        }
        if (pid < 0)
            refuse_session(client, with);
        close(with);
    }
    _exit(0);
}

enum status session_host_start(struct session_host *host, const struct session_calls *calls,
                               void *server, uint32_t clients, struct error *err)
{
    int ends[2];

    *host = (struct session_host){ .calls = calls, .server = server, .clients = clients };
    pthread_mutex_init(&host->mutex, NULL);
    host->pids = calloc(clients + (size_t)1, sizeof *host->pids);
    if (!host->pids)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %u processes", (unsigned)clients);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(err, STATUS_IO, "no socket for processes: %s", strerror(errno));
    host->pid = fork();
    if (host->pid == 0) {
        setsid(); /* what ends our group does not end it */
        processes_close_files(ends[1]);
        fork_sessions(host, ends[1]);
    }
    close(ends[1]);
    host->socket = ends[0];
    if (host->pid > 0)
        return STATUS_OK;
    close(ends[0]);
    host->pid = 0;
    return error_set(err, STATUS_IO, "no process for sessions: %s", strerror(errno));
}

void session_host_stay(struct session_host *host, const struct session_calls *calls, void *server)
{
    *host = (struct session_host){ .calls = calls, .server = server };
    pthread_mutex_init(&host->mutex, NULL);
}

void session_host_stop(struct session_host *host)
{
    if (!host->calls)
        return;
    if (host->pid > 0) {
        close(host->socket);
        waitpid(host->pid, NULL, 0);
    }
    pthread_mutex_destroy(&host->mutex);
    free(host->pids);
    *host = (struct session_host){ .pid = 0 };
}

bool session_host_signal(struct session_host *host, uint32_t client, int number)
{
    bool is_there;

    pthread_mutex_lock(&host->mutex);
    is_there = host->pids[client] > 0 && kill(host->pids[client], number) == 0;
    if (number == SIGKILL)
        host->pids[client] = 0;
    pthread_mutex_unlock(&host->mutex);
    return is_there;
}

bool session_host_fault(struct session_host *host, enum database_fault fault, bool begins,
                        uint32_t turn)
{
    uint32_t client = turn % host->clients;

    assert(fault == DATABASE_KILL || fault == DATABASE_PAUSE);
    if (fault == DATABASE_PAUSE)
        return session_host_signal(host, client, begins ? SIGSTOP : SIGCONT);
    return begins && session_host_signal(host, client, SIGKILL);
}

/* --- Sessions --------------------------------------------------------------------------------- */

static enum status greet(struct hosted_session *s, int theirs, struct error *err)
{
    struct hosted_reply hello;
    bool is_sent;

    pthread_mutex_lock(&s->host->mutex);
    is_sent = put_socket(s->host->socket, s->client, theirs);
    pthread_mutex_unlock(&s->host->mutex);
    close(theirs);
    if (!is_sent || !get(s->socket, &hello, sizeof hello))
        return error_set(err, STATUS_IO, "no process for client %u", (unsigned)s->client);
    if (hello.status != STATUS_OK) {
        *err = hello.err;
        return hello.status;
    }
    pthread_mutex_lock(&s->host->mutex);
    s->host->pids[s->client] = hello.pid;
    pthread_mutex_unlock(&s->host->mutex);
    return STATUS_OK;
}

enum status session_host_open(void **session, struct session_host *host, uint32_t client,
                              struct error *err)
{
    struct hosted_session *s;
    int ends[2];

    TRY(database_new(session, sizeof *s, err));
    s = *session;
    *s = (struct hosted_session){ .host = host, .client = client, .socket = -1 };
    if (host->pid == 0)
        return host->calls->open(&s->here, host->server, client, err);
    assert(client <= host->clients);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(err, STATUS_IO, "no socket for a process: %s", strerror(errno));
    s->socket = ends[0];
    return greet(s, ends[1], err);
}

void session_host_close(void *session)
{
    struct hosted_session *s = session;

    if (s->here)
        s->host->calls->close(s->here);
    if (s->host->pid > 0) {
        pthread_mutex_lock(&s->host->mutex);
        s->host->pids[s->client] = 0;
        pthread_mutex_unlock(&s->host->mutex);
    }
    if (s->socket >= 0)
        close(s->socket);
    free(s);
}

static enum status take_answer(struct hosted_session *s, struct database_answer *answer,
                               struct error *err)
{
    struct hosted_reply head;
    bool is_whole;

    answer->end = STEPS_LOST;
    if (!get(s->socket, &head, sizeof head))
        return STATUS_OK;
    TRY(array_reserve(&answer->steps, head.steps, err));
    TRY(array_reserve(&answer->rows, head.rows, err));
    TRY(array_reserve(&answer->elements, head.elements, err));
    is_whole = get(s->socket, answer->steps.at, head.steps * sizeof *answer->steps.at) &&
               get(s->socket, answer->rows.at, head.rows * sizeof *answer->rows.at) &&
               get(s->socket, answer->elements.at, head.elements * sizeof *answer->elements.at);
    if (!is_whole)
        return STATUS_OK;
    answer->end = head.end;
    memcpy(answer->code, head.code, sizeof answer->code);
    answer->step_count = head.step_count;
    answer->steps.count = head.steps;
    answer->rows.count = head.rows;
    answer->elements.count = head.elements;
    if (head.status != STATUS_OK)
        *err = head.err;
    return head.status;
}

enum status session_host_steps(void *session, const struct database_step *steps, uint32_t count,
                               struct database_answer *answer, struct error *err)
{
    struct hosted_session *s = session;

    if (s->here)
        return s->host->calls->steps(s->here, steps, count, answer, err);
    for (uint32_t i = 0; i < count; i++)
        assert(!steps[i].call); /* a text of ours is none of theirs */
    if (!put(s->socket, &count, sizeof count) || !put(s->socket, steps, count * sizeof *steps)) {
        answer->end = STEPS_LOST;
        return STATUS_OK;
    }
    return take_answer(s, answer, err);
}
