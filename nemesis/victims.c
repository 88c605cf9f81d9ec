#include "nemesis/victims_private.h"

#include <assert.h>
#include <string.h>

enum nemesis_victims victims_meant(const struct nemesis *nemesis)
{
    return nemesis->options.victims ? nemesis->options.victims
                                    : nemesis_usual_victims(nemesis->options.shape);
}

/* Swaps the node into this place of the order, unless it stands before it already. */
static uint32_t bring_forward(struct nemesis *nemesis, uint32_t node, uint32_t place)
{
    uint32_t *order = nemesis->order, at = 0;

    while (order[at] != node)
        at++;
    if (at < place)
        return place;
    order[at] = order[place];
    order[place] = node;
    return place + 1;
}

static uint32_t choose_leader(struct nemesis *nemesis)
{
    struct world *world = nemesis->all->world;
    uint32_t shard_count = world->options.shard_count, shard, leader;

    if (shard_count == 0)
        return 0;
    shard = (uint32_t)random_below(&nemesis->random, shard_count);
    if (nemesis->options.shard_plus_1)
        shard = nemesis->options.shard_plus_1 - 1;
    leader = world_leader(world, shard);
    return leader == WORLD_NOBODY ? 0 : bring_forward(nemesis, leader, 0);
}

static uint32_t choose_leaders(struct nemesis *nemesis)
{
    struct world *world = nemesis->all->world;
    uint32_t count = 0;

    for (uint32_t shard = 0; shard < world->options.shard_count; shard++) {
        uint32_t leader = world_leader(world, shard);
        if (leader != WORLD_NOBODY)
            count = bring_forward(nemesis, leader, count);
    }
    return count;
}

static uint32_t choose_listed(struct nemesis *nemesis)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < nemesis->options.nodes.count; i++)
        count = bring_forward(nemesis, nemesis->options.nodes.at[i], count);
    return count;
}

/* Those whose crash would cost something come first, otherwise in the order drawn. */
static void bring_writers_forward(struct nemesis *nemesis)
{
    const struct nemeses *all = nemesis->all;
    uint32_t count = 0;

    for (uint32_t i = 0; i < nemesis->node_count; i++)
        if (disk_is_writing(all->ground.disks[nemesis->order[i]], all->world->now_ns))
            count = bring_forward(nemesis, nemesis->order[i], count);
}

static uint32_t choose(struct nemesis *nemesis, enum nemesis_victims who)
{
    switch (who) {
    case VICTIMS_SOME:
        return 1 + (uint32_t)random_below(&nemesis->random, nemesis->node_count);
    case VICTIMS_ALL:
        return nemesis->node_count;
    case VICTIMS_LEADER:
        return choose_leader(nemesis);
    case VICTIMS_LEADERS:
        return choose_leaders(nemesis);
    case VICTIMS_NODES:
        return choose_listed(nemesis);
    default:
        return 1;
    }
}

bool victims_are_links(const struct nemesis *nemesis)
{
    if (nemesis->given)
        return nemesis->given->link_count > 0;
    return victims_meant(nemesis) == VICTIMS_PAIRS;
}

void victims_take_links(struct nemesis *nemesis)
{
    const struct nemesis_strike *given = nemesis->given;
    uint32_t count = nemesis->node_count;

    memset(nemesis->cuts, 0, (size_t)count * count * sizeof *nemesis->cuts);
    for (uint32_t i = 0; i < given->link_count; i++)
        nemesis->cuts[(size_t)given->links[i].from * count + given->links[i].to] = true;
}

static uint32_t take_given(struct nemesis *nemesis)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < nemesis->node_count; i++)
        nemesis->order[i] = i;
    for (uint32_t i = 0; i < nemesis->given->node_count; i++)
        count = bring_forward(nemesis, nemesis->given->nodes[i], count);
    return count;
}

static uint32_t draw(struct nemesis *nemesis)
{
    enum nemesis_victims who = victims_meant(nemesis);
    uint32_t count = 0;

    if (who == VICTIMS_MINORITY) {
        assert(nemesis->node_count >= 3);
        count = (uint32_t)random_between(&nemesis->random, 1, (nemesis->node_count - 1) / 2);
    }
    for (uint32_t i = 0; i < nemesis->node_count; i++)
        nemesis->order[i] = i;
    random_shuffle(&nemesis->random, nemesis->order, nemesis->node_count);
    if (nemesis->options.while_writing)
        bring_writers_forward(nemesis);
    return who == VICTIMS_MINORITY ? count : choose(nemesis, who);
}

uint32_t victims_draw(struct nemesis *nemesis)
{
    nemesis->drawn = nemesis->given ? take_given(nemesis) : draw(nemesis);
    return nemesis->drawn;
}

void victims_add(struct nemesis *nemesis, uint32_t node, int64_t undo)
{
    assert(nemesis->victim_count < nemesis->node_count);
    nemesis->undo[nemesis->victim_count] = undo;
    nemesis->victims[nemesis->victim_count++] = node;
}

bool victims_hold(const struct nemesis *nemesis, uint32_t node)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        if (nemesis->victims[i] == node)
            return true;
    return false;
}

void victims_draw_pairs(struct nemesis *nemesis)
{
    uint32_t count = nemesis->node_count;
    uint32_t left = 1 + (uint32_t)random_below(&nemesis->random, count);

    assert(count >= 2);
    memset(nemesis->cuts, 0, (size_t)count * count * sizeof *nemesis->cuts);
    while (left-- > 0) {
        uint32_t from = (uint32_t)random_below(&nemesis->random, count);
        uint32_t to = (uint32_t)random_below(&nemesis->random, count - 1);
        nemesis->cuts[(size_t)from * count + (to < from ? to : to + 1)] = true;
    }
}
