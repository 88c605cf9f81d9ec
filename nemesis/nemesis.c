#include "nemesis/nemesis.h"

#include <assert.h>
#include <inttypes.h>

#include "nemesis/clock_fault.h"
#include "nemesis/crash.h"
#include "nemesis/partition.h"
#include "nemesis/pause.h"
#include "sim/fault.h"

static const struct {
    const char *name;
    bool (*strike)(struct nemesis *, struct world *); /* whether it took effect */
    void (*release)(struct nemesis *, struct world *);
    int64_t (*flicker)(struct nemesis *, struct world *); /* the next one in so many ns; or 0 */
} kinds[NEMESIS_KIND_COUNT] = {
    [NEMESIS_PARTITION] = { "partition", partition_strike, partition_release, NULL },
    [NEMESIS_CLOCK] = { "clock", clock_fault_strike, clock_fault_release, clock_fault_flicker },
    [NEMESIS_CRASH] = { "crash", crash_strike, crash_release, NULL },
    [NEMESIS_PAUSE] = { "pause", pause_strike, pause_release, NULL },
};

static const struct {
    enum nemesis_kind kind;
    const char *name, *summary;
} shapes[NEMESIS_SHAPE_COUNT] = {
#define X(shape, kind, name, summary) { NEMESIS_##kind, name, summary },
    NEMESIS_SHAPES(X)
#undef X
};

/* What the world calls a nemesis for: the strike's number, and one of these. */
enum call { CALL_STRIKE, CALL_RELEASE, CALL_FLICKER };
#define CALL_BITS 2

const char *nemesis_kind_name(enum nemesis_kind kind)
{
    assert(kind < NEMESIS_KIND_COUNT);
    return kinds[kind].name;
}

const char *nemesis_shape_name(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return shapes[shape].name;
}

const char *nemesis_shape_summary(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return shapes[shape].summary;
}

enum nemesis_kind nemesis_shape_kind(enum nemesis_shape shape)
{
    assert(shape < NEMESIS_SHAPE_COUNT);
    return shapes[shape].kind;
}

bool nemesis_find_kind(struct text name, enum nemesis_kind *kind)
{
    for (int i = 0; i < NEMESIS_KIND_COUNT; i++)
        if (text_equal(name, text_of(kinds[i].name))) {
            *kind = (enum nemesis_kind)i;
            return true;
        }
    return false;
}

bool nemesis_find_shape(enum nemesis_kind kind, struct text name, enum nemesis_shape *shape)
{
    for (int i = 0; i < NEMESIS_SHAPE_COUNT; i++)
        if (shapes[i].kind == kind && text_equal(name, text_of(shapes[i].name))) {
            *shape = (enum nemesis_shape)i;
            return true;
        }
    return false;
}

enum nemesis_shape nemesis_default_shape(enum nemesis_kind kind)
{
    int shape = 0;

    while (shapes[shape].kind != kind)
        shape++;
    return (enum nemesis_shape)shape;
}

static enum status check_duration(const char *name, int64_t ns, struct error *err)
{
    if (ns < 0 || ns > WORLD_TIME_NS_MAX / 4)
        return error_set(err, STATUS_BAD_INPUT, "%s must be from 0 to 69 hours", name);
    return STATUS_OK;
}

static uint32_t nodes_needed(enum nemesis_shape shape)
{
    switch (shape) {
    case SHAPE_PARTITION_MAJORITIES_RING:
    case SHAPE_PARTITION_BRIDGE:
    case SHAPE_CRASH_MINORITY:
    case SHAPE_PAUSE_MINORITY:
        return 3;
    default:
        return shapes[shape].kind == NEMESIS_PARTITION ? 2 : 1;
    }
}

enum status nemesis_check_options(const struct nemesis_options *options, uint32_t node_count,
                                  struct error *err)
{
    if (nemesis_shape_kind(options->shape) != options->kind)
        return error_set(err, STATUS_BAD_INPUT, "%s has no shape %s",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape));
    TRY(check_duration("start", options->start_ns, err));
    TRY(check_duration("every", options->every_ns, err));
    TRY(check_duration("lasts", options->lasts_ns, err));
    TRY(check_duration("amount", options->amount_ns, err));
    if (options->drift_ppm < 0 || options->drift_ppm > CLOCK_DRIFT_PPM_MAX)
        return error_set(err, STATUS_BAD_INPUT, "drift_ppm must be from 0 to %d",
                         CLOCK_DRIFT_PPM_MAX);
    if (node_count < nodes_needed(options->shape))
        return error_set(err, STATUS_BAD_INPUT, "%s %s needs at least %" PRIu32 " nodes",
                         nemesis_kind_name(options->kind), nemesis_shape_name(options->shape),
                         nodes_needed(options->shape));
    return STATUS_OK;
}

/* From a half to one and a half of it. */
static int64_t draw_about(struct nemesis *nemesis, int64_t ns)
{
    return ns / 2 + (int64_t)random_below(&nemesis->random, (uint64_t)ns + 1);
}

static void call_at(struct nemesis *nemesis, struct world *world, int64_t at_ns, enum call call)
{
    world_call_at(world, at_ns, nemesis->caller, nemesis->strikes << CALL_BITS | call);
}

static void release(struct nemesis *nemesis, struct world *world)
{
    kinds[nemesis->options.kind].release(nemesis, world);
    nemesis->victim_count = 0;
    nemesis->holds = false;
}

static void flicker(struct nemesis *nemesis, struct world *world)
{
    int64_t next_ns = kinds[nemesis->options.kind].flicker(nemesis, world);

    if (next_ns > 0)
        call_at(nemesis, world, world->now_ns + next_ns, CALL_FLICKER);
}

/*
 * Draws the gap and the duration whether they are needed or not, so that a
 * strike without effect leaves the later ones where they were. The release is
 * scheduled first: a strike at the same time finds the nemesis free.
 */
static void strike(struct nemesis *nemesis, struct world *world)
{
    const struct nemesis_options *options = &nemesis->options;
    int64_t gap_ns = draw_about(nemesis, options->every_ns);
    int64_t lasts_ns = draw_about(nemesis, options->lasts_ns);

    assert(!nemesis->holds);
    nemesis->holds = true;
    nemesis->strikes++;
    if (options->lasts_ns > 0)
        call_at(nemesis, world, world->now_ns + lasts_ns, CALL_RELEASE);
    if (options->every_ns > 0 && options->lasts_ns > 0)
        call_at(nemesis, world, world->now_ns + (gap_ns > lasts_ns ? gap_ns : lasts_ns),
                CALL_STRIKE);
    if (!kinds[options->kind].strike(nemesis, world))
        return;
    nemesis->felt++;
    if (kinds[options->kind].flicker)
        flicker(nemesis, world);
}

static void on_call(void *context, struct world *world, uint64_t what)
{
    struct nemesis *nemesis = context;

    if (nemesis->healed)
        return;
    switch ((enum call)(what & ((1 << CALL_BITS) - 1))) {
    case CALL_STRIKE:
        strike(nemesis, world);
        break;
    case CALL_RELEASE:
        release(nemesis, world);
        break;
    case CALL_FLICKER:
        /* The last one may come after the release, even after the next strike. */
        if (nemesis->holds && what >> CALL_BITS == nemesis->strikes)
            flicker(nemesis, world);
        break;
    }
}

static void describe(void *context, uint64_t what, struct buffer *to)
{
    static const char *const verbs[] = { "strikes", "lets go", "flickers" };
    const struct nemesis *nemesis = context;

    buffer_print(to, "%s %s %s", nemesis_kind_name(nemesis->options.kind),
                 nemesis_shape_name(nemesis->options.shape), verbs[what & ((1 << CALL_BITS) - 1)]);
}

static enum status push_memory(struct nemesis *nemesis, struct arena *arena, struct error *err)
{
    size_t count = nemesis->node_count;

    nemesis->order = arena_push(arena, count, sizeof *nemesis->order);
    nemesis->victims = arena_push(arena, count, sizeof *nemesis->victims);
    nemesis->undo = arena_push(arena, count, sizeof *nemesis->undo);
    nemesis->cuts = arena_push(arena, count * count, sizeof *nemesis->cuts);
    if (!nemesis->order || !nemesis->victims || !nemesis->undo || !nemesis->cuts)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a nemesis");
    return STATUS_OK;
}

enum status nemesis_init(struct nemesis *nemesis, const struct nemesis_options *options,
                         uint32_t place, struct world *world, struct error *err)
{
    struct random_key key = random_key_fork(world_key(world), "nemesis/%" PRIu32, place);

    *nemesis = (struct nemesis){ .options = *options, .node_count = world->options.node_count };
    TRY(nemesis_check_options(options, nemesis->node_count, err));
    if (place >= NEMESIS_COUNT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "more than %d nemeses", NEMESIS_COUNT_MAX);
    TRY(push_memory(nemesis, world->arena, err));
    random_init(&nemesis->random, &key);
    nemesis->caller = world_add_caller(
        world, (struct world_caller){ .call = on_call, .describe = describe, .context = nemesis });
    call_at(nemesis, world,
            options->start_ns > 0 ? options->start_ns
                                  : world->now_ns + draw_about(nemesis, options->every_ns),
            CALL_STRIKE);
    return STATUS_OK;
}

void nemesis_heal(struct nemesis *nemeses, uint32_t count, struct world *world)
{
    for (uint32_t i = 0; i < count; i++) {
        if (nemeses[i].holds)
            release(&nemeses[i], world);
        nemeses[i].healed = true;
    }
    fault_heal_everything(world);
}
