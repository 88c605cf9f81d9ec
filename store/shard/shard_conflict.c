/*
 * Answers what protocols ask of a shard's state: which transactions are in conflict, and whether
 * reads are still current.
 *
 * A predicate meets a change if the row matches before it or after it: the first
 * is a row that leaves, or is changed within, the second one that comes. The row
 * before it is the one that the reader finds where it looks, and not always the newest:
 *
 *     rc, v in [1,5]     version v=3 at 10    undecided, at 20 or above: v=9    version v=8 at 30
 *     a reader at 25     finds v=3, or nothing if v=9 commits below 25: it waits
 *
 * Nothing is said of how many undecided changes of a key there are, or of how they end.
 */
#include "store/shard/shard_conflict.h"

#include <assert.h>

#include "base/hash.h"
#include "store/shard/shard.h"

const struct row_change *shard_change_of(const struct prepare *p, uint32_t key)
{
    for (uint32_t i = 0; i < p->change_count; i++)
        if (p->changes[i].key == key)
            return &p->changes[i];
    return NULL;
}

static bool reads_key(const struct prepare *p, uint32_t key)
{
    for (uint32_t i = 0; i < p->key_count; i++)
        if (p->keys[i].key == key)
            return true;
    return false;
}

static uint64_t bit_of(uint32_t key)
{
    return UINT64_C(1) << (key * HASH_ODD_1 >> 58);
}

struct footprint shard_footprint(const struct prepare *p)
{
    struct footprint footprint = { 0, 0 };

    for (uint32_t i = 0; i < p->key_count; i++)
        footprint.reads |= bit_of(p->keys[i].key);
    for (uint32_t i = 0; i < p->change_count; i++)
        footprint.writes |= bit_of(p->changes[i].key);
    return footprint;
}

/* --- Scopes ----------------------------------------------------------------------------------- */

bool shard_matches(const struct shard *s, uint32_t scope, const struct stored_version *version)
{
    return version_is_row(version) && catalog_matches(s->catalog, scope, version_row(version));
}

bool shard_touches(const struct shard *s, uint32_t scope, uint32_t key, const struct text *after,
                   struct stamp at)
{
    if (s->catalog->scopes.at[scope].table != catalog_table(s->catalog, key))
        return false;
    return (after && catalog_matches(s->catalog, scope, *after)) ||
           shard_matches(s, scope, versions_at(&s->versions, key, at));
}

static bool scopes_meet_changes(const struct shard *s, const struct party *reader,
                                const struct prepare *writer)
{
    for (uint32_t i = 0; i < reader->prepare->scope_count; i++)
        for (uint32_t j = 0; j < writer->change_count; j++) {
            const struct row_change *change = &writer->changes[j];

            if (shard_touches(s, reader->prepare->scopes[i].scope, change->key,
                              change->is_removed ? NULL : &change->row, reader->at))
                return true;
        }
    return false;
}

/* --- Conflicts -------------------------------------------------------------------------------- */

static bool both_write(const struct prepare *a, const struct prepare *b)
{
    for (uint32_t i = 0; i < a->change_count; i++)
        if (shard_change_of(b, a->changes[i].key))
            return true;
    return false;
}

static bool reads_written(const struct prepare *reader, const struct prepare *writer)
{
    for (uint32_t i = 0; i < writer->change_count; i++)
        if (reads_key(reader, writer->changes[i].key))
            return true;
    return false;
}

struct party shard_party(const struct prepare *p, struct stamp at)
{
    return (struct party){ p, shard_footprint(p), at };
}

bool shard_meet(const struct shard *s, const struct party *a, const struct party *b, unsigned ways)
{
    assert(ways <= (CONFLICT_WRITE_WRITE | CONFLICT_READ_WRITE | CONFLICT_WRITE_READ));
    if (ways & CONFLICT_WRITE_WRITE && a->footprint.writes & b->footprint.writes &&
        both_write(a->prepare, b->prepare))
        return true;
    if (ways & CONFLICT_READ_WRITE && a->footprint.reads & b->footprint.writes &&
        reads_written(a->prepare, b->prepare))
        return true;
    if (ways & CONFLICT_WRITE_READ && a->footprint.writes & b->footprint.reads &&
        reads_written(b->prepare, a->prepare))
        return true;
    return (ways & CONFLICT_READ_WRITE && scopes_meet_changes(s, a, b->prepare)) ||
           (ways & CONFLICT_WRITE_READ && scopes_meet_changes(s, b, a->prepare));
}

const struct prepared *shard_conflict(const struct shard *s, const struct prepare *p,
                                      unsigned ways)
{
    struct party new_one = shard_party(p, stamp_never());

    for (uint32_t i = 0; i < s->prepared.count; i++) {
        const struct prepared *prepared = s->prepared.at[i];
        struct party other = { &prepared->prepare, prepared->footprint, stamp_never() };

        if (prepared->prepare.txn != p->txn && shard_meet(s, &new_one, &other, ways))
            return prepared;
    }
    return NULL;
}

/* --- Whether what was seen is still so -------------------------------------------------------- */

bool shard_keys_are_current(const struct shard *s, const struct prepare *p)
{
    for (uint32_t i = 0; i < p->key_count; i++) {
        const struct seen_key *seen = &p->keys[i];
        const struct stored_version *newest = versions_newest(&s->versions, seen->key);

        if (newest ? newest->writer != seen->writer || !stamp_equal(newest->at, seen->at)
                   : seen->writer != 0)
            return false;
    }
    return true;
}

/* Whether a version of the key that came behind the index changed what the scope means. */
static bool key_changed(const struct shard *s, uint32_t scope, uint32_t key, uint64_t index)
{
    for (const struct stored_version *v = versions_newest(&s->versions, key); v; v = v->older)
        if (v->index > index && (shard_matches(s, scope, v) || shard_matches(s, scope, v->older)))
            return true;
    return false;
}

static bool recent_changed(const struct shard *s, const struct seen_scope *seen, uint32_t table)
{
    for (uint64_t n = s->recent_count; n > 0 && s->recent_count - n < SHARD_RECENT; n--) {
        const struct installed *last = &s->recent[(n - 1) % SHARD_RECENT];

        if (last->index <= seen->index)
            return false;
        if (catalog_table(s->catalog, last->key) == table &&
            key_changed(s, seen->scope, last->key, seen->index))
            return true;
    }
    return false;
}

static bool table_changed(const struct shard *s, const struct seen_scope *seen, uint32_t table)
{
    const uint32_t *keys;
    uint32_t count = versions_keys(&s->versions, table, &keys);

    for (uint32_t i = 0; i < count; i++)
        if (key_changed(s, seen->scope, keys[i], seen->index))
            return true;
    return false;
}

bool shard_scopes_are_current(const struct shard *s, const struct prepare *p)
{
    for (uint32_t i = 0; i < p->scope_count; i++) {
        const struct seen_scope *seen = &p->scopes[i];
        uint32_t table = s->catalog->scopes.at[seen->scope].table;

        if (s->last_commit <= seen->index)
            continue;
        if (seen->index < s->versions.collected)
            return false;
        if (seen->index >= s->recent_from ? recent_changed(s, seen, table)
                                          : table_changed(s, seen, table))
            return false;
    }
    return true;
}

/* --- Reading ---------------------------------------------------------------------------------- */

void shard_scan(const struct shard *s, uint32_t scope, struct stamp at,
                void (*row)(void *context, uint32_t key, const struct stored_version *),
                void *context)
{
    const uint32_t *keys;
    uint32_t count = versions_keys(&s->versions, s->catalog->scopes.at[scope].table, &keys);

    for (uint32_t i = 0; i < count; i++) {
        const struct stored_version *version = versions_at(&s->versions, keys[i], at);

        if (shard_matches(s, scope, version))
            row(context, keys[i], version);
    }
}
