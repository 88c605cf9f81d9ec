/*
 * Streams of native text: what comes in pieces, from several clients, or slowly is judged as what
 * is read from a file; what is lost or late accuses nobody.
 */
#include "checkers/interval/online/watcher.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "tests/checkers/interval/stream_fixture.h"
#include "tests/fixture.h"
#include "unity.h"

static struct error err;
static struct stream_lines lines;
static struct watcher watcher;
static struct random choices;

void setUp(void)
{
    struct random_key key = random_key_of_seed(11);

    err = (struct error){ 0 };
    random_init(&choices, &key);
}

void tearDown(void) {}

static struct truth_options small_truth(const char *profile, uint64_t seed)
{
    struct truth_options options = truth_options(profile_find(text_of(profile)));

    options.workload = TRUTH_MIXED;
    options.transactions = 500;
    options.keys = 30;
    options.sessions = 6;
    options.ops = 4;
    options.seed = seed;
    return options;
}

/* With all that makes it hard to know what is lost: values come again, clients die. */
static struct truth_options rough_truth(const char *profile, uint64_t seed)
{
    struct truth_options options = small_truth(profile, seed);

    options.values = 5;
    options.deletes = (struct ratio){ 1, 5 };
    options.unknown = options.deaths = (struct ratio){ 1, 40 };
    return options;
}

static const char *const some_profiles[] = { "postgresql/serializable",  "postgresql/snapshot",
                                             "postgresql/read-committed", "innodb/serializable",
                                             "innodb/repeatable-read",    "ordeal/mvto" };

/* What `check` would find, by that profile. */
static void judge_directly(const struct truth_options *options, const struct profile *by,
                           struct buffer *found)
{
    const struct truth_txn *txn;
    struct interval_model model;
    struct truth truth;

    interval_model_init(&model, by, options->clock_error_ns);
    ASSERT_OK(truth_init(&truth, options, &err), &err);
    for (;;) {
        ASSERT_OK(truth_next(&truth, &txn, &err), &err);
        if (!txn)
            break;
        ASSERT_OK(interval_model_advance(&model, txn->trace.invoked, &err), &err);
        ASSERT_OK(interval_model_add(&model, &txn->trace, &err), &err);
    }
    ASSERT_OK(interval_model_end(&model, SIZE_MAX, &err), &err);
    stream_describe(&model, found);
    truth_close(&truth);
    interval_model_close(&model);
}

static void begin(const struct truth_options *truth, unsigned streams)
{
    struct watcher_options options;

    stream_of_truth(&lines, truth);
    options = stream_options(truth, &lines);
    watcher_init(&watcher, &options);
    for (uint32_t i = 0, stream; i < streams; i++)
        ASSERT_OK(watcher_add_stream(&watcher, "stream", false, &stream, &err), &err);
}

/* By what the database did not promise, so that there is something to be found. */
static void begin_judged_by(const struct truth_options *truth, unsigned streams, const char *name)
{
    begin(truth, streams);
    watcher.options.profile = *profile_find(text_of(name));
    watcher.model.profile = watcher.options.profile;
}

static void end(void)
{
    watcher_close(&watcher);
    stream_close(&lines);
}

static void expect_the_same(const struct truth_options *truth)
{
    struct buffer direct = { 0 }, streamed = { 0 };

    judge_directly(truth, &watcher.options.profile, &direct);
    stream_describe(&watcher.model, &streamed);
    TEST_ASSERT_EQUAL_STRING(direct.at, streamed.at);
    TEST_ASSERT_EQUAL(0, watcher.counts.late);
    TEST_ASSERT_EQUAL(0, watcher.model.counts.gapped);
    buffer_close(&direct);
    buffer_close(&streamed);
}

static void a_stream_in_pieces_is_judged_as_a_whole_history(void)
{
    uint64_t found = 0;

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(3); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer text = { 0 };

            begin_judged_by(&truth, 1, seed % 2 == 0 ? "ordeal/2pl" : "postgresql/serializable");
            stream_join(&lines, 0, 1, &text);
            stream_feed(&watcher, 0, (struct text){ text.at, text.count },
                        seed % 3 == 0 ? 5 : 5000, &choices);
            ASSERT_OK(watcher_finish(&watcher, &err), &err);
            expect_the_same(&truth);
            found += watcher.model.finding_count;
            buffer_close(&text);
            end();
        }
    TEST_ASSERT_GREATER_THAN(20, found);
}

/* Reads as `ordeal watch` does: from who is waited for, or from anybody. */
static void feed_streams(struct buffer *texts, unsigned count, const unsigned *speeds)
{
    size_t given[16] = { 0 };

    for (unsigned left = count; left > 0;) {
        uint32_t stream = watcher_awaited(&watcher);
        size_t length;

        if (stream == PIPELINE_NONE || random_below(&choices, 3) == 0)
            stream = (uint32_t)random_below(&choices, count);
        if (watcher.streams.at[stream].is_over)
            continue;
        length = 1 + (size_t)random_below(&choices, speeds[stream]);
        if (length > texts[stream].count - given[stream])
            length = texts[stream].count - given[stream];
        if (length > 0)
            ASSERT_OK(watcher_feed(&watcher, stream,
                                   (struct text){ texts[stream].at + given[stream], length }, &err),
                      &err);
        given[stream] += length;
        if (given[stream] < texts[stream].count)
            continue;
        ASSERT_OK(watcher_end(&watcher, stream, false, &err), &err);
        left--;
    }
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
}

static void clients_of_very_different_speed_are_judged_as_one_history(void)
{
    static const unsigned speeds[] = { 10, 4000, 300 };

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(2); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer texts[3] = { { 0 } };

            begin_judged_by(&truth, 3, "innodb/serializable");
            for (unsigned i = 0; i < 3; i++)
                stream_join(&lines, i, 3, &texts[i]);
            feed_streams(texts, 3, speeds);
            expect_the_same(&truth);
            for (unsigned i = 0; i < 3; i++)
                buffer_close(&texts[i]);
            end();
        }
}

/* --- What is lost -------------------------------------------------------------------------------- */

/*
 * Some bytes are left out. What comes then begins with a line, behind the half of another, or with
 * the other half of one, on a line of its own. (Nobody can notice that whole lines are missing, nor
 * tell from a line two halves that fit to each other.)
 */
static void cut_out(struct buffer *text)
{
    size_t from = 1 + (size_t)random_below(&choices, text->count - 2);
    size_t length = 1 + (size_t)random_below(&choices, text->count / 8);

    while (from > 1 && (text->at[from] == '\n' || text->at[from - 1] == '\n'))
        from--;
    if (length > text->count - from)
        length = text->count - from;
    if (random_below(&choices, 2) == 0)
        while (from + length < text->count && text->at[from + length - 1] != '\n')
            length++;
    else
        text->at[from + --length] = '\n';
    memmove(text->at + from, text->at + from + length, text->count - from - length);
    text->count -= length;
}

static void a_stream_that_was_cut_and_resumed_accuses_nobody(void)
{
    uint64_t gapped = 0, judged = 0;

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(5); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer text = { 0 };

            begin(&truth, 1);
            stream_join(&lines, 0, 1, &text);
            for (uint64_t cuts = 1 + seed % 3; cuts > 0; cuts--)
                cut_out(&text);
            stream_feed(&watcher, 0, (struct text){ text.at, text.count }, 700, &choices);
            ASSERT_OK(watcher_finish(&watcher, &err), &err);
            stream_expect_nothing(&watcher, some_profiles[p], seed);
            gapped += watcher.model.counts.gapped;
            judged += watcher.model.counts.reads;
            buffer_close(&text);
            end();
        }
    TEST_ASSERT_GREATER_THAN(0, gapped);
    TEST_ASSERT_GREATER_THAN(gapped, judged);
}

static void a_client_whose_stream_was_cut_accuses_nobody(void)
{
    static const unsigned speeds[] = { 100, 100, 1000 };

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(4); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer texts[3] = { { 0 } };

            begin(&truth, 3);
            for (unsigned i = 0; i < 3; i++)
                stream_join(&lines, i, 3, &texts[i]);
            cut_out(&texts[seed % 3]);
            feed_streams(texts, 3, speeds);
            stream_expect_nothing(&watcher, some_profiles[p], seed);
            for (unsigned i = 0; i < 3; i++)
                buffer_close(&texts[i]);
            end();
        }
}

static void insert_garbage(struct buffer *text)
{
    static const char *const garbage[] = { "WARN connection reset\n", "{}\n", "{\"txn\":1\n",
                                           "\xff\xfe\n", "{\"txn\":7,\"session\":0,\"status\":\"ok\",\"ops\":[]}\n",
                                           "[1,2]\n" };
    struct buffer result = { 0 };
    const char *feed;

    for (const char *at = text->at; at < text->at + text->count; at = feed + 1) {
        feed = memchr(at, '\n', (size_t)(text->at + text->count - at));
        buffer_text(&result, (struct text){ at, (size_t)(feed - at) + 1 });
        if (random_below(&choices, 100) == 0)
            buffer_text(&result, text_of(garbage[random_below(&choices, ROW_COUNT(garbage))]));
    }
    buffer_close(text);
    *text = result;
}

static void garbage_between_lines_accuses_nobody_and_is_counted(void)
{
    uint64_t garbage = 0;

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(4); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer text = { 0 };

            begin(&truth, 1);
            stream_join(&lines, 0, 1, &text);
            insert_garbage(&text);
            stream_feed(&watcher, 0, (struct text){ text.at, text.count }, 700, &choices);
            ASSERT_OK(watcher_finish(&watcher, &err), &err);
            stream_expect_nothing(&watcher, some_profiles[p], seed);
            garbage += watcher.counts.garbage;
            buffer_close(&text);
            end();
        }
    TEST_ASSERT_GREATER_THAN(50, garbage);
}

/* --- Who is late ------------------------------------------------------------------------------------ */

/* One stream gives nothing for long, in the middle of it; then all that it kept back. */
static void feed_with_a_stall(struct buffer *texts)
{
    size_t given = texts[0].count / 3;

    ASSERT_OK(watcher_feed(&watcher, 0, (struct text){ texts[0].at, given }, &err), &err);
    stream_feed(&watcher, 1, (struct text){ texts[1].at, texts[1].count }, 300, &choices);
    ASSERT_OK(watcher_give_up(&watcher, &err), &err);
    stream_feed(&watcher, 0, (struct text){ texts[0].at + given, texts[0].count - given }, 300,
                &choices);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
}

static void a_client_that_stalls_is_judged_without_and_accuses_nobody(void)
{
    uint64_t late = 0;

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(4); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer texts[2] = { { 0 } };

            begin(&truth, 2);
            for (unsigned i = 0; i < 2; i++)
                stream_join(&lines, i, 2, &texts[i]);
            feed_with_a_stall(texts);
            stream_expect_nothing(&watcher, some_profiles[p], seed);
            late += watcher.counts.late;
            TEST_ASSERT_GREATER_THAN(0, watcher.counts.given_up);
            for (unsigned i = 0; i < 2; i++)
                buffer_close(&texts[i]);
            end();
        }
    TEST_ASSERT_GREATER_THAN(0, late);
}

static void what_waits_for_a_silent_client_is_bounded(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);
    struct buffer texts[2] = { { 0 } };

    truth.transactions = 20000;
    begin(&truth, 2);
    watcher.options.bytes_max = 1 << 20;
    for (unsigned i = 0; i < 2; i++)
        stream_join(&lines, i, 2, &texts[i]);
    for (size_t given = 0; given < texts[1].count && !watcher_is_full(&watcher); given += 5000)
        ASSERT_OK(watcher_feed(&watcher, 1, (struct text){ texts[1].at + given, 5000 }, &err), &err);
    TEST_ASSERT_TRUE_MESSAGE(watcher_is_full(&watcher), "there was room for everything");
    TEST_ASSERT_EQUAL_MESSAGE(0, watcher_awaited(&watcher), "another is waited for");
    TEST_ASSERT_LESS_THAN(2 << 20, watcher.bytes_waiting);
    ASSERT_OK(watcher_give_up(&watcher, &err), &err);
    TEST_ASSERT_FALSE(watcher_is_full(&watcher));
    for (unsigned i = 0; i < 2; i++)
        buffer_close(&texts[i]);
    end();
}

static void feed_text(const char *text)
{
    ASSERT_OK(watcher_feed(&watcher, 0, text_of(text), &err), &err);
}

/* A stranger whose transaction began before what was judged explains what seemed wrong. */
static void what_comes_too_late_puts_findings_in_doubt(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    watcher.options.patience = 10;
    feed_text("{\"ordeal-history\":1}\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[100,110],\"ops\":[{\"r\":\"x\",\"v\":7}]}\n"
              "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[900,910],\"ops\":[]}\n"
              "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"at\":[1000,1010],\"ops\":[]}\n");
    TEST_ASSERT_EQUAL(1, watcher.model.finding_count);
    TEST_ASSERT_EQUAL(1, stream_findings(&watcher));
    feed_text("{\"txn\":4,\"session\":2,\"status\":\"ok\",\"at\":[50,60],\"ops\":[{\"w\":\"x\",\"v\":7}]}\n");
    TEST_ASSERT_EQUAL(1, watcher.counts.surprises);
    TEST_ASSERT_EQUAL(0, stream_findings(&watcher));
    end();
}

/* A database at rest: who could still come would have come. */
static void a_stream_that_rests_has_lost_nothing(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    watcher.options.patience = 1000;
    feed_text("{\"ordeal-history\":1}\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[100,110],\"ops\":[{\"w\":\"x\",\"v\":7}]}\n");
    TEST_ASSERT_EQUAL(0, watcher_awaited(&watcher));
    ASSERT_OK(watcher_give_up(&watcher, &err), &err);
    TEST_ASSERT_EQUAL(PIPELINE_NONE, watcher_awaited(&watcher));
    TEST_ASSERT_EQUAL(0, watcher.counts.given_up);
    feed_text("{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[5000,5010],\"ops\":[{\"r\":\"x\",\"v\":7}]}\n");
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    TEST_ASSERT_EQUAL(0, watcher.model.counts.gapped);
    TEST_ASSERT_EQUAL(0, watcher.counts.late);
    end();
}

static void expect_doubt(const char *wanted)
{
    struct buffer reason = { 0 };

    watcher_doubt(&watcher, &reason);
    buffer_byte(&reason, '\0');
    TEST_ASSERT_EQUAL_STRING(wanted, reason.at);
    buffer_close(&reason);
}

static void what_is_stopped_is_judged_as_far_as_it_has_come(void)
{
    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(3); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer text = { 0 };

            begin(&truth, 1);
            stream_join(&lines, 0, 1, &text);
            ASSERT_OK(watcher_feed(&watcher, 0, (struct text){ text.at, text.count / 2 }, &err),
                      &err);
            TEST_ASSERT_GREATER_THAN(0, watcher.number);
            ASSERT_OK(watcher_stop(&watcher, &err), &err);
            stream_expect_nothing(&watcher, some_profiles[p], seed);
            TEST_ASSERT_EQUAL_MESSAGE(0, watcher.counts.garbage, "the last line had not come");
            TEST_ASSERT_GREATER_THAN(watcher_unended(&watcher), watcher.model.counts.reads);
            expect_doubt("");
            buffer_close(&text);
            end();
        }
}

static void what_was_not_judged_is_not_said_to_be_well(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    expect_doubt("no transaction came");
    end();

    begin(&truth, 1);
    feed_text("{\"ordeal-history\":1}\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[100,110],\"ops\":[]}\n");
    ASSERT_OK(watcher_stop(&watcher, &err), &err);
    expect_doubt("it was ended before anything could be judged");
    end();

    begin(&truth, 1);
    feed_text("{\"ordeal-history\":1}\nno line\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[100,110],\"ops\":[]}\n");
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    expect_doubt("1 line could not be read");
    end();
}

/* A file that was emptied: what stood in it and had not been read may have been anything. */
static void what_a_stream_cannot_show_can_be_told(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    feed_text("{\"ordeal-history\":1}\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[100,110],\"ops\":[{\"w\":\"x\",\"v\":1}]}\n");
    ASSERT_OK(watcher_lose(&watcher, 0, &err), &err);
    feed_text("{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[900,910],\"ops\":[{\"r\":\"x\",\"v\":7}]}\n");
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    stream_expect_nothing(&watcher, "written anew", 0);
    TEST_ASSERT_EQUAL(1, watcher.counts.cuts);
    expect_doubt("1 read may have seen what was lost");
    end();
}

static void a_clock_error_is_told_where_all_that_was_found_has_one(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    feed_text("{\"ordeal-history\":1}\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[0,10],\"ops\":[{\"w\":\"x\",\"v\":1}]}\n"
              "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[20,30],\"ops\":[{\"w\":\"x\",\"v\":2}]}\n"
              "{\"txn\":3,\"session\":1,\"status\":\"ok\",\"at\":[140,150],\"ops\":[{\"r\":\"x\",\"v\":1}]}\n");
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    TEST_ASSERT_EQUAL(1, stream_findings(&watcher));
    /* Then T2 may have come before T1: half of what lies between them. */
    TEST_ASSERT_EQUAL(5, watcher_clock_error(&watcher));
    watcher.model.findings.at[0].clock_error = 0;
    TEST_ASSERT_EQUAL_MESSAGE(0, watcher_clock_error(&watcher), "clocks are not to blame");
    end();
}

/* A recorder that goes on somewhat before where it had stopped. */
static void what_comes_again_is_passed_over(void)
{
    uint64_t repeated = 0;

    for (size_t p = 0; p < ROW_COUNT(some_profiles); p++)
        for (uint64_t seed = 0; seed < fixture_rounds(3); seed++) {
            struct truth_options truth = rough_truth(some_profiles[p], seed);
            struct buffer text = { 0 };
            size_t end_of_first, from;

            begin(&truth, 1);
            stream_join(&lines, 0, 1, &text);
            for (end_of_first = text.count / 2; text.at[end_of_first - 1] != '\n';)
                end_of_first++;
            for (from = end_of_first / 2; text.at[from - 1] != '\n';)
                from++;
            ASSERT_OK(watcher_feed(&watcher, 0, (struct text){ text.at, end_of_first }, &err), &err);
            stream_feed(&watcher, 0, (struct text){ text.at + from, text.count - from }, 700,
                        &choices);
            ASSERT_OK(watcher_finish(&watcher, &err), &err);
            stream_expect_nothing(&watcher, some_profiles[p], seed);
            expect_the_same(&truth);
            expect_doubt("");
            repeated += watcher.counts.repeated;
            buffer_close(&text);
            end();
        }
    TEST_ASSERT_GREATER_THAN(1000, repeated);
}

static void what_came_last_is_known_again(void)
{
    struct recent recent = { 0 };
    bool is_known;

    for (uint64_t code = 0; code < 5 * RECENT_KEPT; code++) {
        ASSERT_OK(pipeline_recent_add(&recent, code, &is_known, &err), &err);
        TEST_ASSERT_FALSE(is_known);
        if (code < RECENT_KEPT)
            continue;
        ASSERT_OK(pipeline_recent_add(&recent, code - RECENT_KEPT / 2, &is_known, &err), &err);
        TEST_ASSERT_TRUE(is_known);
    }
    TEST_ASSERT_LESS_OR_EQUAL(RECENT_KEPT, recent.generations[0].keys.count);
    TEST_ASSERT_LESS_OR_EQUAL(RECENT_KEPT, recent.generations[1].keys.count);
    pipeline_recent_close(&recent);
}

static void a_finding_names_operations_as_they_stand_in_the_line(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);
    const struct buffer *why;
    struct buffer text = { 0 };

    begin(&truth, 1);
    feed_text("{\"ordeal-history\":1,\"tables\":{\"t\":{\"columns\":{\"id\":\"bigint\"},\"key\":[\"id\"]}}}\n"
              "{\"txn\":1,\"session\":1,\"status\":\"ok\",\"at\":[0,10],\"ops\":[]}\n"
              "{\"txn\":2,\"session\":1,\"status\":\"ok\",\"at\":[20,30],\"ops\":[{\"r\":\"y\",\"v\":null},"
              "{\"insert\":\"t\",\"rows\":{\"1\":{\"id\":1},\"2\":{\"id\":2}}},{\"r\":\"x\",\"v\":7}]}\n");
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    TEST_ASSERT_EQUAL(1, stream_findings(&watcher));
    why = &watcher.model.findings.at[0].explanation;
    buffer_text(&text, (struct text){ why->at, why->count });
    buffer_byte(&text, '\0');
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text.at, "T2 read x (operation 2) within"), text.at);
    buffer_close(&text);
    end();
}

/* Session 9 did something once, and no more; session 1 goes on, and reads what was overwritten. */
static void feed_with_one_at_rest(unsigned count, const char *after_first)
{
    char line[200];

    feed_text("{\"ordeal-history\":1}\n"
              "{\"txn\":0,\"session\":9,\"status\":\"ok\",\"at\":[0,5],\"ops\":[{\"w\":\"x\",\"v\":0}]}\n");
    feed_text(after_first);
    for (unsigned i = 1; i <= count; i++) {
        snprintf(line, sizeof line,
                 "{\"txn\":%u,\"session\":1,\"status\":\"ok\",\"at\":[%u,%u],\"ops\":[{\"r\":\"x\",\"v\":%u},"
                 "{\"w\":\"x\",\"v\":%u}]}\n",
                 i, i * 10, i * 10 + 5, i == 50 ? 7 : i - 1, i);
        feed_text(line);
    }
}

static void who_rests_while_its_stream_goes_on_holds_nobody_back(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    watcher.options.patience = 1000;
    feed_with_one_at_rest(100, "");
    TEST_ASSERT_EQUAL_MESSAGE(0, stream_findings(&watcher), "somebody may come who explains it");
    end();

    begin(&truth, 1);
    watcher.options.patience = 1000;
    feed_with_one_at_rest(200, "");
    TEST_ASSERT_EQUAL_MESSAGE(1, stream_findings(&watcher), "not told before the end");
    TEST_ASSERT_EQUAL(0, watcher.counts.given_up);
    TEST_ASSERT_EQUAL(0, watcher.model.counts.gapped);
    feed_text("{\"txn\":999,\"session\":9,\"status\":\"ok\",\"at\":[2006,2009],\"ops\":[{\"r\":\"x\",\"v\":200}]}\n");
    ASSERT_OK(watcher_end(&watcher, 0, false, &err), &err);
    ASSERT_OK(watcher_finish(&watcher, &err), &err);
    TEST_ASSERT_EQUAL_MESSAGE(0, watcher.counts.late, "it may come back");
    end();
}

/* What was lost may have been its: a read at that time accuses nobody, however long it rests then. */
static void who_rests_after_something_was_lost_is_not_forgotten_too_early(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    watcher.options.patience = 1000;
    feed_with_one_at_rest(400, "{\"txn\":500,\"session\":9,\"sta\n");
    TEST_ASSERT_GREATER_THAN(200, watcher.number);
    stream_expect_nothing(&watcher, "one line lost", 0);
    TEST_ASSERT_GREATER_THAN(0, watcher.model.counts.excused);
    end();
}

static void a_session_that_ends_early_does_not_fill_the_room(void)
{
    struct truth_options truth = small_truth("postgresql/snapshot", 1);

    begin(&truth, 1);
    watcher.streams.at[0].is_finished = true;
    watcher.options.patience = 1000;
    watcher.options.bytes_max = 100000;
    feed_with_one_at_rest(2000, "");
    TEST_ASSERT_FALSE(watcher_is_full(&watcher));
    TEST_ASSERT_EQUAL(1, stream_findings(&watcher));
    TEST_ASSERT_EQUAL(0, watcher.counts.given_up);
    end();
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_stream_in_pieces_is_judged_as_a_whole_history);
    RUN_TEST(clients_of_very_different_speed_are_judged_as_one_history);
    RUN_TEST(a_stream_that_was_cut_and_resumed_accuses_nobody);
    RUN_TEST(a_client_whose_stream_was_cut_accuses_nobody);
    RUN_TEST(garbage_between_lines_accuses_nobody_and_is_counted);
    RUN_TEST(a_client_that_stalls_is_judged_without_and_accuses_nobody);
    RUN_TEST(what_waits_for_a_silent_client_is_bounded);
    RUN_TEST(what_comes_too_late_puts_findings_in_doubt);
    RUN_TEST(what_comes_again_is_passed_over);
    RUN_TEST(what_came_last_is_known_again);
    RUN_TEST(a_finding_names_operations_as_they_stand_in_the_line);
    RUN_TEST(who_rests_while_its_stream_goes_on_holds_nobody_back);
    RUN_TEST(who_rests_after_something_was_lost_is_not_forgotten_too_early);
    RUN_TEST(a_session_that_ends_early_does_not_fill_the_room);
    RUN_TEST(a_stream_that_rests_has_lost_nothing);
    RUN_TEST(what_is_stopped_is_judged_as_far_as_it_has_come);
    RUN_TEST(what_was_not_judged_is_not_said_to_be_well);
    RUN_TEST(what_a_stream_cannot_show_can_be_told);
    RUN_TEST(a_clock_error_is_told_where_all_that_was_found_has_one);
    return UNITY_END();
}
