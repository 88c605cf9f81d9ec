#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "bench/bench.h"
#include "sim/world.h"

#define NODES 5
#define BALLS 20 /* a node */
#define EVENTS (2 * 1000 * 1000)
#define STEP_NS (INT64_C(10) * 1000)

static void give_up(const struct error *err)
{
    fprintf(stderr, "bench: %s\n", err->text);
    exit(2);
}

/* Every message is sent on to the next node, for ever: one event is one delivery and one send. */
static void pass_on(void *context, struct world *world, uint32_t node, uint32_t from,
                    struct text bytes)
{
    (void)context;
    (void)from;
    world_send(world, node, (node + 1) % NODES, bytes);
}

static void serve(void *context, struct world *world, uint32_t node, bool restarted)
{
    static const char ball[32];

    (void)context;
    (void)restarted;
    for (int i = 0; i < BALLS; i++)
        world_send(world, node, (node + 1) % NODES, (struct text){ ball, sizeof ball });
}

static const struct node_process juggle_process = { .name = "juggle",
                                                    .start = serve,
                                                    .message = pass_on };

static double juggle(struct arena *arena, const struct world_options *options)
{
    struct error err = { 0 };
    struct world world;
    double from;

    arena_reset_to(arena, 0);
    if (world_init(&world, options, arena, &err) != STATUS_OK)
        give_up(&err);
    for (uint32_t i = 0; i < NODES; i++)
        world_set_process(&world, i, &juggle_process, NULL);
    if (world_start(&world, &err) != STATUS_OK)
        give_up(&err);
    from = bench_seconds();
    while (world.counts.events < EVENTS)
        if (world_run(&world, world.now_ns + STEP_NS, &err) != STATUS_OK)
            give_up(&err);
    from = bench_seconds() - from;
    world_close(&world);
    return from;
}

static void measure(struct arena *arena, const char *what, const struct world_options *options)
{
    double seconds[BENCH_ROUNDS];

    for (int round = 0; round < BENCH_ROUNDS; round++)
        seconds[round] = juggle(arena, options);
    bench_print_rate(what, EVENTS, "events", seconds);
}

void bench_world(void)
{
    struct world_options options = { .seed = 1, .node_count = NODES };
    struct error err = { 0 };
    struct arena arena;

    if (arena_init(&arena, (size_t)1 << 30, &err) != STATUS_OK ||
        latency_uniform(&options.network.latency, 100 * 1000, 1000 * 1000, &err) != STATUS_OK)
        give_up(&err);
    options.trace.unhashed = true;
    measure(&arena, "world, deliver and send, no hash", &options);
    options.trace.unhashed = false;
    measure(&arena, "world, deliver and send, trace hash", &options);
    options.network.loss = (struct ratio){ 0, 1 };
    options.network.duplicate = (struct ratio){ 1, 1000000000 };
    options.network.reorder = (struct ratio){ 1, 1000000000 };
    if (latency_lognormal(&options.network.latency, 1000 * 1000, 20 * 1000 * 1000, &err) !=
        STATUS_OK)
        give_up(&err);
    measure(&arena, "world, log-normal latency, all draws", &options);
    arena_close(&arena);
}
