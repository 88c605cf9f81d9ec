/*
 * Witnesses of predictions: true ones, and each kind of untruth.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/jsonl/jsonl_read.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/small.h"
#include "tests/verify/prediction/prediction_fixture.h"
#include "unity.h"
#include "verify/prediction/observed_private.h"

static struct history history;
static struct fixture_prediction f;

void setUp(void) {}

void tearDown(void)
{
    fixture_prediction_close(&f);
    f = (struct fixture_prediction){ .options.level = 0 };
    history_close(&history);
    history = (struct history){ 0 };
}

/* T3 reads x from the initial state, behind y from T2, which had seen another x; and is cut there. */
#define TORN                                                                                       \
    "T1 s0: w x 1; T2 s0: r x 1, w y 1; T3 s1: r y 1, r x 1, w z 1; T4 s2 abort: w x 9; "          \
    "T5 s2: w v 5"

/* T3 reads x from T1, and overwrites what T2 wrote without having seen it. */
#define LOST "T1 s0: r x _, w x 1; T2 s1: r x 1, w x 2; T3 s0: r x 2, w x 3"

static void predict(const char *notation, enum level level, enum predict_strategy strategy)
{
    notation_read(notation, &history);
    TEST_ASSERT_TRUE_MESSAGE(fixture_predict(&history, level, strategy, &f), notation);
}

static void is_said(const char *words, const char *answer)
{
    char message[1400];

    snprintf(message, sizeof message, "expected: %s; found: %s", words, answer);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(answer, words), message);
}

/* --- True ones -------------------------------------------------------------------------------- */

static void a_prediction_with_a_strict_cut_is_accepted(void)
{
    predict(TORN, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    is_said("\"txn\":3,\"included\":2,\"reads\":[{\"event\":1,\"key\":\"x\",\"from\":null}]",
            f.witness.at);
    is_said("accepted: read-committed allows an execution that is not serializable: 4 "
            "transactions, 1 of their reads "
            "from another writer than observed",
            fixture_verify_prediction(&history, f.witness.at));
}

static void a_prediction_with_a_relaxed_boundary_is_accepted(void)
{
    predict(LOST, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    is_said("\"boundary\":\"relaxed\"", f.witness.at);
    is_said("accepted: causal allows", fixture_verify_prediction(&history, f.witness.at));
}

/* A skew of writes: nobody overwrites what the other saw of one key. */
static void a_prediction_at_snapshot_is_accepted(void)
{
    predict("T1 s0: r x _, r y _, w x 1; T2 s1: r x 1, r y _, w y 2", LEVEL_SNAPSHOT,
            STRATEGY_APPROX_RELAXED);
    is_said("\"level\":\"session-snapshot\"", f.witness.at);
    is_said("accepted: snapshot allows", fixture_verify_prediction(&history, f.witness.at));
}

static void statements_of_which_nobody_knows_what_they_saw_are_told(void)
{
    predict(
        "T1 s0: ins {7=12}; T2 s1: r x _, sel v>=10 {}; T3 s0: r x _, w x 1; T4 s1: r x 1, w x 2",
        LEVEL_READ_COMMITTED, STRATEGY_APPROX_RELAXED);
    is_said(", but for 1 statement that was not judged",
            fixture_verify_prediction(&history, f.witness.at));
}

static void reads_that_may_be_from_several_are_told(void)
{
    predict("T1 s0: r x _, w x 1; T2 s1: r x 1, w x 1; T3 s0: r x 1, w x 3", LEVEL_CAUSAL,
            STRATEGY_APPROX_RELAXED);
    is_said("; if 1 read of a value that several wrote is from the last before it",
            fixture_verify_prediction(&history, f.witness.at));
}

/* --- Untruths --------------------------------------------------------------------------------- */

static const struct {
    const char *words, *by, *answer;
} untruths[] = {
    /* What is not so. */
    { "\"level\":\"read-committed\"", "\"level\":\"read-atomic\"",
      "refused: \"holds\" is of read-committed, and not of read-atomic" },
    { "\"session\":0,\"full\":2", "\"session\":0,\"full\":1",
      "refused: transaction 3 reads y from 2, which is not full" },
    { "\"session\":0,\"full\":2", "\"session\":0,\"full\":3",
      "refused: session 0 has 2 transactions, and not 3 full ones" },
    { "\"session\":2,\"full\":1", "\"session\":2,\"full\":0",
      "refused: \"holds\": the witness is of another history" },
    { "{\"session\":0,\"full\":2},", "", "refused: session 0 is missing" },
    { "{\"session\":0,\"full\":2}", "{\"session\":7,\"full\":2}",
      "refused: session 7 has no transaction that counts" },
    { "{\"session\":0,\"full\":2}", "{\"session\":0,\"full\":2},{\"session\":0,\"full\":2}",
      "refused: session 0 stands here twice" },
    { "\"txn\":3,", "\"txn\":1,",
      "refused: transaction 1 does not follow the full ones of session 1" },
    { "\"txn\":3,", "\"txn\":8,",
      "refused: transaction 8 does not follow the full ones of session 1" },
    { "\"full\":0,\"boundary\"", "\"full\":1,\"boundary\"",
      "refused: transaction 3 does not follow the full ones of session 1" },
    { "\"included\":2", "\"included\":1",
      "refused: transaction 3 is not cut behind the read that was chosen" },
    { "\"included\":2", "\"included\":3",
      "refused: transaction 3 is not cut behind the read that was chosen" },
    { "\"included\":2", "\"included\":4", "refused: transaction 3 has 3 events, and not 4" },
    { "\"boundary\":\"strict\"", "\"boundary\":\"relaxed\"",
      "refused: transaction 3 is cut, and the boundary is relaxed" },
    { "\"reads\":[{\"event\":1,\"key\":\"x\",\"from\":null}]", "\"reads\":[]",
      "refused: transaction 3 has 0 chosen reads, and the boundary is strict" },
    { "[{\"event\":1,", "[{\"event\":0,\"key\":\"y\",\"from\":null},{\"event\":1,",
      "refused: transaction 3 has 2 chosen reads, and the boundary is strict" },
    { "\"event\":1", "\"event\":0",
      "refused: transaction 3 is not cut behind the read that was chosen" },
    { "\"included\":2,\"reads\":[{\"event\":1,\"key\":\"x\"",
      "\"included\":3,\"reads\":[{\"event\":2,\"key\":\"z\"",
      "refused: event 2 of transaction 3 is no read of z" },
    { "\"key\":\"x\"", "\"key\":\"y\"", "refused: event 1 of transaction 3 is no read of y" },
    { "\"from\":null}]", "\"from\":1}]", "refused: \"holds\": the witness is of another history" },
    { "\"from\":null}]", "\"from\":5}]",
      "refused: transaction 3 cannot read x from 5, which does not write it" },
    { "\"from\":null}]", "\"from\":4}]",
      "refused: transaction 3 cannot read x from 4, which does not write it" },
    { "\"from\":null}]", "\"from\":3}]",
      "refused: transaction 3 cannot read x from 3, which does not write it" },
    { "\"from\":null}]", "\"from\":9}]", "refused: the history has no transaction 9" },
    /* What is no witness. */
    { "\"ordeal-prediction\":1", "\"ordeal-prediction\":2",
      "no witness: only version 1 of the format is known" },
    { "\"level\":\"read-committed\"", "\"level\":\"serializable\"",
      "no witness: \"serializable\" is not a level that is predicted at" },
    { "\"boundary\":\"strict\"", "\"boundary\":\"none\"",
      "no witness: \"none\" is not a boundary" },
    { "\"verdict\":\"predicted\"", "\"verdict\":\"maybe\"",
      "no witness: \"maybe\" is not a verdict that has a witness" },
    { "\"included\":2", "\"included\":-2", "no witness: a number of events is not below zero" },
    { "\"included\":2,", "", "no witness: the field \"included\" is missing" },
    { "\"boundary\":\"strict\",", "", "no witness: the field \"boundary\" is missing" },
    { "\"event\":1", "\"event\":1,\"event\":1", "no witness:" },
    { "\"holds\":{\"ordeal-witness\":1,", "\"holds\":{",
      "no witness: \"holds\": the field \"ordeal-witness\" is missing" },
    { "\"holds\":{", "\"holds\":[],\"holds\":{", "no witness: expected a witness" },
};

static void each_kind_of_untruth_is_refused_with_its_reason(void)
{
    predict(TORN, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    for (size_t i = 0; i < ROW_COUNT(untruths); i++) {
        char *untrue = fixture_replace(f.witness.at, untruths[i].words, untruths[i].by);

        is_said(untruths[i].answer, fixture_verify_prediction(&history, untrue));
        TEST_ASSERT_NULL(strstr(fixture_verify_prediction(&history, untrue), "accepted"));
        free(untrue);
    }
}

/* Of a boundary transaction that stays whole. */
static const char *const untruths_relaxed[][3] = {
    { "\"reads\":[", "\"reads\":[{\"event\":0,\"key\":\"x\",\"from\":null},",
      "refused: event 0 of transaction 3 stands here twice" },
    { "\"event\":0", "\"event\":7", "refused: event 7 of transaction 3 is not in" },
    { "\"included\":2", "\"included\":1",
      "refused: transaction 3 is cut, and the boundary is relaxed" },
    { "\"boundary\":\"relaxed\"", "\"boundary\":\"strict\"",
      "refused: transaction 3 is not cut behind the read that was chosen" },
    { "\"reads\":[", "\"reads\":[],\"reads\":[", "no witness:" },
};

static void so_is_each_of_a_relaxed_boundary(void)
{
    predict(LOST, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    is_said("\"txn\":3,\"included\":2,\"reads\":[{\"event\":0,\"key\":\"x\",\"from\":1}]",
            f.witness.at);
    for (size_t i = 0; i < ROW_COUNT(untruths_relaxed); i++) {
        char *untrue =
            fixture_replace(f.witness.at, untruths_relaxed[i][0], untruths_relaxed[i][1]);

        is_said(untruths_relaxed[i][2], fixture_verify_prediction(&history, untrue));
        free(untrue);
    }
}

static void a_witness_is_of_one_history(void)
{
    struct history other;

    predict(TORN, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    notation_read(LOST, &other);
    is_said("refused: the witness is of another history",
            fixture_verify_prediction(&other, f.witness.at));
    history_close(&other);
}

/* Of the two witnesses within each is as it has to be, of the checkers that may say it. */
static void what_holds_and_what_fails_cannot_change_places(void)
{
    char *first, *swapped;

    predict(TORN, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    first = fixture_replace(f.witness.at, "\"holds\":", "\"was\":");
    swapped = fixture_replace(first, "\"fails\":", "\"holds\":");
    free(first);
    first = fixture_replace(swapped, "\"was\":", "\"fails\":");
    is_said("refused: \"holds\" has the verdict invalid",
            fixture_verify_prediction(&history, first));
    free(swapped);
    free(first);
}

static void another_checker_cannot_say_that_it_fails(void)
{
    char *untrue;

    predict(TORN, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    untrue = fixture_replace(f.witness.at, "\"checker\":\"weak\"", "\"checker\":\"certificate\"");
    is_said("refused: \"holds\" is by certificate, and not by weak or blackbox",
            fixture_verify_prediction(&history, untrue));
    free(untrue);
}

/* An order that contradicts what was predicted: the ordinary verifier refuses it. */
static void a_level_that_does_not_hold_is_refused(void)
{
    char *untrue;

    predict(TORN, LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    untrue = fixture_replace(f.witness.at, "\"order\":[1,2,", "\"order\":[2,1,");
    is_said("refused: \"holds\": ", fixture_verify_prediction(&history, untrue));
    free(untrue);
}

static void nobody_reads_from_a_boundary_transaction(void)
{
    char *untrue;

    /* T4 reads from T3; if T3 is at the boundary, T3 cannot be full. */
    predict("T1 s0: w x 1; T2 s0: r x 1, w y 1; T3 s1: r y 1, r x 1, w z 1; T4 s2: r z 1, w v 1",
            LEVEL_READ_COMMITTED, STRATEGY_APPROX_RELAXED);
    is_said("\"session\":2,\"full\":0", f.witness.at);
    untrue = fixture_replace(f.witness.at, "\"session\":2,\"full\":0", "\"session\":2,\"full\":1");
    is_said("refused: transaction 4 reads z from 3, which is not full",
            fixture_verify_prediction(&history, untrue));
    free(untrue);
}

static void nothing_is_predicted_from_lists(void)
{
    char *lists;

    predict(LOST, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    history_close(&history);
    notation_read("T1 s0: a x 1", &history);
    lists = strdup("{\"ordeal-prediction\":1,\"history\":\"........................................"
                   "........................"
                   "\",\"level\":\"causal\",\"boundary\":\"strict\",\"verdict\":\"predicted\","
                   "\"sessions\":[],\"holds\":{},"
                   "\"fails\":{}}");
    TEST_ASSERT_NOT_NULL(lists);
    {
        struct digest digest = history_digest(&history);
        char hex[DIGEST_HEX_SIZE];

        digest_hex(&digest, hex);
        memcpy(strchr(lists, '.'), hex, sizeof hex - 1);
    }
    is_said("refused: transaction 1 appends to a list", fixture_verify_prediction(&history, lists));
    free(lists);
}

/* --- Two readings of one history ------------------------------------------------------------------ */

static void both_have_the_same_events(const struct dataflow *t, const struct observed *o,
                                      uint64_t seed)
{
    char label[60];
    uint32_t in = 0;

    snprintf(label, sizeof label, "seed %llu", (unsigned long long)seed);
    for (uint32_t txn = 0; txn < o->h->txn_count; txn++) {
        uint32_t from = o->start[txn];

        if (!o->takes_part[txn])
            continue;
        TEST_ASSERT_TRUE_MESSAGE(in < t->txn_count && t->txn[in] == txn, label);
        TEST_ASSERT_EQUAL_UINT32_MESSAGE(t->event_start[in + 1] - t->event_start[in],
                                         o->start[txn + 1] - from, label);
        for (uint32_t e = t->event_start[in]; e < t->event_start[in + 1]; e++, from++) {
            struct dataflow_event its = t->events[e];
            struct observed_event ours = o->events.at[from];

            TEST_ASSERT_EQUAL_UINT32_MESSAGE(t->key[its.key], ours.key, label);
            TEST_ASSERT_EQUAL_UINT32_MESSAGE(
                its.writer < DATAFLOW_INITIAL ? t->txn[its.writer] : its.writer, ours.from, label);
        }
        in++;
    }
    TEST_ASSERT_EQUAL_UINT32_MESSAGE(in, t->txn_count, label);
}

static void predict_and_verify_read_a_history_alike(void)
{
    uint64_t read = 0, refused = 0, guessed = 0, unjudged = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(3000); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct arena *arena = fixture_arena();
        struct history h;
        struct dataflow trace;
        struct observed observed;
        struct error first = { 0 }, second = { 0 };
        enum status status;

        options.lists = options.only_lists = false;
        small_history(&options, seed, &h);
        status = dataflow_of_history(&trace, &h, arena, &first);
        TEST_ASSERT_EQUAL_INT_MESSAGE(status, observed_read(&observed, &h, arena, &second),
                                      first.text);
        if (status == STATUS_OK) {
            both_have_the_same_events(&trace, &observed, seed);
            TEST_ASSERT_EQUAL_UINT64(trace.guessed, observed.ambiguous);
            TEST_ASSERT_EQUAL_INT(trace.unjudged > 0, observed.unjudged > 0);
            guessed += trace.guessed > 0;
            unjudged += trace.unjudged > 0;
            read++;
        } else {
            TEST_ASSERT_TRUE_MESSAGE(observed.is_refused, second.text);
            refused++;
        }
        observed_close(&observed);
        history_close(&h);
    }
    TEST_ASSERT_TRUE(read > 500 && refused > 100 && guessed > 20 && unjudged > 20);
}

/* Reads one history both ways. */
static void both_read_alike(const struct history *h, uint64_t number, bool *is_refused)
{
    struct arena *arena = fixture_arena();
    struct dataflow trace;
    struct observed observed;
    struct error first = { 0 }, second = { 0 };
    enum status status = dataflow_of_history(&trace, h, arena, &first);

    TEST_ASSERT_EQUAL_INT_MESSAGE(status, observed_read(&observed, h, arena, &second), first.text);
    *is_refused = status != STATUS_OK;
    TEST_ASSERT_EQUAL_INT(*is_refused, observed.is_refused);
    if (!*is_refused)
        both_have_the_same_events(&trace, &observed, number);
    observed_close(&observed);
}

#define TABLE                                                                                      \
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},"   \
    "\"key\":[\"id\"]}},\"initial\":{\"t/7\":{\"id\":7,\"v\":0}}}\n"

/* What random histories do not have. */
static const struct {
    bool is_refused;
    const char *lines;
} rare[] = {
    /* A refused read has no event. */
    { false,
      "{\"ordeal-history\":1}\n"
      "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":1}]}\n"
      "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":9,\"error\":\"no\"},"
      "{\"r\":\"x\",\"v\":1}]}\n" },
    /* A version that its own transaction overwrote. */
    { true, "{\"ordeal-history\":1}\n"
            "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":1},{\"w\":"
            "\"x\",\"v\":2}]}\n"
            "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":1,\"set\":{"
            "\"x\":[1,1]}}]}\n" },
    /* A version of the reader's own. */
    { false,
      "{\"ordeal-history\":1}\n"
      "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"w\":\"x\",\"v\":1}]}\n"
      "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"r\":\"x\",\"v\":2,\"set\":{\"x\":2}},"
      "{\"w\":\"x\",\"v\":2}]}\n" },
    /* A row that no version set names, but a place does. */
    { false, TABLE
      "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"insert\":\"t\",\"rows\":{\"9\":"
      "{\"id\":9,\"v\":20}}}],\"ts\":1}\n"
      "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"v > 10\","
      "\"rows\":{},\"set\":{\"t/7\":null}}],\"ts\":2}\n" },
    /* Conditions of which nobody can tell whether they match the row: a version of it is divided by zero. */
    { false, TABLE
      "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"update\":\"t\",\"where\":\"id = 7\","
      "\"rows\":{\"7\":{\"id\":7,\"v\":500}},\"set\":{\"t/7\":null}}]}\n"
      "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":\"100 / v > "
      "10\","
      "\"rows\":{},\"set\":{\"t/7\":1}}]}\n" },
    { false, TABLE
      "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"ops\":[{\"update\":\"t\",\"where\":\"id = 7\","
      "\"rows\":{\"7\":{\"id\":7,\"v\":1}},\"set\":{\"t/7\":null}}]}\n"
      "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"ops\":[{\"select\":\"t\",\"where\":"
      "\"v < 0 OR 100 / (v - 1) > 500\",\"rows\":{},\"set\":{\"t/7\":1}}]}\n" },
};

static void so_they_do_what_is_rare(void)
{
    for (size_t i = 0; i < ROW_COUNT(rare); i++) {
        struct source source;
        struct error err = { 0 };
        struct history h;
        bool is_refused;

        ASSERT_OK(
            source_open_memory(&source, "history", rare[i].lines, strlen(rare[i].lines), &err),
            &err);
        ASSERT_OK(jsonl_read(&source, 0, &h, &err), &err);
        source_close(&source);
        both_read_alike(&h, i, &is_refused);
        TEST_ASSERT_EQUAL_INT(rare[i].is_refused, is_refused);
        history_close(&h);
    }
}

/* --- Many ------------------------------------------------------------------------------------------ */

static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL,
                                     LEVEL_PREFIX, LEVEL_SNAPSHOT };

/* Whether there was one; it must be accepted. */
static bool is_predicted_and_accepted(const struct history *h, enum level level,
                                      enum predict_strategy strategy)
{
    struct fixture_prediction one;
    bool is_found = fixture_predict(h, level, strategy, &one);

    if (is_found)
        TEST_ASSERT_EQUAL_STRING_LEN("accepted", fixture_verify_prediction(h, one.witness.at), 8);
    fixture_prediction_close(&one);
    return is_found;
}

static void whatever_is_predicted_is_accepted(void)
{
    uint64_t found[5] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(150); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history h;

        options.lists = options.only_lists = false;
        options.mode = SMALL_SERIAL;
        options.perturbations_max = 0;
        options.exact = options.sessions = true;
        small_history(&options, seed, &h);
        for (size_t i = 0; i < ROW_COUNT(levels); i++) {
            found[i] += is_predicted_and_accepted(&h, levels[i], STRATEGY_EXACT_STRICT);
            found[i] += is_predicted_and_accepted(&h, levels[i], STRATEGY_APPROX_RELAXED);
        }
        history_close(&h);
    }
    for (size_t i = 0; i < ROW_COUNT(levels); i++)
        TEST_ASSERT_TRUE_MESSAGE(found[i] > 10, level_name(levels[i]));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_prediction_with_a_strict_cut_is_accepted);
    RUN_TEST(a_prediction_with_a_relaxed_boundary_is_accepted);
    RUN_TEST(a_prediction_at_snapshot_is_accepted);
    RUN_TEST(statements_of_which_nobody_knows_what_they_saw_are_told);
    RUN_TEST(reads_that_may_be_from_several_are_told);
    RUN_TEST(each_kind_of_untruth_is_refused_with_its_reason);
    RUN_TEST(so_is_each_of_a_relaxed_boundary);
    RUN_TEST(a_witness_is_of_one_history);
    RUN_TEST(what_holds_and_what_fails_cannot_change_places);
    RUN_TEST(another_checker_cannot_say_that_it_fails);
    RUN_TEST(a_level_that_does_not_hold_is_refused);
    RUN_TEST(nobody_reads_from_a_boundary_transaction);
    RUN_TEST(nothing_is_predicted_from_lists);
    RUN_TEST(predict_and_verify_read_a_history_alike);
    RUN_TEST(so_they_do_what_is_rare);
    RUN_TEST(whatever_is_predicted_is_accepted);
    return UNITY_END();
}
