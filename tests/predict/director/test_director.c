#include "predict/director/director.h"

#include <string.h>

#include "predict/director/choices.h"
#include "tests/fixture.h"
#include "tests/predict/director/director_fixture.h"
#include "unity.h"

/* Who chooses, and the file that says what was chosen. */

static struct directed *store;
static struct choices first, again;
static struct error err;

void setUp(void)
{
    store = NULL;
    first = again = (struct choices){ 0 };
    err = (struct error){ 0 };
}

void tearDown(void)
{
    choices_close(&first);
    choices_close(&again);
    directed_fixture_close(store);
}

/* --- Modes -------------------------------------------------------------------------------------- */

/* The initial version, three of session 0, one of session 1. */
static const struct directed_version versions[] = {
    { .writer = DIRECTED_INITIAL },
    { .writer = 0, .session = 0, .position = 0 },
    { .writer = 1, .session = 0, .position = 1 },
    { .writer = 2, .session = 1, .position = 0 },
    { .writer = 3, .session = 0, .position = 2 },
};

#define DRAWS 9000

static void draw(enum director_mode mode, uint32_t counts[ROW_COUNT(versions)])
{
    struct directed_read read = { .candidates = versions, .count = ROW_COUNT(versions) };
    struct director_state state;
    struct director director = directed_fixture_director(&state, mode, 5);

    memset(counts, 0, ROW_COUNT(versions) * sizeof *counts);
    for (int i = 0; i < DRAWS; i++)
        counts[director.choose(director.context, &read)]++;
}

static void latest_and_oldest_take_the_ends(void)
{
    uint32_t counts[ROW_COUNT(versions)];

    draw(DIRECTOR_LATEST, counts);
    TEST_ASSERT_EQUAL_UINT32(DRAWS, counts[4]);
    draw(DIRECTOR_OLDEST, counts);
    TEST_ASSERT_EQUAL_UINT32(DRAWS, counts[0]);
}

static void random_draws_a_session_and_then_one_of_its_versions(void)
{
    uint32_t counts[ROW_COUNT(versions)];

    draw(DIRECTOR_RANDOM, counts);
    TEST_ASSERT_UINT32_WITHIN(200, DRAWS / 3,
                              counts[0]); /* the initial state is a session of its own */
    TEST_ASSERT_UINT32_WITHIN(200, DRAWS / 3, counts[3]);
    TEST_ASSERT_UINT32_WITHIN(200, DRAWS / 9, counts[1]);
    TEST_ASSERT_UINT32_WITHIN(200, DRAWS / 9, counts[2]);
    TEST_ASSERT_UINT32_WITHIN(200, DRAWS / 9, counts[4]);
}

static void biased_takes_the_newest_version_one_time_in_four(void)
{
    uint32_t counts[ROW_COUNT(versions)];

    draw(DIRECTOR_BIASED, counts);
    TEST_ASSERT_UINT32_WITHIN(200, DRAWS / 4, counts[4]);
    for (int i = 0; i < 4; i++)
        TEST_ASSERT_UINT32_WITHIN(200, DRAWS * 3 / 16, counts[i]);
}

static void modes_have_names(void)
{
    for (int i = 0; i < DIRECTOR_MODE_COUNT; i++) {
        enum director_mode mode;

        TEST_ASSERT_TRUE(
            director_mode_of_text(text_of(director_mode_name((enum director_mode)i)), &mode));
        TEST_ASSERT_EQUAL_INT(i, mode);
    }
}

/* --- Files of choices --------------------------------------------------------------------------- */

static enum status read_choices(const char *text, struct choices *c)
{
    struct source source;
    enum status status;

    ASSERT_OK(source_open_memory(&source, "choices", text, strlen(text), &err), &err);
    status = choices_read(c, &source, &err);
    source_close(&source);
    return status;
}

static void a_file_reads_back_as_it_was_written(void)
{
    static const char text[] =
        "{\"ordeal-choices\":1,\"order\":[0,2,1]}\n"
        "{\"session\":2,\"transaction\":0,\"statement\":1,\"key\":\"t/a\\\"b\",\"from\":[0,1]}\n"
        "{\"session\":0,\"transaction\":1,\"statement\":0,\"key\":\"t/7\",\"from\":\"initial\"}\n";
    struct buffer out = { 0 };

    ASSERT_OK(read_choices(text, &first), &err);
    TEST_ASSERT_EQUAL_UINT64(3, first.order.count);
    TEST_ASSERT_EQUAL_UINT64(2, first.wishes.count);
    TEST_ASSERT_TRUE(first.wishes.at[1].is_initial);
    TEST_ASSERT_EQUAL_UINT32(1, first.wishes.at[0].from_position);
    choices_write(&first, &out);
    buffer_byte(&out, '\0');
    TEST_ASSERT_EQUAL_STRING(text, out.at);
    buffer_close(&out);
}

static void what_is_no_file_of_choices_is_refused_with_its_line(void)
{
    static const struct {
        const char *text, *why;
        uint64_t line;
    } rows[] = {
        { "", "expected", 1 },
        { "{\"ordeal-choices\":2}\n", "version 2", 1 },
        { "{\"order\":[0],\"ordeal-choices\":1}\n", "\"ordeal-choices\" first", 1 },
        { "{\"ordeal-choices\":1,\"order\":[4096]}\n", "a session from 0 to 4095", 1 },
        { "{\"ordeal-choices\":1}\n{\"session\":0}\n", "a choice without \"transaction\"", 2 },
        { "{\"ordeal-choices\":1}\n{\"session\":0,\"transaction\":0,\"statement\":0,\"key\":\"t/"
          "1\","
          "\"from\":[1]}\n",
          "a session and a transaction", 2 },
        { "{\"ordeal-choices\":1}\n{\"session\":0,\"transaction\":-1}\n", "found -1", 2 },
        { "{\"ordeal-choices\":1}\n{\"sesion\":0}\n", "sesion", 2 },
        { "{\"ordeal-choices\":1}\n{\"from\":\"nobody\"}\n", "\"initial\", or a session", 2 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        err = (struct error){ 0 };
        TEST_ASSERT_EQUAL_INT_MESSAGE(STATUS_BAD_INPUT, read_choices(rows[i].text, &first),
                                      rows[i].text);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, rows[i].why), err.text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(rows[i].line, err.line, rows[i].text);
        choices_close(&first);
    }
}

static struct digest run_drawn(enum level level, uint64_t seed, struct director director)
{
    struct random_key key = random_key_of_seed(seed);
    struct random random;
    struct history h;
    struct digest digest;

    random_init(&random, &key);
    store = directed_fixture_open(level, 3, true);
    for (int i = 0; i < 25; i++)
        directed_fixture_call_drawn(store, 3, &random, director);
    ASSERT_OK(directed_history(store, &(struct directed_telling){ .producer = TEXT("") }, &h, &err),
              &err);
    digest = history_digest(&h);
    history_close(&h);
    directed_fixture_close(store);
    store = NULL;
    return digest;
}

static void what_was_recorded_is_chosen_again(void)
{
    for (int level = 0; level < LEVEL_COUNT; level++)
        for (uint64_t seed = 1; seed <= fixture_rounds(4); seed++) {
            struct director_state state, latest;
            struct choice_recorder recorder = {
                .inner = directed_fixture_director(&state, DIRECTOR_RANDOM, seed), .choices = &first
            };
            struct digest before, after;
            struct script script;

            if (!(directed_levels() & LEVEL_BIT(level)))
                continue;
            ASSERT_OK(choices_init(&first, &err), &err);
            before = run_drawn((enum level)level, seed, choice_recorder_director(&recorder));
            TEST_ASSERT_TRUE(level == LEVEL_SERIALIZABLE || first.wishes.count > 0);
            ASSERT_OK(script_init(&script, first.wishes.at, (uint32_t)first.wishes.count,
                                  directed_fixture_director(&latest, DIRECTOR_LATEST, 1), &err),
                      &err);
            after = run_drawn((enum level)level, seed, script_director(&script));
            script_finish(&script);
            TEST_ASSERT_EQUAL_UINT64(0, script.divergences.count);
            TEST_ASSERT_EQUAL_MEMORY(&before, &after, sizeof before);
            script_close(&script);
            choices_close(&first);
        }
}

static void two_wishes_for_one_read_are_refused(void)
{
    static const struct wanted_read wishes[] = {
        { .session = 1, .position = 2, .statement = 3, .key = { "t/1", 3 }, .is_initial = true },
        { .session = 1, .position = 2, .statement = 3, .key = { "t/1", 3 }, .from_session = 2 },
    };
    struct director_state state;
    struct script script;

    TEST_ASSERT_EQUAL_INT(STATUS_BAD_INPUT,
                          script_init(&script, wishes, 2,
                                      directed_fixture_director(&state, DIRECTOR_LATEST, 1), &err));
    TEST_ASSERT_EQUAL_STRING(
        "two choices for one read: transaction 2 of session 1, statement 3, t/1", err.text);
    script_close(&script);
}

static void a_wish_for_a_read_that_never_comes_is_told(void)
{
    static const struct wanted_read wishes[] = {
        { .session = 0, .position = 0, .statement = 5, .key = { "t/1", 3 }, .is_initial = true },
    };
    struct director_state state;
    struct script script;

    ASSERT_OK(script_init(&script, wishes, 1, directed_fixture_director(&state, DIRECTOR_LATEST, 1),
                          &err),
              &err);
    store = directed_fixture_open(LEVEL_CAUSAL, 1, false);
    directed_fixture_call(store, 0, "step(1, 2, 0, 0, 0)", script_director(&script));
    script_finish(&script);
    TEST_ASSERT_EQUAL_UINT64(1, script.divergences.count);
    TEST_ASSERT_EQUAL_INT(DIVERGENCE_UNREAD, script.divergences.at[0].kind);
    TEST_ASSERT_EQUAL_UINT64(2, script.others);
    script_close(&script);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(latest_and_oldest_take_the_ends);
    RUN_TEST(random_draws_a_session_and_then_one_of_its_versions);
    RUN_TEST(biased_takes_the_newest_version_one_time_in_four);
    RUN_TEST(modes_have_names);
    RUN_TEST(a_file_reads_back_as_it_was_written);
    RUN_TEST(what_is_no_file_of_choices_is_refused_with_its_line);
    RUN_TEST(what_was_recorded_is_chosen_again);
    RUN_TEST(two_wishes_for_one_read_are_refused);
    RUN_TEST(a_wish_for_a_read_that_never_comes_is_told);
    return UNITY_END();
}
