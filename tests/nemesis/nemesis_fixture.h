/*
 * nemesis_fixture: a world of five nodes with two shards, a client, and a disk
 * on each node, in which tests let nemeses loose.
 *
 * Two thirds of the nodes hold each shard: shard 0 the nodes 0 1 2, shard 1
 * the nodes 2 3 4. start() begins anew with what `options` says.
 */
#ifndef TESTS_NEMESIS_FIXTURE_H
#define TESTS_NEMESIS_FIXTURE_H

#include <string.h>

#include "nemesis/nemesis.h"
#include "tests/sim/world_fixture.h"

#define NODES 5
#define CLIENT NODES
#define LOG 0

static struct nemeses nemeses;
static struct disk disks[NODES];
static struct disk *const disk_of[NODES] = { &disks[0], &disks[1], &disks[2], &disks[3],
                                             &disks[4] };
static const uint32_t replicas[] = { 0, 1, 2, 2, 3, 4 };
static struct nemesis_ground ground;

static inline void lose_memory(void *context, struct world *w, uint32_t node)
{
    if (node < NODES)
        disk_crash(&disks[node], w->now_ns);
    see_crash(context, w, node);
}

static const struct node_process writer = { .name = "writer",
                                            .start = see_start,
                                            .message = see_message,
                                            .timer = see_timer,
                                            .completion = see_completion,
                                            .crash = lose_memory };

static inline void fixture_disks(void)
{
    const struct disk_config config = { .file_count_max = 2,
                                        .page_count_max = 256,
                                        .write = { .base_ns = 10 * US },
                                        .read = { .base_ns = 100 * US },
                                        .sync = { .base_ns = MS } };

    for (uint32_t i = 0; i < NODES; i++)
        ASSERT_OK(disk_init(&disks[i], &config, random_key_fork(world_key(&world), "disk/%u", i),
                            world.arena, &err),
                  &err);
}

static inline void start(void)
{
    world_close(&world);
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    for (uint32_t i = 0; i < world.endpoint_count; i++)
        world_set_process(&world, i, &writer, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
    seen_count = 0;
    fixture_disks();
    ASSERT_OK(nemesis_init_all(&nemeses, &ground, &world, &err), &err);
}

static inline void fixture_nemeses(void)
{
    fixture_options();
    options.node_count = NODES;
    ground = (struct nemesis_ground){ .disks = disk_of,
                                      .shard_count = 2,
                                      .replica_count = 3,
                                      .replicas = replicas,
                                      .damaged_max = 1 };
    start();
}

static inline struct nemesis *add(struct nemesis_options nemesis_options)
{
    nemesis_options.kind = nemesis_shape_kind(nemesis_options.shape);
    ASSERT_OK(nemesis_add(&nemeses, &nemesis_options, &err), &err);
    return &nemeses.list[nemeses.count - 1];
}

/* One strike, exactly at one second, for about two. */
static inline struct nemesis *add_once(enum nemesis_shape shape)
{
    return add(
        (struct nemesis_options){ .shape = shape, .start_ns = SECOND, .lasts_ns = 2 * SECOND });
}

static inline uint32_t count_nodes(enum node_state state)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < NODES; i++)
        count += world_node_state(&world, i) == state;
    return count;
}

static inline uint32_t count_cuts(void)
{
    uint32_t count = 0;

    for (uint32_t from = 0; from < world.endpoint_count; from++)
        for (uint32_t to = 0; to < world.endpoint_count; to++)
            count += network_link(&world.network, from, to)->cuts;
    return count;
}

static inline bool clocks_are_true(void)
{
    for (uint32_t i = 0; i < NODES; i++)
        if (clock_error_ns(&world.nodes[i].clock, world.now_ns) != 0)
            return false;
    return true;
}

/* Everybody who is up sends a byte to everybody, and then the time is over. */
static inline void chatter_until(int64_t until_ns)
{
    while (world.now_ns < until_ns) {
        for (uint32_t from = 0; from < world.endpoint_count; from++)
            for (uint32_t to = 0; to < world.endpoint_count; to++)
                if (from != to && world_node_state(&world, from) == NODE_UP)
                    send_byte(from, to, 'x');
        seen_count = 0;
        run_until(world.now_ns + 5 * MS);
    }
}

/* Every node that is up appends, reads and syncs, and waits for its disk, for as long. */
static inline void write_until(int64_t until_ns)
{
    while (world.now_ns < until_ns) {
        for (uint32_t i = 0; i < NODES; i++) {
            char byte;
            if (world_node_state(&world, i) != NODE_UP || disks[i].busy_until_ns > world.now_ns)
                continue;
            (void)disk_append(&disks[i], world.now_ns, LOG, "x", 1);
            (void)disk_read(&disks[i], world.now_ns, LOG, 0, &byte, 1);
            (void)disk_sync(&disks[i], world.now_ns, LOG);
        }
        seen_count = 0;
        run_until(world.now_ns + 5 * MS);
    }
}

#endif
