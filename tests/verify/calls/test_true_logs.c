/* Logs that have an execution, of which it was once proved that they have none; and the other way round. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "history/call_log.h"
#include "tests/fixture.h"
#include "unity.h"
#include "verify/verify.h"

void setUp(void) {}
void tearDown(void) {}

static const char program[] =
    "CREATE SEQUENCE a;\n"
    "CREATE SEQUENCE b MAXVALUE 9223372036854773807;\n" /* whose middle is 1000 below that of a */
    "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE TABLE u (id bigint PRIMARY KEY, v bigint NOT NULL);\n"
    "CREATE TABLE n (id bigint PRIMARY KEY, v numeric(10,2) NOT NULL);\n"
    "CREATE TABLE w (id bigint PRIMARY KEY, v bigint);\n"
    "CREATE FUNCTION read_u() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    RETURN (SELECT v FROM u WHERE id = 1);\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION t_behind_a_call() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    RETURN 10 * read_u() + (SELECT v FROM t WHERE id = 1);\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION t_around_a_call() RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    RETURN (SELECT v FROM t WHERE id = 1) + 10 * read_u() + 100 * (SELECT v FROM t WHERE id = 1);\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION add_to_u(p bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE u SET v = v + p WHERE id = 1;\n"
    "    RETURN 0;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION add_in_an_order(p bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    PERFORM 1 ORDER BY add_to_u(p);\n"
    "END;\n"
    "$$;\n";

#define OK(number, what, rest) "{\"txn\":" number "," what ",\"status\":\"ok\",\"ts\":" number rest "}\n"
#define DO(statements) "\"statements\":[" statements "]"
#define SQL(text) "{\"sql\":\"" text "\"}"
#define CALL(name, arguments) "\"call\":\"" name "\",\"arguments\":[" arguments "]"
#define ANSWERS(answers) ",\"answers\":[" answers "]"
#define ONE "{\"count\":1}"
#define ROW(cells) "{\"rows\":[[" cells "]]}"

#define ADD_TO_BOTH \
    OK("1", DO(SQL("UPDATE u SET v = v + 1 WHERE id = 1") "," SQL("UPDATE t SET v = v + 1 WHERE id = 1")), \
       ANSWERS(ONE "," ONE))

/* 1 adds two to a row, and 2, which has not seen that, changes it as well. */
#define ADD_TWO_AND(table, statement) \
    OK("1", DO(SQL("UPDATE " table " SET v = v + 2 WHERE id = 1") "," SQL("UPDATE u SET v = 1 WHERE id = 1")), \
       ANSWERS(ONE "," ONE)) \
    OK("2", DO(SQL(statement) "," SQL("SELECT v FROM u")), ANSWERS(ONE "," ROW("\"0\"")))

#define ONE_ROW(table, v) "\"" table "\":[{\"id\":\"1\",\"v\":\"" v "\"}]"
#define T_AND_U(t, u) ONE_ROW("t", t) "," ONE_ROW("u", u)

struct true_log {
    const char *label;
    const char *levels[3]; /* at which it has an execution */
    const char *core, *rows, *txns;
};

#define EACH_STATEMENT "\"read-committed\",\"model\":\"locking\"", "\"read-committed\",\"model\":\"statement\"", \
        "\"read-committed\",\"model\":\"paper\""

static const struct true_log logs[] = {
    /* 4 has seen t in the first state, where it is what 1 and 3 have left of it, and not what 1 has. */
    { "whose state is not the last one that time allows",
      { "\"strict-snapshot\"" },
      "1,2,3,4",
      T_AND_U("10", "0"),
      OK("1", DO(SQL("UPDATE t SET v = v + 1 WHERE id = 1")), ",\"at\":[10,300]" ANSWERS(ONE))
          OK("2", DO(SQL("UPDATE u SET v = v + 1 WHERE id = 1")), ",\"at\":[200,250]" ANSWERS(ONE))
              OK("3", DO(SQL("UPDATE t SET v = v - 1 WHERE id = 1")), ",\"at\":[310,400]" ANSWERS(ONE))
                  OK("4", DO(SQL("SELECT v FROM u") "," SQL("UPDATE t SET v = v + 5 WHERE id = 1 RETURNING v")),
                     ",\"at\":[20,500]" ANSWERS("{\"rows\":[[\"0\"]],\"at\":100}," ROW("\"15\""))) },
    { "that rounds away what it has added",
      { "\"snapshot\"" },
      "1,2",
      ONE_ROW("n", "1.00") "," ONE_ROW("u", "0"),
      ADD_TWO_AND("n", "UPDATE n SET v = (v + 0.3)::integer WHERE id = 1") },
    { "that adds as much as it has rounded away",
      { "\"snapshot\"" },
      "1,2",
      ONE_ROW("n", "1.30") "," ONE_ROW("u", "0"),
      ADD_TWO_AND("n", "UPDATE n SET v = v::integer + 0.3 WHERE id = 1") },
    { "that adds to a truth",
      { "\"snapshot\"" },
      "1,2",
      T_AND_U("2", "0"),
      ADD_TWO_AND("t", "UPDATE t SET v = v::integer::boolean::integer + 1") },
    { "with a call that sees more than the query around it",
      { EACH_STATEMENT },
      "1,2",
      T_AND_U("0", "0"),
      ADD_TO_BOTH OK("2", DO(SQL("SELECT read_u(), (SELECT v FROM t WHERE id = 1)")), ANSWERS(ROW("\"1\",\"0\""))) },
    { "with a call that sees more than the expression around it",
      { EACH_STATEMENT },
      "1,2",
      T_AND_U("0", "0"),
      ADD_TO_BOTH OK("2", CALL("t_behind_a_call", ""), ANSWERS(ROW("\"10\""))) },
    { "with a row that a call sees as it is later",
      { "\"read-committed\",\"model\":\"paper\"" },
      "1,2",
      T_AND_U("0", "0"),
      ADD_TO_BOTH OK("2", DO(SQL("SELECT read_u(), (SELECT v FROM u WHERE id = 1)")), ANSWERS(ROW("\"1\",\"0\""))) },
    { "with a call in ORDER BY",
      { "\"snapshot\"", "\"serializable\"" },
      "2",
      ONE_ROW("u", "0"),
      OK("1", CALL("add_in_an_order", "\"5\""), "") OK("2", DO(SQL("SELECT v FROM u")), ANSWERS(ROW("\"5\""))) },
    { "with a query that does not see what a call beside it has written",
      { "\"serializable\"", "\"snapshot\"" },
      "1",
      ONE_ROW("u", "3"),
      OK("1", DO(SQL("SELECT add_to_u(5), (SELECT v FROM u)")), ANSWERS(ROW("\"0\",\"3\""))) },
    { "with a query that does not see what its statement has written",
      { "\"serializable\"", "\"snapshot\"" },
      "1",
      ONE_ROW("u", "3"),
      OK("1", DO(SQL("UPDATE u SET v = 4 RETURNING (SELECT v FROM u)")), ANSWERS(ROW("\"3\""))) },
    { "with numbers of two sequences in one column",
      { "\"serializable\"", "\"snapshot\"" },
      "0,1",
      "",
      OK("0", DO(SQL("INSERT INTO w (id, v) VALUES (nextval('a'), 1)")), ANSWERS(ONE))
          OK("1", DO(SQL("INSERT INTO w (id, v) VALUES (nextval('b'), 1)")), ANSWERS(ONE)) },
};

static struct verification verify_program(const struct true_log *l, struct text sql, const char *level,
                                          const char *verdict, const char *proof)
{
    struct buffer text = { 0 }, witness = { 0 };
    char hex[DIGEST_HEX_SIZE];
    struct verification v;
    struct error err = { 0 };
    struct source source;
    struct call_log log;

    buffer_print(&text, "{\"ordeal-log\":1,\"rows\":{%s}}\n%s", l->rows, l->txns);
    ASSERT_OK(source_open_memory(&source, "log", text.at, text.count, &err), &err);
    ASSERT_OK(call_log_read(&log, &source, &err), &err);
    source_close(&source);
    digest_hex(&log.digest, hex);
    buffer_print(&witness, "{\"ordeal-audit\":1,\"log\":\"%s\",\"level\":%s,\"verdict\":\"%s\",%s}", hex, level,
                 verdict, proof);
    ASSERT_OK(verify_audit(&log, sql, witness.at, witness.count, &v, &err), &err);
    buffer_close(&witness);
    buffer_close(&text);
    call_log_close(&log);
    return v;
}

static struct verification verify_text(const struct true_log *l, const char *level, const char *verdict,
                                       const char *proof)
{
    return verify_program(l, text_of(program), level, verdict, proof);
}

static void a_log_that_has_an_execution_is_not_refuted(void)
{
    for (size_t i = 0; i < ROW_COUNT(logs); i++)
        for (size_t l = 0; l < ROW_COUNT(logs[i].levels) && logs[i].levels[l]; l++) {
            static char proof[100], message[1000];
            struct verification v;

            snprintf(proof, sizeof proof, "\"transactions\":[%s]", logs[i].core);
            v = verify_text(&logs[i], logs[i].levels[l], "invalid", proof);
            snprintf(message, sizeof message, "a log %s, at %s: %s", logs[i].label, logs[i].levels[l], v.reason);
            TEST_ASSERT_FALSE_MESSAGE(v.is_accepted, message);
        }
}

/* What PostgreSQL does otherwise, or only PostgreSQL does. */
static void what_means_something_else_here_is_not_read(void)
{
#define BODY(header, body) "CREATE FUNCTION " header " LANGUAGE plpgsql AS $$\nBEGIN\n    " body "\nEND;\n$$;\n"
    static const struct { const char *sql, *statement; } rows[] = {
        { BODY("f(p bigint) RETURNS bigint STABLE", "RETURN p;"), "SELECT 1" },
        { BODY("f(p bigint) RETURNS bigint", "RETURN p;") BODY("f(p text) RETURNS bigint", "RETURN 7;"), "SELECT 1" },
        { BODY("f(p bigint) RETURNS bigint", "RETURN $1;"), "SELECT f(1)" },
        { BODY("f(p bigint) RETURNS bigint", "RETURN CASE read_u() WHEN 1 THEN 2 ELSE 3 END;"), "SELECT 1" },
        { BODY("f(p bigint) RETURNS bigint", "RETURN p LIMIT 0;"), "SELECT 1" },
        { "CREATE TABLE x (a bigint, UNIQUE (a) DEFERRABLE INITIALLY DEFERRED);\n", "SELECT 1" },
        { "CREATE TABLE x (a bigint, b bigint, FOREIGN KEY (a) REFERENCES t (id) MATCH FULL);\n", "SELECT 1" },
        { "CREATE TABLE x (a text COLLATE \"en_US\");\n", "SELECT 1" },
        { "", "SELECT (SELECT sum(t.v) FROM u) FROM t" },
        { "", "SELECT v::boolean FROM t" },
        { "", "INSERT INTO w VALUES (read_u(), 1), (read_u(), 2)" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct true_log log = { .rows = ONE_ROW("u", "0") };
        struct buffer sql = { 0 }, txns = { 0 };
        struct verification v;

        buffer_print(&sql, "%s%s", program, rows[i].sql);
        buffer_print(&txns, "{\"txn\":1,\"statements\":[{\"sql\":\"%s\"}],\"status\":\"ok\"}\n", rows[i].statement);
        log.txns = txns.at;
        v = verify_program(&log, (struct text){ sql.at, sql.count }, "\"serializable\"", "valid", "\"order\":[1]");
        TEST_ASSERT_FALSE_MESSAGE(v.is_accepted, rows[i].sql);
        TEST_ASSERT_EQUAL_MEMORY_MESSAGE("undecided", v.reason, 9, v.reason);
        buffer_close(&sql);
        buffer_close(&txns);
    }
}

/* One expression sees one state, whatever is called within it: this one would have seen t twice. */
static void an_expression_goes_on_in_its_own_state_behind_a_call(void)
{
    static const struct { int answer; bool holds; } rows[] = { { 110, false }, { 10, true }, { 111, false } };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (unsigned m = 0; m < 2; m++) {
            static const char *const models[] = { "\"read-committed\",\"model\":\"locking\"",
                                                  "\"read-committed\",\"model\":\"statement\"" };
            struct true_log log = { .rows = T_AND_U("0", "0") };
            char txns[600];
            struct verification v;

            snprintf(txns, sizeof txns,
                     "%s{\"txn\":2,\"call\":\"t_around_a_call\",\"arguments\":[],\"status\":\"ok\","
                     "\"ts\":2,\"answers\":[{\"rows\":[[\"%d\"]]}]}\n",
                     ADD_TO_BOTH, rows[i].answer);
            log.txns = txns;
            v = verify_text(&log, models[m], "valid", "\"order\":[1,2],\"states\":[[1,0,0],[2,0,1]]");
            TEST_ASSERT_EQUAL_MESSAGE(rows[i].holds, v.is_accepted, v.reason);
            if (rows[i].answer != 110)
                continue;
            v = verify_text(&log, models[m], "invalid", "\"transactions\":[1,2]");
            TEST_ASSERT_TRUE_MESSAGE(v.is_accepted, v.reason);
        }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_log_that_has_an_execution_is_not_refuted);
    RUN_TEST(what_means_something_else_here_is_not_read);
    RUN_TEST(an_expression_goes_on_in_its_own_state_behind_a_call);
    return UNITY_END();
}
