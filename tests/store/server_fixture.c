#include "tests/store/server_fixture.h"

struct world world;
struct cluster cluster;
struct server servers[NODES];
struct protocol protocol;
struct error err;
uint32_t leader[SHARDS];
bool leader_is_known;
struct share shares[SHARDS][FIXTURE_TXNS_MAX];
int64_t stored[FIXTURE_KEYS_MAX];
struct asked asked[65536];
uint32_t asked_count;
bool (*shard_says)(struct replica *, const struct ask *, struct shard_answer *);

struct text row_of(int64_t id, int64_t value)
{
    struct wire_writer w = { .pool = &cluster.pool };
    struct datum cells[2] = { datum_of_int64(id), datum_of_int64(value) };

    row_put(&w, cells, 2);
    return wire_writer_text(&w);
}

int64_t value_of_row(struct text row)
{
    struct datum cells[2];

    TEST_ASSERT_TRUE(row_get(row, cells, 2, &cluster.catalog.arrays));
    return cells[1].as.integer;
}

uint32_t key_on(uint32_t shard, uint32_t n)
{
    struct datum cells[2] = { datum_of_int64(1), datum_null() };

    for (;; cells[0].as.integer++) {
        uint32_t key = catalog_key_of_row(&cluster.catalog, 0, cells);
        TEST_ASSERT_TRUE(key < FIXTURE_KEYS_MAX);
        if (catalog_shard(&cluster.catalog, key) == shard && n-- == 0)
            return key;
    }
}

/* --- An obedient shard ------------------------------------------------------------------------ */

static struct read_row stored_row(uint32_t key)
{
    struct read_row row = { .key = key, .is_row = stored[key] != NO_VALUE };

    if (row.is_row)
        row.row = row_of(key, stored[key]);
    return row;
}

static void obey_read(struct replica *replica, const struct ask *ask, struct shard_answer *answer)
{
    static struct read_row rows[FIXTURE_KEYS_MAX];

    for (uint32_t i = 0; i < ask->key_count; i++)
        rows[answer->row_count++] = stored_row(ask->keys[i]);
    for (uint32_t key = 0; ask->scope != SCOPE_NONE && key < cluster.catalog.keys.count; key++)
        if (catalog_shard(&cluster.catalog, key) == replica->shard.number &&
            stored[key] != NO_VALUE &&
            catalog_matches(&cluster.catalog, ask->scope, row_of(key, stored[key])))
            rows[answer->row_count++] = stored_row(key);
    answer->rows = rows;
}

void end_share(uint32_t shard, uint64_t txn, const struct decision *decision)
{
    struct share *share = &shares[shard][txn];

    if (share->is_over)
        return;
    share->is_over = true;
    share->decision = *decision;
    share->commits = share->decision.commits = decision->commits && share->is_prepared;
    for (uint32_t i = 0; share->commits && i < share->change_count; i++)
        stored[share->changes[i].key] = share->changes[i].value;
}

static void obey_prepare(struct replica *replica, const struct ask *ask,
                         struct shard_answer *answer)
{
    uint32_t shard = replica->shard.number;
    struct share *share = &shares[shard][ask->txn];
    const struct prepare *p = &ask->prepare;

    answer->vote = (struct vote){ .at = server_now(replica->server, ask->txn),
                                  .out = stamp_never(),
                                  .pivot = stamp_never() };
    if (!share->is_over && !share->is_prepared) {
        TEST_ASSERT_TRUE(p->change_count <= FIXTURE_CHANGES_MAX);
        share->is_prepared = true;
        for (uint32_t i = 0; i < p->change_count; i++) {
            share->changes[i].key = p->changes[i].key;
            share->changes[i].value =
                p->changes[i].is_removed ? NO_VALUE : value_of_row(p->changes[i].row);
        }
        share->change_count = p->change_count;
    }
    if (p->is_alone && !share->is_over)
        end_share(shard, ask->txn,
                  &(struct decision){ .txn = ask->txn, .commits = true, .at = answer->vote.at });
    if (share->is_over) {
        answer->decision = share->decision;
        answer->refusal = answer->vote.refusal = share->commits ? REFUSED_NOT : REFUSED_ABORTED;
    }
}

static void obey_decide(struct replica *replica, const struct ask *ask, struct shard_answer *answer)
{
    uint32_t anchor = replica->shard.number;

    end_share(anchor, ask->txn, &ask->decision);
    answer->decision = shares[anchor][ask->txn].decision;
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        if (ask->decision.participants >> shard & 1)
            end_share(shard, ask->txn, &answer->decision);
}

bool shard_obeys(struct replica *replica, const struct ask *ask, struct shard_answer *answer)
{
    switch (ask->kind) {
    case ASK_READ:
        obey_read(replica, ask, answer);
        break;
    case ASK_PREPARE:
        obey_prepare(replica, ask, answer);
        break;
    case ASK_DECIDE:
        obey_decide(replica, ask, answer);
        break;
    case ASK_PROBE:
        return false;
    default:
        break;
    }
    return true;
}

/* --- In the place of replicas, of Raft, and of what has several leaders ------------------------- */

void replica_open(struct replica *replica, struct server *server, uint32_t shard,
                  const struct raft_options *options)
{
    (void)options;
    replica->server = server;
    replica->shard.number = shard;
}

void replica_ask(struct replica *replica, const struct ask *ask)
{
    uint32_t shard = replica->shard.number, node = replica->server->node;
    struct shard_answer answer = {
        .kind = ask->kind, .txn = ask->txn, .number = ask->number, .shard = shard, .term = 1
    };

    TEST_ASSERT_TRUE(ask->txn < FIXTURE_TXNS_MAX);
    if (leader[shard] != node) {
        answer.refusal = REFUSED_NOT_LEADER;
        answer.leader = leader_is_known ? leader[shard] : WORLD_NOBODY;
        server_send_answer(replica->server, ask->from, shard, &answer, false);
        return;
    }
    TEST_ASSERT_TRUE(asked_count < ROW_COUNT(asked));
    asked[asked_count++] =
        (struct asked){ .kind = ask->kind,
                        .shard = shard,
                        .node = node,
                        .from = ask->from,
                        .number = ask->number,
                        .txn = ask->txn,
                        .at = ask->at,
                        .key_count = ask->key_count,
                        .change_count = ask->prepare.change_count,
                        .path_count = ask->path_count,
                        .path_begin = ask->path_count ? ask->path[0] : (struct stamp){ 0 },
                        .prepare = ask->prepare,
                        .decision = ask->decision };
    if (shard_says(replica, ask, &answer))
        server_send_answer(replica->server, ask->from, shard, &answer, false);
}

void replica_answer(struct replica *replica, const struct shard_answer *answer)
{
    (void)replica;
    (void)answer;
}

bool replica_is_cut_off(const struct replica *replica)
{
    (void)replica;
    return false;
}

void replica_tick(struct replica *replica)
{
    (void)replica;
}

void replica_retry(struct replica *replica)
{
    (void)replica;
}

void raft_on_message(struct raft *raft, uint32_t from_node, struct text bytes)
{
    (void)raft;
    (void)from_node;
    (void)bytes;
}

void raft_on_timer(struct raft *raft, uint64_t payload)
{
    (void)raft;
    (void)payload;
}

void raft_on_completion(struct raft *raft, uint64_t what)
{
    (void)raft;
    (void)what;
}

void raft_describe(struct text bytes, struct buffer *to)
{
    (void)bytes;
    (void)to;
}

struct multileader *multileader_open(struct server *server, const struct local_rules *rules)
{
    (void)server;
    (void)rules;
    return NULL;
}

void multileader_request(struct multileader *multileader, uint32_t client, struct text bytes)
{
    (void)multileader;
    (void)client;
    (void)bytes;
}

void multileader_message(struct multileader *multileader, uint32_t node, struct text bytes)
{
    (void)multileader;
    (void)node;
    (void)bytes;
}

void multileader_timer(struct multileader *multileader, uint64_t payload)
{
    (void)multileader;
    (void)payload;
}

void multileader_completion(struct multileader *multileader, uint64_t what)
{
    (void)multileader;
    (void)what;
}

uint32_t cluster_replica_node(const struct cluster *c, uint32_t shard, uint32_t index)
{
    (void)c;
    return (shard + index) % NODES;
}

/* --- Opening and running ------------------------------------------------------------------------ */

static const struct schema_column fixture_columns[] = {
    { .name = { "id", 2 }, .type = { .kind = TYPE_BIGINT }, .not_null = true },
    { .name = { "value", 5 }, .type = { .kind = TYPE_BIGINT } },
};

static const uint16_t fixture_key[] = { 0 };

static const struct schema_table fixture_tables[] = {
    { .name = { "t", 1 },
      .columns = fixture_columns,
      .column_count = 2,
      .key = { fixture_key, 1 } },
    { .name = { "probe", 5 },
      .columns = fixture_columns,
      .column_count = 2,
      .key = { fixture_key, 1 } },
};

static const struct schema fixture_schema = { .tables = fixture_tables, .table_count = 2 };

static const enum table_shape fixture_shapes[] = { TABLE_ROWS, TABLE_ROWS };

static void open_server(uint32_t node)
{
    struct disk_config config = { .file_count_max = 1, .page_count_max = 1 };
    struct random_key key = random_key_fork(world_key(&world), "disk/%u", node);

    ASSERT_OK(disk_init(&servers[node].disk, &config, key, cluster.arena, &err), &err);
    ASSERT_OK(server_init(&servers[node], &cluster, node, &err), &err);
    world_set_process(&world, node, &server_process, &servers[node]);
}

void fixture_open(const struct world_options *options, struct bugs bugs)
{
    static struct arena arena;
    struct record_options record = { .catalog = &cluster.catalog,
                                     .workload = "test",
                                     .exports_snapshot = protocol.exports_snapshot,
                                     .keeps = true,
                                     .table_count = 1 };

    if (!arena.base)
        ASSERT_OK(arena_init(&arena, FIXTURE_ARENA_BYTES, &err), &err);
    arena_reset_to(&arena, 0);
    ASSERT_OK(world_init(&world, options, &arena, &err), &err);
    cluster = (struct cluster){ .world = &world, .arena = &arena, .servers = servers };
    cluster.options = (struct cluster_options){ .protocol = &protocol,
                                                .bugs = bugs,
                                                .shards = SHARDS,
                                                .replicas = NODES,
                                                .sessions = options->client_count,
                                                .retention_ns = 10 * SECOND,
                                                .ask_timeout_ns = SECOND / 10,
                                                .in_doubt_ns = SECOND,
                                                .wait_ns = 5 * SECOND,
                                                .gossip_ns = SECOND / 50 };
    pool_memory_init(&cluster.memory, &arena, (size_t)1 << 30);
    pool_init(&cluster.pool, &cluster.memory);
    ASSERT_OK(catalog_init(&cluster.catalog, &fixture_schema, fixture_shapes, SHARDS, &arena, &err),
              &err);
    ASSERT_OK(record_open(&cluster.record, &record, &err), &err);
    memset(servers, 0, sizeof servers);
    memset(shares, 0, sizeof shares);
    for (uint32_t key = 0; key < FIXTURE_KEYS_MAX; key++)
        stored[key] = NO_VALUE;
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        leader[shard] = cluster_replica_node(&cluster, shard, 0);
    leader_is_known = true;
    asked_count = 0;
    shard_says = shard_obeys;
    for (uint32_t node = 0; node < NODES; node++)
        open_server(node);
}

void fixture_close(void)
{
    for (uint32_t node = 0; node < NODES; node++)
        server_close(&servers[node]);
    record_close(cluster.record);
    catalog_close(&cluster.catalog);
    world_close(&world);
}

void run_for(int64_t ns)
{
    ASSERT_OK(world_run(&world, world.now_ns + ns, &err), &err);
    ASSERT_OK(cluster.failure.status, &cluster.failure);
}

uint32_t count_asked(enum ask_kind kind, uint32_t shard)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < asked_count; i++)
        count += asked[i].kind == kind && asked[i].shard == shard;
    return count;
}

const struct asked *last_asked(enum ask_kind kind, uint32_t shard)
{
    for (uint32_t i = asked_count; i-- > 0;)
        if (asked[i].kind == kind && asked[i].shard == shard)
            return &asked[i];
    TEST_FAIL_MESSAGE("it was never asked");
    return NULL;
}
