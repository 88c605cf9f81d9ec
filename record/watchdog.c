#define _GNU_SOURCE /* pipe2() */

#include "record/watchdog.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/processes.h"

/* A process has started, or ended (0); or, with a number that no process has, all is over. */
struct watchdog_word {
    unsigned number;
    pid_t pid;
};

/* The end of the pipe is our end. */
static void watch(int pipe_end, void (*clean)(void *context), void *context)
{
    pid_t pids[WATCHDOG_PROCESSES_MAX] = { 0 };
    struct watchdog_word word;
    ssize_t got;

    while ((got = read(pipe_end, &word, sizeof word)) == sizeof word ||
           (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        if (word.number == WATCHDOG_PROCESSES_MAX)
            return;
        pids[word.number] = word.pid;
    }
    for (unsigned i = 0; i < WATCHDOG_PROCESSES_MAX; i++)
        if (pids[i] > 0)
            processes_kill(pids[i], false);
    clean(context);
}

static void send_word(const struct watchdog *dog, struct watchdog_word word)
{
    ssize_t sent;

    do
        sent = write(dog->pipe, &word, sizeof word);
    while (sent < 0 && errno == EINTR);
}

void watchdog_tell(const struct watchdog *dog, unsigned number, pid_t pid)
{
    assert(number < WATCHDOG_PROCESSES_MAX);
    send_word(dog, (struct watchdog_word){ number, pid });
}

/* A child of ours in a session of its own, so that what ends our group does not end it. */
enum status watchdog_start(struct watchdog *dog, void (*clean)(void *context), void *context,
                           struct error *err)
{
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, STATUS_IO, "no pipe for a watchdog: %s", strerror(errno));
    pid = fork();
    if (pid == 0) {
        setsid();
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        processes_close_files(ends[0]);
        watch(ends[0], clean, context);
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return error_set(err, STATUS_IO, "no watchdog: %s", strerror(errno));
    }
    *dog = (struct watchdog){ pid, ends[1] };
    return STATUS_OK;
}

void watchdog_end(struct watchdog *dog, bool is_clean)
{
    if (dog->pid == 0)
        return;
    if (is_clean)
        send_word(dog, (struct watchdog_word){ .number = WATCHDOG_PROCESSES_MAX });
    close(dog->pipe);
    waitpid(dog->pid, NULL, 0);
    dog->pid = 0;
}
