#include "checkers/graph/cycles.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/check_private.h"
#include "checkers/graph/graph.h"
#include "checkers/graph/projection.h"
#include "history/anomaly.h"
#include "history/level.h"

/* How anti-dependencies may stand in a cycle. */
enum anti_rule { ANTI_NONE, ANTI_ONE, ANTI_APART, ANTI_ANY };

struct cycle_class {
    enum anomaly kind;
    uint32_t kinds;  /* of edges that may be in it */
    uint32_t starts; /* of edges of which one must be in it */
    enum anti_rule rule;
    uint32_t sources;   /* what the edges may be inferred from, 1 << enum order_source */
    uint32_t starts_by; /* an edge that was inferred from this will do for a start, too */
};

static inline bool cycle_class_has(const struct cycle_class *class, const struct edge *edge)
{
    return (class->kinds >> edge->kind & 1) && (class->sources >> edge->by & 1);
}

static inline bool cycle_class_starts(const struct cycle_class *class, const struct edge *edge)
{
    return (class->starts >> edge->kind & 1) || (class->starts_by >> edge->by & 1);
}

/* One component of a graph: its edges, rising. */
struct component {
    const uint32_t *edges;
    size_t edge_count;
    uint32_t *scratch; /* by place in the cycles' nodes: UINT32_MAX, and so after each search */
};

/* --- A shortest cycle ---------------------------------------------------------- */

/*
 * The search. What counts of a path so far is where it ends, and whether it has
 * had an anti-dependency: under ANTI_ONE at all, under ANTI_APART as its last edge.
 *
 *     state = 2 * node + had
 *
 * A class looks at some kinds of edges only, so that the component falls apart again,
 * and most of it mostly goes away: what is left is searched. Edges to and between
 * waypoints cost nothing but the first: a path through time is one step,
 * however long it is, and so is one through hubs.
 */

#define STEPS_MAX 20000000 /* edges looked at for one class of one component */
#define NO_STATE UINT32_MAX
#define NO_NODE UINT32_MAX

/* An edge where it begins. */
struct way {
    uint32_t edge, to;
};

struct path_search {
    const struct cycles *cycles;
    const struct cycle_class *class;
    uint32_t *node_of; /* by place in the cycles' nodes: counted within the component */
    uint32_t node_count;
    uint32_t *edges; /* that are of some cycle, if only their kinds counted; rising */
    size_t edge_count;
    uint32_t *start; /* by node, and two more while they are laid */
    struct way *ways;
    uint32_t *round;         /* by state: in which search it was seen last */
    uint32_t *parent;        /* by state: the one before it */
    uint32_t *by;            /* by state: the edge that led to it */
    uint32_t *queue, *ahead; /* states at this distance, and at the next */
    uint32_t queue_count, ahead_count, rounds;
    uint64_t steps;
};

/* --- What is searched ------------------------------------------------------------- */

static uint32_t way_tail(const struct path_search *s, uint32_t edge)
{
    return s->node_of[s->cycles->from[edge]];
}

static uint32_t way_head(const struct path_search *s, uint32_t edge)
{
    return s->node_of[s->cycles->to[edge]];
}

static void number_node(struct path_search *s, uint32_t place)
{
    if (s->node_of[place] == NO_NODE)
        s->node_of[place] = s->node_count++;
}

static enum status take_edges(struct path_search *s, const struct component *component,
                              struct error *err)
{
    const struct cycles *c = s->cycles;

    s->node_of = component->scratch;
    TRY(memory_resize((void **)&s->edges, component->edge_count, sizeof *s->edges, err));
    for (size_t i = 0; i < component->edge_count; i++) {
        uint32_t edge = component->edges[i];

        if (!cycle_class_has(s->class, &c->edges[edge]))
            continue;
        number_node(s, c->from[edge]);
        number_node(s, c->to[edge]);
        s->edges[s->edge_count++] = edge;
    }
    return STATUS_OK;
}

static enum status fill(const struct path_search *s, struct graph *g, struct error *err)
{
    TRY(graph_init(g, s->node_count, err));
    for (size_t i = 0; i < s->edge_count; i++)
        graph_count(g, way_tail(s, s->edges[i]));
    TRY(graph_lay_out(g, err));
    for (size_t i = 0; i < s->edge_count; i++)
        graph_add(g, way_tail(s, s->edges[i]), way_head(s, s->edges[i]));
    return STATUS_OK;
}

/* Edges between the parts into which the component falls are of no cycle. */
static enum status drop_edges(struct path_search *s, struct error *err)
{
    struct components parts = { 0 };
    struct graph g = { 0 };
    enum status status = fill(s, &g, err);
    size_t count = 0;

    if (status == STATUS_OK)
        status = graph_find_components(&g, &parts, err);
    for (size_t i = 0; i < s->edge_count && status == STATUS_OK; i++)
        if (parts.of_node[way_tail(s, s->edges[i])] == parts.of_node[way_head(s, s->edges[i])])
            s->edges[count++] = s->edges[i];
    s->edge_count = count;
    graph_components_close(&parts);
    graph_close(&g);
    return status;
}

/* start[n + 1] runs through the ways from n, and ends where those from n + 1 begin. */
static enum status lay_ways(struct path_search *s, struct error *err)
{
    TRY(check_memory((void **)&s->start, (size_t)s->node_count + 2, sizeof *s->start, 0, err));
    TRY(memory_resize((void **)&s->ways, s->edge_count, sizeof *s->ways, err));
    for (size_t i = 0; i < s->edge_count; i++)
        s->start[way_tail(s, s->edges[i]) + 2]++;
    array_sum_prefixes(s->start, s->node_count + 2);
    for (size_t i = 0; i < s->edge_count; i++)
        s->ways[s->start[way_tail(s, s->edges[i]) + 1]++] =
            (struct way){ s->edges[i], way_head(s, s->edges[i]) };
    return STATUS_OK;
}

static enum status open_states(struct path_search *s, struct error *err)
{
    size_t states = 2 * (size_t)s->node_count;

    TRY(check_memory((void **)&s->round, states, sizeof *s->round, 0, err));
    TRY(memory_resize((void **)&s->parent, states, sizeof *s->parent, err));
    TRY(memory_resize((void **)&s->by, states, sizeof *s->by, err));
    TRY(memory_resize((void **)&s->queue, states, sizeof *s->queue, err));
    return memory_resize((void **)&s->ahead, states, sizeof *s->ahead, err);
}

/* There may be many components: what is cleared of the scratch is no more than they have. */
static void close_search(struct path_search *s, const struct component *component)
{
    for (size_t i = 0; i < component->edge_count; i++) {
        component->scratch[s->cycles->from[component->edges[i]]] = NO_NODE;
        component->scratch[s->cycles->to[component->edges[i]]] = NO_NODE;
    }
    free(s->edges);
    free(s->start);
    free(s->ways);
    free(s->round);
    free(s->parent);
    free(s->by);
    free(s->queue);
    free(s->ahead);
}

/* --- Searching -------------------------------------------------------------------- */

static bool is_free(const struct cycles *c, uint32_t edge)
{
    return c->edges[edge].from >= c->txn_count;
}

/* The state behind an edge, or NO_STATE: the rule forbids it. */
static uint32_t step(const struct path_search *s, uint32_t state, uint32_t edge, uint32_t to)
{
    bool is_anti = edge_is_anti(s->cycles->edges[edge].kind);
    uint32_t had = state & 1;

    /* Behind a waypoint an edge goes on that has been counted. */
    if (is_free(s->cycles, edge))
        return 2 * to + had;
    switch (s->class->rule) {
    case ANTI_NONE:
    case ANTI_ANY:
        had = 0;
        break;
    case ANTI_ONE:
        if (is_anti && had)
            return NO_STATE;
        had |= is_anti;
        break;
    case ANTI_APART:
        if (is_anti && had)
            return NO_STATE;
        had = is_anti;
        break;
    }
    return 2 * to + had;
}

static void reach(struct path_search *s, uint32_t state, uint32_t parent, uint32_t edge)
{
    if (s->round[state] == s->rounds)
        return;
    s->round[state] = s->rounds;
    s->parent[state] = parent;
    s->by[state] = edge;
    if (is_free(s->cycles, edge))
        s->queue[s->queue_count++] = state;
    else
        s->ahead[s->ahead_count++] = state;
}

static void expand(struct path_search *s, uint32_t state)
{
    uint32_t node = state / 2;

    for (uint32_t i = s->start[node]; i < s->start[node + 1]; i++) {
        const struct way *way = &s->ways[i];
        uint32_t next = step(s, state, way->edge, way->to);

        s->steps++;
        if (next != NO_STATE)
            reach(s, next, state, way->edge);
    }
}

/* Whether a path that came to this state closes the cycle that began with the edge. */
static bool closes(const struct path_search *s, uint32_t first, uint32_t state)
{
    return state / 2 == way_tail(s, first) && !(s->class->rule == ANTI_APART && (state & 1) &&
                                               edge_is_anti(s->cycles->edges[first].kind));
}

/* From the edge back to where it comes from, in at most so many steps; the last state. */
static uint32_t search_from(struct path_search *s, uint32_t first, uint32_t depth_max)
{
    uint32_t begin = step(s, 0, first, way_head(s, first));

    s->rounds++;
    s->queue_count = 0;
    s->ahead_count = 0;
    s->round[begin] = s->rounds;
    s->parent[begin] = NO_STATE;
    s->by[begin] = first;
    s->queue[s->queue_count++] = begin;
    for (uint32_t depth = 0; depth <= depth_max && s->queue_count > 0; depth++) {
        uint32_t *swap = s->queue;

        for (uint32_t i = 0; i < s->queue_count; i++) {
            if (closes(s, first, s->queue[i]))
                return s->queue[i];
            expand(s, s->queue[i]);
        }
        s->queue = s->ahead;
        s->queue_count = s->ahead_count;
        s->ahead = swap;
        s->ahead_count = 0;
    }
    return NO_STATE;
}

/* The part of an edge before the one that is known. */
static void join(struct edge *known, const struct edge *before)
{
    uint32_t to = known->to, other = known->other;
    uint8_t by = known->by;

    *known = *before;
    known->to = to;
    known->other = other;
    known->by = before->by ? before->by : by;
}

/* The edges that led to the state, waypoints passed over. */
static enum status take_path(const struct path_search *s, uint32_t state, struct found_cycle *found,
                             struct error *err)
{
    const struct cycles *c = s->cycles;
    size_t half;

    found->edges.count = 0;
    /* From the last to the first: a way through waypoints is one edge, from behind. */
    for (uint32_t at = state; at != NO_STATE; at = s->parent[at]) {
        const struct edge *edge = &c->edges[s->by[at]];
        size_t count = found->edges.count;

        if (edge->to >= c->txn_count && count > 0)
            join(&found->edges.at[count - 1], edge);
        else
            TRY(array_push(&found->edges, *edge, err));
    }
    half = found->edges.count / 2;
    for (size_t i = 0; i < half; i++) {
        struct edge *a = &found->edges.at[i], *b = &found->edges.at[found->edges.count - 1 - i];
        struct edge swap = *a;

        *a = *b;
        *b = swap;
    }
    return STATUS_OK;
}

static enum status search_all(struct path_search *s, struct found_cycle *found, struct error *err)
{
    const struct cycles *c = s->cycles;

    for (size_t i = 0; i < s->edge_count && s->steps < STEPS_MAX; i++) {
        uint32_t edge = s->edges[i], last;
        size_t best = found->edges.count;

        if (!cycle_class_starts(s->class, &c->edges[edge]) || c->edges[edge].from >= c->txn_count)
            continue;
        if (best == 1 || (best == 2 && c->edges[edge].from != c->edges[edge].to))
            continue; /* no shorter one can begin here */
        last = search_from(s, edge, best == 0 ? UINT32_MAX - 1 : (uint32_t)best - 2);
        if (last != NO_STATE)
            TRY(take_path(s, last, found, err));
    }
    return STATUS_OK;
}

static enum status search(struct path_search *s, const struct component *component,
                          struct found_cycle *found, struct error *err)
{
    TRY(take_edges(s, component, err));
    TRY(drop_edges(s, err));
    if (s->edge_count == 0)
        return STATUS_OK;
    TRY(lay_ways(s, err));
    TRY(open_states(s, err));
    return search_all(s, found, err);
}

/*
 * The shortest cycle of the class within a component, by breadth-first search from
 * each edge that it must have. None: the found edges are empty.
 */
static enum status cycles_search(const struct cycles *c, const struct component *component,
                                 const struct cycle_class *class, struct found_cycle *found,
                                 struct error *err)
{
    struct path_search s = { .cycles = c, .class = class };
    enum status status = search(&s, component, found, err);

    close_search(&s, component);
    return status;
}

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
        return KIND(WW) | closings[level_closing(level)];
    case LEVEL_READ_COMMITTED:
    case LEVEL_SESSION_READ_COMMITTED:
    case LEVEL_STRICT_READ_COMMITTED:
        return KIND(WW) | READS | closings[level_closing(level)];
    case LEVEL_REPEATABLE_READ:
        return KIND(WW) | READS | KIND(RW);
    default:
        assert(level_is_snapshot(level) || level_is_serializable(level));
        return KIND(WW) | READS | ANTIS | closings[level_closing(level)];
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
    array_sum_prefixes(c->start, c->node_count + 2);
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

static struct projection project_on(const struct cycles *c, enum level level, enum moments moments)
{
    return (struct projection){ .cycles = c,
                                .kinds = cycles_kinds(level),
                                .sources = cycles_sources(level),
                                .moments = moments };
}

/*
 * At the levels of snapshot each transaction has two nodes, where it begins and where it commits:
 * whoever depends on another begins after that commits, and whoever reads what another overwrites
 * begins before that commits.
 */
enum status cycles_violate(const struct cycles *c, enum level level, bool *violates,
                           struct error *err)
{
    struct projection p =
        project_on(c, level, level_is_snapshot(level) ? MOMENTS_SNAPSHOT : MOMENTS_NONE);

    return projection_has_cycle(&p, violates, err);
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
    if (level_is_snapshot(level))
        return 4;
    return level == LEVEL_REPEATABLE_READ ? 5 : 6;
}

struct class_telling {
    const struct cycles *cycles;
    enum level level;
    enum status (*tell)(void *, const struct found_cycle *, bool *, struct error *);
    void *context;
    bool goes_on;
};

/* Searches the first `count` classes until one is found: its place among them, else count. */
static enum status tell_first(struct class_telling *t, const struct component *component,
                              enum cycle_closing closing, size_t *count, struct error *err)
{
    uint32_t kinds = cycles_kinds(t->level);
    uint32_t extra = kinds & (closing == CLOSING_SESSION ? KIND(PROCESS)
                              : closing == CLOSING_TIME  ? KIND(REALTIME)
                                                           : 0);

    for (size_t i = 0; i < *count; i++) {
        struct cycle_class class = classes[i];
        struct found_cycle found = { .kind = anomaly_of_cycle(class.kind, closing) };
        enum status status;

        class.kinds = (class.kinds & kinds) | extra;
        class.starts = closing == CLOSING_DATA ? class.starts & kinds : extra;
        class.sources = cycles_sources(t->level);
        if (closing == CLOSING_DATA)
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

static enum status tell_component(struct class_telling *t, const struct component *component,
                                  struct error *err)
{
    enum cycle_closing closing = level_closing(t->level);
    size_t count = class_count(t->level);

    TRY(tell_first(t, component, CLOSING_DATA, &count, err));
    if (closing == CLOSING_DATA || !t->goes_on)
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
    return projection_has(p, edge) && component[p->cycles->from[edge]] == component[p->cycles->to[edge]];
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
    array_sum_prefixes(inner->start, count);
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
    struct projection p = project_on(c, level, MOMENTS_NONE);
    struct class_telling t = { c, level, tell, context, true };
    struct components components;
    struct inner_edges inner = { 0 };
    uint32_t *scratch = NULL;
    enum status status;

    TRY(projection_find_components(&p, &components, err));
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
    graph_components_close(&components);
    return status;
}

/* --- As findings ------------------------------------------------------------------ */

enum status cycles_add_finding(struct check *check, const struct history *h, enum anomaly kind,
                               const struct edge *edges, size_t count, struct error *err)
{
    struct discovery d = { .kind = kind, .proven = kind, .txn_count = count };
    uint32_t *txns = NULL;
    enum status status;

    assert(count > 0);
    TRY(memory_resize((void **)&txns, count, sizeof *txns, err));
    for (size_t i = 0; i < count; i++) {
        assert(edges[i].to == edges[(i + 1) % count].from); /* it is a cycle */
        txns[i] = edges[i].from;
    }
    d.txns = txns;
    proof_tell_cycle(&d.why, h, edges, count);
    proof_cycle(&d.proof, h, edges, count);
    status = check_add(check, &d, err);
    free(txns);
    return status;
}

enum status cycles_tell_finding(void *context, const struct found_cycle *found, bool *goes_on,
                                struct error *err)
{
    const struct cycles_teller *teller = context;

    *goes_on = !check_is_full(teller->check);
    return *goes_on ? cycles_add_finding(teller->check, teller->history, found->kind,
                                         found->edges.at, found->edges.count, err)
                    : STATUS_OK;
}
