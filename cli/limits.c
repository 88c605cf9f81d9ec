#include "cli/limits.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_writer.h"
#include "base/memory_limit.h"
#include "base/quantity.h"
#include "base/wall_clock.h"
#include "cli/interrupt.h"

/* The process ends here: whoever cannot be told does not keep it from that. */
static void write_all(int file, struct text text)
{
    while (text.length > 0) {
        ssize_t written = write(file, text.at, text.length);

        if (written <= 0)
            return;
        text.at += written;
        text.length -= (size_t)written;
    }
}

/* Called by the thread of the timeout. */
static void end_process(void *context)
{
    struct limits *limits = context;

    pthread_mutex_lock(&limits->mutex);
    write_all(STDOUT_FILENO, (struct text){ limits->kept.at, limits->kept.count });
    write_all(STDOUT_FILENO, (struct text){ limits->known.at, limits->known.count });
    write_all(STDERR_FILENO, TEXT("ordeal: "));
    write_all(STDERR_FILENO, text_of(limits->reason));
    write_all(STDERR_FILENO, TEXT("\n"));
    _exit(limits->code);
}

/* In a signal's handler. What was published gives the time limit as the reason: not now. */
static void say_interrupted(void *context)
{
    const struct limits *limits = context;
    struct text left = { limits->known.at, limits->known.count };
    size_t length = strlen(limits->reason), from = 0;

    write_all(STDOUT_FILENO, (struct text){ limits->kept.at, limits->kept.count });
    while (from < left.length) {
        if (left.length - from < length || memcmp(left.at + from, limits->reason, length) != 0) {
            from++;
            continue;
        }
        write_all(STDOUT_FILENO, (struct text){ left.at, from });
        write_all(STDOUT_FILENO, text_of(limits->interrupted));
        left = (struct text){ left.at + from + length, left.length - from - length };
        from = 0;
    }
    write_all(STDOUT_FILENO, left);
    write_all(STDERR_FILENO, TEXT("ordeal: "));
    write_all(STDERR_FILENO, text_of(limits->interrupted));
    write_all(STDERR_FILENO, TEXT("\n"));
}

/* What is known before anything is: whoever reads objects gets one. */
static void publish_nothing(struct limits *limits)
{
    struct buffer out = { 0 };
    struct json_writer json = { .out = &out };

    if (limits->json) {
        json_writer_open(&json, NULL, '{');
        json_writer_text(&json, "verdict", "unknown");
        json_writer_text(&json, "reason", limits->reason);
        json_writer_close(&json, '}');
        buffer_byte(&out, '\n');
    }
    limits_publish(limits, &out, limits->code_undecided);
}

enum status limits_read(const char *text, int64_t *ns, struct error *err)
{
    *ns = 0;
    if (text && !timeout_of_text(text_of(text), ns))
        return error_set(err, STATUS_BAD_INPUT,
                         "--timeout takes seconds, a decimal above 0 and at the most a year, not "
                         "'%.80s'",
                         text);
    return STATUS_OK;
}

void limits_print(const char *text, struct buffer *out)
{
    buffer_print(out, "the time limit of %s second%s", text, strcmp(text, "1") == 0 ? "" : "s");
}

static void warn(void *context)
{
    (void)context;
    interrupt_by_time();
}

static enum status start(struct limits *limits, struct error *err)
{
    const struct timeout_backstop backstop = { warn, LIMITS_GRACE_NS, end_process, limits };

    return timeout_begin_strictly(&limits->timeout, limits->limit_ns, backstop, err);
}

enum status limits_begin(struct limits *limits, const char *text, const char *unfinished, bool json,
                         int code_undecided, struct error *err)
{
    *limits = (struct limits){ .json = json, .code_undecided = code_undecided };
    pthread_mutex_init(&limits->mutex, NULL);
    TRY(limits_read(text, &limits->limit_ns, err));
    unfinished = unfinished ? unfinished : "not judged";
    snprintf(limits->interrupted, sizeof limits->interrupted, "%s: interrupted", unfinished);
    memcpy(limits->reason, limits->interrupted, sizeof limits->interrupted);
    if (text)
        snprintf(limits->reason, sizeof limits->reason, "%s: the time limit of %s second%s",
                 unfinished, text, strcmp(text, "1") == 0 ? "" : "s");
    publish_nothing(limits);
    interrupt_at_end(say_interrupted, limits);
    return start(limits, err);
}

static void set_settled(struct limits *limits, bool is_settled)
{
    if (is_settled && !limits->is_settled)
        interrupt_hold();
    if (!is_settled && limits->is_settled)
        interrupt_release();
    limits->is_settled = is_settled;
}

enum status limits_restart(struct limits *limits, struct error *err)
{
    timeout_end(&limits->timeout);
    set_settled(limits, false);
    return start(limits, err);
}

void limits_end(struct limits *limits)
{
    timeout_end(&limits->timeout);
    interrupt_at_end(NULL, NULL);
    pthread_mutex_destroy(&limits->mutex);
    buffer_close(&limits->kept);
    buffer_close(&limits->known);
}

enum status limits_set_memory(struct limits *limits, const char *text, struct error *err)
{
    uint64_t bytes = text ? 0 : memory_limit_default();
    struct buffer out = { 0 };
    int64_t given;

    if (text && (!quantity_to_bytes(text_of(text), &given) || given == 0))
        return error_set(err, STATUS_BAD_INPUT,
                         "--memory takes a size above 0, as in 512M or 4G, not '%.80s'", text);
    if (text)
        bytes = (uint64_t)given;
    if (bytes <= INT64_MAX)
        quantity_print_bytes(&out, (int64_t)bytes);
    snprintf(limits->memory, sizeof limits->memory, "--memory %.*s", (int)out.count,
             out.at ? out.at : "");
    buffer_close(&out);
    return memory_limit_set(bytes, err);
}

const atomic_bool *limits_stop(const struct limits *limits)
{
    return timeout_stop(&limits->timeout);
}

bool limits_is_over(const struct limits *limits)
{
    return timeout_is_over(&limits->timeout);
}

const char *limits_ended_by(const struct limits *limits)
{
    if (interrupt_signal() != 0)
        return interrupt_name();
    return limits_is_over(limits) ? "--timeout" : NULL;
}

int64_t limits_left_ns(const struct limits *limits)
{
    int64_t left;

    if (limits->limit_ns == 0)
        return 0;
    left = limits->timeout.until_ns - wall_clock_ns();
    return left > 0 ? left : 1;
}

void limits_publish(struct limits *limits, struct buffer *report, int code)
{
    interrupt_hold();
    pthread_mutex_lock(&limits->mutex);
    if (report->out_of_memory)
        buffer_clear(report);
    buffer_close(&limits->known);
    limits->known = *report;
    limits->code = code;
    pthread_mutex_unlock(&limits->mutex);
    *report = (struct buffer){ 0 };
    interrupt_release();
}

void limits_keep(struct limits *limits, struct text text)
{
    interrupt_hold();
    pthread_mutex_lock(&limits->mutex);
    buffer_text(&limits->kept, text);
    pthread_mutex_unlock(&limits->mutex);
    interrupt_release();
}

void limits_settle(struct limits *limits)
{
    timeout_end(&limits->timeout);
    set_settled(limits, true);
}
