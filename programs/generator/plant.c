#include "programs/generator/plant.h"

#include <assert.h>
#include <stddef.h>

#include "programs/generator/emit_private.h"
#include "programs/generator/generate.h"
#include "programs/generator/generator_private.h"

#define PHASE_TICKS 64
#define MARGIN_TICKS 8 /* at both ends of a phase */

/* --- The script as this workload tells it -------------------------------------- */

static const struct plant_txn *script_txn(const struct generator *g, unsigned number)
{
    const struct plant_txn *txn = &g->plant.script->txns[number];

    return txn->is_only_for_lists && g->workload->shape != SHAPE_LISTS ? NULL : txn;
}

static unsigned count_txns(const struct generator *g)
{
    unsigned count = 0;

    for (unsigned i = 0; i < g->plant.script->txn_count; i++)
        count += script_txn(g, i) != NULL;
    return count;
}

/* A write of the script: who does it, as which write of its key, and which operation it is. */
struct script_write {
    int txn; /* -1: nobody */
    uint32_t nth;
    bool is_last;
    const struct plant_op *op;
};

static bool is_write(const struct plant_op *op)
{
    return op->kind == PLANT_WRITE || op->kind == PLANT_INSERT;
}

static struct script_write find_write(const struct plant_script *script, enum plant_key key,
                                      uint8_t number)
{
    struct script_write found = { .txn = -1 };

    for (unsigned t = 0; t < script->txn_count && found.txn < 0; t++) {
        uint32_t nth = 0;
        for (const struct plant_op *op = script->txns[t].ops; op->kind != PLANT_END; op++) {
            if (!is_write(op) || op->key != key)
                continue;
            nth++;
            found.is_last = op->numbers[0] == number;
            if (found.is_last)
                found = (struct script_write){ (int)t, nth, true, op };
        }
    }
    return found;
}

/* The committed transaction that wrote the key last before a place, or -1. */
static int writer_before(const struct plant_script *script, enum plant_key key, unsigned place)
{
    int writer = -1;

    for (unsigned t = 0; t < script->txn_count; t++) {
        const struct plant_txn *txn = &script->txns[t];
        if (txn->aborts || txn->place >= place ||
            (writer >= 0 && txn->place < script->txns[writer].place))
            continue;
        for (const struct plant_op *op = txn->ops; op->kind != PLANT_END; op++)
            if (is_write(op) && op->key == key)
                writer = (int)t;
    }
    return writer;
}

/* --- What it writes and reads --------------------------------------------------- */

static int64_t lowest_asked_for(const struct generator *g)
{
    if (g->workload->mix->range == RANGE_OF_VALUES)
        return mix_values(&g->draw);
    return (g->options->transactions + 1) * g->options->operations;
}

/* The value that goes with a number. Of rows, only those inserted are asked for. */
static struct generated_txn make_value(const struct generator *g, enum plant_key key, uint8_t number)
{
    struct script_write write = find_write(g->plant.script, key, number);
    int64_t v = lowest_asked_for(g) + number;

    if (g->workload->shape != SHAPE_ROWS)
        return (struct generated_txn){ .kind = VALUE_INTEGER, .number = g->plant.number + number };
    if (write.txn < 0 || write.op->kind != PLANT_INSERT)
        v += RANGE_VALUES;
    return (struct generated_txn){ .kind = VALUE_ROW, .number = v, .tag = g->plant.number + number };
}

static enum status make_list(const struct generator *g, const struct plant_op *op,
                             struct record *record, struct generated_txn *value, struct error *err)
{
    *value = (struct generated_txn){ .kind = VALUE_LIST,
                             .element_start = (uint32_t)record->elements.count };
    for (unsigned i = 0; i < PLANT_SEEN_MAX && op->numbers[i] > 0; i++) {
        TRY(array_push(&record->elements, g->plant.number + op->numbers[i], err));
        value->element_count++;
    }
    return STATUS_OK;
}

/* The write that a read sees last; 0: none. */
static uint8_t last_seen(const struct plant_op *op)
{
    uint8_t last = 0;

    for (unsigned i = 0; i < PLANT_SEEN_MAX; i++)
        if (op->numbers[i] > 0)
            last = op->numbers[i];
    return last;
}

/* Says where a read comes from, unless the transaction's place says the same. */
static void name_source(const struct generator *g, const struct plant_txn *txn,
                        const struct plant_op *op, struct effect *effect)
{
    const struct plant_script *script = g->plant.script;
    uint8_t number = last_seen(op);
    struct script_write write = find_write(script, op->key, number);
    bool is_told = !(script->reverses_y && op->key == Y) && (write.txn < 0 || write.is_last) &&
                   write.txn == writer_before(script, op->key, txn->place);

    if (is_told || (number > 0 && write.txn < 0))
        return;
    effect->has_source = true;
    effect->source.is_initial = write.txn < 0;
    if (write.txn >= 0) {
        effect->source.txn_id = g->plant.ids[write.txn];
        effect->source.nth = write.is_last ? 0 : write.nth;
    }
}

static enum status fill_read(struct generator *g, const struct plant_txn *txn,
                             const struct plant_op *op, struct record *record,
                             struct effect *effect, struct error *err)
{
    effect->kind = OP_READ;
    effect->value = (struct generated_txn){ .kind = VALUE_NULL };
    name_source(g, txn, op, effect);
    if (g->workload->shape == SHAPE_LISTS)
        return make_list(g, op, record, &effect->value, err);
    if (last_seen(op))
        effect->value = make_value(g, op->key, last_seen(op));
    return STATUS_OK;
}

static void fill_write(const struct generator *g, const struct plant_op *op, struct effect *effect)
{
    effect->kind = g->workload->shape == SHAPE_LISTS ? OP_APPEND : OP_WRITE;
    effect->value = make_value(g, op->key, op->numbers[0]);
}

static enum status fill_insert(struct generator *g, const struct plant_op *op,
                               struct record *record, struct effect *effect, struct error *err)
{
    struct effect_row row = { .key = effect->key,
                              .value = make_value(g, op->key, op->numbers[0]) };

    effect->kind = OP_INSERT;
    effect->row_count = 1;
    return array_push(&record->rows, row, err);
}

static enum status fill_op(struct generator *g, const struct plant_txn *txn,
                           const struct plant_op *op, struct record *record, struct error *err)
{
    struct effect *effect = &record->effects[record->effect_count++];

    *effect = (struct effect){ .key = g->plant.first_key + op->key,
                               .snapshot = PLACE_NONE,
                               .row_start = (uint32_t)record->rows.count };
    switch (op->kind) {
    case PLANT_READ:
        return fill_read(g, txn, op, record, effect, err);
    case PLANT_WRITE:
        fill_write(g, op, effect);
        return STATUS_OK;
    case PLANT_INSERT:
        return fill_insert(g, op, record, effect, err);
    case PLANT_SELECT_EARLY:
        effect->snapshot = g->plant.start;
        break;
    case PLANT_SELECT:
    case PLANT_END:
        break;
    }
    effect->kind = OP_SELECT;
    effect->column = VALUE_COLUMN;
    effect->low = lowest_asked_for(g);
    effect->high = effect->low + RANGE_VALUES - 1;
    return STATUS_OK;
}

static enum status fill_record(struct generator *g, unsigned number, struct error *err)
{
    const struct plant_txn *txn = script_txn(g, number);
    struct record *record = generator_record(g, g->plant.ids[number]);
    int64_t ends = g->plant.start + (txn->to_phase + 1) * PHASE_TICKS * g->tick;

    record->committed = ends - MARGIN_TICKS * g->tick -
                        random_between(&g->latencies, 0, (MARGIN_TICKS - 1) * g->tick);
    record->completed =
        record->committed + random_between(&g->latencies, 1, REPLY_TICKS_MAX * g->tick);
    record->place = g->plant.start + txn->place * g->tick;
    record->status = txn->aborts ? TXN_ABORT : TXN_OK;
    for (const struct plant_op *op = txn->ops; op->kind != PLANT_END; op++)
        TRY(fill_op(g, txn, op, record, err));
    record->is_done = true;
    return STATUS_OK;
}

/* --- Version orders ------------------------------------------------------------- */

/* The transaction at a place, if it is committed and writes the key; else -1. */
static int writer_at(const struct plant_script *script, enum plant_key key, unsigned place)
{
    int writer = writer_before(script, key, place + 1);

    return writer >= 0 && script->txns[writer].place == place ? writer : -1;
}

static enum status note_versions(struct generator *g, enum plant_key key, struct error *err)
{
    const struct plant_script *script = g->plant.script;

    for (unsigned i = 1; i <= script->txn_count; i++) {
        bool is_reversed = script->reverses_y && key == Y;
        int writer = writer_at(script, key, is_reversed ? script->txn_count + 1 - i : i);

        if (writer >= 0)
            TRY(emit_version(g, g->plant.first_key + key, g->plant.ids[writer], err));
    }
    return STATUS_OK;
}

/* --- When it happens ------------------------------------------------------------ */

static enum status refuse_kind(const struct generator *g, struct error *err)
{
    const char *kind = anomaly_name(g->options->plant);
    struct buffer takers = { 0 };
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);
    enum status status;

    for (unsigned i = 0; i < count; i++)
        if (plant_possible(workloads[i], g->options->plant))
            buffer_print(&takers, "%s%s", takers.count ? ", " : "", workloads[i]->name);
    if (takers.count == 0)
        status = error_set(err, STATUS_BAD_INPUT, "%s is of a run: no history shows it", kind);
    else
        status = error_set(err, STATUS_BAD_INPUT, "%s cannot be planted in %s, only in: %.*s", kind,
                           g->workload->name, (int)takers.count, takers.at);
    buffer_close(&takers);
    return status;
}

static enum status check_kind(const struct generator *g, struct error *err)
{
    enum level weakest;

    if (!plant_possible(g->workload, g->options->plant))
        return refuse_kind(g, err);
    if (anomaly_weakest_level(g->options->plant, &weakest) &&
        !level_rules_forbid(g->options->level, g->options->plant))
        return error_set(err, STATUS_BAD_INPUT,
                         "%s is not ruled out at %s, where it may come by itself: "
                         "ask for %s or stronger",
                         anomaly_name(g->options->plant), level_name(g->options->level),
                         level_name(weakest));
    return STATUS_OK;
}

/* Real sessions if there are enough, else new ones. */
static void choose_sessions(struct plant *plant, struct random *random, uint32_t session_count)
{
    unsigned wanted = plant->script->session_count, chosen = 0;

    while (chosen < wanted) {
        uint32_t session = session_count + chosen;
        bool is_new = true;

        if (session_count >= wanted)
            session = (uint32_t)random_below(random, session_count);
        for (unsigned i = 0; i < chosen; i++)
            is_new &= plant->sessions[i] != session;
        if (is_new)
            plant->sessions[chosen++] = session;
    }
}

/*
 * The plant's keys are taken out of the workload's; where too few would be left,
 * they are added. Lists come and go: the plant takes the next.
 */
static void reserve_keys(struct generator *g, struct random *random)
{
    struct plant *plant = &g->plant;

    plant->key_count = plant->script->key_count;
    plant->first_key = g->draw.keys;
    if (g->workload->shape == SHAPE_LISTS || g->draw.keys < 2 * plant->key_count)
        return;
    g->draw.keys -= plant->key_count;
    plant->first_key = (uint32_t)random_below(random, g->draw.keys + 1);
    g->draw.gap = plant->first_key;
}

enum status plant_init(struct generator *g, const struct random_key *parent, struct error *err)
{
    struct plant *plant = &g->plant;
    struct random_key key = random_key_fork(parent, "plant");
    struct random random;
    unsigned count;

    plant->first_key = UINT32_MAX;
    if (g->options->plant == GENERATE_NO_PLANT)
        return STATUS_OK;
    TRY(check_kind(g, err));
    plant->script = plant_script_of(g->options->plant);
    count = count_txns(g);
    if (g->options->transactions < count)
        return error_set(err, STATUS_BAD_INPUT, "%s takes %u transactions",
                         anomaly_name(g->options->plant), count);
    g->left_to_begin -= count;
    random_init(&random, &key);
    plant->after_commits = g->left_to_begin / 4 + random_below(&random, g->left_to_begin / 2 + 1);
    choose_sessions(plant, &random, g->session_count);
    reserve_keys(g, &random);
    return STATUS_OK;
}

static bool is_real(const struct generator *g, unsigned session)
{
    return g->plant.sessions[session] < g->session_count;
}

/* All its sessions are idle: from the start to the end of the plant nobody else commits. */
static void launch(struct generator *g)
{
    struct plant *plant = &g->plant;
    unsigned phases = 1;

    plant->start = g->last_commit;
    for (unsigned s = 0; s < plant->script->session_count; s++)
        if (is_real(g, s) && g->actors[plant->sessions[s]].free_at > plant->start)
            plant->start = g->actors[plant->sessions[s]].free_at;
    plant->start = generator_round_up(g, plant->start) + g->tick;
    for (unsigned i = 0; i < plant->script->txn_count; i++) {
        const struct plant_txn *txn = script_txn(g, i);
        int64_t delay = random_between(&g->latencies, 1, MARGIN_TICKS * g->tick);

        if (!txn)
            continue;
        g->actors[g->session_count + i].session = plant->sessions[txn->session];
        generator_push_event(&g->events,
                    (struct generator_event){ plant->start + txn->from_phase * PHASE_TICKS * g->tick + delay,
                                    g->session_count + i });
        if (phases < txn->to_phase + 1u)
            phases = txn->to_phase + 1u;
    }
    plant->end = plant->start + (int64_t)phases * PHASE_TICKS * g->tick;
    g->last_commit = plant->end;
}

static void launch_if_idle(struct generator *g)
{
    unsigned wanted = 0;

    for (unsigned s = 0; s < g->plant.script->session_count; s++)
        wanted += is_real(g, s);
    if (g->plant.idle_count == wanted)
        launch(g);
}

void plant_watch(struct generator *g)
{
    struct plant *plant = &g->plant;

    if (!plant->script || plant->has_begun || g->commits < plant->after_commits)
        return;
    plant->has_begun = true;
    for (unsigned s = 0; s < plant->script->session_count; s++) {
        if (!is_real(g, s))
            continue;
        g->actors[plant->sessions[s]].is_held = true;
        plant->idle_count += g->actors[plant->sessions[s]].stage == STAGE_IDLE;
    }
    launch_if_idle(g);
}

void plant_note_idle(struct generator *g)
{
    g->plant.idle_count++;
    launch_if_idle(g);
}

static void release_sessions(struct generator *g)
{
    for (unsigned s = 0; s < g->plant.script->session_count; s++) {
        struct actor *actor = &g->actors[g->plant.sessions[s]];

        if (!is_real(g, s))
            continue;
        actor->is_held = false;
        actor->free_at = actor->last_place = g->plant.end;
        generator_begin_next(g, g->plant.sessions[s]);
    }
}

enum status plant_invoke(struct generator *g, struct actor *actor, struct error *err)
{
    struct plant *plant = &g->plant;
    unsigned number = (unsigned)(actor - g->actors) - g->session_count;

    plant->ids[number] = actor->id;
    if (++plant->invoked_count < count_txns(g))
        return STATUS_OK;
    if (g->workload->shape == SHAPE_LISTS) {
        plant->first_key = g->next_list;
        g->next_list += plant->key_count;
    }
    plant->number = (int64_t)g->last_id * g->options->operations;
    for (unsigned i = 0; i < plant->script->txn_count; i++)
        if (script_txn(g, i))
            TRY(fill_record(g, i, err));
    for (unsigned key = X; key < plant->key_count; key++)
        TRY(note_versions(g, (enum plant_key)key, err));
    release_sessions(g);
    return STATUS_OK;
}

/* A table, a transaction a line. */
/* clang-format off */

/* Reads list the writes that they see, oldest first; none: what was there initially. */
#define READ_NONE(key) { PLANT_READ, key, { 0 } }
#define READ(key, ...) { PLANT_READ, key, { __VA_ARGS__ } }
#define WRITE(key, number) { PLANT_WRITE, key, { number } }
#define INSERT(key, number) { PLANT_INSERT, key, { number } }
#define SELECT { PLANT_SELECT, X, { 0 } }
#define SELECT_EARLY { PLANT_SELECT_EARLY, X, { 0 } }
#define GARBAGE 9

#define ALL .items = true, .rows = true, .lists = true
#define REGISTERS .items = true, .rows = true
#define READS .needs_reads = true
#define PREDICATES .rows = true, .needs_predicates = true, .needs_reads = true
#define SIZE(txns, sessions, keys)                                                                 \
    .txn_count = txns, .session_count = sessions, .key_count = keys

/*
 * Fields of a transaction in order: session, from and to phase, place. Where a
 * transaction spans both phases, it is so that real time says nothing of it.
 */
static const struct plant_script scripts[ANOMALY_COUNT] = {
    [ANOMALY_G0] = { ALL, SIZE(3, 3, 2), .reverses_y = true, .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1), WRITE(Y, 2) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 3), WRITE(Y, 4) } },
        { 2, 0, 0, 3, .is_only_for_lists = true, .ops = { READ(X, 1, 3), READ(Y, 4, 2) } } } },
    [ANOMALY_G1A] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .aborts = true, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1) } } } },
    [ANOMALY_G1B] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1), WRITE(X, 2) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1) } } } },
    [ANOMALY_G1C] = { ALL, READS, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1), READ(Y, 2) } },
        { 1, 0, 0, 2, .ops = { WRITE(Y, 2), READ(X, 1) } } } },
    [ANOMALY_G_SINGLE] = { ALL, READS, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { READ_NONE(X), WRITE(X, 1), READ_NONE(Y), WRITE(Y, 2) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), READ(Y, 2) } } } },
    [ANOMALY_G_NONADJACENT] = { ALL, READS, SIZE(4, 4, 2), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 3, .ops = { WRITE(Y, 2) } },
        { 2, 0, 0, 2, .ops = { READ(X, 1), READ_NONE(Y) } },
        { 3, 0, 0, 4, .ops = { READ_NONE(X), READ(Y, 2) } } } },
    [ANOMALY_G2_ITEM] = { ALL, READS, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { READ_NONE(X), READ_NONE(Y), WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), READ_NONE(Y), WRITE(Y, 2) } } } },
    [ANOMALY_G2] = { PREDICATES, SIZE(2, 2, 2), .txns = {
        { 0, 0, 0, 1, .ops = { SELECT, INSERT(X, 1) } },
        { 1, 0, 0, 2, .ops = { SELECT_EARLY, INSERT(Y, 2) } } } },

    [ANOMALY_G0_PROCESS] = { ALL, SIZE(3, 2, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 0, 1, 1, 1, .ops = { WRITE(X, 2) } },
        { 1, 1, 1, 3, .is_only_for_lists = true, .ops = { READ(X, 2, 1) } } } },
    [ANOMALY_G1C_PROCESS] = { ALL, READS, SIZE(2, 1, 1), .txns = {
        { 0, 0, 0, 2, .ops = { READ(X, 1) } },
        { 0, 1, 1, 1, .ops = { WRITE(X, 1) } } } },
    [ANOMALY_G_SINGLE_PROCESS] = { ALL, READS, SIZE(2, 1, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 0, 1, 1, 1, .ops = { READ_NONE(X) } } } },
    [ANOMALY_G_NONADJACENT_PROCESS] = { ALL, READS, SIZE(4, 3, 2), .txns = {
        { 0, 0, 0, 4, .ops = { WRITE(Y, 1) } },
        { 0, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 1, 0, 1, 2, .ops = { WRITE(X, 2) } },
        { 2, 0, 1, 3, .ops = { READ(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_ITEM_PROCESS] = { ALL, READS, SIZE(3, 2, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 0, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 1, 0, 1, 2, .ops = { WRITE(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_PROCESS] = { PREDICATES, SIZE(3, 2, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 0, 1, 1, 1, .ops = { SELECT } },
        { 1, 0, 1, 2, .ops = { INSERT(X, 2), READ_NONE(Y) } } } },

    [ANOMALY_G0_REALTIME] = { ALL, SIZE(3, 3, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 1, 1, 1, 1, .ops = { WRITE(X, 2) } },
        { 2, 1, 1, 3, .is_only_for_lists = true, .ops = { READ(X, 2, 1) } } } },
    [ANOMALY_G1C_REALTIME] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 2, .ops = { READ(X, 1) } },
        { 1, 1, 1, 1, .ops = { WRITE(X, 1) } } } },
    [ANOMALY_G_SINGLE_REALTIME] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 2, .ops = { WRITE(X, 1) } },
        { 1, 1, 1, 1, .ops = { READ_NONE(X) } } } },
    [ANOMALY_G_NONADJACENT_REALTIME] = { ALL, READS, SIZE(4, 4, 2), .txns = {
        { 0, 0, 0, 4, .ops = { WRITE(Y, 1) } },
        { 1, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 2, 0, 1, 2, .ops = { WRITE(X, 2) } },
        { 3, 0, 1, 3, .ops = { READ(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_ITEM_REALTIME] = { ALL, READS, SIZE(3, 3, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 1, 1, 1, 1, .ops = { READ_NONE(X) } },
        { 2, 0, 1, 2, .ops = { WRITE(X, 2), READ_NONE(Y) } } } },
    [ANOMALY_G2_REALTIME] = { PREDICATES, SIZE(3, 3, 2), .txns = {
        { 0, 0, 0, 3, .ops = { WRITE(Y, 1) } },
        { 1, 1, 1, 1, .ops = { SELECT } },
        { 2, 0, 1, 2, .ops = { INSERT(X, 2), READ_NONE(Y) } } } },

    [ANOMALY_INTERNAL] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), READ(X, 1) } } } },
    [ANOMALY_GARBAGE_READ] = { ALL, READS, SIZE(1, 1, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ(X, GARBAGE) } } } },
    [ANOMALY_FUTURE_READ] = { ALL, READS, SIZE(1, 1, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ(X, 1), WRITE(X, 1) } } } },
    [ANOMALY_DUPLICATE_WRITE] = { REGISTERS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 1) } } } },
    [ANOMALY_DUPLICATE_ELEMENTS] = { .lists = true, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1, 1) } } } },
    [ANOMALY_LOST_UPDATE] = { ALL, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ_NONE(X), WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ_NONE(X), WRITE(X, 2) } } } },
    [ANOMALY_DIRTY_UPDATE] = { .lists = true, READS, SIZE(3, 3, 1), .txns = {
        { 0, 0, 0, 1, .aborts = true, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 2) } },
        { 2, 0, 0, 3, .ops = { READ(X, 1, 2) } } } },
    [ANOMALY_INCOMPATIBLE_ORDER] = { .lists = true, READS, SIZE(4, 4, 1), .txns = {
        { 0, 0, 0, 1, .ops = { WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { WRITE(X, 2) } },
        { 2, 0, 0, 3, .ops = { READ(X, 1, 2) } },
        { 3, 0, 0, 4, .ops = { READ(X, 2, 1) } } } },
    [ANOMALY_CYCLIC_VERSIONS] = { REGISTERS, READS, SIZE(2, 2, 1), .txns = {
        { 0, 0, 0, 1, .ops = { READ(X, 2), WRITE(X, 1) } },
        { 1, 0, 0, 2, .ops = { READ(X, 1), WRITE(X, 2) } } } },
    [ANOMALY_RESULT_SET_MISMATCH] = { PREDICATES, SIZE(2, 1, 1), .txns = {
        { 0, 0, 0, 1, .ops = { INSERT(X, 1) } },
        { 0, 1, 1, 2, .ops = { SELECT } } } },
};

/* clang-format on */

const struct plant_script *plant_script_of(enum anomaly anomaly)
{
    return scripts[anomaly].txn_count > 0 ? &scripts[anomaly] : NULL;
}

bool plant_possible(const struct workload *workload, enum anomaly anomaly)
{
    const struct plant_script *script = plant_script_of(anomaly);
    bool reads = workload->mix->read_percent > 0;

    if (!script || (script->needs_reads && !reads))
        return false;
    if (script->needs_predicates && workload->mix->range == RANGE_NONE)
        return false;
    switch (workload->shape) {
    case SHAPE_ITEMS:
        return script->items;
    case SHAPE_ROWS:
        return script->rows;
    case SHAPE_LISTS:
        return script->lists;
    }
    return false;
}
