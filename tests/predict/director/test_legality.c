#include <stdio.h>
#include <string.h>

#include "tests/fixture.h"
#include "tests/predict/director/director_fixture.h"
#include "unity.h"

/*
 * Every version that a director is offered keeps the level, and every other one breaks it: asked of the checkers, with
 * the history so far and the read.
 */

struct judge {
    enum level level;
    struct director director; /* who chooses */
    uint64_t offered, withheld;
};

static struct directed *store;

void setUp(void)
{
    store = NULL;
}

void tearDown(void)
{
    directed_fixture_close(store);
}

static bool is_offered(const struct directed_read *read, uint32_t writer)
{
    for (uint32_t i = 0; i < read->count; i++)
        if (read->candidates[i].writer == writer)
            return true;
    return false;
}

static void judge_version(struct judge *j, const struct directed_read *read, uint32_t writer)
{
    bool offered = is_offered(read, writer);
    struct history h;
    char label[120];

    directed_fixture_items_with(read, writer, &h);
    snprintf(label, sizeof label, "transaction %u reads %.*s from %d at %s, offered %d", read->txn,
             TEXT_PRINT(directed_key_text(read->store, read->key)), (int)writer,
             level_name(j->level), offered);
    TEST_ASSERT_EQUAL_INT_MESSAGE(directed_fixture_holds(&h, j->level), offered, label);
    history_close(&h);
    j->offered += offered;
    j->withheld += !offered;
}

static uint32_t judge_and_choose(void *context, const struct directed_read *read)
{
    struct judge *j = context;

    judge_version(j, read, DIRECTED_INITIAL);
    for (uint32_t i = 0; i < read->txn; i++)
        if (directed_has_version(read->store, read->key, i))
            judge_version(j, read, i);
    return j->director.choose(j->director.context, read);
}

static void judge_programs(enum level level, uint32_t programs, uint32_t txns)
{
    struct judge j = { .level = level };
    struct director_state state;
    uint64_t withheld = 0;

    for (uint32_t seed = 0; seed < programs; seed++) {
        struct random_key key = random_key_of_seed(seed);
        struct random random;

        j.director =
            directed_fixture_director(&state,
                                      seed % DIRECTOR_MODE_COUNT == DIRECTOR_LATEST
                                          ? DIRECTOR_RANDOM
                                          : (enum director_mode)(seed % DIRECTOR_MODE_COUNT),
                                      seed);
        random_init(&random, &key);
        store = directed_fixture_open(level, 3, false);
        for (uint32_t i = 0; i < txns; i++) {
            char text[60];

            snprintf(text, sizeof text, "step(%u, %u, %u, %u, %u)",
                     (unsigned)random_below(&random, 4), (unsigned)random_below(&random, 4),
                     (unsigned)random_below(&random, 4), (unsigned)random_below(&random, 4), i);
            directed_fixture_call(store, (uint32_t)random_below(&random, 3), text,
                                  (struct director){ judge_and_choose, &j });
        }
        directed_fixture_close(store);
        store = NULL;
        withheld = j.withheld;
    }
    TEST_ASSERT_GREATER_THAN_UINT64(programs, j.offered);
    TEST_ASSERT_GREATER_THAN_UINT64(programs / 2, withheld);
}

static void at_causal_exactly_the_legal_versions_are_offered(void)
{
    judge_programs(LEVEL_CAUSAL, (uint32_t)fixture_rounds(60), 9);
}

static void at_read_atomic_exactly_the_legal_versions_are_offered(void)
{
    judge_programs(LEVEL_READ_ATOMIC, (uint32_t)fixture_rounds(60), 9);
}

static void at_read_committed_exactly_the_legal_versions_are_offered(void)
{
    judge_programs(LEVEL_READ_COMMITTED, (uint32_t)fixture_rounds(60), 9);
}

/* --- Prefixes ----------------------------------------------------------------------------------- */

/* The last of the first `seen` transactions that wrote the key; else the initial state. */
static uint32_t writer_in_prefix(const struct directed *d, uint32_t key, uint32_t seen)
{
    while (seen-- > 0)
        if (directed_has_version(d, key, seen))
            return seen;
    return DIRECTED_INITIAL;
}

/* Whether the transaction can have seen this prefix, and the version there. */
static bool fits_prefix(const struct directed_read *read, enum level level, uint32_t writer,
                        uint32_t seen)
{
    const struct directed *d = read->store;
    const struct directed_seen *reads;
    const uint32_t *writes;
    uint32_t count;

    for (uint32_t i = seen; i < read->txn; i++)
        if (directed_txn(d, i).session == read->session &&
            directed_txn(d, i).end == DIRECTED_COMMITTED)
            return false;
    reads = directed_reads(d, read->txn, &count);
    for (uint32_t i = 0; i < count; i++)
        if (writer_in_prefix(d, reads[i].key, seen) != reads[i].writer)
            return false;
    writes = directed_writes(d, read->txn, &count);
    for (uint32_t i = 0; level == LEVEL_SNAPSHOT && i < count; i++)
        if (writer_in_prefix(d, writes[i], seen) != writer_in_prefix(d, writes[i], read->txn))
            return false;
    return writer_in_prefix(d, read->key, seen) == writer;
}

static uint32_t judge_prefix(void *context, const struct directed_read *read)
{
    struct judge *j = context;

    for (uint32_t i = 0; i <= read->txn; i++) {
        uint32_t writer = i == read->txn ? DIRECTED_INITIAL : i;
        bool fits = false;

        if (!directed_has_version(read->store, read->key, writer))
            continue;
        for (uint32_t seen = 0; seen <= read->txn && !fits; seen++)
            fits = fits_prefix(read, j->level, writer, seen);
        TEST_ASSERT_EQUAL_INT(fits, is_offered(read, writer));
        j->offered += fits;
        j->withheld += !fits;
    }
    return j->director.choose(j->director.context, read);
}

static void exactly_the_versions_of_prefixes_are_offered_at_prefix_and_snapshot(void)
{
    static const enum level levels[] = { LEVEL_PREFIX, LEVEL_SNAPSHOT };

    for (size_t i = 0; i < ROW_COUNT(levels); i++) {
        struct judge j = { .level = levels[i] };
        struct director_state state;

        for (uint32_t seed = 0; seed < fixture_rounds(40); seed++) {
            struct random_key key = random_key_of_seed(seed);
            struct random random;

            j.director = directed_fixture_director(
                &state, seed % 2 ? DIRECTOR_RANDOM : DIRECTOR_BIASED, seed);
            random_init(&random, &key);
            store = directed_fixture_open(j.level, 3, false);
            for (int k = 0; k < 20; k++)
                directed_fixture_call_drawn(store, 3, &random,
                                            (struct director){ judge_prefix, &j });
            directed_fixture_close(store);
            store = NULL;
        }
        TEST_ASSERT_GREATER_THAN_UINT64(500, j.offered);
        TEST_ASSERT_GREATER_THAN_UINT64(500, j.withheld);
    }
}

/* --- All levels --------------------------------------------------------------------------------- */

/* With an order of execution that is the commit order there may be more. */
static uint32_t judge_offered(void *context, const struct directed_read *read)
{
    struct judge *j = context;

    for (uint32_t i = 0; i < read->count; i++) {
        struct history h;

        directed_fixture_items_with(read, read->candidates[i].writer, &h);
        TEST_ASSERT_TRUE(directed_fixture_holds(&h, j->level));
        history_close(&h);
        j->offered++;
    }
    return j->director.choose(j->director.context, read);
}

static void at_all_levels_what_is_offered_is_legal(void)
{
    for (int level = 0; level < LEVEL_COUNT; level++) {
        struct judge j = { .level = (enum level)level };
        struct director_state state;

        if (!(directed_levels() & LEVEL_BIT(level)))
            continue;
        for (uint32_t seed = 0; seed < fixture_rounds(6); seed++) {
            struct random_key key = random_key_of_seed(seed);
            struct random random;

            j.director = directed_fixture_director(&state, DIRECTOR_RANDOM, seed);
            random_init(&random, &key);
            store = directed_fixture_open(j.level, 3, false);
            for (int i = 0; i < 9; i++)
                directed_fixture_call_drawn(store, 3, &random,
                                            (struct director){ judge_offered, &j });
            directed_fixture_close(store);
            store = NULL;
        }
        TEST_ASSERT_GREATER_THAN_UINT64(50, j.offered);
    }
}

/* One session has seen T1's write of key 1 after T0's: nobody sees them the other way round, of key 2 either. */
static void what_one_session_has_seen_is_settled_for_all(void)
{
    static const struct wanted_read wishes[] = {
        { .session = 1, .position = 0, .statement = 0, .key = { "t/1", 3 }, .is_initial = true },
        { .session = 1, .position = 0, .statement = 1, .key = { "t/2", 3 }, .is_initial = true },
        { .session = 2, .position = 0, .statement = 0, .key = { "t/1", 3 }, .from_session = 0 },
        { .session = 2, .position = 1, .statement = 0, .key = { "t/1", 3 }, .from_session = 1 },
        { .session = 3, .position = 0, .statement = 0, .key = { "t/2", 3 }, .from_session = 1 },
        { .session = 3, .position = 1, .statement = 0, .key = { "t/2", 3 }, .from_session = 0 },
        { .session = 3, .position = 2, .statement = 0, .key = { "t/3", 3 }, .from_session = 2 },
    };
    struct director_state state;
    struct script script;
    struct director director;
    struct error err;

    ASSERT_OK(script_init(&script, wishes, ROW_COUNT(wishes),
                          directed_fixture_director(&state, DIRECTOR_LATEST, 1), &err),
              &err);
    director = script_director(&script);
    store = directed_fixture_open(LEVEL_CAUSAL, 4, false);
    directed_fixture_call(store, 0, "step(0, 0, 1, 2, 1)", director); /* T0 */
    directed_fixture_call(store, 1, "step(0, 0, 1, 2, 2)", director); /* T1 */
    directed_fixture_call(store, 2, "step(1, 0, 0, 0, 0)", director);
    directed_fixture_call(store, 2, "step(1, 0, 0, 0, 0)", director);
    directed_fixture_call(store, 3, "step(2, 0, 0, 0, 0)", director);
    directed_fixture_call(store, 3, "step(2, 0, 0, 0, 0)", director); /* cannot have T0's */
    directed_fixture_call(store, 3, "step(3, 0, 0, 0, 0)",
                          director); /* which session 2 did not write */
    script_finish(&script);
    TEST_ASSERT_EQUAL_UINT64(2, script.divergences.count);
    TEST_ASSERT_EQUAL_INT(DIVERGENCE_ILLEGAL, script.divergences.at[0].kind);
    TEST_ASSERT_EQUAL_UINT32(5, script.divergences.at[0].wish);
    TEST_ASSERT_EQUAL_INT(DIVERGENCE_ABSENT, script.divergences.at[1].kind);
    TEST_ASSERT_EQUAL_UINT32(6, script.divergences.at[1].wish);
    script_close(&script);
}

/* T0 writes both; how the session after it sees t/1 and t/2, by two statements or by one. */
static uint32_t divergences_at_read_committed(const char *call, uint32_t second,
                                              bool first_is_initial)
{
    const struct wanted_read wishes[] = {
        { .session = 1, .statement = 0, .key = { "t/1", 3 }, .is_initial = first_is_initial },
        { .session = 1, .statement = second, .key = { "t/2", 3 }, .is_initial = !first_is_initial },
    };
    struct director_state state;
    struct script script;
    struct error err;
    uint32_t count;

    ASSERT_OK(script_init(&script, wishes, ROW_COUNT(wishes),
                          directed_fixture_director(&state, DIRECTOR_LATEST, 1), &err),
              &err);
    store = directed_fixture_open(LEVEL_READ_COMMITTED, 2, false);
    directed_fixture_call(store, 0, "step(0, 0, 1, 2, 5)", script_director(&script));
    directed_fixture_call(store, 1, call, script_director(&script));
    script_finish(&script);
    count = (uint32_t)script.divergences.count;
    TEST_ASSERT_TRUE(count == 0 || script.divergences.at[0].kind == DIVERGENCE_ILLEGAL);
    script_close(&script);
    directed_fixture_close(store);
    store = NULL;
    return count;
}

static void at_read_committed_a_later_statement_may_see_more_and_one_statement_sees_one_moment(void)
{
    TEST_ASSERT_EQUAL_UINT32(0, divergences_at_read_committed("step(1, 2, 0, 0, 0)", 1, true));
    TEST_ASSERT_EQUAL_UINT32(1, divergences_at_read_committed("step(1, 2, 0, 0, 0)", 1, false));
    TEST_ASSERT_EQUAL_UINT32(1, divergences_at_read_committed("scan(0, 9, 0, 0)", 0, true));
    TEST_ASSERT_EQUAL_UINT32(1, divergences_at_read_committed("scan(0, 9, 0, 0)", 0, false));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(at_causal_exactly_the_legal_versions_are_offered);
    RUN_TEST(at_read_atomic_exactly_the_legal_versions_are_offered);
    RUN_TEST(at_read_committed_exactly_the_legal_versions_are_offered);
    RUN_TEST(exactly_the_versions_of_prefixes_are_offered_at_prefix_and_snapshot);
    RUN_TEST(at_all_levels_what_is_offered_is_legal);
    RUN_TEST(at_read_committed_a_later_statement_may_see_more_and_one_statement_sees_one_moment);
    RUN_TEST(what_one_session_has_seen_is_settled_for_all);
    return UNITY_END();
}
