#include "tests/store/protocols/protocol_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history/jsonl/jsonl_write.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "unity.h"

const char *model_text(const struct history *history)
{
    static char text[16384];
    struct buffer buffer = { 0 };
    struct error err = { 0 };
    struct sink sink;
    size_t count;

    sink_open_memory(&sink, &buffer);
    ASSERT_OK(jsonl_write(history, &sink, NULL, &err), &err);
    count = buffer.count < sizeof text ? buffer.count : sizeof text - 1;
    memcpy(text, buffer.at, count);
    text[count] = '\0';
    sink_close(&sink);
    buffer_close(&buffer);
    return text;
}

static bool is_broken(const struct history *history, enum level level, bool use_certificate,
                      struct model_counts *counts)
{
    struct oracle_options options = { .use_certificate = use_certificate };
    enum oracle_answer answer = oracle_decide(history, level, options);

    counts->asked++;
    counts->unjudged += answer == ORACLE_CANNOT_JUDGE;
    return answer == ORACLE_VIOLATED;
}

static void assert_holds(const struct history *history, enum level level, bool use_certificate,
                         uint64_t seed, struct model_counts *counts)
{
    static char message[20000];

    if (!is_broken(history, level, use_certificate, counts))
        return;
    snprintf(message, sizeof message, "seed %" PRIu64 ": not %s%s\n%s", seed, level_name(level),
             use_certificate ? " by its certificate" : "", model_text(history));
    TEST_FAIL_MESSAGE(message);
}

/* What the oracle cannot judge holds for nothing: there must be next to none of it. */
static void assert_judged(const struct model_counts *counts)
{
    char message[100];

    snprintf(message, sizeof message, "the oracle could not judge %" PRIu64 " of %" PRIu64,
             counts->unjudged, counts->asked);
    TEST_ASSERT_TRUE_MESSAGE(counts->asked > 0 && counts->unjudged * 50 <= counts->asked, message);
}

void model_holds(const struct protocol *protocol, uint64_t seeds, unsigned committed_least)
{
    struct model_counts counts = { 0 };
    uint64_t ended;

    for (uint64_t seed = 0; seed < seeds; seed++) {
        struct model_options options = model_options_of_seed(seed);
        struct history history;

        options.protocol = protocol;
        model_run(&options, seed, &history, &counts);
        assert_holds(&history, protocol->level, true, seed, &counts);
        assert_holds(&history, protocol->level, false, seed, &counts);
        history_close(&history);
    }
    assert_judged(&counts);
    ended = counts.committed + counts.aborted;
    TEST_ASSERT_TRUE_MESSAGE(ended > 0 && counts.committed * 100 >= ended * committed_least,
                             "too few of its transactions commit");
}

void model_breaks(const struct protocol *protocol, enum bug bug, bool visible, uint64_t seeds_max)
{
    struct model_counts counts = { 0 };
    bool is_certified = false, is_visible = !visible;

    for (uint64_t seed = 0; seed < seeds_max && !(is_certified && is_visible); seed++) {
        struct model_options options = model_options_of_seed(seed);
        struct history history;

        options.protocol = protocol;
        options.bugs.on[bug] = true;
        options.repeating = bug == BUG_FIRST_COMMITTER_COMPARES_VALUES ||
                            bug == BUG_NO_LOCK_FOR_NO_OP_UPDATE;
        model_run(&options, seed, &history, &counts);
        is_certified |= is_broken(&history, protocol->level, true, &counts);
        is_visible |= is_broken(&history, protocol->level, false, &counts);
        assert_holds(&history, bug_entry(bug)->holds, false, seed, &counts);
        history_close(&history);
    }
    assert_judged(&counts);
    TEST_ASSERT_TRUE_MESSAGE(is_certified, "no certificate shows it");
    TEST_ASSERT_TRUE_MESSAGE(is_visible, "no client sees it");
}
