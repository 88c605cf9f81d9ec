#include "trial/bisect/bisect.h"

#include <stdlib.h>
#include <string.h>

#include "history/jsonl/jsonl_write.h"
#include "tests/fixture.h"
#include "trial/bisect/case_private.h"
#include "trial/run/run.h"
#include "unity.h"

static struct scenario *scenario, *again;
static struct bisect_origin origin;
static struct bisect_case whole;
static struct error err;

void setUp(void)
{
    scenario = calloc(1, sizeof *scenario);
    again = calloc(1, sizeof *again);
    origin = (struct bisect_origin){ .scenario = scenario };
    whole = (struct bisect_case){ 0 };
    err = (struct error){ 0 };
    TEST_ASSERT_TRUE(scenario && again);
}

void tearDown(void)
{
    case_close(&whole);
    listed_close(&origin.recording.listing);
    strike_log_close(&origin.recording.strikes);
    scenario_close(scenario);
    scenario_close(again);
    free(scenario);
    free(again);
}

/* Of the first transactions of a history, as text. */
static struct digest digest_of_first(const struct history *history, uint64_t count)
{
    struct buffer text = { 0 };
    struct sink sink;
    struct digest_stream stream;
    struct digest hash;
    const char *end;

    sink_open_memory(&sink, &text);
    ASSERT_OK(jsonl_write(history, &sink, NULL, &err), &err);
    ASSERT_OK(sink_commit(&sink, &err), &err);
    sink_close(&sink);
    buffer_byte(&text, '\0');
    end = strstr(text.at, "\n{\"txn\":");
    for (; end && count > 0; count--)
        end = strstr(end + 1, "\n{\"txn\":");
    TEST_ASSERT_NOT_NULL(end);
    digest_begin(&stream);
    digest_add(&stream, text.at, (size_t)(end - text.at));
    hash = digest_end(&stream);
    buffer_close(&text);
    return hash;
}

/*
 * What the clients of the workload saw, when they did. A client's last pause is in the trace, and
 * in no capsule: what comes behind it, the reading of everything, happens at other times.
 */
static struct digest run(struct scenario *s, struct recording *recording, uint64_t *committed)
{
    struct run_options options = { .recording = recording, .flags = TRIAL_HISTORY };
    struct trial trial = { 0 };
    const struct cluster_findings *findings;
    struct digest hash;

    s->check.is_listed = true;
    ASSERT_OK(trial_run(&trial, s, &options, &err), &err);
    findings = store_findings(trial.simulation->store);
    hash = digest_of_first(&trial.history,
                           findings->committed + findings->aborted + findings->unknown);
    *committed = findings->committed;
    trial_close(&trial);
    return hash;
}

/* A small cluster of this protocol, with these nemeses, and no pauses but those of waiting. */
static void load(const char *protocol, const char *workload, const char *more, uint64_t seed)
{
    struct buffer text = { 0 };

    buffer_print(&text,
                 "name = \"x\"\nseed = %d\n[cluster]\nnodes = 5\nshards = 2\nprotocol = \"%s\"\n"
                 "[network]\nlatency = { min = \"500us\", max = \"5ms\" }\nloss = 0.01\n"
                 "[workload]\nkind = \"%s\"\nsessions = 6\ntransactions = 60\nthink = \"40ms\"\n"
                 "duration = \"6s\"\n%s",
                 (int)seed, protocol, workload, more);
    ASSERT_OK(scenario_read(scenario, "x.toml", (struct text){ text.at, text.count }, NULL, 0,
                            &err),
              &err);
    buffer_close(&text);
}

static void record(uint64_t *committed, struct digest *hash)
{
    simulation_freeze_swarm(scenario);
    *hash = run(scenario, &origin.recording, committed);
    TEST_ASSERT_FALSE(origin.recording.listing.is_short || origin.recording.strikes.is_short);
    ASSERT_OK(case_of_origin(&whole, &origin, &err), &err);
}

/* Prints the recorded run as a capsule, and reads it. */
static void read_capsule(void)
{
    struct buffer out = { 0 };

    snprintf(origin.target, sizeof origin.target, "run - stuck");
    ASSERT_OK(bisect_capsule_print(&whole, &origin, "x.toml", &out, &err), &err);
    ASSERT_OK(scenario_read(again, "capsule.toml", (struct text){ out.at, out.count }, NULL, 0,
                            &err),
              &err);
    buffer_close(&out);
}

static void expect_the_same(const char *label)
{
    struct digest before, after;
    uint64_t committed, committed_again;

    record(&committed, &before);
    TEST_ASSERT_TRUE_MESSAGE(committed > 0, label);
    read_capsule();
    after = run(again, NULL, &committed_again);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(committed, committed_again, label);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&before, &after, sizeof before, label);
}

static void a_capsule_of_a_whole_run_is_the_same_run(void)
{
    static const char *const protocols[] = { "mvto", "2pl", "occ", "ssi", "si", "rc", "causal",
                                             "eventual" };
    static const char *const workloads[] = { "rw-register", "bank", "predicate", "set", "counter",
                                             "write-skew", "long-fork", "ycsb" };

    for (size_t i = 0; i < ROW_COUNT(protocols); i++) {
        char label[80];

        if (i > 0) {
            tearDown();
            setUp();
        }
        snprintf(label, sizeof label, "%s %s", protocols[i], workloads[i]);
        load(protocols[i], workloads[i], "", 3 + i);
        expect_the_same(label);
    }
    tearDown();
    setUp();
    load("rc", "predicate", "delete_percent = 20\nblind_percent = 30\nreborn_percent = 40\n", 9);
    expect_the_same("rows that are born again");
}

#define NEMESIS(kind, shape, more)                                                                 \
    "[[nemesis]]\nkind = \"" kind "\"\nshape = \"" shape "\"\nevery = \"400ms\"\n" more "\n"
#define HOLDING(kind, shape) NEMESIS(kind, shape, "lasts = \"200ms\"")

/* All but those whose strikes are listed in other words: strobes and offsets of clocks. */
static void strikes_that_are_listed_are_the_same_strikes(void)
{
    static const struct { const char *label, *nemesis; } rows[] = {
        { "halves", HOLDING("partition", "halves") },
        { "random halves", HOLDING("partition", "random-halves") },
        { "isolate one", HOLDING("partition", "isolate-one") },
        { "isolated leaders",
          NEMESIS("partition", "isolate-one", "lasts = \"200ms\"\nvictims = \"leaders\"") },
        { "ring", HOLDING("partition", "majorities-ring") },
        { "bridge", HOLDING("partition", "bridge") },
        { "bridge of a leader",
          NEMESIS("partition", "bridge", "lasts = \"200ms\"\nvictims = \"leader\"") },
        { "one way", HOLDING("partition", "one-way") },
        { "steps", HOLDING("clock", "step") },
        { "freeze", HOLDING("clock", "freeze") },
        { "drift", HOLDING("clock", "drift") },
        { "crash", HOLDING("crash", "one") },
        { "crash of writers",
          NEMESIS("crash", "one", "lasts = \"100ms\"\nwhile_writing = true") },
        { "minority", HOLDING("crash", "minority") },
        { "restart", NEMESIS("crash", "restart", "victims = \"leader\"") },
        { "pause", HOLDING("pause", "one") },
        { "loss", HOLDING("message", "loss") },
        { "loss on links", NEMESIS("message", "loss", "lasts = \"200ms\"\nvictims = \"pairs\"") },
        { "delay", HOLDING("message", "delay") },
        { "duplicate", HOLDING("message", "duplicate") },
        { "reorder", HOLDING("message", "reorder") },
        { "clogged links", HOLDING("clog", "link") },
        { "clogged sending", HOLDING("clog", "send") },
        { "clogged receiving", HOLDING("clog", "receive") },
        { "slow disk", HOLDING("disk", "slow") },
        { "stalled disk", HOLDING("disk", "stall") },
        { "full disk", HOLDING("disk", "full") },
        { "torn writes", HOLDING("disk", "torn") HOLDING("crash", "one") },
        { "bit rot", HOLDING("disk", "bit-rot") HOLDING("crash", "one") },
        { "without an end", NEMESIS("clock", "step", "") },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        if (i > 0) {
            tearDown();
            setUp();
        }
        load("mvto", "rw-register", rows[i].nemesis, 7);
        expect_the_same(rows[i].label);
        TEST_ASSERT_TRUE_MESSAGE(origin.recording.strikes.list.count > 0, rows[i].label);
    }
}

static void a_strobe_is_listed_as_steps_to_and_fro(void)
{
    struct digest hash;
    uint64_t committed;

    load("mvto", "rw-register", HOLDING("clock", "strobe"), 7);
    record(&committed, &hash);
    TEST_ASSERT_TRUE(origin.recording.strikes.list.count > 20);
    for (size_t i = 0; i + 1 < origin.recording.strikes.list.count; i++) {
        const struct nemesis_strike *strike = &origin.recording.strikes.list.at[i].strike;
        const struct nemesis_strike *next = &origin.recording.strikes.list.at[i + 1].strike;

        TEST_ASSERT_EQUAL(1, strike->node_count);
        TEST_ASSERT_TRUE(strike->by[0] != 0);
        TEST_ASSERT_TRUE(strike->lasts_ns > 0);
        TEST_ASSERT_TRUE(strike->nodes[0] != next->nodes[0] ||
                         strike->at_ns + strike->lasts_ns <= next->at_ns);
    }
    read_capsule();
    TEST_ASSERT_EQUAL(SHAPE_CLOCK_STEP, again->nemeses[0].shape);
    (void)run(again, NULL, &committed);
    TEST_ASSERT_TRUE(committed > 0);
}

static void a_capsule_knows_who_made_it(void)
{
    struct digest hash;
    uint64_t committed;

    load("occ", "rw-register", "", 1);
    record(&committed, &hash);
    read_capsule();
    TEST_ASSERT_EQUAL_STRING("x.toml", again->capsule.from);
    TEST_ASSERT_EQUAL_STRING("run - stuck", again->capsule.fails);
    TEST_ASSERT_FALSE(bisect_capsule_is_foreign(again));
    again->capsule.version[0]++;
    TEST_ASSERT_TRUE(bisect_capsule_is_foreign(again));
    TEST_ASSERT_FALSE(bisect_capsule_is_foreign(scenario));
}

/* --- Units ------------------------------------------------------------------------------------ */

static size_t count_of(const struct bisect_case *c, enum case_unit unit)
{
    size_t count = 0;

    ASSERT_OK(case_count(c, &origin, unit, &count, &err), &err);
    return count;
}

static void what_is_left_out_is_gone_and_the_rest_is_there(void)
{
    static const char *const nemeses = HOLDING("crash", "one") HOLDING("partition", "halves");
    struct digest hash;
    uint64_t committed;

    load("mvto", "rw-register", nemeses, 9);
    record(&committed, &hash);
    TEST_ASSERT_EQUAL(2, count_of(&whole, UNIT_FAMILY));
    TEST_ASSERT_EQUAL(2, count_of(&whole, UNIT_NEMESIS));
    TEST_ASSERT_EQUAL(6, count_of(&whole, UNIT_SESSION));
    TEST_ASSERT_EQUAL(whole.listing.ops.count, count_of(&whole, UNIT_STEP));
    for (enum case_unit unit = 0; unit < UNIT_COUNT; unit++) {
        struct bisect_case less = { 0 };
        size_t count = count_of(&whole, unit), left;

        if (count < 2)
            continue;
        ASSERT_OK(case_without(&less, &whole, &origin, &(struct case_part){ unit, 0, count / 2 }, &err), &err);
        left = count_of(&less, unit);
        TEST_ASSERT_EQUAL(count - count / 2, left);
        TEST_ASSERT_FALSE(case_is_equal(&less, &whole));
        case_close(&less);
        ASSERT_OK(case_without(&less, &whole, &origin, &(struct case_part){ unit, count, count }, &err), &err);
        TEST_ASSERT_TRUE(case_is_equal(&less, &whole));
        case_close(&less);
    }
}

static void a_case_as_bytes_is_the_same_case(void)
{
    struct bisect_case read = { 0 };
    struct buffer bytes = { 0 };
    struct digest hash;
    uint64_t committed;

    load("mvto", "bank", HOLDING("crash", "one"), 9);
    record(&committed, &hash);
    case_write(&whole, &bytes);
    ASSERT_OK(case_read(&read, (struct text){ bytes.at, bytes.count }, &err), &err);
    TEST_ASSERT_TRUE(case_is_equal(&read, &whole));
    read.settings.seed++;
    TEST_ASSERT_FALSE(case_is_equal(&read, &whole));
    case_close(&read);
    buffer_close(&bytes);
}

static void pauses_become_shorter_and_order_stays(void)
{
    struct bisect_case tight = { 0 };
    struct digest hash;
    uint64_t committed;
    int64_t last_ns = 0;

    load("mvto", "rw-register", HOLDING("crash", "one"), 9);
    record(&committed, &hash);
    ASSERT_OK(case_tighten(&tight, &whole, 1000000, &err), &err);
    TEST_ASSERT_EQUAL(whole.listing.txns.count, tight.listing.txns.count);
    for (size_t i = 0; i < tight.listing.txns.count; i++) {
        int64_t at_ns = tight.listing.txns.at[i].at_ns;

        TEST_ASSERT_TRUE(at_ns <= whole.listing.txns.at[i].at_ns);
        TEST_ASSERT_TRUE(at_ns >= last_ns);
        last_ns = at_ns;
    }
    TEST_ASSERT_TRUE(last_ns < whole.listing.txns.at[tight.listing.txns.count - 1].at_ns / 2);
    case_close(&tight);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_capsule_of_a_whole_run_is_the_same_run);
    RUN_TEST(strikes_that_are_listed_are_the_same_strikes);
    RUN_TEST(a_strobe_is_listed_as_steps_to_and_fro);
    RUN_TEST(a_capsule_knows_who_made_it);
    RUN_TEST(what_is_left_out_is_gone_and_the_rest_is_there);
    RUN_TEST(a_case_as_bytes_is_the_same_case);
    RUN_TEST(pauses_become_shorter_and_order_stays);
    return UNITY_END();
}
