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

/* Of a key, in the order in which versions were surely installed: what they hide. */
struct hiding {
    int64_t high, low; /* of its installation; low: the greatest so far */
    uint32_t version;
};

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

/* --- By times ---------------------------------------------------------------- */

/* By key alone times say what is installed; by whole instants the order is enough. */
static struct window installed(const struct order *o, uint32_t version)
{
    uint32_t txn = version_txn(o->v, version);
    struct window window = o->v->instants->commit[txn];

    if (o->committed_by[txn] < window.high)
        window.high = o->committed_by[txn];
    return window;
}

static int compare_hiding(const void *a, const void *b)
{
    const struct hiding *x = a, *y = b;

    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

/* When who reads from a transaction shows that it had committed. */
static void find_hiding(struct order *o)
{
    for (uint32_t key = 0; key < o->v->h->key_count; key++) {
        struct hiding *hiding = o->hiding + o->v->version_start[key];
        uint32_t count = o->chain_end[key];

        for (uint32_t i = 0; i < count; i++) {
            uint32_t version = instant_order_chain(o, key)[i];
            struct window window = installed(o, version);

            hiding[i] = (struct hiding){ window.high, window.low, version };
        }
        qsort(hiding, count, sizeof *hiding, compare_hiding);
        for (uint32_t i = 1; i < count; i++)
            if (hiding[i].low < hiding[i - 1].low)
                hiding[i].low = hiding[i - 1].low;
    }
}

/*
 * Whether another version was surely there, and surely came behind this one. Its reader's own is
 * never there: it is installed behind the reader's times.
 */
static bool is_hidden(const struct order *o, uint32_t key, uint32_t version, int64_t sight_low)
{
    const struct hiding *hiding = o->hiding + o->v->version_start[key];
    uint32_t low = 0, high = o->chain_end[key];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (hiding[middle].high < sight_low)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    return version == VERSION_INITIAL || installed(o, version).high < hiding[low - 1].low;
}

/* Whether times alone speak against it. */
static bool is_out_of_time(const struct order *o, const struct judged *j, uint32_t version)
{
    const struct instants *in = o->v->instants;
    bool is_late = op_is_head(o->v->h->op_kind[j->op]) && in->w->view == READS_AT_COMMIT;
    int64_t by = is_late ? in->commit[j->txn].high : instants_op_times(o->v, j->txn, j->head).high;

    if (version != VERSION_INITIAL && workings_time_operations(in->w) &&
        instants_sent(o->v, version) > by)
        return true;
    if (in->w->timing != TIMED_BY_KEY)
        return false;
    if (version != VERSION_INITIAL && installed(o, version).low > by)
        return true;
    return !in->w->reads_any && is_hidden(o, j->key, version, in->times[j->txn].low);
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

static bool is_read_value(const struct order *o, const struct judged *j, uint32_t version)
{
    return instants_op_looks_like(o->v->h, j->key, version, history_value(o->v->h, j->op));
}

/* One that is left open must not be wrong whatever the order is. */
static enum status judge_open_read(struct order *o, const struct judged *j, struct error *err)
{
    const struct instants *in = o->v->instants;
    struct visible_reader r = reader_of(o, j, false);
    struct visibility seen;

    TRY(visible_begin(&seen, &o->nothing, &r, err));
    if (visible_may_be_seen(&seen, VERSION_INITIAL) && is_read_value(o, j, VERSION_INITIAL))
        return STATUS_OK;
    for (uint64_t i = seen.from; i < seen.end; i++)
        if (is_read_value(o, j, in->by_end[i]) && visible_may_be_seen(&seen, in->by_end[i]))
            return STATUS_OK;
    return refuse_judged(o, j, "by times alone no version can have been seen", err);
}

/* Any version before the view will do; mostly it is one of the last. */
static enum status judge_any_read(struct order *o, const struct judged *j, uint32_t place,
                                  struct error *err)
{
    uint32_t version = instant_order_version_at(o, j->key, place);

    while (!is_read_value(o, j, version) || is_out_of_time(o, j, version)) {
        TRY(verify_spend(o->v, 1, err));
        if (version == VERSION_INITIAL)
            return refuse_judged(o, j, "no version before its view has the value", err);
        version = instant_order_last_version(o, j->key, version);
    }
    return STATUS_OK;
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
    if (version != VERSION_INITIAL &&
        o->v->h->txn_status[version_txn(o->v, version)] == TXN_UNKNOWN &&
        in->commit[j->txn].high < o->committed_by[version_txn(o->v, version)])
        o->committed_by[version_txn(o->v, version)] = in->commit[j->txn].high;
    return STATUS_OK;
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
    const struct instants *in = o->v->instants;
    struct visible_reader r = reader_of(o, j, true);
    struct visibility seen;

    TRY(visible_begin(&seen, &o->nothing, &r, err));
    if (visible_may_be_seen(&seen, VERSION_INITIAL) && agrees(asked, VERSION_INITIAL) != MATCH_NO)
        return STATUS_OK;
    for (uint64_t i = seen.from; i < seen.end; i++) {
        TRY(verify_spend(o->v, MATCH_STEPS, err));
        if (visible_may_be_seen(&seen, in->by_end[i]) && agrees(asked, in->by_end[i]) != MATCH_NO)
            return STATUS_OK;
    }
    return refuse_judged(o, j, "by times alone no version can have been seen", err);
}

/* Of those before the view any will do. */
static enum status judge_any_look(struct order *o, const struct judged *j,
                                  const struct asked *asked, uint32_t place, struct error *err)
{
    uint32_t version = instant_order_version_at(o, j->key, place);

    while (agrees(asked, version) != MATCH_YES || is_out_of_time(o, j, version)) {
        TRY(verify_spend(o->v, MATCH_STEPS, err));
        if (version == VERSION_INITIAL)
            return refuse_judged(o, j, "no version before its view agrees", err);
        version = instant_order_last_version(o, j->key, version);
    }
    return STATUS_OK;
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

    if (w->reads_any && instant_order_is_open_look(o, j->head, j->key))
        return judge_open_look(o, j, asked, err);
    if (w->reads_any)
        return judge_any_look(o, j, asked, place, err);
    seen = instant_order_version_at(o, j->key, place);
    match = agrees(asked, seen);
    if (instant_order_is_open_look(o, j->head, j->key))
        return match == MATCH_YES && !is_out_of_time(o, j, seen)
                   ? STATUS_OK
                   : judge_open_look(o, j, asked, err);
    if (match == MATCH_UNDECIDED)
        return refuse_judged(o, j, "whether the row matches cannot be computed", err);
    if (match == MATCH_NO)
        return refuse_judged(o, j, "the order has a version there that does not agree", err);
    /* A look may pass over what changes no answer: times need not allow just this version. */
    if (is_out_of_time(o, j, seen))
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
    if (op_is_head(o->v->h->op_kind[j->op]))
        return judge_look(o, j, err);
    if (o->source[j->op] == SOURCE_OPEN || !is_out_of_time(o, j, o->source[j->op]))
        return STATUS_OK;
    return refuse_judged(o, j, "times speak against what the order has there", err);
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
    size_t count = o->v->version_start[h->key_count];

    TRY(verify_memory(o->v, (void **)&o->hiding, count, sizeof *o->hiding, err));
    find_hiding(o);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] == TXN_OK)
            TRY(judge_txn(o, txn, judge_source, err));
    find_hiding(o);
    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        if (h->txn_status[txn] == TXN_OK)
            TRY(judge_txn(o, txn, judge_rest, err));
    return STATUS_OK;
}
