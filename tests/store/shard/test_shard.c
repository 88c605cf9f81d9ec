#include "tests/store/shard/shard_stage.h"

/* --- Preparing -------------------------------------------------------------------------------- */

static void a_prepare_is_held_above_the_floor_and_shows_nothing_yet(void)
{
    struct prepare p = shared(5, 0);
    const struct prepared *held;

    prepare_write(&p, 1, 55);
    p.least = at(100, 5);
    apply_prepare(&p);
    held = shard_find_prepared(&shard, 5);
    TEST_ASSERT_NOT_NULL(held);
    TEST_ASSERT_TRUE(stamp_equal(at(100, 5), held->vote.at));
    TEST_ASSERT_TRUE(stamp_equal(at(100, 5), shard.floor));
    TEST_ASSERT_EQUAL_INT64(10, newest(1));
    TEST_ASSERT_NULL(shard_find_outcome(&shard, 5));
}

static void each_prepare_is_above_all_before_it(void)
{
    struct stamp last = { 0 };

    for (uint64_t txn = 1; txn < 30; txn++) {
        struct prepare p = shared(txn, 0);

        p.least = at((int64_t)(txn * 7 % 11), txn);
        apply_prepare(&p);
        TEST_ASSERT_TRUE(stamp_less(last, shard_find_prepared(&shard, txn)->vote.at));
        TEST_ASSERT_EQUAL_UINT64(txn, shard_find_prepared(&shard, txn)->vote.at.txn);
        TEST_ASSERT_FALSE(stamp_less(shard_find_prepared(&shard, txn)->vote.at, p.least));
        last = shard.floor;
    }
}

static void a_stamp_is_not_below_the_least_of_another_transaction(void)
{
    struct prepare p = shared(5, 0);

    p.least = at(100, 77);
    apply_prepare(&p);
    TEST_ASSERT_TRUE(stamp_less(p.least, shard_find_prepared(&shard, 5)->vote.at));
}

static void a_repeated_prepare_changes_nothing(void)
{
    struct prepare p = shared(5, 0);
    struct stamp before;

    prepare_write(&p, 1, 55);
    apply_prepare(&p);
    before = shard_find_prepared(&shard, 5)->vote.at;
    p.least = at(500, 5);
    apply_prepare(&p);
    TEST_ASSERT_EQUAL_UINT32(1, shard.prepared.count);
    TEST_ASSERT_TRUE(stamp_equal(before, shard_find_prepared(&shard, 5)->vote.at));
}

static void what_is_held_does_not_depend_on_the_bytes_it_came_in(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    prepare_read(&p, key_of(2), (struct stamp){ 0 }, 0);
    apply_prepare(&p);
    for (size_t i = 0; i < command_bytes.count; i++)
        command_bytes.at[i] = 0x55;
    arena_reset_to(&fixture.scratch, 0);
    arena_push(&fixture.scratch, 4096, 1);
    apply_outcome(COMMAND_DECIDE, &p, true, at(9, 5));
    TEST_ASSERT_EQUAL_INT64(55, newest(1));
}

static void a_refused_prepare_has_its_outcome_at_once(void)
{
    struct prepare p = shared(5, 1), late = shared(5, 1);

    prepare_read(&p, key_of(1), at(3, 3), 3);
    apply_prepare(&p);
    TEST_ASSERT_NULL(shard_find_prepared(&shard, 5));
    TEST_ASSERT_EQUAL_INT(REFUSED_CONFLICT, refusal_of(5));
    TEST_ASSERT_EQUAL_UINT64(1, fixture.sometimes.counts[SOMETIMES_PREPARE_REFUSED]);
    apply_prepare(&late);
    TEST_ASSERT_NULL(shard_find_prepared(&shard, 5));
}

static void the_anchors_refusal_is_told_to_the_others_and_a_participants_is_not(void)
{
    struct prepare anchor = shared(5, 0), participant = shared(6, 1);

    prepare_read(&anchor, key_of(1), at(3, 3), 3);
    prepare_read(&participant, key_of(1), at(3, 3), 3);
    apply_prepare(&anchor);
    apply_prepare(&participant);
    TEST_ASSERT_EQUAL_UINT32(1, shard.outcomes.untold.count);
    TEST_ASSERT_EQUAL_UINT64(5, shard.outcomes.untold.at[0]->decision.txn);
    TEST_ASSERT_EQUAL_UINT64(3, shard.outcomes.untold.at[0]->decision.participants);
}

static void one_that_is_alone_is_decided_and_installed_by_its_prepare(void)
{
    struct prepare p = alone(5);
    uint64_t index;

    prepare_write(&p, 1, 55);
    prepare_remove(&p, 2);
    p.least = at(100, 5);
    p.snapshot = at(99, 0);
    index = apply_prepare(&p);
    TEST_ASSERT_EQUAL_INT64(55, newest(1));
    TEST_ASSERT_EQUAL_INT64(-1, newest(2));
    TEST_ASSERT_EQUAL_UINT64(index, versions_newest(&shard.versions, key_of(1))->index);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, refusal_of(5));
    TEST_ASSERT_EQUAL_UINT32(0, shard.outcomes.untold.count);
    TEST_ASSERT_EQUAL_UINT32(1, committed_count);
    TEST_ASSERT_EQUAL_UINT32(1, recorded_count);
    TEST_ASSERT_TRUE(stamp_equal(at(100, 5), recorded.at));
    TEST_ASSERT_TRUE(stamp_equal(at(100, 5), recorded.place));
    TEST_ASSERT_TRUE(stamp_equal(at(99, 0), recorded.snapshot));
    apply_prepare(&p);
    TEST_ASSERT_EQUAL_UINT32(1, committed_count);
    TEST_ASSERT_EQUAL_UINT64(1, shard.outcomes.count);
}

/* --- Outcomes --------------------------------------------------------------------------------- */

static void a_decision_installs_at_its_stamp_and_raises_the_floor(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, true, at(200, 5));
    TEST_ASSERT_EQUAL_INT64(55, newest(1));
    TEST_ASSERT_EQUAL_INT64(10, value_of(versions_at(&shard.versions, key_of(1), snapshot(199))));
    TEST_ASSERT_TRUE(stamp_equal(at(200, 5), shard.floor));
    TEST_ASSERT_EQUAL_UINT32(0, shard.prepared.count);
    TEST_ASSERT_EQUAL_UINT32(1, recorded_count);
    TEST_ASSERT_EQUAL_UINT32(1, shard.outcomes.untold.count);
}

static void the_floor_rises_where_a_transaction_only_read(void)
{
    struct prepare p = shared(5, 1);

    apply_prepare(&p);
    apply_outcome(COMMAND_RESOLVE, &p, true, at(200, 5));
    TEST_ASSERT_TRUE(stamp_equal(at(200, 5), shard.floor));
    TEST_ASSERT_EQUAL_UINT64(0, shard.last_commit);
}

static void only_the_anchor_exports_the_certificate(void)
{
    struct prepare p = shared(5, 1);

    apply_prepare(&p);
    apply_outcome(COMMAND_RESOLVE, &p, true, at(200, 5));
    TEST_ASSERT_EQUAL_UINT32(1, committed_count);
    TEST_ASSERT_EQUAL_UINT32(0, recorded_count);
}

static void an_abort_leaves_no_trace_but_its_outcome(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, false, at(0, 0));
    TEST_ASSERT_EQUAL_INT64(10, newest(1));
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, refusal_of(5));
    TEST_ASSERT_EQUAL_UINT32(0, committed_count + recorded_count);
}

static void the_same_outcome_again_does_nothing(void)
{
    struct prepare p = shared(5, 1), other = alone(6);

    prepare_write(&p, 1, 55);
    prepare_write(&other, 1, 66);
    apply_prepare(&p);
    apply_outcome(COMMAND_RESOLVE, &p, true, at(200, 5));
    apply_prepare(&other);
    apply_outcome(COMMAND_RESOLVE, &p, true, at(200, 5));
    TEST_ASSERT_EQUAL_INT64(66, newest(1));
    TEST_ASSERT_EQUAL_UINT32(2, committed_count);
    TEST_ASSERT_EQUAL_UINT64(2, shard.outcomes.count);
}

static void the_first_of_two_decisions_stands(void)
{
    struct prepare p = shared(5, 0), q = shared(6, 0);

    prepare_write(&p, 1, 55);
    prepare_write(&q, 2, 66);
    apply_prepare(&p);
    apply_prepare(&q);
    apply_outcome(COMMAND_DECIDE, &p, false, at(0, 0));
    apply_outcome(COMMAND_DECIDE, &p, true, at(200, 5));
    apply_outcome(COMMAND_DECIDE, &q, true, at(201, 6));
    apply_outcome(COMMAND_DECIDE, &q, false, at(0, 0));
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, refusal_of(5));
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, refusal_of(6));
    TEST_ASSERT_EQUAL_INT64(10, newest(1));
    TEST_ASSERT_EQUAL_INT64(66, newest(2));
}

static void an_anchor_that_is_asked_before_it_prepared_refuses_what_comes_late(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    apply_outcome(COMMAND_DECIDE, &p, false, at(0, 0));
    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, true, at(200, 5));
    TEST_ASSERT_EQUAL_UINT32(0, shard.prepared.count);
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, refusal_of(5));
    TEST_ASSERT_EQUAL_INT64(10, newest(1));
}

static void an_anchor_commits_nothing_that_it_has_not_prepared(void)
{
    struct prepare p = shared(5, 0);

    apply_outcome(COMMAND_DECIDE, &p, true, at(200, 5));
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, refusal_of(5));
    TEST_ASSERT_EQUAL_UINT32(0, recorded_count);
}

static void a_participant_told_of_an_abort_refuses_the_prepare_that_comes_late(void)
{
    struct prepare p = shared(5, 1);

    apply_outcome(COMMAND_RESOLVE, &p, false, at(0, 0));
    apply_prepare(&p);
    TEST_ASSERT_EQUAL_UINT32(0, shard.prepared.count);
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, refusal_of(5));
    TEST_ASSERT_EQUAL_UINT32(0, shard.outcomes.untold.count);
}

/* --- The horizon ------------------------------------------------------------------------------ */

static void below_the_horizon_nobody_prepares_any_more(void)
{
    struct prepare p = shared(5, 0), q = shared(20, 0), r = shared(21, 0);

    apply_stamp(COMMAND_HORIZON, at(10, 0));
    apply_prepare(&p);
    TEST_ASSERT_NULL(shard_find_prepared(&shard, 5));
    TEST_ASSERT_NULL(shard_find_outcome(&shard, 5));
    TEST_ASSERT_EQUAL_UINT64(1, fixture.sometimes.counts[SOMETIMES_LATE_PREPARE_REFUSED]);
    q.snapshot = snapshot(9);
    apply_prepare(&q);
    TEST_ASSERT_NULL(shard_find_prepared(&shard, 20));
    r.snapshot = snapshot(10);
    apply_prepare(&r);
    TEST_ASSERT_NOT_NULL(shard_find_prepared(&shard, 21));
}

static void horizon_and_ceiling_never_go_down(void)
{
    apply_stamp(COMMAND_HORIZON, at(10, 0));
    apply_stamp(COMMAND_HORIZON, at(5, 0));
    apply_stamp(COMMAND_CEILING, at(30, 0));
    apply_stamp(COMMAND_CEILING, at(20, 0));
    TEST_ASSERT_TRUE(stamp_equal(at(10, 0), shard.horizon));
    TEST_ASSERT_TRUE(stamp_equal(at(30, 0), shard.ceiling));
    TEST_ASSERT_EQUAL_UINT32(2, collected_count);
}

static void an_outcome_is_kept_until_all_have_heard_and_the_horizon_is_past(void)
{
    struct prepare p = shared(5, 0);

    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, true, at(6, 5));
    apply_stamp(COMMAND_HORIZON, at(10, 0));
    TEST_ASSERT_NOT_NULL(shard_find_outcome(&shard, 5));
    apply_forget(5);
    TEST_ASSERT_EQUAL_UINT32(0, shard.outcomes.untold.count);
    TEST_ASSERT_NOT_NULL(shard_find_outcome(&shard, 5));
    apply_stamp(COMMAND_HORIZON, at(11, 0));
    TEST_ASSERT_NULL(shard_find_outcome(&shard, 5));
    TEST_ASSERT_EQUAL_UINT64(0, shard.outcomes.count);
}

static void an_outcome_that_all_have_heard_is_kept_until_the_horizon_is_past(void)
{
    struct prepare p = shared(5, 0);

    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, true, at(6, 5));
    apply_forget(5);
    apply_stamp(COMMAND_HORIZON, at(5, 0));
    TEST_ASSERT_NOT_NULL(shard_find_outcome(&shard, 5));
}

static void a_forgotten_transaction_never_comes_back(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, true, at(6, 5));
    apply_forget(5);
    apply_stamp(COMMAND_HORIZON, at(10, 0));
    apply_prepare(&p);
    apply_outcome(COMMAND_DECIDE, &p, true, at(6, 5));
    apply_outcome(COMMAND_RESOLVE, &p, true, at(6, 5));
    apply_outcome(COMMAND_RESOLVE, &p, false, at(0, 0));
    apply_forget(5);
    TEST_ASSERT_EQUAL_UINT64(0, shard.outcomes.count);
    TEST_ASSERT_EQUAL_UINT32(0, shard.prepared.count);
    TEST_ASSERT_EQUAL_UINT32(1, committed_count);
}

static void what_stays_prepared_holds_the_horizon_back_and_is_decided(void)
{
    struct prepare p = shared(5, 0);

    prepare_write(&p, 1, 55);
    apply_prepare(&p);
    apply_stamp(COMMAND_HORIZON, at(1000, 0));
    TEST_ASSERT_NOT_NULL(shard_find_prepared(&shard, 5));
    TEST_ASSERT_FALSE(stamp_less(shard_find_prepared(&shard, 5)->vote.at, shard.horizon));
    apply_outcome(COMMAND_DECIDE, &p, true, at(6, 5));
    TEST_ASSERT_EQUAL_INT64(55, newest(1));
    TEST_ASSERT_NOT_NULL(shard_find_outcome(&shard, 5));
}

static void one_that_must_stay_does_not_keep_the_others(void)
{
    struct prepare stuck = shared(1, 0);

    apply_outcome(COMMAND_DECIDE, &stuck, false, at(0, 0));
    for (uint64_t txn = 2; txn < 1000; txn++) {
        struct prepare p = alone(txn);

        apply_prepare(&p);
        if (txn % 10 == 0)
            apply_stamp(COMMAND_HORIZON, at((int64_t)txn - 5, 0));
        TEST_ASSERT_LESS_OR_EQUAL_UINT64(25, shard.outcomes.count);
        TEST_ASSERT_NOT_NULL(shard_find_outcome(&shard, txn));
    }
    TEST_ASSERT_NOT_NULL(shard_find_outcome(&shard, 1));
}

/* --- Snapshots -------------------------------------------------------------------------------- */

static void random_command(struct random *random, uint64_t n)
{
    uint64_t txn = 1 + n / 3 + random_below(random, 8);
    struct prepare p = random_below(random, 3) ? shared(txn, (uint32_t)(txn % 2)) : alone(txn);

    p.begin = at((int64_t)txn, txn);
    switch (random_below(random, 8)) {
    case 0:
    case 1:
    case 2:
        for (uint64_t i = random_below(random, 4); i > 0; i--)
            prepare_write(&p, (unsigned)(4 * i + random_below(random, 4)), (int64_t)n);
        if (random_below(random, 3) == 0)
            prepare_remove(&p, (unsigned)random_below(random, 4));
        if (random_below(random, 3) == 0)
            prepare_scan(&p, scope_of(0, 100), random_below(random, next_index + 1));
        apply_prepare(&p);
        break;
    case 3:
    case 4:
        apply_outcome(p.anchor == 0 ? COMMAND_DECIDE : COMMAND_RESOLVE, &p,
                      random_below(random, 4) > 0, stamp_after(shard.floor, txn));
        break;
    case 5:
        apply_forget(txn);
        break;
    case 6:
        apply_stamp(COMMAND_CEILING, at((int64_t)n, 0));
        break;
    case 7:
        if (random_below(random, 4) == 0)
            apply_stamp(COMMAND_HORIZON, at((int64_t)(n / 3) - 10, 0));
        else
            shard_apply(&shard, ++next_index, 1, (struct text){ NULL, 0 }, &fixture.scratch);
        break;
    }
    arena_reset_to(&fixture.scratch, 0);
}

/* Saved at every step and loaded, it has the same bytes, and goes on as if nothing had been. */
static void a_loaded_state_is_the_state(void)
{
    struct random_key key = random_key_of_seed(12);
    struct wire_writer first = { .pool = &fixture.pool }, second = first, straight = first;

    for (unsigned reloads = 0; reloads < 2; reloads++) {
        struct random random;

        random_init(&random, &key);
        open_shard(&shard);
        next_index = 0;
        for (uint64_t n = 1; n <= 600; n++) {
            random_command(&random, n);
            if (!reloads)
                continue;
            wire_writer_reset(&first);
            wire_writer_reset(&second);
            shard_save(&shard, &first);
            shard_load(&shard, next_index, wire_writer_text(&first), &fixture.scratch);
            shard_save(&shard, &second);
            TEST_ASSERT_EQUAL_UINT64(first.count, second.count);
            TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
            arena_reset_to(&fixture.scratch, 0);
        }
        if (!reloads)
            shard_save(&shard, &straight);
    }
    TEST_ASSERT_EQUAL_UINT64(straight.count, second.count);
    TEST_ASSERT_EQUAL_MEMORY(straight.at, second.at, second.count);
    TEST_ASSERT_GREATER_THAN_UINT(20, committed_count);
}

static void a_reset_shard_is_as_new_and_gives_its_memory_back(void)
{
    size_t held = 0;
    struct random_key key = random_key_of_seed(13);
    struct wire_writer first = { .pool = &fixture.pool }, second = first;

    shard_save(&shard, &first);
    for (unsigned round = 0; round < 6; round++) {
        /* The same commands, for the test's own rows stay in the pool. */
        struct prepare p = shared(7, 0), q = alone(8);
        struct random random;

        random_init(&random, &key);
        for (unsigned i = 0; round == 0 && i < 300; i++)
            random_command(&random, i + 1);
        prepare_write(&p, 1, 5);
        apply_prepare(&p);
        apply_prepare(&q);
        shard_reset(&shard);
        next_index = 0;
        if (round == 1)
            held = fixture.pool.held_bytes;
    }
    TEST_ASSERT_EQUAL_UINT64(held, fixture.pool.held_bytes);
    for (unsigned id = 0; id < 4; id++)
        shard_place_row(&shard, key_of(id), row_of(id, 10));
    shard_save(&shard, &second);
    TEST_ASSERT_EQUAL_UINT64(first.count, second.count);
    TEST_ASSERT_EQUAL_MEMORY(first.at, second.at, first.count);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(a_prepare_is_held_above_the_floor_and_shows_nothing_yet);
    RUN_TEST(each_prepare_is_above_all_before_it);
    RUN_TEST(a_stamp_is_not_below_the_least_of_another_transaction);
    RUN_TEST(a_repeated_prepare_changes_nothing);
    RUN_TEST(what_is_held_does_not_depend_on_the_bytes_it_came_in);
    RUN_TEST(a_refused_prepare_has_its_outcome_at_once);
    RUN_TEST(the_anchors_refusal_is_told_to_the_others_and_a_participants_is_not);
    RUN_TEST(one_that_is_alone_is_decided_and_installed_by_its_prepare);
    RUN_TEST(a_decision_installs_at_its_stamp_and_raises_the_floor);
    RUN_TEST(the_floor_rises_where_a_transaction_only_read);
    RUN_TEST(only_the_anchor_exports_the_certificate);
    RUN_TEST(an_abort_leaves_no_trace_but_its_outcome);
    RUN_TEST(the_same_outcome_again_does_nothing);
    RUN_TEST(the_first_of_two_decisions_stands);
    RUN_TEST(an_anchor_that_is_asked_before_it_prepared_refuses_what_comes_late);
    RUN_TEST(an_anchor_commits_nothing_that_it_has_not_prepared);
    RUN_TEST(a_participant_told_of_an_abort_refuses_the_prepare_that_comes_late);
    RUN_TEST(below_the_horizon_nobody_prepares_any_more);
    RUN_TEST(horizon_and_ceiling_never_go_down);
    RUN_TEST(an_outcome_is_kept_until_all_have_heard_and_the_horizon_is_past);
    RUN_TEST(an_outcome_that_all_have_heard_is_kept_until_the_horizon_is_past);
    RUN_TEST(a_forgotten_transaction_never_comes_back);
    RUN_TEST(what_stays_prepared_holds_the_horizon_back_and_is_decided);
    RUN_TEST(one_that_must_stay_does_not_keep_the_others);
    RUN_TEST(a_loaded_state_is_the_state);
    RUN_TEST(a_reset_shard_is_as_new_and_gives_its_memory_back);
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
