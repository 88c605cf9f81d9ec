#include "trial/run/outcome.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_fields.h"
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

enum status outcome_not_judged(struct run_outcome *outcome, const char *why, struct error *err)
{
    outcome->verdict = VERDICT_UNKNOWN;
    free(outcome->not_judged);
    return copy_text(&outcome->not_judged, why, err);
}

static enum status take_failures(struct run_outcome *outcome, const struct signatures *signatures,
                                 struct error *err)
{
    for (size_t i = 0; i < signatures->count; i++)
        TRY(outcome_add_failure(outcome, signatures->at[i].text, signatures->at[i].explanation,
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

/* Who could not decide, and why. The audit: NULL, if there is none. */
static enum status take_doubt(struct run_outcome *outcome, const struct jury *jury,
                              const struct call_audit *audit, struct error *err)
{
    struct buffer why = { 0 };
    struct jury_gap gap;
    enum status status;

    if (outcome->verdict != VERDICT_UNKNOWN || outcome->committed == 0)
        return STATUS_OK;
    for (uint32_t i = 0; jury_gap(jury, i, &gap); i++)
        buffer_print(&why, "%s%s: %s", why.count ? "; " : "", gap.checker, gap.reason);
    for (uint32_t i = 0; i < jury->juror_count; i++) {
        const struct check *check = &jury->jurors[i].check;
        if (check->verdict == VERDICT_UNKNOWN && !jury->jurors[i].is_due)
            buffer_print(&why, "%s%s: %s", why.count ? "; " : "", check->checker->name,
                         check->reason);
    }
    if (audit && audit->verdict.verdict == VERDICT_UNKNOWN)
        buffer_print(&why, "%saudit: %s", why.count ? "; " : "", audit->verdict.reason);
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
    struct signatures signatures;

    *outcome = (struct run_outcome){ .seed = trial->scenario->seed };
    outcome->verdict = trial_verdict(trial);
    digest_hex(&simulation->trace, outcome->trace);
    outcome->simulated_ns = simulation->world.now_ns;
    outcome->events = simulation->world.counts.events;
    if (simulation->store)
        take_transactions(outcome, simulation->store);
    take_faults(outcome, trial);
    take_checks(outcome, &trial->jury);
    if (trial->is_audited)
        outcome->audit = (uint8_t)(1 + trial->audit.verdict.verdict);
    outcome->is_too_long = simulation->too_long[0] != '\0';
    if (outcome->is_too_long)
        TRY(copy_text(&outcome->undecided, simulation->too_long, err));
    else
        TRY(take_doubt(outcome, &trial->jury, trial->is_audited ? &trial->audit : NULL, err));
    signature_of_trial(trial, &signatures);
    return take_failures(outcome, &signatures, err);
}

enum status outcome_of_recording(struct run_outcome *outcome, const struct record_trial *trial,
                                 struct error *err)
{
    struct signatures signatures;

    *outcome = (struct run_outcome){ .seed = trial->plan.seed,
                                     .verdict = record_trial_verdict(trial),
                                     .has_store = true,
                                     .committed = trial->recording.committed,
                                     .aborted = trial->recording.aborted,
                                     .unknown = trial->recording.unknown,
                                     .nemesis_count = trial->nemesis_count };
    for (uint32_t i = 0; i < trial->nemesis_count; i++)
        outcome->felt[i] = record_trial_felt(trial, i);
    take_checks(outcome, &trial->jury);
    TRY(take_doubt(outcome, &trial->jury, NULL, err));
    signature_of_recording(trial, &signatures);
    return take_failures(outcome, &signatures, err);
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
    free(outcome->not_judged);
    *outcome = (struct run_outcome){ 0 };
}

/* --- As a line -------------------------------------------------------------------------------- */

/* The end of an array that has so many elements. */
static enum status end_array(struct json *json, size_t count, const char *what, struct error *err)
{
    bool more = false;

    TRY(json_element(json, count, &more, err));
    return more ? json_refuse(json, what, err) : STATUS_OK;
}

static enum status read_verdict_name(struct json *json, enum verdict *verdict, struct error *err)
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

static enum status read_verdict(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;

    return read_verdict_name(json, &outcome->verdict, err);
}

static void write_verdict(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    json_writer_text(json, name, checker_verdict_name(outcome->verdict));
}

static enum status read_fault(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
    struct text name;
    uint64_t expects = 0;
    bool more;
    int kind = 0;

    TRY(json_open(json, '[', "a fault", err));
    TRY(json_element(json, 0, &more, err));
    TRY(json_string(json, "a fault's name", &name, err));
    while (kind < FAULT_KIND_COUNT &&
           !text_equal(name, text_of(world_fault_name((enum world_fault)kind))))
        kind++;
    if (kind == FAULT_KIND_COUNT)
        return json_refuse_token(json, err, "there is no such fault");
    TRY(json_element(json, 1, &more, err));
    TRY(json_fields_count(json, &outcome->faults[kind], err));
    TRY(json_element(json, 2, &more, err));
    TRY(json_fields_count(json, &expects, err));
    outcome->expects[kind] = expects;
    return end_array(json, 3, "the end of the fault", err);
}

static void write_faults(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    for (int i = 0; i < FAULT_KIND_COUNT; i++) {
        if (outcome->faults[i] == 0 && !outcome->expects[i])
            continue;
        json_writer_open(json, name, '[');
        json_writer_text(json, NULL, world_fault_name((enum world_fault)i));
        json_writer_number(json, NULL, outcome->faults[i]);
        json_writer_number(json, NULL, outcome->expects[i]);
        json_writer_close(json, ']');
    }
}

/* At most so many; *count is how many there are. */
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
        TRY(json_fields_count(json, &counts[*count], err));
    }
}

static void write_counts(struct json_writer *json, const char *name, const uint64_t *counts,
                         size_t count)
{
    json_writer_open(json, name, '[');
    for (size_t i = 0; i < count; i++)
        json_writer_number(json, NULL, counts[i]);
    json_writer_close(json, ']');
}

static enum status read_nemeses(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;

    return read_counts(json, outcome->felt, NEMESIS_COUNT_MAX, &outcome->nemesis_count, err);
}

static void write_nemeses(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    write_counts(json, name, outcome->felt, outcome->nemesis_count);
}

static enum status read_sometimes(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
    uint32_t count = 0;

    return read_counts(json, outcome->sometimes, SOMETIMES_COUNT, &count, err);
}

static void write_sometimes(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    write_counts(json, name, outcome->sometimes, SOMETIMES_COUNT);
}

static bool has_store(const void *owner)
{
    return ((const struct run_outcome *)owner)->has_store;
}

static enum status read_check(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
    const struct checker *const *all = checkers_all();
    enum verdict verdict = VERDICT_UNKNOWN;
    struct text name;
    uint32_t i = 0;
    bool more;

    TRY(json_open(json, '[', "a check", err));
    TRY(json_element(json, 0, &more, err));
    TRY(json_string(json, "a checker", &name, err));
    while (all[i] && i < JURY_MAX && !text_equal(name, text_of(all[i]->name)))
        i++;
    if (!all[i] || i == JURY_MAX)
        return json_refuse_token(json, err, "there is no such checker");
    TRY(json_element(json, 1, &more, err));
    TRY(read_verdict_name(json, &verdict, err));
    outcome->checks[i] = (uint8_t)(1 + verdict);
    return end_array(json, 2, "the end of the check", err);
}

static void write_checks(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;
    const struct checker *const *all = checkers_all();

    for (uint32_t i = 0; all[i] && i < JURY_MAX; i++) {
        if (outcome->checks[i] == 0)
            continue;
        json_writer_open(json, name, '[');
        json_writer_text(json, NULL, all[i]->name);
        json_writer_text(json, NULL, checker_verdict_name((enum verdict)(outcome->checks[i] - 1)));
        json_writer_close(json, ']');
    }
}

static enum status read_audit(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
    enum verdict verdict = VERDICT_UNKNOWN;

    TRY(read_verdict_name(json, &verdict, err));
    outcome->audit = (uint8_t)(1 + verdict);
    return STATUS_OK;
}

static void write_audit(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    json_writer_text(json, name, checker_verdict_name((enum verdict)(outcome->audit - 1)));
}

static bool is_audited(const void *owner)
{
    return ((const struct run_outcome *)owner)->audit > 0;
}

static bool is_too_long(const void *owner)
{
    return ((const struct run_outcome *)owner)->is_too_long;
}

static enum status read_undecided(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;

    return json_fields_copy(json, &outcome->undecided, err);
}

static void write_undecided(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    json_writer_text(json, name, outcome->undecided);
}

static bool is_undecided(const void *owner)
{
    return ((const struct run_outcome *)owner)->undecided != NULL;
}

static enum status read_not_judged(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;

    return json_fields_copy(json, &outcome->not_judged, err);
}

static void write_not_judged(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    json_writer_text(json, name, outcome->not_judged);
}

static bool is_not_judged(const void *owner)
{
    return ((const struct run_outcome *)owner)->not_judged != NULL;
}

static enum status read_failure(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
    struct failure *failure;
    bool more;

    TRY(array_push(&outcome->failures, ((struct failure){ 0 }), err));
    failure = &outcome->failures.at[outcome->failures.count - 1];
    TRY(json_open(json, '[', "a failure", err));
    TRY(json_element(json, 0, &more, err));
    TRY(json_fields_copy(json, &failure->signature, err));
    TRY(json_element(json, 1, &more, err));
    TRY(json_fields_copy(json, &failure->explanation, err));
    return end_array(json, 2, "the end of the failure", err);
}

static void write_failures(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;

    for (size_t i = 0; i < outcome->failures.count; i++) {
        json_writer_open(json, name, '[');
        json_writer_text(json, NULL, outcome->failures.at[i].signature);
        json_writer_text(json, NULL, outcome->failures.at[i].explanation);
        json_writer_close(json, ']');
    }
}

static enum status read_draws(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
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
        TRY(json_fields_count(json, &outcome->draws.of[dimension].seed, err));
    }
}

static void write_draws(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;
    bool any = false;

    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++) {
        if (!outcome->draws.of[i].is_given)
            continue;
        if (!any)
            json_writer_open(json, name, '{');
        any = true;
        json_writer_number(json, swarm_dimension_name((enum swarm_dimension)i),
                           outcome->draws.of[i].seed);
    }
    if (any)
        json_writer_close(json, '}');
}

/* Each as its distance from the one before: most take two digits. */
static enum status read_feature(struct json *json, void *owner, struct error *err)
{
    struct run_outcome *outcome = owner;
    size_t count = outcome->features.count;
    uint64_t before = count > 0 ? outcome->features.at[count - 1] : 0, more_by = 0;

    TRY(json_fields_count(json, &more_by, err));
    if ((count > 0 && more_by == 0) || more_by >= COVERAGE_FEATURES ||
        before + more_by >= COVERAGE_FEATURES)
        return json_refuse_token(json, err, "there is no such feature");
    return array_push(&outcome->features, (uint32_t)(before + more_by), err);
}

static void write_features(const void *owner, const char *name, struct json_writer *json)
{
    const struct run_outcome *outcome = owner;
    uint32_t before = 0;

    for (size_t i = 0; i < outcome->features.count; i++) {
        json_writer_number(json, name, outcome->features.at[i] - before);
        before = outcome->features.at[i];
    }
}

static bool has_features(const void *owner)
{
    return ((const struct run_outcome *)owner)->features.count > 0;
}

static const struct json_row outcome_rows[] = {
    JSON_ROW("seed", JSON_COUNT, struct run_outcome, seed),
    JSON_ROW("events", JSON_COUNT, struct run_outcome, events),
    JSON_ROW("committed", JSON_COUNT, struct run_outcome, committed),
    JSON_ROW("aborted", JSON_COUNT, struct run_outcome, aborted),
    JSON_ROW("unknown", JSON_COUNT, struct run_outcome, unknown),
    JSON_ROW("simulated_ns", JSON_INTEGER, struct run_outcome, simulated_ns),
    JSON_ROW("store", JSON_FLAG, struct run_outcome, has_store),
    { .name = "verdict", .read = read_verdict, .write = write_verdict },
    JSON_ROW("trace", JSON_WORD, struct run_outcome, trace),
    { .name = "faults", .type = JSON_LIST, .read = read_fault, .write = write_faults },
    { .name = "nemeses", .read = read_nemeses, .write = write_nemeses },
    JSON_ROW("drawn", JSON_COUNT32, struct run_outcome, drawn_count),
    { .name = "sometimes", .read = read_sometimes, .write = write_sometimes,
      .is_there = has_store },
    { .name = "checks", .type = JSON_LIST, .read = read_check, .write = write_checks },
    { .name = "audit", .read = read_audit, .write = write_audit, .is_there = is_audited },
    { .name = "too_long", .type = JSON_FLAG, .offset = offsetof(struct run_outcome, is_too_long),
      .size = sizeof(bool), .is_there = is_too_long },
    { .name = "undecided", .read = read_undecided, .write = write_undecided,
      .is_there = is_undecided },
    { .name = "not_judged", .read = read_not_judged, .write = write_not_judged,
      .is_there = is_not_judged },
    { .name = "failures", .type = JSON_LIST, .read = read_failure, .write = write_failures },
    { .name = "draws", .read = read_draws, .write = write_draws },
    { .name = "features", .type = JSON_LIST, .read = read_feature, .write = write_features,
      .is_there = has_features },
};
static const struct json_object outcome_object = { "an outcome", outcome_rows,
                                                   ROW_COUNT(outcome_rows) };

void outcome_print(const struct run_outcome *outcome, struct buffer *out)
{
    struct json_writer json = { .out = out };

    assert(outcome->drawn_count <= outcome->nemesis_count);
    json_fields_write(&json, NULL, &outcome_object, outcome);
}

enum status outcome_read(struct run_outcome *outcome, struct text line, struct error *err)
{
    *outcome = (struct run_outcome){ 0 };
    TRY(json_fields_read_line(line, &outcome_object, outcome, err));
    if (outcome->drawn_count > outcome->nemesis_count)
        return error_set(err, STATUS_BAD_INPUT, "more nemeses were drawn than there are");
    return STATUS_OK;
}
