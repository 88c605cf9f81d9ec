/*
 * Locks of ranges. Where rows that were not found are locked too, nobody writes a row that
 * matches before the transaction that looked for it commits:
 *
 *     T0  select v >= 10 |--|                 commits |--|
 *     T1            insert v = 30 |--|    commits |--|            both had it at once
 *
 * Rows that came are locked by themselves (mutual_exclusion.c).
 */
#include "checkers/interval/mirror_private.h"

bool range_locks(const struct mirror *m, const struct access *query)
{
    return profile_locks_to_read(&m->profile, query->is_locking, false);
}

static enum status compare(struct mirror *m, const struct live *live, uint32_t access,
                           uint32_t key, uint32_t version, struct error *err)
{
    const struct access *query = &live->accesses[access];
    const struct version *v = &m->versions.at[version];
    uint64_t txn = m->live_first + (uint64_t)(live - m->live.at);

    if (v->state != VERSION_COMMITTED || v->txn == txn ||
        seek_matches(m, &live->queries[query->row], v->value, v->row) != PREDICATE_YES)
        return STATUS_OK;
    return lock_compare(m, live, query, key, version, err);
}

enum status range_lock_judge(struct mirror *m, const struct live *live, uint32_t access,
                             uint32_t key, struct error *err)
{
    int64_t from = m->profile.by_operations ? live->accesses[access].at.low : TIMELINE_BEGINNING;

    if (!range_locks(m, &live->accesses[access]))
        return STATUS_OK;
    for (uint32_t next = m->keys.at[key].newest; next != MIRROR_NONE;
         next = version_older(m, &m->versions.at[next], from))
        TRY(compare(m, live, access, key, next, err));
    return STATUS_OK;
}

enum status range_lock_installed(struct mirror *m, const struct live *live, uint32_t access,
                                 uint32_t key, uint32_t version, struct error *err)
{
    return range_locks(m, &live->accesses[access]) ? compare(m, live, access, key, version, err)
                                                   : STATUS_OK;
}
