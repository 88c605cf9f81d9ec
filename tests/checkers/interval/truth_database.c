#include <assert.h>
#include <string.h>

#include "tests/checkers/interval/truth_private.h"

#define LAG_INSTANTS 512     /* snapshots by clocks are older by so much at the most, and twice */
#define OLDEST_EVERY 64      /* commits */
#define SNAPSHOT_LAG { 1, 4 } /* of the transactions whose instants have nothing to do with time */

enum status database_init(struct truth_database *d, struct truth *truth, struct error *err)
{
    *d = (struct truth_database){ .truth = truth, .profile = truth->options.profile };
    TRY(memory_resize((void **)&d->keys, truth->options.keys, sizeof *d->keys, err));
    memset(d->keys, 0, truth->options.keys * sizeof *d->keys);
    TRY(memory_resize((void **)&d->certified, TRUTH_CERTIFIED, sizeof *d->certified, err));
    memset(d->certified, 0, TRUTH_CERTIFIED * sizeof *d->certified);
    return array_reserve(&d->woken, TRUTH_SESSIONS_MAX + 1, err);
}

void database_close(struct truth_database *d)
{
    for (size_t i = 0; d->keys && i < d->truth->options.keys; i++) {
        array_close(&d->keys[i].versions);
        array_close(&d->keys[i].readers);
    }
    free(d->keys);
    free(d->certified);
    array_close(&d->woken);
}

static bool certifies(const struct truth_database *d)
{
    return d->profile->view == VIEW_TRANSACTION && profile_first_wins(d->profile) &&
           (d->profile->certifier == CERTIFIER_CYCLES ||
            d->profile->certifier == CERTIFIER_WRITE_SKEW);
}

/* Who only reads reads as of one instant, which is also that of its commit. */
static bool reads_as_of(const struct truth_database *d, const struct truth_work *work)
{
    return d->profile->view == VIEW_COMMIT && !d->profile->locks_reads &&
           !d->profile->by_operations && work->is_reader;
}

/* Nothing that was read may have changed by the commit, but for who writes nothing. */
static bool validates(const struct truth_database *d, const struct truth_work *work)
{
    if (d->profile->view == VIEW_COMMIT)
        return !d->profile->locks_reads && !reads_as_of(d, work);
    return profile_certifies(d->profile) && !certifies(d) && work->write_count > 0;
}

/* --- Instants ------------------------------------------------------------------------------ */

static uint64_t next_instant(struct truth_database *d)
{
    d->instant++;
    if (d->instant >= d->next_horizon) {
        d->horizon = d->next_horizon > LAG_INSTANTS ? d->next_horizon - LAG_INSTANTS : 0;
        d->next_horizon = d->instant + LAG_INSTANTS;
    }
    return d->instant;
}

static void find_oldest(struct truth_database *d)
{
    d->oldest = d->horizon;
    for (size_t i = 1; i <= d->truth->options.sessions; i++)
        if (d->works[i] && d->works[i]->snapshot != 0 && d->works[i]->snapshot < d->oldest)
            d->oldest = d->works[i]->snapshot;
    d->until_oldest = OLDEST_EVERY;
}

/* Where instants have nothing to do with time, it may be an old one. */
static void take_snapshot(struct truth_database *d, struct truth_work *work)
{
    struct random *random = &d->truth->random;
    uint64_t now = d->instant, from = d->horizon > 0 ? d->horizon : 1;

    work->snapshot = now;
    if (d->profile->timing != TIMING_NONE || d->profile->view == VIEW_STATEMENT ||
        d->profile->view == VIEW_ROW || now <= from)
        return;
    if ((d->profile->view == VIEW_TRANSACTION || reads_as_of(d, work)) &&
        random_chance(random, (struct ratio)SNAPSHOT_LAG))
        work->snapshot = from + random_below(random, now - from + 1);
}

const struct truth_version *database_version(const struct truth_key *key, uint64_t until)
{
    for (size_t i = key->versions.count; i > 0; i--)
        if (key->versions.at[i - 1].instant <= until)
            return &key->versions.at[i - 1];
    return NULL;
}

static uint64_t newest_instant(const struct truth_key *key)
{
    return key->versions.count == 0 ? 0 : key->versions.at[key->versions.count - 1].instant;
}

/* What nobody can read any more but the fault of reading too old a version. */
static void forget_versions(struct truth_database *d, struct truth_key *key)
{
    size_t past = 0;

    while (past + 2 < key->versions.count && key->versions.at[past + 2].instant <= d->oldest)
        past++;
    if (past < 4)
        return;
    key->versions.count -= past;
    memmove(key->versions.at, key->versions.at + past,
            key->versions.count * sizeof *key->versions.at);
}

/* --- Locks ---------------------------------------------------------------------------------- */

static bool is_sharing(const struct truth_key *key, uint16_t session)
{
    return key->shared[(session - 1) / 64] >> ((session - 1) % 64) & 1;
}

/* Who waits is younger than whom it waits for: so nobody waits for himself. */
static bool may_wait_for(const struct truth_database *d, const struct truth_work *work,
                         uint16_t holder)
{
    return work->told.trace.number > d->works[holder]->told.trace.number;
}

static enum truth_outcome wait_for_key(struct truth_database *d, struct truth_key *key,
                                       const struct truth_work *work)
{
    d->next_waiter[work->session] = key->waiters;
    key->waiters = work->session;
    return OUTCOME_WAITS;
}

static enum truth_outcome lock_exclusive(struct truth_database *d, struct truth_key *key,
                                         const struct truth_work *work)
{
    bool is_free = key->owner == 0 || key->owner == work->session, may_wait = true;

    if (!is_free)
        may_wait = may_wait_for(d, work, key->owner);
    for (uint16_t s = 1; d->profile->locks_reads && s <= d->truth->options.sessions; s++) {
        if (s == work->session || !is_sharing(key, s))
            continue;
        is_free = false;
        may_wait &= may_wait_for(d, work, s);
    }
    if (is_free)
        key->owner = work->session;
    else if (may_wait)
        return wait_for_key(d, key, work);
    return is_free ? OUTCOME_DONE : OUTCOME_FAILS;
}

static enum truth_outcome lock_shared(struct truth_database *d, struct truth_key *key,
                                      const struct truth_work *work)
{
    if (key->owner != 0 && key->owner != work->session)
        return may_wait_for(d, work, key->owner) ? wait_for_key(d, key, work) : OUTCOME_FAILS;
    key->shared[(work->session - 1) / 64] |= UINT64_C(1) << ((work->session - 1) % 64);
    return OUTCOME_DONE;
}

static void unlock(struct truth_database *d, struct truth_key *key, uint16_t session)
{
    bool had = key->owner == session || is_sharing(key, session);

    key->shared[(session - 1) / 64] &= ~(UINT64_C(1) << ((session - 1) % 64));
    if (key->owner == session)
        key->owner = 0;
    while (had && key->waiters != 0) {
        d->woken.at[d->woken.count++] = key->waiters;
        key->waiters = d->next_waiter[key->waiters];
    }
}

static void unlock_all(struct truth_database *d, const struct truth_work *work)
{
    for (size_t i = 0; i < work->op_count; i++)
        unlock(d, &d->keys[work->ops[i].key], work->session);
    unlock(d, &d->keys[work->tried_key], work->session);
}

/* --- Operations ------------------------------------------------------------------------------ */

void database_begin(struct truth_database *d, struct truth_work *work)
{
    work->told.trace.number = ++d->newest_txn;
    d->works[work->session] = work;
    if (certifies(d))
        certifier_begin(d, work);
    if (d->profile->view != VIEW_COMMIT && random_chance(&d->truth->random, (struct ratio){ 1, 4 }))
        take_snapshot(d, work);
}

bool work_find_own(const struct truth_work *work, uint32_t key, uint64_t *value)
{
    for (size_t i = work->write_count; i > 0; i--)
        if (work->ops[work->writes[i - 1]].key == key) {
            *value = work->ops[work->writes[i - 1]].value;
            return true;
        }
    return false;
}

static enum truth_outcome lock_to_read(struct truth_database *d, struct truth_work *work,
                                       struct truth_key *key, bool is_locking)
{
    if (is_locking && d->profile->locks_for)
        return lock_exclusive(d, key, work);
    return d->profile->locks_reads ? lock_shared(d, key, work) : OUTCOME_DONE;
}

/* The instant as of which a read reads. */
static uint64_t view_of(const struct truth_database *d, const struct truth_work *work,
                        bool is_locking)
{
    bool is_locked = is_locking && d->profile->locks_for && !profile_first_wins(d->profile);

    if (d->profile->view == VIEW_TRANSACTION)
        return is_locked ? d->instant : work->snapshot;
    return reads_as_of(d, work) ? work->snapshot : d->instant;
}

enum status database_read(struct truth_database *d, struct truth_work *work, uint32_t key,
                          bool is_locking, uint64_t *value, enum truth_outcome *outcome,
                          struct error *err)
{
    struct truth_key *k = &d->keys[key];
    const struct truth_version *v;

    work->tried_key = key;
    if (fault_reads_dirty(d->truth, work, key, value)) {
        *outcome = OUTCOME_DONE;
        work->instants[work->op_count] = next_instant(d);
        work->sources[work->op_count] = TRUTH_OWN_SOURCE;
        return STATUS_OK;
    }
    *outcome = lock_to_read(d, work, k, is_locking);
    if (*outcome != OUTCOME_DONE)
        return STATUS_OK;
    work->instants[work->op_count] = next_instant(d);
    if (work->snapshot == 0)
        take_snapshot(d, work);
    if (is_locking && d->profile->locks_for && profile_first_wins(d->profile) &&
        newest_instant(k) > work->snapshot)
        *outcome = OUTCOME_FAILS;
    work->sources[work->op_count] = TRUTH_OWN_SOURCE;
    if (!d->profile->hides_own && work_find_own(work, key, value))
        return STATUS_OK;
    v = d->profile->reads_any && k->versions.count > 0
            ? &k->versions.at[random_below(&d->truth->random, k->versions.count)]
            : database_version(k, view_of(d, work, is_locking));
    if (!fault_reads_stale(d->truth, work, k, &v))
        work->sources[work->op_count] = v ? v->instant : 0;
    *value = v ? v->value : 0;
    return certifies(d) ? certifier_read(d, work, key, err) : STATUS_OK;
}

void database_write(struct truth_database *d, struct truth_work *work, uint32_t key,
                           enum truth_outcome *outcome)
{
    struct truth_key *k = &d->keys[key];

    work->tried_key = key;
    *outcome = d->profile->locks_writes && !fault_skips_lock(d->truth, work, key)
                   ? lock_exclusive(d, k, work)
                   : OUTCOME_DONE;
    if (*outcome != OUTCOME_DONE)
        return;
    work->instants[work->op_count] = next_instant(d);
    if (work->snapshot == 0)
        take_snapshot(d, work);
    if (profile_first_wins(d->profile) && newest_instant(k) > work->snapshot &&
        !fault_loses_update(d->truth, work, &k->versions.at[k->versions.count - 1]))
        *outcome = OUTCOME_FAILS;
}

bool work_writes_last(const struct truth_work *work, size_t write)
{
    for (size_t i = write + 1; i < work->write_count; i++)
        if (work->ops[work->writes[i]].key == work->ops[work->writes[write]].key)
            return false;
    return true;
}

/* --- The end of a transaction ------------------------------------------------------------------ */

static bool is_still_valid(const struct truth_database *d, const struct truth_work *work)
{
    if (!validates(d, work))
        return true;
    for (size_t i = 0; i < work->op_count; i++)
        if (work->ops[i].kind == TRACE_READ && work->sources[i] != TRUTH_OWN_SOURCE &&
            newest_instant(&d->keys[work->ops[i].key]) != work->sources[i])
            return false;
    return true;
}

/* Where nothing was locked, somebody may have come since. */
static bool is_first(struct truth_database *d, const struct truth_work *work)
{
    for (size_t i = 0; i < work->write_count; i++) {
        const struct truth_key *key = &d->keys[work->ops[work->writes[i]].key];

        if (newest_instant(key) > work->snapshot &&
            !fault_loses_update(d->truth, work, &key->versions.at[key->versions.count - 1]))
            return false;
    }
    return true;
}

static bool may_commit(struct truth_database *d, const struct truth_work *work)
{
    if (profile_first_wins(d->profile) && !d->profile->locks_writes && !is_first(d, work))
        return false;
    return is_still_valid(d, work) &&
           (!certifies(d) || d->truth->options.fault == TRUTH_WRITE_SKEW ||
            certifier_commit(d, work));
}

static enum status install(struct truth_database *d, struct truth_work *work, struct error *err)
{
    for (size_t i = 0; i < work->write_count; i++) {
        const struct trace_op *op = &work->ops[work->writes[i]];
        struct truth_key *key = &d->keys[op->key];
        struct truth_version new = { .instant = d->instant,
                                     .value = op->value,
                                     .txn = work->told.trace.number,
                                     .view_high = work->view_high,
                                     .commit_low = work->commit_low,
                                     .completed = work->told.trace.completed };

        if (!work_writes_last(work, i))
            continue;
        TRY(array_push(&key->versions, new, err));
        forget_versions(d, key);
    }
    return STATUS_OK;
}

static void leave(struct truth_database *d, struct truth_work *work, uint64_t commit)
{
    if (certifies(d))
        certifier_end(d, work, commit);
    unlock_all(d, work);
    d->works[work->session] = NULL;
    if (d->until_oldest-- == 0)
        find_oldest(d);
}

enum status database_commit(struct truth_database *d, struct truth_work *work,
                            enum truth_outcome *outcome, struct error *err)
{
    uint64_t instant = next_instant(d);

    if (!may_commit(d, work)) {
        *outcome = OUTCOME_FAILS;
        database_abort(d, work);
        return STATUS_OK;
    }
    *outcome = OUTCOME_DONE;
    work->told.viewed = work->snapshot;
    work->told.committed = instant;
    TRY(install(d, work, err));
    if (certifies(d) && d->truth->options.fault == TRUTH_WRITE_SKEW)
        fault_skews_writes(d->truth, work);
    leave(d, work, instant);
    return STATUS_OK;
}

void database_abort(struct truth_database *d, struct truth_work *work)
{
    leave(d, work, 0);
}
