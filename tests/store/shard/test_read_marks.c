#include "store/shard/read_marks.h"

#include "tests/store/shard/shard_stage.h"

/* Keys 0 to 3 have rows with v = 10; others have none. */
static struct read_marks marks;

static void open(int64_t low)
{
    read_marks_open(&marks, &fixture.pool);
    read_marks_reset(&marks, at(low, 0));
}

static void assert_key(int64_t ms, uint64_t reader, unsigned id, uint64_t txn)
{
    struct stamp mark = read_marks_of_key(&marks, key_of(id), txn);

    TEST_ASSERT_TRUE(stamp_equal(at(ms, reader), mark));
}

static struct stamp of_change(unsigned id, int64_t v, uint64_t txn, struct stamp least)
{
    struct row_change change = { .key = key_of(id), .is_removed = v < 0 };

    if (v >= 0)
        change.row = row_of(id, v);
    return read_marks_of_change(&marks, &shard, &change, txn, least);
}

static void everything_was_read_up_to_low(void)
{
    open(50);
    assert_key(50, 0, 1, 9);
    read_marks_add_key(&marks, key_of(1), at(40, 2));
    read_marks_add_scope(&marks, scope_of(0, 99), at(40, 2));
    assert_key(50, 0, 1, 9);
    TEST_ASSERT_EQUAL(0, marks.scopes.count);
}

static void ones_own_mark_does_not_count(void)
{
    open(0);
    read_marks_add_key(&marks, key_of(1), at(10, 4));
    assert_key(10, 4, 1, 9);
    assert_key(0, 0, 1, 4);
}

static void behind_ones_own_mark_stands_the_last_of_somebody_else(void)
{
    open(0);
    read_marks_add_key(&marks, key_of(1), at(30, 5));
    read_marks_add_key(&marks, key_of(1), at(10, 4));
    read_marks_add_key(&marks, key_of(1), at(20, 6));
    read_marks_add_key(&marks, key_of(1), at(25, 5));
    assert_key(30, 5, 1, 9);
    assert_key(20, 6, 1, 5);
    read_marks_add_key(&marks, key_of(1), at(40, 6));
    assert_key(40, 6, 1, 5);
    assert_key(30, 5, 1, 6);
}

static void a_change_meets_the_last_mark_of_a_predicate_that_it_touches(void)
{
    struct stamp none = { 0 };

    open(0);
    read_marks_add_scope(&marks, scope_of(5, 20), at(30, 5));
    read_marks_add_scope(&marks, scope_of(5, 20), at(10, 4));
    read_marks_add_scope(&marks, scope_of(50, 60), at(20, 6));
    TEST_ASSERT_TRUE(stamp_equal(at(30, 5), of_change(1, 99, 9, none)));  /* it leaves */
    TEST_ASSERT_TRUE(stamp_equal(at(10, 4), of_change(1, 99, 5, none)));  /* one's own */
    TEST_ASSERT_TRUE(stamp_equal(at(30, 5), of_change(1, 55, 9, none)));
    TEST_ASSERT_TRUE(stamp_equal(at(20, 6), of_change(8, 55, 9, none)));  /* it comes */
    TEST_ASSERT_TRUE(stamp_is_zero(of_change(8, 99, 9, none)));           /* elsewhere */
    TEST_ASSERT_TRUE(stamp_is_zero(of_change(8, -1, 9, none)));
    TEST_ASSERT_TRUE(stamp_is_zero(of_change(1, 12, 9, at(30, 5))));      /* above it already */
}

static void what_is_folded_is_part_of_low(void)
{
    open(0);
    read_marks_add_scope(&marks, scope_of(5, 20), at(30, 5));
    read_marks_add_scope(&marks, scope_of(5, 20), at(10, 4));
    read_marks_fold(&marks, at(20, 0));
    TEST_ASSERT_EQUAL(1, marks.scopes.count);
    assert_key(10, 4, 3, 9);
    read_marks_fold(&marks, at(20, 0));
    assert_key(10, 4, 3, 9);
}

static void a_new_leader_starts_from_low_alone(void)
{
    open(0);
    read_marks_add_key(&marks, key_of(1), at(70, 4));
    read_marks_add_scope(&marks, scope_of(5, 20), at(70, 4));
    read_marks_reset(&marks, at(60, 0));
    assert_key(60, 0, 1, 9);
    TEST_ASSERT_TRUE(stamp_is_zero(of_change(1, 12, 9, at(60, 0))));
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(everything_was_read_up_to_low);
    RUN_TEST(ones_own_mark_does_not_count);
    RUN_TEST(behind_ones_own_mark_stands_the_last_of_somebody_else);
    RUN_TEST(a_change_meets_the_last_mark_of_a_predicate_that_it_touches);
    RUN_TEST(what_is_folded_is_part_of_low);
    RUN_TEST(a_new_leader_starts_from_low_alone);
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
