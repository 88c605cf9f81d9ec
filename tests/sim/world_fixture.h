/*
 * world_fixture: a world whose nodes only write down what reaches them.
 *
 * Latency is 1 ms unless a test sets options.network before fixture_world().
 */
#ifndef TESTS_SIM_WORLD_FIXTURE_H
#define TESTS_SIM_WORLD_FIXTURE_H

#include "sim/fault.h"
#include "sim/world.h"
#include "tests/fixture.h"
#include "unity.h"

#define US INT64_C(1000)
#define MS (1000 * US)
#define SECOND (1000 * MS)

enum seen_kind { SEEN_START, SEEN_RESTART, SEEN_MESSAGE, SEEN_TIMER, SEEN_COMPLETION, SEEN_CRASH };

struct seen {
    int64_t at_ns;
    enum seen_kind kind;
    uint32_t node, from;
    uint64_t what; /* payload, or the first byte of a message */
};

static struct world_options options;
static struct world world;
static struct seen seen[65536];
static size_t seen_count;
static struct error err;

static inline void see(struct seen new)
{
    TEST_ASSERT_TRUE(seen_count < ROW_COUNT(seen));
    new.at_ns = world.now_ns;
    seen[seen_count++] = new;
}

static inline void see_start(void *context, struct world *w, uint32_t node, bool restarted)
{
    (void)context;
    (void)w;
    see((struct seen){ .kind = restarted ? SEEN_RESTART : SEEN_START, .node = node });
}

static inline void see_message(void *context, struct world *w, uint32_t node, uint32_t from,
                               struct text bytes)
{
    (void)context;
    (void)w;
    see((struct seen){ .kind = SEEN_MESSAGE,
                       .node = node,
                       .from = from,
                       .what = bytes.length ? (uint8_t)bytes.at[0] : 0 });
}

static inline void see_timer(void *context, struct world *w, uint32_t node, uint64_t payload)
{
    (void)context;
    (void)w;
    see((struct seen){ .kind = SEEN_TIMER, .node = node, .what = payload });
}

static inline void see_completion(void *context, struct world *w, uint32_t node, uint64_t what)
{
    (void)context;
    (void)w;
    see((struct seen){ .kind = SEEN_COMPLETION, .node = node, .what = what });
}

static inline void see_crash(void *context, struct world *w, uint32_t node)
{
    (void)context;
    (void)w;
    see((struct seen){ .kind = SEEN_CRASH, .node = node });
}

static const struct node_process recorder = { .name = "recorder",
                                              .start = see_start,
                                              .message = see_message,
                                              .timer = see_timer,
                                              .completion = see_completion,
                                              .crash = see_crash };

/* Three nodes and a client. */
static inline void fixture_options(void)
{
    err = (struct error){ 0 };
    options =
        (struct world_options){ .seed = 7, .node_count = 3, .client_count = 1, .shard_count = 2 };
    ASSERT_OK(latency_constant(&options.network.latency, MS, &err), &err);
}

/* Started; what the starts wrote down is forgotten. */
static inline void fixture_world(void)
{
    world_close(&world);
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    for (uint32_t i = 0; i < world.endpoint_count; i++)
        world_set_process(&world, i, &recorder, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
    seen_count = 0;
}

static inline void run_until(int64_t until_ns)
{
    ASSERT_OK(world_run(&world, until_ns, &err), &err);
}

static inline void send_byte(uint32_t from, uint32_t to, char byte)
{
    world_send(&world, from, to, (struct text){ &byte, 1 });
}

static inline size_t count_seen(enum seen_kind kind, uint32_t node)
{
    size_t count = 0;

    for (size_t i = 0; i < seen_count; i++)
        if (seen[i].kind == kind && seen[i].node == node)
            count++;
    return count;
}

#endif
