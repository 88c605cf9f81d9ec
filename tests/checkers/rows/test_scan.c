#include "checkers/rows/scan_private.h"

#include "base/random.h"
#include "tests/fixture.h"
#include "unity.h"

#define CELLS_MAX 70

static struct random draws;

void setUp(void)
{
    struct random_key key = random_key_of_seed(7);

    random_init(&draws, &key);
}

void tearDown(void) {}

/* Small numbers, and those at both ends. */
static int64_t draw_cell(void)
{
    int64_t number = random_between(&draws, -20, 20);

    switch (random_below(&draws, 6)) {
    case 0:
        return INT64_MIN;
    case 1:
        return INT64_MAX - (number + 20);
    case 2:
        return INT64_MIN + 1 + (number + 20);
    default:
        return number;
    }
}

static struct scan_span draw_span(void)
{
    struct scan_span span = { draw_cell(), draw_cell() };

    if (span.low == INT64_MIN)
        span.low++;
    return span;
}

static void compare(const int64_t *cells, uint32_t count, struct scan_span span)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    uint32_t found = 0;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (cells[i] < span.low || cells[i] > span.high)
            continue;
        found++;
        sum += (uint64_t)cells[i];
        if (cells[i] < least)
            least = cells[i];
        if (cells[i] > most)
            most = cells[i];
    }
    TEST_ASSERT_EQUAL_UINT32(found, scan_count(cells, count, span));
    TEST_ASSERT_EQUAL_INT64(least, scan_least(cells, count, span));
    TEST_ASSERT_EQUAL_INT64(most, scan_most(cells, count, span));
    TEST_ASSERT_EQUAL_UINT64(sum, scan_sum(cells, count, span));
}

static void columns_of_every_length_are_scanned_as_a_plain_loop_does(void)
{
    int64_t cells[CELLS_MAX];

    for (int round = 0; round < 200; round++)
        for (uint32_t count = 0; count <= CELLS_MAX; count++) {
            for (uint32_t i = 0; i < count; i++)
                cells[i] = draw_cell();
            compare(cells, count, draw_span());
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(columns_of_every_length_are_scanned_as_a_plain_loop_does);
    return UNITY_END();
}
