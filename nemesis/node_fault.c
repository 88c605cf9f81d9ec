#include "nemesis/node_fault_private.h"

#include "nemesis/nemesis.h"
#include "nemesis/victims_private.h"
#include "sim/fault.h"

bool node_fault_crash(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = victims_draw(nemesis);
    bool felt = false;

    for (uint32_t i = 0; i < count; i++) {
        if (!fault_crash(world, nemesis->order[i]))
            continue;
        fault_count(world, FAULT_CRASH);
        felt = true;
        if (nemesis->options.shape == SHAPE_CRASH_RESTART)
            fault_restart(world, nemesis->order[i]);
        else
            victims_add(nemesis, nemesis->order[i], 0);
    }
    return felt;
}

void node_fault_restart(struct nemesis *nemesis, struct world *world)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        fault_restart(world, nemesis->victims[i]);
}

bool node_fault_pause(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = victims_draw(nemesis);

    for (uint32_t i = 0; i < count; i++)
        if (fault_pause(world, nemesis->order[i])) {
            fault_count(world, FAULT_PAUSE);
            victims_add(nemesis, nemesis->order[i], 0);
        }
    return nemesis->victim_count > 0;
}

void node_fault_resume(struct nemesis *nemesis, struct world *world)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        fault_resume(world, nemesis->victims[i]);
}
