/*
 * clock: the wall clock and the monotonic clock of one node.
 *
 * Two readings, as an operating system offers them. The monotonic one starts
 * at zero, runs (1 + drift) nanoseconds per nanosecond and never goes back;
 * timers wait on it. The wall one is the monotonic one plus an offset, which
 * can be stepped either way, or slewed. A frozen clock stands still in both;
 * thawed, it goes on from where it stood.
 *
 *     monotonic(t) = anchor_monotonic + floor((t - anchor) * (10^6 + drift) / 10^6)
 *     wall(t)      = monotonic(t) + wall_offset + slewed so far
 *
 * A change of rate anchors anew, so readings never jump back. All integer and
 * exact. `now` is virtual time everywhere and must not go back from one change
 * to the next. Nothing here schedules: the world asks clock_true_ns() when a
 * timer must fire, and asks again after a change.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

/* What a true wall clock shows when virtual time begins. */
#define CLOCK_WALL_EPOCH_NS INT64_C(1000000000000000000)
#define CLOCK_DRIFT_PPM_MAX 500000
#define CLOCK_OFFSET_NS_MAX INT64_C(1000000000000000) /* eleven days */
#define CLOCK_NEVER_NS INT64_MAX

struct clock_options {
    int64_t offset_ns_max; /* a wall clock starts within this of the truth, either way */
    int32_t drift_ppm_max; /* and each clock is at most this much too fast or too slow */
};

struct clock {
    int64_t anchor_ns, anchor_monotonic_ns;
    int32_t drift_ppm;
    bool frozen;
    int64_t wall_offset_ns;
    int64_t initial_offset_ns; /* what clock_restore() goes back to */
    int64_t slew_from_ns;      /* monotonic time at which slewing began */
    int64_t slew_ns;           /* how much to slew in all, with its sign */
    int32_t slew_ppm;          /* how fast */
};

/* Draws offset and drift from the key. */
void clock_init(struct clock *, const struct clock_options *, const struct random_key *);

int64_t clock_monotonic_ns(const struct clock *, int64_t now_ns);
int64_t clock_wall_ns(const struct clock *, int64_t now_ns);
/* The wall clock's error: positive if it is ahead of the truth. */
int64_t clock_error_ns(const struct clock *, int64_t now_ns);

/* The first virtual time, not before now, at which the monotonic clock shows at least this. */
int64_t clock_true_ns(const struct clock *, int64_t monotonic_ns, int64_t now_ns);

void clock_step(struct clock *, int64_t by_ns);
/* Moves the wall clock by this in all, at `ppm` of elapsed time; replaces a slew under way. */
void clock_slew(struct clock *, int64_t by_ns, int32_t ppm, int64_t now_ns);
void clock_set_drift(struct clock *, int32_t drift_ppm, int64_t now_ns);
void clock_freeze(struct clock *, int64_t now_ns);
void clock_thaw(struct clock *, int64_t now_ns);
/* Thaws, ends a slew, and puts the wall clock where it began: its initial offset from the truth. */
void clock_restore(struct clock *, int64_t now_ns);

#endif
