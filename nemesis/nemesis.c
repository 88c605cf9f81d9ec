#include "nemesis/nemesis.h"

#include <assert.h>
#include <inttypes.h>

#include "base/fixed.h"
#include "nemesis/clock_fault_private.h"
#include "nemesis/disk_fault_private.h"
#include "nemesis/network_fault_private.h"
#include "nemesis/node_fault_private.h"
#include "nemesis/strikes.h"
#include "sim/fault.h"

/*
 * When one nemesis strikes, how long it holds, and what it felt.
 */

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

/* Its options, place and `all` are set. From now on the world calls it back. */
static enum status schedule_start(struct nemesis *nemesis, struct error *err)
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

/* Lets go, for good, and closes its accounts. */
static void schedule_end(struct nemesis *nemesis)
{
    enum nemesis_kind kind = nemesis->options.kind;

    if (nemesis->holds)
        release(nemesis);
    else if (kinds[kind].was_felt && nemesis->felt < nemesis->strikes &&
             kinds[kind].was_felt(nemesis, nemesis->all->world))
        nemesis->felt++;
    nemesis->healed = true;
}

_Static_assert(NEMESIS_COUNT_MAX <= NETWORK_BURST_COUNT_MAX, "each nemesis may have its burst");

/* A healed disk that stays busy for longer still works off what it was asked for while it was ill. */
#define BACKLOG_NS_MAX (INT64_C(1000) * 1000 * 1000)

enum status nemesis_init_all(struct nemeses *all, const struct nemesis_ground *ground,
                             struct world *world, struct error *err)
{
    uint32_t node_count = world->options.node_count;

    *all = (struct nemeses){ .world = world };
    if (ground)
        all->ground = *ground;
    all->damaged = arena_push(world->arena, node_count, sizeof *all->damaged);
    if (!all->damaged)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for nemeses of %" PRIu32 " nodes",
                         node_count);
    for (uint32_t i = 0; all->ground.disks && i < node_count; i++)
        disk_set_faults(all->ground.disks[i], &all->ground.disk_faults);
    return STATUS_OK;
}

/* What makes no sense in this world, beside what makes none anywhere. */
static enum status check_ground(const struct nemeses *all, const struct nemesis_options *options,
                                struct error *err)
{
    const char *kind = nemesis_kind_name(options->kind);
    const char *shape = nemesis_shape_name(options->shape);
    uint32_t shard_count = all->world->options.shard_count;
    bool wants_disks = options->kind == NEMESIS_DISK || options->while_writing;

    if (wants_disks && !all->ground.disks)
        return error_set(err, STATUS_BAD_INPUT, "%s %s needs disks, and these nodes have none",
                         kind, shape);
    if (options->shard_plus_1 > shard_count)
        return error_set(err, STATUS_BAD_INPUT, "%s %s: there is no shard %" PRIu32, kind, shape,
                         options->shard_plus_1 - 1);
    if (shard_count == 0 &&
        (options->victims == VICTIMS_LEADER || options->victims == VICTIMS_LEADERS))
        return error_set(err, STATUS_BAD_INPUT, "%s %s: there are no shards to be led", kind,
                         shape);
    if (options->shape == SHAPE_DISK_BIT_ROT && !options->outside &&
        (!all->ground.replicas || all->ground.damaged_max == 0))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s %s: no replica can be spared here; it needs outside = true", kind,
                         shape);
    return STATUS_OK;
}

enum status nemesis_add(struct nemeses *all, const struct nemesis_options *options,
                        struct error *err)
{
    struct nemesis *nemesis = &all->list[all->count];

    if (all->count == NEMESIS_COUNT_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "more than %d nemeses", NEMESIS_COUNT_MAX);
    TRY(nemesis_check_options(options, all->world->options.node_count, err));
    TRY(check_ground(all, options, err));
    *nemesis = (struct nemesis){ .options = *options, .all = all, .place = all->count };
    TRY(schedule_start(nemesis, err));
    all->count++;
    return STATUS_OK;
}

void nemesis_draw_all_anew(struct nemeses *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        struct random_key key = random_key_fork(world_key(all->world), "nemesis/%" PRIu32, i);

        random_init(&all->list[i].random, &key);
    }
}

/* Whether every shard has a majority without the node and those that stand aside already. */
static bool can_stand_aside(const struct nemeses *all, const bool *aside, uint32_t node)
{
    const struct nemesis_ground *ground = &all->ground;

    for (uint32_t shard = 0; shard < ground->shard_count; shard++) {
        const uint32_t *replicas = &ground->replicas[shard * ground->replica_count];
        uint32_t missing = 0;

        for (uint32_t i = 0; i < ground->replica_count; i++)
            missing += replicas[i] == node || aside[replicas[i]];
        if (missing > (ground->replica_count - 1) / 2)
            return false;
    }
    return true;
}

static uint32_t count_aside(const bool *aside, uint32_t node_count)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < node_count; i++)
        count += aside[i];
    return count;
}

/* Pauses for good what the core, drawn from a stream of its own, can do without. */
static void freeze_all_but_a_core(struct nemeses *all)
{
    uint32_t node_count = all->world->options.node_count;
    struct random_key key = random_key_fork(world_key(all->world), "nemesis/core");
    bool aside[WORLD_ENDPOINT_COUNT_MAX] = { false };
    uint32_t order[WORLD_ENDPOINT_COUNT_MAX];
    struct random random;

    random_init(&random, &key);
    for (uint32_t i = 0; i < node_count; i++)
        order[i] = i;
    random_shuffle(&random, order, node_count);
    for (uint32_t i = 0; i < node_count; i++) {
        /* Where replicas are unknown, any majority of the nodes is a core. */
        aside[order[i]] = all->ground.replicas
                              ? can_stand_aside(all, aside, order[i])
                              : count_aside(aside, node_count) < (node_count - 1) / 2;
        if (aside[order[i]])
            fault_pause(all->world, order[i]);
    }
}

/* Ends what disks suffer, and the processes that wait for an answer which is far away. */
static void heal_disk(struct nemeses *all, uint32_t node)
{
    struct disk *disk = all->ground.disks[node];
    int64_t now_ns = all->world->now_ns;

    fault_heal_disk(all->world, node, disk);
    if (disk->busy_until_ns > now_ns && disk->busy_until_ns - now_ns > BACKLOG_NS_MAX)
        fault_crash(all->world, node);
}

static void end_some(struct nemeses *all, bool of_disks)
{
    for (uint32_t i = 0; i < all->count; i++)
        if ((all->list[i].options.kind == NEMESIS_DISK) == of_disks)
            schedule_end(&all->list[i]);
}

/* Disks come first: what starts again reads what was written. */
void nemesis_stop_all(struct nemeses *all, enum nemeses_end end)
{
    uint32_t node_count = all->world->options.node_count;

    end_some(all, true);
    for (uint32_t i = 0; all->ground.disks && i < node_count; i++)
        heal_disk(all, i);
    for (uint32_t i = 0; end == NEMESES_RESTART && i < node_count; i++)
        fault_crash(all->world, i);
    end_some(all, false);
    fault_heal_everything(all->world);
    if (end == NEMESES_CORE)
        freeze_all_but_a_core(all);
}

uint32_t nemesis_next_unfelt(const struct nemeses *all, uint32_t from)
{
    while (from < all->count && all->list[from].felt > 0)
        from++;
    return from;
}
