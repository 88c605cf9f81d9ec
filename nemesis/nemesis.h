/*
 * nemesis: faults, and when they happen.
 *
 * A nemesis is one kind of fault on one schedule, which all kinds share. It
 * strikes first at start_ns (or, if that is zero, after a first gap), then
 * about every `every_ns`, and lets go about `lasts_ns` after each strike:
 *
 *     start                      gap
 *       strike ====== release ............ strike ==== release ......
 *              lasts                               lasts
 *
 * From strike to strike it is [every/2, 3 every/2], drawn, and each lasts
 * [lasts/2, 3 lasts/2]. It never strikes while it holds: a strike that would
 * come too early comes at the release. Draws come from a stream of its own,
 * keyed by its place in the scenario; nothing another nemesis or a node draws
 * moves them.
 *
 *     kind       shapes                                      lets go by
 *     partition  halves, random-halves, isolate-one,         mending its cuts
 *                majorities-ring, bridge, one-way
 *     clock      step, strobe, freeze, drift                 undoing what it did
 *     crash      one, minority, all                          restarting
 *     pause      one, minority, all                          resuming
 *
 * Faults of several nemeses overlap freely. They hurt nodes; clients always
 * reach every node that is up. A kind is a file of this room with a pair of
 * functions, entered in the table of nemesis.c.
 */
#ifndef NEMESIS_NEMESIS_H
#define NEMESIS_NEMESIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/world.h"

/* X(KIND, name) */
#define NEMESIS_KINDS(X)                                                                           \
    X(PARTITION, "partition")                                                                      \
    X(CLOCK, "clock")                                                                              \
    X(CRASH, "crash")                                                                              \
    X(PAUSE, "pause")

/* X(SHAPE, KIND, name, what it does). The first of a kind is its default. */
#define NEMESIS_SHAPES(X)                                                                          \
    X(PARTITION_HALVES, PARTITION, "halves", "the lower half of the nodes from the upper")         \
    X(PARTITION_RANDOM_HALVES, PARTITION, "random-halves", "two drawn halves")                     \
    X(PARTITION_ISOLATE_ONE, PARTITION, "isolate-one", "a drawn node from all others")             \
    X(PARTITION_MAJORITIES_RING, PARTITION, "majorities-ring",                                     \
      "each node sees a majority, and no two see the same")                                        \
    X(PARTITION_BRIDGE, PARTITION, "bridge", "two halves that only a drawn node can reach")        \
    X(PARTITION_ONE_WAY, PARTITION, "one-way", "a drawn half cannot be heard by the other")        \
    X(CLOCK_STEP, CLOCK, "step", "wall clocks of drawn nodes jump by up to amount")                \
    X(CLOCK_STROBE, CLOCK, "strobe", "a drawn wall clock jumps to and fro, many times")            \
    X(CLOCK_FREEZE, CLOCK, "freeze", "a drawn node's clocks stand still")                          \
    X(CLOCK_DRIFT, CLOCK, "drift", "a drawn node's clocks run wrong by up to drift_ppm")           \
    X(CRASH_ONE, CRASH, "one", "a drawn node crashes")                                             \
    X(CRASH_MINORITY, CRASH, "minority", "fewer than half of the nodes crash")                     \
    X(CRASH_ALL, CRASH, "all", "every node crashes")                                               \
    X(PAUSE_ONE, PAUSE, "one", "a drawn node stands still while time goes on")                     \
    X(PAUSE_MINORITY, PAUSE, "minority", "fewer than half of the nodes stand still")               \
    X(PAUSE_ALL, PAUSE, "all", "every node stands still")

enum nemesis_kind {
#define X(kind, name) NEMESIS_##kind,
    NEMESIS_KINDS(X)
#undef X
        NEMESIS_KIND_COUNT
};

enum nemesis_shape {
#define X(shape, kind, name, summary) SHAPE_##shape,
    NEMESIS_SHAPES(X)
#undef X
        NEMESIS_SHAPE_COUNT
};

#define NEMESIS_COUNT_MAX 32

struct nemesis_options {
    enum nemesis_kind kind;
    enum nemesis_shape shape;
    int64_t start_ns;  /* of the first strike; zero: after a gap */
    int64_t every_ns;  /* zero: it strikes once */
    int64_t lasts_ns;  /* zero: it never lets go by itself */
    int64_t amount_ns; /* for step and strobe; zero: 250 ms */
    int32_t drift_ppm; /* for drift; zero: 1000 */
};

struct nemesis {
    struct nemesis_options options;
    struct random random;
    uint32_t caller;  /* as the world knows it */
    bool holds;       /* between strike and release */
    bool healed;      /* for good */
    uint64_t strikes; /* so far */
    uint64_t felt;    /* those that took effect */
    uint32_t node_count;
    uint32_t *order;   /* of all nodes, drawn anew at each strike */
    uint32_t *victims; /* those it holds now */
    uint32_t victim_count;
    int64_t *undo; /* of each victim, what the kind needs to let go */
    bool *cuts;    /* from * node_count + to: the links it holds cut */
};

/* `place` is its place among the scenario's nemeses; a start must not lie in the past. */
MUST_USE enum status nemesis_init(struct nemesis *, const struct nemesis_options *, uint32_t place,
                                  struct world *, struct error *);
/* Refuses what makes no sense among so many nodes, in the words of a scenario. */
MUST_USE enum status nemesis_check_options(const struct nemesis_options *, uint32_t node_count,
                                           struct error *);

/* Ends all of them for good, and all faults with them: see fault_heal_everything(). */
void nemesis_heal(struct nemesis *, uint32_t count, struct world *);

/* Names as in scenarios. */
const char *nemesis_kind_name(enum nemesis_kind);
const char *nemesis_shape_name(enum nemesis_shape);
const char *nemesis_shape_summary(enum nemesis_shape);
enum nemesis_kind nemesis_shape_kind(enum nemesis_shape);
bool nemesis_find_kind(struct text name, enum nemesis_kind *);
bool nemesis_find_shape(enum nemesis_kind, struct text name, enum nemesis_shape *);
enum nemesis_shape nemesis_default_shape(enum nemesis_kind);

#endif
