#include "trial/run/jury.h"

#include <stdio.h>
#include <string.h>

#include "base/wall_clock.h"
#include "checkers/interval/profile.h"
#include "trial/run/due.h"

static enum status judge_one(struct jury *jury, const struct checker *checker, bool is_due,
                             struct error *err)
{
    struct juror *juror = &jury->jurors[jury->juror_count];
    struct check_options options = { .level = jury->level, .flags = jury->of.flags };
    int64_t began_ns = wall_clock_ns();
    enum status status;

    if (checker_can(checker, ABLE_PROFILE) && jury->of.profile && jury->of.profile->level == jury->level)
        options.profile = jury->of.profile;
    status = checker_run(checker, &jury->history, &options, &juror->check, err);
    juror->check_ns = wall_clock_ns() - began_ns;
    juror->is_due = is_due;
    if (status == STATUS_OK)
        jury->juror_count++;
    else
        check_close(&juror->check);
    return status;
}

static void skip(struct jury *jury, const struct checker *checker, bool is_due,
                 const struct error *why)
{
    struct skipped_juror *skipped = &jury->skipped[jury->skipped_count++];

    skipped->name = checker->name;
    skipped->is_due = is_due;
    snprintf(skipped->reason, sizeof skipped->reason, "%s", why->text);
}

static enum status ask(struct jury *jury, const struct checker *checker, bool is_named,
                       struct error *err)
{
    bool is_due = is_named || checker_is_due(checker, &jury->of.protocol, &jury->history,
                                             jury->level);
    struct error why = { 0 };
    enum status status = checker_examine(checker, &jury->history, jury->level, &why);

    if (status == STATUS_OK)
        status = judge_one(jury, checker, is_due, &why);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (status == STATUS_BAD_INPUT && !is_named) {
        skip(jury, checker, is_due, &why);
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
                       const struct jury_wishes *wishes, const struct jury_case *of,
                       struct error *err)
{
    const struct checker *const *all = checkers_all();

    memset(jury, 0, sizeof *jury);
    jury->history = *history;
    jury->has_history = true;
    jury->of = *of;
    jury->level = jury_level(wishes, of->protocol.level);
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

bool jury_is_due(const struct jury *jury, const struct checker *checker)
{
    for (uint32_t i = 0; i < jury->juror_count; i++)
        if (jury->jurors[i].check.checker == checker)
            return jury->jurors[i].is_due;
    for (uint32_t i = 0; i < jury->skipped_count; i++)
        if (strcmp(jury->skipped[i].name, checker->name) == 0)
            return jury->skipped[i].is_due;
    return false;
}

bool jury_gap(const struct jury *jury, uint32_t index, struct jury_gap *gap)
{
    const struct checker *const *all = checkers_all();

    for (uint32_t i = 0; all[i]; i++) {
        *gap = (struct jury_gap){ 0 };
        for (uint32_t k = 0; k < jury->juror_count; k++) {
            const struct juror *juror = &jury->jurors[k];

            if (juror->check.checker == all[i] && juror->is_due &&
                juror->check.verdict == VERDICT_UNKNOWN)
                *gap = (struct jury_gap){ all[i]->name, juror->check.reason };
        }
        for (uint32_t k = 0; k < jury->skipped_count; k++)
            if (strcmp(jury->skipped[k].name, all[i]->name) == 0 && jury->skipped[k].is_due)
                *gap = (struct jury_gap){ all[i]->name, jury->skipped[k].reason };
        if (gap->checker && index-- == 0)
            return true;
    }
    return false;
}

enum verdict jury_verdict(const struct jury *jury, const struct jury_wishes *wishes)
{
    bool is_judged = wishes->is_listed && wishes->checkers == 0;
    struct jury_gap gap;

    for (uint32_t i = 0; i < jury->juror_count; i++) {
        const struct check *check = &jury->jurors[i].check;
        if (check->verdict == VERDICT_INVALID)
            return VERDICT_INVALID;
        is_judged |= check->verdict == VERDICT_VALID;
    }
    return is_judged && !jury_gap(jury, 0, &gap) ? VERDICT_VALID : VERDICT_UNKNOWN;
}
