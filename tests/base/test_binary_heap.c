#include "base/binary_heap.h"

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define COUNT 500
#define IS_BEFORE(a, b) ((a) < (b))
#define PUT(place, element) (where[element] = (uint32_t)(place), heap[place] = (element))

static uint32_t heap[COUNT], where[COUNT], count;

void setUp(void)
{
    struct random_key key = random_key_of_seed(1);
    struct random random;

    random_init(&random, &key);
    count = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        where[i] = UINT32_MAX;
    while (count < COUNT) {
        uint32_t number = (uint32_t)random_below(&random, COUNT);

        if (where[number] != UINT32_MAX)
            continue;
        BINARY_HEAP_UP(heap, count, number, IS_BEFORE, PUT);
        count++;
    }
}

void tearDown(void) {}

static void elements_come_out_in_order(void)
{
    for (uint32_t expected = 0; expected < COUNT; expected++) {
        uint32_t last;

        TEST_ASSERT_EQUAL_UINT32(expected, heap[0]);
        last = heap[--count];
        BINARY_HEAP_DOWN(heap, count, 0, last, IS_BEFORE, PUT);
    }
}

static void places_that_are_noted_are_right(void)
{
    for (uint32_t i = 0; i < COUNT; i++)
        TEST_ASSERT_EQUAL_UINT32(i, heap[where[i]]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(elements_come_out_in_order);
    RUN_TEST(places_that_are_noted_are_right);
    return UNITY_END();
}
