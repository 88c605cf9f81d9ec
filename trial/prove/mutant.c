/*
 * Whether a mutant is wrong, and who says so.
 */
#include "trial/prove/mutate.h"

#include "checkers/checker.h"
#include "trial/prove/brute.h"

static enum brute_order order_of(enum level level)
{
    return level == LEVEL_STRICT_SERIALIZABLE    ? BRUTE_TIME
           : level == LEVEL_SESSION_SERIALIZABLE ? BRUTE_SESSIONS
                                                 : BRUTE_ANY;
}

static enum mutant_end end_of(enum verdict verdict, bool is_wrong, bool is_bare)
{
    if (verdict == VERDICT_UNKNOWN)
        return MUTANT_UNDECIDED;
    if (is_wrong)
        return verdict == VERDICT_INVALID ? MUTANT_CAUGHT : MUTANT_MISSED;
    if (verdict == VERDICT_VALID)
        return MUTANT_LEFT;
    return is_bare ? MUTANT_ACCUSED : MUTANT_STRICTER;
}

/* That it lacks something is no answer; that it fails is. */
static enum status ask(const struct checker *checker, const struct history *h, enum level level,
                       bool *answered, enum verdict *verdict, struct error *err)
{
    struct check_options options = { .level = level };
    struct error why = { 0 };
    struct check check;
    enum status status = checker_examine(checker, h, level, &why);

    *answered = false;
    if (status == STATUS_BAD_INPUT)
        return STATUS_OK;
    if (status == STATUS_OK) {
        status = checker_run(checker, h, &options, &check, &why);
        *answered = status == STATUS_OK;
        *verdict = check.verdict;
        check_close(&check);
    }
    if (status == STATUS_OK || status == STATUS_BAD_INPUT)
        return STATUS_OK;
    *err = why;
    return status;
}

/* Everybody who has not answered yet. */
static enum status ask_all(const struct sketch *sketch, bool is_bare, enum level level,
                           struct mutant *mutant, struct error *err)
{
    const struct checker *const *all = checkers_all();
    struct history history;
    struct error why = { 0 };
    enum status status = sketch_build(sketch, !is_bare, &history, &why);

    /* What has become nonsense is no history, or no certificate. */
    if (status == STATUS_BAD_INPUT)
        return STATUS_OK;
    if (status != STATUS_OK) {
        *err = why;
        return status;
    }
    mutant->is_history = true;
    for (uint32_t i = 0; status == STATUS_OK && all[i] && i < JURY_MAX; i++) {
        enum verdict verdict = VERDICT_UNKNOWN;
        bool answered = false;
        if (mutant->ends[i] != MUTANT_NOT_ASKED)
            continue;
        status = ask(all[i], &history, level, &answered, &verdict, err);
        if (answered)
            mutant->ends[i] = end_of(verdict, mutant->is_wrong, is_bare);
    }
    history_close(&history);
    return status;
}

enum status mutant_judge(const struct sketch *sketch, enum level level, struct mutant *mutant,
                         struct error *err)
{
    bool is_serializable = false;

    *mutant = (struct mutant){ .is_wrong = false };
    TRY(brute_is_serializable(sketch, order_of(level), &is_serializable, err));
    mutant->is_wrong = !is_serializable;
    TRY(ask_all(sketch, true, level, mutant, err));
    if (!mutant->is_history)
        return STATUS_OK;
    return ask_all(sketch, false, level, mutant, err);
}
