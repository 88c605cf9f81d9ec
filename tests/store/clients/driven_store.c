#include "tests/store/clients/driven_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "tests/store/clients/round_trip.h"
#include "tests/store/clients/record_inspect.h"
#include "unity.h"
#include "store/clients/record.h"

static struct error err;

void driven_open(struct driven_store *s, const struct schema *schema,
                 const enum table_shape *shapes, const char *workload, bool unique)
{
    struct record_options options = {
        .catalog = &s->catalog, .workload = workload, .unique = unique, .keeps = true
    };

    *s = (struct driven_store){ .schema = schema };
    ASSERT_OK(catalog_init(&s->catalog, schema, shapes, 4, fixture_arena(), &err), &err);
    ASSERT_OK(record_open(&s->record, &options, &err), &err);
}

static void drop_writes(struct driven_client *c)
{
    for (size_t i = 0; i < c->writes.count; i++)
        free(c->writes.at[i].bytes);
    c->writes.count = 0;
}

void driven_close(struct driven_store *s)
{
    for (size_t i = 0; i < s->rows.count; i++)
        free(s->rows.at[i].bytes);
    array_close(&s->rows);
    for (uint32_t i = 0; i < DRIVEN_CLIENTS_MAX; i++) {
        drop_writes(&s->clients[i]);
        array_close(&s->clients[i].writes);
    }
    record_close(s->record);
    catalog_close(&s->catalog);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static char *copy_bytes(struct text text)
{
    char *copy = malloc(text.length + 1);

    TEST_ASSERT_NOT_NULL(copy);
    if (text.length > 0)
        memcpy(copy, text.at, text.length);
    return copy;
}

static struct driven_row *row_of(struct driven_store *s, uint32_t key)
{
    static const struct driven_row none;

    while (s->rows.count <= key)
        ASSERT_OK(array_push(&s->rows, none, &err), &err);
    return &s->rows.at[key];
}

enum status driven_add_row(void *store, uint32_t table, const struct datum *cells, struct error *e)
{
    struct driven_store *s = store;
    uint32_t key = catalog_key_of_row(&s->catalog, table, cells);
    struct arena arena;
    struct pool_memory memory;
    struct pool pool;
    struct wire_writer w = { .pool = &pool };
    struct driven_row *row = row_of(s, key);

    (void)e;
    ASSERT_OK(arena_init(&arena, (size_t)4 << 20, &err), &err);
    pool_memory_init(&memory, &arena, arena.size);
    pool_init(&pool, &memory);
    row_put(&w, cells, catalog_width(&s->catalog, table));
    TEST_ASSERT_NULL_MESSAGE(row->bytes, "an initial row comes twice");
    row->bytes = copy_bytes(wire_writer_text(&w));
    row->size = w.count;
    record_initial(s->record, key, wire_writer_text(&w));
    arena_close(&arena);
    return STATUS_OK;
}

/* As the client sees it: its own writes, then what is committed. */
static struct read_row look(struct driven_store *s, const struct driven_client *c, uint32_t key)
{
    const struct driven_row *row = row_of(s, key);
    struct read_row seen = { .key = key, .writer = row->writer };
    const char *bytes = row->bytes;
    size_t size = row->size;

    for (size_t i = 0; i < c->writes.count; i++)
        if (c->writes.at[i].key == key) {
            bytes = c->writes.at[i].bytes;
            size = c->writes.at[i].size;
        }
    seen.is_row = bytes != NULL;
    if (bytes)
        seen.row = (struct text){ bytes, size };
    return seen;
}

struct answer_rows {
    ARRAY(struct read_row) rows;
};

static void read_rows(struct driven_store *s, const struct driven_client *c,
                      const struct intent *intent, struct answer_rows *to)
{
    for (uint32_t i = 0; intent->scope == SCOPE_NONE && i < intent->key_count; i++)
        ASSERT_OK(array_push(&to->rows, look(s, c, intent->keys[i]), &err), &err);
    if (intent->scope == SCOPE_NONE)
        return;
    for (uint32_t key = 0; key < catalog_key_count(&s->catalog); key++) {
        struct read_row row;

        if (catalog_table(&s->catalog, key) != catalog_scope_table(&s->catalog, intent->scope))
            continue;
        row = look(s, c, key);
        if (row.is_row && catalog_matches(&s->catalog, intent->scope, row.row))
            ASSERT_OK(array_push(&to->rows, row, &err), &err);
    }
}

static void take_writes(struct driven_client *c, const struct intent *intent)
{
    for (uint32_t i = 0; i < intent->change_count; i++) {
        const struct row_change *change = &intent->changes[i];
        struct driven_write w = { .key = change->key };

        if (!change->is_removed) {
            w.bytes = copy_bytes(change->row);
            w.size = change->row.length;
        }
        for (uint32_t k = 0; k < i; k++)
            TEST_ASSERT_TRUE_MESSAGE(intent->changes[k].key != w.key, "a key is written twice");
        ASSERT_OK(array_push(&c->writes, w, &err), &err);
    }
}

/* --- Ends ------------------------------------------------------------------------------------- */

static void install(struct driven_store *s, struct driven_client *c)
{
    struct decision d = { .txn = c->txn, .commits = true };

    s->commits++;
    d.place = (struct stamp){ (int64_t)s->commits * 10, 0, c->txn };
    record_decision(s->record, &d);
    record_decision(s->record, &d);
    for (size_t i = 0; i < c->writes.count; i++) {
        struct driven_row *row = row_of(s, c->writes.at[i].key);

        free(row->bytes);
        *row = (struct driven_row){ c->writes.at[i].bytes, c->writes.at[i].size, c->txn };
        c->writes.at[i].bytes = NULL;
    }
}

static void end(struct driven_store *s, const struct driver *driver, uint32_t number,
                enum txn_status status, bool is_over)
{
    struct driven_client *c = &s->clients[number];

    s->committed += status == TXN_OK;
    s->aborted += status == TXN_ABORT;
    s->unknown += status == TXN_UNKNOWN;
    record_end(s->record, c->txn, status, ++s->now_ns);
    driver->ended(driver->context, number, status, c->txn);
    drop_writes(c);
    c->is_running = false;
    if (status == TXN_UNKNOWN)
        c->session += DRIVEN_CLIENTS_MAX;
    c->attempt = is_over ? 0 : c->attempt + 1;
    c->ordinal += is_over;
}

static bool every(uint64_t count, uint32_t so_many)
{
    return so_many > 0 && count % so_many == so_many - 1;
}

static void commit(struct driven_store *s, const struct driver *driver,
                   const struct driven_options *o, uint32_t number)
{
    struct driven_client *c = &s->clients[number];
    uint64_t count = s->decided++;

    if (c->begun_at != s->commits && !o->sees_all) {
        end(s, driver, number, TXN_ABORT, c->attempt + 1 == o->attempts);
        return;
    }
    if (every(count, o->unknown_every)) {
        if (count / o->unknown_every % 2 == 0)
            install(s, c);
        end(s, driver, number, TXN_UNKNOWN, true);
        return;
    }
    if (!every(count, o->forget_every))
        install(s, c);
    end(s, driver, number, TXN_OK, true);
}

/* --- Steps ------------------------------------------------------------------------------------ */

static void do_request(struct driven_store *s, const struct driver *driver,
                       const struct driven_options *o, uint32_t number, const struct intent *intent)
{
    struct driven_client *c = &s->clients[number];
    struct driver_answer answer = { .record = s->record, .txn = c->txn };
    struct answer_rows rows = { 0 };

    answer.op.invoked_ns = ++s->now_ns;
    answer.op.completed_ns = ++s->now_ns;
    if (every(s->requests++, o->silent_every)) {
        answer.op.completed_ns = TIME_NEVER;
        driver->unanswered(driver->context, number, &answer);
        end(s, driver, number, TXN_ABORT, c->attempt + 1 == o->attempts);
        return;
    }
    if (intent->kind == INTENT_READ)
        read_rows(s, c, intent, &rows);
    else
        take_writes(c, intent);
    answer.rows = rows.rows.at;
    answer.row_count = (uint32_t)rows.rows.count;
    driver->answered(driver->context, number, &answer);
    array_close(&rows.rows);
}

static void step(struct driven_store *s, const struct driver *driver,
                 const struct driven_options *o, uint32_t number)
{
    struct driven_client *c = &s->clients[number];
    struct intent intent;

    if (!c->is_running) {
        TEST_ASSERT_TRUE(driver->begin(driver->context, number, c->ordinal, c->attempt));
        c->txn = record_begin(s->record, number + c->session, ++s->now_ns);
        c->begun_at = s->commits;
        c->is_running = true;
        return;
    }
    intent = driver->next(driver->context, number);
    switch (intent.kind) {
    case INTENT_READ:
    case INTENT_WRITE:
        do_request(s, driver, o, number, &intent);
        break;
    case INTENT_COMMIT:
        commit(s, driver, o, number);
        break;
    case INTENT_ABORT:
        s->own_aborts++;
        end(s, driver, number, TXN_ABORT, true);
        break;
    case INTENT_WAIT:
        break;
    }
}

void driven_run(struct driven_store *s, const struct driver *driver, const struct driven_options *o)
{
    struct random_key key = random_key_of_seed(o->seed);
    uint32_t finished = 0;

    TEST_ASSERT_TRUE(o->clients <= DRIVEN_CLIENTS_MAX);
    for (uint64_t turn = 0; finished < o->clients; turn++) {
        uint32_t number = (uint32_t)random_scale(random_draw_at(&key, turn), o->clients);
        struct driven_client *c = &s->clients[number];

        if (c->ordinal == o->transactions)
            continue;
        do
            step(s, driver, o, number);
        while (c->is_running && !o->interleaves);
        finished += c->ordinal == o->transactions;
    }
}

/* --- The end ---------------------------------------------------------------------------------- */

void driven_rows(struct driven_store *s, uint32_t table,
                 enum status (*row)(void *context, const struct datum *cells, struct error *),
                 void *context)
{
    struct datum cells[64];
    struct heap heap;

    heap_init(&heap, (size_t)16 << 20);
    for (uint32_t key = 0; key < s->rows.count; key++) {
        struct driven_row *r = &s->rows.at[key];

        if (catalog_table(&s->catalog, key) != table || !r->bytes)
            continue;
        heap_reset(&heap);
        TEST_ASSERT_TRUE(row_get((struct text){ r->bytes, r->size }, cells,
                                 catalog_width(&s->catalog, table), &heap));
        ASSERT_OK(row(context, cells, &err), &err);
    }
    heap_close(&heap);
}

void driven_history(struct driven_store *s, struct history *h)
{
    TEST_ASSERT_FALSE(record_is_short(s->record));
    ASSERT_OK(record_history_finish(s->record, h, &err), &err);
    ASSERT_OK(history_check(h, &err), &err);
    TEST_ASSERT_EQUAL(0, record_contradictions(s->record));
    round_trip(h);
}
