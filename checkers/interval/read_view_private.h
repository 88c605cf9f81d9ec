/*
 * read_view: a read of a key, and which of its versions it can have seen.
 *
 *     is before    surely there when the view was taken
 *     is future    surely not there yet
 *     is hidden    another that was there came after it
 *
 * The same for a read of an item and for a statement that looks for rows.
 */
#ifndef CHECKERS_INTERVAL_READ_VIEW_PRIVATE_H
#define CHECKERS_INTERVAL_READ_VIEW_PRIVATE_H

#include "checkers/interval/interval_model_private.h"

struct read_view {
    const struct live_txn *live;
    const struct txn_access *access;
    uint64_t txn;
    uint32_t point, key;
    int64_t asked_by; /* whoever wrote what it saw had begun to by then */
    struct time_window view;
};

/*
 * Who only knows a level knows nothing of the times of operations: a value that was there when it
 * was read, and is written again by whom the reader comes after, may count as his.
 */
static inline int64_t read_view_asked_by(const struct interval_model *m, const struct txn_access *a)
{
    bool knows_level_alone =
        m->profile.ignores_times || (m->profile.timing == TIMING_FULL && !m->profile.by_operations);

    return knows_level_alone ? TIMELINE_END : a->at.high;
}

static inline struct read_view read_view_of(const struct interval_model *m,
                                            const struct live_txn *live, uint32_t access,
                                            uint32_t key)
{
    const struct txn_access *a = &live->accesses[access];
    uint32_t point = a->view == INTERVAL_NONE ? live->view : a->view;
    struct time_window otherwise = { TIMELINE_BEGINNING, TIMELINE_END };

    if (m->profile.timing == TIMING_KEY)
        otherwise = (struct time_window){ live->at.low, a->at.high };
    return (struct read_view){ .live = live,
                               .access = a,
                               .txn = m->live_first + (uint64_t)(live - m->live.at),
                               .point = point,
                               .key = key,
                               .asked_by = read_view_asked_by(m, a),
                               .view = view_times(m, point, otherwise) };
}

static inline bool read_view_is_future(const struct interval_model *m, const struct read_view *read,
                                       const struct key_version *v)
{
    return version_installed(m, v).low > read->view.high || v->locked.low > read->asked_by ||
           (read->point != INTERVAL_NONE && v->point != INTERVAL_NONE &&
            timeline_knows(&m->timeline, read->point, v->point));
}

static inline bool read_view_is_before(const struct interval_model *m, const struct read_view *read,
                                       const struct key_version *v)
{
    return version_installed(m, v).high < read->view.low ||
           (read->point != INTERVAL_NONE && v->point != INTERVAL_NONE &&
            timeline_knows(&m->timeline, v->point, read->point));
}

/*
 * The versions that surely were there, as far as they have been asked for. Whether one was is the
 * same for every version that it may hide, so a walk over a key's versions asks once for each.
 */
struct read_view_before {
    uint32_t next; /* the version to ask for next */
    uint32_t count;
    uint64_t rank_max; /* of their instants, where they were gathered at once; else UINT64_MAX */
    uint32_t *versions;
};

/* There is room for INTERVAL_VERSIONS_LOOKED_AT. */
static inline void read_view_before_init(struct read_view_before *before, uint32_t *room,
                                         const struct interval_model *m,
                                         const struct read_view *read)
{
    before->versions = room;
    before->next = m->profile.reads_any ? INTERVAL_NONE : m->keys.at[read->key].newest;
    before->count = 0;
    before->rank_max = UINT64_MAX;
}

/* All of them at once, in no order, where there is a quicker way than to walk over the versions. */
void read_view_before_gather(struct read_view_before *, struct interval_model *,
                             const struct read_view *);

/* The version that hides another from the view, or NULL. */
const struct key_version *read_view_find_hiding(const struct interval_model *,
                                                const struct read_view *, struct read_view_before *,
                                                const struct key_version *hidden);
/* A version of unknown outcome was seen: it had been committed before the reader was. */
void read_view_confirm(struct interval_model *, const struct read_view *, struct key_version *);

/* Whether the read may have seen it. */
static inline bool read_view_may_see(const struct interval_model *m, const struct read_view *read,
                                     struct read_view_before *before, const struct key_version *v)
{
    return version_may_be_read(v) && v->txn != read->txn && !read_view_is_future(m, read, v) &&
           !read_view_find_hiding(m, read, before, v);
}

/* Whoever installs a version after a read has been judged does so after its view. */
static inline bool model_times_imply_the_rest(const struct interval_model *m)
{
    return m->profile.timing == TIMING_FULL && !profile_certifies(&m->profile);
}

#endif
