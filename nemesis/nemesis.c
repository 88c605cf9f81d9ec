#include "nemesis/nemesis.h"

#include <inttypes.h>

#include "nemesis/schedule_private.h"
#include "sim/fault.h"

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
