/*
 * Reads Jepsen's text logs of one register, as Knossos and Porcupine read them:
 *
 *     INFO  jepsen.util - 0 :invoke :read nil
 *     INFO  jepsen.util - 1 :invoke :cas  [3 4]
 *     INFO  jepsen.util - 0 :ok     :read 3
 *     INFO  jepsen.util - 1 :info   :cas  :timed-out
 *
 * Lines that do not begin so are other people's and passed over, and so are those of processes
 * that are no numbers. There are no times but the order of the lines, which therefore
 * are the times. What is behind an operation's value is a comment.
 */
#include <string.h>

#include "history/foreign/foreign_private.h"
#include "history/foreign/jepsen_events_private.h"

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static bool pass_word(const char **at, const char *end, const char *word)
{
    size_t length = strlen(word);

    if ((size_t)(end - *at) < length || memcmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool pass_blanks(const char **at, const char *end)
{
    const char *from = *at;

    while (*at < end && is_blank(**at))
        (*at)++;
    return *at > from;
}

/* Whether the line tells of an operation of a numbered process, whose number comes next. */
static bool pass_beginning(const char **at, const char *end)
{
    (void)pass_blanks(at, end);
    return pass_word(at, end, "INFO") && pass_blanks(at, end) &&
           pass_word(at, end, "jepsen.util") && pass_blanks(at, end) && pass_word(at, end, "-") &&
           pass_blanks(at, end) && *at < end && **at >= '0' && **at <= '9';
}

/* Process, type, function and where the value is; the lexer ends where the line does. */
static enum status take_event(struct edn *e, struct event *event, struct error *err)
{
    struct edn_scalar scalar;

    event->has_process = event->is_numbered = true;
    TRY(edn_take_integer(e, "a process, a number", &event->process, err));
    TRY(edn_take(e, ":invoke, :ok, :fail or :info", &scalar, err));
    jepsen_name_type(e, &scalar, event);
    if (!event->has_type)
        return edn_refuse(e, ":invoke, :ok, :fail or :info before this", err);
    TRY(edn_take(e, ":read, :write or :cas", &scalar, err));
    jepsen_name_function(e, &scalar, event);
    if (!event->has_function || event->function == F_TXN || event->function > F_CAS)
        return edn_refuse(e, ":read, :write or :cas before this", err);
    if (edn_peek(e) == EDN_END)
        return edn_refuse(e, "a value", err);
    event->value = e->at;
    return edn_skip(e, err);
}

/* A value of an invocation, or of an ok, is a register's; others may say what went wrong. */
static enum status add_line(struct jepsen_reader *r, const char *at, const char *end,
                            uint64_t line, struct error *err)
{
    struct event event = { .time = (int64_t)line, .index = -1 };
    const char *end_of_all = r->whole.edn.end;
    enum status status;

    r->whole.edn.at = at;
    r->whole.edn.end = end;
    status = take_event(&r->whole.edn, &event, err);
    if (status == STATUS_OK)
        status = jepsen_add_event(r, &event, err);
    r->whole.edn.end = end_of_all;
    return status;
}

static enum status read_lines(struct jepsen_reader *r, struct error *err)
{
    const char *at = r->whole.edn.begin;

    for (uint64_t line = 1; at < r->whole.edn.end; line++) {
        const char *end = memchr(at, '\n', (size_t)(r->whole.edn.end - at)), *word = at;

        if (!end)
            end = r->whole.edn.end;
        if (pass_beginning(&word, end))
            TRY(add_line(r, word, end, line, err));
        at = end < r->whole.edn.end ? end + 1 : end;
    }
    r->whole.edn.at = r->whole.edn.end;
    return jepsen_end(r, err);
}

static enum status read_porcupine(struct source *source, struct history *history,
                                  struct error *err)
{
    struct jepsen_reader r;
    enum status status;

    jepsen_begin(&r);
    jepsen_survey_registers(&r);
    status = draft_begin_file(&r.whole, source, false, err);
    if (status == STATUS_OK)
        status = read_lines(&r, err);
    status = draft_end_file(&r.whole, source, status, "jepsen", history, err);
    jepsen_close(&r);
    return status;
}

/* One of the first lines tells of an operation. */
static bool is_it(struct text beginning)
{
    const char *at = beginning.at, *end = beginning.at + beginning.length;

    while (at < end) {
        const char *word = at, *line_end = memchr(at, '\n', (size_t)(end - at));

        if (!line_end)
            line_end = end;
        if (pass_beginning(&word, line_end))
            return true;
        at = line_end < end ? line_end + 1 : end;
    }
    return false;
}

const struct foreign foreign_porcupine = { .is_it = is_it, .read = read_porcupine };
