#include "trial/run/panel.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/timeout.h"
#include "base/wall_clock.h"
#include "checkers/lattice.h"

/* --- Who is asked ------------------------------------------------------------------------------ */

/*
 * Where the first decisive verdict is enough, the one that knows most about the history is first;
 * else the cheaper one: each pass over the history before any search.
 */
static const struct checker *checker_at(const struct panel_options *options, size_t index)
{
    const struct checker *const *all = checkers_all();

    for (size_t i = 0; all[i] && !options->stops_first; i++) {
        size_t cheaper = 0;

        for (size_t k = 0; all[k]; k++)
            cheaper += all[k]->cost < all[i]->cost;
        if (cheaper == index)
            return all[i];
    }
    return all[index];
}

static void skip(struct panel *panel, const struct checker *checker, const char *reason)
{
    struct skipped_juror *skipped = &panel->skipped[panel->skipped_count++];

    skipped->name = checker->name;
    snprintf(skipped->reason, sizeof skipped->reason, "%s", reason);
}

/* --- One of them ------------------------------------------------------------------------------- */

static bool settles(const struct panel_options *options, const struct check *check)
{
    return check->verdict == VERDICT_INVALID ||
           (check->verdict == VERDICT_VALID && (check->checker->is_complete || options->only));
}

/* The checker says that it was stopped, and how far it was; here is known why. */
static void tell_limit(struct check *check, const char *limit)
{
    char reason[sizeof check->reason];

    snprintf(reason, sizeof reason, "%s", check->reason);
    snprintf(check->reason, sizeof check->reason, "%.300s%s%s", reason, reason[0] ? "; " : "", limit);
}

/* How much time there is; false: none is left. */
static bool time_left(const struct panel *panel, const struct panel_options *options,
                      int64_t settled_ns, int64_t *left_ns)
{
    int64_t used_ns = panel_ns(panel);

    *left_ns = 0;
    if (options->limit_ns > 0)
        *left_ns = options->limit_ns - used_ns;
    else if (panel->decisive)
        *left_ns = PANEL_REST_NS - (used_ns - settled_ns);
    else
        return true;
    return *left_ns > 0;
}

/* Whatever is asked of transactions that committed is true of none: that shows nothing. */
static void doubt_nothing(const struct history *h, struct check *check)
{
    if (check->verdict != VERDICT_VALID)
        return;
    for (size_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] == TXN_OK)
            return;
    check->verdict = VERDICT_UNKNOWN;
    check->strongest = LEVEL_COUNT;
    buffer_clear(&check->witness);
    snprintf(check->reason, sizeof check->reason, "%s",
             h->txn_count == 0 ? "there is no transaction in the history"
                               : "no transaction of the history committed");
}

static enum status run_one(struct panel *panel, const struct history *h,
                           const struct checker *checker, const struct panel_options *options,
                           int64_t left_ns, struct error *err)
{
    struct juror *juror = &panel->jurors[panel->juror_count];
    struct check_options asked = options->check;
    int64_t began_ns = wall_clock_ns();
    struct timeout timeout;
    enum status status;

    progress_begin(options->progress, checker->name);
    TRY(timeout_begin(&timeout, left_ns, err));
    asked.stop = timeout_stop(&timeout);
    asked.progress = options->progress;
    status = checker_run(checker, h, &asked, &juror->check, err);
    timeout_end(&timeout);
    juror->check_ns = wall_clock_ns() - began_ns;
    if (status != STATUS_OK) {
        check_close(&juror->check);
        return status;
    }
    panel->juror_count++;
    doubt_nothing(h, &juror->check);
    if (juror->check.verdict == VERDICT_UNKNOWN && timeout_is_over(&timeout)) {
        char limit[100] = "the verdict was certain, and the rest had 10 s";

        if (options->limit_ns > 0)
            snprintf(limit, sizeof limit, "--timeout %.40s was over", options->limit_text);
        tell_limit(&juror->check, limit);
    }
    if (!panel->decisive && settles(options, &juror->check))
        panel->decisive = juror;
    return STATUS_OK;
}

/* What a checker lacks is an error where it was named, and a reason to pass it over otherwise. */
static enum status ask(struct panel *panel, const struct history *h, const struct checker *checker,
                       const struct panel_options *options, int64_t left_ns, struct error *err)
{
    struct error why = { 0 };
    enum status status = checker_examine(checker, h, options->check.level, &why);

    if (status == STATUS_OK)
        status = run_one(panel, h, checker, options, left_ns, &why);
    if (status == STATUS_BAD_INPUT && !options->only) {
        skip(panel, checker, why.text);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        *err = why;
    return status;
}

static enum status ask_all(struct panel *panel, const struct history *h,
                           const struct panel_options *options, struct error *err)
{
    int64_t settled_ns = 0, left_ns;

    for (size_t i = 0; checkers_all()[i]; i++) {
        const struct checker *checker = checker_at(options, i);
        char reason[64];
        const char *lacking = checker_inability(checker, &options->check);

        if (lacking) {
            snprintf(reason, sizeof reason, "it %s", lacking);
            skip(panel, checker, reason);
        } else if (panel->decisive && options->stops_first) {
            skip(panel, checker, "the verdict was certain before (--first)");
        } else if (!time_left(panel, options, settled_ns, &left_ns)) {
            skip(panel, checker, options->limit_ns > 0 ? "the time was over" :
                                                         "the verdict was certain, and the rest had 10 s");
        } else {
            bool was_settled = panel->decisive != NULL;

            TRY(ask(panel, h, checker, options, left_ns, err));
            if (!was_settled && panel->decisive)
                settled_ns = panel_ns(panel);
        }
    }
    return STATUS_OK;
}

/* --- Together ---------------------------------------------------------------------------------- */

static const struct juror *find_decisive(const struct panel *panel,
                                         const struct panel_options *options)
{
    for (uint32_t i = 0; i < panel->juror_count; i++)
        if (panel->jurors[i].check.verdict == VERDICT_INVALID)
            return &panel->jurors[i];
    for (uint32_t i = 0; i < panel->juror_count; i++)
        if (settles(options, &panel->jurors[i].check))
            return &panel->jurors[i];
    return NULL;
}

static uint64_t levels_implied(enum level level)
{
    uint64_t implied = 0;

    for (int weaker = 0; weaker < LEVEL_END; weaker++)
        if (lattice_implies(level, (enum level)weaker))
            implied |= LEVEL_BIT(weaker);
    return implied;
}

static uint64_t levels_that_imply(enum level level)
{
    uint64_t stronger = 0;

    for (int other = 0; other < LEVEL_END; other++)
        if (lattice_implies((enum level)other, level))
            stronger |= LEVEL_BIT(other);
    return stronger;
}

/*
 * The strongest of the levels that some complete checker says hold and none has ruled out. Each
 * checker knows its own levels alone, so that what one has not named may still hold.
 */
static enum level find_strongest(const struct panel *panel, const struct panel_options *options)
{
    uint64_t holds = 0, ruled_out = 0;

    if (options->only)
        return panel->jurors[0].check.strongest;
    for (uint32_t i = 0; i < panel->juror_count; i++) {
        const struct check *check = &panel->jurors[i].check;

        if (check->verdict == VERDICT_INVALID)
            ruled_out |= levels_that_imply(check->level);
        if (check->verdict == VERDICT_UNKNOWN || !check->checker->is_complete)
            continue;
        if (check->unjudged_predicates > 0) /* what it has not looked at may rule out more */
            continue;
        for (size_t k = 0; k < check->findings.count; k++)
            ruled_out |= lattice_ruled_out(check->findings.at[k].kind);
        if (check->strongest != LEVEL_COUNT)
            holds |= levels_implied(check->strongest);
    }
    holds &= ~ruled_out;
    return holds ? lattice_strongest(holds) : LEVEL_COUNT;
}

static enum level find_weakest_violated(const struct panel *panel)
{
    uint64_t violated = 0;

    for (uint32_t i = 0; i < panel->juror_count; i++)
        if (panel->jurors[i].check.weakest_violated != LEVEL_COUNT)
            violated |= LEVEL_BIT(panel->jurors[i].check.weakest_violated);
    return violated ? lattice_weakest(violated) : LEVEL_COUNT;
}

/* Why nobody could tell: the reason of whoever could have, else of whoever was asked. */
static void tell_reason(struct panel *panel)
{
    const struct check *check = NULL;

    for (uint32_t i = 0; i < panel->juror_count; i++) {
        const struct check *other = &panel->jurors[i].check;

        if (!check || (other->reason[0] && (!check->reason[0] || other->checker->is_complete)))
            check = other;
    }
    assert(check);
    if (check->reason[0])
        snprintf(panel->reason, sizeof panel->reason, "%s: %s", check->checker->name, check->reason);
    else
        snprintf(panel->reason, sizeof panel->reason,
                 "%s found nothing wrong, which does not mean that there is nothing",
                 check->checker->name);
}

static enum status refuse(const struct panel *panel, enum level level, struct error *err)
{
    struct buffer text = { 0 };
    enum status status;

    buffer_print(&text, "no checker can judge this history at %s:", level_name(level));
    for (uint32_t i = 0; i < panel->skipped_count; i++)
        buffer_print(&text, "%s %s: %s", i ? ";" : "", panel->skipped[i].name,
                     panel->skipped[i].reason);
    buffer_byte(&text, '\0');
    status = error_set(err, STATUS_BAD_INPUT, "%s", text.out_of_memory ? "no checker can judge it" : text.at);
    buffer_close(&text);
    return status;
}

enum status panel_judge(struct panel *panel, const struct history *h,
                        const struct panel_options *options, struct error *err)
{
    *panel = (struct panel){ .verdict = VERDICT_UNKNOWN };
    if (options->only)
        TRY(ask(panel, h, options->only, options, options->limit_ns, err));
    else
        TRY(ask_all(panel, h, options, err));
    if (panel->juror_count == 0)
        return refuse(panel, options->check.level, err);
    panel->decisive = find_decisive(panel, options);
    panel->strongest = find_strongest(panel, options);
    panel->weakest_violated = find_weakest_violated(panel);
    if (panel->decisive)
        panel->verdict = panel->decisive->check.verdict;
    else
        tell_reason(panel);
    return STATUS_OK;
}

void panel_close(struct panel *panel)
{
    for (uint32_t i = 0; i < panel->juror_count; i++)
        check_close(&panel->jurors[i].check);
    *panel = (struct panel){ 0 };
}

int64_t panel_ns(const struct panel *panel)
{
    int64_t ns = 0;

    for (uint32_t i = 0; i < panel->juror_count; i++)
        ns += panel->jurors[i].check_ns;
    return ns;
}
