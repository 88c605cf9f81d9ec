#include "record/commit_ranks.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

struct numbered_xid {
    uint64_t xid;
    size_t commit;
};

/* The list stands in `running`, sorted. */
struct read_snapshot {
    uint64_t xmax;
    size_t first, count;
    uint64_t size; /* commits that it saw */
    size_t number;
};

struct chain {
    const struct taken_snapshot *texts;
    struct numbered_xid *commits; /* by xid */
    size_t commit_count;
    /* By when they were begun; the xid is the least of those that were begun then or later. */
    struct numbered_commit *begun;
    ARRAY(uint64_t) running;
    ARRAY(struct read_snapshot) snapshots;
    ARRAY(size_t)
    waiting; /* places in `commits`, below the greatest xmax so far, that nobody has seen */
};

static int compare_xids(const void *a, const void *b)
{
    const struct numbered_xid *x = a, *y = b;

    return (x->xid > y->xid) - (x->xid < y->xid);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int compare_sizes(const void *a, const void *b)
{
    const struct read_snapshot *x = a, *y = b;
    int order = (x->size > y->size) - (x->size < y->size);

    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* How many commits have a smaller xid. */
static size_t count_below(const struct chain *c, uint64_t xid)
{
    size_t low = 0, high = c->commit_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->commits[middle].xid < xid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_commit(const struct chain *c, uint64_t xid)
{
    size_t at = count_below(c, xid);

    return at < c->commit_count && c->commits[at].xid == xid;
}

static int compare_begins(const void *a, const void *b)
{
    const struct numbered_commit *x = a, *y = b;

    return (x->begun_ns > y->begun_ns) - (x->begun_ns < y->begun_ns);
}

static void sort_begun(struct chain *c)
{
    if (c->commit_count > 1)
        qsort(c->begun, c->commit_count, sizeof *c->begun, compare_begins);
    for (size_t i = c->commit_count; i-- > 1;)
        if (c->begun[i].xid < c->begun[i - 1].xid)
            c->begun[i - 1].xid = c->begun[i].xid;
}

/* The least xid of the commits that were begun later. */
static uint64_t least_after(const struct chain *c, int64_t ns)
{
    size_t low = 0, high = c->commit_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->begun[middle].begun_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->commit_count ? c->begun[low].xid : UINT64_MAX;
}

static bool take_number(struct text *text, uint64_t *number, char end)
{
    if (!text_take_uint64(text, number))
        return false;
    if (text->length > 0 && text->at[0] == end) {
        text->at++;
        text->length--;
        return true;
    }
    return false;
}

static enum status read_snapshot(struct chain *c, size_t number, struct error *err)
{
    struct text text = c->texts[number].text;
    struct read_snapshot s = { .first = c->running.count, .number = number };
    uint64_t xmin, xid, least;

    if (text.length == 0)
        return STATUS_OK;
    if (!take_number(&text, &xmin, ':') || !take_number(&text, &s.xmax, ':'))
        return error_set(err, STATUS_BAD_INPUT, "the database says '%.*s', which is no snapshot",
                         TEXT_PRINT(c->texts[number].text));
    while (text.length > 0) {
        if (!take_number(&text, &xid, ',') && text.length > 0)
            return error_set(err, STATUS_BAD_INPUT,
                             "the database says '%.*s', which is no snapshot",
                             TEXT_PRINT(c->texts[number].text));
        TRY(array_push(&c->running, xid, err));
    }
    least = least_after(c, c->texts[number].ended_ns);
    s.xmax = least < s.xmax ? least : s.xmax;
    s.count = c->running.count - s.first;
    if (s.count > 1)
        qsort(c->running.at + s.first, s.count, sizeof *c->running.at, compare_numbers);
    s.size = count_below(c, s.xmax);
    for (size_t i = s.first; i < s.first + s.count; i++)
        s.size -= c->running.at[i] < s.xmax && is_commit(c, c->running.at[i]);
    return array_push(&c->snapshots, s, err);
}

static bool saw(const struct chain *c, const struct read_snapshot *s, uint64_t xid)
{
    return xid < s->xmax && (s->count == 0 || !bsearch(&xid, c->running.at + s->first, s->count,
                                                       sizeof *c->running.at, compare_numbers));
}

/*
 * How many of those that nobody has seen it saw; takes them out, with this rank, if there is one.
 */
static uint64_t see(struct chain *c, const struct read_snapshot *s, uint32_t rank,
                    struct commit_ranks *v)
{
    size_t kept = 0;
    uint64_t seen = 0;

    for (size_t i = 0; i < c->waiting.count; i++) {
        const struct numbered_xid *commit = &c->commits[c->waiting.at[i]];
        bool is_seen = saw(c, s, commit->xid);

        seen += is_seen;
        if (rank > 0 && is_seen)
            v->commit_ranks[commit->commit] = rank;
        else
            c->waiting.at[kept++] = c->waiting.at[i];
    }
    if (rank > 0)
        c->waiting.count = kept;
    return seen;
}

/*
 * By size; each must see all that the one before saw, so that what is new makes up the difference.
 */
static enum status rank_all(struct chain *c, struct commit_ranks *v, struct error *err)
{
    uint64_t seen_so_far = 0;
    size_t below = 0;

    for (size_t i = 0; i < c->snapshots.count; i++) {
        const struct read_snapshot *s = &c->snapshots.at[i];
        size_t until = count_below(c, s->xmax);

        for (; below < until; below++)
            TRY(array_push(&c->waiting, below, err));
        if (seen_so_far + see(c, s, 0, v) != s->size) {
            v->misfits++;
            continue;
        }
        if (s->size > seen_so_far) {
            v->rank_count++;
            seen_so_far += see(c, s, v->rank_count, v);
        }
        v->snapshot_ranks[s->number] = v->rank_count;
    }
    for (size_t i = 0; i < c->commit_count; i++)
        if (v->commit_ranks[i] == 0)
            v->commit_ranks[i] = v->rank_count + 1;
    return STATUS_OK;
}

static enum status order(struct chain *c, struct commit_ranks *v, size_t snapshot_count,
                         struct error *err)
{
    if (c->commit_count > 1)
        qsort(c->commits, c->commit_count, sizeof *c->commits, compare_xids);
    sort_begun(c);
    for (size_t i = 0; i < snapshot_count; i++)
        TRY(read_snapshot(c, i, err));
    if (c->snapshots.count > 1)
        qsort(c->snapshots.at, c->snapshots.count, sizeof *c->snapshots.at, compare_sizes);
    return rank_all(c, v, err);
}

enum status commit_ranks_find(struct commit_ranks *v, const struct numbered_commit *commits,
                              size_t commit_count, const struct taken_snapshot *snapshots,
                              size_t snapshot_count, struct error *err)
{
    struct chain c = { .texts = snapshots, .commit_count = commit_count };
    enum status status = STATUS_OK;

    *v = (struct commit_ranks){ .commit_ranks = calloc(commit_count + 1, sizeof *v->commit_ranks),
                                .snapshot_ranks =
                                    malloc((snapshot_count + 1) * sizeof *v->snapshot_ranks) };
    c.commits = malloc((commit_count + 1) * sizeof *c.commits);
    c.begun = malloc((commit_count + 1) * sizeof *c.begun);
    if (!v->commit_ranks || !v->snapshot_ranks || !c.commits || !c.begun)
        status = error_set(err, STATUS_OVER_LIMIT, "no memory for the order of %zu commits",
                           commit_count);
    for (size_t i = 0; status == STATUS_OK && i < commit_count; i++) {
        c.commits[i] = (struct numbered_xid){ commits[i].xid, i };
        c.begun[i] = commits[i];
    }
    for (size_t i = 0; status == STATUS_OK && i < snapshot_count; i++)
        v->snapshot_ranks[i] = COMMIT_RANKS_NONE;
    if (status == STATUS_OK)
        status = order(&c, v, snapshot_count, err);
    free(c.commits);
    free(c.begun);
    array_close(&c.running);
    array_close(&c.snapshots);
    array_close(&c.waiting);
    return status;
}

void commit_ranks_close(struct commit_ranks *v)
{
    free(v->commit_ranks);
    free(v->snapshot_ranks);
    *v = (struct commit_ranks){ 0 };
}
