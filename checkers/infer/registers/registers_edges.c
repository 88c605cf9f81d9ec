/*
 * Draws the edges that the version orders of registers imply.
 *
 *     v --link--> w     wr of v to its readers; rw from these to the writer of w; ww from the
 *                       writer of v to that of w, but not where w's writer read v: there a wr
 *                       stands already, and ww would make a G0 of what is a G1c; and only among
 *                       edges that are kept where session order or real time leads there too
 *
 * Many readers of a version and many versions that follow it make more edges than can
 * be told; so they meet in hubs. A reader may have written one of those that follow, and
 * nothing leads from it to itself: where it is the i-th, it goes to all before and to all
 * behind:
 *
 *     B1 <- B2 <- ... <- Bn      Bi also leads to the writer of the i-th
 *     A1 -> A2 -> ... -> An      and so does Ai
 *
 *     the i-th itself goes to B(i-1) and A(i+1), everybody else to Bn
 */
#include "checkers/infer/registers/registers_edges.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/sort.h"
#include "checkers/infer/registers/registers.h"

/* --- By real time -------------------------------------------------------------- */

/*
 * Which version of a register comes before which by real time.
 *
 *     T1 wrote v   |-----|                     v was there when T1 had completed; w was still
 *     T2 read v         |-------|              there when T3 began: v before w
 *     T3 read w               |-----|
 *
 * Of each version two moments count: the earliest at which one who wrote or read it had
 * completed, and the latest at which such a one began. v comes before w where the first
 * of v is before the second of w. Of these only some are said: v is left out before w where a
 * third one stands between. Versions precede each other exactly if some two do.
 */

#define LINKS_A_VERSION 64 /* on average; beyond that the strict levels are undecided */

struct lifetime {
    int64_t known, used;         /* completed first, began last */
    uint32_t known_by, used_by; /* whose moments these are */
    uint32_t version;
};

/* The three latest of those known so far to have been in use. */
struct latest {
    struct lifetime at[3];
};

struct timing {
    struct registers *registers;
    struct lifetime *lifetimes; /* by version; then by key and `known` */
    ARRAY(struct latest) latest;
    bool is_too_large;
};

static void note_use(struct timing *t, uint32_t version, uint32_t txn)
{
    const struct history *h = t->registers->infer->history;
    struct lifetime *life = &t->lifetimes[version];
    int64_t completed = h->txn_completed[txn], invoked = h->txn_invoked[txn];

    if (h->txn_status[txn] == TXN_OK && completed != TIME_ABSENT && completed < life->known) {
        life->known = completed;
        life->known_by = txn;
    }
    if (invoked != TIME_ABSENT && invoked > life->used) {
        life->used = invoked;
        life->used_by = txn;
    }
}

static enum status note_all(struct timing *t, struct error *err)
{
    const struct registers *r = t->registers;
    const struct inferred_versions *v = &r->infer->versions;

    TRY(memory_resize((void **)&t->lifetimes, v->count, sizeof *t->lifetimes, err));
    for (uint32_t n = 0; n < v->count; n++) {
        t->lifetimes[n] = (struct lifetime){ TIME_NEVER, TIME_ABSENT, 0, 0, n };
        if (v->is_final[n] && r->infer->places.standing[v->txn[n]] != STANDING_OUT)
            note_use(t, n, v->txn[n]);
    }
    for (size_t i = 0; i < r->reads.count; i++)
        if (!register_is_initial(r, r->reads.at[i].node))
            note_use(t, r->reads.at[i].node, r->reads.at[i].txn);
    return STATUS_OK;
}

static int compare_known(const void *a, const void *b)
{
    const struct lifetime *x = a, *y = b;

    if (x->known != y->known)
        return x->known < y->known ? -1 : 1;
    return (x->version > y->version) - (x->version < y->version);
}

/* Mostly they are in order but for a few. */
static void sort_lifetimes(struct lifetime *lives, uint32_t count)
{
    uint64_t moves = 0;

    for (uint32_t i = 1; i < count; i++) {
        struct lifetime life = lives[i];
        uint32_t place = i;

        for (; place > 0 && compare_known(&lives[place - 1], &life) > 0; place--)
            lives[place] = lives[place - 1];
        lives[place] = life;
        moves += i - place;
        if (moves > 16 * (uint64_t)count) {
            qsort(lives, count, sizeof *lives, compare_known);
            return;
        }
    }
}

static struct latest latest_with(struct latest l, struct lifetime life)
{
    for (unsigned i = 0; i < 3; i++)
        if (life.used > l.at[i].used) {
            struct lifetime next = l.at[i];

            l.at[i] = life;
            life = next;
        }
    return l;
}

static enum status link_pair(struct timing *t, const struct lifetime *v, const struct lifetime *w,
                             struct error *err)
{
    struct registers *r = t->registers;
    struct version_link link = { v->version, w->version, v->known_by, w->used_by,
                                 r->infer->versions.txn[w->version] == w->used_by };

    if (r->links[SOURCE_TIME].count >
        (size_t)LINKS_A_VERSION * r->infer->versions.count + LINKS_A_VERSION) {
        t->is_too_large = true;
        return STATUS_OK;
    }
    return array_push(&r->links[SOURCE_TIME], link, err);
}

/* How many were known before the moment. */
static uint32_t known_before(const struct lifetime *lives, uint32_t count, int64_t moment)
{
    uint32_t place;

    BISECT(place, 0, count, lives[place].known < moment);
    return place;
}

/* A version that precedes this one and that this one precedes. Both are linked. */
static enum status link_circle(struct timing *t, const struct lifetime *w,
                               const struct latest *latest, bool *found, struct error *err)
{
    const struct lifetime *other = &latest->at[latest->at[0].version == w->version];

    *found = other->used > w->known;
    if (!*found)
        return STATUS_OK;
    TRY(link_pair(t, other, w, err));
    return link_pair(t, w, other, err);
}

/* Those that come before w, but for those that one of the latest stands behind. */
static enum status link_behind(struct timing *t, const struct lifetime *lives, uint32_t before,
                               const struct lifetime *w, struct error *err)
{
    int64_t latest = t->latest.at[before].at[2].used;

    for (uint32_t i = before; i-- > 0 && lives[i].known >= latest && !t->is_too_large;)
        if (lives[i].version != w->version)
            TRY(link_pair(t, &lives[i], w, err));
    return STATUS_OK;
}

static enum status link_key(struct timing *t, struct lifetime *lives, uint32_t count,
                            struct error *err)
{
    struct latest latest = { { { .used = TIME_ABSENT, .version = INFER_NOTHING },
                               { .used = TIME_ABSENT, .version = INFER_NOTHING },
                               { .used = TIME_ABSENT, .version = INFER_NOTHING } } };
    bool has_circle = false;

    if (count < 2)
        return STATUS_OK;
    sort_lifetimes(lives, count);
    t->latest.count = 0;
    TRY(array_reserve(&t->latest, (size_t)count + 1, err));
    for (uint32_t i = 0; i < count; i++) {
        t->latest.at[i] = latest;
        latest = latest_with(latest, lives[i]);
    }
    t->latest.at[count] = latest;
    for (uint32_t i = 0; i < count && !has_circle; i++)
        TRY(link_circle(t, &lives[i], &t->latest.at[known_before(lives, count, lives[i].used)],
                        &has_circle, err));
    for (uint32_t i = 0; i < count && !has_circle && !t->is_too_large; i++)
        TRY(link_behind(t, lives, known_before(lives, count, lives[i].used), &lives[i], err));
    return STATUS_OK;
}

static enum status link_keys(struct timing *t, struct error *err)
{
    const struct infer *c = t->registers->infer;

    TRY(note_all(t, err));
    for (uint32_t key = 0; key < c->history->key_count && !t->is_too_large; key++)
        if (c->key_kind[key] == KEY_REGISTER)
            TRY(link_key(t, t->lifetimes + c->versions.start[key],
                         c->versions.start[key + 1] - c->versions.start[key], err));
    return STATUS_OK;
}

/* The same by real time. */
static enum status registers_link_times(struct registers *r, struct error *err)
{
    struct infer *c = r->infer;
    struct timing t = { .registers = r };
    enum status status;

    if (!c->history->txn_invoked || !c->history->txn_completed)
        return STATUS_OK;
    status = link_keys(&t, err);
    if (t.is_too_large) {
        r->links[SOURCE_TIME].count = 0;
        c->undecided |= LEVEL_BIT(LEVEL_STRICT_SNAPSHOT) | LEVEL_BIT(LEVEL_STRICT_SERIALIZABLE);
        if (level_closing(c->options->level) == CLOSING_TIME)
            check_doubt(c->check, "too many writes of a key overlap in time: their order by real "
                                  "time is too large to be looked through");
    }
    free(t.lifetimes);
    array_close(&t.latest);
    return status;
}

/* --- By transactions and sessions ---------------------------------------------- */

/*
 * Which version of a register comes before which.
 *
 *     T reads v and leaves w                          v before w
 *     a session wrote or read v, and later wrote w    v before w
 *     a session wrote v, and later read w             v before w
 *     a session read v, and later read w              v before w, from causal on
 *
 * In a session it is enough to remember, of each key, what it wrote last and what it
 * has read since: each of these leads to the next write, and is forgotten.
 */

struct known_read {
    uint32_t node, txn, next; /* of the same key: a place in the pool, or INFER_NOTHING */
};

struct session_walk {
    struct registers *registers;
    uint32_t *txns;    /* by session, and as the history goes */
    uint32_t *session; /* by key: whose knowledge this is, plus one */
    uint32_t *write;   /* by key: the version, or INFER_NOTHING */
    uint32_t *reads;   /* by key: the last in the pool, or INFER_NOTHING */
    ARRAY(struct known_read) pool;
};

static enum status add_link(struct registers *r, enum order_source by, struct version_link link,
                            struct error *err)
{
    /* An update has its wr edge beside it, and no ww. */
    link.is_parallel = by == SOURCE_SESSION && r->infer->versions.txn[link.to] == link.second;

    if (link.from == link.to)
        return STATUS_OK;
    return array_push(&r->links[by], link, err);
}

static enum status link_updates(struct registers *r, struct error *err)
{
    for (size_t i = 0; i < r->reads.count; i++) {
        const struct register_read *read = &r->reads.at[i];

        if (register_is_update(read))
            TRY(add_link(r, SOURCE_UPDATE,
                         (struct version_link){ read->node, read->own, read->txn, read->txn, false }, err));
    }
    return STATUS_OK;
}

/* --- Sessions ----------------------------------------------------------------------- */

static enum status sort_by_session(struct session_walk *w, struct error *err)
{
    const struct history *h = w->registers->infer->history;
    uint32_t *start = NULL;
    enum status status =
        check_memory((void **)&start, h->session_count + 1, sizeof *start, 0, err);

    if (status == STATUS_OK)
        status = memory_resize((void **)&w->txns, h->txn_count, sizeof *w->txns, err);
    if (status == STATUS_OK) {
        for (uint32_t t = 0; t < h->txn_count; t++)
            start[h->txn_session[t] + 1]++;
        array_sum_prefixes(start, h->session_count + 1);
        for (uint32_t t = 0; t < h->txn_count; t++)
            w->txns[start[h->txn_session[t]]++] = t;
    }
    free(start);
    return status;
}

static void forget_others(struct session_walk *w, uint32_t key, uint32_t session)
{
    if (w->session[key] == session + 1)
        return;
    w->session[key] = session + 1;
    w->write[key] = w->reads[key] = INFER_NOTHING;
}

static enum status link_read(struct session_walk *w, uint32_t key, uint32_t node, uint32_t txn,
                             struct error *err)
{
    struct registers *r = w->registers;
    const uint32_t *writer = r->infer->versions.txn;

    /* What comes before the initial version is seen by those who read that. */
    if (register_is_initial(r, node))
        return STATUS_OK;
    if (w->write[key] != INFER_NOTHING)
        TRY(add_link(r, SOURCE_SESSION,
                     (struct version_link){ w->write[key], node, writer[w->write[key]], txn, false }, err));
    if (w->reads[key] != INFER_NOTHING) {
        const struct known_read *last = &w->pool.at[w->reads[key]];

        TRY(add_link(r, SOURCE_SESSION_READS,
                     (struct version_link){ last->node, node, last->txn, txn, false }, err));
    }
    return STATUS_OK;
}

static enum status link_write(struct session_walk *w, uint32_t key, uint32_t version, uint32_t txn,
                              struct error *err)
{
    struct registers *r = w->registers;
    uint32_t before = w->write[key];

    if (before != INFER_NOTHING)
        TRY(add_link(r, SOURCE_SESSION,
                     (struct version_link){ before, version, r->infer->versions.txn[before], txn, false }, err));
    for (uint32_t i = w->reads[key]; i != INFER_NOTHING; i = w->pool.at[i].next)
        TRY(add_link(r, SOURCE_SESSION,
                     (struct version_link){ w->pool.at[i].node, version, w->pool.at[i].txn, txn, false }, err));
    return STATUS_OK;
}

static enum status know_read(struct session_walk *w, const struct register_read *read, uint32_t key,
                             struct error *err)
{
    struct known_read known = { read->node, read->txn, w->reads[key] };

    if (register_is_initial(w->registers, read->node) ||
        (known.next != INFER_NOTHING && w->pool.at[known.next].node == read->node))
        return STATUS_OK;
    TRY(array_push(&w->pool, known, err));
    w->reads[key] = (uint32_t)w->pool.count - 1;
    return STATUS_OK;
}

/* Whether an operation left what its transaction has of a register. */
static bool leaves_version(const struct registers *r, uint32_t op)
{
    const struct history *h = r->infer->history;

    return history_makes_version(h, op) && r->infer->key_kind[h->op_key[op]] == KEY_REGISTER &&
           r->infer->versions.is_final[r->number_of[op]];
}

static enum status link_txn(struct session_walk *w, uint32_t txn, uint32_t session,
                            struct error *err)
{
    struct registers *r = w->registers;
    const struct history *h = r->infer->history;
    bool is_committed = infer_is_committed(r->infer, txn);

    for (uint32_t i = r->read_start[txn]; i < r->read_start[txn + 1]; i++) {
        uint32_t key = h->op_key[r->reads.at[i].op];

        forget_others(w, key, session);
        TRY(link_read(w, key, r->reads.at[i].node, txn, err));
    }
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1]; op++) {
        if (!leaves_version(r, op))
            continue;
        forget_others(w, h->op_key[op], session);
        TRY(link_write(w, h->op_key[op], r->number_of[op], txn, err));
    }
    for (uint32_t i = r->read_start[txn]; i < r->read_start[txn + 1] && is_committed; i++)
        if (r->reads.at[i].own == INFER_NOTHING)
            TRY(know_read(w, &r->reads.at[i], h->op_key[r->reads.at[i].op], err));
    for (uint32_t op = h->txn_op[txn]; op < h->txn_op[txn + 1] && is_committed; op++) {
        if (!leaves_version(r, op))
            continue;
        w->write[h->op_key[op]] = r->number_of[op];
        w->reads[h->op_key[op]] = INFER_NOTHING;
    }
    return STATUS_OK;
}

static enum status walk_sessions(struct session_walk *w, struct error *err)
{
    const struct infer *c = w->registers->infer;
    const struct history *h = c->history;

    TRY(sort_by_session(w, err));
    TRY(check_memory((void **)&w->session, h->key_count, sizeof *w->session, 0, err));
    TRY(memory_resize((void **)&w->write, h->key_count, sizeof *w->write, err));
    TRY(memory_resize((void **)&w->reads, h->key_count, sizeof *w->reads, err));
    for (size_t i = 0; i < h->txn_count; i++) {
        uint32_t txn = w->txns[i];

        if (i > 0 && h->txn_session[w->txns[i - 1]] != h->txn_session[txn])
            w->pool.count = 0;
        if (c->places.standing[txn] != STANDING_OUT)
            TRY(link_txn(w, txn, h->txn_session[txn], err));
    }
    return STATUS_OK;
}

static enum status link_sessions(struct registers *r, struct error *err)
{
    struct session_walk w = { .registers = r };
    enum status status = walk_sessions(&w, err);

    free(w.txns);
    free(w.session);
    free(w.write);
    free(w.reads);
    array_close(&w.pool);
    return status;
}

enum status registers_link(struct registers *r, struct error *err)
{
    TRY(link_updates(r, err));
    TRY(link_sessions(r, err));
    return registers_link_times(r, err);
}

#define FEW 4 /* readers or links: each pair is said */

struct grouping {
    struct registers *registers;
    uint32_t *start; /* by node, and one more */
    uint32_t *mark;  /* by version: the group that has it, plus one */
    uint32_t next_count;
};

/* --- Groups ------------------------------------------------------------------------- */

/* A circle took the link away. */
static bool is_lost(const struct registers *r, uint32_t to, uint8_t by)
{
    static const uint8_t takers[] = {
        [SOURCE_CERTAIN] = 0,
        [SOURCE_UPDATE] = CIRCLE_OF_DATA,
        [SOURCE_SESSION] = CIRCLE_OF_DATA | CIRCLE_OF_SESSION,
        [SOURCE_SESSION_READS] = CIRCLE_OF_DATA | CIRCLE_OF_SESSION | CIRCLE_OF_READS,
        [SOURCE_TIME] = CIRCLE_OF_DATA | CIRCLE_OF_TIME,
    };

    return r->circles && (r->circles[register_key(r, to)] & takers[by]);
}

/* Versions that nothing but the initial one precedes, as far as updates say, follow that. */
static enum status link_initial(struct registers *r, struct error *err)
{
    const struct infer *c = r->infer;
    bool *has_before = NULL; /* by version */
    enum status status =
        check_memory((void **)&has_before, c->versions.count, sizeof *has_before, 0, err);

    for (size_t i = 0; status == STATUS_OK && i < r->links[SOURCE_UPDATE].count; i++)
        has_before[r->links[SOURCE_UPDATE].at[i].to] =
            !is_lost(r, r->links[SOURCE_UPDATE].at[i].to, SOURCE_UPDATE);
    for (uint32_t n = 0; status == STATUS_OK && n < c->versions.count; n++) {
        uint32_t key = register_key(r, n), initial = register_initial(r, key);
        struct version_link link = { initial, n, 0, 0, false };

        if (c->key_kind[key] != KEY_REGISTER || has_before[n] || !c->versions.is_final[n] ||
            c->places.standing[c->versions.txn[n]] == STANDING_OUT ||
            (!c->predicted && r->reader_start[initial] == r->reader_start[initial + 1]))
            continue;
        status = array_push(&r->links[SOURCE_CERTAIN], link, err);
    }
    free(has_before);
    return status;
}

static void count_links(struct grouping *g, uint8_t by, bool is_parallel, uint32_t *sorted)
{
    const struct registers *r = g->registers;
    const version_links *links = &r->links[by];

    for (size_t i = 0; i < links->count; i++) {
        if (links->at[i].is_parallel != is_parallel || is_lost(r, links->at[i].to, by))
            continue;
        if (sorted)
            sorted[g->start[links->at[i].from + 1]++] = links->at[i].to;
        else
            g->start[links->at[i].from + 2]++;
    }
}

/* The links of one source become groups, each in the order of numbers. */
static enum status group_source(struct grouping *g, uint8_t by, bool is_parallel,
                                struct error *err)
{
    struct registers *r = g->registers;
    uint32_t *sorted = NULL;
    size_t nodes = (size_t)r->node_count + 2;
    enum status status = STATUS_OK;

    if (r->links[by].count == 0)
        return STATUS_OK;
    for (size_t n = 0; n < nodes; n++)
        g->start[n] = 0;
    count_links(g, by, is_parallel, NULL);
    array_sum_prefixes(g->start, nodes);
    TRY(memory_resize((void **)&sorted, g->start[nodes - 1], sizeof *sorted, err));
    count_links(g, by, is_parallel, sorted);
    for (uint32_t n = 0; n < r->node_count && status == STATUS_OK; n++) {
        struct link_group group = { n,  g->next_count, g->next_count, INFER_NOTHING,
                                    by, is_parallel };

        for (uint32_t i = g->start[n]; i < g->start[n + 1]; i++) {
            if (g->mark[sorted[i]] == r->groups.count + 1)
                continue; /* said twice */
            g->mark[sorted[i]] = (uint32_t)r->groups.count + 1;
            r->next[g->next_count++] = sorted[i];
        }
        group.end = g->next_count;
        if (group.end - group.start >= FEW)
            sort_numbers(r->next + group.start, group.end - group.start);
        if (group.end > group.start)
            status = array_push(&r->groups, group, err);
    }
    free(sorted);
    return status;
}

void registers_add_hubs(struct registers *r, struct link_group *g)
{
    g->hub = infer_add_hub(r->infer);
    for (uint32_t k = 1; k < 2 * (g->end - g->start); k++)
        (void)infer_add_hub(r->infer);
}

static void add_hubs(struct registers *r)
{
    for (size_t i = 0; i < r->groups.count; i++) {
        struct link_group *g = &r->groups.at[i];
        uint32_t readers = r->reader_start[g->node + 1] - r->reader_start[g->node];

        if (readers >= FEW && g->end - g->start >= FEW)
            registers_add_hubs(r, g);
    }
}

static enum status group_all(struct grouping *g, struct error *err)
{
    struct registers *r = g->registers;
    size_t count = 0;

    TRY(link_initial(r, err));
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        count += r->links[by].count;
    TRY(memory_resize((void **)&r->next, count, sizeof *r->next, err));
    TRY(memory_resize((void **)&g->start, (size_t)r->node_count + 2, sizeof *g->start, err));
    TRY(check_memory((void **)&g->mark, r->infer->versions.count, sizeof *g->mark, 0, err));
    for (uint8_t by = 0; by <= SOURCE_TIME; by++) {
        TRY(group_source(g, by, false, err));
        if (by == SOURCE_SESSION || by == SOURCE_TIME)
            TRY(group_source(g, by, true, err));
    }
    for (unsigned by = 0; by <= SOURCE_TIME; by++)
        array_close(&r->links[by]);
    add_hubs(r);
    return STATUS_OK;
}

enum status registers_group(struct registers *r, struct error *err)
{
    struct grouping g = { .registers = r };
    enum status status = group_all(&g, err);

    free(g.start);
    free(g.mark);
    return status;
}

/* --- Edges -------------------------------------------------------------------------- */

struct hearing {
    struct registers *registers;
    struct level_graph *sink;
};

static enum status hear_reads(const struct hearing *l, struct error *err)
{
    const struct registers *r = l->registers;
    const struct inferred_versions *v = &r->infer->versions;

    for (size_t i = 0; i < r->reads.count; i++) {
        const struct register_read *read = &r->reads.at[i];
        struct edge edge = { .kind = EDGE_WR, .to = read->txn, .op = read->op };

        if (register_is_initial(r, read->node))
            continue;
        edge.by = register_is_update(read) ? SOURCE_UPDATE : SOURCE_CERTAIN;
        edge.from = v->txn[read->node];
        edge.key = register_key(r, read->node);
        edge.version = edge.other = v->op[read->node];
        TRY(level_graph_hear(l->sink, &edge, err));
    }
    return STATUS_OK;
}

static bool counts(const struct registers *r, uint32_t version)
{
    return infer_is_in(r->infer, r->infer->versions.txn[version]);
}

static enum status hear_writes(const struct hearing *l, const struct link_group *g,
                               struct error *err)
{
    const struct registers *r = l->registers;
    const struct inferred_versions *v = &r->infer->versions;

    if (register_is_initial(r, g->node) || g->by == SOURCE_UPDATE || !counts(r, g->node) ||
        (g->is_parallel && l->sink->work != LEVEL_GRAPH_KEEPS))
        return STATUS_OK;
    for (uint32_t i = g->start; i < g->end; i++) {
        struct edge edge = { .kind = EDGE_WW, .by = g->by, .from = v->txn[g->node] };

        edge.to = v->txn[r->next[i]];
        edge.key = register_key(r, g->node);
        edge.version = v->op[g->node];
        edge.other = v->op[r->next[i]];
        if (counts(r, r->next[i]) && edge.from != edge.to)
            TRY(level_graph_hear(l->sink, &edge, err));
    }
    return STATUS_OK;
}

/* What a reader of the group's node anti-depends on. */
static struct edge anti_of(const struct registers *r, const struct link_group *g,
                           const struct register_read *read)
{
    struct edge edge = { .kind = EDGE_RW, .by = g->by, .from = read->txn, .op = read->op };

    edge.key = register_key(r, g->node);
    edge.version = register_is_initial(r, g->node) ? VERSION_INITIAL
                                                   : r->infer->versions.op[g->node];
    return edge;
}

/* The hub that leads to the i-th and those before it; and to it and those behind. */
static uint32_t hub_up_to(const struct registers *r, const struct link_group *g, uint32_t i)
{
    return infer_hub_node(r->infer, g->hub + i);
}

static uint32_t hub_from(const struct registers *r, const struct link_group *g, uint32_t i)
{
    return infer_hub_node(r->infer, g->hub + (g->end - g->start) + i);
}

static enum status hear_from_hubs(const struct hearing *l, const struct link_group *g,
                                  struct error *err)
{
    const struct registers *r = l->registers;
    uint32_t count = g->end - g->start;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t version = r->next[g->start + i];
        struct edge edge = { .kind = EDGE_RW, .by = g->by };

        edge.key = register_key(r, version);
        edge.other = r->infer->versions.op[version];
        for (unsigned side = 0; side < 2; side++) {
            edge.from = side ? hub_from(r, g, i) : hub_up_to(r, g, i);
            edge.to = r->infer->versions.txn[version];
            if (counts(r, version))
                TRY(level_graph_hear(l->sink, &edge, err));
            if (side ? i + 1 == count : i == 0)
                continue;
            edge.to = side ? hub_from(r, g, i + 1) : hub_up_to(r, g, i - 1);
            TRY(level_graph_hear(l->sink, &edge, err));
        }
    }
    return STATUS_OK;
}

/* Where in the group a version stands, or how many there are. */
static uint32_t place_in(const struct registers *r, const struct link_group *g, uint32_t version)
{
    uint32_t place;

    BISECT(place, g->start, g->end, r->next[place] < version);
    return place < g->end && r->next[place] == version ? place - g->start : g->end - g->start;
}

/* By hubs: to all of the group but its own. */
static enum status hear_by_hubs(const struct registers *r, const struct link_group *g,
                                struct edge edge, uint32_t own, struct level_graph *sink,
                                struct error *err)
{
    uint32_t count = g->end - g->start;
    uint32_t place = own == INFER_NOTHING ? count : place_in(r, g, own);

    if (place == count) {
        edge.to = hub_up_to(r, g, count - 1);
        return level_graph_hear(sink, &edge, err);
    }
    if (place > 0) {
        edge.to = hub_up_to(r, g, place - 1);
        TRY(level_graph_hear(sink, &edge, err));
    }
    if (place + 1 == count)
        return STATUS_OK;
    edge.to = hub_from(r, g, place + 1);
    return level_graph_hear(sink, &edge, err);
}

enum status registers_hear_next(const struct registers *r, const struct link_group *g,
                                struct edge edge, uint32_t own, struct level_graph *sink,
                                struct error *err)
{
    if (g->hub != INFER_NOTHING)
        return hear_by_hubs(r, g, edge, own, sink, err);
    for (uint32_t i = g->start; i < g->end; i++) {
        edge.to = r->infer->versions.txn[r->next[i]];
        edge.other = r->infer->versions.op[r->next[i]];
        if (counts(r, r->next[i]) && edge.from != edge.to)
            TRY(level_graph_hear(sink, &edge, err));
    }
    return STATUS_OK;
}

static enum status hear_readers(const struct hearing *l, const struct link_group *g,
                                struct error *err)
{
    const struct registers *r = l->registers;

    if (g->hub != INFER_NOTHING)
        TRY(hear_from_hubs(l, g, err));
    for (uint32_t k = r->reader_start[g->node]; k < r->reader_start[g->node + 1]; k++) {
        const struct register_read *read = &r->by_node[k];

        TRY(registers_hear_next(r, g, anti_of(r, g, read), read->own, l->sink, err));
    }
    return STATUS_OK;
}

static enum status hear_all(const struct hearing *l, struct error *err)
{
    const struct registers *r = l->registers;

    if (level_graph_hears(l->sink, EDGE_WR))
        TRY(hear_reads(l, err));
    for (size_t i = 0; i < r->groups.count; i++) {
        const struct link_group *g = &r->groups.at[i];

        if (!(l->sink->sources >> g->by & 1))
            continue;
        if (level_graph_hears(l->sink, EDGE_WW))
            TRY(hear_writes(l, g, err));
        if (level_graph_hears(l->sink, EDGE_RW))
            TRY(hear_readers(l, g, err));
    }
    return STATUS_OK;
}

enum status infer_hear_registers(struct infer *c, struct level_graph *sink, struct error *err)
{
    struct hearing l = { .registers = c->registers, .sink = sink };

    return c->registers ? hear_all(&l, err) : STATUS_OK;
}

enum status infer_hear_completed_reads(struct infer *c, struct level_graph *sink, struct error *err)
{
    const struct registers *r = c->registers;

    for (size_t i = 0; r && i < r->reads.count; i++) {
        const struct register_read *read = &r->reads.at[i];
        struct edge edge = { .kind = EDGE_RW, .from = read->txn, .op = read->op };
        uint32_t next = register_is_initial(r, read->node) ? INFER_NOTHING : c->next[read->node];

        if (next == INFER_NOTHING || c->versions.txn[next] == read->txn)
            continue;
        edge.to = c->versions.txn[next];
        edge.key = r->key_of[next];
        edge.version = c->versions.op[read->node];
        edge.other = c->versions.op[next];
        TRY(level_graph_hear(sink, &edge, err));
    }
    return STATUS_OK;
}
