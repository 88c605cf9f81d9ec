#include "trial/bisect/shrink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory_limit.h"
#include "trial/bisect/case_private.h"
#include "trial/run/run.h"

#define MS INT64_C(1000000)
#define EVENTS_OF_A_RUN 700 /* what its beginning and its end cost */

/* Makes candidate `number` of the best case; it may come out the same. */
typedef enum status make_candidate(struct shrink *, const void *context, size_t number,
                                   struct bisect_case *, struct error *);

/* A step: candidates 0 to `count`. */
struct shrink_step {
    make_candidate *make;
    const void *context;
    size_t count;
    uint32_t tries; /* of each; 0: as many as usual */
};

/* A schedule that is cut short fails in a way of its own: its steps are not done. */
static inline bool shrink_may_cut_time(const struct shrink *shrink)
{
    return shrink->origin->scenario->workload.kind != WORKLOAD_SCHEDULE;
}

#define EVENTS_FOR_TRIES UINT64_C(30000) /* of all tries of a candidate together, about */
#define TRIES_MAX 12
#define CONFIRM_TRIES 1 /* it is the same run */
#define EVENTS_MAX UINT64_C(24000000)

/* Only who said that it fails is asked again. */
static void call_witness(struct scenario *scenario, const char *target)
{
    struct text checker = signature_parts(text_of(target)).checker;
    const struct checker *const *all = checkers_all();

    scenario->check.is_listed = true;
    scenario->check.checkers = 0;
    for (uint32_t i = 0; all[i]; i++)
        if (text_equal(checker, text_of(all[i]->name)))
            scenario->check.checkers = 1u << i;
    scenario->check.audits = text_equal(checker, TEXT("audit"));
}

/* --- A try, in a worker ----------------------------------------------------------------------- */

/* Tries [from, to). */
struct try_job {
    uint32_t from, to;
};

struct try_answer {
    uint32_t fails;
    uint64_t seed, events; /* of the one that fails */
    uint64_t runs, spent;
};

static bool is_of_run(struct text signature)
{
    return text_equal(signature_parts(signature).checker, TEXT("run"));
}

/* What the run itself says has no shape that shrinks: a name. */
bool shrink_are_alike(const char *signature, const char *target)
{
    struct text wanted = text_of(target), found = text_of(signature);

    return is_of_run(wanted) ? text_equal(found, wanted)
                             : text_equal(signature_class(found), signature_class(wanted));
}

bool shrink_is_alike(const struct signatures *signatures, const char *target)
{
    for (size_t i = 0; i < signatures->count; i++)
        if (shrink_are_alike(signatures->at[i].text, target))
            return true;
    return false;
}

/* The first try has the case's own seed, the others any, the same for every candidate. */
static uint64_t shrink_seed_of_try(uint64_t seed, uint32_t number)
{
    return number == 0 ? seed : number;
}

/* A case that makes no sense does not fail; of one that there was no memory for nobody knows. */
static enum status unless_memory(enum status status, const struct error *err)
{
    return status != STATUS_OK && memory_limit_is_cause(err) ? status : STATUS_OK;
}

static enum status try_once(struct shrink *shrink, struct try_answer *answer, struct error *err)
{
    struct run_options options = { .arena = &shrink->arena };
    struct signatures *signatures = calloc(1, sizeof *signatures);
    struct trial trial;
    enum status status;

    if (!signatures)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what is wrong with a run");
    answer->runs++;
    status = trial_run(&trial, shrink->room, &options, err);
    if (status == STATUS_OK) {
        signature_of_trial(&trial, signatures);
        answer->fails = shrink_is_alike(signatures, shrink->origin->target);
        answer->events = trial.simulation->world.counts.events;
        answer->spent += answer->events + EVENTS_OF_A_RUN;
        answer->seed = shrink->room->seed;
    }
    trial_close(&trial);
    free(signatures);
    return unless_memory(status, err);
}

static enum status work(void *context, struct text bytes, struct buffer *out, struct error *err)
{
    struct shrink *shrink = context;
    struct try_answer answer = { 0 };
    struct bisect_case tried;
    struct try_job job;
    enum status status, run = STATUS_OK;

    assert(bytes.length >= sizeof job);
    memcpy(&job, bytes.at, sizeof job);
    bytes = (struct text){ bytes.at + sizeof job, bytes.length - sizeof job };
    status = case_read(&tried, bytes, err);
    if (status == STATUS_OK)
        status = case_scenario(&tried, shrink->origin, shrink->room, err);
    if (status == STATUS_OK)
        call_witness(shrink->room, shrink->origin->target);
    for (uint32_t i = job.from;
         status == STATUS_OK && run == STATUS_OK && i < job.to && !answer.fails; i++) {
        if (i > 0 && i == tried.settings.seed)
            continue;
        shrink->room->seed = shrink_seed_of_try(tried.settings.seed, i);
        run = try_once(shrink, &answer, err);
    }
    if (status == STATUS_OK)
        case_drop_scenario(shrink->room);
    case_close(&tried);
    buffer_text(out, (struct text){ (const char *)&answer, sizeof answer });
    return status != STATUS_OK ? unless_memory(status, err) : run;
}

/* --- Candidates ------------------------------------------------------------------------------- */

/* Steps, not seconds: everybody gets the same result, unless it is stopped. */
static bool shrink_is_spent(const struct shrink *shrink)
{
    return shrink->spent >= shrink->spent_max || bisect_is_stopped(shrink->stop);
}

static uint32_t shrink_tries(const struct shrink *shrink)
{
    uint64_t tries = 1 + EVENTS_FOR_TRIES / (shrink->events + 1);

    if (tries > TRIES_MAX)
        tries = TRIES_MAX;
    return (uint32_t)tries * shrink->patience;
}

static enum status submit(struct shrink *shrink, const struct bisect_case *candidate,
                          uint32_t from, uint32_t to, uint64_t *hash, struct error *err)
{
    struct try_job job = { from, to };
    struct buffer bytes = { 0 };
    uint64_t known = 0;
    enum status status;

    buffer_text(&bytes, (struct text){ (const char *)&job, sizeof job });
    case_write(candidate, &bytes);
    status = buffer_status(&bytes, err);
    if (status == STATUS_OK) {
        *hash = hash_bytes(bytes.at + sizeof job, bytes.count - sizeof job);
        (void)map_find(&shrink->known, *hash, &known);
        job.from = known > from ? (uint32_t)known : from;
        memcpy(bytes.at, &job, sizeof job);
    }
    if (status == STATUS_OK && job.from < job.to)
        status = workers_submit(&shrink->workers, (struct text){ bytes.at, bytes.count }, err);
    else
        *hash = 0;
    buffer_close(&bytes);
    return status;
}

static void report(struct shrink *shrink)
{

    progress_report(shrink->progress, shrink->best.listing.txns.count, 0);
}

static enum status take_answer(struct shrink *shrink, struct try_answer *answer, struct error *err)
{
    const struct work *done;

    TRY(workers_next(&shrink->workers, -1, &done, err));
    assert(done);
    *answer = (struct try_answer){ 0 };
    if (done->end == WORK_NOT_JUDGED)
        bisect_note_not_judged(&shrink->not_judged, done);
    if (done->end == WORK_DONE && done->answer.count == sizeof *answer)
        memcpy(answer, done->answer.at, sizeof *answer);
    report(shrink);
    return STATUS_OK;
}

/* Those behind the first that fails. */
static enum status forget_rest(struct shrink *shrink, struct error *err)
{
    struct try_answer answer;

    while (workers_pending(&shrink->workers) > 0)
        TRY(take_answer(shrink, &answer, err));
    return STATUS_OK;
}

/* So many tries have not failed: they need not be made again. */
static enum status remember(struct shrink *shrink, uint64_t hash, uint32_t tries,
                            struct error *err)
{
    size_t place;

    TRY(map_add(&shrink->known, hash, tries, &place, err));
    if (shrink->known.values.at[place] < tries)
        shrink->known.values.at[place] = tries;
    return STATUS_OK;
}

static enum status accept(struct shrink *shrink, const struct shrink_step *of, size_t number,
                          const struct try_answer *answer, struct error *err)
{
    struct bisect_case better = { 0 };

    TRY(forget_rest(shrink, err));
    assert(number < of->count);
    TRY(of->make(shrink, of->context, number, &better, err));
    better.settings.seed = answer->seed;
    case_close(&shrink->best);
    shrink->best = better;
    shrink->events = answer->events;
    return STATUS_OK;
}

/* A candidate that is being tried. */
struct shrink_tried {
    size_t number;
    uint64_t hash;
};

/* Submits candidate `number`, unless it is known not to fail, or the same as the best. */
static enum status begin_try(struct shrink *shrink, const struct shrink_step *of, size_t number,
                             struct shrink_tried *tried, struct error *err)
{
    struct bisect_case candidate = { 0 };
    enum status status = of->make(shrink, of->context, number, &candidate, err);

    tried->number = number;
    tried->hash = 0;
    if (status == STATUS_OK && !case_is_equal(&candidate, &shrink->best))
        status = submit(shrink, &candidate, 0, of->tries, &tried->hash, err);
    case_close(&candidate);
    return status;
}

/* The first of them that fails becomes the best, and *hit its number. None: *hit is the count. */
static enum status shrink_try(struct shrink *shrink, const struct shrink_step *candidates, size_t *hit,
                              struct error *err)
{
    struct shrink_step of = *candidates;
    struct shrink_tried ring[WORKERS_MAX];
    size_t next = 0, submitted = 0, taken = 0;

    if (of.tries == 0)
        of.tries = shrink_tries(shrink);
    *hit = of.count;
    while (!shrink_is_spent(shrink)) {
        struct try_answer answer;
        struct shrink_tried *tried = &ring[taken % shrink->job_count];

        while (next < of.count && submitted - taken < shrink->job_count) {
            struct shrink_tried *place = &ring[submitted % shrink->job_count];

            TRY(begin_try(shrink, &of, next++, place, err));
            submitted += place->hash != 0;
        }
        if (taken == submitted)
            return STATUS_OK;
        TRY(take_answer(shrink, &answer, err));
        taken++;
        assert(taken <= submitted && submitted <= next && next <= of.count);
        shrink->runs += answer.runs;
        shrink->spent += answer.spent;
        if (answer.fails) {
            *hit = tried->number;
            return accept(shrink, &of, tried->number, &answer, err);
        }
        TRY(remember(shrink, tried->hash, of.tries, err));
    }
    return forget_rest(shrink, err);
}

/* --- Life ------------------------------------------------------------------------------------- */

static enum status shrink_open(struct shrink *shrink, const struct bisect_origin *origin,
                               struct bisect_case *start, unsigned job_count, const struct progress *progress,
                               struct error *err)
{
    struct workers_options options = {
        .count = job_count, .in_order = true, .work = work, .context = shrink
    };

    *shrink = (struct shrink){ .origin = origin,
                               .best = *start,
                               .job_count = job_count,
                               .patience = 1,
                               .spent_max = EVENTS_MAX,
                               .progress = progress };
    *start = (struct bisect_case){ 0 };
    shrink->room = calloc(1, sizeof *shrink->room);
    if (!shrink->room)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    return workers_open(&shrink->workers, &options, err);
}

void shrink_close(struct shrink *shrink)
{
    workers_close(&shrink->workers);
    case_close(&shrink->best);
    map_close(&shrink->known);
    arena_close(&shrink->arena);
    free(shrink->room);
}

static enum status shrink_confirm(struct shrink *shrink, uint32_t tries, bool *fails, struct error *err)
{
    struct try_answer answer;

    uint64_t hash;

    map_clear(&shrink->known);
    TRY(submit(shrink, &shrink->best, 0, tries, &hash, err));
    TRY(take_answer(shrink, &answer, err));
    *fails = answer.fails;
    if (answer.fails) {
        shrink->best.settings.seed = answer.seed;
        shrink->events = answer.events;
    }
    return STATUS_OK;
}


#define START_NS (1000 * MS)

static enum status make_unhurried(struct shrink *shrink, const void *context, size_t number,
                                  struct bisect_case *candidate, struct error *err)
{
    (void)context;
    (void)number;
    TRY(case_copy(candidate, &shrink->best, err));
    candidate->settings.duration_ns = shrink->origin->scenario->workload.duration_ns;
    return STATUS_OK;
}

/* Nothing is to be going on when clients must stop: what begins is to come to its end. */
static enum status shrink_let_finish(struct shrink *shrink, struct error *err)
{
    size_t hit;

    return shrink_try(shrink, &(struct shrink_step){ make_unhurried, NULL, 1, 0 }, &hit, err);
}

/* --- Settings --------------------------------------------------------------------------------- */

static enum status make_simpler(struct shrink *shrink, const void *context, size_t number,
                                struct bisect_case *candidate, struct error *err)
{
    const unsigned *simplification = context;

    (void)number;
    TRY(case_copy(candidate, &shrink->best, err));
    if (case_can_be_simpler(shrink->origin, (enum case_simplification)*simplification))
        candidate->settings.simple |= 1u << *simplification;
    return STATUS_OK;
}

/* One after another, each on top of those that worked. */
static enum status simplify(struct shrink *shrink, struct error *err)
{
    size_t hit;

    for (unsigned i = 0; i < SIMPLE_COUNT; i++)
        TRY(shrink_try(shrink, &(struct shrink_step){ make_simpler, &i, 1, 0 }, &hit, err));
    return STATUS_OK;
}

enum number { NUMBER_SHARDS, NUMBER_REPLICAS, NUMBER_NODES };

static enum status make_fewer(struct shrink *shrink, const void *context, size_t number,
                              struct bisect_case *candidate, struct error *err)
{
    const enum number *which = context;
    uint32_t count = (uint32_t)number + 1;

    TRY(case_copy(candidate, &shrink->best, err));
    if (*which == NUMBER_SHARDS)
        candidate->settings.shards = count;
    else if (*which == NUMBER_REPLICAS)
        candidate->settings.replicas = count;
    else
        case_set_nodes(candidate, count);
    return STATUS_OK;
}

/* Of each as few as will do, from one on. */
static enum status use_fewer(struct shrink *shrink, struct error *err)
{
    const struct case_settings *settings = &shrink->best.settings;
    size_t hit;

    for (enum number which = NUMBER_SHARDS; which <= NUMBER_NODES; which++) {
        uint32_t count = which == NUMBER_SHARDS     ? settings->shards
                         : which == NUMBER_REPLICAS ? settings->replicas
                                                    : settings->nodes;

        TRY(shrink_try(shrink, &(struct shrink_step){ make_fewer, &which, count - 1, 0 }, &hit, err));
    }
    return STATUS_OK;
}

static enum status shrink_settings(struct shrink *shrink, struct error *err)
{
    TRY(use_fewer(shrink, err));
    return simplify(shrink, err);
}

/* --- To be read ------------------------------------------------------------------------------- */

static enum status make_readable(struct shrink *shrink, const void *context, size_t number,
                                 struct bisect_case *candidate, struct error *err)
{
    static const int64_t units_ns[] = { 100 * MS, 10 * MS, MS, MS / 10 };

    (void)context;
    return case_round(candidate, &shrink->best, units_ns[number], err);
}

#define UNIT_COUNT_OF_TIME 4

static enum status make_renumbered(struct shrink *shrink, const void *context, size_t number,
                                   struct bisect_case *candidate, struct error *err)
{
    (void)context;
    (void)number;
    return case_renumber(candidate, &shrink->best, err);
}

/* Behind the first elections, so that a reader sees no clients who look for leaders. */
static enum status make_late(struct shrink *shrink, const void *context, size_t number,
                             struct bisect_case *candidate, struct error *err)
{
    (void)context;
    (void)number;
    return case_start(candidate, &shrink->best, START_NS, err);
}

static enum status make_short(struct shrink *shrink, const void *context, size_t number,
                              struct bisect_case *candidate, struct error *err)
{
    static const int64_t seconds[] = { 1, 2, 3, 5, 10, 20, 30 };

    (void)context;
    TRY(case_copy(candidate, &shrink->best, err));
    case_shorten(candidate, seconds[number] * 1000 * MS);
    return STATUS_OK;
}

#define SECONDS_COUNT 7

static enum status shrink_present(struct shrink *shrink, struct error *err)
{
    uint32_t tries = shrink_tries(shrink);
    size_t hit;

    shrink->spent_max += shrink->spent_max / 10; /* it must not be left undone */
    TRY(shrink_let_finish(shrink, err));
    TRY(shrink_try(shrink, &(struct shrink_step){ make_renumbered, NULL, 1, tries }, &hit, err));
    TRY(shrink_try(shrink, &(struct shrink_step){ make_late, NULL, 1, tries }, &hit, err));
    TRY(shrink_try(shrink, &(struct shrink_step){ make_readable, NULL, UNIT_COUNT_OF_TIME, tries }, &hit, err));
    if (!shrink_may_cut_time(shrink))
        return STATUS_OK;
    return shrink_try(shrink, &(struct shrink_step){ make_short, NULL, SECONDS_COUNT, tries }, &hit, err);
}

#define PREFIX_FIRST 8
#define EIGHTHS 8
#define STARTS_MAX 3
#define SEEDS_OF_A_START 64
#define PATIENCE_FACTOR 4
#define PATIENCE_MAX 16

/* --- Leaving out ------------------------------------------------------------------------------ */

struct cut {
    enum case_unit unit;
    size_t size, end; /* candidate 0 ends there, the next where that one begins */
};

static enum status make_without(struct shrink *shrink, const void *context, size_t number,
                                struct bisect_case *candidate, struct error *err)
{
    const struct cut *cut = context;
    struct case_part part = { .unit = cut->unit, .to = cut->end - number * cut->size };

    part.from = part.to > cut->size ? part.to - cut->size : 0;
    return case_without(candidate, &shrink->best, shrink->origin, &part, err);
}

/* Blocks of one size, from the back to the front. */
static enum status leave_out_blocks(struct shrink *shrink, struct cut *cut, bool *changed,
                                    struct error *err)
{
    while (cut->end > 0) {
        size_t count = (cut->end + cut->size - 1) / cut->size, hit;

        TRY(shrink_try(shrink, &(struct shrink_step){ make_without, cut, count, 0 }, &hit, err));
        if (hit == count)
            return STATUS_OK;
        *changed = true;
        cut->end -= (hit + 1) * cut->size < cut->end ? (hit + 1) * cut->size : cut->end;
    }
    return STATUS_OK;
}

/* --- The time --------------------------------------------------------------------------------- */

static enum status make_prefix(struct shrink *shrink, const void *context, size_t number,
                               struct bisect_case *candidate, struct error *err)
{
    (void)context;
    return case_prefix(candidate, &shrink->best, (size_t)PREFIX_FIRST << number, err);
}

static enum status make_earlier(struct shrink *shrink, const void *context, size_t number,
                                struct bisect_case *candidate, struct error *err)
{
    const int64_t *end_ns = context;

    return case_until(candidate, &shrink->best, *end_ns / EIGHTHS * (int64_t)(number + 1), err);
}

/*
 * The shortest beginning that fails: first of those of 8, 16, 32... transactions, as the shorter
 * are the cheaper to try; then of eighths of the time that is left, twice.
 */
static enum status cut_time(struct shrink *shrink, struct error *err)
{
    size_t count = 0, hit;

    while ((size_t)PREFIX_FIRST << count < shrink->best.listing.txns.count)
        count++;
    TRY(shrink_try(shrink, &(struct shrink_step){ make_prefix, NULL, count, 1 }, &hit, err));
    for (int round = 0; round < 2 && shrink_may_cut_time(shrink); round++) {
        int64_t end_ns = case_end_ns(&shrink->best);

        TRY(shrink_try(shrink, &(struct shrink_step){ make_earlier, &end_ns, EIGHTHS - 1, 1 }, &hit, err));
    }
    return STATUS_OK;
}

static enum status make_draws_by_time(struct shrink *shrink, const void *context, size_t number,
                                      struct bisect_case *candidate, struct error *err)
{
    (void)context;
    TRY(case_copy(candidate, &shrink->best, err));
    candidate->settings.draws_by_time = true;
    candidate->settings.seed = shrink_seed_of_try(shrink->best.settings.seed,
                                                  (uint32_t)number + shrink->start * SEEDS_OF_A_START);
    return STATUS_OK;
}

/*
 * Draws by time are other draws, so that another seed may have to be found; it is worth some runs,
 * as without them every step draws all anew.
 */
static enum status draw_by_time(struct shrink *shrink, struct error *err)
{
    size_t tries = (size_t)(shrink->spent_max / 4 / (shrink->events + EVENTS_OF_A_RUN)), hit;

    if (shrink->best.settings.draws_by_time)
        return STATUS_OK;
    tries = tries < 8 ? 8 : tries > SEEDS_OF_A_START ? SEEDS_OF_A_START : tries;
    return shrink_try(shrink, &(struct shrink_step){ make_draws_by_time, NULL, tries, 1 }, &hit, err);
}

static enum status make_tighter(struct shrink *shrink, const void *context, size_t number,
                                struct bisect_case *candidate, struct error *err)
{
    static const int64_t pauses_ns[] = { 50 * MS, 100 * MS, 200 * MS, 400 * MS, 1000 * MS,
                                         2000 * MS };

    (void)context;
    return case_tighten(candidate, &shrink->best, pauses_ns[number], err);
}

#define PAUSE_COUNT 6

/* Time in which nothing happens takes time to simulate. */
static enum status tighten(struct shrink *shrink, struct error *err)
{
    size_t hit;

    return shrink_try(shrink, &(struct shrink_step){ make_tighter, NULL, PAUSE_COUNT, 0 }, &hit, err);
}

/* --- All units -------------------------------------------------------------------------------- */

/* Without a transaction nothing can fail. */
static bool can_all_go(enum case_unit unit)
{
    return unit == UNIT_FAMILY || unit == UNIT_NEMESIS || unit == UNIT_STRIKE;
}

/*
 * Blocks of all units, from large ones to single units: as long as runs are long, a few large
 * steps are worth more than many small ones. *changed: something was left out by single units.
 */
static enum status leave_out(struct shrink *shrink, bool *changed, struct error *err)
{
    bool is_single = false;

    for (unsigned halvings = 0; !is_single; halvings++) {
        is_single = true;
        TRY(tighten(shrink, err));
        for (enum case_unit unit = 0; unit < UNIT_COUNT; unit++) {
            struct cut cut = { .unit = unit };

            TRY(case_count(&shrink->best, shrink->origin, unit, &cut.end, err));
            cut.size = (cut.end + ((size_t)1 << halvings) - 1) >> halvings;
            is_single = is_single && cut.size <= 1;
            if (cut.end > 0 && (halvings > 0 || can_all_go(unit)))
                TRY(leave_out_blocks(shrink, &cut, changed, err));
        }
    }
    return STATUS_OK;
}

static enum status make_merged(struct shrink *shrink, const void *context, size_t number,
                               struct bisect_case *candidate, struct error *err)
{
    (void)context;
    return case_merge(candidate, &shrink->best, shrink->origin, number, err);
}

/* One long strike instead of two short ones. */
static enum status merge_strikes(struct shrink *shrink, bool *changed, struct error *err)
{
    size_t count, hit;

    do {
        count = shrink->best.strikes.count;
        TRY(shrink_try(shrink, &(struct shrink_step){ make_merged, NULL, count, 0 }, &hit, err));
        *changed = *changed || hit < count;
    } while (hit < count);
    return STATUS_OK;
}

/* --- All of it -------------------------------------------------------------------------------- */

/* Whether it is larger than what most failures come down to. */
static bool is_large(const struct shrink *shrink)
{
    return shrink->best.listing.txns.count > 4 || shrink->best.strikes.count > 2;
}

/* Whether it is as small as one may hope for, so that more patience is for nothing. */
static bool is_small(const struct shrink *shrink)
{
    return shrink->best.listing.txns.count <= 2 && shrink->best.strikes.count <= 1;
}

/*
 * Round after round, as long as they help; then once more with more patience, where it is not
 * small yet.
 */
static enum status shrink_once(struct shrink *shrink, struct error *err)
{
    shrink->patience = 1;
    TRY(draw_by_time(shrink, err));
    TRY(cut_time(shrink, err));
    TRY(shrink_let_finish(shrink, err));
    while (!shrink_is_spent(shrink)) {
        bool changed = false;

        TRY(leave_out(shrink, &changed, err));
        TRY(merge_strikes(shrink, &changed, err));
        TRY(shrink_settings(shrink, err));
        if (changed && shrink->patience > 1)
            continue;
        if (shrink->patience == PATIENCE_MAX || (shrink->patience > 1 && is_small(shrink)))
            break;
        shrink->patience *= PATIENCE_FACTOR;
    }
    return STATUS_OK;
}

static size_t size_of(const struct bisect_case *c)
{
    return c->listing.txns.count + 2 * c->strikes.count;
}

/* Another way down, from the whole run with another seed; taken if it leads further. */
static enum status start_over(struct shrink *shrink, struct error *err)
{
    struct bisect_case before = shrink->best;
    uint64_t events = shrink->events;
    enum status status;

    shrink->best = (struct bisect_case){ 0 };
    shrink->events = shrink->first_events;
    status = case_of_origin(&shrink->best, shrink->origin, err);
    if (status == STATUS_OK)
        status = shrink_once(shrink, err);
    if (status != STATUS_OK || size_of(&shrink->best) >= size_of(&before)) {
        case_close(&shrink->best);
        shrink->best = before;
        shrink->events = events;
        return status;
    }
    case_close(&before);
    return STATUS_OK;
}

static enum status shrink_all(struct shrink *shrink, struct error *err)
{
    shrink->first_events = shrink->events;
    TRY(shrink_once(shrink, err));
    for (shrink->start = 1; shrink->start < STARTS_MAX && is_large(shrink) && !shrink_is_spent(shrink);
         shrink->start++)
        TRY(start_over(shrink, err));
    shrink->patience = PATIENCE_MAX;
    return shrink_present(shrink, err);
}

enum status shrink_run(struct shrink *shrink, const struct bisect_origin *origin, unsigned job_count,
                       const atomic_bool *stop, const struct progress *progress, struct error *err)
{
    struct bisect_case first = { 0 };
    bool fails = false;
    enum status status = case_of_origin(&first, origin, err);

    *shrink = (struct shrink){ 0 };
    progress_begin(progress, "transactions left");
    if (status == STATUS_OK)
        status = shrink_open(shrink, origin, &first, job_count, progress, err);
    case_close(&first);
    shrink->stop = stop;
    if (status == STATUS_OK)
        status = shrink_confirm(shrink, CONFIRM_TRIES, &fails, err);
    if (status == STATUS_OK && shrink->not_judged.count > 0)
        return error_set(err, STATUS_IO, "cannot try the recorded run: %s", shrink->not_judged.first);
    if (status == STATUS_OK && !fails)
        return error_set(err, STATUS_BAD_INPUT,
                         "the recorded run does not fail again as it did: %s", origin->target);
    return status == STATUS_OK ? shrink_all(shrink, err) : status;
}
