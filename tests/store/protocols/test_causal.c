#include "store/protocol_private.h"

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/store/protocols/causal_judge.h"
#include "tests/store/multileader/local_fixture.h"
#include "unity.h"

enum { A, B, C }; /* nodes */
enum { ONE, TWO, THREE }; /* clients */

static const struct bugs no_bugs;
static struct local_options options;

void setUp(void)
{
    options = (struct local_options){ .protocol = "causal",
                                      .nodes = 3,
                                      .clients = 3,
                                      .initial_rows = 2,
                                      .seed = 1,
                                      .snapshot_entries = 1000 };
    local_open(&options);
}

void tearDown(void)
{
    local_close();
}

static const struct bugs *with(enum bug bug)
{
    static struct bugs bugs;

    bugs = no_bugs;
    bugs.on[bug] = true;
    return &bugs;
}

/* --- What is seen ---------------------------------------------------------------------------- */

static void all_reads_of_a_transaction_come_from_one_state(void)
{
    local_begin(TWO, B);
    TEST_ASSERT_EQUAL(0, local_read(TWO, 0));
    local_put(ONE, A, 0, 5);
    local_put(ONE, A, 1, 6);
    local_put(ONE, A, 7, 8);
    local_run(50 * MS);
    TEST_ASSERT_EQUAL(6, local_get(THREE, B, 1));
    TEST_ASSERT_EQUAL(0, local_read(TWO, 1));
    TEST_ASSERT_TRUE(local_read(TWO, 7) == NO_VALUE);
    TEST_ASSERT_EQUAL(2, local_read_all(TWO));
    TEST_ASSERT_EQUAL(0, local_read(TWO, 0));
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
    TEST_ASSERT_EQUAL(5, local_get(TWO, B, 0));
}

/* What it began with is not collected under its feet. */
static void a_long_transaction_keeps_its_state(void)
{
    local_begin(TWO, B);
    TEST_ASSERT_EQUAL(0, local_read(TWO, 0));
    for (int64_t i = 0; i < 8; i++) {
        local_put(ONE, A, 0, i + 1);
        local_begin(THREE, C);
        local_remove(THREE, 1);
        TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(THREE));
        local_run(500 * MS);
        TEST_ASSERT_EQUAL(0, local_read(TWO, 0));
        TEST_ASSERT_EQUAL(0, local_read(TWO, 1));
    }
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
    local_run(5 * SECOND);
    TEST_ASSERT_EQUAL(1, multileader_versions(local.cluster.servers[B].multileader)->count);
}

/*
 * A writes 0; B has seen it and writes 1; C hears of B's first, and looks. A few times only: the
 * oracle can judge no more transactions.
 */
static bool shows_an_effect_before_its_cause(void)
{
    bool shows = false;

    local_cut(A, C);
    local_cut(B, C);
    local_put(ONE, A, 0, 5);
    local_run(10 * MS);
    TEST_ASSERT_EQUAL(5, local_get(TWO, B, 0));
    fault_mend_link(&local.world, B, C);
    local_put(TWO, B, 1, 6);
    for (int i = 0; i < 8; i++) {
        int64_t effect, cause;

        local_begin(THREE, C);
        effect = local_read(THREE, 1);
        cause = local_read(THREE, 0);
        TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(THREE));
        shows |= effect == 6 && cause != 5;
    }
    local_run(100 * MS);
    TEST_ASSERT_EQUAL(6, local_get(TWO, C, 1)); /* all of it comes through B */
    TEST_ASSERT_EQUAL(5, local_get(TWO, C, 0));
    return shows;
}

static void open_with(const struct bugs *bugs, uint64_t seed)
{
    options.bugs = *bugs;
    options.seed = seed;
    local_close();
    local_open(&options);
}

static enum oracle_answer ask_oracle(enum level level)
{
    struct history history;
    struct error err = { 0 };
    enum oracle_answer answer;

    ASSERT_OK(cluster_history(&local.cluster, &history, &err), &err);
    answer = oracle_decide(&history, level, (struct oracle_options){ 0 });
    history_close(&history);
    return answer;
}

/* Gossip may be faster than the client, depending on the seed. */
static void no_effect_is_shown_before_its_cause(void)
{
    uint64_t early = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        open_with(&no_bugs, seed);
        TEST_ASSERT_FALSE(shows_an_effect_before_its_cause());
        TEST_ASSERT_EQUAL(ORACLE_HOLDS, ask_oracle(LEVEL_CAUSAL));
        early += local.cluster.sometimes.counts[SOMETIMES_DELTA_CAME_EARLY];
    }
    TEST_ASSERT_TRUE(early >= 5);
}

static void without_the_wait_an_effect_may_come_first(void)
{
    unsigned shown = 0;

    for (uint64_t seed = 0; seed < 20; seed++) {
        open_with(with(BUG_DELTA_APPLIED_BEFORE_ITS_PAST), seed);
        if (shows_an_effect_before_its_cause()) {
            TEST_ASSERT_EQUAL(ORACLE_VIOLATED, ask_oracle(LEVEL_CAUSAL));
            TEST_ASSERT_EQUAL(ORACLE_HOLDS, ask_oracle(LEVEL_READ_ATOMIC));
            shown++;
        }
    }
    TEST_ASSERT_TRUE(shown >= 5);
}

/* Nobody has to agree on an order of what nobody has seen both of. */
static void two_nodes_may_see_concurrent_transactions_in_different_orders(void)
{
    local_cut(A, B);
    local_cut(B, A);
    local_cut_off(C);
    local_put(ONE, A, 0, 5);
    local_put(TWO, B, 1, 6);
    local_begin(ONE, A);
    TEST_ASSERT_EQUAL(5, local_read(ONE, 0));
    TEST_ASSERT_EQUAL(0, local_read(ONE, 1));
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    local_begin(TWO, B);
    TEST_ASSERT_EQUAL(0, local_read(TWO, 0));
    TEST_ASSERT_EQUAL(6, local_read(TWO, 1));
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
    TEST_ASSERT_EQUAL(ORACLE_HOLDS, ask_oracle(LEVEL_CAUSAL));
    TEST_ASSERT_EQUAL(ORACLE_VIOLATED, ask_oracle(LEVEL_PREFIX));
}

/* --- Sessions -------------------------------------------------------------------------------- */

static void a_session_that_moves_waits_until_the_node_has_what_it_has_seen(void)
{
    local_cut_off(C);
    local_put(ONE, A, 0, 5);
    local_begin(ONE, C);
    local_ask(ONE, &(struct client_request){ .kind = CLIENT_READ,
                                             .keys = (uint32_t[]){ local_key(0) },
                                             .key_count = 1,
                                             .scope = SCOPE_NONE });
    TEST_ASSERT_FALSE(local_await(ONE, 500 * MS));
    TEST_ASSERT_EQUAL(1, local.cluster.sometimes.counts[SOMETIMES_CAUSAL_WAITED]);
    local_heal();
    TEST_ASSERT_TRUE(local_await(ONE, SECOND));
    TEST_ASSERT_EQUAL(REPLY_DONE, local.clients[ONE].kind);
    TEST_ASSERT_EQUAL(5, local.clients[ONE].values[0]);
}

static void what_a_session_has_only_read_counts_too(void)
{
    local_cut_off(C);
    local_put(ONE, A, 0, 5);
    local_run(20 * MS);
    TEST_ASSERT_EQUAL(5, local_get(TWO, B, 0));
    local_begin(TWO, C);
    local_ask(TWO, &(struct client_request){ .kind = CLIENT_READ, .scope = local_whole_table() });
    TEST_ASSERT_FALSE(local_await(TWO, 500 * MS));
    TEST_ASSERT_EQUAL(0, local_get(THREE, C, 0)); /* who has seen nothing need not wait */
}

static void a_session_that_has_waited_too_long_is_refused(void)
{
    local_cut_off(C);
    local_put(ONE, A, 0, 5);
    local_begin(ONE, C);
    local_ask(ONE, &(struct client_request){ .kind = CLIENT_READ, .scope = local_whole_table() });
    TEST_ASSERT_TRUE(local_await(ONE, 5 * SECOND));
    TEST_ASSERT_EQUAL(REPLY_ABORTED, local.clients[ONE].kind);
    TEST_ASSERT_EQUAL(REFUSED_OVERLOADED, local.clients[ONE].refusal);
    local_heal();
    local_run(SECOND);
    TEST_ASSERT_EQUAL(5, local_get(ONE, C, 0));
}

/* --- By the oracle --------------------------------------------------------------------------- */

/* These open stores of their own. */
static unsigned count_broken(const struct bugs *bugs, enum level level, bool certified,
                             uint64_t seeds)
{
    unsigned broken;

    local_close();
    broken = local_count_broken("causal", bugs, level, certified, seeds);
    local_open(&options);
    return broken;
}

static void what_clients_see_is_causal(void)
{
    TEST_ASSERT_EQUAL(0, count_broken(&no_bugs, LEVEL_CAUSAL, false, fixture_rounds(300)));
}

/* Every read is of the version that the certificate names, too. */
static void by_its_own_order_it_is_read_committed_and_causal(void)
{
    TEST_ASSERT_EQUAL(0, count_broken(&no_bugs, LEVEL_READ_COMMITTED, true, fixture_rounds(100)));
    TEST_ASSERT_EQUAL(0, count_broken(&no_bugs, LEVEL_CAUSAL, true, fixture_rounds(100)));
}

/* Too long for the oracle. */
static void long_histories_are_causal(void)
{
    local_close();
    for (uint64_t seed = 0; seed < fixture_rounds(16); seed++) {
        struct local_options large = local_small("causal", seed);
        struct local_trouble all = { true, true, true, true, true };
        struct history history;

        large.nodes = 3 + seed % 3;
        large.clients = 8;
        large.latency_ns = 3 * MS;
        local_random(&large, all, 20, 5, &history);
        TEST_ASSERT_TRUE(causal_judge_holds(&history));
        history_close(&history);
    }
    local_open(&options);
}

/* It passes over reads of nothing, so it may miss what the oracle finds, and nothing else. */
static void the_judge_of_long_histories_agrees_with_the_oracle(void)
{
    unsigned broken = 0, missed = 0;

    local_close();
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct local_options small = local_small("causal", seed);
        struct history history;
        bool holds, is_found;

        small.bugs = *with(BUG_LAST_WRITER_BY_LOCAL_CLOCK);
        local_random_small(&small, &history);
        holds = oracle_decide(&history, LEVEL_CAUSAL, (struct oracle_options){ 0 }) == ORACLE_HOLDS;
        is_found = !causal_judge_holds(&history);
        TEST_ASSERT_FALSE(holds && is_found);
        broken += !holds;
        missed += !holds && !is_found;
        history_close(&history);
    }
    TEST_ASSERT_TRUE(broken > 5 && missed * 3 < broken);
    local_open(&options);
}

/* --- Bugs ------------------------------------------------------------------------------------ */

static void what_comes_before_its_past_is_still_read_atomic(void)
{
    TEST_ASSERT_EQUAL(0, count_broken(with(BUG_DELTA_APPLIED_BEFORE_ITS_PAST), LEVEL_READ_ATOMIC,
                                      false, 300));
}

static void what_is_acknowledged_before_it_is_logged_may_be_lost(void)
{
    open_with(with(BUG_ACKS_BEFORE_LOG), 1);
    fault_stall_disk(&local.world, A, cluster_disk(&local.cluster, A),
                     local.world.now_ns + 200 * MS);
    local_put(ONE, A, 0, 5);
    TEST_ASSERT_TRUE(fault_crash(&local.world, A));
    TEST_ASSERT_TRUE(fault_restart(&local.world, A));
    local_run(SECOND);
    local_put(TWO, A, 1, 6);
    TEST_ASSERT_EQUAL(0, local_get(ONE, A, 0)); /* its own write is gone */
    TEST_ASSERT_EQUAL(ORACLE_VIOLATED, ask_oracle(LEVEL_CAUSAL));
    TEST_ASSERT_EQUAL(0, count_broken(with(BUG_ACKS_BEFORE_LOG), LEVEL_READ_COMMITTED, false, 300));
}

static void stamps_by_local_clocks_alone_lose_causality(void)
{
    const struct bugs *bugs = with(BUG_LAST_WRITER_BY_LOCAL_CLOCK);

    TEST_ASSERT_GREATER_THAN_UINT(5, count_broken(bugs, LEVEL_CAUSAL, false, 200));
    TEST_ASSERT_GREATER_THAN_UINT(5, count_broken(bugs, LEVEL_READ_COMMITTED, true, 200));
    TEST_ASSERT_EQUAL(0, count_broken(bugs, LEVEL_READ_UNCOMMITTED, true, 100));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(all_reads_of_a_transaction_come_from_one_state);
    RUN_TEST(a_long_transaction_keeps_its_state);
    RUN_TEST(no_effect_is_shown_before_its_cause);
    RUN_TEST(without_the_wait_an_effect_may_come_first);
    RUN_TEST(two_nodes_may_see_concurrent_transactions_in_different_orders);
    RUN_TEST(a_session_that_moves_waits_until_the_node_has_what_it_has_seen);
    RUN_TEST(what_a_session_has_only_read_counts_too);
    RUN_TEST(a_session_that_has_waited_too_long_is_refused);
    RUN_TEST(what_clients_see_is_causal);
    RUN_TEST(by_its_own_order_it_is_read_committed_and_causal);
    RUN_TEST(long_histories_are_causal);
    RUN_TEST(the_judge_of_long_histories_agrees_with_the_oracle);
    RUN_TEST(what_comes_before_its_past_is_still_read_atomic);
    RUN_TEST(what_is_acknowledged_before_it_is_logged_may_be_lost);
    RUN_TEST(stamps_by_local_clocks_alone_lose_causality);
    return UNITY_END();
}
