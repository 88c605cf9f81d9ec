#include "trial/explore/schedules.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/wall_clock.h"
#include "trial/run/run.h"
#include "trial/run/signature.h"
#include "trial/scenario/latency.h"

#define PENDING_MAX 1024 /* schedules that are not answered for */
#define WAIT_MS 50       /* between two looks at whether it is to stop */

/* --- A scenario in which only the schedule decides -------------------------------------------- */

static void leave_out(const char *what, struct buffer *left_out)
{
    buffer_print(left_out, "%s%s", left_out->count > 0 ? ", " : "", what);
}

/* Its middle, without a tail. */
static bool make_constant(struct scenario_latency *given, struct latency *latency)
{
    bool was_constant = given->kind == GIVEN_CONSTANT && given->tail_chance.denominator == 0;
    int64_t middle_ns = given->first_ns;

    if (given->kind == GIVEN_UNIFORM)
        middle_ns = given->first_ns + (given->second_ns - given->first_ns) / 2;
    else if (given->kind == GIVEN_EXPONENTIAL)
        middle_ns = given->second_ns;
    *given = (struct scenario_latency){ .kind = GIVEN_CONSTANT, .first_ns = middle_ns };
    *latency = (struct latency){ .kind = LATENCY_CONSTANT, .base_ns = middle_ns };
    return !was_constant;
}

static void fix_network(struct scenario_network *network, struct buffer *left_out)
{
    static const struct ratio never = { 0, 1 };
    struct link_options *link = &network->link;

    if (make_constant(&network->latency, &link->latency))
        leave_out("latencies of messages as they are drawn", left_out);
    if (link->loss.numerator > 0 || link->duplicate.numerator > 0 || link->reorder.numerator > 0)
        leave_out("loss, duplicates and reordering by chance", left_out);
    link->loss = link->duplicate = link->reorder = never;
}

static void fix_disk(struct scenario_disk *disk, struct buffer *left_out)
{
    bool varied = make_constant(&disk->read, &disk->config.read);

    varied |= make_constant(&disk->write, &disk->config.write);
    varied |= make_constant(&disk->sync, &disk->config.sync);
    if (varied)
        leave_out("latencies of disks as they are drawn", left_out);
    if (disk->faults.torn.numerator > 0)
        leave_out("torn writes", left_out);
    disk->faults = (struct disk_faults){ .torn = { 0, 1 } };
}

/* Nothing of it is drawn. */
static bool is_listed(const struct nemesis_options *nemesis)
{
    return nemesis->strike_count > 0 || (nemesis->at.count > 0 && nemesis->nodes.count > 0);
}

static void fix_nemeses(struct scenario *scenario, struct buffer *left_out)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < scenario->nemesis_count; i++)
        if (is_listed(&scenario->nemeses[i]))
            scenario->nemeses[kept++] = scenario->nemeses[i];
    if (kept < scenario->nemesis_count || scenario->swarm.kinds != 0)
        leave_out("nemeses whose strikes are drawn", left_out);
    scenario->nemesis_count = kept;
    scenario->swarm = (struct swarm_options){ 0 };
    scenario->source = NULL;
}

void explore_store_fix(struct scenario *scenario, uint64_t transactions, struct buffer *left_out)
{
    struct scenario_workload *workload = &scenario->workload;

    fix_network(&scenario->network, left_out);
    fix_disk(&scenario->disk, left_out);
    fix_nemeses(scenario, left_out);
    if (scenario->buggify.sites != 0)
        leave_out("buggify", left_out);
    scenario->buggify.sites = 0;
    if (workload->is_listed || workload->kind == WORKLOAD_SCHEDULE)
        return;
    workload->client.transactions = transactions;
    if (workload->sessions > transactions)
        workload->sessions = (uint32_t)transactions;
}

void schedule_put(struct scenario *scenario, const struct schedule *schedule)
{
    memcpy(scenario->explore.events, schedule->events, sizeof schedule->events);
}

static uint32_t deviations(const struct schedule *schedule)
{
    uint32_t count = 0;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        count += schedule->events[kind].count;
    return count;
}

/* The kind whose next event comes first, where so many of each are told already. */
static int first_kind(const struct schedule *schedule, const uint32_t *told)
{
    int first = STEERING_KIND_COUNT;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++) {
        const struct steering_events *events = &schedule->events[kind];

        if (told[kind] < events->count &&
            (first == STEERING_KIND_COUNT ||
             events->at[told[kind]] < schedule->events[first].at[told[first]]))
            first = kind;
    }
    return first;
}

void schedule_print(const struct schedule *schedule, struct buffer *out)
{
    uint32_t told[STEERING_KIND_COUNT] = { 0 };

    if (deviations(schedule) == 0)
        buffer_text(out, TEXT("as it is"));
    for (uint32_t i = 0; i < deviations(schedule); i++) {
        int kind = first_kind(schedule, told);

        buffer_print(out, "%s%s %" PRIu64, i > 0 ? ", " : "",
                     steering_kind_word((enum steering_kind)kind),
                     schedule->events[kind].at[told[kind]++]);
    }
}

static uint64_t last_event(const struct schedule *schedule)
{
    uint64_t last = 0;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++) {
        const struct steering_events *events = &schedule->events[kind];

        if (events->count > 0 && events->at[events->count - 1] > last)
            last = events->at[events->count - 1];
    }
    return last;
}

struct schedules_cell *schedules_cell(struct schedules_result *result,
                                      const uint32_t counts[STEERING_KIND_COUNT])
{
    size_t place = 0;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++) {
        assert(counts[kind] <= STEERING_MAX);
        place = place * (STEERING_MAX + 1) + counts[kind];
    }
    return &result->cells[place];
}

/* --- In a worker: one schedule ---------------------------------------------------------------- */

struct schedule_work {
    const struct schedules_options *options;
    struct scenario *scenario; /* a copy, that is steered */
    struct arena arena;
};

static void put_events(const struct steering_events *events, struct buffer *out)
{
    buffer_print(out, "%" PRIu32, events->count);
    for (uint32_t i = 0; i < events->count; i++)
        buffer_print(out, " %" PRIu64, events->at[i]);
    buffer_byte(out, ' ');
}

/* What this program printed is well-formed: numbers with a byte behind each. */
static uint64_t take_number(struct text *rest)
{
    uint64_t number = 0;
    bool is_number = text_take_uint64(rest, &number);

    assert(is_number && rest->length > 0);
    (void)is_number;
    *rest = (struct text){ rest->at + 1, rest->length - 1 };
    return number;
}

static void take_events(struct text *rest, struct steering_events *events)
{
    events->count = (uint32_t)take_number(rest);
    assert(events->count <= STEERING_MAX);
    for (uint32_t i = 0; i < events->count; i++)
        events->at[i] = take_number(rest);
}

/* What clients did and saw, whenever it was and whatever the store says of its order. */
static uint64_t digest_of_seen(const struct history *history)
{
    struct history seen = *history;
    struct digest digest;
    uint64_t word;

    seen.txn_invoked = seen.txn_completed = seen.op_invoked = seen.op_completed = NULL;
    seen.txn_ts_parts = seen.txn_snapshot_parts = seen.op_snapshot_parts = NULL;
    seen.txn_ts = seen.txn_ts_second = seen.txn_ts_third = NULL;
    seen.txn_snapshot = seen.txn_snapshot_second = seen.txn_snapshot_third = NULL;
    seen.op_snapshot = seen.op_snapshot_second = seen.op_snapshot_third = NULL;
    seen.set_count = seen.set_entry_count = seen.order_count = seen.order_version_count = 0;
    digest = history_digest(&seen);
    memcpy(&word, digest.bytes, sizeof word);
    return word;
}

static const char *undecided_because(const struct trial *trial)
{
    struct jury_gap gap;

    if (trial->simulation->too_long[0] != '\0')
        return trial->simulation->too_long;
    if (store_findings(trial->simulation->store)->committed == 0)
        return "nothing committed";
    if (trial->is_judged && jury_gap(&trial->jury, 0, &gap))
        return gap.reason;
    return trial->is_judged && trial->jury.reason[0] != '\0' ? trial->jury.reason
                                                             : "no checker judged it";
}

static void put_text(const char *text, struct buffer *out)
{
    buffer_print(out, "%zu ", strlen(text));
    buffer_text(out, text_of(text));
}

static void put_choices(const struct steering_choices *choices, uint64_t behind, struct buffer *out)
{
    size_t from = 0;

    while (from < choices->list.count && choices->list.at[from].event <= behind)
        from++;
    buffer_print(out, "%zu ", choices->list.count - from);
    for (; from < choices->list.count; from++)
        buffer_print(out, "%" PRIu64 " ",
                     choices->list.at[from].event << STEERING_KIND_COUNT |
                         choices->list.at[from].kinds);
}

static enum status put_answer(const struct trial *trial, const struct steering_choices *choices,
                              uint64_t behind, struct buffer *answer, struct error *err)
{
    enum verdict verdict = trial_verdict(trial);
    struct signatures *signatures = calloc(1, sizeof *signatures);

    if (!signatures)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a run");
    if (verdict == VERDICT_INVALID)
        signature_of_trial(trial, signatures);
    buffer_print(answer, "%d %" PRIu64 " ", (int)verdict,
                 trial->is_judged ? digest_of_seen(&trial->history) : 0);
    put_choices(choices, behind, answer);
    buffer_print(answer, "%zu ", signatures->count);
    for (size_t i = 0; i < signatures->count; i++) {
        put_text(signatures->at[i].text, answer);
        put_text(signatures->at[i].explanation ? signatures->at[i].explanation : "", answer);
    }
    put_text(verdict == VERDICT_UNKNOWN ? undecided_because(trial) : "", answer);
    free(signatures);
    return buffer_status(answer, err);
}

static enum status run_schedule(void *context, struct text job, struct buffer *answer,
                                struct error *err)
{
    struct schedule_work *work = context;
    struct steering_choices choices = { .within_ns = work->options->within_ns };
    struct run_options options = { .arena = &work->arena, .choices = &choices };
    struct trial trial = { 0 };
    struct schedule schedule;
    enum status status;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        take_events(&job, &schedule.events[kind]);
    schedule_put(work->scenario, &schedule);
    status = trial_run(&trial, work->scenario, &options, err);
    if (status == STATUS_OK)
        status = put_answer(&trial, &choices, last_event(&schedule), answer, err);
    trial_close(&trial);
    array_close(&choices.list);
    return status;
}

/* --- All schedules ---------------------------------------------------------------------------- */

/* A schedule that was run, and the events behind its last deviation: choices[from, to). */
struct explored {
    struct schedule schedule;
    size_t from, to;
};

struct frontier {
    ARRAY(struct explored) list;
    ARRAY(uint64_t) choices; /* event << STEERING_KIND_COUNT | kinds */
};

struct exploration {
    const struct schedules_options *options;
    struct schedules_result *result;
    struct schedule_work work;
    struct workers workers;
    struct frontier now, next; /* with so many deviations, and with one more */
    size_t parent, choice;     /* the next to make schedules of */
    int kind;                  /* of what the choice could have been */
    struct schedule pending[PENDING_MAX];
    uint64_t submitted, answered;
    struct map seen; /* digests of histories */
    bool is_over;
};

static void frontier_close(struct frontier *frontier)
{
    array_close(&frontier->list);
    array_close(&frontier->choices);
}

static void add_event(struct steering_events *events, uint64_t event)
{
    assert(events->count < STEERING_MAX);
    events->at[events->count++] = event;
}

/* The next deviation that the choice allows behind this schedule; false: there is none. */
static bool next_kind(struct exploration *x, uint64_t choice, struct schedule *schedule)
{
    while (x->kind < STEERING_KIND_COUNT) {
        int kind = x->kind++;

        if (choice & STEERING_BIT(kind) && schedule->events[kind].count < x->options->max[kind]) {
            add_event(&schedule->events[kind], choice >> STEERING_KIND_COUNT);
            return true;
        }
    }
    return false;
}

/* The next schedule with one deviation more than those of `now`; false: there is none. */
static bool next_schedule(struct exploration *x, struct schedule *schedule)
{
    for (; x->parent < x->now.list.count; x->parent++, x->choice = 0) {
        const struct explored *parent = &x->now.list.at[x->parent];

        for (; parent->from + x->choice < parent->to; x->choice++, x->kind = 0) {
            *schedule = parent->schedule;
            if (next_kind(x, x->now.choices.at[parent->from + x->choice], schedule))
                return true;
        }
    }
    return false;
}

static enum status submit(struct exploration *x, const struct schedule *schedule, struct error *err)
{
    struct buffer job = { 0 };
    enum status status;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        put_events(&schedule->events[kind], &job);
    status = buffer_status(&job, err);
    if (status == STATUS_OK)
        status = workers_submit(&x->workers, (struct text){ job.at, job.count }, err);
    buffer_close(&job);
    if (status == STATUS_OK)
        x->pending[x->submitted++ % PENDING_MAX] = *schedule;
    return status;
}

static char *copy_of(struct text text)
{
    char *copy = malloc(text.length + 1);

    if (!copy)
        return NULL;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    return copy;
}

static enum status add_failure(struct exploration *x, const struct schedule *schedule,
                               struct text signature, struct text explanation, struct error *err)
{
    struct schedules_result *result = x->result;
    struct schedules_failure failure = { .count = 1, .first = *schedule };

    for (size_t i = 0; i < result->failures.count; i++)
        if (text_equal(text_of(result->failures.at[i].signature), signature)) {
            result->failures.at[i].count++;
            return STATUS_OK;
        }
    failure.signature = copy_of(signature);
    failure.explanation = copy_of(explanation);
    if (failure.signature && failure.explanation &&
        array_push(&result->failures, failure, err) == STATUS_OK)
        return STATUS_OK;
    free(failure.signature);
    free(failure.explanation);
    return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a schedule");
}

static struct text take_text(struct text *rest)
{
    size_t length = (size_t)take_number(rest);
    struct text text = { rest->at, length };

    assert(length <= rest->length);
    *rest = (struct text){ rest->at + length, rest->length - length };
    return text;
}

static bool may_deviate_more(const struct exploration *x, const struct schedule *schedule)
{
    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        if (schedule->events[kind].count < x->options->max[kind])
            return true;
    return false;
}

static enum status take_choices(struct exploration *x, const struct schedule *schedule,
                                struct text *rest, struct error *err)
{
    struct explored explored = { .schedule = *schedule, .from = x->next.choices.count };
    uint64_t count = take_number(rest);
    bool is_kept = may_deviate_more(x, schedule) && count > 0;

    if (count > x->result->events_max)
        x->result->events_max = count;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t choice = take_number(rest);
        if (is_kept)
            TRY(array_push(&x->next.choices, choice, err));
    }
    explored.to = x->next.choices.count;
    return is_kept ? array_push(&x->next.list, explored, err) : STATUS_OK;
}

static struct schedules_cell *cell_of(struct exploration *x, const struct schedule *schedule)
{
    uint32_t counts[STEERING_KIND_COUNT];

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        counts[kind] = schedule->events[kind].count;
    return schedules_cell(x->result, counts);
}

static void note_violation(struct exploration *x, const struct schedule *schedule)
{
    x->result->violations++;
    cell_of(x, schedule)->violations++;
    x->is_over |= x->options->until_failure;
}

static enum status take_answer(struct exploration *x, const struct schedule *schedule,
                               struct text answer, struct error *err)
{
    struct schedules_result *result = x->result;
    enum verdict verdict = (enum verdict)take_number(&answer);
    uint64_t digest = take_number(&answer), failures;
    struct text why;
    size_t place;

    TRY(take_choices(x, schedule, &answer, err));
    TRY(map_add(&x->seen, digest, 0, &place, err));
    result->runs++;
    cell_of(x, schedule)->runs++;
    failures = take_number(&answer);
    for (uint64_t i = 0; i < failures; i++) {
        struct text signature = take_text(&answer);
        struct text explanation = take_text(&answer);
        TRY(add_failure(x, schedule, signature, explanation, err));
    }
    why = take_text(&answer);
    if (verdict == VERDICT_INVALID) {
        note_violation(x, schedule);
    } else if (verdict == VERDICT_UNKNOWN) {
        if (result->unjudged++ == 0)
            snprintf(result->unjudged_why, sizeof result->unjudged_why, "%.*s", TEXT_PRINT(why));
        cell_of(x, schedule)->unjudged++;
    }
    return STATUS_OK;
}

/* An assertion of the store does not hold under this schedule: nobody knows what it would have led to. */
static enum status take_death(struct exploration *x, const struct schedule *schedule,
                              const struct work *work, struct error *err)
{
    struct buffer shape = { 0 };
    char signature[SIGNATURE_SIZE];
    enum status status;

    if (work->signal)
        workers_print_signal(work->signal, &shape);
    else
        buffer_print(&shape, "exit %d", work->exit_status);
    buffer_byte(&shape, '\0');
    status = buffer_status(&shape, err);
    if (status == STATUS_OK) {
        signature_of_process(signature, "crash", shape.at);
        status = add_failure(x, schedule, text_of(signature), text_of(work->last_words), err);
    }
    buffer_close(&shape);
    x->result->runs++;
    cell_of(x, schedule)->runs++;
    note_violation(x, schedule);
    return status;
}

static enum status take_work(struct exploration *x, const struct work *work, struct error *err)
{
    const struct schedule *schedule = &x->pending[x->answered++ % PENDING_MAX];

    assert(work->number == x->answered - 1);
    switch (work->end) {
    case WORK_DONE:
        return take_answer(x, schedule, (struct text){ work->answer.at, work->answer.count }, err);
    case WORK_REFUSED:
        *err = work->error;
        return err->status;
    case WORK_DIED:
        return take_death(x, schedule, work, err);
    case WORK_NOT_JUDGED:
        if (x->result->failed++ == 0)
            snprintf(x->result->failed_why, sizeof x->result->failed_why, "%.290s",
                     work->error.text);
        return STATUS_OK;
    }
    return STATUS_OK;
}

static bool is_stopped(const struct exploration *x)
{
    return x->is_over ||
           (x->options->stop && atomic_load_explicit(x->options->stop, memory_order_relaxed));
}

static enum status hand_out(struct exploration *x, bool *is_last, struct error *err)
{
    struct schedule schedule;

    while (!*is_last && x->submitted - x->answered < PENDING_MAX) {
        *is_last = !next_schedule(x, &schedule);
        if (!*is_last)
            TRY(submit(x, &schedule, err));
    }
    return STATUS_OK;
}

/* All schedules with one deviation more. */
static enum status run_level(struct exploration *x, struct error *err)
{
    const struct work *work = NULL;
    bool is_last = false;

    x->parent = x->choice = 0;
    x->kind = 0;
    while (!is_stopped(x)) {
        TRY(hand_out(x, &is_last, err));
        if (x->submitted == x->answered)
            return STATUS_OK;
        TRY(workers_next(&x->workers, WAIT_MS, &work, err));
        if (work)
            TRY(take_work(x, work, err));
        progress_report(x->options->progress, x->result->runs, 0);
    }
    return STATUS_OK;
}

/* The run without any deviation is the first level. */
static enum status run_first(struct exploration *x, struct error *err)
{
    const struct schedule none = { 0 };
    const struct work *work = NULL;

    TRY(submit(x, &none, err));
    while (x->answered == 0 && !is_stopped(x)) {
        TRY(workers_next(&x->workers, WAIT_MS, &work, err));
        if (work)
            TRY(take_work(x, work, err));
    }
    return STATUS_OK;
}

static enum status explore(struct exploration *x, struct error *err)
{
    TRY(run_first(x, err));
    while (x->next.list.count > 0 && !is_stopped(x)) {
        frontier_close(&x->now);
        x->now = x->next;
        x->next = (struct frontier){ 0 };
        TRY(run_level(x, err));
    }
    x->result->is_complete = !is_stopped(x) && x->result->failed == 0;
    x->result->histories = x->seen.keys.count;
    return STATUS_OK;
}

enum status schedules_explore(struct schedules_result *result,
                              const struct schedules_options *options, struct error *err)
{
    struct exploration *x = calloc(1, sizeof *x);
    struct scenario *copy = malloc(sizeof *copy);
    int64_t began_ns = wall_clock_ns();
    uint64_t failures = memory_failures();
    enum status status;

    for (int kind = 0; kind < STEERING_KIND_COUNT; kind++)
        assert(options->max[kind] <= STEERING_MAX);
    *result = (struct schedules_result){ 0 };
    if (!x || !copy) {
        free(x);
        free(copy);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for an exploration");
    }
    *copy = *options->scenario;
    x->options = options;
    x->result = result;
    x->work = (struct schedule_work){ .options = options, .scenario = copy };
    status = workers_open(&x->workers,
                          &(struct workers_options){ .count = options->worker_count,
                                                     .in_order = true,
                                                     .wants_all = true,
                                                     .work = run_schedule,
                                                     .context = &x->work },
                          err);
    if (status == STATUS_OK)
        status = explore(x, err);
    /* What was explored until memory ran out stands. */
    if (status == STATUS_OVER_LIMIT && result->runs > 0) {
        snprintf(result->ended_why, sizeof result->ended_why, "%.290s", err->text);
        memory_tell_failures(failures);
        *err = (struct error){ 0 };
        status = STATUS_OK;
    }
    workers_close(&x->workers);
    frontier_close(&x->now);
    frontier_close(&x->next);
    map_close(&x->seen);
    free(x);
    free(copy);
    result->wall_ns = wall_clock_ns() - began_ns;
    return status;
}

void schedules_close(struct schedules_result *result)
{
    for (size_t i = 0; i < result->failures.count; i++) {
        free(result->failures.at[i].signature);
        free(result->failures.at[i].explanation);
    }
    array_close(&result->failures);
}
