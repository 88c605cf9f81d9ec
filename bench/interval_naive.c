#include "bench/interval_naive.h"

#include "bench/bench.h"

#define NONE UINT32_MAX
#define OFTEN 256 /* transactions between two searches */

/* --- What transactions did -------------------------------------------------------------- */

static enum status find_key(struct naive *n, uint32_t key, struct naive_key **found,
                            struct error *err)
{
    while (n->keys.count <= key)
        TRY(array_push(&n->keys, (struct naive_key){ 0 }, err));
    *found = &n->keys.at[key];
    return STATUS_OK;
}

/* The last write of a key counts, and what was read of others. */
static enum status add_op(struct naive *n, const struct trace_op *o, uint64_t committed,
                          uint32_t txn, struct error *err)
{
    struct naive_version version = { o->value, committed, txn };
    struct naive_read read = { o->value, txn };
    struct naive_key *key;
    size_t last;

    TRY(find_key(n, o->key, &key, err));
    last = key->versions.count;
    if (last > 0 && key->versions.at[last - 1].txn == txn) {
        if (o->kind == TRACE_WRITE)
            key->versions.at[last - 1].value = o->value;
        return STATUS_OK;
    }
    return o->kind == TRACE_WRITE ? array_push(&key->versions, version, err)
                                  : array_push(&key->reads, read, err);
}

enum status naive_add(struct naive *n, const struct interval_trace *trace, uint64_t committed,
                      struct error *err)
{
    uint32_t txn = (uint32_t)n->first_edge.count;
    double from = bench_cpu_seconds();

    if (trace->status != TXN_OK)
        return STATUS_OK;
    TRY(array_push(&n->first_edge, NONE, err));
    for (size_t i = 0; i < trace->op_count; i++)
        TRY(add_op(n, &trace->ops[i], committed, txn, err));
    n->build_seconds += bench_cpu_seconds() - from;
    return STATUS_OK;
}

/* --- The graph --------------------------------------------------------------------------- */

static enum status add_edge(struct naive *n, uint32_t from, uint32_t to, struct error *err)
{
    struct naive_edge edge = { to, n->first_edge.at[from] };

    if (from == to)
        return STATUS_OK;
    n->first_edge.at[from] = (uint32_t)n->edges.count;
    return array_push(&n->edges, edge, err);
}

static int compare_commits(const void *a, const void *b)
{
    const struct naive_version *x = a, *y = b;

    return (x->committed > y->committed) - (x->committed < y->committed);
}

struct value_place {
    uint64_t value;
    size_t version;
};

static int compare_places(const void *a, const void *b)
{
    const struct value_place *x = a, *y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* Who was read comes before the reader, and that before who wrote the next version. */
static enum status add_read(struct naive *n, const struct naive_key *key,
                            const struct value_place *places, const struct naive_read *read,
                            struct error *err)
{
    struct value_place sought = { read->value, 0 };
    const struct value_place *found =
        bsearch(&sought, places, key->versions.count, sizeof sought, compare_places);
    size_t next = found ? found->version + 1 : 0; /* none: it read what was there at first */

    if (found)
        TRY(add_edge(n, key->versions.at[found->version].txn, read->txn, err));
    return next < key->versions.count ? add_edge(n, read->txn, key->versions.at[next].txn, err)
                                      : STATUS_OK;
}

static enum status add_edges_of_key(struct naive *n, const struct naive_key *key,
                                    struct error *err)
{
    size_t count = key->versions.count;
    struct value_place *places = NULL;
    enum status status = STATUS_OK;

    if (count == 0)
        return STATUS_OK;
    qsort(key->versions.at, count, sizeof *key->versions.at, compare_commits);
    TRY(memory_resize((void **)&places, count, sizeof *places, err));
    for (size_t i = 0; i < count; i++)
        places[i] = (struct value_place){ key->versions.at[i].value, i };
    qsort(places, count, sizeof *places, compare_places);
    for (size_t i = 0; i + 1 < count && status == STATUS_OK; i++)
        status = add_edge(n, key->versions.at[i].txn, key->versions.at[i + 1].txn, err);
    for (size_t i = 0; i < key->reads.count && status == STATUS_OK; i++)
        status = add_read(n, key, places, &key->reads.at[i], err);
    free(places);
    return status;
}

/* --- Cycles ------------------------------------------------------------------------------- */

enum colour { WHITE, ON_PATH, DONE };

/* Depth first from a transaction, among the first so many. */
static enum status search_from(struct naive *n, uint32_t txn, uint32_t count, uint32_t *next,
                               bool *has_cycle, struct error *err)
{
    n->path.count = 0;
    TRY(array_push(&n->path, txn, err));
    n->colour.at[txn] = ON_PATH;
    while (n->path.count > 0) {
        uint32_t at = n->path.at[n->path.count - 1], edge = next[at], to;

        if (edge == NONE) {
            n->colour.at[at] = DONE;
            n->path.count--;
            continue;
        }
        next[at] = n->edges.at[edge].next;
        to = n->edges.at[edge].to;
        if (to >= count || n->colour.at[to] == DONE)
            continue;
        if (n->colour.at[to] == ON_PATH) {
            *has_cycle = true;
            continue;
        }
        n->colour.at[to] = ON_PATH;
        TRY(array_push(&n->path, to, err));
    }
    return STATUS_OK;
}

static enum status search(struct naive *n, uint32_t count, uint32_t *next, bool *has_cycle,
                          struct error *err)
{
    n->colour.count = 0;
    for (uint32_t t = 0; t < count; t++) {
        next[t] = n->first_edge.at[t];
        TRY(array_push(&n->colour, WHITE, err));
    }
    for (uint32_t t = 0; t < count; t++)
        if (n->colour.at[t] == WHITE)
            TRY(search_from(n, t, count, next, has_cycle, err));
    return STATUS_OK;
}

enum status naive_end(struct naive *n, struct naive_figures *figures, struct error *err)
{
    uint32_t count = (uint32_t)n->first_edge.count, *next = NULL;
    double from = bench_cpu_seconds();
    enum status status = STATUS_OK;

    for (size_t k = 0; k < n->keys.count; k++)
        TRY(add_edges_of_key(n, &n->keys.at[k], err));
    TRY(memory_resize((void **)&next, (size_t)count + 1, sizeof *next, err));
    status = search(n, count, next, &figures->has_cycle, err);
    figures->once_seconds = n->build_seconds + bench_cpu_seconds() - from;
    for (uint32_t some = OFTEN; some < count && status == STATUS_OK; some += OFTEN)
        status = search(n, some, next, &figures->has_cycle, err);
    figures->often_seconds = n->build_seconds + bench_cpu_seconds() - from;
    free(next);
    return status;
}

void naive_close(struct naive *n)
{
    for (size_t i = 0; i < n->keys.count; i++) {
        array_close(&n->keys.at[i].versions);
        array_close(&n->keys.at[i].reads);
    }
    array_close(&n->keys);
    array_close(&n->first_edge);
    array_close(&n->edges);
    array_close(&n->path);
    array_close(&n->colour);
}
