#include "cli/jury.h"

#include <stdio.h>
#include <string.h>

#include "checkers/interval/profile.h"
#include "cli/output.h"

static enum status judge_one(struct jury *jury, const struct checker *checker, struct error *err)
{
    struct juror *juror = &jury->jurors[jury->juror_count];
    struct check_options options = { .level = jury->level, .flags = jury->flags };
    int64_t began_ns = output_clock_ns();
    enum status status;

    if (checker->takes_profile && jury->profile && jury->profile->level == jury->level)
        options.profile = jury->profile;
    status = checker_run(checker, &jury->history, &options, &juror->check, err);
    juror->check_ns = output_clock_ns() - began_ns;
    if (status == STATUS_OK)
        jury->juror_count++;
    else
        check_close(&juror->check);
    return status;
}

static void skip(struct jury *jury, const struct checker *checker, const struct error *why)
{
    struct skipped_juror *skipped = &jury->skipped[jury->skipped_count++];

    skipped->name = checker->name;
    snprintf(skipped->reason, sizeof skipped->reason, "%s", why->text);
}

static enum status ask(struct jury *jury, const struct checker *checker, bool is_named,
                       struct error *err)
{
    struct error why = { 0 };
    enum status status = checker_examine(checker, &jury->history, jury->level, &why);

    if (status == STATUS_OK)
        status = judge_one(jury, checker, &why);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (status == STATUS_BAD_INPUT && !is_named) {
        skip(jury, checker, &why);
        return STATUS_OK;
    }
    *err = why;
    return status;
}

enum level jury_level(const struct jury_wishes *wishes, enum level promised)
{
    if (wishes->level_plus_1 > 0)
        return (enum level)(wishes->level_plus_1 - 1);
    return promised;
}

enum status jury_judge(struct jury *jury, struct history *history,
                       const struct jury_wishes *wishes, enum level promised,
                       const struct profile *profile, unsigned flags, struct error *err)
{
    const struct checker *const *all = checkers_all();

    memset(jury, 0, sizeof *jury);
    jury->history = *history;
    jury->has_history = true;
    jury->flags = flags;
    jury->profile = profile;
    jury->level = jury_level(wishes, promised);
    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++)
        if (!wishes->is_listed || (wishes->checkers >> i & 1))
            TRY(ask(jury, all[i], wishes->is_listed, err));
    return STATUS_OK;
}

void jury_close(struct jury *jury)
{
    for (uint32_t i = 0; i < jury->juror_count; i++)
        check_close(&jury->jurors[i].check);
    if (jury->has_history)
        history_close(&jury->history);
    memset(jury, 0, sizeof *jury);
}

enum verdict jury_verdict(const struct jury *jury, const struct jury_wishes *wishes)
{
    bool is_judged = wishes->is_listed && wishes->checkers == 0;

    for (uint32_t i = 0; i < jury->juror_count; i++) {
        const struct check *check = &jury->jurors[i].check;
        if (check->verdict == VERDICT_INVALID)
            return VERDICT_INVALID;
        is_judged |= check->verdict == VERDICT_VALID && check->unjudged_predicates == 0;
    }
    return is_judged ? VERDICT_VALID : VERDICT_UNKNOWN;
}
