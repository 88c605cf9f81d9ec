/*
 * case: a recorded run that can be made smaller.
 *
 *     origin    the scenario and what its run drew; it never changes
 *     case      what is left of it: transactions, strikes, settings
 *
 * A case is plain data. It can be copied, sent to a worker as bytes, and turned into a scenario there.
 * Its parts of one kind (units) are numbered from 0 in the order of time, so that a range of them can
 * be left out.
 */
#ifndef TRIAL_BISECT_CASE_PRIVATE_H
#define TRIAL_BISECT_CASE_PRIVATE_H

#include "base/array.h"
#include "trial/run/signature.h"
#include "trial/run/simulation.h"
#include "trial/scenario/scenario.h"

struct bisect_origin {
    const struct scenario *scenario; /* without a swarm */
    struct recording recording;
    char target[SIGNATURE_SIZE]; /* how it fails */
};

/* X(NAME, what is left out): settings that may be simpler. */
#define CASE_SIMPLIFICATIONS(X)                                                                    \
    X(OFFSET, "clocks.offset")                                                                     \
    X(DRIFT, "clocks.drift_ppm")                                                                   \
    X(LOSS, "network.loss")                                                                        \
    X(DUPLICATE, "network.duplicate")                                                              \
    X(REORDER, "network.reorder")                                                                  \
    X(LIMITS, "network.bandwidth and capacity")                                                    \
    X(TORN, "disk.torn")                                                                           \
    X(DISK, "disk latencies")                                                                      \
    X(LATENCY, "the network's own latencies")

enum case_simplification {
#define CASE_ENUM(name, what) SIMPLE_##name,
    CASE_SIMPLIFICATIONS(CASE_ENUM)
#undef CASE_ENUM
        SIMPLE_COUNT
};

/* A strike of the origin, perhaps at another time, or with fewer victims. */
struct case_strike {
    uint32_t source;  /* in the origin's log */
    uint64_t without; /* a bit for each of its first nodes, or links, that is spared */
    int64_t at_ns, lasts_ns;
};

/* Closed by case_close(). Zero is empty. */
struct bisect_case {
    struct case_settings {
        uint64_t seed;
        uint32_t draws_by_time;
        uint32_t nodes, shards, replicas, sessions;
        uint32_t simple; /* a bit for each simplification */
        int64_t duration_ns;
    } settings;
    struct listed listing;
    ARRAY(struct case_strike) strikes;
};

/* All of it. */
MUST_USE enum status case_of_origin(struct bisect_case *, const struct bisect_origin *,
                                    struct error *);
MUST_USE enum status case_copy(struct bisect_case *, const struct bisect_case *from,
                               struct error *);
void case_close(struct bisect_case *);
bool case_is_equal(const struct bisect_case *, const struct bisect_case *);
/* Whether the origin has what the simplification leaves out. */
bool case_can_be_simpler(const struct bisect_origin *, enum case_simplification);

/* As bytes, for a process of the same program. */
void case_write(const struct bisect_case *, struct buffer *);
MUST_USE enum status case_read(struct bisect_case *, struct text bytes, struct error *);

/*
 * The scenario that runs it. It borrows from the case and the origin; its own memory goes with
 * case_drop_scenario().
 */
MUST_USE enum status case_scenario(const struct bisect_case *, const struct bisect_origin *,
                                   struct scenario *, struct error *);
void case_drop_scenario(struct scenario *);

#endif
