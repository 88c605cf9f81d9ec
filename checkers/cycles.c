#include "checkers/cycles.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/checker_private.h"
#include "checkers/cycles_private.h"
#include "checkers/graph.h"
#include "checkers/lattice.h"

#define KIND(kind) (UINT32_C(1) << EDGE_##kind)
#define READS (KIND(WR) | KIND(PREDICATE_WR))
#define ANTIS (KIND(RW) | KIND(PREDICATE_RW))

uint32_t cycles_kinds(enum level level)
{
    static const uint32_t closings[] = { 0, KIND(PROCESS), KIND(REALTIME) };

    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
        return KIND(WW);
    case LEVEL_READ_COMMITTED:
        return KIND(WW) | READS;
    case LEVEL_REPEATABLE_READ:
        return KIND(WW) | READS | KIND(RW);
    default:
        assert(lattice_is_snapshot(level) || lattice_is_serializable(level));
        return KIND(WW) | READS | ANTIS | closings[lattice_closing(level)];
    }
}

/* --- Making ----------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static enum status number_nodes(struct cycles *c, struct error *err)
{
    uint32_t count = 0;

    TRY(memory_resize((void **)&c->nodes, 2 * c->edge_count, sizeof *c->nodes, err));
    for (size_t i = 0; i < c->edge_count; i++) {
        c->nodes[2 * i] = c->edges[i].from;
        c->nodes[2 * i + 1] = c->edges[i].to;
    }
    if (c->edge_count > 0)
        qsort(c->nodes, 2 * c->edge_count, sizeof *c->nodes, compare_numbers);
    for (size_t i = 0; i < 2 * c->edge_count; i++)
        if (count == 0 || c->nodes[i] != c->nodes[count - 1])
            c->nodes[count++] = c->nodes[i];
    c->node_count = count;
    return STATUS_OK;
}

static uint32_t place_of(const struct cycles *c, uint32_t node)
{
    uint32_t low = 0, high = c->node_count;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (c->nodes[middle] <= node)
            low = middle;
        else
            high = middle;
    }
    return low;
}

enum status cycles_init(struct cycles *c, uint32_t txn_count, struct edge *edges, size_t count,
                        struct error *err)
{
    *c = (struct cycles){ .txn_count = txn_count, .edges = edges, .edge_count = count };
    TRY(number_nodes(c, err));
    TRY(memory_resize((void **)&c->from, count, sizeof *c->from, err));
    TRY(memory_resize((void **)&c->to, count, sizeof *c->to, err));
    TRY(memory_resize((void **)&c->by_from, count, sizeof *c->by_from, err));
    TRY(check_memory((void **)&c->start, (size_t)c->node_count + 2, sizeof *c->start, 0, err));
    for (size_t i = 0; i < count; i++) {
        c->from[i] = place_of(c, edges[i].from);
        c->to[i] = place_of(c, edges[i].to);
        c->start[c->from[i] + 2]++;
    }
    for (uint32_t n = 1; n < c->node_count + 2; n++)
        c->start[n] += c->start[n - 1];
    for (uint32_t i = 0; i < count; i++)
        c->by_from[c->start[c->from[i] + 1]++] = i;
    return STATUS_OK;
}

void cycles_close(struct cycles *c)
{
    free(c->edges);
    free(c->nodes);
    free(c->from);
    free(c->to);
    free(c->start);
    free(c->by_from);
    *c = (struct cycles){ 0 };
}

/* --- Whether a level is violated -------------------------------------------------- */

/*
 * The graph of a level. At those of snapshot each transaction has two nodes, where
 * it begins and where it commits: whoever depends on another begins after that
 * commits, and whoever reads what another overwrites begins before that commits.
 */
struct projection {
    const struct cycles *cycles;
    uint32_t kinds;
    bool has_moments;
};

static uint32_t tail_of(const struct projection *p, size_t edge)
{
    uint32_t node = p->cycles->from[edge];

    return p->has_moments ? 2 * node + !edge_is_anti(p->cycles->edges[edge].kind) : node;
}

static uint32_t head_of(const struct projection *p, size_t edge)
{
    uint32_t node = p->cycles->to[edge];

    return p->has_moments ? 2 * node + edge_is_anti(p->cycles->edges[edge].kind) : node;
}

static bool is_of(const struct projection *p, size_t edge)
{
    return p->kinds >> p->cycles->edges[edge].kind & 1;
}

static enum status project(const struct projection *p, struct graph *g, struct error *err)
{
    const struct cycles *c = p->cycles;

    TRY(graph_init(g, (size_t)c->node_count * (p->has_moments ? 2 : 1), err));
    for (size_t i = 0; i < c->edge_count; i++)
        if (is_of(p, i))
            graph_count(g, tail_of(p, i));
    for (uint32_t n = 0; p->has_moments && n < c->node_count; n++)
        graph_count(g, 2 * n);
    TRY(graph_lay_out(g, err));
    for (size_t i = 0; i < c->edge_count; i++)
        if (is_of(p, i))
            graph_add(g, tail_of(p, i), head_of(p, i));
    for (uint32_t n = 0; p->has_moments && n < c->node_count; n++)
        graph_add(g, 2 * n, 2 * n + 1);
    return STATUS_OK;
}

static enum status find_components(const struct projection *p, struct components *components,
                                   struct error *err)
{
    struct graph g;
    enum status status = project(p, &g, err);

    *components = (struct components){ 0 };
    if (status == STATUS_OK)
        status = graph_find_components(&g, components, err);
    graph_close(&g);
    return status;
}

enum status cycles_violate(const struct cycles *c, enum level level, bool *violates,
                           struct error *err)
{
    struct projection p = { c, cycles_kinds(level), lattice_is_snapshot(level) };
    struct components components;

    TRY(find_components(&p, &components, err));
    *violates = false;
    for (size_t i = 0; i < c->edge_count && !*violates; i++)
        *violates = is_of(&p, i) &&
                    components.of_node[tail_of(&p, i)] == components.of_node[head_of(&p, i)];
    components_close(&components);
    return STATUS_OK;
}

/* --- Classes ---------------------------------------------------------------------- */

static const struct cycle_class classes[] = {
    { ANOMALY_G0, KIND(WW), KIND(WW), ANTI_NONE },
    { ANOMALY_G1C, KIND(WW) | READS, READS, ANTI_NONE },
    { ANOMALY_G_SINGLE, KIND(WW) | READS | ANTIS, ANTIS, ANTI_ONE },
    { ANOMALY_G_NONADJACENT, KIND(WW) | READS | ANTIS, ANTIS, ANTI_APART },
    { ANOMALY_G2_ITEM, KIND(WW) | READS | KIND(RW), KIND(RW), ANTI_ANY },
    { ANOMALY_G2, KIND(WW) | READS | ANTIS, KIND(PREDICATE_RW), ANTI_ANY },
};

#define CLASS_COUNT (sizeof classes / sizeof *classes)

/* As many of them as the level forbids. */
static size_t class_count(enum level level)
{
    if (level == LEVEL_READ_UNCOMMITTED)
        return 1;
    if (level == LEVEL_READ_COMMITTED)
        return 2;
    if (lattice_is_snapshot(level))
        return 4;
    return level == LEVEL_REPEATABLE_READ ? 5 : 6;
}

struct telling {
    const struct cycles *cycles;
    enum level level;
    enum status (*tell)(void *, const struct found_cycle *, bool *, struct error *);
    void *context;
    bool goes_on;
};

/* Searches the first `count` classes until one is found: its place among them, else count. */
static enum status tell_first(struct telling *t, const struct component *component,
                              enum closing closing, size_t *count, struct error *err)
{
    uint32_t kinds = cycles_kinds(t->level);
    uint32_t extra = kinds & (closing == CLOSED_BY_SESSION ? KIND(PROCESS)
                              : closing == CLOSED_BY_TIME  ? KIND(REALTIME)
                                                           : 0);

    for (size_t i = 0; i < *count; i++) {
        struct cycle_class class = classes[i];
        struct found_cycle found = { .kind = lattice_cycle(class.kind, closing) };
        enum status status;

        class.kinds = (class.kinds & kinds) | extra;
        class.starts = closing == CLOSED_BY_DATA ? class.starts & kinds : extra;
        status = cycles_search(t->cycles, component, &class, &found, err);
        if (status == STATUS_OK && found.edges.count > 0) {
            status = t->tell(t->context, &found, &t->goes_on, err);
            *count = i;
        }
        array_close(&found.edges);
        TRY(status);
    }
    return STATUS_OK;
}

static enum status tell_component(struct telling *t, const struct component *component,
                                  struct error *err)
{
    enum closing closing = lattice_closing(t->level);
    size_t count = class_count(t->level);

    TRY(tell_first(t, component, CLOSED_BY_DATA, &count, err));
    if (closing == CLOSED_BY_DATA || !t->goes_on)
        return STATUS_OK;
    return tell_first(t, component, closing, &count, err);
}

/* The edges within components, by component. */
struct inner_edges {
    uint64_t *start; /* by component, and two more while they are put there */
    uint32_t *edges;
};

static bool is_inner(const struct projection *p, const uint32_t *component, size_t edge)
{
    return is_of(p, edge) && component[p->cycles->from[edge]] == component[p->cycles->to[edge]];
}

/* start[k + 1] runs through the edges of k, and ends where those of k + 1 begin. */
static enum status sort_edges(const struct projection *p, const struct components *components,
                              struct inner_edges *inner, struct error *err)
{
    const struct cycles *c = p->cycles;
    const uint32_t *component = components->of_node;
    size_t count = (size_t)components->count + 2;

    TRY(check_memory((void **)&inner->start, count, sizeof *inner->start, 0, err));
    for (size_t i = 0; i < c->edge_count; i++)
        inner->start[component[c->from[i]] + 2] += is_inner(p, component, i);
    for (size_t k = 1; k < count; k++)
        inner->start[k] += inner->start[k - 1];
    TRY(memory_resize((void **)&inner->edges, inner->start[count - 1], sizeof *inner->edges, err));
    for (size_t i = 0; i < c->edge_count; i++)
        if (is_inner(p, component, i))
            inner->edges[inner->start[component[c->from[i]] + 1]++] = (uint32_t)i;
    return STATUS_OK;
}

/* The components of transactions, also where the level's own are of moments. */
enum status cycles_tell(const struct cycles *c, enum level level,
                        enum status (*tell)(void *, const struct found_cycle *, bool *,
                                            struct error *),
                        void *context, struct error *err)
{
    struct projection p = { c, cycles_kinds(level), false };
    struct telling t = { c, level, tell, context, true };
    struct components components;
    struct inner_edges inner = { 0 };
    enum status status;

    TRY(find_components(&p, &components, err));
    status = sort_edges(&p, &components, &inner, err);
    /* Falling numbers go with the history, more or less. */
    for (uint32_t k = components.count; k-- > 0 && status == STATUS_OK && t.goes_on;) {
        struct component component = { inner.edges + inner.start[k],
                                       (size_t)(inner.start[k + 1] - inner.start[k]) };

        if (component.edge_count > 0)
            status = tell_component(&t, &component, err);
        t.goes_on &= !c->options || !check_is_stopped(c->options);
    }
    free(inner.start);
    free(inner.edges);
    components_close(&components);
    return status;
}
