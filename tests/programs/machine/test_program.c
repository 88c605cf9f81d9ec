/* What is accepted, and what it then means; what is refused stands in test_program_refused.c. */
#include "programs/machine/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/sql/access.h"
#include "tests/fixture.h"
#include "tests/programs/machine/machine_fixture.h"
#include "unity.h"

#define ARGUMENTS_MAX 8
#define SQL_MAX 4096

static struct program program;
static struct heap heap;
static struct error err;

void setUp(void)
{
    heap_init(&heap, 1 << 20);
    err = (struct error){ 0 };
}

void tearDown(void)
{
    program_close(&program);
    heap_close(&heap);
}

/* --- Helpers --------------------------------------------------------------------- */

static void load(const char *sql)
{
    program_close(&program);
    ASSERT_OK(program_load(&program, text_of(sql), &err), &err);
}

/* A table t(id, v, s), and a function f(p bigint) with this body. */
static void write_body(char sql[static SQL_MAX], const char *declare, const char *body)
{
    snprintf(sql, SQL_MAX,
             "CREATE TABLE t (id bigint PRIMARY KEY, v int, s varchar(5));\n"
             "CREATE FUNCTION f(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
             "DECLARE %s\nBEGIN\n%s\nEND;\n$$;\n",
             declare, body);
}

static const struct program_function *load_body(const char *declare, const char *body)
{
    char sql[SQL_MAX];

    write_body(sql, declare, body);
    load(sql);
    return &program.tree.functions[0];
}

static void refuse(const char *sql, uint64_t line, const char *text)
{
    struct program refused;

    err = (struct error){ 0 };
    TEST_ASSERT_NOT_EQUAL(STATUS_OK, program_load(&refused, text_of(sql), &err));
    TEST_ASSERT_EQUAL_STRING(text, err.text);
    TEST_ASSERT_EQUAL_UINT64(line, err.line);
}

static void refuse_body(const char *declare, const char *body, uint64_t line, const char *text)
{
    char sql[SQL_MAX];

    write_body(sql, declare, body);
    refuse(sql, line, text);
}

static const struct action *action_at(const struct program_function *function, uint32_t number)
{
    TEST_ASSERT_LESS_THAN_UINT32(function->body.count, number);
    return &function->body.actions[number];
}

static void assert_text(const char *wanted, struct text got)
{
    TEST_ASSERT_EQUAL_STRING_LEN(wanted, got.at, got.length);
    TEST_ASSERT_EQUAL_UINT(strlen(wanted), got.length);
}

/* The value assigned by the first statement of f. */
static const struct expression *value_of(const char *declare, const char *expression)
{
    char body[SQL_MAX / 2];
    const struct action *action;

    snprintf(body, sizeof body, "p := %s;", expression);
    action = action_at(load_body(declare, body), 0);
    TEST_ASSERT_EQUAL(ACTION_ASSIGN, action->kind);
    return action->as.assign.value;
}

static const struct select *select_of(const char *query)
{
    char body[SQL_MAX / 2];

    snprintf(body, sizeof body, "FOR r IN %s LOOP\nEND LOOP;", query);
    return &action_at(load_body("r record;", body), 0)->as.rows.query->as.select;
}

/* --- Files and tables --------------------------------------------------------------- */

static void every_program_that_comes_with_ordeal_loads(void)
{
    static const char *const names[] = {
        "bank",    "counters", "long_fork", "phantom",    "read_only_anomaly",
        "rubis",   "sales",    "seats",     "smallbank",  "tatp",
        "tpcc",    "twitter",  "voter",     "wikipedia",  "write_skew",
    };

    for (size_t i = 0; i < ROW_COUNT(names); i++) {
        char path[128];

        snprintf(path, sizeof path, "scenarios/programs/%s.sql", names[i]);
        program_close(&program);
        ASSERT_OK(program_load_file(&program, path, &err), &err);
        TEST_ASSERT_NOT_EQUAL(UINT32_MAX, program_find_function(&program, TEXT("load")));
    }
}

static void nothing_at_all_is_a_program_too(void)
{
    load("");
    TEST_ASSERT_EQUAL_UINT32(0, program.tree.schema.table_count);
    TEST_ASSERT_EQUAL_UINT32(UINT32_MAX, program_find_function(&program, TEXT("f")));
    load("-- a comment\n;;\n");
    TEST_ASSERT_EQUAL_UINT32(0, program.tree.function_count);
}

static void a_table_has_its_columns_with_their_types_and_defaults(void)
{
    const struct schema_table *table;

    load("CREATE TABLE \"A b\" (k int, \"X\" numeric(5,2) DEFAULT 1, t varchar(3) NOT NULL, "
         "PRIMARY KEY (t, k));");
    table = &program.tree.schema.tables[fixture_table(&program, TEXT("A b"))];
    TEST_ASSERT_EQUAL_UINT16(3, table->column_count);
    assert_text("X", table->columns[1].name);
    TEST_ASSERT_EQUAL(TYPE_NUMERIC, table->columns[1].type.kind);
    TEST_ASSERT_EQUAL_UINT8(5, table->columns[1].type.precision);
    TEST_ASSERT_EQUAL_MESSAGE(DATUM_NUMERIC, table->columns[1].default_value->as.constant.kind,
                              "the default is cast to the column's type");
    TEST_ASSERT_TRUE_MESSAGE(table->columns[0].not_null, "as the primary key is");
    TEST_ASSERT_FALSE(table->columns[1].not_null);
    TEST_ASSERT_EQUAL_UINT16(2, table->key.count);
    TEST_ASSERT_EQUAL_UINT16_MESSAGE(2, table->key.at[0], "in the order of the key");
}

static void constraints_get_the_names_that_postgresql_gives_them(void)
{
    const struct schema *schema = &program.tree.schema;

    load("CREATE TABLE a (x int PRIMARY KEY, y int UNIQUE, z int, UNIQUE (y, z), UNIQUE (y), "
         "UNIQUE (x));\n"
         "CREATE TABLE b (x int PRIMARY KEY REFERENCES a, y int REFERENCES a (y),\n"
         "                CONSTRAINT mine FOREIGN KEY (y, x) REFERENCES a (y, z));\n"
         "CREATE TABLE a_very_long_name_of_a_table_that_is_hardly_ever_seen (\n"
         "    x int PRIMARY KEY, and_a_very_long_name_of_a_column_for_it int UNIQUE);");
    assert_text("a_pkey", schema->tables[0].key_name);
    assert_text("a_y_key", schema->tables[0].uniques[0].name);
    assert_text("a_y_z_key", schema->tables[0].uniques[1].name);
    TEST_ASSERT_EQUAL_UINT16_MESSAGE(2, schema->tables[0].unique_count, "what is said twice");
    assert_text("b_x_fkey", schema->references[0].name);
    assert_text("b_y_fkey", schema->references[1].name);
    assert_text("mine", schema->references[2].name);
    assert_text("a_very_long_name_of_a_table_t_and_a_very_long_name_of_a_col_key",
                schema->tables[2].uniques[0].name);
}

static void a_foreign_key_means_the_other_table_s_key_or_something_unique_there(void)
{
    const struct schema_reference *references;

    load("CREATE TABLE a (x int, y int, z int UNIQUE, PRIMARY KEY (x, y));\n"
         "CREATE TABLE b (x int PRIMARY KEY, y int, z int REFERENCES a (z), up int REFERENCES b,\n"
         "                FOREIGN KEY (y, x) REFERENCES a);");
    references = program.tree.schema.references;
    TEST_ASSERT_EQUAL_UINT32(3, program.tree.schema.reference_count);
    TEST_ASSERT_EQUAL_UINT16(2, references[0].targets.at[0]);
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(1, references[1].to, "a table may refer to itself");
    TEST_ASSERT_EQUAL_UINT16(1, references[2].columns.at[0]);
    TEST_ASSERT_EQUAL_UINT16(0, references[2].targets.at[0]);
}

/* --- Expressions ------------------------------------------------------------------------ */

static void literals_get_the_type_of_what_they_stand_beside(void)
{
    const struct expression *value = value_of("", "p + '2'");

    TEST_ASSERT_EQUAL(EXPRESSION_APPLY, value->kind);
    TEST_ASSERT_EQUAL(OPERATOR_ADD_BIGINT, value->as.apply.code);
    TEST_ASSERT_EQUAL(EXPRESSION_CONSTANT, value->arguments[1]->kind);
    TEST_ASSERT_EQUAL_INT64(2, value->arguments[1]->as.constant.as.integer);
    refuse_body("", "p := p + 'two';", 5,
                "column 8: invalid input syntax for type bigint: \"two\"");
}

static void every_cast_is_an_expression_of_its_own(void)
{
    const struct expression *value = value_of("n numeric(5,2);", "n * p");

    TEST_ASSERT_EQUAL_MESSAGE(OPERATOR_NUMERIC_TO_BIGINT, value->as.apply.code,
                              "to the variable's type");
    TEST_ASSERT_EQUAL(OPERATOR_MULTIPLY_NUMERIC, value->arguments[0]->as.apply.code);
    TEST_ASSERT_EQUAL(OPERATOR_INTEGER_TO_NUMERIC,
                      value->arguments[0]->arguments[1]->as.apply.code);
}

static void between_is_two_comparisons_and_in_of_one_is_an_equality(void)
{
    const struct select *select = select_of("SELECT id FROM t WHERE id BETWEEN 1 AND p");

    TEST_ASSERT_EQUAL(EXPRESSION_AND, select->where->kind);
    TEST_ASSERT_EQUAL(OPERATOR_AT_LEAST_INTEGER, select->where->arguments[0]->as.apply.code);
    TEST_ASSERT_EQUAL(OPERATOR_AT_MOST_INTEGER, select->where->arguments[1]->as.apply.code);
    select = select_of("SELECT id FROM t WHERE id IN (p)");
    TEST_ASSERT_EQUAL(OPERATOR_EQUAL_INTEGER, select->where->as.apply.code);
    select = select_of("SELECT id FROM t WHERE id NOT IN (p, 2)");
    TEST_ASSERT_EQUAL(EXPRESSION_IN, select->where->kind);
    TEST_ASSERT_TRUE(select->where->as.in.negated);
}

static void a_case_always_has_its_else(void)
{
    const struct expression *value = value_of("", "CASE p WHEN 1 THEN 2 WHEN 3 THEN 4 END");

    TEST_ASSERT_EQUAL_MESSAGE(EXPRESSION_APPLY, value_of("", "CASE p WHEN 1 THEN 2.5 END")->kind,
                              "cast to bigint as a whole");
    value = value_of("", "CASE p WHEN 1 THEN p WHEN 3 THEN 4 END");
    TEST_ASSERT_EQUAL(EXPRESSION_CASE, value->kind);
    TEST_ASSERT_EQUAL_UINT32(5, value->argument_count);
    TEST_ASSERT_TRUE(datum_is_null(&value->arguments[4]->as.constant));
    TEST_ASSERT_EQUAL(TYPE_BIGINT, value->arguments[4]->type.kind);
}

static void a_heavy_expression_is_refused_before_it_is_written_out(void)
{
    char body[SQL_MAX] = "p := ";

    for (int i = 0; i < 40; i++)
        strcat(body, "CASE ");
    strcat(body, "1");
    for (int i = 0; i < 40; i++)
        strcat(body, " WHEN 1 THEN 1 WHEN 2 THEN 2 END");
    strcat(body, ";");
    refuse_body("", body, 5, "column 136: the expression is too large");
}

/* --- Names --------------------------------------------------------------------------------- */

static void a_name_that_is_a_column_and_a_variable_must_be_qualified(void)
{
    refuse_body("v int;", "SELECT id INTO p FROM t WHERE v = 1;", 5,
                "column 31: column reference \"v\" is ambiguous");
    load_body("v int;", "<<b>>\nDECLARE v int;\nBEGIN\n"
                        "SELECT id INTO p FROM t WHERE t.v = b.v AND id = f.p;\nEND;");
    load_body("v int;", "UPDATE t SET v = 1;\nINSERT INTO t (id, v) VALUES (1, v);");
}

static void the_innermost_variable_of_a_name_is_meant(void)
{
    const struct program_function *f = load_body("a text := 'x';", "DECLARE\n    a int := 1;\n"
                                                           "BEGIN\n    p := a;\nEND;\n"
                                                           "p := length(a);");
    const struct block *inner = &action_at(f, 0)->as.block;

    TEST_ASSERT_EQUAL(ACTION_BLOCK, action_at(f, 0)->kind);
    TEST_ASSERT_EQUAL_MESSAGE(ACTION_ASSIGN, inner->actions[0].kind,
                              "an inner variable gets its value whenever its block begins");
    TEST_ASSERT_EQUAL_UINT32(3, inner->actions[0].as.assign.slot);
    TEST_ASSERT_EQUAL_UINT32(3, inner->actions[1].as.block.actions[0].as.assign.value->as.slot);
    TEST_ASSERT_NULL(f->variables[3].initial);
    TEST_ASSERT_NOT_NULL(f->variables[2].initial);
    TEST_ASSERT_EQUAL(TYPE_TEXT, f->variables[2].type.kind);
}

static void found_stands_behind_the_parameters(void)
{
    const struct program_function *f = load_body("", "IF FOUND THEN\np := $1;\nEND IF;");

    TEST_ASSERT_EQUAL_UINT32(1, f->found);
    TEST_ASSERT_EQUAL_UINT32(1, action_at(f, 0)->as.choice.arms[0].condition->as.slot);
}

static void parameters_and_results_forget_their_lengths(void)
{
    load("CREATE FUNCTION f(p varchar(2)) RETURNS numeric(3,1) LANGUAGE plpgsql AS $$\n"
         "BEGIN RETURN 1; END $$;");
    TEST_ASSERT_EQUAL_UINT32(0, program.tree.functions[0].variables[0].type.length);
    TEST_ASSERT_EQUAL_UINT8(0, program.tree.functions[0].result.precision);
}

static void a_type_may_be_that_of_a_column_or_variable(void)
{
    const struct program_function *f = load_body("a t.s%TYPE; b a%TYPE;", "p := 1;");

    TEST_ASSERT_EQUAL_UINT32(5, f->variables[2].type.length);
    TEST_ASSERT_EQUAL(TYPE_VARCHAR, f->variables[3].type.kind);
}

/* --- Records -------------------------------------------------------------------------------- */

static void a_record_has_the_fields_of_the_query_it_was_last_given(void)
{
    const struct program_function *f = load_body("r record;", "FOR r IN SELECT id FROM t LOOP\n"
                                                      "p := r.id;\nEND LOOP;\n"
                                                      "p := r.id;\n"
                                                      "SELECT v, s INTO r FROM t;\n"
                                                      "p := r.v;");

    TEST_ASSERT_EQUAL_UINT32_MESSAGE(5, f->variable_count, "p, found, r.id, r.v, r.s");
    assert_text("r.s", f->variables[4].name);
    TEST_ASSERT_EQUAL_UINT32(2, action_at(f, 0)->as.rows.into->slots[0]);
    TEST_ASSERT_EQUAL_UINT32(3, action_at(f, 2)->as.query.into->slots[0]);
    refuse_body("r record;",
                "FOR r IN SELECT id FROM t LOOP\nEND LOOP;\nSELECT v INTO r FROM t;\np := r.id;", 8,
                "column 6: record \"r\" has no field \"id\"");
}

static void rows_of_the_same_kind_share_a_record_s_slots(void)
{
    const struct program_function *f = load_body("r record;", "IF p = 1 THEN\n"
                                                      "SELECT id, v INTO r FROM t;\nELSE\n"
                                                      "SELECT id, v INTO r FROM t WHERE v = 1;\n"
                                                      "END IF;\np := r.id;");

    TEST_ASSERT_EQUAL_UINT32(4, f->variable_count);
}

static void a_record_that_may_be_two_things_is_not_looked_into(void)
{
    static const char uncertain[] = "which fields record \"r\" has here is not certain";
    char text[128];

    snprintf(text, sizeof text, "column 6: %s", uncertain);
    refuse_body("r record;", "IF p = 1 THEN\nSELECT id INTO r FROM t;\nEND IF;\np := r.id;", 8,
                text);
    refuse_body("r record;",
                "SELECT id INTO r FROM t;\nWHILE p < 3 LOOP\np := r.id;\n"
                "SELECT v INTO r FROM t;\nEND LOOP;",
                7, text);
    refuse_body("r record;",
                "SELECT id INTO r FROM t;\n<<b>>\nBEGIN\nSELECT v INTO r FROM t;\nEND;\np := r.id;",
                10, text);
    load_body("r record;", "FOR r IN SELECT id FROM t LOOP\np := r.id;\nEND LOOP;\n"
                           "FOR r IN SELECT v FROM t LOOP\np := r.v;\nEND LOOP;");
}

/* --- Queries ----------------------------------------------------------------------------------- */

static void joins_are_products_with_all_conditions_in_where(void)
{
    const struct select *select = select_of("SELECT a.*, b.id AS other FROM t a JOIN t AS b ON "
                                            "a.id = b.v CROSS JOIN t c WHERE c.v = 1");

    TEST_ASSERT_EQUAL_UINT32(3, select->source_count);
    TEST_ASSERT_EQUAL(EXPRESSION_AND, select->where->kind);
    TEST_ASSERT_EQUAL_UINT32(4, select->output_count);
    assert_text("s", select->outputs[2].name);
    assert_text("other", select->outputs[3].name);
    TEST_ASSERT_EQUAL_UINT16(1, select->outputs[3].value->as.column.source);
}

static void a_join_s_condition_sees_only_its_own_tables(void)
{
    refuse_body("", "SELECT 1 INTO p FROM t a, t b JOIN t c ON a.id = c.id;", 5,
                "column 43: missing FROM-clause entry for table \"a\"");
}

static void order_by_means_outputs_first_and_group_by_columns_first(void)
{
    const struct select *select = select_of("SELECT -id AS v, v AS w FROM t ORDER BY v DESC, 2");

    TEST_ASSERT_EQUAL_PTR(select->outputs[0].value, select->order[0].by);
    TEST_ASSERT_TRUE_MESSAGE(select->order[0].nulls_first, "as DESC does by itself");
    TEST_ASSERT_EQUAL_PTR(select->outputs[1].value, select->order[1].by);
    select = select_of("SELECT v + 1 AS x, v AS id, count(*) FROM t GROUP BY v, x");
    TEST_ASSERT_EQUAL(EXPRESSION_COLUMN, select->group_by[0]->kind);
    TEST_ASSERT_EQUAL_PTR(select->outputs[0].value, select->group_by[1]);
    TEST_ASSERT_TRUE(select->aggregates);
}

static void what_is_grouped_may_go_on_being_computed_with(void)
{
    select_of("SELECT s || 'x', v * 2.5, sum(id) FROM t GROUP BY s, v ORDER BY max(id)");
    refuse_body("", "SELECT v + count(*) INTO p FROM t GROUP BY s;", 5,
                "column \"t.v\" must appear in the GROUP BY clause or be used in an aggregate "
                "function");
}

static const struct insert *insert_of(const char *statement)
{
    return &action_at(load_body("", statement), 0)->as.query.query->as.insert;
}

static void an_insert_has_a_value_for_every_column(void)
{
    const struct insert *insert = insert_of("INSERT INTO t (s, id) VALUES ('a', 1), (DEFAULT, 2);");

    TEST_ASSERT_EQUAL_UINT32(2, insert->row_count);
    TEST_ASSERT_EQUAL_INT64(1, insert->values[0]->as.constant.as.integer);
    TEST_ASSERT_TRUE(datum_is_null(&insert->values[1]->as.constant));
    TEST_ASSERT_EQUAL_INT64(2, insert->values[3]->as.constant.as.integer);
    TEST_ASSERT_TRUE(datum_is_null(&insert->values[5]->as.constant));
    insert = insert_of("INSERT INTO t DEFAULT VALUES;");
    TEST_ASSERT_EQUAL_UINT32(1, insert->row_count);
}

static void a_literal_too_long_for_its_column_waits_until_it_is_inserted(void)
{
    const struct insert *insert = insert_of("INSERT INTO t VALUES (1, 2, 'too long');");

    TEST_ASSERT_EQUAL(EXPRESSION_APPLY, insert->values[2]->kind);
}

static void on_conflict_finds_what_it_names(void)
{
    static const struct {
        const char *target;
        int32_t arbiter;
    } rows[] = {
        { "", -2 },
        { "(b, a)", -1 },
        { "(d)", 1 },
        { "(c, c, d)", 0 },
        { "ON CONSTRAINT u_pkey", -1 },
        { "ON CONSTRAINT u_d_key", 1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        char sql[SQL_MAX];

        snprintf(sql, sizeof sql,
                 "CREATE TABLE u (a int, b int, c int, d int, PRIMARY KEY (a, b), UNIQUE (d, c), "
                 "UNIQUE (d));\n"
                 "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n"
                 "INSERT INTO u VALUES (1, 2) ON CONFLICT %s DO NOTHING;\nEND;\n$$;",
                 rows[i].target);
        load(sql);
        TEST_ASSERT_EQUAL_INT32_MESSAGE(
            rows[i].arbiter,
            program.tree.functions[0].body.actions[0].as.query.query->as.insert.arbiter,
            rows[i].target);
    }
}

static void on_conflict_update_sees_the_row_proposed_as_excluded(void)
{
    const struct insert *insert =
        insert_of("INSERT INTO t AS x VALUES (1, 2) ON CONFLICT (id) DO UPDATE "
                  "SET v = excluded.v + x.v WHERE x.v > 1;");
    const struct expression *value = insert->assignments[0].value;

    TEST_ASSERT_EQUAL_UINT16(1, value->arguments[0]->as.column.source);
    TEST_ASSERT_EQUAL_UINT16(0, value->arguments[1]->as.column.source);
    TEST_ASSERT_NOT_NULL(insert->conflict_where);
}

/* --- Statements ---------------------------------------------------------------------------------- */

static void exit_and_continue_say_how_far_out_their_loop_is(void)
{
    const struct program_function *f = load_body("", "<<a>>\nLOOP\nLOOP\nBEGIN\nEXIT a WHEN p = 1;\nEND;\n"
                                             "CONTINUE;\nEND LOOP;\nEND LOOP;");
    const struct block *inner = &action_at(f, 0)->as.loop.body.actions[0].as.loop.body;

    TEST_ASSERT_EQUAL(ACTION_EXIT, inner->actions[0].as.block.actions[0].kind);
    TEST_ASSERT_EQUAL_UINT32(1, inner->actions[0].as.block.actions[0].as.leave.depth);
    TEST_ASSERT_EQUAL(ACTION_CONTINUE, inner->actions[1].kind);
    TEST_ASSERT_EQUAL_UINT32(0, inner->actions[1].as.leave.depth);
}

static void a_case_without_else_raises_what_postgresql_raises(void)
{
    const struct program_function *f = load_body("", "CASE p\nWHEN 1, 2 THEN\np := 3;\nEND CASE;");
    const struct block *block = &action_at(f, 0)->as.block;
    const struct action *choice = &block->actions[1];

    TEST_ASSERT_EQUAL_MESSAGE(ACTION_ASSIGN, block->actions[0].kind, "it is computed once");
    TEST_ASSERT_EQUAL_UINT32(2, choice->as.choice.count);
    TEST_ASSERT_EQUAL(EXPRESSION_IN, choice->as.choice.arms[0].condition->kind);
    TEST_ASSERT_EQUAL(ACTION_RAISE, choice->as.choice.arms[1].body.actions[0].kind);
    TEST_ASSERT_EQUAL_STRING("20000", choice->as.choice.arms[1].body.actions[0].as.raise.sqlstate);
}

static void raise_takes_its_message_and_code_from_where_they_stand(void)
{
    static const struct {
        const char *statement, *sqlstate, *format;
        uint32_t arguments;
    } rows[] = {
        { "RAISE EXCEPTION 'a % b %%', p;", "P0001", "a % b %%", 1 },
        { "RAISE EXCEPTION 'a' USING ERRCODE = '22012';", "22012", "a", 0 },
        { "RAISE EXCEPTION USING ERRCODE = 'unique_violation';", "23505", "unique_violation", 0 },
        { "RAISE EXCEPTION USING ERRCODE = 'AB123', MESSAGE = 'x' || p;", "AB123", "%", 1 },
        { "RAISE division_by_zero;", "22012", "division_by_zero", 0 },
        { "RAISE SQLSTATE 'ZZ999';", "ZZ999", "ZZ999", 0 },
        { "RAISE division_by_zero USING MESSAGE = 'no';", "22012", "%", 1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        const struct action *raise = action_at(load_body("", rows[i].statement), 0);

        TEST_ASSERT_EQUAL_MESSAGE(ACTION_RAISE, raise->kind, rows[i].statement);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].sqlstate, raise->as.raise.sqlstate,
                                         rows[i].statement);
        assert_text(rows[i].format, raise->as.raise.format);
        TEST_ASSERT_EQUAL_UINT32(rows[i].arguments, raise->as.raise.argument_count);
    }
}

static void a_function_may_call_what_comes_later_and_itself(void)
{
    load("CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$\n"
         "BEGIN\n    PERFORM g();\n    RETURN f(p - 1) + f(p::smallint);\nEND;\n$$;\n"
         "CREATE FUNCTION g() RETURNS void LANGUAGE plpgsql AS 'BEGIN END';");
    TEST_ASSERT_EQUAL(EXPRESSION_CALL,
                      program.tree.functions[0].body.actions[1].as.value->arguments[0]->kind);
    TEST_ASSERT_EQUAL_UINT32(7, program.tree.functions[1].line);
}

/* --- Places ---------------------------------------------------------------------------------------- */

static void errors_in_bodies_have_the_file_s_line_and_column(void)
{
    refuse("CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN x; END $$;", 1,
           "column 69: column \"x\" does not exist");
    refuse("\n\nCREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $body$\nBEGIN\n    RETURN\n"
           "        1 +\n        x;\nEND\n$body$;",
           7, "column 9: column \"x\" does not exist");
    refuse(
        "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS '\nBEGIN\n  RETURN \xc3\xa4;\nEND';",
        3, "column 10: column \"\xc3\xa4\" does not exist");
    refuse_body("", "SELECT id\nINTO p\nFROM t\nWHERE nothing = 1;", 8,
                "column 7: column \"nothing\" does not exist");
    refuse_body("", "IF p = 1 THEN p := 1; ELSIF p = 2 THEN p := zz; END IF;", 5,
                "column 45: column \"zz\" does not exist");
    TEST_ASSERT_EQUAL_UINT64(186, err.offset);
}

static void a_text_that_is_no_text_is_refused(void)
{
    static const char zero[] = "CREATE TABLE t (id int PRIMARY KEY);\0 x";
    struct program refused;

    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                      program_load(&refused, (struct text){ zero, sizeof zero - 1 }, &err));
    TEST_ASSERT_EQUAL_STRING("the text has a zero byte in it", err.text);
    refuse("CREATE TABLE \xff (id int);", 1, "the text is not UTF-8");
}

/* --- Limits ------------------------------------------------------------------------------------------ */

/* Many times the same, between two other things. */
static char *repeat(const char *before, const char *unit, size_t times, const char *behind)
{
    size_t length = strlen(before) + times * strlen(unit) + strlen(behind) + 1;
    char *text = malloc(length), *at = text;

    TEST_ASSERT_NOT_NULL(text);
    at += sprintf(at, "%s", before);
    for (size_t i = 0; i < times; i++)
        at += sprintf(at, "%s", unit);
    sprintf(at, "%s", behind);
    return text;
}

static void no_depth_of_nesting_overflows_the_stack(void)
{
    static const char begin[] = "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN ";
    static const struct {
        const char *before, *unit, *behind;
    } rows[] = {
        { "RETURN 1", "+1", "; END $$;" },
        { "RETURN 1", "::int", "; END $$;" },
        { "RETURN ", "(", "; END $$;" },
        { "RETURN ", "NOT ", "true; END $$;" },
        { "RETURN ", "- ", "1; END $$;" },
        { "RETURN ", "abs(", "1; END $$;" },
        { "RETURN ", "CASE WHEN true THEN ", "1; END $$;" },
        { "PERFORM 1", " UNION SELECT 1", "; END $$;" },
        { "PERFORM 1 FROM t", " CROSS JOIN t", "; END $$;" },
        { "", "IF true THEN ", "END $$;" },
        { "", "BEGIN ", "END $$;" },
        { "", "LOOP ", "END $$;" },
    };
    static const size_t times[] = { 100, 1000, 4900, 30000 };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (size_t k = 0; k < ROW_COUNT(times); k++) {
            char *sql, *before = repeat(begin, rows[i].before, 1, "");
            struct program refused;

            sql = repeat(before, rows[i].unit, times[k], rows[i].behind);
            err = (struct error){ 0 };
            if (program_load(&refused, text_of(sql), &err) == STATUS_OK)
                program_close(&refused);
            else
                TEST_ASSERT_NOT_EQUAL('\0', err.text[0]);
            free(sql);
            free(before);
        }
}

static void a_chain_of_a_few_hundred_loads(void)
{
    char *sql = repeat("CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1",
                       " + 1", 300, "; END $$;");

    load(sql);
    free(sql);
}

static void more_than_can_be_looked_through_is_refused(void)
{
    char *sql = repeat("CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n", "NULL; ",
                       30000, "END $$;");
    struct buffer tables = { 0 };

    refuse(sql, 1, "column 56: a body of more than 50000 words is not supported");
    free(sql);
    for (int i = 0; i <= 1000; i++)
        buffer_print(&tables, "CREATE TABLE t%d (id int PRIMARY KEY);\n", i);
    buffer_byte(&tables, '\0');
    refuse(tables.at, 1001, "column 1: more than 1000 tables are not supported");
    buffer_close(&tables);
}

static void more_than_a_megabyte_is_refused(void)
{
    char *sql = repeat("", " ", ((size_t)1 << 20) + 1, "");
    struct program refused;

    TEST_ASSERT_EQUAL(STATUS_OVER_LIMIT, program_load(&refused, text_of(sql), &err));
    free(sql);
}

/* --- Calls as text, and access ------------------------------------------------------------------------- */

static void a_call_has_its_arguments_cast_to_the_parameters(void)
{
    struct datum arguments[ARGUMENTS_MAX];
    uint32_t function;

    load("CREATE FUNCTION other() RETURNS void LANGUAGE plpgsql AS 'BEGIN END';\n"
         "CREATE FUNCTION f(a bigint, b numeric, c text, d bigint[], e timestamp, g boolean)\n"
         "RETURNS void LANGUAGE plpgsql AS 'BEGIN END';");
    ASSERT_OK(program_parse_call(&program,
                                 TEXT("f(-1, 2 + 3, NULL, ARRAY[4, 5], '1970-01-01 00:00:01', " "abs(-1) = 1)"),
                                 &heap, &function, (struct program_arguments){ arguments, ARGUMENTS_MAX },
                                 &err),
              &err);
    TEST_ASSERT_EQUAL_UINT32(1, function);
    TEST_ASSERT_EQUAL_INT64(-1, arguments[0].as.integer);
    TEST_ASSERT_EQUAL(DATUM_NUMERIC, arguments[1].kind);
    TEST_ASSERT_TRUE(datum_is_null(&arguments[2]));
    TEST_ASSERT_EQUAL_UINT32(2, arguments[3].length);
    TEST_ASSERT_EQUAL_INT64(1000000000, arguments[4].as.integer);
    TEST_ASSERT_TRUE(datum_is_true(&arguments[5]));
}

static void a_call_that_is_none_is_refused(void)
{
    static const struct {
        const char *call, *text;
    } rows[] = {
        { "g(1)", "call g(1): function g(integer) does not exist" },
        { "f('x')", "call f('x'): invalid input syntax for type bigint: \"x\"" },
        { "f(true)", "call f(true): function f(boolean) does not exist" },
        { "f(1/0)", "call f(1/0): division by zero" },
        { "f(f(1))", "call f(f(1)): arguments of a call are literals and plain operators on them" },
        { "1", "call 1: a call is expected: function(arguments)" },
        { "abs(1)", "call abs(1): a call of a function of the program is expected" },
        { "f(1) FROM t", "call f(1) FROM t: FROM in an expression is not supported" },
        { "f(1); SELECT f(2)", "call f(1); SELECT f(2): one statement is expected here" },
        { "f(x)", "call f(x): column \"x\" does not exist" },
        { "", "call : a call is expected: function(arguments)" },
    };

    load_body("", "p := 1;");
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct datum arguments[ARGUMENTS_MAX];
        uint32_t function;

        TEST_ASSERT_NOT_EQUAL(STATUS_OK,
                              program_parse_call(&program, text_of(rows[i].call), &heap, &function,
                                                 (struct program_arguments){ arguments, ARGUMENTS_MAX }, &err));
        TEST_ASSERT_EQUAL_STRING(rows[i].text, err.text);
    }
}

static void a_function_accesses_what_it_calls_and_what_constraints_look_at(void)
{
    const struct access *accesses, *f, *g;

    load("CREATE TABLE a (id int PRIMARY KEY, x int);\n"
         "CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a);\n"
         "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\n"
         "BEGIN\n    PERFORM g(1);\n    DELETE FROM a WHERE x = 1;\nEND;\n$$;\n"
         "CREATE FUNCTION g(p int) RETURNS void LANGUAGE plpgsql AS $$\n"
         "BEGIN\n    IF p < 1 THEN PERFORM f(); END IF;\n    UPDATE b SET a = p;\nEND;\n$$;");
    ASSERT_OK(access_find(&program.tree, fixture_arena(), &accesses, &err), &err);
    f = &accesses[0];
    g = &accesses[2];
    TEST_ASSERT_TRUE(f[0].deletes && f[0].reads && !f[0].updates);
    TEST_ASSERT_TRUE_MESSAGE(f[0].columns_read[1], "in its WHERE");
    TEST_ASSERT_TRUE_MESSAGE(f[0].columns_read[0], "b may refer to it");
    TEST_ASSERT_TRUE_MESSAGE(f[1].updates && f[1].columns_written[1], "what it calls does");
    TEST_ASSERT_FALSE(f[1].columns_written[0]);
    TEST_ASSERT_TRUE_MESSAGE(g[0].deletes, "through a call in a circle");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_program_that_comes_with_ordeal_loads);
    RUN_TEST(nothing_at_all_is_a_program_too);
    RUN_TEST(a_table_has_its_columns_with_their_types_and_defaults);
    RUN_TEST(constraints_get_the_names_that_postgresql_gives_them);
    RUN_TEST(a_foreign_key_means_the_other_table_s_key_or_something_unique_there);
    RUN_TEST(literals_get_the_type_of_what_they_stand_beside);
    RUN_TEST(every_cast_is_an_expression_of_its_own);
    RUN_TEST(between_is_two_comparisons_and_in_of_one_is_an_equality);
    RUN_TEST(a_case_always_has_its_else);
    RUN_TEST(a_heavy_expression_is_refused_before_it_is_written_out);
    RUN_TEST(a_name_that_is_a_column_and_a_variable_must_be_qualified);
    RUN_TEST(the_innermost_variable_of_a_name_is_meant);
    RUN_TEST(found_stands_behind_the_parameters);
    RUN_TEST(parameters_and_results_forget_their_lengths);
    RUN_TEST(a_type_may_be_that_of_a_column_or_variable);
    RUN_TEST(a_record_has_the_fields_of_the_query_it_was_last_given);
    RUN_TEST(rows_of_the_same_kind_share_a_record_s_slots);
    RUN_TEST(a_record_that_may_be_two_things_is_not_looked_into);
    RUN_TEST(joins_are_products_with_all_conditions_in_where);
    RUN_TEST(a_join_s_condition_sees_only_its_own_tables);
    RUN_TEST(order_by_means_outputs_first_and_group_by_columns_first);
    RUN_TEST(what_is_grouped_may_go_on_being_computed_with);
    RUN_TEST(an_insert_has_a_value_for_every_column);
    RUN_TEST(a_literal_too_long_for_its_column_waits_until_it_is_inserted);
    RUN_TEST(on_conflict_finds_what_it_names);
    RUN_TEST(on_conflict_update_sees_the_row_proposed_as_excluded);
    RUN_TEST(exit_and_continue_say_how_far_out_their_loop_is);
    RUN_TEST(a_case_without_else_raises_what_postgresql_raises);
    RUN_TEST(raise_takes_its_message_and_code_from_where_they_stand);
    RUN_TEST(a_function_may_call_what_comes_later_and_itself);
    RUN_TEST(errors_in_bodies_have_the_file_s_line_and_column);
    RUN_TEST(a_text_that_is_no_text_is_refused);
    RUN_TEST(no_depth_of_nesting_overflows_the_stack);
    RUN_TEST(a_chain_of_a_few_hundred_loads);
    RUN_TEST(more_than_can_be_looked_through_is_refused);
    RUN_TEST(more_than_a_megabyte_is_refused);
    RUN_TEST(a_call_has_its_arguments_cast_to_the_parameters);
    RUN_TEST(a_call_that_is_none_is_refused);
    RUN_TEST(a_function_accesses_what_it_calls_and_what_constraints_look_at);
    return UNITY_END();
}
