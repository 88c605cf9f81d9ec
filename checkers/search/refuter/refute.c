#include "checkers/search/refuter/refute.h"

#include <assert.h>
#include <string.h>

#include "checkers/search/refuter/refute_private.h"

/* --- Reasons ---------------------------------------------------------------------- */

/* The last version of a chain as it was before `limit`. */
static uint32_t end_of_chain(const struct refuter *r, uint32_t version, uint32_t limit)
{
    while (r->p->next[version] != NOBODY && refute_link(r, r->p->next[version], limit) != NOBODY)
        version = r->p->next[version];
    return version;
}

static void need_links(struct refuter *r, uint32_t version, uint32_t end)
{
    while (version != end) {
        version = r->p->next[version];
        refute_need_source(r, refute_link(r, version, NOBODY));
    }
}

/*
 * Where tail's chain begins, from where to the end of head's chain, or to a reader of
 * that, there is a path.
 */
static enum status explain_order(struct refuter *r, uint32_t fact, struct error *err)
{
    const struct polygraph *p = r->p;
    const struct fact *f = &p->facts.at[fact];
    uint32_t first = f->y, end = end_of_chain(r, f->z, fact), read;
    bool found = false;

    while ((read = refute_link(r, first, fact)) != NOBODY) {
        refute_need_source(r, read);
        first = p->previous[first];
    }
    if (version_is_initial(r->d, first))
        return STATUS_OK;
    need_links(r, f->z, end);
    refute_want(r, version_commit(p, end));
    TRY(refute_walk(r, version_begin(p, first), fact, &r->why[fact], &found, err));
    if (!found) {
        for (uint32_t i = p->reader_start[end]; i < p->reader_start[end + 1]; i++)
            if (p->known_since[p->readers[i]] <= fact)
                refute_want(r, node_begin(p, r->d->read_actor[p->readers[i]]));
        /* It may be linked by now, and was a reader then. */
        if (p->next[end] != NOBODY && refute_link(r, p->next[end], NOBODY) != NOBODY)
            refute_want(r, version_begin(p, p->next[end]));
        TRY(refute_walk(r, version_commit(p, first), fact, &r->why[fact], &found, err));
        assert(found);
        read = polygraph_read_of(p, path_end(r, r->why[fact]) / (p->is_snapshot ? 2 : 1), end);
        refute_need_source(r, read);
    }
    refute_need(r, r->why[fact]);
    return STATUS_OK;
}

static enum status need_path(struct refuter *r, uint32_t from, uint32_t to, uint32_t limit,
                             struct path *path, struct error *err)
{
    bool found = false;

    refute_want(r, to);
    TRY(refute_walk(r, from, limit, path, &found, err));
    assert(found);
    refute_need(r, *path);
    return STATUS_OK;
}

static enum status explain_overtaken(struct refuter *r, uint32_t fact, struct error *err)
{
    const struct fact *f = &r->p->facts.at[fact];
    uint32_t source = r->p->source[f->x];

    refute_need_source(r, f->x);
    if (version_is_initial(r->d, source))
        return STATUS_OK;
    return need_path(r, version_commit(r->p, source), version_begin(r->p, f->y), fact,
                     &r->why[fact], err);
}

static enum status explain_not_from(struct refuter *r, uint32_t fact, struct error *err)
{
    const struct polygraph *p = r->p;
    const struct fact *f = &p->facts.at[fact];
    uint32_t reader = node_begin(p, r->d->read_actor[f->x]);

    if (f->z == NOBODY)
        return need_path(r, reader, version_commit(p, f->y), fact, &r->why[fact], err);
    if (!version_is_initial(r->d, f->y))
        TRY(need_path(r, version_commit(p, f->y), version_begin(p, f->z), fact, &r->why_else[fact],
                      err));
    return need_path(r, version_commit(p, f->z), reader, fact, &r->why[fact], err);
}

static enum status explain(struct refuter *r, uint32_t fact, struct error *err)
{
    switch ((enum fact_kind)r->p->facts.at[fact].kind) {
    case FACT_ORDER:
        return explain_order(r, fact, err);
    case FACT_OVERTAKEN:
        return explain_overtaken(r, fact, err);
    case FACT_NOT_FROM:
        return explain_not_from(r, fact, err);
    default:
        return STATUS_OK;
    }
}

/* --- Steps ------------------------------------------------------------------------ */

static void write_order(struct refuter *r, uint32_t fact)
{
    const struct polygraph *p = r->p;
    const struct fact *f = &p->facts.at[fact];
    uint32_t first, end, last, reader, read;
    bool is_by_reader = false;

    steps_begin(r->s);
    steps_order_literal(r->s, f->from, f->to);
    first = refute_use_back(r, f->y, f->z, fact);
    if (first != NOBODY) {
        end = end_of_chain(r, f->z, fact);
        last = path_end(r, r->why[fact]);
        is_by_reader = last != version_commit(p, end);
        refute_use_forth(r, f->z, first, fact, is_by_reader);
        if (is_by_reader) {
            reader = last / (p->is_snapshot ? 2 : 1);
            read = polygraph_read_of(p, reader, end);
            refute_use_source(r, read);
            refute_use_overwrites(r, read, end, first);
        }
        steps_point(r->s, last);
        refute_use_path(r, r->why[fact]);
        refute_tell_order(r, fact, first, end, last);
    }
    r->step_of[fact] = steps_end(r->s);
}

static void write_overtaken(struct refuter *r, uint32_t fact)
{
    const struct fact *f = &r->p->facts.at[fact];
    uint32_t source = r->p->source[f->x];

    steps_begin(r->s);
    steps_order_literal(r->s, f->from, f->to);
    refute_use_source(r, f->x);
    refute_use_overwrites(r, f->x, source, f->y);
    if (!version_is_initial(r->d, source))
        refute_use_overtaking(r, source, f->y, r->why[fact]);
    r->step_of[fact] = steps_end(r->s);
}

/* That one comes before the other, as a step of its own: then it is used. */
static void use_path_as_step(struct refuter *r, uint32_t from, uint32_t to, struct path path)
{
    uint32_t step;

    steps_begin(r->s);
    steps_order_literal(r->s, from, to);
    refute_use_path(r, path);
    steps_point(r->s, to);
    step = steps_end(r->s);
    steps_use(r->s, step);
}

/* b of the source before c of the other, which a path from c to b shows. */
static void use_not_behind(struct refuter *r, uint32_t source, uint32_t other, struct path path)
{
    const struct polygraph *p = r->p;
    uint32_t step;

    steps_begin(r->s);
    steps_order_literal(r->s, version_begin(p, source), version_commit(p, other));
    refute_use_overtaking(r, source, other, path);
    step = steps_end(r->s);
    steps_use(r->s, step);
}

static void write_not_from(struct refuter *r, uint32_t fact)
{
    const struct polygraph *p = r->p;
    const struct fact *f = &p->facts.at[fact];
    uint32_t reader = node_begin(p, r->d->read_actor[f->x]);

    steps_begin(r->s);
    steps_source_literal(r->s, f->x, f->y, false);
    if (f->z == NOBODY) {
        steps_use(r->s, steps_axiom(r->s, (struct axiom){ AXIOM_FOLLOWS, f->x, f->y, 0 }));
        steps_point(r->s, version_commit(p, f->y));
        refute_use_path(r, r->why[fact]);
    } else {
        if (!version_is_initial(r->d, f->y))
            use_not_behind(r, f->y, f->z, r->why_else[fact]);
        use_path_as_step(r, version_commit(p, f->z), reader, r->why[fact]);
        refute_use_overwrites(r, f->x, f->y, f->z);
    }
    refute_tell_not_from(r, fact);
    r->step_of[fact] = steps_end(r->s);
}

static void write_fact(struct refuter *r, uint32_t fact)
{
    switch ((enum fact_kind)r->p->facts.at[fact].kind) {
    case FACT_ORDER:
        write_order(r, fact);
        return;
    case FACT_OVERTAKEN:
        write_overtaken(r, fact);
        return;
    case FACT_NOT_FROM:
        write_not_from(r, fact);
        return;
    default:
        return;
    }
}

/* --- The contradiction ------------------------------------------------------------ */

/* How many of the first facts have no cycle; the next one closes it. */
static enum status find_closing(struct refuter *r, uint32_t *closing, struct error *err)
{
    const struct polygraph *p = r->p;
    struct arrow *arrows;
    struct reach reach;
    size_t low = 0, high = p->facts.count;
    enum status status = STATUS_OK;

    TAKE(r->arena, arrows, p->facts.count, err);
    TRY(reach_init(&reach, p->node_count, 0, p->slot, p->place, r->arena, err));
    reach.kind = REACH_NOTHING;
    while (low + 1 < high && status == STATUS_OK) {
        size_t middle = low + (high - low) / 2, count = 0;
        bool is_acyclic = true;

        for (size_t i = 0; i < middle; i++)
            if (p->facts.at[i].from != NOBODY)
                arrows[count++] =
                    (struct arrow){ p->facts.at[i].from, p->facts.at[i].to, (uint32_t)i };
        status = reach_update(&reach, arrows, &count, &is_acyclic, err);
        if (is_acyclic)
            low = middle;
        else
            high = middle;
    }
    reach_close(&reach);
    *closing = (uint32_t)high - 1;
    return status;
}

/* The cycle as a path that begins at a transaction. */
static enum status find_cycle(struct refuter *r, struct path *path, struct error *err)
{
    const struct polygraph *p = r->p;
    uint32_t closing = 0, first_barrier = p->node_count - p->base->barrier_count, turn = 0;
    bool found = true;
    uint32_t *facts;

    TRY(find_closing(r, &closing, err));
    *path = (struct path){ (uint32_t)r->pool.count, 0 };
    if (p->facts.at[closing].from != p->facts.at[closing].to) {
        refute_want(r, p->facts.at[closing].from);
        TRY(refute_walk(r, p->facts.at[closing].to, closing, path, &found, err));
        assert(found);
    }
    TRY(array_push(&r->pool, closing, err));
    path->count++;
    while (p->facts.at[r->pool.at[path->start + turn]].from >= first_barrier)
        turn++;
    TAKE(r->arena, facts, path->count, err);
    for (uint32_t i = 0; i < path->count; i++)
        facts[i] = r->pool.at[path->start + (i + turn) % path->count];
    memcpy(r->pool.at + path->start, facts, path->count * sizeof *facts);
    refute_need(r, *path);
    return STATUS_OK;
}

static enum status need_and_write(struct refuter *r, struct error *err)
{
    for (size_t i = r->p->facts.count; i-- > 0;)
        if (r->is_needed[i])
            TRY(explain(r, (uint32_t)i, err));
    for (size_t i = 0; i < r->p->facts.count; i++)
        if (r->is_needed[i])
            write_fact(r, (uint32_t)i);
    return STATUS_OK;
}

/* Whether the edge is one whatever the level: nothing was supposed, to find it. */
static bool is_plain(const struct refuter *r, const struct fact *f)
{
    if (f->kind == FACT_FOLLOWS)
        return r->d->read_source[f->x] != NOBODY;
    if (f->kind == FACT_OVERTAKEN)
        return r->d->read_source[f->x] != NOBODY &&
               version_is_initial(r->d, r->d->read_source[f->x]);
    return f->kind != FACT_ORDER;
}

static void classify(struct refuter *r, struct path cycle)
{
    struct steps *s = r->s;

    s->is_cycle = true;
    for (uint32_t i = cycle.start; i < cycle.start + cycle.count; i++) {
        const struct fact *f = &r->p->facts.at[r->pool.at[i]];

        s->is_cycle = s->is_cycle && is_plain(r, f);
        s->anti_count += f->kind == FACT_OVERTAKEN || f->kind == FACT_ABSENT;
        s->read_count += f->kind == FACT_FOLLOWS;
    }
}

static enum status refute_facts(struct refuter *r, struct error *err)
{
    const struct polygraph *p = r->p;
    const struct distilled *d = r->d;
    uint32_t read = p->read_without;
    struct path cycle = { 0 };

    if (read == NOBODY && p->some_without == NOBODY)
        TRY(find_cycle(r, &cycle, err));
    else if (read == NOBODY)
        refute_need_some(r, p->some_without);
    else
        refute_need_source(r, read);
    TRY(need_and_write(r, err));
    steps_begin(r->s);
    if (read == NOBODY && p->some_without != NOBODY) {
        refute_use_some(r, p->some_without);
    } else if (read == NOBODY) {
        refute_use_path(r, cycle);
        refute_tell_cycle(r, cycle);
        classify(r, cycle);
    } else {
        refute_tell_read(r, read);
        for (uint32_t c = d->candidate_start[read]; c < d->candidate_start[read + 1]; c++)
            steps_use(r->s, r->step_of[r->gone_fact[c]]);
        steps_use(r->s, steps_axiom(r->s, (struct axiom){ AXIOM_READS, read, 0, 0 }));
    }
    steps_end(r->s);
    return STATUS_OK;
}

static enum status refute_all(struct refuter *r, const struct open_pairs *pairs,
                              const struct search_proof *proof, struct error *err)
{
    TRY(refute_lay_out(r, err));
    if (!proof)
        return refute_facts(r, err);
    TRY(refute_need_search(r, pairs, proof, err));
    TRY(need_and_write(r, err));
    return refute_write_search(r, pairs, proof, err);
}

enum status refute(struct steps *s, const struct polygraph *p, const struct open_pairs *pairs,
                   const struct search_proof *proof, struct arena *arena, struct error *err)
{
    struct refuter r = { .s = s, .p = p, .d = p->d, .arena = arena };
    enum status status = refute_all(&r, pairs, proof, err);

    array_close(&r.pool);
    if (status == STATUS_OK)
        status = s->status;
    return status == STATUS_OK ? buffer_status(&s->out, err) : status;
}
