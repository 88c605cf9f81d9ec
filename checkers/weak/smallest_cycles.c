#include "checkers/weak/smallest_cycles_private.h"

#include <assert.h>
#include <stdlib.h>

#define PATIENCE_IN_ALL UINT64_C(30000000) /* edges looked at */
#define PATIENCE_MIN 1000000               /* of one component */
#define EDGES_MAX 4000000                  /* made anew */

/* --- Members ---------------------------------------------------------------------- */

struct member {
    uint32_t component, session, txn;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;

    if (x->component != y->component)
        return x->component < y->component ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (x->txn > y->txn) - (x->txn < y->txn);
}

static void seat_members(struct smallest_cycles *k, const struct member *members, uint32_t count)
{
    uint32_t next = 0;

    for (uint32_t n = 0; n < count; n++) {
        bool continues = n > 0 && members[n].session == members[n - 1].session &&
                         members[n].component == members[n - 1].component;

        k->members[n] = members[n].txn;
        k->place[members[n].txn] = n;
        k->first[n] = continues ? k->first[n - 1] : n;
        while (next <= members[n].component)
            k->member_start[next++] = n;
    }
    while (next <= k->count)
        k->member_start[next++] = count;
}

static enum status sort_members(struct smallest_cycles *k, uint32_t *count, struct error *err)
{
    const struct weak *w = k->w;
    struct member *members = NULL;

    *count = 0;
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        *count += k->component[txn] != UINT32_MAX;
    TRY(memory_resize((void **)&k->members, *count, sizeof *k->members, err));
    TRY(memory_resize((void **)&k->first, *count, sizeof *k->first, err));
    TRY(memory_resize((void **)&k->place, w->txn_count, sizeof *k->place, err));
    TRY(memory_resize((void **)&k->member_start, (size_t)k->count + 1, sizeof *k->member_start,
                      err));
    TRY(memory_resize((void **)&members, *count, sizeof *members, err));
    *count = 0;
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (k->component[txn] != UINT32_MAX)
            members[(*count)++] =
                (struct member){ k->component[txn], w->history->txn_session[txn], txn };
    if (*count > 1)
        qsort(members, *count, sizeof *members, compare_members);
    seat_members(k, members, *count);
    free(members);
    return STATUS_OK;
}

/* --- Arcs ------------------------------------------------------------------------- */

struct weak_arcs {
    ARRAY(struct weak_arc) arcs;
};

static enum status add_arc(const struct smallest_cycles *k, struct weak_arcs *arcs,
                           struct weak_arc arc, struct error *err)
{
    if (arc.from >= WEAK_OPEN || arc.to >= WEAK_OPEN || k->component[arc.from] == UINT32_MAX ||
        k->component[arc.from] != k->component[arc.to])
        return STATUS_OK;
    return array_push(&arcs->arcs, arc, err);
}

static enum status add_edges(const struct smallest_cycles *k, struct weak_arcs *arcs,
                             const struct weak_edges *e, enum weak_arc_kind kind, struct error *err)
{
    for (size_t i = 0; i < e->edges.count; i++)
        TRY(add_arc(k, arcs,
                    (struct weak_arc){ e->edges.at[i].from, e->edges.at[i].to, e->edges.at[i].op,
                                       (uint8_t)kind },
                    err));
    return STATUS_OK;
}

static enum status gather_arcs(struct smallest_cycles *k, const struct weak_axiom *axiom,
                               const struct weak_judgement *j, uint32_t member_count,
                               struct weak_arcs *arcs, struct error *err)
{
    struct weak *w = k->w;
    struct weak_scope scope = { k->component, EDGES_MAX };
    struct weak_edges all = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t n = 0; n < member_count; n++)
        for (uint32_t i = w->read_start[k->members[n]]; i < w->read_start[k->members[n] + 1]; i++)
            TRY(add_arc(k, arcs,
                        (struct weak_arc){ w->read_writer[i], k->members[n], w->read_op[i],
                                           WEAK_READ },
                        err));
    TRY(add_edges(k, arcs, &w->shown, WEAK_SHOWN, err));
    TRY(add_edges(k, arcs, &j->co, WEAK_CO, err));
    if (axiom->saturate)
        status = axiom->saturate(w, &scope, &all, err);
    if (status == STATUS_OK)
        status = add_edges(k, arcs, &all, WEAK_CO, err);
    array_close(&all.edges);
    return status;
}

/* By where they begin: start[n + 1] runs through those of n. */
static enum status lay_out(struct smallest_cycles *k, const struct weak_arcs *arcs, uint32_t count,
                           struct error *err)
{
    TRY(check_memory((void **)&k->arc_start, (size_t)count + 2, sizeof *k->arc_start, 0, err));
    TRY(memory_resize((void **)&k->arcs, arcs->arcs.count, sizeof *k->arcs, err));
    for (size_t i = 0; i < arcs->arcs.count; i++)
        k->arc_start[k->place[arcs->arcs.at[i].from] + 2]++;
    array_sum_prefixes(k->arc_start, (size_t)count + 2);
    for (size_t i = 0; i < arcs->arcs.count; i++)
        k->arcs[k->arc_start[k->place[arcs->arcs.at[i].from] + 1]++] = arcs->arcs.at[i];
    return STATUS_OK;
}

enum status smallest_cycles_init(struct smallest_cycles *k, struct weak *w, const struct weak_axiom *axiom,
                                 const struct weak_judgement *j, struct error *err)
{
    struct weak_arcs arcs = { 0 };
    uint32_t count;
    enum status status;

    *k = (struct smallest_cycles){ .w = w,
                              .component = j->order.component,
                              .count = j->order.component_count,
                              .patience = PATIENCE_IN_ALL };
    TRY(sort_members(k, &count, err));
    status = gather_arcs(k, axiom, j, count, &arcs, err);
    if (status == STATUS_OK)
        status = lay_out(k, &arcs, count, err);
    array_close(&arcs.arcs);
    TRY(status);
    TRY(check_memory((void **)&k->date, count, sizeof *k->date, 0, err));
    TRY(check_memory((void **)&k->bound_date, count, sizeof *k->bound_date, 0, err));
    TRY(memory_resize((void **)&k->length, count, sizeof *k->length, err));
    TRY(memory_resize((void **)&k->bound, count, sizeof *k->bound, err));
    TRY(memory_resize((void **)&k->queue, count, sizeof *k->queue, err));
    return memory_resize((void **)&k->back, count, sizeof *k->back, err);
}

void smallest_cycles_close(struct smallest_cycles *k)
{
    free(k->members);
    free(k->member_start);
    free(k->arcs);
    free(k->arc_start);
    free(k->place);
    free(k->first);
    free(k->date);
    free(k->length);
    free(k->bound_date);
    free(k->bound);
    free(k->queue);
    free(k->back);
    array_close(&k->cycle);
}

/* --- Searching -------------------------------------------------------------------- */

/* How far a search has come; by places. */
struct front {
    uint32_t from, next, end;
    bool is_closed; /* back where it began: `back` of that says how */
};

static void reach(struct smallest_cycles *k, struct front *f, uint32_t by, const struct weak_arc *arc)
{
    uint32_t to = k->place[arc->to];

    k->patience -= k->patience > 0;
    if (to == f->from) {
        f->is_closed = true;
        k->back[to] = *arc;
    } else if (k->date[to] != k->now && !(k->is_plain && arc->kind >= WEAK_SHOWN)) {
        k->date[to] = k->now;
        k->length[to] = k->length[by] + 1;
        k->back[to] = *arc;
        k->queue[f->end++] = to;
    }
}

static void reach_later(struct smallest_cycles *k, struct front *f, uint32_t by, uint32_t to)
{
    struct weak_arc arc = { k->members[by], k->members[to], HISTORY_NONE, WEAK_PROCESS };

    reach(k, f, by, &arc);
}

/* All later ones of the session; but those behind one that was passed have been reached. */
static void reach_session(struct smallest_cycles *k, struct front *f, uint32_t n, uint32_t end)
{
    uint32_t first = k->first[n], bound = end;

    if (weak_is_unknown(k->w, k->members[n]))
        return;
    if (k->bound_date[first] == k->now)
        bound = k->bound[first];
    for (uint32_t to = n + 1; to < bound && k->first[to] == first && !f->is_closed; to++)
        reach_later(k, f, n, to);
    if (!f->is_closed && f->from > n && k->first[f->from] == first)
        reach_later(k, f, n, f->from);
    if (n + 1 < bound || k->bound_date[first] != k->now) {
        k->bound_date[first] = k->now;
        k->bound[first] = n + 1;
    }
}

static enum status keep_cycle(struct smallest_cycles *k, uint32_t from, struct error *err)
{
    uint32_t n = from;

    k->cycle.count = 0;
    do {
        TRY(array_push(&k->cycle, k->back[n], err));
        n = k->place[k->back[n].from];
    } while (n != from);
    for (size_t i = 0, j = k->cycle.count - 1; i < j; i++, j--) {
        struct weak_arc swap = k->cycle.at[i];

        k->cycle.at[i] = k->cycle.at[j];
        k->cycle.at[j] = swap;
    }
    return STATUS_OK;
}

/* The shortest cycle through a member, if it is shorter than the one at hand. */
static enum status search_from(struct smallest_cycles *k, uint32_t from, uint32_t end, struct error *err)
{
    struct front f = { .from = from, .end = 1 };

    k->now++;
    k->queue[0] = from;
    k->date[from] = k->now;
    k->length[from] = 1;
    while (f.next < f.end && !f.is_closed) {
        uint32_t n = k->queue[f.next++];

        if (k->cycle.count > 0 && k->length[n] >= k->cycle.count)
            return STATUS_OK;
        reach_session(k, &f, n, end);
        for (uint32_t i = k->arc_start[n]; i < k->arc_start[n + 1] && !f.is_closed; i++)
            reach(k, &f, n, &k->arcs[i]);
    }
    return f.is_closed ? keep_cycle(k, from, err) : STATUS_OK;
}

/* Each arc begins where the one before it ends, and the first where the last ends. */
static bool is_closed(const struct smallest_cycles *k)
{
    bool is_closed = true;

    for (size_t i = 0; i < k->cycle.count; i++)
        is_closed &= k->cycle.at[i].to == k->cycle.at[(i + 1) % k->cycle.count].from;
    return is_closed;
}

enum status smallest_cycles_find(struct smallest_cycles *k, uint32_t component, struct error *err)
{
    uint32_t from = k->member_start[component], end = k->member_start[component + 1];

    k->cycle.count = 0;
    k->patience = k->patience < PATIENCE_MIN ? PATIENCE_MIN : k->patience;
    k->is_plain = true;
    for (uint32_t n = from; n < end && k->cycle.count != 2 && k->patience > 0; n++)
        TRY(search_from(k, n, end, err));
    if (k->cycle.count > 0) {
        assert(is_closed(k));
        return STATUS_OK;
    }
    k->is_plain = false;
    for (uint32_t n = from; n < end && k->cycle.count != 2; n++)
        if (k->cycle.count == 0 || k->patience > 0)
            TRY(search_from(k, n, end, err));
    assert(is_closed(k));
    return STATUS_OK;
}
