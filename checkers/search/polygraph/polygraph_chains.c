/*
 * Chains: versions that follow each other directly, and who reads them.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
