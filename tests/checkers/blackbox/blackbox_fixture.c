#include "tests/checkers/blackbox/blackbox_fixture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/timeout.h"
#include "history/jsonl/jsonl_write.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

const enum level blackbox_levels[BLACKBOX_LEVELS] = {
    LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE,
    LEVEL_SNAPSHOT,     LEVEL_SESSION_SNAPSHOT,     LEVEL_STRICT_SNAPSHOT,
};

bool blackbox_needs_time(enum level level)
{
    return level == LEVEL_STRICT_SERIALIZABLE || level == LEVEL_STRICT_SNAPSHOT;
}

static void print_history(const struct history *history)
{
    struct buffer text = { 0 };
    struct error err = { 0 };
    struct sink sink;

    sink_open_memory(&sink, &text);
    if (jsonl_write(history, &sink, NULL, &err) == STATUS_OK)
        printf("%.*s", (int)text.count, text.at);
    sink_close(&sink);
    buffer_close(&text);
}

void blackbox_fail(const struct blackbox_question *question, const char *format, ...)
{
    const struct check_options *options = &question->options;
    char why[1500], label[2000];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (question->history->txn_count <= 100)
        print_history(question->history);
    snprintf(label, sizeof label,
             "%s, seed %llu, at %s, engine %s, %u threads%s, version order %llu/%llu: %s",
             question->what, (unsigned long long)question->seed, level_name(options->level),
             options->engine == ENGINE_Z3 ? "z3" : "native", options->threads,
             options->flags & CHECK_SLOWLY ? ", slowly" : "",
             (unsigned long long)options->version_order.numerator,
             (unsigned long long)options->version_order.denominator, why);
    TEST_FAIL_MESSAGE(label);
}

static void look_at_check(const struct blackbox_question *question, const struct check *check)
{
    char reason[512];

    if ((check->verdict == VERDICT_INVALID) != (check->findings.count > 0))
        blackbox_fail(question, "%s with %zu findings", fixture_verdict_name(check->verdict),
                      check->findings.count);
    if ((check->verdict == VERDICT_UNKNOWN) != (check->reason[0] != '\0'))
        blackbox_fail(question, "%s, and as reason \"%s\"", fixture_verdict_name(check->verdict),
                      check->reason);
    if (check->verdict == VERDICT_UNKNOWN) {
        if (check->witness.count > 0)
            blackbox_fail(question, "unknown, with a witness");
        if (strstr(check->reason, "mistake of the checker"))
            blackbox_fail(question, "%s", check->reason);
        return;
    }
    if (!fixture_verify(question->history, (struct text){ check->witness.at, check->witness.count },
                        reason)) {
        printf("%.*s\n", (int)check->witness.count, check->witness.at);
        blackbox_fail(question, "%s, and verify says: %s", fixture_verdict_name(check->verdict),
                      reason);
    }
}

enum verdict blackbox_ask(const struct blackbox_question *question)
{
    struct check_options options = question->options;
    struct error err = { 0 };
    struct timeout timeout;
    enum verdict verdict;
    struct check check;

    options.flags |= CHECK_WITNESS;
    ASSERT_OK(timeout_begin(&timeout, question->patience_ns, &err), &err);
    options.stop = timeout_stop(&timeout);
    if (checker_run(checker_find(TEXT("blackbox")), question->history, &options, &check, &err) !=
        STATUS_OK)
        blackbox_fail(question, "refused: %s", err.text);
    timeout_end(&timeout);
    look_at_check(question, &check);
    verdict = check.verdict;
    check_close(&check);
    return verdict;
}
