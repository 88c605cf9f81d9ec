/*
 * The order against sessions and real time.
 *
 *     order     T1   T4   T2   T3
 *     session   1    1    1         T2 came before T4 in their session: refused
 *
 * One pass: the latest that went by is all that needs to be remembered. Where the
 * two transactions have a key in common, that is what is told: the one read it
 * without what the other had written.
 */
#include <stdlib.h>

#include "checkers/lattice.h"
#include "checkers/order/order_private.h"

/* Pairs of operations that are held against each other to find a key that shows an inversion. */
#define PAIRS_MAX (UINT64_C(1) << 28)

struct scan {
    struct replay *replay;
    enum closing closing;
    uint32_t *latest;  /* by session: the transaction furthest down in it; of time, one for all */
    bool only_telling; /* inversions that some key shows */
    uint64_t pairs_left;
};

/* The last write of a key, or VERSION_INITIAL. */
static uint32_t last_write(const struct history *h, uint32_t txn, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn + 1]; op-- > h->txn_op[txn];)
        if (history_makes_version(h, op) && h->op_key[op] == key)
            return op;
    return VERSION_INITIAL;
}

static bool has_written(const struct history *h, uint32_t txn, uint32_t before, uint32_t key)
{
    for (uint32_t op = h->txn_op[txn]; op < before; op++)
        if (history_makes_version(h, op) && h->op_key[op] == key)
            return true;
    return false;
}

/* Whether what was read is whole, and older in the order than what that transaction wrote. */
static bool is_older(const struct scan *s, uint32_t op, const struct suspect *suspect,
                     uint32_t writer)
{
    const struct history *h = s->replay->history;
    const uint32_t *position = s->replay->places.position;

    if (suspect->suspicion == SUSPECT_INITIAL)
        return contents_equal(&s->replay->contents, content_of(history_initial(h, h->op_key[op])),
                              history_value(h, op));
    return suspect->suspicion == SUSPECT_COMMITTED && h->op_kind[suspect->version] != OP_APPEND &&
           position[suspect->txn] < position[writer];
}

/* What the one read of a key that the other has written. */
static enum status find_missed(struct scan *s, struct edge *edge, bool *found, struct error *err)
{
    const struct history *h = s->replay->history;
    uint32_t reader = edge->from;

    for (uint32_t op = h->txn_op[reader]; op < h->txn_op[reader + 1]; op++) {
        struct suspect suspect;
        uint32_t version;

        if (h->op_kind[op] != OP_READ || h->op_value_kind[op] == VALUE_NONE ||
            h->op_flags[op] & OP_ERROR || h->txn_status[reader] != TXN_OK)
            continue;
        version = last_write(h, edge->to, h->op_key[op]);
        if (version == VERSION_INITIAL || has_written(h, reader, op, h->op_key[op]))
            continue;
        TRY(suspects_find(&s->replay->suspects, reader, op, &suspect, err));
        if (!is_older(s, op, &suspect, edge->to))
            continue;
        edge->kind = EDGE_RW;
        edge->op = op;
        edge->key = h->op_key[op];
        edge->version = suspect.version;
        edge->other = version;
        *found = true;
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* A key that both write. */
static bool find_overwritten(const struct history *h, struct edge *edge)
{
    for (uint32_t op = h->txn_op[edge->from]; op < h->txn_op[edge->from + 1]; op++) {
        uint32_t later;

        if (!history_makes_version(h, op))
            continue;
        later = last_write(h, edge->to, h->op_key[op]);
        if (later == VERSION_INITIAL)
            continue;
        edge->kind = EDGE_WW;
        edge->key = h->op_key[op];
        edge->version = last_write(h, edge->from, edge->key);
        edge->other = later;
        return true;
    }
    return false;
}

/* Whether there is still time to look for what the two have in common. */
static bool can_afford(struct scan *s, uint32_t first, uint32_t second)
{
    const uint32_t *start = s->replay->history->txn_op;
    uint64_t pairs =
        (uint64_t)(start[first + 1] - start[first]) * (start[second + 1] - start[second]);

    if (pairs > s->pairs_left)
        return false;
    s->pairs_left -= pairs;
    return true;
}

/* The order puts `first` before `second`, which had gone before it. */
static enum status report(struct scan *s, uint32_t first, uint32_t second, struct error *err)
{
    const struct history *h = s->replay->history;
    struct edge edges[2] = { { .kind = EDGE_ORDER, .from = first, .to = second },
                             { .from = second, .to = first } };
    uint32_t txns[2] = { first, second };
    struct discovery d = { .txns = txns, .txn_count = 2 };
    bool missed = false, shows = false;

    edges[1].kind = s->closing == CLOSED_BY_SESSION ? EDGE_PROCESS : EDGE_REALTIME;
    if (check_is_full(s->replay->check))
        return STATUS_OK;
    if (can_afford(s, first, second)) {
        TRY(find_missed(s, &edges[0], &missed, err));
        shows = missed || find_overwritten(h, &edges[0]);
    }
    if (s->only_telling && !shows)
        return STATUS_OK;
    d.kind = d.proven = lattice_cycle(missed ? ANOMALY_G_SINGLE : ANOMALY_G0, s->closing);
    proof_tell_cycle(&d.why, h, edges, 2);
    proof_cycle(&d.proof, h, edges, 2);
    return check_add(s->replay->check, &d, err);
}

static enum status scan_sessions(struct scan *s, struct error *err)
{
    const struct history *h = s->replay->history;
    const struct places *places = &s->replay->places;

    for (uint32_t i = 0; i < places->sequence_count; i++) {
        uint32_t txn = places->sequence[i];
        uint32_t *latest = &s->latest[h->txn_session[txn]];

        if (*latest == HISTORY_NONE || txn > *latest)
            *latest = txn;
        else if (h->txn_status[txn] == TXN_OK) /* nothing comes after an unknown one */
            TRY(report(s, *latest, txn, err));
    }
    return STATUS_OK;
}

static enum status scan_times(struct scan *s, struct error *err)
{
    const struct history *h = s->replay->history;
    const struct places *places = &s->replay->places;
    uint32_t latest = HISTORY_NONE;

    for (uint32_t i = 0; i < places->sequence_count; i++) {
        uint32_t txn = places->sequence[i];
        int64_t completed = h->txn_completed[txn], invoked = h->txn_invoked[txn];

        if (latest != HISTORY_NONE && h->txn_status[txn] == TXN_OK && completed != TIME_ABSENT &&
            completed < h->txn_invoked[latest])
            TRY(report(s, latest, txn, err));
        if (invoked != TIME_ABSENT && (latest == HISTORY_NONE || invoked > h->txn_invoked[latest]))
            latest = txn;
    }
    return STATUS_OK;
}

static enum status scan(struct scan *s, struct error *err)
{
    const struct history *h = s->replay->history;

    if (s->closing == CLOSED_BY_TIME)
        return h->txn_invoked && h->txn_completed ? scan_times(s, err) : STATUS_OK;
    TRY(check_memory((void **)&s->latest, h->session_count, sizeof *s->latest, 0xff, err));
    return scan_sessions(s, err);
}

enum status order_check_times(struct replay *r, enum level level, struct error *err)
{
    struct scan s = { .replay = r,
                      .closing = lattice_closing(level),
                      .only_telling = true,
                      .pairs_left = PAIRS_MAX };
    size_t found = r->check->findings.count;
    enum status status;

    if (s.closing == CLOSED_BY_DATA)
        return STATUS_OK;
    status = scan(&s, err);
    if (status == STATUS_OK && r->check->findings.count == found) {
        s.only_telling = false;
        status = scan(&s, err);
    }
    free(s.latest);
    return status;
}
