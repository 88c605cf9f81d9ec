#include "verify/instants/visible_private.h"

#include <assert.h>

#include "base/bisect.h"
#include "verify/instants/instants.h"
#include "verify/instants/known_private.h"
#include "verify/lookup_private.h"
#include "verify/verify_private.h"
#include "verify/witness/workings.h"

/* --- Versions ---------------------------------------------------------------- */

static uint32_t writer_of(const struct known *k, uint32_t version)
{
    return k->v->op_txn[version];
}

struct window visible_is_installed(const struct known *k, uint32_t version)
{
    const struct instants *in = k->v->instants;
    struct window installed = { INT64_MIN, INT64_MAX };
    int64_t by;

    if (version == VERSION_INITIAL)
        return (struct window){ INT64_MIN, INT64_MIN };
    if (in->w->timing == TIMED_FULL)
        return known_window(k, point_of_commit(writer_of(k, version)));
    if (in->w->timing == TIMED_NOT)
        return installed;
    installed = in->commit[writer_of(k, version)];
    by = known_committed_by(k, writer_of(k, version));
    if (by < installed.high)
        installed.high = by;
    return installed;
}

bool visible_precedes(const struct known *k, uint32_t first, uint32_t second)
{
    if (first == VERSION_INITIAL || second == VERSION_INITIAL)
        return first == VERSION_INITIAL && second != VERSION_INITIAL;
    return visible_is_installed(k, first).high < visible_is_installed(k, second).low ||
           known_before(k, point_of_commit(writer_of(k, first)),
                        point_of_commit(writer_of(k, second)));
}

bool visible_counts(const struct known *k, uint32_t version)
{
    return version == VERSION_INITIAL || known_commits(k, writer_of(k, version));
}

/* --- Sights ------------------------------------------------------------------ */

static struct window sight_of_reader(const struct known *k, const struct visible_reader *r)
{
    const struct instants *in = k->v->instants;
    struct window at = instants_op_times(k->v, r->txn, r->head);
    bool is_late = r->is_look && in->w->view == READS_AT_COMMIT;

    if (r->is_early)
        return (struct window){ INT64_MIN, at.high };
    switch (in->w->timing) {
    case TIMED_FULL:
        return r->is_strict ? known_window(k, r->point) : at;
    case TIMED_BY_KEY:
        return (struct window){ in->times[r->txn].low,
                                is_late ? in->commit[r->txn].high : at.high };
    default:
        return (struct window){ INT64_MIN, INT64_MAX };
    }
}

static int64_t sent_by(const struct known *k, const struct visible_reader *r)
{
    const struct workings *w = k->v->instants->w;
    bool is_late = r->is_look && !r->is_early && w->view == READS_AT_COMMIT;

    if (!workings_time_operations(w))
        return INT64_MAX;
    return is_late ? k->v->instants->commit[r->txn].high
                   : instants_op_times(k->v, r->txn, r->head).high;
}

bool visible_is_there(const struct visibility *s, uint32_t version)
{
    if (version == VERSION_INITIAL)
        return true;
    return visible_is_installed(s->k, version).high < s->sight.low ||
           (s->reader->is_strict &&
            known_before(s->k, point_of_commit(writer_of(s->k, version)), s->reader->point));
}

bool visible_may_pass_over(const struct known *k, const struct visible_reader *r)
{
    return k->v->instants->w->timing == TIMED_BY_KEY && r->is_look &&
           lookup_row_of(k->v, r->head, r->key) == HISTORY_NONE;
}

bool visible_is_surely_seen(const struct visibility *s, uint32_t version)
{
    if (version == VERSION_INITIAL || !visible_may_pass_over(s->k, s->reader))
        return visible_is_there(s, version);
    return known_before(s->k, point_of_commit(writer_of(s->k, version)), s->reader->point);
}

bool visible_is_behind(const struct visibility *s, uint32_t version)
{
    if (version == VERSION_INITIAL)
        return false;
    return visible_is_installed(s->k, version).low > s->sight.high ||
           (s->reader->is_strict &&
            known_before(s->k, s->reader->point, point_of_commit(writer_of(s->k, version))));
}

bool visible_is_future(const struct visibility *s, uint32_t version)
{
    if (version == VERSION_INITIAL)
        return false;
    return visible_is_behind(s, version) || instants_sent(s->k->v, version) > s->sent_by;
}

/* Those that count and that are there, but for the reader's own, hide what comes before them. */
static bool may_hide(const struct visibility *s, uint32_t version)
{
    return writer_of(s->k, version) != s->reader->txn && visible_counts(s->k, version) &&
           visible_is_there(s, version);
}

static void hide_behind(struct visibility *s, uint32_t version)
{
    int64_t low;

    if (version == HISTORY_NONE || !may_hide(s, version))
        return;
    low = visible_is_installed(s->k, version).low;
    s->has_floor = true;
    if (low > s->hidden_before)
        s->hidden_before = low;
}

/* How many of the key's versions by end had surely been installed before a time. */
static uint64_t count_before(const struct visibility *s, int64_t time)
{
    const struct instants *in = s->k->v->instants;
    const uint64_t *start = &s->k->v->version_start[s->reader->key];
    uint64_t place;

    BISECT(place, start[0], start[1], in->commit[writer_of(s->k, in->by_end[place])].high < time);
    return place;
}

/* By first windows; and those of which more is known, one by one. */
static void find_hidden(struct visibility *s)
{
    const struct verifier *v = s->k->v;
    const struct instants *in = v->instants;
    uint64_t start = v->version_start[s->reader->key], there = count_before(s, s->sight.low);
    uint32_t key = s->reader->key;

    if (in->w->timing != TIMED_NOT && there > start) {
        s->has_floor = true;
        s->hidden_before = in->low_max[there - 1];
    }
    for (size_t i = 0; i < s->k->points.nodes.count; i++) {
        uint64_t point = s->k->points.nodes.at[i].number;

        if (!point_is_op(v->h, point) && point % 2 == 1)
            hide_behind(s, lookup_left(v, (uint32_t)(point / 2), key));
    }
    for (uint64_t i = v->chain_end[key]; i < v->version_start[key + 1]; i++)
        hide_behind(s, v->version[i]); /* if steps say that it committed */
}

/* The beginning of those that cannot have been installed while it saw. */
static uint64_t find_end(const struct visibility *s)
{
    const struct instants *in = s->k->v->instants;
    uint64_t end;

    BISECT(end, s->from, s->k->v->version_start[s->reader->key + 1],
           in->low_min[end] <= s->sight.high);
    return end;
}

enum status visible_begin(struct visibility *s, const struct known *k,
                          const struct visible_reader *r, struct error *err)
{
    const struct instants *in = k->v->instants;

    *s = (struct visibility){ .k = k,
                              .reader = r,
                              .sight = sight_of_reader(k, r),
                              .sent_by = sent_by(k, r),
                              .hidden_before = INT64_MIN,
                              .from = k->v->version_start[r->key],
                              .end = k->v->version_start[r->key + 1] };
    if (!in->w->reads_any)
        find_hidden(s);
    if (in->w->timing != TIMED_NOT) {
        s->from = count_before(s, s->hidden_before);
        s->end = find_end(s);
    }
    assert(s->from <= s->end && s->end <= k->v->version_start[r->key + 1]);
    return verify_spend(k->v, k->points.nodes.count + k->points.edges.count + 1, err);
}

enum status visible_begin_all(struct visibility *s, const struct known *k,
                              const struct visible_reader *r, struct error *err)
{
    TRY(visible_begin(s, k, r, err));
    s->next = s->from;
    return verify_spend(k->v, s->end - s->from, err);
}

bool visible_next(struct visibility *s, uint32_t *version)
{
    if (!s->has_begun) {
        s->has_begun = true;
        *version = VERSION_INITIAL;
        if (visible_may_be_seen(s, VERSION_INITIAL))
            return true;
    }
    while (s->next < s->end) {
        *version = s->k->v->instants->by_end[s->next++];
        if (visible_may_be_seen(s, *version))
            return true;
    }
    return false;
}

/* Whether one that is there is known by an order to come behind it. */
static bool is_hidden_by_order(const struct visibility *s, uint32_t version)
{
    const struct known_graph *g = &s->k->points;
    uint64_t node;
    uint32_t e;

    if (!map_find(&g->node_of, point_of_commit(writer_of(s->k, version)), &node))
        return false;
    for (e = g->nodes.at[node].first_out; e != NO_EDGE; e = g->edges.at[e].next_out) {
        uint64_t point = g->nodes.at[g->edges.at[e].to].number;
        uint32_t other;

        if (point_is_op(s->k->v->h, point) || point % 2 == 0)
            continue;
        other = lookup_left(s->k->v, (uint32_t)(point / 2), s->reader->key);
        if (other != HISTORY_NONE && may_hide(s, other))
            return true;
    }
    return false;
}

bool visible_may_be_seen(const struct visibility *s, uint32_t version)
{
    if (version == VERSION_INITIAL)
        return !s->has_floor;
    return writer_of(s->k, version) != s->reader->txn && !visible_is_future(s, version) &&
           visible_is_installed(s->k, version).high >= s->hidden_before &&
           !is_hidden_by_order(s, version);
}
