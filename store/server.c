/*
 * Makes a server of its parts, and hands each message to the part that it is for.
 *
 *     message ── kind ──┬── REQUEST ──> coordinator, or multi-leader
 *                       ├── RAFT, ASK, ANSWER to a shard ──> that shard's replica
 *                       ├── ANSWER, PROBE ──> coordinator
 *                       └── LOCAL ──> multi-leader
 *     timer, completion ── component and shard in the payload ──> likewise
 *
 * Everything but the disk lives in the server's pool, is made anew at each start,
 * and is dropped whole at a crash. Of the files, each replica hosted has its own
 * few, in the order of the shards, so that they are the same after a restart.
 */
#include "store/server_private.h"

#include <assert.h>
#include <inttypes.h>

#include "store/cluster_private.h"

#define PAYLOAD_COMPONENT(payload) ((enum server_component)((payload) >> 56))
#define PAYLOAD_SHARD(payload) ((uint32_t)((payload) >> 32) & 0xffffff)

enum status server_init(struct server *server, struct cluster *cluster, uint32_t node,
                        struct error *err)
{
    server->cluster = cluster;
    server->world = cluster->world;
    server->node = node;
    pool_init(&server->pool, &cluster->memory);
    TRY(arena_init(&server->scratch, ARENA_UNLIMITED, err));
    server->scratch.guard = cluster->arena->guard;
    return STATUS_OK;
}

void server_close(struct server *server)
{
    arena_close(&server->scratch);
}

/* --- Clocks ----------------------------------------------------------------------------------- */

struct stamp server_now(struct server *server, uint64_t txn)
{
    return stamp_clock_now(&server->clock, world_wall_ns(server->world, server->node), txn);
}

int64_t server_monotonic_ns(const struct server *server)
{
    return world_monotonic_ns(server->world, server->node);
}

void server_hear(struct server *server, struct stamp stamp)
{
    if (!server->cluster->options.bugs.on[BUG_CLOCK_NOT_FORWARDED])
        stamp_clock_forward(&server->clock, stamp);
}

static void put_clock(struct wire_writer *w, const struct stamp_clock *clock)
{
    wire_put_signed(w, clock->wall_ns);
    wire_put_number(w, clock->logical);
}

static void hear_clock(struct server *server, struct wire_reader *r)
{
    struct stamp heard = { .wall_ns = wire_get_signed(r) };

    heard.logical = (uint32_t)wire_get_number(r);
    server_hear(server, heard);
}

/* --- Sending ---------------------------------------------------------------------------------- */

static struct wire_writer *begin_message(struct server *server, enum message_kind kind)
{
    struct wire_writer *w = &server->out;

    wire_writer_reset(w);
    wire_put_byte(w, (uint8_t)kind);
    return w;
}

void server_send_bytes(struct server *server, uint32_t to, struct text bytes)
{
    world_send(server->world, server->node, to, bytes);
}

static void send(struct server *server, uint32_t to)
{
    server_send_bytes(server, to, wire_writer_text(&server->out));
}

void server_send_ask(struct server *server, uint32_t node, uint32_t shard, const struct ask *ask)
{
    struct wire_writer *w = begin_message(server, MESSAGE_ASK);

    wire_put_number(w, shard);
    put_clock(w, &server->clock);
    shard_ask_put(w, ask);
    send(server, node);
}

void server_send_answer(struct server *server, uint32_t node, uint32_t shard,
                        const struct shard_answer *answer, bool to_replica)
{
    struct wire_writer *w = begin_message(server, MESSAGE_ANSWER);

    wire_put_byte(w, to_replica);
    wire_put_number(w, shard);
    put_clock(w, &server->clock);
    shard_answer_put(w, answer);
    send(server, node);
}

void server_send_probe(struct server *server, uint32_t node, const struct ask *ask)
{
    struct wire_writer *w = begin_message(server, MESSAGE_PROBE);

    put_clock(w, &server->clock);
    shard_ask_put(w, ask);
    send(server, node);
}

void server_send_raft(struct server *server, uint32_t node, uint32_t shard, struct text bytes)
{
    struct wire_writer *w = begin_message(server, MESSAGE_RAFT);

    wire_put_number(w, shard);
    wire_put_bytes(w, bytes.at, bytes.length);
    send(server, node);
}

void server_send_local(struct server *server, uint32_t node, struct text bytes)
{
    struct wire_writer *w = begin_message(server, MESSAGE_LOCAL);

    put_clock(w, &server->clock);
    wire_put_bytes(w, bytes.at, bytes.length);
    send(server, node);
}

/* --- Every event ------------------------------------------------------------------------------ */

static void begin_event(struct server *server)
{
    arena_reset_to(&server->scratch, 0);
}

static void end_event(struct server *server)
{
    struct cluster *cluster = server->cluster;
    enum status status = cluster->failure.status;

    if (!server->coordinator_ticks && server->coordinator.txns.count > 0) {
        server->coordinator_ticks = true;
        world_set_timer(server->world, server->node, COORDINATOR_TICK_NS,
                        server_payload(COMPONENT_COORDINATOR, 0));
    }
    if (!pool_memory_is_short(&cluster->memory) && !cluster->catalog.is_short)
        return;
    if (status == STATUS_OK && cluster->catalog.is_short)
        status = error_set(&cluster->failure, STATUS_OVER_LIMIT, "no memory for the store's keys");
    else if (status == STATUS_OK)
        status = error_set(&cluster->failure, STATUS_TOO_LONG,
                           "the store holds %zu bytes, more than it may", cluster->memory.bytes);
    assert(status != STATUS_OK);
    world_stop(server->world);
}

/* --- Life ------------------------------------------------------------------------------------- */

static bool hosts(const struct server *server, uint32_t shard)
{
    for (uint32_t i = 0; i < server->cluster->options.replicas; i++)
        if (cluster_replica_node(server->cluster, shard, i) == server->node)
            return true;
    return false;
}

static void open_replica(struct server *server, uint32_t shard, uint32_t ordinal)
{
    struct cluster *cluster = server->cluster;
    const struct cluster_options *options = &cluster->options;
    struct raft_options raft = { .world = server->world,
                                 .node = server->node,
                                 .shard = shard,
                                 .peer_count = options->replicas,
                                 .disk = &server->disk,
                                 .first_file = ordinal * RAFT_FILES,
                                 .payload = server_payload(COMPONENT_RAFT, shard),
                                 .heartbeat_ns = options->heartbeat_ns,
                                 .election_ns = options->election_ns,
                                 .snapshot_entries = options->snapshot_entries,
                                 .bugs = &options->bugs,
                                 .sometimes = &cluster->sometimes };

    for (uint32_t i = 0; i < options->replicas; i++)
        raft.peers[i] = cluster_replica_node(cluster, shard, i);
    server->replicas[shard] = pool_take(&server->pool, sizeof **server->replicas);
    replica_open(server->replicas[shard], server, shard, &raft);
}

static void open_replicas(struct server *server)
{
    uint32_t shards = server->cluster->options.shards, ordinal = 0;
    uint64_t first_ns =
        random_below(world_random(server->world, server->node), (uint64_t)REPLICA_TICK_NS);

    server->replicas = pool_take(&server->pool, shards * sizeof *server->replicas);
    for (uint32_t shard = 0; shard < shards; shard++)
        if (hosts(server, shard))
            open_replica(server, shard, ordinal++);
    if (ordinal > 0)
        world_set_timer(server->world, server->node, (int64_t)first_ns,
                        server_payload(COMPONENT_REPLICAS, 0));
}

static void on_start(void *context, struct world *world, uint32_t node, bool restarted)
{
    struct server *server = context;
    const struct protocol *protocol = server->cluster->options.protocol;

    (void)world;
    (void)restarted; /* what is on the disk says the same */
    assert(!server->is_up && node == server->node);
    begin_event(server);
    server->is_up = true;
    server->clock = (struct stamp_clock){ 0 };
    server->out = (struct wire_writer){ .pool = &server->pool };
    server->coordinator_ticks = false;
    server->replicas = NULL;
    server->multileader = NULL;
    coordinator_open(&server->coordinator, server);
    if (protocol->on_raft)
        open_replicas(server);
    else
        server->multileader = multileader_open(server, protocol->local);
    end_event(server);
}

static void on_crash(void *context, struct world *world, uint32_t node)
{
    struct server *server = context;

    (void)node;
    assert(server->is_up);
    server->is_up = false;
    server->replicas = NULL;
    server->multileader = NULL;
    server->coordinator = (struct coordinator){ 0 };
    pool_drop(&server->pool);
    disk_crash(&server->disk, world->now_ns);
}

/* --- Messages --------------------------------------------------------------------------------- */

static struct text rest_of(const struct wire_reader *r)
{
    return (struct text){ r->at, (size_t)(r->end - r->at) };
}

/* Servers ask only those who host the shard. */
static struct replica *replica_of(const struct server *server, uint64_t shard)
{
    assert(shard < server->cluster->options.shards && server->replicas[shard]);
    return server->replicas[shard];
}

static void on_request(struct server *server, uint32_t client, struct text bytes)
{
    if (server->multileader)
        multileader_request(server->multileader, client, bytes);
    else
        coordinator_request(&server->coordinator, client, bytes);
}

static void on_raft(struct server *server, uint32_t from, struct wire_reader *r)
{
    struct replica *replica = replica_of(server, wire_get_number(r));

    if (replica_is_cut_off(replica))
        return;
    raft_on_message(replica->raft, from, rest_of(r));
    replica_retry(replica);
}

static void on_ask(struct server *server, struct wire_reader *r)
{
    struct replica *replica = replica_of(server, wire_get_number(r));
    struct ask ask;
    bool is_sound;

    hear_clock(server, r);
    is_sound = shard_ask_get(r, &ask, &server->scratch);
    assert(is_sound);
    replica_ask(replica, &ask);
}

static void on_answer(struct server *server, uint32_t from, struct wire_reader *r)
{
    bool to_replica = wire_get_byte(r);
    uint64_t shard = wire_get_number(r);
    struct shard_answer answer;
    bool is_sound;

    hear_clock(server, r);
    is_sound = shard_answer_get(r, &answer, &server->scratch);
    assert(is_sound);
    if (to_replica)
        replica_answer(replica_of(server, shard), &answer);
    else
        coordinator_answer(&server->coordinator, from, &answer);
}

static void on_probe(struct server *server, struct wire_reader *r)
{
    struct ask ask;
    bool is_sound;

    hear_clock(server, r);
    is_sound = shard_ask_get(r, &ask, &server->scratch);
    assert(is_sound);
    coordinator_probe(&server->coordinator, &ask);
}

static void on_message(void *context, struct world *world, uint32_t node, uint32_t from,
                       struct text bytes)
{
    struct server *server = context;
    struct wire_reader r = wire_reader_of(bytes);

    (void)world;
    (void)node;
    begin_event(server);
    switch ((enum message_kind)wire_get_byte(&r)) {
    case MESSAGE_REQUEST:
        on_request(server, from, rest_of(&r));
        break;
    case MESSAGE_RAFT:
        on_raft(server, from, &r);
        break;
    case MESSAGE_ASK:
        on_ask(server, &r);
        break;
    case MESSAGE_ANSWER:
        on_answer(server, from, &r);
        break;
    case MESSAGE_PROBE:
        on_probe(server, &r);
        break;
    case MESSAGE_LOCAL:
        hear_clock(server, &r);
        multileader_message(server->multileader, from, rest_of(&r));
        break;
    case MESSAGE_REPLY:
    case MESSAGE_KIND_COUNT:
        assert(!"no message for a server");
    }
    end_event(server);
}

/* --- Timers and completions ------------------------------------------------------------------- */

static void tick_coordinator(struct server *server)
{
    server->coordinator_ticks = false; /* set again at the event's end, if anybody needs it */
    coordinator_tick(&server->coordinator);
}

static void tick_replicas(struct server *server)
{
    world_set_timer(server->world, server->node, REPLICA_TICK_NS,
                    server_payload(COMPONENT_REPLICAS, 0));
    for (uint32_t shard = 0; shard < server->cluster->options.shards; shard++)
        if (server->replicas[shard])
            replica_tick(server->replicas[shard]);
}

static void on_timer(void *context, struct world *world, uint32_t node, uint64_t payload)
{
    struct server *server = context;
    struct replica *replica;

    (void)world;
    (void)node;
    begin_event(server);
    switch (PAYLOAD_COMPONENT(payload)) {
    case COMPONENT_RAFT:
        replica = replica_of(server, PAYLOAD_SHARD(payload));
        raft_on_timer(replica->raft, payload);
        replica_retry(replica);
        break;
    case COMPONENT_COORDINATOR:
        tick_coordinator(server);
        break;
    case COMPONENT_MULTILEADER:
        multileader_timer(server->multileader, payload);
        break;
    case COMPONENT_REPLICAS:
        tick_replicas(server);
        break;
    }
    end_event(server);
}

static void on_completion(void *context, struct world *world, uint32_t node, uint64_t what)
{
    struct server *server = context;
    struct replica *replica;

    (void)world;
    (void)node;
    begin_event(server);
    if (PAYLOAD_COMPONENT(what) == COMPONENT_MULTILEADER) {
        multileader_completion(server->multileader, what);
    } else {
        assert(PAYLOAD_COMPONENT(what) == COMPONENT_RAFT);
        replica = replica_of(server, PAYLOAD_SHARD(what));
        raft_on_completion(replica->raft, what);
        replica_retry(replica);
    }
    end_event(server);
}

/* --- For the trace ---------------------------------------------------------------------------- */

static void skip_clock(struct wire_reader *r)
{
    (void)wire_get_signed(r);
    (void)wire_get_number(r);
}

static void describe_reply(struct wire_reader *r, struct arena *scratch, struct buffer *to)
{
    struct client_reply reply;

    if (client_reply_get(r, &reply, scratch))
        client_reply_describe(&reply, to);
}

static void describe_ask(struct wire_reader *r, struct arena *scratch, struct buffer *to)
{
    struct ask ask;

    skip_clock(r);
    if (shard_ask_get(r, &ask, scratch))
        shard_ask_describe(&ask, to);
}

static void describe_answer(struct wire_reader *r, struct arena *scratch, struct buffer *to)
{
    struct shard_answer answer;

    skip_clock(r);
    if (shard_answer_get(r, &answer, scratch))
        shard_answer_describe(&answer, to);
}

static void describe(struct wire_reader *r, struct arena *scratch, struct buffer *to)
{
    switch ((enum message_kind)wire_get_byte(r)) {
    case MESSAGE_REPLY:
        describe_reply(r, scratch, to);
        return;
    case MESSAGE_RAFT:
        buffer_print(to, "raft %" PRIu64 ": ", wire_get_number(r));
        raft_describe(rest_of(r), to);
        return;
    case MESSAGE_ASK:
        buffer_print(to, "shard %" PRIu64 ": ", wire_get_number(r));
        describe_ask(r, scratch, to);
        return;
    case MESSAGE_ANSWER:
        (void)wire_get_byte(r);
        (void)wire_get_number(r); /* the answer says which shard it is from */
        describe_answer(r, scratch, to);
        return;
    case MESSAGE_PROBE:
        describe_ask(r, scratch, to);
        return;
    case MESSAGE_LOCAL:
        buffer_text(to, TEXT("gossip"));
        return;
    case MESSAGE_REQUEST: /* the clients describe theirs */
    case MESSAGE_KIND_COUNT:
        return;
    }
}

/* Called while an event is handled, whose scratch must stay. */
static void describe_message(void *context, struct text bytes, struct buffer *to)
{
    struct server *server = context;
    struct wire_reader r = wire_reader_of(bytes);
    size_t used = server->scratch.used;

    describe(&r, &server->scratch, to);
    arena_reset_to(&server->scratch, used);
}

/* What it answers, and whether it refuses. */
static uint32_t kind_of_answer(struct wire_reader *r)
{
    uint32_t kind = wire_get_byte(r);

    (void)wire_get_number(r); /* transaction, number, shard */
    (void)wire_get_number(r);
    (void)wire_get_number(r);
    return kind | (uint32_t)wire_get_byte(r) << 8;
}

/* What stands at the beginning of all messages of a kind, without numbers of shards and clocks. */
static uint32_t kind_of_message(struct text bytes)
{
    struct wire_reader r = wire_reader_of(bytes);
    uint32_t kind = wire_get_byte(&r);

    switch ((enum message_kind)kind) {
    case MESSAGE_RAFT:
        (void)wire_get_number(&r);
        break;
    case MESSAGE_ASK:
        (void)wire_get_number(&r);
        skip_clock(&r);
        break;
    case MESSAGE_ANSWER:
        kind |= (uint32_t)wire_get_byte(&r) << 4;
        (void)wire_get_number(&r);
        skip_clock(&r);
        return kind | kind_of_answer(&r) << 8;
    case MESSAGE_PROBE:
    case MESSAGE_LOCAL:
        skip_clock(&r);
        break;
    case MESSAGE_REQUEST:
    case MESSAGE_REPLY:
    case MESSAGE_KIND_COUNT:
        break;
    }
    return kind | (uint32_t)wire_get_byte(&r) << 8;
}

static void describe_note(void *context, uint32_t topic, uint64_t a, uint64_t b, struct buffer *to)
{
    (void)context;
    switch ((enum store_note)topic) {
    case NOTE_DECIDED:
        buffer_print(to, "T%" PRIu64 " committed", a);
        return;
    case NOTE_ABORTED:
        buffer_print(to, "T%" PRIu64 " aborted: %s", a, shard_refusal_name((enum refusal)b));
        return;
    case NOTE_CLIENT_GAVE_UP:
        return;
    }
}

const struct node_process server_process = {
    .name = "server",
    .start = on_start,
    .message = on_message,
    .timer = on_timer,
    .completion = on_completion,
    .crash = on_crash,
    .describe_message = describe_message,
    .kind_of_message = kind_of_message,
    .describe_note = describe_note,
};
