#include "checkers/search/polygraph/reach_private.h"

#include <string.h>

#define CLOCKS_MAX ((uint64_t)48 << 20) /* numbers: 192 MB */
#define BITS_MAX ((uint64_t)600 << 20)  /* bits: twice 75 MB, or 25 000 nodes */

enum status reach_init(struct reach *r, const struct reach_slots *slots, struct arena *arena,
                       struct error *err)
{
    uint32_t node_count = slots->node_count, slot_count = slots->slot_count;

    *r = (struct reach){ .node_count = node_count,
                         .slot_count = slot_count,
                         .slot = slots->slot,
                         .place = slots->place };
    r->word_count = (node_count + 63) / 64;
    if (slot_count > 0 && (uint64_t)node_count * slot_count <= CLOCKS_MAX) {
        r->kind = REACH_CLOCKS;
        TAKE(arena, r->clocks, (size_t)node_count * slot_count, err);
    } else if ((uint64_t)node_count * node_count <= BITS_MAX) {
        r->kind = REACH_BITS;
        TAKE(arena, r->bits, (size_t)node_count * r->word_count, err);
        TAKE(arena, r->bits_before, (size_t)node_count * r->word_count, err);
    }
    TAKE(arena, r->sums, r->kind == REACH_CLOCKS ? node_count : 0, err);
    TAKE(arena, r->has_changed, node_count, err);
    memset(r->has_changed, 1, node_count);
    TAKE(arena, r->order, node_count, err);
    TAKE(arena, r->start, (size_t)node_count + 2, err);
    TAKE(arena, r->waits, node_count, err);
    return STATUS_OK;
}

void reach_close(struct reach *r)
{
    free(r->leading);
    free(r->arriving);
    r->leading = r->arriving = NULL;
}

/* --- The graph -------------------------------------------------------------------- */

static enum status make_room(struct reach *r, size_t count, struct error *err)
{
    if (count > r->edge_room || !r->leading) {
        TRY(memory_resize((void **)&r->leading, count + count / 4, sizeof *r->leading, err));
        TRY(memory_resize((void **)&r->arriving, count + count / 4, sizeof *r->arriving, err));
        r->edge_room = count + count / 4;
    }
    return STATUS_OK;
}

static void lay_out(struct reach *r, const struct arrow *edges, size_t count)
{
    memset(r->start, 0, ((size_t)r->node_count + 2) * sizeof *r->start);
    memset(r->waits, 0, r->node_count * sizeof *r->waits);
    for (size_t i = 0; i < count; i++) {
        r->start[edges[i].from + 2]++;
        r->waits[edges[i].to]++;
    }
    for (uint32_t node = 0; node < r->node_count; node++)
        r->start[node + 2] += r->start[node + 1];
    for (size_t i = 0; i < count; i++)
        r->leading[r->start[edges[i].from + 1]++] = (uint32_t)i;
}

/* False: there is a cycle. */
static bool sort_nodes(struct reach *r, const struct arrow *edges)
{
    uint32_t placed = 0;

    for (uint32_t node = 0; node < r->node_count; node++)
        if (r->waits[node] == 0)
            r->order[placed++] = node;
    for (uint32_t next = 0; next < placed; next++) {
        uint32_t node = r->order[next];

        for (uint32_t i = r->start[node]; i < r->start[node + 1]; i++)
            if (--r->waits[edges[r->leading[i]].to] == 0)
                r->order[placed++] = edges[r->leading[i]].to;
    }
    return placed == r->node_count;
}

/*
 * By where they lead to, and of one node those from further behind in the order first: so they
 * come when all are gone through by where they lead from, from behind.
 */
static void turn_round(struct reach *r, const struct arrow *edges, size_t count)
{
    uint32_t *next = r->waits; /* by node: where its next edge goes */

    memset(next, 0, r->node_count * sizeof *next);
    for (size_t i = 0; i < count; i++)
        next[edges[i].to]++;
    for (uint32_t node = 0, sum = 0; node < r->node_count; node++) {
        uint32_t arriving = next[node];

        next[node] = sum;
        sum += arriving;
    }
    for (uint32_t at = r->node_count; at-- > 0;)
        for (uint32_t i = r->start[r->order[at]]; i < r->start[r->order[at] + 1]; i++)
            r->arriving[next[edges[r->leading[i]].to]++] = r->leading[i];
}

/* --- Rows ------------------------------------------------------------------------- */

static void begin_row(struct reach *r, uint32_t node)
{
    if (r->kind == REACH_CLOCKS) {
        uint32_t *row = r->clocks + (size_t)node * r->slot_count;

        memset(row, 0, r->slot_count * sizeof *row);
    } else {
        uint64_t *row = r->bits + (size_t)node * r->word_count;

        memcpy(r->bits_before + (size_t)node * r->word_count, row, r->word_count * sizeof *row);
        memset(row, 0, r->word_count * sizeof *row);
        row[node / 64] |= UINT64_C(1) << (node % 64);
    }
}

static void hand_on(struct reach *r, uint32_t from, uint32_t to)
{
    if (r->kind == REACH_CLOCKS) {
        const uint32_t *restrict mine = r->clocks + (size_t)from * r->slot_count;
        uint32_t *restrict theirs = r->clocks + (size_t)to * r->slot_count;

        for (uint32_t slot = 0; slot < r->slot_count; slot++)
            theirs[slot] = theirs[slot] > mine[slot] ? theirs[slot] : mine[slot];
    } else {
        const uint64_t *restrict mine = r->bits + (size_t)from * r->word_count;
        uint64_t *restrict theirs = r->bits + (size_t)to * r->word_count;

        for (uint32_t word = 0; word < r->word_count; word++)
            theirs[word] |= mine[word];
    }
}

/* A sum that is the same is of the same clocks, as none of them ever falls. */
static void note_change(struct reach *r, uint32_t node)
{
    uint64_t sum = 0;

    if (r->kind == REACH_BITS) {
        r->has_changed[node] = memcmp(r->bits + (size_t)node * r->word_count,
                                      r->bits_before + (size_t)node * r->word_count,
                                      r->word_count * sizeof *r->bits) != 0;
        return;
    }
    for (uint32_t slot = 0; slot < r->slot_count; slot++)
        sum += reach_clock(r, node, slot);
    r->has_changed[node] = sum != r->sums[node];
    r->sums[node] = sum;
}

/* From the nearest predecessor on: who is there already when its turn comes is implied. */
static void fill_row(struct reach *r, struct arrow *edges, uint32_t node)
{
    begin_row(r, node);
    for (uint32_t i = node > 0 ? r->waits[node - 1] : 0; i < r->waits[node]; i++) {
        struct arrow *edge = &edges[r->arriving[i]];

        if (reach_is_before(r, edge->from, node))
            edge->from = NOBODY;
        else
            hand_on(r, edge->from, node);
    }
    /* Not before: its place speaks for all before it in its slot, of whom it is still to hear. */
    if (r->kind == REACH_CLOCKS)
        r->clocks[(size_t)node * r->slot_count + r->slot[node]] = r->place[node];
    note_change(r, node);
}

enum status reach_update(struct reach *r, struct arrow *edges, size_t *count, bool *is_acyclic,
                         struct error *err)
{
    size_t kept = 0;

    TRY(make_room(r, *count, err));
    lay_out(r, edges, *count);
    *is_acyclic = sort_nodes(r, edges);
    if (!*is_acyclic || r->kind == REACH_NOTHING)
        return STATUS_OK;
    turn_round(r, edges, *count);
    for (uint32_t i = 0; i < r->node_count; i++)
        fill_row(r, edges, r->order[i]);
    for (size_t i = 0; i < *count; i++)
        if (edges[i].from != NOBODY)
            edges[kept++] = edges[i];
    *count = kept;
    return STATUS_OK;
}
