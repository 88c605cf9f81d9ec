#include <string.h>

#include "store/raft/raft_message_private.h"
#include "tests/store/raft/raft_fixture.h"
#include "tests/sim/world_step.h"

static struct group group;
static struct group_options options;

void setUp(void)
{
    options = group_defaults(1);
}

void tearDown(void)
{
    group_close(&group);
}

static void assert_nothing_broke(const char *label)
{
    char text[300];

    snprintf(text, sizeof text, "%s, seed %llu: %s", label, (unsigned long long)group.options.seed,
             group.broken);
    TEST_ASSERT_TRUE_MESSAGE(group.broken[0] == 0, text);
}

static void assert_progress(const char *label)
{
    char text[300];

    snprintf(text, sizeof text, "%s, seed %llu is stuck", label,
             (unsigned long long)group.options.seed);
    TEST_ASSERT_TRUE_MESSAGE(group_makes_progress(&group, 10 * SECOND), text);
}

static uint32_t other_than(uint32_t node)
{
    return (node + 1) % options.node_count;
}

/* --- Without faults --------------------------------------------------------------- */

static void a_group_elects_a_leader_and_applies_what_it_is_given(void)
{
    group_start(&group, &options);
    group_run(&group, 10 * SECOND);
    TEST_ASSERT_GREATER_THAN_UINT64(1500, group.known);
    TEST_ASSERT_GREATER_THAN_UINT64(300, group.confirmed);
    TEST_ASSERT_EQUAL_UINT64(0, group.refused);
    assert_progress("without faults");
    assert_nothing_broke("without faults");
}

static void a_group_of_one_needs_nobody_else(void)
{
    options.node_count = 1;
    group_start(&group, &options);
    group_run(&group, 5 * SECOND);
    TEST_ASSERT_GREATER_THAN_UINT64(500, group.known);
    TEST_ASSERT_GREATER_THAN_UINT64(50, group.confirmed);
    assert_nothing_broke("alone");
}

/* It waited for its next heartbeat: a check of 2pl that waits for less was refused for ever. */
static void a_leader_alone_confirms_before_its_next_heartbeat(void)
{
    uint32_t leader;

    options.node_count = 1;
    options.propose_every_ns = 0;
    options.election_ns = 3 * SECOND; /* heartbeats come each half second */
    group_start(&group, &options);
    leader = group_await_leader(&group);
    for (uint64_t i = 1; i <= 20; i++) {
        group_confirm(&group, leader);
        group_run(&group, 1 * MS);
        TEST_ASSERT_EQUAL_UINT64(i, group.confirmed);
    }
    assert_nothing_broke("alone");
}

static void only_a_leader_takes_proposals_and_begins_rounds(void)
{
    uint32_t leader, follower;

    options.propose_every_ns = 0;
    group_start(&group, &options);
    leader = group_await_leader(&group);
    follower = other_than(leader);
    TEST_ASSERT_EQUAL_UINT64(0, raft_propose(group.nodes[follower].raft, TEXT("12345678")));
    TEST_ASSERT_FALSE(raft_confirm(group.nodes[follower].raft, 1));
    TEST_ASSERT_EQUAL_UINT32(leader, raft_leader(group.nodes[follower].raft));
    TEST_ASSERT_EQUAL_INT(ROLE_LEADER, world_role(&group.world, leader, 0));
    TEST_ASSERT_EQUAL_INT(ROLE_FOLLOWER, world_role(&group.world, follower, 0));
}

static void many_proposals_share_a_write_and_a_sync(void)
{
    uint64_t syncs, messages;
    uint32_t leader;

    options.propose_every_ns = 0;
    group_start(&group, &options);
    leader = group_await_leader(&group);
    group_run(&group, 100 * MS);
    syncs = group.nodes[leader].disk.files[1].syncs;
    messages = group.world.counts.messages_sent;
    for (int i = 0; i < 100; i++)
        TEST_ASSERT_GREATER_THAN_UINT64(0, group_propose(&group, leader));
    group_run(&group, 100 * MS);
    TEST_ASSERT_EQUAL_UINT64(101, group.nodes[leader].applied);
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(syncs + 2, group.nodes[leader].disk.files[1].syncs);
    TEST_ASSERT_LESS_OR_EQUAL_UINT64(messages + 40, group.world.counts.messages_sent);
}

static void heartbeats_are_about_ten_bytes(void)
{
    uint64_t messages, bytes;

    options.propose_every_ns = 0;
    group_start(&group, &options);
    group_await_leader(&group);
    messages = group.world.counts.messages_sent;
    bytes = group.world.counts.bytes_sent;
    group_run(&group, 60 * SECOND);
    messages = group.world.counts.messages_sent - messages;
    TEST_ASSERT_GREATER_THAN_UINT64(4000, messages);
    TEST_ASSERT_LESS_THAN_UINT64(10 * messages, group.world.counts.bytes_sent - bytes);
}

static void a_steady_state_takes_no_memory(void)
{
    size_t used, bytes;

    group_start(&group, &options);
    group_run(&group, 30 * SECOND);
    used = group.world.arena->used;
    bytes = group.memory.bytes;
    group_run(&group, 60 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(bytes, group.memory.bytes);
    TEST_ASSERT_EQUAL_UINT64(used, group.world.arena->used);
}

static void a_seed_is_a_run(void)
{
    struct digest first, second, other;

    group_start(&group, &options);
    group_storm(&group, GROUP_ALL, 5 * SECOND);
    first = group_hash(&group);
    group_start(&group, &options);
    group_storm(&group, GROUP_ALL, 5 * SECOND);
    second = group_hash(&group);
    options.seed++;
    group_start(&group, &options);
    group_storm(&group, GROUP_ALL, 5 * SECOND);
    other = group_hash(&group);
    TEST_ASSERT_EQUAL_MEMORY(&first, &second, sizeof first);
    TEST_ASSERT_TRUE(memcmp(&first, &other, sizeof first) != 0);
}

/* --- Under faults ----------------------------------------------------------------- */

static void nothing_is_lost_or_differs_whatever_happens(void)
{
    static const struct {
        const char *label;
        unsigned faults;
        uint32_t nodes, snapshot_entries;
        uint64_t permille; /* of messages lost, doubled, late */
        int64_t election_ns, strike_ns;
    } rows[] = {
        { "crashes", GROUP_CRASHES, 3, 200, 5, 300 * MS, 300 * MS },
        { "partitions", GROUP_PARTITIONS, 5, 100, 5, 300 * MS, 300 * MS },
        { "crashes and partitions", GROUP_CRASHES | GROUP_PARTITIONS, 5, 50, 20, 150 * MS,
          80 * MS },
        { "pauses and clocks", GROUP_PAUSES | GROUP_CLOCKS, 3, 200, 5, 300 * MS, 100 * MS },
        { "a bad network", GROUP_CRASHES, 3, 20, 300, 300 * MS, 100 * MS },
        { "short crashes", GROUP_FLICKERS, 3, 200, 5, 60 * MS, 30 * MS },
        { "torn writes", GROUP_FLICKERS | GROUP_TORN, 5, 40, 5, 150 * MS, 40 * MS },
        { "crashes of all", GROUP_CRASH_ALL | GROUP_TORN | GROUP_CRASHES, 3, 200, 5, 300 * MS,
          60 * MS },
        { "errors of disks", GROUP_ERRORS | GROUP_CRASHES, 3, 100, 5, 300 * MS, 100 * MS },
        { "damage", GROUP_ROT | GROUP_TORN | GROUP_CRASHES, 3, 200, 5, 150 * MS, 60 * MS },
        { "damage to two of five", GROUP_ROT | GROUP_TORN | GROUP_FLICKERS, 5, 60, 5, 150 * MS,
          60 * MS },
        { "everything", GROUP_ALL, 3, 100, 20, 300 * MS, 200 * MS },
        { "everything, five nodes", GROUP_ALL, 5, 30, 20, 200 * MS, 100 * MS },
    };
    uint64_t counts[SOMETIMES_COUNT] = { 0 };

    for (size_t row = 0; row < ROW_COUNT(rows); row++)
        for (uint64_t seed = 0; seed < fixture_rounds(20); seed++) {
            options = group_defaults(1000 * row + seed);
            options.node_count = rows[row].nodes;
            options.snapshot_entries = rows[row].snapshot_entries;
            options.network = group_network(rows[row].permille);
            options.election_ns = rows[row].election_ns;
            options.strike_ns_max = rows[row].strike_ns;
            group_start(&group, &options);
            group_storm(&group, rows[row].faults, 4 * SECOND);
            assert_progress(rows[row].label);
            assert_nothing_broke(rows[row].label);
            for (size_t i = 0; i < SOMETIMES_COUNT; i++)
                counts[i] += group.sometimes.counts[i];
        }
    for (size_t i = SOMETIMES_LEADER_ELECTED_AGAIN; i <= SOMETIMES_REPLICA_WIPED; i++)
        TEST_ASSERT_GREATER_THAN_UINT64_MESSAGE(0, counts[i], sometimes_name((enum rare_path)i));
}

static void a_leader_that_is_cut_off_commits_nothing_and_knows_it_soon(void)
{
    uint64_t acknowledged;
    uint32_t leader;

    options.propose_every_ns = 0;
    group_start(&group, &options);
    leader = group_await_leader(&group);
    group_cut_off(&group, leader, true);
    group_run(&group, 10 * MS);
    acknowledged = group.nodes[leader].applied;
    group_propose(&group, leader);
    group_confirm(&group, leader);
    group_run(&group, 2 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(acknowledged, group.nodes[leader].applied);
    TEST_ASSERT_EQUAL_UINT64(0, group.confirmed);
    TEST_ASSERT_EQUAL_UINT64(1, group.refused);
    TEST_ASSERT_FALSE(raft_is_leader(group.nodes[leader].raft));
    TEST_ASSERT_TRUE(group_leader(&group) != WORLD_NOBODY);
    TEST_ASSERT_EQUAL_UINT64(1, group.sometimes.counts[SOMETIMES_LEADER_ELECTED_AGAIN]);
    group_cut_off(&group, leader, false);
    assert_progress("mended");
    assert_nothing_broke("mended");
}

static void who_hears_nobody_does_not_depose_the_leader(void)
{
    uint32_t leader, other;
    uint64_t term;

    group_start(&group, &options);
    leader = group_await_leader(&group);
    other = other_than(leader);
    term = raft_term(group.nodes[leader].raft);
    /* It is deaf, and not dumb: it goes on asking for votes. */
    for (uint32_t i = 0; i < options.node_count; i++)
        if (i != other)
            fault_cut_link(&group.world, i, other);
    group_run(&group, 5 * SECOND);
    group_cut_off(&group, other, false);
    group_run(&group, 5 * SECOND);
    TEST_ASSERT_EQUAL_UINT32(leader, group_leader(&group));
    TEST_ASSERT_EQUAL_UINT64(term, raft_term(group.nodes[other].raft));
    TEST_ASSERT_GREATER_THAN_UINT64(0, group.sometimes.counts[SOMETIMES_PRE_VOTE_REFUSED]);
    TEST_ASSERT_UINT64_WITHIN(20, group.known, group.nodes[other].applied);
}

static void a_leader_with_a_full_disk_goes_on_with_the_others(void)
{
    const struct disk_faults full = { .full = true };
    uint64_t known;
    uint32_t leader;

    group_start(&group, &options);
    leader = group_await_leader(&group);
    disk_set_faults(&group.nodes[leader].disk, &full);
    group_run(&group, SECOND);
    known = group.known;
    group_run(&group, 5 * SECOND);
    TEST_ASSERT_GREATER_THAN_UINT64(known + 500, group.known);
    TEST_ASSERT_EQUAL_UINT32(leader, group_leader(&group));
    assert_nothing_broke("one full disk");
}

static void a_majority_of_full_disks_commits_nothing_until_there_is_room(void)
{
    const struct disk_faults full = { .full = true };
    uint64_t known;

    group_start(&group, &options);
    group_await_leader(&group);
    group_run(&group, SECOND);
    disk_set_faults(&group.nodes[0].disk, &full);
    disk_set_faults(&group.nodes[2].disk, &full);
    group_run(&group, SECOND);
    known = group.known;
    group_run(&group, 5 * SECOND);
    TEST_ASSERT_EQUAL_UINT64(known, group.known);
    group_heal(&group);
    assert_progress("with room again");
    assert_nothing_broke("with room again");
}

static void who_is_far_behind_is_sent_a_snapshot(void)
{
    uint32_t leader, other;

    group_start(&group, &options);
    leader = group_await_leader(&group);
    other = other_than(leader);
    group_crash(&group, other);
    group_run(&group, 10 * SECOND);
    fault_restart(&group.world, other);
    group_run(&group, SECOND);
    TEST_ASSERT_EQUAL_UINT64(1, group.sometimes.counts[SOMETIMES_SNAPSHOT_INSTALLED]);
    TEST_ASSERT_EQUAL_UINT64(1, group.nodes[other].loads);
    TEST_ASSERT_UINT64_WITHIN(20, group.known, group.nodes[other].applied);
    assert_nothing_broke("after a snapshot");
}

/* Overwrites bytes of the log, durably, as no fault model of a disk would admit to. */
static void damage_log(uint32_t node, uint64_t offset)
{
    struct disk *disk = &group.nodes[node].disk;

    disk_write(disk, group.world.now_ns, 1, offset, "damage", 6);
    disk_sync(disk, group.world.now_ns, 1);
}

/* The leader and a damaged replica have an entry, the third has not, and the leader goes. */
static void forget_an_entry(uint64_t offset)
{
    uint32_t leader, damaged, behind;

    group_start(&group, &options);
    leader = group_await_leader(&group);
    damaged = other_than(leader);
    behind = other_than(damaged);
    group_run(&group, SECOND);
    group_cut_off(&group, behind, true);
    group_propose(&group, leader);
    group_run(&group, 200 * MS);
    TEST_ASSERT_EQUAL_UINT64(2, group.acknowledged);
    damage_log(damaged, offset);
    group_run(&group, 200 * MS);
    group_crash(&group, leader);
    group_crash(&group, damaged);
    fault_restart(&group.world, damaged);
    group_cut_off(&group, behind, false);
    group_run(&group, 20 * SECOND);
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(WORLD_NOBODY, group_leader(&group), "both lack an entry");
    /* With the first leader back the group lives; then the damaged one is a full member again. */
    fault_restart(&group.world, leader);
    assert_progress("all are back");
    group_run(&group, SECOND);
    group_crash(&group, leader);
    group_run(&group, 5 * SECOND);
    TEST_ASSERT_TRUE(group_leader(&group) != WORLD_NOBODY);
    assert_nothing_broke("after damage");
}

static void a_damaged_replica_elects_nobody_who_lacks_what_it_forgot(void)
{
    options.propose_every_ns = 0;
    forget_an_entry(50); /* in the first record, behind which there is proof that it was synced */
    TEST_ASSERT_EQUAL_UINT64(1, group.sometimes.counts[SOMETIMES_REPLICA_WIPED]);
    forget_an_entry(100); /* in the last record: it could as well be torn */
    TEST_ASSERT_EQUAL_UINT64(0, group.sometimes.counts[SOMETIMES_REPLICA_WIPED]);
}

/* --- Bugs -------------------------------------------------------------------------- */

/* The number of seeds, up to this many, after which one breaks the group; 0: none does. */
static uint64_t seeds_until_broken(unsigned faults, uint64_t seed_count)
{
    for (uint64_t seed = 1; seed <= seed_count; seed++) {
        options.seed = seed;
        group_start(&group, &options);
        group_storm(&group, faults, 6 * SECOND);
        group_run(&group, 2 * SECOND);
        if (group.broken[0])
            return seed;
    }
    return 0;
}

static void assert_only_the_bug_breaks(enum bug bug, unsigned faults)
{
    uint64_t seeds;

    options.bugs.on[bug] = true;
    seeds = seeds_until_broken(faults, 400);
    TEST_ASSERT_GREATER_THAN_UINT64_MESSAGE(0, seeds, bug_entry(bug)->name);
    options.bugs.on[bug] = false;
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, seeds_until_broken(faults, seeds), bug_entry(bug)->name);
}

static void acknowledging_before_the_sync_loses_entries(void)
{
    assert_only_the_bug_breaks(BUG_ACK_BEFORE_SYNC, GROUP_CRASHES | GROUP_CRASH_ALL);
}

/* Slow messages make elections split, and short crashes make voters forget. */
static void votes_that_are_not_persisted_elect_two(void)
{
    static struct error err;

    options.election_ns = 120 * MS;
    options.strike_ns_max = 30 * MS;
    ASSERT_OK(latency_uniform(&options.network.latency, MS, 50 * MS, &err), &err);
    assert_only_the_bug_breaks(BUG_VOTE_NOT_PERSISTED, GROUP_FLICKERS);
}

/* A second copy of a snapshot comes after entries that were acknowledged. */
static void installing_a_snapshot_over_its_suffix_loses_entries(void)
{
    options.network = group_network(300);
    options.snapshot_entries = 20;
    options.strike_ns_max = 50 * MS;
    assert_only_the_bug_breaks(BUG_SNAPSHOT_INSTALL_DROPS_SUFFIX, GROUP_CRASHES);
}

static bool step(void)
{
    static struct error err;
    bool again;

    ASSERT_OK(world_step(&group.world, &again, &err), &err);
    return again;
}

static void await_leader_among(const uint32_t *nodes, uint32_t count, uint32_t *leader)
{
    int64_t until_ns = group.world.now_ns + 30 * SECOND;

    while (step() && group.world.now_ns < until_ns)
        for (uint32_t i = 0; i < count; i++)
            if (group.nodes[nodes[i]].raft && raft_is_leader(group.nodes[nodes[i]].raft)) {
                *leader = nodes[i];
                return;
            }
    TEST_FAIL_MESSAGE("nobody leads");
}

static void cut_off_all(void)
{
    for (uint32_t i = 0; i < options.node_count; i++)
        group_cut_off(&group, i, true);
}

static void connect(const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            while (network_link(&group.world.network, nodes[i], nodes[j])->cuts > 0)
                fault_mend_link(&group.world, nodes[i], nodes[j]);
}

/*
 * Figure 8 of the paper. An entry of s1 reaches s2 and no other; s5 is elected by s3 and s4, and
 * writes another at its index; s1 or s2 leads again and brings the entry, which is as large
 * as a message may be, to s3 before its own no-op; then s5 comes back and leads.
 */
static void play_figure_8(void)
{
    static char large[70000];
    uint32_t s[5], left[3], first[2], second[3], leader, third;

    group_start(&group, &options);
    s[0] = group_await_leader(&group);
    for (uint32_t i = 1; i < 5; i++)
        s[i] = other_than(s[i - 1]);
    group_run(&group, SECOND);
    cut_off_all();
    memcpy(first, s, sizeof first);
    connect(first, 2);
    raft_propose(group.nodes[s[0]].raft, (struct text){ large, sizeof large });
    group_run(&group, 150 * MS);
    TEST_ASSERT_EQUAL_UINT64(2, raft_last_index(group.nodes[s[1]].raft));

    cut_off_all();
    memcpy(left, s + 2, sizeof left);
    connect(left, 3);
    await_leader_among(left, 3, &leader);
    cut_off_all();
    group_run(&group, 50 * MS);
    third = s[2] == leader ? s[3] : s[2];
    group_crash(&group, leader);

    memcpy(second, (uint32_t[]){ s[0], s[1], third }, sizeof second);
    connect(second, 3);
    await_leader_among(second, 3, first);
    while (raft_last_index(group.nodes[third].raft) < 2)
        step();
    fault_cut_link(&group.world, first[0], third);
    group_run(&group, 150 * MS);

    group_crash(&group, s[0]);
    group_crash(&group, s[1]);
    fault_restart(&group.world, leader);
    connect(s, 5);
    group_run(&group, 10 * SECOND);
    TEST_ASSERT_TRUE(group_leader(&group) == leader);
    group_heal(&group);
    group_makes_progress(&group, 5 * SECOND);
}

static void committing_an_entry_of_an_old_term_loses_it(void)
{
    options.node_count = 5;
    options.propose_every_ns = 0;
    options.network = group_network(0);
    play_figure_8();
    assert_nothing_broke("figure 8");
    options.bugs.on[BUG_COMMITS_ENTRY_OF_OLD_TERM] = true;
    play_figure_8();
    TEST_ASSERT_TRUE_MESSAGE(group.broken[0] != 0, "figure 8 with the bug");
}

/* --- Messages ----------------------------------------------------------------------- */

static void messages_are_put_into_words(void)
{
    static const struct {
        struct raft_message message;
        const char *words;
    } rows[] = {
        { { .kind = RAFT_HEARTBEAT, .term = 3 }, "heartbeat, term 3" },
        { { .kind = RAFT_APPEND, .term = 3, .index = 16, .index_term = 2 },
          "append nothing behind 16, term 3" },
        { { .kind = RAFT_VOTE, .term = 9, .flag = true }, "vote granted, term 9" },
        { { .kind = RAFT_REJECT, .term = 9, .index = 7, .hint = 4 }, "reject 7, try 4, term 9" },
        { { .kind = RAFT_GOT, .term = 1, .index = 70, .size = 99, .offset = 40 },
          "got 70 from byte 40, term 1" },
    };
    struct pool_memory memory;
    struct pool pool;

    pool_memory_init(&memory, fixture_arena(), (size_t)1 << 20);
    pool_init(&pool, &memory);
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct wire_writer writer = { .pool = &pool };
        struct buffer words = { 0 };

        raft_message_put(&writer, &rows[i].message);
        raft_describe(wire_writer_text(&writer), &words);
        buffer_byte(&words, 0);
        TEST_ASSERT_EQUAL_STRING(rows[i].words, words.at);
        buffer_close(&words);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_group_elects_a_leader_and_applies_what_it_is_given);
    RUN_TEST(a_group_of_one_needs_nobody_else);
    RUN_TEST(a_leader_alone_confirms_before_its_next_heartbeat);
    RUN_TEST(only_a_leader_takes_proposals_and_begins_rounds);
    RUN_TEST(many_proposals_share_a_write_and_a_sync);
    RUN_TEST(heartbeats_are_about_ten_bytes);
    RUN_TEST(a_steady_state_takes_no_memory);
    RUN_TEST(a_seed_is_a_run);
    RUN_TEST(nothing_is_lost_or_differs_whatever_happens);
    RUN_TEST(a_leader_that_is_cut_off_commits_nothing_and_knows_it_soon);
    RUN_TEST(who_hears_nobody_does_not_depose_the_leader);
    RUN_TEST(a_leader_with_a_full_disk_goes_on_with_the_others);
    RUN_TEST(a_majority_of_full_disks_commits_nothing_until_there_is_room);
    RUN_TEST(who_is_far_behind_is_sent_a_snapshot);
    RUN_TEST(a_damaged_replica_elects_nobody_who_lacks_what_it_forgot);
    RUN_TEST(acknowledging_before_the_sync_loses_entries);
    RUN_TEST(votes_that_are_not_persisted_elect_two);
    RUN_TEST(installing_a_snapshot_over_its_suffix_loses_entries);
    RUN_TEST(committing_an_entry_of_an_old_term_loses_it);
    RUN_TEST(messages_are_put_into_words);
    return UNITY_END();
}
