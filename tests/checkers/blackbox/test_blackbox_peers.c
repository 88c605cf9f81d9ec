/*
 * blackbox against its peers, on histories that are too large for the oracle: against Z3 on the
 * plainest encoding there is, against `certificate` on what the simulated store says of itself,
 * and against the levels at which histories were generated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/generator/generate.h"
#include "store/bugs.h"
#include "tests/checkers/blackbox/blackbox_fixture.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/checkers/search/plain_polygraph.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "tests/programs/generator/anonymize.h"
#include "tests/store/cluster_fixture.h"
#include "unity.h"

#define RLIMIT 3000000 /* of Z3: about a second */
#define PATIENCE_NS INT64_C(10000000000)

static struct error err;

void setUp(void)
{
    err = (struct error){ 0 };
}

void tearDown(void) {}

struct tally {
    unsigned verdicts[3], undecided;
};

static void print_tally(const char *what, const struct tally *tally)
{
    printf("%s: %u valid, %u invalid, %u unknown, %u undecided by the other\n", what,
           tally->verdicts[VERDICT_VALID], tally->verdicts[VERDICT_INVALID],
           tally->verdicts[VERDICT_UNKNOWN], tally->undecided);
}

/* --- Z3 on the plain polygraph ------------------------------------------------------------ */

static void the_plain_polygraph_is_judged_as_the_oracle_does(void)
{
    unsigned answers[3] = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(300); seed++) {
        struct small_options small = small_options_of_seed(seed);
        enum level level = blackbox_levels[seed % BLACKBOX_LEVELS];
        enum oracle_answer expected;
        enum plain_answer answer;
        struct history h;
        char label[80];

        small.lists = small.predicates = small.certificate = false;
        small.times = true;
        small_history(&small, seed, &h);
        expected = oracle_decide(&h, level, (struct oracle_options){ .steps_max = 300000 });
        answer = plain_polygraph_ask(&h, level, (enum plain_solver)(seed % 3), RLIMIT);
        snprintf(label, sizeof label, "seed %llu at %s", (unsigned long long)seed,
                 level_name(level));
        if (expected != ORACLE_CANNOT_JUDGE)
            TEST_ASSERT_EQUAL_MESSAGE(expected == ORACLE_HOLDS ? PLAIN_HOLDS : PLAIN_VIOLATED,
                                      answer, label);
        answers[answer]++;
        history_close(&h);
    }
    TEST_ASSERT_GREATER_THAN(50, answers[PLAIN_HOLDS]);
    TEST_ASSERT_GREATER_THAN(50, answers[PLAIN_VIOLATED]);
}

/*
 * A history made at some level, disguised, and then changed: values that repeat, outcomes
 * that are unknown, reads that return another value of their key.
 */
struct medium {
    struct history made, history; /* history: disguised, with these columns */
    uint8_t *statuses;
    int64_t *values;
};

static struct history generate_medium(struct random *random, uint64_t seed)
{
    static const char *const workloads[] = { "cobra-rmw", "cobra-rw", "cobra-heavy", "rw-mix",
                                             "blindw-rw" };
    static const enum level levels[] = { LEVEL_STRICT_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
                                         LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT,
                                         LEVEL_SESSION_SNAPSHOT, LEVEL_PREFIX };
    const char *workload = workloads[random_below(random, ROW_COUNT(workloads))];
    struct generate_options options = generate_defaults(workload_find(text_of(workload)));
    struct anonymize_options how = { .sessions = true, .times = true, .seed = seed };
    struct history generated, disguised;
    struct planted planted;

    options.transactions = random_between(random, 50, 120);
    options.sessions = random_between(random, 3, 12);
    options.keys = random_between(random, 5, 60);
    options.operations = random_between(random, 2, 6);
    options.level = levels[random_below(random, ROW_COUNT(levels))];
    options.seed = seed;
    ASSERT_OK(generate(&options, &generated, &planted, &err), &err);
    ASSERT_OK(anonymize_history(&generated, &how, &disguised, &err), &err);
    history_close(&generated);
    return disguised;
}

/* A read takes its value from another operation of its key. */
static void change_a_read(struct medium *m, struct random *random)
{
    const struct history *h = &m->made;
    size_t op = random_below(random, h->op_count), other = random_below(random, h->op_count);

    if (h->op_kind[op] != OP_READ || h->op_value_kind[op] != VALUE_INTEGER)
        return;
    for (size_t i = 0; i < h->op_count; i++, other = (other + 1) % h->op_count)
        if (h->op_key[other] == h->op_key[op] && h->op_value_kind[other] == VALUE_INTEGER) {
            m->values[op] = m->values[other];
            return;
        }
}

static void make_medium(struct medium *m, uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);
    uint64_t repeats, unknowns, changes;
    struct random random;

    random_init(&random, &key);
    m->made = generate_medium(&random, seed);
    m->history = m->made;
    m->statuses = calloc(m->made.txn_count, sizeof *m->statuses);
    m->values = calloc(m->made.op_count, sizeof *m->values);
    TEST_ASSERT_TRUE(m->statuses && m->values);
    /* With a handful of values nobody finds an answer. */
    repeats = random_below(&random, 3) == 0 ? 20 + random_below(&random, 100) : 0;
    unknowns = random_below(&random, 3) == 0;
    changes = random_below(&random, 3);
    for (size_t t = 0; t < m->made.txn_count; t++)
        m->statuses[t] = unknowns && random_below(&random, 20) == 0 ? TXN_UNKNOWN
                                                                    : m->made.txn_status[t];
    for (size_t op = 0; op < m->made.op_count; op++)
        m->values[op] = repeats && m->made.op_value_kind[op] == VALUE_INTEGER
                            ? (int64_t)((uint64_t)m->made.op_value[op] % repeats)
                            : m->made.op_value[op];
    for (uint64_t i = 0; i < changes; i++)
        change_a_read(m, &random);
    m->history.txn_status = m->statuses;
    m->history.op_value = m->values;
    m->history.unique = -1;
}

static void close_medium(struct medium *m)
{
    history_close(&m->made);
    free(m->statuses);
    free(m->values);
}

static void compare_with_plain(const struct blackbox_question *question, struct tally *tally)
{
    enum verdict verdict = blackbox_ask(question);
    enum plain_answer answer = plain_polygraph_ask(question->history, question->options.level,
                                                   PLAIN_PROPAGATOR, RLIMIT);

    tally->verdicts[verdict]++;
    tally->undecided += answer == PLAIN_UNDECIDED;
    if ((answer == PLAIN_HOLDS && verdict == VERDICT_INVALID) ||
        (answer == PLAIN_VIOLATED && verdict == VERDICT_VALID))
        blackbox_fail(question, "%s, which Z3 denies", fixture_verdict_name(verdict));
}

static void middling_histories_are_judged_as_by_z3(void)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(60); seed++) {
        struct blackbox_question question = { .what = "middling", .seed = seed,
                                              .patience_ns = PATIENCE_NS };
        struct medium m;

        make_medium(&m, seed);
        question.history = &m.history;
        question.options.level = blackbox_levels[seed % BLACKBOX_LEVELS];
        compare_with_plain(&question, &tally);
        close_medium(&m);
    }
    print_tally("middling", &tally);
    TEST_ASSERT_GREATER_THAN(10, tally.verdicts[VERDICT_VALID]);
    TEST_ASSERT_GREATER_THAN(10, tally.verdicts[VERDICT_INVALID]);
    TEST_ASSERT_LESS_THAN(30, tally.undecided);
    TEST_ASSERT_LESS_THAN(5, tally.verdicts[VERDICT_UNKNOWN]);
}

/* --- Z3 as the engine --------------------------------------------------------------------- */

static void both_engines_say_the_same(void)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(40); seed++) {
        struct blackbox_question question = { .what = "engines", .seed = seed,
                                              .patience_ns = PATIENCE_NS };
        enum verdict native, other;
        struct medium m;

        make_medium(&m, 1000 + seed);
        question.history = &m.history;
        question.options.level = blackbox_levels[seed % BLACKBOX_LEVELS];
        question.options.flags = seed % 2 ? CHECK_SLOWLY : 0;
        native = blackbox_ask(&question);
        question.options.engine = ENGINE_Z3;
        other = blackbox_ask(&question);
        tally.verdicts[native]++;
        tally.undecided += other == VERDICT_UNKNOWN;
        if (native != other && native != VERDICT_UNKNOWN && other != VERDICT_UNKNOWN)
            blackbox_fail(&question, "otherwise than the native engine");
        close_medium(&m);
    }
    print_tally("engines", &tally);
    TEST_ASSERT_LESS_THAN(15, tally.undecided);
}

/* --- Itself, otherwise asked ---------------------------------------------------------------- */

/* What holds at the stronger level holds at the weaker. */
static void levels_imply_each_other(void)
{
    static const enum level pairs[][2] = {
        { LEVEL_STRICT_SERIALIZABLE, LEVEL_SERIALIZABLE },
        { LEVEL_SESSION_SERIALIZABLE, LEVEL_SERIALIZABLE },
        { LEVEL_SERIALIZABLE, LEVEL_SNAPSHOT },
        { LEVEL_SESSION_SERIALIZABLE, LEVEL_SESSION_SNAPSHOT },
        { LEVEL_STRICT_SERIALIZABLE, LEVEL_STRICT_SNAPSHOT },
        { LEVEL_SESSION_SNAPSHOT, LEVEL_SNAPSHOT },
        { LEVEL_STRICT_SNAPSHOT, LEVEL_SNAPSHOT },
    };

    for (uint64_t seed = 0; seed < fixture_rounds(70); seed++) {
        struct blackbox_question question = { .what = "implication", .seed = seed,
                                              .patience_ns = PATIENCE_NS };
        enum verdict stronger;
        struct medium m;

        make_medium(&m, 2000 + seed);
        question.history = &m.history;
        question.options.level = pairs[seed % ROW_COUNT(pairs)][0];
        stronger = blackbox_ask(&question);
        question.options.level = pairs[seed % ROW_COUNT(pairs)][1];
        if (stronger == VERDICT_VALID && blackbox_ask(&question) == VERDICT_INVALID)
            blackbox_fail(&question, "invalid, but valid at the stronger level");
        close_medium(&m);
    }
}

static void names_and_order_in_the_file_change_no_verdict(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(40); seed++) {
        struct anonymize_options how = { .sessions = true, .times = true, .seed = seed };
        struct blackbox_question question = { .what = "disguise", .seed = seed,
                                              .patience_ns = PATIENCE_NS };
        struct history disguised;
        enum verdict verdict, other;
        struct medium m;

        make_medium(&m, 3000 + seed);
        question.history = &m.history;
        question.options.level = blackbox_levels[seed % BLACKBOX_LEVELS];
        verdict = blackbox_ask(&question);
        ASSERT_OK(anonymize_history(&m.history, &how, &disguised, &err), &err);
        question.history = &disguised;
        other = blackbox_ask(&question);
        if (other != verdict && other != VERDICT_UNKNOWN && verdict != VERDICT_UNKNOWN)
            blackbox_fail(&question, "otherwise than undisguised");
        history_close(&disguised);
        close_medium(&m);
    }
}

/* --- Generated ------------------------------------------------------------------------------ */

static void what_is_generated_holds_at_its_level(void)
{
    static const char *const workloads[] = { "cobra-rmw", "cobra-rw", "cobra-heavy", "blindw-rw",
                                             "list-append", "predicate-mix" };

    for (size_t w = 0; w < ROW_COUNT(workloads); w++)
        for (size_t i = 0; i < BLACKBOX_LEVELS; i++) {
            const struct workload *workload = workload_find(text_of(workloads[w]));
            struct generate_options options = generate_defaults(workload);
            struct blackbox_question question = { .what = workloads[w], .seed = i };
            struct planted planted;
            struct history h;

            options.transactions = 1000;
            options.keys = w % 2 ? 50 : 500;
            options.level = blackbox_levels[i];
            options.seed = 10 * w + i;
            ASSERT_OK(generate(&options, &h, &planted, &err), &err);
            question.history = &h;
            question.options.level = blackbox_levels[i];
            if (blackbox_ask(&question) != VERDICT_VALID)
                blackbox_fail(&question, "it was made to be valid");
            question.options.version_order = (struct ratio){ 9, 10 };
            if (blackbox_ask(&question) != VERDICT_VALID)
                blackbox_fail(&question, "it was made to be valid");
            history_close(&h);
        }
}

/* --- The certificate ------------------------------------------------------------------------ */

/* -1: it refuses. */
static int ask_certificate(const struct history *h, enum level level)
{
    struct check_options options = { .level = level };
    struct error refusal = { 0 };
    struct check check;
    int verdict = -1;

    if (checker_run(checker_find(TEXT("certificate")), h, &options, &check, &refusal) == STATUS_OK)
        verdict = check.verdict;
    check_close(&check);
    return verdict;
}

/*
 * If the certificate proves it, clients could not see otherwise; if clients could see
 * otherwise, the certificate cannot be right.
 */
static void compare_with_certificate(const struct history *h, const char *what, uint64_t seed,
                                     struct tally *tally)
{
    for (size_t i = 0; i < BLACKBOX_LEVELS; i++) {
        struct blackbox_question question = { .history = h, .what = what, .seed = seed,
                                              .patience_ns = PATIENCE_NS };
        int certified = ask_certificate(h, blackbox_levels[i]);
        enum verdict seen;

        question.options.level = blackbox_levels[i];
        question.options.version_order = (struct ratio){ seed % 2, 1 };
        seen = blackbox_ask(&question);
        tally->verdicts[seen]++;
        tally->undecided += certified == -1;
        if (certified == VERDICT_VALID && seen == VERDICT_INVALID)
            blackbox_fail(&question, "invalid, and the certificate accepts");
        if (seen == VERDICT_INVALID && certified != VERDICT_INVALID && certified != -1)
            blackbox_fail(&question, "invalid, and the certificate does not reject");
    }
}

static void run_with_bug(enum bug bug, const char *protocol, uint64_t seed, struct tally *tally)
{
    static const char *const workloads[] = { "rw-register", "list-append", "rw-register" };
    const char *workload = workloads[seed % ROW_COUNT(workloads)];
    struct cluster_case it = cluster_case_of(protocol, workload, seed);
    struct cluster_run run;

    it.bugs.on[bug] = true;
    it.transactions = 60;
    it.trouble = (enum trouble)(seed % TROUBLE_COUNT);
    if (seed % ROW_COUNT(workloads) == 2) {
        it.parameters[0][0] = "repeat_values";
        it.parameters[0][1] = "3";
    }
    run = cluster_run(&it);
    compare_with_certificate(&run.history, bug_entry(bug)->name, seed, tally);
    cluster_run_close(&run);
}

static void what_the_store_made_is_judged_as_its_certificate_allows(void)
{
    struct tally tally = { 0 };
    uint64_t seed = 0;

    for (size_t round = 0; round < fixture_rounds(1); round++)
        for (int bug = 0; bug < BUG_COUNT; bug++) {
            struct text name;
            char protocol[20];

            if (!bug_protocol((enum bug)bug, (unsigned)round % 2, &name) &&
                !bug_protocol((enum bug)bug, 0, &name))
                continue;
            snprintf(protocol, sizeof protocol, "%.*s", (int)name.length, name.at);
            if (strcmp(protocol, "raft") == 0)
                strcpy(protocol, round % 2 ? "mvto" : "ssi");
            run_with_bug((enum bug)bug, protocol, seed++, &tally);
        }
    print_tally("by the store", &tally);
    TEST_ASSERT_GREATER_THAN(20, tally.verdicts[VERDICT_VALID]);
    TEST_ASSERT_GREATER_THAN(5, tally.verdicts[VERDICT_INVALID]);
    TEST_ASSERT_LESS_THAN(5, tally.verdicts[VERDICT_UNKNOWN]);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_plain_polygraph_is_judged_as_the_oracle_does);
    RUN_TEST(middling_histories_are_judged_as_by_z3);
    RUN_TEST(both_engines_say_the_same);
    RUN_TEST(levels_imply_each_other);
    RUN_TEST(names_and_order_in_the_file_change_no_verdict);
    RUN_TEST(what_is_generated_holds_at_its_level);
    RUN_TEST(what_the_store_made_is_judged_as_its_certificate_allows);
    return UNITY_END();
}
