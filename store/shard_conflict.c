/*
 * What protocols ask of a shard's state: who is in whose way, and whether what
 * was seen is still so.
 *
 * A predicate meets a change if the row matches before it or after it: the first
 * is a row that leaves, or is changed within, the second one that comes. The row
 * before an undecided change is the newest version, since no two undecided changes
 * of a key stand side by side where that matters.
 */
#include "store/shard.h"

#include <assert.h>

#include "base/hash.h"

const struct row_change *prepare_change(const struct prepare *p, uint32_t key)
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

struct footprint footprint_of(const struct prepare *p)
{
    struct footprint footprint = { 0, 0 };

    for (uint32_t i = 0; i < p->key_count; i++)
        footprint.reads |= bit_of(p->keys[i].key);
    for (uint32_t i = 0; i < p->change_count; i++)
        footprint.writes |= bit_of(p->changes[i].key);
    return footprint;
}

/* --- Scopes ----------------------------------------------------------------------------------- */

bool shard_matches(const struct shard *s, uint32_t scope, const struct version *version)
{
    return version_is_row(version) && catalog_matches(s->catalog, scope, version_row(version));
}

bool shard_touches(const struct shard *s, uint32_t scope, uint32_t key, const struct text *after)
{
    if (s->catalog->scopes.at[scope].table != catalog_table(s->catalog, key))
        return false;
    return (after && catalog_matches(s->catalog, scope, *after)) ||
           shard_matches(s, scope, versions_newest(&s->versions, key));
}

static bool scopes_meet_changes(const struct shard *s, const struct prepare *reader,
                                const struct prepare *writer)
{
    for (uint32_t i = 0; i < reader->scope_count; i++)
        for (uint32_t j = 0; j < writer->change_count; j++) {
            const struct row_change *change = &writer->changes[j];

            if (shard_touches(s, reader->scopes[i].scope, change->key,
                              change->is_removed ? NULL : &change->row))
                return true;
        }
    return false;
}

/* --- Conflicts -------------------------------------------------------------------------------- */

static bool both_write(const struct prepare *a, const struct prepare *b)
{
    for (uint32_t i = 0; i < a->change_count; i++)
        if (prepare_change(b, a->changes[i].key))
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

bool shard_conflicts_by(const struct shard *s, const struct prepare *a, struct footprint of_a,
                        const struct prepare *b, struct footprint of_b, unsigned ways)
{
    if (ways & CONFLICT_WRITE_WRITE && of_a.writes & of_b.writes && both_write(a, b))
        return true;
    if (ways & CONFLICT_READ_WRITE && of_a.reads & of_b.writes && reads_written(a, b))
        return true;
    if (ways & CONFLICT_WRITE_READ && of_a.writes & of_b.reads && reads_written(b, a))
        return true;
    return (ways & CONFLICT_READ_WRITE && scopes_meet_changes(s, a, b)) ||
           (ways & CONFLICT_WRITE_READ && scopes_meet_changes(s, b, a));
}

bool shard_conflicts(const struct shard *s, const struct prepare *a, const struct prepare *b,
                     unsigned ways)
{
    return shard_conflicts_by(s, a, footprint_of(a), b, footprint_of(b), ways);
}

const struct prepared *shard_conflict(const struct shard *s, const struct prepare *p,
                                      unsigned ways)
{
    struct footprint footprint = footprint_of(p);

    for (uint32_t i = 0; i < s->prepared.count; i++) {
        const struct prepared *other = s->prepared.at[i];

        if (other->prepare.txn != p->txn &&
            shard_conflicts_by(s, p, footprint, &other->prepare, other->footprint, ways))
            return other;
    }
    return NULL;
}

/* --- Whether what was seen is still so -------------------------------------------------------- */

bool shard_keys_are_current(const struct shard *s, const struct prepare *p)
{
    for (uint32_t i = 0; i < p->key_count; i++) {
        const struct seen_key *seen = &p->keys[i];
        const struct version *newest = versions_newest(&s->versions, seen->key);

        if (newest ? newest->writer != seen->writer || !stamp_equal(newest->at, seen->at)
                   : seen->writer != 0)
            return false;
    }
    return true;
}

bool shard_writes_are_above(const struct shard *s, const struct prepare *p, struct stamp at)
{
    for (uint32_t i = 0; i < p->change_count; i++) {
        const struct version *newest = versions_newest(&s->versions, p->changes[i].key);

        if (newest && stamp_less(at, newest->at))
            return false;
    }
    return true;
}

/* Whether a version of the key that came behind the index changed what the scope means. */
static bool key_changed(const struct shard *s, uint32_t scope, uint32_t key, uint64_t index)
{
    for (const struct version *v = versions_newest(&s->versions, key); v; v = v->older)
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
                void (*row)(void *context, uint32_t key, const struct version *), void *context)
{
    const uint32_t *keys;
    uint32_t count = versions_keys(&s->versions, s->catalog->scopes.at[scope].table, &keys);

    for (uint32_t i = 0; i < count; i++) {
        const struct version *version = versions_at(&s->versions, keys[i], at);

        if (shard_matches(s, scope, version))
            row(context, keys[i], version);
    }
}
