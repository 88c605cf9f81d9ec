/*
 * steering: deviations from the order in which a run would happen by itself, at events that are given by number.
 *
 *     events        1  2  3  4  5  6  7  8 ...     what world counts: arrivals, timers, completions, calls
 *     postponed              4                     the message does not arrive now but `window_ns` later, anew
 *     crashed                      6               the node that handled event 6 crashes, and is back `down_ns` later
 *     isolated                     6               it hears nothing of other nodes, nor they of it, for `apart_ns`
 *
 * Up to its first deviation a run is the one without it. So all runs with at most k deviations can be enumerated: a
 * run lists the events at which it could have deviated, and those behind its last deviation are where the runs with
 * one more begin to differ. (Delay-bounded scheduling: Emmi, Qadeer and Rakamaric, POPL 2011.)
 *
 * Only what happens between the moment at which every shard has a leader and the one at which the owner says that it
 * is over is listed.
 */
#ifndef SIM_STEERING_H
#define SIM_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"

#define STEERING_MAX 8 /* deviations of a kind */

/* X(KIND, name of the list, what is done) */
#define STEERING_KINDS(X)                                                                          \
    X(POSTPONE, "postponed", "postpone")                                                           \
    X(CRASH, "crashed", "crash")                                                                   \
    X(ISOLATE, "isolated", "isolate")

enum steering_kind {
#define X(kind, name, word) STEERING_##kind,
    STEERING_KINDS(X)
#undef X
        STEERING_KIND_COUNT
};

#define STEERING_BIT(kind) (1u << (kind))

/* Numbers of events, rising. */
struct steering_events {
    uint32_t count;
    uint64_t at[STEERING_MAX];
};

struct steering_options {
    struct steering_events events[STEERING_KIND_COUNT];
    int64_t window_ns, down_ns, apart_ns;
};

struct steering_choice {
    uint64_t event;
    uint32_t kinds; /* what it could have been: STEERING_BIT() of each */
    uint32_t node;  /* that handled it, or to which the message goes */
};

/* Filled in by a run. The list is closed by array_close(). */
struct steering_choices {
    ARRAY(struct steering_choice) list;
    int64_t within_ns; /* only so long from the beginning; 0: to the end */
    bool has_begun;
    int64_t began_ns;
    bool (*is_over)(void *context); /* or NULL: never */
    void *context;
};

/* How far a run is. */
struct steering {
    const struct steering_options *options; /* NULL: it deviates nowhere */
    struct steering_choices *choices;       /* NULL: nobody asks */
    uint32_t next[STEERING_KIND_COUNT];
};

/* Whether it deviates so at this event; asked for once, in the order of events. */
bool steering_takes(struct steering *, enum steering_kind, uint64_t event);
/* Events come in order; one that is known gets what is new about it. */
MUST_USE enum status steering_add(struct steering_choices *, const struct steering_choice *,
                                  struct error *);

/* "postponed"; "postpone" */
const char *steering_kind_name(enum steering_kind);
const char *steering_kind_word(enum steering_kind);

#endif
