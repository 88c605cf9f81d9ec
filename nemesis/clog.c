#include "nemesis/clog_private.h"

#include <string.h>

#include "nemesis/victims_private.h"
#include "sim/fault.h"

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

bool clog_strike(struct nemesis *nemesis, struct world *world)
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

void clog_release(struct nemesis *nemesis, struct world *world)
{
    (void)nemesis;
    (void)world;
}
