#include "predict/confirm.h"

#include <assert.h>
#include <stdio.h>

/* --- What is asked of whom -------------------------------------------------------------------- */

static enum level level_to_hold(enum level level)
{
    return level == LEVEL_SNAPSHOT ? LEVEL_SESSION_SNAPSHOT : level;
}

static enum status ask(struct confirmation *c, const struct predict_options *options,
                       struct text checker, enum level level, struct check *check,
                       struct error *err)
{
    struct check_options asked = { .level = level,
                                   .flags = CHECK_WITNESS,
                                   .progress = options->progress,
                                   .stop = options->stop,
                                   .engine = ENGINE_NATIVE };
    const struct checker *row = checker_find(checker);

    assert(row && checker_decides(row, level));
    check_close(check);
    *check = (struct check){ 0 };
    return checker_run(row, &c->history, &asked, check, err);
}

static enum status ask_whether_it_holds(struct confirmation *c,
                                        const struct predict_options *options, struct error *err)
{
    enum level level = level_to_hold(options->level);

    return ask(c, options, level_is_snapshot(level) ? TEXT("blackbox") : TEXT("weak"), level,
               &c->holds, err);
}

static enum status ask_whether_it_fails(struct confirmation *c,
                                        const struct predict_options *options, struct error *err)
{
    TRY(ask(c, options, TEXT("blackbox"), LEVEL_SERIALIZABLE, &c->fails, err));
    return c->fails.verdict == VERDICT_INVALID
               ? STATUS_OK
               : ask(c, options, TEXT("blackbox"), LEVEL_SESSION_SERIALIZABLE, &c->fails, err);
}

/* --- The answer ------------------------------------------------------------------------------- */

static void doubt(struct confirmation *c, const struct check *check, enum verdict wanted)
{
    if (check->verdict == wanted)
        return;
    c->is_confirmed = false;
    if (check->verdict == VERDICT_UNKNOWN)
        snprintf(c->reason, sizeof c->reason,
                 "a prediction was not confirmed: %s cannot say whether %s holds: %.160s",
                 check->checker->name, level_name(check->level), check->reason);
    else
        snprintf(c->reason, sizeof c->reason,
                 "internal error: a prediction is none, since %s says that %s %s in it",
                 check->checker->name, level_name(check->level),
                 check->verdict == VERDICT_VALID ? "holds" : "is violated");
}

enum status prediction_confirm(const struct prediction *prediction, const struct dataflow *observed,
                               const struct predict_options *options, struct arena *arena,
                               struct confirmation *c, struct error *err)
{
    *c = (struct confirmation){ .is_confirmed = true };
    TRY(prediction_dataflow(prediction, observed, arena, &c->trace, err));
    TRY(dataflow_to_history(&c->trace, &c->history, err));
    TRY(ask_whether_it_holds(c, options, err));
    TRY(ask_whether_it_fails(c, options, err));
    doubt(c, &c->fails, VERDICT_INVALID);
    doubt(c, &c->holds, VERDICT_VALID);
    return c->is_confirmed ? dataflow_find_cycle(&c->trace, arena, &c->cycle, err) : STATUS_OK;
}

void confirmation_close(struct confirmation *c)
{
    check_close(&c->holds);
    check_close(&c->fails);
    history_close(&c->history);
    *c = (struct confirmation){ 0 };
}
