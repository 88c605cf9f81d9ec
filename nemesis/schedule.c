#include "nemesis/schedule_private.h"

#include <assert.h>
#include <inttypes.h>

#include "base/fixed.h"
#include "nemesis/clock_fault_private.h"
#include "nemesis/node_fault_private.h"
#include "nemesis/disk_fault_private.h"
#include "nemesis/network_fault_private.h"
#include "nemesis/strikes.h"

/* A nemesis that strikes while somebody writes asks so often, about each millisecond. */
#define WAITS_MAX 200
#define WAIT_NS_MIN (INT64_C(100) * 1000)
#define WAIT_NS_MAX (INT64_C(2) * 1000 * 1000)
/* log2(e^10), as base/fixed counts: the shortest clog is e^10 times shorter than the longest. */
#define CLOG_LOG2_RANGE INT64_C(61963280187)

static const struct {
    bool (*strike)(struct nemesis *, struct world *); /* whether it took effect at once */
    void (*release)(struct nemesis *, struct world *);
    int64_t (*flicker)(struct nemesis *, struct world *); /* the next one in so many ns; or 0 */
    bool (*was_felt)(struct nemesis *, struct world *);   /* asked before each release */
} kinds[NEMESIS_KIND_COUNT] = {
    [NEMESIS_PARTITION] = { network_fault_cut, network_fault_mend, NULL, NULL },
    [NEMESIS_CLOCK] = { clock_fault_strike, clock_fault_release, clock_fault_flicker, NULL },
    [NEMESIS_CRASH] = { node_fault_crash, node_fault_restart, NULL, NULL },
    [NEMESIS_PAUSE] = { node_fault_pause, node_fault_resume, NULL, NULL },
    [NEMESIS_MESSAGE] = { network_fault_burst, network_fault_end_burst, NULL, network_fault_was_felt },
    [NEMESIS_CLOG] = { network_fault_clog, network_fault_unclog, NULL, NULL },
    [NEMESIS_DISK] = { disk_fault_strike, disk_fault_release, NULL, disk_fault_was_felt },
};

/* What the world calls a nemesis for: the strike's number, and one of these. */
enum scheduled_call { CALL_STRIKE, CALL_RELEASE, CALL_FLICKER };
#define CALL_BITS 2

/* From a half to one and a half of it. */
static int64_t draw_about(struct nemesis *nemesis, int64_t ns)
{
    return ns / 2 + (int64_t)random_below(&nemesis->random, (uint64_t)ns + 1);
}

/* From lasts * e^-10 to lasts, as often of each magnitude: most are short, some long. */
static int64_t draw_clog(struct nemesis *nemesis, int64_t ns)
{
    int64_t less = (int64_t)random_below(&nemesis->random, (uint64_t)CLOG_LOG2_RANGE + 1);
    int64_t magnitude = fixed_log2((uint64_t)ns) - less;

    return magnitude > 0 ? (int64_t)fixed_exp2(magnitude) : 1;
}

static int64_t draw_lasts(struct nemesis *nemesis)
{
    int64_t lasts_ns = nemesis->options.lasts_ns;

    if (nemesis->options.at.count > 0)
        return lasts_ns;
    return nemesis->options.kind == NEMESIS_CLOG ? draw_clog(nemesis, lasts_ns)
                                                 : draw_about(nemesis, lasts_ns);
}

static void call_at(struct nemesis *nemesis, int64_t at_ns, enum scheduled_call call)
{
    world_call_at(nemesis->all->world, at_ns, nemesis->caller,
                  nemesis->strikes << CALL_BITS | call);
}

static void release(struct nemesis *nemesis)
{
    enum nemesis_kind kind = nemesis->options.kind;
    struct world *world = nemesis->all->world;

    if (kinds[kind].was_felt && kinds[kind].was_felt(nemesis, world))
        nemesis->felt++;
    nemesis->holds = false;
    kinds[kind].release(nemesis, world);
    nemesis->victim_count = 0;
}

static void flicker(struct nemesis *nemesis)
{
    struct world *world = nemesis->all->world;
    int64_t next_ns = kinds[nemesis->options.kind].flicker(nemesis, world);

    if (next_ns > 0)
        call_at(nemesis, world->now_ns + next_ns, CALL_FLICKER);
}

static bool is_anybody_writing(const struct nemeses *all)
{
    for (uint32_t i = 0; i < all->world->options.node_count; i++)
        if (disk_is_writing(all->ground.disks[i], all->world->now_ns))
            return true;
    return false;
}

/* Whether it puts the strike off until somebody writes; not for ever. */
static bool does_wait(struct nemesis *nemesis)
{
    int64_t wait_ns;

    if (!nemesis->options.while_writing || nemesis->waited == WAITS_MAX ||
        is_anybody_writing(nemesis->all)) {
        nemesis->waited = 0;
        return false;
    }
    nemesis->waited++;
    wait_ns = random_between(&nemesis->random, WAIT_NS_MIN, WAIT_NS_MAX);
    call_at(nemesis, nemesis->all->world->now_ns + wait_ns, CALL_STRIKE);
    return true;
}

/* When it strikes next; INT64_MAX: never. */
static int64_t next_strike_ns(const struct nemesis *nemesis, int64_t gap_ns)
{
    const struct nemesis_options *options = &nemesis->options;

    if (options->strike_count > 0)
        return nemesis->strikes < options->strike_count ? options->strikes[nemesis->strikes].at_ns
                                                        : INT64_MAX;
    if (options->at.count > 0)
        return nemesis->strikes < options->at.count ? options->at.at_ns[nemesis->strikes]
                                                    : INT64_MAX;
    return options->every_ns > 0 ? nemesis->all->world->now_ns + gap_ns : INT64_MAX;
}

/* The release is scheduled first: a strike at the same time finds the nemesis free. */
static void plan(struct nemesis *nemesis, int64_t gap_ns)
{
    int64_t now_ns = nemesis->all->world->now_ns, next_ns = next_strike_ns(nemesis, gap_ns);

    if (nemesis->holds && nemesis->until_ns != INT64_MAX)
        call_at(nemesis, nemesis->until_ns, CALL_RELEASE);
    if (next_ns == INT64_MAX)
        return;
    if (next_ns < now_ns)
        next_ns = now_ns; /* it could not strike in time */
    if (nemesis->holds && nemesis->until_ns > next_ns)
        next_ns = nemesis->until_ns;
    if (next_ns != INT64_MAX)
        call_at(nemesis, next_ns, CALL_STRIKE);
}

/*
 * Draws the gap and the duration whether they are needed or not, so that a
 * strike without effect leaves the later ones where they were.
 */
static void strike(struct nemesis *nemesis)
{
    const struct nemesis_options *options = &nemesis->options;
    struct world *world = nemesis->all->world;
    int64_t gap_ns, lasts_ns;
    bool felt;

    assert(!nemesis->holds);
    if (does_wait(nemesis))
        return;
    if (options->strike_count > 0)
        nemesis->given = &options->strikes[nemesis->strikes];
    gap_ns = draw_about(nemesis, options->every_ns);
    lasts_ns = nemesis->given ? nemesis->given->lasts_ns : draw_lasts(nemesis);
    nemesis->strikes++;
    nemesis->holds = nemesis_shape_takes(options->shape, NEMESIS_KEY_LASTS);
    nemesis->until_ns = (nemesis->given ? lasts_ns : options->lasts_ns) > 0
                            ? world->now_ns + lasts_ns
                            : INT64_MAX;
    plan(nemesis, gap_ns);
    felt = kinds[options->kind].strike(nemesis, world);
    if (nemesis->all->log && (felt || nemesis->victim_count > 0 || options->kind == NEMESIS_MESSAGE))
        strike_log_add(nemesis->all->log, nemesis);
    if (!felt)
        return;
    nemesis->felt++;
    if (kinds[options->kind].flicker)
        flicker(nemesis);
}

static void on_call(void *context, struct world *world, uint64_t what)
{
    struct nemesis *nemesis = context;

    (void)world;
    if (nemesis->healed)
        return;
    switch ((enum scheduled_call)(what & ((1 << CALL_BITS) - 1))) {
    case CALL_STRIKE:
        strike(nemesis);
        break;
    case CALL_RELEASE:
        release(nemesis);
        break;
    case CALL_FLICKER:
        /* The last one may come after the release, even after the next strike. */
        if (nemesis->holds && what >> CALL_BITS == nemesis->strikes)
            flicker(nemesis);
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
    nemesis->seen = arena_push(arena, count, sizeof *nemesis->seen);
    nemesis->struck = arena_push(arena, count, sizeof *nemesis->struck);
    nemesis->cuts = arena_push(arena, count * count, sizeof *nemesis->cuts);
    if (!nemesis->order || !nemesis->victims || !nemesis->undo || !nemesis->seen ||
        !nemesis->struck || !nemesis->cuts)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a nemesis");
    return STATUS_OK;
}

static int64_t first_strike_ns(struct nemesis *nemesis)
{
    const struct nemesis_options *options = &nemesis->options;

    if (options->strike_count > 0)
        return options->strikes[0].at_ns;
    if (options->at.count > 0)
        return options->at.at_ns[0];
    if (options->start_ns > 0)
        return options->start_ns;
    return nemesis->all->world->now_ns + draw_about(nemesis, options->every_ns);
}

enum status schedule_start(struct nemesis *nemesis, struct error *err)
{
    struct world *world = nemesis->all->world;
    struct random_key key = random_key_fork(world_key(world), "nemesis/%" PRIu32, nemesis->place);

    nemesis->node_count = world->options.node_count;
    TRY(push_memory(nemesis, world->arena, err));
    random_init(&nemesis->random, &key);
    nemesis->caller = world_add_caller(
        world, (struct world_caller){ .call = on_call, .describe = describe, .context = nemesis });
    call_at(nemesis, first_strike_ns(nemesis), CALL_STRIKE);
    return STATUS_OK;
}

void schedule_end(struct nemesis *nemesis)
{
    enum nemesis_kind kind = nemesis->options.kind;

    if (nemesis->holds)
        release(nemesis);
    else if (kinds[kind].was_felt && nemesis->felt < nemesis->strikes &&
             kinds[kind].was_felt(nemesis, nemesis->all->world))
        nemesis->felt++;
    nemesis->healed = true;
}
