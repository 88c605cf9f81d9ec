#include "checkers/search/replay_private.h"

#include <string.h>

#include "base/bisect.h"
#include "checkers/values/contents.h"

/* What committed transactions left of a key, in the order of their commits. */
struct left {
    struct content content;
    uint32_t place; /* of the commit */
};

struct overlay {
    uint32_t stamp; /* the actor, plus one */
    struct content content;
};

struct replayer {
    const struct distilled *d;
    const struct fixed_order *base;
    const struct serial *serial;
    struct arena *arena;
    struct contents contents;
    uint32_t *place; /* by actor */
    uint64_t *start; /* by key */
    uint32_t *count; /* by key */
    struct left *left;
    struct overlay *own;     /* by key */
    ARRAY(uint32_t) written; /* keys, of the transaction at hand */
};

static uint32_t seen_by(const struct replayer *r, uint32_t place)
{
    return r->serial->seen ? r->serial->seen[place] : place;
}

/* --- Places ----------------------------------------------------------------------- */

static bool is_behind(const struct replayer *r, uint32_t first, uint32_t second)
{
    return r->place[first] < seen_by(r, r->place[second]);
}

static bool keeps_pairs(const struct replayer *r)
{
    const struct distilled *d = r->d;

    for (uint32_t i = 0; i < d->pair_count; i++)
        if (!is_behind(r, d->version_actor[d->pair_first[i]], d->version_actor[d->pair_second[i]]))
            return false;
    return true;
}

static bool keeps_sessions(const struct replayer *r)
{
    for (uint32_t actor = 0; actor < r->d->actor_count; actor++)
        if (r->base->before[actor] != NOBODY && !is_behind(r, r->base->before[actor], actor))
            return false;
    return true;
}

/* By barrier: the furthest that had passed it. */
static enum status keeps_times(const struct replayer *r, bool *keeps, struct error *err)
{
    const struct fixed_order *b = r->base;
    uint32_t *furthest; /* plus one */

    *keeps = true;
    TAKE(r->arena, furthest, b->barrier_count, err);
    for (uint32_t actor = 0; actor < r->d->actor_count; actor++) {
        uint32_t barrier = b->barrier_after[actor];

        if (barrier != NOBODY && furthest[barrier] < r->place[actor] + 1)
            furthest[barrier] = r->place[actor] + 1;
    }
    for (uint32_t i = 1; i < b->barrier_count; i++)
        if (furthest[i] < furthest[i - 1])
            furthest[i] = furthest[i - 1];
    for (uint32_t actor = 0; actor < r->d->actor_count; actor++)
        if (b->barrier_before[actor] != NOBODY &&
            furthest[b->barrier_before[actor]] > seen_by(r, r->place[actor]))
            *keeps = false;
    return STATUS_OK;
}

/* --- Answers ---------------------------------------------------------------------- */

static struct content initial_of(const struct replayer *r, uint32_t key)
{
    return content_of(history_initial(r->d->history, key));
}

/* The last that the first `seen` left. */
static struct content look(const struct replayer *r, uint32_t key, uint32_t seen)
{
    const struct left *left = r->left + r->start[key];
    uint32_t low = 0, high = r->count[key];

    if (high > 0 && left[high - 1].place < seen)
        return left[high - 1].content;
    BISECT(low, low, high, left[low].place < seen);
    return low > 0 ? left[low - 1].content : initial_of(r, key);
}

static struct content held(const struct replayer *r, uint32_t actor, uint32_t key, uint32_t seen)
{
    return r->own[key].stamp == actor + 1 ? r->own[key].content : look(r, key, seen);
}

static enum status write_key(struct replayer *r, uint32_t actor, uint32_t op, uint32_t seen,
                             struct error *err)
{
    uint32_t key = r->d->history->op_key[op];
    struct content before, after;

    before = held(r, actor, key, r->serial->overlaps ? r->place[actor] : seen);

    TRY(contents_write(&r->contents, before, op, &after, err));
    if (r->own[key].stamp != actor + 1)
        TRY(array_push(&r->written, key, err));
    r->own[key] = (struct overlay){ actor + 1, after };
    return STATUS_OK;
}

static enum status run_actor(struct replayer *r, uint32_t place, bool *holds, struct error *err)
{
    const struct history *h = r->d->history;
    uint32_t actor = r->serial->actors[place], txn = r->d->actor_txn[actor];
    uint32_t seen = seen_by(r, place);
    bool is_judged = h->txn_status[txn] == TXN_OK;

    r->written.count = 0;
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1] && *holds; op++) {
        if (h->op_flags[op] & OP_ERROR)
            continue;
        if (op_is_write(h->op_kind[op]))
            TRY(write_key(r, actor, op, seen, err));
        else if (is_judged && op_is_read(h->op_kind[op]) && h->op_value_kind[op] != VALUE_NONE)
            *holds = contents_equal(&r->contents, held(r, actor, h->op_key[op], seen),
                                    history_value(h, op));
    }
    for (size_t i = 0; i < r->written.count && *holds; i++) {
        uint32_t key = r->written.at[i], count = r->count[key]++;
        struct left *left = r->left + r->start[key];

        *holds = count == 0 || left[count - 1].place < seen || r->serial->overlaps;
        left[count] = (struct left){ r->own[key].content, place };
    }
    return STATUS_OK;
}

static enum status make_room(struct replayer *r, struct error *err)
{
    const struct distilled *d = r->d;
    const struct history *h = d->history;

    TAKE(r->arena, r->place, d->actor_count, err);
    TAKE(r->arena, r->start, h->key_count + 1, err);
    TAKE(r->arena, r->count, h->key_count, err);
    TAKE(r->arena, r->own, h->key_count, err);
    for (uint32_t key = 0; key < d->key_count; key++)
        r->start[d->key_name[key] + 1] = d->key_start[key + 1] - d->key_start[key];
    array_sum_prefixes(r->start, h->key_count + 1);
    TAKE(r->arena, r->left, r->start[h->key_count], err);
    for (uint32_t i = 0; i < d->actor_count; i++)
        r->place[r->serial->actors[i]] = i;
    return STATUS_OK;
}

static enum status replay_all(struct replayer *r, bool *holds, struct error *err)
{
    TRY(make_room(r, err));
    for (uint32_t i = 0; i < r->d->actor_count && *holds; i++)
        *holds = seen_by(r, i) <= i;
    if (*holds && r->base->closing == CLOSING_SESSION)
        *holds = keeps_sessions(r);
    if (*holds && r->base->closing == CLOSING_TIME)
        TRY(keeps_times(r, holds, err));
    if (*holds)
        *holds = keeps_pairs(r);
    for (uint32_t i = 0; i < r->d->actor_count && *holds; i++)
        TRY(run_actor(r, i, holds, err));
    return STATUS_OK;
}

enum status replay_serial(const struct distilled *d, const struct fixed_order *base,
                          const struct serial *serial, struct arena *arena, bool *holds,
                          struct error *err)
{
    struct replayer r = { .d = d, .base = base, .serial = serial, .arena = arena };
    size_t mark = arena->used;
    enum status status;

    *holds = true;
    contents_init(&r.contents, d->history);
    status = replay_all(&r, holds, err);
    contents_close(&r.contents);
    array_close(&r.written);
    arena_reset_to(arena, mark);
    return status;
}
