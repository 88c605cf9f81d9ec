#include "trial/run/signature.h"

#include <stdio.h>
#include <string.h>

#include "checkers/checker.h"
#include "history/builder.h"
#include "tests/fixture.h"
#include "unity.h"

static char text[SIGNATURE_SIZE];

void setUp(void) {}
void tearDown(void) {}

static void sign(const char *proof)
{
    static const struct history nobody;
    struct check check = { .checker = checker_find(TEXT("certificate")),
                           .level = LEVEL_SERIALIZABLE };
    char copy[4000];
    struct check_finding finding = { .kind = ANOMALY_G2_ITEM, .proof = copy };

    TEST_ASSERT_LESS_THAN_UINT64(sizeof copy, strlen(proof));
    strcpy(copy, proof);
    signature_of_finding(text, &check, &nobody, &finding);
}

/* "wr rw" as a proof has it. */
static void sign_cycle(const char *kinds)
{
    struct buffer proof = { 0 };

    buffer_text(&proof, TEXT("\"cycle\":["));
    for (const char *at = kinds; *at; at += strspn(at, " ")) {
        buffer_print(&proof,
                     "%s{\"from\":1,\"to\":2,\"edge\":\"%.*s\",\"key\":\"x\",\"why\":\"\\\"edge\\\":"
                     "\\\"no\\\"\"}",
                     at == kinds ? "" : ",", (int)strcspn(at, " "), at);
        at += strcspn(at, " ");
    }
    buffer_text(&proof, TEXT("]"));
    buffer_byte(&proof, '\0');
    sign(proof.at);
    buffer_close(&proof);
}

static void every_rotation_of_a_cycle_has_one_signature(void)
{
    static const struct {
        const char *cycle, *shape;
    } rows[] = {
        { "rw wr", "rw wr" },
        { "wr rw", "rw wr" },
        { "ww rw wr", "rw wr ww" },
        { "wr ww rw", "rw wr ww" },
        { "rw ww rw wr", "rw wr rw ww" },
        { "rw wr rw ww", "rw wr rw ww" },
        { "predicate-rw process", "predicate-rw process" },
        { "ww", "ww" },
    };
    char expected[SIGNATURE_SIZE];

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        sign_cycle(rows[i].cycle);
        snprintf(expected, sizeof expected, "certificate serializable G2-item %s", rows[i].shape);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, text, rows[i].cycle);
    }
}

static void as_many_dependencies_as_there_are_in_a_row_are_one(void)
{
    sign_cycle("wr wr wr rw");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item rw wr+", text);
    sign_cycle("wr rw wr");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item rw wr+", text);
    sign_cycle("wr wr");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item wr+", text);
}

static void anti_dependencies_are_counted(void)
{
    sign_cycle("rw rw");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item rw rw", text);
    sign_cycle("predicate-rw predicate-rw predicate-rw");
    TEST_ASSERT_EQUAL_STRING(
        "certificate serializable G2-item predicate-rw predicate-rw predicate-rw", text);
}

static void of_other_proofs_the_shape_is_their_name(void)
{
    sign("\"writes\":{\"key\":\"x\",\"versions\":[1,2]}");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item writes", text);
    sign("\"refutation\":[]");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item refutation", text);
    sign("");
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item", text);
}

static void a_long_cycle_is_long(void)
{
    struct buffer proof = { 0 };

    buffer_text(&proof, TEXT("\"cycle\":["));
    for (int i = 0; i < 70; i++)
        buffer_text(&proof, TEXT("{\"edge\":\"rw\"},"));
    buffer_byte(&proof, '\0');
    sign(proof.at);
    TEST_ASSERT_EQUAL_STRING("certificate serializable G2-item long", text);
    buffer_close(&proof);
}

static void what_a_process_says_stays_on_its_line(void)
{
    char shape[SIGNATURE_SIZE + 10];

    signature_of_process(text, "invariant", "SELECT sum(balance)\n  FROM accounts");
    TEST_ASSERT_EQUAL_STRING("run - invariant SELECT sum(balance)   FROM accounts", text);
    signature_of_process(text, "stuck", "");
    TEST_ASSERT_EQUAL_STRING("run - stuck", text);
    /* Cut behind a whole character. */
    memset(shape, 'x', sizeof shape);
    memcpy(shape + SIGNATURE_SIZE - 14, "€€", 7);
    signature_of_process(text, "crash", shape);
    TEST_ASSERT_TRUE(text_is_utf8(text_of(text)));
    TEST_ASSERT_GREATER_THAN_UINT64(SIGNATURE_SIZE - 5, strlen(text));
}

static void assert_text(const char *expected, struct text got)
{
    TEST_ASSERT_EQUAL_UINT64(strlen(expected), got.length);
    TEST_ASSERT_EQUAL_MEMORY(expected, got.at, got.length);
}

static void its_parts_are_found_again(void)
{
    struct signature_parts parts = signature_parts(TEXT("order snapshot G-single rw wr+ ww"));

    assert_text("order", parts.checker);
    assert_text("snapshot", parts.level);
    assert_text("G-single", parts.anomaly);
    assert_text("rw wr+ ww", parts.shape);
    assert_text("order snapshot G-single", signature_class(TEXT("order snapshot G-single rw")));
    assert_text("run - stuck", signature_class(TEXT("run - stuck")));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(every_rotation_of_a_cycle_has_one_signature);
    RUN_TEST(as_many_dependencies_as_there_are_in_a_row_are_one);
    RUN_TEST(anti_dependencies_are_counted);
    RUN_TEST(of_other_proofs_the_shape_is_their_name);
    RUN_TEST(a_long_cycle_is_long);
    RUN_TEST(what_a_process_says_stays_on_its_line);
    RUN_TEST(its_parts_are_found_again);
    return UNITY_END();
}
