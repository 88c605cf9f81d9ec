#include "cli/simulation.h"

#include <string.h>

#include "cli/output.h"

/* Address space, of which a run uses what it needs. */
#define ARENA_BYTES ((size_t)4 << 30)
#define SLICE_NS INT64_C(1000000000)

uint32_t simulation_nemeses(const struct scenario *scenario, struct nemesis_options *list)
{
    /* Nodes that ping have neither shards nor disks. */
    struct swarm_ground ground = { .node_count = scenario->cluster.nodes };
    uint32_t count = scenario->nemesis_count;

    memcpy(list, scenario->nemeses, count * sizeof *list);
    return count + swarm_draw(&scenario->swarm, &ground, scenario->seed, list + count,
                              NEMESIS_COUNT_MAX - count);
}

void simulation_freeze_swarm(struct scenario *scenario)
{
    struct nemesis_options list[NEMESIS_COUNT_MAX];

    scenario->nemesis_count = simulation_nemeses(scenario, list);
    memcpy(scenario->nemeses, list, scenario->nemesis_count * sizeof *list);
    scenario->swarm = (struct swarm_options){ 0 };
}

static enum status add_nemeses(struct simulation *simulation, const struct scenario *scenario,
                               struct error *err)
{
    struct nemesis_options list[NEMESIS_COUNT_MAX];
    uint32_t count = simulation_nemeses(scenario, list);

    TRY(nemeses_init(&simulation->nemeses, NULL, &simulation->world, err));
    for (uint32_t i = 0; i < count; i++)
        TRY(nemeses_add(&simulation->nemeses, &list[i], err));
    return STATUS_OK;
}

static enum status build(struct simulation *simulation, const struct scenario *scenario,
                         const struct trace_options *trace, struct error *err)
{
    struct world_options options = {
        .seed = scenario->seed,
        .node_count = scenario->cluster.nodes,
        .clocks = scenario->clocks,
        .network = scenario->network.link,
        .trace = *trace,
    };

    TRY(world_init(&simulation->world, &options, &simulation->arena, err));
    TRY(ping_init(&simulation->ping, &scenario->workload.ping, &simulation->world,
                  &simulation->arena, err));
    TRY(add_nemeses(simulation, scenario, err));
    return world_start(&simulation->world, err);
}

/* Slices are for the progress bar only; where they end has no effect. */
static enum status run_until(struct world *world, int64_t end_ns, struct progress_bar *bar,
                             struct error *err)
{
    struct progress progress = progress_bar_listener(bar);

    while (world->now_ns < end_ns) {
        int64_t next_ns = end_ns - world->now_ns > SLICE_NS ? world->now_ns + SLICE_NS : end_ns;
        TRY(world_run(world, next_ns, err));
        progress_report(&progress, (uint64_t)(world->now_ns / SLICE_NS),
                        (uint64_t)(end_ns / SLICE_NS));
    }
    return STATUS_OK;
}

static enum status run(struct simulation *simulation, const struct scenario *scenario,
                       struct progress_bar *bar, struct error *err)
{
    TRY(run_until(&simulation->world, scenario->workload.duration_ns, bar, err));
    nemeses_stop(&simulation->nemeses, NEMESES_HEAL);
    return ping_settle(&simulation->ping, &simulation->world, scenario->workload.settle_ns, err);
}

enum status simulation_run(struct simulation *simulation, const struct scenario *scenario,
                           const struct trace_options *trace, struct progress_bar *bar,
                           struct error *err)
{
    int64_t began_ns = output_clock_ns();

    memset(simulation, 0, sizeof *simulation);
    TRY(arena_init(&simulation->arena, ARENA_BYTES, err));
    TRY(build(simulation, scenario, trace, err));
    TRY(run(simulation, scenario, bar, err));
    simulation->trace = world_trace_hash(&simulation->world);
    simulation->verdict = simulation->ping.findings.stuck ? VERDICT_INVALID : VERDICT_VALID;
    simulation->wall_ns = output_clock_ns() - began_ns;
    return STATUS_OK;
}

void simulation_close(struct simulation *simulation)
{
    world_close(&simulation->world);
    arena_close(&simulation->arena);
}

bool simulation_expects_fault(const struct scenario *scenario, enum fault_kind kind)
{
    const struct link_options *link = &scenario->network.link;
    struct nemesis_options list[NEMESIS_COUNT_MAX];
    uint32_t count = simulation_nemeses(scenario, list);

    for (uint32_t i = 0; i < count; i++)
        if (nemesis_shape_fault(list[i].shape) == kind)
            return true;
    return (kind == FAULT_LOSS && link->loss.numerator > 0) ||
           (kind == FAULT_DUPLICATE && link->duplicate.numerator > 0) ||
           (kind == FAULT_REORDER && link->reorder.numerator > 0) ||
           (kind == FAULT_EVICT && link->in_flight_max > 0);
}

const char *verdict_name(enum verdict verdict)
{
    return verdict == VERDICT_VALID ? "valid" : verdict == VERDICT_INVALID ? "invalid" : "unknown";
}

enum exit_code verdict_exit_code(enum verdict verdict)
{
    return verdict == VERDICT_VALID     ? EXIT_VALID
           : verdict == VERDICT_INVALID ? EXIT_VIOLATION
                                        : EXIT_UNDECIDED;
}
