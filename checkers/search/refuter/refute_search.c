/*
 * Writes what the search has learnt as steps of a refutation: its literals are orders of points
 * and sources of reads, and its edges follow from them by what refute.c writes.
 */
#include "checkers/search/refuter/refute_search_private.h"

#include <assert.h>

struct translation {
    struct refuter *r;
    const struct open_pairs *pairs;
    const struct search_proof *proof;
    uint32_t *number; /* by step of the search */
};

static uint32_t limit_of(const struct translation *t)
{
    return (uint32_t)t->r->p->facts.count;
}

/* --- Needs ------------------------------------------------------------------------ */

static void need_chain(struct refuter *r, uint32_t chain)
{
    uint32_t version = r->p->tail[chain], read;

    while ((read = refute_link(r, version, NOBODY)) != NOBODY) {
        refute_need_source(r, read);
        version = r->p->previous[version];
    }
}

static enum status need_edge(struct translation *t, uint32_t edge, struct error *err)
{
    struct refuter *r = t->r;
    const struct open_edge *m = &t->pairs->meanings.at[edge];
    const uint32_t *guards = t->pairs->edges.at[edge].guards;

    if (m->fact != NOBODY) {
        struct path path = { (uint32_t)r->pool.count, 1 };

        TRY(array_push(&r->pool, m->fact, err));
        refute_need(r, path);
        return STATUS_OK;
    }
    if (m->version != NOBODY) {
        need_chain(r, r->p->chain_of[m->source]);
        need_chain(r, r->p->chain_of[m->version]);
    }
    if (m->read != NOBODY && r->p->source[m->read] != NOBODY)
        refute_need_source(r, m->read);
    if (m->read != NOBODY && r->p->source[m->read] == NOBODY && m->version != NOBODY &&
        guards[1] == SEARCH_NONE && !version_is_initial(r->d, m->source)) {
        struct path path;
        bool found = false;

        refute_want(r, version_begin(r->p, m->version));
        TRY(refute_walk(r, version_commit(r->p, m->source), limit_of(t), &path, &found, err));
        assert(found);
        refute_need(r, path);
    }
    return STATUS_OK;
}

static void need_clause(struct translation *t, uint32_t clause)
{
    uint32_t read;

    if (clause >= t->pairs->clause_read.count)
        return;
    read = t->pairs->clause_read.at[clause];
    if (read >= t->r->d->read_count)
        refute_need_some(t->r, read - t->r->d->read_count);
    else
        refute_need_source(t->r, read);
}

enum status refute_need_search(struct refuter *r, const struct open_pairs *pairs,
                               const struct search_proof *proof, struct error *err)
{
    struct translation t = { .r = r, .pairs = pairs, .proof = proof };

    for (uint32_t i = 0; i < proof->step_count; i++) {
        const struct search_step *step = &proof->steps[i];

        for (uint32_t k = 0; k < step->by_count; k++)
            need_clause(&t, proof->words[step->by + k]);
        for (uint32_t k = 0; k < step->cycle_count; k++)
            TRY(need_edge(&t, proof->words[step->cycle + k], err));
    }
    return STATUS_OK;
}

/* --- Edges ------------------------------------------------------------------------ */

/*
 * Makes known that chain `before` comes before chain `behind`, as far as its last writer: the
 * variable may say so, or the opposite of the opposite.
 */
static void use_order(struct translation *t, uint32_t literal, bool for_readers)
{
    struct refuter *r = t->r;
    const struct polygraph *p = r->p;
    const struct open_pair *pair = &t->pairs->variables.at[literal / 2];
    uint32_t tail = p->tail[pair->a], head = p->head[pair->b], first;

    assert(!pair->is_choice);
    if (literal % 2 == 0) {
        if (for_readers)
            refute_use_lemma(r, tail, head);
        return;
    }
    first = refute_use_back(r, tail, head, limit_of(t));
    assert(first == p->head[pair->a]);
    refute_use_forth(r, head, first, limit_of(t), for_readers);
}

/* A choice whose source is known to come before the version. */
static enum status use_known_order(struct translation *t, const struct open_edge *m,
                                   struct error *err)
{
    struct refuter *r = t->r;
    const struct polygraph *p = r->p;
    struct path path;
    bool found = false;
    uint32_t step;

    if (version_is_initial(r->d, m->source)) {
        refute_use_overwrites(r, m->read, m->source, m->version);
        return STATUS_OK;
    }
    refute_want(r, version_begin(p, m->version));
    TRY(refute_walk(r, version_commit(p, m->source), limit_of(t), &path, &found, err));
    assert(found);
    steps_begin(r->s);
    steps_source_literal(r->s, m->read, m->source, false);
    steps_order_literal(r->s, node_begin(p, r->d->read_actor[m->read]),
                        version_commit(p, m->version));
    refute_use_overwrites(r, m->read, m->source, m->version);
    refute_use_overtaking(r, m->source, m->version, path);
    step = steps_end(r->s);
    steps_use(r->s, step);
    return STATUS_OK;
}

static enum status use_edge(struct translation *t, uint32_t edge, struct error *err)
{
    struct refuter *r = t->r;
    const struct open_edge *m = &t->pairs->meanings.at[edge];
    const uint32_t *guards = t->pairs->edges.at[edge].guards;

    if (m->fact != NOBODY || (m->read != NOBODY && m->version == NOBODY))
        return STATUS_OK; /* the first along its path, the second below */
    if (m->read == NOBODY) {
        use_order(t, guards[0], false);
        return STATUS_OK;
    }
    if (r->p->source[m->read] == NOBODY && guards[1] == SEARCH_NONE)
        return use_known_order(t, m, err);
    use_order(t, r->p->source[m->read] == NOBODY ? guards[1] : guards[0], true);
    if (r->p->source[m->read] != NOBODY)
        refute_use_source(r, m->read);
    refute_use_overwrites(r, m->read, m->source, m->version);
    return STATUS_OK;
}

/* --- Steps ------------------------------------------------------------------------ */

static void write_literal(struct translation *t, uint32_t literal)
{
    const struct polygraph *p = t->r->p;
    const struct open_pair *v = &t->pairs->variables.at[literal / 2];
    bool is_true = literal % 2 == 0;
    uint32_t tail, head;

    if (v->is_choice) {
        steps_source_literal(t->r->s, v->a, v->b, is_true);
        return;
    }
    tail = version_commit(p, p->tail[v->a]);
    head = version_begin(p, p->head[v->b]);
    if (is_true)
        steps_order_literal(t->r->s, tail, head);
    else
        steps_order_literal(t->r->s, head, tail);
}

static void use_clause(struct translation *t, uint32_t clause)
{
    struct refuter *r = t->r;
    uint32_t read;

    if (clause >= t->pairs->clause_read.count) {
        steps_use(r->s, t->number[clause - t->pairs->clause_read.count]);
        return;
    }
    read = t->pairs->clause_read.at[clause];
    if (read >= r->d->read_count) {
        refute_use_some(r, read - r->d->read_count);
        return;
    }
    for (uint32_t c = r->d->candidate_start[read]; c < r->d->candidate_start[read + 1]; c++)
        if (r->p->is_gone[c])
            steps_use(r->s, r->step_of[r->gone_fact[c]]);
    steps_use(r->s, steps_axiom(r->s, (struct axiom){ AXIOM_READS, read, 0, 0 }));
}

/* Known edges of a cycle as one path, so that real time is told where it is left. */
static enum status write_cycle(struct translation *t, const struct search_step *step,
                               struct error *err)
{
    struct refuter *r = t->r;
    const uint32_t *edges = t->proof->words + step->cycle;
    uint32_t first_barrier = r->p->node_count - r->p->base->barrier_count, turn = 0;

    for (uint32_t k = 0; k < step->cycle_count; k++)
        TRY(use_edge(t, edges[k], err));
    while (turn < step->cycle_count && t->pairs->edges.at[edges[turn]].from >= first_barrier)
        turn++;
    for (uint32_t k = 0; k < step->cycle_count; k++) {
        uint32_t edge = edges[(k + turn) % step->cycle_count];
        const struct open_edge *m = &t->pairs->meanings.at[edge];
        struct path path = { (uint32_t)r->pool.count, 1 };

        if (m->fact == NOBODY) {
            if (m->version == NOBODY)
                steps_use(r->s, steps_axiom(
                                    r->s, (struct axiom){ AXIOM_FOLLOWS, m->read, m->source, 0 }));
            steps_point(r->s, t->pairs->edges.at[edge].from);
            continue;
        }
        TRY(array_push(&r->pool, m->fact, err));
        /* As long as it stays among barriers the path goes on. */
        while (r->p->facts.at[m->fact].to >= first_barrier) {
            k++;
            m = &t->pairs->meanings.at[edges[(k + turn) % step->cycle_count]];
            TRY(array_push(&r->pool, m->fact, err));
            path.count++;
        }
        refute_use_path(r, path);
    }
    return STATUS_OK;
}

enum status refute_write_search(struct refuter *r, const struct open_pairs *pairs,
                                const struct search_proof *proof, struct error *err)
{
    struct translation t = { .r = r, .pairs = pairs, .proof = proof };

    TAKE(r->arena, t.number, proof->step_count, err);
    for (uint32_t i = 0; i < proof->step_count; i++) {
        const struct search_step *step = &proof->steps[i];

        steps_begin(r->s);
        for (uint32_t k = 0; k < step->literal_count; k++)
            write_literal(&t, proof->words[step->literals + k]);
        for (uint32_t k = 0; k < step->by_count; k++)
            use_clause(&t, proof->words[step->by + k]);
        TRY(write_cycle(&t, step, err));
        t.number[i] = steps_end(r->s);
    }
    return STATUS_OK;
}
