/*
 * models_ties: the edges that are in some cycle, by where they begin and where they end.
 *
 *     rank     of who depends on whom (so, wr, ww): edges lead from a higher rank to a lower one
 *
 * Hubs stand for the writers behind them: what leads from a reader to a hub is its
 * anti-dependency, and what leads on is one more dependency.
 */
#ifndef CHECKERS_INFER_MODELS_MODELS_TIES_PRIVATE_H
#define CHECKERS_INFER_MODELS_MODELS_TIES_PRIVATE_H

#include "checkers/infer/models/models_private.h"

struct ties {
    const struct picture *picture;
    const struct cycles *cycles;
    struct edge_list edges;
    uint32_t *out_start, *out; /* by node, and one more: edges that begin there */
    uint32_t *in_start, *in;
    uint32_t *rank;  /* by node */
    bool has_circle; /* of dependencies alone: then ranks tell nothing */
};

/* Closed by models_ties_close(), also after a failure. */
MUST_USE enum status models_ties_init(struct ties *, const struct picture *, struct error *);
void models_ties_close(struct ties *);

/* From a reader to a writer, or to a hub. */
static inline bool ties_is_anti(const struct ties *t, uint32_t edge)
{
    return edge_is_anti(t->cycles->edges[edge].kind) &&
           !models_is_hub(t->picture->models, t->cycles->from[edge]);
}

#endif
