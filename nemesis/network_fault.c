#include "nemesis/network_fault_private.h"

#include <assert.h>
#include <string.h>

#include "nemesis/nemesis.h"
#include "nemesis/victims_private.h"
#include "sim/fault.h"

/* --- Partitions ------------------------------------------------------------------------------- */

struct partition_cutting {
    const uint32_t *order;
    uint32_t node_count;
    bool *cuts;
};

/* By places in the order, half-open: what [from, from_end) says does not reach [to, to_end). */
static void cut(const struct partition_cutting *cutting, uint32_t from, uint32_t from_end,
                uint32_t to, uint32_t to_end)
{
    for (uint32_t i = from; i < from_end; i++)
        for (uint32_t j = to; j < to_end; j++)
            cutting->cuts[(size_t)cutting->order[i] * cutting->node_count + cutting->order[j]] =
                true;
}

static void cut_both_ways(const struct partition_cutting *cutting, uint32_t from, uint32_t middle,
                          uint32_t end)
{
    cut(cutting, from, middle, middle, end);
    cut(cutting, middle, end, from, middle);
}

/* Lower and upper half by number. */
static void cut_halves(const struct partition_cutting *cutting)
{
    uint32_t count = cutting->node_count;

    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            cutting->cuts[(size_t)from * count + to] = (from < count / 2) != (to < count / 2);
}

static void cut_ring(const struct partition_cutting *cutting)
{
    uint32_t count = cutting->node_count, majority = count / 2 + 1;

    for (uint32_t to = 0; to < count; to++)
        for (uint32_t from = 0; from < count; from++) {
            /* How far `from` stands behind the start of the window around `to`. */
            uint32_t into_window = (from + count + majority / 2 - to) % count;
            if (into_window >= majority)
                cut(cutting, from, from + 1, to, to + 1);
        }
}

void network_fault_fill(enum nemesis_shape shape, const uint32_t *order, uint32_t first_side,
                    uint32_t node_count, bool *cuts)
{
    struct partition_cutting cutting = { order, node_count, cuts };
    uint32_t half = first_side ? first_side : node_count / 2;

    memset(cuts, 0, (size_t)node_count * node_count * sizeof *cuts);
    switch (shape) {
    case SHAPE_PARTITION_HALVES:
        cut_halves(&cutting);
        break;
    case SHAPE_PARTITION_RANDOM_HALVES:
        cut_both_ways(&cutting, 0, half, node_count);
        break;
    case SHAPE_PARTITION_ISOLATE_ONE:
        cut_both_ways(&cutting, 0, first_side ? first_side : 1, node_count);
        break;
    case SHAPE_PARTITION_MAJORITIES_RING:
        cut_ring(&cutting);
        break;
    case SHAPE_PARTITION_BRIDGE:
        cut_both_ways(&cutting, 1, 1 + (node_count - 1) / 2, node_count);
        break;
    case SHAPE_PARTITION_ONE_WAY:
        cut(&cutting, 0, half, half, node_count);
        break;
    default:
        assert(!"a shape of another kind");
    }
}

/* Whether the nodes meant are a side; else the shape makes its sides from their order. */
static bool is_side(const struct nemesis *nemesis, enum nemesis_victims who)
{
    enum nemesis_shape shape = nemesis->options.shape;

    if (nemesis->given)
        return shape == SHAPE_PARTITION_RANDOM_HALVES || shape == SHAPE_PARTITION_ISOLATE_ONE ||
               shape == SHAPE_PARTITION_ONE_WAY;
    return who != VICTIMS_USUAL && who != VICTIMS_LEADER;
}

bool network_fault_cut(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = nemesis->node_count;
    uint32_t first_side = victims_draw(nemesis);
    bool felt = false;

    memset(nemesis->cuts, 0, (size_t)count * count * sizeof *nemesis->cuts);
    if (first_side == 0 && !nemesis->given)
        return false; /* nobody leads */
    if (!is_side(nemesis, victims_meant(nemesis)))
        first_side = 0;
    network_fault_fill(nemesis->options.shape, nemesis->order, first_side, count, nemesis->cuts);
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            if (nemesis->cuts[(size_t)from * count + to] && fault_cut_link(world, from, to))
                felt = true;
    if (felt)
        fault_count(world, FAULT_PARTITION);
    return felt;
}

void network_fault_mend(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = nemesis->node_count;

    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            if (nemesis->cuts[(size_t)from * count + to])
                fault_mend_link(world, from, to);
}

/* --- Clogs ------------------------------------------------------------------------------------ */

/* Marks one link of each victim, to a drawn other node. */
static void mark_links(struct nemesis *nemesis, uint32_t victim_count)
{
    uint32_t count = nemesis->node_count;

    memset(nemesis->cuts, 0, (size_t)count * count * sizeof *nemesis->cuts);
    for (uint32_t i = 0; i < victim_count; i++) {
        uint32_t from = nemesis->order[i];
        uint32_t to = (uint32_t)random_below(&nemesis->random, count - 1);
        nemesis->cuts[(size_t)from * count + (to < from ? to : to + 1)] = true;
    }
}

static bool clog_links(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = nemesis->node_count;
    bool felt = false;

    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            if (nemesis->cuts[(size_t)from * count + to] &&
                fault_clog_link(world, from, to, nemesis->until_ns))
                felt = true;
    return felt;
}

static bool clog_nodes(struct nemesis *nemesis, struct world *world, uint32_t victim_count)
{
    bool felt = false;

    for (uint32_t i = 0; i < victim_count; i++) {
        uint32_t node = nemesis->order[i];
        if (nemesis->options.shape == SHAPE_CLOG_SEND
                ? fault_clog_send(world, node, nemesis->until_ns)
                : fault_clog_receive(world, node, nemesis->until_ns))
            felt = true;
    }
    return felt;
}

bool network_fault_clog(struct nemesis *nemesis, struct world *world)
{
    uint32_t victim_count = victims_draw(nemesis);
    bool felt;

    if (nemesis->options.shape != SHAPE_CLOG_LINK) {
        felt = clog_nodes(nemesis, world, victim_count);
    } else {
        if (nemesis->given)
            victims_take_links(nemesis);
        else if (victims_meant(nemesis) == VICTIMS_PAIRS)
            victims_draw_pairs(nemesis);
        else
            mark_links(nemesis, victim_count);
        felt = clog_links(nemesis, world);
    }
    if (felt)
        fault_count(world, FAULT_CLOG);
    return felt;
}

void network_fault_unclog(struct nemesis *nemesis, struct world *world)
{
    (void)nemesis;
    (void)world;
}

/*
 * Bursts in which links lose, delay, duplicate or reorder more than
 * the network's options say, and on top of them.
 *
 * They strike all links between nodes and with clients, or all links of the
 * victims, or drawn links from one node to another.
 */

/* --- Bursts ----------------------------------------------------------------------------------- */

#define MESSAGE_CHANCE_DEFAULT ((struct ratio){ 1, 2 })
#define MESSAGE_DELAY_DEFAULT_NS (INT64_C(100) * 1000 * 1000)

static enum burst_kind kind_of(enum nemesis_shape shape)
{
    switch (shape) {
    case SHAPE_MESSAGE_LOSS:
        return BURST_LOSS;
    case SHAPE_MESSAGE_DELAY:
        return BURST_DELAY;
    case SHAPE_MESSAGE_DUPLICATE:
        return BURST_DUPLICATE;
    default:
        assert(shape == SHAPE_MESSAGE_REORDER);
        return BURST_REORDER;
    }
}

static struct burst burst_of(const struct nemesis_options *options)
{
    return (struct burst){
        .kind = kind_of(options->shape),
        .chance = options->chance.denominator ? options->chance : MESSAGE_CHANCE_DEFAULT,
        .delay_ns = options->delay_ns ? options->delay_ns : MESSAGE_DELAY_DEFAULT_NS,
    };
}

/* Whether the link is struck: it is a drawn one, or one of its ends is a victim. */
static bool is_struck(const struct nemesis *nemesis, uint32_t from, uint32_t to)
{
    uint32_t count = nemesis->node_count;

    if (from == to)
        return false;
    if (victims_are_links(nemesis))
        return from < count && to < count && nemesis->cuts[(size_t)from * count + to];
    return victims_hold(nemesis, from) || victims_hold(nemesis, to);
}

static void pull(const struct nemesis *nemesis, struct world *world,
                 void (*lever)(struct world *, uint32_t number, uint32_t from, uint32_t to))
{
    for (uint32_t from = 0; from < world->endpoint_count; from++)
        for (uint32_t to = 0; to < world->endpoint_count; to++)
            if (is_struck(nemesis, from, to))
                lever(world, nemesis->place, from, to);
}

bool network_fault_burst(struct nemesis *nemesis, struct world *world)
{
    struct burst burst = burst_of(&nemesis->options);
    uint32_t count = victims_draw(nemesis);

    if (victims_are_links(nemesis)) {
        if (nemesis->given)
            victims_take_links(nemesis);
        else
            victims_draw_pairs(nemesis);
    } else {
        for (uint32_t i = 0; i < count; i++)
            victims_add(nemesis, nemesis->order[i], 0);
    }
    fault_set_burst(world, nemesis->place, &burst);
    pull(nemesis, world, fault_start_burst);
    return false;
}

void network_fault_end_burst(struct nemesis *nemesis, struct world *world)
{
    pull(nemesis, world, fault_end_burst);
}

bool network_fault_was_felt(struct nemesis *nemesis, struct world *world)
{
    uint64_t *felt = &world->network.bursts[nemesis->place].felt;
    bool was_felt = *felt > 0;

    *felt = 0; /* accounted for */
    return was_felt;
}
