#include "verify/instants/instant_locks_private.h"

#include <inttypes.h>

#include "verify/instants/instant_order.h"
#include "verify/instants/instant_proof.h"
#include "verify/instants/instant_reads_private.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/instants/visible_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/versions/answer.h"
#include "verify/witness/workings.h"

/* --- Locks ------------------------------------------------------------------- */

/* Whether a read takes its lock when it looks, as far as is known. */
static bool locks_at_view(const struct verifier *v, uint32_t head, uint32_t op)
{
    return instants_own_view(v, head, op) != NO_POINT &&
           (instants_asks_for_locks(v->h, head) || v->instants->w->view == READS_BY_ROW);
}

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
    struct proof_step as_read = *p->step;
    const struct proof_step *step = p->step;
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
    lock->start = locks_at_view(v, lock->head, lock->reader.op)
                      ? instants_own_view(v, lock->head, lock->reader.op)
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

static enum status refuse_txn(struct order *o, uint32_t txn, uint32_t key, const char *why,
                              struct error *err)
{
    return verify_refuse(o->v, err, "transaction %" PRId64 ", %.*s: %s", o->v->h->txn_id[txn],
                         TEXT_PRINT(history_key(o->v->h, key)), why);
}

/* When a lock is given back at the earliest. */
static int64_t released_at(const struct order *o, uint32_t txn)
{
    return o->v->instants->w->timing == TIMED_FULL ? o->time[o->commit_place[txn]]
                                                   : o->v->instants->commit[txn].low;
}

/* --- Locks in an order ----------------------------------------------------------- */

/* Of locks that were given back so far, the last one; by place, and by time. */
struct given_back {
    uint32_t place;
    int64_t time;
};

struct lock_taken {
    uint32_t txn, head, key;
    bool is_write;
    uint32_t start; /* the place of an instant behind it */
    int64_t until;  /* it had been taken by then */
};

/* By key, and by what the locks were for. */
struct locks {
    struct order *o;
    struct given_back *writes, *reads;
    ARRAY(struct lock_taken) taken;           /* by the transaction at hand */
    ARRAY(struct lock_taken) ranges, written; /* all looks that lock, and all writes, so far */
};

static void give_back(const struct order *o, struct given_back *last, uint32_t txn)
{
    int64_t time = released_at(o, txn);

    if (last->place == 0 || time > last->time)
        last->time = time;
    last->place = o->commit_place[txn];
}

static bool excludes(const struct given_back *last, const struct lock_taken *lock)
{
    return last->place != 0 && (last->place >= lock->start || last->time > lock->until);
}

/* A lock of the statement or item `head` that its operation or row `op` takes. */
static enum status take(struct locks *l, struct lock_taken lock, uint32_t op, struct error *err)
{
    struct order *o = l->o;

    lock.start = !lock.is_write && locks_at_view(o->v, lock.head, op)
                     ? instant_order_view_place(o, lock.txn, lock.head, op)
                     : o->commit_place[lock.txn];
    lock.until = instants_op_times(o->v, lock.txn, lock.head).high;
    return array_push(&l->taken, lock, err);
}

/* Locks are of keys, but for a look: that is of what it did not find. */
static enum status take_all(struct locks *l, uint32_t txn, struct error *err)
{
    struct order *o = l->o;
    const struct verifier *v = o->v;
    const struct history *h = v->h;

    l->taken.count = 0;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        uint32_t key = op_is_head(h->op_kind[op]) ? HISTORY_NONE : h->op_key[op];
        bool is_look = instants_is_look(v, txn, op) && !instants_look_is_cut(v, op);
        bool is_read = answer_reads_value(v, txn, op) && lookup_own_before(v, op) == HISTORY_NONE;

        struct lock_taken lock = { .txn = txn, .head = v->op_head[op], .key = key };

        if (instant_order_is_open(o, lock.head, op))
            continue;
        lock.is_write = history_makes_version(h, op) && lookup_left(v, txn, key) == op;
        if (lock.is_write || ((is_look || is_read) && instants_read_locks(v, lock.head, op)))
            TRY(take(l, lock, op, err));
    }
    return STATUS_OK;
}

/* --- Locks of ranges --------------------------------------------------------- */

/* Whether what was written matches what was looked for. */
static enum status is_within(struct locks *l, const struct lock_taken *look,
                             const struct lock_taken *write, bool *within, struct error *err)
{
    struct verifier *v = l->o->v;
    struct visible_reader r = {
        .txn = look->txn, .head = look->head, .op = look->head, .key = write->key
    };
    struct asked asked;

    *within = false;
    TRY(verify_spend(v, MATCH_STEPS, err));
    if (look->txn == write->txn || !lookup_may_read(v, look->head, write->key) ||
        instant_order_is_open_look(l->o, look->head, write->key))
        return STATUS_OK;
    TRY(instant_looks_open(&asked, v, &r, err));
    *within = instant_looks_match(&asked, lookup_left(v, write->txn, write->key)) == MATCH_YES;
    instant_looks_close(&asked);
    return STATUS_OK;
}

/*
 * Of those that were given back before, from the last one: within times, as soon as one was given
 * back early enough, so were all before it.
 */
static enum status check_ranges(struct locks *l, const struct lock_taken *others, size_t count,
                                const struct lock_taken *lock, struct error *err)
{
    bool is_full = l->o->v->instants->w->timing == TIMED_FULL, within;

    for (size_t i = count; i-- > 0;) {
        struct given_back last = { l->o->commit_place[others[i].txn],
                                   released_at(l->o, others[i].txn) };

        if (!excludes(&last, lock)) {
            if (is_full)
                return STATUS_OK;
            TRY(verify_spend(l->o->v, 1, err));
            continue;
        }
        TRY(is_within(l, lock->is_write ? &others[i] : lock, lock->is_write ? lock : &others[i],
                      &within, err));
        if (within)
            return refuse_txn(l->o, lock->txn, lock->is_write ? lock->key : others[i].key,
                              "a range was locked by two at once", err);
    }
    return STATUS_OK;
}

static enum status check_lock(struct locks *l, const struct lock_taken *lock, struct error *err)
{
    const struct workings *w = l->o->v->instants->w;

    if (lock->key == HISTORY_NONE)
        return check_ranges(l, l->written.at, l->written.count, lock, err);
    if (lock->is_write)
        TRY(check_ranges(l, l->ranges.at, l->ranges.count, lock, err));
    if ((lock->is_write && excludes(&l->reads[lock->key], lock)) ||
        ((!lock->is_write || w->locks_writes) && excludes(&l->writes[lock->key], lock)))
        return refuse_txn(l->o, lock->txn, lock->key, "a key was locked by two at once", err);
    return STATUS_OK;
}

static enum status judge_locks_of(struct locks *l, uint32_t txn, struct error *err)
{
    TRY(take_all(l, txn, err));
    for (size_t i = 0; i < l->taken.count; i++)
        TRY(check_lock(l, &l->taken.at[i], err));
    for (size_t i = 0; i < l->taken.count; i++) {
        const struct lock_taken *lock = &l->taken.at[i];

        if (lock->key != HISTORY_NONE)
            give_back(l->o, lock->is_write ? &l->writes[lock->key] : &l->reads[lock->key], txn);
        if (lock->key == HISTORY_NONE)
            TRY(array_push(&l->ranges, *lock, err));
        else if (lock->is_write && l->o->v->instants->w->locks_absent)
            TRY(array_push(&l->written, *lock, err));
    }
    return STATUS_OK;
}

/* In the order of commits. */
static enum status judge_all_locks(struct locks *l, struct error *err)
{
    const struct witness *w = l->o->v->w;
    uint32_t txn = 0;

    for (size_t i = 0; i < w->instants.count; i++) {
        if (w->instants.at[i].kind != NAMED_COMMIT)
            continue;
        TRY(lookup_txn(l->o->v, w->instants.at[i].txn, &txn, err));
        TRY(judge_locks_of(l, txn, err));
    }
    return STATUS_OK;
}

enum status instant_locks_judge(struct order *o, struct error *err)
{
    const struct workings *w = o->v->instants->w;
    size_t keys = o->v->h->key_count;
    struct locks l = { .o = o };
    enum status status;

    if (!w->locks_writes && !w->locks_reads && !w->locks_for)
        return STATUS_OK;
    TRY(VERIFY_GET(o->v, l.writes, keys, err));
    TRY(VERIFY_GET(o->v, l.reads, keys, err));
    status = judge_all_locks(&l, err);
    array_close(&l.taken);
    array_close(&l.ranges);
    array_close(&l.written);
    return status;
}

/* --- Updaters in an order ---------------------------------------------------------------- */

/* In a chain, each looked when all before it had committed. */
static enum status judge_updaters_of(struct order *o, uint32_t key, struct error *err)
{
    const struct instants *in = o->v->instants;
    uint32_t last = 0;
    int64_t low = INT64_MIN;

    for (uint32_t i = 0; i < o->chain_end[key]; i++) {
        uint32_t version = instant_order_chain(o, key)[i], txn = version_txn(o->v, version);
        uint32_t view = in->w->view == READS_AT_COMMIT ? o->commit_place[txn] : o->view_place[txn];

        if (instant_order_is_open_write(o, version))
            continue;
        if (last >= view || (in->w->timing == TIMED_BY_KEY && low > in->times[txn].high))
            return refuse_txn(o, txn, key, "it looked before another updater had committed", err);
        last = o->commit_place[txn];
        if (in->commit[txn].low > low)
            low = in->commit[txn].low;
    }
    return STATUS_OK;
}

enum status instant_locks_judge_updaters(struct order *o, struct error *err)
{
    const struct workings *w = o->v->instants->w;

    if (!workings_first_wins(w))
        return STATUS_OK;
    for (uint32_t key = 0; key < o->v->h->key_count; key++)
        TRY(judge_updaters_of(o, key, err));
    return STATUS_OK;
}

/* --- Dependencies in an order ------------------------------------------------------------ */

static enum status depend_by_writes(struct order *o, struct error *err)
{
    for (uint32_t key = 0; key < o->v->h->key_count; key++)
        for (uint32_t i = 1; i < o->chain_end[key]; i++) {
            const uint32_t *pair = instant_order_chain(o, key) + i - 1;

            if (!instant_order_is_open_write(o, pair[0]) &&
                !instant_order_is_open_write(o, pair[1]))
                TRY(instant_order_depend(o, version_txn(o->v, pair[0]), version_txn(o->v, pair[1]),
                                         err));
        }
    return STATUS_OK;
}

/* Who read a version comes behind its writer, and before that of the next. */
static enum status depend_by_read(struct order *o, uint32_t txn, uint32_t op, struct error *err)
{
    uint32_t source = o->source[op], key = o->v->h->op_key[op], next;

    if (source != VERSION_INITIAL)
        TRY(instant_order_depend(o, version_txn(o->v, source), txn, err));
    next = instant_order_next_version(o, key, source);
    if (next != HISTORY_NONE && version_txn(o->v, next) == txn)
        next = instant_order_next_version(o, key, next);
    if (next == HISTORY_NONE || instant_order_is_open_write(o, next))
        return STATUS_OK;
    if (o->v->instants->w->certifier == CERTIFIES_READS && lookup_writes(o->v, txn) &&
        o->commit_place[txn] >= o->commit_place[version_txn(o->v, next)])
        return refuse_txn(o, txn, key, "what it had read was overwritten when it committed", err);
    return instant_order_depend(o, txn, version_txn(o->v, next), err);
}

static enum status depend_by_reads(struct order *o, struct error *err)
{
    const struct history *h = o->v->h;

    for (uint32_t txn = 0; txn < h->txn_count; txn++)
        for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
            if (answer_reads_value(o->v, txn, op) && o->source[op] != SOURCE_OPEN)
                TRY(depend_by_read(o, txn, op, err));
    return STATUS_OK;
}

static enum status sort_dependencies(struct order *o, struct error *err)
{
    struct known *k = &o->commits;
    bool is_circle = false, is_gap = false;

    for (size_t i = 0; i < o->dependencies.count; i++)
        TRY(known_depend(k, o->dependencies.at[i].from, o->dependencies.at[i].to, false, err));
    TRY(known_find_circle(k, &is_circle, err));
    if (is_circle)
        return verify_refuse(o->v, err, "transactions depend on each other in a circle");
    TRY(known_find_gap(k, &is_gap, err));
    return is_gap ? verify_refuse(o->v, err,
                                  "no timestamps within times are in the order of "
                                  "dependencies")
                  : STATUS_OK;
}

enum status instant_locks_judge_dependencies(struct order *o, struct error *err)
{
    if (!workings_certify(o->v->instants->w))
        return STATUS_OK;
    TRY(depend_by_writes(o, err));
    TRY(depend_by_reads(o, err));
    return sort_dependencies(o, err);
}
