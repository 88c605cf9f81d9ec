#include "programs/generator/generate.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "tests/fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/programs/machine/replay.h"
#include "unity.h"

static struct error err;

void setUp(void) {}
void tearDown(void) {}

static struct generate_options options_of(const char *workload)
{
    return generate_defaults(workload_find(text_of(workload)));
}

/* So few keys and transactions that the oracle can try everything, and that they meet. */
static struct generate_options small_options(const struct workload *workload, enum level level,
                                             uint64_t seed)
{
    struct generate_options options = generate_defaults(workload);

    options.transactions = 6 + (int64_t)seed % 3;
    options.sessions = 2 + (int64_t)seed % 2;
    options.keys = 1 + (int64_t)seed % 4;
    options.operations = 2 + (int64_t)seed % 2;
    if (workload->mix->range != RANGE_NONE)
        options.predicates_percent = 30;
    options.level = level;
    options.seed = seed;
    return options;
}

static struct history make(const struct generate_options *options)
{
    struct history history;
    struct planted planted;

    ASSERT_OK(generate(options, &history, &planted, &err), &err);
    ASSERT_OK(history_check(&history, &err), &err);
    TEST_ASSERT_EQUAL(options->transactions, history.txn_count);
    TEST_ASSERT_EQUAL(0, planted.count);
    return history;
}

static enum oracle_answer judge(const struct generate_options *options, enum level level,
                                struct oracle_options how)
{
    struct history history = make(options);
    enum oracle_answer answer = oracle_decide(&history, level, how);

    history_close(&history);
    return answer;
}

/* By a certificate the oracle always can tell; else it may take too long. Whether it could. */
static bool assert_not_violated(const struct generate_options *options, struct oracle_options how)
{
    enum oracle_answer answer = judge(options, options->level, how);
    char label[200];

    snprintf(label, sizeof label, "%s at %s, seed %llu, %s", options->workload->name,
             level_name(options->level), (unsigned long long)options->seed,
             how.use_certificate ? "certified" : "black box");
    TEST_ASSERT_NOT_EQUAL_MESSAGE(ORACLE_VIOLATED, answer, label);
    if (how.use_certificate)
        TEST_ASSERT_EQUAL_MESSAGE(ORACLE_HOLDS, answer, label);
    return answer == ORACLE_HOLDS;
}

static void what_is_made_for_a_level_holds_there_by_the_oracle(void)
{
    const struct workload *const *workloads;
    unsigned count, asked = 0, judged = 0;

    workloads = workload_generated(&count);
    for (unsigned w = 0; w < count; w++)
        for (int level = 0; level < LEVEL_COUNT; level++)
            for (uint64_t seed = 0; seed < fixture_rounds(8); seed++) {
                struct generate_options options =
                    small_options(workloads[w], (enum level)level, seed);

                assert_not_violated(&options, (struct oracle_options){ .use_certificate = true });
                judged += assert_not_violated(&options,
                                              (struct oracle_options){ .steps_max = 5000 });
                asked++;
            }
    TEST_ASSERT_GREATER_THAN(asked / 2, judged); /* without the certificate */
}

static void read_committed_holds_under_both_definitions_of_it(void)
{
    const struct workload *const *workloads;
    unsigned count;

    workloads = workload_generated(&count);
    for (unsigned w = 0; w < count; w++)
        for (uint64_t seed = 0; seed < fixture_rounds(20); seed++) {
            struct generate_options options =
                small_options(workloads[w], LEVEL_READ_COMMITTED, seed);

            assert_not_violated(&options, (struct oracle_options){ .definition = ORACLE_AXIOMATIC,
                                                                   .use_certificate = true });
        }
}

/* It takes three replicas for one to learn from another what a third has done. */
static void causal_histories_of_many_replicas_are_causal(void)
{
    static const char *const workloads[] = { "rw-mix", "cobra-rw", "predicate-mix", "blindw-rw+" };

    for (size_t i = 0; i < ROW_COUNT(workloads); i++)
        for (uint64_t seed = 0; seed < fixture_rounds(150); seed++) {
            struct generate_options options =
                small_options(workload_find(text_of(workloads[i])), LEVEL_CAUSAL, seed);

            options.transactions = 14;
            options.sessions = 4;
            options.keys = 3;
            options.operations = 2;
            assert_not_violated(&options, (struct oracle_options){ .use_certificate = true });
        }
}

static void each_level_uses_what_the_next_stronger_forbids(void)
{
    static const struct {
        const char *workload;
        enum level level, stronger;
    } rows[] = {
        { "rw-mix", LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED },
        { "list-append", LEVEL_READ_UNCOMMITTED, LEVEL_READ_COMMITTED },
        { "rw-mix", LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC },
        { "list-append", LEVEL_READ_COMMITTED, LEVEL_READ_ATOMIC },
        { "rw-mix", LEVEL_READ_ATOMIC, LEVEL_CAUSAL },
        { "rw-mix", LEVEL_CAUSAL, LEVEL_PREFIX },
        { "list-append", LEVEL_CAUSAL, LEVEL_PREFIX },
        { "rw-mix", LEVEL_PREFIX, LEVEL_SNAPSHOT },
        { "list-append", LEVEL_PREFIX, LEVEL_SNAPSHOT },
        { "cobra-rw", LEVEL_SNAPSHOT, LEVEL_REPEATABLE_READ },
        { "blindw-rw", LEVEL_SNAPSHOT, LEVEL_SESSION_SNAPSHOT },
        { "predicate-mix", LEVEL_REPEATABLE_READ, LEVEL_SERIALIZABLE },
        { "predicate-mix", LEVEL_REPEATABLE_READ, LEVEL_SNAPSHOT },
        { "blindw-rw+", LEVEL_REPEATABLE_READ, LEVEL_SERIALIZABLE },
        { "rw-mix", LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE },
        { "predicate-mix", LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE },
        { "cobra-rw", LEVEL_SESSION_SNAPSHOT, LEVEL_SESSION_SERIALIZABLE },
        { "blindw-rw", LEVEL_SESSION_SNAPSHOT, LEVEL_STRICT_SNAPSHOT },
        { "rw-mix", LEVEL_SESSION_SERIALIZABLE, LEVEL_STRICT_SERIALIZABLE },
        { "cobra-rw", LEVEL_STRICT_SNAPSHOT, LEVEL_STRICT_SERIALIZABLE },
        { "predicate-mix", LEVEL_STRICT_SNAPSHOT, LEVEL_STRICT_SERIALIZABLE },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        unsigned violated = 0;
        for (uint64_t seed = 0; seed < 300 && violated == 0; seed++) {
            struct generate_options options =
                small_options(workload_find(text_of(rows[i].workload)), rows[i].level, seed);
            options.transactions = 8;
            options.sessions = 3;
            options.keys = 4;
            violated +=
                judge(&options, rows[i].stronger,
                      (struct oracle_options){ .use_certificate = true }) == ORACLE_VIOLATED;
        }
        TEST_ASSERT_MESSAGE(violated > 0, level_name(rows[i].level));
    }
}

static void assert_certificate_is_true(const struct generate_options *options)
{
    struct history history = make(options);
    const char *lie = replay_find_lie(&history);
    char label[900];

    snprintf(label, sizeof label, "%s at %s: %s", options->workload->name,
             level_name(options->level), lie ? lie : "no lie");
    history_close(&history);
    TEST_ASSERT_NULL_MESSAGE(lie, label);
}

static void the_certificate_tells_the_truth_at_every_level(void)
{
    const struct workload *const *workloads;
    unsigned count;

    workloads = workload_generated(&count);
    for (unsigned w = 0; w < count; w++)
        for (int level = 0; level < LEVEL_COUNT; level++) {
            struct generate_options options = generate_defaults(workloads[w]);

            options.transactions = 600;
            options.keys = 30;
            options.level = (enum level)level;
            assert_certificate_is_true(&options);
        }
}

static void the_certificate_tells_the_truth_in_unusual_sizes(void)
{
    static const struct {
        const char *workload;
        int64_t sessions, keys, operations;
    } rows[] = {
        { "rw-mix", 1, 1, 1 },        { "rw-mix", 300, 3, 40 },      { "list-append", 200, 2, 2 },
        { "list-append", 3, 1, 100 }, { "predicate-mix", 90, 2, 9 }, { "blindw-rw+", 1000, 5, 1 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++)
        for (int level = 0; level < LEVEL_COUNT; level++) {
            struct generate_options options = options_of(rows[i].workload);

            options.transactions = 500;
            options.sessions = rows[i].sessions;
            options.keys = rows[i].keys;
            options.operations = rows[i].operations;
            options.level = (enum level)level;
            assert_certificate_is_true(&options);
        }
}

static void by_default_the_certificate_is_that_of_a_strictly_serializable_order(void)
{
    const struct workload *const *workloads;
    unsigned count;

    workloads = workload_generated(&count);
    for (unsigned w = 0; w < count; w++) {
        struct generate_options options = generate_defaults(workloads[w]);
        struct history history;

        options.transactions = 3000;
        assert_certificate_is_true(&options);
        history = make(&options);
        for (size_t t = 0; t < history.txn_count; t++) {
            TEST_ASSERT_TRUE(history.txn_ts[t] > history.txn_invoked[t]);
            TEST_ASSERT_TRUE(history.txn_ts[t] < history.txn_completed[t]);
        }
        TEST_ASSERT_NULL(history.txn_snapshot);
        TEST_ASSERT_NULL(history.op_snapshot);
        TEST_ASSERT_EQUAL(0, history.set_count);
        history_close(&history);
    }
}

static void no_two_writes_of_a_key_have_the_same_value(void)
{
    static const char *const workloads[] = { "rw-mix", "cobra-heavy", "list-append" };

    for (size_t i = 0; i < ROW_COUNT(workloads); i++) {
        struct generate_options options = options_of(workloads[i]);
        struct history history = make(&options);
        struct map seen = { 0 };
        size_t writes = 0, place;

        TEST_ASSERT_EQUAL(1, history.unique);
        for (size_t op = 0; op < history.op_count; op++)
            if (op_is_write(history.op_kind[op]))
                ASSERT_OK(
                    map_add(&seen,
                            (uint64_t)history.op_key[op] << 40 | (uint64_t)history.op_value[op],
                            writes++, &place, &err),
                    &err);
        TEST_ASSERT_EQUAL(writes, seen.keys.count);
        map_close(&seen);
        history_close(&history);
    }
}

static void lists_stay_short_however_long_the_history(void)
{
    struct generate_options options = options_of("list-append");
    struct history history;

    options.transactions = 20000;
    history = make(&options);
    TEST_ASSERT_TRUE(history.key_count > 500);
    for (size_t list = 0; list < history.list_count; list++)
        TEST_ASSERT_TRUE(history.list_start[list + 1] - history.list_start[list] < 40);
    history_close(&history);
}

static void workloads_have_the_mixes_that_they_are_named_for(void)
{
    static const struct {
        const char *workload;
        int reads, writes, selects, updates; /* of a thousand operations */
    } rows[] = {
        { "rw-mix", 500, 500, 0, 0 },       { "predicate-mix", 225, 325, 225, 225 },
        { "blindw-w", 0, 1000, 0, 0 },      { "blindw-rw", 500, 500, 0, 0 },
        { "blindw-rw+", 250, 500, 250, 0 }, { "cobra-rmw", 500, 500, 0, 0 },
        { "cobra-rw", 500, 500, 0, 0 },     { "cobra-heavy", 182, 818, 0, 0 },
        { "list-append", 500, 500, 0, 0 },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct generate_options options = options_of(rows[i].workload);
        struct history history = make(&options);
        int counts[OP_KIND_COUNT] = { 0 }, total = 0;

        for (size_t op = 0; op < history.op_count; op++)
            if (history.op_kind[op] < OP_ROW_READ) {
                counts[history.op_kind[op]]++;
                total++;
            }
        TEST_ASSERT_INT_WITHIN_MESSAGE(15, rows[i].reads, counts[OP_READ] * 1000 / total,
                                       rows[i].workload);
        TEST_ASSERT_INT_WITHIN_MESSAGE(15, rows[i].writes,
                                       (counts[OP_WRITE] + counts[OP_APPEND] + counts[OP_INSERT]) *
                                           1000 / total,
                                       rows[i].workload);
        TEST_ASSERT_INT_WITHIN_MESSAGE(15, rows[i].selects, counts[OP_SELECT] * 1000 / total,
                                       rows[i].workload);
        TEST_ASSERT_INT_WITHIN_MESSAGE(15, rows[i].updates, counts[OP_UPDATE] * 1000 / total,
                                       rows[i].workload);
        history_close(&history);
    }
}

static void a_blindw_transaction_only_reads_or_only_writes(void)
{
    struct generate_options options = options_of("blindw-rw");
    struct history history = make(&options);

    for (size_t t = 0; t < history.txn_count; t++) {
        TEST_ASSERT_EQUAL(8, history.txn_op[t + 1] - history.txn_op[t]);
        for (uint32_t op = history.txn_op[t]; op < history.txn_op[t + 1]; op++)
            TEST_ASSERT_EQUAL(history.op_kind[history.txn_op[t]], history.op_kind[op]);
    }
    history_close(&history);
}

static void the_share_of_predicates_is_the_one_asked_for(void)
{
    static const int64_t percents[] = { 0, 20, 100 };

    for (size_t i = 0; i < ROW_COUNT(percents); i++) {
        struct generate_options options = options_of("predicate-mix");
        struct history history;
        size_t selects = 0, reads = 0;

        options.predicates_percent = percents[i];
        history = make(&options);
        for (size_t op = 0; op < history.op_count; op++) {
            selects += history.op_kind[op] == OP_SELECT;
            reads += history.op_kind[op] == OP_READ;
        }
        TEST_ASSERT_INT_WITHIN(2, percents[i], selects * 100 / (selects + reads));
        history_close(&history);
    }
}

static void digest_of(const struct generate_options *options, char hex[DIGEST_HEX_SIZE])
{
    struct history history = make(options);
    struct digest digest = history_digest(&history);

    digest_hex(&digest, hex);
    history_close(&history);
}

/* On any machine, by any compiler. Whoever changes what is drawn, changes these. */
static void the_same_seed_makes_the_same_history(void)
{
    static const struct {
        const char *workload;
        enum level level;
        const char *digest; /* its beginning */
    } rows[] = {
        { "rw-mix", LEVEL_STRICT_SERIALIZABLE, "8a6bf58d638cb223" },
        { "predicate-mix", LEVEL_STRICT_SERIALIZABLE, "b92f7ee5ad831449" },
        { "blindw-w", LEVEL_STRICT_SERIALIZABLE, "ad9ed76337230043" },
        { "blindw-rw", LEVEL_STRICT_SERIALIZABLE, "d1d1c9ca23bba16a" },
        { "blindw-rw+", LEVEL_STRICT_SERIALIZABLE, "45f5806a88a4b96e" },
        { "cobra-rmw", LEVEL_STRICT_SERIALIZABLE, "ada219fa46b621ee" },
        { "cobra-rw", LEVEL_STRICT_SERIALIZABLE, "e2a8df29e70cf0c6" },
        { "cobra-heavy", LEVEL_STRICT_SERIALIZABLE, "6843a7b5a5a7f441" },
        { "list-append", LEVEL_STRICT_SERIALIZABLE, "3d6b0d447159047b" },
        { "rw-mix", LEVEL_READ_UNCOMMITTED, "34731a5c93a8f12a" },
        { "rw-mix", LEVEL_READ_COMMITTED, "4715958887ab3f7e" },
        { "rw-mix", LEVEL_READ_ATOMIC, "94e60c54d8ec0d5a" },
        { "rw-mix", LEVEL_CAUSAL, "c7312d082fc03a16" },
        { "rw-mix", LEVEL_PREFIX, "1c314032be5689f1" },
        { "rw-mix", LEVEL_SNAPSHOT, "873f405ee1646870" },
        { "predicate-mix", LEVEL_REPEATABLE_READ, "69cd172fb7a1962d" },
        { "rw-mix", LEVEL_SERIALIZABLE, "15c6174b599f8ef8" },
        { "rw-mix", LEVEL_SESSION_SNAPSHOT, "6e3c07acde50853c" },
        { "rw-mix", LEVEL_SESSION_SERIALIZABLE, "3bb5fe58ff9c1e99" },
        { "rw-mix", LEVEL_STRICT_SNAPSHOT, "7711229f2611c026" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct generate_options options = options_of(rows[i].workload);
        char hex[DIGEST_HEX_SIZE], start[17] = { 0 };

        options.transactions = 500;
        options.seed = 7;
        options.level = rows[i].level;
        digest_of(&options, hex);
        memcpy(start, hex, 16);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(rows[i].digest, start, rows[i].workload);
    }
}

static void another_seed_makes_another_history(void)
{
    struct generate_options options = options_of("rw-mix");
    char first[DIGEST_HEX_SIZE], second[DIGEST_HEX_SIZE];

    options.transactions = 50;
    digest_of(&options, first);
    options.seed = 1;
    digest_of(&options, second);
    TEST_ASSERT_TRUE(strcmp(first, second) != 0);
}

static void what_cannot_be_is_refused_with_the_reason(void)
{
    static const struct {
        const char *workload;
        struct generate_options set; /* where not 0, instead of the default; -2 means 0 */
        const char *error;
    } rows[] = {
        { "rw-mix", { .keys = -2 }, "0 keys: it must be 1 to 10000000" },
        { "rw-mix", { .transactions = -2 }, "0 transactions: it must be 1 to 1000000000" },
        { "rw-mix", { .sessions = -3 }, "-3 sessions: it must be 1 to 1000000" },
        { "rw-mix", { .operations = 1001 }, "1001 operations: it must be 1 to 1000" },
        { "rw-mix", { .predicates_percent = 10 }, "workload rw-mix has no predicates" },
        { "predicate-mix",
          { .predicates_percent = 101 },
          "101 per cent predicates: it must be 0 to 100" },
        { "rw-mix",
          { .seed = UINT64_C(1) << 53 },
          "seed 9007199254740992: it must be at most 9007199254740991" },
    };

    for (size_t i = 0; i < ROW_COUNT(rows); i++) {
        struct generate_options options = options_of(rows[i].workload);
        const struct generate_options *set = &rows[i].set;
        struct history history;
        struct planted planted;

        options.keys = set->keys ? (set->keys == -2 ? 0 : set->keys) : options.keys;
        options.transactions =
            set->transactions ? (set->transactions == -2 ? 0 : set->transactions) : 10;
        options.sessions = set->sessions ? set->sessions : options.sessions;
        options.operations = set->operations ? set->operations : options.operations;
        options.predicates_percent =
            set->predicates_percent ? set->predicates_percent : options.predicates_percent;
        options.seed = set->seed;
        TEST_ASSERT_EQUAL_MESSAGE(STATUS_BAD_INPUT, generate(&options, &history, &planted, &err),
                                  rows[i].error);
        TEST_ASSERT_EQUAL_STRING(rows[i].error, err.text);
    }
}

static void count_report(void *context, uint64_t done, uint64_t total)
{
    uint64_t *last = context;

    TEST_ASSERT_EQUAL(200000, total);
    TEST_ASSERT_TRUE(done > *last);
    *last = done;
}

static void progress_is_told_up_to_the_end(void)
{
    struct generate_options options = options_of("blindw-w");
    uint64_t last = 0;
    struct progress progress = { .report = count_report, .context = &last };
    struct history history;

    options.transactions = 200000;
    options.operations = 1;
    options.progress = &progress;
    history = make(&options);
    TEST_ASSERT_EQUAL(200000, last);
    history_close(&history);
}

static void names_of_workloads_are_found_and_others_are_not(void)
{
    unsigned count;
    const struct workload *const *workloads = workload_generated(&count);

    TEST_ASSERT_EQUAL(9, count);
    for (unsigned i = 0; i < count; i++) {
        TEST_ASSERT_EQUAL_STRING(workloads[i]->name, workload_generated_names()[i]);
        TEST_ASSERT_EQUAL_PTR(workloads[i], workload_find(text_of(workloads[i]->name)));
    }
    TEST_ASSERT_NULL(workload_generated_names()[count]);
    TEST_ASSERT_NULL(workload_find(TEXT("rw")));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(what_is_made_for_a_level_holds_there_by_the_oracle);
    RUN_TEST(read_committed_holds_under_both_definitions_of_it);
    RUN_TEST(causal_histories_of_many_replicas_are_causal);
    RUN_TEST(each_level_uses_what_the_next_stronger_forbids);
    RUN_TEST(the_certificate_tells_the_truth_at_every_level);
    RUN_TEST(the_certificate_tells_the_truth_in_unusual_sizes);
    RUN_TEST(by_default_the_certificate_is_that_of_a_strictly_serializable_order);
    RUN_TEST(no_two_writes_of_a_key_have_the_same_value);
    RUN_TEST(lists_stay_short_however_long_the_history);
    RUN_TEST(workloads_have_the_mixes_that_they_are_named_for);
    RUN_TEST(a_blindw_transaction_only_reads_or_only_writes);
    RUN_TEST(the_share_of_predicates_is_the_one_asked_for);
    RUN_TEST(the_same_seed_makes_the_same_history);
    RUN_TEST(another_seed_makes_another_history);
    RUN_TEST(what_cannot_be_is_refused_with_the_reason);
    RUN_TEST(progress_is_told_up_to_the_end);
    RUN_TEST(names_of_workloads_are_found_and_others_are_not);
    return UNITY_END();
}
