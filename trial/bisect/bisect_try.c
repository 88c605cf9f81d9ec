#include "trial/bisect/bisect_shrink_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "trial/run/trial.h"

#define EVENTS_FOR_TRIES UINT64_C(30000) /* of all tries of a candidate together, about */
#define TRIES_MAX 12
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
uint64_t shrink_seed_of_try(uint64_t seed, uint32_t number)
{
    return number == 0 ? seed : number;
}

static void try_once(const struct shrink *shrink, struct try_answer *answer)
{
    struct signatures *signatures = calloc(1, sizeof *signatures);
    struct error err = { 0 };
    struct trial trial;

    answer->runs++;
    if (signatures && trial_run(&trial, shrink->room, 0, &err) == STATUS_OK) {
        signatures_of_trial(&trial, signatures);
        answer->fails = shrink_is_alike(signatures, shrink->origin->target);
        answer->events = trial.simulation->world.counts.events;
        answer->spent += answer->events + EVENTS_OF_A_RUN;
        answer->seed = shrink->room->seed;
    }
    if (signatures)
        trial_close(&trial);
    free(signatures);
}

static enum status work(void *context, struct text bytes, struct buffer *out, struct error *err)
{
    struct shrink *shrink = context;
    struct try_answer answer = { 0 };
    struct bisect_case tried;
    struct try_job job;
    enum status status;

    assert(bytes.length >= sizeof job);
    memcpy(&job, bytes.at, sizeof job);
    bytes = (struct text){ bytes.at + sizeof job, bytes.length - sizeof job };
    status = case_read(&tried, bytes, err);
    if (status == STATUS_OK)
        status = case_scenario(&tried, shrink->origin, shrink->room, err);
    if (status == STATUS_OK) {
        call_witness(shrink->room, shrink->origin->target);
        shrink->room->arena = &shrink->arena;
    }
    for (uint32_t i = job.from; status == STATUS_OK && i < job.to && !answer.fails; i++) {
        if (i > 0 && i == tried.settings.seed)
            continue;
        shrink->room->seed = shrink_seed_of_try(tried.settings.seed, i);
        try_once(shrink, &answer);
    }
    if (status == STATUS_OK)
        case_drop_scenario(shrink->room);
    case_close(&tried);
    buffer_text(out, (struct text){ (const char *)&answer, sizeof answer });
    return STATUS_OK; /* a case that makes no sense does not fail */
}

/* --- Candidates ------------------------------------------------------------------------------- */

/* Steps, not seconds: everybody gets the same result. */
bool shrink_is_spent(const struct shrink *shrink)
{
    return shrink->spent >= shrink->spent_max;
}

uint32_t shrink_tries(const struct shrink *shrink)
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

static enum status accept(struct shrink *shrink, make_candidate *make, const void *context,
                          size_t number, const struct try_answer *answer, struct error *err)
{
    struct bisect_case better = { 0 };

    TRY(forget_rest(shrink, err));
    TRY(make(shrink, context, number, &better, err));
    better.settings.seed = answer->seed;
    case_close(&shrink->best);
    shrink->best = better;
    shrink->events = answer->events;
    return STATUS_OK;
}

/* A candidate that is being tried. */
struct tried {
    size_t number;
    uint64_t hash;
};

/* Submits candidate `number`, unless it is known not to fail, or the same as the best. */
static enum status begin_try(struct shrink *shrink, make_candidate *make, const void *context,
                             size_t number, uint32_t tries, struct tried *tried,
                             struct error *err)
{
    struct bisect_case candidate = { 0 };
    enum status status = make(shrink, context, number, &candidate, err);

    tried->number = number;
    tried->hash = 0;
    if (status == STATUS_OK && !case_is_equal(&candidate, &shrink->best))
        status = submit(shrink, &candidate, 0, tries, &tried->hash, err);
    case_close(&candidate);
    return status;
}

/*
 * Tries candidates 0 to `count`; the first that fails becomes the best, and *hit its number.
 * None: *hit is the count.
 */
enum status shrink_try(struct shrink *shrink, make_candidate *make, const void *context,
                                  size_t count, uint32_t tries, size_t *hit, struct error *err)
{
    struct tried ring[WORKERS_MAX];
    size_t next = 0, submitted = 0, taken = 0;

    *hit = count;
    while (!shrink_is_spent(shrink)) {
        struct try_answer answer;
        struct tried *tried = &ring[taken % shrink->job_count];

        while (next < count && submitted - taken < shrink->job_count) {
            struct tried *place = &ring[submitted % shrink->job_count];

            TRY(begin_try(shrink, make, context, next++, tries, place, err));
            submitted += place->hash != 0;
        }
        if (taken == submitted)
            return STATUS_OK;
        TRY(take_answer(shrink, &answer, err));
        taken++;
        shrink->runs += answer.runs;
        shrink->spent += answer.spent;
        if (answer.fails) {
            *hit = tried->number;
            return accept(shrink, make, context, tried->number, &answer, err);
        }
        TRY(remember(shrink, tried->hash, tries, err));
    }
    return forget_rest(shrink, err);
}

/* --- Life ------------------------------------------------------------------------------------- */

enum status shrink_open(struct shrink *shrink, const struct bisect_origin *origin,
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

enum status shrink_confirm(struct shrink *shrink, uint32_t tries, bool *fails, struct error *err)
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
