#include "trial/sweep/guide_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fixed.h"
#include "trial/run/simulation.h"

#define FRESH_PERCENT 50 /* of the runs behind the first ones */
#define LIKE_PERCENT 50  /* of the others: as one parent, but for a dimension or so */
#define TRIED 8           /* parents, of which the best is taken */
#define WORTH_ONE 65536   /* of a feature that one run had */

/* What a parent is chosen for. */
enum guide_goal { GOAL_PATHS, GOAL_SHAPES, GOAL_COUNT };

/* --- Which dimensions vary -------------------------------------------------------------------- */

/* What a run would be, as text. */
static enum status print_drawn(const struct scenario *of, uint64_t seed,
                               const struct swarm_draws *draws, struct scenario *scratch,
                               struct buffer *out, struct error *err)
{
    struct scenario *frozen;
    enum status status;

    buffer_clear(out);
    TRY(scenario_with_seed(scratch, of, seed, draws, err));
    frozen = malloc(sizeof *frozen);
    if (frozen) {
        *frozen = *scratch;
        frozen->seed = 0;
        simulation_freeze_swarm(frozen);
        scenario_print(frozen, out);
    }
    status = frozen ? buffer_status(out, err)
                    : error_set(err, STATUS_OVER_LIMIT, "no memory for a scenario");
    free(frozen);
    scenario_close(scratch);
    return status;
}

/* A dimension whose settings are all given varies nothing. A few seeds show it. */
static enum status varies(const struct scenario *of, enum swarm_dimension dimension,
                          struct scenario *scratch, bool *does, struct error *err)
{
    struct buffer before = { 0 }, after = { 0 };
    enum status status = STATUS_OK;

    *does = false;
    for (uint64_t seed = 0; status == STATUS_OK && !*does && seed < 4; seed++) {
        status = print_drawn(of, seed, NULL, scratch, &before, err);
        for (uint64_t other = 100; status == STATUS_OK && !*does && other < 104; other++) {
            struct swarm_draws draws = { 0 };
            draws.of[dimension] = (struct swarm_seed){ true, other };
            status = print_drawn(of, seed, &draws, scratch, &after, err);
            *does = before.count != after.count || memcmp(before.at, after.at, after.count) != 0;
        }
    }
    buffer_close(&before);
    buffer_close(&after);
    return status;
}

/* Those that the scenario gives a seed of their own keep it. */
static enum status find_dimensions(const struct scenario *scenario, struct scenario *scratch,
                                   uint32_t *dimensions, struct error *err)
{
    const struct swarm_options *swarm = &scenario->swarm;

    *dimensions = 0;
    for (int i = 0; i < SWARM_DIMENSION_COUNT; i++) {
        bool is_drawn = i == SWARM_NEMESIS ? swarm->kinds != 0 : swarm->dimensions >> i & 1;
        bool does = false;
        if (is_drawn && !swarm->draws.of[i].is_given)
            TRY(varies(scenario, (enum swarm_dimension)i, scratch, &does, err));
        if (does)
            *dimensions |= 1u << i;
    }
    return STATUS_OK;
}

/* --- Life cycle ------------------------------------------------------------------------------- */

static enum status open_subject(struct guide_subject *subject, const struct scenario *scenario,
                                struct scenario *scratch, struct error *err)
{
    TRY(find_dimensions(scenario, scratch, &subject->dimensions, err));
    if (subject->dimensions == 0)
        return STATUS_OK;
    subject->reached = calloc(COVERAGE_FEATURES, sizeof *subject->reached);
    return subject->reached ? STATUS_OK
                            : error_set(err, STATUS_OVER_LIMIT, "no memory for what runs reach");
}

static enum status open_subjects(struct guide *guide, struct scenario *scratch, struct error *err)
{
    bool any = false;

    for (size_t i = 0; i < guide->plan->subjects.count; i++) {
        TRY(open_subject(&guide->subjects[i], &guide->plan->scenarios[i], scratch, err));
        any |= guide->subjects[i].dimensions != 0;
    }
    if (any)
        return STATUS_OK;
    error_set_file(err, guide->plan->subjects.at[0].path);
    return error_set(err, STATUS_BAD_INPUT,
                     "--guided varies what a swarm draws, and nothing is drawn here: it needs a "
                     "scenario with a [swarm]");
}

enum status guide_init(struct guide *guide, const struct plan *plan, struct error *err)
{
    struct random_key root = random_key_of_seed(plan->seed_first);
    struct scenario *scratch = malloc(sizeof *scratch);
    enum status status;

    *guide = (struct guide){ .plan = plan, .key = random_key_fork(&root, "guide") };
    guide->subjects = calloc(plan->subjects.count, sizeof *guide->subjects);
    status = guide->subjects && scratch ? STATUS_OK
                                        : error_set(err, STATUS_OVER_LIMIT, "no memory");
    if (status == STATUS_OK)
        status = open_subjects(guide, scratch, err);
    free(scratch);
    return status; /* the first turns draw nothing otherwise */
}

void guide_close(struct guide *guide)
{
    for (size_t i = 0; guide->subjects && i < guide->plan->subjects.count; i++) {
        struct guide_subject *subject = &guide->subjects[i];
        for (size_t k = 0; k < subject->members.count; k++)
            free(subject->members.at[k].features);
        array_close(&subject->members);
        free(subject->reached);
    }
    for (size_t i = 0; i < GUIDE_LAG; i++)
        array_close(&guide->turns[i].features);
    free(guide->subjects);
    *guide = (struct guide){ 0 };
}

/* --- Parents ---------------------------------------------------------------------------------- */

/* Of a feature that one run in n had: n as a logarithm, */
static uint64_t surprise(uint64_t runs, uint64_t reached)
{
    return (uint64_t)(fixed_log2(runs) - fixed_log2(reached)) >> 24;
}

/*
 * By paths and edges, or by shapes: what faults reach and what transactions reach are seldom
 * had from one configuration. A feature's class stands for all below it. Logarithms, for
 * the product of sums.
 */
static int64_t worth(const struct guide_subject *subject, const struct guide_member *member,
                     enum guide_goal goal)
{
    uint64_t paths = 1, shapes = 1, edges = 1;

    for (uint32_t i = 0; i < member->feature_count; i++) {
        uint32_t feature = member->features[i];
        enum coverage_family family = coverage_family(feature);
        for (uint32_t k = 0; k <= feature % COVERAGE_CLASSES; k++) {
            uint32_t reached = subject->reached[feature - k];
            if (family == COVERAGE_SHAPE)
                shapes += WORTH_ONE / reached;
            else if (family == COVERAGE_EDGE)
                edges += WORTH_ONE / reached;
            else
                paths += surprise(subject->runs, reached);
        }
    }
    return goal == GOAL_SHAPES ? fixed_log2(shapes) : 2 * fixed_log2(paths) + fixed_log2(edges);
}

static const struct guide_member *choose_parent(const struct guide_subject *subject,
                                                enum guide_goal goal, struct random *random)
{
    const struct guide_member *best = NULL;
    int64_t best_worth = 0;

    for (int i = 0; i < TRIED; i++) {
        const struct guide_member *member =
            &subject->members.at[random_below(random, subject->members.count)];
        int64_t its_worth = worth(subject, member, goal);
        if (!best || its_worth > best_worth) {
            best = member;
            best_worth = its_worth;
        }
    }
    return best;
}

/* How many dimensions are drawn anew: none in half of the cases, one in a quarter, and so on. */
static uint32_t choose_count(struct random *random, uint32_t max)
{
    uint32_t count = 0;

    while (count < max && random_below(random, 2))
        count++;
    return count;
}

/* The parent's configuration with another seed, or nearly: for what a configuration shows seldom. */
static void breed_like(const struct guide_subject *subject, struct random *random,
                       struct swarm_draws *draws)
{
    enum guide_goal goal = (enum guide_goal)random_below(random, GOAL_COUNT);
    const struct guide_member *parent = choose_parent(subject, goal, random);
    uint32_t dimensions[SWARM_DIMENSION_COUNT];
    uint32_t count = 0, anew;

    for (uint32_t i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (subject->dimensions >> i & 1) {
            draws->of[i] = parent->draws.of[i];
            dimensions[count++] = i;
        }
    random_shuffle(random, dimensions, count);
    anew = choose_count(random, count);
    for (uint32_t i = 0; i < anew; i++)
        draws->of[dimensions[i]].is_given = false;
}

/*
 * A new configuration, for what a configuration shows in its first run or never: half of the
 * dimensions are its own, the others those of one parent or the other, chosen for one goal each.
 */
static void breed_new(const struct guide_subject *subject, struct random *random,
                      struct swarm_draws *draws)
{
    const struct guide_member *parents[GOAL_COUNT];

    for (int goal = 0; goal < GOAL_COUNT; goal++)
        parents[goal] = choose_parent(subject, (enum guide_goal)goal, random);
    for (uint32_t i = 0; i < SWARM_DIMENSION_COUNT; i++) {
        uint64_t parent = random_below(random, GOAL_COUNT);
        bool is_own = random_below(random, 2);
        if (subject->dimensions >> i & 1 && !is_own)
            draws->of[i] = parents[parent]->draws.of[i];
    }
}

/* --- Turns ------------------------------------------------------------------------------------ */

static uint64_t turn_of(const struct guide *guide, uint64_t job)
{
    assert(plan_has_job(guide->plan, job));
    return job / guide->plan->shard_count;
}

static uint64_t job_of(const struct guide *guide, uint64_t turn)
{
    return turn * guide->plan->shard_count + guide->plan->shard;
}

static void draw(struct guide *guide, uint64_t turn)
{
    uint64_t job = job_of(guide, turn);
    size_t index = plan_subject(guide->plan, job);
    struct guide_subject *subject = &guide->subjects[index];
    struct guide_turn *slot = &guide->turns[turn % GUIDE_LAG];
    struct random_key key = random_key_fork(&guide->key, "%" PRIu64, job);
    struct random random;

    slot->is_known = false;
    slot->features.count = 0;
    slot->draws = (struct swarm_draws){ 0 };
    random_init(&random, &key);
    if (subject->members.count == 0 ||
        random_below(&random, 100) < FRESH_PERCENT)
        return;
    slot->draws = guide->plan->scenarios[index].swarm.draws; /* those that the scenario gives */
    if (random_below(&random, 100) < LIKE_PERCENT)
        breed_like(subject, &random, &slot->draws);
    else
        breed_new(subject, &random, &slot->draws);
}

bool guide_is_ready(const struct guide *guide, uint64_t job)
{
    return turn_of(guide, job) < guide->taken + GUIDE_LAG;
}

bool guide_has(const struct guide *guide, uint64_t job)
{
    uint64_t turn = turn_of(guide, job);

    return turn < guide->taken ||
           (guide_is_ready(guide, job) && guide->turns[turn % GUIDE_LAG].is_known);
}

const struct swarm_draws *guide_draws(const struct guide *guide, uint64_t job)
{
    uint64_t turn = turn_of(guide, job);

    assert(guide_is_ready(guide, job) && turn >= guide->taken);
    return &guide->turns[turn % GUIDE_LAG].draws;
}

/* What its children inherit: the seeds that it drew each dimension from. */
static void inherit(struct guide_member *member, const struct swarm_draws *draws, uint64_t seed,
                    uint32_t dimensions)
{
    for (uint32_t i = 0; i < SWARM_DIMENSION_COUNT; i++)
        if (dimensions >> i & 1)
            member->draws.of[i] = draws->of[i].is_given ? draws->of[i]
                                                        : (struct swarm_seed){ true, seed };
}

/* Takes the features. The oldest makes room where there are too many. */
static enum status keep_member(struct guide_subject *subject, const struct guide_member *member,
                               struct error *err)
{
    if (subject->members.count == GUIDE_MEMBERS_MAX) {
        struct guide_member *oldest = &subject->members.at[subject->replaced++ % GUIDE_MEMBERS_MAX];
        free(oldest->features);
        *oldest = *member;
        return STATUS_OK;
    }
    if (array_push(&subject->members, *member, err) == STATUS_OK)
        return STATUS_OK;
    free(member->features);
    return err->status;
}

static enum status take_turn(struct guide *guide, uint64_t turn, struct error *err)
{
    uint64_t job = job_of(guide, turn);
    struct guide_subject *subject = &guide->subjects[plan_subject(guide->plan, job)];
    struct guide_turn *slot = &guide->turns[turn % GUIDE_LAG];
    struct guide_member member = { .feature_count = (uint32_t)slot->features.count };

    if (subject->dimensions == 0 || slot->features.count == 0)
        return STATUS_OK;
    for (size_t i = 0; i < slot->features.count; i++) {
        uint32_t feature = slot->features.at[i], class = feature % COVERAGE_CLASSES;
        for (uint32_t below = 0; below <= class; below++)
            subject->reached[feature - below]++;
    }
    subject->runs++;
    if (slot->has_failed)
        return STATUS_OK;
    inherit(&member, &slot->draws, plan_seed(guide->plan, job), subject->dimensions);
    member.features = malloc(slot->features.count * sizeof *member.features);
    if (!member.features)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what a run reached");
    memcpy(member.features, slot->features.at, slot->features.count * sizeof *member.features);
    return keep_member(subject, &member, err);
}

enum status guide_take(struct guide *guide, uint64_t job, const struct run_outcome *outcome,
                       struct error *err)
{
    uint64_t turn = turn_of(guide, job);
    struct guide_turn *slot = &guide->turns[turn % GUIDE_LAG];

    assert(guide_is_ready(guide, job) && turn >= guide->taken && !slot->is_known);
    slot->is_known = true;
    TRY(array_reserve(&slot->features, outcome->features.count, err));
    slot->features.count = outcome->features.count;
    slot->has_failed = outcome->verdict == VERDICT_INVALID;
    if (outcome->features.count > 0)
        memcpy(slot->features.at, outcome->features.at,
               outcome->features.count * sizeof *outcome->features.at);
    /* Each turn is drawn when so many are known, not more: else it would matter who was first. */
    while (guide->turns[guide->taken % GUIDE_LAG].is_known) {
        TRY(take_turn(guide, guide->taken, err));
        draw(guide, guide->taken + GUIDE_LAG);
        guide->taken++;
    }
    return STATUS_OK;
}
