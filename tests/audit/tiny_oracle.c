#include "tests/audit/tiny_oracle.h"

#include <assert.h>
#include <string.h>

#define CHOICES_MAX 64
#define SIGHTS_MAX 8 /* statements of a transaction */

const char *const tiny_level_names[TINY_LEVEL_COUNT] = {
    "serializable",
    "strict-serializable",
    "snapshot by version",
    "snapshot by value",
    "strict-snapshot by version",
    "strict-snapshot by value",
    "read-committed locking",
    "read-committed statement",
    "read-committed paper",
};

/* What a statement saw: a state, or of each row one. */
struct sighting {
    int state, rows[TINY_ROWS];
};

/* One way in which a transaction may have run. */
struct way {
    struct tiny_run run;
    struct sighting sights[SIGHTS_MAX];
    int sight_count, place; /* of one that writes nothing: after so many writers */
};

struct search {
    const struct tiny_log *log;
    enum tiny_level level;
    bool is_present[TINY_TXNS_MAX], is_writer[TINY_TXNS_MAX];
    struct tiny_state states[TINY_TXNS_MAX + 1]; /* of those that are placed */
    int order[TINY_TXNS_MAX], placed_count;
    bool is_placed[TINY_TXNS_MAX];
    struct way ways[TINY_TXNS_MAX]; /* as they were placed */
};

/* A run that chooses; the choices are gone through one after another. */
struct chooser {
    const struct search *s;
    int limit; /* the last state that may be seen */
    int choices[CHOICES_MAX], bounds[CHOICES_MAX], depth, count;
    struct way *way;
};

static bool is_serial(const struct search *s)
{
    return s->level <= TINY_STRICT_SERIALIZABLE;
}

static bool is_snapshot(const struct search *s)
{
    return s->level >= TINY_SNAPSHOT_BY_VERSION && s->level <= TINY_STRICT_SNAPSHOT_BY_VALUE;
}

static bool is_strict_snapshot(const struct search *s)
{
    return s->level == TINY_STRICT_SNAPSHOT_BY_VERSION || s->level == TINY_STRICT_SNAPSHOT_BY_VALUE;
}

/* --- Choosing -------------------------------------------------------------------------------- */

static int choose(struct chooser *c, int bound)
{
    int at = c->depth++;

    assert(bound > 0 && at < CHOICES_MAX);
    if (at == c->count) {
        c->choices[at] = 0;
        c->count++;
    }
    c->bounds[at] = bound;
    return c->choices[at];
}

/* To the next run, whose choices differ from the last one's. False: there is none. */
static bool choose_on(struct chooser *c)
{
    for (c->count = c->depth; c->count > 0; c->count--)
        if (++c->choices[c->count - 1] < c->bounds[c->count - 1])
            return true;
    return false;
}

static void next_statement(void *context)
{
    struct chooser *c = context;
    struct way *way = c->way;
    struct sighting *sight = &way->sights[way->sight_count];
    int low = 0;

    assert(way->sight_count < SIGHTS_MAX);
    for (int k = 0; k < TINY_ROWS; k++)
        sight->rows[k] = -1;
    if (is_serial(c->s)) {
        sight->state = c->limit;
    } else if (is_snapshot(c->s) && way->sight_count > 0) {
        sight->state = sight[-1].state;
    } else if (c->s->level == TINY_RC_PAPER) {
        sight->state = 0;
    } else {
        if (c->s->level == TINY_RC_LOCKING && way->sight_count > 0)
            low = sight[-1].state;
        sight->state = low + choose(c, c->limit + 1 - low);
    }
    way->sight_count++;
}

static bool same_row(struct tiny_row a, struct tiny_row b)
{
    return a.is_there == b.is_there && a.v == b.v;
}

/* One of the states in which the row is different. */
static int choose_row(struct chooser *c, int row)
{
    int different[TINY_TXNS_MAX + 1], count = 0;

    for (int i = 0; i <= c->limit; i++) {
        int k = 0;

        while (k < count &&
               !same_row(c->s->states[different[k]].rows[row], c->s->states[i].rows[row]))
            k++;
        if (k == count)
            different[count++] = i;
    }
    return different[choose(c, count)];
}

static struct tiny_row see(void *context, int row)
{
    struct chooser *c = context;
    struct sighting *sight = &c->way->sights[c->way->sight_count - 1];

    if (c->s->level != TINY_RC_PAPER)
        return c->s->states[sight->state].rows[row];
    if (sight->rows[row] < 0)
        sight->rows[row] = choose_row(c, row);
    return c->s->states[sight->rows[row]].rows[row];
}

static bool has_written(const struct tiny_run *run)
{
    for (int k = 0; k < TINY_ROWS; k++)
        if (run->writes[k])
            return true;
    return false;
}

/* --- Rules ----------------------------------------------------------------------------------------- */

static bool has_ts(const struct search *s, int t)
{
    return s->log->txns[t].has_ts && !s->log->ts_is_hint;
}

static bool was_before(const struct search *s, int t, int u)
{
    const struct tiny_txn *a = &s->log->txns[t], *b = &s->log->txns[u];

    return a->has_times && b->has_times && a->status == TINY_OK && a->completed < b->invoked;
}

/* Whether it may come next, as far as ts and time say so. */
static bool may_be_next(const struct search *s, int t)
{
    bool minds_time = s->level == TINY_STRICT_SERIALIZABLE || is_strict_snapshot(s);

    for (int u = 0; u < s->log->count; u++) {
        bool counts = s->is_present[u] && (is_serial(s) || s->is_writer[u]);

        if (!counts || u == t)
            continue;
        if (minds_time && !s->is_placed[u] && was_before(s, u, t))
            return false;
        if (!is_serial(s) && s->is_placed[u] && has_ts(s, t) && has_ts(s, u) &&
            s->log->txns[u].ts > s->log->txns[t].ts)
            return false;
    }
    return true;
}

/* At serial levels ts orders those that write the same row. */
static bool is_in_order_of_ts(const struct search *s, int t, const struct tiny_run *run)
{
    if (!is_serial(s) || !has_ts(s, t))
        return true;
    for (int i = 0; i < s->placed_count; i++) {
        int u = s->order[i];

        for (int k = 0; k < TINY_ROWS; k++)
            if (run->writes[k] && s->ways[u].run.writes[k] && has_ts(s, u) &&
                s->log->txns[u].ts > s->log->txns[t].ts)
                return false;
    }
    return true;
}

/* Of one that writes and is placed next. */
static bool commits_first(const struct search *s, const struct way *way)
{
    bool by_version = s->level == TINY_SNAPSHOT_BY_VERSION || s->level == TINY_STRICT_SNAPSHOT_BY_VERSION;
    int state = way->sights[0].state;

    for (int k = 0; is_snapshot(s) && k < TINY_ROWS; k++) {
        struct tiny_row was = s->states[state].rows[k], is = s->states[s->placed_count].rows[k];

        if (!way->run.writes[k])
            continue;
        for (int i = state; by_version && i < s->placed_count; i++)
            if (s->ways[s->order[i]].run.writes[k])
                return false;
        if (!by_version && !same_row(way->run.after.rows[k], was) && !same_row(was, is))
            return false;
    }
    return true;
}

/* At strict-snapshot, once all writers have their places. */
static bool sees_in_time(const struct search *s, int t, int state)
{
    const struct tiny_txn *txn = &s->log->txns[t];

    for (int i = 0; i < s->placed_count; i++) {
        int u = s->order[i];

        if (u != t && was_before(s, u, t) && i + 1 > state)
            return false;
        if (i + 1 <= state && txn->has_times && txn->status == TINY_OK && s->log->txns[u].has_times &&
            s->log->txns[u].invoked > txn->completed)
            return false;
    }
    return true;
}

/* --- Searching ------------------------------------------------------------------------------------------- */

/* The next way to run it that answers so; the chooser is at zero before the first. */
static bool run_next(struct chooser *c, int t, bool *is_first)
{
    const struct search *s = c->s;
    struct tiny_sight sight = { see, next_statement, c, s->level == TINY_RC_LOCKING,
                                &s->states[c->limit] };

    while (*is_first || choose_on(c)) {
        *is_first = false;
        c->depth = 0;
        c->way->sight_count = 0;
        tiny_run_txn(&s->log->txns[t], &sight, true, &c->way->run);
        if (!c->way->run.is_wrong)
            return true;
    }
    return false;
}

/* One that writes nothing: after so many writers. */
static bool try_reader(struct search *s, int t)
{
    int least = s->level == TINY_RC_LOCKING ? 0 : s->placed_count;

    for (int place = least; place <= s->placed_count; place++) {
        struct chooser c = { .s = s, .limit = place, .way = &s->ways[t] };
        bool is_first = true;

        while (run_next(&c, t, &is_first)) {
            s->ways[t].place = place;
            if (!has_written(&s->ways[t].run) &&
                (!is_strict_snapshot(s) || sees_in_time(s, t, s->ways[t].sights[0].state)))
                return true;
        }
    }
    return false;
}

static bool finish(struct search *s)
{
    for (int t = 0; t < s->log->count; t++) {
        if (!s->is_present[t])
            continue;
        if (s->is_placed[t]) {
            if (is_strict_snapshot(s) && !sees_in_time(s, t, s->ways[t].sights[0].state))
                return false;
        } else if (!try_reader(s, t)) {
            return false;
        }
    }
    return true;
}

static bool place_all(struct search *s, int left);

/* Whether a way leads to the same as one that was tried. */
static bool is_new(const struct tiny_run *tried, int count, const struct tiny_run *run)
{
    for (int i = 0; i < count; i++) {
        bool is_same = true;

        for (int k = 0; k < TINY_ROWS; k++)
            is_same &= tried[i].writes[k] == run->writes[k] &&
                       (!run->writes[k] || same_row(tried[i].after.rows[k], run->after.rows[k]));
        if (is_same)
            return false;
    }
    return true;
}

static bool place_one(struct search *s, int t, int left)
{
    struct tiny_run tried[64];
    struct way way = { .place = 0 };
    struct chooser c = { .s = s, .limit = s->placed_count, .way = &way };
    int count = 0;
    bool is_first = true, found;

    while (run_next(&c, t, &is_first)) {
        if (!is_serial(s) && !has_written(&way.run))
            continue; /* tried where it is taken for one that writes nothing */
        if (!commits_first(s, &way) || !is_in_order_of_ts(s, t, &way.run) ||
            (!is_strict_snapshot(s) && !is_new(tried, count, &way.run)))
            continue;
        if (count < 64)
            tried[count++] = way.run;
        s->ways[t] = way;
        s->states[s->placed_count + 1] = s->states[s->placed_count];
        for (int k = 0; k < TINY_ROWS; k++)
            if (way.run.writes[k])
                s->states[s->placed_count + 1].rows[k] = way.run.after.rows[k];
        s->is_placed[t] = true;
        s->order[s->placed_count++] = t;
        found = place_all(s, left - 1);
        if (found)
            return true;
        s->placed_count--;
        s->is_placed[t] = false;
    }
    return false;
}

static bool place_all(struct search *s, int left)
{
    if (left == 0)
        return finish(s);
    for (int t = 0; t < s->log->count; t++)
        if (s->is_present[t] && s->is_writer[t] && !s->is_placed[t] && may_be_next(s, t) &&
            place_one(s, t, left))
            return true;
    return false;
}

/* --- The witness ----------------------------------------------------------------------------------------------- */

static void print_states(const struct search *s, int t, const int *number, struct buffer *out)
{
    const struct way *way = &s->ways[t];
    int count = is_snapshot(s) && way->sight_count > 1 ? 1 : way->sight_count;

    buffer_print(out, "[%d", t + 1);
    for (int i = 0; i < count; i++) {
        const struct sighting *sight = &way->sights[i];
        bool has_rows = false;

        for (int k = 0; k < TINY_ROWS; k++)
            has_rows |= sight->rows[k] > 0;
        if (!has_rows) {
            buffer_print(out, ",%d", number[sight->state]);
            continue;
        }
        buffer_print(out, ",{");
        for (int k = 0; k < TINY_ROWS; k++)
            if (sight->rows[k] > 0)
                buffer_print(out, "\"t/%d\":%d,", k + 1, number[sight->rows[k]]);
        buffer_print(out, "\"\":0}");
    }
    buffer_print(out, "]");
}

/* The order with those that write nothing, and where the states of the writers alone are in it. */
static int order_all(const struct search *s, int *order, int *number)
{
    int count = 0;

    for (int w = 0; w <= s->placed_count; w++) {
        number[w] = count;
        for (int t = 0; t < s->log->count; t++)
            if (s->is_present[t] && !s->is_placed[t] && s->ways[t].place == w)
                order[count++] = t;
        if (w < s->placed_count)
            order[count++] = s->order[w];
    }
    return count;
}

static void print_witness(const struct search *s, struct text digest, struct buffer *out)
{
    static const char *const heads[TINY_LEVEL_COUNT] = {
        "\"level\":\"serializable\"",
        "\"level\":\"strict-serializable\"",
        "\"level\":\"snapshot\",\"first-committer\":\"version\"",
        "\"level\":\"snapshot\",\"first-committer\":\"value\"",
        "\"level\":\"strict-snapshot\",\"first-committer\":\"version\"",
        "\"level\":\"strict-snapshot\",\"first-committer\":\"value\"",
        "\"level\":\"read-committed\",\"model\":\"locking\"",
        "\"level\":\"read-committed\",\"model\":\"statement\"",
        "\"level\":\"read-committed\",\"model\":\"paper\"",
    };
    int order[TINY_TXNS_MAX], number[TINY_TXNS_MAX + 1], count = order_all(s, order, number);
    const char *comma = "";

    buffer_print(out, "{\"ordeal-audit\":1,\"log\":\"");
    buffer_text(out, digest);
    buffer_print(out, "\",%s,\"verdict\":\"valid\",\"order\":[", heads[s->level]);
    for (int i = 0; i < count; i++)
        buffer_print(out, "%s%d", i > 0 ? "," : "", order[i] + 1);
    buffer_print(out, "]");
    if (!is_serial(s)) {
        buffer_print(out, ",\"states\":[");
        for (int i = 0; i < count; i++) {
            buffer_print(out, "%s", i > 0 ? "," : "");
            print_states(s, order[i], number, out);
        }
        buffer_print(out, "]");
    }
    buffer_print(out, ",\"absent\":[");
    for (int t = 0; t < s->log->count; t++)
        if (s->log->txns[t].status == TINY_UNKNOWN && !s->is_present[t]) {
            buffer_print(out, "%s%d", comma, t + 1);
            comma = ",";
        }
    buffer_print(out, "]}");
}

/* --- All of it --------------------------------------------------------------------------------------------------- */

static bool search_with(struct search *s, unsigned present, unsigned writers)
{
    int left = 0;

    s->placed_count = 0;
    s->states[0] = s->log->initial;
    for (int t = 0; t < s->log->count; t++) {
        s->is_present[t] = present >> t & 1;
        s->is_writer[t] = s->is_present[t] && (is_serial(s) || (writers >> t & 1));
        s->is_placed[t] = false;
        left += s->is_writer[t];
    }
    return place_all(s, left);
}

bool tiny_has_execution(const struct tiny_log *log, enum tiny_level level, struct text digest,
                        struct buffer *witness)
{
    struct search s = { .log = log, .level = level };
    unsigned all = (1u << log->count) - 1, certain = 0, possible = 0;

    for (int t = 0; t < log->count; t++) {
        certain |= (unsigned)(log->txns[t].status == TINY_OK) << t;
        possible |= (unsigned)(log->txns[t].status != TINY_ABORT) << t;
    }
    for (unsigned present = 0; present <= all; present++) {
        if ((present & ~possible) || (certain & ~present))
            continue;
        for (unsigned writers = 0; writers <= all; writers++) {
            if ((writers & ~present) || (is_serial(&s) && writers != present))
                continue;
            if (!search_with(&s, present, writers))
                continue;
            if (witness)
                print_witness(&s, digest, witness);
            return true;
        }
    }
    return false;
}
