/*
 * Paths through the facts that were known at some time, and which facts they need.
 */
#include <string.h>

#include "checkers/search/refuter/refute_private.h"

enum status refute_lay_out(struct refuter *r, struct error *err)
{
    const struct polygraph *p = r->p;
    size_t nodes = p->node_count, facts = p->facts.count;

    TAKE(r->arena, r->start, nodes + 2, err);
    TAKE(r->arena, r->leading, facts, err);
    TAKE(r->arena, r->why, facts, err);
    TAKE(r->arena, r->why_else, facts, err);
    TAKE(r->arena, r->is_needed, facts, err);
    TAKE(r->arena, r->step_of, facts, err);
    TAKE(r->arena, r->gone_fact, r->d->candidate_start[r->d->read_count], err);
    TAKE(r->arena, r->source_step, r->d->read_count, err);
    TAKE(r->arena, r->came_by, nodes, err);
    TAKE(r->arena, r->visited, nodes, err);
    TAKE(r->arena, r->wanted, nodes, err);
    TAKE(r->arena, r->queue, nodes, err);
    memset(r->source_step, 0xff, r->d->read_count * sizeof *r->source_step);
    r->walk = 1;
    for (size_t i = 0; i < facts; i++)
        if (p->facts.at[i].from != NOBODY)
            r->start[p->facts.at[i].from + 2]++;
    for (size_t node = 0; node < nodes; node++)
        r->start[node + 2] += r->start[node + 1];
    for (size_t i = 0; i < facts; i++) {
        const struct fact *f = &p->facts.at[i];

        if (f->from != NOBODY) {
            r->leading[r->start[f->from + 1]++] = (uint32_t)i;
            continue;
        }
        for (uint32_t c = r->d->candidate_start[f->x]; c < r->d->candidate_start[f->x + 1]; c++)
            if (r->d->candidates[c] == f->y)
                r->gone_fact[c] = (uint32_t)i;
    }
    return STATUS_OK;
}

void refute_want(struct refuter *r, uint32_t node)
{
    r->wanted[node] = r->walk;
}

static enum status trace(struct refuter *r, uint32_t from, uint32_t to, struct path *path,
                         struct error *err)
{
    uint32_t first;

    path->start = (uint32_t)r->pool.count;
    do {
        TRY(array_push(&r->pool, r->came_by[to], err));
        to = r->p->facts.at[r->came_by[to]].from;
    } while (to != from);
    path->count = (uint32_t)r->pool.count - path->start;
    first = path->start;
    for (uint32_t last = (uint32_t)r->pool.count - 1; first < last; first++, last--) {
        uint32_t swap = r->pool.at[first];

        r->pool.at[first] = r->pool.at[last];
        r->pool.at[last] = swap;
    }
    return STATUS_OK;
}

enum status refute_walk(struct refuter *r, uint32_t from, uint32_t limit, struct path *path,
                        bool *found, struct error *err)
{
    uint32_t walk = r->walk++, count = 0;

    r->queue[count++] = from;
    *found = false;
    *path = (struct path){ 0 };
    for (uint32_t next = 0; next < count; next++) {
        uint32_t node = r->queue[next];

        for (uint32_t i = r->start[node]; i < r->start[node + 1] && r->leading[i] < limit; i++) {
            uint32_t to = r->p->facts.at[r->leading[i]].to;

            if (r->visited[to] == walk)
                continue;
            r->visited[to] = walk;
            r->came_by[to] = r->leading[i];
            *found = r->wanted[to] == walk;
            if (*found)
                return trace(r, from, to, path, err);
            r->queue[count++] = to;
        }
    }
    return STATUS_OK;
}

void refute_need_source(struct refuter *r, uint32_t read)
{
    if (r->d->read_source[read] != NOBODY)
        return;
    for (uint32_t c = r->d->candidate_start[read]; c < r->d->candidate_start[read + 1]; c++)
        if (r->p->is_gone[c])
            r->is_needed[r->gone_fact[c]] = 1;
}

void refute_need_some(struct refuter *r, uint32_t some)
{
    const struct some *s = &r->d->somes[some];

    for (uint32_t k = s->start; k < s->start + s->count; k++)
        refute_need_source(r, r->d->some_read[k]);
}

void refute_need(struct refuter *r, struct path path)
{
    for (uint32_t i = path.start; i < path.start + path.count; i++) {
        const struct fact *f = &r->p->facts.at[r->pool.at[i]];

        r->is_needed[r->pool.at[i]] = 1;
        if (f->kind == FACT_FOLLOWS)
            refute_need_source(r, f->x);
    }
}
