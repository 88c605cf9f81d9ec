/*
 * Steps that leave the transactions as they are: fewer and simpler settings, and a case that
 * reads well.
 */
#include "trial/bisect/bisect_shrink_private.h"

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
enum status shrink_let_finish(struct shrink *shrink, struct error *err)
{
    size_t hit;

    return shrink_try(shrink, make_unhurried, NULL, 1, shrink_tries(shrink), &hit, err);
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
        TRY(shrink_try(shrink, make_simpler, &i, 1, shrink_tries(shrink), &hit, err));
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

        TRY(shrink_try(shrink, make_fewer, &which, count - 1, shrink_tries(shrink), &hit, err));
    }
    return STATUS_OK;
}

enum status shrink_settings(struct shrink *shrink, struct error *err)
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

enum status shrink_present(struct shrink *shrink, struct error *err)
{
    uint32_t tries = shrink_tries(shrink);
    size_t hit;

    shrink->spent_max += shrink->spent_max / 10; /* it must not be left undone */
    TRY(shrink_let_finish(shrink, err));
    TRY(shrink_try(shrink, make_renumbered, NULL, 1, tries, &hit, err));
    TRY(shrink_try(shrink, make_late, NULL, 1, tries, &hit, err));
    TRY(shrink_try(shrink, make_readable, NULL, UNIT_COUNT_OF_TIME, tries, &hit, err));
    if (!shrink_may_cut_time(shrink))
        return STATUS_OK;
    return shrink_try(shrink, make_short, NULL, SECONDS_COUNT, tries, &hit, err);
}
