#include "tests/store/shard/replica_stage.h"
#include "store/shard/shard_conflict.h"
#include "store/shard/replica_read.h"

/* --- Reading ---------------------------------------------------------------------------------- */

static void who_does_not_lead_says_who_does(void)
{
    struct ask ask = read_of(1, 1, at(1000, 0));

    lose_lead();
    replica_ask(&replica, &ask);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT_LEADER, last_answer()->refusal);
    TEST_ASSERT_EQUAL_UINT32(2, last_answer()->leader);
    TEST_ASSERT_EQUAL_UINT32(ask.number, last_answer()->number);
}

static void a_read_above_the_ceiling_waits_until_the_log_has_raised_it(void)
{
    struct ask ask = read_of(1, 1, at(1000, 0));

    replica_ask(&replica, &ask);
    TEST_ASSERT_EQUAL_UINT(0, answer_count);
    TEST_ASSERT_EQUAL_UINT64(1, seen(SOMETIMES_CEILING_RAISED));
    apply_all();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, last_answer()->refusal);
    TEST_ASSERT_EQUAL_UINT32(1, last_answer()->row_count);
    TEST_ASSERT_TRUE(first_rows[0].is_row);
    TEST_ASSERT_EQUAL_UINT64(0, first_rows[0].writer);
    TEST_ASSERT_EQUAL_UINT64(replica.shard.applied, last_answer()->index);
    TEST_ASSERT_EQUAL_UINT64(the_raft.term, last_answer()->term);
}

static void below_the_ceiling_a_read_is_answered_at_once(void)
{
    struct ask first = read_of(1, 1, at(1000, 0)), second = read_of(2, 2, at(1010, 0));

    prepare_now(&first);
    replica_ask(&replica, &second);
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
}

static void the_ceiling_is_raised_before_it_is_reached(void)
{
    struct ask ask = read_of(1, 1, at(1000, 0));
    uint64_t last;

    prepare_now(&ask);
    last = the_raft.last;
    for (int64_t ms = 1000; ms < 3000; ms++) {
        ask = read_of((uint64_t)ms, 1, at(ms, 0));
        replica_ask(&replica, &ask);
        apply_all();
        answer_count = 0;
    }
    TEST_ASSERT_EQUAL_UINT64(1, seen(SOMETIMES_CEILING_RAISED));
    TEST_ASSERT_LESS_THAN_UINT64(20, the_raft.last - last);
}

static void a_read_waits_for_what_the_log_held_as_it_came(void)
{
    struct ask first = read_of(1, 1, at(1000, 0)), write = alone_ask(3, 1, 55);
    struct ask second = read_of(2, 2, at(1000, 0));

    prepare_now(&first);
    replica_ask(&replica, &write);
    replica_ask(&replica, &second);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(3, answer_count);
}

static void every_prepare_is_above_every_read_that_was_served(void)
{
    struct ask ask = read_of(1, 1, at(90000, 0)), write = prepare_ask(3, 0, 1, 55);

    prepare_now(&ask);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    prepare_now(&write);
    TEST_ASSERT_TRUE(stamp_less(at(90000, UINT64_MAX),
                                shard_find_prepared(&replica.shard, 3)->vote.at));
}

static void a_new_leader_prepares_above_all_that_was_ever_read(void)
{
    struct ask ask = read_of(1, 1, at(90000, 0)), write = prepare_ask(3, 0, 1, 55);

    prepare_now(&ask);
    lose_lead();
    server.clock = (struct stamp_clock){ 0 };
    take_lead();
    prepare_now(&write);
    TEST_ASSERT_TRUE(stamp_less(at(90000, UINT64_MAX),
                                shard_find_prepared(&replica.shard, 3)->vote.at));
}

static void a_read_waits_for_an_undecided_writer_below_it_only(void)
{
    struct ask write = prepare_ask(3, 0, 1, 55), other = read_of(1, 2, at(1100, 0));
    struct ask above = read_of(4, 1, at(1100, 0)), below = read_of(5, 1, at(999, 0));
    struct ask decide = outcome_ask(ASK_DECIDE, &write, true, 1050);

    prepare_now(&other); /* raises the ceiling */
    server.clock = (struct stamp_clock){ 1000 * MS, 0 };
    prepare_now(&write);
    answer_count = 0;
    replica_ask(&replica, &below);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    replica_ask(&replica, &above);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_EQUAL_UINT64(1, seen(SOMETIMES_READ_WAITED_FOR_DECISION));
    prepare_now(&decide);
    TEST_ASSERT_EQUAL_UINT(3, answer_count);
    TEST_ASSERT_EQUAL_UINT64(3, first_rows[1].writer + first_rows[2].writer);
}

static void a_prepare_in_flight_is_undecided_too(void)
{
    struct ask write = prepare_ask(3, 0, 1, 55);
    struct waiting_ask another = { .ask = prepare_ask(9, 0, 1, 1) };
    struct vote vote = { 0 };

    TEST_ASSERT_EQUAL_INT(SERVED, toy.admit(&replica, &another, &vote));
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, vote.refusal);
    replica_ask(&replica, &write);
    TEST_ASSERT_EQUAL_INT(SERVED, toy.admit(&replica, &another, &vote));
    TEST_ASSERT_EQUAL_INT(REFUSED_UNDECIDED, vote.refusal);
}

static void a_read_below_the_horizon_is_refused(void)
{
    struct ask write = alone_ask(3, 1, 55), read = read_of(4, 1, at(1000, 0));

    prepare_now(&write);
    wait_ms(20000);
    TEST_ASSERT_TRUE(stamp_less(at(1000, 0), replica.shard.horizon));
    replica_ask(&replica, &read);
    TEST_ASSERT_EQUAL_INT(REFUSED_TOO_OLD, last_answer()->refusal);
    TEST_ASSERT_EQUAL_UINT64(1, seen(SOMETIMES_READ_TOO_OLD));
}

static void a_check_is_answered_after_a_round_begun_for_it(void)
{
    struct ask ask = ask_of(ASK_CHECK, 1);

    replica_ask(&replica, &ask);
    TEST_ASSERT_EQUAL_UINT(1, the_raft.rounds);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(0, answer_count);
    the_raft.host.confirmed(the_raft.host.context, the_raft.token, true);
    move_on();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_EQUAL_UINT(1, the_raft.rounds);
}

/* --- Preparing and deciding ------------------------------------------------------------------- */

static void a_prepare_is_answered_with_its_vote_once_it_is_applied(void)
{
    struct ask ask = prepare_ask(3, 0, 1, 55);

    replica_ask(&replica, &ask);
    TEST_ASSERT_EQUAL_UINT(0, answer_count);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, last_answer()->vote.refusal);
    TEST_ASSERT_EQUAL_UINT64(3, last_answer()->vote.at.txn);
    TEST_ASSERT_EQUAL_UINT64(0, last_answer()->decision.txn);
}

static void a_repeat_of_an_ask_that_waits_is_dropped_and_a_later_one_gets_the_same_answer(void)
{
    struct ask ask = prepare_ask(3, 0, 1, 55);
    struct stamp vote;

    replica_ask(&replica, &ask);
    replica_ask(&replica, &ask);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    vote = last_answer()->vote.at;
    replica_ask(&replica, &ask);
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
    TEST_ASSERT_TRUE(stamp_equal(vote, last_answer()->vote.at));
}

static void one_that_is_alone_hears_its_decision_with_its_vote(void)
{
    struct ask ask = alone_ask(3, 1, 55);

    prepare_now(&ask);
    TEST_ASSERT_EQUAL_UINT64(3, last_answer()->decision.txn);
    TEST_ASSERT_TRUE(last_answer()->decision.commits);
    TEST_ASSERT_EQUAL_UINT(1, over_count);
    TEST_ASSERT_EQUAL_UINT(0, ask_count);
}

static void a_refusal_by_the_log_is_the_vote(void)
{
    struct ask ask = prepare_ask(3, 1, 1, 55);

    prepare_read(&ask.prepare, key_of(2), at(5, 5), 5);
    prepare_now(&ask);
    TEST_ASSERT_EQUAL_INT(REFUSED_CONFLICT, last_answer()->vote.refusal);
    TEST_ASSERT_EQUAL_INT(REFUSED_CONFLICT, last_answer()->refusal);
    replica_ask(&replica, &ask);
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
    TEST_ASSERT_EQUAL_INT(REFUSED_CONFLICT, last_answer()->vote.refusal);
}

static void the_older_waits_for_the_younger_and_the_younger_is_refused(void)
{
    struct ask middle = prepare_ask(5, 0, 1, 55), older = prepare_ask(4, 0, 1, 44);
    struct ask younger = prepare_ask(6, 0, 1, 66);
    struct ask decide = outcome_ask(ASK_DECIDE, &middle, false, 0);

    replica_ask(&replica, &middle); /* in flight is undecided, too */
    replica_ask(&replica, &younger);
    TEST_ASSERT_EQUAL_INT(REFUSED_UNDECIDED, last_answer()->vote.refusal);
    TEST_ASSERT_EQUAL_UINT64(6, last_answer()->txn);
    replica_ask(&replica, &older);
    apply_all();
    TEST_ASSERT_NULL(shard_find_prepared(&replica.shard, 4));
    TEST_ASSERT_GREATER_THAN_UINT64(0, seen(SOMETIMES_PREPARE_WAITED));
    replica_ask(&replica, &decide);
    apply_all();
    apply_all();
    TEST_ASSERT_NOT_NULL(shard_find_prepared(&replica.shard, 4));
}

static void who_waits_too_long_is_refused(void)
{
    struct ask ask = ask_of(ASK_LOCK, 3);

    lock_says = SERVE_LATER;
    replica_ask(&replica, &ask);
    wait_ms(4900);
    TEST_ASSERT_EQUAL_UINT(0, answer_count);
    wait_ms(200);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_EQUAL_INT(REFUSED_OVERLOADED, last_answer()->refusal);
}

static void who_waits_is_tried_again_when_the_protocol_says_that_things_changed(void)
{
    struct ask ask = ask_of(ASK_LOCK, 3);

    lock_says = SERVE_LATER;
    replica_ask(&replica, &ask);
    apply_all();
    lock_says = SERVED;
    move_on();
    TEST_ASSERT_EQUAL_UINT(0, answer_count);
    replica.must_retry = true; /* as replica_changed() leaves it */
    move_on();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
}

static void a_release_ends_what_waits_and_spares_what_is_prepared(void)
{
    struct ask lock = ask_of(ASK_LOCK, 3), release = ask_of(ASK_RELEASE, 3);
    struct ask prepare = prepare_ask(4, 0, 1, 55), other = ask_of(ASK_RELEASE, 4);

    lock_says = SERVE_LATER;
    replica_ask(&replica, &lock);
    replica_ask(&replica, &release);
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
    TEST_ASSERT_EQUAL_UINT(1, over_count);
    replica_ask(&replica, &prepare);
    replica_ask(&replica, &other);
    apply_all();
    replica_ask(&replica, &other);
    TEST_ASSERT_EQUAL_UINT(1, over_count);
    TEST_ASSERT_NOT_NULL(shard_find_prepared(&replica.shard, 4));
}

static void a_decision_is_answered_when_it_is_applied_and_told_to_the_others(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct ask decide = outcome_ask(ASK_DECIDE, &prepare, true, 2000);

    prepare_now(&prepare);
    replica_ask(&replica, &decide);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_EQUAL_UINT(0, ask_count);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
    TEST_ASSERT_TRUE(last_answer()->decision.commits);
    TEST_ASSERT_EQUAL_UINT(2, ask_count);
    for (unsigned i = 0; i < 2; i++) {
        TEST_ASSERT_EQUAL_INT(ASK_RESOLVE, asks[i].ask.kind);
        TEST_ASSERT_EQUAL_UINT32(i + 1, asks[i].shard);
        TEST_ASSERT_EQUAL_UINT32(i + 1, asks[i].node);
        TEST_ASSERT_EQUAL_UINT32(0, asks[i].ask.from_shard);
        TEST_ASSERT_TRUE(asks[i].ask.decision.commits);
    }
}

static void a_decision_of_what_is_not_prepared_is_an_abort(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct ask decide = outcome_ask(ASK_DECIDE, &prepare, true, 2000);

    replica_ask(&replica, &decide);
    apply_all();
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, last_answer()->refusal);
    TEST_ASSERT_FALSE(last_answer()->decision.commits);
    prepare_now(&prepare);
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, last_answer()->vote.refusal);
    TEST_ASSERT_EQUAL_UINT64(3, last_answer()->decision.txn);
}

static void what_may_have_been_forgotten_is_not_called_an_abort(void)
{
    struct ask write = alone_ask(3, 1, 55);
    struct ask decide = outcome_ask(ASK_DECIDE, &write, true, 2000);

    prepare_now(&write);
    wait_ms(20000);
    TEST_ASSERT_NULL(shard_find_outcome(&replica.shard, 3));
    replica_ask(&replica, &decide);
    TEST_ASSERT_EQUAL_INT(REFUSED_TOO_OLD, last_answer()->refusal);
    replica_ask(&replica, &write);
    TEST_ASSERT_EQUAL_INT(REFUSED_TOO_OLD, last_answer()->vote.refusal);
    TEST_ASSERT_NULL(shard_find_prepared(&replica.shard, 3));
}

/* --- Change of leader ------------------------------------------------------------------------- */

static void all_who_wait_are_sent_away_when_the_lead_is_lost(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55), lock = ask_of(ASK_LOCK, 4);
    struct ask check = ask_of(ASK_CHECK, 5);

    lock_says = SERVE_LATER;
    replica_ask(&replica, &prepare);
    replica_ask(&replica, &lock);
    replica_ask(&replica, &check);
    lose_lead();
    TEST_ASSERT_EQUAL_UINT(3, answer_count);
    for (unsigned i = 0; i < 3; i++)
        TEST_ASSERT_EQUAL_INT(REFUSED_NOT_LEADER, answers[i].refusal);
    the_raft.host.confirmed(the_raft.host.context, the_raft.token, false);
    take_lead();
    TEST_ASSERT_EQUAL_UINT(3, answer_count);
    TEST_ASSERT_EQUAL_UINT(2, lead_count);
    replica_ask(&replica, &prepare);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(4, answer_count);
    TEST_ASSERT_NOT_NULL(shard_find_prepared(&replica.shard, 3));
}

/* What an earlier leader proposed is not proposed again, though nobody waits for it. */
static void an_ask_repeated_to_the_next_leader_finds_what_was_done(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct ask decide = outcome_ask(ASK_DECIDE, &prepare, true, 2000);
    uint64_t kept;

    prepare_now(&prepare);
    replica_ask(&replica, &decide);
    kept = the_raft.last;
    lose_lead();
    the_raft.last = kept; /* the next leader had it */
    take_lead();
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT_LEADER, last_answer()->refusal);
    replica_ask(&replica, &prepare);
    TEST_ASSERT_TRUE(last_answer()->decision.commits);
    replica_ask(&replica, &decide);
    TEST_ASSERT_TRUE(last_answer()->decision.commits);
    TEST_ASSERT_EQUAL_UINT64(the_raft.last, the_raft.applied);
}

static void a_restart_from_a_snapshot_goes_on_where_it_was(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55), write = alone_ask(4, 2, 44);
    struct wire_writer w = { .pool = &fixture.pool }, again = w;
    uint64_t chain, index = 0;
    uint32_t shard, node;

    prepare_now(&prepare);
    prepare_now(&write);
    chain = replica.chain;
    the_raft.host.save(the_raft.host.context, &w);
    lose_lead();
    replica_open(&replica, &server, 0, &(struct raft_options){ .node = 0 });
    the_raft.host.load(the_raft.host.context, the_raft.applied, wire_writer_text(&w));
    TEST_ASSERT_EQUAL_UINT64(chain, replica.chain);
    the_raft.host.save(the_raft.host.context, &again);
    TEST_ASSERT_EQUAL_UINT64(w.count, again.count);
    TEST_ASSERT_EQUAL_MEMORY(w.at, again.at, w.count);
    take_lead();
    wait_ms(2500);
    TEST_ASSERT_NULL(shard_find_prepared(&replica.shard, 3));
    TEST_ASSERT_FALSE(equality_differs(cluster.equality, &shard, &node, &index));
    the_raft.host.load(the_raft.host.context, 0, (struct text){ NULL, 0 });
    TEST_ASSERT_EQUAL_INT64(10, value_of(versions_newest(&replica.shard.versions, key_of(2))));
}

static void a_long_run_takes_no_more_memory(void)
{
    size_t held = 0;
    struct ask write = alone_ask(1, 1, 55);

    for (uint64_t txn = 1; txn < 30000; txn++) {
        write.txn = write.prepare.txn = txn;
        write.begin = write.prepare.begin = at(now_ns / MS, txn);
        write.number = (uint32_t)txn;
        replica_ask(&replica, &write);
        now_ns += 5 * MS;
        if (txn % 10 == 0)
            replica_tick(&replica);
        apply_all();
        answer_count = 0;
        if (txn == 10000)
            held = server.pool.held_bytes;
    }
    TEST_ASSERT_EQUAL_UINT64(held, server.pool.held_bytes);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(who_does_not_lead_says_who_does);
    RUN_TEST(a_read_above_the_ceiling_waits_until_the_log_has_raised_it);
    RUN_TEST(below_the_ceiling_a_read_is_answered_at_once);
    RUN_TEST(the_ceiling_is_raised_before_it_is_reached);
    RUN_TEST(a_read_waits_for_what_the_log_held_as_it_came);
    RUN_TEST(every_prepare_is_above_every_read_that_was_served);
    RUN_TEST(a_new_leader_prepares_above_all_that_was_ever_read);
    RUN_TEST(a_read_waits_for_an_undecided_writer_below_it_only);
    RUN_TEST(a_prepare_in_flight_is_undecided_too);
    RUN_TEST(a_read_below_the_horizon_is_refused);
    RUN_TEST(a_check_is_answered_after_a_round_begun_for_it);
    RUN_TEST(a_prepare_is_answered_with_its_vote_once_it_is_applied);
    RUN_TEST(a_repeat_of_an_ask_that_waits_is_dropped_and_a_later_one_gets_the_same_answer);
    RUN_TEST(one_that_is_alone_hears_its_decision_with_its_vote);
    RUN_TEST(a_refusal_by_the_log_is_the_vote);
    RUN_TEST(the_older_waits_for_the_younger_and_the_younger_is_refused);
    RUN_TEST(who_waits_too_long_is_refused);
    RUN_TEST(who_waits_is_tried_again_when_the_protocol_says_that_things_changed);
    RUN_TEST(a_release_ends_what_waits_and_spares_what_is_prepared);
    RUN_TEST(a_decision_is_answered_when_it_is_applied_and_told_to_the_others);
    RUN_TEST(a_decision_of_what_is_not_prepared_is_an_abort);
    RUN_TEST(what_may_have_been_forgotten_is_not_called_an_abort);
    RUN_TEST(all_who_wait_are_sent_away_when_the_lead_is_lost);
    RUN_TEST(an_ask_repeated_to_the_next_leader_finds_what_was_done);
    RUN_TEST(a_restart_from_a_snapshot_goes_on_where_it_was);
    RUN_TEST(a_long_run_takes_no_more_memory);
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
