/*
 * What is written of facts, into the draft of a step.
 */
#include <assert.h>

#include "checkers/search/refuter/refute_private.h"

static void use_axiom(struct refuter *r, enum axiom_kind kind, uint32_t a, uint32_t b, uint32_t c)
{
    steps_use(r->s, steps_axiom(r->s, (struct axiom){ kind, a, b, c }));
}

/* --- Facts ------------------------------------------------------------------------ */

void refute_use_source(struct refuter *r, uint32_t read)
{
    const struct distilled *d = r->d;

    if (d->read_source[read] != NOBODY)
        return;
    if (r->source_step[read] == NOBODY) {
        steps_begin(r->s);
        steps_source_literal(r->s, read, r->p->source[read], true);
        for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++)
            if (r->p->is_gone[c])
                steps_use(r->s, r->step_of[r->gone_fact[c]]);
        use_axiom(r, AXIOM_READS, read, 0, 0);
        r->source_step[read] = steps_end(r->s);
    }
    steps_use(r->s, r->source_step[read]);
}

void refute_use_some(struct refuter *r, uint32_t some)
{
    const struct distilled *d = r->d;
    const struct some *s = &d->somes[some];

    for (uint32_t k = s->start; k < s->start + s->count; k++) {
        uint32_t read = d->some_read[k];

        for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++)
            if (d->candidates[c] == d->some_version[k] && r->p->is_gone[c])
                steps_use(r->s, r->step_of[r->gone_fact[c]]);
    }
    use_axiom(r, AXIOM_EXTREME, some, 0, 0);
}

static void use_fact(struct refuter *r, uint32_t fact)
{
    const struct fact *f = &r->p->facts.at[fact];

    switch ((enum fact_kind)f->kind) {
    case FACT_PROGRAM:
        use_axiom(r, AXIOM_PROGRAM, f->x, 0, 0);
        return;
    case FACT_BASE:
        if (r->d->is_halved && r->d->actor_txn[f->x] == r->d->actor_txn[f->y])
            use_axiom(r, AXIOM_PROGRAM, f->x, 0, 0);
        else
            use_axiom(r, AXIOM_SESSION, f->x, f->y, 0);
        return;
    case FACT_FOLLOWS:
        refute_use_source(r, f->x);
        use_axiom(r, AXIOM_FOLLOWS, f->x, f->y, 0);
        return;
    case FACT_PREFIX:
        use_axiom(r, AXIOM_PREFIX, f->x, f->y, f->z);
        return;
    case FACT_ABSENT:
        use_axiom(r, AXIOM_ABSENT, f->x, f->y, 0);
        return;
    case FACT_PAIR:
        use_axiom(r, AXIOM_VERSION_ORDER, f->y, f->z, 0);
        return;
    case FACT_TIME:
        return; /* told where the path leaves time again */
    default:
        steps_use(r->s, r->step_of[fact]);
    }
}

void refute_use_path(struct refuter *r, struct path path)
{
    uint32_t entered = NOBODY; /* whose completion led to a barrier */

    for (uint32_t i = path.start; i < path.start + path.count; i++) {
        uint32_t fact = r->pool.at[i];
        const struct fact *f = &r->p->facts.at[fact];
        uint32_t first_barrier = r->p->node_count - r->p->base->barrier_count;

        if (f->from < first_barrier)
            steps_point(r->s, f->from);
        if (f->kind != FACT_TIME) {
            use_fact(r, fact);
            continue;
        }
        if (f->from < first_barrier)
            entered = f->x;
        if (f->to < first_barrier)
            use_axiom(r, AXIOM_REALTIME, entered, f->x, 0);
    }
}

void refute_use_overwrites(struct refuter *r, uint32_t read, uint32_t version, uint32_t other)
{
    use_axiom(r, AXIOM_OVERWRITES, read, version, other);
}

/* --- Overtaking ------------------------------------------------------------------ */

static void use_program(struct refuter *r, uint32_t version)
{
    if (r->p->is_snapshot)
        steps_use(r->s, steps_axiom(r->s, (struct axiom){ AXIOM_PROGRAM,
                                                          r->d->version_actor[version], 0, 0 }));
}

void refute_use_overtaking(struct refuter *r, uint32_t source, uint32_t other, struct path path)
{
    const struct polygraph *p = r->p;

    use_program(r, source);
    use_program(r, other);
    if (p->is_snapshot) {
        steps_point(r->s, version_commit(p, other));
        steps_point(r->s, version_begin(p, source));
    }
    refute_use_path(r, path);
    steps_point(r->s, version_begin(p, other));
}

/* --- Chains ----------------------------------------------------------------------- */

uint32_t refute_link(const struct refuter *r, uint32_t version, uint32_t limit)
{
    const struct polygraph *p = r->p;
    uint32_t read;

    if (p->previous[version] == NOBODY)
        return NOBODY;
    read = polygraph_read_of(p, r->d->version_actor[version], p->previous[version]);
    if (read == NOBODY || p->known_since[read] > limit)
        return NOBODY;
    return read;
}

void refute_use_lemma(struct refuter *r, uint32_t x, uint32_t y)
{
    const struct polygraph *p = r->p;
    uint32_t step;

    if (!p->is_snapshot)
        return;
    steps_begin(r->s);
    steps_order_literal(r->s, version_begin(p, y), version_commit(p, x));
    steps_order_literal(r->s, version_begin(p, x), version_commit(p, y));
    use_axiom(r, AXIOM_PROGRAM, r->d->version_actor[x], 0, 0);
    use_axiom(r, AXIOM_PROGRAM, r->d->version_actor[y], 0, 0);
    steps_point(r->s, version_begin(p, x));
    steps_point(r->s, version_commit(p, x));
    steps_point(r->s, version_begin(p, y));
    steps_point(r->s, version_commit(p, y));
    step = steps_end(r->s);
    steps_use(r->s, step);
}

uint32_t refute_use_back(struct refuter *r, uint32_t tail, uint32_t head, uint32_t limit)
{
    uint32_t read, version = tail;

    if (r->p->is_snapshot)
        use_axiom(r, AXIOM_EXCLUSIVE, tail, head, 0);
    while ((read = refute_link(r, version, limit)) != NOBODY) {
        uint32_t before = r->p->previous[version];

        refute_use_source(r, read);
        refute_use_overwrites(r, read, before, head);
        if (version_is_initial(r->d, before))
            return NOBODY;
        version = before;
    }
    return version;
}

uint32_t refute_use_forth(struct refuter *r, uint32_t head, uint32_t before, uint32_t limit,
                          bool full)
{
    uint32_t version = head, next = r->p->next[head], read;
    bool goes_on = next != NOBODY && refute_link(r, next, limit) != NOBODY;

    if (goes_on || full)
        refute_use_lemma(r, head, before);
    while (next != NOBODY && (read = refute_link(r, next, limit)) != NOBODY) {
        refute_use_source(r, read);
        refute_use_overwrites(r, read, version, before);
        if (r->p->is_snapshot)
            use_axiom(r, AXIOM_EXCLUSIVE, next, before, 0);
        version = next;
        next = r->p->next[version];
    }
    return version;
}
