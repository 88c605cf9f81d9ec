#include "tests/oracle/small.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "tests/oracle/small_private.h"

#define INITIAL_NUMBER 1 /* of keys that have an initial value */
#define GARBAGE_NUMBER 1000

/* --- Planning ---------------------------------------------------------------- */

static int64_t fresh_number(struct small_run *run)
{
    if (run->options->repeating)
        return (int64_t)random_below(&run->random, 3) + 1;
    return ++run->last_number;
}

static bool has_rows(const struct small_run *run)
{
    return run->options->predicates && run->options->keys > 1;
}

static void plan_keys(struct small_run *run)
{
    for (unsigned k = 0; k < run->options->keys; k++) {
        if (run->options->only_lists || (k % 2 == 0 && run->options->lists))
            run->type[k] = SMALL_LIST;
        else if (k % 2 == 1 && run->options->predicates)
            run->type[k] = SMALL_ROW;
        if (run->type[k] != SMALL_LIST && small_chance(run, 1, 2))
            run->initial[k] = (struct small_value){ .exists = true, .number = INITIAL_NUMBER };
    }
    run->last_number = INITIAL_NUMBER;
}

static void plan_statement(struct small_run *run, struct small_op *op)
{
    static const enum op_kind kinds[] = { OP_SELECT, OP_SELECT, OP_UPDATE, OP_DELETE };
    bool can_delete = run->options->deletes;

    op->kind = kinds[random_below(&run->random, can_delete ? 4 : 3)];
    op->low = (int64_t)random_below(&run->random, (uint64_t)run->last_number + 1);
    op->high = op->low + (int64_t)random_below(&run->random, (uint64_t)run->last_number + 1);
    if (op->kind == OP_SELECT && small_chance(run, 1, 3))
        op->aggregate = (enum small_aggregate)random_below(&run->random, 4);
}

static bool is_touched(const struct small_txn *txn, unsigned op_count, unsigned key)
{
    for (unsigned i = 0; i < op_count; i++)
        if (!op_is_head((uint8_t)txn->ops[i].kind) && txn->ops[i].key == key)
            return true;
    return false;
}

/* Mostly one that the transaction has not touched: two keys tell more than one key twice. */
static unsigned draw_key(struct small_run *run, const struct small_txn *txn, unsigned op_count)
{
    unsigned key = (unsigned)random_below(&run->random, run->options->keys);

    for (unsigned tries = 0; tries < 3 && is_touched(txn, op_count, key); tries++)
        key = (unsigned)random_below(&run->random, run->options->keys);
    return key;
}

static void plan_op(struct small_run *run, struct small_txn *txn, unsigned number,
                    unsigned reads_in_ten)
{
    struct small_op *op = &txn->ops[number];
    enum small_type type;

    if (has_rows(run) && small_chance(run, 2, 5)) {
        plan_statement(run, op);
        return;
    }
    op->key = draw_key(run, txn, number);
    type = run->type[op->key];
    op->kind = OP_READ;
    if (small_chance(run, reads_in_ten, 10))
        return;
    op->kind = type == SMALL_LIST ? OP_APPEND : OP_WRITE;
    if (type == SMALL_ROW && small_chance(run, 1, 2))
        op->kind = OP_INSERT;
    if (run->options->deletes && type != SMALL_LIST && small_chance(run, 1, 4))
        op->kind = OP_REMOVE;
    if (op->kind != OP_REMOVE)
        op->value = (struct small_value){ .exists = true, .number = fresh_number(run) };
}

static void plan_txns(struct small_run *run)
{
    /* Forks and skews need transactions that mostly write and others that mostly read. */
    static const unsigned read_shares[] = { 2, 5, 7, 9 };
    const struct small_options *options = run->options;

    run->txn_count = (options->txns_max + 1) / 2;
    run->txn_count += (unsigned)random_below(&run->random, options->txns_max / 2 + 1);
    run->sees_session = options->exact || small_chance(run, 1, 2);
    for (unsigned t = 0; t < run->txn_count; t++) {
        struct small_txn *txn = &run->txns[t];
        unsigned reads_in_ten = read_shares[random_below(&run->random, ROW_COUNT(read_shares))];

        if (options->aborts && small_chance(run, 1, 8))
            txn->status = TXN_ABORT;
        else if (options->unknowns && small_chance(run, 1, 6))
            txn->status = TXN_UNKNOWN;
        txn->lands = small_chance(run, 1, 2);
        txn->session = options->sessions ? (unsigned)random_below(&run->random, 3) : t;
        txn->op_count = (options->ops_max + 2) / 3;
        txn->op_count += (unsigned)random_below(&run->random, options->ops_max - txn->op_count + 1);
        for (unsigned i = 0; i < txn->op_count; i++)
            plan_op(run, txn, i, reads_in_ten);
        run->file_order[t] = t;
    }
}

static bool returns_something(const struct small_op *op)
{
    return op->kind == OP_READ || op->kind == OP_SELECT || op->kind == OP_UPDATE ||
           op->kind == OP_DELETE;
}

/* Chooses which answers are going to be wrong. */
static void plan_perturbations(struct small_run *run)
{
    bool noise = run->options->mode == SMALL_NOISE;
    uint64_t count = random_below(&run->random, run->options->perturbations_max + 1);
    unsigned answers = 0;

    for (unsigned t = 0; t < run->txn_count; t++)
        for (unsigned i = 0; i < run->txns[t].op_count; i++) {
            run->txns[t].ops[i].perturbed = noise;
            answers += returns_something(&run->txns[t].ops[i]);
        }
    for (uint64_t n = 0; n < count && answers > 0; n++) {
        uint64_t chosen = random_below(&run->random, answers);

        for (unsigned t = 0; t < run->txn_count; t++)
            for (unsigned i = 0; i < run->txns[t].op_count; i++)
                if (returns_something(&run->txns[t].ops[i]) && chosen-- == 0)
                    run->txns[t].ops[i].perturbed = true;
    }
}

/* --- Running ----------------------------------------------------------------- */

static void append(struct small_value *list, int64_t element)
{
    assert(list->count < SMALL_ELEMENTS_MAX);
    list->exists = true;
    list->elements[list->count++] = element;
}

static unsigned gather_list(const struct small_run *run, unsigned key, int64_t *elements)
{
    unsigned count = 0;

    for (unsigned t = 0; t < run->txn_count; t++)
        for (unsigned i = 0; i < run->txns[t].op_count; i++)
            if (run->txns[t].ops[i].kind == OP_APPEND && run->txns[t].ops[i].key == key)
                elements[count++] = run->txns[t].ops[i].value.number;
    return count;
}

/* A list that the appends of the plan, or some of them, could make in their order. */
static struct small_value any_list(struct small_run *run, unsigned key)
{
    int64_t elements[SMALL_ELEMENTS_MAX];
    unsigned count = gather_list(run, key, elements);
    unsigned wanted = (unsigned)random_below(&run->random, count + 1);
    struct small_value list = { .exists = wanted > 0 };

    for (unsigned i = 0; i < wanted; i++)
        if (!small_chance(run, 1, 4))
            append(&list, elements[i]);
    return list;
}

/*
 * Any value that the key ever has: the initial one, or what anybody writes, aborted or not; and
 * now and then one that nobody wrote.
 */
static struct small_value any_value(struct small_run *run, unsigned key)
{
    struct small_value values[SMALL_TXNS_MAX * SMALL_OPS_MAX + 1];
    unsigned count = 0;

    if (run->type[key] == SMALL_LIST)
        return any_list(run, key);
    if (small_chance(run, 1, 4))
        return (struct small_value){ .exists = true, .number = GARBAGE_NUMBER };
    values[count++] = run->initial[key];
    for (unsigned t = 0; t < run->txn_count; t++)
        for (unsigned i = 0; i < run->txns[t].op_count; i++) {
            const struct small_op *op = &run->txns[t].ops[i];

            if ((op->kind == OP_WRITE || op->kind == OP_INSERT || op->kind == OP_REMOVE) &&
                op->key == key)
                values[count++] = op->value;
        }
    return values[random_below(&run->random, count)];
}

static bool matches(const struct small_op *op, struct small_value value)
{
    return value.exists && op->low <= value.number && value.number <= op->high;
}

/* The rows that match; of SMALL_FIRST only the least. */
static void run_query(struct small_run *run, struct small_op *op, const struct small_state *state)
{
    unsigned first = SMALL_KEYS_MAX;

    for (unsigned k = 0; k < run->options->keys; k++) {
        struct small_value value = state->key[k];

        if (op->perturbed && small_chance(run, 1, 2))
            value = any_value(run, k);
        if (run->type[k] != SMALL_ROW || !matches(op, value))
            continue;
        if (op->aggregate == SMALL_FIRST && first != SMALL_KEYS_MAX) {
            if (op->rows.key[first].number <= value.number)
                continue;
            op->rows.key[first].exists = false;
        }
        first = k;
        op->rows.key[k] = value;
    }
}

static void run_statement(struct small_run *run, struct small_txn *txn, struct small_op *op,
                          struct small_state *state)
{
    run_query(run, op, state);
    if (op->kind == OP_SELECT)
        return;
    for (unsigned k = 0; k < run->options->keys; k++) {
        if (!op->rows.key[k].exists)
            continue;
        op->rows.key[k].number = fresh_number(run);
        state->key[k] = op->rows.key[k];
        state->key[k].exists = op->kind == OP_UPDATE;
        txn->writes |= UINT32_C(1) << k;
    }
}

static void run_op(struct small_run *run, struct small_txn *txn, struct small_op *op,
                   struct small_state *state)
{
    switch (op->kind) {
    case OP_READ:
        op->value = op->perturbed ? any_value(run, op->key) : state->key[op->key];
        return;
    case OP_APPEND:
        break;
    case OP_WRITE:
    case OP_INSERT:
    case OP_REMOVE:
        state->key[op->key] = op->value;
        break;
    default:
        run_statement(run, txn, op, state);
        return;
    }
    txn->writes |= UINT32_C(1) << op->key;
}

/* Lays over a state what a transaction's first operations wrote. */
static void overlay(const struct small_run *run, const struct small_txn *txn, unsigned op_count,
                    struct small_state *state)
{
    for (unsigned k = 0; k < run->options->keys; k++)
        if ((txn->writes & (UINT32_C(1) << k)) && run->type[k] != SMALL_LIST)
            state->key[k] = txn->local.key[k];
    for (unsigned i = 0; i < op_count; i++)
        if (txn->ops[i].kind == OP_APPEND)
            append(&state->key[txn->ops[i].key], txn->ops[i].value.number);
}

static bool takes_effect(const struct small_txn *txn)
{
    return txn->status == TXN_OK || (txn->status == TXN_UNKNOWN && txn->lands);
}

static struct small_state state_of(const struct small_run *run, uint32_t visible)
{
    struct small_state state = { 0 };

    memcpy(state.key, run->initial, sizeof run->initial);
    for (unsigned t = 0; t < run->txn_count; t++)
        if ((visible & (UINT32_C(1) << t)) && takes_effect(&run->txns[t]))
            overlay(run, &run->txns[t], run->txns[t].op_count, &state);
    return state;
}

static uint32_t first(unsigned count)
{
    return (UINT32_C(1) << count) - 1;
}

static uint32_t session_past(const struct small_run *run, unsigned txn)
{
    uint32_t past = 0;

    for (unsigned t = 0; t < txn; t++)
        if (run->sees_session && run->txns[t].session == run->txns[txn].session)
            past |= UINT32_C(1) << t;
    return past;
}

/* How many of the first transactions are seen by one that sees only so many. */
static unsigned draw_prefix(struct small_run *run, unsigned txn)
{
    unsigned prefix = (unsigned)random_below(&run->random, txn + 1);

    while (session_past(run, txn) & ~first(prefix))
        prefix++;
    return prefix;
}

static uint32_t draw_some(struct small_run *run, unsigned txn)
{
    uint32_t some = session_past(run, txn);

    for (unsigned t = 0; t < txn; t++)
        if (small_chance(run, 1, 2))
            some |= UINT32_C(1) << t;
    return some;
}

static void draw_visible(struct small_run *run, unsigned t)
{
    struct small_txn *txn = &run->txns[t];

    txn->prefix = t;
    if (run->options->mode == SMALL_SNAPSHOT || run->options->mode == SMALL_PREFIX)
        txn->prefix = draw_prefix(run, t);
    txn->visible = first(txn->prefix);
    if (run->options->mode == SMALL_CAUSAL || run->options->mode == SMALL_ATOMIC)
        txn->visible = draw_some(run, t);
    for (unsigned seen = t; seen-- > 0 && run->options->mode == SMALL_CAUSAL;)
        if (txn->visible & (UINT32_C(1) << seen))
            txn->visible |= run->txns[seen].visible;
}

static void run_ops(struct small_run *run, unsigned t)
{
    struct small_txn *txn = &run->txns[t];

    txn->writes = 0;
    for (unsigned i = 0; i < txn->op_count; i++) {
        struct small_op *op = &txn->ops[i];
        struct small_state state;

        memset(&op->rows, 0, sizeof op->rows);
        op->prefix = draw_prefix(run, t);
        state =
            state_of(run, run->options->mode == SMALL_COMMITTED ? first(op->prefix) : txn->visible);
        overlay(run, txn, i, &state);
        run_op(run, txn, op, &state);
        txn->local = state;
    }
}

/* Whether somebody whom it did not see wrote what it writes. */
static bool is_in_conflict(const struct small_run *run, unsigned txn)
{
    for (unsigned t = run->txns[txn].prefix; t < txn; t++)
        if (takes_effect(&run->txns[t]) && (run->txns[t].writes & run->txns[txn].writes))
            return true;
    return false;
}

static void run_txns(struct small_run *run)
{
    for (unsigned t = 0; t < run->txn_count; t++) {
        struct small_txn *txn = &run->txns[t];

        draw_visible(run, t);
        run_ops(run, t);
        if (run->options->mode == SMALL_SNAPSHOT && is_in_conflict(run, t)) {
            txn->prefix = t;
            txn->visible = first(t);
            run_ops(run, t);
        }
        for (unsigned k = 0; k < run->options->keys; k++)
            if (takes_effect(txn) && (txn->writes & (UINT32_C(1) << k)))
                run->versions[k][run->version_count[k]++] = t;
    }
}

/* --- Times and order in the file --------------------------------------------- */

static unsigned next_of_session(const struct small_run *run, unsigned t)
{
    unsigned next = t + 1;

    while (next < run->txn_count && run->txns[next].session != run->txns[t].session)
        next++;
    return next;
}

/* Each transaction's interval holds the instant t * SMALL_TICK at which it ran; a session's are apart. */
static void draw_times(struct small_run *run)
{
    int64_t earliest[SMALL_TXNS_MAX] = { 0 }; /* by session */

    for (unsigned t = 0; t < run->txn_count; t++) {
        struct small_txn *txn = &run->txns[t];
        int64_t instant = (int64_t)(t + 5) * SMALL_TICK;
        int64_t latest = (int64_t)(next_of_session(run, t) + 5) * SMALL_TICK - 1;

        txn->invoked = instant - (int64_t)random_below(&run->random, 3 * SMALL_TICK);
        if (txn->invoked < earliest[txn->session])
            txn->invoked = earliest[txn->session];
        txn->completed = instant + (int64_t)random_below(&run->random, 3 * SMALL_TICK);
        if (txn->completed > latest)
            txn->completed = latest;
        earliest[txn->session] = txn->completed + 1;
        if (txn->status == TXN_UNKNOWN)
            txn->completed = TIME_NEVER;
    }
}

static void swap(unsigned *a, unsigned *b)
{
    unsigned kept = *a;

    *a = *b;
    *b = kept;
}

static void swap_two(struct small_run *run, unsigned *numbers, unsigned count)
{
    if (count > 0)
        swap(&numbers[random_below(&run->random, count)],
             &numbers[random_below(&run->random, count)]);
}

/* One in four of each is wrong somewhere. */
static void make_wrong(struct small_run *run)
{
    unsigned victim = (unsigned)random_below(&run->random, run->txn_count);
    unsigned key = (unsigned)random_below(&run->random, run->options->keys);
    int64_t shift = random_between(&run->random, -4, 4) * SMALL_TICK;

    if (run->options->sessions && small_chance(run, 1, 4))
        swap_two(run, run->file_order, run->txn_count);
    if (run->options->certificate && small_chance(run, 1, 4))
        swap_two(run, run->versions[key], run->version_count[key]);
    if (run->options->times && small_chance(run, 1, 4)) {
        run->txns[victim].invoked += shift;
        if (run->txns[victim].completed != TIME_NEVER)
            run->txns[victim].completed += shift;
    }
}

/* --- The whole --------------------------------------------------------------- */

void small_history(const struct small_options *options, uint64_t seed, struct history *history)
{
    struct small_run run = { .options = options };
    struct random_key key = random_key_of_seed(seed);

    assert(options->txns_max >= 1 && options->txns_max <= SMALL_TXNS_MAX);
    assert(options->ops_max >= 1 && options->ops_max <= SMALL_OPS_MAX);
    assert(options->keys >= 1 && options->keys <= SMALL_KEYS_MAX);
    random_init(&run.random, &key);
    plan_keys(&run);
    plan_txns(&run);
    plan_perturbations(&run);
    run_txns(&run);
    draw_times(&run);
    if (!options->exact)
        make_wrong(&run);
    small_write(&run, history);
}

struct small_options small_options_of_seed(uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);
    struct random_key fork = random_key_fork(&key, "options");
    struct random random;
    struct small_options options = { 0 };

    random_init(&random, &fork);
    options.mode = (enum small_mode)random_below(&random, SMALL_MODE_COUNT);
    options.txns_max = 4 + (unsigned)random_below(&random, SMALL_TXNS_MAX - 3);
    options.ops_max = 2 + (unsigned)random_below(&random, SMALL_OPS_MAX - 2);
    options.keys = 2 + (unsigned)random_below(&random, SMALL_KEYS_MAX - 1);
    options.perturbations_max = (unsigned)random_below(&random, 5) / 2;
    options.sessions = random_below(&random, 2);
    options.times = random_below(&random, 2);
    options.repeating = random_below(&random, 2);
    options.aborts = random_below(&random, 2);
    options.unknowns = random_below(&random, 2);
    options.deletes = random_below(&random, 2);
    options.certificate = random_below(&random, 2);
    options.lists = random_below(&random, 3) == 0;
    options.predicates = random_below(&random, 3) == 0;
    return options;
}
