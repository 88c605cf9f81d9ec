#include "checkers/search/solver/anneal_line_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_private.h"

/* --- Making ----------------------------------------------------------------------- */

static bool is_known(const struct search_edge *edge)
{
    return edge->guards[0] == SEARCH_NONE && edge->guards[1] == SEARCH_NONE;
}

static enum status make_rows(struct line_rows *rows, const struct search_problem *p, bool inwards,
                             struct error *err)
{
    size_t n = p->node_count;

    TRY(check_memory((void **)&rows->start, n + 3, sizeof *rows->start, 0, err));
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_known(&p->edges[e]))
            rows->start[(inwards ? p->edges[e].to : p->edges[e].from) + 2]++;
    array_sum_prefixes(rows->start, n + 3);
    TRY(memory_resize((void **)&rows->node, (size_t)rows->start[n + 2] + 1, sizeof *rows->node,
                      err));
    for (uint32_t e = 0; e < p->edge_count; e++)
        if (is_known(&p->edges[e])) {
            uint32_t here = inwards ? p->edges[e].to : p->edges[e].from;

            rows->node[rows->start[here + 1]++] = inwards ? p->edges[e].from : p->edges[e].to;
        }
    return STATUS_OK;
}

enum status anneal_line_init(struct anneal_line *l, const struct search_problem *p, const uint32_t *order,
                             struct error *err)
{
    size_t room = (size_t)p->node_count + 1;
    uint32_t at = p->node_count;

    *l = (struct anneal_line){ .node_count = p->node_count };
    TRY(check_memory((void **)&l->label, room, sizeof *l->label, 0, err));
    TRY(check_memory((void **)&l->next, room, sizeof *l->next, 0, err));
    TRY(check_memory((void **)&l->previous, room, sizeof *l->previous, 0, err));
    TRY(check_memory((void **)&l->mark, room, sizeof *l->mark, 0, err));
    TRY(check_memory((void **)&l->movers, room, sizeof *l->movers, 0, err));
    TRY(check_memory((void **)&l->old_label, room, sizeof *l->old_label, 0, err));
    TRY(check_memory((void **)&l->old_previous, room, sizeof *l->old_previous, 0, err));
    TRY(make_rows(&l->out, p, false, err));
    TRY(make_rows(&l->in, p, true, err));
    for (uint32_t i = 0; i < p->node_count; i++) {
        l->next[at] = order[i];
        l->previous[order[i]] = at;
        at = order[i];
    }
    l->next[at] = p->node_count;
    l->previous[p->node_count] = at;
    anneal_line_relabel(l);
    return STATUS_OK;
}

void anneal_line_close(struct anneal_line *l)
{
    free(l->label);
    free(l->next);
    free(l->previous);
    free(l->mark);
    free(l->movers);
    free(l->old_label);
    free(l->old_previous);
    free(l->out.start);
    free(l->out.node);
    free(l->in.start);
    free(l->in.node);
    *l = (struct anneal_line){ 0 };
}

void anneal_line_relabel(struct anneal_line *l)
{
    int64_t gap = INT64_MAX / ((int64_t)l->node_count + 2), label = 0;

    assert(gap > 0);
    for (uint32_t n = l->next[l->node_count]; n != l->node_count; n = l->next[n])
        l->label[n] = label += gap;
    l->steps += l->node_count;
}

void anneal_line_read(const struct anneal_line *l, uint32_t *order)
{
    uint32_t count = 0;

    for (uint32_t n = l->next[l->node_count]; n != l->node_count; n = l->next[n])
        order[count++] = n;
    assert(count == l->node_count);
}

/* --- Finding ---------------------------------------------------------------------- */

struct labelled_node {
    int64_t label;
    uint32_t node;
};

static int compare_placed(const void *a, const void *b)
{
    const struct labelled_node *x = a, *y = b;

    return (x->label > y->label) - (x->label < y->label);
}

/* By label. Of few by insertion. */
static void sort_movers(struct anneal_line *l)
{
    struct labelled_node list[512];

    assert(l->mover_count <= ROW_COUNT(list));
    for (uint32_t i = 0; i < l->mover_count; i++) {
        struct labelled_node mover = { l->label[l->movers[i]], l->movers[i] };
        uint32_t j = i;

        if (l->mover_count <= 40)
            for (; j > 0 && list[j - 1].label > mover.label; j--)
                list[j] = list[j - 1];
        list[j] = mover;
    }
    if (l->mover_count > 40)
        qsort(list, l->mover_count, sizeof *list, compare_placed);
    for (uint32_t i = 0; i < l->mover_count; i++)
        l->movers[i] = list[i].node;
}

bool anneal_line_find_movers(struct anneal_line *l, uint32_t from, uint32_t to, bool backwards, uint32_t limit)
{
    const struct line_rows *rows = backwards ? &l->in : &l->out;
    uint32_t goal = backwards ? to : from, count = 0;
    int64_t low = l->label[to], high = l->label[from];

    if (l->stamp == UINT32_MAX) {
        memset(l->mark, 0, l->node_count * sizeof *l->mark);
        l->stamp = 0;
    }
    l->stamp++;
    l->movers[count++] = backwards ? from : to;
    l->mark[l->movers[0]] = l->stamp;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = l->movers[i], end = rows->start[node + 1];

        l->steps += 4 + end - rows->start[node];
        for (uint32_t j = rows->start[node]; j < end; j++) {
            uint32_t other = rows->node[j];

            if (l->mark[other] == l->stamp || l->label[other] < low || l->label[other] > high)
                continue;
            if (other == goal || count == limit)
                return false;
            l->mark[other] = l->stamp;
            l->movers[count++] = other;
        }
    }
    l->mover_count = count;
    sort_movers(l);
    return true;
}

/* --- Moving ----------------------------------------------------------------------- */

/* The two that they come between. node_count: the line's end on that side. */
static void find_gap(const struct anneal_line *l, uint32_t from, uint32_t to, bool backwards,
                     uint32_t *before, uint32_t *behind)
{
    *before = backwards ? l->previous[to] : from;
    *behind = backwards ? to : l->next[from];
}

static int64_t step_between(const struct anneal_line *l, uint32_t before, uint32_t behind)
{
    int64_t low = before == l->node_count ? 0 : l->label[before];
    int64_t high = behind == l->node_count ? INT64_MAX : l->label[behind];

    return (high - low) / ((int64_t)l->mover_count + 1);
}

bool anneal_line_has_room(const struct anneal_line *l, uint32_t from, uint32_t to, bool backwards)
{
    uint32_t before, behind;

    find_gap(l, from, to, backwards, &before, &behind);
    return step_between(l, before, behind) > 0;
}

static void leave(struct anneal_line *l, uint32_t node)
{
    l->next[l->previous[node]] = l->next[node];
    l->previous[l->next[node]] = l->previous[node];
}

static void enter(struct anneal_line *l, uint32_t node, uint32_t before)
{
    l->previous[node] = before;
    l->next[node] = l->next[before];
    l->previous[l->next[node]] = node;
    l->next[before] = node;
}

/* The gap is on neither side of a mover: `to` and who comes before it lead not to `from`. */
void anneal_line_move(struct anneal_line *l, uint32_t from, uint32_t to, bool backwards)
{
    uint32_t before, behind;
    int64_t step, label;

    for (uint32_t i = 0; i < l->mover_count; i++) {
        l->old_previous[i] = l->previous[l->movers[i]];
        l->old_label[i] = l->label[l->movers[i]];
        leave(l, l->movers[i]);
    }
    find_gap(l, from, to, backwards, &before, &behind);
    step = step_between(l, before, behind);
    label = before == l->node_count ? 0 : l->label[before];
    assert(step > 0);
    for (uint32_t i = 0; i < l->mover_count; i++) {
        l->label[l->movers[i]] = label += step;
        enter(l, l->movers[i], before);
        before = l->movers[i];
    }
    l->steps += 4 * (uint64_t)l->mover_count;
}

void anneal_line_take_back(struct anneal_line *l)
{
    for (uint32_t i = 0; i < l->mover_count; i++)
        leave(l, l->movers[i]);
    for (uint32_t i = l->mover_count; i-- > 0;) {
        enter(l, l->movers[i], l->old_previous[i]);
        l->label[l->movers[i]] = l->old_label[i];
    }
}
