#include "tests/store/shard/shard_fixture.h"

#include <stdio.h>
#include <string.h>

#include "store/row_private.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

#define MS INT64_C(1000000)

struct shard_fixture fixture;

static const char sql[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint);\n"
    "CREATE FUNCTION q(low bigint, high bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint; BEGIN SELECT id INTO n FROM t WHERE v >= low AND v <= high; RETURN n; END;\n"
    "$$;";

static const enum table_shape shapes[] = { TABLE_ROWS };

static struct {
    bool is_open;
    struct machine *machine;
    struct arena catalog_arena;
    struct heap heap;
} common;

static struct error err;

static void open_common(void)
{
    common.is_open = true;
    fixture_load(sql);
    ASSERT_OK(machine_open(&common.machine, &fixture_program, 1000000, (size_t)1 << 20, &err),
              &err);
    ASSERT_OK(arena_init(&common.catalog_arena, (size_t)16 << 20, &err), &err);
    ASSERT_OK(arena_init(&fixture.scratch, (size_t)16 << 20, &err), &err);
    ASSERT_OK(catalog_init(&fixture.catalog, &fixture_program.tree.schema, shapes, 1,
                           &common.catalog_arena, &err),
              &err);
    heap_init(&common.heap, (size_t)1 << 20);
}

void shard_fixture_open(void)
{
    if (!common.is_open)
        open_common();
    arena_reset_to(&fixture.scratch, 0);
    pool_memory_init(&fixture.memory, fixture_arena(), (size_t)32 << 20);
    pool_init(&fixture.pool, &fixture.memory);
    memset(&fixture.bugs, 0, sizeof fixture.bugs);
    memset(&fixture.sometimes, 0, sizeof fixture.sometimes);
}

void shard_fixture_close(void)
{
    catalog_close(&fixture.catalog);
    machine_close(common.machine);
    fixture_unload();
    heap_close(&common.heap);
    arena_close(&common.catalog_arena);
    arena_close(&fixture.scratch);
}

/* --- Names and rows --------------------------------------------------------------------------- */

uint32_t key_of(unsigned id)
{
    char text[32];
    int length = snprintf(text, sizeof text, "t/%u", id);

    return catalog_key_of_text(&fixture.catalog, 0, (struct text){ text, (size_t)length });
}

struct text row_of(unsigned id, int64_t v)
{
    struct wire_writer writer = { .pool = &fixture.pool };
    struct datum cells[2];

    cells[0] = datum_of_int64(id);
    cells[1] = datum_of_int64(v);
    row_put(&writer, cells, 2);
    return wire_writer_text(&writer);
}

uint32_t scope_of(int64_t low, int64_t high)
{
    char text[64];
    struct fixture_call call;
    const struct request *request;
    const uint32_t *keys;
    uint32_t count;

    snprintf(text, sizeof text, "q(%lld, %lld)", (long long)low, (long long)high);
    call = fixture_call(text);
    machine_start(common.machine, call.function, call.arguments);
    request = machine_run(common.machine);
    TEST_ASSERT_EQUAL_INT(REQUEST_READ, request->kind);
    return catalog_scope(&fixture.catalog, &request->filter, &keys, &count);
}

int64_t value_of(const struct stored_version *version)
{
    struct datum cells[2];

    if (!version_is_row(version))
        return -1;
    heap_reset(&common.heap);
    TEST_ASSERT_TRUE(row_get(version_row(version), cells, 2, &common.heap));
    return cells[1].as.integer;
}

/* --- Stamps and prepares ---------------------------------------------------------------------- */

struct stamp at(int64_t ms, uint64_t txn)
{
    return (struct stamp){ ms * MS, 0, txn };
}

struct stamp snapshot(int64_t ms)
{
    return (struct stamp){ ms * MS, 1, 0 };
}

struct prepare prepare_of(uint64_t txn)
{
    return (struct prepare){ .txn = txn, .begin = at((int64_t)txn, txn), .participants = 1 };
}

/* The arrays grow by copying: tests are small, and the pool goes as a whole. */
static void *copy_with_room(const void *array, uint32_t count, size_t size)
{
    void *copy = pool_take(&fixture.pool, (count + 1) * size);

    if (count > 0)
        memcpy(copy, array, count * size);
    return copy;
}

void prepare_read(struct prepare *p, uint32_t key, struct stamp seen, uint64_t writer)
{
    struct seen_key *keys = copy_with_room(p->keys, p->key_count, sizeof *keys);

    keys[p->key_count++] = (struct seen_key){ key, seen, writer };
    p->keys = keys;
}

void prepare_scan(struct prepare *p, uint32_t scope, uint64_t index)
{
    struct seen_scope *scopes = copy_with_room(p->scopes, p->scope_count, sizeof *scopes);

    scopes[p->scope_count++] = (struct seen_scope){ scope, index };
    p->scopes = scopes;
}

static void add_change(struct prepare *p, struct row_change change)
{
    struct row_change *changes = copy_with_room(p->changes, p->change_count, sizeof *changes);

    changes[p->change_count++] = change;
    p->changes = changes;
}

void prepare_write(struct prepare *p, unsigned id, int64_t v)
{
    add_change(p, (struct row_change){ .key = key_of(id), .row = row_of(id, v) });
}

void prepare_remove(struct prepare *p, unsigned id)
{
    add_change(p, (struct row_change){ .key = key_of(id), .is_removed = true });
}
