#include "checkers/graph/cycles.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/checker_private.h"
#include "checkers/graph/cycles_private.h"
#include "checkers/graph/graph.h"
#include "checkers/lattice.h"

#define KIND(kind) (UINT32_C(1) << EDGE_##kind)
#define READS (KIND(WR) | KIND(PREDICATE_WR))
#define ANTIS (KIND(RW) | KIND(PREDICATE_RW))

uint32_t cycles_kinds(enum level level)
{
    static const uint32_t closings[] = { 0, KIND(PROCESS), KIND(REALTIME) };

    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_UNCOMMITTED:
        return KIND(WW) | closings[lattice_closing(level)];
    case LEVEL_READ_COMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
        return KIND(WW) | READS | closings[lattice_closing(level)];
    case LEVEL_REPEATABLE_READ:
        return KIND(WW) | READS | KIND(RW);
    default:
        assert(lattice_is_snapshot(level) || lattice_is_serializable(level));
        return KIND(WW) | READS | ANTIS | closings[lattice_closing(level)];
    }
}

#define SOURCE(source) (UINT32_C(1) << SOURCE_##source)
#define SOURCES_OF_DATA (SOURCE(CERTAIN) | SOURCE(UPDATE))

uint32_t cycles_sources(enum level level)
{
    switch (level) {
    case LEVEL_READ_UNCOMMITTED:
    case LEVEL_SESSION_READ_UNCOMMITTED:
    case LEVEL_STRICT_READ_UNCOMMITTED:
        return SOURCE(CERTAIN);
    case LEVEL_READ_ATOMIC:
        return SOURCES_OF_DATA | SOURCE(SESSION);
    case LEVEL_CAUSAL:
    case LEVEL_PREFIX:
    case LEVEL_PARALLEL_SNAPSHOT:
    case LEVEL_SESSION_SNAPSHOT:
    case LEVEL_SESSION_SERIALIZABLE:
        return SOURCES_OF_DATA | SOURCE(SESSION) | SOURCE(SESSION_READS);
    case LEVEL_STRICT_SNAPSHOT:
    case LEVEL_STRICT_SERIALIZABLE:
        return SOURCES_OF_DATA | SOURCE(TIME);
    default:
        return SOURCES_OF_DATA;
    }
}

/* --- Making ----------------------------------------------------------------------- */

/* Those at some edge's end. `places` gets the place of each among them. */
static enum status number_nodes(struct cycles *c, uint32_t **places, struct error *err)
{
    uint32_t end = 0;

    for (size_t i = 0; i < c->edge_count; i++) {
        end = c->edges[i].from >= end ? c->edges[i].from + 1 : end;
        end = c->edges[i].to >= end ? c->edges[i].to + 1 : end;
    }
    TRY(check_memory((void **)places, end, sizeof **places, 0, err));
    for (size_t i = 0; i < c->edge_count; i++)
        (*places)[c->edges[i].from] = (*places)[c->edges[i].to] = 1;
    for (uint32_t n = 0; n < end; n++)
        c->node_count += (*places)[n];
    TRY(memory_resize((void **)&c->nodes, c->node_count, sizeof *c->nodes, err));
    for (uint32_t n = 0, count = 0; n < end; n++)
        if ((*places)[n]) {
            c->nodes[count] = n;
            (*places)[n] = count++;
        }
    return STATUS_OK;
}

static enum status place_edges(struct cycles *c, const uint32_t *places, struct error *err)
{
    TRY(check_memory((void **)&c->start, (size_t)c->node_count + 2, sizeof *c->start, 0, err));
    for (size_t i = 0; i < c->edge_count; i++) {
        c->from[i] = places[c->edges[i].from];
        c->to[i] = places[c->edges[i].to];
        c->start[c->from[i] + 2]++;
    }
    for (uint32_t n = 1; n < c->node_count + 2; n++)
        c->start[n] += c->start[n - 1];
    for (uint32_t i = 0; i < c->edge_count; i++)
        c->by_from[c->start[c->from[i] + 1]++] = i;
    return STATUS_OK;
}

enum status cycles_init(struct cycles *c, uint32_t txn_count, struct edge *edges, size_t count,
                        struct error *err)
{
    uint32_t *places = NULL; /* by node */
    enum status status;

    *c = (struct cycles){ .txn_count = txn_count, .edges = edges, .edge_count = count };
    TRY(memory_resize((void **)&c->from, count, sizeof *c->from, err));
    TRY(memory_resize((void **)&c->to, count, sizeof *c->to, err));
    TRY(memory_resize((void **)&c->by_from, count, sizeof *c->by_from, err));
    status = number_nodes(c, &places, err);
    if (status == STATUS_OK)
        status = place_edges(c, places, err);
    free(places);
    return status;
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
    uint32_t kinds, sources;
    bool has_moments;
};

static struct projection project_on(const struct cycles *c, enum level level, bool has_moments)
{
    return (struct projection){ c, cycles_kinds(level), cycles_sources(level), has_moments };
}

/* A waypoint has one moment only. */
static uint32_t tail_of(const struct projection *p, size_t edge)
{
    const struct edge *e = &p->cycles->edges[edge];
    uint32_t node = p->cycles->from[edge];

    if (!p->has_moments)
        return node;
    return 2 * node + (!edge_is_anti(e->kind) || e->from >= p->cycles->txn_count);
}

static uint32_t head_of(const struct projection *p, size_t edge)
{
    const struct edge *e = &p->cycles->edges[edge];
    uint32_t node = p->cycles->to[edge];

    if (!p->has_moments)
        return node;
    return 2 * node + (edge_is_anti(e->kind) || e->to >= p->cycles->txn_count);
}

static bool is_of(const struct projection *p, size_t edge)
{
    const struct edge *e = &p->cycles->edges[edge];

    return (p->kinds >> e->kind & 1) && (p->sources >> e->by & 1);
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
    struct projection p = project_on(c, level, lattice_is_snapshot(level));
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
    { ANOMALY_G0, KIND(WW), KIND(WW), ANTI_NONE, 0, 0 },
    { ANOMALY_G1C, KIND(WW) | READS, READS, ANTI_NONE, 0, 0 },
    { ANOMALY_G_SINGLE, KIND(WW) | READS | ANTIS, ANTIS, ANTI_ONE, 0, 0 },
    { ANOMALY_G_NONADJACENT, KIND(WW) | READS | ANTIS, ANTIS, ANTI_APART, 0, 0 },
    { ANOMALY_G2_ITEM, KIND(WW) | READS | KIND(RW), KIND(RW), ANTI_ANY, 0, 0 },
    { ANOMALY_G2, KIND(WW) | READS | ANTIS, KIND(PREDICATE_RW), ANTI_ANY, 0, 0 },
};

#define CLASS_COUNT (sizeof classes / sizeof *classes)

/* As many of them as the level forbids. */
static size_t class_count(enum level level)
{
    if (!(cycles_kinds(level) & READS))
        return 1;
    if (!(cycles_kinds(level) & ANTIS))
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
        class.sources = cycles_sources(t->level);
        if (closing == CLOSED_BY_DATA)
            class.sources &= SOURCES_OF_DATA;
        class.starts_by = class.sources & ~SOURCES_OF_DATA;
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
    struct projection p = project_on(c, level, false);
    struct telling t = { c, level, tell, context, true };
    struct components components;
    struct inner_edges inner = { 0 };
    uint32_t *scratch = NULL;
    enum status status;

    TRY(find_components(&p, &components, err));
    status = sort_edges(&p, &components, &inner, err);
    if (status == STATUS_OK)
        status = check_memory((void **)&scratch, c->node_count, sizeof *scratch, 0xff, err);
    /* Falling numbers go with the history, more or less. */
    for (uint32_t k = components.count; k-- > 0 && status == STATUS_OK && t.goes_on;) {
        struct component component = { inner.edges + inner.start[k],
                                       (size_t)(inner.start[k + 1] - inner.start[k]), scratch };

        if (component.edge_count > 0)
            status = tell_component(&t, &component, err);
        t.goes_on &= !c->options || !check_is_stopped(c->options);
    }
    free(inner.start);
    free(inner.edges);
    free(scratch);
    components_close(&components);
    return status;
}
