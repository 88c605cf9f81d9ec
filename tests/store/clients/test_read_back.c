/*
 * At the end of a run everything is read back, and what was lost is found by that.
 */
#include <stdlib.h>

#include "tests/fixture.h"
#include "tests/store/cluster_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static struct cluster_case case_of(const char *protocol)
{
    return cluster_case_of(protocol, "rw-register", 3);
}

/* The last transaction that wrote. */
static uint32_t last_writer(const struct history *h)
{
    uint32_t last = 0;

    for (uint32_t op = 0; op < h->op_count; op++)
        if (op_is_write((enum op_kind)h->op_kind[op]))
            last = history_txn_of(h, op);
    return last;
}

static bool is_read_after(const struct history *h, uint32_t key, uint32_t txn)
{
    for (uint32_t op = h->txn_op[txn + 1]; op < h->op_count; op++)
        if (h->op_kind[op] == OP_READ && h->op_key[op] == key &&
            h->txn_status[history_txn_of(h, op)] == TXN_OK)
            return true;
    return false;
}

static void every_key_is_read_back_and_the_reads_are_not_counted(void)
{
    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct cluster_case it = case_of(*protocol);
        struct cluster_run run = cluster_run(&it);
        const struct history *h = &run.history;
        uint32_t last = last_writer(h), committed = 0;

        TEST_ASSERT_NULL_MESSAGE(run.complaint, *protocol);
        TEST_ASSERT_TRUE_MESSAGE(h->key_count > 5, *protocol);
        for (uint32_t key = 0; key < h->key_count; key++)
            TEST_ASSERT_TRUE_MESSAGE(is_read_after(h, key, last), *protocol);
        for (uint32_t txn = 0; txn < h->txn_count; txn++)
            committed += h->txn_status[txn] == TXN_OK;
        TEST_ASSERT_EQUAL_MESSAGE(it.transactions, run.findings.committed, *protocol);
        TEST_ASSERT_TRUE_MESSAGE(committed > run.findings.committed, *protocol);
        cluster_run_close(&run);
    }
}

/* With several leaders, each session looks for what it has seen itself. */
static void sessions_share_the_keys_of_a_store_with_leaders(void)
{
    static const struct {
        const char *protocol;
        uint32_t txns;
    } rows[] = { { "2pl", 1 }, { "causal", 6 } }; /* there are less than 32 keys and 6 sessions */

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct cluster_case it = case_of(rows[i].protocol);
        struct cluster_run run = cluster_run(&it);
        uint64_t committed = 0;

        TEST_ASSERT_TRUE(run.history.key_count <= 32);
        for (uint32_t txn = 0; txn < run.history.txn_count; txn++)
            committed += run.history.txn_status[txn] == TXN_OK;
        TEST_ASSERT_EQUAL_MESSAGE(run.findings.committed + rows[i].txns, committed,
                                  rows[i].protocol);
        cluster_run_close(&run);
    }
}

/* Where a key of the workload stands. */
static struct stored_versions *versions_of(struct cluster *cluster, uint32_t node, uint32_t key)
{
    struct replica *replica = cluster->servers[node].replicas[catalog_shard(&cluster->catalog, key)];

    return replica ? &replica->shard.versions : NULL;
}

/* The last write of all is gone from every replica: no replica differs, and nobody is told. */
static void lose_last_write(struct cluster *cluster)
{
    struct stamp last = { 0 };
    uint32_t lost = UINT32_MAX;

    for (uint32_t key = 0; key < catalog_key_count(&cluster->catalog); key++) {
        uint32_t node = cluster_replica_node(cluster, catalog_shard(&cluster->catalog, key), 0);
        const struct stored_version *newest = versions_newest(versions_of(cluster, node, key), key);

        if (newest && newest->older && stamp_less(last, newest->at)) {
            last = newest->at;
            lost = key;
        }
    }
    TEST_ASSERT_NOT_EQUAL(UINT32_MAX, lost);
    for (uint32_t node = 0; node < cluster->world->options.node_count; node++) {
        struct stored_versions *versions = versions_of(cluster, node, lost);
        const struct stored_version *newest = versions ? versions_newest(versions, lost) : NULL;

        if (newest && stamp_equal(newest->at, last))
            versions->newest.at[lost] = newest->older;
    }
}

static void a_write_that_is_lost_when_all_is_over_is_found(void)
{
    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++) {
        struct cluster_case it = case_of(*protocol);
        struct cluster_run run;

        if (!it.protocol->on_raft)
            continue;
        it.after_healing = lose_last_write;
        run = cluster_run(&it);
        TEST_ASSERT_FALSE_MESSAGE(run.findings.stuck, *protocol);
        TEST_ASSERT_NOT_NULL_MESSAGE(run.complaint, *protocol);
        cluster_run_close(&run);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_key_is_read_back_and_the_reads_are_not_counted);
    RUN_TEST(sessions_share_the_keys_of_a_store_with_leaders);
    RUN_TEST(a_write_that_is_lost_when_all_is_over_is_found);
    return UNITY_END();
}
