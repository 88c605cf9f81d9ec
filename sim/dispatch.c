#include "sim/dispatch_private.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "sim/disk.h"
#include "sim/fault.h"

/* How the world reads an event's fields. */
enum event_kind {
    EVENT_ARRIVAL,    /* a: message */
    EVENT_DELIVERY,   /* a: message that has arrived while its receiver was paused */
    EVENT_TIMER,      /* a: the timer's identity, b: its version */
    EVENT_COMPLETION, /* a: what */
    EVENT_CALL,       /* a: caller, b: what */
    EVENT_RESTART,    /* of a node that steering crashed */
    EVENT_MEND,       /* of one that it isolated */
};

bool dispatch_has_failed(const struct world *world)
{
    return world->failure.status != STATUS_OK;
}

void dispatch_fail(struct world *world)
{
    int64_t us = world->now_ns / 1000;

    assert(dispatch_has_failed(world));
    error_wrap(&world->failure, "at %" PRId64 ".%03d ms of virtual time", us / 1000,
               (int)(us % 1000));
}

static void describe_disk(uint64_t faults, struct buffer *to)
{
    if (faults == 0)
        buffer_text(to, TEXT("nothing"));
    for (int i = 0; i < DISK_FAULT_COUNT; i++)
        if (faults >> i & 1)
            buffer_print(to, "%s%s", to->count ? " " : "", disk_fault_name((enum disk_fault)i));
}

/* What the processes and callers have to say about a record; `bytes` are those of its message. */
static void describe(struct world *world, const struct trace_record *record, struct text bytes)
{
    const struct node *node = NULL;
    const struct world_caller *caller;

    if (record->node < world->endpoint_count)
        node = &world->nodes[record->node];
    switch (record->kind) {
    case TRACE_SEND:
    case TRACE_DUPLICATE:
    case TRACE_DELIVER:
    case TRACE_LOST:
    case TRACE_CUT_OFF:
    case TRACE_EVICTED:
    case TRACE_REFUSED:
        if (node->process->describe_message)
            node->process->describe_message(node->context, bytes, &world->detail);
        break;
    case TRACE_NOTE:
        if (node->process->describe_note)
            node->process->describe_note(node->context, record->size, record->a, record->b,
                                         &world->detail);
        break;
    case TRACE_CALL:
        caller = &world->callers[record->size];
        if (caller->describe)
            caller->describe(caller->context, record->a, &world->detail);
        break;
    case TRACE_ROLE:
        buffer_print(&world->detail, "%s of shard %" PRIu64, world_role_name((enum role)record->b),
                     record->a);
        break;
    case TRACE_DISK:
        describe_disk(record->a, &world->detail);
        break;
    default:
        break;
    }
}

static void cover(struct world *world, const struct trace_record *record, struct text bytes)
{
    uint32_t kind = 0;

    if (record->kind == TRACE_DELIVER && world->nodes[record->peer].process->kind_of_message)
        kind = world->nodes[record->peer].process->kind_of_message(bytes);
    coverage_record(world->options.coverage, record, kind);
}

static void add_record(struct world *world, const struct trace_record *record, struct text bytes)
{
    struct text detail = { 0 };

    if (world->options.coverage)
        cover(world, record, bytes);
    if (trace_is_read(&world->trace)) {
        buffer_clear(&world->detail);
        describe(world, record, bytes);
        detail = (struct text){ world->detail.at, world->detail.count };
    }
    trace_add(&world->trace, record, detail);
}

void dispatch_trace(struct world *world, enum trace_kind kind, uint32_t node, uint32_t peer,
                    uint64_t a, uint64_t b)
{
    struct trace_record record = {
        .at_ns = world->now_ns, .kind = kind, .node = node, .peer = peer, .a = a, .b = b
    };

    add_record(world, &record, (struct text){ 0 });
}

void dispatch_trace_message(struct world *world, enum trace_kind kind, uint32_t message)
{
    const struct message *m = network_message(&world->network, message);
    struct trace_record record = { .at_ns = world->now_ns,
                                   .kind = kind,
                                   .node = m->from,
                                   .peer = m->to,
                                   .size = m->size,
                                   .a = m->ordinal,
                                   .b = m->checksum };

    add_record(world, &record, (struct text){ m->bytes, m->size });
}

void dispatch_trace_note(struct world *world, uint32_t node, uint32_t topic, uint64_t a, uint64_t b)
{
    struct trace_record record = { .at_ns = world->now_ns,
                                   .kind = TRACE_NOTE,
                                   .node = node,
                                   .peer = TRACE_NOBODY,
                                   .size = topic,
                                   .a = a,
                                   .b = b };

    add_record(world, &record, (struct text){ 0 });
}

void dispatch_start_node(struct world *world, uint32_t number)
{
    struct node *node = &world->nodes[number];
    bool restarted = node->started;

    assert(node->state == NODE_DOWN);
    node->state = NODE_UP;
    node->started = true;
    dispatch_trace(world, restarted ? TRACE_RESTART : TRACE_START, number, TRACE_NOBODY,
                   node->epoch, 0);
    if (node->process->start)
        node->process->start(node->context, world, number, restarted);
}

static void push(struct world *world, int64_t at_ns, const struct world_event *event)
{
    if (dispatch_has_failed(world))
        return;
    if (event_queue_push(&world->queue, at_ns, event, &world->failure) != STATUS_OK)
        dispatch_fail(world);
}

void dispatch_arrival(struct world *world, int64_t at_ns, uint32_t message)
{
    push(world, at_ns,
         &(struct world_event){ .kind = EVENT_ARRIVAL, .node = WORLD_NOBODY, .a = message });
}

void dispatch_completion(struct world *world, int64_t at_ns, uint32_t node, uint64_t what)
{
    push(
        world, at_ns,
        &(struct world_event){
            .kind = EVENT_COMPLETION, .node = node, .epoch = world->nodes[node].epoch, .a = what });
}

void dispatch_call(struct world *world, int64_t at_ns, uint32_t caller, uint64_t what)
{
    push(world, at_ns,
         &(struct world_event){ .kind = EVENT_CALL, .node = WORLD_NOBODY, .a = caller, .b = what });
}

/* A paused node's event waits its turn behind those that came before. */
static void defer(struct world *world, struct node *node, const struct world_event *event)
{
    struct world_event held = *event;
    uint32_t slot;

    if (dispatch_has_failed(world))
        return;
    held.next = EVENT_NONE;
    if (event_queue_hold(&world->queue, &held, &slot, &world->failure) != STATUS_OK) {
        dispatch_fail(world);
        return;
    }
    if (node->first_deferred == EVENT_NONE)
        node->first_deferred = slot;
    else
        world->queue.slab[node->last_deferred].next = slot;
    node->last_deferred = slot;
    node->deferred_count++;
}

/* The first deferred event, or false if there is none. */
static bool take_deferred(struct world *world, struct node *node, struct world_event *event)
{
    uint32_t slot = node->first_deferred;

    if (slot == EVENT_NONE)
        return false;
    node->first_deferred = world->queue.slab[slot].next;
    node->deferred_count--;
    *event = event_queue_release(&world->queue, slot);
    return true;
}

void dispatch_release_deferred(struct world *world, uint32_t number)
{
    struct world_event event;

    while (take_deferred(world, &world->nodes[number], &event))
        push(world, world->now_ns, &event);
}

static void refuse_message(struct world *world, uint32_t message)
{
    dispatch_trace_message(world, TRACE_REFUSED, message);
    world->counts.messages_refused++;
    network_free(&world->network, message);
}

void dispatch_clear_node(struct world *world, uint32_t number)
{
    struct node *node = &world->nodes[number];
    struct world_event event;

    while (take_deferred(world, node, &event))
        if (event.kind == EVENT_DELIVERY)
            refuse_message(world, (uint32_t)event.a);
    while (node->first_timer != TIMER_NONE)
        timers_remove(&world->timers, &node->first_timer, node->first_timer);
    if (world->options.shard_count > 0)
        memset(world->roles + (size_t)number * world->options.shard_count, ROLE_NONE,
               world->options.shard_count);
}

void dispatch_timer(struct world *world, uint32_t place)
{
    struct timer *timer = &world->timers.places[place];
    const struct clock *clock = &world->nodes[timer->node].clock;
    int64_t at_ns = clock_true_ns(clock, timer->deadline_ns, world->now_ns);
    struct world_event event = { .kind = EVENT_TIMER, .node = timer->node };

    timer->version++;
    event.a = timers_identity(&world->timers, place);
    event.b = timer->version;
    if (at_ns != CLOCK_NEVER_NS)
        push(world, at_ns, &event);
}

void dispatch_reschedule_timers(struct world *world, uint32_t node)
{
    uint32_t place = world->nodes[node].first_timer;

    for (; place != TIMER_NONE; place = world->timers.places[place].next)
        dispatch_timer(world, place);
}

#define EVENTS_BETWEEN_LOOKS 1024 /* whether somebody wants the run to end */

static enum status check_limits(struct world *world, struct error *err)
{
    const struct world_limits *limits = &world->options.limits;
    const atomic_bool *stop = world->options.stop;

    if (world->counts.events > limits->event_count_max)
        return error_set(err, STATUS_TOO_LONG, "more than %" PRIu64 " events",
                         limits->event_count_max);
    if (world->now_ns > limits->time_ns_max)
        return error_set(err, STATUS_TOO_LONG, "more than %" PRId64 ".%06d ms of virtual time",
                         limits->time_ns_max / 1000000, (int)(limits->time_ns_max % 1000000));
    if (stop && world->counts.events % EVENTS_BETWEEN_LOOKS == 0 &&
        atomic_load_explicit(stop, memory_order_relaxed)) {
        world->was_stopped = true;
        return error_set(err, STATUS_TOO_LONG, "stopped after %" PRIu64 " events",
                         world->counts.events);
    }
    return STATUS_OK;
}

/* Called for what somebody can notice: not for a timer that was cancelled. */
static void count_event(struct world *world)
{
    world->counts.events++;
    if (check_limits(world, &world->failure) != STATUS_OK)
        dispatch_fail(world);
}

/* --- Steering: sim/steering.h ----------------------------------------------------------------- */

static bool all_shards_are_led(const struct world *world)
{
    for (uint32_t shard = 0; shard < world->options.shard_count; shard++)
        if (world_leader(world, shard) == WORLD_NOBODY)
            return false;
    return true;
}

/* Whether somebody wants to know what this event could have been. */
static bool is_listed(const struct world *world)
{
    struct steering_choices *choices = world->steering.choices;

    if (!choices || dispatch_has_failed(world))
        return false;
    if (!choices->has_begun) {
        choices->has_begun = all_shards_are_led(world);
        choices->began_ns = world->now_ns;
    }
    if (!choices->has_begun ||
        (choices->within_ns > 0 && world->now_ns - choices->began_ns > choices->within_ns))
        return false;
    return !(choices->is_over && choices->is_over(choices->context));
}

static void list_choice(struct world *world, uint32_t node, uint32_t kinds)
{
    struct steering_choice choice = { .event = world->counts.events, .kinds = kinds, .node = node };

    if (is_listed(world) &&
        steering_add(world->steering.choices, &choice, &world->failure) != STATUS_OK)
        dispatch_fail(world);
}

/* Whether the message that arrives now is to arrive later. */
static bool steer_arrival(struct world *world, const struct message *m, const struct world_event *event)
{
    if (m->from == m->to)
        return false;
    list_choice(world, m->to, STEERING_BIT(STEERING_POSTPONE));
    if (!steering_takes(&world->steering, STEERING_POSTPONE, world->counts.events))
        return false;
    world->counts.messages_delayed++;
    push(world, world->now_ns + world->steering.options->window_ns, event);
    return true;
}

static void isolate(struct world *world, uint32_t node)
{
    bool was_whole = false;

    for (uint32_t other = 0; other < world->options.node_count; other++)
        if (other != node) {
            was_whole |= fault_cut_link(world, node, other);
            was_whole |= fault_cut_link(world, other, node);
        }
    if (was_whole)
        fault_count(world, FAULT_PARTITION);
    push(world, world->now_ns + world->steering.options->apart_ns,
         &(struct world_event){ .kind = EVENT_MEND, .node = node });
}

/* What has been healed meanwhile is whole already. */
static void mend(struct world *world, uint32_t from, uint32_t to)
{
    if (network_link(&world->network, from, to)->cuts > 0)
        fault_mend_link(world, from, to);
}

static void end_isolation(struct world *world, uint32_t node)
{
    for (uint32_t other = 0; other < world->options.node_count; other++)
        if (other != node) {
            mend(world, node, other);
            mend(world, other, node);
        }
}

/* Called when the node has handled the event. */
static void steer_node(struct world *world, uint32_t node)
{
    struct steering *steering = &world->steering;
    uint64_t event = world->counts.events;

    if (node >= world->options.node_count || world->nodes[node].state != NODE_UP)
        return;
    list_choice(world, node, STEERING_BIT(STEERING_CRASH) | STEERING_BIT(STEERING_ISOLATE));
    if (steering_takes(steering, STEERING_ISOLATE, event))
        isolate(world, node);
    if (!steering_takes(steering, STEERING_CRASH, event))
        return;
    if (fault_crash(world, node))
        fault_count(world, FAULT_CRASH);
    push(world, world->now_ns + steering->options->down_ns,
         &(struct world_event){ .kind = EVENT_RESTART, .node = node });
}

/* --- Events ----------------------------------------------------------------------------------- */

/* The message has arrived, and its receiver is there. */
static void deliver(struct world *world, uint32_t message)
{
    const struct message *m = network_message(&world->network, message);
    struct node *node = &world->nodes[m->to];
    struct text bytes = { m->bytes, m->size };
    uint32_t to;

    world->counts.messages_delivered++;
    dispatch_trace_message(world, TRACE_DELIVER, message);
    if (node->process->message)
        node->process->message(node->context, world, m->to, m->from, bytes);
    to = network_message(&world->network, message)->to;
    network_free(&world->network, message);
    steer_node(world, to);
}

static void drop_message(struct world *world, uint32_t message, enum message_fate fate)
{
    if (fate == MESSAGE_LOST) {
        dispatch_trace_message(world, TRACE_LOST, message);
        world->counts.messages_lost++;
        world->faults[FAULT_LOSS]++;
        network_blame_loss(&world->network, network_message(&world->network, message));
    } else {
        dispatch_trace_message(world, TRACE_CUT_OFF, message);
        world->counts.messages_cut_off++;
    }
    network_free(&world->network, message);
}

static void on_arrival(struct world *world, struct world_event *event)
{
    uint32_t message = (uint32_t)event->a;
    struct message *m = network_message(&world->network, message);
    enum message_fate fate = network_fate(&world->network, m);
    int64_t clogged_until_ns = network_clogged_until_ns(&world->network, m);
    struct node *node = &world->nodes[m->to];

    if (fate == MESSAGE_EVICTED) {
        network_free(&world->network, message);
        return;
    }
    if (clogged_until_ns > world->now_ns) {
        world->counts.messages_delayed++;
        push(world, clogged_until_ns, event);
        return;
    }
    count_event(world);
    if (steer_arrival(world, m, event))
        return;
    network_land(&world->network, message);
    if (fate != MESSAGE_ARRIVES) {
        drop_message(world, message, fate);
    } else if (node->state == NODE_DOWN || node->epoch != m->to_epoch) {
        refuse_message(world, message);
    } else if (node->state == NODE_PAUSED) {
        event->kind = EVENT_DELIVERY;
        defer(world, node, event);
    } else {
        deliver(world, message);
    }
}

/* What a resumed node finds in its socket; it may be paused again, or gone. */
static void on_delivery(struct world *world, const struct world_event *event)
{
    uint32_t message = (uint32_t)event->a;
    const struct message *m = network_message(&world->network, message);
    struct node *node = &world->nodes[m->to];

    if (node->state == NODE_DOWN || node->epoch != m->to_epoch)
        refuse_message(world, message);
    else if (node->state == NODE_PAUSED)
        defer(world, node, event);
    else
        deliver(world, message);
}

static void on_timer(struct world *world, const struct world_event *event)
{
    uint32_t place = timers_find(&world->timers, event->a);
    struct node *node = &world->nodes[event->node];
    uint64_t payload;

    if (place == TIMER_NONE || world->timers.places[place].version != event->b)
        return; /* fired, cancelled or scheduled anew */
    if (node->state == NODE_PAUSED) {
        defer(world, node, event);
        return;
    }
    assert(node->state == NODE_UP);
    payload = world->timers.places[place].payload;
    timers_remove(&world->timers, &node->first_timer, place);
    count_event(world);
    world->counts.timers_fired++;
    dispatch_trace(world, TRACE_TIMER, event->node, TRACE_NOBODY, payload, 0);
    if (node->process->timer)
        node->process->timer(node->context, world, event->node, payload);
    steer_node(world, event->node);
}

static void on_completion(struct world *world, const struct world_event *event)
{
    struct node *node = &world->nodes[event->node];

    if (node->state == NODE_DOWN || node->epoch != event->epoch)
        return; /* nobody is left who asked for it */
    if (node->state == NODE_PAUSED) {
        defer(world, node, event);
        return;
    }
    count_event(world);
    dispatch_trace(world, TRACE_COMPLETION, event->node, TRACE_NOBODY, event->a, 0);
    if (node->process->completion)
        node->process->completion(node->context, world, event->node, event->a);
    steer_node(world, event->node);
}

static void on_call(struct world *world, const struct world_event *event)
{
    const struct world_caller *caller = &world->callers[event->a];
    struct trace_record record = { .at_ns = world->now_ns,
                                   .kind = TRACE_CALL,
                                   .node = TRACE_NOBODY,
                                   .peer = TRACE_NOBODY,
                                   .size = (uint32_t)event->a,
                                   .a = event->b };

    count_event(world);
    add_record(world, &record, (struct text){ 0 });
    caller->call(caller->context, world, event->b);
}

void dispatch_next(struct world *world)
{
    struct world_event event = event_queue_pop(&world->queue, &world->now_ns);

    switch ((enum event_kind)event.kind) {
    case EVENT_ARRIVAL:
        on_arrival(world, &event);
        break;
    case EVENT_DELIVERY:
        on_delivery(world, &event);
        break;
    case EVENT_TIMER:
        on_timer(world, &event);
        break;
    case EVENT_COMPLETION:
        on_completion(world, &event);
        break;
    case EVENT_CALL:
        on_call(world, &event);
        break;
    case EVENT_RESTART:
        fault_restart(world, event.node);
        break;
    case EVENT_MEND:
        end_isolation(world, event.node);
        break;
    }
}
