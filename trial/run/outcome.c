#include "trial/run/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_writer.h"
#include "checkers/checker.h"
#include "trial/run/signature.h"

/* --- From a trial ----------------------------------------------------------------------------- */

static enum status copy_text(char **to, const char *from, struct error *err)
{
    *to = strdup(from);
    return *to ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for an outcome");
}

enum status outcome_add_failure(struct run_outcome *outcome, const char *signature,
                                const char *explanation, struct error *err)
{
    struct failure failure = { 0 };

    TRY(array_reserve(&outcome->failures, 1, err));
    TRY(copy_text(&failure.signature, signature, err));
    if (copy_text(&failure.explanation, explanation, err) != STATUS_OK) {
        free(failure.signature);
        return err->status;
    }
    return array_push(&outcome->failures, failure, err);
}

static enum status take_failures(struct run_outcome *outcome, const struct trial *trial,
                                 struct error *err)
{
    struct signatures signatures;

    signature_of_trial(trial, &signatures);
    for (size_t i = 0; i < signatures.count; i++)
        TRY(outcome_add_failure(outcome, signatures.at[i].text, signatures.at[i].explanation,
                                err));
    return STATUS_OK;
}

static void take_faults(struct run_outcome *outcome, const struct trial *trial)
{
    const struct simulation *simulation = trial->simulation;

    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        outcome->faults[i] = simulation->world.faults[i];
        outcome->expects[i] = simulation_expects_fault(trial->scenario, (enum world_fault)i);
    }
    outcome->nemesis_count = simulation->nemeses.count;
    outcome->drawn_count = simulation->nemeses.count - trial->scenario->nemesis_count;
    for (uint32_t i = 0; i < outcome->nemesis_count; i++)
        outcome->felt[i] = simulation->nemeses.list[i].felt;
}

static void take_transactions(struct run_outcome *outcome, struct store *store)
{
    const struct cluster_findings *findings = store_findings(store);

    outcome->has_store = true;
    outcome->committed = findings->committed;
    outcome->aborted = findings->aborted;
    outcome->unknown = findings->unknown;
    memcpy(outcome->sometimes, findings->sometimes.counts, sizeof outcome->sometimes);
}

static void take_checks(struct run_outcome *outcome, const struct jury *jury)
{
    const struct checker *const *all = checkers_all();

    for (uint32_t i = 0; i < jury->juror_count; i++)
        for (uint32_t k = 0; all[k] && k < JURY_MAX; k++)
            if (all[k] == jury->jurors[i].check.checker)
                outcome->checks[k] = (uint8_t)(1 + jury->jurors[i].check.verdict);
}

/* Who could not decide, and why. */
static enum status take_doubt(struct run_outcome *outcome, const struct trial *trial,
                              struct error *err)
{
    struct buffer why = { 0 };
    struct jury_gap gap;
    enum status status;

    if (outcome->verdict != VERDICT_UNKNOWN || outcome->committed == 0)
        return STATUS_OK;
    for (uint32_t i = 0; jury_gap(&trial->jury, i, &gap); i++)
        buffer_print(&why, "%s%s: %s", why.count ? "; " : "", gap.checker, gap.reason);
    for (uint32_t i = 0; i < trial->jury.juror_count; i++) {
        const struct check *check = &trial->jury.jurors[i].check;
        if (check->verdict == VERDICT_UNKNOWN && !trial->jury.jurors[i].is_due)
            buffer_print(&why, "%s%s: %s", why.count ? "; " : "", check->checker->name,
                         check->reason);
    }
    if (why.count == 0)
        buffer_text(&why, TEXT("no checker judged everything"));
    buffer_byte(&why, '\0');
    status = buffer_status(&why, err);
    if (status == STATUS_OK)
        status = copy_text(&outcome->undecided, why.at, err);
    buffer_close(&why);
    return status;
}

enum status outcome_of_trial(struct run_outcome *outcome, const struct trial *trial,
                             struct error *err)
{
    const struct simulation *simulation = trial->simulation;

    *outcome = (struct run_outcome){ .seed = trial->scenario->seed };
    outcome->verdict = trial_verdict(trial);
    digest_hex(&simulation->trace, outcome->trace);
    outcome->simulated_ns = simulation->world.now_ns;
    outcome->events = simulation->world.counts.events;
    if (simulation->store)
        take_transactions(outcome, simulation->store);
    take_faults(outcome, trial);
    take_checks(outcome, &trial->jury);
    TRY(take_doubt(outcome, trial, err));
    return take_failures(outcome, trial, err);
}

enum status outcome_take_coverage(struct run_outcome *outcome, const struct coverage *coverage,
                                  struct error *err)
{
    TRY(array_reserve(&outcome->features, COVERAGE_PLACES, err));
    outcome->features.count = coverage_features(coverage, outcome->features.at);
    return STATUS_OK;
}

void outcome_close(struct run_outcome *outcome)
{
    for (size_t i = 0; i < outcome->failures.count; i++) {
        free(outcome->failures.at[i].signature);
        free(outcome->failures.at[i].explanation);
    }
    array_close(&outcome->failures);
    array_close(&outcome->features);
    free(outcome->undecided);
    *outcome = (struct run_outcome){ 0 };
}

/* --- As a line -------------------------------------------------------------------------------- */

/* X(name, field): the plain numbers, in the order in which they stand. */
#define OUTCOME_NUMBERS(X)                                                                         \
    X("seed", seed)                                                                                \
    X("events", events)                                                                            \
    X("committed", committed)                                                                      \
    X("aborted", aborted)                                                                          \
    X("unknown", unknown)

static void answer_faults(const struct run_outcome *outcome, struct json_writer *json)
{
    json_writer_open(json, "faults", '[');
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        if (outcome->faults[i] == 0 && !outcome->expects[i])
            continue;
        json_writer_open(json, NULL, '[');
        json_writer_text(json, NULL, world_fault_name((enum world_fault)i));
        json_writer_number(json, NULL, outcome->faults[i]);
        json_writer_number(json, NULL, outcome->expects[i]);
        json_writer_close(json, ']');
    }
    json_writer_close(json, ']');
}

static void answer_counts(struct json_writer *json, const char *name, const uint64_t *counts,
                          size_t count)
{
    json_writer_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        json_writer_number(json, NULL, counts[i]);
    json_writer_close(json, ']');
}

static void answer_checks(const struct run_outcome *outcome, struct json_writer *json)
{
    const struct checker *const *all = checkers_all();

    json_writer_open(json, "checks", '[');
    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++) {
        if (outcome->checks[i] == 0)
            continue;
        json_writer_open(json, NULL, '[');
        json_writer_text(json, NULL, all[i]->name);
        json_writer_text(json, NULL, checker_verdict_name((enum verdict)(outcome->checks[i] - 1)));
        json_writer_close(json, ']');
    }
    json_writer_close(json, ']');
}

static void answer_failures(const struct run_outcome *outcome, struct json_writer *json)
{
    json_writer_open(json, "failures", '[');
    for (size_t i = 0; i < outcome->failures.count; i++) {
        json_writer_open(json, NULL, '[');
        json_writer_text(json, NULL, outcome->failures.at[i].signature);
        json_writer_text(json, NULL, outcome->failures.at[i].explanation);
        json_writer_close(json, ']');
    }
    json_writer_close(json, ']');
}

static void answer_draws(const struct run_outcome *outcome, struct json_writer *json)
{
    bool any = false;

    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++) {
        if (!outcome->draws.of[i].is_given)
            continue;
        if (!any)
            json_writer_open(json, "draws", '{');
        any = true;
        json_writer_number(json, swarm_dimension_name((enum swarm_dimension)i),
                           outcome->draws.of[i].seed);
    }
    if (any)
        json_writer_close(json, '}');
}

/* Each as its distance from the one before: most take two digits. */
static void answer_features(const struct run_outcome *outcome, struct json_writer *json)
{
    uint32_t before = 0;

    json_writer_open(json, "features", '[');
    for (size_t i = 0; i < outcome->features.count; i++) {
        json_writer_number(json, NULL, outcome->features.at[i] - before);
        before = outcome->features.at[i];
    }
    json_writer_close(json, ']');
}

void outcome_print(const struct run_outcome *outcome, struct buffer *out)
{
    struct json_writer json = { .out = out };

    json_writer_open(&json, NULL, '{');
#define PRINT(name, field) json_writer_number(&json, name, outcome->field);
    OUTCOME_NUMBERS(PRINT)
#undef PRINT
    json_writer_number(&json, "simulated_ns", (uint64_t)outcome->simulated_ns);
    json_writer_number(&json, "store", outcome->has_store);
    json_writer_text(&json, "verdict", checker_verdict_name(outcome->verdict));
    json_writer_text(&json, "trace", outcome->trace);
    answer_faults(outcome, &json);
    answer_counts(&json, "nemeses", outcome->felt, outcome->nemesis_count);
    json_writer_number(&json, "drawn", outcome->drawn_count);
    if (outcome->has_store)
        answer_counts(&json, "sometimes", outcome->sometimes, SOMETIMES_COUNT);
    answer_checks(outcome, &json);
    if (outcome->undecided)
        json_writer_text(&json, "undecided", outcome->undecided);
    answer_failures(outcome, &json);
    answer_draws(outcome, &json);
    if (outcome->features.count > 0)
        answer_features(outcome, &json);
    json_writer_close(&json, '}');
}

/* --- And back --------------------------------------------------------------------------------- */

static enum status read_count(struct json *json, uint64_t *count, struct error *err)
{
    int64_t number;

    TRY(json_integer(json, "a count", &number, err));
    if (number < 0)
        return json_refuse_token(json, err, "a count is not below zero");
    *count = (uint64_t)number;
    return STATUS_OK;
}

static enum status read_fault(struct json *json, struct run_outcome *outcome, struct error *err)
{
    struct text name;
    uint64_t expects = 0;
    bool more;

    TRY(json_open(json, '[', "a fault", err));
    TRY(json_element(json, 0, &more, err));
    TRY(json_string(json, "a fault's name", &name, err));
    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        if (!text_equal(name, text_of(world_fault_name((enum world_fault)i))))
            continue;
        TRY(json_element(json, 1, &more, err));
        TRY(read_count(json, &outcome->faults[i], err));
        TRY(json_element(json, 2, &more, err));
        TRY(read_count(json, &expects, err));
        outcome->expects[i] = expects;
        TRY(json_element(json, 3, &more, err));
        return more ? json_refuse(json, "the end of the fault", err) : STATUS_OK;
    }
    return json_refuse_token(json, err, "there is no such fault");
}

static enum status read_counts(struct json *json, uint64_t *counts, size_t count_max,
                               uint32_t *count, struct error *err)
{
    bool more = true;

    TRY(json_open(json, '[', "counts", err));
    for (*count = 0;; (*count)++) {
        TRY(json_element(json, *count, &more, err));
        if (!more)
            return STATUS_OK;
        if (*count == count_max)
            return json_refuse(json, "no more counts", err);
        TRY(read_count(json, &counts[*count], err));
    }
}

static enum status read_copy(struct json *json, char **copy, struct error *err)
{
    struct text text;

    TRY(json_string(json, "a text", &text, err));
    *copy = strndup(text.at, text.length);
    return *copy ? STATUS_OK : error_set(err, STATUS_OVER_LIMIT, "no memory for an outcome");
}

static enum status read_verdict(struct json *json, enum verdict *verdict, struct error *err)
{
    struct text name;

    TRY(json_string(json, "a verdict", &name, err));
    for (int i = VERDICT_VALID; i <= VERDICT_UNKNOWN; i++)
        if (text_equal(name, text_of(checker_verdict_name((enum verdict)i)))) {
            *verdict = (enum verdict)i;
            return STATUS_OK;
        }
    return json_refuse_token(json, err, "there is no such verdict");
}

static enum status read_check(struct json *json, struct run_outcome *outcome, struct error *err)
{
    const struct checker *const *all = checkers_all();
    enum verdict verdict = VERDICT_UNKNOWN;
    struct text name;
    bool more;

    TRY(json_open(json, '[', "a check", err));
    TRY(json_element(json, 0, &more, err));
    TRY(json_string(json, "a checker", &name, err));
    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++) {
        if (!text_equal(name, text_of(all[i]->name)))
            continue;
        TRY(json_element(json, 1, &more, err));
        TRY(read_verdict(json, &verdict, err));
        outcome->checks[i] = (uint8_t)(1 + verdict);
        TRY(json_element(json, 2, &more, err));
        return more ? json_refuse(json, "the end of the check", err) : STATUS_OK;
    }
    return json_refuse_token(json, err, "there is no such checker");
}

static enum status read_failure(struct json *json, struct run_outcome *outcome, struct error *err)
{
    struct failure *failure;
    bool more;

    TRY(array_push(&outcome->failures, ((struct failure){ 0 }), err));
    failure = &outcome->failures.at[outcome->failures.count - 1];
    TRY(json_open(json, '[', "a failure", err));
    TRY(json_element(json, 0, &more, err));
    TRY(read_copy(json, &failure->signature, err));
    TRY(json_element(json, 1, &more, err));
    TRY(read_copy(json, &failure->explanation, err));
    TRY(json_element(json, 2, &more, err));
    return more ? json_refuse(json, "the end of the failure", err) : STATUS_OK;
}

/* A list, whose elements are read by the function. */
static enum status read_list(struct json *json, struct run_outcome *outcome,
                             enum status (*read_one)(struct json *, struct run_outcome *,
                                                     struct error *),
                             struct error *err)
{
    bool more = true;

    TRY(json_open(json, '[', "a list", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(read_one(json, outcome, err));
    }
}

static enum status read_draws(struct json *json, struct run_outcome *outcome, struct error *err)
{
    enum swarm_dimension dimension = SWARM_PROTOCOL;
    struct text name;

    TRY(json_open(json, '{', "draws", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(json, n, &name, err));
        if (!name.at)
            return STATUS_OK;
        if (!swarm_find_dimension(name, &dimension) || outcome->draws.of[dimension].is_given)
            return json_refuse_token(json, err, "there is no such dimension, or it was there");
        outcome->draws.of[dimension].is_given = true;
        TRY(read_count(json, &outcome->draws.of[dimension].seed, err));
    }
}

static enum status read_features(struct json *json, struct run_outcome *outcome, struct error *err)
{
    uint64_t feature = 0, more_by = 0;
    bool more = true;

    TRY(json_open(json, '[', "features", err));
    for (size_t n = 0;; n++) {
        TRY(json_element(json, n, &more, err));
        if (!more)
            return STATUS_OK;
        TRY(read_count(json, &more_by, err));
        if ((n > 0 && more_by == 0) || more_by >= COVERAGE_FEATURES ||
            feature + more_by >= COVERAGE_FEATURES)
            return json_refuse_token(json, err, "there is no such feature");
        feature += more_by;
        TRY(array_push(&outcome->features, (uint32_t)feature, err));
    }
}

static enum status read_trace(struct json *json, struct run_outcome *outcome, struct error *err)
{
    struct text trace;

    TRY(json_string(json, "a trace", &trace, err));
    if (trace.length >= sizeof outcome->trace)
        return json_refuse_token(json, err, "a trace has 64 digits");
    memcpy(outcome->trace, trace.at, trace.length);
    outcome->trace[trace.length] = '\0';
    return STATUS_OK;
}

static enum status read_field(struct json *json, struct text name, struct run_outcome *outcome,
                              struct error *err)
{
    uint64_t number = 0;
    uint32_t count = 0;

#define READ(field_name, field)                                                                    \
    if (text_equal(name, TEXT(field_name)))                                                        \
        return read_count(json, &outcome->field, err);
    OUTCOME_NUMBERS(READ)
#undef READ
    if (text_equal(name, TEXT("simulated_ns")))
        return json_integer(json, "nanoseconds", &outcome->simulated_ns, err);
    if (text_equal(name, TEXT("verdict")))
        return read_verdict(json, &outcome->verdict, err);
    if (text_equal(name, TEXT("trace")))
        return read_trace(json, outcome, err);
    if (text_equal(name, TEXT("faults")))
        return read_list(json, outcome, read_fault, err);
    if (text_equal(name, TEXT("nemeses")))
        return read_counts(json, outcome->felt, NEMESIS_COUNT_MAX, &outcome->nemesis_count, err);
    if (text_equal(name, TEXT("sometimes")))
        return read_counts(json, outcome->sometimes, SOMETIMES_COUNT, &count, err);
    if (text_equal(name, TEXT("undecided")) && !outcome->undecided)
        return read_copy(json, &outcome->undecided, err);
    if (text_equal(name, TEXT("failures")))
        return read_list(json, outcome, read_failure, err);
    if (text_equal(name, TEXT("checks")))
        return read_list(json, outcome, read_check, err);
    if (text_equal(name, TEXT("draws")))
        return read_draws(json, outcome, err);
    if (text_equal(name, TEXT("features")) && outcome->features.count == 0)
        return read_features(json, outcome, err);
    if (text_equal(name, TEXT("drawn")) || text_equal(name, TEXT("store"))) {
        TRY(read_count(json, &number, err));
        if (name.at[0] == 'd')
            outcome->drawn_count = (uint32_t)number;
        else
            outcome->has_store = number;
        return STATUS_OK;
    }
    return json_refuse_token(json, err, "an outcome has no field '%.*s'", TEXT_PRINT(name));
}

static enum status read_fields(struct json *json, struct run_outcome *outcome, struct error *err)
{
    struct text name;

    TRY(json_open(json, '{', "an outcome", err));
    for (size_t n = 0;; n++) {
        TRY(json_field(json, n, &name, err));
        if (!name.at)
            break;
        TRY(read_field(json, name, outcome, err));
    }
    TRY(json_end(json, err));
    if (outcome->drawn_count > outcome->nemesis_count)
        return error_set(err, STATUS_BAD_INPUT, "more nemeses were drawn than there are");
    return STATUS_OK;
}

/* The lexer looks beyond the end of its line, hence the copy. */
enum status outcome_read(struct run_outcome *outcome, struct text line, struct error *err)
{
    static const char beyond[64]; /* as much as a source has behind its lines */
    struct buffer copy = { 0 };
    struct json json = { 0 };
    enum status status;

    *outcome = (struct run_outcome){ 0 };
    buffer_text(&copy, line);
    buffer_text(&copy, (struct text){ beyond, sizeof beyond });
    status = buffer_status(&copy, err);
    if (status == STATUS_OK) {
        json_begin(&json, (struct text){ copy.at, line.length });
        status = read_fields(&json, outcome, err);
    }
    json_close(&json);
    buffer_close(&copy);
    return status;
}
