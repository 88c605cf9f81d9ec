#include <assert.h>

#include "programs/generator/execute_private.h"

/* The lowest place that is still known, and not excluded. */
static int64_t lowest_place(const struct transaction *t)
{
    return int64_max(int64_max(t->now - t->g->window, 0), t->floor);
}

/*
 * An instant between two ticks: the number of commits makes it its own, as fewer
 * transactions commit within the window than a tick has nanoseconds.
 */
static int64_t draw_earlier_place(struct transaction *t)
{
    struct generator *g = t->g;
    int64_t lowest = lowest_place(t), place;

    if (g->rules.standing == STAND_AFTER_SESSION)
        lowest = int64_max(lowest, t->actor->last_place);
    if (lowest >= t->now || t->tries >= TRIES_MAX || random_below(&g->staleness, 2) == 0)
        return t->now;
    place = random_between(&g->staleness, lowest, t->now - 1) & ~(g->tick - 1);
    place += 1 + (int64_t)(g->commits % (uint64_t)(g->tick - 1));
    return place > lowest ? place : t->now;
}

/* At the latest a tick ago: until then all others have committed. */
static int64_t draw_snapshot(struct transaction *t, enum since since)
{
    int64_t lowest = lowest_place(t), latest = t->now - t->g->tick;

    if (since == SINCE_SESSION)
        lowest = int64_max(lowest, t->actor->last_place);
    if (since == SINCE_INVOCATION)
        lowest = int64_max(lowest, t->record->invoked);
    assert(lowest <= latest);
    return t->tries < TRIES_MAX ? random_between(&t->g->staleness, lowest, latest) : latest;
}

/* What another replica has seen comes with what it has done. */
static void pull(struct transaction *t, uint32_t from)
{
    struct generator *g = t->g;

    for (uint32_t r = 0; r < g->replica_count; r++)
        t->replica->seen_until[r] =
            int64_max(t->replica->seen_until[r], g->replicas[from].seen_until[r]);
    t->replica->seen_until[from] = t->now - g->tick;
}

static void bring_replica_up_to_date(struct transaction *t)
{
    struct generator *g = t->g;
    uint32_t own = t->actor->session % g->replica_count;
    uint32_t other = (uint32_t)random_below(&g->staleness, g->replica_count);

    if (other != own && random_below(&g->staleness, 4) == 0)
        pull(t, other);
    for (uint32_t r = 0; r < g->replica_count; r++)
        if (r != own && (t->tries > 0 || t->replica->seen_until[r] < lowest_place(t)))
            pull(t, r);
}

/* The latest that the replica has seen of anybody: from now on it has seen all until then. */
static int64_t even_out_replica(struct transaction *t)
{
    struct generator *g = t->g;
    int64_t place = 0;

    for (uint32_t r = 0; r < g->replica_count; r++)
        place = int64_max(place, t->replica->seen_until[r]);
    for (uint32_t r = 0; r < g->replica_count; r++)
        t->replica->seen_until[r] = place;
    return place;
}

void view_choose(struct transaction *t, bool by_predicate)
{
    struct generator *g = t->g;

    t->record->place = t->now;
    t->source = g->rules.source;
    switch (t->source) {
    case SOURCE_PLACE:
        if (g->rules.standing != STAND_NOW)
            t->record->place = draw_earlier_place(t);
        t->seen_until = t->record->place;
        break;
    case SOURCE_SNAPSHOT:
        t->seen_until = draw_snapshot(t, g->rules.since);
        break;
    case SOURCE_STATEMENT:
        t->seen_until = lowest_place(t);
        break;
    case SOURCE_REPLICA:
        t->replica = &g->replicas[t->actor->session % g->replica_count];
        bring_replica_up_to_date(t);
        if (by_predicate) {
            t->source = SOURCE_SNAPSHOT;
            t->seen_until = even_out_replica(t);
        }
        break;
    case SOURCE_PART:
        if (by_predicate) {
            t->source = SOURCE_SNAPSHOT;
            t->seen_until = draw_snapshot(t, SINCE_SESSION);
        }
        break;
    }
    t->record->snapshot = t->source == SOURCE_SNAPSHOT ? t->seen_until : PLACE_NONE;
}

bool view_sees(const struct transaction *t, const struct version *v)
{
    const struct generator *g = t->g;

    switch (t->source) {
    case SOURCE_PLACE:
    case SOURCE_SNAPSHOT:
    case SOURCE_STATEMENT:
        return v->place <= t->seen_until;
    case SOURCE_REPLICA:
        return v->place <= t->replica->seen_until[v->session % g->replica_count];
    case SOURCE_PART:
        return v->place <= t->now - g->window || v->session == t->actor->session ||
               (random_draw_at(&g->parts, (uint64_t)t->record->id << 32 | v->txn) & 1);
    }
    assert(!"a source that does not exist");
    return false;
}

uint32_t view_look(const struct transaction *t, uint32_t slot)
{
    const struct version *at = t->g->versions.pool.at;
    uint32_t version = t->g->versions.slots[slot].newest;

    while (version != VERSIONS_NONE && (at[version].dirty || !view_sees(t, &at[version])))
        version = at[version].older;
    return version;
}

/* One rolled back later, or one that its own writer overwrote. */
uint32_t view_look_for_dirt(const struct transaction *t, uint32_t slot, uint32_t clean)
{
    const struct version *at = t->g->versions.pool.at;
    uint32_t version = t->g->versions.slots[slot].newest;

    for (; version != clean; version = at[version].older)
        if (at[version].dirty && view_sees(t, &at[version]))
            return version;
    if (clean != VERSIONS_NONE && at[clean].older != VERSIONS_NONE && at[at[clean].older].dirty)
        return at[clean].older;
    return clean;
}

void view_begin_statement(struct transaction *t)
{
    if (t->source == SOURCE_STATEMENT)
        t->seen_until = random_between(&t->g->staleness, t->seen_until, t->now - t->g->tick);
}
