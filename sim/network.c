#include "sim/network.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/checksum.h"
#include "sim/turn.h"

#define BILLION 1000000000
#define BACKLOG_NS_MAX (INT64_C(1000000) * BILLION) /* what waits longer never comes anyway */
#define ROOM_FIRST 256

/* What is drawn for a message. New ones go to the end: the numbers are part of every fate. */
enum network_draw {
    DRAW_LATENCY,
    DRAW_LOSS,
    DRAW_DUPLICATE,
    DRAW_REORDER,
    DRAW_LATENESS,
    DRAW_COPY_LATENCY,
    DRAW_COPY_LOSS,
    DRAW_COUNT
};
#define DRAW_BITS 4
_Static_assert(DRAW_COUNT <= 1 << DRAW_BITS, "draws of neighbouring messages would overlap");

static enum status grow_messages(struct network *network, struct error *err)
{
    uint32_t room = network->message_room ? network->message_room : ROOM_FIRST / 2;
    struct message *messages;

    room = room > network->message_count_max / 2 ? network->message_count_max : 2 * room;
    if (room == network->message_room)
        return error_set(err, STATUS_TOO_LONG, "no room for more than %" PRIu32 " messages", room);
    messages = arena_push(network->arena, room, sizeof *messages);
    if (!messages)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for more than %" PRIu32 " messages",
                         network->message_room);
    if (network->message_used)
        memcpy(messages, network->messages, network->message_used * sizeof *messages);
    network->messages = messages;
    network->message_room = room;
    return STATUS_OK;
}

enum status network_init(struct network *network, const struct network_options *options,
                         const struct random_key *key, struct arena *arena, struct error *err)
{
    size_t endpoint_count = options->endpoint_count;

    assert(options->message_count_max > 0 && options->node_count <= options->endpoint_count);
    *network = (struct network){ .arena = arena,
                                 .key = *key,
                                 .options = *options->links,
                                 .node_count = options->node_count,
                                 .endpoint_count = options->endpoint_count,
                                 .message_count_max = options->message_count_max,
                                 .draws_by_time = options->draws_by_time,
                                 .free_message = MESSAGE_NONE };
    network->links = arena_push(arena, endpoint_count * endpoint_count, sizeof *network->links);
    network->send_clogged_until_ns = arena_push(arena, endpoint_count, sizeof(int64_t));
    network->receive_clogged_until_ns = arena_push(arena, endpoint_count, sizeof(int64_t));
    if (!network->links || !network->send_clogged_until_ns || !network->receive_clogged_until_ns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for links between %zu endpoints",
                         endpoint_count);
    blocks_init(&network->blocks, options->message_bytes_max, arena);
    return grow_messages(network, err);
}

struct link *network_link(struct network *network, uint32_t from, uint32_t to)
{
    assert(from < network->endpoint_count && to < network->endpoint_count);
    return &network->links[(size_t)from * network->endpoint_count + to];
}

struct message *network_message(struct network *network, uint32_t message)
{
    assert(message < network->message_used);
    return &network->messages[message];
}

/* Named by what an endpoint is, so that one node more leaves the clients' links alone. */
static void fork_key(const struct network *network, struct link *link, uint32_t from, uint32_t to)
{
    bool from_node = from < network->node_count, to_node = to < network->node_count;

    link->key =
        random_key_fork(&network->key, "link/%c%" PRIu32 "-%c%" PRIu32, from_node ? 'n' : 'c',
                        from_node ? from : from - network->node_count, to_node ? 'n' : 'c',
                        to_node ? to : to - network->node_count);
    link->keyed = true;
}

static uint64_t draw(const struct link *link, uint64_t ordinal, enum network_draw what)
{
    return random_draw_at(&link->key, ordinal << DRAW_BITS | what);
}

/* A chance of zero needs no denominator, and no draw. */
static bool happens(const struct link *link, uint64_t ordinal, enum network_draw what,
                    struct ratio chance)
{
    return chance.numerator > 0 && random_word_below(draw(link, ordinal, what), chance);
}

/* The next of the link's bursts of this kind from `*number` on, or NULL. */
static struct burst *next_burst(struct network *network, const struct link *link,
                                enum burst_kind kind, uint32_t *number)
{
    while (*number < NETWORK_BURST_COUNT_MAX && link->bursts >> *number) {
        uint32_t i = (*number)++;
        if (link->bursts >> i & 1 && network->bursts[i].kind == kind)
            return &network->bursts[i];
    }
    return NULL;
}

/* Whether any burst of the kind does to the message what the link's own options spare it. */
static bool burst_hits(struct network *network, const struct link *link, uint64_t ordinal,
                       enum network_draw what, enum burst_kind kind)
{
    struct burst *burst;
    bool hit = false;

    if (!link->bursts || network->calm)
        return false;
    for (uint32_t i = 0; (burst = next_burst(network, link, kind, &i));)
        if (happens(link, ordinal, what, burst->chance)) {
            burst->felt++;
            hit = true;
        }
    return hit;
}

static enum status take_message(struct network *network, uint32_t *place, struct error *err)
{
    if (network->free_message != MESSAGE_NONE) {
        *place = network->free_message;
        network->free_message = network->messages[*place].next;
        return STATUS_OK;
    }
    if (network->message_used == network->message_room)
        TRY(grow_messages(network, err));
    *place = network->message_used++;
    return STATUS_OK;
}

/* Puts the message behind the newest on its link. */
static void launch(struct network *network, struct link *link, uint32_t place)
{
    struct message *message = &network->messages[place];

    message->previous = link->in_flight > 0 ? link->newest : MESSAGE_NONE;
    message->next = MESSAGE_NONE;
    if (link->in_flight > 0)
        network->messages[link->newest].next = place;
    else
        link->oldest = place;
    link->newest = place;
    link->in_flight++;
}

void network_land(struct network *network, uint32_t place)
{
    struct message *message = network_message(network, place);
    struct link *link = network_link(network, message->from, message->to);

    assert(link->in_flight > 0);
    if (message->previous != MESSAGE_NONE)
        network->messages[message->previous].next = message->next;
    else
        link->oldest = message->next;
    if (message->next != MESSAGE_NONE)
        network->messages[message->next].previous = message->previous;
    else
        link->newest = message->previous;
    link->in_flight--;
}

void network_free(struct network *network, uint32_t place)
{
    struct message *message = network_message(network, place);

    blocks_give(&network->blocks, message->bytes, message->size);
    message->bytes = NULL;
    message->next = network->free_message;
    network->free_message = place;
    assert(network->message_count > 0);
    network->message_count--;
}

/* Makes the message `model` with these bytes, and puts it on its link. */
static enum status add_message(struct network *network, struct link *link,
                               const struct message *model, const char *bytes, uint32_t *place,
                               struct error *err)
{
    struct message *message;
    void *block = NULL;

    TRY(blocks_take(&network->blocks, model->size, &block, err));
    TRY(take_message(network, place, err));
    if (model->size > 0)
        memcpy(block, bytes, model->size);
    message = &network->messages[*place];
    *message = *model;
    message->bytes = block;
    network->message_count++;
    launch(network, link, *place);
    return STATUS_OK;
}

/* The link's bandwidth is taken up by one message after another. */
static int64_t departure_ns(struct link *link, const struct link_options *options, int64_t now_ns,
                            uint32_t size)
{
    uint64_t rate = options->bytes_per_second;

    if (rate == 0)
        return now_ns;
    if (link->busy_until_ns < now_ns)
        link->busy_until_ns = now_ns;
    link->busy_until_ns += (int64_t)(((unsigned __int128)size * BILLION + rate - 1) / rate);
    if (link->busy_until_ns > now_ns + BACKLOG_NS_MAX)
        link->busy_until_ns = now_ns + BACKLOG_NS_MAX;
    return link->busy_until_ns;
}

static void evict_oldest(struct network *network, struct link *link, struct network_sent *sent)
{
    sent->evicted = link->oldest;
    network->messages[link->oldest].evicted = true;
    network_land(network, link->oldest);
}

/* By how much the bursts make a message late, each by up to its delay. */
static int64_t burst_lateness_ns(struct network *network, const struct link *link, uint64_t ordinal)
{
    struct burst *burst;
    int64_t late_ns = 0;

    if (!link->bursts || network->calm)
        return 0;
    for (uint32_t i = 0; (burst = next_burst(network, link, BURST_REORDER, &i));)
        if (happens(link, ordinal, DRAW_REORDER, burst->chance)) {
            burst->felt++;
            late_ns += (int64_t)random_scale(draw(link, ordinal, DRAW_LATENESS),
                                             (uint64_t)burst->delay_ns + 1);
        }
    return late_ns;
}

static void draw_arrival(struct network *network, const struct link *link,
                         const struct link_options *options, uint64_t ordinal, int64_t departs_ns,
                         struct network_sent *sent)
{
    int64_t late_ns = burst_lateness_ns(network, link, ordinal);

    sent->arrives_ns =
        departs_ns + latency_draw_ns(&options->latency, draw(link, ordinal, DRAW_LATENCY));
    sent->arrives_ns += late_ns;
    sent->reordered = late_ns > 0;
    if (network->calm || !happens(link, ordinal, DRAW_REORDER, options->reorder))
        return;
    sent->reordered = true;
    sent->arrives_ns += (int64_t)random_scale(draw(link, ordinal, DRAW_LATENESS),
                                              (uint64_t)options->reorder_delay_ns_max + 1);
}

/* What bursts of delay add to the way of a message and of its copy. */
static int64_t burst_delay_ns(struct network *network, const struct link *link)
{
    struct burst *burst;
    int64_t delay_ns = 0;

    if (!link->bursts || network->calm)
        return 0;
    for (uint32_t i = 0; (burst = next_burst(network, link, BURST_DELAY, &i));) {
        burst->felt++;
        delay_ns += burst->delay_ns;
    }
    return delay_ns;
}

static bool is_duplicated(struct network *network, const struct link *link,
                          const struct link_options *options, uint64_t ordinal)
{
    if (network->calm)
        return false;
    return happens(link, ordinal, DRAW_DUPLICATE, options->duplicate) ||
           burst_hits(network, link, ordinal, DRAW_DUPLICATE, BURST_DUPLICATE);
}

static enum status duplicate(struct network *network, struct link *link, struct message model,
                             int64_t departs_ns, struct network_sent *sent, struct error *err)
{
    const struct link_options *options = &network->options;
    const char *bytes = network->messages[sent->message].bytes;

    if (!is_duplicated(network, link, options, model.turn))
        return STATUS_OK;
    model.copy = true;
    sent->copy_arrives_ns =
        departs_ns +
        latency_draw_ns(&options->latency, draw(link, model.turn, DRAW_COPY_LATENCY));
    return add_message(network, link, &model, bytes, &sent->copy, err);
}

enum status network_send(struct network *network, int64_t now_ns,
                         const struct network_letter *letter, struct network_sent *sent,
                         struct error *err)
{
    struct link *link = network_link(network, letter->from, letter->to);
    const struct link_options *options = &network->options;
    struct text bytes = letter->bytes;
    struct message model = { .from = letter->from, .to = letter->to, .to_epoch = letter->to_epoch };
    int64_t departs_ns, delay_ns;

    *sent = (struct network_sent){ .copy = MESSAGE_NONE, .evicted = MESSAGE_NONE };
    if (bytes.length > UINT32_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "no room for a message of %zu bytes",
                         bytes.length);
    if (!link->keyed)
        fork_key(network, link, letter->from, letter->to);
    model.size = (uint32_t)bytes.length;
    model.ordinal = link->sent;
    model.turn = turn_next(&link->sent, network->draws_by_time, now_ns);
    model.checksum = checksum(bytes.at, bytes.length);
    if (letter->from == letter->to) {
        sent->arrives_ns = now_ns;
        return add_message(network, link, &model, bytes.at, &sent->message, err);
    }
    if (!network->calm && options->in_flight_max > 0 && link->in_flight >= options->in_flight_max)
        evict_oldest(network, link, sent);
    delay_ns = burst_delay_ns(network, link);
    sent->delayed = delay_ns > 0;
    departs_ns = departure_ns(link, options, now_ns, model.size) + delay_ns;
    draw_arrival(network, link, options, model.turn, departs_ns, sent);
    TRY(add_message(network, link, &model, bytes.at, &sent->message, err));
    return duplicate(network, link, model, departs_ns, sent, err);
}

int64_t network_clogged_until_ns(const struct network *network, const struct message *message)
{
    const struct link *link =
        &network->links[(size_t)message->from * network->endpoint_count + message->to];
    int64_t until_ns = link->clogged_until_ns;

    if (message->from == message->to)
        return 0;
    if (until_ns < network->send_clogged_until_ns[message->from])
        until_ns = network->send_clogged_until_ns[message->from];
    if (until_ns < network->receive_clogged_until_ns[message->to])
        until_ns = network->receive_clogged_until_ns[message->to];
    return until_ns;
}

static enum network_draw loss_draw(const struct message *message)
{
    return message->copy ? DRAW_COPY_LOSS : DRAW_LOSS;
}

static bool is_lost(const struct network *network, const struct link *link,
                    const struct message *message)
{
    if (happens(link, message->turn, loss_draw(message), network->options.loss))
        return true;
    for (uint32_t i = 0; i < NETWORK_BURST_COUNT_MAX && link->bursts >> i; i++)
        if (link->bursts >> i & 1 && network->bursts[i].kind == BURST_LOSS &&
            happens(link, message->turn, loss_draw(message), network->bursts[i].chance))
            return true;
    return false;
}

enum message_fate network_fate(const struct network *network, const struct message *message)
{
    const struct link *link =
        &network->links[(size_t)message->from * network->endpoint_count + message->to];

    if (message->evicted)
        return MESSAGE_EVICTED;
    if (message->from == message->to)
        return MESSAGE_ARRIVES;
    if (link->cuts > 0)
        return MESSAGE_CUT_OFF;
    if (!network->calm && is_lost(network, link, message))
        return MESSAGE_LOST;
    return MESSAGE_ARRIVES;
}

void network_blame_loss(struct network *network, const struct message *message)
{
    const struct link *link = network_link(network, message->from, message->to);

    if (!happens(link, message->turn, loss_draw(message), network->options.loss))
        (void)burst_hits(network, link, message->turn, loss_draw(message), BURST_LOSS);
}

static bool postpone(int64_t *until, int64_t until_ns)
{
    if (*until >= until_ns)
        return false;
    *until = until_ns;
    return true;
}

bool network_clog_link(struct network *network, uint32_t from, uint32_t to, int64_t until_ns)
{
    return postpone(&network_link(network, from, to)->clogged_until_ns, until_ns);
}

bool network_clog_send(struct network *network, uint32_t from, int64_t until_ns)
{
    assert(from < network->endpoint_count);
    return postpone(&network->send_clogged_until_ns[from], until_ns);
}

bool network_clog_receive(struct network *network, uint32_t to, int64_t until_ns)
{
    assert(to < network->endpoint_count);
    return postpone(&network->receive_clogged_until_ns[to], until_ns);
}
