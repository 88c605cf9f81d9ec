/*
 * reach: each way of knowing who comes before whom, against a walk through the graph.
 */
#include "checkers/search/polygraph/reach_private.h"

#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define NODES 24
#define SLOTS 4

static struct error err;
static struct random draws;

/* A graph whose nodes stand in slots, one behind the other, and other edges forward. */
struct graph_case {
    struct arrow edges[NODES * 6];
    size_t count;
    uint32_t slot[NODES], place[NODES];
};

void setUp(void)
{
    struct random_key key = random_key_of_seed(7);

    random_init(&draws, &key);
}

void tearDown(void) {}

static void draw_graph(struct graph_case *g)
{
    uint32_t order[NODES], last[SLOTS], taken[SLOTS] = { 0 };

    memset(g, 0, sizeof *g);
    memset(last, 0xff, sizeof last);
    for (uint32_t i = 0; i < NODES; i++)
        order[i] = i;
    random_shuffle(&draws, order, NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        uint32_t node = order[i], slot = (uint32_t)random_below(&draws, SLOTS);

        g->slot[node] = slot;
        g->place[node] = ++taken[slot];
        if (last[slot] != NOBODY)
            g->edges[g->count++] = (struct arrow){ last[slot], node, 0 };
        last[slot] = node;
        for (uint64_t edges = i > 0 ? random_below(&draws, 4) : 0; edges > 0; edges--)
            g->edges[g->count++] =
                (struct arrow){ order[random_below(&draws, i)], node, (uint32_t)g->count };
    }
}

/* The closure, by walking until nothing changes. */
static void close_graph(const struct arrow *edges, size_t count, bool before[NODES][NODES])
{
    bool changes = true;

    memset(before, 0, sizeof(bool[NODES][NODES]));
    for (uint32_t node = 0; node < NODES; node++)
        before[node][node] = true;
    while (changes) {
        changes = false;
        for (size_t i = 0; i < count; i++)
            for (uint32_t node = 0; node < NODES; node++)
                if (before[node][edges[i].from] && !before[node][edges[i].to])
                    before[node][edges[i].to] = changes = true;
    }
}

static void assert_as_walked(const struct graph_case *g, uint32_t slot_count, enum reach_kind kind)
{
    struct graph_case copy = *g;
    bool before[NODES][NODES], still[NODES][NODES], is_acyclic = false;
    struct reach reach;

    ASSERT_OK(reach_init(&reach, &(struct reach_slots){ NODES, slot_count, g->slot, g->place },
                         fixture_arena(), &err),
              &err);
    TEST_ASSERT_EQUAL(kind, reach.kind);
    ASSERT_OK(reach_update(&reach, copy.edges, &copy.count, &is_acyclic, &err), &err);
    TEST_ASSERT_TRUE(is_acyclic);
    close_graph(g->edges, g->count, before);
    close_graph(copy.edges, copy.count, still);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(before, still, sizeof before, "an edge too many was left out");
    for (size_t i = 0; i < copy.count; i++)
        for (size_t k = 0; k < copy.count; k++)
            TEST_ASSERT_FALSE_MESSAGE(k != i && copy.edges[k].to == copy.edges[i].to &&
                                          before[copy.edges[i].from][copy.edges[k].from],
                                      "an edge that others imply was left in");
    for (uint32_t a = 0; a < NODES; a++)
        for (uint32_t b = 0; b < NODES; b++)
            TEST_ASSERT_EQUAL(before[a][b], reach_is_before(&reach, a, b));
    reach_close(&reach);
}

static void clocks_and_bits_know_what_a_walk_finds(void)
{
    for (size_t i = 0; i < fixture_rounds(200); i++) {
        struct graph_case g;

        draw_graph(&g);
        assert_as_walked(&g, SLOTS, REACH_CLOCKS);
        assert_as_walked(&g, 0, REACH_BITS);
    }
}

static void nodes_that_nothing_new_comes_before_have_not_changed(void)
{
    struct arrow edges[] = { { 0, 1, 0 }, { 1, 2, 0 }, { 3, 4, 0 }, { 2, 4, 0 } };
    uint32_t slot[] = { 0, 0, 0, 1, 1 }, place[] = { 1, 2, 3, 1, 2 };
    struct reach reach;
    size_t count = 3;
    bool is_acyclic;

    ASSERT_OK(reach_init(&reach, &(struct reach_slots){ 5, 2, slot, place }, fixture_arena(), &err), &err);
    ASSERT_OK(reach_update(&reach, edges, &count, &is_acyclic, &err), &err);
    count = 4;
    ASSERT_OK(reach_update(&reach, edges, &count, &is_acyclic, &err), &err);
    for (uint32_t node = 0; node < 5; node++)
        TEST_ASSERT_EQUAL(node == 4, reach.has_changed[node]);
    reach_close(&reach);
}

static void a_cycle_is_seen_and_nothing_is_taken_out(void)
{
    struct arrow edges[] = { { 0, 1, 0 }, { 1, 2, 0 }, { 0, 2, 0 }, { 2, 0, 0 } };
    uint32_t none[3] = { 0 };
    struct reach reach;
    size_t count = ROW_COUNT(edges);
    bool is_acyclic;

    ASSERT_OK(reach_init(&reach, &(struct reach_slots){ 3, 0, none, none }, fixture_arena(), &err), &err);
    ASSERT_OK(reach_update(&reach, edges, &count, &is_acyclic, &err), &err);
    TEST_ASSERT_FALSE(is_acyclic);
    TEST_ASSERT_EQUAL(ROW_COUNT(edges), count);
    reach_close(&reach);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(clocks_and_bits_know_what_a_walk_finds);
    RUN_TEST(nodes_that_nothing_new_comes_before_have_not_changed);
    RUN_TEST(a_cycle_is_seen_and_nothing_is_taken_out);
    return UNITY_END();
}
