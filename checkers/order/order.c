#include "checkers/order/order.h"

#include <inttypes.h>
#include <stdlib.h>

#include "checkers/graph/contradiction.h"
#include "checkers/order/order_replay_private.h"
#include "checkers/proof/witness.h"
#include "history/anomaly.h"
#include "history/builder.h"
#include "history/level.h"

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
        status = contradiction_find(&r.places, check, err);
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
