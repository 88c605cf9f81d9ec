#include "store/shard/read_marks.h"

#include <assert.h>
#include <string.h>

#include "store/shard/shard_conflict.h"

void read_marks_open(struct read_marks *m, struct pool *pool)
{
    *m = (struct read_marks){ .pool = pool };
}

void read_marks_reset(struct read_marks *m, struct stamp low)
{
    m->low = low;
    m->keys.count = m->scopes.count = 0;
}

static void make_room(struct read_marks *m, uint32_t key)
{
    uint32_t missing;

    if (key < m->keys.count)
        return;
    missing = key + 1 - m->keys.count;
    pool_reserve(m->pool, &m->keys, missing);
    memset(&m->keys.at[m->keys.count], 0, missing * sizeof *m->keys.at);
    m->keys.count += missing;
}

void read_marks_add_key(struct read_marks *m, uint32_t key, struct stamp at)
{
    struct marked_key *marked;

    assert(at.txn != 0); /* a mark says who read there */
    if (!stamp_less(m->low, at))
        return;
    make_room(m, key);
    marked = &m->keys.at[key];
    if (at.txn == marked->last.txn) {
        marked->last = stamp_max(marked->last, at);
    } else if (stamp_less(marked->last, at)) {
        marked->before = marked->last;
        marked->last = at;
    } else if (stamp_less(marked->before, at)) {
        marked->before = at;
    }
}

void read_marks_add_scope(struct read_marks *m, uint32_t scope, struct stamp at)
{
    uint32_t place;

    assert(at.txn != 0);
    if (!stamp_less(m->low, at))
        return;
    pool_push(m->pool, &m->scopes, (struct marked_scope){ 0 });
    /* Nearly always near the end: who reads has begun just now. */
    for (place = m->scopes.count - 1; place > 0; place--) {
        if (!stamp_less(at, m->scopes.at[place - 1].at))
            break;
        m->scopes.at[place] = m->scopes.at[place - 1];
    }
    m->scopes.at[place] = (struct marked_scope){ at, scope };
}

struct stamp read_marks_of_key(const struct read_marks *m, uint32_t key, uint64_t txn)
{
    const struct marked_key *marked;

    if (key >= m->keys.count)
        return m->low;
    marked = &m->keys.at[key];
    return stamp_max(m->low, marked->last.txn == txn ? marked->before : marked->last);
}

struct stamp read_marks_of_change(const struct read_marks *m, const struct shard *shard,
                                  const struct row_change *change, uint64_t txn,
                                  struct stamp least)
{
    const struct text *after = change->is_removed ? NULL : &change->row;

    for (uint32_t i = m->scopes.count; i-- > 0;) {
        const struct marked_scope *marked = &m->scopes.at[i];

        if (!stamp_less(least, marked->at))
            break;
        if (marked->at.txn != txn && shard_touches(shard, marked->scope, change->key, after, stamp_never()))
            return marked->at;
    }
    return (struct stamp){ 0 };
}

bool read_marks_fold(struct read_marks *m, struct stamp below)
{
    uint32_t gone = 0;

    while (gone < m->scopes.count && !stamp_less(below, m->scopes.at[gone].at))
        gone++;
    if (gone == 0)
        return false;
    m->low = stamp_max(m->low, m->scopes.at[gone - 1].at);
    m->scopes.count -= gone;
    memmove(m->scopes.at, m->scopes.at + gone, m->scopes.count * sizeof *m->scopes.at);
    return true;
}
