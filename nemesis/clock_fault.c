#include "nemesis/clock_fault_private.h"

#include <assert.h>

#include "nemesis/strikes.h"
#include "nemesis/victims_private.h"
#include "sim/fault.h"

#define FLICKER_NS_MIN (INT64_C(5) * 1000 * 1000)
#define FLICKER_NS_MAX (INT64_C(15) * 1000 * 1000)

static int64_t amount_ns(const struct nemesis *nemesis)
{
    return nemesis->options.amount_ns ? nemesis->options.amount_ns : CLOCK_FAULT_AMOUNT_DEFAULT_NS;
}

/* Either way, at least 1 and at most `most`. */
static int64_t draw_either_way(struct nemesis *nemesis, int64_t most)
{
    int64_t size = random_between(&nemesis->random, 1, most);

    return random_below(&nemesis->random, 2) ? size : -size;
}

/* As it is listed for this place among the victims, or drawn. */
static int64_t by_how_much(struct nemesis *nemesis, uint32_t place, int64_t most)
{
    return nemesis->given ? nemesis->given->by[place] : draw_either_way(nemesis, most);
}

static void step_by(struct nemesis *nemesis, struct world *world, uint32_t node, int64_t by_ns)
{
    fault_step_clock(world, node, by_ns);
    fault_count(world, FAULT_CLOCK_STEP);
    victims_add(nemesis, node, -by_ns);
}

/* To where it is wrong by the whole amount, ahead or behind. */
static void set_off(struct nemesis *nemesis, struct world *world, uint32_t node)
{
    int64_t off_ns = amount_ns(nemesis);
    int64_t error_ns = clock_error_ns(&world->nodes[node].clock, world->now_ns);

    if (random_below(&nemesis->random, 2))
        off_ns = -off_ns;
    if (off_ns != error_ns)
        step_by(nemesis, world, node, off_ns - error_ns);
}

static void freeze(struct nemesis *nemesis, struct world *world, uint32_t node)
{
    if (!fault_freeze_clock(world, node))
        return;
    fault_count(world, FAULT_CLOCK_FREEZE);
    victims_add(nemesis, node, world->now_ns);
}

/* On top of the drift that the clock has. */
static int32_t add_drift(struct world *world, uint32_t node, int64_t by_ppm)
{
    int32_t before = world->nodes[node].clock.drift_ppm;
    int64_t after = before + by_ppm;

    if (after > CLOCK_DRIFT_PPM_MAX)
        after = CLOCK_DRIFT_PPM_MAX;
    if (after < -CLOCK_DRIFT_PPM_MAX)
        after = -CLOCK_DRIFT_PPM_MAX;
    if (after != before)
        fault_set_drift(world, node, (int32_t)after);
    return (int32_t)after - before;
}

static void drift(struct nemesis *nemesis, struct world *world, uint32_t node, uint32_t place)
{
    int32_t most =
        nemesis->options.drift_ppm ? nemesis->options.drift_ppm : CLOCK_FAULT_DRIFT_DEFAULT_PPM;
    int32_t by_ppm = add_drift(world, node, by_how_much(nemesis, place, most));

    if (by_ppm == 0)
        return;
    fault_count(world, FAULT_CLOCK_DRIFT);
    victims_add(nemesis, node, -by_ppm);
}

static void strike_clock(struct nemesis *nemesis, struct world *world, uint32_t place)
{
    uint32_t node = nemesis->order[place];


    switch (nemesis->options.shape) {
    case SHAPE_CLOCK_STEP:
        step_by(nemesis, world, node, by_how_much(nemesis, place, amount_ns(nemesis)));
        break;
    case SHAPE_CLOCK_STROBE:
        victims_add(nemesis, node, 0);
        fault_count(world, FAULT_CLOCK_STROBE);
        break;
    case SHAPE_CLOCK_FREEZE:
        freeze(nemesis, world, node);
        break;
    case SHAPE_CLOCK_DRIFT:
        drift(nemesis, world, node, place);
        break;
    case SHAPE_CLOCK_OFFSET:
        set_off(nemesis, world, node);
        break;
    default:
        assert(!"a shape of another kind");
    }
}

bool clock_fault_strike(struct nemesis *nemesis, struct world *world)
{
    uint32_t count = victims_draw(nemesis);

    for (uint32_t i = 0; i < count; i++)
        strike_clock(nemesis, world, i);
    return nemesis->victim_count > 0;
}

int64_t clock_fault_flicker(struct nemesis *nemesis, struct world *world)
{
    if (nemesis->options.shape != SHAPE_CLOCK_STROBE)
        return 0;
    for (uint32_t i = 0; i < nemesis->victim_count; i++) {
        int64_t *undo = &nemesis->undo[i];
        /* To and fro: away from where it belongs, then back. */
        int64_t by_ns = *undo ? *undo : draw_either_way(nemesis, amount_ns(nemesis));
        *undo -= by_ns;
        fault_step_clock(world, nemesis->victims[i], by_ns);
        if (nemesis->all->log)
            strike_log_flicker(nemesis->all->log, nemesis, nemesis->victims[i], by_ns);
    }
    return random_between(&nemesis->random, FLICKER_NS_MIN, FLICKER_NS_MAX);
}

/* What the wall clock lost is the time that passed, whatever else was done to it meanwhile. */
static void thaw(struct world *world, uint32_t node, int64_t frozen_at_ns)
{
    int64_t lost_ns = world->now_ns - frozen_at_ns;

    if (fault_thaw_clock(world, node) && lost_ns != 0)
        fault_step_clock(world, node, lost_ns);
}

static void step_back(const struct nemesis *nemesis, struct world *world, uint32_t node,
                      int64_t by_ns)
{
    fault_step_clock(world, node, by_ns);
    if (nemesis->all->log && nemesis->options.shape == SHAPE_CLOCK_STROBE)
        strike_log_flicker(nemesis->all->log, nemesis, node, by_ns);
}

void clock_fault_release(struct nemesis *nemesis, struct world *world)
{
    for (uint32_t i = 0; i < nemesis->victim_count; i++) {
        uint32_t node = nemesis->victims[i];
        int64_t undo = nemesis->undo[i];
        if (nemesis->options.shape == SHAPE_CLOCK_FREEZE)
            thaw(world, node, undo);
        else if (nemesis->options.shape == SHAPE_CLOCK_DRIFT)
            add_drift(world, node, undo);
        else if (undo != 0)
            step_back(nemesis, world, node, undo);
    }
}
