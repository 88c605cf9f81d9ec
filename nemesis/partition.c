#include "nemesis/partition_private.h"

#include <assert.h>
#include <string.h>

#include "nemesis/victims_private.h"
#include "sim/fault.h"

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

void partition_fill(enum nemesis_shape shape, const uint32_t *order, uint32_t first_side,
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

bool partition_strike(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = nemesis->node_count;
    uint32_t first_side = victims_draw(nemesis);
    bool felt = false;

    memset(nemesis->cuts, 0, (size_t)count * count * sizeof *nemesis->cuts);
    if (first_side == 0 && !nemesis->given)
        return false; /* nobody leads */
    if (!is_side(nemesis, victims_meant(nemesis)))
        first_side = 0;
    partition_fill(nemesis->options.shape, nemesis->order, first_side, count, nemesis->cuts);
    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            if (nemesis->cuts[(size_t)from * count + to] && fault_cut_link(world, from, to))
                felt = true;
    if (felt)
        fault_count(world, FAULT_PARTITION);
    return felt;
}

void partition_release(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = nemesis->node_count;

    for (uint32_t from = 0; from < count; from++)
        for (uint32_t to = 0; to < count; to++)
            if (nemesis->cuts[(size_t)from * count + to])
                fault_mend_link(world, from, to);
}
