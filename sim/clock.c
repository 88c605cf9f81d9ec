#include "sim/clock.h"

#include <assert.h>

#define MILLION 1000000

static int64_t rate_ppm(const struct clock *clock)
{
    return clock->frozen ? 0 : MILLION + clock->drift_ppm;
}

/* Millions and the rest apart, so that nothing is lost and 64 bits are enough. */
int64_t clock_monotonic_ns(const struct clock *clock, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - clock->anchor_ns, rate = rate_ppm(clock);

    assert(elapsed_ns >= 0);
    return clock->anchor_monotonic_ns + elapsed_ns / MILLION * rate +
           elapsed_ns % MILLION * rate / MILLION;
}

/* What slewing has moved the wall clock by, with its sign. */
static int64_t slewed_ns(const struct clock *clock, int64_t monotonic_ns)
{
    __int128 moved;

    if (clock->slew_ns == 0)
        return 0;
    moved = (__int128)(monotonic_ns - clock->slew_from_ns) * clock->slew_ppm / MILLION;
    if (clock->slew_ns > 0)
        return moved < clock->slew_ns ? (int64_t)moved : clock->slew_ns;
    return -moved > clock->slew_ns ? (int64_t)-moved : clock->slew_ns;
}

int64_t clock_wall_ns(const struct clock *clock, int64_t now_ns)
{
    int64_t monotonic_ns = clock_monotonic_ns(clock, now_ns);

    return monotonic_ns + clock->wall_offset_ns + slewed_ns(clock, monotonic_ns);
}

int64_t clock_error_ns(const struct clock *clock, int64_t now_ns)
{
    return clock_wall_ns(clock, now_ns) - (CLOCK_WALL_EPOCH_NS + now_ns);
}

int64_t clock_true_ns(const struct clock *clock, int64_t monotonic_ns, int64_t now_ns)
{
    int64_t ahead_ns = monotonic_ns - clock->anchor_monotonic_ns, rate = rate_ppm(clock);

    if (clock_monotonic_ns(clock, now_ns) >= monotonic_ns)
        return now_ns;
    if (rate == 0)
        return CLOCK_NEVER_NS;
    /* Rounded up: one nanosecond earlier the clock shows less. */
    return clock->anchor_ns + ahead_ns / rate * MILLION +
           (ahead_ns % rate * MILLION + rate - 1) / rate;
}

void clock_init(struct clock *clock, const struct clock_options *options,
                const struct random_key *key)
{
    int64_t offset_max = options->offset_ns_max, drift_max = options->drift_ppm_max;

    assert(offset_max >= 0 && offset_max <= CLOCK_OFFSET_NS_MAX);
    assert(drift_max >= 0 && drift_max <= CLOCK_DRIFT_PPM_MAX);
    /* Drawn by ordinal, so that one setting does not move the other. */
    *clock = (struct clock){
        .initial_offset_ns =
            (int64_t)random_scale(random_draw_at(key, 0), 2 * (uint64_t)offset_max + 1) -
            offset_max,
        .drift_ppm =
            (int32_t)((int64_t)random_scale(random_draw_at(key, 1), 2 * (uint64_t)drift_max + 1) -
                      drift_max),
    };
    clock->wall_offset_ns = CLOCK_WALL_EPOCH_NS + clock->initial_offset_ns;
}

/* From now on the clock runs from what it shows now. */
static void anchor(struct clock *clock, int64_t now_ns)
{
    clock->anchor_monotonic_ns = clock_monotonic_ns(clock, now_ns);
    clock->anchor_ns = now_ns;
}

/* What has been slewed becomes part of the offset; what has not is given up. */
static void end_slew(struct clock *clock, int64_t now_ns)
{
    clock->wall_offset_ns += slewed_ns(clock, clock_monotonic_ns(clock, now_ns));
    clock->slew_ns = 0;
    clock->slew_ppm = 0;
}

void clock_step(struct clock *clock, int64_t by_ns)
{
    clock->wall_offset_ns += by_ns;
}

void clock_slew(struct clock *clock, int64_t by_ns, int32_t ppm, int64_t now_ns)
{
    /* Below a million, so that a wall clock slewed back still never goes back. */
    assert(ppm > 0 && ppm < MILLION);
    end_slew(clock, now_ns);
    clock->slew_from_ns = clock_monotonic_ns(clock, now_ns);
    clock->slew_ns = by_ns;
    clock->slew_ppm = ppm;
}

void clock_set_drift(struct clock *clock, int32_t drift_ppm, int64_t now_ns)
{
    assert(drift_ppm >= -CLOCK_DRIFT_PPM_MAX && drift_ppm <= CLOCK_DRIFT_PPM_MAX);
    anchor(clock, now_ns);
    clock->drift_ppm = drift_ppm;
}

void clock_freeze(struct clock *clock, int64_t now_ns)
{
    anchor(clock, now_ns);
    clock->frozen = true;
}

void clock_thaw(struct clock *clock, int64_t now_ns)
{
    anchor(clock, now_ns);
    clock->frozen = false;
}

void clock_restore(struct clock *clock, int64_t now_ns)
{
    clock_thaw(clock, now_ns);
    end_slew(clock, now_ns);
    clock->wall_offset_ns += clock->initial_offset_ns - clock_error_ns(clock, now_ns);
}
