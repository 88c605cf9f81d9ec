#include "audit/instants_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

static int compare_instants(const void *left, const void *right)
{
    const struct instant *a = left, *b = right;

    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

void audit_instants_sort(struct instant *at, size_t count)
{
    qsort(at, count, sizeof *at, compare_instants);
}

/* When transactions were at work, by transaction: TIME_NEVER, it is not known. */
struct times {
    int64_t *invoked, *first, *completed; /* `first`: its first answer, or completion */
    int64_t *late; /* it was completed by then even if its place in the order is too early */
};

/* --- Times of clients ------------------------------------------------------------------------------------ */

static bool has_times(const struct plan *plan)
{
    for (size_t i = 0; i < plan->txns.count; i++)
        if (plan->txns.at[i].logged->invoked_ns != TIME_NEVER)
            return true;
    return false;
}

static void take_times(struct times *times, const struct plan *plan, bool last)
{
    for (size_t i = 0; i < plan->txns.count; i++) {
        const struct plan_txn *t = &plan->txns.at[i];

        times->invoked[i] = t->logged->invoked_ns;
        times->completed[i] = times->late[i] = t->is_unknown ? TIME_NEVER : t->logged->completed_ns;
        times->first[i] = last ? times->completed[i] : t->first_answer_ns;
    }
}

/* --- Places instead of times ------------------------------------------------------------------------------ */

/* A transaction of a session, by its number in the log. */
struct session_turn {
    int64_t session;
    uint32_t txn;
};

static int compare_turns(const void *left, const void *right)
{
    const struct session_turn *a = left, *b = right;

    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    return (a->txn > b->txn) - (a->txn < b->txn);
}

/*
 * Of one session, in the order of the log: it was invoked when the one before was committed, and completed when it
 * was committed itself, or before the next one was. The time is the place in the order, twice, so that there is
 * something between.
 */
static void take_session(struct times *times, const struct plan *plan, const uint32_t *place_of,
                         const struct session_turn *turns, size_t count)
{
    int64_t now = 0, next = TIME_NEVER;

    for (size_t i = 0; i < count; i++) {
        const struct plan_txn *t = &plan->txns.at[turns[i].txn];
        int64_t own = 2 * (int64_t)place_of[turns[i].txn] + 2;

        times->invoked[turns[i].txn] = t->has_place && own < now ? 0 : now;
        if (t->has_place && !t->is_unknown)
            now = own + 1;
    }
    for (size_t i = count; i > 0; i--) {
        uint32_t txn = turns[i - 1].txn;
        const struct plan_txn *t = &plan->txns.at[txn];
        int64_t own = 2 * (int64_t)place_of[txn] + 2;

        times->completed[txn] = t->is_unknown ? TIME_NEVER : t->has_place ? own : next;
        times->first[txn] = times->completed[txn];
        times->late[txn] = t->is_unknown || next == TIME_NEVER ? times->completed[txn] : next;
        if (t->has_place && !t->is_unknown)
            next = own;
    }
}

static enum status take_sessions(struct times *times, const struct plan *plan, const uint32_t *order, uint32_t count,
                                 struct error *err)
{
    struct session_turn *turns = calloc(plan->txns.count + 1, sizeof *turns);
    uint32_t *place_of = calloc(plan->txns.count + 1, sizeof *place_of);
    size_t total = plan->txns.count, from = 0;

    if (!turns || !place_of) {
        free(turns);
        free(place_of);
        return error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    }
    for (uint32_t i = 0; i < count; i++)
        place_of[order[i]] = i;
    for (uint32_t i = 0; i < total; i++)
        turns[i] = (struct session_turn){ plan->txns.at[i].logged->session, i };
    qsort(turns, total, sizeof *turns, compare_turns);
    for (size_t i = 1; i <= total; i++)
        if (i == total || turns[i].session < 0 || turns[i].session != turns[from].session) {
            take_session(times, plan, place_of, turns + from, i - from);
            from = i;
        }
    free(turns);
    free(place_of);
    return STATUS_OK;
}

/* --- Bounds ----------------------------------------------------------------------------------------------- */

static void note_completions(const struct plan *plan, const struct times *times, const uint32_t *order,
                             uint32_t count, struct instant *at, uint32_t *at_count)
{
    uint32_t highest = 0;

    *at_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct plan_txn *t = &plan->txns.at[order[i]];

        if (t->has_place && times->completed[order[i]] != TIME_NEVER)
            at[(*at_count)++] = (struct instant){ times->completed[order[i]], i + 1 };
    }
    audit_instants_sort(at, *at_count);
    for (uint32_t i = 0; i < *at_count; i++) {
        if (at[i].place > highest)
            highest = at[i].place;
        at[i].place = highest;
    }
}

/* Of those at or behind an instant (of invocations, or of completions), the first place. */
static void note_first_places(const struct plan *plan, const int64_t *instants, const uint32_t *order, uint32_t count,
                              struct instant *at, uint32_t *at_count)
{
    uint32_t lowest = count;

    *at_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (plan->txns.at[order[i]].has_place)
            at[(*at_count)++] = (struct instant){ instants[order[i]], i };
    audit_instants_sort(at, *at_count);
    for (uint32_t i = *at_count; i > 0; i--) {
        if (at[i - 1].place < lowest)
            lowest = at[i - 1].place;
        at[i - 1].place = lowest;
    }
}

static void find_least(struct instants *in, const struct plan *plan, const struct times *times,
                       const struct instant *at, uint32_t at_count)
{
    for (uint32_t t = 0; t < plan->txns.count; t++) {
        uint32_t k = 0;

        if (times->invoked[t] != TIME_NEVER)
            BISECT(k, 0, at_count, at[k].at_ns < times->invoked[t]);
        in->least[t] = k > 0 ? at[k - 1].place : 0;
    }
}

static void find_surely(struct instants *in, const struct plan *plan, const struct times *times,
                        const struct instant *at, uint32_t at_count)
{
    for (uint32_t t = 0; t < plan->txns.count; t++) {
        uint32_t k = at_count;

        if (times->invoked[t] != TIME_NEVER)
            BISECT(k, 0, at_count, at[k].at_ns < times->invoked[t]);
        in->surely[t] = k < at_count && at[k].place < in->least[t] ? at[k].place : in->least[t];
    }
}

static void find_most(struct instants *in, const struct plan *plan, const struct times *times,
                      const struct instant *at, uint32_t at_count)
{
    for (uint32_t t = 0; t < plan->txns.count; t++) {
        uint32_t k = at_count;

        if (times->first[t] != TIME_NEVER)
            BISECT(k, 0, at_count, at[k].at_ns <= times->first[t]);
        in->most[t] = k < at_count && at[k].at_ns != TIME_NEVER ? at[k].place : UINT32_MAX;
    }
}

static enum status find_bounds(struct instants *in, const struct plan *plan, const struct times *times,
                               const uint32_t *order, uint32_t count, struct error *err)
{
    struct instant *at = calloc((size_t)count + 1, sizeof *at);
    uint32_t at_count;

    if (!at)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    note_completions(plan, times, order, count, at, &at_count);
    find_least(in, plan, times, at, at_count);
    note_first_places(plan, times->late, order, count, at, &at_count);
    find_surely(in, plan, times, at, at_count);
    note_first_places(plan, times->invoked, order, count, at, &at_count);
    find_most(in, plan, times, at, at_count);
    for (uint32_t i = 0; i < count; i++)
        in->is_torn |= plan->txns.at[order[i]].has_place && in->least[order[i]] > i;
    free(at);
    return STATUS_OK;
}

/* --- What was seen ----------------------------------------------------------------------------------------- */

/* A transaction with ts, and its place in the order. */
struct stamp {
    int64_t ts;
    uint32_t place;
};

/* Where what it saw is at odds with its times, no state is left. */
static void narrow(struct instants *in, uint32_t txn, const struct logged_txn *t, const struct stamp *stamps,
                   uint32_t count)
{
    uint32_t seen, unseen;
    uint32_t least, most;

    BISECT(seen, 0, count, stamps[seen].ts <= t->saw[0]);
    BISECT(unseen, 0, count, stamps[unseen].ts <= t->saw[1]);
    least = seen > 0 ? stamps[seen - 1].place + 1 : 0;
    most = unseen < count ? stamps[unseen].place : UINT32_MAX;
    in->least[txn] = least > in->least[txn] ? least : in->least[txn];
    in->surely[txn] = least > in->surely[txn] ? least : in->surely[txn];
    in->most[txn] = most < in->most[txn] ? most : in->most[txn];
}

static enum status find_seen(struct instants *in, const struct plan *plan, const uint32_t *order, uint32_t count,
                             struct error *err)
{
    struct stamp *stamps = malloc(((size_t)count + 1) * sizeof *stamps);
    uint32_t stamp_count = 0;

    if (!stamps)
        return error_set(err, STATUS_OVER_LIMIT, "no memory for what transactions saw");
    for (uint32_t i = 0; i < count; i++) {
        const struct logged_txn *t = plan->txns.at[order[i]].logged;

        if (t->has_ts)
            stamps[stamp_count++] = (struct stamp){ t->ts[0], i };
    }
    for (uint32_t i = 0; i < plan->txns.count; i++)
        if (plan->txns.at[i].logged->has_saw)
            narrow(in, i, plan->txns.at[i].logged, stamps, stamp_count);
    free(stamps);
    return STATUS_OK;
}

enum status audit_instants_find(struct instants *in, const struct plan *plan, const uint32_t *order,
                          uint32_t count, unsigned how, struct error *err)
{
    size_t total = plan->txns.count + 1;
    int64_t *all = calloc(4 * total, sizeof *all);
    struct times times = { all, all + total, all + 2 * total, all + 3 * total };
    enum status status = STATUS_OK;

    *in = (struct instants){ .least = calloc(total, sizeof *in->least),
                             .most = calloc(total, sizeof *in->most),
                             .surely = calloc(total, sizeof *in->surely) };
    if (!all || !in->least || !in->most || !in->surely)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    else if (!(how & INSTANTS_GUESS) || has_times(plan))
        take_times(&times, plan, how & INSTANTS_LAST);
    else
        status = take_sessions(&times, plan, order, count, err);
    if (status == STATUS_OK)
        status = find_bounds(in, plan, &times, order, count, err);
    if (status == STATUS_OK && (how & INSTANTS_SAW))
        status = find_seen(in, plan, order, count, err);
    free(all);
    return status;
}

void audit_instants_move(struct instants *in, size_t txns, uint32_t from, uint32_t to)
{
    for (size_t t = 0; t < txns; t++) {
        in->least[t] = instants_moved(in->least[t], from, to);
        in->surely[t] = instants_moved(in->surely[t], from, to);
        in->most[t] = instants_moved(in->most[t], from, to);
    }
}

enum status audit_instants_copy(struct instants *in, size_t txns, struct error *err)
{
    const struct instants from = *in;

    *in = (struct instants){ .least = malloc((txns + 1) * sizeof *in->least),
                             .most = malloc((txns + 1) * sizeof *in->most),
                             .surely = malloc((txns + 1) * sizeof *in->surely),
                             .is_torn = from.is_torn };
    if (!in->least || !in->most || !in->surely) {
        audit_instants_close(in);
        *in = from;
        return error_set(err, STATUS_OVER_LIMIT, "no memory for times");
    }
    memcpy(in->least, from.least, txns * sizeof *in->least);
    memcpy(in->most, from.most, txns * sizeof *in->most);
    memcpy(in->surely, from.surely, txns * sizeof *in->surely);
    return STATUS_OK;
}

void audit_instants_close(struct instants *in)
{
    free(in->least);
    free(in->most);
    free(in->surely);
}
