#include "tests/store/coordinator/coordinator_fixture.h"

/* --- To whom, and again ----------------------------------------------------------------------- */

static void hints_lead_to_the_leader(void)
{
    leader[1] = 0;
    read_key(key_on(1, 0));
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(0, last_asked(ASK_READ, 1)->node);
}

static void a_leader_that_nobody_names_is_found(void)
{
    leader_is_known = false;
    leader[1] = 0;
    read_key(key_on(1, 0));
    run_for(200 * MS);
    assert_replied(REPLY_DONE);
}

static void an_ask_waits_until_there_is_a_leader(void)
{
    leader[1] = WORLD_NOBODY;
    read_key(key_on(1, 0));
    run_for(SECOND);
    TEST_ASSERT_EQUAL(0, heard[0].count);
    leader[1] = 2;
    run_for(200 * MS);
    assert_replied(REPLY_DONE);
}

static uint32_t deaf_asks; /* that get no answer */

static bool is_deaf(struct replica *replica, const struct ask *ask, struct shard_answer *answer)
{
    if (deaf_asks == 0)
        return shard_obeys(replica, ask, answer);
    deaf_asks--;
    return false;
}

static void an_ask_is_repeated_with_its_number_until_it_is_answered(void)
{
    deaf_asks = 3;
    shard_says = is_deaf;
    write_key(key_on(1, 0), 1);
    write_key(key_on(1, 1), 1);
    commit();
    run_for(3 * SECOND);
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(4, count_asked(ASK_PREPARE, 1));
    TEST_ASSERT_EQUAL(asked[0].number, asked[3].number);
    assert_idle();
}

static bool is_overloaded_once(struct replica *replica, const struct ask *ask,
                               struct shard_answer *answer)
{
    if (ask->kind != ASK_DECIDE || deaf_asks == 0)
        return shard_obeys(replica, ask, answer);
    deaf_asks--;
    answer->refusal = REFUSED_OVERLOADED;
    return true;
}

static void a_decision_is_never_given_up(void)
{
    deaf_asks = 2;
    shard_says = is_overloaded_once;
    write_on_all_shards();
    commit();
    run_for(SECOND);
    assert_replied(REPLY_DONE);
}

/* --- The talk with the client ----------------------------------------------------------------- */

static void a_repeated_request_gets_the_same_reply(void)
{
    write_on_all_shards();
    commit();
    repeat_to(NODE);
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(5, heard[0].count);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_PREPARE, 1));
}

static void a_repeated_request_that_is_being_served_changes_nothing(void)
{
    leader[1] = WORLD_NOBODY;
    read_key(key_on(1, 0));
    repeat_to(NODE);
    leader[1] = 1;
    run_for(200 * MS);
    TEST_ASSERT_EQUAL(1, heard[0].count);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_READ, 1));
}

static void a_late_first_request_of_an_older_transaction_starts_nothing(void)
{
    struct client_request old;

    write_key(key_on(1, 0), 1);
    old = sent;
    commit();
    request((struct client_request){ .kind = CLIENT_COMMIT, .txn = 2 });
    assert_idle();
    send_to(NODE, 0, &old);
    run_for(20 * MS);
    assert_idle();
    TEST_ASSERT_EQUAL(3, heard[0].count);
}

static void another_node_knows_nothing_of_a_transaction(void)
{
    write_key(key_on(1, 0), 1);
    sent.kind = CLIENT_COMMIT;
    sent.number = 2;
    send_to(1, 0, &sent);
    run_for(20 * MS);
    assert_replied(REPLY_GONE);
}

/* It may have been started, and answered, by whoever stood here before a crash. */
static void a_repeated_first_request_starts_nothing(void)
{
    sent = (struct client_request){
        .kind = CLIENT_COMMIT, .txn = 1, .number = 1, .scope = SCOPE_NONE
    };
    repeat_to(NODE);
    assert_replied(REPLY_GONE);
    sent.is_repeat = false;
    send_to(NODE, 0, &sent);
    run_for(20 * MS);
    TEST_ASSERT_EQUAL(REPLY_GONE, heard[0].reply.kind);
    assert_idle();
}

static void a_crash_forgets_transactions(void)
{
    write_on_all_shards();
    fault_crash(&world, NODE);
    fault_restart(&world, NODE);
    commit();
    assert_replied(REPLY_GONE);
    TEST_ASSERT_EQUAL(0, asked_count);
}

static void the_next_transaction_of_a_client_ends_the_one_before(void)
{
    leader[1] = WORLD_NOBODY;
    read_key(key_on(1, 0));
    request((struct client_request){ .kind = CLIENT_COMMIT, .txn = 2 });
    assert_replied(REPLY_DONE);
    assert_idle();
}

static void what_was_asked_to_prepare_goes_on_without_its_client(void)
{
    write_on_all_shards();
    leader[1] = WORLD_NOBODY;
    commit();
    request((struct client_request){ .kind = CLIENT_COMMIT, .txn = 2 });
    assert_replied(REPLY_DONE);
    leader[1] = 1;
    run_for(SECOND);
    TEST_ASSERT_EQUAL(7, stored[key_on(1, 0)]);
    TEST_ASSERT_EQUAL(2, heard[0].reply.txn);
    assert_idle();
}

static void an_aborted_transaction_is_over_at_once(void)
{
    write_on_all_shards();
    abort_it();
    assert_idle();
    TEST_ASSERT_EQUAL(3, heard[0].count);
    TEST_ASSERT_EQUAL(0, asked_count);
}

static void a_transaction_whose_client_is_silent_is_given_up(void)
{
    write_on_all_shards();
    run_for(4 * SECOND);
    TEST_ASSERT_FALSE(servers[NODE].coordinator.txns.count == 0);
    run_for(2 * SECOND);
    assert_idle();
    commit();
    assert_replied(REPLY_ABORTED);
}

static void what_ended_a_transaction_outlives_its_clients_abort(void)
{
    write_on_all_shards();
    run_for(6 * SECOND);
    assert_idle();
    abort_it();
    commit();
    assert_aborted(REFUSED_OVERLOADED);
}

/* --- Locks ------------------------------------------------------------------------------------ */

static void nothing_to_do(struct replica *replica, uint64_t txn)
{
    (void)replica;
    (void)txn;
}

static void open_locking(void)
{
    protocol.locks_writes = true;
    protocol.prepares = written_shards;
    protocol.over = nothing_to_do;
    open_again();
}

static void a_write_is_locked_first(void)
{
    open_locking();
    write_key(key_on(1, 0), 4);
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(1, last_asked(ASK_LOCK, 1)->change_count);
    read_key(key_on(1, 0));
    assert_value(4);
}

static bool locks_on_the_last_shard_deadlock(struct replica *replica, const struct ask *ask,
                                             struct shard_answer *answer)
{
    if (ask->kind == ASK_LOCK && replica->shard.number == 2)
        answer->refusal = REFUSED_DEADLOCK;
    return shard_obeys(replica, ask, answer);
}

static void a_refused_lock_releases_all_others(void)
{
    open_locking();
    shard_says = locks_on_the_last_shard_deadlock;
    write_on_all_shards();
    assert_aborted(REFUSED_DEADLOCK);
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        TEST_ASSERT_EQUAL(1, count_asked(ASK_RELEASE, shard));
    assert_idle();
}

static void after_the_commit_those_that_only_read_are_released(void)
{
    open_locking();
    read_key(key_on(0, 0));
    write_key(key_on(1, 0), 4);
    commit();
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(1, count_asked(ASK_RELEASE, 0));
    TEST_ASSERT_EQUAL(0, count_asked(ASK_RELEASE, 1));
    assert_idle();
}

static void a_release_is_repeated_until_it_is_answered(void)
{
    open_locking();
    read_key(key_on(0, 0));
    leader[0] = WORLD_NOBODY;
    commit();
    assert_replied(REPLY_DONE);
    run_for(SECOND);
    TEST_ASSERT_FALSE(servers[NODE].coordinator.txns.count == 0);
    leader[0] = 0;
    run_for(SECOND);
    assert_idle();
}

static void a_lock_granted_to_nobody_is_released(void)
{
    struct shard_answer answer = {
        .kind = ASK_LOCK, .txn = 77, .number = 1, .shard = 1, .term = 1
    };

    open_locking();
    server_send_answer(&servers[1], NODE, 1, &answer, false);
    run_for(20 * MS);
    TEST_ASSERT_EQUAL(77, last_asked(ASK_RELEASE, 1)->txn);
}

/* --- Deadlocks -------------------------------------------------------------------------------- */

static bool locks_are_taken(struct replica *replica, const struct ask *ask,
                            struct shard_answer *answer)
{
    return ask->kind != ASK_LOCK && shard_obeys(replica, ask, answer);
}

/* The transaction waits for a lock at shard 1; a probe comes with this path. */
static void probe_with(struct stamp first, struct stamp second)
{
    struct stamp path[2] = { first, second };
    struct ask probe = { .kind = ASK_PROBE,
                         .txn = 1,
                         .from = 1,
                         .scope = SCOPE_NONE,
                         .path = path,
                         .path_count = stamp_is_zero(second) ? 1 : 2 };

    server_send_probe(&servers[1], NODE, &probe);
    run_for(20 * MS);
}

static struct stamp open_waiting(void)
{
    open_locking();
    shard_says = locks_are_taken;
    write_key(key_on(1, 0), 4);
    TEST_ASSERT_EQUAL(0, heard[0].count);
    return servers[NODE].coordinator.txns.at[0]->begin;
}

static void a_probe_that_comes_home_kills(void)
{
    struct stamp begin = open_waiting();

    probe_with(begin, stamp_plus(begin, -1));
    assert_aborted(REFUSED_DEADLOCK);
    TEST_ASSERT_EQUAL(1, cluster.sometimes.counts[SOMETIMES_DEADLOCK_BROKEN]);
}

static void a_probe_of_a_younger_one_is_passed_on_to_where_this_one_waits(void)
{
    struct stamp begin = open_waiting();

    probe_with(stamp_plus(begin, 1), (struct stamp){ 0 });
    TEST_ASSERT_EQUAL(2, last_asked(ASK_PROBE, 1)->path_count);
    TEST_ASSERT_EQUAL(0, count_asked(ASK_PROBE, 0));
}

static void a_probe_of_an_older_one_ends_here_and_one_of_its_own_begins(void)
{
    struct stamp begin = open_waiting();

    probe_with(stamp_plus(begin, -1), (struct stamp){ 0 });
    TEST_ASSERT_EQUAL(1, last_asked(ASK_PROBE, 1)->path_count);
    TEST_ASSERT_TRUE(stamp_equal(begin, last_asked(ASK_PROBE, 1)->path_begin));
}

static void a_probe_goes_round_a_strange_circle_once(void)
{
    struct stamp begin = open_waiting();

    probe_with(stamp_plus(begin, 1), begin);
    TEST_ASSERT_EQUAL(0, count_asked(ASK_PROBE, 1));
    TEST_ASSERT_EQUAL(0, heard[0].count);
}

static void a_probe_at_one_that_does_not_wait_ends_here(void)
{
    struct stamp begin;

    open_locking();
    write_key(key_on(1, 0), 4);
    begin = servers[NODE].coordinator.txns.at[0]->begin;
    probe_with(begin, (struct stamp){ 0 });
    probe_with(stamp_plus(begin, 1), (struct stamp){ 0 });
    TEST_ASSERT_EQUAL(0, count_asked(ASK_PROBE, 1));
    TEST_ASSERT_FALSE(servers[NODE].coordinator.txns.count == 0);
}

/* --- Clocks ----------------------------------------------------------------------------------- */

static void every_ask_carries_the_clock(void)
{
    struct stamp ahead = stamp_plus(server_now(&servers[NODE], 1), 5 * SECOND);

    request((struct client_request){ .kind = CLIENT_WRITE, .seen = ahead });
    read_key(key_on(1, 0));
    TEST_ASSERT_FALSE(stamp_less(stamp_clock_last(&servers[1].clock), ahead));
}

static void with_its_bug_no_clock_is_set_forward(void)
{
    struct stamp ahead;

    bugs.on[BUG_CLOCK_NOT_FORWARDED] = true;
    open_again();
    ahead = stamp_plus(server_now(&servers[NODE], 1), 5 * SECOND);
    request((struct client_request){ .kind = CLIENT_WRITE, .seen = ahead });
    read_key(key_on(1, 0));
    TEST_ASSERT_TRUE(stamp_less(stamp_clock_last(&servers[1].clock), ahead));
}

/* --- The server ------------------------------------------------------------------------------- */

static void a_store_that_holds_too_much_stops_the_world_as_too_long(void)
{
    cluster.memory.bytes_max = 1;
    send_to(NODE, 0, &(struct client_request){ .kind = CLIENT_COMMIT, .txn = 1, .number = 1 });
    ASSERT_OK(world_run(&world, SECOND, &err), &err);
    TEST_ASSERT_EQUAL(STATUS_TOO_LONG, cluster.failure.status);
    TEST_ASSERT_TRUE(world.now_ns < SECOND);
    cluster.failure = (struct error){ 0 };
}

static struct buffer trace_text;

static void keep_line(void *context, struct text line)
{
    (void)context;
    buffer_text(&trace_text, line);
    buffer_byte(&trace_text, '\n');
}

static void assert_traced(const char *words)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(trace_text.at, words), words);
}

static void the_trace_says_what_messages_mean(void)
{
    static const char *const words[] = { "shard 1: read", "done T1.1 1 row", "T1 committed" };

    world.trace.options.line = keep_line;
    read_key(key_on(1, 0));
    commit();
    buffer_byte(&trace_text, '\0');
    for (size_t i = 0; i < ROW_COUNT(words); i++)
        assert_traced(words[i]);
    buffer_close(&trace_text);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(hints_lead_to_the_leader);
    RUN_TEST(a_leader_that_nobody_names_is_found);
    RUN_TEST(an_ask_waits_until_there_is_a_leader);
    RUN_TEST(an_ask_is_repeated_with_its_number_until_it_is_answered);
    RUN_TEST(a_decision_is_never_given_up);
    RUN_TEST(a_repeated_request_gets_the_same_reply);
    RUN_TEST(a_repeated_request_that_is_being_served_changes_nothing);
    RUN_TEST(a_late_first_request_of_an_older_transaction_starts_nothing);
    RUN_TEST(another_node_knows_nothing_of_a_transaction);
    RUN_TEST(a_repeated_first_request_starts_nothing);
    RUN_TEST(a_crash_forgets_transactions);
    RUN_TEST(the_next_transaction_of_a_client_ends_the_one_before);
    RUN_TEST(what_was_asked_to_prepare_goes_on_without_its_client);
    RUN_TEST(an_aborted_transaction_is_over_at_once);
    RUN_TEST(a_transaction_whose_client_is_silent_is_given_up);
    RUN_TEST(what_ended_a_transaction_outlives_its_clients_abort);
    RUN_TEST(a_write_is_locked_first);
    RUN_TEST(a_refused_lock_releases_all_others);
    RUN_TEST(after_the_commit_those_that_only_read_are_released);
    RUN_TEST(a_release_is_repeated_until_it_is_answered);
    RUN_TEST(a_lock_granted_to_nobody_is_released);
    RUN_TEST(a_probe_that_comes_home_kills);
    RUN_TEST(a_probe_of_a_younger_one_is_passed_on_to_where_this_one_waits);
    RUN_TEST(a_probe_of_an_older_one_ends_here_and_one_of_its_own_begins);
    RUN_TEST(a_probe_goes_round_a_strange_circle_once);
    RUN_TEST(a_probe_at_one_that_does_not_wait_ends_here);
    RUN_TEST(every_ask_carries_the_clock);
    RUN_TEST(with_its_bug_no_clock_is_set_forward);
    RUN_TEST(a_store_that_holds_too_much_stops_the_world_as_too_long);
    RUN_TEST(the_trace_says_what_messages_mean);
    return UNITY_END();
}
