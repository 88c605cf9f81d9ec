/*
 * Steps about reads of items, and of rows that came.
 */
#include "verify/instants/instant_reads_private.h"

#include <inttypes.h>

#include "verify/instants/instant_looks_private.h"
#include "verify/instants/instant_proof.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/witness/workings.h"

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

enum status instant_sees(struct proof *p, const struct visible_reader *r, uint32_t version,
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
