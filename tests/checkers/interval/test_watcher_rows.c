#include <stdio.h>
#include <string.h>

#include "checkers/interval/profile.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/interval/known_rows.h"
#include "tests/checkers/interval/stream_fixture.h"
#include "unity.h"

static struct error err;
static struct random choices;

void setUp(void)
{
    struct random_key key = random_key_of_seed(31);

    err = (struct error){ 0 };
    random_init(&choices, &key);
}

void tearDown(void) {}

static void watch_lines(struct watcher *w, const struct stream_lines *lines, const char *profile)
{
    struct watcher_options options = { .profile = *profile_find(text_of(profile)),
                                       .patience = INT64_C(1000000000),
                                       .bytes_max = (size_t)1 << 24,
                                       .line_bytes_max = (size_t)1 << 20 };
    struct buffer text = { 0 };
    uint32_t stream;

    watcher_init(w, &options);
    ASSERT_OK(watcher_add_stream(w, "stream", true, &stream, &err), &err);
    stream_join(lines, 0, 1, &text);
    stream_feed(w, stream, (struct text){ text.at, text.count }, 3000, &choices);
    ASSERT_OK(watcher_finish(w, &err), &err);
    buffer_close(&text);
}

/* How many findings a check has, of how many kinds. */
struct tally {
    size_t count, mismatches;
};

static struct tally tally_of_check(const struct history *h, const char *profile)
{
    const struct profile *found = profile_find(text_of(profile));
    struct check_options options = { .level = found->level, .profile = found };
    struct tally tally = { 0 };
    struct check check;

    ASSERT_OK(checker_run(checker_find(TEXT("interval")), h, &options, &check, &err), &err);
    tally.count = check.findings.count;
    for (size_t i = 0; i < check.findings.count; i++)
        tally.mismatches += check.findings.at[i].kind == ANOMALY_RESULT_SET_MISMATCH;
    check_close(&check);
    return tally;
}

static struct tally tally_of_watch(const struct watcher *w)
{
    struct tally tally = { .count = w->model.findings.count };

    for (size_t i = 0; i < w->model.findings.count; i++)
        tally.mismatches += w->model.findings.at[i].kind == ANOMALY_RESULT_SET_MISMATCH;
    return tally;
}

static void statements_of_streams_are_judged_as_those_of_histories(void)
{
    static const struct {
        enum known_protocol protocol;
        const char *profile;
    } rows[] = { { KNOWN_LOCKS, "ordeal/2pl" },
                 { KNOWN_VALIDATION, "spanner/serializable" },
                 { KNOWN_SNAPSHOT, "postgresql/snapshot" },
                 { KNOWN_STATEMENTS, "postgresql/read-committed" } };
    size_t mismatches = 0;

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (uint64_t seed = 0; seed < fixture_rounds(12); seed++) {
            struct known_options options = { .protocol = rows[i].protocol,
                                             .seed = seed,
                                             .txns = 60,
                                             .lie_every = seed % 3 ? 12 : 0 };
            struct stream_lines lines;
            struct watcher watcher;
            struct history history;
            struct tally checked, watched;

            known_history(&options, &history);
            stream_of_history(&lines, &history);
            watch_lines(&watcher, &lines, rows[i].profile);
            checked = tally_of_check(&history, rows[i].profile);
            watched = tally_of_watch(&watcher);
            TEST_ASSERT_EQUAL_MESSAGE(checked.count, watched.count, rows[i].profile);
            TEST_ASSERT_EQUAL_MESSAGE(checked.mismatches, watched.mismatches, rows[i].profile);
            TEST_ASSERT_EQUAL(0, watcher_unjudged(&watcher));
            if (seed % 3 == 0)
                TEST_ASSERT_EQUAL_MESSAGE(0, watched.count, rows[i].profile);
            mismatches += watched.mismatches;
            watcher_close(&watcher);
            stream_close(&lines);
            history_close(&history);
        }
    TEST_ASSERT_GREATER_THAN(10, mismatches);
}

/* --- By hand ------------------------------------------------------------------------------ */

#define HEADER                                                                                     \
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"bigint\"},"   \
    "\"key\":[\"id\"]}}}\n"
#define OTHER_HEADER                                                                               \
    "{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\",\"v\":\"text\"},"     \
    "\"key\":[\"id\"]}}}\n"
#define INSERTED                                                                                   \
    "{\"txn\":1,\"session\":0,\"status\":\"ok\",\"at\":[1,10],\"ops\":[{\"insert\":\"t\","         \
    "\"rows\":{"                                                                                   \
    "\"7\":{\"id\":7,\"v\":12}},\"at\":[2,5]}]}\n"
#define MISSED                                                                                     \
    "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[20,30],\"ops\":[{\"select\":\"t\","        \
    "\"where\":"                                                                                   \
    "\"v >= 10\",\"rows\":{},\"at\":[21,25]}]}\n"
#define UNREADABLE                                                                                 \
    "{\"txn\":3,\"session\":2,\"status\":\"ok\",\"at\":[20,30],\"ops\":[{\"select\":\"t\","        \
    "\"where\":"                                                                                   \
    "\"v >= >= 10\",\"rows\":{},\"at\":[21,25]}]}\n"

static void watch_texts(struct watcher *w, const char *first, const char *second)
{
    struct watcher_options options = { .profile = *profile_find(TEXT("ordeal/2pl")),
                                       .patience = 1000,
                                       .bytes_max = (size_t)1 << 24,
                                       .line_bytes_max = (size_t)1 << 20 };
    const char *texts[] = { first, second };
    uint32_t stream;

    watcher_init(w, &options);
    for (size_t i = 0; i < ROW_COUNT(texts) && texts[i]; i++)
        ASSERT_OK(watcher_add_stream(w, "stream", true, &stream, &err), &err);
    for (uint32_t i = 0; i < ROW_COUNT(texts) && texts[i]; i++) {
        ASSERT_OK(watcher_feed(w, i, text_of(texts[i]), &err), &err);
        ASSERT_OK(watcher_end(w, i, false, &err), &err);
    }
    ASSERT_OK(watcher_finish(w, &err), &err);
}

static void a_row_that_is_missing_in_another_stream_is_missed(void)
{
    struct watcher watcher;

    watch_texts(&watcher, HEADER INSERTED, HEADER MISSED);
    TEST_ASSERT_EQUAL(1, watcher.model.findings.count);
    TEST_ASSERT_EQUAL(ANOMALY_RESULT_SET_MISMATCH, watcher.model.findings.at[0].kind);
    TEST_ASSERT_EQUAL(0, watcher_unjudged(&watcher));
    watcher_close(&watcher);
}

static void of_other_tables_only_rows_that_came_are_judged(void)
{
    struct watcher watcher;

    watch_texts(&watcher, HEADER INSERTED, OTHER_HEADER MISSED);
    TEST_ASSERT_EQUAL(0, watcher.model.findings.count);
    TEST_ASSERT_EQUAL(1, watcher_unjudged(&watcher));
    watcher_close(&watcher);
}

static void a_condition_that_nobody_can_read_is_a_line_that_nobody_can_read(void)
{
    struct watcher watcher;

    watch_texts(&watcher, HEADER INSERTED UNREADABLE MISSED, NULL);
    TEST_ASSERT_EQUAL(1, watcher.counts.garbage);
    TEST_ASSERT_EQUAL(3, watcher.first_garbage.line);
    watcher_close(&watcher);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(statements_of_streams_are_judged_as_those_of_histories);
    RUN_TEST(a_row_that_is_missing_in_another_stream_is_missed);
    RUN_TEST(of_other_tables_only_rows_that_came_are_judged);
    RUN_TEST(a_condition_that_nobody_can_read_is_a_line_that_nobody_can_read);
    return UNITY_END();
}
