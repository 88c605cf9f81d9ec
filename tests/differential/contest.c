#include "tests/differential/contest.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/checker.h"
#include "checkers/interval/profile.h"
#include "history/jsonl/jsonl_read.h"
#include "history/level.h"
#include "tests/oracle/oracle.h"
#include "verify/verify.h"

enum { ORDER, CERTIFICATE, BLACKBOX, READS_ALONE, WEAK, INTERVAL, PROFILED, INFER };

/* The checkers, two of them twice: blackbox without hints, interval of a database. */
static const struct {
    const char *name, *checker;
} contestants[CONTESTANTS] = {
    { "order", "order" },       { "certificate", "certificate" },
    { "blackbox", "blackbox" }, { "blackbox without order", "blackbox" },
    { "weak", "weak" },         { "interval", "interval" },
    { "interval with a profile", "interval" },
    { "infer", "infer" },
};

#define REFUSED 3 /* a verdict: the checker did not take it */

/* One contestant's word at one level. */
struct answer {
    int verdict;
    bool is_whole; /* nothing was left unjudged */
    bool is_by_word, is_by_workload;
    enum level strongest, weakest_violated;
    char why[300];
};

struct round {
    struct contest *contest;
    const struct history *history;
    struct finding *finding;
    struct answer answers[CONTESTANTS][LEVEL_END];
};

const char *contest_name(unsigned contestant)
{
    return contestants[contestant].name;
}

static bool find(struct round *r, const char *signature, const char *format, ...) PRINTF_LIKE(3, 4);

static bool find(struct round *r, const char *signature, const char *format, ...)
{
    va_list arguments;

    snprintf(r->finding->signature, sizeof r->finding->signature, "%s", signature);
    va_start(arguments, format);
    vsnprintf(r->finding->details, sizeof r->finding->details, format, arguments);
    va_end(arguments);
    return false;
}

/* --- Verdicts and witnesses --------------------------------------------------------- */

static struct check_options options_of(const struct round *r, unsigned who, enum level level)
{
    struct check_options options = { .level = level, .flags = CHECK_WITNESS };
    unsigned profile_count;
    const struct profile *profiles = profile_all(&profile_count);

    if (r->contest->variant % 4 == 3)
        options.flags |= CHECK_SLOWLY;
    if (who == READS_ALONE)
        options.version_order = (struct ratio){ 0, 1 };
    if (who == PROFILED)
        options.profile = &profiles[r->contest->variant % profile_count];
    return options;
}

/*
 * What the history says of itself: values that it calls unique and that are not, version orders that
 * contradict places, or an update behind the transaction's own snapshot (Adya's PL-SI knows snapshots,
 * and PL-3 does not imply it).
 */
static bool is_word(const struct check *check, enum anomaly kind)
{
    return kind == ANOMALY_DUPLICATE_WRITE || kind == ANOMALY_CYCLIC_VERSIONS ||
           (kind == ANOMALY_LOST_UPDATE &&
            check->checker == checker_find(TEXT("certificate")));
}

/* Whether it is invalid only for that. */
static bool is_by_word(const struct check *check)
{
    for (size_t i = 0; i < check->findings.count; i++)
        if (!is_word(check, check->findings.at[i].kind))
            return false;
    return check->findings.count > 0;
}

/* Or for that and what a workload promises, which infer alone judges. */
static bool is_by_workload(const struct check *check)
{
    for (size_t i = 0; i < check->findings.count; i++)
        if (check->findings.at[i].kind != ANOMALY_WRONG_TOTAL &&
            check->findings.at[i].kind != ANOMALY_NEGATIVE_BALANCE &&
            !is_word(check, check->findings.at[i].kind))
            return false;
    return check->findings.count > 0;
}

static void explain(const struct check *check, struct answer *answer)
{
    if (check->findings.count > 0)
        snprintf(answer->why, sizeof answer->why, "%s: %s",
                 anomaly_name(check->findings.at[0].kind), check->findings.at[0].explanation);
    else
        snprintf(answer->why, sizeof answer->why, "%s", check->reason);
}

/*
 * At these levels what proves a valid verdict of infer would be no order, and there is none; nor has
 * interval one where the order of instants that it tries makes a circle of dependencies.
 */
static bool may_lack_witness(const struct check *check)
{
    return check->verdict == VERDICT_VALID &&
           (check->checker == checker_find(TEXT("interval")) || check->level == LEVEL_PREFIX ||
            check->level == LEVEL_UPDATE_SERIALIZABLE);
}

static bool has_true_witness(struct round *r, const char *name, const struct check *check,
                             const struct answer *answer)
{
    struct verification verification;
    struct error err = { 0 };
    char signature[160];
    char *bytes;
    bool is_accepted;

    snprintf(signature, sizeof signature, "%s, %s: a witness that verify refuses (%s)", name,
             level_name(check->level), check->verdict == VERDICT_VALID ? "valid" : "invalid");
    if (check->verdict == VERDICT_UNKNOWN || check->witness.count == 0) {
        if ((check->verdict == VERDICT_UNKNOWN) == (check->witness.count == 0) ||
            may_lack_witness(check))
            return true;
        return find(r, signature, "%s", check->witness.count ? "unknown with one" : "none at all");
    }
    bytes = malloc(check->witness.count);
    assert(bytes);
    memcpy(bytes, check->witness.at, check->witness.count);
    is_accepted = verify_witness(r->history, bytes, check->witness.count, &verification, &err) ==
                      STATUS_OK &&
                  verification.is_accepted;
    free(bytes);
    return is_accepted || find(r, signature, "verify: %s\n%s: %s\nwitness: %.*s",
                               err.text[0] ? err.text : verification.reason, name, answer->why,
                               TEXT_PRINT(((struct text){ check->witness.at, check->witness.count })));
}

static bool ask(struct round *r, unsigned who, enum level level)
{
    const struct checker *checker = checker_find(text_of(contestants[who].checker));
    struct answer *answer = &r->answers[who][level];
    struct check_options options = options_of(r, who, level);
    struct check check;
    struct error err = { 0 };
    enum status status;
    bool holds = true;

    answer->verdict = REFUSED;
    if (!checker_decides(checker, level) || (options.profile && options.profile->level != level))
        return true;
    status = checker_run(checker, r->history, &options, &check, &err);
    if (status == STATUS_OK) {
        *answer = (struct answer){ .verdict = check.verdict,
                                   .is_whole = check.unjudged_predicates == 0,
                                   .is_by_word = is_by_word(&check),
                                   .is_by_workload = is_by_workload(&check),
                                   .strongest = check.strongest,
                                   .weakest_violated = check.weakest_violated };
        explain(&check, answer);
        holds = has_true_witness(r, contestants[who].name, &check, answer);
    } else if (status != STATUS_BAD_INPUT) {
        holds = find(r, contestants[who].name, "%s: %s", level_name(level), err.text);
    }
    check_close(&check);
    r->contest->verdicts[who][answer->verdict]++;
    return holds;
}

/* --- One checker against itself ------------------------------------------------------ */

static bool is(const struct round *r, unsigned who, enum level level, enum verdict verdict)
{
    return r->answers[who][level].verdict == (int)verdict;
}

/* Of more than what the history says of itself. */
static bool is_refuted(const struct round *r, unsigned who, enum level level)
{
    return is(r, who, level, VERDICT_INVALID) && !r->answers[who][level].is_by_word;
}

/* Of what the others judge, too. */
static bool is_refuted_to_all(const struct round *r, unsigned who, enum level level)
{
    return is_refuted(r, who, level) && !r->answers[who][level].is_by_workload;
}

/*
 * At causal the certificate takes a statement for a read of every row of its table, matching or not;
 * elsewhere a version that changes nothing of what matches is none that a statement misses.
 */
static bool is_implied(const struct round *r, unsigned who, enum level stronger, enum level weaker)
{
    return level_implies(stronger, weaker) &&
           (who != CERTIFICATE || weaker != LEVEL_CAUSAL || r->history->statement_count == 0);
}

static bool keeps_to_the_lattice(struct round *r, unsigned who, enum level level)
{
    const struct answer *answer = &r->answers[who][level];
    char signature[160];

    snprintf(signature, sizeof signature, "%s against itself", contestants[who].name);
    if (answer->verdict == REFUSED)
        return true;
    for (int weaker = 0; weaker < LEVEL_END; weaker++)
        if (is(r, who, level, VERDICT_VALID) && is_refuted(r, who, (enum level)weaker) &&
            is_implied(r, who, level, (enum level)weaker))
            return find(r, signature, "%s holds, and not %s: %s", level_name(level),
                        level_name((enum level)weaker), r->answers[who][weaker].why);
    if (answer->verdict == VERDICT_UNKNOWN)
        return true;
    if (answer->strongest != LEVEL_COUNT && is_refuted(r, who, answer->strongest))
        return find(r, signature, "asked for %s it says that %s holds, and asked for that: %s",
                    level_name(level), level_name(answer->strongest),
                    r->answers[who][answer->strongest].why);
    if (answer->weakest_violated != LEVEL_COUNT &&
        is(r, who, answer->weakest_violated, VERDICT_VALID))
        return find(r, signature, "asked for %s it says that %s does not hold, and asked for that, that it does",
                    level_name(level), level_name(answer->weakest_violated));
    return true;
}

/* --- One against another ------------------------------------------------------------- */

/* What is valid to the first is not invalid to the second, who knows less, or the same. */
static const struct {
    unsigned more, less;
} pairs[] = {
    { ORDER, READS_ALONE }, { CERTIFICATE, READS_ALONE }, { BLACKBOX, READS_ALONE },
    { ORDER, INFER },       { CERTIFICATE, INFER },       { BLACKBOX, INFER },
};

/* Where reads are not judged, lists tell each something else of the order of appends. */
static bool may_be_compared(const struct round *r, unsigned who, enum level level)
{
    const struct history *h = r->history;
    bool judges_reads = level_implies(level, LEVEL_READ_COMMITTED) ||
                        !level_implies(level, LEVEL_READ_UNCOMMITTED);

    for (size_t op = 0; op < h->op_count && !judges_reads; op++)
        if (h->op_kind[op] == OP_APPEND)
            return false;
    /* A version order tells these two who of unknown outcome committed. */
    for (size_t t = 0; t < h->txn_count && (who == WEAK || who == INFER) && h->order_count > 0; t++)
        if (h->txn_status[t] == TXN_UNKNOWN)
            return false;
    return true;
}

static bool agree(struct round *r, unsigned more, unsigned less)
{
    for (int level = 0; level < LEVEL_END; level++)
        if (is(r, more, (enum level)level, VERDICT_VALID) &&
            r->answers[more][level].is_whole && is_refuted_to_all(r, less, (enum level)level) &&
            (less != INFER || may_be_compared(r, less, (enum level)level))) {
            char signature[160];

            snprintf(signature, sizeof signature, "%s says valid, %s invalid",
                     contestants[more].name, contestants[less].name);
            return find(r, signature, "%s: %s", level_name((enum level)level),
                        r->answers[less][level].why);
        }
    return true;
}

/* --- The oracle ---------------------------------------------------------------------- */

static enum oracle_answer ask_oracle(struct round *r, enum level level,
                                     enum oracle_definition definition, bool by_certificate)
{
    struct oracle_options options = { .definition = definition,
                                      .use_certificate = by_certificate,
                                      .steps_max = r->contest->oracle_steps_max };
    enum oracle_answer answer = oracle_decide(r->history, level, options);

    r->contest->oracle_answers[answer]++;
    return answer;
}

/* Whoever is not complete may call valid what nothing explains. */
static bool is_complete(unsigned who)
{
    return who == READS_ALONE || who == WEAK || who == CERTIFICATE;
}

static bool oracle_agrees(struct round *r, unsigned who, enum level level)
{
    const struct answer *answer = &r->answers[who][level];
    bool is_valid = answer->verdict == VERDICT_VALID && answer->is_whole && is_complete(who);
    enum oracle_definition definition = ORACLE_DEFAULT;
    enum oracle_answer truth;
    char signature[160];

    if ((!is_valid && !is_refuted_to_all(r, who, level)) || !may_be_compared(r, who, level))
        return true;
    if (who == WEAK && level == LEVEL_READ_COMMITTED)
        definition = ORACLE_AXIOMATIC;
    truth = ask_oracle(r, level, definition, who == CERTIFICATE);
    if (truth != (is_valid ? ORACLE_VIOLATED : ORACLE_HOLDS))
        return true;
    snprintf(signature, sizeof signature, "%s, %s: %s, which the oracle denies",
             contestants[who].name, level_name(level), is_valid ? "valid" : "invalid");
    return find(r, signature, "%s", answer->why);
}

/* --- A contest ------------------------------------------------------------------------ */

/* By itself, and against those before it. */
static bool stands(struct round *r, unsigned who)
{
    for (int level = 0; level < LEVEL_END; level++)
        if (level != LEVEL_COUNT && !ask(r, who, (enum level)level))
            return false;
    /* What interval deduces from times is not all that follows: it is said in docs/interval.md. */
    for (int level = 0; level < LEVEL_END && who != INTERVAL; level++)
        if (!keeps_to_the_lattice(r, who, (enum level)level))
            return false;
    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        if (pairs[i].less == who && !agree(r, pairs[i].more, who))
            return false;
    if (who == CERTIFICATE || who == READS_ALONE || who == WEAK || who == INFER)
        for (int level = 0; level < LEVEL_END && r->contest->oracle_steps_max > 0; level++)
            if (!oracle_agrees(r, who, (enum level)level))
                return false;
    return true;
}

static bool hold(struct round *r)
{
    for (unsigned who = 0; who < CONTESTANTS; who++)
        if (!stands(r, who))
            return false;
    return true;
}

bool contest_holds(struct contest *contest, const struct history *history, struct finding *finding)
{
    struct round *r = calloc(1, sizeof *r);
    bool holds;

    assert(r);
    for (unsigned who = 0; who < CONTESTANTS; who++)
        for (int level = 0; level < LEVEL_END; level++)
            r->answers[who][level].verdict = REFUSED;
    r->contest = contest;
    r->history = history;
    r->finding = finding;
    contest->histories++;
    holds = hold(r);
    free(r);
    return holds;
}

bool contest_holds_of_text(struct contest *contest, struct text text, struct finding *finding)
{
    struct history history = { 0 };
    struct source source;
    struct error err = { 0 };
    bool holds = true;

    if (source_open_memory(&source, "history", text.at, text.length, &err) != STATUS_OK)
        return true;
    if (jsonl_read(&source, 0, &history, &err) == STATUS_OK) {
        holds = contest_holds(contest, &history, finding);
        history_close(&history);
    } else {
        contest->refused_histories++;
    }
    source_close(&source);
    return holds;
}
