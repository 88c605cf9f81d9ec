/*
 * What the checkers say of predictions, and the cycles that are told of them.
 */
#include "predict/confirm.h"

#include <inttypes.h>
#include <string.h>

#include "base/random.h"
#include "predict/prediction_witness.h"
#include "tests/fixture.h"
#include "tests/predict/draw_dataflow.h"
#include "tests/predict/predict_fixture.h"
#include "unity.h"

static struct history history;
static struct dataflow trace;
static struct buffer text;
static struct confirmation confirmation;
static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void)
{
    confirmation_close(&confirmation);
    history_close(&history);
    buffer_close(&text);
}

/* --- Cycles ----------------------------------------------------------------------------------- */

static void print_cycle(const struct dataflow *t, const struct cycle *cycle)
{
    buffer_clear(&text);
    for (uint32_t i = 0; i < cycle->count; i++) {
        const struct cycle_edge *e = &cycle->edges[i];
        struct text key = e->kind == CYCLE_SO ? TEXT("") : history_key(t->history, t->key[e->key]);

        buffer_print(&text, "%sT%" PRIu32 " %s%s%.*s T%" PRIu32, i > 0 ? ", " : "", e->from + 1,
                     cycle_edge_name(e->kind), key.length > 0 ? " " : "", TEXT_PRINT(key),
                     e->to + 1);
    }
    buffer_byte(&text, '\0');
}

static void the_cycle_is(const char *expected, const char *notation)
{
    struct arena *arena = fixture_arena();
    struct cycle cycle;

    trace = fixture_dataflow(notation, &history, arena);
    ASSERT_OK(dataflow_find_cycle(&trace, arena, &cycle, &err), &err);
    print_cycle(&trace, &cycle);
    TEST_ASSERT_EQUAL_STRING(expected, text.at);
}

static void two_that_did_not_see_each_other_make_a_cycle(void)
{
    the_cycle_is("T2 rw x T1, T1 rw y T2", "T1: r y _, w x 1; T2: r x _, w y 2");
}

static void a_serializable_trace_has_no_cycle(void)
{
    the_cycle_is("", "T1: r y _, w x 1; T2: r x 1, w y 2; T3: r x 1, r y _");
}

static void sessions_are_edges(void)
{
    the_cycle_is("T3 rw x T1, T1 so T2, T2 wr y T3",
                 "T1 s0: w x 1; T2 s0: w y 2; T3: r y 2, r x _");
}

static void a_writer_that_is_before_a_reader_is_before_whom_it_reads_from(void)
{
    the_cycle_is("T3 rw z T1, T1 ww x T3", "T1: w x 1, w z 1; T2: r z 1, r x 3; T3: w x 3, r z _");
}

/* Every edge must lead on, and the last back to the first. */
static void a_cycle_is_closed_and_there_only_if_the_trace_is_not_serializable(void)
{
    const struct draw_options options = {
        .txns_max = 6, .sessions_max = 3, .keys_max = 3, .ops_max = 4
    };
    const struct random_key key = random_key_of_seed(7);
    struct random random;
    uint64_t found = 0;

    random_init(&random, &key);
    for (uint64_t n = 0; n < fixture_rounds(300); n++) {
        struct arena *arena = fixture_arena();
        struct check_options asked = { .level = LEVEL_SESSION_SERIALIZABLE };
        struct check check;
        struct cycle cycle;

        draw_dataflow(&random, &options, arena, &trace);
        ASSERT_OK(dataflow_find_cycle(&trace, arena, &cycle, &err), &err);
        ASSERT_OK(dataflow_to_history(&trace, &history, &err), &err);
        ASSERT_OK(checker_run(checker_find(TEXT("blackbox")), &history, &asked, &check, &err),
                  &err);
        if (cycle.count > 0)
            TEST_ASSERT_EQUAL_INT(VERDICT_INVALID, check.verdict);
        for (uint32_t i = 0; i < cycle.count; i++)
            TEST_ASSERT_EQUAL_UINT32(cycle.edges[i].to, cycle.edges[(i + 1) % cycle.count].from);
        found += cycle.count > 0;
        check_close(&check);
        history_close(&history);
        history = (struct history){ 0 };
    }
    TEST_ASSERT_TRUE(found > 20);
}

/* --- Confirmations ----------------------------------------------------------------------------- */

/* A prediction in which all is as observed, in which the last transaction may read something else. */
static struct prediction as_observed(struct arena *arena)
{
    struct prediction p = { .kind = PREDICTION_FOUND };

    p.full = arena_push(arena, trace.session_count, sizeof *p.full);
    p.boundary = arena_push(arena, trace.session_count, sizeof *p.boundary);
    p.included = arena_push(arena, trace.session_count, sizeof *p.included);
    p.writer = arena_push(arena, trace.event_count, sizeof *p.writer);
    TEST_ASSERT_TRUE(p.full && p.boundary && p.included && p.writer);
    for (uint32_t s = 0; s < trace.session_count; s++) {
        p.full[s] = trace.session_start[s + 1] - trace.session_start[s];
        p.boundary[s] = DATAFLOW_NONE;
    }
    for (uint32_t e = 0; e < trace.event_count; e++)
        p.writer[e] = trace.events[e].writer;
    return p;
}

static void make_boundary(struct prediction *p, uint32_t txn, uint32_t event, uint32_t writer)
{
    uint32_t s = trace.session[txn];

    p->full[s]--;
    p->boundary[s] = txn;
    p->included[s] = trace.event_start[txn + 1] - trace.event_start[txn];
    p->writer[trace.event_start[txn] + event] = writer;
}

static void confirm(const char *notation, uint32_t writer, enum level level)
{
    struct arena *arena = fixture_arena();
    struct predict_options options = { .level = level, .strategy = STRATEGY_APPROX_RELAXED };
    struct prediction p;

    trace = fixture_dataflow(notation, &history, arena);
    p = as_observed(arena);
    make_boundary(&p, trace.txn_count - 1, 0, writer);
    ASSERT_OK(prediction_confirm(&p, &trace, &options, arena, &confirmation, &err), &err);
    if (!confirmation.is_confirmed)
        return;
    ASSERT_OK(prediction_write_witness(&p, &trace, &options, &confirmation, &text, &err), &err);
}

static void a_prediction_that_is_one_is_confirmed_with_its_witnesses(void)
{
    confirm("T1: r x _, w x 1; T2: r x 1, w x 2", DATAFLOW_INITIAL, LEVEL_CAUSAL);
    TEST_ASSERT_TRUE(confirmation.is_confirmed);
    TEST_ASSERT_EQUAL_INT(VERDICT_VALID, confirmation.holds.verdict);
    TEST_ASSERT_EQUAL_INT(VERDICT_INVALID, confirmation.fails.verdict);
    TEST_ASSERT_EQUAL_INT(LEVEL_SERIALIZABLE, confirmation.fails.level);
    TEST_ASSERT_EQUAL_UINT32(2, confirmation.cycle.count);
    TEST_ASSERT_TRUE(text.count > 0);
}

static void what_is_serializable_is_never_confirmed(void)
{
    confirm("T1: r x _, w x 1; T2: r x 1, w y 2", DATAFLOW_INITIAL, LEVEL_CAUSAL);
    TEST_ASSERT_FALSE(confirmation.is_confirmed);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(confirmation.reason,
                                        "internal error: a prediction is none, since blackbox says "
                                        "that session-serializable holds in it"),
                                 confirmation.reason);
}

static void what_the_level_forbids_is_never_confirmed(void)
{
    confirm("T1: r x _, w x 1; T2: r x 1, w x 2", DATAFLOW_INITIAL, LEVEL_SNAPSHOT);
    TEST_ASSERT_FALSE(confirmation.is_confirmed);
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(confirmation.reason, "blackbox says that session-snapshot is violated in it"),
        confirmation.reason);
}

/* It counts what sessions promise: without them there is an order, and with them none. */
static void sessions_may_be_what_makes_it_fail(void)
{
    confirm("T1 s0: w x 1; T2 s0: w y 1; T3 s1: r x 1, r y 1", DATAFLOW_INITIAL, LEVEL_READ_COMMITTED);
    TEST_ASSERT_TRUE_MESSAGE(confirmation.is_confirmed, confirmation.reason);
    TEST_ASSERT_EQUAL_INT(LEVEL_SESSION_SERIALIZABLE, confirmation.fails.level);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(two_that_did_not_see_each_other_make_a_cycle);
    RUN_TEST(a_serializable_trace_has_no_cycle);
    RUN_TEST(sessions_are_edges);
    RUN_TEST(a_writer_that_is_before_a_reader_is_before_whom_it_reads_from);
    RUN_TEST(a_cycle_is_closed_and_there_only_if_the_trace_is_not_serializable);
    RUN_TEST(a_prediction_that_is_one_is_confirmed_with_its_witnesses);
    RUN_TEST(what_is_serializable_is_never_confirmed);
    RUN_TEST(what_the_level_forbids_is_never_confirmed);
    RUN_TEST(sessions_may_be_what_makes_it_fail);
    return UNITY_END();
}
