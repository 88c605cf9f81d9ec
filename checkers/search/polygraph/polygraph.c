#include "checkers/search/polygraph/polygraph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "checkers/search/polygraph/polygraph_private.h"

/* --- Links ------------------------------------------------------------------------ */

enum status polygraph_overtake(struct polygraph *p, uint32_t read, uint32_t version,
                               struct error *err)
{
    return polygraph_add(p,
                         (struct fact){ node_begin(p, p->d->read_actor[read]),
                                        version_commit(p, version), read, version, 0,
                                        FACT_OVERTAKEN },
                         err);
}

uint32_t polygraph_read_of(const struct polygraph *p, uint32_t actor, uint32_t version)
{
    for (uint32_t i = p->reads_start[actor]; i < p->reads_start[actor + 1]; i++)
        if (p->source[p->reads[i]] == version)
            return p->reads[i];
    return NOBODY;
}

/*
 * Two that both read a version and wrote the next: each comes before the other, as it
 * had not seen it. At snapshot one must have committed before the other began.
 */
static enum status refute_twins(struct polygraph *p, uint32_t read, uint32_t mine, uint32_t theirs,
                                struct error *err)
{
    const struct distilled *d = p->d;
    uint32_t other = polygraph_read_of(p, d->version_actor[theirs], p->source[read]);

    if (other == NOBODY)
        return STATUS_OK;
    TRY(polygraph_overtake(p, read, theirs, err));
    TRY(polygraph_overtake(p, other, mine, err));
    if (!p->is_snapshot)
        return STATUS_OK;
    return polygraph_add(p,
                         (struct fact){ version_commit(p, theirs), version_begin(p, mine), 0,
                                        theirs, mine, FACT_ORDER },
                         err);
}

/* The actor's version of the key, or NOBODY. */
static uint32_t polygraph_version_of(const struct distilled *d, uint32_t actor, uint32_t key)
{
    uint32_t low = d->key_start[key] + 1, end = d->key_start[key + 1], high = end;

    BISECT(low, low, high, d->version_actor[low] < actor);
    return low < end && d->version_actor[low] == actor ? low : NOBODY;
}

static enum status link_writers(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;

    for (uint32_t read = 0; read < d->read_count; read++) {
        uint32_t from = p->source[read], own;

        if (from == NOBODY)
            continue;
        own = polygraph_version_of(d, d->read_actor[read], d->read_key[read]);
        if (own == NOBODY || p->previous[own] == from)
            continue;
        if (p->next[from] == NOBODY && p->previous[own] == NOBODY && own != from) {
            p->next[from] = own;
            p->previous[own] = from;
            p->link_fact[own] = p->known_since[read];
        } else if (p->next[from] != NOBODY) {
            TRY(refute_twins(p, read, own, p->next[from], err));
        }
    }
    return STATUS_OK;
}

/* --- Readers ---------------------------------------------------------------------- */

/* Whether somebody else than the one who made the next version reads it. */
static bool is_reader(const struct polygraph *p, uint32_t read)
{
    const struct distilled *d = p->d;
    uint32_t from = p->source[read], next;

    if (from == NOBODY)
        return false;
    next = p->next[from];
    return next == NOBODY || d->version_actor[next] != d->read_actor[read];
}

static void gather_readers(struct polygraph *p)
{
    const struct distilled *d = p->d;

    memset(p->reader_start, 0, ((size_t)d->version_count + 2) * sizeof *p->reader_start);
    memset(p->may_be_read, 0, d->version_count);
    for (uint32_t read = 0; read < d->read_count; read++) {
        if (is_reader(p, read))
            p->reader_start[p->source[read] + 2]++;
        for (uint32_t c = d->candidate_start[read];
             p->source[read] == NOBODY && c < d->candidate_start[read + 1]; c++)
            p->may_be_read[d->candidates[c]] |= !p->is_gone[c];
    }
    for (uint32_t version = 0; version < d->version_count; version++)
        p->reader_start[version + 2] += p->reader_start[version + 1];
    for (uint32_t read = 0; read < d->read_count; read++)
        if (is_reader(p, read))
            p->readers[p->reader_start[p->source[read] + 1]++] = read;
}

/* --- Chains ----------------------------------------------------------------------- */

static int compare_heads(const void *a, const void *b)
{
    const struct sorted_head *x = a, *y = b;

    if (x->slot_and_place != y->slot_and_place)
        return x->slot_and_place < y->slot_and_place ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

static void sort_heads(struct sorted_head *at, uint32_t count)
{
    if (count > 24) {
        qsort(at, count, sizeof *at, compare_heads);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        struct sorted_head moving = at[i];
        uint32_t to = i;

        for (; to > 0 && compare_heads(&at[to - 1], &moving) > 0; to--)
            at[to] = at[to - 1];
        at[to] = moving;
    }
}

static void add_chain(struct polygraph *p, uint32_t head)
{
    uint32_t chain = p->chain_count++, version = head;

    p->head[chain] = head;
    if (!version_is_initial(p->d, head))
        p->head_place[chain] = p->place[version_begin(p, head)];
    p->chain_of[head] = chain;
    while (p->next[version] != NOBODY && p->next[version] != head) {
        version = p->next[version];
        p->chain_of[version] = chain;
    }
    p->tail[chain] = version;
    p->is_plain[chain] = version == head && p->reader_start[head] == p->reader_start[head + 1] &&
                         !p->may_be_read[head];
}

static void chain_key(struct polygraph *p, uint32_t key)
{
    const struct distilled *d = p->d;
    uint32_t count = 0;

    p->chain_start[key] = p->chain_count;
    add_chain(p, d->key_start[key]);
    for (uint32_t v = d->key_start[key] + 1; v < d->key_start[key + 1]; v++) {
        uint32_t node;

        if (p->previous[v] != NOBODY)
            continue;
        node = version_begin(p, v);
        p->sorting[count++] =
            (struct sorted_head){ (uint64_t)p->slot[node] << 32 | p->place[node], v };
    }
    if (p->reach.kind == REACH_CLOCKS)
        sort_heads(p->sorting, count);
    for (uint32_t i = 0; i < count; i++)
        add_chain(p, p->sorting[i].version);
}

/* Runs of equal slots; without slots each chain is a lane of its own. */
static void add_to_lane(const struct polygraph *p, struct lane *lanes, uint32_t first_lane,
                        uint32_t *lane_count, uint32_t chain, uint32_t element)
{
    uint32_t slot =
        p->reach.kind == REACH_CLOCKS ? p->slot[version_begin(p, p->head[chain])] : chain;

    if (*lane_count == first_lane || lanes[*lane_count - 1].slot != slot)
        lanes[(*lane_count)++] = (struct lane){ slot, element, element };
    lanes[*lane_count - 1].end++;
}

static void divide_into_lanes(struct polygraph *p)
{
    const struct distilled *d = p->d;
    uint32_t lane_count = 0, firm_lane_count = 0, firm_count = 0;

    for (uint32_t key = 0; key < d->key_count; key++) {
        p->lane_start[key] = lane_count;
        p->firm_start[key] = firm_lane_count;
        for (uint32_t c = p->chain_start[key] + 1; c < p->chain_start[key + 1]; c++) {
            add_to_lane(p, p->lanes, p->lane_start[key], &lane_count, c, c);
            if (p->is_plain[c])
                continue;
            p->firm[firm_count] = c;
            p->firm_place[firm_count] = p->head_place[c];
            add_to_lane(p, p->firm_lanes, p->firm_start[key], &firm_lane_count, c, firm_count++);
        }
    }
    p->lane_start[d->key_count] = lane_count;
    p->firm_start[d->key_count] = firm_lane_count;
}

enum status polygraph_chain(struct polygraph *p, struct error *err)
{
    p->is_rechained = true;
    TRY(link_writers(p, err));
    gather_readers(p);
    p->chain_count = 0;
    for (uint32_t key = 0; key < p->d->key_count; key++)
        chain_key(p, key);
    p->chain_start[p->d->key_count] = p->chain_count;
    divide_into_lanes(p);
    return STATUS_OK;
}

/* --- Facts ------------------------------------------------------------------------ */

enum status polygraph_add(struct polygraph *p, struct fact fact, struct error *err)
{
    if (fact.from != NOBODY)
        TRY(array_push(&p->arrows, ((struct arrow){ fact.from, fact.to, (uint32_t)p->facts.count }),
                       err));
    return array_push(&p->facts, fact, err);
}

static enum status add_base(struct polygraph *p, struct error *err)
{
    const struct fixed_order *b = p->base;
    uint32_t first_barrier = p->node_count - b->barrier_count;

    for (uint32_t actor = 0; actor < p->d->actor_count; actor++) {
        uint32_t begin = node_begin(p, actor), commit = node_commit(p, actor);

        if (p->is_snapshot)
            TRY(polygraph_add(p, ((struct fact){ begin, commit, actor, 0, 0, FACT_PROGRAM }), err));
        if (b->before[actor] != NOBODY)
            TRY(polygraph_add(p,
                              ((struct fact){ node_commit(p, b->before[actor]), begin,
                                              b->before[actor], actor, 0, FACT_BASE }),
                              err));
        if (b->barrier_after[actor] != NOBODY)
            TRY(polygraph_add(p,
                              ((struct fact){ commit, first_barrier + b->barrier_after[actor],
                                              actor, 0, 0, FACT_TIME }),
                              err));
        if (b->barrier_before[actor] != NOBODY)
            TRY(polygraph_add(p,
                              ((struct fact){ first_barrier + b->barrier_before[actor], begin,
                                              actor, 0, 0, FACT_TIME }),
                              err));
    }
    for (uint32_t node = first_barrier; node + 1 < p->node_count; node++)
        TRY(polygraph_add(p, ((struct fact){ node, node + 1, 0, 0, 0, FACT_TIME }), err));
    return STATUS_OK;
}

enum status polygraph_settle(struct polygraph *p, uint32_t read, uint32_t version,
                             struct error *err)
{
    uint32_t writer = p->d->version_actor[version];

    p->source[read] = version;
    p->known_since[read] = (uint32_t)p->facts.count;
    if (writer == NOBODY)
        return STATUS_OK;
    return polygraph_add(p,
                         (struct fact){ node_commit(p, writer),
                                        node_begin(p, p->d->read_actor[read]), read, version, 0,
                                        FACT_FOLLOWS },
                         err);
}

static enum status add_shown(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;

    for (uint32_t i = 0; i < d->shown_count; i++) {
        const struct shown *s = &d->shown[i];
        uint32_t fact = (uint32_t)p->facts.count;

        if (s->first == NOBODY) {
            TRY(polygraph_add(
                p,
                ((struct fact){ node_begin(p, d->read_actor[s->read]), version_commit(p, s->second),
                                s->read, s->second, 0, FACT_ABSENT }),
                err));
            continue;
        }
        if (s->links && p->next[s->first] == NOBODY && p->previous[s->second] == NOBODY) {
            p->next[s->first] = s->second;
            p->previous[s->second] = s->first;
            p->link_fact[s->second] = fact;
        }
        if (!version_is_initial(d, s->first))
            TRY(polygraph_add(
                p,
                ((struct fact){ version_commit(p, s->first), version_begin(p, s->second), s->read,
                                s->first, s->second, FACT_PREFIX }),
                err));
    }
    return STATUS_OK;
}

/* Where all of a key's order is given its versions are one chain. */
static enum status add_pairs(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;

    for (uint32_t i = 0; i < d->pair_count; i++) {
        uint32_t y = d->pair_first[i], z = d->pair_second[i], fact = (uint32_t)p->facts.count;

        if (d->key_is_ordered[d->version_key[y]] && p->next[y] == NOBODY &&
            p->previous[z] == NOBODY) {
            p->next[y] = z;
            p->previous[z] = y;
            p->link_fact[z] = fact;
        }
        TRY(polygraph_add(
            p, ((struct fact){ version_commit(p, y), version_begin(p, z), 0, y, z, FACT_PAIR }),
            err));
    }
    for (uint32_t key = 0; key < d->key_count; key++) {
        uint32_t initial = d->key_start[key], first = initial + 1;

        if (!d->key_is_ordered[key] || first == d->key_start[key + 1])
            continue;
        while (p->previous[first] != NOBODY)
            first = p->previous[first];
        if (first != initial && p->next[initial] == NOBODY) {
            p->next[initial] = first;
            p->previous[first] = initial;
            p->link_fact[first] = (uint32_t)p->facts.count;
        }
    }
    return STATUS_OK;
}

/* By actor. */
static void index_reads(struct polygraph *p)
{
    const struct distilled *d = p->d;

    memset(p->reads_start, 0, ((size_t)d->actor_count + 2) * sizeof *p->reads_start);
    for (uint32_t read = 0; read < d->read_count; read++)
        p->reads_start[d->read_actor[read] + 2]++;
    for (uint32_t actor = 0; actor < d->actor_count; actor++)
        p->reads_start[actor + 2] += p->reads_start[actor + 1];
    for (uint32_t read = 0; read < d->read_count; read++)
        p->reads[p->reads_start[d->read_actor[read] + 1]++] = read;
}

static enum status add_reads(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;

    for (; p->read_count < d->read_count; p->read_count++) {
        if (d->read_source[p->read_count] != NOBODY)
            TRY(polygraph_settle(p, p->read_count, d->read_source[p->read_count], err));
        else
            p->open_count++;
    }
    index_reads(p);
    return STATUS_OK;
}

/* --- Making ----------------------------------------------------------------------- */

static enum status number_nodes(struct polygraph *p, struct error *err)
{
    const struct fixed_order *b = p->base;
    uint32_t actors = p->d->actor_count, of_actors = p->is_snapshot ? 2 * actors : actors;
    uint32_t slots = b->slot_count > 0 ? b->slot_count + (b->barrier_count > 0) : 0;

    p->node_count = of_actors + b->barrier_count;
    TAKE(p->arena, p->slot, p->node_count, err);
    TAKE(p->arena, p->place, p->node_count, err);
    for (uint32_t actor = 0; actor < actors; actor++) {
        uint32_t begin = node_begin(p, actor), commit = node_commit(p, actor);

        p->slot[begin] = p->slot[commit] = b->slot[actor];
        p->place[begin] = p->is_snapshot ? 2 * b->place[actor] - 1 : b->place[actor];
        p->place[commit] = p->is_snapshot ? 2 * b->place[actor] : b->place[actor];
    }
    for (uint32_t i = 0; i < b->barrier_count; i++) {
        p->slot[of_actors + i] = b->slot_count;
        p->place[of_actors + i] = i + 1;
    }
    return reach_init(&p->reach,
                      &(struct reach_slots){ p->node_count, slots, p->slot, p->place }, p->arena, err);
}

/* For the reads of the distilled history, and for as many again as there may come. */
static enum status take_room(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;
    uint32_t candidates = d->candidate_start[d->read_count];
    const uint32_t *source = p->source, *known_since = p->known_since;
    const uint8_t *is_gone = p->is_gone;

    if (d->read_count > p->read_room || !p->source) {
        p->read_room = p->source ? 2 * (size_t)d->read_count : d->read_count;
        TAKE(p->arena, p->source, p->read_room, err);
        TAKE(p->arena, p->known_since, p->read_room, err);
        TAKE(p->arena, p->readers, p->read_room, err);
        TAKE(p->arena, p->reads, p->read_room, err);
        memset(p->source, 0xff, p->read_room * sizeof *p->source);
        if (p->read_count > 0) {
            memcpy(p->source, source, p->read_count * sizeof *source);
            memcpy(p->known_since, known_since, p->read_count * sizeof *known_since);
        }
    }
    if (candidates > p->candidate_room || !p->is_gone) {
        size_t old = p->candidate_room;

        p->candidate_room = p->is_gone ? 2 * (size_t)candidates : candidates;
        TAKE(p->arena, p->is_gone, p->candidate_room, err);
        if (old > 0)
            memcpy(p->is_gone, is_gone, old);
    }
    return STATUS_OK;
}

static enum status take_memory(struct polygraph *p, struct error *err)
{
    const struct distilled *d = p->d;
    size_t versions = d->version_count;

    TRY(take_room(p, err));
    TAKE(p->arena, p->reads_start, (size_t)d->actor_count + 2, err);
    TAKE(p->arena, p->next, versions, err);
    TAKE(p->arena, p->previous, versions, err);
    TAKE(p->arena, p->link_fact, versions, err);
    TAKE(p->arena, p->reader_start, versions + 2, err);
    TAKE(p->arena, p->may_be_read, versions, err);
    TAKE(p->arena, p->chain_start, (size_t)d->key_count + 1, err);
    TAKE(p->arena, p->head, versions, err);
    TAKE(p->arena, p->tail, versions, err);
    TAKE(p->arena, p->chain_of, versions, err);
    TAKE(p->arena, p->is_plain, versions, err);
    TAKE(p->arena, p->lane_start, (size_t)d->key_count + 1, err);
    TAKE(p->arena, p->lanes, versions, err);
    TAKE(p->arena, p->firm_start, (size_t)d->key_count + 1, err);
    TAKE(p->arena, p->firm_lanes, versions, err);
    TAKE(p->arena, p->firm, versions, err);
    TAKE(p->arena, p->sorting, versions, err);
    TAKE(p->arena, p->head_place, versions, err);
    TAKE(p->arena, p->firm_place, versions, err);
    memset(p->next, 0xff, versions * sizeof *p->next);
    memset(p->previous, 0xff, versions * sizeof *p->previous);
    memset(p->link_fact, 0xff, versions * sizeof *p->link_fact);
    return STATUS_OK;
}

enum status polygraph_init(struct polygraph *p, const struct distilled *d, const struct fixed_order *base,
                           bool is_snapshot, struct arena *arena, struct error *err)
{
    *p = (struct polygraph){
        .d = d, .base = base, .arena = arena, .is_snapshot = is_snapshot, .read_without = NOBODY,
        .some_without = NOBODY
    };
    TRY(number_nodes(p, err));
    TRY(take_memory(p, err));
    TRY(add_base(p, err));
    TRY(add_reads(p, err));
    TRY(add_shown(p, err));
    TRY(add_pairs(p, err));
    return polygraph_chain(p, err);
}

enum status polygraph_extend(struct polygraph *p, struct error *err)
{
    TRY(take_room(p, err));
    TRY(add_reads(p, err));
    return polygraph_chain(p, err);
}

void polygraph_close(struct polygraph *p)
{
    array_close(&p->facts);
    array_close(&p->arrows);
    reach_close(&p->reach);
}
