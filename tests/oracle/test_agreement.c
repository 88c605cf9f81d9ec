/*
 * The oracle against itself: three ways to say the same thing must agree on
 * random histories of every kind, and levels must imply each other.
 */
#include <stdio.h>

#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 1000
#define MODEL_ROUNDS 250 /* there are many pairs of them */

void setUp(void) {}
void tearDown(void) {}

/* A question to the oracle. */
struct question {
    enum level level;
    enum oracle_definition definition;
    bool use_certificate;
};

static enum oracle_answer ask(const struct history *history, struct question q)
{
    return oracle_decide(history, q.level,
                         (struct oracle_options){ q.definition, q.use_certificate, 100000 });
}

/* How often the questions were answered so or so, to see that a test had something to say. */
struct tally {
    unsigned count[3][3];
};

static void tally_answers(struct tally *tally, const struct history *history, struct question a,
                          struct question b)
{
    tally->count[ask(history, a)][ask(history, b)]++;
}

static void assert_rarely_unjudged(const struct tally *tally, const char *label)
{
    unsigned judged = 0, unjudged = 0;

    for (unsigned a = 0; a < 3; a++)
        for (unsigned b = 0; b < 3; b++)
            *(a == ORACLE_CANNOT_JUDGE || b == ORACLE_CANNOT_JUDGE ? &unjudged : &judged) +=
                tally->count[a][b];
    TEST_ASSERT_TRUE_MESSAGE(unjudged * 50 <= judged, label);
}

static void fail_on_seed(const char *label, uint64_t seed)
{
    char message[256];

    snprintf(message, sizeof message, "%s, seed %llu", label, (unsigned long long)seed);
    TEST_FAIL_MESSAGE(message);
}

struct pair {
    const char *label;
    struct question a, b;
};

/* --- Agreement --------------------------------------------------------------- */

static void check_agreement(const struct pair *pair, bool with_predicates)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;

        options.predicates &= with_predicates;
        small_history(&options, seed, &history);
        tally_answers(&tally, &history, pair->a, pair->b);
        history_close(&history);
        if (tally.count[ORACLE_HOLDS][ORACLE_VIOLATED] ||
            tally.count[ORACLE_VIOLATED][ORACLE_HOLDS])
            fail_on_seed(pair->label, seed);
    }
    assert_rarely_unjudged(&tally, pair->label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(50, tally.count[ORACLE_HOLDS][ORACLE_HOLDS], pair->label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(50, tally.count[ORACLE_VIOLATED][ORACLE_VIOLATED],
                                     pair->label);
}

static void machines_and_graphs_agree(void)
{
    static const enum level levels[] = {
        LEVEL_SNAPSHOT,     LEVEL_SESSION_SNAPSHOT,     LEVEL_STRICT_SNAPSHOT,
        LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE,
    };

    for (size_t i = 0; i < ROW_COUNT(levels); i++) {
        struct pair pair = { level_name(levels[i]),
                             { levels[i], ORACLE_DEFAULT, false },
                             { levels[i], ORACLE_ADYA, false } };

        check_agreement(&pair, true);
    }
}

static void machines_and_axioms_agree_where_sessions_count(void)
{
    static const struct pair pairs[] = {
        { "session snapshot",
          { LEVEL_SESSION_SNAPSHOT, ORACLE_DEFAULT, false },
          { LEVEL_SNAPSHOT, ORACLE_AXIOMATIC, false } },
        { "session serializable",
          { LEVEL_SESSION_SERIALIZABLE, ORACLE_DEFAULT, false },
          { LEVEL_SERIALIZABLE, ORACLE_AXIOMATIC, false } },
        { "strict snapshot",
          { LEVEL_STRICT_SNAPSHOT, ORACLE_DEFAULT, false },
          { LEVEL_STRICT_SNAPSHOT, ORACLE_AXIOMATIC, false } },
        { "strict serializable",
          { LEVEL_STRICT_SERIALIZABLE, ORACLE_DEFAULT, false },
          { LEVEL_STRICT_SERIALIZABLE, ORACLE_AXIOMATIC, false } },
    };

    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        check_agreement(&pairs[i], true);
}

/* Without predicates: where the version set of a predicate is given, Adya looks only at the
 * versions that change what matches, and the axioms at all. */
static void graphs_and_axioms_agree_on_certificates_of_items(void)
{
    static const struct pair pairs[] = {
        { "session snapshot",
          { LEVEL_SESSION_SNAPSHOT, ORACLE_DEFAULT, true },
          { LEVEL_SESSION_SNAPSHOT, ORACLE_AXIOMATIC, true } },
        { "session serializable",
          { LEVEL_SESSION_SERIALIZABLE, ORACLE_DEFAULT, true },
          { LEVEL_SESSION_SERIALIZABLE, ORACLE_AXIOMATIC, true } },
        { "strict serializable",
          { LEVEL_STRICT_SERIALIZABLE, ORACLE_DEFAULT, true },
          { LEVEL_STRICT_SERIALIZABLE, ORACLE_AXIOMATIC, true } },
    };

    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        check_agreement(&pairs[i], false);
}

/* Cerone and Gotsman say parallel snapshot isolation as an axiom and as a graph. */
static void axioms_and_graphs_agree_on_parallel_snapshots(void)
{
    static const struct pair pair = { "parallel snapshot",
                                      { LEVEL_PARALLEL_SNAPSHOT, ORACLE_DEFAULT, false },
                                      { LEVEL_PARALLEL_SNAPSHOT, ORACLE_ADYA, false } };

    check_agreement(&pair, true);
}

/* --- Implication ------------------------------------------------------------- */

#define SEEN(level)                                                                                \
    {                                                                                              \
        LEVEL_##level, ORACLE_DEFAULT, false                                                       \
    }
#define CERTIFIED(level)                                                                           \
    {                                                                                              \
        LEVEL_##level, ORACLE_DEFAULT, true                                                        \
    }
#define AXIOMS(level)                                                                              \
    {                                                                                              \
        LEVEL_##level, ORACLE_AXIOMATIC, false                                                     \
    }

/* The first implies the second, and not the other way round. */
static void check_implication(const struct pair *pair, bool sessions_are_in_time, unsigned rounds)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(rounds); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;

        if (sessions_are_in_time)
            options.times = options.exact = true;
        small_history(&options, seed, &history);
        tally_answers(&tally, &history, pair->a, pair->b);
        history_close(&history);
        if (tally.count[ORACLE_HOLDS][ORACLE_VIOLATED])
            fail_on_seed(pair->label, seed);
    }
    assert_rarely_unjudged(&tally, pair->label);
    TEST_ASSERT_GREATER_THAN_MESSAGE(0, tally.count[ORACLE_VIOLATED][ORACLE_HOLDS], pair->label);
}

static void stronger_levels_imply_weaker_ones(void)
{
    static const struct pair pairs[] = {
        { "strict serializable, serializable", SEEN(STRICT_SERIALIZABLE), SEEN(SERIALIZABLE) },
        { "strict serializable, strict snapshot", SEEN(STRICT_SERIALIZABLE),
          SEEN(STRICT_SNAPSHOT) },
        { "strict snapshot, snapshot", SEEN(STRICT_SNAPSHOT), SEEN(SNAPSHOT) },
        { "session serializable, serializable", SEEN(SESSION_SERIALIZABLE), SEEN(SERIALIZABLE) },
        { "session serializable, session snapshot", SEEN(SESSION_SERIALIZABLE),
          SEEN(SESSION_SNAPSHOT) },
        { "session snapshot, snapshot", SEEN(SESSION_SNAPSHOT), SEEN(SNAPSHOT) },
        { "session snapshot, prefix", SEEN(SESSION_SNAPSHOT), SEEN(PREFIX) },
        { "serializable, snapshot", SEEN(SERIALIZABLE), SEEN(SNAPSHOT) },
        { "serializable, repeatable read", SEEN(SERIALIZABLE), SEEN(REPEATABLE_READ) },
        { "repeatable read, read committed", SEEN(REPEATABLE_READ), SEEN(READ_COMMITTED) },
        { "snapshot, read committed", SEEN(SNAPSHOT), SEEN(READ_COMMITTED) },
        { "prefix, causal", SEEN(PREFIX), SEEN(CAUSAL) },
        { "causal, read atomic", SEEN(CAUSAL), SEEN(READ_ATOMIC) },
        { "read atomic, read committed", SEEN(READ_ATOMIC), SEEN(READ_COMMITTED) },
        { "read atomic, axiomatic read committed", SEEN(READ_ATOMIC), AXIOMS(READ_COMMITTED) },
        { "the read committeds", AXIOMS(READ_COMMITTED), SEEN(READ_COMMITTED) },
        { "read committed, read uncommitted", SEEN(READ_COMMITTED), SEEN(READ_UNCOMMITTED) },
    };

    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        check_implication(&pairs[i], false, ROUNDS);
}

/* As history/level.c has them. */
static void models_stand_where_the_lattice_puts_them(void)
{
    static const struct pair pairs[] = {
        { "read atomic, read your writes", SEEN(READ_ATOMIC), SEEN(READ_YOUR_WRITES) },
        { "read atomic, monotonic atomic view", SEEN(READ_ATOMIC), SEEN(MONOTONIC_ATOMIC_VIEW) },
        { "update atomic, monotonic atomic view", SEEN(UPDATE_ATOMIC),
          SEEN(MONOTONIC_ATOMIC_VIEW) },
        { "the monotonic atomic views", AXIOMS(MONOTONIC_ATOMIC_VIEW),
          SEEN(MONOTONIC_ATOMIC_VIEW) },
        { "monotonic atomic view, read committed", SEEN(MONOTONIC_ATOMIC_VIEW),
          SEEN(READ_COMMITTED) },
        { "pram, read your writes", SEEN(PRAM), SEEN(READ_YOUR_WRITES) },
        { "pram, monotonic reads", SEEN(PRAM), SEEN(MONOTONIC_READS) },
        { "pram, monotonic writes", SEEN(PRAM), SEEN(MONOTONIC_WRITES) },
        { "causal, pram", SEEN(CAUSAL), SEEN(PRAM) },
        { "causal, writes follow reads", SEEN(CAUSAL), SEEN(WRITES_FOLLOW_READS) },
        { "parallel snapshot, causal", SEEN(PARALLEL_SNAPSHOT), SEEN(CAUSAL) },
        { "parallel snapshot, update atomic", SEEN(PARALLEL_SNAPSHOT), SEEN(UPDATE_ATOMIC) },
        { "session snapshot, parallel snapshot", SEEN(SESSION_SNAPSHOT), SEEN(PARALLEL_SNAPSHOT) },
        { "snapshot, update atomic", SEEN(SNAPSHOT), SEEN(UPDATE_ATOMIC) },
        { "snapshot, consistent view", SEEN(SNAPSHOT), SEEN(FORWARD_CONSISTENT_VIEW) },
        { "serializable, update serializable", SEEN(SERIALIZABLE), SEEN(UPDATE_SERIALIZABLE) },
        { "update serializable, consistent view", SEEN(UPDATE_SERIALIZABLE),
          SEEN(CONSISTENT_VIEW) },
        { "consistent view, cursor stability", SEEN(CONSISTENT_VIEW), SEEN(CURSOR_STABILITY) },
        { "consistent view, monotonic view", SEEN(CONSISTENT_VIEW), SEEN(MONOTONIC_VIEW) },
        { "monotonic view, read committed", SEEN(MONOTONIC_VIEW), SEEN(READ_COMMITTED) },
        { "cursor stability, read committed", SEEN(CURSOR_STABILITY), SEEN(READ_COMMITTED) },
        { "repeatable read, cursor stability", SEEN(REPEATABLE_READ), SEEN(CURSOR_STABILITY) },
        { "repeatable read, monotonic atomic view", SEEN(REPEATABLE_READ),
          SEEN(MONOTONIC_ATOMIC_VIEW) },
        { "session snapshot, session read committed", SEEN(SESSION_SNAPSHOT),
          SEEN(SESSION_READ_COMMITTED) },
        { "session read committed, session read uncommitted", SEEN(SESSION_READ_COMMITTED),
          SEEN(SESSION_READ_UNCOMMITTED) },
        { "strict snapshot, strict read committed", SEEN(STRICT_SNAPSHOT),
          SEEN(STRICT_READ_COMMITTED) },
        { "strict read committed, strict read uncommitted", SEEN(STRICT_READ_COMMITTED),
          SEEN(STRICT_READ_UNCOMMITTED) },
    };

    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        check_implication(&pairs[i], false, MODEL_ROUNDS);
}

static void strictness_implies_linearizability(void)
{
    static const struct pair pair = { "linearizable", SEEN(STRICT_SERIALIZABLE),
                                      SEEN(LINEARIZABLE) };
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++) {
        struct small_options options = small_options_of_seed(seed);
        struct history history;

        options.times = true;
        options.predicates = false;
        small_history(&options, seed, &history);
        tally_answers(&tally, &history, pair.a, pair.b);
        history_close(&history);
        if (tally.count[ORACLE_HOLDS][ORACLE_VIOLATED])
            fail_on_seed(pair.label, seed);
    }
    assert_rarely_unjudged(&tally, pair.label);
    TEST_ASSERT_GREATER_THAN(50, tally.count[ORACLE_VIOLATED][ORACLE_VIOLATED]);
    TEST_ASSERT_GREATER_THAN(10, tally.count[ORACLE_VIOLATED][ORACLE_HOLDS]);
}

static void real_time_implies_sessions_that_are_in_time(void)
{
    static const struct pair pairs[] = {
        { "snapshot", SEEN(STRICT_SNAPSHOT), SEEN(SESSION_SNAPSHOT) },
        { "serializable", SEEN(STRICT_SERIALIZABLE), SEEN(SESSION_SERIALIZABLE) },
    };

    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        check_implication(&pairs[i], true, ROUNDS);
}

static void a_certificate_only_takes_explanations_away(void)
{
    static const struct pair pairs[] = {
        { "strict serializable", CERTIFIED(STRICT_SERIALIZABLE), SEEN(STRICT_SERIALIZABLE) },
        { "serializable", CERTIFIED(SERIALIZABLE), SEEN(SERIALIZABLE) },
        { "snapshot", CERTIFIED(SNAPSHOT), SEEN(SNAPSHOT) },
        { "repeatable read", CERTIFIED(REPEATABLE_READ), SEEN(REPEATABLE_READ) },
        { "causal", CERTIFIED(CAUSAL), SEEN(CAUSAL) },
        { "read committed", CERTIFIED(READ_COMMITTED), SEEN(READ_COMMITTED) },
    };

    for (size_t i = 0; i < ROW_COUNT(pairs); i++)
        check_implication(&pairs[i], false, ROUNDS);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(machines_and_graphs_agree);
    RUN_TEST(machines_and_axioms_agree_where_sessions_count);
    RUN_TEST(graphs_and_axioms_agree_on_certificates_of_items);
    RUN_TEST(axioms_and_graphs_agree_on_parallel_snapshots);
    RUN_TEST(stronger_levels_imply_weaker_ones);
    RUN_TEST(models_stand_where_the_lattice_puts_them);
    RUN_TEST(strictness_implies_linearizability);
    RUN_TEST(real_time_implies_sessions_that_are_in_time);
    RUN_TEST(a_certificate_only_takes_explanations_away);
    return UNITY_END();
}
