#include "sim/event_queue.h"

#include <stdbool.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "tests/sim/event_queue_inspect.h"
#include "unity.h"

#define PLENTY ((size_t)1 << 20)

static struct event_queue queue;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
    ASSERT_OK(event_queue_init(&queue, PLENTY, fixture_arena(), &err), &err);
}

void tearDown(void) {}

static void push(int64_t at_ns, uint64_t a)
{
    ASSERT_OK(event_queue_push(&queue, at_ns, &(struct world_event){ .kind = 3, .a = a }, &err),
              &err);
}

static uint64_t pop(int64_t *at_ns)
{
    struct world_event event = event_queue_pop(&queue, at_ns);

    TEST_ASSERT_EQUAL_UINT32(3, event.kind);
    return event.a;
}

static void events_come_by_time_and_then_by_insertion(void)
{
    static const struct {
        int64_t at_ns;
        uint64_t a;
    } in_order[] = {
        { 0, 3 }, { 5, 0 }, { 5, 2 }, { 5, 5 }, { 7, 1 }, { INT64_MAX, 4 },
    };
    int64_t at_ns;

    push(5, 0);
    push(7, 1);
    push(5, 2);
    push(0, 3);
    push(INT64_MAX, 4);
    push(5, 5);
    for (size_t i = 0; i < ROW_COUNT(in_order); i++) {
        TEST_ASSERT_EQUAL_INT64(in_order[i].at_ns, event_queue_next_ns(&queue));
        TEST_ASSERT_EQUAL_UINT64(in_order[i].a, pop(&at_ns));
        TEST_ASSERT_EQUAL_INT64(in_order[i].at_ns, at_ns);
    }
    TEST_ASSERT_TRUE(event_queue_is_empty(&queue));
}

struct pending {
    int64_t at_ns;
    uint64_t number;
};

/* The dumb oracle: the first of an unsorted list. */
static size_t first_pending(const struct pending *pending, size_t count)
{
    size_t first = 0;

    for (size_t i = 1; i < count; i++)
        if (pending[i].at_ns < pending[first].at_ns ||
            (pending[i].at_ns == pending[first].at_ns && pending[i].number < pending[first].number))
            first = i;
    return first;
}

static void any_mix_of_pushes_and_pops_agrees_with_an_unsorted_list(void)
{
    static struct pending pending[600];
    struct random_key key = random_key_of_seed(1);
    struct random random;
    size_t count = 0, rounds = fixture_rounds(20000);
    int64_t now_ns = 0;
    uint64_t number = 0;

    random_init(&random, &key);
    for (size_t round = 0; round < rounds; round++) {
        /* Growing and shrinking phases, so that it is empty and full again and again. */
        bool grows = random_below(&random, 10) < (round / 2000 % 2 ? 3 : 7);
        if (count == 0 || (grows && count < ROW_COUNT(pending))) {
            int64_t at_ns = now_ns + (int64_t)random_below(&random, 50);
            pending[count++] = (struct pending){ at_ns, number };
            push(at_ns, number++);
        } else {
            size_t first = first_pending(pending, count);
            TEST_ASSERT_EQUAL_UINT64(pending[first].number, pop(&now_ns));
            TEST_ASSERT_EQUAL_INT64(pending[first].at_ns, now_ns);
            pending[first] = pending[--count];
        }
        if (round % 500 == 0)
            event_queue_check(&queue);
    }
    TEST_ASSERT_EQUAL_UINT64(count, queue.count);
}

static void it_grows_over_many_events_and_gives_them_back_in_order(void)
{
    int64_t at_ns, last_ns = -1;

    for (uint64_t i = 0; i < 10000; i++)
        push((int64_t)(i * 7919 % 10007), i);
    event_queue_check(&queue);
    for (; !event_queue_is_empty(&queue); last_ns = at_ns) {
        uint64_t number = pop(&at_ns);
        TEST_ASSERT_EQUAL_INT64((int64_t)(number * 7919 % 10007), at_ns);
        TEST_ASSERT_TRUE(at_ns > last_ns);
    }
}

static void in_steady_state_it_takes_no_more_memory(void)
{
    size_t used;
    int64_t now_ns = 0;

    for (uint64_t i = 0; i < 1000; i++)
        push((int64_t)i, i);
    used = queue.arena->used;
    for (int i = 0; i < 100000; i++) {
        pop(&now_ns);
        push(now_ns + 1000, 0);
    }
    TEST_ASSERT_EQUAL_UINT64(used, queue.arena->used);
}

static void a_held_event_is_not_in_the_queue_and_comes_back_whole(void)
{
    struct world_event event = { .kind = 3, .node = 1, .epoch = 2, .a = 8, .b = 9 };
    uint32_t slot;

    ASSERT_OK(event_queue_hold(&queue, &event, &slot, &err), &err);
    TEST_ASSERT_TRUE(event_queue_is_empty(&queue));
    push(1, 0);
    event = event_queue_release(&queue, slot);
    TEST_ASSERT_EQUAL_UINT32(1, event.node);
    TEST_ASSERT_EQUAL_UINT32(2, event.epoch);
    TEST_ASSERT_EQUAL_UINT64(8, event.a);
    TEST_ASSERT_EQUAL_UINT64(9, event.b);
    event_queue_check(&queue);
}

static void one_event_more_than_its_limit_is_refused(void)
{
    ASSERT_OK(event_queue_init(&queue, 3, fixture_arena(), &err), &err);
    for (uint64_t i = 0; i < 3; i++)
        push(1, i);
    TEST_ASSERT_EQUAL_INT(STATUS_TOO_LONG,
                          event_queue_push(&queue, 1, &(struct world_event){ 0 }, &err));
    TEST_ASSERT_EQUAL_STRING("no room for more than 3 pending events", err.text);
    TEST_ASSERT_EQUAL_UINT64(3, queue.count);
}

static void an_arena_that_is_too_small_is_said_and_not_overrun(void)
{
    struct arena small;

    ASSERT_OK(arena_init(&small, 4096, &err), &err);
    TEST_ASSERT_EQUAL_INT(STATUS_OVER_LIMIT, event_queue_init(&queue, PLENTY, &small, &err));
    arena_close(&small);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(events_come_by_time_and_then_by_insertion);
    RUN_TEST(any_mix_of_pushes_and_pops_agrees_with_an_unsorted_list);
    RUN_TEST(it_grows_over_many_events_and_gives_them_back_in_order);
    RUN_TEST(in_steady_state_it_takes_no_more_memory);
    RUN_TEST(a_held_event_is_not_in_the_queue_and_comes_back_whole);
    RUN_TEST(one_event_more_than_its_limit_is_refused);
    RUN_TEST(an_arena_that_is_too_small_is_said_and_not_overrun);
    return UNITY_END();
}
