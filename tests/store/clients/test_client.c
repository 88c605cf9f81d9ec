#include "tests/store/clients/client_fixture.h"
#include "store/clients/record.h"

/* --- One transaction after another ------------------------------------------------------------ */

static void a_transaction_is_begun_run_and_ended(void)
{
    run_for(SECOND);
    TEST_ASSERT_EQUAL(1, end_count);
    TEST_ASSERT_EQUAL(TXN_OK, ends[0].status);
    TEST_ASSERT_EQUAL(5, stored[change.key]);
    TEST_ASSERT_EQUAL(2, runs[0].answered);
    TEST_ASSERT_EQUAL(2, runs[0].rows);
    TEST_ASSERT_TRUE(client_is_idle(clients[0]));
    TEST_ASSERT_EQUAL(1, record_counts(cluster.record).committed);
}

static void clients_share_the_transactions(void)
{
    static const uint32_t shares_of_clients[3] = { 3, 2, 2 };

    client_count = 3;
    client_options.transactions = 7;
    open_again();
    run_for(SECOND);
    TEST_ASSERT_EQUAL(7, end_count);
    for (uint32_t client = 0; client < 3; client++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < end_count; i++)
            count += ends[i].client == client;
        TEST_ASSERT_EQUAL(shares_of_clients[client], count);
    }
}

static void pauses_between_transactions_are_as_long_as_asked_for(void)
{
    int64_t pauses_ns = 0;

    client_options.transactions = 200;
    client_options.think_ns = 20 * MS;
    open_again();
    run_for(20 * SECOND);
    TEST_ASSERT_EQUAL(200, end_count);
    for (uint32_t i = 1; i < end_count; i++)
        pauses_ns += ends[i].began_ns - ends[i - 1].at_ns;
    TEST_ASSERT_INT64_WITHIN(5 * MS, 20 * MS, pauses_ns / 199);
}

static void a_client_that_is_stopped_begins_nothing_new(void)
{
    uint32_t before;

    client_options.transactions = 0;
    open_again();
    run_for(100 * MS);
    TEST_ASSERT_TRUE(end_count > 5);
    before = end_count;
    client_stop(clients[0]);
    run_for(SECOND);
    TEST_ASSERT_TRUE(end_count <= before + 1);
    TEST_ASSERT_TRUE(client_is_idle(clients[0]));
}

static void a_driver_may_wait(void)
{
    script[3] = script[2];
    script[2] = (struct intent){ .kind = INTENT_WAIT, .wait_ns = 300 * MS };
    run_for(SECOND);
    TEST_ASSERT_EQUAL(TXN_OK, ends[0].status);
    TEST_ASSERT_TRUE(ends[0].at_ns - ends[0].began_ns > 300 * MS);
}

static void what_the_driver_aborts_is_not_tried_again(void)
{
    client_options.transactions = 2;
    open_again();
    script[2] = (struct intent){ .kind = INTENT_ABORT };
    run_for(SECOND);
    TEST_ASSERT_EQUAL(2, end_count);
    TEST_ASSERT_EQUAL(TXN_ABORT, ends[1].status);
    TEST_ASSERT_EQUAL(1, ends[1].ordinal);
    TEST_ASSERT_EQUAL(NO_VALUE, stored[change.key]);
    TEST_ASSERT_TRUE(servers[0].coordinator.txns.count == 0);
}

static void transactions_that_ask_nothing_take_time(void)
{
    client_options.transactions = 0;
    open_again();
    script[0] = (struct intent){ .kind = INTENT_ABORT };
    run_for(100 * MS);
    TEST_ASSERT_TRUE(end_count > 10 && end_count <= 100);
}

static bool was_traced;

static void look_at_line(void *context, struct text line)
{
    static const struct text words = { "write T1.1 k", 12 };

    (void)context;
    for (size_t i = 0; i + words.length <= line.length; i++)
        was_traced |= text_equal((struct text){ line.at + i, words.length }, words);
}

static void the_trace_says_what_a_client_asks(void)
{
    world.trace.options.line = look_at_line;
    run_for(SECOND);
    TEST_ASSERT_TRUE(was_traced);
    TEST_ASSERT_EQUAL(TXN_OK, ends[0].status);
}

/* --- Aborted, and again ----------------------------------------------------------------------- */

static bool refuses_prepares(struct replica *replica, const struct ask *ask,
                             struct shard_answer *answer)
{
    if (ask->kind != ASK_PREPARE)
        return shard_obeys(replica, ask, answer);
    answer->refusal = answer->vote.refusal = REFUSED_CONFLICT;
    return true;
}

static void an_aborted_transaction_is_tried_again_after_pauses_that_double(void)
{
    client_options.transactions = 2;
    open_again();
    shard_says = refuses_prepares;
    run_for(3 * SECOND);
    TEST_ASSERT_EQUAL(8, end_count);
    for (uint32_t i = 0; i < 8; i++) {
        TEST_ASSERT_EQUAL(TXN_ABORT, ends[i].status);
        TEST_ASSERT_EQUAL(i / 4, ends[i].ordinal);
        TEST_ASSERT_EQUAL(i % 4, ends[i].attempt);
        if (i % 4 > 0) {
            int64_t pause_ns = ends[i].began_ns - ends[i - 1].at_ns,
                    most_ns = 10 * MS << (i % 4 - 1);
            TEST_ASSERT_TRUE(pause_ns >= most_ns / 2 && pause_ns <= most_ns);
        }
    }
    TEST_ASSERT_TRUE(ends[7].txn > ends[0].txn);
}

static void a_statement_without_answer_aborts_and_moves_to_another_node(void)
{
    leader[0] = 1;
    fault_crash(&world, 0);
    run_for(3 * SECOND);
    TEST_ASSERT_EQUAL(2, end_count);
    TEST_ASSERT_EQUAL(TXN_ABORT, ends[0].status);
    TEST_ASSERT_EQUAL_INT64(SECOND, ends[0].at_ns - ends[0].began_ns);
    TEST_ASSERT_EQUAL(1, runs[0].unanswered);
    TEST_ASSERT_EQUAL(TXN_OK, ends[1].status);
}

static void a_coordinator_that_forgot_is_found_out_at_once(void)
{
    script[3] = script[2];
    script[2] = (struct intent){ .kind = INTENT_WAIT, .wait_ns = 300 * MS };
    run_for(100 * MS);
    fault_crash(&world, 0);
    fault_restart(&world, 0);
    run_for(2 * SECOND);
    TEST_ASSERT_EQUAL(2, end_count);
    TEST_ASSERT_EQUAL(TXN_ABORT,
                      ends[0].status); /* its commit was sent once, to who knew nothing */
    TEST_ASSERT_EQUAL(TXN_OK, ends[1].status);
    TEST_ASSERT_EQUAL(1, cluster.sometimes.counts[SOMETIMES_COORDINATOR_LOST]);
}

/* Else what it was told by the one before the crash, and by the one after it, would be mixed. */
static void a_crash_ends_a_transaction_whose_first_request_is_still_repeated(void)
{
    script[0] = script[1];
    leader[0] = WORLD_NOBODY;
    run_for(50 * MS);
    fault_crash(&world, 0);
    fault_restart(&world, 0);
    leader[0] = 0;
    run_for(SECOND);
    TEST_ASSERT_EQUAL(2, end_count);
    TEST_ASSERT_EQUAL(TXN_ABORT, ends[0].status);
    TEST_ASSERT_EQUAL(TXN_OK, ends[1].status);
}

/* --- Unknown ---------------------------------------------------------------------------------- */

static bool never_decides(struct replica *replica, const struct ask *ask,
                          struct shard_answer *answer)
{
    return ask->kind != ASK_DECIDE && shard_obeys(replica, ask, answer);
}

static void assert_sessions_of_two(uint32_t first, uint32_t second)
{
    struct history history;

    ASSERT_OK(record_history_finish(cluster.record, &history, &err), &err);
    TEST_ASSERT_EQUAL(2, history.txn_count);
    TEST_ASSERT_EQUAL(first, history.session_id[history.txn_session[0]]);
    TEST_ASSERT_EQUAL(second, history.session_id[history.txn_session[1]]);
    history_close(&history);
}

static void a_commit_without_answer_is_unknown_and_ends_the_session(void)
{
    client_options.transactions = 2;
    open_again();
    shard_says = never_decides;
    run_for(SECOND);
    shard_says = shard_obeys;
    run_for(SECOND);
    TEST_ASSERT_EQUAL(2, end_count);
    TEST_ASSERT_EQUAL(TXN_UNKNOWN, ends[0].status);
    TEST_ASSERT_EQUAL(1, ends[1].ordinal);
    TEST_ASSERT_EQUAL(1, cluster.sometimes.counts[SOMETIMES_COMMIT_UNKNOWN]);
    assert_sessions_of_two(0, 1);
}

static void with_its_bug_a_commit_without_answer_is_run_again(void)
{
    bugs.on[BUG_RETRY_APPLIED_TWICE] = true;
    open_again();
    shard_says = never_decides;
    run_for(SECOND);
    shard_says = shard_obeys;
    run_for(SECOND);
    TEST_ASSERT_EQUAL(2, end_count);
    TEST_ASSERT_EQUAL(TXN_ABORT, ends[0].status);
    TEST_ASSERT_EQUAL(0, ends[1].ordinal);
    TEST_ASSERT_EQUAL(TXN_OK, ends[1].status);
    assert_sessions_of_two(0, 0);
}

/* --- Probes ----------------------------------------------------------------------------------- */

static uint32_t probed_shards(void)
{
    uint32_t shards = 0;

    for (uint32_t shard = 0; shard < SHARDS; shard++)
        for (uint32_t key = 0; key < cluster.catalog.keys.count; key++)
            if (catalog_table(&cluster.catalog, key) == 1 && stored[key] != NO_VALUE &&
                catalog_shard(&cluster.catalog, key) == shard) {
                shards++;
                break;
            }
    return shards;
}

static void a_probe_commits_on_every_shard_and_is_counted_nowhere(void)
{
    run_for(SECOND);
    client_stop(clients[0]);
    client_probe(clients[0]);
    run_for(SECOND);
    TEST_ASSERT_TRUE(client_probes_done(clients[0]));
    TEST_ASSERT_EQUAL(SHARDS, probed_shards());
    TEST_ASSERT_EQUAL(1, record_counts(cluster.record).committed);
    TEST_ASSERT_EQUAL(1, end_count);
}

static void a_probe_is_tried_until_it_commits(void)
{
    run_for(SECOND);
    client_stop(clients[0]);
    client_probe(clients[0]);
    shard_says = refuses_prepares;
    run_for(5 * SECOND);
    TEST_ASSERT_FALSE(client_probes_done(clients[0]));
    TEST_ASSERT_EQUAL(0, client_stuck_shard(clients[0]));
    shard_says = shard_obeys;
    run_for(5 * SECOND);
    TEST_ASSERT_TRUE(client_probes_done(clients[0]));
}

static void a_probe_waits_for_the_transaction_at_hand(void)
{
    script[1] = (struct intent){ .kind = INTENT_WAIT, .wait_ns = 300 * MS };
    run_for(100 * MS);
    client_stop(clients[0]);
    client_probe(clients[0]);
    TEST_ASSERT_FALSE(client_is_idle(clients[0]));
    run_for(SECOND);
    TEST_ASSERT_EQUAL(TXN_OK, ends[0].status);
    TEST_ASSERT_TRUE(client_probes_done(clients[0]));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_transaction_is_begun_run_and_ended);
    RUN_TEST(clients_share_the_transactions);
    RUN_TEST(pauses_between_transactions_are_as_long_as_asked_for);
    RUN_TEST(a_client_that_is_stopped_begins_nothing_new);
    RUN_TEST(a_driver_may_wait);
    RUN_TEST(what_the_driver_aborts_is_not_tried_again);
    RUN_TEST(transactions_that_ask_nothing_take_time);
    RUN_TEST(the_trace_says_what_a_client_asks);
    RUN_TEST(an_aborted_transaction_is_tried_again_after_pauses_that_double);
    RUN_TEST(a_statement_without_answer_aborts_and_moves_to_another_node);
    RUN_TEST(a_coordinator_that_forgot_is_found_out_at_once);
    RUN_TEST(a_crash_ends_a_transaction_whose_first_request_is_still_repeated);
    RUN_TEST(a_commit_without_answer_is_unknown_and_ends_the_session);
    RUN_TEST(with_its_bug_a_commit_without_answer_is_run_again);
    RUN_TEST(a_probe_commits_on_every_shard_and_is_counted_nowhere);
    RUN_TEST(a_probe_is_tried_until_it_commits);
    RUN_TEST(a_probe_waits_for_the_transaction_at_hand);
    return UNITY_END();
}
