/*
 * Refutations of random small histories: there is one that verify accepts exactly
 * where the oracle says that the level is violated; and none of them, changed in any
 * way, passes for one of a history of which the oracle says that it holds.
 */
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "tests/verify/mutate.h"
#include "tests/verify/prover.h"
#include "tests/verify/verify_fixture.h"
#include "unity.h"

void setUp(void) {}
void tearDown(void) {}

static const enum level levels[] = { LEVEL_SERIALIZABLE,        LEVEL_SESSION_SERIALIZABLE,
                                     LEVEL_STRICT_SERIALIZABLE, LEVEL_SNAPSHOT,
                                     LEVEL_SESSION_SNAPSHOT,    LEVEL_STRICT_SNAPSHOT };

static const struct oracle_options by_values = { .use_certificate = true };

struct tally {
    size_t refuted, found, gave_up, incomplete, by_values_alone;
    size_t tried, fitted; /* changed ones, with a history that holds; and with the very one */
};

/* An anomaly at a level, by some or all of the version orders. */
struct plea {
    enum level level;
    bool takes_part;
    struct buffer anomaly;
};

static void write_witness(const struct history *h, const struct plea *plea, struct buffer *out)
{
    buffer_clear(out);
    fixture_begin(out, h);
    buffer_print(out,
                 "\"checker\":\"blackbox\",\"level\":\"%s\",\"verdict\":\"invalid\",%s"
                 "\"anomalies\":[{",
                 level_name(plea->level), plea->takes_part ? "\"version-order\":\"part\"," : "");
    buffer_text(out, (struct text){ plea->anomaly.at, plea->anomaly.count });
    buffer_text(out, TEXT("}]}"));
}

/* The prover takes rows for reads of values. Where statements say more, its axioms say nothing. */
static void assert_accepted(const struct history *h, struct text witness, uint64_t seed,
                            struct tally *tally)
{
    char reason[512], message[700];
    bool is_accepted = fixture_verify(h, witness, reason);

    if (!is_accepted && h->statement_count > 0 && strstr(reason, "nothing contradicts it")) {
        tally->by_values_alone++;
        return;
    }
    snprintf(message, sizeof message, "seed %llu: %s", (unsigned long long)seed, reason);
    if (!is_accepted)
        printf("%.*s\n", (int)witness.length, witness.at);
    TEST_ASSERT_TRUE_MESSAGE(is_accepted, message);
}

/* If it is accepted after all, the level must be violated: the changes may concern the level. */
static size_t change(const struct history *h, struct text witness, unsigned count,
                     struct random *random)
{
    struct buffer changed = { 0 };
    size_t accepted = 0;
    char reason[512];

    for (unsigned i = 0; i < count; i++) {
        enum oracle_answer answer;

        mutate_randomly(witness, random, &changed);
        if (!fixture_verify(h, (struct text){ changed.at, changed.count }, reason))
            continue;
        accepted++;
        buffer_byte(&changed, 0);
        answer = oracle_decide(h, fixture_level(changed.at), by_values);
        TEST_ASSERT_NOT_EQUAL_MESSAGE(ORACLE_HOLDS, answer, changed.at);
    }
    buffer_close(&changed);
    return accepted;
}

/* The proof of one history for another, of the same plan but other answers. */
static void transplant(const struct small_options *options, uint64_t seed, const struct plea *plea,
                       struct random *random, struct tally *tally)
{
    struct small_options other = *options;
    struct buffer witness = { 0 };
    struct history h, view;
    char reason[512];

    other.mode = random_below(random, 2) ? SMALL_SERIAL : SMALL_SNAPSHOT;
    other.perturbations_max = 0;
    other.exact = true;
    small_history(&other, seed, &h);
    view = h;
    fixture_forget_places(&view);
    if (oracle_decide(&view, plea->level, by_values) == ORACLE_HOLDS) {
        struct text text;

        write_witness(&view, plea, &witness);
        text = (struct text){ witness.at, witness.count };
        TEST_ASSERT_FALSE_MESSAGE(fixture_verify(&view, text, reason), "of another history");
        (void)change(&view, text, 30, random);
        tally->tried += 30;
    }
    history_close(&h);
    buffer_close(&witness);
}

static void try_one(uint64_t seed, struct random *random, struct tally *tally)
{
    struct small_options options = small_options_of_seed(seed);
    struct plea plea = { .level = levels[seed % ROW_COUNT(levels)], .takes_part = seed % 5 == 0 };
    struct buffer witness = { 0 };
    enum prover_answer proved;
    enum oracle_answer answer;
    struct history h, view;
    char message[100];

    options.txns_max = 5;
    small_history(&options, seed, &h);
    view = h;
    fixture_forget_places(&view);
    answer = oracle_decide(&view, plea.level, by_values);
    proved = prover_refute(&view, plea.level, plea.takes_part, &plea.anomaly);
    tally->refuted += proved == PROVER_REFUTED;
    tally->found += proved == PROVER_FOUND;
    tally->gave_up += proved == PROVER_GAVE_UP;
    snprintf(message, sizeof message, "seed %llu at %s", (unsigned long long)seed,
             level_name(plea.level));
    if (proved == PROVER_REFUTED) {
        TEST_ASSERT_NOT_EQUAL_MESSAGE(ORACLE_HOLDS, answer, message);
        write_witness(&view, &plea, &witness);
        assert_accepted(&view, (struct text){ witness.at, witness.count }, seed, tally);
        tally->fitted += change(&view, (struct text){ witness.at, witness.count }, 10, random);
        transplant(&options, seed, &plea, random, tally);
    } else if (proved == PROVER_FOUND && !plea.takes_part && prover_is_complete(&view)) {
        TEST_ASSERT_NOT_EQUAL_MESSAGE(ORACLE_VIOLATED, answer, message);
    } else if (proved == PROVER_FOUND) {
        tally->incomplete += answer == ORACLE_VIOLATED;
    }
    history_close(&h);
    buffer_close(&plea.anomaly);
    buffer_close(&witness);
}

static void there_is_a_refutation_where_the_oracle_finds_no_order(void)
{
    struct random_key key = random_key_of_seed(21);
    struct tally tally = { 0 };
    size_t rounds = fixture_rounds(1500);
    struct random random;

    random_init(&random, &key);
    for (uint64_t seed = 0; seed < rounds; seed++)
        try_one(seed, &random, &tally);
    printf("refuted %zu, found %zu, gave up %zu, incomplete %zu; changed: %zu tried elsewhere, "
           "%zu still fit\n",
           tally.refuted, tally.found, tally.gave_up, tally.incomplete, tally.tried, tally.fitted);
    TEST_ASSERT_GREATER_THAN(rounds / 8, tally.refuted);
    TEST_ASSERT_GREATER_THAN(rounds / 8, tally.found);
    TEST_ASSERT_LESS_THAN(rounds / 50, tally.gave_up);
    TEST_ASSERT_LESS_THAN(rounds / 20, tally.incomplete);
    TEST_ASSERT_LESS_THAN(rounds / 100, tally.by_values_alone);
    TEST_ASSERT_GREATER_THAN(rounds, tally.tried);
    TEST_ASSERT_GREATER_THAN(rounds / 50, tally.fitted);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(there_is_a_refutation_where_the_oracle_finds_no_order);
    return UNITY_END();
}
