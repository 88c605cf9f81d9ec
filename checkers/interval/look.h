/*
 * look: a read of a key, and which of its versions it can have seen.
 *
 *     is before    surely there when the view was taken
 *     is future    surely not there yet
 *     is hidden    another that was there came after it
 *
 * The same for a read of an item and for a statement that looks for rows.
 */
#ifndef CHECKERS_INTERVAL_LOOK_H
#define CHECKERS_INTERVAL_LOOK_H

#include "checkers/interval/mirror_private.h"

struct look {
    const struct live *live;
    const struct access *access;
    uint64_t txn;
    uint32_t point, key;
    int64_t asked_by; /* whoever wrote what it saw had begun to by then */
    struct times view;
};

/*
 * Who only knows a level knows nothing of the times of operations: a value that was there when it
 * was read, and is written again by whom the reader comes after, may count as his.
 */
static inline int64_t look_asked_by(const struct mirror *m, const struct access *a)
{
    bool knows_level_alone = m->profile.ignores_times ||
                             (m->profile.timing == TIMING_FULL && !m->profile.by_operations);

    return knows_level_alone ? TIMELINE_END : a->at.high;
}

static inline struct look look_of(const struct mirror *m, const struct live *live, uint32_t access,
                                  uint32_t key)
{
    const struct access *a = &live->accesses[access];
    uint32_t point = a->view == MIRROR_NONE ? live->view : a->view;
    struct times otherwise = { TIMELINE_BEGINNING, TIMELINE_END };

    if (m->profile.timing == TIMING_KEY)
        otherwise = (struct times){ live->at.low, a->at.high };
    return (struct look){ .live = live,
                          .access = a,
                          .txn = m->live_first + (uint64_t)(live - m->live.at),
                          .point = point,
                          .key = key,
                          .asked_by = look_asked_by(m, a),
                          .view = view_times(m, point, otherwise) };
}

static inline bool look_is_future(const struct mirror *m, const struct look *look,
                                  const struct version *v)
{
    return version_installed(m, v).low > look->view.high ||
           v->locked.low > look->asked_by ||
           (look->point != MIRROR_NONE && v->point != MIRROR_NONE &&
            timeline_knows(&m->timeline, look->point, v->point));
}

static inline bool look_is_before(const struct mirror *m, const struct look *look,
                                  const struct version *v)
{
    return version_installed(m, v).high < look->view.low ||
           (look->point != MIRROR_NONE && v->point != MIRROR_NONE &&
            timeline_knows(&m->timeline, v->point, look->point));
}

/*
 * The versions that surely were there, as far as they have been asked for. Whether one was is the
 * same for every version that it may hide, so a walk over a key's versions asks once for each.
 */
struct look_before {
    uint32_t next; /* the version to ask for next */
    uint32_t count;
    uint32_t versions[VERSIONS_LOOKED_AT];
};

static inline void look_before_init(struct look_before *before, const struct mirror *m,
                                    const struct look *look)
{
    before->next = m->profile.reads_any ? MIRROR_NONE : m->keys.at[look->key].newest;
    before->count = 0;
}

/* The version that hides another from the view, or NULL. */
const struct version *look_find_hiding(const struct mirror *, const struct look *,
                                       struct look_before *, const struct version *hidden);
/* A version of unknown outcome was seen: it had been committed before the reader was. */
void look_confirm(struct mirror *, const struct look *, struct version *);

/* Whether the read may have seen it. */
static inline bool look_may_see(const struct mirror *m, const struct look *look,
                                struct look_before *before, const struct version *v)
{
    return version_may_be_read(v) && v->txn != look->txn && !look_is_future(m, look, v) &&
           !look_find_hiding(m, look, before, v);
}

/* A finding: no version with the value can have been read. */
void read_accuse(struct mirror *, const struct look *);

/* Whoever installs a version after a read has been judged does so after its view. */
static inline bool look_times_imply_the_rest(const struct mirror *m)
{
    return m->profile.timing == TIMING_FULL && !profile_certifies(&m->profile);
}

#endif
