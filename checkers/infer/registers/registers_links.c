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
#include <stdlib.h>

#include "checkers/infer/registers/registers.h"

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

static enum status add_link(struct registers *r, enum order_source by, uint32_t from, uint32_t to,
                            uint32_t first, uint32_t second, struct error *err)
{
    struct version_link link = { from, to, first, second, false };

    /* An update has its wr edge beside it, and no ww. */
    link.is_parallel = by == SOURCE_SESSION && r->infer->versions.txn[to] == second;

    if (from == to)
        return STATUS_OK;
    return array_push(&r->links[by], link, err);
}

static enum status link_updates(struct registers *r, struct error *err)
{
    for (size_t i = 0; i < r->reads.count; i++) {
        const struct register_read *read = &r->reads.at[i];

        if (register_is_update(read))
            TRY(add_link(r, SOURCE_UPDATE, read->node, read->own, read->txn, read->txn, err));
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
        for (size_t s = 1; s <= h->session_count; s++)
            start[s] += start[s - 1];
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
        TRY(add_link(r, SOURCE_SESSION, w->write[key], node, writer[w->write[key]], txn, err));
    if (w->reads[key] != INFER_NOTHING) {
        const struct known_read *last = &w->pool.at[w->reads[key]];

        TRY(add_link(r, SOURCE_SESSION_READS, last->node, node, last->txn, txn, err));
    }
    return STATUS_OK;
}

static enum status link_write(struct session_walk *w, uint32_t key, uint32_t version, uint32_t txn,
                              struct error *err)
{
    struct registers *r = w->registers;
    uint32_t before = w->write[key];

    if (before != INFER_NOTHING)
        TRY(add_link(r, SOURCE_SESSION, before, version, r->infer->versions.txn[before], txn, err));
    for (uint32_t i = w->reads[key]; i != INFER_NOTHING; i = w->pool.at[i].next)
        TRY(add_link(r, SOURCE_SESSION, w->pool.at[i].node, version, w->pool.at[i].txn, txn, err));
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
