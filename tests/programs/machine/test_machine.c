#include "programs/machine/machine.h"

#include <string.h>

#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

static const char bank[] =
    "CREATE TABLE owners (o_id bigint PRIMARY KEY, name varchar(20) NOT NULL UNIQUE);\n"
    "CREATE TABLE accounts (a_id bigint PRIMARY KEY, o_id bigint REFERENCES owners (o_id),\n"
    "    balance numeric(12,2) NOT NULL DEFAULT 0, kind int, UNIQUE (o_id, kind));\n"
    "CREATE FUNCTION twice(p_text text) RETURNS text LANGUAGE plpgsql AS $$\n"
    "BEGIN RETURN p_text || p_text; END; $$;\n"
    "CREATE FUNCTION name_of(p_id bigint) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE v text;\n"
    "BEGIN\n"
    "    SELECT name INTO v FROM owners WHERE o_id = p_id;\n"
    "    IF NOT FOUND THEN RAISE EXCEPTION 'no owner %, %', p_id, v USING ERRCODE = 'OW404'; END IF;\n"
    "    RETURN twice(v) || '!';\n"
    "END; $$;\n"
    "CREATE FUNCTION total(p_name text) RETURNS numeric LANGUAGE plpgsql AS $$\n"
    "DECLARE v numeric;\n"
    "BEGIN\n"
    "    SELECT sum(balance) INTO v FROM accounts a JOIN owners o ON a.o_id = o.o_id\n"
    "    WHERE name = p_name AND balance > 0;\n"
    "    RETURN v;\n"
    "END; $$;\n"
    "CREATE FUNCTION open_account(p_id bigint, p_owner bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN INSERT INTO accounts (a_id, o_id, kind) VALUES (p_id, p_owner, 1); END; $$;\n"
    "CREATE FUNCTION rename(p_id bigint, p_name text) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE v text;\n"
    "BEGIN\n"
    "    UPDATE owners SET name = p_name WHERE o_id = p_id RETURNING name INTO v;\n"
    "    RETURN v;\n"
    "END; $$;\n"
    "CREATE FUNCTION shift() RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN UPDATE owners SET o_id = o_id - 1 WHERE o_id > 0; END; $$;\n"
    "CREATE FUNCTION leave(p_id bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN DELETE FROM owners WHERE o_id = p_id; END; $$;\n"
    "CREATE FUNCTION deeper(p_n bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN RETURN deeper(p_n + 1); END; $$;\n"
    "CREATE FUNCTION forever() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    LOOP\n"
    "    END LOOP;\n"
    "END; $$;\n"
    "CREATE FUNCTION doubling() RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE v text := 'x';\n"
    "BEGIN LOOP v := v || v; END LOOP; END; $$;\n"
    "CREATE FUNCTION counting(p_n int) RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE v text := '';\n"
    "BEGIN FOR i IN 1..p_n LOOP v := 'number ' || i; END LOOP; RETURN v; END; $$;\n"
    "CREATE FUNCTION listing() RETURNS text LANGUAGE plpgsql AS $$\n"
    "DECLARE r record; v text := '';\n"
    "BEGIN\n"
    "    FOR r IN SELECT o_id, name FROM owners ORDER BY name DESC LOOP\n"
    "        v := v || name_of(r.o_id) || r.name || ' ';\n"
    "    END LOOP;\n"
    "    RETURN v;\n"
    "END; $$;\n"
    "CREATE FUNCTION nothing() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN NULL; END; $$;\n";

static struct machine *machine;
static const struct request *request;
static struct error err;

void setUp(void)
{
    fixture_load(bank);
    ASSERT_OK(machine_open(&machine, &fixture_program, 1000000, (size_t)1 << 20, &err), &err);
}

void tearDown(void)
{
    machine_close(machine);
    fixture_unload();
}

static void start(const char *call)
{
    struct fixture_call it = fixture_call(call);

    machine_start(machine, it.function, it.arguments);
    request = machine_run(machine);
}

static struct datum text(const char *it)
{
    return datum_of_text(text_of(it));
}

static struct datum money(int64_t cents)
{
    return datum_of_numeric((struct numeric){ cents, 2 });
}

/* Answers with rows of owners or of accounts, whose memory is spoilt afterwards. */
static void answer(const struct datum *rows, uint32_t count, uint32_t width)
{
    const struct datum *pointers[8];
    struct datum copy[8 * 4];
    char texts[8 * 4][32];

    memcpy(copy, rows, count * width * sizeof *rows);
    for (uint32_t i = 0; i < count * width; i++)
        if (copy[i].kind == DATUM_TEXT) {
            memcpy(texts[i], copy[i].as.text, copy[i].length);
            copy[i].as.text = texts[i];
        }
    for (uint32_t i = 0; i < count; i++)
        pointers[i] = copy + i * width;
    machine_answer_rows(machine, pointers, count);
    request = machine_run(machine);
    memset(texts, '?', sizeof texts);
    memset(copy, 0xff, sizeof copy);
}

static void answer_owner(int64_t id, const char *name)
{
    answer((struct datum[]){ datum_of_int64(id), text(name) }, 1, 2);
}

static void answer_nothing(void)
{
    machine_answer_rows(machine, NULL, 0);
    request = machine_run(machine);
}

static void answer_written(void)
{
    machine_answer_written(machine);
    request = machine_run(machine);
}

static void expect_read(const char *table, enum read_purpose purpose, const char *filter)
{
    TEST_ASSERT_EQUAL_INT(REQUEST_READ, request->kind);
    TEST_ASSERT_EQUAL_UINT32(fixture_table(&fixture_program, text_of(table)),
                             request->table);
    TEST_ASSERT_EQUAL_INT(purpose, request->purpose);
    TEST_ASSERT_EQUAL_STRING(filter, fixture_filter(&request->filter));
}

static void expect_value(const char *value)
{
    TEST_ASSERT_EQUAL_INT(REQUEST_RETURNED, request->kind);
    TEST_ASSERT_EQUAL_STRING(value, fixture_text(&request->value));
}

static void expect_failure(const char *sqlstate, const char *message, uint32_t line)
{
    TEST_ASSERT_EQUAL_INT(REQUEST_FAILED, request->kind);
    TEST_ASSERT_EQUAL_STRING(message, request->message);
    TEST_ASSERT_EQUAL_STRING(sqlstate, request->sqlstate);
    TEST_ASSERT_EQUAL_UINT32(line, request->line);
}

static void a_function_without_a_query_asks_nothing(void)
{
    start("twice('ab')");
    expect_value("abab");
    start("twice(NULL)");
    expect_value("<NULL>");
}

static void a_select_stops_at_its_read_and_goes_on_with_the_rows(void)
{
    start("name_of(7)");
    expect_read("owners", READ_SELECT, "o_id = 7");
    TEST_ASSERT_EQUAL_INT(ROW_LOCK_NONE, request->lock);
    answer_owner(7, "ada");
    expect_value("adaada!");
}

static void rows_that_were_not_asked_for_are_passed_over(void)
{
    start("name_of(7)");
    answer((struct datum[]){ datum_of_int64(6), text("bob"), datum_of_int64(7), text("ada") }, 2,
           2);
    expect_value("adaada!");
}

static void an_exception_is_raised_with_its_code_and_line(void)
{
    start("name_of(7)");
    answer_nothing();
    expect_failure("OW404", "no owner 7, <NULL>", 10);
    TEST_ASSERT_EQUAL_PTR(request, machine_run(machine));
}

static void a_join_reads_what_is_pinned_and_then_what_belongs_to_it(void)
{
    start("total('ada')");
    expect_read("owners", READ_SELECT, "name = 'ada'");
    answer((struct datum[]){ datum_of_int64(9), text("ada"), datum_of_int64(7), text("ada") }, 2,
           2);
    expect_read("accounts", READ_SELECT, "balance > 0 AND o_id IN (7, 9)");
    answer((struct datum[]){ datum_of_int64(1), datum_of_int64(7), money(150), datum_of_int64(1),
                             datum_of_int64(2), datum_of_int64(9), money(25), datum_of_int64(1),
                             datum_of_int64(3), datum_of_int64(8), money(77), datum_of_int64(1) },
           3, 4);
    expect_value("1.75");
}

static void a_join_with_nothing_reads_no_further(void)
{
    start("total('ada')");
    answer_nothing();
    expect_value("<NULL>");
}

static void an_insert_looks_for_its_key_and_uniques_and_then_for_whom_it_refers_to(void)
{
    start("open_account(3, 7)");
    expect_read("accounts", READ_INSERT, "a_id = 3");
    answer_nothing();
    expect_read("accounts", READ_UNIQUE, "o_id = 7 AND kind = 1");
    answer_nothing();
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
    TEST_ASSERT_EQUAL_INT(QUERY_INSERT, request->statement);
    TEST_ASSERT_EQUAL_UINT32(1, request->write_count);
    TEST_ASSERT_TRUE(request->writes[0].is_insert);
    TEST_ASSERT_EQUAL_INT64(3, request->writes[0].row[0].as.integer);
    TEST_ASSERT_EQUAL_STRING("0.00", fixture_text(&request->writes[0].row[2]));
    answer_written();
    expect_read("owners", READ_REFERENCE, "o_id = 7");
    answer_owner(7, "ada");
    expect_value("<NULL>");
}

static void an_insert_refers_to_nobody_by_null(void)
{
    start("open_account(3, NULL)");
    expect_read("accounts", READ_INSERT, "a_id = 3");
    answer_nothing();
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
    answer_written();
    expect_value("<NULL>");
}

static void what_is_taken_or_missing_is_an_error(void)
{
    struct datum row[] = { datum_of_int64(3), datum_of_int64(7), money(0), datum_of_int64(1) };

    start("open_account(3, 7)");
    answer(row, 1, 4);
    expect_failure("23505", "duplicate key value violates unique constraint \"accounts_pkey\"", 21);
    start("open_account(4, 7)");
    answer_nothing();
    answer(row, 1, 4);
    expect_failure("23505",
                   "duplicate key value violates unique constraint \"accounts_o_id_kind_key\"", 21);
    start("open_account(4, 7)");
    answer_nothing();
    answer_nothing();
    answer_written();
    answer_nothing();
    expect_failure("23503",
                   "insert or update on table \"accounts\" violates foreign key constraint "
                   "\"accounts_o_id_fkey\"",
                   21);
    start("rename(7, NULL)");
    answer_owner(7, "ada");
    expect_failure("23502",
                   "null value in column \"name\" of relation \"owners\" violates not-null "
                   "constraint",
                   25);
}

static void an_update_locks_checks_what_changes_and_writes_whole_rows(void)
{
    start("rename(7, 'eve')");
    expect_read("owners", READ_UPDATE, "o_id = 7");
    TEST_ASSERT_EQUAL_INT(ROW_LOCK_UPDATE, request->lock);
    answer_owner(7, "ada");
    expect_read("owners", READ_UNIQUE, "name = 'eve'");
    answer_nothing();
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
    TEST_ASSERT_EQUAL_INT(QUERY_UPDATE, request->statement);
    TEST_ASSERT_EQUAL_UINT32(1, request->write_count);
    TEST_ASSERT_FALSE(request->writes[0].is_insert || request->writes[0].is_removed);
    TEST_ASSERT_EQUAL_STRING("eve", fixture_text(&request->writes[0].row[1]));
    answer_written();
    expect_value("eve");
}

static void an_update_that_changes_nothing_checks_nothing(void)
{
    start("rename(7, 'ada')");
    answer_owner(7, "ada");
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
}

static void keys_that_move_up_are_one_write_each(void)
{
    start("shift()");
    expect_read("owners", READ_UPDATE, "o_id > 0");
    answer((struct datum[]){ datum_of_int64(5), text("ada"), datum_of_int64(6), text("bob") }, 2,
           2);
    expect_read("owners", READ_INSERT, "o_id = 4");
    answer_nothing();
    expect_read("owners", READ_INSERT, "o_id = 5");
    answer_owner(5, "ada");
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
    TEST_ASSERT_EQUAL_UINT32(3, request->write_count);
    TEST_ASSERT_TRUE(request->writes[0].is_insert);
    TEST_ASSERT_EQUAL_INT64(4, request->writes[0].row[0].as.integer);
    TEST_ASSERT_TRUE(request->writes[1].is_removed);
    TEST_ASSERT_EQUAL_INT64(6, request->writes[1].row[0].as.integer);
    TEST_ASSERT_FALSE(request->writes[2].is_insert);
    TEST_ASSERT_EQUAL_INT64(5, request->writes[2].row[0].as.integer);
    answer_written();
    expect_read("accounts", READ_REFERENCE, "o_id = 6");
    answer_nothing();
    expect_value("<NULL>");
}

static void a_delete_asks_who_still_refers_to_the_row(void)
{
    start("leave(7)");
    expect_read("owners", READ_DELETE, "o_id = 7");
    answer_owner(7, "ada");
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
    TEST_ASSERT_TRUE(request->writes[0].is_removed);
    answer_written();
    expect_read("accounts", READ_REFERENCE, "o_id = 7");
    answer((struct datum[]){ datum_of_int64(1), datum_of_int64(7), money(0), datum_of_int64(1) },
           1, 4);
    expect_failure("23503",
                   "update or delete on table \"owners\" violates foreign key constraint "
                   "\"accounts_o_id_fkey\" on table \"accounts\"",
                   31);
}

static void nothing_is_written_where_nothing_matches(void)
{
    start("leave(7)");
    answer_nothing();
    expect_value("<NULL>");
}

static void recursion_loops_and_memory_have_an_end(void)
{
    start("deeper(1)");
    expect_failure("54001", "stack depth limit exceeded", 33);
    start("forever()");
    expect_failure("57014", "canceling statement: the call takes more than 1000000 steps", 36);
    start("doubling()");
    expect_failure("53200", "out of memory", 41);
    start("nothing()");
    expect_failure("2F005", "control reached end of function without RETURN", 53);
}

static void what_nobody_can_reach_any_more_is_forgotten(void)
{
    start("counting(20000)");
    expect_value("number 20000");
    TEST_ASSERT_TRUE(machine_bytes(machine) < (size_t)1 << 19);
}

/* Once without a copy, once with one that takes over at every request. */
static void list_owners(bool with_copies)
{
    static const char *const names[] = { "ada", "bob" };
    struct machine *copy;

    start("listing()");
    answer((struct datum[]){ datum_of_int64(0), text("ada"), datum_of_int64(1), text("bob") }, 2,
           2);
    while (request->kind == REQUEST_READ) {
        int64_t id = request->filter.parameters[0].as.integer;

        if (with_copies) {
            ASSERT_OK(machine_copy(&copy, machine, &err), &err);
            machine_close(machine);
            machine = copy;
            request = machine_request(machine);
            TEST_ASSERT_TRUE(machine_bytes(machine) < 20000);
        }
        answer_owner(id, names[id]);
    }
    expect_value("bobbob!bob adaada!ada ");
}

static void a_copy_goes_on_where_the_original_stood(void)
{
    list_owners(false);
    list_owners(true);
}

static void a_copy_has_the_same_request(void)
{
    struct machine *original = machine, *copy;

    start("total('ada')");
    answer_owner(9, "ada");
    ASSERT_OK(machine_copy(&copy, machine, &err), &err);
    /* The original goes on to its end, and the copy does not notice. */
    answer_nothing();
    expect_value("<NULL>");
    machine_start(machine, 0, (struct datum[]){ text("spoilt") });
    machine_run(machine);
    machine = copy;
    request = machine_request(machine);
    expect_read("accounts", READ_SELECT, "balance > 0 AND o_id IN (9)");
    answer((struct datum[]){ datum_of_int64(1), datum_of_int64(9), money(150), datum_of_int64(1) },
           1, 4);
    expect_value("1.50");
    machine_close(original);
}

static void a_copy_of_a_write_writes_the_same(void)
{
    struct machine *copy;

    start("rename(7, 'eve')");
    answer_owner(7, "ada");
    answer_nothing();
    ASSERT_OK(machine_copy(&copy, machine, &err), &err);
    machine_close(machine);
    machine = copy;
    request = machine_request(machine);
    TEST_ASSERT_EQUAL_INT(REQUEST_WRITE, request->kind);
    TEST_ASSERT_EQUAL_STRING("eve", fixture_text(&request->writes[0].row[1]));
    answer_written();
    expect_value("eve");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_function_without_a_query_asks_nothing);
    RUN_TEST(a_select_stops_at_its_read_and_goes_on_with_the_rows);
    RUN_TEST(rows_that_were_not_asked_for_are_passed_over);
    RUN_TEST(an_exception_is_raised_with_its_code_and_line);
    RUN_TEST(a_join_reads_what_is_pinned_and_then_what_belongs_to_it);
    RUN_TEST(a_join_with_nothing_reads_no_further);
    RUN_TEST(an_insert_looks_for_its_key_and_uniques_and_then_for_whom_it_refers_to);
    RUN_TEST(an_insert_refers_to_nobody_by_null);
    RUN_TEST(what_is_taken_or_missing_is_an_error);
    RUN_TEST(an_update_locks_checks_what_changes_and_writes_whole_rows);
    RUN_TEST(an_update_that_changes_nothing_checks_nothing);
    RUN_TEST(keys_that_move_up_are_one_write_each);
    RUN_TEST(a_delete_asks_who_still_refers_to_the_row);
    RUN_TEST(nothing_is_written_where_nothing_matches);
    RUN_TEST(recursion_loops_and_memory_have_an_end);
    RUN_TEST(what_nobody_can_reach_any_more_is_forgotten);
    RUN_TEST(a_copy_goes_on_where_the_original_stood);
    RUN_TEST(a_copy_has_the_same_request);
    RUN_TEST(a_copy_of_a_write_writes_the_same);
    return UNITY_END();
}
