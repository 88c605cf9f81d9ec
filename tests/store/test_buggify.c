#include "store/buggify.h"

#include <string.h>

#include "sim/world.h"
#include "store/sometimes.h"
#include "tests/fixture.h"
#include "unity.h"

#define MOMENTS 20000

static struct world world;
static struct buggify buggify;
static struct sometimes sometimes;
static struct error err;

void setUp(void)
{
    struct world_options options = { .seed = 7, .node_count = 3 };

    err = (struct error){ 0 };
    ASSERT_OK(world_init(&world, &options, fixture_arena(), &err), &err);
    sometimes = (struct sometimes){ .buggify = &buggify };
}

void tearDown(void)
{
    world_close(&world);
}

static void open_with(uint64_t sites, uint64_t in_hundred)
{
    struct buggify_options options = { .sites = sites, .chance = { in_hundred, 100 } };

    buggify_init(&buggify, &options, &world);
}

static unsigned count_elections(uint32_t node)
{
    unsigned count = 0;

    for (world.now_ns = 0; world.now_ns < MOMENTS; world.now_ns++)
        count += BUGGIFY(&sometimes, node, ELECTION_EARLY);
    return count;
}

static void without_sites_nothing_rare_happens(void)
{
    open_with(0, 100);
    TEST_ASSERT_EQUAL_UINT(0, count_elections(0));
    sometimes.buggify = NULL;
    TEST_ASSERT_EQUAL_UINT(0, count_elections(0));
}

/* election-early stands in its table with one in two. */
static void a_site_fires_as_often_as_chance_and_row_say(void)
{
    unsigned count;

    open_with(UINT64_C(1) << BUGGIFY_ELECTION_EARLY, 40);
    count = count_elections(1);
    TEST_ASSERT_UINT_WITHIN(MOMENTS / 50, MOMENTS / 5, count);
    TEST_ASSERT_EQUAL_UINT64(count, buggify.fired[BUGGIFY_ELECTION_EARLY]);
    TEST_ASSERT_FALSE(BUGGIFY(&sometimes, 1, SYNC_LAGS));
}

/* Whatever was asked before: so a run that is made smaller keeps what happens. */
static void it_depends_on_the_moment_and_the_node_alone(void)
{
    unsigned same = 0, other_node = 0;

    open_with(UINT64_C(1) << BUGGIFY_ELECTION_EARLY, 50);
    for (world.now_ns = MOMENTS - 1;; world.now_ns--) {
        bool here = BUGGIFY(&sometimes, 2, ELECTION_EARLY);
        same += here == BUGGIFY(&sometimes, 2, ELECTION_EARLY);
        other_node += here == BUGGIFY(&sometimes, 0, ELECTION_EARLY);
        if (world.now_ns == 0)
            break;
    }
    TEST_ASSERT_EQUAL_UINT(MOMENTS, same);
    TEST_ASSERT_LESS_THAN_UINT(MOMENTS * 8 / 10, other_node);
}

static void it_is_silent_when_it_is_told_so(void)
{
    open_with(UINT64_MAX, 100);
    TEST_ASSERT_TRUE(count_elections(0) > 0);
    buggify_silence(&buggify);
    TEST_ASSERT_EQUAL_UINT(0, count_elections(0));
}

static void every_site_has_a_name_that_is_found(void)
{
    for (int i = 0; i < BUGGIFY_SITE_COUNT; i++) {
        const char *name = buggify_name((enum buggify_site)i);
        TEST_ASSERT_EQUAL_INT_MESSAGE(i, buggify_find(text_of(name)), name);
        TEST_ASSERT_TRUE_MESSAGE(buggify_is_of((enum buggify_site)i, "mvto", true) ||
                                     buggify_is_of((enum buggify_site)i, "2pl", true) ||
                                     buggify_is_of((enum buggify_site)i, "causal", false),
                                 name);
    }
    TEST_ASSERT_EQUAL_INT(BUGGIFY_SITE_COUNT, buggify_find(TEXT("no-such")));
    TEST_ASSERT_FALSE(buggify_is_of(BUGGIFY_LEADER_RESIGNS, "causal", false));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(without_sites_nothing_rare_happens);
    RUN_TEST(a_site_fires_as_often_as_chance_and_row_say);
    RUN_TEST(it_depends_on_the_moment_and_the_node_alone);
    RUN_TEST(it_is_silent_when_it_is_told_so);
    RUN_TEST(every_site_has_a_name_that_is_found);
    return UNITY_END();
}
