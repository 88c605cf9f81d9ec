#include "checkers/order/order.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/graph/places.h"
#include "checkers/proof/witness.h"
#include "checkers/rows/answers.h"
#include "checkers/rows/keys.h"
#include "checkers/rows/matcher.h"
#include "checkers/rows/rows.h"
#include "checkers/values/contents.h"
#include "checkers/values/suspects.h"
#include "checkers/values/wrong_answer.h"
#include "history/anomaly.h"
#include "history/builder.h"
#include "history/level.h"

/* --- The replay ------------------------------------------------------------------ */

/*
 * The replay itself. Of a read of an item all that is done, if it is right, is one
 * comparison: everything else stands apart.
 */

struct order_replay {
    const struct history *history;
    struct check *check; /* NULL: only what is written matters */
    struct wrong_answers wrong_answers;
    struct places places;
    struct keys keys;
    struct matcher matcher;
    struct answers answers;
    struct contents contents;
    struct rows rows;
    struct suspects suspects;
    struct held *held; /* by key */
    bool is_slow;
};

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

static enum status order_replay_init(struct order_replay *r, const struct history *h,
                                     struct check *check, bool takes_open_in, bool slowly,
                                     struct error *err)
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

static void order_replay_close(struct order_replay *r)
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

static enum status order_replay_run(struct order_replay *r, const struct check_options *options, struct error *err)
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

/* --- Sessions and times -------------------------------------------------------- */

/*
 * The order against sessions and real time.
 *
 *     order     T1   T4   T2   T3
 *     session   1    1    1         T2 came before T4 in their session: refused
 *
 * One pass: the latest that went by is all that needs to be remembered. Where the
 * two transactions have a key in common, that is what is told: the one read it
 * without what the other had written.
 */

/* Pairs of operations that are held against each other to find a key that shows an inversion. */
#define PAIRS_MAX (UINT64_C(1) << 28)

struct scan {
    struct order_replay *replay;
    enum cycle_closing closing;
    uint32_t *latest;  /* by session: the transaction furthest down in it; of time, one for all */
    bool only_telling; /* inversions that some key shows */
    uint64_t pairs_left;
};

/* The last write of a key, or VERSION_INITIAL. */
static uint32_t last_write(const struct history *h, uint32_t txn, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];)
        if (history_makes_version(h, op) && h->op_key[op] == key)
            return op;
    return VERSION_INITIAL;
}

static bool has_written(const struct history *h, uint32_t txn, uint32_t before, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn]; op < before; op++)
        if (history_makes_version(h, op) && h->op_key[op] == key)
            return true;
    return false;
}

/* Whether what was read is whole, and older in the order than what that transaction wrote. */
static bool is_older(const struct scan *s, uint32_t op, const struct suspect *suspect,
                     uint32_t writer)
{
    const struct history *h = s->replay->history;
    const uint32_t *position = s->replay->places.position;

    if (suspect->suspicion == SUSPECT_INITIAL)
        return contents_equal(&s->replay->contents, content_of(history_initial(h, h->op_key[op])),
                              history_value(h, op));
    return suspect->suspicion == SUSPECT_COMMITTED && h->op_kind[suspect->version] != OP_APPEND &&
           position[suspect->txn] < position[writer];
}

/* What the one read of a key that the other has written. */
static enum status find_missed(struct scan *s, struct edge *edge, bool *found, struct error *err)
{
    const struct history *h = s->replay->history;
    uint32_t reader = edge->from;

    for (uint32_t op = h->txn_op[reader]; op < h->txn_op[reader + 1]; op++) {
        struct suspect suspect;
        uint32_t version;

        if (h->op_kind[op] != OP_READ || h->op_value_kind[op] == VALUE_NONE ||
            h->op_flags[op] & OP_ERROR || h->txn_status[reader] != TXN_OK)
            continue;
        version = last_write(h, edge->to, h->op_key[op]);
        if (version == VERSION_INITIAL || has_written(h, reader, op, h->op_key[op]))
            continue;
        TRY(suspects_find(&s->replay->suspects, reader, op, &suspect, err));
        if (!is_older(s, op, &suspect, edge->to))
            continue;
        edge->kind = EDGE_RW;
        edge->op = op;
        edge->key = h->op_key[op];
        edge->version = suspect.version;
        edge->other = version;
        *found = true;
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* A key that both write. */
static bool find_overwritten(const struct history *h, struct edge *edge)
{
    for (uint32_t op = h->txn_op[edge->from]; op < h->txn_op[edge->from + 1]; op++) {
        uint32_t later;

        if (!history_makes_version(h, op))
            continue;
        later = last_write(h, edge->to, h->op_key[op]);
        if (later == VERSION_INITIAL)
            continue;
        edge->kind = EDGE_WW;
        edge->key = h->op_key[op];
        edge->version = last_write(h, edge->from, edge->key);
        edge->other = later;
        return true;
    }
    return false;
}

/* Whether there is still time to look for what the two have in common. */
static bool can_afford(struct scan *s, uint32_t first, uint32_t second)
{
    const uint32_t *start = s->replay->history->txn_op;
    uint64_t pairs =
        (uint64_t)(start[first + 1] - start[first]) * (start[second + 1] - start[second]);

    if (pairs > s->pairs_left)
        return false;
    s->pairs_left -= pairs;
    return true;
}

/* The order puts `first` before `second`, which had gone before it. */
static enum status report(struct scan *s, uint32_t first, uint32_t second, struct error *err)
{
    const struct history *h = s->replay->history;
    struct edge edges[2] = { { .kind = EDGE_ORDER, .from = first, .to = second },
                             { .from = second, .to = first } };
    uint32_t txns[2] = { first, second };
    struct discovery d = { .txns = txns, .txn_count = 2 };
    bool missed = false, shows = false;

    edges[1].kind = s->closing == CLOSING_SESSION ? EDGE_PROCESS : EDGE_REALTIME;
    if (check_is_full(s->replay->check))
        return STATUS_OK;
    if (can_afford(s, first, second)) {
        TRY(find_missed(s, &edges[0], &missed, err));
        shows = missed || find_overwritten(h, &edges[0]);
    }
    if (s->only_telling && !shows)
        return STATUS_OK;
    d.kind = d.proven = anomaly_of_cycle(missed ? ANOMALY_G_SINGLE : ANOMALY_G0, s->closing);
    proof_tell_cycle(&d.why, h, edges, 2);
    proof_cycle(&d.proof, h, edges, 2);
    return check_add(s->replay->check, &d, err);
}

static enum status scan_sessions(struct scan *s, struct error *err)
{
    const struct history *h = s->replay->history;
    const struct places *places = &s->replay->places;

    for (uint32_t i = 0; i < places->sequence_count; i++) {
        uint32_t txn = places->sequence[i];
        uint32_t *latest = &s->latest[h->txn_session[txn]];

        if (*latest == HISTORY_NONE || txn > *latest)
            *latest = txn;
        else if (h->txn_status[txn] == TXN_OK) /* nothing comes after an unknown one */
            TRY(report(s, *latest, txn, err));
    }
    return STATUS_OK;
}

static enum status scan_times(struct scan *s, struct error *err)
{
    const struct history *h = s->replay->history;
    const struct places *places = &s->replay->places;
    uint32_t latest = HISTORY_NONE;

    for (uint32_t i = 0; i < places->sequence_count; i++) {
        uint32_t txn = places->sequence[i];
        int64_t completed = h->txn_completed[txn], invoked = h->txn_invoked[txn];

        if (latest != HISTORY_NONE && h->txn_status[txn] == TXN_OK && completed != TIME_ABSENT &&
            completed < h->txn_invoked[latest])
            TRY(report(s, latest, txn, err));
        if (invoked != TIME_ABSENT && (latest == HISTORY_NONE || invoked > h->txn_invoked[latest]))
            latest = txn;
    }
    return STATUS_OK;
}

static enum status scan(struct scan *s, struct error *err)
{
    const struct history *h = s->replay->history;

    if (s->closing == CLOSING_TIME)
        return h->txn_invoked && h->txn_completed ? scan_times(s, err) : STATUS_OK;
    TRY(check_memory((void **)&s->latest, h->session_count, sizeof *s->latest, 0xff, err));
    return scan_sessions(s, err);
}

/* Holds the order against sessions or real time, as the level asks. */
static enum status order_check_times(struct order_replay *r, enum level level, struct error *err)
{
    struct scan s = { .replay = r,
                      .closing = level_closing(level),
                      .only_telling = true,
                      .pairs_left = PAIRS_MAX };
    size_t found = r->check->findings.count;
    enum status status;

    if (s.closing == CLOSING_DATA)
        return STATUS_OK;
    status = scan(&s, err);
    if (status == STATUS_OK && r->check->findings.count == found) {
        s.only_telling = false;
        status = scan(&s, err);
    }
    free(s.latest);
    return status;
}

/* With these, ts is where a transaction commits, and not where it reads. */
static enum status refuse_other_views(const struct history *h, struct error *err)
{
    if (h->txn_snapshot || h->op_snapshot || h->set_count > 0)
        return error_set(err, STATUS_BAD_INPUT,
                         "the checker order needs a history whose transactions read at their "
                         "\"ts\": this one has a \"%s\"",
                         h->set_count > 0 ? "set" : "snapshot");
    return STATUS_OK;
}

static enum status order_needs(const struct history *h, struct error *err)
{
    TRY(refuse_other_views(h, err));
    for (size_t t = 0; t < h->txn_count; t++)
        if (h->txn_status[t] == TXN_OK &&
            (!h->txn_ts || (h->txn_ts_parts && h->txn_ts_parts[t] == 0)))
            return error_set(err, STATUS_BAD_INPUT,
                             "the checker order needs a \"ts\" on every committed transaction: "
                             "transaction %" PRId64 " has none",
                             h->txn_id[t]);
    return STATUS_OK;
}

static void conclude(struct order_replay *r, bool replay_was_right)
{
    struct check *check = r->check;

    if (check->verdict == VERDICT_INVALID && replay_was_right && check->unjudged_predicates == 0)
        check->strongest = LEVEL_SERIALIZABLE;
}

static enum status judge(const struct history *h, const struct check_options *options,
                         bool takes_open_in, struct check *check, struct error *err)
{
    struct order_replay r;
    enum status status =
        order_replay_init(&r, h, check, takes_open_in, check_wants(options, CHECK_SLOWLY), err);
    bool was_right = false;

    if (status == STATUS_OK)
        status = places_find_contradictions(&r.places, check, err);
    rows_heed(&r.rows, options->stop);
    if (status == STATUS_OK)
        status = order_replay_run(&r, options, err);
    if (status == STATUS_OK) {
        was_right = check->verdict == VERDICT_VALID;
        status = order_check_times(&r, options->level, err);
    }
    if (status == STATUS_OK) {
        conclude(&r, was_right);
        if (check->verdict == VERDICT_VALID && check_wants(options, CHECK_WITNESS))
            witness_order(check, h, r.places.sequence, r.places.sequence_count);
    }
    order_replay_close(&r);
    return status;
}

/* With transactions of unknown outcome out of it, and if that leaves doubts, where their ts are. */
static enum status order_judge(const struct history *h, const struct check_options *options,
                               struct check *check, struct error *err)
{
    struct check other = *check;
    enum status status;

    TRY(refuse_other_views(h, err));
    TRY(judge(h, options, false, check, err));
    if (check->verdict != VERDICT_UNKNOWN || check_is_stopped(options))
        return STATUS_OK;
    other.is_unjudged = NULL;
    if (h->statement_count > 0)
        TRY(check_memory((void **)&other.is_unjudged, h->statement_count, 1, 0, err));
    status = judge(h, options, true, &other, err);
    if (status == STATUS_OK && other.verdict == VERDICT_VALID) {
        check_close(check);
        *check = other;
    } else {
        check_close(&other);
    }
    return status;
}

const struct checker checker_order = {
    .name = "order",
    .summary = "replays transactions in the store's own order: needs a ts on each",
    .levels = LEVEL_BIT(LEVEL_SERIALIZABLE) | LEVEL_BIT(LEVEL_SESSION_SERIALIZABLE) |
              LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE),
    .cost = 1,
    .is_complete = true,
    .due = DUE_PLACES,
    .unjudged_why = "their conditions, orders or aggregates cannot be computed here",
    .needs = order_needs,
    .judge = order_judge,
};

/* --- In parts --------------------------------------------------------------------- */

static enum status carry_list(const struct contents *contents, struct content content,
                              struct builder *next, struct value *value, struct error *err)
{
    const int64_t *elements;
    size_t count = contents_elements(contents, content, &elements);

    return builder_list(next, elements, count, value, err);
}

static enum status carry_cell(const struct history *h, struct value cell, struct builder *next,
                              struct value *value, struct error *err)
{
    struct contents nothing_grown = { .history = h };

    *value = cell;
    if (cell.kind == VALUE_TEXT)
        return builder_text_value(next, history_text(h, (uint32_t)cell.bits), value, err);
    if (cell.kind == VALUE_LIST)
        return carry_list(&nothing_grown, content_of(cell), next, value, err);
    return STATUS_OK;
}

static enum status carry_row(const struct history *h, uint32_t table, int64_t row,
                             struct builder *next, struct value *value, struct error *err)
{
    uint32_t names = h->shape_start[h->row_shape[row]];
    uint64_t from = h->row_start[row], count = h->row_start[row + 1] - from;
    ARRAY(struct named_value) cells = { 0 };
    enum status status = array_reserve(&cells, count, err);

    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        struct named_value *cell = &cells.at[cells.count++];

        cell->name = history_text(h, h->shape_column_name[names + i]);
        status = carry_cell(h, (struct value){ h->cell_kind[from + i], h->cell_value[from + i] },
                            next, &cell->value, err);
    }
    if (status == STATUS_OK)
        status = builder_row(next, table, cells.at, cells.count, value, err);
    array_close(&cells);
    return status;
}

static enum status carry_key(const struct order_replay *r, uint32_t key, struct builder *next,
                             struct error *err)
{
    const struct history *h = r->history;
    struct content content = r->held[key].content;
    struct value value = value_null();
    uint32_t number;

    if (content.kind == VALUE_NULL || content.kind == VALUE_NONE)
        return STATUS_OK;
    TRY(builder_key(next, history_key(h, key), &number, err));
    if (content.kind == CONTENT_GROWN)
        TRY(carry_list(&r->contents, content, next, &value, err));
    else if (content.kind == VALUE_ROW)
        TRY(carry_row(h, builder_table_of_key(next, number), content.bits, next, &value, err));
    else
        TRY(carry_cell(h, (struct value){ (enum value_kind)content.kind, content.bits }, next,
                       &value, err));
    return builder_add_initial(next, number, value, err);
}

enum status order_carry(const struct history *h, struct builder *next, struct error *err)
{
    struct order_replay r;
    enum status status = order_replay_init(&r, h, NULL, false, false, err);

    if (status == STATUS_OK)
        status = order_replay_run(&r, NULL, err);
    for (uint32_t key = 0; key < h->key_count && status == STATUS_OK; key++)
        status = carry_key(&r, key, next, err);
    order_replay_close(&r);
    return status;
}
