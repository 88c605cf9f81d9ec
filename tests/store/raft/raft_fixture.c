#include "tests/store/raft/raft_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define BREAK(group, ...)                                                                          \
    ((group)->broken[0] ? 0 : snprintf((group)->broken, sizeof(group)->broken, __VA_ARGS__))

enum call { CALL_PROPOSE, CALL_FAULT, CALL_RESTART };

/* What a host callback gets: which node of which group. */
struct place {
    struct group *group;
    uint32_t node;
};

static struct place places[GROUP_NODES_MAX];
static struct error err;

/* --- The host ----------------------------------------------------------------- */

static void host_send(void *context, uint32_t to, struct text bytes)
{
    const struct place *place = context;

    world_send(&place->group->world, place->node, to, bytes);
}

static void check_state(struct group *group, uint32_t number, uint64_t index, uint64_t chain)
{
    if (index < GROUP_TRUTHS_MAX && index <= group->known && group->truths[index].chain != chain)
        BREAK(group, "n%u has another state at %" PRIu64, number, index);
}

static void host_apply(void *context, uint64_t index, uint64_t term, struct text command)
{
    const struct place *place = context;
    struct group *group = place->group;
    struct group_node *node = &group->nodes[place->node];
    uint64_t number = command.length ? hash_word(command.at) : 0;

    if (index != node->applied + 1)
        BREAK(group, "n%u applies %" PRIu64 " after %" PRIu64, place->node, index, node->applied);
    node->applied = index;
    node->chain = hash_fold(node->chain ^ hash_number(number), HASH_ODD_1) + term + index;
    if (index > node->applied_max)
        node->applied_max = index;
    if (index >= GROUP_TRUTHS_MAX)
        return;
    if (index > group->known) {
        group->known = index;
        group->truths[index] =
            (struct group_truth){ .chain = node->chain, .term = term, .number = number };
    }
    check_state(group, place->node, index, node->chain);
    if (node->raft && raft_is_leader(node->raft) && index > group->acknowledged)
        group->acknowledged = index;
}

static void host_save(void *context, struct wire_writer *writer)
{
    const struct place *place = context;
    const struct group_node *node = &place->group->nodes[place->node];

    wire_put_number(writer, node->applied);
    wire_put_number(writer, node->chain);
    /* So that it takes more than one piece. */
    for (uint32_t i = 0; i < 5000; i++)
        wire_put_number(writer, node->chain + i);
}

static void host_load(void *context, uint64_t index, struct text state)
{
    const struct place *place = context;
    struct group_node *node = &place->group->nodes[place->node];
    struct wire_reader reader = wire_reader_of(state);

    node->applied = wire_get_number(&reader);
    node->chain = wire_get_number(&reader);
    for (uint32_t i = 0; i < 5000; i++)
        if (wire_get_number(&reader) != node->chain + i)
            BREAK(place->group, "n%u loads a damaged state", place->node);
    if (!wire_reader_is_done(&reader) || node->applied != index)
        BREAK(place->group, "n%u loads half a state", place->node);
    node->loads++;
    check_state(place->group, place->node, index, node->chain);
}

static void check_leader(struct group *group, uint32_t number, uint64_t term)
{
    uint32_t *leader = &group->leaders[term % GROUP_TRUTHS_MAX];

    if (*leader != 0 && *leader != number + 1)
        BREAK(group, "n%u and n%u lead term %" PRIu64, *leader - 1, number, term);
    *leader = number + 1;
}

/* A new leader that is ready has applied all that was ever acknowledged. */
static void host_changed(void *context)
{
    const struct place *place = context;
    struct group *group = place->group;
    const struct group_node *node = &group->nodes[place->node];

    if (raft_is_leader(node->raft))
        check_leader(group, place->node, raft_term(node->raft));
    if (raft_is_ready(node->raft) && node->applied < group->acknowledged &&
        raft_term(node->raft) > group->truths[group->acknowledged].term)
        BREAK(group, "n%u leads without %" PRIu64 ", which was acknowledged", place->node,
              group->acknowledged);
}

static void host_confirmed(void *context, uint64_t token, bool still_leader)
{
    const struct place *place = context;
    struct group *group = place->group;
    const struct group_node *node = &group->nodes[place->node];

    if (!still_leader) {
        group->refused++;
        return;
    }
    group->confirmed++;
    if (node->applied < group->confirm_tokens[token % 1024])
        BREAK(group, "n%u reads after a round and misses what was acknowledged", place->node);
}

/* --- The process ---------------------------------------------------------------- */

static void on_start(void *context, struct world *world, uint32_t number, bool restarted)
{
    static const struct raft_host functions = { .send = host_send,
                                                .apply = host_apply,
                                                .save = host_save,
                                                .load = host_load,
                                                .changed = host_changed,
                                                .confirmed = host_confirmed };
    struct group *group = context;
    struct group_node *node = &group->nodes[number];
    struct raft_host host = functions;
    struct raft_options options = { .world = world,
                                    .node = number,
                                    .peer_count = group->options.node_count,
                                    .disk = &node->disk,
                                    .payload = UINT64_C(7) << 32,
                                    .heartbeat_ns = group->options.election_ns / 6,
                                    .election_ns = group->options.election_ns,
                                    .snapshot_entries = group->options.snapshot_entries,
                                    .bugs = &group->options.bugs,
                                    .sometimes = &group->sometimes };

    (void)restarted;
    for (uint32_t i = 0; i < group->options.node_count; i++)
        options.peers[i] = i;
    places[number] = (struct place){ group, number };
    host.context = &places[number];
    node->applied = node->chain = 0;
    node->starts++;
    node->raft = raft_open(&options, &host, &node->pool);
}

static void on_message(void *context, struct world *world, uint32_t node, uint32_t from,
                       struct text bytes)
{
    struct group *group = context;

    (void)world;
    raft_on_message(group->nodes[node].raft, from, bytes);
}

static void on_timer(void *context, struct world *world, uint32_t node, uint64_t payload)
{
    struct group *group = context;

    (void)world;
    raft_on_timer(group->nodes[node].raft, payload);
}

static void on_completion(void *context, struct world *world, uint32_t node, uint64_t what)
{
    struct group *group = context;

    (void)world;
    raft_on_completion(group->nodes[node].raft, what);
}

static void on_crash(void *context, struct world *world, uint32_t number)
{
    struct group *group = context;
    struct group_node *node = &group->nodes[number];

    node->raft = NULL;
    pool_drop(&node->pool);
    disk_crash(&node->disk, world->now_ns);
}

static void describe(void *context, struct text bytes, struct buffer *to)
{
    (void)context;
    raft_describe(bytes, to);
}

static const struct node_process process = { .name = "replica",
                                             .start = on_start,
                                             .message = on_message,
                                             .timer = on_timer,
                                             .completion = on_completion,
                                             .crash = on_crash,
                                             .describe_message = describe };

static bool is_up(const struct group *group, uint32_t node)
{
    return group->nodes[node].raft && world_node_state(&group->world, node) == NODE_UP;
}

/* --- What the harness does ------------------------------------------------------ */

uint64_t group_propose(struct group *group, uint32_t node)
{
    char command[256] = { 0 };
    uint64_t number = group->proposed + 1;

    for (int i = 0; i < 8; i++)
        command[i] = (char)(uint8_t)(number >> (8 * i));
    if (!is_up(group, node) || !raft_is_leader(group->nodes[node].raft))
        return 0;
    group->proposed = number;
    return raft_propose(group->nodes[node].raft,
                        (struct text){ command, group->options.command_bytes });
}

void group_confirm(struct group *group, uint32_t node)
{
    uint64_t token = group->confirm_count;

    if (!is_up(group, node) || !raft_is_ready(group->nodes[node].raft))
        return;
    group->confirm_tokens[token % 1024] = group->acknowledged;
    if (raft_confirm(group->nodes[node].raft, token))
        group->confirm_count++;
}

void group_crash(struct group *group, uint32_t node)
{
    fault_crash(&group->world, node);
}

static void mend(struct group *group, uint32_t from, uint32_t to)
{
    while (network_link(&group->world.network, from, to)->cuts > 0)
        fault_mend_link(&group->world, from, to);
}

void group_cut_off(struct group *group, uint32_t node, bool cut)
{
    for (uint32_t other = 0; other < group->options.node_count; other++) {
        if (other == node)
            continue;
        if (cut) {
            fault_cut_link(&group->world, node, other);
            fault_cut_link(&group->world, other, node);
        } else {
            mend(group, node, other);
            mend(group, other, node);
        }
    }
}

static void propose_everywhere(struct group *group)
{
    for (uint32_t node = 0; node < group->options.node_count; node++) {
        group_propose(group, node);
        if (group->proposed % 4 == 0)
            group_confirm(group, node);
    }
    world_call_at(&group->world, group->world.now_ns + group->options.propose_every_ns,
                  group->caller, CALL_PROPOSE);
}

/* --- Storms ---------------------------------------------------------------------- */

/* The damaged ones are always the same, and less than half. */
static bool may_rot(const struct group *group, uint32_t node)
{
    return node < (group->options.node_count - 1) / 2;
}

static void fault_disk(struct group *group, uint32_t node)
{
    struct disk *disk = &group->nodes[node].disk;
    struct disk_faults faults = disk->faults;
    uint64_t kind = random_below(&group->random, 6);

    if (!(group->faults & GROUP_ERRORS))
        return;
    if (kind == 0)
        faults.read_error = (struct ratio){ 1, 3 };
    else if (kind == 1)
        faults.write_error = (struct ratio){ 1, 3 };
    else if (kind == 2)
        faults.full = !faults.full;
    else if (kind == 3)
        faults.slow_factor = 20;
    else if (kind == 4)
        disk_stall(disk, group->world.now_ns, group->world.now_ns + 400 * MS);
    else
        faults = (struct disk_faults){ .torn = faults.torn, .bit_rot = faults.bit_rot };
    disk_set_faults(disk, &faults);
}

static void fault_clock(struct group *group, uint32_t node)
{
    struct world *world = &group->world;

    switch (random_below(&group->random, 4)) {
    case 0:
        fault_step_clock(world, node, random_between(&group->random, -SECOND, SECOND));
        break;
    case 1:
        fault_set_drift(world, node, (int32_t)random_between(&group->random, -400000, 400000));
        break;
    case 2:
        fault_freeze_clock(world, node);
        break;
    default:
        fault_restore_clock(world, node);
    }
}

static void fault_links(struct group *group, uint32_t node)
{
    uint32_t other = (uint32_t)random_below(&group->random, group->options.node_count);

    if (random_below(&group->random, 2) == 0)
        group_cut_off(group, node, random_below(&group->random, 2) == 0);
    else if (other != node && random_below(&group->random, 2) == 0)
        fault_cut_link(&group->world, node, other);
    else
        mend(group, node, other);
}

static void mend_links(struct group *group)
{
    for (uint32_t a = 0; a < group->options.node_count; a++)
        for (uint32_t b = 0; b < group->options.node_count; b++)
            mend(group, a, b);
}

/* One fault of the families that are on, or the end of one. */
static void strike(struct group *group)
{
    struct world *world = &group->world;
    uint32_t node = (uint32_t)random_below(&group->random, group->options.node_count);
    unsigned family = 1u << random_below(&group->random, 9);

    if (random_below(&group->random, 3) == 0 && group_leader(group) != WORLD_NOBODY)
        node = group_leader(group);
    switch (family & group->faults) {
    case GROUP_CRASHES:
    case GROUP_TORN:
        if (!fault_crash(world, node))
            fault_restart(world, node);
        break;
    case GROUP_FLICKERS:
        fault_crash(world, node);
        world_call_at(world, world->now_ns + random_between(&group->random, 1, 10 * MS),
                      group->caller, CALL_RESTART + node);
        break;
    case GROUP_PARTITIONS:
        fault_links(group, node);
        break;
    case GROUP_PAUSES:
        if (!fault_pause(world, node))
            fault_resume(world, node);
        break;
    case GROUP_CLOCKS:
        fault_clock(group, node);
        break;
    case GROUP_ERRORS:
        fault_disk(group, node);
        break;
    case GROUP_CRASH_ALL:
        if (random_below(&group->random, 4) == 0)
            for (uint32_t i = 0; i < group->options.node_count; i++)
                fault_crash(world, i);
        break;
    default: /* bring something back */
        fault_restart(world, node);
        fault_resume(world, node);
        if (random_below(&group->random, 2) == 0)
            mend_links(group);
    }
}

static void on_call(void *context, struct world *world, uint64_t what)
{
    struct group *group = context;

    if (what == CALL_PROPOSE) {
        propose_everywhere(group);
        return;
    }
    if (what >= CALL_RESTART) {
        fault_restart(world, (uint32_t)what - CALL_RESTART);
        return;
    }
    if (!group->faults)
        return;
    strike(group);
    world_call_at(world,
                  world->now_ns + random_between(&group->random, MS, group->options.strike_ns_max),
                  group->caller, CALL_FAULT);
}

void group_storm(struct group *group, unsigned faults, int64_t for_ns)
{
    group->faults = faults;
    for (uint32_t i = 0; i < group->options.node_count; i++) {
        struct disk_faults disk = { 0 };
        if (faults & GROUP_TORN)
            disk.torn = (struct ratio){ 1, 2 };
        if (faults & GROUP_ROT && may_rot(group, i))
            disk.bit_rot = (struct ratio){ 1, 6 };
        disk_set_faults(&group->nodes[i].disk, &disk);
    }
    world_call_at(&group->world, group->world.now_ns + MS, group->caller, CALL_FAULT);
    group_run(group, for_ns);
    group_heal(group);
}

void group_heal(struct group *group)
{
    group->faults = 0;
    for (uint32_t i = 0; i < group->options.node_count; i++)
        disk_heal(&group->nodes[i].disk);
    fault_heal_everything(&group->world);
    for (uint32_t i = 0; i < group->options.node_count; i++)
        fault_set_drift(&group->world, i, 0);
}

/* --- Life ------------------------------------------------------------------------ */

struct link_options group_network(uint64_t permille)
{
    struct link_options network = { .loss = { permille, 1000 },
                                    .duplicate = { permille, 1000 },
                                    .reorder = { permille, 1000 },
                                    .reorder_delay_ns_max = 200 * MS };

    ASSERT_OK(latency_lognormal(&network.latency, MS, 20 * MS, &err), &err);
    return network;
}

struct group_options group_defaults(uint64_t seed)
{
    return (struct group_options){ .seed = seed,
                                   .node_count = 3,
                                   .snapshot_entries = 200,
                                   .propose_every_ns = 5 * MS,
                                   .command_bytes = 32,
                                   .election_ns = 300 * MS,
                                   .strike_ns_max = 300 * MS,
                                   .network = group_network(5) };
}

static void print_line(void *context, struct text line)
{
    (void)context;
    printf("%.*s\n", (int)line.length, line.at);
}

static void start_disk(struct group *group, uint32_t number, struct arena *arena)
{
    struct disk_config config = { .file_count_max = RAFT_FILES,
                                  .page_count_max = 4096,
                                  .page_ns = 2 * US };

    ASSERT_OK(latency_exponential(&config.write, 10 * US, 30 * US, &err), &err);
    ASSERT_OK(latency_exponential(&config.read, 50 * US, 100 * US, &err), &err);
    ASSERT_OK(latency_exponential(&config.sync, 500 * US, 2 * MS, &err), &err);
    ASSERT_OK(disk_init(&group->nodes[number].disk, &config,
                        random_key_fork(world_key(&group->world), "disk/%u", number), arena, &err),
              &err);
}

void group_start(struct group *group, const struct group_options *options)
{
    struct arena *arena = fixture_arena();
    struct world_options world = { .seed = options->seed,
                                   .node_count = options->node_count,
                                   .shard_count = 1,
                                   .network = options->network };
    struct random_key key;

    world.trace.unhashed = options->unhashed;
    if (options->prints)
        world.trace.line = print_line;
    world_close(&group->world);
    memset(group, 0, sizeof *group);
    group->options = *options;
    ASSERT_OK(world_init(&group->world, &world, arena, &err), &err);
    pool_memory_init(&group->memory, arena, (size_t)1 << 30);
    key = random_key_fork(world_key(&group->world), "storm");
    random_init(&group->random, &key);
    group->caller =
        world_add_caller(&group->world, (struct world_caller){ .call = on_call, .context = group });
    for (uint32_t i = 0; i < options->node_count; i++) {
        pool_init(&group->nodes[i].pool, &group->memory);
        start_disk(group, i, arena);
        world_set_process(&group->world, i, &process, group);
    }
    ASSERT_OK(world_start(&group->world, &err), &err);
    if (options->propose_every_ns)
        world_call_at(&group->world, MS, group->caller, CALL_PROPOSE);
}

void group_close(struct group *group)
{
    world_close(&group->world);
}

void group_run(struct group *group, int64_t for_ns)
{
    ASSERT_OK(world_run(&group->world, group->world.now_ns + for_ns, &err), &err);
}

uint32_t group_leader(const struct group *group)
{
    uint32_t leader = WORLD_NOBODY;
    uint64_t term = 0;

    for (uint32_t i = 0; i < group->options.node_count; i++)
        if (is_up(group, i) && raft_is_leader(group->nodes[i].raft) &&
            raft_term(group->nodes[i].raft) > term) {
            leader = i;
            term = raft_term(group->nodes[i].raft);
        }
    return leader;
}

static bool all_know(const struct group *group, uint32_t leader)
{
    for (uint32_t i = 0; i < group->options.node_count; i++)
        if (is_up(group, i) && raft_leader(group->nodes[i].raft) != leader)
            return false;
    return leader != WORLD_NOBODY && raft_is_ready(group->nodes[leader].raft);
}

uint32_t group_await_leader(struct group *group)
{
    for (uint32_t i = 0; i < 10000 && !all_know(group, group_leader(group)); i++)
        group_run(group, MS);
    TEST_ASSERT_TRUE_MESSAGE(all_know(group, group_leader(group)), "no leader in ten seconds");
    return group_leader(group);
}

static bool have_all_applied(const struct group *group, uint64_t index)
{
    for (uint32_t i = 0; i < group->options.node_count; i++)
        if (group->nodes[i].applied < index)
            return false;
    return true;
}

bool group_makes_progress(struct group *group, int64_t within_ns)
{
    int64_t until_ns = group->world.now_ns + within_ns;
    uint64_t number = group->proposed, index = group->known;

    while (group->world.now_ns < until_ns) {
        group_propose(group, group_leader(group) == WORLD_NOBODY ? 0 : group_leader(group));
        group_run(group, 10 * MS);
        while (index < group->known && group->truths[index].number <= number)
            index++;
        if (group->truths[index].number > number && have_all_applied(group, index))
            return true;
    }
    return false;
}

struct digest group_hash(struct group *group)
{
    return world_trace_hash(&group->world);
}
