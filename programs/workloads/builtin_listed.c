
#include "programs/workloads/builtin_listed_private.h"

#include <assert.h>
#include <inttypes.h>

#include "base/hash.h"
#include "base/map.h"

/* A row is told by its tag, everything else by its value, if that is known before it is read. */
static bool is_told(const struct listed_op *op)
{
    return op->tag != 0 || op->value.terms == 0;
}

static bool writes(const struct listed_op *op)
{
    return op->kind == LISTED_WRITE || op->kind == LISTED_APPEND || op->kind == LISTED_INSERT ||
           op->kind == LISTED_PUT || op->kind == LISTED_UPDATE;
}

/* Whether two writes of a key may have the same value. Who lists them may write what they like. */
static enum status find_repeats(const struct listed *listing, bool *repeats, struct error *err)
{
    struct map seen = { 0 };
    enum status status = STATUS_OK;

    for (size_t i = 0; status == STATUS_OK && i < listing->ops.count && !*repeats; i++) {
        const struct listed_op *op = &listing->ops.at[i];
        uint64_t key = op->kind == LISTED_UPDATE ? UINT64_MAX : op->key;
        int64_t value = op->tag ? op->tag : op->value.constant;
        size_t count = seen.keys.count, place;

        if (!writes(op))
            continue;
        status = map_add(&seen, hash_fold(hash_number(key), hash_number((uint64_t)value)), 0,
                         &place, err);
        *repeats = !is_told(op) || (status == STATUS_OK && seen.keys.count == count);
    }
    map_close(&seen);
    return status;
}

#define OP(kind) (1u << LISTED_##kind)
#define CONDITIONS (OP(EXPECT) | OP(ABORT_IF) | OP(COMMIT_IF) | OP(ABORT))

/* Items know nothing of statements over rows, and only lists are appended to. */
static enum status check_ops(const struct builtin *builtin, const struct listed *listing,
                             struct error *err)
{
    static const unsigned understood[] = {
        [SHAPE_ITEMS] = OP(READ) | OP(WRITE) | CONDITIONS,
        [SHAPE_LISTS] = OP(READ) | OP(APPEND) | CONDITIONS,
        [SHAPE_ROWS] = OP(READ) | OP(WRITE) | OP(INSERT) | OP(PUT) | OP(SELECT) | OP(UPDATE) |
                       OP(DELETE) | CONDITIONS,
    };

    for (size_t i = 0; i < listing->ops.count; i++)
        if (!(understood[builtin->workload->shape] >> listing->ops.at[i].kind & 1))
            return error_set(err, STATUS_BAD_INPUT, "the workload %s has no '%s' in its transactions",
                             builtin->workload->name,
                             listed_kind_name((enum listed_kind)listing->ops.at[i].kind));
    return STATUS_OK;
}

enum status builtin_follow(struct builtin *builtin, const struct listed *listing,
                           struct arena *arena, struct error *err)
{
    struct listed_turns *turns = arena_push(arena, 1, sizeof *turns);

    if (!turns)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for the turns of clients");
    TRY(check_ops(builtin, listing, err));
    builtin->turns = turns;
    TRY(find_repeats(listing, &builtin->repeats, err));
    return listed_turns_init(turns, listing, builtin->clients, arena, err);
}

/* --- How they run ----------------------------------------------------------------------------- */

static int64_t sum_of(const struct builtin_txn *txn, const struct listed_sum *sum)
{
    int64_t value = sum->constant;

    value += sum->terms >> TERM_A & 1 ? txn->seen[0] : 0;
    value += sum->terms >> TERM_B & 1 ? txn->seen[1] : 0;
    value += sum->terms >> TERM_SUM & 1 ? txn->sum : 0;
    return value + (sum->terms >> TERM_ROWS & 1 ? txn->rows : 0);
}

static bool is_true(const struct listed_op *op, int64_t value)
{
    return op->comparison == LISTED_LESS       ? value < op->bound
           : op->comparison == LISTED_AT_LEAST ? value >= op->bound
                                               : value == op->bound;
}

/* Steps over conditions. */
static void settle(struct builtin_txn *txn)
{
    for (; txn->step < txn->step_count && !txn->gives_up; txn->step++) {
        const struct listed_op *op = &txn->listed[txn->step];
        int64_t value = sum_of(txn, &op->value);
        bool holds = is_true(op, value);

        if (op->kind != LISTED_EXPECT && op->kind != LISTED_ABORT_IF &&
            op->kind != LISTED_COMMIT_IF)
            return;
        if (op->kind == LISTED_EXPECT && !holds && !txn->broken_plus_1) {
            txn->broken_plus_1 = txn->step + 1;
            txn->found = value;
        }
        if (op->kind == LISTED_ABORT_IF && holds)
            txn->gives_up = true;
        if (op->kind == LISTED_COMMIT_IF && holds)
            txn->step = txn->step_count - 1;
    }
}

void builtin_listed_begin(struct builtin_txn *txn)
{
    static const struct listed_op nothing;
    const struct listed_turns *turns = txn->builtin->turns;
    const struct listed_txn *turn = listed_turn(turns, txn->client, txn->ordinal);

    assert(turn);
    txn->step_count = turn->count;
    txn->listed = turn->count > 0 ? listed_ops(turns->listing, turn) : &nothing;
    settle(txn);
}

static enum builtin_request_kind kind_of(const struct builtin_txn *txn, const struct listed_op *op)
{
    static const enum builtin_request_kind kinds[LISTED_KIND_COUNT] = {
        [LISTED_READ] = BUILTIN_READ,     [LISTED_WRITE] = BUILTIN_WRITE,
        [LISTED_APPEND] = BUILTIN_APPEND, [LISTED_INSERT] = BUILTIN_INSERT,
        [LISTED_SELECT] = BUILTIN_SELECT, [LISTED_UPDATE] = BUILTIN_UPDATE,
        [LISTED_DELETE] = BUILTIN_DELETE, [LISTED_ABORT] = BUILTIN_ABORT,
    };

    if (op->kind != LISTED_PUT)
        return kinds[op->kind];
    return txn->part == 0 ? BUILTIN_READ : txn->saw_missing ? BUILTIN_INSERT : BUILTIN_WRITE;
}

struct builtin_request builtin_listed_next(const struct builtin_txn *txn)
{
    static const enum builtin_column columns[] = { [LISTED_ALL] = BUILTIN_NO_COLUMN,
                                                   [LISTED_KEYS] = BUILTIN_KEY_COLUMN,
                                                   [LISTED_VALUES] = BUILTIN_VALUE_COLUMN };
    const struct listed_op *op = &txn->listed[txn->step];

    if (txn->step == txn->step_count)
        return (struct builtin_request){ .kind = BUILTIN_COMMIT };
    if (kind_of(txn, op) == BUILTIN_READ)
        return builtin_read(op->key);
    return (struct builtin_request){
        .kind = kind_of(txn, op),
        .column = columns[op->range],
        .key = op->key,
        .value = sum_of(txn, &op->value),
        .tag = op->tag,
        .low = op->low,
        .high = op->high,
    };
}

static void take_rows(struct builtin_txn *txn, const struct listed_op *op,
                      const struct builtin_row *rows, uint64_t count)
{
    if (op->kind == LISTED_PUT) {
        txn->saw_missing = count == 0;
        return;
    }
    if (op->name)
        txn->seen[op->name - 1] = builtin_take(txn, rows, count);
    txn->rows += (int64_t)count;
    for (uint64_t i = 0; i < count; i++)
        txn->sum += rows[i].value;
}

void builtin_listed_answer(struct builtin_txn *txn, const struct builtin_row *rows, uint64_t count)
{
    const struct listed_op *op = &txn->listed[txn->step];
    bool reads_first = op->kind == LISTED_PUT && txn->part == 0;

    if (reads_first || op->kind == LISTED_READ || op->kind == LISTED_SELECT)
        take_rows(txn, op, rows, count);
    if (reads_first)
        builtin_end_part(txn);
    else
        builtin_end_step(txn);
    if (!reads_first)
        settle(txn);
}

bool builtin_listed_saw_broken(const struct builtin_txn *txn, struct buffer *sentence)
{
    if (!txn->broken_plus_1)
        return false;
    buffer_text(sentence, TEXT("a transaction's \""));
    (void)listed_print(&txn->listed[txn->broken_plus_1 - 1], 1, sentence);
    buffer_print(sentence, "\" is not true: it was %" PRId64, txn->found);
    return true;
}

enum status builtin_listed_tally(struct builtin_tally *tally, const struct builtin_txn *txn,
                                 bool acknowledged, struct error *err)
{
    for (uint32_t i = 0; i < txn->step_count; i++) {
        uint64_t key = txn->listed[i].key;

        if (txn->listed[i].kind != LISTED_WRITE && txn->listed[i].kind != LISTED_INSERT)
            continue;
        TRY(builtin_tally_note(tally, key, acknowledged, err));
    }
    return STATUS_OK;
}

/* --- How one is listed ------------------------------------------------------------------------ */

struct listed_op builtin_listed_op(const struct builtin_request *request)
{
    static const enum listed_kind kinds[] = {
        [BUILTIN_READ] = LISTED_READ,     [BUILTIN_WRITE] = LISTED_WRITE,
        [BUILTIN_APPEND] = LISTED_APPEND, [BUILTIN_INSERT] = LISTED_INSERT,
        [BUILTIN_SELECT] = LISTED_SELECT, [BUILTIN_UPDATE] = LISTED_UPDATE,
        [BUILTIN_DELETE] = LISTED_DELETE, [BUILTIN_ABORT] = LISTED_ABORT,
    };
    static const enum listed_range ranges[] = { [BUILTIN_NO_COLUMN] = LISTED_ALL,
                                                [BUILTIN_KEY_COLUMN] = LISTED_KEYS,
                                                [BUILTIN_VALUE_COLUMN] = LISTED_VALUES };

    assert(request->kind != BUILTIN_COMMIT);
    return (struct listed_op){
        .kind = (uint8_t)kinds[request->kind],
        .range = (uint8_t)ranges[request->column],
        .key = request->key,
        .value = { .constant = request->value },
        .tag = request->tag,
        .low = request->low,
        .high = request->high,
    };
}

struct listed_op builtin_listed_read(enum listed_term name, uint64_t key)
{
    return (struct listed_op){ .kind = LISTED_READ, .name = (uint8_t)(name + 1), .key = key };
}

struct listed_op builtin_listed_write(const struct builtin_txn *txn, uint64_t key,
                                      enum listed_term term, int64_t more)
{
    struct builtin_request request = builtin_write(txn, key, more);
    struct listed_op op = builtin_listed_op(&request);

    op.value.terms = (uint8_t)(1 << term);
    return op;
}

struct listed_op builtin_listed_if(enum listed_kind kind, unsigned terms,
                                   enum listed_comparison comparison, int64_t bound)
{
    return (struct listed_op){ .kind = (uint8_t)kind,
                               .comparison = (uint8_t)comparison,
                               .value = { .terms = (uint8_t)terms },
                               .bound = bound };
}

void builtin_list_together(struct listed *listing, const struct listed_op *ops, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct listed_op op = ops[i];

        op.goes_on = i + 1 < count;
        listed_add(listing, op);
    }
}

static void list_steps(const struct builtin_txn *txn, struct listed *listing)
{
    struct builtin_txn at = *txn;

    for (; at.step < at.step_count; at.step++) {
        struct builtin_request request = at.builtin->workload->behaviour->next(&at);

        listed_add(listing, builtin_listed_op(&request));
    }
}

void builtin_list(const struct builtin_txn *txn, struct listed *listing)
{
    const struct builtin_behaviour *behaviour = txn->builtin->workload->behaviour;

    listed_begin(listing, txn->client);
    if (txn->listed) {
        for (uint32_t i = 0; i < txn->step_count; i++)
            listed_add(listing, txn->listed[i]);
        return;
    }
    (behaviour->list ? behaviour->list : list_steps)(txn, listing);
    if (builtin_percent(txn, STEP_OF_ALL, DRAW_ABORT, PARAMETER_ABORT_PERCENT))
        listed_add(listing, (struct listed_op){ .kind = LISTED_ABORT });
}
