#include "tests/store/shard/replica_stage.h"

/* --- Telling ---------------------------------------------------------------------------------- */

static void decide_now(const struct ask *prepare)
{
    struct ask decide = outcome_ask(ASK_DECIDE, prepare, true, 2000);

    prepare_now(prepare);
    prepare_now(&decide);
}

static void others_are_told_until_all_have_answered_and_then_it_is_forgotten(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct shard_answer answer;

    decide_now(&prepare);
    answer = answer_of(&asks[0], REFUSED_NOT);
    replica_answer(&replica, &answer);
    wait_ms(1000);
    TEST_ASSERT_GREATER_THAN_UINT64(0, seen(SOMETIMES_OUTCOME_RESENT));
    for (unsigned i = 2; i < ask_count; i++)
        TEST_ASSERT_EQUAL_UINT32(2, asks[i].shard);
    TEST_ASSERT_EQUAL_UINT32(1, replica.shard.outcomes.untold.count);
    answer = answer_of(&asks[1], REFUSED_NOT);
    replica_answer(&replica, &answer);
    ask_count = 0;
    wait_ms(2000);
    TEST_ASSERT_EQUAL_UINT32(0, replica.shard.outcomes.untold.count);
    TEST_ASSERT_EQUAL_UINT(0, ask_count);
    wait_ms(20000);
    TEST_ASSERT_EQUAL_UINT32(0, replica.shard.outcomes.count);
}

static void a_silent_shard_is_looked_for_on_its_other_nodes(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    unsigned nodes = 0;

    decide_now(&prepare);
    wait_ms(2000);
    for (unsigned i = 0; i < ask_count; i++)
        if (asks[i].shard == 1)
            nodes |= 1u << asks[i].node;
    TEST_ASSERT_EQUAL_UINT(2 | 4 | 8, nodes);
}

static void a_hint_is_followed_at_once_but_not_in_circles(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct shard_answer answer;

    decide_now(&prepare);
    for (unsigned i = 0; i < 100; i++) {
        answer = answer_of(&asks[0], REFUSED_NOT_LEADER);
        answer.leader = 2 + i % 2;
        replica_answer(&replica, &answer);
        TEST_ASSERT_LESS_OR_EQUAL_UINT32(3, asks[ask_count - 1].node);
        now_ns += MS;
    }
    TEST_ASSERT_GREATER_THAN_UINT(2, ask_count);
    TEST_ASSERT_LESS_THAN_UINT(30, ask_count);
}

static void the_next_leader_tells_them_all_again(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct shard_answer answer;

    decide_now(&prepare);
    answer = answer_of(&asks[0], REFUSED_NOT);
    replica_answer(&replica, &answer);
    lose_lead();
    ask_count = 0;
    wait_ms(1000);
    TEST_ASSERT_EQUAL_UINT(0, ask_count);
    take_lead();
    wait_ms(100);
    TEST_ASSERT_EQUAL_UINT(2, asks_of_kind(ASK_RESOLVE));
}

static void a_participant_answers_its_anchor_once_its_log_has_applied_the_outcome(void)
{
    struct ask prepare = prepare_ask(3, 1, 1, 55);
    struct ask resolve = outcome_ask(ASK_RESOLVE, &prepare, true, 2000);

    prepare_now(&prepare);
    replica_ask(&replica, &resolve);
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
    TEST_ASSERT_TRUE(answer_to_replica[1]);
    TEST_ASSERT_EQUAL_INT64(55, value_of(versions_newest(&replica.shard.versions, key_of(1))));
    replica_ask(&replica, &resolve);
    TEST_ASSERT_EQUAL_UINT(3, answer_count);
    TEST_ASSERT_EQUAL_UINT(0, ask_count);
}

static void an_outcome_of_long_ago_is_acknowledged_without_a_trace(void)
{
    struct ask write = alone_ask(3, 1, 55), prepare = prepare_ask(2, 1, 1, 22);
    struct ask resolve = outcome_ask(ASK_RESOLVE, &prepare, true, 2000);

    prepare_now(&write);
    wait_ms(20000);
    replica_ask(&replica, &resolve);
    TEST_ASSERT_EQUAL_UINT(2, answer_count);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, last_answer()->refusal);
    TEST_ASSERT_NULL(shard_find_outcome(&replica.shard, 2));
}

/* --- In doubt --------------------------------------------------------------------------------- */

static void a_participant_in_doubt_asks_the_anchor_and_does_as_it_says(void)
{
    struct ask prepare = prepare_ask(3, 2, 1, 55);
    struct shard_answer answer;

    prepare_now(&prepare);
    wait_ms(900);
    TEST_ASSERT_EQUAL_UINT(0, ask_count);
    wait_ms(300);
    TEST_ASSERT_EQUAL_UINT(1, ask_count);
    TEST_ASSERT_EQUAL_INT(ASK_INQUIRE, asks[0].ask.kind);
    TEST_ASSERT_EQUAL_UINT32(2, asks[0].shard);
    TEST_ASSERT_EQUAL_UINT64(7, asks[0].ask.decision.participants);
    answer = answer_of(&asks[0], REFUSED_NOT);
    answer.decision = outcome_ask(ASK_DECIDE, &prepare, true, 2000).decision;
    replica_answer(&replica, &answer);
    replica_answer(&replica, &answer);
    apply_all();
    TEST_ASSERT_EQUAL_INT64(55, value_of(versions_newest(&replica.shard.versions, key_of(1))));
    replica_answer(&replica, &answer);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(0, recorded_count);
}

static void an_anchor_in_doubt_gives_up(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct ask decide = outcome_ask(ASK_DECIDE, &prepare, true, 2000);

    prepare_now(&prepare);
    wait_ms(1900);
    TEST_ASSERT_NOT_NULL(shard_find_prepared(&replica.shard, 3));
    wait_ms(300);
    TEST_ASSERT_NULL(shard_find_prepared(&replica.shard, 3));
    TEST_ASSERT_EQUAL_UINT(2, asks_of_kind(ASK_RESOLVE));
    TEST_ASSERT_FALSE(asks[0].ask.decision.commits);
    prepare_now(&decide);
    TEST_ASSERT_FALSE(last_answer()->decision.commits);
}

static void who_asks_an_anchor_without_a_record_has_it_aborted(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct ask inquire = outcome_ask(ASK_INQUIRE, &prepare, false, 0);

    replica_ask(&replica, &inquire);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    TEST_ASSERT_TRUE(answer_to_replica[0]);
    TEST_ASSERT_EQUAL_UINT64(3, last_answer()->decision.txn);
    TEST_ASSERT_FALSE(last_answer()->decision.commits);
    prepare_now(&prepare);
    TEST_ASSERT_EQUAL_INT(REFUSED_ABORTED, last_answer()->vote.refusal);
}

static void who_asks_an_anchor_that_has_prepared_hears_how_it_ends(void)
{
    struct ask prepare = prepare_ask(3, 0, 1, 55);
    struct ask inquire = outcome_ask(ASK_INQUIRE, &prepare, false, 0);
    struct ask decide = outcome_ask(ASK_DECIDE, &prepare, true, 2000);

    replica_ask(&replica, &prepare);
    replica_ask(&replica, &inquire);
    apply_all();
    TEST_ASSERT_EQUAL_UINT(1, answer_count);
    prepare_now(&decide);
    TEST_ASSERT_EQUAL_UINT(3, answer_count);
    for (unsigned i = 1; i < 3; i++)
        TEST_ASSERT_TRUE(answers[i].decision.commits);
}

static void with_the_bug_a_participant_commits_by_itself(void)
{
    struct ask prepare = prepare_ask(3, 2, 1, 55);

    cluster.options.bugs.on[BUG_COMMIT_ON_TIMEOUT] = true;
    prepare_now(&prepare);
    wait_ms(1200);
    TEST_ASSERT_EQUAL_INT64(55, value_of(versions_newest(&replica.shard.versions, key_of(1))));
    TEST_ASSERT_EQUAL_UINT(0, recorded_count);
}

static void with_the_bug_who_does_not_lead_answers_reads(void)
{
    struct ask read = read_of(1, 1, at(1000, 0));

    cluster.options.bugs.on[BUG_FOLLOWER_SERVES_READS] = true;
    lose_lead();
    replica_ask(&replica, &read);
    TEST_ASSERT_EQUAL_INT(REFUSED_NOT, last_answer()->refusal);
    TEST_ASSERT_TRUE(first_rows[0].is_row);
}

int main(void)
{
    int failures;

    UNITY_BEGIN();
    RUN_TEST(others_are_told_until_all_have_answered_and_then_it_is_forgotten);
    RUN_TEST(a_silent_shard_is_looked_for_on_its_other_nodes);
    RUN_TEST(a_hint_is_followed_at_once_but_not_in_circles);
    RUN_TEST(the_next_leader_tells_them_all_again);
    RUN_TEST(a_participant_answers_its_anchor_once_its_log_has_applied_the_outcome);
    RUN_TEST(an_outcome_of_long_ago_is_acknowledged_without_a_trace);
    RUN_TEST(a_participant_in_doubt_asks_the_anchor_and_does_as_it_says);
    RUN_TEST(an_anchor_in_doubt_gives_up);
    RUN_TEST(who_asks_an_anchor_without_a_record_has_it_aborted);
    RUN_TEST(who_asks_an_anchor_that_has_prepared_hears_how_it_ends);
    RUN_TEST(with_the_bug_a_participant_commits_by_itself);
    RUN_TEST(with_the_bug_who_does_not_lead_answers_reads);
    failures = UNITY_END();
    shard_fixture_close();
    return failures;
}
