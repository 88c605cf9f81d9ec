/*
 * blackbox against the oracle, on random small histories of every kind; and against itself:
 * neither a fast path nor a thread may change a verdict, and levels imply each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "history/builder.h"
#include "tests/checkers/blackbox/blackbox_fixture.h"
#include "tests/checkers/checker_fixture.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/small.h"
#include "unity.h"

#define ROUNDS 4000

void setUp(void) {}
void tearDown(void) {}

/* How the verdicts came out, to see that a test had something to say. */
struct tally {
    unsigned verdicts[3], unjudged;
};

static void assert_telling(const struct tally *tally, const char *what)
{
    unsigned judged =
        tally->verdicts[VERDICT_VALID] + tally->verdicts[VERDICT_INVALID] + tally->unjudged;

    printf("%s: %u valid, %u invalid, %u unknown, %u beyond the oracle\n", what,
           tally->verdicts[VERDICT_VALID], tally->verdicts[VERDICT_INVALID],
           tally->verdicts[VERDICT_UNKNOWN], tally->unjudged);
    TEST_ASSERT_GREATER_THAN_MESSAGE(judged / 10, tally->verdicts[VERDICT_VALID], what);
    TEST_ASSERT_GREATER_THAN_MESSAGE(judged / 10, tally->verdicts[VERDICT_INVALID], what);
    TEST_ASSERT_LESS_THAN_MESSAGE(judged / 10 + 1, tally->unjudged, what);
}

static enum oracle_answer ask_oracle(const struct history *history, enum level level,
                                     bool use_orders)
{
    struct oracle_options options = { .use_certificate = use_orders, .steps_max = 300000 };

    return oracle_decide(history, level, options);
}

static struct check_options options_of(enum level level, uint64_t seed)
{
    return (struct check_options){ .level = level,
                                   .flags = seed % 4 == 3 ? CHECK_SLOWLY : 0,
                                   .threads = 1,
                                   .seed = seed };
}

/* --- The oracle --------------------------------------------------------------------- */

/* What is compared: how the history is drawn, and what the verdict may be. */
struct kind {
    const char *name;
    bool lists, statements, unknowns, repeating;
    bool must_decide; /* never unknown */
};

static void small_of_kind(const struct kind *kind, uint64_t seed, struct history *history)
{
    struct small_options options = small_options_of_seed(seed);

    options.certificate = false;
    options.lists = kind->lists;
    options.predicates = kind->statements;
    options.unknowns = kind->unknowns;
    options.repeating = kind->repeating;
    options.times = true;
    small_history(&options, seed, history);
}

static void compare(const struct kind *kind, const struct blackbox_question *question,
                    struct tally *tally)
{
    enum verdict verdict = blackbox_ask(question);
    enum oracle_answer answer = ask_oracle(question->history, question->options.level, false);

    tally->verdicts[verdict]++;
    tally->unjudged += answer == ORACLE_CANNOT_JUDGE;
    if (verdict == VERDICT_VALID && answer == ORACLE_VIOLATED)
        blackbox_fail(question, "valid, which the oracle denies");
    if (verdict == VERDICT_INVALID && answer == ORACLE_HOLDS)
        blackbox_fail(question, "invalid, which the oracle denies");
    if (verdict == VERDICT_UNKNOWN && kind->must_decide)
        blackbox_fail(question, "unknown");
}

/*
 * Columns of a history, changed: reads that got no answer, integers that became booleans,
 * times that nobody wrote down.
 */
struct oddities {
    uint8_t *value_kinds;
    int64_t *values, *invoked, *completed;
};

static void *copy_of(const void *column, size_t bytes)
{
    void *copy = malloc(bytes + 1);

    TEST_ASSERT_NOT_NULL(copy);
    memcpy(copy, column, bytes);
    return copy;
}

static void make_odd(struct history *h, struct oddities *odd, uint64_t seed)
{
    struct random_key key = random_key_of_seed(seed);
    struct random random;

    random_init(&random, &key);
    odd->value_kinds = copy_of(h->op_value_kind, h->op_count);
    odd->values = copy_of(h->op_value, h->op_count * sizeof *odd->values);
    odd->invoked = copy_of(h->txn_invoked, h->txn_count * sizeof *odd->invoked);
    odd->completed = copy_of(h->txn_completed, h->txn_count * sizeof *odd->completed);
    for (size_t op = 0; op < h->op_count; op++) {
        uint64_t draw = random_below(&random, 12);
        if (draw == 0 && h->op_kind[op] == OP_READ) {
            odd->value_kinds[op] = VALUE_NONE;
            odd->values[op] = 0;
        } else if (draw < 3 && odd->value_kinds[op] == VALUE_INTEGER) {
            odd->value_kinds[op] = VALUE_BOOLEAN;
            odd->values[op] &= 1;
        }
    }
    for (size_t t = 0; t < h->txn_count; t++) {
        if (random_below(&random, 6) == 0)
            odd->invoked[t] = TIME_ABSENT;
        if (random_below(&random, 6) == 0)
            odd->completed[t] = TIME_ABSENT;
    }
    h->op_value_kind = odd->value_kinds;
    h->op_value = odd->values;
    h->txn_invoked = odd->invoked;
    h->txn_completed = odd->completed;
}

static void free_oddities(struct oddities *odd)
{
    free(odd->value_kinds);
    free(odd->values);
    free(odd->invoked);
    free(odd->completed);
}

static void odd_histories_are_judged_as_the_oracle_does(void)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS); seed++) {
        struct kind kind = { .name = "odd", .unknowns = seed % 2, .repeating = seed % 3,
                             .must_decide = true };
        struct history whole, history;
        struct blackbox_question question = {
            .history = &history,
            .what = kind.name,
            .seed = seed,
            .options = options_of(blackbox_levels[seed % BLACKBOX_LEVELS], seed / 7),
        };
        struct oddities odd;

        small_of_kind(&kind, seed, &whole);
        history = whole;
        make_odd(&history, &odd, seed);
        compare(&kind, &question, &tally);
        free_oddities(&odd);
        history_close(&whole);
    }
    assert_telling(&tally, "odd");
}

static void compare_kind(const struct kind *kind, size_t rounds)
{
    struct tally tally = { 0 };

    for (uint64_t seed = 0; seed < fixture_rounds(rounds); seed++) {
        struct history history;

        small_of_kind(kind, seed, &history);
        for (size_t i = 0; i < BLACKBOX_LEVELS; i++) {
            struct blackbox_question question = {
                .history = &history,
                .what = kind->name,
                .seed = seed,
                .options = options_of(blackbox_levels[i], seed + i),
            };

            compare(kind, &question, &tally);
        }
        history_close(&history);
    }
    assert_telling(&tally, kind->name);
}

static void registers_with_unique_values_are_judged_as_the_oracle_does(void)
{
    compare_kind(&(struct kind){ "unique registers", .must_decide = true }, ROUNDS);
}

static void registers_with_repeating_values_are_judged_as_the_oracle_does(void)
{
    compare_kind(&(struct kind){ "repeating registers", .repeating = true, .must_decide = true },
                 ROUNDS);
}

static void unknown_transactions_are_in_or_out_as_the_oracle_says(void)
{
    compare_kind(&(struct kind){ "unknowns", .unknowns = true, .must_decide = true }, ROUNDS);
    compare_kind(&(struct kind){ "unknowns, repeating", .unknowns = true, .repeating = true,
                                 .must_decide = true },
                 ROUNDS);
}

static void lists_are_judged_as_the_oracle_does(void)
{
    compare_kind(&(struct kind){ "lists", .lists = true }, ROUNDS / 2);
    compare_kind(&(struct kind){ "lists, unknowns", .lists = true, .unknowns = true,
                                 .repeating = true },
                 ROUNDS / 2);
}

static void statements_are_judged_as_the_oracle_does(void)
{
    compare_kind(&(struct kind){ "statements", .statements = true, .unknowns = true }, ROUNDS / 2);
}

/* --- All of a size ---------------------------------------------------------------------- */

#define TINY_TXNS 3
#define TINY_OPS 2
#define TINY_HISTORIES 1000000 /* of ten operations each time */

/*
 * The history of a number, digit by digit: 0 to 5 read x or y as null, 1 or 2, and 6 to 9
 * write 1 or 2. The first two transactions are of one session.
 */
static void tiny_history(uint64_t number, struct history *history)
{
    struct builder builder;
    struct error err = { 0 };
    uint32_t keys[2];

    builder_init(&builder);
    ASSERT_OK(builder_key(&builder, TEXT("x"), &keys[0], &err), &err);
    ASSERT_OK(builder_key(&builder, TEXT("y"), &keys[1], &err), &err);
    for (int t = 0; t < TINY_TXNS; t++) {
        ASSERT_OK(builder_begin_txn(&builder, t + 1, t / 2, TXN_OK, &err), &err);
        for (int i = 0; i < TINY_OPS; i++, number /= 10) {
            int64_t digit = (int64_t)(number % 10);
            bool is_read = digit < 6;
            int64_t integer = is_read ? digit / 2 : digit / 2 - 2;
            struct value value = integer > 0 ? value_integer(integer) : value_null();
            ASSERT_OK(builder_add_op(&builder, is_read ? OP_READ : OP_WRITE, keys[digit % 2],
                                     value, &err),
                      &err);
        }
    }
    ASSERT_OK(builder_finish(&builder, history, &err), &err);
}

/* A part of them, or, with ORDEAL_SOAK, half. */
static void tiny_histories_are_judged_as_the_oracle_does(void)
{
    static const enum level levels[] = { LEVEL_SERIALIZABLE, LEVEL_SESSION_SERIALIZABLE,
                                         LEVEL_SNAPSHOT, LEVEL_SESSION_SNAPSHOT };
    const struct kind kind = { .name = "tiny", .repeating = true, .must_decide = true };
    struct tally tally = { 0 };

    for (uint64_t i = 0; i < fixture_rounds(10000); i++) {
        struct history history;
        uint64_t number = i * 7919 % TINY_HISTORIES;
        struct blackbox_question question = {
            .history = &history,
            .what = kind.name,
            .seed = number,
            .options = options_of(levels[i % ROW_COUNT(levels)], i / 4),
        };

        tiny_history(number, &history);
        compare(&kind, &question, &tally);
        history_close(&history);
    }
    assert_telling(&tally, kind.name);
}

/* --- Version orders ------------------------------------------------------------------- */

/* The history with nothing of its certificate but the version orders. Borrows its columns. */
static struct history orders_alone(const struct history *history)
{
    struct history h = *history;

    h.txn_ts_parts = h.txn_snapshot_parts = h.op_snapshot_parts = NULL;
    h.txn_ts = h.txn_ts_second = h.txn_ts_third = NULL;
    h.txn_snapshot = h.txn_snapshot_second = h.txn_snapshot_third = NULL;
    h.op_snapshot = h.op_snapshot_second = h.op_snapshot_third = NULL;
    h.set_count = h.set_entry_count = 0;
    return h;
}

static const struct ratio shares[] = { { 0, 1 }, { 1, 2 }, { 9, 10 }, { 1, 1 } };

/* With nothing and with all it is for the oracle to say, and what is between lies between. */
static void ask_by_shares(struct blackbox_question *question, enum verdict *verdicts)
{
    size_t last = ROW_COUNT(shares) - 1;

    for (size_t i = 0; i <= last; i++) {
        enum oracle_answer answer = ORACLE_CANNOT_JUDGE;

        question->options.version_order = shares[i];
        verdicts[i] = blackbox_ask(question);
        if (i == 0 || i == last)
            answer = ask_oracle(question->history, question->options.level, i > 0);
        if (answer != ORACLE_CANNOT_JUDGE &&
            (answer == ORACLE_HOLDS) != (verdicts[i] == VERDICT_VALID))
            blackbox_fail(question, "the oracle says otherwise");
    }
    for (size_t i = 1; i < last; i++)
        if (verdicts[i] == VERDICT_UNKNOWN || verdicts[i] < verdicts[0] ||
            verdicts[i] > verdicts[last])
            blackbox_fail(question, "a part of the order says what neither all nor none does");
}

static void version_orders_are_used_as_far_as_they_are_given(void)
{
    struct tally tally = { 0 };
    unsigned narrowed = 0;

    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS / 2); seed++) {
        struct small_options small = small_options_of_seed(seed);
        enum level level = blackbox_levels[seed % BLACKBOX_LEVELS];
        struct blackbox_question question = { .what = "version order",
                                              .seed = seed,
                                              .options = options_of(level, seed) };
        enum verdict verdicts[ROW_COUNT(shares)];
        struct history whole, history;

        small.certificate = small.times = true;
        small.lists = small.predicates = small.unknowns = false;
        small_history(&small, seed, &whole);
        history = orders_alone(&whole);
        question.history = &history;
        ask_by_shares(&question, verdicts);
        narrowed += verdicts[0] == VERDICT_VALID && verdicts[3] != VERDICT_VALID;
        tally.verdicts[verdicts[1]]++;
        history_close(&whole);
    }
    assert_telling(&tally, "version orders");
    TEST_ASSERT_GREATER_THAN(20, narrowed);
}

/* What a store says of its timestamps may help to find an order, and is no reason to refuse one. */
static void timestamps_and_snapshots_change_no_verdict(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS / 4); seed++) {
        struct small_options small = small_options_of_seed(seed);
        enum level level = blackbox_levels[seed % BLACKBOX_LEVELS];
        struct blackbox_question question = { .what = "timestamps", .seed = seed,
                                              .options = options_of(level, 0) };
        struct history whole, history;
        enum verdict bare;

        small.certificate = small.times = true;
        small.lists = small.predicates = false;
        small_history(&small, seed, &whole);
        history = orders_alone(&whole);
        question.history = &history;
        bare = blackbox_ask(&question);
        question.history = &whole;
        if (bare != blackbox_ask(&question))
            blackbox_fail(&question, "without timestamps it is otherwise");
        history_close(&whole);
    }
}

/* --- Itself --------------------------------------------------------------------------- */

/*
 * An answer of lists whose elements repeat may be beyond the one and not beyond the other:
 * then one of them says that it does not know.
 */
static void ask_again(struct blackbox_question *question, enum verdict before, bool may_differ,
                      const char *how)
{
    enum verdict verdict = blackbox_ask(question);

    if (verdict == before)
        return;
    if (!may_differ || (verdict != VERDICT_UNKNOWN && before != VERDICT_UNKNOWN))
        blackbox_fail(question, "%s, but %s %s", fixture_verdict_name(verdict),
                      fixture_verdict_name(before), how);
}

static void fast_paths_and_threads_change_no_verdict(void)
{
    for (uint64_t seed = 0; seed < fixture_rounds(ROUNDS / 4); seed++) {
        struct kind kind = { "fast and slow", .lists = seed % 5 == 0, .unknowns = seed % 3 == 0,
                             .repeating = seed % 2 };
        bool may_differ = kind.lists && kind.repeating;
        struct blackbox_question question = { .what = kind.name, .seed = seed };
        struct history history;
        enum verdict fast, slow;

        small_of_kind(&kind, seed, &history);
        question.history = &history;
        question.options.level = blackbox_levels[seed % BLACKBOX_LEVELS];
        fast = blackbox_ask(&question);
        question.options.threads = 2;
        question.options.seed = seed;
        ask_again(&question, fast, false, "on one thread");
        question.options.flags = CHECK_SLOWLY;
        slow = blackbox_ask(&question);
        ask_again(&question, fast, may_differ, "with fast paths");
        question.options.threads = 0;
        ask_again(&question, slow, false, "on two threads");
        history_close(&history);
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(registers_with_unique_values_are_judged_as_the_oracle_does);
    RUN_TEST(registers_with_repeating_values_are_judged_as_the_oracle_does);
    RUN_TEST(unknown_transactions_are_in_or_out_as_the_oracle_says);
    RUN_TEST(lists_are_judged_as_the_oracle_does);
    RUN_TEST(statements_are_judged_as_the_oracle_does);
    RUN_TEST(odd_histories_are_judged_as_the_oracle_does);
    RUN_TEST(tiny_histories_are_judged_as_the_oracle_does);
    RUN_TEST(version_orders_are_used_as_far_as_they_are_given);
    RUN_TEST(timestamps_and_snapshots_change_no_verdict);
    RUN_TEST(fast_paths_and_threads_change_no_verdict);
    return UNITY_END();
}
