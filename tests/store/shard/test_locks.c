#include "store/shard/locks.h"

#include "base/array.h"
#include "tests/fixture.h"
#include "tests/store/shard/shard_stage.h"
#include "store/shard/shard_conflict.h"

/* Keys 0 to 3 have rows with v = 10; others have none. */
static struct shard_locks locks;
static uint64_t arrivals;

static struct lock_holder *holder_of(uint64_t txn)
{
    struct lock_holder *holder;

    if (!locks.shard) {
        locks_open(&locks, &shard, &fixture.pool);
        arrivals = 0;
    }
    holder = locks_find(&locks, txn);
    return holder ? holder : locks_add_holder(&locks, txn, at((int64_t)txn, txn), 0);
}

static bool try(uint64_t txn)
{
    return locks_try(&locks, holder_of(txn), ++arrivals);
}

static bool lock_key(uint64_t txn, unsigned id, enum lock_mode mode)
{
    locks_want_key(&locks, holder_of(txn), key_of(id), mode);
    return try(txn);
}

static bool lock_scope(uint64_t txn, int64_t low, int64_t high)
{
    struct lock_holder *holder = holder_of(txn);

    locks_want_scope(&locks, holder, scope_of(low, high));
    return try(txn);
}

static void want_change(uint64_t txn, unsigned id, int64_t v)
{
    struct row_change change = { .key = key_of(id), .is_removed = v < 0 };

    if (v >= 0)
        change.row = row_of(id, v);
    locks_want_change(&locks, holder_of(txn), &change);
}

static bool lock_change(uint64_t txn, unsigned id, int64_t v)
{
    want_change(txn, id, v);
    return try(txn);
}

static void end(uint64_t txn)
{
    locks_remove_holder(&locks, locks_find(&locks, txn));
}

/* --- Modes ------------------------------------------------------------------------------------ */

static void modes_exclude_each_other_as_the_table_says(void)
{
    static const bool together[3][3] = {
        { true, true, false }, { true, false, false }, { false, false, false }
    };

    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++) {
            TEST_ASSERT_TRUE(a == LOCK_EXCLUSIVE ? lock_change(1, 0, 20) : lock_key(1, 0, a));
            TEST_ASSERT_EQUAL(together[a][b],
                              b == LOCK_EXCLUSIVE ? lock_change(2, 0, 30) : lock_key(2, 0, b));
            end(1);
            TEST_ASSERT_TRUE(try(2));
            end(2);
        }
}

static void a_key_without_a_row_is_locked_like_others(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 9, LOCK_SHARED));
    TEST_ASSERT_FALSE(lock_change(2, 9, 20));
    TEST_ASSERT_TRUE(lock_change(3, 8, 20));
}

static void what_one_has_is_not_in_his_own_way(void)
{
    TEST_ASSERT_TRUE(lock_scope(1, 0, 99));
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_UPDATE));
    TEST_ASSERT_TRUE(lock_change(1, 0, 20));
    TEST_ASSERT_TRUE(lock_change(1, 0, 30));
    TEST_ASSERT_EQUAL(2, holder_of(1)->locks.count); /* the scope, and the strongest of the key */
}

/* --- Predicates ------------------------------------------------------------------------------- */

static void a_predicate_excludes_rows_that_come_and_rows_that_leave(void)
{
    static const struct {
        const char *what;
        unsigned id;
        int64_t v;
        bool excluded;
    } rows[] = {
        { "changed within", 0, 12, true },   { "leaves", 0, 50, true },
        { "is removed", 0, -1, true },       { "comes", 7, 15, true },
        { "is elsewhere", 7, 50, false },    { "none is removed", 7, -1, false },
    };

    for (unsigned i = 0; i < ROW_COUNT(rows); i++)
        for (unsigned scope_first = 0; scope_first < 2; scope_first++) {
            bool second;

            if (scope_first) {
                TEST_ASSERT_TRUE(lock_scope(1, 5, 20));
                second = lock_change(2, rows[i].id, rows[i].v);
            } else {
                TEST_ASSERT_TRUE(lock_change(1, rows[i].id, rows[i].v));
                second = lock_scope(2, 5, 20);
            }
            TEST_ASSERT_EQUAL_MESSAGE(rows[i].excluded, !second, rows[i].what);
            end(1);
            end(2);
        }
}

static void predicates_do_not_exclude_each_other(void)
{
    TEST_ASSERT_TRUE(lock_scope(1, 0, 99));
    TEST_ASSERT_TRUE(lock_scope(2, 0, 99));
}

static void the_row_that_counts_is_the_last_one_written(void)
{
    TEST_ASSERT_TRUE(lock_change(1, 7, 15));
    TEST_ASSERT_TRUE(lock_change(1, 7, 50));
    TEST_ASSERT_TRUE(lock_scope(2, 5, 20));
    TEST_ASSERT_FALSE(lock_scope(3, 40, 60));
}

/* --- The line --------------------------------------------------------------------------------- */

static void who_comes_later_waits_behind_who_waits(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_FALSE(lock_change(2, 0, 20));
    TEST_ASSERT_FALSE(lock_key(3, 0, LOCK_SHARED));
    end(1);
    TEST_ASSERT_FALSE(try(3));
    TEST_ASSERT_TRUE(try(2));
    TEST_ASSERT_FALSE(try(3));
    end(2);
    TEST_ASSERT_TRUE(try(3));
}

static void a_predicate_stands_in_line_too(void)
{
    TEST_ASSERT_TRUE(lock_change(1, 0, 20));
    TEST_ASSERT_FALSE(lock_scope(2, 5, 20));
    TEST_ASSERT_FALSE(lock_change(3, 1, 20));
    end(1);
    TEST_ASSERT_TRUE(try(2));
    end(2);
    TEST_ASSERT_TRUE(try(3));
}

static void who_has_the_key_does_not_wait_behind_who_waits_for_him(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_FALSE(lock_change(2, 0, 20));
    TEST_ASSERT_TRUE(lock_change(1, 0, 30));
}

static void nobody_waits_for_who_waits_for_him(void)
{
    TEST_ASSERT_TRUE(lock_change(1, 0, 20));
    want_change(2, 0, 21);
    want_change(2, 1, 21);
    TEST_ASSERT_FALSE(try(2));
    TEST_ASSERT_TRUE(lock_change(1, 1, 20));
}

static void of_two_who_both_want_to_upgrade_neither_can(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_TRUE(lock_key(2, 0, LOCK_SHARED));
    TEST_ASSERT_FALSE(lock_change(1, 0, 20));
    TEST_ASSERT_FALSE(lock_change(2, 0, 30));
    end(2);
    TEST_ASSERT_TRUE(try(1));
}

static void all_that_is_wanted_at_a_time_is_granted_at_once(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    want_change(2, 0, 20);
    want_change(2, 1, 20);
    TEST_ASSERT_FALSE(try(2));
    TEST_ASSERT_EQUAL(2, holder_of(2)->wanted);
    end(1);
    TEST_ASSERT_TRUE(try(2));
    TEST_ASSERT_EQUAL(0, holder_of(2)->wanted);
}

static void trying_is_vain_until_something_was_released(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_TRUE(lock_key(3, 1, LOCK_SHARED));
    TEST_ASSERT_FALSE(lock_change(2, 0, 20));
    TEST_ASSERT_TRUE(locks_is_vain(&locks, holder_of(2)));
    end(3);
    TEST_ASSERT_FALSE(locks_is_vain(&locks, holder_of(2)));
    TEST_ASSERT_FALSE(try(2));
    TEST_ASSERT_TRUE(locks_is_vain(&locks, holder_of(2)));
}

/* --- Whom it waits for ------------------------------------------------------------------------ */

static uint64_t blocked_by;

static void note_blocker(void *context, const struct lock_holder *blocker)
{
    (void)context;
    blocked_by |= UINT64_C(1) << blocker->txn;
}

static uint64_t blockers_of(uint64_t txn)
{
    blocked_by = 0;
    locks_blockers(&locks, holder_of(txn), note_blocker, NULL);
    return blocked_by;
}

static void who_waits_names_holders_and_the_writer_before_it(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_TRUE(lock_key(2, 0, LOCK_SHARED));
    TEST_ASSERT_FALSE(lock_change(3, 0, 20));
    TEST_ASSERT_FALSE(lock_change(4, 0, 20));
    TEST_ASSERT_FALSE(lock_change(5, 0, 20));
    TEST_ASSERT_FALSE(lock_key(6, 0, LOCK_SHARED));
    TEST_ASSERT_EQUAL_HEX64(1 << 1 | 1 << 2, blockers_of(3));
    TEST_ASSERT_EQUAL_HEX64(1 << 1 | 1 << 2 | 1 << 3, blockers_of(4));
    TEST_ASSERT_EQUAL_HEX64(1 << 1 | 1 << 2 | 1 << 4, blockers_of(5));
    TEST_ASSERT_EQUAL_HEX64(1 << 5, blockers_of(6));
    TEST_ASSERT_EQUAL_HEX64(0, blockers_of(1));
}

static void what_is_forgotten_is_free(void)
{
    TEST_ASSERT_TRUE(lock_scope(1, 0, 99));
    TEST_ASSERT_TRUE(lock_key(2, 0, LOCK_UPDATE));
    locks_reset(&locks);
    TEST_ASSERT_EQUAL(0, locks.holders.count);
    TEST_ASSERT_TRUE(lock_change(3, 0, 20));
}

static void some_can_be_released_and_others_kept(void)
{
    TEST_ASSERT_TRUE(lock_key(1, 0, LOCK_SHARED));
    TEST_ASSERT_TRUE(lock_key(1, 1, LOCK_UPDATE));
    TEST_ASSERT_TRUE(lock_change(1, 2, 20));
    locks_release_shared(&locks, holder_of(1));
    TEST_ASSERT_TRUE(lock_change(2, 0, 20));
    TEST_ASSERT_FALSE(lock_change(2, 1, 20));
    locks_release_key(&locks, holder_of(1), key_of(1));
    TEST_ASSERT_TRUE(try(2));
    TEST_ASSERT_FALSE(lock_key(3, 2, LOCK_SHARED));
}

/* --- At random -------------------------------------------------------------------------------- */

#define TXNS 6

/* As the header says, by looking at everything. */
static bool exclude(const struct shard_lock *a, const struct shard_lock *b)
{
    const struct shard_lock *scope = a->is_scope ? a : b, *other = a->is_scope ? b : a;

    if (a->is_scope && b->is_scope)
        return false;
    if (scope->is_scope)
        return other->mode == LOCK_EXCLUSIVE &&
               shard_touches(&shard, scope->key, other->key,
                             other->is_removed ? NULL : &other->after, stamp_never());
    return a->key == b->key && (a->mode == LOCK_EXCLUSIVE || b->mode == LOCK_EXCLUSIVE ||
                                (a->mode == LOCK_UPDATE && b->mode == LOCK_UPDATE));
}

static bool is_excluded_by(const struct lock_holder *a, const struct lock_holder *b,
                           bool granted_too)
{
    for (uint32_t i = 0; i < a->locks.count; i++)
        for (uint32_t j = 0; j < b->locks.count; j++)
            if (a->locks.at[i]->is_granted == granted_too && b->locks.at[j]->is_granted &&
                exclude(a->locks.at[i], b->locks.at[j]))
                return true;
    return false;
}

static void check_all(void)
{
    for (uint32_t i = 0; i < locks.holders.count; i++) {
        const struct lock_holder *holder = locks.holders.at[i];

        for (uint32_t j = 0; j < locks.holders.count; j++) {
            const struct lock_holder *other = locks.holders.at[j];

            if (i == j)
                continue;
            TEST_ASSERT_FALSE_MESSAGE(is_excluded_by(holder, other, true), "both are granted");
            TEST_ASSERT_TRUE_MESSAGE(!is_excluded_by(holder, other, false) ||
                                         blockers_of(holder->txn) >> other->txn & 1,
                                     "it waits for somebody that it does not name");
        }
        TEST_ASSERT_TRUE_MESSAGE(!locks_is_vain(&locks, holder) || blockers_of(holder->txn) != 0,
                                 "it waits for nobody");
    }
}

static void want_something(struct random *random, uint64_t txn)
{
    unsigned id = (unsigned)random_below(random, 6);
    int64_t v = random_between(random, -1, 30);

    switch (random_below(random, 4)) {
    case 0:
        locks_want_key(&locks, holder_of(txn), key_of(id), LOCK_SHARED);
        break;
    case 1:
        locks_want_key(&locks, holder_of(txn), key_of(id), LOCK_UPDATE);
        break;
    case 2:
        locks_want_scope(&locks, holder_of(txn), scope_of(5 * (int64_t)id, 5 * (int64_t)id + 9));
        break;
    default:
        want_change(txn, id, v);
    }
}

static void step(struct random *random)
{
    uint64_t txn = 1 + random_below(random, TXNS);
    struct lock_holder *holder = holder_of(txn);

    if (holder->wanted > 0)
        try(txn);
    else if (random_below(random, 5) > 0) {
        for (uint64_t n = 1 + random_below(random, 2); n > 0; n--)
            want_something(random, txn);
        try(txn);
    }
    if (random_below(random, holder->wanted > 0 ? 12 : 4) == 0)
        end(txn);
}

static void whatever_happens_the_invariant_holds(void)
{
    struct random_key key = random_key_of_seed(7);
    struct random random;

    random_init(&random, &key);
    holder_of(1);
    for (size_t i = 0; i < fixture_rounds(4000); i++) {
        step(&random);
        check_all();
    }
    locks_reset(&locks);
    for (unsigned id = 0; id < 6; id++)
        TEST_ASSERT_NULL(locks.keys.count > key_of(id) ? locks.keys.at[key_of(id)] : NULL);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
#define RUN_FRESH(test)                                                                            \
    do {                                                                                           \
        locks = (struct shard_locks){ 0 };                                                         \
        RUN_TEST(test);                                                                            \
    } while (0)
    RUN_FRESH(modes_exclude_each_other_as_the_table_says);
    RUN_FRESH(a_key_without_a_row_is_locked_like_others);
    RUN_FRESH(what_one_has_is_not_in_his_own_way);
    RUN_FRESH(a_predicate_excludes_rows_that_come_and_rows_that_leave);
    RUN_FRESH(predicates_do_not_exclude_each_other);
    RUN_FRESH(the_row_that_counts_is_the_last_one_written);
    RUN_FRESH(who_comes_later_waits_behind_who_waits);
    RUN_FRESH(a_predicate_stands_in_line_too);
    RUN_FRESH(who_has_the_key_does_not_wait_behind_who_waits_for_him);
    RUN_FRESH(nobody_waits_for_who_waits_for_him);
    RUN_FRESH(of_two_who_both_want_to_upgrade_neither_can);
    RUN_FRESH(all_that_is_wanted_at_a_time_is_granted_at_once);
    RUN_FRESH(trying_is_vain_until_something_was_released);
    RUN_FRESH(who_waits_names_holders_and_the_writer_before_it);
    RUN_FRESH(what_is_forgotten_is_free);
    RUN_FRESH(some_can_be_released_and_others_kept);
    RUN_FRESH(whatever_happens_the_invariant_holds);
#undef RUN_FRESH
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
