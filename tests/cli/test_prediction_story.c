/*
 * What is told and drawn of predictions.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/prediction_drawing.h"
#include "cli/prediction_story.h"
#include "history/builder.h"
#include "tests/fixture.h"
#include "tests/oracle/notation.h"
#include "tests/oracle/small.h"
#include "tests/verify/prediction/prediction_fixture.h"
#include "unity.h"

static struct history history;
static struct fixture_prediction f;
static struct buffer text;

void setUp(void) {}

void tearDown(void)
{
    fixture_prediction_close(&f);
    f = (struct fixture_prediction){ .options.level = 0 };
    history_close(&history);
    history = (struct history){ 0 };
    buffer_close(&text);
}

static struct told_prediction told(void)
{
    return (struct told_prediction){ .observed = &f.trace,
                                     .prediction = &f.prediction,
                                     .confirmation = &f.confirmation,
                                     .options = &f.options };
}

static void predict(const char *notation, enum level level, enum predict_strategy strategy)
{
    notation_read(notation, &history);
    TEST_ASSERT_TRUE_MESSAGE(fixture_predict(&history, level, strategy, &f), notation);
}

static void has(const char *words)
{
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text.at, words), text.at);
}

/* --- The text ----------------------------------------------------------------------------------- */

static void the_paragraph_tells_who_reads_what_and_what_follows(void)
{
    struct told_prediction p;

    predict("T1 s0: r x _, w x 1; T2 s1: r x 1, r y _, w x 2; T3 s0: r x 2, r y _, w y 5",
            LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    p = told();
    prediction_story_tell(&p, &text);
    buffer_byte(&text, '\0');
    TEST_ASSERT_EQUAL_STRING("At causal the same clients could have seen another execution, which "
                             "is not serializable. T3 (session 0) reads "
                             "x from T1 instead of from T2. T3 must come before T2, because T3 "
                             "reads x from T1, and T2 writes it after that; "
                             "and T2 must come before T3, because T2 reads y from the initial "
                             "state and not what T3 writes there. So no order "
                             "of the transactions, one after another, explains what they read. "
                             "Causal allows it: what is seen includes all "
                             "that it depends on. T3 is taken as it was, though it might do "
                             "something else after what it reads now.",
                             text.at);
}

static void where_sessions_end_is_told(void)
{
    struct told_prediction p;

    predict("T1 s0: w x 1; T2 s0: r x 1, w y 1; T3 s1: r y 1, r x 1, w z 1; T4 s2: w v 1; T5 s2: r "
            "z 1; T6 s1: w v 2",
            LEVEL_READ_COMMITTED, STRATEGY_EXACT_STRICT);
    p = told();
    prediction_story_tell(&p, &text);
    buffer_byte(&text, '\0');
    has("T3 (session 1) reads x from the initial state instead of from T1.");
    has("T1 must come before T2, because ");
    has("T2 must come before T3, because T3 reads y from it");
    has(" Session 1 is cut in T3, behind that read. Session 2 ends after T4.");
    buffer_clear(&text);
    prediction_story_print(&p, &text);
    buffer_byte(&text, '\0');
    has("\nsession 1: T3, cut; 1 left out\n\n  T3\n    reads  y from T2\n"
        "  * reads  x from the initial state instead of from T1\n  - writes z\n");
    has("\nsession 2: 1 transaction as observed, to T4; 1 left out\n");
}

static void add_txn(struct builder *b, int64_t id, uint32_t key, struct value seen)
{
    struct error err = { 0 };

    ASSERT_OK(builder_begin_txn(b, id, id, TXN_OK, &err), &err);
    ASSERT_OK(builder_add_op(b, OP_READ, key, seen, &err), &err);
    ASSERT_OK(builder_add_op(b, OP_WRITE, key, value_integer(id), &err), &err);
    ASSERT_OK(builder_end_txn(b, &err), &err);
}

/* A lost update of a key with a strange name. */
static void predict_strange_key(void)
{
    struct error err = { 0 };
    struct builder b;
    uint32_t key;

    builder_init(&b);
    ASSERT_OK(builder_key(&b, TEXT("a\n\033[31m<b>&\""), &key, &err), &err);
    add_txn(&b, 1, key, value_null());
    add_txn(&b, 2, key, value_integer(1));
    ASSERT_OK(builder_finish(&b, &history, &err), &err);
    builder_close(&b);
    TEST_ASSERT_TRUE(fixture_predict(&history, LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED, &f));
}

static void lines_are_not_too_long_and_keys_do_not_steer_the_terminal(void)
{
    struct told_prediction p;

    predict_strange_key();
    p = told();
    prediction_story_print(&p, &text);
    for (size_t i = 0, column = 0; i < text.count; i++) {
        column = text.at[i] == '\n' ? 0 : column + 1;
        TEST_ASSERT_TRUE(column <= 100);
        TEST_ASSERT_TRUE(text.at[i] == '\n' || (unsigned char)text.at[i] >= ' ');
    }
    buffer_byte(&text, '\0');
    has("reads  a??[31m<b>&\" from the initial state instead of from T1\n");
}

/* --- The drawing ---------------------------------------------------------------------------------- */

struct box {
    long x, y, width, height;
};

#define BOXES_MAX 200

static struct box boxes[BOXES_MAX], labels[BOXES_MAX];
static size_t box_count, label_count;

static long number_of(const char *from, const char *name)
{
    const char *at = strstr(from, name);

    TEST_ASSERT_NOT_NULL_MESSAGE(at, name);
    return strtol(at + strlen(name), NULL, 10);
}

/* What the panel of the prediction has, which is the last one. */
static void read_panel(const char *svg)
{
    const char *panel = strstr(svg, "<g transform=");

    TEST_ASSERT_NOT_NULL(panel);
    box_count = label_count = 0;
    for (const char *at = panel; (at = strstr(at, "<rect class=\"box")) != NULL; at++) {
        TEST_ASSERT_TRUE(box_count < BOXES_MAX);
        boxes[box_count++] =
            (struct box){ number_of(at, " x=\""), number_of(at, " y=\""),
                          number_of(at, " width=\""), number_of(at, " height=\"") };
    }
    for (const char *at = panel; (at = strstr(at, "<text class=\"label\"")) != NULL; at++) {
        const char *begin = strchr(at, '>') + 1;
        long width = (long)(strstr(begin, "</text>") - begin) * 69 / 10;

        TEST_ASSERT_TRUE(label_count < BOXES_MAX);
        labels[label_count++] =
            (struct box){ number_of(at, " x=\""), number_of(at, " y=\"") - 11, width, 14 };
    }
}

static bool overlap(struct box a, struct box b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

static void draw(void)
{
    struct told_prediction p = told();
    struct error err = { 0 };

    buffer_clear(&text);
    ASSERT_OK(prediction_draw(&p, &text, &err), &err);
    buffer_byte(&text, '\0');
}

static void both_panels_have_the_transactions_that_matter(void)
{
    predict(
        "T1 s0: r x _, w x 1; T2 s1: r x 1, r y _, w x 2; T3 s0: r x 2, r y _, w y 5; T4 s2: w v 1",
        LEVEL_CAUSAL, STRATEGY_APPROX_RELAXED);
    draw();
    read_panel(text.at);
    TEST_ASSERT_EQUAL_UINT64(3, box_count);
    TEST_ASSERT_EQUAL_UINT64(2, label_count);
    has("<text class=\"event changed\"");
    has(">observed<");
    has("r x ← T2");
    has("r x ← T1");
    has(">rw x<");
    has("T3, as it was");
    TEST_ASSERT_NULL(strstr(text.at, ">T4"));
}

static void a_cut_is_drawn_and_what_is_behind_it_is_struck_out(void)
{
    predict("T1 s0: w x 1; T2 s0: r x 1, w y 1; T3 s1: r y 1, r x 1, w x 3", LEVEL_READ_COMMITTED,
            STRATEGY_EXACT_STRICT);
    draw();
    has("<line class=\"cut\"");
    has("<text class=\"event out\"");
    has("T3, cut");
}

static void keys_do_not_break_the_drawing(void)
{
    predict_strange_key();
    draw();
    has("&lt;b&gt;&amp;&quot;");
    TEST_ASSERT_NULL(strchr(text.at, '\033'));
    TEST_ASSERT_NULL(strstr(text.at, "<b>"));
}

/* Labels stand neither on each other nor on a transaction. */
static void labels_find_room(void)
{
    uint64_t drawn = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(200); seed++) {
        struct small_options options = small_options_of_seed(seed);
        bool is_found;

        options.lists = options.only_lists = false;
        options.mode = SMALL_SERIAL;
        options.perturbations_max = 0;
        options.exact = options.sessions = true;
        small_history(&options, seed, &history);
        is_found = fixture_predict(&history, seed % 2 ? LEVEL_CAUSAL : LEVEL_READ_COMMITTED,
                                   STRATEGY_APPROX_RELAXED, &f);
        if (is_found) {
            draw();
            read_panel(text.at);
            TEST_ASSERT_EQUAL_UINT64(f.confirmation.cycle.count, label_count);
            for (size_t i = 0; i < label_count; i++) {
                for (size_t k = 0; k < box_count; k++)
                    TEST_ASSERT_FALSE_MESSAGE(overlap(labels[i], boxes[k]), text.at);
                for (size_t k = 0; k < i; k++)
                    TEST_ASSERT_FALSE_MESSAGE(overlap(labels[i], labels[k]), text.at);
            }
            drawn++;
        }
        fixture_prediction_close(&f);
        history_close(&history);
        history = (struct history){ 0 };
    }
    TEST_ASSERT_TRUE(drawn > 50);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_paragraph_tells_who_reads_what_and_what_follows);
    RUN_TEST(where_sessions_end_is_told);
    RUN_TEST(lines_are_not_too_long_and_keys_do_not_steer_the_terminal);
    RUN_TEST(both_panels_have_the_transactions_that_matter);
    RUN_TEST(a_cut_is_drawn_and_what_is_behind_it_is_struck_out);
    RUN_TEST(keys_do_not_break_the_drawing);
    RUN_TEST(labels_find_room);
    return UNITY_END();
}
