#include "tests/store/cluster_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/clients/driver_builtin.h"
#include "store/store.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/store/certificate_replay.h"
#include "tests/store/clients/record_inspect.h"
#include "unity.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define ARENA_BYTES ((size_t)4 << 30)

struct run_parts {
    struct arena arena;
    struct world world;
    struct cluster cluster;
    struct nemeses nemeses;
    struct builtin builtin;
    struct driver_builtin *driver;
    struct disk *disks[64];
    uint32_t replicas[CATALOG_SHARDS_MAX * RAFT_PEERS_MAX];
};

const char *trouble_name(enum trouble trouble)
{
    static const char *const names[] = {
#define TROUBLE_NAME(enumerator, name) name,
        TROUBLES(TROUBLE_NAME)
#undef TROUBLE_NAME
    };

    return names[trouble];
}

struct cluster_case cluster_case_of(const char *protocol, const char *workload, uint64_t seed)
{
    struct cluster_case it = {
        .protocol = protocol_find(text_of(protocol)),
        .workload = workload,
        .nodes = 5,
        .shards = 3,
        .replicas = 3,
        .sessions = 6,
        .transactions = 120,
        .duration_ns = 20 * SECOND,
        .settle_ns = 30 * SECOND,
        .offset_ns = 50 * MILLISECOND,
        .max_offset_ns = 250 * MILLISECOND,
        .seed = seed,
    };

    TEST_ASSERT_NOT_NULL_MESSAGE(it.protocol, protocol);
    return it;
}

/* --- Trouble ---------------------------------------------------------------------------------- */

struct trouble_row {
    enum trouble trouble;
    struct nemesis_options options;
};

static const struct trouble_row trouble_rows[] = {
    { TROUBLE_PARTITIONS,
      { .kind = NEMESIS_PARTITION, .shape = SHAPE_PARTITION_RANDOM_HALVES, .every_ns = 3 * SECOND,
        .lasts_ns = SECOND } },
    { TROUBLE_PARTITIONS,
      { .kind = NEMESIS_PARTITION, .shape = SHAPE_PARTITION_MAJORITIES_RING,
        .every_ns = 5 * SECOND, .lasts_ns = SECOND } },
    { TROUBLE_PARTITIONS,
      { .kind = NEMESIS_PARTITION, .shape = SHAPE_PARTITION_ONE_WAY, .every_ns = 4 * SECOND,
        .lasts_ns = SECOND } },
    { TROUBLE_CLOCKS,
      { .kind = NEMESIS_CLOCK, .shape = SHAPE_CLOCK_STEP, .every_ns = 2 * SECOND,
        .lasts_ns = SECOND, .amount_ns = 200 * MILLISECOND } },
    { TROUBLE_CLOCKS,
      { .kind = NEMESIS_CLOCK, .shape = SHAPE_CLOCK_STROBE, .every_ns = 3 * SECOND,
        .lasts_ns = SECOND, .amount_ns = 2 * SECOND } },
    { TROUBLE_CLOCKS,
      { .kind = NEMESIS_CLOCK, .shape = SHAPE_CLOCK_FREEZE, .every_ns = 5 * SECOND,
        .lasts_ns = SECOND } },
    { TROUBLE_CRASHES,
      { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ONE, .every_ns = 2 * SECOND,
        .lasts_ns = 700 * MILLISECOND } },
    { TROUBLE_CRASHES,
      { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ALL, .every_ns = 6 * SECOND,
        .lasts_ns = 500 * MILLISECOND } },
    { TROUBLE_CRASHES,
      { .kind = NEMESIS_PAUSE, .shape = SHAPE_PAUSE_ONE, .every_ns = 3 * SECOND,
        .lasts_ns = SECOND } },
    { TROUBLE_MESSAGES,
      { .kind = NEMESIS_MESSAGE, .shape = SHAPE_MESSAGE_LOSS, .every_ns = 3 * SECOND,
        .lasts_ns = SECOND, .chance = { 2, 10 } } },
    { TROUBLE_MESSAGES,
      { .kind = NEMESIS_MESSAGE, .shape = SHAPE_MESSAGE_DUPLICATE, .every_ns = 2 * SECOND,
        .lasts_ns = SECOND, .chance = { 5, 10 } } },
    { TROUBLE_MESSAGES,
      { .kind = NEMESIS_MESSAGE, .shape = SHAPE_MESSAGE_REORDER, .every_ns = 2 * SECOND,
        .lasts_ns = SECOND, .chance = { 5, 10 }, .delay_ns = 300 * MILLISECOND } },
    { TROUBLE_DISKS,
      { .kind = NEMESIS_DISK, .shape = SHAPE_DISK_STALL, .every_ns = 3 * SECOND,
        .lasts_ns = SECOND } },
    { TROUBLE_DISKS,
      { .kind = NEMESIS_DISK, .shape = SHAPE_DISK_WRITE_ERROR, .every_ns = 3 * SECOND,
        .lasts_ns = SECOND, .chance = { 3, 10 } } },
    { TROUBLE_DISKS,
      { .kind = NEMESIS_DISK, .shape = SHAPE_DISK_TORN, .every_ns = 2 * SECOND,
        .lasts_ns = 4 * SECOND, .chance = { 1, 1 } } },
    /* So that there is something to tear: most of the time nothing is waiting for its sync. */
    { TROUBLE_DISKS,
      { .kind = NEMESIS_DISK, .shape = SHAPE_DISK_SLOW, .every_ns = 2 * SECOND,
        .lasts_ns = 2 * SECOND, .factor = 100 } },
    { TROUBLE_DISKS,
      { .kind = NEMESIS_CRASH, .shape = SHAPE_CRASH_ONE, .every_ns = SECOND,
        .lasts_ns = 500 * MILLISECOND } },
};

static void add_trouble(struct run_parts *parts, const struct cluster_case *it)
{
    struct error err = { 0 };
    struct nemesis_ground ground = {
        .disks = parts->disks,
        .shard_count = it->protocol->on_raft ? it->shards : 0,
        .replica_count = it->replicas,
        .replicas = parts->replicas,
        .damaged_max = (it->replicas - 1) / 2,
    };

    for (uint32_t node = 0; node < it->nodes; node++)
        parts->disks[node] = cluster_disk(&parts->cluster, node);
    for (uint32_t shard = 0; shard < it->shards; shard++)
        for (uint32_t i = 0; i < it->replicas; i++)
            parts->replicas[shard * it->replicas + i] =
                cluster_replica_node(&parts->cluster, shard, i);
    ASSERT_OK(nemesis_init_all(&parts->nemeses, &ground, &parts->world, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(trouble_rows); i++)
        if (trouble_rows[i].trouble == it->trouble || it->trouble == TROUBLE_EVERYTHING)
            ASSERT_OK(nemesis_add(&parts->nemeses, &trouble_rows[i].options, &err), &err);
}

/* --- A run ------------------------------------------------------------------------------------ */

static void open_world(struct run_parts *parts, const struct cluster_case *it)
{
    struct error err = { 0 };
    struct world_options options = {
        .seed = it->seed,
        .node_count = it->nodes,
        .client_count = it->sessions,
        .shard_count = it->shards,
        .clocks = { .offset_ns_max = it->offset_ns, .drift_ppm_max = 100 },
        .network = { .loss = it->loss },
    };

    ASSERT_OK(latency_exponential(&options.network.latency, 200000, MILLISECOND, &err), &err);
    ASSERT_OK(world_init(&parts->world, &options, &parts->arena, &err), &err);
}

static void open_builtin(struct run_parts *parts, const struct cluster_case *it)
{
    struct error err = { 0 };
    struct builtin_options options;
    const struct workload *workload = workload_find(text_of(it->workload));
    struct random_key key = random_key_fork(world_key(&parts->world), "workload");

    TEST_ASSERT_NOT_NULL_MESSAGE(workload, it->workload);
    options = builtin_defaults(workload);
    for (size_t i = 0; i < CASE_PARAMETERS_MAX && it->parameters[i][0]; i++)
        ASSERT_OK(builtin_set(&options, text_of(it->parameters[i][0]),
                              text_of(it->parameters[i][1]), &err),
                  &err);
    ASSERT_OK(builtin_init(&parts->builtin, &options, (struct builtin_clients){ it->sessions, 16 }, &key,
                           &parts->arena, &err),
              &err);
    ASSERT_OK(driver_builtin_open(&parts->driver, &parts->builtin, &parts->arena, &err), &err);
}

static enum status add_row(void *context, uint32_t table, const struct datum *cells,
                           struct error *err)
{
    return cluster_add_row(context, table, cells, err);
}

static enum status load(void *context, struct cluster *cluster, struct error *err)
{
    return driver_builtin_load(context, &cluster->catalog, add_row, cluster, err);
}

/* So that there is time for trouble: small runs have few transactions. */
static int64_t think_of(const struct cluster_case *it)
{
    return it->trouble == TROUBLE_QUIET ? 0 : (it->asks_oracle ? 1500 : 300) * MILLISECOND;
}

static void open_cluster(struct run_parts *parts, const struct cluster_case *it)
{
    struct error err = { 0 };
    struct cluster_options options = {
        .protocol = it->protocol,
        .bugs = it->bugs,
        .shards = it->shards,
        .replicas = it->replicas,
        .sessions = it->sessions,
        .max_offset_ns = it->max_offset_ns,
        .snapshot_entries = 60,
        .retention_ns = 3 * SECOND,
        .client = { .transactions = it->transactions,
                    .think_ns = think_of(it) },
    };
    struct cluster_workload workload = {
        .name = it->workload,
        .unique = builtin_is_unique(&parts->builtin),
        .schema = driver_builtin_schema(parts->driver),
        .shapes = driver_builtin_shapes(parts->driver),
        .driver = driver_builtin_driver(parts->driver),
        .load = load,
        .load_context = parts->driver,
    };

    ASSERT_OK(cluster_open(&parts->cluster, &options, &workload, &parts->world, &parts->arena,
                           &err),
              &err);
}

static void drive(struct run_parts *parts, const struct cluster_case *it)
{
    struct error err = { 0 };
    struct world *world = &parts->world;

    ASSERT_OK(world_start(world, &err), &err);
    while (world->now_ns < it->duration_ns && !cluster_is_idle(&parts->cluster))
        ASSERT_OK(world_run(world, world->now_ns + 100 * MILLISECOND, &err), &err);
    cluster_stop(&parts->cluster);
    nemesis_stop_all(&parts->nemeses, NEMESES_HEAL);
    if (it->after_healing)
        it->after_healing(&parts->cluster);
    ASSERT_OK(cluster_settle(&parts->cluster, it->settle_ns, &err), &err);
}

/* False only where it is violated; what could not be judged is counted. */
static bool ask_oracle(struct cluster_run *run, enum level level, bool certified)
{
    struct oracle_options options = { .use_certificate = certified, .steps_max = 200000 };
    enum oracle_answer answer = oracle_decide(&run->history, level, options);

    run->asked++;
    run->unjudged += answer == ORACLE_CANNOT_JUDGE;
    return answer != ORACLE_VIOLATED;
}

static const char *find_lie(const struct protocol *protocol, const struct history *history)
{
    const char *lie = protocol->on_raft ? certificate_find_lie(history) : NULL;

    if (!lie && protocol->level == LEVEL_STRICT_SERIALIZABLE)
        lie = certificate_find_inversion(history);
    return lie;
}

static void find_complaint(struct run_parts *parts, const struct cluster_case *it,
                           struct cluster_run *run, struct buffer *why)
{
    struct error err = { 0 };
    bool holds = true;
    const char *lie;

    if (run->findings.stuck) {
        buffer_print(why, "stuck: %s", run->findings.stuck_what);
        return;
    }
    if (run->findings.replicas_differ) {
        buffer_print(why, "replicas differ: %s", run->findings.differ_what);
        return;
    }
    if (run->findings.false_words > 0) {
        buffer_text(why, text_of(run->findings.false_what));
        return;
    }
    if (record_contradictions(parts->cluster.record) > 0) {
        buffer_text(why, TEXT("two replicas took down different decisions"));
        return;
    }
    lie = find_lie(it->protocol, &run->history);
    if (lie) {
        buffer_print(why, "the certificate lies: %s", lie);
        return;
    }
    if (it->asks_oracle && !ask_oracle(run, it->protocol->level, true))
        buffer_print(why, "the oracle, by the certificate: not %s", level_name(it->protocol->level));
    else if (it->asks_oracle && !ask_oracle(run, it->protocol->level, false))
        buffer_print(why, "the oracle, by what clients saw: not %s",
                     level_name(it->protocol->level));
    else if (builtin_invariant_holds_at(parts->builtin.workload, it->protocol->level)) {
        ASSERT_OK(cluster_rows(&parts->cluster, 0, driver_builtin_final_row, parts->driver, &err),
                  &err);
        ASSERT_OK(driver_builtin_check(parts->driver, &holds, why, &err), &err);
        if (holds)
            buffer_text(why, driver_builtin_broken_sight(parts->driver));
    }
}

struct cluster_run cluster_run(const struct cluster_case *it)
{
    static struct buffer why;
    struct error err = { 0 };
    struct run_parts *parts = calloc(1, sizeof *parts);
    struct cluster_run run = { 0 };

    TEST_ASSERT_NOT_NULL(parts);
    ASSERT_OK(arena_init(&parts->arena, ARENA_BYTES, &err), &err);
    open_world(parts, it);
    open_builtin(parts, it);
    open_cluster(parts, it);
    add_trouble(parts, it);
    drive(parts, it);
    run.findings = *cluster_findings(&parts->cluster);
    run.trace = world_trace_hash(&parts->world);
    run.events = parts->world.counts.events;
    for (uint32_t i = 0; i < FAULT_KIND_COUNT; i++)
        run.faults += parts->world.faults[i];
    for (uint32_t i = 0; (i = nemesis_next_unfelt(&parts->nemeses, i)) < parts->nemeses.count; i++)
        run.unfelt |= UINT32_C(1) << i;
    ASSERT_OK(cluster_history(&parts->cluster, &run.history, &err), &err);
    buffer_clear(&why);
    find_complaint(parts, it, &run, &why);
    buffer_byte(&why, '\0');
    run.complaint = why.count > 1 ? why.at : NULL;
    cluster_close(&parts->cluster);
    driver_builtin_close(parts->driver);
    world_close(&parts->world);
    arena_close(&parts->arena);
    free(parts);
    return run;
}

void cluster_run_close(struct cluster_run *run)
{
    history_close(&run->history);
}
