/*
 * The replay itself. Of a read of an item all that is done, if it is right, is one
 * comparison: everything else stands apart.
 */
#include "checkers/order/order_replay_private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#define PROGRESS_STEP 16384

/* --- Making ----------------------------------------------------------------------- */

static enum status hold_initial(struct order_replay *r, struct error *err)
{
    const struct history *h = r->history;

    TRY(memory_resize((void **)&r->held, h->key_count, sizeof *r->held, err));
    for (size_t k = 0; k < h->key_count; k++)
        r->held[k] = (struct held){ { .kind = VALUE_NULL }, VERSION_INITIAL };
    for (size_t i = 0; i < h->initial_count; i++) {
        uint32_t key = h->initial_key[i];

        r->held[key].content.kind = h->initial_kind[i];
        r->held[key].content.bits = h->initial_value[i];
        if (r->rows.tables && r->keys.table[key] != HISTORY_NONE)
            rows_set(&r->rows, key, h->initial_kind[i], h->initial_value[i]);
    }
    return STATUS_OK;
}

enum status order_replay_init(struct order_replay *r, const struct history *h, struct check *check,
                              bool takes_open_in, bool slowly, struct error *err)
{
    *r = (struct order_replay){ .history = h, .check = check, .is_slow = slowly };
    contents_init(&r->contents, h);
    TRY(places_init(&r->places, h, takes_open_in, err));
    if (r->places.without_ts != HISTORY_NONE)
        return error_set(err, STATUS_BAD_INPUT,
                         "transaction %" PRId64 " committed and has no \"ts\": its place in the "
                         "order is not known",
                         h->txn_id[r->places.without_ts]);
    suspects_init(&r->suspects, h, &r->places);
    TRY(keys_init(&r->keys, h, err));
    TRY(matcher_init(&r->matcher, h, slowly, err));
    TRY(answers_init(&r->answers, h, r->matcher.predicates, err));
    TRY(rows_init(&r->rows, h, &r->keys, &r->matcher, err));
    TRY(hold_initial(r, err));
    r->wrong_answers = (struct wrong_answers){ .history = h,
                               .check = check,
                               .places = &r->places,
                               .keys = &r->keys,
                               .contents = &r->contents,
                               .suspects = &r->suspects,
                               .by_order = true };
    return wrong_answer_note_open(&r->wrong_answers, err);
}

void order_replay_close(struct order_replay *r)
{
    rows_close(&r->rows);
    answers_close(&r->answers);
    matcher_close(&r->matcher);
    keys_close(&r->keys);
    suspects_close(&r->suspects);
    contents_close(&r->contents);
    places_close(&r->places);
    wrong_answer_close(&r->wrong_answers);
    free(r->held);
}

/* --- Items ------------------------------------------------------------------------ */

/* A write of any kind that is more than storing a value. */
static enum status write_slowly(struct order_replay *r, uint32_t op, struct error *err)
{
    uint32_t key = r->history->op_key[op];
    struct held *held = &r->held[key];

    TRY(contents_write(&r->contents, held->content, op, &held->content, err));
    held->version = op;
    if (r->rows.tables && r->keys.table[key] != HISTORY_NONE)
        rows_set(&r->rows, key, held->content.kind, held->content.bits);
    return STATUS_OK;
}

/* An answer that is not obviously the key's content. */
static enum status read_slowly(struct order_replay *r, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = r->history;
    struct value read = history_value(h, op);

    if (!r->check || read.kind == VALUE_NONE || h->op_flags[op] & OP_ERROR ||
        h->txn_status[txn] == TXN_UNKNOWN ||
        contents_equal(&r->contents, r->held[h->op_key[op]].content, read))
        return STATUS_OK;
    return wrong_answer_tell_read(&r->wrong_answers, txn, op, &r->held[h->op_key[op]], err);
}

/* --- Statements ------------------------------------------------------------------- */

static enum status ask(struct order_replay *r, uint32_t txn, uint32_t head, struct error *err)
{
    const struct held nothing = { { .kind = VALUE_NULL }, VERSION_INITIAL };
    struct answer_fault fault = { .key = HISTORY_NONE };
    enum answer answer;

    if (!r->is_slow && rows_agree(&r->rows, head))
        return STATUS_OK;
    TRY(rows_find(&r->rows, head, err));
    answer = r->rows.is_undecided ? ANSWER_UNDECIDED
                                  : answers_compare(&r->answers, head, r->rows.matching.at,
                                                    r->rows.matching.count, &fault);
    switch (answer) {
    case ANSWER_AGREES:
        return STATUS_OK;
    case ANSWER_DIFFERS:
        return wrong_answer_tell_statement(&r->wrong_answers, txn, head, &fault,
                                           fault.key == HISTORY_NONE ? &nothing : &r->held[fault.key], err);
    case ANSWER_UNDECIDED:
        check_note_unjudged(r->check, r->history->op_key[head]);
    }
    return STATUS_OK;
}

static enum status replay_statement(struct order_replay *r, uint32_t txn, uint32_t head,
                                    struct error *err)
{
    const struct history *h = r->history;
    uint32_t statement = h->op_key[head];

    if (h->op_flags[head] & OP_ERROR)
        return STATUS_OK;
    if (r->check && h->op_kind[head] != OP_INSERT && h->txn_status[txn] == TXN_OK &&
        h->statement_flags[statement] & STATEMENT_ANSWERED)
        TRY(ask(r, txn, head, err));
    if (h->op_kind[head] == OP_SELECT)
        return STATUS_OK;
    for (uint32_t i = 1; i <= h->statement_row_count[statement]; i++)
        TRY(write_slowly(r, head + i, err));
    return STATUS_OK;
}

/* --- Transactions ----------------------------------------------------------------- */

static enum status replay_op(struct order_replay *r, uint32_t txn, uint32_t op, struct error *err)
{
    const struct history *h = r->history;

    switch (h->op_kind[op]) {
    case OP_READ:
        return read_slowly(r, txn, op, err);
    case OP_WRITE:
    case OP_APPEND:
    case OP_REMOVE:
        return h->op_flags[op] & OP_ERROR ? STATUS_OK : write_slowly(r, op, err);
    case OP_SELECT:
    case OP_INSERT:
    case OP_UPDATE:
    case OP_DELETE:
        return replay_statement(r, txn, op, err);
    default:
        return STATUS_OK; /* rows went with their head */
    }
}

/*
 * Passes over operations to which there is nothing: reads of what is there, and writes of items. Stops
 * at the first other one. Which of the two comes next cannot be foretold, so there is no jump
 * between them: a right read stores what is there already.
 */
static inline uint32_t replay_plainly(const struct order_replay *r, uint32_t op, uint32_t end)
{
    const struct history *h = r->history;
    const uint8_t *kinds = h->op_kind, *flags = h->op_flags, *value_kinds = h->op_value_kind;
    const uint32_t *keys = h->op_key;
    const int64_t *values = h->op_value;
    struct held *holds = r->held;
    uint64_t has_tables = r->rows.tables != NULL;

    for (; op < end && kinds[op] <= OP_WRITE; op++) {
        struct held *held = &holds[keys[op]];
        uint64_t write = 0 - (uint64_t)(kinds[op] == OP_WRITE); /* a mask */
        uint64_t differs =
            (uint64_t)(held->content.bits ^ values[op]) | (held->content.kind ^ value_kinds[op]);

        if ((differs & ~write) | ((flags[op] | has_tables) & write))
            break;
        held->content.bits = values[op];
        held->content.kind = value_kinds[op];
        held->version ^= (held->version ^ op) & (uint32_t)write;
    }
    return op;
}

static enum status replay_txn(struct order_replay *r, uint32_t txn, struct error *err)
{
    uint32_t op = r->history->txn_op[txn], end = r->history->txn_op[txn + 1];

    while (op < end) {
        if (!r->is_slow)
            op = replay_plainly(r, op, end);
        if (op < end)
            TRY(replay_op(r, txn, op++, err));
    }
    return STATUS_OK;
}

enum status order_replay_run(struct order_replay *r, const struct check_options *options, struct error *err)
{
    uint32_t count = r->places.sequence_count;

    for (uint32_t i = 0; i < count; i++) {
        assert(r->places.position[r->places.sequence[i]] == i);
        TRY(replay_txn(r, r->places.sequence[i], err));
        if (!r->check)
            continue;
        if (r->check->has_more_findings)
            break;
        if (i % PROGRESS_STEP != 0 && !r->rows.pace.is_over)
            continue;
        progress_report(options->progress, i, count);
        if (check_is_stopped(options)) {
            check_doubt(r->check, "it was stopped after %" PRIu32 " of %" PRIu32 " transactions", i,
                        count);
            break;
        }
    }
    return STATUS_OK;
}
