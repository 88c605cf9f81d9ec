/*
 * Which keys and versions a witness may speak of: those of a statement's own table, and those
 * that a version order lists, whether they lasted or not.
 */
#include <string.h>

#include "checkers/checker.h"
#include "history/jsonl/jsonl_read.h"
#include "tests/fixture.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void)
{
    fixture_history(NULL);
}

#define CYCLE(edge, key)                                                                           \
    "\"checker\":\"certificate\",\"level\":\"serializable\",\"verdict\":\"invalid\","              \
    "\"anomalies\":[{\"kind\":\"G-single\",\"transactions\":[1,2],\"explanation\":\"\","           \
    "\"cycle\":[{\"from\":2,\"to\":1,\"edge\":\"" edge "\",\"key\":\"" key                         \
    "\",\"from-op\":0,\"to-op\":0,\"from-version\":null,\"to-version\":1,\"why\":\"\"},"           \
    "{\"from\":1,\"to\":2,\"edge\":\"wr\",\"key\":\"y\",\"from-op\":1,\"to-op\":1,"                \
    "\"from-version\":1,\"to-version\":1,\"why\":\"\"}]}]"

static void a_statement_has_read_nothing_but_its_table(void)
{
    fixture_history("T1: w x 1, w y 1; T2: sel * {} from t/1 init, r y 1 from T1; T3: w t/1 3;"
                    "order x T1; order y T1; order t/1 T3");
    ASSERT_REFUSED("the operation read no such thing", CYCLE("rw", "x"));
    ASSERT_REFUSED("the operation read no such thing", CYCLE("predicate-rw", "x"));
}

/* Versions that their own transaction overwrote may be listed, or not. */
static const char overwritten[] =
    "{\"ordeal-history\":1}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":1},"
    "{\"w\":\"x\",\"v\":2}],\"ts\":1}\n"
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":2},"
    "{\"w\":\"x\",\"v\":3}],\"ts\":2}\n"
    "{\"txn\":3,\"session\":2,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":3}],\"ts\":3}\n"
    "{\"version-order\":{\"x\":[[1,1],1,2]}}\n";

static void an_order_may_list_what_did_not_last(void)
{
    struct error err = { 0 };
    struct check_options options = { .level = LEVEL_SERIALIZABLE, .flags = CHECK_WITNESS };
    struct source source;
    struct history history;
    struct check check;
    char reason[512];
    bool is_accepted;

    ASSERT_OK(source_open_memory(&source, "memory", overwritten, strlen(overwritten), &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, &history, &err), &err);
    source_close(&source);
    ASSERT_OK(checker_run(checker_find(TEXT("certificate")), &history, &options, &check, &err),
              &err);
    TEST_ASSERT_EQUAL(VERDICT_VALID, check.verdict);
    is_accepted =
        fixture_verify(&history, (struct text){ check.witness.at, check.witness.count }, reason);
    TEST_ASSERT_TRUE_MESSAGE(is_accepted, reason);
    check_close(&check);
    history_close(&history);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_statement_has_read_nothing_but_its_table);
    RUN_TEST(an_order_may_list_what_did_not_last);
    return UNITY_END();
}
