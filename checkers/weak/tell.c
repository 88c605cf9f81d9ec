/*
 * What is told of a history that is wrong: a smallest cycle of each component, and whatever
 * would have to come before the initial transaction.
 */
#include "checkers/weak/tell_private.h"

#include <stdlib.h>

#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"
#include "checkers/values/suspects.h"
#include "checkers/weak/gather_private.h"
#include "checkers/weak/smallest_cycles_private.h"

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
    tell_txn(out, h, txn);
    buffer_text(out, TEXT(" read "));
    tell_key_value(out, h, h->op_key[op], history_value(h, op));
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
        buffer_text(out, TEXT(", which "));
        tell_txn(out, h, suspect->txn);
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

static enum status account_for_co(struct weak_telling *t, struct account *a, const struct weak_edge *co,
                                  struct error *err)
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
