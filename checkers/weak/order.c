/*
 * Orders all transactions that take part, or finds the strongly connected components that prevent
 * it: Tarjan's search, without recursion, along what comes before. What was read from and the
 * session need no graph, as each transaction knows them; only shown and co edges are laid out.
 */
#include "checkers/weak/order_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- Paths --------------------------------------------------------------------- */

/*
 * The fewest steps of session order and reads from one transaction to another: breadth first,
 * backwards, as each transaction knows what comes right before it. A step of session order
 * may lead over any number of transactions; each is looked at once.
 */

struct trail {
    const struct weak *w;
    uint32_t *step;                /* by transaction: its place in `steps`, or HISTORY_NONE */
    uint32_t *highest;             /* by session: the last position up to which all were seen */
    ARRAY(struct weak_step) steps; /* the one that leads on to the end; also the queue */
};

static enum status see(struct trail *t, uint32_t from, uint32_t to, uint32_t op, struct error *err)
{
    struct weak_step step = { from, to, op };

    if (from >= WEAK_OPEN || t->step[from] != HISTORY_NONE)
        return STATUS_OK;
    t->step[from] = (uint32_t)t->steps.count;
    return array_push(&t->steps, step, err);
}

/* All of the session before it that were not seen yet. */
static enum status see_session(struct trail *t, uint32_t txn, uint32_t wanted, struct error *err)
{
    const struct weak *w = t->w;
    uint32_t session = w->history->txn_session[txn], *highest = &t->highest[session];

    if (weak_is_before(w, wanted, txn))
        return see(t, wanted, txn, HISTORY_NONE, err);
    for (uint32_t p = *highest + 1; p < w->position[txn]; p++)
        TRY(see(t, w->session_txns[w->session_start[session] + p - 1], txn, HISTORY_NONE, err));
    if (*highest + 1 < w->position[txn])
        *highest = w->position[txn] - 1;
    return STATUS_OK;
}

static enum status trail_search(struct trail *t, uint32_t from, uint32_t to, struct error *err)
{
    const struct weak *w = t->w;
    uint32_t txn = to;

    TRY(check_memory((void **)&t->step, w->txn_count, sizeof *t->step, 0xff, err));
    TRY(check_memory((void **)&t->highest, w->session_count, sizeof *t->highest, 0, err));
    for (size_t next = 0; t->step[from] == HISTORY_NONE; next++) {
        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
            TRY(see(t, w->read_writer[i], txn, w->read_op[i], err));
        TRY(see_session(t, txn, from, err));
        if (next == t->steps.count)
            break;
        txn = t->steps.at[next].from;
    }
    return STATUS_OK;
}

enum status weak_find_path(const struct weak *w, uint32_t from, uint32_t to, struct weak_path *path,
                           struct error *err)
{
    struct trail t = { .w = w };
    enum status status = trail_search(&t, from, to, err);

    while (status == STATUS_OK && from != to) {
        const struct weak_step *step = &t.steps.at[t.step[from]];

        status = array_push(&path->steps, *step, err);
        from = step->to;
    }
    free(t.step);
    free(t.highest);
    array_close(&t.steps);
    return status;
}

/* --- Orders -------------------------------------------------------------------- */

#define NOT_SEEN 0
#define DONE UINT32_MAX

struct order_frame {
    uint32_t txn, next; /* the edge to look at next */
    uint32_t low;       /* the least number that it is known to lead back to */
};

struct order_search {
    struct weak *w;
    uint32_t *start, *from; /* shown and co edges, by where they lead to */
    uint32_t *number;       /* by transaction: from 1, NOT_SEEN, or DONE */
    struct order_frame *path;
    uint32_t *open; /* all that were seen and have no component yet */
    uint32_t path_count, open_count, seen;
    struct weak_order *order;
};

void weak_order_close(struct weak_order *order)
{
    free(order->txns);
    free(order->component);
    *order = (struct weak_order){ 0 };
}

/* --- Laying out ------------------------------------------------------------------- */

static void count_edges(struct order_search *s, const struct weak_edges *e)
{
    for (size_t i = 0; e && i < e->edges.count; i++)
        if (e->edges.at[i].to != WEAK_INITIAL)
            s->start[e->edges.at[i].to + 2]++;
}

static void put_edges(struct order_search *s, const struct weak_edges *e)
{
    for (size_t i = 0; e && i < e->edges.count; i++)
        if (e->edges.at[i].to != WEAK_INITIAL)
            s->from[s->start[e->edges.at[i].to + 1]++] = e->edges.at[i].from;
}

static enum status lay_out(struct order_search *s, const struct weak_edges *co, struct error *err)
{
    const struct weak *w = s->w;
    size_t count = (size_t)w->txn_count + 2;

    if (w->shown.edges.count + (co ? co->edges.count : 0) >= UINT32_MAX)
        return error_set(err, STATUS_OVER_LIMIT, "a graph of so many edges is too large");
    TRY(check_memory((void **)&s->start, count, sizeof *s->start, 0, err));
    count_edges(s, &w->shown);
    count_edges(s, co);
    array_sum_prefixes(s->start, count);
    TRY(memory_resize((void **)&s->from, s->start[count - 1], sizeof *s->from, err));
    put_edges(s, &w->shown);
    put_edges(s, co);
    return STATUS_OK;
}

/* --- Searching -------------------------------------------------------------------- */

static void enter(struct order_search *s, uint32_t txn)
{
    s->number[txn] = ++s->seen;
    s->path[s->path_count++] = (struct order_frame){ txn, 0, s->seen };
    s->open[s->open_count++] = txn;
}

/* What comes before: reads, then the session, then edges. False: that was all. */
static inline bool next_before(const struct order_search *s, struct order_frame *f, uint32_t *before)
{
    const struct weak *w = s->w;
    uint32_t reads = w->read_start[f->txn + 1] - w->read_start[f->txn], n = f->next++;

    if (n < reads) {
        *before = w->read_writer[w->read_start[f->txn] + n];
        return true;
    }
    n -= reads;
    if (n == 0) {
        *before = weak_previous(w, f->txn);
        return true;
    }
    n += s->start[f->txn] - 1;
    if (n >= s->start[f->txn + 1])
        return false;
    *before = s->from[n];
    return true;
}

static enum status close_component(struct order_search *s, uint32_t txn, struct error *err)
{
    struct weak_order *o = s->order;
    uint32_t last;

    if (s->open[s->open_count - 1] == txn) {
        s->open_count--;
        s->number[txn] = DONE;
        o->txns[o->count++] = txn;
        return STATUS_OK;
    }
    if (!o->component)
        TRY(check_memory((void **)&o->component, s->w->txn_count, sizeof *o->component, 0xff, err));
    do {
        last = s->open[--s->open_count];
        s->number[last] = DONE;
        o->component[last] = o->component_count;
    } while (last != txn);
    o->component_count++;
    return STATUS_OK;
}

static enum status leave(struct order_search *s, struct error *err)
{
    struct order_frame f = s->path[--s->path_count];

    if (f.low == s->number[f.txn])
        return close_component(s, f.txn, err);
    if (f.low < s->path[s->path_count - 1].low)
        s->path[s->path_count - 1].low = f.low;
    return STATUS_OK;
}

static enum status follow(struct order_search *s, uint32_t root, struct error *err)
{
    enter(s, root);
    while (s->path_count > 0) {
        struct order_frame *f = &s->path[s->path_count - 1];
        uint32_t before;

        if (!next_before(s, f, &before))
            TRY(leave(s, err));
        else if (before >= WEAK_OPEN)
            continue;
        else if (s->number[before] == NOT_SEEN)
            enter(s, before);
        else if (s->number[before] < f->low)
            f->low = s->number[before];
    }
    return STATUS_OK;
}

static enum status order_search_run(struct order_search *s, const struct weak_edges *co, struct error *err)
{
    struct weak *w = s->w;
    size_t count = w->txn_count;

    TRY(lay_out(s, co, err));
    TRY(check_memory((void **)&s->number, count, sizeof *s->number, 0, err));
    TRY(memory_resize((void **)&s->path, count, sizeof *s->path, err));
    TRY(memory_resize((void **)&s->open, count, sizeof *s->open, err));
    for (uint32_t txn = 0; txn < w->txn_count; txn++)
        if (w->takes_part[txn] && s->number[txn] == NOT_SEEN)
            TRY(follow(s, txn, err));
    return STATUS_OK;
}

/* --- As they are numbered --------------------------------------------------------- */

static bool go_forward(const struct weak_edges *e)
{
    for (size_t i = 0; e && i < e->edges.count; i++)
        if (e->edges.at[i].to != WEAK_INITIAL && e->edges.at[i].from > e->edges.at[i].to)
            return false;
    return true;
}

bool weak_goes_forward(const struct weak *w, const struct weak_edges *co)
{
    return !check_wants(w->options, CHECK_SLOWLY) && w->reads_go_forward && go_forward(&w->shown) &&
           go_forward(co);
}

enum status weak_find_order(struct weak *w, const struct weak_edges *co, struct weak_order *order,
                            struct error *err)
{
    struct order_search s = { .w = w, .order = order };
    enum status status;

    *order = (struct weak_order){ .is_acyclic = true };
    status = memory_resize((void **)&order->txns, w->txn_count, sizeof *order->txns, err);
    if (status == STATUS_OK && weak_goes_forward(w, co)) {
        for (uint32_t txn = 0; txn < w->txn_count; txn++)
            if (w->takes_part[txn])
                order->txns[order->count++] = txn;
    } else if (status == STATUS_OK) {
        status = order_search_run(&s, co, err);
    }
    order->is_acyclic = order->component_count == 0;
    assert(order->count <= w->txn_count);
    free(s.start);
    free(s.from);
    free(s.number);
    free(s.path);
    free(s.open);
    return status;
}

enum status weak_find_base(struct weak *w, struct error *err)
{
    if (w->base)
        return STATUS_OK;
    TRY(check_memory((void **)&w->base, 1, sizeof *w->base, 0, err));
    return weak_find_order(w, NULL, w->base, err);
}

void weak_judgement_close(struct weak_judgement *j)
{
    array_close(&j->co.edges);
    weak_order_close(&j->order);
}

bool weak_leads_to_initial(const struct weak_edges *e, size_t from)
{
    for (size_t i = from; i < e->edges.count; i++)
        if (e->edges.at[i].to == WEAK_INITIAL)
            return true;
    return false;
}

/* Whether somebody will ask which order it is, and not only whether there is one. */
static bool is_order_wanted(const struct weak *w)
{
    return check_wants(w->options, CHECK_WITNESS) || w->options->level == LEVEL_PREFIX;
}

enum status weak_judge_axiom(struct weak *w, const struct weak_axiom *axiom, struct weak_judgement *j,
                             struct error *err)
{
    *j = (struct weak_judgement){ 0 };
    /* In most histories everything goes forward: then nobody needs those edges that do. */
    j->co.only_backward = weak_goes_forward(w, NULL);
    TRY(axiom->saturate(w, NULL, &j->co, err));
    if (j->co.only_backward && j->co.edges.count > 0) {
        j->co.edges.count = 0;
        j->co.only_backward = false;
        TRY(axiom->saturate(w, NULL, &j->co, err));
    }
    if (weak_is_stopped(w))
        return STATUS_OK;
    j->order.is_acyclic = true;
    if (is_order_wanted(w) || !weak_goes_forward(w, &j->co))
        TRY(weak_find_order(w, &j->co, &j->order, err));
    j->holds = j->order.is_acyclic && !weak_leads_to_initial(&j->co, 0);
    return STATUS_OK;
}
