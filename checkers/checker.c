#include "checkers/checker.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "checkers/check_private.h"
#include "checkers/infer/workloads/workloads.h"
#include "checkers/proof/witness.h"
#include "history/anomaly.h"
#include "history/level.h"
#include "smt/smt.h"

const char *checker_verdict_name(enum verdict verdict)
{
    return verdict == VERDICT_VALID ? "valid" : verdict == VERDICT_INVALID ? "invalid" : "unknown";
}

const struct checker *const *checkers_all(void)
{
#define ROW(name) &checker_##name,
    static const struct checker *const all[] = { CHECKERS(ROW) NULL };
#undef ROW

    return all;
}

const char *const *checker_names(void)
{
#define ROW(name) #name,
    static const char *const names[] = { CHECKERS(ROW) NULL };
#undef ROW

    return names;
}

const struct checker *checker_find(struct text name)
{
    const struct checker *const *all = checkers_all();

    for (; *all; all++)
        if (text_equal(name, text_of((*all)->name)))
            return *all;
    return NULL;
}

const struct checker *checker_find_able(enum checker_ability ability)
{
    const struct checker *const *all = checkers_all();

    while (*all && !checker_can(*all, ability))
        all++;
    return *all;
}

static enum status refuse_level(const struct checker *checker, enum level level, struct error *err)
{
    char levels[1024] = "";
    size_t length = 0;

    for (int i = 0; i < LEVEL_END; i++)
        if (checker_decides(checker, (enum level)i))
            length += (size_t)snprintf(levels + length, sizeof levels - length, "%s%s",
                                       length ? ", " : "", level_name((enum level)i));
    return error_set(err, STATUS_BAD_INPUT, "the checker %s does not decide %s, but %s",
                     checker->name, level_name(level), levels);
}

static enum status check_level(const struct checker *checker, const struct history *h,
                               enum level level, struct error *err)
{
    if (!checker_decides(checker, level))
        return refuse_level(checker, level, err);
    if (workload_is_own(h) && !checker_can(checker, ABLE_WORKLOADS))
        return error_set(err, STATUS_BAD_INPUT,
                         "the history is one of a %.*s, in which reads and additions are not what the "
                         "checker %s takes them for: infer judges it",
                         TEXT_PRINT(history_text(h, h->workload)), checker->name);
    if (level_closing(level) == CLOSING_TIME && (!h->txn_invoked || !h->txn_completed) &&
        h->txn_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "%s asks for real time, and no transaction of the history has an \"at\"",
                         level_name(level));
    return STATUS_OK;
}

enum status checker_examine(const struct checker *checker, const struct history *h,
                            enum level level, struct error *err)
{
    TRY(check_level(checker, h, level, err));
    return checker->needs ? checker->needs(h, err) : STATUS_OK;
}

static bool is_part(struct ratio ratio)
{
    return ratio.numerator < ratio.denominator;
}

const char *checker_inability(const struct checker *checker, const struct check_options *options)
{
    if (options->engine == ENGINE_Z3 && !checker_can(checker, ABLE_Z3))
        return "has no engine but its own";
    if (options->profile && !checker_can(checker, ABLE_PROFILE))
        return "takes no profile";
    if (is_part(options->version_order) && !checker_can(checker, ABLE_PARTS))
        return "needs the whole version order";
    return NULL;
}

/* An option that has no effect is refused, and not passed over in silence. */
static enum status check_abilities(const struct checker *checker,
                                   const struct check_options *options, struct error *err)
{
    const char *inability = checker_inability(checker, options);

    if (inability)
        return error_set(err, STATUS_BAD_INPUT, "the checker %s %s", checker->name, inability);
    return options->engine == ENGINE_Z3 ? smt_probe(err) : STATUS_OK;
}

static void count_ops(const struct history *h, struct check *check)
{
    uint64_t rows = 0;

    for (size_t i = 0; i < h->statement_count; i++)
        rows += h->statement_row_count[i];
    check->txn_count = h->txn_count;
    check->op_count = h->op_count - rows;
}

struct check checker_begin(const struct checker *checker, const struct history *h, enum level level)
{
    struct check check = { .checker = checker, .level = level, .verdict = VERDICT_UNKNOWN };

    check.strongest = check.weakest_violated = LEVEL_COUNT;
    count_ops(h, &check);
    return check;
}

/* What was not judged may be wrong: only the caller may call that valid. */
static void doubt_unjudged(const struct checker *checker, const struct check_options *options,
                           struct check *check)
{
    uint64_t count = check->unjudged_predicates;

    if (count == 0 || check->verdict != VERDICT_VALID || options->allows_unjudged)
        return;
    check->strongest = LEVEL_COUNT;
    check_doubt(check,
                "%" PRIu64 " %s not judged as a whole: %s (with --allow-unjudged it would be valid)",
                count, count == 1 ? "statement was" : "statements were", checker->unjudged_why);
}

enum status checker_run(const struct checker *checker, const struct history *h,
                        const struct check_options *options, struct check *check, struct error *err)
{
    *check = (struct check){ .checker = checker, .level = options->level };
    check->strongest = check->weakest_violated = LEVEL_COUNT;
    TRY(check_level(checker, h, options->level, err));
    TRY(check_abilities(checker, options, err));
    count_ops(h, check);
    if (h->statement_count > 0)
        TRY(check_memory((void **)&check->is_unjudged, h->statement_count, 1, 0, err));
    TRY(checker->judge(h, options, check, err));
    doubt_unjudged(checker, options, check);
    if (check->verdict == VERDICT_VALID && check->strongest == LEVEL_COUNT)
        check->strongest = options->level;
    assert(check->verdict == VERDICT_INVALID || check->findings.count == 0);
    assert(check->verdict != VERDICT_UNKNOWN || check->reason[0]);
    TRY(check_put_in_order(h, check, err));
    return check_wants(options, CHECK_WITNESS) ? witness_finish(h, check, err) : STATUS_OK;
}
