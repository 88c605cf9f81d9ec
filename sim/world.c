#include "sim/world.h"

#include <assert.h>
#include <inttypes.h>

#include "base/hash.h"
#include "sim/dispatch_private.h"
#include "sim/turn.h"

#define PENDING_DEFAULT ((size_t)1 << 22)
#define MESSAGES_DEFAULT ((uint32_t)1 << 22)
#define TIMERS_DEFAULT ((uint32_t)1 << 20)
#define MESSAGE_BYTES_DEFAULT ((size_t)1 << 30)

static const struct node_process no_process = { .name = "nothing" };

static enum status check_ratio(const char *name, struct ratio ratio, struct error *err)
{
    if (ratio.numerator > 0 && ratio.numerator > ratio.denominator)
        return error_set(err, STATUS_BAD_INPUT, "%s must be from 0 to 1", name);
    return STATUS_OK;
}

static enum status check_options(const struct world_options *options, struct error *err)
{
    const struct link_options *network = &options->network;

    if (options->node_count < 1 ||
        (uint64_t)options->node_count + options->client_count > WORLD_ENDPOINT_COUNT_MAX)
        return error_set(err, STATUS_BAD_INPUT,
                         "a world needs from 1 to %d nodes, clients included",
                         WORLD_ENDPOINT_COUNT_MAX);
    if (options->clocks.offset_ns_max < 0 || options->clocks.offset_ns_max > CLOCK_OFFSET_NS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "a clock's offset must be from 0 to 11 days");
    if (options->clocks.drift_ppm_max < 0 || options->clocks.drift_ppm_max > CLOCK_DRIFT_PPM_MAX)
        return error_set(err, STATUS_BAD_INPUT, "a clock's drift must be from 0 to %d ppm",
                         CLOCK_DRIFT_PPM_MAX);
    if (network->reorder_delay_ns_max < 0 || network->reorder_delay_ns_max > LATENCY_GIVEN_MAX_NS)
        return error_set(err, STATUS_BAD_INPUT, "a reordered message is late by up to an hour");
    TRY(check_ratio("loss", network->loss, err));
    TRY(check_ratio("duplicate", network->duplicate, err));
    return check_ratio("reorder", network->reorder, err);
}

static void fill_in_limits(struct world_limits *limits)
{
    if (limits->event_count_max == 0)
        limits->event_count_max = UINT64_MAX;
    if (limits->time_ns_max == 0)
        limits->time_ns_max = INT64_MAX;
    if (limits->pending_max == 0)
        limits->pending_max = PENDING_DEFAULT;
    if (limits->pending_max > (size_t)1 << EVENT_SLOT_BITS)
        limits->pending_max = (size_t)1 << EVENT_SLOT_BITS;
    if (limits->message_count_max == 0)
        limits->message_count_max = MESSAGES_DEFAULT;
    if (limits->timer_count_max == 0)
        limits->timer_count_max = TIMERS_DEFAULT;
    if (limits->message_bytes_max == 0)
        limits->message_bytes_max = MESSAGE_BYTES_DEFAULT;
}

/* Named by what an endpoint is, so that one node more leaves the clients alone. */
static void init_node(struct world *world, uint32_t number)
{
    struct node *node = &world->nodes[number];
    bool is_client = number >= world->options.node_count;
    struct clock_options clocks = is_client ? (struct clock_options){ 0 } : world->options.clocks;
    struct random_key key =
        random_key_fork(&world->key, "%s/%" PRIu32, is_client ? "client" : "node",
                        is_client ? number - world->options.node_count : number);
    struct random_key clock_key = random_key_fork(&key, "clock");
    struct random_key program_key = random_key_fork(&key, "program");

    *node = (struct node){ .process = &no_process,
                           .state = NODE_DOWN,
                           .first_timer = TIMER_NONE,
                           .first_deferred = EVENT_NONE,
                           .last_deferred = EVENT_NONE };
    clock_init(&node->clock, &clocks, &clock_key);
    random_init(&node->random, &program_key);
}

static enum status init_nodes(struct world *world, struct error *err)
{
    const struct world_options *options = &world->options;

    world->nodes = arena_push(world->arena, world->endpoint_count, sizeof *world->nodes);
    world->roles = arena_push(world->arena, world->endpoint_count, options->shard_count);
    if (!world->nodes || !world->roles)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " nodes",
                         world->endpoint_count);
    for (uint32_t i = 0; i < world->endpoint_count; i++)
        init_node(world, i);
    return STATUS_OK;
}

enum status world_init(struct world *world, const struct world_options *options,
                       struct arena *arena, struct error *err)
{
    const struct world_limits *limits = &world->options.limits;
    struct random_key network_key;

    assert(hash_key_is_fixed()); /* or the run would be another in every process */
    TRY(check_options(options, err));
    *world = (struct world){ .options = *options,
                             .arena = arena,
                             .key = random_key_of_seed(options->seed),
                             .steering = { .options = options->steering, .choices = options->choices },
                             .endpoint_count = options->node_count + options->client_count };
    fill_in_limits(&world->options.limits);
    network_key = random_key_fork(&world->key, "network");
    TRY(event_queue_init(&world->queue, limits->pending_max, arena, err));
    TRY(timers_init(&world->timers, limits->timer_count_max, arena, err));
    TRY(network_init(&world->network,
                     &(struct network_options){ .links = &options->network,
                                                .node_count = options->node_count,
                                                .endpoint_count = world->endpoint_count,
                                                .message_count_max = limits->message_count_max,
                                                .message_bytes_max = limits->message_bytes_max,
                                                .draws_by_time = options->draws_by_time },
                     &network_key, arena, err));
    TRY(init_nodes(world, err));
    return trace_init(&world->trace, &options->trace, options->node_count, arena, err);
}

void world_close(struct world *world)
{
    trace_close(&world->trace);
    buffer_close(&world->detail);
}

void world_set_process(struct world *world, uint32_t node, const struct node_process *process,
                       void *context)
{
    assert(node < world->endpoint_count && !world->nodes[node].started);
    world->nodes[node].process = process;
    world->nodes[node].context = context;
}

void world_draw_anew(struct world *world, uint64_t seed)
{
    world->key = random_key_fork(&world->key, "anew/%" PRIu64, seed);
    world->network.key = random_key_fork(&world->key, "network");
    for (uint32_t from = 0; from < world->endpoint_count; from++) {
        struct random_key key = random_key_fork(&world->key, "program/%" PRIu32, from);

        random_init(&world->nodes[from].random, &key);
        for (uint32_t to = 0; to < world->endpoint_count; to++)
            network_link(&world->network, from, to)->keyed = false;
    }
}

uint32_t world_add_caller(struct world *world, struct world_caller caller)
{
    assert(world->caller_count < WORLD_CALLER_COUNT_MAX);
    world->callers[world->caller_count] = caller;
    return world->caller_count++;
}

enum status world_start(struct world *world, struct error *err)
{
    for (uint32_t i = 0; i < world->endpoint_count && !dispatch_has_failed(world); i++)
        dispatch_start_node(world, i);
    if (dispatch_has_failed(world))
        *err = world->failure;
    return world->failure.status;
}

enum status world_run(struct world *world, int64_t until_ns, struct error *err)
{
    assert(until_ns >= world->now_ns && until_ns <= WORLD_TIME_NS_MAX);
    world->stopped = false;
    while (!world->stopped && !dispatch_has_failed(world)) {
        if (event_queue_is_empty(&world->queue) || event_queue_next_ns(&world->queue) > until_ns) {
            world->now_ns = until_ns;
            break;
        }
        dispatch_next(world);
    }
    if (dispatch_has_failed(world))
        *err = world->failure;
    return world->failure.status;
}

void world_stop(struct world *world)
{
    world->stopped = true;
}

static struct node *node_that_acts(struct world *world, uint32_t number)
{
    assert(number < world->endpoint_count);
    assert(world->nodes[number].state == NODE_UP);
    return &world->nodes[number];
}

/* Two rare things that sending can come to. */
static void account_for_copy_and_victim(struct world *world, const struct network_sent *sent)
{
    if (sent->evicted != MESSAGE_NONE) {
        dispatch_trace_message(world, TRACE_EVICTED, sent->evicted);
        world->counts.messages_evicted++;
        world->faults[FAULT_EVICT]++;
    }
    if (sent->copy != MESSAGE_NONE) {
        dispatch_trace_message(world, TRACE_DUPLICATE, sent->copy);
        world->counts.messages_duplicated++;
        world->faults[FAULT_DUPLICATE]++;
        dispatch_arrival(world, sent->copy_arrives_ns, sent->copy);
    }
}

void world_send(struct world *world, uint32_t from, uint32_t to, struct text bytes)
{
    struct network_sent sent;

    node_that_acts(world, from);
    assert(to < world->endpoint_count);
    if (dispatch_has_failed(world))
        return;
    if (network_send(&world->network, world->now_ns,
                     &(struct network_letter){ from, to, world->nodes[to].epoch, bytes }, &sent,
                     &world->failure) != STATUS_OK) {
        dispatch_fail(world);
        return;
    }
    world->counts.messages_sent++;
    world->counts.bytes_sent += bytes.length;
    dispatch_trace_message(world, TRACE_SEND, sent.message);
    if (sent.reordered) {
        world->counts.messages_reordered++;
        world->faults[FAULT_REORDER]++;
    }
    world->faults[FAULT_DELAY] += sent.delayed;
    dispatch_arrival(world, sent.arrives_ns, sent.message);
    account_for_copy_and_victim(world, &sent);
}

uint64_t world_set_timer(struct world *world, uint32_t number, int64_t delay_ns, uint64_t payload)
{
    struct node *node = node_that_acts(world, number);
    struct timer timer = { .node = number, .payload = payload };
    uint32_t place;

    assert(delay_ns >= 0 && delay_ns <= WORLD_TIME_NS_MAX);
    if (dispatch_has_failed(world))
        return 0;
    timer.deadline_ns = clock_monotonic_ns(&node->clock, world->now_ns) + delay_ns;
    if (timers_add(&world->timers, &node->first_timer, &timer, &place, &world->failure) !=
        STATUS_OK) {
        dispatch_fail(world);
        return 0;
    }
    dispatch_timer(world, place);
    return timers_identity(&world->timers, place);
}

void world_cancel_timer(struct world *world, uint64_t identity)
{
    uint32_t place = timers_find(&world->timers, identity);

    if (place != TIMER_NONE)
        timers_remove(&world->timers, &world->nodes[world->timers.places[place].node].first_timer,
                      place);
}

void world_complete_at(struct world *world, uint32_t number, int64_t at_ns, uint64_t what)
{
    node_that_acts(world, number);
    dispatch_completion(world, at_ns, number, what);
}

void world_call_at(struct world *world, int64_t at_ns, uint32_t caller, uint64_t what)
{
    assert(caller < world->caller_count);
    dispatch_call(world, at_ns, caller, what);
}

static uint8_t *role_at(const struct world *world, uint32_t node, uint32_t shard)
{
    assert(node < world->endpoint_count && shard < world->options.shard_count);
    return &world->roles[(size_t)node * world->options.shard_count + shard];
}

void world_publish_role(struct world *world, uint32_t number, uint32_t shard, enum role role)
{
    uint8_t *published = role_at(world, number, shard);

    node_that_acts(world, number);
    assert(role < ROLE_COUNT);
    if (*published == role)
        return;
    *published = (uint8_t)role;
    dispatch_trace(world, TRACE_ROLE, number, TRACE_NOBODY, shard, role);
}

void world_note(struct world *world, uint32_t number, uint32_t topic, uint64_t a, uint64_t b)
{
    node_that_acts(world, number);
    dispatch_trace_note(world, number, topic, a, b);
}

int64_t world_monotonic_ns(const struct world *world, uint32_t node)
{
    assert(node < world->endpoint_count);
    return clock_monotonic_ns(&world->nodes[node].clock, world->now_ns);
}

int64_t world_wall_ns(const struct world *world, uint32_t node)
{
    assert(node < world->endpoint_count);
    return clock_wall_ns(&world->nodes[node].clock, world->now_ns);
}

/* Where draws are by time, each moment has a part of the stream to itself. */
static void set_random(const struct world *world, struct node *node)
{
    uint64_t moment = turn_moment(world->now_ns);

    if (node->random_moment != moment + 1)
        random_seek(&node->random, moment);
    node->random_moment = moment + 1;
}

struct random *world_random(struct world *world, uint32_t node)
{
    assert(node < world->endpoint_count);
    if (world->options.draws_by_time)
        set_random(world, &world->nodes[node]);
    return &world->nodes[node].random;
}

const struct random_key *world_key(const struct world *world)
{
    return &world->key;
}

enum role world_role(const struct world *world, uint32_t node, uint32_t shard)
{
    return (enum role) * role_at(world, node, shard);
}

uint32_t world_leader(const struct world *world, uint32_t shard)
{
    for (uint32_t node = 0; node < world->options.node_count; node++)
        if (world_role(world, node, shard) == ROLE_LEADER)
            return node;
    return WORLD_NOBODY;
}

enum node_state world_node_state(const struct world *world, uint32_t node)
{
    assert(node < world->endpoint_count);
    return world->nodes[node].state;
}

struct digest world_trace_hash(const struct world *world)
{
    return trace_hash(&world->trace);
}

const char *world_fault_name(enum world_fault kind)
{
    static const char *const names[FAULT_KIND_COUNT] = {
#define X(kind, name) name,
        FAULT_KINDS(X)
#undef X
    };

    assert(kind < FAULT_KIND_COUNT);
    return names[kind];
}

const char *world_role_name(enum role role)
{
    static const char *const names[ROLE_COUNT] = { "nothing", "follower", "candidate", "leader" };

    assert(role < ROLE_COUNT);
    return names[role];
}
