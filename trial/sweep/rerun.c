#include "trial/sweep/rerun_private.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "checkers/checker.h"
#include "trial/run/signature.h"
#include "trial/sweep/workers.h"

/* Ourselves, also if the file has been replaced since. */
#define PROGRAM "/proc/self/exe"
#define CANNOT_RUN 127

/* --- Running ---------------------------------------------------------------------------------- */

static void exec_run(const struct rerun *rerun, int output)
{
    size_t count = 6 + 2 * rerun->set_count;
    char **argv = calloc(count + 1, sizeof *argv);
    char seed[24];
    size_t n = 0;
    int silent = open("/dev/null", O_WRONLY);

    if (!argv)
        _exit(CANNOT_RUN);
    snprintf(seed, sizeof seed, "%" PRIu64, rerun->seed);
    argv[n++] = (char *)"ordeal";
    argv[n++] = (char *)"run";
    argv[n++] = (char *)rerun->path;
    argv[n++] = (char *)"--seed";
    argv[n++] = seed;
    argv[n++] = (char *)"--json";
    for (size_t i = 0; i < rerun->set_count; i++) {
        argv[n++] = (char *)"--set";
        argv[n++] = (char *)rerun->sets[i];
    }
    dup2(output, STDOUT_FILENO);
    if (silent >= 0)
        dup2(silent, STDERR_FILENO);
    execv(PROGRAM, argv);
    _exit(CANNOT_RUN);
}

static void read_all(int from, struct buffer *out)
{
    for (;;) {
        char *to = buffer_reserve(out, 65536);
        ssize_t got = to ? read(from, to, 65536) : -1;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        out->count += (size_t)got;
    }
}

static void tell_end(int how, struct buffer *out)
{
    if (WIFSIGNALED(how)) {
        buffer_text(out, TEXT("it dies by "));
        workers_print_signal(WTERMSIG(how), out);
    } else {
        buffer_print(out, "it exits with %d", WEXITSTATUS(how));
    }
}

/* It says nothing about the run. */
static bool is_of_machine(int how)
{
    return WIFSIGNALED(how) ? !workers_is_crash(WTERMSIG(how), 0) : WEXITSTATUS(how) == 2 || WEXITSTATUS(how) > 128;
}

/* What it printed, and how it ended as waitpid() has it. */
static enum status run_again(const struct rerun *rerun, struct buffer *out, int *how,
                             struct error *err)
{
    pid_t parent = getpid(), pid;
    struct buffer why = { 0 };
    enum status status;
    int ends[2];

    if (pipe(ends) != 0)
        return error_set(err, STATUS_IO, "cannot run again: %s", strerror(errno));
    pid = fork();
    if (pid == 0) {
        workers_end_with(parent);
        close(ends[0]);
        exec_run(rerun, ends[1]);
    }
    close(ends[1]);
    if (pid > 0)
        read_all(ends[0], out);
    close(ends[0]);
    if (pid < 0)
        return error_set(err, STATUS_IO, "cannot run again: %s", strerror(errno));
    while (waitpid(pid, how, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(*how) && WEXITSTATUS(*how) == CANNOT_RUN)
        return error_set(err, STATUS_IO, "cannot run again: the program does not start");
    if (is_of_machine(*how)) {
        buffer_text(&why, TEXT("run again by itself "));
        tell_end(*how, &why);
        buffer_byte(&why, '\0');
        status = buffer_status(&why, err);
        if (status == STATUS_OK)
            status = error_set(err, STATUS_IO, "%s", why.at);
        buffer_close(&why);
        return status;
    }
    buffer_byte(out, '\0');
    return buffer_status(out, err);
}

/* --- Comparing -------------------------------------------------------------------------------- */

/* What `ordeal run --json` ends with. */
static enum status print_tail(const struct run_outcome *outcome, struct buffer *out,
                              struct error *err)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, "failures", '[');
    for (size_t i = 0; i < outcome->failures.count; i++) {
        json_writer_open(&json, NULL, '{');
        signature_answer(outcome->failures.at[i].signature, outcome->failures.at[i].explanation,
                         &json);
        json_writer_close(&json, '}');
    }
    json_writer_close(&json, ']');
    json_writer_text(&json, "verdict", checker_verdict_name(outcome->verdict));
    buffer_text(out, TEXT("}\n"));
    buffer_byte(out, '\0');
    return buffer_status(out, err);
}

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);

    return length >= tail_length && strcmp(text + length - tail_length, tail) == 0;
}

/* A checker that found no memory says so (trial/run/jury.c), and what it would have said nobody knows. */
static bool ran_out_of_memory(const struct buffer *out)
{
    return strstr(out->at, "\"reason\":\"out of memory") != NULL;
}

enum status rerun_confirms(const struct rerun *rerun, const struct run_outcome *outcome,
                           bool *confirms, struct buffer *how, struct error *err)
{
    struct buffer out = { 0 }, tail = { 0 };
    char trace[DIGEST_HEX_SIZE + 20];
    enum status status;
    int end = 0;
    bool same_trace = false;

    snprintf(trace, sizeof trace, "\"trace\":\"%s\"", outcome->trace);
    status = print_tail(outcome, &tail, err);
    if (status == STATUS_OK)
        status = run_again(rerun, &out, &end, err);
    *confirms = false;
    if (status == STATUS_OK) {
        same_trace = strstr(out.at, trace) != NULL;
        *confirms = same_trace && ends_with(out.at, tail.at);
        if (!*confirms && ran_out_of_memory(&out))
            status = error_set(err, STATUS_IO, "run again by itself a checker runs out of memory");
    }
    if (status == STATUS_OK && !*confirms) {
        buffer_text(how, TEXT("run again by itself "));
        tell_end(end, how);
        buffer_text(how, out.at[0] == '\0' ? TEXT(" without an answer")
                    : same_trace     ? TEXT(" and finds something else in the same trace")
                                     : TEXT(" and leaves another trace"));
    }
    buffer_close(&out);
    buffer_close(&tail);
    return status;
}

enum status rerun_dies(const struct rerun *rerun, int signal, int exit_status, bool *dies,
                       struct buffer *how, struct error *err)
{
    struct buffer out = { 0 };
    int end = 0;
    enum status status = run_again(rerun, &out, &end, err);

    *dies = status == STATUS_OK &&
            (signal ? WIFSIGNALED(end) && WTERMSIG(end) == signal
             : WIFEXITED(end) && WEXITSTATUS(end) == exit_status && out.at[0] == '\0');
    if (status == STATUS_OK && !*dies) {
        buffer_text(how, TEXT("run again by itself "));
        tell_end(end, how);
    }
    buffer_close(&out);
    return status;
}
