#include "checkers/search/refuter/refute.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "checkers/proof/proof.h"
#include "checkers/proof/tell.h"
#include "checkers/search/refuter/refute_private.h"
#include "checkers/search/refuter/refute_search_private.h"

/* --- In words -------------------------------------------------------------------- */

/*
 * The same in words: what was forced, in the order in which it was, and the cycle in the end.
 *
 *     T1 wrote x=1, which T2 overwrote: otherwise T2 would come before T1, but T1 wrote y=1,
 *     which T2 read. T2 wrote z=1, which T3 read; ...; so T2 comes before itself
 */

#define WORDS_MAX 3000 /* bytes: beyond that only how many steps there are besides */

static uint32_t txn_of_version(const struct refuter *r, uint32_t version)
{
    return r->d->actor_txn[r->d->version_actor[version]];
}

static struct edge edge_of_versions(const struct refuter *r, uint32_t first, uint32_t second)
{
    return (struct edge){ .kind = EDGE_WW,
                          .from = txn_of_version(r, first),
                          .to = txn_of_version(r, second),
                          .key = r->d->key_name[r->d->version_key[first]],
                          .version = r->d->version_op[first],
                          .other = r->d->version_op[second] };
}

/* From the writer to the reader, or from the reader to who overwrote it. */
static struct edge edge_of_read(const struct refuter *r, enum edge_kind kind, uint32_t read,
                                uint32_t version)
{
    const struct distilled *d = r->d;
    uint32_t reader = d->actor_txn[d->read_actor[read]], writer = txn_of_version(r, version);
    bool is_look = op_is_head(d->history->op_kind[d->read_op[read]]);
    enum edge_kind of_look = kind == EDGE_WR ? EDGE_PREDICATE_WR : EDGE_PREDICATE_RW;

    return (struct edge){ .kind = (uint8_t)(is_look ? of_look : kind),
                          .from = kind == EDGE_WR ? writer : reader,
                          .to = kind == EDGE_WR ? reader : writer,
                          .op = d->read_op[read],
                          .key = d->key_name[d->read_key[read]],
                          .version = d->version_op[kind == EDGE_WR ? version : r->p->source[read]],
                          .other = d->version_op[version] };
}

/* False: it is not worth a word. */
static bool edge_of(const struct refuter *r, const struct fact *f, uint32_t *entered,
                    struct edge *edge)
{
    uint32_t first_barrier = r->p->node_count - r->p->base->barrier_count;

    switch ((enum fact_kind)f->kind) {
    case FACT_BASE:
        *edge = (struct edge){ .kind = EDGE_PROCESS,
                               .from = r->d->actor_txn[f->x],
                               .to = r->d->actor_txn[f->y] };
        return true;
    case FACT_TIME:
        if (f->from < first_barrier)
            *entered = f->x;
        if (f->to >= first_barrier)
            return false;
        *edge = (struct edge){ .kind = EDGE_REALTIME,
                               .from = r->d->actor_txn[*entered],
                               .to = r->d->actor_txn[f->x] };
        return true;
    case FACT_FOLLOWS:
        *edge = edge_of_read(r, EDGE_WR, f->x, f->y);
        return true;
    case FACT_ABSENT:
    case FACT_OVERTAKEN:
        *edge = edge_of_read(r, EDGE_RW, f->x, f->y);
        return true;
    case FACT_PREFIX:
    case FACT_PAIR:
    case FACT_ORDER:
        *edge = edge_of_versions(r, f->y, f->z);
        return true;
    default:
        return false;
    }
}

static void tell_path(struct refuter *r, struct path path)
{
    struct buffer *out = &r->s->words;
    uint32_t entered = NOBODY;
    const char *between = "";

    for (uint32_t i = path.start; i < path.start + path.count; i++) {
        struct edge edge;

        if (!edge_of(r, &r->p->facts.at[r->pool.at[i]], &entered, &edge))
            continue;
        buffer_text(out, text_of(between));
        proof_tell_edge(out, r->d->history, &edge);
        between = "; ";
    }
}

static bool has_room(struct steps *s)
{
    s->untold += s->words.count >= WORDS_MAX;
    return s->words.count < WORDS_MAX;
}

static void refute_tell_order(struct refuter *r, uint32_t fact, uint32_t first, uint32_t end,
                              uint32_t last)
{
    struct buffer *out = &r->s->words;
    const struct fact *f = &r->p->facts.at[fact];
    const struct history *h = r->d->history;
    struct edge edge = edge_of_versions(r, f->y, f->z);
    uint32_t reader = last / (r->p->is_snapshot ? 2 : 1);

    if (!has_room(r->s))
        return;
    proof_tell_edge(out, h, &edge);
    tell_print(out, h, ": otherwise %T", r->d->actor_txn[reader]);
    if (last != version_commit(r->p, end)) {
        buffer_text(out, TEXT(", which read "));
        tell_key_value(out, h, edge.key, history_value(h, r->d->version_op[end]));
        buffer_byte(out, ',');
    }
    tell_print(out, h, " would come before %T, but ", txn_of_version(r, first));
    tell_path(r, r->why[fact]);
    buffer_text(out, TEXT(". "));
}

static void refute_tell_not_from(struct refuter *r, uint32_t fact)
{
    struct buffer *out = &r->s->words;
    const struct fact *f = &r->p->facts.at[fact];
    const struct history *h = r->d->history;

    if (!has_room(r->s))
        return;
    tell_print(out, h, "%T did not read %K", r->d->actor_txn[r->d->read_actor[f->x]],
               r->d->key_name[r->d->read_key[f->x]]);
    if (version_is_initial(r->d, f->y)) {
        buffer_text(out, TEXT(" as it was in the beginning"));
    } else {
        tell_print(out, h, " from %T", txn_of_version(r, f->y));
    }
    if (f->z != NOBODY) {
        tell_print(out, h, ", as %T overwrote that before", txn_of_version(r, f->z));
    }
    buffer_text(out, TEXT(": "));
    tell_path(r, r->why[fact]);
    if (r->why_else[fact].count > 0 && r->why[fact].count > 0)
        buffer_text(out, TEXT("; "));
    tell_path(r, r->why_else[fact]);
    buffer_text(out, TEXT(". "));
}

static void refute_tell_cycle(struct refuter *r, struct path cycle)
{
    struct buffer *out = &r->s->words;
    const struct history *h = r->d->history;
    uint32_t each = r->p->is_snapshot ? 2 : 1;
    uint32_t first = r->p->facts.at[r->pool.at[cycle.start]].from / each;

    if (r->s->untold > 0)
        buffer_print(out, "(%" PRIu32 " more such steps.) ", r->s->untold);
    tell_path(r, cycle);
    tell_print(out, h, "; so %T comes before itself", r->d->actor_txn[first]);
}

static void refute_tell_read(struct refuter *r, uint32_t read)
{
    struct buffer *out = &r->s->words;
    const struct history *h = r->d->history;

    if (r->s->untold > 0)
        buffer_print(out, "(%" PRIu32 " more such steps.) ", r->s->untold);
    tell_print(out, h, "So %T", r->d->actor_txn[r->d->read_actor[read]]);
    if (op_is_head(h->op_kind[r->d->read_op[read]])) {
        tell_print(out, h, " can have seen no version of %K that agrees with its answer to %Q",
                   r->d->key_name[r->d->read_key[read]], r->d->read_op[read]);
        return;
    }
    buffer_text(out, TEXT(" can have read "));
    tell_key_value(out, h, r->d->key_name[r->d->read_key[read]],
                   history_value(h, r->d->read_op[read]));
    buffer_text(out, TEXT(" from nobody"));
}

/* --- Paths --------------------------------------------------------------------- */

/*
 * Paths through the facts that were known at some time, and which facts they need.
 */

static enum status refute_lay_out(struct refuter *r, struct error *err)
{
    const struct polygraph *p = r->p;
    size_t nodes = p->node_count, facts = p->facts.count;

    TAKE(r->arena, r->start, nodes + 2, err);
    TAKE(r->arena, r->leading, facts, err);
    TAKE(r->arena, r->why, facts, err);
    TAKE(r->arena, r->why_else, facts, err);
    TAKE(r->arena, r->is_needed, facts, err);
    TAKE(r->arena, r->step_of, facts, err);
    TAKE(r->arena, r->gone_fact, r->d->candidate_start[r->d->read_count], err);
    TAKE(r->arena, r->source_step, r->d->read_count, err);
    TAKE(r->arena, r->came_by, nodes, err);
    TAKE(r->arena, r->visited, nodes, err);
    TAKE(r->arena, r->wanted, nodes, err);
    TAKE(r->arena, r->queue, nodes, err);
    memset(r->source_step, 0xff, r->d->read_count * sizeof *r->source_step);
    r->walk = 1;
    for (size_t i = 0; i < facts; i++)
        if (p->facts.at[i].from != NOBODY)
            r->start[p->facts.at[i].from + 2]++;
    for (size_t node = 0; node < nodes; node++)
        r->start[node + 2] += r->start[node + 1];
    for (size_t i = 0; i < facts; i++) {
        const struct fact *f = &p->facts.at[i];

        if (f->from != NOBODY) {
            r->leading[r->start[f->from + 1]++] = (uint32_t)i;
            continue;
        }
        for (uint32_t c = r->d->candidate_start[f->x]; c < r->d->candidate_start[f->x + 1]; c++)
            if (r->d->candidates[c] == f->y)
                r->gone_fact[c] = (uint32_t)i;
    }
    return STATUS_OK;
}

void refute_want(struct refuter *r, uint32_t node)
{
    r->wanted[node] = r->walk;
}

static enum status trace(struct refuter *r, uint32_t from, uint32_t to, struct path *path,
                         struct error *err)
{
    uint32_t first;

    path->start = (uint32_t)r->pool.count;
    do {
        TRY(array_push(&r->pool, r->came_by[to], err));
        to = r->p->facts.at[r->came_by[to]].from;
    } while (to != from);
    path->count = (uint32_t)r->pool.count - path->start;
    first = path->start;
    for (uint32_t last = (uint32_t)r->pool.count - 1; first < last; first++, last--) {
        uint32_t swap = r->pool.at[first];

        r->pool.at[first] = r->pool.at[last];
        r->pool.at[last] = swap;
    }
    return STATUS_OK;
}

enum status refute_walk(struct refuter *r, uint32_t from, uint32_t limit, struct path *path,
                        bool *found, struct error *err)
{
    uint32_t walk = r->walk++, count = 0;

    r->queue[count++] = from;
    *found = false;
    *path = (struct path){ 0 };
    for (uint32_t next = 0; next < count; next++) {
        uint32_t node = r->queue[next];

        for (uint32_t i = r->start[node]; i < r->start[node + 1] && r->leading[i] < limit; i++) {
            uint32_t to = r->p->facts.at[r->leading[i]].to;

            if (r->visited[to] == walk)
                continue;
            r->visited[to] = walk;
            r->came_by[to] = r->leading[i];
            *found = r->wanted[to] == walk;
            if (*found)
                return trace(r, from, to, path, err);
            r->queue[count++] = to;
        }
    }
    return STATUS_OK;
}

void refute_need_source(struct refuter *r, uint32_t read)
{
    if (r->d->read_source[read] != NOBODY)
        return;
    for (uint32_t c = r->d->candidate_start[read]; c < r->d->candidate_start[read + 1]; c++)
        if (r->p->is_gone[c])
            r->is_needed[r->gone_fact[c]] = 1;
}

void refute_need_some(struct refuter *r, uint32_t some)
{
    const struct some *s = &r->d->somes[some];

    for (uint32_t k = s->start; k < s->start + s->count; k++)
        refute_need_source(r, r->d->some_read[k]);
}

void refute_need(struct refuter *r, struct path path)
{
    for (uint32_t i = path.start; i < path.start + path.count; i++) {
        const struct fact *f = &r->p->facts.at[r->pool.at[i]];

        r->is_needed[r->pool.at[i]] = 1;
        if (f->kind == FACT_FOLLOWS)
            refute_need_source(r, f->x);
    }
}

/* --- Writing ------------------------------------------------------------------- */

/*
 * What is written of facts, into the draft of a step.
 */

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
        use_axiom(r, AXIOM_PROGRAM, r->d->version_actor[version], 0, 0);
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

/* A read of the version by the actor that was known before `limit`, or NOBODY. */
static uint32_t refute_read_of(const struct refuter *r, uint32_t actor, uint32_t version,
                               uint32_t limit)
{
    const struct polygraph *p = r->p;

    for (uint32_t i = p->reads_start[actor]; i < p->reads_start[actor + 1]; i++)
        if (p->source[p->reads[i]] == version && p->known_since[p->reads[i]] <= limit)
            return p->reads[i];
    return NOBODY;
}

uint32_t refute_link(const struct refuter *r, uint32_t version, uint32_t limit)
{
    uint32_t before = r->p->previous[version];

    return before == NOBODY ? NOBODY
                            : refute_read_of(r, r->d->version_actor[version], before, limit);
}

void refute_use_lemma(struct refuter *r, uint32_t x, uint32_t y)
{
    const struct polygraph *p = r->p;

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
    steps_use(r->s, steps_end(r->s));
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
        TRY(refute_walk(r, version_commit(p, first), fact, &r->why[fact], &found, err));
        assert(found);
        read = refute_read_of(r, path_end(r, r->why[fact]) / (p->is_snapshot ? 2 : 1), end, fact);
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
            read = refute_read_of(r, reader, end, fact);
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
    steps_begin(r->s);
    steps_order_literal(r->s, from, to);
    refute_use_path(r, path);
    steps_point(r->s, to);
    steps_use(r->s, steps_end(r->s));
}

/* b of the source before c of the other, which a path from c to b shows. */
static void use_not_behind(struct refuter *r, uint32_t source, uint32_t other, struct path path)
{
    const struct polygraph *p = r->p;
    steps_begin(r->s);
    steps_order_literal(r->s, version_begin(p, source), version_commit(p, other));
    refute_use_overtaking(r, source, other, path);
    steps_use(r->s, steps_end(r->s));
}

static void write_not_from(struct refuter *r, uint32_t fact)
{
    const struct polygraph *p = r->p;
    const struct fact *f = &p->facts.at[fact];
    uint32_t reader = node_begin(p, r->d->read_actor[f->x]);

    steps_begin(r->s);
    steps_source_literal(r->s, f->x, f->y, false);
    if (f->z == NOBODY) {
        use_axiom(r, AXIOM_FOLLOWS, f->x, f->y, 0);
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
    TRY(reach_init(&reach, &(struct reach_slots){ p->node_count, 0, p->slot, p->place }, r->arena,
                   err));
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
        use_axiom(r, AXIOM_READS, read, 0, 0);
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
