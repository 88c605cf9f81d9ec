#include "programs/machine/row_indexes.h"

#include <string.h>

#include "base/random.h"
#include "programs/machine/machine.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

#define TABLE_ROWS 500

static const char program[] =
    "CREATE TABLE t (id bigint PRIMARY KEY, a bigint NOT NULL, b bigint, c bigint NOT NULL);\n"
    "CREATE FUNCTION first(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint; BEGIN\n"
    "    SELECT id INTO x FROM t WHERE a = p ORDER BY id LIMIT 3; RETURN x; END; $$;\n"
    "CREATE FUNCTION last(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; BEGIN\n"
    "    FOR r IN SELECT id FROM t WHERE a = p AND id <= q ORDER BY a DESC, id DESC LIMIT 4 OFFSET 2 LOOP\n"
    "        RETURN r.id;\n"
    "    END LOOP; RETURN 0; END; $$;\n"
    "CREATE FUNCTION down(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; BEGIN\n"
    "    FOR r IN SELECT id FROM t WHERE c = p ORDER BY b DESC, id DESC LIMIT 20 LOOP RETURN r.id;\n"
    "    END LOOP; RETURN 0; END; $$;\n"
    "CREATE FUNCTION up(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; BEGIN\n"
    "    FOR r IN SELECT id FROM t WHERE c = p AND b > q ORDER BY b, id LIMIT 20 LOOP RETURN r.id;\n"
    "    END LOOP; RETURN 0; END; $$;\n"
    "CREATE FUNCTION high(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; BEGIN\n"
    "    FOR r IN SELECT id FROM t WHERE c = p AND b > q ORDER BY b DESC, id DESC LIMIT 20 LOOP RETURN r.id;\n"
    "    END LOOP; RETURN 0; END; $$;\n"
    "CREATE FUNCTION ties(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; BEGIN\n"
    "    FOR r IN SELECT id FROM t WHERE c = p ORDER BY b LIMIT 2 LOOP RETURN r.id;\n"
    "    END LOOP; RETURN 0; END; $$;\n"
    "CREATE FUNCTION computed(p bigint, q bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE x bigint; BEGIN\n"
    "    SELECT id INTO x FROM t WHERE a = p AND 10 / b > 0 ORDER BY id LIMIT 1; RETURN x; END; $$;\n";

static struct datum rows[TABLE_ROWS][4];
static struct row_indexes *indexes;

static void fill(void)
{
    const struct random_key key = random_key_of_seed(7);
    struct random dice;
    static const bool is_called[16] = { true, true, true, true, true, true, true };
    struct error err;

    random_init(&dice, &key);
    TEST_ASSERT_EQUAL(STATUS_OK, row_indexes_open(&indexes, &fixture_program, is_called, &err));
    for (uint32_t i = 0; i < TABLE_ROWS; i++) {
        rows[i][0] = datum_of_int64((int64_t)(i * 7919 % 1009));
        rows[i][1] = datum_of_int64((int64_t)random_below(&dice, 3));
        rows[i][2] = random_below(&dice, 4) ? datum_of_int64((int64_t)random_below(&dice, 12))
                                            : datum_null();
        rows[i][3] = datum_of_int64((int64_t)random_below(&dice, 2));
        for (uint32_t k = 0; k < indexes[0].count; k++)
            TEST_ASSERT_EQUAL(STATUS_OK, row_index_add(&indexes[0].at[k],
                                                       (struct row_entry){ rows[i], NULL }, &err));
    }
}

static int compare(const struct datum *a, const struct datum *b, const struct row_order *order)
{
    for (uint32_t i = 0; i < order->column_count; i++) {
        const struct datum *x = &a[order->columns[i]], *y = &b[order->columns[i]];
        int by = datum_is_null(x) || datum_is_null(y) ? datum_is_null(x) - datum_is_null(y)
                                                      : datum_compare(x, y);

        if (by != 0)
            return order->descends ? -by : by;
    }
    return 0;
}

/* The row that comes next after `row` in the order, or the first, of those that match. */
static const struct datum *naive_next(const struct request *q, const struct datum *row)
{
    const struct datum *next = NULL;
    struct heap scratch;

    heap_init(&scratch, 1 << 16);
    for (uint32_t i = 0; i < TABLE_ROWS; i++)
        if (condition_matches(&q->filter, rows[i], &scratch) &&
            (!row || compare(row, rows[i], q->order) < 0) &&
            (!next || compare(rows[i], next, q->order) < 0))
            next = rows[i];
    heap_close(&scratch);
    return next;
}

struct visited {
    const struct request *request;
    const struct datum *row;
    uint64_t count, looked_at;
};

static enum status take(void *context, const struct row_entry *entry, bool *is_enough, struct error *err)
{
    struct visited *v = context;
    struct heap scratch;

    (void)err;
    heap_init(&scratch, 1 << 16);
    v->looked_at++;
    if (condition_matches(&v->request->filter, entry->cells, &scratch)) {
        const struct datum *expected = naive_next(v->request, v->row);

        TEST_ASSERT_TRUE(expected == entry->cells);
        v->row = expected;
        v->count++;
    }
    heap_close(&scratch);
    *is_enough = v->count >= v->request->wanted;
    return STATUS_OK;
}

/* The read of a call, visited in its order. */
static void visit_in_order(const char *call, uint64_t wanted)
{
    struct fixture_call f = fixture_call(call);
    struct machine *machine;
    struct error err;
    struct visited v = { .row = NULL };
    const struct row_index *best;

    TEST_ASSERT_EQUAL(STATUS_OK, machine_open(&machine, &fixture_program, MACHINE_STEPS_MAX,
                                              MACHINE_BYTES_MAX, &err));
    machine_start(machine, f.function, f.arguments);
    v.request = machine_run(machine);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(wanted, v.request->wanted, call);
    if (wanted > 0) {
        best = row_index_best(indexes[0].at, indexes[0].count, &v.request->filter);
        TEST_ASSERT_TRUE_MESSAGE(row_index_is_ordered(best, &v.request->filter, v.request->order), call);
        TEST_ASSERT_EQUAL(STATUS_OK,
                          row_index_visit(&(struct row_visit){ .index = best,
                                                               .filter = &v.request->filter,
                                                               .is_backwards = v.request->order->descends,
                                                               .visit = take,
                                                               .context = &v },
                                          &err));
        TEST_ASSERT_TRUE(v.count == wanted || !naive_next(v.request, v.row));
        TEST_ASSERT_LESS_OR_EQUAL_UINT64_MESSAGE(wanted, v.looked_at, call);
    }
    machine_close(machine);
}

static void the_first_rows_of_an_order_come_first_from_either_end(void)
{
    fixture_load(program);
    fill();
    visit_in_order("first(1, 0)", 1);
    visit_in_order("first(9, 0)", 1);
    visit_in_order("last(2, 700)", 6);
    visit_in_order("last(2, 0)", 6);
    visit_in_order("down(0, 0)", 20);
    visit_in_order("up(1, 3)", 20);
    visit_in_order("up(1, 11)", 20);
    visit_in_order("high(1, 3)", 20);
    visit_in_order("high(0, 11)", 20);
    row_indexes_close(indexes, &fixture_program);
    fixture_unload();
}

static void an_order_with_ties_is_not_that_of_an_index(void)
{
    struct fixture_call f;
    struct machine *machine;
    const struct request *q;
    struct error err;

    fixture_load(program);
    fill();
    f = fixture_call("ties(1, 0)");
    TEST_ASSERT_EQUAL(STATUS_OK, machine_open(&machine, &fixture_program, MACHINE_STEPS_MAX,
                                              MACHINE_BYTES_MAX, &err));
    machine_start(machine, f.function, f.arguments);
    q = machine_run(machine);
    TEST_ASSERT_EQUAL_UINT64(2, q->wanted);
    for (uint32_t i = 0; i < indexes[0].count; i++)
        TEST_ASSERT_FALSE(row_index_is_ordered(&indexes[0].at[i], &q->filter, q->order));
    machine_close(machine);
    row_indexes_close(indexes, &fixture_program);
    fixture_unload();
}

static void all_rows_are_wanted_where_one_that_nobody_looks_at_might_be_an_error(void)
{
    fixture_load(program);
    fill();
    visit_in_order("computed(1, 0)", 0);
    row_indexes_close(indexes, &fixture_program);
    fixture_unload();
}

static void there_is_an_index_for_what_queries_of_called_functions_pin(void)
{
    static const bool nobody[16] = { false };
    struct error err;

    fixture_load(program);
    TEST_ASSERT_EQUAL(STATUS_OK, row_indexes_open(&indexes, &fixture_program, nobody, &err));
    TEST_ASSERT_EQUAL(1, indexes[0].count);
    row_indexes_close(indexes, &fixture_program);
    fill();
    TEST_ASSERT_EQUAL(3, indexes[0].count); /* (id), (a, id), (c, b, id) */
    TEST_ASSERT_EQUAL(2, indexes[0].at[1].column_count);
    TEST_ASSERT_EQUAL(1, indexes[0].at[1].columns[0]);
    TEST_ASSERT_EQUAL(3, indexes[0].at[2].column_count);
    TEST_ASSERT_EQUAL(2, indexes[0].at[2].columns[1]);
    row_indexes_close(indexes, &fixture_program);
    fixture_unload();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_first_rows_of_an_order_come_first_from_either_end);
    RUN_TEST(an_order_with_ties_is_not_that_of_an_index);
    RUN_TEST(all_rows_are_wanted_where_one_that_nobody_looks_at_might_be_an_error);
    RUN_TEST(there_is_an_index_for_what_queries_of_called_functions_pin);
    return UNITY_END();
}
