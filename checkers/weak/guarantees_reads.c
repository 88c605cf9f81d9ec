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
#include <stdlib.h>

#include "checkers/weak/guarantees_private.h"

struct waiting {
    uint32_t txn;
    uint32_t next; /* of the same key, plus one; 0: none */
};

struct monotonic {
    struct guarantee *g;
    uint32_t *session; /* by key: who reads it, plus one: of others' keys nothing below holds */
    uint32_t *last;    /* by key: whom it was read from last, or WEAK_INITIAL */
    uint32_t *first;   /* by key: in `waiting`, plus one */
    uint32_t *seen;    /* by transaction: the session, plus one, that has read from it */
    ARRAY(struct waiting) waiting;
    ARRAY(uint32_t) keys; /* that the session reads */
};

static enum status wait_at(struct monotonic *m, uint32_t txn, uint32_t key, struct error *err)
{
    TRY(array_push(&m->waiting, ((struct waiting){ txn, m->first[key] }), err));
    m->first[key] = (uint32_t)m->waiting.count;
    return STATUS_OK;
}

static enum status see(struct monotonic *m, uint32_t session, uint32_t txn, struct error *err)
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

static enum status pass_read(struct monotonic *m, uint32_t read, struct error *err)
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
static enum status pass_statement(struct monotonic *m, uint32_t session, uint32_t from,
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

static enum status gather_keys(struct monotonic *m, uint32_t session, struct error *err)
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

static enum status pass_session(struct monotonic *m, uint32_t session, struct error *err)
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

static enum status pass(struct monotonic *m, struct error *err)
{
    struct weak *w = m->g->w;
    size_t keys = w->history->key_count;

    TRY(check_memory((void **)&m->session, keys, sizeof *m->session, 0, err));
    TRY(memory_resize((void **)&m->last, keys, sizeof *m->last, err));
    TRY(memory_resize((void **)&m->first, keys, sizeof *m->first, err));
    TRY(check_memory((void **)&m->seen, w->txn_count, sizeof *m->seen, 0, err));
    for (uint32_t session = 0; session < w->session_count && !w->is_stopped; session++) {
        TRY(pass_session(m, session, err));
        if (guarantee_is_enough(m->g))
            break;
    }
    return STATUS_OK;
}

enum status guarantee_reads(struct guarantee *g, struct error *err)
{
    struct monotonic m = { .g = g };
    enum status status = pass(&m, err);

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
