/*
 * The session guarantees, of transactions: t3 read x from t1, and t2 also wrote x: t2 before t1, if
 *
 *     read your writes      t2 is before t3 in its session
 *     monotonic reads       t2 was read from earlier in the session of t3, or in t3
 *     monotonic writes      t2 is before t4 in its session, and t3 reads from t4
 *     writes follow reads   t2 was read from before t4 in the session of t4, or in t4 before it
 *                           wrote what t3 read from it
 *
 *     session A: T1: w(x,1), T2: w(y,2)    session B: T3: r(y,2) r(x,null)      T1 is missing
 *
 * and pram is the first three, in one order. Terry and others, "Session guarantees for weakly
 * consistent replicated data" (1994); docs/oracle.md.
 *
 * Of a session's earlier writers of x the last is enough: the others come before it. Each has a file
 * of its own, but read your writes, which is here.
 */
#include "checkers/weak/guarantees_private.h"

#include <stdlib.h>

#define ROUNDS_MAX 48
#define PATIENCE UINT64_C(5000000000)

/* --- Read your writes ------------------------------------------------------------- */

struct own {
    struct guarantee *g;
    uint32_t *session; /* by key: the one at hand, plus one, if it has written it */
    uint32_t *first;   /* by key: in `writers`, plus one */
    ARRAY(struct cause) writers;
};

static enum status pass_own_txn(struct own *o, uint32_t session, uint32_t txn, struct error *err)
{
    const struct weak *w = o->g->w;

    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t key = w->read_key[i];
        uint32_t at = o->session[key] == session + 1 ? o->first[key] : 0;

        if (guarantee_leaves_out(o->g, w->read_writer[i]))
            continue;
        for (; at != 0; at = o->g->scope ? o->writers.at[at - 1].next : 0) {
            TRY(guarantee_add(o->g, o->writers.at[at - 1].txn, i, err));
            if (guarantee_is_enough(o->g))
                return STATUS_OK;
        }
    }
    for (uint32_t i = w->write_start[txn];
         i < w->write_start[txn + 1] && !guarantee_leaves_out(o->g, txn); i++) {
        uint32_t key = w->write_key[i];
        uint32_t next = o->session[key] == session + 1 ? o->first[key] : 0;

        TRY(array_push(&o->writers, ((struct cause){ txn, next }), err));
        o->session[key] = session + 1;
        o->first[key] = (uint32_t)o->writers.count;
    }
    return STATUS_OK;
}

static enum status pass_own(struct own *o, struct error *err)
{
    struct weak *w = o->g->w;
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&o->session, keys, sizeof *o->session, 0, err));
    TRY(memory_resize((void **)&o->first, keys, sizeof *o->first, err));
    for (uint32_t s = 0; s < w->session_count; s++) {
        o->writers.count = 0;
        for (uint32_t at = w->session_start[s]; at < w->session_start[s + 1]; at++) {
            if ((at % 1024 == 0 && weak_is_stopped(w)) || guarantee_is_enough(o->g))
                return STATUS_OK;
            TRY(pass_own_txn(o, s, w->session_txns[at], err));
        }
    }
    return STATUS_OK;
}

enum status guarantee_own_writes(struct guarantee *g, struct error *err)
{
    struct own o = { .g = g };
    enum status status = pass_own(&o, err);

    free(o.session);
    free(o.first);
    array_close(&o.writers);
    return status;
}

enum status guarantee_explain_own_writes(const struct weak *w, const struct weak_edge *edge,
                                         struct weak_path *path, struct error *err)
{
    uint32_t reader = history_txn_of(w->history, edge->op);

    return weak_is_before(w, edge->from, reader)
               ? guarantee_step(path, edge->from, reader, HISTORY_NONE, err)
               : STATUS_OK;
}

/* --- Rounds ----------------------------------------------------------------------- */

static enum status tell_parts(struct guarantee *g, guarantee_tell *const *parts, struct error *err)
{
    for (; *parts; parts++) {
        TRY((*parts)(g, err));
        if (g->w->is_stopped || guarantee_is_enough(g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* An order of all that is told: false in `goes_on` if there is none. */
static enum status rank_again(struct guarantee *g, uint32_t *rank, bool *goes_on, struct error *err)
{
    struct weak_order order;
    enum status status = weak_find_order(g->w, g->edges, &order, err);

    *goes_on = status == STATUS_OK && order.is_acyclic;
    for (uint32_t i = 0; *goes_on && i < order.count; i++)
        rank[order.txns[i]] = i;
    weak_order_close(&order);
    g->rank = rank;
    return status;
}

static bool leads_to_initial(const struct guarantee *g, size_t from)
{
    for (size_t i = from; i < g->edges->edges.count; i++)
        if (g->edges->edges.at[i].to == WEAK_INITIAL)
            return true;
    return false;
}

/* Until there is a cycle, or nothing goes backward. After too many rounds all is told at once. */
static enum status tell_in_rounds(struct guarantee *g, guarantee_tell *const *parts, uint32_t *rank,
                                  struct error *err)
{
    bool goes_on = true;

    TRY(rank_again(g, rank, &goes_on, err));
    for (unsigned round = 0; goes_on && round < ROUNDS_MAX; round++) {
        size_t before = g->edges->edges.count;

        g->enough = before + GUARANTEE_ROUND_MAX;
        TRY(tell_parts(g, parts, err));
        if (g->w->is_stopped || g->edges->edges.count == before || leads_to_initial(g, before))
            return STATUS_OK;
        TRY(rank_again(g, rank, &goes_on, err));
    }
    g->in_rounds = false;
    g->enough = SIZE_MAX;
    return goes_on ? tell_parts(g, parts, err) : STATUS_OK;
}

static enum status tell(struct weak *w, const struct weak_scope *scope, struct weak_edges *edges,
                        guarantee_tell *const *parts, struct error *err)
{
    struct guarantee g = {
        .w = w, .scope = scope, .edges = edges, .enough = SIZE_MAX, .patience = PATIENCE
    };
    uint32_t *rank = NULL;
    enum status status;

    if (scope || edges->only_backward) {
        g.in_rounds = !scope; /* as they are numbered, and one is enough */
        g.enough = scope ? scope->edges_max : 1;
        return tell_parts(&g, parts, err);
    }
    g.in_rounds = true;
    TRY(memory_resize((void **)&rank, w->txn_count, sizeof *rank, err));
    status = tell_in_rounds(&g, parts, rank, err);
    free(rank);
    return status;
}

/* --- Axioms ----------------------------------------------------------------------- */

static enum status saturate_own_writes(struct weak *w, const struct weak_scope *scope,
                                       struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_own_writes, NULL }, err);
}

static enum status saturate_reads(struct weak *w, const struct weak_scope *scope,
                                  struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_reads, NULL }, err);
}

static enum status saturate_writes(struct weak *w, const struct weak_scope *scope,
                                   struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_writes, NULL }, err);
}

static enum status saturate_causes(struct weak *w, const struct weak_scope *scope,
                                   struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_causes, NULL }, err);
}

static enum status saturate_pram(struct weak *w, const struct weak_scope *scope,
                                 struct weak_edges *edges, struct error *err)
{
    return tell(
        w, scope, edges,
        (guarantee_tell *const[]){ guarantee_own_writes, guarantee_reads, guarantee_writes, NULL },
        err);
}

static enum status explain_pram(const struct weak *w, const struct weak_edge *edge,
                                struct weak_path *path, struct error *err)
{
    static guarantee_explain *const parts[] = { guarantee_explain_own_writes,
                                                guarantee_explain_reads, guarantee_explain_writes };
    size_t count = path->steps.count;

    for (size_t i = 0; i < sizeof parts / sizeof *parts && path->steps.count == count; i++)
        TRY(parts[i](w, edge, path, err));
    return STATUS_OK;
}

/* --- The five --------------------------------------------------------------------- */

const struct weak_axiom weak_read_your_writes = {
    .level = LEVEL_READ_YOUR_WRITES,
    .saturate = saturate_own_writes,
    .explain = guarantee_explain_own_writes,
    .by_order = ANOMALY_UNREAD_WRITE,
    .by_circle = ANOMALY_UNREAD_WRITE,
};

const struct weak_axiom weak_monotonic_reads = {
    .level = LEVEL_MONOTONIC_READS,
    .saturate = saturate_reads,
    .explain = guarantee_explain_reads,
    .by_order = ANOMALY_BACKWARD_READ,
    .by_circle = ANOMALY_BACKWARD_READ,
};

const struct weak_axiom weak_monotonic_writes = {
    .level = LEVEL_MONOTONIC_WRITES,
    .saturate = saturate_writes,
    .explain = guarantee_explain_writes,
    .by_order = ANOMALY_REORDERED_WRITES,
    .by_circle = ANOMALY_REORDERED_WRITES,
};

const struct weak_axiom weak_writes_follow_reads = {
    .level = LEVEL_WRITES_FOLLOW_READS,
    .saturate = saturate_causes,
    .explain = guarantee_explain_causes,
    .by_order = ANOMALY_FORGOTTEN_READ,
    .by_circle = ANOMALY_FORGOTTEN_READ,
};

/* Where no guarantee by itself is broken. */
const struct weak_axiom weak_pram = {
    .level = LEVEL_PRAM,
    .saturate = saturate_pram,
    .explain = explain_pram,
    .by_order = ANOMALY_MIXED_SESSION,
    .by_circle = ANOMALY_MIXED_SESSION,
};
