/*
 * Serializability and snapshot isolation as machines that run transactions.
 *
 * Transactions are put into an order of commits, one after the other, and
 * state[n] is what the first n commits leave behind:
 *
 *     state[0] --T3--> state[1] --T1--> state[2] --T2--> state[3]
 *         \______________T2 begins here, under snapshot______/
 *
 * Serializable: the n-th transaction to commit runs on state[n]. Snapshot: it
 * runs on state[begin] for some begin <= n, if nobody who committed since then
 * wrote a key that it writes. What must come before it under a session or
 * strict level must have committed before it began.
 */
#include "tests/oracle/oracle_private.h"

struct replay {
    struct oracle_search *search;
    struct oracle_state state[ORACLE_TXNS_MAX + 1];
    unsigned committed[ORACLE_TXNS_MAX]; /* the transactions in order */
};

/* Runs a transaction on a state; false if it saw something else than it says. */
static bool run(struct oracle_model *m, unsigned txn, struct oracle_state *state)
{
    for (unsigned i = m->txns[txn].step_start; i < m->txns[txn].step_end; i++) {
        const struct oracle_step *step = &m->steps[i];

        switch (step->kind) {
        case STEP_READ:
            if (state->value[step->key] != step->value)
                return false;
            break;
        case STEP_QUERY:
            if (!oracle_query_agrees(m, &m->queries[step->query], state))
                return false;
            break;
        case STEP_WRITE:
        case STEP_APPEND:
            state->value[step->key] = oracle_effect(m, step, state->value[step->key]);
        }
    }
    return true;
}

static bool is_snapshot(enum level level)
{
    return level == LEVEL_SNAPSHOT || level == LEVEL_SESSION_SNAPSHOT ||
           level == LEVEL_STRICT_SNAPSHOT;
}

/* Whether the transaction can run on state[begin] and commit as the n-th. */
static bool can_begin_at(struct replay *r, unsigned txn, unsigned begin, unsigned n)
{
    struct oracle_model *m = r->search->model;
    uint32_t before = oracle_before(m, r->search->level, txn);
    struct oracle_state local = r->state[begin];

    for (unsigned i = begin; i < n; i++) {
        unsigned concurrent = r->committed[i];

        if ((before & bit(concurrent)) || (m->txns[concurrent].writes & m->txns[txn].writes))
            return false;
    }
    if (!run(m, txn, &local))
        return false;
    r->state[n + 1] = r->state[n];
    for (unsigned k = 0; k < m->key_count; k++)
        if (m->txns[txn].writes & bit(k))
            r->state[n + 1].value[k] = local.value[k];
    return true;
}

/*
 * The latest beginning that is possible will do: no other choice changes what
 * the transaction leaves behind, since nobody else wrote these keys since.
 */
static bool can_commit(struct replay *r, unsigned txn, unsigned n)
{
    if (can_begin_at(r, txn, n, n))
        return true;
    if (!is_snapshot(r->search->level))
        return false;
    for (unsigned begin = n; begin-- > 0;)
        if (can_begin_at(r, txn, begin, n))
            return true;
    return false;
}

/* Whether the transactions not placed yet can be, behind the first n. */
static bool place(struct replay *r, uint32_t placed, unsigned n)
{
    struct oracle_search *s = r->search;

    if (placed == s->txns)
        return true;
    for (unsigned t = 0; t < s->model->txn_count; t++) {
        uint32_t before = oracle_before(s->model, s->level, t) & s->txns;

        if (!(s->txns & ~placed & bit(t)) || (before & ~placed))
            continue;
        if (!oracle_search_step(s))
            return false;
        r->committed[n] = t;
        if (can_commit(r, t, n) && place(r, placed | bit(t), n + 1))
            return true;
    }
    return false;
}

bool oracle_replay(struct oracle_search *s)
{
    struct replay r = { .search = s };

    for (unsigned k = 0; k < s->model->key_count; k++)
        r.state[0].value[k] = s->model->initial[k];
    return place(&r, 0, 0);
}
