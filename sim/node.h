/*
 * node: one endpoint of the world, and the door through which what runs on
 * it is called back.
 *
 * A node is down, up or paused. A crash ends an incarnation: the epoch goes
 * up, and timers, completions and arriving messages of the old one come to
 * nothing. A paused node's events wait in a list, in order, and come when it
 * resumes; its clock goes on meanwhile.
 */
#ifndef SIM_NODE_H
#define SIM_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"
#include "base/text.h"
#include "sim/clock.h"

struct world;

/*
 * What runs on a node. Any entry may be NULL. The context is the one given
 * with world_set_process(); `bytes` live until the call returns. A process
 * must keep nothing across crash() but what it holds to be on disk.
 */
struct node_process {
    const char *name;
    void (*start)(void *context, struct world *, uint32_t node, bool restarted);
    void (*message)(void *context, struct world *, uint32_t node, uint32_t from, struct text bytes);
    void (*timer)(void *context, struct world *, uint32_t node, uint64_t payload);
    /* Something asked for with world_complete_at(), such as a disk's work, is done. */
    void (*completion)(void *context, struct world *, uint32_t node, uint64_t what);
    /* The node is about to lose its memory; it can send and set nothing any more. */
    void (*crash)(void *context, struct world *, uint32_t node);
    /* For the trace: "ping 17". */
    void (*describe_message)(void *context, struct text bytes, struct buffer *);
    /* For coverage: a number for what kind of message it is. */
    uint32_t (*kind_of_message)(struct text bytes);
    void (*describe_note)(void *context, uint32_t topic, uint64_t a, uint64_t b, struct buffer *);
};

enum node_state { NODE_DOWN, NODE_UP, NODE_PAUSED };

struct node {
    const struct node_process *process;
    void *context;
    enum node_state state;
    bool started; /* ever */
    uint32_t epoch;
    struct clock clock;
    struct random random; /* for what runs on it; goes on across restarts */
    uint64_t random_moment; /* where draws are by time: one more than when it was last set */
    uint32_t first_timer;
    uint32_t first_deferred, last_deferred, deferred_count;
};

#endif
