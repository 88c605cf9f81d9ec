/*
 * Conditions of SQL: by hand, and random ones against the compiled conditions
 * of programs/, which share nothing with this room but the parser.
 */
#include "verify/sql/expression_private.h"
#include "verify/sql/query.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "programs/machine/predicates.h"
#include "tests/fixture.h"
#include "tests/programs/machine/predicate_fixture.h"
#include "tests/programs/machine/random_condition.h"
#include "unity.h"

static struct history history;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    history_close(&history);
}

/* 'y', 'n', null, or '!' for an error, '?' for what is not known here, 's' for no SQL. */
static char ask(uint32_t table, struct value row, const char *where)
{
    struct table_row at = { &history, table, row.bits };
    struct clause clause;
    struct scalar truth;
    char answer = 's';

    if (query_open_clause(&clause, CLAUSE_WHERE, text_of(where), &err) == STATUS_OK) {
        switch (expression_evaluate(clause.nodes[0], &at, &truth)) {
        case OUTCOME_DONE:
            answer = truth.kind == SCALAR_NULL ? '0' : truth.number ? 'y' : 'n';
            break;
        case OUTCOME_FAILED:
            answer = '!';
            break;
        case OUTCOME_UNKNOWN:
            answer = '?';
        }
    }
    query_close_clause(&clause);
    return answer;
}

/* --- By hand ----------------------------------------------------------------- */

static void conditions_mean_what_they_mean_in_sql(void)
{
    /* Rows 1 to 6 of predicate_fixture.h; the third is all null but for its id. */
    static const struct {
        const char *where, *answers;
    } rows[] = {
        { "a >= 10", "yy0nny" },
        { "NOT a >= 10", "nn0yyn" },
        { "a >= 10 OR id = 3", "yyynny" },
        { "a >= 10 AND id = 3", "nn0nnn" },
        { "a IS NULL", "nnynnn" },
        { "a IN (10, -3)", "yn0ynn" },
        { "a NOT IN (10, NULL)", "n00000" },
        { "a BETWEEN 0 AND 10", "yn0nyn" },
        { "a NOT BETWEEN 0 AND 10", "ny0yny" },
        { "m > 12.3", "nn0nny" },
        { "m = 12.3", "yn0nyn" },
        { "m = '12.300'", "yn0nyn" },
        { "m + 0.70 = 13", "yn0nyn" },
        { "s = 'it''s'", "nn0ynn" },
        { "s < 'a'", "ny0nyn" },
        { "f", "yn0y0n" },
        { "f IS TRUE", "ynnynn" },
        { "f IS NOT FALSE", "ynyyyn" },
        { "f IS UNKNOWN", "nnynyn" },
        { "f = 'true'", "yn0y0n" },
        { "a IS DISTINCT FROM 10", "nyyyyy" },
        { "a IS NOT DISTINCT FROM NULL", "nnynnn" },
        { "1 = ANY (l)", "yn0nn0" },
        { "2 = ALL (l)", "ny0ny0" },
        { "a = ANY (ARRAY[10, 0])", "yn0nyn" },
        { "COALESCE(a, 7) = 7", "nnynnn" },
        { "GREATEST(a, z) = a", "yy0nyy" },
        { "LEAST(a, z, NULL) = z", "yy0nyy" },
        { "CASE WHEN a > 0 THEN z ELSE a END = -3", "nn0ynn" },
        { "CASE a WHEN 10 THEN 1 WHEN 20 THEN 2 END = 2", "ny0000" },
        { "a / z = -20", "ny0n!n" },
        { "z <> 0 AND a / z = 10", "yn0nnn" },
        { "a / z = 10 AND z <> 0", "yn0nnn" },
        { "a + 1 > 0", "yy0ny!" },
        { "a::bigint + 1 > 0", "yy0nyy" },
        { "-a = 3", "nn0ynn" },
        { "abs(a) = 3", "nn0ynn" },
        { "a % 7 = 3", "yn0nnn" },
        { "mod(a, 7) = -3", "nn0ynn" },
        { "length(s) = 2", "yn0nyy" },
        { "cardinality(l) = 1", "nn0yn0" },
        { "\"Order\" = 9223372036854775807", "nn00ny" },
        { "w = '1970-01-01 00:00:01'", "yn0nnn" },
        { "w > timestamp '1970-01-01 00:00:01.25'", "nn0nyy" },
        { "w < '1970-01-01'", "nn0ynn" },
        { "t.a = 10", "yn0nnn" },
        { "u.a = 10", "??????" },
        { "lower(s) = 'ab'", "??????" },
        { "my.abs(a) = 3", "??????" },
        { "pg_catalog.abs(a) = 3", "nn0ynn" },
        { "my.mod(a, 7) = 3", "??????" },
        { "a::my.int4 = 10", "??0???" },
        { "other.t.a = 10", "??????" },
        /* All alternatives together have a type, whichever is taken. */
        { "CASE WHEN a > 0 THEN 1 ELSE 2.5 END / 2 = 0", "??????" },
        { "CASE WHEN a > 0 THEN 1 ELSE 2.5 END = 1", "yynnny" },
        { "CASE WHEN a > 0 THEN '10' ELSE 5 END > '9'", "??nnn?" },
        { "COALESCE(a, 1.5) % 7 = 3", "??????" },
        { "COALESCE(a, 7) % 7 = 3", "ynnnnn" },
        { "GREATEST(a, 2.5) / 2 = 1", "??????" },
        { "GREATEST('9', '10', a) = 10", "??????" },
        { "m / 2 = 1", "??0???" },
        { "c = 'x'", "?00000" },
        { "absent = 1", "??????" },
        { "a = 1 -- a comment", "nn0nnn" },
        { "a = 1; SELECT 1", "ssssss" },
        { "true GROUP BY a", "ssssss" },
        { "true ORDER BY a", "ssssss" },
        { "true) OR (true", "ssssss" },
        { "true UNION SELECT FROM t", "ssssss" },
        { "EXISTS (SELECT 1)", "??????" },
        { "", "ssssss" },
    };

    history = predicate_history(NULL);
    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (uint32_t row = 1; row <= PREDICATE_ROWS; row++) {
            char message[200];
            char answer = ask(PREDICATE_TABLE, predicate_row(&history, row - 1), rows[i].where);

            snprintf(message, sizeof message, "%s: row %u: %c", rows[i].where, row, answer);
            TEST_ASSERT_EQUAL_MESSAGE(rows[i].answers[row - 1], answer, message);
        }
}

static void deep_and_long_texts_are_refused_before_they_are_parsed(void)
{
    static const char *const pieces[] = { "(", "NOT ", "- ", "-", "a + ", "E'\\'' || (", "[" };
    struct buffer where = { 0 };

    history = predicate_history(NULL);
    for (size_t i = 0; i < ROW_COUNT(pieces); i++) {
        buffer_clear(&where);
        for (size_t n = 0; n < 100000; n++)
            buffer_text(&where, text_of(pieces[i]));
        buffer_text(&where, TEXT("1"));
        buffer_byte(&where, 0);
        TEST_ASSERT_EQUAL('s', ask(PREDICATE_TABLE, predicate_row(&history, 1), where.at));
    }
    /* As deep as it goes without that. */
    buffer_clear(&where);
    for (size_t n = 0; n < 900; n++)
        buffer_text(&where, TEXT("NOT ("));
    buffer_text(&where, TEXT("a = 1"));
    for (size_t n = 0; n < 900; n++)
        buffer_text(&where, TEXT(")"));
    buffer_byte(&where, 0);
    (void)ask(PREDICATE_TABLE, predicate_row(&history, 1), where.at);
    buffer_close(&where);
}

/* --- Against programs/ ------------------------------------------------------- */

/* The parameters that random conditions use are columns here. */
static const char *const lines =
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"a\":\"int\","
    "\"order\":\"int\",\"z\":\"smallint\",\"m\":\"numeric(8,2)\",\"any number\":\"numeric\","
    "\"s\":\"varchar(9)\",\"it\\\"s\":\"text\",\"f\":\"boolean\",\"w\":\"timestamp\","
    "\"l\":\"bigint[]\",\"x\":\"bigint\",\"y\":\"int\",\"k\":\"smallint\",\"n\":\"numeric\","
    "\"u\":\"text\",\"v\":\"varchar\",\"g\":\"boolean\",\"d\":\"timestamp\",\"e\":\"bigint[]\","
    "\"nil\":\"int\"},\"key\":[\"id\"]}}}\n"
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"insert\":\"t\",\"rows\":{"
    "\"1\":{\"id\":1,\"a\":2147483647,\"order\":-3,\"z\":-32768,\"m\":\"12.50\","
    "\"any number\":\"0.125\",\"s\":\"it's\",\"it\\\"s\":\"x\",\"f\":true,\"w\":1000000000,"
    "\"l\":[1,2],\"x\":9223372036854775807,\"y\":-3,\"k\":32767,\"n\":\"-12.50\",\"u\":\"it's\","
    "\"v\":\"\\\\\",\"g\":true,\"d\":981259506500000000,\"e\":[3,-1],\"nil\":null},"
    "\"2\":{\"id\":2,\"a\":0,\"order\":2,\"z\":5,\"m\":\"-7.25\",\"any number\":\"100.0\","
    "\"s\":\"\",\"it\\\"s\":\"5\",\"f\":false,\"w\":946771200000000000,\"l\":[],\"x\":1,\"y\":2,"
    "\"k\":-1,\"n\":\"0.5\",\"u\":\"\",\"v\":\"a'b\",\"g\":false,\"d\":0,\"e\":null,\"nil\":null},"
    "\"3\":{\"id\":3,\"a\":null,\"order\":null,\"z\":null,\"m\":null,\"any number\":null,"
    "\"s\":null,\"it\\\"s\":null,\"f\":null,\"w\":null,\"l\":null,\"x\":3,\"y\":null,\"k\":3,"
    "\"n\":null,\"u\":\"x\",\"v\":null,\"g\":null,\"d\":null,\"e\":[],\"nil\":null}}}]}\n";

struct tally {
    size_t asked, decided, failed, unknown;
};

static void compare(struct predicates *set, struct predicate_scratch *scratch, const char *where,
                    struct tally *tally)
{
    uint32_t number;

    if (predicates_add(set, 0, text_of(where), &number, &err) != STATUS_OK)
        return;
    for (uint32_t row = 1; row <= 3; row++) {
        struct value value = history_value(&history, row);
        enum predicate_answer expected = predicates_match(set, number, value, scratch);
        char answer = ask(0, value, where), message[600];

        if (expected == PREDICATE_UNDECIDED)
            continue;
        tally->asked++;
        tally->unknown += answer == '?' || answer == 's';
        tally->failed += answer == '!';
        if (strchr("?s!", answer))
            continue;
        tally->decided++;
        snprintf(message, sizeof message, "row %u: %s", row, where);
        TEST_ASSERT_EQUAL_MESSAGE(expected == PREDICATE_YES, answer == 'y', message);
    }
}

static void what_is_understood_is_what_the_compiled_condition_says(void)
{
    struct predicates *set;
    struct predicate_scratch scratch;
    struct dice dice;
    struct buffer where = { 0 };
    struct tally tally = { 0 };

    history = predicate_history_of(lines);
    dice_of_seed(&dice, 5);
    ASSERT_OK(predicates_open(&set, &history, PREDICATES_WHOLE, &err), &err);
    ASSERT_OK(predicate_scratch_init(&scratch, &err), &err);
    for (size_t i = 0; i < fixture_rounds(4000); i++) {
        buffer_clear(&where);
        random_condition(&dice, 1 + (unsigned)(i % 4), &where);
        buffer_byte(&where, 0);
        compare(set, &scratch, where.at, &tally);
    }
    printf("asked %zu, decided %zu, failed %zu, unknown %zu\n", tally.asked, tally.decided,
           tally.failed, tally.unknown);
    TEST_ASSERT_GREATER_THAN(tally.asked / 2, tally.decided);
    buffer_close(&where);
    predicate_scratch_close(&scratch);
    predicates_close(set);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(conditions_mean_what_they_mean_in_sql);
    RUN_TEST(deep_and_long_texts_are_refused_before_they_are_parsed);
    RUN_TEST(what_is_understood_is_what_the_compiled_condition_says);
    return UNITY_END();
}
