/*
 * Queries that MySQL and TiDB answered wrongly: an audit accepts the right answer and refuses the wrong one.
 *
 * They are the eleven of section 8.2 of the paper (Pick et al.), which gives their numbers in SQLancer's list of bugs; the
 * list has the queries (github.com/sqlancer/bugs). Here they stand in PostgreSQL's SQL, whose answers are the right
 * ones: what MySQL takes for true is compared with zero, UNSIGNED is arithmetic modulo 2^64 in numeric, and
 * floating-point numbers are decimals.
 */
#include "audit/audit.h"

#include <stdio.h>

#include "tests/audit/audit_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define ROWS(rows) ",\"answers\":[{\"rows\":[" rows "]}]"
#define FAILED ",\"error\":\"HY000\",\"answers\":[null]"

struct query_bug {
    const char *name, *tables, *rows, *query, *right, *wrong;
};

static const struct query_bug bugs[] = {
    { "MySQL 2: can't find record, in MyISAM",
      "CREATE TABLE t0 (c0 bigint UNIQUE, c1 bigint, c2 bigint, c3 bigint UNIQUE);",
      "\"t0\":[{},{\"c3\":\"1\"},{\"c0\":\"2\",\"c1\":\"1\",\"c3\":\"3\"},{\"c0\":\"0\",\"c1\":\"1\",\"c3\":\"0\"}]",
      "SELECT NULL::bigint IN (SELECT t0.c3 FROM t0 WHERE t0.c0 <> 0)", ROWS("[null]"), FAILED },
    { "MySQL 3: can't find record, in HEAP", "CREATE TABLE t0 (c0 bigint UNIQUE);",
      "\"t0\":[{},{\"c0\":\"0\"}]",
      "SELECT NULL::bigint IN (SELECT t0.c0 FROM t0 WHERE (t0.c0 <> 0 OR TRUE) IS NULL)",
      ROWS("[\"f\"]"), FAILED },
    { "MySQL 9: a function that should yield true", "CREATE TABLE t0 (c0 bigint);",
      "\"t0\":[{\"c0\":\"1\"}]",
      "SELECT * FROM t0 WHERE (CASE WHEN FALSE THEN t0.c0 ELSE 0.1 END) <> 0", ROWS("[\"1\"]"),
      ROWS("") },
    { "MySQL 15: a text as a boolean", "CREATE TABLE t0 (c0 text);", "\"t0\":[{\"c0\":\"0.9\"}]",
      "SELECT * FROM t0 WHERE t0.c0::numeric <> 0", ROWS("[\"0.9\"]"), ROWS("") },
    { "MySQL 16: a negative number as UNSIGNED, by COALESCE", "CREATE TABLE t0 (c0 numeric(20,0));",
      "\"t0\":[{}]",
      "SELECT * FROM t0 WHERE mod(COALESCE(t0.c0, -1) + 18446744073709551616, 18446744073709551616) <> 0",
      ROWS("[null]"), ROWS("") },
    { "MySQL 18: AND of a text below one", "CREATE TABLE t0 (c0 text);", "\"t0\":[{\"c0\":\"0.5\"}]",
      "SELECT * FROM t0 WHERE t0.c0::numeric <> 0 AND 1 <> 0", ROWS("[\"0.5\"]"), ROWS("") },
    { "MySQL 18: OR of a text below one", "CREATE TABLE t0 (c0 text);", "\"t0\":[{\"c0\":\"0.5\"}]",
      "SELECT * FROM t0 WHERE t0.c0::numeric <> 0 OR 0 <> 0", ROWS("[\"0.5\"]"), ROWS("") },
    { "MySQL 18: XOR of a text below one", "CREATE TABLE t0 (c0 text);", "\"t0\":[{\"c0\":\"0.5\"}]",
      "SELECT * FROM t0 WHERE (t0.c0::numeric <> 0) <> (0 <> 0)", ROWS("[\"0.5\"]"), ROWS("") },
    /* Of & 1 remains the last bit; | and ^ are not among the operators of programs. */
    { "MySQL 19: the bits of a text that begins with a new line", "CREATE TABLE t0 (c0 text);",
      "\"t0\":[{\"c0\":\"\\n1\"}]", "SELECT t0.c0::bigint % 2 FROM t0", ROWS("[\"1\"]"), ROWS("[\"0\"]") },
    { "TiDB 1: not, twice", "CREATE TABLE t0 (c0 bigint);", "\"t0\":[{\"c0\":\"2\"}]",
      "SELECT t0.c0 FROM t0 WHERE (CASE WHEN NOT NOT (t0.c0 <> 0) THEN 1 ELSE 0 END) = t0.c0", ROWS(""),
      ROWS("[\"2\"]") },
    { "TiDB 3: AND of decimals", "CREATE TABLE t0 (c0 boolean);", "\"t0\":[{\"c0\":\"f\"}]",
      "SELECT * FROM t0 WHERE 1 <> 0 AND 0.4 <> 0", ROWS("[\"f\"]"), ROWS("") },
    { "TiDB 10: nothing is its own negative",
      "CREATE TABLE t0 (c0 numeric); CREATE TABLE t1 (c0 numeric);",
      "\"t0\":[{\"c0\":\"0\"}],\"t1\":[{\"c0\":\"0\"}]",
      "SELECT t1.c0 FROM t1, t0 WHERE t0.c0 = -t1.c0", ROWS("[\"0\"]"), ROWS("") },
    { "TiDB 13: an outer join with nulls",
      "CREATE TABLE t0 (t0 bigint UNIQUE); CREATE TABLE t1 (c0 numeric);",
      "\"t0\":[{},{}],\"t1\":[{\"c0\":\"0\"}]", "SELECT t1.c0 FROM t1 LEFT JOIN t0 ON true",
      ROWS("[\"0\"],[\"0\"]"), ROWS("[\"0\"]") },
};

static void expect(const struct query_bug *bug, const char *answer, enum verdict verdict)
{
    static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT, LEVEL_READ_COMMITTED };
    char log[1000];

    snprintf(log, sizeof log,
             "{\"ordeal-log\":1,\"rows\":{%s}}\n"
             "{\"txn\":1,\"statements\":[{\"sql\":\"%s\"}],\"status\":\"ok\"%s}\n",
             bug->rows, bug->query, answer);
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        audit_expect(verdict, bug->tables, log,
                     (struct audit_options){ .level = levels[i], .allows_unjudged = true }, bug->name);
}

static void the_right_answer_is_valid_and_the_wrong_one_is_not(void)
{
    for (size_t i = 0; i < ROW_COUNT(bugs); i++) {
        expect(&bugs[i], bugs[i].right, VERDICT_VALID);
        expect(&bugs[i], bugs[i].wrong, VERDICT_INVALID);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_right_answer_is_valid_and_the_wrong_one_is_not);
    return UNITY_END();
}
