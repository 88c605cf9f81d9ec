#include "store/multileader/multileader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/store/multileader/local_fixture.h"
#include "tests/store/clients/record_inspect.h"
#include "unity.h"

enum { A, B, C }; /* nodes */
enum { ONE, TWO, THREE }; /* clients */

static struct local_options options;

void setUp(void)
{
    options = (struct local_options){ .protocol = "eventual",
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

static void open_again(void)
{
    local_close();
    local_open(&options);
}

static void crash(uint32_t node)
{
    TEST_ASSERT_TRUE(fault_crash(&local.world, node));
}

static void restart(uint32_t node)
{
    TEST_ASSERT_TRUE(fault_restart(&local.world, node));
    local_run(50 * MS);
}

static uint64_t times(enum rare_path path)
{
    return local.cluster.sometimes.counts[path];
}

static const struct stored_versions *versions_of(uint32_t node)
{
    return multileader_versions(local.cluster.servers[node].multileader);
}

static void ask_to_commit(uint32_t client)
{
    struct client_request request = { .kind = CLIENT_COMMIT, .scope = SCOPE_NONE };

    local_ask(client, &request);
}

/* --- Transactions ---------------------------------------------------------------------------- */

static void what_one_node_commits_another_soon_shows(void)
{
    local_put(ONE, A, 0, 7);
    local_run(10 * MS);
    TEST_ASSERT_EQUAL(7, local_get(TWO, B, 0));
    TEST_ASSERT_EQUAL(7, local_get(TWO, C, 0));
}

static void a_transaction_sees_what_it_has_written_itself(void)
{
    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    local_remove(ONE, 1);
    local_write(ONE, 9, 6);
    TEST_ASSERT_EQUAL(5, local_read(ONE, 0));
    TEST_ASSERT_TRUE(local_read(ONE, 1) == NO_VALUE);
    TEST_ASSERT_EQUAL(2, local_read_all(ONE));
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
}

static void nobody_sees_what_is_not_committed(void)
{
    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    TEST_ASSERT_EQUAL(0, local_get(TWO, A, 0));
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    TEST_ASSERT_EQUAL(5, local_get(TWO, A, 0));
}

static void an_aborted_transaction_leaves_nothing(void)
{
    struct client_request request = { .kind = CLIENT_ABORT, .scope = SCOPE_NONE };

    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    local_ask(ONE, &request);
    local_run(50 * MS);
    TEST_ASSERT_EQUAL(0, local_get(TWO, A, 0));
}

static void a_silent_client_loses_its_transaction(void)
{
    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    local_run(3 * SECOND);
    TEST_ASSERT_EQUAL(1, times(SOMETIMES_ABANDONED_ABORTED));
    TEST_ASSERT_EQUAL(REPLY_ABORTED, local_commit(ONE));
}

static void a_repeated_commit_commits_once_and_is_answered_again(void)
{
    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    local_put(TWO, A, 0, 6);
    local.clients[ONE].is_answered = false;
    local_ask_again(ONE);
    TEST_ASSERT_TRUE(local_await(ONE, SECOND));
    TEST_ASSERT_EQUAL(REPLY_DONE, local.clients[ONE].kind);
    TEST_ASSERT_EQUAL(6, local_get(TWO, A, 0));
}

static void a_transaction_of_before_a_crash_is_gone(void)
{
    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    crash(A);
    restart(A);
    ask_to_commit(ONE);
    TEST_ASSERT_TRUE(local_await(ONE, SECOND));
    TEST_ASSERT_EQUAL(REPLY_GONE, local.clients[ONE].kind);
    TEST_ASSERT_EQUAL(0, local_get(TWO, A, 0));
}

/* --- What the certificate hears -------------------------------------------------------------- */

static void a_read_names_the_writers_of_its_keys(void)
{
    uint64_t writer;

    local_put(ONE, A, 0, 5);
    writer = local.clients[ONE].txn;
    local_begin(TWO, A);
    local_read(TWO, 0);
    TEST_ASSERT_EQUAL(1, local.clients[TWO].seen_count);
    TEST_ASSERT_TRUE(local_seen(TWO, 0) == writer);
    local_read(TWO, 1);
    TEST_ASSERT_TRUE(local_seen(TWO, 1) == 0);
    local_read(TWO, 9);
    TEST_ASSERT_TRUE(local_seen(TWO, 9) == 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
}

static void a_predicate_names_the_writers_of_all_keys_of_its_table(void)
{
    uint64_t remover;

    local_begin(ONE, A);
    local_remove(ONE, 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    remover = local.clients[ONE].txn;
    local_begin(TWO, A);
    TEST_ASSERT_EQUAL(1, local_read_all(TWO));
    TEST_ASSERT_EQUAL(2, local.clients[TWO].seen_count);
    TEST_ASSERT_TRUE(local_seen(TWO, 0) == remover);
    TEST_ASSERT_TRUE(local_seen(TWO, 1) == 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
}

static void who_commits_has_a_place_and_who_only_reads_has_none(void)
{
    struct stamp first, second;

    local_put(ONE, A, 0, 5);
    TEST_ASSERT_TRUE(record_place(local.cluster.record, local.clients[ONE].txn, &first));
    local_put(ONE, A, 0, 6);
    TEST_ASSERT_TRUE(record_place(local.cluster.record, local.clients[ONE].txn, &second));
    TEST_ASSERT_TRUE(stamp_less(first, second));
    local_get(ONE, A, 0);
    TEST_ASSERT_FALSE(record_place(local.cluster.record, local.clients[ONE].txn, &first));
}

/* --- Concurrent writes ----------------------------------------------------------------------- */

static void of_concurrent_writes_the_highest_stamp_wins_everywhere(void)
{
    local_cut_off(A);
    local_put(ONE, A, 0, 1);
    local_put(TWO, B, 0, 2);
    local_put(ONE, A, 1, 3);
    local_run(100 * MS);
    TEST_ASSERT_EQUAL(1, local_get(ONE, A, 0));
    TEST_ASSERT_EQUAL(2, local_get(TWO, C, 0));
    local_heal();
    local_converge(SECOND);
    for (uint32_t node = 0; node < 3; node++) {
        TEST_ASSERT_EQUAL(2, local_get(THREE, node, 0));
        TEST_ASSERT_EQUAL(3, local_get(THREE, node, 1));
    }
    TEST_ASSERT_TRUE(times(SOMETIMES_WRITES_MERGED) > 0);
}

/* The clock of B is far behind; what it writes over A's value comes above it all the same. */
static void what_was_seen_is_overwritten_whatever_the_clocks_say(void)
{
    fault_step_clock(&local.world, B, -30 * SECOND);
    local_put(ONE, A, 0, 1);
    local_run(100 * MS);
    local_begin(TWO, B);
    TEST_ASSERT_EQUAL(1, local_read(TWO, 0));
    local_write(TWO, 0, 2);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(2, local_get(THREE, A, 0));
}

/* B has heard nothing from A, whose clock is ahead; the client has. */
static void what_a_session_writes_elsewhere_comes_above_what_it_wrote(void)
{
    local_cut_off(A);
    fault_step_clock(&local.world, A, 30 * SECOND);
    local_put(ONE, A, 0, 1);
    local_put(ONE, B, 0, 2);
    local_heal();
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(2, local_get(TWO, A, 0));
}

static void stamps_go_on_above_those_of_before_a_crash(void)
{
    struct stamp before, after;

    fault_step_clock(&local.world, A, 30 * SECOND);
    local_put(ONE, A, 0, 1);
    TEST_ASSERT_TRUE(record_place(local.cluster.record, local.clients[ONE].txn, &before));
    local_cut_off(A);
    crash(A);
    fault_step_clock(&local.world, A, -60 * SECOND);
    restart(A);
    local_begin(TWO, A);
    local_write(TWO, 0, 2);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
    TEST_ASSERT_TRUE(record_place(local.cluster.record, local.clients[TWO].txn, &after));
    TEST_ASSERT_TRUE(stamp_less(before, after));
}

/* --- Anti-entropy ---------------------------------------------------------------------------- */

static void what_is_lost_on_the_way_is_asked_for(void)
{
    local_cut_off(A);
    for (int64_t i = 0; i < 20; i++)
        local_put(ONE, A, i, i + 1);
    local_heal();
    local_converge(SECOND);
    for (int64_t i = 0; i < 20; i++)
        TEST_ASSERT_EQUAL(i + 1, local_get(TWO, C, i));
}

static void two_that_cannot_talk_hear_of_each_other_through_a_third(void)
{
    local_cut(A, C);
    local_cut(C, A);
    local_put(ONE, A, 0, 5);
    local_put(TWO, C, 1, 6);
    local_run(300 * MS);
    TEST_ASSERT_EQUAL(5, local_get(ONE, C, 0));
    TEST_ASSERT_EQUAL(6, local_get(TWO, A, 1));
}

static void what_comes_before_a_gap_is_filled_waits(void)
{
    local_cut(A, C);
    local_cut(B, C);
    local_put(ONE, A, 0, 5);
    local_run(20 * MS);
    fault_mend_link(&local.world, A, C);
    local_put(ONE, A, 1, 6);
    local_run(4 * MS);
    TEST_ASSERT_EQUAL(5, local_get(TWO, C, 0));
    TEST_ASSERT_EQUAL(6, local_get(TWO, C, 1));
    TEST_ASSERT_TRUE(times(SOMETIMES_DELTA_CAME_EARLY) > 0);
}

static void a_long_way_behind_is_caught_up_in_parts(void)
{
    local_cut_off(C);
    for (int64_t i = 0; i < 200; i++) {
        local_begin(ONE, A);
        for (int64_t j = 0; j < 60; j++)
            local_write(ONE, j, i);
        TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    }
    local_heal();
    local_converge(5 * SECOND);
    TEST_ASSERT_EQUAL(199, local_get(TWO, C, 59));
}

static void nodes_are_not_idle_while_one_lacks_something(void)
{
    local_converge(SECOND);
    local_cut_off(C);
    local_put(ONE, A, 0, 5);
    local_run(100 * MS);
    TEST_ASSERT_FALSE(local_is_idle());
    local_heal();
    local_converge(SECOND);
}

/* --- Crashes --------------------------------------------------------------------------------- */

static void what_was_acknowledged_outlives_a_crash(void)
{
    local_cut_off(A);
    local_put(ONE, A, 0, 5);
    crash(A);
    restart(A);
    TEST_ASSERT_EQUAL(5, local_get(TWO, A, 0));
    local_heal();
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(5, local_get(TWO, C, 0));
}

static void what_was_never_on_the_disk_was_never_acknowledged(void)
{
    local_begin(ONE, A);
    local_write(ONE, 0, 5);
    fault_stall_disk(&local.world, A, cluster_disk(&local.cluster, A),
                     local.world.now_ns + SECOND);
    ask_to_commit(ONE);
    TEST_ASSERT_FALSE(local_await(ONE, 500 * MS));
    TEST_ASSERT_EQUAL(0, local_get(TWO, B, 0));
    crash(A);
    restart(A);
    local_run(SECOND); /* until the disk serves again */
    local_put(TWO, A, 1, 6);
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(0, local_get(TWO, B, 0));
    TEST_ASSERT_EQUAL(6, local_get(TWO, B, 1));
}

static void a_node_that_was_down_hears_what_it_missed(void)
{
    crash(C);
    for (int64_t i = 0; i < 50; i++)
        local_put(ONE, A, i, i + 1);
    restart(C);
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(50, local_get(TWO, C, 49));
}

/* Its stamps are in a checkpoint, and no longer in the log. */
static void stamps_go_on_above_those_of_a_checkpoint(void)
{
    struct stamp before, after;

    options.snapshot_entries = 4;
    open_again();
    fault_step_clock(&local.world, A, 30 * SECOND);
    for (int64_t i = 0; i < 12; i++)
        local_put(ONE, A, i + 10, 1);
    TEST_ASSERT_TRUE(record_place(local.cluster.record, local.clients[ONE].txn, &before));
    local_run(500 * MS);
    crash(A);
    local_cut_off(A);
    fault_step_clock(&local.world, A, -60 * SECOND);
    restart(A);
    local_put(TWO, A, 0, 2);
    TEST_ASSERT_TRUE(record_place(local.cluster.record, local.clients[TWO].txn, &after));
    TEST_ASSERT_TRUE(stamp_less(before, after));
}

static void all_may_crash_at_once(void)
{
    local_put(ONE, A, 0, 5);
    local_put(TWO, B, 1, 6);
    for (uint32_t node = 0; node < 3; node++)
        crash(node);
    for (uint32_t node = 0; node < 3; node++)
        restart(node);
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(5, local_get(THREE, C, 0));
    TEST_ASSERT_EQUAL(6, local_get(THREE, C, 1));
}

static enum status take_no_row(void *context, const struct datum *cells, struct error *err)
{
    (void)context;
    (void)cells;
    return error_set(err, STATUS_BAD_INPUT, "a row");
}

static void where_no_node_is_up_there_are_no_rows_to_ask_for(void)
{
    struct error err = { 0 };

    for (uint32_t node = 0; node < 3; node++)
        crash(node);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, cluster_rows(&local.cluster, 0, take_no_row, NULL, &err));
    TEST_ASSERT_EQUAL_STRING("no node is up", err.text);
}

/* --- The log, its checkpoints, and what is collected ----------------------------------------- */

/* Files of a wal, from 0: meta, log, next. */
static uint64_t log_bytes(uint32_t node)
{
    return disk_file_size(cluster_disk(&local.cluster, node), 1);
}

static void commit_often(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        local_put(ONE, A, 0, i + 1);
}

static void the_log_is_cut_once_everybody_has_it(void)
{
    options.snapshot_entries = 20;
    open_again();
    commit_often(400);
    local_run(SECOND);
    TEST_ASSERT_TRUE(log_bytes(A) < 4096);
    TEST_ASSERT_TRUE(log_bytes(B) < 4096);
    crash(B);
    restart(B);
    local_converge(SECOND);
    TEST_ASSERT_EQUAL(400, local_get(TWO, B, 0));
}

static void the_log_stays_as_long_as_a_node_may_need_it(void)
{
    options.snapshot_entries = 20;
    open_again();
    local_put(TWO, C, 1, 9);
    local_run(SECOND);
    crash(C);
    commit_often(300);
    TEST_ASSERT_TRUE(log_bytes(A) > 8192);
    crash(A);
    restart(A);
    restart(C);
    local_converge(2 * SECOND);
    TEST_ASSERT_EQUAL(300, local_get(TWO, C, 0));
    TEST_ASSERT_EQUAL(9, local_get(TWO, A, 1));
    local_run(SECOND);
    TEST_ASSERT_TRUE(log_bytes(A) < 8192);
}

static void old_versions_are_collected(void)
{
    commit_often(100);
    local_run(10 * SECOND);
    for (uint32_t node = 0; node < 3; node++) {
        TEST_ASSERT_TRUE(versions_are_settled(versions_of(node)));
        TEST_ASSERT_TRUE(versions_of(node)->count == 2);
    }
}

static void a_removal_is_collected_and_still_named(void)
{
    uint64_t remover;

    local_begin(ONE, A);
    local_remove(ONE, 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    remover = local.clients[ONE].txn;
    local_run(10 * SECOND);
    for (uint32_t node = 0; node < 3; node++) {
        TEST_ASSERT_NULL(versions_newest(versions_of(node), local_key(0)));
        local_begin(TWO, node);
        TEST_ASSERT_TRUE(local_read(TWO, 0) == NO_VALUE);
        TEST_ASSERT_TRUE(local_seen(TWO, 0) == remover);
        TEST_ASSERT_EQUAL(1, local_read_all(TWO));
        TEST_ASSERT_TRUE(local_seen(TWO, 0) == remover);
        TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
    }
}

static void a_removal_stays_as_long_as_something_may_come_below_it(void)
{
    local_cut_off(C);
    local_put(THREE, C, 0, 7);
    local_begin(ONE, A);
    local_remove(ONE, 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    local_run(10 * SECOND);
    TEST_ASSERT_NOT_NULL(versions_newest(versions_of(A), local_key(0)));
    local_heal();
    local_converge(SECOND);
    for (uint32_t node = 0; node < 3; node++)
        TEST_ASSERT_TRUE(local_get(TWO, node, 0) == NO_VALUE);
    local_run(10 * SECOND);
    TEST_ASSERT_NULL(versions_newest(versions_of(A), local_key(0)));
}

static void what_was_collected_stays_so_after_a_restart(void)
{
    options.snapshot_entries = 10;
    open_again();
    local_begin(ONE, A);
    local_remove(ONE, 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(ONE));
    local_run(10 * SECOND);
    for (int64_t i = 10; i < 40; i++)
        local_put(ONE, A, i, 1);
    local_run(5 * SECOND);
    TEST_ASSERT_NULL(versions_newest(versions_of(A), local_key(0)));
    crash(A);
    restart(A);
    local_converge(SECOND);
    local_begin(TWO, A);
    TEST_ASSERT_TRUE(local_read(TWO, 0) == NO_VALUE);
    TEST_ASSERT_TRUE(local_seen(TWO, 0) != 0);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(TWO));
}

/* --- Disks that do not keep their word ------------------------------------------------------- */

static void assert_refuses(uint32_t node)
{
    local_begin(TWO, node);
    ask_to_commit(TWO);
    TEST_ASSERT_FALSE(local_await(TWO, SECOND));
    TEST_ASSERT_FALSE(local_is_idle());
    TEST_ASSERT_TRUE(times(SOMETIMES_NODE_REFUSED) > 0);
}

static void a_node_whose_synced_bytes_are_damaged_refuses_to_go_on(void)
{
    struct disk *disk = cluster_disk(&local.cluster, A);
    struct disk_faults faults = { .bit_rot = { 1, 1 } };

    for (int64_t i = 0; i < 5; i++)
        local_put(ONE, A, i, 5);
    crash(A);
    fault_set_disk(&local.world, A, disk, &faults);
    restart(A);
    assert_refuses(A);
    TEST_ASSERT_EQUAL(5, local_get(TWO, B, 4));
    /* It remembers, even if there is nobody to tell it. */
    fault_heal_disk(&local.world, A, disk);
    crash(A);
    local_cut_off(A);
    restart(A);
    assert_refuses(A);
}

static void a_node_that_hears_of_own_commits_it_does_not_have_refuses_to_go_on(void)
{
    struct disk *disk = cluster_disk(&local.cluster, A);
    struct disk_faults faults = { .lying_sync = { 1, 1 } };

    local_put(ONE, A, 0, 5);
    fault_set_disk(&local.world, A, disk, &faults);
    local_put(ONE, A, 0, 6);
    local_run(100 * MS);
    crash(A);
    restart(A);
    local_run(SECOND);
    assert_refuses(A);
    TEST_ASSERT_EQUAL(6, local_get(TWO, B, 0));
}

/* --- At random ------------------------------------------------------------------------------- */

/* Convergence is asserted within. */
static void nodes_converge_after_every_trouble(void)
{
    static const struct local_trouble troubles[] = {
        { .partitions = true },
        { .crashes = true, .disks = true },
        { .messages = true, .clocks = true },
        { true, true, true, true, true },
    };

    local_close();
    for (size_t i = 0; i < fixture_rounds(40); i++) {
        struct history history;

        options.protocol = i % 2 ? "causal" : "eventual";
        options.seed = i;
        options.snapshot_entries = i % 3 ? 5 : 1000;
        options.offset_ns = 100 * MS;
        options.latency_ns = 5 * MS;
        options.think_ns = 20 * MS;
        local_random(&options, troubles[i % ROW_COUNT(troubles)], 40, 6, &history);
        history_close(&history);
    }
    local_open(&options);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_one_node_commits_another_soon_shows);
    RUN_TEST(a_transaction_sees_what_it_has_written_itself);
    RUN_TEST(nobody_sees_what_is_not_committed);
    RUN_TEST(an_aborted_transaction_leaves_nothing);
    RUN_TEST(a_silent_client_loses_its_transaction);
    RUN_TEST(a_repeated_commit_commits_once_and_is_answered_again);
    RUN_TEST(a_transaction_of_before_a_crash_is_gone);
    RUN_TEST(a_read_names_the_writers_of_its_keys);
    RUN_TEST(a_predicate_names_the_writers_of_all_keys_of_its_table);
    RUN_TEST(who_commits_has_a_place_and_who_only_reads_has_none);
    RUN_TEST(of_concurrent_writes_the_highest_stamp_wins_everywhere);
    RUN_TEST(what_was_seen_is_overwritten_whatever_the_clocks_say);
    RUN_TEST(what_a_session_writes_elsewhere_comes_above_what_it_wrote);
    RUN_TEST(stamps_go_on_above_those_of_before_a_crash);
    RUN_TEST(what_is_lost_on_the_way_is_asked_for);
    RUN_TEST(two_that_cannot_talk_hear_of_each_other_through_a_third);
    RUN_TEST(what_comes_before_a_gap_is_filled_waits);
    RUN_TEST(a_long_way_behind_is_caught_up_in_parts);
    RUN_TEST(nodes_are_not_idle_while_one_lacks_something);
    RUN_TEST(what_was_acknowledged_outlives_a_crash);
    RUN_TEST(what_was_never_on_the_disk_was_never_acknowledged);
    RUN_TEST(a_node_that_was_down_hears_what_it_missed);
    RUN_TEST(stamps_go_on_above_those_of_a_checkpoint);
    RUN_TEST(all_may_crash_at_once);
    RUN_TEST(where_no_node_is_up_there_are_no_rows_to_ask_for);
    RUN_TEST(the_log_is_cut_once_everybody_has_it);
    RUN_TEST(the_log_stays_as_long_as_a_node_may_need_it);
    RUN_TEST(old_versions_are_collected);
    RUN_TEST(a_removal_is_collected_and_still_named);
    RUN_TEST(a_removal_stays_as_long_as_something_may_come_below_it);
    RUN_TEST(what_was_collected_stays_so_after_a_restart);
    RUN_TEST(a_node_whose_synced_bytes_are_damaged_refuses_to_go_on);
    RUN_TEST(a_node_that_hears_of_own_commits_it_does_not_have_refuses_to_go_on);
    RUN_TEST(nodes_converge_after_every_trouble);
    return UNITY_END();
}
