#include "nemesis/disk_fault_private.h"

#include <assert.h>

#include "nemesis/victims_private.h"
#include "sim/fault.h"

/* The disk's own name for what the shape does. */
static enum disk_fault fault_of(const struct nemesis *nemesis)
{
    return (enum disk_fault)(nemesis_shape_fault(nemesis->options.shape) - FAULT_DISK_TORN);
}

static uint64_t felt_by(const struct nemesis *nemesis, uint32_t node)
{
    return nemesis->all->ground.disks[node]->fault_counts[fault_of(nemesis)];
}

static struct ratio worse(struct ratio a, struct ratio b)
{
    if (a.numerator == 0)
        return b;
    if (b.numerator == 0)
        return a;
    return (unsigned __int128)a.numerator * b.denominator >
                   (unsigned __int128)b.numerator * a.denominator
               ? a
               : b;
}

/* What the nemesis adds, but for a stall, which is no lasting property of a disk. */
static void add_faults(const struct nemesis_options *options, struct disk_faults *to)
{
    struct ratio chance = options->chance.denominator ? options->chance : DISK_FAULT_CHANCE_DEFAULT;
    uint32_t factor = options->factor ? options->factor : DISK_FAULT_FACTOR_DEFAULT;

    switch (options->shape) {
    case SHAPE_DISK_SLOW:
        to->slow_factor = factor > to->slow_factor ? factor : to->slow_factor;
        break;
    case SHAPE_DISK_STALL:
        break;
    case SHAPE_DISK_FULL:
        to->full = true;
        break;
    case SHAPE_DISK_READ_ERROR:
        to->read_error = worse(to->read_error, chance);
        break;
    case SHAPE_DISK_WRITE_ERROR:
        to->write_error = worse(to->write_error, chance);
        break;
    case SHAPE_DISK_TORN:
        to->torn = worse(to->torn, chance);
        break;
    case SHAPE_DISK_BIT_ROT:
        to->bit_rot = worse(to->bit_rot, chance);
        break;
    case SHAPE_DISK_LYING_SYNC:
        to->lying_sync = worse(to->lying_sync, chance);
        break;
    case SHAPE_DISK_MISDIRECTED:
        to->misdirected = worse(to->misdirected, chance);
        break;
    default:
        assert(!"a shape of another kind");
    }
}

/* Lets the node's disk suffer what all nemeses that hold it say together. */
static void refresh(const struct nemeses *all, uint32_t node)
{
    struct disk_faults faults = all->ground.disk_faults;

    for (uint32_t i = 0; i < all->count; i++) {
        const struct nemesis *nemesis = &all->list[i];
        if (nemesis->options.kind == NEMESIS_DISK && nemesis->holds && victims_hold(nemesis, node))
            add_faults(&nemesis->options, &faults);
    }
    fault_set_disk(all->world, node, all->ground.disks[node], &faults);
}

static bool shard_can_spare(const struct nemeses *all, uint32_t shard, uint32_t node)
{
    const uint32_t *replicas = &all->ground.replicas[shard * all->ground.replica_count];
    uint32_t damaged = 0;
    bool holds_it = false;

    for (uint32_t i = 0; i < all->ground.replica_count; i++) {
        holds_it = holds_it || replicas[i] == node;
        damaged += replicas[i] == node || all->damaged[replicas[i]];
    }
    return !holds_it || damaged <= all->ground.damaged_max;
}

bool disk_fault_may_damage(const struct nemeses *all, uint32_t node)
{
    if (!all->ground.replicas)
        return false;
    for (uint32_t shard = 0; shard < all->ground.shard_count; shard++)
        if (!shard_can_spare(all, shard, node))
            return false;
    return true;
}

static bool may_strike(const struct nemesis *nemesis, uint32_t node)
{
    return nemesis->options.shape != SHAPE_DISK_BIT_ROT || nemesis->options.outside ||
           disk_fault_may_damage(nemesis->all, node);
}

static void strike_node(struct nemesis *nemesis, struct world *world, uint32_t node)
{
    struct nemeses *all = nemesis->all;

    victims_add(nemesis, node, (int64_t)felt_by(nemesis, node));
    if (!nemesis->struck[node])
        nemesis->seen[node] = felt_by(nemesis, node);
    nemesis->struck[node] = true;
    if (nemesis->options.shape == SHAPE_DISK_BIT_ROT)
        all->damaged[node] = true;
    if (nemesis->options.shape == SHAPE_DISK_STALL)
        fault_stall_disk(world, node, all->ground.disks[node], nemesis->until_ns);
    else
        refresh(all, node);
}

/* Where the victims are drawn at all, one that may not be struck gives way to the next. */
bool disk_fault_strike(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = victims_draw(nemesis), last = nemesis->node_count;
    enum nemesis_victims who = victims_meant(nemesis);

    if (nemesis->given || who == VICTIMS_LEADER || who == VICTIMS_LEADERS || who == VICTIMS_NODES)
        last = count;
    for (uint32_t i = 0; i < last && nemesis->victim_count < count; i++)
        if (may_strike(nemesis, nemesis->order[i]))
            strike_node(nemesis, world, nemesis->order[i]);
    return false;
}

void disk_fault_release(struct nemesis *nemesis, struct world *world)
{
    (void)world;
    if (nemesis->options.shape == SHAPE_DISK_STALL)
        return;
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        refresh(nemesis->all, nemesis->victims[i]);
}

/* A lie is felt at the next crash, which may come long after the release. */
static bool was_lie_felt(struct nemesis *nemesis)
{
    bool felt = false;

    for (uint32_t node = 0; node < nemesis->node_count; node++)
        if (nemesis->struck[node] && felt_by(nemesis, node) > nemesis->seen[node]) {
            nemesis->seen[node] = felt_by(nemesis, node);
            felt = true;
        }
    return felt;
}

bool disk_fault_was_felt(struct nemesis *nemesis, struct world *world)
{
    (void)world;
    if (nemesis->options.shape == SHAPE_DISK_LYING_SYNC)
        return was_lie_felt(nemesis);
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        if (felt_by(nemesis, nemesis->victims[i]) > (uint64_t)nemesis->undo[i])
            return true;
    return false;
}
