/*
 * Draws the edges that lists imply.
 *
 *     chained      1 -> 2 -> 3          ww from each to the next
 *     behind it    4, 5, 6              ww from 3 to each
 *     read [1 2]                        wr from 2, rw to 3
 *     read [1 2 3]                      wr from 3, rw to 4, 5 and 6
 *
 * Where many read all that is chained, and many stand behind it, hubs keep the edges
 * few: P leads to all that stand before a place, S to all from it on. A reader
 * that appended 5 itself goes to P(5) and S(6), and so not to itself.
 *
 *     P(5)        P(6)       P(end)           S(4)       S(5)       S(6)
 *      |   <------  |  <------ |               |  ------> |  ------> |
 *      4            5          6               4          5          6
 */
#include "checkers/infer/lists/lists_edges.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "checkers/infer/lists/lists_private.h"

#define FEW 8 /* readers or writers for which no hubs are made */

/* The versions of a key behind the chain. */
struct behind {
    uint32_t start, end;
};

static struct behind behind_of(const struct infer *c, uint32_t key)
{
    const struct inferred_versions *v = &c->versions;

    return (struct behind){ v->start[key] + v->chained[key], v->start[key + 1] };
}

static bool shows_order(const struct infer *c, uint32_t key)
{
    return c->key_kind[key] == KEY_LIST && !(c->lists->flags[key] & LIST_INCOMPATIBLE);
}

/* The next number from this one on whose transaction counts; the chain's end is one itself. */
static uint32_t next_in(const struct infer *c, uint32_t number)
{
    return c->lists->next ? c->lists->next[number] : number;
}

/* Of a number behind the chain. */
static bool has_place(const struct infer *c, uint32_t number)
{
    return infer_is_in(c, c->versions.txn[number]) &&
           !(c->lists->is_skipped && c->lists->is_skipped[number]);
}

/* --- Plans -------------------------------------------------------------------------- */

static enum status plan_next(struct infer *c, struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    uint32_t *next;

    TRY(memory_resize((void **)&c->lists->next, (size_t)v->count + 1, sizeof *c->lists->next, err));
    next = c->lists->next;
    next[v->count] = v->count;
    for (uint32_t key = (uint32_t)c->history->key_count; key-- > 0;) {
        struct behind behind = behind_of(c, key);

        for (uint32_t n = behind.end; n-- > v->start[key];)
            next[n] = n >= behind.start || infer_is_in(c, v->txn[n])  ? n
                      : n + 1 == behind.start ? behind.start
                                              : next[n + 1];
    }
    return STATUS_OK;
}

static enum status plan_hubs(struct infer *c, struct error *err)
{
    struct lists *l = c->lists;

    for (uint32_t key = 0; key < c->history->key_count; key++) {
        struct behind behind = behind_of(c, key);
        uint64_t writers = behind.end - behind.start;
        uint64_t readers = l->tail_readers[key] + (l->flags[key] ? FEW : 0);

        if (!shows_order(c, key) || writers <= FEW || readers <= FEW)
            continue;
        if (!l->hub)
            TRY(check_memory((void **)&l->hub, c->history->key_count, sizeof *l->hub, 0xff, err));
        l->hub[key] = infer_add_hub(c);
        for (uint64_t i = 1; i < 2 * writers; i++)
            (void)infer_add_hub(c);
    }
    return STATUS_OK;
}

enum status infer_plan_lists(struct infer *c, struct error *err)
{
    bool has_defects = false;

    if (!c->lists)
        return STATUS_OK;
    for (uint32_t key = 0; key < c->history->key_count; key++)
        has_defects |= c->lists->flags[key] & LIST_DEFECTIVE;
    if (has_defects)
        TRY(plan_next(c, err));
    return plan_hubs(c, err);
}

/* --- Hubs --------------------------------------------------------------------------- */

/* P of a number behind the chain: of all before it. None before the second. */
static uint32_t before_hub(const struct infer *c, uint32_t key, struct behind b, uint32_t number)
{
    return infer_hub_node(c, c->lists->hub[key] + (number - b.start) - 1);
}

static uint32_t from_hub(const struct infer *c, uint32_t key, struct behind b, uint32_t number)
{
    return infer_hub_node(c, c->lists->hub[key] + (b.end - b.start) + (number - b.start));
}

static enum status hear_hubs(struct infer *c, struct level_graph *s, uint32_t key,
                             struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    struct behind b = behind_of(c, key);
    struct edge edge = { .kind = EDGE_RW, .key = key };

    for (uint32_t n = b.start; n < b.end; n++) {
        uint32_t hubs[] = { before_hub(c, key, b, n + 1), from_hub(c, key, b, n) };

        for (int i = 0; i < 2; i++) {
            edge.from = hubs[i];
            edge.to = v->txn[n];
            edge.other = v->op[n];
            if (has_place(c, n))
                TRY(level_graph_hear(s, &edge, err));
        }
        edge.from = hubs[0];
        edge.to = n > b.start ? before_hub(c, key, b, n) : 0;
        if (n > b.start)
            TRY(level_graph_hear(s, &edge, err));
        edge.from = hubs[1];
        edge.to = n + 1 < b.end ? from_hub(c, key, b, n + 1) : 0;
        if (n + 1 < b.end)
            TRY(level_graph_hear(s, &edge, err));
    }
    return STATUS_OK;
}

/* The reader's own numbers behind the chain: they stand together. */
static struct behind own_of(const struct infer *c, struct behind b, uint32_t txn)
{
    const struct inferred_versions *v = &c->versions;
    struct behind own;

    BISECT(own.start, b.start, b.end, v->txn[own.start] < txn);
    BISECT(own.end, own.start, b.end, v->txn[own.end] <= txn);
    return own;
}

static enum status hear_through_hubs(struct infer *c, struct level_graph *s, struct edge *edge,
                                     struct error *err)
{
    struct behind b = behind_of(c, edge->key), own = own_of(c, b, edge->from);

    if (own.start == own.end)
        own.start = own.end = b.end;
    if (own.start > b.start) {
        edge->to = before_hub(c, edge->key, b, own.start);
        TRY(level_graph_hear(s, edge, err));
    }
    if (own.end == b.end)
        return STATUS_OK;
    edge->to = from_hub(c, edge->key, b, own.end);
    return level_graph_hear(s, edge, err);
}

/* --- Edges -------------------------------------------------------------------------- */

static enum status hear_order(struct infer *c, struct level_graph *s, uint32_t key,
                              struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    struct behind b = behind_of(c, key);
    uint32_t last = HISTORY_NONE; /* the one before that counts */
    struct edge edge = { .kind = EDGE_WW, .key = key };

    for (uint32_t n = v->start[key]; n < b.end; n++) {
        if (n < b.start ? !infer_is_in(c, v->txn[n]) : !has_place(c, n))
            continue;
        /* What a transaction appended in a row is one step. */
        while (n + 1 < b.end && v->txn[n + 1] == v->txn[n] && n + 1 != b.start && has_place(c, n + 1))
            n++;
        if (last != HISTORY_NONE && v->txn[last] != v->txn[n]) {
            edge.from = v->txn[last];
            edge.to = v->txn[n];
            edge.version = v->op[last];
            edge.other = v->op[n];
            TRY(level_graph_hear(s, &edge, err));
        }
        if (n < b.start)
            last = n;
    }
    return STATUS_OK;
}

/* The reader's edge to what comes behind the number that it read. */
static enum status hear_anti(struct infer *c, struct level_graph *s, struct edge *edge,
                             uint32_t number, struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    struct behind b = behind_of(c, edge->key);
    uint32_t next = number == INFER_INITIAL ? v->start[edge->key] : number + 1;

    edge->kind = EDGE_RW;
    if (next < b.start)
        next = next_in(c, next);
    if (next < b.start) {
        edge->to = v->txn[next];
        edge->other = v->op[next];
        /* What comes behind its own version, the order of versions says already. */
        return edge->to == edge->from ? STATUS_OK : level_graph_hear(s, edge, err);
    }
    if (c->lists->hub && c->lists->hub[edge->key] != HISTORY_NONE)
        return hear_through_hubs(c, s, edge, err);
    for (uint32_t n = b.start; n < b.end; n++) {
        edge->to = v->txn[n];
        edge->other = v->op[n];
        if (edge->to != edge->from && has_place(c, n))
            TRY(level_graph_hear(s, edge, err));
    }
    return STATUS_OK;
}

static enum status hear_read(struct infer *c, struct level_graph *s, uint32_t txn, uint32_t op,
                             struct error *err)
{
    const struct inferred_versions *v = &c->versions;
    uint32_t number = c->read_number[op];
    struct edge edge = { .kind = EDGE_WR,
                         .to = txn,
                         .op = op,
                         .key = c->history->op_key[op],
                         .version = VERSION_INITIAL };

    if (number != INFER_INITIAL) {
        edge.from = v->txn[number];
        edge.version = v->op[number];
        if (edge.from != txn && infer_is_in(c, edge.from))
            TRY(level_graph_hear(s, &edge, err));
    }
    if (!level_graph_hears(s, EDGE_RW) || !shows_order(c, edge.key))
        return STATUS_OK;
    edge.from = txn;
    return hear_anti(c, s, &edge, number, err);
}

static enum status hear_txn(struct infer *c, struct level_graph *s, uint32_t txn, struct error *err)
{
    const struct history *h = c->history;

    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++)
        if (c->read_number[op] != INFER_NOTHING && c->key_kind[h->op_key[op]] == KEY_LIST)
            TRY(hear_read(c, s, txn, op, err));
    return STATUS_OK;
}

enum status infer_hear_lists(struct infer *c, struct level_graph *s, struct error *err)
{
    const struct history *h = c->history;

    if (!c->lists)
        return STATUS_OK;
    for (uint32_t key = 0; key < h->key_count; key++) {
        if (!shows_order(c, key))
            continue;
        if (level_graph_hears(s, EDGE_WW))
            TRY(hear_order(c, s, key, err));
        if (level_graph_hears(s, EDGE_RW) && c->lists->hub && c->lists->hub[key] != HISTORY_NONE)
            TRY(hear_hubs(c, s, key, err));
    }
    for (uint32_t t = 0; t < h->txn_count && (level_graph_hears(s, EDGE_WR) || level_graph_hears(s, EDGE_RW));
         t++) {
        TRY(hear_txn(c, s, t, err));
        if (t % INFER_STEP == 0 && !infer_goes_on(c, "cycles", t))
            return STATUS_OK;
    }
    return STATUS_OK;
}

bool infer_is_behind_list(const struct infer *c, uint32_t key, uint32_t number)
{
    const struct inferred_versions *v = &c->versions;
    struct behind b = behind_of(c, key);

    if (!shows_order(c, key) || number < b.start || !has_place(c, number))
        return false;
    for (uint32_t n = number + 1; n < b.end && v->txn[n] == v->txn[number]; n++)
        if (has_place(c, n))
            return false; /* its transaction appended more */
    return true;
}
