#include "nemesis/swarm.h"

#include "nemesis/nemesis.h"
#include "tests/fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)
#define SECOND (1000 * MS)
#define SEEDS 4000

static const struct swarm_options everything = { .kinds = (1u << NEMESIS_KIND_COUNT) - 1 };
static const struct swarm_ground anywhere = {
    .node_count = 5, .has_leaders = true, .has_disks = true, .can_spare_disk = true
};

static struct nemesis_options list[NEMESIS_COUNT_MAX], other[NEMESIS_COUNT_MAX];
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static uint32_t draw(const struct swarm_ground *ground, uint64_t seed)
{
    return swarm_draw(&everything, ground, seed, list, NEMESIS_COUNT_MAX);
}

static uint32_t count_kind(uint32_t count, enum nemesis_kind kind)
{
    uint32_t of_kind = 0;

    for (uint32_t i = 0; i < count; i++)
        of_kind += list[i].kind == kind;
    return of_kind;
}

static void each_kind_is_left_out_half_of_the_time(void)
{
    uint32_t drawn[NEMESIS_KIND_COUNT] = { 0 }, both = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = draw(&anywhere, seed);
        for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
            drawn[i] += count_kind(count, (enum nemesis_kind)i) > 0;
        both += count_kind(count, NEMESIS_CRASH) > 0 && count_kind(count, NEMESIS_DISK) > 0;
    }
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        TEST_ASSERT_UINT32_WITHIN_MESSAGE(SEEDS / 25, SEEDS / 2, drawn[i],
                                          nemesis_kind_name((enum nemesis_kind)i));
    TEST_ASSERT_UINT32_WITHIN(SEEDS / 25, SEEDS / 4, both);
}

/* One in four has a second, and of these one in eight a third. */
static void more_of_a_kind_are_stacked_ever_more_rarely(void)
{
    uint32_t counts[6] = { 0 };

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = count_kind(draw(&anywhere, seed), NEMESIS_CLOG);
        counts[count < 6 ? count : 5]++;
    }
    TEST_ASSERT_UINT32_WITHIN(120, SEEDS / 2, counts[0]);
    TEST_ASSERT_UINT32_WITHIN(100, SEEDS / 8, counts[2] + counts[3] + counts[4] + counts[5]);
    TEST_ASSERT_UINT32_WITHIN(40, SEEDS / 64, counts[3] + counts[4] + counts[5]);
}

/* A third of them within each of three equal parts of the logarithmic range. */
static void intensities_are_spread_over_magnitudes(void)
{
    uint32_t rare = 0, middling = 0, frequent = 0, weak = 0, strong = 0, chances = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = draw(&anywhere, seed);
        for (uint32_t i = 0; i < count; i++) {
            const struct nemesis_options *o = &list[i];
            TEST_ASSERT_TRUE(o->every_ns >= 200 * MS && o->every_ns <= 60 * SECOND);
            TEST_ASSERT_TRUE(o->lasts_ns <= o->every_ns / 2);
            frequent += o->every_ns < 1339 * MS; /* 200 ms * 300^(1/3) */
            middling += o->every_ns >= 1339 * MS && o->every_ns < 8963 * MS;
            rare += o->every_ns >= 8963 * MS;
            chances += o->chance.denominator > 0;
            weak += o->chance.denominator > 0 && o->chance.numerator < 79; /* below 0.0079 */
            strong += o->chance.numerator > 630;
        }
    }
    TEST_ASSERT_UINT32_WITHIN(middling / 10, middling, rare);
    TEST_ASSERT_UINT32_WITHIN(middling / 10, middling, frequent);
    TEST_ASSERT_UINT32_WITHIN(chances / 20, chances / 3, weak);
    TEST_ASSERT_UINT32_WITHIN(chances / 20, chances / 3, strong);
}

static void everything_inside_the_model_is_drawn_and_nothing_outside_it(void)
{
    bool drawn[NEMESIS_SHAPE_COUNT] = { false }, struck[NEMESIS_VICTIMS_COUNT] = { false };

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t count = draw(&anywhere, seed);
        for (uint32_t i = 0; i < count; i++) {
            TEST_ASSERT_FALSE(list[i].outside);
            drawn[list[i].shape] = true;
            struck[list[i].victims] = true;
        }
    }
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++)
        TEST_ASSERT_EQUAL_MESSAGE(!nemesis_shape_is_outside((enum nemesis_shape)i), drawn[i],
                                  nemesis_shape_name((enum nemesis_shape)i));
    for (int i = 0; i < NEMESIS_VICTIMS_COUNT; i++)
        TEST_ASSERT_EQUAL(i != VICTIMS_NODES, struck[i]);
}

static void what_is_drawn_makes_sense_where_it_is_drawn_for(void)
{
    static const struct swarm_ground grounds[] = {
        { .node_count = 1 },
        { .node_count = 2, .has_disks = true },
        { .node_count = 3, .has_leaders = true },
        { .node_count = 5, .has_leaders = true, .has_disks = true },
    };

    for (size_t g = 0; g < ROW_COUNT(grounds); g++)
        for (uint64_t seed = 0; seed < SEEDS / 8; seed++) {
            uint32_t count = draw(&grounds[g], seed);
            for (uint32_t i = 0; i < count; i++) {
                const struct nemesis_options *o = &list[i];
                bool leads = o->victims == VICTIMS_LEADER || o->victims == VICTIMS_LEADERS;
                ASSERT_OK(nemesis_check_options(o, grounds[g].node_count, &err), &err);
                TEST_ASSERT_TRUE(grounds[g].has_leaders || !leads);
                TEST_ASSERT_TRUE(grounds[g].has_disks ||
                                 (o->kind != NEMESIS_DISK && !o->while_writing));
                TEST_ASSERT_TRUE(o->shape != SHAPE_DISK_BIT_ROT);
            }
        }
}

static void a_seed_draws_the_same_again_and_another_something_else(void)
{
    uint32_t differ = 0;

    for (uint64_t seed = 0; seed < 100; seed++) {
        uint32_t count = draw(&anywhere, seed);
        TEST_ASSERT_EQUAL_UINT32(
            count, swarm_draw(&everything, &anywhere, seed, other, NEMESIS_COUNT_MAX));
        if (count > 0)
            TEST_ASSERT_EQUAL_MEMORY(list, other, count * sizeof *list);
        differ += swarm_draw(&everything, &anywhere, seed + 1, other, NEMESIS_COUNT_MAX) != count ||
                  (count > 0 && list[0].every_ns != other[0].every_ns);
    }
    TEST_ASSERT_TRUE(differ > 90);
}

static void one_kind_less_leaves_the_others_as_they_were(void)
{
    struct swarm_options fewer = { .kinds = everything.kinds & ~(1u << NEMESIS_CLOCK) };

    for (uint64_t seed = 0; seed < 200; seed++) {
        uint32_t count = draw(&anywhere, seed), at = 0;
        uint32_t count_fewer = swarm_draw(&fewer, &anywhere, seed, other, NEMESIS_COUNT_MAX);

        for (uint32_t i = 0; i < count; i++)
            if (list[i].kind != NEMESIS_CLOCK)
                TEST_ASSERT_EQUAL_MEMORY(&list[i], &other[at++], sizeof *list);
        TEST_ASSERT_EQUAL_UINT32(count_fewer, at);
    }
}

static void no_more_are_drawn_than_there_is_room_for(void)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        TEST_ASSERT_TRUE(swarm_draw(&everything, &anywhere, seed, list, 2) <= 2);
        TEST_ASSERT_EQUAL_UINT32(0, swarm_draw(&everything, &anywhere, seed, list, 0));
    }
}

static void without_kinds_there_is_no_swarm(void)
{
    TEST_ASSERT_EQUAL_UINT32(
        0, swarm_draw(&(struct swarm_options){ 0 }, &anywhere, 1, list, NEMESIS_COUNT_MAX));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(each_kind_is_left_out_half_of_the_time);
    RUN_TEST(more_of_a_kind_are_stacked_ever_more_rarely);
    RUN_TEST(intensities_are_spread_over_magnitudes);
    RUN_TEST(everything_inside_the_model_is_drawn_and_nothing_outside_it);
    RUN_TEST(what_is_drawn_makes_sense_where_it_is_drawn_for);
    RUN_TEST(a_seed_draws_the_same_again_and_another_something_else);
    RUN_TEST(one_kind_less_leaves_the_others_as_they_were);
    RUN_TEST(no_more_are_drawn_than_there_is_room_for);
    RUN_TEST(without_kinds_there_is_no_swarm);
    return UNITY_END();
}
