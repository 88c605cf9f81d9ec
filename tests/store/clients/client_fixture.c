#include "tests/store/clients/client_fixture.h"

struct run runs[CLIENTS_MAX];
struct end ends[ENDS_MAX];
uint32_t end_count;
struct intent script[8];
struct intent (*next_of)(uint32_t client);
struct client_options client_options;
struct world_options world_options;
struct bugs bugs;
uint32_t client_count;
struct client *clients[CLIENTS_MAX];
struct row_change change;
static uint32_t read_keys[2];

/* --- A driver that writes down what happens to it ----------------------------------------------- */

static bool drive_begin(void *context, uint32_t client, uint64_t ordinal, uint32_t attempt)
{
    struct run *run = &runs[client];

    (void)context;
    TEST_ASSERT_FALSE(run->is_running);
    *run = (struct run){ .ordinal = ordinal,
                         .attempt = attempt,
                         .is_running = true,
                         .began_ns = world.now_ns,
                         .answered = run->answered,
                         .unanswered = run->unanswered };
    return true;
}

static struct intent next_of_script(uint32_t client)
{
    return script[runs[client].step];
}

static struct intent drive_next(void *context, uint32_t client)
{
    struct intent intent = next_of(client);

    (void)context;
    TEST_ASSERT_TRUE(runs[client].is_running);
    runs[client].step++;
    runs[client].asked_to_commit |= intent.kind == INTENT_COMMIT;
    return intent;
}

static void drive_answered(void *context, uint32_t client, const struct driver_answer *answer)
{
    (void)context;
    TEST_ASSERT_EQUAL_INT64(world.now_ns, answer->op.completed_ns);
    runs[client].answered++;
    runs[client].rows = answer->row_count;
}

static void drive_unanswered(void *context, uint32_t client, const struct driver_answer *answer)
{
    (void)context;
    TEST_ASSERT_EQUAL_INT64(TIME_NEVER, answer->op.completed_ns);
    runs[client].unanswered++;
}

static void drive_ended(void *context, uint32_t client, enum txn_status status, uint64_t txn)
{
    struct run *run = &runs[client];

    (void)context;
    TEST_ASSERT_TRUE(run->is_running && end_count < ENDS_MAX);
    run->is_running = false;
    ends[end_count++] = (struct end){ .client = client,
                                      .attempt = run->attempt,
                                      .ordinal = run->ordinal,
                                      .txn = txn,
                                      .status = status,
                                      .began_ns = run->began_ns,
                                      .at_ns = world.now_ns,
                                      .asked_to_commit = run->asked_to_commit };
}

static const struct driver driver = { .begin = drive_begin,
                                      .next = drive_next,
                                      .answered = drive_answered,
                                      .unanswered = drive_unanswered,
                                      .ended = drive_ended };

/* --- Opening ---------------------------------------------------------------------------------- */

static void open_store(void)
{
    world_options.node_count = NODES;
    world_options.client_count = client_count;
    world_options.shard_count = SHARDS;
    fixture_open(&world_options, bugs);
    memset(runs, 0, sizeof runs);
    end_count = 0;
    for (uint32_t i = 0; i < client_count; i++) {
        clients[i] = client_open(&cluster, i, &client_options, &driver);
        world_set_process(&world, NODES + i, &client_process, clients[i]);
    }
    ASSERT_OK(world_start(&world, &err), &err);
    change = (struct row_change){ .key = key_on(1, 0), .row = row_of(1, 5) };
    read_keys[0] = key_on(0, 0);
    read_keys[1] = key_on(2, 0);
    script[0] = (struct intent){ .kind = INTENT_WRITE, .changes = &change, .change_count = 1 };
    script[1] = (struct intent){
        .kind = INTENT_READ, .keys = read_keys, .key_count = 2, .scope = SCOPE_NONE
    };
    script[2] = (struct intent){ .kind = INTENT_COMMIT };
}

static void close_store(void)
{
    for (uint32_t i = 0; i < client_count; i++)
        client_close(clients[i]);
    fixture_close();
}

void setUp(void)
{
    protocol = (struct protocol){ .name = "stand-in", .on_raft = true };
    bugs = (struct bugs){ 0 };
    world_options = (struct world_options){ .seed = 1 };
    ASSERT_OK(latency_constant(&world_options.network.latency, MS, &err), &err);
    client_options = (struct client_options){ .transactions = 1,
                                              .request_timeout_ns = 100 * MS,
                                              .patience_ns = SECOND,
                                              .attempts_max = 4,
                                              .backoff_ns = 10 * MS };
    client_count = 1;
    next_of = next_of_script;
    open_store();
}

void tearDown(void)
{
    close_store();
}

void open_again(void)
{
    close_store();
    open_store();
}
