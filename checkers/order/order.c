#include "checkers/order/order.h"

#include <inttypes.h>

#include "checkers/graph/contradiction.h"
#include "checkers/lattice.h"
#include "checkers/order/order_private.h"
#include "checkers/proof/witness.h"
#include "history/builder.h"

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

static void conclude(struct replay *r, bool replay_was_right)
{
    struct check *check = r->check;

    if (check->verdict == VERDICT_INVALID && replay_was_right && check->unjudged_predicates == 0)
        check->strongest = LEVEL_SERIALIZABLE;
}

static enum status judge(const struct history *h, const struct check_options *options,
                         bool takes_open_in, struct check *check, struct error *err)
{
    struct replay r;
    enum status status =
        replay_init(&r, h, check, takes_open_in, check_wants(options, CHECK_SLOWLY), err);
    bool was_right = false;

    if (status == STATUS_OK)
        status = contradiction_find(&r.places, check, err);
    if (status == STATUS_OK)
        status = replay_run(&r, options, err);
    if (status == STATUS_OK) {
        was_right = check->verdict == VERDICT_VALID;
        status = order_check_times(&r, options->level, err);
    }
    if (status == STATUS_OK) {
        conclude(&r, was_right);
        if (check->verdict == VERDICT_VALID && check_wants(options, CHECK_WITNESS))
            witness_order(check, h, r.places.sequence, r.places.sequence_count);
    }
    replay_close(&r);
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
    if (check->verdict != VERDICT_UNKNOWN)
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

static enum status carry_key(const struct replay *r, uint32_t key, struct builder *next,
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
    struct replay r;
    enum status status = replay_init(&r, h, NULL, false, false, err);

    if (status == STATUS_OK)
        status = replay_run(&r, NULL, err);
    for (uint32_t key = 0; key < h->key_count && status == STATUS_OK; key++)
        status = carry_key(&r, key, next, err);
    replay_close(&r);
    return status;
}
