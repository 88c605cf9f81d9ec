/*
 * world: one deterministic run.
 *
 * A world owns virtual time, the event queue, the network, the nodes with
 * their clocks, and the trace; all that happens in it is a function of its
 * options and of the processes on its nodes. There are no globals, so many
 * worlds run at once in one process. Memory comes from the arena given at
 * world_init(), also later: nobody may reset that arena below what it held
 * then until the world is closed.
 *
 *     world_init ── world_set_process (each node) ── world_start ── world_run* ── world_close
 *
 * Endpoints 0 to node_count - 1 are nodes; the client_count after them are
 * clients, which send and receive like nodes but have true clocks and are no
 * target of faults. A limit that is reached ends the run with an error; the processes' calls after
 * that do nothing. It is STATUS_OVER_LIMIT if memory ran out, and STATUS_TOO_LONG beyond a limit of
 * the options (events in all or at once, time, messages, timers), or if the run is stopped.
 *
 * What may happen *to* nodes and links is in sim/fault.h.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "sim/clock.h"
#include "sim/coverage.h"
#include "sim/event_queue.h"
#include "sim/network.h"
#include "sim/node.h"
#include "sim/steering.h"
#include "sim/timers.h"
#include "sim/trace.h"

#define WORLD_NOBODY UINT32_MAX
#define WORLD_ENDPOINT_COUNT_MAX 1024
#define WORLD_CALLER_COUNT_MAX 64
#define WORLD_TIME_NS_MAX INT64_C(1000000000000000) /* eleven days of virtual time */

/* Zero: the default, which is large. */
struct world_limits {
    uint64_t event_count_max; /* handled in the whole run; default: no limit */
    int64_t time_ns_max;      /* of virtual time, for events; default: no limit */
    size_t pending_max;       /* events in the queue; default 2^22 */
    uint32_t message_count_max;
    uint32_t timer_count_max;
    size_t message_bytes_max; /* default 1 GiB */
};

struct world_options {
    uint64_t seed;
    uint32_t node_count, client_count;
    uint32_t shard_count; /* for roles */
    bool draws_by_time;   /* see sim/turn.h */
    struct clock_options clocks;
    struct link_options network;
    struct trace_options trace;
    struct world_limits limits;
    struct coverage *coverage; /* NULL: nobody asks what the run reaches */
    const atomic_bool *stop;   /* NULL: nobody wants it to end */
    const struct steering_options *steering; /* NULL: it deviates nowhere */
    struct steering_choices *choices;        /* NULL: nobody asks where it could */
};

/* What happened, by kind, for reports: X(member, name). */
#define WORLD_COUNTS(X)                                                                            \
    X(events, "events")                                                                            \
    X(messages_sent, "messages sent")                                                              \
    X(messages_delivered, "messages delivered")                                                    \
    X(messages_lost, "messages lost")                                                              \
    X(messages_cut_off, "messages cut off")                                                        \
    X(messages_evicted, "messages evicted")                                                        \
    X(messages_refused, "messages refused") /* the receiver was down, or had been */               \
    X(messages_duplicated, "messages duplicated")                                                  \
    X(messages_reordered, "messages reordered")                                                    \
    X(messages_delayed, "messages delayed") /* by a clog */                                        \
    X(bytes_sent, "bytes sent")                                                                    \
    X(timers_fired, "timers fired")

struct world_counts {
#define X(member, name) uint64_t member;
    WORLD_COUNTS(X)
#undef X
};

/*
 * Faults that took effect: X(KIND, name in reports). A partition counts if it
 * cut a link that was whole, a crash if the node was not down, and so on; those
 * of disks are counted by the disks, and here when they are healed.
 */
#define FAULT_KINDS(X)                                                                             \
    X(PARTITION, "partition")                                                                      \
    X(CRASH, "crash")                                                                              \
    X(PAUSE, "pause")                                                                              \
    X(CLOG, "clog")                                                                                \
    X(CLOCK_STEP, "clock-step")                                                                    \
    X(CLOCK_SLEW, "clock-slew")                                                                    \
    X(CLOCK_STROBE, "clock-strobe")                                                                \
    X(CLOCK_DRIFT, "clock-drift")                                                                  \
    X(CLOCK_FREEZE, "clock-freeze")                                                                \
    X(LOSS, "loss")                                                                                \
    X(DUPLICATE, "duplicate")                                                                      \
    X(REORDER, "reorder")                                                                          \
    X(EVICT, "evict")                                                                              \
    X(DELAY, "delay")                                                                              \
    X(DISK_TORN, "torn-write") /* the disks' faults, as sim/disk.h numbers and names them */       \
    X(DISK_LYING_SYNC, "lying-sync")                                                               \
    X(DISK_BIT_ROT, "bit-rot")                                                                     \
    X(DISK_MISDIRECTED, "misdirected-write")                                                       \
    X(DISK_READ_ERROR, "read-error")                                                               \
    X(DISK_WRITE_ERROR, "write-error")                                                             \
    X(DISK_FULL, "full-disk")                                                                      \
    X(DISK_SLOW, "slow-disk")                                                                      \
    X(DISK_STALL, "stalled-disk")

enum world_fault {
#define X(kind, name) FAULT_##kind,
    FAULT_KINDS(X)
#undef X
        FAULT_KIND_COUNT
};

enum role { ROLE_NONE, ROLE_FOLLOWER, ROLE_CANDIDATE, ROLE_LEADER, ROLE_COUNT };

/* Somebody outside the nodes who wants to be called at a time: a nemesis, the harness. */
struct world_caller {
    void (*call)(void *context, struct world *, uint64_t what);
    void (*describe)(void *context, uint64_t what, struct buffer *); /* for the trace */
    void *context;
};

struct world {
    struct world_options options;
    struct arena *arena;
    struct random_key key;
    int64_t now_ns;
    struct event_queue queue;
    struct network network;
    struct timers timers;
    struct trace trace;
    struct steering steering;
    struct node *nodes; /* all endpoints */
    uint32_t endpoint_count;
    uint8_t *roles; /* node * shard_count + shard */
    struct world_caller callers[WORLD_CALLER_COUNT_MAX];
    uint32_t caller_count;
    struct world_counts counts;
    uint64_t faults[FAULT_KIND_COUNT];
    bool stopped;
    bool was_stopped;     /* by `stop`: the failure is no function of the options */
    struct error failure; /* the first; its status is STATUS_OK until then */
    struct buffer detail; /* scratch for the trace's text */
};

MUST_USE enum status world_init(struct world *, const struct world_options *, struct arena *,
                                struct error *);
void world_close(struct world *);
/* Both before world_start(). */
void world_set_process(struct world *, uint32_t node, const struct node_process *, void *context);
uint32_t world_add_caller(struct world *, struct world_caller);
/* Starts every endpoint, at time zero, in order. */
MUST_USE enum status world_start(struct world *, struct error *);

/* From now on nothing is drawn as it would have been; clocks go on as they are. */
void world_draw_anew(struct world *, uint64_t seed);

/*
 * Handles every event up to and at `until_ns`, and leaves virtual time there;
 * or earlier, if somebody called world_stop().
 */
MUST_USE enum status world_run(struct world *, int64_t until_ns, struct error *);
/* Makes world_run() return after this event. */
void world_stop(struct world *);

/* Results. */
struct digest world_trace_hash(const struct world *);
const char *world_fault_name(enum world_fault);
const char *world_role_name(enum role);

/*
 * What processes do. A node that is down can do none of it; a callback that
 * finds itself called is up.
 */
void world_send(struct world *, uint32_t from, uint32_t to, struct text bytes);
/* Fires once the node's monotonic clock has gone on by this much. Returns its identity. */
uint64_t world_set_timer(struct world *, uint32_t node, int64_t delay_ns, uint64_t payload);
/* Harmless if it has fired already. */
void world_cancel_timer(struct world *, uint64_t timer);
/* Calls the node's completion() at a virtual time, unless it crashes first. */
void world_complete_at(struct world *, uint32_t node, int64_t at_ns, uint64_t what);
void world_publish_role(struct world *, uint32_t node, uint32_t shard, enum role);
/* A line in the trace that the process's describe_note() can put into words. */
void world_note(struct world *, uint32_t node, uint32_t topic, uint64_t a, uint64_t b);

int64_t world_monotonic_ns(const struct world *, uint32_t node);
int64_t world_wall_ns(const struct world *, uint32_t node);
struct random *world_random(struct world *, uint32_t node);
/* A key for whoever is not a node: fork it by a stable label. */
const struct random_key *world_key(const struct world *);

enum role world_role(const struct world *, uint32_t node, uint32_t shard);
/* The lowest node that says it leads the shard, or WORLD_NOBODY. */
uint32_t world_leader(const struct world *, uint32_t shard);
enum node_state world_node_state(const struct world *, uint32_t node);

/* What harness and nemesis do. */
void world_call_at(struct world *, int64_t at_ns, uint32_t caller, uint64_t what);

#endif
