#include "checkers/interval/gaps_private.h"

#include <assert.h>
#include <string.h>

void gaps_close(struct gaps *g)
{
    array_close(&g->closed);
}

/* Those from `first` on that the gap touches become part of it; where they stood. */
static size_t swallow(struct gaps *g, size_t first, struct gap *gap)
{
    size_t end = first;

    for (; end < g->closed.count && g->closed.at[end].from <= gap->to; end++) {
        if (g->closed.at[end].from < gap->from)
            gap->from = g->closed.at[end].from;
        if (g->closed.at[end].to > gap->to)
            gap->to = g->closed.at[end].to;
    }
    return end;
}

/* All in one: less is judged, and nothing wrongly. */
static void merge_all(struct gaps *g)
{
    g->closed.at[0].to = g->closed.at[g->closed.count - 1].to;
    g->closed.count = 1;
}

enum status gaps_add(struct gaps *g, int64_t from, int64_t to, struct error *err)
{
    struct gap gap = { from, to };
    size_t first = 0, end;

    assert(from <= to);
    while (first < g->closed.count && g->closed.at[first].to < from)
        first++;
    end = swallow(g, first, &gap);
    if (end == first)
        TRY(array_reserve(&g->closed, 1, err));
    if (g->closed.count > 0)
        memmove(g->closed.at + first + 1, g->closed.at + end, (g->closed.count - end) * sizeof gap);
    g->closed.at[first] = gap;
    g->closed.count = g->closed.count - (end - first) + 1;
    if (g->closed.count > GAPS_KEPT)
        merge_all(g);
    return STATUS_OK;
}

int64_t gaps_end(const struct gaps *g, int64_t by)
{
    if (g->is_open && g->open_from <= by)
        return INT64_MAX;
    for (size_t i = g->closed.count; i-- > 0;)
        if (g->closed.at[i].from <= by)
            return g->closed.at[i].to;
    return INT64_MIN;
}
