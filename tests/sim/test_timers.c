#include "sim/timers.h"

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define NODES 2
#define TIMERS_MAX 50

static struct timers timers;
static uint32_t lists[NODES];
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    for (int i = 0; i < NODES; i++)
        lists[i] = TIMER_NONE;
    ASSERT_OK(timers_init(&timers, 1000, fixture_arena(), &err), &err);
}

void tearDown(void) {}

static uint32_t add(uint32_t node, uint64_t payload)
{
    struct timer timer = { .node = node, .payload = payload };
    uint32_t place;

    ASSERT_OK(timers_add(&timers, &lists[node], &timer, &place, &err), &err);
    return place;
}

static void an_identity_finds_its_timer_until_it_is_removed(void)
{
    uint32_t place = add(1, 77);
    uint64_t identity = timers_identity(&timers, place);

    TEST_ASSERT_EQUAL_UINT32(place, timers_find(&timers, identity));
    TEST_ASSERT_EQUAL_UINT64(77, timers.places[place].payload);
    timers_remove(&timers, &lists[1], place);
    TEST_ASSERT_EQUAL_UINT32(TIMER_NONE, timers_find(&timers, identity));
    TEST_ASSERT_EQUAL_UINT32(place, add(1, 78)); /* the place is used again */
    TEST_ASSERT_EQUAL_UINT32(TIMER_NONE, timers_find(&timers, identity));
    TEST_ASSERT_EQUAL_UINT32(TIMER_NONE, timers_find(&timers, 0));
}

struct known {
    uint32_t node;
    uint64_t payload, identity;
};

/* The list of a node, from the newest, is what an array of them says. */
static void assert_list(uint32_t node, const struct known *known, size_t count)
{
    uint32_t place = lists[node];

    for (size_t i = count; i-- > 0;)
        if (known[i].node == node) {
            TEST_ASSERT_EQUAL_UINT32(timers_find(&timers, known[i].identity), place);
            TEST_ASSERT_EQUAL_UINT64(known[i].payload, timers.places[place].payload);
            place = timers.places[place].next;
        }
    TEST_ASSERT_EQUAL_UINT32(TIMER_NONE, place);
}

static void any_mix_of_timers_agrees_with_an_array_of_them(void)
{
    static struct known known[TIMERS_MAX];
    struct random_key key = random_key_of_seed(2);
    struct random random;
    size_t count = 0;

    random_init(&random, &key);
    for (uint64_t i = 0; i < fixture_rounds(5000); i++) {
        if (count < TIMERS_MAX && (count == 0 || random_below(&random, 2))) {
            uint32_t node = (uint32_t)random_below(&random, NODES), place = add(node, i);
            known[count++] = (struct known){ node, i, timers_identity(&timers, place) };
        } else {
            size_t gone = (size_t)random_below(&random, count);
            timers_remove(&timers, &lists[known[gone].node],
                          timers_find(&timers, known[gone].identity));
            for (size_t j = gone + 1; j < count; j++)
                known[j - 1] = known[j];
            count--;
        }
        for (uint32_t node = 0; node < NODES; node++)
            assert_list(node, known, count);
    }
}

static void they_grow_and_keep_their_identities(void)
{
    uint64_t first = timers_identity(&timers, add(0, 5));

    for (uint64_t i = 1; i < 1000; i++)
        add(0, i);
    TEST_ASSERT_EQUAL_UINT64(5, timers.places[timers_find(&timers, first)].payload);
}

static void one_more_than_the_limit_is_refused(void)
{
    struct timer timer = { .node = 0 };
    uint32_t place;

    for (uint64_t i = 0; i < 1000; i++)
        add(0, i);
    TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG, timers_add(&timers, &lists[0], &timer, &place, &err));
    TEST_ASSERT_EQUAL_STRING("no room for more than 1000 timers", err.text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_identity_finds_its_timer_until_it_is_removed);
    RUN_TEST(any_mix_of_timers_agrees_with_an_array_of_them);
    RUN_TEST(they_grow_and_keep_their_identities);
    RUN_TEST(one_more_than_the_limit_is_refused);
    return UNITY_END();
}
