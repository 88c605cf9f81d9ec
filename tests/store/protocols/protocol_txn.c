/*
 * The model's transactions: what each does as it comes to its turn.
 *
 * What a step may do follows from the state of the shards and their logs, never from an
 * answer that was on its way: whatever was lost with a leader is simply done again.
 */
#include "tests/store/protocols/protocol_model.h"

#include <string.h>

static uint64_t bit_of(uint32_t shard)
{
    return UINT64_C(1) << shard;
}

/* --- The end ---------------------------------------------------------------------------------- */

/* The client hears, or gives up; after an unknown outcome it is another session. */
void model_tell(struct model *m, struct model_txn *t, enum txn_status status)
{
    if (t->is_told)
        return;
    t->is_told = true;
    record_end(m->record, t->txn.id, status, m->time_ns);
    t->home->is_busy = false;
    if (status == TXN_UNKNOWN)
        t->home->number += m->options.sessions;
    m->counts->committed += status == TXN_OK;
    m->counts->aborted += status == TXN_ABORT;
    m->counts->unknown += status == TXN_UNKNOWN;
}

/* It is over for its coordinator; shards that keep something for it hear so. */
void model_finish(struct model *m, struct model_txn *t)
{
    bool keeps = m->options.protocol->over != NULL;

    memset(t->asks, 0, sizeof t->asks);
    t->unreleased = keeps ? t->txn.touched & ~t->participants : 0;
    t->phase = t->unreleased ? PHASE_RELEASING : PHASE_OVER;
}

void model_give_up(struct model *m, struct model_txn *t)
{
    model_tell(m, t, TXN_ABORT);
    model_finish(m, t);
}

static void step_release(struct model *m, struct model_txn *t)
{
    uint32_t shard = (uint32_t)__builtin_ctzll(t->unreleased);
    struct replica *replica = &m->shards[shard].replica;

    if (!leader_is_ready(&m->shards[shard]))
        return;
    if (!shard_find_prepared(&replica->shard, t->txn.id) &&
        !leader_has(&m->shards[shard], COMMAND_PREPARE, t->txn.id))
        m->options.protocol->over(replica, t->txn.id);
    t->unreleased &= ~bit_of(shard);
    if (t->unreleased == 0)
        t->phase = PHASE_OVER;
}

void model_decide(struct model_txn *t, const struct decision *decision)
{
    t->decision = *decision;
    t->phase = PHASE_DECIDING;
}

void model_abort(struct model *m, struct model_txn *t)
{
    struct decision decision = { .txn = t->txn.id,
                                 .begin = t->txn.begin,
                                 .participants = t->participants };

    if (t->participants == 0)
        model_give_up(m, t);
    else
        model_decide(t, &decision);
}

/* The coordinator is never heard of again; the anchor, in doubt, aborts by itself. */
void model_lose_coordinator(struct model *m, struct model_txn *t)
{
    if (t->phase >= PHASE_RESOLVING)
        return;
    if (t->participants != 0) {
        model_tell(m, t, TXN_UNKNOWN);
        model_abort(m, t);
    } else if (m->options.protocol->over) {
        model_tell(m, t, TXN_ABORT);
        t->is_lost = true; /* what it has locked stays so until somebody misses it */
        t->phase = PHASE_OVER;
    }
}

/* --- Asking ----------------------------------------------------------------------------------- */

void model_open_ask(struct model_txn *t, uint32_t shard, const struct ask *ask)
{
    struct model_ask *a = &t->asks[shard];

    *a = (struct model_ask){ .is_open = true, .waiting.ask = *ask };
    a->waiting.ask.txn = t->txn.id;
    a->waiting.ask.begin = t->txn.begin;
    a->waiting.ask.number = ++t->last_number;
    a->waiting.ask.from = t->home->index;
    t->txn.touched |= bit_of(shard);
}

bool model_has_open_asks(const struct model *m, const struct model_txn *t)
{
    for (uint32_t i = 0; i < m->options.shards; i++)
        if (t->asks[i].is_open)
            return true;
    return false;
}

/* One of the shards that have not answered, if its leader may answer now. */
struct model_ask *model_draw_ask(struct model *m, struct model_txn *t, struct model_shard **shard)
{
    uint32_t number = (uint32_t)random_below(&m->random, m->options.shards);
    struct model_ask *a;

    while (!t->asks[number].is_open)
        number = (number + 1) % m->options.shards;
    *shard = &m->shards[number];
    a = &t->asks[number];
    if (a->term != (*shard)->term) {
        a->term = (*shard)->term;
        a->waiting.barrier = (*shard)->count;
        a->waiting.arrival = ++(*shard)->replica.arrivals;
        a->waiting.is_confirmed = false;
    }
    if (!leader_is_ready(*shard) || (*shard)->applied < a->waiting.barrier)
        return NULL;
    return a;
}

static void note_term(struct model_txn *t, uint32_t shard, uint64_t term)
{
    if (t->txn.terms[shard] == 0)
        t->txn.terms[shard] = term;
    else if (t->txn.terms[shard] != term)
        t->txn.terms_differ = true;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static void ask_read(struct model *m, struct model_txn *t, uint32_t shard)
{
    const struct model_op *op = &t->ops[t->op];
    struct ask ask = {
        .kind = ASK_READ,
        .at = t->txn.snapshot,
        .limit = t->txn.limit,
        .scope = op->act == ACT_READ ? SCOPE_NONE : m->scopes[op->scope],
        .keys = &m->keys[op->key],
        .key_count = op->act == ACT_READ,
        .for_write = op->act == ACT_UPDATE || op->act == ACT_DELETE,
        .lock = op->lock,
        .first_table = op->is_of_first_table,
    };

    model_open_ask(t, shard, &ask);
}

static void ask_to_read(struct model *m, struct model_txn *t)
{
    const struct model_op *op = &t->ops[t->op];

    t->phase = PHASE_READING;
    t->txn.uncertain = (struct stamp){ 0 };
    t->found.count = 0;
    memset(t->read, 0, sizeof t->read);
    if (op->act == ACT_READ) {
        ask_read(m, t, catalog_shard(m->catalog, m->keys[op->key]));
        return;
    }
    for (uint32_t shard = 0; shard < m->options.shards; shard++)
        ask_read(m, t, shard);
}

static void start_read(struct model *m, struct model_txn *t)
{
    if (m->options.protocol->statement)
        m->options.protocol->statement(&t->txn);
    t->times = (struct record_op){ .invoked_ns = m->time_ns, .lock = t->ops[t->op].lock };
    ask_to_read(m, t);
}

static void take_rows(struct model *m, struct model_txn *t, const struct shard_answer *answer)
{
    for (uint32_t i = 0; i < answer->row_count; i++) {
        const struct read_row *row = &answer->rows[i];
        struct seen_key seen = { .key = row->key, .at = row->at, .writer = row->writer };

        pool_push(&m->pool, &t->found, seen);
        for (unsigned k = 0; row->is_row && k < 2 * MODEL_KEYS_MAX; k++)
            if (m->keys[k] == row->key)
                t->read[k] = (struct model_cell){ true, model_number_of(row->row) };
    }
}

/* Of a read that counts. */
static void remember(struct model *m, struct model_txn *t)
{
    const struct model_op *op = &t->ops[t->op];
    enum keeps_reads keeps = m->options.protocol->keeps;
    bool for_write = op->act == ACT_UPDATE || op->act == ACT_DELETE || op->lock != ROW_LOCK_NONE;

    for (uint32_t i = 0; i < t->found.count; i++)
        if (keeps == KEEPS_READS || (keeps == KEEPS_READS_FOR_WRITE && for_write))
            pool_push(&m->pool, &t->txn.keys, t->found.at[i]);
    if (op->act == ACT_READ || keeps != KEEPS_READS)
        return;
    for (uint32_t shard = 0; shard < m->options.shards; shard++) {
        struct seen_scope seen = { m->scopes[op->scope], t->index[shard] };

        pool_push(&m->pool, &t->txn.scopes[shard], seen);
    }
}

static void finish_read(struct model *m, struct model_txn *t);

void model_read_is_done(struct model *m, struct model_txn *t)
{
    const struct protocol *protocol = m->options.protocol;

    switch (protocol->read ? protocol->read(&t->txn) : NEXT_GO_ON) {
    case NEXT_GO_ON:
        remember(m, t);
        finish_read(m, t);
        return;
    case NEXT_READ_AGAIN:
        ask_to_read(m, t);
        return;
    case NEXT_CHECK:
        t->is_committing = false;
        model_start_check(m, t);
        return;
    case NEXT_ABORT:
        model_abort(m, t);
        return;
    }
}

static bool is_below_horizon(const struct ask *ask, const struct model_shard *s)
{
    return !stamp_is_zero(ask->at) && stamp_less(ask->at, s->replica.shard.horizon);
}

static void step_read(struct model *m, struct model_txn *t)
{
    struct shard_answer answer = { 0 };
    struct model_shard *s;
    struct model_ask *a = model_draw_ask(m, t, &s);
    uint32_t shard;

    if (!a)
        return;
    if (is_below_horizon(&a->waiting.ask, s)) {
        model_give_up(m, t);
        return;
    }
    arena_reset_to(&m->scratch, 0);
    stamp_clock_forward(&s->clock, t->txn.begin);
    if (m->options.protocol->serve_read(&s->replica, &a->waiting, &answer) != SERVED)
        return;
    if (answer.refusal != REFUSED_NOT) {
        model_give_up(m, t);
        return;
    }
    shard = s->replica.shard.number;
    a->is_open = false;
    note_term(t, shard, s->term);
    t->index[shard] = answer.index;
    t->txn.uncertain = stamp_max(t->txn.uncertain, answer.uncertain);
    take_rows(m, t, &answer);
    if (m->options.protocol->snapshot_per_statement)
        t->times.snapshot = answer.at;
    if (!model_has_open_asks(m, t))
        model_read_is_done(m, t);
}

/* --- Writing ---------------------------------------------------------------------------------- */

static void put_own(struct model *m, struct model_txn *t, unsigned key, struct model_cell cell)
{
    if (!t->is_own[key])
        t->txn.writes.count++;
    t->is_own[key] = true;
    t->own[key] = cell;
    t->txn.written |= bit_of(catalog_shard(m->catalog, m->keys[key]));
}

static void record_op_of(struct model *m, struct model_txn *t, const struct model_op *op)
{
    static const enum op_kind kinds[ACT_COUNT] = { [ACT_SELECT] = OP_SELECT,
                                                   [ACT_UPDATE] = OP_UPDATE,
                                                   [ACT_DELETE] = OP_DELETE,
                                                   [ACT_INSERT] = OP_INSERT };
    uint32_t scope = op->act == ACT_INSERT ? SCOPE_NONE : m->scopes[op->scope];

    t->times.completed_ns = m->time_ns;
    if (op->act == ACT_REMOVE)
        record_remove(m->record, t->txn.id, &t->times, m->keys[op->key]);
    else if (op->act == ACT_WRITE)
        record_write(m->record, t->txn.id, &t->times, m->keys[op->key], t->rows[0].row);
    else
        record_statement(m->record, t->txn.id, &t->times,
                         &(struct record_statement){ kinds[op->act], MODEL_TABLE_OF_ROWS, scope,
                                                     t->rows, t->row_count });
}

/* What the operation at hand writes is its own from now on. */
static void finish_op(struct model *m, struct model_txn *t)
{
    const struct model_op *op = &t->ops[t->op++];

    for (unsigned i = 0; i < t->row_count && op->act != ACT_SELECT; i++)
        put_own(m, t, t->row_keys[i], t->row_cells[i]);
    record_op_of(m, t, op);
    t->phase = PHASE_OPS;
}

static void ask_lock(struct model *m, struct model_txn *t, uint32_t shard)
{
    struct row_change *changes = arena_push(m->arena, t->row_count, sizeof *changes);
    struct ask ask = { .kind = ASK_LOCK,
                       .scope = SCOPE_NONE,
                       .lock = ROW_LOCK_UPDATE,
                       .prepare = { .txn = t->txn.id, .changes = changes } };

    for (unsigned i = 0; i < t->row_count; i++)
        if (catalog_shard(m->catalog, t->rows[i].key) == shard)
            changes[ask.prepare.change_count++] = t->rows[i];
    if (ask.prepare.change_count > 0)
        model_open_ask(t, shard, &ask);
}

/* Rows are planned: they are locked first, where locks are taken. */
static void start_write(struct model *m, struct model_txn *t)
{
    if (!m->options.protocol->locks_writes || t->row_count == 0 ||
        t->ops[t->op].act == ACT_SELECT) {
        finish_op(m, t);
        return;
    }
    t->phase = PHASE_LOCKING;
    for (uint32_t shard = 0; shard < m->options.shards; shard++)
        ask_lock(m, t, shard);
}

static void step_lock(struct model *m, struct model_txn *t)
{
    struct shard_answer answer = { 0 };
    struct model_shard *s;
    struct model_ask *a = model_draw_ask(m, t, &s);

    if (!a || m->options.protocol->serve_lock(&s->replica, &a->waiting, &answer) != SERVED)
        return;
    if (answer.refusal != REFUSED_NOT) {
        model_give_up(m, t);
        return;
    }
    a->is_open = false;
    note_term(t, s->replica.shard.number, s->term);
    if (!model_has_open_asks(m, t))
        finish_op(m, t);
}

static void plan_row(struct model *m, struct model_txn *t, unsigned key, bool is_removed,
                     struct model_cell cell)
{
    struct row_change *row = &t->rows[t->row_count];

    *row = (struct row_change){ .key = m->keys[key], .is_removed = is_removed };
    if (!is_removed)
        row->row = model_row_text(m, key, cell.number);
    t->row_keys[t->row_count] = key;
    t->row_cells[t->row_count++] = cell;
}

static void do_write(struct model *m, struct model_txn *t, const struct model_op *op)
{
    struct model_cell cell = { .exists = op->act != ACT_REMOVE };

    t->times = (struct record_op){ .invoked_ns = m->time_ns };
    t->row_count = 0;
    if (cell.exists)
        cell.number = model_draw_number(m);
    plan_row(m, t, op->key, !cell.exists, cell);
    start_write(m, t);
}

static struct model_cell seen_of(const struct model_txn *t, unsigned key)
{
    return t->is_own[key] ? t->own[key] : t->read[key];
}

static bool matches(struct model *m, const struct model_op *op, unsigned key,
                    struct model_cell cell)
{
    return cell.exists &&
           catalog_matches(m->catalog, m->scopes[op->scope], model_row_text(m, key, cell.number));
}

static void finish_statement(struct model *m, struct model_txn *t, const struct model_op *op)
{
    t->row_count = 0;
    for (unsigned k = MODEL_KEYS_MAX; k < 2 * MODEL_KEYS_MAX; k++) {
        struct model_cell cell = seen_of(t, k);

        if (!matches(m, op, k, cell))
            continue;
        if (op->act == ACT_UPDATE)
            cell.number = model_draw_number(m);
        cell.exists = op->act != ACT_DELETE;
        plan_row(m, t, k, op->act == ACT_DELETE, cell);
    }
    start_write(m, t);
}

static void finish_read(struct model *m, struct model_txn *t)
{
    const struct model_op *op = &t->ops[t->op];
    struct model_cell cell = seen_of(t, op->key);

    if (op->act != ACT_READ) {
        finish_statement(m, t, op);
        return;
    }
    t->op++;
    t->times.completed_ns = m->time_ns;
    t->phase = PHASE_OPS;
    record_read(m->record, t->txn.id, &t->times, m->keys[op->key], cell.exists,
                cell.exists ? model_row_text(m, op->key, cell.number) : (struct text){ 0 });
}

/* --- Deadlocks -------------------------------------------------------------------------------- */

static bool is_on_path(const struct model_probe *probe, struct stamp begin)
{
    for (uint32_t i = 0; i < probe->count; i++)
        if (stamp_equal(probe->path[i], begin))
            return true;
    return false;
}

/* The wait that the probe began with still lasts. */
static bool still_waits(const struct model *m, const struct model_txn *t, uint32_t number)
{
    for (uint32_t shard = 0; shard < m->options.shards; shard++)
        if (t->asks[shard].is_open && t->asks[shard].waiting.ask.number == number)
            return true;
    return false;
}

static void pass_on(struct model *m, const struct model_txn *t, struct model_probe *probe,
                    bool is_own)
{
    probe->path[probe->count++] = t->txn.begin;
    probe->ask.path = probe->path;
    probe->ask.path_count = probe->count;
    probe->ask.begin = t->txn.begin;
    for (uint32_t shard = 0; shard < m->options.shards; shard++) {
        if (!t->asks[shard].is_open || !leader_is_ready(&m->shards[shard]))
            continue;
        if (is_own)
            probe->ask.number = t->asks[shard].waiting.ask.number;
        m->options.protocol->probe(&m->shards[shard].replica, &probe->ask);
    }
}

/* Some of what is said is lost. */
static void say_if_there(struct model *m, const struct model_txn *t, const struct ask *probe)
{
    struct model_shard *s = &m->shards[probe->from_shard];

    if (t->is_lost || !leader_is_ready(s) || (m->options.faults && model_chance(m, 3, 4)))
        return;
    if (t->phase != PHASE_OVER)
        m->options.protocol->probe(&s->replica, probe);
    else if (!shard_find_prepared(&s->replica.shard, t->txn.id) &&
             !leader_has(s, COMMAND_PREPARE, t->txn.id))
        m->options.protocol->over(&s->replica, t->txn.id);
}

/* As in coordinator.c. */
void model_take_probe(struct model *m, struct model_txn *t, const struct model_probe *probe)
{
    struct model_probe further = *probe;

    if (probe->count == 0) {
        say_if_there(m, t, &probe->ask);
        return;
    }
    if (t->phase != PHASE_READING && t->phase != PHASE_LOCKING)
        return;
    if (stamp_equal(probe->path[0], t->txn.begin)) {
        if (!still_waits(m, t, probe->ask.number))
            return;
        SOMETIMES(&m->sometimes, DEADLOCK_BROKEN);
        model_give_up(m, t);
    } else if (stamp_less(probe->path[0], t->txn.begin)) {
        further.count = 0;
        further.ask.serial = ++t->last_serial;
        pass_on(m, t, &further, true);
    } else if (!is_on_path(probe, t->txn.begin)) {
        pass_on(m, t, &further, false);
    }
}

/* --- Steps ------------------------------------------------------------------------------------ */

static void step_op(struct model *m, struct model_txn *t)
{
    const struct model_op *op = &t->ops[t->op];

    if (t->op == t->op_count)
        model_start_commit(m, t);
    else if (op->act == ACT_WRITE || op->act == ACT_REMOVE || op->act == ACT_INSERT)
        do_write(m, t, op);
    else
        start_read(m, t);
}

void model_step_txn(struct model *m, struct model_txn *t)
{
    static void (*const steps[])(struct model *, struct model_txn *) = {
        [PHASE_OPS] = step_op,
        [PHASE_READING] = step_read,
        [PHASE_LOCKING] = step_lock,
        [PHASE_CHECKING] = model_step_check,
        [PHASE_PREPARING] = model_step_prepare,
        [PHASE_DECIDING] = model_step_decide,
        [PHASE_RESOLVING] = model_step_resolve,
        [PHASE_RELEASING] = step_release,
    };

    if (t->sleep > 0) {
        t->sleep--;
        return;
    }
    if (model_chance(m, 1, 8))
        t->sleep = (unsigned)random_below(&m->random, 12);
    if (t->phase != PHASE_OVER)
        steps[t->phase](m, t);
}
