/*
 * The model's names and values, what its transactions are to do, and its scheduler.
 */
#include "tests/store/protocols/protocol_model.h"

#include <stdio.h>
#include <string.h>

#include "store/row_private.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"
#include "store/clients/record.h"

#define STEPS_MAX 40000
#define ARENA_BYTES ((size_t)64 << 20)
#define SCRATCH_BYTES ((size_t)1 << 20)
#define RETENTION_NS 150

enum { TABLE_OF_ITEMS, TABLE_OF_ROWS = MODEL_TABLE_OF_ROWS };

static const char sql[] =
    "CREATE TABLE item (key text PRIMARY KEY, value bigint);\n"
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint);\n"
    "CREATE FUNCTION q(low bigint, high bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint; BEGIN SELECT id INTO n FROM t WHERE v >= low AND v <= high; RETURN n; END;\n"
    "$$;";

static const enum table_shape shapes[] = { TABLE_ITEMS, TABLE_ROWS };

/* What runs share: names are the same in all of them. */
static struct {
    bool is_open;
    struct machine *machine;
    struct arena catalog_arena, arena, scratch;
    struct catalog catalogs[MODEL_SHARDS_MAX];
    struct heap heap;
    struct buffer text;
} common;

static struct error err;

static void open_common(void)
{
    if (common.is_open)
        return;
    common.is_open = true;
    fixture_load(sql);
    ASSERT_OK(machine_open(&common.machine, &fixture_program, 1000000, (size_t)1 << 20, &err),
              &err);
    ASSERT_OK(arena_init(&common.catalog_arena, ARENA_BYTES, &err), &err);
    ASSERT_OK(arena_init(&common.arena, ARENA_BYTES, &err), &err);
    ASSERT_OK(arena_init(&common.scratch, SCRATCH_BYTES, &err), &err);
    for (uint32_t i = 0; i < MODEL_SHARDS_MAX; i++)
        ASSERT_OK(catalog_init(&common.catalogs[i], &fixture_program.tree.schema, shapes, i + 1,
                               &common.catalog_arena, &err),
                  &err);
    heap_init(&common.heap, (size_t)1 << 20);
}

void model_close(void)
{
    if (!common.is_open)
        return;
    for (unsigned i = 0; i < MODEL_SHARDS_MAX; i++)
        catalog_close(&common.catalogs[i]);
    machine_close(common.machine);
    fixture_unload();
    heap_close(&common.heap);
    buffer_close(&common.text);
    arena_close(&common.catalog_arena);
    arena_close(&common.arena);
    arena_close(&common.scratch);
    common.is_open = false;
}

/* --- Names and values ------------------------------------------------------------------------- */

static const char *const key_texts[] = { "a", "b", "c", "d", "t/0", "t/1", "t/2", "t/3" };

static bool is_row_key(unsigned key)
{
    return key >= MODEL_KEYS_MAX;
}

static void name_keys(struct model *m)
{
    for (unsigned k = 0; k < ROW_COUNT(key_texts); k++)
        m->keys[k] = catalog_key_of_text(m->catalog, is_row_key(k) ? TABLE_OF_ROWS : TABLE_OF_ITEMS,
                                         text_of(key_texts[k]));
}

static void name_scopes(struct model *m)
{
    static const char *const calls[MODEL_SCOPES] = { "q(0, 399)", "q(0, 120)", "q(80, 240)",
                                                     "q(200, 399)", "q(280, 399)" };

    for (unsigned i = 0; i < MODEL_SCOPES; i++) {
        struct fixture_call call = fixture_call(calls[i]);
        const struct request *request;
        const uint32_t *keys;
        uint32_t count;

        machine_start(common.machine, call.function, call.arguments);
        request = machine_run(common.machine);
        TEST_ASSERT_EQUAL_INT(REQUEST_READ, request->kind);
        m->scopes[i] = catalog_scope(m->catalog, &request->filter, &keys, &count);
    }
}

struct text model_row_text(struct model *m, unsigned key, int64_t number)
{
    struct wire_writer writer = { .pool = &m->pool };
    struct datum cells[2];
    char *copy;

    cells[0] = is_row_key(key) ? datum_of_int64((int64_t)key - MODEL_KEYS_MAX)
                               : datum_of_text(text_of(key_texts[key]));
    cells[1] = datum_of_int64(number);
    row_put(&writer, cells, 2);
    copy = arena_push(m->arena, writer.count, 1);
    memcpy(copy, writer.at, writer.count);
    struct text text = { copy, writer.count };
    wire_writer_close(&writer);
    return text;
}

int64_t model_number_of(struct text row)
{
    struct datum cells[2];

    heap_reset(&common.heap);
    TEST_ASSERT_TRUE(row_get(row, cells, 2, &common.heap));
    return cells[1].as.integer;
}

int64_t model_draw_number(struct model *m)
{
    static const int64_t few[] = { 40, 100, 220, 320 };
    int64_t number;

    if (m->options.repeating)
        return few[random_below(&m->random, ROW_COUNT(few))];
    do
        number = random_between(&m->random, 0, NUMBERS - 1);
    while (m->is_number_used[number]);
    m->is_number_used[number] = true;
    return number;
}

/* --- What transactions do --------------------------------------------------------------------- */

static unsigned draw_key(struct model *m, bool of_rows)
{
    return (unsigned)random_below(&m->random, m->options.keys) + (of_rows ? MODEL_KEYS_MAX : 0);
}

static struct model_op draw_op(struct model *m, bool reads_only)
{
    static const enum model_act items[] = { ACT_READ, ACT_READ, ACT_READ, ACT_WRITE, ACT_WRITE,
                                            ACT_REMOVE };
    static const enum model_act rows[] = { ACT_SELECT, ACT_SELECT, ACT_UPDATE, ACT_DELETE,
                                           ACT_INSERT, ACT_INSERT };
    bool of_rows = m->options.predicates && model_chance(m, 2, 3);
    struct model_op op = { .scope = (unsigned)random_below(&m->random, MODEL_SCOPES) };

    op.act = of_rows && model_chance(m, 1, 2) ? rows[random_below(&m->random, ROW_COUNT(rows))]
                                              : items[random_below(&m->random, ROW_COUNT(items))];
    if (reads_only)
        op.act = op.act == ACT_SELECT || op.act >= ACT_UPDATE ? ACT_SELECT : ACT_READ;
    op.key = draw_key(m, of_rows || op.act == ACT_INSERT);
    op.is_of_first_table = true;
    if (m->options.protocol->locks_writes && (op.act == ACT_READ || op.act == ACT_SELECT) &&
        model_chance(m, 1, 4)) {
        op.lock = ROW_LOCK_UPDATE;
        op.is_of_first_table = model_chance(m, 1, 2);
    }
    return op;
}

/* Many read a key and then write it, or the other way round with another: so anomalies come. */
static void plan(struct model *m, struct model_txn *t)
{
    bool reads_only = model_chance(m, 1, 5);

    t->op_count = 1 + (unsigned)random_below(&m->random, m->options.ops_max);
    for (unsigned i = 0; i < t->op_count; i++)
        t->ops[i] = draw_op(m, reads_only);
    if (!reads_only && t->op_count >= 2 && model_chance(m, 1, 2)) {
        t->ops[0].act = m->options.predicates && model_chance(m, 1, 2) ? ACT_SELECT : ACT_READ;
        t->ops[0].is_of_first_table = true;
        t->ops[t->op_count - 1] = (struct model_op){
            .act = ACT_WRITE,
            .key = model_chance(m, 1, 3) ? t->ops[0].key
                                         : draw_key(m, is_row_key(t->ops[0].key)),
        };
    }
}

/* --- Life of a transaction -------------------------------------------------------------------- */

static void begin(struct model *m, struct model_session *home)
{
    struct model_txn *t = &m->txns[m->txn_count++];

    plan(m, t);
    t->home = home;
    home->is_busy = true;
    t->txn.coordinator = &home->coordinator;
    t->txn.id = record_begin(m->record, home->number, m->time_ns);
    t->txn.begin = coordinator_now(&t->txn);
    t->txn.seen = home->seen;
    t->txn.writes.at = arena_push(m->arena, 2 * MODEL_KEYS_MAX, sizeof *t->txn.writes.at);
    if (m->options.protocol->begin)
        m->options.protocol->begin(&t->txn);
}

/* --- The scheduler ---------------------------------------------------------------------------- */

static void raise_horizon(struct model *m, struct model_shard *s)
{
    struct shard_command command = { .kind = COMMAND_HORIZON };

    command.stamp.wall_ns = model_clock(m, s->offset_ns) - RETENTION_NS;
    if (leader_is_ready(s))
        leader_append(s, &command);
}

/* Probes arrive, and leaders look at what has waited for long. */
static void chase(struct model *m)
{
    const struct protocol *protocol = m->options.protocol;
    struct model_shard *s = &m->shards[random_below(&m->random, m->options.shards)];

    if (protocol->tick && leader_is_ready(s) && model_chance(m, 1, 8))
        protocol->tick(&s->replica);
    if (m->probes.count > 0) {
        struct model_probe probe = m->probes.at[0];

        array_remove(&m->probes, 0);
        probe.ask.path = probe.path;
        for (unsigned i = 0; i < m->txn_count; i++)
            if (m->txns[i].txn.id == probe.ask.txn)
                model_take_probe(m, &m->txns[i], &probe);
    }
}

static void fail_something(struct model *m)
{
    struct model_shard *s = &m->shards[random_below(&m->random, m->options.shards)];

    switch (random_below(&m->random, 4)) {
    case 0:
        leader_change(s);
        break;
    case 1:
        leader_reload(s);
        break;
    case 2:
        raise_horizon(m, s);
        break;
    default:
        if (m->txn_count > 0)
            model_lose_coordinator(m, &m->txns[random_below(&m->random, m->txn_count)]);
    }
}

static void step(struct model *m)
{
    struct model_session *session = &m->sessions[random_below(&m->random, m->options.sessions)];

    m->time_ns += random_between(&m->random, 1, 4);
    if (m->options.faults && model_chance(m, 1, 60))
        fail_something(m);
    chase(m);
    if (model_chance(m, 1, 2))
        leader_apply(&m->shards[random_below(&m->random, m->options.shards)]);
    else if (!session->is_busy && m->txn_count < m->options.txns)
        begin(m, session);
    else if (m->txn_count > 0)
        model_step_txn(m, &m->txns[random_below(&m->random, m->txn_count)]);
}

static bool is_over(const struct model *m)
{
    for (unsigned i = 0; i < m->txn_count; i++)
        if (m->txns[i].phase != PHASE_OVER)
            return false;
    return m->txn_count == m->options.txns;
}

/* --- A run ------------------------------------------------------------------------------------ */

static void open_record(struct model *m)
{
    struct record_options options = {
        .catalog = m->catalog,
        .workload = "model",
        .unique = !m->options.repeating,
        .exports_snapshot = m->options.protocol->exports_snapshot,
        .keeps = true,
    };

    ASSERT_OK(record_open(&m->record, &options, &err), &err);
}

static void place_rows(struct model *m)
{
    for (unsigned k = 0; k < ROW_COUNT(key_texts); k++)
        if (k % MODEL_KEYS_MAX < m->options.keys && model_chance(m, 1, 2)) {
            struct text row = model_row_text(m, k, model_draw_number(m));
            uint32_t shard = catalog_shard(m->catalog, m->keys[k]);

            record_initial(m->record, m->keys[k], row);
            shard_place_row(&m->shards[shard].replica.shard, m->keys[k], row);
        }
}

static void open_model(struct model *m, const struct model_options *options, uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);

    open_common();
    arena_reset_to(&common.arena, 0);
    m->options = *options;
    random_init(&m->random, &key);
    m->arena = &common.arena;
    m->scratch = common.scratch;
    pool_memory_init(&m->memory, m->arena, ARENA_BYTES);
    pool_init(&m->pool, &m->memory);
    m->time_ns = 1000;
    m->key_count = ROW_COUNT(key_texts);
    m->catalog = &common.catalogs[options->shards - 1];
    name_keys(m);
    name_scopes(m);
    open_record(m);
    m->shards = arena_push(m->arena, options->shards, sizeof *m->shards);
    m->txns = arena_push(m->arena, options->txns, sizeof *m->txns);
    for (uint32_t i = 0; i < options->shards; i++)
        leader_open(m, &m->shards[i], i);
    for (uint32_t i = 0; i < options->sessions; i++)
        m->sessions[i] = (struct model_session){
            .coordinator = { .catalog = m->catalog,
                             .bugs = &m->options.bugs,
                             .sometimes = &m->sometimes,
                             .pool = &m->pool,
                             .protocol = options->protocol,
                             .max_offset_ns = options->skew ? 120 : 0 },
            .model = m,
            .index = i,
            .number = i,
            .offset_ns = options->skew ? random_between(&m->random, -60, 60) : 0,
        };
    place_rows(m);
}

void model_run(const struct model_options *options, uint64_t seed, struct history *history,
               struct model_counts *counts)
{
    struct model m = { .counts = counts };
    unsigned steps = 0;

    open_model(&m, options, seed);
    while (!is_over(&m)) {
        TEST_ASSERT_TRUE_MESSAGE(steps++ < STEPS_MAX, "the model is stuck");
        step(&m);
    }
    for (unsigned i = 0; i < SOMETIMES_COUNT; i++)
        counts->sometimes.counts[i] += m.sometimes.counts[i];
    ASSERT_OK(record_history_finish(m.record, history, &err), &err);
    record_close(m.record);
    common.scratch.dirty = m.scratch.dirty;
}

struct model_options model_options_of_seed(uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed ^ UINT64_C(0x6d6f64656c));
    struct random random;
    struct model_options options = { 0 };

    random_init(&random, &key);
    options.shards = 1 + (unsigned)random_below(&random, MODEL_SHARDS_MAX);
    options.sessions = 2 + (unsigned)random_below(&random, 3);
    options.txns = 4 + (unsigned)random_below(&random, 4);
    options.ops_max = 2 + (unsigned)random_below(&random, MODEL_OPS_MAX - 1);
    options.keys = 2 + (unsigned)random_below(&random, MODEL_KEYS_MAX - 1);
    options.predicates = random_below(&random, 2);
    options.faults = random_below(&random, 2);
    options.skew = random_below(&random, 2);
    return options;
}
