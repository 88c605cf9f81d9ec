/*
 * Verifies a valid verdict by an order of instants: docs/format-witness.md, "Instants".
 */
#include "verify/instants/instant_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "verify/instants/instant_locks_private.h"
#include "verify/instants/instant_proof.h"
#include "verify/instants/instant_reads_private.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/workings.h"

/* --- Names ------------------------------------------------------------------- */

static uint64_t key_name(uint32_t head, uint32_t key)
{
    return (uint64_t)head << 32 | key;
}

static enum status refuse_name(struct order *o, const struct witness_name *name, const char *why,
                               struct error *err)
{
    return verify_refuse(o->v, err, "of transaction %" PRId64 ": %s", name->txn, why);
}

/* The operation, and the row of it if a key is named. */
static enum status find_op(struct order *o, const struct witness_name *name, uint32_t *txn,
                           uint32_t *head, uint32_t *key, struct error *err)
{
    *key = HISTORY_NONE;
    TRY(lookup_txn(o->v, name->txn, txn, err));
    TRY(lookup_op(o->v, *txn, name->op, head, err));
    return name->has_key ? lookup_key(o->v, name->key, key, err) : STATUS_OK;
}

/* Whether a read, or a look, has a view of its own: what its own transaction had written has none. */
static bool has_own_view(const struct order *o, uint32_t txn, uint32_t op)
{
    const struct verifier *v = o->v;

    return (op_is_head(v->h->op_kind[op])
                ? instants_is_look(v, txn, op)
                : answer_reads_value(v, txn, op) && lookup_own_before(v, op) == HISTORY_NONE) &&
           instants_own_view(v, v->op_head[op], op) != NO_POINT;
}

/* Where the place of an instant is kept. */
static enum status find_slot(struct order *o, const struct witness_name *name, uint32_t **slot,
                             uint64_t *point, struct error *err)
{
    struct named_instant i = { 0 };

    TRY(instants_find(o->v, name, &i, err));
    *point = i.point;
    *slot = name->kind == NAMED_VIEW     ? &o->view_place[i.txn]
            : name->kind == NAMED_COMMIT ? &o->commit_place[i.txn]
                                         : &o->op_place[i.op];
    /* What its own transaction had written has no view. */
    return name->kind == NAMED_PLACE && **slot == 0
               ? refuse_name(o, name, "the operation has no view of its own", err)
               : STATUS_OK;
}

/* --- Places ------------------------------------------------------------------ */

/*
 * Operations with a view of their own have the place NO_PLACE for now, and all others 0. Of a
 * statement's rows of one key only the first can be named.
 */
static void mark_views(struct order *o)
{
    const struct verifier *v = o->v;
    const struct history *h = v->h;
    bool by_row = v->instants->w->view == READS_BY_ROW;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
            uint32_t head = v->op_head[op];

            if (!has_own_view(o, txn, op))
                continue;
            if (!by_row)
                o->op_place[head] = NO_PLACE;
            else if (op == head || lookup_row_of(v, head, h->op_key[op]) == op)
                o->op_place[op] = NO_PLACE;
        }
}

static enum status place_instants(struct order *o, struct error *err)
{
    struct verifier *v = o->v;
    bool is_full = v->instants->w->timing == TIMED_FULL;
    int64_t time = INT64_MIN;

    for (uint32_t i = 0; i < v->w->instants.count; i++) {
        const struct witness_name *name = &v->w->instants.at[i];
        struct window window = { INT64_MIN, INT64_MAX };
        uint32_t *slot = NULL;
        uint64_t point = 0;

        TRY(find_slot(o, name, &slot, &point, err));
        if (*slot != NO_PLACE)
            return refuse_name(o, name, "an instant stands in the order twice", err);
        *slot = i + 1; /* 0 is of those that have no view of their own */
        if (is_full)
            window = instants_first_window(v, point);
        if (window.low > time)
            time = window.low;
        if (window.high < time)
            return refuse_name(o, name, "an instant stands behind one that is later", err);
        o->time[i + 1] = time;
    }
    return STATUS_OK;
}

uint32_t instant_order_view_place(const struct order *o, uint32_t txn, uint32_t head, uint32_t op)
{
    uint64_t own = instants_own_view(o->v, head, op);

    if (own != NO_POINT)
        return o->op_place[own - point_of_op(o->v->h, 0)];
    return o->v->instants->w->view == READS_AT_COMMIT ? o->commit_place[txn] : o->view_place[txn];
}

/* --- Whether all are there --------------------------------------------------- */

static enum status refuse_txn(struct order *o, uint32_t txn, const char *why, struct error *err)
{
    return verify_refuse(o->v, err, "transaction %" PRId64 ": %s", o->v->h->txn_id[txn], why);
}

/* Mostly a view is behind all before it, and nothing is to be looked for. */
static enum status check_program(struct order *o, uint32_t txn, uint32_t second, uint32_t last,
                                 struct error *err)
{
    const struct history *h = o->v->h;

    if (o->op_place[second] > last || o->v->instants->w->view == READS_BY_ROW)
        return STATUS_OK;
    TRY(verify_spend(o->v, second - h->txn_op[txn], err));
    for (uint32_t first = h->txn_op[txn]; first < second; first++)
        if (o->op_place[first] > o->op_place[second] &&
            instants_statement_follows(o->v, txn, first, second))
            return refuse_txn(o, txn, "its statements are in another order", err);
    return STATUS_OK;
}

static enum status check_txn(struct order *o, uint32_t txn, struct error *err)
{
    const struct history *h = o->v->h;
    bool has_view = o->v->instants->w->view == READS_AT_ONE;
    uint32_t last = 0;

    if (!instant_order_commits(o, txn)) {
        if (h->txn_status[txn] == TXN_OK)
            return refuse_txn(o, txn, "its commit is missing", err);
        return o->view_place[txn] == NO_PLACE
                   ? STATUS_OK
                   : refuse_txn(o, txn, "it has a view, and no commit", err);
    }
    if (has_view && o->view_place[txn] >= o->commit_place[txn])
        return refuse_txn(o, txn, "its view does not stand before its commit", err);
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (o->op_place[op] == 0)
            continue;
        if (o->op_place[op] >= o->commit_place[txn])
            return refuse_txn(o, txn, "a view does not stand before its commit", err);
        TRY(check_program(o, txn, op, last, err));
        if (o->op_place[op] > last)
            last = o->op_place[op];
    }
    return STATUS_OK;
}

/* --- Chains ------------------------------------------------------------------ */

static void chain_versions(struct order *o, uint32_t txn)
{
    const struct verifier *v = o->v;

    for (uint32_t m = v->made_start[txn]; m < v->made_start[txn + 1]; m++) {
        uint32_t op = v->made[m], key = v->h->op_key[op];

        if (!lookup_is_left(v, m))
            continue;
        o->chain_spot[op] = o->chain_end[key]++;
        o->chain[v->version_start[key] + o->chain_spot[op]] = op;
    }
}

static enum status build_chains(struct order *o, struct error *err)
{
    struct verifier *v = o->v;
    size_t count = v->version_start[v->h->key_count];

    TRY(VERIFY_GET(v, o->chain, count, err));
    TRY(VERIFY_GET(v, o->chain_spot, v->h->op_count, err));
    TRY(VERIFY_GET(v, o->chain_end, v->h->key_count, err));
    for (size_t i = 0; i < v->w->instants.count; i++) {
        const struct witness_name *name = &v->w->instants.at[i];
        uint32_t txn = 0;

        if (name->kind != NAMED_COMMIT)
            continue;
        TRY(lookup_txn(v, name->txn, &txn, err));
        chain_versions(o, txn);
    }
    return STATUS_OK;
}

uint32_t instant_order_version_at(const struct order *o, uint32_t key, uint32_t place)
{
    const uint32_t *chain = instant_order_chain(o, key);
    uint32_t end;

    BISECT(end, 0, o->chain_end[key], o->commit_place[version_txn(o->v, chain[end])] < place);
    return end > 0 ? chain[end - 1] : VERSION_INITIAL;
}

uint32_t instant_order_last_version(const struct order *o, uint32_t key, uint32_t version)
{
    uint32_t spot = o->chain_spot[version];

    return spot > 0 ? instant_order_chain(o, key)[spot - 1] : VERSION_INITIAL;
}

uint32_t instant_order_next_version(const struct order *o, uint32_t key, uint32_t version)
{
    uint32_t next = version == VERSION_INITIAL ? 0 : o->chain_spot[version] + 1;

    return next < o->chain_end[key] ? instant_order_chain(o, key)[next] : HISTORY_NONE;
}

/* --- What is left open ------------------------------------------------------- */

static enum status take_open(struct order *o, struct error *err)
{
    const struct witness *w = o->v->w;
    uint32_t txn = 0, head = 0, key;
    size_t place;

    for (size_t i = 0; i < w->open.count; i++) {
        const struct witness_name *name = &w->open.at[i];

        if (name->kind != NAMED_PLACE)
            return verify_refuse(o->v, err, "operations are left open, as [id,op]");
        TRY(find_op(o, name, &txn, &head, &key, err));
        TRY(name->has_key ? map_add(&o->open_keys, key_name(head, key), 0, &place, err)
                          : map_add(&o->open, head, 0, &place, err));
    }
    return STATUS_OK;
}

bool instant_order_is_open(const struct order *o, uint32_t head, uint32_t op)
{
    const struct history *h = o->v->h;
    uint64_t found;

    return op_is_row(h->op_kind[op])
               ? map_find(&o->open_keys, key_name(head, h->op_key[op]), &found)
               : map_find(&o->open, head, &found);
}

bool instant_order_is_open_look(const struct order *o, uint32_t head, uint32_t key)
{
    uint64_t found;

    return map_find(&o->open, head, &found) || map_find(&o->open_keys, key_name(head, key), &found);
}

bool instant_order_is_open_write(const struct order *o, uint32_t version)
{
    return instant_order_is_open(o, o->v->op_head[version], version);
}

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
    for (uint64_t i = v->table_keys.start[table];
         i < v->table_keys.start[table + 1] && status == STATUS_OK; i++) {
        j->key = v->table_keys.at[i];
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

static enum status instant_order_judge_reads(struct order *o, struct error *err)
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

/* --- The whole --------------------------------------------------------------- */

bool instant_order_has_dependencies(const struct order *o)
{
    const struct workings *w = o->v->instants->w;

    return workings_certify(w) && w->view != READS_AT_COMMIT;
}

enum status instant_order_depend(struct order *o, uint32_t from, uint32_t to, struct error *err)
{
    if (from == to || !instant_order_has_dependencies(o))
        return STATUS_OK;
    return array_push(&o->dependencies, ((struct dependency){ from, to }), err);
}

static enum status get_memory(struct order *o, struct error *err)
{
    struct verifier *v = o->v;
    size_t txns = v->h->txn_count, ops = v->h->op_count, places = v->w->instants.count + 1;

    TRY(VERIFY_GET(v, o->commit_place, txns, err));
    TRY(VERIFY_GET(v, o->view_place, txns, err));
    TRY(VERIFY_GET(v, o->op_place, ops, err));
    TRY(VERIFY_GET(v, o->time, places, err));
    TRY(VERIFY_GET(v, o->source, ops, err));
    for (size_t txn = 0; txn < txns; txn++) {
        o->commit_place[txn] = o->view_place[txn] = NO_PLACE;
    }
    return STATUS_OK;
}

static enum status judge_order(struct order *o, struct error *err)
{
    TRY(get_memory(o, err));
    mark_views(o);
    TRY(place_instants(o, err));
    for (uint32_t txn = 0; txn < o->v->h->txn_count; txn++)
        TRY(check_txn(o, txn, err));
    TRY(build_chains(o, err));
    TRY(take_open(o, err));
    TRY(instant_order_judge_reads(o, err));
    TRY(instant_locks_judge(o, err));
    TRY(instant_locks_judge_updaters(o, err));
    return instant_locks_judge_dependencies(o, err);
}

enum status verify_instant_order(struct verifier *v, struct error *err)
{
    struct order o = { .v = v, .nothing = { .v = v }, .commits = { .v = v } };
    enum status status;

    TRY(versions_build(v, err));
    TRY(instants_build(v, err));
    status = judge_order(&o, err);
    map_close(&o.open);
    map_close(&o.open_keys);
    array_close(&o.dependencies);
    known_close(&o.nothing);
    known_close(&o.commits);
    return status;
}
