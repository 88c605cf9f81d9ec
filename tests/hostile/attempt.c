#define _GNU_SOURCE /* F_SETPIPE_SZ */
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
/* Of the longest file that a pipe is to hold, and what every pipe holds. */
#define PIPE_BYTES (1 << 20)
#define PIPE_BYTES_DEFAULT (1 << 16)

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

/* What there is to do in the new process: a program is started, or a function called. */
struct deed {
    int (*function)(int count, char *const *arguments); /* NULL: a program */
    const char *const *arguments;
    int input, words; /* files: its standard input and standard error */
};

static void become(const struct deed *deed, const sigset_t *mask)
{
    int nothing = open("/dev/null", O_RDWR), count = 0;
    struct rlimit none = { 0, 0 };

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &none);
    sigprocmask(SIG_SETMASK, mask, NULL);
    setpgid(0, 0);
    dup2(deed->input, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(deed->words, STDERR_FILENO);
    close(deed->input);
    while (deed->arguments[count])
        count++;
    if (deed->function)
        exit(deed->function(count, (char *const *)deed->arguments));
    execv(deed->arguments[0], (char *const *)deed->arguments);
    _exit(127);
}

/* A pipe that holds all of the file: nobody need write to it while it is read. */
static int pipe_of(int file)
{
    char bytes[PIPE_BYTES];
    ssize_t size = read(file, bytes, sizeof bytes);
    int ends[2];
    bool is_whole;

    assert(size >= 0 && size < PIPE_BYTES);
    is_whole = pipe(ends) == 0 &&
               (size <= PIPE_BYTES_DEFAULT || fcntl(ends[1], F_SETPIPE_SZ, PIPE_BYTES) >= size) &&
               write(ends[1], bytes, (size_t)size) == size;
    assert(is_whole);
    close(ends[1]);
    return ends[0];
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

/* One for all, since a new one costs a disk as much as a small attempt does; now empty. */
static int words_file(void)
{
    static FILE *words;
    bool is_empty;

    if (!words)
        words = tmpfile();
    is_empty = words && ftruncate(fileno(words), 0) == 0 && lseek(fileno(words), 0, SEEK_SET) == 0;
    assert(is_empty);
    return fileno(words);
}

static struct attempt attempt(struct deed *deed, const struct allowance *limits)
{
    struct attempt attempt = { .status = -1 };
    int64_t began = now_ms();
    struct rusage used;
    sigset_t child_ended, before;
    ssize_t length;
    int status = 0;
    pid_t child;

    deed->words = words_file();
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ended, &before);
    fflush(stdout);
    child = fork();
    assert(child >= 0);
    if (child == 0)
        become(deed, &before);
    close(deed->input);
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
    length = pread(deed->words, attempt.words, sizeof attempt.words - 1, 0);
    attempt.words[length > 0 ? length : 0] = '\0';
    return attempt;
}

struct attempt attempt_run(const char *const *arguments, const char *input, const struct allowance *limits)
{
    struct deed deed = { .arguments = arguments, .input = open(input, O_RDONLY | O_CLOEXEC) };

    return attempt(&deed, limits);
}

struct attempt attempt_call(int (*function)(int count, char *const *arguments), const char *const *arguments,
                            const char *input, const struct allowance *limits)
{
    int file = open(input, O_RDONLY | O_CLOEXEC);
    struct deed deed = { .function = function, .arguments = arguments, .input = pipe_of(file) };

    close(file);
    return attempt(&deed, limits);
}

const char *attempt_fault(const struct attempt *attempt, const struct allowance *limits)
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
