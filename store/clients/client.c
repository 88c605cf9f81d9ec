/*
 * Runs the transactions of a client, one after another.
 *
 *     RESTING ── due ──> begin ──┬── read, write, commit ──> ASKING ── reply ──> next
 *                 ^              └── wait ──> WAITING ── due ──> next
 *                 └─── think, or back off ─── the transaction has ended
 *
 * What it may say of a transaction's end: *committed* if it was told so; *aborted*
 * if it was told so, or if nobody was ever asked to commit; else *unknown*. A
 * coordinator that knows nothing of the transaction has done nothing for it; but
 * one that stood there before a crash may have got an earlier copy of the commit,
 * so only a commit that was sent once is known to be lost then.
 *
 * There is one timer, which is set again only when something is due before it: a
 * client that gets its answers in time costs one timer event in a while, not one
 * for each request.
 */
#include "store/clients/client.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "store/cluster_private.h"

#define BACKOFF_DOUBLINGS_MAX 8
#define HASTE_NS INT64_C(3000000) /* of a client that gives up */
#define EMPTY_PAUSE_NS INT64_C(1000000) /* behind a transaction that asked nothing */
#define PROBE_KEYS_PER_CLIENT INT64_C(1000000)

enum client_phase {
    CLIENT_IDLE,    /* has no more to do */
    CLIENT_RESTING, /* until the next transaction, or attempt */
    CLIENT_ASKING,
    CLIENT_WAITING, /* as the driver wanted */
};

struct client {
    struct cluster *cluster;
    const struct driver *driver;
    struct client_options options;
    struct latency think;
    struct random random;
    uint32_t number, endpoint;
    uint32_t node;    /* that it talks to */
    uint32_t session; /* of the history */
    bool is_stopped;  /* begins nothing new */

    enum client_phase phase;
    int64_t due_ns;   /* when it rests or waits */
    int64_t timer_ns; /* when the timer fires; TIME_NEVER: none is set */
    uint64_t timer;

    uint64_t ordinal; /* of the transaction, */
    uint32_t attempt; /* of the attempt at it: from 0 */
    uint64_t txn;
    struct stamp seen;             /* the session's last commit */
    struct wire_writer seen_by_session; /* what a multi-leader node told it to remember */

    struct client_request request; /* at hand, or the last; its arrays are the driver's */
    uint32_t sent;                 /* how often */
    int64_t invoked_ns, resend_ns, give_up_ns;

    bool must_probe, is_probing;
    bool is_counted; /* what it does is the workload's */
    uint32_t probe_shard;
    struct wire_writer probe_row;
    struct row_change probe_change;

    struct wire_writer out;
    struct wire_writer room;  /* for what is in a reply */
    struct wire_writer aside; /* the same for the trace */
};

/* --- Time ------------------------------------------------------------------------------------- */

static int64_t now_of(const struct client *client)
{
    return world_monotonic_ns(client->cluster->world, client->endpoint);
}

static void wake_at(struct client *client, int64_t at_ns)
{
    struct world *world = client->cluster->world;
    int64_t now_ns = now_of(client);

    if (client->timer_ns <= at_ns)
        return;
    if (client->timer_ns != TIME_NEVER)
        world_cancel_timer(world, client->timer);
    client->timer_ns = at_ns < now_ns ? now_ns : at_ns;
    client->timer = world_set_timer(world, client->endpoint, client->timer_ns - now_ns, 0);
}

static void rest(struct client *client, int64_t pause_ns)
{
    client->phase = CLIENT_RESTING;
    client->due_ns = now_of(client) + pause_ns;
    wake_at(client, client->due_ns);
}

/* Until its driver's next turn; without one, or a driver that has turns, as long as it likes. */
static int64_t think_ns(struct client *client)
{
    const struct driver *driver = client->driver;
    struct driver_turn turn;

    if (driver->turn) {
        int64_t now_ns = now_of(client);
        bool has_more = driver->turn(driver->context, client->number, client->ordinal, &turn);

        return has_more && turn.at_ns > now_ns ? turn.at_ns - now_ns : 0;
    }
    if (client->options.think_ns == 0)
        return client->request.number == 0 ? EMPTY_PAUSE_NS : 0;
    return latency_draw_ns(&client->think, random_next(&client->random));
}

/* Doubles from attempt to attempt; somewhere between half of it and all. */
static int64_t backoff_ns(struct client *client)
{
    uint32_t doublings =
        client->attempt < BACKOFF_DOUBLINGS_MAX ? client->attempt : BACKOFF_DOUBLINGS_MAX;
    int64_t pause_ns = client->options.backoff_ns << doublings;

    return random_between(&client->random, pause_ns / 2, pause_ns);
}

/* --- Requests --------------------------------------------------------------------------------- */

static void send(struct client *client)
{
    wire_writer_reset(&client->out);
    wire_put_byte(&client->out, MESSAGE_REQUEST);
    client_request_put(&client->out, &client->request);
    world_send(client->cluster->world, client->endpoint, client->node,
               wire_writer_text(&client->out));
    client->sent++;
}

static void begin_request(struct client *client, enum client_request_kind kind)
{
    client->request =
        (struct client_request){ .kind = kind,
                                 .txn = client->txn,
                                 .number = client->request.number + 1,
                                 .scope = SCOPE_NONE,
                                 .seen = client->seen,
                                 .session = wire_writer_text(&client->seen_by_session) };
    client->sent = 0;
    client->invoked_ns = now_of(client);
}

static void ask(struct client *client)
{
    client->phase = CLIENT_ASKING;
    client->resend_ns = client->invoked_ns + client->options.request_timeout_ns;
    client->give_up_ns = client->invoked_ns + client->options.patience_ns;
    if (BUGGIFY(&client->cluster->sometimes, client->endpoint, REQUEST_AGAIN))
        client->resend_ns = client->invoked_ns + 1;
    if (BUGGIFY(&client->cluster->sometimes, client->endpoint, CLIENT_GIVES_UP))
        client->resend_ns = client->give_up_ns = client->invoked_ns + HASTE_NS;
    wake_at(client, client->resend_ns);
    send(client);
}

static void ask_to_read(struct client *client, const struct intent *intent)
{
    begin_request(client, CLIENT_READ);
    client->request.scope = intent->key_count > 0 ? SCOPE_NONE : intent->scope;
    client->request.keys = intent->keys;
    client->request.key_count = intent->key_count;
    client->request.lock = intent->lock;
    client->request.for_write = intent->for_write;
    client->request.first_table = intent->first_table;
    ask(client);
}

static void ask_to_write(struct client *client, const struct row_change *changes, uint32_t count)
{
    begin_request(client, CLIENT_WRITE);
    client->request.changes = changes;
    client->request.change_count = count;
    ask(client);
}

static void ask_to_commit(struct client *client)
{
    begin_request(client, CLIENT_COMMIT);
    ask(client);
}

/* Nobody answers; a coordinator that does not hear of it finds out by itself. */
static void tell_to_abort(struct client *client)
{
    if (client->request.number == 0)
        return;
    begin_request(client, CLIENT_ABORT);
    send(client);
}

/* --- Probes ----------------------------------------------------------------------------------- */

static void write_probe_row(struct client *client)
{
    struct catalog *catalog = &client->cluster->catalog;
    uint32_t table = catalog->schema->table_count - 1, key;
    struct datum cells[2] = { datum_of_int64(PROBE_KEYS_PER_CLIENT * client->number),
                              datum_of_int64(client->attempt) };

    while (key = catalog_key_of_row(catalog, table, cells),
           catalog_shard(catalog, key) != client->probe_shard && !catalog->is_short)
        cells[0].as.integer++;
    wire_writer_reset(&client->probe_row);
    row_put(&client->probe_row, cells, 2);
    client->probe_change =
        (struct row_change){ .key = key, .row = wire_writer_text(&client->probe_row) };
}

static void ask_for_probe(struct client *client)
{
    if (client->request.number > 0) {
        ask_to_commit(client);
        return;
    }
    write_probe_row(client);
    ask_to_write(client, &client->probe_change, 1);
}

/* --- Transactions ----------------------------------------------------------------------------- */

/* Its part of all transactions together; those left over go to the first clients. */
static bool has_more(const struct client *client)
{
    uint64_t all = client->options.transactions, clients = client->cluster->options.sessions;

    return all == 0 || client->ordinal < all / clients + (client->number < all % clients);
}

static void go_to_its_node(struct client *client)
{
    const struct driver *driver = client->driver;
    struct driver_turn turn;

    if (driver->turn && driver->turn(driver->context, client->number, client->ordinal, &turn))
        client->node = turn.node % client->cluster->world->options.node_count;
}

static bool wants_to_begin(struct client *client)
{
    struct listed *recorded = client->is_counted ? client->cluster->options.recorded : NULL;

    client->is_probing = client->must_probe;
    if (client->is_probing)
        return client->probe_shard < client->cluster->catalog.shard_count;
    if (client->is_stopped || !has_more(client))
        return false;
    go_to_its_node(client);
    if (!client->driver->begin(client->driver->context, client->number, client->ordinal,
                               client->attempt))
        return false;
    if (recorded)
        listed_place(recorded, now_of(client), client->node);
    return true;
}

static void end(struct client *client, enum txn_status status, bool again);

static void take_step(struct client *client)
{
    struct intent intent;

    if (client->is_probing) {
        ask_for_probe(client);
        return;
    }
    intent = client->driver->next(client->driver->context, client->number);
    switch (intent.kind) {
    case INTENT_READ:
        ask_to_read(client, &intent);
        return;
    case INTENT_WRITE:
        ask_to_write(client, intent.changes, intent.change_count);
        return;
    case INTENT_COMMIT:
        ask_to_commit(client);
        return;
    case INTENT_ABORT:
        tell_to_abort(client);
        end(client, TXN_ABORT, false);
        return;
    case INTENT_WAIT:
        client->phase = CLIENT_WAITING;
        client->due_ns = now_of(client) + intent.wait_ns;
        wake_at(client, client->due_ns);
        return;
    }
}

/* Before its next transaction, as the driver wants it. */
static bool must_rest(struct client *client)
{
    const struct driver *driver = client->driver;
    int64_t pause_ns;

    if (!driver->rest_ns || client->is_stopped)
        return false;
    pause_ns = driver->rest_ns(driver->context, client->number);
    if (pause_ns > 0)
        rest(client, pause_ns);
    return pause_ns > 0;
}

static void client_begin(struct client *client)
{
    struct run_record *record = client->cluster->record;

    if (must_rest(client))
        return;
    client->phase = CLIENT_IDLE;
    if (!wants_to_begin(client))
        return;
    client->txn = record_begin(record, client->session, client->cluster->world->now_ns);
    if (record_is_short(record)) /* it has no number of its own: the run is abandoned, as by pool_take() */
        (void)arena_take(client->cluster->memory.arena, ARENA_UNLIMITED, 2);
    if (client->is_probing)
        record_forget(record, client->txn);
    else if (!client->is_counted)
        record_do_not_count(record, client->txn);
    client->request = (struct client_request){ 0 };
    take_step(client);
}

static void move_to_another_node(struct client *client)
{
    uint32_t nodes = client->cluster->world->options.node_count;

    if (nodes > 1)
        client->node =
            (client->node + 1 + (uint32_t)random_below(&client->random, nodes - 1)) % nodes;
}

static void begin_another_session(struct client *client)
{
    client->session += client->cluster->options.sessions;
    wire_writer_reset(&client->seen_by_session);
}

static void end_probe(struct client *client, enum txn_status status)
{
    if (status == TXN_OK) {
        client->probe_shard++;
        client->attempt = 0;
        rest(client, 0);
    } else {
        rest(client, backoff_ns(client));
        client->attempt++;
    }
}

/* The attempt is over; `again`: the same transaction is to be tried once more. */
static void end(struct client *client, enum txn_status status, bool again)
{
    struct cluster *cluster = client->cluster;

    record_end(cluster->record, client->txn, status, cluster->world->now_ns);
    if (status == TXN_UNKNOWN)
        begin_another_session(client);
    if (client->is_probing) {
        end_probe(client, status);
        return;
    }
    client->driver->ended(client->driver->context, client->number, status, client->txn);
    if (BUGGIFY(&cluster->sometimes, client->endpoint, SESSION_MOVES))
        move_to_another_node(client);
    if (again && !client->is_stopped && client->attempt + 1 < client->options.attempts_max) {
        rest(client, backoff_ns(client));
        client->attempt++;
        return;
    }
    client->ordinal++;
    client->attempt = 0;
    rest(client, client->is_stopped ? 0 : think_ns(client));
}

/* --- Answers ---------------------------------------------------------------------------------- */

static struct driver_answer answer_of(const struct client *client, int64_t completed_ns)
{
    return (struct driver_answer){
        .op = { .invoked_ns = client->invoked_ns,
                .completed_ns = completed_ns,
                .lock =
                    client->request.kind == CLIENT_READ ? client->request.lock : ROW_LOCK_NONE },
        .record = client->cluster->record,
        .txn = client->txn,
    };
}

static void pass_on(struct client *client, const struct client_reply *reply)
{
    struct driver_answer answer = answer_of(client, client->cluster->world->now_ns);

    answer.rows = reply->rows;
    answer.row_count = reply->row_count;
    answer.op.snapshot = reply->at;
    if (!client->cluster->options.protocol->on_raft && client->request.kind == CLIENT_READ) {
        answer.op.has_set = true;
        answer.op.set = reply->seen;
        answer.op.set_count = reply->seen_count;
    }
    client->driver->answered(client->driver->context, client->number, &answer);
}

static void remember(struct client *client, const struct client_reply *reply)
{
    client->seen = stamp_max(client->seen, reply->at);
    if (reply->session.length == 0)
        return;
    wire_writer_reset(&client->seen_by_session);
    wire_put_bytes(&client->seen_by_session, reply->session.at, reply->session.length);
}

static void on_done(struct client *client, const struct client_reply *reply)
{
    remember(client, reply);
    if (client->request.kind == CLIENT_COMMIT) {
        end(client, TXN_OK, false);
        return;
    }
    if (!client->is_probing)
        pass_on(client, reply);
    take_step(client);
}

/* What was asked goes into the history without an answer. */
static void lose_answer(struct client *client)
{
    struct driver_answer answer = answer_of(client, TIME_NEVER);

    if (!client->is_probing && client->request.kind != CLIENT_COMMIT)
        client->driver->unanswered(client->driver->context, client->number, &answer);
}

/* It is over, and has no effect. */
static void on_abort(struct client *client)
{
    lose_answer(client);
    end(client, TXN_ABORT, true);
}

/* Whether the commit took effect cannot be known. */
static void on_commit_lost(struct client *client)
{
    struct cluster *cluster = client->cluster;
    bool again = cluster->options.bugs.on[BUG_RETRY_APPLIED_TWICE];

    SOMETIMES(&cluster->sometimes, COMMIT_UNKNOWN);
    move_to_another_node(client);
    end(client, again ? TXN_ABORT : TXN_UNKNOWN, again);
}

static void on_gone(struct client *client)
{
    SOMETIMES(&client->cluster->sometimes, COORDINATOR_LOST);
    if (client->request.kind == CLIENT_COMMIT && client->sent > 1)
        on_commit_lost(client);
    else
        on_abort(client);
}

static void give_up(struct client *client)
{
    world_note(client->cluster->world, client->endpoint, NOTE_CLIENT_GAVE_UP, client->txn,
               client->node);
    if (client->request.kind == CLIENT_COMMIT) {
        on_commit_lost(client);
        return;
    }
    SOMETIMES(&client->cluster->sometimes, CLIENT_GAVE_UP);
    lose_answer(client);
    tell_to_abort(client);
    move_to_another_node(client);
    end(client, TXN_ABORT, true);
}

/* --- The process ------------------------------------------------------------------------------ */

/* For what so many bytes of a message say: that is at most 24 times as large in memory. */
static struct arena room_for(struct wire_writer *room, size_t bytes)
{
    size_t size = 24 * bytes + 256;

    wire_writer_reset(room);
    wire_writer_make_room(room, size);
    return arena_over(room->at, size);
}

static void on_message(void *context, struct world *world, uint32_t node, uint32_t from,
                       struct text bytes)
{
    struct client *client = context;
    struct wire_reader r = wire_reader_of(bytes);
    struct arena room = room_for(&client->room, bytes.length);
    struct client_reply reply;
    bool is_sound = wire_get_byte(&r) == MESSAGE_REPLY && client_reply_get(&r, &reply, &room);

    (void)world;
    (void)node;
    (void)from;
    assert(is_sound);
    if (client->phase != CLIENT_ASKING || reply.txn != client->txn ||
        reply.number != client->request.number)
        return;
    switch (reply.kind) {
    case REPLY_DONE:
        on_done(client, &reply);
        return;
    case REPLY_ABORTED:
        on_abort(client);
        return;
    case REPLY_GONE:
        on_gone(client);
        return;
    case REPLY_UNKNOWN:
        on_commit_lost(client);
        return;
    case CLIENT_REPLY_KIND_COUNT:
        return;
    }
}

static void send_again_or_give_up(struct client *client, int64_t now_ns)
{
    if (now_ns >= client->give_up_ns) {
        give_up(client);
        return;
    }
    if (now_ns >= client->resend_ns) {
        SOMETIMES(&client->cluster->sometimes, STATEMENT_RETRIED);
        client->request.is_repeat = true;
        client->resend_ns = now_ns + client->options.request_timeout_ns;
        send(client);
    }
    wake_at(client,
            client->resend_ns < client->give_up_ns ? client->resend_ns : client->give_up_ns);
}

static void on_timer(void *context, struct world *world, uint32_t node, uint64_t payload)
{
    struct client *client = context;
    int64_t now_ns = now_of(client);

    (void)world;
    (void)node;
    (void)payload;
    client->timer_ns = TIME_NEVER;
    if (client->phase == CLIENT_IDLE)
        return;
    if (client->phase == CLIENT_ASKING)
        send_again_or_give_up(client, now_ns);
    else if (now_ns < client->due_ns)
        wake_at(client, client->due_ns);
    else if (client->phase == CLIENT_WAITING)
        take_step(client);
    else
        client_begin(client);
}

static void on_start(void *context, struct world *world, uint32_t node, bool restarted)
{
    struct client *client = context;

    (void)world;
    assert(!restarted && node == client->endpoint); /* nothing happens to clients */
    rest(client, think_ns(client));
}

static void describe_message(void *context, struct text bytes, struct buffer *to)
{
    struct client *client = context;
    struct wire_reader r = wire_reader_of(bytes);
    struct arena room = room_for(&client->aside, bytes.length);
    struct client_request request;

    if (wire_get_byte(&r) == MESSAGE_REQUEST && client_request_get(&r, &request, &room))
        client_request_describe(&request, to);
}

static void describe_note(void *context, uint32_t topic, uint64_t a, uint64_t b, struct buffer *to)
{
    (void)context;
    if (topic == NOTE_CLIENT_GAVE_UP)
        buffer_print(to, "T%" PRIu64 ": no answer from n%" PRIu64, a, b);
}

/* A reply's kind. */
static uint32_t kind_of_message(struct text bytes)
{
    struct wire_reader r = wire_reader_of(bytes);

    (void)wire_get_byte(&r); /* MESSAGE_REPLY */
    return wire_get_byte(&r);
}

const struct node_process client_process = {
    .name = "client",
    .start = on_start,
    .message = on_message,
    .timer = on_timer,
    .describe_message = describe_message,
    .describe_note = describe_note,
    .kind_of_message = kind_of_message,
};

/* --- For the harness -------------------------------------------------------------------------- */

struct client *client_open(struct cluster *cluster, uint32_t number,
                           const struct client_options *options, const struct driver *driver)
{
    struct pool *pool = &cluster->pool;
    struct client *client = pool_take(pool, sizeof *client);
    struct random_key key = random_key_fork(world_key(cluster->world), "client/%" PRIu32, number);
    enum status status;
    struct error err;

    client->cluster = cluster;
    client->driver = driver;
    client->options = *options;
    client->number = number;
    client->endpoint = cluster->world->options.node_count + number;
    client->node = number % cluster->world->options.node_count;
    client->session = number;
    client->is_counted = true;
    client->timer_ns = TIME_NEVER;
    client->seen_by_session.pool = pool;
    client->probe_row.pool = pool;
    client->out.pool = pool;
    client->room.pool = pool;
    client->aside.pool = pool;
    random_init(&client->random, &key);
    status = latency_exponential(&client->think, 0, options->think_ns, &err);
    assert(status == STATUS_OK);
    return client;
}

void client_draw_anew(struct client *client)
{
    struct random_key key =
        random_key_fork(world_key(client->cluster->world), "client/%" PRIu32, client->number);

    random_init(&client->random, &key);
}

void client_close(struct client *client)
{
    (void)client; /* all of it is the cluster's */
}

void client_stop(struct client *client)
{
    client->is_stopped = true;
    if (client->phase == CLIENT_RESTING) {
        client->phase = CLIENT_IDLE;
        client->attempt = 0;
    }
}

bool client_is_idle(const struct client *client)
{
    return client->phase == CLIENT_IDLE || client->is_probing;
}

void client_probe(struct client *client)
{
    assert(client->is_stopped && !client->must_probe);
    client->must_probe = true;
    if (client->phase == CLIENT_IDLE)
        rest(client, 0);
}

bool client_probes_done(const struct client *client)
{
    return client->must_probe && client->probe_shard == client->cluster->catalog.shard_count;
}

/* What it draws from now on is the same, however much has been drawn before: see bisecting. */
void client_follow(struct client *client, const struct driver *driver)
{
    struct random_key key =
        random_key_fork(world_key(client->cluster->world), "reader/%" PRIu32, client->number);

    random_init(&client->random, &key);
    assert(client_probes_done(client) && client->phase != CLIENT_ASKING);
    client->must_probe = client->is_probing = client->is_stopped = client->is_counted = false;
    client->driver = driver;
    client->options.transactions = 0;
    client->options.think_ns = 0;
    client->options.attempts_max = UINT32_MAX;
    client->ordinal = 0;
    client->attempt = 0;
    rest(client, 0);
}

uint32_t client_stuck_shard(const struct client *client)
{
    return client->probe_shard;
}
