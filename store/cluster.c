#include "store/cluster_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/clients/driver.h"
#include "store/clients/record.h"
#include "store/equality_private.h"

/*
 * A driver whose clients read all that the store holds, at the end of a run.
 *
 * When all has healed and nothing is under way, ordinary transactions of the
 * clients' sessions read every key that the workload has a name for, rows that are
 * absent included, a few dozen in each. They stand in the history and are judged
 * as any other: a write that was acknowledged and then lost is seen by nobody if
 * nobody reads it again.
 *
 * With leaders, a key has one place where it is read: clients share the keys.
 * With several leaders each client reads every key, at its own node and behind
 * its own session's writes.
 */

struct read_back;

#define KEYS_PER_TXN 32

struct reader_of_all {
    uint32_t next, count; /* of the keys that this transaction reads */
    bool has_read;
};

struct read_back {
    struct driver driver;
    ARRAY(uint32_t) keys;
    uint32_t stride; /* from the keys of one transaction of a client to those of its next */
    struct reader_of_all *clients;
};

/* False: all has been read. What was not committed is read again. */
static bool read_back_begin(void *context, uint32_t number, uint64_t ordinal, uint32_t attempt)
{
    struct read_back *b = context;
    struct reader_of_all *client = &b->clients[number];
    uint32_t left;

    (void)ordinal;
    (void)attempt;
    if (client->next >= b->keys.count)
        return false;
    left = b->keys.count - client->next;
    client->count = left < KEYS_PER_TXN ? left : KEYS_PER_TXN;
    client->has_read = false;
    return true;
}

static struct intent read_back_next(void *context, uint32_t number)
{
    struct read_back *b = context;
    const struct reader_of_all *client = &b->clients[number];

    if (client->has_read)
        return (struct intent){ .kind = INTENT_COMMIT, .scope = SCOPE_NONE };
    return (struct intent){
        .kind = INTENT_READ,
        .keys = b->keys.at + client->next,
        .key_count = client->count,
        .scope = SCOPE_NONE,
        .first_table = true,
    };
}

static void record_keys(struct read_back *b, uint32_t number, const struct driver_answer *answer,
                        uint32_t row_count)
{
    const struct reader_of_all *client = &b->clients[number];

    record_read_keys(
        answer->record, answer->txn, &answer->op,
        &(struct record_keys){ b->keys.at + client->next, client->count, answer->rows, row_count });
}

static void read_back_answered(void *context, uint32_t number, const struct driver_answer *answer)
{
    struct read_back *b = context;

    record_keys(b, number, answer, answer->row_count);
    b->clients[number].has_read = true;
}

static void unanswered(void *context, uint32_t number, const struct driver_answer *answer)
{
    record_keys(context, number, answer, 0);
}

static void read_back_ended(void *context, uint32_t number, enum txn_status status, uint64_t txn)
{
    struct read_back *b = context;

    (void)txn;
    if (status == TXN_OK)
        b->clients[number].next += b->stride;
}

/* Keys of the first tables, as the catalog knows them now. Memory is the pool's. */
static struct read_back *read_back_open(struct pool *pool, const struct catalog *catalog,
                                 uint32_t table_count, uint32_t clients, bool each_reads_all)
{
    struct read_back *b = pool_take(pool, sizeof *b);

    assert(clients > 0);
    b->driver = (struct driver){ .context = b,
                                 .begin = read_back_begin,
                                 .next = read_back_next,
                                 .answered = read_back_answered,
                                 .unanswered = unanswered,
                                 .ended = read_back_ended };
    b->clients = pool_take(pool, clients * sizeof *b->clients);
    b->stride = each_reads_all ? KEYS_PER_TXN : KEYS_PER_TXN * clients;
    for (uint32_t key = 0; key < catalog_key_count(catalog); key++)
        if (catalog_table(catalog, key) < table_count)
            pool_push(pool, &b->keys, key);
    for (uint32_t i = 0; i < clients; i++)
        b->clients[i].next = each_reads_all ? 0 : KEYS_PER_TXN * i;
    return b;
}

static const struct driver *read_back_driver(const struct read_back *b)
{
    return &b->driver;
}

#define MILLISECOND INT64_C(1000000)
#define SETTLE_STEP_NS (50 * MILLISECOND)

static const struct schema_column probe_columns[] = {
    { .name = { "key", 3 }, .type = { .kind = TYPE_BIGINT }, .not_null = true },
    { .name = { "value", 5 }, .type = { .kind = TYPE_BIGINT } },
};
static const uint16_t probe_key[] = { 0 };
static const struct schema_table probe_table = {
    .name = { CLUSTER_PROBE_TABLE_NAME, sizeof CLUSTER_PROBE_TABLE_NAME - 1 },
    .columns = probe_columns,
    .column_count = ROW_COUNT(probe_columns),
    .key = { probe_key, ROW_COUNT(probe_key) },
};

static void set_default(int64_t *value, int64_t fallback)
{
    if (*value == 0)
        *value = fallback;
}

static bool takes_no_time(const struct latency *latency)
{
    return latency->kind == LATENCY_CONSTANT && latency->base_ns == 0;
}

/* How large it is, is not for who says how fast it is. */
static enum status set_disk_defaults(struct disk_config *disk, struct error *err)
{
    disk->file_count_max = CATALOG_SHARDS_MAX * RAFT_FILES;
    if (disk->page_count_max == 0)
        disk->page_count_max = 1 << 18;
    if (!takes_no_time(&disk->read) || !takes_no_time(&disk->write) || !takes_no_time(&disk->sync))
        return STATUS_OK;
    disk->page_ns = 1000;
    TRY(latency_constant(&disk->read, 80 * MILLISECOND / 1000, err));
    TRY(latency_constant(&disk->write, 20 * MILLISECOND / 1000, err));
    return latency_lognormal(&disk->sync, 200 * MILLISECOND / 1000, MILLISECOND, err);
}

static enum status set_defaults(struct cluster_options *options, struct error *err)
{
    struct client_options *client = &options->client;

    set_default(&options->heartbeat_ns, 50 * MILLISECOND);
    set_default(&options->election_ns, 300 * MILLISECOND);
    set_default(&options->retention_ns, 10000 * MILLISECOND);
    set_default(&options->ask_timeout_ns, 100 * MILLISECOND);
    set_default(&options->in_doubt_ns, 1000 * MILLISECOND);
    set_default(&options->wait_ns, 5000 * MILLISECOND);
    set_default(&options->gossip_ns, 20 * MILLISECOND);
    set_default(&client->request_timeout_ns, 400 * MILLISECOND);
    set_default(&client->patience_ns, 5000 * MILLISECOND);
    set_default(&client->backoff_ns, 5 * MILLISECOND);
    if (client->attempts_max == 0)
        client->attempts_max = 10;
    if (options->snapshot_entries == 0)
        options->snapshot_entries = 8000;
    if (options->memory_bytes_max == 0)
        options->memory_bytes_max = (size_t)2 << 30;
    return set_disk_defaults(&options->disk, err);
}

/* The workload's tables, and behind them the one of the probes. */
static enum status add_probe_table(struct cluster *cluster, const struct cluster_workload *workload,
                                   struct error *err)
{
    uint32_t count = workload->schema->table_count;
    struct schema_table *tables = arena_push(cluster->arena, count + 1, sizeof *tables);
    enum table_shape *shapes = arena_push(cluster->arena, count + 1, sizeof *shapes);
    struct schema *schema = arena_push(cluster->arena, 1, sizeof *schema);

    if (!tables || !shapes || !schema)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " tables", count);
    memcpy(tables, workload->schema->tables, count * sizeof *tables);
    memcpy(shapes, workload->shapes, count * sizeof *shapes);
    tables[count] = probe_table;
    shapes[count] = TABLE_ROWS;
    *schema = *workload->schema;
    schema->tables = tables;
    schema->table_count = count + 1;
    return catalog_init(&cluster->catalog, schema, shapes,
                        cluster->options.protocol->on_raft ? cluster->options.shards : 1,
                        cluster->arena, err);
}

static enum status open_servers(struct cluster *cluster, struct error *err)
{
    struct world *world = cluster->world;
    uint32_t nodes = world->options.node_count;

    cluster->servers = arena_push(cluster->arena, nodes, sizeof *cluster->servers);
    if (!cluster->servers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " nodes", nodes);
    for (uint32_t node = 0; node < nodes; node++) {
        struct server *server = &cluster->servers[node];
        struct random_key key = random_key_fork(world_key(world), "disk/%" PRIu32, node);
        TRY(disk_init(&server->disk, &cluster->options.disk, key, cluster->arena, err));
        TRY(server_init(server, cluster, node, err));
        world_set_process(world, node, &server_process, server);
    }
    return STATUS_OK;
}

static void open_clients(struct cluster *cluster, const struct cluster_workload *workload)
{
    struct world *world = cluster->world;
    uint32_t nodes = world->options.node_count;

    assert(world->options.client_count == cluster->options.sessions);
    cluster->clients =
        pool_take(&cluster->pool, cluster->options.sessions * sizeof *cluster->clients);
    for (uint32_t i = 0; i < cluster->options.sessions; i++) {
        cluster->clients[i] =
            client_open(cluster, i, &cluster->options.client, workload->driver);
        world_set_process(world, nodes + i, &client_process, cluster->clients[i]);
    }
}

enum status cluster_open(struct cluster *cluster, const struct cluster_options *options,
                         const struct cluster_workload *workload, struct world *world,
                         struct arena *arena, struct error *err)
{
    struct record_options record = {
        .catalog = &cluster->catalog,
        .workload = workload->name,
        .unique = workload->unique,
        .table_count = workload->schema->table_count,
        .exports_snapshot = options->protocol->exports_snapshot,
        .keeps = true,
    };
    enum cluster_setting wrong;

    *cluster = (struct cluster){ .world = world, .arena = arena, .options = *options,
                                 .sometimes.coverage = world->options.coverage };
    TRY(set_defaults(&cluster->options, err));
    TRY(store_check_options(&cluster->options, world->options.node_count, &wrong, err));
    if (options->buggify.sites != 0) {
        buggify_init(&cluster->buggify, &options->buggify, world);
        cluster->sometimes.buggify = &cluster->buggify;
    }
    pool_memory_init(&cluster->memory, arena, cluster->options.memory_bytes_max);
    pool_init(&cluster->pool, &cluster->memory);
    TRY(add_probe_table(cluster, workload, err));
    TRY(record_open(&cluster->record, &record, err));
    cluster->equality =
        equality_open(&cluster->pool, cluster->options.shards, world->options.node_count);
    TRY(workload->load(workload->load_context, cluster, err));
    TRY(open_servers(cluster, err));
    open_clients(cluster, workload);
    return STATUS_OK;
}

void cluster_close(struct cluster *cluster)
{
    for (uint32_t i = 0; cluster->clients && i < cluster->options.sessions; i++)
        client_close(cluster->clients[i]);
    for (uint32_t node = 0; cluster->servers && node < cluster->world->options.node_count; node++)
        server_close(&cluster->servers[node]);
    record_close(cluster->record);
    cluster->record = NULL;
    catalog_close(&cluster->catalog);
}

enum status cluster_add_row(struct cluster *cluster, uint32_t table, const struct datum *cells,
                            struct error *err)
{
    uint32_t key = catalog_key_of_row(&cluster->catalog, table, cells);
    struct wire_writer writer = { .pool = &cluster->pool };
    struct initial_row row = { .key = key };

    row_put(&writer, cells, catalog_width(&cluster->catalog, table));
    row.row = wire_writer_text(&writer);
    pool_push(&cluster->pool, &cluster->initial, row);
    record_initial(cluster->record, key, row.row);
    if (pool_memory_is_short(&cluster->memory) || cluster->catalog.is_short ||
        record_is_short(cluster->record))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %zu rows at the beginning",
                         cluster->initial.count);
    return STATUS_OK;
}

uint32_t cluster_replica_node(const struct cluster *cluster, uint32_t shard, uint32_t index)
{
    return (shard + index) % cluster->world->options.node_count;
}

struct disk *cluster_disk(struct cluster *cluster, uint32_t node)
{
    return &cluster->servers[node].disk;
}

/* --- The end ---------------------------------------------------------------------------------- */

void cluster_draw_anew(struct cluster *cluster)
{
    const struct random_key *world = world_key(cluster->world);

    for (uint32_t node = 0; node < cluster->world->options.node_count; node++) {
        struct random_key key = random_key_fork(world, "disk/%" PRIu32, node);

        disk_draw_anew(&cluster->servers[node].disk, &key);
    }
    for (uint32_t i = 0; i < cluster->options.sessions; i++)
        client_draw_anew(cluster->clients[i]);
    if (cluster->sometimes.buggify)
        buggify_draw_anew(&cluster->buggify);
}

void cluster_stop(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->options.sessions; i++)
        client_stop(cluster->clients[i]);
    cluster->stopped = true;
}

static bool is_up(const struct cluster *cluster, uint32_t node)
{
    return world_node_state(cluster->world, node) == NODE_UP;
}

static void say_stuck(struct cluster *cluster, const char *format, ...) PRINTF_LIKE(2, 3);

static void say_stuck(struct cluster *cluster, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(cluster->findings.stuck_what, sizeof cluster->findings.stuck_what, format, arguments);
    va_end(arguments);
}

static bool clients_are_done(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->options.sessions; i++) {
        if (!client_is_idle(cluster->clients[i])) {
            say_stuck(cluster, "session %" PRIu32 " waits for its transaction to end", i);
            return false;
        }
        if (!client_probes_done(cluster->clients[i])) {
            say_stuck(cluster, "the probe of session %" PRIu32 " on shard %" PRIu32
                               " does not commit",
                      i, client_stuck_shard(cluster->clients[i]));
            return false;
        }
    }
    return true;
}

static bool all_is_read_back(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->options.sessions; i++) {
        if (client_is_idle(cluster->clients[i]))
            continue;
        say_stuck(cluster, "session %" PRIu32 " cannot read everything back", i);
        return false;
    }
    return true;
}

static bool nothing_is_prepared(struct cluster *cluster)
{
    for (uint32_t node = 0; node < cluster->world->options.node_count; node++) {
        const struct server *server = &cluster->servers[node];
        if (!is_up(cluster, node))
            continue;
        if (server->multileader && !multileader_is_idle(server->multileader)) {
            say_stuck(cluster, "node %" PRIu32 " has not heard all that was committed", node);
            return false;
        }
        for (uint32_t shard = 0; !server->multileader && shard < cluster->options.shards; shard++) {
            const struct replica *replica = server->replicas[shard];
            if (!replica || replica->shard.prepared.count == 0)
                continue;
            say_stuck(cluster, "transaction %" PRIu64 " stays prepared on shard %" PRIu32
                               " of node %" PRIu32,
                      replica->shard.prepared.at[0]->prepare.txn, shard, node);
            return false;
        }
    }
    return true;
}

/* The node whose replica has applied most. */
static uint32_t best_node(const struct cluster *cluster, uint32_t shard)
{
    uint32_t best = WORLD_NOBODY;
    uint64_t applied = 0;

    for (uint32_t i = 0; i < cluster->options.replicas; i++) {
        uint32_t node = cluster_replica_node(cluster, shard, i);
        const struct server *server = &cluster->servers[node];
        if (!is_up(cluster, node) || !server->replicas[shard])
            continue;
        if (best == WORLD_NOBODY || server->replicas[shard]->shard.applied > applied) {
            best = node;
            applied = server->replicas[shard]->shard.applied;
        }
    }
    return best;
}

static bool all_have_applied(struct cluster *cluster)
{
    if (!cluster->options.protocol->on_raft)
        return true;
    for (uint32_t shard = 0; shard < cluster->options.shards; shard++) {
        uint32_t best = best_node(cluster, shard);
        for (uint32_t i = 0; best != WORLD_NOBODY && i < cluster->options.replicas; i++) {
            uint32_t node = cluster_replica_node(cluster, shard, i);
            const struct replica *replica = cluster->servers[node].replicas[shard];
            if (!is_up(cluster, node) ||
                (replica && replica->shard.applied >= cluster->findings.settled_at[shard]))
                continue;
            say_stuck(cluster, "node %" PRIu32 " has applied %" PRIu64 " of %" PRIu64
                               " entries of shard %" PRIu32,
                      node, replica ? replica->shard.applied : 0,
                      cluster->findings.settled_at[shard], shard);
            return false;
        }
    }
    return true;
}

/* What every replica that is up shall have applied: leaders go on, with their horizons. */
static void set_goal(struct cluster *cluster)
{
    for (uint32_t shard = 0; cluster->options.protocol->on_raft && shard < cluster->options.shards;
         shard++) {
        uint32_t best = best_node(cluster, shard);
        if (best != WORLD_NOBODY)
            cluster->findings.settled_at[shard] =
                cluster->servers[best].replicas[shard]->shard.applied;
    }
}

static void begin_to_read_back(struct cluster *cluster)
{
    uint32_t sessions = cluster->options.sessions;
    struct read_back *read_back =
        read_back_open(&cluster->pool, &cluster->catalog, cluster->catalog.schema->table_count - 1,
                       sessions, !cluster->options.protocol->on_raft);

    for (uint32_t i = 0; i < sessions; i++)
        client_follow(cluster->clients[i], read_back_driver(read_back));
}

/* What clients were told, against what the store did. */
static void compare_words(struct cluster *cluster)
{
    static const char *const words[] = {
        [FALSE_UNDECIDED] = "committed, but the store never decided to commit it",
        [FALSE_READ_ONLY] = "committed, but the store did so without its writes",
        [FALSE_ABORT] = "aborted, but the store applied its writes",
    };
    struct cluster_findings *findings = &cluster->findings;
    uint64_t count = record_txn_count(cluster->record);

    for (uint64_t txn = 1; txn <= count; txn++) {
        enum false_word word = record_false_word(cluster->record, txn);

        if (word == FALSE_NOTHING)
            continue;
        if (findings->false_words == 0)
            snprintf(findings->false_what, sizeof findings->false_what,
                     "the client of T%" PRIu64 " was told that it %s %s", txn,
                     word == FALSE_ABORT ? "was" : "had", words[word]);
        if (findings->false_words < FALSE_TXNS_MAX)
            findings->false_txns[findings->false_words] = txn;
        findings->false_words++;
    }
}

static enum status run_until(struct cluster *cluster, bool (*done)(struct cluster *),
                             int64_t end_ns, bool *was_done, struct error *err)
{
    struct world *world = cluster->world;

    while (!(*was_done = done(cluster)) && world->now_ns < end_ns) {
        int64_t next_ns = world->now_ns + SETTLE_STEP_NS;
        TRY(world_run(world, next_ns < end_ns ? next_ns : end_ns, err));
        if (cluster->failure.status != STATUS_OK) {
            *err = cluster->failure;
            return err->status;
        }
    }
    return STATUS_OK;
}

bool cluster_is_idle(const struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->options.sessions; i++)
        if (!client_is_idle(cluster->clients[i]))
            return false;
    return true;
}

static void compare_nodes(struct cluster *cluster)
{
    struct cluster_findings *findings = &cluster->findings;
    struct digest first = { 0 };
    uint32_t first_node = WORLD_NOBODY, shard, node;
    uint64_t index;

    if (equality_differs(cluster->equality, &shard, &node, &index)) {
        findings->replicas_differ = true;
        snprintf(findings->differ_what, sizeof findings->differ_what,
                 "node %" PRIu32 " applied another entry %" PRIu64 " of shard %" PRIu32
                 " than the first to get there", node, index, shard);
    }
    if (cluster->options.protocol->on_raft || findings->stuck)
        return;
    for (node = 0; node < cluster->world->options.node_count; node++) {
        struct digest digest;
        if (!is_up(cluster, node))
            continue;
        digest = multileader_digest(cluster->servers[node].multileader);
        if (first_node == WORLD_NOBODY) {
            first = digest;
            first_node = node;
        } else if (memcmp(&first, &digest, sizeof digest) != 0 && !findings->replicas_differ) {
            findings->replicas_differ = true;
            snprintf(findings->differ_what, sizeof findings->differ_what,
                     "nodes %" PRIu32 " and %" PRIu32 " have heard the same and hold other rows",
                     first_node, node);
        }
    }
}

enum status cluster_settle(struct cluster *cluster, int64_t budget_ns, struct error *err)
{
    int64_t end_ns = cluster->world->now_ns + budget_ns;
    bool done = false;

    if (!cluster->stopped)
        cluster_stop(cluster);
    buggify_silence(&cluster->buggify);
    for (uint32_t i = 0; i < cluster->options.sessions; i++)
        client_probe(cluster->clients[i]);
    TRY(run_until(cluster, clients_are_done, end_ns, &done, err));
    if (done)
        TRY(run_until(cluster, nothing_is_prepared, end_ns, &done, err));
    if (done) {
        begin_to_read_back(cluster);
        TRY(run_until(cluster, all_is_read_back, end_ns, &done, err));
    }
    if (done)
        TRY(run_until(cluster, nothing_is_prepared, end_ns, &done, err));
    if (done) {
        set_goal(cluster);
        TRY(run_until(cluster, all_have_applied, end_ns, &done, err));
    }
    cluster->findings.stuck = !done;
    compare_nodes(cluster);
    compare_words(cluster);
    return STATUS_OK;
}

const struct cluster_findings *cluster_findings(struct cluster *cluster)
{
    struct record_counts counts = record_counts(cluster->record);
    struct cluster_findings *findings = &cluster->findings;

    findings->committed = counts.committed;
    findings->aborted = counts.aborted;
    findings->unknown = counts.unknown;
    findings->sometimes = cluster->sometimes;
    findings->memory_bytes = cluster->memory.bytes;
    return findings;
}

enum status cluster_history(struct cluster *cluster, struct history *history, struct error *err)
{
    return record_history_finish(cluster->record, history, err);
}

/* --- Rows at the end -------------------------------------------------------------------------- */

struct cluster_row {
    const struct datum *cells;
    const struct schema_table *table;
};

static int compare_rows(const void *a, const void *b)
{
    const struct cluster_row *one = a, *other = b;

    for (uint16_t i = 0; i < one->table->key.count; i++) {
        uint16_t column = one->table->key.at[i];
        int order = datum_compare(&one->cells[column], &other->cells[column]);
        if (order != 0)
            return order;
    }
    return 0;
}

struct final_rows {
    ARRAY(struct cluster_row) rows;
    struct heap heap;
};

static enum status add_final_row(struct final_rows *found, const struct catalog *catalog,
                                 uint32_t table, struct text bytes, struct error *err)
{
    uint16_t width = catalog_width(catalog, table);
    struct sql_error failure;
    void *cells;

    if (heap_push(&found->heap, width * sizeof(struct datum), &cells, &failure) != STATUS_OK)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the rows at the end");
    if (!row_get(bytes, cells, width, &found->heap))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the rows at the end");
    return array_push(&found->rows,
                      ((struct cluster_row){ cells, &catalog->schema->tables[table] }), err);
}

static enum status find_rows(struct final_rows *found, const struct catalog *catalog,
                             const struct stored_versions *versions, uint32_t table,
                             struct error *err)
{
    const uint32_t *keys;
    uint32_t count = versions_keys(versions, table, &keys);

    for (uint32_t i = 0; i < count; i++) {
        const struct stored_version *newest = versions_newest(versions, keys[i]);
        if (version_is_row(newest))
            TRY(add_final_row(found, catalog, table, version_row(newest), err));
    }
    return STATUS_OK;
}

static enum status find_all_rows(struct cluster *cluster, struct final_rows *found, uint32_t table,
                                 struct error *err)
{
    uint32_t node = 0;

    if (!cluster->options.protocol->on_raft) {
        while (node < cluster->world->options.node_count && !is_up(cluster, node))
            node++;
        if (node == cluster->world->options.node_count)
            return error_set(err, STATUS_BAD_INPUT, "no node is up");
        return find_rows(found, &cluster->catalog,
                         multileader_versions(cluster->servers[node].multileader), table, err);
    }
    for (uint32_t shard = 0; shard < cluster->options.shards; shard++) {
        node = best_node(cluster, shard);
        if (node == WORLD_NOBODY)
            return error_set(err, STATUS_BAD_INPUT, "no node with shard %" PRIu32 " is up", shard);
        TRY(find_rows(found, &cluster->catalog,
                      &cluster->servers[node].replicas[shard]->shard.versions, table, err));
    }
    return STATUS_OK;
}

enum status cluster_rows(struct cluster *cluster, uint32_t table,
                         enum status (*row)(void *context, const struct datum *cells,
                                            struct error *),
                         void *context, struct error *err)
{
    struct final_rows found = { 0 };
    enum status status;

    heap_init(&found.heap, (size_t)1 << 30);
    status = find_all_rows(cluster, &found, table, err);
    if (status == STATUS_OK && found.rows.count > 0)
        qsort(found.rows.at, found.rows.count, sizeof *found.rows.at, compare_rows);
    for (size_t i = 0; status == STATUS_OK && i < found.rows.count; i++)
        status = row(context, found.rows.at[i].cells, err);
    array_close(&found.rows);
    heap_close(&found.heap);
    return status;
}
