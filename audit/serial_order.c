#include "audit/serial_order_private.h"

#include <stdlib.h>

#include "base/binary_heap.h"
#include "base/hash.h"
#include "base/map.h"
#include "programs/machine/row_index.h"

#define WALKS 16384 /* a power of two */

/*
 * Nodes are places in the order of commits; behind them, one for each chunk of rows that are removed for good,
 * which is behind all who removed them; and one for each completion.
 */
struct order_edge {
    uint32_t from, to;
};

/* Of a row as somebody sees it who uses these columns: which version changed it last and which does next. */
struct walk {
    const struct stored_row *row;
    uint64_t used;
    uint32_t upto, last;  /* the last one of the first so many versions: its number from 1, or 0 */
    uint32_t from, next;  /* the first one from there on */
};

struct order_graph {
    struct search *search;
    uint32_t count, node_count, chunk_end;
    ARRAY(struct order_edge) edges;
    uint32_t *noted; /* by place: the last one that an edge from it went to, plus one */
    struct map chunks; /* their nodes, by address */
    struct walk *walks; /* what was found lately */
};

static enum status add_edge(struct order_graph *g, uint32_t from, uint32_t to, struct error *err)
{
    if (from == to)
        return STATUS_OK;
    return array_push(&g->edges, ((struct order_edge){ from, to }), err);
}

static bool matters(const struct row_version *v, uint64_t used)
{
    return v->is_whole || (v->changes & used);
}

static struct walk *walk_of(const struct order_graph *g, const struct row_glance *glance)
{
    uint64_t hash = hash_mix(hash_number((uint64_t)(uintptr_t)glance->row), glance->used);
    struct walk *w = &g->walks[hash & (WALKS - 1)];

    if (w->row != glance->row || w->used != glance->used)
        *w = (struct walk){ .row = glance->row, .used = glance->used, .from = UINT32_MAX };
    return w;
}

/* The last of the first `count` versions that changed what is used: its number from 1, or 0. */
static uint32_t last_change(struct walk *w, uint32_t count)
{
    uint32_t end = count >= w->upto ? w->upto : 0, i = count;

    if (count < w->upto && w->last <= count)
        return w->last;
    while (i > end && !matters(&w->row->versions[i - 1], w->used))
        i--;
    w->last = i > end || end == 0 ? i : w->last;
    w->upto = count;
    return w->last;
}

/* The first from there on that changes it, or how many there are. */
static uint32_t next_change(struct walk *w, uint32_t from)
{
    uint32_t i = from;

    if (w->from <= from && from <= w->next)
        return w->next;
    while (i < w->row->version_count && !matters(&w->row->versions[i], w->used))
        i++;
    w->from = from;
    w->next = i;
    return i;
}

/* The reader at `place` saw the row in a state. */
static enum status add_glance(struct order_graph *g, uint32_t place, uint32_t state,
                              const struct row_glance *glance, struct error *err)
{
    const struct stored_row *row = glance->row;
    const struct row_version *seen = audit_rows_visible(row, state);
    uint32_t count = seen ? (uint32_t)(seen - row->versions) + 1 : 0;
    struct walk *w = walk_of(g, glance);
    uint32_t last = last_change(w, count), next = next_change(w, count);

    if (last > 0 && row->versions[last - 1].position > 0) {
        uint32_t writer = row->versions[last - 1].position - 1;

        if (g->noted[writer] != place + 1)
            TRY(add_edge(g, writer, place, err));
        g->noted[writer] = place + 1;
    }
    if (next < row->version_count && row->versions[next].position == place + 1)
        next = next_change(w, next + 1);
    if (next < row->version_count)
        return add_edge(g, place, row->versions[next].position - 1, err);
    return STATUS_OK;
}

/* The reader at `place` saw that all rows of a chunk are removed, as they stay. */
static enum status add_quiet(struct order_graph *g, uint32_t place, const struct row_chunk *chunk,
                             struct error *err)
{
    uint64_t node;
    size_t at;

    if (!map_find(&g->chunks, (uint64_t)(uintptr_t)chunk, &node)) {
        node = g->chunk_end++;
        TRY(map_add(&g->chunks, (uint64_t)(uintptr_t)chunk, node, &at, err));
        for (uint32_t i = 0; i < chunk->count; i++) {
            const struct stored_row *row = chunk->entries[i].row;
            const struct row_version *latest = audit_rows_visible(row, STATE_NEWEST);

            if (latest && latest->position > 0)
                TRY(add_edge(g, latest->position - 1, (uint32_t)node, err));
        }
    }
    return add_edge(g, (uint32_t)node, place, err);
}

static enum status add_writers(struct order_graph *g, uint32_t place, const row_list *written,
                               struct error *err)
{
    for (size_t i = 0; i < written->count; i++) {
        const struct stored_row *row = written->at[i];
        const struct row_version *before = audit_rows_visible(row, place);

        if (before && before->position > 0)
            TRY(add_edge(g, before->position - 1, place, err));
    }
    return STATUS_OK;
}

/* Runs it once more as it ran, to see where it looked. */
static enum status add_txn(struct order_graph *g, uint32_t place, struct error *err)
{
    struct search *s = g->search;
    const struct search_frame *frame = &s->frames.at[place];
    uint32_t state = frame->choice_count > 0 ? s->choices.at[frame->choice].state : frame->ceiling;
    struct runner *r = s->runner;

    s->footprint.glances.count = s->footprint.quiet.count = 0;
    s->footprint.takes_quiet = true;
    r->window = (struct run_window){ state, state };
    r->tracks = false;
    r->footprint = &s->footprint;
    r->path = NULL;
    r->path_count = 0;
    TRY(runner_run(r, frame->txn, err));
    TRY(add_writers(g, place, audit_rows_written(s->rows), err));
    TRY(audit_rows_abandon(s->rows, err));
    for (size_t i = 0; i < s->footprint.glances.count; i++)
        TRY(add_glance(g, place, state, &s->footprint.glances.at[i], err));
    for (size_t i = 0; i < s->footprint.quiet.count; i++)
        TRY(add_quiet(g, place, s->footprint.quiet.at[i], err));
    return STATUS_OK;
}

/* --- Real time --------------------------------------------------------------------------------------- */

static uint32_t collect(const struct order_graph *g, bool of_completion, struct instant *at)
{
    const struct search *s = g->search;
    uint32_t count = 0;

    for (uint32_t i = 0; i < g->count; i++) {
        const struct plan_txn *t = &s->plan->txns.at[s->frames.at[i].txn];
        int64_t at_ns = of_completion ? t->logged->completed_ns : t->logged->invoked_ns;

        if (at_ns != TIME_NEVER && !(of_completion && t->is_unknown))
            at[count++] = (struct instant){ at_ns, i };
    }
    audit_instants_sort(at, count);
    return count;
}

/* Completions are a chain; each invocation hangs on the last completion before it. */
static enum status add_times(struct order_graph *g, struct error *err)
{
    struct instant *completed = calloc(2 * ((size_t)g->count + 1), sizeof *completed);
    struct instant *invoked = completed + g->count + 1;
    uint32_t completions, invocations, k = 0;
    enum status status = STATUS_OK;

    if (!completed)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    completions = collect(g, true, completed);
    invocations = collect(g, false, invoked);
    for (uint32_t i = 0; i < completions && status == STATUS_OK; i++) {
        status = add_edge(g, completed[i].place, g->chunk_end + i, err);
        if (status == STATUS_OK && i > 0)
            status = add_edge(g, g->chunk_end + i - 1, g->chunk_end + i, err);
    }
    for (uint32_t i = 0; i < invocations && status == STATUS_OK; i++) {
        while (k < completions && completed[k].at_ns < invoked[i].at_ns)
            k++;
        if (k > 0)
            status = add_edge(g, g->chunk_end + k - 1, invoked[i].place, err);
    }
    g->node_count = g->chunk_end + completions;
    free(completed);
    return status;
}

/* --- Sorting ------------------------------------------------------------------------------------------- */

struct sorter {
    uint32_t *starts, *targets, *left, *heap;
    uint32_t heap_count;
};

#define COMES_BEFORE(a, b) ((a) < (b))

static void put_rank(struct sorter *s, uint32_t rank)
{
#define PUT(place, rank) (s->heap[place] = (rank))
    BINARY_HEAP_UP(s->heap, s->heap_count, rank, COMES_BEFORE, PUT);
    s->heap_count++;
}

static uint32_t take_least(struct sorter *s)
{
    uint32_t least = s->heap[0], last = s->heap[--s->heap_count];

    BINARY_HEAP_DOWN(s->heap, s->heap_count, 0, last, COMES_BEFORE, PUT);
#undef PUT
    return least;
}

/* A completion's node is free before any transaction that waits for it is asked for. */
static uint32_t rank_of(const struct order_graph *g, uint32_t node)
{
    return node < g->count ? node + (g->node_count - g->count) : node - g->count;
}

static uint32_t node_of(const struct order_graph *g, uint32_t rank)
{
    uint32_t extra = g->node_count - g->count;

    return rank < extra ? rank + g->count : rank - extra;
}

static void fill_sorter(const struct order_graph *g, struct sorter *s)
{
    for (size_t i = 0; i < g->edges.count; i++) {
        s->starts[g->edges.at[i].from + 1]++;
        s->left[g->edges.at[i].to]++;
    }
    array_sum_prefixes(s->starts, g->node_count + 1);
    for (size_t i = g->edges.count; i > 0; i--)
        s->targets[--s->starts[g->edges.at[i - 1].from + 1]] = g->edges.at[i - 1].to;
}

static bool sort(const struct order_graph *g, struct sorter *s, uint32_t *order)
{
    uint32_t done = 0;

    fill_sorter(g, s);
    /* The starts have moved one up: those of a node are now at its own number plus one. */
    for (uint32_t i = 0; i < g->node_count; i++)
        if (s->left[i] == 0)
            put_rank(s, rank_of(g, i));
    while (s->heap_count > 0) {
        uint32_t node = node_of(g, take_least(s));
        uint32_t end = node + 1 < g->node_count ? s->starts[node + 2] : (uint32_t)g->edges.count;

        if (node < g->count)
            order[done++] = g->search->frames.at[node].txn;
        for (uint32_t i = s->starts[node + 1]; i < end; i++)
            if (--s->left[s->targets[i]] == 0)
                put_rank(s, rank_of(g, s->targets[i]));
    }
    return done == g->count;
}

static enum status sort_graph(const struct order_graph *g, uint32_t *order, bool *is_found,
                              struct error *err)
{
    struct sorter s = { .starts = calloc((size_t)g->node_count + 2, sizeof *s.starts),
                        .targets = calloc(g->edges.count + 1, sizeof *s.targets),
                        .left = calloc((size_t)g->node_count + 1, sizeof *s.left),
                        .heap = calloc((size_t)g->node_count + 1, sizeof *s.heap) };
    enum status status = STATUS_OK;

    if (!s.starts || !s.targets || !s.left || !s.heap)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for a serial order");
    else
        *is_found = sort(g, &s, order);
    free(s.starts);
    free(s.targets);
    free(s.left);
    free(s.heap);
    return status;
}

enum status serial_order_find(struct search *s, bool is_strict, uint32_t *order, bool *is_found,
                              struct error *err)
{
    struct order_graph g = { .search = s,
                             .count = (uint32_t)s->frames.count,
                             .chunk_end = (uint32_t)s->frames.count };
    enum status status = STATUS_OK;

    *is_found = false;
    g.noted = calloc((size_t)g.count + 1, sizeof *g.noted);
    g.walks = calloc(WALKS, sizeof *g.walks);
    if (!g.noted || !g.walks)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for a serial order");
    for (uint32_t i = 0; i < g.count && status == STATUS_OK; i++)
        status = add_txn(&g, i, err);
    s->footprint.takes_quiet = false;
    g.node_count = g.chunk_end;
    if (status == STATUS_OK && is_strict)
        status = add_times(&g, err);
    if (status == STATUS_OK)
        status = sort_graph(&g, order, is_found, err);
    array_close(&g.edges);
    map_close(&g.chunks);
    free(g.walks);
    free(g.noted);
    return status;
}
