/*
 * The session guarantees, of transactions: t3 read x from t1, and t2 also wrote x: t2 before t1, if
 *
 *     read your writes      t2 is before t3 in its session
 *     monotonic reads       t2 was read from earlier in the session of t3, or in t3
 *     monotonic writes      t2 is before t4 in its session, and t3 reads from t4
 *     writes follow reads   t2 was read from before t4 in the session of t4, or in t4 before it
 *                           wrote what t3 read from it
 *
 *     session A: T1: w(x,1), T2: w(y,2)    session B: T3: r(y,2) r(x,null)      T1 is missing
 *
 * and pram is the first three, in one order. Terry and others, "Session guarantees for weakly
 * consistent replicated data" (1994); docs/oracle.md.
 *
 * Of a session's earlier writers of x the last is enough: the others come before it. Each has a file
 * of its own, but read your writes, which is here.
 */
#include "checkers/weak/guarantees_private.h"

#include <stdlib.h>

#include "checkers/weak/gather_private.h"
#include "checkers/weak/order_private.h"

/* --- Followers ----------------------------------------------------------------- */

uint32_t guarantee_followers_write(const struct weak *w, uint32_t read)
{
    return w->write_op[weak_find_write(w, w->read_writer[read], w->read_key[read])];
}

void guarantee_followers_close(struct guarantee_followers *f)
{
    free(f->start);
    free(f->reads);
    free(f->readers);
}

struct placed_read {
    uint32_t write, read, reader;
};

static int compare_placed(const void *a, const void *b)
{
    const struct placed_read *x = a, *y = b;

    if (x->write != y->write)
        return x->write < y->write ? -1 : 1;
    return (x->read > y->read) - (x->read < y->read);
}

/* Those of one writer by its writes; mostly they are few. */
static enum status sort_reads(struct guarantee_followers *f, const struct weak *w, uint32_t txn,
                              struct placed_read **placed, size_t *room, struct error *err)
{
    uint32_t from = f->start[txn], count = f->start[txn + 1] - from;

    if (count < 2 || w->write_start[txn + 1] - w->write_start[txn] < 2)
        return STATUS_OK;
    if (count > *room) {
        TRY(memory_resize((void **)placed, 2 * (size_t)count, sizeof **placed, err));
        *room = 2 * (size_t)count;
    }
    for (uint32_t i = 0; i < count; i++)
        (*placed)[i] = (struct placed_read){ guarantee_followers_write(w, f->reads[from + i]), f->reads[from + i],
                                        f->readers[from + i] };
    qsort(*placed, count, sizeof **placed, compare_placed);
    for (uint32_t i = 0; i < count; i++) {
        f->reads[from + i] = (*placed)[i].read;
        f->readers[from + i] = (*placed)[i].reader;
    }
    return STATUS_OK;
}

enum status guarantee_followers_init(struct guarantee_followers *f, const struct weak *w, struct error *err)
{
    struct placed_read *placed = NULL;
    size_t room = 0;
    enum status status = STATUS_OK;

    *f = (struct guarantee_followers){ 0 };
    TRY(check_memory((void **)&f->start, (size_t)w->txn_count + 2, sizeof *f->start, 0, err));
    for (uint32_t i = 0; i < w->read_count; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            f->start[w->read_writer[i] + 2]++;
    array_sum_prefixes(f->start + 1, (size_t)w->txn_count + 1);
    TRY(memory_resize((void **)&f->reads, f->start[w->txn_count + 1], sizeof *f->reads, err));
    TRY(memory_resize((void **)&f->readers, f->start[w->txn_count + 1], sizeof *f->readers, err));
    for (uint32_t reader = 0; reader < w->txn_count; reader++)
        for (uint32_t i = w->read_start[reader]; i < w->read_start[reader + 1]; i++) {
            uint32_t at;

            if (w->read_writer[i] >= WEAK_OPEN)
                continue;
            at = f->start[w->read_writer[i] + 1]++;
            f->reads[at] = i;
            f->readers[at] = reader;
        }
    for (uint32_t txn = 0; txn < w->txn_count && status == STATUS_OK; txn++)
        status = sort_reads(f, w, txn, &placed, &room, err);
    free(placed);
    return status;
}

/* --- Writers of a session ------------------------------------------------------- */

/* Who of the session at hand wrote each key: a list for each, the last writer first. */
struct session_writers {
    uint32_t *session; /* by key: the one at hand, plus one, if it has written it */
    uint32_t *first;   /* by key: in `all`, plus one */
    ARRAY(struct cause) all;
};

static enum status writers_init(struct session_writers *s, const struct weak *w, struct error *err)
{
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&s->session, keys, sizeof *s->session, 0, err));
    return memory_resize((void **)&s->first, keys, sizeof *s->first, err);
}

static void writers_close(struct session_writers *s)
{
    free(s->session);
    free(s->first);
    array_close(&s->all);
}

/* In `all`, plus one; 0: the session has not written the key. */
static inline uint32_t writers_first(const struct session_writers *s, uint32_t session,
                                     uint32_t key)
{
    return s->session[key] == session + 1 ? s->first[key] : 0;
}

static enum status writers_note(struct session_writers *s, const struct guarantee *g,
                                uint32_t session, uint32_t txn, struct error *err)
{
    const struct weak *w = g->w;

    if (guarantee_leaves_out(g, txn))
        return STATUS_OK;
    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
        uint32_t key = w->write_key[i];

        TRY(array_push(&s->all, ((struct cause){ txn, writers_first(s, session, key) }), err));
        s->session[key] = session + 1;
        s->first[key] = (uint32_t)s->all.count;
    }
    return STATUS_OK;
}

/* --- Monotonic reads ----------------------------------------------------------- */

/*
 * Monotonic reads: whoever was read from earlier in the session of t3, or in t3, and wrote x, comes
 * before t1, whom t3 read x from.
 *
 *     T1: w(x,1) w(y,1)    session A: T2: r(y,1), T3: r(x,null)       T1 is missing
 *
 * A session at a time, read by read. Each key that the session reads has its waiting: those who
 * wrote it and were read from (by whatever key) since it was itself read last.
 *
 *     read x from T4       waiting of x: T1 T7      T1, T7 and T2 before T4; T4 is the
 *                          read last: T2            last now, and nobody waits
 *
 * Those before need not be told again. So every writer waits at a key once for each
 * session; and of a writer of many keys and a session that reads few, the few are gone through.
 */

struct monotonic_reads {
    struct guarantee *g;
    uint32_t *session; /* by key: who reads it, plus one: of others' keys nothing below holds */
    uint32_t *last;    /* by key: whom it was read from last, or WEAK_INITIAL */
    uint32_t *first;   /* by key: in `waiting`, plus one */
    uint32_t *seen;    /* by transaction: the session, plus one, that has read from it */
    ARRAY(struct cause) waiting;
    ARRAY(uint32_t) keys; /* that the session reads */
};

static enum status wait_at(struct monotonic_reads *m, uint32_t txn, uint32_t key, struct error *err)
{
    TRY(array_push(&m->waiting, ((struct cause){ txn, m->first[key] }), err));
    m->first[key] = (uint32_t)m->waiting.count;
    return STATUS_OK;
}

static enum status see(struct monotonic_reads *m, uint32_t session, uint32_t txn, struct error *err)
{
    const struct weak *w = m->g->w;

    if (m->seen[txn] == session + 1 || guarantee_leaves_out(m->g, txn))
        return STATUS_OK;
    m->seen[txn] = session + 1;
    if (w->write_start[txn + 1] - w->write_start[txn] <= m->keys.count) {
        for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++)
            if (m->session[w->write_key[i]] == session + 1)
                TRY(wait_at(m, txn, w->write_key[i], err));
        return STATUS_OK;
    }
    for (size_t i = 0; i < m->keys.count; i++)
        if (weak_writes(w, txn, m->keys.at[i]))
            TRY(wait_at(m, txn, m->keys.at[i], err));
    return STATUS_OK;
}

static enum status pass_read(struct monotonic_reads *m, uint32_t read, struct error *err)
{
    const struct weak *w = m->g->w;
    uint32_t key = w->read_key[read];

    if (guarantee_leaves_out(m->g, w->read_writer[read]))
        return STATUS_OK;
    if (m->last[key] != WEAK_INITIAL)
        TRY(guarantee_add(m->g, m->last[key], read, err));
    for (uint32_t at = m->first[key]; at != 0; at = m->waiting.at[at - 1].next) {
        TRY(guarantee_add(m->g, m->waiting.at[at - 1].txn, read, err));
        if (guarantee_is_enough(m->g))
            return STATUS_OK;
    }
    if (m->g->scope)
        return STATUS_OK; /* each edge by itself may be of the smallest cycle */
    m->first[key] = 0;
    m->last[key] = w->read_writer[read];
    return STATUS_OK;
}

/* A read, or all rows of a statement, which know nothing of each other. */
static enum status pass_statement(struct monotonic_reads *m, uint32_t session, uint32_t from,
                                  uint32_t limit, uint32_t *end, struct error *err)
{
    const struct weak *w = m->g->w;

    *end = from + 1;
    while (*end < limit && weak_is_at_once(w, *end - 1, *end))
        ++*end;
    for (uint32_t i = from; i < *end; i++)
        if (w->read_writer[i] != WEAK_OPEN)
            TRY(pass_read(m, i, err));
    for (uint32_t i = from; i < *end; i++)
        if (w->read_writer[i] < WEAK_OPEN)
            TRY(see(m, session, w->read_writer[i], err));
    return STATUS_OK;
}

static enum status gather_keys(struct monotonic_reads *m, uint32_t session, struct error *err)
{
    const struct weak *w = m->g->w;

    m->keys.count = m->waiting.count = 0;
    for (uint32_t at = w->session_start[session]; at < w->session_start[session + 1]; at++) {
        uint32_t t3 = w->session_txns[at];

        for (uint32_t i = w->read_start[t3]; i < w->read_start[t3 + 1]; i++) {
            uint32_t key = w->read_key[i];

            if (m->session[key] == session + 1)
                continue;
            m->session[key] = session + 1;
            m->last[key] = WEAK_INITIAL;
            m->first[key] = 0;
            TRY(array_push(&m->keys, key, err));
        }
    }
    return STATUS_OK;
}

static enum status reads_pass_session(struct monotonic_reads *m, uint32_t session, struct error *err)
{
    struct weak *w = m->g->w;

    TRY(gather_keys(m, session, err));
    for (uint32_t at = w->session_start[session]; at < w->session_start[session + 1]; at++) {
        uint32_t t3 = w->session_txns[at];

        if (at % 4096 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        for (uint32_t i = w->read_start[t3], end; i < w->read_start[t3 + 1]; i = end)
            TRY(pass_statement(m, session, i, w->read_start[t3 + 1], &end, err));
        if (guarantee_is_enough(m->g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status reads_pass(struct monotonic_reads *m, struct error *err)
{
    struct weak *w = m->g->w;
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&m->session, keys, sizeof *m->session, 0, err));
    TRY(memory_resize((void **)&m->last, keys, sizeof *m->last, err));
    TRY(memory_resize((void **)&m->first, keys, sizeof *m->first, err));
    TRY(check_memory((void **)&m->seen, w->txn_count, sizeof *m->seen, 0, err));
    for (uint32_t session = 0; session < w->session_count && !w->is_stopped; session++) {
        TRY(reads_pass_session(m, session, err));
        if (guarantee_is_enough(m->g))
            break;
    }
    return STATUS_OK;
}

enum status guarantee_reads(struct guarantee *g, struct error *err)
{
    struct monotonic_reads m = { .g = g };
    enum status status = reads_pass(&m, err);

    free(m.session);
    free(m.last);
    free(m.first);
    free(m.seen);
    array_close(&m.waiting);
    array_close(&m.keys);
    return status;
}

static bool is_of_statement(const struct weak *w, uint32_t read, uint32_t op)
{
    uint32_t other = read;

    while (w->read_op[other] != op)
        other++;
    return weak_is_at_once(w, read, other);
}

enum status guarantee_explain_reads(const struct weak *w, const struct weak_edge *edge,
                                    struct weak_path *path, struct error *err)
{
    uint32_t t3 = history_txn_of(w->history, edge->op);
    uint32_t session = w->history->txn_session[t3];

    for (uint32_t i = w->read_start[t3]; w->read_op[i] != edge->op; i++)
        if (w->read_writer[i] == edge->from && !is_of_statement(w, i, edge->op))
            return guarantee_step(path, edge->from, t3, w->read_op[i], err);
    for (uint32_t at = w->session_start[session]; w->session_txns[at] < t3; at++) {
        uint32_t earlier = w->session_txns[at];

        for (uint32_t i = w->read_start[earlier]; i < w->read_start[earlier + 1]; i++) {
            if (w->read_writer[i] != edge->from)
                continue;
            TRY(guarantee_step(path, edge->from, earlier, w->read_op[i], err));
            return guarantee_step(path, earlier, t3, HISTORY_NONE, err);
        }
    }
    return STATUS_OK;
}

/* --- Monotonic writes ---------------------------------------------------------- */

/*
 * Monotonic writes: t2 is before t4 in its session, and t3 reads from t4; then t2, if it wrote x,
 * comes before t1, whom t3 read x from.
 *
 *     session A: T1: w(x,1), T2: w(y,2)    T3: r(y,2) r(x,null)      T1 is missing
 *
 * Of those before t4 the last that wrote x is enough. A session A at a time, with a table of who
 * wrote each key last; those who read from each of it look there what they may miss.
 */

struct monotonic_writes {
    struct guarantee *g;
    struct guarantee_followers followers;
    struct session_writers writers;
};

/* The last writer; within a scope also those before it. */
static enum status miss(struct monotonic_writes *m, uint32_t session, uint32_t read, struct error *err)
{
    uint32_t key = m->g->w->read_key[read];

    if (guarantee_leaves_out(m->g, m->g->w->read_writer[read]))
        return STATUS_OK;
    for (uint32_t at = writers_first(&m->writers, session, key); at != 0;
         at = m->writers.all.at[at - 1].next) {
        TRY(guarantee_add(m->g, m->writers.all.at[at - 1].txn, read, err));
        if (!m->g->scope || guarantee_is_enough(m->g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* All that those who read from t4 read. */
static enum status pass_followers(struct monotonic_writes *m, uint32_t session, uint32_t t4,
                                  struct error *err)
{
    const struct weak *w = m->g->w;
    uint32_t last = HISTORY_NONE;

    if (m->writers.all.count == 0)
        return STATUS_OK; /* the session has written nothing before */
    for (uint32_t n = m->followers.start[t4]; n < m->followers.start[t4 + 1]; n++) {
        uint32_t t3 = m->followers.readers[n];

        if (t3 == last)
            continue;
        last = t3;
        guarantee_spend(m->g, w->read_start[t3 + 1] - w->read_start[t3]);
        for (uint32_t i = w->read_start[t3]; i < w->read_start[t3 + 1]; i++)
            if (w->read_writer[i] != WEAK_OPEN &&
                !guarantee_goes_forward(m->g, t4, w->read_writer[i]))
                TRY(miss(m, session, i, err));
        if (guarantee_is_enough(m->g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status writes_pass_session(struct monotonic_writes *m, const uint32_t *txns, uint32_t count,
                                       struct error *err)
{
    struct weak *w = m->g->w;

    m->writers.all.count = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t txn = txns[n], session = w->history->txn_session[txn];

        if (n % 1024 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        TRY(pass_followers(m, session, txn, err));
        if (guarantee_is_enough(m->g))
            return STATUS_OK;
        if (!weak_is_unknown(w, txn))
            TRY(writers_note(&m->writers, m->g, session, txn, err));
    }
    return STATUS_OK;
}

static enum status writes_pass(struct monotonic_writes *m, struct error *err)
{
    struct weak *w = m->g->w;
    uint32_t *start = NULL, *txns = NULL;
    enum status status;

    TRY(guarantee_followers_init(&m->followers, w, err));
    TRY(writers_init(&m->writers, w, err));
    status = weak_sort_by_session(w, &start, &txns, true, err);
    for (uint32_t s = 0; s < w->session_count && status == STATUS_OK && !w->is_stopped; s++) {
        status = writes_pass_session(m, txns + start[s], start[s + 1] - start[s], err);
        if (guarantee_is_enough(m->g))
            break;
    }
    free(start);
    free(txns);
    return status;
}

enum status guarantee_writes(struct guarantee *g, struct error *err)
{
    struct monotonic_writes m = { .g = g };
    enum status status = writes_pass(&m, err);

    guarantee_followers_close(&m.followers);
    writers_close(&m.writers);
    return status;
}

enum status guarantee_explain_writes(const struct weak *w, const struct weak_edge *edge,
                                     struct weak_path *path, struct error *err)
{
    uint32_t reader = history_txn_of(w->history, edge->op);

    for (uint32_t i = w->read_start[reader]; i < w->read_start[reader + 1]; i++) {
        uint32_t t4 = w->read_writer[i];

        if (t4 >= WEAK_OPEN || !weak_is_before(w, edge->from, t4))
            continue;
        TRY(guarantee_step(path, edge->from, t4, HISTORY_NONE, err));
        return guarantee_step(path, t4, reader, w->read_op[i], err);
    }
    return STATUS_OK;
}

/* --- All of them --------------------------------------------------------------- */

#define ROUNDS_MAX 48
#define PATIENCE UINT64_C(5000000000)

/* --- Read your writes ------------------------------------------------------------- */

struct session_write {
    struct guarantee *g;
    struct session_writers writers;
};

static enum status pass_own_txn(struct session_write *o, uint32_t session, uint32_t txn, struct error *err)
{
    const struct weak *w = o->g->w;

    for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++) {
        uint32_t at = writers_first(&o->writers, session, w->read_key[i]);

        if (guarantee_leaves_out(o->g, w->read_writer[i]))
            continue;
        for (; at != 0; at = o->g->scope ? o->writers.all.at[at - 1].next : 0) {
            TRY(guarantee_add(o->g, o->writers.all.at[at - 1].txn, i, err));
            if (guarantee_is_enough(o->g))
                return STATUS_OK;
        }
    }
    return writers_note(&o->writers, o->g, session, txn, err);
}

static enum status pass_own(struct session_write *o, struct error *err)
{
    struct weak *w = o->g->w;

    TRY(writers_init(&o->writers, w, err));
    for (uint32_t s = 0; s < w->session_count; s++) {
        o->writers.all.count = 0;
        for (uint32_t at = w->session_start[s]; at < w->session_start[s + 1]; at++) {
            if ((at % 1024 == 0 && weak_is_stopped(w)) || guarantee_is_enough(o->g))
                return STATUS_OK;
            TRY(pass_own_txn(o, s, w->session_txns[at], err));
        }
    }
    return STATUS_OK;
}

enum status guarantee_own_writes(struct guarantee *g, struct error *err)
{
    struct session_write o = { .g = g };
    enum status status = pass_own(&o, err);

    writers_close(&o.writers);
    return status;
}

enum status guarantee_explain_own_writes(const struct weak *w, const struct weak_edge *edge,
                                         struct weak_path *path, struct error *err)
{
    uint32_t reader = history_txn_of(w->history, edge->op);

    return weak_is_before(w, edge->from, reader)
               ? guarantee_step(path, edge->from, reader, HISTORY_NONE, err)
               : STATUS_OK;
}

/* --- Rounds ----------------------------------------------------------------------- */

static enum status tell_parts(struct guarantee *g, guarantee_tell *const *parts, struct error *err)
{
    for (; *parts; parts++) {
        TRY((*parts)(g, err));
        if (g->w->is_stopped || guarantee_is_enough(g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* An order of all that is told: false in `goes_on` if there is none. */
static enum status rank_again(struct guarantee *g, uint32_t *rank, bool *goes_on, struct error *err)
{
    struct weak_order order;
    enum status status = weak_find_order(g->w, g->edges, &order, err);

    *goes_on = status == STATUS_OK && order.is_acyclic;
    for (uint32_t i = 0; *goes_on && i < order.count; i++)
        rank[order.txns[i]] = i;
    weak_order_close(&order);
    g->rank = rank;
    return status;
}

/* Until there is a cycle, or nothing goes backward. After too many rounds all is told at once. */
static enum status tell_in_rounds(struct guarantee *g, guarantee_tell *const *parts, uint32_t *rank,
                                  struct error *err)
{
    bool goes_on = true;

    TRY(rank_again(g, rank, &goes_on, err));
    for (unsigned round = 0; goes_on && round < ROUNDS_MAX; round++) {
        size_t before = g->edges->edges.count;

        g->enough = before + GUARANTEE_ROUND_MAX;
        TRY(tell_parts(g, parts, err));
        if (g->w->is_stopped || g->edges->edges.count == before ||
            weak_leads_to_initial(g->edges, before))
            return STATUS_OK;
        TRY(rank_again(g, rank, &goes_on, err));
    }
    g->in_rounds = false;
    g->enough = SIZE_MAX;
    return goes_on ? tell_parts(g, parts, err) : STATUS_OK;
}

static enum status tell(struct weak *w, const struct weak_scope *scope, struct weak_edges *edges,
                        guarantee_tell *const *parts, struct error *err)
{
    struct guarantee g = {
        .w = w, .scope = scope, .edges = edges, .enough = SIZE_MAX, .patience = PATIENCE
    };
    uint32_t *rank = NULL;
    enum status status;

    if (scope || edges->only_backward) {
        g.in_rounds = !scope; /* as they are numbered, and one is enough */
        g.enough = scope ? scope->edges_max : 1;
        return tell_parts(&g, parts, err);
    }
    g.in_rounds = true;
    TRY(memory_resize((void **)&rank, w->txn_count, sizeof *rank, err));
    status = tell_in_rounds(&g, parts, rank, err);
    free(rank);
    return status;
}

/* --- Axioms ----------------------------------------------------------------------- */

static enum status saturate_own_writes(struct weak *w, const struct weak_scope *scope,
                                       struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_own_writes, NULL }, err);
}

static enum status saturate_reads(struct weak *w, const struct weak_scope *scope,
                                  struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_reads, NULL }, err);
}

static enum status saturate_writes(struct weak *w, const struct weak_scope *scope,
                                   struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_writes, NULL }, err);
}

static enum status saturate_causes(struct weak *w, const struct weak_scope *scope,
                                   struct weak_edges *edges, struct error *err)
{
    return tell(w, scope, edges, (guarantee_tell *const[]){ guarantee_causes, NULL }, err);
}

static enum status saturate_pram(struct weak *w, const struct weak_scope *scope,
                                 struct weak_edges *edges, struct error *err)
{
    return tell(
        w, scope, edges,
        (guarantee_tell *const[]){ guarantee_own_writes, guarantee_reads, guarantee_writes, NULL },
        err);
}

static enum status explain_pram(const struct weak *w, const struct weak_edge *edge,
                                struct weak_path *path, struct error *err)
{
    static guarantee_explain *const parts[] = { guarantee_explain_own_writes,
                                                guarantee_explain_reads, guarantee_explain_writes };
    size_t count = path->steps.count;

    for (size_t i = 0; i < sizeof parts / sizeof *parts && path->steps.count == count; i++)
        TRY(parts[i](w, edge, path, err));
    return STATUS_OK;
}

/* --- The five --------------------------------------------------------------------- */

const struct weak_axiom weak_read_your_writes = {
    .level = LEVEL_READ_YOUR_WRITES,
    .saturate = saturate_own_writes,
    .explain = guarantee_explain_own_writes,
    .by_order = ANOMALY_UNREAD_WRITE,
    .by_circle = ANOMALY_UNREAD_WRITE,
};

const struct weak_axiom weak_monotonic_reads = {
    .level = LEVEL_MONOTONIC_READS,
    .saturate = saturate_reads,
    .explain = guarantee_explain_reads,
    .by_order = ANOMALY_BACKWARD_READ,
    .by_circle = ANOMALY_BACKWARD_READ,
};

const struct weak_axiom weak_monotonic_writes = {
    .level = LEVEL_MONOTONIC_WRITES,
    .saturate = saturate_writes,
    .explain = guarantee_explain_writes,
    .by_order = ANOMALY_REORDERED_WRITES,
    .by_circle = ANOMALY_REORDERED_WRITES,
};

const struct weak_axiom weak_writes_follow_reads = {
    .level = LEVEL_WRITES_FOLLOW_READS,
    .saturate = saturate_causes,
    .explain = guarantee_explain_causes,
    .by_order = ANOMALY_FORGOTTEN_READ,
    .by_circle = ANOMALY_FORGOTTEN_READ,
};

/* Where no guarantee by itself is broken. */
const struct weak_axiom weak_pram = {
    .level = LEVEL_PRAM,
    .saturate = saturate_pram,
    .explain = explain_pram,
    .by_order = ANOMALY_MIXED_SESSION,
    .by_circle = ANOMALY_MIXED_SESSION,
};
