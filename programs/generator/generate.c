#include "programs/generator/generate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/binary_heap.h"
#include "base/sort.h"
#include "programs/generator/emit_private.h"
#include "programs/generator/execute_private.h"
#include "programs/generator/generator_private.h"
#include "programs/generator/plant.h"

#define SEED_MAX ((UINT64_C(1) << 53) - 1)

/* Of a tick, for each operation that must fit into it. */
#define TICK_SHARE 256

#define RING_SIZE_MIN 64

/* --- Events -------------------------------------------------------------------- */

/* Room for this many; then pushing cannot fail. */
static enum status events_init(struct generator_events *events, size_t count_max, struct error *err)
{
    *events = (struct generator_events){ 0 };
    return array_reserve(&events->heap, count_max, err);
}

static void events_close(struct generator_events *events)
{
    array_close(&events->heap);
}

static bool is_before(struct generator_event a, struct generator_event b)
{
    return a.at != b.at ? a.at < b.at : a.actor < b.actor;
}

#define PUT(place, event) (heap[place] = (event))

void generator_push_event(struct generator_events *events, struct generator_event event)
{
    struct generator_event *heap = events->heap.at;
    size_t last = events->heap.count++;

    assert(last < events->heap.room);
    BINARY_HEAP_UP(heap, last, event, is_before, PUT);
}

/* False if there are none. */
static bool events_pop(struct generator_events *events, struct generator_event *first)
{
    struct generator_event *heap = events->heap.at;

    if (events->heap.count == 0)
        return false;
    *first = heap[0];
    events->heap.count--;
    if (events->heap.count > 0) {
        struct generator_event last = heap[events->heap.count];

        BINARY_HEAP_DOWN(heap, events->heap.count, 0, last, is_before, PUT);
    }
    return true;
}

/* --- Options ------------------------------------------------------------------- */

struct generate_options generate_defaults(const struct workload *workload)
{
    return (struct generate_options){
        .workload = workload,
        .transactions = 10000,
        .sessions = 20,
        .keys = workload->mix->keys,
        .operations = workload->mix->operations,
        .predicates_percent =
            workload->mix->range == RANGE_NONE ? GENERATE_NO_PREDICATES : workload->mix->predicates_percent,
        .level = LEVEL_STRICT_SERIALIZABLE,
        .plant = GENERATE_NO_PLANT,
    };
}

/* --- Checking ------------------------------------------------------------------ */

static enum status check_number(int64_t number, int64_t number_max, const char *what,
                                struct error *err)
{
    if (number >= 1 && number <= number_max)
        return STATUS_OK;
    return error_set(err, STATUS_BAD_INPUT, "%" PRId64 " %s: it must be 1 to %" PRId64, number,
                     what, number_max);
}

static enum status check_predicates(const struct generate_options *o, struct error *err)
{
    if (o->predicates_percent == GENERATE_NO_PREDICATES && o->workload->mix->range == RANGE_NONE)
        return STATUS_OK;
    if (o->workload->mix->range == RANGE_NONE)
        return error_set(err, STATUS_BAD_INPUT, "workload %s has no predicates", o->workload->name);
    if (o->predicates_percent < 0 || o->predicates_percent > 100)
        return error_set(err, STATUS_BAD_INPUT,
                         "%" PRId64 " per cent predicates: it must be 0 to 100",
                         o->predicates_percent);
    return STATUS_OK;
}

static enum status check_options(const struct generate_options *o, struct error *err)
{
    assert(o->workload && o->level < LEVEL_COUNT && o->plant <= GENERATE_NO_PLANT);
    TRY(check_number(o->transactions, GENERATE_TRANSACTIONS_MAX, "transactions", err));
    TRY(check_number(o->sessions, GENERATE_SESSIONS_MAX, "sessions", err));
    TRY(check_number(o->keys, GENERATE_KEYS_MAX, "keys", err));
    TRY(check_number(o->operations, GENERATE_OPERATIONS_MAX, "operations", err));
    TRY(check_predicates(o, err));
    if (o->seed > SEED_MAX)
        return error_set(err, STATUS_BAD_INPUT, "seed %" PRIu64 ": it must be at most %" PRIu64,
                         o->seed, SEED_MAX);
    return STATUS_OK;
}

/* --- Making and closing --------------------------------------------------------- */

static void init_random(struct generator *g, const struct random_key *key)
{
    struct random_key program = random_key_fork(key, "program");
    struct random_key times = random_key_fork(key, "times");
    struct random_key latencies = random_key_fork(key, "latencies");
    struct random_key staleness = random_key_fork(key, "staleness");

    random_init(&g->program, &program);
    random_init(&g->times, &times);
    random_init(&g->latencies, &latencies);
    random_init(&g->staleness, &staleness);
    g->parts = random_key_fork(key, "parts");
}

/* The level's, but for lists at read-atomic (level_rules.h). */
static struct level_rules choose_rules(const struct generate_options *options)
{
    bool are_lists = options->workload->shape == SHAPE_LISTS;

    if (options->level == LEVEL_READ_ATOMIC && are_lists)
        return level_rules_of(LEVEL_CAUSAL);
    return level_rules_of(options->level);
}

static void init_time(struct generator *g)
{
    bool looks_back;

    g->rules = choose_rules(g->options);
    looks_back = g->rules.source != SOURCE_PLACE || g->rules.standing != STAND_NOW;
    g->tick = 1;
    while (g->tick < TICK_SHARE * (g->options->operations + 4))
        g->tick *= 2;
    g->window = looks_back ? WINDOW_TICKS * g->tick : 0;
}

static enum status init_memory(struct generator *g, struct error *err)
{
    size_t actor_count = g->session_count + PLANTED_MAX;
    uint32_t element_room = 0;

    if (g->workload->shape == SHAPE_LISTS)
        element_room = LIST_LENGTH_MAX + (uint32_t)g->options->operations;
    TRY(versions_init(&g->versions, g->draw.keys, element_room, err));
    TRY(events_init(&g->events, actor_count, err));
    g->actors = calloc(actor_count, sizeof *g->actors);
    g->ring = calloc(RING_SIZE_MIN, sizeof *g->ring);
    g->steps = calloc((size_t)g->options->operations, sizeof *g->steps);
    if (!g->actors || !g->ring || !g->steps)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " sessions",
                         g->session_count);
    g->ring_size = RING_SIZE_MIN;
    return STATUS_OK;
}

static enum status init(struct generator *g, const struct generate_options *options,
                        struct error *err)
{
    struct random_key key = random_key_of_seed(options->seed);

    *g = (struct generator){ .workload = options->workload, .options = options };
    builder_init(&g->builder);
    key = random_key_fork(&key, "generate/%s", options->workload->name);
    g->session_count = (uint32_t)options->sessions;
    g->replica_count = g->session_count < REPLICAS_MAX ? g->session_count : REPLICAS_MAX;
    g->left_to_begin = (uint64_t)options->transactions;
    g->draw = (struct draw){ .mix = options->workload->mix,
                             .keys = (uint32_t)options->keys,
                             .gap = UINT32_MAX,
                             .predicates_percent = (unsigned)options->predicates_percent };
    init_random(g, &key);
    init_time(g);
    TRY(plant_init(g, &key, err));
    TRY(init_memory(g, err));
    g->next_list = g->draw.keys;
    for (uint32_t s = 0; s < g->session_count; s++)
        g->actors[s].session = s;
    return emit_header(g, err);
}

static void close(struct generator *g)
{
    for (uint32_t i = 0; i < g->ring_size; i++) {
        free(g->ring[i].effects);
        array_close(&g->ring[i].rows);
        array_close(&g->ring[i].elements);
    }
    free(g->ring);
    free(g->actors);
    free(g->steps);
    versions_close(&g->versions);
    events_close(&g->events);
    array_close(&g->own);
    array_close(&g->key_numbers);
    array_close(&g->written);
    array_close(&g->writers);
    buffer_close(&g->text);
    builder_close(&g->builder);
}

/* --- Running -------------------------------------------------------------------- */

static enum status widen_ring(struct generator *g, struct error *err)
{
    uint32_t wider_size = g->ring_size * 2;
    struct record *wider = calloc(wider_size, sizeof *wider);

    if (!wider)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for %" PRIu32 " transactions at a time",
                         wider_size);
    for (uint32_t id = g->emitted + 1; id <= g->emitted + g->ring_size; id++)
        wider[id & (wider_size - 1)] = *generator_record(g, id);
    free(g->ring);
    g->ring = wider;
    g->ring_size = wider_size;
    return STATUS_OK;
}

/* Gives the actor the next id, and a record. */
static enum status generator_invoke(struct generator *g, struct actor *actor, int64_t now,
                                    struct error *err)
{
    size_t effects_max = 2 * (size_t)g->options->operations + PLANT_OPS_MAX;
    struct record *record;

    if (g->last_id - g->emitted == g->ring_size)
        TRY(widen_ring(g, err));
    actor->id = ++g->last_id;
    record = generator_record(g, actor->id);
    if (!record->effects)
        TRY(memory_resize((void **)&record->effects, effects_max, sizeof *record->effects, err));
    record->id = actor->id;
    record->session = actor->session;
    record->status = TXN_OK;
    record->is_done = false;
    record->invoked = now;
    record->snapshot = PLACE_NONE;
    record->effect_count = 0;
    record->rows.count = record->elements.count = 0;
    return STATUS_OK;
}

void generator_begin_next(struct generator *g, uint32_t number)
{
    struct actor *actor = &g->actors[number];
    int64_t thinking = random_between(&g->latencies, 1, THINKING_TICKS_MAX * g->tick);

    actor->stage = STAGE_IDLE;
    if (actor->is_held) {
        plant_note_idle(g);
    } else if (g->left_to_begin > 0) {
        g->left_to_begin--;
        actor->stage = STAGE_THINKING;
        generator_push_event(&g->events, (struct generator_event){ actor->free_at + thinking, number });
    }
}

static enum status begin(struct generator *g, struct generator_event event, struct error *err)
{
    struct actor *actor = &g->actors[event.actor];
    int64_t duration =
        random_between(&g->latencies, DURATION_TICKS_MIN * g->tick, DURATION_TICKS_MAX * g->tick);

    TRY(generator_invoke(g, actor, event.at, err));
    actor->stage = STAGE_RUNNING;
    generator_push_event(&g->events, (struct generator_event){ event.at + duration, event.actor });
    return STATUS_OK;
}

static enum status commit(struct generator *g, struct generator_event event, struct error *err)
{
    struct actor *actor = &g->actors[event.actor];
    struct record *record = generator_record(g, actor->id);
    int64_t now = g->last_commit + g->tick;

    if (event.at > now)
        now = generator_round_up(g, event.at);
    g->last_commit = now;
    record->committed = now;
    record->completed = now + random_between(&g->latencies, 1, REPLY_TICKS_MAX * g->tick);
    TRY(execute_transaction(g, actor, now, err));
    g->commits++;
    actor->free_at = record->completed;
    generator_begin_next(g, event.actor);
    plant_watch(g);
    return STATUS_OK;
}

static enum status run_event(struct generator *g, struct generator_event event, struct error *err)
{
    struct actor *actor = &g->actors[event.actor];

    if (event.actor >= g->session_count) {
        TRY(generator_invoke(g, actor, event.at, err));
        TRY(plant_invoke(g, actor, err));
        return emit_done(g, err);
    }
    if (actor->stage == STAGE_THINKING)
        return begin(g, event, err);
    TRY(commit(g, event, err));
    return emit_done(g, err);
}

static enum status run(struct generator *g, struct error *err)
{
    struct generator_event event;

    for (uint32_t s = 0; s < g->session_count; s++) {
        g->actors[s].free_at = random_between(&g->latencies, 0, DURATION_TICKS_MAX * g->tick);
        generator_begin_next(g, s);
    }
    plant_watch(g);
    while (events_pop(&g->events, &event))
        TRY(run_event(g, event, err));
    assert(g->emitted == g->last_id && (int64_t)g->last_id == g->options->transactions);
    progress_report(g->options->progress, g->last_id, g->last_id);
    return emit_version_orders(g, err);
}

static void tell_planted(const struct generator *g, struct planted *planted)
{
    *planted = (struct planted){ .kind = g->options->plant };
    if (!g->plant.script)
        return;
    for (unsigned i = 0; i < g->plant.script->txn_count; i++)
        if (g->plant.ids[i])
            planted->ids[planted->count++] = g->plant.ids[i];
    sort_signed(planted->ids, planted->count);
}

enum status generate(const struct generate_options *options, struct history *history,
                     struct planted *planted, struct error *err)
{
    struct generator *g;
    enum status status;

    TRY(check_options(options, err));
    g = malloc(sizeof *g);
    if (!g)
        return error_set(err, STATUS_OVER_LIMIT, "no memory to generate a history");
    status = init(g, options, err);
    if (status == STATUS_OK)
        status = run(g, err);
    tell_planted(g, planted);
    if (status == STATUS_OK)
        status = builder_finish(&g->builder, history, err);
    close(g);
    free(g);
    return status;
}
