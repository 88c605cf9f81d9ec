#include "trial/sweep/tally.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trial/run/signature.h"

enum status tally_init(struct tally *tally, const struct plan *plan, struct error *err)
{
    *tally = (struct tally){ .plan = plan, .failed_job = UINT64_MAX };
    tally->subjects = calloc(plan->subjects.count, sizeof *tally->subjects);
    if (plan->is_guided)
        tally->reached = calloc(COVERAGE_FEATURES, sizeof *tally->reached);
    return tally->subjects && (tally->reached || !plan->is_guided)
               ? STATUS_OK
               : error_set(err, STATUS_OVER_LIMIT, "no memory for a tally");
}

void tally_close(struct tally *tally)
{
    for (size_t i = 0; i < tally->groups.count; i++) {
        free(tally->groups.at[i].signature);
        free(tally->groups.at[i].explanation);
        array_close(&tally->groups.at[i].seeds);
    }
    for (size_t i = 0; tally->subjects && i < tally->plan->subjects.count; i++)
        free(tally->subjects[i].doubt);
    array_close(&tally->groups);
    array_close(&tally->entries);
    for (size_t i = 0; i < tally->not_judged.count; i++)
        free(tally->not_judged.at[i].why);
    array_close(&tally->not_judged);
    array_close(&tally->draws);
    map_close(&tally->done);
    free(tally->subjects);
    free(tally->reached);
    *tally = (struct tally){ 0 };
}

enum status tally_clear(struct tally *tally, struct error *err)
{
    const struct plan *plan = tally->plan;

    tally_close(tally);
    return tally_init(tally, plan, err);
}

/* --- Groups ----------------------------------------------------------------------------------- */

static enum status replace(char **to, const char *from, struct error *err)
{
    char *copy = strdup(from);

    if (!copy)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a tally");
    free(*to);
    *to = copy;
    return STATUS_OK;
}

static enum status find_group(struct tally *tally, size_t subject, const char *signature,
                              struct group **group, struct error *err)
{
    for (size_t i = 0; i < tally->groups.count; i++) {
        *group = &tally->groups.at[i];
        if ((*group)->subject == subject && strcmp((*group)->signature, signature) == 0)
            return STATUS_OK;
    }
    TRY(array_push(&tally->groups, ((struct group){ .subject = subject, .job = UINT64_MAX }), err));
    *group = &tally->groups.at[tally->groups.count - 1];
    return replace(&(*group)->signature, signature, err);
}

/* A run that has a signature twice is counted once. */
static enum status add_failure(struct tally *tally, uint64_t job, const struct failure *failure,
                               size_t place, const struct swarm_draws *draws, struct error *err)
{
    uint64_t seed = plan_seed(tally->plan, job);
    struct group *group = NULL;

    TRY(find_group(tally, plan_subject(tally->plan, job), failure->signature, &group, err));
    if (group->seeds.count > 0 && group->seeds.at[group->seeds.count - 1] == seed)
        return STATUS_OK;
    TRY(array_push(&group->seeds, seed, err));
    if (job > group->job)
        return STATUS_OK;
    group->job = job;
    group->place = place;
    group->draws = *draws;
    return replace(&group->explanation, failure->explanation, err);
}

/* --- Sums ------------------------------------------------------------------------------------- */

static void add_felt(struct felt *felt, bool is_felt)
{
    felt->runs++;
    felt->felt += is_felt;
}

static void add_faults(struct subject_tally *sum, const struct run_outcome *outcome)
{
    uint32_t configured = outcome->nemesis_count - outcome->drawn_count;

    for (uint32_t i = 0; i < outcome->nemesis_count; i++)
        add_felt(i < configured ? &sum->nemeses[i] : &sum->swarm, outcome->felt[i] > 0);
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        if (outcome->expects[i] || outcome->faults[i] > 0)
            add_felt(&sum->faults[i], outcome->faults[i] > 0);
}

static enum status add_doubt(struct subject_tally *sum, uint64_t job,
                             const struct run_outcome *outcome, struct error *err)
{
    if (!outcome->undecided)
        return STATUS_OK;
    sum->undecided++;
    sum->too_long += outcome->is_too_long;
    if (sum->doubt && sum->doubt_job < job)
        return STATUS_OK;
    sum->doubt_job = job;
    return replace(&sum->doubt, outcome->undecided, err);
}

static enum status add_sums(struct subject_tally *sum, uint64_t job,
                            const struct run_outcome *outcome, struct error *err)
{
    sum->runs++;
    sum->failed += outcome->verdict == VERDICT_INVALID;
    sum->barren += outcome->committed == 0;
    sum->committed += outcome->committed;
    sum->aborted += outcome->aborted;
    sum->unknown += outcome->unknown;
    for (int i = 0; i < SOMETIMES_COUNT; i++)
        sum->sometimes[i] += outcome->sometimes[i];
    add_faults(sum, outcome);
    return add_doubt(sum, job, outcome, err);
}

static void add_features(struct tally *tally, const struct run_outcome *outcome)
{
    for (size_t i = 0; tally->reached && i < outcome->features.count; i++) {
        uint8_t *reached = &tally->reached[outcome->features.at[i]];
        tally->reached_count += !*reached;
        *reached = 1;
    }
}

/* --- One outcome ------------------------------------------------------------------------------ */

/* Of all that an outcome says, so that two runs of one job can be compared. */
static enum status identify(const struct run_outcome *outcome, uint64_t *identity, struct error *err)
{
    struct buffer line = { 0 };
    enum status status;

    outcome_print(outcome, &line);
    status = buffer_status(&line, err);
    if (status == STATUS_OK)
        *identity = hash_bytes(line.at, line.count);
    buffer_close(&line);
    return status;
}

/* The second outcome is not counted, but that there is one is what matters. */
static enum status add_difference(struct tally *tally, uint64_t job,
                                  const struct swarm_draws *draws, struct error *err)
{
    char signature[SIGNATURE_SIZE];
    char why[] = "the same seed came out in two ways";
    struct failure failure = { signature, why };
    struct subject_tally *sum = &tally->subjects[plan_subject(tally->plan, job)];

    signature_of_process(signature, "differs", "from one time to another");
    for (size_t i = 0; i < tally->entries.count; i++)
        if (tally->entries.at[i].job == job && tally->entries.at[i].verdict != VERDICT_INVALID) {
            tally->entries.at[i].verdict = VERDICT_INVALID;
            sum->failed++;
        }
    if (job < tally->failed_job)
        tally->failed_job = job;
    return add_failure(tally, job, &failure, SIGNATURES_MAX, draws, err);
}

const struct swarm_draws *tally_draws(const struct tally *tally, uint64_t job)
{
    for (size_t i = 0; i < tally->draws.count; i++)
        if (tally->draws.at[i].job == job)
            return &tally->draws.at[i].draws;
    for (size_t i = 0; i < tally->not_judged.count; i++)
        if (tally->not_judged.at[i].job == job)
            return &tally->not_judged.at[i].draws;
    return NULL;
}

bool tally_has(const struct tally *tally, uint64_t job)
{
    uint64_t identity;

    return map_find(&tally->done, job, &identity);
}

static enum status add_not_judged(struct tally *tally, uint64_t job,
                                  const struct run_outcome *outcome, struct error *err)
{
    struct run_not_judged run = { job, NULL, outcome->draws };

    TRY(array_reserve(&tally->not_judged, 1, err));
    TRY(replace(&run.why, outcome->not_judged, err));
    return array_push(&tally->not_judged, run, err);
}

enum status tally_add(struct tally *tally, uint64_t job, const struct run_outcome *outcome,
                      struct error *err)
{
    uint64_t identity = 0, before;
    size_t place;

    assert(plan_seed(tally->plan, job) == outcome->seed);
    if (outcome->not_judged)
        return add_not_judged(tally, job, outcome, err);
    TRY(identify(outcome, &identity, err));
    if (map_find(&tally->done, job, &before))
        return before == identity ? STATUS_OK : add_difference(tally, job, &outcome->draws, err);
    TRY(map_add(&tally->done, job, identity, &place, err));
    TRY(array_push(&tally->entries, ((struct run_entry){ job, outcome->verdict }), err));
    if (outcome->verdict == VERDICT_INVALID && job < tally->failed_job)
        tally->failed_job = job;
    for (size_t i = 0; i < outcome->failures.count; i++)
        TRY(add_failure(tally, job, &outcome->failures.at[i], i, &outcome->draws, err));
    if (tally->plan->is_guided && outcome->failures.count > 0)
        TRY(array_push(&tally->draws, ((struct run_draws){ job, outcome->draws }), err));
    add_features(tally, outcome);
    return add_sums(&tally->subjects[plan_subject(tally->plan, job)], job, outcome, err);
}

/* --- In order --------------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    int order = compare(x->subject, y->subject);

    if (order == 0)
        order = compare(x->job, y->job);
    if (order == 0)
        order = compare(x->place, y->place);
    return order ? order : strcmp(x->signature, y->signature);
}

static int compare_seeds(const void *a, const void *b)
{
    return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static int compare_entries(const void *a, const void *b)
{
    return compare(((const struct run_entry *)a)->job, ((const struct run_entry *)b)->job);
}

static int compare_not_judged(const void *a, const void *b)
{
    const struct run_not_judged *x = a, *y = b;
    int order = compare(x->job, y->job);

    return order ? order : strcmp(x->why, y->why);
}

/* Each once, and none that was judged at another time. */
static void settle_not_judged(struct tally *tally)
{
    struct run_not_judged *runs = tally->not_judged.at;
    size_t kept = 0;

    if (tally->not_judged.count > 0)
        qsort(runs, tally->not_judged.count, sizeof *runs, compare_not_judged);
    for (size_t i = 0; i < tally->not_judged.count; i++) {
        if (tally_has(tally, runs[i].job) || (kept > 0 && runs[kept - 1].job == runs[i].job))
            free(runs[i].why);
        else
            runs[kept++] = runs[i];
    }
    tally->not_judged.count = kept;
}

void tally_sort(struct tally *tally)
{
    settle_not_judged(tally);
    if (tally->groups.count > 0)
        qsort(tally->groups.at, tally->groups.count, sizeof *tally->groups.at, compare_groups);
    if (tally->entries.count > 0)
        qsort(tally->entries.at, tally->entries.count, sizeof *tally->entries.at,
              compare_entries);
    for (size_t i = 0; i < tally->groups.count; i++)
        qsort(tally->groups.at[i].seeds.at, tally->groups.at[i].seeds.count,
              sizeof *tally->groups.at[i].seeds.at, compare_seeds);
}

/* --- What it means ---------------------------------------------------------------------------- */

uint64_t tally_failed(const struct tally *tally)
{
    uint64_t failed = 0;

    for (size_t i = 0; i < tally->plan->subjects.count; i++)
        failed += tally->subjects[i].failed;
    return failed;
}

/*
 * Nemeses of the scenario, faults that it has all the time, and its swarm as a whole:
 * that one of many kinds was drawn in a few runs and found nothing to hurt is chance.
 */
bool tally_unfelt(const struct tally *tally, size_t subject, size_t index, struct buffer *what)
{
    const struct subject *of = &tally->plan->subjects.at[subject];
    const struct subject_tally *sum = &tally->subjects[subject];
    size_t found = 0;

    if (sum->runs == 0)
        return false;
    for (uint32_t i = 0; i < of->nemesis_count; i++)
        if (sum->nemeses[i].felt == 0 && found++ == index) {
            buffer_print(what, "%s (nemesis.%u)", of->nemeses[i], (unsigned)i);
            return true;
        }
    for (int i = 0; i < FAULT_KIND_COUNT; i++)
        if (of->has_fault[i] && sum->faults[i].felt == 0 && found++ == index) {
            buffer_text(what, text_of(world_fault_name((enum world_fault)i)));
            return true;
        }
    if (of->has_swarm && sum->swarm.felt == 0 && found++ == index) {
        buffer_text(what, TEXT("swarm"));
        return true;
    }
    return false;
}

bool tally_is_barren(const struct tally *tally, size_t subject)
{
    const struct subject_tally *sum = &tally->subjects[subject];

    return tally->plan->subjects.at[subject].has_store && sum->runs > 0 &&
           sum->barren == sum->runs;
}

bool tally_has_path(const struct tally *tally, enum rare_path path)
{
    for (size_t i = 0; i < tally->plan->subjects.count; i++) {
        const struct subject *subject = &tally->plan->subjects.at[i];
        if (tally->subjects[i].runs > 0 && subject->has_store && !subject->is_real &&
            (subject->protocol[0] == '\0' ||
             sometimes_is_of(path, subject->protocol, subject->on_raft)))
            return true;
    }
    return false;
}

uint64_t tally_path(const struct tally *tally, enum rare_path path)
{
    uint64_t count = 0;

    for (size_t i = 0; i < tally->plan->subjects.count; i++)
        count += tally->subjects[i].sometimes[path];
    return count;
}

static bool shows_nothing(const struct tally *tally, size_t subject)
{
    struct buffer what = { 0 };
    bool unfelt = tally_unfelt(tally, subject, 0, &what);

    buffer_close(&what);
    return unfelt || tally_is_barren(tally, subject) || tally->subjects[subject].undecided > 0;
}

enum verdict tally_verdict(const struct tally *tally)
{
    if (tally_failed(tally) > 0)
        return VERDICT_INVALID;
    if (tally->entries.count == 0 || tally->not_judged.count > 0)
        return VERDICT_UNKNOWN;
    for (size_t i = 0; i < tally->plan->subjects.count; i++)
        if (shows_nothing(tally, i))
            return VERDICT_UNKNOWN;
    return VERDICT_VALID;
}
