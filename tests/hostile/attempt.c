#include "tests/hostile/attempt.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLACK_MS 500

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t ms_of(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000 + time.tv_usec / 1000;
}

static void become(const char *const *arguments, const char *input, int words, const sigset_t *mask)
{
    int nothing = open("/dev/null", O_RDWR);
    int in = open(input, O_RDONLY);
    struct rlimit none = { 0, 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    sigprocmask(SIG_SETMASK, mask, NULL);
    setpgid(0, 0);
    dup2(in, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(words, STDERR_FILENO);
    execv(arguments[0], (char *const *)arguments);
    _exit(127);
}

/* Waits until the child ends or the time has come. */
static bool wait_until(pid_t child, int64_t until_ms, int *status, struct rusage *used,
                       const sigset_t *child_ended)
{
    for (;;) {
        int64_t left = until_ms - now_ms();
        struct timespec wait = { left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0 };

        if (wait4(child, status, WNOHANG, used) == child)
            return true;
        if (left <= 0)
            return false;
        sigtimedwait(child_ended, NULL, &wait);
    }
}

struct attempt attempt_run(const char *const *arguments, const char *input,
                           const struct limits *limits)
{
    struct attempt attempt = { .status = -1 };
    FILE *words = tmpfile();
    int64_t began = now_ms();
    struct rusage used;
    sigset_t child_ended, before;
    size_t length;
    int status = 0;
    pid_t child;

    assert(words);
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, &before);
    child = fork();
    assert(child >= 0);
    if (child == 0)
        become(arguments, input, fileno(words), &before);
    if (!wait_until(child, began + limits->seconds * 4000 + SLACK_MS, &status, &used, &child_ended)) {
        attempt.was_stopped = true;
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
        wait4(child, &status, 0, &used);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    attempt.wall_ms = now_ms() - began;
    attempt.cpu_ms = ms_of(used.ru_utime) + ms_of(used.ru_stime);
    attempt.megabytes_max = used.ru_maxrss / 1024;
    if (WIFSIGNALED(status))
        attempt.signal = WTERMSIG(status);
    else
        attempt.status = WEXITSTATUS(status);
    rewind(words);
    length = fread(attempt.words, 1, sizeof attempt.words - 1, words);
    attempt.words[length] = '\0';
    fclose(words);
    return attempt;
}

const char *attempt_fault(const struct attempt *attempt, const struct limits *limits)
{
    if (attempt->was_stopped)
        return "it did not end";
    if (attempt->signal != 0)
        return "a signal ended it";
    if (attempt->status < 0 || attempt->status > 3)
        return "its exit status is none of 0 to 3";
    if (attempt->status == 2 && attempt->words[0] == '\0')
        return "it refuses and does not say why";
    if (attempt->cpu_ms > limits->seconds * 1000 + SLACK_MS)
        return "it took too long";
    if (attempt->megabytes_max > limits->megabytes)
        return "it took too much memory";
    return NULL;
}
