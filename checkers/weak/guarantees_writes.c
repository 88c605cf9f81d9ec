/*
 * Monotonic writes: t2 is before t4 in its session, and t3 reads from t4; then t2, if it wrote x,
 * comes before t1, whom t3 read x from.
 *
 *     session A: T1: w(x,1), T2: w(y,2)    T3: r(y,2) r(x,null)      T1 is missing
 *
 * Of those before t4 the last that wrote x is enough. A session A at a time, with a table of who
 * wrote each key last; those who read from each of it look there what they may miss.
 */
#include <stdlib.h>

#include "checkers/weak/guarantees_private.h"

struct monotonic {
    struct guarantee *g;
    struct followers followers;
    uint32_t *session; /* by key: the one at hand, plus one, if it has written it */
    uint32_t *first;   /* by key: in `writers`, plus one */
    ARRAY(struct cause) writers;
};

/* The last writer; within a scope also those before it. */
static enum status miss(struct monotonic *m, uint32_t session, uint32_t read, struct error *err)
{
    uint32_t key = m->g->w->read_key[read];

    if (m->session[key] != session + 1 || guarantee_leaves_out(m->g, m->g->w->read_writer[read]))
        return STATUS_OK;
    for (uint32_t at = m->first[key]; at != 0; at = m->writers.at[at - 1].next) {
        TRY(guarantee_add(m->g, m->writers.at[at - 1].txn, read, err));
        if (!m->g->scope || guarantee_is_enough(m->g))
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* All that those who read from t4 read. */
static enum status pass_followers(struct monotonic *m, uint32_t session, uint32_t t4,
                                  struct error *err)
{
    const struct weak *w = m->g->w;
    uint32_t last = HISTORY_NONE;

    if (m->writers.count == 0)
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

static enum status note_writes(struct monotonic *m, uint32_t session, uint32_t txn,
                               struct error *err)
{
    const struct weak *w = m->g->w;

    if (guarantee_leaves_out(m->g, txn))
        return STATUS_OK;
    for (uint32_t i = w->write_start[txn]; i < w->write_start[txn + 1]; i++) {
        uint32_t key = w->write_key[i];

        if (m->session[key] != session + 1)
            m->first[key] = 0;
        m->session[key] = session + 1;
        TRY(array_push(&m->writers, ((struct cause){ txn, m->first[key] }), err));
        m->first[key] = (uint32_t)m->writers.count;
    }
    return STATUS_OK;
}

static enum status pass_session(struct monotonic *m, const uint32_t *txns, uint32_t count,
                                struct error *err)
{
    struct weak *w = m->g->w;

    m->writers.count = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t txn = txns[n], session = w->history->txn_session[txn];

        if (n % 1024 == 0 && weak_is_stopped(w))
            return STATUS_OK;
        TRY(pass_followers(m, session, txn, err));
        if (guarantee_is_enough(m->g))
            return STATUS_OK;
        if (!weak_is_unknown(w, txn))
            TRY(note_writes(m, session, txn, err));
    }
    return STATUS_OK;
}

static enum status pass(struct monotonic *m, struct error *err)
{
    struct weak *w = m->g->w;
    size_t keys = w->history->key_count;
    uint32_t *start = NULL, *txns = NULL;
    enum status status;

    TRY(followers_init(&m->followers, w, err));
    TRY(check_memory((void **)&m->session, keys, sizeof *m->session, 0, err));
    TRY(memory_resize((void **)&m->first, keys, sizeof *m->first, err));
    status = weak_sort_by_session(w, &start, &txns, true, err);
    for (uint32_t s = 0; s < w->session_count && status == STATUS_OK && !w->is_stopped; s++) {
        status = pass_session(m, txns + start[s], start[s + 1] - start[s], err);
        if (guarantee_is_enough(m->g))
            break;
    }
    free(start);
    free(txns);
    return status;
}

enum status guarantee_writes(struct guarantee *g, struct error *err)
{
    struct monotonic m = { .g = g };
    enum status status = pass(&m, err);

    followers_close(&m.followers);
    free(m.session);
    free(m.first);
    array_close(&m.writers);
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
