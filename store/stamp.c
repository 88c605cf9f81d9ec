#include "store/stamp_private.h"

#include <assert.h>

struct stamp stamp_after(struct stamp stamp, uint64_t txn)
{
    assert(stamp.wall_ns < INT64_MAX);
    if (stamp.logical == UINT32_MAX)
        return (struct stamp){ stamp.wall_ns + 1, 0, txn };
    return (struct stamp){ stamp.wall_ns, stamp.logical + 1, txn };
}

struct stamp stamp_plus(struct stamp stamp, int64_t by_ns)
{
    return (struct stamp){ stamp.wall_ns + by_ns, 0, 0 };
}

struct stamp stamp_clock_now(struct stamp_clock *clock, int64_t wall_ns, uint64_t txn)
{
    struct stamp next = wall_ns > clock->wall_ns ? (struct stamp){ wall_ns, 0, txn }
                                                 : stamp_after(stamp_clock_last(clock), txn);

    clock->wall_ns = next.wall_ns;
    clock->logical = next.logical;
    return next;
}

void stamp_clock_forward(struct stamp_clock *clock, struct stamp heard)
{
    if (heard.wall_ns < clock->wall_ns ||
        (heard.wall_ns == clock->wall_ns && heard.logical <= clock->logical))
        return;
    clock->wall_ns = heard.wall_ns;
    clock->logical = heard.logical;
}

struct stamp stamp_clock_last(const struct stamp_clock *clock)
{
    return (struct stamp){ clock->wall_ns, clock->logical, 0 };
}
