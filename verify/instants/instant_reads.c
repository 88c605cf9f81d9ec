/*
 * Verifies the steps of a proof about instants that are about reads. A row that did not come did
 * not match as the statement saw it; one that was updated or deleted did. Of a row that a select
 * returned the value is known: it is a read like any other.
 */
#include "verify/instants/instant_reads_private.h"

#include <inttypes.h>

#include "verify/instants/instant_proof.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/sql/query.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/versions/versions.h"
#include "verify/witness/workings.h"

/* --- Asking ------------------------------------------------------------------ */

enum status instant_looks_open(struct asked *asked, struct verifier *v,
                               const struct visible_reader *r, struct error *err)
{
    const struct history *h = v->h;
    uint32_t where = h->statement_where[h->op_key[r->head]];
    uint64_t length = where == HISTORY_NONE ? 0 : history_text(h, where).length;

    *asked = (struct asked){ .v = v, .head = r->head };
    instant_looks_at_key(asked, r->key);
    TRY(verify_spend(v, length + 1, err));
    return answer_open_statement(v, r->head, &asked->query, err);
}

void instant_looks_at_key(struct asked *asked, uint32_t key)
{
    asked->key = key;
    asked->row = lookup_row_of(asked->v, asked->head, key);
}

void instant_looks_close(struct asked *asked)
{
    query_close(&asked->query);
}

enum match instant_looks_match(const struct asked *asked, uint32_t op)
{
    return query_match(&asked->query, version_value(asked->v, asked->key, op));
}

enum match instant_looks_agree(const struct asked *asked, uint32_t op)
{
    enum match match = instant_looks_match(asked, op);

    if (match == MATCH_UNDECIDED || asked->row != HISTORY_NONE)
        return match;
    return match == MATCH_YES ? MATCH_NO : MATCH_YES;
}

bool instant_looks_tell(const struct asked *asked, const struct visible_reader *r)
{
    if (asked->row != HISTORY_NONE)
        return asked->v->h->op_kind[r->head] != OP_SELECT;
    return !instants_look_is_cut(asked->v, r->head);
}

/* Of one version. */
static enum status instant_look_agrees(struct proof *p, const struct visible_reader *r,
                                       uint32_t version, enum match *match, struct error *err)
{
    struct asked asked;

    TRY(instant_looks_open(&asked, p->v, r, err));
    *match = instant_looks_tell(&asked, r) ? instant_looks_agree(&asked, version) : MATCH_UNDECIDED;
    instant_looks_close(&asked);
    return verify_spend(p->v, MATCH_STEPS, err);
}

/* --- Reads ------------------------------------------------------------------- */

/* A read of another's version of the key. */
static enum status find_read(struct proof *p, struct visible_reader *r, struct error *err)
{
    uint32_t own;

    TRY(instant_reader(p, r, err));
    if (r->is_look)
        return instant_refuse(p, err, "the row did not come");
    own = instant_own(p, r);
    return own == HISTORY_NONE ? STATUS_OK
                               : instant_refuse(p, err, "its own transaction had written the key");
}

/* How many versions that it may see have the value; and whether the one is among them. */
static enum status count_sources(struct proof *p, const struct visible_reader *r, uint32_t wanted,
                                 uint32_t *count, bool *is_among, struct error *err)
{
    const struct history *h = p->v->h;
    struct visibility seen;
    uint32_t version;

    *count = 0;
    *is_among = false;
    TRY(visible_begin_all(&seen, &p->k, r, err));
    while (visible_next(&seen, &version))
        if (instants_op_looks_like(h, r->key, version, history_value(h, r->op))) {
            *is_among |= wanted == version;
            ++*count;
        }
    return STATUS_OK;
}

/* What a read, or a look, saw of the key is this version, or VERSION_INITIAL. */
static enum status instant_sees(struct proof *p, const struct visible_reader *r, uint32_t version,
                                struct error *err)
{
    TRY(known_see(&p->k, r->op, r->key, version, err));
    if (version == VERSION_INITIAL)
        return STATUS_OK;
    TRY(known_confirm(&p->k, version_txn(p->v, version), r->txn, err));
    if (!r->is_look) {
        TRY(known_depend(&p->k, version_txn(p->v, version), r->txn, false, err));
        if (lookup_left(p->v, r->txn, r->key) != HISTORY_NONE)
            TRY(known_lay(&p->k, point_of_commit(version_txn(p->v, version)),
                          point_of_commit(r->txn), err));
    }
    return visible_may_pass_over(&p->k, r)
               ? STATUS_OK
               : known_lay(&p->k, point_of_commit(version_txn(p->v, version)), r->point, err);
}

enum status instant_reads(struct proof *p, struct error *err)
{
    uint32_t version = VERSION_INITIAL, count;
    struct visible_reader r = { 0 };
    bool is_among;

    TRY(find_read(p, &r, err));
    TRY(instant_version(p, &p->step->first, r.key, &version, err));
    TRY(count_sources(p, &r, version, &count, &is_among, err));
    if (count == 0) /* which is the last step in other words */
        return instant_contradict(p);
    if (!is_among)
        return instant_refuse(p, err, "it cannot have seen that version with that value");
    if (count > 1)
        return instant_refuse(p, err, "it may have seen another version with that value");
    return instant_sees(p, &r, version, err);
}

/* --- What follows ------------------------------------------------------------ */

/* A read whose version is known, and another version of the key. */
struct instant_pair {
    struct visible_reader r;
    uint32_t seen, other;
};

static enum status find_pair(struct proof *p, struct instant_pair *pair, struct error *err)
{
    TRY(instant_reader(p, &pair->r, err));
    TRY(instant_counting(p, &p->step->second, pair->r.key, &pair->other, err));
    if (!known_source(&p->k, pair->r.op, pair->r.key, &pair->seen))
        return instant_refuse(p, err, "no step before it says what was seen");
    if (p->v->instants->w->reads_any)
        return instant_refuse(p, err, "the profile lets reads see any version");
    if (pair->other == pair->seen || version_txn(p->v, pair->other) == pair->r.txn)
        return instant_refuse(p, err, "the other version is not another's");
    return STATUS_OK;
}

/* Who wrote what it had missed, and what follows from the rules for that. */
static enum status miss(struct proof *p, const struct instant_pair *pair, struct error *err)
{
    struct verifier *v = p->v;
    const struct workings *w = v->instants->w;
    uint32_t txn = pair->r.txn, other = version_txn(v, pair->other);
    uint64_t view = instants_txn_view(v, other);

    if (workings_first_wins(w) && lookup_left(v, txn, pair->r.key) != HISTORY_NONE &&
        view != NO_POINT) {
        TRY(known_lay(&p->k, point_of_commit(txn), view, err));
        p->has_update_order = true;
    }
    if (w->certifier == CERTIFIES_READS && lookup_writes(v, txn))
        return known_lay(&p->k, point_of_commit(txn), point_of_commit(other), err);
    return STATUS_OK;
}

enum status instant_overwrites(struct proof *p, struct error *err)
{
    struct instant_pair pair = { .seen = 0 };
    enum match agrees = MATCH_NO;

    TRY(find_pair(p, &pair, err));
    if (!visible_precedes(&p->k, pair.seen, pair.other))
        return instant_refuse(p, err, "the other version is not known to be later");
    if (pair.r.is_look)
        TRY(instant_look_agrees(p, &pair.r, pair.other, &agrees, err));
    if (agrees != MATCH_NO)
        return instant_refuse(p, err, "the other version agrees with the answer");
    TRY(known_depend(&p->k, pair.r.txn, version_txn(p->v, pair.other), true, err));
    TRY(known_lay(&p->k, pair.r.point, point_of_commit(version_txn(p->v, pair.other)), err));
    return pair.r.is_look ? STATUS_OK : miss(p, &pair, err);
}

enum status instant_installed(struct proof *p, struct error *err)
{
    struct instant_pair pair = { .seen = 0 };
    struct visibility seen = { .k = NULL };
    uint32_t first, second;

    TRY(find_pair(p, &pair, err));
    if (pair.seen == VERSION_INITIAL)
        return instant_refuse(p, err, "nothing is before the initial version");
    TRY(visible_begin(&seen, &p->k, &pair.r, err));
    if (!visible_is_surely_seen(&seen, pair.other))
        return instant_refuse(p, err, "the other version need not have been there");
    first = version_txn(p->v, pair.other);
    second = version_txn(p->v, pair.seen);
    TRY(known_depend(&p->k, first, second, false, err));
    return known_lay(&p->k, point_of_commit(first), point_of_commit(second), err);
}

enum status instant_precedes(struct proof *p, struct error *err)
{
    uint32_t key, versions[2] = { 0 }, first, second;

    TRY(lookup_key(p->v, p->step->key, &key, err));
    TRY(instant_counting(p, &p->step->first, key, &versions[0], err));
    TRY(instant_counting(p, &p->step->second, key, &versions[1], err));
    if (!visible_precedes(&p->k, versions[0], versions[1]))
        return instant_refuse(p, err, "the second version is not known to be later");
    first = version_txn(p->v, versions[0]);
    second = version_txn(p->v, versions[1]);
    TRY(known_depend(&p->k, first, second, false, err));
    return p->v->instants->w->timing == TIMED_FULL
               ? STATUS_OK
               : known_lay(&p->k, point_of_commit(first), point_of_commit(second), err);
}

/* --- What is wrong by itself ------------------------------------------------- */

/* One that nobody can have read, or not at that time, and its name. */
static void name_version(struct proof *p, const struct visibility *seen, uint32_t op)
{
    struct verifier *v = p->v;
    uint32_t txn = history_txn_of(v->h, op), version = lookup_left(v, txn, seen->reader->key);

    if (txn == seen->reader->txn)
        p->is_future = true;
    else if (v->h->txn_status[txn] == TXN_ABORT)
        p->is_aborted = true;
    else if (version != op)
        p->is_overwritten = true;
    else if (visible_is_future(seen, version))
        p->is_future = true;
    else
        p->has_other_writer = true;
}

enum status instant_unread(struct proof *p, struct error *err)
{
    struct verifier *v = p->v;
    const struct history *h = v->h;
    struct visible_reader r = { 0 };
    struct visibility seen;
    uint32_t count;
    bool is_among;

    TRY(find_read(p, &r, err));
    TRY(visible_begin(&seen, &p->k, &r, err));
    for (uint32_t op = 0; op < h->op_count; op++)
        if (history_makes_version(h, op) && h->op_key[op] == r.key &&
            instants_op_looks_like(h, r.key, op, history_value(h, r.op)))
            name_version(p, &seen, op);
    TRY(verify_spend(v, h->op_count / 16, err));
    TRY(count_sources(p, &r, VERSION_INITIAL, &count, &is_among, err));
    return count == 0 ? STATUS_OK
                      : instant_refuse(p, err, "it may have seen a version with that value");
}

enum status instant_own_read(struct proof *p, struct error *err)
{
    const struct workings *w = p->v->instants->w;
    struct visible_reader r = { 0 };
    struct asked asked;
    uint32_t own;
    bool is_right;

    TRY(instant_reader(p, &r, err));
    own = instant_own(p, &r);
    if (w->reads_any || w->hides_own)
        return instant_refuse(p, err, "the profile does not promise that it sees its own writes");
    if (own == HISTORY_NONE)
        return instant_refuse(p, err, "its transaction had not written the key");
    if (r.is_look) {
        TRY(instant_looks_open(&asked, p->v, &r, err));
        is_right = !instant_looks_tell(&asked, &r) || instant_looks_agree(&asked, own) != MATCH_NO;
        instant_looks_close(&asked);
    } else {
        is_right = instants_op_looks_like(p->v->h, r.key, own, history_value(p->v->h, r.op));
    }
    return is_right ? instant_refuse(p, err, "its answer is what it had written") : STATUS_OK;
}

/* --- All versions that may have been seen ------------------------------------- */

struct weighed {
    uint32_t agreeing, other;
    uint32_t agreeing_version; /* the last of them */
    bool is_undecided, tells;
};

static void weigh_version(const struct asked *asked, uint32_t version, struct weighed *weighed)
{
    switch (instant_looks_agree(asked, version)) {
    case MATCH_YES:
        weighed->agreeing++;
        weighed->agreeing_version = version;
        break;
    case MATCH_NO:
        weighed->other++;
        break;
    default:
        weighed->is_undecided = true;
    }
}

static enum status weigh_all(struct proof *p, const struct asked *asked,
                             const struct visible_reader *r, struct weighed *weighed,
                             struct error *err)
{
    struct visibility seen;
    uint32_t version;

    TRY(visible_begin_all(&seen, &p->k, r, err));
    while (visible_next(&seen, &version)) {
        TRY(verify_spend(p->v, MATCH_STEPS, err));
        weigh_version(asked, version, weighed);
    }
    return STATUS_OK;
}

static enum status weigh(struct proof *p, const struct visible_reader *r, struct weighed *weighed,
                         struct error *err)
{
    struct asked asked;
    enum status status = STATUS_OK;

    *weighed = (struct weighed){ .agreeing_version = HISTORY_NONE };
    TRY(instant_looks_open(&asked, p->v, r, err));
    weighed->tells = instant_looks_tell(&asked, r);
    if (weighed->tells)
        status = weigh_all(p, &asked, r, weighed, err);
    instant_looks_close(&asked);
    return status;
}

/* --- Steps ------------------------------------------------------------------- */

/* A look as of one instant at a key that its transaction had not written. */
static enum status find_strict(struct proof *p, struct visible_reader *r, struct error *err)
{
    uint32_t own;

    TRY(instant_look(p, r, err));
    own = instant_own(p, r);
    if (own != HISTORY_NONE)
        return instant_refuse(p, err, "its own transaction had written the key");
    return r->is_strict ? STATUS_OK : instant_refuse(p, err, "it did not look at one instant");
}

enum status instant_finds(struct proof *p, struct error *err)
{
    uint32_t version = VERSION_INITIAL;
    struct weighed weighed;
    struct visible_reader r = { 0 };

    TRY(find_strict(p, &r, err));
    TRY(instant_version(p, &p->step->first, r.key, &version, err));
    TRY(weigh(p, &r, &weighed, err));
    if (!weighed.tells)
        return instant_refuse(p, err, "the answer does not tell what it saw of the key");
    if (weighed.is_undecided || weighed.agreeing > 1)
        return instant_refuse(p, err, "it may have seen another version that agrees");
    if (weighed.agreeing == 0 && weighed.other > 0)
        return instant_contradict(p);
    if (weighed.agreeing_version != version)
        return instant_refuse(p, err, "it cannot have seen that version");
    return instant_sees(p, &r, version, err);
}

/* Another's version that does not agree with the answer. */
static enum status find_disagreeing(struct proof *p, struct visible_reader *r, uint32_t *other,
                                    struct error *err)
{
    enum match match = MATCH_UNDECIDED;

    TRY(find_strict(p, r, err));
    if (p->v->instants->w->reads_any)
        return instant_refuse(p, err, "the profile lets reads see any version");
    TRY(instant_counting(p, &p->step->second, r->key, other, err));
    if (version_txn(p->v, *other) == r->txn)
        return instant_refuse(p, err, "the other version is not another's");
    TRY(instant_look_agrees(p, r, *other, &match, err));
    return match == MATCH_NO
               ? STATUS_OK
               : instant_refuse(p, err, "the other version may agree with the answer");
}

enum status instant_found(struct proof *p, struct error *err)
{
    struct visible_reader r = { 0 };
    struct visibility seen;
    uint32_t other = VERSION_INITIAL;

    TRY(find_disagreeing(p, &r, &other, err));
    TRY(visible_begin(&seen, &p->k, &r, err));
    if (!visible_is_there(&seen, other))
        return instant_refuse(p, err, "the other version need not have been there");
    return known_depend(&p->k, version_txn(p->v, other), r.txn, false, err);
}

enum status instant_not_found(struct proof *p, struct error *err)
{
    struct visible_reader r = { 0 };
    struct visibility seen;
    uint32_t other = VERSION_INITIAL;

    TRY(find_disagreeing(p, &r, &other, err));
    TRY(visible_begin(&seen, &p->k, &r, err));
    if (!visible_is_behind(&seen, other))
        return instant_refuse(p, err, "the other version may have been there");
    return known_depend(&p->k, r.txn, version_txn(p->v, other), true, err);
}

/* --- A row that is wrong by itself -------------------------------------------- */

/* By the answer alone. */
static enum status is_wrong_by_itself(struct proof *p, const struct visible_reader *r,
                                      bool *is_wrong, struct error *err)
{
    const struct history *h = p->v->h;
    struct asked asked;

    TRY(instant_looks_open(&asked, p->v, r, err));
    p->came_twice = lookup_came_twice(p->v, r->head, r->key);
    *is_wrong = p->came_twice;
    if (asked.row != HISTORY_NONE && h->op_kind[r->head] == OP_SELECT)
        *is_wrong |= instant_looks_match(&asked, asked.row) == MATCH_NO;
    instant_looks_close(&asked);
    return STATUS_OK;
}

/* No version that it may have seen agrees. */
static enum status disagrees(struct proof *p, const struct visible_reader *r, bool is_strict,
                             bool *is_wrong, struct error *err)
{
    bool came = lookup_row_of(p->v, r->head, r->key) != HISTORY_NONE;
    struct weighed weighed;

    TRY(weigh(p, r, &weighed, err));
    *is_wrong =
        weighed.tells && !weighed.is_undecided && weighed.agreeing == 0 && weighed.other > 0;
    /* One that was deleted and inserted meanwhile may never have been looked at. */
    if (!is_strict && !came && weighed.other != 1)
        *is_wrong = false;
    return STATUS_OK;
}

enum status instant_row(struct proof *p, struct error *err)
{
    struct visible_reader r = { 0 };
    uint32_t own;
    bool is_wrong, is_strict;

    TRY(instant_look(p, &r, err));
    TRY(is_wrong_by_itself(p, &r, &is_wrong, err));
    if (is_wrong)
        return STATUS_OK;
    own = instant_own(p, &r);
    if (own != HISTORY_NONE)
        return instant_refuse(p, err, "its own transaction had written the key");
    is_strict = r.is_strict;
    TRY(disagrees(p, &r, is_strict, &is_wrong, err));
    if (!is_wrong && workings_time_operations(p->v->instants->w)) {
        r.is_early = true;
        r.is_strict = false;
        TRY(disagrees(p, &r, is_strict, &is_wrong, err));
    }
    return is_wrong ? STATUS_OK : instant_refuse(p, err, "it may have seen what the answer says");
}
