/*
 * key_versions: the versions of each key, newest first, and who read or locked them.
 *
 * Versions that nobody to come can read are let go.
 */
#ifndef CHECKERS_INTERVAL_KEY_VERSIONS_PRIVATE_H
#define CHECKERS_INTERVAL_KEY_VERSIONS_PRIVATE_H

#include "checkers/interval/interval_model_private.h"

MUST_USE enum status key_versions_add(struct interval_model *, uint32_t key, struct error *);

/* The keys up to that one are there from now on. */
MUST_USE static inline enum status key_versions_of(struct interval_model *m, uint32_t key,
                                                   struct key_state **state, struct error *err)
{
    if (key >= m->keys.count)
        TRY(key_versions_add(m, key, err));
    *state = &m->keys.at[key];
    return STATUS_OK;
}

/* What it holds at first is known, nothing if nobody said it. */
MUST_USE static inline enum status key_versions_know(struct interval_model *m, uint32_t key,
                                                     struct error *err)
{
    return key < m->keys.count && m->keys.at[key].is_known ? STATUS_OK
                                                           : interval_model_initial(m, key, 0, err);
}

MUST_USE enum status key_versions_install(struct interval_model *, struct live_txn *,
                                          struct txn_access *, struct error *);
/* The first of a walk that meets all versions which have that value: key_versions_next_of_value(). */
uint32_t key_versions_of_value(const struct interval_model *, uint32_t key, uint64_t value);

static inline uint32_t key_versions_next_of_value(const struct interval_model *m,
                                                  const struct key_version *v, int64_t time)
{
    return m->profile.timing == TIMING_NONE ? v->same : version_older(m, v, time);
}

/* Those whose transactions have gone make room first. */
MUST_USE enum status key_versions_add_reader(const struct interval_model *, struct key_readers *,
                                             struct key_reader, struct error *);
/* Lets go what nobody can ask for any more. */
MUST_USE enum status key_versions_collect(struct interval_model *, struct key_state *,
                                          struct error *);

/*
 * Whether a view of a key, within these times, may see what was written in a gap: no version that
 * surely came after the gap surely came before the view.
 */
bool key_versions_gap_reaches(const struct interval_model *, uint32_t key, struct time_window view);

static inline bool gap_reaches(const struct interval_model *m, uint32_t key,
                               struct time_window view)
{
    return (m->gaps.is_open || m->gaps.closed.count > 0) && key_versions_gap_reaches(m, key, view);
}

#endif
