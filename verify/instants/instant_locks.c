/*
 * Steps about locks, about who was the first of two updaters, and about structures.
 */
#include "verify/instants/instant_locks_private.h"

#include "verify/instants/instant_proof.h"
#include "verify/instants/instant_reads_private.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/witness/workings.h"

/* --- Locks ------------------------------------------------------------------- */

/* A lock of a key, taken by an operation, and given back at the commit. */
struct lock {
    uint32_t txn, head;
    uint32_t version; /* that it wrote, or HISTORY_NONE: it was taken to read */
    bool is_look;     /* of what did not come as well */
    struct visible_reader reader;
    struct window taken, released;
    uint64_t start; /* an instant after it was taken */
};

/* When a transaction's locks are given back: its commit; with `key`, as its versions are installed. */
static struct window released(const struct proof *p, uint32_t txn)
{
    const struct instants *in = p->v->instants;

    if (in->w->timing == TIMED_FULL)
        return known_window(&p->k, point_of_commit(txn));
    return in->w->timing == TIMED_BY_KEY ? in->commit[txn]
                                         : (struct window){ INT64_MIN, INT64_MAX };
}

static enum status take_write_lock(struct proof *p, struct lock *lock, uint32_t version,
                                   struct error *err)
{
    if (!visible_counts(&p->k, version))
        return instant_refuse(p, err, "nobody knows whether one of the two committed");
    lock->version = version;
    lock->start = point_of_commit(lock->txn);
    return STATUS_OK;
}

/* A row that is read as it is there is read when its lock has been taken. */
static enum status take_read_lock(struct proof *p, struct lock *lock,
                                  const struct witness_name *name, struct error *err)
{
    struct verifier *v = p->v;
    const struct workings *w = v->instants->w;
    struct proof_step as_read = *p->step;
    const struct proof_step *step = p->step;
    uint64_t own;
    uint32_t written;
    enum status status;

    as_read.read = *name;
    p->step = &as_read;
    status = instant_reader(p, &lock->reader, err);
    p->step = step;
    TRY(status);
    lock->is_look = lock->reader.is_look;
    written = instant_own(p, &lock->reader);
    if (!lock->is_look && written != HISTORY_NONE)
        return instant_refuse(p, err, "the read is of its transaction's own");
    if (!instants_read_locks(v, lock->head, lock->reader.op) ||
        (lock->is_look && instants_look_is_cut(v, lock->head)))
        return instant_refuse(p, err, "the read takes no lock");
    own = instants_own_view(v, lock->head, lock->reader.op);
    lock->start =
        own != NO_POINT && (instants_asks_for_locks(v->h, lock->head) || w->view == READS_BY_ROW)
            ? own
            : point_of_commit(lock->txn);
    return STATUS_OK;
}

static enum status find_lock(struct proof *p, const struct witness_name *name, uint32_t key,
                             struct lock *lock, struct error *err)
{
    struct verifier *v = p->v;
    uint32_t version;

    *lock = (struct lock){ .version = HISTORY_NONE };
    TRY(instant_op(p, name, &lock->txn, &lock->head, err));
    lock->taken = instants_op_times(v, lock->txn, lock->head);
    lock->released = released(p, lock->txn);
    version = lookup_left(v, lock->txn, key);
    if (version != HISTORY_NONE && lookup_made_version(v, lock->head, version))
        return take_write_lock(p, lock, version, err);
    return take_read_lock(p, lock, name, err);
}

/* What was looked for and not found is locked against those who would make it match. */
static enum status check_range(struct proof *p, const struct lock *look, const struct lock *write,
                               struct error *err)
{
    struct asked asked;
    enum match match;

    if (!look->is_look)
        return STATUS_OK;
    TRY(instant_looks_open(&asked, p->v, &look->reader, err));
    match = instant_looks_match(&asked, write->version);
    instant_looks_close(&asked);
    return match == MATCH_YES ? STATUS_OK
                              : instant_refuse(p, err, "what was written does not match");
}

static enum status check_exclusion(struct proof *p, const struct lock *a, const struct lock *b,
                                   struct error *err)
{
    if (a->txn == b->txn)
        return instant_refuse(p, err, "they are of one transaction");
    if (a->version != HISTORY_NONE && b->version != HISTORY_NONE)
        return p->v->instants->w->locks_writes
                   ? STATUS_OK
                   : instant_refuse(p, err, "the profile's writes do not exclude each other");
    if (a->version == HISTORY_NONE && b->version == HISTORY_NONE)
        return instant_refuse(p, err, "two reads do not exclude each other");
    return a->version == HISTORY_NONE ? check_range(p, a, b, err) : check_range(p, b, a, err);
}

static bool lock_can_precede(const struct lock *a, const struct lock *b)
{
    return a->released.low <= b->taken.high;
}

enum status instant_locks(struct proof *p, bool is_last, struct error *err)
{
    struct lock first, second;
    uint32_t key;

    TRY(lookup_key(p->v, p->step->key, &key, err));
    TRY(find_lock(p, &p->step->first, key, &first, err));
    TRY(find_lock(p, &p->step->second, key, &second, err));
    TRY(check_exclusion(p, &first, &second, err));
    if (lock_can_precede(&second, &first))
        return instant_refuse(p, err, "the second may have had the lock first");
    if (!is_last)
        return known_lay(&p->k, point_of_commit(first.txn), second.start, err);
    return lock_can_precede(&first, &second)
               ? instant_refuse(p, err, "the first may have had the lock first")
               : STATUS_OK;
}

/* --- Updaters ---------------------------------------------------------------- */

/* When a transaction can have looked: as of its view, or, if it has none, within its times. */
static struct window looked(const struct proof *p, uint32_t txn)
{
    const struct instants *in = p->v->instants;
    uint64_t view = instants_txn_view(p->v, txn);

    if (in->w->timing == TIMED_NOT)
        return (struct window){ INT64_MIN, INT64_MAX };
    return in->w->timing == TIMED_FULL && view != NO_POINT ? known_window(&p->k, view)
                                                           : in->times[txn];
}

static bool updater_can_precede(const struct proof *p, uint32_t a, uint32_t b)
{
    uint64_t view = instants_txn_view(p->v, b);

    if (released(p, a).low > looked(p, b).high)
        return false;
    return view == NO_POINT || !known_before(&p->k, view, point_of_commit(a));
}

enum status instant_first_wins(struct proof *p, bool is_last, struct error *err)
{
    struct verifier *v = p->v;
    uint32_t key, versions[2] = { 0 }, first, second;
    uint64_t view;

    if (!workings_first_wins(v->instants->w))
        return instant_refuse(p, err, "the profile lets both update");
    TRY(lookup_key(v, p->step->key, &key, err));
    TRY(instant_counting(p, &p->step->first, key, &versions[0], err));
    TRY(instant_counting(p, &p->step->second, key, &versions[1], err));
    if (versions[0] == versions[1])
        return instant_refuse(p, err, "they are of one transaction");
    first = version_txn(v, versions[0]);
    second = version_txn(v, versions[1]);
    if (updater_can_precede(p, second, first))
        return instant_refuse(p, err, "the second may have been the first");
    if (is_last)
        return updater_can_precede(p, first, second)
                   ? instant_refuse(p, err, "the first may have been so")
                   : STATUS_OK;
    view = instants_txn_view(v, second);
    return view == NO_POINT ? STATUS_OK : known_lay(&p->k, point_of_commit(first), view, err);
}

/* --- Structures -------------------------------------------------------------- */

enum status instant_structure(struct proof *p, struct error *err)
{
    struct verifier *v = p->v;
    const struct instants *in = v->instants;
    uint32_t a, b, c;
    int64_t over, began;

    TRY(instant_txn(p, p->step->txns.at[0], &a, err));
    TRY(instant_txn(p, p->step->txns.at[1], &b, err));
    TRY(instant_txn(p, p->step->txns.at[2], &c, err));
    if (in->w->certifier != CERTIFIES_WRITE_SKEW)
        return instant_refuse(p, err, "the profile does not look for them");
    if (!known_missed(&p->k, a, b) || !known_missed(&p->k, b, c))
        return instant_refuse(p, err, "no step says that each missed what the next wrote");
    over = known_window(&p->k, point_of_commit(c)).high;
    began = known_window(&p->k, point_of_view(a)).low;
    if (over >= in->commit[a].low || over >= in->commit[b].low)
        return instant_refuse(p, err, "the last need not have been the first to commit");
    if (over < began || (lookup_writes(v, a) && known_window(&p->k, point_of_view(b)).high < began))
        return STATUS_OK;
    return instant_refuse(p, err, "the first may have begun too early");
}
