#include "tests/store/multileader/local_fixture.h"

#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

#define ARENA_BYTES ((size_t)3 << 30)
#define SCRATCH_BYTES ((size_t)256 << 20)

struct local_store local;
static struct error err;

/* --- A table of items ------------------------------------------------------------------------- */

static const struct schema_column columns[] = {
    { .name = { "key", 3 }, .type = { .kind = TYPE_BIGINT }, .not_null = true },
    { .name = { "value", 5 }, .type = { .kind = TYPE_BIGINT } },
};
static const uint16_t primary[] = { 0 };
static const struct schema_table tables[] = {
    { .name = { "items", 5 }, .columns = columns, .column_count = 2, .key = { primary, 1 } },
};
static const struct schema schema = { .tables = tables, .table_count = 1 };
static const enum table_shape shapes[] = { TABLE_ITEMS };

static bool never_begins(void *context, uint32_t client, uint64_t ordinal, uint32_t attempt)
{
    (void)context;
    (void)client;
    (void)ordinal;
    (void)attempt;
    return false;
}

static const struct driver idle_driver = { .begin = never_begins };

static enum status load(void *context, struct cluster *cluster, struct error *e)
{
    uint32_t rows = *(const uint32_t *)context;

    for (uint32_t i = 0; i < rows; i++) {
        struct datum cells[2] = { datum_of_int64(i), datum_of_int64(0) };
        TRY(cluster_add_row(cluster, 0, cells, e));
    }
    return STATUS_OK;
}

uint32_t local_key(int64_t id)
{
    struct datum cells[2] = { datum_of_int64(id), datum_null() };

    return catalog_key_of_row(&local.cluster.catalog, 0, cells);
}

uint32_t local_whole_table(void)
{
    return catalog_whole_table(&local.cluster.catalog, 0);
}

/* --- Clients ---------------------------------------------------------------------------------- */

static int64_t value_of(const struct read_row *row)
{
    struct datum cells[2];

    if (!row->is_row)
        return NO_VALUE;
    TEST_ASSERT_TRUE(row_get(row->row, cells, 2, &local.cluster.catalog.arrays));
    return cells[1].as.integer;
}

static void take_rows(struct local_client *c, const struct client_reply *reply)
{
    TEST_ASSERT_TRUE(reply->row_count <= LOCAL_ROWS_MAX && reply->seen_count <= LOCAL_ROWS_MAX);
    c->row_count = reply->row_count;
    for (uint32_t i = 0; i < reply->row_count; i++) {
        c->keys[i] = reply->rows[i].key;
        c->values[i] = value_of(&reply->rows[i]);
    }
    c->seen_count = reply->seen_count;
    if (reply->seen_count > 0)
        memcpy(c->seen, reply->seen, reply->seen_count * sizeof *c->seen);
}

static void record_row(struct local_client *c, const struct client_reply *reply)
{
    struct record_op op = { .invoked_ns = c->invoked_ns,
                            .completed_ns = local.world.now_ns,
                            .set = reply->seen,
                            .set_count = reply->seen_count,
                            .has_set = true };

    for (uint32_t i = 0; i < reply->row_count && c->request.scope == SCOPE_NONE; i++)
        record_read(local.cluster.record, c->txn, &op, reply->rows[i].key, reply->rows[i].is_row,
                    reply->rows[i].row);
}

static void record_change(const struct local_client *c, int64_t completed_ns)
{
    const struct row_change *change = c->request.changes;
    struct record_op op = { .invoked_ns = c->invoked_ns, .completed_ns = completed_ns };

    if (change->is_removed)
        record_remove(local.cluster.record, c->txn, &op, change->key);
    else
        record_write(local.cluster.record, c->txn, &op, change->key, change->row);
}

static void take_done(struct local_client *c, const struct client_reply *reply)
{
    c->latest = stamp_max(c->latest, reply->at);
    if (reply->session.length > 0) {
        TEST_ASSERT_TRUE(reply->session.length <= sizeof c->token);
        memcpy(c->token, reply->session.at, reply->session.length);
        c->token_size = reply->session.length;
    }
    if (c->request.kind == CLIENT_READ) {
        take_rows(c, reply);
        record_row(c, reply);
    } else if (c->request.kind == CLIENT_WRITE) {
        record_change(c, local.world.now_ns);
    }
}

static void on_message(void *context, struct world *world, uint32_t node, uint32_t from,
                       struct text bytes)
{
    struct local_client *c = context;
    struct wire_reader r = wire_reader_of(bytes);
    struct client_reply reply;

    (void)world;
    (void)node;
    (void)from;
    arena_reset_to(&local.scratch, 0);
    TEST_ASSERT_EQUAL(MESSAGE_REPLY, wire_get_byte(&r));
    TEST_ASSERT_TRUE(client_reply_get(&r, &reply, &local.scratch));
    if (reply.txn != c->txn || reply.number != c->number || c->is_answered)
        return;
    c->is_answered = true;
    c->kind = reply.kind;
    c->refusal = reply.refusal;
    if (reply.kind == REPLY_DONE)
        take_done(c, &reply);
}

static const struct node_process hand_process = { .name = "hand", .message = on_message };

static void send(struct local_client *c)
{
    struct wire_writer w = { .pool = &local.cluster.pool };
    uint32_t endpoint =
        local.world.options.node_count + (uint32_t)(c - local.clients);

    wire_put_byte(&w, MESSAGE_REQUEST);
    client_request_put(&w, &c->request);
    world_send(&local.world, endpoint, c->node, wire_writer_text(&w));
    wire_writer_close(&w);
}

void local_begin(uint32_t client, uint32_t node)
{
    struct local_client *c = &local.clients[client];

    c->txn = record_begin(local.cluster.record, c->session, local.world.now_ns);
    c->number = 0;
    c->node = node;
}

void local_ask(uint32_t client, const struct client_request *request)
{
    struct local_client *c = &local.clients[client];

    c->request = *request;
    c->request.txn = c->txn;
    c->request.number = ++c->number;
    c->request.seen = c->latest;
    c->request.session = (struct text){ c->token, c->token_size };
    c->is_answered = request->kind == CLIENT_ABORT;
    c->invoked_ns = local.world.now_ns;
    send(c);
}

void local_ask_again(uint32_t client)
{
    local.clients[client].request.is_repeat = true;
    send(&local.clients[client]);
}

bool local_await(uint32_t client, int64_t ns)
{
    int64_t end_ns = local.world.now_ns + ns;

    while (!local.clients[client].is_answered && local.world.now_ns < end_ns)
        local_run(MS / 2);
    return local.clients[client].is_answered;
}

static void ask_and_wait(uint32_t client, const struct client_request *request)
{
    local_ask(client, request);
    TEST_ASSERT_TRUE_MESSAGE(local_await(client, 2 * SECOND), "nobody answers");
}

/* --- One request after another ---------------------------------------------------------------- */

int64_t local_read(uint32_t client, int64_t id)
{
    uint32_t key = local_key(id);
    struct client_request request = {
        .kind = CLIENT_READ, .keys = &key, .key_count = 1, .scope = SCOPE_NONE
    };

    ask_and_wait(client, &request);
    TEST_ASSERT_EQUAL(REPLY_DONE, local.clients[client].kind);
    return local.clients[client].values[0];
}

uint32_t local_read_all(uint32_t client)
{
    struct client_request request = { .kind = CLIENT_READ, .scope = local_whole_table() };

    ask_and_wait(client, &request);
    TEST_ASSERT_EQUAL(REPLY_DONE, local.clients[client].kind);
    return local.clients[client].row_count;
}

/* The row and the change stay, for those who ask again. */
static struct client_request write_request(int64_t id, int64_t value)
{
    struct wire_writer w = { .pool = &local.cluster.pool };
    struct row_change *change = pool_take(&local.cluster.pool, sizeof *change);
    struct datum cells[2] = { datum_of_int64(id), datum_of_int64(value) };

    *change = (struct row_change){ .key = local_key(id), .is_removed = value == NO_VALUE };
    row_put(&w, cells, 2);
    if (!change->is_removed)
        change->row = wire_writer_text(&w);
    return (struct client_request){
        .kind = CLIENT_WRITE, .scope = SCOPE_NONE, .changes = change, .change_count = 1
    };
}

void local_write(uint32_t client, int64_t id, int64_t value)
{
    struct client_request request = write_request(id, value);

    ask_and_wait(client, &request);
    TEST_ASSERT_EQUAL(REPLY_DONE, local.clients[client].kind);
}

void local_remove(uint32_t client, int64_t id)
{
    local_write(client, id, NO_VALUE);
}

enum client_reply_kind local_commit(uint32_t client)
{
    struct client_request request = { .kind = CLIENT_COMMIT, .scope = SCOPE_NONE };
    struct local_client *c = &local.clients[client];

    ask_and_wait(client, &request);
    record_end(local.cluster.record, c->txn, c->kind == REPLY_DONE ? TXN_OK : TXN_ABORT,
               local.world.now_ns);
    return c->kind;
}

void local_put(uint32_t client, uint32_t node, int64_t id, int64_t value)
{
    local_begin(client, node);
    local_write(client, id, value);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(client));
}

int64_t local_get(uint32_t client, uint32_t node, int64_t id)
{
    int64_t value;

    local_begin(client, node);
    value = local_read(client, id);
    TEST_ASSERT_EQUAL(REPLY_DONE, local_commit(client));
    return value;
}

uint64_t local_seen(uint32_t client, int64_t id)
{
    const struct local_client *c = &local.clients[client];

    for (uint32_t i = 0; i < c->seen_count; i++)
        if (c->seen[i].key == local_key(id))
            return c->seen[i].writer;
    return UINT64_MAX;
}

/* --- The store -------------------------------------------------------------------------------- */

static void open_world(const struct local_options *options)
{
    struct world_options world = {
        .seed = options->seed,
        .node_count = options->nodes,
        .client_count = options->clients,
        .shard_count = 1,
        .clocks = { .offset_ns_max = options->offset_ns },
    };

    if (options->latency_ns > 0)
        ASSERT_OK(latency_exponential(&world.network.latency, MS / 10, options->latency_ns, &err),
                  &err);
    else
        ASSERT_OK(latency_constant(&world.network.latency, MS, &err), &err);
    ASSERT_OK(world_init(&local.world, &world, &local.arena, &err), &err);
}

void local_open(const struct local_options *options)
{
    uint32_t rows = options->initial_rows;
    struct cluster_options cluster = {
        .protocol = protocol_find(text_of(options->protocol)),
        .bugs = options->bugs,
        .shards = 1,
        .replicas = 1,
        .sessions = options->clients,
        .snapshot_entries = options->snapshot_entries,
        .retention_ns = 4 * SECOND,
        .client = { .transactions = 1 },
    };
    struct cluster_workload workload = { .name = "by hand",
                                         .unique = true,
                                         .schema = &schema,
                                         .shapes = shapes,
                                         .driver = &idle_driver,
                                         .load = load,
                                         .load_context = &rows };

    memset(local.clients, 0, sizeof local.clients);
    if (!local.arena.base) {
        ASSERT_OK(arena_init(&local.arena, ARENA_BYTES, &err), &err);
        ASSERT_OK(arena_init(&local.scratch, SCRATCH_BYTES, &err), &err);
    }
    arena_reset_to(&local.arena, 0);
    TEST_ASSERT_NOT_NULL(cluster.protocol);
    open_world(options);
    ASSERT_OK(cluster_open(&local.cluster, &cluster, &workload, &local.world, &local.arena, &err),
              &err);
    for (uint32_t i = 0; i < options->clients; i++) {
        local.clients[i].session = i;
        local.clients[i].is_answered = true;
        world_set_process(&local.world, options->nodes + i, &hand_process, &local.clients[i]);
    }
    ASSERT_OK(world_start(&local.world, &err), &err);
    local_run(50 * MS); /* the disks have been read */
}

void local_close(void)
{
    cluster_close(&local.cluster);
    world_close(&local.world);
}

void local_run(int64_t ns)
{
    ASSERT_OK(world_run(&local.world, local.world.now_ns + ns, &err), &err);
    ASSERT_OK(local.cluster.failure.status, &local.cluster.failure);
}

void local_cut(uint32_t from, uint32_t to)
{
    fault_cut_link(&local.world, from, to);
}

void local_cut_off(uint32_t node)
{
    for (uint32_t other = 0; other < local.world.options.node_count; other++) {
        if (other == node)
            continue;
        local_cut(node, other);
        local_cut(other, node);
    }
}

void local_heal(void)
{
    fault_heal_everything(&local.world);
    for (uint32_t node = 0; node < local.world.options.node_count; node++)
        fault_heal_disk(&local.world, node, cluster_disk(&local.cluster, node));
}

bool local_is_idle(void)
{
    for (uint32_t node = 0; node < local.world.options.node_count; node++) {
        const struct multileader *m = local.cluster.servers[node].multileader;

        if (m && !multileader_is_idle(m))
            return false;
    }
    return true;
}

void local_converge(int64_t ns)
{
    int64_t end_ns = local.world.now_ns + ns;
    struct digest first = { 0 };
    bool has_first = false;

    while (!local_is_idle() && local.world.now_ns < end_ns)
        local_run(10 * MS);
    TEST_ASSERT_TRUE_MESSAGE(local_is_idle(), "somebody has not heard all");
    for (uint32_t node = 0; node < local.world.options.node_count; node++) {
        const struct multileader *m = local.cluster.servers[node].multileader;
        struct digest digest;

        if (!m)
            continue;
        digest = multileader_digest(m);
        if (has_first)
            TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&first, &digest, sizeof first, "nodes differ");
        first = digest;
        has_first = true;
    }
}

/* --- At random -------------------------------------------------------------------------------- */

struct walk {
    uint32_t left, ops;   /* transactions, and operations of the one at hand */
    bool is_running, is_committing;
    int64_t due_ns, patience_ns;
    uint64_t think_ns;
    int64_t id;           /* last read */
    uint32_t key;         /* the same */
};

static void end_walk(struct walk *walk, struct local_client *c, struct random *random,
                     enum txn_status status)
{
    record_end(local.cluster.record, c->txn, status, local.world.now_ns);
    if (status == TXN_UNKNOWN) {
        c->session += LOCAL_CLIENTS_MAX;
        c->token_size = 0;
    }
    walk->is_running = false;
    walk->left--;
    walk->due_ns = local.world.now_ns + (int64_t)random_below(random, walk->think_ns + 1);
}

static void ask_something(struct walk *walk, uint32_t client, uint32_t keys,
                          struct random *random)
{
    struct local_client *c = &local.clients[client];
    uint64_t what = random_below(random, 10);
    /* What was read is often written: so histories have something to contradict. */
    int64_t id = what >= 5 && random_below(random, 3) ? walk->id
                                                      : (int64_t)random_below(random, keys);
    struct client_request request = { .kind = CLIENT_READ, .scope = SCOPE_NONE };

    walk->patience_ns = local.world.now_ns + SECOND;
    if (walk->ops == 0) {
        walk->is_committing = true;
        request.kind = CLIENT_COMMIT;
    } else if (what < 5) {
        walk->id = id;
        walk->key = local_key(id);
        request.keys = &walk->key;
        request.key_count = 1;
    } else {
        request = write_request(id, what == 9 ? NO_VALUE : (int64_t)(c->txn * 10 + walk->ops));
    }
    if (walk->ops > 0)
        walk->ops--;
    local_ask(client, &request);
}

static void give_up(struct walk *walk, uint32_t client, struct random *random)
{
    struct local_client *c = &local.clients[client];
    struct client_request request = { .kind = CLIENT_ABORT, .scope = SCOPE_NONE };
    bool may_commit = walk->is_committing;

    if (!may_commit) {
        if (c->request.kind == CLIENT_WRITE)
            record_change(c, TIME_NEVER);
        local_ask(client, &request);
    }
    end_walk(walk, c, random, may_commit ? TXN_UNKNOWN : TXN_ABORT);
}

static void go_on(struct walk *walk, uint32_t client, uint32_t keys, struct random *random)
{
    struct local_client *c = &local.clients[client];

    if (!walk->is_running) {
        if (walk->left == 0 || local.world.now_ns < walk->due_ns)
            return;
        local_begin(client, (uint32_t)random_below(random, local.world.options.node_count));
        *walk = (struct walk){ .left = walk->left, .think_ns = walk->think_ns, .is_running = true };
        walk->ops = 1 + (uint32_t)random_below(random, 4);
        ask_something(walk, client, keys, random);
    } else if (!c->is_answered) {
        if (local.world.now_ns > walk->patience_ns)
            give_up(walk, client, random);
    } else if (c->kind != REPLY_DONE) {
        bool is_known = !walk->is_committing || c->kind == REPLY_ABORTED || !c->request.is_repeat;
        end_walk(walk, c, random, is_known ? TXN_ABORT : TXN_UNKNOWN);
    } else if (walk->is_committing) {
        end_walk(walk, c, random, TXN_OK);
    } else {
        ask_something(walk, client, keys, random);
    }
}

static void make_partition(struct random *random, uint32_t nodes)
{
    uint32_t from = (uint32_t)random_below(random, nodes);
    uint32_t to = (uint32_t)random_below(random, nodes);

    if (from == to)
        return;
    local_cut(from, to);
    if (random_below(random, 2))
        local_cut(to, from);
}

static void hurt(struct local_trouble trouble, struct random *random)
{
    uint32_t nodes = local.world.options.node_count;
    uint32_t victim = (uint32_t)random_below(random, nodes);
    struct disk *disk = cluster_disk(&local.cluster, victim);

    switch (random_below(random, 6)) {
    case 0:
        if (trouble.partitions)
            make_partition(random, nodes);
        return;
    case 1:
        if (trouble.crashes)
            fault_crash(&local.world, victim);
        return;
    case 2:
        if (trouble.clocks)
            fault_step_clock(&local.world, victim,
                             (int64_t)random_below(random, 400 * MS) - 200 * MS);
        return;
    case 3:
        if (trouble.disks)
            fault_stall_disk(&local.world, victim, disk, local.world.now_ns + 50 * MS);
        return;
    case 4:
        if (trouble.messages)
            fault_clog_link(&local.world, victim, (victim + 1) % nodes,
                            local.world.now_ns + 100 * MS);
        return;
    default: /* an end to all but a few */
        fault_restart(&local.world, victim);
        if (random_below(random, 2))
            local_heal();
        return;
    }
}

void local_random(const struct local_options *options, struct local_trouble trouble,
                  uint32_t txns, uint32_t keys, struct history *history)
{
    struct walk walks[LOCAL_CLIENTS_MAX] = { { 0 } };
    struct random_key key = random_key_of_seed(options->seed);
    struct random random;
    bool is_over = false;

    local_open(options);
    random_init(&random, &key);
    for (uint32_t i = 0; i < options->clients; i++)
        walks[i] = (struct walk){ .left = txns, .think_ns = (uint64_t)options->think_ns };
    while (!is_over) {
        is_over = true;
        for (uint32_t i = 0; i < options->clients; i++) {
            go_on(&walks[i], i, keys, &random);
            is_over &= walks[i].left == 0;
        }
        if (random_below(&random, 12) == 0)
            hurt(trouble, &random);
        local_run(MS);
    }
    local_heal();
    local_converge(20 * SECOND);
    ASSERT_OK(cluster_history(&local.cluster, history, &err), &err);
    local_close();
}

struct local_options local_small(const char *protocol, uint64_t seed)
{
    return (struct local_options){ .protocol = protocol,
                                   .nodes = 3,
                                   .clients = 3,
                                   .initial_rows = 2,
                                   .seed = seed,
                                   .offset_ns = 150 * MS,
                                   .latency_ns = 10 * MS,
                                   .think_ns = 20 * MS,
                                   .snapshot_entries = 4 };
}

void local_random_small(const struct local_options *options, struct history *history)
{
    uint64_t seed = options->seed;
    struct local_trouble trouble = { .partitions = seed & 1,
                                     .crashes = seed & 2,
                                     .clocks = seed & 4,
                                     .messages = seed & 8,
                                     .disks = seed & 16 };

    local_random(options, trouble, 4, 3, history);
}

unsigned local_count_broken(const char *protocol, const struct bugs *bugs, enum level level,
                            bool certified, uint64_t seeds)
{
    struct oracle_options oracle = { .use_certificate = certified };
    unsigned broken = 0;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct local_options options = local_small(protocol, seed);
        struct history history;
        enum oracle_answer answer;

        options.bugs = *bugs;
        local_random_small(&options, &history);
        answer = oracle_decide(&history, level, oracle);
        TEST_ASSERT_NOT_EQUAL(ORACLE_CANNOT_JUDGE, answer);
        broken += answer == ORACLE_VIOLATED;
        history_close(&history);
    }
    return broken;
}
