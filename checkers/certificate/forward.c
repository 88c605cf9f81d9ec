/*
 * Sessions and real time against the order of places.
 */
#include <stdlib.h>

#include "checkers/certificate/certificate_private.h"
#include "checkers/lattice.h"

bool certificate_is_placed(const struct certificate *c)
{
    const struct places *places = &c->places;

    if (places->sequence_count != places->in_count)
        return false;
    for (uint32_t i = 0; lattice_is_snapshot(c->options->level) && i < places->sequence_count; i++)
        if (c->txn_seen[places->sequence[i]] > i)
            return false;
    return true;
}

/* So many of the sequence have committed when it begins. */
static uint32_t begin_of(const struct certificate *c, uint32_t txn)
{
    return lattice_is_snapshot(c->options->level) ? c->txn_seen[txn] : c->places.position[txn];
}

static enum status scan_sessions(struct certificate *c, bool *is_forward, struct error *err)
{
    const struct history *h = c->history;
    uint32_t *last = NULL; /* by session */

    TRY(check_memory((void **)&last, h->session_count, sizeof *last, 0xff, err));
    for (uint32_t t = 0; t < h->txn_count && *is_forward; t++) {
        uint32_t *before = &last[h->txn_session[t]];

        if (!places_is_in(&c->places, t))
            continue;
        *is_forward = *before == HISTORY_NONE || c->places.position[*before] < begin_of(c, t);
        if (h->txn_status[t] == TXN_OK)
            *before = t;
    }
    free(last);
    return STATUS_OK;
}

/* When the first to complete did, of those that are not among the first so many. */
static enum status find_completions(const struct certificate *c, int64_t **completed,
                                    struct error *err)
{
    const struct history *h = c->history;
    const struct places *places = &c->places;

    TRY(memory_resize((void **)completed, (size_t)places->sequence_count + 1, sizeof **completed,
                      err));
    (*completed)[places->sequence_count] = TIME_NEVER;
    for (uint32_t i = places->sequence_count; i-- > 0;) {
        uint32_t txn = places->sequence[i];
        int64_t at = h->txn_completed[txn];
        bool is_known = h->txn_status[txn] == TXN_OK && at != TIME_ABSENT;

        (*completed)[i] = is_known && at < (*completed)[i + 1] ? at : (*completed)[i + 1];
    }
    return STATUS_OK;
}

/* Nobody may begin after one has completed that he is before. */
static enum status scan_times(struct certificate *c, bool *is_forward, struct error *err)
{
    const struct history *h = c->history;
    int64_t *completed = NULL;

    if (!h->txn_invoked || !h->txn_completed)
        return STATUS_OK;
    TRY(find_completions(c, &completed, err));
    for (uint32_t i = 0; i < c->places.sequence_count && *is_forward; i++) {
        uint32_t txn = c->places.sequence[i];

        *is_forward = h->txn_invoked[txn] == TIME_ABSENT ||
                      completed[begin_of(c, txn)] >= h->txn_invoked[txn];
    }
    free(completed);
    return STATUS_OK;
}

enum status certificate_scan_times(struct certificate *c, bool *is_forward, struct error *err)
{
    *is_forward = true;
    switch (lattice_closing(c->options->level)) {
    case CLOSED_BY_DATA:
        return c->options->level == LEVEL_CAUSAL ? scan_sessions(c, is_forward, err) : STATUS_OK;
    case CLOSED_BY_SESSION:
        return scan_sessions(c, is_forward, err);
    case CLOSED_BY_TIME:
        return scan_times(c, is_forward, err);
    }
    return STATUS_OK;
}
