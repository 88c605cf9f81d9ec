#include "tests/store/coordinator/coordinator_fixture.h"

struct heard heard[CLIENTS];
struct client_request sent;
struct bugs bugs;

static void hear(void *context, struct world *w, uint32_t node, uint32_t from, struct text bytes)
{
    static char memory[1 << 16];
    struct arena room = arena_over(memory, sizeof memory);
    struct heard *h = &heard[node - NODES];
    struct wire_reader r = wire_reader_of(bytes);

    (void)context;
    (void)w;
    (void)from;
    TEST_ASSERT_EQUAL(MESSAGE_REPLY, wire_get_byte(&r));
    TEST_ASSERT_TRUE(client_reply_get(&r, &h->reply, &room));
    h->count++;
    TEST_ASSERT_TRUE(h->reply.row_count <= ROWS_MAX);
    for (uint32_t i = 0; i < h->reply.row_count; i++) {
        h->rows[i].key = h->reply.rows[i].key;
        h->rows[i].value = h->reply.rows[i].is_row ? value_of_row(h->reply.rows[i].row) : NO_VALUE;
    }
}

static const struct node_process listener = { .name = "listener", .message = hear };

static void open_store(void)
{
    struct world_options options = {
        .seed = 1, .node_count = NODES, .client_count = CLIENTS, .shard_count = SHARDS
    };

    ASSERT_OK(latency_constant(&options.network.latency, MS, &err), &err);
    fixture_open(&options, bugs);
    for (uint32_t i = 0; i < CLIENTS; i++)
        world_set_process(&world, NODES + i, &listener, NULL);
    ASSERT_OK(world_start(&world, &err), &err);
    for (uint32_t i = 0; i < TRANSACTIONS; i++)
        (void)record_begin(cluster.record, i, 0);
    memset(heard, 0, sizeof heard);
    sent = (struct client_request){ 0 };
}

void setUp(void)
{
    protocol = (struct protocol){ .name = "stand-in", .on_raft = true };
    bugs = (struct bugs){ 0 };
    open_store();
}

void tearDown(void)
{
    fixture_close();
}

void open_again(void)
{
    fixture_close();
    open_store();
}

void send_to(uint32_t node, uint32_t client, const struct client_request *request)
{
    struct wire_writer w = { .pool = &cluster.pool };

    wire_put_byte(&w, MESSAGE_REQUEST);
    client_request_put(&w, request);
    world_send(&world, NODES + client, node, wire_writer_text(&w));
    wire_writer_close(&w);
}

void request(struct client_request next)
{
    if (next.txn == 0)
        next.txn = sent.txn ? sent.txn : 1;
    next.number = next.txn == sent.txn ? sent.number + 1 : 1;
    if (next.kind != CLIENT_READ || next.key_count > 0)
        next.scope = SCOPE_NONE;
    sent = next;
    send_to(NODE, 0, &next);
    run_for(20 * MS);
}

void repeat_to(uint32_t node)
{
    sent.is_repeat = true;
    send_to(node, 0, &sent);
    run_for(20 * MS);
}

void read_key(uint32_t key)
{
    static uint32_t last;

    last = key;
    request((struct client_request){ .kind = CLIENT_READ, .keys = &last, .key_count = 1 });
}

void read_scope(uint32_t scope)
{
    request((struct client_request){ .kind = CLIENT_READ, .scope = scope });
}

void write_key(uint32_t key, int64_t value)
{
    static struct row_change change;

    change = (struct row_change){ .key = key, .is_removed = value == NO_VALUE };
    if (!change.is_removed)
        change.row = row_of(key, value);
    request((struct client_request){ .kind = CLIENT_WRITE, .changes = &change, .change_count = 1 });
}

void commit(void)
{
    request((struct client_request){ .kind = CLIENT_COMMIT });
}

void abort_it(void)
{
    request((struct client_request){ .kind = CLIENT_ABORT });
}

void assert_replied(enum client_reply_kind kind)
{
    TEST_ASSERT_EQUAL(sent.txn, heard[0].reply.txn);
    TEST_ASSERT_EQUAL(sent.number, heard[0].reply.number);
    TEST_ASSERT_EQUAL(kind, heard[0].reply.kind);
}

void assert_aborted(enum refusal refusal)
{
    assert_replied(REPLY_ABORTED);
    TEST_ASSERT_EQUAL_STRING(shard_refusal_name(refusal),
                             shard_refusal_name(heard[0].reply.refusal));
}

void assert_value(int64_t value)
{
    assert_replied(REPLY_DONE);
    TEST_ASSERT_EQUAL(1, heard[0].reply.row_count);
    TEST_ASSERT_EQUAL(value, heard[0].rows[0].value);
}

void assert_idle(void)
{
    for (uint32_t node = 0; node < NODES; node++)
        TEST_ASSERT_TRUE(servers[node].coordinator.txns.count == 0);
}

void write_on_all_shards(void)
{
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        write_key(key_on(shard, 0), 7);
}

uint64_t written_shards(struct txn *txn)
{
    return txn->written;
}
