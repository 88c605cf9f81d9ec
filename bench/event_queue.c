#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/random.h"
#include "bench/bench.h"
#include "sim/event_queue.h"

#define OPERATIONS (5 * 1000 * 1000)
#define DELAYS 4096 /* a power of two */

/* Results go here, so that no loop is optimised away. */
static volatile uint64_t sink;

static void give_up(const struct error *err)
{
    fprintf(stderr, "bench: %s\n", err->text);
    exit(2);
}

static void push(struct event_queue *queue, int64_t at_ns)
{
    struct world_event event = { .kind = 1 };
    struct error err = { 0 };

    if (event_queue_push(queue, at_ns, &event, &err) != STATUS_OK)
        give_up(&err);
}

/* Pops one and pushes one after a drawn delay, with `pending` of them waiting. */
static double hold(struct arena *arena, size_t pending, const int64_t delays[DELAYS])
{
    struct event_queue queue;
    struct error err = { 0 };
    int64_t now_ns = 0;
    double from;

    arena_reset_to(arena, 0);
    if (event_queue_init(&queue, (size_t)1 << 22, arena, &err) != STATUS_OK)
        give_up(&err);
    for (size_t i = 0; i < pending; i++)
        push(&queue, delays[i % DELAYS]);
    from = bench_seconds();
    for (size_t i = 0; i < OPERATIONS; i++) {
        sink = event_queue_pop(&queue, &now_ns).kind;
        push(&queue, now_ns + delays[i % DELAYS]);
    }
    return bench_seconds() - from;
}

void bench_event_queue(void)
{
    static const size_t pending[] = { 10, 1000, 100000 };
    struct random_key key = random_key_of_seed(1);
    static int64_t delays[DELAYS];
    struct error err = { 0 };
    struct arena arena;

    if (arena_init(&arena, (size_t)1 << 30, &err) != STATUS_OK)
        give_up(&err);
    for (uint64_t i = 0; i < DELAYS; i++)
        delays[i] = (int64_t)random_scale(random_draw_at(&key, i), 1000000);
    for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
        double seconds[BENCH_ROUNDS];
        char what[64];
        for (int round = 0; round < BENCH_ROUNDS; round++)
            seconds[round] = hold(&arena, pending[i], delays);
        snprintf(what, sizeof what, "event queue, %zu pending", pending[i]);
        bench_print_rate(what, OPERATIONS, "pop+push", seconds);
    }
    arena_close(&arena);
}
