#include "checkers/search/solver/topology_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "checkers/check_private.h"

#define SMALL 40 /* as many are sorted by insertion */

/* --- Making ----------------------------------------------------------------------- */

static bool is_known(const struct search_edge *edge)
{
    return edge->guards[0] == SEARCH_NONE && edge->guards[1] == SEARCH_NONE;
}

static enum status rows_init(struct topology_rows *rows, const struct search_problem *p,
                             struct error *err)
{
    TRY(check_memory((void **)&rows->start, (size_t)p->node_count + 1, sizeof *rows->start, 0,
                     err));
    TRY(check_memory((void **)&rows->end, (size_t)p->node_count + 1, sizeof *rows->end, 0, err));
    TRY(check_memory((void **)&rows->node, (size_t)p->edge_count + 1, sizeof *rows->node, 0, err));
    return check_memory((void **)&rows->edge, (size_t)p->edge_count + 1, sizeof *rows->edge, 0,
                        err);
}

static void rows_close(struct topology_rows *rows)
{
    free(rows->start);
    free(rows->end);
    free(rows->node);
    free(rows->edge);
}

static inline void rows_push(struct topology_rows *rows, uint32_t row, uint32_t node, uint32_t edge)
{
    rows->node[rows->end[row]] = node;
    rows->edge[rows->end[row]++] = edge;
}

static void lay_out(struct topology *t, const struct search_problem *p)
{
    uint32_t out = 0, in = 0;

    for (uint32_t e = 0; e < p->edge_count; e++) {
        t->out.end[p->edges[e].from]++;
        t->in.end[p->edges[e].to]++;
    }
    for (uint32_t n = 0; n < p->node_count; n++) {
        uint32_t out_count = t->out.end[n], in_count = t->in.end[n];

        t->out.start[n] = t->out.end[n] = out;
        t->in.start[n] = t->in.end[n] = in;
        out += out_count;
        in += in_count;
    }
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_known(&p->edges[e])) {
            rows_push(&t->out, p->edges[e].from, p->edges[e].to, e);
            rows_push(&t->in, p->edges[e].to, p->edges[e].from, e);
        }
}

enum status topology_init(struct topology *t, const struct search_problem *p, const uint32_t *order,
                          struct error *err)
{
    uint32_t **const arrays[] = { &t->place, &t->node_at, &t->mark,   &t->parent,
                                  &t->ahead, &t->behind,  &t->scratch };

    *t = (struct topology){ .node_count = p->node_count, .edges = p->edges };
    for (size_t i = 0; i < ROW_COUNT(arrays); i++)
        TRY(check_memory((void **)arrays[i], (size_t)p->node_count + 1, sizeof **arrays[i], 0,
                         err));
    TRY(rows_init(&t->out, p, err));
    TRY(rows_init(&t->in, p, err));
    lay_out(t, p);
    topology_set_order(t, order);
    return STATUS_OK;
}

void topology_close(struct topology *t)
{
    free(t->place);
    free(t->node_at);
    free(t->mark);
    free(t->parent);
    free(t->ahead);
    free(t->behind);
    free(t->scratch);
    rows_close(&t->out);
    rows_close(&t->in);
    *t = (struct topology){ 0 };
}

void topology_set_order(struct topology *t, const uint32_t *order)
{
    for (uint32_t i = 0; i < t->node_count; i++) {
        t->node_at[i] = order[i];
        t->place[order[i]] = i;
    }
}

/* --- Finding ---------------------------------------------------------------------- */

/* A stamp and its successor that no node bears. */
static uint32_t new_stamp(struct topology *t)
{
    if (t->stamp > UINT32_MAX - 4) {
        memset(t->mark, 0, t->node_count * sizeof *t->mark);
        t->stamp = 0;
    }
    return t->stamp += 2;
}

/* Makes rising places of nodes, all of them from `low` to `high` and marked with the stamp. */
static void sort_places(struct topology *t, uint32_t *list, uint32_t count, uint32_t low,
                        uint32_t high)
{
    if (count > SMALL && (high - low) / 16 < count) {
        uint32_t found = 0;

        for (uint32_t i = low; i <= high; i++)
            if (t->mark[t->node_at[i]] == t->stamp)
                list[found++] = i;
        assert(found == count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        list[i] = t->place[list[i]];
    if (count > SMALL) {
        sort_numbers(list, count);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t place = list[i], j = i;

        for (; j > 0 && list[j - 1] > place; j--)
            list[j] = list[j - 1];
        list[j] = place;
    }
}

/* The places of those that `to` leads to, before `from`. False: that one is among them. */
static bool find_ahead(struct topology *t, uint32_t from, uint32_t to)
{
    uint32_t *list = t->ahead, count = 0, stamp = new_stamp(t), high = t->place[from];

    t->mark[to] = stamp;
    list[count++] = to;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = t->out.end[list[i]];

        t->steps += 4 + end - t->out.start[list[i]];
        for (uint32_t j = t->out.start[list[i]]; j < end; j++) {
            uint32_t node = t->out.node[j];

            if (t->mark[node] == stamp || t->place[node] > high)
                continue;
            if (node == from)
                return false;
            t->mark[node] = stamp;
            list[count++] = node;
        }
    }
    t->ahead_count = count;
    sort_places(t, list, count, t->place[to], high);
    return true;
}

/* The places of those that lead to `from`, behind `to`. */
static void find_behind(struct topology *t, uint32_t from, uint32_t to)
{
    uint32_t *list = t->behind, count = 0, stamp = new_stamp(t), low = t->place[to];

    t->mark[from] = stamp;
    list[count++] = from;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t end = t->in.end[list[i]];

        t->steps += 4 + end - t->in.start[list[i]];
        for (uint32_t j = t->in.start[list[i]]; j < end; j++) {
            uint32_t node = t->in.node[j];

            if (t->mark[node] == stamp || t->place[node] < low)
                continue;
            t->mark[node] = stamp;
            list[count++] = node;
        }
    }
    t->behind_count = count;
    sort_places(t, list, count, low, t->place[from]);
}

/* --- Moving ----------------------------------------------------------------------- */

/* The places of both lists are filled anew: with those behind first, then those ahead. */
static void move(struct topology *t)
{
    uint32_t *nodes = t->scratch, count = 0, total = t->behind_count + t->ahead_count;
    uint32_t b = 0, a = 0;

    for (uint32_t i = 0; i < t->behind_count; i++)
        nodes[count++] = t->node_at[t->behind[i]];
    for (uint32_t i = 0; i < t->ahead_count; i++)
        nodes[count++] = t->node_at[t->ahead[i]];
    for (uint32_t i = 0; i < total; i++) {
        bool is_behind = a == t->ahead_count || (b < t->behind_count && t->behind[b] < t->ahead[a]);
        uint32_t place = is_behind ? t->behind[b++] : t->ahead[a++];

        t->node_at[place] = nodes[i];
        t->place[nodes[i]] = place;
    }
    t->steps += 4 * (uint64_t)total;
}

bool topology_insert(struct topology *t, uint32_t edge)
{
    uint32_t from = t->edges[edge].from, to = t->edges[edge].to;

    if (t->place[from] >= t->place[to]) {
        if (from == to || !find_ahead(t, from, to))
            return false;
        find_behind(t, from, to);
        move(t);
    }
    rows_push(&t->out, from, to, edge);
    rows_push(&t->in, to, from, edge);
    t->steps++;
    return true;
}

void topology_remove(struct topology *t, uint32_t edge)
{
    uint32_t from = t->edges[edge].from, to = t->edges[edge].to;

    t->out.end[from]--;
    t->in.end[to]--;
    assert(t->out.edge[t->out.end[from]] == edge && t->in.edge[t->in.end[to]] == edge);
}

/* --- Explaining ------------------------------------------------------------------- */

/*
 * Breadth first, a round for each number of guarded edges on the way; edges without
 * guards are followed within the round. `ahead` holds this round, `behind` the next.
 * Marks: stamp, the node was reached; stamp + 1, it is on the list of the next round.
 */
static void spread(struct topology *t, uint32_t node, uint32_t high, uint32_t stamp,
                   uint32_t *round_count, uint32_t *next_count)
{
    t->steps += 4 + t->out.end[node] - t->out.start[node];
    for (uint32_t j = t->out.start[node]; j < t->out.end[node]; j++) {
        uint32_t other = t->out.node[j], edge = t->out.edge[j];

        if (t->place[other] > high || t->mark[other] == stamp)
            continue;
        if (is_known(&t->edges[edge])) {
            t->mark[other] = stamp;
            t->ahead[(*round_count)++] = other;
        } else if (t->mark[other] != stamp + 1) {
            t->mark[other] = stamp + 1;
            t->behind[(*next_count)++] = other;
        } else {
            continue;
        }
        t->parent[other] = edge;
    }
}

uint32_t topology_explain(struct topology *t, uint32_t edge, uint32_t *cycle)
{
    uint32_t from = t->edges[edge].from, to = t->edges[edge].to, high = t->place[from];
    uint32_t stamp = new_stamp(t), round_count = 1, next_count = 0, count = 0;

    t->ahead[0] = to;
    t->mark[to] = stamp;
    while (t->mark[from] != stamp) {
        assert(round_count > 0);
        for (uint32_t i = 0; i < round_count; i++)
            spread(t, t->ahead[i], high, stamp, &round_count, &next_count);
        round_count = 0;
        for (uint32_t i = 0; i < next_count; i++)
            if (t->mark[t->behind[i]] == stamp + 1) {
                t->mark[t->behind[i]] = stamp;
                t->ahead[round_count++] = t->behind[i];
            }
        next_count = 0;
    }
    for (uint32_t node = from; node != to; node = t->edges[cycle[count - 1]].from)
        cycle[count++] = t->parent[node];
    /* They were gathered backwards. */
    for (uint32_t i = 0, j = count; i + 1 < j; i++) {
        uint32_t other = cycle[--j];

        cycle[j] = cycle[i];
        cycle[i] = other;
    }
    memmove(cycle + 1, cycle, count * sizeof *cycle);
    cycle[0] = edge;
    return count + 1;
}
