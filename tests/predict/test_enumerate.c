#include "tests/predict/enumerate.h"

#include <string.h>

#include "base/buffer.h"
#include "tests/fixture.h"
#include "tests/predict/draw_dataflow.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

#define RC LEVEL_BIT(LEVEL_READ_COMMITTED)
#define RA LEVEL_BIT(LEVEL_READ_ATOMIC)
#define CC LEVEL_BIT(LEVEL_CAUSAL)
#define PC LEVEL_BIT(LEVEL_PREFIX)
#define SI LEVEL_BIT(LEVEL_SNAPSHOT)

#define NO_ORDER "its order does not show the level"

static struct history history;
static struct buffer text;

void setUp(void) {}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&text);
}

static const struct {
    const char *what, *notation;
    uint64_t strict, relaxed;
} rows[] = {
    { "two deposits: the strict cut loses the second write", "T1: r x _, w x 1; T2: r x 1, w x 2",
      0, RC | RA | CC | PC },
    { "two withdrawals that look at both accounts",
      "T1: r x _, r y _, w x 1; T2: r x 1, r y _, w y 2", 0, RC | RA | CC | PC | SI },
    { "the same, and the second writes before it reads", "T1: r y _, w x 1; T2: w y 2, r x 1",
      RC | RA | CC | PC | SI, RC | RA | CC | PC | SI },
    { "one writer, of two keys", "T1: w x 1, w y 1; T2: r x 1, r y 1", 0, RC },
    { "one writer of one key", "T1: w x 1; T2: r x 1; T3: r x 1", 0, 0 },
    { "a key that is read twice", "T1: w x 1; T2: r x 1, r x 1", 0, RC },
    { "a session forgets what it has seen", "T1: w x 1; T2 s1: r x 1; T3 s1: r x 1", RC | RA,
      RC | RA },
    { "a long fork: each of two readers misses one write",
      "T1: w x 1; T2: w y 1; T3: r x 1, r y 1; T4: r y 1, r x 1", RC | RA | CC, RC | RA | CC },
    { "a friend's answer is seen before the question",
      "T1 s1: w x 1; T2 s2: r x 1, w y 1; T3 s3: r y 1, r x 1", RC | RA, RC | RA | CC | PC | SI },
    { "nothing is read", "T1: w x 1; T2: w x 2, w y 1", 0, 0 },
};

static uint64_t levels_of(const struct dataflow *trace, bool is_relaxed)
{
    struct enumeration e = { 0 };

    enumerate(trace, is_relaxed, &e);
    return e.levels;
}

static void what_is_predicted_is_what_the_definitions_say(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct dataflow trace = fixture_dataflow(rows[i].notation, &history, fixture_arena());

        TEST_ASSERT_EQUAL_HEX64_MESSAGE(rows[i].strict, levels_of(&trace, false), rows[i].what);
        TEST_ASSERT_EQUAL_HEX64_MESSAGE(rows[i].relaxed, levels_of(&trace, true), rows[i].what);
        history_close(&history);
    }
}

static void an_observed_execution_that_is_not_serializable_is_a_prediction_itself(void)
{
    struct dataflow trace =
        fixture_dataflow("T1: r x _, w x 1; T2: r x _, w x 2", &history, fixture_arena());

    TEST_ASSERT_EQUAL_HEX64(RC | RA | CC | PC, levels_of(&trace, false));
}

/* --- Every candidate against the one that judges a single one --------------------------------------- */

struct visit {
    const struct dataflow *trace;
    bool is_relaxed;
    uint64_t count[LEVEL_COUNT];
    uint64_t
        levels_changed; /* of predictions in which every cut is behind a read that has another writer */
};

static bool is_changed(const struct dataflow *trace, const struct candidate *c)
{
    for (uint32_t s = 0; s < trace->session_count; s++) {
        uint32_t last;

        if (c->boundary[s] == DATAFLOW_NONE)
            continue;
        last = trace->event_start[c->boundary[s]] + c->included[s] - 1;
        if (c->writer[last] == trace->events[last].writer)
            return false;
    }
    return true;
}

static void visit(void *context, const struct candidate *c, uint64_t levels)
{
    struct visit *v = context;
    struct candidate copy = *c;
    struct prediction p = { .full = copy.full,
                            .boundary = copy.boundary,
                            .included = copy.included,
                            .writer = copy.writer };

    for (unsigned level = 0; level < LEVEL_COUNT; level++) {
        const char *why;

        if (!(ENUMERATE_LEVELS >> level & 1))
            continue;
        why = enumerate_refute(v->trace, &p, (enum level)level, v->is_relaxed);
        TEST_ASSERT_EQUAL_MESSAGE(levels >> level & 1, strcmp(why, NO_ORDER) == 0, text.at);
        v->count[level] += levels >> level & 1;
    }
    if (!v->is_relaxed && is_changed(v->trace, c))
        v->levels_changed |= levels;
}

static void enumerate_at_random(size_t rounds, bool is_relaxed)
{
    const struct draw_options options = { 5, 3, 3, 3 };
    struct random_key key = random_key_of_seed(is_relaxed);
    struct random random;
    uint64_t found = 0;

    random_init(&random, &key);
    for (size_t round = 0; round < rounds; round++) {
        struct dataflow trace;
        struct visit v = { .trace = &trace, .is_relaxed = is_relaxed };
        struct enumeration e = { .visit = visit, .context = &v };

        draw_dataflow(&random, &options, fixture_arena(), &trace);
        draw_print(&trace, &text);
        enumerate(&trace, is_relaxed, &e);
        for (unsigned level = 0; level < LEVEL_COUNT; level++) {
            TEST_ASSERT_EQUAL_UINT64_MESSAGE(e.found[level], v.count[level], text.at);
            if (!is_relaxed)
                TEST_ASSERT_EQUAL_MESSAGE(e.levels >> level & 1, v.levels_changed >> level & 1,
                                          text.at);
        }
        found += e.levels != 0;
    }
    TEST_ASSERT_GREATER_THAN(rounds / 10, found);
    TEST_ASSERT_LESS_THAN(rounds, found);
}

static void strict_predictions_need_no_cut_behind_a_read_that_has_its_writer(void)
{
    enumerate_at_random(fixture_rounds(200), false);
}

static void relaxed_predictions_are_those_that_are_accepted_one_by_one(void)
{
    enumerate_at_random(fixture_rounds(200), true);
}

static void what_is_no_prediction_is_refused_with_a_reason(void)
{
    struct dataflow trace =
        fixture_dataflow("T1: r y _, w x 1; T2: w y 2, r x 1", &history, fixture_arena());
    uint32_t full[] = { 1, 0 }, boundary[] = { DATAFLOW_NONE, 1 }, included[] = { 0, 2 };
    uint32_t writer[] = { DATAFLOW_INITIAL, DATAFLOW_NONE, DATAFLOW_NONE, DATAFLOW_INITIAL };
    uint32_t order[] = { 0, 1 };
    struct prediction p = { .full = full,
                            .boundary = boundary,
                            .included = included,
                            .writer = writer,
                            .order = order,
                            .order_count = 2 };

    TEST_ASSERT_NULL(enumerate_refute(&trace, &p, LEVEL_SNAPSHOT, false));
    p.order_count = 1;
    TEST_ASSERT_EQUAL_STRING(NO_ORDER, enumerate_refute(&trace, &p, LEVEL_SNAPSHOT, false));
    p.order_count = 2;
    order[0] = 1;
    TEST_ASSERT_EQUAL_STRING(NO_ORDER, enumerate_refute(&trace, &p, LEVEL_SNAPSHOT, false));
    writer[3] = 0;
    TEST_ASSERT_EQUAL_STRING("it is serializable",
                             enumerate_refute(&trace, &p, LEVEL_CAUSAL, false));
    writer[3] = 1;
    TEST_ASSERT_EQUAL_STRING("a boundary transaction reads what nobody wrote who is full",
                             enumerate_refute(&trace, &p, LEVEL_CAUSAL, false));
    writer[3] = DATAFLOW_INITIAL;
    included[1] = 1;
    TEST_ASSERT_EQUAL_STRING("a boundary transaction is not cut behind a read",
                             enumerate_refute(&trace, &p, LEVEL_CAUSAL, false));
    TEST_ASSERT_EQUAL_STRING("a boundary transaction is not whole",
                             enumerate_refute(&trace, &p, LEVEL_CAUSAL, true));
    full[0] = 0;
    full[1] = 1;
    boundary[1] = DATAFLOW_NONE;
    TEST_ASSERT_EQUAL_STRING("a full transaction reads from one that is not full",
                             enumerate_refute(&trace, &p, LEVEL_CAUSAL, false));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_predicted_is_what_the_definitions_say);
    RUN_TEST(an_observed_execution_that_is_not_serializable_is_a_prediction_itself);
    RUN_TEST(strict_predictions_need_no_cut_behind_a_read_that_has_its_writer);
    RUN_TEST(relaxed_predictions_are_those_that_are_accepted_one_by_one);
    RUN_TEST(what_is_no_prediction_is_refused_with_a_reason);
    return UNITY_END();
}
