/*
 * Adds the findings of a history that is wrong: a smallest cycle of each component, and each
 * writer that would have to come before the initial transaction.
 */
#include "checkers/weak/tell_private.h"

#include <assert.h>
#include <stdlib.h>

#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"
#include "checkers/values/suspects.h"
#include "checkers/weak/gather_private.h"
#include "checkers/weak/weak_private.h"

/* --- Smallest cycles ------------------------------------------------------------- */

enum weak_arc_kind { WEAK_PROCESS, WEAK_READ, WEAK_SHOWN, WEAK_CO };

struct weak_arc {
    uint32_t from, to; /* transactions */
    uint32_t op;       /* of all but session order: the read */
    uint8_t kind;      /* enum weak_arc_kind */
};

struct smallest_cycles {
    struct weak *w;
    const uint32_t *component;
    uint32_t count;
    uint32_t *members, *member_start; /* transactions by component, by session, in its order */
    struct weak_arc *arcs;            /* within components, by component and where they begin */
    uint32_t *arc_start;              /* by place among the members, and one more */
    uint32_t *place;                  /* by transaction: among the members */
    uint32_t *first;                  /* by place: the first of its session and component */
    uint64_t patience;
    bool is_plain;

    /* A search: by place, what holds if `date` is that of the search. */
    uint32_t now, *date, *length, *bound_date, *bound, *queue;
    struct weak_arc *back;

    ARRAY(struct weak_arc) cycle; /* what was found; none if nothing was */
};

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

static enum status smallest_cycles_init(struct smallest_cycles *k, struct weak *w,
                                        const struct weak_axiom *axiom,
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

static void smallest_cycles_close(struct smallest_cycles *k)
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

static enum status smallest_cycles_find(struct smallest_cycles *k, uint32_t component, struct error *err)
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

/* --- Wrong reads --------------------------------------------------------------- */

/*
 * Reads that are wrong by themselves, in words and with proof; each begins with the name that
 * Plume has for it.
 */

/* What a fault is called here and there. */
struct name {
    enum anomaly kind;
    const char *of_plume;
    const char *why; /* behind what was read */
    bool has_version;
};

static struct name name_of_suspect(const struct suspect *s)
{
    if (s->repeats)
        return (struct name){ ANOMALY_DUPLICATE_ELEMENTS, "ThinAirRead",
                              ", which has an element twice", false };
    switch (s->suspicion) {
    case SUSPECT_ABORTED:
        return (struct name){ ANOMALY_G1A, "AbortedRead", " wrote and rolled back", true };
    case SUSPECT_LEFT_OUT:
        return (struct name){ ANOMALY_G1A, "AbortedRead",
                              " wrote, and did not commit by the version order", true };
    case SUSPECT_INTERMEDIATE:
        return (struct name){ ANOMALY_G1B, "IntermediateRead", " wrote and then overwrote itself",
                              true };
    case SUSPECT_SELF_LATER:
        return (struct name){ ANOMALY_FUTURE_READ, "FutureRead", ", which it wrote only later",
                              true };
    case SUSPECT_NOBODY:
        return (struct name){ ANOMALY_GARBAGE_READ, "ThinAirRead", ", which nobody wrote", false };
    default:
        return (struct name){ ANOMALY_GARBAGE_READ, "ThinAirRead", ", which no version ever was",
                              false };
    }
}

static bool has_written_value(const struct weak *w, const struct weak_fault *f)
{
    const struct history *h = w->history;

    for (uint32_t op = h->txn_op[f->txn]; op < f->op; op++)
        if (history_makes_version(h, op) && h->op_key[op] == h->op_key[f->op] &&
            values_same(h, history_value(h, op), history_value(h, f->op)))
            return true;
    return false;
}

static enum status name_fault(struct weak *w, struct suspects *suspects, const struct weak_fault *f,
                              struct name *name, struct suspect *suspect, struct error *err)
{
    *suspect = (struct suspect){ .version = VERSION_INITIAL, .txn = HISTORY_NONE };
    switch ((enum weak_fault_kind)f->kind) {
    case WEAK_NO_WRITER:
        TRY(suspects_find(suspects, f->txn, f->op, suspect, err));
        *name = name_of_suspect(suspect);
        break;
    case WEAK_NOT_OWN:
        *name = (struct name){ ANOMALY_INTERNAL,
                               has_written_value(w, f) ? "NotMyLastWrite" : "NotMyOwnWrite",
                               ", which is not what it had written there before", false };
        break;
    case WEAK_NOT_REPEATED:
        *name = (struct name){ ANOMALY_INTERNAL, "NonRepeatableRead",
                               ", and had read something else there before", false };
        break;
    case WEAK_INCOMPATIBLE:
        *name = (struct name){ ANOMALY_INCOMPATIBLE_ORDER, "incompatible-order",
                               ", neither of which is a beginning of the other", false };
        break;
    }
    return STATUS_OK;
}

static void tell_reading(struct buffer *out, const struct history *h, uint32_t txn, uint32_t op)
{
    tell_print(out, h, "%T read %R", txn, op);
}

static void tell_fault(struct buffer *out, const struct history *h, const struct weak_fault *f,
                       const struct name *name, const struct suspect *suspect)
{
    buffer_print(out, "%s: ", name->of_plume);
    tell_reading(out, h, f->txn, f->op);
    if (f->kind == WEAK_INCOMPATIBLE) {
        buffer_text(out, TEXT(", and "));
        tell_reading(out, h, history_txn_of(h, f->other), f->other);
    } else if (name->has_version && suspect->txn != f->txn) {
        tell_print(out, h, ", which %T", suspect->txn);
    }
    buffer_text(out, text_of(name->why));
}

static enum status tell(struct weak *w, struct suspects *suspects, const struct weak_fault *f,
                        struct error *err)
{
    const struct history *h = w->history;
    uint32_t txns[2] = { f->txn, HISTORY_NONE }, ops[2] = { f->op, f->other };
    struct discovery found = { .txns = txns, .txn_count = 1 };
    struct wrong_read read = { .txn = f->txn, .op = f->op, .key = h->op_key[f->op] };
    struct suspect suspect;
    struct name name = { 0 };

    TRY(name_fault(w, suspects, f, &name, &suspect, err));
    found.kind = found.proven = name.kind;
    tell_fault(&found.why, h, f, &name, &suspect);
    if (f->kind == WEAK_INCOMPATIBLE) {
        txns[1] = history_txn_of(h, f->other);
        proof_reads(&found.proof, h, txns, ops);
    } else {
        read.version_is_known = name.has_version;
        read.version = suspect.version;
        txns[1] = name.has_version ? suspect.txn : HISTORY_NONE;
        proof_read(&found.proof, h, &read);
    }
    found.txn_count += txns[1] != HISTORY_NONE && txns[1] != f->txn;
    return check_add(w->check, &found, err);
}

enum status weak_tell_faults(struct weak *w, struct error *err)
{
    struct suspects suspects;
    enum status status = STATUS_OK;

    suspects_init(&suspects, w->history, &w->places);
    for (size_t i = 0; i < w->faults.count && status == STATUS_OK && !check_is_full(w->check); i++)
        status = tell(w, &suspects, &w->faults.at[i], err);
    suspects_close(&suspects);
    return status;
}

/* --- Cycles -------------------------------------------------------------------- */

struct weak_telling {
    struct weak *w;
    const struct weak_axiom *axiom;
    const struct weak_judgement *judgement;
    uint8_t *told;
    uint32_t *named; /* by transaction: the account that it was last named in, from 1 */
    uint32_t account_number;
};

/* --- Telling ---------------------------------------------------------------------- */

/* A proof on its way. */
struct account {
    ARRAY(struct edge) edges;
    ARRAY(struct reason) reasons;
    ARRAY(struct edge) because; /* of all reasons; their pointers are set at the end */
    ARRAY(size_t) because_start;
    ARRAY(uint32_t) txns;
};

static struct edge step_edge(const struct weak *w, uint32_t from, uint32_t to, uint32_t op)
{
    struct edge e = { .kind = EDGE_PROCESS, .from = from, .to = to, .key = HISTORY_NONE };

    if (op == HISTORY_NONE)
        return e;
    e.kind = EDGE_WR;
    e.op = op;
    e.key = w->history->op_key[op];
    e.version = e.other = w->write_op[weak_find_write(w, from, e.key)];
    return e;
}

/* Of a list: an append of each that the list shows one before the other, or lacks. */
static void find_appends(const struct weak *w, struct edge *e)
{
    e->version = w->write_op[weak_find_write(w, e->from, e->key)];
    e->other =
        e->to == WEAK_INITIAL ? VERSION_INITIAL : w->write_op[weak_find_write(w, e->to, e->key)];
}

static enum status account_for_co(struct weak_telling *t, struct account *a,
                                  const struct weak_edge *co, struct error *err)
{
    struct weak_path path = { 0 };
    enum status status = t->axiom->explain(t->w, co, &path, err);

    for (size_t i = 0; i < path.steps.count && status == STATUS_OK; i++) {
        const struct weak_step *s = &path.steps.at[i];

        status = array_push(&a->because, step_edge(t->w, s->from, s->to, s->op), err);
        if (status == STATUS_OK)
            status = array_push(&a->txns, s->from, err);
    }
    array_close(&path.steps);
    return status;
}

static enum status account_for(struct weak_telling *t, struct account *a, struct weak_arc arc,
                               struct error *err)
{
    const struct weak *w = t->w;
    struct edge e = step_edge(w, arc.from, arc.to, arc.kind == WEAK_READ ? arc.op : HISTORY_NONE);
    struct reason reason = { .reader = HISTORY_NONE, .read = arc.op };

    TRY(array_push(&a->because_start, a->because.count, err));
    TRY(array_push(&a->txns, arc.from, err));
    if (arc.kind >= WEAK_SHOWN) {
        e.kind = arc.kind == WEAK_SHOWN ? EDGE_WW : EDGE_CO;
        e.op = arc.op;
        e.key = w->history->op_key[arc.op];
        find_appends(w, &e);
        reason.reader = history_txn_of(w->history, arc.op);
        TRY(array_push(&a->txns, reason.reader, err));
    }
    if (arc.kind == WEAK_CO)
        TRY(account_for_co(t, a, &(struct weak_edge){ arc.from, arc.to, arc.op }, err));
    TRY(array_push(&a->edges, e, err));
    return array_push(&a->reasons, reason, err);
}

static void close_account(struct account *a)
{
    array_close(&a->edges);
    array_close(&a->reasons);
    array_close(&a->because);
    array_close(&a->because_start);
    array_close(&a->txns);
}

static void point_reasons(struct account *a)
{
    for (size_t i = 0; i < a->reasons.count; i++) {
        size_t end = i + 1 < a->reasons.count ? a->because_start.at[i + 1] : a->because.count;

        a->reasons.at[i].because_count = end - a->because_start.at[i];
        a->reasons.at[i].because = a->because.at ? a->because.at + a->because_start.at[i] : NULL;
    }
}

/* Each once, in the order in which they came. */
static void drop_repeats(struct weak_telling *t, struct account *a)
{
    size_t kept = 0;

    t->account_number++;
    for (size_t i = 0; i < a->txns.count; i++) {
        uint32_t *named = &t->named[a->txns.at[i]];

        if (*named != t->account_number)
            a->txns.at[kept++] = a->txns.at[i];
        *named = t->account_number;
    }
    a->txns.count = kept;
}

static enum status add_account(struct weak_telling *t, struct account *a, enum anomaly kind,
                               struct error *err)
{
    const struct history *h = t->w->history;
    struct discovery found = { .kind = kind, .proven = kind };

    point_reasons(a);
    drop_repeats(t, a);
    for (size_t i = 0; i < a->txns.count; i++)
        t->told[a->txns.at[i]] = 1;
    found.txns = a->txns.at;
    found.txn_count = a->txns.count;
    proof_tell_cycle_by(&found.why, h, a->edges.at, a->reasons.at, a->edges.count);
    proof_cycle_by(&found.proof, h, a->edges.at, a->reasons.at, a->edges.count);
    return check_add(t->w->check, &found, err);
}

static enum anomaly name_cycle(const struct weak_telling *t, const struct smallest_cycles *k)
{
    unsigned co = 0, shown = 0;

    for (size_t i = 0; i < k->cycle.count; i++) {
        co += k->cycle.at[i].kind == WEAK_CO;
        shown += k->cycle.at[i].kind == WEAK_SHOWN;
    }
    if (co + shown == 0)
        return ANOMALY_CYCLIC_CO;
    return co == 1 && shown == 0 ? t->axiom->by_order : t->axiom->by_circle;
}

static enum status tell_cycle(struct weak_telling *t, const struct smallest_cycles *k, struct error *err)
{
    struct account a = { 0 };
    enum status status = STATUS_OK;

    for (size_t i = 0; i < k->cycle.count && status == STATUS_OK; i++)
        status = account_for(t, &a, k->cycle.at[i], err);
    if (status == STATUS_OK)
        status = add_account(t, &a, name_cycle(t, k), err);
    close_account(&a);
    return status;
}

static enum status tell_initial(struct weak_telling *t, const struct weak_edge *e, struct error *err)
{
    struct account a = { 0 };
    enum status status = account_for(t, &a, (struct weak_arc){ e->from, WEAK_INITIAL, e->op, WEAK_CO }, err);

    if (status == STATUS_OK)
        status = add_account(t, &a, t->axiom->by_order, err);
    close_account(&a);
    return status;
}

/* --- The whole -------------------------------------------------------------------- */

static bool is_told(const struct weak_telling *t, const struct smallest_cycles *k, uint32_t component)
{
    for (uint32_t n = k->member_start[component]; n < k->member_start[component + 1]; n++)
        if (t->told[k->members[n]])
            return true;
    return false;
}

static enum status tell_components(struct weak_telling *t, struct error *err)
{
    struct smallest_cycles cycles;
    enum status status = smallest_cycles_init(&cycles, t->w, t->axiom, t->judgement, err);

    for (uint32_t n = 0; n < cycles.count && status == STATUS_OK; n++) {
        if (is_told(t, &cycles, n))
            continue;
        if (check_is_full(t->w->check))
            break;
        status = smallest_cycles_find(&cycles, n, err);
        if (status == STATUS_OK && cycles.cycle.count > 0)
            status = tell_cycle(t, &cycles, err);
    }
    smallest_cycles_close(&cycles);
    return status;
}

static enum status tell_all(struct weak_telling *t, struct error *err)
{
    const struct weak_judgement *j = t->judgement;

    TRY(check_memory((void **)&t->named, t->w->txn_count, sizeof *t->named, 0, err));
    for (size_t i = 0; i < j->co.edges.count; i++) {
        const struct weak_edge *e = &j->co.edges.at[i];

        if (e->to != WEAK_INITIAL || t->told[e->from])
            continue;
        if (check_is_full(t->w->check))
            return STATUS_OK;
        TRY(tell_initial(t, e, err));
    }
    return j->order.is_acyclic ? STATUS_OK : tell_components(t, err);
}

enum status weak_tell_cycles(struct weak *w, const struct weak_axiom *axiom,
                             const struct weak_judgement *j, uint8_t *told, struct error *err)
{
    struct weak_telling t = { .w = w, .axiom = axiom, .judgement = j, .told = told };
    enum status status = tell_all(&t, err);

    free(t.named);
    return status;
}
