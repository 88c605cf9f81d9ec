#include "verify/calls/run_private.h"

#include <string.h>

#include "base/hash.h"
#include "verify/calls/grow_private.h"

typedef const struct place_of_work place;

/* A SELECT that is executed. */
struct selecting {
    struct place_of_work place; /* with the rows at hand */
    struct row_env env;
    const struct selection *s;
    const struct packed **rows; /* at hand, by source */
    struct row_entry **entries;
    uint32_t order[64]; /* in which sources are bound */
    struct result_row **found;
    uint32_t found_count, found_room;
    uint32_t stop_after; /* rows that LIMIT wants, where they come in order; or UINT32_MAX */
    const struct sort_key *early; /* the column by which they do */
};

static struct arena *memory_of(const struct selecting *q)
{
    return q->place.run->bench.arena;
}

/* --- Sorting ----------------------------------------------------------------------------- */

void run_sort(struct run *run, void **items, uint32_t count,
              int (*compare)(void *, const void *, const void *), void *context)
{
    void **from = items, **to;
    bool in_order = true;

    for (uint32_t i = 1; i < count && in_order; i++)
        in_order = compare(context, items[i - 1], items[i]) <= 0;
    if (in_order)
        return;
    to = arena_take(run->bench.arena, count, sizeof *to);
    for (uint32_t run_length = 1; run_length < count; run_length *= 2) {
        void **swapped = from;

        for (uint32_t start = 0; start < count; start += 2 * run_length) {
            uint32_t middle = start + run_length < count ? start + run_length : count;
            uint32_t end = middle + run_length < count ? middle + run_length : count;
            uint32_t a = start, b = middle;

            for (uint32_t i = start; i < end; i++)
                to[i] = a < middle && (b == end || compare(context, from[a], from[b]) <= 0) ? from[a++]
                                                                                           : from[b++];
        }
        from = to;
        to = swapped;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}

static int compare_by_order(void *context, const void *first, const void *second)
{
    const struct selection *s = context;
    const struct result_row *a = first, *b = second;

    for (uint32_t i = 0; i < s->order_count; i++) {
        const struct item *x = &a->keys[i], *y = &b->keys[i];
        int order;

        if (item_is_null(x) || item_is_null(y)) {
            order = (int)item_is_null(x) - (int)item_is_null(y);
            if (order != 0)
                return s->order[i].nulls_first ? -order : order;
            continue;
        }
        order = item_compare(x, y);
        if (order != 0)
            return s->order[i].descends ? -order : order;
    }
    return 0;
}

static int compare_by_key(void *context, const void *first, const void *second)
{
    const struct result_row *a = first, *b = second;

    return row_states_compare_keys(context, a->rows[0], b->rows[0]);
}

/* --- Which rows ------------------------------------------------------------------------------ */

static void bind(struct selecting *, uint32_t level);

static struct result_row *new_row(struct selecting *q)
{
    GROW(memory_of(q), q->found, q->found_count, &q->found_room);
    q->found[q->found_count] = arena_take(memory_of(q), 1, sizeof **q->found);
    return q->found[q->found_count++];
}

/* All sources are bound. */
static void take_row(struct selecting *q)
{
    uint32_t count = q->s->source_count;
    struct result_row *row;

    run_step(q->place.run, 1);
    if (q->s->where && !evaluate_truth(&q->place, q->s->where))
        return;
    row = new_row(q);
    row->rows = arena_take(memory_of(q), count + 1, sizeof *row->rows);
    row->entries = arena_take(memory_of(q), count + 1, sizeof *row->entries);
    if (count > 0) {
        memcpy(row->rows, q->rows, count * sizeof *row->rows);
        memcpy(row->entries, q->entries, count * sizeof *row->entries);
    }
}

struct bound_source {
    struct selecting *q;
    uint32_t level, source;
    bool matched;
};

static bool goes_on_behind(struct selecting *q, const struct packed *row)
{
    struct item last, now;

    if (q->found_count < q->stop_after)
        return true;
    last = row_states_unpack(&q->found[q->found_count - 1]->rows[0][q->early->by->as.column.column]);
    now = row_states_unpack(&row[q->early->by->as.column.column]);
    return item_same(&last, &now);
}

static bool visit_row(void *context, struct row_entry *entry, const struct packed *row)
{
    struct bound_source *b = context;
    struct selecting *q = b->q;
    const struct from_source *source = &q->s->sources[b->source];

    if (q->early && !goes_on_behind(q, row))
        return false;
    q->rows[b->source] = row;
    q->entries[b->source] = entry;
    if (source->is_optional && !evaluate_truth(&q->place, source->on))
        return true;
    b->matched = true;
    bind(q, b->level + 1);
    return true;
}

/* What is known of the columns of a source by now. */
struct known_columns {
    uint32_t columns[64], equal_count;
    struct item equal[64], low, high;
    bool has_low, has_high, low_excluded, high_excluded;
    uint32_t range_column;
    bool is_empty; /* something is compared with null */
};

static void know_range(struct known_columns *k, const struct pin *pin, const struct item *value)
{
    bool is_low = pin->operation == '>' || pin->operation == 'g';
    struct item *bound = is_low ? &k->low : &k->high;
    bool *has = is_low ? &k->has_low : &k->has_high;
    bool *excluded = is_low ? &k->low_excluded : &k->high_excluded;

    if ((k->has_low || k->has_high) && k->range_column != pin->column)
        return; /* one column is enough; WHERE is looked at in any case */
    if (*has)
        return;
    k->range_column = pin->column;
    *has = true;
    *bound = *value;
    *excluded = pin->operation == '<' || pin->operation == '>';
}

static bool knows_equal(const struct known_columns *k, uint32_t column)
{
    for (uint32_t i = 0; i < k->equal_count; i++)
        if (k->columns[i] == column)
            return true;
    return false;
}

static void know_equal(struct known_columns *k, uint32_t column, const struct item *value)
{
    uint32_t i = k->equal_count;

    if (knows_equal(k, column) || k->equal_count == 60)
        return;
    for (; i > 0 && k->columns[i - 1] > column; i--) {
        k->columns[i] = k->columns[i - 1];
        k->equal[i] = k->equal[i - 1];
    }
    k->columns[i] = column;
    k->equal[i] = *value;
    k->equal_count++;
}

static void learn_columns(struct selecting *q, uint32_t source, uint64_t bound, struct known_columns *k)
{
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < q->s->pin_count; i++) {
            const struct pin *pin = &q->s->pins[i];
            struct item value;

            if (pin->source != source || (pin->needs & ~bound) || (pin->operation == '=') != (pass == 0))
                continue;
            value = evaluate(&q->place, pin->value);
            if (item_is_null(&value)) {
                k->is_empty = true;
                return;
            }
            if (pass == 0)
                know_equal(k, pin->column, &value);
            else if (!knows_equal(k, pin->column))
                know_range(k, pin, &value);
        }
}

/* What is locked is read again in the newest state, and only found in this one. */
static struct row_view view_of(const struct selecting *q, uint32_t source)
{
    const struct from_source *from = &q->s->sources[source];
    struct row_view view = q->place.run->view;

    view.ignored = q->s->locks && q->place.run->is_locking ? from->unsought : from->unused;
    return view;
}

/* Where the whole primary key is known there is one row at most. */
static bool find_by_key(struct selecting *q, const struct relation *relation,
                        const struct known_columns *k, struct bound_source *b)
{
    struct item key[64];
    struct row_view view = view_of(q, b->source);
    struct row_entry *entry;
    const struct packed *row;

    for (uint32_t i = 0; i < relation->key.count; i++) {
        uint32_t at = 0;

        while (at < k->equal_count && k->columns[at] != relation->key.at[i])
            at++;
        if (at == k->equal_count)
            return false;
        key[i] = k->equal[at];
    }
    entry = row_states_find(q->place.run->store, relation, key, false);
    row = entry ? row_states_see(q->place.run->store, entry, &view) : NULL;
    if (row)
        visit_row(b, entry, row);
    return true;
}

static void search_relation(struct selecting *q, const struct relation *relation,
                            struct known_columns *k, struct bound_source *b)
{
    struct row_view view = view_of(q, b->source);
    struct row_range range = { .columns = k->columns, .equal = k->equal, .equal_count = k->equal_count };

    /* PostgreSQL does not show a statement what it has written itself, or what was called within it. */
    if (q->place.run->writes != q->place.run->store->writes)
        trap_unknown(q->place.run->trap, "a query behind something that was written in the same statement");
    if (relation->key.count <= 60 && find_by_key(q, relation, k, b))
        return;
    range.column_count = k->equal_count;
    if (q->early && !knows_equal(k, q->early->by->as.column.column)) {
        if (k->range_column != q->early->by->as.column.column)
            k->has_low = k->has_high = false;
        k->columns[range.column_count++] = q->early->by->as.column.column;
        range.backwards = q->early->descends;
    } else if (k->has_low || k->has_high) {
        k->columns[range.column_count++] = k->range_column;
    }
    range.low = k->has_low ? &k->low : NULL;
    range.high = k->has_high ? &k->high : NULL;
    range.low_excluded = k->low_excluded;
    range.high_excluded = k->high_excluded;
    row_states_search(q->place.run->store, relation, &range, &view, visit_row, b);
}

static void bind(struct selecting *q, uint32_t level)
{
    struct bound_source b = { .q = q, .level = level };
    struct known_columns known = { .equal_count = 0 };
    const struct from_source *source;
    uint64_t bound = 0;

    if (level == q->s->source_count) {
        take_row(q);
        return;
    }
    b.source = q->order[level];
    source = &q->s->sources[b.source];
    for (uint32_t i = 0; i < level; i++)
        bound |= UINT64_C(1) << q->order[i];
    learn_columns(q, b.source, bound, &known);
    if (!known.is_empty)
        search_relation(q, source->relation, &known, &b);
    q->rows[b.source] = NULL;
    q->entries[b.source] = NULL;
    if (source->is_optional && !b.matched)
        bind(q, level + 1);
}

/* --- In which order they are bound ----------------------------------------------------------------- */

static uint32_t count_pinned(const struct selection *s, uint32_t source, uint64_t bound)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < s->pin_count; i++)
        if (s->pins[i].source == source && !(s->pins[i].needs & ~bound))
            count += s->pins[i].operation == '=' ? 10 : 1;
    return count;
}

static void choose_order(struct selecting *q)
{
    uint64_t bound = 0;
    bool is_free = true;

    for (uint32_t i = 0; i < q->s->source_count; i++)
        is_free &= !q->s->sources[i].is_optional;
    for (uint32_t level = 0; level < q->s->source_count; level++) {
        uint32_t best = is_free ? UINT32_MAX : q->s->binding[level], most = 0;

        for (uint32_t i = 0; is_free && i < q->s->source_count; i++) {
            uint32_t pinned = count_pinned(q->s, i, bound);

            if (bound >> i & 1)
                continue;
            if (best == UINT32_MAX || pinned > most)
                best = i, most = pinned;
        }
        q->order[level] = best;
        bound |= UINT64_C(1) << best;
    }
}

/* Whether rows can be fetched in the order that is asked for, and fetching ends early. */
static void choose_early_end(struct selecting *q)
{
    const struct selection *s = q->s;
    struct item limit, offset = item_integer(0);

    q->stop_after = UINT32_MAX;
    if (s->source_count != 1 || s->is_aggregating || s->is_distinct || s->locks || !s->limit ||
        s->order_count == 0 || s->order[0].by->kind != FORMULA_COLUMN ||
        s->order[0].by->as.column.depth != 0 || s->order[0].nulls_first != s->order[0].descends)
        return;
    limit = evaluate(&q->place, s->limit);
    if (s->offset)
        offset = evaluate(&q->place, s->offset);
    if (item_is_null(&limit) || item_is_null(&offset) || limit.as.integer < 1 ||
        limit.as.integer > 1000 || offset.as.integer < 0 || offset.as.integer > 1000)
        return;
    q->stop_after = (uint32_t)(limit.as.integer + offset.as.integer);
    q->early = &s->order[0];
}

/* --- Locks ------------------------------------------------------------------------------------------ */

/* The rows as they are before the transaction's place: whether they still match. */
static bool is_still_meant(struct selecting *q, struct result_row *row)
{
    struct run *run = q->place.run;

    for (uint32_t i = 0; i < q->s->source_count; i++) {
        struct row_view newest = run->newest;

        if (!row->entries[i])
            continue;
        newest.ignored = q->s->sources[i].unused;
        row->rows[i] = row_states_see(run->store, row->entries[i], &newest);
        if (!row->rows[i])
            return false;
    }
    q->env.rows = row->rows;
    return !q->s->where || evaluate_truth(&q->place, q->s->where);
}

static void lock_rows(struct selecting *q)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < q->found_count; i++)
        if (is_still_meant(q, q->found[i]))
            q->found[kept++] = q->found[i];
    q->found_count = kept;
}

/* --- Groups ------------------------------------------------------------------------------------------- */

struct tally {
    int64_t count;
    struct item value; /* sum, least, greatest */
    struct item *seen; /* DISTINCT */
    uint32_t seen_count, seen_room;
};

struct group {
    struct result_row *first;
    struct item *by;
    struct tally *tallies;
    struct group *next; /* of the same hash */
};

static bool is_seen(struct selecting *q, struct tally *tally, const struct item *value)
{
    run_step(q->place.run, tally->seen_count / 16);
    for (uint32_t i = 0; i < tally->seen_count; i++)
        if (item_compare(&tally->seen[i], value) == 0)
            return true;
    GROW(memory_of(q), tally->seen, tally->seen_count, &tally->seen_room);
    tally->seen[tally->seen_count++] = *value;
    return false;
}

/* Of values that are the same the first one met is shown, and so its scale. */
static void rely_on_first(struct selecting *q, const struct item *first, const struct item *other)
{
    if (item_same(first, other) && !item_identical(first, other))
        run_rely_on_order(q->place.run);
}

static void add_to_tally(struct selecting *q, const struct formula *f, struct tally *tally)
{
    struct item value;

    if (f->count == 0) {
        tally->count++;
        return;
    }
    value = evaluate(&q->place, f->arguments[0]);
    if (item_is_null(&value) || (f->as.aggregate.is_distinct && is_seen(q, tally, &value)))
        return;
    tally->count++;
    if (tally->count > 1 && (f->as.aggregate.kind == AGGREGATE_MIN || f->as.aggregate.kind == AGGREGATE_MAX))
        rely_on_first(q, &tally->value, &value);
    switch (f->as.aggregate.kind) {
    case AGGREGATE_COUNT:
        return;
    case AGGREGATE_MIN:
        if (tally->count == 1 || item_compare(&value, &tally->value) < 0)
            tally->value = value;
        return;
    case AGGREGATE_MAX:
        if (tally->count == 1 || item_compare(&value, &tally->value) > 0)
            tally->value = value;
        return;
    default:
        if (f->as.aggregate.kind == AGGREGATE_AVG || f->type.kind == KIND_NUMERIC)
            value = item_to_numeric(value);
        tally->value = tally->count == 1 ? value
                                         : item_compute(&q->place.run->bench, '+', f->type.kind,
                                                        tally->value, value);
    }
}

static struct item end_of_tally(struct selecting *q, const struct formula *f, const struct tally *tally)
{
    if (f->as.aggregate.kind == AGGREGATE_COUNT)
        return item_integer(tally->count);
    if (tally->count == 0)
        return item_null();
    if (f->as.aggregate.kind == AGGREGATE_AVG)
        return item_compute(&q->place.run->bench, '/', KIND_NUMERIC, tally->value,
                            item_numeric(tally->count, 0));
    return tally->value;
}

static struct group *find_group(struct selecting *q, struct group **buckets, uint32_t bucket_count,
                                const struct item *by, bool *is_new)
{
    uint64_t hash = 0;
    struct group *group;

    for (uint32_t i = 0; i < q->s->group_count; i++)
        hash = hash_mix(hash, item_hash(&by[i]));
    for (group = buckets[hash % bucket_count]; group; group = group->next) {
        uint32_t i = 0;

        while (i < q->s->group_count && item_same(&group->by[i], &by[i]))
            i++;
        *is_new = false;
        if (i < q->s->group_count)
            continue;
        for (i = 0; i < q->s->group_count; i++)
            rely_on_first(q, &group->by[i], &by[i]);
        return group;
    }
    group = arena_take(memory_of(q), 1, sizeof *group);
    group->tallies = arena_take(memory_of(q), q->s->aggregate_count + 1, sizeof *group->tallies);
    group->next = buckets[hash % bucket_count];
    buckets[hash % bucket_count] = group;
    *is_new = true;
    return group;
}

static void aggregate_rows(struct selecting *q)
{
    const struct selection *s = q->s;
    uint32_t bucket_count = q->found_count / 2 + 1, group_count = 0;
    struct group **buckets = arena_take(memory_of(q), bucket_count, sizeof *buckets);
    struct group **groups = arena_take(memory_of(q), q->found_count + 1, sizeof *groups);
    uint32_t row_count = q->found_count, kept = 0;
    bool is_new;

    if (s->group_count == 0)
        groups[group_count++] = find_group(q, buckets, bucket_count, NULL, &is_new);
    for (uint32_t i = 0; i < row_count; i++) {
        struct item *by = arena_take(memory_of(q), s->group_count + 1, sizeof *by);
        struct group *group;

        q->env.rows = q->found[i]->rows;
        for (uint32_t g = 0; g < s->group_count; g++)
            by[g] = evaluate(&q->place, s->groups[g]);
        group = find_group(q, buckets, bucket_count, by, &is_new);
        if (is_new) {
            group->by = by;
            groups[group_count++] = group;
        }
        if (!group->first)
            group->first = q->found[i];
        for (uint32_t a = 0; a < s->aggregate_count; a++)
            add_to_tally(q, s->aggregates[a], &group->tallies[a]);
    }
    q->found_count = 0;
    for (uint32_t i = 0; i < group_count; i++) {
        struct item *aggregates = arena_take(memory_of(q), s->aggregate_count + 1, sizeof *aggregates);
        struct result_row *row = groups[i]->first;

        if (!row) {
            row = arena_take(memory_of(q), 1, sizeof *row);
            row->rows = arena_take(memory_of(q), s->source_count + 1, sizeof *row->rows);
        }
        for (uint32_t a = 0; a < s->aggregate_count; a++)
            aggregates[a] = end_of_tally(q, s->aggregates[a], &groups[i]->tallies[a]);
        row->aggregates = aggregates;
        q->env.rows = row->rows;
        q->env.aggregates = aggregates;
        if (s->having && !evaluate_truth(&q->place, s->having))
            continue;
        if (kept >= q->found_room) {
            new_row(q);
            q->found_count--;
        }
        q->found[kept++] = row;
        q->found_count = kept;
    }
    q->found_count = kept;
}

/* --- Order, limits, outputs ---------------------------------------------------------------------------- */

static void compute_cells(struct selecting *q, struct result_row *row)
{
    uint32_t width = q->s->shape->count;

    if (row->cells)
        return;
    row->cells = arena_take(memory_of(q), width + 1, sizeof *row->cells);
    q->env.rows = row->rows;
    q->env.aggregates = row->aggregates;
    for (uint32_t i = 0; i < width; i++)
        row->cells[i] = evaluate(&q->place, q->s->outputs[i]);
}

static void compute_keys(struct selecting *q, struct result_row *row)
{
    row->keys = arena_take(memory_of(q), q->s->order_count + 1, sizeof *row->keys);
    q->env.rows = row->rows;
    q->env.aggregates = row->aggregates;
    for (uint32_t i = 0; i < q->s->order_count; i++)
        row->keys[i] = evaluate(&q->place, q->s->order[i].by);
}

static bool match_cells(const struct result_row *a, const struct result_row *b, uint32_t width,
                        bool matches(const struct item *, const struct item *))
{
    for (uint32_t i = 0; i < width; i++)
        if (!matches(&a->cells[i], &b->cells[i]))
            return false;
    return true;
}

/* DISTINCT, UNION: the first of each. */
static void remove_doubles(struct selecting *q)
{
    uint32_t width = q->s->shape->count, bucket_count = q->found_count + 1, kept = 0;
    uint32_t *heads = arena_take(memory_of(q), bucket_count, sizeof *heads);
    uint32_t *nexts = arena_take(memory_of(q), q->found_count + 1, sizeof *nexts);

    for (uint32_t i = 0; i < q->found_count; i++) {
        struct result_row *row = q->found[i];
        uint64_t hash = 0;
        uint32_t other;

        for (uint32_t c = 0; c < width; c++)
            hash = hash_mix(hash, item_hash(&row->cells[c]));
        for (other = heads[hash % bucket_count]; other; other = nexts[other - 1])
            if (match_cells(q->found[other - 1], row, width, item_same))
                break;
        for (uint32_t c = 0; other && c < width; c++)
            rely_on_first(q, &q->found[other - 1]->cells[c], &row->cells[c]);
        if (other)
            continue;
        q->found[kept] = row;
        nexts[kept] = heads[hash % bucket_count];
        heads[hash % bucket_count] = ++kept;
    }
    q->found_count = kept;
}

static uint32_t limit_of(struct selecting *q, const struct formula *f, uint32_t otherwise,
                         const char *sqlstate)
{
    struct item number;

    if (!f)
        return otherwise;
    number = evaluate(&q->place, f);
    if (item_is_null(&number))
        return otherwise;
    if (number.as.integer < 0)
        trap_error(q->place.run->trap, sqlstate);
    return number.as.integer > UINT32_MAX ? UINT32_MAX : (uint32_t)number.as.integer;
}

static void number_blocks(struct selecting *q)
{
    for (uint32_t i = 1; i < q->found_count; i++)
        q->found[i]->block = q->found[i - 1]->block +
                             (q->s->order_count > 0 &&
                              compare_by_order((void *)q->s, q->found[i - 1], q->found[i]) != 0);
}

static void order_rows(struct selecting *q)
{
    for (uint32_t i = 0; i < q->found_count && q->s->order_count > 0; i++)
        compute_keys(q, q->found[i]);
    if (q->s->order_count > 0)
        run_sort(q->place.run, (void **)q->found, q->found_count, compare_by_order, (void *)q->s);
}

static void give(struct selecting *q, struct result *result)
{
    uint32_t limit = limit_of(q, q->s->limit, UINT32_MAX, "2201W");
    uint32_t offset = limit_of(q, q->s->offset, 0, "2201X");

    number_blocks(q);
    *result = (struct result){ .rows = q->found, .count = q->found_count, .width = q->s->shape->count };
    result->first = offset < result->count ? offset : result->count;
    result->last = limit < result->count - result->first ? result->first + limit : result->count;
    /*
     * Rows that OFFSET passes over may fail, too. What ties with the last one given could have been given in its
     * place.
     */
    for (uint32_t i = 0; i < result->count && limit > 0; i++)
        if (i < result->last || q->found[i]->block == q->found[result->last - 1]->block)
            compute_cells(q, q->found[i]);
}

/* --- All of it -------------------------------------------------------------------------------------------- */

static void begin(struct selecting *q, place *p, const struct selection *s)
{
    memset(q, 0, sizeof *q);
    q->place = *p;
    q->s = s;
    q->env.outer = p->env;
    q->place.env = &q->env;
    q->rows = arena_take(memory_of(q), s->source_count + 1, sizeof *q->rows);
    q->entries = arena_take(memory_of(q), s->source_count + 1, sizeof *q->entries);
    q->env.rows = q->rows;
    q->stop_after = UINT32_MAX;
}

static void find_rows(struct selecting *q)
{
    const struct selection *s = q->s;

    choose_order(q);
    bind(q, 0);
    if (s->source_count == 1 && !q->early)
        run_sort(q->place.run, (void **)q->found, q->found_count, compare_by_key,
                 (void *)s->sources[0].relation);
}

static void take_union(struct selecting *q, place *p, const struct selection *part)
{
    struct result result;

    select_rows(p, part, &result);
    result_rely_on_order(p->run, &result, UINT32_MAX);
    for (uint32_t i = result.first; i < result.last; i++) {
        struct packed *packed = arena_take(memory_of(q), result.width + 1, sizeof *packed);
        struct result_row *row = new_row(q);

        row->cells = result.rows[i]->cells;
        row->rows = arena_take(memory_of(q), 1, sizeof *row->rows);
        for (uint32_t c = 0; c < result.width; c++)
            packed[c] = row_states_pack(memory_of(q), &row->cells[c]);
        row->rows[0] = packed;
    }
}

void select_rows(place *p, const struct selection *s, struct result *result)
{
    struct run *run = p->run;
    struct selecting q;

    begin(&q, p, s);
    if (s->left) {
        take_union(&q, p, s->left);
        take_union(&q, p, s->right);
        if (!s->is_union_all)
            remove_doubles(&q);
    } else {
        choose_early_end(&q);
        find_rows(&q);
        if (s->is_aggregating)
            aggregate_rows(&q);
    }
    if (s->is_distinct) {
        for (uint32_t i = 0; i < q.found_count; i++)
            compute_cells(&q, q.found[i]);
        remove_doubles(&q);
    }
    order_rows(&q);
    if (s->locks && run->is_locking)
        lock_rows(&q);
    give(&q, result);
}

void select_targets(place *p, const struct selection *s, struct result *result)
{
    struct selecting q;

    begin(&q, p, s);
    find_rows(&q);
    if (p->run->is_locking)
        lock_rows(&q);
    *result = (struct result){ .rows = q.found, .count = q.found_count, .last = q.found_count };
}

/* Rows that are alike may be exchanged. A block's rows stand together. */
static bool block_differs(const struct result *result, uint32_t place_in_rows)
{
    const struct result_row *row = result->rows[place_in_rows];

    for (uint32_t i = place_in_rows + 1; i < result->count && result->rows[i]->block == row->block; i++)
        if (!match_cells(result->rows[i], row, result->width, item_identical))
            return true;
    for (uint32_t i = place_in_rows; i > 0 && result->rows[i - 1]->block == row->block; i--)
        if (!match_cells(result->rows[i - 1], row, result->width, item_identical))
            return true;
    return false;
}

void result_rely_on_order(struct run *run, const struct result *result, uint32_t used)
{
    uint32_t end = result->last;

    if (result->first == result->last || run->relied_on_order)
        return;
    if (used == UINT32_MAX) {
        /* As a set: it matters only where a limit cuts. */
        if ((end < result->count && result->rows[end]->block == result->rows[end - 1]->block &&
             block_differs(result, end)) ||
            (result->first > 0 &&
             result->rows[result->first]->block == result->rows[result->first - 1]->block &&
             block_differs(result, result->first)))
            run_rely_on_order(run);
        return;
    }
    if (used < end - result->first)
        end = result->first + used;
    for (uint32_t i = result->first; i < end; i++) {
        if (i > result->first && result->rows[i]->block == result->rows[i - 1]->block)
            continue;
        if (block_differs(result, i))
            run_rely_on_order(run);
    }
}
