/*
 * The fewest steps of session order and reads from one transaction to another: breadth first,
 * backwards, as each transaction knows what comes right before it. A step of session order
 * may lead over any number of transactions; each is looked at once.
 */
#include <stdlib.h>

#include "checkers/weak/weak_private.h"

struct trail {
    const struct weak *w;
    uint32_t *step;                /* by transaction: its place in `steps`, or HISTORY_NONE */
    uint32_t *highest;             /* by session: the last position up to which all were seen */
    ARRAY(struct weak_step) steps; /* the one that leads on to the end; also the queue */
};

static enum status see(struct trail *t, uint32_t from, uint32_t to, uint32_t op, struct error *err)
{
    struct weak_step step = { from, to, op };

    if (from >= WEAK_OPEN || t->step[from] != HISTORY_NONE)
        return STATUS_OK;
    t->step[from] = (uint32_t)t->steps.count;
    return array_push(&t->steps, step, err);
}

/* All of the session before it that were not seen yet. */
static enum status see_session(struct trail *t, uint32_t txn, uint32_t wanted, struct error *err)
{
    const struct weak *w = t->w;
    uint32_t session = w->history->txn_session[txn], *highest = &t->highest[session];

    if (weak_is_before(w, wanted, txn))
        return see(t, wanted, txn, HISTORY_NONE, err);
    for (uint32_t p = *highest + 1; p < w->position[txn]; p++)
        TRY(see(t, w->session_txns[w->session_start[session] + p - 1], txn, HISTORY_NONE, err));
    if (*highest + 1 < w->position[txn])
        *highest = w->position[txn] - 1;
    return STATUS_OK;
}

static enum status search(struct trail *t, uint32_t from, uint32_t to, struct error *err)
{
    const struct weak *w = t->w;
    uint32_t txn = to;

    TRY(check_memory((void **)&t->step, w->txn_count, sizeof *t->step, 0xff, err));
    TRY(check_memory((void **)&t->highest, w->session_count, sizeof *t->highest, 0, err));
    for (size_t next = 0; t->step[from] == HISTORY_NONE; next++) {
        for (uint32_t i = w->read_start[txn]; i < w->read_start[txn + 1]; i++)
            TRY(see(t, w->read_writer[i], txn, w->read_op[i], err));
        TRY(see_session(t, txn, from, err));
        if (next == t->steps.count)
            break;
        txn = t->steps.at[next].from;
    }
    return STATUS_OK;
}

enum status weak_find_path(const struct weak *w, uint32_t from, uint32_t to, struct weak_path *path,
                           struct error *err)
{
    struct trail t = { .w = w };
    enum status status = search(&t, from, to, err);

    while (status == STATUS_OK && from != to) {
        const struct weak_step *step = &t.steps.at[t.step[from]];

        status = array_push(&path->steps, *step, err);
        from = step->to;
    }
    free(t.step);
    free(t.highest);
    array_close(&t.steps);
    return status;
}
