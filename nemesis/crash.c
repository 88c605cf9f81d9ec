#include "nemesis/crash_private.h"

#include "nemesis/victims_private.h"
#include "sim/fault.h"

bool crash_strike(struct nemesis *nemesis, struct world *world)
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

void crash_release(struct nemesis *nemesis, struct world *world)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        fault_restart(world, nemesis->victims[i]);
}
