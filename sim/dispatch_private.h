/*
 * dispatch: what the world does with an event when its time comes.
 *
 * Private to this room. world.c holds the world and its doors, fault.c the
 * levers; both schedule through here. How an event's fields are read is known
 * in dispatch.c only.
 */
#ifndef SIM_DISPATCH_PRIVATE_H
#define SIM_DISPATCH_PRIVATE_H

#include "sim/world.h"

/* Handles the first event. The queue must not be empty. */
void dispatch_next(struct world *);

void dispatch_arrival(struct world *, int64_t at_ns, uint32_t message);
void dispatch_timer(struct world *, uint32_t place);
void dispatch_completion(struct world *, int64_t at_ns, uint32_t node, uint64_t what);
void dispatch_call(struct world *, int64_t at_ns, uint32_t caller, uint64_t what);

/* Brings an endpoint up and calls its process's start(). */
void dispatch_start_node(struct world *, uint32_t node);
/* The node's timers, deferred events and roles are gone. */
void dispatch_clear_node(struct world *, uint32_t node);
/* Puts back, at this moment, what a paused node was spared. */
void dispatch_release_deferred(struct world *, uint32_t node);
/* The node's clock runs differently from now on: its timers fire at other times. */
void dispatch_reschedule_timers(struct world *, uint32_t node);

bool dispatch_has_failed(const struct world *);
/*
 * Says when the world's failure happened. Whoever can fail is handed
 * &world->failure itself, unless the world has failed before.
 */
void dispatch_fail(struct world *);

/* Adds a record of now to the trace. */
void dispatch_trace(struct world *, enum trace_kind, uint32_t node, uint32_t peer, uint64_t a,
                    uint64_t b);
void dispatch_trace_message(struct world *, enum trace_kind, uint32_t message);
void dispatch_trace_note(struct world *, uint32_t node, uint32_t topic, uint64_t a, uint64_t b);

#endif
