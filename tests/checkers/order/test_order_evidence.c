/*
 * What `order` says beside its verdict: the sentence and the witness of a transaction that is in
 * the wrong place, which the verifier takes or leaves, and what one part of a history leaves behind
 * for the next.
 */
#include "checkers/order/order.h"

#include <string.h>

#include "history/builder.h"
#include "history/jsonl/jsonl_read.h"
#include "history/jsonl/jsonl_write.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/notation.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

static void assert_verified(const struct history *h, const struct check *check)
{
    char reason[512];
    bool is_accepted =
        fixture_verify(h, (struct text){ check->witness.at, check->witness.count }, reason);

    TEST_ASSERT_TRUE_MESSAGE(is_accepted, reason);
}

static void a_transaction_in_the_wrong_place_is_told_and_proved(void)
{
    static const struct {
        const char *notation;
        enum level level;
        const char *explanation, *proof; /* `proof`: what stands in it */
    } rows[] = {
        { "T1 s1 ts2: w x 1; T2 s1 ts1: r x _", LEVEL_SESSION_SERIALIZABLE,
          "T2 read x=null before T1 wrote it; "
          "T1 came before T2 in session 1; so T1 comes both after and before T2",
          "\"edge\":\"process\"" },
        { "T1 s1 ts2: w x 1; T2 s1 ts1: w x 3", LEVEL_SESSION_SERIALIZABLE,
          "T2 wrote x=3, which T1 overwrote; "
          "T1 came before T2 in session 1; so T1 comes both after and before T2",
          "\"from-op\":0,\"to-op\":0,\"from-version\":2,\"to-version\":1" },
        { "T1 s1 ts2: w x 1, w x 2; T2 s1 ts1: w y 1, w x 3, w x 4", LEVEL_SESSION_SERIALIZABLE,
          "T2 wrote x=4, which T1 overwrote; "
          "T1 came before T2 in session 1; so T1 comes both after and before T2",
          "\"from-op\":2,\"to-op\":1,\"from-version\":2,\"to-version\":1" },
        { "T1 @10-20 ts2: w x 1; T2 @25-30 ts1: r x _", LEVEL_STRICT_SERIALIZABLE,
          "T2 read x=null before T1 wrote it; "
          "T1 had completed before T2 began; so T1 comes both after and before T2",
          "\"edge\":\"realtime\"" },
        { "T1 @10-20 ts2: w x 1; T2 @25-30 ts1: w x 3", LEVEL_STRICT_SERIALIZABLE,
          "T2 wrote x=3, which T1 overwrote; "
          "T1 had completed before T2 began; so T1 comes both after and before T2",
          "\"edge\":\"ww\"" },
        { "T1 @10-20 ts2: w x 1; T2 @25-30 ts1: w y 3", LEVEL_STRICT_SERIALIZABLE,
          "the store puts T2 before T1; "
          "T1 had completed before T2 began; so T1 comes both after and before T2",
          "\"edge\":\"order\"" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct history history;
        struct check check;

        notation_read(rows[i].notation, &history);
        check = fixture_check("order", &history, rows[i].level, CHECK_WITNESS);
        TEST_ASSERT_EQUAL_MESSAGE(1, check.findings.count, rows[i].notation);
        TEST_ASSERT_EQUAL_STRING(rows[i].explanation, check.findings.at[0].explanation);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(check.findings.at[0].proof, rows[i].proof),
                                     check.findings.at[0].proof);
        assert_verified(&history, &check);
        check_close(&check);
        history_close(&history);
    }
}

/* --- In parts --------------------------------------------------------------------- */

static const char first_part[] =
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"name\":\"text\","
    "\"on\":\"boolean\",\"list\":\"bigint[]\"},\"key\":[\"id\"]}},"
    "\"initial\":{\"t/1\":{\"id\":1,\"name\":\"a\",\"on\":true,\"list\":[1]},\"gone\":\"b\"}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"insert\":\"t\",\"rows\":{\"2\":"
    "{\"id\":2,\"name\":\"c\",\"on\":false,\"list\":[2,3]}}},{\"d\":\"gone\"},"
    "{\"w\":\"text\",\"v\":\"d\"},{\"w\":\"truth\",\"v\":true}],\"ts\":1}\n";

static void read_text(const char *text, struct history *history)
{
    struct source source;

    ASSERT_OK(source_open_memory(&source, "memory", text, strlen(text), &err), &err);
    ASSERT_OK(jsonl_read(&source, 0, history, &err), &err);
    source_close(&source);
}

static void add_table(struct builder *next)
{
    static const char *const columns[][2] = {
        { "id", "bigint" }, { "name", "text" }, { "on", "boolean" }, { "list", "bigint[]" }
    };
    uint32_t table;

    ASSERT_OK(builder_add_table(next, TEXT("t"), &table, &err), &err);
    for (size_t i = 0; i < ROW_COUNT(columns); i++)
        ASSERT_OK(builder_add_column(next, text_of(columns[i][0]), text_of(columns[i][1]), &err),
                  &err);
    ASSERT_OK(builder_add_key_column(next, TEXT("id"), &err), &err);
    ASSERT_OK(builder_end_table(next, &err), &err);
}

static void rows_texts_and_truths_are_carried_into_the_next_part(void)
{
    static const char initial[] =
        "\"initial\":{\"t/1\":{\"id\":1,\"name\":\"a\",\"on\":true,\"list\":[1]},"
        "\"t/2\":{\"id\":2,\"name\":\"c\",\"on\":false,\"list\":[2,3]},"
        "\"text\":\"d\",\"truth\":true}";
    struct history first, second;
    struct builder next;
    struct buffer written = { 0 };
    struct sink sink;

    read_text(first_part, &first);
    builder_init(&next);
    add_table(&next);
    ASSERT_OK(order_carry(&first, &next, &err), &err);
    ASSERT_OK(builder_finish(&next, &second, &err), &err);
    sink_open_memory(&sink, &written);
    ASSERT_OK(jsonl_write(&second, &sink, NULL, &err), &err);
    sink_close(&sink);
    buffer_byte(&written, '\0');
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(written.at, initial), written.at);
    TEST_ASSERT_EQUAL(4, second.initial_count);
    buffer_close(&written);
    history_close(&first);
    history_close(&second);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_transaction_in_the_wrong_place_is_told_and_proved);
    RUN_TEST(rows_texts_and_truths_are_carried_into_the_next_part);
    return UNITY_END();
}
