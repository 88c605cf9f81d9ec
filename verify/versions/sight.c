/*
 * Which version an operation read: docs/format-witness.md, "What an operation
 * read".
 */
#include "verify/versions/sight.h"

#include <assert.h>

#include "verify/verify_private.h"
#include "verify/versions/versions.h"

/* --- Of its own transaction -------------------------------------------------- */

void sight_own_begin(struct verifier *v)
{
    v->own_now++;
}

void sight_own_pass(struct verifier *v, uint32_t op)
{
    uint32_t key = v->h->op_key[op];

    if (!history_makes_version(v->h, op))
        return;
    v->own_date[key] = v->own_now;
    v->own_op[key] = op;
}

void sight_own_pass_until(struct verifier *v, uint32_t txn, uint32_t op)
{
    sight_own_begin(v);
    for (uint32_t i = v->h->txn_op[txn]; i < op; i++)
        sight_own_pass(v, i);
}

uint32_t sight_own_version(const struct verifier *v, uint32_t key)
{
    return v->own_date[key] == v->own_now ? v->own_op[key] : HISTORY_NONE;
}

/* --- Of others --------------------------------------------------------------- */

/* The operation's own version set: its place in set_op, or set_count. */
static size_t find_set(const struct history *h, uint32_t op)
{
    size_t low = 0, high = h->set_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (h->set_op[middle] < op)
            low = middle + 1;
        else
            high = middle;
    }
    return low < h->set_count && h->set_op[low] == op ? low : h->set_count;
}

void sight_prepare(struct verifier *v, uint32_t op)
{
    const struct history *h = v->h;
    size_t set;

    v->has_set = false;
    if (!v->basis->has_version_sets || h->set_count == 0)
        return;
    set = find_set(h, op);
    if (set == h->set_count)
        return;
    v->has_set = true;
    v->set_now++;
    for (uint64_t i = h->set_start[set]; i < h->set_start[set + 1]; i++) {
        v->set_date[h->set_key[i]] = v->set_now;
        v->set_version[h->set_key[i]] = h->set_version[i];
    }
}

/* A key that a set leaves out has its initial version. */
static struct sight see_in_set(const struct verifier *v, uint32_t txn, uint32_t key)
{
    uint32_t version = v->set_date[key] == v->set_now ? v->set_version[key] : VERSION_INITIAL;
    uint32_t writer;

    if (version == VERSION_INITIAL)
        return (struct sight){ .kind = SIGHT_SPOT, .spot = 0 };
    writer = history_txn_of(v->h, version);
    if (v->counting[writer] == COUNTS_PERHAPS)
        return (struct sight){ .kind = SIGHT_UNSAID };
    if (v->spot[version] == 0 || writer == txn)
        return (struct sight){ .kind = SIGHT_NOBODY };
    return (struct sight){ .kind = SIGHT_SPOT, .spot = v->spot[version] };
}

/* How many versions, by ts, are of a place before this one, or of this one too. */
static uint32_t count_until(const struct verifier *v, uint32_t key, struct place place,
                            bool inclusive)
{
    const uint32_t *by_ts = v->chain_by_ts + v->chain_start[key];
    uint32_t low = 0, high = chain_length(v, key);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        struct place ts = history_ts(v->h, chain_txn_at(v, key, by_ts[middle]));

        if (history_compare_places(ts, place) < inclusive)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 ||
           history_compare_places(history_ts(v->h, chain_txn_at(v, key, by_ts[low - 1])), place) <
               inclusive);
    return low;
}

static struct sight see_at_place(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    const uint32_t *by_ts = v->chain_by_ts + v->chain_start[key];
    struct place snapshot = history_op_snapshot(v->h, txn, op), ts = history_ts(v->h, txn);
    struct sight sight = { .kind = SIGHT_SPOT, .is_vague = key_is_vague(v, key) };
    uint32_t count;

    if (!v->chain_has_ts[key] || (snapshot.parts == 0 && ts.parts == 0))
        return (struct sight){ .kind = SIGHT_UNSAID };
    count =
        snapshot.parts > 0 ? count_until(v, key, snapshot, true) : count_until(v, key, ts, false);
    /* Its own is not what it finds: what it has written is asked for before. */
    if (count > 0 && chain_txn_at(v, key, by_ts[count - 1]) == txn)
        count--;
    sight.spot = count > 0 ? by_ts[count - 1] : 0;
    return sight;
}

/* The last version of those that the transaction sees by its place. */
static struct sight see_by_order(const struct verifier *v, uint32_t txn, uint32_t key)
{
    uint32_t low = 0, high = chain_length(v, key);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (v->place[chain_txn_at(v, key, middle + 1)] < v->seen[txn])
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || v->place[chain_txn_at(v, key, low)] < v->seen[txn]);
    return (struct sight){ .kind = SIGHT_SPOT, .spot = low, .is_vague = key_is_vague(v, key) };
}

struct sight sight_of(const struct verifier *v, uint32_t txn, uint32_t op, uint32_t key)
{
    assert(sight_own_version(v, key) == HISTORY_NONE);
    if (!v->basis->has_version_sets)
        return see_by_order(v, txn, key);
    return v->has_set ? see_in_set(v, txn, key) : see_at_place(v, txn, op, key);
}
