/*
 * coverage: what a run reached, as a set of numbers that can be compared.
 *
 *     events of a node     edge: the one before, and this one
 *     rare paths           a path; a path soon after a fault, here or elsewhere; a path
 *                          after another on the same node; two paths soon after each other
 *     shapes               of the history's conflict graph, added when the run is over
 *
 * Each of these is hashed to one of COVERAGE_PLACES counters, as in American Fuzzy Lop:
 * two that share a counter are taken for one, which costs a little guidance and no
 * verdict. A feature is a counter and the size class that it reached (1, 2, 8, 64 or 512
 * times). Numbers of nodes, shards and transactions are in no feature, so that runs that do the
 * same in different places are alike.
 *
 * A world that has a coverage tells it what it writes into its trace. Nothing in a run
 * reads it: a run is the same with it and without.
 */
#ifndef SIM_COVERAGE_H
#define SIM_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/trace.h"

#define COVERAGE_FAMILY_PLACES 8192
#define COVERAGE_PLACES (COVERAGE_FAMILY_COUNT * COVERAGE_FAMILY_PLACES)
#define COVERAGE_CLASSES 5 /* sizes: a feature is place * COVERAGE_CLASSES + class */
#define COVERAGE_FEATURES (COVERAGE_PLACES * COVERAGE_CLASSES)
#define COVERAGE_PATHS_MAX 128
#define COVERAGE_NODES_MAX 1024
#define COVERAGE_SOON_NS INT64_C(1000000000) /* as long as a fault or path is said to be recent */

/* What a feature is of: place / COVERAGE_FAMILY_PLACES. */
enum coverage_family {
    COVERAGE_EDGE,
    COVERAGE_PATH,
    COVERAGE_PATH_FAULT,
    COVERAGE_PATH_EDGE,
    COVERAGE_PATH_PAIR,
    COVERAGE_SHAPE,
    COVERAGE_FAMILY_COUNT
};

/* Faults as a path sees them. */
enum coverage_fault {
    COVERAGE_CUT,
    COVERAGE_CRASH,
    COVERAGE_PAUSE,
    COVERAGE_CLOG,
    COVERAGE_BURST, /* lost, doubled, reordered or delayed messages */
    COVERAGE_CLOCK,
    COVERAGE_DISK,
    COVERAGE_STALL,
    COVERAGE_FAULT_COUNT
};

/* A fault at one node, or at any. */
struct coverage_near {
    uint32_t active;  /* faults of the kind that have begun and not ended */
    int64_t until_ns; /* and how long one that ended counts as near */
};

struct coverage_node {
    uint64_t last;      /* its last event */
    uint32_t last_path; /* one more than the rare path that it took last; 0: none */
    uint32_t role;
    struct coverage_near near[COVERAGE_FAULT_COUNT];
};

/* Of a feature. */
static inline enum coverage_family coverage_family(uint32_t feature)
{
    return (enum coverage_family)(feature / COVERAGE_CLASSES / COVERAGE_FAMILY_PLACES);
}

/* Large: on the heap. All zero before a run. */
struct coverage {
    uint32_t counts[COVERAGE_PLACES];
    struct coverage_node nodes[COVERAGE_NODES_MAX];
    struct coverage_near near[COVERAGE_FAULT_COUNT]; /* at any node */
    int64_t path_until_ns[COVERAGE_PATHS_MAX];       /* as long as the path is recent */
    uint32_t node;                                   /* whose event is being handled */
    int64_t now_ns;
};

/* One record of the trace; `kind_of_message` is what its receiver takes the message for. */
void coverage_record(struct coverage *, const struct trace_record *, uint32_t kind_of_message);
/* A rare path is taken, in the event that was recorded last. */
void coverage_path(struct coverage *, uint32_t path);
/* What somebody has seen of a run that is over: any number that means the same in every run. */
void coverage_shape(struct coverage *, uint64_t shape);

/* Fills the list, which has room for COVERAGE_PLACES, with the features in rising order. */
uint32_t coverage_features(const struct coverage *, uint32_t *list);

#endif
