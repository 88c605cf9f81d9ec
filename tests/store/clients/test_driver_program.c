#include "store/clients/driver_program_final.h"

#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/store/clients/driven_store.h"
#include "unity.h"

#define PROGRAMS "scenarios/programs/"
#define CALLS_MAX 8
#define ARGUMENTS_MAX 10

/* Procedure, weight, arguments: as a scenario has them. */
struct call_row {
    const char *procedure;
    uint32_t weight;
    const char *arguments[ARGUMENTS_MAX];
};

struct program_row {
    const char *file, *load;
    struct call_row calls[CALLS_MAX];
};

static const struct program_row rows[] = {
    { PROGRAMS "bank.sql", "load(1)",
      { { "deposit", 20, { "uniform(1, 10)", "uniform(1, 100)" } },
        { "withdraw", 15, { "uniform(1, 10)", "uniform(1, 100)" } },
        { "transfer", 40, { "uniform(1, 10)", "uniform(1, 10)", "uniform(1, 100)" } },
        { "withdraw_overdraft", 10, { "uniform(1, 10)", "uniform(1, 150)" } },
        { "balance", 15, { "uniform(1, 10)" } } } },
    { PROGRAMS "smallbank.sql", "load(1)",
      { { "amalgamate", 15, { "uniform(1, 20)", "uniform(1, 20)" } },
        { "balance", 15, { "'customer' || uniform(1, 20)" } },
        { "deposit_checking", 15, { "fresh", "'customer' || uniform(1, 20)", "1.30" } },
        { "send_payment", 25, { "uniform(1, 20)", "uniform(1, 20)", "5.00" } },
        { "transact_savings", 15,
          { "fresh", "'customer' || uniform(1, 20)", "choose(20.20, -20.20)" } },
        { "write_check", 15, { "fresh", "'customer' || uniform(1, 20)", "5.00" } } } },
    { PROGRAMS "tpcc.sql", "load(1)",
      { { "new_order", 45,
          { "uniform(1, 1)", "uniform(1, 2)", "nurand(1023, 1, 10)", "uniform(5, 15)",
            "array(15, choose(999: nurand(8191, 1, 20), 1: 0))",
            "array(15, choose(99: 0, 1: uniform(1, 1)))", "array(15, uniform(1, 10))", "now" } },
        { "payment", 43,
          { "fresh", "uniform(1, 1)", "uniform(1, 2)", "choose(85: 0, 15: uniform(1, 1))",
            "uniform(1, 2)", "choose(60: true, 40: false)", "nurand(1023, 1, 10)",
            "nurand(255, 0, 10 / 2 - 1)", "uniform(1, 5000)", "now" } } } },
    { PROGRAMS "phantom.sql", "load(1)",
      { { "book", 30, { "fresh", "zipf(1, 3)", "uniform(0, 22)", "uniform(1, 3)" } },
        { "move_booking", 20, { "zipf(1, 3)", "uniform(0, 23)", "uniform(0, 22)" } },
        { "cancel", 30, { "zipf(1, 3, 0.5)", "uniform(0, 23)" } },
        { "look_twice", 20, { "zipf(1, 3)", "uniform(0, 12)", "uniform(12, 24)" } } } },
    { PROGRAMS "seats.sql", "load(1)",
      { { "find_flights", 10,
          { "uniform(1, 5)", "uniform(1, 5)", "timestamp '2000-01-01 00:00:00'",
            "timestamp '2000-01-03 00:00:00'", "choose(0, 500, 1000)" } },
        { "find_open_seats", 35, { "uniform(1, 10)" } },
        { "new_reservation", 20,
          { "fresh", "uniform(1, 30)", "uniform(1, 10)", "uniform(0, 19)", "uniform(100, 1000)",
            "array(8, uniform(1, 100000))" } },
        { "delete_reservation", 10,
          { "uniform(1, 10)", "choose(60: 'id', 20: 'name', 20: 'flyer')", "uniform(1, 30)" } },
        { "update_customer", 10,
          { "choose('id', 'name')", "uniform(1, 30)", "choose(true, false)",
            "uniform(1, 100000)", "uniform(1, 100000)" } },
        { "update_reservation", 15,
          { "uniform(1, 10)", "uniform(1, 30)", "uniform(0, 19)", "uniform(0, 3)",
            "uniform(1, 100000)" } } } },
    { PROGRAMS "tatp.sql", "load(1)",
      { { "get_subscriber_data", 35, { "uniform(1, 20)" } },
        { "get_new_destination", 10,
          { "uniform(1, 20)", "uniform(1, 4)", "choose(0, 8, 16)", "uniform(1, 24)" } },
        { "update_location", 14,
          { "lpad(uniform(1, 20)::text, 15, '0')", "uniform(1, 2147483647)" } },
        { "insert_call_forwarding", 12,
          { "lpad(uniform(1, 20)::text, 15, '0')", "uniform(1, 4)", "choose(0, 8, 16)",
            "uniform(1, 24)", "lpad(uniform(1, 20)::text, 15, '0')" } },
        { "delete_call_forwarding", 12,
          { "lpad(uniform(1, 20)::text, 15, '0')", "uniform(1, 4)", "choose(0, 8, 16)" } } } },
    { PROGRAMS "voter.sql", "load(1)",
      { { "vote", 1,
          { "fresh", "uniform(200, 200 + 10) * 10000000 + uniform(1, 10)", "uniform(0, 6)",
            "now" } } } },
    { PROGRAMS "wikipedia.sql", "load(1)",
      { { "add_watch_list", 10,
          { "uniform(0, 10)", "uniform(0, 1)", "'Page ' || zipf(1, 10)", "now" } },
        { "remove_watch_list", 10,
          { "uniform(0, 10)", "uniform(0, 1)", "'Page ' || zipf(1, 10)", "now" } },
        { "update_page", 30,
          { "fresh", "uniform(0, 10)", "'10.0.0.' || uniform(1, 9)", "uniform(0, 1)",
            "'Page ' || zipf(1, 10)", "'a new text'", "text(8)", "now" } },
        { "get_page_anonymous", 30,
          { "'10.0.0.' || uniform(1, 9)", "uniform(0, 1)", "'Page ' || zipf(1, 10)" } } } },
    { PROGRAMS "rubis.sql", "load(1)",
      { { "register_user", 10,
          { "fresh", "'region ' || uniform(0, 5)", "'nick ' || fresh" } },
        { "store_buy_now", 15,
          { "fresh", "uniform(1, 40)", "uniform(1, 20)", "uniform(1, 3)" } },
        { "store_comment", 20,
          { "fresh", "uniform(1, 40)", "uniform(1, 20)", "zipf(1, 20)", "uniform(0, 5)",
            "'fine'" } },
        { "random_browse", 40, { "array(5, uniform(1, 40))", "array(3, zipf(1, 20))" } } } },
    { PROGRAMS "write_skew.sql", "load(1)",
      { { "withdraw", 25, { "zipf(1, 5)", "uniform(0, 1)", "uniform(1, 100)" } },
        { "pay_in", 25, { "zipf(1, 5)", "uniform(0, 1)", "uniform(1, 100)" } },
        { "go_off_call", 25, { "zipf(1, 3)", "uniform(1, 4)" } },
        { "go_on_call", 25, { "zipf(1, 3)", "uniform(1, 4)" } } } },
};

static struct arena arena;
static struct error err;
static struct program program;
static struct driver_program *driver;
static struct driven_store store;
static struct history history;
static struct random_key key;

void setUp(void)
{
    ASSERT_OK(arena_init(&arena, (size_t)512 << 20, &err), &err);
    key = random_key_of_seed(11);
    history = (struct history){ 0 };
}

void tearDown(void)
{
    arena_close(&arena);
}

/* The calls live as long as the arena. */
static enum status open_driver(const struct program_row *row, uint32_t clients)
{
    struct program_call *calls = arena_push(&arena, CALLS_MAX, sizeof *calls);
    struct driver_program_options options = { .program = &program, .calls = calls,
                                              .load = text_of(row->load), .clients = clients,
                                              .attempts = 16, .key = &key };

    for (; options.call_count < CALLS_MAX && row->calls[options.call_count].procedure;
         options.call_count++) {
        const struct call_row *given = &row->calls[options.call_count];
        struct program_call *call = &calls[options.call_count];
        struct text *arguments = arena_push(&arena, ARGUMENTS_MAX, sizeof *arguments);

        call->procedure = text_of(given->procedure);
        call->weight = given->weight;
        call->arguments = arguments;
        for (; call->argument_count < ARGUMENTS_MAX && given->arguments[call->argument_count];
             call->argument_count++)
            arguments[call->argument_count] =
                text_of(given->arguments[call->argument_count]);
    }
    return driver_program_open(&driver, &options, &arena, &err);
}

static void open_workload(const struct program_row *row, uint32_t clients)
{
    ASSERT_OK(open_driver(row, clients), &err);
    driven_open(&store, driver_program_schema(driver), driver_program_shapes(driver), row->file,
                false);
    ASSERT_OK(driver_program_load(driver, &store.catalog, driven_add_row, &store, &err), &err);
}

static void open_file(const struct program_row *row, uint32_t clients)
{
    ASSERT_OK(program_load_file(&program, row->file, &err), &err);
    open_workload(row, clients);
}

static void close_workload(void)
{
    driver_program_close(driver);
    driven_close(&store);
    program_close(&program);
}

static void assert_invariants(const char *label)
{
    struct buffer said = { 0 };
    char message[256];
    bool holds;

    for (uint32_t table = 0; table < program.tree.schema.table_count; table++) {
        driver_program_begin_final(driver, table);
        driven_rows(&store, table, driver_program_final_row, driver);
    }
    ASSERT_OK(driver_program_check(driver, &holds, &said, &err), &err);
    snprintf(message, sizeof message, "%s: %.*s", label, (int)said.count,
             said.count ? said.at : "");
    buffer_close(&said);
    TEST_ASSERT_TRUE_MESSAGE(holds, message);
}

static void programs_keep_their_invariants_and_make_whole_histories(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct driven_options options = { .clients = 6, .transactions = 60, .attempts = 16,
                                          .interleaves = true, .seed = i, .unknown_every = 40,
                                          .silent_every = 900 };

        open_file(&rows[i], 6);
        driven_run(&store, driver_program_driver(driver), &options);
        TEST_ASSERT_FALSE(driver_program_is_short(driver));
        TEST_ASSERT_TRUE_MESSAGE(store.committed > 60, rows[i].file);
        TEST_ASSERT_TRUE_MESSAGE(store.own_aborts < store.committed, rows[i].file);
        driven_history(&store, &history);
        assert_invariants(rows[i].file);
        history_close(&history);
        close_workload();
    }
}

/* --- Small programs, for the oracle ----------------------------------------------------------- */

static const char small_sql[] =
    "CREATE TABLE t (a bigint, b text, v bigint, n numeric(6,2), PRIMARY KEY (a, b));"
    "CREATE FUNCTION load(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  FOR i IN 1..p LOOP INSERT INTO t VALUES (i, 'x/' || i, 10 * i, 1.5); END LOOP; END $$;"
    "CREATE FUNCTION move(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  UPDATE t SET a = a + 10 WHERE v = p; END $$;"
    "CREATE FUNCTION raise_all(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  UPDATE t SET v = v + 1 WHERE v <= p; END $$;"
    "CREATE FUNCTION one(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  UPDATE t SET v = v + 100 WHERE a = p AND b = 'x/' || p; END $$;"
    "CREATE FUNCTION put(p bigint, f bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  INSERT INTO t VALUES (p, 'x/' || p, f, 2.25) ON CONFLICT (a, b) DO UPDATE SET v = f; END $$;"
    "CREATE FUNCTION clear(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  DELETE FROM t WHERE v > p; END $$;"
    "CREATE FUNCTION look(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE s bigint; BEGIN"
    "  SELECT sum(v) INTO s FROM t WHERE v >= p; RETURN s; END $$;"
    "CREATE FUNCTION fail(p bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
    "  UPDATE t SET v = p WHERE v > 0; INSERT INTO t VALUES (1, 'x/1', 1, 1);"
    "  RAISE EXCEPTION 'never'; END $$;";

static void load_small(void)
{
    ASSERT_OK(program_load(&program, text_of(small_sql), &err), &err);
}

static const struct program_row small = {
    NULL, "load(3)",
    { { "move", 1, { "10 * uniform(1, 3)" } },
      { "raise_all", 2, { "uniform(5, 25)" } },
      { "one", 2, { "uniform(1, 4)" } },
      { "put", 2, { "uniform(1, 4)", "fresh" } },
      { "clear", 1, { "uniform(20, 200)" } },
      { "look", 2, { "uniform(0, 20)" } },
      { "fail", 1, { "5" } } } };

static const char *decide(enum level level, bool use_certificate)
{
    struct oracle_options options = { .use_certificate = use_certificate };

    return oracle_answer_name(oracle_decide(&history, level, options));
}

static void the_oracle_accepts_every_kind_of_statement(void)
{
    size_t kinds[OP_KIND_COUNT] = { 0 };

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct driven_options options = { .clients = 3, .transactions = 4, .attempts = 16,
                                          .interleaves = true, .seed = seed };

        load_small();
        key = random_key_of_seed(seed);
        open_workload(&small, 3);
        driven_run(&store, driver_program_driver(driver), &options);
        driven_history(&store, &history);
        TEST_ASSERT_EQUAL_STRING("holds", decide(LEVEL_STRICT_SERIALIZABLE, true));
        TEST_ASSERT_NOT_EQUAL(0, strcmp("violated", decide(LEVEL_STRICT_SERIALIZABLE, false)));
        for (size_t op = 0; op < history.op_count; op++)
            kinds[history.op_kind[op]]++;
        history_close(&history);
        close_workload();
    }
    for (enum op_kind kind = 0; kind < OP_KIND_COUNT; kind++)
        TEST_ASSERT_EQUAL_MESSAGE(kind != OP_APPEND, kinds[kind] > 0, "a kind of operation");
}

static void a_call_that_fails_aborts_itself_and_leaves_nothing(void)
{
    static const struct program_row failing = { NULL, "load(3)", { { "fail", 1, { "5" } } } };
    struct driven_options options = { .clients = 2, .transactions = 5, .attempts = 16 };

    load_small();
    open_workload(&failing, 2);
    driven_run(&store, driver_program_driver(driver), &options);
    TEST_ASSERT_EQUAL(10, store.own_aborts);
    TEST_ASSERT_EQUAL(0, store.committed);
    driven_history(&store, &history);
    for (size_t t = 0; t < history.txn_count; t++)
        TEST_ASSERT_EQUAL(TXN_ABORT, history.txn_status[t]);
    history_close(&history);
    close_workload();
}

static void what_a_scenario_asks_for_must_fit_the_program(void)
{
    static const struct {
        struct program_row row;
        const char *why;
    } wrong[] = {
        { { NULL, "", { { "no_such", 1, { "1" } } } }, "the program has no procedure 'no_such'" },
        { { NULL, "", { { "move", 1, { "1", "2" } } } }, "move takes 1 argument, not 2" },
        { { NULL, "", { { "move", 0, { "1" } } } }, "the weight of move must be at least 1" },
        { { NULL, "", { { "move", 1, { "uniform(1)" } } } },
          "move: argument 'uniform(1)', byte 10: expected ','" },
        { { NULL, "", { { "move", 1, { "uniform(5, 1)" } } } },
          "move: argument 'uniform(5, 1)', byte 13: must be from 5 to 9223372036854775807" },
        { { NULL, "", { { "move", 1, { "uniform(1, uniform(1, 2))" } } } },
          "move: argument 'uniform(1, uniform(1, 2))', byte 25: expected an integer before this "
          "that is always the same" },
        { { NULL, "", { { "move", 1, { "unifrom(1, 2)" } } } },
          "move: argument 'unifrom(1, 2)': there is no function 'unifrom'" },
        { { NULL, "", { { "move", 1, { "1 2" } } } },
          "move: argument '1 2', byte 3: expected an operator or the end" },
        { { NULL, "", { { "move", 1, { "'abc" } } } },
          "move: argument ''abc', byte 5: expected a quote that ends the text" },
        { { NULL, "", { { "move", 1, { "true" } } } },
          "move: argument 'true': cannot cast type boolean to bigint" },
        { { NULL, "", { { "move", 1, { "choose(0: 1, 2)" } } } },
          "move: argument 'choose(0: 1, 2)', byte 9: expected a weight from 1 to 2147483647 "
          "before this" },
        { { NULL, "", { { "move", 1, { "((1)" } } } },
          "move: argument '((1)', byte 5: expected ')'" },
        { { NULL, "", { { "move", 1, { "array(3, 1)" } } } },
          "move: argument 'array(3, 1)': cannot cast type bigint[] to bigint" },
        { { .load = "" }, "a program needs a call to be made" },
    };

    for (size_t i = 0; i < ROW_COUNT(wrong); i++) {
        load_small();
        err = (struct error){ 0 };
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, open_driver(&wrong[i].row, 1));
        TEST_ASSERT_EQUAL_STRING(wrong[i].why, err.text);
        driver_program_close(driver);
        program_close(&program);
    }
}

static void a_load_that_fails_says_where(void)
{
    struct program_row row = { NULL, "fail(1)", { { "move", 1, { "1" } } } };

    load_small();
    ASSERT_OK(open_driver(&row, 1), &err);
    driven_open(&store, driver_program_schema(driver), driver_program_shapes(driver), "x", false);
    TEST_ASSERT_EQUAL(STATUS_BAD_INPUT, driver_program_load(driver, &store.catalog,
                                                            driven_add_row, &store, &err));
    TEST_ASSERT_EQUAL_STRING("fail(1) failed in line 1: never", err.text);
    close_workload();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(programs_keep_their_invariants_and_make_whole_histories);
    RUN_TEST(the_oracle_accepts_every_kind_of_statement);
    RUN_TEST(a_call_that_fails_aborts_itself_and_leaves_nothing);
    RUN_TEST(what_a_scenario_asks_for_must_fit_the_program);
    RUN_TEST(a_load_that_fails_says_where);
    return UNITY_END();
}
