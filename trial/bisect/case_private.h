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

/*
 * The parts of a case. Each strike, transaction or operation has a number of the kind that is asked
 * for; several may share a number.
 */
enum case_unit {
    UNIT_FAMILY,  /* strikes of one kind of nemesis */
    UNIT_NEMESIS, /* strikes of one nemesis */
    UNIT_STRIKE,
    UNIT_VICTIM,  /* a node or link of a strike */
    UNIT_SESSION,
    UNIT_KEY,     /* operations on one key */
    UNIT_TXN,
    UNIT_STEP,    /* operations of a transaction that belong together */
    UNIT_COUNT
};

MUST_USE enum status case_count(const struct bisect_case *, const struct bisect_origin *,
                                enum case_unit, size_t *count, struct error *);

/* Units [from, to) of a kind. */
struct case_part {
    enum case_unit unit;
    size_t from, to;
};

MUST_USE enum status case_without(struct bisect_case *, const struct bisect_case *,
                                  const struct bisect_origin *, const struct case_part *,
                                  struct error *);

/* Sessions from 0 on, as many as have transactions. */
MUST_USE enum status case_renumber(struct bisect_case *, const struct bisect_case *,
                                   struct error *);

/* Clients of nodes that are gone talk to others. */
void case_set_nodes(struct bisect_case *, uint32_t nodes);

/* Strike `number` goes on until the nemesis's next one ends, which is left out. */
MUST_USE enum status case_merge(struct bisect_case *, const struct bisect_case *,
                                const struct bisect_origin *, size_t number, struct error *);

/* Only the first transactions, and the strikes that came before the next one, or soon after. */
MUST_USE enum status case_prefix(struct bisect_case *, const struct bisect_case *, size_t txns,
                                 struct error *);

/* --- Changes when things happen: shorter pauses, an earlier end, rounder times ----------------- */

/* No pause longer than this: between what begins or ends and the next. */
MUST_USE enum status case_tighten(struct bisect_case *, const struct bisect_case *, int64_t pause_ns,
                                  struct error *);
/* Everything later by as much as lets the first thing happen at `start_ns`, if it is earlier. */
MUST_USE enum status case_start(struct bisect_case *, const struct bisect_case *, int64_t start_ns,
                                struct error *);
/* Times and durations to the next multiple of the unit. */
MUST_USE enum status case_round(struct bisect_case *, const struct bisect_case *, int64_t unit_ns,
                                struct error *);
/* Ends so long after the last thing begins or ends, but not later than before. */
void case_shorten(struct bisect_case *, int64_t after_ns);
/* Faults end then, and clients begin no more. */
MUST_USE enum status case_until(struct bisect_case *, const struct bisect_case *, int64_t end_ns,
                                struct error *);
/* When the last thing begins or ends, or the run is over, whichever is earlier. */
int64_t case_end_ns(const struct bisect_case *);

#endif
