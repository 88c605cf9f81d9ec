/* Whole audits of small logs: what each level accepts and refuses. */
#include "audit/audit.h"

#include <stdio.h>
#include <string.h>

#include "tests/audit/audit_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

#define V VERDICT_VALID
#define X VERDICT_INVALID

static const char bank[] =
    "CREATE TABLE accounts (id bigint PRIMARY KEY, balance bigint NOT NULL);\n"
    "CREATE FUNCTION deposit(p_id bigint, p_amount bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    UPDATE accounts SET balance = balance + p_amount WHERE id = p_id;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION transfer(p_from bigint, p_to bigint, p_amount bigint) RETURNS void\n"
    "LANGUAGE plpgsql AS $$\n"
    "BEGIN\n"
    "    PERFORM deposit(p_to, p_amount);\n"
    "    UPDATE accounts SET balance = balance - p_amount WHERE id = p_from;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION balance(p_id bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    RETURN v;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION add_read(p_id bigint, p_amount bigint) RETURNS bigint LANGUAGE plpgsql AS $$\n"
    "DECLARE v bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO v FROM accounts WHERE id = p_id;\n"
    "    UPDATE accounts SET balance = v + p_amount WHERE id = p_id;\n"
    "    RETURN v + p_amount;\n"
    "END;\n"
    "$$;\n"
    "CREATE FUNCTION withdraw_if(p_from bigint, p_other bigint, p_amount bigint) RETURNS boolean\n"
    "LANGUAGE plpgsql AS $$\n"
    "DECLARE a bigint; b bigint;\n"
    "BEGIN\n"
    "    SELECT balance INTO a FROM accounts WHERE id = p_from;\n"
    "    SELECT balance INTO b FROM accounts WHERE id = p_other;\n"
    "    IF a + b < p_amount THEN\n"
    "        RETURN false;\n"
    "    END IF;\n"
    "    UPDATE accounts SET balance = balance - p_amount WHERE id = p_from;\n"
    "    RETURN true;\n"
    "END;\n"
    "$$;\n";

#define HEAD                                                                                       \
    "{\"ordeal-log\":1,\"rows\":{\"accounts\":[{\"id\":\"1\",\"balance\":\"100\"},"                \
    "{\"id\":\"2\",\"balance\":\"300\"}]}}\n"
#define CALL(id, name, arguments, at, ts, answers)                                                 \
    "{\"txn\":" #id ",\"call\":\"" name "\",\"arguments\":[" arguments                             \
    "],\"status\":\"ok\",\"at\":[" at "]" ts ",\"answers\":[" answers "]}\n"
#define NOTHING "{\"rows\":[]}"
#define ONE(value) "{\"rows\":[[\"" value "\"]]}"
#define TS(n) ",\"ts\":" #n

static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE, LEVEL_SNAPSHOT,
                                     LEVEL_STRICT_SNAPSHOT, LEVEL_READ_COMMITTED };

struct level_row {
    const char *what, *log;
    enum verdict verdicts[ROW_COUNT(levels)];
};

/* Section 2 of the paper: three that write account 2, and a balance. */
#define FIRST_TWO                                                                                  \
    HEAD CALL(1, "transfer", "\"1\",\"2\",\"10\"", "100,200", TS(1), NOTHING)                      \
        CALL(2, "deposit", "\"2\",\"100\"", "300,500", TS(2), NOTHING)
#define SECTION_2 FIRST_TWO CALL(3, "transfer", "\"1\",\"2\",\"10\"", "400,600", TS(3), NOTHING)
#define BALANCE_OF_2(ts, value) CALL(4, "balance", "\"2\"", "700,800", TS(ts), ONE(value))

static const struct level_row rows[] = {
    { "the deposit is lost under the transfers",
      SECTION_2 BALANCE_OF_2(4, "320"),
      { X, X, X, X, X } },
    { "the balance has all of them", SECTION_2 BALANCE_OF_2(4, "420"), { V, V, V, V, V } },
    { "the balance is one of long ago", FIRST_TWO BALANCE_OF_2(3, "310"), { V, X, V, X, V } },
    { "two deposits read the same balance",
      HEAD CALL(1, "add_read", "\"1\",\"5\"", "100,400", TS(1), ONE("105"))
          CALL(2, "add_read", "\"1\",\"7\"", "150,500", TS(2), ONE("107"))
              CALL(3, "balance", "\"1\"", "600,700", TS(3), ONE("107")),
      { X, X, X, X, V } },
    { "write skew",
      HEAD CALL(1, "withdraw_if", "\"1\",\"2\",\"350\"", "100,400", TS(1), ONE("t"))
          CALL(2, "withdraw_if", "\"2\",\"1\",\"350\"", "150,500", TS(2), ONE("t")),
      { X, X, V, V, V } },
    { "the order of commits is not the serial one",
      HEAD CALL(1, "deposit", "\"1\",\"1000\"", "100,400", TS(1), NOTHING)
          CALL(2, "withdraw_if", "\"2\",\"1\",\"500\"", "150,500", TS(2), ONE("f")),
      { V, V, V, V, V } },
    { "without places in the order of commits",
      HEAD CALL(1, "add_read", "\"1\",\"5\"", "100,400", "", ONE("112"))
          CALL(2, "add_read", "\"1\",\"7\"", "150,500", "", ONE("107")),
      { V, V, V, V, V } },
};

static void each_level_accepts_and_refuses_what_it_should(void)
{
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct audited a;
            char what[200];

            audit_text(&a, bank, rows[i].log,
                       (struct audit_options){ .level = levels[k], .wants_witness = true });
            snprintf(what, sizeof what, "%s, %s", rows[i].what, level_name(levels[k]));
            TEST_ASSERT_EQUAL_MESSAGE(rows[i].verdicts[k], a.verdict.verdict, what);
            TEST_ASSERT_MESSAGE(a.verdict.witness.count > 0, what);
            audited_close(&a);
        }
}

static void an_unknown_transaction_is_taken_as_it_has_to_be(void)
{
    static const char *const seen[] = { "100", "150", "160" };
    static const enum verdict verdicts[] = { V, V, X };

    for (size_t i = 0; i < ROW_COUNT(seen); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct audited a;
            char log[1000];

            snprintf(log, sizeof log,
                     "%s{\"txn\":1,\"call\":\"deposit\",\"arguments\":[\"1\",\"50\"],"
                     "\"status\":\"unknown\",\"at\":[100,null]}\n"
                     "{\"txn\":2,\"call\":\"balance\",\"arguments\":[\"1\"],\"status\":\"ok\","
                     "\"at\":[200,300],\"answers\":[{\"rows\":[[\"%s\"]]}]}\n",
                     HEAD, seen[i]);
            audit_text(&a, bank, log, (struct audit_options){ .level = levels[k] });
            TEST_ASSERT_EQUAL_MESSAGE(verdicts[i], a.verdict.verdict, seen[i]);
            audited_close(&a);
        }
}

static void statements_are_compared_as_sets_where_no_order_is_asked_for(void)
{
    static const struct {
        const char *sql, *answer;
        enum verdict verdict;
    } cases[] = {
        { "SELECT id FROM accounts", "{\"rows\":[[\"2\"],[\"1\"]]}", V },
        { "SELECT id FROM accounts ORDER BY id", "{\"rows\":[[\"2\"],[\"1\"]]}", X },
        { "SELECT id FROM accounts ORDER BY id DESC", "{\"rows\":[[\"2\"],[\"1\"]]}", V },
        { "SELECT id FROM accounts LIMIT 1", "{\"rows\":[[\"2\"]]}", V },
        { "SELECT id FROM accounts LIMIT 1", "{\"rows\":[[\"3\"]]}", X },
        { "SELECT id FROM accounts ORDER BY id LIMIT 1", "{\"rows\":[[\"2\"]]}", X },
        { "SELECT id FROM accounts ORDER BY balance > 0 LIMIT 1", "{\"rows\":[[\"2\"]]}", V },
        { "SELECT id FROM accounts WHERE id = $1", "{\"rows\":[[\"1\"]]}", V },
        { "UPDATE accounts SET balance = 0", "{\"count\":2}", V },
        { "UPDATE accounts SET balance = 0", "{\"count\":1}", X },
    };

    for (size_t i = 0; i < ROW_COUNT(cases); i++) {
        struct audited a;
        char log[1000];

        snprintf(log, sizeof log,
                 "%s{\"txn\":1,\"statements\":[{\"sql\":\"%s\",\"parameters\":[\"1\"]}],"
                 "\"status\":\"ok\",\"answers\":[%s]}\n",
                 HEAD, cases[i].sql, cases[i].answer);
        audit_text(&a, bank, log, (struct audit_options){ .level = LEVEL_SERIALIZABLE });
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].verdict, a.verdict.verdict, cases[i].sql);
        audited_close(&a);
    }
}

static void what_was_not_judged_is_valid_only_if_that_is_allowed(void)
{
    static const struct {
        const char *log;
        bool allows;
        enum verdict verdict;
        const char *reason;
    } cases[] = {
        { HEAD, false, VERDICT_UNKNOWN, "nothing was judged: nothing that has committed has answers" },
        { HEAD "{\"txn\":1,\"call\":\"balance\",\"arguments\":[\"1\"],\"status\":\"abort\"}\n", false,
          VERDICT_UNKNOWN, "nothing was judged: nothing that has committed has answers" },
        { HEAD "{\"txn\":1,\"call\":\"balance\",\"arguments\":[\"1\"],\"status\":\"unknown\"}\n", false,
          VERDICT_UNKNOWN, "nothing was judged: nothing that has committed has answers" },
        { HEAD "{\"txn\":1,\"call\":\"balance\",\"arguments\":[\"1\"],\"status\":\"ok\"}\n", false,
          VERDICT_UNKNOWN, "nothing was judged: all answers are missing" },
        { HEAD CALL(1, "balance", "\"1\"", "100,200", "", "null") CALL(2, "balance", "\"1\"", "300,400", "", ONE("100")),
          false, VERDICT_UNKNOWN, "1 of 2 answers are missing, and may have been wrong" },
        { HEAD CALL(1, "balance", "\"1\"", "100,200", "", "null") CALL(2, "balance", "\"1\"", "300,400", "", ONE("100")),
          true, V, "" },
        { HEAD CALL(1, "balance", "\"1\"", "100,200", "", "null") CALL(2, "balance", "\"1\"", "300,400", "", ONE("101")),
          false, X, "" },
        { HEAD, true, V, "" },
    };

    for (size_t i = 0; i < ROW_COUNT(cases); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct audited a;

            audit_text(&a, bank, cases[i].log,
                       (struct audit_options){ .level = levels[k],
                                               .wants_witness = true,
                                               .allows_unjudged = cases[i].allows });
            TEST_ASSERT_EQUAL_MESSAGE(cases[i].verdict, a.verdict.verdict, cases[i].log);
            TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(cases[i].reason, a.verdict.reason,
                                                 strlen(cases[i].reason), cases[i].log);
            TEST_ASSERT_EQUAL_MESSAGE(cases[i].verdict != VERDICT_UNKNOWN, a.verdict.witness.count > 0,
                                      cases[i].log);
            audited_close(&a);
        }
}

static void who_stops_the_audit_gets_unknown_and_the_reason(void)
{
    struct audited a;

    audit_text(&a, bank, rows[0].log,
               (struct audit_options){ .level = LEVEL_SNAPSHOT, .runs_max = 1 });
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, a.verdict.verdict);
    TEST_ASSERT_TRUE(strlen(a.verdict.reason) > 0);
    audited_close(&a);
}

/*
 * Deposits into accounts of their own, and a balance that nothing explains: a search finds that soon, and the time is
 * over in the midst of the proof. It was called invalid.
 */
static void what_seemed_to_matter_is_no_proof_when_the_time_is_over(void)
{
    static atomic_bool stop = true;
    struct buffer log = { 0 };
    struct audited a;

    buffer_text(&log, TEXT("{\"ordeal-log\":1,\"rows\":{\"accounts\":["));
    for (int i = 0; i < 150; i++)
        buffer_print(&log, "%s{\"id\":\"%d\",\"balance\":\"100\"}", i > 0 ? "," : "", i);
    buffer_text(&log, TEXT("]}}\n"));
    for (int i = 0; i < 150; i++)
        buffer_print(&log,
                     "{\"txn\":%d,\"call\":\"deposit\",\"arguments\":[\"%d\",\"1\"],\"status\":\"ok\","
                     "\"at\":[%d,%d],\"ts\":%d,\"answers\":[{\"rows\":[]}]}\n",
                     i, i, 10 * i, 10 * i + 5, i);
    buffer_text(&log, TEXT(CALL(200, "balance", "\"1\"", "2000,2001", TS(200), ONE("7"))));
    buffer_byte(&log, '\0');
    audit_text(&a, bank, log.at, (struct audit_options){ .level = LEVEL_READ_COMMITTED, .stop = &stop });
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, a.verdict.verdict);
    audited_close(&a);
    audit_text(&a, bank, log.at, (struct audit_options){ .level = LEVEL_READ_COMMITTED });
    TEST_ASSERT_EQUAL(VERDICT_INVALID, a.verdict.verdict);
    audited_close(&a);
    buffer_close(&log);
}

/* A log that is too long for all its executions to be tried: what is wrong in it is proved by outcomes. */
static void a_wrong_answer_in_a_long_log_is_proved(void)
{
    static const struct {
        const char *answer;
        enum verdict verdicts[ROW_COUNT(levels)];
    } cases[] = {
        { "400", { V, V, V, V, V } },
        { "250", { V, X, V, X, V } }, /* what there was before */
        { "401", { X, X, X, X, X } },
    };

    for (size_t i = 0; i < ROW_COUNT(cases); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct buffer log = { 0 };
            struct audited a;

            buffer_text(&log, TEXT(HEAD));
            for (int n = 1; n <= 300; n++)
                buffer_print(&log,
                             "{\"txn\":%d,\"call\":\"deposit\",\"arguments\":[\"1\",\"1\"],\"status\":\"ok\","
                             "\"at\":[%d,%d],\"ts\":%d,\"answers\":[{\"rows\":[]}]}\n",
                             n, 10 * n, 10 * n + 5, n);
            buffer_print(&log,
                         "{\"txn\":400,\"call\":\"balance\",\"arguments\":[\"1\"],\"status\":\"ok\","
                         "\"at\":[5000,5005],\"ts\":400,\"answers\":[{\"rows\":[[\"%s\"]]}]}\n",
                         cases[i].answer);
            buffer_byte(&log, '\0');
            audit_text(&a, bank, log.at, (struct audit_options){ .level = levels[k], .wants_witness = true });
            TEST_ASSERT_EQUAL_MESSAGE(cases[i].verdicts[k], a.verdict.verdict, cases[i].answer);
            TEST_ASSERT_TRUE(a.verdict.witness.count > 0);
            if (a.verdict.verdict == VERDICT_INVALID)
                TEST_ASSERT_EQUAL_INT64(400, a.verdict.wrong.txn);
            audited_close(&a);
            buffer_close(&log);
        }
}

/* They were not looked at, so that a log was valid with a witness that the verifier refused. */
static void the_answers_of_one_of_unknown_outcome_are_judged_if_it_committed(void)
{
    static const struct {
        const char *answer;
        enum verdict verdict;
    } cases[] = { { "105", V }, { "999", X } };

    for (size_t i = 0; i < ROW_COUNT(cases); i++)
        for (size_t k = 0; k < ROW_COUNT(levels); k++) {
            struct buffer log = { 0 };

            buffer_text(&log, TEXT(HEAD));
            buffer_print(&log,
                         "{\"txn\":1,\"call\":\"add_read\",\"arguments\":[\"1\",\"5\"],\"status\":\"unknown\","
                         "\"at\":[100,null],\"answers\":[{\"rows\":[[\"%s\"]]}]}\n",
                         cases[i].answer);
            buffer_text(&log, TEXT(CALL(2, "balance", "\"1\"", "300,400", TS(2), ONE("105"))));
            buffer_byte(&log, '\0');
            audit_expect(cases[i].verdict, bank, log.at, (struct audit_options){ .level = levels[k] }, cases[i].answer);
            buffer_close(&log);
        }
}

/* Its answer came before the deposit that it would have had to see was invoked. */
static void one_of_unknown_outcome_has_seen_nothing_that_came_after_its_answer(void)
{
    static const char log[] =
        HEAD "{\"txn\":1,\"call\":\"add_read\",\"arguments\":[\"1\",\"5\"],\"status\":\"unknown\","
             "\"at\":[100,null],\"answers\":[{\"rows\":[[\"110\"]],\"at\":200}]}\n"
        CALL(2, "deposit", "\"1\",\"5\"", "300,400", "", NOTHING)
        CALL(3, "balance", "\"1\"", "500,600", "", ONE("110"));
    static const enum verdict verdicts[] = { V, V, V, X, V };

    for (size_t k = 0; k < ROW_COUNT(levels); k++)
        audit_expect(verdicts[k], bank, log, (struct audit_options){ .level = levels[k] }, level_name(levels[k]));
}

/* The verifier refused both. */
static void midnight_at_24_and_second_60_are_times_of_day(void)
{
    static const char sql[] = "CREATE TABLE t (id bigint PRIMARY KEY, at timestamp);\n";
    static const char log[] =
        "{\"ordeal-log\":1}\n"
        "{\"txn\":1,\"statements\":[{\"sql\":\"INSERT INTO t VALUES (1, '2024-02-28 24:00:00'), "
        "(2, '2024-02-28 00:00:60')\"},{\"sql\":\"SELECT at FROM t ORDER BY id\"}],\"status\":\"ok\","
        "\"answers\":[{\"count\":2},{\"rows\":[[\"2024-02-29 00:00:00\"],[\"2024-02-28 00:01:00\"]]}]}\n";

    audit_expect(VERDICT_VALID, sql, log, (struct audit_options){ .level = LEVEL_SERIALIZABLE }, "");
}

/* By ts it comes second, by time first, and both write the row: without the other one there is an execution. */
static void who_wrote_meanwhile_belongs_to_the_core(void)
{
    static const char sql[] = "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n";
    static const char log[] =
        "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"v\":\"2\"}]}}\n"
        "{\"txn\":1,\"statements\":[{\"sql\":\"UPDATE t SET v = v + 2 WHERE id = 1\"}],\"status\":\"ok\","
        "\"at\":[10,20],\"ts\":2,\"answers\":[{\"count\":1}]}\n"
        "{\"txn\":2,\"statements\":[{\"sql\":\"UPDATE t SET v = v + 3 WHERE id = 1\"}],\"status\":\"ok\","
        "\"at\":[30,40],\"ts\":1,\"answers\":[{\"count\":1}]}\n";

    audit_expect(VERDICT_INVALID, sql, log,
                 (struct audit_options){ .level = LEVEL_STRICT_SNAPSHOT, .by_outcomes = true }, "");
}

/* Its place is not known, nor what is in the row then; the other one finds the row by that. It was called invalid. */
static void rows_that_may_be_anything_are_found_by_any_column(void)
{
    static const char sql[] = "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n";
    static const char log[] =
        "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"3\",\"v\":\"0\"}]},\"ts\":\"hint\"}\n"
        "{\"txn\":1,\"statements\":[{\"sql\":\"UPDATE t SET v = 1 WHERE id = 3\"}],\"status\":\"ok\","
        "\"ts\":1,\"answers\":[{\"count\":1}]}\n"
        "{\"txn\":2,\"statements\":[{\"sql\":\"SELECT id FROM t WHERE v = 1\"}],\"status\":\"ok\","
        "\"answers\":[{\"rows\":[[\"3\"]]}]}\n";
    static const enum level all[] = { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT, LEVEL_READ_COMMITTED };

    for (size_t i = 0; i < ROW_COUNT(all); i++) {
        struct audited a;

        audit_text(&a, sql, log, (struct audit_options){ .level = all[i], .by_outcomes = true });
        TEST_ASSERT_NOT_EQUAL_MESSAGE(VERDICT_INVALID, a.verdict.verdict, level_name(all[i]));
        audited_close(&a);
    }
}

/* It ended the audit with an error. */
static void a_program_without_end_leaves_the_verdict_open(void)
{
    static const char sql[] = "CREATE TABLE t (id bigint PRIMARY KEY);\n"
                              "CREATE FUNCTION spin() RETURNS bigint LANGUAGE plpgsql AS $$\n"
                              "DECLARE v bigint[] := '{}';\n"
                              "BEGIN\n"
                              "    LOOP\n"
                              "        v := v || v || 1;\n"
                              "    END LOOP;\n"
                              "    RETURN 1;\n"
                              "END;\n"
                              "$$;\n";

    for (size_t k = 0; k < ROW_COUNT(levels); k++) {
        struct audited a;

        audit_text(&a, sql,
                   "{\"ordeal-log\":1}\n" CALL(1, "spin", "", "100,200", TS(1), ONE("1")),
                   (struct audit_options){ .level = levels[k] });
        TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, a.verdict.verdict);
        TEST_ASSERT_EQUAL_STRING_LEN("transaction 1: ", a.verdict.reason, strlen("transaction 1: "));
        audited_close(&a);
    }
}

/* It saw rows 1 and 3 in the first state, and locked them in the newest one: no other model has such a state. */
static void what_locking_explains_is_not_refuted_at_a_weaker_model(void)
{
    const struct audit_options options = {
        .level = LEVEL_READ_COMMITTED, .model = AUDIT_RC_STATEMENT, .by_outcomes = true
    };
    struct audited a;

    audit_text(&a, "CREATE TABLE t (id bigint PRIMARY KEY, v bigint NOT NULL);\n",
               "{\"ordeal-log\":1,\"rows\":{\"t\":[{\"id\":\"1\",\"v\":\"1\"},{\"id\":\"3\",\"v\":\"1\"}]}}\n"
               "{\"txn\":1,\"statements\":[{\"sql\":\"UPDATE t SET v = v + 3 WHERE id <> 2\"}],\"status\":\"ok\",\"ts\":3,"
               "\"answers\":[{\"count\":2}]}\n"
               "{\"txn\":2,\"statements\":[{\"sql\":\"SELECT id, v FROM t WHERE v >= 1 FOR UPDATE\"}],\"status\":\"ok\",\"ts\":2,"
               "\"answers\":[{\"rows\":[[\"1\",\"4\"],[\"3\",\"4\"]]}]}\n"
               "{\"txn\":3,\"statements\":[{\"sql\":\"INSERT INTO t VALUES (2, 3)\"}],\"status\":\"ok\",\"ts\":1,"
               "\"answers\":[{\"count\":1}]}\n",
               options);
    TEST_ASSERT_NOT_EQUAL(VERDICT_INVALID, a.verdict.verdict);
    audited_close(&a);
}

/* A silent transaction had read account 1 before a deposit of 5 was there, which a later balance shows. */
static void what_a_transaction_saw_is_where_to_look_first(void)
{
    static const struct {
        const char *saw;
        uint64_t jumps;
    } cases[] = { { "", 1 }, { "\"saw\":[0,0],", 0 }, { "\"saw\":[0,1],", 0 }, { "\"saw\":[1,1],", 2 } };

    for (size_t i = 0; i < ROW_COUNT(cases); i++) {
        struct audited a;
        char log[1000];

        snprintf(log, sizeof log,
                 HEAD "{\"txn\":1,\"session\":0,\"call\":\"deposit\",\"arguments\":[\"1\",\"5\"],"
                      "\"status\":\"ok\",\"ts\":1,\"answers\":[" NOTHING "]}\n"
                      "{\"txn\":2,\"statements\":[{\"sql\":\"UPDATE accounts SET balance = (SELECT min(a.balance) "
                      "FROM accounts a) + 7 WHERE id = 2\"}],\"status\":\"ok\",\"ts\":2,%s"
                      "\"answers\":[{\"count\":1}]}\n"
                      "{\"txn\":3,\"call\":\"balance\",\"arguments\":[\"2\"],\"status\":\"ok\",\"ts\":3,"
                      "\"answers\":[" ONE("107") "]}\n",
                 cases[i].saw);
        audit_text(&a, bank, log, (struct audit_options){ .level = LEVEL_READ_COMMITTED });
        TEST_ASSERT_EQUAL_MESSAGE(VERDICT_VALID, a.verdict.verdict, cases[i].saw);
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].jumps, a.verdict.counts.jumps, cases[i].saw);
        audited_close(&a);
    }
}

/* Three silent transactions have each lost a deposit, which the balance in a text shows. */
static void amounts_add_up_within_a_text_as_well(void)
{
    static const char sneak[] =
        "CREATE FUNCTION sneak(p_amount bigint) RETURNS void LANGUAGE plpgsql AS $$\n"
        "DECLARE v bigint;\n"
        "BEGIN\n"
        "    SELECT balance INTO v FROM accounts WHERE id = 1;\n"
        "    UPDATE accounts SET balance = v + p_amount WHERE id = 1;\n"
        "END;\n"
        "$$;\n"
        "CREATE FUNCTION tell() RETURNS text LANGUAGE plpgsql AS $$\n"
        "DECLARE v bigint;\n"
        "BEGIN\n"
        "    SELECT balance INTO v FROM accounts WHERE id = 1;\n"
        "    IF v > 5000 THEN\n"
        "        RETURN '';\n"
        "    END IF;\n"
        "    RETURN '1 has ' || v::text || ' now';\n"
        "END;\n"
        "$$;\n";
    static const struct {
        const char *told, *amount;
        enum verdict verdict;
    } cases[] = {
        { "1 has 703 now", "600", V }, { "1 has 2803 now", "600", V }, { "2 has 703 now", "600", X }, { "2 has 703 now", "9000", X }
    };
    char sql[4000];

    snprintf(sql, sizeof sql, "%s%s", bank, sneak);
    for (size_t i = 0; i < ROW_COUNT(cases); i++) {
        struct audited a;
        char log[3000];

        snprintf(log, sizeof log,
                 HEAD CALL(1, "deposit", "\"1\",\"300\"", "100,200", TS(1), NOTHING)
                     CALL(2, "sneak", "\"1\"", "100,200", TS(2), NOTHING)
                         CALL(3, "deposit", "\"1\",\"700\"", "100,200", TS(3), NOTHING)
                             CALL(4, "sneak", "\"1\"", "100,200", TS(4), NOTHING)
                                 CALL(5, "deposit", "\"1\",\"1100\"", "100,200", TS(5), NOTHING)
                                     CALL(6, "sneak", "\"1\"", "100,200", TS(6), NOTHING)
                                         CALL(7, "deposit", "\"1\",\"%s\"", "100,200", TS(7), NOTHING)
                                             CALL(8, "tell", "", "300,400", TS(8), ONE("%s")),
                 cases[i].amount, cases[i].told);
        audit_text(&a, sql, log, (struct audit_options){ .level = LEVEL_READ_COMMITTED, .by_outcomes = true });
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].verdict, a.verdict.verdict, cases[i].told);
        audited_close(&a);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_answers_of_one_of_unknown_outcome_are_judged_if_it_committed);
    RUN_TEST(one_of_unknown_outcome_has_seen_nothing_that_came_after_its_answer);
    RUN_TEST(midnight_at_24_and_second_60_are_times_of_day);
    RUN_TEST(who_wrote_meanwhile_belongs_to_the_core);
    RUN_TEST(rows_that_may_be_anything_are_found_by_any_column);
    RUN_TEST(a_program_without_end_leaves_the_verdict_open);
    RUN_TEST(what_seemed_to_matter_is_no_proof_when_the_time_is_over);
    RUN_TEST(a_wrong_answer_in_a_long_log_is_proved);
    RUN_TEST(each_level_accepts_and_refuses_what_it_should);
    RUN_TEST(an_unknown_transaction_is_taken_as_it_has_to_be);
    RUN_TEST(statements_are_compared_as_sets_where_no_order_is_asked_for);
    RUN_TEST(what_was_not_judged_is_valid_only_if_that_is_allowed);
    RUN_TEST(who_stops_the_audit_gets_unknown_and_the_reason);
    RUN_TEST(what_locking_explains_is_not_refuted_at_a_weaker_model);
    RUN_TEST(what_a_transaction_saw_is_where_to_look_first);
    RUN_TEST(amounts_add_up_within_a_text_as_well);
    return UNITY_END();
}
