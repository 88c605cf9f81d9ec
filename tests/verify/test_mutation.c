/*
 * Accepted witnesses with one or two words changed: whatever is still accepted
 * is still true, by the oracle.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "checkers/checker.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "tests/verify/mutate.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}

void tearDown(void)
{
    fixture_history(NULL);
}

/* --- Witnesses --------------------------------------------------------------- */

#define EDGE(from, to, kind, key, from_op, to_op, from_version, to_version)                        \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"" kind "\",\"key\":\"" key                      \
    "\",\"from-op\":" #from_op ",\"to-op\":" #to_op ",\"from-version\":" #from_version             \
    ",\"to-version\":" #to_version ",\"why\":\"\"}"
#define STEP(from, to, kind)                                                                       \
    "{\"from\":" #from ",\"to\":" #to ",\"edge\":\"" kind "\",\"why\":\"\"}"
#define INVALID(checker, level, kind, txns, proof)                                                 \
    "\"checker\":\"" checker "\",\"level\":\"" level "\",\"verdict\":\"invalid\",\"anomalies\":[{" \
    "\"kind\":\"" kind "\",\"transactions\":" txns ",\"explanation\":\"\"," proof "}]"

static const struct source_row {
    const char *history, *fields; /* no fields: the order of ts, at this level */
    enum level level;
} rows[] = {
    { "T1 ts1 snap0: r x _, w y 1; T2 ts2 snap0: r y _, w x 1; order x T2; order y T1",
      INVALID("certificate", "serializable", "G2-item", "[1,2]",
              "\"cycle\":[" EDGE(1, 2, "rw", "x", 0, 1, null, 2) "," EDGE(2, 1, "rw", "y", 0, 1,
                                                                          null, 1) "]"),
      LEVEL_SERIALIZABLE },
    { "T1 ts1 snap0: r x _, w x 1; T2 ts2 snap0: r x _, w x 2; order x T1 T2",
      INVALID("certificate", "snapshot", "G-single", "[1,2]",
              "\"cycle\":[" EDGE(1, 2, "ww", "x", 1, 1, 1, 2) "," EDGE(2, 1, "rw", "x", 0, 1, null,
                                                                       1) "]"),
      LEVEL_SNAPSHOT },
    { "init t/7 0; init t/9 0; T1 ts1 snap0: sel v>=10 {}, w t/7 50;"
      "T2 ts2 snap0: sel v>=10 {}, w t/9 20; order t/7 T1; order t/9 T2",
      INVALID("certificate", "serializable", "G2", "[1,2]",
              "\"cycle\":[" EDGE(1, 2, "predicate-rw", "t/9", 0, 1, null,
                                 2) "," EDGE(2, 1, "predicate-rw", "t/7", 0, 1, null, 1) "]"),
      LEVEL_SERIALIZABLE },
    { "T1 s1 @10-20 ts2: w x 1; T2 s1 @30-40 ts1: r x _; order x T1",
      INVALID("certificate", "strict-serializable", "G-single-realtime", "[1,2]",
              "\"cycle\":[" STEP(1, 2, "realtime") "," EDGE(2, 1, "rw", "x", 0, 0, null, 1) "]"),
      LEVEL_STRICT_SERIALIZABLE },
    { "T1 ts1: w x 1; T2 ts2: w x 2; T3 ts3: r x 1; order x T1 T2",
      INVALID("order", "serializable", "G-single", "[2,3]",
              "\"cycle\":[" EDGE(3, 2, "rw", "x", 0, 0, 1, 2) "," STEP(2, 3, "order") "]"),
      LEVEL_SERIALIZABLE },
    { "T1 abort ts1: w x 5; T2 ts2: r x 5, r y _; T3 ts3: w x 6; order x T3",
      INVALID("certificate", "read-committed", "G1a", "[1,2]",
              "\"read\":{\"txn\":2,\"op\":0,\"key\":\"x\",\"version\":1}"),
      LEVEL_READ_COMMITTED },
    { "T1 ts1: w x 5, w x 6; T2 ts2: r x 5, r x 6; order x T1",
      INVALID("certificate", "read-committed", "G1b", "[1,2]",
              "\"read\":{\"txn\":2,\"op\":0,\"key\":\"x\",\"version\":[1,1]}"),
      LEVEL_READ_COMMITTED },
    { "init t/7 12; init t/9 3; T1 ts1: sel v>=10 {}, sel v>=10 {7=12}",
      INVALID("certificate", "serializable", "result-set-mismatch", "[1]",
              "\"read\":{\"txn\":1,\"op\":0,\"key\":\"t/7\"}"),
      LEVEL_SERIALIZABLE },
    { "T1: w x 1, w x 2; T2: r x 2 from T1, w y 1; T3: sel * {} from t/7 init, r y 1 from T2;"
      "T4 s4: r y 1 from T2, r x _ from init; order x T1; order y T2",
      INVALID("certificate", "causal", "G-single", "[4,1,2]",
              "\"cycle\":[" EDGE(4, 1, "rw", "x", 1, 1, null, 1) "," EDGE(
                  1, 2, "wr", "x", 1, 0, 1, 1) "," EDGE(2, 4, "wr", "y", 1, 0, 2, 2) "]"),
      LEVEL_CAUSAL },
    { "T1 ts1 @10-20: w x 1, w y 1; T2 ts2 @30-40: r x 1, w y 2; T3 ts3 @50-60: r y 2, a l 1;"
      "T4 ts4 @70-80: r l [1]; order x T1; order y T1 T2; order l T3",
      NULL, LEVEL_STRICT_SERIALIZABLE },
    { "T1 ts1 snap0: r x _, w y 1; T2 ts2 snap0: r y _, w x 1; T3 ts3 snap2: r x 1, r y 1;"
      "order x T2; order y T1",
      NULL, LEVEL_SNAPSHOT },
};

static void make_witness(const struct source_row *row, struct buffer *out)
{
    const struct history *h = fixture_history(row->history);

    buffer_clear(out);
    if (row->fields) {
        fixture_begin(out, h);
        buffer_print(out, "%s}", row->fields);
    } else {
        fixture_forge(out, h, "certificate", row->level);
    }
}

/* --- Truth ------------------------------------------------------------------- */

static bool contains(const char *text, const char *field, const char *value)
{
    char wanted[100];

    snprintf(wanted, sizeof wanted, "\"%s\":\"%s\"", field, value);
    return strstr(text, wanted) != NULL;
}

static size_t count_of(const char *text, const char *edge)
{
    char wanted[60];
    size_t count = 0;

    snprintf(wanted, sizeof wanted, "\"edge\":\"%s\"", edge);
    for (; (text = strstr(text, wanted)); text++)
        count++;
    return count;
}

static bool ends_with(struct text text, const char *end)
{
    size_t length = strlen(end);

    return text.length >= length && memcmp(text.at + text.length - length, end, length) == 0;
}

/* What its kind says of the edges of a cycle. */
static void check_kind(const char *text)
{
    const char *kind = strstr(text, "\"kind\":\"");
    size_t items = count_of(text, "rw"), predicates = count_of(text, "predicate-rw");
    size_t anti = items + predicates;
    size_t reads = count_of(text, "wr") + count_of(text, "predicate-wr");
    struct text name;
    bool is_true = true;

    if (!kind || !strstr(text, "\"cycle\""))
        return;
    name.at = kind + strlen("\"kind\":\"");
    name.length = strcspn(name.at, "\"");
    if (text_equal(name, TEXT("G0")))
        is_true = anti + reads == 0;
    else if (text_equal(name, TEXT("G1c")))
        is_true = anti == 0 && reads > 0;
    else if (text_equal(name, TEXT("G-single")))
        is_true = anti == 1;
    else if (text_equal(name, TEXT("G2-item")))
        is_true = items > 0 && predicates == 0;
    else if (text_equal(name, TEXT("G2")))
        is_true = predicates > 0;
    TEST_ASSERT_TRUE_MESSAGE(is_true, text);
    TEST_ASSERT_EQUAL_MESSAGE(count_of(text, "realtime") > 0, ends_with(name, "-realtime"), text);
}

/* By what clients saw and version orders alone; and not of what is left unjudged. */
static void check_blackbox(const struct history *h, const char *text)
{
    struct oracle_options how = { .use_certificate = !contains(text, "version-order", "part") };
    bool is_valid = contains(text, "verdict", "valid");
    struct history view = *h;

    if (is_valid && strstr(text, "\"unjudged\""))
        return;
    fixture_forget_places(&view);
    TEST_ASSERT_EQUAL_MESSAGE(is_valid ? ORACLE_HOLDS : ORACLE_VIOLATED,
                              oracle_decide(&view, fixture_level(text), how), text);
}

static void check_truth(const struct history *h, const char *text)
{
    bool is_valid = contains(text, "verdict", "valid");
    bool is_certified = contains(text, "checker", "certificate");
    struct oracle_options how = { .use_certificate = is_certified };
    enum oracle_answer answer = oracle_decide(h, fixture_level(text), how);
    struct buffer order = { 0 };
    char reason[512];

    /* What places say of two writers is a rule of its own, which the oracle does not know. */
    if (strstr(text, "\"writes\":"))
        return;
    if (contains(text, "checker", "blackbox")) {
        check_blackbox(h, text);
        return;
    }
    if (is_valid || is_certified) {
        TEST_ASSERT_EQUAL_MESSAGE(is_valid ? ORACLE_HOLDS : ORACLE_VIOLATED, answer, text);
        return;
    }
    /* Of the order of ts the oracle knows nothing: but it is no proof of the contrary. */
    fixture_forge(&order, h, "order", fixture_level(text));
    TEST_ASSERT_FALSE_MESSAGE(fixture_verify(h, (struct text){ order.at, order.count }, reason),
                              text);
    buffer_close(&order);
}

static bool judge(const struct history *h, struct buffer *changed, bool has_one_anomaly)
{
    char reason[512];
    bool is_accepted = fixture_verify(h, (struct text){ changed->at, changed->count }, reason);

    buffer_byte(changed, 0);
    if (is_accepted)
        check_truth(h, changed->at);
    if (is_accepted && has_one_anomaly)
        check_kind(changed->at);
    return is_accepted;
}

/* --- Tests ------------------------------------------------------------------- */

static void with_one_word_changed_it_is_true_or_refused(void)
{
    struct buffer witness = { 0 }, changed = { 0 };
    struct span_of_text words[MUTATE_MAX];
    size_t tried = 0, accepted = 0;

    for (size_t r = 0; r < ROW_COUNT(rows); r++) {
        size_t count;

        make_witness(&rows[r], &witness);
        buffer_text(&changed, (struct text){ witness.at, witness.count });
        TEST_ASSERT_TRUE_MESSAGE(judge(fixture_now(), &changed, true), rows[r].history);
        count = mutate_words((struct text){ witness.at, witness.count }, words);
        for (size_t w = 0; w < count; w++)
            for (size_t o = 0; o < mutate_other_count(); o++) {
                mutate_replace((struct text){ witness.at, witness.count }, words[w],
                               mutate_others[o], &changed);
                accepted += judge(fixture_now(), &changed, true);
                tried++;
            }
        buffer_clear(&changed);
    }
    printf("%zu tried, %zu accepted\n", tried, accepted);
    TEST_ASSERT_GREATER_THAN(10000, tried);
    TEST_ASSERT_GREATER_THAN(tried / 100, accepted);
    buffer_close(&witness);
    buffer_close(&changed);
}

static void with_two_words_changed_it_is_true_or_refused(void)
{
    struct random_key key = random_key_of_seed(11);
    struct buffer witness = { 0 }, once = { 0 }, twice = { 0 };
    struct span_of_text words[MUTATE_MAX];
    struct random random;
    size_t accepted = 0, rounds = fixture_rounds(15000);

    random_init(&random, &key);
    for (size_t i = 0; i < rounds; i++) {
        size_t count, first, second;

        make_witness(&rows[i % ROW_COUNT(rows)], &witness);
        count = mutate_words((struct text){ witness.at, witness.count }, words);
        second = 1 + random_below(&random, count - 1);
        first = random_below(&random, second);
        /* The later one first: what stands before it stays where it is. */
        mutate_replace((struct text){ witness.at, witness.count }, words[second],
                       mutate_others[random_below(&random, mutate_other_count())], &once);
        mutate_replace((struct text){ once.at, once.count }, words[first],
                       mutate_others[random_below(&random, mutate_other_count())], &twice);
        accepted += judge(fixture_now(), &twice, true);
    }
    TEST_ASSERT_GREATER_THAN(rounds / 500, accepted);
    buffer_close(&witness);
    buffer_close(&once);
    buffer_close(&twice);
}

/* A witness of a checker, changed a few times. */
static size_t change_verdict(const struct history *h, struct text witness, struct random *random)
{
    struct span_of_text words[MUTATE_MAX];
    struct buffer changed = { 0 };
    size_t count = mutate_words(witness, words), accepted = 0;

    for (size_t i = 0; i < 40; i++) {
        mutate_replace(witness, words[random_below(random, count)],
                       mutate_others[random_below(random, mutate_other_count())], &changed);
        accepted += judge(h, &changed, false);
    }
    buffer_close(&changed);
    return accepted;
}

static void what_checkers_prove_is_true_or_refused_once_it_is_changed(void)
{
    static const enum level levels[] = { LEVEL_READ_COMMITTED,   LEVEL_REPEATABLE_READ,
                                         LEVEL_SNAPSHOT,         LEVEL_SERIALIZABLE,
                                         LEVEL_SESSION_SNAPSHOT, LEVEL_STRICT_SERIALIZABLE };
    struct random_key key = random_key_of_seed(12);
    struct random random;
    size_t accepted = 0, changed = 0;

    random_init(&random, &key);
    for (uint64_t seed = 0; seed < fixture_rounds(400); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct check_options asked = { .level = levels[seed % ROW_COUNT(levels)],
                                       .flags = CHECK_WITNESS };
        struct history h;
        struct check check;
        struct error err = { 0 };

        options.certificate = options.repeating = true;
        options.txns_max = 5;
        small_history(&options, seed, &h);
        if (checker_run(checker_find(TEXT("certificate")), &h, &asked, &check, &err) == STATUS_OK &&
            check.witness.count > 0 && check.witness.count < 2000) {
            accepted +=
                change_verdict(&h, (struct text){ check.witness.at, check.witness.count }, &random);
            changed++;
        }
        check_close(&check);
        history_close(&h);
    }
    printf("%zu changed 40 times each, %zu accepted\n", changed, accepted);
    TEST_ASSERT_GREATER_THAN(100, changed);
    TEST_ASSERT_GREATER_THAN(changed / 2, accepted);
}

/* Words, or whole steps, literals and places. */
static size_t change_steps(const struct history *h, struct text witness, struct random *random)
{
    struct buffer changed = { 0 };
    size_t accepted = 0;

    for (size_t i = 0; i < 40; i++) {
        mutate_randomly(witness, random, &changed);
        accepted += judge(h, &changed, false);
    }
    buffer_close(&changed);
    return accepted;
}

static void what_is_proved_of_statements_is_true_or_refused_once_it_is_changed(void)
{
    static const enum level levels[] = { LEVEL_SNAPSHOT,         LEVEL_SERIALIZABLE,
                                         LEVEL_SESSION_SNAPSHOT, LEVEL_STRICT_SERIALIZABLE };
    struct random_key key = random_key_of_seed(13);
    struct random random;
    size_t accepted = 0, refuted = 0;

    random_init(&random, &key);
    for (uint64_t seed = 0; seed < fixture_rounds(600); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct check_options asked = { .level = levels[seed % ROW_COUNT(levels)],
                                       .flags = CHECK_WITNESS };
        struct history h;
        struct check check;
        struct error err = { 0 };

        options.certificate = options.lists = options.only_lists = false;
        options.predicates = options.times = options.deletes = true;
        options.txns_max = 5;
        small_history(&options, seed, &h);
        ASSERT_OK(checker_run(checker_find(TEXT("blackbox")), &h, &asked, &check, &err), &err);
        if (check.witness.count > 0 && check.witness.count < 4000) {
            struct text witness = { check.witness.at, check.witness.count };

            accepted += change_verdict(&h, witness, &random);
            accepted += change_steps(&h, witness, &random);
            refuted += check.verdict == VERDICT_INVALID;
        }
        check_close(&check);
        history_close(&h);
    }
    printf("%zu refutations, and orders, changed 80 times each, %zu accepted\n", refuted, accepted);
    TEST_ASSERT_GREATER_THAN(100, refuted);
    TEST_ASSERT_GREATER_THAN(refuted, accepted);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(with_one_word_changed_it_is_true_or_refused);
    RUN_TEST(with_two_words_changed_it_is_true_or_refused);
    RUN_TEST(what_checkers_prove_is_true_or_refused_once_it_is_changed);
    RUN_TEST(what_is_proved_of_statements_is_true_or_refused_once_it_is_changed);
    return UNITY_END();
}
