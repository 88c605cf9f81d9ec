/*
 * Proofs that there is no prediction: of all small histories without one, and none of any that has one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "predict/none_proof.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/small.h"
#include "tests/verify/prediction/prediction_fixture.h"
#include "unity.h"
#include "verify/prediction/propagation_private.h"

static struct history history;
static struct none_proof proof;

void setUp(void) {}

void tearDown(void)
{
    none_proof_close(&proof);
    history_close(&history);
    history = (struct history){ 0 };
}

/* Whether there is a proof; `trace` is of fixture_arena(). */
static bool prove(const struct history *h, enum level level, enum predict_strategy strategy,
                  bool *is_predicted)
{
    struct predict_options options = { .level = level, .strategy = strategy };
    struct arena *arena = fixture_arena();
    struct error err = { 0 };
    struct dataflow trace;
    struct prediction prediction;

    none_proof_close(&proof);
    ASSERT_OK(dataflow_of_history(&trace, h, arena, &err), &err);
    ASSERT_OK(predict_native(&trace, &options, arena, &prediction, &err), &err);
    *is_predicted = prediction.kind == PREDICTION_FOUND;
    if (trace.unjudged > 0)
        return false;
    ASSERT_OK(none_proof_make(&trace, &options, arena, &proof, &err), &err);
    if (proof.is_proven)
        buffer_byte(&proof.witness, '\0');
    return proof.is_proven;
}

static void prove_none(const char *notation, enum level level, enum predict_strategy strategy)
{
    bool is_predicted;

    notation_read(notation, &history);
    TEST_ASSERT_TRUE_MESSAGE(prove(&history, level, strategy, &is_predicted), proof.reason);
    TEST_ASSERT_FALSE(is_predicted);
}

static void is_said(const char *words, const char *answer)
{
    char message[1400];

    snprintf(message, sizeof message, "expected: %s; found: %s", words, answer);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(answer, words), message);
}

/* --- What follows from clauses ---------------------------------------------------------------- */

static void clauses_propagate_until_they_contradict(void)
{
    struct propagation p;
    struct error err = { 0 };

    ASSERT_OK(propagation_init(&p, 4, &err), &err);
    ASSERT_OK(propagation_add(&p, (const uint32_t[]){ 1, 2 }, 2, &err), &err); /* 0 makes 1 */
    ASSERT_OK(propagation_add(&p, (const uint32_t[]){ 3, 5, 6 }, 3, &err),
              &err); /* 1 and 2 make 3 */
    TEST_ASSERT_TRUE(propagation_implies(&p, (const uint32_t[]){ 1, 2 }, 2));
    TEST_ASSERT_FALSE(propagation_implies(&p, (const uint32_t[]){ 1, 6 }, 2));
    TEST_ASSERT_TRUE(propagation_implies(&p, (const uint32_t[]){ 1, 5, 6 }, 3));
    TEST_ASSERT_FALSE(propagation_implies(&p, NULL, 0));
    ASSERT_OK(propagation_add(&p, (const uint32_t[]){ 0 }, 1, &err), &err);
    ASSERT_OK(propagation_add(&p, (const uint32_t[]){ 4 }, 1, &err), &err);
    TEST_ASSERT_TRUE(propagation_implies(&p, (const uint32_t[]){ 6 }, 1));
    ASSERT_OK(propagation_add(&p, (const uint32_t[]){ 7 }, 1, &err), &err);
    TEST_ASSERT_TRUE(propagation_implies(&p, NULL, 0));
    propagation_close(&p);
}

/* --- Proofs ------------------------------------------------------------------------------------- */

#define READERS                                                                                    \
    "T1 s0: r x _, w x 1; T2 s1: r x 1, r y _; T3 s2: r x 1; T4 s0: r x 1, w y 2; T5 s2: r y 2"

static void a_proof_is_accepted(void)
{
    prove_none(READERS, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT);
    is_said("accepted: causal allows no other execution that is not serializable, with the strict "
            "boundary: 5 "
            "transactions",
            fixture_verify_prediction(&history, proof.witness.at));
}

/* Each could see the one version or the other: without floating, that were 2^20 orders. */
static void sessions_that_only_read_need_few_lemmas(void)
{
    struct buffer text = { 0 };

    buffer_text(&text, TEXT("T1 s0: w x 1"));
    for (int n = 2; n <= 21; n++)
        buffer_print(&text, "; T%d s%d: r x 1", n, n);
    buffer_byte(&text, '\0');
    prove_none(text.at, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    TEST_ASSERT_TRUE(proof.lemmas < 10);
    is_said("accepted:", fixture_verify_prediction(&history, proof.witness.at));
    buffer_close(&text);
}

static const struct {
    const char *words, *by, *answer;
} untruths[] = {
    { "\"level\":\"causal\"", "\"level\":\"snapshot\"", "refused: there is no proof at snapshot" },
    { "\"lemmas\":[{", "\"lemmas\":[],\"steps\":[{", "no witness:" },
    { "{\"order\":[1,2,", "{\"order\":[1,",
      "refused: an order has 4 transactions, and there are 5" },
    { "{\"order\":[1,2,", "{\"order\":[1,1,", "refused: transaction 1 stands in an order twice" },
    { "{\"order\":[1,2,", "{\"order\":[4,2,",
      "refused: transaction 4 stands in an order twice, or before one of its session" },
    { "{\"order\":[1,2,", "{\"order\":[1,9,", "refused: the trace has no transaction 9" },
    { "[1,2,3,4,5]", "[4,2,3,1,5]",
      "refused: transaction 4 stands in an order twice, or before one of its session" },
    { "\"floats\":[", "\"floats\":[77,", "refused: the trace has no transaction 77" },
    { "\"steps\":[[", "\"steps\":[[123456789", "no witness:" },
    { "\"steps\":[", "\"steps\":[[123456789],", "refused: there is no variable 123456789" },
    { "\"steps\":[", "\"steps\":[[],", "refused: step 0 does not follow" },
    { "\"steps\":[", "\"steps\":[{\"clause\":[],\"cycle\":[1,2]},",
      "refused: step 0 is about a cycle with an edge" },
    { "\"steps\":[", "\"steps\":[{\"clause\":[],\"cycle\":[1,4]},",
      "refused: step 0 is about a cycle that is not closed" },
    { "\"steps\":[", "\"steps\":[{\"clause\":[],\"cycle\":[]},",
      "refused: step 0 is about a cycle that is not closed" },
    { "\"steps\":[", "\"steps\":[{\"cycle\":[]},",
      "no witness: a step about a cycle begins with its clause" },
    { "\"verdict\":\"none\"", "\"verdict\":\"predicted\"",
      "no witness: the field \"sessions\" is missing" },
    { "\"lemmas\":", "\"holds\":{},\"lemmas\":",
      "no witness: the field \"holds\" is not for this verdict" },
};

static void each_kind_of_untruth_is_refused(void)
{
    prove_none(READERS, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT);
    is_said("{\"order\":[1,2,", proof.witness.at);
    for (size_t i = 0; i < ROW_COUNT(untruths); i++) {
        char *untrue = fixture_replace(proof.witness.at, untruths[i].words, untruths[i].by);

        is_said(untruths[i].answer, fixture_verify_prediction(&history, untrue));
        free(untrue);
    }
}

/* The same words about a history that has a prediction, and the same words without their lemmas. */
static void a_proof_without_its_lemmas_is_none(void)
{
    char *at, *end, *untrue;

    prove_none(READERS, LEVEL_CAUSAL, STRATEGY_EXACT_STRICT);
    untrue = strdup(proof.witness.at);
    TEST_ASSERT_NOT_NULL(untrue);
    at = strstr(untrue, "\"lemmas\":[") + strlen("\"lemmas\":[");
    end = strstr(untrue, ",\"steps\"") - 1;
    memmove(at, end, strlen(end) + 1);
    is_said("refused: ", fixture_verify_prediction(&history, untrue));
    free(untrue);
}

/* --- All that are small ------------------------------------------------------------------------------- */

static void flip_literals(const struct history *h, struct random *dice)
{
    char *steps = strstr(proof.witness.at, "\"steps\":[");
    size_t length = strlen(steps);

    /* Whatever stands there then, the trace has no prediction: it must be judged without harm. */
    for (int n = 0; n < 5; n++) {
        char *at = steps + 9 + random_below(dice, length - 11);

        if (*at >= '1' && *at <= '9')
            *at = (char)('1' + random_below(dice, 9));
        (void)fixture_verify_prediction(h, proof.witness.at);
    }
}

static void print_claim(struct buffer *out, const struct fixture_prediction *f)
{
    struct digest digest = history_digest(f->trace.history);
    char hex[DIGEST_HEX_SIZE];

    digest_hex(&digest, hex);
    buffer_clear(out);
    buffer_print(out,
                 "{\"ordeal-prediction\":1,\"history\":\"%s\",\"level\":\"%s\",\"boundary\":\"%s\","
                 "\"verdict\":\"none\",\"lemmas\":[",
                 hex, level_name(f->options.level),
                 strategy_is_relaxed(f->options.strategy) ? "relaxed" : "strict");
}

/* What these saw could make a prediction. */
static void there_is_no_proof_where_statements_are_unjudged(void)
{
    struct fixture_prediction claimed = { .options = { .level = LEVEL_CAUSAL } };
    struct buffer out = { 0 };
    struct error err = { 0 };

    notation_read("T1 s0: ins {7=12}; T2 s1: sel v>=10 {}", &history);
    ASSERT_OK(dataflow_of_history(&claimed.trace, &history, fixture_arena(), &err), &err);
    TEST_ASSERT_EQUAL_UINT64(1, claimed.trace.unjudged);
    print_claim(&out, &claimed);
    buffer_text(&out, TEXT("],\"steps\":[[]]}"));
    buffer_byte(&out, '\0');
    is_said("refused: of 1 statements nobody knows which rows they saw",
            fixture_verify_prediction(&history, out.at));
    buffer_close(&out);
}

/* --- Predictions are never excluded ------------------------------------------------------------- */

static void print_literal(struct buffer *out, uint32_t variable, bool is_so)
{
    buffer_print(out, "%s%s%u", out->at[out->count - 1] == '[' ? "" : ",", is_so ? "-" : "",
                 variable);
}

/* The variables of a read, of which the next is `*v`: the clause that it is not as the prediction has it. */
static void print_read(struct buffer *out, const struct fixture_prediction *f, uint32_t txn,
                       uint32_t event, uint32_t *v)
{
    const struct dataflow *t = &f->trace;
    uint32_t session = t->session[txn], place = event - t->event_start[txn],
             key = t->events[event].key;
    bool is_boundary = f->prediction.boundary[session] == txn;
    bool is_full = t->ordinal[txn] < f->prediction.full[session];
    bool is_in = is_full || (is_boundary && place < f->prediction.included[session]);
    uint32_t writer = is_full ? t->events[event].writer : f->prediction.writer[event];

    if (!strategy_is_relaxed(f->options.strategy))
        print_literal(out, (*v)++, is_boundary && place + 1 == f->prediction.included[session]);
    print_literal(out, (*v)++, is_in && writer == DATAFLOW_INITIAL);
    for (uint32_t i = t->writer_start[key]; i < t->writer_start[key + 1]; i++)
        if (t->writers[i] != txn)
            print_literal(out, (*v)++, is_in && writer == t->writers[i]);
}

/* The clause that something is not as the prediction has it. Returns the number of the next variable. */
static uint32_t print_denial(struct buffer *out, const struct fixture_prediction *f)
{
    const struct dataflow *t = &f->trace;
    uint32_t v = 1;

    buffer_byte(out, '[');
    for (uint32_t txn = 0; txn < t->txn_count; txn++) {
        uint32_t session = t->session[txn];

        print_literal(out, v++, t->ordinal[txn] < f->prediction.full[session]);
        print_literal(out, v++, f->prediction.boundary[session] == txn);
        for (uint32_t e = t->event_start[txn]; e < t->event_start[txn + 1]; e++)
            if (dataflow_is_read(t->events[e]))
                print_read(out, f, txn, e, &v);
    }
    buffer_byte(out, ']');
    return v;
}

/* That nobody comes before himself, which is so: of the variables from there on. */
static void print_selves(struct buffer *out, const struct dataflow *t, uint32_t before)
{
    for (uint32_t txn = 0; txn < t->txn_count; txn++)
        buffer_print(out, "{\"clause\":[-%u],\"cycle\":[%lld]},", before + txn * t->txn_count + txn,
                     (long long)t->history->txn_id[t->txn[txn]]);
}

/* Any order that keeps sessions; any that float. */
static void print_lemma(struct buffer *out, const struct dataflow *t, struct random *dice)
{
    uint32_t taken[SMALL_TXNS_MAX] = { 0 }, left = t->txn_count;

    buffer_text(out, TEXT("{\"order\":["));
    while (left > 0) {
        uint32_t session = (uint32_t)random_below(dice, t->session_count);
        uint32_t place = t->session_start[session] + taken[session];

        if (place == t->session_start[session + 1])
            continue;
        taken[session]++;
        buffer_print(out, "%lld%s", (long long)t->history->txn_id[t->txn[t->session_txns[place]]],
                     --left > 0 ? "," : "");
    }
    buffer_text(out, TEXT("],\"floats\":["));
    for (uint32_t txn = 0, count = 0; txn < t->txn_count; txn++)
        if (random_below(dice, 2) == 0)
            buffer_print(out, "%s%lld", count++ > 0 ? "," : "",
                         (long long)t->history->txn_id[t->txn[txn]]);
    buffer_text(out, TEXT("]}"));
}

/* Neither by base clauses nor by any lemma: that something is not as it is does not follow. */
static void a_prediction_fits_all_clauses(struct fixture_prediction *f, struct random *dice,
                                          struct buffer *out)
{
    struct buffer denial = { 0 };
    uint32_t before = print_denial(&denial, f);
    char expected[60];

    for (int n = 0; n < 12; n++) {
        print_claim(out, f);
        for (int lemma = 0; lemma < 3; lemma++) {
            buffer_text(out, lemma > 0 ? TEXT(",") : TEXT(""));
            print_lemma(out, &f->trace, dice);
        }
        buffer_text(out, TEXT("],\"steps\":["));
        print_selves(out, &f->trace, before);
        buffer_append(out, &denial);
        buffer_text(out, TEXT(",[]]}"));
        buffer_byte(out, '\0');
        snprintf(expected, sizeof expected, "refused: step %u does not follow", f->trace.txn_count);
        is_said(expected, fixture_verify_prediction(f->trace.history, out->at));
    }
    buffer_close(&denial);
}

/* Nor by steps about cycles, whatever literal stands there. */
static void no_cycle_excludes_a_prediction(struct fixture_prediction *f, struct buffer *out)
{
    const int64_t *id = f->trace.history->txn_id;

    for (int v = 1; v <= 60; v++)
        for (uint32_t txn = 0; txn < f->trace.txn_count; txn++) {
            uint32_t before =
                f->trace.previous[txn] == DATAFLOW_NONE ? txn : f->trace.previous[txn];
            long long a = id[f->trace.txn[before]], b = id[f->trace.txn[txn]];

            print_claim(out, f);
            buffer_print(
                out,
                "],\"steps\":[{\"clause\":[-%d],\"cycle\":[%lld]},[],{\"clause\":[%d],\"cycle\":"
                "[%lld,%lld]},[]]}",
                v, b, v, a, b);
            buffer_byte(out, '\0');
            is_said("refused: ", fixture_verify_prediction(f->trace.history, out->at));
            print_claim(out, f);
            buffer_print(
                out,
                "],\"steps\":[{\"clause\":[%d],\"cycle\":[%lld,%lld]},{\"clause\":[-%d],\"cycle\":"
                "[%lld,%lld]},[]]}",
                v, a, b, v, a, b);
            buffer_byte(out, '\0');
            is_said("refused: ", fixture_verify_prediction(f->trace.history, out->at));
        }
}

static void no_prediction_is_ever_excluded(void)
{
    const struct random_key key = random_key_of_seed(3);
    struct buffer out = { 0 };
    struct random dice;
    uint64_t found = 0;

    random_init(&dice, &key);
    for (uint64_t seed = 0; seed < fixture_rounds(100); seed++) {
        struct small_options options = small_options_of_seed(seed);

        options.lists = options.only_lists = options.predicates = false;
        options.perturbations_max = 0;
        options.exact = options.sessions = true;
        options.mode = SMALL_SERIAL;
        small_history(&options, seed, &history);
        for (int n = 0; n < 6; n++) {
            static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC,
                                                 LEVEL_CAUSAL };
            struct fixture_prediction f;

            if (fixture_predict(&history, levels[n / 2],
                                n % 2 ? STRATEGY_APPROX_RELAXED : STRATEGY_EXACT_STRICT, &f)) {
                a_prediction_fits_all_clauses(&f, &dice, &out);
                if (found++ < 6)
                    no_cycle_excludes_a_prediction(&f, &out);
            }
            fixture_prediction_close(&f);
        }
        history_close(&history);
        history = (struct history){ 0 };
    }
    TEST_ASSERT_TRUE(found > 50);
    buffer_close(&out);
}

/* --- Six levels and boundaries ------------------------------------------------------------------ */

/* A level and a boundary, of the six. */
struct asked {
    enum level level;
    bool is_relaxed;
};

static struct asked asked_of(size_t n)
{
    static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL };

    return (struct asked){ levels[n / 2], n % 2 };
}

/* A proof of one of them is none of another, of which there is a prediction. */
static void is_refused_elsewhere(const struct history *h, char *const proofs[6],
                                 const bool predicted[6])
{
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 6 && proofs[i]; k++) {
            struct asked from = asked_of(i), to = asked_of(k);
            char words[2][120];
            char *claim;

            if (!predicted[k])
                continue;
            for (int w = 0; w < 2; w++)
                snprintf(words[w], sizeof words[w], "\"level\":\"%s\",\"boundary\":\"%s\"",
                         level_name(w ? to.level : from.level),
                         (w ? to : from).is_relaxed ? "relaxed" : "strict");
            claim = fixture_replace(proofs[i], words[0], words[1]);
            is_said("refused: ", fixture_verify_prediction(h, claim));
            free(claim);
        }
}

static void a_proof_at_one_level_is_none_at_a_weaker_one(void)
{
    uint64_t tried = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(250); seed++) {
        struct small_options options = small_options_of_seed(seed);
        char *proofs[6] = { NULL };
        bool predicted[6] = { false };

        options.lists = options.only_lists = options.predicates = false;
        options.perturbations_max = 0;
        options.exact = options.sessions = true;
        options.mode = SMALL_SERIAL;
        small_history(&options, seed, &history);
        for (size_t i = 0; i < 6; i++) {
            struct asked asked = asked_of(i);
            bool is_proven = prove(
                &history, asked.level,
                asked.is_relaxed ? STRATEGY_APPROX_RELAXED : STRATEGY_EXACT_STRICT, &predicted[i]);

            if (is_proven) {
                proofs[i] = strdup(proof.witness.at);
                TEST_ASSERT_NOT_NULL(proofs[i]);
            }
        }
        for (size_t i = 0; i < 6; i++)
            for (size_t k = 0; k < 6; k++)
                tried += proofs[i] && predicted[k];
        is_refused_elsewhere(&history, proofs, predicted);
        for (size_t i = 0; i < 6; i++)
            free(proofs[i]);
        history_close(&history);
        history = (struct history){ 0 };
    }
    TEST_ASSERT_TRUE(tried > 100);
}

static void there_is_a_proof_if_and_only_if_there_is_no_prediction(void)
{
    static const enum level levels[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL };
    const struct random_key key = random_key_of_seed(1);
    uint64_t proven = 0, predicted = 0;
    struct random dice;

    random_init(&dice, &key);
    for (uint64_t seed = 0; seed < fixture_rounds(250); seed++) {
        struct small_options options = small_options_of_seed(seed);

        options.lists = options.only_lists = false;
        options.perturbations_max = 0;
        options.exact = options.sessions = true;
        options.mode = seed % 3 ? SMALL_SERIAL : SMALL_CAUSAL;
        options.txns_max = 5;
        small_history(&options, seed, &history);
        for (size_t i = 0; i < 2 * ROW_COUNT(levels); i++) {
            char label[80];
            bool is_predicted,
                is_proven =
                    prove(&history, levels[i / 2],
                          i % 2 ? STRATEGY_APPROX_RELAXED : STRATEGY_EXACT_STRICT, &is_predicted);

            snprintf(label, sizeof label, "seed %llu, %s, %zu: %.30s", (unsigned long long)seed,
                     level_name(levels[i / 2]), i % 2, proof.reason);
            if (is_predicted) {
                TEST_ASSERT_FALSE_MESSAGE(is_proven, label);
                predicted++;
            } else if (is_proven) {
                const char *answer = fixture_verify_prediction(&history, proof.witness.at);

                TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE("accepted", answer, 8, answer);
                flip_literals(&history, &dice);
                proven++;
            } else {
                TEST_ASSERT_EQUAL_STRING_MESSAGE("", proof.reason, label);
            }
        }
        history_close(&history);
        history = (struct history){ 0 };
    }
    TEST_ASSERT_TRUE(proven > 100 && predicted > 100);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(clauses_propagate_until_they_contradict);
    RUN_TEST(a_proof_is_accepted);
    RUN_TEST(sessions_that_only_read_need_few_lemmas);
    RUN_TEST(each_kind_of_untruth_is_refused);
    RUN_TEST(a_proof_without_its_lemmas_is_none);
    RUN_TEST(there_is_no_proof_where_statements_are_unjudged);
    RUN_TEST(no_prediction_is_ever_excluded);
    RUN_TEST(a_proof_at_one_level_is_none_at_a_weaker_one);
    RUN_TEST(there_is_a_proof_if_and_only_if_there_is_no_prediction);
    return UNITY_END();
}
