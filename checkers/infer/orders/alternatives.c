/*
 * Finds out which of two versions comes first where values do not say: it tries both orders.
 *
 *     T1: r x [], append y 1, append z 10    T2: r y [], append x 2, append z 20
 *
 *     10 before 20 of z: T1 before T2, and T2 before T1, as it did not see 1 of y: not at snapshot;
 *     20 before 10: the same the other way round: so snapshot is violated
 *
 * Of each pair of versions that is open both orders are tried: an order that closes a cycle the
 * level forbids is impossible, and so the other one follows, and is a fact for all further pairs;
 * where both are, the level is violated. When nothing more follows, what is left is chosen pair
 * by pair, with a step back where both fail.
 *
 * Only pairs in one component of the whole graph matter, with the completion at hand; for each
 * try all edges within components are gone through, and a budget of steps ends it. Orders of who may
 * not have committed are chosen, but nothing follows from them.
 */
#include "checkers/infer/orders/alternatives_private.h"

#include <stdlib.h>

#include "checkers/infer/models/models.h"
#include "checkers/infer/registers/registers.h"
#include "checkers/proof/tell.h"

#define STEPS_MAX UINT64_C(20000000) /* edges and transactions gone through, of one level */
#define PAIRS_MAX 256

/* Of one key: the first comes before the second; or it is open which does. */
struct pair {
    uint32_t key, first, second; /* numbers */
    bool is_certain;             /* both committed for certain */
    bool is_settled;
};

struct alternatives {
    struct inferred_graph *j;
    enum level level;
    uint64_t steps;
    struct edge *base; /* the edges of the whole graph within components */
    size_t base_count;
    ARRAY(struct pair) pairs, facts;
    ARRAY(struct edge) edges; /* of facts and choices */
};

/* --- Edges -------------------------------------------------------------------------- */

static enum status add_reads(struct alternatives *a, const struct pair *p, struct error *err)
{
    const struct infer *c = a->j->infer;
    const struct registers *r = c->registers;

    if (c->key_kind[p->key] != KEY_REGISTER)
        return STATUS_OK; /* what nobody read has no readers */
    for (uint32_t i = r->reader_start[p->first]; i < r->reader_start[p->first + 1]; i++) {
        const struct register_read *read = &r->by_node[i];
        struct edge edge = { .kind = EDGE_RW,
                             .from = read->txn,
                             .to = c->versions.txn[p->second],
                             .op = read->op,
                             .key = p->key,
                             .version = c->versions.op[p->first],
                             .other = c->versions.op[p->second] };

        if (edge.from != edge.to)
            TRY(array_push(&a->edges, edge, err));
    }
    return STATUS_OK;
}

/* What follows if the first of them comes before the second. */
static enum status add_order(struct alternatives *a, const struct pair *p, struct error *err)
{
    const struct inferred_versions *v = &a->j->infer->versions;
    struct edge edge = { .kind = EDGE_WW,
                         .from = v->txn[p->first],
                         .to = v->txn[p->second],
                         .key = p->key,
                         .version = v->op[p->first],
                         .other = v->op[p->second] };

    TRY(array_push(&a->edges, edge, err));
    return add_reads(a, p, err);
}

static struct pair reversed(struct pair p)
{
    return (struct pair){ p.key, p.second, p.first, p.is_certain, p.is_settled };
}

/* The graph with all that was added: to be closed. */
static enum status draw(struct alternatives *a, struct cycles *cycles, struct error *err)
{
    size_t count = a->base_count + a->edges.count;
    struct edge *edges = NULL;

    TRY(memory_resize((void **)&edges, count, sizeof *edges, err));
    for (size_t i = 0; i < count; i++)
        edges[i] = i < a->base_count ? a->base[i] : a->edges.at[i - a->base_count];
    TRY(cycles_init(cycles, (uint32_t)a->j->infer->history->txn_count, edges, count, err));
    cycles->options = a->j->infer->options;
    return STATUS_OK;
}

static bool spend(struct alternatives *a)
{
    const struct infer *c = a->j->infer;
    uint64_t steps = a->base_count + a->edges.count + c->history->txn_count + c->history->key_count;

    if (a->steps < steps || check_is_stopped(c->options))
        return false;
    a->steps -= steps;
    return true;
}

/* Whether the level forbids a cycle that the order closes, with all that was added before. */
static enum status is_impossible(struct alternatives *a, const struct pair *p, bool *is_it,
                                 struct error *err)
{
    size_t before = a->edges.count;
    uint64_t violated = 0, undecided = 0, level = LEVEL_BIT(a->level);
    struct cycles cycles = { 0 };
    enum status status;

    *is_it = false;
    if (!spend(a))
        return STATUS_OK;
    TRY(add_order(a, p, err));
    status = draw(a, &cycles, err);
    if (status == STATUS_OK && (INFER_GRAPH_LEVELS & level))
        status = cycles_violate(&cycles, a->level, is_it, err);
    else if (status == STATUS_OK)
        status = infer_decide_models(a->j->infer, &cycles, level, &violated, &undecided, err);
    *is_it |= violated & level;
    if (undecided & level)
        a->steps = 0;
    cycles_close(&cycles);
    a->edges.count = before;
    return status;
}

/* --- Pairs -------------------------------------------------------------------------- */

static enum status gather_key(struct alternatives *a, uint32_t key, bool *is_much, struct error *err)
{
    const struct infer *c = a->j->infer;
    const struct inferred_versions *v = &c->versions;
    const uint32_t *of_node = a->j->graph.components.of_node;

    for (uint32_t n = v->start[key]; n < v->start[key + 1] && !*is_much; n++) {
        if (!infer_is_open(c, key, n))
            continue;
        for (uint32_t m = n + 1; m < v->start[key + 1] && !*is_much; m++) {
            struct pair p = { key, n, m, false, false };

            if (of_node[v->txn[n]] != of_node[v->txn[m]] || v->txn[n] == v->txn[m] ||
                !infer_is_open(c, key, m))
                continue;
            p.is_certain = infer_is_committed(c, v->txn[n]) && infer_is_committed(c, v->txn[m]);
            *is_much = a->pairs.count == PAIRS_MAX;
            TRY(array_push(&a->pairs, p, err));
        }
    }
    return STATUS_OK;
}

/* Those nodes alone in their components are in no cycle. */
static enum status count_nodes(const struct inferred_graph *j, uint32_t **sizes, struct error *err)
{
    TRY(check_memory((void **)sizes, j->graph.components.count, sizeof **sizes, 0, err));
    for (uint32_t n = 0; n < j->graph.graph.node_count; n++)
        (*sizes)[j->graph.components.of_node[n]]++;
    return STATUS_OK;
}

/* Where a version is in a cycle, those beside it may be, if they stand the other way round. */
static enum status turn_round(struct alternatives *a, const uint32_t *sizes, struct error *err)
{
    const struct infer *c = a->j->infer;
    const struct inferred_versions *v = &c->versions;
    const uint32_t *of_node = a->j->graph.components.of_node;

    for (uint32_t key = 0; key < c->history->key_count; key++) {
        bool is_in_cycle = false;

        for (uint32_t n = v->start[key]; n < v->start[key + 1] && !is_in_cycle; n++)
            is_in_cycle = sizes[of_node[v->txn[n]]] > 1;
        for (uint32_t n = v->start[key]; n < v->start[key + 1] && is_in_cycle; n++) {
            struct edge edge = { .kind = EDGE_WW, .key = key, .to = v->txn[n] };

            if (c->next[n] == INFER_NOTHING)
                continue;
            edge.from = v->txn[c->next[n]];
            TRY(array_push(&a->edges, edge, err));
        }
    }
    return STATUS_OK;
}

static enum status find_components(struct alternatives *a, bool is_wide, struct error *err)
{
    struct inferred_graph *j = a->j;
    uint32_t *sizes = NULL;
    enum status status;

    TRY(infer_find_components(j, ALL_KINDS, ALL_KINDS, false, err));
    if (!is_wide || j->infer->is_stopped)
        return STATUS_OK;
    status = count_nodes(j, &sizes, err);
    if (status == STATUS_OK)
        status = turn_round(a, sizes, err);
    free(sizes);
    j->chosen = a->edges.at;
    j->chosen_count = a->edges.count;
    if (status == STATUS_OK)
        status = infer_find_components(j, ALL_KINDS, ALL_KINDS, false, err);
    j->chosen = NULL;
    j->chosen_count = a->edges.count = 0;
    return status;
}

/*
 * The pairs of one component with the completion at hand, and where it is wide, whatever that may
 * become; and the edges of the graph without it.
 */
static enum status gather(struct alternatives *a, bool is_wide, bool *is_much, struct error *err)
{
    struct inferred_graph *j = a->j;
    const struct infer *c = j->infer;
    enum status status;

    j->hears_completion = true;
    status = find_components(a, is_wide, err);
    j->hears_completion = false;
    TRY(status);
    a->pairs.count = 0;
    *is_much = c->is_stopped;
    for (uint32_t key = 0; key < c->history->key_count && !*is_much; key++)
        if (c->versions.start[key + 1] - c->versions.start[key] > 1)
            TRY(gather_key(a, key, is_much, err));
    if (*is_much)
        return STATUS_OK;
    TRY(infer_keep_cyclic(j, (uint32_t)c->history->txn_count, err));
    *is_much = j->graph.is_too_large || c->is_stopped;
    free(a->base);
    a->base = j->graph.kept.at;
    a->base_count = j->graph.kept.count;
    j->graph.kept.at = NULL;
    j->graph.kept.count = j->graph.kept.room = 0;
    return STATUS_OK;
}

/* --- What follows ------------------------------------------------------------------- */

/* The pair gets its order, if there is but one; false: there is none. */
static enum status settle(struct alternatives *a, struct pair *p, bool *is_possible,
                          struct error *err)
{
    struct pair other = reversed(*p), fact;
    bool one = false, two = false;

    TRY(is_impossible(a, p, &one, err));
    TRY(is_impossible(a, &other, &two, err));
    p->is_settled = one || two;
    if (!p->is_settled)
        return STATUS_OK;
    *is_possible = !(one && two);
    fact = one ? other : *p;
    TRY(array_push(&a->facts, fact, err));
    return add_order(a, &fact, err);
}

static enum status settle_all(struct alternatives *a, bool *is_possible, struct error *err)
{
    size_t before;

    do {
        before = a->facts.count;
        for (size_t i = 0; i < a->pairs.count && *is_possible; i++)
            if (a->pairs.at[i].is_certain && !a->pairs.at[i].is_settled)
                TRY(settle(a, &a->pairs.at[i], is_possible, err));
    } while (a->facts.count > before && *is_possible && a->steps > 0);
    return STATUS_OK;
}

/* --- Choices ------------------------------------------------------------------------ */

/* A pair that was chosen, or turned round. */
struct version_choice {
    size_t edge_count; /* before it */
    bool is_turned;
};

/* Chooses orders of all that is open, pair by pair. */
static enum status choose(struct alternatives *a, struct version_choice *choices, bool *is_found,
                          struct error *err)
{
    size_t i = 0;
    bool goes_back = false;

    while (i < a->pairs.count) {
        struct version_choice *choice = &choices[i];
        struct pair pair = a->pairs.at[i];
        bool is_it = false;

        if (pair.is_settled && !goes_back) {
            choice->is_turned = true;
            choice->edge_count = a->edges.count;
            i++;
            continue;
        }
        if (goes_back) {
            a->edges.count = choice->edge_count;
            if (choice->is_turned) {
                if (i-- == 0)
                    return STATUS_OK;
                continue;
            }
        }
        choice->is_turned = goes_back;
        choice->edge_count = a->edges.count;
        goes_back = false;
        if (choice->is_turned)
            pair = reversed(pair);
        TRY(is_impossible(a, &pair, &is_it, err));
        if (a->steps == 0 || !spend(a))
            return STATUS_OK;
        if (is_it) {
            goes_back = true;
            continue;
        }
        TRY(add_order(a, &pair, err));
        i++;
    }
    *is_found = true;
    return STATUS_OK;
}

/* The level's graph with what was chosen, and its order. */
static enum status show_chosen(struct alternatives *a, struct error *err)
{
    struct inferred_graph *j = a->j;
    enum status status;

    j->chosen = a->edges.at;
    j->chosen_count = a->edges.count;
    status = infer_show_level(j, a->level, err);
    j->chosen = NULL;
    j->chosen_count = 0;
    return status;
}

static enum status try_choices(struct alternatives *a, struct error *err)
{
    struct version_choice *choices = NULL;
    bool is_found = false;
    enum status status;

    TRY(memory_resize((void **)&choices, a->pairs.count, sizeof *choices, err));
    status = choose(a, choices, &is_found, err);
    if (status == STATUS_OK && is_found)
        status = show_chosen(a, err);
    free(choices);
    return status;
}

/* --- Telling ------------------------------------------------------------------------ */

typedef ARRAY(struct edge) edge_array;

struct told {
    enum anomaly kind;
    edge_array cycle;
};

static enum status take_cycle(void *context, const struct found_cycle *found, bool *goes_on,
                              struct error *err)
{
    struct told *told = context;

    *goes_on = false;
    told->kind = found->kind;
    told->cycle.count = 0;
    for (size_t i = 0; i < found->edges.count; i++)
        TRY(array_push(&told->cycle, found->edges.at[i], err));
    return STATUS_OK;
}

/* A cycle of what is there now; empty if none is found within the steps. */
static enum status find_cycle(struct alternatives *a, struct told *told, struct error *err)
{
    struct infer *c = a->j->infer;
    struct cycles cycles = { 0 };
    struct models models = { 0 };
    bool is_spent;
    enum status status = draw(a, &cycles, err);

    if (status == STATUS_OK && (INFER_GRAPH_LEVELS & LEVEL_BIT(a->level)))
        status = cycles_tell(&cycles, a->level, take_cycle, told, err);
    else if (status == STATUS_OK)
        status = infer_open_models(c, &cycles, &models, err);
    if (status == STATUS_OK && models.history)
        status = models_tell(&models, a->level, take_cycle, told, &is_spent, err);
    models_close(&models);
    cycles_close(&cycles);
    return status;
}

static bool is_in_base(const struct alternatives *a, const struct edge *e)
{
    for (size_t i = 0; i < a->base_count; i++) {
        const struct edge *b = &a->base[i];

        if ((cycles_sources(a->level) >> b->by & 1) && b->kind == e->kind &&
            b->from == e->from && b->to == e->to && b->key == e->key &&
            b->version == e->version && b->other == e->other)
            return true;
    }
    return false;
}

/* The first so many facts that a cycle stands on; where an edge is of several versions, all of its key. */
static void mark_facts(const struct alternatives *a, const struct told *told, size_t count,
                       bool *is_needed)
{
    const uint32_t *op = a->j->infer->versions.op;

    for (size_t i = 0; i < told->cycle.count; i++) {
        const struct edge *e = &told->cycle.at[i];
        bool is_fact = false;

        if ((e->kind != EDGE_WW && e->kind != EDGE_RW) || is_in_base(a, e))
            continue;
        for (int exactly = 1; exactly >= 0 && !is_fact; exactly--)
            for (size_t k = 0; k < count; k++) {
                const struct pair *f = &a->facts.at[k];

                if (f->key != e->key ||
                    (exactly && (op[f->first] != e->version || op[f->second] != e->other)))
                    continue;
                is_needed[k] = is_fact = true;
            }
    }
}

/* The cycle that the fact the other way round closes, with those before it. */
static enum status find_reason(struct alternatives *a, size_t fact, struct told *told,
                               struct error *err)
{
    struct pair other = reversed(a->facts.at[fact]);

    a->edges.count = 0;
    for (size_t i = 0; i < fact; i++)
        TRY(add_order(a, &a->facts.at[i], err));
    TRY(add_order(a, &other, err));
    return find_cycle(a, told, err);
}

/* G0 to G2, each weaker than the one before; and closed by more. */
static enum anomaly weaker_kind(enum anomaly a, enum anomaly b)
{
    static const enum anomaly bare[] = { ANOMALY_G0,       ANOMALY_G1C,
                                         ANOMALY_G_SINGLE, ANOMALY_G_NONADJACENT,
                                         ANOMALY_G2_ITEM,  ANOMALY_G2 };
    size_t kind = 0;
    int closing = CLOSING_DATA;

    for (size_t i = 0; i < ROW_COUNT(bare); i++)
        for (int by = CLOSING_DATA; by <= CLOSING_TIME; by++) {
            enum anomaly this = anomaly_of_cycle(bare[i], (enum cycle_closing)by);

            if (this != a && this != b)
                continue;
            kind = i > kind ? i : kind;
            closing = by > closing ? by : closing;
        }
    return anomaly_of_cycle(bare[kind], (enum cycle_closing)closing);
}

struct alternative_telling {
    struct alternatives *a;
    struct told final;
    struct told *reasons; /* by fact */
    bool *is_needed;
    enum anomaly kind;
    ARRAY(uint32_t) txns;
    bool is_whole;
};

static enum status take_txns(struct alternative_telling *t, const struct told *told, struct error *err)
{
    for (size_t i = 0; i < told->cycle.count; i++) {
        bool is_there = false;

        for (size_t k = 0; k < t->txns.count && !is_there; k++)
            is_there = t->txns.at[k] == told->cycle.at[i].from;
        if (!is_there)
            TRY(array_push(&t->txns, told->cycle.at[i].from, err));
    }
    return STATUS_OK;
}

static enum status find_all(struct alternative_telling *t, struct error *err)
{
    struct alternatives *a = t->a;

    a->edges.count = 0;
    for (size_t i = 0; i < a->facts.count; i++)
        TRY(add_order(a, &a->facts.at[i], err));
    TRY(find_cycle(a, &t->final, err));
    t->is_whole = t->final.cycle.count > 0;
    t->kind = t->final.kind;
    mark_facts(a, &t->final, a->facts.count, t->is_needed);
    TRY(take_txns(t, &t->final, err));
    for (size_t i = a->facts.count; i-- > 0 && t->is_whole;) {
        if (!t->is_needed[i])
            continue;
        TRY(find_reason(a, i, &t->reasons[i], err));
        t->is_whole = t->reasons[i].cycle.count > 0;
        if (!t->is_whole)
            break;
        t->kind = weaker_kind(t->kind, t->reasons[i].kind);
        mark_facts(a, &t->reasons[i], i, t->is_needed);
        TRY(take_txns(t, &t->reasons[i], err));
    }
    return STATUS_OK;
}

static void tell_fact(const struct alternative_telling *t, size_t fact, struct buffer *why)
{
    const struct infer *c = t->a->j->infer;
    const struct inferred_versions *v = &c->versions;
    const struct pair *f = &t->a->facts.at[fact];

    tell_print(why, c->history, "%T's %W comes before %T's %W: otherwise ", v->txn[f->first],
               v->op[f->first], v->txn[f->second], v->op[f->second]);
    proof_tell_cycle(why, c->history, t->reasons[fact].cycle.at, t->reasons[fact].cycle.count);
    buffer_text(why, TEXT(". "));
}

static enum status tell_all(struct alternative_telling *t, struct error *err)
{
    struct infer *c = t->a->j->infer;
    const struct inferred_versions *v = &c->versions;
    struct buffer why = { 0 }, proof = { 0 };
    bool is_first = true;

    buffer_text(&proof, TEXT("\"orders\":["));
    for (size_t i = 0; i < t->a->facts.count; i++) {
        const struct pair *f = &t->a->facts.at[i];

        if (!t->is_needed[i])
            continue;
        tell_fact(t, i, &why);
        buffer_text(&proof, is_first ? TEXT("") : TEXT(","));
        proof_order(&proof, c->history,
                    &(struct version_order){ f->key, v->op[f->first], v->op[f->second] },
                    t->reasons[i].cycle.at, t->reasons[i].cycle.count);
        is_first = false;
    }
    buffer_text(&proof, TEXT("],"));
    proof_tell_cycle(&why, c->history, t->final.cycle.at, t->final.cycle.count);
    proof_cycle(&proof, c->history, t->final.cycle.at, t->final.cycle.count);
    return check_tell(c->check,
                      (struct discovery){ .kind = t->kind, .txns = t->txns.at,
                                          .txn_count = t->txns.count, .why = why, .proof = proof },
                      err);
}

/* Both orders of some pair are impossible; the last fact is one of them. */
static enum status tell(struct alternatives *a, struct error *err)
{
    struct alternative_telling t = { .a = a };
    enum status status = check_memory((void **)&t.reasons, a->facts.count, sizeof *t.reasons, 0, err);

    if (status == STATUS_OK)
        status = check_memory((void **)&t.is_needed, a->facts.count, sizeof *t.is_needed, 0, err);
    if (status == STATUS_OK)
        status = find_all(&t, err);
    if (status == STATUS_OK && t.is_whole && !check_is_full(a->j->infer->check))
        status = tell_all(&t, err);
    else if (status == STATUS_OK)
        check_doubt(a->j->infer->check, "both orders of two versions close a cycle, but the search "
                                        "for short ones ran out of steps");
    for (size_t i = 0; t.reasons && i < a->facts.count; i++)
        array_close(&t.reasons[i].cycle);
    array_close(&t.final.cycle);
    array_close(&t.txns);
    free(t.reasons);
    free(t.is_needed);
    return status;
}

/* --- The whole ---------------------------------------------------------------------- */

static enum status try_all(struct alternatives *a, struct error *err)
{
    struct infer *c = a->j->infer;
    bool is_much = false, is_possible = true;

    TRY(gather(a, true, &is_much, err));
    if (is_much && !c->is_stopped)
        TRY(gather(a, false, &is_much, err));
    if (is_much || a->pairs.count == 0)
        return STATUS_OK;
    TRY(settle_all(a, &is_possible, err));
    if (is_possible)
        return try_choices(a, err);
    infer_rule_out(c, a->level);
    return a->level == c->options->level ? tell(a, err) : STATUS_OK;
}

enum status infer_try_alternatives(struct inferred_graph *j, enum level level, struct error *err)
{
    struct alternatives a = { .j = j, .level = level, .steps = STEPS_MAX };
    enum status status = try_all(&a, err);

    free(a.base);
    array_close(&a.pairs);
    array_close(&a.facts);
    array_close(&a.edges);
    return status;
}
