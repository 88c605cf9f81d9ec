#include "trial/run/simulation.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/wall_clock.h"

/* Address space, of which a run uses what it needs. */
#define SLICE_NS INT64_C(100000000)

/* A run that takes so long is too long, unless its scenario says otherwise. */
#define EVENTS_MAX UINT64_C(20000000)
#define EVENTS_FOR_EACH UINT64_C(1000) /* transaction, and second of its duration */
#define SIMULATED_NS_MAX (INT64_C(168) * 3600 * 1000000000)

static bool has_store(const struct scenario *scenario)
{
    return scenario->workload.kind != WORKLOAD_PING;
}

static bool is_on_raft(const struct scenario *scenario)
{
    return store_protocol_facts(scenario->cluster.protocol).on_raft;
}

/* Where one node answers for what it has committed, its disk must not rot. */
static uint32_t damaged_max(const struct scenario *scenario)
{
    return is_on_raft(scenario) ? (scenario->cluster.replicas - 1) / 2 : 0;
}

uint32_t simulation_nemeses(const struct scenario *scenario, struct nemesis_options *list)
{
    struct swarm_ground ground = {
        .node_count = scenario->cluster.nodes,
        .has_leaders = has_store(scenario) && is_on_raft(scenario),
        .has_disks = has_store(scenario),
        .can_spare_disk = has_store(scenario) && damaged_max(scenario) > 0,
        .duration_ns = scenario->swarm.dimensions >> SWARM_LENGTH & 1
                           ? scenario->workload.duration_ns : 0,
    };
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
    scenario->source = NULL;
}

/* --- Building --------------------------------------------------------------------------------- */

static struct nemesis_ground ground_of(struct simulation *simulation,
                                       const struct scenario *scenario)
{
    const struct scenario_cluster *cluster = &scenario->cluster;
    struct nemesis_ground ground = { .disk_faults = scenario->disk.faults };

    if (!has_store(scenario))
        return (struct nemesis_ground){ 0 };
    for (uint32_t node = 0; node < cluster->nodes; node++) {
        simulation->disks[node] = store_disk(simulation->store, node);
        disk_set_faults(simulation->disks[node], &scenario->disk.faults);
    }
    ground.disks = simulation->disks;
    if (!is_on_raft(scenario))
        return ground;
    for (uint32_t shard = 0; shard < cluster->shards; shard++)
        for (uint32_t i = 0; i < cluster->replicas; i++)
            simulation->replicas[shard * cluster->replicas + i] =
                store_replica_node(simulation->store, shard, i);
    ground.shard_count = cluster->shards;
    ground.replica_count = cluster->replicas;
    ground.replicas = simulation->replicas;
    ground.damaged_max = damaged_max(scenario);
    return ground;
}

/* What is wrong with the scenario, and with no line of a program. */
static enum status blame(struct error *err, uint64_t line)
{
    if (err->status == STATUS_BAD_INPUT && err->file[0] == '\0' && err->line == 0)
        err->line = line;
    return err->status;
}

static enum status add_nemeses(struct simulation *simulation, const struct scenario *scenario,
                               const struct run_options *with, struct error *err)
{
    struct nemesis_options list[NEMESIS_COUNT_MAX];
    struct nemesis_ground ground = ground_of(simulation, scenario);
    uint32_t count = simulation_nemeses(scenario, list);

    TRY(nemesis_init_all(&simulation->nemeses, &ground, &simulation->world, err));
    if (with->recording)
        simulation->nemeses.log = &with->recording->strikes;
    for (uint32_t i = 0; i < count; i++)
        if (nemesis_add(&simulation->nemeses, &list[i], err) != STATUS_OK)
            return blame(err, i < scenario->nemesis_count ? scenario->lines.nemeses[i] : 0);
    return STATUS_OK;
}

enum status simulation_make_calls(const struct scenario *scenario, struct arena *arena,
                                  const struct program_call **made, uint32_t *count,
                                  struct error *err)
{
    const struct scenario_calls *from = &scenario->workload.calls;
    struct program_call *calls = arena_push(arena, from->count + 1u, sizeof *calls);

    *made = calls;
    *count = from->count;
    for (uint32_t i = 0; calls && i < from->count; i++) {
        const struct scenario_call *call = &from->at[i];
        struct text *arguments = arena_push(arena, call->argument_count + 1u, sizeof *arguments);
        if (!arguments)
            return error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
        for (uint32_t k = 0; k < call->argument_count; k++)
            arguments[k] = text_of(call->arguments[k]);
        calls[i] = (struct program_call){ text_of(call->procedure), call->weight, arguments,
                                        call->argument_count, scenario->lines.calls[i] };
    }
    return calls ? STATUS_OK
                 : error_set(err, STATUS_OVER_LIMIT, "no memory for the calls of a workload");
}

/* The statements of a schedule, as functions of its program. */
static enum status add_statements(const struct scenario *scenario, struct program *program,
                                  struct program_statement *statements, struct error *err)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < scenario->step_count; i++)
        if (scenario->steps[i].what.act == SCHEDULE_STATEMENT)
            statements[count++] = (struct program_statement){
                text_of(scenario->steps[i].what.sql), (uint32_t)scenario->steps[i].what.line
            };
    return program_add_statements(program, statements, count, err);
}

static enum status make_schedule(const struct scenario *scenario, struct program *program,
                                 struct store_workload *workload, struct arena *arena,
                                 struct error *err)
{
    uint32_t function = program->tree.function_count;
    struct program_statement *statements =
        arena_push(arena, scenario->step_count + 1u, sizeof *statements);
    struct schedule_step *steps = arena_push(arena, scenario->step_count + 1u, sizeof *steps);

    if (!statements || !steps)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a schedule");
    TRY(add_statements(scenario, program, statements, err));
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        const struct scenario_step *from = &scenario->steps[i];

        steps[i] = (struct schedule_step){
            .session = from->session_number,
            .session_name = text_of(from->session),
            .act = from->what.act,
            .sql = text_of(from->what.sql),
            .function = from->what.act == SCHEDULE_STATEMENT ? function++ : 0,
            .line = (uint32_t)from->what.line,
            .expected = from->expected,
            .has_rows = from->rows.are_given,
            .rows = text_of(from->rows.lines),
        };
    }
    workload->steps = steps;
    workload->step_count = scenario->step_count;
    return STATUS_OK;
}

static const char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static enum status open_store(struct simulation *simulation, const struct scenario *scenario,
                              const struct run_options *with, struct error *err)
{
    const struct scenario_workload *from = &scenario->workload;
    struct store_workload workload = { .load = text_of(from->load),
                                       .load_line = scenario->lines.load,
                                       .program_name = name_of_file(from->program) };
    struct cluster_options options = {
        .protocol = scenario->cluster.protocol,
        .bugs = scenario->cluster.bugs,
        .shards = scenario->cluster.shards,
        .replicas = scenario_replicas(&scenario->cluster),
        .sessions = from->sessions,
        .heartbeat_ns = scenario->cluster.heartbeat_ns,
        .election_ns = scenario->cluster.election_ns,
        .retention_ns = scenario->cluster.retention_ns,
        .ask_timeout_ns = scenario->cluster.ask_timeout_ns,
        .in_doubt_ns = scenario->cluster.in_doubt_ns,
        .wait_ns = scenario->cluster.wait_ns,
        .gossip_ns = scenario->cluster.gossip_ns,
        .snapshot_entries = scenario->cluster.snapshot_entries,
        .max_offset_ns = scenario->clocks.max_offset_ns,
        .disk = scenario->disk.config,
        .client = from->client,
        .buggify = scenario->buggify,
        .recorded = with->recording ? &with->recording->listing : NULL,
        .notes_calls = with->notes_calls,
    };

    options.disk.draws_by_time = scenario->capsule.draws_by_time;
    /* A capsule lists its transactions also when none is left: nothing is drawn in their stead. */
    if (from->is_listed ||
        (scenario->capsule.draws_by_time && from->kind != WORKLOAD_SCHEDULE))
        workload.listing = &scenario->listing;
    if (from->kind == WORKLOAD_BUILTIN) {
        workload.builtin = &from->builtin;
    } else {
        simulation->program_path = from->program;
        TRY(program_load_file(&simulation->program, from->program, err));
        workload.program = &simulation->program;
        if (from->kind == WORKLOAD_SCHEDULE)
            TRY(make_schedule(scenario, &simulation->program, &workload, &simulation->arena, err));
        TRY(simulation_make_calls(scenario, &simulation->arena, &workload.calls,
                                  &workload.call_count, err));
    }
    if (store_open(&simulation->store, &options, &workload, &simulation->world,
                   &simulation->arena, err) != STATUS_OK)
        return blame(err, scenario->lines.workload);
    for (uint32_t i = 0; i < scenario->invariant_count; i++)
        if (store_check_query(simulation->store, scenario->invariants[i].query, err) != STATUS_OK)
            return blame(err, scenario->lines.invariants[i]);
    return STATUS_OK;
}

static struct world_limits limits_of(const struct scenario *scenario)
{
    struct world_limits limits = { .event_count_max = scenario->limits.events,
                                   .time_ns_max = scenario->limits.simulated_ns };

    if (limits.event_count_max == 0)
        limits.event_count_max =
            EVENTS_MAX +
            EVENTS_FOR_EACH * ((uint64_t)scenario->workload.client.transactions +
                               (uint64_t)scenario->workload.duration_ns / 1000000000);
    if (limits.time_ns_max == 0)
        limits.time_ns_max = SIMULATED_NS_MAX;
    return limits;
}

/* Clients that have done all they had to do end a run before its time. */
static bool is_over(void *context)
{
    const struct simulation *simulation = context;

    return simulation->store && store_is_idle(simulation->store);
}

static enum status build(struct simulation *simulation, const struct scenario *scenario,
                         const struct run_options *with, struct error *err)
{
    struct world_options options = {
        .seed = scenario->seed,
        .node_count = scenario->cluster.nodes,
        .client_count = has_store(scenario) ? scenario->workload.sessions : 0,
        .shard_count = has_store(scenario) && is_on_raft(scenario) ? scenario->cluster.shards : 0,
        .clocks = scenario->clocks.options,
        .network = scenario->network.link,
        .draws_by_time = scenario->capsule.draws_by_time,
        .trace = with->trace,
        .coverage = with->coverage,
        .limits = limits_of(scenario),
        .stop = with->stop,
        .steering = &scenario->explore,
        .choices = with->choices,
    };

    TRY(world_init(&simulation->world, &options, &simulation->arena, err));
    if (has_store(scenario))
        TRY(open_store(simulation, scenario, with, err));
    else
        TRY(ping_init(&simulation->ping, &scenario->workload.ping, &simulation->world,
                      &simulation->arena, err));
    TRY(add_nemeses(simulation, scenario, with, err));
    if (with->choices) {
        with->choices->is_over = is_over;
        with->choices->context = simulation;
    }
    return world_start(&simulation->world, err);
}

/* --- Running ---------------------------------------------------------------------------------- */

/*
 * Slices are for the progress progress, and for a run of a store to end early: at
 * the first of these times when its clients are done.
 */
static enum status run_until(struct simulation *simulation, int64_t end_ns,
                             const struct progress *progress, struct error *err)
{
    struct world *world = &simulation->world;

    while (world->now_ns < end_ns && !is_over(simulation)) {
        int64_t next_ns = end_ns - world->now_ns > SLICE_NS ? world->now_ns + SLICE_NS : end_ns;
        TRY(world_run(world, next_ns, err));
        if (simulation->store)
            TRY(store_status(simulation->store, err));
        progress_report(progress, (uint64_t)(world->now_ns / 1000000000),
                        (uint64_t)(end_ns / 1000000000));
    }
    return STATUS_OK;
}

static void add_finding(struct simulation *simulation, enum anomaly kind, const char *name,
                        const char *explanation)
{
    struct finding *finding = &simulation->findings[simulation->finding_count++];

    assert(simulation->finding_count <= SIMULATION_FINDINGS_MAX);
    finding->kind = kind;
    snprintf(finding->name, sizeof finding->name, "%s", name);
    snprintf(finding->explanation, sizeof finding->explanation, "%s", explanation);
}

static void add_long_finding(struct simulation *simulation, enum anomaly kind, const char *name,
                             struct buffer *explanation)
{
    buffer_byte(explanation, '\0');
    add_finding(simulation, kind, name, explanation->at ? explanation->at : "");
    buffer_close(explanation);
}

static enum status settle_ping(struct simulation *simulation, const struct scenario *scenario,
                               struct error *err)
{
    const struct ping_findings *findings = &simulation->ping.findings;
    struct buffer why = { 0 };

    TRY(ping_settle(&simulation->ping, &simulation->world, scenario->workload.settle_ns, err));
    if (!findings->stuck)
        return STATUS_OK;
    buffer_print(&why, "node %" PRIu32 " heard nothing from node %" PRIu32 " within ",
                 findings->stuck_from, findings->stuck_to);
    quantity_print_duration(&why, scenario->workload.settle_ns);
    buffer_text(&why, TEXT(" after all faults had healed"));
    add_long_finding(simulation, ANOMALY_STUCK, "", &why);
    return STATUS_OK;
}

static void check_schedule(struct simulation *simulation, const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->step_count; i++) {
        struct buffer why = { 0 };
        char name[40];

        snprintf(name, sizeof name, "schedule.%" PRIu32, i);
        if (!store_check_step(simulation->store, i, &why))
            add_long_finding(simulation, ANOMALY_INVARIANT, name, &why);
        buffer_close(&why);
    }
}

/* What is not judged is told, also where nobody wants it to be. */
static void note_unasked(struct simulation *simulation, const struct scenario *scenario)
{
    if (scenario->check.skips_workload)
        snprintf(simulation->unasked, sizeof simulation->unasked,
                 "that of the workload, as check.skip_invariants says");
    else if (store_promises_less(simulation->store))
        snprintf(simulation->unasked, sizeof simulation->unasked,
                 "that of the workload, which %s does not promise to keep",
                 level_name(store_protocol_facts(scenario->cluster.protocol).level));
}

static enum status check_invariants(struct simulation *simulation, const struct scenario *scenario,
                                    struct error *err)
{
    struct buffer value = { 0 };
    bool holds = true;
    enum status status = STATUS_OK;

    note_unasked(simulation, scenario);
    if (!scenario->check.skips_workload)
        status = store_check_workload(simulation->store, &holds, &value, err);
    if (status == STATUS_OK && !holds)
        add_long_finding(simulation, ANOMALY_INVARIANT, "workload", &value);
    buffer_close(&value);
    for (uint32_t i = 0; i < scenario->invariant_count && status == STATUS_OK; i++) {
        const struct invariant_options *invariant = &scenario->invariants[i];
        struct buffer why = { 0 };

        status = store_query(simulation->store, invariant->query, &value, err);
        if (status == STATUS_OK &&
            !text_equal((struct text){ value.at, value.count }, text_of(invariant->equals))) {
            buffer_print(&why, "%s gives %.*s, not %s", invariant->query, (int)value.count,
                         value.at ? value.at : "", invariant->equals);
            add_long_finding(simulation, ANOMALY_INVARIANT, invariant->query, &why);
        }
        buffer_close(&value);
    }
    return status;
}

static void add_false_words(struct simulation *simulation, const struct cluster_findings *findings)
{
    struct finding *finding = &simulation->findings[simulation->finding_count];
    struct buffer why = { 0 };

    buffer_print(&why, "%s", findings->false_what);
    for (uint64_t i = 1; i < findings->false_words && i < FALSE_TXNS_MAX; i++)
        buffer_print(&why, "%s T%" PRIu64, i == 1 ? "; the store also did otherwise for" : ",",
                     findings->false_txns[i]);
    if (findings->false_words > FALSE_TXNS_MAX)
        buffer_print(&why, " and %" PRIu64 " more", findings->false_words - FALSE_TXNS_MAX);
    add_long_finding(simulation, ANOMALY_FALSE_COMMIT, "", &why);
    for (; finding->txn_count < findings->false_words && finding->txn_count < FALSE_TXNS_MAX;
         finding->txn_count++)
        finding->txns[finding->txn_count] = findings->false_txns[finding->txn_count];
}

static enum status settle_store(struct simulation *simulation, const struct scenario *scenario,
                                struct error *err)
{
    const struct cluster_findings *findings;

    TRY(store_settle(simulation->store, scenario->workload.settle_ns, err));
    findings = store_findings(simulation->store);
    check_schedule(simulation, scenario);
    if (findings->replicas_differ)
        add_finding(simulation, ANOMALY_REPLICAS_DIFFER, "", findings->differ_what);
    if (findings->false_words > 0)
        add_false_words(simulation, findings);
    if (findings->stuck) {
        struct buffer why = { 0 };
        buffer_print(&why, "%s, ", findings->stuck_what);
        quantity_print_duration(&why, scenario->workload.settle_ns);
        buffer_text(&why, TEXT(" after all faults had healed"));
        add_long_finding(simulation, ANOMALY_STUCK, "", &why);
        return STATUS_OK; /* what it holds is not final */
    }
    return check_invariants(simulation, scenario, err);
}

/* Up to the moment after which all is drawn anew. */
static enum status run_first_part(struct simulation *simulation, const struct scenario *scenario,
                                  const struct run_options *with, struct error *err)
{
    int64_t at_ns = with->redraw.at_ns;

    if (!with->redraw.is_wanted)
        return STATUS_OK;
    if (at_ns > scenario->workload.duration_ns)
        at_ns = scenario->workload.duration_ns;
    TRY(run_until(simulation, at_ns, with->progress, err));
    world_draw_anew(&simulation->world, with->redraw.seed);
    nemesis_draw_all_anew(&simulation->nemeses);
    if (simulation->store)
        store_draw_anew(simulation->store);
    return STATUS_OK;
}

static enum status simulation_run_world(struct simulation *simulation, const struct scenario *scenario,
                       const struct run_options *with, struct error *err)
{
    TRY(run_first_part(simulation, scenario, with, err));
    TRY(run_until(simulation, scenario->workload.duration_ns, with->progress, err));
    if (simulation->store)
        store_stop(simulation->store);
    simulation->world.steering = (struct steering){ 0 };
    nemesis_stop_all(&simulation->nemeses, NEMESES_HEAL);
    return simulation->store ? settle_store(simulation, scenario, err)
                             : settle_ping(simulation, scenario, err);
}

/* What was found before is of a run that had not come to its end. */
static void give_up(struct simulation *simulation, const struct run_options *with,
                    const struct error *err)
{
    const struct world *world = &simulation->world;
    const char *by = world->was_stopped && with->unfinished ? with->unfinished
                     : world->was_stopped                   ? "somebody stopped it"
                     : world->counts.events > world->options.limits.event_count_max
                         ? "limits.events allows no more"
                     : world->now_ns > world->options.limits.time_ns_max
                         ? "limits.simulated allows no more"
                         : "no run holds more at once";

    snprintf(simulation->too_long, sizeof simulation->too_long, "%.160s; %.120s", err->text, by);
    simulation->finding_count = 0;
    simulation->unasked[0] = '\0';
}

/* A store in which nothing committed has shown nothing. */
static enum verdict simulation_judge(const struct simulation *simulation)
{
    if (simulation->too_long[0] != '\0')
        return VERDICT_UNKNOWN;
    if (simulation->finding_count > 0)
        return VERDICT_INVALID;
    if (simulation->store && store_findings(simulation->store)->committed == 0)
        return VERDICT_UNKNOWN;
    return VERDICT_VALID;
}

/* A lent arena comes back when the simulation is closed: its pages need not be had anew. */
static enum status take_arena(struct simulation *simulation, struct arena *lent, struct error *err)
{
    if (!lent)
        return arena_init(&simulation->arena, ARENA_UNLIMITED, err);
    if (lent->size == 0)
        TRY(arena_init(lent, ARENA_UNLIMITED, err));
    simulation->lender = lent;
    simulation->arena = *lent;
    arena_reset_to(&simulation->arena, 0);
    return STATUS_OK;
}

struct simulation_work {
    struct simulation *simulation;
    const struct scenario *scenario;
    const struct run_options *with;
};

static enum status simulation_build_and_run(void *context, struct error *err)
{
    struct simulation_work *work = context;

    TRY(build(work->simulation, work->scenario, work->with, err));
    return simulation_run_world(work->simulation, work->scenario, work->with, err);
}

enum status simulation_run(struct simulation *simulation, const struct scenario *scenario,
                           const struct run_options *options, struct error *err)
{
    static const struct run_options nothing = { 0 };
    const struct run_options *with = options ? options : &nothing;
    struct simulation_work work = { simulation, scenario, with };
    int64_t began_ns = wall_clock_ns();
    enum status status;

    assert(!scenario->source || scenario->drawn_seed == scenario->seed); /* scenario_take_seed() */
    memset(simulation, 0, sizeof *simulation);
    TRY(take_arena(simulation, with->arena, err));
    status = arena_guarded(&simulation->arena, &simulation->guard, simulation_build_and_run, &work,
                           err);
    if (status == STATUS_TOO_LONG) {
        give_up(simulation, with, err);
        *err = (struct error){ 0 };
    } else {
        TRY(status);
    }
    simulation->trace = world_trace_hash(&simulation->world);
    simulation->verdict = simulation_judge(simulation);
    simulation->wall_ns = wall_clock_ns() - began_ns;
    return STATUS_OK;
}

void simulation_close(struct simulation *simulation)
{
    store_close(simulation->store);
    program_close(&simulation->program);
    world_close(&simulation->world);
    simulation->arena.guard = NULL;
    if (simulation->lender)
        *simulation->lender = simulation->arena;
    else
        arena_close(&simulation->arena);
}

enum status simulation_call_log(struct simulation *simulation, struct buffer *out,
                                struct error *err)
{
    return store_call_log(simulation->store, out, err);
}

enum status simulation_history(struct simulation *simulation, struct history *history,
                               struct error *err)
{
    return store_history(simulation->store, history, err);
}

/* What the disks suffer by themselves. */
static bool disks_suffer(const struct disk_faults *faults, enum world_fault kind)
{
    return (kind == FAULT_DISK_TORN && faults->torn.numerator > 0) ||
           (kind == FAULT_DISK_LYING_SYNC && faults->lying_sync.numerator > 0) ||
           (kind == FAULT_DISK_BIT_ROT && faults->bit_rot.numerator > 0) ||
           (kind == FAULT_DISK_MISDIRECTED && faults->misdirected.numerator > 0) ||
           (kind == FAULT_DISK_READ_ERROR && faults->read_error.numerator > 0) ||
           (kind == FAULT_DISK_WRITE_ERROR && faults->write_error.numerator > 0) ||
           (kind == FAULT_DISK_FULL && faults->full) ||
           (kind == FAULT_DISK_SLOW && faults->slow_factor > 1);
}

bool simulation_always_has_fault(const struct scenario *scenario, enum world_fault kind)
{
    const struct link_options *link = &scenario->network.link;

    return (kind == FAULT_LOSS && link->loss.numerator > 0) ||
           (kind == FAULT_DUPLICATE && link->duplicate.numerator > 0) ||
           (kind == FAULT_REORDER && link->reorder.numerator > 0) ||
           (kind == FAULT_EVICT && link->in_flight_max > 0) ||
           (has_store(scenario) && disks_suffer(&scenario->disk.faults, kind));
}

bool simulation_expects_fault(const struct scenario *scenario, enum world_fault kind)
{
    struct nemesis_options list[NEMESIS_COUNT_MAX];
    uint32_t count = simulation_nemeses(scenario, list);

    for (uint32_t i = 0; i < count; i++)
        if (nemesis_shape_fault(list[i].shape) == kind)
            return true;
    return simulation_always_has_fault(scenario, kind);
}
