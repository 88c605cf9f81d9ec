#include "sim/fault.h"

#include <assert.h>

#include "sim/dispatch_private.h"

static struct node *node_at(struct world *world, uint32_t node)
{
    assert(node < world->endpoint_count);
    return &world->nodes[node];
}

void fault_count(struct world *world, enum world_fault kind)
{
    assert(kind < FAULT_KIND_COUNT);
    world->faults[kind]++;
}

bool fault_crash(struct world *world, uint32_t number)
{
    struct node *node = node_at(world, number);

    if (node->state == NODE_DOWN)
        return false;
    node->state = NODE_DOWN;
    dispatch_trace(world, TRACE_CRASH, number, TRACE_NOBODY, node->epoch, 0);
    node->epoch++;
    dispatch_clear_node(world, number);
    if (node->process->crash)
        node->process->crash(node->context, world, number);
    return true;
}

bool fault_restart(struct world *world, uint32_t number)
{
    if (node_at(world, number)->state != NODE_DOWN)
        return false;
    dispatch_start_node(world, number);
    return true;
}

bool fault_pause(struct world *world, uint32_t number)
{
    struct node *node = node_at(world, number);

    if (node->state != NODE_UP)
        return false;
    node->state = NODE_PAUSED;
    dispatch_trace(world, TRACE_PAUSE, number, TRACE_NOBODY, 0, 0);
    return true;
}

bool fault_resume(struct world *world, uint32_t number)
{
    struct node *node = node_at(world, number);

    if (node->state != NODE_PAUSED)
        return false;
    node->state = NODE_UP;
    dispatch_trace(world, TRACE_RESUME, number, TRACE_NOBODY, node->deferred_count, 0);
    dispatch_release_deferred(world, number);
    return true;
}

bool fault_cut_link(struct world *world, uint32_t from, uint32_t to)
{
    struct link *link = network_link(&world->network, from, to);

    link->cuts++;
    dispatch_trace(world, TRACE_LINK_CUT, from, to, link->cuts, 0);
    return link->cuts == 1;
}

bool fault_mend_link(struct world *world, uint32_t from, uint32_t to)
{
    struct link *link = network_link(&world->network, from, to);

    assert(link->cuts > 0);
    link->cuts--;
    dispatch_trace(world, TRACE_LINK_MENDED, from, to, link->cuts, 0);
    return link->cuts == 0;
}

static uint64_t remaining_ns(const struct world *world, int64_t until_ns)
{
    return until_ns > world->now_ns ? (uint64_t)(until_ns - world->now_ns) : 0;
}

bool fault_clog_link(struct world *world, uint32_t from, uint32_t to, int64_t until_ns)
{
    bool longer = network_clog_link(&world->network, from, to, until_ns);

    dispatch_trace(world, TRACE_CLOG, from, to, remaining_ns(world, until_ns), 0);
    return longer && until_ns > world->now_ns;
}

bool fault_clog_send(struct world *world, uint32_t node, int64_t until_ns)
{
    bool longer = network_clog_send(&world->network, node, until_ns);

    dispatch_trace(world, TRACE_CLOG, node, TRACE_NOBODY, remaining_ns(world, until_ns), 1);
    return longer && until_ns > world->now_ns;
}

bool fault_clog_receive(struct world *world, uint32_t node, int64_t until_ns)
{
    bool longer = network_clog_receive(&world->network, node, until_ns);

    dispatch_trace(world, TRACE_CLOG, node, TRACE_NOBODY, remaining_ns(world, until_ns), 2);
    return longer && until_ns > world->now_ns;
}

void fault_set_burst(struct world *world, uint32_t number, const struct burst *burst)
{
    assert(number < NETWORK_BURST_COUNT_MAX);
    world->network.bursts[number] = *burst;
}

void fault_start_burst(struct world *world, uint32_t number, uint32_t from, uint32_t to)
{
    assert(number < NETWORK_BURST_COUNT_MAX);
    network_link(&world->network, from, to)->bursts |= UINT32_C(1) << number;
    dispatch_trace(world, TRACE_BURST, from, to, number, world->network.bursts[number].kind);
}

void fault_end_burst(struct world *world, uint32_t number, uint32_t from, uint32_t to)
{
    assert(number < NETWORK_BURST_COUNT_MAX);
    network_link(&world->network, from, to)->bursts &= ~(UINT32_C(1) << number);
    dispatch_trace(world, TRACE_BURST_END, from, to, number, 0);
}

/* A bit for each fault that the disk may show from now on. */
static uint64_t disk_fault_bits(const struct disk_faults *faults)
{
    return (uint64_t)(faults->torn.numerator > 0) << DISK_FAULT_TORN |
           (uint64_t)(faults->lying_sync.numerator > 0) << DISK_FAULT_LYING_SYNC |
           (uint64_t)(faults->bit_rot.numerator > 0) << DISK_FAULT_BIT_ROT |
           (uint64_t)(faults->misdirected.numerator > 0) << DISK_FAULT_MISDIRECTED |
           (uint64_t)(faults->read_error.numerator > 0) << DISK_FAULT_READ_ERROR |
           (uint64_t)(faults->write_error.numerator > 0) << DISK_FAULT_WRITE_ERROR |
           (uint64_t)faults->full << DISK_FAULT_FULL |
           (uint64_t)(faults->slow_factor > 1) << DISK_FAULT_SLOW;
}

void fault_set_disk(struct world *world, uint32_t node, struct disk *disk,
                    const struct disk_faults *faults)
{
    disk_set_faults(disk, faults);
    dispatch_trace(world, TRACE_DISK, node, TRACE_NOBODY, disk_fault_bits(faults), 0);
}

void fault_stall_disk(struct world *world, uint32_t node, struct disk *disk, int64_t until_ns)
{
    disk_stall(disk, world->now_ns, until_ns);
    dispatch_trace(world, TRACE_DISK_STALL, node, TRACE_NOBODY, remaining_ns(world, until_ns), 0);
}

_Static_assert(FAULT_KIND_COUNT - FAULT_DISK_TORN == DISK_FAULT_COUNT,
               "the world counts each of a disk's faults");

void fault_heal_disk(struct world *world, uint32_t node, struct disk *disk)
{
    for (int i = 0; i < DISK_FAULT_COUNT; i++)
        world->faults[FAULT_DISK_TORN + i] += disk->fault_counts[i];
    disk_heal(disk);
    dispatch_trace(world, TRACE_DISK, node, TRACE_NOBODY, 0, 0);
}

void fault_step_clock(struct world *world, uint32_t node, int64_t by_ns)
{
    clock_step(&node_at(world, node)->clock, by_ns);
    dispatch_trace(world, TRACE_CLOCK_STEP, node, TRACE_NOBODY, (uint64_t)by_ns, 0);
}

void fault_slew_clock(struct world *world, uint32_t node, int64_t by_ns, int32_t ppm)
{
    clock_slew(&node_at(world, node)->clock, by_ns, ppm, world->now_ns);
    dispatch_trace(world, TRACE_CLOCK_SLEW, node, TRACE_NOBODY, (uint64_t)by_ns, (uint64_t)ppm);
}

void fault_set_drift(struct world *world, uint32_t node, int32_t drift_ppm)
{
    clock_set_drift(&node_at(world, node)->clock, drift_ppm, world->now_ns);
    dispatch_trace(world, TRACE_CLOCK_DRIFT, node, TRACE_NOBODY, (uint64_t)(int64_t)drift_ppm, 0);
    dispatch_reschedule_timers(world, node);
}

bool fault_freeze_clock(struct world *world, uint32_t node)
{
    if (node_at(world, node)->clock.frozen)
        return false;
    clock_freeze(&node_at(world, node)->clock, world->now_ns);
    dispatch_trace(world, TRACE_CLOCK_FREEZE, node, TRACE_NOBODY, 0, 0);
    dispatch_reschedule_timers(world, node);
    return true;
}

bool fault_thaw_clock(struct world *world, uint32_t node)
{
    if (!node_at(world, node)->clock.frozen)
        return false;
    clock_thaw(&node_at(world, node)->clock, world->now_ns);
    dispatch_trace(world, TRACE_CLOCK_THAW, node, TRACE_NOBODY, 0, 0);
    dispatch_reschedule_timers(world, node);
    return true;
}

void fault_restore_clock(struct world *world, uint32_t node)
{
    fault_thaw_clock(world, node);
    clock_restore(&node_at(world, node)->clock, world->now_ns);
    dispatch_trace(world, TRACE_CLOCK_RESTORE, node, TRACE_NOBODY, 0, 0);
}

static void mend_all_links(struct world *world)
{
    for (uint32_t from = 0; from < world->endpoint_count; from++)
        for (uint32_t to = 0; to < world->endpoint_count; to++) {
            struct link *link = network_link(&world->network, from, to);
            link->clogged_until_ns = 0;
            link->bursts = 0;
            while (link->cuts > 0)
                fault_mend_link(world, from, to);
        }
}

void fault_heal_everything(struct world *world)
{
    world->network.calm = true;
    dispatch_trace(world, TRACE_CALM, TRACE_NOBODY, TRACE_NOBODY, 0, 0);
    mend_all_links(world);
    for (uint32_t i = 0; i < world->endpoint_count; i++) {
        world->network.send_clogged_until_ns[i] = 0;
        world->network.receive_clogged_until_ns[i] = 0;
        fault_restore_clock(world, i);
    }
    for (uint32_t i = 0; i < world->endpoint_count; i++) {
        fault_resume(world, i);
        fault_restart(world, i);
    }
}
