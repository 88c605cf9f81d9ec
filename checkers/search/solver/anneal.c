#include "checkers/search/solver/anneal_private.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "checkers/check_private.h"
#include "checkers/search/solver/search_index_private.h"

struct anneal_pair {
    uint32_t one, other; /* chains */
};

struct anneal_pairs { /* as in ARRAY() */
    struct anneal_pair *at;
    size_t count, room;
};

/* --- Pairs --------------------------------------------------------------------- */

/*
 * Which chains may overlap: those between which a variable decides.
 *
 * A variable is not told whose order it stands for, but its edges lead to the heads of two
 * chains, those of the one polarity to one head and those of the other to the other:
 * what chains of a common key begin there is at stake. A pair too many does no harm, and
 * one too few is found by whoever learns clauses afterwards.
 */

/* Nodes to the chains that begin with them, in rising order. */
struct variable_heads {
    uint32_t *start, *chains;
};

static void count_head(struct variable_heads *heads, uint32_t node)
{
    if (node != SEARCH_NONE)
        heads->start[node + 2]++;
}

static void add_head(struct variable_heads *heads, uint32_t node, uint32_t chain)
{
    if (node != SEARCH_NONE)
        heads->chains[heads->start[node + 1]++] = chain;
}

static enum status index_heads(const struct search_problem *p, struct variable_heads *heads,
                               struct error *err)
{
    size_t n = p->node_count;

    TRY(check_memory((void **)&heads->start, n + 3, sizeof *heads->start, 0, err));
    for (uint32_t c = 0; c < p->chain_count; c++) {
        count_head(heads, p->chains[c].head);
        if (p->chains[c].first != p->chains[c].head)
            count_head(heads, p->chains[c].first);
    }
    array_sum_prefixes(heads->start, n + 3);
    TRY(memory_resize((void **)&heads->chains, (size_t)heads->start[n + 2] + 1,
                      sizeof *heads->chains, err));
    for (uint32_t c = 0; c < p->chain_count; c++) {
        add_head(heads, p->chains[c].head, c);
        if (p->chains[c].first != p->chains[c].head)
            add_head(heads, p->chains[c].first, c);
    }
    return STATUS_OK;
}

/* The node to which the literal's first edge leads. */
static uint32_t target_of(const struct search_index *x, uint32_t literal)
{
    uint32_t start = x->guarded_start[literal];

    return start < x->guarded_start[literal + 1] ? x->problem->edges[x->guarded[start]].to
                                                 : SEARCH_NONE;
}

static enum status add_pairs(const struct search_problem *p, const struct variable_heads *heads,
                             uint32_t one, uint32_t other, struct anneal_pairs *pairs,
                             struct error *err)
{
    uint32_t i = heads->start[one], j = heads->start[other];

    while (i < heads->start[one + 1] && j < heads->start[other + 1]) {
        uint32_t a = heads->chains[i], b = heads->chains[j];

        if (p->chains[a].key < p->chains[b].key) {
            i++;
        } else if (p->chains[a].key > p->chains[b].key) {
            j++;
        } else {
            if (a != b)
                TRY(array_push(pairs, ((struct anneal_pair){ a, b }), err));
            i++;
            j++;
        }
    }
    return STATUS_OK;
}

static enum status find_pairs(const struct search_index *x, struct variable_heads *heads,
                              struct anneal_pairs *pairs, struct error *err)
{
    TRY(index_heads(x->problem, heads, err));
    for (uint32_t v = 0; v < x->problem->variable_count; v++) {
        uint32_t one = target_of(x, search_literal(v, true));
        uint32_t other = target_of(x, search_literal(v, false));

        if (one != SEARCH_NONE && other != SEARCH_NONE)
            TRY(add_pairs(x->problem, heads, one, other, pairs, err));
    }
    return STATUS_OK;
}

/* Closed with array_close(), whatever the status. A pair may be there more than once. */
static enum status anneal_find_pairs(const struct search_index *x, struct anneal_pairs *pairs,
                                     struct error *err)
{
    struct variable_heads heads = { 0 };
    enum status status = find_pairs(x, &heads, pairs, err);

    free(heads.start);
    free(heads.chains);
    return status;
}

/* --- Annealing ----------------------------------------------------------------- */

#define MOVERS_MAX 400  /* nodes on a side of a move */
#define COOL_MOVES 4096 /* a tenth of these for every thousand nodes */
#define COOL_FACTOR 0.97

/* --- Making ----------------------------------------------------------------------- */

static void count_rivals(struct anneal *a, const struct anneal_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        a->rival_start[pairs->at[i].one + 2]++;
        a->rival_start[pairs->at[i].other + 2]++;
    }
    array_sum_prefixes(a->rival_start, (size_t)a->problem->chain_count + 3);
}

/* Every rival once. */
static void remove_twins(struct anneal *a)
{
    uint32_t kept = 0, start = 0;

    for (uint32_t c = 0; c < a->problem->chain_count; c++) {
        uint32_t end = a->rival_start[c + 1], first = kept;

        sort_numbers(a->rivals + start, end - start);
        for (uint32_t i = start; i < end; i++)
            if (kept == first || a->rivals[kept - 1] != a->rivals[i])
                a->rivals[kept++] = a->rivals[i];
        start = end;
        a->rival_start[c + 1] = kept;
    }
}

static enum status index_rivals(struct anneal *a, const struct search_index *x, struct error *err)
{
    struct anneal_pairs pairs = { 0 };
    enum status status = anneal_find_pairs(x, &pairs, err);

    if (status == STATUS_OK)
        status = check_memory((void **)&a->rival_start, (size_t)x->problem->chain_count + 3,
                              sizeof *a->rival_start, 0, err);
    if (status == STATUS_OK)
        status = memory_resize((void **)&a->rivals, 2 * pairs.count + 1, sizeof *a->rivals, err);
    if (status == STATUS_OK) {
        count_rivals(a, &pairs);
        for (size_t i = 0; i < pairs.count; i++) {
            a->rivals[a->rival_start[pairs.at[i].one + 1]++] = pairs.at[i].other;
            a->rivals[a->rival_start[pairs.at[i].other + 1]++] = pairs.at[i].one;
        }
        remove_twins(a);
    }
    array_close(&pairs);
    return status;
}

/* The others are for anneal_reads to place. */
static inline bool is_certain(const struct search_reader *reader)
{
    return reader->guard == SEARCH_NONE;
}

static bool is_point(const struct anneal *a, const struct search_chain *c)
{
    bool is_read = false;

    for (uint32_t r = c->reader_start; r < c->reader_end; r++)
        is_read |= is_certain(&a->problem->readers[r]);
    return c->first == c->last && !is_read;
}

/* Calls for every node that a chain's ends depend on, if it has a rival. */
static void each_end(struct anneal *a, uint32_t chain,
                     void (*visit)(struct anneal *, uint32_t node, uint32_t chain))
{
    const struct search_chain *c = &a->problem->chains[chain];

    if (a->rival_start[chain] == a->rival_start[chain + 1])
        return;
    if (c->first != SEARCH_NONE)
        visit(a, c->first, chain);
    if (c->head != SEARCH_NONE && c->head != c->first)
        visit(a, c->head, chain);
    if (c->last != SEARCH_NONE && c->last != c->head)
        visit(a, c->last, chain);
    for (uint32_t r = c->reader_start; r < c->reader_end; r++)
        if (is_certain(&a->problem->readers[r]))
            visit(a, a->problem->readers[r].node, chain);
}

static void count_end(struct anneal *a, uint32_t node, uint32_t chain)
{
    (void)chain;
    a->touch_start[node + 2]++;
}

static void add_end(struct anneal *a, uint32_t node, uint32_t chain)
{
    const struct search_chain *c = &a->problem->chains[chain];

    a->touches[a->touch_start[node + 1]++] = (struct anneal_touch){
        .chain = chain,
        .rival_start = a->rival_start[chain],
        .rival_count = a->rival_start[chain + 1] - a->rival_start[chain],
        .is_point = is_point(a, c),
    };
}

static enum status index_ends(struct anneal *a, struct error *err)
{
    const struct search_problem *p = a->problem;
    size_t n = p->node_count;

    TRY(check_memory((void **)&a->touch_start, n + 3, sizeof *a->touch_start, 0, err));
    for (uint32_t c = 0; c < p->chain_count; c++)
        each_end(a, c, count_end);
    array_sum_prefixes(a->touch_start, n + 3);
    TRY(memory_resize((void **)&a->touches, (size_t)a->touch_start[n + 1] + 1, sizeof *a->touches,
                      err));
    for (uint32_t c = 0; c < p->chain_count; c++)
        each_end(a, c, add_end);
    return STATUS_OK;
}

/* --- Where chains are ------------------------------------------------------------- */

static inline int64_t label_of(const struct anneal *a, uint32_t node)
{
    return node == SEARCH_NONE ? -1 : a->line.label[node];
}

static inline struct anneal_stretch locate(const struct anneal *a, uint32_t chain)
{
    const struct search_chain *c = &a->problem->chains[chain];
    struct anneal_stretch s = { label_of(a, c->first), label_of(a, c->last), label_of(a, c->head),
                                -1 };

    for (uint32_t r = c->reader_start; r < c->reader_end; r++) {
        const struct search_reader *reader = &a->problem->readers[r];
        int64_t label = a->line.label[reader->node];

        if (is_certain(reader) && label > s.last_reader)
            s.last_reader = label;
    }
    return s;
}

/* Where the end of one is the beginning of the other, it is the same node: they touch. */
static inline bool is_before(const struct anneal_stretch *a, const struct anneal_stretch *b)
{
    return (a->last <= b->first) & (a->last_reader <= b->head);
}

static inline bool overlap(const struct anneal_stretch *a, const struct anneal_stretch *b)
{
    return (int)is_before(a, b) + (int)is_before(b, a) == 0;
}

static enum status suspect(struct anneal *a, uint32_t chain, struct error *err)
{
    if (a->is_suspect[chain])
        return STATUS_OK;
    a->is_suspect[chain] = 1;
    return array_push(&a->suspects, chain, err);
}

static enum status locate_all(struct anneal *a, struct error *err)
{
    uint32_t count = a->problem->chain_count;

    for (uint32_t c = 0; c < count; c++)
        a->stretches[c] = locate(a, c);
    a->overlaps = 0;
    for (uint32_t c = 0; c < count; c++)
        for (uint32_t i = a->rival_start[c]; i < a->rival_start[c + 1]; i++)
            if (overlap(&a->stretches[c], &a->stretches[a->rivals[i]])) {
                a->overlaps++;
                TRY(suspect(a, c, err));
            }
    a->overlaps /= 2;
    return STATUS_OK;
}

enum status anneal_init(struct anneal *a, const struct search_index *index, uint64_t seed,
                        struct error *err)
{
    struct random_key key = random_key_of_seed(seed);
    size_t room = (size_t)index->problem->chain_count + 1;

    *a = (struct anneal){ .problem = index->problem };
    random_init(&a->random, &key);
    TRY(anneal_line_init(&a->line, index->problem, index->order, err));
    TRY(check_memory((void **)&a->stretches, room, sizeof *a->stretches, 0, err));
    TRY(check_memory((void **)&a->is_suspect, room, sizeof *a->is_suspect, 0, err));
    TRY(index_rivals(a, index, err));
    TRY(index_ends(a, err));
    TRY(locate_all(a, err));
    return anneal_reads_init(&a->reads, index, &a->line, err);
}

void anneal_close(struct anneal *a)
{
    anneal_line_close(&a->line);
    anneal_reads_close(&a->reads);
    free(a->stretches);
    free(a->rival_start);
    free(a->rivals);
    free(a->touch_start);
    free(a->touches);
    free(a->is_suspect);
    array_close(&a->suspects);
    array_close(&a->changes);
    *a = (struct anneal){ 0 };
}

/* --- Moves ------------------------------------------------------------------------ */

/*
 * A chain's stretch changes: the number of pairs with it, before and after. Others that are yet to
 * move count as where they are; when their turn comes, this one is where it will be.
 */
static enum status relocate(struct anneal *a, const struct anneal_touch *touch, int64_t label,
                            struct error *err)
{
    struct anneal_stretch *at = &a->stretches[touch->chain], was = *at, is;
    const uint32_t *rivals = a->rivals + touch->rival_start;
    uint32_t before = 0, after = 0;

    if (touch->is_point)
        is = (struct anneal_stretch){ label, label, label, -1 };
    else
        is = locate(a, touch->chain);
    if (is.first == was.first && is.last == was.last && is.head == was.head &&
        is.last_reader == was.last_reader)
        return STATUS_OK;
    for (uint32_t i = 0; i < touch->rival_count; i++) {
        before += overlap(&was, &a->stretches[rivals[i]]);
        after += overlap(&is, &a->stretches[rivals[i]]);
    }
    *at = is;
    a->overlaps += after;
    a->overlaps -= before;
    a->steps += 4 + touch->rival_count;
    return array_push(&a->changes, ((struct anneal_change){ touch->chain, was, after > 0 }), err);
}

/* Memory is what a move waits for: all of it is asked for before the first node needs its part. */
static void prefetch(const struct anneal *a)
{
    const uint32_t *nodes = a->line.movers;

    for (uint32_t i = 0; i < a->line.mover_count; i++)
        __builtin_prefetch(&a->touches[a->touch_start[nodes[i]]]);
    for (uint32_t i = 0; i < a->line.mover_count; i++)
        for (uint32_t j = a->touch_start[nodes[i]]; j < a->touch_start[nodes[i] + 1]; j++) {
            const struct anneal_touch *touch = &a->touches[j];

            __builtin_prefetch(&a->stretches[touch->chain]);
            __builtin_prefetch(&a->rivals[touch->rival_start]);
            if (!touch->is_point)
                __builtin_prefetch(&a->problem->chains[touch->chain]);
        }
}

static enum status relocate_movers(struct anneal *a, struct error *err)
{
    a->changes.count = 0;
    prefetch(a);
    for (uint32_t i = 0; i < a->line.mover_count; i++) {
        uint32_t node = a->line.movers[i];

        for (uint32_t j = a->touch_start[node]; j < a->touch_start[node + 1]; j++)
            TRY(relocate(a, &a->touches[j], a->line.label[node], err));
    }
    return STATUS_OK;
}

static void take_back(struct anneal *a, uint64_t overlaps)
{
    anneal_line_take_back(&a->line);
    anneal_reads_take_back(&a->reads);
    for (size_t i = a->changes.count; i-- > 0;)
        a->stretches[a->changes.at[i].chain] = a->changes.at[i].was;
    a->overlaps = overlaps;
}

static bool is_accepted(struct anneal *a, uint64_t before)
{
    uint64_t now = anneal_cost(a);

    if (now <= before)
        return true;
    return now - before < ANNEAL_ODDS && random_next(&a->random) < a->odds[now - before];
}

/* That of the readers which comes last. */
static uint32_t last_reader(const struct anneal *a, uint32_t chain)
{
    const struct search_chain *c = &a->problem->chains[chain];
    uint32_t r = c->reader_start;

    while (!is_certain(&a->problem->readers[r]) ||
           a->line.label[a->problem->readers[r].node] != a->stretches[chain].last_reader)
        r++;
    return a->problem->readers[r].node;
}

/* The two nodes of which the one must come before the other, for one chain to be before another. */
static void find_ends(const struct anneal *a, uint32_t first, uint32_t second, uint32_t *from,
                      uint32_t *to)
{
    const struct anneal_stretch *early = &a->stretches[first], *late = &a->stretches[second];
    const struct search_chain *c = a->problem->chains;

    if (early->last > late->first &&
        (c[second].first != c[second].head || early->last > early->last_reader)) {
        *from = c[first].last;
        *to = c[second].first;
    } else {
        *from = last_reader(a, first);
        *to = c[second].head;
    }
}

/* All labels anew. */
static enum status make_room(struct anneal *a, struct error *err)
{
    anneal_line_relabel(&a->line);
    TRY(locate_all(a, err));
    return anneal_reads_locate(&a->reads, err);
}

/* Puts one node before the other: the one back, or the other forth. */
static enum status try_move(struct anneal *a, uint32_t from, uint32_t to, struct error *err)
{
    bool backwards = random_next(&a->random) & 1;
    uint64_t overlaps, before;

    a->moves++;
    a->steps += 8;
    if (to == SEARCH_NONE || from == to ||
        !anneal_line_find_movers(&a->line, from, to, backwards, MOVERS_MAX))
        return STATUS_OK;
    if (!anneal_line_has_room(&a->line, from, to, backwards))
        TRY(make_room(a, err));
    overlaps = a->overlaps;
    before = anneal_cost(a);
    anneal_line_move(&a->line, from, to, backwards);
    TRY(relocate_movers(a, err));
    TRY(anneal_reads_follow(&a->reads, err));
    if (!is_accepted(a, before)) {
        take_back(a, overlaps);
        return STATUS_OK;
    }
    /* Of a pair that is new, one moved, and the last to do so saw the other where it is. */
    for (size_t i = 0; i < a->changes.count; i++)
        if (a->changes.at[i].overlaps)
            TRY(suspect(a, a->changes.at[i].chain, err));
    return anneal_reads_keep(&a->reads, err);
}

/* A chain that overlaps this one: the next from anywhere on. SEARCH_NONE: none does. */
static uint32_t find_partner(struct anneal *a, uint32_t chain)
{
    const uint32_t *rivals = a->rivals + a->rival_start[chain];
    uint32_t count = a->rival_start[chain + 1] - a->rival_start[chain];
    uint32_t at = (uint32_t)random_below(&a->random, count);

    a->steps += count;
    for (uint32_t i = 0; i < count; i++, at = at + 1 < count ? at + 1 : 0)
        if (overlap(&a->stretches[chain], &a->stretches[rivals[at]]))
            return rivals[at];
    return SEARCH_NONE;
}

/* A chain that is suspected, and who it overlaps: either may come first. */
static bool draw_chains(struct anneal *a, size_t at, uint32_t *from, uint32_t *to)
{
    uint32_t one = a->suspects.at[at], other = find_partner(a, one);

    if (other == SEARCH_NONE) {
        a->is_suspect[one] = 0;
        a->suspects.at[at] = a->suspects.at[--a->suspects.count];
        return false;
    }
    if (random_next(&a->random) & 1)
        find_ends(a, one, other, from, to);
    else
        find_ends(a, other, one, from, to);
    return true;
}

/* Two nodes that stand the wrong way round; suspects who turn out to be innocent are let go. */
static bool draw_nodes(struct anneal *a, uint32_t *from, uint32_t *to)
{
    while (a->suspects.count + a->reads.suspects.count > 0) {
        size_t at = random_below(&a->random, a->suspects.count + a->reads.suspects.count);

        if (at < a->suspects.count
                ? draw_chains(a, at, from, to)
                : anneal_reads_draw(&a->reads, at - a->suspects.count, &a->random, from, to))
            return true;
    }
    return false;
}

/* --- Temperature ------------------------------------------------------------------ */

/* e to the power of -x. */
static double falling(double x)
{
    double y = 1 - x / 4096;

    if (y <= 0)
        return 0;
    for (int i = 0; i < 12; i++)
        y *= y;
    return y;
}

static void set_temperature(struct anneal *a, double temperature)
{
    double factor = falling(1 / temperature), chance = 1;
    uint64_t moves = (uint64_t)COOL_MOVES * a->patience * a->problem->node_count / 10000;

    a->temperature = temperature;
    for (int i = 0; i < ANNEAL_ODDS; i++) {
        a->odds[i] = (uint64_t)(chance * 18446744073709549568.0);
        chance *= factor;
    }
    a->cool_at = a->moves + (moves < 16 ? 16 : moves);
}

void anneal_heat(struct anneal *a, double temperature, uint64_t patience)
{
    a->patience = patience;
    set_temperature(a, temperature);
}

enum status anneal_run(struct anneal *a, const struct anneal_goal *goal, struct error *err)
{
    uint64_t end = anneal_steps(a) + goal->steps;
    uint32_t from, to;

    while (anneal_cost(a) > goal->cost && a->temperature > goal->temperature &&
           anneal_steps(a) < end && draw_nodes(a, &from, &to)) {
        TRY(try_move(a, from, to, err));
        if (a->moves >= a->cool_at)
            set_temperature(a, a->temperature * COOL_FACTOR);
    }
    return STATUS_OK;
}
