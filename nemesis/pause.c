#include "nemesis/pause_private.h"

#include "nemesis/victims_private.h"
#include "sim/fault.h"

bool pause_strike(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = victims_draw(nemesis);

    for (uint32_t i = 0; i < count; i++)
        if (fault_pause(world, nemesis->order[i])) {
            fault_count(world, FAULT_PAUSE);
            victims_add(nemesis, nemesis->order[i], 0);
        }
    return nemesis->victim_count > 0;
}

void pause_release(struct nemesis *nemesis, struct world *world)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        fault_resume(world, nemesis->victims[i]);
}
