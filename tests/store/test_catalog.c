#include "store/catalog_private.h"

#include <stdio.h>
#include <string.h>

#include "programs/machine/machine.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

static const char sql[] =
    "CREATE TABLE items (key bigint PRIMARY KEY, value bigint);"
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint, s text, n numeric(10,2));"
    "CREATE TABLE \"a/b\" (x text, y boolean, z timestamp, m numeric(6,2),"
    "                      PRIMARY KEY (m, x, y, z));"
    "CREATE FUNCTION by_id(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM t WHERE id = p AND v > 3; END $$;"
    "CREATE FUNCTION range(p bigint, q bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM t WHERE v >= p AND v < q; END $$;"
    "CREATE FUNCTION again(p bigint, q bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM t WHERE v >= p AND v < q; END $$;"
    "CREATE FUNCTION words(p text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM t WHERE s = p AND n > 1.5; END $$;"
    "CREATE FUNCTION divides(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM t WHERE p / v = 1; END $$;"
    "CREATE FUNCTION every() RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM t; END $$;"
    "CREATE FUNCTION certain(p numeric) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM \"a/b\" WHERE x = 'p%/q' AND y = true AND m = p"
    "    AND z = timestamp '2000-01-01 00:00:00'; END $$;"
    "CREATE FUNCTION joined() RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  PERFORM 1 FROM items, t WHERE items.value = t.id; END $$;";

enum { ITEMS, T, SLASH };

static const enum table_shape shapes[] = { TABLE_ITEMS, TABLE_ROWS, TABLE_ROWS };

static struct catalog catalog;
static struct machine *machine;
static struct error err;
static struct pool_memory memory;
static struct pool pool;
static struct wire_writer writer;

void setUp(void)
{
    struct arena *arena = fixture_arena();

    fixture_load(sql);
    ASSERT_OK(catalog_init(&catalog, &fixture_program.tree.schema, shapes, 16, arena, &err), &err);
    ASSERT_OK(machine_open(&machine, &fixture_program, 1000000, (size_t)16 << 20, &err), &err);
    pool_memory_init(&memory, arena, arena->size);
    pool_init(&pool, &memory);
    writer = (struct wire_writer){ .pool = &pool };
}

void tearDown(void)
{
    machine_close(machine);
    catalog_close(&catalog);
    fixture_unload();
}

/* The first read of the call: good until the next call. */
static const struct filter *filter_of(const char *call)
{
    struct fixture_call c = fixture_call(call);

    machine_start(machine, c.function, c.arguments);
    TEST_ASSERT_EQUAL(REQUEST_READ, machine_run(machine)->kind);
    return &machine_request(machine)->filter;
}

static uint32_t scope_of(const char *call, const uint32_t **keys, uint32_t *count)
{
    return catalog_scope(&catalog, filter_of(call), keys, count);
}

static uint32_t only_scope_of(const char *call)
{
    const uint32_t *keys;
    uint32_t count, scope = scope_of(call, &keys, &count);

    TEST_ASSERT_NOT_EQUAL(SCOPE_NONE, scope);
    TEST_ASSERT_EQUAL(0, count);
    return scope;
}

static const char *show(struct text text)
{
    static char shown[4][256];
    static unsigned next;
    char *to = shown[next++ % 4];

    snprintf(to, sizeof shown[0], "%.*s", TEXT_PRINT(text));
    return to;
}

/* --- Keys ------------------------------------------------------------------------------------- */

static void keys_are_spelled_as_histories_spell_them(void)
{
    struct datum item[] = { datum_of_int64(17), datum_of_int64(1) };
    struct datum row[] = { datum_of_int64(-7), datum_null(), datum_null(), datum_null() };
    struct datum slash[] = { datum_of_text(TEXT("p%/q")), datum_of_bool(true),
                             datum_of_timestamp(946684800000000000),
                             datum_of_numeric((struct numeric){ 150, 2 }) };
    uint32_t key = catalog_key_of_row(&catalog, ITEMS, item);

    TEST_ASSERT_EQUAL_STRING("17", show(catalog_key_text(&catalog, key)));
    TEST_ASSERT_EQUAL(key, catalog_key_of_text(&catalog, ITEMS, TEXT("17")));
    TEST_ASSERT_EQUAL(ITEMS, catalog_table(&catalog, key));
    key = catalog_key_of_row(&catalog, T, row);
    TEST_ASSERT_EQUAL_STRING("t/-7", show(catalog_key_text(&catalog, key)));
    TEST_ASSERT_EQUAL(T, catalog_table(&catalog, key));
    TEST_ASSERT_EQUAL(1, key);
    key = catalog_key_of_row(&catalog, SLASH, slash);
    TEST_ASSERT_EQUAL_STRING("a%2Fb/1.50/p%25%2Fq/true/946684800000000000",
                             show(catalog_key_text(&catalog, key)));
}

static void keys_are_spread_over_all_shards(void)
{
    uint32_t counts[16] = { 0 };

    for (int64_t i = 0; i < 1600; i++) {
        struct datum item[] = { datum_of_int64(i), datum_null() };

        counts[catalog_shard(&catalog, catalog_key_of_row(&catalog, ITEMS, item))]++;
    }
    for (unsigned i = 0; i < 16; i++)
        TEST_ASSERT_TRUE(counts[i] > 50 && counts[i] < 200);
    TEST_ASSERT_EQUAL(1600, catalog_key_count(&catalog));
}

static void a_filter_that_pins_the_key_is_that_key(void)
{
    const uint32_t *keys;
    uint32_t count;

    TEST_ASSERT_EQUAL(SCOPE_NONE, scope_of("by_id(5)", &keys, &count));
    TEST_ASSERT_EQUAL(1, count);
    TEST_ASSERT_EQUAL_STRING("t/5", show(catalog_key_text(&catalog, keys[0])));
    TEST_ASSERT_EQUAL(SCOPE_NONE, scope_of("by_id(NULL)", &keys, &count));
    TEST_ASSERT_EQUAL(0, count);
}

static void a_pinned_number_is_spelled_as_its_column_spells_it(void)
{
    const uint32_t *keys;
    uint32_t count;

    TEST_ASSERT_EQUAL(SCOPE_NONE, scope_of("certain(1.5)", &keys, &count));
    TEST_ASSERT_EQUAL(1, count);
    TEST_ASSERT_EQUAL_STRING("a%2Fb/1.50/p%25%2Fq/true/946684800000000000",
                             show(catalog_key_text(&catalog, keys[0])));
    TEST_ASSERT_EQUAL(SCOPE_NONE, scope_of("certain(1.555)", &keys, &count));
    TEST_ASSERT_EQUAL_MESSAGE(0, count, "no row has it");
}

/* What a join asks for: items first, then rows of t whose ids are their values. */
static uint32_t scope_of_join(uint32_t item_count, const uint32_t **keys, uint32_t *count)
{
    static struct datum cells[2000][2];
    static const struct datum *rows[2000];

    filter_of("joined()");
    for (uint32_t i = 0; i < item_count; i++) {
        cells[i][0] = cells[i][1] = datum_of_int64(2 * (int64_t)i);
        rows[i] = cells[i];
    }
    machine_answer_rows(machine, rows, item_count);
    TEST_ASSERT_EQUAL(REQUEST_READ, machine_run(machine)->kind);
    TEST_ASSERT_EQUAL(T, machine_request(machine)->table);
    return catalog_scope(&catalog, &machine_request(machine)->filter, keys, count);
}

static void a_join_by_the_key_reads_keys_up_to_a_limit(void)
{
    const uint32_t *keys;
    uint32_t count;

    TEST_ASSERT_EQUAL(SCOPE_NONE, scope_of_join(1000, &keys, &count));
    TEST_ASSERT_EQUAL(1000, count);
    TEST_ASSERT_EQUAL_STRING("t/1998", show(catalog_key_text(&catalog, keys[999])));
    TEST_ASSERT_NOT_EQUAL(SCOPE_NONE, scope_of_join(1100, &keys, &count));
    TEST_ASSERT_EQUAL(0, count);
}

/* --- Scopes ----------------------------------------------------------------------------------- */

static void the_same_predicate_is_the_same_scope(void)
{
    uint32_t scope = only_scope_of("range(10, 20)");

    TEST_ASSERT_EQUAL(scope, only_scope_of("range(10, 20)"));
    TEST_ASSERT_EQUAL_MESSAGE(scope, only_scope_of("again(10, 20)"), "from another statement");
    TEST_ASSERT_NOT_EQUAL(scope, only_scope_of("range(10, 21)"));
    TEST_ASSERT_EQUAL_STRING("v >= 10 AND v < 20", show(catalog_where(&catalog, scope)));
    TEST_ASSERT_EQUAL(T, catalog_scope_table(&catalog, scope));
    scope = only_scope_of("every()");
    TEST_ASSERT_EQUAL_STRING("", show(catalog_where(&catalog, scope)));
    TEST_ASSERT_EQUAL(scope, catalog_whole_table(&catalog, T));
    TEST_ASSERT_NOT_EQUAL(scope, catalog_whole_table(&catalog, SLASH));
}

static bool matches(uint32_t scope, struct datum v, const char *s, int n_cents)
{
    struct datum row[] = { datum_of_int64(1), v, datum_of_text(text_of(s)),
                           datum_of_numeric((struct numeric){ n_cents, 2 }) };

    wire_writer_reset(&writer);
    row_put(&writer, row, 4);
    return catalog_matches(&catalog, scope, wire_writer_text(&writer));
}

static void rows_match_by_their_bytes(void)
{
    uint32_t range = only_scope_of("range(10, 20)"), words = only_scope_of("words('ada')");
    uint32_t divides = only_scope_of("divides(6)"), empty = only_scope_of("range(20, 10)");

    TEST_ASSERT_TRUE(matches(range, datum_of_int64(10), "", 0));
    TEST_ASSERT_TRUE(matches(range, datum_of_int64(19), "", 0));
    TEST_ASSERT_FALSE(matches(range, datum_of_int64(20), "", 0));
    TEST_ASSERT_FALSE(matches(range, datum_of_int64(9), "", 0));
    TEST_ASSERT_FALSE(matches(range, datum_null(), "", 0));
    TEST_ASSERT_FALSE(matches(empty, datum_of_int64(15), "", 0));
    TEST_ASSERT_TRUE(matches(words, datum_null(), "ada", 151));
    TEST_ASSERT_FALSE(matches(words, datum_null(), "ada", 150));
    TEST_ASSERT_FALSE(matches(words, datum_null(), "adb", 151));
    TEST_ASSERT_TRUE(matches(divides, datum_of_int64(4), "", 0));
    TEST_ASSERT_FALSE(matches(divides, datum_of_int64(2), "", 0));
    TEST_ASSERT_TRUE_MESSAGE(matches(divides, datum_of_int64(0), "", 0), "cannot be judged");
    TEST_ASSERT_TRUE(matches(catalog_whole_table(&catalog, T), datum_null(), "", 0));
}

static void a_restricted_column_must_have_one_of_the_values(void)
{
    const uint32_t *keys;
    uint32_t count, scope = scope_of_join(1100, &keys, &count);
    struct datum row[] = { datum_of_int64(2198), datum_null(), datum_null(), datum_null() };

    row_put(&writer, row, 4);
    TEST_ASSERT_TRUE(catalog_matches(&catalog, scope, wire_writer_text(&writer)));
    row[0] = datum_of_int64(3);
    wire_writer_reset(&writer);
    row_put(&writer, row, 4);
    TEST_ASSERT_FALSE(catalog_matches(&catalog, scope, wire_writer_text(&writer)));
}

/* So many that what is known has to be put into a larger table. */
static void hundreds_of_predicates_are_told_apart(void)
{
    uint32_t first[300];
    char call[64];

    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < ROW_COUNT(first); i++) {
            uint32_t scope;

            snprintf(call, sizeof call, "range(%u, %u)", i, 2 * i);
            scope = only_scope_of(call);
            if (round == 0)
                first[i] = scope;
            TEST_ASSERT_EQUAL(first[i], scope);
            TEST_ASSERT_EQUAL(i > 0, matches(scope, datum_of_int64(i), "", 0));
        }
    TEST_ASSERT_EQUAL(ROW_COUNT(first), catalog.scopes.count);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(keys_are_spelled_as_histories_spell_them);
    RUN_TEST(keys_are_spread_over_all_shards);
    RUN_TEST(a_filter_that_pins_the_key_is_that_key);
    RUN_TEST(a_pinned_number_is_spelled_as_its_column_spells_it);
    RUN_TEST(a_join_by_the_key_reads_keys_up_to_a_limit);
    RUN_TEST(the_same_predicate_is_the_same_scope);
    RUN_TEST(rows_match_by_their_bytes);
    RUN_TEST(a_restricted_column_must_have_one_of_the_values);
    RUN_TEST(hundreds_of_predicates_are_told_apart);
    return UNITY_END();
}
