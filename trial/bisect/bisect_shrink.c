#include "trial/bisect/bisect_shrink.h"

#include "trial/bisect/bisect_shrink_private.h"

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
    size_t to = cut->end - number * cut->size;

    return case_without(candidate, &shrink->best, shrink->origin, cut->unit,
                        to > cut->size ? to - cut->size : 0, to, err);
}

/* Blocks of one size, from the back to the front. */
static enum status leave_out_blocks(struct shrink *shrink, struct cut *cut, bool *changed,
                                    struct error *err)
{
    while (cut->end > 0) {
        size_t count = (cut->end + cut->size - 1) / cut->size, hit;

        TRY(shrink_try(shrink, make_without, cut, count, shrink_tries(shrink), &hit, err));
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
    TRY(shrink_try(shrink, make_prefix, NULL, count, 1, &hit, err));
    for (int round = 0; round < 2 && shrink_may_cut_time(shrink); round++) {
        int64_t end_ns = case_end_ns(&shrink->best);

        TRY(shrink_try(shrink, make_earlier, &end_ns, EIGHTHS - 1, 1, &hit, err));
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
    return shrink_try(shrink, make_draws_by_time, NULL, tries, 1, &hit, err);
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

    return shrink_try(shrink, make_tighter, NULL, PAUSE_COUNT, shrink_tries(shrink), &hit, err);
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
        TRY(shrink_try(shrink, make_merged, NULL, count, shrink_tries(shrink), &hit, err));
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

enum status shrink_all(struct shrink *shrink, struct error *err)
{
    shrink->first_events = shrink->events;
    TRY(shrink_once(shrink, err));
    for (shrink->start = 1; shrink->start < STARTS_MAX && is_large(shrink) && !shrink_is_spent(shrink);
         shrink->start++)
        TRY(start_over(shrink, err));
    shrink->patience = PATIENCE_MAX;
    return shrink_present(shrink, err);
}
