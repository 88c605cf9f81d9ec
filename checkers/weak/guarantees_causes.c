/*
 * Writes follow reads: t3 reads from t4, and before t4 its session, or t4 before that write, had
 * read from t2: then t2, if it wrote x, comes before t1, whom t3 read x from.
 *
 *     T1: w(x,1)    session A: T2: r(x,1), T3: w(y,3)    T4: r(y,3) r(x,null)      T1 is missing
 *
 * A session A at a time. Those who read from it are met in the order of the writes that they
 * read; so what the session had read until then grows, and one pass is enough:
 *
 *     reads of A     from T1        from T5           from T9
 *     writes of A            T3               T8              ops rise from left to right
 *     readers                T4 (T1)          T7, T2 (T1 T5)
 *
 * Each key that some reader read has those who wrote it and were read from by A; of
 * those of one session the last alone, as the others come before it. Of a writer of many keys
 * and readers of few, the few are gone through. The time is that of what was read, times sessions.
 */
#include <stdlib.h>

#include "checkers/weak/gather_private.h"
#include "checkers/weak/guarantees_private.h"

struct causes {
    struct guarantee *g;
    struct guarantee_followers followers;
    uint32_t *session;  /* by key: the one at hand, plus one: a reader of it reads the key */
    uint32_t *first;    /* by key: in `all`, plus one: who wrote it and was read from */
    uint32_t *greatest; /* by key: the greatest rank of these */
    uint32_t *told, *told_first; /* by key: for whom they were told last, and from which on */
    uint32_t *seen;              /* by transaction: the session, plus one, that read from it */
    ARRAY(struct cause) all;
    ARRAY(uint32_t) keys;
};

/* --- What the session has read ---------------------------------------------------- */

static void note_rank(struct causes *c, uint32_t txn, uint32_t key)
{
    uint32_t rank = guarantee_rank(c->g, txn);

    if (c->first[key] == 0 || c->greatest[key] < rank)
        c->greatest[key] = rank;
}

/* One of the same session, or NULL. */
static struct cause *find_companion(struct causes *c, uint32_t txn, uint32_t key)
{
    const struct weak *w = c->g->w;
    struct cause *found = NULL;
    uint64_t steps = 1;

    for (uint32_t at = c->first[key]; at != 0 && !found; at = c->all.at[at - 1].next, steps++)
        if (weak_is_before(w, txn, c->all.at[at - 1].txn) ||
            weak_is_before(w, c->all.at[at - 1].txn, txn))
            found = &c->all.at[at - 1];
    guarantee_spend(c->g, steps);
    return found;
}

static enum status add_cause(struct causes *c, uint32_t txn, uint32_t key, struct error *err)
{
    struct cause *other = c->g->scope ? NULL : find_companion(c, txn, key);

    if (other && weak_is_before(c->g->w, txn, other->txn))
        return STATUS_OK;
    note_rank(c, txn, key);
    if (other) {
        other->txn = txn;
        c->told[key] = WEAK_OPEN;
        return STATUS_OK;
    }
    TRY(array_push(&c->all, ((struct cause){ txn, c->first[key] }), err));
    c->first[key] = (uint32_t)c->all.count;
    return STATUS_OK;
}

static enum status see(struct causes *c, uint32_t session, uint32_t txn, struct error *err)
{
    const struct weak *w = c->g->w;

    if (c->seen[txn] == session + 1 || guarantee_leaves_out(c->g, txn))
        return STATUS_OK;
    c->seen[txn] = session + 1;
    guarantee_spend(c->g, c->keys.count);
    if (w->write_start[txn + 1] - w->write_start[txn] <= c->keys.count) {
        for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++)
            if (c->session[w->write_key[i]] == session + 1)
                TRY(add_cause(c, txn, w->write_key[i], err));
        return STATUS_OK;
    }
    for (size_t i = 0; i < c->keys.count; i++)
        if (weak_writes(w, txn, c->keys.at[i]))
            TRY(add_cause(c, txn, c->keys.at[i], err));
    return STATUS_OK;
}

/* --- Who follows ------------------------------------------------------------------ */

static enum status gather_keys(struct causes *c, uint32_t session, const uint32_t *txns,
                               uint32_t count, struct error *err)
{
    const struct weak *w = c->g->w;
    uint32_t last = HISTORY_NONE;

    c->keys.count = c->all.count = 0;
    for (uint32_t t = 0; t < count; t++)
        for (uint32_t n = c->followers.start[txns[t]]; n < c->followers.start[txns[t] + 1]; n++) {
            uint32_t t3 = c->followers.readers[n];

            guarantee_spend(c->g, w->read_start[t3 + 1] - w->read_start[t3]);
            if (w->is_stopped)
                return STATUS_OK;
            for (uint32_t i = w->read_start[t3]; t3 != last && i < w->read_start[t3 + 1]; i++) {
                uint32_t key = w->read_key[i];

                if (c->session[key] == session + 1)
                    continue;
                c->session[key] = session + 1;
                c->first[key] = 0;
                c->told[key] = WEAK_OPEN;
                TRY(array_push(&c->keys, key, err));
            }
            last = t3;
        }
    return STATUS_OK;
}

static bool is_needless(const struct causes *c, uint32_t key, uint32_t t1)
{
    return t1 == WEAK_OPEN || c->first[key] == 0 ||
           (c->g->in_rounds && t1 != WEAK_INITIAL && c->greatest[key] <= guarantee_rank(c->g, t1));
}

static enum status follow_read(struct causes *c, uint32_t read, struct error *err)
{
    const struct weak *w = c->g->w;
    uint32_t key = w->read_key[read], t1 = w->read_writer[read], at = c->first[key];
    uint32_t end = c->told[key] == t1 && !c->g->scope ? c->told_first[key] : 0;

    if (is_needless(c, key, t1) || guarantee_leaves_out(c->g, t1))
        return STATUS_OK;
    for (; at != end; at = c->all.at[at - 1].next) {
        TRY(guarantee_add(c->g, c->all.at[at - 1].txn, read, err));
        if (guarantee_is_enough(c->g))
            return STATUS_OK;
    }
    c->told[key] = t1;
    c->told_first[key] = c->first[key];
    return STATUS_OK;
}

static enum status follow(struct causes *c, uint32_t t3, struct error *err)
{
    struct weak *w = c->g->w;

    for (uint32_t i = w->read_start[t3]; i < w->read_start[t3 + 1]; i++)
        TRY(follow_read(c, i, err));
    if (c->g->edges->edges.count > WEAK_EDGES_MAX) {
        check_doubt(w->check, "what sessions had read gives more than %d constraints",
                    WEAK_EDGES_MAX);
        w->is_stopped = true;
    }
    return STATUS_OK;
}

/* --- The whole -------------------------------------------------------------------- */

/* Reads of the session up to an operation. */
struct cause_reading {
    uint32_t at, read; /* in session_txns, and in its reads */
};

static enum status pass_reads(struct causes *c, uint32_t session, struct cause_reading *r, uint32_t until,
                              struct error *err)
{
    const struct weak *w = c->g->w;

    for (; r->at < w->session_start[session + 1]; r->at++) {
        uint32_t txn = w->session_txns[r->at];

        if (r->read < w->read_start[txn])
            r->read = w->read_start[txn];
        for (; r->read < w->read_start[txn + 1]; r->read++) {
            if (w->read_op[r->read] > until || w->is_stopped)
                return STATUS_OK;
            if (w->read_writer[r->read] < WEAK_OPEN)
                TRY(see(c, session, w->read_writer[r->read], err));
        }
    }
    return STATUS_OK;
}

/* Those who read from t4, in the order of its writes. */
static enum status pass_followers(struct causes *c, uint32_t session, struct cause_reading *r,
                                  uint32_t t4, struct error *err)
{
    const struct weak *w = c->g->w;
    uint32_t last = HISTORY_NONE, last_write = HISTORY_NONE;

    for (uint32_t n = c->followers.start[t4]; n < c->followers.start[t4 + 1]; n++) {
        uint32_t write = guarantee_followers_write(w, c->followers.reads[n]), t3 = c->followers.readers[n];

        if (t3 == last && write == last_write)
            continue;
        last = t3;
        last_write = write;
        guarantee_spend(c->g, w->read_start[t3 + 1] - w->read_start[t3]);
        TRY(pass_reads(c, session, r, write, err));
        if (c->all.count > 0)
            TRY(follow(c, t3, err));
        if (guarantee_is_enough(c->g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* Who has read nothing has seen no causes: most sessions of strangers are so. */
static bool has_reads(const struct weak *w, uint32_t session)
{
    for (uint32_t at = w->session_start[session]; at < w->session_start[session + 1]; at++)
        if (w->read_start[w->session_txns[at]] < w->read_start[w->session_txns[at] + 1])
            return true;
    return false;
}

static enum status pass_session(struct causes *c, uint32_t session, const uint32_t *txns,
                                uint32_t count, struct error *err)
{
    struct weak *w = c->g->w;
    struct cause_reading reading = { .at = w->session_start[session] };

    if (!has_reads(w, session))
        return STATUS_OK;
    TRY(gather_keys(c, session, txns, count, err));
    if (w->is_stopped)
        return STATUS_OK;
    for (uint32_t n = 0; n < count; n++) {
        if (n % 256 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        TRY(pass_followers(c, session, &reading, txns[n], err));
        if (guarantee_is_enough(c->g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status pass(struct causes *c, struct error *err)
{
    struct weak *w = c->g->w;
    size_t keys = w->history->key_count;
    uint32_t *start = NULL, *txns = NULL;
    enum status status;

    TRY(guarantee_followers_init(&c->followers, w, err));
    TRY(check_memory((void **)&c->session, keys, sizeof *c->session, 0, err));
    TRY(memory_resize((void **)&c->first, keys, sizeof *c->first, err));
    TRY(memory_resize((void **)&c->greatest, keys, sizeof *c->greatest, err));
    TRY(memory_resize((void **)&c->told, keys, sizeof *c->told, err));
    TRY(memory_resize((void **)&c->told_first, keys, sizeof *c->told_first, err));
    TRY(check_memory((void **)&c->seen, w->txn_count, sizeof *c->seen, 0, err));
    status = weak_sort_by_session(w, &start, &txns, true, err);
    for (uint32_t s = 0; s < w->session_count && status == STATUS_OK && !w->is_stopped; s++) {
        status = pass_session(c, s, txns + start[s], start[s + 1] - start[s], err);
        if (guarantee_is_enough(c->g))
            break;
    }
    free(start);
    free(txns);
    return status;
}

enum status guarantee_causes(struct guarantee *g, struct error *err)
{
    struct causes c = { .g = g };
    enum status status = pass(&c, err);

    guarantee_followers_close(&c.followers);
    free(c.session);
    free(c.first);
    free(c.greatest);
    free(c.told);
    free(c.told_first);
    free(c.seen);
    array_close(&c.all);
    array_close(&c.keys);
    return status;
}

/* --- Why -------------------------------------------------------------------------- */

/* Who of the session read from `from` before the operation that t4 wrote with. */
static uint32_t find_read(const struct weak *w, uint32_t from, uint32_t t4, uint32_t until)
{
    uint32_t session = w->history->txn_session[t4];

    for (uint32_t at = w->session_start[session]; at < w->session_start[session + 1]; at++) {
        uint32_t txn = w->session_txns[at];

        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
            if (w->read_op[i] > until)
                return HISTORY_NONE;
            else if (w->read_writer[i] == from)
                return i;
    }
    return HISTORY_NONE;
}

enum status guarantee_explain_causes(const struct weak *w, const struct weak_edge *edge,
                                     struct weak_path *path, struct error *err)
{
    uint32_t t3 = history_txn_of(w->history, edge->op);

    for (uint32_t i = w->read_start[t3]; i < w->read_start[t3 + 1]; i++) {
        uint32_t t4 = w->read_writer[i], read, reader;

        if (t4 >= WEAK_OPEN)
            continue;
        read = find_read(w, edge->from, t4, guarantee_followers_write(w, i));
        if (read == HISTORY_NONE)
            continue;
        reader = history_txn_of(w->history, w->read_op[read]);
        TRY(guarantee_step(path, edge->from, reader, w->read_op[read], err));
        if (reader != t4)
            TRY(guarantee_step(path, reader, t4, HISTORY_NONE, err));
        return guarantee_step(path, t4, t3, w->read_op[i], err);
    }
    return STATUS_OK;
}
