#include "tests/store/clients/client_fixture.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * Storms: everything at once: lost, doubled and late messages, crashes of coordinators,
 * shards that refuse, stay silent, give up, forget, and change their leaders.
 * What clients were told must be true all the same.
 */
static struct random storm;

static bool one_in(uint64_t n)
{
    return random_below(&storm, n) == 0;
}

static struct intent random_intent(uint32_t client)
{
    static struct row_change changes[CLIENTS_MAX];
    static uint32_t keys[CLIENTS_MAX][2];
    struct run *run = &runs[client];

    if (run->step == 5 || one_in(4))
        return (struct intent){ .kind = one_in(12) ? INTENT_ABORT : INTENT_COMMIT };
    if (one_in(10))
        return (struct intent){ .kind = INTENT_WAIT, .wait_ns = 20 * MS };
    if (one_in(8))
        return (struct intent){ .kind = INTENT_READ,
                                .scope = catalog_whole_table(&cluster.catalog, 0) };
    if (one_in(2)) {
        keys[client][0] = key_on((uint32_t)random_below(&storm, SHARDS), 1);
        keys[client][1] = key_on((uint32_t)random_below(&storm, SHARDS), 2);
        return (struct intent){
            .kind = INTENT_READ, .keys = keys[client], .key_count = 2, .scope = SCOPE_NONE
        };
    }
    changes[client] = (struct row_change){
        .key = key_on((uint32_t)random_below(&storm, SHARDS), (uint32_t)random_below(&storm, 2)),
        .is_removed = one_in(5),
    };
    if (!changes[client].is_removed)
        changes[client].row = row_of(1, (int64_t)random_below(&storm, 100));
    return (struct intent){ .kind = INTENT_WRITE, .changes = &changes[client], .change_count = 1 };
}

static bool refuses(struct shard_answer *answer, enum refusal refusal)
{
    answer->refusal = answer->vote.refusal = refusal;
    return true;
}

static bool is_moody(struct replica *replica, const struct ask *ask, struct shard_answer *answer)
{
    struct share *share = &shares[replica->shard.number][ask->txn];

    if (one_in(20))
        return false;
    if (one_in(30))
        return refuses(answer, REFUSED_OVERLOADED);
    if ((ask->kind == ASK_READ || ask->kind == ASK_LOCK) && one_in(15))
        return refuses(answer, REFUSED_DEADLOCK);
    if (ask->kind == ASK_PREPARE && !share->is_prepared && !share->is_over) {
        if (one_in(10))
            return refuses(answer, REFUSED_UNDECIDED);
        if (one_in(10) && ask->prepare.anchor == replica->shard.number) /* in doubt too early */
            end_share(replica->shard.number, ask->txn, &(struct decision){ .txn = ask->txn });
    }
    if (ask->kind == ASK_DECIDE && share->is_over && one_in(3))
        return refuses(answer, REFUSED_TOO_OLD);
    if (ask->kind == ASK_DECIDE && !share->is_over && one_in(20))
        share->is_prepared = false; /* it decided to abort by itself */
    return shard_obeys(replica, ask, answer) && !one_in(20);
}

static void strike(void)
{
    uint32_t node = (uint32_t)random_below(&storm, NODES);
    uint32_t shard = (uint32_t)random_below(&storm, SHARDS);

    if (one_in(4) && world_node_state(&world, node) == NODE_UP)
        fault_crash(&world, node);
    else if (world_node_state(&world, node) == NODE_DOWN)
        fault_restart(&world, node);
    if (one_in(3))
        leader[shard] = one_in(3) ? WORLD_NOBODY : (uint32_t)random_below(&storm, NODES);
    leader_is_known = !one_in(3);
}

static void end_storm(void)
{
    shard_says = shard_obeys;
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        leader[shard] = cluster_replica_node(&cluster, shard, 0);
    leader_is_known = true;
    fault_heal_everything(&world);
    for (uint32_t i = 0; i < client_count; i++) {
        client_stop(clients[i]);
        client_probe(clients[i]);
    }
    run_for(30 * SECOND);
}

static bool has_committed(uint64_t txn)
{
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        if (shares[shard][txn].commits)
            return true;
    return false;
}

static bool has_written(uint64_t txn)
{
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        if (shares[shard][txn].change_count > 0)
            return true;
    return false;
}

static void assert_true_end(const struct end *end, uint64_t seed)
{
    char message[100];

    snprintf(message, sizeof message, "seed %" PRIu64 ", transaction %" PRIu64, seed, end->txn);
    if (end->status == TXN_ABORT) {
        TEST_ASSERT_FALSE_MESSAGE(has_committed(end->txn), message);
        return;
    }
    TEST_ASSERT_TRUE_MESSAGE(end->asked_to_commit, message);
    if (end->status == TXN_OK && has_written(end->txn)) {
        TEST_ASSERT_TRUE_MESSAGE(has_committed(end->txn), message);
    }
}

/* All that were asked to prepare, and have heard, have heard the same. */
static void assert_atomic(uint64_t seed)
{
    for (uint32_t i = 0; i < asked_count; i++) {
        const struct share *share = &shares[asked[i].shard][asked[i].txn];
        if (asked[i].kind == ASK_DECIDE && asked[i].decision.commits && share->is_over)
            for (uint32_t shard = 0; shard < SHARDS; shard++)
                if (asked[i].decision.participants >> shard & 1)
                    TEST_ASSERT_EQUAL_MESSAGE(share->commits, shares[shard][asked[i].txn].commits,
                                              "not atomic");
    }
    (void)seed;
}

static void assert_nothing_is_left(uint64_t seed)
{
    char message[100];

    snprintf(message, sizeof message, "seed %" PRIu64, seed);
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_TRUE_MESSAGE(servers[node].coordinator.txns.count == 0, message);
    for (uint32_t i = 0; i < client_count; i++) {
        TEST_ASSERT_FALSE_MESSAGE(runs[i].is_running, message);
        TEST_ASSERT_TRUE_MESSAGE(client_probes_done(clients[i]), message);
    }
}

static uint64_t statuses[TXN_STATUS_COUNT];
static struct sometimes seen;

static void run_storm(uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);

    world_options.seed = seed;
    random_init(&storm, &key);
    open_again();
    next_of = random_intent;
    shard_says = is_moody;
    for (int i = 0; i < 200; i++) {
        strike();
        run_for((int64_t)random_below(&storm, 200) * MS);
    }
    end_storm();
    for (uint32_t i = 0; i < end_count; i++) {
        statuses[ends[i].status]++;
        assert_true_end(&ends[i], seed);
    }
    assert_atomic(seed);
    assert_nothing_is_left(seed);
    for (int i = 0; i < SOMETIMES_COUNT; i++)
        seen.counts[i] += cluster.sometimes.counts[i];
}

static void run_storms(void)
{
    memset(statuses, 0, sizeof statuses);
    memset(&seen, 0, sizeof seen);
    client_count = CLIENTS_MAX;
    client_options.transactions = 0;
    world_options.network.loss = (struct ratio){ 3, 100 };
    world_options.network.duplicate = (struct ratio){ 10, 100 };
    world_options.network.reorder = (struct ratio){ 20, 100 };
    world_options.network.reorder_delay_ns_max = 300 * MS;
    for (uint64_t seed = 1; seed <= fixture_rounds(12); seed++)
        run_storm(seed);
    for (int status = 0; status < TXN_STATUS_COUNT; status++)
        TEST_ASSERT_TRUE(statuses[status] > 0);
    TEST_ASSERT_TRUE(seen.counts[SOMETIMES_COORDINATOR_LOST] > 0);
    TEST_ASSERT_TRUE(seen.counts[SOMETIMES_STATEMENT_RETRIED] > 0);
    TEST_ASSERT_TRUE(seen.counts[SOMETIMES_COMMIT_UNKNOWN] > 0);
}

static void in_storms_clients_are_told_the_truth(void)
{
    run_storms();
}

static void in_storms_clients_are_told_the_truth_by_single_shards(void)
{
    protocol.is_alone = true;
    run_storms();
}

static uint64_t written_shards(struct txn *txn)
{
    return txn->written;
}

static uint64_t touched_shards(struct txn *txn)
{
    return txn->touched;
}

static void nothing_to_do(struct replica *replica, uint64_t txn)
{
    (void)replica;
    (void)txn;
}

static void in_storms_clients_are_told_the_truth_where_locks_are_held(void)
{
    protocol.locks_writes = true;
    protocol.prepares = written_shards;
    protocol.checks = touched_shards;
    protocol.over = nothing_to_do;
    run_storms();
}

static enum txn_next read_again_at_times(struct txn *txn)
{
    if (one_in(4))
        return NEXT_READ_AGAIN;
    if (one_in(4)) {
        txn->check_to = stamp_after(txn->snapshot, 0);
        return NEXT_CHECK;
    }
    return one_in(20) ? NEXT_ABORT : NEXT_GO_ON;
}

static enum txn_next check_again_at_times(struct txn *txn, const struct vote *merged)
{
    (void)merged;
    txn->check_to = stamp_after(txn->snapshot, 0);
    return one_in(3) ? NEXT_CHECK : one_in(20) ? NEXT_ABORT : NEXT_GO_ON;
}

static void in_storms_clients_are_told_the_truth_where_reads_are_looked_at_again(void)
{
    protocol.read = read_again_at_times;
    protocol.voted = check_again_at_times;
    run_storms();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(in_storms_clients_are_told_the_truth);
    RUN_TEST(in_storms_clients_are_told_the_truth_by_single_shards);
    RUN_TEST(in_storms_clients_are_told_the_truth_where_locks_are_held);
    RUN_TEST(in_storms_clients_are_told_the_truth_where_reads_are_looked_at_again);
    return UNITY_END();
}
