#include "trial/run/jury.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/timeout.h"
#include "base/wall_clock.h"
#include "checkers/interval/profile.h"
#include "history/anomaly.h"
#include "history/level.h"
#include "store/store.h"

/* --- Who is asked ------------------------------------------------------------------------------ */

/*
 * Where the first decisive verdict is enough, the one that knows most about the history is first;
 * else, where completeness decides, the cheaper one: each pass over the history before any search.
 */
static const struct checker *checker_at(const struct jury_options *options, size_t index)
{
    const struct checker *const *all = checkers_all();

    for (size_t i = 0; all[i] && options->rule == JURY_COMPLETE && !options->stops_first; i++) {
        size_t cheaper = 0;

        for (size_t k = 0; all[k]; k++)
            cheaper += all[k]->cost < all[i]->cost || (all[k]->cost == all[i]->cost && k < i);
        if (cheaper == index)
            return all[i];
    }
    return all[index];
}

uint32_t jury_bit(const struct checker *checker)
{
    const struct checker *const *all = checkers_all();

    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++)
        if (all[i] == checker)
            return 1u << i;
    assert(!"a checker of the list");
    return 0;
}

static bool is_unique(const struct history *h)
{
    return h->statement_count == 0 && h->unique == 1;
}

/* No register, whose versions show nothing of their order. */
static bool is_of_lists(const struct history *h)
{
    for (size_t op = 0; op < h->op_count; op++)
        if (h->op_kind[op] != OP_READ && h->op_kind[op] != OP_APPEND)
            return false;
    return is_unique(h) && h->op_count > 0;
}

static bool must_judge(enum checker_due due, const struct store_protocol_facts *protocol,
                       const struct history *h)
{
    switch (due) {
    case DUE_ALWAYS:
        return true;
    case DUE_PLACES:
        return protocol->on_raft && !protocol->exports_snapshot;
    case DUE_ITEMS:
        return h->statement_count == 0;
    case DUE_UNIQUE:
        return is_unique(h);
    case DUE_LISTS:
        return is_of_lists(h);
    case DUE_NEVER:
        return false;
    }
    return false;
}

uint32_t jury_due(const struct store_protocol_facts *protocol, const struct history *h,
                  enum level level)
{
    const struct checker *const *all = checkers_all();
    uint32_t due = 0;

    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++)
        if (checker_decides(all[i], level) && must_judge(all[i]->due, protocol, h))
            due |= jury_bit(all[i]);
    return due;
}

static void skip(struct jury *jury, const struct checker *checker, bool is_due, const char *reason)
{
    struct skipped_juror *skipped = &jury->skipped[jury->skipped_count++];

    assert(jury->skipped_count <= JURY_MAX);
    skipped->name = checker->name;
    skipped->is_due = is_due;
    snprintf(skipped->reason, sizeof skipped->reason, "%s", reason);
}

static void conclude(struct jury *, const struct jury_options *);

/* --- One of them ------------------------------------------------------------------------------- */

static bool settles(const struct jury_options *options, const struct check *check)
{
    return check->verdict == VERDICT_INVALID ||
           (check->verdict == VERDICT_VALID && options->rule == JURY_COMPLETE &&
            (check->checker->is_complete || options->is_named));
}

/* The checker says that it was stopped, and how far it was; here is known why. */
static void tell_limit(struct check *check, const char *limit)
{
    char reason[sizeof check->reason];

    snprintf(reason, sizeof reason, "%s", check->reason);
    snprintf(check->reason, sizeof check->reason, "%.300s%s%s", reason, reason[0] ? "; " : "", limit);
}

/* How much time there is; false: none is left. */
static bool time_left(const struct jury *jury, const struct jury_options *options,
                      int64_t settled_ns, int64_t *left_ns)
{
    int64_t used_ns = jury_ns(jury);

    *left_ns = 0;
    if (options->limit_ns > 0)
        *left_ns = options->limit_ns - used_ns;
    else if (jury->decisive && options->rule == JURY_COMPLETE)
        *left_ns = JURY_REST_NS - (used_ns - settled_ns);
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

static struct check_options options_for(const struct checker *checker, const struct jury_options *options)
{
    struct check_options check = options->check;

    check.progress = options->progress;
    if (!options->profile || !checker_can(checker, ABLE_PROFILE))
        return check;
    if (options->is_promised && level_implies(options->profile->level, check.level))
        check.level = options->profile->level;
    if (options->profile->level == check.level)
        check.profile = options->profile;
    return check;
}

/* What there is to tell if the checker, which has so much time, does not answer. */
static void tell_so_far(const struct jury *jury, const struct history *h,
                        const struct checker *checker, const struct jury_options *options,
                        int64_t left_ns)
{
    struct jury so_far = *jury;
    struct juror *juror = &so_far.jurors[so_far.juror_count++];

    *juror = (struct juror){ .check = checker_begin(checker, h, options->check.level),
                             .check_ns = left_ns };
    snprintf(juror->check.reason, sizeof juror->check.reason, "%s", options->unfinished);
    conclude(&so_far, options);
    options->tell(options->context, &so_far);
}

/* What one checker has no room for the others may judge. */
static void tell_refusal(struct juror *juror, const struct history *h, const struct checker *checker,
                         const struct jury_options *options, const struct error *why)
{
    struct check *check = &juror->check;

    *check = checker_begin(checker, h, options->check.level);
    if (memory_limit_is_cause(why))
        snprintf(check->reason, sizeof check->reason, "out of memory (%s): %.300s",
                 options->memory ? options->memory : "see --memory", why->text);
    else
        snprintf(check->reason, sizeof check->reason, "%.300s", why->text);
}

static enum status judge_one(struct jury *jury, const struct history *h, const struct checker *checker,
                             const struct jury_options *options, int64_t left_ns, struct error *err)
{
    struct juror *juror = &jury->jurors[jury->juror_count];
    struct check_options asked = options_for(checker, options);
    int64_t began_ns = wall_clock_ns();
    uint64_t failures = memory_failures();
    struct timeout timeout;
    bool is_over;
    enum status status;

    progress_begin(options->progress, checker->name);
    if (options->tell)
        tell_so_far(jury, h, checker, options, left_ns);
    TRY(timeout_begin(&timeout, left_ns, err));
    if (left_ns > 0)
        asked.stop = timeout_stop(&timeout);
    status = checker_run(checker, h, &asked, &juror->check, err);
    status = memory_confirm(failures, status, err);
    timeout_end(&timeout);
    juror->check_ns = wall_clock_ns() - began_ns;
    juror->is_due = options->due & jury_bit(checker);
    if (status != STATUS_OK) {
        check_close(&juror->check);
        if (status != STATUS_OVER_LIMIT)
            return status;
        tell_refusal(juror, h, checker, options, err);
        if (memory_failures() != failures || memory_limit_is_cause(err))
            memory_tell_failures(failures);
    }
    jury->juror_count++;
    if (options->rule == JURY_COMPLETE)
        doubt_nothing(h, &juror->check);
    is_over = timeout_is_over(&timeout) || (options->check.stop && atomic_load(options->check.stop));
    if (juror->check.verdict == VERDICT_UNKNOWN && is_over) {
        tell_limit(&juror->check, options->limit_ns > 0 || options->check.stop
                                      ? options->unfinished
                                      : "the verdict was certain, and the rest had 10 s");
    }
    if (!jury->decisive && settles(options, &juror->check))
        jury->decisive = juror;
    return STATUS_OK;
}

/* What a checker lacks is an error where it was named, and a reason to pass it over otherwise. */
static enum status ask(struct jury *jury, const struct history *h, const struct checker *checker,
                       const struct jury_options *options, int64_t left_ns, struct error *err)
{
    struct error why = { 0 };
    enum status status = checker_examine(checker, h, options->check.level, &why);

    if (status == STATUS_OK)
        status = judge_one(jury, h, checker, options, left_ns, &why);
    if (status == STATUS_BAD_INPUT && (!options->is_named || options->may_lack)) {
        skip(jury, checker, options->due & jury_bit(checker), why.text);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        *err = why;
    return status;
}

/* Why it is not asked; NULL: it is. */
static const char *reason_to_skip(const struct jury *jury, const struct jury_options *options,
                                  int64_t settled_ns, int64_t *left_ns)
{
    *left_ns = options->limit_ns;
    if (options->is_named)
        return NULL;
    if (jury->decisive && options->stops_first)
        return "the verdict was certain before (--first)";
    if (!time_left(jury, options, settled_ns, left_ns))
        return options->limit_ns > 0 ? "the time was over"
                                     : "the verdict was certain, and the rest had 10 s";
    return NULL;
}

static enum status ask_all(struct jury *jury, const struct history *h,
                           const struct jury_options *options, struct error *err)
{
    int64_t settled_ns = 0, left_ns;

    for (size_t i = 0; checkers_all()[i] && i < JURY_MAX; i++) {
        const struct checker *checker = checker_at(options, i);
        bool was_settled = jury->decisive != NULL;
        const char *lacking = checker_inability(checker, &options->check);
        const char *reason;
        char inability[64];

        if ((options->is_named && !(options->named & jury_bit(checker))) ||
            (options->spared & jury_bit(checker)))
            continue;
        reason = reason_to_skip(jury, options, settled_ns, &left_ns);
        if (lacking && !options->is_named) {
            snprintf(inability, sizeof inability, "it %s", lacking);
            reason = inability;
        }
        if (reason)
            skip(jury, checker, options->due & jury_bit(checker), reason);
        else
            TRY(ask(jury, h, checker, options, left_ns, err));
        if (!was_settled && jury->decisive)
            settled_ns = jury_ns(jury);
    }
    return STATUS_OK;
}

/* --- Together ---------------------------------------------------------------------------------- */

static const struct juror *find_decisive(const struct jury *jury,
                                         const struct jury_options *options)
{
    for (uint32_t i = 0; i < jury->juror_count; i++)
        if (jury->jurors[i].check.verdict == VERDICT_INVALID)
            return &jury->jurors[i];
    for (uint32_t i = 0; i < jury->juror_count; i++)
        if (settles(options, &jury->jurors[i].check))
            return &jury->jurors[i];
    return NULL;
}

static uint64_t levels_implied(enum level level)
{
    uint64_t implied = 0;

    for (int weaker = 0; weaker < LEVEL_END; weaker++)
        if (level_implies(level, (enum level)weaker))
            implied |= LEVEL_BIT(weaker);
    return implied;
}

static uint64_t levels_that_imply(enum level level)
{
    uint64_t stronger = 0;

    for (int other = 0; other < LEVEL_END; other++)
        if (level_implies((enum level)other, level))
            stronger |= LEVEL_BIT(other);
    return stronger;
}

/*
 * The strongest of the levels that some complete checker says hold and none has ruled out. Each
 * checker knows its own levels alone, so that what one has not named may still hold.
 */
static enum level find_strongest(const struct jury *jury, const struct jury_options *options)
{
    uint64_t holds = 0, ruled_out = 0;

    if (options->is_named)
        return jury->jurors[0].check.strongest;
    for (uint32_t i = 0; i < jury->juror_count; i++) {
        const struct check *check = &jury->jurors[i].check;

        if (check->verdict == VERDICT_INVALID)
            ruled_out |= levels_that_imply(check->level);
        if (check->verdict == VERDICT_UNKNOWN || !check->checker->is_complete)
            continue;
        if (check->unjudged_predicates > 0) /* what it has not looked at may rule out more */
            continue;
        for (size_t k = 0; k < check->findings.count; k++)
            ruled_out |= anomaly_ruled_out(check->findings.at[k].kind);
        if (check->strongest != LEVEL_COUNT)
            holds |= levels_implied(check->strongest);
    }
    holds &= ~ruled_out;
    return holds ? level_strongest(holds) : LEVEL_COUNT;
}

static enum level find_weakest_violated(const struct jury *jury)
{
    uint64_t violated = 0;

    for (uint32_t i = 0; i < jury->juror_count; i++)
        if (jury->jurors[i].check.weakest_violated != LEVEL_COUNT)
            violated |= LEVEL_BIT(jury->jurors[i].check.weakest_violated);
    return violated ? level_weakest(violated) : LEVEL_COUNT;
}

/* Why nobody could tell: the reason of whoever could have, else of whoever was asked. */
static void tell_reason(struct jury *jury)
{
    const struct check *check = NULL;

    for (uint32_t i = 0; i < jury->juror_count; i++) {
        const struct check *other = &jury->jurors[i].check;

        if (!check || (other->reason[0] && (!check->reason[0] || other->checker->is_complete)))
            check = other;
    }
    assert(check);
    if (check->reason[0])
        snprintf(jury->reason, sizeof jury->reason, "%s: %s", check->checker->name, check->reason);
    else
        snprintf(jury->reason, sizeof jury->reason,
                 "%s found nothing wrong, which does not mean that there is nothing",
                 check->checker->name);
}

static enum status refuse(const struct jury *jury, enum level level, struct error *err)
{
    struct buffer text = { 0 };
    enum status status;

    buffer_print(&text, "no checker can judge this history at %s:", level_name(level));
    for (uint32_t i = 0; i < jury->skipped_count; i++)
        buffer_print(&text, "%s %s: %s", i ? ";" : "", jury->skipped[i].name,
                     jury->skipped[i].reason);
    buffer_byte(&text, '\0');
    status = error_set(err, STATUS_BAD_INPUT, "%s", text.out_of_memory ? "no checker can judge it" : text.at);
    buffer_close(&text);
    return status;
}

static void conclude_by_completeness(struct jury *jury, const struct jury_options *options)
{
    jury->decisive = find_decisive(jury, options);
    jury->strongest = find_strongest(jury, options);
    jury->weakest_violated = find_weakest_violated(jury);
    if (jury->decisive)
        jury->verdict = jury->decisive->check.verdict;
    else
        tell_reason(jury);
}

static void conclude_by_those_due(struct jury *jury, const struct jury_options *options)
{
    bool is_judged = options->is_named && options->named == 0;
    struct jury_gap gap;

    jury->decisive = find_decisive(jury, options);
    for (uint32_t i = 0; i < jury->juror_count; i++)
        is_judged |= jury->jurors[i].check.verdict == VERDICT_VALID;
    if (jury->decisive)
        jury->verdict = VERDICT_INVALID;
    else if (is_judged && !jury_gap(jury, 0, &gap))
        jury->verdict = VERDICT_VALID;
}

static void conclude(struct jury *jury, const struct jury_options *options)
{
    if (options->rule == JURY_DUE)
        conclude_by_those_due(jury, options);
    else
        conclude_by_completeness(jury, options);
}

struct jury jury_unread(const struct jury_options *options)
{
    static const struct history nothing;
    struct jury jury = { .level = options->check.level, .verdict = VERDICT_UNKNOWN };

    jury.strongest = jury.weakest_violated = LEVEL_COUNT;
    snprintf(jury.reason, sizeof jury.reason, "%s", options->unfinished);
    for (size_t i = 0; options->is_named && checkers_all()[i]; i++) {
        struct juror *juror = &jury.jurors[jury.juror_count];

        if (!(options->named & jury_bit(checkers_all()[i])))
            continue;
        juror->check = checker_begin(checkers_all()[i], &nothing, jury.level);
        snprintf(juror->check.reason, sizeof juror->check.reason, "%s", options->unfinished);
        jury.juror_count++;
    }
    return jury;
}

enum status jury_judge(struct jury *jury, const struct history *h, const struct jury_options *options,
                       struct error *err)
{
    assert(options->is_named || options->named == 0);
    assert(options->limit_ns == 0 || options->unfinished);
    *jury = (struct jury){ .level = options->check.level, .verdict = VERDICT_UNKNOWN };
    TRY(ask_all(jury, h, options, err));
    assert(jury->juror_count + jury->skipped_count <= JURY_MAX);
    if (jury->juror_count == 0 && options->rule == JURY_COMPLETE)
        return refuse(jury, options->check.level, err);
    conclude(jury, options);
    return STATUS_OK;
}

void jury_close(struct jury *jury)
{
    for (uint32_t i = 0; i < jury->juror_count; i++)
        check_close(&jury->jurors[i].check);
    *jury = (struct jury){ 0 };
}

int64_t jury_ns(const struct jury *jury)
{
    int64_t ns = 0;

    for (uint32_t i = 0; i < jury->juror_count; i++)
        ns += jury->jurors[i].check_ns;
    return ns;
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
