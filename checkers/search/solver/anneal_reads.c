#include "checkers/search/solver/anneal_reads_private.h"

#include <assert.h>
#include <stdlib.h>

#include "base/sort.h"
#include "checkers/check_private.h"

/* --- Making ----------------------------------------------------------------------- */

/* The others of a read are those that it comes before if it has some candidate as its source. */
struct others {
    uint32_t *at;
    size_t count, room;
};

static enum status gather_others(const struct search_index *x, uint32_t read, struct others *others,
                                 struct error *err)
{
    const struct search_problem *p = x->problem;
    size_t start = others->count;

    for (uint32_t c = x->read_start[read]; c < x->read_start[read + 1]; c++) {
        uint32_t literal = search_literal(p->choices[c].variable, true);

        for (uint32_t i = x->guarded_start[literal]; i < x->guarded_start[literal + 1]; i++)
            if (p->edges[x->guarded[i]].from == p->choices[c].reader)
                TRY(array_push(others, p->edges[x->guarded[i]].to, err));
    }
    if (others->count > start)
        others->count = start + sort_once(others->at + start, others->count - start);
    return STATUS_OK;
}

static enum status make_reads(struct anneal_reads *r, struct error *err)
{
    struct others others = { 0 };
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < r->count && status == STATUS_OK; i++) {
        r->reads[i].reader = r->index->problem->choices[r->index->read_start[i]].reader;
        r->reads[i].other_start = (uint32_t)others.count;
        status = gather_others(r->index, i, &others, err);
        r->reads[i].other_end = (uint32_t)others.count;
        if (status == STATUS_OK && others.count > UINT32_MAX / 4)
            status = error_set(err, STATUS_OVER_LIMIT, "too many sources are open");
    }
    r->others = others.at;
    return status;
}

/* Calls for each node that has to do with a read. */
static void each_touch(struct anneal_reads *r, uint32_t read,
                       void (*visit)(struct anneal_reads *, uint32_t node, uint32_t touch))
{
    const struct search_index *x = r->index;
    const struct open_read *o = &r->reads[read];

    visit(r, o->reader, 2 * read + 1);
    for (uint32_t c = x->read_start[read]; c < x->read_start[read + 1]; c++)
        if (x->problem->choices[c].writer != SEARCH_NONE)
            visit(r, x->problem->choices[c].writer, 2 * read + 1);
    for (uint32_t i = o->other_start; i < o->other_end; i++)
        visit(r, r->others[i], 2 * read);
}

static void count_touch(struct anneal_reads *r, uint32_t node, uint32_t touch)
{
    (void)touch;
    r->touch_start[node + 2]++;
}

static void add_touch(struct anneal_reads *r, uint32_t node, uint32_t touch)
{
    r->touches[r->touch_start[node + 1]++] = touch;
}

static enum status index_touches(struct anneal_reads *r, struct error *err)
{
    size_t n = r->line->node_count;

    TRY(check_memory((void **)&r->touch_start, n + 3, sizeof *r->touch_start, 0, err));
    for (uint32_t i = 0; i < r->count; i++)
        each_touch(r, i, count_touch);
    array_sum_prefixes(r->touch_start, n + 3);
    TRY(memory_resize((void **)&r->touches, (size_t)r->touch_start[n + 1] + 1, sizeof *r->touches,
                      err));
    for (uint32_t i = 0; i < r->count; i++)
        each_touch(r, i, add_touch);
    return STATUS_OK;
}

enum status anneal_reads_init(struct anneal_reads *r, const struct search_index *index,
                              struct anneal_line *line, struct error *err)
{
    size_t room = (size_t)index->read_count + 1;

    *r = (struct anneal_reads){ .index = index, .line = line, .count = index->read_count };
    TRY(check_memory((void **)&r->reads, room, sizeof *r->reads, 0, err));
    TRY(check_memory((void **)&r->is_suspect, room, sizeof *r->is_suspect, 0, err));
    TRY(check_memory((void **)&r->changed, room, sizeof *r->changed, 0, err));
    TRY(check_memory((void **)&r->dirty, room, sizeof *r->dirty, 0, err));
    TRY(make_reads(r, err));
    TRY(index_touches(r, err));
    return anneal_reads_locate(r, err);
}

void anneal_reads_close(struct anneal_reads *r)
{
    free(r->reads);
    free(r->others);
    free(r->touch_start);
    free(r->touches);
    free(r->is_suspect);
    free(r->changed);
    free(r->dirty);
    array_close(&r->suspects);
    array_close(&r->changes);
    *r = (struct anneal_reads){ 0 };
}

/* --- What a read costs ------------------------------------------------------------ */

static int64_t label_of(const struct anneal_reads *r, uint32_t node)
{
    return node == SEARCH_NONE ? 0 : r->line->label[node];
}

static inline bool is_between(int64_t label, int64_t low, int64_t high)
{
    return (low < label) & (label < high);
}

/* With this source, but no more than is of interest. */
static struct open_read weigh(struct anneal_reads *r, const struct open_read *read, uint32_t source,
                              uint32_t limit)
{
    int64_t from = label_of(r, source), to = label_of(r, read->reader);
    struct open_read o = *read;

    o.source = source;
    o.low = from < to ? from : to;
    o.high = from < to ? to : from;
    o.cost = from > to;
    for (uint32_t i = o.other_start; i < o.other_end && o.cost < limit; i++)
        o.cost += is_between(r->line->label[r->others[i]], o.low, o.high);
    r->steps += (o.other_end - o.other_start) / 2;
    return o;
}

/* The candidate that costs least. */
static void choose(struct anneal_reads *r, uint32_t read)
{
    const struct search_index *x = r->index;
    struct open_read best = { .cost = UINT32_MAX };

    for (uint32_t c = x->read_start[read]; c < x->read_start[read + 1] && best.cost > 0; c++) {
        struct open_read o = weigh(r, &r->reads[read], x->problem->choices[c].writer, best.cost);

        if (o.cost < best.cost)
            best = o;
    }
    r->cost += best.cost;
    r->cost -= r->reads[read].cost;
    r->reads[read] = best;
}

static enum status suspect(struct anneal_reads *r, uint32_t read, struct error *err)
{
    if (r->is_suspect[read] || r->reads[read].cost == 0)
        return STATUS_OK;
    r->is_suspect[read] = 1;
    return array_push(&r->suspects, read, err);
}

enum status anneal_reads_locate(struct anneal_reads *r, struct error *err)
{
    for (uint32_t i = 0; i < r->count; i++) {
        choose(r, i);
        TRY(suspect(r, i, err));
    }
    return STATUS_OK;
}

/* --- Moves ------------------------------------------------------------------------ */

static enum status note(struct anneal_reads *r, uint32_t read, struct error *err)
{
    if (r->changed[read] == r->stamp)
        return STATUS_OK;
    r->changed[read] = r->stamp;
    return array_push(&r->changes, ((struct open_read_change){ read, r->reads[read] }), err);
}

/* Reads whose own ends moved are weighed anew, once all have. */
static enum status note_ends(struct anneal_reads *r, uint32_t node, struct error *err)
{
    for (uint32_t i = r->touch_start[node]; i < r->touch_start[node + 1]; i++) {
        uint32_t read = r->touches[i] / 2;
        const struct open_read *o = &r->reads[read];

        if (!(r->touches[i] & 1) || (node != o->reader && node != o->source))
            continue;
        r->dirty[read] = r->stamp;
        TRY(note(r, read, err));
    }
    return STATUS_OK;
}

/* Of the others it matters whether the node came in between or left. */
static enum status note_crossings(struct anneal_reads *r, uint32_t node, int64_t old_label,
                                  struct error *err)
{
    int64_t label = r->line->label[node];

    r->steps += (r->touch_start[node + 1] - r->touch_start[node]) / 2;
    for (uint32_t i = r->touch_start[node]; i < r->touch_start[node + 1]; i++) {
        uint32_t read = r->touches[i] / 2;
        struct open_read *o = &r->reads[read];
        bool was = is_between(old_label, o->low, o->high), is = is_between(label, o->low, o->high);

        if (was == is || r->touches[i] & 1 || r->dirty[read] == r->stamp)
            continue;
        TRY(note(r, read, err));
        o->cost += is;
        o->cost -= was;
        r->cost += is;
        r->cost -= was;
    }
    return STATUS_OK;
}

enum status anneal_reads_follow(struct anneal_reads *r, struct error *err)
{
    const struct anneal_line *l = r->line;

    r->changes.count = 0;
    if (r->count == 0)
        return STATUS_OK;
    r->stamp++; /* 2^32 moves take hours */
    for (uint32_t i = 0; i < l->mover_count; i++)
        TRY(note_ends(r, l->movers[i], err));
    for (uint32_t i = 0; i < l->mover_count; i++)
        TRY(note_crossings(r, l->movers[i], l->old_label[i], err));
    for (size_t i = 0; i < r->changes.count; i++)
        if (r->dirty[r->changes.at[i].read] == r->stamp)
            choose(r, r->changes.at[i].read);
    return STATUS_OK;
}

void anneal_reads_take_back(struct anneal_reads *r)
{
    for (size_t i = r->changes.count; i-- > 0;) {
        const struct open_read_change *change = &r->changes.at[i];

        r->cost += change->was.cost;
        r->cost -= r->reads[change->read].cost;
        r->reads[change->read] = change->was;
    }
}

enum status anneal_reads_keep(struct anneal_reads *r, struct error *err)
{
    for (size_t i = 0; i < r->changes.count; i++)
        TRY(suspect(r, r->changes.at[i].read, err));
    return STATUS_OK;
}

/* One of those between the read and its source, drawn evenly. */
static uint32_t draw_other(struct anneal_reads *r, const struct open_read *o, struct random *random)
{
    uint32_t found = SEARCH_NONE, count = 0;

    for (uint32_t i = o->other_start; i < o->other_end; i++)
        if (is_between(r->line->label[r->others[i]], o->low, o->high) &&
            random_below(random, ++count) == 0)
            found = r->others[i];
    return found;
}

bool anneal_reads_draw(struct anneal_reads *r, size_t at, struct random *random, uint32_t *from,
                       uint32_t *to)
{
    const struct search_index *x = r->index;
    uint32_t read = r->suspects.at[at], other;
    struct open_read o;

    choose(r, read);
    if (r->reads[read].cost == 0) {
        r->is_suspect[read] = 0;
        r->suspects.at[at] = r->suspects.at[--r->suspects.count];
        return false;
    }
    o = r->reads[read];
    if (random_below(random, 4) == 0) { /* sometimes the best is not what leads on */
        uint32_t start = x->read_start[read], count = x->read_start[read + 1] - start;
        uint32_t c = start + (uint32_t)random_below(random, count);

        o = weigh(r, &o, x->problem->choices[c].writer, UINT32_MAX);
    }
    other = draw_other(r, &o, random);
    *from = o.reader;
    *to = other;
    if (label_of(r, o.source) > label_of(r, o.reader)) {
        *from = o.source;
        *to = o.reader;
    } else if (o.source != SEARCH_NONE && random_next(random) & 1) {
        *from = other;
        *to = o.source;
    }
    return true;
}
