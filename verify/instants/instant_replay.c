/*
 * Whether an order of instants explains what was read: each view sees the last version before it.
 */
#include "verify/instants/instant_replay_private.h"

#include <inttypes.h>
#include <stdlib.h>

#include "verify/instants/instant_looks_private.h"
#include "verify/instants/instant_order.h"
#include "verify/instants/instant_proof.h"
#include "verify/instants/instants.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/witness/workings.h"

#define MATCH_STEPS 8 /* what looking at a row counts */

struct judged {
    uint32_t txn, head, op, key;
};

static enum status refuse_judged(struct order *o, const struct judged *j, const char *why,
                                 struct error *err)
{
    const struct verifier *v = o->v;
    uint32_t place = 0;

    for (uint32_t op = v->h->txn_op[j->txn]; op < j->head; op++)
        place += !op_is_row(v->h->op_kind[op]);
    return verify_refuse(o->v, err, "operation %" PRIu32 " of transaction %" PRId64 ", %.*s: %s",
                         place, v->h->txn_id[j->txn], TEXT_PRINT(history_key(v->h, j->key)), why);
}

/* --- Reads ------------------------------------------------------------------- */

static struct visible_reader reader_of(const struct order *o, const struct judged *j, bool is_look)
{
    struct visible_reader r = { .txn = j->txn,
                                .head = j->head,
                                .op = j->op,
                                .key = j->key,
                                .is_look = is_look,
                                .is_strict = !is_look || instants_look_is_strict(o->v, j->head),
                                .point = NO_POINT };

    if (r.is_strict)
        r.point = instants_view(o->v, j->txn, j->head, j->op);
    return r;
}

/* Whether times alone speak against a version that the order has before the view. */
static enum status is_out_of_time(struct order *o, const struct judged *j, uint32_t version,
                                  bool *is_it, struct error *err)
{
    struct visible_reader r = reader_of(o, j, op_is_head(o->v->h->op_kind[j->op]));
    struct visibility seen;

    TRY(visible_begin(&seen, &o->commits, &r, err));
    *is_it = !visible_may_be_seen(&seen, version);
    return STATUS_OK;
}

static bool is_read_value(const struct order *o, const struct judged *j, uint32_t version)
{
    return instants_op_looks_like(o->v->h, j->key, version, history_value(o->v->h, j->op));
}

/* One that is left open must not be wrong whatever the order is. */
static enum status judge_open_read(struct order *o, const struct judged *j, struct error *err)
{
    struct visible_reader r = reader_of(o, j, false);
    struct visibility seen;
    uint32_t version;

    TRY(visible_begin_all(&seen, &o->nothing, &r, err));
    while (visible_next(&seen, &version))
        if (is_read_value(o, j, version))
            return STATUS_OK;
    return refuse_judged(o, j, "by times alone no version can have been seen", err);
}

/* Any version before the view will do; mostly it is one of the last. */
static enum status judge_any_read(struct order *o, const struct judged *j, uint32_t place,
                                  struct error *err)
{
    uint32_t version = instant_order_version_at(o, j->key, place);
    bool is_out = true;

    for (;; version = instant_order_last_version(o, j->key, version)) {
        if (is_read_value(o, j, version))
            TRY(is_out_of_time(o, j, version, &is_out, err));
        TRY(verify_spend(o->v, 1, err));
        if (!is_out)
            return STATUS_OK;
        if (version == VERSION_INITIAL)
            return refuse_judged(o, j, "no version before its view has the value", err);
    }
}

/* What the read saw, by the order, and that its writer had committed by then. */
static enum status judge_read(struct order *o, const struct judged *j, struct error *err)
{
    const struct instants *in = o->v->instants;
    uint32_t own = lookup_own_before(o->v, j->op), version;

    o->source[j->op] = SOURCE_OPEN;
    if (own != HISTORY_NONE)
        return in->w->reads_any || in->w->hides_own ||
                       instants_op_looks_like(o->v->h, j->key, own, history_value(o->v->h, j->op))
                   ? STATUS_OK
                   : refuse_judged(o, j, "it did not see what it had written itself", err);
    if (instant_order_is_open(o, j->head, j->op))
        return judge_open_read(o, j, err);
    if (in->w->reads_any)
        return judge_any_read(o, j, instant_order_view_place(o, j->txn, j->head, j->op), err);
    version =
        instant_order_version_at(o, j->key, instant_order_view_place(o, j->txn, j->head, j->op));
    if (!is_read_value(o, j, version))
        return refuse_judged(o, j, "the order has another version there", err);
    o->source[j->op] = version;
    return version == VERSION_INITIAL
               ? STATUS_OK
               : known_confirm(&o->commits, version_txn(o->v, version), j->txn, err);
}

/* --- Looks ------------------------------------------------------------------- */

/* What an order makes of a look at one key. */
static enum match agrees(const struct asked *asked, uint32_t version)
{
    return instant_looks_agree(asked, version);
}

static enum status judge_open_look(struct order *o, const struct judged *j,
                                   const struct asked *asked, struct error *err)
{
    struct visible_reader r = reader_of(o, j, true);
    struct visibility seen;
    uint32_t version;

    TRY(visible_begin_all(&seen, &o->nothing, &r, err));
    while (visible_next(&seen, &version)) {
        TRY(verify_spend(o->v, MATCH_STEPS, err));
        if (agrees(asked, version) != MATCH_NO)
            return STATUS_OK;
    }
    return refuse_judged(o, j, "by times alone no version can have been seen", err);
}

/* Of those before the view any will do. */
static enum status judge_any_look(struct order *o, const struct judged *j,
                                  const struct asked *asked, uint32_t place, struct error *err)
{
    uint32_t version = instant_order_version_at(o, j->key, place);
    bool is_out = true;

    for (;; version = instant_order_last_version(o, j->key, version)) {
        if (agrees(asked, version) == MATCH_YES)
            TRY(is_out_of_time(o, j, version, &is_out, err));
        TRY(verify_spend(o->v, MATCH_STEPS, err));
        if (!is_out)
            return STATUS_OK;
        if (version == VERSION_INITIAL)
            return refuse_judged(o, j, "no version before its view agrees", err);
    }
}

/*
 * Who made the row agree with the answer as it was seen comes before, and who made it disagree
 * again, behind. Those beyond them are before and behind these, as they wrote the row, too.
 */
static enum status depend_by_look(struct order *o, const struct judged *j,
                                  const struct asked *asked, uint32_t seen, struct error *err)
{
    const uint32_t *chain = instant_order_chain(o, j->key);
    uint32_t spot = seen == VERSION_INITIAL ? 0 : o->chain_spot[seen] + 1;

    if (!instant_order_has_dependencies(o))
        return STATUS_OK;
    for (uint32_t i = spot; i < o->chain_end[j->key]; i++) {
        TRY(verify_spend(o->v, 1, err));
        if (version_txn(o->v, chain[i]) != j->txn && !instant_order_is_open_write(o, chain[i]) &&
            agrees(asked, chain[i]) != MATCH_YES) {
            TRY(instant_order_depend(o, j->txn, version_txn(o->v, chain[i]), err));
            break;
        }
    }
    for (uint32_t i = spot; i > 0; i--) {
        uint32_t before = i > 1 ? chain[i - 2] : VERSION_INITIAL;

        TRY(verify_spend(o->v, 1, err));
        if (agrees(asked, before) != MATCH_YES)
            return instant_order_depend(o, version_txn(o->v, chain[i - 1]), j->txn, err);
    }
    return STATUS_OK;
}

static enum status judge_look_at(struct order *o, const struct judged *j, const struct asked *asked,
                                 struct error *err)
{
    const struct workings *w = o->v->instants->w;
    uint32_t place = instant_order_view_place(o, j->txn, j->head, j->op), seen;
    enum match match;
    bool is_out = false;

    if (w->reads_any && instant_order_is_open_look(o, j->head, j->key))
        return judge_open_look(o, j, asked, err);
    if (w->reads_any)
        return judge_any_look(o, j, asked, place, err);
    seen = instant_order_version_at(o, j->key, place);
    match = agrees(asked, seen);
    TRY(is_out_of_time(o, j, seen, &is_out, err));
    if (instant_order_is_open_look(o, j->head, j->key))
        return match == MATCH_YES && !is_out ? STATUS_OK : judge_open_look(o, j, asked, err);
    if (match == MATCH_UNDECIDED)
        return refuse_judged(o, j, "whether the row matches cannot be computed", err);
    if (match == MATCH_NO)
        return refuse_judged(o, j, "the order has a version there that does not agree", err);
    /* A look may pass over what changes no answer: times need not allow just this version. */
    if (is_out)
        TRY(judge_open_look(o, j, asked, err));
    return depend_by_look(o, j, asked, seen, err);
}

/* One key of the table. */
static enum status judge_look_key(struct order *o, const struct judged *j, struct asked *asked,
                                  struct error *err)
{
    struct verifier *v = o->v;
    const struct workings *w = v->instants->w;
    struct visible_reader r = reader_of(o, j, true);
    uint32_t own = lookup_own(v, j->txn, j->head, j->key);

    instant_looks_at_key(asked, j->key);
    if (asked->row != HISTORY_NONE && v->h->op_kind[j->head] == OP_SELECT &&
        instant_looks_match(asked, asked->row) == MATCH_NO)
        return refuse_judged(o, j, "what came does not match", err);
    if (!instant_looks_tell(asked, &r))
        return STATUS_OK;
    if (own != HISTORY_NONE)
        return w->reads_any || w->hides_own || instant_looks_agree(asked, own) != MATCH_NO
                   ? STATUS_OK
                   : refuse_judged(o, j, "it did not see what it had written itself", err);
    return r.is_strict ? judge_look_at(o, j, asked, err) : STATUS_OK;
}

static enum status check_rows(struct order *o, struct judged *j, struct error *err)
{
    const struct verifier *v = o->v;
    uint32_t end = j->head + v->h->statement_row_count[v->h->op_key[j->head]];

    for (uint32_t op = j->head + 1; op <= end; op++) {
        j->key = v->h->op_key[op];
        if (lookup_came_twice(v, j->head, j->key))
            return refuse_judged(o, j, "the row came twice", err);
    }
    return STATUS_OK;
}

static enum status judge_look(struct order *o, struct judged *j, struct error *err)
{
    struct verifier *v = o->v;
    uint32_t table = v->h->statement_table[v->h->op_key[j->head]];
    enum status status = STATUS_OK;
    struct visible_reader r;
    struct asked asked;

    TRY(check_rows(o, j, err));
    r = reader_of(o, j, true);
    TRY(instant_looks_open(&asked, v, &r, err));
    for (uint64_t i = v->table_start[table]; i < v->table_start[table + 1] && status == STATUS_OK;
         i++) {
        j->key = v->table_key[i];
        status = judge_look_key(o, j, &asked, err);
    }
    instant_looks_close(&asked);
    return status;
}

/* --- The whole --------------------------------------------------------------- */

typedef enum status judge_function(struct order *, struct judged *, struct error *);

/* What each read saw. */
static enum status judge_source(struct order *o, struct judged *j, struct error *err)
{
    return op_is_head(o->v->h->op_kind[j->op]) ? STATUS_OK : judge_read(o, j, err);
}

/* What times say of that, when all is known of who had committed; and looks. */
static enum status judge_rest(struct order *o, struct judged *j, struct error *err)
{
    bool is_out = false;

    if (op_is_head(o->v->h->op_kind[j->op]))
        return judge_look(o, j, err);
    if (o->source[j->op] != SOURCE_OPEN)
        TRY(is_out_of_time(o, j, o->source[j->op], &is_out, err));
    return is_out ? refuse_judged(o, j, "times speak against what the order has there", err)
                  : STATUS_OK;
}

/* Calls for each read, and for each look. */
static enum status judge_txn(struct order *o, uint32_t txn, judge_function *judge,
                             struct error *err)
{
    const struct history *h = o->v->h;
    struct judged j = { .txn = txn };

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        j.head = o->v->op_head[op];
        j.op = op;
        j.key = op_is_head(h->op_kind[op]) ? 0 : h->op_key[op];
        if (instants_is_look(o->v, txn, op) || answer_reads_value(o->v, txn, op))
            TRY(judge(o, &j, err));
    }
    return STATUS_OK;
}

enum status instant_order_judge_reads(struct order *o, struct error *err)
{
    const struct history *h = o->v->h;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] == TXN_OK)
            TRY(judge_txn(o, txn, judge_source, err));
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] == TXN_OK)
            TRY(judge_txn(o, txn, judge_rest, err));
    return STATUS_OK;
}
