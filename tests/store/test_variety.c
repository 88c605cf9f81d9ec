/*
 * Variety is the point of simulating: how many different conflict graphs small runs make.
 *
 * A graph has the committed transactions as nodes, named by their session and their
 * place in it, and as edges who wrote next after whom, who read from whom and who read
 * what whom overwrote; two are the same if they have the same edges.
 *
 * test_variety --print says how many there are in a thousand runs of each protocol.
 */
#include "tests/store/cluster_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

enum edge { EDGE_WRITE = 1, EDGE_READ, EDGE_OVERWRITTEN };

/* Session and place in it, whatever numbers the run gave. */
static uint64_t name_of(const struct history *h, uint32_t txn)
{
    uint64_t place = 0;

    for (uint32_t t = 0; t < txn; t++)
        place += h->txn_session[t] == h->txn_session[txn] && h->txn_status[t] == TXN_OK;
    return (uint64_t)h->txn_session[txn] << 32 | place;
}

static uint64_t edge_hash(const struct history *h, enum edge kind, uint32_t from, uint32_t to)
{
    return hash_number(hash_number(name_of(h, from) ^ HASH_ODD_1) + 3 * hash_number(name_of(h, to)) +
                       kind);
}

/* What the transaction's reads of the key say of a writer and the one after it, if there is one. */
static uint64_t reads_hash(const struct history *h, uint32_t key, uint32_t version, uint32_t next)
{
    uint64_t sum = 0;

    for (uint32_t op = 0; op < h->op_count; op++) {
        uint32_t txn = history_txn_of(h, op);
        if (h->op_kind[op] != OP_READ || h->op_key[op] != key || h->txn_status[txn] != TXN_OK ||
            !history_values_equal(h, history_value(h, op), history_value(h, version)))
            continue;
        sum += edge_hash(h, EDGE_READ, history_txn_of(h, version), txn);
        if (next != HISTORY_NONE)
            sum += edge_hash(h, EDGE_OVERWRITTEN, txn, history_txn_of(h, next));
    }
    return sum;
}

static uint64_t graph_hash(const struct history *h)
{
    uint64_t sum = 0;

    for (uint32_t key = 0; key < h->key_count; key++) {
        uint32_t order = h->key_order[key];
        if (order == HISTORY_NONE)
            continue;
        for (uint64_t i = h->order_start[order]; i < h->order_start[order + 1]; i++) {
            bool is_last = i + 1 == h->order_start[order + 1];
            uint32_t next = is_last ? HISTORY_NONE : h->order_version[i + 1];
            if (h->order_version[i] == VERSION_INITIAL)
                continue;
            sum += reads_hash(h, key, h->order_version[i], next);
            if (next != HISTORY_NONE)
                sum += edge_hash(h, EDGE_WRITE, history_txn_of(h, h->order_version[i]),
                                 history_txn_of(h, next));
        }
    }
    return sum;
}

static size_t count_graphs(const char *protocol, uint64_t runs)
{
    struct map graphs = { 0 };
    struct error err = { 0 };
    size_t count, place;

    for (uint64_t seed = 1; seed <= runs; seed++) {
        struct cluster_case it = cluster_case_of(protocol, "rw-register", seed);
        struct cluster_run run;

        it.sessions = 4;
        it.transactions = 12;
        it.parameters[0][0] = "keys";
        it.parameters[0][1] = "4";
        run = cluster_run(&it);
        ASSERT_OK(map_add(&graphs, graph_hash(&run.history), 1, &place, &err), &err);
        cluster_run_close(&run);
    }
    count = graphs.keys.count;
    map_close(&graphs);
    return count;
}

static void nearly_every_seed_makes_another_graph(void)
{
    for (const char *const *protocol = store_protocol_names(); *protocol; protocol++)
        TEST_ASSERT_GREATER_THAN_MESSAGE(17, count_graphs(*protocol, 20), *protocol);
}

int main(int count, char **arguments)
{
    UNITY_BEGIN();
    if (count == 2 && strcmp(arguments[1], "--print") == 0) {
        for (const char *const *protocol = store_protocol_names(); *protocol; protocol++)
            printf("%-8s %zu different conflict graphs in 1000 runs\n", *protocol,
                   count_graphs(*protocol, 1000));
        return 0;
    }
    RUN_TEST(nearly_every_seed_makes_another_graph);
    return UNITY_END();
}
