#include "programs/machine/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "tests/programs/machine/engine_answer.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

/* The answers in this file are PostgreSQL's. */
static const char shop[] =
    "CREATE TABLE makers (m_id bigint PRIMARY KEY, name text UNIQUE);\n"
    "CREATE TABLE things (t_id bigint PRIMARY KEY, m_id bigint REFERENCES makers (m_id),\n"
    "    code int UNIQUE, price numeric(6,2) NOT NULL DEFAULT 1.5, label varchar(5));\n"
    "CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "    INSERT INTO makers VALUES (1, 'ada'), (2, 'bob'), (3, NULL);\n"
    "    INSERT INTO things VALUES (10, 1, 7, 2.50, 'a'), (20, 1, 8, DEFAULT, 'b'),\n"
    "        (30, 2, NULL, 0.25, NULL), (40, NULL, NULL, 9, 'b');\n"
    "END; $$;\n"
    "CREATE FUNCTION add(p_id bigint, p_maker bigint, p_code int, p_price numeric, p_label text)\n"
    "RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "    INSERT INTO things VALUES (p_id, p_maker, p_code, p_price, p_label);\n"
    "END; $$;\n"
    "CREATE FUNCTION add_then_fail(p_id bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "    INSERT INTO things (t_id) VALUES (p_id);\n"
    "    UPDATE things SET price = price + 1, t_id = t_id + 100;\n"
    "    DELETE FROM things WHERE t_id = 110;\n"
    "    RAISE EXCEPTION 'changed my mind';\n"
    "END; $$;\n"
    "CREATE FUNCTION put(p_id bigint, p_code int, p_label text) RETURNS text\n"
    "LANGUAGE plpgsql AS $$ DECLARE v text; BEGIN\n"
    "    INSERT INTO things (t_id, code, label) VALUES (p_id, p_code, p_label)\n"
    "    ON CONFLICT (t_id) DO UPDATE SET label = excluded.label, price = things.price * 2\n"
    "    WHERE things.label <> excluded.label\n"
    "    RETURNING label || price INTO v;\n"
    "    RETURN v || FOUND; END; $$;\n"
    "CREATE FUNCTION try_to_put(p_id bigint, p_code int) RETURNS boolean\n"
    "LANGUAGE plpgsql AS $$ BEGIN\n"
    "    INSERT INTO things (t_id, code) VALUES (p_id, p_code) ON CONFLICT DO NOTHING;\n"
    "    RETURN FOUND; END; $$;\n"
    "CREATE FUNCTION put_twice(p_id bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "    INSERT INTO things (t_id) VALUES (p_id), (p_id)\n"
    "    ON CONFLICT (t_id) DO UPDATE SET code = 1; END; $$;\n"
    "CREATE FUNCTION try_twice(p_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint; BEGIN\n"
    "    INSERT INTO things (t_id) VALUES (p_id), (p_id) ON CONFLICT DO NOTHING;\n"
    "    SELECT count(*) INTO v FROM things WHERE t_id = p_id; RETURN v; END; $$;\n"
    "CREATE FUNCTION move(p_from bigint, p_to bigint) RETURNS boolean\n"
    "LANGUAGE plpgsql AS $$ BEGIN\n"
    "    UPDATE makers SET m_id = p_to WHERE m_id = p_from; RETURN FOUND; END; $$;\n"
    "CREATE FUNCTION drop(p_id bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN\n"
    "    DELETE FROM makers WHERE m_id = p_id; RETURN FOUND; END; $$;\n"
    "CREATE FUNCTION clear() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN\n"
    "    UPDATE things SET m_id = NULL; DELETE FROM makers; RETURN FOUND; END; $$;\n"
    "CREATE FUNCTION the_one(p_label text) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint; BEGIN\n"
    "    SELECT t_id INTO STRICT v FROM things WHERE label = p_label; RETURN v; END; $$;\n"
    "CREATE FUNCTION any_one(p_label text) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint := 5; BEGIN\n"
    "    SELECT t_id INTO v FROM things WHERE label = p_label ORDER BY t_id DESC;\n"
    "    RETURN COALESCE(v, 0) || ' ' || FOUND; END; $$;\n"
    "CREATE FUNCTION raise_prices(p_label text) RETURNS numeric LANGUAGE plpgsql AS $$\n"
    "DECLARE v numeric; BEGIN\n"
    "    UPDATE things SET price = price + 1 WHERE label = p_label RETURNING price INTO v;\n"
    "    RETURN v; END; $$;\n"
    "CREATE FUNCTION groups() RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; v text := ''; BEGIN\n"
    "    FOR r IN SELECT label, count(*) AS n, sum(price) AS s, avg(code) AS a, max(t_id) AS m,\n"
    "        count(DISTINCT m_id) AS d FROM things GROUP BY label ORDER BY label DESC LOOP\n"
    "        v := v || COALESCE(r.label, '-') || r.n || ' ' || r.s || ' ' || COALESCE(r.a, 0)\n"
    "            || ' ' || r.m || ' ' || r.d || '; ';\n"
    "    END LOOP; RETURN v; END; $$;\n"
    "CREATE FUNCTION empty() RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE n bigint; s numeric; BEGIN\n"
    "    SELECT count(*), sum(price) INTO n, s FROM things WHERE t_id < 0;\n"
    "    RETURN n || COALESCE(s::text, ' null') || FOUND; END; $$;\n"
    "CREATE FUNCTION pairs(p_limit bigint) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; v text := ''; BEGIN\n"
    "    FOR r IN SELECT name, t_id FROM makers m JOIN things t ON m.m_id = t.m_id\n"
    "        ORDER BY price DESC LIMIT p_limit LOOP\n"
    "        v := v || r.name || r.t_id || ' ';\n"
    "    END LOOP; RETURN v || FOUND; END; $$;\n"
    "CREATE FUNCTION crossed(p_leave bigint) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; v text := ''; BEGIN\n"
    "    <<outside>> FOR i IN 1..3 LOOP\n"
    "        v := v || i;\n"
    "        FOR r IN SELECT t_id FROM things ORDER BY t_id LOOP\n"
    "            v := v || 'r';\n"
    "            CONTINUE outside WHEN i = 1;\n"
    "            EXIT WHEN r.t_id = 20 AND i = 2;\n"
    "            EXIT outside WHEN i = p_leave;\n"
    "        END LOOP;\n"
    "        v := v || FOUND;\n"
    "    END LOOP; RETURN v || FOUND; END; $$;\n";

static struct engine *engine;
static struct error err;

void setUp(void)
{
    engine = NULL;
}

void tearDown(void)
{
    engine_close(engine);
    fixture_unload();
}

static void open_shop(void)
{
    fixture_load(shop);
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
}

/* The value, or SQLSTATE and message. */
static const char *answer(const char *call)
{
    static char failure[600];
    struct fixture_call it = fixture_call(call);
    struct engine_outcome outcome;

    ASSERT_OK(engine_call(engine, it.function, it.arguments, &outcome, &err), &err);
    if (outcome.is_done)
        return fixture_text(&outcome.value);
    snprintf(failure, sizeof failure, "%s %s", outcome.sqlstate, outcome.message);
    return failure;
}

/* A table as text: 1,ada;2,bob; */
static const char *table(const char *name)
{
    static char text[4096];
    uint32_t number = fixture_table(&fixture_program, text_of(name)), count;
    uint16_t width = fixture_program.tree.schema.tables[number].column_count;
    const struct datum *const *rows;
    size_t used = 0;

    *text = '\0';
    ASSERT_OK(engine_read_table(engine, number, &rows, &count, &err), &err);
    for (uint32_t i = 0; i < count; i++)
        for (uint16_t c = 0; c < width; c++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%c",
                                     datum_is_null(&rows[i][c]) ? "" : fixture_text(&rows[i][c]),
                                     c + 1 < width ? ',' : ';');
    return text;
}

struct said {
    const char *call, *answer;
};

static void expect_all(const struct said *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].answer, answer(rows[i].call), rows[i].call);
}

#define EXPECT_ALL(rows) expect_all(rows, ROW_COUNT(rows))

static void rows_come_in_the_order_of_their_keys(void)
{
    open_shop();
    TEST_ASSERT_EQUAL_STRING("<NULL>", answer("load()"));
    TEST_ASSERT_EQUAL_STRING("10,1,7,2.50,a;20,1,8,1.50,b;30,2,,0.25,;40,,,9.00,b;",
                             table("things"));
    TEST_ASSERT_EQUAL_STRING("<NULL>", answer("add(15, 3, 9, 1, 'z')"));
    TEST_ASSERT_EQUAL_STRING("10,1,7,2.50,a;15,3,9,1.00,z;20,1,8,1.50,b;30,2,,0.25,;40,,,9.00,b;",
                             table("things"));
}

static void a_call_that_fails_leaves_nothing_behind(void)
{
    static char before[4096];

    open_shop();
    answer("load()");
    snprintf(before, sizeof before, "%s", table("things"));
    TEST_ASSERT_EQUAL_STRING("P0001 changed my mind", answer("add_then_fail(50)"));
    TEST_ASSERT_EQUAL_STRING(before, table("things"));
    TEST_ASSERT_EQUAL_STRING("1", answer("try_twice(50)"));
}

static void constraints_are_postgresqls(void)
{
    static const struct said rows[] = {
        { "load()", "<NULL>" },
        { "add(10, 1, 99, 1, 'x')",
          "23505 duplicate key value violates unique constraint \"things_pkey\"" },
        { "add(11, 1, 7, 1, 'x')",
          "23505 duplicate key value violates unique constraint \"things_code_key\"" },
        { "add(11, 9, 99, 1, 'x')", "23503 insert or update on table \"things\" violates foreign "
                                    "key constraint \"things_m_id_fkey\"" },
        { "add(11, 1, 99, NULL, 'x')", "23502 null value in column \"price\" of relation "
                                       "\"things\" violates not-null constraint" },
        { "add(NULL, 1, 99, 1, 'x')", "23502 null value in column \"t_id\" of relation \"things\" "
                                      "violates not-null constraint" },
        { "add(11, 1, 99, 12345, 'x')", "22003 numeric field overflow" },
        { "add(11, 1, 99, 1, 'too long')",
          "22001 value too long for type character varying(5)" },
        { "add(11, 1, NULL, 1, 'x')", "<NULL>" },
        { "drop(1)", "23503 update or delete on table \"makers\" violates foreign key constraint "
                     "\"things_m_id_fkey\" on table \"things\"" },
        { "move(1, 5)", "23503 update or delete on table \"makers\" violates foreign key "
                        "constraint \"things_m_id_fkey\" on table \"things\"" },
        { "move(3, 2)", "23505 duplicate key value violates unique constraint \"makers_pkey\"" },
        { "move(3, 5)", "t" },
        { "move(3, 5)", "f" },
        { "drop(5)", "t" },
        { "drop(5)", "f" },
        { "clear()", "t" },
    };

    open_shop();
    EXPECT_ALL(rows);
    TEST_ASSERT_EQUAL_STRING("", table("makers"));
}

static void conflicts_can_be_met(void)
{
    static const struct said rows[] = {
        { "load()", "<NULL>" },
        { "put(10, 50, 'new')", "new5.00true" },
        { "put(10, 50, 'new')", "<NULL>" },
        { "put(11, 7, 'new')",
          "23505 duplicate key value violates unique constraint \"things_code_key\"" },
        { "put(11, 70, 'x')", "x1.50true" },
        { "try_to_put(11, 3)", "f" },
        { "try_to_put(12, 8)", "f" },
        { "try_to_put(12, 9)", "t" },
        { "put_twice(13)",
          "21000 ON CONFLICT DO UPDATE command cannot affect row a second time" },
        { "try_twice(13)", "1" },
    };

    open_shop();
    EXPECT_ALL(rows);
}

static void into_takes_the_first_row_and_strict_exactly_one(void)
{
    static const struct said rows[] = {
        { "load()", "<NULL>" },
        { "the_one('a')", "10" },
        { "the_one('b')", "P0003 query returned more than one row" },
        { "the_one('c')", "P0002 query returned no rows" },
        { "any_one('b')", "40 true" },
        { "any_one('c')", "0 false" },
        { "raise_prices('a')", "3.50" },
        { "raise_prices('b')", "P0003 query returned more than one row" },
        { "raise_prices('c')", "<NULL>" },
    };

    open_shop();
    EXPECT_ALL(rows);
}

static void rows_are_grouped_joined_ordered_and_limited(void)
{
    static const struct said rows[] = {
        { "empty()", "0 nulltrue" },
        { "groups()", "" },
        { "pairs(2)", "false" },
        { "load()", "<NULL>" },
        { "groups()", "-1 0.25 0 30 1; b2 10.50 8.0000000000000000 40 1; "
                      "a1 2.50 7.0000000000000000 10 1; " },
        { "pairs(2)", "ada10 ada20 true" },
        { "pairs(NULL)", "ada10 ada20 bob30 true" },
        { "pairs(0)", "false" },
        { "pairs(-1)", "2201W LIMIT must not be negative" },
    };

    open_shop();
    EXPECT_ALL(rows);
}

static void found_tells_of_the_loop_that_was_left(void)
{
    static const struct said rows[] = {
        { "load()", "<NULL>" },
        { "crossed(3)", "1r2rrtrue3rtrue" },
        { "crossed(9)", "1r2rrtrue3rrrrtruetrue" },
    };

    open_shop();
    EXPECT_ALL(rows);
}

static void the_smallest_integer_is_one(void)
{
    fixture_load("CREATE FUNCTION edge(p int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN\n"
                 "    RETURN -2147483648 - p; END; $$;\n");
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    TEST_ASSERT_EQUAL_STRING("-2147483648", answer("edge(0)"));
    TEST_ASSERT_EQUAL_STRING("22003 integer out of range", answer("edge(1)"));
}

/* It was 33 million rows, a minute and a half and 7 GB to the same end. */
static void writing_without_end_ends_before_the_memory_does(void)
{
    struct machine *machine;
    const struct request *request;
    size_t rows = 0;

    fixture_load("CREATE TABLE t (id bigint PRIMARY KEY, s text);\n"
                 "CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$\n"
                 "DECLARE i bigint := 0; BEGIN\n"
                 "    LOOP i := i + 1; INSERT INTO t VALUES (i, 'x'); END LOOP; END; $$;\n");
    ASSERT_OK(machine_open(&machine, &fixture_program, 100000, MACHINE_BYTES_MAX, &err), &err);
    machine_start(machine, 0, NULL);
    while ((request = machine_run(machine))->kind != REQUEST_FAILED) {
        if (request->kind == REQUEST_READ) {
            machine_answer_rows(machine, NULL, 0);
        } else {
            rows += request->write_count;
            machine_answer_written(machine);
        }
    }
    TEST_ASSERT_EQUAL_STRING("57014", request->sqlstate);
    TEST_ASSERT_TRUE(rows > 100 && rows < 1000);
    machine_close(machine);
}

static void count_requests(void *context, const struct request *r, const struct datum *const *rows,
                           uint32_t count)
{
    uint32_t *counts = context;

    TEST_ASSERT_TRUE(rows || count == 0);
    counts[r->kind]++;
}

static void looking_without_end_ends_after_so_many_rows(void)
{
    uint32_t counts[REQUEST_FAILED + 1] = { 0 };

    fixture_load("CREATE TABLE t (id bigint PRIMARY KEY, v int);\n"
                 "CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
                 "    FOR i IN 1..20000 LOOP INSERT INTO t VALUES (i, 1); END LOOP; END; $$;\n"
                 "CREATE FUNCTION look() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
                 "    LOOP PERFORM id FROM t WHERE v = 2; END LOOP; END; $$;\n");
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    TEST_ASSERT_EQUAL_STRING("<NULL>", answer("fill()"));
    engine_watch(engine, count_requests, counts);
    TEST_ASSERT_EQUAL_STRING(
        "57014 canceling statement: the call takes more than 100000000 steps", answer("look()"));
    TEST_ASSERT_UINT32_WITHIN(100, 4950, counts[REQUEST_READ]);
}

static void expect_end(const char *call, const char *sqlstate, const char *message)
{
    struct fixture_call it = fixture_call(call);
    const struct request *request;
    struct machine *machine;

    ASSERT_OK(machine_open(&machine, &fixture_program, 1000000, MACHINE_BYTES_MAX, &err), &err);
    machine_start(machine, it.function, it.arguments);
    request = machine_run(machine);
    TEST_ASSERT_EQUAL_MESSAGE(REQUEST_FAILED, request->kind, call);
    TEST_ASSERT_EQUAL_STRING(sqlstate, request->sqlstate);
    TEST_ASSERT_EQUAL_STRING(message, request->message);
    machine_close(machine);
}

/* These ran for hours: what a text costs was not among the steps. */
static void long_texts_and_patterns_without_end_end_as_well(void)
{
    static const char many[] = "canceling statement: the call takes more than 1000000 steps";

    fixture_load("CREATE FUNCTION move() RETURNS void LANGUAGE plpgsql AS $$\n"
                 "DECLARE s text := lpad('', 1000000, 'a'); BEGIN\n"
                 "    LOOP s := substr(s || 'b', 2); END LOOP; END; $$;\n"
                 "CREATE FUNCTION match(n int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN\n"
                 "    RETURN lpad('', n, 'a') LIKE '%' || lpad('', n / 2, 'a') || 'b'; END; $$;\n"
                 "CREATE FUNCTION match_again() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
                 "    LOOP PERFORM match(500); END LOOP; END; $$;\n");
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    TEST_ASSERT_EQUAL_STRING("f", answer("match(500)"));
    expect_end("move()", "57014", many);
    expect_end("match_again()", "57014", many);
    expect_end("match(1000000)", "57014",
               "canceling statement: LIKE takes more than 10000000 comparisons");
}

static void a_mark_before_the_file_is_passed_over(void)
{
    static const char sql[] = "\xef\xbb\xbf" "CREATE TABLE t (id bigint PRIMARY KEY);\n";
    char path[] = "/tmp/ordeal-test-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");

    TEST_ASSERT_NOT_NULL(file);
    fputs(sql, file);
    fclose(file);
    fixture_load_file(path);
    unlink(path);
    TEST_ASSERT_EQUAL_UINT32(1, fixture_program.tree.schema.table_count);
}

static void a_watcher_is_told_of_everything(void)
{
    uint32_t counts[REQUEST_FAILED + 1] = { 0 };

    open_shop();
    answer("load()");
    engine_watch(engine, count_requests, counts);
    answer("add(60, 1, 60, 1, 'x')");
    TEST_ASSERT_EQUAL_UINT32(3, counts[REQUEST_READ]);
    TEST_ASSERT_EQUAL_UINT32(1, counts[REQUEST_WRITE]);
    TEST_ASSERT_EQUAL_UINT32(1, counts[REQUEST_RETURNED]);
}

static uint32_t count_by_hand(const struct filter *f, struct heap *scratch)
{
    const struct datum *const *rows;
    uint32_t count, matching = 0;

    ASSERT_OK(engine_read_table(engine, f->condition->table, &rows, &count, &err), &err);
    for (uint32_t i = 0; i < count; i++)
        matching += condition_matches(f, rows[i], scratch);
    return matching;
}

static void check_read(void *context, const struct request *r, const struct datum *const *rows,
                       uint32_t count)
{
    static const struct datum *seen[1000];

    if (r->kind != REQUEST_READ)
        return;
    TEST_ASSERT_TRUE(count < ROW_COUNT(seen));
    if (count > 0)
        memcpy(seen, rows, count * sizeof *rows);
    for (uint32_t i = 1; i < count; i++)
        TEST_ASSERT_TRUE(seen[i - 1][0].as.integer <= seen[i][0].as.integer);
    TEST_ASSERT_EQUAL_UINT32(count_by_hand(&r->filter, context), count);
    /* Reading has spoilt the answer that the engine is about to give. */
    ASSERT_OK(engine_read(engine, &r->filter, &rows, &count, &err), &err);
    TEST_ASSERT_TRUE(count == 0 || memcmp(seen, rows, count * sizeof *rows) == 0);
}

static const char lookups[] =
    "CREATE TABLE a (id bigint PRIMARY KEY, v int UNIQUE, w int);\n"
    "CREATE TABLE b (x bigint, y bigint, z text, a_id bigint REFERENCES a (id),\n"
    "    PRIMARY KEY (x, y), UNIQUE (z, y));\n"
    "CREATE FUNCTION fill(n int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "    FOR i IN 1..n LOOP\n"
    "        INSERT INTO a VALUES (i * 7919 % 1000, CASE WHEN i % 3 > 0 THEN i END, i % 10);\n"
    "        INSERT INTO b VALUES (i % 20, i, 'z' || i % 7,\n"
    "            CASE WHEN i % 4 > 0 THEN i * 7919 % 1000 END);\n"
    "    END LOOP; END; $$;\n"
    "CREATE FUNCTION look(p int, q int) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v1 bigint; BEGIN\n"
    "    SELECT count(*) INTO v1 FROM a WHERE id = p;\n"
    "    SELECT count(*) INTO v1 FROM a WHERE v = p;\n"
    "    SELECT count(*) INTO v1 FROM a WHERE v > p AND v <= q;\n"
    "    SELECT count(*) INTO v1 FROM a WHERE id >= p AND w = 3;\n"
    "    SELECT count(*) INTO v1 FROM a WHERE id BETWEEN q AND p;\n"
    "    SELECT count(*) INTO v1 FROM b WHERE x = p % 20;\n"
    "    SELECT count(*) INTO v1 FROM b WHERE x = p % 20 AND y < q;\n"
    "    SELECT count(*) INTO v1 FROM b WHERE z = 'z' || p % 8 AND x > q % 20;\n"
    "    SELECT count(*) INTO v1 FROM b WHERE a_id = p;\n"
    "    SELECT count(*) INTO v1 FROM b WHERE y = q;\n"
    "    SELECT count(*) INTO v1 FROM a JOIN b ON a_id = id WHERE w = p % 10;\n"
    "    SELECT count(*) INTO v1 FROM a JOIN b ON x = w AND y = v;\n"
    "    UPDATE a SET v = v + 1000, id = id + 2000 WHERE id = p AND w > 5;\n"
    "    UPDATE b SET z = 'z9', a_id = NULL WHERE x = p % 20;\n"
    "    DELETE FROM b WHERE y = q;\n"
    "    RETURN v1; END; $$;\n";

static void an_index_finds_what_a_scan_finds(void)
{
    struct random_key key = random_key_of_seed(3);
    struct random random;
    struct heap scratch;
    char call[64];

    fixture_load(lookups);
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    heap_init(&scratch, MACHINE_BYTES_MAX);
    TEST_ASSERT_EQUAL_STRING("<NULL>", answer("fill(300)"));
    engine_watch(engine, check_read, &scratch);
    random_init(&random, &key);
    for (size_t i = 0; i < fixture_rounds(60); i++) {
        long long p = (long long)random_below(&random, 400);
        long long q = (long long)random_below(&random, 400);

        snprintf(call, sizeof call, "look(%lld, %lld)", p, q);
        answer(call);
    }
    heap_close(&scratch);
}

/* Every one of them loads, and what it promises holds of the data it starts with. */
static void sample_programs_load_and_keep_their_invariants(void)
{
    static const char *const names[] = {
        "bank",  "counters",  "long_fork", "phantom", "read_only_anomaly", "rubis", "sales",
        "seats", "smallbank", "tatp",  "tpcc",      "twitter", "voter", "wikipedia", "write_skew",
    };
    uint32_t invariants = 0;

    for (size_t i = 0; i < ROW_COUNT(names); i++) {
        char path[64], call[64];

        snprintf(path, sizeof path, "scenarios/programs/%s.sql", names[i]);
        engine_close(engine);
        engine = NULL;
        fixture_unload();
        fixture_load_file(path);
        ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
        TEST_ASSERT_EQUAL_STRING_MESSAGE("<NULL>", answer("load(1)"), path);
        for (uint32_t f = 0; f < fixture_program.tree.function_count; f++) {
            struct text name = fixture_program.tree.functions[f].name;

            if (name.length < 10 || memcmp(name.at, "invariant_", 10) != 0)
                continue;
            snprintf(call, sizeof call, "%.*s()", TEXT_PRINT(name));
            TEST_ASSERT_EQUAL_STRING_MESSAGE("t", answer(call), call);
            invariants++;
        }
    }
    TEST_ASSERT_TRUE(invariants > 35);
}

static const char wares[] =
    "CREATE TABLE w (id bigint PRIMARY KEY, n int CHECK (n > 0), s text, m int,\n"
    "    CONSTRAINT b CHECK (n < m), CONSTRAINT \"A\" CHECK (m / (n - 7) <> 3 OR n = 7));\n"
    "CREATE FUNCTION put(p_id bigint, p_n int, p_s text, p_m int) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN INSERT INTO w VALUES (p_id, p_n, p_s, p_m)\n"
    "    ON CONFLICT (id) DO UPDATE SET n = w.n - excluded.n; END $$;\n"
    "CREATE FUNCTION halve(p_id bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN UPDATE w SET n = n / 2 WHERE id = p_id; END $$;\n"
    "CREATE FUNCTION kinds(p_least int, p_from int, p_many int) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; t text := '';\n"
    "BEGIN FOR r IN SELECT DISTINCT s, NULLIF(n, 2) AS n FROM w WHERE n >= p_least OR s LIKE 'a%_'\n"
    "    ORDER BY s, n OFFSET p_from LIMIT p_many LOOP\n"
    "        t := t || r.s || COALESCE(r.n::text, '-') || ';'; END LOOP; RETURN t; END $$;\n"
    "CREATE FUNCTION often(p_least int) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; t text := '';\n"
    "BEGIN FOR r IN SELECT s, count(*) AS c FROM w GROUP BY s HAVING count(*) >= p_least ORDER BY s LOOP\n"
    "    t := t || r.s || r.c || ';'; END LOOP; RETURN t; END $$;\n"
    "CREATE FUNCTION nothing() RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE v bigint := 7;\n"
    "BEGIN SELECT count(*) INTO v FROM w HAVING count(*) < 0; RETURN v; END $$;\n";

static void open_wares(void)
{
    fixture_load(wares);
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
}

static void a_row_that_fails_a_check_is_not_written(void)
{
    static const struct said said[] = {
        { "put(1, 0, 'a', 9)",
          "23514 new row for relation \"w\" violates check constraint \"w_n_check\"" },
        { "put(1, 5, 'a', 4)", "23514 new row for relation \"w\" violates check constraint \"b\"" },
        { "put(1, 8, 'a', 3)", "23514 new row for relation \"w\" violates check constraint \"A\"" },
        { "put(1, 7, 'a', 8)", "22012 division by zero" },
        { "put(1, 1, 'a', NULL)", "<NULL>" },
        { "put(2, NULL, 'a', 1)", "<NULL>" },
        { "put(1, 2, 'a', 9)",
          "23514 new row for relation \"w\" violates check constraint \"w_n_check\"" },
        { "halve(1)", "23514 new row for relation \"w\" violates check constraint \"w_n_check\"" },
        { "put(1, 1, 'a', 1)", "23514 new row for relation \"w\" violates check constraint \"b\"" },
    };

    open_wares();
    EXPECT_ALL(said);
    TEST_ASSERT_EQUAL_STRING("1,1,a,;2,,a,1;", table("w"));
}

static void rows_can_be_distinct_and_the_first_be_left_out(void)
{
    static const struct said said[] = {
        { "put(1, 1, 'ab', NULL)", "<NULL>" }, { "put(2, 1, 'ab', NULL)", "<NULL>" },
        { "put(3, 2, 'ab', NULL)", "<NULL>" }, { "put(4, 3, 'b', NULL)", "<NULL>" },
        { "put(5, 3, 'b', NULL)", "<NULL>" },  { "put(6, 1, 'a', NULL)", "<NULL>" },
        { "kinds(1, 0, 9)", "a1;ab1;ab-;b3;" }, { "kinds(2, 0, 9)", "ab1;ab-;b3;" },
        { "kinds(1, 1, 2)", "ab1;ab-;" },      { "kinds(1, 4, 2)", "" },
        { "kinds(1, NULL, NULL)", "a1;ab1;ab-;b3;" },
        { "kinds(1, -1, 2)", "2201X OFFSET must not be negative" },
        { "kinds(1, 1, -2)", "2201W LIMIT must not be negative" },
        { "often(2)", "ab3;b2;" },             { "often(4)", "" },
        { "nothing()", "<NULL>" },
    };

    open_wares();
    EXPECT_ALL(said);
}

static const char trees[] =
    "CREATE TABLE n (id bigint PRIMARY KEY, up bigint, v int, s text);\n"
    "CREATE TABLE k (id int PRIMARY KEY, n_id bigint, w int);\n"
    "CREATE FUNCTION load() RETURNS void LANGUAGE plpgsql AS $$ BEGIN\n"
    "INSERT INTO n VALUES (1, NULL, 5, 'a'), (2, 1, 7, 'b'), (3, 1, NULL, 'b'), (4, 2, 7, 'c'), (5, 9, 1, NULL);\n"
    "INSERT INTO k VALUES (1, 2, 10), (2, 2, 20), (3, 4, NULL), (4, NULL, 5); END $$;\n"
    "CREATE FUNCTION list(what int, p int) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; t text := ''; x int;\n"
    "BEGIN\n"
    "IF what = 1 THEN FOR r IN SELECT n.id AS a, k.w AS b FROM n LEFT JOIN k ON n_id = n.id AND w > p\n"
    "    ORDER BY n.id, k.id LOOP t := t || r.a || COALESCE(r.b::text, '-') || ';'; END LOOP;\n"
    "ELSIF what = 2 THEN FOR r IN SELECT n.id AS a, o.id AS b FROM n AS o RIGHT JOIN n ON n.up = o.id\n"
    "    WHERE o.v IS NULL ORDER BY 1 LOOP t := t || r.a || COALESCE(r.b::text, '-') || ';'; END LOOP;\n"
    "ELSIF what = 3 THEN FOR r IN SELECT id AS a FROM n WHERE id IN (SELECT n_id FROM k WHERE w >= p OR w IS NULL)\n"
    "    ORDER BY id LOOP t := t || r.a || ';'; END LOOP;\n"
    "ELSIF what = 4 THEN FOR r IN SELECT id AS a FROM n WHERE v NOT IN (SELECT w FROM k WHERE w IS NOT NULL OR p = 1)\n"
    "    ORDER BY id LOOP t := t || r.a || ';'; END LOOP;\n"
    "ELSIF what = 5 THEN FOR r IN SELECT id AS a, (SELECT sum(w) FROM k WHERE n_id = n.id AND w <> p) AS b FROM n\n"
    "    WHERE EXISTS (SELECT 1 FROM n AS c WHERE c.up = n.id) ORDER BY id LOOP\n"
    "    t := t || r.a || COALESCE(r.b::text, '-') || ';'; END LOOP;\n"
    "ELSIF what = 6 THEN RETURN (SELECT v FROM n WHERE up = p);\n"
    "ELSIF what = 7 THEN SELECT count(*) INTO x FROM n WHERE false AND v = (SELECT w FROM k);\n"
    "    IF EXISTS (SELECT 1 FROM n WHERE id = p) AND p IN (SELECT id FROM k) THEN t := 'both'; END IF; RETURN t || x;\n"
    "ELSIF what = 8 THEN FOR r IN SELECT v AS a FROM n UNION SELECT w FROM k UNION ALL SELECT p WHERE p > 3\n"
    "    ORDER BY a DESC NULLS LAST LIMIT 4 OFFSET 1 LOOP t := t || COALESCE(r.a::text, '-') || ';'; END LOOP;\n"
    "ELSIF what = 9 THEN UPDATE n SET v = (SELECT max(o.v) FROM n AS o WHERE o.id > n.id)\n"
    "    WHERE (SELECT count(*) FROM k WHERE n_id = n.id) < p RETURNING id INTO x; RETURN x;\n"
    "ELSIF what = 10 THEN DELETE FROM n WHERE NOT EXISTS (SELECT 1 FROM k WHERE n_id = n.id) AND id > p;\n"
    "ELSIF what = 11 THEN FOR r IN SELECT s AS a, count(*) AS b FROM n GROUP BY s\n"
    "    HAVING count(*) IN (SELECT id FROM k WHERE id >= p) ORDER BY s LOOP t := t || r.a || r.b || ';'; END LOOP;\n"
    "ELSE INSERT INTO n VALUES ((SELECT max(id) + 1 FROM n), p, (SELECT count(*) FROM k), 'new') RETURNING id INTO x; RETURN x;\n"
    "END IF; RETURN t; END $$;\n";

/* The answers are PostgreSQL's. */
static void subqueries_outer_joins_and_unions_say_what_they_say_in_postgresql(void)
{
    static const struct said said[] = {
        { "load()", "<NULL>" },
        { "list(1, 10)", "1-;220;3-;4-;5-;" },
        { "list(1, 0)", "1-;210;220;3-;4-;5-;" },
        { "list(2, 0)", "1-;5-;" },
        { "list(3, 10)", "2;4;" },
        { "list(3, 30)", "4;" },
        { "list(4, 0)", "2;4;5;" },
        { "list(4, 1)", "" },
        { "list(5, 10)", "1-;220;" },
        { "list(6, 2)", "7" },
        { "list(6, 1)", "21000 more than one row returned by a subquery used as an expression" },
        { "list(6, 7)", "<NULL>" },
        { "list(7, 4)", "both0" },
        { "list(7, 5)", "0" },
        { "list(8, 0)", "10;7;5;1;" },
        { "list(8, 20)", "20;10;7;5;" },
        { "list(9, 1)", "P0003 query returned more than one row" },
        { "list(9, 0)", "<NULL>" },
        { "list(11, 2)", "b2;" },
        { "list(11, 1)", "<NULL>" },
        { "list(12, 3)", "6" },
        { "list(10, 3)", "" },
        { "list(3, 0)", "2;4;" },
    };

    fixture_load(trees);
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    EXPECT_ALL(said);
    TEST_ASSERT_EQUAL_STRING("1,,5,a;2,1,7,b;3,1,,b;4,2,7,c;", table("n"));
}

/* The answers are PostgreSQL's, which counts cursors without a name by session. */
static void cursors_say_what_they_say_in_postgresql(void)
{
    static const struct said said[] = {
        { "load(1)", "<NULL>" },
        { "written(5)", "1a4d/1ax/2bx/3-true3null" },
        { "written(40)", "/4dxxtrue1null" },
        { "unnamed(0)", "4dxx3-2bxx1axx" },
        { "unnamed(1)", "42P03 cursor \"<unnamed portal 1>\" already in use" },
        { "unnamed(2)", "34000 cursor \"<unnamed portal 1>\" does not exist" },
        { "unnamed(3)", "4dxx3-bxx" },
        { "misused(0)", "ok" },
        { "misused(1)", "34000 cursor \"c\" does not exist" },
        { "misused(2)", "22004 cursor variable \"d\" is null" },
        { "misused(3)", "ok" },
        { "misused(4)", "42P03 cursor \"c\" already in use" },
        { "misused(5)", "42P03 cursor \"c\" already in use" },
        { "misused(6)", "42P03 cursor \"c\" already in use" },
        { "misused(7)", "4dxx" },
        { "misused(8)", "2" },
        { "misused(9)", "42P03 cursor \"c\" already in use" },
        { "misused(10)", "22004 null value cannot be assigned to variable \"x\" declared NOT NULL" },
    };

    fixture_load_file("tests/programs/machine/cursors.sql");
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    EXPECT_ALL(said);
}

static void count_reads(void *context, const struct request *request,
                        const struct datum *const *rows, uint32_t count)
{
    char *said = context;

    (void)rows;
    if (request->kind == REQUEST_READ)
        sprintf(said + strlen(said), "%u:%.*s:%u ", request->ordinal,
                TEXT_PRINT(fixture_program.tree.schema.tables[request->table].name), count);
}

/* What a subquery reads is of the statement around it, and confined by what that has found. */
static void a_subquery_reads_in_its_statement_and_no_more_than_it_needs(void)
{
    static const struct said said[] = {
        { "list(3, 10)", "0:k:3 0:n:2 " },
        { "list(5, 10)", "0:n:5 0:n:3 0:k:1 " },
        { "list(7, 4)", "0:k:4 1:n:1 1:k:4 " },
        { "list(8, 0)", "0:n:5 0:k:4 " },
    };
    char reads[200];

    fixture_load(trees);
    ASSERT_OK(engine_open(&engine, &fixture_program, &err), &err);
    answer("load()");
    engine_watch(engine, count_reads, reads);
    for (size_t i = 0; i < ROW_COUNT(said); i++) {
        reads[0] = '\0';
        answer(said[i].call);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(said[i].answer, reads, said[i].call);
    }
}

int main(int count, char **arguments)
{
    if (count == 3 && strcmp(arguments[1], "--answer") == 0)
        return engine_answer_all(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "--script") == 0)
        return engine_answer_script(arguments[2]);
    UNITY_BEGIN();
    RUN_TEST(rows_come_in_the_order_of_their_keys);
    RUN_TEST(a_call_that_fails_leaves_nothing_behind);
    RUN_TEST(constraints_are_postgresqls);
    RUN_TEST(conflicts_can_be_met);
    RUN_TEST(into_takes_the_first_row_and_strict_exactly_one);
    RUN_TEST(rows_are_grouped_joined_ordered_and_limited);
    RUN_TEST(found_tells_of_the_loop_that_was_left);
    RUN_TEST(the_smallest_integer_is_one);
    RUN_TEST(writing_without_end_ends_before_the_memory_does);
    RUN_TEST(looking_without_end_ends_after_so_many_rows);
    RUN_TEST(long_texts_and_patterns_without_end_end_as_well);
    RUN_TEST(a_mark_before_the_file_is_passed_over);
    RUN_TEST(a_watcher_is_told_of_everything);
    RUN_TEST(an_index_finds_what_a_scan_finds);
    RUN_TEST(sample_programs_load_and_keep_their_invariants);
    RUN_TEST(subqueries_outer_joins_and_unions_say_what_they_say_in_postgresql);
    RUN_TEST(cursors_say_what_they_say_in_postgresql);
    RUN_TEST(a_subquery_reads_in_its_statement_and_no_more_than_it_needs);
    RUN_TEST(a_row_that_fails_a_check_is_not_written);
    RUN_TEST(rows_can_be_distinct_and_the_first_be_left_out);
    return UNITY_END();
}
