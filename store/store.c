#include "store/store.h"

#include <assert.h>
#include <inttypes.h>

#include "base/array.h"
#include "programs/machine/final_state.h"
#include "programs/machine/program.h"
#include "store/clients/driver_builtin.h"
#include "store/clients/driver_program.h"
#include "store/clients/driver_program_final.h"
#include "store/clients/driver_schedule.h"
#include "store/cluster_private.h"

_Static_assert(STORE_SHARDS_MAX == CATALOG_SHARDS_MAX, "the door says what is behind it");
_Static_assert(STORE_REPLICAS_MAX == RAFT_PEERS_MAX, "the door says what is behind it");
_Static_assert(STORE_ATTEMPTS_MAX <= PROGRAM_ATTEMPTS_MAX, "the door says what is behind it");
_Static_assert(STORE_ATTEMPTS_MAX <= BUILTIN_ATTEMPTS_MAX, "the door says what is behind it");

struct store {
    struct cluster cluster;
    struct builtin builtin;
    struct driver_builtin *by_builtin;
    struct driver_program *by_program;
    struct driver_schedule *by_schedule; /* on top of a program */
    uint32_t table_count; /* the workload's */
    uint64_t load_line;
    struct text load;
    struct call_notes notes; /* of a program's calls, where they are noted */
};

const struct protocol *store_protocol(struct text name)
{
    return protocol_find(name);
}

const char *const *store_protocol_names(void)
{
    return protocol_names();
}

struct store_protocol_facts store_protocol_facts(const struct protocol *protocol)
{
    return (struct store_protocol_facts){ protocol->name, protocol->summary, protocol->level,
                                          protocol->on_raft, protocol->exports_snapshot };
}

static enum status add_row(void *context, uint32_t table, const struct datum *cells,
                           struct error *err)
{
    return cluster_add_row(context, table, cells, err);
}

static enum status load(void *context, struct cluster *cluster, struct error *err)
{
    struct store *store = context;

    if (store->by_builtin)
        return driver_builtin_load(store->by_builtin, &cluster->catalog, add_row, cluster, err);
    if (driver_program_load(store->by_program, &cluster->catalog, add_row, cluster, err) ==
        STATUS_OK)
        return STATUS_OK;
    err->line = store->load_line;
    return err->status;
}

/* A store that is being opened, with its workload. */
struct opening {
    struct store *store;
    const struct cluster_options *options;
    const struct store_workload *workload;
    struct cluster_workload made;
    struct world *world;
    struct arena *arena;
};

static enum status open_builtin(struct opening *o, struct error *err)
{
    struct random_key key = random_key_fork(world_key(o->world), "workload");

    TRY(builtin_init(&o->store->builtin, o->workload->builtin,
                     (struct builtin_clients){ o->options->sessions, STORE_ATTEMPTS_MAX }, &key, o->arena, err));
    if (o->workload->listing)
        TRY(builtin_follow(&o->store->builtin, o->workload->listing, o->arena, err));
    TRY(driver_builtin_open(&o->store->by_builtin, &o->store->builtin, o->arena, err));
    driver_builtin_record(o->store->by_builtin, o->options->recorded);
    o->made.name = o->store->builtin.workload->name;
    o->made.unique = builtin_is_unique(&o->store->builtin);
    o->made.schema = driver_builtin_schema(o->store->by_builtin);
    o->made.shapes = driver_builtin_shapes(o->store->by_builtin);
    o->made.driver = driver_builtin_driver(o->store->by_builtin);
    return STATUS_OK;
}

static enum status open_program(struct opening *o, struct error *err)
{
    struct random_key key = random_key_fork(world_key(o->world), "workload");
    struct driver_program_options own = {
        .program = o->workload->program,
        .bugs = &o->store->cluster.options.bugs,
        .calls = o->workload->calls,
        .call_count = o->workload->call_count,
        .is_directed = o->workload->step_count > 0,
        .load = o->workload->load,
        .clients = o->options->sessions,
        .attempts = STORE_ATTEMPTS_MAX,
        .key = &key,
        .listing = o->workload->listing,
        .recorded = o->workload->step_count > 0 ? NULL : o->options->recorded,
        .notes = o->workload->step_count == 0 && o->options->notes_calls ? &o->store->notes : NULL,
    };

    TRY(driver_program_open(&o->store->by_program, &own, o->arena, err));
    o->made.name = o->workload->program_name;
    o->made.schema = driver_program_schema(o->store->by_program);
    o->made.shapes = driver_program_shapes(o->store->by_program);
    o->made.driver = driver_program_driver(o->store->by_program);
    return STATUS_OK;
}

static int64_t now_ns(void *context)
{
    const struct world *world = context;

    return world->now_ns;
}

static enum status open_schedule(struct opening *o, struct error *err)
{
    struct driver_schedule_options own = {
        .steps = o->workload->steps,
        .step_count = o->workload->step_count,
        .sessions = o->options->sessions,
        .now_ns = now_ns,
        .now_context = o->world,
        .notes = o->options->notes_calls ? &o->store->notes : NULL,
    };

    TRY(open_program(o, err));
    TRY(driver_schedule_open(&o->store->by_schedule, &own, o->store->by_program,
                             o->workload->program, o->arena, err));
    o->made.driver = driver_schedule_driver(o->store->by_schedule);
    return STATUS_OK;
}

/* Lists grow by appending, which is no write that one of two can win. */
static enum status check_shapes(const struct cluster_options *options,
                                const struct cluster_workload *made, struct error *err)
{
    for (uint32_t i = 0; !options->protocol->on_raft && i < made->schema->table_count; i++)
        if (made->shapes[i] == TABLE_LISTS)
            return error_set(err, STATUS_BAD_INPUT,
                             "%s has several leaders and offers no lists: "
                             "%s needs another protocol",
                             options->protocol->name, made->name);
    return STATUS_OK;
}

/* Who follows a listing has no plans of its own. */
static struct cluster_options settle_options(const struct cluster_options *options,
                                             const struct store_workload *workload)
{
    struct cluster_options settled = *options;

    if (workload->listing) {
        settled.client.transactions = 0;
        settled.client.think_ns = 0;
        settled.client.attempts_max = 1;
    }
    if (workload->step_count > 0)
        settled.recorded = NULL;
    return settled;
}

enum status store_check_options(const struct cluster_options *options, uint32_t node_count,
                                enum cluster_setting *wrong, struct error *err)
{
    const struct protocol *protocol = options->protocol;

    *wrong = CLUSTER_SHARDS;
    if (options->shards < 1 || options->shards > STORE_SHARDS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "there are 1 to %d shards, not %" PRIu32,
                         STORE_SHARDS_MAX, options->shards);
    *wrong = CLUSTER_REPLICAS;
    if (options->replicas < 1 || options->replicas > STORE_REPLICAS_MAX)
        return error_set(err, STATUS_BAD_INPUT, "a shard has 1 to %d replicas, not %" PRIu32,
                         STORE_REPLICAS_MAX, options->replicas);
    if (options->replicas > node_count)
        return error_set(err, STATUS_BAD_INPUT,
                         "%" PRIu32 " replicas of a shard need as many nodes, not %" PRIu32,
                         options->replicas, node_count);
    *wrong = CLUSTER_BUGS;
    for (int bug = 0; bug < BUG_COUNT; bug++)
        if (options->bugs.on[bug] && !bug_is_of((enum bug)bug, protocol->name, protocol->on_raft))
            return error_set(err, STATUS_BAD_INPUT, "the bug %s is of %s, not of %s",
                             bug_entry((enum bug)bug)->name, bug_entry((enum bug)bug)->protocols,
                             protocol->name);
    return STATUS_OK;
}

enum status store_open(struct store **out, const struct cluster_options *given,
                       const struct store_workload *workload, struct world *world,
                       struct arena *arena, struct error *err)
{
    struct store *store = arena_push(arena, 1, sizeof *store);
    struct cluster_options settled = settle_options(given, workload);
    struct opening opening = { .store = store,
                               .options = &settled,
                               .workload = workload,
                               .made = { .load = load, .load_context = store },
                               .world = world,
                               .arena = arena };

    *out = store;
    if (!store)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for a store");
    store->load_line = workload->load_line;
    store->load = workload->load;
    TRY((workload->builtin      ? open_builtin
         : workload->step_count ? open_schedule
                                : open_program)(&opening, err));
    TRY(check_shapes(&settled, &opening.made, err));
    store->table_count = opening.made.schema->table_count;
    return cluster_open(&store->cluster, &settled, &opening.made, world, arena, err);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    cluster_close(&store->cluster);
    if (store->by_builtin)
        driver_builtin_close(store->by_builtin);
    driver_schedule_close(store->by_schedule);
    if (store->by_program)
        driver_program_close(store->by_program);
    call_notes_close(&store->notes);
}

struct disk *store_disk(struct store *store, uint32_t node)
{
    return cluster_disk(&store->cluster, node);
}

uint32_t store_replica_node(const struct store *store, uint32_t shard, uint32_t index)
{
    return cluster_replica_node(&store->cluster, shard, index);
}

enum status store_status(const struct store *store, struct error *err)
{
    if (store->cluster.failure.status != STATUS_OK) {
        *err = store->cluster.failure;
        return err->status;
    }
    if ((store->by_program && driver_program_is_short(store->by_program)) ||
        (store->by_schedule && driver_schedule_is_short(store->by_schedule)))
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the clients' calls");
    return STATUS_OK;
}

bool store_is_idle(const struct store *store)
{
    return cluster_is_idle(&store->cluster);
}

void store_draw_anew(struct store *store)
{
    cluster_draw_anew(&store->cluster);
}

void store_stop(struct store *store)
{
    cluster_stop(&store->cluster);
}

enum status store_settle(struct store *store, int64_t budget_ns, struct error *err)
{
    return cluster_settle(&store->cluster, budget_ns, err);
}

const struct cluster_findings *store_findings(struct store *store)
{
    return cluster_findings(&store->cluster);
}

bool store_promises_less(const struct store *store)
{
    return store->by_builtin && store->builtin.workload->invariant &&
           !builtin_invariant_holds_at(store->builtin.workload,
                                       store->cluster.options.protocol->level);
}

static enum status check_builtin(struct store *store, bool *holds, struct buffer *sentence,
                                 struct error *err)
{
    enum level level = store->cluster.options.protocol->level;
    struct text sight;

    if (!builtin_invariant_holds_at(store->builtin.workload, level))
        return STATUS_OK;
    TRY(cluster_rows(&store->cluster, 0, driver_builtin_final_row, store->by_builtin, err));
    TRY(driver_builtin_check(store->by_builtin, holds, sentence, err));
    sight = driver_builtin_broken_sight(store->by_builtin);
    if (*holds && sight.length > 0) {
        *holds = false;
        buffer_text(sentence, sight);
    }
    return STATUS_OK;
}

static enum status check_program(struct store *store, bool *holds, struct buffer *sentence,
                                 struct error *err)
{
    for (uint32_t table = 0; table < store->table_count; table++) {
        driver_program_begin_final(store->by_program, table);
        TRY(cluster_rows(&store->cluster, table, driver_program_final_row, store->by_program, err));
    }
    return driver_program_check(store->by_program, holds, sentence, err);
}

enum status store_check_workload(struct store *store, bool *holds, struct buffer *sentence,
                                 struct error *err)
{
    *holds = true;
    if (store->by_builtin)
        return check_builtin(store, holds, sentence, err);
    return check_program(store, holds, sentence, err);
}

struct schedule_result store_schedule_result(const struct store *store, uint32_t step)
{
    return driver_schedule_result(store->by_schedule, step);
}

bool store_check_step(const struct store *store, uint32_t step, struct buffer *sentence)
{
    return driver_schedule_check(store->by_schedule, step, sentence);
}

const char *store_schedule_outcome_name(enum schedule_outcome outcome)
{
    static const char *const names[] = {
#define SCHEDULE_NAME(outcome, name) name,
        SCHEDULE_OUTCOMES(SCHEDULE_NAME)
#undef SCHEDULE_NAME
    };

    return names[outcome];
}

enum status store_check_query(struct store *store, const char *query, struct error *err)
{
    return final_query_check(store->cluster.catalog.schema, store->table_count, query, err);
}

static enum status each_row(void *context, uint32_t table, final_row_taker *take, void *taker,
                            struct error *err)
{
    return cluster_rows(context, table, take, taker, err);
}

enum status store_query(struct store *store, const char *query, struct buffer *value,
                        struct error *err)
{
    const struct final_rows rows = { each_row, &store->cluster };

    return final_query_run(store->cluster.catalog.schema, store->table_count, query, &rows, value,
                           err);
}

enum status store_history(struct store *store, struct history *history, struct error *err)
{
    return cluster_history(&store->cluster, history, err);
}

enum status store_call_log(struct store *store, struct buffer *out, struct error *err)
{
    assert(store->cluster.options.notes_calls && store->by_program);
    if (store->by_schedule)
        driver_schedule_note_open(store->by_schedule);
    else
        driver_program_note_open(store->by_program);
    return call_notes_write(&store->notes, store->cluster.record, store->load, out, err);
}
