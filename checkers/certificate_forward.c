#include <stdlib.h>

#include "checkers/certificate_private.h"
#include "checkers/lattice.h"

void forward_init(struct forward *f, struct certificate *c)
{
    const struct places *places = &c->places;

    *f = (struct forward){ .certificate = c,
                           .is_snapshot = lattice_is_snapshot(c->options->level),
                           .holds = places->sequence_count == places->in_count &&
                                    !check_wants(c->options, CHECK_SLOWLY) };
    for (uint32_t i = 0; f->is_snapshot && f->holds && i < places->sequence_count; i++)
        f->holds = c->txn_seen[places->sequence[i]] <= i;
}

/* Whether one may come after the other: it begins when that has committed. */
static bool comes_after(const struct forward *f, uint32_t from, uint32_t to)
{
    const struct certificate *c = f->certificate;

    return c->places.position[from] < (f->is_snapshot ? c->txn_seen[to] : c->places.position[to]);
}

enum status forward_hear(void *context, const struct edge *e, struct error *err)
{
    struct forward *f = context;
    const struct certificate *c = f->certificate;

    (void)err;
    if (!f->holds)
        return STATUS_OK;
    f->holds = edge_is_anti(e->kind) && f->is_snapshot
                   ? c->txn_seen[e->from] <= c->places.position[e->to]
                   : comes_after(f, e->from, e->to);
    return STATUS_OK;
}

static enum status scan_sessions(struct forward *f, struct error *err)
{
    const struct certificate *c = f->certificate;
    const struct history *h = c->history;
    uint32_t *last = NULL; /* by session */

    TRY(check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count && f->holds; t++) {
        uint32_t *before = &last[h->txn_session[t]];

        if (!places_is_in(&c->places, t))
            continue;
        f->holds = *before == HISTORY_NONE || comes_after(f, *before, t);
        if (h->txn_status[t] == TXN_OK)
            *before = t;
    }
    free(last);
    return STATUS_OK;
}

/* The furthest that has passed a barrier, or one before it. */
static enum status scan_times(struct forward *f, struct error *err)
{
    const struct certificate *c = f->certificate;
    const struct history *h = c->history;
    struct barriers barriers;
    uint32_t *furthest = NULL; /* by barrier: a transaction */
    enum status status = barriers_init(&barriers, &c->places, err);

    if (status == STATUS_OK)
        status = check_memory((void **)&furthest, barriers.count, sizeof *furthest, 0xff, err);
    for (uint32_t t = 0; t < h->txn_count && status == STATUS_OK; t++) {
        uint32_t after = barriers.after[t];

        if (after != BARRIER_NONE && (furthest[after] == HISTORY_NONE ||
                                      c->places.position[t] > c->places.position[furthest[after]]))
            furthest[after] = t;
    }
    for (uint32_t i = 1; i < barriers.count && status == STATUS_OK; i++)
        if (furthest[i] == HISTORY_NONE ||
            (furthest[i - 1] != HISTORY_NONE &&
             c->places.position[furthest[i - 1]] > c->places.position[furthest[i]]))
            furthest[i] = furthest[i - 1];
    for (uint32_t t = 0; t < h->txn_count && f->holds && status == STATUS_OK; t++)
        if (barriers.before[t] != BARRIER_NONE && furthest[barriers.before[t]] != HISTORY_NONE)
            f->holds = comes_after(f, furthest[barriers.before[t]], t);
    free(furthest);
    barriers_close(&barriers);
    return status;
}

enum status forward_finish(struct forward *f, struct error *err)
{
    if (!f->holds)
        return STATUS_OK;
    switch (lattice_closing(f->certificate->options->level)) {
    case CLOSED_BY_DATA:
        return STATUS_OK;
    case CLOSED_BY_SESSION:
        return scan_sessions(f, err);
    case CLOSED_BY_TIME:
        return scan_times(f, err);
    }
    return STATUS_OK;
}
