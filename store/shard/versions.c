#include "store/shard/versions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t version_bytes(uint32_t size)
{
    return sizeof(struct stored_version) + size;
}

void versions_open(struct stored_versions *v, struct catalog *catalog, struct pool *pool)
{
    *v = (struct stored_versions){
        .pool = pool,
        .catalog = catalog,
        .table_count = catalog->schema->table_count,
    };
    v->tables = pool_take(pool, v->table_count * sizeof *v->tables);
}

static void free_version(struct stored_versions *v, struct stored_version *version)
{
    pool_give(v->pool, version, version_bytes(version->size));
}

/* Those that queue are freed when their turn comes. */
static void release(struct stored_versions *v, struct stored_version *version)
{
    while (version) {
        struct stored_version *older = version->older;

        v->count--;
        if (version->is_queued)
            version->is_gone = true;
        else
            free_version(v, version);
        version = older;
    }
}

/* --- The queue -------------------------------------------------------------------------------- */

static void enqueue(struct stored_versions *v, struct stored_version *version)
{
    /* Nothing is below an initial row. */
    if (stamp_is_zero(version->at))
        return;
    version->is_queued = true;
    if (v->queue_last)
        v->queue_last->next = version;
    else
        v->queue_first = version;
    v->queue_last = version;
}

static struct stored_version *dequeue(struct stored_versions *v)
{
    struct stored_version *version = v->queue_first;

    v->queue_first = version->next;
    if (!v->queue_first)
        v->queue_last = NULL;
    version->next = NULL;
    version->is_queued = false;
    return version;
}

void versions_drop(struct stored_versions *v)
{
    for (uint32_t key = 0; key < v->newest.count; key++)
        release(v, v->newest.at[key]);
    while (v->queue_first)
        free_version(v, dequeue(v));
    for (uint32_t t = 0; t < v->table_count; t++)
        pool_close(v->pool, &v->tables[t].keys);
    pool_give(v->pool, v->tables, v->table_count * sizeof *v->tables);
    pool_close(v->pool, &v->newest);
    pool_close(v->pool, &v->is_listed);
    assert(v->count == 0);
}

const struct stored_version *versions_at(const struct stored_versions *v, uint32_t key,
                                         struct stamp at)
{
    const struct stored_version *version = versions_newest(v, key);

    while (version && stamp_less(at, version->at))
        version = version->older;
    return version;
}

uint32_t versions_keys(const struct stored_versions *v, uint32_t table, const uint32_t **keys)
{
    assert(table < v->table_count);
    *keys = v->tables[table].keys.at;
    return v->tables[table].keys.count;
}

static void make_place(struct stored_versions *v, uint32_t key)
{
    uint32_t more;

    if (key < v->newest.count)
        return;
    /* What lies behind the count is zero, as the pool gives and grows it. */
    more = key + 1 - v->newest.count;
    pool_reserve(v->pool, &v->newest, more);
    pool_reserve(v->pool, &v->is_listed, more);
    v->newest.count = v->is_listed.count = key + 1;
}

static struct stored_version *make_version(struct stored_versions *v, uint32_t key,
                                           const struct stored_version *head, struct text row)
{
    struct stored_version *version;

    assert(row.length <= UINT32_MAX);
    version = pool_take(v->pool, version_bytes((uint32_t)row.length));
    *version = (struct stored_version){
        .at = head->at,
        .index = head->index,
        .out = head->out,
        .writer = head->writer,
        .key = key,
        .size = (uint32_t)row.length,
        .is_removed = head->is_removed,
    };
    if (row.length > 0)
        memcpy(version->row, row.at, row.length);
    v->count++;
    return version;
}

static void list_key(struct stored_versions *v, uint32_t key)
{
    if (v->is_listed.at[key])
        return;
    v->is_listed.at[key] = true;
    pool_push(v->pool, &v->tables[catalog_table(v->catalog, key)].keys, key);
}

void versions_install(struct stored_versions *v, uint32_t key, const struct stored_version *head,
                      struct text row)
{
    struct stored_version **place, *version;

    make_place(v, key);
    place = &v->newest.at[key];
    while (*place && stamp_less(head->at, (*place)->at))
        place = &(*place)->older;
    if (*place && stamp_equal((*place)->at, head->at))
        return;
    version = make_version(v, key, head, head->is_removed ? (struct text){ NULL, 0 } : row);
    version->older = *place;
    *place = version;
    enqueue(v, version);
    list_key(v, key);
}

/* --- Collecting ------------------------------------------------------------------------------- */

/* These have lost their before image, or are about to be gone. */
static void lose(struct stored_versions *v, const struct stored_version *version)
{
    for (; version; version = version->older)
        if (version->index > v->collected)
            v->collected = version->index;
}

/* Below the horizon. A removal under others goes with the next one above it. */
static bool collect_below(struct stored_versions *v, struct stored_version *version)
{
    if (version->older) {
        lose(v, version);
        release(v, version->older);
        version->older = NULL;
    }
    if (!version->is_removed || v->newest.at[version->key] != version)
        return false;
    lose(v, version);
    v->newest.at[version->key] = NULL;
    release(v, version);
    return true;
}

/* Where rows come and go, nobody should have to pass all that ever were. */
static void strike_out_empty(struct stored_versions *v, uint32_t table)
{
    struct table_keys *t = &v->tables[table];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->keys.count; i++) {
        uint32_t key = t->keys.at[i];

        if (v->newest.at[key])
            t->keys.at[kept++] = key;
        else
            v->is_listed.at[key] = false;
    }
    t->keys.count = kept;
}

bool versions_collect(struct stored_versions *v, struct stamp horizon)
{
    bool is_any_empty = false, is_any = false;

    while (v->queue_first && !stamp_less(horizon, v->queue_first->at)) {
        struct stored_version *version = dequeue(v);

        is_any |= version->older != NULL || version->is_removed;
        if (version->is_gone)
            free_version(v, version);
        else
            is_any_empty |= collect_below(v, version);
    }
    for (uint32_t t = 0; is_any_empty && t < v->table_count; t++)
        strike_out_empty(v, t);
    return is_any;
}

/* --- Snapshots -------------------------------------------------------------------------------- */

enum { SAVED_REMOVED = 1, SAVED_OUT = 2, SAVED_OLDER = 4, SAVED_OWN_STAMP = 8 };

/* Walls are told as differences: those of a chain are near each other. */
static void save_version(const struct stored_version *version, int64_t *wall_ns,
                         struct wire_writer *w)
{
    bool has_out = !stamp_equal(version->out, stamp_never());
    bool has_own_stamp = version->writer == version->at.txn;

    wire_put_byte(w, (uint8_t)((version->is_removed ? SAVED_REMOVED : 0) |
                               (has_out ? SAVED_OUT : 0) | (version->older ? SAVED_OLDER : 0) |
                               (has_own_stamp ? SAVED_OWN_STAMP : 0)));
    wire_put_signed(w, version->at.wall_ns - *wall_ns);
    *wall_ns = version->at.wall_ns;
    wire_put_number(w, version->at.logical);
    wire_put_number(w, version->writer);
    if (!has_own_stamp)
        wire_put_number(w, version->at.txn);
    wire_put_number(w, version->index);
    if (has_out)
        wire_put_stamp(w, version->out);
    wire_put_text(w, version_row(version));
}

/* Returns whether an older one follows. */
static bool load_version(struct stored_version *head, int64_t *wall_ns, struct wire_reader *r)
{
    uint8_t flags = wire_get_byte(r);

    *head = (struct stored_version){ .is_removed = flags & SAVED_REMOVED, .out = stamp_never() };
    *wall_ns += wire_get_signed(r);
    head->at.wall_ns = *wall_ns;
    head->at.logical = (uint32_t)wire_get_number(r);
    head->writer = wire_get_number(r);
    head->at.txn = flags & SAVED_OWN_STAMP ? head->writer : wire_get_number(r);
    head->index = wire_get_number(r);
    if (flags & SAVED_OUT)
        head->out = wire_get_stamp(r);
    return flags & SAVED_OLDER;
}

static void load_key(struct stored_versions *v, uint32_t key, int64_t *wall_ns,
                     struct wire_reader *r)
{
    struct stored_version **place;
    bool has_older;

    make_place(v, key);
    place = &v->newest.at[key];
    do {
        struct stored_version head;

        has_older = load_version(&head, wall_ns, r);
        *place = make_version(v, key, &head, wire_get_text(r));
        place = &(*place)->older;
    } while (has_older);
    list_key(v, key);
}

void versions_save(const struct stored_versions *v, struct wire_writer *w)
{
    int64_t wall_ns = 0;

    wire_put_number(w, v->collected);
    for (uint32_t t = 0; t < v->table_count; t++) {
        const struct table_keys *table = &v->tables[t];

        wire_put_number(w, table->keys.count);
        for (uint32_t i = 0; i < table->keys.count; i++) {
            wire_put_number(w, table->keys.at[i]);
            for (const struct stored_version *version = v->newest.at[table->keys.at[i]]; version;
                 version = version->older)
                save_version(version, &wall_ns, w);
        }
    }
}

/* Those of one entry have one stamp, so that their order does not matter; by key, to be total. */
static int compare_installed(const void *a, const void *b)
{
    const struct stored_version *const *left = a, *const *right = b;

    if ((*left)->index != (*right)->index)
        return (*left)->index < (*right)->index ? -1 : 1;
    return ((*left)->key > (*right)->key) - ((*left)->key < (*right)->key);
}

/* Those that had left the queue leave it again as soon as anything is collected, to no effect. */
static void queue_again(struct stored_versions *v)
{
    size_t bytes = v->count * sizeof(struct stored_version *), count = 0;
    struct stored_version **all = pool_take(v->pool, bytes);

    for (uint32_t key = 0; key < v->newest.count; key++)
        for (struct stored_version *version = v->newest.at[key]; version; version = version->older)
            all[count++] = version;
    assert(count == v->count);
    qsort(all, count, sizeof *all, compare_installed);
    for (size_t i = 0; i < count; i++)
        enqueue(v, all[i]);
    pool_give(v->pool, all, bytes);
}

void versions_load(struct stored_versions *v, struct wire_reader *r)
{
    int64_t wall_ns = 0;

    versions_drop(v);
    versions_open(v, v->catalog, v->pool);
    v->collected = wire_get_number(r);
    for (uint32_t t = 0; t < v->table_count; t++) {
        uint32_t count = wire_get_count(r);

        for (uint32_t i = 0; i < count && !r->bad; i++)
            load_key(v, (uint32_t)wire_get_number(r), &wall_ns, r);
    }
    assert(!r->bad); /* Raft has checked the snapshot's checksum */
    queue_again(v);
}
