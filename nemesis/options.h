/*
 * options: one nemesis as a scenario asks for it.
 */
#ifndef NEMESIS_OPTIONS_H
#define NEMESIS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "nemesis/shapes.h"

#define NEMESIS_FACTOR_MAX 1000000
#define NEMESIS_TIMES_MAX 64
#define NEMESIS_NODES_MAX 16

struct nemesis_times {
    uint32_t count;
    int64_t at_ns[NEMESIS_TIMES_MAX]; /* rising */
};

struct nemesis_nodes {
    uint32_t count;
    uint32_t at[NEMESIS_NODES_MAX];
};

/* From one node to another. */
struct nemesis_link {
    uint32_t from, to;
};

/* One strike, with all that would be drawn: see nemesis/strikes.h. */
struct nemesis_strike {
    int64_t at_ns, lasts_ns; /* it lasts zero: to the end */
    uint32_t node_count, link_count;
    uint32_t *nodes;
    int64_t *by; /* of each node, how far its clock jumps, or drifts; or NULL */
    struct nemesis_link *links;
};

/* Zero: as the keys of nemesis/shapes.h say. */
struct nemesis_options {
    enum nemesis_kind kind;
    enum nemesis_shape shape;
    int64_t start_ns;        /* of the first strike; zero: after a gap */
    int64_t every_ns;        /* zero: it strikes once */
    int64_t lasts_ns;        /* zero: it never lets go by itself */
    struct nemesis_times at; /* instead of start and every */
    enum nemesis_victims victims;
    uint32_t shard_plus_1; /* whose leader; zero: of a drawn shard */
    struct nemesis_nodes nodes;
    int64_t amount_ns;
    int32_t drift_ppm;
    struct ratio chance; /* denominator 0: not given */
    int64_t delay_ns;
    uint32_t factor;
    bool while_writing;
    bool outside;
    const struct nemesis_strike *strikes; /* instead of times and victims; by rising time */
    uint32_t strike_count;
};

/* Refuses what makes no sense among so many nodes, in the words of a scenario. */
MUST_USE enum status nemesis_check_options(const struct nemesis_options *, uint32_t node_count,
                                           struct error *);

#endif
