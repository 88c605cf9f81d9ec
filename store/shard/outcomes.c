#include "store/shard/outcomes.h"

#include <assert.h>

#include "base/hash.h"

#define SLOTS_MIN 64

void outcomes_open(struct outcomes *o, struct pool *pool)
{
    *o = (struct outcomes){ .pool = pool };
}

void outcomes_close(struct outcomes *o)
{
    for (struct shard_outcome *outcome = o->first, *next; outcome; outcome = next) {
        next = outcome->next;
        pool_give(o->pool, outcome, sizeof *outcome);
    }
    pool_close(o->pool, &o->untold);
    pool_give(o->pool, o->slots, o->slot_count * sizeof *o->slots);
    outcomes_open(o, o->pool);
}

/* --- Looking up ------------------------------------------------------------------------------- */

static uint32_t home_of(const struct outcomes *o, uint64_t txn)
{
    return (uint32_t)hash_number(txn) & (o->slot_count - 1);
}

/* Where it is, or the free slot where it would be. */
static uint32_t slot_of(const struct outcomes *o, uint64_t txn)
{
    uint32_t slot = home_of(o, txn);

    while (o->slots[slot].outcome && o->slots[slot].txn != txn)
        slot = (slot + 1) & (o->slot_count - 1);
    return slot;
}

struct shard_outcome *outcomes_find(const struct outcomes *o, uint64_t txn)
{
    return o->slot_count > 0 ? o->slots[slot_of(o, txn)].outcome : NULL;
}

static void widen(struct outcomes *o)
{
    uint32_t slot_count = o->slot_count > 0 ? 2 * o->slot_count : SLOTS_MIN;

    pool_give(o->pool, o->slots, o->slot_count * sizeof *o->slots);
    o->slots = pool_take(o->pool, slot_count * sizeof *o->slots);
    o->slot_count = slot_count;
    for (struct shard_outcome *outcome = o->first; outcome; outcome = outcome->next)
        o->slots[slot_of(o, outcome->decision.txn)] =
            (struct outcome_slot){ outcome->decision.txn, outcome };
}

/* Those behind it move up where their way to their slot led over the one that is free now. */
static void free_slot(struct outcomes *o, uint32_t slot)
{
    uint32_t mask = o->slot_count - 1;

    for (uint32_t at = (slot + 1) & mask; o->slots[at].outcome; at = (at + 1) & mask) {
        uint32_t home = home_of(o, o->slots[at].txn);

        if (((at - home) & mask) >= ((at - slot) & mask)) {
            o->slots[slot] = o->slots[at];
            slot = at;
        }
    }
    o->slots[slot] = (struct outcome_slot){ 0, NULL };
}

/* --- Coming and going ------------------------------------------------------------------------- */

static void append(struct outcomes *o, struct shard_outcome *outcome)
{
    outcome->next = NULL;
    if (o->last)
        o->last->next = outcome;
    else
        o->first = outcome;
    o->last = outcome;
}

static struct shard_outcome *take_first(struct outcomes *o)
{
    struct shard_outcome *outcome = o->first;

    o->first = outcome->next;
    if (!o->first)
        o->last = NULL;
    return outcome;
}

static void shorten(struct shard_outcome *outcome)
{
    const struct decision *d = &outcome->decision;

    outcome->decision =
        (struct decision){ .txn = d->txn, .commits = d->commits, .begin = d->begin, .at = d->at };
}

struct shard_outcome *outcomes_add(struct outcomes *o, const struct shard_outcome *new_one)
{
    struct shard_outcome *outcome;
    uint32_t slot;

    if (2 * o->count >= o->slot_count)
        widen(o);
    slot = slot_of(o, new_one->decision.txn);
    assert(!o->slots[slot].outcome);
    outcome = pool_take(o->pool, sizeof *outcome);
    *outcome = *new_one;
    append(o, outcome);
    o->slots[slot] = (struct outcome_slot){ outcome->decision.txn, outcome };
    o->count++;
    if (outcome->is_told)
        shorten(outcome);
    else
        pool_push(o->pool, &o->untold, outcome);
    return outcome;
}

void outcomes_set_told(struct outcomes *o, uint64_t txn)
{
    struct shard_outcome *outcome = outcomes_find(o, txn);

    if (!outcome || outcome->is_told)
        return;
    outcome->is_told = true;
    shorten(outcome);
    for (uint32_t i = 0; i < o->untold.count; i++) {
        if (o->untold.at[i] != outcome)
            continue;
        array_remove(&o->untold, i);
        return;
    }
    assert(false);
}

void outcomes_collect(struct outcomes *o, struct stamp horizon)
{
    for (uint32_t n = o->count; n > 0 && stamp_less(o->first->decision.begin, horizon); n--) {
        struct shard_outcome *outcome = take_first(o);

        if (!outcome->is_told) {
            append(o, outcome);
            continue;
        }
        free_slot(o, slot_of(o, outcome->decision.txn));
        pool_give(o->pool, outcome, sizeof *outcome);
        o->count--;
    }
}

/* --- Snapshots -------------------------------------------------------------------------------- */

enum { SAVED_ANCHOR = 1, SAVED_TOLD = 2, SAVED_COMMITS = 4 };

/* Told: as differences from the one before, for there are many. */
static void save_told(const struct decision *d, int64_t *wall_ns, struct wire_writer *w)
{
    wire_put_number(w, d->txn);
    wire_put_signed(w, d->begin.wall_ns - *wall_ns);
    wire_put_number(w, d->begin.logical);
    wire_put_number(w, d->begin.txn ^ d->txn);
    *wall_ns = d->begin.wall_ns;
    if (!d->commits)
        return;
    wire_put_signed(w, d->at.wall_ns - d->begin.wall_ns);
    wire_put_number(w, d->at.logical);
    wire_put_number(w, d->at.txn ^ d->txn);
}

static void load_told(struct decision *d, int64_t *wall_ns, struct wire_reader *r)
{
    d->txn = wire_get_number(r);
    *wall_ns += wire_get_signed(r);
    d->begin.wall_ns = *wall_ns;
    d->begin.logical = (uint32_t)wire_get_number(r);
    d->begin.txn = wire_get_number(r) ^ d->txn;
    if (!d->commits)
        return;
    d->at.wall_ns = d->begin.wall_ns + wire_get_signed(r);
    d->at.logical = (uint32_t)wire_get_number(r);
    d->at.txn = wire_get_number(r) ^ d->txn;
}

void outcomes_save(const struct outcomes *o, struct wire_writer *w)
{
    int64_t wall_ns = 0;

    wire_put_number(w, o->count);
    for (const struct shard_outcome *outcome = o->first; outcome; outcome = outcome->next) {
        wire_put_byte(w, (uint8_t)((outcome->is_anchor ? SAVED_ANCHOR : 0) |
                                   (outcome->is_told ? SAVED_TOLD : 0) |
                                   (outcome->decision.commits ? SAVED_COMMITS : 0)));
        wire_put_byte(w, (uint8_t)outcome->refusal);
        if (outcome->is_told)
            save_told(&outcome->decision, &wall_ns, w);
        else
            shard_decision_put(w, &outcome->decision);
    }
}

void outcomes_load(struct outcomes *o, struct wire_reader *r)
{
    uint32_t count = wire_get_count(r);
    int64_t wall_ns = 0;

    outcomes_close(o);
    for (uint32_t i = 0; i < count && !r->bad; i++) {
        uint8_t flags = wire_get_byte(r), refusal = wire_get_byte(r);
        struct shard_outcome outcome = {
            .refusal = (enum refusal)refusal,
            .is_anchor = flags & SAVED_ANCHOR,
            .is_told = flags & SAVED_TOLD,
        };

        outcome.decision.commits = flags & SAVED_COMMITS;
        if (outcome.is_told)
            load_told(&outcome.decision, &wall_ns, r);
        else
            shard_decision_get(r, &outcome.decision);
        outcomes_add(o, &outcome);
    }
    assert(!r->bad);
}
