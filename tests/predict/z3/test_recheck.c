#include "predict/z3/recheck_private.h"

#include "base/buffer.h"
#include "tests/fixture.h"
#include "tests/predict/draw_dataflow.h"
#include "tests/predict/enumerate.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static struct history history;
static struct buffer text;
static struct error err;
static uint64_t accepted, refused;

void setUp(void)
{
    err = (struct error){ 0 };
    accepted = refused = 0;
}

void tearDown(void)
{
    history_close(&history);
    buffer_close(&text);
}

/* --- By hand ------------------------------------------------------------------------------ */

/* Of "T1: r y _, w x 1; T2: w y 2, r x 1", with T2 cut behind a read of x in the initial state. */
static uint32_t full[2], boundary[2], included[2], writer[4], place[2];

static const char *recheck(enum level level, bool is_relaxed)
{
    struct arena *arena = fixture_arena();
    struct dataflow trace = fixture_dataflow("T1: r y _, w x 1; T2: w y 2, r x 1", &history, arena);
    struct prediction p = {
        .full = full, .boundary = boundary, .included = included, .writer = writer
    };
    const char *why;

    ASSERT_OK(recheck_prediction(&trace, &p, level, is_relaxed, place, arena, &why, &err), &err);
    history_close(&history);
    return why;
}

static void set(uint32_t first_full, uint32_t second_included, uint32_t last_writer)
{
    full[0] = first_full;
    full[1] = 0;
    boundary[0] = DATAFLOW_NONE;
    boundary[1] = 1;
    included[0] = 0;
    included[1] = second_included;
    writer[0] = DATAFLOW_INITIAL;
    writer[1] = writer[2] = DATAFLOW_NONE;
    writer[3] = last_writer;
    place[0] = 0;
    place[1] = 1;
}

static void a_prediction_is_accepted_and_each_untruth_refused_with_its_reason(void)
{
    set(1, 2, DATAFLOW_INITIAL);
    TEST_ASSERT_NULL(recheck(LEVEL_SNAPSHOT, false));
    TEST_ASSERT_NULL(recheck(LEVEL_SNAPSHOT, true));
    set(1, 2, 0);
    TEST_ASSERT_EQUAL_STRING("it is serializable", recheck(LEVEL_SNAPSHOT, false));
    set(0, 2, 0);
    TEST_ASSERT_EQUAL_STRING("a read has a writer that is not full, or did not write its key",
                             recheck(LEVEL_SNAPSHOT, false));
    set(1, 2, 1);
    TEST_ASSERT_EQUAL_STRING("a read has a writer that is not full, or did not write its key",
                             recheck(LEVEL_SNAPSHOT, false));
    set(1, 1, DATAFLOW_INITIAL);
    TEST_ASSERT_EQUAL_STRING("a boundary transaction is cut at a wrong place",
                             recheck(LEVEL_SNAPSHOT, false));
    set(1, 2, DATAFLOW_INITIAL);
    boundary[1] = 0;
    TEST_ASSERT_EQUAL_STRING("a boundary transaction is out of its place",
                             recheck(LEVEL_SNAPSHOT, false));
    set(1, 2, DATAFLOW_INITIAL);
    writer[0] = 1;
    TEST_ASSERT_EQUAL_STRING("a read that is none of a boundary has another writer",
                             recheck(LEVEL_SNAPSHOT, false));
}

/* --- Against the enumerator --------------------------------------------------------------- */

struct visit {
    const struct dataflow *trace;
    struct arena *arena;
    bool is_relaxed;
};

/* What is a prediction at one of these levels need not be one at another. The others ask for an order. */
static void visit(void *context, const struct candidate *c, uint64_t levels)
{
    static const enum level tried[] = { LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC, LEVEL_CAUSAL };
    const struct visit *v = context;
    struct candidate copy = *c;

    for (size_t i = 0; i < ROW_COUNT(tried); i++) {
        struct prediction p = { .full = copy.full,
                                .boundary = copy.boundary,
                                .included = copy.included,
                                .writer = copy.writer };
        size_t used = v->arena->used;
        const char *why, *refutation;

        ASSERT_OK(
            recheck_prediction(v->trace, &p, tried[i], v->is_relaxed, NULL, v->arena, &why, &err),
            &err);
        if (levels >> tried[i] & 1) {
            TEST_ASSERT_NULL_MESSAGE(why, text.at);
            refutation = enumerate_refute(v->trace, &p, tried[i], v->is_relaxed);
            TEST_ASSERT_NULL_MESSAGE(refutation, text.at);
            accepted++;
        } else {
            TEST_ASSERT_EQUAL_STRING_MESSAGE("it is not of the level", why, text.at);
            refused++;
        }
        arena_reset_to(v->arena, used);
    }
}

static void what_the_enumerator_lists_is_accepted_at_its_levels_and_at_no_other(void)
{
    const struct draw_options options = { 5, 3, 3, 3 };
    struct random_key key = random_key_of_seed(11);
    struct random random;

    random_init(&random, &key);
    for (size_t round = 0; round < fixture_rounds(200); round++) {
        struct arena *arena = fixture_arena();
        struct dataflow trace;
        struct visit v = { .trace = &trace, .arena = arena, .is_relaxed = round % 2 };
        struct enumeration e = { .visit = visit, .context = &v };

        draw_dataflow(&random, &options, arena, &trace);
        draw_print(&trace, &text);
        enumerate(&trace, v.is_relaxed, &e);
    }
    TEST_ASSERT_GREATER_THAN_UINT64(1000, accepted);
    TEST_ASSERT_GREATER_THAN_UINT64(1000, refused);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_prediction_is_accepted_and_each_untruth_refused_with_its_reason);
    RUN_TEST(what_the_enumerator_lists_is_accepted_at_its_levels_and_at_no_other);
    return UNITY_END();
}
