#include "store/shard/locks.h"

#include <assert.h>
#include <string.h>

#include "base/bisect.h"
#include "store/shard/shard_conflict.h"

void locks_open(struct shard_locks *l, const struct shard *shard, struct pool *pool)
{
    *l = (struct shard_locks){ .shard = shard, .pool = pool, .releases = 1 };
}

void locks_reset(struct shard_locks *l)
{
    while (l->holders.count > 0)
        locks_remove_holder(l, l->holders.at[l->holders.count - 1]);
}

/* --- Holders ---------------------------------------------------------------------------------- */

static uint32_t place_of(const struct shard_locks *l, uint64_t txn)
{
    uint32_t place;

    BISECT(place, 0, l->holders.count, l->holders.at[place]->txn < txn);
    return place;
}

struct lock_holder *locks_find(const struct shard_locks *l, uint64_t txn)
{
    uint32_t place = place_of(l, txn);

    return place < l->holders.count && l->holders.at[place]->txn == txn ? l->holders.at[place]
                                                                         : NULL;
}

struct lock_holder *locks_add_holder(struct shard_locks *l, uint64_t txn, struct stamp begin,
                                     uint32_t coordinator)
{
    uint32_t place = place_of(l, txn);
    struct lock_holder *holder = pool_take(l->pool, sizeof *holder);

    assert(place == l->holders.count || l->holders.at[place]->txn != txn);
    holder->txn = txn;
    holder->begin = begin;
    holder->coordinator = coordinator;
    pool_reserve(l->pool, &l->holders, 1);
    memmove(&l->holders.at[place + 1], &l->holders.at[place],
            (l->holders.count - place) * sizeof(struct lock_holder *));
    l->holders.count++;
    l->holders.at[place] = holder;
    return holder;
}

void locks_remove_holder(struct shard_locks *l, struct lock_holder *holder)
{
    uint32_t place = place_of(l, holder->txn);

    assert(l->holders.at[place] == holder);
    locks_release(l, holder);
    array_remove(&l->holders, place);
    pool_close(l->pool, &holder->locks);
    pool_close(l->pool, &holder->passed);
    pool_give(l->pool, holder, sizeof *holder);
}

/* --- One lock --------------------------------------------------------------------------------- */

static struct table_locks *table_of(struct shard_locks *l, uint32_t table)
{
    while (l->tables.count <= table)
        pool_push(l->pool, &l->tables, (struct table_locks){ 0 });
    return &l->tables.at[table];
}

static struct shard_lock **list_of(struct shard_locks *l, uint32_t key)
{
    if (key >= l->keys.count) {
        uint32_t missing = key + 1 - l->keys.count;

        pool_reserve(l->pool, &l->keys, missing);
        memset(&l->keys.at[l->keys.count], 0, missing * sizeof *l->keys.at);
        l->keys.count += missing;
    }
    return &l->keys.at[key];
}

static void add_lock(struct shard_locks *l, struct lock_holder *holder,
                     const struct shard_lock *new_one)
{
    struct shard_lock *lock = pool_take(l->pool, sizeof *lock), **end;

    *lock = *new_one;
    lock->holder = holder;
    pool_push(l->pool, &holder->locks, lock);
    holder->wanted++;
    holder->tried = 0;
    if (lock->is_scope) {
        pool_push(l->pool, &table_of(l, lock->table)->scopes, lock);
        return;
    }
    for (end = list_of(l, lock->key); *end; end = &(*end)->next)
        continue;
    *end = lock;
    if (lock->mode == LOCK_EXCLUSIVE)
        pool_push(l->pool, &table_of(l, lock->table)->writes, lock);
}

static void unlink_from_key(struct shard_locks *l, const struct shard_lock *lock)
{
    struct shard_lock **at = list_of(l, lock->key);

    while (*at != lock)
        at = &(*at)->next;
    *at = lock->next;
}

#define remove_from(list, lock)                                                                    \
    do {                                                                                           \
        uint32_t place_ = 0;                                                                       \
        while ((list)->at[place_] != (lock))                                                       \
            place_++;                                                                              \
        array_remove((list), place_);                                                              \
    } while (0)

static void give_lock(struct shard_locks *l, struct shard_lock *lock)
{
    struct table_locks *table = table_of(l, lock->table);

    if (lock->is_scope) {
        remove_from(&table->scopes, lock);
    } else {
        unlink_from_key(l, lock);
        if (lock->mode == LOCK_EXCLUSIVE)
            remove_from(&table->writes, lock);
    }
    pool_give(l->pool, (void *)lock->after.at, lock->after.length);
    pool_give(l->pool, lock, sizeof *lock);
}

/* Takes away those that `goes` says of. */
static void release_some(struct shard_locks *l, struct lock_holder *holder,
                         bool (*goes)(const struct shard_lock *, const void *), const void *context)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < holder->locks.count; i++) {
        struct shard_lock *lock = holder->locks.at[i];

        if (!goes(lock, context)) {
            holder->locks.at[kept++] = lock;
            continue;
        }
        holder->wanted -= !lock->is_granted;
        l->releases++;
        give_lock(l, lock);
    }
    holder->locks.count = kept;
}

static bool is_any(const struct shard_lock *lock, const void *context)
{
    (void)lock;
    (void)context;
    return true;
}

void locks_release(struct shard_locks *l, struct lock_holder *holder)
{
    release_some(l, holder, is_any, NULL);
}

static bool is_shared(const struct shard_lock *lock, const void *context)
{
    (void)context;
    return lock->is_granted && lock->mode == LOCK_SHARED;
}

void locks_release_shared(struct shard_locks *l, struct lock_holder *holder)
{
    release_some(l, holder, is_shared, NULL);
}

static bool is_on_key(const struct shard_lock *lock, const void *key)
{
    return !lock->is_scope && lock->key == *(const uint32_t *)key;
}

void locks_release_key(struct shard_locks *l, struct lock_holder *holder, uint32_t key)
{
    release_some(l, holder, is_on_key, &key);
}

/* --- Who is in the way ------------------------------------------------------------------------ */

static bool holds_key(const struct shard_locks *l, const struct lock_holder *holder, uint32_t key)
{
    for (const struct shard_lock *lock = l->keys.at[key]; lock; lock = lock->next)
        if (lock->holder == holder && lock->is_granted)
            return true;
    return false;
}

/* Whether the holder of a shared lock is left out of account by who wants to write. */
static bool is_raced(const struct shard_locks *l, const struct shard_lock *a,
                     const struct shard_lock *b)
{
    return l->shard->bugs->on[BUG_UPGRADE_RACE] && b->mode == LOCK_SHARED &&
           holds_key(l, a->holder, a->key);
}

/* Two locks on a key. */
static bool modes_exclude(const struct shard_locks *l, const struct shard_lock *a,
                          const struct shard_lock *b)
{
    if (a->mode != LOCK_EXCLUSIVE && b->mode != LOCK_EXCLUSIVE)
        return a->mode == LOCK_UPDATE && b->mode == LOCK_UPDATE;
    return !is_raced(l, a, b);
}

static bool scope_excludes(const struct shard_locks *l, const struct shard_lock *scope,
                           const struct shard_lock *write)
{
    return shard_touches(l->shard, scope->key, write->key,
                         write->is_removed ? NULL : &write->after, stamp_never());
}

/* What somebody wants to know of those that lock `a` excludes; true ends the search. */
struct lock_question {
    bool (*ask)(const struct shard_locks *, const struct shard_lock *a, const struct shard_lock *b,
                const struct lock_question *);
    const struct lock_holder *about;
    void (*blocker)(void *context, const struct lock_holder *);
    void *context;
};

/* Of all locks of others, granted and wanted, that exclude this one, or are excluded by it. */
static bool ask_rivals(const struct shard_locks *l, const struct shard_lock *a,
                       const struct lock_question *q)
{
    const struct table_locks *table =
        a->table < l->tables.count ? &l->tables.at[a->table] : NULL;

    if (a->is_scope) {
        for (uint32_t i = 0; i < table->writes.count; i++) {
            const struct shard_lock *b = table->writes.at[i];

            if (b->holder != a->holder && scope_excludes(l, a, b) && q->ask(l, a, b, q))
                return true;
        }
        return false;
    }
    for (const struct shard_lock *b = l->keys.at[a->key]; b; b = b->next)
        if (b->holder != a->holder && modes_exclude(l, a, b) && q->ask(l, a, b, q))
            return true;
    if (a->mode != LOCK_EXCLUSIVE)
        return false;
    for (uint32_t i = 0; i < table->scopes.count; i++) {
        const struct shard_lock *b = table->scopes.at[i];

        if (b->holder != a->holder && scope_excludes(l, b, a) && q->ask(l, a, b, q))
            return true;
    }
    return false;
}

static bool is_granted_to(const struct shard_locks *l, const struct shard_lock *a,
                          const struct shard_lock *b, const struct lock_question *q)
{
    (void)l;
    (void)a;
    return b->is_granted && b->holder == q->about;
}

/* Somebody who waits, waits for `holder` to release what it has. */
static bool waits_for(const struct shard_locks *l, const struct lock_holder *waiter,
                      const struct lock_holder *holder)
{
    struct lock_question q = { .ask = is_granted_to, .about = holder };

    for (uint32_t i = 0; i < waiter->locks.count; i++)
        if (!waiter->locks.at[i]->is_granted && ask_rivals(l, waiter->locks.at[i], &q))
            return true;
    return false;
}

static bool is_before_in_line(const struct shard_locks *l, const struct shard_lock *a,
                              const struct shard_lock *b)
{
    if (b->holder->arrival >= a->holder->arrival)
        return false;
    if (!a->is_scope && holds_key(l, a->holder, a->key))
        return false;
    return !waits_for(l, b->holder, a->holder);
}

static bool is_in_the_way(const struct shard_locks *l, const struct shard_lock *a,
                          const struct shard_lock *b, const struct lock_question *q)
{
    (void)q;
    return b->is_granted || is_before_in_line(l, a, b);
}

/* --- Wanting ---------------------------------------------------------------------------------- */

static struct shard_lock *find_lock(const struct shard_locks *l, const struct lock_holder *holder,
                                    uint32_t key, enum lock_mode mode)
{
    if (key >= l->keys.count)
        return NULL;
    for (struct shard_lock *lock = l->keys.at[key]; lock; lock = lock->next)
        if (lock->holder == holder && lock->mode >= mode)
            return lock;
    return NULL;
}

void locks_want_key(struct shard_locks *l, struct lock_holder *holder, uint32_t key,
                    enum lock_mode mode)
{
    struct shard_lock lock = { .mode = mode,
                               .key = key,
                               .table = catalog_table(l->shard->catalog, key) };

    assert(mode != LOCK_EXCLUSIVE);
    if (!find_lock(l, holder, key, mode))
        add_lock(l, holder, &lock);
}

void locks_want_scope(struct shard_locks *l, struct lock_holder *holder, uint32_t scope)
{
    struct shard_lock lock = { .is_scope = true,
                               .key = scope,
                               .table = catalog_scope_table(l->shard->catalog, scope) };

    table_of(l, lock.table);
    for (uint32_t i = 0; i < holder->locks.count; i++)
        if (holder->locks.at[i]->is_scope && holder->locks.at[i]->key == scope)
            return;
    add_lock(l, holder, &lock);
}

static bool will_be(const struct shard_lock *lock, const struct row_change *change)
{
    if (lock->is_removed || change->is_removed)
        return lock->is_removed == change->is_removed;
    return text_equal(lock->after, change->row);
}

static bool has_change(const struct shard_locks *l, const struct lock_holder *holder,
                       const struct row_change *change)
{
    if (change->key >= l->keys.count)
        return false;
    for (const struct shard_lock *lock = l->keys.at[change->key]; lock; lock = lock->next)
        if (lock->holder == holder && lock->mode == LOCK_EXCLUSIVE && will_be(lock, change))
            return true;
    return false;
}

void locks_want_change(struct shard_locks *l, struct lock_holder *holder,
                       const struct row_change *change)
{
    struct shard_lock lock = { .mode = LOCK_EXCLUSIVE,
                               .key = change->key,
                               .table = catalog_table(l->shard->catalog, change->key),
                               .is_removed = change->is_removed };

    table_of(l, lock.table);
    if (has_change(l, holder, change))
        return;
    if (!change->is_removed && change->row.length > 0) {
        char *copy = pool_take(l->pool, change->row.length);

        memcpy(copy, change->row.at, change->row.length);
        lock.after = (struct text){ copy, change->row.length };
    }
    add_lock(l, holder, &lock);
}

/* What the holder had on the key before. */
static const struct shard_lock *weaker_lock(const struct shard_locks *l,
                                            const struct shard_lock *lock)
{
    const struct shard_lock *other = lock->is_scope ? NULL : l->keys.at[lock->key];

    while (other && (other == lock || other->holder != lock->holder || !other->is_granted))
        other = other->next;
    return other;
}

static bool is_this(const struct shard_lock *lock, const void *other)
{
    return lock == other;
}

void locks_grant(struct shard_locks *l, struct lock_holder *holder)
{
    holder->arrival = 0;
    for (uint32_t i = 0; i < holder->locks.count; i++) {
        struct shard_lock *lock = holder->locks.at[i];
        const struct shard_lock *weaker;

        if (lock->is_granted)
            continue;
        lock->is_granted = true;
        holder->wanted--;
        weaker = weaker_lock(l, lock);
        if (!weaker)
            continue;
        release_some(l, holder, is_this, weaker);
        i--; /* it stood before */
    }
}

bool locks_try(struct shard_locks *l, struct lock_holder *holder, uint64_t arrival)
{
    struct lock_question q = { .ask = is_in_the_way };

    if (locks_is_vain(l, holder))
        return false;
    if (holder->arrival == 0)
        holder->arrival = arrival;
    holder->tried = l->releases;
    for (uint32_t i = 0; i < holder->locks.count; i++)
        if (!holder->locks.at[i]->is_granted && ask_rivals(l, holder->locks.at[i], &q))
            return false;
    locks_grant(l, holder);
    return true;
}

/* --- Whom it waits for ------------------------------------------------------------------------ */

/* A writer who waits for `b` stands between: who waits for that writer need not name `b`. */
static bool is_hidden(const struct shard_locks *l, const struct shard_lock *a,
                      const struct shard_lock *b)
{
    if (a->is_scope || b->is_scope)
        return false;
    for (const struct shard_lock *c = b->next; c; c = c->next)
        if (c->mode == LOCK_EXCLUSIVE && !c->is_granted && c->holder != a->holder &&
            c->holder != b->holder && is_before_in_line(l, c, b) && is_before_in_line(l, a, c))
            return true;
    return false;
}

static bool call_back(const struct shard_locks *l, const struct shard_lock *a,
                      const struct shard_lock *b, const struct lock_question *q)
{
    if (b->is_granted || (is_before_in_line(l, a, b) && !is_hidden(l, a, b)))
        q->blocker(q->context, b->holder);
    return false;
}

void locks_blockers(const struct shard_locks *l, const struct lock_holder *holder,
                    void (*blocker)(void *context, const struct lock_holder *), void *context)
{
    struct lock_question q = { .ask = call_back, .blocker = blocker, .context = context };

    for (uint32_t i = 0; i < holder->locks.count; i++)
        if (!holder->locks.at[i]->is_granted)
            ask_rivals(l, holder->locks.at[i], &q);
}
