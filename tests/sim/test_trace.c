#include "sim/trace.h"

#include <string.h>

#include "tests/fixture.h"
#include "tests/sim/trace_inspect.h"
#include "unity.h"

static struct trace trace, other;
static struct error err;
static struct arena *arena;
static char last_line[200];

void setUp(void)
{
    arena = fixture_arena();
    ASSERT_OK(trace_init(&trace, &(struct trace_options){ 0 }, 3, arena, &err), &err);
    ASSERT_OK(trace_init(&other, &(struct trace_options){ 0 }, 3, arena, &err), &err);
}

void tearDown(void)
{
    trace_close(&trace);
    trace_close(&other);
}

static struct trace_record timer_at(int64_t at_ns)
{
    return (struct trace_record){
        .at_ns = at_ns, .kind = TRACE_TIMER, .node = 1, .peer = TRACE_NOBODY, .a = 4
    };
}

static void add(struct trace *to, int64_t at_ns)
{
    struct trace_record record = timer_at(at_ns);

    trace_add(to, &record, (struct text){ 0 });
}

static void add_many(struct trace *to, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add(to, (int64_t)to->count);
}

static bool same_hash(void)
{
    struct digest a = trace_hash(&trace), b = trace_hash(&other);

    return memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

static void the_same_records_give_the_same_hash_at_every_length(void)
{
    for (int i = 0; i < 1000; i++) {
        add(&trace, i);
        TEST_ASSERT_FALSE(same_hash());
        add(&other, i);
        TEST_ASSERT_TRUE(same_hash());
    }
}

static void every_field_of_a_record_moves_the_hash(void)
{
    static const struct {
        const char *label;
        struct trace_record record;
    } rows[] = {
        { "time", { 6, TRACE_SEND, 1, 2, 3, 4, 5 } },
        { "kind", { 0, TRACE_DELIVER, 1, 2, 3, 4, 5 } },
        { "node", { 0, TRACE_SEND, 0, 2, 3, 4, 5 } },
        { "peer", { 0, TRACE_SEND, 1, TRACE_NOBODY, 3, 4, 5 } },
        { "size", { 0, TRACE_SEND, 1, 2, 0, 4, 5 } },
        { "a", { 0, TRACE_SEND, 1, 2, 3, 0, 5 } },
        { "b", { 0, TRACE_SEND, 1, 2, 3, 4, 0 } },
    };
    struct trace_record plain = { 0, TRACE_SEND, 1, 2, 3, 4, 5 };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        setUp();
        trace_add(&trace, &plain, (struct text){ 0 });
        trace_add(&other, &rows[i].record, (struct text){ 0 });
        TEST_ASSERT_FALSE_MESSAGE(same_hash(), rows[i].label);
    }
}

static void words_for_people_do_not_move_the_hash(void)
{
    struct trace_record record = timer_at(0);

    trace_add(&trace, &record, TEXT("a fine timer"));
    trace_add(&other, &record, (struct text){ 0 });
    TEST_ASSERT_TRUE(same_hash());
}

static void the_ring_remembers_the_last_records(void)
{
    add_many(&trace, 1000);
    TEST_ASSERT_EQUAL_INT64(999, trace_last(&trace, 0)->at_ns);
    TEST_ASSERT_EQUAL_INT64(900, trace_last(&trace, 99)->at_ns);
    TEST_ASSERT_NULL(trace_last(&trace, TRACE_RING_COUNT));
    add_many(&other, 2);
    TEST_ASSERT_EQUAL_INT64(0, trace_last(&other, 1)->at_ns);
    TEST_ASSERT_NULL(trace_last(&other, 2));
}

/* Runs `record_count` records, of which `differing` differs; then finds it as --twice does. */
static void find_the_difference(uint64_t record_count, uint64_t differing)
{
    struct trace_options options = { 0 };
    uint64_t number;

    for (int round = 0; round < 2; round++) {
        size_t used = arena->used;
        ASSERT_OK(trace_init(&trace, &options, 3, arena, &err), &err);
        ASSERT_OK(trace_init(&other, &options, 3, arena, &err), &err);
        for (uint64_t i = 0; i < record_count; i++) {
            add(&trace, (int64_t)i);
            add(&other, (int64_t)(i == differing ? i + 1 : i));
        }
        if (round == 0) {
            TEST_ASSERT_TRUE(
                trace_find_window(&trace, &other, &options.window_from, &options.window_count));
            TEST_ASSERT_TRUE(options.window_from <= differing);
            TEST_ASSERT_TRUE(differing < options.window_from + options.window_count);
            TEST_ASSERT_TRUE(options.window_count <= 1024 + record_count / 1000);
        } else {
            TEST_ASSERT_TRUE(trace_find_difference(&trace, &other, &number));
            TEST_ASSERT_EQUAL_UINT64(differing, number);
            TEST_ASSERT_EQUAL_INT64((int64_t)differing + 1,
                                    trace_window_record(&other, number)->at_ns);
        }
        arena_reset_to(arena, used);
    }
}

static void the_first_record_that_differs_is_found(void)
{
    static const struct {
        uint64_t count, differing;
    } rows[] = {
        { 1, 0 },       { 100, 99 },       { 1024, 1023 },       { 1025, 1024 },
        { 5000, 1024 }, { 100000, 77777 }, { 3000000, 2999999 }, { 3000000, 1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        find_the_difference(rows[i].count, rows[i].differing);
}

static void two_traces_that_are_equal_have_no_difference(void)
{
    uint64_t from, count;

    add_many(&trace, 5000);
    add_many(&other, 5000);
    TEST_ASSERT_FALSE(trace_find_window(&trace, &other, &from, &count));
}

static void a_run_that_ends_early_differs_where_it_ends(void)
{
    struct trace_options options = { 0 };
    uint64_t number;

    add_many(&trace, 3000000);
    add_many(&other, 2500);
    TEST_ASSERT_TRUE(
        trace_find_window(&trace, &other, &options.window_from, &options.window_count));
    arena_reset_to(arena, 0);
    ASSERT_OK(trace_init(&trace, &options, 3, arena, &err), &err);
    ASSERT_OK(trace_init(&other, &options, 3, arena, &err), &err);
    add_many(&trace, 3000000);
    add_many(&other, 2500);
    TEST_ASSERT_TRUE(trace_find_difference(&trace, &other, &number));
    TEST_ASSERT_EQUAL_UINT64(2500, number);
    TEST_ASSERT_NULL(trace_window_record(&other, number));
    TEST_ASSERT_EQUAL_INT64(2500, trace_window_record(&trace, number)->at_ns);
}

static void keep_line(void *context, struct text line)
{
    (void)context;
    TEST_ASSERT_TRUE(line.length < sizeof last_line);
    memcpy(last_line, line.at, line.length);
    last_line[line.length] = '\0';
}

static void lines_read_like_sentences(void)
{
    static const struct {
        struct trace_record record;
        const char *detail, *line;
    } rows[] = {
        { { 1203412, TRACE_DELIVER, 2, 4, 25, 17, 9 },
          "ping 17",
          "        1.203 412 ms  n2 → c1  deliver #17, 25 bytes  ping 17" },
        { { 0, TRACE_START, 0, TRACE_NOBODY, 0, 0, 0 }, "", "        0.000 000 ms  n0  starts" },
        { { INT64_C(61000000001), TRACE_CLOCK_STEP, 1, TRACE_NOBODY, 0, (uint64_t)-5000, 0 },
          "",
          "    61000.000 001 ms  n1  clock steps by -5 us" },
        { { 1000, TRACE_CALL, TRACE_NOBODY, TRACE_NOBODY, 0, 4, 0 },
          "crash one strikes",
          "        0.001 000 ms  call  crash one strikes" },
        { { 1000, TRACE_ROLE, 2, TRACE_NOBODY, 0, 4, 3 },
          "",
          "        0.001 000 ms  n2  role 4 3" },
    };
    struct trace_options options = { .line = keep_line };

    ASSERT_OK(trace_init(&trace, &options, 3, arena, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        trace_add(&trace, &rows[i].record, text_of(rows[i].detail));
        TEST_ASSERT_EQUAL_STRING(rows[i].line, last_line);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_same_records_give_the_same_hash_at_every_length);
    RUN_TEST(every_field_of_a_record_moves_the_hash);
    RUN_TEST(words_for_people_do_not_move_the_hash);
    RUN_TEST(the_ring_remembers_the_last_records);
    RUN_TEST(the_first_record_that_differs_is_found);
    RUN_TEST(two_traces_that_are_equal_have_no_difference);
    RUN_TEST(a_run_that_ends_early_differs_where_it_ends);
    RUN_TEST(lines_read_like_sentences);
    return UNITY_END();
}
