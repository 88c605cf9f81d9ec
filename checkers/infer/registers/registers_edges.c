/*
 * The edges of registers.
 *
 *     v --link--> w     wr of v to its readers; rw from these to the writer of w; ww from the
 *                       writer of v to that of w, but not where w's writer read v: there a wr
 *                       stands already, and ww would make a G0 of what is a G1c; and only among
 *                       edges that are kept where session order or real time leads there too
 *
 * Many readers of a version and many versions that follow it make more edges than can
 * be told; so they meet in hubs. A reader may have written one of those that follow, and
 * nothing leads from it to itself: where it is the i-th, it goes to all before and to all
 * behind:
 *
 *     B1 <- B2 <- ... <- Bn      Bi also leads to the writer of the i-th
 *     A1 -> A2 -> ... -> An      and so does Ai
 *
 *     the i-th itself goes to B(i-1) and A(i+1), everybody else to Bn
 */
#include "checkers/infer/registers/registers_edges.h"

#include <stdlib.h>

#include "base/bisect.h"

#define FEW 4 /* readers or links: each pair is said */

struct grouping {
    struct registers *registers;
    uint32_t *start; /* by node, and one more */
    uint32_t *mark;  /* by version: the group that has it, plus one */
    uint32_t next_count;
};

/* --- Groups ------------------------------------------------------------------------- */

/* A circle took the link away. */
static bool is_lost(const struct registers *r, uint32_t to, uint8_t by)
{
    static const uint8_t takers[] = {
        [SOURCE_CERTAIN] = 0,
        [SOURCE_UPDATE] = CIRCLE_OF_DATA,
        [SOURCE_SESSION] = CIRCLE_OF_DATA | CIRCLE_OF_SESSION,
        [SOURCE_SESSION_READS] = CIRCLE_OF_DATA | CIRCLE_OF_SESSION | CIRCLE_OF_READS,
        [SOURCE_TIME] = CIRCLE_OF_DATA | CIRCLE_OF_TIME,
    };

    return r->circles && (r->circles[register_key(r, to)] & takers[by]);
}

/* Versions that nothing but the initial one precedes, as far as updates say, follow that. */
static enum status link_initial(struct registers *r, struct error *err)
{
    const struct infer *c = r->infer;
    bool *has_before = NULL; /* by version */
    enum status status =
        check_memory((void **)&has_before, c->versions.count, sizeof *has_before, 0, err);

    for (size_t i = 0; status == STATUS_OK && i < r->links[SOURCE_UPDATE].count; i++)
        has_before[r->links[SOURCE_UPDATE].at[i].to] =
            !is_lost(r, r->links[SOURCE_UPDATE].at[i].to, SOURCE_UPDATE);
    for (uint32_t n = 0; status == STATUS_OK && n < c->versions.count; n++) {
        uint32_t key = register_key(r, n), initial = register_initial(r, key);
        struct version_link link = { initial, n, 0, 0, false };

        if (c->key_kind[key] != KEY_REGISTER || has_before[n] || !c->versions.is_final[n] ||
            c->places.standing[c->versions.txn[n]] == STANDING_OUT ||
            (!c->predicted && r->reader_start[initial] == r->reader_start[initial + 1]))
            continue;
        status = array_push(&r->links[SOURCE_CERTAIN], link, err);
    }
    free(has_before);
    return status;
}

static void count_links(struct grouping *g, uint8_t by, bool is_parallel, uint32_t *sorted)
{
    const struct registers *r = g->registers;
    const version_links *links = &r->links[by];

    for (size_t i = 0; i < links->count; i++) {
        if (links->at[i].is_parallel != is_parallel || is_lost(r, links->at[i].to, by))
            continue;
        if (sorted)
            sorted[g->start[links->at[i].from + 1]++] = links->at[i].to;
        else
            g->start[links->at[i].from + 2]++;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* The links of one source become groups, each in the order of numbers. */
static enum status group_source(struct grouping *g, uint8_t by, bool is_parallel,
                                struct error *err)
{
    struct registers *r = g->registers;
    uint32_t *sorted = NULL;
    size_t nodes = (size_t)r->node_count + 2;
    enum status status = STATUS_OK;

    if (r->links[by].count == 0)
        return STATUS_OK;
    for (size_t n = 0; n < nodes; n++)
        g->start[n] = 0;
    count_links(g, by, is_parallel, NULL);
    array_sum_prefixes(g->start, nodes);
    TRY(memory_resize((void **)&sorted, g->start[nodes - 1], sizeof *sorted, err));
    count_links(g, by, is_parallel, sorted);
    for (uint32_t n = 0; n < r->node_count && status == STATUS_OK; n++) {
        struct link_group group = { n,  g->next_count, g->next_count, INFER_NOTHING,
                                    by, is_parallel };

        for (uint32_t i = g->start[n]; i < g->start[n + 1]; i++) {
            if (g->mark[sorted[i]] == r->groups.count + 1)
                continue; /* said twice */
            g->mark[sorted[i]] = (uint32_t)r->groups.count + 1;
            r->next[g->next_count++] = sorted[i];
        }
        group.end = g->next_count;
        if (group.end - group.start >= FEW)
            qsort(r->next + group.start, group.end - group.start, sizeof *r->next, compare_numbers);
        if (group.end > group.start)
            status = array_push(&r->groups, group, err);
    }
    free(sorted);
    return status;
}

void registers_add_hubs(struct registers *r, struct link_group *g)
{
    g->hub = infer_add_hub(r->infer);
    for (uint32_t k = 1; k < 2 * (g->end - g->start); k++)
        (void)infer_add_hub(r->infer);
}

static void add_hubs(struct registers *r)
{
    for (size_t i = 0; i < r->groups.count; i++) {
        struct link_group *g = &r->groups.at[i];
        uint32_t readers = r->reader_start[g->node + 1] - r->reader_start[g->node];

        if (readers >= FEW && g->end - g->start >= FEW)
            registers_add_hubs(r, g);
    }
}

static enum status group_all(struct grouping *g, struct error *err)
{
    struct registers *r = g->registers;
    size_t count = 0;

    TRY(link_initial(r, err));
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        count += r->links[by].count;
    TRY(memory_resize((void **)&r->next, count, sizeof *r->next, err));
    TRY(memory_resize((void **)&g->start, (size_t)r->node_count + 2, sizeof *g->start, err));
    TRY(check_memory((void **)&g->mark, r->infer->versions.count, sizeof *g->mark, 0, err));
    for (uint8_t by = 0; by <= SOURCE_TIME; by++) {
        TRY(group_source(g, by, false, err));
        if (by == SOURCE_SESSION || by == SOURCE_TIME)
            TRY(group_source(g, by, true, err));
    }
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        array_close(&r->links[by]);
    add_hubs(r);
    return STATUS_OK;
}

enum status registers_group(struct registers *r, struct error *err)
{
    struct grouping g = { .registers = r };
    enum status status = group_all(&g, err);

    free(g.start);
    free(g.mark);
    return status;
}

/* --- Edges -------------------------------------------------------------------------- */

struct hearing {
    struct registers *registers;
    struct level_graph *sink;
};

static enum status hear_reads(const struct hearing *l, struct error *err)
{
    const struct registers *r = l->registers;
    const struct inferred_versions *v = &r->infer->versions;

    for (size_t i = 0; i < r->reads.count; i++) {
        const struct register_read *read = &r->reads.at[i];
        struct edge edge = { .kind = EDGE_WR, .to = read->txn, .op = read->op };

        if (register_is_initial(r, read->node))
            continue;
        edge.by = register_is_update(read) ? SOURCE_UPDATE : SOURCE_CERTAIN;
        edge.from = v->txn[read->node];
        edge.key = register_key(r, read->node);
        edge.version = edge.other = v->op[read->node];
        TRY(level_graph_hear(l->sink, &edge, err));
    }
    return STATUS_OK;
}

static bool counts(const struct registers *r, uint32_t version)
{
    return infer_is_in(r->infer, r->infer->versions.txn[version]);
}

static enum status hear_writes(const struct hearing *l, const struct link_group *g,
                               struct error *err)
{
    const struct registers *r = l->registers;
    const struct inferred_versions *v = &r->infer->versions;

    if (register_is_initial(r, g->node) || g->by == SOURCE_UPDATE || !counts(r, g->node) ||
        (g->is_parallel && l->sink->work != LEVEL_GRAPH_KEEPS))
        return STATUS_OK;
    for (uint32_t i = g->start; i < g->end; i++) {
        struct edge edge = { .kind = EDGE_WW, .by = g->by, .from = v->txn[g->node] };

        edge.to = v->txn[r->next[i]];
        edge.key = register_key(r, g->node);
        edge.version = v->op[g->node];
        edge.other = v->op[r->next[i]];
        if (counts(r, r->next[i]) && edge.from != edge.to)
            TRY(level_graph_hear(l->sink, &edge, err));
    }
    return STATUS_OK;
}

/* What a reader of the group's node anti-depends on. */
static struct edge anti_of(const struct registers *r, const struct link_group *g,
                           const struct register_read *read)
{
    struct edge edge = { .kind = EDGE_RW, .by = g->by, .from = read->txn, .op = read->op };

    edge.key = register_key(r, g->node);
    edge.version = register_is_initial(r, g->node) ? VERSION_INITIAL
                                                   : r->infer->versions.op[g->node];
    return edge;
}

/* The hub that leads to the i-th and those before it; and to it and those behind. */
static uint32_t hub_up_to(const struct registers *r, const struct link_group *g, uint32_t i)
{
    return infer_hub_node(r->infer, g->hub + i);
}

static uint32_t hub_from(const struct registers *r, const struct link_group *g, uint32_t i)
{
    return infer_hub_node(r->infer, g->hub + (g->end - g->start) + i);
}

static enum status hear_from_hubs(const struct hearing *l, const struct link_group *g,
                                  struct error *err)
{
    const struct registers *r = l->registers;
    uint32_t count = g->end - g->start;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t version = r->next[g->start + i];
        struct edge edge = { .kind = EDGE_RW, .by = g->by };

        edge.key = register_key(r, version);
        edge.other = r->infer->versions.op[version];
        for (unsigned side = 0; side < 2; side++) {
            edge.from = side ? hub_from(r, g, i) : hub_up_to(r, g, i);
            edge.to = r->infer->versions.txn[version];
            if (counts(r, version))
                TRY(level_graph_hear(l->sink, &edge, err));
            if (side ? i + 1 == count : i == 0)
                continue;
            edge.to = side ? hub_from(r, g, i + 1) : hub_up_to(r, g, i - 1);
            TRY(level_graph_hear(l->sink, &edge, err));
        }
    }
    return STATUS_OK;
}

/* Where in the group a version stands, or how many there are. */
static uint32_t place_in(const struct registers *r, const struct link_group *g, uint32_t version)
{
    uint32_t place;

    BISECT(place, g->start, g->end, r->next[place] < version);
    return place < g->end && r->next[place] == version ? place - g->start : g->end - g->start;
}

/* By hubs: to all of the group but its own. */
static enum status hear_by_hubs(const struct registers *r, const struct link_group *g,
                                struct edge edge, uint32_t own, struct level_graph *sink,
                                struct error *err)
{
    uint32_t count = g->end - g->start;
    uint32_t place = own == INFER_NOTHING ? count : place_in(r, g, own);

    if (place == count) {
        edge.to = hub_up_to(r, g, count - 1);
        return level_graph_hear(sink, &edge, err);
    }
    if (place > 0) {
        edge.to = hub_up_to(r, g, place - 1);
        TRY(level_graph_hear(sink, &edge, err));
    }
    if (place + 1 == count)
        return STATUS_OK;
    edge.to = hub_from(r, g, place + 1);
    return level_graph_hear(sink, &edge, err);
}

enum status registers_hear_next(const struct registers *r, const struct link_group *g,
                                struct edge edge, uint32_t own, struct level_graph *sink,
                                struct error *err)
{
    if (g->hub != INFER_NOTHING)
        return hear_by_hubs(r, g, edge, own, sink, err);
    for (uint32_t i = g->start; i < g->end; i++) {
        edge.to = r->infer->versions.txn[r->next[i]];
        edge.other = r->infer->versions.op[r->next[i]];
        if (counts(r, r->next[i]) && edge.from != edge.to)
            TRY(level_graph_hear(sink, &edge, err));
    }
    return STATUS_OK;
}

static enum status hear_readers(const struct hearing *l, const struct link_group *g,
                                struct error *err)
{
    const struct registers *r = l->registers;

    if (g->hub != INFER_NOTHING)
        TRY(hear_from_hubs(l, g, err));
    for (uint32_t k = r->reader_start[g->node]; k < r->reader_start[g->node + 1]; k++) {
        const struct register_read *read = &r->by_node[k];

        TRY(registers_hear_next(r, g, anti_of(r, g, read), read->own, l->sink, err));
    }
    return STATUS_OK;
}

static enum status hear_all(const struct hearing *l, struct error *err)
{
    const struct registers *r = l->registers;

    if (level_graph_hears(l->sink, EDGE_WR))
        TRY(hear_reads(l, err));
    for (size_t i = 0; i < r->groups.count; i++) {
        const struct link_group *g = &r->groups.at[i];

        if (!(l->sink->sources >> g->by & 1))
            continue;
        if (level_graph_hears(l->sink, EDGE_WW))
            TRY(hear_writes(l, g, err));
        if (level_graph_hears(l->sink, EDGE_RW))
            TRY(hear_readers(l, g, err));
    }
    return STATUS_OK;
}

enum status infer_hear_registers(struct infer *c, struct level_graph *sink, struct error *err)
{
    struct hearing l = { .registers = c->registers, .sink = sink };

    return c->registers ? hear_all(&l, err) : STATUS_OK;
}

enum status infer_hear_completed_reads(struct infer *c, struct level_graph *sink, struct error *err)
{
    const struct registers *r = c->registers;

    for (size_t i = 0; r && i < r->reads.count; i++) {
        const struct register_read *read = &r->reads.at[i];
        struct edge edge = { .kind = EDGE_RW, .from = read->txn, .op = read->op };
        uint32_t next = register_is_initial(r, read->node) ? INFER_NOTHING : c->next[read->node];

        if (next == INFER_NOTHING || c->versions.txn[next] == read->txn)
            continue;
        edge.to = c->versions.txn[next];
        edge.key = r->key_of[next];
        edge.version = c->versions.op[read->node];
        edge.other = c->versions.op[next];
        TRY(level_graph_hear(sink, &edge, err));
    }
    return STATUS_OK;
}
