#include "nemesis/victims.h"

#include <assert.h>

void victims_draw_order(struct nemesis *nemesis)
{
    for (uint32_t i = 0; i < nemesis->node_count; i++)
        nemesis->order[i] = i;
    random_shuffle(&nemesis->random, nemesis->order, nemesis->node_count);
}

uint32_t victims_draw_count(struct nemesis *nemesis)
{
    switch (nemesis->options.shape) {
    case SHAPE_CRASH_ALL:
    case SHAPE_PAUSE_ALL:
        return nemesis->node_count;
    case SHAPE_CRASH_MINORITY:
    case SHAPE_PAUSE_MINORITY:
        assert(nemesis->node_count >= 3);
        return (uint32_t)random_between(&nemesis->random, 1, (nemesis->node_count - 1) / 2);
    default:
        return 1;
    }
}

void victims_add(struct nemesis *nemesis, uint32_t node, int64_t undo)
{
    assert(nemesis->victim_count < nemesis->node_count);
    nemesis->undo[nemesis->victim_count] = undo;
    nemesis->victims[nemesis->victim_count++] = node;
}
