#include "tests/sim/world_step.h"

#include "sim/dispatch_private.h"

enum status world_step(struct world *world, bool *again, struct error *err)
{
    *again = !event_queue_is_empty(&world->queue) && !dispatch_has_failed(world);
    if (*again)
        dispatch_next(world);
    if (dispatch_has_failed(world))
        *err = world->failure;
    return world->failure.status;
}
