/*
 * The grammar of witnesses: what is no witness is told apart from what is not true.
 */
#include "verify/witness/witness.h"

#include <stdio.h>
#include <string.h>

#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void)
{
    fixture_history("T1 ts1: w x 1; T2 ts2: r x 1; order x T1");
}

void tearDown(void)
{
    fixture_history(NULL);
}

/* The digest of the fixture stands for every %. */
static bool judge(const char *pattern, bool *is_witness, char reason[512])
{
    struct digest digest = history_digest(fixture_now());
    struct buffer witness = { 0 };
    char hex[DIGEST_HEX_SIZE];
    bool is_accepted;

    digest_hex(&digest, hex);
    for (; *pattern; pattern++)
        if (*pattern == '%')
            buffer_text(&witness, text_of(hex));
        else
            buffer_byte(&witness, *pattern);
    is_accepted = fixture_judge(fixture_now(), (struct text){ witness.at, witness.count },
                                is_witness, reason);
    buffer_close(&witness);
    return is_accepted;
}

static const char good[] =
    "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"order\",\"level\":\"serializable\","
    "\"verdict\":\"valid\",\"order\":[1,2]}";

static void blanks_and_line_ends_may_stand_between_words(void)
{
    static const char *const patterns[] = {
        good,
        " {\n\"order\" : [ 1 ,\r\n 2 ] ,\"verdict\":\"valid\",\t\"level\":\"serializable\","
        "\"checker\":\"order\",\n\"history\":\"%\",\"ordeal-witness\":1}\n\n",
        "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"ord\\u0065r\",\"level\":"
        "\"serializable\",\"verdict\":\"valid\",\"order\":[1,2]}",
    };

    for (size_t i = 0; i < ROW_COUNT(patterns); i++) {
        bool is_witness;
        char reason[512];

        TEST_ASSERT_TRUE_MESSAGE(judge(patterns[i], &is_witness, reason), reason);
    }
}

/* Of a witness that is otherwise as `good`, or that has these anomalies. */
#define VALID(fields)                                                                              \
    "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"order\",\"level\":\"serializable\","    \
    "\"verdict\":\"valid\"" fields "}"
#define INVALID(anomalies)                                                                         \
    "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"order\",\"level\":\"serializable\","    \
    "\"verdict\":\"invalid\",\"anomalies\":" anomalies "}"
#define ONE(proof)                                                                                 \
    INVALID("[{\"kind\":\"G1a\",\"transactions\":[1],\"explanation\":\"\"" proof "}]")
#define EDGE(fields) ONE(",\"cycle\":[{" fields "}]")

static void what_does_not_follow_the_grammar_is_no_witness(void)
{
    static const struct {
        const char *pattern, *words;
    } rows[] = {
        { "", "expected a witness" },
        { "[]", "expected a witness" },
        { "{}", "\"ordeal-witness\" is missing" },
        { "{\"ordeal-witness\":2}", "only version 1" },
        { "{\"ordeal-witness\":1.0}", "fractions" },
        { "{\"ordeal-witness\":1,\"ordeal-witness\":1}", "twice" },
        { "{\"witness\":1}", "unknown field \"witness\"" },
        { "{\"ordeal-witness\":1,\"history\":\"00\"}", "64 hex digits" },
        { "{\"ordeal-witness\":1,\"history\":5}", "expected the digest" },
        { VALID(""), "\"order\" is missing" },
        { VALID(",\"order\":[1,2]") " {}", "nothing more" },
        { VALID(",\"order\":[1,2"), "expected" },
        { VALID(",\"order\":[1,\"2\"]"), "expected a transaction's id" },
        { VALID(",\"order\":[1,2.5]"), "fractions" },
        { VALID(",\"order\":[1,2e0]"), "fractions" },
        { VALID(",\"order\":[1,02]"), "leading zeros" },
        { VALID(",\"order\":[9223372036854775808]"), "beyond 64 bits" },
        { VALID(",\"order\":[[1,2]]"), "expected a transaction's id" },
        { VALID(",\"order\":[1,2],\"order\":[1,2]"), "twice" },
        { VALID(",\"order\":[1,2],\"anomalies\":[]"), "valid verdict with anomalies" },
        { VALID(",\"order\":[1,2],\"level\":\"serializable\""), "twice" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"oracle\"}", "is not a checker" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"level\":\"strict\"}", "is not a level" },
        { "{\"ordeal-witness\":1,\"verdict\":\"unknown\"}", "is not \"valid\"" },
        { INVALID("[]"), "without anomalies" },
        { INVALID("{}"), "expected an array" },
        { INVALID("[{}]"), "\"kind\" is missing" },
        { ONE(""), "for a proof" },
        { ONE(",\"cycle\":[]"), "at least one edge" },
        { ONE(",\"cycle\":[{}]"), "\"from\" is missing" },
        { ONE(",\"read\":{}"), "\"txn\" is missing" },
        { ONE(",\"read\":{\"txn\":1,\"op\":-1}"), "counted from 0" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0},\"read\":{\"txn\":1,\"op\":0}"), "twice" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0},\"writes\":{}"), "one proof" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0,\"version\":[1]}"), "[id,n]" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0,\"version\":[1,0]}"), "counted from 1" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0,\"version\":[1,2,3]}"), "[id,n]" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0,\"version\":\"1\"}"), "expected a version" },
        { ONE(",\"writes\":{\"key\":\"x\",\"versions\":[1]}"), "are two" },
        { ONE(",\"writes\":{\"key\":\"x\",\"versions\":[1,2,3]}"), "are two" },
        { ONE(",\"explanation\":\"\""), "twice" },
        { ONE(",\"why\":\"\""), "unknown field" },
        { INVALID("[{\"kind\":\"G9\"}]"), "is not an anomaly" },
        { EDGE("\"from\":1,\"to\":2,\"edge\":\"war\""), "is not an edge" },
        { EDGE("\"from\":1,\"to\":2,\"edge\":\"order\""), "\"why\" is missing" },
        { EDGE("\"from\":1,\"to\":2,\"edge\":\"ww\",\"why\":\"\""), "\"key\" is missing" },
        { EDGE("\"from\":1,\"to\":2,\"edge\":\"order\",\"why\":\"\",\"key\":\"x\""),
          "has other fields" },
        { EDGE("\"from\":1,\"to\":2,\"edge\":\"order\",\"why\":5"), "expected a sentence" },
        { "{\"ordeal-witness\":1,\"history\":\"%\n\"}", "control character" },
        { "{\"ordeal-witness\":1,\"history\":\"\xff\"}", "UTF-8" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        bool is_witness, is_accepted;
        char reason[512];

        is_accepted = judge(rows[i].pattern, &is_witness, reason);
        TEST_ASSERT_FALSE_MESSAGE(is_accepted || is_witness, rows[i].pattern);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(reason, rows[i].words), reason);
    }
}

static void what_is_not_true_is_refused(void)
{
    static const struct {
        const char *pattern, *words;
    } rows[] = {
        { VALID(",\"order\":[2,1]"), "is not greater" },
        { VALID(",\"order\":[1]"), "is not in the order" },
        { VALID(",\"order\":[1,1]"), "twice" },
        { VALID(",\"order\":[1,3]"), "no transaction 3" },
        { VALID(",\"order\":[1,2,2]"), "more transactions" },
        { VALID(",\"order\":[1,2],\"snapshots\":[0,1]"), "not one snapshot" },
        { "{\"ordeal-witness\":1,\"history\":"
          "\"0000000000000000000000000000000000000000000000000000000000000000\",\"checker\":"
          "\"order\",\"level\":\"serializable\",\"verdict\":\"valid\",\"order\":[1,2]}",
          "another history" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"order\",\"level\":\"snapshot\","
          "\"verdict\":\"valid\",\"order\":[1,2],\"snapshots\":[0,1]}",
          "does not decide" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"certificate\",\"level\":"
          "\"snapshot\",\"verdict\":\"valid\",\"order\":[1,2],\"snapshots\":[0,2]}",
          "cannot have seen" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"certificate\",\"level\":"
          "\"snapshot\",\"verdict\":\"valid\",\"order\":[1,2],\"snapshots\":[0,-1]}",
          "cannot have seen" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"certificate\",\"level\":"
          "\"snapshot\",\"verdict\":\"valid\",\"order\":[1,2],\"snapshots\":[0,0]}",
          "should come before" },
        { "{\"ordeal-witness\":1,\"history\":\"%\",\"checker\":\"blackbox\",\"level\":"
          "\"serializable\",\"verdict\":\"valid\",\"order\":[2,1]}",
          "not what the order gives" },
        { ONE(",\"read\":{\"txn\":1,\"op\":0}"), "no answer" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        bool is_witness, is_accepted;
        char reason[512];

        is_accepted = judge(rows[i].pattern, &is_witness, reason);
        TEST_ASSERT_TRUE_MESSAGE(is_witness, reason);
        TEST_ASSERT_FALSE_MESSAGE(is_accepted, rows[i].pattern);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(reason, rows[i].words), reason);
    }
}

static void nesting_ends_where_the_grammar_does(void)
{
    struct buffer witness = { 0 };
    bool is_witness;
    char reason[512];

    for (int i = 0; i < 1000000; i++)
        buffer_byte(&witness, "[{"[i % 2]);
    TEST_ASSERT_FALSE(fixture_judge(fixture_now(), (struct text){ witness.at, witness.count },
                                    &is_witness, reason));
    TEST_ASSERT_FALSE(is_witness);
    buffer_clear(&witness);
    buffer_text(&witness, TEXT("{\"order\":"));
    for (int i = 0; i < 1000000; i++)
        buffer_byte(&witness, '[');
    TEST_ASSERT_FALSE(fixture_judge(fixture_now(), (struct text){ witness.at, witness.count },
                                    &is_witness, reason));
    TEST_ASSERT_FALSE(is_witness);
    buffer_close(&witness);
}

static void a_thousand_anomalies_are_enough(void)
{
    struct buffer witness = { 0 };
    bool is_witness;
    char reason[512];

    fixture_begin(&witness, fixture_now());
    buffer_print(&witness, "\"checker\":\"order\",\"level\":\"serializable\",\"verdict\":"
                           "\"invalid\",\"anomalies\":[");
    for (int i = 0; i <= WITNESS_ANOMALIES_MAX; i++)
        buffer_print(&witness,
                     "%s{\"kind\":\"G1a\",\"transactions\":[2],\"explanation\":\"\","
                     "\"read\":{\"txn\":2,\"op\":0}}",
                     i ? "," : "");
    buffer_print(&witness, "]}");
    TEST_ASSERT_FALSE(fixture_judge(fixture_now(), (struct text){ witness.at, witness.count },
                                    &is_witness, reason));
    TEST_ASSERT_FALSE(is_witness);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(reason, "more than 1000"), reason);
    buffer_close(&witness);
}

/* Cut short anywhere, it is no witness. */
static void every_beginning_of_a_witness_is_none(void)
{
    struct buffer witness = { 0 };

    fixture_begin(&witness, fixture_now());
    buffer_print(&witness, "%s",
                 "\"checker\":\"order\",\"level\":\"serializable\",\"verdict\":"
                 "\"valid\",\"order\":[1,2]}");
    for (size_t length = 0; length <= witness.count; length++) {
        bool is_witness, is_accepted;
        char reason[512];

        is_accepted =
            fixture_judge(fixture_now(), (struct text){ witness.at, length }, &is_witness, reason);
        TEST_ASSERT_EQUAL(length == witness.count, is_accepted);
        TEST_ASSERT_EQUAL(length == witness.count, is_witness);
    }
    buffer_close(&witness);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(blanks_and_line_ends_may_stand_between_words);
    RUN_TEST(what_does_not_follow_the_grammar_is_no_witness);
    RUN_TEST(what_is_not_true_is_refused);
    RUN_TEST(nesting_ends_where_the_grammar_does);
    RUN_TEST(a_thousand_anomalies_are_enough);
    RUN_TEST(every_beginning_of_a_witness_is_none);
    return UNITY_END();
}
