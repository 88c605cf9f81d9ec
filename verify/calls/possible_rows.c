#include "verify/calls/possible_rows_private.h"

#include <string.h>

#include "base/hash.h"

#define CONTENTS_MAX 64 /* of which it is looked whether one of them was there before */

/* A row as columns tell that are not ignored. Arrays are by version, as far as it was looked at. */
struct projection {
    uint64_t ignored;
    uint32_t *since; /* of groups, at their last versions: see possible_rows_since() */
    uint32_t *same;  /* the version before with the same hash, from 1; 0: there is none */
    uint64_t *hashes;
    uint32_t *last; /* by hash: the last version, from 1 */
    uint32_t last_count;
    uint32_t taken, room;
    struct projection *next;
};

/* --- Contents ---------------------------------------------------------------------------------- */

bool possible_rows_like(const struct relation *relation, uint64_t ignored, const struct packed *x,
                        const struct packed *y)
{
    if (x == y || !x || !y)
        return x == y;
    for (uint32_t c = 0; c < relation->column_count; c++) {
        struct item one, other;

        if (ignored & column_bit(c))
            continue;
        one = row_states_unpack(&x[c]);
        other = row_states_unpack(&y[c]);
        if (!item_identical(&one, &other))
            return false;
    }
    return true;
}

bool possible_rows_alike(const struct row_entry *entry, uint64_t ignored, uint32_t a, uint32_t b)
{
    if (a == b || a == CONTENT_BEFORE || b == CONTENT_BEFORE)
        return a == b;
    return possible_rows_like(entry->relation, ignored, possible_row(entry, a), possible_row(entry, b));
}

uint64_t possible_rows_hash(const struct row_entry *entry, uint64_t ignored, uint32_t content)
{
    const struct packed *row = content == CONTENT_BEFORE ? NULL : possible_row(entry, content);
    uint64_t hash = row ? 1 : 0;

    for (uint32_t c = 0; row && c < entry->relation->column_count; c++) {
        struct item item = row_states_unpack(&row[c]);

        if (!(ignored & column_bit(c)))
            hash = hash_mix(hash, item_hash(&item));
    }
    return hash;
}

uint32_t possible_rows_first(const struct row_entry *entry, uint32_t last)
{
    uint32_t first = last;

    while (first > 1 && entry->versions[first - 2].position == entry->versions[last - 1].position)
        first--;
    return first;
}

bool possible_rows_is_split(const struct possible_rows *p, const struct row_entry *entry, uint32_t last,
                            bool *may_be_before)
{
    const struct row_version *version = &entry->versions[last - 1];

    *may_be_before = p->is_serial ? !version->is_sure : version->outcomes != SPLIT_BOTH;
    return p->writers[version->position].is_split;
}

static bool is_possible(const struct possible_rows *p, const struct row_entry *entry, uint32_t version)
{
    const struct row_version *v = &entry->versions[version - 1];

    return (v->outcomes & p->writers[v->position].possible) != 0;
}

/* The outcomes that leave the row alone, of the group that begins there. */
static uint64_t skipping(const struct possible_rows *p, const struct row_entry *entry, uint32_t first, uint32_t *last)
{
    uint32_t position = entry->versions[first - 1].position;
    uint64_t rest = p->writers[position].possible;

    for (*last = first; *last <= entry->count && entry->versions[*last - 1].position == position; ++*last)
        rest &= ~entry->versions[*last - 1].outcomes;
    --*last;
    return rest;
}

bool possible_rows_all_write(const struct possible_rows *p, const struct row_entry *entry, uint32_t last)
{
    return !skipping(p, entry, possible_rows_first(entry, last), &last);
}

uint32_t possible_rows_options(const struct possible_rows *p, const struct row_entry *entry, uint64_t ignored,
                               uint32_t last, struct possible_option options[OUTCOMES_MAX + 1], uint32_t *first)
{
    uint32_t position = entry->versions[last - 1].position, count = 0;
    uint64_t left = p->writers[position].left, rest = left;

    *first = possible_rows_first(entry, last);
    for (uint32_t v = *first; v <= last; v++) {
        uint64_t outcomes = entry->versions[v - 1].outcomes & left;
        uint32_t i = 0;

        rest &= ~outcomes;
        while (i < count && !possible_rows_alike(entry, ignored, options[i].content, v))
            i++;
        if (!outcomes)
            continue;
        if (i == count)
            options[count++] = (struct possible_option){ .content = v };
        options[i].outcomes |= outcomes;
    }
    if (p->is_serial && !entry->versions[last - 1].is_sure)
        options[count++] = (struct possible_option){ .is_before = true, .outcomes = left };
    else if (rest)
        options[count++] = (struct possible_option){ .is_before = true, .outcomes = rest };
    return count;
}

bool possible_rows_may_hold(const struct possible_rows *p, const struct row_entry *entry, uint64_t ignored,
                            uint32_t state, uint32_t content)
{
    uint32_t last = row_states_count(entry, state);

    if (entry->is_wild)
        return true;
    while (last > 0) {
        uint64_t left = p->writers[entry->versions[last - 1].position].left, rest = left;
        bool may_be_none = p->is_serial && !entry->versions[last - 1].is_sure;

        for (uint32_t first = possible_rows_first(entry, last); last >= first; last--) {
            const struct row_version *version = &entry->versions[last - 1];

            if (version->is_open ||
                ((version->outcomes & left) && possible_rows_alike(entry, ignored, last, content)))
                return true;
            rest &= ~version->outcomes;
        }
        if (!rest && !may_be_none)
            return false;
    }
    return !possible_row(entry, content);
}

bool possible_rows_may_meet(const struct possible_rows *p, const struct row_entry *entry, uint32_t state,
                            uint32_t other, const struct packed *like)
{
    uint32_t last = row_states_count(entry, state);

    if (entry->is_wild)
        return true;
    while (last > 0) {
        uint64_t left = p->writers[entry->versions[last - 1].position].left, rest = left;

        for (uint32_t first = possible_rows_first(entry, last); last >= first; last--) {
            const struct row_version *version = &entry->versions[last - 1];

            if (version->is_open || ((version->outcomes & left) &&
                                     (row_states_identical(entry->relation, version->row, like) ||
                                      possible_rows_may_hold(p, entry, 0, other, last))))
                return true;
            rest &= ~version->outcomes;
        }
        if (!rest)
            return false;
    }
    return !like || possible_rows_may_hold(p, entry, 0, other, 0);
}

/* --- Projections ----------------------------------------------------------------------------------- */

static void *grown(struct row_store *store, const void *old, uint32_t count, uint32_t room, size_t size)
{
    void *more = arena_take(store->arena, room, size);

    if (count > 0)
        memcpy(more, old, count * size);
    return more;
}

static void grow(struct row_store *store, struct projection *p)
{
    uint32_t room = 2 * p->room + 2;

    p->since = grown(store, p->since, p->taken, room, sizeof *p->since);
    p->same = grown(store, p->same, p->taken, room, sizeof *p->same);
    p->hashes = grown(store, p->hashes, p->taken, room, sizeof *p->hashes);
    p->last_count = 2 * room + 1;
    p->last = arena_take(store->arena, p->last_count, sizeof *p->last);
    p->room = room;
    for (uint32_t v = 1; v <= p->taken; v++) {
        uint32_t *bucket = &p->last[p->hashes[v - 1] % p->last_count];

        p->same[v - 1] = *bucket;
        *bucket = v;
    }
}

/* Whether it is known what its group leaves of the row. */
static bool is_plain(const struct possible_rows *p, const struct row_entry *entry, uint32_t version)
{
    uint32_t position = entry->versions[version - 1].position;

    return (version == 1 || entry->versions[version - 2].position != position) &&
           (version == entry->count || entry->versions[version].position != position) &&
           !entry->versions[version - 1].is_open &&
           !(p->writers[position].possible & ~entry->versions[version - 1].outcomes);
}

static void take_version(const struct possible_rows *rows, const struct row_entry *entry, struct projection *p)
{
    uint32_t version = p->taken + 1, *bucket;

    if (p->taken == p->room)
        grow(rows->store, p);
    p->hashes[p->taken] = possible_rows_hash(entry, p->ignored, version);
    p->since[p->taken] = entry->versions[p->taken].position;
    if (version > 1 && is_plain(rows, entry, version) && is_plain(rows, entry, version - 1) &&
        possible_rows_alike(entry, p->ignored, version, version - 1))
        p->since[p->taken] = p->since[p->taken - 1];
    bucket = &p->last[p->hashes[p->taken] % p->last_count];
    p->same[p->taken++] = *bucket;
    *bucket = version;
}

static struct projection *project(const struct possible_rows *rows, struct row_entry *entry, uint64_t ignored)
{
    struct projection *p = entry->projections;

    while (p && p->ignored != ignored)
        p = p->next;
    if (!p) {
        p = arena_take(rows->store->arena, 1, sizeof *p);
        *p = (struct projection){ .ignored = ignored, .next = entry->projections };
        entry->projections = p;
        grow(rows->store, p);
    }
    while (p->taken < entry->count)
        take_version(rows, entry, p);
    return p;
}

uint32_t possible_rows_since(const struct possible_rows *p, struct row_entry *entry, uint64_t ignored, uint32_t state)
{
    uint32_t last = row_states_count(entry, state);

    if (last == 0 || p->are_known)
        return last > 0 ? entry->versions[last - 1].position : 0;
    return project(p, entry, ignored)->since[last - 1];
}

/* --- What was there before ---------------------------------------------------------------------------- */

/* The last state, not after this one, in which the version may still be there. */
static uint32_t last_state_of(const struct possible_rows *p, const struct row_entry *entry, uint32_t version,
                              uint32_t state)
{
    uint32_t next = version + 1, last;

    while (next <= entry->count &&
           entry->versions[next - 1].position == entry->versions[version - 1].position)
        next++;
    for (; next <= entry->count && entry->versions[next - 1].position <= state; next = last + 1)
        if (!skipping(p, entry, next, &last))
            return entry->versions[next - 1].position - 1;
    return state;
}

/* The last version up to a state that looks like this one and is possible; false: there is none. */
static bool find_last_like(const struct possible_rows *rows, struct row_entry *entry, const struct projection *p,
                           uint32_t state, uint32_t *version)
{
    uint32_t until = row_states_count(entry, state), at = *version;

    while (at > 0 && (at > until || !is_possible(rows, entry, at) || p->hashes[at - 1] != p->hashes[*version - 1] ||
                      !possible_rows_alike(entry, 0, at, *version)))
        at = p->same[at - 1];
    *version = at;
    return at > 0;
}

bool possible_rows_unchanged(const struct possible_rows *rows, struct row_entry *entry, uint32_t now, uint32_t *state)
{
    uint32_t from = *state, seen = 0, first, end;
    const struct projection *p;
    bool found = false;

    if (entry->is_wild || entry->has_open)
        return true;
    p = project(rows, entry, 0);
    *state = 0;
    for (uint32_t last = row_states_count(entry, now);; last = first - 1) {
        first = possible_rows_first(entry, last);
        for (uint32_t v = first; v <= last; v++) {
            uint32_t like = v, until;

            if (!is_possible(rows, entry, v))
                continue;
            if (seen++ == CONTENTS_MAX) {
                *state = from;
                return true;
            }
            if (!find_last_like(rows, entry, p, from, &like))
                continue;
            until = last_state_of(rows, entry, like, from);
            *state = until > *state ? until : *state;
            found = true;
        }
        if (!skipping(rows, entry, first, &end))
            return found;
    }
}
