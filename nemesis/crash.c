#include "nemesis/crash.h"

#include "nemesis/victims.h"
#include "sim/fault.h"

bool crash_strike(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = victims_draw_count(nemesis);

    victims_draw_order(nemesis);
    for (uint32_t i = 0; i < count; i++)
        if (fault_crash(world, nemesis->order[i])) {
            fault_count(world, FAULT_CRASH);
            victims_add(nemesis, nemesis->order[i], 0);
        }
    return nemesis->victim_count > 0;
}

void crash_release(struct nemesis *nemesis, struct world *world)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++)
        fault_restart(world, nemesis->victims[i]);
}
