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
 * [lasts/2, 3 lasts/2]; a clog is mostly short, lasts * e^(-10 u). It never
 * strikes while it holds: a strike that would come too early comes at the
 * release. Where times are listed (`at`) all is exact: it strikes just then,
 * and each time for `lasts_ns`.
 *
 * Draws come from a stream of its own, keyed by its place in the scenario;
 * nothing another nemesis or a node draws moves them.
 *
 *     kind       shapes                                      lets go by
 *     partition  halves, random-halves, isolate-one,         mending its cuts
 *                majorities-ring, bridge, one-way
 *     clock      step, strobe, freeze, drift, offset         undoing what it did
 *     crash      one, minority, all, restart                 restarting
 *     pause      one, minority, all                          resuming
 *     message    loss, delay, duplicate, reorder             ending its burst
 *     clog       link, send, receive                         itself
 *     disk       slow, stall, full, read-error, write-error, taking them off;
 *                torn, bit-rot, lying-sync, misdirected      a stall ends itself
 *
 * Faults of several nemeses overlap freely. They hurt nodes. A partition never
 * keeps a client from a node that is up; bursts and clogs may.
 *
 * The fault model (docs/scenarios.md): a nemesis that could leave it must say
 * so (`outside`). Inside it bit rot is kept to a minority of each shard's
 * replicas, the same ones for a whole run, by all nemeses together.
 *
 * Each strike is counted when it takes effect: a crash if a node was not down,
 * a burst if it hit a message, a disk's fault if an operation ran into it. What
 * was never felt tested nothing: see nemesis_next_unfelt().
 *
 *     shapes.c       what there is, by name, and what each shape takes and needs
 *     options.c      what may not be asked for
 *     victims.c      whom
 *     network_fault.c node_fault.c clock_fault.c disk_fault.c
 *                    what each kind does: entered in the table of nemesis.c
 *     swarm.c        a mix drawn by chance
 *     nemesis.c      when one strikes and lets go; all of a run, and the end of it
 */
#ifndef NEMESIS_NEMESIS_H
#define NEMESIS_NEMESIS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/random.h"
#include "nemesis/options.h"
#include "nemesis/shapes.h"
#include "sim/disk.h"
#include "sim/world.h"

#define NEMESIS_COUNT_MAX 32

/*
 * What a nemesis can hurt beside the world's nodes and links, and how far it
 * may go. All zero: no disks, and shards of which nothing is known.
 */
struct nemesis_ground {
    struct disk *const *disks;      /* of each node; NULL: they have none */
    struct disk_faults disk_faults; /* what the disks suffer by themselves */
    uint32_t shard_count, replica_count;
    const uint32_t *replicas; /* shard * replica_count + i: a node that holds it */
    /*
     * How many replicas of a shard may have synced bytes damaged in one run:
     * (replica_count - 1) / 2 where the store survives that, or fewer.
     */
    uint32_t damaged_max;
};

struct nemeses;
struct strike_log;

struct nemesis {
    struct nemesis_options options;
    struct nemeses *all;
    struct random random;
    uint32_t place;   /* among all */
    uint32_t caller;  /* as the world knows it */
    uint32_t waited;  /* times in a row for somebody to write */
    bool holds;       /* between strike and release */
    bool healed;      /* for good */
    uint64_t strikes; /* so far */
    uint64_t felt;    /* those that took effect; final after nemesis_stop_all() */
    int64_t until_ns; /* when it will let go; INT64_MAX: never */
    uint32_t node_count;
    uint32_t *order;   /* of all nodes, drawn anew at each strike: victims first */
    uint32_t drawn;    /* how many of them are meant */
    const struct nemesis_strike *given; /* the strike at hand, where they are listed */
    uint32_t *victims; /* those it holds now */
    uint32_t victim_count;
    int64_t *undo;  /* of each victim, what the kind needs to let go */
    uint64_t *seen; /* of each node, faults of its disk already accounted for */
    bool *struck;   /* each node, ever */
    bool *cuts;     /* from * node_count + to: the links it holds */
};

/* All nemeses of a run. The world calls them back: they must not move. */
struct nemeses {
    struct world *world;
    struct nemesis_ground ground;
    struct nemesis list[NEMESIS_COUNT_MAX];
    uint32_t count;
    bool *damaged; /* each node: whether its disk has rotted, ever */
    struct strike_log *log; /* where strikes are written down; or NULL */
};

/* What the world is like after the end: what is demanded to live. */
enum nemeses_end {
    NEMESES_HEAL,    /* all is whole and up */
    NEMESES_RESTART, /* the same, after a crash of every node */
    /*
     * A drawn core with a majority of each shard is whole and up; the rest
     * stand still for good. The core shall do without them.
     */
    NEMESES_CORE,
};

/* The ground is copied, what it points to is not; NULL: all zero. */
MUST_USE enum status nemesis_init_all(struct nemeses *, const struct nemesis_ground *,
                                      struct world *, struct error *);
/* In the order of the scenario. A start must not lie in the past. */
MUST_USE enum status nemesis_add(struct nemeses *, const struct nemesis_options *, struct error *);
/* After world_draw_anew(). */
void nemesis_draw_all_anew(struct nemeses *);
/* Ends all of them for good, and all faults with them, also those of disks. */
void nemesis_stop_all(struct nemeses *, enum nemeses_end);
/* After the end: the first from here on that never took effect, or the count. */
uint32_t nemesis_next_unfelt(const struct nemeses *, uint32_t from);

#endif
