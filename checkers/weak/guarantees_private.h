/*
 * guarantees: the data that the session guarantees share.
 *
 * A guarantee can force very many edges, and most of them tell nothing: so they are asked for in
 * rounds. Given an order of session, reads and what has been told so far, only the edges
 * are told that lead backward in it; with them a new order is made, until there is a cycle, or
 * nothing leads backward.
 *
 *     order T1 T2 T3    told: T3 before T2    order T1 T3 T2    told: nothing. It holds
 *
 * Each finds why an edge is there, too, if it is by its guarantee: pram, which is three of them
 * together, asks one after another.
 */
#ifndef CHECKERS_WEAK_GUARANTEES_PRIVATE_H
#define CHECKERS_WEAK_GUARANTEES_PRIVATE_H

#include "checkers/weak/axioms_private.h"

#define GUARANTEE_ROUND_MAX 16000000 /* edges that are told in a round */

/* One pass over the history. */
struct guarantee {
    struct weak *w;
    const struct weak_scope *scope; /* or NULL */
    struct weak_edges *edges;
    const uint32_t *rank; /* by transaction; NULL: as they are numbered */
    bool in_rounds;       /* only what leads backward */
    size_t enough;        /* edges */
    uint64_t patience;    /* how many steps may be taken yet, of all rounds */
};

typedef enum status guarantee_tell(struct guarantee *, struct error *);
typedef enum status guarantee_explain(const struct weak *, const struct weak_edge *,
                                      struct weak_path *, struct error *);

guarantee_tell guarantee_own_writes, guarantee_reads, guarantee_writes, guarantee_causes;

/* No step is added where the edge has another reason. */
guarantee_explain guarantee_explain_own_writes, guarantee_explain_reads, guarantee_explain_writes,
    guarantee_explain_causes;

static inline uint32_t guarantee_rank(const struct guarantee *g, uint32_t txn)
{
    return g->rank ? g->rank[txn] : txn;
}

static inline bool guarantee_goes_forward(const struct guarantee *g, uint32_t from, uint32_t to)
{
    return g->in_rounds && to != WEAK_INITIAL && guarantee_rank(g, from) < guarantee_rank(g, to);
}

/*
 * Before so many steps. A transaction that reads from very many, each of a session with a long past,
 * would take the square of all: then the verdict is unknown, and w->is_stopped.
 */
static inline void guarantee_spend(struct guarantee *g, uint64_t steps)
{
    if (g->patience > steps) {
        if ((g->patience >> 20) != ((g->patience - steps) >> 20))
            (void)weak_is_stopped(g->w);
        g->patience -= steps;
        return;
    }
    check_doubt(g->w->check, "what so many transactions read of so many sessions takes too long "
                             "to compare");
    g->w->is_stopped = true;
}

/* Or it was stopped, or is out of patience. */
static inline bool guarantee_is_enough(const struct guarantee *g)
{
    return g->w->is_stopped || g->edges->edges.count >= g->enough;
}

/* t2 before the writer that was read; WEAK_OPEN and t2 itself are passed over. */
static inline MUST_USE enum status guarantee_add(struct guarantee *g, uint32_t t2, uint32_t read,
                                                 struct error *err)
{
    uint32_t t1 = g->w->read_writer[read];

    guarantee_spend(g, 1);
    if (t1 == WEAK_OPEN || guarantee_goes_forward(g, t2, t1))
        return STATUS_OK;
    return weak_axiom_add(g->w, g->scope, g->edges, t2, read, err);
}

/* Whether a scope, if there is one, leaves out all edges to that writer, or from it. */
static inline bool guarantee_leaves_out(const struct guarantee *g, uint32_t txn)
{
    return g->scope && !weak_is_inside(g->scope, txn);
}

static inline MUST_USE enum status guarantee_step(struct weak_path *path, uint32_t from,
                                                  uint32_t to, uint32_t op, struct error *err)
{
    return array_push(&path->steps, ((struct weak_step){ from, to, op }), err);
}

/* Reads by whom they are from. */
struct guarantee_followers {
    uint32_t *start;   /* by transaction, and one more */
    uint32_t *reads;   /* of one writer, in the order of the writes that they read */
    uint32_t *readers; /* beside them: whose they are */
};

/* Closed by guarantee_followers_close(), also after a failure. */
MUST_USE enum status guarantee_followers_init(struct guarantee_followers *, const struct weak *, struct error *);
void guarantee_followers_close(struct guarantee_followers *);
/* With which operation its writer wrote what was read. */
uint32_t guarantee_followers_write(const struct weak *, uint32_t read);

/* Somebody who wrote a key: a list for each key. */
struct cause {
    uint32_t txn;
    uint32_t next; /* plus one; 0: none */
};

#endif
