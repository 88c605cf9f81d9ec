/*
 * models: the data that the files of `models` share.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_PRIVATE_H
#define CHECKERS_INFER_MODELS_MODELS_PRIVATE_H

#include "checkers/graph/projection.h"
#include "checkers/infer/models/models.h"

#define KIND(kind) (UINT32_C(1) << EDGE_##kind)
#define READS (KIND(WR) | KIND(PREDICATE_WR))
#define ANTIS (KIND(RW) | KIND(PREDICATE_RW))
#define DATA (KIND(WW) | READS | ANTIS)

/* The edges of a level, or some of them. */
struct picture {
    const struct models *models;
    struct projection of;
};

/* At the levels that are axioms reads behind own writes do not see. */
static inline struct picture models_picture(const struct models *m, enum level level)
{
    return (struct picture){ .models = m,
                             .of = { .cycles = m->cycles,
                                     .sources = cycles_sources(level),
                                     .leaves_out =
                                         models_is_axiomatic(level) ? m->is_behind : NULL } };
}

/* A place of cycles.nodes. */
static inline bool models_is_hub(const struct models *m, uint32_t node)
{
    return m->cycles->nodes[node] >= m->hubs;
}

/* Whether an edge goes from a version of the key to a later one; whatever leaves a hub does. */
static inline bool models_is_version_step(const struct models *m, uint32_t node,
                                          const struct edge *e, uint32_t key)
{
    if (models_is_hub(m, node))
        return true;
    return e->key == key && (e->kind == EDGE_WW || (e->kind == EDGE_WR && e->by == SOURCE_UPDATE));
}

/* The edges of the picture that are in a cycle of it: numbers of edges, rising. */
struct edge_list {
    ARRAY(uint32_t) at;
};

/* What a walk may still cost: shared by all walks of one level. */
struct budget {
    uint64_t steps;
    bool is_spent;
};

static inline bool budget_take(struct budget *b, uint64_t steps)
{
    if (b->steps < steps)
        b->is_spent = true;
    else
        b->steps -= steps;
    return !b->is_spent;
}

/* A plain graph, and questions whether one node leads to another, be it itself. */
struct arc {
    uint32_t from, to;
};

struct arcs {
    uint32_t node_count;
    ARRAY(struct arc) at;
    ARRAY(struct arc) questions;
};

/* For is_behind of struct models; the caller's. */
MUST_USE enum status models_find_behind(const struct history *, const struct cycles *,
                                        bool **is_behind, struct error *);

/* Who must be seen by whom, if R sees it, and misses what it wrote: see models.c. */
enum seeing {
    SEEING_ITSELF,  /* R's own writes: cursor-stability */
    SEEING_OP,      /* who R has read from by an earlier operation: monotonic-atomic-view */
    SEEING_READ,    /* who R has read from, and its session: read-atomic */
    SEEING_WRITTEN, /* who R has read from or written over: update-atomic */
    SEEING_CAUSAL,  /* so and wr, as far as they go */
};

/* The operation, or the head of the statement that it is a row of. */
uint32_t models_head(const struct history *, uint32_t op);
/* What the transaction left of the key, or VERSION_INITIAL. */
uint32_t models_last_write(const struct history *, uint32_t txn, uint32_t key);
/* The operation by which a dependency comes in: of what it overwrote, its last write, or the row of it. */
uint32_t models_op_in(const struct history *, const struct edge *);

#endif
