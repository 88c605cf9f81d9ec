/*
 * Answers what protocols ask of a leader.
 *
 * The ceiling is raised in bulk and a little before it is needed, so that few
 * reads wait for the log. A prepare in flight counts as undecided from the moment
 * it is proposed: its stamp will be at least `least`.
 */
#include "store/shard/replica_read.h"

#include <string.h>

#include "store/shard/replica_private.h"
#include "store/shard/shard_conflict.h"

#define CEILING_BULK_NS INT64_C(200000000)
#define CEILING_AHEAD_NS INT64_C(50000000)
#define ROWS_FIRST 16

struct stamp replica_now(struct replica *r, uint64_t txn)
{
    return server_now(r->server, txn);
}

/* --- The ceiling ------------------------------------------------------------------------------ */

static void raise_ceiling(struct replica *r, struct stamp at)
{
    struct shard_command command = { .kind = COMMAND_CEILING };

    command.stamp = at;
    if (!BUGGIFY(r->shard.sometimes, r->server->node, CEILING_TIGHT))
        command.stamp = stamp_plus(at, CEILING_BULK_NS);
    if (replica_propose(r, &command) != 0)
        r->asked_ceiling = command.stamp;
}

bool replica_may_read(struct replica *r, struct stamp at)
{
    if (stamp_less(r->asked_ceiling, at))
        SOMETIMES(r->shard.sometimes, CEILING_RAISED);
    if (!stamp_less(stamp_plus(at, CEILING_AHEAD_NS), r->asked_ceiling))
        raise_ceiling(r, at);
    if (stamp_less(r->shard.ceiling, at))
        return false;
    r->served_max = stamp_max(r->served_max, at);
    stamp_clock_forward(&r->server->clock, at);
    return true;
}

/* --- Undecided transactions ------------------------------------------------------------------- */

/* Not to be committed below `at`. */
struct undecided {
    const struct prepare *prepare; /* NULL: decided, or prepared, by now */
    struct footprint footprint;
    struct stamp at;
};

static uint32_t undecided_count(const struct replica *r)
{
    return r->shard.prepared.count + r->in_flight.count;
}

/* Those prepared, in the order of the log, and then those that the log still holds. */
static struct undecided undecided_at(const struct replica *r, uint32_t i)
{
    const struct prepared *p;
    const struct waiting_ask *w;

    if (i < r->shard.prepared.count) {
        p = r->shard.prepared.at[i];
        return (struct undecided){ &p->prepare, p->footprint, p->vote.at };
    }
    w = r->in_flight.at[i - r->shard.prepared.count];
    if (w->index <= r->shard.applied)
        return (struct undecided){ .prepare = NULL };
    return (struct undecided){ &w->ask.prepare, w->footprint, w->ask.prepare.least };
}

/* It conflicts, and may commit at or below the stamp where the other looks. */
static bool is_in_the_way(const struct replica *r, const struct undecided *undecided,
                          const struct party *party, unsigned ways)
{
    struct party other = { undecided->prepare, undecided->footprint, stamp_never() };

    return other.prepare && other.prepare->txn != party->prepare->txn &&
           !stamp_less(party->at, undecided->at) && shard_meet(&r->shard, party, &other, ways);
}

/* From the n-th on, the first. */
static const struct prepare *find_in_the_way(const struct replica *r, uint32_t from,
                                             const struct prepare *p, unsigned ways,
                                             struct stamp at)
{
    struct party party = shard_party(p, at);

    for (uint32_t i = from; i < undecided_count(r); i++) {
        struct undecided other = undecided_at(r, i);

        if (is_in_the_way(r, &other, &party, ways))
            return other.prepare;
    }
    return NULL;
}

/* The keys and the scope of a read as if it were about to be prepared. */
static struct prepare prepare_of_read(struct replica *r, const struct ask *ask,
                                      struct seen_scope *scope)
{
    struct prepare reads = { .txn = ask->txn, .key_count = ask->key_count };
    struct seen_key *keys = NULL;

    if (ask->key_count > 0)
        keys = arena_take(&r->server->scratch, ask->key_count, sizeof *keys);
    for (uint32_t i = 0; i < ask->key_count; i++)
        keys[i].key = ask->keys[i];
    reads.keys = keys;
    if (ask->scope == SCOPE_NONE)
        return reads;
    *scope = (struct seen_scope){ .scope = ask->scope };
    reads.scopes = scope;
    reads.scope_count = 1;
    return reads;
}

const struct prepare *replica_undecided_writer(struct replica *r, const struct ask *ask,
                                               struct stamp at)
{
    size_t used = r->server->scratch.used;
    struct seen_scope scope;
    struct prepare reads;
    const struct prepare *writer;

    if (undecided_count(r) == 0)
        return NULL;
    reads = prepare_of_read(r, ask, &scope);
    writer = find_in_the_way(r, 0, &reads, CONFLICT_READ_WRITE, at);
    arena_reset_to(&r->server->scratch, used);
    if (writer)
        SOMETIMES(r->shard.sometimes, READ_WAITED_FOR_DECISION);
    return writer;
}

enum served replica_admit_below(struct replica *r, const struct prepare *p, unsigned ways,
                                struct stamp at, struct vote *vote)
{
    struct party party = shard_party(p, at);
    bool is_any = false;

    for (uint32_t i = 0; i < undecided_count(r); i++) {
        struct undecided other = undecided_at(r, i);

        if (!is_in_the_way(r, &other, &party, ways))
            continue;
        is_any = true;
        if (stamp_less(other.prepare->begin, p->begin)) {
            vote->refusal = REFUSED_UNDECIDED;
            return SERVED;
        }
    }
    if (is_any) {
        SOMETIMES(r->shard.sometimes, PREPARE_WAITED);
        return SERVE_LATER;
    }
    vote->refusal = REFUSED_NOT;
    return SERVED;
}

enum served replica_admit_by_age(struct replica *r, const struct prepare *p, unsigned ways,
                                 struct vote *vote)
{
    return replica_admit_below(r, p, ways, stamp_never(), vote);
}

/* --- Rows ------------------------------------------------------------------------------------- */

struct row_list {
    struct arena *arena;
    struct read_row *at;
    uint32_t count, room;
};

static void add_row(struct row_list *list, uint32_t key, const struct stored_version *version)
{
    struct read_row *row;

    if (list->count == list->room) {
        uint32_t room = list->room > 0 ? 2 * list->room : ROWS_FIRST;
        struct read_row *wider = arena_take(list->arena, room, sizeof *wider);

        if (list->count > 0)
            memcpy(wider, list->at, list->count * sizeof *wider);
        list->at = wider;
        list->room = room;
    }
    row = &list->at[list->count++];
    *row = (struct read_row){ .key = key, .is_row = version_is_row(version) };
    if (version) {
        row->at = version->at;
        row->writer = version->writer;
        row->row = version_row(version);
    }
}

static void add_scanned(void *list, uint32_t key, const struct stored_version *version)
{
    add_row(list, key, version);
}

void replica_read_rows(struct replica *r, const struct ask *ask, struct stamp at,
                       struct shard_answer *answer)
{
    struct row_list list = { .arena = &r->server->scratch };

    for (uint32_t i = 0; i < ask->key_count; i++)
        add_row(&list, ask->keys[i], versions_at(&r->shard.versions, ask->keys[i], at));
    if (ask->scope != SCOPE_NONE)
        shard_scan(&r->shard, ask->scope, at, add_scanned, &list);
    answer->rows = list.at;
    answer->row_count = list.count;
    answer->index = r->shard.applied;
    answer->at = at;
}

void replica_probe(struct replica *r, uint32_t node, const struct ask *ask)
{
    struct ask probe = *ask;

    probe.from = r->server->node;
    probe.from_shard = r->shard.number;
    server_send_probe(r->server, node, &probe);
}
