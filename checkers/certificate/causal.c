/*
 * Checks causal consistency by version orders and version sets, with the axiom of Biswas and Enea
 * (2019): the certificate says who wrote what each operation read, and in which order versions
 * stand.
 *
 *     so      sessions                  wr   whose versions somebody read
 *     before  what so and wr lead from, over any number of steps
 *
 *     order x: T1 T2     T2 --so--> T4 --wr y--> T3 --rw x--> T2      refused: T3 read x of T1,
 *                                                                     and T2 is before T3
 *
 * A statement over a table reads every row of it, those too that do not match or are not
 * there: the version set says which version it saw of each. Then a history is causal if
 *
 *     (order)  so, wr and version orders have no circle: some order of commits contains them; and
 *     (axiom)  nobody read a version of a key before that of one who is before him.
 *
 * Two versions that a session made stand in the order in which it made them, or (order) does not
 * hold. So it is enough to ask, of each read and each session, for the last version of the key
 * that the session made before the reader; and which transactions of a session are before
 * another is a number: how far. That takes the reads times the sessions, and the memory of the
 * reads. An unknown transaction that committed is before nobody in its session, and counts as
 * a session of its own.
 */
#include "checkers/certificate/causal_private.h"

#include <stdlib.h>

#include "base/sort.h"
#include "checkers/certificate/walk_private.h"
#include "checkers/graph/cycles.h"
#include "checkers/graph/graph.h"
#include "checkers/proof/witness.h"

#define EDGES_KEPT_MAX ((size_t)1 << 22)

struct causal_read {
    uint32_t key, number, op; /* what was read, and by which operation */
};

struct certified_causal {
    struct certificate *certificate;
    bool tells;
    bool is_violated;
    ARRAY(struct causal_read) reads;
    uint32_t *read_start; /* by rank, and one more */
    uint32_t rank;        /* up to which reads have been noted */
    uint32_t *noted;      /* by key: the read, plus one, that was noted last */
    uint32_t *before;     /* by rank: the one before it in its session, or HISTORY_NONE */
    uint32_t *chain;      /* by rank: the session, in the sense of the header; */
    uint32_t *place;      /* and the place in it, from 1 */
    uint32_t chain_count;
    uint32_t *order;      /* ranks, so that so, wr and version orders lead forward */
    uint32_t *by_chain;   /* by version number, within its key: numbers by chain and place */
    uint32_t *reach;      /* by rank: how much of the chain at hand is before it, itself included */
    struct graph causes;  /* so and wr, once asked for */
    uint32_t *from;       /* by rank: whence a search came, or HISTORY_NONE */
    uint32_t *queue;
};

/* --- Reads ------------------------------------------------------------------------ */

/* Of one transaction the same version counts once. */
static enum status note_read(void *context, const struct certified_sight *s, struct error *err)
{
    struct certified_causal *a = context;
    struct certificate *c = a->certificate;
    const struct certified_versions *v = &c->versions;
    struct causal_read read = { s->key, s->number, s->op };
    uint32_t last;

    while (a->rank < c->rank[s->txn])
        a->read_start[++a->rank] = (uint32_t)a->reads.count;
    last = a->noted[s->key];
    if (v->start[s->key] == v->start[s->key + 1] ||
        (last > a->read_start[a->rank] && a->reads.at[last - 1].number == s->number))
        return STATUS_OK;
    if (a->reads.count >= UINT32_MAX - 1)
        return error_set(err, STATUS_OVER_LIMIT, "%zu reads of rows are too many",
                         a->reads.count);
    TRY(array_push(&a->reads, read, err));
    a->noted[s->key] = (uint32_t)a->reads.count;
    return STATUS_OK;
}

static enum status gather_reads(struct certified_causal *a, struct error *err)
{
    struct certificate *c = a->certificate;
    struct walk walk = {
        .certificate = c, .context = a, .sight = note_read, .sees_tables = true
    };

    TRY(check_memory((void **)&a->read_start, (size_t)c->places.in_count + 1,
                     sizeof *a->read_start, 0, err));
    TRY(check_memory((void **)&a->noted, c->history->key_count, sizeof *a->noted, 0, err));
    TRY(certificate_walk(&walk, err));
    while (a->rank < c->places.in_count)
        a->read_start[++a->rank] = (uint32_t)a->reads.count;
    return STATUS_OK;
}

/* --- Sessions --------------------------------------------------------------------- */

static enum status find_chains(struct certified_causal *a, struct error *err)
{
    const struct certificate *c = a->certificate;
    const struct history *h = c->history;
    uint32_t count = c->places.in_count, *last = NULL; /* by session: a rank */

    TRY(memory_resize((void **)&a->before, count, sizeof *a->before, err));
    TRY(memory_resize((void **)&a->chain, count, sizeof *a->chain, err));
    TRY(memory_resize((void **)&a->place, count, sizeof *a->place, err));
    TRY(check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count; t++) {
        uint32_t rank, *before = &last[h->txn_session[t]];

        if (!places_is_in(&c->places, t))
            continue;
        rank = c->rank[t];
        a->before[rank] = *before;
        if (h->txn_status[t] != TXN_OK || *before == HISTORY_NONE) {
            a->chain[rank] = a->chain_count++;
            a->place[rank] = 1;
        } else {
            a->chain[rank] = a->chain[*before];
            a->place[rank] = a->place[*before] + 1;
        }
        if (h->txn_status[t] == TXN_OK)
            *before = rank;
    }
    free(last);
    return STATUS_OK;
}

/* --- Edges ------------------------------------------------------------------------ */

typedef enum status hear_edge(struct certified_causal *, const struct edge *, struct error *);

/* So, wr, and with `orders` who wrote the next version; all between ranks, and no edge twice. */
static enum status hear_edges(struct certified_causal *a, bool orders, hear_edge *hear, struct error *err)
{
    const struct certificate *c = a->certificate;
    const struct certified_versions *v = &c->versions;

    for (uint32_t rank = 0; rank < c->places.in_count; rank++) {
        struct edge edge = { .kind = EDGE_PROCESS, .from = a->before[rank], .to = rank };

        if (a->before[rank] != HISTORY_NONE)
            TRY(hear(a, &edge, err));
        for (uint32_t i = a->read_start[rank]; i < a->read_start[rank + 1]; i++) {
            const struct causal_read *read = &a->reads.at[i];

            if (read->number == VERSION_FIRST)
                continue;
            edge = (struct edge){ .kind = EDGE_WR,
                                  .from = v->rank[read->number],
                                  .to = rank,
                                  .op = read->op,
                                  .key = read->key,
                                  .version = v->op[read->number] };
            TRY(hear(a, &edge, err));
        }
    }
    for (uint32_t key = 0; orders && key < c->history->key_count; key++)
        for (uint32_t n = v->start[key] + 1; n < v->start[key + 1]; n++) {
            struct edge edge = { .kind = EDGE_WW,
                                 .from = v->rank[n - 1],
                                 .to = v->rank[n],
                                 .op = v->op[n],
                                 .key = key,
                                 .version = v->op[n - 1],
                                 .other = v->op[n] };

            TRY(hear(a, &edge, err));
        }
    return STATUS_OK;
}

static enum status count_edge(struct certified_causal *a, const struct edge *e, struct error *err)
{
    (void)err;
    graph_count(&a->causes, e->from);
    return STATUS_OK;
}

static enum status add_edge(struct certified_causal *a, const struct edge *e, struct error *err)
{
    (void)err;
    graph_add(&a->causes, e->from, e->to);
    return STATUS_OK;
}

static enum status make_graph(struct certified_causal *a, bool orders, struct error *err)
{
    graph_close(&a->causes);
    TRY(graph_init(&a->causes, a->certificate->places.in_count, err));
    TRY(hear_edges(a, orders, count_edge, err));
    TRY(graph_lay_out(&a->causes, err));
    return hear_edges(a, orders, add_edge, err);
}

/* --- No order --------------------------------------------------------------------- */

struct causal_circles {
    struct certified_causal causal; /* first, so that it is what hears edges */
    const uint32_t *component;
    ARRAY(struct edge) kept;
};

/* Of those within components: as many as memory is good for. */
static enum status keep_edge(struct certified_causal *a, const struct edge *e, struct error *err)
{
    struct causal_circles *k = (struct causal_circles *)(void *)a;
    const uint32_t *ranked = a->certificate->ranked;
    struct edge edge = *e;

    if (k->component[e->from] != k->component[e->to] || k->kept.count >= EDGES_KEPT_MAX)
        return STATUS_OK;
    edge.from = ranked[e->from];
    edge.to = ranked[e->to];
    return array_push(&k->kept, edge, err);
}

/* So, wr and version orders lead in a circle: as at session-read-committed. */
static enum status tell_circles(const struct certified_causal *a, const struct components *components,
                                struct error *err)
{
    struct certificate *c = a->certificate;
    struct causal_circles k = { .causal = *a, .component = components->of_node };
    struct cycles cycles = { 0 };
    struct cycles_teller teller = { c->check, c->history };
    enum status status = hear_edges(&k.causal, true, keep_edge, err);

    if (status == STATUS_OK)
        status = cycles_init(&cycles, (uint32_t)c->history->txn_count, k.kept.at, k.kept.count,
                             err);
    else
        array_close(&k.kept);
    cycles.options = c->options;
    if (status == STATUS_OK)
        status =
            cycles_tell(&cycles, LEVEL_SESSION_READ_COMMITTED, cycles_tell_finding, &teller, err);
    cycles_close(&cycles);
    check_doubt(c->check, "there is a cycle, but the search for a short one ran out of steps");
    return status;
}

/* --- The axiom -------------------------------------------------------------------- */

/* Versions of each key by chain and place: an insertion, as most keys have few, and nearly so. */
static enum status sort_by_chain(struct certified_causal *a, struct error *err)
{
    const struct certified_versions *v = &a->certificate->versions;
    uint64_t *wide = NULL; /* chain, then number, which goes with the place */
    uint32_t key_count = (uint32_t)a->certificate->history->key_count;

    TRY(memory_resize((void **)&a->by_chain, v->count, sizeof *a->by_chain, err));
    TRY(memory_resize((void **)&wide, v->count, sizeof *wide, err));
    for (uint32_t n = 0; n < v->count; n++)
        wide[n] = (uint64_t)a->chain[v->rank[n]] << 32 | n;
    for (uint32_t key = 0; key < key_count; key++) {
        sort_wide(wide + v->start[key], v->start[key + 1] - v->start[key]);
        for (uint32_t n = v->start[key]; n < v->start[key + 1]; n++)
            a->by_chain[n] = (uint32_t)wide[n];
    }
    free(wide);
    return STATUS_OK;
}

/* The last version of the key that the first so many of the chain made, or HISTORY_NONE. */
static uint32_t last_of_chain(const struct certified_causal *a, uint32_t key, uint32_t chain, uint32_t past)
{
    const struct certified_versions *v = &a->certificate->versions;
    uint32_t low = v->start[key], high = v->start[key + 1], found;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2, rank = v->rank[a->by_chain[middle]];

        if (a->chain[rank] < chain || (a->chain[rank] == chain && a->place[rank] <= past))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == v->start[key])
        return HISTORY_NONE;
    found = a->by_chain[low - 1];
    return a->chain[v->rank[found]] == chain ? found : HISTORY_NONE;
}

/* From rank to rank by so and wr: there is a way. The edges, the last one first. */
static enum status find_way(struct certified_causal *a, uint32_t first, uint32_t last, struct error *err)
{
    uint32_t count = a->certificate->places.in_count, head = 0, tail = 0;

    if (!a->from) {
        TRY(make_graph(a, false, err));
        TRY(memory_resize((void **)&a->from, count, sizeof *a->from, err));
        TRY(memory_resize((void **)&a->queue, count, sizeof *a->queue, err));
    }
    for (uint32_t rank = 0; rank < count; rank++)
        a->from[rank] = HISTORY_NONE;
    a->queue[tail++] = first;
    a->from[first] = first;
    while (a->from[last] == HISTORY_NONE) {
        uint32_t rank = a->queue[head++];

        for (uint64_t e = a->causes.start[rank]; e < a->causes.start[rank + 1]; e++) {
            uint32_t to = a->causes.to[e];

            if (a->from[to] != HISTORY_NONE)
                continue;
            a->from[to] = rank;
            a->queue[tail++] = to;
        }
    }
    return STATUS_OK;
}

static struct edge edge_between(const struct certified_causal *a, uint32_t from, uint32_t to)
{
    const struct certificate *c = a->certificate;
    const struct certified_versions *v = &c->versions;
    struct edge edge = { .kind = EDGE_PROCESS, .from = c->ranked[from], .to = c->ranked[to] };

    for (uint32_t i = a->read_start[to]; i < a->read_start[to + 1] && a->before[to] != from; i++) {
        const struct causal_read *read = &a->reads.at[i];

        if (read->number == VERSION_FIRST || v->rank[read->number] != from)
            continue;
        edge.kind = EDGE_WR;
        edge.op = read->op;
        edge.key = read->key;
        edge.version = v->op[read->number];
        break;
    }
    return edge;
}

/* The reader missed a version of one who is before it. */
static enum status tell_missed(struct certified_causal *a, uint32_t reader, const struct causal_read *read,
                               uint32_t missed, struct error *err)
{
    struct certificate *c = a->certificate;
    const struct certified_versions *v = &c->versions;
    struct edge edge = { .kind = EDGE_RW,
                         .from = c->ranked[reader],
                         .to = certificate_writer(c, missed),
                         .op = read->op,
                         .key = read->key,
                         .version = certificate_version_op(c, read->number),
                         .other = v->op[missed] };
    ARRAY(struct edge) cycle = { 0 };
    enum anomaly kind = ANOMALY_G_SINGLE;
    enum status status = array_push(&cycle, edge, err);

    if (status == STATUS_OK)
        status = find_way(a, v->rank[missed], reader, err);
    for (uint32_t rank = reader; rank != v->rank[missed] && status == STATUS_OK;
         rank = a->from[rank])
        status = array_push(&cycle, edge_between(a, a->from[rank], rank), err);
    for (size_t i = 1, j = cycle.count; status == STATUS_OK && i + 1 < j; i++) {
        struct edge swap = cycle.at[i];

        cycle.at[i] = cycle.at[--j];
        cycle.at[j] = swap;
    }
    for (size_t i = 0; i < cycle.count; i++)
        if (cycle.at[i].kind == EDGE_PROCESS)
            kind = ANOMALY_G_SINGLE_PROCESS;
    if (status == STATUS_OK)
        status = cycles_add_finding(c->check, c->history, kind, cycle.at, cycle.count, err);
    array_close(&cycle);
    return status;
}

static uint32_t past_of(const struct certified_causal *a, uint32_t rank)
{
    const struct certified_versions *v = &a->certificate->versions;
    uint32_t past = a->before[rank] == HISTORY_NONE ? 0 : a->reach[a->before[rank]];

    for (uint32_t i = a->read_start[rank]; i < a->read_start[rank + 1]; i++) {
        uint32_t number = a->reads.at[i].number;

        if (number != VERSION_FIRST && a->reach[v->rank[number]] > past)
            past = a->reach[v->rank[number]];
    }
    return past;
}

/* What each reader should not have missed of one chain: one finding for each is enough. */
static enum status check_chain(struct certified_causal *a, uint32_t chain, bool *is_told, struct error *err)
{
    struct certificate *c = a->certificate;

    for (uint32_t i = 0; i < c->places.in_count; i++) {
        uint32_t rank = a->order[i], past = past_of(a, rank);

        a->reach[rank] = a->chain[rank] == chain ? a->place[rank] : past;
        for (uint32_t r = a->read_start[rank];
             past > 0 && !is_told[rank] && r < a->read_start[rank + 1]; r++) {
            const struct causal_read *read = &a->reads.at[r];
            uint32_t last = last_of_chain(a, read->key, chain, past);

            if (last == HISTORY_NONE || (read->number != VERSION_FIRST && last <= read->number))
                continue;
            a->is_violated = is_told[rank] = true;
            if (!a->tells)
                return STATUS_OK;
            if (!check_is_full(c->check))
                TRY(tell_missed(a, rank, read, last, err));
        }
    }
    return STATUS_OK;
}

static enum status check_axiom(struct certified_causal *a, struct error *err)
{
    struct certificate *c = a->certificate;
    uint32_t count = c->places.in_count;
    bool *is_told = NULL; /* by rank */
    enum status status = check_memory((void **)&is_told, count, sizeof *is_told, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&a->reach, count, sizeof *a->reach, err);
    if (status == STATUS_OK)
        status = sort_by_chain(a, err);
    for (uint32_t chain = 0; chain < a->chain_count && status == STATUS_OK; chain++) {
        status = check_chain(a, chain, is_told, err);
        if ((a->is_violated && !a->tells) || !certificate_goes_on(c, "causes", chain))
            break;
    }
    free(is_told);
    return status;
}

/* --- The whole -------------------------------------------------------------------- */

static void close_causal(struct certified_causal *a)
{
    array_close(&a->reads);
    free(a->read_start);
    free(a->noted);
    free(a->before);
    free(a->chain);
    free(a->place);
    free(a->order);
    free(a->by_chain);
    free(a->reach);
    graph_close(&a->causes);
    free(a->from);
    free(a->queue);
}

/* An order in which so, wr and version orders lead forward, unless they lead in a circle. */
static enum status find_order(struct certified_causal *a, struct error *err)
{
    uint32_t count = a->certificate->places.in_count;
    struct components components = { 0 };
    enum status status;

    TRY(make_graph(a, true, err));
    TRY(memory_resize((void **)&a->order, count, sizeof *a->order, err));
    status = graph_find_components(&a->causes, &components, err);
    if (status == STATUS_OK && components.count < count) {
        a->is_violated = true;
        if (a->tells)
            status = tell_circles(a, &components, err);
    }
    for (uint32_t rank = 0; rank < count && status == STATUS_OK && !a->is_violated; rank++)
        a->order[count - 1 - components.of_node[rank]] = rank;
    graph_components_close(&components);
    return status;
}

static enum status tell_order(const struct certified_causal *a, struct error *err)
{
    const struct certificate *c = a->certificate;
    uint32_t count = c->places.in_count, *txns = NULL;

    TRY(memory_resize((void **)&txns, count, sizeof *txns, err));
    for (uint32_t i = 0; i < count; i++)
        txns[i] = c->ranked[a->order[i]];
    witness_order(c->check, c->history, txns, count);
    free(txns);
    return STATUS_OK;
}

static enum status judge_causal(struct certified_causal *a, struct error *err)
{
    struct certificate *c = a->certificate;

    TRY(gather_reads(a, err));
    if (c->is_stopped)
        return STATUS_OK;
    TRY(find_chains(a, err));
    TRY(find_order(a, err));
    if (!a->is_violated)
        TRY(check_axiom(a, err));
    if (a->is_violated)
        certificate_rule_out(c, LEVEL_CAUSAL);
    if (!a->tells)
        return STATUS_OK;
    return c->check->verdict == VERDICT_VALID && check_wants(c->options, CHECK_WITNESS)
               ? tell_order(a, err)
               : STATUS_OK;
}

enum status certificate_check_causal(struct certificate *c, bool tells, struct error *err)
{
    struct certified_causal a = { .certificate = c, .tells = tells };
    enum status status = judge_causal(&a, err);

    close_causal(&a);
    return status;
}
