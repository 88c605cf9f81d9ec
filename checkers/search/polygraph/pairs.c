#include "checkers/search/polygraph/pairs.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checkers/check_private.h"
#include "checkers/search/polygraph/polygraph_private.h"
#include "checkers/search/polygraph/saturate.h"

#define EDGES_MAX ((size_t)16 << 20) /* 4 000 writes of a key in any order; 1.5 GB with the search */

/* --- Edges ------------------------------------------------------------------------ */

static enum status add_edge(struct open_pairs *o, struct search_edge edge, struct open_edge meaning,
                            struct error *err)
{
    if (o->edges.count == EDGES_MAX) {
        o->is_too_large = true;
        return STATUS_OK;
    }
    TRY(array_push(&o->edges, edge, err));
    return array_push(&o->meanings, meaning, err);
}

/* Those that others imply have been taken out when they were last looked at. */
static enum status add_known(struct open_pairs *o, struct error *err)
{
    const struct polygraph *p = o->p;

    for (size_t i = 0; i < p->arrows.count; i++)
        TRY(add_edge(o,
                     (struct search_edge){
                         p->arrows.at[i].from, p->arrows.at[i].to, { SEARCH_NONE, SEARCH_NONE } },
                     (struct open_edge){ p->arrows.at[i].of, NOBODY, NOBODY, NOBODY }, err));
    return STATUS_OK;
}

/* What is there by then is not searched. */
static bool is_over(const struct open_pairs *o)
{
    return o->is_too_large || check_is_stopped(o->options);
}

/* --- Pairs of chains -------------------------------------------------------------- */

/* What the literal says of the two chains' writers and readers. */
static enum status add_half(struct open_pairs *o, uint32_t a, uint32_t b, uint32_t literal,
                            struct error *err)
{
    const struct polygraph *p = o->p;
    uint32_t tail = p->tail[a], head = p->head[b], begin = version_begin(p, head);
    uint32_t commit = version_commit(p, head);

    if (!reach_is_before(&p->reach, version_commit(p, tail), begin))
        TRY(add_edge(
            o, (struct search_edge){ version_commit(p, tail), begin, { literal, SEARCH_NONE } },
            (struct open_edge){ NOBODY, NOBODY, tail, head }, err));
    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++) {
        uint32_t read = p->readers[i], reader = p->d->read_actor[read];

        if (reader == p->d->version_actor[head] ||
            reach_is_before(&p->reach, node_begin(p, reader), commit))
            continue;
        TRY(add_edge(
            o, (struct search_edge){ node_begin(p, reader), commit, { literal, SEARCH_NONE } },
            (struct open_edge){ NOBODY, read, tail, head }, err));
    }
    return STATUS_OK;
}

static enum status add_pair(struct open_pairs *o, uint32_t a, uint32_t b, struct error *err)
{
    uint32_t variable = (uint32_t)o->variables.count;
    size_t place;

    if (o->is_too_large)
        return STATUS_OK;
    TRY(array_push(&o->variables, ((struct open_pair){ a, b, false }), err));
    if (o->p->open_count > 0)
        TRY(map_add(&o->variable_of, (uint64_t)a << 32 | b, variable, &place, err));
    TRY(add_half(o, a, b, search_literal(variable, true), err));
    return add_half(o, b, a, search_literal(variable, false), err);
}

static bool matters(const struct polygraph *p, uint32_t a, uint32_t b)
{
    return p->is_snapshot || !p->is_plain[a] || !p->is_plain[b];
}

/*
 * Of each lane the open ones are a run: those in front come before b, those behind after it.
 * A pair is met from both sides, and taken from the one with the lower number.
 */
static enum status add_pairs_by_lanes(struct open_pairs *o, uint32_t key, uint32_t b,
                                      struct error *err)
{
    const struct polygraph *p = o->p;
    struct open_lanes open = polygraph_lanes(p, b);

    for (uint32_t i = open.starts[key]; i < open.starts[key + 1]; i++) {
        const struct lane *lane = &open.lanes[i];
        uint32_t low = lane->start + polygraph_count_before(p, lane, open.places, b);

        for (; low < lane->end; low++) {
            uint32_t a = open_lanes_chain(&open, low);

            if (a == b || polygraph_forces(p, b, a))
                break;
            if (a < b)
                TRY(add_pair(o, a, b, err));
        }
    }
    return STATUS_OK;
}

/* Without knowledge all pairs are open; what the initial chain is before was never one. */
static enum status add_all_pairs(struct open_pairs *o, uint32_t key, struct error *err)
{
    const struct polygraph *p = o->p;

    for (uint32_t b = p->chain_start[key] + 1; b < p->chain_start[key + 1] && !is_over(o); b++)
        for (uint32_t a = p->chain_start[key] + 1; a < b; a++)
            if (matters(p, a, b))
                TRY(add_pair(o, a, b, err));
    return STATUS_OK;
}

/* Marks, in a row of a square, the chains of the key whose heads come before a node. */
static void mark_before(const struct polygraph *p, uint32_t key, uint32_t node, bool of_commits,
                        uint8_t *row)
{
    uint32_t first = p->chain_start[key];

    for (uint32_t c = first + 1; c < p->chain_start[key + 1]; c++) {
        uint32_t head = p->head[c];

        row[c - first] |= reach_is_before(
            &p->reach, of_commits ? version_commit(p, head) : version_begin(p, head), node);
    }
}

/* A square of the key's chains: who must come before whom. */
static enum status add_pairs_by_square(struct open_pairs *o, uint32_t key, struct error *err)
{
    const struct polygraph *p = o->p;
    uint32_t first = p->chain_start[key], count = p->chain_start[key + 1] - first;
    size_t mark = p->arena->used;
    uint8_t *square = NULL;

    TAKE(p->arena, square, (size_t)count * count, err);
    for (uint32_t b = 1; b < count && !is_over(o); b++) {
        uint32_t tail = p->tail[first + b];

        mark_before(p, key, version_commit(p, tail), false, square + (size_t)b * count);
        for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++)
            mark_before(p, key, node_begin(p, p->d->read_actor[p->readers[i]]), true,
                        square + (size_t)b * count);
    }
    for (uint32_t b = 1; b < count && !is_over(o); b++)
        for (uint32_t a = 1; a < b; a++)
            if (!square[(size_t)b * count + a] && !square[(size_t)a * count + b] &&
                matters(p, first + a, first + b))
                TRY(add_pair(o, first + a, first + b, err));
    arena_reset_to(p->arena, mark);
    return STATUS_OK;
}

static enum status add_pairs(struct open_pairs *o, uint32_t key, struct error *err)
{
    const struct polygraph *p = o->p;

    if (p->reach.kind == REACH_NOTHING)
        return add_all_pairs(o, key, err);
    if (p->reach.kind == REACH_BITS)
        return add_pairs_by_square(o, key, err);
    for (uint32_t b = p->chain_start[key] + 1; b < p->chain_start[key + 1] && !is_over(o); b++)
        TRY(add_pairs_by_lanes(o, key, b, err));
    return STATUS_OK;
}

/* --- Choices ---------------------------------------------------------------------- */

/* The literal that chain a comes before b; false: that is known either way. */
static bool find_literal(const struct open_pairs *o, uint32_t a, uint32_t b, uint32_t *literal)
{
    uint64_t variable;
    uint32_t low = a < b ? a : b, high = a < b ? b : a;

    if (!map_find(&o->variable_of, (uint64_t)low << 32 | high, &variable))
        return false;
    *literal = search_literal((uint32_t)variable, a < b);
    return true;
}

/* If it reads this version, the reader comes before whatever chain is behind that. */
static enum status add_overtaken(struct open_pairs *o, uint32_t read, uint32_t version,
                                 uint32_t choice, struct error *err)
{
    const struct polygraph *p = o->p;
    uint32_t key = p->d->read_key[read], mine = p->chain_of[version];
    uint32_t reader = node_begin(p, p->d->read_actor[read]);

    for (uint32_t b = p->chain_start[key] + 1; b < p->chain_start[key + 1]; b++) {
        uint32_t order = SEARCH_NONE, commit = version_commit(p, p->head[b]);

        if (b == mine || p->d->version_actor[p->head[b]] == p->d->read_actor[read] ||
            reach_is_before(&p->reach, reader, commit))
            continue;
        if (mine != p->chain_start[key] && !find_literal(o, mine, b, &order) &&
            polygraph_forces(p, b, mine))
            continue;
        TRY(add_edge(o, (struct search_edge){ reader, commit, { choice, order } },
                     (struct open_edge){ NOBODY, read, version, p->head[b] }, err));
    }
    return STATUS_OK;
}

static enum status add_choice(struct open_pairs *o, uint32_t read, uint32_t version,
                              struct error *err)
{
    const struct polygraph *p = o->p;
    uint32_t variable = (uint32_t)o->variables.count, literal = search_literal(variable, true);
    uint32_t reader = p->d->read_actor[read], begin = node_begin(p, reader);
    uint32_t writer = SEARCH_NONE, next = p->next[version];
    size_t place;

    TRY(array_push(&o->variables, ((struct open_pair){ read, version, true }), err));
    if (p->d->some_count > 0)
        TRY(map_add(&o->choice_of, (uint64_t)read << 32 | version, variable, &place, err));
    if (!version_is_initial(p->d, version)) {
        writer = version_commit(p, version);
        if (!reach_is_before(&p->reach, writer, begin))
            TRY(add_edge(o, (struct search_edge){ writer, begin, { literal, SEARCH_NONE } },
                         (struct open_edge){ NOBODY, read, version, NOBODY }, err));
    }
    TRY(array_push(&o->choices, ((struct search_choice){ read, variable, begin, writer }), err));
    TRY(array_push(&o->literals, literal, err));
    if (next != NOBODY && p->d->version_actor[next] != reader)
        return add_edge(
            o, (struct search_edge){ begin, version_commit(p, next), { literal, SEARCH_NONE } },
            (struct open_edge){ NOBODY, read, version, next }, err);
    return next == NOBODY ? add_overtaken(o, read, version, literal, err) : STATUS_OK;
}

/* A value came from one of these rows, unless it is known already that it came from this. */
static enum status add_some(struct open_pairs *o, uint32_t some, struct error *err)
{
    const struct polygraph *p = o->p;
    const struct distilled *d = p->d;
    const struct some *s = &d->somes[some];
    uint64_t variable;

    for (uint32_t k = s->start; k < s->start + s->count; k++)
        if (p->source[d->some_read[k]] == d->some_version[k])
            return STATUS_OK;
    for (uint32_t k = s->start; k < s->start + s->count; k++)
        if (polygraph_may_be_from(p, d->some_read[k], d->some_version[k]) &&
            map_find(&o->choice_of, (uint64_t)d->some_read[k] << 32 | d->some_version[k],
                     &variable))
            TRY(array_push(&o->literals, search_literal((uint32_t)variable, true), err));
    TRY(array_push(&o->clause_start, (uint32_t)o->literals.count, err));
    return array_push(&o->clause_read, d->read_count + some, err);
}

static enum status add_choices(struct open_pairs *o, struct error *err)
{
    const struct polygraph *p = o->p;
    const struct distilled *d = p->d;

    TRY(array_push(&o->clause_start, 0, err));
    for (uint32_t read = 0; read < d->read_count && p->open_count > 0 && !is_over(o); read++) {
        if (p->source[read] != NOBODY)
            continue;
        for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++)
            if (!p->is_gone[c])
                TRY(add_choice(o, read, d->candidates[c], err));
        TRY(array_push(&o->clause_start, (uint32_t)o->literals.count, err));
        TRY(array_push(&o->clause_read, read, err));
    }
    for (uint32_t some = 0; some < d->some_count && !is_over(o); some++)
        TRY(add_some(o, some, err));
    return STATUS_OK;
}

/* --- Hints ------------------------------------------------------------------------ */

static enum status add_readers(struct open_pairs *o, uint32_t tail, struct error *err)
{
    const struct polygraph *p = o->p;

    for (uint32_t i = p->reader_start[tail]; i < p->reader_start[tail + 1]; i++)
        TRY(array_push(
            &o->readers,
            ((struct search_reader){ node_begin(p, p->d->read_actor[p->readers[i]]), SEARCH_NONE }),
            err));
    return STATUS_OK;
}

static enum status hint_chain(struct open_pairs *o, uint32_t key, uint32_t chain, struct error *err)
{
    const struct polygraph *p = o->p;
    uint32_t head = p->head[chain], tail = p->tail[chain];
    struct search_chain hint = { .key = key, .reader_start = (uint32_t)o->readers.count };

    hint.first = version_is_initial(p->d, head) ? SEARCH_NONE : version_begin(p, head);
    hint.head = version_is_initial(p->d, head) ? SEARCH_NONE : version_commit(p, head);
    hint.last = version_is_initial(p->d, tail) ? SEARCH_NONE : version_commit(p, tail);
    TRY(add_readers(o, tail, err));
    hint.reader_end = (uint32_t)o->readers.count;
    return array_push(&o->chains, hint, err);
}

/* --- The whole -------------------------------------------------------------------- */

static enum status fill(struct open_pairs *o, struct error *err)
{
    const struct polygraph *p = o->p;

    TRY(add_known(o, err));
    for (uint32_t key = 0; key < p->d->key_count; key++) {
        size_t before = o->variables.count;

        TRY(add_pairs(o, key, err));
        for (uint32_t c = p->chain_start[key];
             o->variables.count > before && c < p->chain_start[key + 1]; c++)
            TRY(hint_chain(o, key, c, err));
        if (is_over(o))
            return STATUS_OK;
    }
    return add_choices(o, err);
}

enum status pairs_init(struct open_pairs *o, struct polygraph *p,
                       const struct check_options *options, struct error *err)
{
    *o = (struct open_pairs){ .p = p, .options = options };
    TRY(fill(o, err));
    o->problem = (struct search_problem){
        .node_count = p->node_count,
        .variable_count = (uint32_t)o->variables.count,
        .edges = o->edges.at,
        .edge_count = (uint32_t)o->edges.count,
        .literals = o->literals.at,
        .clause_start = o->clause_start.at,
        .clause_count = (uint32_t)o->clause_read.count,
        .chains = o->chains.at,
        .chain_count = (uint32_t)o->chains.count,
        .readers = o->readers.at,
        .choices = o->choices.at,
        .choice_count = (uint32_t)o->choices.count,
    };
    return STATUS_OK;
}

void pairs_close(struct open_pairs *o)
{
    array_close(&o->variables);
    array_close(&o->edges);
    array_close(&o->meanings);
    array_close(&o->literals);
    array_close(&o->clause_start);
    array_close(&o->clause_read);
    array_close(&o->chains);
    array_close(&o->readers);
    array_close(&o->choices);
    map_close(&o->variable_of);
    map_close(&o->choice_of);
}
