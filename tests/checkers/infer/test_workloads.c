/* Banks, sets and counters: what is found is what the rules say, read after read, and proven. */
#include "checkers/infer/workloads/workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/builder.h"
#include "history/jsonl/jsonl_read.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"
#include "verify/verify.h"

static struct error err;
static struct history history;
static struct check check;

void setUp(void)
{
    memset(&err, 0, sizeof err);
    history = (struct history){ 0 };
    check = (struct check){ 0 };
}

void tearDown(void)
{
    check_close(&check);
    history_close(&history);
}

static void read_history(const char *workload, const char *lines)
{
    struct buffer text = { 0 };
    struct source source;

    buffer_print(&text, "{\"ordeal-history\":1,\"workload\":\"%s\"}\n%s", workload, lines);
    ASSERT_OK(source_open_memory(&source, "input", text.at, text.count, &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
    source_close(&source);
    buffer_close(&text);
}

/* Judges the history, and has somebody else look at each proof. */
static void run(enum level level)
{
    struct verification verification;
    char *bytes;

    check = fixture_check("infer", &history, level, CHECK_WITNESS);
    if (check.verdict == VERDICT_UNKNOWN)
        return;
    bytes = malloc(check.witness.count);
    memcpy(bytes, check.witness.at, check.witness.count);
    ASSERT_OK(verify_witness(&history, bytes, check.witness.count, &verification, &err), &err);
    free(bytes);
    TEST_ASSERT_TRUE_MESSAGE(verification.is_accepted, verification.reason);
}

/* --- Single histories ----------------------------------------------------------------- */

#define TXN(id, session, at, ops)                                                                  \
    "{\"txn\":" id ",\"session\":" session ",\"status\":\"ok\"," at "\"ops\":[" ops "]}\n"
#define AT(from, to) "\"at\":[" from "," to "],"
#define APPEND(key, value) "{\"append\":\"" key "\",\"v\":" value "}"
#define READ(key, value) "{\"r\":\"" key "\",\"v\":" value "}"

static void an_element_that_was_there_is_not_to_be_missed(void)
{
    read_history("set", TXN("1", "0", AT("1", "2"), APPEND("s", "3"))
                            TXN("2", "1", AT("3", "4"), READ("s", "[]")));
    run(LEVEL_SERIALIZABLE);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_EQUAL(ANOMALY_LOST_ELEMENT, check.findings.at[0].kind);
    TEST_ASSERT_EQUAL_STRING("T2 did not find in s the element 3, which T1 added, and which was known "
                             "to be there before",
                             check.findings.at[0].explanation);
}

static void an_element_that_is_being_added_may_be_missed(void)
{
    read_history("set", TXN("1", "0", AT("1", "3"), APPEND("s", "3"))
                            TXN("2", "1", AT("3", "4"), READ("s", "[]")));
    run(LEVEL_SERIALIZABLE);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
}

static void expect_finding(const char *lines, enum level level, enum anomaly kind, const char *why)
{
    read_history("set", lines);
    run(level);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_EQUAL(kind, check.findings.at[0].kind);
    TEST_ASSERT_EQUAL_STRING(why, check.findings.at[0].explanation);
    tearDown();
    setUp();
}

static void elements_come_from_who_committed_and_in_one_order(void)
{
    static const char fork[] = TXN("1", "0", "", APPEND("s", "1")) TXN("2", "1", "", APPEND("s", "2"))
        TXN("3", "2", "", READ("s", "[1]")) TXN("4", "3", "", READ("s", "[2]"));
    static const char skipped[] =
        TXN("1", "0", AT("1", "2"), APPEND("s", "1")) TXN("2", "1", AT("3", "4"), APPEND("s", "2"))
            TXN("3", "2", AT("1", "9"), READ("s", "[2]"));
    static const char future[] = TXN("1", "0", AT("1", "2"), READ("s", "[1]"))
        TXN("2", "1", AT("3", "4"), APPEND("s", "1"));

    expect_finding(TXN("1", "0", "", READ("s", "[7]")), LEVEL_SERIALIZABLE, ANOMALY_GARBAGE_READ,
                   "T1 found in s the element 7, which nobody added");
    expect_finding("{\"txn\":1,\"session\":0,\"status\":\"abort\",\"ops\":[{\"append\":\"s\",\"v\":7}]}\n"
                   TXN("2", "0", "", READ("s", "[7]")),
                   LEVEL_SERIALIZABLE, ANOMALY_G1A,
                   "T2 found in s the element 7, which T1 added, and rolled back");
    expect_finding(fork, LEVEL_SNAPSHOT, ANOMALY_INCOMPATIBLE_ORDER,
                   "T3 found 1 in s and not 2; T4 found 2 in s and not 1");
    expect_finding(skipped, LEVEL_STRICT_SERIALIZABLE, ANOMALY_LOST_ELEMENT,
                   "T3 found 2 in s, and not 1, whose addition by T1 was over before T2 began to add "
                   "the other");
    expect_finding(future, LEVEL_LINEARIZABLE, ANOMALY_FUTURE_READ,
                   "T1 found 1 in s, and was over before T2 began to add it");
    read_history("set", fork);
    run(LEVEL_READ_COMMITTED);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    tearDown();
    read_history("set", skipped);
    run(LEVEL_SERIALIZABLE);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
}

static void expect_doubt(const char *workload, const char *lines, enum level level,
                         const char *reason)
{
    read_history(workload, lines);
    run(level);
    TEST_ASSERT_EQUAL(VERDICT_UNKNOWN, check.verdict);
    TEST_ASSERT_EQUAL_STRING(reason, check.reason);
    tearDown();
    setUp();
}

static void what_was_not_looked_at_is_not_valid(void)
{
    expect_doubt("set", TXN("1", "0", "", APPEND("s", "3")), LEVEL_SERIALIZABLE,
                 "the set was never read");
    expect_doubt("set", TXN("1", "0", "", APPEND("s", "3")) TXN("2", "0", "", APPEND("s", "3"))
                            TXN("3", "0", "", READ("s", "[3]")),
                 LEVEL_SERIALIZABLE, "an element was added more than once");
    expect_doubt("bank", TXN("1", "0", "", ""), LEVEL_SERIALIZABLE, "nobody read a balance");
    expect_doubt("bank", TXN("1", "0", "", READ("a", "1")) TXN("2", "0", "", READ("b", "1")),
                 LEVEL_SERIALIZABLE,
                 "T1 read some accounts and not others: that says nothing of their total");
    expect_doubt("bank", TXN("1", "0", AT("1", "2"), READ("a", "1")), LEVEL_STRICT_SERIALIZABLE,
                 "no balance and no total is wrong; they say nothing of sessions and real time");
    read_history("bank", TXN("1", "0", "", READ("a", "1")) TXN("2", "0", "", READ("a", "1")));
    run(LEVEL_SERIALIZABLE);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
}

static void a_count_is_between_what_was_and_what_may_have_been_added(void)
{
    read_history("counter", TXN("1", "0", AT("1", "2"), APPEND("c", "2"))
                                TXN("2", "1", AT("3", "6"), APPEND("c", "-1"))
                                    TXN("3", "2", AT("4", "5"), READ("c", "0")));
    run(LEVEL_SERIALIZABLE);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_EQUAL(ANOMALY_COUNT_OUT_OF_BOUNDS, check.findings.at[0].kind);
    TEST_ASSERT_EQUAL_STRING("T3 read c=0, which by then was between 1 and 2",
                             check.findings.at[0].explanation);
}

static const char two_sums[] = TXN("1", "0", "", READ("a", "10") "," READ("b", "5"))
    TXN("2", "1", "", READ("a", "9") "," READ("b", "5")) TXN("3", "1", "", READ("a", "-1"));

static void all_accounts_together_always_hold_the_same(void)
{
    read_history("bank", two_sums);
    run(LEVEL_SNAPSHOT);
    TEST_ASSERT_EQUAL(VERDICT_INVALID, check.verdict);
    TEST_ASSERT_EQUAL_UINT64(2, check.findings.count);
    TEST_ASSERT_TRUE(fixture_has_kind(&check, ANOMALY_WRONG_TOTAL));
    TEST_ASSERT_TRUE(fixture_has_kind(&check, ANOMALY_NEGATIVE_BALANCE));
    TEST_ASSERT_TRUE(fixture_has_finding(&check, &history, ANOMALY_WRONG_TOTAL,
                                         (int64_t[]){ 1, 2 }, 2));
}

/* What is read one after another need not have been there together. */
static void at_read_committed_totals_say_nothing(void)
{
    read_history("bank", two_sums);
    run(LEVEL_READ_COMMITTED);
    TEST_ASSERT_EQUAL_UINT64(1, check.findings.count);
    TEST_ASSERT_FALSE(fixture_has_kind(&check, ANOMALY_WRONG_TOTAL));
}

/* Lists and registers are not what these reads are of. */
static void no_other_checker_judges_them(void)
{
    static const char *const names[] = { "order", "certificate", "blackbox", "weak" };

    read_history("bank", two_sums);
    TEST_ASSERT_TRUE(workload_is_own(&history));
    for (size_t i = 0; i < ROW_COUNT(names); i++)
        TEST_ASSERT_EQUAL(STATUS_BAD_INPUT,
                          checker_examine(checker_find(text_of(names[i])), &history,
                                          LEVEL_READ_COMMITTED, &err));
    TEST_ASSERT_EQUAL(STATUS_OK, checker_examine(checker_find(TEXT("infer")), &history,
                                                 LEVEL_SERIALIZABLE, &err));
    history_close(&history);
    read_history("bank", TXN("1", "0", "", "{\"w\":\"a\",\"v\":10}"));
    TEST_ASSERT_FALSE(workload_is_own(&history));
    history_close(&history);
    read_history("set", TXN("1", "0", "", "{\"w\":\"a\",\"v\":10}"));
    TEST_ASSERT_EQUAL(WORKLOAD_NONE, workload_of(&history));
}

/* --- Witnesses that are not true ---------------------------------------------------------- */

static void expect_refusal(const char *checker, const char *level, const char *evidence,
                           const char *words)
{
    struct buffer text = { 0 };
    char reason[512];

    fixture_begin(&text, &history);
    buffer_print(&text, "\"checker\":\"%s\",\"level\":\"%s\",%s}\n", checker, level, evidence);
    TEST_ASSERT_FALSE(fixture_verify(&history, (struct text){ text.at, text.count }, reason));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(reason, words), reason);
    buffer_close(&text);
}

#define ANOMALY(kind, txns, proof)                                                                 \
    "\"verdict\":\"invalid\",\"anomalies\":[{\"kind\":\"" kind "\",\"transactions\":[" txns              \
    "],\"explanation\":\"\"," proof "}]"

static void what_is_not_so_of_a_workload_is_refused(void)
{
    read_history("set", TXN("1", "0", AT("1", "2"), APPEND("s", "1"))
                            TXN("2", "0", AT("1", "9"), APPEND("s", "2"))
                                TXN("3", "1", AT("3", "4"), READ("s", "[1]"))
                                    TXN("4", "2", AT("3", "4"), READ("s", "[2,1]")));
    run(LEVEL_STRICT_SERIALIZABLE);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
    expect_refusal("infer", "serializable", "\"verdict\":\"valid\",\"order\":[1,2,3,4]",
                   "transaction 3: the answer is not what the order gives");
    expect_refusal("infer", "serializable", "\"verdict\":\"valid\",\"order\":[1,3,2]",
                   "is not in the order");
    expect_refusal("blackbox", "serializable", "\"verdict\":\"valid\",\"order\":[1,3,2,4]",
                   "only infer judges");
    /* As lists the two reads would contradict each other. */
    expect_refusal("infer", "serializable",
                   ANOMALY("incompatible-order", "3,4",
                           "\"reads\":[{\"txn\":3,\"op\":0,\"key\":\"s\"},"
                           "{\"txn\":4,\"op\":0,\"key\":\"s\"}]"),
                   "one of the two has all that the other has");
    expect_refusal("infer", "strict-serializable",
                   ANOMALY("lost-element", "2,3",
                           "\"read\":{\"txn\":3,\"op\":0,\"key\":\"s\",\"version\":2}"),
                   "need not have been there yet");
    expect_refusal("infer", "serializable",
                   ANOMALY("garbage-read", "4", "\"read\":{\"txn\":4,\"op\":0,\"key\":\"s\"}"),
                   "somebody added each element");
    expect_refusal("infer", "strict-serializable",
                   ANOMALY("future-read", "2,4",
                           "\"read\":{\"txn\":4,\"op\":0,\"key\":\"s\",\"version\":2}"),
                   "may have been there by then");
    expect_refusal("infer", "serializable",
                   ANOMALY("G1a", "1,3",
                           "\"read\":{\"txn\":3,\"op\":0,\"key\":\"s\",\"version\":1}"),
                   "may have been there by then");
}

static void a_bank_holds_by_its_totals_alone(void)
{
    read_history("bank", TXN("1", "0", AT("1", "2"), READ("a", "1"))
                             TXN("2", "0", AT("3", "4"), READ("a", "2")));
    expect_refusal("infer", "serializable", "\"verdict\":\"valid\",\"order\":[1,2]",
                   "transaction 2 found another total");
    expect_refusal("infer", "strict-serializable", "\"verdict\":\"valid\",\"order\":[1,2]",
                   "totals say nothing of sessions and real time");
}

/* --- Random ones, against the rules as they stand --------------------------------------- */

static bool is_over(uint32_t a, uint32_t b)
{
    if (history.txn_status[a] != TXN_OK)
        return false;
    if (!history.txn_invoked)
        return history.txn_session[a] == history.txn_session[b] && a < b;
    return history.txn_completed[a] < history.txn_invoked[b];
}

static bool has_element(uint32_t op, int64_t element)
{
    uint64_t list = (uint64_t)history.op_value[op];

    if (history.op_value_kind[op] != VALUE_LIST)
        return false;
    for (uint64_t i = history.list_start[list]; i < history.list_start[list + 1]; i++)
        if (history.list_element[i] == element)
            return true;
    return false;
}

static bool is_answered(uint32_t op)
{
    return history.op_kind[op] == OP_READ && history.txn_status[history_txn_of(&history, op)] == TXN_OK;
}

/* Some element that somebody added, and that was known before, is missing. */
static bool misses_something(uint32_t read)
{
    uint32_t reader = history_txn_of(&history, read);

    for (uint32_t a = 0; a < history.op_count; a++) {
        uint32_t adder = history_txn_of(&history, a);
        bool is_known = is_over(adder, reader);

        if (history.op_kind[a] != OP_APPEND || history.op_key[a] != history.op_key[read] ||
            history.txn_status[adder] == TXN_ABORT || has_element(read, history.op_value[a]))
            continue;
        for (uint32_t r = 0; r < history.op_count && !is_known; r++)
            is_known = is_answered(r) && history.op_key[r] == history.op_key[read] &&
                       has_element(r, history.op_value[a]) &&
                       is_over(history_txn_of(&history, r), reader);
        if (is_known)
            return true;
    }
    return false;
}

/* Some element is there that nobody added who may have committed. */
static bool is_strange(uint32_t read)
{
    for (int64_t e = 0; e < 6; e++) {
        bool is_added = false;

        for (uint32_t a = 0; a < history.op_count; a++)
            is_added |= history.op_kind[a] == OP_APPEND && history.op_value[a] == e &&
                        history.op_key[a] == history.op_key[read] &&
                        history.txn_status[history_txn_of(&history, a)] != TXN_ABORT;
        if (has_element(read, e) && !is_added)
            return true;
    }
    return false;
}

static bool is_out_of_bounds(uint32_t read)
{
    uint32_t reader = history_txn_of(&history, read);
    int64_t low = 0, high = 0;

    for (uint32_t a = 0; a < history.op_count; a++) {
        uint32_t adder = history_txn_of(&history, a);
        int64_t added = history.op_value[a];
        bool is_sure = adder == reader ? a < read : is_over(adder, reader);

        if (history.op_kind[a] != OP_APPEND || history.op_key[a] != history.op_key[read] ||
            history.txn_status[adder] == TXN_ABORT || (adder == reader && a > read) ||
            is_over(reader, adder))
            continue;
        low += is_sure || added < 0 ? added : 0;
        high += is_sure || added > 0 ? added : 0;
    }
    return history.op_value[read] < low || history.op_value[read] > high;
}

static void add_op(struct builder *b, struct random *random, bool is_set, enum txn_status status)
{
    uint32_t key = (uint32_t)random_below(random, 2);
    int64_t elements[6];
    size_t count = 0;
    struct value value = value_none();

    if (random_below(random, 2)) {
        int64_t added = is_set ? (int64_t)random_below(random, 6) : random_between(random, -2, 3);

        ASSERT_OK(builder_add_op(b, OP_APPEND, key, value_integer(added), &err), &err);
        return;
    }
    if (is_set) {
        for (int64_t e = 0; e < 6; e++)
            if (random_below(random, 3))
                elements[count++] = e;
        ASSERT_OK(builder_list(b, elements, count, &value, &err), &err);
    } else {
        value = value_integer(random_between(random, -1, 4));
    }
    ASSERT_OK(builder_add_op(b, OP_READ, key, status == TXN_OK ? value : value_none(), &err), &err);
}

static void make(struct random *random, bool is_set)
{
    bool is_timed = random_below(random, 2);
    struct builder b;
    uint32_t key;

    builder_init(&b);
    ASSERT_OK(builder_set_workload(&b, is_set ? TEXT("set") : TEXT("counter"), &err), &err);
    ASSERT_OK(builder_key(&b, TEXT("x"), &key, &err), &err);
    ASSERT_OK(builder_key(&b, TEXT("y"), &key, &err), &err);
    for (int64_t t = 0; t < 6; t++) {
        enum txn_status status = random_below(random, 4)  ? TXN_OK
                                 : random_below(random, 2) ? TXN_ABORT
                                                           : TXN_UNKNOWN;
        int64_t began = (int64_t)random_below(random, 12);

        ASSERT_OK(builder_begin_txn(&b, t, (int64_t)random_below(random, 3), status, &err), &err);
        if (is_timed)
            ASSERT_OK(builder_set_txn_at(&b, began,
                                         status == TXN_UNKNOWN
                                             ? TIME_NEVER
                                             : began + (int64_t)random_below(random, 6),
                                         &err),
                      &err);
        do
            add_op(&b, random, is_set, status);
        while (random_below(random, 2));
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    builder_close(&b);
}

static void random_histories_are_judged_as_the_rules_say(void)
{
    struct random_key seed = random_key_of_seed(8);
    struct random random;
    size_t invalid = 0, rounds = fixture_rounds(400);

    random_init(&random, &seed);
    for (size_t round = 0; round < rounds; round++) {
        bool is_set = round % 2, is_wrong = false;

        make(&random, is_set);
        for (uint32_t op = 0; op < history.op_count; op++)
            is_wrong |= is_answered(op) && (is_set ? misses_something(op) || is_strange(op)
                                                   : is_out_of_bounds(op));
        run(LEVEL_READ_COMMITTED);
        TEST_ASSERT_EQUAL(is_wrong, check.verdict == VERDICT_INVALID);
        invalid += is_wrong;
        tearDown();
        setUp();
    }
    TEST_ASSERT_TRUE(invalid > rounds / 10 && invalid < rounds);
}

/* --- Random ones, against all orders ---------------------------------------------------- */

#define SMALL 6

/* Whether the rest can follow what is placed; whoever may not have committed may as well be last. */
static bool has_order(bool by_time, bool is_set, unsigned placed, int64_t held[2])
{
    if (placed == (1u << history.txn_count) - 1)
        return true;
    for (uint32_t t = 0; t < history.txn_count; t++) {
        uint32_t op = history.txn_op[t], key = history.op_key[op];
        int64_t now[2] = { held[0], held[1] }, found = history.op_value[op];
        bool may = !(placed >> t & 1), is_read = history.op_kind[op] == OP_READ;

        for (uint32_t other = 0; other < history.txn_count; other++)
            may &= placed >> other & 1 || !by_time || !is_over(other, t);
        if (is_read && is_set) {
            found = 0;
            for (int64_t e = 0; e < SMALL; e++)
                found |= (int64_t)has_element(op, e) << e;
        }
        if (!may || (is_read && is_answered(op) && found != held[key]))
            continue;
        if (!is_read && history.txn_status[t] != TXN_ABORT)
            now[key] = is_set ? now[key] | INT64_C(1) << history.op_value[op]
                              : now[key] + history.op_value[op];
        if (has_order(by_time, is_set, placed | 1u << t, now))
            return true;
    }
    return false;
}

/* Each transaction does one thing; elements are added once; of a counter all additions are 1. */
static void make_small(struct random *random, bool is_set)
{
    struct builder b;
    uint32_t key;

    builder_init(&b);
    ASSERT_OK(builder_set_workload(&b, is_set ? TEXT("set") : TEXT("counter"), &err), &err);
    ASSERT_OK(builder_key(&b, TEXT("x"), &key, &err), &err);
    ASSERT_OK(builder_key(&b, TEXT("y"), &key, &err), &err);
    for (int64_t t = 0; t < SMALL; t++) {
        enum txn_status status = random_below(random, 6) ? TXN_OK : TXN_UNKNOWN;
        int64_t began = (int64_t)random_below(random, 12), elements[SMALL];
        size_t count = 0;
        struct value value = value_integer((int64_t)random_below(random, 3));

        key = random_below(random, 5) == 0;
        ASSERT_OK(builder_begin_txn(&b, t, t, status, &err), &err);
        ASSERT_OK(builder_set_txn_at(&b, began,
                                     status == TXN_UNKNOWN ? TIME_NEVER
                                                           : began + (int64_t)random_below(random, 6),
                                     &err),
                  &err);
        if (random_below(random, 2)) {
            ASSERT_OK(builder_add_op(&b, OP_APPEND, key, value_integer(is_set ? t : 1), &err), &err);
            continue;
        }
        for (int64_t e = 0; e < SMALL; e++)
            if (random_below(random, 4) == 0)
                elements[count++] = e;
        if (is_set)
            ASSERT_OK(builder_list(&b, elements, count, &value, &err), &err);
        ASSERT_OK(builder_add_op(&b, OP_READ, key, status == TXN_OK ? value : value_none(), &err),
                  &err);
    }
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    builder_close(&b);
}

/* An invalid counter may be unknown: within its bounds, and without an order. */
static void whether_there_is_an_order_is_told(void)
{
    struct random_key seed = random_key_of_seed(9);
    struct random random;
    size_t valid = 0, invalid = 0, rounds = fixture_rounds(3000);

    random_init(&random, &seed);
    for (size_t round = 0; round < rounds; round++) {
        bool is_set = round % 2, is_valid;

        make_small(&random, is_set);
        is_valid = has_order(true, is_set, 0, (int64_t[2]){ 0, 0 });
        run(LEVEL_STRICT_SERIALIZABLE);
        TEST_ASSERT_TRUE(check.verdict != VERDICT_INVALID || !is_valid);
        TEST_ASSERT_TRUE(check.verdict != VERDICT_VALID || is_valid);
        TEST_ASSERT_TRUE(check.verdict != VERDICT_UNKNOWN || (!is_set && !is_valid) ||
                         strcmp(check.reason, "the set was never read") == 0);
        valid += check.verdict == VERDICT_VALID;
        invalid += check.verdict == VERDICT_INVALID;
        check_close(&check);
        run(LEVEL_SERIALIZABLE);
        TEST_ASSERT_TRUE(check.verdict != VERDICT_VALID ||
                         has_order(false, is_set, 0, (int64_t[2]){ 0, 0 }));
        TEST_ASSERT_TRUE(check.verdict != VERDICT_INVALID || !is_valid);
        tearDown();
        setUp();
    }
    TEST_ASSERT_TRUE(valid > rounds / 20 && invalid > rounds / 10);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_element_that_was_there_is_not_to_be_missed);
    RUN_TEST(an_element_that_is_being_added_may_be_missed);
    RUN_TEST(elements_come_from_who_committed_and_in_one_order);
    RUN_TEST(what_was_not_looked_at_is_not_valid);
    RUN_TEST(a_count_is_between_what_was_and_what_may_have_been_added);
    RUN_TEST(all_accounts_together_always_hold_the_same);
    RUN_TEST(at_read_committed_totals_say_nothing);
    RUN_TEST(no_other_checker_judges_them);
    RUN_TEST(what_is_not_so_of_a_workload_is_refused);
    RUN_TEST(a_bank_holds_by_its_totals_alone);
    RUN_TEST(whether_there_is_an_order_is_told);
    RUN_TEST(random_histories_are_judged_as_the_rules_say);
    return UNITY_END();
}
