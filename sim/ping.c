#include "sim/ping.h"

#include <assert.h>
#include <inttypes.h>

#define MESSAGE_BYTES 25
#define INTERVAL_DEFAULT_NS (INT64_C(100) * 1000 * 1000)
#define SUSPECT_DEFAULT_NS (INT64_C(1000) * 1000 * 1000)

enum note { NOTE_SUSPECTS, NOTE_HEARS_AGAIN };

struct ping_message {
    bool is_answer;
    uint64_t number;
    int64_t asked_ns; /* when it was asked, on the asker's monotonic clock */
    int64_t wall_ns;  /* on the wall clock of whoever sends this message */
};

struct ping_peer {
    uint64_t asked, answered; /* numbers of the last ping, and of the last that was answered */
    int64_t heard_ns;         /* of the last answer, on this node's monotonic clock */
    bool suspected;
    bool missing;        /* ping_settle() waits for an answer */
    int64_t demanded_ns; /* to a question not older than this */
};

static struct ping_peer *peer_of(struct ping *ping, uint32_t node, uint32_t peer)
{
    assert(node < ping->node_count && peer < ping->node_count);
    return &ping->peers[(size_t)node * ping->node_count + peer];
}

static void put_number(char *to, uint64_t number)
{
    for (int i = 0; i < 8; i++)
        to[i] = (char)(uint8_t)(number >> (8 * i));
}

static uint64_t get_number(const char *from)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number |= (uint64_t)(uint8_t)from[i] << (8 * i);
    return number;
}

static struct ping_message read_message(struct text bytes)
{
    assert(bytes.length == MESSAGE_BYTES);
    return (struct ping_message){ .is_answer = bytes.at[0] != 0,
                                  .number = get_number(bytes.at + 1),
                                  .asked_ns = (int64_t)get_number(bytes.at + 9),
                                  .wall_ns = (int64_t)get_number(bytes.at + 17) };
}

static void send_message(struct world *world, uint32_t from, uint32_t to,
                         const struct ping_message *message)
{
    char bytes[MESSAGE_BYTES];

    bytes[0] = (char)message->is_answer;
    put_number(bytes + 1, message->number);
    put_number(bytes + 9, (uint64_t)message->asked_ns);
    put_number(bytes + 17, (uint64_t)message->wall_ns);
    world_send(world, from, to, (struct text){ bytes, sizeof bytes });
}

static void ask(struct ping *ping, struct world *world, uint32_t node, uint32_t to)
{
    struct ping_message message = { .number = ++peer_of(ping, node, to)->asked,
                                    .asked_ns = world_monotonic_ns(world, node),
                                    .wall_ns = world_wall_ns(world, node) };

    ping->findings.pings_sent++;
    send_message(world, node, to, &message);
}

static void ping_answer(struct ping *ping, struct world *world, uint32_t node, uint32_t to,
                        struct ping_message message)
{
    message.is_answer = true;
    message.wall_ns = world_wall_ns(world, node);
    ping->findings.pings_answered++;
    send_message(world, node, to, &message);
}

static void suspect_if_silent(struct ping *ping, struct world *world, uint32_t node, uint32_t of)
{
    struct ping_peer *peer = peer_of(ping, node, of);
    int64_t silent_ns = world_monotonic_ns(world, node) - peer->heard_ns;

    if (peer->suspected || silent_ns <= ping->options.suspect_ns)
        return;
    peer->suspected = true;
    ping->findings.suspicions++;
    world_note(world, node, NOTE_SUSPECTS, of, (uint64_t)silent_ns);
}

/* By the book (Cristian): the answer was written half a round trip ago. */
static int64_t clock_difference_ns(const struct world *world, uint32_t node,
                                   const struct ping_message *message, int64_t round_trip_ns)
{
    int64_t ahead_ns = message->wall_ns - (world_wall_ns(world, node) - round_trip_ns / 2);

    return ahead_ns < 0 ? -ahead_ns : ahead_ns;
}

static void measure(struct ping *ping, const struct world *world, uint32_t node,
                    const struct ping_message *message)
{
    struct ping_findings *findings = &ping->findings;
    int64_t round_trip_ns = world_monotonic_ns(world, node) - message->asked_ns;
    int64_t difference_ns = clock_difference_ns(world, node, message, round_trip_ns);

    assert(round_trip_ns >= 0);
    findings->round_trips++;
    if (findings->round_trip_ns_max < round_trip_ns)
        findings->round_trip_ns_max = round_trip_ns;
    if (findings->clock_difference_ns_max < difference_ns)
        findings->clock_difference_ns_max = difference_ns;
}

static void note_answer(struct ping *ping, struct world *world, uint32_t node, uint32_t from,
                        const struct ping_message *message)
{
    struct ping_peer *peer = peer_of(ping, node, from);

    /* Asked before a crash that this node does not remember; or a copy, or out of order. */
    if (message->asked_ns < ping->started_ns[node] || message->number <= peer->answered)
        return;
    peer->answered = message->number;
    peer->heard_ns = world_monotonic_ns(world, node);
    measure(ping, world, node, message);
    if (peer->suspected) {
        peer->suspected = false;
        ping->findings.recoveries++;
        world_note(world, node, NOTE_HEARS_AGAIN, from, 0);
    }
    if (peer->missing && message->asked_ns >= peer->demanded_ns) {
        peer->missing = false;
        if (--ping->missing == 0)
            world_stop(world);
    }
}

static void on_message(void *context, struct world *world, uint32_t node, uint32_t from,
                       struct text bytes)
{
    struct ping_message message = read_message(bytes);

    if (message.is_answer)
        note_answer(context, world, node, from, &message);
    else
        ping_answer(context, world, node, from, message);
}

static void on_timer(void *context, struct world *world, uint32_t node, uint64_t payload)
{
    struct ping *ping = context;

    (void)payload; /* there is one timer a node */
    for (uint32_t peer = 0; peer < ping->node_count; peer++) {
        if (peer == node)
            continue;
        suspect_if_silent(ping, world, node, peer);
        ask(ping, world, node, peer);
    }
    world_set_timer(world, node, ping->options.interval_ns, 0);
}

static void on_start(void *context, struct world *world, uint32_t node, bool restarted)
{
    struct ping *ping = context;
    uint64_t first_ns =
        random_below(world_random(world, node), (uint64_t)ping->options.interval_ns);

    (void)restarted; /* nothing is kept on disk */
    ping->started_ns[node] = world_monotonic_ns(world, node);
    for (uint32_t peer = 0; peer < ping->node_count; peer++) {
        /* What the harness wants to know outlives the node's memory. */
        struct ping_peer *known = peer_of(ping, node, peer);
        *known = (struct ping_peer){ .heard_ns = ping->started_ns[node],
                                     .missing = known->missing,
                                     .demanded_ns = known->demanded_ns };
    }
    world_set_timer(world, node, (int64_t)first_ns, 0);
}

static void describe_message(void *context, struct text bytes, struct buffer *to)
{
    struct ping_message message = read_message(bytes);

    (void)context;
    buffer_print(to, "%s %" PRIu64, message.is_answer ? "answer" : "ping", message.number);
}

static void describe_note(void *context, uint32_t topic, uint64_t a, uint64_t b, struct buffer *to)
{
    (void)context;
    if (topic == NOTE_SUSPECTS)
        buffer_print(to, "suspects n%" PRIu64 ", silent for %" PRIu64 " ms", a, b / 1000000);
    else
        buffer_print(to, "hears n%" PRIu64 " again", a);
}

static const struct node_process ping_process = { .name = "ping",
                                                  .start = on_start,
                                                  .message = on_message,
                                                  .timer = on_timer,
                                                  .describe_message = describe_message,
                                                  .describe_note = describe_note };

enum status ping_init(struct ping *ping, const struct ping_options *options, struct world *world,
                      struct arena *arena, struct error *err)
{
    uint32_t node_count = world->options.node_count;

    *ping = (struct ping){ .options = *options, .node_count = node_count };
    if (ping->options.interval_ns == 0)
        ping->options.interval_ns = INTERVAL_DEFAULT_NS;
    if (ping->options.suspect_ns == 0)
        ping->options.suspect_ns = SUSPECT_DEFAULT_NS;
    if (ping->options.interval_ns < 0 || ping->options.interval_ns > WORLD_TIME_NS_MAX ||
        ping->options.suspect_ns < 0)
        return error_set(err, STATUS_BAD_INPUT, "ping: interval and suspicion must be above zero");
    ping->started_ns = arena_push(arena, node_count, sizeof *ping->started_ns);
    ping->peers = arena_push(arena, (size_t)node_count * node_count, sizeof *ping->peers);
    if (!ping->started_ns || !ping->peers)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " nodes that ping",
                         node_count);
    for (uint32_t node = 0; node < node_count; node++)
        world_set_process(world, node, &ping_process, ping);
    return STATUS_OK;
}

static void demand(struct ping *ping, const struct world *world)
{
    for (uint32_t node = 0; node < ping->node_count; node++)
        for (uint32_t peer = 0; peer < ping->node_count; peer++) {
            struct ping_peer *known = peer_of(ping, node, peer);
            if (peer == node)
                continue;
            known->missing = true;
            known->demanded_ns = world_monotonic_ns(world, node);
            ping->missing++;
        }
}

static void name_stuck_pair(struct ping *ping)
{
    for (uint32_t node = 0; node < ping->node_count; node++)
        for (uint32_t peer = 0; peer < ping->node_count; peer++)
            if (peer_of(ping, node, peer)->missing) {
                ping->findings.stuck_from = node;
                ping->findings.stuck_to = peer;
                return;
            }
}

enum status ping_settle(struct ping *ping, struct world *world, int64_t budget_ns,
                        struct error *err)
{
    assert(ping->missing == 0 && budget_ns >= 0);
    demand(ping, world);
    if (ping->missing > 0)
        TRY(world_run(world, world->now_ns + budget_ns, err));
    ping->findings.stuck = ping->missing > 0;
    if (ping->findings.stuck)
        name_stuck_pair(ping);
    return STATUS_OK;
}
