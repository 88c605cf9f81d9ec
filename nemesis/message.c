#include "nemesis/message_private.h"

#include <assert.h>

#include "nemesis/victims_private.h"
#include "sim/fault.h"

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

bool message_strike(struct nemesis *nemesis, struct world *world)
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

void message_release(struct nemesis *nemesis, struct world *world)
{
    pull(nemesis, world, fault_end_burst);
}

bool message_was_felt(struct nemesis *nemesis, struct world *world)
{
    uint64_t *felt = &world->network.bursts[nemesis->place].felt;
    bool was_felt = *felt > 0;

    *felt = 0; /* accounted for */
    return was_felt;
}
